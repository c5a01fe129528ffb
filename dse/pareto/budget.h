/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_BUDGET_H
#define DSE_BUDGET_H
/* Sharing out evaluations among the searches of a space before they begin, so that no share depends on threads. */
#include <stddef.h>
#include <stdint.h>

/*
 * Shares [n] of a total that add up to at most it, in proportion to the square
 * roots of the searches' sizes [n], but none larger than its search: a space of
 * a hundred times as many designs needs more evaluations, but not a hundred
 * times. What small searches leave goes to the others. A size of 0 gets nothing;
 * any other at least 1, also where the total is too small for that.
 */
void budget_share(uint64_t total, const uint64_t *size, size_t n, uint64_t *share);

#endif
