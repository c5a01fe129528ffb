# SPDX-License-Identifier: Apache-2.0
#
# One Makefile, four variants (VARIANT=release|debug|asan|tsan), each in a
# build directory of its own. `make help` lists the targets.
#
# Targets a user types run set-up first and then call make again: only the
# second run asks pkg-config, which the set-up may just have installed.

VARIANT ?= release
WERROR ?= 0
prefix ?= /usr/local
PREFIX ?= $(prefix)
LIBDIR ?= $(PREFIX)/lib
DESTDIR ?=
CLANG_FORMAT ?= clang-format
OBJCOPY ?= objcopy
JOBS ?= $(shell nproc 2>/dev/null || echo 1)

# gcc's OpenMP library synchronises in ways its thread sanitizer cannot see; clang's tells it. Only clang fuzzes.
ifeq ($(origin CC),default)
CC := $(if $(filter tsan fuzz,$(VARIANT)),clang,gcc)
endif

# The same numbers on every machine: no -march=native, no fused multiply-add,
# no -ffast-math. Assertions stay on in every variant.
ifeq ($(VARIANT),release)
BUILD ?= build
# -O3: 13 % more evaluations a second than -O2; the same results, as neither may reorder arithmetic.
OPTIMISE := -O3 -g
else ifeq ($(VARIANT),debug)
BUILD ?= build/debug
OPTIMISE := -O0 -g3
else ifeq ($(VARIANT),asan)
BUILD ?= build/asan
OPTIMISE := -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
else ifeq ($(VARIANT),tsan)
BUILD ?= build/tsan
OPTIMISE := -O1 -g1 -fno-omit-frame-pointer -fsanitize=thread
else ifeq ($(VARIANT),fuzz)
BUILD ?= build/fuzz
OPTIMISE := -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow \
	-fno-sanitize-recover=all
else
$(error VARIANT is '$(VARIANT)', allowed release, debug, asan, tsan, fuzz)
endif

WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef \
	-Wcast-qual -Wformat=2 $(if $(filter 1,$(WERROR)),-Werror)
# Library headers such as Random123's need no -I on any system we know, so pkg-config is asked for what differs only.
PACKAGES := yaml-0.1 libpcre2-8 jansson libxxhash cminpack libprotobuf-c sqlite3 zlib
PKG_CFLAGS := $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null || echo -I/usr/include/cminpack-1)
PKG_LIBS := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null || \
	echo -lyaml -lpcre2-8 -ljansson -lxxhash -lcminpack -lprotobuf-c -lsqlite3 -lz)
