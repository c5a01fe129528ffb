/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/pareto/history.h"
#include "dse/pareto/hypervolume.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 32 marks to a factor of 2.7 at first; each thinning doubles the distance. */
static const double FIRST_FACTOR = 1.03125;

/*
 * So many numbers at most, whatever the fronts' sizes: 2 MiB, and a tenth of a second to measure. In four objectives
 * measuring takes a front's square.
 */
static size_t max_number(const struct history *history)
{
	return history->n_objective < 4 ? (size_t)1 << 18 : (size_t)1 << 16;
}

/* Two sums of the same volumes may differ in their last digits. */
static const double ROUNDED = 1.0 - 1e-12;

const double history_share[HISTORY_N_SHARE] = {0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0};

void history_init(struct history *history, unsigned n_objective)
{
	assert(n_objective >= 1);
	*history =
	    (struct history){.n_objective = n_objective, .due = 1, .factor = FIRST_FACTOR, .start_ms = stop_now_ms()};
}

static void drop_marks(struct history *history)
{
	for (size_t i = 0; i < history->n_mark; i++)
		free(history->mark[i].objective);
	history->n_mark = history->n_number = 0;
}

void history_free(struct history *history)
{
	drop_marks(history);
	*history = (struct history){0};
}

static void set_due(struct history *history)
{
	uint64_t last = history->n_mark > 0 ? history->mark[history->n_mark - 1].n_evaluation : 0;
	double next = ceil((double)last * history->factor);
	history->due = next < 0x1p63 && (uint64_t)next > last ? (uint64_t)next : last + 1;
}

/* Every other mark goes; the last one stays. */
static void thin(struct history *history)
{
	size_t n = 0;
	assert(history->n_mark >= 2);
	for (size_t i = 0; i < history->n_mark; i++) {
		struct history_mark *mark = &history->mark[i];
		if ((history->n_mark - 1 - i) % 2 == 0) {
			history->mark[n++] = *mark;
			continue;
		}
		history->n_number -= mark->n_point * history->n_objective;
		free(mark->objective);
	}
	history->n_mark = n;
	history->factor *= history->factor;
}

static double *copy_numbers(const double *from, size_t n)
{
	double *to = malloc((n + 1) * sizeof(*to));
	if (to && n > 0)
		memcpy(to, from, n * sizeof(*to));
	return to;
}

void history_note(struct history *history, uint64_t n_evaluation, const struct pareto *front, bool is_over)
{
	assert(front->n_objective == history->n_objective);
	if (history->show)
		history->show(history->show_context, front);
	if (history->failed || (!is_over && n_evaluation < history->due))
		return;
	struct history_mark *last = history->n_mark > 0 ? &history->mark[history->n_mark - 1] : NULL;
	assert(!last || last->n_evaluation <= n_evaluation);
	if (last && last->n_evaluation == n_evaluation) {
		history->n_number -= last->n_point * history->n_objective;
		free(last->objective);
		history->n_mark--;
	} else if (history->n_mark == HISTORY_MAX_MARK) {
		thin(history);
	}
	size_t n_number = front->n * history->n_objective;
	struct history_mark *mark = &history->mark[history->n_mark++];
	*mark = (struct history_mark){.n_evaluation = n_evaluation,
	                              .seconds = (double)(stop_now_ms() - history->start_ms) / 1000.0,
	                              .n_point = front->n,
	                              .objective = copy_numbers(front->objective, n_number)};
	history->n_number += n_number;
	while (history->n_number > max_number(history) && history->n_mark > 4)
		thin(history);
	history->failed = !history->mark[history->n_mark - 1].objective;
	if (history->failed)
		drop_marks(history);
	set_due(history);
}

double history_volume(const struct history *history, size_t i, const double *reference)
{
	double volume = 0.0;
	assert(i < history->n_mark && history->n_objective <= HYPERVOLUME_MAX_OBJECTIVE);
	const struct history_mark *mark = &history->mark[i];
	if (mark->n_point == 0 ||
	    !hypervolume(mark->objective, mark->n_point, history->n_objective, reference, &volume))
		return 0.0;
	return volume;
}

/* Hypervolume never falls from mark to mark, so each share is found by halving. */
void history_reach(const struct history *history, const double *reference, uint64_t n_evaluation[HISTORY_N_SHARE])
{
	size_t low = 0;
	memset(n_evaluation, 0, HISTORY_N_SHARE * sizeof(*n_evaluation));
	if (history->n_mark == 0)
		return;
	double whole = history_volume(history, history->n_mark - 1, reference);
	for (unsigned i = 0; i < HISTORY_N_SHARE; i++) {
		size_t high = history->n_mark - 1;
		while (low < high) {
			size_t middle = low + (high - low) / 2;
			if (history_volume(history, middle, reference) >= history_share[i] * ROUNDED * whole)
				high = middle;
			else
				low = middle + 1;
		}
		n_evaluation[i] = history->mark[low].n_evaluation;
		assert(i == 0 || n_evaluation[i - 1] <= n_evaluation[i]);
	}
}

static void pack_mark(struct history *history, struct history_mark *mark, struct pack *pack)
{
	pack_u64(pack, &mark->n_evaluation);
	pack_real(pack, &mark->seconds);
	pack_count(pack, &mark->n_point, 8 * history->n_objective);
	size_t n_number = mark->n_point * history->n_objective;
	if (pack->is_reading) {
		mark->objective = pack->failed ? NULL : malloc((n_number + 1) * sizeof(*mark->objective));
		mark->n_point = mark->objective ? mark->n_point : 0;
		(void)pack_refuse(pack, !mark->objective);
		history->n_number += mark->n_point * history->n_objective;
	}
	pack_reals(pack, mark->objective, mark->n_point * history->n_objective);
	for (size_t i = 0; pack->is_reading && i < mark->n_point * history->n_objective; i++)
		(void)pack_refuse(pack, isnan(mark->objective[i]));
}

void history_pack(struct history *history, struct pack *pack)
{
	size_t n_mark = history->n_mark;
	uint64_t before = 0;
	pack_count(pack, &n_mark, 24);
	pack_real(pack, &history->factor);
	pack_bool(pack, &history->failed);
	if (pack_refuse(pack, pack->is_reading && (n_mark > HISTORY_MAX_MARK || !(history->factor > 1.0))))
		return;
	for (size_t i = 0; i < n_mark && !pack->failed; i++) {
		if (pack->is_reading)
			history->mark[history->n_mark++] = (struct history_mark){0};
		pack_mark(history, &history->mark[i], pack);
		(void)pack_refuse(pack, pack->is_reading && history->mark[i].n_evaluation < before);
		before = history->mark[i].n_evaluation;
	}
	if (!pack->is_reading || pack->failed)
		return;
	double spent_s = n_mark > 0 ? history->mark[n_mark - 1].seconds : 0.0;
	if (pack_refuse(pack, !(spent_s >= 0.0 && spent_s < 1e9)))
		return;
	uint64_t spent_ms = (uint64_t)(1000.0 * spent_s);
	history->start_ms = history->start_ms > spent_ms ? history->start_ms - spent_ms : 0;
	set_due(history);
}
