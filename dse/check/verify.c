/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/check/verify.h"
#include "dse/base/interrupt.h"
#include "dse/base/memory.h"
#include "dse/out/progress.h"
#include "sim/base/stop.h"
#include "sim/event/event_memo.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Designs of a batch for each thread: few, so that Ctrl-C and progress do not wait long. */
#define BATCH_PER_THREAD 4

/* Relative to what the search said; equal values are no gap, whatever they are. */
static double gap_frac(double searched, double verified)
{
	if (!(searched < verified) && !(searched > verified))
		return 0.0;
	return fabs(searched) > 0.0 ? fabs(verified / searched - 1.0) : INFINITY;
}

/* Take the i-th gap into account; mean_frac is the sum until all are in. */
static void add_gap(struct verify_gap *gap, size_t i, double frac)
{
	assert(frac >= 0.0);
	gap->mean_frac += frac;
	if (i > 0 && frac <= gap->max_frac)
		return;
	gap->max_frac = frac;
	gap->worst = i;
}

/* The designs from first on that are on one machine candidate, batch by batch; *end is the first that is not. */
static enum err_code run_machine(const struct unroller *unroller, const struct verify_options *options,
                                 struct progress *progress, struct verify *verify, size_t first, size_t *end,
                                 struct err *err)
{
	const struct explore *explore = unroller->explore;
	struct detail_options detail = {.detail = DETAIL_EVENT, .audit = options->audit, .n_thread = options->n_thread};
	uint32_t index = verify->design[first].machine_index;
	char why[EXPLORE_TEXT_SIZE];
	struct layer_set *set;
	enum err_code code = layer_set_build(explore->space, &explore->map, index, &set, why, sizeof(why), err);
	if (code != ERR_OK)
		return code;
	if (!set)
		return err_add(err, ERR_INTERNAL, "machine %u of the front is refused: %s", (unsigned)index, why);
	/* of all batches; without memory for it each has one of its own */
	detail.memo = event_memo_new(EVENT_MEMO_BYTE);
	*end = first;
	while (*end < verify->n_design && verify->design[*end].machine_index == index)
		(*end)++;
	for (size_t at = first; at < *end && code == ERR_OK && !interrupt_requested();) {
		size_t n = (size_t)options->n_thread * BATCH_PER_THREAD;
		n = n < *end - at ? n : *end - at;
		code = unroll_run(set, verify->design + at, n, &detail, err);
		at += n;
		char what[64];
		(void)snprintf(what, sizeof(what), "verifying, design %zu of %zu", at, verify->n_design);
		progress_update(progress, (double)at / (double)verify->n_design, what);
	}
	event_memo_free(detail.memo);
	layer_set_free(set);
	return code;
}

static enum err_code run_designs(const struct unroller *unroller, const struct verify_options *options,
                                 struct verify *verify, struct err *err)
{
	struct progress progress;
	enum err_code code = ERR_OK;
	progress_start(&progress, options->show_progress);
	for (size_t at = 0, end = 0; at < verify->n_design && code == ERR_OK && !interrupt_requested(); at = end)
		code = run_machine(unroller, options, &progress, verify, at, &end, err);
	progress_end(&progress);
	verify->interrupted = interrupt_requested();
	if (code == ERR_INTERRUPTED) { /* a replay broke off; the caller says what that means */
		err_clear(err);
		code = ERR_OK;
	}
	for (size_t i = 0; i < verify->n_design && code == ERR_OK && !verify->interrupted; i++)
		add_gap(&verify->clk, i,
		        gap_frac((double)unroller->design[i].total_clk, (double)verify->design[i].total_clk));
	verify->clk.mean_frac /= (double)verify->n_design;
	return code;
}

/* The points' metrics, summed up from the designs as the search's were. */
static void sum_points(const struct unroller *unroller, struct verify *verify)
{
	const struct explore *explore = unroller->explore;
	const struct space *space = explore->space;
	struct unrolled point;
	memory_check(unrolled_init(&explore->map, &point, NULL) == ERR_OK);
	for (size_t i = 0; i < verify->n_point; i++) {
		struct verify_point *own = &verify->point[i];
		double searched[N_METRIC];
		unroll_point(unroller, i, &point);
		memcpy(searched, point.metric, sizeof(searched));
		for (size_t k = 0; k < point.n_layer; k++)
			point.layer[k] = &verify->design[point.layer[k] - unroller->design];
		unroll_sum(space, &explore->map, &point);
		memcpy(own->metric, point.metric, sizeof(own->metric));
		for (size_t k = 0; k < space->n_objective; k++) {
			enum metric which = space->objective[k];
			double frac = gap_frac(searched[which], own->metric[which]);
			add_gap(&verify->objective[k], i, frac);
			own->error_frac = fmax(own->error_frac, frac);
		}
	}
	for (size_t k = 0; k < space->n_objective; k++)
		verify->objective[k].mean_frac /= (double)verify->n_point;
	unrolled_free(&point);
}

/* How much worse, in the objective in which that is most, the other point is: below 0 where it is better in all. */
static double excess_frac(const double *own, const double *other, size_t n)
{
	double excess = -INFINITY;
	for (size_t k = 0; k < n; k++) {
		double frac = own[k] > 0.0 ? other[k] / own[k] - 1.0 : other[k] > own[k] ? INFINITY : 0.0;
		excess = fmax(excess, frac);
	}
	return excess;
}

/* Every point against every other: fronts have thousands of points at most, and their designs took far longer. */
static void judge_points(const struct space *space, struct verify *verify)
{
	size_t n = space->n_objective;
	double *value = memory_array(verify->n_point * n, sizeof(*value));
	for (size_t i = 0; i < verify->n_point; i++)
		for (size_t k = 0; k < n; k++)
			value[i * n + k] = verify->point[i].metric[space->objective[k]];
	for (size_t i = 0; i < verify->n_point; i++) {
		struct verify_point *point = &verify->point[i];
		point->certain = true;
		point->margin_frac = INFINITY;
		for (size_t other = 0; other < verify->n_point; other++) {
			if (other == i)
				continue;
			point->margin_frac = fmin(point->margin_frac, excess_frac(value + i * n, value + other * n, n));
			if (pareto_dominates(value + other * n, value + i * n, (unsigned)n))
				point->certain = false;
		}
		assert(point->certain || point->margin_frac <= 0.0);
		verify->n_certain += point->certain;
	}
	free(value);
}

enum err_code verify_run(const struct unroller *unroller, const struct verify_options *options, struct verify *verify,
                         struct err *err)
{
	assert(unroller && unroller->n_design > 0 && options && options->n_thread > 0 && verify);
	const struct explore *explore = unroller->explore;
	uint64_t start_ms = stop_now_ms();
	*verify =
	    (struct verify){.n_design = unroller->n_design, .n_point = explore->front.n, .audited = options->audit};
	verify->design = memory_array(verify->n_design, sizeof(*verify->design));
	verify->point = memory_array(verify->n_point, sizeof(*verify->point));
	memcpy(verify->design, unroller->design, verify->n_design * sizeof(*verify->design));
	enum err_code code = run_designs(unroller, options, verify, err);
	if (code == ERR_OK && !verify->interrupted) {
		sum_points(unroller, verify);
		judge_points(explore->space, verify);
	}
	verify->seconds = (double)(stop_now_ms() - start_ms) / 1000.0;
	return code;
}

void verify_free(struct verify *verify)
{
	free(verify->design);
	free(verify->point);
	*verify = (struct verify){0};
}
