#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Machines of one's own: dse init machine writes what reads as the machine that it is like; dse explain tells its rates,
# its defaults and what is known of its numbers; dse simulate names a default that decides most of a result.
. tests/cli/common

# ---- init ----
for machine in spaces/machines/*; do
	case $machine in *.md) continue ;; esac
	like=$(basename "$machine" | sed 's/\.[a-z]*$//')
	if grep -q '^technology:' "$machine" && ! grep -q '^  energy: as_given' "$machine"; then
		expect_code 2 "$DSE" init machine -q "$work/$like" --like "$machine" # its coefficients follow from sizes
		continue
	fi
	expect_code 0 "$DSE" init machine -q "$work/$like" --like "$machine"
	expect_empty "$work/out"
	expect_code 0 "$DSE" check "$work/$like.yaml"
	expect_code 0 "$DSE" simulate "$machine" tiny --json
	sed 's/"machine": "[^"]*"/"machine": ""/; /hints/d' "$work/out" >"$work/shipped"
	expect_code 0 "$DSE" simulate "$work/$like.yaml" tiny --json
	sed 's/"machine": "[^"]*"/"machine": ""/; /hints/d' "$work/out" >"$work/own"
	expect_same "$work/shipped" "$work/own"
done
# Values that are commented out are the defaults: with all of them nothing changes.
sed '1,2d; s/^# \([a-z]*: #\)/\1/; s/^# \([a-z_0-9]*: [^#]\)/  \1/' "$work/dvfs_chip.yaml" >"$work/all.yaml"
expect_code 0 "$DSE" simulate "$work/all.yaml" tiny --json
sed 's/"machine": "[^"]*"/"machine": ""/; /hints/d' "$work/out" >"$work/own"
expect_code 0 "$DSE" simulate dvfs_chip tiny --json
sed 's/"machine": "[^"]*"/"machine": ""/; /hints/d' "$work/out" >"$work/shipped"
# but for what is said of their sources, and of the run-time scheduler, which a machine has that gives its section
for file in own shipped; do sed '/"coefficients"/,$d; /run_time/d' "$work/$file" >"$work/$file.figures"; done
expect_same "$work/shipped.figures" "$work/own.figures"
expect_code 0 "$DSE" explain "$work/all.yaml" -o "$work/words"
expect_text "$work/words" " are given, 0 are defaults"

# By default it is like dvfs_chip; the commands that it says come next do work; a file that is there stays.
expect_code 0 "$DSE" init machine "$work/mine"
sed -n 's/^  dse \([^#]*[^# ]\) *#.*/\1/p' "$work/out" >"$work/next"
[ "$(wc -l <"$work/next")" -eq 3 ] || fail "not three commands that come next"
while read -r words; do
	# shellcheck disable=SC2086
	expect_code 0 "$DSE" $words
done <"$work/next"
expect_code 5 "$DSE" init machine "$work/mine"
expect_code 2 "$DSE" init machine
expect_code 2 "$DSE" init space --like dvfs_chip
expect_code 2 "$DSE" init one two
expect_code 5 "$DSE" init machine "$work/other" --like no_such_machine
[ ! -e "$work/other.yaml" ] || fail "a machine like none"

# ---- explain: rates are those that dse roofline draws, and dse power sleeps with ----
words() { "$DSE" explain "$@" | tr -s ' \n' ' '; }
words dvfs_chip >"$work/words"
expect_code 0 "$DSE" roofline dvfs_chip tiny -q
roofs=$(sed -n 's/.*PL1.*roofs \([0-9.]*\) GOPS and \([0-9.]*\) GB.s, .*ridge at \([0-9.]*\) op.*/\1 \2 \3/p' "$work/out")
[ -n "$roofs" ] || fail "no roofs"
set -- $roofs
expect_text "$work/words" "PL1, 0.5 V and 320 MHz: $1 GOPS at most; layers with less than $3 operations a DRAM byte"
expect_text "$work/words" "$2 GB/s in all"
expect_text "$work/words" "152 PEs, 4 in each QPE"
expect_text "$work/words" "derived: PL1.mla_clk_pj 8.5 pJ"
expect_text "$work/words" "assumed: PL2.pe_static_mw 1.5 mW"
! grep -q ' pe.sram_byte: 98304' "$work/words" || fail "what the file gives is called a default"
expect_text "$work/words" "arm.softmax_pixel_clk: 18.5 ARM clocks"
expect_code 0 "$DSE" explain dvfs_chip --json
expect_text "$work/out" '"title": "Rates"'
words edge_tpu >"$work/words"
expect_text "$work/words" "one systolic array of 64 rows and 64 columns: 4096 MAC units"
words spaces/machines/scalesim_64x64.cfg >"$work/words"
expect_text "$work/words" "target systolic"
words dvfs_chip --set chip.n_dram=1 >"$work/words"
expect_text "$work/words" "DRAM: 1 interfaces, each 16 bytes in 2 clocks of 400 MHz: 3.2 GB/s in all"

