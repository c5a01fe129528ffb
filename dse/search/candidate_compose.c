/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the layers' fronts of a machine candidate to those of networks, and of all networks together. A network is a
 * chain of layers (dse/pareto/compose.h); each of a layer's tasks is an edge from state to state.
 */
#include "dse/search/candidate_parts.h"
#include "dse/space/space_goals.h"
#include "dse/space/space_machine.h"
#include "dse/layer/changes.h"
#include "dse/bound/deadline.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* A state leaves a layer its result's place and how much it fetches ahead. */
#define MAX_PLACE_EDGE (LAYER_N_STATE * 2 * AHEAD_N)
/* Of every state before, with changes of level: each level of a layer after each point of the machine's own. */
#define MAX_EDGE (MAX_PLACE_EDGE * MACHINE_FILE_LEVEL * MACHINE_MAX_LEVEL)

/*
 * Composition again, where limits meet thinning: points of a state's front, which take about 50 bytes each, with what
 * the layers before keep of theirs; pairs to be weighed, some 30 million a second, where nothing was found and else
 * as a multiple of those of the first composition.
 */
#define AGAIN_MAX_FRONT ((size_t)1 << 18)
#define AGAIN_EMPTY_PAIRS (UINT64_C(1) << 29)
#define AGAIN_LEAST_PAIRS (UINT64_C(1) << 22)
#define AGAIN_FACTOR 4

/*
 * Where a space has no max_front: what the compositions of one machine may take. 2^28 pairs are 10 to 25 s of a core;
 * of many machines each gets a part, but no less than 2^26.
 */
#define BUDGET_BYTE (UINT64_C(1) << 28)
#define BUDGET_MOST_PAIRS (UINT64_C(1) << 28)
#define BUDGET_LEAST_PAIRS (UINT64_C(1) << 26)
#define BUDGET_SPACE_PAIRS (UINT64_C(1) << 30)
/* Of these parts one, where layers were searched to within an epsilon: what composition drops is next to that. */
#define BUDGET_COARSE_PART 16

/* Names for n points. */
static enum err_code grow_iota(struct candidate *candidate, size_t n, struct err *err)
{
	if (n <= candidate->n_iota)
		return ERR_OK;
	uint32_t *iota = realloc(candidate->iota, n * sizeof(*iota));
	if (!iota || n > UINT32_MAX) {
		candidate->iota = iota ? iota : candidate->iota;
		return err_add(err, ERR_INTERNAL, "out of memory");
	}
	for (size_t i = candidate->n_iota; i < n; i++)
		iota[i] = (uint32_t)i;
	candidate->iota = iota;
	candidate->n_iota = n;
	return ERR_OK;
}

enum err_code candidate_name_points(struct candidate *candidate, struct err *err)
{
	size_t n = 1;
	for (size_t i = 0; i < candidate->n_task; i++)
		if (candidate->task[i].front.n > n)
			n = candidate->task[i].front.n;
	return grow_iota(candidate, n, err);
}

/* ---- states and edges ---------------------------------------------------------------------------------- */

/* The state of a chain: what residency does, and with changes of level the machine's own point that it ends at. */
struct chain_state {
	unsigned place, level;
};

/* How many states there are of either; n_level 1: changes do not count. */
struct chain_space {
	unsigned n_place, n_level;
};

/* Composition knows states by numbers. */
static unsigned state_number(struct chain_space space, struct chain_state state)
{
	assert(state.place < space.n_place && state.level < space.n_level);
	return state.level * space.n_place + state.place;
}

/* A task of a block's layer, between two states. */
struct chain_edge {
	struct chain_state from, to;
	size_t task;
	bool changes_level; /* on entering the layer */
};

/* The edges of a block one by one, always in the same order: by state before, then task. */
struct edge_walk {
	const struct candidate *candidate;
	const struct block *block;
	struct chain_space space;
	bool is_first;     /* of its network: no level comes before it */
	size_t begin, end; /* tasks of its layer */
	struct chain_state from;
	size_t task; /* to be looked at next, with from */
};

