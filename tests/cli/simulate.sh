#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse simulate: names and paths, splits of a scheme, layers by pattern, strategies.
. tests/cli/common

expect_code 0 "$DSE" simulate thesis_chip vgg16 --split-scheme spaces/splits/thesis.csv
grep -v "best mapping" "$work/out" >"$work/names"
expect_code 0 "$DSE" simulate spaces/machines/thesis_chip.yaml spaces/networks/vgg16.yaml \
	--split-scheme spaces/splits/thesis.csv
grep -v "best mapping" "$work/out" >"$work/paths"
expect_same "$work/names" "$work/paths"
expect_text "$work/out" "CONV_12"
expect_text "$work/out" "4*128"
expect_text "$work/out" "energy_mj by part"

# The figure of the thesis for the operations the ARM cores run (thesis table 5.10): PADD of VGG-16.
grep -Eq '^total .* 340608 ' "$work/out" || fail "PADD clocks of VGG-16"

for strategy in no_fusion fusion fusion_reuse thesis_reuse; do
	expect_code 0 "$DSE" simulate thesis_chip vgg16 --strategy "$strategy" --split-scheme spaces/splits/thesis.csv
	expect_text "$work/out" "$strategy"
done
expect_code 0 "$DSE" simulate dvfs_chip tiny --level PL2 --json
expect_text "$work/out" '"level": "PL2"'

expect_code 0 "$DSE" simulate thesis_chip vgg16 --layers '^FC_'
expect_text "$work/out" "FC_19"
if grep -q CONV "$work/out"; then
	fail "--layers '^FC_' shows convolutions"
fi
expect_code 2 "$DSE" simulate thesis_chip vgg16 --layers '('
expect_text "$work/err" "layers"

# Pooling is the ARM core's and needs no aligned rows: 113x113x6 bytes and their 56x56x6 results fit a PE (table H.1).
for machine in thesis_qpe_dram hdl_qpe; do
	for scheme in "" "--split-scheme spaces/splits/thesis.csv"; do
		# shellcheck disable=SC2086
		expect_code 0 "$DSE" simulate "$machine" resnet50 $scheme
		grep -Eq '^POOL_2 .* 56\*1 +56\*1 +6\*9\+5\*2 .* 95430 ' "$work/out" || fail "POOL_2 of ResNet-50 on $machine"
	done
done

# The event tier: the same tables, and what it did. Results do not depend on the threads.
expect_code 0 "$DSE" simulate thesis_qpe_dram tiny --detail event -j1
expect_text "$work/out" "MAC array 16x4, event tier"
expect_text "$work/out" "events simulated"
cp "$work/out" "$work/one"
expect_code 0 "$DSE" simulate thesis_qpe_dram tiny --detail event -j2
expect_same "$work/one" "$work/out"
expect_code 0 "$DSE" simulate thesis_chip tiny --detail event --json --layers '^FC'
expect_text "$work/out" '"detail": "event"'

# An audit runs everything twice and says what was checked.
expect_code 0 "$DSE" simulate thesis_chip tiny --audit
expect_text "$work/out" "audit: 3 operations run again with every event simulated"
expect_code 2 "$DSE" simulate thesis_chip tiny --audit --detail fast
expect_text "$work/err" "--audit needs --detail event"
expect_code 0 "$DSE" simulate thesis_chip tiny --detail greybox
expect_text "$work/out" "tasks by the grey-box model"
expect_code 2 "$DSE" simulate thesis_chip tiny --audit --detail greybox
expect_code 2 "$DSE" simulate thesis_chip tiny --detail evnt
expect_text "$work/err" "allowed are fast, event, greybox; did you mean 'event'"

# A trace: JSON, a name for every track, spans of a track one after the other, layers in their order.
expect_code 0 "$DSE" simulate thesis_chip tiny --strategy fusion_reuse --trace "$work/trace.json"
expect_text "$work/trace.json" '"name": "PE 0 MLA"'
expect_text "$work/trace.json" '"name": "DRAM 0"'
expect_text "$work/trace.json" '"layer": "CONV_1"'
if command -v python3 >/dev/null 2>&1; then
	python3 - "$work/trace.json" <<'END' || fail "the trace is not one"
