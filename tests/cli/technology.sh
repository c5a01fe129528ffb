#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Machines with a technology: what SRAM and array cost by size, the NoC's part of the SRAM's bound, area, refusals.
. tests/cli/common

part() { # part FILE NAME: one of energy's parts, or of the totals
	tr ',{}' '\n\n\n' <"$1" | sed -n '/"totals"/,$p' | sed -n "s/^[[:space:]]*\"$2\": *//p" | sed 1q
}
simulate() { # simulate NAME MACHINE [OPTION...]: VGG-16 into NAME.json
	name=$1
	shift
	"$DSE" simulate "$1" vgg16 --json ${2+"$2"} ${3+"$3"} >"$work/$name.json"
}

# At its own sizes the MAC arrays, DRAM and static power take what they take on dvfs_chip; SRAM and NoC together do.
simulate old dvfs_chip
simulate new dvfs_chip_22nm
for name in mla dram static latency_ms; do
	[ "$(part "$work/old.json" $name)" = "$(part "$work/new.json" $name)" ] || fail "$name differs"
done
for name in sram noc; do
	awk -v old="$(part "$work/old.json" $name)" -v new="$(part "$work/new.json" $name)" \
		'BEGIN { exit !(new > 0 && new / old > 0.99 && new / old < 1.01) }' || fail "$name"
done
# Both together take what 4.9 pJ a word took before the NoC had its own.
"$DSE" simulate dvfs_chip vgg16 --json --set levels.PL1.sram_read32_pj=4.9 --set levels.PL1.sram_write32_pj=4.9 \
	--set levels.PL1.noc_read128_pj=0 >"$work/bound.json"
awk -v old="$(part "$work/bound.json" sram)" -v sram="$(part "$work/old.json" sram)" -v noc="$(part "$work/old.json" noc)" \
	'BEGIN { exit !(noc > 0 && ((sram + noc) / old - 1) ^ 2 < 0.001 ^ 2) }' || fail "SRAM and NoC together"

# More SRAM for the program: the same clocks and words, each word at the table's price: (17.7687 and 15.2845) over (11.846 and 10.4815).
simulate large dvfs_chip_22nm --set pe.program_byte=163840
awk -v new="$(part "$work/new.json" sram)" -v large="$(part "$work/large.json" sram)" \
	'BEGIN { exit !(large / new > 15.2845 / 10.4815 - 1e-6 && large / new < 17.7687 / 11.846 + 1e-6) }' ||
	fail "energy of a larger SRAM"
# area: 152 PEs of the table's SRAM
awk -v new="$(part "$work/new.json" area_mm2)" -v large="$(part "$work/large.json" area_mm2)" \
	'BEGIN { by = (large - new) / (152 * (0.25544 - 0.11366)); exit !(by > 0.999999 && by < 1.000001) }' ||
	fail "area of a larger SRAM"
# dvfs_chip's energies stay as given
simulate given dvfs_chip --set pe.program_byte=163840
[ "$(part "$work/old.json" sram)" = "$(part "$work/given.json" sram)" ] || fail "energy that was given changes"

# What the tables do not reach is refused with the reason.
"$DSE" simulate dvfs_chip_22nm tiny --set pe.sram_byte=8388608 >"$work/out" 2>"$work/err" && fail "a size outside the table"
expect_text "$work/err" "the technology's table reaches from 16384 to 4194304"
