#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# results/STUDIES.md's table of arrays and SRAM for MobileNetV2: a machine of it anew.
#   readme_sizes.sh --all    the whole study, and that no other machine is on its front (minutes of processor time)
. tests/cli/common
space=spaces/sizes_22nm_mobilenet_v2.yaml
sed -n '/^## MobileNetV2 on the same machines/,/^## Sizing/p' results/STUDIES.md | grep -E '^\| [0-9]+x[0-9]+ \|' | sort >"$work/table"
[ "$(wc -l <"$work/table")" -ge 3 ] || fail "results/STUDIES.md has lost its table"
if [ "${1:-}" = --all ]; then
	cp "$space" "$work/space.yaml"
	cp "$work/table" "$work/wanted"
else
	sed 's/mla.array: \[[^]]*\]/mla.array: [8x2]/; s/pe.sram_byte: \[[^]]*\]/pe.sram_byte: [32768]/' "$space" >"$work/space.yaml"
	grep '^| 8x2 | 64 |' "$work/table" >"$work/wanted" || fail "no row of 8x2"
fi
expect_code 0 "$DSE" explore "$work/space.yaml" --detail fast -q -o "$work/results"
awk -F, 'NR > 1 {
	machine = sprintf("| %s | %d | %.2f |", $6, $7 / 1024 + 32, $4)
	if (!(machine in latency) || $2 < latency[machine]) latency[machine] = $2
	if (!(machine in energy) || $3 < energy[machine]) energy[machine] = $3
} END { for (machine in latency) printf "%s %.3f | %.3f |\n", machine, latency[machine], energy[machine] }' \
	"$work"/results/sizes_22nm_mobilenet_v2-*/front.csv | sort >"$work/found"
diff "$work/wanted" "$work/found" >&2 || fail "results/STUDIES.md: another table"
