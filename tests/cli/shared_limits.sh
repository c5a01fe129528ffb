#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two networks of one layer, of which a limit lets the heavier one take less: their searches share no front, whichever
# comes first.
. tests/cli/common

sed 's/^name:.*/name: twin/' spaces/networks/vgg16_conv_8.yaml >"$work/twin.yaml"
cp spaces/networks/vgg16_conv_8.yaml "$work/conv.yaml"
space() { # NAME WEIGHT OTHER_WEIGHT
	cat >"$work/$1.yaml" <<E
name: $1
machine: dvfs_chip
networks: [{network: ./conv.yaml, weight: $2}, {network: ./twin.yaml, weight: $3}]
aggregate: weighted
layers: [{match: '.*', strategy: [fusion]}]
objectives: [latency_ms, energy_mj]
constraints: [latency_ms <= 3.735]
E
	expect_code 0 "$DSE" explore "$work/$1.yaml" --detail fast --no-cache -q -o "$work"
	cut -d, -f2,3 "$(echo "$work/$1"-*)/front.csv" >"$work/$1.csv"
	[ "$(wc -l <"$work/$1.csv")" -gt 2 ] || fail "$1: one design only: the limit cut what the lighter network may have"
}
space first 1 0.001
space second 0.001 1
expect_same "$work/first.csv" "$work/second.csv"