# ONNX's schema comes from the system; the classes made from it are built, not kept. One file knows them,
# mapper/onnx/onnx_read.c. As other people's code they are not held to our warnings.
ONNX_PROTO ?= $(firstword $(wildcard $(addsuffix /onnx/onnx.proto,/usr/local/include /usr/include)))
GENERATED = $(BUILD)/generated
# The charting library of HTML pages; dse/out/page_assets.c puts it and dse/out/page/ into the program.
CHART_JS ?= $(firstword $(wildcard $(addsuffix /chart.js/chart.min.js,/usr/local/share/javascript /usr/share/javascript)))
PAGE_FILES := $(wildcard dse/out/page/*.html dse/out/page/*.css dse/out/page/*.js)
# MPI=1 insists on MPI, MPI=0 does without; else it is used where it is. Sanitizers report what the library leaves
# behind, so their variants do without. One file knows MPI, dse/keep/ranks.c; its headers are not held to our warnings.
MPI ?= $(if $(filter release debug,$(VARIANT)),auto,0)
export MPI
# Likewise the browser in which HTML pages are tested, in the release variant: a page is the same in all. Desktops set
# BROWSER, too, to names of programs, which mean nothing here.
ifeq ($(filter 0 1,$(BROWSER)),)
override BROWSER := $(if $(filter release,$(VARIANT)),auto,0)
endif
export BROWSER
# And Python: PYTHON=1 insists on one with what the package needs, or names one (dse/python/find).
export PYTHON
MPI_FLAGS := $(if $(filter 0,$(MPI)),,$(wordlist 2,99,$(shell mpicc -show 2>/dev/null)))
MPI_CFLAGS := $(if $(MPI_FLAGS),-DDSE_MPI $(patsubst -I%,-isystem %,$(filter -I%,$(MPI_FLAGS))))
MPI_LIBS := $(filter -L% -l% -Wl%,$(MPI_FLAGS))
TEST_CFLAGS := $(shell pkg-config --cflags cmocka 2>/dev/null)
TEST_LIBS := $(shell pkg-config --libs cmocka 2>/dev/null || echo -lcmocka)

# One short line a file; V=1 shows the commands.
V ?= 0
Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@echo '  $(1) $@')

# One set of objects serves program and shared library; with what is public marked as such (dse/lib/dse.h) and all else
# hidden, -fPIC costs no instruction: 3 126 070 459 of `dse explore spaces/thesis_vgg16.yaml --detail fast` beside 3 125 964 200.
LANGUAGE := -std=c11 -D_POSIX_C_SOURCE=200809L -I. -fopenmp -ffp-contract=off -fPIC -fvisibility=hidden
# The same bytes wherever the sources and the build lie. No part of the flags: it changes nothing but names of files.
PATH_MAP = -ffile-prefix-map='$(CURDIR)'=. -ffile-prefix-map='$(BUILD)'=build
# What is called for each candidate lies in many rooms and files. The program's linker joins them again: 5 % fewer
# instructions for `dse explore spaces/thesis_vgg16.yaml --detail fast`. The objects hold plain code, too, for tests and libdse.
HOT_ROOMS := sim/machine sim/mla sim/fast sim/event sim/program mapper/placement mapper/split mapper/distribute \
	mapper/unfold dse/pareto dse/design dse/bound dse/layer dse/engine dse/search
LTO := $(if $(filter release,$(VARIANT)),$(if $(findstring clang,$(CC)),,-flto=auto))
# SHARED=1, for tests/mutate: tests share one library of all objects, whose names must be seen from outside.
ifdef SHARED
override LANGUAGE := $(filter-out -fvisibility=hidden,$(LANGUAGE)) -fno-semantic-interposition
endif
ALL_CFLAGS := $(LANGUAGE) $(OPTIMISE) $(WARNINGS) $(PKG_CFLAGS) $(CFLAGS)
LINK_FLAGS := $(OPTIMISE) -fopenmp $(LDFLAGS)
ALL_LDFLAGS := $(LINK_FLAGS) $(if $(LTO),-fno-lto)
LIBS := $(PKG_LIBS) $(MPI_LIBS) -lm -ldl

comma := ,

# Rooms, from the ground up; .ci/rooms says what each is allowed to include.
ROOMS := $(shell awk '/^[a-z]/ { print $$1 }' .ci/rooms)
SOURCES := $(sort $(wildcard $(addsuffix /*.c,$(ROOMS))))
HEADERS := $(sort $(wildcard $(addsuffix /*.h,$(ROOMS))))
TEST_SOURCES := $(sort $(wildcard $(addprefix tests/,$(addsuffix /test_*.c,across $(ROOMS)))))
BENCH_SOURCES := $(sort $(wildcard tests/bench/*.c))
FUZZ_SOURCES := $(sort $(wildcard tests/fuzz/fuzz_*.c))
# What several tests share, beside the tests of a room.
SUPPORT_SOURCES := $(filter-out $(TEST_SOURCES),$(sort $(wildcard $(addprefix tests/,$(addsuffix /*.c,support $(ROOMS))))))
TEST_SCRIPTS := $(sort $(wildcard tests/cli/*.sh))

OBJECTS := $(SOURCES:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/onnx.pb-c.o
ONNX_OBJECTS := $(BUILD)/obj/mapper/onnx/onnx_read.o $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/mapper/onnx/*.c tests/mapper/quantise/*.c))
MAIN_OBJECT := $(BUILD)/obj/dse/cmd/main.o
ARCHIVE := $(BUILD)/objects.a
PROGRAM := $(BUILD)/dse

# libdse is dse/lib/, what that needs of the archive, and nothing else: no MPI, no store. Before 1.0 every second
# number of the version is another soname. Sanitizers want the whole program, so their variants have no library.
VERSION := $(shell sed -n 's/^\#define DSE_VERSION "\(.*\)"/\1/p' dse/lib/dse.h)
SONAME := libdse.so.$(basename $(VERSION))
LIBRARY_PACKAGES := yaml-0.1 libpcre2-8 jansson libxxhash libprotobuf-c
LIBRARY_LIBS = $(shell pkg-config --libs $(LIBRARY_PACKAGES) 2>/dev/null || echo -lyaml -lpcre2-8 -ljansson -lxxhash -lprotobuf-c)
LIBRARY_OBJECTS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard dse/lib/*.c)) $(BUILD)/obj/library/ranks.o
LIBRARIES := $(if $(filter release debug,$(VARIANT)),$(BUILD)/libdse.a $(BUILD)/libdse.so.$(VERSION))
SUPPORT := $(SUPPORT_SOURCES:%.c=$(BUILD)/obj/%.o)
TESTS := $(addprefix $(BUILD)/tests/,$(basename $(notdir $(TEST_SOURCES))))
# What is not run needs no building (tests/run).
ifeq ($(TEST_SHORT),1)
TESTS := $(filter-out $(addprefix $(BUILD)/tests/,$(shell grep -v '^\#' tests/longest)),$(TESTS))
endif
# ONLY='test_why map.sh': these alone.
ifneq ($(ONLY),)
ifneq ($(filter-out $(notdir $(TESTS) $(TEST_SCRIPTS)),$(ONLY)),)
$(error no such test: $(filter-out $(notdir $(TESTS) $(TEST_SCRIPTS)),$(ONLY)))
endif
TESTS := $(filter $(addprefix %/,$(ONLY)),$(TESTS))
TEST_SCRIPTS := $(filter $(addprefix %/,$(ONLY)),$(TEST_SCRIPTS))
endif
FUZZ_KINDS := $(FUZZ_SOURCES:tests/fuzz/fuzz_%.c=%)
CORPUS_OBJECTS := $(FUZZ_KINDS:%=$(BUILD)/obj/corpus/%.o) $(BUILD)/obj/tests/fuzz/corpus.o
FUZZERS := $(FUZZ_SOURCES:tests/fuzz/%.c=$(BUILD)/%)
BENCHES := $(filter-out %/calibrate_hdl,$(BENCH_SOURCES:tests/bench/%.c=$(BUILD)/bench/%))

# make again, on all cores unless the user chose a number of jobs.
AGAIN = +@$(MAKE) --no-print-directory $(if $(findstring --jobserver,$(MAKEFLAGS)),,-j$(JOBS))

# These call make again; beside another goal both would build the same files at the same time.
ifneq ($(word 2,$(MAKECMDGOALS)),)
ifneq ($(filter all test test-threads explore picture kills widths stops faults fuzz draws ranges signatures certificates tiers tiers-table calibrate bench debug asan tsan install deb wheel python-draws notebooks,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif
endif

.DEFAULT_GOAL := all
.PHONY: all deps test test-threads widths stops faults fuzz draws mutation mutants tiers tiers-table calibrate explore bench debug asan tsan layers headers format install clean
.PHONY: install-files uninstall deb deb-files wheel wheel-files python-draws notebooks dist reproducible
.PHONY: build-faults help picture bench-page bench-peers build-program build-tests build-fuzzers build-benches
.PHONY: run-tests run-thread-scripts run-fuzzers run-benches run-tiers run-tiers-table run-calibrate run-peers FORCE
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules

all:
	@CC='$(CC)' ./.ci/deps --check
	$(AGAIN) build-program

deps:
	@CC='$(CC)' VARIANT='$(VARIANT)' ./.ci/deps

test: deps
	$(AGAIN) build-tests build-program
	$(AGAIN) run-tests

# Commands that search, keep runs and read them, under the thread sanitizer, with the store on; about a minute. All tests
# under it: make test VARIANT=tsan.
THREAD_SCRIPTS := $(addprefix tests/cli/,store.sh together.sh compare_runs.sh explore.sh)
test-threads:
	$(AGAIN) VARIANT=tsan deps
	$(AGAIN) VARIANT=tsan build-program
	$(AGAIN) VARIANT=tsan run-thread-scripts

explore: deps
	$(AGAIN) build-program
	@$(PROGRAM) explore spaces/mla_sizing.yaml

# The README's pictures.
picture: explore
	@cp "$$(ls -td results/mla_sizing-*/ | head -n 1)front.svg" results/mla_sizing.svg
	@$(PROGRAM) power dvfs_chip vgg16 --layers '^CONV_' --tasks --budget-frac 0.583 -q -o results/power >/dev/null
	@cp results/power/power.svg results/power_vgg16.svg
	@$(PROGRAM) roofline arada_figure_3 efficientnet_b0 --levels tops_4,tops_0.4 --memory-gb-s 122,71,29 -q \
		-o results/roofline >/dev/null
	@cp results/roofline/roofline.svg results/roofline_efficientnet_b0.svg
	@$(PROGRAM) arada spaces/arada.yaml -q -o results/arada >/dev/null
	@cp results/arada/means.svg results/arada_means.svg

