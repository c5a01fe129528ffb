/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A good schedule to begin with where a limit leaves room that the relaxed chain cannot fill: stages go to other modes
 * with the same levels before and after, one or two at a time, whichever gains most, until nothing gains any more.
 * Chains of many fine choices are nearly linear, so that thousands of schedules lie near the bound, and one that is
 * within the tolerance of it is best already; the labels of power_label.c would have to tell them apart.
 */
#include "dse/power/power_parts.h"
#include "dse/base/memory.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Each gains something; more than this were never needed. */
#define MAX_STEP 2000

/* A stage in another mode: what it does to the limit and to the objective. */
struct fill_move {
	double limit, objective;
	size_t stage, mode;
};

/* Of the moves up to one, in the order of the limit: the one that gains most, and the best of another stage. */
struct fill_best {
	size_t first, second;
};

#define NO_MOVE SIZE_MAX

static int compare_moves(const void *a, const void *b)
{
	const struct fill_move *one = a, *other = b;
	if (one->limit < other->limit || one->limit > other->limit)
		return one->limit < other->limit ? -1 : 1;
	if (one->objective < other->objective || one->objective > other->objective)
		return one->objective < other->objective ? -1 : 1;
	if (one->stage != other->stage)
		return one->stage < other->stage ? -1 : 1;
	return one->mode < other->mode ? -1 : one->mode > other->mode;
}

/* Moves from the modes that stand whose reduced cost is no more than the gap, by the limit; returns how many. */
static size_t list_moves(const struct power_chain *chain, const struct power_aim *aim, const struct power_bound *start,
                         const size_t *mode, double gap, struct fill_move *move)
{
	size_t n = 0;
	for (size_t s = 0; s < chain->n_stage; s++) {
		const struct chain_mode *from = &chain->mode[mode[s]];
		size_t segment = chain->segment[s];
		for (size_t m = chain->begin[segment]; m < chain->begin[segment + 1]; m++) {
			const struct chain_mode *to = &chain->mode[m];
			if (m == mode[s] || to->entry != from->entry || to->level != from->level ||
			    power_value(start->weight, to->ns - from->ns, to->pj - from->pj) > gap)
				continue;
			move[n++] =
			    (struct fill_move){power_value(aim->limit[0], to->ns - from->ns, to->pj - from->pj),
			                       power_value(aim->objective, to->ns - from->ns, to->pj - from->pj), s, m};
		}
	}
	if (n > 0)
		qsort(move, n, sizeof(*move), compare_moves);
	return n;
}

static void find_bests(const struct fill_move *move, size_t n, struct fill_best *best)
{
	struct fill_best at = {NO_MOVE, NO_MOVE};
	for (size_t i = 0; i < n; i++) {
		if (at.first == NO_MOVE || move[i].objective < move[at.first].objective) {
			if (at.first != NO_MOVE && move[at.first].stage != move[i].stage)
				at.second = at.first;
			at.first = i;
		} else if (move[i].stage != move[at.first].stage &&
		           (at.second == NO_MOVE || move[i].objective < move[at.second].objective)) {
			at.second = i;
		}
		best[i] = at;
	}
}

/* Moves that take no more than so much of the limit. */
static size_t count_within(const struct fill_move *move, size_t n, double room)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (move[middle].limit <= room)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The move, or the two of different stages, that gain most and leave room; returns how many. */
static size_t choose(const struct fill_move *move, const struct fill_best *best, size_t n, double room,
                     size_t chosen[4])
{
	double least = 0;
	size_t n_chosen = 0;
	for (size_t i = 0; i < n; i++) {
		if (move[i].limit <= room && move[i].objective < least) {
			least = move[i].objective;
			chosen[0] = i;
			n_chosen = 1;
		}
		size_t n_within = count_within(move, n, room - move[i].limit);
		if (n_within == 0)
			continue;
		size_t other = best[n_within - 1].first;
		if (move[other].stage == move[i].stage)
			other = best[n_within - 1].second;
		if (other != NO_MOVE && move[i].objective + move[other].objective < least) {
			least = move[i].objective + move[other].objective;
			chosen[0] = i;
			chosen[1] = other;
			n_chosen = 2;
		}
	}
	return n_chosen;
}

/* ---- four at a time ---- */

/* Pairs of the moves that are nearest to the relaxed chain. */
#define MAX_NEAR 600

struct fill_pair {
	double limit, objective;
	uint32_t one, other; /* moves */
};

static int compare_pairs(const void *a, const void *b)
{
	const struct fill_pair *one = a, *other = b;
	if (one->limit < other->limit || one->limit > other->limit)
		return one->limit < other->limit ? -1 : 1;
	if (one->one != other->one)
		return one->one < other->one ? -1 : 1;
	return one->other < other->other ? -1 : one->other > other->other;
}

static bool are_apart(const struct fill_move *move, const struct fill_pair *a, const struct fill_pair *b)
{
	return move[a->one].stage != move[b->one].stage && move[a->one].stage != move[b->other].stage &&
	       move[a->other].stage != move[b->one].stage && move[a->other].stage != move[b->other].stage;
}

