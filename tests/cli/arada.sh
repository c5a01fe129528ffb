#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse arada: what it writes, that savings fall as bandwidth grows, mistakes.
. tests/cli/common

cat >"$work/small.yaml" <<EOF2
name: small
target: systolic
systolic: {array: 8x8, ifmap_byte: 4096, filter_byte: 8192, ofmap_byte: 4096, dataflow: os, memory_gb_s: 2}
levels:
  - {name: N, vdd_v: 0.8, clk_mhz: 500}
EOF2
cat >"$work/net.yaml" <<EOF2
name: net
input: [24, 24, 8]
layers:
  - conv: {kernel: 3, groups: depthwise}
  - conv: {kernel: 1, out_channels: 32}
  - conv: {kernel: 3, out_channels: 16, stride: 2}
  - pool: {window: 3, type: max, stride: 1}
  - fc: {out: 64}
EOF2
# space MODEL BANDWIDTH SHAPE
space() {
	cat <<EOF2
name: trial
machine: small.yaml
networks: [net.yaml, $PWD/spaces/networks/tiny.yaml]
objectives: [latency_ms]
arada:
  memory_model: $1
  bandwidth: $2
  layers_as: $3
  switch_us: 0.5
  memories: {small: {slow: 1, middle: 3, fast: 60}}
  published: {small: {middle: 20}}
  detail: {network: net, machines: {small: [slow, fast]}}
EOF2
}

for setup in "scalesim word_per_clk tool" "scalesim gb_s network" "physical gb_s network"; do
	# shellcheck disable=SC2086
	space $setup >"$work/trial.yaml"
	rm -rf "$work/one" "$work/two"
	expect_code 0 "$DSE" arada "$work/trial.yaml" -j1 -o "$work/one"
	expect_empty "$work/err"
	cp "$work/out" "$work/table"
	expect_text "$work/table" "small middle"
	expect_code 0 "$DSE" arada "$work/trial.yaml" -j2 -o "$work/two" --json
	expect_same "$work/out" "$work/two/arada.json"
	for file in schedule.csv summary.csv arada.json means.svg networks.svg layers.svg exact.csv exact_schedule.csv; do
		expect_same "$work/one/$file" "$work/two/$file"
	done
	if grep -Eiq 'nan|inf' "$work/two/schedule.csv"; then fail "$setup: NaN"; fi

	# Layers: four of net and those of tiny, four schemes, three memories. None is later than at full speed; clocks of
	# the last scheme are legal; a layer that waits keeps its bandwidth, one that does not its clock.
	awk -F, -v setup="$setup" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			n++
			clk = $at["clk_mhz"]; stall = $at["stall_clk"]
			if ($at["busy_us"] > $at["time_us"] * 1.000001) { print setup ": late: " $0; bad = 1 }
			if (stall == 0 && clk != 500) { print setup ": slower for nothing: " $0; bad = 1 }
			if ($at["scheme"] == "VF-OH-Q" && clk % 50 != 0) { print setup ": no legal clock: " $0; bad = 1 }
			if ($at["scheme"] == "RTI" && (clk != 500 || $at["vdd_v"] != 0.8)) { print setup ": RTI: " $0; bad = 1 }
			if ((clk / 500 - $at["vdd_v"] / 0.8)^2 > 1e-12) { print setup ": voltage: " $0; bad = 1 }
		}
		END { if (n != 4 * 3 * (4 + 3)) { print setup ": rows: " n; bad = 1 } exit bad }' "$work/one/schedule.csv" ||
		fail "schedule.csv"

	# Savings fall with bandwidth, network by network; what is freer saves more; race to idle saves nothing.
	awk -F, -v setup="$setup" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ saving[$at["memory"], $at["network"], $at["scheme"]] = $at["saving_frac"]; network[$at["network"]] = 1 }
		END {
			for (n in network) {
				slow = saving["slow", n, "IDEAL"]; middle = saving["middle", n, "IDEAL"]; fast = saving["fast", n, "IDEAL"]
				if (!(slow >= middle && middle >= fast && slow > fast)) { print setup ": no fall: " n, slow, middle, fast; bad = 1 }
				if (slow < saving["slow", n, "VF-OH"] || saving["slow", n, "VF-OH"] < saving["slow", n, "VF-OH-Q"]) { print setup ": order: " n; bad = 1 }
				if (saving["slow", n, "RTI"] != 0) { print setup ": RTI"; bad = 1 }
			}
			exit bad
		}' "$work/one/summary.csv" || fail "summary.csv"

	# The exact allocation: proven, never above the rule by layer, more freedom never costs; a row a network, memory and
	# model of energy. Its schedule: legal clocks, and every change of clock or bandwidth hosted by one of two layers.
	expect_text "$work/table" "exact allocation: percent of race to idle's energy saved"
	expect_text "$work/two/arada.json" '"exact_turbo_saving_pct"'
	awk -F, -v setup="$setup" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			n++
			e = $at["exact_saving_pct"] + 1e-7
			if ($at["proven"] != 1) { print setup ": not proven: " $0; bad = 1 }
			if (e < $at["by_layer_saving_pct"] || $at["gain_pct"] < -1e-7 || $at["gain_as_late_pct"] < -1e-7) { print setup ": loses: " $0; bad = 1 }
			if ($at["exact_part_saving_pct"] + 1e-7 < e - 1e-7 || $at["exact_turbo_saving_pct"] + 1e-7 < $at["exact_part_saving_pct"] ||
			    $at["exact_later_saving_pct"] + 1e-7 < $at["exact_turbo_saving_pct"]) { print setup ": freedom costs: " $0; bad = 1 }
			if ($at["published_late_pct"] == 0 && e < $at["published_saving_pct"]) { print setup ": the rule wins: " $0; bad = 1 }
		}
		END { if (n != 3 * 2 * 3) { print setup ": rows: " n; bad = 1 } exit bad }' "$work/one/exact.csv" || fail "exact.csv"
	awk -F, -v setup="$setup" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			n++
			clk = $at["clk_mhz"]; gb = $at["bandwidth_gb_s"]; run = $at["machine"] $at["network"] $at["energy_model"]
			if (clk % 50 != 0 || clk > 500) { print setup ": no legal clock: " $0; bad = 1 }
			if (run == last && clk != last_clk && last_clk_after + $at["clk_change_before"] != 1) { print setup ": clock: " $0; bad = 1 }
			if (run == last && gb != last_gb && last_gb_after + $at["bandwidth_change_before"] != 1) { print setup ": bandwidth: " $0; bad = 1 }
			last = run; last_clk = clk; last_gb = gb
			last_clk_after = $at["clk_change_after"]; last_gb_after = $at["bandwidth_change_after"]
		}
		END { if (n != 3 * 3 * (4 + 3)) { print setup ": rows: " n; bad = 1 } exit bad }' "$work/one/exact_schedule.csv" ||
		fail "exact_schedule.csv"
	# Its layers add up to no more than race to idle takes, changes counted.
	awk -F, -v setup="$setup" '
		FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
		{ key = $at["machine"] "," $at["network"] "," $at["energy_model"] }
		file == 1 { rti_us[key] = $at["rti_ms"] * 1000 }
		file == 2 { sum_us[key] += $at["time_us"] }
		END {
			for (key in rti_us) if (!(sum_us[key] > 0 && sum_us[key] <= rti_us[key] * (1 + 1e-9))) { print setup ": longer: " key; bad = 1 }
			exit bad
		}' "$work/one/exact.csv" "$work/one/exact_schedule.csv" || fail "exact_schedule.csv is longer than race to idle"