static struct edge_walk walk_edges(const struct candidate *candidate, struct chain_space space, size_t block)
{
	const struct layer_map *map = candidate->set->map;
	size_t distinct = map->distinct[block], begin = candidate->first_task[distinct];
	return (struct edge_walk){.candidate = candidate,
	                          .block = map->block[block],
	                          .space = space,
	                          .is_first = block == map->begin[layer_map_network(map, block)],
	                          .begin = begin,
	                          .end = candidate->first_task[distinct + 1],
	                          .task = begin};
}

/* Whether the task leads anywhere from the state, and where. */
static bool make_edge(const struct edge_walk *walk, struct chain_edge *edge)
{
	const struct candidate *candidate = walk->candidate;
	const struct machine *machine = &candidate->set->machine;
	const struct candidate_task *task = &candidate->task[walk->task];
	*edge = (struct chain_edge){.from = walk->from, .task = walk->task};
	if (!layer_place_fits(walk->block, walk->from.place, task->layer.place[0], &edge->to.place) ||
	    edge->to.place >= walk->space.n_place || task->front.n == 0)
		return false;
	if (walk->space.n_level > 1) {
		uint32_t level = task->layer.level[0];
		edge->to.level = changes_exit(machine, level);
		edge->changes_level = !walk->is_first && changes_entry(machine, level) != walk->from.level;
	}
	return true;
}

/* The next edge; false: there is none. */
static bool next_edge(struct edge_walk *walk, struct chain_edge *edge)
{
	while (walk->from.level < walk->space.n_level) {
		if (walk->task < walk->end) {
			bool is_edge = make_edge(walk, edge);
			walk->task++;
			if (is_edge)
				return true;
			continue;
		}
		walk->task = walk->begin;
		if (++walk->from.place == walk->space.n_place)
			walk->from = (struct chain_state){0, walk->from.level + 1};
	}
	return false;
}

/* One state suffices where nothing can ever stay in storage QPEs, half of them where nothing is fetched ahead. */
static unsigned n_place_state(const struct candidate *candidate)
{
	unsigned all = 0;
	for (size_t i = 0; i < candidate->set->n_problem; i++)
		for (unsigned k = 0; k < candidate->set->problem[i].n_value[GENE_PLACE]; k++)
			all |= candidate->set->problem[i].place[k];
	if ((all & (PLACE_WEIGHT | PLACE_FETCH)) != 0)
		return LAYER_N_STATE;
	return all != 0 ? LAYER_N_RESULT_STATE : 1;
}

/* Mixed points stand behind the machine's own. */
static struct chain_space states_of(const struct candidate *candidate)
{
	const struct machine *machine = &candidate->set->machine;
	unsigned n_level = 1;
	if (changes_count(candidate->space, machine))
		while (n_level < machine->n_level && machine->level[n_level].n_share == 0)
			n_level++;
	assert(n_level <= MACHINE_FILE_LEVEL);
	return (struct chain_space){n_place_state(candidate), n_level};
}

/* ---- one composition ----------------------------------------------------------------------------------- */

struct composition {
	struct compose_front *front; /* [n_task], then [n_task] after a change of level */
	struct compose_edge *edge;   /* [n_layer][max_edge] */
	struct compose_layer *layer; /* [n_layer] */
	size_t max_edge;
	enum compose_op op[COMPOSE_MAX_METRIC];
	double limit[COMPOSE_MAX_METRIC], beside[COMPOSE_MAX_METRIC];
	struct compose_options options;
	struct arena arena;
};

static struct compose_budget budget_of(const struct candidate *candidate)
{
	uint64_t n_machine = space_n_machine(candidate->space);
	uint64_t share = BUDGET_SPACE_PAIRS / (n_machine > 0 ? n_machine : 1);
	uint64_t n_pair = share < BUDGET_LEAST_PAIRS ? BUDGET_LEAST_PAIRS : share;
	n_pair = n_pair < BUDGET_MOST_PAIRS ? n_pair : BUDGET_MOST_PAIRS;
	if (candidate->max_front > 0)
		return (struct compose_budget){0};
	return (struct compose_budget){.max_byte = BUDGET_BYTE,
	                               .max_weighed = candidate->epsilon > 0 ? n_pair / BUDGET_COARSE_PART : n_pair};
}

