#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse prove: bit-exact whatever the machine, the strategy and the threads; what is refused; a mapping that is wrong.
. tests/cli/common

# Results are the network's: one hash for all machines, strategies and numbers of threads; another for another seed.
hash_of() {
	sed -n 's/.*hash of the results //p' "$work/out"
}
expect_code 0 "$DSE" prove thesis_chip tiny -j1
expect_text "$work/out" "3 of 3 layers bit-exact"
expect_empty "$work/err"
hash=$(hash_of)
for machine in thesis_chip thesis_qpe_dram edge_tpu; do
	expect_code 0 "$DSE" prove "$machine" tiny -j2
	[ "$(hash_of)" = "$hash" ] || fail "tiny on $machine has another hash"
done
for strategy in no_fusion fusion; do
	expect_code 0 "$DSE" prove thesis_chip tiny --strategy "$strategy"
	[ "$(hash_of)" = "$hash" ] || fail "tiny under $strategy has another hash"
done
expect_code 0 "$DSE" prove thesis_chip tiny --seed 2
[ "$(hash_of)" != "$hash" ] || fail "another seed gives the same results"

# Only some layers; those before are computed directly.
expect_code 0 "$DSE" prove thesis_chip tiny --layers '^FC' --json
expect_text "$work/out" '"proved": true'
expect_text "$work/out" '"layer": "FC_4"'
expect_text "$work/out" '"difference": null'
if grep -q CONV "$work/out"; then
	fail "--layers '^FC' shows convolutions"
fi

# The thesis' own runs left tasks out.
printf 'name: omitting\ninput: [14, 14, 512]\nlayers:\n  - conv: {kernel: 3, out_channels: 512}\n' >"$work/omitting.yaml"
expect_code 6 "$DSE" prove thesis_chip "$work/omitting.yaml" --strategy thesis_reuse
expect_text "$work/out" "0 of 1 layers bit-exact"
expect_text "$work/out" "is never stored"
expect_text "$work/err" "CONV_1: "

# A layer that cannot run is not proved.
expect_code 4 "$DSE" prove thesis_chip faster_rcnn --layers '^CONV_44$'
expect_text "$work/err" "exceed the PE's SRAM"

# A point of a front, a mapping, and what does not go together.
cat >"$work/space.yaml" <<-'YAML'
	name: proved
	machine: thesis_qpe_dram
	networks: [tiny]
	objectives: [latency_ms]
YAML
expect_code 0 "$DSE" explore "$work/space.yaml" --detail fast -q -o "$work/results" --prove
expect_text "$work/out" "Proved on data: 3 of 3 layer designs bit-exact"
grep -q '"proved": *true' "$work"/results/*/run.json || fail "run.json says nothing of the proof"
front=$(echo "$work"/results/*/front.json)
expect_code 0 "$DSE" prove --point "$front:0"
[ "$(hash_of)" = "$hash" ] || fail "a point of a front has another hash"
expect_code 0 "$DSE" prove tiny --mapping "$front:0"
[ "$(hash_of)" = "$hash" ] || fail "a mapping has another hash"
expect_code 0 "$DSE" map thesis_chip tiny -q -o "$work/map"
expect_code 0 "$DSE" prove tiny --mapping "$work/map/mapping.yaml" --json
expect_text "$work/out" "\"hash\": \"$hash\""
expect_code 2 "$DSE" explore --resume "$(dirname "$front")" --prove
expect_code 2 "$DSE" prove vgg16 --mapping "$front:0"
expect_text "$work/err" "is a mapping of network tiny"
expect_code 2 "$DSE" prove tiny --mapping "$front:0" --strategy fusion
expect_text "$work/err" "leave --split-scheme, --strategy and --level away"
expect_code 2 "$DSE" prove --mapping "$front:0" --point "$front:0"
expect_code 2 "$DSE" prove tiny
expect_text "$work/err" "found 1 files, allowed are a machine and a network"
expect_code 2 "$DSE" prove thesis_chip tiny --layers '^X'
expect_text "$work/err" "dse prove: --layers '^X' matches none of the layers of tiny, CONV_1 to FC_4"
expect_code 2 "$DSE" prove thesis_chip tiny --strategy output_stationary
expect_code 2 "$DSE" prove thesis_chip tiny --level fast
