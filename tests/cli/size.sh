#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse size: a sizing question on the command line finds what its space would, writes that space, and tells its mistakes there.
. tests/cli/common

columns() { sed 1,1d "$1" | cut -d, -f 2-8; }
how="--detail fast --store none"

# The same question as a file.
cat >"$work/space.yaml" <<'END'
name: by_hand
machine: dvfs_chip
axes: {mla.array: [16x4, 8x4], pe.sram_byte: {from: 65536, to: 131072, times: 2}}
networks: [vgg16_conv_8]
layers: [{match: '.*', conv_1x1: [conv, packed, matmul]}]
constraints: [latency_ms <= 43]
objectives: [latency_ms, energy_mj, mac_units, sram_byte]
END
# shellcheck disable=SC2086 # options are words
expect_code 0 "$DSE" explore "$work/space.yaml" $how -q -o "$work/by_hand"
# shellcheck disable=SC2086
expect_code 0 "$DSE" size dvfs_chip vgg16_conv_8 --vary mla.array=16x4,8x4 --vary pe.sram_byte=64KiB..128KiB:x2 \
	--limit 'latency_ms <= 43' $how -o "$work/size"
expect_text "$work/err" "The space: $work/size/size_dvfs_chip_vgg16_conv_8."
columns "$work"/by_hand/by_hand-*/front.csv >"$work/expected"
columns "$work"/size/size_dvfs_chip_vgg16_conv_8-*/front.csv >"$work/found"
cmp -s "$work/expected" "$work/found" || fail "size has another front than the space by hand"
[ "$(wc -l <"$work/found")" -ge 4 ] || fail "the front is too small to tell fronts apart"

# The space that it wrote is that question: explored, it lands in the same folder.
# shellcheck disable=SC2086
expect_code 0 "$DSE" explore "$work"/size/size_dvfs_chip_vgg16_conv_8.*.yaml $how -q -o "$work/size"
set -- "$work"/size/size_dvfs_chip_vgg16_conv_8-*
[ $# = 1 ] || fail "the written space is another question: $# folders"
expect_code 0 "$DSE" simulate --point "$1/front.json:0"
expect_text "$work/out" 'replay: equal'

# Steps, objectives of one's own, --json; what varies decides the default objectives.
# shellcheck disable=SC2086
expect_code 0 "$DSE" size dvfs_chip vgg16_conv_8 --vary noc.clk_mhz=200MHz..400MHz:+100MHz --objective energy_mj --json $how -q -o "$work/steps"
python3 -m json.tool <"$work/out" >/dev/null || fail "--json is no JSON"
cat "$work"/steps/*.yaml >"$work/text"
expect_text "$work/text" 'objectives: ["energy_mj"]'
# shellcheck disable=SC2086
expect_code 0 "$DSE" size dvfs_chip vgg16_conv_8 --vary noc.clk_mhz=300,400 $how -q -o "$work/plain"
cat "$work"/plain/*.yaml >"$work/text"
expect_text "$work/text" 'objectives: [latency_ms, energy_mj]'
# shellcheck disable=SC2086
expect_code 0 "$DSE" size edge_tpu tiny --vary systolic.array=16x16,32x32 --set systolic.memory_gb_s=12.8GB/s $how -q -o "$work/array"
cat "$work"/array/*.yaml >"$work/text"
expect_text "$work/text" 'mac_units'

case $DSE in /*) program=$DSE ;; *) program=$PWD/$DSE ;; esac
# A network and a machine of one's own, wherever the results go.
cp spaces/networks/vgg16_conv_8.yaml "$work/own_net.yaml"
cp spaces/machines/dvfs_chip.yaml "$work/own_chip.yaml"
# shellcheck disable=SC2086
(cd "$work" && "$program" size own_chip.yaml own_net.yaml --vary mla.array=16x4,8x4 $how -q -o far/away >/dev/null) || fail "files of the working folder are not found"

# Mistakes: the command's own, and the space's, in the file that was written.
expect_code 2 "$DSE" size dvfs_chip vgg16_conv_8 -o "$work/bad"
expect_text "$work/err" '--vary is missing'
expect_code 2 "$DSE" size dvfs_chip vgg16_conv_8 --vary mla.array -o "$work/bad"
expect_text "$work/err" 'allowed is KEY=VALUES'
expect_code 5 "$DSE" size dvfs_chip no_such_network --vary mla.array=16x4 -o "$work/bad"
expect_code 3 "$DSE" size dvfs_chip vgg16_conv_8 --vary mla.aray=16x4 --vary pe.sram_byte=64MHz --limit 'latency <= 3' --objective beauty -o "$work/bad"
for text in "size_dvfs_chip_vgg16_conv_8." "found 'mla.aray'" "did you mean 'mla.array'" "found '64MHz'" 'latency_ms' 'beauty'; do
	expect_text "$work/err" "$text"
done
# shellcheck disable=SC2086
expect_code 4 "$DSE" size dvfs_chip vgg16_conv_8 --vary mla.array=16x4,8x4 --limit 'latency_ms <= 1ns' $how -q -o "$work/none"
