#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The table of ARADA's savings: every figure is what `dse arada spaces/arada.yaml` prints.
#   readme_arada.sh            the Edge TPU with the physical memory; SCALE-Sim's takes minutes
#   readme_arada.sh --all      both machines and memories
#   readme_arada.sh --record   both, and results/STUDIES.md gets the table
DSE=${DSE:-build/dse}
. tests/cli/common
! $is_slow || exit 0
what=${1:-}

# rows FILE: machine, memory, GB/s, saved by IDEAL, by VF-OH-Q, by equation 6, of the table of means.
rows() {
	awk '/^dynamic energy saved against race to idle, mean over/ { on = 1 } on && NF == 0 { exit } on && $1 ~ /_tpu$/ { print $1, $2, $3, $5, $7, $8 }' "$1"
}

sed 's/memory_model: scalesim/memory_model: physical/; /bandwidth_word_byte/d
	/^  published:/,/^    hpc_tpu: {DDR5-4800: 26}/d' spaces/arada.yaml >"$work/arada.yaml"
n_row=11
if [ -z "$what" ]; then
	sed -i '/^ *hpc_tpu:/d; /^  detail:/d; s/^machines: .*/machines: [edge_tpu]/' "$work/arada.yaml"
	n_row=5
fi
expect_code 0 "$DSE" arada "$work/arada.yaml" -q -o "$work/tiles"
awk -F, '$1 == "edge_tpu" && $2 == "LPDDR4-3200" && $4 == "RTI" { printf " %s |", $5 }' "$work/tiles/summary.csv" >"$work/layers"
expect_text results/STUDIES.md "| ours |$(cat "$work/layers")"
rows "$work/out" >"$work/physical"
[ "$(wc -l <"$work/physical")" -eq $n_row ] || fail "rows of the physical memory"

# Their last two cells stand in results/STUDIES.md, wherever its rows' other cells come from.
while read -r machine memory gb_s ideal legal _; do
	[ "$what" = --record ] && break
	grep -Eq "^\| $machine \| $memory \| $gb_s \| .* \| $ideal \| $legal \|$" results/STUDIES.md ||
		fail "results/STUDIES.md: $machine $memory saves $ideal and $legal by the physical memory"
done <"$work/physical"
case "$what" in --all | --record) ;; *) exit 0 ;; esac

expect_code 0 "$DSE" arada spaces/arada.yaml
rows "$work/out" >"$work/tool"
awk '/^mean savings beside published/ { on = 1 } on && NF == 0 { exit } on && $1 ~ /_tpu$/ { printf "%s %s %d %% (%s %% at %.1f)\n", $1, $2, $3, $7, $6 }' "$work/out" >"$work/published"
while read -r machine memory gb_s ideal legal printed; do
	published=$(awk -v a="$machine" -v b="$memory" '$1 == a && $2 == b { print $3, $4, $5, $6, $7, $8 }' "$work/published")
	physical=$(awk -v a="$machine" -v b="$memory" '$1 == a && $2 == b { print $4 " | " $5 }' "$work/physical")
	echo "| $machine | $memory | $gb_s | $ideal | $legal | $printed | $published | $physical |"
done <"$work/tool" >"$work/table"
if [ "$what" = --record ]; then
	awk -v table="$work/table" '
		/^\| (edge|hpc)_tpu \| [A-Z]/ { if (!done) while ((getline line <table) > 0) print line; done = 1; next }
		{ print }' results/STUDIES.md >"$work/STUDIES.md"
	cp "$work/STUDIES.md" results/STUDIES.md
fi
while read -r line; do
	grep -qF "$line" results/STUDIES.md || fail "results/STUDIES.md has not: $line"
done <"$work/table"

# The table of the exact allocation: means by the normalised and by the machine's energy.
awk '$3 == 9 && $4 == "normalised" { first = $6 " | " $7 " | " $8 " | " $9 " | " $10 " | " $11 }
	$3 == 9 && $4 == "machine" { print "| " $1 " " $2 " | " first " | " $6 " | " $7 " | " $8 " | " $9 " | " $10 " | " $11 " |" }' \
	"$work/out" >"$work/exact"
[ "$(wc -l <"$work/exact")" -eq 11 ] || fail "rows of the exact allocation"
while read -r line; do
	grep -qF "$line" results/STUDIES.md || fail "results/STUDIES.md has not: $line"
done <"$work/exact"

# What the paper prints: every row of the table is what --published says.
expect_code 0 "$DSE" arada spaces/arada.yaml --published tests/reference/arada_published.csv -q -o "$work/published"
# a source may have commas, in quotes
sed 's/^"[^"]*"/source/' "$work/published/published.csv" | awk -F, '
	function cell(value, met) { return met == "yes" ? sprintf("**%.1f**", value) : sprintf("%.1f", value) }
	NR > 1 { gsub(/_/, " ", $6); layers = $5 == "" ? "-" : $5
		printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", $2, $3, $4, layers, $6, $7, cell($8, $9), cell($10, $11), cell($12, $13) }' >"$work/rows"
[ "$(wc -l <"$work/rows")" -eq 16 ] || fail "rows of the published figures"
while read -r row; do
	grep -Fq -- "$row" results/STUDIES.md || fail "results/STUDIES.md lacks: $row"
done <"$work/rows"
