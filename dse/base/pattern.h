/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PATTERN_H
#define DSE_PATTERN_H
/*
 * Patterns that choose layers by the name of their core operation
 * ('^CONV_(SC_)?\d+$'): Perl-compatible regular expressions. Only pattern.c
 * knows PCRE2.
 */
#include "sim/base/err.h"
#include <stdbool.h>

/* A compiled pattern; owns its memory (pattern_free). Read-only afterwards, so any thread may match with it. */
struct pattern {
	void *code;
};

/*
 * Compile text, whose first character stands at `at` (file NULL: not in a
 * file). ERR_INPUT with PCRE2's message, the column of the mistake and what is
 * allowed; ERR_INTERNAL when memory is out. pattern is empty then.
 */
enum err_code pattern_compile(const char *text, struct err_place at, struct pattern *pattern, struct err *err);

/*
 * Whether the pattern matches anywhere in subject (no anchors are implied).
 * ERR_INPUT when that takes too many steps, which a nested repetition such as
 * (a+)+ can cause; *matches is false then.
 */
enum err_code pattern_match(const struct pattern *pattern, const char *subject, bool *matches, struct err *err);

/* Give the memory back; an empty pattern is fine. */
void pattern_free(struct pattern *pattern);

/* The same of a text that goes by two names; other may be NULL. */
enum err_code pattern_match_either(const struct pattern *pattern, const char *text, const char *other, bool *matches,
                                   struct err *err);

#endif
