#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The table of errors in sim/CALIBRATION.md, from the program: tests/calibration_table.sh [DSE [TABLE...]].
set -eu
dse=${1:-build/dse}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- tests/reference/hdl_clocks.csv tests/reference/pe_tasks.csv tests/reference/strategy_clocks.csv \
	tests/reference/mac_array_clocks.csv tests/reference/mac_array_performance.csv tests/reference/phase_clocks.csv \
	tests/reference/layer_tasks.csv tests/reference/overall_clocks.csv tests/reference/overall_transfer_clocks.csv \
	tests/reference/split_utilisation.csv tests/reference/small_layers.csv tests/reference/filter_parts.csv \
	tests/reference/off_point_pe_tasks.csv tests/reference/off_point_layers.csv

echo '| table | column | values | counted | fast: mean % | largest % | event: mean % | largest % |'
echo '|---|---|---|---|---|---|---|---|'
for table; do
	"$dse" validate -q --no-progress --detail both "$table" |
		awk -v table="$(basename "$table" .csv)" '
			($1 == "column" || $1 == "machine") && $2 == "tier" { inside = any = 1; next }
			inside && NF == 0 { inside = 0 }
			# of a machine parameter its value is a second word
			inside && NF == 7 { $1 = $1 " " $2; for (i = 2; i < 7; i++) $i = $(i + 1) }
			inside && $3 == 0 { next }
			inside && $2 == "fast" { fast[$1] = $5 " | " $6 }
			inside && $2 == "event" {
				printf "| `%s` | `%s` | %s | %s | %s | %s | %s |\n", table, $1, $3, $4, fast[$1], $5, $6
			}
			# FILE, event: 589 values, 589 counted: mean error 0.10 %, largest 3.15 % (...
			!any && / values, .* counted: mean error / {
				gsub(/,/, "")
				error[$2] = $9 " | " $12
				n = $3 " | " $5
			}
			END { if (n && !any) printf "| `%s` | all | %s | %s | %s |\n", table, n, error["fast:"], error["event:"] }'
done
