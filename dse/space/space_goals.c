/* SPDX-License-Identifier: Apache-2.0 */
/* What a space asks for: constraints and limits, objectives, and how to search. */
#include "dse/engine/engine.h"
#include "dse/space/space_goals.h"
#include "dse/engine/islands.h"
#include "dse/space/space_parts.h"
#include <assert.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME 128
#define MAX_ENGINE 8

/* Names an expression may use, and their units: parameters first, then metrics, then TOPS/W and TOPS/mm2. */
static size_t list_names(const char *name[MAX_NAME], const char *unit[MAX_NAME])
{
	assert(machine_n_param + N_METRIC + 1 < MAX_NAME);
	for (size_t i = 0; i < machine_n_param; i++) {
		name[i] = machine_param[i].key;
		unit[i] = machine_param[i].unit;
	}
	for (size_t i = 0; i < N_METRIC; i++) {
		name[machine_n_param + i] = metric_table[i].name;
		unit[machine_n_param + i] = metric_table[i].unit;
	}
	name[machine_n_param + N_METRIC] = "tops_w";
	name[machine_n_param + N_METRIC + 1] = "tops_mm2";
	unit[machine_n_param + N_METRIC] = unit[machine_n_param + N_METRIC + 1] = "1";
	return machine_n_param + N_METRIC + 2;
}

/* What a metric needs to know of a machine: a group of parameters, which an axis may give, too. */
struct metric_need {
	enum metric metric;
	const char *group, *missing;
};

static const struct metric_need *find_need(enum metric metric)
{
	static const struct metric_need need[] = {
	    {METRIC_AREA, "area", "area coefficients and no technology"},
	    {METRIC_RUN_TIME, "octopus", "constants of its run-time system (OctopuScheduler)"},
	};
	for (size_t i = 0; i < sizeof(need) / sizeof(need[0]); i++)
		if (need[i].metric == metric)
			return &need[i];
	return NULL;
}

static void check_known(struct space_reader *reader, const struct doc_node *node, enum metric metric)
{
	const struct space *space = reader->space;
	const struct metric_need *need = find_need(metric);
	const double any[N_METRIC] = {0};
	if (!need)
		return;
	for (size_t i = 0; i < space->n_axis; i++) {
		size_t n = strlen(need->group);
		if (strncmp(space->axis[i].param->key, need->group, n) == 0 && space->axis[i].param->key[n] == '.')
			return;
	}
	for (size_t i = 0; i < space->n_machine; i++) {
		if (!isnan(metric_value(&space->machine[i], any, metric)))
			continue;
		(void)doc_refuse(reader->err, node,
		                 "found %s, but machine %s has no %s; give them under '%s' in its file",
		                 metric_table[metric].name, space->machine[i].name, need->missing, need->group);
		return;
	}
}

/* One limit a metric: of two, one would be without effect, which is hardly meant. */
static void add_limit(struct space_reader *reader, const struct doc_node *node, enum metric metric, double max)
{
	struct space *space = reader->space;
	struct err_place at = space_text_place(node);
	if (max < 0) {
		err_add_at(reader->err, ERR_INPUT, at,
		           "found a limit of %.10g, allowed 0 or more: %s is never negative", max,
		           metric_table[metric].name);
		return;
	}
	for (size_t i = 0; i < space->n_limit; i++) {
		if (space->limit[i].metric != metric)
			continue;
		err_add_at(reader->err, ERR_INPUT, at,
		           "found a second limit on %s, allowed one (the first is in line %u)",
		           metric_table[metric].name, space->limit[i].at.line);
		return;
	}
	check_known(reader, node, metric);
	space->limit[space->n_limit++] = (struct space_limit){.metric = metric, .max = max, .at = at};
}

