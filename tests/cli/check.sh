#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse check: every file we ship is right, every malformed one is refused with file, line and column. Large spaces, of which
# each takes two seconds to estimate, are for check.sh --all (make studies); other tests search or read them.
. tests/cli/common

spaces="spaces/mla_sizing.yaml spaces/smoke.yaml spaces/tpu_small.yaml spaces/bench/vgg16_*.yaml spaces/bench/net_*_stage_3.yaml"
[ "${1:-}" != --all ] || spaces="spaces/*.yaml spaces/bench/*.yaml"
! $is_slow || spaces="spaces/mla_sizing.yaml spaces/smoke.yaml spaces/tpu_small.yaml spaces/bench/vgg16_fc_21.yaml"
# shellcheck disable=SC2086 # several files
expect_code 0 "$DSE" check $spaces spaces/machines/*.yaml spaces/networks/*.yaml
expect_empty "$work/err"
expect_text "$work/out" "space smoke: ok"
expect_text "$work/out" "space bench_vgg16_fc_21: ok"
expect_text "$work/out" "machine thesis_chip: ok"
expect_text "$work/out" "network resnet50: ok"
expect_text "$work/out" "evaluations: about"
# How fast designs are evaluated, in words: what the fast tier does, not how few a branch and bound of a moment needs.
grep -Eq '\(([0-9.]+ million|[0-9]+ thousand) evaluations a second and core' "$work/out" || fail "$(grep time: "$work/out")"
expect_text "$work/out" "memory: about"
# Legal splits of each dimension, layer by layer: an ofmap of 7 pixels has 13 splits into parts of one or two sizes.
grep -Eq '^ *resnet50 +CONV_45 .* 13( |$)' "$work/out" || fail "no 13 legal splits of 7 pixels"

# What a rule left out is told from what cannot matter to the engine.
cat >"$work/told.yaml" <<END
name: told
machine: dvfs_chip
network: tiny
layers:
  - {match: '.*', split: {width: whole, height: even}}
objectives: [latency_ms]
search: {engine: nsga2}
END
expect_code 0 "$DSE" check "$work/told.yaml"
expect_text "$work/out" "in parentheses those that the rules allow"
expect_text "$work/out" "in brackets those of these that can matter to the engine"
grep -Eq '^ *tiny +CONV_3 +60 \(1\) +60 \(16\) +194 \[[0-9]+\] +60 ' "$work/out" || fail "rules and engine are not told apart"
expect_text "$work/out" "left out by the space: some splits; "
expect_text "$work/out" "write their result to DRAM"
expect_code 0 "$DSE" check --json "$work/told.yaml"
expect_text "$work/out" '"layer": "CONV_3", "legal_splits_width": 60, "allowed_splits_width": 1, "listed_splits_width": 1, '
expect_text "$work/out" '"legal_splits_height": 60, "allowed_splits_height": 16, "listed_splits_height": 16, '
grep -Eq '"legal_splits_out_channels": 194, "allowed_splits_out_channels": 194, "listed_splits_out_channels": ([1-9]|[1-9][0-9]),' "$work/out" ||
	fail "JSON: of 194 splits of the channels that the rules allow some cannot matter"
expect_text "$work/out" '"network_result": "dram"'
sed -i 's/^network: tiny/&\nnetwork_result: any/' "$work/told.yaml"
expect_code 0 "$DSE" check "$work/told.yaml"
expect_text "$work/out" "their result may stay in storage QPEs"

for file in tests/malformed/space_*.yaml tests/malformed/machine_*.yaml tests/malformed/network_*.yaml \
	tests/malformed/timeloop_*.yaml tests/malformed/zigzag_*.yaml; do
	expect_code 3 "$DSE" check "$file"
	grep -Eq '\.yaml:[0-9]+:[0-9]+: ' "$work/err" || {
		cat "$work/err" >&2
		fail "$file: no file:line:column"
	}
done

printf 'colour: blue\n' >"$work/odd.yaml"
expect_code 3 "$DSE" check "$work/odd.yaml"
expect_text "$work/err" "odd.yaml:1:1: neither a space"

# The first mistake does not hide the files after it.
expect_code 3 "$DSE" check "$work/odd.yaml" spaces/machines/thesis_chip.yaml
expect_text "$work/out" "machine thesis_chip: ok"

# Our own reader of YAML reads our own JSON: the format of a front is missing, and nothing else.
expect_code 0 "$DSE" check --json spaces/smoke.yaml spaces/machines/thesis_chip.yaml -o "$work/check.json"
expect_text "$work/check.json" '"ok": true'
expect_text "$work/check.json" '"expected_evaluations"'
expect_code 3 "$DSE" simulate --point "$work/check.json:0"
expect_text "$work/err" "not a front.json"

# A faulty file's messages are in the JSON, too, and still on stderr.
expect_code 3 "$DSE" check --json "$work/odd.yaml" spaces/smoke.yaml
expect_text "$work/out" '"errors": '
expect_text "$work/out" 'odd.yaml:1:1: neither a space'
expect_text "$work/out" '"ok": true'
expect_text "$work/err" "odd.yaml:1:1: neither a space"

# Designs that no bound saves are all evaluated.
cat >"$work/few.yaml" <<'END'
name: few
machine: scalesim_64x64.cfg
network: tiny
objectives: [latency_ms]
layers:
  - {match: ., split: thesis}
END
expect_code 0 "$DSE" check -q "$work/few.yaml"
expect_text "$work/out" "evaluations: about 3 (all candidates)"

# What is expected is what these spaces' searches evaluate, exactly where they end in a second, else between two numbers.
grep -v '^#\|:' tests/signatures.txt >"$work/counts"
while read -r space _ _ n; do
	expect_code 0 "$DSE" check -q "spaces/$space.yaml" --json
	value() { sed -n "s/.*\"expected_evaluations$1\": \([0-9.e+]*\).*/\1/p" "$work/out"; }
	grep -q '"is_measured": \(true\|1\)' "$work/out" && within=1.001 || within=300
	awk -v n="$n" -v a="$(value _least)" -v b="$(value _most)" -v within=$within \
		'BEGIN { exit !(a > 0 && a <= n * 1.001 && n <= b * 1.001 && b <= a * within) }' ||
		fail "$space: $n evaluations, expected were $(value _least) to $(value _most)"
