#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/stops.sh [PATTERN]: how long each command of $DSE goes on after a signal, with the slowest inputs of the kinds that
# are shipped. One line a command (those that match PATTERN): when the signal came, after how many seconds the program was
# gone, how many of them it computed before its first file appeared, and the seconds of its processor in all that time;
# then how far --max-seconds is overrun and how long dse check takes. Exits 1 when something is beyond its limit: 1 s of
# computing, 5 s until it has saved; on a machine that is busy with other work, seconds of each processor. STOPS_AT: when signals come, ms of
# processor time (200 1000 3000).
. tests/cli/common
pattern=${1:-.}
at_list=${STOPS_AT:-200 1000 3000}
compute_ms=1000
save_ms=5000
n_beyond=0
n_core=$(nproc)

now_ms() {
	echo $(($(date +%s%N) / 1000000))
}

# Ticks of 10 ms that the process has used on all processors; empty once it is gone.
ticks() {
	sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 12,13 | tr ' ' '+'
}

# ---- inputs ----

replay_space "$work/replay.yaml"
cat >"$work/machines.yaml" <<'END'
name: machines
machines: [dvfs_chip]
axes:
  mla.array: [16x4, 8x4, 32x4, 16x8, 32x8, 8x8]
  pe.sram_byte: 32KiB..1MiB:x2
  noc.clk_mhz: 100..1000:+50
networks: [resnet50, mobilenet_v2]
objectives: [latency_ms, energy_mj, mac_units, dram_byte]
END
cat >"$work/one.yaml" <<'END'
name: one
machine: dvfs_chip
network: vgg16
objectives: [latency_ms, energy_mj, dram_byte, sram_used_frac]
END
cat >"$work/mixed.yaml" <<'END'
name: mixed
machine: dvfs_chip
networks: [resnet50, yolov4_tiny]
level_shares: 15
level_changes: true
objectives: [latency_ms, energy_mj, peak_power_mw]
END
large_network "$work/large.yaml"
{
	echo 'name: long'
	echo 'input: [512, 512, 3]'
	echo 'layers:'
	i=0
	while [ $i -lt 200 ]; do
		echo "  - conv: {kernel: 3, out_channels: $((64 + i))}"
		i=$((i + 1))
	done
} >"$work/long.yaml"
replay_rows "$work/rows.csv"
sed 's/memory_model: *[a-z]*//' spaces/arada.yaml >"$work/arada.yaml"
# A fit of many rows.
awk -F, 'NR <= 1 { print; next } { row[n++] = $0 } END { for (k = 0; k < 1500; k++) for (i = 0; i < n; i++) print row[i] }' \
	spaces/measurements/example.csv >"$work/fit.csv"
# As many NoC clocks as are compared with each other.
cat >"$work/clocks.yaml" <<'END'
name: clocks
machine: dvfs_chip
axes: {noc.clk_mhz: 100..800:+1}
networks: [resnet50, mobilenet_v2]
objectives: [latency_ms, energy_mj, dram_byte]
END
# Levels by PE, whose plans are searched with the splits.
sed 's/^dvfs:/&\n  domain: pe/; s/^name: .*/name: by_pe/' spaces/machines/dvfs_chip.yaml >"$work/by_pe.yaml"
cat >"$work/levels.yaml" <<'END'
name: levels
machine: by_pe.yaml
axes: {mla.array: [16x4, 8x4, 8x8]}
network: resnet50
objectives: [latency_ms, energy_mj, peak_power_mw]
END
# wants COMMAND...: whether one of these is asked for; what they read takes a while to be made.
wants() {
	printf '%s\n' "$@" | grep -q -e "$pattern"
}
# Runs to be read: of many points, and their store.
store=$work/store run=none smoke=none
if wants report compare show export runs why sensitivity; then
	expect_code 0 "$DSE" explore spaces/mla_sizing.yaml --detail fast -q -o "$work/run" --store "$store"
	run=$(echo "$work"/run/mla_sizing-*)
	expect_code 0 "$DSE" explore spaces/smoke.yaml -q -o "$work/smoke" --store "$store"
	smoke=$(echo "$work"/smoke/smoke-*)
	expect_code 0 "$DSE" explore spaces/smoke.yaml --detail fast -q -o "$work/smoke2" --store "$store"
