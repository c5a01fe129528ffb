#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The field's words: columns that a reader may not know have a legend, what is ours alone stands in one glossary beside the
# field's word, and words that nobody else uses do not come back to help, messages, pages and documents.
. tests/cli/common

# legend COLUMNS COMMAND...: a line of its own below the table for each of the columns, which all are there.
legend() {
	columns=$1
	shift
	expect_code 0 "$DSE" "$@"
	for column in $columns; do
		grep -Eq "(^|[ ])$column( |\$)" "$work/out" || fail "no column $column: $*"
		[ "$(grep -c "^$column: ..........*" "$work/out")" -eq 1 ] || fail "no legend of $column: $*"
	done
}
legend "mac_util_pct bound" simulate dvfs_chip tiny
legend "mac_task_pct sram_pct bound" map dvfs_chip tiny --split even
legend "mac_util_pct util_pct mapping_pct compute_util_pct bound" simulate edge_tpu tiny
legend "op_per_byte attainable_gops reached_pct lower_roof" roofline dvfs_chip tiny
legend "saturated_pct zero_pct" prove dvfs_chip mlp_784_512_256_16
legend "[+]-%" explore spaces/smoke.yaml --detail fast -q -o "$work/results"
# a table without a column does not explain it
expect_code 0 "$DSE" roofline dvfs_chip tiny
! grep -q '^mac_' "$work/out" || fail "a legend without its column"

# What users read: help, the manual page, texts of messages and tables, pages, documents, spaces. CHANGELOG.md tells of old words.
for command in $("$DSE" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'); do
	"$DSE" help "$command"
done >"$work/help"
"$DSE" man >"$work/man"
mkdir "$work/texts"
find dse mapper sim -name '*.c' -o -name '*_rows.h' | while IFS= read -r file; do
	grep -v '^#include' "$file" | grep -o '"\([^"\\]\|\\.\)*"' >"$work/texts/$(echo "$file" | tr / .)" || true
done
[ "$(cat "$work"/texts/* | wc -l)" -gt 5000 ] || fail "no texts in the sources"
find . -name '*.md' -not -path './build*' -not -path './.git/*' -not -name CHANGELOG.md >"$work/documents"
find spaces -name '*.yaml' >>"$work/documents"
find dse/out/page -name '*.js' -o -name '*.html' >>"$work/documents"
# word PATTERN INSTEAD
word() {
	if grep -nwiE "$1" "$work/help" "$work/man" "$work"/texts/* >"$work/found" ||
		tr '\n' '\0' <"$work/documents" | xargs -0 grep -nwiE "$1" >"$work/found"; then
		head -3 "$work/found" >&2
		fail "'$1' is no word of the field: $2"
	fi
}
word 'outlooks?' 'an optimistic front'
word '(dies|died|die) of' 'is infeasible by'
word 'thrift(y|ier|iest)' 'least energy'
word 'kin|lesser relatives|alike but for' 'variants; that differ only in'
word 'split_(w|h|c|d) of' 'width, height, out_channels, in_channels'
word 'MatMul(s)? (is|are) CONV' 'MATMUL_n'

# One glossary: each word once, in the order of the alphabet but for a word's own kinds; ours beside the field's.
sed -n 's/^| \([^|]*\) | [^|]* | [^|]*|$/\1/p' spaces/GLOSSARY.md | sed 1d >"$work/words"
[ "$(wc -l <"$work/words")" -gt 30 ] || fail "the glossary has lost its words"
[ -z "$(sort "$work/words" | uniq -d)" ] || fail "a word twice: $(sort "$work/words" | uniq -d)"
for ours in split strategy level place form design machine 'optimistic front' round tier; do
	grep -Eq "^\\| $ours \\| [^|]+ \\| [^| ][^|]* \\|\$" spaces/GLOSSARY.md || fail "'$ours' has no word of the field beside it"
done
# It is where a reader looks: in the README, and what help says of a level is the field's word.
expect_text README.md spaces/GLOSSARY.md
expect_code 0 "$DSE" simulate --help
grep -q 'operating point' "$work/out" || fail "help says level without the field's word"
