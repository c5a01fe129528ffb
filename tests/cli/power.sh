#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse power: scenarios and budgets, what is written, mistakes.
. tests/cli/common

# The DVFS paper's figure 4: VGG-16's second convolution in 1024 parts on 152 PEs, 6 loops and one of 112 tasks.
conv_1_2="dvfs_chip vgg16 --layers ^CONV_2\$ --tasks --parts 1024 --per-loop"
# shellcheck disable=SC2086
expect_code 0 "$DSE" power $conv_1_2 --ratio 0.875 --budget-frac 0.583 -o "$work/four"
grep -Eq 'CONV_2 +loop +4 +PL1 .* 152 ' "$work/out" || fail "4 loops at PL1"
grep -Eq 'CONV_2 +last loop +1 +PL2 .* 112 ' "$work/out" || fail "112 tasks in the last loop"
grep -Eq '^best \(exact\) +yes .* 7\.3[0-9] ' "$work/out" || fail "7.4 % saved by 4 loops"
for file in schedule.csv power.json power.svg; do
	[ -s "$work/four/$file" ] || fail "$file is missing"
done
if [ -e "$work/four/front.csv" ]; then fail "front.csv without --front"; fi
expect_text "$work/four/power.svg" "deadline"
[ "$(wc -l <"$work/four/schedule.csv")" -eq 4 ] || fail "header and three rows in schedule.csv"

# Figure 5: all convolutions at the paper's relative budget.
expect_code 0 "$DSE" power dvfs_chip vgg16 --layers '^CONV_' --tasks --ratio 0.875 --budget-frac 0.583 --no-sleep
grep -Eq '^best \(exact\) +yes .* 7\.[0-5][0-9] ' "$work/out" || fail "about 7 % saved"
grep -Eq '^PL1 alone .* 12\.50 ' "$work/out" || fail "at most 12.5 % saved"

# Every scenario; the same bytes for any number of threads.
for scenario in "--scenario speed" "--scenario energy" "--budget-ms 38" "--budget-mj 27" "--budget-mw 1200" \
	"--average-mw 700" "--budget-ms 38 --budget-mw 1200 --no-sleep" "--scenario energy --budget-ms 40"; do
	# shellcheck disable=SC2086
	expect_code 0 "$DSE" power dvfs_chip vgg16 $scenario --json -j1
	cp "$work/out" "$work/one"
	# shellcheck disable=SC2086
	expect_code 0 "$DSE" power dvfs_chip vgg16 $scenario --json -j2
	expect_same "$work/one" "$work/out"
	expect_text "$work/out" '"exact": true'
	if grep -Eq 'nan|[^[:alpha:]]-[0-9]' "$work/out"; then fail "negative or NaN: $scenario"; fi
done
expect_code 0 "$DSE" power thesis_qpe_dram tiny --per-loop --front -o "$work/front"
[ -s "$work/front/front.csv" ] || fail "front.csv is missing"
expect_code 0 "$DSE" power final_chip resnet50 --per-loop --budget-frac 0.5 --strategy fusion -q

# ARADA's rule, layer by layer, beside the best schedule: what dse/README.md says of VGG-16.
expect_code 0 "$DSE" power dvfs_chip vgg16 --budget-frac 0
expect_text "$work/out" "; ARADA's rule, layer by layer, is 0 % above it"
expect_code 0 "$DSE" power dvfs_chip vgg16 --budget-frac 0.05
grep -Eq "^ARADA's rule +yes .* 29\.087 +0\.00 " "$work/out" || fail "ARADA's rule saves nothing"
grep -Eq '^best \(exact\) +yes .* 27\.684 +4\.82 ' "$work/out" || fail "the best schedule saves 4.82 %"

# What its times are of, as of every latency: tier, mapping, run-time overhead, operating points (U4 of the review).
for machine in dvfs_chip final_chip; do
	expect_code 0 "$DSE" power $machine tiny --scenario speed
	grep -Eq "^tiny on $machine, fast tier; 3 pieces of work; mapping by rules \(the splitter's splits\); without run-time overhead" "$work/out" ||
		fail "it is not said what times are of"
	grep -Eq '^levels [A-Za-z0-9]+ \(0\.[0-9]+ V, [0-9]+ MHz' "$work/out" || fail "operating points are not named"
done