/* Options but for operations and limits, which the caller fills in. false: out of memory. */
static bool composition_init(struct composition *chain, const struct candidate *candidate, size_t n_front,
                             size_t n_layer, size_t max_edge)
{
	chain->options =
	    (struct compose_options){.n_metric = candidate_any_layer(candidate)->n_metric,
	                             .op = chain->op,
	                             .limit = chain->limit,
	                             .max_front = candidate->max_front > 0 ? candidate->max_front : SIZE_MAX,
	                             .budget = budget_of(candidate),
	                             .max_composed = candidate->max_composed,
	                             .stop = candidate->set->map->stop,
	                             .is_thinned = candidate->epsilon > 0,
	                             .n_thread = candidate->n_thread};
	assert(chain->options.n_metric <= COMPOSE_MAX_METRIC);
	chain->max_edge = max_edge;
	chain->arena = (struct arena){0};
	chain->front = arena_array(&chain->arena, n_front, sizeof(*chain->front));
	chain->edge = arena_array(&chain->arena, n_layer * max_edge, sizeof(*chain->edge));
	chain->layer = arena_array(&chain->arena, n_layer, sizeof(*chain->layer));
	return !chain->arena.is_out;
}

/* ---- networks ------------------------------------------------------------------------------------------ */

/* All tasks' fronts as if another level were before them. false: out of memory. */
static bool change_fronts(const struct candidate *candidate, struct composition *chain)
{
	const struct layer_problem *any = candidate_any_layer(candidate);
	size_t n_value = 0;
	for (size_t k = 0; k < candidate->n_task; k++)
		n_value += candidate->task[k].front.n * any->n_metric;
	double *value = arena_array(&chain->arena, n_value, sizeof(*value));
	if (!value)
		return false;
	for (size_t k = 0; k < candidate->n_task; k++) {
		const struct compose_front *front = &chain->front[k];
		const struct machine *machine = &candidate->set->machine;
		uint32_t level = candidate->task[k].layer.level[0], to = changes_entry(machine, level);
		double change[N_METRIC] = {0};
		/* what it costs depends on where it leads alone */
		changes_add(candidate->space, machine, to == 0 ? 1 : 0, to, change);
		deadline_of_layer(candidate->space, machine, change);
		chain->front[candidate->n_task + k] = (struct compose_front){front->n, value, front->id};
		for (size_t i = 0; i < front->n * any->n_metric; i++)
			*value++ = front->metric[i] + change[any->metric[i % any->n_metric]];
	}
	return true;
}

/* Sleep until the deadline, setup and cleanup; the same for all points, so their order stays. */
static void add_beside(struct candidate *candidate, size_t i)
{
	const struct layer_problem *any = candidate_any_layer(candidate);
	struct compose_result *network = &candidate->network[i];
	for (unsigned k = 0; k < any->n_metric; k++) {
		double beside = deadline_beside(candidate->space, &candidate->set->machine, any->metric[k]);
		if (!(beside > 0))
			continue;
		candidate->network_nearest[i * COMPOSE_MAX_METRIC + k] += beside;
		for (size_t point = 0; point < network->n; point++)
			network->metric[point * network->n_metric + k] += beside;
	}
}

static void set_network_goals(const struct candidate *candidate, size_t i, struct composition *chain)
{
	const struct layer_problem *any = candidate_any_layer(candidate);
	const struct machine *machine = &candidate->set->machine;
	for (unsigned k = 0; k < any->n_metric; k++) {
		enum metric metric = any->metric[k];
		chain->op[k] = metric_table[metric].op;
		chain->beside[k] = deadline_beside(candidate->space, machine, metric);
		chain->limit[k] =
		    candidate->no_limits ? INFINITY : deadline_limit(candidate->space, machine, i, metric);
	}
	chain->options.beside = chain->beside;
}

