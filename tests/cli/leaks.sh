#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is refused leaves no memory behind, in the program as released: all malformed files, and what only a search refuses.
: "${DSE:?DSE names the program to be tested}"
. tests/cli/common
shim=$(dirname "$DSE")/faults.so
if [ ! -e "$shim" ]; then
	echo "SKIPPED: no $shim: sanitizers bring allocations of their own"
	exit 0
fi
cat >"$work/wide.yaml" <<'END'
name: wide
input: [65536, 4, 8]
layers: [{conv: {kernel: 1, out_channels: 8}}]
END
cat >"$work/space.yaml" <<'END'
name: many
machine: dvfs_chip
network: wide.yaml
layers: [{match: '.*', split: {width: all, height: all, out_channels: all}}]
objectives: [latency_ms]
END
# one allocation that never comes is to fail
FAULT=alloc:99999999 FAULT_LEAKS=1 LD_PRELOAD=$shim "$DSE" check -q tests/malformed/*.yaml "$work/space.yaml" >"$work/out" 2>"$work/err" &&
	fail "nothing is refused"
expect_text "$work/err" "space many: width of CONV_1: 65536 in steps of 1 has 4740498 splits"
grep -qx "0 allocations are not freed" "$work/err" || fail "$(tail -n 3 "$work/err")"
