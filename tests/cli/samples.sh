#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse explore --coefficient-samples: words, JSON, the same for any number of threads, and what is refused.
. tests/cli/common

for j in 1 3; do
	expect_code 0 "$DSE" explore spaces/smoke.yaml -o "$work/$j" -j "$j" --coefficient-samples 50 --no-cache
	expect_text "$work/out" "50 samples, each uniform in its interval, seed 1"
	expect_text "$work/out" "every design of every layer"
	sed -n '/"coefficient_samples"/,/"priced": {/p' "$work/$j"/smoke-*/run.json >"$work/samples-$j"
done
expect_text "$work/samples-1" '"exact": true'
expect_text "$work/samples-1" '"machine": "dvfs_chip, mla.array 16x4"'
cmp "$work/samples-1" "$work/samples-3" || fail "samples depend on threads"
expect_code 0 "$DSE" explore spaces/smoke.yaml -o "$work/seed" --seed 2 --coefficient-samples 50 --no-cache
sed -n '/"coefficient_samples"/,/"priced": {/p' "$work"/seed/smoke-*/run.json >"$work/samples-seed"
! cmp -s "$work/samples-1" "$work/samples-seed" || fail "another seed draws the same"

expect_code 2 "$DSE" explore spaces/smoke.yaml -o "$work" --flat --coefficient-samples 5
expect_text "$work/err" "--coefficient-samples prices what an exact search"
expect_code 2 "$DSE" explore spaces/smoke.yaml -o "$work" --detail event --coefficient-samples 5
expect_code 2 "$DSE" explore spaces/smoke.yaml -o "$work" --coefficient-samples 0
sed 's/^name: .*/name: late/; s/^objectives: .*/objectives: [latency_ms, energy_mj]\ndeadline_ms: 50/' spaces/smoke.yaml >"$work/late.yaml"
expect_code 0 "$DSE" explore "$work/late.yaml" -o "$work" --detail fast --coefficient-samples 5
expect_text "$work/out" "on_front_pct"
echo "constraints: ['energy_mj <= 10']" >>"$work/late.yaml"
expect_code 3 "$DSE" explore "$work/late.yaml" -o "$work" --coefficient-samples 5
expect_text "$work/err" "coefficients cannot be sampled with deadline_ms and a limit on energy_mj"

# Areas have intervals, too: those of each point, and what the samples leave of it; peak power is refused.
printf '%s\n' 'name: area' 'machine: dvfs_chip_22nm' 'network: tiny' 'axes: {mla.array: [16x4, 8x4]}' \
	"layers: [{match: '.*', split: even, strategy: [fusion]}]" 'objectives: [latency_ms, area_mm2]' >"$work/area.yaml"
expect_code 0 "$DSE" explore "$work/area.yaml" -o "$work/area" --detail fast --coefficient-samples 200 --no-cache
tr -d '\n\t ' <"$(echo "$work"/area/area-*/front.json)" >"$work/front"
for number in $(grep -o '"area_mm2":[0-9.]*,' "$work/front" | sort -u | tr -dc '0-9.\n'); do
	grep -o '"area_mm2":'"$number"',.*' "$work/front" | grep -o '"area_interval_mm2":\[[0-9.]*,[0-9.]*\]' | head -n 1 |
		tr -dc '0-9.,' | awk -F, -v area="$number" '{ exit !($1 < area && area < $2 && $1 > 0.7 * area && $2 < 1.3 * area) }' ||
		fail "area $number lies in no interval of some 20 %"
done
sed 's/area_mm2\]/peak_power_mw]/' "$work/area.yaml" >"$work/peak.yaml"
expect_code 3 "$DSE" explore "$work/peak.yaml" -o "$work" --detail fast --coefficient-samples 5
expect_text "$work/err" "coefficients cannot be sampled with peak_power_mw"

# Ctrl-C in the middle of the samples leaves the whole front, and soon; a run that goes on draws them again.
stop() {
	"$DSE" explore "$@" --no-cache >"$work/out" 2>"$work/err" &
	until [ -s "$(echo "$work"/stopped/smoke-*[0-9a-f]/journal)" ] || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
	sleep 0.5
	kill -INT $!
	code=0
	wait $! || code=$?
	[ "$code" -eq 130 ] || fail "exit $code after Ctrl-C"
	expect_text "$work/err" "holds the whole front, not with shares of samples"
	expect_text "$(echo "$work"/stopped/smoke-*[0-9a-f]/front.csv)" "latency_ms"
}
stop spaces/smoke.yaml -o "$work/stopped" --detail fast --coefficient-samples 100000
stop --resume "$(echo "$work"/stopped/smoke-*[0-9a-f])"
expect_code 0 "$DSE" explore --resume "$(echo "$work"/stopped/smoke-*[0-9a-f])" --coefficient-samples 50 --no-cache
expect_text "$work/out" "50 samples, each uniform in its interval, seed 1"
