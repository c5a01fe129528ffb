#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse explore on a small space: the same front for any number of threads, composed or flat, exhaustive or genetic.
. tests/cli/common
space=spaces/smoke.yaml

# front DIR OPTION...: explore into $work/DIR; the folder of the run is $run.
front() {
	dir=$1
	shift
	expect_code 0 "$DSE" explore $space --detail fast -q -o "$work/$dir" "$@"
	run=$(echo "$work/$dir"/smoke-*)
	[ -d "$run" ] || fail "no results in $work/$dir"
	for file in front.csv front.json front.svg run.json; do
		[ -s "$run/$file" ] || fail "$file is missing"
	done
}

front one -j1
one=$run
front two -j2
for file in front.csv front.json front.svg; do
	expect_same "$one/$file" "$run/$file"
done
[ "$(basename "$one")" = "$(basename "$run")" ] || fail "the folder's name depends on the threads"

# Objectives of all points, without the designs that reach them: those may differ where designs are equally good.
objectives() {
	cut -d, -f1-4 "$1"
}
for options in "--flat -j1" "--flat -j2" "--engine nsga2 --flat -j1 --seed 1" "--engine nsga2 -j1 --seed 3" "--engine nsga2 -j2 --seed 7" "--engine pls -j2 --seed 3"; do
	front "other" $options
	if cmp -s "$one/front.csv" "$run/front.csv"; then
		expect_same "$one/front.json" "$run/front.json"
	fi
	objectives "$one/front.csv" >"$work/expected"
	objectives "$run/front.csv" >"$work/found"
	expect_same "$work/expected" "$work/found"
	rm -rf "$work/other"
done

# The same seed gives the same bytes for any number of threads.
front seed1 --flat --engine nsga2 --seed 3 -j1
seeded=$run
front seed2 --flat --engine nsga2 --seed 3 -j2
expect_same "$seeded/front.json" "$run/front.json"
for jobs in 1 2; do
	expect_code 0 "$DSE" explore spaces/bench/net_resnet50_stage_3.yaml -q --engine nsga2 --seed 3 \
		--max-evaluations 20000 "-j$jobs" -o "$work/layers$jobs"
done
expect_same "$(echo "$work"/layers1/*)/front.json" "$(echo "$work"/layers2/*)/front.json"

# Every column but names has a unit or is a fraction or count; every row has as many cells as the header.
awk -F'","|,' 'NR == 1 { if ($1 != "id" || $2 != "latency_ms") exit 1 }' "$one/front.csv" || fail "header of front.csv"

# Every point replays to the same bits.
n=$(grep -c '^		{"id": ' "$one/front.json")
[ "$n" -ge 2 ] || fail "$n points on the front"
i=0
while [ "$i" -lt "$n" ]; do
	expect_code 0 "$DSE" simulate -q --point "$one/front.json:$i"
	expect_text "$work/out" "replay: equal"
	i=$((i + 1))
done
expect_code 3 "$DSE" simulate --point "$one/front.json:$n"
expect_text "$work/err" "no point with id"

# A number that was changed is found, and so is a design that was.
sed 's/"total_clk": [0-9]*/"total_clk": 1/' "$one/front.json" >"$work/changed.json"
expect_code 1 "$DSE" simulate -q --point "$work/changed.json:0"
expect_text "$work/out" "recorded 1"
sed 's/"level": "PL2"/"level": "PL1"/' "$one/front.json" >"$work/changed.json"
expect_code 1 "$DSE" simulate -q --point "$work/changed.json:0"
expect_text "$work/out" "replay: different"
# A front that an editor laid out anew still replays.
sed 's/, /,\n/g' "$one/front.json" >"$work/laid_out.json"
expect_code 0 "$DSE" simulate -q --point "$work/laid_out.json:0"

