/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the model can tell: which machines lost by less than it may be off, and which may be better than the best.
 *
 * Figures of a tier are off by its stated uncertainty. Of a front with prices more is known: machines whose designs
 * were listed are judged by what these may be at best (struct price, hopes), others by the fast tier, which the prices
 * have shown to be off by assumed_error_frac.
 */
#include "dse/base/memory.h"
#include "dse/pareto/shortlist.h"
#include "dse/verdict/verdict_parts.h"
#include <math.h>
#include <stdlib.h>

static bool is_off(enum metric metric)
{
	return metric == METRIC_LATENCY || metric == METRIC_ENERGY || metric == METRIC_RUN_TIME ||
	       metric == METRIC_EDP || metric == METRIC_PEAK_POWER;
}

static bool is_priced(const struct run_verdict_maker *maker)
{
	return maker->of->price && maker->of->price->is_priced;
}

/* Of the front's knee, in its tier; 0: it is exact, or nothing is stated. */
static double stated_frac(const struct run_verdict_maker *maker)
{
	const struct pareto *front = &maker->of->explore->front;
	size_t chosen[SPACE_MAX_OBJECTIVE + 1], knee;
	struct unrolled point;
	if (!maker->of->unroller || front->n == 0)
		return 0.0;
	(void)shortlist_choose(front, front->n_objective + 1, chosen, &knee);
	memory_check(unrolled_init(&maker->of->explore->map, &point, NULL) == ERR_OK);
	unroll_point(maker->of->unroller, knee, &point);
	double frac = uncertainty_frac(&point.uncertain);
	unrolled_free(&point);
	return isfinite(frac) ? fmin(frac, 0.9) : 0.0;
}

/*
 * By how much two figures have to differ: of one tier by its stated uncertainty, as they are off alike; a figure of the
 * fast tier from one of the event tier by what prices were off both ways.
 */
static double difference(const struct run_verdict_maker *maker, double faster_frac, double slower_frac)
{
	double ratio = (1.0 + slower_frac) / (1.0 - faster_frac);
	return (maker->has_product ? ratio * ratio : ratio) - 1.0;
}

static const struct standing *hope_of(const struct run_verdict_maker *maker, size_t i)
{
	const struct standings *hopes = is_priced(maker) ? maker->of->price->hopes : NULL;
	return hopes && hopes->machine[i].kind == STANDING_SEARCHED ? &hopes->machine[i] : NULL;
}

/* A machine that lost; of designs without a price, too, where it is known of them. */
static void judge(struct run_verdict_maker *maker, struct run_verdict_machine *machine)
{
	const struct standing *hope = hope_of(maker, machine->index);
	bool is_event = machine->is_event;
	double margin = machine->margin;
	machine->basis = is_event           ? RUN_VERDICT_PRICED_DESIGNS
	                 : is_priced(maker) ? RUN_VERDICT_FAST_TIER
	                                    : RUN_VERDICT_ALL_DESIGNS;
	if (hope && hope->margin >= 0.0) {
		if (is_event) {
			machine->basis = RUN_VERDICT_ALL_DESIGNS;
			machine->by = hope->beaten_by;
			machine->margin = hope->beaten_by != STANDING_NOBODY ? hope->own_margin : hope->margin;
			machine->doubt_frac = margin < difference(maker, 0.0, maker->own_frac) ? maker->own_frac : 0.0;
		}
		return;
	}
	bool is_known = !is_event && !hope &&
	                margin >= difference(maker, is_priced(maker) ? maker->faster_frac : 0.0, maker->slower_frac);
	machine->doubt_frac = is_known ? 0.0 : fmax(maker->faster_frac, maker->slower_frac);
}

/* No better than the front by more than the model can tell: of all its designs, as far as is known. */
static void judge_alike(const struct run_verdict_maker *maker, struct run_verdict_machine *machine)
{
	const struct standing *hope = hope_of(maker, machine->index);
	double frac =
	    fmax(maker->of->price->resolution_frac, difference(maker, fmax(maker->own_frac, maker->faster_frac), 0.0));
	if (hope && hope->margin < -frac / (1.0 + frac))
		machine->place = RUN_VERDICT_BEHIND;
}

