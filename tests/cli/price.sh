#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# explore: the fast tier searches, the event tier prices; the front is of the event tier.
. tests/cli/common

cat >"$work/sizing.yaml" <<END
name: sizing
machine: thesis_chip
axes:
  mla.array: [16x4, 8x4]
network: tiny
layers:
  - match: '.*'
    split: {width: whole, height: {max_parts: 4}, out_channels: {max_parts: 8}}
    strategy: [fusion, fusion_reuse]
objectives: [latency_ms, energy_mj, mac_units]
END

# Whatever helps: the same files. It is the default.
for n in 1 2; do
	expect_code 0 "$DSE" explore "$work/sizing.yaml" -q --no-progress "-j$n" -o "$work/j$n"
done
one=$(echo "$work"/j1/sizing-*) two=$(echo "$work"/j2/sizing-*)
expect_same "$one/front.csv" "$two/front.csv"
sed 's/-j [12]//; s/"generated_by": .*//' "$one/front.json" >"$work/one.json"
sed 's/-j [12]//; s/"generated_by": .*//; s/j2/j1/' "$two/front.json" >"$work/two.json"
expect_same "$work/one.json" "$work/two.json"

# What is printed says how far to trust it, and what is written has it, too.
expect_code 0 "$DSE" explore "$work/sizing.yaml" --no-progress -o "$work/j1"
grep -qE '^Priced in the event tier: [0-9]+ of [0-9]+ designs' "$work/out" || fail "prices are not told"
expect_text "$work/out" '  nothing beats this front'
expect_text "$work/out" 'event tier: as said of its prices above'
expect_text "$work/out" 'if no design without a price is faster than the fast tier says by more than'
grep -qE '^  proven for any mapping: by no more than [0-9.e+]+ %' "$work/out" || fail "no proven gap"
expect_text "$one/run.json" '"in_event_tier": true'
expect_text "$one/run.json" '"assumed_gap_pct": '
head -n 1 "$one/front.csv" | grep -q ',like_it,place' || fail "no columns of front.csv"
expect_text "$one/front.json" '"detail": "event"'
expect_text "$one/run.json" ' --detail both'
expect_code 0 "$DSE" explore "$work/sizing.yaml" --detail both -q --no-progress -o "$work/j1"
[ "$(echo "$work"/j1/sizing-*)" = "$one" ] || fail "--detail both is not the default"

# Every point replays in the event tier, to the last digit.
n=$(($(wc -l <"$one/front.csv") - 1))
[ "$n" -gt 1 ] || fail "a front of $n"
expect_code 0 "$DSE" simulate -q --point "$one/front.json:0"
expect_code 0 "$DSE" simulate -q --point "$one/front.json:$((n - 1))"
expect_code 0 "$DSE" report "$one" -o "$work/page.html"
grep -qE '"priced, within [0-9.e+-]+ %"' "$work/page.html" || fail "the page does not say what is known"

# It is never worse than the fast tier's optimum in the event tier.
expect_code 0 "$DSE" explore "$work/sizing.yaml" --detail fast --verify -q --no-progress -o "$work/fast"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "verified_latency_ms") at = i; next }
	{ print $at }' "$work"/fast/sizing-*/front.csv | sort -g | head -n 1 >"$work/fast.ms"
awk -F, 'NR > 1 { print $2 }' "$one/front.csv" | sort -g | head -n 1 >"$work/both.ms"
awk 'NR == FNR { fast = $1; next } { exit !($1 <= fast * (1 + 1e-12)) }' "$work/fast.ms" "$work/both.ms" ||
	fail "slower than the fast tier's front"

# resolution: all points, or few; what is no percentage is refused.
sed '$a resolution: 0' "$work/sizing.yaml" >"$work/all.yaml"
sed '$a resolution: 20 %' "$work/sizing.yaml" >"$work/few.yaml"
for name in all few; do
	expect_code 0 "$DSE" explore "$work/$name.yaml" -q --no-progress -o "$work/$name"
	cat "$work/$name"/sizing-*/front.csv >"$work/$name.csv"
done
[ "$(wc -l <"$work/few.csv")" -lt "$(wc -l <"$work/all.csv")" ] || fail "a coarse front has as many points"
[ "$(wc -l <"$work/all.csv")" -ge "$((n + 1))" ] || fail "all points are fewer"
for wrong in -1 0.5 '101 %' 'x %'; do
	sed "\$a resolution: $wrong" "$work/sizing.yaml" >"$work/wrong.yaml"
	expect_code 3 "$DSE" explore "$work/wrong.yaml" -q
	expect_text "$work/err" 'allowed is a percentage from 0 to 100'
done

# Taken up, and put together of parts: the same.
for i in 1 2; do
	expect_code 0 "$DSE" explore "$work/sizing.yaml" -q --no-progress --shard "$i/2" -o "$work/shards"
done
expect_code 0 "$DSE" merge -q --no-progress "$work"/shards/*-shard-* -o "$work/merged"
expect_same "$one/front.csv" "$(echo "$work"/merged/sizing-*/front.csv)"

# --effort signoff goes on until the gap is closed, whoever helps.
sed 's/split: .*/split: {width: whole, height: {max_parts: 4}, out_channels: {max_parts: 4}, in_channels: {max_parts: 4}}/' \
	"$work/sizing.yaml" >"$work/small.yaml"
number() { sed -n "s/^[[:space:]]*\"$2\": \([0-9.e+-]*\),*\$/\1/p" "$1"; }
expect_code 0 "$DSE" explore "$work/small.yaml" -q --no-progress -o "$work/open"
run=$(echo "$work"/open/*/run.json)
awk "BEGIN { exit !($(number "$run" assumed_gap_pct) > $(number "$run" resolution_pct)) }" || fail "nothing is left to be closed"
for n in 1 2; do
	expect_code 0 "$DSE" explore "$work/small.yaml" --effort signoff -q --no-progress "-j$n" -o "$work/closed$n"
	run=$(echo "$work/closed$n"/*/run.json)
	awk "BEGIN { exit !($(number "$run" assumed_gap_pct) <= $(number "$run" resolution_pct)) }" || fail "the gap is not closed"
