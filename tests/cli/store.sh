#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The store of runs: what explore keeps, what runs, show and export give back, and what kills and full disks leave of it.
# KILLS runs are killed at random moments (a fixed seed), 6 unless the environment says more.
. tests/cli/common
unset DSE_STORE
KILLS=${KILLS:-6}
space=spaces/smoke.yaml
results=$work/results
store=$results/dse.sqlite

# integrity STORE: the file's own check, where the tool for it is there; tests/dse/keep/test_run_store.c has its own.
integrity() {
	! command -v sqlite3 >/dev/null 2>&1 || [ "$(sqlite3 "$1" 'PRAGMA integrity_check')" = ok ] || fail "$1 is damaged"
}

# The store lies beside the runs' folders; nothing is asked of one that is not there.
expect_code 5 "$DSE" runs --store "$store"
expect_text "$work/err" "there is no store of runs"
expect_code 0 "$DSE" explore $space --detail fast -q -o "$results"
[ -s "$store" ] || fail "no $store"
grep "the knee: energy_mj rests on coefficients measured: .* within all their intervals" "$work/out" >"$work/trust" || fail "no trust"
expect_code 0 "$DSE" show last --store "$store"
grep "energy_mj rests on" "$work/out" >"$work/trust_kept" || true
expect_same "$work/trust_kept" "$work/trust"
folder=$(echo "$results"/smoke-*)
signature=$(sed -n 's/.*"signature": "\(.*\)",/\1/p' "$folder/run.json")

# What comes out is what went in, under every name of the run.
for name in 1 last "$signature" "$(echo "$signature" | cut -c1-6)"; do
	expect_code 0 "$DSE" export "$name" --csv --store "$store"
	expect_same "$work/out" "$folder/front.csv"
done
expect_code 0 "$DSE" export last --json --store "$store" -o "$work/front.json"
expect_same "$work/front.json" "$folder/front.json"
expect_code 0 "$DSE" simulate --point "$work/front.json:0"
expect_code 2 "$DSE" export last --store "$store"
expect_text "$work/err" "--csv (front.csv) and --json (front.json)"
expect_code 2 "$DSE" export 7 --csv --store "$store"
expect_text "$work/err" "has no run '7'; allowed are a number up to 1"

# The table and its filters; DSE_STORE stands for --store.
expect_code 0 "$DSE" explore $space -q -o "$results" --engine nsga2 --max-evaluations 500
DSE_STORE=$store
export DSE_STORE
expect_code 0 "$DSE" runs
[ "$(grep -c smoke "$work/out")" -eq 2 ] || fail "dse runs does not list two runs"
expect_text "$work/out" "$signature"
expect_text "$work/out" "unproven"
expect_code 0 "$DSE" runs --engine exact
[ "$(grep -c smoke "$work/out")" -eq 1 ] || fail "dse runs --engine exact does not list one run"
expect_code 0 "$DSE" runs --space other
expect_text "$work/err" "no such run"
expect_code 0 "$DSE" runs --last 1
expect_text "$work/err" "--last 0 lists all"
expect_code 0 "$DSE" runs --json
expect_text "$work/out" '{"run": 2, "date": "'
expect_code 2 "$DSE" runs smoke
expect_text "$work/err" "allowed is prune"

# A run in words: certificate, inputs, front, replay; the folder need not be there any more.
expect_code 0 "$DSE" show 1
expect_text "$work/out" "Certificate: exact, every listed design is accounted for"
expect_text "$work/out" "spaces/machines/dvfs_chip.yaml"
expect_text "$work/out" "  the same"
expect_text "$work/out" "dse simulate --point $folder/front.json:0"
[ "$(grep -c dvfs_chip "$work/out")" -eq $(($(wc -l <"$folder/front.csv") - 1 + 1)) ] || fail "dse show lacks points"
expect_code 0 "$DSE" show last --json
expect_text "$work/out" '"exactness": "unproven"'
rm -rf "$folder"
expect_code 0 "$DSE" show 1
expect_text "$work/out" "dse export 1 --json -o front.json && dse simulate --point front.json:0"
! grep -q "$PWD" "$work/out" || fail "a path of this machine is kept"

# Runs without a front are kept, too, and say why.
printf 'name: impossible\nmachine: dvfs_chip\nnetwork: tiny\nlayers: [{match: ".*", split: all}]\nconstraints: [latency_ms <= 0.0001]\nobjectives: [latency_ms, energy_mj]\n' >"$work/impossible.yaml"
cp "$work/impossible.yaml" "$work/edited.yaml"
expect_code 4 "$DSE" explore "$work/edited.yaml" --detail fast -q -o "$results"
expect_code 4 "$DSE" export last --csv
echo '# edited' >>"$work/edited.yaml"
expect_code 0 "$DSE" show last
expect_text "$work/out" "No feasible design."
expect_text "$work/out" "  changed"

