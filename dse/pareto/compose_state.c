/* SPDX-License-Identifier: Apache-2.0 */
/* A layer's step to one state: its runs, their front, what limits cut, and what thinning costs (compose.c). */
#include "dse/pareto/compose_sweep_parts.h"
#include "dse/pareto/compose_thin_parts.h"
#include <assert.h>
#include <math.h>

/* The factors of a state, beyond which so much is to come: the worst over the edges that lead there, shrunk by what
 * they add. */
static void pass_factor(const struct compose_work *work, const struct compose_layer *layer,
                        const struct compose_edge *edge, const double *still_beyond, double *factor)
{
	const double *before = work->now[edge->from].factor;
	double least[COMPOSE_MAX_METRIC], most[COMPOSE_MAX_METRIC];
	double beyond[COMPOSE_MAX_METRIC];
	compose_costs_range(&work->costs, layer, edge, least, most);
	bool goes_on = compose_costs_beyond(&work->costs, work->n_done - 1, edge->from, beyond);
	assert(goes_on);
	(void)goes_on;
	for (unsigned i = 0; i < work->n_metric; i++) {
		double largest = work->largest[i] + beyond[i], passed = before[i];
		double more = fmax(0.0, least[i] + still_beyond[i] - beyond[i]);
		/* As 1 + (F - 1) X / (X + c), so that an exact chain stays exact. */
		if (i < work->costs.n_sum && largest + more > 0.0)
			passed = 1.0 + (before[i] - 1.0) * (largest / (largest + more));
		assert(passed >= 1.0);
		factor[i] = fmax(factor[i], passed);
	}
}

static bool leads_here(const struct compose_work *work, const struct compose_edge *edge, unsigned state)
{
	return edge->to == state && edge->front->n > 0 && work->now[edge->from].points.n > 0;
}

/* Runs for all points whose edge leads to the state. false when memory is out. */
static bool make_runs(const struct compose_work *work, const struct compose_layer *layer, unsigned state)
{
	struct compose_sweep *sweep = &work->sweep[state];
	size_t n_run = 0;
	for (size_t e = 0; e < layer->n_edge; e++)
		n_run += leads_here(work, &layer->edge[e], state) ? layer->edge[e].front->n : 0;
	if (!compose_sweep_reserve(sweep, n_run))
		return false;
	sweep->n_run = 0;
	for (size_t i = 0; i < work->n_point && n_run > 0; i++) {
		const struct compose_edge *edge = &layer->edge[work->point[i].edge];
		if (!leads_here(work, edge, state))
			continue;
		struct compose_run *run = &sweep->run[sweep->n_run++];
		*run = (struct compose_run){.from = &work->now[edge->from].points,
		                            .first = (uint32_t)work->first[edge->from],
		                            .choice = (uint32_t)i};
		compose_costs_point(&work->costs, layer, edge->front, work->point[i].point, run->cost);
	}
	assert(sweep->n_run == n_run);
	return true;
}

static void note_most(struct compose_state *state, unsigned n_metric)
{
	for (unsigned k = 0; k < n_metric; k++) {
		state->most[k] = 0.0;
		for (size_t i = 0; i < state->points.n; i++)
			state->most[k] = fmax(state->most[k], state->points.metric[k][i]);
	}
}

static double largest_factor(const struct compose_work *work, const double *factor)
{
	double largest = 1.0;
	for (unsigned i = 0; i < work->n_metric; i++)
		largest = fmax(largest, factor[i]);
	return largest;
}

/* The largest factor of chains that the bound of limits cuts in this step; 0: it cuts none that stand for others. */
static double lost_to_bound(const struct compose_work *work, const struct compose_layer *layer,
                            const struct compose_sweep *sweep)
{
	double lost = 0.0;
	for (size_t i = 0; i < sweep->n_run; i++) {
		const struct compose_edge *edge = &layer->edge[work->point[sweep->run[i].choice].edge];
		const struct compose_state *from = &work->now[edge->from];
		double factor = largest_factor(work, from->factor);
		if (!(factor > lost) || (!(factor > 1.0) && !work->options->is_thinned))
			continue;
		for (unsigned k = 0; k < work->n_metric; k++)
			if (compose_costs_join(&work->costs, k, from->most[k], sweep->run[i].cost[k]) > sweep->bound[k])
				lost = factor;
	}
	return lost;
}

void compose_extend_state(void *context, size_t state)
{
	struct compose_work *work = context;
	const struct compose_layer *layer = &work->layer[work->n_done - 1];
	struct compose_state *next = &work->next[state];
	struct compose_sweep *sweep = &work->sweep[state];
	bool goes_on = compose_costs_beyond(&work->costs, work->n_done, (unsigned)state, next->beyond);

	for (unsigned i = 0; i < work->n_metric; i++)
		next->factor[i] = 1.0;
	for (size_t e = 0; e < layer->n_edge && goes_on; e++) {
		const struct compose_edge *edge = &layer->edge[e];
		if (leads_here(work, edge, (unsigned)state))
			pass_factor(work, layer, edge, next->beyond, next->factor);
	}
	compose_costs_bound(&work->costs, work->options->limit, work->n_done, (unsigned)state, sweep->bound);
	next->guess = work->now[state].guess;
	next->lost = 0.0;
	next->done = make_runs(work, layer, (unsigned)state) && compose_sweep_run(sweep, &next->points);
	if (!next->done || !goes_on) {
		next->points.n = 0;
		return;
	}
	next->lost = lost_to_bound(work, layer, sweep);
	double factor = largest_factor(work, next->factor);
	if (compose_joint_cut(&work->joint, work->n_done, (unsigned)state, &next->points) > 0 &&
	    (factor > 1.0 || work->options->is_thinned))
		next->lost = fmax(next->lost, factor);
}

void compose_thin_state(void *context, size_t state)
{
	struct compose_work *work = context;
	struct compose_state *next = &work->next[state];
	double epsilon[COMPOSE_MAX_METRIC];
	if (!next->done || next->points.n == 0)
		return;
	next->done = compose_thin(&next->points, next->beyond, work->max_front, work->sweep[state].n_thread,
	                          &next->guess, epsilon);
	/* One rounding up each, so that many layers do not round the guarantee away. */
	for (unsigned i = 0; i < work->n_metric && next->done; i++) {
		if (epsilon[i] > 0.0)
			next->factor[i] = nextafter(next->factor[i] * (1.0 + epsilon[i]), INFINITY);
	}
	note_most(next, work->n_metric);
}

bool compose_join_states(struct compose_work *work)
{
	struct compose_sweep *sweep = &work->sweep[0];
	size_t first[COMPOSE_MAX_STATE];
	compose_first_numbers(work->now, work->options->n_state, first);
	if (!compose_sweep_reserve(sweep, work->options->n_state))
		return false;
	sweep->n_run = 0;
	for (unsigned s = 0; s < work->options->n_state; s++) {
		if (work->now[s].points.n > 0)
			sweep->run[sweep->n_run++] =
			    (struct compose_run){.from = &work->now[s].points, .first = (uint32_t)first[s]};
	}
	compose_costs_bound(&work->costs, work->options->limit, work->n_layer, 0, sweep->bound);
	return compose_sweep_run(sweep, &work->final);
}
