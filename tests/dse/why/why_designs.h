/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_WHY_DESIGNS_H
#define TESTS_WHY_DESIGNS_H
/*
 * All designs of a drawn space, evaluated as wholes, with the choice and without; a mapping's figures are of one run of
 * the network. And which of two sets of them beats the other.
 */
#include "dse/design/simulate.h"
#include "dse/space/space_machine.h"
#include "tests/dse/why/why_drawn.h"
#include <math.h>

static inline struct pareto search(const struct drawn *drawn, bool with_choice, const char *step_key,
                                   const char *step_to, const struct engine_kind *engine)
{
	struct space space;
	struct explore explore;
	write_space(drawn, with_choice, step_key, step_to);
	folder_read_space(&space);
	folder_explore(&space, engine, engine == &engine_exhaustive, 2, &explore);
	struct pareto all = explore.front;
	explore.front = (struct pareto){0};
	explore_free(&explore);
	space_free(&space);
	return all;
}

static inline struct pareto all_designs(const struct drawn *drawn, bool with_choice, const char *step_key,
                                        const char *step_to)
{
	return search(drawn, with_choice, step_key, step_to, &engine_exhaustive);
}

/* The mapping's figures on each machine of the space with the choice, as far as it runs and keeps the limit. */
static inline struct pareto mapping_points(const struct drawn *drawn, const char *step_key, const char *step_to)
{
	struct space space;
	struct pareto all;
	write_space(drawn, true, step_key, step_to);
	folder_read_space(&space);
	const struct network *network = &space.network[0].network;
	pareto_init(&all, drawn->n_objective, 1);
	for (uint64_t m = 0; m < space_n_machine(&space); m++) {
		struct machine machine;
		char why[256], text[EXPLORE_TEXT_SIZE];
		struct simulated block[MAX_BLOCK];
		struct simulate_totals totals;
		struct err err = {0};
		const struct simulate_options options = {.design = drawn->design};
		double own[SPACE_MAX_OBJECTIVE];
		uint32_t gene = (uint32_t)m;
		bool runs = space_machine(&space, m, &machine, why, sizeof(why)) &&
		            simulate_network(&machine, network, &options, block, &err) == ERR_OK;
		for (size_t i = 0; i < network->n_block && runs; i++)
			runs = block[i].ran;
		err_clear(&err);
		if (!runs)
			continue;
		simulate_sum(&machine, block, network->n_block, NULL, &totals);
		for (unsigned k = 0; k < drawn->n_objective; k++)
			own[k] = totals.metric[space.objective[k]];
		if (drawn->limit[0] && own[0] > drawn->most_ms * SAME)
			continue;
		explore_machine_text(&space, (uint32_t)m, &machine, text, sizeof(text));
		if (!step_key && strcmp(text, drawn->found_machine) == 0) /* what found it says the same */
			for (unsigned k = 0; k < drawn->n_objective; k++)
				assert_true(fabs(own[k] / drawn->found[k] - 1.0) < 1e-9);
		(void)pareto_insert(&all, own, &gene, m);
	}
	space_free(&space);
	return all;
}

/* Designs with the choice, and with an axis at a value. */
static inline struct pareto own_designs(const struct drawn *drawn, const char *step_key, const char *step_to)
{
	return drawn->has_mapping ? mapping_points(drawn, step_key, step_to)
	                          : all_designs(drawn, true, step_key, step_to);
}

static inline const double *design(const struct pareto *all, size_t i)
{
	return all->objective + i * all->n_objective;
}

/* Whether a is no worse than b in any objective, and better by the margins [n_objective]. */
static inline bool is_better(const struct drawn *drawn, const double *a, const double *b, const double *margin)
{
	for (unsigned k = 0; k < drawn->n_objective; k++)
		if (!(a[k] * (1.0 + margin[k]) <= b[k] * SAME))
			return false;
	return true;
}

static inline bool is_equal(const struct drawn *drawn, const double *a, const double *b)
{
	for (unsigned k = 0; k < drawn->n_objective; k++)
		if (!(a[k] <= b[k] * SAME && b[k] <= a[k] * SAME))
			return false;
	return true;
}

static inline unsigned n_not_beaten(const struct drawn *drawn, const struct pareto *front, const struct pareto *own)
{
	const double none[SPACE_MAX_OBJECTIVE] = {0};
	unsigned n = 0;
	for (size_t i = 0; i < own->n; i++) {
		bool beaten = false;
		for (size_t k = 0; k < front->n && !beaten; k++)
			beaten = is_better(drawn, design(front, k), design(own, i), none) &&
			         !is_equal(drawn, design(front, k), design(own, i));
		n += !beaten;
	}
	return n;
}

/* Whether each design of own is beaten by some design of the front by the margins. */
static inline bool all_beaten(const struct drawn *drawn, const struct pareto *front, const struct pareto *own,
                              const double *margin)
{
	for (size_t i = 0; i < own->n; i++) {
		bool beaten = false;
		for (size_t k = 0; k < front->n && !beaten; k++)
			beaten = is_better(drawn, design(front, k), design(own, i), margin);
		if (!beaten)
			return false;
	}
	return true;
}

static inline double least_of(const struct pareto *all, unsigned k)
{
	double least = INFINITY;
	for (size_t i = 0; i < all->n; i++)
		least = fmin(least, design(all, i)[k]);
	return least;
}

/* Whether for each point of b some point of a is as good. */
static inline bool covers(const struct drawn *drawn, const struct pareto *a, const struct pareto *b)
{
	const double none[SPACE_MAX_OBJECTIVE] = {0};
	return all_beaten(drawn, a, b, none);
}

#endif
