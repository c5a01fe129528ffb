#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# On a terminal no line is wider than it: tables go on in blocks, prose is broken between words. Help is, anywhere.
. tests/cli/common

if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	echo "SKIPPED: no script (util-linux) here to make a terminal"
	exit 0
fi
# fits COLUMNS COMMAND...: nothing that it says on a terminal of so many columns is wider, but paths and commands, which
# are to be copied.
fits() {
	columns=$1
	shift
	script -qec "stty cols $columns rows 40; NO_COLOR=1 TERM=dumb $*" /dev/null </dev/null | tr -d '\r' >"$work/screen" || true
	[ -s "$work/screen" ] || fail "nothing on the screen: $*"
	LC_ALL=C.UTF-8 awk -v n="$columns" '/^(Written to|Replay|Look at it|[^ ]*: no feasible)/ { next } length($0) > n { print length($0) ": " $0; bad = 1 } END { exit bad }' \
		"$work/screen" >&2 || fail "wider than $columns columns: $*"
}

for columns in 80 132; do
	for command in "map dvfs_chip vgg16" "simulate dvfs_chip tiny" "simulate thesis_chip resnet18 --strategy fusion_reuse" \
		"schedule tiny --machine final_chip" \
		"roofline dvfs_chip tiny" "power dvfs_chip tiny" "check spaces/smoke.yaml" "explain spaces/smoke.yaml" "--help"; do
		fits $columns "$DSE" "$command"
	done
done

# A front and its certificate, and why there is none.
sed 's/^name: smoke/name: none/' spaces/smoke.yaml >"$work/none.yaml"
printf 'constraints: [latency_ms <= 0.37, energy_mj <= 0.01]\n' >>"$work/none.yaml"
fits 80 "$DSE" explore spaces/smoke.yaml --no-progress -o "$work/results"
# What tells machines apart comes before metrics that are no objective.
grep -Eq '^id  latency_ms .* mla\.array( |$)' "$work/screen" || fail "80 columns do not show the array"
fits 80 "$DSE" explore "$work/none.yaml" --no-progress -q -o "$work/results"

# Nothing is lost: the blocks have all cells of the table. No file is broken.
fits 80 "$DSE" simulate dvfs_chip tiny
tr -s ' ' '\n' <"$work/screen" | sort -u >"$work/words"
"$DSE" simulate dvfs_chip tiny >"$work/wide"
awk 'length($0) > 100 { n++ } END { exit !n }' "$work/wide" || fail "a file has lines of a terminal"
tr -s ' ' '\n' <"$work/wide" | sort -u >"$work/all"
[ -z "$(comm -13 "$work/words" "$work/all")" ] || fail "words are lost: $(comm -13 "$work/words" "$work/all" | tr '\n' ' ')"

# Help is not known to be on a terminal where it is paged.
for command in $("$DSE" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p'); do
	"$DSE" "$command" --help | awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' || fail "help of $command is wide"
done