fi
if wants check-certificate; then
	expect_code 0 "$DSE" explore spaces/bench/exact_vgg16.yaml --detail fast -q -o "$work/run" --store none --certificate "$work/vgg16.cert"
fi

if wants emulate time-area; then
	expect_code 0 "$DSE" schedule resnet18 --machine final_chip --weights random -o "$work/image"
	head -c 15052800 /dev/zero >"$work/inputs" # 100 of them
	expect_code 0 "$DSE" emulate "$work/image" --machine final_chip --time-area "$work/area.bin"
fi

# ---- a command ----

beyond() {
	n_beyond=$((n_beyond + 1))
	echo "  BEYOND: $*"
}

# stop SIGNAL AT WORDS...: one line of the table.
stop() {
	signal=$1 at=$2
	shift 2
	rm -rf "$work/out.d"
	touch "$work/mark"
	"$DSE" "$@" >"$work/out" 2>"$work/err" &
	pid=$!
	catches_signals "$pid" || true
	# until it has computed for so long; a machine that is busy, or a program that waits, takes longer
	n=0
	while [ $n -lt 1000 ] && before=$(ticks "$pid") && [ -n "$before" ] && [ $((10 * ($before))) -lt "$at" ]; do
		n=$((n + 1))
		sleep 0.01
	done
	before=$(ticks "$pid")
	if [ -z "$before" ]; then
		code=0
		wait "$pid" || code=$?
		printf '%-5s %5s ms: %s  %s\n' "$signal" "$at" "ended before, exit $code" "$*" | sed "s|$work|.|g"
		return
	fi
	find "$work/out.d" -type f ! -name '*journal*' 2>/dev/null | sort >"$work/files"
	kill -s "$signal" "$pid"
	begin=$(now_ms)
	last=$before computed='' computed_ticks=''
	while :; do
		tick=$(ticks "$pid")
		[ -n "$tick" ] || break
		last=$tick
		if [ -z "$computed" ] && { find "$work/out.d" -type f ! -name '*journal*' 2>/dev/null | sort | cmp -s - "$work/files" || false; }; then
			:
		elif [ -z "$computed" ]; then
			computed=$(($(now_ms) - begin)) computed_ticks=$(($last - ($before)))
		fi
		if [ $(($(now_ms) - begin)) -gt 60000 ]; then
			kill -s KILL "$pid"
			break
		fi
		sleep 0.01
	done
	gone=$(($(now_ms) - begin))
	[ -n "$computed" ] || computed=$gone computed_ticks=$(($last - ($before)))
	all_ticks=$(($last - ($before)))
	code=0
	wait "$pid" || code=$?
	printf '%-5s %5s ms: gone %6d ms (%4d of CPU), computed %6d ms (%4d of CPU), exit %3d  %s\n' "$signal" "$at" "$gone" \
		$((10 * all_ticks)) "$computed" $((10 * computed_ticks)) "$code" "$*" | sed "s|$work|.|g; s|exit 137|KILLED|"
	# on a busy machine what counts is the time of the processor
	[ "$computed" -le $compute_ms ] || [ $((10 * computed_ticks)) -le $((n_core * compute_ms)) ] || beyond "computes after the signal"
	[ "$gone" -le $save_ms ] || [ $((10 * all_ticks)) -le $((n_core * save_ms)) ] || beyond "is still there"
	[ "$code" -eq 130 ] || beyond "exit $code"
}

# stops WORDS...: at each moment, by both signals in turn.
stops() {
	echo "$*" | grep -q -e "$pattern" || return 0
	next=INT
	for moment in $at_list; do
		stop $next "$moment" "$@"
		[ $next = INT ] && next=TERM || next=INT
	done
}

