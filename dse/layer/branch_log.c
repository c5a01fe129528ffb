/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/layer/branch_log.h"
#include "dse/layer/branch_parts.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <math.h>

/* A bound is said to so many parts of the point that it lies behind; at most so many. */
#define PERMILLE 1000.0
#define MOST_PERMILLE 100000.0

struct box_log {
	struct branch_space space;
	const struct pareto *floor;
	FILE *file;
	struct stop_watch watch;
	enum err_code code;
};

/* The point behind which values lie, in the order of the points the last; SIZE_MAX: there is none. */
static size_t find_point(const struct pareto *floor, const double *value)
{
	const unsigned n = floor->n_objective;
	size_t low = 0, high = floor->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (floor->objective[middle * n] <= value[0])
			low = middle + 1;
		else
			high = middle;
	}
	while (low-- > 0) {
		unsigned k = 1;
		while (k < n && floor->objective[low * n + k] <= value[k])
			k++;
		if (k == n)
			return low;
	}
	return SIZE_MAX;
}

/* How many thousandths of a point values lie above it, in the metric in which that is the least. */
static unsigned permille_above(const double *point, const double *value, unsigned n)
{
	double least = MOST_PERMILLE;
	for (unsigned k = 0; k < n; k++)
		least = fmin(least, point[k] > 0 ? floor((value[k] / point[k] - 1) * PERMILLE) : MOST_PERMILLE);
	for (unsigned k = 0; k < n && least > 0; k++)
		if (point[k] * (1 + least / PERMILLE) > value[k])
			least--;
	return least > 0 ? (unsigned)least : 0;
}

static bool lies_behind(const struct box_log *log, const double *least)
{
	const unsigned n = log->floor->n_objective;
	for (uint32_t l = 0; l < log->space.n_level; l++)
		if (least[l * n] < INFINITY && find_point(log->floor, least + l * n) == SIZE_MAX)
			return false;
	return true;
}

static void put_cut(const struct box_log *log, const double *least)
{
	const unsigned n = log->floor->n_objective;
	(void)putc_unlocked('c', log->file);
	for (uint32_t l = 0; l < log->space.n_level; l++, least += n) {
		if (isinf(least[0])) {
			(void)fputs(" l", log->file);
			continue;
		}
		size_t at = find_point(log->floor, least);
		(void)fprintf(log->file, " %zu %u", at, permille_above(log->floor->objective + at * n, least, n));
	}
	(void)putc_unlocked('\n', log->file);
}

static void put_priced(struct box_log *log, const struct branch_box *box)
{
	uint32_t genome[MACHINE_MAX_LEVEL * N_LAYER_GENE];
	struct evaluation result[MACHINE_MAX_LEVEL];
	for (uint32_t l = 0; l < log->space.n_level; l++)
		branch_box_genome(&log->space, box, l, genome + l * N_LAYER_GENE);
	layer_problem_evaluate(log->space.layer, genome, log->space.n_level, result);
	(void)putc_unlocked('e', log->file);
	for (uint32_t l = 0; l < log->space.n_level; l++) {
		if (problem_is_stopped(&result[l])) {
			log->code = ERR_INTERRUPTED;
		} else if (result[l].violation > 0) {
			bool is_limit = result[l].reason >= N_VERDICT && result[l].reason < LAYER_REASON_BOUND;
			(void)fputs(is_limit ? " l" : " x", log->file);
		} else {
			size_t at = find_point(log->floor, result[l].objective);
			if (at == SIZE_MAX)
				log->code = ERR_GATE;
			else
				(void)fprintf(log->file, " %zu", at);
		}
	}
	(void)putc_unlocked('\n', log->file);
}

static void put_box(struct box_log *log, struct branch_box *box)
{
	static const char name[N_DIM] = {[DIM_D] = 'd', [DIM_W] = 'w', [DIM_H] = 'h', [DIM_C] = 'c'};
	double least[MACHINE_MAX_LEVEL * N_METRIC];
	struct branch_bound bound;
	if (log->code == ERR_OK && stop_after(&log->watch, 256))
		log->code = ERR_INTERRUPTED;
	if (log->code != ERR_OK)
		return;
	branch_box_bound(&log->space, box, least, &bound);
	int dim = branch_box_dim(&log->space, box);
	if (!bound.runs) {
		(void)fputs("x\n", log->file);
	} else if (lies_behind(log, least)) {
		put_cut(log, least);
	} else if (dim < 0) {
		put_priced(log, box);
	} else {
		struct branch_box half[2];
		branch_box_halve(&log->space, box, dim, half);
		(void)fprintf(log->file, "s %c %u\n", name[dim], half[1].span[dim].first);
		put_box(log, &half[0]);
		put_box(log, &half[1]);
	}
}

enum err_code branch_log_boxes(const struct layer_problem *layer, const struct pareto *floor, FILE *file,
                               struct err *err)
{
	struct arena arena = {0};
	struct box_log log = {.floor = floor, .file = file, .watch = stop_watch_for(layer->stop)};
	assert(layer->n_value[GENE_PLACE] == 1 && !layer->is_bounded && floor->n_objective == layer->n_metric);
	if (!branch_space_build(layer, &arena, &log.space))
		log.code = err_add(err, ERR_INTERNAL, "out of memory");
	for (uint32_t root = 0; root < log.space.n_root && log.code == ERR_OK; root++) {
		struct branch_box box[2];
		uint32_t n = branch_root_boxes(&log.space, root, box);
		for (uint32_t i = 0; i < n; i++)
			put_box(&log, &box[i]);
	}
	arena_free(&arena);
	return log.code;
}
