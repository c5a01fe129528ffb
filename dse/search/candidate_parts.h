/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CANDIDATE_PARTS_H
#define DSE_CANDIDATE_PARTS_H
/*
 * Inside a machine candidate: its tasks (candidate.c), their searches (candidate_search.c), the composition of their
 * fronts (candidate_compose.c), and what a journal keeps of them (candidate_pack.c).
 */
#include "dse/search/candidate.h"

/* All problems of a set have the same internal metrics. */
const struct layer_problem *candidate_any_layer(const struct candidate *candidate);

/* Searches of a layer for each place: one, or where changes of level count, which tell levels apart, one a level. */
size_t candidate_n_level_task(const struct candidate *candidate, size_t distinct);

#endif
