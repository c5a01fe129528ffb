#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The documents are true: their commands run, their links lead somewhere, their examples are spaces, networks and
# mappings, their figures are what the program prints. `make explore` and `make test` themselves are run by
# CI; the tables of studies are checked by the other readme_*.sh. What takes longest is for readme.sh --all (make studies).
. tests/cli/common
what=${1:-}

# README.md first: what it explores is what the others' commands about kept runs show.
documents="README.md $(find . -name '*.md' ! -path './build/*' ! -path '*/node_modules/*' ! -path './results/*/*' ! -path ./README.md | LC_ALL=C sort)"

# fenced LANGUAGE FILE: the lines of all its blocks in that language.
fenced() {
	awk -v language="$1" '$0 == "```" language { inside = 1; next } /^```$/ { inside = 0 } inside' "$2"
}

# The commands of all ```sh blocks: dse ones are run, into a folder of ours.
for document in $documents; do
	case $document in */site/tutorial/*) continue ;; esac # tutorial.sh
	fenced sh "$document" | sed 's/ *#.*//' | grep '^build/dse' >>"$work/commands" || true
done
[ "$(wc -l <README.md)" -le 150 ] || fail "README.md has more than 150 lines: tables belong on pages of their own"
[ "$(wc -l <"$work/commands")" -ge 45 ] || fail "the documents have lost their commands"
DSE_STORE=$work/results/dse.sqlite # what their commands about runs read
while read -r program arguments; do
	case "$arguments" in
	"explore spaces/mla_sizing.yaml"*) continue ;; # as make explore: a minute
	"explore spaces/sizes_22nm"* | "explore spaces/tpu_sizing.yaml"*) continue ;; # make studies; a machine of each: readme_sizes.sh
	"check spaces/mla_sizing.yaml"* | "explain spaces/mla_sizing.yaml"*) continue ;; # check.sh, explain.sh
	"arada spaces/arada.yaml"*) continue ;;        # minutes; its table is readme_arada.sh's
	"map dvfs_chip resnet50 -o"*) continue ;;      # as map.sh
	"size dvfs_chip tests/reference/onnx/"*) continue ;; # tutorial.sh
	"report last 1"*) [ -n "$what" ] || continue ;; # of a search of ten thousand points: seconds; report.sh
	esac
	case "$arguments" in
	explore*) arguments="$arguments -q -o $work/results" ;;
	size*) arguments="$arguments -q -o $work/results" ;;
	nightly*) arguments="$arguments -q -o $work/results --tables none" ;; # those take seconds
	esac
	arguments=$(echo "$arguments" | sed "s,results/,$work/results/,g")
	eval expect_code 0 '"$DSE"' $arguments
done <"$work/commands"

# Every link: a file that is there, and a heading of it as GitHub names them.
for document in $documents; do
	awk '/^```/ { fenced = !fenced } fenced { next }
		{ while (match($0, /\]\([^) ]+\)/)) { print substr($0, RSTART + 2, RLENGTH - 3); $0 = substr($0, RSTART + RLENGTH) } }' "$document" |
		grep -v '^https\{0,1\}:' | sort -u >"$work/links" || true
	while read -r link; do
		file=${link%%#*}
		file=$(dirname "$document")/${file:-$(basename "$document")}
		[ -e "$file" ] || fail "$document: a link to $link, which is not there"
		case "$link" in *'#'*) ;; *) continue ;; esac
		awk '/^```/ { fenced = !fenced } !fenced && sub(/^#+ /, "") { print tolower($0) }' "$file" |
			sed 's/[^a-z0-9 _-]//g; s/ /-/g' | grep -qxF -- "${link#*#}" || fail "$document: a link to $link, which has no such heading"
	done <"$work/links"
done

# Every file of the source that a document or a comment names is there.
# shellcheck disable=SC2086 # several files
grep -oHE '(^|[^A-Za-z0-9_./-])(sim|mapper|dse|tests)(/[a-z0-9_]+)+\.(c|h|sh|md|js)([^a-z]|$)' $documents Makefile .ci/* $(find dse/packaging -type f) tests/run \
	tests/longest $(find sim mapper dse tests -name '*.[ch]') | sed -E 's/:[^a-z]*/ /; s/[^a-z]*$//' | sort -u | while read -r document file; do
	[ -e "$file" ] || echo "$document: $file is not there"
done | grep -v 'CHANGELOG.md: \|no_such_file' >"$work/away" || true
expect_empty "$work/away"

# Headings are headings, and only examples are indented by tabs.
for document in $documents; do
	awk '/^```/ { fenced = !fenced } !fenced && (/^#+[^# ]/ || /^\t/) { print FILENAME ": " $0 }' "$document"
done >"$work/form"
expect_empty "$work/form"

