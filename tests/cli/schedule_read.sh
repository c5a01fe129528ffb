#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse schedule -o and --read: files that come back, in which every change is found and named.
. tests/cli/common

# Networks with shortcuts, branches, groups, views: as the first one, whatever the number of threads.
for network in mlp_784_512_256_16 resnet18 googlenet mobilenet_v2 tests/reference/onnx/light_squeezenet.onnx; do
	expect_code 0 "$DSE" schedule "$network" --machine final_chip --workers 8 -o "$work/one" -q
	expect_code 0 "$DSE" schedule "$network" --machine final_chip --workers 8 -o "$work/two" -q -j 2
	for file in dram.bin dram.map schedule.yaml; do
		expect_same "$work/one/$file" "$work/two/$file"
	done
	expect_code 0 "$DSE" schedule --read "$work/one"
	expect_text "$work/out" " 0 of them whole tensors of views"
	expect_empty "$work/err"
done
[ "$(head -c 8 "$work/one/dram.bin")" = octoDRAM ] || fail "dram.bin has another magic"

# Activations use no more than what is alive at once; the map's regions of tensors that live together are apart.
expect_code 0 "$DSE" schedule resnet18 --machine final_chip -o "$work/one"
expect_text "$work/out" "1003520 alive at once at most, 1003520 used"
awk '$3 == "data" { n++; at[n] = $1; byte[n] = $2; first[n] = $4; last[n] = $5 }
	function number(hex,  i, n) {
		n = 0
		for (i = 3; i <= length(hex); i++)
			n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
		return n
	}
	END {
		for (i = 1; i <= n; i++)
			for (j = 1; j < i; j++) {
				a = number(at[i]); b = number(at[j])
				if (first[i] <= last[j] && first[j] <= last[i] && a < b + byte[j] && b < a + byte[i]) bad++
			}
		exit !(n == 23 && !bad)
	}' "$work/one/dram.map" || fail "regions overlap, or are not 23"
grep -v '^#' "$work/one/dram.map" | LC_ALL=C sort -s -c -k1,1 || fail "dram.map is not sorted by address"
expect_code 0 "$DSE" schedule --read "$work/one" --json
expect_text "$work/out" '"data_byte": 1003520'

# A byte of the image, a line of the map, a name of the YAML.
cp -r "$work/one" "$work/two.good"
printf 'X' | dd of="$work/one/dram.bin" bs=1 seek=3000 conv=notrunc 2>/dev/null
expect_code 3 "$DSE" schedule --read "$work/one"
expect_text "$work/err" "dram.bin:16: head, checksum is"
head -c 1000 "$work/two.good/dram.bin" >"$work/one/dram.bin"
expect_code 3 "$DSE" schedule --read "$work/one"
expect_text "$work/err" "dram.bin:24: head, image bytes is"
cp "$work/two.good/dram.bin" "$work/one"
sed '5d' "$work/two.good/dram.map" >"$work/one/dram.map"
expect_code 3 "$DSE" schedule --read "$work/one"
expect_text "$work/err" "dram.map:5:1: line is"
cp "$work/two.good/dram.map" "$work/one"
sed 's/workers: 8/workers: 9/; s/^    groups: 1/    groups: 2/' "$work/two.good/schedule.yaml" >"$work/one/schedule.yaml"
expect_code 3 "$DSE" schedule --read "$work/one"
expect_text "$work/err" "line is '    groups: 2', expected '    groups: 1' as follows from dram.bin and names"
sed 's/^total_us.*/total_us: soon/' "$work/two.good/schedule.yaml" >"$work/one/schedule.yaml"
expect_code 3 "$DSE" schedule --read "$work/one"
grep -Eq 'schedule.yaml:7:11: ' "$work/err" || fail "no place of a time that is none"
rm "$work/one/schedule.yaml"
expect_code 5 "$DSE" schedule --read "$work/one"
expect_text "$work/err" "schedule.yaml: cannot be read"

# What does not fit is a verdict, and nothing is written.
expect_code 4 "$DSE" schedule resnet18 --machine final_chip -o "$work/small" --dram-byte 4000000 -q
expect_empty "$work/out" # the table would be of a schedule that cannot be
expect_text "$work/err" "exceed the DRAM"
expect_text "$work/err" "available 4000000"
[ ! -e "$work/small" ] || fail "files of a schedule that does not fit"

# Several chips: a folder each, and what they send each other; a list that is of one chip no more is gone.
for strategy in dram hide; do
	expect_code 0 "$DSE" schedule googlenet --machine final_chip --strategy $strategy --chips 3 -o "$work/chips" -q
	expect_code 0 "$DSE" schedule --read "$work/chips"
	expect_text "$work/out" "chip 3 of 3: googlenet on final_chip"
	expect_code 3 "$DSE" schedule --read "$work/chips/chip_2"
	expect_text "$work/err" "is one chip of several, which receives "
done
expect_code 0 "$DSE" schedule --read "$work/chips" --json
[ "$(grep -o "googlenet" "$work/out" | wc -l)" -eq 3 ] || fail "not three chips in JSON"
sed 's/^    layers: /    layers: 1/' "$work/chips/chips.yaml" >"$work/list" && cp "$work/list" "$work/chips/chips.yaml"
expect_code 3 "$DSE" schedule --read "$work/chips"
expect_text "$work/err" "chips.yaml:11:1: line is '    layers: 1"
expect_code 0 "$DSE" schedule resnet18 --machine final_chip -o "$work/chips" -q
expect_code 0 "$DSE" schedule --read "$work/chips"
[ ! -e "$work/chips/chips.yaml" ] || fail "a list of chips of an earlier schedule"

# Weights in SRAM: a map of the workers' SRAM beside the others; every line of it is needed.
expect_code 0 "$DSE" schedule mlp_784_512_256_16 --machine final_chip --strategy sram -o "$work/sram" -q
expect_code 0 "$DSE" schedule --read "$work/sram"
expect_text "$work/out" "784 used"
expect_text "$work/sram/schedule.yaml" "stays: sram"
cp "$work/sram/sram.map" "$work/sram.map"
sed '7d' "$work/sram.map" >"$work/sram/sram.map"
expect_code 3 "$DSE" schedule --read "$work/sram"
expect_text "$work/err" " is missing"
sed '4s/^ *[0-9]* *[0-9]*/    0        8/' "$work/sram.map" >"$work/sram/sram.map"
expect_code 3 "$DSE" schedule --read "$work/sram"
rm "$work/sram/sram.map"
expect_code 5 "$DSE" schedule --read "$work/sram"
expect_code 2 "$DSE" schedule mlp_784_512_256_16 --machine final_chip --strategy sram --chips 2 -o "$work/small"
expect_text "$work/err" "-o with --strategy sram plans one chip"
expect_empty "$work/out"
[ ! -e "$work/small" ] || fail "files of a schedule that has none"

expect_code 2 "$DSE" schedule --read "$work/two.good" resnet18
expect_text "$work/err" "--read takes no network"
expect_code 2 "$DSE" schedule
expect_text "$work/err" "a network is missing"
