#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The table of the thesis' splits against ours: every figure is what the program prints.
#   readme_table.sh            the fast tier, and the event tier of ResNet-50's fusion_reuse; the rest of the event tier takes minutes
#   readme_table.sh --all      everything
#   readme_table.sh --record   everything, and results/STUDIES.md gets the table
DSE=${DSE:-build/dse}
. tests/cli/common
! $is_slow || exit 0
what=${1:-}

# space NETWORK STRATEGY: the shipped space, with one strategy; blocks that reuse does not serve get fusion, as in
# `dse simulate`. any: as it is shipped, each layer with the strategy that is best for it.
space() {
	sed "s,^machine: ,machine: $PWD/spaces/machines/,; s,^network: ,network: $PWD/spaces/networks/,
		/^machine:/s,\$,.yaml,; /^network:/s,\$,.yaml," "spaces/thesis_$1.yaml" >"$work/$1_$2.yaml"
	case "$2" in
	any) ;;
	fusion_reuse)
		sed -i "s/strategy: \\[.*\\]/strategy: [fusion]/
			/^objectives:/i\\  - {match: '^CONV_', strategy: [fusion_reuse]}" "$work/$1_$2.yaml"
		;;
	*) sed -i "s/strategy: \\[.*\\]/strategy: [$2]/" "$work/$1_$2.yaml" ;;
	esac
}

# figures: clocks and millijoules of what `dse simulate` printed.
figures() {
	awk '$1 == "total_clk" { clk = $2 } $1 == "energy_mj" && NF == 2 { mj = $2 }
		END { printf "%s %.2f\n", clk, mj }' "$work/out"
}
grouped() { echo "$1" | sed ':a; s/\([0-9]\)\([0-9]\{3\}\)\($\| \)/\1 \2\3/; ta'; }

# row NETWORK STRATEGY TIER: one line of the table.
row() {
	theirs=$2
	[ "$2" != any ] || theirs=fusion_reuse
	# with a pattern, though all match, it does not look for what a search would gain
	expect_code 0 "$DSE" simulate -q thesis_chip "$1" --split-scheme spaces/splits/thesis.csv --strategy $theirs \
		--detail "$3" --layers .
	# shellcheck disable=SC2046
	set -- "$1" "$2" "$3" $(figures)
	expect_code 0 "$DSE" simulate --point "$(echo "$work/$1_$2"/thesis_"$1"-*)/front.json:0" --detail "$3"
	# shellcheck disable=SC2046
	set -- "$@" $(figures)
	name=VGG-16
	[ "$1" = vgg16 ] || name=ResNet-50
	shown=\`$2\`
	[ "$2" != any ] || shown="best of all"
	less=$(awk "BEGIN { printf \"%.1f %% | %.1f %%\", 100 - 100 * $6 / $4, 100 - 100 * $7 / $5 }")
	echo "| $name | $shown | $3 | $(grouped "$4") | $5 | $(grouped "$6") | $7 | $less |"
	[ "$3" = event ] || [ "$6" -le "$4" ] || fail "$1, $2: our splits take $6 clocks, the thesis' $4"
}

: >"$work/table"
for network in vgg16 resnet50; do
	for strategy in no_fusion fusion fusion_reuse any; do
		space $network $strategy
		expect_code 0 "$DSE" explore -q "$work/${network}_$strategy.yaml" --detail fast -o "$work/${network}_$strategy"
		row $network $strategy fast >>"$work/table"
		if [ -n "$what" ] || [ $network,$strategy = resnet50,fusion_reuse ]; then
			row $network $strategy event >>"$work/table"
		fi
	done
done

if [ "$what" = --record ]; then
	awk -v table="$work/table" '
		/^\| (VGG-16|ResNet-50) \|.*\| (fast|event) \|/ { if (!done) while ((getline line <table) > 0) print line; done = 1; next }
		{ print }' results/STUDIES.md >"$work/STUDIES.md"
	cp "$work/STUDIES.md" results/STUDIES.md
fi
while read -r line; do
	grep -qF -- "$line" results/STUDIES.md || fail "results/STUDIES.md lacks: $line   (sh $0 --record writes the table anew)"
done <"$work/table"

# less NETWORK: fewer clocks, of what README.md says the same.
less() { sed -n "s/^| $1 | best of all | fast .* | \([0-9.]* %\) | [^|]* |$/\1/p" "$work/table"; }
text="ours take $(less VGG-16) fewer clocks for VGG-16, $(less ResNet-50) for ResNet-50"
tr -s '\n ' '  ' <README.md | grep -qF "$text" || fail "README.md: $text"

# What sim/TRUST.md says of both tiers: `dse map`'s fastest mapping in each. VGG-16 alone is run always: it takes least.
networks=vgg16
[ -z "$what" ] || networks="vgg16 resnet50 efficientnet_b0 mobilenet_v2"
for network in $networks; do
	expect_code 0 "$DSE" map dvfs_chip $network -q -o "$work/map_$network"
	for tier in fast event; do
		expect_code 0 "$DSE" simulate --mapping "$work/map_$network/mapping.yaml" --detail $tier --json
		sed -n '/"totals"/,$ s/.*"latency_ms": \([0-9.]*\).*/\1/p' "$work/out" >"$work/$tier"
	done
	expect_text sim/TRUST.md "$(awk -v network=$network '{ ms[NR] = $1 } END {
		printf "| `%s` | %.3f | %.3f | %+.2f %% |", network, ms[1], ms[2], 100 * (ms[1] / ms[2] - 1) }' "$work/fast" "$work/event")"
done
