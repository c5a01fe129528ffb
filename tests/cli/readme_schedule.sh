#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The figures of multi-layer schedules in mapper/README.md are what dse schedule prints.
. tests/cli/common

# "315.6 (8)" of a layer, or "12.0" of setup or cleanup, or the total.
figures() {
	expect_code 0 "$DSE" schedule mlp_784_512_256_16 --machine final_chip "$@"
	awk '$2 == "fc" || $2 == "softmax" { printf "%s (%s)\n", $15, $3 }
		$1 == "chip" { for (i = 3; i < NF; i++) if ($i == "setup" || $i == "cleanup") print $(i + 1) }
		$1 == "total" { print $2 }' "$work/out"
}
# in the order of the lines that figures prints: layers, setup, cleanup, total
table() {
	for row in 'FC1 + ReLU' 'FC2 + ReLU' FC3 softmax setup cleanup total; do
		sed -n "s/^| $row |//p" mapper/README.md | head -n 1 | awk -F '|' -v c="$1" '{ gsub(/^ | $/, "", $c); print $c }'
	done
}
column=2
for choice in "--workers paper" "--workers best" "--strategy hide" "--strategy sram"; do
	# shellcheck disable=SC2086 # two words
	figures $choice >"$work/figures"
	table $column >"$work/table"
	expect_same "$work/figures" "$work/table"
	column=$((column + 1))
done

# ResNet-50, ms.
ms() {
	"$DSE" schedule resnet50 --machine final_chip "$@" | sed -n 's/^total \([0-9.]*\) us.*/\1/p' | awk '{ printf "%.1f ms", $1 / 1000 }'
}
every() {
	"$DSE" schedule resnet50 --machine final_chip "$@" | sed -n 's/.*an input every \([0-9.]*\) us.*/\1/p' | awk '{ printf "%.1f ms", $1 / 1000 }'
}
text="$(ms) with \`dram\` and $(ms --strategy hide) with \`hide\`; with four chips an input every $(every --chips 4), with sixteen and \`sram\` every $(every --strategy sram --chips 16)"
tr '\n' ' ' <mapper/README.md | grep -qF "$text" || fail "mapper/README.md: $text"
