/* SPDX-License-Identifier: Apache-2.0 */
/* From prices to a front: composition of all machines, how far it may be beaten, and the points that are shown. */
#include "dse/pareto/gap.h"
#include "dse/pareto/resolution.h"
#include "dse/pareto/shortlist.h"
#include "dse/price/price_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- compositions --------------------------------------------------------------------------------------- */

/* Machines' points go into noted, too. */
static enum err_code compose_all(struct pricing *pricing, enum price_side side, size_t max_front, struct pareto *front,
                                 struct standings *noted, double *epsilon, struct err *err)
{
	enum err_code code = ERR_OK;
	struct pareto batch;
	*epsilon = 0.0;
	pareto_init(&batch, front->n_objective, front->n_gene);
	for (size_t i = 0; i < pricing->n_machine && code == ERR_OK; i++) {
		struct price_machine *machine = &pricing->machine[i];
		if (!machine->first) /* stopped before its designs were listed */
			continue;
		code = price_compose(machine, side, &pricing->error, max_front, pricing->options->n_thread, err);
		if (code != ERR_OK)
			break;
		*epsilon = fmax(*epsilon, candidate_epsilon(&machine->candidate));
		size_t n_before = batch.n;
		if (!price_add_points(machine, &batch))
			code = err_add(err, ERR_INTERNAL, "out of memory for the points of a front");
		else
			standings_note_points(noted, machine->candidate.set->machine_index,
			                      batch.objective + n_before * batch.n_objective, batch.n - n_before);
	}
	if (code == ERR_OK && batch.n > 0 && !pareto_insert_all(front, &batch, pricing->options->n_thread))
		code = err_add(err, ERR_INTERNAL, "out of memory for the points of a front");
	pareto_free(&batch);
	return code;
}

static enum err_code compose_possible(struct pricing *pricing, enum price_side side, size_t max_front,
                                      struct standings *noted, struct err *err)
{
	const struct pareto *front = &pricing->explore->front;
	pareto_free(&pricing->possible);
	pareto_init(&pricing->possible, front->n_objective, front->n_gene);
	return compose_all(pricing, side, max_front, &pricing->possible, noted, &pricing->possible_epsilon, err);
}

enum err_code price_compose_possible(struct pricing *pricing, enum price_side side, size_t max_front, struct err *err)
{
	return compose_possible(pricing, side, max_front, NULL, err);
}

/* ---- what is known afterwards --------------------------------------------------------------------------- */

static void sum_errors(const struct pricing *pricing)
{
	struct price *price = pricing->price;
	double sum = 0.0;
	for (size_t i = 0; i < pricing->n_machine; i++) {
		const struct price_machine *machine = &pricing->machine[i];
		for (size_t k = 0; k < machine->n; k++) {
			const struct price_design *design = &machine->design[k];
			if (!design->is_priced)
				continue;
			double error = (double)design->own.total_clk / (double)design->fast_clk - 1.0;
			sum += fabs(error);
			price->max_error_frac = fmax(price->max_error_frac, fabs(error));
		}
	}
	price->assumed_error_frac = pricing->error.faster_frac;
	price->assumed_slower_frac = pricing->error.is_unstated ? INFINITY : pricing->error.slower_frac;
	price->mean_error_frac = price->n_priced > 0 ? sum / (double)price->n_priced : 0.0;
}

bool price_add_hopes(const struct pricing *pricing, const struct pareto *front, struct pareto *possible)
{
	const struct space *space = pricing->explore->space;
	double left = 1.0 - pricing->error.faster_frac;
	for (size_t i = 0; i < front->n; i++) {
		double objective[SPACE_MAX_OBJECTIVE];
		for (unsigned k = 0; k < front->n_objective; k++) {
			enum metric metric = space->objective[k];
			bool is_time = metric == METRIC_LATENCY || metric == METRIC_ENERGY || metric == METRIC_RUN_TIME;
			double factor = metric == METRIC_EDP ? left * left : is_time ? left : 1.0;
			if (metric == METRIC_PEAK_POWER)
				factor = 1.0 / (1.0 + pricing->error.slower_frac);
			objective[k] = front->objective[i * front->n_objective + k] * factor;
		}
		(void)pareto_append(possible, objective, front->genome + i * front->n_gene, 0);
		if (possible->n_alloc == 0)
			return false;
	}
	return true;
}

/* Designs of machines that are not listed are behind their own front, and where that is not known behind the fast
 * front, and nearer by no more than is assumed of any. */
