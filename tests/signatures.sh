#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/signatures.sh DSE [SPACE...]: whether searches of shipped spaces find what tests/signatures.txt says, on one thread
# and on two: the front's signature, designs listed and evaluated. SPACE:ENGINE is a flat search by that engine. Without
# SPACE those of the list. tests/signatures.sh -w DSE writes the list anew, for a model or a search that was changed on
# purpose; look at the difference.
set -eu
list=tests/signatures.txt
writes=
[ "$1" != -w ] || { writes=1; shift; }
DSE=$1
shift
[ $# -gt 0 ] || set -- $(awk '!/^#/ { print $1 }' $list)
work=$(mktemp -d "${TMPDIR:-/tmp}/dse_signatures_XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# "SPACE SIGNATURE CANDIDATES EVALUATIONS" of a search on so many threads.
line_of() {
	engine=
	case $1 in *:*) engine="--engine ${1#*:} --flat" ;; esac
	# shellcheck disable=SC2086 # two options or none
	"$DSE" explore "spaces/${1%:*}.yaml" $engine --detail fast -q --store none -j "$2" -o "$work/$2" >"$work/out" 2>&1 ||
		{ cat "$work/out" >&2; exit 1; }
	run=$(ls -d "$work/$2/"*/run.json)
	value() { tr ',' '\n' <"$run" | sed -n "s/^.*\"$1\": \"*\([0-9a-f.]*\)\"*[ }]*\$/\1/p" | head -n 1; }
	echo "$1 $(value signature) $(value candidates) $(value evaluations)"
	rm -rf "${work:?}/$2"
}

failed=0
echo "$("$DSE" --version | awk '$1 == "compiler" || $1 == "variant" || $1 == "model" { printf "%s%s %s", sep, $1, $2; sep = ", " }'), one and two threads: $*"
for space; do
	one=$(line_of "$space" 1)
	two=$(line_of "$space" 2)
	[ "$one" = "$two" ] || { echo "on one thread  $one" && echo "on two threads $two" && failed=1; }
	if [ -n "$writes" ]; then
		echo "$one"
	elif ! grep -qxF "$one" $list; then
		echo "expected $(grep "^$space " $list || echo nothing)"
		echo "found    $one"
		failed=1
	fi
done
exit $failed
