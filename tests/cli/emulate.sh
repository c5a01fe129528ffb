#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse schedule --weights and dse emulate: images that are filled, run and refused.
. tests/cli/common

expect_code 0 "$DSE" schedule mlp_784_512_256_16 --machine final_chip --workers paper --weights random --seed 3 -o "$work/mlp" -q
expect_code 0 "$DSE" schedule --read "$work/mlp"
expect_code 0 "$DSE" emulate "$work/mlp" -o "$work/one"
expect_text "$work/out" "8      8       403456        6272          512"
expect_code 0 "$DSE" emulate "$work/mlp/dram.bin" --json -o "$work/two"
expect_text "$work/out" '"weight_byte": 403456, "input_byte": 6272, "output_byte": 512'
expect_same "$work/one" "$work/two"
[ "$(wc -c <"$work/one")" -eq 16 ] || fail "no 16 bytes of output"

# The same weights whatever the cut: the same outputs. Another seed: others.
head -c 2352 "$work/mlp/dram.bin" >"$work/input"
expect_code 0 "$DSE" emulate "$work/mlp" --input "$work/input" -o "$work/three" -q
expect_code 0 "$DSE" schedule mlp_784_512_256_16 --machine final_chip --weights random --seed 3 -o "$work/best" -q
expect_code 0 "$DSE" emulate "$work/best" --input "$work/input" -o "$work/four" -q
expect_same "$work/three" "$work/four"
[ "$(wc -c <"$work/three")" -eq 48 ] || fail "no three outputs"

# What cannot be.
expect_code 3 "$DSE" emulate "$work/mlp" --input "$work/one"
expect_text "$work/err" "has 16 bytes, allowed are inputs of 784 bytes each"
expect_code 0 "$DSE" schedule tiny --machine final_chip -o "$work/empty" -q
expect_code 3 "$DSE" emulate "$work/empty"
expect_text "$work/err" "it ends where the weights begin; write it with dse schedule --weights"
expect_code 2 "$DSE" schedule tiny --machine final_chip --weights random
expect_text "$work/err" "--weights fills the files of -o DIR, which is missing"
expect_code 2 "$DSE" schedule tiny --machine final_chip --calibrate "$work/one" -o "$work/empty"
expect_text "$work/err" "--calibrate is of --weights"
expect_code 3 "$DSE" schedule tiny --machine final_chip --weights random --calibrate "$work/one" -o "$work/x"
expect_text "$work/err" "inputs of 3072 numbers of 4 bytes"
expect_code 2 "$DSE" schedule tiny --machine final_chip --weights model -o "$work/x"
expect_text "$work/err" "takes an ONNX model"
expect_code 3 "$DSE" schedule tests/reference/onnx/light_squeezenet.onnx --machine final_chip --weights model -o "$work/x"
expect_text "$work/err" "are not in the file"
expect_code 3 "$DSE" schedule encoder --machine final_chip --weights random -o "$work/x"
expect_text "$work/err" "no integer arithmetic"
# A weight of another layer, a shift: each change is found.
size=$(wc -c <"$work/mlp/dram.bin")
cp "$work/mlp/dram.bin" "$work/damaged"
printf '\125' | dd of="$work/damaged" bs=1 seek=$((size - 1000)) conv=notrunc 2>/dev/null
expect_code 3 "$DSE" emulate "$work/damaged"
expect_text "$work/err" "head, checksum is"
expect_text "$work/err" "header of layer 2, constants checksum is"

# Times as the schedule has them; constants that were changed are fitted back from the time area alone.
expect_code 0 "$DSE" emulate "$work/mlp" --machine final_chip --time-area "$work/times"
expect_text "$work/out" "setup 12.000 us, cleanup 9.000 us, total 690.092 us"
expect_code 0 "$DSE" fit "$work/mlp" --time-area "$work/times" --machine final_chip
expect_text "$work/out" "within 2 % of every layer's time in every part"
expect_code 0 "$DSE" emulate "$work/mlp" --machine final_chip --time-area "$work/times" \
	--set octopus.worker_gb_s=0.2 --set octopus.layer_us=20 --set arm.quan_pixel_clk=12 -q
expect_code 0 "$DSE" fit "$work/mlp" --time-area "$work/times" --machine final_chip -o "$work/fragment.yaml"
expect_text "$work/out" "1  linear   weights"
expect_code 0 "$DSE" fit "$work/mlp" --time-area "$work/times" --machine final_chip --json
awk '/"octopus.worker_gb_s"/ { rate = $0 } /"octopus.layer_us"/ { layer = $0 } /"arm.quan_pixel_clk"/ { quan = $0 }
	function after(line) { sub(/.*"after": /, "", line); return line + 0 }
	function near(is, expected) { return is > 0.99 * expected && is < 1.01 * expected }
	END { exit !(near(after(rate), 0.2) && near(after(layer), 20) && near(after(quan), 12)) }' "$work/out" ||
	fail "constants are not fitted back to 1 %"

# The sections that it writes take the place of a machine's.
awk 'FNR == NR { if (/^[a-z]/) mine[$1] = 1; next } /^[a-z]/ { skip = $1 in mine } !skip' "$work/fragment.yaml" \
	spaces/machines/final_chip.yaml >"$work/fitted.yaml"
cat "$work/fragment.yaml" >>"$work/fitted.yaml"
expect_code 0 "$DSE" fit "$work/mlp" --time-area "$work/times" --machine "$work/fitted.yaml"
expect_text "$work/out" "within 2 % of every layer's time in every part"

# What cannot be.
expect_code 2 "$DSE" emulate "$work/mlp" --time-area "$work/times"
expect_text "$work/err" "--machine is missing"
expect_code 2 "$DSE" fit "$work/mlp" --time-area "$work/times"
expect_text "$work/err" "--time-area needs --machine"
expect_code 2 "$DSE" fit "$work/mlp" --time-area "$work/times" --machine final_chip --robust
expect_text "$work/err" "are of tables"
expect_code 3 "$DSE" fit "$work/mlp" --time-area "$work/one" --machine final_chip
expect_text "$work/err" "has 16 bytes, the image's time area has"
head -c "$(wc -c <"$work/times")" /dev/zero >"$work/zeros"
expect_code 3 "$DSE" fit "$work/mlp" --time-area "$work/zeros" --machine final_chip
expect_text "$work/err" "zeros:8: layer 0, scheduler, end is 0: nothing was measured"

# The same numbers whatever the strategy, and from chip to chip of a pipeline.
expect_code 0 "$DSE" schedule mlp_784_512_256_16 --machine final_chip --strategy hide --weights random --seed 3 -o "$work/hide" -q
expect_code 0 "$DSE" emulate "$work/hide" --input "$work/input" -o "$work/five" -q
expect_same "$work/three" "$work/five"
expect_code 0 "$DSE" schedule mlp_784_512_256_16 --machine final_chip --chips 2 --weights random --seed 3 -o "$work/chips" -q
expect_code 0 "$DSE" emulate "$work/chips/chip_1" --input "$work/input" -o "$work/between" -q
expect_code 0 "$DSE" emulate "$work/chips/chip_2" --input "$work/between" -o "$work/six" -q
expect_same "$work/three" "$work/six"
expect_code 0 "$DSE" schedule mlp_784_512_256_16 --machine final_chip --strategy sram --weights random --seed 3 -o "$work/sram" -q
expect_code 0 "$DSE" emulate "$work/sram" --input "$work/input" -o "$work/seven"
expect_same "$work/three" "$work/seven"
expect_code 3 "$DSE" emulate "$work/sram" --machine final_chip
expect_text "$work/err" "no times by worker"
