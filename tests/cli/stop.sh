#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What ends a search is said in the table and in run.json, and the hypervolume's way there is the same for any threads.
. tests/cli/common

cat >"$work/large.yaml" <<'END'
name: large
machine: dvfs_chip
network: tiny
layers:
  - match: '.*'
    split: all
objectives: [latency_ms]
END
sed 's/^name: large/name: bred/; $a search: {generations: 7, population: 50}' "$work/large.yaml" >"$work/bred.yaml"

# stops WHY SPACE OPTION...: the run's results stay in $work/found.
stops() {
	why=$1
	shift
	rm -rf "$work/found"
	expect_code 0 "$DSE" explore "$@" -o "$work/found"
	expect_text "$work/out" "stopped by: $why"
	expect_text "$work"/found/*/run.json "\"stopped_by\": \"$why\""
}

stops exhausted spaces/smoke.yaml --engine exact
stops exhausted spaces/smoke.yaml --engine nsga2
stops exhausted spaces/smoke.yaml --engine nsga2 --flat
stops evaluations spaces/smoke.yaml --engine nsga2 --flat --max-evaluations 300
expect_text "$work"/found/*/run.json '{"evaluations": 300, '
stops evaluations "$work/large.yaml" --engine nsga2 --max-evaluations 3000
expect_text "$work"/found/*/run.json '"evaluations": 8'
stops evaluations spaces/smoke.yaml --engine exhaustive --flat --max-evaluations 300
stops stagnation "$work/large.yaml" --engine nsga2
expect_text "$work"/found/*/run.json '"layers": [{"share": 0.5, "evaluations": '
stops stagnation "$work/large.yaml" --engine nsga2 --flat
stops stagnation "$work/large.yaml" --engine pls
stops evaluations "$work/large.yaml" --engine pls --flat --max-evaluations 1000
stops generations "$work/bred.yaml" --engine nsga2 --flat
expect_text "$work"/found/*/run.json '{"evaluations": 350, '
stops time spaces/mla_sizing.yaml --engine nsga2 --flat --max-seconds 1 -j1
# The way is told where the search has gone some; how far one second goes is the machine's matter.
stops evaluations spaces/mla_sizing.yaml --engine nsga2 --flat --max-evaluations 5000
expect_text "$work/out" 'evaluations until 90 %: '
expect_text "$work/out" ' 100 %: 5000 of this hypervolume'

sed 's/^name: large/name: isles/; $a search: {islands: 3, migrate_every: 4}' "$work/large.yaml" >"$work/isles.yaml"
stops stagnation "$work/isles.yaml" --engine nsga2 --flat
stops evaluations "$work/isles.yaml" --engine nsga2 --flat --max-evaluations 5000
expect_text "$work"/found/*/run.json '{"evaluations": 5000, '

# A limit that is not reached ends nothing.
stops exhausted spaces/smoke.yaml --engine nsga2 --flat --max-seconds 1000 --max-evaluations 10000000

# Evaluations, points and volumes of the way are the same for any threads; only its seconds differ.
for options in "--engine nsga2" "--engine nsga2 --flat" "--engine exact"; do
	for n in 1 2; do
		rm -rf "$work/found"
		expect_code 0 "$DSE" explore spaces/smoke.yaml --detail fast -q $options -j$n -o "$work/found"
		sed -n '/"progress": {/,/^	}/p' "$work"/found/*/run.json | grep -v '"seconds": ' >"$work/way$n"
	done
	expect_text "$work/way1" '"points": [{"evaluations": '
	expect_same "$work/way1" "$work/way2"
done

# A limit that comes while machines are being bounded leaves the front of a sample.
cat >"$work/bounded.yaml" <<'END'
name: bounded
machine: dvfs_chip
axes:
  noc.clk_mhz: {from: 100, to: 800, step: 1}
  mla.array: [8x4, 16x4]
network: vgg16
objectives: [latency_ms, energy_mj]
END
expect_code 0 "$DSE" explore "$work/bounded.yaml" --detail fast --max-seconds 1 -q -o "$work/bounded"
expect_text "$work"/bounded/*/run.json '"complete": false'
[ "$(wc -l <"$(echo "$work"/bounded/*/front.csv)")" -gt 2 ] || fail "no front of a sample"

# Levels by PE whose peak counts take long to judge one by one; what was found without them is kept.
sed 's/^dvfs:/&\n  domain: pe/; s/^name: .*/name: by_pe/' spaces/machines/dvfs_chip.yaml >"$work/by_pe.yaml"
cat >"$work/levels.yaml" <<'END'
name: levels
machine: by_pe.yaml
network: resnet50
objectives: [latency_ms, energy_mj, peak_power_mw]
END
expect_code 0 "$DSE" explore "$work/levels.yaml" --detail fast --max-seconds 1 -q -o "$work/levels"
expect_text "$work"/levels/*/run.json '"complete": false'
[ "$(wc -l <"$(echo "$work"/levels/*/front.csv)")" -gt 2 ] || fail "no front of a sample by PE"
