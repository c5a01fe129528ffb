#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ctrl-C in a search that would never end: the first saves and exits 130, the second ends at once.
. tests/cli/common

# A flat search of VGG-16 and ResNet-50 has more designs than anybody can count through.
start() {
	"$DSE" explore spaces/mla_sizing.yaml --flat -o "$work/$1" >"$work/out" 2>"$work/err" &
	pid=$!
	# The folder is made when everything has been read and the search begins.
	n=0
	while ! ls "$work/$1"/mla_sizing-* >/dev/null 2>&1; do
		n=$((n + 1))
		[ "$n" -lt 600 ] || fail "the search does not begin"
		sleep 0.1
	done
}

# Layer by layer, the layers that were not searched yet get a quick front, so that there is one of the whole.
start_layers() {
	"$DSE" explore spaces/qpe_vgg16.yaml --detail fast -j1 -o "$work/layers" >"$work/out" 2>"$work/err" &
	pid=$!
	n=0
	while ! ls "$work/layers"/qpe_vgg16-* >/dev/null 2>&1; do
		n=$((n + 1))
		[ "$n" -lt 600 ] || fail "the search does not begin"
		sleep 0.05
	done
}
start_layers
kill -s INT "$pid"
code=0
wait "$pid" || code=$?
[ "$code" -eq 130 ] || fail "exit $code after SIGINT in a search layer by layer"
run=$(echo "$work/layers"/qpe_vgg16-*)
[ -s "$run/front.csv" ] || fail "no front after SIGINT"
expect_code 0 "$DSE" simulate -q --point "$run/front.json:0"

# A complete result of the same question keeps its place: what was cut short goes beside it.
sed 's/"complete": false/"complete": true/' "$run/run.json" >"$work/run.json"
cp "$work/run.json" "$run/run.json"
rm -rf "$run-partial"
"$DSE" explore spaces/qpe_vgg16.yaml --detail fast -j1 --points -o "$work/layers" >"$work/out" 2>"$work/err" &
pid=$!
n=0
while ! ls "$run"/.points.csv.* >/dev/null 2>&1; do
	n=$((n + 1))
	[ "$n" -lt 600 ] || fail "the search does not begin"
	sleep 0.05
done
kill -s INT "$pid"
code=0
wait "$pid" || code=$?
[ "$code" -eq 130 ] || fail "exit $code after SIGINT beside a complete result"
expect_same "$work/run.json" "$run/run.json"
expect_text "$run-partial/run.json" '"complete": false'
[ -s "$run-partial/points.csv" ] || fail "no points.csv in $run-partial"
[ ! -e "$run/points.csv" ] || fail "points.csv beside the complete result"
expect_text "$work/err" "$run-partial"
expect_text "$work/err" "-j 1 --points -o $work/layers"

for signal in INT TERM; do
	start $signal
	kill -s "$signal" "$pid"
	code=0
	wait "$pid" || code=$?
	[ "$code" -eq 130 ] || fail "exit $code after SIG$signal"
	expect_text "$work/err" "interrupted"
	expect_text "$work/err" "dse explore spaces/mla_sizing.yaml"
	run=$(echo "$work/$signal"/mla_sizing-*)
	expect_text "$run/run.json" '"interrupted": true'
	expect_text "$run/run.json" '"complete": false'
done
