/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/night/night_fronts.h"
#include "dse/base/memory.h"
#include "dse/pareto/hypervolume.h"
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void night_fronts_free(struct night_fronts *fronts)
{
	for (size_t i = 0; i < fronts->n; i++) {
		free(fronts->objective[i]);
		if (i > 0)
			kept_front_free(&fronts->own[i]);
	}
	free(fronts->own);
	free(fronts->front);
	free(fronts->objective);
	kept_run_free(&fronts->first);
	*fronts = (struct night_fronts){0};
}

static enum err_code read_front(struct database *store, struct night_fronts *fronts, size_t i, struct err *err)
{
	struct arena arena = {0};
	struct run_record run;
	char name[24];
	const struct night_run *own = &fronts->row->run[i];
	enum err_code code = ERR_OK;
	(void)snprintf(name, sizeof(name), "%" PRIu64, own->run);
	fronts->front[i] = i == 0 ? &fronts->first.front : &fronts->own[i];
	if (own->run > 0 && i == 0)
		code = kept_run_open(store, name, &fronts->first, err);
	else if (own->run > 0)
		code = run_store_find(store, name, &arena, &run, err);
	if (code == ERR_OK && own->run > 0 && i > 0)
		code = front_read_run(store, &run, &fronts->own[i], err);
	fronts->objective[i] = code == ERR_OK ? kept_front_objectives(fronts->front[i]) : NULL;
	fronts->n++;
	arena_free(&arena);
	return code;
}

enum err_code night_fronts_read(struct database *store, const struct night_row *row, size_t n,
                                struct night_fronts *fronts, struct err *err)
{
	enum err_code code = ERR_OK;
	*fronts = (struct night_fronts){.row = row,
	                                .own = memory_array(row->n_run, sizeof(*fronts->own)),
	                                .front = memory_array(row->n_run, sizeof(*fronts->front)),
	                                .objective = memory_array(row->n_run, sizeof(*fronts->objective))};
	for (size_t i = 0; i < row->n_run && i < n && code == ERR_OK; i++)
		code = read_front(store, fronts, i, err);
	return code;
}

/* ---- figures of a night ---- */

void night_set_reference(struct night_row *row, const struct night_fronts *now)
{
	for (size_t k = 0; k < row->n_objective; k++) {
		double most = 0.0;
		for (size_t i = 0; i < now->n; i++)
			for (size_t p = 0; p < now->front[i]->n_point; p++)
				most = fmax(most, now->objective[i][p * row->n_objective + k]);
		row->reference[k] = most > 0.0 ? 1.1 * most : 1.0;
	}
}

void night_measure(struct night_row *row, const struct night_fronts *now)
{
	for (size_t i = 0; i < row->n_run; i++) {
		struct night_run *run = &row->run[i];
		double box = 1.0;
		size_t n_point = now->front[i]->n_point;
		memory_check(hypervolume(now->objective[i], n_point, (unsigned)row->n_objective, row->reference,
		                         &run->hypervolume));
		for (size_t k = 0; k < row->n_objective; k++) {
			box *= row->reference[k];
			run->best[k] = n_point > 0 ? INFINITY : NAN;
			for (size_t p = 0; p < n_point; p++)
				run->best[k] = fmin(run->best[k], now->objective[i][p * row->n_objective + k]);
		}
		run->hypervolume /= box;
	}
}

/* ---- points ---- */

/* By how much a point falls short of another in its worst objective, beside what is allowed [n_objective] (NULL:
 * nothing). */
static double excess_of(const double *candidate, const double *point, size_t n_objective, const double *allowed)
{
	double most = -INFINITY;
	for (size_t k = 0; k < n_objective; k++) {
		double excess = fmax(candidate[k] - point[k], 0.0);
		double share = point[k] > 0.0 ? excess / point[k] : excess > 0.0 ? DBL_MAX : 0.0;
		most = fmax(most, share - (allowed ? allowed[k] : 0.0));
	}
	return most;
}

/* The other fronts' point that falls short of this one by least beside what is allowed, and by how much. */
static double shortfall(const double *point, const struct night_fronts *other, size_t n_objective,
                        const double *allowed, const double **nearest)
{
	double least = INFINITY;
	*nearest = NULL;
	for (size_t i = 0; i < other->n; i++)
		for (size_t p = 0; p < other->front[i]->n_point; p++) {
			const double *candidate = &other->objective[i][p * n_objective];
			double most = excess_of(candidate, point, n_objective, allowed);
			if (most < least) {
				least = most;
				*nearest = candidate;
			}
		}
	return least;
}

static const char *name_machine(struct arena *arena, const struct kept_front *front, const struct kept_point *point)
{
	char text[512];
	size_t n = (size_t)snprintf(text, sizeof(text), "%s", front->machine[point->machine].name);
	for (size_t i = 0; i < front->n_axis && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, ", %s %s", front->axis[i], point->value[i]);
	return memory_must(arena_text(arena, text));
}

/* Keep the points that fall shortest, the largest first; equal ones in the order of runs and points. */
static struct night_point *insert(struct night_point *list, size_t n, double short_pct)
{
	size_t at = n < NIGHT_MAX_NAMED ? n : NIGHT_MAX_NAMED;
	while (at > 0 && list[at - 1].short_pct < short_pct)
		at--;
	if (at == NIGHT_MAX_NAMED)
		return NULL;
	size_t n_kept = n < NIGHT_MAX_NAMED ? n : NIGHT_MAX_NAMED - 1;
	memmove(&list[at + 1], &list[at], (n_kept - at) * sizeof(*list));
	return &list[at];
}

void night_name_point(struct arena *arena, const struct night_fronts *from, size_t p, const double *nearest,
                      double share, struct night_point *list, size_t *n_point)
{
	const struct kept_front *front = from->front[0];
	size_t n_objective = from->row->n_objective;
	struct night_point *point = insert(list, *n_point, 100.0 * share);
	++*n_point;
	if (!point)
		return;
	*point = (struct night_point){.run = from->row->run[0].run, .short_pct = 100.0 * share};
	point->id = front->point[p].id;
	point->machine = name_machine(arena, front, &front->point[p]);
	for (size_t k = 0; k < n_objective; k++) {
		point->objective[k] = from->objective[0][p * n_objective + k];
		point->nearest[k] = nearest ? nearest[k] : NAN;
	}
}

void night_find_missing(struct arena *arena, const struct night_fronts *from, const struct night_fronts *in,
                        const double *epsilon, struct night_point *list, size_t *n_missing)
{
	size_t n_objective = from->row->n_objective;
	*n_missing = 0;
	for (size_t p = 0; from->n > 0 && p < from->front[0]->n_point; p++) {
		const double *nearest;
		const double *point = &from->objective[0][p * n_objective];
		if (shortfall(point, in, n_objective, epsilon, &nearest) > NIGHT_ROUNDING)
			night_name_point(arena, from, p, nearest,
			                 nearest ? excess_of(nearest, point, n_objective, NULL) : (double)INFINITY,
			                 list, n_missing);
	}
}
