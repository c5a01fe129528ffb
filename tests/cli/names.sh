#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names that would drive a terminal, break a file or be computed by a spreadsheet are refused where they stand; any other
# name comes through to files that their readers read. Command lines, file names and the store's texts, too.
. tests/cli/common

escape=$(printf '\033')
control=$(printf '[\001-\010\013-\037\177]')
# clean FILE...: no byte that a terminal obeys, of C1 in UTF-8 neither.
clean() {
	for file in "$@"; do
		! LC_ALL=C grep -q "$control" "$file" || fail "$file has control characters"
		! LC_ALL=C grep -q "$(printf '\302[\200-\237]')" "$file" || fail "$file has characters of C1"
	done
}

# put_network NAME-AS-YAML
put_network() {
	printf 'name: %s\ninput: [8, 8, 4]\nlayers: [{conv: {out_channels: 8, kernel: 3}}, {conv: {out_channels: 4, kernel: 1}}]\n' \
		"$1" >"$work/network.yaml"
}
cat >"$work/space.yaml" <<'END'
name: names
machine: thesis_chip
network: network.yaml
objectives: [latency_ms, energy_mj]
END

# ---- what is refused, with its place ----
while IFS= read -r name; do
	put_network "$name"
	for command in check explain map_on simulate_on; do
		case $command in
		*_on) expect_code 3 "$DSE" "${command%_on}" thesis_chip "$work/network.yaml" ;;
		*) expect_code 3 "$DSE" "$command" "$work/space.yaml" ;;
		esac
		expect_text "$work/err" "$work/network.yaml:1:7: "
		clean "$work/out" "$work/err"
	done
done <<'END'
"\e[31mred\e[0m"
"\e]0;title\a"
"two\nlines"
"a\tb"
"back\rspace"
"\x7f"
"\x9b31m"
"\u202Etxt.exe"
"zero\u200bwidth"
"\u2028"
"=1+2"
"+1"
"-2"
"@SUM(A1:A9)"
" blank"
""
END
printf 'name: "\377"\n' >"$work/network.yaml"
expect_code 3 "$DSE" check "$work/network.yaml"
expect_text "$work/err" "$work/network.yaml:1:8: "

for kind in machine level space; do
	case $kind in
	machine) printf 'target: chip\nname: "m\\e[1m"\n' >"$work/m.yaml" ;;
	level) printf 'target: chip\nname: m\nlevels: [{name: "l\\e[1m", vdd_v: 0.5, clk_mhz: 100}]\n' >"$work/m.yaml" ;;
	space) printf 'machine: thesis_chip\nname: "s\\e[1m"\nnetwork: tiny\n' >"$work/m.yaml" ;;
	esac
	expect_code 3 "$DSE" check "$work/m.yaml"
	grep -q "^$work/m.yaml:[0-9]*:[0-9]*: " "$work/err" || fail "no place for the name of a $kind"
	clean "$work/err"
done

# ---- command lines, environment, file names ----
for word in "x${escape}[2J" "$(printf 'a\nb')" "$(printf '\302\2331m')" "$(printf '\377')" "$(printf '\342\200\256x')"; do
	expect_code 2 "$DSE" map thesis_chip "$word"
	clean "$work/err"
	expect_code 2 "$DSE" explore "$work/space.yaml" -o "$work/$word"
	expect_code 2 "$DSE" nightly "$work/space.yaml" --accept names --note "$word" -o "$work/night"
	[ ! -e "$work/$word" ] || fail "a folder of that name was made"
done
expect_code 2 env DSE_STORE="$work/${escape}[2J.db" "$DSE" runs
clean "$work/err"
mkdir "$work/files"
printf 'Layer, M, N, K\na, 4, 4, 4\n' >"$work/files/=1+2.csv"
expect_code 0 "$DSE" simulate edge_tpu "$work/files/=1+2.csv" --json
expect_text "$work/out" '"_1+2"'

# ---- any other name comes through, to files that are what they say ----
put_network "'naïve <b>&\"日本, it''s ]]> {x}'"
expect_code 0 "$DSE" explore "$work/space.yaml" --detail fast -o "$work/runs" --no-progress
run=$(echo "$work"/runs/names-*)
clean "$work/out" "$work/err" "$run/front.csv" "$run/front.svg" "$run/run.json" "$run/front.json"
expect_text "$run/front.json" "naïve <b>&\\\"日本, it's ]]> {x}"
expect_code 0 "$DSE" report "$run" -o "$work/page.html"
! grep -q '<b>&"日本' "$work/page.html" || fail "a name in the page is markup"
expect_code 0 "$DSE" roofline thesis_chip "$work/network.yaml" -o "$work/roof"
expect_text "$work/roof/roofline.csv" "\"naïve <b>&\"\"日本, it's ]]> {x}\""
expect_code 0 "$DSE" map thesis_chip "$work/network.yaml" -o "$work/map"
expect_code 0 "$DSE" simulate --mapping "$work/map/mapping.yaml"
if command -v xmllint >/dev/null 2>&1; then
	find "$work" -name '*.svg' | while IFS= read -r picture; do
		xmllint --noout "$picture" || fail "$picture is no XML"
	done
fi

# ---- what others have written into a store ----
DSE_STORE=$work/runs.db
export DSE_STORE
expect_code 0 "$DSE" explore "$work/space.yaml" --detail fast -o "$work/kept" --no-progress
if command -v sqlite3 >/dev/null 2>&1; then
	sqlite3 "$DSE_STORE" "UPDATE run SET space = char(27) || '[31m' || char(155) || space, folder = char(13) || folder"
	expect_code 0 "$DSE" runs
	clean "$work/out"
	expect_code 0 "$DSE" runs --json
	clean "$work/out"
fi

# ---- a front from elsewhere ----
sed 's/"space": "names"/"space": "\\u001b[31mnames"/' "$run/front.json" >"$work/other.json"
! cmp -s "$run/front.json" "$work/other.json" || fail "front.json has no space"
expect_code 3 "$DSE" simulate --point "$work/other.json:1"
clean "$work/err"
