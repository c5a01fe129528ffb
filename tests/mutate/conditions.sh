#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/mutate/conditions.sh [N [SEED [ROOM...]]]: does any test notice a changed condition, sign or lost statement?
#
# N (300) places are drawn under SEED (1) in the rooms of the two tiers, distribution, bounds, cutting and
# composition (or in ROOM...), and changed (places.awk):
#
#   <  <=  >  >=     into the one with or without equality
#   ==  !=   &&  ||   into each other, as if in parentheses
#   +  -              into each other, between spaces
#   a statement       taken away: an assignment or a call
#
# All changes are in one private copy, built once; the environment says which is made (guard.awk, mutant.h). What does not
# compile that way (sizes of arrays, labels, loops of OpenMP) is passed over, and another place is drawn. Each function of each
# test, and each short script of tests/cli, is run once without any change: which changes does it reach, at which do both values
# differ? A change is put before those only, the cheap ones and those that have killed in its room first, until one fails and
# passes again without it: killed. Three times the processor time and two seconds is a failure. What changes nothing that can be
# seen is listed in tests/mutate/equivalent with the reason: "file|old line|new line|why". Exit status 1: some survived that are
# not listed.
#
# MUTANTS_LOG=FILE (build/mutants/verdicts): verdicts go there; what was killed there is not tried again. MUTANTS_JOBS (1): how
# many run at a time. MUTANTS_TEST_S (10): test functions that take longer are left out. MUTANTS_CPU_S (60): tests of one change
# take about so much together; its verdict says how many of those that reach it were run. MUTANTS_FOLDER (build/mutants): copy and marks, kept for the next time.

