#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every command on terminals of 60, 80, 100 and 200 columns: no line is wider, and lines break between words, so that all
# words are those of a wide terminal. Commands to copy go on behind a backslash; a path alone may be longer than a line.
#   widths.sh                              60 and 200 columns
#   WIDTHS="60 80 100 200" widths.sh       all of them, in 20 s of CPU (make widths)
. tests/cli/common
if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	echo "SKIPPED: no script (util-linux) here to make a terminal"
	exit 0
fi

# screen COLUMNS COMMAND...: what it says on such a terminal, in $work/screen.
screen() {
	width=$1
	shift
	script -qec "stty cols $width rows 40; NO_COLOR=1 TERM=dumb $*" /dev/null </dev/null | tr -d '\r' >"$work/screen" || true
	[ -s "$work/screen" ] || fail "nothing on the screen: $*"
}
# words: of the screen, without what differs from run to run, and what a table says that leaves columns out.
words() {
	tr -s ' \n' '\n\n' <"$work/screen" | sed 's/^[(]*//; s/[],;:)\\]*$//' |
		grep -Ev '^([0-9.,:+-]*|No|room|for|The|same|in|all|of|these|has|them|front\.csv|run\.json)$' | sort -u
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

DSE_STORE=$work/store.db
export DSE_STORE
sed 's/^name: smoke/name: none/' spaces/smoke.yaml >"$work/none.yaml"
printf 'constraints: [latency_ms <= 0.37, energy_mj <= 0.01]\n' >>"$work/none.yaml"
sed 's/^  mla.array: .*/  mla.array: [16x4, 8x8]/' spaces/smoke.yaml >"$work/other.yaml"
expect_code 0 "$DSE" explore spaces/smoke.yaml --detail fast -q -o "$work/runs"
expect_code 0 "$DSE" explore "$work/other.yaml" --detail fast -q -o "$work/runs"
expect_code 0 "$DSE" map dvfs_chip tiny -q -o "$work/map"

while read -r words; do
	case $words in explore* | *audit | prove*) $is_slow && continue; columns=${WIDTHS:-60} ;; *) columns=${WIDTHS:-60 200} ;; esac
	# shellcheck disable=SC2086
	fits "$DSE" $words
done <<END
--help
--version
explore spaces/smoke.yaml --no-cache --no-progress -o $work/results
explore spaces/smoke.yaml --no-cache --no-progress --detail fast --verify --audit -o $work/results
explore $work/none.yaml --no-cache --no-progress -o $work/results
simulate dvfs_chip tiny
simulate dvfs_chip tiny --detail event --audit
simulate tests/reference/onnx/light_squeezenet.onnx dvfs_chip
simulate --mapping $work/map/mapping.yaml
simulate --point 1:0
map dvfs_chip tiny
prove dvfs_chip tiny
schedule tiny --machine final_chip
power dvfs_chip tiny --budget-frac 0.5 --front
power dvfs_chip tiny --analyse sensitivity --budget-frac 0.5
sensitivity 1
roofline dvfs_chip tiny
roofline edge_tpu tiny
validate tests/reference/hdl_clocks.csv
fit spaces/measurements/example.csv
import tests/reference/onnx/light_squeezenet.onnx
check spaces/smoke.yaml spaces/machines/dvfs_chip.yaml spaces/networks/tiny.yaml
explain spaces/smoke.yaml
explain dvfs_chip
runs
show 1
compare 1 2
export 1 --csv
completion machines
nosuch
explore --nosuch
check $work/missing.yaml
explain tests/malformed/machine_bad_value.yaml
END
