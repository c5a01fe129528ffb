/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_NSGA2_POPULATION_H
#define DSE_NSGA2_POPULATION_H
/*
 * The core of NSGA-II (K. Deb, A. Pratap, S. Agarwal, T. Meyarivan, "A fast and
 * elitist multiobjective genetic algorithm: NSGA-II", 2002), whatever a genome
 * is: parents and children, their selection by rank and crowding, the
 * tournament. Who uses it brings the variation operators and has children
 * evaluated: nsga2.c for integer genes, tests/support/nsga2_real.c for real ones.
 *
 *   choose parents ─► the user's crossover, mutation, evaluation ─► add ─► select ─► choose ...
 */
#include "dse/engine/nsga2_sort.h"
#include "dse/base/pack.h"
#include "sim/base/rng.h"

struct nsga2_population {
	uint32_t size;
	size_t genome_byte;                     /* of one individual */
	uint32_t n_parent, n_child;             /* parents, best first, then the children added since */
	unsigned char *genome, *new_genome;     /* [2 * size][genome_byte] */
	struct evaluation *result, *new_result; /* [2 * size] */
	struct nsga2_sort sort;
};

/* Room for `size` parents (1..2^31 - 2) and as many children; false when memory is out (free it all the same). */
bool nsga2_population_init(struct nsga2_population *population, uint32_t size, size_t genome_byte,
                           unsigned n_objective);
void nsga2_population_free(struct nsga2_population *population);

/* Add n evaluated children, genome [n][genome_byte], which are copied; at most `size` between two selections. */
void nsga2_population_add(struct nsga2_population *population, const void *genome, const struct evaluation *result,
                          size_t n);

/* The best `size` of parents and children become the parents, best first. There must be one individual at least. */
void nsga2_population_select(struct nsga2_population *population);

/* The winner of a binary tournament among the parents; its genome, valid until the next selection. */
const void *nsga2_population_choose(const struct nsga2_population *population, struct rng *rng);

/* Write parents and children, or read them into a population initialised alike. */
void nsga2_population_pack(struct nsga2_population *population, struct pack *pack);

#endif