# Every command on terminals of four widths; `make test` looks at a part of them on the narrowest.
widths: deps
	$(AGAIN) build-program
	@WIDTHS='60 80 100 200' DSE='$(abspath $(PROGRAM))' tests/cli/widths.sh

# Fifty kills of searches at random moments and of runs that are kept, a hundred of writers of the store; `make test`
# makes a few of each.
kills: deps
	$(AGAIN) build-program $(BUILD)/tests/test_run_store_kills
	@KILLS=50 DSE='$(abspath $(PROGRAM))' tests/cli/resume.sh
	@KILLS=50 DSE='$(abspath $(PROGRAM))' tests/cli/store.sh
	@KILLS=100 $(BUILD)/tests/test_run_store_kills

# When each command ends after a signal, and a search after --max-seconds: figures; minutes. STOPS: those that match.
stops: deps
	$(AGAIN) build-program
	@DSE='$(abspath $(PROGRAM))' tests/stops.sh '$(STOPS)'

# Every allocation, write, fsync and rename of short commands fails once. Minutes of a core. FAULTS: commands that match.
faults: deps
	$(AGAIN) VARIANT=release build-program build-faults
	@DSE='$(abspath $(PROGRAM))' tests/faults/run '$(abspath $(BUILD))/faults.so' '$(FAULTS)'

