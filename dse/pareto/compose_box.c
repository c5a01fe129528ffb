/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boxes of side log(1 + epsilon) in the logarithms of the metrics: which points
 * share one, and which of them is nearest to the ideal. Boxes have names, of
 * which a hash deals them out to classes; chunks of points sort their names by
 * class, and each class has a table of its own:
 *
 *   points ─► chunk 0 ─► names by class ─┬─► class 0 ─► table
 *          ─► chunk 1 ─► names by class ─┼─► class 1 ─► table
 *          ─► ...     (in parallel)      └─► ...       (in parallel)
 *
 * A class takes the chunks in order, so what a box keeps depends on the points
 * alone, and neither on classes nor on threads.
 */
#include "dse/pareto/compose_thin_parts.h"
#include "dse/base/parallel.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHUNK = 1 << 12,    /* points */
	FEW = 1 << 13,      /* points that one class serves best */
	FEW_BOXES = 1 << 12 /* as many as a class may always have */
};

/* ---- memory ------------------------------------------------------------------------------------- */

static size_t n_chunk_of(const struct compose_boxes *boxes)
{
	return (size_t)ceil_div(boxes->points->n, CHUNK);
}

static size_t end_of_chunk(const struct compose_boxes *boxes, size_t chunk)
{
	size_t end = (chunk + 1) * CHUNK;
	return end < boxes->points->n ? end : boxes->points->n;
}

static void take_logarithms(void *context, size_t chunk)
{
	struct compose_boxes *boxes = context;
	const struct compose_points *points = boxes->points;
	for (size_t i = chunk * CHUNK; i < end_of_chunk(boxes, chunk); i++) {
		double *own = boxes->logarithm + i * points->n_metric, sum = 0.0;
		for (unsigned k = 0; k < points->n_metric; k++) {
			double value = points->metric[k][i] + boxes->beyond[k];
			own[k] = value > 0.0 ? fmax(log(value / boxes->least[k]), 0.0) : -1.0;
			sum += own[k];
		}
		boxes->sum[i] = sum;
	}
}

/* The least positive value of a metric; infinite: all are 0. */
static void find_least(void *context, size_t metric)
{
	struct compose_boxes *boxes = context;
	double least = INFINITY;
	for (size_t i = 0; i < boxes->points->n; i++) {
		double value = boxes->points->metric[metric][i] + boxes->beyond[metric];
		least = value > 0.0 && value < least ? value : least;
	}
	boxes->least[metric] = least;
}

bool compose_boxes_init(struct compose_boxes *boxes, const struct compose_points *points, const double *beyond,
                        size_t max_kept, unsigned n_thread, struct arena *arena)
{
	size_t n = points->n, cap = max_kept < FEW_BOXES ? max_kept : FEW_BOXES + max_kept / 4;
	*boxes = (struct compose_boxes){.points = points, .beyond = beyond, .n_thread = n_thread};
	boxes->n_class = n < FEW ? 1 : COMPOSE_BOX_CLASS;
	boxes->max_of_class = boxes->n_class == 1 ? max_kept : cap;
	boxes->n_slot = 64;
	while (boxes->n_slot < 2 * boxes->max_of_class + 2)
		boxes->n_slot *= 2;
	boxes->logarithm = arena_array(arena, n, points->n_metric * sizeof(*boxes->logarithm));
	boxes->sum = arena_array(arena, n, sizeof(*boxes->sum));
	boxes->name = arena_array(arena, n, sizeof(*boxes->name));
	boxes->number = arena_array(arena, n, sizeof(*boxes->number));
	boxes->first = arena_array(arena, n_chunk_of(boxes), (COMPOSE_BOX_CLASS + 1) * sizeof(*boxes->first));
	for (unsigned i = 0; i < boxes->n_class; i++) {
		boxes->table[i].name = arena_array(arena, boxes->n_slot, sizeof(*boxes->table[i].name));
		boxes->table[i].best = arena_array(arena, boxes->n_slot, sizeof(*boxes->table[i].best));
	}
	if (arena->is_out)
		return false;
	parallel_for(points->n_metric, n_thread, find_least, boxes);
	parallel_for(n_chunk_of(boxes), n_thread, take_logarithms, boxes);
	return true;
}

/* ---- names -------------------------------------------------------------------------------------- */

/* Names a box. That two boxes share a name is as good as impossible, and only makes the reported epsilon larger. */
static uint64_t box_name(const double *logarithm, unsigned n_metric, double per_side)
{
	uint64_t name = 0x9e3779b97f4a7c15u;
	for (unsigned k = 0; k < n_metric; k++) {
		uint64_t index = logarithm[k] < 0.0 ? UINT64_MAX : (uint64_t)fmin(logarithm[k] * per_side, 0x1p62);
		name = (name ^ index) * 0xbf58476d1ce4e5b9u;
		name ^= name >> 29;
	}
	return name | 1;
}

static unsigned class_of(const struct compose_boxes *boxes, uint64_t name)
{
	return boxes->n_class == 1 ? 0 : (unsigned)(name >> 48) % COMPOSE_BOX_CLASS;
}

