/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_EXPR_H
#define DSE_EXPR_H
/*
 * Expressions in space files: numbers, names, + - * / ( ), comparisons
 * (< <= > >= == !=), and or not. Names are resolved when parsed. A number in a comparison may have a unit behind it
 * (sim/base/unit.h), which converts to that of the names in the comparison: latency_ms <= 5000us, pe.sram_byte <=
 * 64KiB.
 */
#include "sim/base/arena.h"
#include "sim/base/err.h"
#include <stdbool.h>
#include <stddef.h>

struct expr;

/*
 * Parse text. name[0..n-1] are the allowed names; expr_value gets their values
 * in the same order. unit[0..n-1]: what each name's value is in, "ms"; NULL (or all of unit): no unit converts to it.
 * at is the place of the text's first character. NULL and a
 * message with the exact column, what is allowed and the nearest name when it
 * cannot be parsed, or where a unit converts to no name of its comparison, or to names in two units.
 */
struct expr *expr_parse(const char *text, struct err_place at, const char *const *name, const char *const *unit,
                        size_t n, struct arena *arena, struct err *err);

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

/* The same of name >= number, either way around. */
bool expr_lower_limit(const struct expr *expr, size_t *name, double *min);

#endif
