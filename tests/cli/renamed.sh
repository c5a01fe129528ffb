#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Words that were other ones in the last release: what a user writes still works and warns, naming the new one; what programs
# read has the old keys and columns beside the new ones.
. tests/cli/common

cat >"$work/model.yaml" <<'END'
name: model
input: [16, 16, 8]
layers:
  - conv: {kernel: 3, out_channels: 16}
  - conv: {kernel: 1, out_channels: 16, node: /attn/MatMul, operator: MatMul}
  - fc: {out: 10}
END
warned() {
	expect_text "$work/err" "'$1' is MATMUL_2 now; the old name works until the next release"
}

# A matrix product was a CONV_n: where layers are chosen, in rules, in mappings, and in dse why.
expect_code 0 "$DSE" simulate dvfs_chip "$work/model.yaml" --layers '^CONV_2$'
warned '^CONV_2$'
grep -Eq '^MATMUL_2 ' "$work/out" || fail "no layer by its old name"
# as long as a layer has the name now, it alone is meant
expect_code 0 "$DSE" simulate dvfs_chip "$work/model.yaml" --layers '^CONV_'
expect_empty "$work/err"
! grep -q '^MATMUL_2 ' "$work/out" || fail "a pattern takes a layer by its old name that others match"
expect_code 2 "$DSE" simulate dvfs_chip "$work/model.yaml" --layers '^CONV_3$'

# space NAME: the same rule by either name is the same space
space() {
	printf 'name: renamed\nmachine: dvfs_chip\nnetwork: model.yaml\nobjectives: [latency_ms]\nlayers: [{match: "%s", split: whole}, {match: "^FC_", split: whole}]\n' \
		"$1" >"$work/space.yaml"
	expect_code 0 "$DSE" explore "$work/space.yaml" --detail fast -q --store none -o "$work/$2" --points
}
space '^MATMUL_2$' now
expect_empty "$work/err"
space '^CONV_2$' before
warned '^CONV_2$'
expect_same "$work"/now/*/front.csv "$work"/before/*/front.csv
expect_code 0 "$DSE" why "$work"/before/* CONV_2.level=PL1 --store none
warned CONV_2
sed -i 's/CONV_2/CONV_3/' "$work/space.yaml"
expect_code 3 "$DSE" check "$work/space.yaml"

expect_code 0 "$DSE" map dvfs_chip "$work/model.yaml" -q -o "$work/map"
sed -i 's/MATMUL_2/CONV_2/' "$work/map/mapping.yaml"
expect_code 0 "$DSE" simulate --mapping "$work/map/mapping.yaml"
warned CONV_2

# A split scheme and a table of published figures that were written then.
expect_code 0 "$DSE" map dvfs_chip "$work/model.yaml" --split thesis -q -o "$work/rules"
grep -q MATMUL_2 "$work/rules/splits.csv" || fail "splits.csv does not name the matrix product"
sed 's/MATMUL_2,MATMUL/CONV_2,CONV/' "$work/rules/splits.csv" >"$work/before.csv"
expect_code 0 "$DSE" map dvfs_chip "$work/model.yaml" --split-scheme "$work/before.csv" -q -o "$work/scheme"
[ "$(grep -c "'CONV_2' is MATMUL_2 now" "$work/err")" -eq 1 ] || fail "a scheme's old name is not told once"
expect_same "$work/rules/splits.csv" "$work/scheme/splits.csv"
expect_code 0 "$DSE" simulate dvfs_chip "$work/model.yaml" --split-scheme "$work/rules/splits.csv"
expect_empty "$work/err"
for name in CONV_2 MATMUL_2; do
	printf 'target,network,operation,no_fusion_no_reuse_clk,fusion_no_reuse_clk,fusion_reuse_clk,reuse_complete\nchip,model,%s,9000,8000,7000,yes\n' $name >"$work/table.csv"
	expect_code 0 "$DSE" validate "$work/table.csv" --machine dvfs_chip
	[ $name = MATMUL_2 ] || warned CONV_2
	sed -n "s/^chip model $name *//p" "$work/out" | tr -s ' ' >"$work/validated.$name"
	[ -s "$work/validated.$name" ] || fail "$name is not predicted"
done
expect_same "$work/validated.CONV_2" "$work/validated.MATMUL_2"

# Keys and columns.
python3 - "$work"/now/*/points.csv <<'END' || fail "points.csv lacks its old columns"
import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    for before, now in (("w", "width"), ("h", "height"), ("c", "out_channels"), ("d", "in_channels")):
        assert row["split_" + before] == row[now] != ""
END
"$DSE" prove dvfs_chip "$work/model.yaml" --json >"$work/prove"
"$DSE" schedule "$work/model.yaml" --machine thesis_chip --json >"$work/schedule"
"$DSE" power dvfs_chip "$work/model.yaml" --budget-frac 0.9 --json >"$work/power"
sed -i 's/CONV_3/MATMUL_2/' "$work/space.yaml"
"$DSE" check "$work/space.yaml" --json >"$work/check"
python3 - "$work" <<'END' || fail "JSON lacks an old key"
import json, sys
pairs = (("w", "width"), ("h", "height"), ("c", "out_channels"), ("d", "in_channels"))
def layers(node):
    if isinstance(node, dict):
        yield node
        node = list(node.values())
    if isinstance(node, list):
        for one in node:
            yield from layers(one)
def having(name, key):
    found = [one for one in layers(json.load(open(f"{sys.argv[1]}/{name}"))) if key in one]
    assert found, (name, key)
    return found
for one in having("prove", "width"):
    assert one["name"] == one["layer"] and all(one[before] == one[now] for before, now in pairs)
for one in having("power", "width"):
    assert all(one["split_" + before] == one[now] for before, now in pairs)
for one in having("check", "legal_splits_width"):
    for kind in ("legal", "allowed", "listed"):
        assert all(one[f"{kind}_splits_{before}"] == one[f"{kind}_splits_{now}"] for before, now in pairs)
for one in having("schedule", "kind"):
    assert one["name"] == one["layer"] and (one["type"] == "linear") == (one["kind"] == "fc")
END
