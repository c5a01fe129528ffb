#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse sensitivity: of a run's knee and of another point, of a machine and a network; text, JSON, picture; mistakes.
. tests/cli/common

store="--store $work/store.sqlite"
cat >"$work/small.yaml" <<'END'
name: small
input: [8, 8, 4]
layers:
  - conv: {kernel: 3, out_channels: 16}
  - fc: {out: 8}
END
cat >"$work/space.yaml" <<'END'
name: few
machine: dvfs_chip
network: small.yaml
axes:
  mla.array: [16x4, 8x4, 16x2]
  arm.padd_word_clk: [2, 3]
layers:
  - match: '.*'
    split: whole
objectives: [latency_ms, energy_mj, mac_units]
END
# shellcheck disable=SC2086 # options are words
expect_code 0 "$DSE" explore "$work/space.yaml" $store -q -o "$work/runs" --detail fast
folder=$(echo "$work"/runs/few-*)

# The knee's machine; axes have their declared values, a clock of software only where it is an axis.
# shellcheck disable=SC2086
expect_code 0 "$DSE" sensitivity "$folder" $store --svg "$work/tornado.svg"
expect_text "$work/out" 'What to change next on dvfs_chip for small:'
expect_text "$work/out" 'elasticity of latency'
tr -s ' \n' ' ' <"$work/out" >"$work/words"
expect_text "$work/words" ', each of its own mapping and operating points, without run-time overhead. Fast tier; at each value'
expect_text "$work/out" 'arm.padd_word_clk'
expect_text "$work/out" 'Left out: energy.dram_byte_pj'
expect_text "$work/tornado.svg" '</svg>'
cp "$work/out" "$work/knee"

# The same bytes for any number of threads; as JSON the first bar gains most.
# shellcheck disable=SC2086
expect_code 0 "$DSE" sensitivity "$folder" $store --jobs 1
cmp "$work/out" "$work/knee" || fail "threads change a sensitivity"
# shellcheck disable=SC2086
expect_code 0 "$DSE" sensitivity last --point 0 $store --json
python3 - "$work/out" <<'END' || fail "sensitivity --json does not say what it must"
import json, sys
found = json.load(open(sys.argv[1]))
bars = [bar for bar in found["bars"] if "reason" not in bar]
assert bars and all(bar["gain_log"] <= bars[0]["gain_log"] for bar in bars)
assert any(bar["in_space"] and bar["parameter"] == "mla.array" for bar in bars)
assert not any(bar["parameter"].startswith(("energy.", "area.")) for bar in bars)
assert all(abs(bar["latency_pct"] - 100 * (bar["latency_ms"] / found["latency_ms"] - 1)) < 1e-6 for bar in bars)
END

# A machine and a network.
expect_code 0 "$DSE" sensitivity dvfs_chip "$work/small.yaml" --set mla.array=8x4 -o "$work/file"
expect_text "$work/file" 'on dvfs_chip for small'
expect_text "$work/file" '8x4 '

# Mistakes.
# shellcheck disable=SC2086
expect_code 2 "$DSE" sensitivity last --point 999 $store
expect_text "$work/err" "'999', allowed are 0 to"
# shellcheck disable=SC2086
expect_code 2 "$DSE" sensitivity last --set mla.array=8x4 $store
expect_text "$work/err" 'machine is as its space says'
expect_code 2 "$DSE" sensitivity dvfs_chip "$work/small.yaml" --point 1
expect_text "$work/err" 'is of a RUN'
