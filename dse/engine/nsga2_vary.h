/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_NSGA2_VARY_H
#define DSE_NSGA2_VARY_H
/*
 * Variation of integer genomes for NSGA-II: how parents become a child. Four
 * operators take turns; one that brings points to the front is drawn more often
 * (probability matching, D. E. Goldberg, "Probability matching, the magnitude of
 * reinforcement, and classifier system bidding", 1990), and none is forgotten.
 */
#include "dse/engine/nsga2_population.h"
#include "dse/base/pack.h"
#include "dse/engine/problem.h"
#include "sim/base/rng.h"

enum nsga2_operator {
	NSGA2_MIX,   /* crossover of two parents, then some genes drawn anew */
	NSGA2_BLEND, /* two parents; ordered genes between or beside theirs, then small steps */
	NSGA2_STEP,  /* one parent, few ordered genes a step on */
	NSGA2_RESET, /* one parent, few genes drawn anew */
	NSGA2_N_OPERATOR
};

struct nsga2_vary {
	const struct problem *problem;
	size_t n_free;                   /* genes that have a choice */
	uint32_t *free_gene;             /* [n_free] */
	double n_used[NSGA2_N_OPERATOR]; /* children made and those of them that were gains; older ones fade */
	double n_gain[NSGA2_N_OPERATOR];
	double share[NSGA2_N_OPERATOR]; /* of the children of this generation */
};

/* The problem must outlive it; false when memory is out (free it all the same). */
bool nsga2_vary_init(struct nsga2_vary *vary, const struct problem *problem);
void nsga2_vary_free(struct nsga2_vary *vary);

/* Draw an operator, the more likely the more gains it brought. */
enum nsga2_operator nsga2_vary_choose(const struct nsga2_vary *vary, struct rng *rng);

/* Make a child [n_gene] of the population's parents; strength 1: as usual, larger: farther away. */
void nsga2_vary_make(const struct nsga2_vary *vary, const struct nsga2_population *population,
                     enum nsga2_operator which, unsigned strength, struct rng *rng, uint32_t *genome);

/* What became of a child, and that a generation is over. */
void nsga2_vary_note(struct nsga2_vary *vary, enum nsga2_operator which, bool is_gain);
void nsga2_vary_fade(struct nsga2_vary *vary);

void nsga2_vary_pack(struct nsga2_vary *vary, struct pack *pack);

#endif
