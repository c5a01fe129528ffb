/* SPDX-License-Identifier: Apache-2.0 */
/* The points of a front at samples of coefficients, against each other. */
#include "dse/base/parallel.h"
#include "dse/pareto/nondominated.h"
#include "dse/price/sample_parts.h"
#include "dse/space/space_machine.h"
#include "sim/base/checked.h"
#include "sim/base/stop.h"
#include <stdlib.h>
#include <string.h>

/* Values that 5 % of the samples stay below, or above. */
#define TAIL_FRAC 0.05
/* Points of a front whose shares are worth a sort a sample; and of all samples together. */
#define MOST_POINTS 4000
#define MOST_PRICES (UINT64_C(1) << 24)

struct point_samples {
	const struct unroller *unroller;
	struct sampled *sampled;
	size_t n;
	struct sample_whole *whole; /* [n] */
	double *objective;          /* [n_sample][n][n_objective]; NaN: a limit is broken */
	bool *keep;                 /* [n_sample][n] */
	bool failed;
};

static void price_points(void *context, size_t s)
{
	struct point_samples *samples = context;
	const struct explore *explore = samples->unroller->explore;
	const struct space *space = explore->space;
	const size_t n_objective = space->n_objective, n = samples->n;
	double *objective = samples->objective + s * n * n_objective;
	double *packed = calloc(n * n_objective + 1, sizeof(*packed));
	size_t *number = calloc(n + 1, sizeof(*number)), n_packed = 0, n_kept;
	bool *keep = calloc(n + 1, sizeof(*keep));
	bool done = packed && number && keep;
	uint32_t known = UINT32_MAX;
	struct machine machine;
	struct energy_use value;
	for (size_t i = 0; i < n && done && !stop_requested(NULL); i++) {
		uint32_t index = explore->front.genome[i * explore->front.n_gene];
		if (index != known) {
			machine = *unroller_machine(samples->unroller, index);
			sample_draw(space, space_machine_file(space, index), samples->sampled->options.seed,
			            (uint32_t)s, &machine);
			energy_use_values(&machine, &value);
			known = index;
		}
		double *own = objective + i * n_objective;
		if (!sample_price(space, &machine, &value, &samples->whole[i], own))
			continue;
		memcpy(packed + n_packed * n_objective, own, n_objective * sizeof(*own));
		number[n_packed++] = i;
	}
	done = done && nondominated_filter(packed, n_packed, (unsigned)n_objective, keep, &n_kept);
	for (size_t i = 0; i < n_packed && done; i++)
		samples->keep[s * n + number[i]] = keep[i];
	if (!done)
		samples->failed = true;
	free(packed);
	free(number);
	free(keep);
}

static int compare_reals(const void *left, const void *right)
{
	const double *a = left, *b = right;
	return *a < *b ? -1 : *a > *b;
}

static void sum_point(const struct point_samples *samples, size_t i, double *sorted, struct sample_point *point)
{
	const size_t n_sample = samples->sampled->options.n_sample;
	const size_t n_objective = samples->unroller->explore->space->n_objective;
	size_t n_stays = 0, tail = (size_t)(TAIL_FRAC * (double)(n_sample - 1) + 0.5);
	for (size_t s = 0; s < n_sample; s++)
		n_stays += samples->keep[s * samples->n + i];
	point->share = (double)n_stays / (double)n_sample;
	for (size_t k = 0; k < n_objective; k++) {
		for (size_t s = 0; s < n_sample; s++)
			sorted[s] = samples->objective[(s * samples->n + i) * n_objective + k];
		qsort(sorted, n_sample, sizeof(*sorted), compare_reals);
		point->low[k] = sorted[tail];
		point->high[k] = sorted[n_sample - 1 - tail];
	}
}

static enum err_code unroll_wholes(struct point_samples *samples, struct err *err)
{
	const struct explore *explore = samples->unroller->explore;
	struct unrolled point;
	enum err_code code = unrolled_init(&explore->map, &point, err);
	for (size_t i = 0; i < samples->n && code == ERR_OK; i++) {
		unroll_point(samples->unroller, i, &point);
		sample_take_whole(explore->space, &explore->map, &point, &samples->whole[i]);
	}
	if (code == ERR_OK)
		unrolled_free(&point);
	return code;
}

enum err_code sample_points(const struct unroller *unroller, struct sampled *sampled, struct err *err)
{
	const struct explore *explore = unroller->explore;
	size_t n = explore->front.n, n_sample = sampled->options.n_sample;
	if (n == 0 || n > MOST_POINTS || mul_sat(n, n_sample) > MOST_PRICES)
		return ERR_OK;
	struct point_samples samples = {.unroller = unroller, .sampled = sampled, .n = n};
	samples.whole = calloc(n, sizeof(*samples.whole));
	samples.objective = calloc(n_sample * n * explore->space->n_objective, sizeof(*samples.objective));
	samples.keep = calloc(n_sample * n, sizeof(*samples.keep));
	double *sorted = calloc(n_sample, sizeof(*sorted));
	sampled->point = calloc(n, sizeof(*sampled->point));
	struct sample_part *part = calloc(n * sample_n_part(explore->space), sizeof(*part));
	bool done = samples.whole && samples.objective && samples.keep && sorted && sampled->point && part;
	for (size_t i = 0; i < n && done; i++)
		samples.whole[i].part = part + i * sample_n_part(explore->space);
	enum err_code code = done ? unroll_wholes(&samples, err) : ERR_INTERNAL;
	if (code == ERR_OK)
		parallel_for(n_sample, sampled->options.n_thread, price_points, &samples);
	sampled->is_interrupted = stop_requested(NULL);
	for (size_t i = 0; i < n && code == ERR_OK && !sampled->is_interrupted; i++)
		sum_point(&samples, i, sorted, &sampled->point[i]);
	sampled->n_point = code == ERR_OK && !sampled->is_interrupted ? n : 0;
	if (!done || samples.failed)
		code = err_add(err, ERR_INTERNAL, "out of memory for samples of coefficients");
	free(samples.whole);
	free(part);
	free(samples.objective);
	free(samples.keep);
	free(sorted);
	return code;
}