# ---- hints ----
cat >"$work/six.yaml" <<'END'
name: six
target: chip
mla: {array: 16x4}
levels:
  - {name: L, vdd_v: 0.5, clk_mhz: 250}
END
expect_code 0 "$DSE" simulate "$work/six.yaml" resnet50
share=$(sed -n 's/^  look here first: \([0-9]*\) % of the clocks are post-processing (ReLU and quantisation) on the ARM core, by the default mla.postprocess false; mla.postprocess: true has it.*/\1/p' "$work/out")
[ -n "$share" ] || fail "nothing is said of the ARM cores"
expect_code 0 "$DSE" simulate "$work/six.yaml" resnet50 --json
# the share is that of the clocks that the same command prints
awk -v said="$share" '{ while (match($0, /"(acti|quan)": \{"clk": [0-9]+/)) { text = substr($0, RSTART, RLENGTH); sub(/.*: /, "", text); arm += text; $0 = substr($0, RSTART + RLENGTH) }
	if (match($0, /"total_clk": [0-9]+/)) total = substr($0, RSTART + 13, RLENGTH - 13) }
	END { pct = 100 * arm / total; exit !(pct > 15 && said - pct <= 0.5 && pct - said <= 0.5) }' "$work/out" ||
	fail "$share % is not the share of ReLU and quantisation"
expect_text "$work/out" '"hints"'
# said once it is decided, nothing is said: in the file, or on the command line
for machine in six set; do
	case $machine in
	six) sed -i 's/{array: 16x4}/{array: 16x4, postprocess: false}/' "$work/six.yaml" && set -- ;;
	set) sed -i 's/, postprocess: false//' "$work/six.yaml" && set -- --set mla.postprocess=false ;;
	esac
	expect_code 0 "$DSE" simulate "$work/six.yaml" resnet50 "$@"
	! grep -q 'mla.postprocess' "$work/out" || fail "a hint at what was said"
done
expect_code 0 "$DSE" simulate dvfs_chip vgg16
! grep -q 'look here first' "$work/out" || fail "a hint at a shipped machine, which says all that matters"
sed -i 's/, postprocess: false//' "$work/six.yaml"
expect_code 0 "$DSE" simulate "$work/six.yaml" mobilenet_v2
expect_text "$work/out" "look here first: 55 % of the clocks are post-processing" # as spaces/machines/README.md has it

# Eight operating points at two power lanes: the message names the key to be set, and with it they are taken.
awk 'BEGIN { print "name: eight\ntarget: chip\nmla: {array: 16x4}\nlevels:"; for (i = 0; i < 8; i++) printf "  - {name: L%d, vdd_v: %.2f, clk_mhz: %d}\n", i, 0.5 + 0.05 * i, 200 + 20 * i }' >"$work/eight.yaml"
printf 'name: levels\nmachine: eight.yaml\nnetwork: tiny\nobjectives: [latency_ms]\n' >"$work/levels.yaml"
expect_code 3 "$DSE" check "$work/levels.yaml"
expect_text "$work/err" "dvfs: {n_lane: 8}"
echo 'dvfs: {n_lane: 8}' >>"$work/eight.yaml"
expect_code 0 "$DSE" check -q "$work/levels.yaml"
# Nothing stands twice in what is offered.
for what in machines networks; do
	expect_code 0 "$DSE" completion $what
	[ -z "$(sort "$work/out" | uniq -d)" ] || fail "$what that stand twice"
done
