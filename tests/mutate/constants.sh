#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/mutate/constants.sh [defines|tables|defaults|files|NAME]...: does any test notice a changed constant?
#
#   defines   constants of the models in sim/ and mapper/: #define's that end in a unit
#   tables    numbers of latency_share (sim/machine/latency.c)
#   defaults  machine_param[] and level_param[]
#   files     constants of the machine files
#   NAME      one #define
#
# Each in turn is changed in a private copy by a tenth or by one, whichever is
# more, and what depends on it is built again. Tests run one after the other,
# those that know closed forms and reference tables before the recorded
# figures, until one fails: the change is killed. Exit status 1: some survived.
# Takes minutes; all without arguments.

set -u
LC_ALL=C
export LC_ALL
unset MAKEFLAGS MFLAGS MAKEOVERRIDES # of the make that may have started this
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/dse-mutate.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

for folder in pristine tree; do
	mkdir "$work/$folder"
	(cd "$root" && cp -R Makefile .ci sim mapper dse tests spaces "$work/$folder") || exit 2
done
cd "$work/tree" || exit 2

# Tests share one library of all objects, so that a changed line costs one compilation and one link.
build() {
	make -s -j"$(nproc 2>/dev/null || echo 1)" BUILD=build OPTIMISE=-O1 LTO= SHARED=1 "$@" >"$work/log" 2>&1
}

# run_tests TEST...: sets killer to the first that fails; empty: all pass.
run_tests() {
	killer=
	if ! build build/objects.so; then
		killer="the compiler"
		return
	fi
	for test in "$@"; do
		if [ ! -x "build/tests/$test" ] && ! build "build/tests/$test"; then
			killer="the compiler"
			return
		fi
		if ! timeout 120 "build/tests/$test" >"$work/log" 2>&1 </dev/null; then
			killer=$test
			return
		fi
	done
}

# change FILE LINE COLUMN LENGTH TEXT: put TEXT where so many characters were.
change() {
	awk -v line="$2" -v column="$3" -v n="$4" -v text="$5" '
		NR == line { $0 = substr($0, 1, column - 1) text substr($0, column + n) }
		{ print }' "$work/pristine/$1" >"$1"
}

restore() {
	cat "$work/pristine/$1" >"$1"
}

n_killed=0
n_recorded=0
survivors=

# Tests in the order in which they run, what is closest to the constants first.
models=
for test in latency energy hierarchy mla fast 'event_*' 'distribute_*' tiling utilisation job_queue mesh 'unfold*' \
	distribute 'validate*'; do
	for file in $(find tests/sim tests/mapper tests/dse tests/across -name "test_$test.c" | sort); do
		[ -f "$file" ] && models="$models $(basename "$file" .c)"
	done
done
recorded=test_machine_constants

# Not constants of the machine: sizes of our own algorithms, on which results depend by less than what is tested, or
# not at all. EVENT_HORIZON_CLK: buckets of the event queue, a power of two; MIN_ALONE_CLK: a stretch worth simulating
# alone; ROUNDED_OFF_CLK: what rounding may take from a bound; SPAN_GAP_CLK: spans of a trace that are joined; N_*: how
# many of something are kept or tried.
is_algorithm() {
	case $1 in
	EVENT_HORIZON_CLK | ROUNDED_OFF_CLK | LONG_ROUND_TAP | MAX_STEP_TAP | MIN_ALONE_CLK | SPAN_GAP_CLK | WARM_UP_CLK | WINDOW_CLK) return 0 ;;
	N_*) return 0 ;;
	esac
	return 1
}

# judge WHAT TEST...: the tree is changed; say what becomes of it.
judge() {
	what=$1
	shift
	run_tests "$@"
	if [ -z "$killer" ]; then
		echo "SURVIVED  $what"
		survivors="$survivors
  $what"
	elif [ "$killer" = "$recorded" ]; then
		n_recorded=$((n_recorded + 1))
		echo "recorded  $what: $killer"
	else
		n_killed=$((n_killed + 1))
		echo "killed    $what: $killer"
	fi
}

