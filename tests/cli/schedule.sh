#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse schedule: the paper's perceptron, workers, strategies, chips, JSON, models from ONNX, mistakes.
. tests/cli/common

# As the paper cuts it: rows within 10 %, the total within 5 % of table II.
expect_code 0 "$DSE" schedule mlp_784_512_256_16 --machine final_chip --workers paper
awk '$1 == "FC_1" && $3 == 8 && $15 > 290.7 && $15 < 355.3 { n++ }
	$1 == "FC_2" && $3 == 4 && $15 > 195.3 && $15 < 238.7 { n++ }
	$1 == "FC_3" && $3 == 1 && $15 > 72 && $15 < 88 { n++ }
	$1 == "SOFTMAX_4" && $3 == 1 && $15 > 45 && $15 < 55 { n++ }
	$1 == "total" && $2 > 653.6 && $2 < 722.4 { n++ }
	END { exit n != 5 }' "$work/out" || { cat "$work/out"; fail "not what was published"; }

# Best workers are faster, fetching ahead and SRAM alone faster still; never more workers than allowed.
total() {
	sed -n 's/^total \([0-9.]*\) us.*/\1/p' "$work/out"
}
before=$(total)
for choice in "--workers 8" "--workers best" "--strategy hide" "--strategy sram"; do
	# shellcheck disable=SC2086 # two words
	expect_code 0 "$DSE" schedule mlp_784_512_256_16 --machine final_chip $choice
	awk -v a="$before" -v b="$(total)" 'BEGIN { exit !(b < a) }' || fail "$choice: $(total) us is no better than $before us"
	before=$(total)
done
expect_code 0 "$DSE" schedule mlp_784_512_256_16 --machine final_chip --workers 3
awk '$2 == "linear" && $3 > 3 { exit 1 }' "$work/out" || fail "more workers than allowed"

# All workers enabled: the published 39 and 93 us, in a table of one's own as well.
expect_code 0 "$DSE" schedule mlp_784_512_256_16 --machine final_chip --workers 151
expect_text "$work/out" "151 workers enabled: setup 39.0 us"
expect_text "$work/out" "cleanup 93.0 us"
printf 'step,runtime_us,input,output,workers\nsetup,39,,,\ncleanup,93,,,\nFC1+ReLU,323,784,512,8\n' >"$work/own.csv"
expect_code 0 "$DSE" validate "$work/own.csv" --max-error 3

# JSON has every part; the same bytes for any number of threads.
expect_code 0 "$DSE" schedule tiny --machine final_chip --json
cp "$work/out" "$work/one"
expect_text "$work/out" '"weights": '
expect_text "$work/out" 'octopus.operand_word_clk'
expect_code 0 "$DSE" schedule tiny --machine final_chip --json -j2
expect_same "$work/out" "$work/one"

# Residuals, groups, other machines, levels and goals; a pipeline of chips.
expect_code 0 "$DSE" schedule resnet50_stage_3 --machine final_chip --level high --goal energy
expect_text "$work/out" "(high, 300 MHz), strategy dram, least energy"
expect_code 0 "$DSE" schedule mobilenet_v2 --machine thesis_chip --workers 64
expect_code 0 "$DSE" schedule tiny --machine thesis_qpe_dram
expect_code 0 "$DSE" schedule resnet50_stage_3 --machine final_chip --chips 3
expect_text "$work/out" "chip 3: "
expect_text "$work/out" "an input every"

# Mistakes.
expect_code 2 "$DSE" schedule tiny
expect_text "$work/err" "--machine is missing"
expect_code 2 "$DSE" schedule tiny --machine final_chip --workers 152
expect_text "$work/err" "allowed are best, paper and numbers from 1 to 151"
expect_code 2 "$DSE" schedule tiny --machine final_chip --workers 7a
expect_code 2 "$DSE" schedule tiny --machine final_chip --strategy dra
expect_text "$work/err" "did you mean 'dram'?"
expect_code 2 "$DSE" schedule tiny --machine final_chip --goal power
expect_code 2 "$DSE" schedule tiny --machine final_chip --level fast
expect_code 3 "$DSE" schedule tiny --machine edge_tpu
expect_text "$work/err" "is a systolic array"
expect_code 4 "$DSE" schedule vgg16 --machine final_chip --strategy sram
expect_text "$work/err" "pe.sram_byte"
sed 's/sram_byte: 98304/sram_byte: 1024/' spaces/machines/final_chip.yaml >"$work/small.yaml"
expect_code 0 "$DSE" schedule tiny --machine "$work/small.yaml"

# What of a total is overhead: its parts add up, and are what dse map --runtime adds for as many workers.
expect_code 0 "$DSE" schedule mlp_784_512_256_16 --machine final_chip --workers paper
tr -s ' \n' ' ' <"$work/out" >"$work/line"
expect_text "$work/line" "mapping by the paper's rule (tiles and workers, strategy dram); run-time overhead is in it"
sed -n 's/.*total \([0-9.]*\) us from.*run time = work \([0-9.]*\) us + setup and cleanup \([0-9.]*\) us + scheduling and configuration of 4 layers \([0-9.]*\) us.*/\1 \2 \3 \4/p' \
	"$work/line" >"$work/parts"
awk '{ d = $1 - $2 - $3 - $4; exit !(NF == 4 && d < 0.2 && d > -0.2) }' "$work/parts" || fail "parts of the total"
