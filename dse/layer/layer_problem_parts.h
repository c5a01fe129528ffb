/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LAYER_PROBLEM_PARTS_H
#define DSE_LAYER_PROBLEM_PARTS_H
/*
 * Inside a layer problem: what building it (layer_problem.c), evaluating a genome (layer_problem_evaluate.c), bounds
 * (layer_problem_bound.c) and what genetic engines are told (layer_problem_heuristic.c) share.
 */
#include "dse/layer/layer_problem.h"

/*
 * Whether a lower bound alone proves that a candidate, and all that share its
 * first out->n_cut genes, exceed a limit or cannot reach the front. out then
 * says so, with an infinite violation: such a candidate is no nearest miss.
 * tiling: of the design's split, from tiling_size; may get its sums.
 */
bool layer_problem_rule_out(const struct layer_problem *layer, const uint32_t *genome,
                            const struct layer_design *design, struct tiling *tiling, struct evaluation *out);

/* Whether two genomes stand for one design at two operating points. */
bool layer_same_but_level(const uint32_t *left, const uint32_t *right);

/* Whether peak power is an objective or limited. */
bool layer_weighs_peak(const struct layer_problem *layer);

/* The evaluation of a design from its result. */
void layer_problem_judge(const struct layer_problem *layer, const struct layer_design *design,
                         const struct sim_result *result, struct evaluation *out);

/* Find least_w, least_h and least_c anew. */
void layer_problem_find_least(struct layer_problem *layer);

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