# Reads "file line column length name old"; changes each number to more and, if $1 is "both", to less.
mutate_all() {
	ways=$1
	shift
	while read -r file line column length name old; do
		for sign in 1 -1; do
			[ "$ways" = both ] || [ "$sign" = 1 ] || continue
			new=$(awk -v old="$old" -v sign="$sign" 'BEGIN {
				if (old ~ /[a-z]/) {
					if (sign > 0)
						print old == "true" ? "false" : "true"
					exit
				}
				step = old ~ /\./ ? 0.1 * old : int(0.1 * old + 0.5)
				if (step == 0 || (step < 1 && old !~ /\./))
					step = 1
				new = old + sign * step
				if (new >= 0)
					printf old ~ /\./ ? "%.17g" : "%d", new
			}')
			[ -n "$new" ] || continue
			# 1.1 * 45.0 is whole, but its type must stay
			case $old in *.*) case $new in *.*) ;; *) new=$new.0 ;; esac ;; esac
			change "$file" "$line" "$column" "$length" "$new"
			judge "$file $name $old -> $new" "$@"
		done
		restore "$file"
	done <"$work/list"
}

# ---- what there is ----

# Not sim/base, whose numbers are sizes of buffers and limits of files.
sources=$(ls sim/*/*.[ch] mapper/*/*.[ch] | grep -v '^sim/base/')

# Numbers of the lines that match, after the first match of what precedes the values.
list_numbers() {
	awk -v wanted="$1" -v lead="$2" '
		$0 ~ wanted {
			match($0, lead)
			name = substr($0, RSTART, RLENGTH)
			sub(/^AT[(]/, "", name)
			gsub(/[^A-Za-z0-9_.]+/, "", name)
			at = RSTART + RLENGTH
			rest = substr($0, at)
			sub(/[ \t]*(#|\/\*).*/, "", rest)
			while (match(rest, /true|false|[0-9]+(\.[0-9]+)?/)) {
				print FILENAME, FNR, at + RSTART - 1, RLENGTH, name, substr(rest, RSTART, RLENGTH)
				at += RSTART + RLENGTH - 1
				rest = substr(rest, RSTART + RLENGTH)
				if (once)
					break
			}
		}' once="${3:-0}" $sources spaces/machines/*.yaml
}

list_defines() {
	units='_(CLK|FRAC|TAP|BYTE|PACKET|MAC|MACS|ALIGN)'
	list_numbers "^#define[ \t]+[A-Z][A-Z0-9_]*$units[ \t]+[(]?[0-9]" '[A-Z][A-Z0-9_]*[ \t]+[(]?' 1 |
		while read -r file line column length name old; do
			is_algorithm "$name" || echo "$file $line $column $length $name $old"
		done
}

list_tables() {
	list_numbers '^[ \t]*\[SETUP_[A-Z_]*\] = [{].*[}],$' '\[SETUP_[A-Z_]*\] = [{]' | grep '^sim/machine/latency\.c '
}

list_defaults() {
	list_numbers '^[ \t]*[{]"[a-z_.0-9]*", ".*AT[(][a-z_0-9.]*[)], [0-9]' 'AT[(][a-z_0-9.]*[)], ' 1 |
		grep '^sim/machine/machine_param_table\.c '
}

list_files() {
	list_numbers '^ *(- )?[a-z_0-9]+: *([0-9]|true|false)' '[a-z_0-9]+: *' | grep '^spaces/machines/'
}

# ---- all of it ----

# shellcheck disable=SC2086 # lists of words
run_tests $models $recorded
if [ -n "$killer" ]; then
	echo "$killer fails without any change:" >&2
	tail -n 20 "$work/log" >&2
	exit 2
fi
[ $# -gt 0 ] || set -- defines tables defaults files
for group in "$@"; do
	echo "== $group"
	# shellcheck disable=SC2086
	case $group in
	defines) list_defines ;;
	tables) list_tables ;;
	defaults) list_defaults ;;
	files) list_files ;;
	*) list_numbers "^#define[ \t]+$group[ \t]" "$group[ \t]+[(]?" 1 ;;
	esac >"$work/list"
	if [ ! -s "$work/list" ]; then
		echo "$group: nothing to change was found" >&2
		exit 2
	fi
	case $group in
	tables) mutate_all both test_latency test_fast test_distribute test_validate $recorded ;;
	defaults) mutate_all both test_machine $recorded ;;
	files) mutate_all more $recorded ;;
	*) mutate_all both $models $recorded ;;
	esac
done
n_survived=$(echo "$survivors" | grep -c .)
echo "$((n_killed + n_recorded)) killed, $n_recorded of them by recorded figures alone; $n_survived survived$survivors"
[ "$n_survived" -eq 0 ]
