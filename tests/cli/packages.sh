#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make deb: packages whose program works from a bare folder, whose sums and relations are right, and whose bytes do not
# depend on when and by whom they are made.
. tests/cli/common
build=$(cd "$(dirname "$DSE")" && pwd)

if ! command -v dpkg-deb >/dev/null || ! command -v dpkg-shlibdeps >/dev/null; then
	echo "SKIPPED: no dpkg-deb and dpkg-shlibdeps here to make packages"
	exit 0
fi
if ! [ -f "$build/libdse.a" ]; then
	echo "SKIPPED: sanitizers have no library, and no packages"
	exit 0
fi

# A build folder of ours with the same program, so that tests that run beside this one are left alone.
mkdir "$work/first" "$work/second"
for folder in first second; do
	ln -s "$build"/dse "$build"/libdse.* "$work/$folder"
done
make_deb() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL SOURCE_DATE_EPOCH=1700000000 COMPRESS=none "$@" >"$work/out" 2>"$work/err" || {
		cat "$work/err" >&2
		fail "make deb-files"
	}
}
(umask 022 && make_deb make -s deb-files BUILD="$work/first" && expect_empty "$work/err")
(umask 077 && make_deb TZ=Asia/Tokyo LC_ALL=C.UTF-8 make -s deb-files BUILD="$work/second")
for package in dse libdse0.1 libdse-dev python3-dse; do
	set -- "$work"/first/packages/"$package"_*.deb
	expect_same "$1" "$work/second/packages/${1##*/}"
	mkdir "$work/$package"
	dpkg-deb -x "$1" "$work/root"
	dpkg-deb -e "$1" "$work/$package"
	(cd "$work/root" && md5sum --quiet -c "$work/$package/md5sums") || fail "$package: wrong sums"
	[ "$(dpkg-deb -c "$1" | grep -c 'root/root .* 2023-11-14 ')" -eq "$(dpkg-deb -c "$1" | wc -l)" ] ||
		fail "$package: owners or times"
	[ "$(dpkg-deb -f "$1" Version)" = "$("$DSE" --version | sed -n '1s/dse //p')-1" ] || fail "$package: another version"
	[ -f "$work/root/usr/share/doc/$package/copyright" ] || fail "$package: no copyright"
done
expect_text "$work/root/usr/share/doc/dse/copyright" 'Chart.js Contributors'
# Between them they have what make install puts, but for the licence's text, which Debian has of its own.
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s install-files BUILD="$build" DESTDIR="$work/all" PREFIX=/usr LIBDIR=/usr/lib
(cd "$work/all" && find . -type f -o -type l | sed 's,/doc/dse/examples/\([a-z]*\)\.c,/doc/libdse-dev/examples/\1.c,
	s,dse\.1$,dse.1.gz,; s,CHANGELOG.md,changelog.gz,; /LICENSE$/d' | LC_ALL=C sort) >"$work/installed"
(cd "$work/root" && find . -type f -o -type l | sed "s,/usr/lib/[^/]*-linux-[^/]*/,/usr/lib/," | LC_ALL=C sort) >"$work/packed"
LC_ALL=C comm -23 "$work/installed" "$work/packed" >"$work/lost"
expect_empty "$work/lost"
grep -Eq '^Depends: .*libc6 .*libsqlite3-0.*libyaml-0-2' "$work/dse/control" || fail "dse depends on too little"
! grep -Eq 'sqlite|mpi' "$work/libdse0.1/control" || fail "libdse depends on too much"
expect_text "$work/libdse-dev/control" "Depends: libdse0.1 (= "

# The program from the package alone: a front, of a shipped space, with shipped machines and networks.
(cd "$work" && root/usr/bin/dse explore root/usr/share/dse/spaces/smoke.yaml -q -o "$work/results") >"$work/out" ||
	fail "dse explore from the package"
[ "$(find "$work/results" -name front.csv | wc -l)" -eq 1 ] || fail "no front"
expect_code 0 "$DSE" explore spaces/smoke.yaml -q -o "$work/ours"
cmp "$work"/results/*/front.csv "$work"/ours/*/front.csv || fail "another front"

# The Python package from its own and the library's package, and from the wheel, away from any clone.
python=$(./dse/python/find 2>"$work/why") || {
	echo "SKIPPED: $(cat "$work/why")"
	exit 0
}
cat >"$work/sizes.py" <<'END'
import sys, dse
front = dse.size("dvfs_chip", "tiny", vary={"mla.array": ["16x4", "8x4"]}, detail="fast", progress=False)
assert len(front) > 3 and " wins: " in front.verdict, front
assert dse.library_path().startswith(sys.argv[1]), dse.library_path()
run = dse.Space(machine="dvfs_chip", network="tiny", layers=[{"match": ".*", "split": "even"}]).run("runs", "--detail", "fast")
assert run.is_complete and len(run.points) > 1
END
lib=$(dirname "$(find "$work/root" -name 'libdse.so.*' | head -n 1)")
(cd "$work" && env -u DSE PATH="$work/root/usr/bin:$PATH" DSE_LIBRARY="$(find "$lib" -name 'libdse.so.*.*.*')" PYTHONDONTWRITEBYTECODE=1 \
	PYTHONPATH="$work/root/usr/lib/python3/dist-packages" "$python" sizes.py "$work/root") || fail "python3-dse"
expect_text "$work/python3-dse/control" 'Architecture: all'
(umask 077 && make_deb make -s wheel-files BUILD="$work/first" && expect_empty "$work/err")
(umask 022 && make_deb TZ=Asia/Tokyo make -s wheel-files BUILD="$work/second")
wheel=$(ls "$work"/first/packages/dse-*.whl)
expect_same "$wheel" "$work/second/packages/${wheel##*/}"
if "$python" -m pip --version >/dev/null 2>&1; then
	"$python" -m pip install -q --no-index --no-deps --target "$work/wheel" "$wheel" 2>"$work/err" || {
		cat "$work/err" >&2
		fail "pip does not install the wheel"
	}
	(cd "$work" && env -u DSE PYTHONPATH="$work/wheel" "$python" sizes.py "$work/wheel") || fail "the wheel"
else
	echo "SKIPPED: no pip here to install the wheel"
fi
