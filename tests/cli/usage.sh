#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Help, version, and what a wrong command line says.
. tests/cli/common

for command in "" explore simulate validate import check; do
	expect_code 0 "$DSE" $command --help
	expect_text "$work/out" "usage: dse"
	expect_empty "$work/err"
done
expect_text "$work/out" "--no-progress"
expect_code 0 "$DSE" help explore
expect_text "$work/out" "--max-evaluations N"
expect_code 0 "$DSE" --version
expect_text "$work/out" "dse 0."
# Facts of the build: what the program is linked with, the compiler, the variant; the hash that runs are kept under.
for fact in 'sources    [0-9a-f]{32}' 'compiler   (gcc|clang) [0-9]+\..*' 'variant    (release|debug|asan|tsan|fuzz)' \
	'flags      .*-ffp-contract=off.*' 'libraries  .*yaml [0-9.]+, .*sqlite3 [0-9.]+, .*chart.js [0-9.]+' \
	'OpenMP     [0-9.]+' 'MPI        .+' 'data       /.*/share/dse' 'licence    Apache-2.0'; do
	grep -Eqx "$fact" "$work/out" || fail "--version: no '$fact'"
done
expect_code 0 "$DSE" --version --json
for key in version sources compiler variant flags libraries openmp mpi licence; do
	grep -q "^	\"$key\": [\"{]" "$work/out" || fail "--version --json: no $key"
done
expect_text "$work/out" '"sqlite3": "'
# usage MESSAGE ARGUMENT...
usage() {
	message=$1
	shift
	expect_code 2 "$DSE" "$@"
	expect_empty "$work/out"
	expect_text "$work/err" "$message"
}

usage "a command is missing"
usage "--version takes --json or nothing, found '--jsn'" --version --jsn
usage "did you mean 'explore'" exlpore spaces/smoke.yaml
usage "'frobnicate' is not a command; allowed are explore, size, why, sensitivity, map, fuse, simulate, prove, roofline, power, schedule, emulate, arada, report, runs, show, export, compare, nightly, merge, check-certificate, validate, fit, import, init, check, explain, completion, man" frobnicate
usage "the command comes first" --json explore
usage "a file is missing; usage: dse explore [OPTION...] SPACE.yaml" explore
usage "'b.yaml' is one too many" explore a.yaml b.yaml
usage "did you mean '--seed'" explore --sed 3 a.yaml
usage "unknown option '-z'" explore -z a.yaml
usage "option '--strategy' is not one of this command's" explore --strategy fusion a.yaml
usage "--json takes no value" explore --json=yes a.yaml
usage "--seed needs a value" explore a.yaml --seed
usage "--jobs is 'many', allowed is a whole number from 0 to 4096" explore -j many a.yaml
usage "--jobs is '5000'" explore -j5000 a.yaml
usage "--jobs is '-1'" explore -j -1 a.yaml
usage "--max-error is 'x', allowed is a number" validate a.csv --max-error x
usage "allowed are exact, exhaustive, nsga2, pls; did you mean 'nsga2'" explore spaces/smoke.yaml --engine nsga3 -o "$work"
usage "--points writes the layers' fronts" explore spaces/smoke.yaml --flat --points -o "$work"
usage "did you mean 'no_fusion'" simulate thesis_chip vgg16 --strategy nofusion
usage "machine thesis_chip has" simulate thesis_chip vgg16 --level turbo
usage "matches none of the layers" simulate thesis_chip vgg16 --layers NOTHING
usage "allowed is FRONT.json:ID" simulate --point front.json
usage "--point names machine and network already" simulate --point front.json:0 thesis_chip
usage "--point fixes layers" simulate --point front.json:0 --level PL1
usage "allowed are a machine and a network" simulate thesis_chip

# All mistakes of a command line in one go.
expect_code 2 "$DSE" explore --sed --jbos 3 a.yaml
expect_text "$work/err" "--sed"
expect_text "$work/err" "--jbos"

# A missing file is named, with the nearest name there is.
expect_code 5 "$DSE" simulate thesis_chp vgg16
expect_text "$work/err" "did you mean 'thesis_chip'"
expect_code 5 "$DSE" explore no_such_space.yaml
expect_text "$work/err" "no_such_space.yaml"
expect_code 5 "$DSE" simulate --point "$work/front.json:0"