done

# Names below a panel, of 300 each: on one line; where they would touch, on two in turn; else along the bars.
# names LETTERS TEXT...: what stands below networks whose names have so many letters.
names() {
	for i in 1 2 3; do
		sed "s/^name: .*/name: $(printf "%0$1d" "$i")/" "$work/net.yaml" >"$work/net$i.yaml"
	done
	shift
	space physical gb_s network | sed 's/^networks: .*/networks: [net1.yaml, net2.yaml, net3.yaml]/; /detail/d' >"$work/names.yaml"
	expect_code 0 "$DSE" arada "$work/names.yaml" -q -o "$work/names"
	for text in "$@"; do
		expect_text "$work/names/networks.svg" "$text"
	done
}
names 46 'x="220.0" y="226.0"' 'x="520.0" y="226.0"' 'x="820.0" y="226.0"'
names 50 'x="220.0" y="226.0"' 'x="520.0" y="240.0"' 'x="820.0" y="226.0"'
names 60 'rotate(-90 224.0 220.0)' 'rotate(-90 524.0 220.0)' 'rotate(-90 824.0 220.0)'

# mistake TEXT SED-SCRIPT: the space with this change is refused, with the place of the mistake.
space scalesim word_per_clk tool >"$work/good.yaml"
mistake() {
	sed "$2" "$work/good.yaml" >"$work/bad.yaml"
	expect_code 3 "$DSE" arada "$work/bad.yaml"
	expect_empty "$work/out"
	expect_text "$work/err" "bad.yaml:$1"
}
mistake "5:8: arada: allowed is a map" 's/^arada:/arada: 3/; /^  /d'
mistake "6:17: memory_model: found 'scalsim', allowed scalesim, physical, did you mean 'scalesim'" 's/scalesim/scalsim/'
mistake "9:3: key: found 'swich_us'" 's/switch_us/swich_us/'
mistake "9:14: switch_us" 's/switch_us: 0.5/switch_us: -1/'
mistake "10:14: machine" 's/memories: {small/memories: {smal/'
mistake "10:28: memories" 's/slow: 1/slow: -1/'
mistake "11:23: memory" 's/published: {small: {middle/published: {small: {midle/'
mistake "11:31: published" 's/middle: 20/middle: 120/'
mistake "12:21: network" 's/network: net,/network: nett,/'
mistake "12:51: memory: found 'slower', allowed slow, middle, fast" 's/\[slow, fast\]/[slow, slower]/'
mistake "13:24: buffers_kib: allowed are three whole numbers" '$ a\  buffers_kib: {small: [1, 2]}'
mistake "13:28: buffers_kib: found '0', allowed a whole number from 1 to 1048576" '$ a\  buffers_kib: {small: [1, 0, 3]}'
mistake "13:17: machine: found 'big', allowed small" '$ a\  buffers_kib: {big: [1, 2, 3]}'
mistake "1:1: a space without 'arada'" '/^arada/,$ d'
mistake "1:1: machine thesis_qpe_dram: found target qpe, allowed is systolic" \
	"s,small.yaml,$PWD/spaces/machines/thesis_qpe_dram.yaml,; /memories\|published\|detail/d"
