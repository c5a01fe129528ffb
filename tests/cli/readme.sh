#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The README is true: its commands run, its example of a space is a space, its figures are what the program prints.
# `make explore` and `make test` themselves are run by hand and by CI; here, everything else.
. tests/cli/common

# The commands of all ```sh blocks: dse ones are run, into a folder of ours.
awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md | sed 's/ *#.*//' | grep '^build/dse' >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 7 ] || fail "README.md has lost its commands"
DSE_STORE=$work/results/dse.sqlite # what its commands about runs read
while read -r program arguments; do
	case "$arguments" in
	"explore spaces/mla_sizing.yaml"*) continue ;; # as make explore: a minute
	"arada spaces/arada.yaml"*) continue ;;        # minutes; its table is readme_arada.sh's
	explore*) arguments="$arguments -q -o $work/results" ;;
	esac
	arguments=$(echo "$arguments" | sed "s,results/,$work/results/,g")
	# a hash in the README's example stands for whatever the run's is
	eval expect_code 0 '"$DSE"' $arguments
	expect_file=$(echo "$arguments" | sed 's/[^a-z0-9]/_/g' | cut -c1-60)
	cp "$work/out" "$work/$expect_file"
done <"$work/commands"

# The example space.
awk '/^```yaml$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md >"$work/my_space.yaml"
sed -i "s,^machine: dvfs_chip,machine: $PWD/spaces/machines/dvfs_chip.yaml,; s,^networks: \[vgg16\],networks: [$PWD/spaces/networks/vgg16.yaml]," "$work/my_space.yaml"
expect_code 0 "$DSE" check "$work/my_space.yaml"

# Errors per table, as `dse validate` prints them: | `strategy_clocks.csv` | 52 of 57 | 0.71 % | 3.16 % | ...
for table in split_utilisation overall_clocks overall_transfer_clocks strategy_clocks mac_array_clocks \
	mac_array_performance phase_clocks layer_tasks pe_tasks hdl_clocks scalesim_reference arada_table1_mobilenet_edge \
	octopus_mlp octopus_parts; do
	expect_code 0 "$DSE" validate "tests/reference/$table.csv"
	line=$(grep -E ' counted: (mean|all exact)' "$work/out")
	n=$(echo "$line" | sed 's/.*: \([0-9]*\) values, \([0-9]*\) counted.*/\2 of \1/')
	mean=$(echo "$line" | sed 's/.*mean error \([0-9.e+-]*\) %.*/\1 %/')
	largest=$(echo "$line" | sed 's/.*largest \([0-9.e+-]*\) %.*/\1 %/')
	case "$line" in *'all exact'*) mean=exact largest=exact ;; esac
	grep -q "^| \`$table.csv\` | $n | $mean | $largest |" README.md ||
		fail "README.md: the errors of $table.csv are $n, $mean, $largest"
done
# What ResNet-50's activations take in the DRAM.
expect_code 0 "$DSE" schedule --read "$work/results/schedule" --json
for key in apart_byte alive_byte data_byte; do
	value=$(sed -n "s/.*\"$key\": \([0-9]*\).*/\1/p" "$work/out")
	grep -q "$value" README.md || fail "README.md: $key of ResNet-50's schedule is $value"
done
# The caption of the rooflines: layers under the memory's roof with 122 and 29 GB/s.
expect_code 0 "$DSE" roofline arada_figure_3 efficientnet_b0 --memory-gb-s 122,29 -q
counts=$(sed -n 's/^  \([0-9]* layers, [0-9]*\) of them.*/\1/p' "$work/out" | tr '\n' ' ')
[ "$counts" = "82 layers, 51 82 layers, 82 " ] && grep -q '51 of the 82 layers are under' README.md ||
	fail "README.md: rooflines count $counts"
# The table of splits is readme_table.sh's, that of ARADA readme_arada.sh's.
