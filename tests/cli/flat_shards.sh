#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Shards of a flat exhaustive search: ranges of its designs; merged they are the front of one run.
. tests/cli/common

flat="--flat --engine exhaustive -q"
expect_code 0 "$DSE" explore spaces/smoke.yaml $flat -o "$work/one"
for n in 2 3; do
	for part in $(seq $n); do
		expect_code 0 "$DSE" explore spaces/smoke.yaml $flat --shard "$part/$n" -j$part -o "$work/shards$n"
	done
	expect_code 0 "$DSE" merge "$work"/shards$n/*-of-$n -o "$work/merged$n" -q
	for file in front.csv front.json; do
		expect_same "$(echo "$work"/one/*)/$file" "$(echo "$work"/merged$n/*)/$file"
	done
	expect_text "$(echo "$work"/merged$n/*)/run.json" '"complete": true'
	expect_text "$(echo "$work"/merged$n/*)/run.json" '"evaluations": 512'
done

# A mistake on merge's own command line is merge's.
expect_code 2 "$DSE" merge "$work"/shards2/*-of-2 --points -o "$work/no"
expect_text "$work/err" "dse merge: --points writes the layers' fronts"

# A shard that was ended has nothing left to do; one that is missing is told.
expect_code 0 "$DSE" explore --resume "$work"/shards3/*-shard-2-of-3
expect_text "$work/err" "there is nothing left to do"
rm -r "$work"/shards3/*-shard-2-of-3
expect_code 3 "$DSE" merge "$work"/shards3/*-of-3 -o "$work/less"
expect_text "$work/err" "shard 2/3 is missing"

# What has no ranges cannot be dealt out.
expect_code 2 "$DSE" explore spaces/smoke.yaml --flat --engine nsga2 --shard 1/2 -o "$work/no"
expect_text "$work/err" "--shard deals out ranges"
expect_code 2 "$DSE" explore spaces/smoke.yaml $flat --max-evaluations 9 --shard 1/2 -o "$work/no"
