# SPDX-License-Identifier: Apache-2.0
#
# awk -v seed=N -f places.awk FILE...: places that can be changed, in the order in which they are drawn, as
# "rank <tab> file <tab> line <tab> column <tab> old operator <tab> new operator <tab> old line <tab> new line" (sort them by rank).
#
# Column 0: the line is a statement, which is taken away. Comments, texts, declarations and assertions are left alone. The rank
# is a hash of seed, lines and file: where other lines come and go, the draw stays.

BEGIN {
	for (i = 1; i < 256; i++)
		code[sprintf("%c", i)] = i
}

function hash(text,   h, i) {
	h = seed + 1
	for (i = 1; i <= length(text); i++)
		h = (h * 69069 + code[substr(text, i, 1)]) % 2147483647
	return h
}

# Alike lines of a file are told apart by their number.
function offer(column, old, new, text,   line, key) {
	line = $0
	gsub(/\t/, "", line)
	gsub(/\t/, "", text)
	key = line "\t" text "\t" column "\t" FILENAME
	printf "%d\t%s\t%d\t%d\t%s\t%s\t%s\t%s\n", hash(key "\t" n_alike[key]++ "\t" FILENAME), FILENAME, FNR, column, old, new, line, text
}

function swap(old, new,   at, head, rest) {
	head = ""
	rest = $0
	while ((at = index(rest, " " old " ")) > 0) {
		head = head substr(rest, 1, at)
		rest = substr(rest, at + length(old) + 1)
		offer(length(head), old, new, head new rest)
		head = head old
	}
}

FNR == 1 { in_comment = 0 }
/\/\*/ { in_comment = 1 }
in_comment { if (/\*\//) in_comment = 0; next }
/^#|"|assert|err_add|^[^\t]/ { next }
{
	swap("<", "<="); swap("<=", "<"); swap(">", ">="); swap(">=", ">")
	swap("==", "!="); swap("!=", "=="); swap("&&", "||"); swap("||", "&&")
	swap("+", "-"); swap("-", "+")
}
/^\t+[a-z_][][a-zA-Z0-9_.>-]* ([-+|&*\/]|<<|>>)?= .*;$/ || /^\t+[a-z_]+\(.*\);$/ {
	if ($0 !~ /free\(|_close\(|unlock|^\t+(const|struct|enum|static|double|bool|size_t|uint)/)
		offer(0, ";", "", ";")
}