set -u
LC_ALL=C
export LC_ALL
unset MAKEFLAGS MFLAGS MAKEOVERRIDES # of the make that may have started this
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
cd "$root" || exit 2
n_wanted=${1:-300}
seed=${2:-1}
[ $# -gt 2 ] && shift 2 || set -- sim/fast sim/event mapper/distribute dse/bound dse/layer dse/pareto dse/search
work=${MUTANTS_FOLDER:-$root/build/mutants}
jobs=${MUTANTS_JOBS:-1}
log=${MUTANTS_LOG:-$work/verdicts}
longest_s=${MUTANTS_TEST_S:-10}
each_s=${MUTANTS_CPU_S:-60}
mutate=$root/tests/mutate
tab=$(printf '\t')
mkdir -p "$work/marks" && touch "$log" || exit 2
trap 'exit 130' INT TERM
export OMP_WAIT_POLICY=passive
ulimit -c 0

# guarded FILE: it with its changes of the list $work/drawn.
guarded() {
	awk -F '\t' -v file="$1" '$2 == file { print $1 "\t" $3 "\t" $4 "\t" $5 "\t" $6 }' "$work/drawn" >"$work/of_file"
	awk -f "$mutate/guard.awk" "$work/of_file" "$1"
}

# ---- which changes ----

# Into $work/drawn: "number file line column old new oldline newline", by tabs. What was refused once stays so while the line does.
draw() {
	for room in "$@"; do
		ls "$room"/*.c
	done | xargs awk -v seed="$seed" -f "$mutate/places.awk" | sort -n | cut -f 2- >"$work/places"
	mkdir -p "$work/alone/sim/base"
	cp "$mutate/mutant.h" "$work/alone/sim/base/mutant.h"
	touch "$work/refused" "$work/fit"
	n=0
	: >"$work/drawn.all"
	while [ "$n" -lt "$n_wanted" ] && IFS= read -r place; do
		key=$(printf '%s\n' "$place" | cut -f 1,3-)
		grep -qxF -- "$key" "$work/refused" && continue
		if ! grep -qxF -- "$key" "$work/fit"; then
			file=${place%%"$tab"*}
			printf '1\t%s\n' "$place" >"$work/drawn"
			guarded "$file" >"$work/alone/file.c"
			if ! gcc -std=c11 -D_POSIX_C_SOURCE=200809L -I"$work/alone" -I. -fopenmp -w -fsyntax-only "$work/alone/file.c" 2>"$work/alone/log"; then
				printf '%s\n' "$key" >>"$work/refused"
				continue
			fi
			printf '%s\n' "$key" >>"$work/fit"
		fi
		n=$((n + 1))
		printf '%d\t%s\n' "$n" "$place" >>"$work/drawn.all"
	done <"$work/places"
	mv "$work/drawn.all" "$work/drawn"
	echo "$n of $(wc -l <"$work/places") places in: $*"
}

# ---- the copy and its tests ----

# What is built stays where sources stay.
copy() {
	rm -rf "$work/next"
	mkdir -p "$work/next" "$work/tree"
	cp -Rp Makefile .ci sim mapper dse tests spaces "$work/next" || exit 2
	cp -p "$mutate/mutant.c" "$mutate/mutant.h" "$work/next/sim/base"
	for file in $(cut -f 2 "$work/drawn" | sort -u); do
		guarded "$file" >"$work/next/$file"
		cmp -s "$work/next/$file" "$work/tree/$file" && cp -p "$work/tree/$file" "$work/next/$file"
	done
	[ ! -d "$work/tree/build" ] || mv "$work/tree/build" "$work/next/build"
	rm -rf "$work/tree"
	mv "$work/next" "$work/tree"
}

build() {
	(cd "$work/tree" && make -s -k -j"$jobs" BUILD=build OPTIMISE=-O1 LTO= SHARED=1 build/objects.so build/dse build-tests) >"$work/log" 2>&1 ||
		{ tail -n 20 "$work/log" >&2; exit 2; }
}

# functions TEST: the names of its test functions; of a script "all".
functions() {
	case $1 in
	*.sh) echo all ;;
	*) sed -n 's/^static void \(test_[a-z0-9_]*\)(void \*\*.*/\1/p' "$(find tests -name "$1.c")" ;;
	esac
}

# Scripts that take long (tests/longest) are left out.
list_tests() {
	ls "$work/tree/build/tests"
	ls tests/cli | grep '\.sh$' | grep -vxF -f tests/longest
}

# run NUMBER TEST FUNCTION SECONDS: false when it fails or takes so many seconds of processor time; their number is in $mine/times.
run() (
	cd "$work/tree" && export DSE="$work/tree/build/dse" MUTANT="$1" MUTANT_TEST="$3" TMPDIR="$mine/t"
	ulimit -t "$4"
	case $2 in *.sh) program=tests/cli/$2 ;; *) program=build/tests/$2 ;; esac
	timeout $((60 + 10 * $4)) "$program" >"$mine/log" 2>&1 </dev/null
	code=$?
	times >"$mine/times"
	exit "$code"
)

# A folder of its own for a process that runs tests.
own() {
	mine=$work/own.$1
	rm -rf "$mine"
	mkdir -p "$mine/t"
}

# Marks of each function of a test: "test function seconds change...", anew where test or library are newer.
record() {
	test=$1
	marks=$work/marks/$test
	[ -f "$marks" ] && [ -z "$(find "$work/tree/build/objects.so" "$work/tree/build/tests/$test" "tests/cli/$test" -newer "$marks" 2>/dev/null)" ] && return
	: >"$mine/marks"
	for function in $(functions "$test"); do
		sed 's/.*/0/; $s/.*/00/' "$work/drawn" | tr -d '\n' >"$mine/bytes"
		if ! MUTANT_MARKS=$mine/bytes run 0 "$test" "$function" "$longest_s"; then
			echo "left out, fails or takes long without any change: $test $function" >&2
			continue
		fi
		took=$(tr 'ms' '  ' <"$mine/times" | awk 'NR == 2 { print $1 * 60 + $2 + $3 * 60 + $4 }')
		awk -v what="$test $function $took" '{
			for (i = 2; i <= length($0); i++)
				if (substr($0, i, 1) == "1")
					what = what " " i - 1
			print what
		}' "$mine/bytes" >>"$mine/marks"
	done
	mv "$mine/marks" "$marks"
}

