#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page of dse report in a browser: what a reader does with it, and its numbers against front.csv.
. tests/cli/common
. tests/browser/common

"$DSE" explore spaces/smoke.yaml -q -o "$work" >/dev/null
"$DSE" report "$work"/smoke-* -q -o "$work/report.html" >/dev/null
node tests/browser/report.js "$work/report.html" "$work"/smoke-*/front.csv

# The page of dse nightly: a good night, and one with another constant of the machine.
mkdir "$work/nights"
cp spaces/machines/dvfs_chip.yaml spaces/networks/tiny.yaml "$work/nights"
sed 's/dvfs_chip/dvfs_chip.yaml/; s/network: tiny/network: tiny.yaml/' spaces/smoke.yaml >"$work/nights/smoke.yaml"
sed 's/name: smoke/name: genetic/; /^objectives/a search: {engine: nsga2, seed: 3, population: 8, generations: 4}' \
	"$work/nights/smoke.yaml" >"$work/nights/genetic.yaml"
echo 'name: [' >"$work/nights/bad.yaml"
night() {
	DSE_STORE=$work/nights/dse.sqlite "$DSE" nightly "$work/nights/smoke.yaml" "$work/nights/genetic.yaml" "$@" --seeds 3 -q \
		--tables tests/reference/pe_tasks.csv -o "$work/nights" >"$work/out" 2>"$work/err" || { cat "$work/err" >&2; return 1; }
}
night --date 2026-01-01
sed -i 's/hop_clk: 4 /hop_clk: 5 /' "$work/nights/dvfs_chip.yaml"
! night "$work/nights/bad.yaml" --date 2026-01-02 || fail "a changed constant passes"
node tests/browser/nightly.js "$work/nights/nightly/2026-01-02"
