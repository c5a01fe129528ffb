#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Several ranks under mpirun write what one process writes, also when they are killed and taken up by fewer.
. tests/cli/common
if ! command -v mpirun >/dev/null 2>&1 || ! ldd "$DSE" 2>/dev/null | grep -q libmpi; then
	echo "$0: skipped: no mpirun, or a program built without MPI (make MPI=1)" >&2
	exit 0
fi
# More ranks than cores, and as root in containers: Open MPI wants to be asked for either.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_plm_rsh_agent= OMPI_MCA_btl_vader_single_copy_mechanism=none

cat >"$work/ranks.yaml" <<'END'
name: ranks
machine: dvfs_chip
axes:
  mla.array: [16x4, 4x4]
  noc.clk_mhz: [300, 100]
network: tiny
layers:
  - match: '.*'
    split: {width: all, height: all, out_channels: all, in_channels: whole}
    strategy: [fusion, fusion_reuse]
objectives: [latency_ms, energy_mj, mac_units]
END

compare_runs() {
	for file in front.csv front.json front.svg points.csv; do
		[ ! -e "$1/$file" ] || expect_same "$1/$file" "$2/$file"
	done
	for run in "$1" "$2"; do
		grep -vE '"(command|threads|seconds)": ' "$run/run.json" >"$work/$(basename "$run").run"
	done
	expect_same "$work/$(basename "$1").run" "$work/$(basename "$2").run"
}

expect_code 0 "$DSE" explore "$work/ranks.yaml" --detail fast -q --points -j1 -o "$work/alone"
alone=$(echo "$work"/alone/*)
for n in 1 3; do
	expect_code 0 mpirun -n $n "$DSE" explore "$work/ranks.yaml" --detail fast --points -j1 -o "$work/ranks$n"
	found=$(echo "$work/ranks$n"/*)
	compare_runs "$alone" "$found"
	[ -z "$(ls -A "$found" | grep journal)" ] || fail "journals left in $found"
	[ "$(grep -c 'Written to' "$work/out")" -eq 1 ] || fail "other ranks than the first one speak"
done

# Killed with four ranks, taken up with two.
mpirun -n 4 "$DSE" explore "$work/ranks.yaml" --detail fast -q --points -j1 -o "$work/killed" >"$work/out" 2>"$work/err" &
pid=$!
n=0
while ! ls "$work"/killed/*/journal.3 >/dev/null 2>&1; do
	n=$((n + 1))
	[ "$n" -lt 600 ] || fail "the search does not begin"
	sleep 0.02
done
kill -s KILL "$pid"
wait "$pid" 2>/dev/null || true
found=$(echo "$work"/killed/*)
# mpirun's death ends the ranks in their own time
n=0
while [ -e "$found/journal" ] && ! expect_free=$(mpirun -n 2 "$DSE" explore --resume "$found" -q -j1 2>&1 >/dev/null); do
	n=$((n + 1))
	[ "$n" -lt 100 ] || fail "cannot be taken up: $expect_free"
	sleep 0.1
done
compare_runs "$alone" "$found"

# One message, and the exit code of the command.
expect_code 5 mpirun -n 2 "$DSE" explore "$work/nothing.yaml"
[ "$(grep -c 'nothing.yaml: no such file' "$work/err")" -eq 1 ] || fail "not one message"
expect_code 2 mpirun -n 2 "$DSE" explore "$work/ranks.yaml" --shard 1/2

# In a flat search the ranks evaluate for the first one.
for options in "--engine nsga2 --seed 3" "--engine nsga2 --flat --seed 3" "--flat" "--engine pls --flat --max-evaluations 300"; do
	rm -rf "$work/flat" "$work/flat3"
	expect_code 0 "$DSE" explore spaces/smoke.yaml --detail fast -q $options -j1 -o "$work/flat"
	expect_code 0 mpirun -n 3 "$DSE" explore spaces/smoke.yaml --detail fast -q $options -j1 -o "$work/flat3"
	compare_runs "$(echo "$work"/flat/*)" "$(echo "$work"/flat3/*)"
done

# Islands of a flat genetic search live on all ranks; killed with four ranks and taken up with two they end alike.
cat >"$work/islands.yaml" <<'END'
name: islands
machine: dvfs_chip
axes:
  mla.array: [16x4, 4x4]
network: tiny
layers:
  - match: '.*'
    split: all
    strategy: [fusion, fusion_reuse]
search: {engine: nsga2, islands: 3, migrate_every: 4, max_evaluations: 40000}
objectives: [latency_ms, energy_mj, mac_units]
END
expect_code 0 "$DSE" explore "$work/islands.yaml" --flat -q -j1 -o "$work/islands"
for n in 4; do
	expect_code 0 mpirun -n $n "$DSE" explore "$work/islands.yaml" --flat -q -j2 -o "$work/islands$n"
	compare_runs "$(echo "$work"/islands/*)" "$(echo "$work/islands$n"/*)"
done
mpirun -n 4 "$DSE" explore "$work/islands.yaml" --flat -q -j1 -o "$work/sunk" >"$work/out" 2>"$work/err" &
pid=$!
n=0
while ! ls "$work"/sunk/*/checkpoint >/dev/null 2>&1 && ! ls "$work"/sunk/*/run.json >/dev/null 2>&1; do
	n=$((n + 1))
	[ "$n" -lt 600 ] || fail "no checkpoint"
	sleep 0.02
done
kill -s KILL "$pid"
wait "$pid" 2>/dev/null || true
found=$(echo "$work"/sunk/*)
n=0
while [ -e "$found/journal" ] && ! expect_free=$(mpirun -n 2 "$DSE" explore --resume "$found" -q -j1 2>&1 >/dev/null); do
	n=$((n + 1))
	[ "$n" -lt 100 ] || fail "cannot be taken up: $expect_free"
	sleep 0.1
done
compare_runs "$(echo "$work"/islands/*)" "$found"

# Where another process has the folder no rank keeps a journal, and one that would go on with a run goes away as a whole.
mkdir -p "$found"
cp "$work/alone/"*/run.json "$found/journal" # nobody's: it is left as it is
expect_code 0 flock "$found/.lock-run" mpirun -n 2 "$DSE" explore "$work/islands.yaml" --flat -j1 -o "$work/sunk"
[ "$(grep -c "this one keeps no journal" "$work/err")" -eq 1 ] || fail "not one rank says that there is no journal"
compare_runs "$(echo "$work"/islands/*)" "$found"
expect_same "$found/journal" "$(echo "$work"/alone/*)/run.json"
ls "$found"/journal.* >/dev/null 2>&1 && fail "a rank keeps a journal in another one's folder"
expect_code 5 flock "$found/.lock-run" mpirun -n 2 "$DSE" explore --resume "$found" -q
expect_text "$work/err" "another process is at work on this run"
