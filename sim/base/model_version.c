/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/base/model_version.h"

/* The Makefile gives it to this file alone, so that a change anywhere compiles nothing else anew. */
#ifndef DSE_MODEL
#define DSE_MODEL "unknown"
#endif

const char *const model_version = DSE_MODEL;
