# SPDX-License-Identifier: Apache-2.0
#
# awk -f guard.awk PLACES FILE: the C file with all changes of PLACES in it, each behind a condition of mutant.h.
#
# PLACES has lines "number <tab> line <tab> column <tab> old operator <tab> new operator", column 0: the line is a statement to
# be taken away. An operator's operands are found by precedence: they end at an unmatched bracket, at ; , ? : = or return, or
# at an operator that binds less (on the right: as much). The layout is clang-format's: only binary operators stand between
# blanks. Comments, texts and preprocessor lines are blanked in `mask`, which is looked at; what is printed comes from `text`.

BEGIN {
	FS = "\t"
	split("* / % + - << >> < <= > >= == != & ^ | && ||", operator, " ")
	split("10 10 10 9 9 8 8 7 7 7 7 6 6 5 4 3 2 1", strength, " ")
	for (i in operator)
		binds[operator[i]] = strength[i]
}
FNR == NR {
	n++
	number[n] = $1
	at_line[n] = $2
	column[n] = $3
	old[n] = $4
	new[n] = $5
	next
}
{
	begin[FNR] = length(text) + 1
	text = text $0 "\n"
	mask = mask blank($0) "\n"
}
END {
	for (i = 1; i <= n; i++) {
		at[i] = begin[at_line[i]] + column[i]
		if (column[i]) {
			from[i] = left(at[i] - 2, binds[old[i]])
			to[i] = right(at[i] + length(old[i]) + 1, binds[old[i]])
		} else {
			match(substr(text, at[i]), /^\t*/)
			from[i] = at[i] + RLENGTH
			to[i] = at[i] + index(substr(text, at[i]), "\n") - 2
		}
	}
	printf "#include \"sim/base/mutant.h\"\n%s", render(1, length(text))
}

# The line with blanks in place of comments, texts and preprocessor lines; `in_comment` and `in_define` go on in the next.
function blank(line,   out, i, c, quote) {
	if (in_define || line ~ /^#/) {
		in_define = line ~ /\\$/
		gsub(/./, " ", line)
		return line
	}
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		if (in_comment) {
			if (substr(line, i, 2) == "*/") {
				in_comment = 0
				out = out " "
				i++
			}
			c = " "
		} else if (quote) {
			if (c == "\\") {
				out = out "x"
				i++
			} else if (c == quote)
				quote = ""
			c = "x"
		} else if (c == "\"" || c == "'") {
			quote = c
			c = "x"
		} else if (substr(line, i, 2) == "/*") {
			in_comment = 1
			c = " "
		}
		out = out c
	}
	return out
}

# What a spaced operator at i binds, 0: none begins there.
function spaced(i,   word) {
	if (substr(mask, i - 1, 1) !~ /[ \t\n]/ || !match(substr(mask, i, 4), /^[-+*\/%<>=!&|^?:]+[ \n]/))
		return 0
	word = substr(mask, i, RLENGTH - 1)
	return word in binds ? binds[word] : -1
}

# Where the operand begins that ends at `last`, of an operator that binds `bind`.
function left(last, bind,   i, c, depth, s) {
	for (i = last; i > 0; i--) {
		c = substr(mask, i, 1)
		if (c ~ /[])}]/)
			depth++
		else if (c ~ /[[({]/ && depth-- == 0)
			break
		if (depth > 0)
			continue
		s = spaced(i)
		if (c ~ /[;,]/ || (s != 0 && s < bind) || (c == "n" && substr(mask, i - 6, 7) ~ /^[^a-z_]return$/))
			break
	}
	for (i += s != 0 && s < bind ? length_at(i) : 1; substr(mask, i, 1) ~ /[ \t\n]/; i++)
		;
	return i
}

# How long the spaced operator at i is.
function length_at(i) {
	match(substr(mask, i, 4), /^[-+*\/%<>=!&|^?:]+/)
	return RLENGTH
}

# Where the operand ends that begins at `first`.
function right(first, bind,   i, c, depth, s) {
	for (i = first; i <= length(mask); i++) {
		c = substr(mask, i, 1)
		if (c ~ /[[({]/)
			depth++
		else if (c ~ /[])}]/ && depth-- == 0)
			break
		if (depth > 0)
			continue
		s = spaced(i)
		if (c ~ /[;,]/ || (s != 0 && s <= bind))
			break
	}
	for (i--; substr(mask, i, 1) ~ /[ \t\n]/; i--)
		;
	return i
}

# Whether something is called or set there.
function acts(first, last) {
	return substr(mask, first, last - first + 1) ~ /[a-zA-Z0-9_\])]\(|\+\+|--| [-+*\/|&]?= /
}

# How one looks at whether a change would be noticed here: by both values where nothing is called or set, else when it is reached.
function macro(i) {
	if (!column[i])
		return "MUTANT_STATEMENT"
	if (old[i] == "&&" || old[i] == "||")
		return acts(at[i], to[i]) ? "MUTANT_REACHED" : old[i] == "&&" ? "MUTANT_AND" : "MUTANT_OR"
	return acts(from[i], to[i]) ? "MUTANT_REACHED" : "MUTANT_VALUE"
}

# text[first..last] with the changes in it; those of an operand are in both forms of what is around.
function render(first, last,   i, best, out, a, b) {
	for (;;) {
		best = 0
		for (i = 1; i <= n; i++)
			if (!used[i] && from[i] >= first && to[i] <= last &&
			    (!best || from[i] < from[best] || (from[i] == from[best] && to[i] > to[best])))
				best = i
		if (!best)
			return out substr(text, first, last - first + 1)
		used[best] = 1
		out = out substr(text, first, from[best] - first) macro(best) "(" number[best] ", "
		first = to[best] + 1
		if (!column[best]) {
			out = out render(from[best], to[best]) ")"
			continue
		}
		a = render(from[best], at[best] - 1)
		b = render(at[best] + length(old[best]), to[best])
		out = out "(" a old[best] b "), (" a new[best] b "))"
	}
}
