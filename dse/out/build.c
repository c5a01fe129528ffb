/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/build.h"
#include "dse/out/json.h"
#include "dse/base/parallel.h"
#include "dse/keep/ranks.h"
#include "sim/base/model_version.h"

/* The Makefile gives these to this file alone, so that a change anywhere compiles nothing else anew. */
#ifndef DSE_SOURCES
#define DSE_SOURCES ""
#endif
#ifndef DSE_VARIANT
#define BUILD_VERSION ""
#define DSE_VARIANT ""
#define DSE_FLAGS ""
#define DSE_DATA ""
#endif

#if defined(__clang__)
#define COMPILER "clang"
#define COMPILER_VERSION __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc"
#define COMPILER_VERSION __VERSION__
#else
#define COMPILER "unknown"
#define COMPILER_VERSION ""
#endif

#define LICENCE "Apache-2.0"

const char *const build_version = BUILD_VERSION;
const char *const build_sources = DSE_SOURCES;
const char *const build_data = DSE_DATA;

static const struct library {
	const char *name, *version;
} library[] = {
#ifdef DSE_LIBRARIES
    DSE_LIBRARIES
#else
    {"", ""}
#endif
};

static void print_json(FILE *file)
{
	struct json json;
	char mpi[RANKS_LIBRARY_SIZE];
	json_start_object(&json, file, 2);
	json_put_fields(&json,
	                "program %s, version %s, sources %s, model %s, compiler %s, compiler_version %s, variant %s, flags %s",
	                "dse", BUILD_VERSION, build_sources, model_version, COMPILER, COMPILER_VERSION, DSE_VARIANT,
	                DSE_FLAGS);
	json_begin_object(&json, "libraries");
	for (size_t i = 0; i < sizeof(library) / sizeof(library[0]); i++)
		json_put_text(&json, library[i].name, library[i].version);
	json_end(&json);
	json_put_fields(&json, "openmp %s, mpi %s, data %s, licence %s", parallel_standard(), ranks_library(mpi),
	                build_data, LICENCE);
	json_finish(&json);
}

void build_print(FILE *file, bool as_json)
{
	if (as_json) {
		print_json(file);
		return;
	}
	char mpi[RANKS_LIBRARY_SIZE];
	(void)fprintf(file, "dse %s\nsources    %s\nmodel      %s\ncompiler   %s %s\nvariant    %s\nflags      %s\n", BUILD_VERSION,
	              build_sources, model_version, COMPILER, COMPILER_VERSION, DSE_VARIANT, DSE_FLAGS);
	(void)fputs("libraries  ", file);
	for (size_t i = 0; i < sizeof(library) / sizeof(library[0]); i++)
		(void)fprintf(file, "%s%s %s", i ? ", " : "", library[i].name, library[i].version);
	(void)fprintf(file, "\nOpenMP     %s\nMPI        %s\ndata       %s\nlicence    %s\n", parallel_standard(),
	              ranks_library(mpi), build_data, LICENCE);
}