# Mistakes.
expect_code 2 "$DSE" power dvfs_chip vgg16 --scenario sped
expect_text "$work/err" "did you mean 'speed'?"
expect_code 2 "$DSE" power dvfs_chip vgg16 --scenario time
expect_text "$work/err" "--scenario time needs --budget-ms or --budget-frac"
expect_code 2 "$DSE" power dvfs_chip vgg16 --scenario power
expect_text "$work/err" "needs --budget-mw or --average-mw"
expect_code 2 "$DSE" power dvfs_chip vgg16 --scenario energy-budget
expect_text "$work/err" "needs --budget-mj"
expect_code 2 "$DSE" power dvfs_chip vgg16 --levels PL1,PL3
expect_text "$work/err" "--levels is 'PL3', allowed are PL1, PL2"
expect_code 2 "$DSE" power dvfs_chip vgg16 --budget-ms -3
expect_code 2 "$DSE" power dvfs_chip vgg16 --budget-ms 3 --budget-frac 0.5
expect_code 2 "$DSE" power dvfs_chip vgg16 --ratio 0.9 --levels PL1
expect_text "$work/err" "--ratio is of the energies at two levels, found 1"
expect_code 2 "$DSE" power dvfs_chip vgg16 --tasks --detail event
expect_code 0 "$DSE" power dvfs_chip vgg16 --tasks --detail greybox --per-loop -q
expect_code 2 "$DSE" power dvfs_chip vgg16 --parts 0
expect_code 2 "$DSE" power dvfs_chip
expect_text "$work/err" "found 1 files"
expect_code 2 "$DSE" power dvfs_chip vgg16 --layers NONE
expect_code 4 "$DSE" power dvfs_chip vgg16 --budget-ms 1
expect_text "$work/err" "deadline 1 ms: the fastest schedule takes"
expect_code 4 "$DSE" power dvfs_chip vgg16 --budget-mw 100
expect_text "$work/err" "peak 100 mW: the flattest schedule has"
expect_code 4 "$DSE" power dvfs_chip vgg16 --average-mw 100
expect_text "$work/err" "average 100 mW: no schedule has less than"
expect_code 4 "$DSE" power dvfs_chip vgg16 --layers '^CONV_2$' --tasks --parts 997
expect_text "$work/err" "the nearest that does has"
expect_code 5 "$DSE" power dvfs_chip tiny -o /dev/null/x

# Analyses, as table, CSV and JSON.
for question in pairs clock switch sensitivity; do
	# shellcheck disable=SC2086
	expect_code 0 "$DSE" power $conv_1_2 --budget-frac 0.583 --analyse "$question" -q -o "$work/$question"
	[ -s "$work/$question/analysis.csv" ] || fail "analysis.csv of $question is missing"
	[ "$question" != clock ] || grep -q "TOPS/W" "$work/clock/efficiency.svg" || fail "no picture of TOPS/W"
	expect_text "$work/$question/power.json" "\"question\": \"$question\""
	if grep -q nan "$work/$question/analysis.csv"; then fail "NaN in $question"; fi
done
expect_text "$work/out" "all levels.sram_read32_pj (pJ)"
expect_code 0 "$DSE" power dvfs_chip tiny --analyse pairs --per-loop
# Layers of fewer tasks than PEs are one loop of all of them.
expect_code 0 "$DSE" power dvfs_chip mlp_784_512_256_16 --per-loop
expect_code 0 "$DSE" power dvfs_chip tiny --strategy no_fusion --per-loop
expect_code 2 "$DSE" power dvfs_chip tiny --analyse pair
expect_text "$work/err" "did you mean 'pairs'?"

# --search: the fastest schedule is the fastest design that an exploration finds; with a deadline nothing is worse than
# with the splitter's designs.
cat >"$work/two.yaml" <<'YAML'
name: two
input: [12, 12, 3]
layers:
  - conv: {kernel: 3, out_channels: 8}
  - fc: {out: 16, activation: none}