/* The moves whose reduced cost is least, the first of equals, in front; returns how many. */
static size_t keep_near(const struct power_chain *chain, const struct power_bound *start, const size_t *mode,
                        double gap, struct fill_move *move, size_t n)
{
	struct near_move {
		struct fill_move move;
		double cost;
	} *near = memory_array(n + 1, sizeof(*near));
	size_t n_near = 0;
	for (size_t i = 0; i < n; i++) {
		const struct chain_mode *to = &chain->mode[move[i].mode], *from = &chain->mode[mode[move[i].stage]];
		double cost = fabs(power_value(start->weight, to->ns - from->ns, to->pj - from->pj));
		if (!(cost <= gap))
			continue;
		size_t at = n_near < MAX_NEAR ? n_near++ : MAX_NEAR;
		for (; at > 0 && near[at - 1].cost > cost; at--)
			if (at < MAX_NEAR)
				near[at] = near[at - 1];
		if (at < MAX_NEAR)
			near[at] = (struct near_move){move[i], cost};
	}
	for (size_t i = 0; i < n_near; i++)
		move[i] = near[i].move;
	free(near);
	return n_near;
}

/* Two pairs of moves that gain most together and leave room; returns how many moves. */
static size_t choose_four(const struct fill_move *move, size_t n, double room, size_t chosen[4])
{
	size_t n_pair = 0, n_chosen = 0;
	struct fill_pair *pair = memory_array(n * (n + 1) / 2 + 1, sizeof(*pair));
	size_t *least_at = memory_array(n * (n + 1) / 2 + 1, sizeof(*least_at));
	double least = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			if (move[i].stage != move[k].stage)
				pair[n_pair++] =
				    (struct fill_pair){move[i].limit + move[k].limit,
				                       move[i].objective + move[k].objective, (uint32_t)i, (uint32_t)k};
	if (n_pair > 0)
		qsort(pair, n_pair, sizeof(*pair), compare_pairs);
	for (size_t i = 0; i < n_pair; i++)
		least_at[i] = i > 0 && pair[least_at[i - 1]].objective <= pair[i].objective ? least_at[i - 1] : i;
	for (size_t i = 0, k = n_pair; i < n_pair; i++) {
		while (k > 0 && pair[k - 1].limit > room - pair[i].limit)
			k--;
		/* the best one may share a stage with this one: then those that were best before it */
		for (size_t at = k, tries = 0; at > 0 && tries < 8; tries++) {
			const struct fill_pair *other = &pair[least_at[at - 1]];
			if (!(pair[i].objective + other->objective < least))
				break;
			if (are_apart(move, &pair[i], other)) {
				least = pair[i].objective + other->objective;
				chosen[0] = pair[i].one;
				chosen[1] = pair[i].other;
				chosen[2] = other->one;
				chosen[3] = other->other;
				n_chosen = 4;
				break;
			}
			at = least_at[at - 1];
		}
	}
	free(least_at);
	free(pair);
	return n_chosen;
}

/* ---- schedules ---- */

/* Times and energies of the modes, changes of level included: exact sums (power_plane.h). */
static void sum_modes(const struct power_chain *chain, const size_t *mode, double *ns, double *pj)
{
	uint32_t level = UINT32_MAX;
	*ns = *pj = 0;
	for (size_t s = 0; s < chain->n_stage; s++) {
		const struct chain_mode *at = &chain->mode[mode[s]];
		if (level != UINT32_MAX) {
			*ns += chain->switch_ns[level][at->entry];
			*pj += chain->switch_pj[level][at->entry];
		}
		*ns += at->ns;
		*pj += at->pj;
		level = at->level;
	}
	*ns += chain->end_ns[level];
	*pj += chain->end_pj[level];
}

bool power_fill(const struct power_chain *chain, const struct power_aim *aim, const struct power_bound *start,
                double enough, size_t *mode, double *ns, double *pj)
{
	assert(chain->n_stage > 0 && aim->n_limit == 1);
	uint32_t level = UINT32_MAX;
	size_t n_move = 0;
	for (size_t s = 0; s < chain->n_stage; s++) {
		size_t segment = chain->segment[s];
		n_move += chain->begin[segment + 1] - chain->begin[segment];
		mode[s] = power_bound_next(chain, start, s, level);
		level = chain->mode[mode[s]].level;
	}
	struct fill_move *move = memory_array(n_move, sizeof(*move));
	struct fill_best *best = memory_array(n_move, sizeof(*best));
	sum_modes(chain, mode, ns, pj);
	for (int i = 0; i < MAX_STEP && power_value(aim->objective, *ns, *pj) > enough; i++) {
		size_t chosen[4],
		    n = list_moves(chain, aim, start, mode, power_value(aim->objective, *ns, *pj) - enough, move);
		find_bests(move, n, best);
		double room = aim->most[0] - power_value(aim->limit[0], *ns, *pj);
		size_t n_chosen = choose(move, best, n, room, chosen);
		if (n_chosen == 0 && room >= 0) {
			n = keep_near(chain, start, mode, power_value(aim->objective, *ns, *pj) - enough, move, n);
			n_chosen = choose_four(move, n, room, chosen);
		}
		for (size_t k = 0; k < n_chosen; k++)
			mode[move[chosen[k]].stage] = move[chosen[k]].mode;
		if (n_chosen == 0)
			break;
		sum_modes(chain, mode, ns, pj);
	}
	free(best);
	free(move);
	return power_value(aim->limit[0], *ns, *pj) <= aim->most[0];
}
