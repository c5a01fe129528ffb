#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dse report: a page of a run of a folder or of the store, its data, and what is said of runs that are damaged.
. tests/cli/common
space=spaces/smoke.yaml
results=$work/results
unset DSE_STORE
expect_code 0 "$DSE" explore $space --detail fast -o "$results"
folder=$(echo "$results"/smoke-*)
expect_text "$work/out" "Look at it: dse report $folder"

# A page beside the run's files, however the run is named; the folder and the store tell the same.
expect_code 0 "$DSE" report "$folder"
expect_text "$work/out" "Written to $folder/report.html"
expect_text "$folder/report.html" '"format":"dse report 1"'
expect_code 0 "$DSE" report "$folder/front.json" --json -o "$work/folder.json"
expect_empty "$work/err"
expect_text "$work/folder.json" '"without":null'
expect_text "$work/folder.json" "dse simulate --point $folder/front.json:{id}"
expect_text "$work/folder.json" '{"parameter":"mla.array","unit":"columns x rows","from":"16x4","to":"8x4","in_space":true,'
expect_code 0 "$DSE" report last --store "$results/dse.sqlite" --json -o "$work/store.json"
for key in columns points layers point_designs designs machines; do
	sed -n "/^			\"$key\":/,/^			[\"}]/p" "$work/folder.json" >"$work/a"
	sed -n "/^			\"$key\":/,/^			[\"}]/p" "$work/store.json" >"$work/b"
	[ -s "$work/a" ] || fail "no $key"
	expect_same "$work/a" "$work/b"
done
# Commands that are printed are for a shell, and name the store they mean.
expect_code 0 "$DSE" explore $space --detail fast -o "$work/o d"
odd=$(echo "$work/o d/"smoke-*)
expect_text "$work/out" "Look at it: dse report '$odd'"
replay="dse simulate --point '$odd/front.json':"
expect_text "$work/out" "Replay one design: ${replay}0"
expect_code 0 "$DSE" show last --store "$work/o d/dse.sqlite"
expect_text "$work/out" "Replay one design: ${replay}0"
rm -r "$odd"
replay="dse export 1 --json -o front.json --store '$work/o d/dse.sqlite' && dse simulate --point front.json:"
expect_code 0 "$DSE" show last --store "$work/o d/dse.sqlite"
expect_text "$work/out" "Replay one design: ${replay}0"
expect_code 0 "$DSE" report last --store "$work/o d/dse.sqlite" --json -o "$work/odd.json"
expect_text "$work/odd.json" "\"replay\":\"${replay}{id}\""
expect_code 0 "$DSE" report "$folder" "$folder" -o "$work/two.html"
[ "$(grep -c '"signature":' "$work/two.html")" -eq 2 ] || fail "not both runs are in the report"

# Figures as pictures; the point whose layers they show; the same bytes from any number of threads.
SOURCE_DATE_EPOCH=0
export SOURCE_DATE_EPOCH
# A stand-in for rsvg-convert makes PNG of them.
mkdir "$work/bin" "$work/no"
printf '#!/bin/sh\necho "PNG $*"\n' >"$work/bin/rsvg-convert"
chmod +x "$work/bin/rsvg-convert"
expect_code 0 env PATH="$work/bin:$PATH" "$DSE" report "$folder" --figures "$work/figures" --point 3 --json -j 1 \
	-o "$work/one.json"
expect_empty "$work/err"
for name in front parallel rooflines phases energy power utilisation sensitivity progress; do
	expect_text "$work/figures/$name.svg" '</svg>'
	expect_text "$work/figures/$name.png" "$work/figures/$name.svg"
done
expect_code 0 env PATH="$work/no" "$DSE" report "$folder" --figures "$work/svg" --json -o "$work/no.json"
expect_text "$work/err" "SVG only; PNG beside it takes rsvg-convert (Debian: package librsvg2-bin)"
[ -f "$work/svg/front.svg" ] && [ ! -f "$work/svg/front.png" ] || fail "a PNG without its program"
expect_text "$work/figures/phases.svg" "point 3: latency $(awk -F, '$1 == 3 {printf "%.5g", $2}' "$folder/front.csv") ms"
# The front is the picture that the run itself has.
expect_same "$work/figures/front.svg" "$folder/front.svg"
expect_text "$work/one.json" '"made":"1970-01-01T00:00:00Z"'
expect_text "$work/one.json" '"point":3'
expect_code 0 "$DSE" report "$folder" --point 3 --json -j 3 -o "$work/three.json"
expect_same "$work/one.json" "$work/three.json"
expect_code 2 "$DSE" report "$folder" --point 9
expect_text "$work/err" "has points 0 to 8"
expect_code 2 "$DSE" report "$folder" --point x
expect_text "$work/err" "allowed is the number of a point"