/* An expression with metrics: metric <= number is a limit, everything else cannot be cut at and is refused. */
static void take_limit(struct space_reader *reader, const struct doc_node *node, const struct expr *expr,
                       enum metric metric)
{
	size_t index;
	double max;
	if (expr_upper_limit(expr, &index, &max)) {
		assert(index == machine_n_param + (size_t)metric);
		add_limit(reader, node, metric, max);
		return;
	}
	err_add_at(
	    reader->err, ERR_INPUT, space_text_place(node),
	    "found '%s', allowed for the result metric %s only an upper limit '%s <= number' of its own: all metrics "
	    "are minimised, and machine parameters cannot be mixed with results",
	    expr_text(expr), metric_table[metric].name, metric_table[metric].name);
}

double space_n_operation(const struct space *space)
{
	double n = 0.0;
	if (space->aggregate == AGGREGATE_WORST)
		return (double)NAN;
	for (size_t i = 0; i < space->n_network; i++)
		for (size_t k = 0; k < space->network[i].network.n_block; k++)
			n += space_network_weight(space, i) * SPACE_OPERATION_PER_MAC *
			     (double)block_n_mac(&space->network[i].network.block[k]);
	return n;
}

/*
 * tops_w >= number is a limit on energy, as a space's operations are a number, and tops_mm2 >= number one on the
 * product of latency and area.
 */
static void take_least_tops(struct space_reader *reader, const struct doc_node *node, const struct expr *expr,
                            bool is_of_area)
{
	size_t index;
	double min, n_operation = space_n_operation(reader->space);
	const char *name = is_of_area ? "tops_mm2" : "tops_w";
	struct space *space = reader->space;
	if (!expr_lower_limit(expr, &index, &min) || !(min > 0.0)) {
		err_add_at(reader->err, ERR_INPUT, space_text_place(node),
		           "found '%s', allowed for %s only a lower limit '%s >= number' of its own, above 0",
		           expr_text(expr), name, name);
	} else if (isnan(n_operation)) {
		err_add_at(reader->err, ERR_INPUT, space_text_place(node),
		           "found '%s', but with 'aggregate: worst' the networks' operations are not those of one "
		           "%s; limit %s",
		           expr_text(expr), is_of_area ? "latency" : "energy",
		           is_of_area ? "latency_ms and area_mm2" : "energy_mj");
	} else if (!is_of_area) {
		add_limit(reader, node, METRIC_ENERGY, n_operation * SPACE_TERA_PER_MILLI / min);
	} else if (space->least_tops_mm2 > 0) {
		err_add_at(reader->err, ERR_INPUT, space_text_place(node),
		           "found a second limit on tops_mm2, allowed one");
	} else {
		space->least_tops_mm2 = min;
		space->tops_mm2_at = space_text_place(node);
		check_known(reader, node, METRIC_AREA);
	}
}

double space_most_ms_mm2(const struct space *space)
{
	double most = space->least_tops_mm2 > 0
	                  ? space_n_operation(space) * SPACE_TERA_PER_MILLI / space->least_tops_mm2
	                  : (double)INFINITY;
	return most * (1 + SPACE_LIMIT_SLACK);
}

/* Of two designs of which one is nowhere worse, the worse one may not be the only one that keeps it. */
static void check_tops_mm2(struct space_reader *reader)
{
	const struct space *space = reader->space;
	if (!(space->least_tops_mm2 > 0) ||
	    (space_has_objective(space, METRIC_LATENCY) && space_has_objective(space, METRIC_AREA)))
		return;
	err_add_at(
	    reader->err, ERR_INPUT, space->tops_mm2_at,
	    "found a limit on tops_mm2 without latency_ms and area_mm2 among the objectives, whose front it is of; "
	    "name them, or tops_mm2, which stands for both");
}

/*
 * Which of the two an entry is, constraint or limit, follows from the names in
 * it: users need not know that machines are refused before, results after.
 */
