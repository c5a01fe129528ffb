#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse completion and dse man: shells read the scripts, every command and option is there, words are completed.
. tests/cli/common

expect_code 0 "$DSE" completion bash
cp "$work/out" "$work/dse.bash"
expect_code 0 "$DSE" completion zsh
cp "$work/out" "$work/_dse"
expect_code 0 "$DSE" man
expect_empty "$work/err"
sed 's/\\-/-/g' "$work/out" >"$work/dse.1"
cp "$work/out" "$work/page"

# Every command, and every option that its help names.
"$DSE" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 20 ] || fail "--help has lost its commands"
while read -r command; do
	expect_text "$work/dse.1" ".SS dse $command"
	grep -q "^	$command:-\*) " "$work/dse.bash" || fail "$command is not completed in bash"
	sed -n "/^	$command) _arguments/,/;;/p" "$work/_dse" >"$work/zsh"
	"$DSE" help "$command" | sed -n 's/^  ...[ ]*--\([a-z0-9-]*\).*/\1/p' >"$work/options"
	grep -qx help "$work/options" || fail "$command --help names no --help"
	while read -r option; do
		grep "^	$command:-\*) " "$work/dse.bash" | grep -q -- "--$option " || fail "bash: no --$option of $command"
		grep -q -- "'\**--${option}[=[]" "$work/zsh" || fail "zsh: no --$option of $command"
		grep -q -- "--$option\\\\fR" "$work/dse.1" || fail "manual page: no --$option"
	done <"$work/options"
done <"$work/commands"

# What bash offers for the last word of a command line: complete WORD...
if command -v bash >/dev/null; then
	bash -n "$work/dse.bash" || fail "bash cannot read its script"
	cat >"$work/complete" <<'END'
. "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_dse
printf '%s\n' "${COMPREPLY[@]}"
END
	# offers TEXT WORD...: a line of the words that are offered is TEXT; the program is the one under test
	offers() {
		text=$1
		shift
		bash "$work/complete" "$work/dse.bash" "$DSE" "$@" >"$work/offered" || fail "bash: _dse $*"
		grep -qxF -- "$text" "$work/offered" || fail "$* offers no '$text' but $(tr '\n' ' ' <"$work/offered")"
	}
	refuses() {
		text=$1
		shift
		bash "$work/complete" "$work/dse.bash" "$DSE" "$@" >"$work/offered" || fail "bash: _dse $*"
		! grep -qxF -- "$text" "$work/offered" || fail "$* offers '$text'"
	}
	offers explore exp
	refuses simulate exp
	offers merge help m
	offers --max-evaluations explore --max
	refuses --max-error explore --max
	offers exhaustive explore --engine ex
	offers exhaustive explore --engine = ex
	offers exhaustive explore --engine =
	offers both validate --detail b
	offers pe.sram_byte= simulate dvfs_chip tiny --set pe.sr
	offers levels.PL1.clk_mhz= simulate dvfs_chip tiny --set levels.PL1
	offers levels.PL1.mla_clk_pj= power --json dvfs_chip tiny --set=x --set levels.
	refuses levels.PL1.clk_mhz= simulate edge_tpu tiny --set levels.
	offers levels.f500.clk_mhz= simulate edge_tpu tiny --set levels.
	refuses both simulate --detail b
	for what in machines networks; do
		[ -z "$("$DSE" completion $what | sort | uniq -d)" ] || fail "$what: a name twice"
	done
	offers dvfs_chip simulate dv
	refuses vgg16 simulate v
	offers vgg16 simulate --level PL1 --json dvfs_chip v
	offers vgg16_fc_21 roofline dvfs_chip resnet50 vgg16_f
	offers dvfs_chip schedule vgg16 --machine d
	offers spaces/smoke.yaml explore spaces/sm
	offers spaces/smoke.yaml explain ''
	offers zsh completion z
	offers prune runs p
	offers tests validate -o te
	offers line explore --live li
	offers never map --color n
	refuses last show l
	DSE_STORE="$work/dse.sqlite" "$DSE" explore spaces/smoke.yaml --detail fast -q -o "$work/kept" >/dev/null
	DSE_STORE="$work/dse.sqlite"
	offers last show l
	offers 1 export ''
	refuses tests show ''
	offers tests report ''
	offers last report 1 l
	DSE_STORE=none
	refuses tests explore -j te
else
	echo "SKIPPED: no bash here; its completion is not tried"
fi
if command -v zsh >/dev/null; then
	zsh -n "$work/_dse" || fail "zsh cannot read its script"
	zsh -fc "autoload -Uz compinit && compinit -D -d $work/dump && . $work/_dse && [ \"\$_comps[dse]\" = _dse ]" ||
		fail "zsh does not know the script's function"
else
	echo "SKIPPED: no zsh here to read its completion"
fi
if command -v groff >/dev/null; then
	groff -man -Tascii -P-cbou -ww "$work/page" >"$work/text" 2>"$work/warnings" || fail "groff cannot read the page"
	expect_empty "$work/warnings"
	grep -q 'dse --version \[--json\]' "$work/text" && grep -q 'EXIT STATUS' "$work/text" || fail "the page ends early"
else
	echo "SKIPPED: no groff here to read the manual page"
fi
if command -v mandoc >/dev/null; then
	# not by its path: mandoc takes what stands behind a dot, as in our folder's name, for the section
	mandoc -Tlint <"$work/page" >"$work/warnings" || true
	expect_empty "$work/warnings"
fi

# The names that scripts ask for: once each, sorted, and all there are.
expect_code 0 "$DSE" completion networks
for file in spaces/networks/*.yaml; do
	grep -qx "$(basename "$file" .yaml)" "$work/out" || fail "no $file among the networks"
done
LC_ALL=C sort -u "$work/out" | cmp - "$work/out" || fail "networks are not sorted, or told twice"
expect_code 2 "$DSE" completion machines dvfs_chip
expect_text "$work/err" "takes no more words"
expect_code 2 "$DSE" completion fish
expect_text "$work/err" "allowed are bash, zsh, machines, networks, parameters, runs"

# Pages of reference: every command, option, parameter and metric has its row.
for page in commands exit-codes machine metrics; do
	expect_code 0 "$DSE" man $page
	cp "$work/out" "$work/$page.md"
	[ "$(grep -c '^# ' "$work/$page.md")" = 1 ] || fail "dse man $page: no title"
done
"$DSE" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' | sort -u >"$work/names"
[ "$(wc -l <"$work/names")" -gt 20 ] || fail "help lists no commands"
while read -r name; do
	expect_text "$work/commands.md" "## dse $name"
done <"$work/names"
"$DSE" completion parameters | grep -v '^levels' | while read -r key; do
	grep -q "^| .$key. | " "$work/machine.md" || fail "dse man machine has no $key"
done
sed -n '/properties/,$ s/.*"\(latency_ms\|energy_mj\)".*/\1/p' spaces/schemas/front.schema.json | sort -u | while read -r metric; do
	grep -q "^| .$metric. | " "$work/metrics.md" || fail "dse man metrics has no $metric"
done
grep -q '^| 130 | interrupted |$' "$work/exit-codes.md" || fail "dse man exit-codes has no 130"
expect_code 2 "$DSE" man page
expect_text "$work/err" "allowed are commands|exit-codes|machine|metrics"
