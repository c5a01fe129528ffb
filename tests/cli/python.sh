#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python package beside the program: numbers, mistakes, interruption, leaks, a notebook's kernel. `make python-draws` has all
# random cases; this a sample. NOTEBOOKS=1: those of dse/python/notebooks instead; a pattern: these of them.
. tests/cli/common
build=$(cd "$(dirname "$DSE")" && pwd)
if ! ls "$build"/libdse.so.* >/dev/null 2>&1; then
	echo "SKIPPED: sanitizers have no shared library"
	exit 0
fi
python=$(./dse/python/find numpy pandas matplotlib yaml 2>"$work/why") || {
	echo "SKIPPED: $(cat "$work/why")"
	exit 0
}
DSE=$(realpath "$DSE")
DSE_LIBRARY=$(find "$build" -maxdepth 1 -name 'libdse.so.*' | head -n 1)
DSE_PROGRAM=$DSE
PYTHONPATH=$PWD/dse/python
PYTHONDONTWRITEBYTECODE=1
MPLCONFIGDIR=$work/matplotlib # its cache of fonts
export DSE DSE_LIBRARY DSE_PROGRAM PYTHONPATH PYTHONDONTWRITEBYTECODE MPLCONFIGDIR
# All of notebooks takes a minute: `make notebooks`, and RECORD=1 keeps what they print now.
tests='numbers package notebook'
[ "${NOTEBOOKS:-0}" = 0 ] || tests=notebooks
for test in $tests; do
	"$python" "tests/dse/python/test_$test.py" >"$work/out" 2>&1 || {
		cat "$work/out" >&2
		fail "test_$test.py"
	}
	grep -E '^(SKIPPED|Ran )|skipped' "$work/out" || true
done
