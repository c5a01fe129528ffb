#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs that are killed, cut short and taken up again end with the bytes of one that was left alone; so do shards that
# are merged. KILLS runs are killed at random moments (a fixed seed), 2 unless the environment says more.
. tests/cli/common
KILLS=${KILLS:-2}

# About half a second of work, layer by layer or flat.
cat >"$work/kills.yaml" <<'END'
name: kills
machine: dvfs_chip
axes:
  mla.array: [16x4, 4x4]
network: tiny
layers:
  - match: '.*'
    split: all
    strategy: [fusion, fusion_reuse]
    level: PL2
  - match: CONV_3
    level: all
search:
  population: 1000
  generations: 24
objectives: [latency_ms, energy_mj, mac_units]
END

sed 's/generations: .*/generations: 8/' "$work/kills.yaml" >"$work/layers.yaml"

cat >"$work/islands.yaml" <<'END'
name: kills
machine: dvfs_chip
axes:
  mla.array: [16x4, 4x4]
network: tiny
layers:
  - match: '.*'
    split: all
search: {engine: nsga2, islands: 4, max_evaluations: 24000}
objectives: [latency_ms, energy_mj, mac_units]
END
space=$work/kills.yaml

# compare_runs EXPECTED FOUND: every file but what run.json says of the command, the threads and the time; the verdict is in it.
compare_runs() {
	for file in front.csv front.json front.svg points.csv; do
		[ ! -e "$1/$file" ] || expect_same "$1/$file" "$2/$file"
	done
	expect_text "$1/run.json" '"verdict": '
	for run in "$1" "$2"; do
		grep -vE '"(command|threads|seconds)": ' "$run/run.json" >"$work/$(basename "$run").run"
	done
	expect_same "$work/$(basename "$1").run" "$work/$(basename "$2").run"
	left=$(ls -A "$2" | grep -vE '^(front\.(csv|json|svg)|points\.csv|run\.json)$' || true)
	[ -z "$left" ] || fail "left in $2: $left"
}

now_ms() {
	echo $(($(date +%s%N) / 300000))
}

# killed NAME KILLS OPTION...: a run left alone in $work/NAME, then others, killed so many times and taken up again.
killed() {
	name=$1
	kills=$2
	shift 2
	start=$(now_ms)
	expect_code 0 "$DSE" explore "$space" --detail fast -q -o "$work/$name" "$@"
	lasts=$(($(now_ms) - start))
	alone=$(echo "$work/$name"/kills-*)
	folder=$work/$name-killed/$(basename "$alone")
	mkdir -p "$work/$name-killed"
	n_run=0 n_killed=0 n_done=0
	while [ "$n_killed" -lt "$kills" ]; do
		n_run=$((n_run + 1))
		if [ -e "$folder/journal" ]; then
			"$DSE" explore --resume "$folder" -q "-j$((1 + n_run % 2))" >"$work/out" 2>"$work/err" &
		else
			rm -rf "$folder"
			"$DSE" explore "$space" --detail fast -q -o "$work/$name-killed" "$@" >"$work/out" 2>"$work/err" &
		fi
		pid=$!
		sleep "$(awk -v n="$n_run" -v lasts="$lasts" 'BEGIN { srand(n); printf "%.3f", rand() * lasts / 2000 }')"
		kill -s KILL "$pid" 2>/dev/null || true
		code=0
		wait "$pid" 2>/dev/null || code=$?
		case $code in
		137) n_killed=$((n_killed + 1)) ;;
		0)
			compare_runs "$alone" "$folder"
			rm -rf "$folder"
			n_done=$((n_done + 1))
			lasts=$((lasts * 3 / 4 + 20)) # it was faster than thought
			;;
		*) fail "exit $code of a killed run: $(cat "$work/err")" ;;
		esac
	done
	if [ -e "$folder/journal" ]; then
		expect_code 0 "$DSE" explore --resume "$folder"
		compare_runs "$alone" "$folder"
		n_done=$((n_done + 1))
	fi
	[ "$n_done" -gt 0 ] || fail "no run of $name was taken up"
	echo "$name: killed $n_killed times, $n_done runs ended as the one left alone"
}

killed layers "$KILLS" -j1 --points
killed genetic "$(((KILLS + 1) / 2))" -j2 --engine nsga2 --flat --seed 3
space=$work/layers.yaml
killed genetic-layers "$(((KILLS + 1) / 2))" -j2 --engine nsga2 --seed 3
space=$work/kills.yaml
killed flat "$(((KILLS + 1) / 2))" -j2 --flat --max-evaluations 70000
space=$work/islands.yaml
killed islands "$(((KILLS + 1) / 2))" -j2 --flat

