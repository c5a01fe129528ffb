/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design/unroll.h"
#include "dse/space/area_trust.h"
#include "dse/space/space_goals.h"
#include "dse/space/space_machine.h"
#include "dse/layer/changes.h"
#include "dse/bound/deadline.h"
#include "dse/base/parallel.h"
#include "sim/base/stop.h"
#include "sim/base/unit.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	N_PART = 16,      /* of a front whose designs are collected side by side */
	FEW_POINTS = 256, /* for which one thread does */
	SAVE_MS = 3000    /* after a signal: what has been found is worth so much waiting */
};

enum err_code unrolled_init(const struct layer_map *map, struct unrolled *point, struct err *err)
{
	assert(map && point);
	*point = (struct unrolled){.n_layer = map->n_block, .n_network = map->n_network};
	point->layer = arena_array(&point->arena, map->n_block, sizeof(*point->layer));
	point->network = arena_array(&point->arena, map->n_network, sizeof(*point->network));
	if (!point->arena.is_out)
		return ERR_OK;
	unrolled_free(point);
	return err_add(err, ERR_INTERNAL, "out of memory");
}

void unrolled_free(struct unrolled *point)
{
	arena_free(&point->arena);
	*point = (struct unrolled){0};
}

static double join(enum compose_op op, double sum, double value)
{
	return op == COMPOSE_SUM ? sum + value : fmax(sum, value);
}

/* Of a network's layers by their time, which is returned. */
static double add_uncertainty(const struct layer_map *map, size_t network, double weight, struct unrolled *point)
{
	double sum_ms = 0.0;
	for (size_t i = map->begin[network]; i < map->begin[network + 1]; i++) {
		double layer_ms = weight * point->layer[i]->metric[METRIC_LATENCY];
		uncertainty_add(&point->uncertain, layer_ms, &point->layer[i]->uncertain);
		sum_ms += layer_ms;
	}
	return sum_ms;
}

void unroll_sum(const struct space *space, const struct layer_map *map, struct unrolled *point)
{
	assert(point->n_layer == map->n_block && point->n_network == map->n_network && point->machine);
	double layers_ms = 0.0;
	point->uncertain = (struct uncertainty){0};
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
		layers_ms += add_uncertainty(map, network, weight, point);
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
	uncertainty_divide(&point->uncertain, layers_ms);
}

void unroll_add_network_use(const struct space *space, const struct layer_map *map, const struct unrolled *point,
                            size_t network, struct energy_use *use)
{
	const struct machine *machine = point->machine;
	struct energy_use own = {0};
	double rest_ms = space->deadline_ms - point->network[network][METRIC_LATENCY];
	for (size_t i = map->begin[network]; i < map->begin[network + 1]; i++)
		energy_use_add(&own, &point->layer[i]->use, 1.0);
	for (size_t i = map->begin[network] + 1; changes_count(space, machine) && i < map->begin[network + 1]; i++)
		energy_use_add_change(machine, changes_exit(machine, point->layer[i - 1]->design.level),
		                      changes_entry(machine, point->layer[i]->design.level), &own);
	if (space->deadline_ms > 0 && rest_ms > 0)
		energy_use_add_static(machine, energy_sleep_level(machine), rest_ms * NS_PER_MS, &own);
	energy_use_add(use, &own, space_network_weight(space, network));
}

void unroll_use(const struct space *space, const struct layer_map *map, const struct unrolled *point,
                struct energy_use *use)
{
	bool is_worst = space_aggregate_op(space, METRIC_ENERGY) == COMPOSE_MAX;
	size_t worst = 0;
	for (size_t i = 1; i < map->n_network; i++)
		worst = point->network[i][METRIC_ENERGY] > point->network[worst][METRIC_ENERGY] ? i : worst;
	*use = (struct energy_use){0};
	for (size_t i = 0; i < map->n_network; i++)
		if (!is_worst || i == worst)
			unroll_add_network_use(space, map, point, i, use);
}

double unroll_tops_w(const struct space *space, const struct unrolled *point)
{
	return space_n_operation(space) * SPACE_TERA_PER_MILLI / point->metric[METRIC_ENERGY];
}

double unroll_tops_mm2(const struct space *space, const struct unrolled *point)
{
	double area_mm2 = metric_value(point->machine, point->metric, METRIC_AREA);
	return space_n_operation(space) * SPACE_TERA_PER_MILLI / (point->metric[METRIC_LATENCY] * area_mm2);
}

