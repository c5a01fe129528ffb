#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse explore --isolate: a machine on which the process aborts, is killed, hangs or finds no memory has failed, all others are
# searched as if the space did without it, and the certificate names it.
. tests/cli/common
shim=$(cd "$(dirname "$DSE")" && pwd)/machine_fault.so
cat >"$work/space.yaml" <<'END'
name: isolate
machine: dvfs_chip
axes:
  mla.array: [16x4, 8x4, 32x4, 8x8]
network: vgg16_conv_8
objectives: [latency_ms, energy_mj, mac_units]
END
sed 's/, 32x4//' "$work/space.yaml" >"$work/without.yaml"

# Without any fault it is what it is without --isolate, byte for byte. both SPACE OPTION...
both() {
	rm -rf "$work/apart" "$work/plain"
	for how in apart plain; do
		if [ $how = plain ]; then isolate=''; else isolate=--isolate; fi
		# shellcheck disable=SC2086 # nothing, or a word
		expect_code 0 "$DSE" explore "$@" $isolate -o "$work/$how"
		grep -v '^  seconds\|^Written\|^Replay\|^Look\|^Priced' "$work/out" >"$work/$how.out"
	done
	expect_same "$work/apart.out" "$work/plain.out"
	expect_same "$(echo "$work"/apart/*/front.csv)" "$(echo "$work"/plain/*/front.csv)"
	[ ! -e "$(echo "$work"/apart/*)/journal" ] || fail "a whole run keeps its journal"
}
both spaces/smoke.yaml
both "$work/space.yaml" --detail fast
rm -rf "$work/apart"
expect_code 0 "$DSE" explore "$work/without.yaml" --detail fast -o "$work/without"

# Mistakes are told as ever, and only once.
expect_code 5 "$DSE" explore "$work/none.yaml" --isolate
[ "$(grep -c none.yaml "$work/err")" -eq 1 ] || fail "told more than once: $(cat "$work/err")"
for options in "--isolate --flat" "--isolate --shard 1/2" "--isolate --certificate $work/c" "--max-mb 100" "--step-seconds 3"; do
	# shellcheck disable=SC2086
	expect_code 2 "$DSE" explore "$work/space.yaml" --detail fast $options -o "$work/none"
	expect_text "$work/err" "--isolate"
	case $options in --isolate*) grep -q 'without --flat, or\|leave .* out of the space' "$work/err" || fail "not told what to do" ;; esac
done

# Stopped, it goes on as any other.
replay_space "$work/slow.yaml"
"$DSE" explore "$work/slow.yaml" --isolate -o "$work/slow" >"$work/out" 2>"$work/err" &
pid=$!
catches_signals $pid || fail "ended: $(cat "$work/err")"
sleep 0.5
kill -s INT $pid
code=0
wait $pid || code=$?
[ $code -eq 130 ] || fail "exit $code instead of 130: $(cat "$work/err")"
expect_text "$work"/slow/*/run.json '"interrupted": true'
expect_code 4 "$DSE" explore "$work/slow.yaml" --isolate --max-seconds 1 -o "$work/slow2"

if [ ! -e "$shim" ]; then
	echo "SKIPPED: no $shim: sanitizers want to be loaded first"
	exit 0
fi

# fails KIND REASON OPTION...: machine 2, the third one, is left out; the front is that of the space without it.
fails() {
	kind=$1 why=$2
	shift 2
	rm -rf "$work/apart"
	expect_code 1 env LD_PRELOAD="$shim" MACHINE_FAULT="2:$kind" "$DSE" explore "$work/space.yaml" --detail fast --isolate \
		--no-progress -o "$work/apart" "$@"
	expect_text "$work/err" "failed: dvfs_chip, mla.array 32x4: $why"
	expect_text "$work/err" "dse explore --resume "
	run=$(echo "$work"/apart/*)
	expect_text "$run/run.json" "\"machine\": \"dvfs_chip, mla.array 32x4\", \"why\": \"$why"
	expect_text "$run/run.json" '"certificate": "exact, every legal design is accounted for; not covered: dvfs_chip, mla.array 32x4"'
	for one in "$run" "$work"/without/*; do # but for the space's name and what counts its machines
		cut -d , -f 2-6 "$one/front.csv" >"$work/$(basename "$one").front"
	done
	expect_same "$work/$(basename "$run").front" "$work/$(basename "$work"/without/*).front"
}
fails abort "killed by signal 6 (Aborted)" -j 2
expect_text "$work/err" "goes on from the journal with one thread, to see where"
expect_text "$work/err" "killed by signal 6 (Aborted) on machine 2, which is left out; the rest goes on"
# what reproduces it: the run goes on where it ended
[ -s "$run/journal" ] || fail "no journal"
expect_code 0 "$DSE" explore --resume "$run" -q
expect_same "$run/front.csv" "$(echo "$work"/plain/*/front.csv)"
fails kill "killed by signal 9 (Killed), as the system does when memory is out" -j 1
fails memory "ended with exit code 1, within 300 MB of memory" -j 1 --max-mb 300
fails stop "still at work after 1 s" -j 1 --step-seconds 1

# A fault that only several threads have costs nothing but time.
rm -rf "$work/apart"
expect_code 0 env LD_PRELOAD="$shim" MACHINE_FAULT=2:abort MACHINE_FAULT_THREADS=2 "$DSE" explore "$work/space.yaml" --detail fast \
	--isolate --no-progress -j 2 -o "$work/apart"
