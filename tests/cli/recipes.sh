#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse/packaging/recipes: what CI servers and clusters call does what it says; what no container or server here can run is at least well-formed.
. tests/cli/common
recipes=$PWD/dse/packaging/recipes
DSE=$(realpath "$DSE")
export DSE
unset DSE_STORE

# The gate: the same front passes, a worse one does not, and the page is there in either case.
mkdir -p "$work/repository/spaces"
ln -s "$PWD/spaces/machines" "$PWD/spaces/networks" "$work/repository/spaces"
cp spaces/smoke.yaml "$work/repository/spaces"
cd "$work/repository"
expect_code 0 sh "$recipes/nightly-gate" night spaces/smoke.yaml
expect_text night/nightly.json '"verdict": "first"'
expect_code 0 sh "$recipes/nightly-gate" night spaces/smoke.yaml
sed -i 's/mla.array: .*/mla.array: [8x4]/' spaces/smoke.yaml
rm night/index.html
expect_code 6 sh "$recipes/nightly-gate" night spaces/smoke.yaml
expect_text night/nightly.json '"verdict": "worse"'
expect_text night/junit.xml '<failure'
[ -s night/index.html ] || fail "no page of a worse night"
expect_code 2 sh "$recipes/nightly-gate" night

# The job array: parts, one of them submitted again, and the front of all of them is that of the whole search.
cp "$OLDPWD/spaces/smoke.yaml" spaces
for i in 1 2 2; do
	SLURM_ARRAY_TASK_ID=$i SLURM_ARRAY_TASK_MAX=2 SLURM_CPUS_PER_TASK=1 expect_code 0 sh "$recipes/explore.sbatch" spaces/smoke.yaml
done
expect_code 0 sh "$recipes/explore.sbatch" --merge
cp "$(echo results/smoke-????????/front.csv)" "$work/merged.csv"
expect_code 0 "$DSE" explore spaces/smoke.yaml -q -o "$work/whole"
expect_same "$work/merged.csv" "$(echo "$work"/whole/smoke-*/front.csv)"
expect_code 2 sh "$recipes/explore.sbatch" spaces/smoke.yaml
cd "$OLDPWD"

# What others read: the gate is where the servers' files call it, versions and packages are ours.
for file in github.yml gitlab.yml; do
	expect_text "$recipes/$file" 'sh ci/nightly-gate night spaces/*.yaml'
done
expect_text "$recipes/CITATION.cff" "version: $("$DSE" --version | sed -n '1s/dse //p')"
if python3 -c 'import yaml' 2>/dev/null; then
	expect_code 0 python3 -c 'import sys, yaml; [yaml.safe_load(open(name)) for name in sys.argv[1:]]' \
		"$recipes/github.yml" "$recipes/gitlab.yml" "$recipes/CITATION.cff"
fi
