#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A store that can only be read is read: its folder or its file without rights or on a read-only mount, with and without
# what SQLite has beside it. And the two kinds of journal.
. tests/cli/common
unset DSE_STORE DSE_STORE_JOURNAL
space=spaces/smoke.yaml
stopped=
trap '[ -z "$stopped" ] || kill -s KILL "$stopped" 2>/dev/null; chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT

# Root may write whatever the rights say, but not on a mount that is read-only.
if [ "$(id -u)" -ne 0 ]; then
	fixed() {
		chmod a-w "$1"
		path=$1
		shift
		code=0
		"$@" || code=$?
		chmod u+w "$path"
		return "$code"
	}
elif unshare -m sh -c 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"' sh "$work" 2>/dev/null; then
	fixed() {
		unshare -m sh -c 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"' sh "$@"
	}
else
	fixed() { false; }
	echo "$0: read-only stores skipped: root may write everywhere, and nothing can be mounted here" >&2
fi
# fixed PATH COMMAND...: run it while nothing can be written at PATH.
can_fix=true
fixed "$work" true || can_fix=false

# journal_of STORE: 2 is a write-ahead log, 1 a rollback journal.
journal_of() {
	od -An -tu1 -j19 -N1 "$1" | tr -d ' '
}

# kept_in STORE [FIXED]: numbers of its runs.
kept_in() {
	expect_code 0 fixed "${2:-$1}" "$DSE" runs --last 0 --store "$1"
	awk '$1 ~ /^[0-9]+$/ { printf "%s ", $1 }' "$work/out"
}

# answers STORE FIXED: everything that reads finds run 1 while FIXED cannot be written, and nothing is left there.
answers() {
	before=$(ls -A "$(dirname "$1")")
	kept=$(kept_in "$1" "$2")
	case $kept in *'1 ') ;; *) fail "runs in $1: $kept" ;; esac
	expect_code 0 fixed "$2" "$DSE" show 1 --store "$1"
	expect_text "$work/out" "Certificate: exact"
	expect_code 0 fixed "$2" "$DSE" export 1 --csv --store "$1"
	expect_same "$work/out" "$folder/front.csv"
	expect_code 0 fixed "$2" "$DSE" report 1 --store "$1" -o "$work/report.html"
	expect_code 0 fixed "$2" "$DSE" compare 1 1 --store "$1"
	rm -rf "$work/answer"
	expect_code 0 fixed "$2" "$DSE" explore $space --detail fast -o "$work/answer" --store "$1"
	expect_text "$work/out" "Run 1 of the store found this front"
	expect_text "$work/err" "$1: is read-only: what it knows is not searched again, and this run is not kept there"
	expect_same "$folder/front.json" "$(echo "$work"/answer/smoke-*)/front.json"
	expect_code 0 fixed "$2" "$DSE" explore $space --detail fast -q -o "$work/answer" --store "$1" --engine exhaustive
	[ "$(kept_in "$1" "$2")" = "$kept" ] || fail "$1 was written"
	[ "$(ls -A "$(dirname "$1")")" = "$before" ] || fail "left beside $1: $(ls -A "$(dirname "$1")"), before $before"
	# what has to write says that it cannot
	expect_code 5 fixed "$2" "$DSE" runs prune --keep 0 --yes --store "$1"
	expect_code 5 fixed "$2" "$DSE" nightly $space -q -o "$work/nights" --store "$1"
	expect_text "$work/err" "$1: is read-only, and a night is kept in its store"
}

for journal in wal rollback; do
	DSE_STORE_JOURNAL=$journal
	export DSE_STORE_JOURNAL
	store=$work/a%b?c#d/$journal.sqlite # names that a URI would take for something else
	mkdir -p "$work/a%b?c#d"
	expect_code 0 "$DSE" explore $space --detail fast -q -o "$work/results-$journal" --store "$store"
	folder=$(echo "$work/results-$journal"/smoke-*)
	[ "$journal" = wal ] && kind=2 || kind=1
	[ "$(journal_of "$store")" -eq "$kind" ] || fail "the journal of $store is not $journal"
	if $can_fix; then
		answers "$store" "$work/a%b?c#d"
		answers "$store" "$store"
	fi
