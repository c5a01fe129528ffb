#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/mutate/conditions.sh [N [SEED [ROOM...]]]: does any test notice a changed condition, sign or lost statement?
#
# N (300) places are drawn under SEED (1) in the rooms of the two tiers, distribution, bounds, cutting and
# composition (or in ROOM...). Each in turn is changed in a private copy:
#
#   <  <=  >  >=     into the one with or without equality
#   ==  !=   &&  ||   into each other
#   +  -              into each other, between spaces
#   a statement       taken away: an assignment or a call
#
# Tests run one after the other until one fails: the change is killed. First those that have killed a change in this room,
# then those named after the file, then the room's and those that rest on it, each group cheapest first; a test that takes
# three times its processor time and two seconds has failed. A change that gives the same object code is none. What changes
# nothing that can be seen is listed in tests/mutate/equivalent with the reason: "file|old line|new line|why". Exit status
# 1: some survived that are not listed. Hours.
#
# MUTANTS_LOG=FILE: verdicts go there, too, and what stands there already is not tried again. MUTANTS_PART=1/2: every second
# one, so that two can run at a time, each with a log of its own. MUTANTS_TEST_S (30): tests that take longer are left out.

. "$(dirname "$0")/common"
n_wanted=${1:-300}
seed=${2:-1}
[ $# -gt 2 ] && shift 2 || set -- sim/fast sim/event mapper/distribute dse/bound dse/layer dse/pareto dse/search

# tests_of FOLDER...: names of the tests there.
tests_of() {
	for folder in "$@"; do
		find "tests/$folder" -name 'test_*.c' 2>/dev/null | sort | sed 's,.*/,,; s,\.c$,,'
	done
}

# Tests of a room and of those that rest on it.
tests_for() {
	case $1 in
	sim/fast) set -- sim/fast mapper/distribute across sim dse/layer dse/validate dse/price ;;
	sim/event) set -- sim/event mapper/unfold across sim dse/validate dse/price ;;
	mapper/distribute) set -- mapper/distribute mapper sim/fast across dse/layer dse/validate dse/search ;;
	dse/bound) set -- dse/bound dse/layer dse/certify dse/search dse/price dse/why ;;
	dse/layer) set -- dse/layer dse/bound dse/certify dse/search dse/price dse/check across dse/why ;;
	dse/pareto) set -- dse/pareto dse/layer dse/search dse/engine dse/price dse/check ;;
	dse/search) set -- dse/search dse/certify dse/price dse/check dse/verdict dse/why dse/keep ;;
	*) set -- "$1" ;;
	esac
	tests_of "$@" | sort -u
}

# one_test TEST SECONDS: false when it fails or takes so many seconds of processor time; else took says how many it took.
one_test() {
	(ulimit -t "$2" && timeout 600 "build/tests/$1" >"$work/log" 2>&1 </dev/null; code=$?; times >"$work/times"; exit $code) || return 1
	took=$(tr 'ms' '  ' <"$work/times" | awk 'NR == 2 { print $1 * 60 + $2 + $3 * 60 + $4 }')
}

# "test limit" of those for a change in a file, in the order in which they run; the rank of each is its group's and its cost.
tests_in_order() {
	room=$(dirname "$1")
	tests_for "$room" >"$work/for"
	grep "^killed|$room/[a-z0-9_]*\.c:" "$log" | sed 's/.*|//' | sort | uniq -c >"$work/killers"
	awk -v name="test_$(basename "$1" .c)" '
		FILENAME ~ /killers$/ { kills[$2] = $1; next }
		FILENAME ~ /costs$/ { cost[$2] = $1; next }
		!($1 in cost) { next }
		{
			rank = $1 in kills ? cost[$1] / kills[$1] : index(name, $1) == 1 ? 1000 + cost[$1] : 2000 + cost[$1]
			print rank, $1, int(3 * cost[$1] + 2.999)
		}' "$work/killers" "$work/costs" "$work/for" | sort -n | cut -d ' ' -f 2-
}