static bool add_other_machines(struct pricing *pricing, struct pareto *possible)
{
	bool done = true, is_unknown = pricing->price->n_other_machine > 0;
	for (size_t i = 0; i < pricing->n_machine && done; i++) {
		const struct price_machine *machine = &pricing->machine[i];
		is_unknown |= !machine->first && !machine->is_open;
		if (!machine->first && machine->is_open)
			done = price_add_hopes(pricing, &machine->outlook, possible);
	}
	if (is_unknown && done)
		done = price_add_hopes(pricing, &pricing->fast, possible);
	return done;
}

static double proven_gap(const struct pricing *pricing)
{
	const struct explore *explore = pricing->explore;
	struct pareto bound;
	uint32_t genome[1] = {0};
	pareto_init(&bound, explore->front.n_objective, 1);
	for (uint64_t i = 0; i < explore->counts.n_machine; i++) {
		double objective[SPACE_MAX_OBJECTIVE];
		if (price_bound(explore, (uint32_t)i, objective))
			(void)pareto_insert(&bound, objective, genome, 0);
	}
	double gap = gap_between(&explore->front, &bound, pricing->options->n_thread);
	pareto_free(&bound);
	return gap;
}

/* Whether all machines of the fast front have come to be listed. */
static bool lists_front(const struct pricing *pricing)
{
	for (size_t i = 0; i < pricing->n_machine; i++)
		if (pricing->explore->kept[i].is_on_front && !pricing->machine[i].first)
			return false;
	return true;
}

/* What machines may be at best, beside the front; states' fronts that were thinned may hide a little more. */
static void judge_hopes(struct pricing *pricing)
{
	struct standings *hopes = pricing->price->hopes;
	double factor = 1.0 + pricing->possible_epsilon;
	standings_judge(hopes, &pricing->explore->front, pricing->options->n_thread);
	for (size_t i = 0; hopes && i < hopes->n; i++) {
		struct standing *own = &hopes->machine[i];
		own->margin = (1.0 + own->margin) / factor - 1.0;
		own->own_margin = (1.0 + own->own_margin) / factor - 1.0;
		for (size_t k = 0; k < SPACE_MAX_OBJECTIVE; k++)
			own->least[k] /= factor;
	}
}

static enum err_code judge(struct pricing *pricing, struct err *err)
{
	double fast_epsilon = pricing->explore->counts.epsilon;
	struct price *price = pricing->price;
	const struct pareto *front = &pricing->explore->front;
	sum_errors(pricing);
	price->hopes = standings_new(pricing->explore->space, pricing->explore->counts.n_machine);
	enum err_code code =
	    compose_possible(pricing, PRICE_POSSIBLE, pricing->explore->space->max_front, price->hopes, err);
	if (code != ERR_OK)
		return code;
	judge_hopes(pricing);
	double gap = (1.0 + gap_between(front, &pricing->possible, pricing->options->n_thread)) *
	             (1.0 + pricing->possible_epsilon);
	struct pareto other;
	pareto_init(&other, front->n_objective, front->n_gene);
	if (!add_other_machines(pricing, &other)) {
		pareto_free(&other);
		return err_add(err, ERR_INTERNAL, "out of memory for the points of a front");
	}
	gap = fmax(gap, (1.0 + gap_between(front, &other, pricing->options->n_thread)) * (1.0 + fast_epsilon));
	pareto_free(&other);
	bool is_known = lists_front(pricing) && !pricing->error.is_unstated;
	price->assumed_gap_frac = is_known ? gap - 1.0 : INFINITY;
	price->proven_gap_frac = proven_gap(pricing);
	return ERR_OK;
}

/* All designs with a price, for whoever unrolls the front. */
static bool leave_designs(const struct pricing *pricing)
{
	struct explore *explore = pricing->explore;
	free(explore->known_design);
	explore->n_known_design = 0;
	explore->known_design = calloc(pricing->price->n_priced + 1, sizeof(*explore->known_design));
	if (!explore->known_design)
		return false;
	for (size_t i = 0; i < pricing->n_machine; i++)
		for (size_t k = 0; k < pricing->machine[i].n; k++)
			if (pricing->machine[i].design[k].is_priced)
				explore->known_design[explore->n_known_design++] = pricing->machine[i].design[k].own;
	assert(explore->n_known_design == pricing->price->n_priced);
	qsort(explore->known_design, explore->n_known_design, sizeof(*explore->known_design), unrolled_compare);
	return true;
}

