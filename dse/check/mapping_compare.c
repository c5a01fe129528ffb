/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/check/mapping_compare.h"
#include "dse/out/renamed.h"
#include "dse/space/space_goals.h"
#include "dse/space/space_machine.h"
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "dse/design/design_read.h"
#include "dse/design/mapping.h"
#include "dse/design/simulate.h"
#include "dse/pareto/indicator.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums in another order may differ in their last bits; that is no difference between designs. */
#define SAME_FRAC 1e-12

const char *const mapping_verdict_name[N_COMPARE] = {"no_fit", "dominated", "on_front", "nondominated"};

/* The front, scaled for the epsilon, and what is placed against it. */
struct placer {
	struct mapping_compare *compare;
	size_t n;
	unsigned n_objective;
	double *front, *scaled; /* [n][n_objective] */
	double scale[SPACE_MAX_OBJECTIVE];
};

/* ---- running a mapping ---- */

static bool has_own_levels(const struct compared_mapping *mapping)
{
	return mapping->design || mapping->layers;
}

/* The first message of err, without the end of its line. */
static void take_message(const struct err *err, char *text, size_t n_byte)
{
	(void)snprintf(text, n_byte, "%.*s", (int)strcspn(err_text(err), "\n"), err_text(err));
}

static bool run_splits(const struct compared_mapping *mapping, const struct machine *machine, uint32_t level,
                       enum detail detail, const struct network *network, struct simulated *block,
                       struct compared_place *place)
{
	const struct simulate_options options = {.scheme = &mapping->scheme,
	                                         .strategy = mapping->strategy,
	                                         .level = level,
	                                         .how = {.detail = {.detail = detail}}};
	for (size_t k = 0; k < network->n_block; k++) {
		const char *name = network->block[k].name;
		if (renamed_find_split(&mapping->scheme, network->name, machine_target_name[machine->target], name))
			continue;
		if (!mapping->is_thesis) {
			(void)err_add(&place->err, ERR_INPUT, "no split of layer %s of %s on a %s", name, network->name,
			              machine_target_name[machine->target]);
			return false;
		}
		place->n_own++;
	}
	assert(level < machine->n_level);
	return simulate_network(machine, network, &options, block, &place->err) == ERR_OK;
}

static bool run_point(const struct doc_node *const *design, const struct machine *machine, enum detail detail,
                      const struct network *network, struct simulated *block, struct err *err)
{
	const struct simulate_how how = {.detail = {.detail = detail}};
	bool is_read = true;
	struct layer_context *context = memory_array(network->n_block, sizeof(*context));
	for (size_t k = 0; k < network->n_block && is_read; k++) {
		struct err own = {0};
		block[k] = (struct simulated){.block = &network->block[k], .in_scheme = true};
		is_read = design_read(design[k], block[k].block, machine, &block[k].design, &own);
		if (!is_read)
			(void)err_add(err, own.code, "layer %s: %s", block[k].block->name, err_text(&own));
		err_clear(&own);
	}
	bool done = is_read && simulate_prepare(machine, network, block, context, err) == ERR_OK &&
	            simulate_blocks(context, block, network->n_block, NULL, &how, err) == ERR_OK;
	free(context);
	return done;
}

/* A mapping's YAML on this machine, whatever machine it was written for. */
static bool run_mapping(const struct doc_node *layers, const struct machine *machine, enum detail detail,
                        const struct network *network, struct simulated *block, struct err *err)
{
	struct layer_design *design = memory_array(network->n_block, sizeof(*design));
	const struct simulate_options options = {.design = design, .how = {.detail = {.detail = detail}}};
	bool done = mapping_read_layers(layers, network, machine, design, NULL, err) == ERR_OK &&
	            simulate_network(machine, network, &options, block, err) == ERR_OK;
	free(design);
	return done;
}

