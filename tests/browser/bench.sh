#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The report of what `make explore` searches, of 2 000 and of all points in the fast tier: bytes, and how fast it answers (tests/browser/bench.js).
. tests/cli/common
. tests/browser/common

"$DSE" explore spaces/mla_sizing.yaml --detail fast -q -o "$work" >/dev/null
"$DSE" report "$work"/mla_sizing-* -q -o "$work/report.html" >/dev/null
node tests/browser/bench.js "$work/report.html"
