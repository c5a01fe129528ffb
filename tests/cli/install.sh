#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make install, uninstall: everything in its place whatever the umask, the program finds what is shipped, and the example
# is compiled against libdse through pkg-config, as C and C++, shared and static, and says what dse simulate says.
. tests/cli/common
build=$(cd "$(dirname "$DSE")" && pwd)
prefix=$work/usr

# As a user's make: without what `make test` hands on.
install_files() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s "$@" BUILD="$build" >"$work/out" 2>"$work/err" || {
		cat "$work/err" >&2
		fail "make $*"
	}
	expect_empty "$work/err"
}

(umask 077 && install_files install-files PREFIX="$prefix")
(umask 002 && install_files install-files DESTDIR="$work/dest" PREFIX="/opt")
(cd "$prefix" && find . -type f -o -type l | LC_ALL=C sort) >"$work/files"
(cd "$work/dest/opt" && find . -type f -o -type l | LC_ALL=C sort) >"$work/files_dest"
expect_same "$work/files" "$work/files_dest"
for file in bin/dse share/man/man1/dse.1 share/bash-completion/completions/dse share/zsh/site-functions/_dse \
	share/dse/spaces/machines/dvfs_chip.yaml share/doc/dse/LICENSE share/doc/dse/copyright share/doc/dse/README.md; do
	expect_text "$work/files" "./$file"
done
expect_text "$prefix/share/doc/dse/copyright" 'Chart.js Contributors'
[ -z "$(find "$prefix/bin" "$prefix/share" -type f ! -perm 644 ! -path '*/bin/dse')" ] || fail "files are not of mode 644"
[ -z "$(find "$prefix/bin" "$prefix/share" -type d ! -perm 755)" ] || fail "folders are not of mode 755"
cmp "$DSE" "$prefix/bin/dse" || fail "another program was installed"

# Away from any clone, shipped machines, networks and mappings are found.
(cd "$work" && "$prefix/bin/dse" simulate --mapping "$prefix/share/dse/spaces/mappings/tiny.yaml" --json) >"$work/json"
(cd "$work" && "$prefix/bin/dse" check "$prefix/share/dse/spaces/smoke.yaml" -q) >"$work/out" || fail "a shipped space"
(cd "$work" && "$prefix/bin/dse" completion machines) | grep -qx dvfs_chip || fail "no shipped machines"

# What is to run at night finds the program with the system's PATH, also in a folder whose name has what sh, cron and systemd
# take for something else.
odd="$work/a b'c%d\$e&f"
version=$("$DSE" --version | sed -n "1s/^dse \([^ ]*\).*/\1/p")
BUILD="$build" VERSION="$version" SONAME=libdse.so.0 PREFIX="$odd" LIBDIR="$odd/lib" PACKAGES=none ./dse/packaging/install ||
	fail "a prefix of odd characters"
