#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse roofline: the ARADA paper's figure 3, files, other machines, mistakes.
. tests/cli/common

# Two compute roofs by three of the memory.
expect_code 0 "$DSE" roofline arada_figure_3 efficientnet_b0 --levels tops_4,tops_0.4 --memory-gb-s 122,71,29 -o "$work/three"
for roofs in "4096 GOPS and 122 GB/s" "4096 GOPS and 71 GB/s" "4096 GOPS and 29 GB/s" "409.6 GOPS and 122 GB/s"; do
	expect_text "$work/out" "$roofs"
done
[ "$(grep -c '^efficientnet_b0 on' "$work/out")" -eq 6 ] || fail "six rooflines"
for file in roofline.csv roofline.json roofline.svg; do
	[ -s "$work/three/$file" ] || fail "$file is missing"
done
# 82 layers each; a layer under the memory's roof with 122 GB/s is there with 29, too
[ "$(wc -l <"$work/three/roofline.csv")" -eq 493 ] || fail "a row for each layer and roofline"
awk -F, '$3 == "tops_4" && $16 == "memory" { n[$6]++ } END { exit !(n[122] > 0 && n[122] < n[71] && n[71] < n[29]) }' \
	"$work/three/roofline.csv" || fail "less bandwidth, more layers bound by it"
awk -F, 'NR > 1 && $15 > $14 * 1.000001 { exit 1 }' "$work/three/roofline.csv" || fail "a layer above its roof"
[ "$(grep -c '^<path' "$work/three/roofline.svg")" -eq 496 ] || fail "a mark for each layer, and the legend's"
if grep -q nan "$work/three/roofline.svg"; then fail "NaN in a picture"; fi

# The same as JSON, for any number of threads; only some layers; several networks.
expect_code 0 "$DSE" roofline arada_figure_3 efficientnet_b0 --levels tops_4,tops_0.4 --memory-gb-s 122,71,29 --json -j2
expect_same "$work/out" "$work/three/roofline.json"
expect_code 0 "$DSE" roofline edge_tpu resnet18 speaker_id --layers '^CONV_[1-3]$' -q
[ "$(grep -c 'layers, ' "$work/out")" -eq 2 ] || fail "two networks"
expect_text "$work/out" "resnet18 on edge_tpu at f500"

# A chip, with depthwise convolutions.
expect_code 0 "$DSE" roofline dvfs_chip mobilenet_v1 --json
expect_text "$work/out" '"kind": "depthwise"'
if grep -q '"reached_gops": null' "$work/out"; then
	fail "a layer does not run"
fi
# A ridge at 972.8 operations a byte has its flat part behind it, also in a decade of its own.
expect_code 0 "$DSE" roofline dvfs_chip tiny -q -o "$work/flat"
grep '>10000</text>' "$work/flat/roofline.svg" | grep -q 'text-anchor="middle"' || fail "the axis ends before the flat part"
expect_code 0 "$DSE" roofline scalesim_64x64 mobilenet_v1 -o "$work/scalesim" -q

# Mistakes.
expect_code 2 "$DSE" roofline edge_tpu
expect_text "$work/err" "a file is missing"
expect_code 2 "$DSE" roofline edge_tpu resnet18 --memory-gb-s 122,fast
expect_text "$work/err" "--memory-gb-s is '122,fast', allowed are up to 16 numbers"
expect_code 2 "$DSE" roofline edge_tpu resnet18 --levels f50
expect_text "$work/err" "did you mean 'f500'?"
expect_code 2 "$DSE" roofline edge_tpu resnet18 --layers NOTHING
expect_text "$work/err" "matches none of the layers"
expect_code 2 "$DSE" roofline edge_tpu resnet18 --layers POOL
expect_text "$work/err" "no layer of resnet18 multiplies and matches --layers"
expect_code 5 "$DSE" roofline edge_tpu resnet19
expect_text "$work/err" "did you mean 'resnet18'?"

# Strategies share a panel, arrays have one each; the NoC has a roof; table 5.13's operations a byte are the default.
expect_code 0 "$DSE" roofline thesis_chip vgg16 --strategy no_fusion,fusion,fusion_reuse --arrays 16x4,16x2 -o "$work/strategies"
[ "$(grep -c 'font-weight="bold"' "$work/strategies/roofline.svg")" -eq 2 ] || fail "a panel for each array"
[ "$(grep -c '>NoC</text>' "$work/strategies/roofline.svg")" -eq 2 ] || fail "the NoC's roof"
[ "$(grep -c '>MAC array</text>' "$work/strategies/roofline.svg")" -eq 2 ] || fail "the array's roof"
[ "$(grep -c '>ridge [0-9.]*</text>' "$work/strategies/roofline.svg")" -eq 2 ] || fail "the ridge"
expect_text "$work/strategies/roofline.svg" ">fusion_reuse</text>"
expect_text "$work/out" "NoC 288 GB/s"
awk -F, '$7 == "CONV_9" && $18 == "16x4" && $19 == "fusion_reuse" { n++; if ($13 < 1641.3 || $13 > 1641.5 || $20 != "thesis") exit 1 } END { exit n != 1 }' \
	"$work/strategies/roofline.csv" || fail "CONV_9 has 1641.38 operations a byte"
# The thesis' figures are one command each (results/STUDIES.md), with all that they show: a panel for each array, a word in
# the legend for each strategy, and the ridge of every roof on the axis.
sed -n 's/^| 5\.[0-9]*, .*| `dse \(roofline .*\) -o results\/\(figure_[0-9_]*\)` |$/\2 \1/p' results/STUDIES.md >"$work/figures"
[ "$(cut -d' ' -f1 "$work/figures" | tr '\n' ' ')" = "figure_5_5 figure_5_6 figure_5_9 figure_5_10 figure_5_12 figure_5_13 " ] ||
	fail "results/STUDIES.md has other figures: $(cat "$work/figures")"
while read -r figure words; do
	# shellcheck disable=SC2086 # words are words
	expect_code 0 "$DSE" $words -o "$work/$figure"
	picture=$work/$figure/roofline.svg
	case $words in
	*--arrays*)
		[ "$(grep -c 'font-weight="bold"' "$picture")" -eq 3 ] || fail "$figure has no panel for each array"
		for array in 16x4 16x2 8x4; do expect_text "$picture" "$array"; done
		;;
	*) for strategy in no_fusion fusion fusion_reuse; do expect_text "$picture" ">$strategy</text>"; done ;;
	esac
	ridge=$(sed -n 's/.*ridge at \([0-9.]*\) op.byte.*/\1/p' "$work/out" | sort -g | tail -1)
	last=$(sed -n 's/.*text-anchor="middle">\([0-9][0-9.]*\)<.*/\1/p' "$picture" | sort -g | tail -1)
	awk -v ridge="$ridge" -v last="$last" 'BEGIN { exit !(ridge > 0 && last > ridge) }' || fail "$figure ends at $last, its ridge is at $ridge"
done <"$work/figures"
expect_code 0 "$DSE" roofline thesis_chip vgg16 --layers '^CONV_9$' --intensity traffic
expect_text "$work/out" "2321.8"
expect_code 2 "$DSE" roofline thesis_chip vgg16 --strategy fusion,fusion
expect_text "$work/err" "--strategy has fusion twice"
expect_code 2 "$DSE" roofline thesis_chip vgg16 --strategy fused
expect_text "$work/err" "fused"
expect_code 2 "$DSE" roofline edge_tpu resnet18 --arrays 16x4
expect_text "$work/err" "of machines with PEs"