done <"$work/counts"

# In the event tier a search takes longer, which check says, and measures when asked.
expect_code 0 "$DSE" check -q spaces/smoke.yaml
expect_text "$work/out" "with --detail event a search takes thousands of times longer"
expect_code 0 "$DSE" check -q spaces/smoke.yaml --detail event
expect_text "$work/out" "that is with explore --detail event"
expect_code 2 "$DSE" check -q spaces/smoke.yaml --detail both
expect_text "$work/err" "allowed are fast, event"

# A reason why machines are refused, although the last one looked at is none of them.
cat >"$work/some.yaml" <<'END'
name: some
machine: dvfs_chip
axes: {chip.n_dram: [1, 2]}
network: tiny
layers: [{match: '.*', split: whole}]
constraints: [chip.n_dram == 2]
objectives: [latency_ms]
END
expect_code 0 "$DSE" check -q "$work/some.yaml"
grep -q 'refused: 1 of the 2 looked at, e\.g\. .*chip\.n_dram' "$work/out" || fail "no reason of the refused machine"

# Names without endings mean files beside the space, but not the space itself, and of a command those where it runs.
mkdir "$work/mine"
cp spaces/machines/dvfs_chip.yaml "$work/mine/my_chip.yaml"
cp spaces/networks/tiny.yaml "$work/mine/my_net.yaml"
sed 's/^machine:.*/machine: my_chip/; s/^networks:.*/networks: [my_net, tiny]/' spaces/smoke.yaml >"$work/mine/tiny.yaml"
expect_code 0 "$DSE" check -q "$work/mine/tiny.yaml"
program=$(realpath "$DSE")
cd "$work/mine"
expect_code 0 "$program" simulate my_chip my_net