# night NAME COMMAND: as cron and systemd run it
night() {
	rm -rf "$work/home"
	mkdir -p "$work/home/dse/spaces"
	cp spaces/smoke.yaml "$work/home/dse/spaces"
	(cd "$work/home/dse" && env -i HOME="$work/home" PATH=/usr/bin:/bin sh -c "$2") >"$work/out" 2>&1 || {
		cat "$work/out" >&2
		fail "the night of $1 fails: $2"
	}
	ls "$work"/home/dse/results/nightly/*/index.html >/dev/null 2>&1 || fail "$1 has no night"
}
service=lib/systemd/user/dse-nightly.service
for root in "$prefix" "$odd"; do
	night "cron in $root" "$(sed -n 's/^30 1 \* \* \* //p' "$root/share/doc/dse/examples/crontab" | sed 's/\\%/%/g')"
done
night "systemd" "$(sed -n 's/^ExecStart=//p' "$prefix/$service" | sed 's/\$\$/$/g')"
expect_text "$prefix/$service" "ExecStopPost=\"$prefix/bin/dse\" runs prune"
expect_text "$odd/$service" "\"$work/a b'c%%d\$\$e&f/bin/dse\""
! grep -q '@DSE@' "$prefix/$service" "$prefix/share/doc/dse/examples/crontab" || fail "a path is not filled in"

layers=$(sed -n 's/.*"operation": "\([^"]*\)".*/\1/p' "$work/json")
[ "$(echo "$layers" | wc -l)" -ge 3 ] || fail "a mapping of few layers"

# What the example prints, out of the program's JSON: layers, then totals, which have no row of their own for all of it.
number() {
	sed -n "s/.*\"operation\": \"$1\".*\"$2\": \([^,}]*\)[,}].*/\1/p" "$work/json"
}
total() {
	sed -n '/"totals": {/,/^	}/s/^		"'"$1"'": \([^,]*\),*$/\1/p' "$work/json"
}
# same FILE NAME COLUMN VALUE: the example's cell is the same number, all digits of it
same() {
	awk -F, -v name="$2" -v column="$3" -v value="$4" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
		$1 == name { n++; if (value == "" || $at + 0 != value + 0) exit 1 }
		END { if (n != 1) exit 1 }' "$1" || fail "$1: $3 of $2 is not $4"
}
compare() {
	for column in total_clk core_clk latency_ms energy_mj dram_read_byte dram_write_byte sram_byte sram_used_frac mac_util_frac; do
		for layer in $layers; do
			same "$1" $layer $column "$(number $layer $column)"
		done
	done
	for column in total_clk core_clk latency_ms energy_mj sram_used_frac mac_util_frac; do
		same "$1" tiny $column "$(total $column)"
	done
	[ "$(wc -l <"$1")" -eq "$(($(grep -c '"operation"' "$work/json") + 2))" ] || fail "$1 has not all layers"
}

# The compiler that made the library: of OpenMP each has its own, which a static library asks for.
cc=$("$DSE" --version | sed -n 's/^compiler   \([a-z]*\) .*/\1/p')
case $cc in
clang) cxx=clang++ ;;
*) cxx=g++ ;;
esac
command -v "$cxx" >/dev/null || cxx=none
if ! "$DSE" --version | grep -Eqx 'variant    (release|debug)'; then
	echo "SKIPPED: sanitizers have no library"
elif ! command -v pkg-config >/dev/null || ! command -v "$cc" >/dev/null; then
	echo "SKIPPED: no pkg-config or no $cc here"
