#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse explore --certificate and dse check-certificate: what is accepted, what is refused and why, damaged files.
. tests/cli/common

space=spaces/smoke.yaml
for j in 1 2; do
	expect_code 0 "$DSE" explore $space --detail fast -j $j -o "$work/runs" -q --certificate "$work/$j.cert"
done
expect_same "$work/1.cert" "$work/2.cert"
# what the store knows is searched again for a certificate, and the run is the same
expect_code 0 "$DSE" explore $space --detail fast -o "$work/runs" -q
expect_code 0 "$DSE" check-certificate "$work/1.cert"
expect_text "$work/out" "Accepted: the 9 points of smoke are designs, and for every legal design one of them is no worse in any objective"
expect_code 0 "$DSE" check-certificate "$work/1.cert" $space --json -o "$work/report.json"
expect_text "$work/report.json" '"n_front": 9'
expect_code 0 "$DSE" check-certificate "$work/1.cert" -q
expect_empty "$work/out"

# Systolic arrays, and deadlines.
for space in spaces/tpu_small.yaml tests/verdict/deadline.yaml; do
	expect_code 0 "$DSE" explore $space --detail fast -o "$work/runs" -q --certificate "$work/other.cert"
	expect_code 0 "$DSE" check-certificate "$work/other.cert"
	expect_text "$work/out" "Accepted: "
done
space=spaces/smoke.yaml

# Each fault at its line.
sed 's/^p 1 0 0 1 0 0 1 0 0.263/p 1 0 0 1 0 0 1 0 0.262/' "$work/1.cert" >"$work/changed"
expect_code 6 "$DSE" check-certificate "$work/changed"
expect_text "$work/err" "changed:10:1: latency_ms of the design is 0.263"
sed '0,/^x$/{/^x$/d}' "$work/1.cert" >"$work/changed"
expect_code 3 "$DSE" check-certificate "$work/changed"
sed 's/^front \([0-9]*\) 0/front \1 -1/' "$work/1.cert" >"$work/changed"
expect_code 3 "$DSE" check-certificate "$work/changed"
sed 's/^file 9/file 8/' "$work/1.cert" >"$work/changed"
expect_code 3 "$DSE" check-certificate "$work/changed"
expect_text "$work/err" "changed:4:1: the certificate is of another $space than $space is now"
expect_code 3 "$DSE" check-certificate "$work/1.cert" spaces/mla_sizing.yaml

# Damaged: cut anywhere, other bytes, no certificate at all.
n_byte=$(wc -c <"$work/1.cert")
for part in 0 1 50 400 900 1500 $((n_byte - 1)); do
	head -c $part "$work/1.cert" >"$work/changed"
	[ $part = $((n_byte - 1)) ] || expect_code 3 "$DSE" check-certificate "$work/changed"
done
{ cat "$work/1.cert"; echo more; } >"$work/changed"
expect_code 3 "$DSE" check-certificate "$work/changed"
head -c 100000 "$DSE" >"$work/changed"
expect_code 3 "$DSE" check-certificate "$work/changed"
expect_code 5 "$DSE" check-certificate "$work/none"

# What cannot be certified is refused before it is searched, with what to do.
refuse() {
	text=$1
	shift
	expect_code 2 "$DSE" explore -o "$work/none" --certificate "$work/refused" "$@"
	expect_text "$work/err" "$text"
	[ ! -e "$work/refused" ] || fail "a certificate of what was refused"
	[ ! -e "$work/none" ] || fail "a run of what was refused"
}
refuse "with --detail fast" $space
refuse "with --detail fast" $space --detail event
refuse "with --engine exact" $space --detail fast --engine nsga2
refuse "without --flat" $space --detail fast --flat
refuse "without --epsilon" $space --detail fast --epsilon 1
refuse "without --max-evaluations" $space --detail fast --max-evaluations 100
refuse "without --coefficient-samples" $space --detail fast --coefficient-samples 10
refuse "write what --set says into them" $space --detail fast --set pe.sram_byte=64KiB
refuse "without --shard" $space --detail fast --shard 1/2
replay_space "$work/replay.yaml"
refuse "choose memory_model physical" "$work/replay.yaml" --detail fast
refuse "leave out fetch_ahead" spaces/fetch_ahead.yaml --detail fast

# A search that is cut short has none, and says so.
expect_code 0 "$DSE" explore spaces/mla_sizing.yaml --detail fast -j1 --max-seconds 1 -o "$work/short" --store none --no-progress --certificate "$work/short.cert"
expect_text "$work/err" "no certificate: the search was cut short"
[ ! -e "$work/short.cert" ] || fail "a certificate of a search that was cut short"
