#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Spaces without a feasible design: exit 4, how many designs break which limit, and what came nearest.
. tests/cli/common

# space CONSTRAINT: the smoke space with one more condition.
space() {
	sed 's/^name: smoke/name: none/' spaces/smoke.yaml >"$work/none.yaml"
	printf 'constraints:\n  - %s\n' "$1" >>"$work/none.yaml"
}
mkdir "$work/machines" "$work/networks"
cp spaces/machines/dvfs_chip.yaml "$work/machines"
cp spaces/networks/tiny.yaml "$work/networks"

# dies REASON MISS OPTION...
dies() {
	reason=$1
	miss=$2
	shift 2
	expect_code 4 "$DSE" explore "$work/none.yaml" --detail fast -o "$work/results" "$@"
	expect_text "$work/out" "No feasible design"
	expect_text "$work/out" "$reason"
	tr -s ' \n' ' ' <"$work/out" >"$work/words"
	grep -Eq "Closest in the search is [^:]*: $miss" "$work/words" || fail "not said first: $miss"
	if grep -q "Nearest miss" "$work/out"; then fail "of one limit the same is said twice"; fi
	expect_text "$work/out" "Smallest change of one limit that lets something through"
	expect_text "$work/err" "no feasible design"
	rm -rf "$work/results"
}

space 'latency_ms <= 0.3'
dies latency_ms 'over latency_ms <= 0.3 by [0-9.]+ %, as it takes 0.[0-9]+ ms at least\.'
dies latency_ms 'layer CONV_1: latency_ms is 0.[0-9]+, limit 0.3\.' --flat
space 'latency_ms <= 0.001'
dies latency_ms 'layer CONV_[0-9] has no design; nearest: fusion.*, width [0-9]+\*.* height .* out_channels .* in_channels .*; latency_ms is 0.[0-9]+, limit 0.001\.'
space 'sram_used_frac <= 0.01'
dies sram_used_frac 'layer .*; sram_used_frac is [0-9.]+, limit 0.01\.'
space 'mac_units <= 100'
dies mac_units 'over mac_units <= 100 by 4764 %, as it has 4864\.'
space 'sram_byte <= 12MiB' # whole numbers of bytes, as they are
dies sram_byte 'over sram_byte <= 12582912 by 18.7 %, as it has 14942208 byte\.'
space 'edp_mj_ms <= 0.0001'
dies edp_mj_ms 'over edp_mj_ms <= 0.0001 by [0-9]+ %, as it takes 0.0[0-9]+ mJ ms\.'

# Of several limits it is said of each how near it is.
space 'latency_ms <= 0.3'
echo '  - energy_mj <= 0.12' >>"$work/none.yaml"
expect_code 4 "$DSE" explore "$work/none.yaml" --detail fast -o "$work/results"
tr -s ' \n' ' ' <"$work/out" >"$work/words"
grep -Eq "Nearest miss: dvfs_chip, mla.array 16x4 tiny: latency_ms at least 0.37[0-9]*, limit 0.3; energy_mj at least 0.12[0-9]*, limit 0.12;" \
	"$work/words" || fail "limits are not told one by one"

# Every machine refused by a rule on machines.
space 'chip.n_dram >= 100'
expect_code 4 "$DSE" explore "$work/none.yaml" --detail fast -o "$work/results"
expect_text "$work/out" "chip.n_dram >= 100"
for options in "" --flat; do
	space 'pe.sram_byte < 10'
	dies 'pe.sram_byte < 10' "constraint 'pe.sram_byte < 10': left side 98304, right side 10\\." $options
done

# As JSON, too; and no empty front takes the place of an older one.
space 'latency_ms <= 0.3'
expect_code 4 "$DSE" explore "$work/none.yaml" --detail fast -o "$work/results" --json
expect_text "$work/out" '"nearest_miss"'
expect_text "$work/out" '"changes_of_one_limit"'
expect_text "$work/out" '"smallest": true'
expect_text "$work/out" '/run.json"'
! grep -qF '/front.' "$work/out" || fail "files are listed that were not written"
[ ! -e "$(echo "$work/results"/none-*)/front.csv" ] || fail "an empty front was written"

