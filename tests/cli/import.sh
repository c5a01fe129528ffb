#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse import: counts of published models, a network that is the model, and what is said about models that are none.
. tests/cli/common
models=tests/reference/onnx

# counts MODEL MAC PARAMETERS: as published beside the models.
counts() {
	expect_code 0 "$DSE" import "$models/$1.onnx" --json
	expect_empty "$work/err"
	expect_text "$work/out" "\"mac\": $2"
	expect_text "$work/out" "\"parameters\": $3"
	expect_text "$work/out" '"unsupported": 0'
}
counts light_resnet50 4089184256 25503912
[ "$(grep -c '"op": "Conv", "status": "mla"' "$work/out")" = 53 ] || fail "not 53 convolutions on the MLA"
[ "$(grep -c '"op": "BatchNormalization", "status": "folded"' "$work/out")" = 53 ] || fail "not 53 folded normalisations"
[ "$(grep -c '"status"' "$work/out")" = 415 ] || fail "not every node is listed"
counts light_shufflenet 124664528 1366488
counts light_squeezenet 349151936 1235496

# The file that is written, the model itself and the report agree; so do their clocks.
for model in light_resnet50 light_squeezenet; do
	expect_code 0 "$DSE" import "$models/$model.onnx" -q -o "$work/$model.yaml"
	expect_code 0 "$DSE" check "$work/$model.yaml"
	from_yaml=$(sed 's/.*ok; //' "$work/out")
	expect_code 0 "$DSE" check "$models/$model.onnx"
	[ "$(sed 's/.*ok; //' "$work/out")" = "$from_yaml" ] || fail "$model: the file is not the model"
	expect_code 0 "$DSE" simulate thesis_chip "$work/$model.yaml" -q --strategy fusion
	sed "s|$work/$model.yaml|$models/$model.onnx|" "$work/out" >"$work/yaml.out" # in the command that is printed
	expect_code 0 "$DSE" simulate thesis_chip "$models/$model.onnx" -q --strategy fusion
	cmp -s "$work/out" "$work/yaml.out" || fail "$model: other clocks from the file than from the model"
done

# Mistakes.
expect_code 5 "$DSE" import "$work/none.onnx"
printf 'name: x\n' >"$work/text.onnx"
expect_code 3 "$DSE" import "$work/text.onnx"
expect_text "$work/err" "text.onnx: no ONNX model"
expect_code 3 "$DSE" simulate thesis_chip "$work/text.onnx"
expect_code 3 "$DSE" import "$models/light_squeezenet.onnx" --dim batch=2
expect_text "$work/err" "no input has an open dimension 'batch'"
expect_code 2 "$DSE" import "$models/light_squeezenet.onnx" --dim batch=0
expect_text "$work/err" "--dim is 'batch=0', allowed is NAME=N with N from 1 to 2^31"
expect_code 2 "$DSE" import "$models/light_squeezenet.onnx" --dim =4

# Layers go by their nodes' names: in tables beside ours, in JSON, and where layers are chosen.
expect_code 0 "$DSE" simulate dvfs_chip "$models/light_squeezenet.onnx"
grep -Eq '^CONV_3 +n3 \(Conv\) +fusion_reuse ' "$work/out" || fail "no node beside a layer"
expect_code 0 "$DSE" simulate dvfs_chip "$work/light_squeezenet.yaml" --layers '^n7$' --json
expect_text "$work/out" '"layer": "CONV_5", "operation": "CONV_5", "node": "n7", "operator": "Conv"'
expect_code 0 "$DSE" roofline dvfs_chip "$models/light_squeezenet.onnx" --layers '^n7$'
grep -Eq '^CONV_5 +n7 \(Conv\) +conv ' "$work/out" || fail "no layer by the name of its node, or the name is not there"
expect_code 0 "$DSE" roofline dvfs_chip "$models/light_squeezenet.onnx" -q -o "$work/roofline"
grep -Eq ',CONV_5,.*,n7,Conv$' "$work/roofline/roofline.csv" || fail "no node in roofline.csv"
expect_code 0 "$DSE" power dvfs_chip "$models/light_squeezenet.onnx" --budget-frac 0.9 -q -o "$work/power"
grep -Eq ',CONV_5,.*,n7,Conv,' "$work/power/schedule.csv" || fail "no node in schedule.csv"
expect_text "$work/power/power.json" '"layer": "CONV_5"'
expect_text "$work/power/power.json" '"node": "n7"'
expect_code 0 "$DSE" power dvfs_chip "$models/light_squeezenet.onnx" --budget-frac 0.9
grep -Eq ' CONV_5 +n7 \(Conv\) +layer ' "$work/out" || fail "no node in a schedule of levels"
# dse schedule, too, and an operation's word is that of other tables.
expect_code 0 "$DSE" schedule "$models/light_squeezenet.onnx" --machine thesis_chip
grep -Eq '^ +CONV_5 +n7 \(Conv\) +conv ' "$work/out" || fail "no node in a schedule"
expect_code 0 "$DSE" schedule vgg16 --machine thesis_chip
grep -Eq '^ +FC_19 +fc ' "$work/out" || fail "a fully connected layer is no fc"
# and a report's page
printf 'name: r\nmachine: dvfs_chip\nnetwork: %s\nobjectives: [latency_ms]\nlayers: [{match: ".*", split: thesis}]\n' \
	"$PWD/$models/light_squeezenet.onnx" >"$work/page.yaml"
expect_code 0 "$DSE" explore "$work/page.yaml" --detail fast -q --store none -o "$work/page"
expect_code 0 "$DSE" report "$work"/page/* -q -o "$work/page.html"
expect_text "$work/page.html" '"operation":"CONV_5","node":"n7 (Conv)"'
printf 'name: r\nmachine: dvfs_chip\nnetwork: %s\nobjectives: [latency_ms]\nlayers: [{match: "^n7$", split: even}]\n' \
	"$PWD/$models/light_squeezenet.onnx" >"$work/rule.yaml"
expect_code 0 "$DSE" check "$work/rule.yaml"
