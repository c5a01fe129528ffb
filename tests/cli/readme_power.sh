#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# results/STUDIES.md's tables of levels by PE: the DVFS paper's scenarios by domain, and reuse at no loss of time.
. tests/cli/common

# row NAME: the cells of a table's row, one a line.
row() {
	grep -E "^\| $1(, [^|]*)? \|" results/STUDIES.md | head -n 1 | tr '|' '\n' | sed 's/^ *//; s/ *$//; /^$/d'
}

# has ROW CELL VALUE UNIT: the value, as the cell rounds it, stands there with its unit.
has() {
	cell=$(row "$1" | sed -n "$2p")
	said=$(echo "$cell" | grep -oE "[0-9.]+ $4" | head -n 1 | sed "s/ $4//")
	[ -n "$said" ] || fail "$1: no $4 in '$cell'"
	digits=$(echo "$said" | sed 's/.*\.//' | tr -d '\n' | wc -c)
	[ "$(printf '%.*f' "$digits" "$3")" = "$said" ] || fail "$1, column $2: '$cell', measured $3 $4"
}

expect_code 0 "$DSE" power dvfs_chip vgg16 --layers '^CONV_' --tasks --domain pe --budget-frac 0.583 --budget-mw 1500 --no-sleep \
	--analyse domains -q -o "$work/domains"
measured() {
	awk -F, -v key="$1 by $2" -v column="$3" '$1 == key { print $column }' "$work/domains/analysis.csv"
}
has speed 2 "$(measured speed chip 2)" ms
has energy 2 "$(measured energy chip 2)" ms
for scenario in speed energy 'limited time' 'limited power'; do
	has "$scenario" 2 "$(measured "$scenario" chip 3)" mJ
done
column=3
for domain in qpe pe; do
	for scenario in speed 'limited time' 'limited power'; do
		has "$scenario" $column "$(measured "$scenario" $domain 3)" mJ
	done
	has 'limited power' $column "$(measured 'limited power' $domain 2)" ms
	has both $column "$(measured 'limited both' $domain 3)" mJ
	column=$((column + 1))
done
awk -v a="$(measured energy pe 3)" -v b="$(measured energy chip 3)" 'BEGIN { exit !((a / b - 1) ^ 2 < 1e-12) }' ||
	fail "energy by PE is not the chip's"
[ -z "$(measured 'limited both' chip 2)" ] || fail "both budgets can be kept chip-wide"
has 'limited power' 2 "$(measured 'limited power' chip 2)" ms

for network in VGG-16 ResNet-50 MobileNetV2; do
	case $network in VGG-16) name=vgg16 ;; ResNet-50) name=resnet50 ;; *) name=mobilenet_v2 ;; esac
	column=1
	for domain in chip qpe pe; do
		column=$((column + 1))
		expect_code 0 "$DSE" power dvfs_chip $name --per-loop --budget-frac 0 --no-sleep --domain $domain -q -o "$work/reuse"
		saved=$(sed -n '/"best": {/,/}/p' "$work/reuse/power.json" | sed -n 's/.*"saving_pct": \([-0-9.e]*\).*/\1/p')
		said=$(sed -n '/at no loss of time,$/,/^Chip-wide/p' results/STUDIES.md | grep "^| $network |" | cut -d'|' -f$((column + 1)) | tr -d ' %')
		awk -v a="$saved" -v b="$said" 'BEGIN { exit !(b != "" && (a - b) ^ 2 <= 0.0051 ^ 2) }' ||
			fail "$network by $domain: $saved %, in results/STUDIES.md '$said' %"
	done
done
