#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The first 25 lines of dse explore are the answer: golden files of five spaces of different kinds (RECORD=1 writes them
# anew), the same in run.json and in dse show, from shards, and at any width of the terminal.
. tests/cli/common

for space in array memory systolic nothing deadline; do
	code=0
	"$DSE" explore "tests/verdict/$space.yaml" --detail fast -q -o "$work/$space" >"$work/out" 2>"$work/err" || code=$?
	[ $code = 0 ] || [ $code$space = 4nothing ] || fail "$space ends with $code"
	head -25 "$work/out" >"$work/$space.txt"
	[ -z "${RECORD:-}" ] || cp "$work/$space.txt" "tests/golden/verdict_$space.txt"
	cmp "$work/$space.txt" "tests/golden/verdict_$space.txt" || fail "another verdict on tests/verdict/$space.yaml"
done

# What was said is kept: dse show says the same, and so do shards that were merged, and an answer that was known.
for time in first again; do
	"$DSE" explore tests/verdict/memory.yaml --detail fast -q --store "$work/store.sqlite" -o "$work/memory" >"$work/$time"
done
expect_text "$(echo "$work"/memory/*/run.json)" known_from
"$DSE" show --store "$work/store.sqlite" last >"$work/shown"
sed '/^Pareto front/,$d' "$work/memory.txt" >"$work/verdict"
[ "$(wc -l <"$work/verdict")" -gt 10 ] || fail "no verdict before the front"
for part in 1 2; do
	"$DSE" explore tests/verdict/memory.yaml --detail fast -q --shard $part/2 -o "$work/shards" >"$work/out"
done
"$DSE" merge "$work"/shards/*-shard-* -q -o "$work/merged" >"$work/merged.txt"
for where in again shown merged.txt; do
	grep -Fxvf "$work/$where" "$work/verdict" >"$work/lacks" || continue
	fail "$where lacks $(head -1 "$work/lacks")"
done

# Under the picture, too.
sed -n 's/^<text x="20.0" y="[6-9][0-9][0-9].*">\(.*\)<.text>$/\1/p' "$(echo "$work"/memory/*/front.svg)" | tr -s ' \n' '\n\n' >"$work/caption"
sed '/^machine  /,$d' "$work/memory.txt" | tr -s ' \n' '\n\n' >"$work/words"
expect_same "$work/words" "$work/caption"

# As data, the same.
grep -q '"verdict": {' "$work"/memory/*/run.json || fail "run.json has no verdict"
grep -q '{"claim": "beaten", "machine": "sram 64 KiB, n_dram 1", "other": "sram 64 KiB, n_dram 2", "value": 0.00' \
	"$work"/memory/*/run.json || fail "run.json does not say who beats sram 64 KiB, n_dram 1"

# With prices of the event tier it says what is of which tier; with --verify what "depends" means.
"$DSE" explore tests/verdict/nothing.yaml -q -o "$work/limit" --detail fast >"$work/out" 2>"$work/err" || true
expect_text "$work/out" "Nothing fits: none of 4 machines has a design that keeps latency_ms <= 0.05."
expect_text "$(echo "$work"/limit/*/run.json)" "Smallest change of one limit"
"$DSE" explore tests/verdict/array.yaml -q -o "$work/event" >"$work/out"
expect_text "$work/out" "event tier"
# machines without a price were beaten in the fast tier, which alone is proven of them: the sentence says so, not the note alone
tr -s ' \n' ' ' <"$work/out" >"$work/words"
expect_text "$work/words" "8x4 is beaten everywhere by 16x2 in the fast tier, by 17 % at least, with"
expect_text "$work/words" "16x4 is beaten everywhere by 16x2 in the fast tier, by 3.2 % at least, too close to call (+-"
! grep -q 'in the fast tier' "$work/array.txt" || fail "a tier is named where there is one"

# Words of --verify are explained where they are printed, and only there.
"$DSE" explore tests/verdict/array.yaml -q -o "$work/verified" --detail fast --verify >"$work/out"
grep -Eq '^ *[0-9]+ .* depends( |,|$)' "$work/out" || fail "no point of the front depends on the tier"
[ "$(grep -c '^depends: on the front in the tier that searched; the event tier has another point that beats it$' "$work/out")" -eq 1 ] ||
	fail "'depends' stands in the table without an explanation below it"
"$DSE" explore tests/verdict/array.yaml -q -o "$work/unverified" --detail fast >"$work/out"
! grep -q 'depends' "$work/out" || fail "a word is explained that does not stand there"
# What the front's latencies are of stands below it, as with every latency of other commands.
grep -q "^latency of: fast tier, .*; mapping searched, each design its own (operating points: the knee's); without run-time overhead" \
	"$work/out" || fail "it is not said what latencies are of"

expect_text "$work/shown" "latency of: fast tier; mapping and operating points searched, each design its own; without run-time overhead"
# of a space whose objective is the run time, too
printf 'name: run\nmachine: final_chip\nnetwork: tiny\nlayers: [{match: ".*", split: even}]\nobjectives: [run_time_ms, energy_mj]\n' >"$work/run.yaml"
"$DSE" explore "$work/run.yaml" -q -o "$work/run" --detail fast >"$work/out"
grep -q "^latency of: fast tier, .* run-time overhead is in it$" "$work/out" || fail "it is not said what run times are of"

# What an interrupted search says first is the answer so far; that it was cut stands beside it.
"$DSE" explore tests/verdict/memory.yaml -q -o "$work/cut" --detail fast --max-evaluations 300 --store none >"$work/out"
head -1 "$work/out" | grep -q ' wins so far: fastest' || fail "a search that was cut short does not begin with what it found"
sed -n 2p "$work/out" | grep -qx 'The search was cut short: all of this is of what was seen\.' ||
	fail "that the search was cut short does not stand beside the answer"

if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	echo "SKIPPED: no script (util-linux) here to make a terminal"
	exit 0
fi
for columns in 60 80 100 200; do
	script -qec "stty cols $columns rows 40; NO_COLOR=1 TERM=dumb $DSE explore tests/verdict/memory.yaml --detail fast -q -o $work/memory" \
		/dev/null </dev/null | tr -d '\r' >"$work/screen"
	LC_ALL=C.UTF-8 awk -v n=$columns '/^Pareto/ { exit } length($0) > n { print; bad = 1 } END { exit bad }' "$work/screen" ||
		fail "the verdict is wider than $columns columns"
	expect_text "$work/screen" "wins: fastest"
done
