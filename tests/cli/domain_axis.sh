#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dvfs.domain as an axis: all domains in one front, what the PEs of its knee do, and each point replayed.
. tests/cli/common

cat >"$work/domain.yaml" <<'END'
name: domain
machine: dvfs_chip
axes: {dvfs.domain: [chip, qpe, pe]}
network: mlperf_tiny_kws
layers:
  - {match: '.*', split: even, level: [PL1, PL2], strategy: [fusion, fusion_reuse]}
objectives: [latency_ms, energy_mj]
END
expect_code 0 "$DSE" explore "$work/domain.yaml" --detail fast -j 1 --no-progress -o "$work/results"
grep -q '^levels by PE of design [0-9]*, PEs x tasks' "$work/out" || fail "nothing said of the knee's PEs"
grep -Eq '^[A-Z]+_[0-9]+: .*[0-9]x[0-9]+ PL1' "$work/out" || fail "no layer's PEs"
front=$(ls "$work/results"/domain-*/front.csv)
for domain in chip qpe pe; do
	point=$(awk -F, -v domain=$domain 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "dvfs.domain") at = i }
		NR > 1 && $at == domain { print $1; exit }' "$front")
	[ -n "$point" ] || fail "no point of $domain"
	expect_code 0 "$DSE" simulate --point "${front%.csv}.json:$point"
done

# Alone, chip has the points that it has without the key.
sed 's/\[chip, qpe, pe\]/[chip]/' "$work/domain.yaml" >"$work/chip.yaml"
sed '/^axes/d' "$work/domain.yaml" >"$work/none.yaml"
for one in chip none; do
	expect_code 0 "$DSE" explore "$work/$one.yaml" --detail fast -j 1 -q -o "$work/$one"
	cut -d, -f 2,3 "$work/$one"/*/front.csv >"$work/$one.points"
done
cmp "$work/chip.points" "$work/none.points" || fail "dvfs.domain: [chip] differs from none"

# Engines that know no plans refuse it, whatever value comes first.
expect_code 2 "$DSE" explore "$work/domain.yaml" --engine nsga2 --detail fast -q -o "$work/other"
expect_text "$work/err" "levels by PE"