static void list_edges(const struct candidate *candidate, struct chain_space space, size_t block,
                       struct composition *chain, size_t k)
{
	struct compose_edge *list = chain->edge + k * chain->max_edge;
	struct edge_walk walk = walk_edges(candidate, space, block);
	struct chain_edge edge;
	size_t n = 0;
	while (next_edge(&walk, &edge)) {
		size_t front = edge.task + (edge.changes_level ? candidate->n_task : 0);
		assert(n < chain->max_edge);
		list[n++] = (struct compose_edge){state_number(space, edge.from), state_number(space, edge.to),
		                                  &chain->front[front]};
	}
	chain->layer[k] = (struct compose_layer){n, list, 1.0};
}

void candidate_compose_network(struct candidate *candidate, size_t i)
{
	const struct layer_map *map = candidate->set->map;
	size_t n_layer = map->begin[i + 1] - map->begin[i];
	struct chain_space space = states_of(candidate);
	struct composition chain;
	bool changes = space.n_level > 1;
	candidate->network_code[i] = ERR_INTERNAL;
	if (!composition_init(&chain, candidate, 2 * candidate->n_task, n_layer, changes ? MAX_EDGE : MAX_PLACE_EDGE))
		goto cleanup;
	chain.options.n_state = space.n_place * space.n_level;
	set_network_goals(candidate, i, &chain);
	for (size_t k = 0; k < candidate->n_task; k++) {
		const struct pareto *front = &candidate->task[k].front;
		assert(front->n <= candidate->n_iota);
		chain.front[k] = (struct compose_front){front->n, front->objective, candidate->iota};
	}
	if (changes && !change_fronts(candidate, &chain))
		goto cleanup;
	for (size_t k = 0; k < n_layer; k++)
		list_edges(candidate, space, map->begin[i] + k, &chain, k);
	candidate->network_code[i] = compose_chain(chain.layer, n_layer, &chain.options, &candidate->network[i],
	                                           candidate->network_nearest + i * COMPOSE_MAX_METRIC, NULL);
	add_beside(candidate, i);
cleanup:
	arena_free(&chain.arena);
}

/* ---- all networks -------------------------------------------------------------------------------------- */

static uint64_t count_composed(const struct candidate *candidate)
{
	uint64_t n = candidate->total.n_composed;
	for (size_t i = 0; i < candidate->set->map->n_network; i++)
		n = add_sat(n, candidate->network[i].n_composed);
	return n;
}

static void set_total_goals(const struct candidate *candidate, struct composition *chain)
{
	const struct layer_problem *any = candidate_any_layer(candidate);
	for (unsigned k = 0; k < any->n_metric; k++) {
		chain->op[k] = space_aggregate_op(candidate->space, any->metric[k]);
		chain->limit[k] =
		    candidate->no_limits ? INFINITY : space_metric_limit(candidate->space, any->metric[k]);
	}
}

enum err_code candidate_compose_total(struct candidate *candidate, struct err *err)
{
	size_t n_network = candidate->set->map->n_network;
	struct composition chain;
	for (size_t i = 0; i < n_network; i++) {
		if (candidate->network_code[i] != ERR_OK)
			return err_add(err, ERR_INTERNAL, "out of memory when composing a network");
		enum err_code code = grow_iota(candidate, candidate->network[i].n, err);
		if (code != ERR_OK)
			return code;
	}
	enum err_code code = ERR_OK;
	if (!composition_init(&chain, candidate, n_network, n_network, 1)) {
		code = err_add(err, ERR_INTERNAL, "out of memory");
		goto cleanup;
	}
	chain.options.n_state = 1;
	set_total_goals(candidate, &chain);
	for (size_t i = 0; i < n_network; i++) {
		const struct compose_result *network = &candidate->network[i];
		chain.front[i] = (struct compose_front){network->n, network->metric, candidate->iota};
		chain.edge[i] = (struct compose_edge){0, 0, &chain.front[i]};
		chain.layer[i] = (struct compose_layer){network->n > 0 ? 1 : 0, &chain.edge[i],
		                                        space_network_weight(candidate->space, i)};
		chain.options.is_thinned |= network->epsilon > 0.0;
	}
	code = compose_chain(chain.layer, n_network, &chain.options, &candidate->total, candidate->total_nearest, err);
	candidate->n_composed = add_sat(candidate->n_composed, count_composed(candidate));
cleanup:
	arena_free(&chain.arena);
	return code;
}

