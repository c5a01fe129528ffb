#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/mutate/conditions.sh [N [SEED [ROOM...]]]: does any test notice a changed condition, sign or lost statement?
#
# N (300) places are drawn under SEED (1) in the rooms of the two tiers, distribution, bounds and cutting, and
# composition (or in ROOM...). Each in turn is changed in a private copy:
#
#   <  <=  >  >=     into the one with or without equality
#   ==  !=   &&  ||   into each other
#   +  -              into each other, between spaces
#   a statement       taken away: an assignment or a call
#
# Tests run one after the other, those of the room first, until one fails: the change is killed. What changes nothing
# that can be seen is listed in tests/mutate/equivalent with the reason: "file|old line|new line|why". Exit status 1:
# some survived that are not listed. Hours; a test ends after two minutes.

. "$(dirname "$0")/common"
n_wanted=${1:-300}
seed=${2:-1}
[ $# -gt 2 ] && shift 2 || set -- sim/fast sim/event mapper/distribute dse/layer dse/pareto dse/search

# tests_of FOLDER...: names of the tests there.
tests_of() {
	for folder in "$@"; do
		find "tests/$folder" -name 'test_*.c' 2>/dev/null | sort | sed 's,.*/,,; s,\.c$,,'
	done
}

# Tests of a room, then of those that rest on it, those that take longest last.
tests_for() {
	case $1 in
	sim/fast) set -- sim/fast mapper/distribute across sim dse/layer dse/validate dse/price ;;
	sim/event) set -- sim/event mapper/unfold across sim dse/validate dse/price ;;
	mapper/distribute) set -- mapper/distribute mapper sim/fast across dse/layer dse/validate dse/search ;;
	dse/layer) set -- dse/layer dse/search dse/price dse/check across dse/why ;;
	dse/pareto) set -- dse/pareto dse/layer dse/search dse/engine dse/price dse/check ;;
	dse/search) set -- dse/search dse/price dse/check dse/verdict dse/why dse/keep ;;
	*) set -- "$1" ;;
	esac
	tests_of "$@" | awk '
		FNR == NR { if (!/^#/ && $1 ~ /^test_/) late[$1] = FNR; next }
		!seen[$1]++ { if ($1 in late) { n++; at[n] = late[$1]; name[n] = $1 } else print }
		END { for (i = 1; i <= n; i++) print name[i] }' tests/longest -
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
	cut -f 2- >"$work/drawn"
echo "$(wc -l <"$work/drawn") of $(wc -l <"$work/places") places in: $*"

all=$(for room in "$@"; do tests_for "$room"; done | sort -u)
# shellcheck disable=SC2086 # lists of words
run_tests $all
if [ -n "$killer" ]; then
	echo "$killer fails without any change:" >&2
	tail -n 20 "$work/log" >&2
	exit 2
fi

n_killed=0
n_equivalent=0
n_none=0
survivors=
while read -r place; do
	file=${place%%|*}
	rest=${place#*|}
	line=${rest%%|*}
	new=${rest#*|}
	old=$(sed -n "${line}p" "$work/pristine/$file")
	text=$(printf '%s|%s|%s' "$file" "$old" "$new" | tr -d '\t')
	if grep -qF -- "$text|" "$root/tests/mutate/equivalent"; then
		n_equivalent=$((n_equivalent + 1))
		echo "listed    $text"
		continue
	fi
	change "$file" "$line" 1 "${#old}" "$new"
	# shellcheck disable=SC2046
	run_tests $(tests_for "$(dirname "$file")")
	case $killer in
	"the compiler") n_none=$((n_none + 1)) && echo "refused   $text" ;;
	"") survivors="$survivors
  $text" && echo "SURVIVED  $text" ;;
	*) n_killed=$((n_killed + 1)) && echo "killed    $text: $killer" ;;
	esac
	restore "$file"
done <"$work/drawn"
n_survived=$(echo "$survivors" | grep -c .)
echo "$n_killed killed, $n_equivalent equivalent, $n_none refused by the compiler; $n_survived survived$survivors"
[ "$n_survived" -eq 0 ]
