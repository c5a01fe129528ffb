/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_EXPR_H
#define DSE_EXPR_H
/*
 * Expressions in space files: numbers, names, + - * / ( ), comparisons
 * (< <= > >= == !=), and or not. Names are resolved when parsed.
 */
#include "sim/base/arena.h"
#include "sim/base/err.h"
#include <stdbool.h>
#include <stddef.h>

struct expr;

/*
 * Parse text. name[0..n-1] are the allowed names; expr_value gets their values
 * in the same order. at is the place of the text's first character. NULL and a
 * message with the exact column, what is allowed and the nearest name when it
 * cannot be parsed.
 */
struct expr *expr_parse(const char *text, struct err_place at, const char *const *name, size_t n, struct arena *arena,
                        struct err *err);

/* Value with value [n]; comparisons give 0 or 1; division by zero gives NaN, which no comparison accepts. */
double expr_value(const struct expr *expr, const double *value);

/* The text it was parsed from. */
const char *expr_text(const struct expr *expr);

/* Whether the expression contains name[i]. */
bool expr_uses(const struct expr *expr, size_t i);

/* Whether its value is a truth value: a comparison, or and, or, not. */
bool expr_is_condition(const struct expr *expr);

/*
 * Values of the two sides of a comparison that makes the expression false: the expression itself, or one below `and`
 * and `or` (of several the first). false when there is none, e.g. below a `not`.
 */
bool expr_missed_sides(const struct expr *expr, const double *value, double *left, double *right);

/*
 * If the expression is `name <= constant expression` (or <, or the mirrored
 * form), true with the index of the name and the constant.
 */
bool expr_upper_limit(const struct expr *expr, size_t *name, double *max);

#endif