static void read_constraint(struct space_reader *reader, const struct doc_node *node)
{
	const char *name[MAX_NAME], *unit[MAX_NAME], *text;
	size_t n_name = list_names(name, unit), n_used = 0;
	struct space *space = reader->space;
	if (!doc_get_text(node, "constraint", &text, reader->err))
		return;
	struct expr *expr = expr_parse(text, space_text_place(node), name, unit, n_name, &space->arena, reader->err);
	if (!expr)
		return;
	for (size_t i = 0; i < n_name; i++) {
		if (!expr_uses(expr, i))
			continue;
		n_used++;
		if (i >= machine_n_param + N_METRIC) {
			take_least_tops(reader, node, expr, i > machine_n_param + N_METRIC);
			return;
		}
		if (i >= machine_n_param) {
			take_limit(reader, node, expr, (enum metric)(i - machine_n_param));
			return;
		}
	}
	if (!expr_is_condition(expr))
		err_add_at(reader->err, ERR_INPUT, space_text_place(node),
		           "found '%s', which compares nothing, allowed a condition such as 'chip.n_dram * "
		           "dram.clk_mhz <= 1600'",
		           text);
	else if (n_used == 0)
		err_add_at(reader->err, ERR_INPUT, space_text_place(node),
		           "found '%s', which names no machine parameter and no metric", text);
	else
		space->constraint[space->n_constraint++] = expr;
}

void space_read_constraints(struct space_reader *reader)
{
	const struct doc_node *list = doc_find(reader->root, "constraints");
	struct space *space = reader->space;
	if (!list)
		return;
	if (list->kind == DOC_MAP) {
		(void)doc_refuse(reader->err, list,
		                 "constraints: found a map, allowed a list of conditions, e.g. ['latency_ms <= 43']");
		return;
	}
	size_t n = item_n(list);
	space->constraint = space_array(reader, n, sizeof(*space->constraint));
	space->limit = space_array(reader, n + 1, sizeof(*space->limit)); /* and one for the deadline */
	for (size_t i = 0; i < n && space->constraint && space->limit; i++)
		read_constraint(reader, item_at(list, i));
}

/*
 * A deadline is a limit on latency, too. Where the latency of the whole is that of one network, it is written down as
 * one, so that all that explains limits explains it. One that the user gives besides stays as it is.
 */
void space_read_deadline(struct space_reader *reader)
{
	const struct doc_node *node = doc_find(reader->root, "deadline_ms");
	struct space *space = reader->space;
	if (!doc_get_quantity(node, "deadline_ms", "ms", 1e-9, 1e12, &space->deadline_ms, reader->err))
		return;
	bool is_limit =
	    space->aggregate == AGGREGATE_WORST || (space->aggregate == AGGREGATE_SUM && space->n_network == 1);
	for (size_t i = 0; i < space->n_limit; i++)
		is_limit = is_limit && space->limit[i].metric != METRIC_LATENCY;
	if (!space->limit)
		space->limit = space_array(reader, 1, sizeof(*space->limit));
	if (is_limit && space->limit)
		space->limit[space->n_limit++] = (struct space_limit){
		    .metric = METRIC_LATENCY, .max = space->deadline_ms, .at = space_text_place(node)};
}

/* "0.5 %", or 0. */
void space_read_resolution(struct space_reader *reader)
{
	const struct doc_node *node = doc_find(reader->root, "resolution");
	double *frac = &reader->space->resolution_frac;
	char *end;
	*frac = NAN;
	if (!node)
		return;
	double pct = node->kind == DOC_SCALAR ? strtod(node->text, &end) : -1.0;
	bool has_unit = pct >= 0.0 && strcmp(end + strspn(end, " "), "%") == 0;
	if (pct >= 0.0 && pct <= 100.0 && (has_unit || (!(pct > 0.0) && *end == '\0')))
		*frac = pct / 100.0;
	else
		(void)doc_refuse(reader->err, node,
		                 "resolution: found %s, allowed is a percentage from 0 to 100, e.g. resolution: 0.5 %%",
		                 node->kind == DOC_SCALAR ? doc_quote(node->text).text : "no scalar");
}

