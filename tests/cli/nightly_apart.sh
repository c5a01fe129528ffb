#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse nightly: a space whose process aborts, is killed, hangs or has no memory left has failed, and nothing else is lost.
. tests/cli/common
unset DSE_STORE

replay_space "$work/slow.yaml"
results=$work/results

# begin DATE OPTION...: a night in the background, $night; $child: the process of its slow space, at work.
begin() {
	date=$1
	shift
	"$DSE" nightly "$work/slow.yaml" spaces/smoke.yaml --date "$date" -o "$results" --tables none -q "$@" \
		>"$work/out" 2>"$work/err" &
	night=$!
	n=0
	child=''
	# it catches signals once the command begins
	until [ -n "$child" ]; do
		n=$((n + 1))
		[ "$n" -lt 600 ] || fail "no process of its own"
		sleep 0.05
		child=$(cat "/proc/$night/task/$night/children" 2>/dev/null) || true
		child=${child% }
	done
	catches_signals "$child" || fail "ended: $(cat "$work/err")"
	# and is searching
	sleep 0.5
}

# ends CODE
ends() {
	code=0
	wait "$night" || code=$?
	[ "$code" -eq "$1" ] || fail "exit $code instead of $1: $(cat "$work/out" "$work/err")"
}

# failed DATE REASON: the row of the slow space, and that of the other one.
failed() {
	expect_text "$work/out" "slow             failed   $work/slow.yaml: $2"
	expect_text "$work/out" "smoke            "
	expect_text "$results/nightly/$1/junit.xml" 'tests="2" failures="1"'
	expect_text "$results/nightly/$1/junit.xml" "$2"
	expect_text "$results/nightly/$1/junit.xml" \
		"to see it again: dse explore $work/slow.yaml --detail fast --no-cache --seed 1 -j 0"
	expect_text "$results/nightly/$1/nightly.json" '"verdict": "failed"'
	grep -q "failed" "$results/nightly/$1/index.html" || fail "the page says nothing of it"
	[ ! -e "/proc/$child" ] || fail "its process is still there"
}

begin 2026-01-01
kill -s ABRT "$child"
ends 1
failed 2026-01-01 "killed by signal 6 (Aborted)"
expect_text "$work/out" "smoke            first "

# As the system does when memory is out.
begin 2026-01-02
kill -s KILL "$child"
ends 1
failed 2026-01-02 "killed by signal 9 (Killed), as the system does when memory is out"
expect_text "$work/out" "smoke            same "

# It hangs: it does not even hear that it is to stop.
begin 2026-01-03 --max-seconds 2
kill -s STOP "$child"
ends 1
failed 2026-01-03 "still at work after 2 s"

# Too little memory for it; sanitizers reserve far more than any limit.
if ! $is_slow; then
	expect_code 1 "$DSE" nightly spaces/bench/exact_vgg16.yaml spaces/smoke.yaml --date 2026-01-04 -o "$results" \
		--tables none -q --max-mb 60
	expect_text "$work/out" "bench_exact_vgg16 failed   out of memory"
	expect_text "$results/nightly/2026-01-04/junit.xml" "to see it again: dse explore spaces/bench/exact_vgg16.yaml"
	expect_text "$work/out" "smoke            same "
fi

# Nobody is left over: neither where the night is stopped, which goes on when it is asked again, nor where it is killed.
begin 2026-01-05
kill -s INT "$night"
ends 130
[ ! -e "/proc/$child" ] || fail "its process is still there"
expect_text "$work/err" "the same command with --date 2026-01-05 goes on"
begin 2026-01-05
kill -s KILL "$night"
wait "$night" 2>/dev/null || true
n=0
while [ -e "/proc/$child" ] && ! grep -q '^State:.Z' "/proc/$child/status"; do
	n=$((n + 1))
	[ "$n" -lt 200 ] || fail "the process of a space outlives its night"
	sleep 0.1
done

# Who inherits the variable by which a night knows its process is no child.
expect_code 0 env DSE_CHILD_OF=1:0 "$DSE" nightly spaces/smoke.yaml --date 2026-01-06 -o "$results" --tables none -q
expect_text "$work/out" "smoke            same "