import collections, json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
name = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
track = collections.defaultdict(list)
for e in events:
    if e["ph"] == "X":
        assert e["dur"] > 0, e
        track[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
for key, spans in track.items():
    assert key in name, key
    spans.sort()
    for before, after in zip(spans, spans[1:]):
        assert after[0] >= before[1] - 1e-6, (name[key], before, after)
assert sum(n.endswith("MLA") and track[k] != [] for k, n in name.items()) >= 4, name
layers = [e["name"] for e in events if e["ph"] == "X" and e["pid"] == 1]
assert layers == ["CONV_1", "CONV_3", "FC_4"], layers
end = max(e["ts"] + e["dur"] for e in events if e["ph"] == "X")
assert abs(end - sum(e["dur"] for e in events if e["ph"] == "X" and e["pid"] == 1)) < 1e-3, end
order = {(e["name"], e["pid"], e["tid"]): e["args"]["sort_index"] for e in events if e["name"].endswith("_sort_index")}
assert all(("thread_sort_index",) + key in order for key in name), "a track without a place"
mla = sorted((order["thread_sort_index", *k], n) for k, n in name.items() if n.endswith(" MLA"))
assert [int(n.split()[1]) for _, n in mla] == sorted(int(n.split()[1]) for _, n in mla), mla
assert len({order["process_sort_index", p, 0] for p in {k[0] for k in name}}) == len({k[0] for k in name})
arm = [e["name"] for e in events if e["ph"] == "X" and name[e["pid"], e["tid"]] == "ARM 0"]
assert "quantisation" in arm or len(arm) > 3, arm
colours = {e["name"]: e.get("cname") for e in events if e["ph"] == "X"}
assert colours["task"] != colours["load"] != colours["busy"] and colours["task"], colours
assert any(e["args"].get("waited_for") == "load from DRAM" for e in events if e["ph"] == "X" and e["name"] == "task")
rates = [e["args"]["value"] for e in events if e["ph"] == "C" and e["name"].endswith("GB/s")]
assert 0 < max(rates) <= 2.0 * 1.01, max(rates)
assert max(e["args"]["value"] for e in events if e["ph"] == "C" and e["name"].endswith("queue")) > 0
END
fi
expect_code 5 "$DSE" simulate thesis_chip tiny --trace "$work/none/trace.json"
expect_code 2 "$DSE" simulate thesis_chip tiny --trace "$work/trace.json" --detail fast
expect_text "$work/err" "--trace needs --detail event"

# A latency says what it is of; of a small network, what a search gains is known at once; the overhead where there is one.
expect_code 0 "$DSE" simulate final_chip mlp_784_512_256_16
tr -s ' \n' ' ' <"$work/out" >"$work/line"
expect_text "$work/line" "latency of: fast tier, low (0.5 V, 150 MHz); mapping by rules (the thesis' splitter, fusion_reuse)"
expect_text "$work/line" "dse map final_chip mlp_784_512_256_16 finds latency_ms"
# run_time_ms is its parts' sum, and that of the totals
sed -n 's/.*run_time_ms \([0-9.]*\) = latency_ms \([0-9.]*\) + setup and cleanup of 151 workers \([0-9.]*\) + scheduling and configuration of 4 layers \([0-9.]*\).*/\1 \2 \3 \4/p' \
	"$work/line" >"$work/parts"
awk '{ d = $1 - $2 - $3 - $4; exit !(NF == 4 && d < 1e-5 && d > -1e-5 && $3 > 0.131 && $3 < 0.133) }' "$work/parts" || fail "parts of the run time"
# so it is of a large one, after a first look; no search finds more than what is said, and the percentage is that of both
expect_code 0 "$DSE" simulate thesis_chip vgg16
cp "$work/out" "$work/simulated"
gain() {
	tr -s ' \n' ' ' <"$1" | sed -n 's/.* latency_ms \([0-9.]*\) .*finds latency_ms \([0-9.]*\) or less, \([0-9.]*\) % less at least.*/\1 \2 \3/p'
}
for network in vgg16 tiny; do
	expect_code 0 "$DSE" simulate thesis_chip $network
	cp "$work/out" "$work/simulated"
	expect_code 0 "$DSE" map thesis_chip $network --split even -q
	gain "$work/simulated" | awk -v best="$(sed -n 's/^latency_ms \([0-9.]*\) .*/\1/p' "$work/out")" \
		'{ pct = 100 * (1 - $2 / $1); exit !(best > 0 && $2 >= best && $2 <= 1.02 * best && $3 > 0 && $3 - pct < 0.06 && pct - $3 < 0.06) }' ||
		fail "what dse map gains on $network: $(gain "$work/simulated")"
done
# where it is no better nothing is promised
expect_code 0 "$DSE" map thesis_chip tiny --split even -o "$work/even" -q
expect_code 0 "$DSE" simulate thesis_chip tiny --split-scheme "$work/even/splits.csv"
! tr -s ' \n' ' ' <"$work/out" | grep -q 'finds latency_ms [0-9.]* or less, -' || fail "a gain below nothing"
expect_code 0 "$DSE" simulate thesis_chip vgg16
grep -q run_time_ms "$work/out" && fail "a run time without a run-time system"
expect_code 0 "$DSE" simulate dvfs_chip tiny --level PL2 --detail event --json
expect_text "$work/out" '"tier": "event"'
expect_text "$work/out" '"run_time_overhead": false'
