#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files carry the version of their format; a validator of somebody else's finds that they keep the shipped schemas, where
# there is one (Python's jsonschema). tests/dse/result/test_schema.c walks the schemas by itself.
. tests/cli/common

expect_code 0 "$DSE" explore spaces/smoke.yaml -o "$work/runs" -q --audit
expect_code 0 "$DSE" nightly spaces/smoke.yaml -o "$work/night" --store "$work/store" -q --date 2026-01-01 --tables none
for run in "$work"/runs/smoke-*; do
	expect_text "$run/run.json" '"format": "dse run 1"'
	expect_text "$run/front.json" '"format": "dse front 1"'
	awk -F, 'NR == 1 { for (i = 1; i <= NF && $i != "front_csv_format"; i++); if (i > NF) exit 1 }' "$run/front.csv" ||
		fail "no version in front.csv"
done
expect_text "$(find "$work/night" -name nightly.json)" '"format": "dse nightly 1"'
python3 -c 'import jsonschema' 2>"$work/err" || {
	echo "schema.sh: no Python with jsonschema, nothing else is asked"
	exit 0
}
python3 - "$work" <<'END'
import json, pathlib, sys
import jsonschema
n = 0
for name in ("run", "front", "nightly"):
    schema = json.load(open(f"spaces/schemas/{name}.schema.json"))
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    for path in pathlib.Path(sys.argv[1]).rglob(f"{name}.json"):
        kind(schema).validate(json.load(open(path)))
        n += 1
assert n >= 5, n
END
