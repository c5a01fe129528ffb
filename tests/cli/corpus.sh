#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Inputs of every kind, shipped, kept and of the program's own making, each once through the fuzzer of its kind.
. tests/cli/common
corpus=$(dirname "$DSE")/corpus
FUZZ_DIR=$work
export FUZZ_DIR
tests/fuzz/seeds "$work" || fail "no inputs"
"$corpus" "$work/seeds" || fail "an input is not borne"
