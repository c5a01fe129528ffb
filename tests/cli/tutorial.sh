#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The pages of dse/site/tutorial: their commands run, in the order of the page, in a folder that looks like the source's; what a page
# shows below a command is what the command printed.
. tests/cli/common
! $is_slow || exit 0

program=$(realpath "$DSE")
source=$PWD
unset DSE_STORE
for page in dse/site/tutorial/*.md; do
	name=$(basename "$page" .md)
	root=$work/$name
	mkdir -p "$root/build" "$root/blocks"
	ln -s "$program" "$root/build/dse"
	ln -s "$source/spaces" "$source/tests" "$root"
	# Blocks in their order: 01.sh is run, 02.shown is compared with what was printed last.
	awk -v folder="$root/blocks" '
		/^```/ && !inside { inside = 1; kind = $0 == "```sh" ? "sh" : $0 == "```" ? "shown" : "other"
			file = sprintf("%s/%02d.%s", folder, ++n, kind); printf "" >file; next }
		/^```/ { inside = 0; close(file); next }
		inside { print >file }' "$page"
	for block in "$root"/blocks/*; do
		case $block in
		*.sh)
			(cd "$root" && COLUMNS=100 sh -e "$block") >"$work/out" 2>&1 || fail "$page: $(cat "$block" "$work/out")"
			cp "$work/out" "$root/printed"
			;;
		*.shown)
			[ -e "$root/printed" ] || continue # a drawing
			! grep -q '[│┌▲]' "$block" || continue
			while IFS= read -r line; do
				grep -qxF -- "$line" "$root/printed" || fail "$page shows what no command prints: $line"
			done <"$block"
			;;
		esac
	done
	ls "$root"/blocks/*.sh >"$work/commands" 2>/dev/null || fail "$page has no command"
done

# The answer that README.md shows a newcomer is the one that its command gives; the tutorial begins with the same.
grep -F 'size dvfs_chip tests/reference/onnx/' README.md | sed 's/ *#.*//; s/ -q$//' | sort -u >"$work/readme"
grep -F 'size dvfs_chip tests/reference/onnx/' dse/site/tutorial/ten_minutes.md | sed 's/ -q$//' >"$work/page"
expect_same "$work/readme" "$work/page"
answer() { sed -n '/^[0-9x]* wins:/,/^```/p' "$1" | grep -v '^```'; }
answer README.md >"$work/shown"
answer dse/site/tutorial/ten_minutes.md >"$work/told"
[ "$(wc -l <"$work/shown")" -ge 2 ] || fail "README.md shows no answer"
expect_same "$work/shown" "$work/told"
