/* SPDX-License-Identifier: Apache-2.0 */
/* The front: each of its points is a design, which is priced; and it is nowhere above what any design has at least. */
#include "dse/certify/certify_walk_parts.h"
#include "dse/base/memory.h"
#include "dse/bound/deadline.h"
#include "dse/space/space_goals.h"
#include "dse/space/space_machine.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums of some hundred numbers in another order differ by less; so do those that a composition rounds. */
#define ROUNDING 1e-10

bool certify_is_equal(double left, double right)
{
	return fabs(left - right) <= ROUNDING * fmax(fabs(left), fabs(right));
}

bool certify_read_design(struct certify_reader *reader, const struct certify_layer *layer,
                         struct certify_design *design)
{
	const uint32_t n[4 + N_BOUND_DIM] = {layer->n_strategy,         layer->n_reuse,
	                                     layer->n_operand,          layer->n_level,
	                                     layer->splits[BOUND_D]->n, layer->splits[BOUND_W]->n,
	                                     layer->splits[BOUND_H]->n, layer->splits[BOUND_C]->n};
	uint32_t *const to[4 + N_BOUND_DIM] = {
	    &design->strategy,       &design->reuse,          &design->operand,        &design->level,
	    &design->split[BOUND_D], &design->split[BOUND_W], &design->split[BOUND_H], &design->split[BOUND_C]};
	for (int i = 0; i < 4 + N_BOUND_DIM; i++) {
		uint64_t number;
		if (n[i] == 0)
			return certify_refuse(reader, ERR_GATE, "the layer has no designs");
		if (!certify_number(reader, n[i] - 1, &number))
			return false;
		*to[i] = (uint32_t)number;
	}
	return true;
}

/* A design of the front being read, all of whose layers are looked up once for each machine. */
struct front {
	struct certify_walk *walk;
	uint32_t machine_index; /* whose layers these are */
	struct machine machine;
	size_t n_block;
	struct certify_layer *layer; /* [n_block] of all networks; none yet: n_block is 0 */
};

static bool build_layers(struct front *front, uint32_t machine_index)
{
	struct certify_walk *walk = front->walk;
	const struct space *space = &walk->space;
	size_t n = 0;
	char why[256];
	if (front->n_block > 0 && front->machine_index == machine_index)
		return true;
	if (!walk->is_seen[machine_index])
		return certify_refuse(walk->reader, ERR_GATE,
		                      "a design of machine %u, which the space's rules or limits refuse",
		                      machine_index);
	for (size_t i = 0; i < space->n_network; i++)
		n += space->network[i].network.n_block;
	if (!front->layer)
		front->layer = memory_array(n, sizeof(*front->layer));
	front->n_block = 0;
	front->machine_index = machine_index;
	(void)space_machine(space, machine_index, &front->machine, why, sizeof(why));
	for (size_t i = 0; i < space->n_network; i++)
		for (size_t k = 0; k < space->network[i].network.n_block; k++)
			if (!certify_layer_build(space, i, k, &front->machine, &walk->splits,
			                         &front->layer[front->n_block++]))
				return certify_refuse(walk->reader, ERR_INPUT, "a layer has too many splits");
	return true;
}

/* `l PLACE DESIGN` of each layer of a network: places that follow from each other; its sums. */
static bool read_network(struct front *front, size_t network, struct certify_layer *layer, double *sum)
{
	struct certify_walk *walk = front->walk;
	const struct space_network *own = &walk->space.network[network];
	unsigned state = 0;
	for (size_t i = 0; i < own->network.n_block; i++) {
		struct certify_design design;
		double value[N_METRIC];
		uint64_t place;
		const struct block *block = &own->network.block[i];
		if (!certify_next_line(walk->reader) || !certify_keyword(walk->reader, "l") ||
		    !certify_number(walk->reader, CERTIFY_N_PLACE - 1, &place) ||
		    !certify_read_design(walk->reader, &layer[i], &design) || !certify_end(walk->reader))
			return false;
		bool keeps = (place & CERTIFY_RESULT) != 0;
		if ((place & ~(uint64_t)CERTIFY_RESULT) != certify_state_place(block, state) ||
		    (keeps && !certify_may_keep(own, i)))
			return certify_refuse(walk->reader, ERR_GATE, "layer %s: its operands do not lie there",
			                      block->name);
		state = certify_next_state(block, state, keeps);
		layer[i].place = (unsigned)place;
		if (!certify_price(&layer[i], &design, value))
			return certify_refuse(walk->reader, ERR_GATE, "layer %s: the design does not run", block->name);
		if (certify_over_limit(&layer[i], value))
			return certify_refuse(walk->reader, ERR_GATE, "layer %s: the design breaks a limit",
			                      block->name);
		for (unsigned k = 0; k < walk->n_metric; k++) {
			double one = value[walk->metric[k]];
			bool is_most = metric_table[walk->metric[k]].op == COMPOSE_MAX;
			sum[k] = is_most ? fmax(sum[k], one) : sum[k] + one;
		}
	}
	for (unsigned k = 0; k < walk->n_metric; k++)
		if (sum[k] > deadline_limit(&walk->space, &front->machine, network, walk->metric[k]))
			return certify_refuse(walk->reader, ERR_GATE, "network %s: %s of the design breaks a limit",
			                      own->network.name, metric_table[walk->metric[k]].name);
	return true;
}

