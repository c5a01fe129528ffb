/* SPDX-License-Identifier: Apache-2.0 */
/* Which sentences a verdict has, in their order, and what they share. */
#include "dse/base/number.h"
#include "dse/verdict/verdict_parts.h"
#include <math.h>
#include <string.h>

void run_verdict_claim(struct run_verdict_maker *maker, struct run_verdict_claim claim)
{
	struct run_verdict *verdict = maker->verdict;
	claim.sentence = (unsigned)verdict->n_sentence;
	if (verdict->n_claim < RUN_VERDICT_MAX_CLAIM)
		verdict->claim[verdict->n_claim++] = claim;
}

void run_verdict_say(struct run_verdict_maker *maker)
{
	struct run_verdict *verdict = maker->verdict;
	if (verdict->n_sentence < RUN_VERDICT_MAX_SENTENCE && maker->text.n > 0)
		verdict->sentence[verdict->n_sentence++] = run_verdict_text(verdict, maker->text.text);
	words_clear(&maker->text);
}

bool run_verdict_was_cut(const struct run_verdict_maker *maker)
{
	return maker->of->explore->interrupted || maker->of->explore->truncated;
}

void run_verdict_add_value(struct run_verdict_maker *maker, enum metric metric, double value)
{
	const char *unit = metric_table[metric].unit;
	char text[NUMBER_SIZE];
	bool is_large = strcmp(unit, "byte") == 0 && value >= 1e6;
	number_print_plain(is_large ? value * 1e-6 : value, 4, text);
	words_add(&maker->text, "%s%s%s", text, unit[0] ? " " : "", is_large ? "MB" : unit);
}

void run_verdict_add_range(struct words_text *text, double least, double most)
{
	char low[32], high[32];
	(void)snprintf(low, sizeof(low), "%.3g", least);
	(void)snprintf(high, sizeof(high), "%.3g", most);
	words_add(text, "%s", low);
	if (strcmp(low, high) != 0)
		words_add(text, " to %s", high);
}

/* A limit that is the deadline is said as such. */
static bool is_deadline(const struct space *space, const struct space_limit *limit)
{
	return space->deadline_ms > 0 && limit->metric == METRIC_LATENCY && !(limit->max < space->deadline_ms);
}

bool run_verdict_add_limits(struct run_verdict_maker *maker)
{
	const struct space *space = maker->of->space;
	size_t n = space->deadline_ms > 0, i = 0;
	n += space->least_tops_mm2 > 0;
	for (size_t k = 0; k < space->n_limit; k++)
		n += !is_deadline(space, &space->limit[k]);
	for (size_t k = 0; k < space->n_limit; k++) {
		char limit[NUMBER_SIZE];
		if (is_deadline(space, &space->limit[k]))
			continue;
		number_print_plain(space->limit[k].max, 6, limit);
		words_add(&maker->text, "%s%s <= %s", words_between(i++, n, " and "),
		          metric_table[space->limit[k].metric].name, limit);
	}
	if (space->least_tops_mm2 > 0)
		words_add(&maker->text, "%stops_mm2 >= %.6g", words_between(i++, n, " and "), space->least_tops_mm2);
	if (space->deadline_ms > 0)
		words_add(&maker->text, "%sthe deadline of %.6g ms", words_between(i, n, " and "), space->deadline_ms);
	return n > 0;
}

void run_verdict_add_times(struct words_text *text, double ratio)
{
	static const struct {
		double ratio;
		const char *words;
	} known[] = {{0.25, "a quarter of the"}, {0.5, "half the"}, {2.0, "twice the"}, {4.0, "four times the"}};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (fabs(ratio - known[i].ratio) < 1e-9) {
			words_add(text, "%s", known[i].words);
			return;
		}
	words_add(text, "%.3g times the", ratio);
}

/* Of differences those are left out that are SMALL_FRAC or less beside one LARGE times as large. */
#define SMALL_FRAC 0.01
#define LARGE 10.0

/* What is no difference. */
static double least_difference(const struct run_verdict_maker *maker, const double *own, const double *other)
{
	double most = 0.0;
	for (size_t k = 0; k < maker->of->space->n_objective; k++)
		if (maker->is_scaled[k] && isfinite(own[k] / other[k]))
			most = fmax(most, fabs(own[k] / other[k] - 1.0));
	return fmax(RUN_VERDICT_SAME_FRAC, fmin(SMALL_FRAC, most / LARGE));
}

/* The differences that are better, or those that are worse; how many. */
static size_t add_side(struct run_verdict_maker *maker, const double *own, const double *other, bool is_worse,
                       size_t n_before)
{
	const struct space *space = maker->of->space;
	double least = least_difference(maker, own, other);
	size_t n = 0;
	for (size_t k = 0; k < space->n_objective; k++) {
		enum metric metric = space->objective[k];
		double more = own[k] / other[k] - 1.0;
		if (!maker->is_scaled[k] || !isfinite(more) || !(fabs(more) > least) || (more > 0.0) != is_worse)
			continue;
		words_add(&maker->text, "%s%.3g %% ",
		          n++ > 0        ? ", "
		          : n_before > 0 ? ", but "
		                         : "",
		          100.0 * fabs(more));
		if (metric == METRIC_LATENCY)
			words_add(&maker->text, "%s", is_worse ? "slower" : "faster");
		else
			words_add(&maker->text, "%s %s", is_worse ? "more" : "less", metric_table[metric].label);
	}
	return n;
}

void run_verdict_add_differences(struct run_verdict_maker *maker, const double *own, const double *other)
{
	size_t n_better = add_side(maker, own, other, false, 0);
	if (add_side(maker, own, other, true, n_better) + n_better == 0)
		words_add(&maker->text, "as good");
}

void run_verdict_claim_all(struct run_verdict_maker *maker)
{
	const struct run_verdict *verdict = maker->verdict;
	words_clear(&maker->text);
	if (maker->of->explore->front.n == 0) {
		run_verdict_say_nothing(maker);
		return;
	}
	if (verdict->n_machine <= 1) {
		run_verdict_say_single(maker);
		if (verdict->n_machine == 1) {
			run_verdict_say_bounds(maker, 0);
			run_verdict_say_levels(maker, 0);
		}
		return;
	}
	uint32_t reference = run_verdict_say_choice(maker);
	run_verdict_say_others(maker, reference);
	run_verdict_say_beaten(maker);
	run_verdict_say_rest(maker);
	run_verdict_say_bounds(maker, reference);
	run_verdict_say_levels(maker, reference);
}
