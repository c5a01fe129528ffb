#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse nightly: ten nights without a change pass, a changed constant fails and is named, and nothing done is lost.
. tests/cli/common
unset DSE_STORE
results=$work/results
store=$results/dse.sqlite
mkdir "$work/spaces"
cp spaces/machines/dvfs_chip.yaml spaces/networks/tiny.yaml "$work/spaces"
sed -e 's/name: smoke/name: exact/' -e 's/dvfs_chip/dvfs_chip.yaml/' -e 's/network: tiny/network: tiny.yaml/' \
	spaces/smoke.yaml >"$work/spaces/exact.yaml"
sed -e 's/name: exact/name: exhaustive/' -e '/^axes/,/array/d' -e '/^objectives/a search: {engine: exhaustive}' \
	"$work/spaces/exact.yaml" >"$work/spaces/exhaustive.yaml"
cat >"$work/spaces/nsga2.yaml" <<-EOF
	name: nsga2
	machine: dvfs_chip.yaml
	network: tiny.yaml
	layers: [{match: '.*', split: even, level: PL2}]
	objectives: [latency_ms, energy_mj]
	search: {engine: nsga2, seed: 3, population: 8, generations: 4, max_evaluations: 600}
EOF

# night DATE OPTION...: all three spaces.
night() {
	date=$1
	shift
	"$DSE" nightly "$work"/spaces/exact.yaml "$work"/spaces/nsga2.yaml "$work"/spaces/exhaustive.yaml --date "$date" -o "$results" \
		--tables none --seeds 3 -q --tolerance "${tolerance-0}" "$@"
}
# runs: how many lines dse runs prints.
runs() {
	"$DSE" runs --last 0 --store "$store" -q | wc -l
}
page=$results/nightly/2026-01-11

# Ten nights without a change. From the fourth on a comment is another one each night, so that nothing is known to be the
# same but for what the seeds' noise tells.
for day in 01 02 03 04 05 06 07 08 09 10; do
	[ $day -le 03 ] || echo "# night $day" >>"$work/spaces/nsga2.yaml"
	expect_code 0 night 2026-01-$day
done
expect_text "$work/out" "exact            same     the same 9 points as run "
expect_text "$work/out" "nsga2            alike    within the noise of "
expect_text "$results/nightly/2026-01-10/junit.xml" 'tests="3" failures="0"'
expect_text "$results/nightly/2026-01-10/nightly.json" '"passes": true'

# A search that is worse by more than its seeds explain, on the same machine: found by its noise alone.
sed -i 's/max_evaluations: 600/max_evaluations: 60/' "$work/spaces/nsga2.yaml"
expect_code 6 night 2026-01-11
expect_text "$work/out" "exact            same "
expect_text "$work/out" "earlier seeds explain: by chance only once in "
expect_text "$work/out" "search.max_evaluations: 600 -> 60"
sed -i 's/max_evaluations: 60/max_evaluations: 600/' "$work/spaces/nsga2.yaml"

# One constant of the machine: the gate fails, names points and constant, for people, programs, and CI.
sed -i 's/hop_clk: 4 /hop_clk: 5 /' "$work/spaces/dvfs_chip.yaml"
expect_code 6 night 2026-01-11
expect_text "$work/out" "exact            worse    9 of 9 points of run "
expect_text "$work/out" "nsga2            worse    "
expect_text "$work/out" "exhaustive       worse    "
[ "$(grep -c "points lost: [0-9]" "$work/out")" -eq 3 ] || fail "points are not named"
[ "$(grep -c "changed: .*dvfs_chip.yaml noc.hop_clk: 4 -> 5" "$work/out")" -eq 3 ] || fail "the constant is not named"
expect_text "$page/junit.xml" "noc.hop_clk: 4 -&#62; 5; latency +"
expect_text "$page/junit.xml" 'failures="3"'
expect_text "$page/junit.xml" "lost: point 0 of run "
expect_text "$page/nightly.json" '"n_lost": 6'
expect_text "$page/index.html" "dse nightly 1"

# It was meant: accepted, with a note, without searching again; the next night is compared with this one.
expect_code 6 night 2026-01-11 --accept exact --note 'slow <routers>'
expect_text "$work/out" "exact            accepted accepted: slow <routers> (9 of 9"
expect_text "$page/junit.xml" 'slow &#60;routers&#62;'
expect_code 0 night 2026-01-11 --accept nsga2 --accept exhaustive
expect_text "$work/out" "exact            accepted accepted: slow <routers>"
expect_code 0 night 2026-01-12
expect_text "$work/out" "exact            same "
n_run=$(runs)
expect_code 0 night 2026-01-12
[ "$(runs)" -eq "$n_run" ] || fail "a finished night is searched again"

