/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/standing.h"
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "dse/pareto/margin.h"
#include "dse/space/detail.h"
#include "dse/space/space_goals.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points of all machines together; then each has so many, which are bounds of its points. */
#define MAX_POINT (UINT64_C(1) << 20)
#define FEW_POINTS 64
/* As of the bounds of boxes: what rounding can add is far less. */
#define BOUND_SLACK (1 - 1e-9)

struct standings *standings_new(const struct space *space, uint64_t n_machine)
{
	if (n_machine > STANDING_MAX_MACHINE)
		return NULL;
	struct standings *standings = memory_must(calloc(1, sizeof(*standings)));
	*standings = (struct standings){.space = space, .n = (size_t)n_machine};
	standings->machine = memory_must(calloc(standings->n + 1, sizeof(*standings->machine)));
	standings->point = memory_must(calloc(standings->n + 1, sizeof(*standings->point)));
	for (size_t i = 0; i < standings->n; i++) {
		struct standing *own = &standings->machine[i];
		own->margin = own->own_margin = NAN;
		own->beaten_by = STANDING_NOBODY;
		for (unsigned k = 0; k < SPACE_MAX_OBJECTIVE; k++)
			own->least[k] = INFINITY;
	}
	return standings;
}

static void free_points(struct standings *standings)
{
	for (size_t i = 0; i < standings->n && standings->point; i++)
		pareto_free(&standings->point[i]);
	free(standings->point);
	standings->point = NULL;
}

void standings_free(struct standings *standings)
{
	if (!standings)
		return;
	free_points(standings);
	free(standings->machine);
	free(standings);
}

void standings_note_kind(struct standings *standings, uint32_t machine_index, enum standing_kind kind)
{
	if (standings)
		standings->machine[machine_index].kind = (uint32_t)kind;
}

void standing_scaled(const struct space *space, bool is_scaled[SPACE_MAX_OBJECTIVE])
{
	for (size_t k = 0; k < SPACE_MAX_OBJECTIVE; k++)
		is_scaled[k] = k < space->n_objective && metric_table[space->objective[k]].scope != METRIC_OF_MACHINE;
}

/* ---- designs ------------------------------------------------------------------------------------------ */

/* Add a layer's run to the sums. */
static void add_run(const struct sim_result *result, double weight, uint32_t block, double *most,
                    struct standing_design *design)
{
	double bound_ms[N_BOUND] = {0};
	double clk_ms = result->total_clk > 0 ? result->latency_ns * 1e-6 / (double)result->total_clk : 0.0;
	unsigned longest = 0;
	for (unsigned i = 0; i < N_PHASE; i++)
		bound_ms[result->phase_bound[i]] += weight * clk_ms * (double)result->phase_clk[i];
	for (unsigned i = 0; i < N_BOUND; i++) {
		longest = bound_ms[i] > bound_ms[longest] ? i : longest;
		design->bound_ms[i] += bound_ms[i];
		if (bound_ms[i] > most[i]) {
			most[i] = bound_ms[i];
			design->worst[i] = block;
		}
	}
	design->n_layer[longest] += result->total_clk > 0;
	design->latency_ms += weight * result->latency_ns * 1e-6;
	design->energy_mj += weight * result->energy.total_pj * 1e-9;
	design->static_mj += weight * result->energy.static_pj * 1e-9;
	design->dram_byte += weight * (result->counts.dram_read_byte + result->counts.dram_write_byte);
	design->n_block++;
}

/* Run the layers of a composed design in closed forms; false: one cannot be run, or was stopped. */
static bool run_layers(const struct candidate *candidate, const uint32_t *genome, struct standing_design *design)
{
	const struct layer_map *map = candidate->set->map;
	enum detail detail = candidate->space->detail;
	const struct detail_options options = {
	    .detail = detail == DETAIL_EVENT ? DETAIL_FAST : detail, .can_stop = true, .stop = map->stop};
	double most[N_BOUND] = {0};
	*design = (struct standing_design){0};
	for (size_t i = 0; i < map->n_block; i++) {
		const struct layer_problem *layer = &candidate->set->problem[map->distinct[i]];
		struct layer_design own;
		layer_problem_design(layer, genome + 1 + i * N_LAYER_GENE, &own);
		struct detail_run run = {.context = layer_context_of(layer, &own), .design = &own};
		detail_run(&run, &options);
		err_clear(&run.err);
		if (run.code != ERR_OK || !run.ran)
			return false;
		add_run(&run.result, space_network_weight(candidate->space, layer_map_network(map, i)), (uint32_t)i,
		        most, design);
		if (own.level < MACHINE_MAX_LEVEL)
			design->n_level[own.level]++;
	}
	design->is_known = true;
	return true;
}

