#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How far prices may be off: what each output says of it, and whether the event tier's rows are true.
. tests/cli/common

# The event tier's rows of the table are what the references give now.
sed -n '/^const float uncertainty_event_pct/,/^};/p' sim/fast/uncertainty_table.c | grep UNCERTAINTY_QPE_JOBS -A 99 |
	grep -v '^}' >"$work/table"
tests/tiers_table.sh "$DSE" >"$work/measured"
diff "$work/table" "$work/measured" >&2 || fail "sim/fast/uncertainty_table.c is out of date: make tiers-table"

# Beside latencies, in lines of sums, in JSON; the event tier's is its own, the grey-box model has none.
expect_code 0 "$DSE" simulate thesis_chip tiny
grep -qE 'latency_ms +[+]-%' "$work/out" || fail "no column"
grep -qE '^  uncertainty_pct [0-9.]+ to the event tier, [0-9.]+ from it to references \(p90\)$' "$work/out" || fail "no sum"
expect_code 0 "$DSE" simulate thesis_chip tiny --detail event
grep -qE '^  uncertainty_pct [0-9.]+ to references \(p90\)$' "$work/out" || fail "no sum of the event tier"
expect_code 0 "$DSE" simulate dvfs_chip tiny --detail greybox
! grep -q '^  uncertainty_pct' "$work/out" || fail "the grey-box model was compared with no tier"
expect_code 0 "$DSE" simulate thesis_chip tiny --json
expect_text "$work/out" '"far_from_compared": null'
[ "$(grep -c '"uncertainty_pct": [0-9]' "$work/out")" -gt 1 ] || fail "no uncertainty in JSON"
expect_code 0 "$DSE" map thesis_chip tiny --split even
grep -qE 'latency_ms +[+]-%' "$work/out" || fail "no column of dse map"
grep -qE '^uncertainty_pct [0-9.]+ to the event tier' "$work/out" || fail "no sum of dse map"

# A machine unlike all others: its first parameter that is far, in a line.
sed 's/^  clk_mhz: 500/  clk_mhz: 2000/' spaces/machines/thesis_chip.yaml >"$work/far.yaml"
for command in simulate "map --split even"; do
	# shellcheck disable=SC2086 # words
	expect_code 0 "$DSE" $command "$work/far.yaml" tiny
	expect_text "$work/out" 'noc.clk_mhz 2000 is far: predictions were compared at 125 to 1000 MHz only'
done
expect_code 0 "$DSE" simulate "$work/far.yaml" tiny --json
expect_text "$work/out" '"far_from_compared": "noc.clk_mhz 2000 is far'

# Fronts: table, CSV and JSON; one of before is read as well.
expect_code 0 "$DSE" explore spaces/smoke.yaml --detail fast --no-progress -o "$work/results"
expect_text "$work/out" 'id  latency_ms  +-%'
run=$(echo "$work"/results/smoke-*)
head -n 1 "$run/front.csv" | grep -q ',uncertainty_pct,reference_uncertainty_pct' || fail "no column of front.csv"
expect_text "$run/front.json" '"uncertainty_pct": '

# What each point's energy rests on: parts that add up, within an interval around it, as in front.json.
sed 's/"[^"]*"/text/g' "$run/front.csv" >"$work/plain.csv"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ sum = 0
	  for (name in at) if (name ~ /^energy_(measured|published|fitted|derived|assumed|unknown)_pct$/) sum += $at[name]
	  if ((sum - 100) ^ 2 > 1e-12 || $at["energy_least_mj"] >= $at["energy_mj"] || $at["energy_most_mj"] <= $at["energy_mj"]) bad = 1
	  n++ }
	END { exit bad || n < 2 || !("energy_measured_pct" in at) }' "$work/plain.csv" || fail "what energy rests on, in front.csv"
least=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "energy_least_mj") at = i } NR == 2 { print $at }' "$work/plain.csv")
tr '\n' ' ' <"$run/front.json" | grep -Eq "\"id\": 0, .*\"energy_interval_mj\": \[$least, " || fail "another interval than front.json's: $least"
expect_code 0 "$DSE" simulate --point "$run/front.json:0"
cp -r "$run" "$work/old"
sed 's/"[a-z_]*uncertainty_pct": [0-9.]*, //g' "$run/front.json" >"$work/old/front.json"
! grep -q uncertainty "$work/old/front.json" || fail "still there"
expect_code 0 "$DSE" simulate --point "$work/old/front.json:0"
for folder in "$run" "$work/old"; do
	expect_code 0 "$DSE" report "$folder" -o "$folder.html"
done
grep -q '"key": *"uncertainty_pct"' "$run.html" || fail "no column of the report"
! grep -q uncertainty_pct "$work/old.html" || fail "a column of nothing"