# The constant as it was: nothing is lost, and better is no failure; what has changed is said. What the gate needs is not
# pruned away.
sed -i 's/hop_clk: 5 /hop_clk: 4 /' "$work/spaces/dvfs_chip.yaml"
expect_code 0 "$DSE" runs prune --keep 0 --yes --store "$store"
[ "$(runs)" -lt "$n_run" ] || fail "nothing is pruned"
expect_code 0 night 2026-01-13
expect_text "$work/out" "exact            better   nothing is lost, and 9 points are better"
expect_text "$work/out" "nsga2            better   "
[ "$(grep -c "changed: .*dvfs_chip.yaml noc.hop_clk: 5 -> 4" "$work/out")" -eq 3 ] || fail "what made it better is not named"
expect_text "$results/nightly/2026-01-13/junit.xml" 'failures="0"'

# Worse, or better, by no more than is tolerated: it passes, but is compared with no later night, or small losses would add up.
clock() {
	sed -i "s/^    clk_mhz: $1\$/    clk_mhz: $2/" "$work/spaces/dvfs_chip.yaml"
}
clock 400 399.99
expect_code 6 night 2026-01-13
expect_text "$work/out" "exact            worse    "
tolerance=0.004
expect_code 0 night 2026-01-13
expect_text "$work/out" "exact            alike    every point within 0.004 % of run "
clock 399.99 399.98
expect_code 6 night 2026-01-14
expect_text "$work/out" "exact            worse    "
# By objective: of those that are not named what is tolerated without it.
tolerance=latency_ms=0.01,energy_mj=0.02%
expect_code 0 night 2026-01-14
expect_text "$work/out" "exact            alike    every point within 0.01 % (latency_ms), 0.02 % (energy_mj), 0 % (mac_units) of"
tolerance=latency_ms=0.004,energy_mj=5
expect_code 6 night 2026-01-14
expect_text "$work/out" "exact            worse    "
tolerance=latency_ms=5,energy_mj=0
expect_code 6 night 2026-01-14
expect_code 2 "$DSE" nightly "$work/spaces/exact.yaml" -o "$results" --tolerance latency=1,energy_mj=x
expect_text "$work/err" "did you mean 'latency_ms'?"
expect_text "$work/err" "is 'x', allowed are percentages"
# Without --tolerance a space's resolution is what is tolerated, else how sure the model is, and of counts nothing.
only_exact() {
	"$DSE" nightly "$work/spaces/exact.yaml" --date 2026-01-14 -o "$results" --tables none -q
}
sed -i '/^objectives/a resolution: 0.01 %' "$work/spaces/exact.yaml"
expect_code 0 only_exact
expect_text "$work/out" "exact            alike    every point within 0.01 % of run "
sed -i '/^resolution/d' "$work/spaces/exact.yaml"
expect_code 0 only_exact
expect_text "$work/out" " % (energy_mj), 0 % (mac_units) of run "
python3 - "$results/nightly/2026-01-14/nightly.json" <<'END' || fail "what the model is sure of is not what is tolerated"
import json, sys
space, = [s for s in json.load(open(sys.argv[1]))["spaces"] if s["space"] == "exact"]
latency, energy, units = space["tolerance_pct"]
assert 0 < latency < 10 and latency == energy and units == 0, space["tolerance_pct"]
assert space["n_lost"] == 0 and space["n_gained"] == 0
END
tolerance=0
clock 399.98 400
expect_code 0 night 2026-01-14

# Spaces that are wrong, or without a design, do not keep the others from being judged.
sed 's/name: exact/name: infeasible/; /^objectives/i constraints: [latency_ms <= 0.0001]' "$work/spaces/exact.yaml" \
	>"$work/spaces/infeasible.yaml"
echo 'name: [' >"$work/spaces/bad.yaml"
expect_code 3 "$DSE" nightly "$work/spaces/bad.yaml" "$work/spaces/exact.yaml" --date 2026-01-14 -o "$results" --tables none
expect_text "$work/out" "bad.yaml failed "
expect_text "$work/out" "exact            same "
expect_text "$results/nightly/2026-01-14/junit.xml" 'tests="2" failures="1"'
expect_code 4 "$DSE" nightly "$work/spaces/infeasible.yaml" --date 2026-01-14 -o "$results" --tables none
expect_text "$work/out" "no feasible design"
expect_code 3 "$DSE" nightly "$work/spaces/exact.yaml" "$work/spaces/exact.yaml" --date 2026-01-14 -o "$results" --tables none
expect_text "$work/err" "another space of this night is called 'exact', too"

