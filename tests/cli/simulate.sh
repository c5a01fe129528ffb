#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse simulate: names and paths, splits of a scheme, layers by pattern, strategies.
. tests/cli/common

expect_code 0 "$DSE" simulate thesis_chip vgg16 --split-scheme spaces/splits/thesis.csv
cp "$work/out" "$work/names"
expect_code 0 "$DSE" simulate spaces/machines/thesis_chip.yaml spaces/networks/vgg16.yaml \
	--split-scheme spaces/splits/thesis.csv
expect_same "$work/names" "$work/out"
expect_text "$work/out" "CONV_12"
expect_text "$work/out" "4*128"
expect_text "$work/out" "energy_mj by part"

# The figure of the thesis for the operations the ARM cores run (thesis table 5.10): PADD of VGG-16.
grep -Eq '^total .* 340608 ' "$work/out" || fail "PADD clocks of VGG-16"

for strategy in no_fusion fusion fusion_reuse thesis_reuse; do
	expect_code 0 "$DSE" simulate thesis_chip vgg16 --strategy "$strategy" --split-scheme spaces/splits/thesis.csv
	expect_text "$work/out" "$strategy"
done
expect_code 0 "$DSE" simulate dvfs_chip tiny --level PL2 --json
expect_text "$work/out" '"level": "PL2"'

expect_code 0 "$DSE" simulate thesis_chip vgg16 --layers '^FC_'
expect_text "$work/out" "FC_19"
if grep -q CONV "$work/out"; then
	fail "--layers '^FC_' shows convolutions"
fi
expect_code 2 "$DSE" simulate thesis_chip vgg16 --layers '('
expect_text "$work/err" "layers"

# Pooling is the ARM core's and needs no aligned rows: 113x113x6 bytes and their 56x56x6 results fit a PE (table H.1).
for machine in thesis_qpe_dram hdl_qpe; do
	for scheme in "" "--split-scheme spaces/splits/thesis.csv"; do
		# shellcheck disable=SC2086
		expect_code 0 "$DSE" simulate "$machine" resnet50 $scheme
		grep -Eq '^POOL_2 .* 56\*1 +56\*1 +6\*9\+5\*2 .* 95430 ' "$work/out" || fail "POOL_2 of ResNet-50 on $machine"
	done
done