# Not part of test: what it finds depends on how long it may look.
fuzz:
	@echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' | \
		clang -fsanitize=fuzzer,address,undefined -x c - -o /dev/null >/dev/null 2>&1 || \
		{ echo 'make fuzz needs clang and its fuzzer: packages clang and libclang-rt-dev' >&2; exit 1; }
	@CC=clang ./.ci/deps
	$(AGAIN) VARIANT=fuzz CC=clang build-fuzzers build-program
	+@$(MAKE) --no-print-directory VARIANT=fuzz CC=clang run-fuzzers

# All random cases of the tests that draw them, or of one, ONLY=test_why; `make test` draws a sample. Half an hour of two cores.
DRAW_TESTS := $(sort $(basename $(notdir $(shell grep -l 'support/draws\.h' $(TEST_SOURCES)))))
draws: deps
	$(AGAIN) VARIANT=release run-draws

# The studies of arrays and their memories anew, beside their tables in results/STUDIES.md; `make test` a machine of each.
# And what of documents and shipped files takes longest. Minutes.
.PHONY: studies
studies: deps
	$(AGAIN) build-program
	@DSE='$(abspath $(PROGRAM))' tests/cli/readme_sizes.sh --all
	@DSE='$(abspath $(PROGRAM))' tests/cli/readme_table.sh --all
	@DSE='$(abspath $(PROGRAM))' tests/cli/readme_arada.sh --all
	@DSE='$(abspath $(PROGRAM))' tests/cli/readme.sh --all
	@DSE='$(abspath $(PROGRAM))' tests/cli/check.sh --all

# The documents as a site, build/site/html; MkDocs is installed where apt-get is there.
.PHONY: site
site:
	@SITE=1 ./.ci/deps
	$(AGAIN) build-program
	@dse/site/build '$(abspath $(PROGRAM))' build/site
	@echo 'build/site/html/index.html'

# Every machine parameter at its least and most, and all pairs, with extreme layers, through every command. Minutes.
.PHONY: ranges
ranges:
	+@$(MAKE) --no-print-directory draws ONLY='test_ranges test_range_commands'

# What shipped spaces are said to have on their fronts (tests/signatures.txt), on one thread and on two, by each compiler in
# each variant: a build a time, the next when it is as listed. Ten minutes of two cores.
.PHONY: signatures
SIGNATURE_BUILDS ?= gcc-release clang-release gcc-asan clang-asan clang-tsan
signatures: deps $(SIGNATURE_BUILDS:%=signatures-%)
signatures-%:
	$(AGAIN) CC=$(word 1,$(subst -, ,$*)) VARIANT=$(word 2,$(subst -, ,$*)) $(if $(filter %release,$*),,MPI=0) BUILD=build/signatures-$* build-program
	@TSAN_OPTIONS=ignore_noninstrumented_modules=1 tests/signatures.sh build/signatures-$*/dse

# Certificates of shipped spaces are checked and timed, and faults planted in them are refused. Minutes.
.PHONY: certificates
certificates: deps
	$(AGAIN) build-program
	@tests/certificates.sh '$(abspath $(PROGRAM))'

# Whether any test notices a changed constant; minutes.
mutation: deps
	@./tests/mutate/constants.sh

# Whether any test notices a changed condition or a lost statement; 300 of them, an hour of a core.
mutants: deps
	@./tests/mutate/conditions.sh

# The fast tier against the event tier on every layer, with every strategy and array; `make test` runs a part of it.
tiers: deps
	$(AGAIN) VARIANT=release run-tiers

# Measures sim/fast/uncertainty_table.c anew, for the models as they are now; minutes of all cores.
tiers-table: deps
	$(AGAIN) VARIANT=release run-tiers-table

# Fits hdl_qpe_calibrated.yaml anew, and tells how far it is from rows left out; half a minute of two cores.
calibrate: deps
	$(AGAIN) VARIANT=release run-calibrate

# OLD=path: another dse, whose searches are timed beside this one's.
bench: deps
	$(AGAIN) VARIANT=release build-benches
	$(AGAIN) VARIANT=release run-benches

