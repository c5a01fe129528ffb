#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What cannot be counted, timed or held is a verdict with its reason, exit code 4: no abort, no wrapped sum, no error of ours.
. tests/cli/common
exact="more clocks, words or DRAM bytes than can be counted exactly"

# One PE at 10 GHz behind a memory of 1 MB/s, and a map of 2^48 numbers.
cat >"$work/slow.yaml" <<-EOF
	name: slow
	target: systolic
	systolic: {array: 1x1, word_byte: 8, memory_gb_s: 0.001}
	levels: [{name: L, vdd_v: 0.9, clk_mhz: 10000}]
EOF
cat >"$work/huge.yaml" <<-EOF
	name: huge
	input: [65536, 65536, 65536]
	layers: [{conv: {kernel: 1, out_channels: 4}}]
EOF
cat >"$work/bad.yaml" <<-EOF
	name: bad
	machine: ./slow.yaml
	networks: [./huge.yaml]
	layers: [{match: '.*', split: even}]
	objectives: [latency_ms, energy_mj]
EOF
sed -e 's/name: bad/name: good/' -e 's/slow.yaml/edge_tpu/' -e 's/.\/edge_tpu/edge_tpu/' -e 's/.\/huge.yaml/tiny/' \
	"$work/bad.yaml" >"$work/good.yaml"
expect_code 4 "$DSE" simulate "$work/slow.yaml" "$work/huge.yaml"
expect_text "$work/err" "CONV_1: $exact"
expect_code 4 "$DSE" simulate "$work/slow.yaml" "$work/huge.yaml" --json
expect_text "$work/out" '"verdict": "clocks"'
expect_code 4 "$DSE" simulate "$work/slow.yaml" "$work/huge.yaml" --detail event
expect_text "$work/err" "CONV_1: 1125899906842624 tiles on a systolic array"
expect_code 0 "$DSE" roofline "$work/slow.yaml" "$work/huge.yaml"
expect_text "$work/out" "1 layers do not run: $exact"
expect_code 4 "$DSE" power "$work/slow.yaml" "$work/huge.yaml" --budget-ms 1e9
expect_code 4 "$DSE" map "$work/slow.yaml" "$work/huge.yaml" --split even
expect_code 0 "$DSE" check "$work/bad.yaml"
expect_code 0 "$DSE" explain "$work/bad.yaml"
expect_code 4 "$DSE" explore "$work/bad.yaml" --detail fast -o "$work"
expect_text "$work/out" "  clocks  "
expect_code 4 "$DSE" prove "$work/slow.yaml" "$work/huge.yaml" --json
expect_text "$work/out" '"verdict": "proof"'

# A night has its pages, and in them the good space, whatever became of the bad one.
expect_code 4 "$DSE" nightly "$work/bad.yaml" "$work/good.yaml" --date 2026-01-01 -o "$work/nights" --store "$work/night.sqlite" \
	--tables none
expect_text "$work/out" "bad              failed"
expect_text "$work/out" "good             first"
expect_text "$work/nights/nightly/2026-01-01/junit.xml" 'tests="2" failures="1"'
expect_text "$work/nights/nightly/2026-01-01/index.html" "good"

# Layers that can be counted each, but not their sum: the one with which it leaves the range is named, and left out.
cat >"$work/arm.yaml" <<-EOF
	name: arm
	target: qpe
	arm: {function_pixel_clk: 400}
	levels: [{name: L, vdd_v: 0.5, clk_mhz: 250}]
EOF
cat >"$work/eight.yaml" <<-EOF
	name: eight
	input: [65536, 65536, 4096]
	layers: [{repeat: {times: 8, layers: [{arm: {op: function}}]}}]
EOF
expect_code 4 "$DSE" simulate "$work/arm.yaml" "$work/eight.yaml" --strategy no_fusion --json
[ "$(grep -c '"verdict": "feasible"' "$work/out")" -eq 2 ] || fail "not two of eight layers run"
expect_text "$work/err" "FUNC_3: $exact"
expect_text "$work/out" '"total_clk": 3527233301905528,'
sed -i 's/: 400/: 1000000/' "$work/arm.yaml"
expect_code 4 "$DSE" simulate "$work/arm.yaml" "$work/eight.yaml" --strategy no_fusion
expect_text "$work/err" "FUNC_1: $exact"