/* ---- the front that is shown ------------------------------------------------------------------------------ */

/* How sure the event tier is of the front's knee. */
static double own_resolution(struct pricing *pricing, struct err *err)
{
	struct explore *explore = pricing->explore;
	struct unroller unroller;
	struct unrolled point;
	size_t chosen[PARETO_MAX_OBJECTIVE + 1], knee;
	double frac = 0.0;
	(void)shortlist_choose(&explore->front, explore->front.n_objective + 1, chosen, &knee);
	if (unroller_init(&unroller, explore, pricing->options->n_thread, err) != ERR_OK)
		return NAN;
	if (unrolled_init(&explore->map, &point, err) == ERR_OK) {
		unroll_point(&unroller, knee, &point);
		frac = point.uncertain.reference_frac;
		unrolled_free(&point);
	}
	unroller_free(&unroller);
	return isfinite(frac) ? frac : 0.0;
}

static bool keep_points(struct pareto *front, const size_t *chosen, size_t n)
{
	struct pareto kept;
	pareto_init(&kept, front->n_objective, front->n_gene);
	for (size_t i = 0; i < n; i++)
		if (!pareto_append(&kept, front->objective + chosen[i] * front->n_objective,
		                   front->genome + chosen[i] * front->n_gene, 0)) {
			pareto_free(&kept);
			return false;
		}
	pareto_free(front);
	*front = kept;
	return true;
}

/* Points that are closer than the model can tell, or than was asked for, become one. */
static enum err_code resolve(struct pricing *pricing, struct err *err)
{
	struct price *price = pricing->price;
	struct pareto *front = &pricing->explore->front;
	double frac = pricing->explore->space->resolution_frac;
	price->n_point = front->n;
	price->resolution_frac = isnan(frac) ? own_resolution(pricing, err) : frac;
	if (isnan(price->resolution_frac))
		return ERR_INTERNAL;
	size_t *chosen = calloc(front->n, sizeof(*chosen));
	price->n_like = calloc(front->n, sizeof(*price->n_like));
	price->is_shared = calloc(front->n, sizeof(*price->is_shared));
	size_t n = chosen && price->n_like && price->is_shared
	               ? resolution_choose(front, price->resolution_frac, chosen, price->n_like)
	               : 0;
	bool done = n > 0 && keep_points(front, chosen, n);
	free(chosen);
	for (size_t i = 0; i < n && done && price->resolution_frac > 0.0; i++)
		for (size_t k = 0; k < n && !price->is_shared[i]; k++)
			price->is_shared[i] = i != k && resolution_covers(front, k, i, price->resolution_frac);
	return done ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory for the points of a front");
}

void price_free(struct price *price)
{
	free(price->n_like);
	free(price->is_shared);
	standings_free(price->standings);
	standings_free(price->hopes);
	price->standings = price->hopes = NULL;
	price->n_like = NULL;
	price->is_shared = NULL;
}

enum err_code price_take_front(struct pricing *pricing, struct err *err)
{
	struct pareto *front = &pricing->explore->front;
	double epsilon;
	if (!pricing->has_fast) {
		pricing->fast = *front;
		pricing->has_fast = true;
		pareto_init(front, pricing->fast.n_objective, pricing->fast.n_gene);
	}
	price_free(pricing->price);
	pareto_free(front);
	pricing->price->standings = standings_new(pricing->explore->space, pricing->explore->counts.n_machine);
	enum err_code code = compose_all(pricing, PRICE_KNOWN, pricing->explore->space->max_front, front,
	                                 pricing->price->standings, &epsilon, err);
	pricing->price->is_priced = code == ERR_OK && front->n > 0;
	if (!pricing->price->is_priced)
		return code;
	pareto_sort(front);
	if (!leave_designs(pricing))
		return err_add(err, ERR_INTERNAL, "out of memory for the designs of the front");
	code = resolve(pricing, err);
	standings_judge(pricing->price->standings, front, pricing->options->n_thread);
	return code;
}

enum err_code price_finish(struct pricing *pricing, struct err *err)
{
	struct price *price = pricing->price;
	enum err_code code = price_take_front(pricing, err);
	price->none_fits = code == ERR_OK && !price->is_priced && !price->is_interrupted;
	if (code == ERR_OK && price->is_priced)
		return judge(pricing, err);
	if (code == ERR_OK) {
		pricing->explore->front = pricing->fast;
		pricing->has_fast = false;
	}
	return code;
}
