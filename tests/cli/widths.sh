#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every command on terminals of 60, 80, 100 and 200 columns: no line is wider, and lines break between words, so that all
# words are those of a wide terminal. Commands to copy go on behind a backslash; a path alone may be longer than a line.
#   widths.sh                              60 columns, of commands alike one
#   WIDTHS="60 80 100 200" widths.sh       all of them, in 75 s of CPU (make widths)
. tests/cli/common
if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	echo "SKIPPED: no script (util-linux) here to make a terminal"
	exit 0
fi

# screen COLUMNS COMMAND...: what it says on such a terminal, in $work/screen.
screen() {
	width=$1
	shift
	rm -rf "$work"/fresh*
	script -qec "stty cols $width rows 40; NO_COLOR=1 TERM=dumb $*; echo \$? >$work/code" /dev/null </dev/null | tr -d '\r' >"$work/screen"
	case $(cat "$work/code") in 0 | [2-6]) ;; *) cat "$work/screen" >&2; fail "exit $(cat "$work/code"): $*" ;; esac
	[ -s "$work/screen" ] || fail "nothing on the screen: $*"
}
# words: of the screen, without what differs from run to run, and what a table says that leaves columns out.
words() {
	tr -s ' \n' '\n\n' <"$work/screen" | sed 's/^[(]*//; s/[],;:)\\]*$//' |
		grep -Ev '^([0-9.,:+-]*|thousand|million|No|room|for|The|same|in|all|of|these|has|them|front\.csv|run\.json)$' | sort -u
}
# fits COMMAND...
fits() {
	for n in $columns 1000; do
		screen "$n" "$@"
		# a word longer than the line, a path say, stands alone
		LC_ALL=C.UTF-8 awk -v n="$n" 'length($0) > n && NF > 1 { print length($0) ": " $0; bad = 1 } END { exit bad }' \
			"$work/screen" >&2 || fail "wider than $n columns: $*"
		words >"$work/words.$n"
	done
	for n in $columns; do
		[ -z "$(comm -23 "$work/words.$n" "$work/words.1000")" ] ||
			fail "words are broken at $n columns: $(comm -23 "$work/words.$n" "$work/words.1000" | tr '\n' ' '): $*"
	done
}

# whole COMMAND...: what other programs read has the lines that it has elsewhere, also those that no terminal has room for.
whole() {
	expect_code 0 "$@"
	screen 60 "$@"
	expect_same "$work/screen" "$work/out"
}

DSE_STORE=$work/store.db
export DSE_STORE
sed 's/^name: smoke/name: none/' spaces/smoke.yaml >"$work/none.yaml"
printf 'constraints: [latency_ms <= 0.37, energy_mj <= 0.01]\n' >>"$work/none.yaml"
sed 's/^  mla.array: .*/  mla.array: [16x4, 8x8]/' spaces/smoke.yaml >"$work/other.yaml"
cat >"$work/small.yaml" <<END
name: small
target: systolic
systolic: {array: 8x8, ifmap_byte: 4096, filter_byte: 8192, ofmap_byte: 4096, dataflow: os, memory_gb_s: 2}
levels: [{name: N, vdd_v: 0.8, clk_mhz: 500}]
END
cat >"$work/arada.yaml" <<END
name: trial
machine: small.yaml
network: $PWD/spaces/networks/tiny.yaml
objectives: [latency_ms]
arada: {memory_model: physical, bandwidth: gb_s, switch_us: 0.5, memories: {small: {slow: 1, fast: 60}}, detail: {network: tiny, machines: {small: [slow, fast]}}}
END
expect_code 0 "$DSE" explore spaces/smoke.yaml --detail fast -q -o "$work/runs" --certificate "$work/smoke.certificate"
expect_code 0 "$DSE" explore "$work/other.yaml" --detail fast -q -o "$work/others"
expect_code 0 "$DSE" map dvfs_chip tiny --split even -q -o "$work/map"
expect_code 0 "$DSE" schedule mlp_784_512_256_16 --machine final_chip --weights random -q -o "$work/image"
expect_code 0 "$DSE" emulate "$work/image" --machine final_chip -q --time-area "$work/times"
for part in 1 2; do
	expect_code 0 "$DSE" explore spaces/smoke.yaml --detail fast -q --no-cache --shard $part/2 -o "$work/shards"
