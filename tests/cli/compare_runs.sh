#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse compare: two runs of the store or of folders; what changed, what that did, and when it is worse.
. tests/cli/common
unset DSE_STORE
store=$work/results/dse.sqlite
mkdir "$work/machines" "$work/networks"
cp spaces/smoke.yaml "$work/space.yaml"
# Figures below are of these coefficients, which need not be the machine's.
sed 's/sram_read32_pj: 2.94/sram_read32_pj: 4.9/; s/sram_write32_pj: 2.94/sram_write32_pj: 4.9/; s/read128_pj: 10.06/read128_pj: 0/
	s/arm_clk_pj: [0-9][0-9.]*/arm_clk_pj: 0/' spaces/machines/dvfs_chip.yaml >"$work/machines/dvfs_chip.yaml"
cp spaces/networks/tiny.yaml "$work/networks/"

ask() {
	expect_code 0 "$DSE" explore "$work/space.yaml" --detail fast -q -o "$work/results"
}

# change FILE FROM TO: a text of one of the inputs.
change() {
	grep -qF -- "$2" "$work/$1" || fail "no '$2' in $1"
	sed "s/$2/$3/" "$work/$1" >"$work/changed"
	mv "$work/changed" "$work/$1"
}

# Of the same question nothing is to be told; names are those of dse runs, and of a space with ~1.
ask
ask
expect_code 0 "$DSE" compare last~1 smoke --store "$store"
expect_text "$work/out" "Nothing changed between them: the same inputs, options and program."
grep -Eq '^(before|now) .* exact, (fast|event) ' "$work/out" || fail "the tier is not named"
expect_text "$work/out" "6 designs before, 6 now: 6 the same, 0 moved, 0 lost, 0 gained"
expect_empty "$work/err"
expect_code 2 "$DSE" compare 1 smoke~2 --store "$store"
expect_text "$work/err" "has no run 'smoke~2'"
expect_code 5 "$DSE" compare 1 2 --store "$work/none.sqlite"
expect_code 2 "$DSE" compare 1 --store "$store"

# One constant of the machine: it is named and explains all; without tolerance the gate fails.
change machines/dvfs_chip.yaml "access_clk: 2 " "access_clk: 3 "
ask
expect_code 6 "$DSE" compare 1 last --store "$store"
expect_text "$work/out" "dvfs_chip.yaml  dram.access_clk       2    3  DRAM clocks"
expect_text "$work/out" "1  dram.access_clk     +5.98 %     100 %    +5.11 %     100 %      -31.9 %        0     0       3"
expect_text "$work/out" "6 designs before, 9 now: 0 the same, 6 moved, 0 lost, 3 gained"
# now, before and by how much, which is their ratio
sed -En 's/^run 3 is worse than run 1: the least latency_ms is ([0-9.]+), was ([0-9.]+): larger by ([0-9.]+) %.*/\1 \2 \3/p' \
	"$work/err" | awk '{n++; off = 100 * ($1 / $2 - 1) - $3} END {exit !(n == 1 && $1 > $2 && off < 2e-3 && off > -2e-3)}' ||
	fail "the least latency_ms: $(cat "$work/err")"
expect_code 6 "$DSE" compare 1 3 --store "$store" --tolerance 8
expect_text "$work/err" "the hypervolume is smaller by"
expect_code 0 "$DSE" compare 1 3 --store "$store" --tolerance 40
expect_code 0 "$DSE" compare 3 1 --store "$store"
expect_text "$work/out" "Now's front covers all of before's."
expect_code 2 "$DSE" compare 1 3 --store "$store" --tolerance -1

# A knob's list: which points are there only because of it. Files that are gone by now are in the store.
change space.yaml "8x4" "16x2"
ask
rm "$work/space.yaml" "$work/machines/dvfs_chip.yaml"
expect_code 0 "$DSE" compare 3 4 --store "$store"
expect_text "$work/out" "without 8x4  with 16x2"
expect_text "$work/out" "3 designs gained"
expect_text "$work/out" "1       not in before's space: mla.array is not 16x2 there"
expect_code 6 "$DSE" compare 1 4 --store "$store" --json -o "$work/compare.json"
expect_text "$work/compare.json" '"format": "dse compare 1"'
expect_text "$work/compare.json" '"worse": true'
expect_text "$work/compare.json" '"key": "axes.mla.array", "before": "[16x4, 8x4]"'
expect_text "$work/compare.json" '"added": "16x2", "removed": "8x4"'
! command -v python3 >/dev/null 2>&1 || python3 -m json.tool "$work/compare.json" >/dev/null || fail "no JSON"

# Folders say the same: inputs are in the store beside them. Without it nobody has them any more, and no cause is named.
folder=$(ls -td "$work"/results/smoke-*/ | head -n 1)
expect_code 0 "$DSE" compare "$folder" "$folder"
expect_text "$work/out" "Nothing changed between them"
expect_code 0 "$DSE" compare "$folder" "$folder" --store none
expect_text "$work/out" "What changed between them cannot be told: $work/space.yaml: as it was then it is not kept"
expect_text "$work/out" "9 designs before, 9 now: 9 the same"

# Another tier is a change like the others: it has a row, and each front is judged in its own, not called a search's fault.
cp spaces/machines/dvfs_chip.yaml "$work/machines/"
{
	sed 's/8x4/16x2/' spaces/smoke.yaml
	echo 'constraints: [latency_ms <= 0.3875]'
} >"$work/tier.yaml"
expect_code 0 "$DSE" explore "$work/tier.yaml" --detail fast -q -o "$work/tiers"
expect_code 0 "$DSE" explore "$work/tier.yaml" -q -o "$work/tiers" --detail event
expect_code 6 "$DSE" compare 1 2 --store "$work/tiers/dse.sqlite"
expect_text "$work/out" "1  detail  "
expect_text "$work/out" "3 designs lost"
expect_text "$work/out" "1       now: latency_ms is 0.38"
! grep -q "search" "$work/out" || fail "another tier is taken for a search's fault"

# Where values differ by less than the digits that are usual, what is printed differs, too.
cp spaces/smoke.yaml "$work/space.yaml"
cp spaces/machines/dvfs_chip.yaml "$work/machines/"
ask
sed -i 's/^    clk_mhz: 400$/    clk_mhz: 399.9999/' "$work/machines/dvfs_chip.yaml"
ask
expect_code 6 "$DSE" compare last~1 last --store "$store"
[ "$(grep -c '^least [a-z_]* ' "$work/out")" -ge 2 ] || fail "no least values"
awk '/^(least [a-z_]*|hypervolume) / {
	before = $(NF - 3); now = $(NF - 2)
	if (/^hypervolume/ || !/within/) if (before == now && $(NF - 1) != "0") { print; bad = 1 }
} END { exit bad }' "$work/out" >&2 || fail "two values that differ look alike"
sed -n 's/.* is \([0-9.e+-]*\), was \([0-9.e+-]*\): .*/\1 \2/p' "$work/err" >"$work/values"
[ -s "$work/values" ] && awk '$1 == $2 { exit 1 }' "$work/values" || fail "a value is worse than the same value"
