/* SPDX-License-Identifier: Apache-2.0 */
/* What a search notes down on its way, whichever search it is: names, objectives, refusals, near misses. */
#include "dse/search/explore.h"
#include "dse/space/space_goals.h"
#include "dse/space/space_machine.h"
#include "dse/search/explore_parts.h"
#include "dse/base/interrupt.h"
#include "dse/base/number.h"
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* The index is a number whose digits are the axes, last axis fastest; it is taken apart from behind. */
void explore_machine_text(const struct space *space, uint32_t machine_index, const struct machine *machine, char *text,
                          size_t n_byte)
{
	assert(space && machine && text && n_byte > 0);
	int n = snprintf(text, n_byte, "%s", machine->name);
	uint64_t rest = machine_index;
	size_t value[64];
	size_t n_axis = space->n_axis < 64 ? space->n_axis : 64;
	for (size_t i = space->n_axis; i-- > 0;) {
		if (i < n_axis)
			value[i] = (size_t)(rest % space->axis[i].n);
		rest /= space->axis[i].n;
	}
	for (size_t i = 0; i < n_axis && n > 0 && (size_t)n < n_byte; i++)
		n += snprintf(text + n, n_byte - (size_t)n, ", %s %s", space->axis[i].param->key,
		              space->axis[i].value[value[i]]);
}

/* A design that got farther is nearer, whatever its numbers; within a stage the smaller excess is. */
void explore_note_miss(struct explore *explore, const struct explore_miss *miss)
{
	const struct explore_miss *best = &explore->miss;
	assert(miss->stage != STAGE_NONE);
	if (best->stage == STAGE_NONE || miss->stage > best->stage ||
	    (miss->stage == best->stage && miss->violation < best->violation))
		explore->miss = *miss;
}

void explore_note_refused(struct explore *explore)
{
	const struct space *space = explore->space;
	if (explore->miss.stage != STAGE_NONE || explore->counts.n_machine_rejected == 0 || space->n_constraint == 0)
		return;
	assert(explore->counts.n_machine <= UINT32_MAX);
	for (uint64_t i = 0; i < explore->counts.n_machine && !interrupt_requested(); i++) {
		struct explore_miss miss = {.stage = STAGE_REFUSED, .machine_index = (uint32_t)i};
		struct machine machine;
		if (!space_machine_miss(space, i, &machine, &miss.violation, miss.text, sizeof(miss.text)))
			continue;
		explore_machine_text(space, (uint32_t)i, &machine, miss.machine, sizeof(miss.machine));
		explore_note_miss(explore, &miss);
	}
}

void explore_note_over_limit(struct explore *explore, uint32_t machine_index, const struct machine *machine,
                             enum explore_stage stage, enum metric metric, double value)
{
	double limit = space_metric_limit(explore->space, metric), of_machine[N_METRIC] = {0};
	metric_of_machine(machine, of_machine);
	/* one on TOPS/mm2 is one on latency, whose limit the area decides */
	if (metric == METRIC_LATENCY && explore->space->least_tops_mm2 > 0)
		limit = fmin(limit, space_most_ms_mm2(explore->space) / of_machine[METRIC_AREA]);
	struct explore_miss miss = {.stage = stage,
	                            .violation = value / limit - 1.0,
	                            .machine_index = machine_index,
	                            .is_limit = true,
	                            .is_least = stage == STAGE_MACHINE,
	                            .metric = metric,
	                            .value = value,
	                            .limit = limit};
	char number[2][NUMBER_SIZE];
	assert(machine && metric < N_METRIC);
	explore_machine_text(explore->space, machine_index, machine, miss.machine, sizeof(miss.machine));
	number_print_plain(value, 6, number[0]);
	number_print_plain(limit, 6, number[1]);
	(void)snprintf(miss.text, sizeof(miss.text), "%s is %s, limit %s", metric_table[metric].name, number[0],
	               number[1]);
	explore_note_miss(explore, &miss);
	explore->counts.by_limit[metric]++;
}

/* Reasons are texts of constraints and checks; a space has few different ones, however many machines it has. */
void explore_note_rejection(struct explore *explore, const char *why)
{
	struct explore_counts *counts = &explore->counts;
	assert(why);
	counts->n_machine_rejected++;
	for (size_t i = 0; i < counts->n_rejection; i++) {
		if (strcmp(counts->rejection[i].why, why) == 0) {
			counts->rejection[i].n++;
			return;
		}
	}
	/* The last row takes all that found no row of their own. */
	if (counts->n_rejection == EXPLORE_MAX_REJECTION) {
		struct explore_counts *all = counts;
		(void)snprintf(all->rejection[EXPLORE_MAX_REJECTION - 1].why, EXPLORE_TEXT_SIZE, "other reasons");
		all->rejection[EXPLORE_MAX_REJECTION - 1].n++;
		return;
	}
	(void)snprintf(counts->rejection[counts->n_rejection].why, EXPLORE_TEXT_SIZE, "%s", why);
	counts->rejection[counts->n_rejection++].n = 1;
}

void explore_note_failure(struct explore *explore, uint32_t machine_index, const struct machine *machine,
                          const char *format, ...)
{
	assert(explore && format);
	if (explore->n_failure++ >= EXPLORE_MAX_FAILURE)
		return;
	struct explore_failure *failure = &explore->failure[explore->n_failure - 1];
	if (machine)
		explore_machine_text(explore->space, machine_index, machine, failure->machine,
		                     sizeof(failure->machine));
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(failure->why, sizeof(failure->why), format, arguments);
	va_end(arguments);
	/* messages of an error record end their lines */
	for (char *end = failure->why + strlen(failure->why); end > failure->why && end[-1] == '\n';)
		*--end = '\0';
}