stops explore spaces/mla_sizing.yaml -o "$work/out.d" --store none
stops explore spaces/mla_sizing.yaml --detail fast --verify -o "$work/out.d" --store none
stops explore spaces/mla_sizing.yaml --detail fast --prove -o "$work/out.d" --store none
stops explore spaces/mla_sizing.yaml --detail fast --audit -o "$work/out.d" --store none
stops explore spaces/mla_sizing.yaml --effort signoff -o "$work/out.d" --store none
stops explore spaces/mla_sizing.yaml --detail event -o "$work/out.d" --store none
stops explore spaces/mla_sizing.yaml --detail fast --coefficient-samples 1000 -o "$work/out.d" --store none
stops explore spaces/mla_sizing.yaml --detail fast --compare thesis -o "$work/out.d" --store none
stops explore spaces/mla_sizing.yaml --detail fast --isolate -o "$work/out.d" --store none
stops explore spaces/mla_sizing.yaml --detail fast --certificate "$work/certificate" -o "$work/out.d" --store none
stops explore "$work/machines.yaml" --detail fast --certificate "$work/certificate" -o "$work/out.d" --store none
stops explore "$work/clocks.yaml" -o "$work/out.d" --store none
stops check-certificate "$work/vgg16.cert"
stops explore "$work/machines.yaml" -o "$work/out.d" --store none
stops explore "$work/machines.yaml" --detail event -o "$work/out.d" --store none
stops explore "$work/one.yaml" -o "$work/out.d" --store none
stops explore "$work/mixed.yaml" -o "$work/out.d" --store none
stops explore "$work/levels.yaml" --detail fast -o "$work/out.d" --store none
stops explore "$work/replay.yaml" -o "$work/out.d" --store none
stops explore spaces/tpu_sizing.yaml -o "$work/out.d" --store none
stops explore spaces/bench/exact_hardware_vgg16.yaml -o "$work/out.d" --store none
stops explore spaces/mla_sizing.yaml --engine exhaustive -o "$work/out.d" --store none
stops explore spaces/mla_sizing.yaml --engine nsga2 -o "$work/out.d" --store none
stops explore spaces/mla_sizing.yaml --engine nsga2 --flat -o "$work/out.d" --store none
stops explore spaces/mla_sizing.yaml --engine pls --flat -o "$work/out.d" --store none
stops size dvfs_chip resnet50 yolov4_tiny --vary pe.sram_byte=32KiB..1MiB:x2 --vary mla.array=16x4,32x4,8x4 -o "$work/out.d" --store none
stops nightly spaces/mla_sizing.yaml "$work/machines.yaml" -o "$work/out.d" --store "$work/night_store"
stops report "$run" -o "$work/out.d/page.html" --store "$store"
stops compare "$run" "$smoke" --store "$store"
stops show 1 --store "$store"
stops export 1 --csv --store "$store"
stops runs --store "$store"
stops simulate "$work/replay_machine.yaml" vgg16
stops simulate dvfs_chip "$work/large.yaml" --detail event
stops simulate dvfs_chip "$work/long.yaml" --detail event --trace "$work/trace.json"
stops simulate dvfs_chip "$work/long.yaml" --detail event --audit
stops simulate dvfs_chip "$work/long.yaml"
stops map "$work/replay_machine.yaml" vgg16
stops map dvfs_chip "$work/long.yaml"
stops map "$work/by_pe.yaml" resnet50 --goal edp
stops map dvfs_chip resnet50 --detail both --goal energy
stops map dvfs_chip yolov4_tiny --conv-1x1 conv,packed,matmul --fetch-ahead
stops prove dvfs_chip resnet50
stops prove dvfs_chip "$work/long.yaml"
stops schedule "$work/large.yaml" --machine final_chip
stops schedule "$work/large.yaml" --machine final_chip --strategy hide --chips 3
stops schedule "$work/long.yaml" --machine final_chip --strategy sram
stops schedule "$work/long.yaml" --machine final_chip -o "$work/out.d"
stops schedule vgg16 --machine final_chip --weights random -o "$work/out.d"
stops emulate "$work/image" --input "$work/inputs" -o "$work/out.bin"
stops fit "$work/image" --time-area "$work/area.bin" --machine final_chip
stops power "$work/replay_machine.yaml" vgg16 --budget-frac 1.5
stops power dvfs_chip resnet50 --budget-frac 1.5 --detail event
stops power dvfs_chip resnet50 --search --budget-frac 1.5
stops power dvfs_chip resnet50 --per-loop --front --budget-frac 1.5
stops power dvfs_chip resnet50 --domain pe --budget-frac 1.5
stops power dvfs_chip "$work/long.yaml" --domain qpe --budget-frac 1.5
stops power dvfs_chip "$work/long.yaml" --per-loop --budget-frac 1.5
stops power dvfs_chip resnet50 --per-loop --budget-frac 1.5 --analyse pairs
stops arada spaces/arada.yaml -o "$work/out.d"
stops arada spaces/arada.yaml --feedback 100000 --noise 5 -o "$work/out.d"
stops validate "$work/rows.csv"
stops validate tests/reference/*.csv --detail event
stops fit "$work/fit.csv"
stops import tests/reference/onnx/light_resnet50.onnx
stops why "$run" mla.array=24x8 --store "$store"
stops why "$run" strategy=fusion level=PL1 --store "$store"
stops sensitivity dvfs_chip resnet50
stops sensitivity "$run" --store "$store"
stops check "$work/replay.yaml"
stops check "$work/machines.yaml" --detail event
stops check "$work/mixed.yaml"
stops check "$work/levels.yaml"
stops explain "$work/machines.yaml"
stops explain "$work/replay.yaml"
stops roofline "$work/replay_machine.yaml" vgg16
stops roofline dvfs_chip "$work/long.yaml" --arrays 16x4,32x4,8x4,8x8 --strategy fusion,fusion_reuse

# ---- how long a search and an estimate take that say how long they take ----

# takes LIMIT_MS WORDS...: by its own clock, or that of its processors where the machine is busy.
takes() {
	limit=$1
	shift
	echo "$*" | grep -q -e "$pattern" || return 0
	begin=$(now_ms)
	code=0
	# shellcheck disable=SC3045 # of dash and bash alike
	{ times; "$DSE" "$@" >"$work/out" 2>"$work/err" || code=$?; times; } >"$work/times"
	taken=$(($(now_ms) - begin))
	used=$(tr 'ms' '  ' <"$work/times" | awk 'NR == 2 { a = $1 * 60 + $2 + $3 * 60 + $4 } NR == 4 { b = $1 * 60 + $2 + $3 * 60 + $4 }
		END { print int(1000 * (b - a)) }')
	printf 'takes %6d ms (%5d of CPU), limit %5d ms, exit %3d  %s\n' "$taken" "$used" "$limit" "$code" "$*" | sed "s|$work|.|g"
	[ "$taken" -le "$limit" ] || [ "$used" -le $((n_core * limit)) ] || beyond "takes longer"
	[ "$code" -eq 0 ] || [ "$code" -eq 4 ] || beyond "exit $code"
}

for seconds in 1 3; do
	for space in spaces/mla_sizing.yaml "$work/machines.yaml" "$work/one.yaml" "$work/mixed.yaml" "$work/replay.yaml" \
		spaces/tpu_sizing.yaml; do
		rm -rf "$work/out.d"
		takes $((1000 * (seconds + 1) + save_ms)) explore "$space" --max-seconds $seconds -q -o "$work/out.d" --store none
	done
done
for space in spaces/*.yaml "$work/machines.yaml" "$work/one.yaml" "$work/mixed.yaml" "$work/replay.yaml"; do
	takes 3500 check -q "$space"
done
[ $n_beyond -eq 0 ] || fail "$n_beyond beyond their limits"