static bool run_network(const struct compared_mapping *mapping, size_t begin, const struct machine *machine,
                        uint32_t level, enum detail detail, const struct network *network, struct simulated *block,
                        struct compared_place *place)
{
	if (mapping->layers)
		return run_mapping(mapping->layers, machine, detail, network, block, &place->err);
	if (mapping->design)
		return run_point(mapping->design + begin, machine, detail, network, block, &place->err);
	return run_splits(mapping, machine, level, detail, network, block, place);
}

/* Into design what ran; false with the first layer that cannot. */
static bool take_blocks(const struct simulated *block, size_t n, struct unrolled_design *design, struct err *err)
{
	for (size_t k = 0; k < n; k++) {
		const struct verdict *verdict = &block[k].verdict;
		if (!block[k].ran && verdict->demanded > 0)
			return err_add(err, ERR_INFEASIBLE, "layer %s: %s: %llu byte demanded, %llu available",
			               block[k].block->name, verdict_table[verdict->reason].help,
			               (unsigned long long)verdict->demanded,
			               (unsigned long long)verdict->available) == ERR_OK;
		if (!block[k].ran)
			return err_add(err, ERR_INFEASIBLE, "layer %s: %s", block[k].block->name,
			               verdict_table[verdict->reason].help) == ERR_OK;
		design[k].design = block[k].design;
		design[k].total_clk = block[k].result.total_clk;
		memcpy(design[k].metric, block[k].metric, sizeof(design[k].metric));
	}
	return true;
}

/* Sums as those of the front's points; limits of the space that the mapping breaks are named, no more. */
static void sum_metrics(const struct mapping_compare *compare, const struct machine *machine,
                        struct unrolled_design *design, struct compared_place *place)
{
	const struct space *space = compare->space;
	struct unrolled point;
	memory_check(unrolled_init(compare->map, &point, NULL) == ERR_OK);
	point.machine = machine;
	for (size_t k = 0; k < compare->map->n_block; k++)
		point.layer[k] = &design[k];
	unroll_sum(space, compare->map, &point);
	memcpy(place->metric, point.metric, sizeof(place->metric));
	unrolled_free(&point);
	size_t n = 0;
	for (size_t i = 0; i < space->n_limit && n < sizeof(place->why); i++) {
		const struct space_limit *limit = &space->limit[i];
		if (!(place->metric[limit->metric] <= space_limit_most(limit)))
			n += (size_t)snprintf(place->why + n, sizeof(place->why) - n, "%s%s <= %.10g", n ? ", " : "",
			                      metric_table[limit->metric].name, limit->max);
	}
}

/* The mapping on its machine, network by network. Messages stay in the place. */
static bool run_place(const struct placer *placer, struct compared_place *place)
{
	const struct mapping_compare *compare = placer->compare;
	const struct layer_map *map = compare->map;
	const struct compared_mapping *mapping = place->mapping;
	struct machine machine;
	uint32_t level = 0;
	bool fits = space_machine(compare->space, place->machine_index, &machine, place->why, sizeof(place->why));
	struct simulated *block = memory_array(map->n_block, sizeof(*block));
	struct unrolled_design *design = memory_array(map->n_block, sizeof(*design));
	assert(fits); /* list_machine has built it before */
	while (!has_own_levels(mapping) && level < machine.n_level &&
	       strcmp(machine.level[level].name, place->level) != 0)
		level++;
	assert(level < machine.n_level);
	for (size_t i = 0; i < map->n_network && fits; i++) {
		const struct network *network = &compare->space->network[i].network;
		size_t begin = map->begin[i];
		fits =
		    run_network(mapping, begin, &machine, level, compare->space->detail, network, block + begin, place);
		fits = fits && take_blocks(block + begin, network->n_block, design + begin, &place->err);
	}
	if (fits)
		sum_metrics(compare, &machine, design, place);
	free(block);
	free(design);
	return place->err.n_message == 0;
}

/* ---- placing it ---- */

static bool differs(double a, double b)
{
	return fabs(a - b) > SAME_FRAC * fmax(fabs(a), fabs(b));
}