# run.json says what was counted; counts add up.
expect_text "$one/run.json" '"complete": true'
expect_text "$one/run.json" '"command": "dse explore spaces/smoke.yaml'
expect_text "$one/run.json" " -j 1 -q -o $work/one\""
# Paths of inputs have no detours, and static power is the chip's and that of 152 PEs.
! grep -qF '/../' "$one/run.json" || fail "detours in the paths of run.json"
expect_text "$one/front.json" '"leakage_mw": 234.8'
mkdir -p "$work/deep/er"
sed 's/^network: .*/network: ..\/..\/tiny.yaml/; s/^networks: .*/networks: [..\/..\/tiny.yaml]/' $space >"$work/deep/er/paths.yaml"
cp spaces/networks/tiny.yaml "$work/tiny.yaml"
expect_code 0 "$DSE" explore "$work/deep/er/paths.yaml" --detail fast -q --json -o "$work/paths"
expect_text "$work/out" "\"$work/tiny.yaml\""
value() {
	sed -n 's/^[[:space:]]*"'"$1"'": \([0-9]*\).*/\1/p' "$one/run.json"
}
[ "$(($(value feasible) + $(value infeasible)))" -eq "$(value evaluations)" ] || fail "evaluations do not add up"
[ "$(($(value evaluations) + $(value bounded) + $(value skipped)))" -eq "$(value candidates)" ] || fail "candidates do not add up"

# Points of the layers, on request.
front points --points
[ "$(wc -l <"$run/points.csv")" -gt 3 ] || fail "points.csv is too short"
expect_same "$one/front.csv" "$run/front.csv"

# A table for people on stdout, nothing on stderr; with --json only JSON, which our own reader takes.
expect_code 0 "$DSE" explore $space --detail fast -o "$work/table"
expect_text "$work/out" "latency_ms"
expect_text "$work/out" "certificate: exact"
expect_empty "$work/err"
expect_code 0 "$DSE" explore $space --detail fast --json -o "$work/json"
expect_empty "$work/err"
cp "$work/out" "$work/summary.json"
[ "$(head -c 1 "$work/summary.json")" = "{" ] || fail "stdout is not JSON"
expect_code 3 "$DSE" simulate --point "$work/summary.json:0"
expect_text "$work/err" "not a front.json"

# A budget is kept, roughly, and said.
expect_code 0 "$DSE" explore $space --flat --max-evaluations 300 -o "$work/budget" --json
expect_text "$work/out" '"complete": false'

# Verification adds columns to the front and changes nothing else of it; it does not depend on the threads.
signature() {
	sed -n 's/.*"signature": "\([0-9a-f]*\)".*/\1/p' "$1/run.json"
}
front verified1 --verify -j1
verified=$run
front verified2 --verify -j2
expect_same "$verified/front.csv" "$run/front.csv"
expect_same "$verified/front.json" "$run/front.json"
[ "$(signature "$one")" = "$(signature "$verified")" ] || fail "verification changes the signature"
[ "$(basename "$one")" = "$(basename "$verified")" ] || fail "verification changes the folder"
n_column=$(head -n 1 "$one/front.csv" | tr ',' '\n' | wc -l)
head -n 1 "$verified/front.csv" | tr ',' '\n' | tail -n +$((n_column + 1)) | tr '\n' ' ' >"$work/found"
echo "verified_latency_ms verified_energy_mj verified_mac_units verified_error_pct verified_margin_pct verified_front " |
	tr -d '\n' >"$work/expected"
expect_same "$work/expected" "$work/found"
[ "$(tail -n +2 "$verified/front.csv" | grep -cE ',(certain|depends)$')" -eq "$n" ] || fail "points without a verdict"
expect_text "$verified/run.json" '"largest_at_layer": '
expect_text "$verified/front.json" '"verified": {"latency_ms": '
expect_code 0 "$DSE" simulate -q --point "$verified/front.json:0"
expect_text "$work/out" "replay: equal"
expect_code 0 "$DSE" explore $space --detail fast --verify --audit -o "$work/audit"
expect_text "$work/out" "Verified in the event tier: "
expect_text "$work/out" "each again with every event simulated: the same results"
expect_text "$work/out" "are on the front in either tier"

# A front of the event tier is replayed in that tier; in the other one the gap is told.
front event1 --detail event -j1
event=$run
front event2 --detail event -j2
expect_same "$event/front.json" "$run/front.json"
[ "$(basename "$one")" != "$(basename "$event")" ] || fail "a search in the event tier takes the fast one's folder"
expect_code 0 "$DSE" simulate -q --point "$event/front.json:0"
expect_text "$work/out" "replay: equal"
expect_code 0 "$DSE" simulate -q --point "$event/front.json:0" --detail fast
expect_text "$work/out" "replay: fast tier, the front was made in the event tier; clocks of 3 layers: mean gap "
expect_code 0 "$DSE" simulate -q --point "$one/front.json:0" --detail event --json
expect_text "$work/out" '"largest_gap_pct": '