/* `d MACHINE OBJECTIVES`, then a line for each layer. */
static bool read_design(struct front *front, double *objective)
{
	struct certify_walk *walk = front->walk;
	const struct space *space = &walk->space;
	double stated[SPACE_MAX_OBJECTIVE], total[N_METRIC] = {0};
	uint64_t machine_index;
	size_t at = 0;
	if (!certify_next_line(walk->reader) || !certify_keyword(walk->reader, "d") ||
	    !certify_number(walk->reader, walk->report->n_machine - 1, &machine_index))
		return false;
	for (size_t i = 0; i < space->n_objective; i++)
		if (!certify_real(walk->reader, &stated[i]))
			return false;
	unsigned line = walk->reader->line;
	if (!certify_end(walk->reader) || !build_layers(front, (uint32_t)machine_index))
		return false;
	for (size_t i = 0; i < space->n_network; i++) {
		double sum[N_METRIC] = {0};
		if (!read_network(front, i, front->layer + at, sum))
			return false;
		at += space->network[i].network.n_block;
		certify_add_network(walk, &front->machine, i, sum, total);
	}
	if (!certify_objectives(walk, &front->machine, total, objective))
		return certify_refuse(walk->reader, ERR_GATE, "the design of line %u breaks a limit", line);
	for (size_t i = 0; i < space->n_objective; i++)
		if (!certify_is_equal(stated[i], objective[i]))
			return certify_refuse(walk->reader, ERR_GATE, "%s of the design of line %u is %.17g",
			                      metric_table[space->objective[i]].name, line, objective[i]);
	return true;
}

static bool read_designs(struct certify_walk *walk, uint64_t n)
{
	struct front front = {.walk = walk};
	size_t n_alloc = 0, n_objective = walk->space.n_objective;
	bool good = true;
	for (; walk->n_front < n && good; walk->n_front += good) {
		if (walk->n_front == n_alloc) {
			n_alloc = n_alloc > 0 ? 2 * n_alloc : 64;
			walk->front = memory_resize(walk->front, n_alloc * n_objective, sizeof(*walk->front));
		}
		good = read_design(&front, walk->front + walk->n_front * n_objective);
	}
	free(front.layer);
	return good;
}

/* Whether a point of the front is in no objective above a floor that is made larger; neighbours have neighbours. */
static bool is_covered(const struct certify_walk *walk, const double *floor, double factor, size_t *hint)
{
	const size_t n_objective = walk->space.n_objective;
	for (size_t i = 0; i < walk->n_front; i++) {
		size_t at = (*hint + i) % walk->n_front, k = 0;
		while (k < n_objective && walk->front[at * n_objective + k] <= floor[k] * factor)
			k++;
		if (k == n_objective) {
			*hint = at;
			return true;
		}
	}
	return false;
}

static bool check_floor(struct certify_walk *walk)
{
	const struct space *space = &walk->space;
	double factor = (1 + walk->report->epsilon) * (1 + ROUNDING);
	size_t hint = 0;
	for (size_t i = 0; i < walk->n_floor; i++) {
		const double *floor = walk->floor + i * space->n_objective;
		if (stop_after(&walk->reader->watch, walk->n_front)) {
			walk->reader->code = ERR_INTERRUPTED;
			return false;
		}
		if (!is_covered(walk, floor, factor, &hint))
			return certify_refuse(
			    walk->reader, ERR_GATE,
			    "the front is not proven to within %.6g %%: as far as the certificate says, "
			    "a design may have %s %.17g, and no point of the front is as good in all "
			    "objectives",
			    100 * walk->report->epsilon, metric_table[space->objective[0]].name, floor[0]);
	}
	return true;
}

bool certify_front(struct certify_walk *walk)
{
	struct certify_reader *reader = walk->reader;
	uint64_t n;
	if (!certify_number(reader, UINT32_MAX, &n) || !certify_real(reader, &walk->report->epsilon) ||
	    !certify_end(reader) || !read_designs(walk, n))
		return false;
	walk->report->n_front = walk->n_front;
	if (!certify_next_line(reader) || !certify_keyword(reader, "end") || !certify_end(reader))
		return false;
	return (getc(reader->file) == EOF || certify_refuse(reader, ERR_INPUT, "there is more behind the end")) &&
	       check_floor(walk);
}
