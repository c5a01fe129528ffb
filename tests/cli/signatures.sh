#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A sample of tests/signatures.txt: what is found by short searches, on one thread and on two. `make signatures`: all, by gcc and clang and
# under the address sanitizer. And a list that is wrong is noticed.
. tests/cli/common

tests/signatures.sh "$DSE" smoke tpu_small tpu_small:nsga2 bench/vgg16_conv_8_qpe bench/net_mlp bench/net_tiny_families >"$work/out" 2>&1 || {
	cat "$work/out" >&2
	fail "other results than tests/signatures.txt has; if a model was changed on purpose: tests/signatures.sh -w $DSE"
}
mkdir -p "$work/copy/tests"
cp tests/signatures.sh "$work/copy/tests"
ln -s "$PWD/spaces" "$work/copy/spaces"
sed 's/^smoke ./smoke x/' tests/signatures.txt >"$work/copy/tests/signatures.txt"
dse=$(command -v "$DSE")
case $dse in /*) ;; *) dse=$PWD/$dse ;; esac
if (cd "$work/copy" && tests/signatures.sh "$dse" smoke) >"$work/out" 2>&1; then
	fail "a wrong signature is not noticed"
fi
expect_text "$work/out" "expected smoke x"
