/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_BUILD_H
#define DSE_BUILD_H
/* What this program was built of. Set by the Makefile; empty in other builds. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Its number, "0.1.0": DSE_VERSION of dse/lib/dse.h. */
extern const char *const build_version;

/*
 * A hash of all sources, the compiler's name and its flags: equal only in programs whose models, searches and formats
 * are the same. "" where the build did not say (the Makefile does), so nothing may rest on it.
 */
extern const char *const build_sources;

/* Where `make install` puts shipped files, "/usr/local/share/dse": looked at when they are nowhere near the program. */
extern const char *const build_data;

/* `dse --version`: version, hash, compiler, flags, libraries as they were built with. Errors stay in the stream. */
void build_print(FILE *file, bool as_json);

#endif
