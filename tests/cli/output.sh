#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that cannot be written: exit 5, the reason, and nothing half-written.
. tests/cli/common

printf 'a file\n' >"$work/file"
expect_code 5 "$DSE" explore spaces/smoke.yaml -o "$work/file"
expect_text "$work/err" "$work/file: cannot make this directory"
expect_code 5 "$DSE" explore spaces/smoke.yaml -o /dev/null/results
expect_code 5 "$DSE" simulate thesis_chip vgg16 -o "$work/no/such/folder/out.txt"
expect_text "$work/err" "cannot write"
expect_code 5 "$DSE" check spaces/smoke.yaml -o "$work/no/such/folder/out.txt"

# A folder that is there but not writable; root may write everywhere.
if [ "$(id -u)" -ne 0 ]; then
	mkdir "$work/locked"
	chmod 555 "$work/locked"
	expect_code 5 "$DSE" explore spaces/smoke.yaml -o "$work/locked"
	chmod 755 "$work/locked"
fi

# A full disk under stdout is noticed, and named, whether little is written or much.
if [ -c /dev/full ]; then
	for arguments in "explore spaces/smoke.yaml -o $work/results" "simulate thesis_chip vgg16" "--help" \
		"simulate thesis_chip vgg16 --json" "man" "check spaces/smoke.yaml"; do
		code=0
		# shellcheck disable=SC2086 # words on purpose
		"$DSE" $arguments >/dev/full 2>"$work/err" || code=$?
		[ "$code" -eq 5 ] || fail "dse $arguments: exit $code with a full disk"
		expect_text "$work/err" "standard output: cannot write: No space left on device"
	done
fi

# A file appears whole: no temporary ones stay behind.
expect_code 0 "$DSE" explore spaces/smoke.yaml --detail fast -o "$work/results"
expect_code 0 "$DSE" simulate thesis_chip vgg16 --json -o "$work/simulated.json"
expect_text "$work/simulated.json" '"total_clk"'
if find "$work" -name '*.tmp' | grep -q .; then
	fail "temporary files stay behind"
fi
