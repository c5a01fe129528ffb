#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse explore --audit: what is said, written and refused; tests/dse/check/test_audit.c plants the errors that it must find.
. tests/cli/common

# A space of few designs: brute force over all of them, and the front is the one found without.
expect_code 0 "$DSE" explore spaces/smoke.yaml --detail fast -j1 -o "$work/plain" --points
expect_code 0 "$DSE" explore spaces/smoke.yaml --detail fast -j1 -o "$work/whole" --points --audit
expect_text "$work/out" "Audit: no fault found"
expect_text "$work/out" "every whole design of 2 of 2 machines: 512"
expect_text "$work/out" "for each of them a point is as good"
expect_text "$work/out" "accounted for; audited by brute force over all 512 whole designs"
for file in front.csv front.json points.csv; do
	expect_same "$(echo "$work"/plain/smoke-*)/$file" "$(echo "$work"/whole/smoke-*)/$file"
done
run=$(echo "$work"/whole/smoke-*/run.json)
expect_text "$run" '"passed": true'
expect_text "$run" '"whole_designs": 512'
expect_text "$run" '"faults": 0'
[ ! -e "${run%run.json}audit.json" ] || fail "audit.json of designs that are not lacking"

# Too many for that: layers by brute force, combinations, samples; the same for any number of threads.
cat >"$work/many.yaml" <<EOF
name: many
machine: dvfs_chip
axes: {mla.array: [16x4, 8x4]}
network: tiny
layers:
  - match: '.*'
    split: {width: even, height: even, out_channels: even, in_channels: {max_parts: 4, choose: even}}
    strategy: [fusion, fusion_reuse]
    level: [PL1, PL2]
objectives: [latency_ms, energy_mj]
EOF
for jobs in 1 2; do
	expect_code 0 "$DSE" explore "$work/many.yaml" --detail fast --audit-samples 1000 -j$jobs -o "$work/sampled$jobs"
	expect_text "$work/out" "layer searches against brute force: 16 of 16, over "
	expect_text "$work/out" "combinations of layers' points: "
	expect_text "$work/out" "samples on 2 machines: 1000"
	sed -e '/"command"/d' -e '/"threads"/d' -e '/"seconds"/d' "$(echo "$work"/sampled$jobs/many*/run.json)" >"$work/run$jobs"
done
expect_same "$work/run1" "$work/run2"
expect_text "$work/run1" '"layer_searches_too_large": 0'

# What proves nothing is not blamed for what it has not seen; its points are audited all the same.
expect_code 0 "$DSE" explore spaces/smoke.yaml --engine nsga2 --max-evaluations 50 --audit -o "$work/genetic" --json
expect_text "$work/out" '"claims_all_designs": false'
expect_code 0 "$DSE" explore spaces/smoke.yaml --flat --engine exhaustive --audit -o "$work/flat"
expect_text "$work/out" "audited by brute force over all 512 whole designs"

# In the event tier the front's runs are made again without replay, too. Alone, --audit does not choose that tier.
expect_code 0 "$DSE" explore spaces/smoke.yaml --detail event --engine nsga2 --max-evaluations 60 --audit-samples 10 -o "$work/event"
expect_text "$work/out" "each again with every event simulated: the same results"
expect_text "$work/out" "Audit: no fault found"
expect_code 0 "$DSE" explore spaces/smoke.yaml --detail greybox --audit -o "$work/greybox"
expect_text "$work/out" "audited by brute force over all 512 whole designs"
expect_code 0 "$DSE" explore spaces/smoke.yaml --detail fast --audit -o "$work/fast"
! grep -q "event tier" "$work/out" || fail "--audit alone runs the event tier"

# A merged front is audited like any other.
for part in 1 2; do
	expect_code 0 "$DSE" explore spaces/smoke.yaml --detail fast --shard $part/2 -q -o "$work/shards"
done
expect_code 0 "$DSE" merge "$work"/shards/*-of-2 --audit -o "$work/merged"
expect_text "$work/out" "audited by brute force over all 512 whole designs"

# What has no front, or no search any more, is not audited silently: where it can be is said.
expect_code 2 "$DSE" explore spaces/smoke.yaml --shard 1/2 --audit -q -o "$work/refused"
expect_text "$work/err" "give it to dse merge"
[ ! -e "$work/refused" ] || fail "a shard that is refused leaves a folder"
expect_code 2 "$DSE" explore --resume "${run%/run.json}" --audit
expect_text "$work/err" "is complete; --audit"
expect_code 2 "$DSE" explore --resume "$(ls -d "$work"/shards/*-1-of-2)" --audit-samples 5
expect_text "$work/err" "is complete; --audit"
expect_code 0 "$DSE" explore --resume "${run%/run.json}"
expect_text "$work/err" "nothing left to do"

# Changes of operating point between layers are part of what a design is worth: by brute force, and of shards.
cat >"$work/changes.yaml" <<EOF
name: changes
machine: dvfs_chip
network: tiny
layers:
  - {match: '.*', split: whole, level: [PL1, PL2], strategy: fusion}
  - {match: '^FC_', split: {in_channels: {max_parts: 2, choose: even}}}
level_changes: true
objectives: [latency_ms, energy_mj]
EOF
expect_code 0 "$DSE" explore "$work/changes.yaml" --effort signoff -o "$work/signoff"
expect_text "$work/out" "audited by brute force over all 16 whole designs"
for part in 1 2; do
	expect_code 0 "$DSE" explore "$work/changes.yaml" --detail fast --shard $part/2 -q -o "$work/changed"
done
expect_code 0 "$DSE" merge "$work"/changed/*-of-2 --audit -o "$work/merged-changes"
expect_text "$work/out" "audited by brute force over all 16 whole designs"

expect_code 2 "$DSE" explore spaces/smoke.yaml --audit-samples 0
expect_text "$work/err" "--audit-samples is '0', allowed is a whole number from 1 to"
