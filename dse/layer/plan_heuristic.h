/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PLAN_HEURISTIC_H
#define DSE_PLAN_HEURISTIC_H
/* What a layer problem tells genetic engines: designs to begin with, neighbours, and repair. */
#include "dse/layer/plan.h"

/* Which genes have neighbours that are alike: splits, by number of parts, and operating points. */
extern const bool layer_gene_is_ordered[N_LAYER_GENE];

/* The problem's heuristics: the thesis' split, the uncut block, even tasks for all PEs; see struct problem. */
size_t layer_problem_propose(const void *context, uint32_t *genome, size_t max);

/*
 * Set the splits of a genome whose other genes are set to what the machine's splitter says (of the thesis, or of tiles
 * for what a systolic array is to keep), or to the choices with as many parts. false: it finds none.
 */
bool layer_problem_propose_split(const struct layer_problem *layer, uint32_t *genome);

/* Cut a design whose tasks do not fit a PE's SRAM into smaller ones, in dimensions drawn at random; a closed form of
 * the sizes decides, nothing is simulated. */
void layer_problem_repair(const void *context, struct rng *rng, uint32_t *genome);

#endif