# Ctrl-C says how to go on; a run that is complete has nothing left to do.
interrupted() {
	name=$1
	shift
	"$DSE" explore "$work/kills.yaml" --detail fast -o "$work/$name" "$@" >"$work/out" 2>"$work/err" &
	pid=$!
	n=0
	while ! ls "$work/$name"/kills-*/journal >/dev/null 2>&1; do
		n=$((n + 1))
		[ "$n" -lt 600 ] || fail "the search does not begin"
		sleep 0.02
	done
	kill -s INT "$pid"
	code=0
	wait "$pid" || code=$?
	[ "$code" -eq 130 ] || fail "exit $code after SIGINT"
	folder=$(echo "$work/$name"/kills-*)
	expect_text "$work/err" "to go on: dse explore --resume $folder"
	[ -e "$folder/journal" ] || fail "no journal after SIGINT"
}
interrupted layers-interrupted -j1 --points
expect_code 3 "$DSE" explore --resume "$folder" --seed 9 -q
expect_text "$work/err" "made with seed 1, now it is 9"
expect_code 3 "$DSE" explore --resume "$folder" --detail event -q
expect_text "$work/err" "made with detail fast, now it is event"
expect_code 2 "$DSE" explore --resume "$folder" -o "$work/other"
cp -r "$folder" "$work/changed"
expect_code 0 "$DSE" explore --resume "$folder" -j2
compare_runs "$(echo "$work"/layers/kills-*)" "$folder"
expect_code 0 "$DSE" explore --resume "$folder"
expect_text "$work/err" "nothing left to do"
interrupted genetic-interrupted -j1 --engine nsga2 --flat --seed 3
expect_code 0 "$DSE" explore --resume "$folder" -q
compare_runs "$(echo "$work"/genetic/kills-*)" "$folder"
expect_code 3 "$DSE" explore --resume "$work"
expect_text "$work/err" "there is nothing to resume"
sed 's/16x4, 4x4/16x4, 8x4/' "$work/kills.yaml" >"$work/kills.new"
mv "$work/kills.new" "$work/kills.yaml"
expect_code 3 "$DSE" explore --resume "$work/changed" -q
expect_text "$work/err" "made with file $work/kills.yaml"

# Torn and damaged journals: what is not whole is searched again, and the journal ends with the same bytes.
space=spaces/smoke.yaml
expect_code 0 "$DSE" explore $space --detail fast -q -o "$work/smoke" --points -j1
for part in 1 2 3; do
	expect_code 0 "$DSE" explore $space --detail fast -q -o "$work/shards" --points -j1 --shard $part/3
done
shard=$(echo "$work"/shards/smoke-*-shard-2-of-3)
cp "$shard/journal" "$work/journal"
size=$(wc -c <"$work/journal")
at=$size
while [ "$at" -gt $((size - 260)) ]; do
	at=$((at - 26))
	head -c "$at" "$work/journal" >"$shard/journal"
	expect_code 0 "$DSE" explore --resume "$shard" -q -j1
	expect_same "$work/journal" "$shard/journal"
done
head -c $((size - 100)) "$work/journal" >"$shard/journal"
printf 'x' >>"$shard/journal"
tail -c 99 "$work/journal" >>"$shard/journal"
expect_code 0 "$DSE" explore --resume "$shard" -j1
expect_text "$work/err" "torn or damaged"
expect_same "$work/journal" "$shard/journal"

# Shards make the front of the whole, in any order; what is missing or does not belong is named.
expect_code 0 "$DSE" merge "$work"/shards/*-3-of-3 "$work"/shards/*-1-of-3 "$shard" -o "$work/merged" -q
compare_runs "$(echo "$work"/smoke/smoke-*)" "$(echo "$work"/merged/smoke-*)"
expect_code 3 "$DSE" merge "$work"/shards/*-[13]-of-3 -o "$work/merged"
expect_text "$work/err" "shard 2/3 is missing"
expect_code 3 "$DSE" merge "$work"/shards/*-1-of-3 "$work"/shards/*-1-of-3
expect_text "$work/err" "is shard 1/3, and so is"
head -c $((size - 1)) "$work/journal" >"$shard/journal"
expect_code 3 "$DSE" merge "$work"/shards/*
expect_text "$work/err" "is not complete; to go on: dse explore --resume"
expect_code 0 "$DSE" explore $space --detail fast -q -o "$work/seeded" --seed 5 --shard 1/2
expect_code 3 "$DSE" merge "$work"/shards/*-1-of-3 "$work"/seeded/*
expect_text "$work/err" "made with seed 5, now it is 1"
expect_code 2 "$DSE" explore $space --shard 3/2
expect_text "$work/err" "--shard is '3/2', allowed is I/N"
expect_code 2 "$DSE" explore $space --shard 1/2 --flat --engine nsga2

# Machines that bounds cut are the same ones for all shards.
sed 's/^  mla.array: .*/  mla.array: [16x4, 8x4]\n  noc.clk_mhz: [300, 100]/' "$work/kills.yaml" >"$work/cut.yaml"
expect_code 0 "$DSE" explore "$work/cut.yaml" --detail fast -q -o "$work/uncut"
for part in 1 2; do
	expect_code 0 "$DSE" explore "$work/cut.yaml" --detail fast -q -o "$work/parts" --shard $part/2
done
expect_code 0 "$DSE" merge "$work"/parts/* -o "$work/merged" -q
compare_runs "$(echo "$work"/uncut/kills-*)" "$(echo "$work"/merged/kills-*)"
grep -q '"machines_cut": [1-9]' "$work"/merged/kills-*/run.json || fail "no machine is cut"