/* Objectives by their own names, and those that TOPS/W and TOPS/mm2 stand for. */
struct named_objectives {
	bool is_named[N_METRIC], is_implied[N_METRIC];
	struct space_reader *reader;
};

static void put_objective(struct named_objectives *named, const struct doc_node *item, enum metric metric)
{
	struct space *space = named->reader->space;
	if (space->n_objective < SPACE_MAX_OBJECTIVE)
		space->objective[space->n_objective++] = metric;
	else if (named->is_implied[metric])
		(void)doc_refuse(named->reader->err, item,
		                 "objectives: %s stands for %s, with which they are more than %d", item->text,
		                 metric_table[metric].name, SPACE_MAX_OBJECTIVE);
	check_known(named->reader, item, metric);
}

static void add_objective(struct named_objectives *named, const struct doc_node *item, enum metric metric)
{
	if (named->is_named[metric])
		(void)doc_refuse(named->reader->err, item, "objectives: found %s again, allowed once",
		                 metric_table[metric].name);
	else if (!named->is_implied[metric])
		put_objective(named, item, metric); /* of too many the others are only checked */
	named->is_named[metric] = true;
}

static void add_implied(struct named_objectives *named, const struct doc_node *item, enum metric metric)
{
	bool is_new = !named->is_named[metric] && !named->is_implied[metric];
	named->is_implied[metric] = true;
	if (is_new)
		put_objective(named, item, metric);
}

void space_read_objectives(struct space_reader *reader)
{
	const char *name[N_METRIC + 2];
	const struct doc_node *list = doc_find(reader->root, "objectives");
	struct space *space = reader->space;
	if (!list) {
		(void)doc_refuse(reader->err, reader->root,
		                 "a space without 'objectives', e.g. objectives: [latency_ms, energy_mj]");
		return;
	}
	if (!space_has_items(list, "objectives", reader->err))
		return;
	if (item_n(list) > SPACE_MAX_OBJECTIVE)
		(void)doc_refuse(reader->err, list, "objectives: found %zu, at most %d are allowed", item_n(list),
		                 SPACE_MAX_OBJECTIVE);
	for (size_t i = 0; i < N_METRIC; i++)
		name[i] = metric_table[i].name;
	name[N_METRIC] = "tops_w";
	name[N_METRIC + 1] = "tops_mm2";
	struct named_objectives named = {.reader = reader};
	for (size_t i = 0; i < item_n(list); i++) {
		const struct doc_node *item = item_at(list, i);
		size_t index;
		if (!doc_get_choice(item, "objective", name, N_METRIC + 2, &index, reader->err))
			continue;
		if (index < N_METRIC) {
			add_objective(&named, item, (enum metric)index);
		} else if (index == N_METRIC) {
			space->wants_tops_w = true;
			add_implied(&named, item, METRIC_ENERGY);
		} else {
			space->wants_tops_mm2 = true;
			add_implied(&named, item, METRIC_LATENCY);
			add_implied(&named, item, METRIC_AREA);
		}
	}
	check_tops_mm2(reader);
}

/* value keeps its default when the key is absent or wrong. */
static void read_number(const struct doc_node *map, const char *key, uint64_t min, uint64_t max, uint64_t *value,
                        struct err *err)
{
	(void)doc_get_u64(doc_find(map, key), key, min, max, value, err);
}