# What the table says a limit would have to be does let something through.
space 'latency_ms <= 0.3'
expect_code 4 "$DSE" explore "$work/none.yaml" --detail fast -o "$work/results"
needed=$(tr -s ' \n' ' ' <"$work/out" | sed 's/.*latency_ms <= 0.3 would have to be at least \([0-9.]*\) .*/\1/')
space "latency_ms <= $needed"
expect_code 0 "$DSE" explore -q "$work/none.yaml" --detail fast -o "$work/results"

# So does the SRAM, here that of an axis.
space 'latency_ms <= 0.5'
sed -i 's/^  mla.array: .*/  pe.sram_byte: [1024, 2048]/' "$work/none.yaml"
expect_code 4 "$DSE" explore "$work/none.yaml" --detail fast -o "$work/results"
needed=$(tr -s ' \n' ' ' <"$work/out" | sed 's/.*pe.sram_byte 2048 -> \([0-9]*\) (by .*/\1/')
for byte in "$needed" $((needed - 1)); do
	sed -i "s/^  pe.sram_byte: .*/  pe.sram_byte: [$byte]/" "$work/none.yaml"
	expect_code $((byte == needed ? 0 : 4)) "$DSE" explore -q "$work/none.yaml" --detail fast -o "$work/results"
done

# The verdict comes first, with what is proven of it; the advice after it.
space 'latency_ms <= 0.3'
expect_code 4 "$DSE" explore "$work/none.yaml" --detail fast -o "$work/results"
expect_text "$work/out" "certificate: exact, every "
awk '/^Nothing fits: none of 2 machines has a design that keeps latency_ms <= 0.3/ { verdict = NR } /One limit changed, all others as they are/ { advice = NR }
	END { exit !(verdict == 1 && advice > verdict) }' "$work/out" || fail "the verdict is not what comes first"
expect_text "$work/out" "No feasible design"

# That nothing fits is audited like a front.
expect_code 4 "$DSE" explore "$work/none.yaml" --detail fast -o "$work/results" --audit
expect_text "$work/out" "audited by brute force over all 512 whole designs"
expect_text "$work/out" "Audit: no fault found"

# Limits that a few designs keep are kept by composition of few points, too: nothing is thinned out before bounds on what
# follows have cut what cannot keep them.
vgg16() {
	printf '%s\n' 'name: vgg16_limits' 'machine: dvfs_chip' 'networks: [vgg16]' 'layers:' "  - {match: '.*', split: even, conv_1x1: conv}" \
		'objectives: [latency_ms, energy_mj]' 'network_result: any' "$@" >"$work/vgg16.yaml"
}
vgg16 'constraints: [latency_ms <= 35.4278, energy_mj <= 26.3682]' 'search: {max_front: 20}'
expect_code 0 "$DSE" explore "$work/vgg16.yaml" --detail fast -o "$work/results"
expect_text "$work/out" "35.423"
expect_text "$work/out" "fast tier: 5 designs"
expect_text "$work/out" "certificate: exact, every listed design is accounted for"

# The printed figures of a design, as limits, find that design again: those of front.csv and those of the table.
vgg16
rm -rf "$work/results"
expect_code 0 "$DSE" explore "$work/vgg16.yaml" --detail fast -o "$work/results"
awk '$2 ~ /^[0-9.]+$/ && $4 ~ /^[0-9.]+$/ && $1 ~ /^[0-9]+$/ { print $1, $2, $4 }' "$work/out" | sed -n '2p;9p' >"$work/limits"
awk -F, 'NR % 2000 == 5 { print $1, $2, $3 }' "$work"/results/vgg16_limits-*/front.csv >>"$work/limits"
[ "$(wc -l <"$work/limits")" -ge 4 ] || fail "too few designs to take limits from"
while read -r id latency energy; do
	vgg16 "constraints: [latency_ms <= $latency, energy_mj <= $energy]" 'search: {max_front: 8}'
	expect_code 0 "$DSE" explore -q "$work/vgg16.yaml" --detail fast -o "$work/results"
done <"$work/limits"