# No store is written where none is wanted, nor by shards, which have no front.
expect_code 0 "$DSE" explore $space --detail fast -q -o "$work/none" --store none
expect_code 0 "$DSE" explore $space --detail fast -q -o "$work/none" --shard 1/2
DSE_STORE=none expect_code 0 "$DSE" explore $space --detail fast -q -o "$work/none"
[ ! -e "$work/none/dse.sqlite" ] || fail "a store that nobody wanted"
DSE_STORE=none expect_code 2 "$DSE" runs

# Old runs go, once that is said.
expect_code 2 "$DSE" runs prune
expect_text "$work/err" "--keep N, --older-than DAYS or both"
expect_code 0 "$DSE" runs prune --keep 1
expect_text "$work/err" "1 runs would be removed; --yes removes them"
expect_code 0 "$DSE" runs prune --keep 0 --older-than 1
expect_text "$work/err" "0 runs would be removed"
expect_code 0 "$DSE" runs prune --keep 1 --yes -q
expect_code 0 "$DSE" runs
[ "$(grep -c smoke "$work/out")" -eq 1 ] || fail "prune did not leave one run"
expect_code 2 "$DSE" show 1

# The same question again is answered from the store, byte for byte; a run says so, and searches where that is wanted.
results=$work/again
store=$results/dse.sqlite
DSE_STORE=$store
expect_code 0 "$DSE" explore $space --detail fast -q -o "$results"
folder=$(echo "$results"/smoke-*)
cp "$folder/front.json" "$work/searched.json"
expect_code 0 "$DSE" explore $space --detail fast -o "$results"
expect_text "$work/out" "Run 1 of the store found this front"
expect_same "$folder/front.json" "$work/searched.json"
expect_text "$folder/run.json" '"known_from": {'
expect_text "$folder/run.json" "\"signature\": \"$signature\""
expect_code 0 "$DSE" show last
expect_text "$work/out" "Not searched: run 1 had asked the same."
for how in "--no-cache" "--points" "--seed 2 --engine nsga2 --flat"; do
	# shellcheck disable=SC2086 # words on purpose
	expect_code 0 "$DSE" explore $space --detail fast -o "$results" $how
	! grep -q "of the store found this front" "$work/out" || fail "not searched with $how"
done
# verification, audit, and inputs by other names write what they would have written
for how in "$space --audit --verify" "$PWD/$space"; do
	# shellcheck disable=SC2086 # words on purpose
	expect_code 0 "$DSE" explore $how --detail fast -o "$results"
	expect_text "$work/out" "of the store found this front"
	# shellcheck disable=SC2086
	expect_code 0 "$DSE" explore $how --detail fast -q -o "$work/searched" --store none
	for file in front.csv front.json front.svg; do
		expect_same "$folder/$file" "$(echo "$work"/searched/smoke-*)/$file"
	done
done
cmp -s "$folder/front.json" "$work/searched.json" && fail "the names of inputs are not in front.json"
# an answer that is damaged is searched for again
if command -v sqlite3 >/dev/null 2>&1; then
	sqlite3 "$store" "UPDATE answer SET data = x'789c00'; UPDATE layer_front SET data = x'789c00'"
	expect_code 0 "$DSE" explore $space --detail fast -o "$results"
	! grep -q "known from earlier runs\|of the store found" "$work/out" || fail "damaged answers are taken"
	expect_code 0 "$DSE" explore $space --detail fast -q -o "$results"
	expect_same "$folder/front.json" "$work/searched.json"
fi

# Of a space whose rules for one layer have changed, that layer alone is searched again; the front is that of a search.
cat >"$work/rules.yaml" <<END_OF_SPACE
name: rules
machine: dvfs_chip
axes: {mla.array: [16x4, 8x4]}
network: $PWD/spaces/networks/tiny.yaml
layers:
  - {match: '.*', split: all, strategy: [fusion, fusion_reuse]}
  - {match: '^CONV_3\$', strategy: fusion}
objectives: [latency_ms, energy_mj]
END_OF_SPACE
sed -i "s,^machine: .*,machine: $PWD/spaces/machines/dvfs_chip.yaml," "$work/rules.yaml"
expect_code 0 "$DSE" explore "$work/rules.yaml" --detail fast -o "$results" -j1
! grep -q "known from earlier runs" "$work/out" || fail "a new space knows searches"
sed -i 's/, strategy: fusion}/, strategy: [fusion, no_fusion]}/' "$work/rules.yaml"
expect_code 0 "$DSE" explore "$work/rules.yaml" --detail fast -o "$results" -j2
n_known=$(sed -n 's/^\([0-9]*\) searches of layers were known from earlier runs.*/\1/p' "$work/out")
rules=$(ls -td "$results"/rules-*/ | head -n 1)
n_search=$(sed -n 's/.*"exhausted": \([0-9]*\).*/\1/p' "$rules/run.json")
expect_code 0 "$DSE" explore "$work/rules.yaml" --detail fast -q -o "$work/rules" --store none
alone=$(echo "$work"/rules/rules-*)
for file in front.csv front.json front.svg; do
	expect_same "$rules/$file" "$alone/$file"
