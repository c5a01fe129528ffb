/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design/unroll.h"
#include "dse/space/space_goals.h"
#include "dse/space/space_machine.h"
#include "dse/layer/changes.h"
#include "dse/layer/deadline.h"
#include "dse/base/parallel.h"
#include "sim/base/hash.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	N_PART = 16,     /* of a front whose designs are collected side by side */
	FEW_POINTS = 256 /* for which one thread does */
};

enum err_code unrolled_init(const struct layer_map *map, struct unrolled *point, struct err *err)
{
	assert(map && point);
	*point = (struct unrolled){.n_layer = map->n_block, .n_network = map->n_network};
	point->layer = calloc(map->n_block, sizeof(*point->layer));
	point->network = calloc(map->n_network, sizeof(*point->network));
	if (point->layer && point->network)
		return ERR_OK;
	unrolled_free(point);
	return err_add(err, ERR_INTERNAL, "out of memory");
}

void unrolled_free(struct unrolled *point)
{
	free(point->layer);
	free(point->network);
	*point = (struct unrolled){0};
}

static double join(enum compose_op op, double sum, double value)
{
	return op == COMPOSE_SUM ? sum + value : fmax(sum, value);
}

void unroll_sum(const struct space *space, const struct layer_map *map, struct unrolled *point)
{
	assert(point->n_layer == map->n_block && point->n_network == map->n_network && point->machine);
	for (unsigned k = 0; k < N_METRIC; k++)
		point->metric[k] = 0.0;
	for (size_t network = 0; network < map->n_network; network++) {
		double *own = point->network[network];
		double weight = space_network_weight(space, network);
		for (unsigned k = 0; k < N_METRIC; k++) {
			own[k] = 0.0;
			if (metric_table[k].scope != METRIC_OF_LAYER)
				continue;
			/* Always in order of execution: a replay must add the same numbers in the same order. */
			for (size_t i = map->begin[network]; i < map->begin[network + 1]; i++)
				own[k] = join(metric_table[k].op, own[k], point->layer[i]->metric[k]);
		}
		for (size_t i = map->begin[network] + 1; i < map->begin[network + 1]; i++)
			changes_add(space, point->machine, point->layer[i - 1]->design.level,
			            point->layer[i]->design.level, own);
		deadline_of_network(space, point->machine, own);
		for (unsigned k = 0; k < N_METRIC; k++) {
			if (metric_table[k].scope != METRIC_OF_LAYER)
				continue;
			double weighted = metric_table[k].op == COMPOSE_SUM ? weight * own[k] : own[k];
			point->metric[k] = join(space_aggregate_op(space, (enum metric)k), point->metric[k], weighted);
		}
		metric_of_machine(point->machine, own);
		metric_derive(own);
	}
	metric_of_machine(point->machine, point->metric);
	metric_derive(point->metric);
}

static int compare_designs(const void *left, const void *right)
{
	const struct unrolled_design *a = left, *b = right;
	if (a->machine_index != b->machine_index)
		return a->machine_index < b->machine_index ? -1 : 1;
	if (a->distinct != b->distinct)
		return a->distinct < b->distinct ? -1 : 1;
	for (size_t i = 0; i < N_LAYER_GENE; i++)
		if (a->gene[i] != b->gene[i])
			return a->gene[i] < b->gene[i] ? -1 : 1;
	return 0;
}

/* The slot that holds the design, or the empty one where it belongs. */
static size_t find_slot(const struct unroller *unroller, const struct unrolled_design *wanted)
{
	uint32_t key[2 + N_LAYER_GENE] = {wanted->machine_index, wanted->distinct};
	assert(unroller->n_slot > unroller->n_design);
	memcpy(key + 2, wanted->gene, sizeof(wanted->gene));
	size_t at = (size_t)hash_bytes(key, sizeof(key), 0) & (unroller->n_slot - 1);
	while (unroller->slot[at] != 0 && compare_designs(&unroller->design[unroller->slot[at] - 1], wanted) != 0)
		at = (at + 1) & (unroller->n_slot - 1);
	return at;
}

/* Room for one more design; the table is at most half full. */
static bool grow_designs(struct unroller *unroller)
{
	if (unroller->n_design < unroller->n_design_alloc)
		return true;
	size_t n_alloc = unroller->n_design_alloc ? 2 * unroller->n_design_alloc : 1024, n_slot = 2 * n_alloc;
	struct unrolled_design *design = realloc(unroller->design, n_alloc * sizeof(*design));
	if (!design)
		return false;
	unroller->design = design;
	uint32_t *slot = calloc(n_slot, sizeof(*slot));
	if (!slot || n_alloc > UINT32_MAX) {
		free(slot);
		return false;
	}
	free(unroller->slot);
	unroller->slot = slot;
	unroller->n_slot = n_slot;
	unroller->n_design_alloc = n_alloc;
	for (size_t i = 0; i < unroller->n_design; i++)
		slot[find_slot(unroller, &design[i])] = (uint32_t)i + 1;
	return true;
}

