#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse why: a run's choices by folder and by store, as text and as JSON; mistakes; runs whose inputs are gone.
. tests/cli/common

store="--store $work/store.sqlite"
# shellcheck disable=SC2086 # options are words
expect_code 0 "$DSE" explore spaces/smoke.yaml $store -q -o "$work/runs" --detail fast
folder=$(echo "$work"/runs/smoke-*)

# A choice of the space that is on the front, one outside that is beaten, one that does not run.
# shellcheck disable=SC2086
expect_code 0 "$DSE" why "$folder" mla.array=16x4 $store
expect_text "$work/out" 'mla.array=16x4: on the front'
# shellcheck disable=SC2086
expect_code 0 "$DSE" why "$folder" noc.clk_mhz=200MHz $store
expect_text "$work/out" 'noc.clk_mhz=200MHz: beaten.'
expect_text "$work/out" 'Layers that lose most'
tr -s ' \n' ' ' <"$work/out" >"$work/words"
expect_text "$work/words" "Fast tier, exact searches: 9 designs on the space's front, 9 on the choice's own; mapping and operating points are each design's own, latencies without run-time overhead."
expect_text "$work/out" 'SRAM port'
# shellcheck disable=SC2086
expect_code 0 "$DSE" why last pe.sram_byte=64KiB $store
expect_text "$work/out" 'no design runs and keeps the limits; refused most often'
expect_text "$work/out" "exceed the PE's SRAM (pe_sram)"
# a step back into the space
# shellcheck disable=SC2086
expect_code 0 "$DSE" why last mla.array=8x2 noc.clk_mhz=200 $store
expect_text "$work/out" 'mla.array'
# of one layer, and of all
# shellcheck disable=SC2086
expect_code 0 "$DSE" why last 'CONV_1 strategy=no_fusion' level=PL1 $store --json
python3 - "$work/out" <<'END' || fail "why --json does not say what it must"
import json, sys
why = json.load(open(sys.argv[1]))
assert why["choice"] == "CONV_1 strategy=no_fusion, level=PL1" and why["has_design"] and not why["on_front"]
assert why["margin_pct"] > 0 and all(o["least"] >= o["front_least"] for o in why["objectives"])
lost = [layer["own_ms"] - layer["front_ms"] for layer in why["layers"]]
assert lost and lost == sorted(lost, reverse=True)
END
# -o writes what is printed; a folder needs no store where its inputs are as they were
# shellcheck disable=SC2086
expect_code 0 "$DSE" why last mla.array=16x4 $store
cp "$work/out" "$work/printed"
expect_code 0 "$DSE" why "$folder" mla.array=16x4 --store none -o "$work/file"
cmp -s "$work/file" "$work/printed" || fail "-o and stdout differ, or the folder and the store"

# A machine of the space, one from a file, a split of a layer, a mapping.
# shellcheck disable=SC2086
expect_code 0 "$DSE" why last machine=dvfs_chip $store
expect_text "$work/out" "machine=dvfs_chip: on the front: the space's front beats none of its 9 Pareto-optimal designs"
# shellcheck disable=SC2086
expect_code 0 "$DSE" why last machine=dvfs_chip_22nm CONV_1.strategy=no_fusion $store
expect_text "$work/out" 'machine=dvfs_chip_22nm, CONV_1.strategy=no_fusion: beaten'
expect_text "$work/out" 'mla.array  16x4  8x4'
# shellcheck disable=SC2086
expect_code 0 "$DSE" why last CONV_1.split=height:8*4 CONV_3.split=even FC_4.strategy=no_fusion $store --json
python3 -c 'import json, sys; why = json.load(open(sys.argv[1])); assert why["on_front"] and why["n_front_beaten"] > 0' "$work/out" ||
	fail "a split that the space does not have beats nothing of it"
expect_code 0 "$DSE" map dvfs_chip tiny -q -o "$work/map"
sed -i 's/strategy: [a-z_]*/strategy: no_fusion/' "$work/map/mapping.yaml"
# shellcheck disable=SC2086
expect_code 0 "$DSE" why last "$work/map/mapping.yaml" $store
expect_text "$work/out" 'the mapping is Pareto-optimal'

# Mistakes.
# shellcheck disable=SC2086
expect_code 2 "$DSE" why last machine=dvfs_chp CONV_1.split=heigt:3 CONV_3.split=out_channels:8*3 split=height:2*2 spoon $store
for text in "did you mean 'dvfs_chip'" "did you mean 'height'" 'layer CONV_3 has 32 to be split' 'allowed of all layers are' \
	"CHOICE is 'spoon'"; do
	expect_text "$work/err" "$text"
done
# shellcheck disable=SC2086
expect_code 2 "$DSE" why last machine=thesis_chip $store
expect_text "$work/err" 'operating point 2 of dvfs_chip'
# shellcheck disable=SC2086
expect_code 2 "$DSE" why last "$work/map/mapping.yaml" level=PL1 $store
expect_text "$work/err" 'a mapping says all of the layers'
# shellcheck disable=SC2086
expect_code 2 "$DSE" why last mla.aray=3 'CONV_9 level=PL1' 'CONV_1 level=PL9' strategy=fision $store
for text in "'CONV_9' is no layer" "did you mean 'mla.array'" "level is 'PL9', allowed are PL1, PL2" "did you mean 'fusion'"; do
	expect_text "$work/err" "$text"
done
# shellcheck disable=SC2086
expect_code 2 "$DSE" why last systolic.word_byte=2 $store
expect_text "$work/err" 'does not have'
# shellcheck disable=SC2086
expect_code 2 "$DSE" why 99 mla.array=16x4 $store
expect_code 2 "$DSE" why "$folder"