/* What the searches of a network's layers lose of a metric, whatever the places and levels of each. */
static double network_loss(const struct candidate *candidate, size_t network, unsigned k)
{
	const struct layer_map *map = candidate->set->map;
	bool is_sum = metric_table[candidate_any_layer(candidate)->metric[k]].op == COMPOSE_SUM;
	double loss = 0.0;
	for (size_t block = map->begin[network]; block < map->begin[network + 1]; block++) {
		double own = 0.0;
		for (size_t i = candidate->first_task[map->distinct[block]];
		     i < candidate->first_task[map->distinct[block] + 1]; i++)
			own = fmax(own, candidate->task[i].loss[k]);
		loss = is_sum ? loss + own : fmax(loss, own);
	}
	return loss;
}

/*
 * The same as a part of what any design has at least: that is no less than the front's least without the loss.
 * Infinite where that tells nothing.
 */
static double network_epsilon(const struct candidate *candidate, size_t network)
{
	const struct compose_result *result = &candidate->network[network];
	double epsilon = 0.0;
	for (unsigned k = 0; k < candidate_any_layer(candidate)->n_metric; k++) {
		double loss = network_loss(candidate, network, k), least = INFINITY;
		for (size_t i = 0; i < result->n; i++)
			least = fmin(least, result->metric[i * result->n_metric + k]);
		least = result->n > 0 ? least * (1 - 1e-9) - loss : 0.0;
		epsilon = loss > 0.0 ? fmax(epsilon, least > 0.0 ? loss / least : INFINITY) : epsilon;
	}
	return epsilon;
}

double candidate_epsilon(const struct candidate *candidate)
{
	double worst = 0.0;
	assert(candidate->total.epsilon >= 0.0);
	double of_layers = 0.0;
	for (size_t i = 0; i < candidate->n_task; i++)
		of_layers = fmax(of_layers, candidate->task[i].epsilon);
	for (size_t i = 0; i < candidate->set->map->n_network; i++) {
		double own = of_layers;
		/* chains that limits cut may have less than the front's least */
		if (own > 0.0 && !candidate->network[i].is_limited)
			own = fmin(own, network_epsilon(candidate, i));
		worst = fmax(worst, (1.0 + own) * (1.0 + candidate->network[i].epsilon) - 1.0);
	}
	return (1.0 + worst) * (1.0 + candidate->total.epsilon) - 1.0;
}

/* A limit on a product of metrics is none of a composition; whether a point exceeds it. */
static bool breaks_derived_limit(const struct candidate *candidate)
{
	double most_ms_mm2 = candidate->no_limits ? (double)INFINITY : space_most_ms_mm2(candidate->space);
	for (size_t i = 0; i < candidate->total.n && most_ms_mm2 < (double)INFINITY; i++) {
		double metric[N_METRIC];
		candidate_metrics(candidate, i, metric);
		if (metric[METRIC_LATENCY] * metric[METRIC_AREA] > most_ms_mm2)
			return true;
	}
	for (unsigned m = 0; m < N_METRIC; m++) {
		double limit = space_metric_limit(candidate->space, (enum metric)m);
		if (metric_table[m].scope != METRIC_DERIVED || candidate->no_limits || !(limit < INFINITY))
			continue;
		for (size_t i = 0; i < candidate->total.n; i++) {
			double metric[N_METRIC];
			candidate_metrics(candidate, i, metric);
			if (metric[m] > limit)
				return true;
		}
	}
	return false;
}

static bool is_over_budget(const struct candidate *candidate)
{
	bool is_over = candidate->total.is_over_budget;
	for (size_t i = 0; i < candidate->set->map->n_network; i++)
		is_over |= candidate->network[i].is_over_budget;
	return is_over;
}

bool candidate_is_limited(const struct candidate *candidate)
{
	bool is_limited = candidate->total.is_limited;
	for (size_t i = 0; i < candidate->set->map->n_network; i++)
		is_limited |= candidate->network[i].is_limited;
	return is_limited || (candidate_epsilon(candidate) > 0.0 && breaks_derived_limit(candidate));
}

