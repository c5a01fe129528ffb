#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Systolic arrays: machine files, one design, searches that find what brute force finds, replay, and what is refused.
. tests/cli/common

expect_code 0 "$DSE" check spaces/machines/edge_tpu.yaml spaces/machines/hpc_tpu.yaml spaces/tpu_sizing.yaml

# Depthwise convolutions are one group after the other: a column of the array each.
expect_code 0 "$DSE" simulate edge_tpu mobilenet_v1
expect_text "$work/out" "mobilenet_v1 on edge_tpu, systolic array 64x64"
grep -q '^CONV_2 .*846720' "$work/out" || fail "CONV_2: 32 groups of 196 folds take 135 clocks each"
# Per operand: what CONV_3 of tiny reads and writes, in both tiers; the words are the bytes of the other table.
for detail in fast event; do
	expect_code 0 "$DSE" simulate edge_tpu tiny --detail "$detail"
	tr -s ' ' <"$work/out" >"$work/narrow"
	expect_text "$work/narrow" "CONV_3 ifmap 1080 164 23.15 50.00 26.67 36864 18432 8192 0 5184 4608 8192"
	expect_text "$work/narrow" "dram dram 9792 8192"
done
expect_code 0 "$DSE" simulate edge_tpu tiny --json
expect_text "$work/out" '"dram_filter_read_word": 4608, "dram_ofmap_write_word": 8192'
# Without --strategy each layer has its own; no other machine's strategy is named.
expect_text "$work/out" '"strategy": "any"'
expect_text "$work/out" '"strategy": "output_stationary"'
if grep -q 'fusion' "$work/out"; then fail "a systolic array has no fusion"; fi

# By SCALE-Sim's rules whole layers run, and words are those of its replay: (line - 1) results more than there are.
sed 's/memory_gb_s: 25.6/memory_gb_s: 25.6\n  memory_model: scalesim_calc/; s/ofmap_byte: 1397760/ofmap_byte: 6400/' \
	spaces/machines/edge_tpu.yaml >"$work/scalesim.yaml"
for detail in fast event; do
	expect_code 0 "$DSE" simulate "$work/scalesim.yaml" tiny --layers CONV_3 --detail "$detail"
	tr -s ' ' <"$work/out" >"$work/narrow"
	expect_text "$work/narrow" "CONV_3 ifmap 1079 0 26.69 50.00 26.69 36864 18432 8192 0 5184 4608 8255"
done
expect_code 0 "$DSE" simulate hpc_tpu resnet50 --detail event --audit
expect_text "$work/out" "event tier"
expect_code 0 "$DSE" simulate edge_tpu tiny --trace "$work/trace.json"
expect_code 0 "$DSE" simulate edge_tpu tiny --level f150 --strategy output_stationary --json
if grep -q '"any"' "$work/out"; then fail "the strategy was named"; fi

# What is not the machine's.
expect_code 2 "$DSE" simulate edge_tpu tiny --strategy fusion
expect_text "$work/err" "--strategy is 'fusion', machine edge_tpu has output_stationary"
expect_code 2 "$DSE" simulate dvfs_chip tiny --strategy input_stationary
expect_text "$work/err" "machine dvfs_chip has no_fusion, fusion, fusion_reuse, thesis_reuse"
expect_code 2 "$DSE" simulate edge_tpu tiny --strategy weight_stationary
expect_code 3 "$DSE" simulate edge_tpu tiny --detail greybox
expect_text "$work/err" "the grey-box model is of tasks on an MLA"
expect_code 2 "$DSE" power edge_tpu tiny --budget-ms 1 --parts 64
expect_text "$work/err" "machine edge_tpu is a systolic array"
expect_code 0 "$DSE" power edge_tpu mobilenet_v1 --budget-ms 11
expect_code 0 "$DSE" power edge_tpu mobilenet_v1 --per-loop --budget-frac 0.5

# Buffers that hold no tile: the reason and the bytes.
sed 's/filter_byte: 1397760/filter_byte: 2/' spaces/machines/edge_tpu.yaml >"$work/no_room.yaml"
expect_code 4 "$DSE" simulate "$work/no_room.yaml" tiny
expect_text "$work/out" "a tile of the filters exceeds half of its buffer (9 demanded, 1 available)"

sed "s,^machine: .*,machine: $work/no_room.yaml," spaces/tpu_small.yaml | sed '/filter_byte/d' >"$work/no_room_space.yaml"
expect_code 4 "$DSE" explore "$work/no_room_space.yaml" -o "$work/none"
expect_text "$work/out" "filter_buffer"
tr -s ' \n' ' ' <"$work/out" | grep -qF "a tile of the filters exceeds half of its buffer: 2048 byte demanded, 1 available" ||
	fail "no reason for $work/no_room_space.yaml"
if grep -q 'pe.sram_byte' "$work/out"; then fail "a systolic array has no PE's SRAM"; fi

# The exact engine finds what trying everything finds, whatever the threads, and the audit agrees.
run() {
	name=$1
	shift
	expect_code 0 "$DSE" explore spaces/tpu_small.yaml -o "$work/$name" "$@"
	cp "$work/$name"/tpu_small-*/front.csv "$work/$name.csv"
}
run exact -j1 --audit
expect_text "$work/out" "Audit: no fault found"
run threads -j2
expect_same "$work/exact.csv" "$work/threads.csv"
run exhaustive --engine exhaustive
expect_same "$work/exact.csv" "$work/exhaustive.csv"
run flat --engine nsga2 --flat -j2
run genetic --engine nsga2 -j2
run local --engine pls
run verified --verify
expect_text "$work/out" "120 of 120 points are on the front in either tier"
run event --detail event

# A point again, to the last bit, and in the other tier; placed against its own front.
front=$(echo "$work/exact/"tpu_small-*/front.json)
expect_code 0 "$DSE" simulate --point "$front:3"
expect_text "$work/out" "replay: equal"
expect_code 0 "$DSE" simulate --point "$front:3" --detail event
expect_code 0 "$DSE" explore spaces/tpu_small.yaml -o "$work/compared" --compare "$front:3"
expect_text "$work/out" "on the front"
expect_code 0 "$DSE" explore spaces/tpu_small.yaml -o "$work/compared" --compare thesis