done
for run in "$rules" "$alone"; do
	grep -vE '"(command|threads|seconds|known_searches)": ' "$run/run.json" >"$work/$(basename "$run").$(echo "$run" | wc -c)"
done
expect_same "$work/$(basename "$rules").$(echo "$rules" | wc -c)" "$work/$(basename "$alone").$(echo "$alone" | wc -c)"
echo "$n_known of $n_search searches known after a change of one layer's rules"
[ "$n_known" -gt 0 ] && [ "$n_known" -lt "$n_search" ] || fail "$n_known of $n_search searches are known"

# What is no store, or of a newer program, is refused before the search and left alone.
printf 'not a database, but a text that is long enough to be taken for the beginning of one, it seems to me\n' >"$work/text"
cp "$work/text" "$work/text.before"
expect_code 3 "$DSE" explore $space -q -o "$work/refused" --store "$work/text"
expect_text "$work/err" "--store none does without"
expect_same "$work/text" "$work/text.before"
[ ! -e "$(echo "$work"/refused/smoke-*)/front.csv" ] || fail "searched for a store that was refused"

# No room: the run's files are there, its error is clear, and the store has all that it had.
expect_code 0 "$DSE" explore $space --detail fast -q -o "$work/full" --store "$work/full.sqlite"
code=0
(
	ulimit -f 70 # 512 bytes each
	export TMPDIR=/nonexistent # the thread sanitizer begins with a large file there
	"$DSE" explore spaces/thesis_vgg16.yaml --detail fast -q -o "$work/full" --store "$work/full.sqlite"
) >"$work/out" 2>"$work/err" || code=$?
[ "$code" -eq 5 ] || fail "exit $code of a run without room for the store"
expect_text "$work/err" "File too large"
expect_text "$work/err" "holds this run's results, but the store does not"
[ -s "$(echo "$work"/full/thesis_vgg16-*)/front.json" ] || fail "the run has no files"
expect_text "$work/out" "latency_ms"
integrity "$work/full.sqlite"
expect_code 0 "$DSE" runs --store "$work/full.sqlite"
[ "$(grep -c smoke "$work/out")" -eq 1 ] || fail "a full disk took a run, or left half of one"
expect_code 0 "$DSE" explore spaces/thesis_vgg16.yaml --detail fast -q -o "$work/full" --store "$work/full.sqlite"
expect_code 0 "$DSE" show 2 --store "$work/full.sqlite"

# Several at once lose nothing.
for i in 1 2 3; do
	"$DSE" explore $space --detail fast -q -o "$work/many$i" --store "$work/many.sqlite" >/dev/null 2>"$work/err$i" &
	eval "pid$i=$!"
done
for i in 1 2 3; do
	eval "wait \$pid$i" || fail "one of three at once: $(cat "$work/err$i")"
done
expect_code 0 "$DSE" runs --store "$work/many.sqlite"
[ "$(grep -c smoke "$work/out")" -eq 3 ] || fail "three at once did not leave three runs"

# Kills at any moment of whole runs: each exit 0 is a run in the store, and the next one works.
start=$(date +%s%N)
expect_code 0 "$DSE" explore $space --detail fast -q -j1 -o "$work/lasts"
lasts=$((($(date +%s%N) - start) / 1000000))
DSE_STORE=$work/killed/dse.sqlite
n_run=0 n_done=0 n_killed=0
while [ "$n_killed" -lt "$KILLS" ]; do
	n_run=$((n_run + 1))
	"$DSE" explore $space --detail fast -q -j1 -o "$work/killed" >/dev/null 2>"$work/err" &
	pid=$!
	sleep "$(awk -v n="$n_run" -v lasts="$lasts" 'BEGIN { srand(n); printf "%.3f", rand() * lasts / 800 }')"
	kill -s KILL "$pid" 2>/dev/null || true
	code=0
	wait "$pid" 2>/dev/null || code=$?
	case $code in
	137) n_killed=$((n_killed + 1)) ;;
	0) n_done=$((n_done + 1)) ;;
	*) fail "exit $code of a killed run: $(cat "$work/err")" ;;
	esac
done
expect_code 0 "$DSE" explore $space --detail fast -q -o "$work/killed"
integrity "$DSE_STORE"
expect_code 0 "$DSE" runs --last 0
n_kept=$(grep -c smoke "$work/out")
# a run may be killed after its commit
[ "$n_kept" -gt "$n_done" ] && [ "$n_kept" -le $((n_run + 1)) ] || fail "$n_kept runs kept of $n_done that ended and one"
expect_code 0 "$DSE" export last --csv
expect_same "$work/out" "$(echo "$work"/killed/smoke-*/front.csv)"
echo "$n_killed of $n_run runs killed, $n_done ended, $n_kept kept"
