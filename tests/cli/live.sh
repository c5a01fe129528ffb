#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The live picture of a search on a terminal: drawn, over what was drawn, gone at the end; and nothing of it elsewhere.
. tests/cli/common

if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	echo "SKIPPED: no script (util-linux) here to make a terminal"
	exit 0
fi
escape=$(printf '\033')
search="spaces/mla_sizing.yaml --engine nsga2 --flat -j 1"
unset NO_COLOR CLICOLOR_FORCE LC_ALL LC_CTYPE
LANG=C.UTF-8
TERM=xterm
export LANG TERM

# terminal SCRIPT: run it on a terminal of 80 columns and 24 rows, which it shares with this shell's functions. What
# is written there comes to $work/screen.
terminal() {
	: >"$work/screen"
	{
		sed -n '/^await() /,/^}/p' "$0"
		echo "work='$work'; DSE='$DSE'; stty cols 80 rows 24; stty -g >'$work/before'"
		cat
		echo "stty -g >'$work/after'"
	} >"$work/session"
	script -qefc "sh '$work/session'" "$work/screen" </dev/null >"$work/out" || fail "the session ended with $?"
	expect_same "$work/before" "$work/after"
}

# await TEXT: until it is on the screen.
await() {
	tries=0
	until grep -aqF -- "$1" "$work/screen"; do
		tries=$((tries + 1))
		[ "$tries" -lt 1200 ] || {
			echo "no '$1' on the screen"
			exit 1
		}
		sleep 0.05
	done
}

# A picture in colours; in a narrow window a line; stopped, nothing of either is left above the table.
terminal <<END
"\$DSE" explore $search --detail fast -o "$work/killed" &
await 'latency_ms'
stty cols 40
await '? left  searching'
kill -TERM \$!
code=0
wait \$! || code=\$?
[ "\$code" -eq 130 ] || { echo "exit \$code"; exit 1; }
END
expect_text "$work/screen" "${escape}[2m│"
expect_text "$work/screen" "${escape}[1mlatency_ms${escape}[0m"
expect_text "$work/screen" "mla_sizing, nsga2"
expect_text "$work/screen" "front so far: "
expect_text "$work/screen" " designs · hypervolume "
expect_text "$work/screen" " evaluations"
# what comes last is taken away, and the message follows in its colour
grep -a -A 1 "${escape}\[J" "$work/screen" | tail -n 2 | grep -aq "so far\|interrupted" ||
	fail "something is drawn after the end"
expect_text "$work/screen" "${escape}[33minterrupted:"
for code in '?25l' '?1049h' '?7l' '[s' '7'; do
	! grep -aqF -- "$escape[$code" "$work/screen" || fail "the terminal's state is changed: $code"
done

# Without colours and without UTF-8.
terminal <<END
NO_COLOR=1 LC_ALL=C "\$DSE" explore $search --detail fast -o "$work/plain" --live mac_units,energy_mj &
await '/s'
kill -INT \$!
wait \$! || [ \$? -eq 130 ]
END
! grep -aq "$escape\[[0-9;]*m" "$work/screen" || fail "colours in spite of NO_COLOR"
! LC_ALL=C grep -aq "$(printf '[\200-\377]')" "$work/screen" || fail "letters that are not ASCII"
expect_text "$work/screen" "mac_units"
expect_text "$work/screen" "latency_ms "

# The same search with a picture, and without one: by TERM, -q, and because stderr is no terminal.
fixed="$search --max-evaluations 600"
terminal <<END
"\$DSE" explore $fixed --detail fast -o "$work/drawn"
END
expect_text "$work/screen" "front so far: "
terminal <<END
TERM=dumb "\$DSE" explore $fixed --detail fast -o "$work/dumb"
END
! grep -aq "$escape" "$work/screen" || fail "escape sequences on a dumb terminal"
terminal <<END
"\$DSE" explore $fixed --detail fast -o "$work/quiet" -q
"\$DSE" explore $fixed --detail fast -o "$work/file" 2>"$work/err"
END
! grep -aq "$escape\[[0-9]*[AJK]" "$work/screen" || fail "a picture with -q, or where stderr is no terminal"
expect_empty "$work/err"
for name in dumb quiet file; do
	for file in front.csv front.json front.svg; do
		cmp "$work/drawn"/*/"$file" "$work/$name"/*/"$file" || fail "the picture changes $file"
	done
done

expect_code 2 "$DSE" explore spaces/smoke.yaml --live latency_ms,area_mm2
expect_text "$work/err" "--live is 'latency_ms,area_mm2', allowed are two of latency_ms, energy_mj, mac_units"
expect_code 2 "$DSE" explore spaces/smoke.yaml --color sometimes
expect_text "$work/err" "--color is 'sometimes', allowed are auto, always, never"

# --color is stronger than the environment; files have no colours.
NO_COLOR=1 "$DSE" explore spaces/smoke.yaml --detail fast -q --color always -o "$work/always" >"$work/out"
expect_text "$work/out" "${escape}[1;36mknee${escape}[0m"
expect_text "$work/out" "${escape}[32mleast energy_mj${escape}[0m"
CLICOLOR_FORCE=1 "$DSE" explore spaces/smoke.yaml --detail fast -q --color never -o "$work/always" >"$work/plain.txt"
sed "s/$escape\[[0-9;]*m//g" "$work/out" | cmp - "$work/plain.txt" || fail "colours change more than colours"
! grep -rq "$escape" "$work/always" || fail "colours in files"

# A table wider than the terminal leaves columns out, and says which; a file has them all.
sed 's/^axes:/&\n  chip.n_dram: [2]/' spaces/smoke.yaml >"$work/wide.yaml"
terminal <<END
stty cols 70
"\$DSE" explore "$work/wide.yaml" --detail fast -q -o "$work/wide"
"\$DSE" explore "$work/wide.yaml" --detail fast -q -o "$work/wide" >"$work/wide.txt"
stty cols 80
END
expect_text "$work/screen" "The same in all of these: "
expect_text "$work/screen" "chip.n_dram 2"
expect_text "$work/screen" "No room for: "
expect_text "$work/screen" "layers by level; front.csv has" # them, in the next line
tr -d '\r' <"$work/screen" | sed "s/$escape\[[0-9;]*m//g" | awk '/^ *(id|[0-9]+) / && length > 70 { exit 1 }' ||
	fail "a table is wider than the terminal"
expect_text "$work/wide.txt" "mac_units  chip.n_dram  mla.array  dram_byte  peak_power_mw  layers by level"
! grep -q "No room for\|The same in all" "$work/wide.txt" || fail "columns are left out in a file"