# How fast a report of 10 000 points answers in a browser.
bench-page:
	@BROWSER=1 ./.ci/deps
	$(AGAIN) VARIANT=release build-program
	@DSE='$(abspath $(PROGRAM))' BROWSER=1 tests/browser/bench.sh

# Beside pagmo2's NSGA-II. pagmo2 is no dependency: who wants to compare installs it.
bench-peers: deps
	@if echo '#include <pagmo/algorithms/nsga2.hpp>' | $(CXX) -std=c++17 -E -x c++ - >/dev/null 2>&1; then \
		$(MAKE) --no-print-directory VARIANT=release run-peers; \
	else \
		echo 'make bench-peers needs g++ and pagmo2 (Debian: packages g++ and libpagmo-dev); nothing was run'; \
	fi

debug asan tsan:
	$(AGAIN) VARIANT=$@ deps
	$(AGAIN) VARIANT=$@ build-program build-tests

build-program: $(PROGRAM) $(LIBRARIES) ; @:
build-tests: $(TESTS) build-faults $(BUILD)/corpus ; @:
build-faults: $(if $(filter release debug,$(VARIANT)),$(BUILD)/faults.so $(BUILD)/machine_fault.so) ; @:
build-fuzzers: $(FUZZERS) ; @:
build-benches: $(BENCHES) ; @:

# The OpenMP library is not instrumented: without the option its own hand-overs are reported as races.
RUN_TESTS = TSAN_OPTIONS="$${TSAN_OPTIONS:-ignore_noninstrumented_modules=1}" DSE='$(abspath $(PROGRAM))' ./tests/run
run-tests: $(TESTS) $(PROGRAM)
	@$(RUN_TESTS) $(TESTS) $(TEST_SCRIPTS)

run-thread-scripts: $(PROGRAM)
	@$(RUN_TESTS) $(THREAD_SCRIPTS)

run-fuzzers: $(FUZZERS) $(PROGRAM)
	@DSE='$(abspath $(PROGRAM))' ./tests/fuzz/run '$(abspath $(BUILD))' $(FUZZERS)

run-benches: $(BENCHES) $(PROGRAM)
	@set -e; for bench in $(BENCHES); do "$$bench"; done
	@DSE='$(abspath $(PROGRAM))' OLD='$(OLD)' tests/bench/fronts.sh

run-draws: $(addprefix $(BUILD)/tests/,$(or $(ONLY),$(DRAW_TESTS)))
	@DRAWS=all ./tests/run $^

run-tiers: $(BUILD)/tests/test_tiers $(BUILD)/tests/test_random_tiers
	@set -e; for test in $^; do TIERS=all "$$test"; done

run-tiers-table: $(PROGRAM) $(BUILD)/tests/test_random_tiers
	@tests/tiers_table.sh $^ >$(BUILD)/uncertainty_table.c
	@mv $(BUILD)/uncertainty_table.c sim/fast/uncertainty_table.c

run-peers: $(BUILD)/peers/pagmo
	@$<

run-calibrate: $(BUILD)/bench/calibrate_hdl
	@$<

# ---- compiling -----------------------------------------------------------------------------------

# Rewritten only when the compiler or a flag changes; everything is compiled again then.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(CC) $(ALL_CFLAGS) $(TEST_CFLAGS) $(MPI_CFLAGS) $(LTO)' '$(ALL_LDFLAGS) $(LIBS) $(TEST_LIBS)' >$@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; fi

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) $(PATH_MAP) -MMD -MP -c $< -o $@

$(GENERATED)/onnx.pb-c.c: $(ONNX_PROTO)
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)protoc-c --c_out=$(@D) -I$(dir $<) $<

$(GENERATED)/onnx.pb-c.h: $(GENERATED)/onnx.pb-c.c ;

$(BUILD)/obj/onnx.pb-c.o: $(GENERATED)/onnx.pb-c.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(LANGUAGE) $(OPTIMISE) $(PKG_CFLAGS) $(CFLAGS) $(PATH_MAP) -w -c $< -o $@

$(ONNX_OBJECTS): private ALL_CFLAGS += -isystem $(GENERATED)
$(ONNX_OBJECTS): $(GENERATED)/onnx.pb-c.h

ifneq ($(LTO),)
$(filter $(HOT_ROOMS:%=$(BUILD)/obj/%/%.o),$(OBJECTS)): private ALL_CFLAGS += $(LTO) -ffat-lto-objects
endif

$(BUILD)/obj/dse/keep/ranks.o: private ALL_CFLAGS += $(MPI_CFLAGS)

$(BUILD)/obj/dse/out/page_assets.o: private ALL_CFLAGS += -DCHART_JS='"$(CHART_JS)"'
$(BUILD)/obj/dse/out/page_assets.o: $(PAGE_FILES) $(CHART_JS)

