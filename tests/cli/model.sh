#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which model priced a design is said by runs, certificates and nights; after a change of model nights begin a new line, and
# stores and certificates are still read. The other model is this program with another name of it.
. tests/cli/common
unset DSE_STORE
model=$("$DSE" --version | sed -n 's/^model *//p')
other=0123456789abcdef
[ ${#model} -eq 16 ] && [ "$model" != $other ] || fail "no model: '$model'"
LC_ALL=C sed "s/$model/$other/g" "$DSE" >"$work/dse"
chmod +x "$work/dse"
[ "$("$work/dse" --version | sed -n 's/^model *//p')" = $other ] || fail "the other program has the same model"
results=$work/results
store=$results/dse.sqlite
mkdir "$work/spaces"
cp spaces/machines/dvfs_chip.yaml spaces/networks/tiny.yaml "$work/spaces"
sed -e 's/dvfs_chip/dvfs_chip.yaml/' -e 's/network: tiny/network: tiny.yaml/' spaces/smoke.yaml >"$work/spaces/smoke.yaml"
space=$work/spaces/smoke.yaml

# Comments make no other model.
printf '/* a\n   b */\nint one; /* c */\n\n\t/* d */\n\tint two;\n' >"$work/a.c"
printf '/* another\n * comment\n */\nint one; /* c */\nint two;\n' >"$work/b.c"
dse/packaging/model "$work/a.c" >"$work/a"
dse/packaging/model "$work/b.c" >"$work/b"
expect_same "$work/a" "$work/b"
printf 'int one; /* c */\nint two;\n' >"$work/b"
expect_same "$work/a" "$work/b"

# Certificates: another model's is checked by this one's figures, and a false one says whose it is.
expect_code 0 "$DSE" explore "$space" --detail fast -q -o "$results" --certificate "$work/certificate"
expect_text "$work/certificate" "model $model"
expect_code 0 "$DSE" check-certificate "$work/certificate"
expect_text "$work/out" "  model $model"
expect_code 0 "$work/dse" check-certificate "$work/certificate"
expect_text "$work/out" "made by model $model, and all of it is true of this program's, $other"
expect_code 0 "$work/dse" check-certificate "$work/certificate" --json
expect_text "$work/out" "\"checked_by_model\": \"$other\""
sed '0,/^p /s/^\(p .* \)\([^ ]*\)$/\19\2/' "$work/certificate" >"$work/changed"
expect_code 6 "$work/dse" check-certificate "$work/changed"
expect_text "$work/err" "another model made it: $model, and this program has $other"
expect_code 6 "$DSE" check-certificate "$work/changed"
! grep -q "another model" "$work/err" || fail "the same model is called another"
grep -v '^model' "$work/certificate" >"$work/changed"
expect_code 3 "$DSE" check-certificate "$work/changed"

# Runs and their store: what the other model found is no answer, but is read and compared.
run=$(echo "$results"/smoke-*)
expect_text "$run/run.json" "\"model\": \"$model\""
expect_code 0 "$work/dse" explore "$space" --detail fast -q -o "$work/second" --store "$store"
expect_text "$work"/second/smoke-*/run.json "\"model\": \"$other\""
! grep -q known_from "$work"/second/smoke-*/run.json || fail "an answer of another model"
expect_code 0 "$work/dse" runs --last 0 --json --store "$store"
for one in $model $other; do
	expect_text "$work/out" "\"model\": \"$one\""
done
expect_code 0 "$DSE" compare 1 2 --store "$store"
expect_text "$work/out" "dse   model  $model  $other"

# Nights: the same front by another model is a new line, and so is another front.
# night PROGRAM DATE OPTION...
night() {
	program=$1 date=$2
	shift 2
	"$program" nightly "$space" --date "$date" -o "$results" --tables none -q --tolerance 0 "$@"
}
# eras: model and era of each night, of which the last is looked at.
eras() {
	python3 -c 'import json, sys
for row in json.load(open(sys.argv[1]))["spaces"][0]["trend"]:
    print(row["date"], row["verdict"], row["model"], row["era"])' "$results/nightly/$1/nightly.json"
}
expect_code 0 night "$DSE" 2026-01-01
expect_code 0 night "$DSE" 2026-01-02
expect_code 0 night "$work/dse" 2026-01-03
expect_text "$work/out" "smoke            model    model $other prices designs now, $model did: the same 9 points as run"
expect_text "$results/nightly/2026-01-03/junit.xml" 'failures="0"'
expect_code 0 night "$work/dse" 2026-01-04
expect_text "$work/out" "smoke            same "
eras 2026-01-04 >"$work/eras"
cat >"$work/expected" <<END
2026-01-01 first $model 1
2026-01-02 same $model 1
2026-01-03 model $other 3
2026-01-04 same $other 3
END
expect_same "$work/eras" "$work/expected"
# Another front for another question is no model's doing: the gate holds. For the same question it is a new line.
sed -i 's/hop_clk: 4 /hop_clk: 5 /' "$work/spaces/dvfs_chip.yaml"
expect_code 6 night "$DSE" 2026-01-05
expect_text "$work/out" "smoke            worse    9 of 9 points of run "
python3 -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as store:
    store.execute("UPDATE night SET question = (SELECT question FROM night ORDER BY id DESC LIMIT 1)")' "$store"
expect_code 0 night "$DSE" 2026-01-05
expect_text "$work/out" "smoke            model    model $model prices designs now, $other did: 9 of 9 points of run "
eras 2026-01-05 | tail -n 1 | grep -qx "2026-01-05 model $model 5" || fail "no new line: $(eras 2026-01-05)"
sed -i 's/hop_clk: 5 /hop_clk: 6 /' "$work/spaces/dvfs_chip.yaml"
expect_code 6 night "$DSE" 2026-01-06
expect_text "$work/out" "smoke            worse    9 of 9 points of run "

# A store from before models were noted is brought up to date, and says nothing of them.
python3 -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as store:
    store.executescript("ALTER TABLE run DROP COLUMN model; ALTER TABLE night DROP COLUMN model; PRAGMA user_version = 3")' "$store" 2>/dev/null || exit 0
expect_code 0 "$DSE" runs --last 0 --json --store "$store"
expect_text "$work/out" '"model": ""'
expect_code 6 night "$DSE" 2026-01-06
expect_text "$work/out" "smoke            worse    9 of 9 points of run "
