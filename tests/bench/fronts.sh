#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What fronts take, and what is known of them: prices, objectives, stops, and questions asked again.
#
#   DSE=build/dse [OLD=another dse] tests/bench/fronts.sh
#
# With OLD each search of the fast tier runs with that program, too. Seconds are of all cores, by bash's `times`.
set -euo pipefail
cd "$(dirname "$0")/../.."
dse=${DSE:-build/dse} old=${OLD:-} work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%U %S %R'

# timed LABEL PROGRAM ARGUMENT...: the program's output goes to $work/out; cpu and wall are set
timed()
{
	local label=$1
	shift
	{ time "$@" >"$work/out" 2>"$work/err" </dev/null; } 2>"$work/time" || true
	read -r user system wall <"$work/time"
	cpu=$(awk -v a="$user" -v b="$system" 'BEGIN {printf "%.2f", a + b}')
	printf '%-52s %8s s of all cores, %8s s\n' "$label" "$cpu" "$wall"
}

claim() { sed -En "s,^ *(certificate: .*|cut whole by bounds .*),  \1,p" "$work/out" | tr -s " " | fold -s -w 100; }

# gap WHOLE PART: by how much, in percent, the front of two objectives in one CSV lies ahead of that in the other
gap()
{
	awk -F, 'FNR == 1 {next}
		FNR == NR {n++; a[n] = $2; b[n] = $3; next}
		{least = 1e300
		 x[++m] = $2; y[m] = $3}
		END {for (i = 1; i <= n; i++) {
			least = 1e300
			for (k = 1; k <= m; k++) {
				most = x[k] / a[i] > y[k] / b[i] ? x[k] / a[i] : y[k] / b[i]
				if (most < least) least = most
			}
			if (least > worst) worst = least
		}
		printf "%.3g", 100 * (worst - 1)}' "$1" "$2"
}

echo "-- both tiers"
export DSE_STORE=$work/store
timed "thesis_vgg16, priced" "$dse" explore spaces/thesis_vgg16.yaml --detail both -o "$work/priced" --no-progress
claim
timed "the same, asked again with --no-cache" "$dse" explore spaces/thesis_vgg16.yaml --detail both --no-cache \
	-o "$work/again" --no-progress
timed "the same, prices from the store" "$dse" explore spaces/thesis_vgg16.yaml --detail both -o "$work/stored" \
	--no-progress

echo "-- fast tier: two objectives, three"
export DSE_STORE=none
for space in exact_resnet18 exact_vgg16_dram; do
	timed "$space" "$dse" explore spaces/bench/$space.yaml --detail fast -o "$work/$space" --no-progress
	claim
	[ -z "$old" ] || timed "  as it was" "$old" explore spaces/bench/$space.yaml -o "$work/old" --no-progress
done

echo "-- VGG-16 on machines whose FC layers wait for one DRAM interface, and on 432 machines"
cat >"$work/one_dram.yaml" <<-END
	name: one_dram
	machine: dvfs_chip
	axes: {mla.array: [16x2], chip.n_dram: [1], noc.clk_mhz: [200]}
	networks: [vgg16]
	network_result: any
	objectives: [latency_ms, energy_mj]
END
for space in "$work/one_dram.yaml" spaces/bench/exact_hardware_vgg16.yaml; do
	timed "$(basename "$space" .yaml)" "$dse" explore "$space" --detail fast -o "$work/dram" --no-progress
	claim
done

echo "-- ResNet-18 by latency, energy and SRAM, on more and more machines"
for sram in "98304" "65536, 98304, 131072" "49152, 65536, 98304, 131072, 262144"; do
	cat >"$work/machines.yaml" <<-END
		name: machines
		machine: thesis_chip
		axes: {mla.array: [16x4, 8x4, 16x2, 8x8, 4x4], dram.clk_mhz: [250, 500], pe.sram_byte: [$sram]}
		networks: [resnet18]
		objectives: [latency_ms, energy_mj, sram_byte]
	END
	rm -rf "$work/machines"
	timed "  $(($(wc -w <<<"$sram") * 10)) machines" "$dse" explore "$work/machines.yaml" --detail fast \
		-o "$work/machines" --no-progress
	claim
	[ -z "$old" ] || timed "  as it was" "$old" explore "$work/machines.yaml" --detail fast -o "$work/old" --no-progress