void space_read_search(struct space_reader *reader)
{
	static const char *const allowed[] = {"engine",          "seed",    "population",    "generations", "max_front",
	                                      "max_evaluations", "islands", "migrate_every", "seeds"};
	static const char *const seeds_name[] = {"exact", "heuristics"};
	const char *name[MAX_ENGINE];
	const struct doc_node *map = doc_find(reader->root, "search");
	struct space *space = reader->space;
	uint64_t population = 0, generations = 0, islands = 1, migrate_every = 0, max_front = 0;
	size_t index;
	space->engine = engine_exact.name;
	space->seed = 1;
	if (map) {
		assert(engine_n <= MAX_ENGINE);
		for (size_t i = 0; i < engine_n; i++)
			name[i] = engine_table[i]->name;
		doc_check_keys(map, allowed, sizeof(allowed) / sizeof(allowed[0]), reader->err);
		if (doc_get_choice(doc_find(map, "engine"), "engine", name, engine_n, &index, reader->err))
			space->engine = engine_table[index]->name;
		if (doc_get_choice(doc_find(map, "seeds"), "seeds", seeds_name, 2, &index, reader->err))
			space->seeds = index == 0 ? SEEDS_EXACT : SEEDS_HEURISTICS;
		read_number(map, "seed", 0, UINT64_MAX, &space->seed, reader->err);
		read_number(map, "population", 4, 1000000, &population, reader->err);
		read_number(map, "generations", 1, 1000000000, &generations, reader->err);
		read_number(map, "islands", 1, ISLANDS_MAX, &islands, reader->err);
		read_number(map, "migrate_every", 1, 1000000, &migrate_every, reader->err);
		read_number(map, "max_front", 2, 100000000, &max_front, reader->err);
		read_number(map, "max_evaluations", 1, UINT64_MAX, &space->max_evaluation, reader->err);
	}
	assert(population <= UINT32_MAX && generations <= UINT32_MAX && max_front != 1);
	space->population = (uint32_t)population;
	space->generations = (uint32_t)generations;
	space->islands = (uint32_t)islands;
	space->migrate_every = (uint32_t)migrate_every;
	space->max_front = (size_t)max_front;
}

bool space_has_objective(const struct space *space, enum metric metric)
{
	for (size_t i = 0; i < space->n_objective; i++)
		if (space->objective[i] == metric)
			return true;
	return false;
}

bool space_samples_splits(const struct space *space)
{
	const struct engine_kind *engine = space->engine ? engine_find(space->engine) : NULL;
	return engine && engine->is_random && space->seeds != SEEDS_EXACT;
}

double space_limit_most(const struct space_limit *limit)
{
	return limit->max + fabs(limit->max) * SPACE_LIMIT_SLACK;
}

double space_metric_limit(const struct space *space, enum metric metric)
{
	double limit = INFINITY;
	for (size_t i = 0; i < space->n_limit; i++)
		if (space->limit[i].metric == metric)
			limit = fmin(limit, space_limit_most(&space->limit[i]));
	return limit;
}

enum compose_op space_aggregate_op(const struct space *space, enum metric metric)
{
	return space->aggregate == AGGREGATE_WORST ? COMPOSE_MAX : metric_table[metric].op;
}

double space_network_weight(const struct space *space, size_t network)
{
	assert(network < space->n_network);
	return space->aggregate == AGGREGATE_WEIGHTED ? space->network[network].weight : 1.0;
}

/*
 * A limit holds for the aggregate of all networks. One network, and one layer
 * of it, can break it alone: all metrics are positive. A weight below 1 makes
 * room, so the layers' own limits are widened by it.
 */
double space_network_limit(const struct space *space, size_t network, enum metric metric)
{
	double limit = space_metric_limit(space, metric), weight = space_network_weight(space, network);
	assert(weight > 0.0);
	return space_aggregate_op(space, metric) == COMPOSE_SUM ? limit / weight : limit;
}

bool space_sram_costs(const struct space *space)
{
	bool counts = false, costs = false;
	static const enum metric of_energy[] = {METRIC_ENERGY, METRIC_EDP, METRIC_PEAK_POWER};
	for (size_t i = 0; i < sizeof(of_energy) / sizeof(of_energy[0]); i++)
		counts |= space_has_objective(space, of_energy[i]) || isfinite(space_metric_limit(space, of_energy[i]));
	for (size_t i = 0; i < space->n_machine; i++)
		costs |= space->machine[i].technology.of.node_nm > 0 && !space->machine[i].technology.is_area_alone;
	return counts && costs;
}
