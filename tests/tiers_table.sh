#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sim/fast/uncertainty_table.c: how far the fast tier is from the event tier, and that from references, by classes of
# phases (sim/fast/uncertainty.h).
#
#   tests/tiers_table.sh DSE TEST_RANDOM_TIERS >FILE   all of it; minutes of all cores
#   tests/tiers_table.sh DSE                           the event tier's rows only; seconds
set -eu
dse=$1

# Layers of tables that are no sums; 90th percentiles, where there are fewer than 10 values those of all machines. Of reuse
# on a chip phases are in the tables, and totals, which count with the computation; of reuse on a QPE only the total is,
# which stands for each phase.
event_rows() {
	"$dse" validate -q --no-progress --json --detail event tests/reference/small_layers.csv \
		tests/reference/off_point_layers.csv tests/reference/layer_tasks.csv tests/reference/phase_clocks.csv \
		tests/reference/filter_parts.csv | awk '
		function field(name, text) {
			if (!match($0, "\"" name "\": \"?[^\",}]*"))
				return ""
			text = substr($0, RSTART, RLENGTH)
			sub(/.*: "?/, "", text)
			return text
		}
		function given(text, otherwise) {
			return text == "" ? otherwise : text
		}
		function take(kind, pct) {
			value[kind, point, ++n[kind, point]] = pct
			value[kind, "all", ++n[kind, "all"]] = pct
		}
		function p90(kind, at,  i, j, k, list) {
			k = n[kind, at]
			for (i = 1; i <= k; i++) {
				for (j = i - 1; j > 0 && list[j] > value[kind, at, i]; j--)
					list[j + 1] = list[j]
				list[j + 1] = value[kind, at, i]
			}
			return k == 0 ? 0 : list[int((k - 1) * 9 / 10) + 1]
		}
		/"counted": true/ {
			pct = field("error_pct")
			pct = pct < 0 ? -pct : pct + 0
			chip = field("target") == "chip"
			noc = given(field("noc.clk_mhz"), 500) * given(field("noc.router_packet"), 1)
			ratio = (chip ? 4 : 1) * given(field("dram.clk_mhz"), 250) / 2 / noc
			point = (ratio > 0.25) + (ratio > 0.5) + (ratio > 1)
			column = field("column"); strategy = field("strategy")
			if (strategy !~ /reuse/ && column == "total_clk")
				take(chip ? "JOBS" : "QPE_JOBS", pct)
			else if (!chip && column == "total_clk") {
				take("QPE_WEIGHT", pct); take("QPE_INPUT", pct); take("QPE_COMPUTE", pct)
			} else if (chip && column == "weight_clk")
				take("WEIGHT", pct)
			else if (chip && column == "input_clk")
				take("INPUT", pct)
			else if (chip && column == "migration_clk" && field("reference") > 0)
				take("MIGRATION", pct)
			else if (chip && (column == "computation_clk" || column == "total_clk"))
				take("COMPUTE", pct)
		}
		END {
			n_kind = split("QPE_JOBS QPE_WEIGHT QPE_INPUT QPE_COMPUTE JOBS WEIGHT INPUT MIGRATION COMPUTE", kind, " ")
			for (i = 1; i <= n_kind; i++) {
				row = counts = ""
				for (point = 0; point < 4; point++) {
					at = n[kind[i], point] < 10 ? "all" : point
					row = row sprintf("%s%.1fF", point ? ", " : "", p90(kind[i], at))
					counts = counts " " n[kind[i], point] + 0
				}
				printf "    [UNCERTAINTY_%s] = {%s}, /*%s */\n", kind[i], row, counts
			}
		}'
}

if [ $# -lt 2 ]; then
	event_rows
	exit
fi
cat <<'END'
/* SPDX-License-Identifier: Apache-2.0 */
/* Written by "make tiers-table"; not to be changed by hand. Behind each row stand the numbers of phases it is of. */
#include "sim/fast/uncertainty_table.h"

/* clang-format off */
const float uncertainty_fast_pct[N_UNCERTAINTY_KIND][UNCERTAINTY_N_SPLIT][UNCERTAINTY_N_POINT][UNCERTAINTY_N_SIZE] = {
END
TIERS=table "$2" 2>/dev/null | grep '^    \[UNCERTAINTY_'
cat <<'END'
};

const float uncertainty_event_pct[N_UNCERTAINTY_KIND][UNCERTAINTY_N_POINT] = {
END
event_rows
echo '};'
