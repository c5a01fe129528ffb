/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PROBLEM_H
#define DSE_PROBLEM_H
/*
 * A problem as the engines see it: integer genes, objectives to minimise, one
 * measure of how far a candidate violates its limits. Nothing of YAML, layers
 * or machines.
 */
#include "dse/pareto/pareto.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pack;
struct rng;

/* The reason of a candidate whose evaluation was stopped: nothing is known of it, and its search ends there. */
#define PROBLEM_STOPPED UINT32_MAX

/* What became of one candidate. */
struct evaluation {
	double objective[PARETO_MAX_OBJECTIVE]; /* to minimise; unused ones 0 */
	double violation; /* 0: feasible; else how far from feasible, larger is worse; objectives may be infinite */
	uint32_t reason;  /* which limit (the caller's numbering); meaningless when feasible */
	/*
	 * A cut: no candidate that agrees in genes 0..n_cut-1 is feasible, so an
	 * exhaustive engine may skip them all. 0: no cut known.
	 */
	uint32_t n_cut;
};

struct problem {
	size_t n_gene;
	const uint32_t *n_value; /* [n_gene], each >= 1; gene i takes 0..n_value[i]-1 */
	unsigned n_objective;
	/*
	 * Evaluate n candidates: genome is [n][n_gene], out is [n]. Called by several
	 * threads at once; must not change what it shares. Never fails: a candidate
	 * that cannot be built is infeasible with a reason. What is stopped (sim/base/stop.h) is PROBLEM_STOPPED; who
	 * runs the search then wants no more, either.
	 */
	void (*evaluate)(const void *context, const uint32_t *genome, size_t n, struct evaluation *out);
	const void *context;
	/*
	 * Evaluate a whole batch with the help of other processes; NULL: there are none, and evaluate is called for
	 * parts of the batch. Called by one thread, which may use n_thread; gives what evaluate gives.
	 */
	void (*evaluate_shared)(const void *context, const uint32_t *genome, size_t n, unsigned n_thread,
	                        struct evaluation *out);
	/* What genetic engines may know besides; each may be NULL. */
	const bool *is_ordered; /* [n_gene] whether neighbouring values are alike; NULL: they are */
	/* Write up to max candidates that heuristics propose, best first, into genome [max][n_gene]; returns how many.
	 */
	size_t (*propose)(const void *context, uint32_t *genome, size_t max);
	/* Change a candidate that is seen to be infeasible without evaluating it into a likelier one. */
	void (*repair)(const void *context, struct rng *rng, uint32_t *genome);
};

/* Whether an evaluation was stopped; any of n. */
static inline bool problem_is_stopped(const struct evaluation *result)
{
	return result->reason == PROBLEM_STOPPED && result->violation > 0;
}
bool problem_any_stopped(const struct evaluation *result, size_t n);

/* Results [n], written or read. */
void problem_pack_results(struct evaluation *result, size_t n, struct pack *pack);

/* A genome of uniform genes. */
void problem_draw(const struct problem *problem, struct rng *rng, uint32_t *genome);

/* Candidates of the problem, UINT64_MAX when that does not fit. */
uint64_t problem_size(const struct problem *problem);

#endif