# Some 2000 points of 71 layers: under 3 MB.
cat >"$work/wide.yaml" <<-'END'
	name: wide
	machine: dvfs_chip
	axes: {mla.array: [16x4, 16x2]}
	networks: [resnet50, vgg16]
	layers: [{match: '.*', split: thesis, level: all}]
	objectives: [latency_ms, energy_mj, mac_units]
	search: {max_front: 1100}
END
expect_code 0 "$DSE" explore "$work/wide.yaml" --detail fast -q -o "$results" --store none
expect_code 0 "$DSE" report "$results"/wide-*
[ "$(wc -l <"$(echo "$results"/wide-*)/front.csv")" -gt 2000 ] || fail "not 2000 points"
[ "$(wc -c <"$(echo "$results"/wide-*)/report.html")" -lt 3000000 ] || fail "2000 points in more than 3 MB"

# Inputs out of the store where the files have changed; without it the details are left out, and it is said why.
cp -r spaces "$work/spaces"
expect_code 0 "$DSE" explore "$work/spaces/smoke.yaml" --detail fast -q -o "$work/moved"
sed -i 's/pe_static_mw: .*/pe_static_mw: 9/' "$work/spaces/machines/dvfs_chip.yaml"
expect_code 0 "$DSE" report "$work"/moved/smoke-* --store "$work/moved/dse.sqlite" --json
expect_text "$work/out" '"without":null'
expect_code 0 "$DSE" report "$work"/moved/smoke-* --store none --json
expect_text "$work/err" "dvfs_chip.yaml is not the file that the run was made from"
expect_text "$work/out" "dvfs_chip.yaml is not the file"
! grep -q '"phases":{' "$work/out" || fail "details of another machine"

# Runs without a feasible design say why.
printf 'name: impossible\nmachine: dvfs_chip\nnetwork: tiny\nlayers: [{match: ".*", split: all}]\nconstraints: [latency_ms <= 0.0001]\nobjectives: [latency_ms, energy_mj]\n' >"$work/impossible.yaml"
expect_code 4 "$DSE" explore "$work/impossible.yaml" --detail fast -q -o "$results"
expect_code 0 "$DSE" report "$results"/impossible-* --json
expect_text "$work/out" '"changes_of_one_limit":'
expect_code 0 "$DSE" report "$results"/impossible-*
[ -s "$(echo "$results"/impossible-*)/report.html" ] || fail "no page of a run without designs"

# What is wrong, where, and what to do.
expect_code 2 "$DSE" report
expect_code 2 "$DSE" report 99 --store "$results/dse.sqlite"
expect_text "$work/err" "has no run '99'"
expect_code 5 "$DSE" report "$results"
expect_text "$work/err" "no run.json in it"
mkdir "$work/bad"
cp "$folder/run.json" "$work/bad"
expect_code 5 "$DSE" report "$work/bad"
expect_text "$work/err" "front.json: is not there or empty"
expect_text "$work/err" "to make the files of the run again: dse explore $space"
head -c 3000 "$folder/front.json" >"$work/bad/front.json"
expect_code 3 "$DSE" report "$work/bad"
grep -Eq "front\.json:2[0-9]:[0-9]" "$work/err" || fail "the place where the file ends"
sed 's/"signature": "./"signature": "x/' "$folder/front.json" >"$work/bad/front.json"
expect_code 3 "$DSE" report "$work/bad"
expect_text "$work/err" "they are of two runs"
sed 's/"total_clk": 1/"total_clk": 2/' "$folder/front.json" >"$work/bad/front.json"
expect_code 0 "$DSE" report "$work/bad"
expect_text "$work/err" "has another total_clk now than recorded"
