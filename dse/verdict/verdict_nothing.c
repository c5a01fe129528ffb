/* SPDX-License-Identifier: Apache-2.0 */
/* What has no design: all machines, or some. */
#include "dse/base/memory.h"
#include "dse/base/number.h"
#include "dse/verdict/verdict_parts.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Six digits, and no more than the value. */
static double round_down(double value)
{
	double step = value > 0.0 ? pow(10.0, floor(log10(value)) - 5.0) : 1.0;
	return floor(value / step) * step;
}

/* The machine that came nearest in the search, of which a limit may have cut others before, and which limit it misses
 * by how much. */
static void say_nearest(struct run_verdict_maker *maker)
{
	const struct explore_miss *miss = &maker->of->explore->miss;
	size_t n_text = strlen(miss->text);
	if (miss->stage == STAGE_NONE)
		return;
	words_add(&maker->text, "Closest in the search is ");
	if (maker->verdict->n_machine > 1)
		run_verdict_name(maker->of->space, miss->machine_index, &maker->text);
	else
		words_add(&maker->text, "%s", miss->machine);
	if (miss->is_limit) {
		bool is_size = metric_table[miss->metric].scope == METRIC_OF_MACHINE;
		char limit[NUMBER_SIZE], value[NUMBER_SIZE], over[NUMBER_SIZE];
		number_print_plain(miss->limit, 6, limit);
		number_print_plain(is_size ? miss->value : round_down(miss->value), 6, value);
		number_print_plain(100.0 * miss->violation, 3, over);
		const char *unit = metric_table[miss->metric].unit;
		bool has_unit = unit[0] && strcmp(unit, "frac") != 0;
		words_add(&maker->text, ": over %s <= %s by %s %%, as it %s %s%s%s%s.", metric_table[miss->metric].name,
		          limit, over, is_size ? "has" : "takes", value, has_unit ? " " : "", has_unit ? unit : "",
		          is_size || !miss->is_least ? "" : " at least");
	}
	if (miss->is_least) {
		run_verdict_claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_MISS,
		                                                    .machine = miss->machine_index,
		                                                    .other = RUN_VERDICT_NOBODY,
		                                                    .objective = (unsigned)miss->metric,
		                                                    .value = miss->value});
	} else if (!miss->is_limit) {
		n_text -= n_text > 0 && miss->text[n_text - 1] == ';';
		words_add(&maker->text, ": %.*s.", (int)n_text, miss->text);
	}
	run_verdict_say(maker);
}

void run_verdict_say_nothing(struct run_verdict_maker *maker)
{
	const struct explore *explore = maker->of->explore;
	uint64_t n = explore->counts.n_machine;
	bool is_open = explore->interrupted || explore->truncated || explore->n_failure > 0;
	bool is_proven = !is_open && !explore->counts.is_limited;
	words_add(&maker->text, is_open ? "Nothing was found so far, which proves nothing" : "Nothing fits");
	words_add(&maker->text, ": ");
	words_add(&maker->text, n == 1 ? "the machine has no design" : "none of %" PRIu64 " machines has a design", n);
	words_add(&maker->text, " that keeps ");
	if (maker->of->space->n_constraint > 0 || !run_verdict_add_limits(maker))
		words_add(&maker->text, "all limits");
	words_add(&maker->text, "%s.", !is_open && !is_proven ? ", as far as is proven" : "");
	if (is_proven)
		run_verdict_claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_NONE,
		                                                    .machine = RUN_VERDICT_NOBODY,
		                                                    .other = RUN_VERDICT_NOBODY,
		                                                    .value = (double)n});
	run_verdict_say(maker);
	say_nearest(maker);
}

/* Of machines without a design which ones they are; how many. */
static size_t add_empty(struct run_verdict_maker *maker)
{
	const struct run_verdict *verdict = maker->verdict;
	uint32_t *index = memory_array(verdict->n_machine, sizeof(*index));
	size_t n = 0;
	for (uint32_t i = 0; i < verdict->n_machine; i++)
		if (verdict->machine[i].place == RUN_VERDICT_EMPTY)
			index[n++] = i;
	if (n > 0) {
		run_verdict_name_all(maker->of->space, index, n, &maker->text);
		words_add(&maker->text, n == 1 ? " has no design" : " have no design");
		words_add(&maker->text, " that keeps the limits");
	}
	free(index);
	return n;
}

void run_verdict_say_rest(struct run_verdict_maker *maker)
{
	static const enum run_verdict_place place[] = {RUN_VERDICT_ALIKE, RUN_VERDICT_BEHIND, RUN_VERDICT_REFUSED,
	                                               RUN_VERDICT_FAILED, RUN_VERDICT_OPEN};
	static const char *const words[RUN_VERDICT_N_PLACE] = {
	    [RUN_VERDICT_ALIKE] = "no better than the front by more than the model can tell",
	    [RUN_VERDICT_BEHIND] = "not on the front",
	    [RUN_VERDICT_REFUSED] = "refused by constraints or checks",
	    [RUN_VERDICT_FAILED] = "not known, as the search failed",
	    [RUN_VERDICT_OPEN] = "not searched to the end"};
	size_t n_said = add_empty(maker) > 0;
	for (size_t k = 0; k < sizeof(place) / sizeof(place[0]); k++) {
		size_t n = 0;
		for (size_t i = 0; i < maker->verdict->n_machine; i++)
			n += maker->verdict->machine[i].place == place[k];
		if (n > 0)
			words_add(&maker->text, "%s%zu machine%s %s %s", n_said++ > 0 ? "; " : "", n, n == 1 ? "" : "s",
			          n == 1 ? "is" : "are", words[place[k]]);
	}
	words_add(&maker->text, "%s", n_said > 0 ? "." : "");
	run_verdict_say(maker);
}

void run_verdict_add_change(struct run_verdict *verdict, const char *sentence, double needed)
{
	assert(verdict->n_sentence < RUN_VERDICT_MAX_SENTENCE);
	if (isfinite(needed) && verdict->n_claim < RUN_VERDICT_MAX_CLAIM)
		verdict->claim[verdict->n_claim++] =
		    (struct run_verdict_claim){.kind = RUN_VERDICT_CHANGE,
		                               .machine = RUN_VERDICT_NOBODY,
		                               .other = RUN_VERDICT_NOBODY,
		                               .value = needed,
		                               .sentence = (unsigned)verdict->n_sentence};
	verdict->sentence[verdict->n_sentence++] = run_verdict_text(verdict, sentence);
}