/* Names of a chunk's points, sorted by class, in the chunk's place of name and number. */
static void name_chunk(void *context, size_t i)
{
	struct compose_boxes *boxes = context;
	size_t chunk = boxes->chunk + i, begin = chunk * CHUNK, n = end_of_chunk(boxes, chunk) - begin;
	uint32_t *first = boxes->first + chunk * (COMPOSE_BOX_CLASS + 1), at[COMPOSE_BOX_CLASS];
	unsigned n_metric = boxes->points->n_metric;
	const double *logarithm = boxes->logarithm + begin * n_metric;
	uint8_t class_at[CHUNK]; /* names themselves, computed again below, would take much of a small stack */
	assert(n > 0 && n <= CHUNK);
	memset(first, 0, (COMPOSE_BOX_CLASS + 1) * sizeof(*first));
	for (size_t k = 0; k < n; k++) {
		class_at[k] = (uint8_t)class_of(boxes, box_name(logarithm + k * n_metric, n_metric, boxes->per_side));
		first[class_at[k] + 1]++;
	}
	for (unsigned class = 0; class < COMPOSE_BOX_CLASS; class ++) {
		first[class + 1] += first[class];
		at[class] = first[class];
	}
	for (size_t k = 0; k < n; k++) {
		uint32_t to = at[class_at[k]]++;
		boxes->name[begin + to] = box_name(logarithm + k * n_metric, n_metric, boxes->per_side);
		boxes->number[begin + to] = (uint32_t)(begin + k);
	}
}

/* ---- tables ------------------------------------------------------------------------------------- */

/* The slot of the name, or the empty one where it belongs. */
static size_t find_slot(const struct compose_boxes *boxes, const struct compose_box_table *table, uint64_t name)
{
	size_t slot = (size_t)(name >> 7) & (boxes->n_slot - 1);
	while (table->name[slot] != 0 && table->name[slot] != name)
		slot = (slot + 1) & (boxes->n_slot - 1);
	return slot;
}

static void fill_table(void *context, size_t class)
{
	struct compose_boxes *boxes = context;
	struct compose_box_table *table = &boxes->table[class];
	for (size_t chunk = boxes->chunk; chunk < boxes->chunk_end; chunk++) {
		const uint32_t *first = boxes->first + chunk * (COMPOSE_BOX_CLASS + 1) + class;
		for (size_t i = chunk * CHUNK + first[0]; i < chunk * CHUNK + first[1]; i++) {
			size_t slot = find_slot(boxes, table, boxes->name[i]);
			uint32_t number = boxes->number[i];
			if (table->name[slot] == 0) {
				/* One more than may be: too many, whatever follows. */
				if (table->n++ == boxes->max_of_class)
					return;
				table->name[slot] = boxes->name[i];
				table->best[slot] = number;
			} else if (boxes->sum[number] < boxes->sum[table->best[slot]]) {
				table->best[slot] = number;
			}
		}
	}
}

static void empty_table(void *context, size_t class)
{
	struct compose_boxes *boxes = context;
	memset(boxes->table[class].name, 0, boxes->n_slot * sizeof(*boxes->table[class].name));
	boxes->table[class].n = 0;
}

/* Whether chunks from boxes->chunk up to an end leave no more than max boxes in all. */
static bool fill_chunks(struct compose_boxes *boxes, size_t end, size_t max)
{
	size_t n = 0;
	bool fits = true;
	boxes->chunk_end = end;
	parallel_for(end - boxes->chunk, boxes->n_thread, name_chunk, boxes);
	parallel_for(boxes->n_class, boxes->n_thread, fill_table, boxes);
	for (unsigned i = 0; i < boxes->n_class; i++) {
		n += boxes->table[i].n;
		fits &= boxes->table[i].n <= boxes->max_of_class;
	}
	boxes->chunk = end;
	return fits && n <= max;
}

bool compose_boxes_fit(struct compose_boxes *boxes, double epsilon, size_t max)
{
	size_t n_chunk = n_chunk_of(boxes);
	boxes->per_side = 1.0 / log1p(epsilon);
	boxes->chunk = 0;
	parallel_for(boxes->n_class, boxes->n_thread, empty_table, boxes);
	/* Where far too many are left a quarter of the points shows it. */
	return fill_chunks(boxes, n_chunk / 4, max) && fill_chunks(boxes, n_chunk, max);
}

static void look_up(void *context, size_t class)
{
	struct compose_boxes *boxes = context;
	const struct compose_box_table *table = &boxes->table[class];
	for (size_t chunk = 0; chunk < n_chunk_of(boxes); chunk++) {
		const uint32_t *first = boxes->first + chunk * (COMPOSE_BOX_CLASS + 1) + class;
		for (size_t i = chunk * CHUNK + first[0]; i < chunk * CHUNK + first[1]; i++)
			boxes->keeper[boxes->number[i]] = table->best[find_slot(boxes, table, boxes->name[i])];
	}
}

void compose_boxes_assign(struct compose_boxes *boxes, uint32_t *keeper)
{
	assert(boxes->chunk == n_chunk_of(boxes));
	boxes->keeper = keeper;
	parallel_for(boxes->n_class, boxes->n_thread, look_up, boxes);
}