/* The composed point that keeps the limits with the least of a metric; SIZE_MAX: none does. */
static size_t find_least(const struct candidate *candidate, enum metric which)
{
	size_t least = SIZE_MAX;
	double value = INFINITY;
	for (size_t i = 0; i < candidate->total.n; i++) {
		double metric[N_METRIC], objective[SPACE_MAX_OBJECTIVE];
		enum metric broken;
		candidate_metrics(candidate, i, metric);
		if (!candidate_objectives(candidate->space, metric, objective, &broken) || !(metric[which] < value))
			continue;
		value = metric[which];
		least = i;
	}
	return least;
}

/* Latency or energy if it is an objective, else the first one that differs among the designs of a machine. */
static enum metric choose_metric(const struct space *space, enum metric wanted)
{
	bool is_scaled[SPACE_MAX_OBJECTIVE];
	standing_scaled(space, is_scaled);
	for (size_t k = 0; k < space->n_objective && !space_has_objective(space, wanted); k++)
		if (is_scaled[k])
			return space->objective[k];
	return wanted;
}

void standing_measure(const struct candidate *candidate, struct standing_design *fastest,
                      struct standing_design *thriftiest)
{
	const struct space *space = candidate->space;
	uint32_t *genome = memory_must(calloc(genome_size(candidate->set->map), sizeof(*genome)));
	size_t fast = find_least(candidate, choose_metric(space, METRIC_LATENCY)),
	       thrifty = find_least(candidate, choose_metric(space, METRIC_ENERGY));
	*fastest = *thriftiest = (struct standing_design){0};
	if (fast != SIZE_MAX && thrifty != SIZE_MAX) {
		candidate_genome(candidate, fast, genome);
		fastest->is_known = run_layers(candidate, genome, fastest);
		*thriftiest = *fastest;
		if (thrifty != fast) {
			candidate_genome(candidate, thrifty, genome);
			thriftiest->is_known = run_layers(candidate, genome, thriftiest);
		}
	}
	free(genome);
}

/* ---- notes -------------------------------------------------------------------------------------------- */

static int compare_objectives(const void *left, const void *right)
{
	const double *a = left, *b = right;
	return a[0] < b[0] ? -1 : a[0] > b[0];
}

/* Neighbours by the first objective become one point, which is no larger than any of them. */
static void coarsen(struct pareto *list, size_t n)
{
	unsigned n_objective = list->n_objective;
	if (list->n <= n)
		return;
	qsort(list->objective, list->n, n_objective * sizeof(*list->objective), compare_objectives);
	for (size_t i = 0; i < n; i++) {
		double *to = list->objective + i * n_objective;
		size_t begin = list->n * i / n, end = list->n * (i + 1) / n;
		memmove(to, list->objective + begin * n_objective, n_objective * sizeof(*to));
		for (size_t at = begin + 1; at < end; at++)
			for (unsigned k = 0; k < n_objective; k++)
				to[k] = fmin(to[k], list->objective[at * n_objective + k]);
	}
	list->n = n;
}

static void take_least(struct standing *own, const struct pareto *list)
{
	for (size_t i = 0; i < list->n; i++)
		for (unsigned k = 0; k < list->n_objective; k++)
			own->least[k] = fmin(own->least[k], list->objective[i * list->n_objective + k]);
}

static void keep_points(struct standings *standings, uint32_t machine_index, struct pareto *list)
{
	if (standings->n_point + list->n > MAX_POINT)
		coarsen(list, FEW_POINTS);
	pareto_free(&standings->point[machine_index]);
	standings->n_point += list->n;
	standings->point[machine_index] = *list;
	pareto_init(list, list->n_objective, list->n_gene);
}

