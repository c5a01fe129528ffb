/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_BUILD_H
#define DSE_BUILD_H
/* What this program was built of. */

/*
 * A hash of all sources, the compiler's name and its flags: equal only in programs whose models, searches and formats are
 * the same. "" where the build did not say (the Makefile does), so nothing may rest on it.
 */
extern const char *const build_sources;

#endif
