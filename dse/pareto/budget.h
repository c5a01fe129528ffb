/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_BUDGET_H
#define DSE_BUDGET_H
/* Sharing out evaluations among the searches of a space before they begin, so that no share depends on threads. */
#include <stddef.h>
#include <stdint.h>

/*
 * What a search's share grows with. The root of its size: of a branch and bound, which has to get through all of it.
 * The logarithm: of a genetic search, which moves in its genes; by roots the largest layers of MobileNetV2 would have
 * nearly all evaluations and the smallest not one generation.
 */
enum budget_law { BUDGET_BY_ROOT, BUDGET_BY_LOG };

/*
 * Shares [n] of a total that add up to at most it, in proportion to the weights of the searches' sizes [n], but none
 * larger than its search. What small searches leave goes to the others. A size of 0 gets nothing;
 * any other at least 1, also where the total is too small for that.
 */
void budget_share(enum budget_law law, uint64_t total, const uint64_t *size, size_t n, uint64_t *share);

#endif