# What a search looks at and dse arada does not; what the exact allocation cannot choose from.
mistake "2:15: constraints: found a limit on latency_ms, allowed are conditions on machines" \
	'1a constraints: [latency_ms <= 0.001]'
mistake "2:14: found deadline_ms; dse arada does not look at it" '1a deadline_ms: 5'
mistake "2:16: found level_changes; dse arada does not look at it" '1a level_changes: true'
mistake "2:15: found level_shares; dse arada does not look at it" '1a level_shares: 4'
mistake "9:17: clk_step_mhz: found 0.001, allowed for machine small of 500 MHz are 8.065 or more" \
	's/switch_us: 0.5/clk_step_mhz: 0.001/'
mistake "9:20: bandwidth_steps: found '1000000', allowed a whole number from 1 to 64" 's/switch_us: 0.5/bandwidth_steps: 1000000/'
sed 's/clk_mhz: 500/clk_mhz: 5000/' "$work/small.yaml" >"$work/quick.yaml"
mistake "1:1: clk_step_mhz: found 50 (as none is given), allowed for machine small of 5000 MHz are 80.646 or more" \
	's/small.yaml/quick.yaml/'
# Conditions on machines and smallest steps are taken; a deadline is not refused once more as the limit it stands for.
sed '1a constraints: [systolic.ifmap_byte <= 4096]
s/switch_us: 0.5/clk_step_mhz: 8.065\n  bandwidth_steps: 64/' "$work/good.yaml" >"$work/finest.yaml"
expect_code 0 "$DSE" arada "$work/finest.yaml" -q
sed '/tiny.yaml/s/.*/networks: [net.yaml]/; 1a deadline_ms: 5' "$work/good.yaml" >"$work/late.yaml"
expect_code 3 "$DSE" arada "$work/late.yaml"
[ "$(wc -l <"$work/err")" -eq 1 ] || fail "a deadline is refused twice"
expect_code 2 "$DSE" arada
expect_code 5 "$DSE" arada "$work/good.yaml" -o /dev/null/x

# Measured layers take the simulator's place: what was simulated, given as measured, is the same study; times that are
# not, are not.
space scalesim word_per_clk tool >"$work/trial.yaml"
expect_code 0 "$DSE" arada "$work/trial.yaml" -q -o "$work/plain"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print "machine,memory,network,layer,total_us,stall_us,dram_byte"; next }
	$at["scheme"] == "RTI" { key = $at["machine"] "," $at["memory"] "," $at["network"]
		printf "%s,%d,%.9f,%.9f,%d\n", key, n[key]++, $at["total_clk"] / 500, $at["stall_clk"] / 500, $at["words"] }' \
	"$work/plain/schedule.csv" >"$work/measured.csv"
