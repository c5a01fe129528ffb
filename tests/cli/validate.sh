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

# Convolutions of a whole network twice: without the tasks that the source left out, which counts, and all work done.
grep -E '^(operation|CONV),' tests/reference/overall_clocks.csv >"$dir/conv.csv"
expect 0 'convolutions' --max-error 3 "$dir/conv.csv"
has out '1 values, 1 counted' 'convolutions'
grep -Eq '^CONV vgg16_clk, all work +[0-9]+ .*not counted: all work done' "$dir/out" || fail 'convolutions: no entry with all work done'
expect 0 'convolutions as JSON' --json "$dir/conv.csv"
[ "$(grep -c '"operation": "CONV"' "$dir/out")" -eq 2 ] || fail 'convolutions as JSON: not two entries'
has out '"all_work": true' 'convolutions as JSON'

# Errors column by column, where there are several; other rows and columns of the same kinds are as good.
expect 0 'columns' tests/reference/phase_clocks.csv
grep -Eq '^  weight_clk +29 +20 +[0-9.]+ +[0-9.]+$' "$dir/out" || fail 'columns: no line for weight_clk'
expect 0 'columns as JSON' --json tests/reference/phase_clocks.csv
has out '{"column": "migration_clk", "n_values": 29, "n_counted": 20' 'columns as JSON'
printf 'operation,resnet50_clk,vgg16_clk\nFC,66435,3874121\nMAT_ELE,351232,0\nCONV,2894159,4017588\n' >"$dir/two.csv"
expect 0 'two networks' --max-error 0.75 "$dir/two.csv"
has out '6 values, 6 counted' 'two networks'
has out 'CONV resnet50_clk, all work' 'two networks'
printf 'transfer,remark,resnet50_clk,resnet50_share_pct\nweight_migration,x,118196,2.43\n' >"$dir/two.csv"
expect 0 'transfers of another network' --max-error 0.5 "$dir/two.csv"
has out '2 values, 2 counted' 'transfers of another network'
expect 0 'one column' "$dir/conv.csv"
grep -q 'largest_pct' "$dir/out" && fail 'one column: a table of columns'

# Predicted against measured as a picture: a panel for each unit of each table, a mark for each counted value.
expect 0 'picture' --svg "$dir/chart.svg" tests/reference/phase_clocks.csv tests/reference/layer_tasks.csv
[ "$(grep -c '>measured / clk<' "$dir/chart.svg")" -eq 2 ] || fail 'picture: not two panels of clocks'
[ "$(grep -c '>predicted / byte<' "$dir/chart.svg")" -eq 1 ] || fail 'picture: not one panel of bytes'
grep -q '>migration_clk: [0-9.]* % mean<' "$dir/chart.svg" || fail 'picture: no legend'
tail -n 1 "$dir/chart.svg" | grep -q '^</svg>$' || fail 'picture: not complete'
[ "$(grep -c '<path' "$dir/chart.svg")" -gt 200 ] || fail 'picture: too few marks'
expect 5 'picture into a folder that is not there' --svg "$dir/none/chart.svg" "$dir/conv.csv"
[ -s "$dir/out" ] && fail 'picture into a folder that is not there: something on stdout'

# Both tiers: two predictions, two errors, a summary each; the same for any number of threads.
expect 0 'both tiers' --detail both -j1 --svg "$dir/both.svg" tests/reference/hdl_clocks.csv
grep -Eq '^value +fast +event +reference +fast_pct +event_pct$' "$dir/out" || fail 'both tiers: header'
has out 'hdl_clocks.csv, fast: 26 values, 26 counted' 'both tiers'
has out 'hdl_clocks.csv, event: 26 values, 26 counted' 'both tiers'
grep -q '>hdl_clk, event: ' "$dir/both.svg" || fail 'both tiers: picture without the event tier'
cp "$dir/out" "$dir/one_thread"
expect 0 'both tiers, two threads' --detail both -j2 tests/reference/hdl_clocks.csv
cmp "$dir/one_thread" "$dir/out" || fail 'both tiers: the output depends on the threads'
expect 0 'both tiers as JSON' --detail both --json tests/reference/hdl_clocks.csv
has out '"detail": "both"' 'both tiers as JSON'
has out '"event": {"predicted": ' 'both tiers as JSON'
expect 0 'all clock models' --detail all tests/reference/hdl_clocks.csv
has out 'greybox' 'all clock models'
expect 0 'grey-box model' --detail greybox --max-error 20 tests/reference/hdl_clocks.csv
expect 2 'no such tier' --detail evnt tests/reference/hdl_clocks.csv
has err "allowed are fast, event, greybox, both, all; did you mean 'event'" 'no such tier'