# The event tier: PEs of a QPE, tasks, and clocks that it can time.
cat >"$work/wide.yaml" <<-EOF
	name: wide
	target: qpe
	qpe: {n_pe: 64}
	levels: [{name: L, vdd_v: 0.5, clk_mhz: 250}]
EOF
expect_code 4 "$DSE" simulate "$work/wide.yaml" tiny --detail event --json
expect_text "$work/err" "1 QPEs of 64 PEs, the event tier has up to 4096 of up to 16"
expect_text "$work/out" '"verdict": "tier"'
cat >"$work/fine.yaml" <<-EOF
	name: fine
	target: qpe
	pe: {sram_byte: 1024}
	levels: [{name: L, vdd_v: 0.5, clk_mhz: 250}]
EOF
cat >"$work/large.yaml" <<-EOF
	name: large
	input: [65536, 65536, 4]
	layers: [{conv: {kernel: 1, out_channels: 16}}, {fc: {out: 1, input: 4}}]
EOF
expect_code 4 "$DSE" simulate "$work/fine.yaml" "$work/large.yaml" --detail event --json
expect_text "$work/err" "tasks, at most 16777216 are simulated or proved one by one"
expect_text "$work/out" '"verdict": "feasible"'
cat >"$work/odd.yaml" <<-EOF
	name: odd
	target: qpe
	noc: {clk_mhz: 10000, packet_byte: 1024}
	dram: {clk_mhz: 10000, access_byte: 4096, access_clk: 1000}
	chip: {host_latency_clk: 1000000}
	levels: [{name: L, vdd_v: 0.5, clk_mhz: 10000}]
EOF
sed -e 's/\[.*\]/[512, 512, 64]/' -e '/^layers/c layers: [{conv: {kernel: 3, out_channels: 64}}]' "$work/large.yaml" >"$work/long.yaml"
expect_code 4 "$DSE" simulate "$work/odd.yaml" "$work/long.yaml" --detail event
expect_text "$work/err" "on this machine; take closed forms"

# A layer that no split serves is one of the answer.
expect_code 4 "$DSE" simulate "$work/fine.yaml" vgg16 --json
expect_text "$work/out" '"verdict": "pe_sram"'
expect_code 0 "$DSE" explore "$work/good.yaml" --detail fast --shard 1/2 --json -o "$work"
expect_text "$work/out" '"complete": true'
expect_code 2 "$DSE" explore "$work/good.yaml" -o ''
expect_text "$work/err" "--out is empty"

# Loops of tasks that are scheduled one by one.
cat >"$work/loops.yaml" <<-EOF
	name: loops
	input: [4096, 4096, 4]
	layers: [{conv: {kernel: 1, out_channels: 16}}]
EOF
expect_code 2 "$DSE" power "$work/fine.yaml" "$work/loops.yaml" --budget-frac 1.5 --per-loop
expect_text "$work/err" "loops, allowed are 200000; leave --per-loop away"

# A machine is cut for a design of another one, which keeps a limit on what is no objective; where thinning may have lost
# that design, nothing is proven of the machine that was cut.
cat >"$work/cut.yaml" <<E
name: cut
machine: dvfs_chip
network: vgg16
axes: {mla.array: [16x4, 4x4]}
layers: [{match: '.*', split: even}]
constraints: [dram_byte <= 148000000]
objectives: [latency_ms, energy_mj]
search: {max_front: 20}
E
expect_code 0 "$DSE" explore "$work/cut.yaml" --detail fast -o "$work/cut"
expect_text "$work/out" "cut whole by bounds                                       1"
expect_text "$work/out" "certificate: not proven: designs that keep a limit by less than"
sed -i 's/148000000/155000000/' "$work/cut.yaml"
expect_code 0 "$DSE" explore "$work/cut.yaml" --detail fast -o "$work/kept"
expect_text "$work/out" "certificate: every listed design is matched to within"