else
	PKG_CONFIG_PATH=$prefix/lib/pkgconfig
	LD_LIBRARY_PATH=$prefix/lib
	export PKG_CONFIG_PATH LD_LIBRARY_PATH
	[ "$(pkg-config --modversion dse)" = "$("$DSE" --version | sed -n '1s/dse //p')" ] || fail "another version in dse.pc"
	shared=$(pkg-config --libs dse)
	# -l: names the archive where both are; what it needs comes after it
	archived=$(pkg-config --static --libs dse | sed 's/-ldse /-l:libdse.a /')
	strict='-Wall -Wextra -Wpedantic -Wconversion -Werror'
	mapping=$prefix/share/dse/spaces/mappings/tiny.yaml
	cp "$prefix/share/doc/dse/examples/evaluate.c" "$work/evaluate.cpp"
	cp "$prefix/share/doc/dse/examples/front.c" "$work/front.cpp"
	while read -r name compiler source libs; do
		[ "$compiler" != none ] || { echo "SKIPPED: no C++ compiler here"; continue; }
		# words of flags are meant to be split
		# shellcheck disable=SC2086
		(cd "$work" && "$compiler" $strict "$source" $(pkg-config --cflags dse) $libs -o "$name") || fail "$name is not compiled"
		(cd "$work" && "./$name" "$mapping") >"$work/$name.csv" || fail "$name does not run"
		compare "$work/$name.csv"
	done <<-END
		c_shared $cc $prefix/share/doc/dse/examples/evaluate.c $shared
		c_static $cc $prefix/share/doc/dse/examples/evaluate.c $archived
		cxx_shared $cxx evaluate.cpp $shared
		cxx_static $cxx evaluate.cpp $archived
	END
	# The front of a space, as C and as C++, is the program's to the last digit, priced and not.
	(cd "$work" && "$prefix/bin/dse" explore "$prefix/share/dse/spaces/smoke.yaml" -q -o fronts/both --store none &&
		"$prefix/bin/dse" explore "$prefix/share/dse/spaces/smoke.yaml" -q -o fronts/fast --detail fast --store none) >"$work/out"
	while read -r name compiler source; do
		[ "$compiler" != none ] || continue
		# shellcheck disable=SC2086 # words of flags are meant to be split
		(cd "$work" && "$compiler" $strict "$source" $(pkg-config --cflags dse) $shared -o "$name") || fail "$name is not compiled"
		for detail in both fast; do
			(cd "$work" && "./$name" "$prefix/share/dse/spaces/smoke.yaml" $detail) >"$work/$name.csv" 2>"$work/err" || {
				cat "$work/err" >&2
				fail "$name does not run"
			}
			awk -F, 'NR == FNR { for (i = 1; i <= 6; i++) all[FNR, i] = $i; n = FNR; next }
				{ for (i = 1; i <= 6; i++) if (i >= 5 || FNR == 1 ? $i != all[FNR, i] : $i + 0 != all[FNR, i] + 0) exit 1 }
				END { if (n < 4 || FNR != n) exit 1 }' "$work"/fronts/$detail/*/front.csv "$work/$name.csv" ||
				fail "$name: another front than dse explore --detail $detail"
		done
	done <<-END
		front_c $cc $prefix/share/doc/dse/examples/front.c
		front_cxx $cxx front.cpp
	END
	(cd "$work" && expect_code 3 ./front_c "$OLDPWD/tests/malformed/space_axis_key.yaml")
	expect_text "$work/err" 'space_axis_key.yaml:'
	ldd "$work/c_shared" | grep -q "$prefix/lib/libdse.so" || fail "c_shared is not linked with the shared library"
	! ldd "$work/c_static" | grep -q libdse || fail "c_static is linked with the shared library"

	# Shipped files are found beside the library; a mistake is told, and its code returned.
	(cd "$work" && expect_code 0 ./c_shared dvfs_chip tiny mla.array=8x4)
	(cd "$work" && expect_code 4 ./c_shared dvfs_chip vgg16 pe.sram_byte=65536)
	expect_text "$work/err" 'CONV_17 cannot run'
	expect_text "$work/out" 'CONV_17,pe_sram,0,0'
	(cd "$work" && expect_code 5 ./c_shared dvfs_chip vgg61)
	expect_text "$work/err" "did you mean 'vgg16'?"

	# The library as it was built, by a link from elsewhere: machines are those of the clone that it lies in.
	mkdir "$work/link"
	ln -s "$build/libdse.so.$version" "$work/link/$(readelf -d "$build/libdse.so.$version" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')"
	"$cc" -Idse/lib dse/example/evaluate.c "$build/libdse.so.$version" -o "$work/linked" || fail "the library as built is not linked"
	(cd "$work" && LD_LIBRARY_PATH=$work/link ./linked dvfs_chip tiny) >"$work/out" 2>&1 || {
		cat "$work/out" >&2
		fail "the library as built finds no machines"
	}

	# What others see of both libraries is what the header says.
	sed -n 's/^DSE_API.*[ *]\(dse_[a-z_]*\)(.*/\1/p' dse/lib/dse.h | LC_ALL=C sort >"$work/public"
	[ "$(wc -l <"$work/public")" -ge 14 ] || fail "the header has lost functions"
	nm -D --defined-only "$prefix/lib/libdse.so" | sed 's/.* //' | LC_ALL=C sort >"$work/names"
	expect_same "$work/names" "$work/public"
	nm -g --defined-only "$prefix/lib/libdse.a" | sed -n 's/.* [A-Z] //p' | LC_ALL=C sort >"$work/names"
	expect_same "$work/names" "$work/public"

	# No trace of the folders that all was built in.
	for file in "$DSE" "$build"/libdse.*; do
		! grep -aqF -e "$PWD/" -e "$build/" "$file" || fail "$file names $PWD or $build"
	done
fi

install_files uninstall PREFIX="$prefix"
[ -z "$(find "$prefix" -type f -o -type l)" ] || fail "uninstall leaves files"
[ ! -d "$prefix/lib/python3/dist-packages/dse" ] && [ ! -d "$prefix/share/dse" ] && [ ! -d "$prefix/share/doc/dse" ] || fail "uninstall leaves folders"