done

cat >"$work/many.yaml" <<-END
	name: many
	machine: thesis_chip
	axes:
	  mla.array: [16x4, 8x4, 16x2, 8x8, 4x4]
	  dram.clk_mhz: [200, 250, 333, 400, 500]
	  noc.clk_mhz: [300, 400, 500, 800]
	  pe.sram_byte: [49152, 65536, 98304, 131072, 262144]
	networks: [resnet18]
	objectives: [latency_ms, energy_mj, sram_byte]
END
timed "  500 machines" "$dse" explore "$work/many.yaml" --detail fast -o "$work/many" --no-progress
claim
# numbers of QPEs, too: five minutes of two cores are the limit
sed 's/^name: many$/name: most/; s/^axes:/axes:\n  chip.n_qpe: [36, 38, 40, 42, 44, 46, 48, 52, 56, 64]/' "$work/many.yaml" >"$work/most.yaml"
timed "  5 000 machines" "$dse" explore "$work/most.yaml" --detail fast -o "$work/most" --no-progress
claim

echo "-- stopped at 10, 30 and 60 % of its time"
cat >"$work/stops.yaml" <<-END
	name: stops
	machine: dvfs_chip
	networks: [resnet50, mobilenet_v2]
	axes: {mla.array: [16x4, 8x4, 32x2]}
	objectives: [latency_ms, energy_mj]
END
timed "three arrays, ResNet-50 and MobileNetV2" "$dse" explore "$work/stops.yaml" --detail fast -o "$work/whole" \
	--no-progress
claim
whole=$wall
for share in 10 30 60; do
	seconds=$(awk -v w="$whole" -v s=$share 'BEGIN {n = int(w * s / 100); print n > 0 ? n : 1}')
	timed "  stopped after $seconds s" "$dse" explore "$work/stops.yaml" --detail fast --max-seconds "$seconds" \
		-o "$work/part$share" --no-progress
	claim
	echo "  in truth: $(gap "$work"/whole/*/front.csv "$work"/part$share/*/front.csv) %"
done

echo "-- the same question with a tighter limit"
export DSE_STORE=$work/limits
for limit in 40 5.2; do
	cat >"$work/limit.yaml" <<-END
		name: limit
		machine: dvfs_chip
		networks: [resnet18]
		constraints: [latency_ms <= $limit]
		objectives: [latency_ms, energy_mj]
	END
	timed "ResNet-18, latency_ms <= $limit" "$dse" explore "$work/limit.yaml" --detail fast -o "$work/l$limit" \
		--no-progress
done

# hypervolume WHOLE PART: of PART in percent of WHOLE's, up to 1.1 times WHOLE's largest values; both sorted by latency
hypervolume()
{
	awk -F, 'FNR == 1 {next}
		FNR == NR {n++; a[n] = $2; b[n] = $3; x = $2 > x ? $2 : x; y = $3 > y ? $3 : y; next}
		{m++; c[m] = $2; d[m] = $3}
		function area(p, q, k,   i, sum, last) {
			last = 1.1 * y
			for (i = 1; i <= k; i++)
				if (p[i] < 1.1 * x && q[i] < last) {
					sum += (1.1 * x - p[i]) * (last - q[i])
					last = q[i]
				}
			return sum
		}
		END {printf "%.2f", 100 * area(c, d, m) / area(a, b, n)}' "$1" "$2"
}

echo "-- nsga2 with 400 000 evaluations, layer by layer and not seeded, beside the exact front"
export DSE_STORE=none
for network in resnet18 mobilenet_v2; do
	for engine in exact nsga2; do
		cat >"$work/$engine.yaml" <<-END
			name: $engine
			machine: dvfs_chip
			networks: [$network]
			layers: [{match: '.*', split: all}]
			objectives: [latency_ms, energy_mj]
			search: {engine: $engine, seeds: heuristics}
		END
		rm -rf "$work/by_$engine"
		budget=()
		[ $engine = exact ] || budget=(--max-evaluations 400000)
		timed "$network, $engine" "$dse" explore "$work/$engine.yaml" --detail fast "${budget[@]}" \
			-o "$work/by_$engine" --no-progress
	done
	echo "  of the exact hypervolume: $(hypervolume "$work"/by_exact/*/front.csv "$work"/by_nsga2/*/front.csv) %"
done