# Models' errors; JSON instead of lines.
expect_code 0 "$DSE" nightly "$work/spaces/exact.yaml" --date 2026-01-14 -o "$results" --tables tests/reference/pe_tasks.csv \
	--json -q
expect_text "$work/out" '"table": "pe_tasks.csv"'
expect_text "$work/out" '"mean_abs_error_pct": '

# A night that is killed goes on where it was, with the searches that were done.
n_before=$(runs)
cp "$store" "$store.before"
"$DSE" nightly "$work"/spaces/nsga2.yaml --date 2026-01-15 -o "$results" --tables none --seeds 12 -q >"$work/out" 2>&1 &
night=$!
until [ "$(runs)" -gt $((n_before + 2)) ]; do
	kill -0 $night 2>/dev/null || fail "the night was over before it was killed"
	sleep 0.02
done
kill -9 $night
wait $night 2>/dev/null || :
expect_code 0 "$DSE" nightly "$work"/spaces/nsga2.yaml --date 2026-01-15 -o "$results" --tables none --seeds 12 -q
[ "$(grep -c '"seed"' "$results/nightly/2026-01-15/nightly.json")" -eq 13 ] || fail "not all seeds are there"
[ $(($(runs) - n_before)) -le 14 ] || fail "the night began anew"
# Its verdict is that of a night that nothing interrupted, and so is that of the night looked at once more.
verdict() {
	python3 -c 'import json, sys
for space in json.load(open(sys.argv[1]))["spaces"]:
    print(space["space"], space["verdict"], space["why"], space["n_lost"], space["measures"])' "$1"
}
verdict "$results/nightly/2026-01-15/nightly.json" >"$work/verdict"
expect_code 0 "$DSE" nightly "$work"/spaces/nsga2.yaml --date 2026-01-15 -o "$results" --tables none --seeds 12 -q
verdict "$results/nightly/2026-01-15/nightly.json" | cmp -s - "$work/verdict" || fail "a night looked at again has another verdict"
mkdir "$work/whole"
cp "$store.before" "$work/whole/dse.sqlite"
expect_code 0 "$DSE" nightly "$work"/spaces/nsga2.yaml --date 2026-01-15 -o "$work/whole" --tables none --seeds 12 -q
verdict "$work/whole/nightly/2026-01-15/nightly.json" | cmp -s - "$work/verdict" || fail "a night that went on has another verdict"

# Ctrl-C: what is done is told, 130, and the same night goes on.
rm "$work/out"
"$DSE" nightly "$work"/spaces/exact.yaml "$work"/spaces/nsga2.yaml --date 2026-01-16 -o "$results" --tables none --seeds 100 \
	-q >"$work/out" 2>"$work/err" &
night=$!
until [ -s "$work/out" ]; do
	sleep 0.02
done
kill -TERM $night
code=0
wait $night || code=$?
[ $code -eq 130 ] || fail "exit $code instead of 130"
expect_text "$work/err" "the same command with --date 2026-01-16 goes on"
expect_text "$results/nightly/2026-01-16/junit.xml" 'tests="2" failures="0" errors="0" skipped="1"'
expect_code 0 night 2026-01-16
expect_text "$work/out" "exact            same "

# Slips.
expect_code 2 night 2026-02-30
expect_text "$work/err" "allowed is a day as YYYY-MM-DD"
expect_code 2 night 2026-01-17 --store none
expect_text "$work/err" "compares with what the store has"
expect_code 2 night 2026-01-17 --seeds 2
expect_code 2 night 2026-01-13 --accept nobody
expect_text "$work/err" "no space of this night has that name"
expect_code 2 night 2026-01-17 --note 'of nothing'
expect_text "$work/err" "it goes with --accept"

# No machine holds a tile any more: that is no percentage.
sed -i 's/sram_byte: 98304/sram_byte: 1024/' "$work/spaces/dvfs_chip.yaml"
expect_code 6 "$DSE" nightly "$work/spaces/exact.yaml" --date 2026-01-17 -o "$results" --tables none -q
expect_text "$work/out" "exact            worse    no design is left of the 9 points of run "
