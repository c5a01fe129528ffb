#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Searches in the event tier begin with the fast tier's fronts: even a short one is no worse than the fast optimum there.
. tests/cli/common

cat >"$work/space.yaml" <<E
name: seeds
machine: dvfs_chip
network: small.yaml
objectives: [latency_ms]
E
printf 'name: small\ninput: [10, 10, 24]\nlayers:\n  - conv: {kernel: 3, out_channels: 24}\n  - fc: {out: 40}\n' >"$work/small.yaml"
# least latency of a front.csv
least() {
	awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "latency_ms") at = i} NR == 2 {print $at}' "$1"
}
expect_code 0 "$DSE" explore "$work/space.yaml" --detail fast -o "$work/fast" -q
expect_code 0 "$DSE" simulate --point "$(echo "$work"/fast/*)/front.json:0" --detail event
priced=$(sed -n 's/^  latency_ms \([0-9.]*\).*/\1/p' "$work/out" | head -n 1)
[ -n "$priced" ] || fail "no latency of the fast optimum in the event tier"
for engine in nsga2 pls exact; do
	jobs_list=2
	[ $engine != nsga2 ] || jobs_list="1 2"
	for jobs in $jobs_list; do
		expect_code 0 "$DSE" explore "$work/space.yaml" --detail event --engine $engine --max-evaluations 60 \
			-j$jobs -o "$work/$engine-$jobs" -q
	done
	[ $engine != nsga2 ] || expect_same "$(echo "$work/$engine-1"/*)/front.csv" "$(echo "$work/$engine-2"/*)/front.csv"
	found=$(least "$(echo "$work/$engine-2"/*)/front.csv")
	awk -v a="$found" -v b="$priced" 'BEGIN {exit !(a > 0 && a <= b * (1 + 1e-6))}' ||
		fail "$engine: $found ms, the fast optimum has $priced ms in the event tier"
done

# Without them so few evaluations do not get there: the seeds do.
sed 's/^objectives.*/&\nsearch: {seeds: heuristics}/' "$work/space.yaml" >"$work/plain.yaml"
expect_code 0 "$DSE" explore "$work/plain.yaml" --detail event --engine nsga2 --max-evaluations 60 -o "$work/plain" -q
found=$(least "$(echo "$work"/plain/*)/front.csv")
awk -v a="$found" -v b="$priced" 'BEGIN {exit !(a > b)}' || fail "heuristics alone have $found ms, no more than $priced ms"
