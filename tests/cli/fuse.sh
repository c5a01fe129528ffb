#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse fuse: groups that are run depth first, their proof, the table in mapper/README.md, mistakes.
. tests/cli/common

expect_code 0 "$DSE" fuse thesis_qpe_dram mobilenet_v2 --prove
expect_text "$work/out" "CONV_16  CONV_21"
[ "$(grep -c ' equal ' "$work/out")" -eq 13 ] || fail "13 groups are bit-exact"
cp "$work/out" "$work/first"
expect_code 0 "$DSE" fuse thesis_qpe_dram mobilenet_v2 --prove -j2
expect_same "$work/out" "$work/first"
expect_code 0 "$DSE" fuse thesis_qpe_dram mobilenet_v2 --json -o "$work/plan.json"
expect_empty "$work/out"
expect_text "$work/plan.json" '"fused_dram_byte": 4590568'
# All groups fit, and steps follow each other.
awk -F '[:,]' '/"sram_byte"/ { n++ } END { exit n < 13 }' "$work/plan.json" || fail "no bytes of groups"
for byte in $(grep -o '"sram_byte": [0-9]*' "$work/plan.json" | grep -o '[0-9]*'); do
	[ "$byte" -le 98304 ] || fail "$byte bytes in a PE"
done
# Nothing is computed again, or no SRAM: fewer groups.
expect_code 0 "$DSE" fuse thesis_qpe_dram mobilenet_v2 --recompute 0
expect_text "$work/out" "multiply-accumulates: 0.0 % more"
expect_code 0 "$DSE" fuse thesis_qpe_dram vgg16 --set pe.sram_byte=4KiB
expect_text "$work/out" "with 0 groups"
if grep -q '^first' "$work/out"; then fail "a table without groups"; fi

# mapper/README.md's table.
cell() { "$DSE" fuse "$1" "$2" --json | awk -F '[:,]' -v key="\"$3\"" '$1 ~ key { printf "%.2f", $2 / 1e6 }'; }
for network in vgg16 resnet50 mobilenet_v2 efficientnet_b0 vit_tiny bert_base gpt2_decode_128; do
	row="| \`$network\` |"
	for machine in thesis_qpe_dram thesis_chip; do
		row="$row $(cell $machine $network layers_dram_byte) | $(cell $machine $network fused_dram_byte) |"
	done
	grep -qF "$row" mapper/README.md || fail "mapper/README.md has not: $row"
done

# More PEs busy, or one enough.
expect_code 0 "$DSE" fuse thesis_chip vgg16 --busy 0 --prove
expect_text "$work/out" "56x112"
expect_code 0 "$DSE" fuse thesis_chip vgg16 --busy 100
expect_text "$work/out" "leave too many PEs idle"
expect_code 4 "$DSE" fuse edge_tpu resnet18
expect_text "$work/err" "systolic array; groups are fused in PEs"
expect_code 2 "$DSE" fuse thesis_chip
expect_code 2 "$DSE" fuse thesis_chip vgg16 --recompute -1
expect_text "$work/err" "--recompute is '-1'"