double *mapping_compare_front(const struct unroller *unroller)
{
	const struct explore *explore = unroller->explore;
	size_t n_objective = explore->space->n_objective;
	struct unrolled point;
	double *front = memory_array(explore->front.n, n_objective * sizeof(*front));
	memory_check(unrolled_init(&explore->map, &point, NULL) == ERR_OK);
	for (size_t i = 0; i < explore->front.n; i++) {
		unroll_point(unroller, i, &point);
		for (size_t k = 0; k < n_objective; k++)
			front[i * n_objective + k] = point.metric[explore->space->objective[k]];
	}
	unrolled_free(&point);
	return front;
}

static void find_scale(struct placer *placer)
{
	assert(placer->n_objective <= SPACE_MAX_OBJECTIVE);
	for (unsigned k = 0; k < placer->n_objective; k++) {
		double low = INFINITY, high = -INFINITY;
		for (size_t i = 0; i < placer->n; i++) {
			low = fmin(low, placer->front[i * placer->n_objective + k]);
			high = fmax(high, placer->front[i * placer->n_objective + k]);
		}
		placer->scale[k] = differs(high, low) ? high - low : high > 0.0 ? high : 1.0;
		for (size_t i = 0; i < placer->n; i++)
			placer->scaled[i * placer->n_objective + k] =
			    placer->front[i * placer->n_objective + k] / placer->scale[k];
	}
}

/* How point i of the front stands to own: -1 dominates it, 0 is equal to it, 1 neither. */
static int relate(const struct placer *placer, size_t i, const double *own)
{
	int order = 0;
	for (unsigned k = 0; k < placer->n_objective; k++) {
		double theirs = placer->front[i * placer->n_objective + k];
		if (!differs(theirs, own[k]))
			continue;
		if (theirs > own[k])
			return 1;
		order = -1;
	}
	return order;
}

/*
 * The point with the least largest lag behind own, all objectives scaled: the one the epsilon is due to. Of several, as
 * where all have as many MAC units, the one that is ahead by most in sum.
 */
static size_t find_nearest(const struct placer *placer, const double *scaled)
{
	size_t nearest = 0;
	assert(placer->n > 0);
	double least = INFINITY, least_sum = INFINITY;
	for (size_t i = 0; i < placer->n; i++) {
		double lag = -INFINITY, sum = 0.0;
		for (unsigned k = 0; k < placer->n_objective; k++) {
			double own = placer->scaled[i * placer->n_objective + k] - scaled[k];
			lag = fmax(lag, own);
			sum += own;
		}
		if (lag < least || (!(lag > least) && sum < least_sum)) {
			nearest = i;
			least = lag;
			least_sum = sum;
		}
	}
	return nearest;
}

static void judge_place(const struct placer *placer, struct compared_place *place)
{
	const struct space *space = placer->compare->space;
	double own[SPACE_MAX_OBJECTIVE], scaled[SPACE_MAX_OBJECTIVE];
	bool is_equal = false;
	assert(placer->n > 0 && placer->n_objective == space->n_objective);
	for (unsigned k = 0; k < placer->n_objective; k++) {
		own[k] = place->metric[space->objective[k]];
		scaled[k] = own[k] / placer->scale[k];
	}
	place->dominating = memory_array(placer->n, sizeof(*place->dominating));
	for (size_t i = 0; i < placer->n; i++) {
		int order = relate(placer, i, own);
		is_equal = is_equal || order == 0;
		if (order < 0)
			place->dominating[place->n_dominating++] = i;
	}
	place->nearest = find_nearest(placer, scaled);
	place->epsilon = indicator_epsilon(placer->scaled, placer->n, scaled, 1, placer->n_objective);
	place->verdict = place->n_dominating > 0 ? COMPARE_DOMINATED
	                 : is_equal              ? COMPARE_ON_FRONT
	                                         : COMPARE_NONDOMINATED;
}

