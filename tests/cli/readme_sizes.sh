#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# results/STUDIES.md's tables of arrays and their memories: a machine of each anew.
#   readme_sizes.sh --all    the whole studies, and that no other machine is on their fronts (minutes of processor time)
. tests/cli/common
all=false
[ "${1:-}" != --all ] || all=true

# study SPACE HEADING PATTERN MACHINE SED N [OPTION...]: the rows, N at least, under HEADING that match PATTERN are the front of SPACE; MACHINE begins the
# row of the least machine, whose points no other machine beats, and SED leaves no machine but that one.
study() {
	name=$1
	heading=$2 pattern=$3 machine=$4 leave=$5 n=$6
	shift 6
	awk -v heading="$heading" '/^## / { on = index($0, heading) == 1 } on' results/STUDIES.md | grep -E "$pattern" |
		sed 's/ (as built)//' | sort >"$work/table"
	[ "$(wc -l <"$work/table")" -ge "$n" ] || fail "results/STUDIES.md has lost its table of $name"
	if $all; then
		cp "spaces/$name.yaml" "$work/space.yaml"
		cp "$work/table" "$work/wanted"
	else
		sed "$leave" "spaces/$name.yaml" >"$work/space.yaml"
		grep -F "$machine" "$work/table" >"$work/wanted" || fail "$name: no row of $machine"
	fi
	expect_code 0 "$DSE" explore "$work/space.yaml" --detail fast "$@" -q -o "$work/results"
}

# least FORMAT COLUMN_A COLUMN_B: of each machine of the run its least latency and energy.
least() {
	awk -F, -v format="$1" 'NR > 1 {
		machine = '"$2"'
		if (!(machine in latency) || $2 < latency[machine]) latency[machine] = $2
		if (!(machine in energy) || $3 < energy[machine]) energy[machine] = $3
	} END { for (machine in latency) printf "%s " format "\n", machine, latency[machine], energy[machine] }' \
		"$work/results/$name"-*/front.csv | sort >"$work/found"
}

# Samples of coefficients search all machines, which takes less than bounds of MobileNetV2's.
for one in sizes_22nm_mobilenet_v2:3:'## MobileNetV2 on the same' sizes_22nm:9:'## Array and SRAM'; do
	samples=
	if $all && [ "${one%%:*}" = sizes_22nm_mobilenet_v2 ]; then
		samples='--coefficient-samples 1000'
	fi
	# shellcheck disable=SC2086 # none, or two words
	study "${one%%:*}" "${one##*:}" '^\| [0-9]+x[0-9]+ (\(as built\) )?\|' '| 8x2 | 64 |' \
		's/mla.array: \[[^]]*\]/mla.array: [8x2]/; s/pe.sram_byte: \[[^]]*\]/pe.sram_byte: [32768]/' "$(echo "$one" | cut -d: -f 2)" $samples
	least '%.3f | %.3f |' 'sprintf("| %s | %d | %.2f |", $6, $7 / 1024 + 32, $4)'
	diff "$work/wanted" "$work/found" >&2 || fail "results/STUDIES.md: another table of $name"
done

# Of systolic arrays the table has those with equal buffers; all are fed by the faster memory and choose their dataflow.
study tpu_sizing '## Sizing' '^\| [0-9]+x[0-9]+ \| [0-9]+ KiB' '| 16x16 | 64 KiB, 64 KiB |' \
	's/systolic.array: \[[^]]*\]/systolic.array: [16x16]/; s/\(systolic.[if][a-z]*_byte\): {[^}]*}/\1: [65536]/' 5
least '%.2f | %.2f |' 'sprintf("| %s | %d KiB, %d KiB | %.1f |", $6, $8 / 1024, $9 / 1024, $4)'
awk -F, 'NR > 1 && ($7 != "any" || $11 != 25.6 || $6 == "128x128")' "$work/results"/tpu_sizing-*/front.csv >"$work/other"
expect_empty "$work/other"
while read -r row; do
	expect_text "$work/found" "$row"
done <"$work/wanted"
