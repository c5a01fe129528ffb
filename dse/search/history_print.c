/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/history_print.h"
#include "dse/pareto/quality.h"
#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* "exhausted", "stagnation", "generations", "evaluations", "time" or "interrupted"; of several searches the farthest.
 */
static const char *stop_name(const struct explore *explore)
{
	const uint64_t *n_stop = explore->counts.engine.n_stop;
	if (explore->interrupted)
		return "interrupted";
	if (explore->out_of_time)
		return "time";
	/* What cut searches short comes before what they chose themselves. */
	static const enum engine_stop order[] = {ENGINE_STOP_EVALUATIONS, ENGINE_STOP_STAGNATION,
	                                         ENGINE_STOP_GENERATIONS};
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (n_stop[order[i]] > 0)
			return engine_stop_name[order[i]];
	return engine_stop_name[ENGINE_STOP_EXHAUSTED];
}

static void put_marks(struct json *json, const struct history *history, const struct quality *quality,
                      const double *volume)
{
	json_begin_list(json, "points");
	for (size_t i = 0; i < history->n_mark; i++) {
		json_begin_object(json, NULL);
		json_put_u64(json, "evaluations", history->mark[i].n_evaluation);
		json_put_u64(json, "front_points", history->mark[i].n_point);
		json_put_real(json, "hypervolume", volume[i]);
		json_put_real(json, "share", quality->hypervolume > 0.0 ? volume[i] / quality->hypervolume : 0.0);
		json_end(json);
	}
	json_end(json);
	json_begin_list(json, "seconds");
	for (size_t i = 0; i < history->n_mark; i++)
		json_put_real(json, NULL, history->mark[i].seconds);
	json_end(json);
}

/* n_reach of searches that were measured, else all 0. */
static bool has_reach(const struct explore *explore)
{
	return explore->counts.engine.n_reach[HISTORY_N_SHARE - 1] > 0;
}

static void put_reach(struct json *json, const struct explore *explore)
{
	json_begin_list(json, "layers");
	for (unsigned i = 0; i < HISTORY_N_SHARE; i++) {
		json_begin_object(json, NULL);
		json_put_real(json, "share", history_share[i]);
		json_put_u64(json, "evaluations", explore->counts.engine.n_reach[i]);
		json_end(json);
	}
	json_end(json);
}

void history_put_json(struct json *json, const struct explore *explore, const struct quality *quality,
                      const double *volume)
{
	const struct space *space = explore->space;
	json_put_text(json, "stopped_by", stop_name(explore));
	json_begin_object(json, "searches_stopped_by");
	for (unsigned i = 0; i < ENGINE_N_STOP; i++)
		if (explore->counts.engine.n_stop[i] > 0)
			json_put_u64(json, engine_stop_name[i], explore->counts.engine.n_stop[i]);
	json_end(json);
	if (!quality || explore->history.n_mark == 0)
		return;
	json_begin_object(json, "progress");
	json_put_text(json, "reference", "1.1 times the final front's largest values; 0 is the ideal");
	json_begin_object(json, "reference_point");
	for (size_t i = 0; i < space->n_objective; i++)
		json_put_real(json, metric_table[space->objective[i]].name, quality->reference[i]);
	json_end(json);
	put_marks(json, &explore->history, quality, volume);
	if (has_reach(explore))
		put_reach(json, explore);
	json_end(json);
}

void history_print(FILE *file, const struct explore *explore, bool with_shares)
{
	const struct history *history = &explore->history;
	struct quality quality;
	uint64_t n_evaluation[HISTORY_N_SHARE];
	const char *of = has_reach(explore) ? "of the layers' hypervolumes" : "of this hypervolume";
	if (has_reach(explore))
		memcpy(n_evaluation, explore->counts.engine.n_reach, sizeof(n_evaluation));
	else if (explore->front.n > 0 && history->n_mark > 1 && quality_of_front(&explore->front, &quality))
		history_reach(history, quality.reference, n_evaluation);
	else
		memset(n_evaluation, 0, sizeof(n_evaluation));
	(void)fprintf(file, "  stopped by: %s\n", stop_name(explore));
	if (!with_shares || n_evaluation[HISTORY_N_SHARE - 1] == 0)
		return;
	(void)fputs("  evaluations until", file);
	for (unsigned i = 0; i < HISTORY_N_SHARE; i++)
		if (history_share[i] >= 0.9)
			(void)fprintf(file, "%s %g %%: %" PRIu64, history_share[i] > 0.9 ? "," : "",
			              100.0 * history_share[i], n_evaluation[i]);
	(void)fprintf(file, " %s\n", of);
}
