/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LEAST_MEMORY_H
#define DSE_LEAST_MEMORY_H
/*
 * The least of layers that earlier searches of other machines have found: a layer is not searched again on a machine
 * that is alike as far as dse/layer/front_key.h says, or has less SRAM that its best design still fits.
 */
#include "dse/layer/layer_problem.h"

struct least_memory;

/* least_memory_free takes it, and NULL. */
struct least_memory *least_memory_new(void);
void least_memory_free(struct least_memory *memory);

/*
 * Whether the least of a layer problem of one metric, without limits, is known; infinite: no design runs. memory may be
 * NULL: nothing is known.
 */
bool least_memory_find(const struct least_memory *memory, const struct layer_problem *layer, double *value);

/*
 * Whether designs that were the best of the same layer on other machines run on this one: front, of the layer's one
 * metric, takes the best of them. A few evaluations, in place of a sample. memory may be NULL.
 */
bool least_memory_begin(const struct least_memory *memory, const struct layer_problem *layer, struct pareto *front);

/* Note the best design of a layer's front, however it was found, for least_memory_begin. memory may be NULL. Serially. */
void least_memory_note_design(struct least_memory *memory, const struct layer_problem *layer,
                              const struct pareto *front);

/* Note what an exact search of it found: a front of its one metric. memory may be NULL. Serially. */
void least_memory_note(struct least_memory *memory, const struct layer_problem *layer, const struct pareto *front);

#endif
