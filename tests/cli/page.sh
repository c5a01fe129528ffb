#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page of dse report in a browser: what a reader does with it, and its numbers against front.csv.
. tests/cli/common
. tests/browser/common

"$DSE" explore spaces/smoke.yaml -q -o "$work" >/dev/null
"$DSE" report "$work"/smoke-* -q -o "$work/report.html" >/dev/null
node tests/browser/report.js "$work/report.html" "$work"/smoke-*/front.csv