void standings_note_searched(struct standings *standings, const struct candidate *candidate, bool is_proven,
                             double epsilon)
{
	const double divisor = epsilon > 0.0 ? (1.0 + epsilon) / BOUND_SLACK : 1.0;
	const uint32_t no_genome = 0;
	struct pareto list;
	if (!standings)
		return;
	struct standing *own = &standings->machine[candidate->set->machine_index];
	pareto_init(&list, (unsigned)standings->space->n_objective, 1);
	for (size_t i = 0; i < candidate->total.n; i++) {
		double metric[N_METRIC], objective[SPACE_MAX_OBJECTIVE];
		enum metric broken;
		candidate_metrics(candidate, i, metric);
		if (!candidate_objectives(standings->space, metric, objective, &broken))
			continue;
		for (unsigned k = 0; k < list.n_objective; k++)
			own->least[k] = fmin(own->least[k], objective[k]);
		for (unsigned k = 0; k < list.n_objective; k++)
			if (metric_table[standings->space->objective[k]].scope != METRIC_OF_MACHINE)
				objective[k] /= divisor;
		memory_check(pareto_append(&list, objective, &no_genome, 0));
	}
	own->kind = list.n > 0 ? STANDING_SEARCHED : is_proven ? STANDING_EMPTY : STANDING_OPEN;
	own->is_proven = is_proven;
	if (list.n > 0)
		keep_points(standings, candidate->set->machine_index, &list);
	if (own->kind == STANDING_SEARCHED && standings->n <= STANDING_MAX_DESIGN)
		standing_measure(candidate, &own->fastest, &own->thriftiest);
	pareto_free(&list);
}

void standings_note_points(struct standings *standings, uint32_t machine_index, const double *objective, size_t n)
{
	const uint32_t no_genome = 0;
	struct pareto list;
	if (!standings || n == 0)
		return;
	pareto_init(&list, (unsigned)standings->space->n_objective, 1);
	for (size_t i = 0; i < n; i++)
		memory_check(pareto_append(&list, objective + i * list.n_objective, &no_genome, 0));
	standings->machine[machine_index].kind = STANDING_SEARCHED;
	take_least(&standings->machine[machine_index], &list);
	keep_points(standings, machine_index, &list);
	pareto_free(&list);
}

void standings_note_cut(struct standings *standings, uint32_t machine_index, struct pareto *floor,
                        const struct standing_design *fastest, const struct standing_design *thriftiest)
{
	if (!standings) {
		pareto_free(floor);
		return;
	}
	struct standing *own = &standings->machine[machine_index];
	own->kind = STANDING_CUT;
	own->is_proven = floor->n > 0;
	take_least(own, floor);
	keep_points(standings, machine_index, floor);
	pareto_free(floor);
	if (standings->n <= STANDING_MAX_DESIGN) {
		own->fastest = *fastest;
		own->thriftiest = *thriftiest;
	}
}

void standings_forget_cuts(struct standings *standings)
{
	for (size_t i = 0; standings && i < standings->n; i++) {
		struct standing *own = &standings->machine[i];
		if (own->kind != STANDING_CUT)
			continue;
		standings->n_point -= standings->point[i].n;
		pareto_free(&standings->point[i]);
		*own = (struct standing){.margin = NAN, .own_margin = NAN, .beaten_by = STANDING_NOBODY};
		for (unsigned k = 0; k < SPACE_MAX_OBJECTIVE; k++)
			own->least[k] = INFINITY;
	}
}

/* ---- judgement ---------------------------------------------------------------------------------------- */

/* The front, its points by machine. */
struct judging {
	struct standings *standings;
	const struct pareto *front;
	bool is_scaled[SPACE_MAX_OBJECTIVE];
	size_t n_own; /* machines on the front */
	uint32_t own[STANDING_MAX_DESIGN];
	size_t begin[STANDING_MAX_DESIGN + 1];
	size_t *index; /* [front->n] points by machine */
};

static uint32_t machine_of(const struct pareto *front, size_t i)
{
	return front->genome[i * front->n_gene];
}

