#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make layers: the source keeps to the table of rooms, and one planted violation of each kind is found and named.
set -euo pipefail
. tests/cli/common

.ci/layers >"$work/said" || { cat "$work/said" >&2; fail "the source does not keep to .ci/rooms"; }
none='0 upward includes, 0 circles between rooms, 0 circles between modules, 0 private headers outside, 0 mistakes in the table'
[ "$(cat "$work/said")" = "$none" ] || fail "all is well, but it says: $(cat "$work/said")"

# house: a source of two rooms, b above a, without a mistake.
house() {
	rm -rf "$work/house"
	mkdir -p "$work/house/.ci" "$work/house/sim/a" "$work/house/sim/b" "$work/house/tests/sim/a" "$work/house/tests/across" \
		"$work/house/mapper" "$work/house/dse"
	printf 'sim/a open\nsim/b door\n' >"$work/house/.ci/rooms"
	echo '#include <stdio.h>' >"$work/house/sim/a/open.h"
	echo 'int hidden;' >"$work/house/sim/a/hidden.h"
	printf '#include "sim/a/hidden.h"\n#include "sim/a/open.h"\n' >"$work/house/sim/a/open.c"
	echo '#include "sim/a/open.h"' >"$work/house/sim/b/door.h"
	echo '#include "sim/b/door.h"' >"$work/house/sim/b/door.c"
	echo '#include "sim/a/hidden.h"' >"$work/house/tests/sim/a/test_open.c"
}

# finds COUNT KIND TEXT: the house's only violations are COUNT of this kind, one of which is told with TEXT.
finds() {
	local status=0
	.ci/layers "$work/house" >"$work/said" || status=$?
	[ "$status" -eq 1 ] || fail "exit status $status, expected 1: $2"
	grep -qF -- "$3" "$work/said" || fail "nothing is said of: $3: $(cat "$work/said")"
	tail -n 1 "$work/said" | tr ',' '\n' | grep -q "^ *$1 $2\$" || fail "expected $1 $2: $(tail -n 1 "$work/said")"
}

house
.ci/layers "$work/house" >"$work/said" || fail "a house without a mistake is refused: $(cat "$work/said")"

echo '#include "sim/b/door.h"' >>"$work/house/sim/a/open.c"
finds 1 'upward includes' 'sim/a/open.c:3: includes sim/b/door.h'
finds 1 'circles between rooms' 'sim/a'
house
echo '#include "sim/c/away.h"' >>"$work/house/sim/a/open.c"
finds 1 'upward includes' 'sim/a/open.c:3: includes sim/c/away.h'
house
echo '#include "sim/a/open.h"' >>"$work/house/sim/a/hidden.h"
finds 1 'circles between modules' 'sim/a/hidden sim/a/open'
house
# a circle that no header shows: the sources of two modules
echo '#include "sim/a/open.h"' >"$work/house/sim/a/hidden_first.c"
finds 1 'circles between modules' 'sim/a/hidden sim/a/open'
house
echo '#include "sim/a/hidden.h"' >>"$work/house/sim/b/door.c"
finds 1 'private headers outside' 'sim/b/door.c:2: includes sim/a/hidden.h'
house
echo '#include "sim/a/hidden.h"' >"$work/house/tests/across/test_all.c"
finds 1 'private headers outside' 'tests/across/test_all.c:1: includes sim/a/hidden.h'
house
echo 'int parts;' >"$work/house/sim/a/open_parts.h"
sed -i 's/^sim\/a open/sim\/a open open_parts/' "$work/house/.ci/rooms"
finds 1 'mistakes in the table' 'sim/a/open_parts.h'
house
echo 'int away;' >"$work/house/mapper/away.c"
finds 1 'mistakes in the table' 'mapper/away.c: in no room'
house
sed -i 's/^sim\/b door/sim\/b door gone/' "$work/house/.ci/rooms"
finds 1 'mistakes in the table' 'sim/b/gone.h'
