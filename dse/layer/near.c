/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/layer/near.h"
#include "dse/layer/branch_parts.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Boxes between two looks at the stop. */
#define STOP_STRIDE 256

/* A box that is open, and how near the front its designs may be. */
struct open_box {
	double distance;
	struct branch_box box;
};

struct near_search {
	const struct pareto *front;
	const struct near_limit *limit;
	struct branch_space space;
	size_t n_open, n_open_alloc;
	struct open_box *open; /* [n_open] a heap: none is before its parent */
	size_t n_alloc;
	struct near_list *list; /* a heap until the search ends: none is behind its parent */
	bool is_out;            /* of memory */
	bool was_stopped;
	bool drops;                      /* some feasible design is neither open nor in the list */
	struct layer_plan_results plans; /* of the split that is evaluated */
};

double near_distance(const struct pareto *front, const double *metric)
{
	double distance = 0.0;
	for (size_t i = 0; i < front->n; i++) {
		const double *point = front->objective + i * front->n_objective;
		double least = INFINITY;
		for (unsigned k = 0; k < front->n_objective && least > distance; k++)
			if (point[k] > 0.0)
				least = fmin(least, metric[k] / point[k]);
		distance = fmax(distance, least);
	}
	return distance;
}

/* ---- two heaps ------------------------------------------------------------------------------------------ */

/* Of boxes as near as each other the smaller one: it leads to designs. */
static bool opens_before(const struct open_box *a, const struct open_box *b)
{
	if (a->distance < b->distance || b->distance < a->distance)
		return a->distance < b->distance;
	return memcmp(&a->box, &b->box, sizeof(a->box)) < 0;
}

static void push_open(struct near_search *search, const struct open_box *box)
{
	if (search->n_open == search->n_open_alloc) {
		size_t n = search->n_open_alloc > 0 ? 2 * search->n_open_alloc : 256;
		struct open_box *open = realloc(search->open, n * sizeof(*open));
		search->is_out |= !open;
		if (!open)
			return;
		search->open = open;
		search->n_open_alloc = n;
	}
	size_t at = search->n_open++;
	for (; at > 0 && opens_before(box, &search->open[(at - 1) / 2]); at = (at - 1) / 2)
		search->open[at] = search->open[(at - 1) / 2];
	search->open[at] = *box;
}

static struct open_box pop_open(struct near_search *search)
{
	struct open_box *open = search->open, first = open[0], last = open[--search->n_open];
	size_t at = 0;
	for (size_t child = 1; child < search->n_open; child = 2 * at + 1) {
		child += child + 1 < search->n_open && opens_before(&open[child + 1], &open[child]);
		if (!opens_before(&open[child], &last))
			break;
		open[at] = open[child];
		at = child;
	}
	if (search->n_open > 0)
		open[at] = last;
	return first;
}

static int compare_designs(const void *left, const void *right)
{
	const struct near_design *a = left, *b = right;
	if (a->distance < b->distance || b->distance < a->distance)
		return a->distance < b->distance ? -1 : 1;
	for (size_t i = 0; i < N_LAYER_GENE; i++)
		if (a->gene[i] != b->gene[i])
			return a->gene[i] < b->gene[i] ? -1 : 1;
	return 0;
}

static bool is_behind(const struct near_design *a, const struct near_design *b)
{
	return compare_designs(a, b) > 0;
}

/* The list is full: the design takes the place of the farthest one, which is the first. */
static void replace_farthest(struct near_list *list, const struct near_design *design)
{
	size_t at = 0;
	for (size_t child = 1; child < list->n; child = 2 * at + 1) {
		child += child + 1 < list->n && is_behind(&list->design[child + 1], &list->design[child]);
		if (!is_behind(&list->design[child], design))
			break;
		list->design[at] = list->design[child];
		at = child;
	}
	list->design[at] = *design;
}

static void take_design(struct near_search *search, const struct near_design *design)
{
	struct near_list *list = search->list;
	if (list->n == search->limit->max_design) {
		search->drops = true;
		if (is_behind(&list->design[0], design))
			replace_farthest(list, design);
		return;
	}
	if (list->n == search->n_alloc) {
		size_t n = search->n_alloc > 0 ? 2 * search->n_alloc : 64;
		struct near_design *grown = realloc(list->design, n * sizeof(*grown));
		search->is_out |= !grown;
		if (!grown)
			return;
		list->design = grown;
		search->n_alloc = n;
	}
	size_t at = list->n++;
	for (; at > 0 && is_behind(design, &list->design[(at - 1) / 2]); at = (at - 1) / 2)
		list->design[at] = list->design[(at - 1) / 2];
	list->design[at] = *design;
}

/* ---- the search ----------------------------------------------------------------------------------------- */

/* How far designs have to be that nobody wants any more. */
static double horizon(const struct near_search *search)
{
	const struct near_list *list = search->list;
	bool is_full = list->n == search->limit->max_design;
	return is_full ? fmin(search->limit->max_distance, list->design[0].distance) : search->limit->max_distance;
}

static bool is_own(const struct pareto *front, const uint32_t *gene)
{
	for (size_t i = 0; i < front->n; i++)
		if (memcmp(front->genome + i * N_LAYER_GENE, gene, N_LAYER_GENE * sizeof(*gene)) == 0)
			return true;
	return false;
}