bool unroll_area_interval(const struct space *space, const struct unrolled *point, double interval[2])
{
	struct area_part part[AREA_N_PART];
	double area_mm2 = 0;
	size_t file = space_machine_file(space, point->machine_index);
	interval[0] = interval[1] = 0;
	area_parts(point->machine, &space->machine_sources[file], part);
	for (size_t i = 0; i < AREA_N_PART; i++) {
		bool is_varied = false;
		for (size_t k = 0; k < space->n_axis; k++)
			is_varied |= strcmp(space->axis[k].param->key, part[i].key) == 0;
		area_mm2 += part[i].mm2;
		interval[0] += is_varied ? part[i].mm2 : part[i].least_mm2;
		interval[1] += is_varied ? part[i].mm2 : part[i].most_mm2;
	}
	return area_mm2 > 0;
}

/* A design's machine, layer and genes as a key. */
enum { N_WORD = 2 + N_LAYER_GENE };

/* The key of block k's design in a genome. */
static void take_key(const struct layer_map *map, const uint32_t *genome, size_t k, uint32_t key[N_WORD])
{
	key[0] = genome[0];
	key[1] = map->distinct[k];
	memcpy(key + 2, genome + 1 + k * N_LAYER_GENE, N_LAYER_GENE * sizeof(*key));
}