done
expect_same "$(echo "$work"/closed1/*/front.csv)" "$(echo "$work"/closed2/*/front.csv)"

# What the store knows is not run again, and changes nothing.
unset DSE_STORE
for n in 1 2; do
	expect_code 0 "$DSE" explore "$work/sizing.yaml" --no-progress --store "$work/store.sqlite" -o "$work/known$n"
	expect_same "$one/front.csv" "$(echo "$work/known$n"/sizing-*/front.csv)"
done
expect_text "$work/out" 'of the prices were known from earlier runs'

# One mapping: the best in the event tier, never behind the fast tier's.
expect_code 0 "$DSE" map thesis_chip tiny --split even -o "$work/map"
expect_code 0 "$DSE" simulate --mapping "$work/map/mapping.yaml" --detail event
awk '$1 == "latency_ms" { print $2 }' "$work/out" >"$work/fast.ms"
expect_code 0 "$DSE" map thesis_chip tiny --split even --detail both -o "$work/priced"
expect_text "$work/out" 'in the event tier, to be beaten by'
expect_code 0 "$DSE" simulate --mapping "$work/priced/mapping.yaml" --detail event
awk '$1 == "latency_ms" { print $2 }' "$work/out" >"$work/both.ms"
[ -s "$work/both.ms" ] || fail "no latency"
awk 'NR == FNR { fast = $1; next } { exit !($1 <= fast) }' "$work/fast.ms" "$work/both.ms" || fail "slower than the fast mapping"
expect_code 2 "$DSE" map thesis_chip tiny --detail event

# What cannot be priced is refused or said: nothing is claimed of a search that was cut short, or found no layers' fronts.
# Where it was not asked for, such a search is in the fast tier as before, and that is said.
expect_code 2 "$DSE" explore spaces/smoke.yaml --detail both --flat -q
for other in "spaces/smoke.yaml --flat" "spaces/smoke.yaml --engine nsga2" spaces/tpu_small.yaml; do
	expect_code 0 "$DSE" explore $other --no-progress -o "$work/other"
	grep -q '^Pareto front, fast tier: ' "$work/out" || fail "$other: in which tier?"
	! grep -q "event tier" "$work/out" || fail "$other is priced"
done
expect_code 2 "$DSE" explore spaces/smoke.yaml --detail both --engine nsga2 -q
expect_text "$work/err" '--detail both prices what an exact search leaves'
expect_code 0 "$DSE" explore spaces/mla_sizing.yaml -j1 --no-progress --max-seconds 1 -o "$work/cut"
expect_text "$work/out" "Not priced in the event tier: the search was cut short; the front is the fast tier's"
"$DSE" explore spaces/mla_sizing.yaml -j1 -q --no-progress -o "$work/stopped" >"$work/out" 2>"$work/err" &
pid=$!
sleep 1
kill -s INT "$pid"
code=0
wait "$pid" || code=$?
[ "$code" -eq 130 ] || fail "exit $code after SIGINT in a search that is to be priced"

# A limit that nothing keeps in the event tier is not passed over.
least_mj() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "energy_mj") at = i; next } { print $at }' "$1" | sort -g | head -n 1
}
sed 's/thesis_chip/final_chip/; s/^name: .*/name: final/' "$work/sizing.yaml" >"$work/final.yaml"
for detail in fast both; do
	expect_code 0 "$DSE" explore "$work/final.yaml" -q --no-progress --detail $detail -o "$work/$detail"
done
mj=$(least_mj "$(echo "$work"/both/final-*/front.csv)") fast=$(least_mj "$(echo "$work"/fast/final-*/front.csv)")
awk "BEGIN { exit !($fast < $mj) }" || fail "the fast tier takes no less here: the limit has to be another one"
sed "\$a constraints: [energy_mj <= $fast]" "$work/final.yaml" >"$work/limit.yaml"
expect_code 4 "$DSE" explore "$work/limit.yaml" --no-progress -o "$work/limit"
expect_text "$work/out" 'no design that got a price keeps the limits there'

# Out of time there: a result that says what it is, and how to go on.
code=0
"$DSE" explore spaces/thesis_vgg16.yaml -j1 --no-progress --max-seconds 2 -o "$work/late" >"$work/out" 2>"$work/err" || code=$?
[ $code -eq 0 ] || [ $code -eq 4 ] || fail "exit $code" # a busy machine finds nothing in that time
expect_text "$work/err" "stopped by --max-seconds; to go on: dse explore --resume $work/late/"
expect_text "$(echo "$work"/late/*/run.json)" '"complete": false'
[ -e "$(echo "$work"/late/*/journal)" ] || fail "nothing to go on with"

# Ctrl-C while designs are priced, at any time.
for s in 0.1 0.5; do
	"$DSE" explore spaces/thesis_vgg16.yaml -q --no-progress -o "$work/stopped" >"$work/out" 2>"$work/err" &
	pid=$!
	n=0
	until [ -d "$work/stopped" ] && ls "$work/stopped" | grep -q thesis_vgg16; do
		n=$((n + 1))
		[ "$n" -lt 600 ] || fail "the search does not begin"
		sleep 0.05
	done
	sleep "$s"
	kill -s INT "$pid" || fail "it ended before it was stopped"
	code=0
	wait "$pid" || code=$?
	[ "$code" -eq 130 ] || fail "exit $code after SIGINT while designs are priced"
done
