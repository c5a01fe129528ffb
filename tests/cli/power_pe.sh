#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse power --domain: levels by chip, QPE and PE; the DVFS paper's limited power and savings at no loss of time.
. tests/cli/common

# A value of a schedule in the JSON on $work/out.
of_schedule() {
	sed -n "/\"$1\": {/,/}/p" "$work/out" | sed -n "s/.*\"$2\": \([-0-9.e]*\).*/\1/p"
}

# 1500 mW on VGG-16's convolutions: each domain is a part of the next one; the chip-wide row is what --domain chip finds.
before=9999
for domain in chip qpe pe; do
	expect_code 0 "$DSE" power dvfs_chip vgg16 --layers '^CONV_' --tasks --per-loop --budget-mw 1500 --domain $domain --json \
		-o "$work/$domain"
	time_ms=$(of_schedule best time_ms)
	expect_text "$work/out" "\"domain\": \"$domain\""
	awk -v a="$time_ms" -v b="$before" 'BEGIN { exit !(a <= b) }' || fail "$domain: $time_ms ms, before $before"
	awk -v mw="$(of_schedule best peak_power_mw)" 'BEGIN { exit !(mw <= 1500 && mw > 0) }' || fail "$domain: peak"
	[ $domain = chip ] && chip=$time_ms
	[ $domain = chip ] || [ "$(of_schedule chip_wide time_ms)" = "$chip" ] || fail "$domain: chip-wide is not chip"
	before=$time_ms
done
awk -v a="$before" -v b="$chip" 'BEGIN { exit !(a < 5.93 && b > 6.9) }' || fail "1500 mW: $before and $chip ms"
[ -s "$work/pe/power.svg" ] || fail "no picture"
head -n 1 "$work/pe/schedule.csv" | grep -q ',level_by_pe,node,operator,' || fail "schedule.csv by PE"
head -n 1 "$work/chip/schedule.csv" | grep -q ',peak_power_mw,node,operator,split_w,' || fail "schedule.csv by chip"

# At no loss of time: 56 PEs have 4 tasks of 512, 96 have 3, which take no longer at PL1.
expect_code 0 "$DSE" power dvfs_chip vgg16 --layers '^CONV_11$' --tasks --budget-frac 0 --no-sleep --domain pe
grep -Eq '^best \(exact\) +yes .* 9\.60 ' "$work/out" || fail "9.60 % saved at no loss of time"
grep -Eq '^chip-wide +yes .* 0\.00 ' "$work/out" || fail "nothing saved chip-wide"
expect_text "$work/out" "56x4 PL2, 96x3 PL1"
expect_text "$work/out" "1 pieces replayed PE by PE"

# Reuse, whose tasks have their PEs: where more may differ nothing is worse, and what is saved at no loss of time stays as measured.
before=9999
for domain in chip qpe pe; do
	expect_code 0 "$DSE" power dvfs_chip mobilenet_v2 --per-loop --budget-frac 0 --no-sleep --domain $domain --json
	energy_mj=$(of_schedule best energy_mj)
	awk -v a="$energy_mj" -v b="$before" 'BEGIN { exit !(a <= b * (1 + 1e-7)) }' || fail "$domain: $energy_mj mJ, before $before"
	before=$energy_mj
done
expect_code 0 "$DSE" power dvfs_chip vgg16 --budget-frac 0 --no-sleep --domain pe
grep -Eq '^best \(exact\) +yes .* 5\.75 ' "$work/out" || fail "VGG-16 with reuse: 5.75 % by PE"
grep -Eq '^chip-wide +yes .* 5\.36 ' "$work/out" || fail "VGG-16 with reuse: 5.36 % chip-wide"

# Whole layers, whose loops have their PEs; the machine's own domain; a peak that only fewer PEs keep.
expect_code 0 "$DSE" power dvfs_chip vgg16 --budget-frac 0.3 --domain pe --front -q
mkdir "$work/machines"
sed 's/^  n_lane: 2/  n_lane: 2\n  domain: qpe/' spaces/machines/dvfs_chip.yaml >"$work/machines/dvfs_chip.yaml"
expect_code 0 "$DSE" power "$work/machines/dvfs_chip.yaml" tiny --tasks --scenario speed
expect_text "$work/out" "levels by QPE"
expect_code 0 "$DSE" power dvfs_chip tiny --tasks --budget-mw 400 --domain pe
expect_code 4 "$DSE" power dvfs_chip tiny --tasks --budget-mw 400
expect_code 4 "$DSE" power dvfs_chip tiny --tasks --budget-mw 100 --domain pe
expect_text "$work/err" "the flattest schedule has"

# The paper's scenarios by domain: nothing is worse where more may differ, and each keeps its budget.
expect_code 0 "$DSE" power dvfs_chip vgg16 --layers '^CONV_(4|8|12)$' --tasks --domain pe --budget-frac 0.6 --budget-mw 1500 \
	--no-sleep --analyse domains -q -o "$work/domains"
[ "$(wc -l <"$work/domains/analysis.csv")" -eq 16 ] || fail "five scenarios, three domains"
awk -F, 'NR > 1 { key = $1; sub(/ by .*/, "", key); n[key]++; time = $2; energy = $3
	if (key ~ /limited (power|both)/ && $4 != "" && $4 > 1500) { print "peak " $0; bad = 1 }
	if (n[key] > 1 && key ~ /speed|power/ && time > before * (1 + 1e-7)) { print "time " $0; bad = 1 }
	if (n[key] > 1 && key ~ /energy|limited time/ && energy > before_pj * (1 + 1e-6)) { print "energy " $0; bad = 1 }
	before = time; before_pj = energy }
	END { exit bad }' "$work/domains/analysis.csv" || fail "domains"

# Mistakes.
expect_code 2 "$DSE" power dvfs_chip tiny --tasks --domain pe --analyse sensitivity
expect_text "$work/err" "--domain chip"
expect_code 2 "$DSE" power dvfs_chip tiny --tasks --domain core
expect_text "$work/err" "core"
expect_code 2 "$DSE" power dvfs_chip tiny --search --domain pe
expect_text "$work/err" "--point FRONT.json:ID"
expect_code 2 "$DSE" power dvfs_chip tiny --tasks --ratio 0.9 --domain pe