# A hash of all that decides results, for what is kept of them: rewritten only when it is another one.
$(BUILD)/sources.h: $(SOURCES) $(HEADERS) $(BUILD)/flags
	@mkdir -p $(@D)
	@printf '#define DSE_SOURCES "%.32s"\n' "$$(cat $(sort $(SOURCES) $(HEADERS)) $(BUILD)/flags | sha256sum)" >$@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; fi

# Which model prices designs: a hash of the lines of sim/ and mapper/ that are no comments, rewritten only when it is another one.
MODEL_SOURCES := $(filter-out mapper/onnx/% mapper/prove/% mapper/fuse/%,$(filter sim/% mapper/%,$(SOURCES) $(HEADERS)))
$(BUILD)/model.h: $(MODEL_SOURCES)
	@mkdir -p $(@D)
	@printf '#define DSE_MODEL "%.16s"\n' "$$(./dse/packaging/model $(sort $^) | sha256sum)" >$@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; fi

$(BUILD)/obj/sim/base/model_version.o: private ALL_CFLAGS += -include $(BUILD)/model.h
$(BUILD)/obj/sim/base/model_version.o: $(BUILD)/model.h

# What `dse --version` tells of the build, and where an installed library finds shipped files.
$(BUILD)/facts.h: FORCE
	@mkdir -p $(@D)
	@./dse/packaging/facts '$(VERSION)' '$(VARIANT)' '$(LANGUAGE) $(OPTIMISE) $(PKG_CFLAGS) $(CFLAGS)' '$(PREFIX)/share/dse' '$(CHART_JS)' $(PACKAGES) >$@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; fi

$(BUILD)/obj/dse/out/build.o: private ALL_CFLAGS += -include $(BUILD)/sources.h -include $(BUILD)/facts.h
$(BUILD)/obj/dse/out/build.o: $(BUILD)/sources.h $(BUILD)/facts.h

$(BUILD)/obj/tests/%.o: tests/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) $(TEST_CFLAGS) $(PATH_MAP) -MMD -MP -c $< -o $@

# The list of members is a prerequisite of its own, so that a removed source leaves the archive.
$(BUILD)/members: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(OBJECTS) >$@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; fi

$(ARCHIVE): $(filter-out $(MAIN_OBJECT),$(OBJECTS)) $(BUILD)/members
	@rm -f $@
	$(call say,AR)
	$(Q)$(AR) rcsD $@ $(filter %.o,$^)

$(PROGRAM): $(MAIN_OBJECT) $(ARCHIVE)
	$(call say,LD)
	$(Q)$(CC) $(LINK_FLAGS) $(if $(LTO),$(LTO) $(PATH_MAP)) $^ $(LIBS) -o $@

# Without -DDSE_MPI.
$(BUILD)/obj/library/%.o: dse/keep/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) $(PATH_MAP) -MMD -MP -c $< -o $@

$(BUILD)/libdse.so.$(VERSION): $(LIBRARY_OBJECTS) $(ARCHIVE)
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--no-undefined -Wl,--as-needed $^ \
		$(LIBRARY_LIBS) -lm -ldl -o $@

# One object whose names are the public ones: ours clash with nobody's.
$(BUILD)/libdse.a: $(LIBRARY_OBJECTS) $(ARCHIVE)
	$(call say,AR)
	$(Q)$(CC) $(if $(LTO),-fno-lto) -r -nostdlib $^ -o $(BUILD)/obj/library/dse.o
	$(Q)$(OBJCOPY) --localize-hidden --wildcard --remove-section='.gnu.lto_*' $(BUILD)/obj/library/dse.o
	@rm -f $@
	$(Q)$(AR) rcsD $@ $(BUILD)/obj/library/dse.o

# What several tests share is linked to all of them.
$(TESTS): $(SUPPORT) $(if $(SHARED),| $(BUILD)/objects.so,$(ARCHIVE))
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) $(filter %.o,$^) $(if $(SHARED),$(BUILD)/objects.so -Wl$(comma)-rpath$(comma)'$(abspath $(BUILD))',$(ARCHIVE)) $(TEST_LIBS) $(LIBS) -o $@

$(BUILD)/objects.so: $(filter-out $(MAIN_OBJECT),$(OBJECTS))
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) -shared $^ $(LIBS) -o $@

# Tests lie in the rooms of what they test, their programs in one folder.
$(foreach source,$(TEST_SOURCES),$(eval $(BUILD)/tests/$(basename $(notdir $(source))): $(BUILD)/obj/$(source:.c=.o)))