# No file stands twice in a list of files.
for document in $documents; do
	awk -F'|' '!/^\|/ { delete seen } /^\| `[^`]*\.(yaml|csv)`/ && seen[$2]++ { print FILENAME ": " $2 " stands twice" }' "$document"
done >"$work/twice"
expect_empty "$work/twice"

# The examples: README.md's space, and the first one of each folder's format.
fenced yaml README.md >"$work/my_space.yaml"
fenced yaml spaces/README.md | awk '/^mapping:/ { exit } { print }' >"$work/example.yaml"
fenced yaml spaces/README.md | awk '/^mapping:/ { on = 1 } /^arada:/ { exit } on' >"$work/mapping.yaml"
fenced yaml spaces/networks/README.md | awk '/^name:/ && n++ { exit } { print }' >"$work/network.yaml"
for folder in machines networks; do
	ln -s "$PWD/spaces/$folder" "$work/$folder"
done
for example in my_space example network; do
	expect_code 0 "$DSE" check "$work/$example.yaml"
done
expect_code 0 "$DSE" simulate --mapping "$work/mapping.yaml"

# errors TABLE [OPTION...]: as the tables of errors have them, `strategy_clocks.csv` | 52 of 57 | 0.71 % | 3.16 %
errors() {
	table=$1
	shift
	expect_code 0 "$DSE" validate "tests/reference/$table.csv" "$@"
	line=$(grep -E ' counted: (mean|all exact)' "$work/out" | tail -n 1)
	n=$(echo "$line" | sed 's/.*: \([0-9]*\) values, \([0-9]*\) counted.*/\2 of \1/')
	mean=$(echo "$line" | sed 's/.*mean error \([0-9.e+-]*\) %.*/\1 %/')
	largest=$(echo "$line" | sed 's/.*largest \([0-9.e+-]*\) %.*/\1 %/')
	case "$line" in *'all exact'*) mean=exact largest=exact ;; esac
	echo "| \`$table.csv\` | $n | $mean | $largest |"
}
for table in split_utilisation overall_clocks overall_transfer_clocks strategy_clocks mac_array_clocks \
	mac_array_performance phase_clocks layer_tasks pe_tasks hdl_clocks scalesim_reference arada_table1_mobilenet_edge \
	octopus_mlp octopus_parts small_layers filter_parts off_point_pe_tasks off_point_layers; do
	[ $table != scalesim_reference ] || [ -n "$what" ] || continue # test_scalesim has its figures
	row=$(errors $table)
	grep -qF "$row" sim/TRUST.md || fail "sim/TRUST.md has not: $row"
done
# by_clock TABLE MHZ: mean errors of both tiers with the NoC at that clock, "4.23 % | 1.72 %"
by_clock() {
	awk -v mhz="$2" '$1 == "noc.clk_mhz" && $2 == mhz { printf "%s%s %%", n++ ? " | " : "", $6 }' "$work/both_$1"
}
for table in pe_tasks layers; do
	expect_code 0 "$DSE" validate --detail both "tests/reference/off_point_$table.csv"
	cp "$work/out" "$work/both_$table"
done
for mhz in 1000 300 250 200 125; do
	row="| $mhz | $(by_clock pe_tasks $mhz) | $(by_clock layers $mhz) |"
	grep -qF "$row" sim/TRUST.md || fail "sim/TRUST.md has not: $row"
done
grep -qF "| $(by_clock layers 500) |" sim/TRUST.md || fail "sim/TRUST.md has not: $(by_clock layers 500)"
for table in pe_tasks hdl_clocks strategy_clocks mac_array_clocks phase_clocks layer_tasks overall_clocks; do
	row=$(errors $table --detail greybox)
	grep -qF "$row" sim/README.md || fail "sim/README.md has not: $row"
done

# What ResNet-50's activations take in the DRAM.
expect_code 0 "$DSE" schedule --read "$work/results/schedule" --json
for key in apart_byte alive_byte data_byte; do
	value=$(sed -n "s/.*\"$key\": \([0-9]*\).*/\1/p" "$work/out")
	grep -q "$value" mapper/README.md || fail "mapper/README.md: $key of ResNet-50's schedule is $value"
done
# The caption of the rooflines: layers under the memory's roof with 122 and 29 GB/s.
expect_code 0 "$DSE" roofline arada_figure_3 efficientnet_b0 --memory-gb-s 122,29 -q
counts=$(sed -n 's/^  \([0-9]* layers, [0-9]*\) of them.*/\1/p' "$work/out" | tr '\n' ' ')
[ "$counts" = "82 layers, 51 82 layers, 82 " ] && grep -q '51 of the 82 layers are under' dse/README.md ||
	fail "dse/README.md: rooflines count $counts"
