#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse map: the thesis' tables, mappings that are fed back, searches that agree with explore, mistakes.
. tests/cli/common

# With the thesis' splits its tables: every row of G.1 to J.1 that is legible, and those of G.2 to J.2 but for names.
for pair in "thesis_chip vgg16 chip" "thesis_chip resnet50 chip" "thesis_qpe_dram vgg16 qpe"; do
	set -- $pair
	expect_code 0 "$DSE" map "$1" "$2" --split-scheme spaces/splits/thesis.csv -o "$work/thesis_$2_$3" -q
	grep "^$2,$3," spaces/splits/thesis.csv | sort >"$work/wanted"
	grep "^$2,$3," "$work/thesis_$2_$3/splits.csv" | sort >"$work/found"
	expect_same "$work/wanted" "$work/found"
	# what is written is a split scheme again
	expect_code 0 "$DSE" map "$1" "$2" --split-scheme "$work/thesis_$2_$3/splits.csv" -o "$work/again" -q
	expect_same "$work/thesis_$2_$3/splits.csv" "$work/again/splits.csv"
	expect_same "$work/thesis_$2_$3/utilisation.csv" "$work/again/utilisation.csv"
done
# appendix I spells nothing otherwise and contradicts itself nowhere for VGG-16's chip
grep '^vgg16,chip,CONV' tests/reference/split_utilisation.csv >"$work/wanted"
grep '^vgg16,chip,CONV' "$work/thesis_vgg16_chip/utilisation.csv" >"$work/found"
expect_same "$work/wanted" "$work/found"
expect_text "$work/thesis_vgg16_chip/splits.txt" "CONVSUTL_1 "

# A search finds what explore finds; its mapping runs to the same numbers, in either tier, and is not changed by a trip.
cat >"$work/space.yaml" <<-END
	name: least
	machine: dvfs_chip
	network: tiny
	objectives: [energy_mj, latency_ms]
	search: {max_front: 100000}