done

# What is looked at; a line of dse man is troff's, and no reader's.
cat >"$work/commands" <<END
--help
--version
explore spaces/smoke.yaml --no-cache --no-progress -o $work/results
explore spaces/smoke.yaml --no-cache --no-progress --detail fast --verify --audit -o $work/results
explore spaces/smoke.yaml --no-cache --no-progress --detail fast --max-evaluations 20 -o $work/results
explore $work/none.yaml --no-cache --no-progress -o $work/results
explore tests/verdict/array.yaml --no-cache --no-progress --detail fast --coefficient-samples 20 -o $work/results
explore tests/verdict/memory.yaml --no-cache --no-progress --detail fast -o $work/results
explore tests/verdict/systolic.yaml --no-cache --no-progress --detail fast -o $work/results
explore tests/verdict/nothing.yaml --no-cache --no-progress --detail fast -o $work/results
explore tests/verdict/deadline.yaml --no-cache --no-progress --detail fast -o $work/results
check-certificate $work/smoke.certificate spaces/smoke.yaml
size dvfs_chip tiny --detail fast --vary mla.array=16x4,8x4 --no-cache --no-progress -o $work/results
merge $(echo "$work"/shards/*) --no-progress -o $work/merged
nightly spaces/smoke.yaml --no-progress --tables tests/reference/pe_tasks.csv --date 2026-01-01 --store $work/fresh.db -o $work/fresh_nights
report $(echo "$work"/runs/smoke-*) -o $work/page.html
simulate dvfs_chip tiny
simulate dvfs_chip tiny --detail event --audit
simulate edge_tpu tiny
simulate tests/reference/onnx/light_squeezenet.onnx dvfs_chip
simulate --mapping $work/map/mapping.yaml
simulate --point 1:0
map dvfs_chip tiny --split even
prove dvfs_chip tiny
schedule tiny --machine final_chip
schedule mlp_784_512_256_16 --machine final_chip --weights random --target spinnaker2 -o $work/host
emulate $work/image --machine final_chip
fit --time-area $work/times $work/image --machine final_chip
fuse thesis_chip vgg16 --prove
fuse thesis_qpe_dram mobilenet_v2
power dvfs_chip tiny --budget-frac 0.5 --front
power dvfs_chip tiny --analyse sensitivity --budget-frac 0.5
arada $work/arada.yaml -o $work/arada
sensitivity 1
why 1 mla.array=16x2
why 1 CONV_1.strategy=fusion pe.sram_byte=64KiB
roofline dvfs_chip tiny
roofline edge_tpu tiny
validate tests/reference/hdl_clocks.csv
fit spaces/measurements/example.csv
import tests/reference/onnx/light_squeezenet.onnx
init $work/fresh_space
init machine $work/fresh_machine
check spaces/smoke.yaml spaces/machines/dvfs_chip.yaml spaces/networks/tiny.yaml
explain spaces/smoke.yaml
explain dvfs_chip
runs
show 1
compare 1 2
export 1 --csv
simulate dvfs_chip tiny --json
completion machines
man --help
nosuch
explore --nosuch
check $work/missing.yaml
explain tests/malformed/machine_bad_value.yaml
END
"$DSE" --help | sed -n 's/^  \([a-z][a-z-]*\)$/\1/p; s/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p' >"$work/names"
[ "$(wc -l <"$work/names")" -gt 25 ] || fail "dse --help names too few commands"
while read -r name; do
	grep -qE "^$name( |$)" "$work/commands" || fail "no output of dse $name is looked at"
	echo "$name --help" >>"$work/commands"
done <"$work/names"

while read -r words; do
	columns=${WIDTHS:-60}
	# of commands alike the sample has one
	case ${WIDTHS:+all} in '') case $words in *verdict/[!d]* | *--max-evaluations* | *--audit | 'why 1 C'* | sensitivity\ 1 | init\ m* | 'roofline e'*) continue ;; esac ;; esac
	case $words in explore* | prove* | nightly* | why* | *help) ! $is_slow || continue ;; esac
	check=fits
	case $words in export\ 1* | *--json) check=whole ;; esac
	# shellcheck disable=SC2086
	$check "$DSE" $words
done <"$work/commands"
