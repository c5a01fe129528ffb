#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The main commands with a stack of 128 KiB, their threads with as much. Sanitizers make frames larger than the sources do.
. tests/cli/common
[ "$is_slow" = false ] || exit 0
ulimit -s 128
OMP_STACKSIZE=128k
export OMP_STACKSIZE
cat >"$work/none.yaml" <<-EOF
	name: none
	machine: dvfs_chip
	networks: [tiny]
	layers: [{match: '.*', split: even}]
	objectives: [latency_ms, energy_mj]
	constraints: [latency_ms <= 0.0001, energy_mj <= 0.01]
EOF
expect_code 0 "$DSE" simulate thesis_chip tiny --detail event --audit
expect_code 0 "$DSE" check spaces/smoke.yaml spaces/machines/thesis_chip.yaml spaces/networks/vgg16.yaml
expect_code 0 "$DSE" explain spaces/smoke.yaml
expect_code 0 "$DSE" explore spaces/smoke.yaml -j2 -o "$work" --store "$work/store" --points --audit --verify --prove --compare thesis
expect_code 0 "$DSE" explore spaces/smoke.yaml -j2 -o "$work" --store "$work/store" --no-cache
expect_code 0 "$DSE" explore spaces/smoke.yaml -j2 -o "$work/flat" --engine nsga2 --flat --max-evaluations 1000
for shard in 1 2; do
	expect_code 0 "$DSE" explore spaces/smoke.yaml --detail fast -j2 -o "$work/part" --shard "$shard/2"
done
expect_code 0 "$DSE" merge "$work"/part/smoke-*-shard-* -o "$work/whole"
expect_code 4 "$DSE" explore "$work/none.yaml" --detail fast -j2 -o "$work/none"
set -- "$work"/smoke-*
expect_code 0 "$DSE" report "$1" -o "$work/page.html"
expect_code 0 "$DSE" simulate --point "$1/front.json:0"
expect_code 0 "$DSE" compare "$1" "$1"
expect_code 0 "$DSE" show 1 --store "$work/store"
expect_code 0 "$DSE" map dvfs_chip tiny --split even -o "$work/map"
expect_code 0 "$DSE" prove --mapping "$work/map/mapping.yaml"
expect_code 0 "$DSE" power dvfs_chip tiny --budget-frac 1.5 --per-loop --front
expect_code 0 "$DSE" roofline dvfs_chip tiny -o "$work/roof"
expect_code 0 "$DSE" schedule tiny --machine final_chip --strategy hide -o "$work/schedule"
expect_code 0 "$DSE" schedule --read "$work/schedule"
expect_code 0 "$DSE" validate tests/reference/strategy_clocks.csv tests/reference/octopus_mlp.csv
expect_code 0 "$DSE" fit spaces/measurements/example.csv
expect_code 0 "$DSE" nightly spaces/smoke.yaml -o "$work/nights" --store "$work/night.sqlite" --tables none