# The event tier: tasks within 5 %, in the mean 1 %; layers by strategy and by phase, some of each.
expect 0 'PE tasks, event tier' --detail event --max-error 5 tests/reference/pe_tasks.csv
mean_within 1 'PE tasks, event tier'
grep -E '^(target|chip,(vgg16,CONV_(1|17)|resnet50,CONV_1),)' tests/reference/strategy_clocks.csv >"$dir/some.csv"
expect 0 'strategies, event tier' --detail event --max-error 5 "$dir/some.csv"
mean_within 2 'strategies, event tier'
sed 's/_clk/_was/g; s/total_was/total_clk/' tests/reference/phase_clocks.csv | grep -E '^target|CONV_1,' >"$dir/some.csv"
expect 0 'phases, event tier' --detail event --max-error 5 "$dir/some.csv"
mean_within 2 'phases, event tier'

# settings_within WHAT LIMIT...: of the run before, PARAMETER=VALUE:MEAN:LARGEST for each value of a machine parameter.
settings_within() {
	what=$1
	shift
	for limit; do
		echo "$limit" | tr '=:' '  ' >"$dir/limit"
		awk 'NR == FNR { key = $1; value = $2; mean = $3; largest = $4; next }
			$1 == key && $2 == value { seen = 1; bad = $5 > mean || $6 > largest }
			END { exit !seen || bad }' "$dir/limit" "$dir/out" || {
			fail "$what: $limit"
			grep '^  [a-z.]*_[a-z]* [0-9.]* ' "$dir/out"
		}
	done
}

# Away from the machine that constants were fitted on: how far off each tier is today, which must not grow.
off=tests/reference/off_point
expect 0 'tasks off the point' --max-error 11.5 ${off}_pe_tasks.csv
has out '389 values, 389 counted' 'tasks off the point'
settings_within 'tasks off the point' noc.clk_mhz=1000:0.7:6.9 noc.clk_mhz=300:2.4:10.7 noc.clk_mhz=250:0.8:8.2 \
	noc.clk_mhz=200:2:11.5 noc.clk_mhz=125:1.6:7 noc.router_packet=2:0.6:4.5 noc.router_packet=4:0.6:4.5
expect 0 'layers off the point' --max-error 13.2 ${off}_layers.csv
has out '496 values, 496 counted' 'layers off the point'
settings_within 'layers off the point' noc.clk_mhz=1000:1.3:5.2 noc.clk_mhz=500:1.4:7.1 noc.clk_mhz=300:1.6:11 \
	noc.clk_mhz=250:1.6:10.2 noc.clk_mhz=200:2:13.2 noc.clk_mhz=125:2.1:9 dram.clk_mhz=500:1.9:7.1 \
	dram.clk_mhz=125:1:5.8 noc.router_packet=2:1.4:5.8 noc.router_packet=4:1.3:5.6
expect 0 'small layers' --max-error 15.2 tests/reference/small_layers.csv
mean_within 1.8 'small layers'
expect 0 'filter parts' --max-error 5.9 tests/reference/filter_parts.csv
mean_within 1.3 'filter parts'
expect 0 'tasks off the point, event tier' --detail event --max-error 5.5 ${off}_pe_tasks.csv
settings_within 'tasks off the point, event tier' noc.clk_mhz=1000:0.2:4.7 noc.clk_mhz=300:0.5:4 \
	noc.clk_mhz=250:0.2:4.7 noc.clk_mhz=200:0.4:3.1 noc.clk_mhz=125:0.3:5.5