done
DSE_STORE_JOURNAL=both
expect_code 2 "$DSE" runs --store "$store"
expect_text "$work/err" "DSE_STORE_JOURNAL is 'both', allowed are wal and rollback"

# The kind follows the variable, and runs stay.
for journal in wal rollback; do
	DSE_STORE_JOURNAL=$journal
	[ "$journal" = wal ] && kind=2 || kind=1
	expect_code 0 "$DSE" runs --store "$store"
	expect_text "$work/out" smoke
	[ "$(journal_of "$store")" -eq "$kind" ] || fail "the journal of $store does not become $journal"
done

# What a writer that was killed left half written is taken back, where that can be done.
if $can_fix && command -v sqlite3 >/dev/null 2>&1; then
	printf '%s\n' 'PRAGMA cache_size = 1;' 'BEGIN;' 'DELETE FROM run;' 'CREATE TABLE much(x);' \
		'INSERT INTO much SELECT randomblob(5000) FROM content, content, content, content;' \
		'.shell kill -s KILL $PPID' >"$work/half.sql"
	sqlite3 "$store" <"$work/half.sql" 2>/dev/null && fail "sqlite3 was not killed"
	[ -s "$store-journal" ] || fail "no journal beside $store"
	expect_code 5 fixed "$(dirname "$store")" "$DSE" runs --store "$store"
	expect_text "$work/err" "was not closed by the process that wrote it last"
	expect_code 0 "$DSE" runs --store "$store"
	expect_text "$work/out" smoke
	expect_code 0 fixed "$(dirname "$store")" "$DSE" runs --store "$store"
fi

# A store of an earlier version is not brought up to date where it cannot be written.
if $can_fix && command -v sqlite3 >/dev/null 2>&1; then
	sqlite3 "$store" 'PRAGMA user_version = 2'
	expect_code 5 fixed "$store" "$DSE" runs --store "$store"
	expect_text "$work/err" "version 2 of a store of runs, which is read-only"
fi

# While a writer has a log open, and of what it left behind when it was killed, the last commits are read, too.
cat >"$work/long.yaml" <<END
name: long
machine: $PWD/spaces/machines/dvfs_chip.yaml
network: $PWD/spaces/networks/tiny.yaml
layers:
  - {match: '.*', split: all, strategy: [fusion, fusion_reuse], level: PL2}
  - {match: CONV_3, level: all}
objectives: [latency_ms, energy_mj]
END
store=$work/live/dse.sqlite
DSE_STORE_JOURNAL=wal
export DSE_STORE_JOURNAL
for try in 1 2 3 4 5; do
	rm -rf "$work/live"
	"$DSE" explore "$work/long.yaml" --detail fast -q -j1 -o "$work/live" >/dev/null 2>"$work/err" &
	stopped=$!
	while kill -s 0 "$stopped" 2>/dev/null && ! ls "$work"/live/long-*/journal >/dev/null 2>&1; do
		sleep 0.01
	done
	kill -s STOP "$stopped" 2>/dev/null || true
	! ls "$work"/live/long-*/journal >/dev/null 2>&1 || break # else it was faster
	wait "$stopped" || fail "exit $?: $(cat "$work/err")"
done
expect_code 0 "$DSE" explore $space --detail fast -q -o "$work/live"
folder=$(echo "$work"/live/smoke-*)
[ -s "$store-wal" ] || fail "the run is not in the log any more"
if $can_fix; then
	answers "$store" "$work/live"
	mkdir "$work/copy" "$work/copy-with-index"
	cp "$store" "$store-wal" "$work/copy"
	cp "$store" "$store-wal" "$store-shm" "$work/copy-with-index"
	kill -s KILL "$stopped"
	wait "$stopped" 2>/dev/null || true
	for kept in "$work/copy" "$work/copy-with-index" "$work/live"; do
		answers "$kept/dse.sqlite" "$kept"
	done
fi
kill -s KILL "$stopped" 2>/dev/null || true
wait "$stopped" 2>/dev/null || true
stopped=
