#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Networks of today on the thesis' chip from the file to the DRAM's image: searched mappings are bit-exact, schedules are
# read back, and what has no integer arithmetic is said to have none.
. tests/cli/common

networks="mlperf_tiny_kws mlperf_tiny_ad vit_tiny"
if ! $is_slow; then
	networks="$networks mlperf_tiny_ic bert_base"
fi
for network in $networks; do
	rm -rf "$work/map" "$work/schedule"
	expect_code 0 "$DSE" map thesis_chip "$network" -q -o "$work/map"
	expect_code 0 "$DSE" prove --mapping "$work/map/mapping.yaml" -q
	n=$(grep -c '{layer: ' "$work/map/mapping.yaml")
	expect_text "$work/out" "$n of $n layers bit-exact"
	expect_code 0 "$DSE" schedule "$network" --machine thesis_chip -q -o "$work/schedule"
	expect_code 0 "$DSE" schedule --read "$work/schedule" -q
done

# A cache is no weight of a network; the host writes it, and finds the token's own keys and values behind the run.
expect_code 0 "$DSE" check spaces/networks/gpt2_decode_128.yaml
expect_text "$work/out" "123532032 weights"
expect_code 0 "$DSE" schedule gpt2_decode_128 --machine thesis_chip -q -o "$work/decode"
expect_text "$work/decode/schedule.yaml" '"data_5", size: [127, 1, 768]'
expect_text "$work/decode/schedule.yaml" 'layers: [0, 157], host: writes'
expect_text "$work/decode/schedule.yaml" 'layers: [2, 157], host: reads'
expect_code 3 "$DSE" schedule gpt2_decode_128 --machine thesis_chip -q --weights random -o "$work/filled"
expect_text "$work/err" "no integer arithmetic: its weights are results"

# Rows side by side are cut between, never through: against all designs there are, and by a certificate of its own lists.
cat >"$work/heads.yaml" <<-END
	name: heads
	input: [3, 1, 12]
	layers:
	  - arm: {op: softmax, groups: 4}
	  - conv: {kernel: 1, out_channels: 8}
	  - arm: {op: normalise, groups: 2, over: width_channels}
END
cat >"$work/space.yaml" <<-END
	name: heads
	machine: dvfs_chip
	network: heads.yaml
	layers:
	  - match: .*
	    level: PL2
	objectives: [latency_ms, energy_mj]
END
expect_code 0 "$DSE" explore "$work/space.yaml" -q --detail fast --audit --certificate "$work/certificate" -o "$work/front"
expect_text "$work/out" "Audit: no fault found"
expect_code 0 "$DSE" check-certificate "$work/certificate" "$work/space.yaml"
expect_code 0 "$DSE" map dvfs_chip "$work/heads.yaml" --split all -q -o "$work/map"
expect_text "$work/map/mapping.yaml" "out_channels: 3*4"
