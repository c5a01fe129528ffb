/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_GENOME_SET_H
#define DSE_GENOME_SET_H
/*
 * The set of genomes a search has asked for, so that it asks for none twice.
 * A space of fewer than 2^64 - 1 candidates is numbered, and the set holds the
 * numbers: 8 bytes each, exact. In a larger space it holds 128-bit hashes; that
 * two of a thousand million genomes share one has a probability of 1.5e-21, and
 * then one candidate is taken for known.
 */
#include "dse/base/pack.h"
#include "dse/engine/problem.h"

/* Initialise with genome_set_init. */
struct genome_set {
	const struct problem *problem;
	int numbered;         /* keys are numbers of candidates, not hashes */
	uint64_t n, n_slot;   /* n_slot: a power of two, or 0 */
	uint64_t *low, *high; /* [n_slot]; high is NULL when numbered */
	bool is_out;          /* memory was out: since then no genome is new */
};

/* The problem must outlive the set. Allocates nothing. */
void genome_set_init(struct genome_set *set, const struct problem *problem);
void genome_set_free(struct genome_set *set);

/* Add a genome [n_gene]; whether it is new. */
bool genome_set_add(struct genome_set *set, const uint32_t *genome);

/*
 * Add the first genome that is not known, counting on from next [n_gene], and move next behind it. false, with
 * *is_through, when there is none left.
 */
bool genome_set_walk(struct genome_set *set, uint32_t *next, bool *is_through, uint32_t *genome);

/* Write the set, or read it into an empty one of the same problem. */
void genome_set_pack(struct genome_set *set, struct pack *pack);

#endif
