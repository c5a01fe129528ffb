/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design/story.h"
#include "dse/out/words.h"
#include "mapper/octopus/octopus_time.h"
#include <assert.h>
#include <inttypes.h>
#include <string.h>

static const char *const tier_text[N_DETAIL] = {[DETAIL_FAST] = "fast tier",
                                                [DETAIL_EVENT] = "event tier",
                                                [DETAIL_GREYBOX] = "fast tier with grey-box task clocks"};

static const char *overhead_text(const struct story *story)
{
	if (story->has_overhead)
		return "run-time overhead is in it";
	if (story->machine->has_octopus)
		return "without run-time overhead, which run_time_ms adds";
	return story->machine->target == MACHINE_SYSTOLIC
	           ? "without run-time overhead"
	           : "without run-time overhead (the machine file has no section octopus)";
}

void story_print(FILE *file, unsigned indent, const struct story *story)
{
	struct words_fold fold;
	const char *between = "";
	assert(file && story && story->machine && story->mapping);
	file = words_fold_begin(&fold, file);
	(void)fprintf(file, "%*slatency of: %s, ", (int)indent, "", tier_text[story->detail]);
	for (uint32_t l = 0; l < story->machine->n_level; l++) {
		const struct operating_point *level = &story->machine->level[l];
		if ((story->levels >> l & 1) == 0)
			continue;
		(void)fprintf(file, "%s%s (%g V, %g MHz)", between, level->name, level->vdd_v, level->clk_mhz);
		between = " and ";
	}
	(void)fprintf(file, "; mapping %s; %s\n", story->mapping, overhead_text(story));
	words_fold_end(&fold);
}

void story_print_searched(FILE *file, const char *detail)
{
	struct words_fold fold;
	assert(file && detail);
	enum detail own = DETAIL_FAST;
	while (own < N_DETAIL - 1 && strcmp(detail, detail_name[own]) != 0)
		own++;
	(void)fprintf(words_fold_begin(&fold, file),
	              "latency of: %s; mapping and operating points searched, each design its own; without run-time "
	              "overhead\n",
	              tier_text[own]);
	words_fold_end(&fold);
}

void story_put_json(struct json *json, const struct story *story)
{
	json_begin_object(json, "latency_of");
	json_put_text(json, "tier", detail_name[story->detail]);
	json_begin_list(json, "levels");
	for (uint32_t l = 0; l < story->machine->n_level; l++)
		if (story->levels >> l & 1)
			json_put_text(json, NULL, story->machine->level[l].name);
	json_end(json);
	json_put_text(json, "mapping", story->mapping);
	json_put_bool(json, "run_time_overhead", story->has_overhead);
	json_end(json);
}

uint32_t story_levels(const struct simulated *block, size_t n, const bool *shown)
{
	uint32_t levels = 0;
	for (size_t i = 0; i < n; i++)
		if (!shown || shown[i])
			levels |= UINT32_C(1) << block[i].design.level;
	return levels;
}

void story_run_time(const struct machine *machine, const struct simulated *block, size_t n, const bool *shown,
                    struct story_run_time *run_time)
{
	*run_time = (struct story_run_time){.network_ms = metric_network_overhead_ms(machine),
	                                    .n_worker = octopus_max_worker(machine)};
	for (size_t i = 0; i < n; i++) {
		if ((shown && !shown[i]) || !block[i].ran)
			continue;
		run_time->n_layer++;
		run_time->latency_ms += block[i].metric[METRIC_LATENCY];
		run_time->layers_ms += block[i].metric[METRIC_RUN_TIME] - block[i].metric[METRIC_LATENCY];
	}
}

void story_print_run_time(FILE *file, unsigned indent, const struct machine *machine,
                          const struct story_run_time *run_time)
{
	struct words_fold fold;
	if (!machine->has_octopus)
		return;
	file = words_fold_begin(&fold, file);
	(void)fprintf(file,
	              "%*srun_time_ms %.6g = latency_ms %.6g + setup and cleanup of %" PRIu32
	              " workers %.6g + scheduling and configuration of %zu layer%s %.6g\n",
	              (int)indent, "", run_time->latency_ms + run_time->network_ms + run_time->layers_ms,
	              run_time->latency_ms, run_time->n_worker, run_time->network_ms, run_time->n_layer,
	              run_time->n_layer == 1 ? "" : "s", run_time->layers_ms);
	words_fold_end(&fold);
}
