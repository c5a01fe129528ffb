#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Weights fetched ahead: searched, listed, replayed in both tiers, audited, for any number of threads and shards.
. tests/cli/common

cat >"$work/fetch.yaml" <<EOF2
name: fetch
machine: dvfs_chip
network: resnet50_stage_3
layers:
  - match: '.*'
    split: {width: whole, height: {max_parts: 14, choose: even}, out_channels: {max_parts: 32, choose: even},
            in_channels: whole}
    strategy: fusion_reuse
    fetch_ahead: [no, half, all]
objectives: [latency_ms, energy_mj]
EOF2
sed -e 's/fetch_ahead: .*/fetch_ahead: no/' "$work/fetch.yaml" >"$work/plain.yaml"
sed -e '/fetch_ahead/d' "$work/fetch.yaml" >"$work/silent.yaml"

expect_code 0 "$DSE" explore "$work/fetch.yaml" --detail fast -j1 -o "$work/one" --points
one=$(echo "$work"/one/fetch-*)
expect_text "$one/front.json" '"fetched_weights": "half"'
expect_text "$one/front.json" '"fetches_next": "half"'
expect_text "$one/points.csv" ",level,fetched_ahead,"

# The same front with two threads, from shards, and from a search that tries every design.
expect_code 0 "$DSE" explore "$work/fetch.yaml" --detail fast -j2 -o "$work/two" --points
for part in 1 2; do
	expect_code 0 "$DSE" explore "$work/fetch.yaml" --detail fast --shard $part/2 -q -o "$work/shards"
done
expect_code 0 "$DSE" merge "$work"/shards/fetch-*-shard-* -o "$work/merged"
expect_code 0 "$DSE" explore "$work/fetch.yaml" --detail fast --engine exhaustive -o "$work/every"
for file in "$work"/two/fetch-*/front.csv "$work"/merged/fetch-*/front.csv "$work"/every/fetch-*/front.csv; do
	expect_same "$one/front.csv" "$file"
done
expect_same "$one/points.csv" "$(echo "$work"/two/fetch-*)/points.csv"

# Designs come back as they were, in either tier; what contradicts itself is refused.
expect_code 0 "$DSE" simulate --point "$one/front.json:0"
expect_text "$work/out" "fetched_ahead"
expect_code 0 "$DSE" simulate --point "$one/front.json:0" --detail event --audit
sed -e 's/"fetches_next": "[a-z]*", //' "$one/front.json" >"$work/broken.json"
expect_code 3 "$DSE" simulate --point "$work/broken.json:0"
expect_text "$work/err" "but the layer before fetches 'no' of them"

# It is found again beside other fronts, and audited.
expect_code 0 "$DSE" explore "$work/fetch.yaml" --detail fast --compare "$one/front.json:0" --audit-samples 200 -o "$work/compared"
expect_text "$work/out" "on the front"
expect_text "$work/out" "Audit: no fault found"

# A genetic search knows it, too; without the key, and with no, nothing is different.
expect_code 0 "$DSE" explore "$work/fetch.yaml" --flat --engine nsga2 --max-evaluations 800 -o "$work/flat"
expect_code 0 "$DSE" explore "$work/plain.yaml" --detail fast -o "$work/plain"
expect_code 0 "$DSE" explore "$work/silent.yaml" --detail fast -o "$work/silent"
expect_same "$(echo "$work"/plain/fetch-*)/front.csv" "$(echo "$work"/silent/fetch-*)/front.csv"
! grep -q fetches_next "$(echo "$work"/plain/fetch-*)/front.json" || fail "fetches where none are asked for"

# Where the space leaves no choice, whole designs fetch unasked: a genetic search finds some at once, an exhaustive one all.
sed -e 's/fetch_ahead: .*/fetch_ahead: all/' "$work/fetch.yaml" >"$work/forced.yaml"
expect_code 0 "$DSE" explore "$work/forced.yaml" --flat --engine nsga2 --max-evaluations 200 -o "$work/forced"
expect_text "$(echo "$work"/forced/fetch-*)/front.json" '"fetches_next": "all"'
cat >"$work/few.yaml" <<EOF2
name: few
machine: dvfs_chip
network: tiny
layers:
  - match: '.*'
    split: {width: whole, height: {max_parts: 2, choose: even}, out_channels: {max_parts: 4, choose: even},
            in_channels: whole}
    strategy: [fusion, fusion_reuse]
  - {match: '^FC_', split: {width: whole, in_channels: {max_parts: 8, choose: even}}}
  - {match: '^CONV_', fetch_ahead: all}
objectives: [latency_ms, energy_mj]
EOF2
expect_code 0 "$DSE" explore "$work/few.yaml" --flat --engine exhaustive -o "$work/whole"
expect_code 0 "$DSE" explore "$work/few.yaml" --detail fast -o "$work/layers"
expect_same "$(echo "$work"/whole/few-*)/front.csv" "$(echo "$work"/layers/few-*)/front.csv"
expect_text "$(echo "$work"/layers/few-*)/front.json" '"fetches_next": "all"'