# every third; tests/cli/uncertainty.sh runs all of them and compares 90th percentiles
awk 'NR % 3 == 1' ${off}_layers.csv >"$dir/some.csv"
expect 0 'layers off the point, event tier' --detail event --max-error 7.1 "$dir/some.csv"
settings_within 'layers off the point, event tier' noc.clk_mhz=1000:0.6:4.5 noc.clk_mhz=500:0.6:5.1 \
	noc.clk_mhz=300:1:6.2 noc.clk_mhz=250:0.6:5.6 noc.clk_mhz=200:0.9:7.1 noc.clk_mhz=125:0.7:5.3
awk 'NR % 3 == 1' tests/reference/small_layers.csv >"$dir/some.csv"
expect 0 'small layers, event tier' --detail event --max-error 6.6 "$dir/some.csv"
mean_within 0.6 'small layers, event tier'
expect 0 'filter parts, event tier' --detail event --max-error 8.5 tests/reference/filter_parts.csv
mean_within 1.5 'filter parts, event tier'
expect 0 'settings as JSON' --json ${off}_pe_tasks.csv
has out '{"parameter": "noc.clk_mhz", "value": "125", "n_values": 62, "n_counted": 62' 'settings as JSON'
has out '"noc.clk_mhz": "1000"' 'settings as JSON'

