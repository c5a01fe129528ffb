#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --effort stands for other options, and --max-seconds leaves a result that --resume goes on with.
. tests/cli/common

expect_code 0 "$DSE" explore spaces/smoke.yaml --effort quick -o "$work/quick" -q
run=$(echo "$work"/quick/*/run.json)
expect_text "$run" '"engine": "exact"'
expect_text "$run" '"epsilon_pct": 1'
expect_text "$run" '"max_evaluations": 0'
expect_code 0 "$DSE" explore spaces/smoke.yaml --effort normal --detail fast -o "$work/normal" -q
run=$(echo "$work"/normal/*/run.json)
expect_text "$run" '"engine": "exact"'
expect_text "$run" '"max_evaluations": 0'
expect_text "$run" '"certificate": "exact, '
expect_code 0 "$DSE" explore spaces/smoke.yaml --effort signoff -o "$work/signoff"
expect_text "$work/out" "each again with every event simulated: the same results"
expect_text "$work/out" "Audit: no fault found"
run=$(echo "$work"/signoff/*/run.json)
expect_text "$run" ' --effort signoff'
value() { sed -n "s/^[[:space:]]*\"$1\": \([0-9.e+-]*\),*\$/\1/p" "$run"; }
awk "BEGIN { exit !($(value assumed_gap_pct) <= $(value resolution_pct)) }" || fail "the gap is not closed"
# the space has few enough designs: all efforts find the same front
expect_same "$(echo "$work"/normal/*/front.csv)" "$(echo "$work"/quick/*/front.csv)"

# Options beside it stay as given, and what is recorded needs no --effort.
expect_code 0 "$DSE" explore spaces/smoke.yaml --effort quick --engine exhaustive --max-evaluations 70 -o "$work/given" -q
run=$(echo "$work"/given/*/run.json)
expect_text "$run" '"engine": "exhaustive"'
expect_text "$run" '"max_evaluations": 70'
expect_code 2 "$DSE" explore spaces/smoke.yaml --effort sign
expect_text "$work/err" "--effort is 'sign', allowed are quick, normal, signoff"

# 10^17 designs one by one take longer than a second: what was seen by then is a result, and says that it is not all.
space=spaces/bench/net_tiny_machines.yaml
expect_code 0 "$DSE" explore $space --flat --engine exhaustive -j1 --max-seconds 1 -o "$work/flat" --no-progress
expect_text "$work/out" "Pareto front so far, fast tier: "
expect_text "$work/out" "certificate: none, the search was cut short"
expect_text "$work/err" "stopped by --max-seconds; to go on: dse explore --resume $(echo "$work"/flat/*)"
run=$(echo "$work"/flat/*/run.json)
expect_text "$run" '"complete": false'
expect_text "$run" '"interrupted": false'
evaluations() {
	sed -n '/^[[:space:]]*"evaluations": /{s/[^0-9]//gp;q;}' "$run"
}
first=$(evaluations)
expect_code 0 "$DSE" explore --resume "$work"/flat/* -j1 --max-seconds 1 --no-progress
expect_text "$work/err" "the search goes on from its checkpoint"
[ "$(evaluations)" -gt "$first" ] || fail "a search with more time has not gone on"
expect_text "$run" '"complete": false'

# With all the time it needs it ends as one that was never stopped. A machine that needs no second is fine, too.
sed -e 's/^name: .*/name: one/' -e 's/^  mla.array: .*/  mla.array: [16x4]/' spaces/bench/exact_vgg16.yaml >"$work/one.yaml"
expect_code 0 "$DSE" explore "$work/one.yaml" --detail fast -j1 --max-seconds 1 -o "$work/cut" -q
expect_code 0 "$DSE" explore --resume "$work"/cut/one-* -j2 -q
expect_code 0 "$DSE" explore "$work/one.yaml" --detail fast -o "$work/whole" -q
for file in front.csv front.json; do
	expect_same "$(echo "$work"/whole/one-*)/$file" "$(echo "$work"/cut/one-*)/$file"
done
expect_text "$(echo "$work"/cut/one-*)/run.json" '"complete": true'
[ ! -e "$(echo "$work"/cut/one-*)/journal" ] || fail "a complete run keeps its journal"

# A shard that ran out of time is none yet.
expect_code 0 "$DSE" explore "$work/one.yaml" --detail fast -j1 --shard 1/2 --max-seconds 1 -o "$work/part" --no-progress
if grep -q "stopped by --max-seconds" "$work/err"; then
	expect_code 3 "$DSE" merge "$work"/part/one-*
	expect_text "$work/err" "is not complete; to go on: dse explore --resume "
fi
