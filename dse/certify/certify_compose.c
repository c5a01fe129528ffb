/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the layers' points of a machine to the least that whole designs can have: for each state (which results lie in
 * storage QPEs) all sums of chains that end in it.
 */
#include "dse/certify/certify_walk_parts.h"
#include "dse/base/memory.h"
#include "dse/bound/deadline.h"
#include "dse/space/space_goals.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The layer's points in a place; NULL: the certificate says nothing of it. */
static const struct certify_points *find_points(const struct certify_walk *walk, size_t network, size_t block,
                                                unsigned place)
{
	for (size_t i = 0; i < walk->n_section; i++) {
		const struct certify_section *own = &walk->section[i];
		if (own->network == network && own->place == place &&
		    (own->block == block || certify_same_layer(&walk->space.network[network], own->block, block)))
			return &own->points;
	}
	return NULL;
}

/* All chains that end in each state, and from there by a block. */
static bool add_block(struct certify_walk *walk, struct certify_sums *sums, size_t network, size_t number,
                      bool *is_state, struct certify_points *state)
{
	const struct space_network *own = &walk->space.network[network];
	const struct block *block = &own->network.block[number];
	struct certify_points next[CERTIFY_N_STATE] = {{0}};
	bool is_next[CERTIFY_N_STATE] = {false}, good = true;
	for (unsigned from = 0; from < CERTIFY_N_STATE && good; from++)
		for (unsigned keeps = 0; is_state[from] && keeps < 2U && good; keeps++) {
			unsigned place = certify_state_place(block, from) | (keeps ? CERTIFY_RESULT : 0U);
			unsigned to = certify_next_state(block, from, keeps > 0);
			if (keeps && !certify_may_keep(own, number))
				continue;
			const struct certify_points *points = find_points(walk, network, number, place);
			if (!points)
				good = certify_refuse(walk->reader, ERR_GATE,
				                      "machine %u: nothing is said of network %zu, layer %s, place %u",
				                      walk->machine_index, network, block->name, place);
			if (points)
				next[to] = certify_unite(sums, next[to], certify_join(sums, &state[from], points));
			is_next[to] = true;
		}
	for (unsigned i = 0; i < CERTIFY_N_STATE; i++) {
		free(state[i].value);
		state[i] = next[i];
		is_state[i] = is_next[i];
	}
	return good;
}

static struct certify_points zero_point(unsigned n_metric)
{
	return (struct certify_points){1, memory_array(n_metric, sizeof(double))};
}

/* What a network has beside its layers, and its weight among several. */
static double finish_metric(const struct certify_walk *walk, const struct machine *machine, size_t network,
                            enum metric metric, double sum)
{
	const struct space *space = &walk->space;
	double own = sum + deadline_beside(space, machine, metric);
	return space_aggregate_op(space, metric) == COMPOSE_SUM ? own * space_network_weight(space, network) : own;
}

void certify_add_network(const struct certify_walk *walk, const struct machine *machine, size_t network,
                         const double *sum, double *total)
{
	for (unsigned i = 0; i < walk->n_metric; i++) {
		enum metric metric = walk->metric[i];
		double own = finish_metric(walk, machine, network, metric, sum[i]);
		bool is_most = space_aggregate_op(&walk->space, metric) == COMPOSE_MAX;
		total[i] = is_most ? fmax(total[i], own) : total[i] + own;
	}
}

static bool add_network(struct certify_walk *walk, size_t network, struct certify_points *total)
{
	const struct space *space = &walk->space;
	struct certify_sums sums = {.n_metric = walk->n_metric, .watch = &walk->reader->watch}, all = sums;
	struct certify_points state[CERTIFY_N_STATE] = {zero_point(walk->n_metric)};
	bool is_state[CERTIFY_N_STATE] = {true}, good = true;
	for (unsigned i = 0; i < walk->n_metric; i++) {
		sums.is_most[i] = metric_table[walk->metric[i]].op == COMPOSE_MAX;
		sums.limit[i] = deadline_limit(space, &walk->machine, network, walk->metric[i]);
		all.is_most[i] = space_aggregate_op(space, walk->metric[i]) == COMPOSE_MAX;
		all.limit[i] = space_metric_limit(space, walk->metric[i]);
	}
	for (size_t i = 0; i < space->network[network].network.n_block && good; i++)
		good = add_block(walk, &sums, network, i, is_state, state);
	struct certify_points points = {0};
	for (unsigned i = 0; i < CERTIFY_N_STATE; i++)
		points = certify_unite(&sums, points, state[i]);
	for (size_t i = 0; i < points.n * walk->n_metric; i++)
		points.value[i] =
		    finish_metric(walk, &walk->machine, network, walk->metric[i % walk->n_metric], points.value[i]);
	struct certify_points joined = certify_join(&all, total, &points);
	free(points.value);
	free(total->value);
	*total = joined;
	walk->n_sum += sums.n_sum + all.n_sum;
	return good;
}

bool certify_objectives(const struct certify_walk *walk, const struct machine *machine, const double *value,
                        double *objective)
{
	const struct space *space = &walk->space;
	double metric[N_METRIC] = {0};
	for (unsigned i = 0; i < walk->n_metric; i++)
		metric[walk->metric[i]] = value[i];
	metric_of_machine(machine, metric);
	metric_derive(metric);
	for (int i = 0; i < N_METRIC; i++)
		if (metric[i] > space_metric_limit(space, (enum metric)i))
			return false;
	for (size_t i = 0; i < space->n_objective; i++)
		objective[i] = metric[space->objective[i]];
	return true;
}

static void add_floor(struct certify_walk *walk, const double *value)
{
	const size_t n_objective = walk->space.n_objective;
	double objective[SPACE_MAX_OBJECTIVE];
	if (!certify_objectives(walk, &walk->machine, value, objective))
		return;
	if (walk->n_floor == walk->n_floor_alloc) {
		walk->n_floor_alloc = walk->n_floor_alloc > 0 ? 2 * walk->n_floor_alloc : 1024;
		walk->floor = memory_resize(walk->floor, walk->n_floor_alloc * n_objective, sizeof(*walk->floor));
	}
	memcpy(walk->floor + walk->n_floor++ * n_objective, objective, n_objective * sizeof(*objective));
}

bool certify_compose(struct certify_walk *walk)
{
	struct certify_points total = zero_point(walk->n_metric);
	bool good = true;
	for (size_t i = 0; i < walk->space.n_network && good; i++)
		good = add_network(walk, i, &total);
	for (size_t i = 0; i < total.n && good; i++)
		add_floor(walk, total.value + i * walk->n_metric);
	free(total.value);
	if (walk->reader->watch.has_come && walk->reader->code == ERR_OK)
		walk->reader->code = ERR_INTERRUPTED;
	return walk->reader->code == ERR_OK;
}