static void work_place(void *context, size_t i)
{
	const struct placer *placer = context;
	struct compared_place *place = &placer->compare->place[i];
	if (run_place(placer, place))
		judge_place(placer, place);
	assert(place->err.n_message > 0 || place->verdict != COMPARE_NO_FIT);
	place->code = place->err.code == ERR_INTERNAL ? ERR_INTERNAL : ERR_OK;
	if (place->err.n_message > 0) {
		place->verdict = COMPARE_NO_FIT;
		take_message(&place->err, place->why, sizeof(place->why));
	}
}

/* ---- what is to be placed ---- */

static void add_place(struct mapping_compare *compare, struct compared_place place)
{
	size_t n = compare->n_place;
	/* grows when the number is a power of two */
	if ((n & (n - 1)) == 0)
		compare->place = memory_resize(compare->place, n ? 2 * n : 1, sizeof(*compare->place));
	compare->place[compare->n_place++] = place;
}

/* One machine candidate at the operating points that the mapping leaves open; nothing where rules refuse it. */
static void list_machine(struct mapping_compare *compare, const struct compared_mapping *mapping, uint64_t index)
{
	struct machine machine;
	struct compared_place place = {.mapping = mapping, .machine_index = (uint32_t)index};
	if (!space_machine(compare->space, index, &machine, place.why, sizeof(place.why)))
		return;
	explore_machine_text(compare->space, place.machine_index, &machine, place.machine, sizeof(place.machine));
	for (size_t i = 0; i < (has_own_levels(mapping) ? 1 : machine.n_level); i++) {
		if (!has_own_levels(mapping))
			(void)snprintf(place.level, sizeof(place.level), "%s", machine.level[i].name);
		add_place(compare, place);
	}
}

static void list_places(struct mapping_compare *compare, const struct unroller *unroller)
{
	uint64_t n_machine = space_n_machine(compare->space), n = n_machine;
	compare->is_cut = n_machine > MAPPING_COMPARE_MAX_MACHINE;
	if (compare->is_cut)
		n = unroller->n_machine < MAPPING_COMPARE_MAX_MACHINE ? unroller->n_machine
		                                                      : MAPPING_COMPARE_MAX_MACHINE;
	for (size_t i = 0; i < compare->n_mapping; i++)
		for (uint64_t k = 0; k < n; k++)
			list_machine(compare, &compare->mapping[i], compare->is_cut ? unroller->machine_index[k] : k);
}

enum err_code mapping_compare_run(struct mapping_compare *compare, const struct unroller *unroller, unsigned n_thread,
                                  struct err *err)
{
	const struct explore *explore = unroller->explore;
	struct placer placer = {
	    .compare = compare, .n = explore->front.n, .n_objective = (unsigned)compare->space->n_objective};
	enum err_code code = ERR_OK;
	assert(placer.n > 0 && compare->n_place == 0 &&
	       (explore->space == compare->space || space_n_machine(compare->space) <= MAPPING_COMPARE_MAX_MACHINE));
	compare->map = &explore->map;
	placer.front = mapping_compare_front(unroller);
	placer.scaled = memory_array(placer.n, placer.n_objective * sizeof(*placer.scaled));
	list_places(compare, unroller);
	find_scale(&placer);
	parallel_for(compare->n_place, n_thread, work_place, &placer);
	for (size_t i = 0; i < compare->n_place && code == ERR_OK; i++)
		if (compare->place[i].code != ERR_OK)
			code = err_add_all(err, (struct err_place){0}, &compare->place[i].err);
	free(placer.front);
	free(placer.scaled);
	return code;
}

enum err_code mapping_compare_judge(const struct mapping_compare *compare, struct err *err)
{
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < compare->n_mapping; i++) {
		const struct compared_place *first = NULL;
		bool fits = false;
		for (size_t k = 0; k < compare->n_place; k++) {
			const struct compared_place *place = &compare->place[k];
			if (place->mapping != &compare->mapping[i])
				continue;
			first = first ? first : place;
			fits = fits || place->verdict != COMPARE_NO_FIT;
		}
		if (first && !fits)
			code = err_add(err, ERR_INPUT, "--compare %s fits no machine of the space; %s: %s",
			               compare->mapping[i].name, first->machine, first->why);
	}
	return code;
}
