#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# explore --compare: the table, run.json, and mistakes that cost no search and no result.
. tests/cli/common

expect_code 0 "$DSE" explore -q spaces/smoke.yaml --detail fast -o "$work/one"
front=$(echo "$work"/one/smoke-*)/front.json

# A point of the same front is on it; the thesis' splits are at each operating point.
expect_code 0 "$DSE" explore -q spaces/smoke.yaml --detail fast -o "$work/two" --compare "$front:3" --compare thesis
expect_text "$work/out" "Compared with the front"
grep -qE "front.json:3 .*16x4 .* on the front$" "$work/out" || fail "point 3 is not on its own front"
[ "$(grep -c '^  thesis ' "$work/out")" -eq 4 ] || fail "not two machines with two operating points each"
run=$(echo "$work"/two/smoke-*)/run.json
expect_text "$run" '"compare": ['
expect_text "$run" '"verdict": "on_front"'
expect_text "$run" "--compare $front:3 --compare thesis"

# The front is the same with and without.
expect_same "$front" "$(echo "$work"/two/smoke-*)/front.json"

# The same numbers for any number of threads.
expect_code 0 "$DSE" explore -q spaces/smoke.yaml --detail fast -o "$work/three" -j 1 --compare "$front:3" --compare thesis
sed -n '/"compare"/,/^	\]/p' "$run" >"$work/a"
sed -n '/"compare"/,/^	\]/p' "$(echo "$work"/three/smoke-*)/run.json" >"$work/b"
expect_same "$work/a" "$work/b"

# Mistakes are told before the search, all of them.
expect_code 2 "$DSE" explore -q spaces/smoke.yaml -o "$work/four" --compare thesis:fuson --compare "$front:99"
expect_text "$work/err" "did you mean 'fusion'"
expect_text "$work/err" "no point with id 99"
[ ! -e "$work/four" ] || fail "a folder for a search that was not begun"
expect_code 3 "$DSE" explore -q spaces/smoke.yaml -o "$work/four" --compare spaces/splits/thesis.csv
expect_text "$work/err" "no split of layer CONV_1 of network tiny"

# A mapping's YAML, here of point 3: on the front where it is from, whatever machine it names; a mistake has its line.
expect_code 0 "$DSE" map --point "$front:3" -o "$work/mapped" -q
expect_code 0 "$DSE" explore -q spaces/smoke.yaml --detail fast -o "$work/yaml" --compare "$work/mapped/mapping.yaml"
grep -qE "mapping.yaml .*16x4 .* on the front$" "$work/out" || fail "the mapping of point 3 is not on the front"
sed 's/CONV_3/CONV_33/' "$work/mapped/mapping.yaml" >"$work/wrong.yaml"
expect_code 3 "$DSE" explore -q spaces/smoke.yaml -o "$work/four" --compare "$work/wrong.yaml"
expect_text "$work/err" "did you mean 'CONV_3'?"
[ ! -e "$work/four" ] || fail "a folder for a search that was not begun"

# What fits no machine is told after the results are written: all splits of tiny in one task, on a smaller SRAM.
sed 's/^  mla.array: .*/  pe.sram_byte: [90000]/' spaces/smoke.yaml >"$work/small.yaml"
mkdir "$work/machines" "$work/networks"
cp spaces/machines/dvfs_chip.yaml "$work/machines"
cp spaces/networks/tiny.yaml "$work/networks"
{
	echo network,target,operation,ofmap_w,ofmap_h,ofmap_c,ifmap_w,ifmap_c
	echo 'tiny,chip,CONV_1,32*1,32*1,16*1,32*1,3*1'
	echo 'tiny,chip,CONV_3,16*1,16*1,32*1,16*1,16*1'
	echo 'tiny,chip,FC_4,16*1,1*1,,8192*1,'
} >"$work/whole.csv"
expect_code 3 "$DSE" explore -q "$work/small.yaml" -o "$work/five" --compare "$work/whole.csv:fusion"
expect_text "$work/err" "fits no machine of the space"
expect_text "$work/err" "layer FC_4: a task's operands and results exceed the PE's SRAM"
expect_text "$work/out" "Pareto front"
[ -s "$(echo "$work"/five/smoke-*)/front.csv" ] || fail "the search's results are lost"