/* The key of block k's design in a genome. */
static void take_key(const struct layer_map *map, const uint32_t *genome, size_t k, struct unrolled_design *design)
{
	design->machine_index = genome[0];
	design->distinct = map->distinct[k];
	memcpy(design->gene, genome + 1 + k * N_LAYER_GENE, sizeof(design->gene));
}

/* Add a design unless it is there. false when memory is out. */
static bool add_design(struct unroller *unroller, const struct unrolled_design *design)
{
	if (!grow_designs(unroller))
		return false;
	size_t at = find_slot(unroller, design);
	if (unroller->slot[at] != 0)
		return true;
	unroller->design[unroller->n_design++] = *design;
	unroller->slot[at] = (uint32_t)unroller->n_design;
	return true;
}

/* Designs of parts of the front, each with a table of its own: most points of a part share theirs. */
struct collection {
	const struct explore *explore;
	struct unroller part[N_PART];
	bool done[N_PART];
};

static void collect_part(void *context, size_t i)
{
	struct collection *collection = context;
	const struct pareto *front = &collection->explore->front;
	const struct layer_map *map = &collection->explore->map;
	size_t begin = front->n * i / N_PART, end = front->n * (i + 1) / N_PART;
	collection->done[i] = true;
	for (size_t point = begin; point < end; point++) {
		for (size_t k = 0; k < map->n_block && collection->done[i]; k++) {
			struct unrolled_design design = {0};
			take_key(map, front->genome + point * front->n_gene, k, &design);
			collection->done[i] = add_design(&collection->part[i], &design);
		}
	}
}

static bool collect(struct unroller *unroller, unsigned n_thread)
{
	struct collection collection = {.explore = unroller->explore};
	bool done = true;
	parallel_for(N_PART, unroller->explore->front.n < FEW_POINTS ? 1 : n_thread, collect_part, &collection);
	for (size_t i = 0; i < N_PART; i++) {
		done &= collection.done[i];
		for (size_t k = 0; k < collection.part[i].n_design && done; k++)
			done = add_design(unroller, &collection.part[i].design[k]);
		unroller_free(&collection.part[i]);
	}
	return done;
}

/* Numbers that do not depend on which point came first: the total order of designs. */
static void number_designs(struct unroller *unroller)
{
	qsort(unroller->design, unroller->n_design, sizeof(*unroller->design), compare_designs);
	memset(unroller->slot, 0, unroller->n_slot * sizeof(*unroller->slot));
	for (size_t i = 0; i < unroller->n_design; i++)
		unroller->slot[find_slot(unroller, &unroller->design[i])] = (uint32_t)i + 1;
}

/* The runs' results into the designs. */
static enum err_code take_runs(const struct detail_run *run, struct unrolled_design *design, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		if (!run[i].ran)
			return err_add(err, ERR_INTERNAL, "%s of the front cannot run: %s", run[i].context->block->name,
			               verdict_table[run[i].verdict.reason].help);
		design[i].total_clk = run[i].result.total_clk;
		design[i].energy = run[i].result.energy;
		metric_of_layer(run[i].context->machine, &run[i].result, design[i].metric);
	}
	return ERR_OK;
}

enum err_code unroll_run(const struct layer_set *set, struct unrolled_design *design, size_t n,
                         const struct detail_options *options, struct err *err)
{
	assert(set && design && n > 0 && options);
	struct detail_run *run = calloc(n, sizeof(*run));
	if (!run)
		return err_add(err, ERR_INTERNAL, "out of memory");
	for (size_t i = 0; i < n; i++) {
		const struct layer_problem *problem = &set->problem[design[i].distinct];
		assert(design[i].machine_index == set->machine_index);
		layer_problem_design(problem, design[i].gene, &design[i].design);
		run[i].context = layer_context_of(problem, &design[i].design);
		run[i].design = &design[i].design;
	}
	enum err_code code = detail_run_all(run, n, options, err);
	if (code == ERR_OK)
		code = take_runs(run, design, n, err);
	free(run);
	return code;
}

/* The designs from first on that are on the same machine; *end is the first one that is not. */
static enum err_code evaluate_machine(struct unroller *unroller, size_t first, size_t *end, unsigned n_thread,
                                      struct err *err)
{
	const struct explore *explore = unroller->explore;
	uint32_t index = unroller->design[first].machine_index;
	const struct detail_options options = {.detail = explore->space->detail, .n_thread = n_thread};
	char why[EXPLORE_TEXT_SIZE];
	struct layer_set *set;
	enum err_code code = layer_set_build(explore->space, &explore->map, index, &set, why, sizeof(why), err);
	if (code != ERR_OK)
		return code;
	if (!set)
		return err_add(err, ERR_INTERNAL, "machine %u of the front is refused: %s", (unsigned)index, why);
	unroller->machine_index[unroller->n_machine] = index;
	unroller->machine[unroller->n_machine++] = set->machine;
	*end = first;
	while (*end < unroller->n_design && unroller->design[*end].machine_index == index)
		(*end)++;
	code = unroll_run(set, unroller->design + first, *end - first, &options, err);
	layer_set_free(set);
	return code;
}

