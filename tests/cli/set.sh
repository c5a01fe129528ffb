#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --set KEY=VALUE: every command answers as if the machine's file said so; a run knows it; mistakes are told.
. tests/cli/common

# The same machine with other values in its file.
sed -e 's/^  array: .*/  array: 32x4/' -e 's/^  sram_byte: .*/  sram_byte: 65536/' \
	-e '/^noc:/,/^dram:/s/^  clk_mhz: .*/  clk_mhz: 400/' -e 's/^    clk_mhz: 320.*/    clk_mhz: 300/' spaces/machines/dvfs_chip.yaml >"$work/edited.yaml"
for key in 'array: 32x4' 'sram_byte: 65536' 'clk_mhz: 400' '    clk_mhz: 300'; do
	grep -q "$key" "$work/edited.yaml" || fail "dvfs_chip.yaml has no line to edit for $key"
done
set_all="--set mla.array=32x4 --set pe.sram_byte=64KiB --set noc.clk_mhz=0.4GHz --set levels.PL1.clk_mhz=0.3GHz"

# same COMMAND FILE...: the command's words with MACHINE for the machine answer alike for the edited file and with --set.
# What says where a number comes from may differ.
same() {
	for machine in edited set; do
		words=
		for word in "$@"; do
			case $word in
			MACHINE) [ $machine = set ] && words="$words dvfs_chip" || words="$words $work/edited.yaml" ;;
			*) words="$words $word" ;;
			esac
		done
		[ $machine = set ] && words="$words $set_all"
		# shellcheck disable=SC2086 # words are words
		expect_code 0 "$DSE" $words
		grep -v 'confidence\|source\|"file"' "$work/out" >"$work/$machine.out"
	done
	cmp -s "$work/edited.out" "$work/set.out" || fail "$* is not the same with --set"
	[ -s "$work/set.out" ] || fail "$* says nothing"
}
same simulate MACHINE tiny --json
same map MACHINE mlp_784_512_256_16 --json
same prove MACHINE mlp_784_512_256_16 --json
same roofline MACHINE tiny --json
same power MACHINE tiny --scenario speed --json
same schedule mlp_784_512_256_16 --machine MACHINE --json
same check MACHINE --json

# Each value counts: without one of the last two the answer is another.
two="--set mla.array=32x4 --set pe.sram_byte=64KiB"
# shellcheck disable=SC2086 # words are words
expect_code 0 "$DSE" simulate dvfs_chip tiny --json $set_all
grep -v 'confidence\|source\|"file"' "$work/out" >"$work/set.out"
for less in "--set levels.PL1.clk_mhz=300" "--set noc.clk_mhz=400"; do
	# shellcheck disable=SC2086 # words are words
	expect_code 0 "$DSE" simulate dvfs_chip tiny --json $two $less
	grep -v 'confidence\|source\|"file"' "$work/out" >"$work/less.out"
	! cmp -s "$work/less.out" "$work/set.out" || fail "only $less is as all of them"
done

# A mapping remembers what was set, and may be set again.
expect_code 0 "$DSE" map dvfs_chip mlp_784_512_256_16 -o "$work/map" --set noc.clk_mhz=400MHz --set levels.PL2.clk_mhz=350 --json
grep -q 'noc.clk_mhz: 400' "$work/map/mapping.yaml" || fail "mapping.yaml does not say what was set"
grep -q 'levels.PL2.clk_mhz: 350' "$work/map/mapping.yaml" || fail "mapping.yaml does not say what was set of a level"
expect_code 0 "$DSE" simulate --mapping "$work/map/mapping.yaml" --json
cp "$work/out" "$work/first"
expect_code 0 "$DSE" simulate --mapping "$work/map/mapping.yaml" --set noc.clk_mhz=200 --json
! cmp -s "$work/out" "$work/first" || fail "--set does not change a mapping's machine"

# Explore: the front is that of the edited file; the run's folder, its replay and the store know what was set.
cat >"$work/space.yaml" <<END
name: set
machine: $work/edited.yaml
axes: {mla.array: [16x4, 8x4]}
networks: [tiny]
layers:
  - match: '.*'
    split: even
objectives: [latency_ms, energy_mj, mac_units]
END
sed "s|$work/edited.yaml|dvfs_chip|" "$work/space.yaml" >"$work/set_space.yaml"
columns() { sed 1,1d "$1" | cut -d, -f 2-4; }
expect_code 0 "$DSE" explore "$work/space.yaml" --store none -q -o "$work/edited"
store="--store $work/store.sqlite"
# shellcheck disable=SC2086 # words are words
expect_code 0 "$DSE" explore "$work/set_space.yaml" $store -q -o "$work/set" --set pe.sram_byte=64KiB --set noc.clk_mhz=400MHz \
	--set levels.PL1.clk_mhz=300