void run_verdict_find_doubts(struct run_verdict_maker *maker)
{
	const struct space *space = maker->of->space;
	const struct price *price = maker->of->price;
	struct run_verdict *verdict = maker->verdict;
	bool any = false;
	for (size_t k = 0; k < space->n_objective; k++) {
		any |= is_off(space->objective[k]);
		maker->has_product |= space->objective[k] == METRIC_EDP;
	}
	if (!any)
		return;
	maker->own_frac = maker->faster_frac = maker->slower_frac = stated_frac(maker);
	if (is_priced(maker)) {
		maker->faster_frac = price->assumed_error_frac;
		maker->slower_frac = price->assumed_slower_frac;
	}
	for (size_t i = 0; i < verdict->n_machine; i++) {
		if (verdict->machine[i].place == RUN_VERDICT_BEATEN)
			judge(maker, &verdict->machine[i]);
		if (verdict->machine[i].place == RUN_VERDICT_ALIKE)
			judge_alike(maker, &verdict->machine[i]);
	}
}

/* At which uncertainty another machine may have less of objective k than the best one; 0: it has not. */
static double rivals_by(const struct run_verdict_maker *maker, const struct run_verdict_machine *best,
                        const struct run_verdict_machine *other, size_t k)
{
	const struct standing *hope = hope_of(maker, other->index);
	enum metric metric = maker->of->space->objective[k];
	double power = metric == METRIC_EDP ? 2.0 : 1.0, own = maker->own_frac;
	double least = pow(1.0 - maker->faster_frac, is_off(metric) ? power : 0.0) * other->least[k];
	if (hope)
		least = hope->least[k];
	bool is_closer = is_off(metric) && (other->is_event || !is_priced(maker)) &&
	                 other->least[k] < best->least[k] * pow(1.0 + own, power);
	if (is_priced(maker) && least < best->least[k])
		return is_off(metric) ? fmax(maker->faster_frac, maker->slower_frac) : INFINITY;
	return is_closer ? own : 0.0;
}

double run_verdict_rivals(const struct run_verdict_maker *maker, uint32_t best, size_t k, bool *is_rival)
{
	const struct run_verdict *verdict = maker->verdict;
	double most = 0.0;
	for (size_t i = 0; i < verdict->n_machine; i++) {
		const struct run_verdict_machine *other = &verdict->machine[i];
		bool is_judged = other->place <= RUN_VERDICT_BEHIND && isfinite(other->least[k]);
		if (i == best || !is_judged || (other->place == RUN_VERDICT_BEATEN && !(other->doubt_frac > 0.0)))
			continue;
		double frac = rivals_by(maker, &verdict->machine[best], other, k);
		is_rival[i] = is_rival[i] || frac > 0.0;
		most = fmax(most, frac);
	}
	return most;
}

bool run_verdict_wants_prices(const struct run_verdict_maker *maker)
{
	const struct run_verdict *verdict = maker->verdict;
	bool any = false;
	for (size_t i = 0; i < verdict->n_machine && is_priced(maker); i++)
		any |= verdict->machine[i].place == RUN_VERDICT_BEATEN && verdict->machine[i].doubt_frac > 0.0 &&
		       verdict->machine[i].basis != RUN_VERDICT_ALL_DESIGNS;
	return any;
}

void run_verdict_add_close(struct run_verdict_maker *maker, double frac)
{
	words_add(&maker->text, "too close to call");
	if (isfinite(frac))
		words_add(&maker->text, " (+-%.2g %%)", 100.0 * frac);
}

bool run_verdict_is_close(const struct run_verdict_maker *maker, const double *own, const double *other)
{
	double most = 0.0, frac = difference(maker, 0.0, maker->own_frac);
	for (size_t k = 0; k < maker->of->space->n_objective; k++) {
		double more = fabs(log(own[k] / other[k]));
		if (maker->is_scaled[k] && isfinite(more))
			most = fmax(most, is_off(maker->of->space->objective[k]) ? more : more > 0.0 ? INFINITY : 0.0);
	}
	return most > RUN_VERDICT_SAME_FRAC && most < log(1.0 + frac); /* less is "as good" */
}

bool run_verdict_limits_are_off(const struct run_verdict_maker *maker)
{
	const struct space *space = maker->of->space;
	bool any = space->deadline_ms > 0 || space->least_tops_mm2 > 0;
	for (size_t i = 0; i < space->n_limit; i++)
		any |= is_off(space->limit[i].metric);
	return any;
}