YAML
cat >"$work/fastest.yaml" <<'YAML'
name: fastest
machine: dvfs_chip
network: two.yaml
layers: [{match: '.*', split: all}]
objectives: [latency_ms]
YAML
expect_code 0 "$DSE" explore "$work/fastest.yaml" --detail fast -o "$work/results"
least=$(tail -n 1 "$work"/results/fastest-*/front.csv | cut -d, -f2 | awk '{ printf "%.12g", $1 }')
expect_code 0 "$DSE" power dvfs_chip "$work/two.yaml" --search --scenario speed --json
expect_text "$work/out" "\"time_ms\": $least"
expect_code 0 "$DSE" power dvfs_chip "$work/two.yaml" --search --budget-frac 0.4 --front
expect_text "$work/out" "designs to choose from"
expect_code 0 "$DSE" power dvfs_chip "$work/two.yaml" --search --budget-mw 1000 -q
expect_code 2 "$DSE" power dvfs_chip "$work/two.yaml" --search --per-loop
expect_text "$work/err" "dse power --point FRONT.json:ID"
expect_code 2 "$DSE" power dvfs_chip "$work/two.yaml" --search --average-mw 500
# A level alone has the same freedom as the best schedule: it is the best schedule when only that level may be used.
# What is proven best is best with results where the fastest design has them, and the output says so.
of_level() {
	sed -n "/\"$1\": {/,/}/p" "$work/out" | sed -n "s/.*\"$2\": \([-0-9.e]*\).*/\1/p"
}
for options in "--budget-ms 1" "--budget-ms 1 --no-sleep" "--scenario energy" "--scenario speed" "--budget-mj 0.05"; do
	# shellcheck disable=SC2086
	expect_code 0 "$DSE" power dvfs_chip "$work/two.yaml" --search $options --json
	alone=$(of_level alone_PL1 energy_mj)
	[ -n "$alone" ] || fail "no PL1 alone with $options"
	expect_text "$work/out" '"exact_within": "all designs whose results lie where the fastest design has them'
	# shellcheck disable=SC2086
	expect_code 0 "$DSE" power dvfs_chip "$work/two.yaml" --search $options --levels PL1 --json
	[ "$alone" = "$(of_level best energy_mj)" ] || fail "PL1 alone with $options"
	[ "$(of_level best saving_pct)" = 0.0 ] || fail "nothing is saved over the same: $options"
done
expect_code 0 "$DSE" power dvfs_chip "$work/two.yaml" --search --budget-ms 1
expect_text "$work/out" "asleep until the deadline, which counts"
expect_text "$work/out" "best (exact, places fixed)"

# Without a schedule: why, as JSON, too.
expect_code 4 "$DSE" power dvfs_chip vgg16 --budget-ms 1 --json
expect_text "$work/out" '"feasible": false'
expect_text "$work/out" '"deadline 1 ms: the fastest schedule takes'
grep -Eq '"least_time_ms": [1-9]' "$work/out" || fail "the least deadline"
expect_code 4 "$DSE" power dvfs_chip tiny --search --budget-mw 10 --json
expect_text "$work/out" '"no design of tiny runs on dvfs_chip: layer CONV_3 has no design; nearest: fusion'

# Levels that the machine's power lanes do not supply are not used.
mkdir "$work/machines"
sed 's/^  n_lane: 2/  n_lane: 2\n  lanes: 5/' spaces/machines/dvfs_table.yaml >"$work/machines/dvfs_table.yaml"
expect_code 0 "$DSE" power "$work/machines/dvfs_table.yaml" tiny --budget-ms 0.3
if grep -Eq '^(V500|V600) alone' "$work/out"; then fail "levels that are not supplied"; fi
expect_code 2 "$DSE" power "$work/machines/dvfs_table.yaml" tiny --levels V450,V500
expect_text "$work/err" "do not supply V500"

# Four voltages, two power lanes: no schedule uses more than two of them, and which is exhaustively the best pair.
expect_code 0 "$DSE" power dvfs_table vgg16 --budget-ms 38 --analyse pairs -o "$work/table"
[ "$(tail -n +2 "$work/table/schedule.csv" | cut -d, -f5 | sort -u | tr '\n' ' ')" = "V450 V550 " ] || fail "two levels"
[ "$(sed -n 2p "$work/table/analysis.csv" | cut -d, -f1)" = "V450 + V550" ] || fail "the best pair"

# A mapping's work is its designs': of the splitter's mapping the same schedule as without it; some layers; mistakes.
expect_code 0 "$DSE" map dvfs_chip tiny --split thesis --levels PL1 -o "$work/mapped" -q
expect_code 0 "$DSE" power dvfs_chip tiny --budget-frac 0.5 -q
cp "$work/out" "$work/wanted"
expect_code 0 "$DSE" power --mapping "$work/mapped/mapping.yaml" --budget-frac 0.5 -q
expect_same "$work/wanted" "$work/out"
expect_code 0 "$DSE" power --mapping "$work/mapped/mapping.yaml" --layers CONV -q
expect_code 2 "$DSE" power --mapping "$work/mapped/mapping.yaml" --parts 4
expect_text "$work/err" "--mapping fixes layers"
