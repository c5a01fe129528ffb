#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a user names in another way than is wanted: the one message says what it is, or the program finds what is meant.
. tests/cli/common
repository=$PWD

# hint TEXT COMMAND...: it fails, says this, and no more than a line for each file.
hint() {
	text=$1
	shift
	if "$DSE" "$@" >"$work/out" 2>"$work/err"; then
		fail "succeeds: $*"
	fi
	expect_text "$work/err" "$text"
	[ "$(wc -l <"$work/err")" -le 2 ] || fail "$(wc -l <"$work/err") lines: $*"
}

# Machine and network the wrong way round, by name and by path; an ONNX model, which is no text; a space.
head -c 4096 /dev/urandom | tr -d '\n' >"$work/model.onnx"
printf 'name: n\ninput: [8, 8, 4]\nlayers: [{conv: {out_channels: 8, kernel: 3}}]\n' >"$work/n.yaml"
swapped="this is a network, where a machine is wanted; are machine and network swapped?"
for command in map simulate roofline power; do
	hint "tiny: $swapped" $command tiny dvfs_chip
	hint "dvfs_chip: this is a machine, where a network is wanted; are machine and network swapped?" $command tiny dvfs_chip
	hint "$work/n.yaml:1:1: $swapped" $command "$work/n.yaml" spaces/machines/dvfs_chip.yaml
	hint "$work/model.onnx:1:1: $swapped" $command "$work/model.onnx" dvfs_chip
	hint "spaces/smoke.yaml:4:1: this is a space, where a machine is wanted" $command spaces/smoke.yaml tiny
done
hint "tiny: $swapped" schedule final_chip --machine tiny
hint "tiny: this is a network, where a space is wanted" explore tiny
hint "$work/model.onnx:1:1: this is a network, where a space is wanted" explore "$work/model.onnx"
hint "no such file, and no such name under spaces; did you mean 'smoke'?" explore smokes
# A file that is wrong in itself is still told all that is wrong.
printf 'name: m\ntarget: chip\ninput: 3\nmla: {aray: 16x4}\n' >"$work/m.yaml"
expect_code 3 "$DSE" check "$work/m.yaml"
expect_text "$work/err" "did you mean 'array'?"

# Shipped spaces by their names, from anywhere.
program=$(cd "$(dirname "$DSE")" && pwd)/$(basename "$DSE")
cd "$work"
for command in "check smoke -q" "explain smoke" "explore smoke -q -o $work/results" "check dvfs_chip tiny"; do
	expect_code 0 "$program" $command
done

# A point by its run's folder and by what dse show takes.
unset DSE_STORE
expect_code 0 "$program" explore smoke -q
run=$(echo results/smoke-*)
expect_code 0 "$program" simulate --point "$run/front.json:5"
cp out point
for name in "$run:5" "$run/:5" smoke:5 last:5 1:5; do
	expect_code 0 "$program" simulate --point "$name"
	expect_same out point
	expect_code 0 "$program" prove --point "$name"
	expect_code 0 "$program" map --point "$name"
done
expect_code 2 "$program" simulate --point nobody:5
expect_text err "has no run 'nobody'"
expect_code 5 "$program" simulate --point none.json:5
rm "$run/front.json"
expect_code 5 "$program" simulate --point smoke:5
expect_text err "dse export 1 --json -o front.json"
cd "$repository"