static void judge_machine(void *context, size_t i)
{
	const struct judging *judging = context;
	const struct pareto *front = judging->front;
	struct standing *own = &judging->standings->machine[i];
	const struct pareto *list = &judging->standings->point[i];
	const struct margin_points points = {list->n, list->objective, NULL}, all = {front->n, front->objective, NULL};
	if (own->is_on_front || list->n == 0 || front->n == 0)
		return;
	own->margin = margin_between(all, points, judging->is_scaled, front->n_objective, -1.0);
	for (size_t k = 0; k < judging->n_own; k++) {
		const struct margin_points some = {judging->begin[k + 1] - judging->begin[k], front->objective,
		                                   judging->index + judging->begin[k]};
		double enough = own->beaten_by == STANDING_NOBODY ? -1.0 : own->own_margin;
		double margin = margin_between(some, points, judging->is_scaled, front->n_objective, enough);
		if (margin >= 0.0 && (own->beaten_by == STANDING_NOBODY || margin > own->own_margin)) {
			own->beaten_by = judging->own[k];
			own->own_margin = margin;
		}
	}
}

/* Machines on the front in ascending order, and their points. false: too many. */
static bool list_front(struct judging *judging)
{
	const struct pareto *front = judging->front;
	struct standings *standings = judging->standings;
	size_t at = 0;
	judging->index = memory_must(calloc(front->n + 1, sizeof(*judging->index)));
	for (size_t i = 0; i < front->n; i++)
		standings->machine[machine_of(front, i)].is_on_front = true;
	for (size_t m = 0; m < standings->n; m++) {
		if (!standings->machine[m].is_on_front)
			continue;
		if (judging->n_own == STANDING_MAX_DESIGN)
			return false;
		judging->begin[judging->n_own] = at;
		judging->own[judging->n_own++] = (uint32_t)m;
		for (size_t i = 0; i < front->n; i++)
			if (machine_of(front, i) == m)
				judging->index[at++] = i;
	}
	judging->begin[judging->n_own] = at;
	return true;
}

void standings_judge(struct standings *standings, const struct pareto *front, unsigned n_thread)
{
	if (!standings)
		return;
	struct judging *judging = memory_must(calloc(1, sizeof(*judging)));
	judging->standings = standings;
	judging->front = front;
	standing_scaled(standings->space, judging->is_scaled);
	if (list_front(judging))
		parallel_for(standings->n, n_thread, judge_machine, judging);
	free(judging->index);
	free(judging);
	free_points(standings);
}

/* ---- bytes -------------------------------------------------------------------------------------------- */

void standing_pack_design(struct standing_design *design, struct pack *pack)
{
	pack_bool(pack, &design->is_known);
	if (!design->is_known)
		return;
	pack_real(pack, &design->latency_ms);
	pack_real(pack, &design->energy_mj);
	pack_real(pack, &design->static_mj);
	pack_real(pack, &design->dram_byte);
	pack_reals(pack, design->bound_ms, N_BOUND);
	pack_u32s(pack, design->n_layer, N_BOUND);
	pack_u32s(pack, design->worst, N_BOUND);
	pack_u32(pack, &design->n_block);
	pack_u32s(pack, design->n_level, MACHINE_MAX_LEVEL);
}

static void pack_machine(struct standing *own, struct pack *pack)
{
	pack_u32(pack, &own->kind);
	(void)pack_refuse(pack, own->kind > STANDING_SEARCHED);
	if (own->kind != STANDING_CUT && own->kind != STANDING_SEARCHED)
		return;
	pack_bool(pack, &own->is_on_front);
	pack_bool(pack, &own->is_proven);
	pack_reals(pack, own->least, SPACE_MAX_OBJECTIVE);
	pack_real(pack, &own->margin);
	pack_u32(pack, &own->beaten_by);
	pack_real(pack, &own->own_margin);
	standing_pack_design(&own->fastest, pack);
	standing_pack_design(&own->thriftiest, pack);
}

void standings_pack(struct standings *standings, struct pack *pack)
{
	for (size_t i = 0; i < standings->n && !pack->failed; i++) {
		struct standing *own = &standings->machine[i];
		pack_machine(own, pack);
		(void)pack_refuse(pack, own->beaten_by != STANDING_NOBODY && own->beaten_by >= standings->n);
	}
}