END
expect_code 0 "$DSE" explore "$work/space.yaml" --detail fast -q -o "$work/explored"
expect_code 0 "$DSE" map dvfs_chip tiny --goal energy -o "$work/energy" -j2
cp "$work/out" "$work/table"
expect_text "$work/out" "Least energy_mj of the searched mappings that write the network's result to DRAM"
expect_text "$work/out" "; left out: fetch_ahead half, all; level_shares"
front=$(echo "$work"/explored/*/front.json)
expect_code 0 "$DSE" map --point "$front:0" -o "$work/point" -q
sed 1,2d "$work/point/mapping.yaml" | sed 's,^\(machine\|network\): spaces/.*/\(.*\).yaml,\1: \2,' >"$work/wanted"
sed 1,2d "$work/energy/mapping.yaml" >"$work/found"
expect_same "$work/wanted" "$work/found"
expect_code 0 "$DSE" map --mapping "$work/energy/mapping.yaml" -o "$work/round" -q
sed 1d "$work/energy/mapping.yaml" >"$work/wanted"
sed 1d "$work/round/mapping.yaml" >"$work/found"
expect_same "$work/wanted" "$work/found"
for tier in fast event; do
	expect_code 0 "$DSE" simulate --mapping "$work/energy/mapping.yaml" --detail $tier --json
	grep -E '"(total_clk|energy_mj|latency_ms)"' "$work/out" >"$work/by_mapping"
	expect_code 0 "$DSE" simulate --point "$front:0" --detail $tier --json
	grep -E '"(total_clk|energy_mj|latency_ms)"' "$work/out" | sed 's/^\t\t*//' >"$work/by_point"
	grep -o '"total_clk": [0-9]*' "$work/by_point" | sort >"$work/wanted"
	grep -o '"total_clk": [0-9]*' "$work/by_mapping" | sort >"$work/found"
	expect_same "$work/wanted" "$work/found"
done
expect_code 0 "$DSE" map dvfs_chip tiny --goal energy -j1
expect_same "$work/table" "$work/out"

# The product of both is no larger than that of either's least, and goals are what they say.
edp() { "$DSE" map dvfs_chip tiny --split even --goal "$1" -q | sed -n 's/.*  edp_mj_ms \([0-9.e+-]*\).*/\1/p'; }
awk -v a="$(edp edp)" -v b="$(edp latency)" -v c="$(edp energy)" 'BEGIN { exit !(a > 0 && a <= b && a <= c) }' ||
	fail "the least product is not the least"
expect_code 0 "$DSE" map dvfs_chip tiny --split even --goal edp --json
expect_text "$work/out" '"goal": "edp"'
expect_text "$work/out" '"partial_operation": "CONVSUTL_1"'

# A narrower search: one strategy, even splits, one level; a systolic array; no search.
expect_code 0 "$DSE" map dvfs_chip tiny --strategy fusion --split even --levels PL1
expect_text "$work/out" "; left out: some splits; strategy no_fusion, fusion_reuse; level PL2"
if grep -E '^(CONV|FC)_' "$work/out" | grep -q 'PL2\|fusion_reuse'; then fail "other levels or strategies than those asked for"; fi
expect_code 0 "$DSE" map edge_tpu speaker_id --split even -o "$work/tpu" -q
expect_code 0 "$DSE" simulate --mapping "$work/tpu/mapping.yaml"
grep -q ',systolic,CONV_1,CONV_1,' "$work/tpu/utilisation.csv" || fail "no tiles of CONV_1"
# its MAC utilisation is that of the folds while they compute, not that of the run with its stalls
expect_code 0 "$DSE" simulate --mapping "$work/tpu/mapping.yaml" --json
grep -o '"mapping_frac": [0-9.e-]*' "$work/out" | awk '{ printf "%.2f\n", $2 }' >"$work/wanted"
awk -F, 'NR > 1 && $12 > 0 { print $12 }' "$work/tpu/utilisation.csv" >"$work/found"
expect_same "$work/wanted" "$work/found"
expect_code 0 "$DSE" map thesis_chip tiny --split thesis
expect_text "$work/out" "Splits of the thesis' rules, fusion_reuse at nominal"

# All forms of 1x1 convolutions unless fewer are asked for, and what is not searched is said.
latency() { sed -n 's/^ *latency_ms \([0-9.e+-]*\).*/\1/p' "$work/out"; }
at_most() { awk -v a="$(latency)" -v b="$1" 'BEGIN { exit !(a > 0 && a <= b) }'; }
# (ResNet-50's: readme_table.sh --all)
{
	printf 'name: bottleneck\ninput: [28, 28, 128]\nlayers:\n'
	echo '  - conv: {kernel: 1, out_channels: 128}'
	echo '  - conv: {kernel: 3, out_channels: 128}'
	echo '  - conv: {kernel: 1, out_channels: 512}'
} >"$work/bottleneck.yaml"
expect_code 0 "$DSE" map dvfs_chip "$work/bottleneck.yaml" -o "$work/forms"
forms=$(latency)
expect_text "$work/forms/mapping.yaml" "conv_1x1: packed"
expect_code 0 "$DSE" map dvfs_chip "$work/bottleneck.yaml" --conv-1x1 conv -q
awk -v a="$forms" -v b="$(latency)" 'BEGIN { exit !(a > 0 && a < b) }' || fail "all forms take $forms ms, one alone $(latency)"
expect_text "$work/out" "left out: conv_1x1 packed, matmul; fetch_ahead half, all; level_shares"

# Tight parts of strided convolutions, which are asked for: a mapping that has them runs to the same time, computes the
# layers, and is faster than with the pixels behind the last output; the event tier says so, too.
{
	printf 'name: strided\ninput: [28, 28, 64]\nlayers:\n'
	echo '  - conv: {kernel: 1, out_channels: 128, stride: 2}'
	echo '  - conv: {kernel: 2, out_channels: 64, stride: 3, padding: valid}'
	echo '  - conv: {kernel: 3, out_channels: 64}'
} >"$work/strided.yaml"
expect_code 0 "$DSE" map dvfs_chip "$work/strided.yaml" --conv-1x1 conv,tight -o "$work/tight" -q
with=$(latency)
if grep -q "left out: conv_1x1 .*tight" "$work/out"; then fail "tight parts are left out"; fi
expect_text "$work/tight/mapping.yaml" "conv_1x1: tight"
expect_code 0 "$DSE" simulate --mapping "$work/tight/mapping.yaml"
[ "$(latency)" = "$with" ] || fail "tight parts take another time than their search says"
expect_code 0 "$DSE" prove --mapping "$work/tight/mapping.yaml" -q
expect_text "$work/out" "layers bit-exact"
expect_code 0 "$DSE" simulate --mapping "$work/tight/mapping.yaml" --detail event --audit
with=$(latency)
expect_code 0 "$DSE" map dvfs_chip "$work/strided.yaml" --conv-1x1 conv -o "$work/full" -q
expect_code 0 "$DSE" simulate --mapping "$work/full/mapping.yaml" --detail event
awk -v a="$with" -v b="$(latency)" 'BEGIN { exit !(a > 0 && a < 0.9 * b) }' || fail "tight parts are of no use"
expect_code 0 "$DSE" simulate dvfs_chip "$work/strided.yaml" --conv-1x1 tight
expect_text "$work/out" "fusion_reuse tight"
expect_code 2 "$DSE" simulate dvfs_chip "$work/strided.yaml" --conv-1x1 conv,tight
expect_text "$work/err" "--conv-1x1 is 'conv,tight', allowed are conv, packed, matmul, tight"
expect_code 2 "$DSE" simulate --mapping "$work/tight/mapping.yaml" --conv-1x1 tight
expect_text "$work/err" "layers, splits, strategies, levels and forms"

# In a space it is a choice of rules; a front's point that has it is replayed.
{
	echo 'name: tight'
	echo 'machine: thesis_chip'
	echo "networks: [$work/strided.yaml]"
	echo 'layers:'
	echo "  - {match: '.*', split: {width: whole, height: even, out_channels: even, in_channels: even}, conv_1x1: [conv, packed, tight]}"
	echo 'objectives: [latency_ms, energy_mj]'
} >"$work/tight.yaml"
expect_code 0 "$DSE" explore "$work/tight.yaml" --detail fast -o "$work/tight_front" --verify --audit --prove
front=$(echo "$work"/tight_front/tight-*/front.json)
expect_text "$front" '"conv_1x1": "tight"'
expect_code 0 "$DSE" simulate --point "$front:0"
expect_text "$work/out" "tight"
expect_code 0 "$DSE" explain "$work/tight.yaml"
expect_text "$work/out" "packed or 8 bit as tight"

# A network's result lies in DRAM, unless it may stay.
printf 'name: one\ninput: [14, 14, 32]\nlayers:\n  - conv: {kernel: 3, out_channels: 32}\n' >"$work/one.yaml"
expect_code 0 "$DSE" map dvfs_chip "$work/one.yaml" -o "$work/one" -q
dram=$(latency)
if grep -q "result: storage" "$work/one/mapping.yaml"; then fail "the result does not end in DRAM"; fi
expect_code 0 "$DSE" map dvfs_chip "$work/one.yaml" --network-result any --json
expect_text "$work/out" '"network_result": "any"'
expect_text "$work/out" '"left_out": ['
expect_text "$work/out" '"level_shares"'
expect_code 0 "$DSE" map dvfs_chip "$work/one.yaml" --network-result any -o "$work/one" -q
expect_text "$work/one/mapping.yaml" "result: storage"
at_most "$dram" || fail "a result that may stay costs more"

# No more voltages than the chip has power lanes.
expect_code 0 "$DSE" map dvfs_table tiny --split even --goal edp -o "$work/lanes" -q
[ "$(grep -o 'level: V[0-9]*' "$work/lanes/mapping.yaml" | sort -u | wc -l)" -le 2 ] || fail "more voltages than lanes"

# Weights fetched ahead: no worse, and the mapping that says so runs to the same time.
printf 'name: two\ninput: [14, 14, 96]\nlayers:\n  - conv: {kernel: 3, out_channels: 128}\n' >"$work/two.yaml"
echo '  - conv: {kernel: 3, out_channels: 128}' >>"$work/two.yaml"
expect_code 0 "$DSE" map dvfs_chip "$work/two.yaml" --split even --strategy fusion_reuse -q
without=$(latency)
expect_code 0 "$DSE" map dvfs_chip "$work/two.yaml" --split even --strategy fusion_reuse --fetch-ahead -o "$work/ahead" -q
awk -v a="$(latency)" -v b="$without" 'BEGIN { exit !(a > 0 && a < b) }' || fail "fetching ahead is of no use"
with=$(latency)
expect_text "$work/ahead/mapping.yaml" "fetches_next: "
expect_code 0 "$DSE" simulate --mapping "$work/ahead/mapping.yaml"
[ "$(latency)" = "$with" ] || fail "the mapping takes another time than its search says"

# An edited mapping: a result that goes elsewhere changes what follows; a split that does not fit is told with its line.
expect_code 0 "$DSE" simulate --mapping spaces/mappings/tiny.yaml
expect_code 0 "$DSE" simulate --mapping spaces/mappings/tiny.yaml --layers CONV_3
sed 's/height: 2\*16, out_channels: 8\*2/out_channels: 8*2/; s/in_channels: 256\*32/in_channels: 8192*1/' \
	spaces/mappings/tiny.yaml >"$work/large.yaml"
expect_code 4 "$DSE" simulate --mapping "$work/large.yaml"
expect_text "$work/err" "large.yaml:11:5: FC_4: "
expect_code 4 "$DSE" map --mapping "$work/large.yaml"
expect_text "$work/err" "large.yaml:11:5: layer FC_4 cannot run"
sed 's/height: 2\*8/height: 2*9/' spaces/mappings/tiny.yaml >"$work/wrong.yaml"
expect_code 3 "$DSE" map --mapping "$work/wrong.yaml"
expect_text "$work/err" "wrong.yaml:10:73: CONV_3: ofmap height is split 2*9, which covers 18 of 16"

# Mistakes.
expect_code 2 "$DSE" map dvfs_chip
expect_text "$work/err" "found 1 files"
expect_code 2 "$DSE" map dvfs_chip tiny --goal fast
expect_text "$work/err" "--goal is 'fast', allowed are latency, energy, edp"
expect_code 2 "$DSE" map dvfs_chip tiny --split-scheme spaces/splits/thesis.csv --goal edp
expect_text "$work/err" "--goal, --detail, --fetch-ahead, --conv-1x1, --network-result and --runtime are of a search"
expect_code 2 "$DSE" map dvfs_chip tiny --conv-1x1 conv,packet
expect_text "$work/err" "--conv-1x1 is 'packet', allowed are conv, packed, matmul, tight; did you mean 'packed'?"
expect_code 2 "$DSE" map dvfs_chip tiny --network-result sram
expect_text "$work/err" "--network-result is 'sram', allowed are dram, any"
expect_code 2 "$DSE" map dvfs_chip tiny --mapping spaces/mappings/tiny.yaml
expect_text "$work/err" "--mapping names machine and network already"
expect_code 2 "$DSE" map --mapping spaces/mappings/tiny.yaml --strategy fusion
expect_text "$work/err" "leave --goal, --strategy"
expect_code 2 "$DSE" map dvfs_chip tiny --strategy output_stationary
expect_text "$work/err" "machine dvfs_chip has no_fusion"
expect_code 2 "$DSE" simulate --mapping spaces/mappings/tiny.yaml --level PL1
expect_text "$work/err" "--mapping fixes layers"
sed 's/sram_byte: 98304 .*/sram_byte: 1024/' spaces/machines/dvfs_chip.yaml >"$work/small.yaml"
expect_code 4 "$DSE" map "$work/small.yaml" vgg16 --split even --strategy fusion_reuse
expect_text "$work/err" "no design of vgg16 runs on dvfs_chip: layer"
expect_text "$work/err" "has no design; nearest: "

# Run time: with the overhead of a run-time system fewer workers are better; not where no constants are known.
expect_code 0 "$DSE" map final_chip mlp_784_512_256_16 --runtime -q
cp "$work/out" "$work/runtime"
expect_text "$work/runtime" "Least run_time_ms"
expect_code 0 "$DSE" map final_chip mlp_784_512_256_16 -q
run_time() { tr -s ' \n' ' ' <"$1" | sed -n 's/.*run_time_ms \([0-9.]*\) =.*/\1/p'; }
latency_of() { sed -n 's/^latency_ms \([0-9.]*\) .*/\1/p' "$1"; }
awk -v a="$(run_time "$work/runtime")" -v b="$(run_time "$work/out")" -v c="$(latency_of "$work/runtime")" -v d="$(latency_of "$work/out")" \
	'BEGIN { exit !(a > 0 && a <= b && c >= d) }' || fail "--runtime is not the least run time"
expect_code 3 "$DSE" map dvfs_chip mlp_784_512_256_16 --runtime -q
expect_text "$work/err" "machine dvfs_chip has no section octopus"
cat >"$work/run_time.yaml" <<E
name: run_time
machine: dvfs_chip
network: tiny
objectives: [run_time_ms]
E
expect_code 3 "$DSE" check "$work/run_time.yaml"
expect_text "$work/err" "found run_time_ms, but machine dvfs_chip has no constants of its run-time system (OctopuScheduler); give them under 'octopus' in its file"
