#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# dse validate on the published tables: within the limits they were found to
# allow, and exit codes that a gate can rely on. DSE names the program; runs in
# the repository root.
set -u
: "${DSE:?the program to test}"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n_failed=0

fail() {
	echo "FAILED: $*"
	n_failed=$((n_failed + 1))
}

# expect CODE WHAT ARGUMENT...: run, keep both streams in $dir/out and $dir/err.
expect() {
	code=$1
	what=$2
	shift 2
	"$DSE" validate "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	if [ "$got" -ne "$code" ]; then
		fail "$what: exit $got instead of $code"
		tail -n 5 "$dir/out" "$dir/err"
	fi
}

# has STREAM TEXT WHAT
has() {
	grep -qF -- "$2" "$dir/$1" || {
		fail "$3: no '$2' in std$1"
		cat "$dir/$1"
	}
}

# mean_within PCT WHAT: the mean error of the run before.
mean_within() {
	awk -v limit="$1" '
		/counted: mean error / { seen = 1; sub(/.*mean error /, ""); if ($1 + 0 > limit) exit 1 }
		END { exit !seen }' "$dir/out" || fail "$2: mean error over $1 %"
}

# Bytes and utilisations come out to the last digit.
expect 0 'split utilisation' --max-error 0 tests/reference/split_utilisation.csv

# Clocks: every counted value within 15 %, the mean of each table within 7 %.
for kind in strategy_clocks mac_array_clocks phase_clocks overall_clocks; do
	expect 0 "$kind" --max-error 15 "tests/reference/$kind.csv"
	mean_within 7 "$kind"
done

# Single MLA tasks; the same on the HDL prototype, whose figures no constant was fitted to, and on the simulator.
expect 0 'PE tasks' --max-error 10 tests/reference/pe_tasks.csv
mean_within 2 'PE tasks'
has out '589 counted' 'PE tasks'
sed 's/^\(.*\),hdl_clk,thesis_sim_clk,/\1,hdl_clk,was,/' tests/reference/hdl_clocks.csv >"$dir/hdl.csv"
sed 's/^\(.*\),hdl_clk,thesis_sim_clk,/\1,was,thesis_sim_clk,/' tests/reference/hdl_clocks.csv >"$dir/sim.csv"
expect 0 'HDL clocks' --max-error 7.2 "$dir/hdl.csv"
mean_within 4.5 'HDL clocks'
has out '13 counted' 'HDL clocks'
expect 0 'HDL tasks on the simulator' --max-error 1 "$dir/sim.csv"
has out '13 counted' 'HDL tasks on the simulator'

# Layers of their own: clocks within 10 %, in the mean 4 %; DRAM bytes within 1 %.
sed 's/dram_\(read\|write\)_byte/\1/g' tests/reference/layer_tasks.csv >"$dir/layer_clk.csv"
expect 0 'layer tasks, clocks' --max-error 10 "$dir/layer_clk.csv"
mean_within 4 'layer tasks, clocks'
sed 's/_clk/_was/g' tests/reference/layer_tasks.csv >"$dir/layer_byte.csv"
expect 0 'layer tasks, DRAM bytes' --max-error 1 "$dir/layer_byte.csv"
has out '52 counted' 'layer tasks, DRAM bytes'

# Performance by array, and transfers of whole networks.
expect 0 'performance' --max-error 5 tests/reference/mac_array_performance.csv
has out '16 counted' 'performance'
expect 0 'transfers' --max-error 10 tests/reference/overall_transfer_clocks.csv
has out '6 counted' 'transfers'

# A column of an array or network of one's own is predicted, too.
printf 'network,operation,gops_32x8\nresnet50,CONV_12,1000\n' >"$dir/own.csv"
expect 0 'array of one'"'"'s own' "$dir/own.csv"
has out 'resnet50 CONV_12 gops_32x8' 'array of one'"'"'s own'
printf 'transfer,resnet50_clk\ninput,400000\n' >"$dir/own.csv"
expect 0 'network of one'"'"'s own' "$dir/own.csv"
has out 'input resnet50_clk' 'network of one'"'"'s own'

# ARM operations of a whole network come out exactly.
grep -E '^(operation|PADD|MAT_ELE|ACTI|QUAN|POOL),' tests/reference/overall_clocks.csv >"$dir/arm.csv"
expect 0 'ARM operations' --max-error 0 "$dir/arm.csv"
has out '5 counted' 'ARM operations'

# A wrong reference is found: exit 6, and the line is named.
sed 's/^PADD,\(.*\),340608/PADD,\1,340609/' "$dir/arm.csv" >"$dir/planted.csv"
expect 6 'planted mistake' --max-error 0 "$dir/planted.csv"
has err 'planted.csv:2: PADD vgg16_clk' 'planted mistake'
expect 0 'without a limit' "$dir/planted.csv"
expect 6 'one wrong file of two' --max-error 0 "$dir/arm.csv" "$dir/planted.csv"

# The result as JSON, also to a file.
expect 0 'JSON' --json "$dir/planted.csv"
has out '"kind": "overall_clocks"' 'JSON'
has out '"reference": 340609' 'JSON'
has out '"max_abs_error_pct"' 'JSON'
expect 0 'to a file' --json -o "$dir/result.json" "$dir/planted.csv"
cp "$dir/result.json" "$dir/out"
has out '"column": "vgg16_clk"' 'to a file'

# Mistakes of a table: exit 3, with their places, and nothing on stdout.
cat >"$dir/bad.csv" <<'END'
network,operation,array,total_clk
vgg16,CONV_3,16x4,1
vgg61,CONV_1,16x4,1
vgg16,CONV_1,17,1
vgg16,CONV_1,16x4,many
END
expect 3 'mistakes' "$dir/bad.csv"
has err "bad.csv:2:7: vgg16 has no core operation 'CONV_3'" 'mistakes'
has err "bad.csv:3:1: network 'vgg61'" 'mistakes'
has err "bad.csv:4:14: " 'mistakes'
has err "bad.csv:5:19: total_clk is 'many'" 'mistakes'
[ -s "$dir/out" ] && fail 'mistakes: something on stdout'
printf 'a,b\n1,2\n' >"$dir/unknown.csv"
expect 3 'unknown kind' "$dir/unknown.csv"
expect 5 'no such file' "$dir/none.csv"
expect 2 'no file'

[ "$n_failed" -eq 0 ]