# A parameter in a column is the same as a machine file that has it, for every kind of table that a machine runs.
# as_file KIND ROWS FILE PARAMETER VALUE [OPTION...]: rows of the reference table KIND that match ROWS.
as_file() {
	kind=$1 rows=$2 machine=$3 parameter=$4 value=$5
	shift 5
	name=${parameter#*.}
	sed "/^${parameter%%.*}:/,/^[a-z]/s/^  $name: [^ ]*/  $name: $value/" "spaces/machines/$machine.yaml" >"$dir/own.yaml"
	cmp -s "$dir/own.yaml" "spaces/machines/$machine.yaml" && fail "$kind: $machine.yaml has no $parameter"
	sed -n "1p; 2,\${/$rows/p;}" "tests/reference/$kind.csv" >"$dir/as_file.csv"
	awk -v head="$parameter" -v cell="$value" '{ print $0 "," (NR == 1 ? head : cell) }' "$dir/as_file.csv" >"$dir/as_column.csv"
	expect 0 "$kind with a machine file" --json --machine "$dir/own.yaml" "$@" "$dir/as_file.csv"
	grep -o '"predicted": [0-9.e+-]*' "$dir/out" >"$dir/by_file"
	expect 0 "$kind with a column" --json "$@" "$dir/as_column.csv"
	grep -o '"predicted": [0-9.e+-]*' "$dir/out" >"$dir/by_column"
	cmp "$dir/by_file" "$dir/by_column" || fail "$kind: column $parameter is not what a machine file with it is"
	expect 0 "$kind as it is" --json "$@" "$dir/as_file.csv"
	grep -o '"predicted": [0-9.e+-]*' "$dir/out" >"$dir/plain"
	cmp -s "$dir/plain" "$dir/by_column" && fail "$kind: column $parameter changes nothing"
	[ "$(wc -l <"$dir/by_column")" -gt 1 ] || fail "$kind: too few values"
}
as_file split_utilisation '^vgg16,chip' thesis_chip pe.sram_byte 131072
as_file strategy_clocks '^chip' thesis_chip noc.clk_mhz 300
as_file strategy_clocks '^qpe,vgg16' thesis_qpe_dram dram.access_clk 3
as_file mac_array_clocks . thesis_chip dram.clk_mhz 400
as_file phase_clocks . thesis_chip noc.hop_clk 9
as_file overall_clocks . thesis_chip arm.quan_pixel_clk 4
as_file overall_transfer_clocks . thesis_chip noc.clk_mhz 250
as_file mac_array_performance '^vgg16' thesis_chip dram.clk_mhz 400
as_file layer_tasks '^chip' thesis_chip noc.clk_mhz 300
as_file layer_tasks '^qpe' thesis_qpe_dram mla.array 8x4
as_file pe_tasks . thesis_qpe_dram mla.init_clk 20
as_file octopus_mlp . final_chip octopus.layer_us 20
as_file octopus_parts . final_chip octopus.worker_gb_s 0.5
as_file pe_tasks '^\(conv\|matmul\)00' thesis_qpe_dram noc.clk_mhz 200 --detail event
as_file layer_tasks '^qpe,fc_512' thesis_qpe_dram dram.clk_mhz 150 --detail event
# Grey-box constants are of one machine: with another NoC they do not count.
expect 0 'grey-box model off the point' --detail greybox ${off}_pe_tasks.csv
has out '389 values, none counted' 'grey-box model off the point'
sed '1s/noc.clk_mhz/noc.clk/' ${off}_pe_tasks.csv >"$dir/misspelt.csv"
expect 3 'no such parameter' "$dir/misspelt.csv"
has err "misspelt.csv:1:90: no machine parameter is called 'noc.clk'; did you mean 'noc.clk_mhz'?" 'no such parameter'
sed '3s/,1000,1$/,1000,65/' ${off}_pe_tasks.csv >"$dir/range.csv"
expect 3 'parameter out of range' "$dir/range.csv"
has err 'range.csv:3:' 'parameter out of range'
has err "noc.router_packet: found '65', allowed a whole number 1..64 (packets)" 'parameter out of range'
has out '389 values, 388 counted' 'parameter out of range'

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

# Mistakes of a table: exit 3, with their places; the rows are listed without a prediction, the others come out.
cat >"$dir/bad.csv" <<'END'
network,operation,array,total_clk
vgg16,CONV_3,16x4,1
vgg61,CONV_1,16x4,1
vgg16,CONV_1,17,1
vgg16,CONV_1,16x4,many
vgg16,CONV_1,16x2,124267
END
expect 3 'mistakes' "$dir/bad.csv"
has err "bad.csv:2:7: vgg16 has no core operation 'CONV_3'" 'mistakes'
has err "bad.csv:3:1: network 'vgg61'" 'mistakes'
has err "bad.csv:4:14: " 'mistakes'
has err "bad.csv:5:19: total_clk is 'many'" 'mistakes'
has out '4 values, 1 counted: mean error' 'mistakes'
has out '; 3 not predicted' 'mistakes'
cp "$dir/err" "$dir/mistakes"
expect 3 'mistakes in the event tier' --detail event "$dir/bad.csv"
cmp "$dir/mistakes" "$dir/err" || fail 'mistakes in the event tier: other messages'
expect 3 'mistakes in both tiers' --detail both "$dir/bad.csv"
cmp "$dir/mistakes" "$dir/err" || fail 'mistakes in both tiers: other messages'
expect 3 'mistakes as JSON' --json --max-error 15 "$dir/bad.csv"
none='"predicted": null, "reference": 1.0, "error_pct": null, "counted": false, "note": "not predicted'
[ "$(grep -c "$none" "$dir/out")" -eq 3 ] || fail 'mistakes as JSON: not three rows without a prediction'
has out '"n_counted": 1' 'mistakes as JSON'
tail -n 1 "$dir/out" | grep -q '^}$' || fail 'mistakes as JSON: not complete'
cat >"$dir/classes.csv" <<'END'
network,target,operation,partial_operation,pieces,ifmap_valid_byte
resnet50,chip,CONV_SC_14,CONVSUTL_SC_14,896,28672
resnet50,chip,CONV_SC_14,CONVSCSUTL_14,896,28672
vgg16,qpe,CONV_1,unknown,112,14916
vgg16,qpe,CONV_1,unknown,,14916
END
expect 3 'classes of tasks' "$dir/classes.csv"
has out 'counted: all exact; 2 not predicted' 'classes of tasks'
has err 'classes.csv:5:18: ' 'classes of tasks'

# Every cell of a value column is an entry, also one without a reference; a reference of 0 keeps the sums finite.
printf 'network,operation,array,total_clk,computation_clk\nvgg16,CONV_1,16x4,,0\nvgg16,CONV_1,16x2,124267,\n' \
	>"$dir/empty.csv"
expect 6 'empty cells' --json --max-error 50 "$dir/empty.csv"
none='"reference": null, "error_pct": null, "counted": false, "note": "no reference value"'
[ "$(grep -c "\"predicted\": [0-9][0-9.]*, $none" "$dir/out")" -eq 2 ] || fail 'empty cells: not two entries without a reference'
grep -q '"reference": 0.0, "error_pct": null, "counted": true, "note": "the reference is 0' "$dir/out" ||
	fail 'empty cells: no entry with the reference 0'
grep -q '"max_abs_error_pct": [0-9]' "$dir/out" || fail 'empty cells: the largest error is no number'
has err 'empty.csv:2: vgg16 CONV_1 16x4 computation_clk: fails --max-error' 'empty cells'
expect 0 'empty cells without a limit' "$dir/empty.csv"
has out '2 values, 2 counted: mean error' 'empty cells without a limit'

# A table of which nothing counts has shown nothing.
head -n 1 tests/reference/strategy_clocks.csv >"$dir/bare.csv"
expect 6 'no rows' --max-error 50 "$dir/bare.csv"
has err 'bare.csv: fails --max-error 50: no value of it counts' 'no rows'
expect 0 'no rows, no limit' "$dir/bare.csv"

# Runs published twice: the nearer counts.
expect 0 'two runs' tests/reference/phase_clocks.csv
has out 'another row with the same key' 'two runs'
has out '100 counted' 'two runs'

# A network beside the table, by cell and by column.
mkdir "$dir/mine"
cp spaces/networks/vgg16.yaml "$dir/mine/mynet.yaml"
printf 'operation,mynet_clk\nPADD,340608\n' >"$dir/mine/overall.csv"
expect 0 'network beside the table' "$dir/mine/overall.csv"
has out 'PADD mynet_clk' 'network beside the table'
has out 'split not given by the source' 'network beside the table'
printf 'network,operation,array,total_clk\nmynet,CONV_1,16x4,1\n' >"$dir/mine/array.csv"
expect 0 'network cell beside the table' "$dir/mine/array.csv"
cp "$dir/mine/overall.csv" "$dir/elsewhere.csv"
expect 3 'network beside another table' "$dir/mine/overall.csv" "$dir/elsewhere.csv"
has err "elsewhere.csv:1:11: network 'mynet'" 'network beside another table'

# A machine that no row is about is a mistake of the command line.
expect 2 'machine of another target' --machine thesis_qpe_dram tests/reference/overall_clocks.csv
has err 'its target is qpe' 'machine of another target'
[ -s "$dir/out" ] && fail 'machine of another target: something on stdout'
expect 0 'machine of one of two tables' --machine thesis_qpe_dram tests/reference/overall_clocks.csv \
	tests/reference/strategy_clocks.csv
printf 'a,b\n1,2\n' >"$dir/unknown.csv"
expect 3 'unknown kind' "$dir/unknown.csv"
# What a replay would take hours or gigabytes for is refused.
{
	head -n 1 tests/reference/scalesim_reference.csv
	echo 'CALC,8,8,os,1,1,1,,vast,layer,16384,16384,1,1,1,4,1,1,0,1,1,1,1,1,1'
} >"$dir/vast.csv"
expect 3 'a layer too large to replay' "$dir/vast.csv"
has err 'vast.csv:2:31: a layer too large to replay' 'a layer too large to replay'
# A row that the paper's table does not have.
printf 'layer,clk_mhz\n1,500\n28,500\n' >"$dir/arada.csv"
expect 3 'a row that table 1 has not' "$dir/arada.csv"
has err 'arada.csv:3:1:' 'a row that table 1 has not'
expect 5 'no such file' "$dir/none.csv"
expect 2 'no file'

[ "$n_failed" -eq 0 ]