# What makes calls of a program fail; sanitizers bring allocations of their own.
$(BUILD)/faults.so: $(wildcard tests/faults/*.c) tests/faults/faults.h $(BUILD)/flags
	$(call say,CC)
	$(Q)$(CC) -std=c11 -O1 -g -fPIC -shared -Wall -Wextra -Wno-pedantic -I. $(filter %.c,$^) -ldl -o $@

# Ends a process while it is at work on a given machine.
$(BUILD)/machine_fault.so: tests/apart/machine_fault.c dse/base/at_work.h $(BUILD)/flags
	$(call say,CC)
	$(Q)$(CC) -std=c11 -I. -O1 -g -fPIC -shared -Wall -Wextra -Wno-pedantic $< -ldl -o $@

# -fsanitize=fuzzer brings the main program.
$(BUILD)/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(ARCHIVE)
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer $^ $(LIBS) -o $@

# All fuzzers in one program that takes each input once, in any variant.
$(BUILD)/obj/corpus/%.o: tests/fuzz/fuzz_%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) -DLLVMFuzzerTestOneInput=one_$* $(PATH_MAP) -MMD -MP -c $< -o $@

$(BUILD)/obj/tests/fuzz/corpus.o: private ALL_CFLAGS += -DKINDS='$(foreach kind,$(FUZZ_KINDS),KIND($(kind)))'

$(BUILD)/corpus: $(CORPUS_OBJECTS) $(ARCHIVE)
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@

$(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(ARCHIVE)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(ALL_LDFLAGS) $(filter %.o,$^) $(ARCHIVE) $(LIBS) -o $@

$(BUILD)/bench/bench_moo $(BUILD)/peers/pagmo: $(BUILD)/obj/tests/support/nsga2_real.o

$(BUILD)/peers/%: tests/peers/%.cpp $(BUILD)/obj/tests/peers/ours.o $(ARCHIVE)
	@mkdir -p $(@D)
	$(call say,CXX)
	$(Q)$(CXX) -std=c++17 -O3 -I. -fopenmp $(filter %.cpp %.o,$^) $(ARCHIVE) -lpagmo $(LIBS) -o $@

-include $(OBJECTS:.o=.d) $(LIBRARY_OBJECTS:.o=.d) $(SUPPORT:.o=.d) $(TEST_SOURCES:%.c=$(BUILD)/obj/%.d) $(BENCH_SOURCES:%.c=$(BUILD)/obj/%.d) \
	$(FUZZ_SOURCES:%.c=$(BUILD)/obj/%.d) $(CORPUS_OBJECTS:.o=.d) $(BUILD)/obj/tests/peers/ours.d

# ---- checks of the source ------------------------------------------------------------------------

# Includes against the table of rooms: upward ones, circles of rooms and of modules, private headers of other rooms.
layers:
	@./.ci/layers

# Each header compiles alone, and twice; as many at a time as there are cores.
headers:
	@printf '%s\n' $(HEADERS) | xargs -P $(JOBS) -I '{}' sh -c ' \
		printf "#include \"%s\"\n#include \"%s\"\n" "{}" "{}" | \
		$(CC) $(ALL_CFLAGS) -Werror -fsyntax-only -x c - || { echo "{}: does not compile alone"; exit 1; }'

format:
	@$(CLANG_FORMAT) -i $(SOURCES) $(HEADERS) $(TEST_SOURCES) $(SUPPORT_SOURCES) $(BENCH_SOURCES) $(FUZZ_SOURCES)

# ---- the rest ------------------------------------------------------------------------------------

install: all
	$(AGAIN) install-files

# What is built already, wherever it is to go: packages and tests do without make's opinion of what is old.
INSTALL = BUILD='$(BUILD)' VERSION='$(VERSION)' SONAME='$(SONAME)' PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' \
	DESTDIR='$(DESTDIR)' PACKAGES='$(LIBRARY_PACKAGES)' ./dse/packaging/install

install-files:
	$(Q)$(INSTALL)

uninstall:
	$(Q)$(INSTALL) --uninstall

# Debian packages of the program, the library, what is needed to build with it, and Python's, in build/packages.
deb:
	@CC='$(CC)' ./.ci/deps --check
	$(AGAIN) VARIANT=release PREFIX=/usr build-program
	+@$(MAKE) --no-print-directory VARIANT=release PREFIX=/usr deb-files

# The Python package with library, program and shipped files in it, for `pip install`; in build/packages. It is linked with
# this system's libraries, so it is for systems of the same kind.
wheel: deps
	$(AGAIN) VARIANT=release build-program
	+@$(MAKE) --no-print-directory VARIANT=release wheel-files

wheel-files:
	$(Q)BUILD='$(BUILD)' VERSION='$(VERSION)' SONAME='$(SONAME)' ./dse/packaging/wheel

# All random cases of the Python package's tests: 1 000 designs, 40 spaces, 10 000 calls that leak nothing. A minute or two.
python-draws: deps
	$(AGAIN) VARIANT=release build-program
	@DRAWS=all DSE='$(abspath $(PROGRAM))' ./tests/run tests/cli/python.sh

# The notebooks, from their first cell to their last: they print what they have kept (RECORD=1: it is kept anew). A minute.
# NOTEBOOKS='power*': these alone.
NOTEBOOKS ?= 1
notebooks: deps
	$(AGAIN) VARIANT=release build-program
	@NOTEBOOKS='$(NOTEBOOKS)' DSE='$(abspath $(PROGRAM))' ./tests/run tests/cli/python.sh

deb-files:
	$(Q)BUILD='$(BUILD)' VERSION='$(VERSION)' SONAME='$(SONAME)' PACKAGES='$(LIBRARY_PACKAGES)' ./dse/packaging/deb

# The last commit's sources.
dist:
	@mkdir -p $(BUILD)
	$(Q)git archive --format=tar --prefix=dse-$(VERSION)/ HEAD | gzip -9n >$(BUILD)/dse-$(VERSION).tar.gz
	@echo $(BUILD)/dse-$(VERSION).tar.gz

# Two builds of the last commit in different folders are the same bytes; minutes, so no part of `make test`.
reproducible:
	@./dse/packaging/reproducible

clean:
	rm -rf build

help:
	@echo 'make            build/dse'
	@echo 'make explore    set up, build, explore spaces/mla_sizing.yaml'
	@echo 'make test       set up, build, run every test (ONLY='"'"'test_why map.sh'"'"': these); VARIANT=asan, tsan or debug: in that variant'
	@echo 'make test-threads searches that are kept in a store under the thread sanitizer (clang); a minute'
	@echo 'make fuzz       fuzz every reader and command with clang for FUZZ_SECONDS (10) each, in build/fuzz (FUZZ: which)'
	@echo 'make draws      all random cases of the tests that draw them (ONLY=test_why: of one); half an hour'
	@echo 'make faults     every allocation, write, fsync and rename of short commands fails once; minutes of a core (FAULTS: which)'
	@echo 'make ranges     all machine parameters at their least and most, two at a time, through every command; minutes'
	@echo 'make stops      how long each command goes on after a signal, and a search after --max-seconds; minutes'
	@echo 'make mutation   change every constant of the models and machines in turn: does a test fail?'
	@echo 'make mutants    change conditions, signs and statements of models and search: does a test fail? An hour'
	@echo 'make tiers      the fast tier against the event tier on every layer, and on random ones; minutes'
	@echo 'make tiers-table  measure anew how far the fast tier is from the event tier (sim/fast/uncertainty_table.c)'
	@echo 'make calibrate  fit the HDL prototype'"'"'s constants anew, with leave-one-shape-out errors'
	@echo 'make bench      build and run the benchmarks'
	@echo 'make bench-page how fast a report of 10 000 points answers in the browser'
	@echo 'make bench-peers NSGA-II beside pagmo2, where libpagmo-dev is installed'
	@echo 'make picture    the README'"'"'s pictures, from make explore, dse power, roofline and arada'
	@echo 'make site       the documents as a site in build/site/html'
	@echo 'make deps       install the packages that are missing, or name them'
	@echo 'make debug      unoptimised build in build/debug'
	@echo 'make asan       build with address and undefined-behaviour sanitizers in build/asan'
	@echo 'make tsan       build with the thread sanitizer in build/tsan'
	@echo 'make layers     check includes against the table of rooms, .ci/rooms'
	@echo 'make headers    compile each header alone'
	@echo 'make format     lay the source out with clang-format'
	@echo 'make install    program, libdse, shipped files, manual page, completions to PREFIX ($(PREFIX)), below DESTDIR'
	@echo 'make uninstall  remove them; give it the same PREFIX and DESTDIR'
	@echo 'make deb        Debian packages dse, libdse, libdse-dev and python3-dse in build/packages'
	@echo 'make wheel      the Python package with all it needs, for pip, in build/packages'
	@echo 'make notebooks  run the notebooks of dse/python/notebooks, which print what they have kept; RECORD=1 keeps it anew'
	@echo 'make python-draws all random cases of the tests of the Python package; minutes'
	@echo 'make dist       the last commit'"'"'s sources as a tarball'
	@echo 'make reproducible build the last commit twice, in different folders: the same bytes? minutes'
	@echo 'make clean      remove build/'
	@echo 'Variables: CC, CFLAGS, LDFLAGS, VARIANT, WERROR=1, V=1 (show commands), MPI=0 or 1, BROWSER=0 or 1, PYTHON=1 or a path, JOBS, TEST_JOBS, PREFIX, LIBDIR, DESTDIR'
