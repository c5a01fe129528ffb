#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The largest numbers a file may hold: a result, a message or "no feasible design", never hours, gigabytes or a crash.
. tests/cli/common

network() { # NAME INPUT LAYER
	printf 'name: %s\ninput: %s\nlayers:\n  - %s\n' "$1" "$2" "$3" >"$work/$1.yaml"
}
network filters '[64, 64, 64]' '{conv: {kernel: 3, out_channels: 65536}}'
network kernel '[64, 64, 1]' '{conv: {kernel: 65536, out_channels: 1}}'
network image '[65536, 65536, 3]' '{conv: {kernel: 3, out_channels: 64}}'
network channels '[65536, 1, 65536]' '{conv: {kernel: [65536, 1], out_channels: 1}}'
network window '[65536, 65536, 1]' '{pool: {window: [1, 65536], stride: 1, padding: same}}'
network vector '16777216' '{fc: {out: 65536}}'

{
	printf 'name: mesh\ntarget: chip\n'
	printf 'mla: {array: 256x256}\npe: {sram_byte: 1073741824, sram_access_clk: 64}\nqpe: {n_pe: 64}\n'
	printf 'chip: {n_qpe: 65536, mesh_w: 256, mesh_h: 256, n_storage_qpe: 256, n_dram: 256}\n'
	printf 'levels: [{name: PL1, vdd_v: 2, clk_mhz: 10000}]\n'
} >"$work/mesh.yaml"

# An answer: 0, 3 with a message, or 4.
expect_answer() {
	code=0
	"$@" >"$work/out" 2>"$work/err" || code=$?
	case $code in
	0 | 4) ;;
	3) expect_text "$work/err" "splits into up to" ;;
	*)
		cat "$work/err" >&2
		fail "exit $code: $*"
		;;
	esac
}

for network in filters kernel image channels window vector; do
	for machine in thesis_chip thesis_qpe_dram mesh.yaml; do
		for split in thesis even '{width: {max_parts: 1000000}, out_channels: {max_parts: 8}}'; do
			{
				printf 'name: large\nmachine: %s\nnetwork: %s.yaml\n' "$machine" "$network"
				printf 'objectives: [latency_ms, energy_mj]\nlayers: [{match: ., split: %s}]\n' "$split"
			} >"$work/space.yaml"
			expect_answer "$DSE" explore "$work/space.yaml" --detail fast --max-evaluations 200 -j1 -q -o "$work/results"
		done
	done
	expect_answer "$DSE" check -j1 "$work/space.yaml"
	expect_answer "$DSE" simulate "$work/mesh.yaml" "$work/$network.yaml" --json
done
