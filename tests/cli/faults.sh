#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A sample of make faults: all writes, fsyncs and renames of an exploration and a mapping fail, and some allocations.
: "${DSE:?DSE names the program to be tested}"
shim=$(dirname "$DSE")/faults.so
if [ ! -e "$shim" ]; then
	echo "SKIPPED: no $shim: sanitizers bring allocations of their own"
	exit 0
fi
FAULT_STRIDE=307 tests/faults/run "$shim" '^explore .*fast\|^map '
