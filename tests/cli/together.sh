#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Several processes at work in one folder: the first one has it, the others say so, and all end with the results of one
# that was alone. STARTS times eight runs begin at the same moment, 10 unless the environment says more.
. tests/cli/common
$is_slow && n_start=2 || n_start=10
STARTS=${STARTS:-$n_start}
space=spaces/smoke.yaml
results='^(front\.(csv|json|svg)|points\.csv|run\.json)$'

expect_code 0 "$DSE" explore $space --detail fast -q -j1 -o "$work/alone" --points
alone=$(echo "$work"/alone/smoke-*)

# compare_with_alone FOLDER: its front is the lone run's, and nothing but results is left there.
compare_with_alone() {
	for file in front.csv front.json front.svg points.csv; do
		[ ! -e "$1/$file" ] || expect_same "$alone/$file" "$1/$file"
	done
	left=$(ls -A "$1" | grep -vE "$results" || true)
	[ -z "$left" ] || fail "left in $1: $left"
}

# No start fails, whoever comes first, and nobody puts aside or removes what another one needs.
for round in $(seq "$STARTS"); do
	for i in 1 2 3 4 5 6 7 8; do
		"$DSE" explore $space --detail fast -q -j1 -o "$work/many$round" >"$work/out$i" 2>"$work/err$i" &
		eval "pid$i=$!"
	done
	failed=
	for i in 1 2 3 4 5 6 7 8; do
		eval "wait \$pid$i" || failed="$failed$(cat "$work/err$i")"
	done
	[ -z "$failed" ] || fail "of eight starts: $failed"
	compare_with_alone "$(echo "$work/many$round"/smoke-*)"
done

# Some tenths of a second of work, to be stopped in the middle.
cat >"$work/long.yaml" <<END
name: long
machine: $PWD/spaces/machines/dvfs_chip.yaml
network: $PWD/spaces/networks/tiny.yaml
layers:
  - {match: '.*', split: all, strategy: [fusion, fusion_reuse], level: PL2}
  - {match: CONV_3, level: all}
objectives: [latency_ms, energy_mj]
END
expect_code 0 "$DSE" explore "$work/long.yaml" --detail fast -q -o "$work/whole"
whole=$(echo "$work"/whole/long-*)

stopped=
trap '[ -z "$stopped" ] || kill -s KILL "$stopped" 2>/dev/null; rm -rf "$work"' EXIT

# stop_at FILE COMMAND...: run it until FILE is there, and stop it then; $stopped is its process.
stop_at() {
	file=$1
	shift
	for try in 1 2 3 4 5; do
		"$@" >"$work/stopped.out" 2>"$work/stopped.err" &
		stopped=$!
		while kill -s 0 "$stopped" 2>/dev/null && ! ls $file >/dev/null 2>&1; do
			sleep 0.01
		done
		kill -s STOP "$stopped" 2>/dev/null || true
		# not when it was faster than this script
		! ls $file >/dev/null 2>&1 || ! kill -s 0 "$stopped" 2>/dev/null || return 0
		wait "$stopped" || fail "exit $? before it was stopped: $(cat "$work/stopped.err")"
	done
	fail "$file is never seen"
}

go_on() {
	kill -s CONT "$stopped"
	code=0
	wait "$stopped" || code=$?
	stopped=
	[ "$code" -eq 0 ] || fail "exit $code of the first process: $(cat "$work/stopped.err")"
}

# A second run of the same question searches without a journal and leaves the first one's alone; one that would go on
# with it is refused.
stop_at "$work/two/long-*/journal" "$DSE" explore "$work/long.yaml" --detail fast -q -j1 -o "$work/two"
two=$(echo "$work"/two/long-*)
cp "$two/journal" "$work/journal"
expect_code 5 "$DSE" explore --resume "$two" -q
expect_text "$work/err" "$two: another process is at work on this run"
expect_code 0 "$DSE" explore "$work/long.yaml" --detail fast -o "$work/two"
expect_text "$work/err" "another process is at work on the same run; this one keeps no journal"
expect_same "$whole/front.json" "$two/front.json"
expect_same "$work/journal" "$two/journal"
rm "$two/front.json"
go_on
expect_same "$whole/front.json" "$two/front.json"
left=$(ls -A "$two" | grep -vE "$results" || true)
[ -z "$left" ] || fail "left in $two: $left"

# What a kill leaves behind is nobody's.
stop_at "$work/killed/long-*/journal" "$DSE" explore "$work/long.yaml" --detail fast -q -j1 -o "$work/killed"
kill -s KILL "$stopped"
wait "$stopped" 2>/dev/null || true
stopped=
killed=$(echo "$work"/killed/long-*)
expect_code 0 "$DSE" explore --resume "$killed" -q
expect_same "$whole/front.json" "$killed/front.json"
left=$(ls -A "$killed" | grep -vE "$results" || true)
[ -z "$left" ] || fail "left in $killed: $left"

# A second process on a shard would make nothing that anybody could use: it says so before it searches.
stop_at "$work/parts/long-*-shard-1-of-2/journal" "$DSE" explore "$work/long.yaml" --detail fast -q -j1 -o "$work/parts" --shard 1/2
part=$(echo "$work"/parts/long-*-shard-1-of-2)
expect_code 5 "$DSE" explore "$work/long.yaml" --detail fast -q -o "$work/parts" --shard 1/2
expect_text "$work/err" "$part: another process is at work on this shard"
expect_code 0 "$DSE" explore "$work/long.yaml" --detail fast -q -o "$work/parts" --shard 2/2
expect_code 3 "$DSE" merge "$work"/parts/* -q -o "$work/two"
expect_text "$work/err" "$part: is not complete"
go_on
# a merge needs nothing of the folder but room for its results, whoever is at work there
stop_at "$two/journal" "$DSE" explore "$work/long.yaml" --detail fast -q -j1 -o "$work/two"
rm "$two/front.json"
expect_code 0 "$DSE" merge "$work"/parts/* -q -o "$work/two"
expect_same "$whole/front.json" "$two/front.json"
go_on
expect_same "$whole/front.json" "$two/front.json"

# One process makes a night.
stop_at "$work/nights/nightly/2026-11-22/long-*/journal" "$DSE" nightly "$work/long.yaml" -q -o "$work/nights" \
	--store "$work/nights.sqlite" --date 2026-11-22 --tables none
expect_code 5 "$DSE" nightly $space -q -o "$work/nights" --store "$work/nights.sqlite" --date 2026-11-22
expect_text "$work/err" "$work/nights/nightly/2026-11-22: another process is at work on this night"
go_on
[ -s "$work/nights/nightly/2026-11-22/index.html" ] || fail "the night has no page"