/* What compositions made, to be put back. */
struct composed {
	struct compose_result *network; /* [n_network] */
	struct compose_result total;
};

static void swap_composed(struct candidate *candidate, struct composed *composed)
{
	struct composed own = {candidate->network, candidate->total};
	candidate->network = composed->network;
	candidate->total = composed->total;
	*composed = own;
}

static void free_composed(const struct candidate *candidate, struct composed *composed)
{
	for (size_t i = 0; i < candidate->set->map->n_network; i++)
		compose_free(&composed->network[i]);
	compose_free(&composed->total);
}

enum err_code candidate_compose_again(struct candidate *candidate, struct err *err)
{
	const size_t max_front = candidate->max_front, n_network = candidate->set->map->n_network;
	/* a budget allows more than this at once */
	if (!candidate_is_limited(candidate) || max_front == 0 || max_front >= AGAIN_MAX_FRONT ||
	    stop_requested(candidate->set->map->stop))
		return ERR_OK;
	struct composed first = {arena_array(&candidate->arena, n_network, sizeof(struct compose_result)), {0}};
	if (!first.network)
		return err_add(err, ERR_INTERNAL, "out of memory");
	uint64_t n_pair = candidate->total.n > 0 ? AGAIN_FACTOR * candidate->n_composed : AGAIN_EMPTY_PAIRS;
	double epsilon = candidate_epsilon(candidate);
	bool was_empty = candidate->total.n == 0;
	swap_composed(candidate, &first);
	candidate->max_front = AGAIN_MAX_FRONT;
	candidate->max_composed = n_pair > AGAIN_LEAST_PAIRS ? n_pair : AGAIN_LEAST_PAIRS;
	enum err_code code = candidate_compose_once(candidate, err);
	candidate->max_front = max_front;
	candidate->max_composed = 0;
	bool is_better = !is_over_budget(candidate) && (was_empty || candidate->total.n > 0) &&
	                 candidate_epsilon(candidate) < epsilon;
	if (code == ERR_OK && !is_better)
		swap_composed(candidate, &first);
	free_composed(candidate, &first);
	return code;
}

enum err_code candidate_compose_once(struct candidate *candidate, struct err *err)
{
	for (size_t i = 0; i < candidate->set->map->n_network; i++) {
		compose_free(&candidate->network[i]);
		candidate_compose_network(candidate, i);
	}
	compose_free(&candidate->total);
	return candidate_compose_total(candidate, err);
}

enum err_code candidate_compose(struct candidate *candidate, struct err *err)
{
	enum err_code code = candidate_compose_once(candidate, err);
	return code == ERR_OK ? candidate_compose_again(candidate, err) : code;
}

/* ---- designs ------------------------------------------------------------------------------------------- */

/* The task whose point the chain has in a block. */
static size_t find_task(const struct candidate *candidate, struct chain_space space, size_t block, uint32_t number)
{
	struct edge_walk walk = walk_edges(candidate, space, block);
	struct chain_edge edge = {.task = 0};
	bool found = true;
	for (uint32_t i = 0; i <= number && found; i++)
		found = next_edge(&walk, &edge);
	assert(found);
	return edge.task;
}

void candidate_genome(const struct candidate *candidate, size_t i, uint32_t *genome)
{
	const struct layer_map *map = candidate->set->map;
	struct chain_space space = states_of(candidate);
	assert(i < candidate->total.n && genome);
	genome[0] = candidate->set->machine_index;
	for (size_t network = 0; network < map->n_network; network++) {
		const struct compose_result *result = &candidate->network[network];
		size_t n_layer = map->begin[network + 1] - map->begin[network];
		size_t point = candidate->total.id[i * map->n_network + network];
		assert(point < result->n && result->n_layer == n_layer);
		for (size_t k = 0; k < n_layer; k++) {
			size_t block = map->begin[network] + k;
			size_t task = find_task(candidate, space, block, result->edge[point * n_layer + k]);
			const struct pareto *front = &candidate->task[task].front;
			candidate_widen(candidate, map->distinct[block], task,
			                front->genome + result->id[point * n_layer + k] * N_LAYER_GENE,
			                genome + 1 + block * N_LAYER_GENE);
		}
	}
}