expect_code 0 "$DSE" arada "$work/trial.yaml" --measured "$work/measured.csv" -o "$work/again"
expect_text "$work/out" "21 of them measured, not simulated"
expect_same "$work/plain/schedule.csv" "$work/again/schedule.csv"
expect_same "$work/plain/exact.csv" "$work/again/exact.csv"
sed '2s/,[0-9.]*,[0-9.]*,\([0-9]*\)$/,100000,90000,\1/' "$work/measured.csv" >"$work/slow.csv"
expect_code 0 "$DSE" arada "$work/trial.yaml" --measured "$work/slow.csv" -q -o "$work/slow"
awk -F, 'NR == 2 && $8 == "" { exit 1 } NR > 1 && $0 ~ /,50000000,45000000,/ { n++ } END { exit n < 1 }' "$work/slow/schedule.csv" ||
	fail "a measured layer is not the measured one"
sed '2s/^small/large/; 3s/,[0-9.]*,[0-9.]*,\([0-9]*\)$/,1,2,\1/' "$work/measured.csv" >"$work/wrong.csv"
expect_code 3 "$DSE" arada "$work/trial.yaml" --measured "$work/wrong.csv" -q
expect_text "$work/err" "wrong.csv:2:1: found 'large', allowed is a machine of the space"
expect_text "$work/err" "found '2', allowed is less than total_us"
sed -n '1,2p;2p' "$work/measured.csv" >"$work/twice.csv"
expect_code 3 "$DSE" arada "$work/trial.yaml" --measured "$work/twice.csv" -q
expect_text "$work/err" "stands here twice"

# Published figures beside ours under each reading: words are what the space says.
cat >"$work/published.csv" <<EOF2
source,machine,memory,network,layers,quantity,published_pct
a,small,middle,,,energy_saving,20
b,small,fast,net,,bandwidth_saving,50
c,small,slow,net,0,tops_cut,10
d,small,slow,net,1-2;3,imbalance,10
EOF2
expect_code 0 "$DSE" arada "$work/trial.yaml" --published "$work/published.csv" -j1 -o "$work/published"
cp "$work/out" "$work/table"
expect_text "$work/table" "of 4 met"
expect_code 0 "$DSE" arada "$work/trial.yaml" --published "$work/published.csv" -j2
expect_same "$work/table" "$work/out"
awk -F, 'NR == FNR && FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	NR == FNR && $at["scheme"] == "VF-OH-Q" && $at["memory"] == "middle" { mean += $at["saving_frac"] * 50; next }
	NR == FNR && $at["scheme"] == "VF-OH-Q" && $at["memory"] == "fast" && $at["network"] == "net" { left = 100 * $at["bandwidth_left_layers_frac"]; next }
	NR == FNR { next }
	$1 == "a" { a = $8 } $1 == "b" { b = $8 }
	END { exit !((a - mean) ^ 2 < 1e-8 && (b - left) ^ 2 < 1e-8 && mean > 0) }' "$work/plain/summary.csv" "$work/published/published.csv" ||
	fail "a published figure stands beside another one than the study's"
sed 's/^c.*/c,small,slow,net,9,tops_cut,10/; s/^d.*/d,small,slow,,1,imbalance,10/' "$work/published.csv" >"$work/wrong.csv"
expect_code 3 "$DSE" arada "$work/trial.yaml" --published "$work/wrong.csv"
expect_text "$work/err" "wrong.csv:4:18: layers: found '9'"
expect_code 2 "$DSE" arada "$work/trial.yaml" --published "$work/published.csv" --feedback 3

# Feedback: the first inference knows nothing; without noise the second one has what the rule gives; the same for any
# number of threads, and another for another seed.
expect_code 0 "$DSE" arada "$work/trial.yaml" --feedback 3 --noise 0 -o "$work/quiet"
awk -F, 'NR > 1 && $3 == 0 && $4 != 0 { bad = 1 } NR > 1 && $3 > 0 && (($4 - $5) ^ 2 > 1e-12 || $7 > 1e-9) { bad = 1 } END { exit bad || NR != 13 }' \
	"$work/quiet/feedback.csv" || fail "without noise one step is enough"
for jobs in 1 2; do
	expect_code 0 "$DSE" arada "$work/trial.yaml" --feedback 20 --noise 20 --seed 5 -j$jobs -o "$work/noisy$jobs"
done
expect_same "$work/noisy1/feedback.csv" "$work/noisy2/feedback.csv"
expect_same "$work/noisy1/feedback.svg" "$work/noisy2/feedback.svg"
expect_code 0 "$DSE" arada "$work/trial.yaml" --feedback 20 --noise 20 --seed 6 -o "$work/noisy3"
if cmp -s "$work/noisy1/feedback.csv" "$work/noisy3/feedback.csv"; then fail "the seed changes nothing"; fi
expect_code 2 "$DSE" arada "$work/trial.yaml" --noise 5