/* Whether the designs are those that explore knows; then they are evaluated. Another front may have others. */
static bool take_known(struct unroller *unroller)
{
	const struct explore *explore = unroller->explore;
	bool is_known = explore->known_design && explore->n_known_design == unroller->n_design;
	for (size_t i = 0; i < unroller->n_design && is_known; i++)
		is_known = compare_designs(&explore->known_design[i], &unroller->design[i]) == 0;
	if (is_known)
		memcpy(unroller->design, explore->known_design, unroller->n_design * sizeof(*unroller->design));
	return is_known;
}

/* The machine of the design at first alone, without what its layers may choose from; *end as below. */
static enum err_code build_machine(struct unroller *unroller, size_t first, size_t *end, struct err *err)
{
	uint32_t index = unroller->design[first].machine_index;
	char why[EXPLORE_TEXT_SIZE];
	if (!space_machine(unroller->explore->space, index, &unroller->machine[unroller->n_machine], why, sizeof(why)))
		return err_add(err, ERR_INTERNAL, "machine %u of the front is refused: %s", (unsigned)index, why);
	unroller->machine_index[unroller->n_machine++] = index;
	for (*end = first; *end < unroller->n_design && unroller->design[*end].machine_index == index;)
		(*end)++;
	return ERR_OK;
}

static enum err_code evaluate_all(struct unroller *unroller, unsigned n_thread, struct err *err)
{
	size_t n_machine = 0, end;
	for (size_t i = 0; i < unroller->n_design; i++)
		n_machine += i == 0 || unroller->design[i].machine_index != unroller->design[i - 1].machine_index;
	unroller->machine_index = calloc(n_machine + 1, sizeof(*unroller->machine_index));
	unroller->machine = calloc(n_machine + 1, sizeof(*unroller->machine));
	if (!unroller->machine_index || !unroller->machine)
		return err_add(err, ERR_INTERNAL, "out of memory");
	bool is_known = take_known(unroller);
	for (size_t i = 0; i < unroller->n_design; i = end) {
		enum err_code code = is_known ? build_machine(unroller, i, &end, err)
		                              : evaluate_machine(unroller, i, &end, n_thread, err);
		if (code != ERR_OK)
			return code;
		assert(end > i);
	}
	assert(unroller->n_machine == n_machine);
	return ERR_OK;
}

enum err_code unroller_init(struct unroller *unroller, const struct explore *explore, unsigned n_thread,
                            struct err *err)
{
	assert(unroller && explore);
	*unroller = (struct unroller){.explore = explore};
	if (explore->front.n == 0)
		return ERR_OK;
	if (!collect(unroller, n_thread)) {
		unroller_free(unroller);
		return err_add(err, ERR_INTERNAL, "out of memory");
	}
	number_designs(unroller);
	enum err_code code = evaluate_all(unroller, n_thread, err);
	if (code != ERR_OK)
		unroller_free(unroller);
	return code;
}

void unroller_free(struct unroller *unroller)
{
	free(unroller->design);
	free(unroller->slot);
	free(unroller->machine_index);
	free(unroller->machine);
	*unroller = (struct unroller){0};
}

const struct machine *unroller_machine(const struct unroller *unroller, uint32_t machine_index)
{
	size_t low = 0, high = unroller->n_machine;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (unroller->machine_index[middle] <= machine_index)
			low = middle;
		else
			high = middle;
	}
	assert(low < high && unroller->machine_index[low] == machine_index);
	return &unroller->machine[low];
}

void unroll_point(const struct unroller *unroller, size_t i, struct unrolled *point)
{
	const struct explore *explore = unroller->explore;
	const struct layer_map *map = &explore->map;
	assert(i < explore->front.n && point->n_layer == map->n_block);
	const uint32_t *genome = explore->front.genome + i * explore->front.n_gene;
	point->machine_index = genome[0];
	point->machine = unroller_machine(unroller, genome[0]);
	for (size_t k = 0; k < map->n_block; k++) {
		struct unrolled_design wanted = {0};
		take_key(map, genome, k, &wanted);
		uint32_t found = unroller->slot[find_slot(unroller, &wanted)];
		assert(found > 0); /* collect has seen every genome */
		point->layer[k] = &unroller->design[found - 1];
	}
	unroll_sum(explore->space, map, point);
}