columns "$work"/edited/set-*/front.csv >"$work/edited.out"
columns "$work"/set/set-*/front.csv >"$work/set.out"
cmp -s "$work/edited.out" "$work/set.out" || fail "explore --set has another front than the edited file"
folder=$(echo "$work"/set/set-*)
expect_text "$folder/run.json" '--set pe.sram_byte=65536'
expect_text "$folder/run.json" '--set pe.sram_byte=64KiB'
expect_text "$folder/run.json" '--set levels.PL1.clk_mhz=300'
expect_code 0 "$DSE" simulate --point "$folder/front.json:0"
expect_text "$work/out" 'replay: equal'
expect_code 0 "$DSE" map --point "$folder/front.json:0" -q -o "$work/point"
expect_text "$work/point/mapping.yaml" 'levels.PL1.clk_mhz: 300'
expect_code 0 "$DSE" simulate --mapping "$work/point/mapping.yaml" --json
# shellcheck disable=SC2086
expect_code 0 "$DSE" why last levels.PL1.clk_mhz=100 $store
expect_text "$work/out" 'levels.PL1.clk_mhz=100: '
# shellcheck disable=SC2086
expect_code 0 "$DSE" report last $store -q -o "$work/report.html"
expect_code 2 "$DSE" simulate --point "$folder/front.json:0" --set noc.hop_clk=5
expect_text "$work/err" 'leave --set away'
# the same values in other words are the same question, other values are another
# shellcheck disable=SC2086
expect_code 0 "$DSE" explore "$work/set_space.yaml" $store -q -o "$work/set" --set noc.clk_mhz=0.4GHz --set levels.PL1.clk_mhz=0.3GHz \
	--set pe.sram_byte=65536