static void bound_box(struct near_search *search, const struct branch_box *box)
{
	double least[BRANCH_MAX_BOUND * PARETO_MAX_OBJECTIVE];
	struct branch_bound bound;
	struct open_box open = {.distance = INFINITY};
	open.box = *box;
	search->list->n_box++;
	branch_box_bound(&search->space, &open.box, least, &bound);
	for (uint32_t row = 0; row < search->space.n_bound && bound.runs; row++) {
		const double *own = least + row * search->front->n_objective;
		if (own[0] < INFINITY)
			open.distance = fmin(open.distance, near_distance(search->front, own));
	}
	if (open.distance < horizon(search))
		push_open(search, &open);
	else
		search->drops |= open.distance < INFINITY;
}

static void take_result(struct near_search *search, const uint32_t *genome, const struct evaluation *result)
{
	struct near_design design = {.distance = INFINITY};
	search->was_stopped |= problem_is_stopped(result);
	if (result->violation > 0)
		return;
	memcpy(design.gene, genome, sizeof(design.gene));
	memcpy(design.metric, result->objective, search->front->n_objective * sizeof(*design.metric));
	design.distance = near_distance(search->front, design.metric);
	if (is_own(search->front, design.gene))
		return;
	if (design.distance < search->limit->max_distance)
		take_design(search, &design);
	else
		search->drops = true;
}

static void evaluate_box(struct near_search *search, const struct branch_box *box)
{
	uint32_t genome[MACHINE_MAX_LEVEL * N_LAYER_GENE];
	struct evaluation result[MACHINE_MAX_LEVEL];
	struct layer_design_run run;
	uint32_t n_own = search->space.n_own_level;
	for (uint32_t l = 0; l < search->space.n_level; l++)
		branch_box_genome(&search->space, box, l, genome + l * N_LAYER_GENE);
	layer_problem_evaluate_kept(search->space.layer, genome, n_own, result, &run);
	for (uint32_t l = 0; l < n_own; l++)
		take_result(search, genome + l * N_LAYER_GENE, &result[l]);
	for (uint32_t l = n_own; l < search->space.n_level; l++) {
		uint32_t *own = genome + l * N_LAYER_GENE;
		layer_problem_plans(search->space.layer, own, &run, NULL, &search->plans);
		for (size_t i = 0; i < search->plans.n; i++) {
			own[GENE_LEVEL] = search->plans.gene[i];
			take_result(search, own, &search->plans.result[i]);
		}
	}
}

static void open_box(struct near_search *search, const struct branch_box *box)
{
	struct branch_box half[2];
	int dim = branch_box_dim(&search->space, box);
	if (dim < 0) {
		evaluate_box(search, box);
		return;
	}
	branch_box_halve(&search->space, box, dim, half);
	bound_box(search, &half[0]);
	bound_box(search, &half[1]);
}

static void search_boxes(struct near_search *search)
{
	const struct near_limit *limit = search->limit;
	for (uint32_t root = 0; root < search->space.n_root; root++) {
		struct branch_box box[2];
		if ((limit->strategies >> search->space.root[root].design.strategy & 1) == 0)
			continue;
		uint32_t n = branch_root_boxes(&search->space, root, box);
		for (uint32_t i = 0; i < n; i++)
			bound_box(search, &box[i]);
	}
	for (uint64_t i = 1; search->n_open > 0 && search->list->n_box < limit->max_box; i++) {
		if (search->open[0].distance >= horizon(search) || search->is_out || search->was_stopped)
			break;
		struct open_box next = pop_open(search);
		open_box(search, &next.box);
		search->was_stopped |= i % STOP_STRIDE == 0 && stop_requested(limit->stop);
	}
}

/* Boxes that are open, and what was thrown out of a full list, are behind it. */
static double reach_of(const struct near_search *search)
{
	double reach = search->drops ? horizon(search) : INFINITY;
	if (search->n_open > 0)
		reach = fmin(reach, search->open[0].distance);
	return reach;
}

enum err_code near_find(const struct layer_problem *layer, const struct pareto *front, const struct near_limit *limit,
                        struct near_list *list, struct err *err)
{
	struct arena arena = {0};
	struct near_search search = {.front = front, .limit = limit, .list = list};
	assert(layer->n_value[GENE_PLACE] == 1 && !layer->is_bounded && front->n_objective == layer->n_metric);
	assert(limit->max_design > 0 && limit->max_distance >= 1.0 && front->n_gene == N_LAYER_GENE);
	*list = (struct near_list){0};
	if (front->n == 0)
		return ERR_OK;
	search.is_out = !branch_space_build(layer, &arena, &search.space);
	if (!search.is_out)
		search_boxes(&search);
	list->reach = reach_of(&search);
	if (list->n > 0)
		qsort(list->design, list->n, sizeof(*list->design), compare_designs);
	free(search.open);
	layer_plan_results_free(&search.plans);
	arena_free(&arena);
	if (!search.is_out && !search.was_stopped)
		return ERR_OK;
	near_free(list);
	return search.is_out ? err_add(err, ERR_INTERNAL, "out of memory for the designs near a layer's front")
	                     : ERR_INTERRUPTED;
}

void near_free(struct near_list *list)
{
	free(list->design);
	*list = (struct near_list){0};
}
