#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse init: the space it writes is one that check accepts, explain tells and explore finds a front of; nothing is lost.
. tests/cli/common
case "$DSE" in */*) DSE=$(cd "$(dirname "$DSE")" && pwd)/$(basename "$DSE") ;; esac

# What is shipped is found wherever the program was built.
ln -s "$PWD/spaces" "$work/spaces"

# Anywhere, the commands that it says come next do work.
expect_code 0 env -C "$work" "$DSE" init
expect_empty "$work/err"
[ "$(grep -c '^  dse ' "$work/out")" -eq 3 ] || fail "not three commands that come next"
sed -n 's/^  dse \([^#]*[^# ]\) *#.*/\1/p' "$work/out" >"$work/next"
while read -r command file; do
	expect_code 0 env -C "$work" "$DSE" "$command" "$file"
	[ "$command" != check ] || expect_text "$work/out" "space my_space: ok"
done <"$work/next"
n=$(($(wc -l <"$(ls "$work"/results/my_space-*/front.csv)") - 1))
[ "$n" -ge 2 ] || fail "the starter's front has $n points"
expect_text "$(ls "$work"/results/my_space-*/run.json)" '"epsilon": 0' # the front is exact

# All strategies, forms and operating points; of splits it says that it has some alone.
expect_code 0 env -C "$work" "$DSE" check my_space.yaml
expect_text "$work/out" "left out by the space: some splits; fetch_ahead half, all; level_shares"

# What stands in it may be tried: lines that are commented out are right, too.
sed 's/^# pe\.sram_byte/  pe.sram_byte/' "$work/my_space.yaml" >"$work/more.yaml"
expect_code 0 "$DSE" check -q "$work/more.yaml"
expect_text "$work/out" "machines: 4 candidates"

# A file that is there stays, as does what a link points to.
echo '# mine' >>"$work/my_space.yaml"
cp "$work/my_space.yaml" "$work/mine"
expect_code 5 env -C "$work" "$DSE" init my_space.yaml
expect_text "$work/err" "my_space.yaml: is there already"
expect_same "$work/my_space.yaml" "$work/mine"
ln -s nowhere "$work/link.yaml"
expect_code 5 "$DSE" init "$work/link"
[ ! -e "$work/nowhere" ] || fail "init wrote through a link"

# Names: with a folder, with the ending, like a number, quietly, and such as no space may have.
mkdir "$work/folder"
expect_code 0 "$DSE" init -q "$work/folder/12.yaml"
expect_empty "$work/out"
expect_text "$work/folder/12.yaml" "name: 12"
expect_code 0 "$DSE" check -q "$work/folder/12.yaml"
expect_code 2 "$DSE" init "$work/folder/two words"
expect_text "$work/err" "found 'two words'"
expect_code 2 "$DSE" init "$work/folder/.yaml"
expect_code 2 "$DSE" init "$work/folder/$(printf '%064d' 1)"
expect_code 5 "$DSE" init "$work/missing/space"
expect_text "$work/err" "cannot write: No such file or directory"