static int compare_keys(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;
	for (size_t i = 0; i < N_WORD; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

/* Designs of parts of the front, each with a table of its own: most points of a part share theirs. */
struct collection {
	const struct explore *explore;
	struct key_table part[N_PART];
	bool done[N_PART];
};

static void collect_part(void *context, size_t i)
{
	struct collection *collection = context;
	const struct pareto *front = &collection->explore->front;
	const struct layer_map *map = &collection->explore->map;
	size_t begin = front->n * i / N_PART, end = front->n * (i + 1) / N_PART;
	uint32_t key[N_WORD], number;
	collection->part[i] = (struct key_table){.n_word = N_WORD};
	collection->done[i] = true;
	for (size_t point = begin; point < end; point++) {
		for (size_t k = 0; k < map->n_block && collection->done[i]; k++) {
			take_key(map, front->genome + point * front->n_gene, k, key);
			collection->done[i] = key_table_add(&collection->part[i], key, &number, NULL);
		}
	}
}

/* The designs of all keys by numbers that do not depend on which point came first: their total order. */
static bool number_designs(struct unroller *unroller, struct key_table *all)
{
	bool done = true;
	qsort(all->key, all->n, N_WORD * sizeof(*all->key), compare_keys);
	unroller->known = (struct key_table){.n_word = N_WORD};
	unroller->design = calloc(all->n, sizeof(*unroller->design));
	for (size_t i = 0; i < all->n && unroller->design && done; i++) {
		const uint32_t *key = all->key + i * N_WORD;
		struct unrolled_design *design = &unroller->design[i];
		design->machine_index = key[0];
		design->distinct = key[1];
		memcpy(design->gene, key + 2, sizeof(design->gene));
		uint32_t number;
		done = key_table_add(&unroller->known, key, &number, NULL);
		assert(!done || number == i);
	}
	unroller->n_design = all->n;
	return unroller->design && done;
}

static bool collect(struct unroller *unroller, unsigned n_thread)
{
	struct collection collection = {.explore = unroller->explore};
	struct key_table all = {.n_word = N_WORD};
	uint32_t number;
	bool done = true;
	parallel_for(N_PART, unroller->explore->front.n < FEW_POINTS ? 1 : n_thread, collect_part, &collection);
	for (size_t i = 0; i < N_PART; i++) {
		const struct key_table *part = &collection.part[i];
		done &= collection.done[i];
		for (size_t k = 0; k < part->n && done; k++)
			done = key_table_add(&all, part->key + k * N_WORD, &number, NULL);
		key_table_free(&collection.part[i]);
	}
	done = done && number_designs(unroller, &all);
	key_table_free(&all);
	return done;
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
		design[i].mac = run[i].result.counts.mac;
		energy_use_of(run[i].context->machine, run[i].design->level, &run[i].result, &design[i].use);
		design[i].uncertain = run[i].uncertain;
		metric_of_layer(run[i].context, run[i].design, &run[i].result, design[i].metric);
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
	const struct stop saving = {.grace_ms = SAVE_MS};
	enum detail detail = explore->space->detail;
	const struct detail_options options = {
	    .detail = detail, .n_thread = n_thread, .can_stop = detail == DETAIL_EVENT, .stop = &saving};
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

int unrolled_compare(const void *left, const void *right)
{
	const struct unrolled_design *a = left, *b = right;
	uint32_t own[N_WORD] = {a->machine_index, a->distinct}, other[N_WORD] = {b->machine_index, b->distinct};
	memcpy(own + 2, a->gene, sizeof(a->gene));
	memcpy(other + 2, b->gene, sizeof(b->gene));
	return compare_keys(own, other);
}

/* Whether explore knows all of the designs; then they are evaluated. Another front may have others. */
static bool take_known(struct unroller *unroller)
{
	const struct explore *explore = unroller->explore;
	size_t at = 0;
	for (size_t i = 0; i < unroller->n_design; i++) {
		while (at < explore->n_known_design &&
		       unrolled_compare(&explore->known_design[at], &unroller->design[i]) < 0)
			at++;
		if (at == explore->n_known_design ||
		    unrolled_compare(&explore->known_design[at], &unroller->design[i]) != 0)
			return false;
		unroller->design[i] = explore->known_design[at];
	}
	return true;
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

static bool list_coefficients(struct unroller *unroller)
{
	const struct space *space = unroller->explore->space;
	bool has_memory = true;
	for (size_t i = 0; i < unroller->n_machine && has_memory; i++) {
		struct machine_coefficients *own = &unroller->coefficients[i];
		const struct machine_sources *sources =
		    &space->machine_sources[space_machine_file(space, unroller->machine_index[i])];
		own->coefficient = coefficient_list(&unroller->machine[i], sources, UINT32_MAX, DETAIL_FAST,
		                                    &unroller->arena, &own->n);
		has_memory = own->coefficient != NULL;
	}
	return has_memory;
}

static enum err_code evaluate_all(struct unroller *unroller, unsigned n_thread, struct err *err)
{
	size_t n_machine = 0, end;
	for (size_t i = 0; i < unroller->n_design; i++)
		n_machine += i == 0 || unroller->design[i].machine_index != unroller->design[i - 1].machine_index;
	unroller->machine_index = calloc(n_machine + 1, sizeof(*unroller->machine_index));
	unroller->machine = calloc(n_machine + 1, sizeof(*unroller->machine));
	unroller->coefficients = calloc(n_machine + 1, sizeof(*unroller->coefficients));
	if (!unroller->machine_index || !unroller->machine || !unroller->coefficients)
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
	return list_coefficients(unroller) ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory");
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
	enum err_code code = evaluate_all(unroller, n_thread, err);
	if (code != ERR_OK)
		unroller_free(unroller);
	return code;
}

void unroller_free(struct unroller *unroller)
{
	free(unroller->design);
	key_table_free(&unroller->known);
	free(unroller->machine_index);
	free(unroller->machine);
	free(unroller->coefficients);
	arena_free(&unroller->arena);
	*unroller = (struct unroller){0};
}

static size_t find_machine(const struct unroller *unroller, uint32_t machine_index)
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
	return low;
}

const struct machine *unroller_machine(const struct unroller *unroller, uint32_t machine_index)
{
	return &unroller->machine[find_machine(unroller, machine_index)];
}

void unroll_trust(const struct unroller *unroller, const struct unrolled *point, struct energy_trust *trust)
{
	const struct space *space = unroller->explore->space;
	const struct machine_coefficients *own = &unroller->coefficients[find_machine(unroller, point->machine_index)];
	struct energy_use use;
	const char *varied[128];
	assert(space->n_axis <= sizeof(varied) / sizeof(varied[0])); /* no parameter twice */
	for (size_t i = 0; i < space->n_axis; i++)
		varied[i] = space->axis[i].param->key;
	unroll_use(space, &unroller->explore->map, point, &use);
	energy_trust_of(own->coefficient, own->n, varied, space->n_axis, &use, trust);
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
		uint32_t key[N_WORD];
		take_key(map, genome, k, key);
		point->layer[k] = &unroller->design[key_table_find(&unroller->known, key)];
	}
	unroll_sum(explore->space, map, point);
}
