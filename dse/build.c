/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/build.h"

/* The Makefile gives it to this file alone, so that a change anywhere compiles nothing else anew. */
#ifndef DSE_SOURCES
#define DSE_SOURCES ""
#endif

const char *const build_sources = DSE_SOURCES;
