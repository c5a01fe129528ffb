#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse explain: what a space says is in the words, and the counts are those of dse check.
. tests/cli/common

cat >"$work/space.yaml" <<'END'
name: told
machine: dvfs_chip
axes: {chip.n_dram: [1, 2]}
networks: [{network: tiny, weight: 2}, {network: vgg16, weight: 1}]
aggregate: weighted
layers:
  - {match: ., split: whole, strategy: fusion, level: PL2}
  - {match: '^FC_', split: thesis}
  - match: '^CONV_3$'
    split: {height: {max_parts: 3, choose: even}, out_channels: [8*4, 4*8], in_channels: all}
    strategy: [fusion, fusion_reuse]
    level: all
constraints: [chip.n_dram >= 2, latency_ms <= 43]
objectives: [latency_ms, energy_mj]
search: {engine: nsga2, seed: 7, max_evaluations: 5000}
END

# told TEXT...: the last command has said so; in one line, as lines are broken anywhere.
told() {
	tr -s ' \n' ' ' <"$work/out" >"$work/line"
	for text; do
		expect_text "$work/line" "$text"
	done
}

expect_code 0 "$DSE" explain "$work/space.yaml"
expect_empty "$work/err"
told "machine dvfs_chip (" "operating points: PL1 and PL2" "chip.n_dram is 1 or 2 interfaces (" "2 candidates" \
	"only machines with chip.n_dram >= 2" "refused are 1 of the 2" "weight 2" "metrics are added up with the weights"
told "1 convolution of tiny (CONV_3):" \
	"split: width: not split; height: even splits of at most 3 parts; out_channels: 8*4 or 4*8; in_channels: every legal split" \
	"strategy: fusion or fusion_reuse; operating point: PL1 or PL2; operands: 8 bit" \
	"1 matrix multiplication of tiny (FC_4): split: the one of the thesis' rules"
told "machine dvfs_chip, chip.n_dram 2" "the less energy_mj the better" "only results with latency_ms <= 43" \
	"engine nsga2" "seed 7" "after about 5000 evaluations"

# The counts of dse check; the time is measured anew, and may differ.
for space in smoke qpe_vgg16 tpu_small; do
	expect_code 0 "$DSE" check -q "spaces/$space.yaml"
	designs=$(sed -n 's/^  designs: \([^ ]*\) legal.*/\1/p' "$work/out")
	whole=$(sed -n 's/^  whole networks: \([^ ]*\) designs.*/\1/p' "$work/out")
	machines=$(sed -n 's/^  machines: \([0-9]*\) candidates.*/\1/p' "$work/out")
	expect_code 0 "$DSE" explain "spaces/$space.yaml" --quiet
	told "$designs legal designs" "all networks together have $whole designs" "$machines candidates"
done
# Of a name of a setting, the names that are asked for.
told "systolic.dataflow is any ("

# Every layer is in one group: 13 + 3 of VGG-16, and 53 + 1 + 1 of ResNet-50, which choose alike on each machine.
expect_code 0 "$DSE" explain spaces/mla_sizing.yaml
told "split: width, height, out_channels: every legal split; in_channels: not split"
n=$(sed -n 's/^  \([0-9]*\) [a-z].* of \(vgg16\|resnet50\) (.*/\1/p' "$work/out" | awk '{ n += $1 } END { print n }')
[ "$n" = 71 ] || fail "$n layers of 71 are told"

# As JSON the same lines, unbroken; a mistake in a space is told as dse check tells it.
expect_code 0 "$DSE" explain --json spaces/smoke.yaml -o "$work/words.json"
expect_text "$work/words.json" '"title": "Machines"'
expect_text "$work/words.json" '"engine exact: '
printf 'name: odd\nmachine: dvfs_chip\nnetwork: tiny\nobjectives: [speed]\n' >"$work/odd.yaml"
expect_code 3 "$DSE" explain "$work/odd.yaml"
expect_text "$work/err" "odd.yaml:4:14: "
expect_empty "$work/out"

# Nothing to choose where every machine is refused.
sed 's/chip.n_dram >= 2/chip.n_dram >= 3/' "$work/space.yaml" >"$work/none.yaml"
expect_code 0 "$DSE" explain "$work/none.yaml"
told "all machines that were looked at are refused" "no design, unless"
