#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ctrl-C, SIGTERM and --max-seconds where a single evaluation takes minutes, and where an input never comes.
. tests/cli/common

replay_space "$work/slow.yaml"
# One layer to be replayed: when the signal comes, all work is begun.
cat >"$work/arada.yaml" <<'END_OF_SPACE'
name: one
machine: edge_tpu
network: vgg16_conv_8
objectives: [latency_ms]
arada:
  memory_model: scalesim
  buffers_kib: {edge_tpu: [1, 1, 1]}
  memories: {edge_tpu: {LPDDR4: 25.6}}
END_OF_SPACE
replay_rows "$work/rows.csv"
large_network "$work/large.yaml"

# How long a stop may take, s: it takes milliseconds, but machines may be busy.
most=5
pause=0.3 # until the program is at work, s
if $is_slow; then most=20; fi

# gone PID: wait for it to end; false when it does not in time.
gone() {
	n=0
	while kill -s 0 "$1" 2>/dev/null; do
		n=$((n + 1))
		[ "$n" -lt $((10 * most)) ] || return 1
		sleep 0.1
	done
}

# stops SIGNAL COMMAND...: the program, at work for a while, ends with 130 soon after the signal, and says so.
stops() {
	signal=$1
	shift
	"$DSE" "$@" >"$work/out" 2>"$work/err" &
	pid=$!
	catches_signals "$pid" || true
	sleep "$pause"
	kill -s "$signal" "$pid" 2>/dev/null || fail "ended before SIG$signal: $*: $(cat "$work/err")"
	if ! gone "$pid"; then
		kill -s KILL "$pid"
		wait "$pid" || true
		fail "still there $most s after SIG$signal: $*"
	fi
	code=0
	wait "$pid" || code=$?
	[ "$code" -eq 130 ] || fail "exit $code after SIG$signal: $*: $(cat "$work/err")"
	expect_text "$work/err" "interrupted"
}

stops INT simulate "$work/slow_machine.yaml" vgg16
expect_empty "$work/out"
stops TERM simulate "$work/slow_machine.yaml" vgg16 --detail event
expect_empty "$work/out"
stops INT roofline "$work/slow_machine.yaml" vgg16
expect_empty "$work/out"
stops INT explain "$work/slow.yaml"
expect_empty "$work/out"
stops INT check "$work/slow.yaml"
stops INT validate "$work/rows.csv"
stops INT map "$work/slow_machine.yaml" vgg16
stops TERM arada "$work/arada.yaml" -o "$work/arada"
stops INT schedule "$work/large.yaml" --machine final_chip
expect_empty "$work/out"
stops TERM schedule "$work/large.yaml" --machine final_chip --strategy hide -o "$work/schedule"
[ ! -e "$work/schedule" ] || fail "an interrupted schedule wrote files"
stops INT schedule vgg16 --machine final_chip --weights random -o "$work/schedule"
[ ! -e "$work/schedule" ] || fail "an interrupted schedule wrote an image"
pause=1 # it has a store to make first
DSE_STORE=$work/store stops INT nightly "$work/slow.yaml" -o "$work/night" --tables none
pause=0.3
stops TERM explore "$work/slow.yaml" -o "$work/runs"
expect_text "$work"/runs/slow-*/run.json '"interrupted": true'
stops TERM explore spaces/mla_sizing.yaml --detail event -o "$work/event"
expect_text "$work"/event/mla_sizing-*/run.json '"interrupted": true'
stops INT explore "$work/slow.yaml" --engine nsga2 --flat -o "$work/flat"
expect_text "$work"/flat/slow-*/run.json '"interrupted": true'

# A FIFO that nobody writes: as every kind of file, and as what stands in one.
mkfifo "$work/fifo"
sed 's/slow_machine.yaml/fifo/' "$work/slow.yaml" >"$work/of_fifo.yaml"
stops TERM check "$work/fifo"
stops INT check "$work/of_fifo.yaml"
stops INT explore "$work/fifo" -o "$work/runs"
stops TERM simulate dvfs_chip "$work/fifo"
stops TERM simulate --point "$work/fifo:0"
stops TERM validate "$work/fifo"
# One that somebody does write is read.
(
	sleep 0.3
	cat spaces/networks/tiny.yaml >"$work/fifo"
) &
expect_code 0 "$DSE" simulate dvfs_chip "$work/fifo"
sed "s|$work/fifo|tiny|" "$work/out" >"$work/of_fifo" # in the command that is printed
expect_code 0 "$DSE" simulate dvfs_chip tiny
expect_same "$work/out" "$work/of_fifo"

# --max-seconds, and an estimate, whatever an evaluation takes; timeout ends with 124 what does not end by itself.
# ends CODE COMMAND...
ends() {
	wanted=$1
	shift
	expect_code "$wanted" timeout -k 1 $((2 * most)) "$DSE" "$@"
}
ends 0 check "$work/slow.yaml"
expect_text "$work/out" " s on "
expect_text "$work/out" " threads or more: of a layer not one design was done in the time for measuring"
ends 0 explain "$work/slow.yaml"
expect_text "$work/out" " s or more on "
for options in "--engine exact" "--engine nsga2" "--engine pls --flat"; do
	rm -rf "$work/runs"
	# shellcheck disable=SC2086 # several words
	ends 4 explore "$work/slow.yaml" --max-seconds 1 $options -o "$work/runs"
	expect_text "$work/err" "no feasible design within max_evaluations or --max-seconds"
	expect_text "$work/out" "found in the time, which proves nothing"
	expect_text "$work"/runs/slow-*/run.json '"stopped_by": "time"'
	expect_text "$work"/runs/slow-*/run.json '"complete": false'
done
if $is_slow; then exit 0; fi

# What was stopped is in neither journal nor store: gone on with, or asked again, it is as if nobody had stopped it.
cat >"$work/net.yaml" <<'END_OF_NETWORK'
name: net
input: [28, 28, 24]
layers:
  - conv: {kernel: 3, out_channels: 16}
  - fc: {out: 16}
END_OF_NETWORK
sed 's/vgg16/net.yaml/; s/name: slow/name: middle/' "$work/slow.yaml" >"$work/middle.yaml"
expect_code 0 "$DSE" explore "$work/middle.yaml" --detail fast -q -o "$work/whole"
DSE_STORE=$work/store
export DSE_STORE
code=0
"$DSE" explore "$work/middle.yaml" --detail fast -q --max-seconds 1 -o "$work/part" >"$work/out" 2>"$work/err" || code=$?
# a machine on which it takes less than a second stops nothing
[ "$code" -eq 4 ] || [ "$code" -eq 0 ] || fail "exit $code"
if [ "$code" -eq 4 ]; then
	expect_code 0 "$DSE" explore --resume "$(echo "$work"/part/middle-*)" -q
	expect_same "$(echo "$work"/whole/*/front.csv)" "$(echo "$work"/part/*/front.csv)"
fi