# Places that can be changed, as "file|line number|new line". Comments, texts, declarations and assertions are left alone.
list_places() {
	for room in "$@"; do
		ls "$room"/*.c
	done | xargs awk '
		function offer(text) { print FILENAME "|" FNR "|" text }
		function swap(old, new,   at, head, rest) {
			head = ""
			rest = $0
			while ((at = index(rest, old)) > 0) {
				offer(head substr(rest, 1, at - 1) new substr(rest, at + length(old)))
				head = head substr(rest, 1, at - 1 + length(old))
				rest = substr(rest, at + length(old))
			}
		}
		FNR == 1 { in_comment = 0 }
		/\/\*/ { in_comment = 1 }
		in_comment { if (/\*\//) in_comment = 0; next }
		/^#|"|assert|err_add|^[^\t]/ { next }
		{
			swap(" < ", " <= "); swap(" <= ", " < "); swap(" > ", " >= "); swap(" >= ", " > ")
			swap(" == ", " != "); swap(" != ", " == "); swap(" && ", " || "); swap(" || ", " \\&\\& ")
			swap(" + ", " - "); swap(" - ", " + ")
		}
		/^\t+[a-z_][][a-zA-Z0-9_.>-]* ([-+|&*\/]|<<|>>)?= .*;$/ || /^\t+[a-z_]+\(.*\);$/ {
			if ($0 !~ /free\(|_close\(|unlock|^\t+(const|struct|enum|static|double|bool|size_t|uint)/) {
				text = $0
				sub(/[^\t].*/, ";", text)
				offer(text)
			}
		}' | sed 's/\\&\\&/\&\&/g'
}

list_places "$@" >"$work/places"
awk -v n="$n_wanted" -v seed="$seed" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' "$work/places" | sort -n | head -n "$n_wanted" |
	cut -f 2- | awk -v part="${MUTANTS_PART:-1/1}" 'BEGIN { split(part, p, "/") } NR % p[2] == p[1] % p[2]' >"$work/drawn"
echo "$(wc -l <"$work/drawn") of $(wc -l <"$work/places") places in: $*"
log=${MUTANTS_LOG:-$work/verdicts}
touch "$log"

# What each test takes, s of processor time: "seconds name", those that fail or take too long left out, and named.
all=$(for room in "$@"; do tests_for "$room"; done | sort -u)
# shellcheck disable=SC2086 # a list of words
build build/objects.so $(printf 'build/tests/%s ' $all) || { tail -n 20 "$work/log" >&2; exit 2; }
: >"$work/costs"
for test in $all; do
	if ! one_test "$test" "${MUTANTS_TEST_S:-30}"; then
		echo "left out, fails or takes long without any change: $test" >&2
	else
		echo "$took $test" >>"$work/costs"
	fi
done

# Verdicts are lines "verdict|file|old line|new line|test".
judge() {
	printf '%s|%s|%s\n' "$1" "$text" "$2" >>"$log"
	printf '%-10s%s: %s\n' "$1" "$text" "$2"
}

while read -r place; do
	file=${place%%|*}
	rest=${place#*|}
	line=${rest%%|*}
	new=${rest#*|}
	old=$(sed -n "${line}p" "$work/pristine/$file")
	text=$(printf '%s|%s|%s' "$file:$line" "$old" "$new" | tr -d '\t')
	! grep -qF -- "|$text|" "$log" || continue
	if grep -qF -- "$(printf '%s|%s|%s' "$file" "$old" "$new" | tr -d '\t')|" "$root/tests/mutate/equivalent"; then
		judge listed -
		continue
	fi
	object=build/obj/${file%.c}.o
	cp "$object" "$work/object.o"
	change "$file" "$line" 1 "${#old}" "$new"
	if ! build "$object"; then
		judge refused "the compiler"
	elif cmp -s "$object" "$work/object.o"; then
		judge same "object code"
	elif ! build build/objects.so; then
		judge refused "the linker"
	else
		tests_in_order "$file" >"$work/order"
		killer=
		while read -r test limit; do
			if ! one_test "$test" "$limit"; then
				killer=$test
				break
			fi
		done <"$work/order"
		if [ -n "$killer" ]; then judge killed "$killer"; else judge SURVIVED "$(wc -l <"$work/order") tests"; fi
	fi
	restore "$file"
	cp "$work/object.o" "$object"
done <"$work/drawn"
count() { grep -c "^$1|" "$log"; }
echo "$(count killed) killed, $(count listed) equivalent, $(count same) of the same code, $(count refused) refused by the compiler; \
$(count SURVIVED) survived"
[ "$(count SURVIVED)" -eq 0 ]