# ---- verdicts ----

# order_tests NUMBER FILE: test functions that reach a change, in the order in which they run: "test function limit seconds".
# Cheap ones come first, and before them those that have killed in the room or are named after the file.
order_tests() {
	room=$(dirname "$2")
	grep "^killed|$room/[a-z0-9_]*\.c:" "$log" | sed 's/.*|//' | sort | uniq -c >"$mine/killers"
	cat "$work"/marks/* | awk -v n="$1" -v name="test_$(basename "$2" .c)" '
		FILENAME != "-" { kills[$2 " " $3] = $1; next }
		{
			for (i = NF; i > 3 && $i != n; i--)
				;
			if (i > 3)
				printf "%g %s %s %d %g\n", ($3 + 0.05) / (1 + kills[$1 " " $2] + 3 * (index(name, $1) == 1)), $1, $2, int(3 * $3 + 2.999), $3
		}' "$mine/killers" - | sort -n | cut -d ' ' -f 2- >"$mine/order"
}

# Verdicts are lines "verdict|file:line|old line|new line|test".
say() {
	printf '%s|%s|%s\n' "$1" "$text" "$2" >>"$log"
	printf '%-9s %s: %s\n' "$1" "$text" "$2"
}

judge() {
	rm -rf "$mine/t" # what killed tests leave behind
	mkdir "$mine/t"
	order_tests "$number" "$file"
	awk -v most="$each_s" '(spent += $4) <= most' "$mine/order" >"$mine/affordable"
	n_run=0
	while read -r test function limit _; do
		n_run=$((n_run + 1))
		if ! run "$number" "$test" "$function" "$limit" && run 0 "$test" "$function" "$limit"; then
			say killed "$test $function"
			return
		fi
	done <"$mine/affordable"
	say SURVIVED "$n_run of $(wc -l <"$mine/order") tests"
}

# judge_part REMAINDER: every jobs-th change.
judge_part() {
	own "$1"
	while IFS=$tab read -r number file line column old new; do
		[ $((number % jobs)) -eq "$1" ] || continue
		text="$file:$line|$(sed -n "${number}p" "$work/drawn" | cut -f 7- | tr '\t' '|')"
		plain="$file|${text#*|}|"
		if grep -F -- "|$text|" "$log" | grep -q '^[kl]'; then
			continue
		elif grep -qF -- "$plain" "$mutate/equivalent"; then
			say listed -
		else
			judge
		fi
	done <"$work/drawn"
}

# together FUNCTION: it with 0, 1 ... as argument, one for each job.
together() {
	part=0
	while [ "$part" -lt "$jobs" ]; do
		"$1" "$part" &
		part=$((part + 1))
	done
	wait
}

record_part() {
	own "$1"
	i=0
	for test in $(list_tests); do
		i=$((i + 1))
		[ $((i % jobs)) -ne "$1" ] || record "$test"
	done
}

draw "$@"
copy
build
echo "built"
together record_part
echo "recorded: $(cat "$work"/marks/* | awk '{ n++; s += $3 } END { print n " test functions, " s " s of processor time" }')"
# Of the last run's verdicts those that stand.
awk -F '\t' '{ print "|" $2 ":" $3 "|" $7 "|" $8 "|" }' "$work/drawn" >"$work/texts"
grep -F -f "$work/texts" "$log" | grep -v '^SURVIVED' >"$work/log"
cp "$work/log" "$log"
together judge_part
count() { grep -c "^$1|" "$log"; }
echo "$(count killed) killed, $(count listed) equivalent; $(count SURVIVED) survived"
[ "$(count SURVIVED)" -eq 0 ]