# shellcheck disable=SC2086
expect_code 0 "$DSE" explore "$work/set_space.yaml" $store -q -o "$work/set"
set -- "$work"/set/set-*
[ $# = 2 ] || fail "two questions have $# folders"
# shellcheck disable=SC2086
expect_code 6 "$DSE" compare 1 3 $store
expect_text "$work/out" 'noc.clk_mhz'
expect_text "$work/out" 'PL1'
expect_text "$work/out" 'pe.sram_byte'
# an axis is fixed
expect_code 0 "$DSE" explore "$work/set_space.yaml" --store none -q -o "$work/fixed" --set mla.array=8x4 --json
expect_text "$work/out" '"8x4"'
! grep -q '"16x4"' "$work/out" || fail "an axis that is set still varies"
# shards know what was set, and so does the whole; another machine is no part of it
# shellcheck disable=SC2086
for part in 1 2; do
	expect_code 0 "$DSE" explore "$work/set_space.yaml" --store none -q -o "$work/shard" --shard $part/2 --detail fast \
		--set noc.clk_mhz=400MHz --set pe.sram_byte=64KiB --set levels.PL1.clk_mhz=300
done
expect_code 0 "$DSE" merge "$work"/shard/set-*-shard-* --store none -q -o "$work/merged"
expect_code 0 "$DSE" explore "$work/set_space.yaml" --store none -q -o "$work/whole" --detail fast \
	--set pe.sram_byte=64KiB --set noc.clk_mhz=400MHz --set levels.PL1.clk_mhz=300
columns "$work"/merged/set-*/front.csv >"$work/merged.out"
columns "$work"/whole/set-*/front.csv >"$work/whole.out"
cmp -s "$work/merged.out" "$work/whole.out" || fail "shards that are set merge to another front"
expect_text "$(echo "$work"/merged/set-*)/run.json" '--set noc.clk_mhz=400'

# A night knows what was set: as a cause of what is worse, and as another question than the same day's without it.
night() {
	expect_code "$1" "$DSE" nightly "$work/set_space.yaml" --store "$work/night.sqlite" --tables none -o "$work/night" --date "2026-01-0$2" -q $3
}
night 0 1 ''
night 6 2 '--set noc.hop_clk=8'
expect_text "$work/out" 'changed: '
expect_text "$work/out" 'noc.hop_clk: 4 -> 8'
night 0 2 ''
expect_code 2 "$DSE" nightly "$work/set_space.yaml" --store "$work/night.sqlite" --set noc.hop=8
expect_text "$work/err" "did you mean 'noc.hop_clk'?"

# A machine to begin with has what was set, and is that machine.
# shellcheck disable=SC2086
expect_code 0 "$DSE" init machine "$work/own" $set_all
expect_code 0 "$DSE" simulate "$work/own.yaml" tiny --json
grep -v 'confidence\|source\|hint\|"machine"' "$work/out" >"$work/own.out"
# shellcheck disable=SC2086
expect_code 0 "$DSE" simulate dvfs_chip tiny --json $set_all
grep -v 'confidence\|source\|hint\|"machine"' "$work/out" >"$work/set.out"
expect_same "$work/own.out" "$work/set.out"
expect_code 2 "$DSE" init "$work/other" --set mla.array=8x4
expect_text "$work/err" "--like and --set are of 'dse init machine NAME'"
# Every command that takes a machine or a space has it.
for command in explore size nightly simulate map prove schedule power sensitivity roofline arada validate fit check explain init; do
	expect_code 0 "$DSE" "$command" --help
	expect_text "$work/out" '--set KEY=VALUE'
done

# Units in a space: lists, ranges as maps and in one text, all the same as plain numbers.
base='name: units\nmachine: dvfs_chip\nnetworks: [tiny]\nlayers: [{match: ".*", split: even}]\nobjectives: [latency_ms, energy_mj]\n'
for axis in '[98304, 131072]' '[96KiB, 128 KiB]' '{from: 96KiB, to: 128KiB, step: 32KiB}' '96KiB..128KiB:+32KiB'; do
	# shellcheck disable=SC2059 # the format is ours
	printf "${base}axes: {pe.sram_byte: $axis}\n" >"$work/units.yaml"
	expect_code 0 "$DSE" explore "$work/units.yaml" --store none -q --detail fast -o "$work/units"
	columns "$work"/units/units-*/front.csv >"$work/units.out"
	[ -e "$work/plain.out" ] || cp "$work/units.out" "$work/plain.out"
	cmp -s "$work/units.out" "$work/plain.out" || fail "axis $axis is not what plain numbers are"
	rm -r "$work/units"
done

# Mistakes: all of them at once, with what is allowed and the nearest key.
expect_code 2 "$DSE" simulate dvfs_chip tiny --set mla.aray=32x4 --set pe.sram_byte=64MHz --set noc.clk_mhz=0 --set x \
	--set noc.hop_clk=4 --set noc.hop_clk=5 --set systolic.word_byte=0
expect_text "$work/err" "found 'mla.aray', allowed the key of a machine parameter; did you mean 'mla.array'?"
expect_text "$work/err" "pe.sram_byte: found '64MHz', allowed a whole number 1024..1073741824 (bytes; also B, KB, KiB"
expect_text "$work/err" "noc.clk_mhz: found '0', allowed a number 1..10000 (MHz"
expect_text "$work/err" "--set is 'x', allowed is KEY=VALUE"
expect_text "$work/err" 'noc.hop_clk is given twice'
expect_code 2 "$DSE" simulate dvfs_chip tiny --set levels.PL1.clk_mh=3 --set levels.PL1.clk_mhz=3GB --set levels.PL1=3 \
	--set levels.PL2.vdd_v=1 --set levels.PL2.vdd_v=1V
expect_text "$work/err" "operating points have no field 'clk_mh'; did you mean 'clk_mhz'?"
expect_text "$work/err" "levels.PL1.clk_mhz: found '3GB', allowed 1..10000 (MHz; also Hz, kHz, GHz)"
expect_text "$work/err" 'allowed is levels.NAME.FIELD'
expect_text "$work/err" 'levels.PL2.vdd_v is given twice'
expect_code 2 "$DSE" simulate dvfs_chip tiny --set levels.PL3.clk_mhz=5
expect_text "$work/err" "found 'PL3', machine dvfs_chip has PL1, PL2"
expect_code 3 "$DSE" check "$work/set_space.yaml" --set levels.PL3.clk_mhz=5
expect_text "$work/err" 'an operating point that no machine of the space has'
expect_code 2 "$DSE" simulate dvfs_chip tiny --set systolic.word_byte=2
expect_text "$work/err" 'which machine dvfs_chip with target: chip does not have'
expect_code 2 "$DSE" simulate dvfs_chip tiny --set chip.n_qpe=3
expect_text "$work/err" 'chip.n_qpe'
for axis in '[64Hz]' '64KiB..256KiB' '256KiB..64KiB:x2' '64KiB..256KiB:x1' '64KiB..1MHz:x2'; do
	# shellcheck disable=SC2059
	printf "${base}axes: {pe.sram_byte: '$axis'}\n" | tr -d "'" >"$work/units.yaml"
	expect_code 3 "$DSE" check "$work/units.yaml"
	expect_text "$work/err" 'units.yaml:6:2'
	expect_text "$work/err" 'KiB'
done

# So have options that are amounts.
expect_code 0 "$DSE" power dvfs_chip tiny --budget-ms 140us --budget-mw 0.9W --json
cp "$work/out" "$work/units.out"
expect_code 0 "$DSE" power dvfs_chip tiny --budget-ms 0.14 --budget-mw 900 --json
expect_same "$work/units.out" "$work/out"
expect_code 0 "$DSE" roofline dvfs_chip tiny --memory-gb-s 3.2GB/s,800MB/s --json
cp "$work/out" "$work/units.out"
expect_code 0 "$DSE" roofline dvfs_chip tiny --memory-gb-s 3.2,0.8 --json
expect_same "$work/units.out" "$work/out"
expect_code 0 "$DSE" explore "$work/set_space.yaml" --isolate --max-mb 2GB --max-seconds 60000ms --store none -q --detail fast -o "$work/amounts"
expect_code 2 "$DSE" explore "$work/set_space.yaml" --isolate --max-mb 2GHz
expect_text "$work/err" "--max-mb is '2GHz', allowed is a whole number from 0 to 1000000000 (MB; also B, KB, KiB, MiB, GB, GiB)"

# Completion knows every key.
expect_code 0 "$DSE" completion parameters
for key in mla.array pe.sram_byte octopus.layer_us systolic.array; do
	grep -qx "$key" "$work/out" || fail "completion parameters lacks $key"
done
