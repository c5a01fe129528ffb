/* SPDX-License-Identifier: Apache-2.0 */
/* A few machines at a time: what is searched again, enumerated and drawn of each. */
#include "dse/base/interrupt.h"
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "dse/check/audit_parts.h"
#include "dse/engine/engine.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

static void build_stop(void *context, size_t i)
{
	struct audit_job *job = context;
	struct audit_stop *stop = &job->stop[job->first + i];
	const struct explore *explore = job->explore;
	char why[EXPLORE_TEXT_SIZE];
	struct layer_set *set;
	stop->code =
	    layer_set_build(explore->space, &explore->map, stop->machine_index, &set, why, sizeof(why), &stop->err);
	if (stop->code == ERR_OK && !set)
		stop->code = err_add(&stop->err, ERR_INTERNAL, "machine %" PRIu32 " of the front is refused: %s",
		                     stop->machine_index, why);
	if (stop->code == ERR_OK)
		stop->code = candidate_init(explore->space, set, &stop->candidate, &stop->err);
	if (stop->code != ERR_OK)
		return;
	stop->is_built = true;
	stop->candidate.is_exact = job->search->engine == &engine_exact;
	stop->layer = memory_array(stop->candidate.n_task, sizeof(*stop->layer));
	stop->list = memory_array(explore->map.n_distinct, sizeof(*stop->list));
}

void audit_free_stop(struct audit_stop *stop)
{
	for (size_t i = 0; stop->layer && i < stop->candidate.n_task; i++) {
		pareto_free(&stop->layer[i].front);
		err_clear(&stop->layer[i].err);
	}
	for (size_t i = 0; stop->list && i < stop->candidate.set->map->n_distinct; i++)
		free(stop->list[i].gene);
	free(stop->layer);
	free(stop->list);
	stop->layer = NULL;
	stop->list = NULL;
	if (stop->is_built)
		candidate_free(&stop->candidate);
	stop->is_built = false;
	err_clear(&stop->err);
}

/* Whether all whole designs are few enough; else which layers' are. Serially: what one takes the others lack. */
static void plan_stop(struct audit_job *job, struct audit_stop *stop)
{
	const struct audit_effort *effort = &audit_effort_table[job->explore->space->detail];
	struct candidate *candidate = &stop->candidate;
	assert(stop->is_built && stop->is_sampled);
	job->audit->n_machine++;
	uint64_t n_whole = audit_n_whole(stop);
	stop->source = SOURCE_SAMPLE;
	if (n_whole <= effort->max_whole && n_whole <= job->whole_left) {
		stop->source = SOURCE_WHOLE;
		stop->n_whole = n_whole;
		job->whole_left -= n_whole;
		job->audit->n_machine_whole++;
		return;
	}
	for (size_t i = 0; i < candidate->n_task && job->audit->claims && !job->search->flat; i++) {
		uint64_t size = candidate->task[i].size;
		if (!candidate_is_reachable(candidate, i))
			continue;
		stop->layer[i].is_listed = size <= effort->max_layer && size <= job->layer_left;
		job->layer_left -= stop->layer[i].is_listed ? size : 0;
		job->audit->n_layer_large += !stop->layer[i].is_listed;
		if (stop->layer[i].is_listed)
			pareto_init(&stop->layer[i].front, candidate->task[i].layer.problem.n_objective, N_LAYER_GENE);
	}
}

/* A task of one of the group's machines, or a distinct layer of it. */
struct errand {
	struct audit_job *job;
	struct audit_stop *stop;
	size_t i;
	uint64_t size;
};

static void run_layer(void *context, size_t i)
{
	const struct errand *errand = (const struct errand *)context + i;
	audit_check_layer(errand->job, errand->stop, errand->i);
}

static void run_list(void *context, size_t i)
{
	const struct errand *errand = (const struct errand *)context + i;
	audit_draw_list(errand->job, errand->stop, errand->i);
}

/* Largest first: no thread begins a long one when all others are done. */
static int compare_errands(const void *left, const void *right)
{
	const struct errand *a = left, *b = right;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	if (a->stop != b->stop)
		return a->stop < b->stop ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

/* Errands of the group: searches to be compared, or lists to be drawn. */
static size_t list_errands(struct audit_job *job, bool of_layers, struct errand *errand)
{
	size_t n = 0;
	for (size_t at = job->first; at < job->first + job->n_group; at++) {
		struct audit_stop *stop = &job->stop[at];
		if (!stop->is_sampled || stop->source != SOURCE_SAMPLE)
			continue;
		for (size_t i = 0; of_layers && i < stop->candidate.n_task; i++)
			if (stop->layer[i].is_listed)
				errand[n++] = (struct errand){job, stop, i, stop->candidate.task[i].size};
		for (size_t i = 0; !of_layers && i < job->explore->map.n_distinct; i++)
			errand[n++] = (struct errand){job, stop, i, 0};
	}
	qsort(errand, n, sizeof(*errand), compare_errands);
	return n;
}

static enum err_code collect_layers(struct audit_job *job, struct audit_stop *stop, struct err *err)
{
	for (size_t i = 0; i < stop->candidate.n_task; i++) {
		struct audit_layer *layer = &stop->layer[i];
		if (!layer->is_listed)
			continue;
		if (layer->code == ERR_INTERRUPTED)
			return ERR_OK;
		if (layer->code != ERR_OK)
			return err_add(err, layer->code, "%s", err_text(&layer->err));
		job->audit->n_layer++;
		job->audit->n_layer_design += layer->n_design;
		if (layer->differs)
			audit_note_fault(job, stop, AUDIT_LAYER, 0, "%s", layer->what);
	}
	return ERR_OK;
}

/* What the layers' brute force says, and where it says all of them, the combinations of their points. */
static enum err_code finish_layers(struct audit_job *job, struct errand *errand, struct err *err)
{
	enum err_code code = ERR_OK;
	size_t n = list_errands(job, true, errand);
	parallel_for(n, job->options->n_thread, run_layer, errand);
	for (size_t at = job->first; at < job->first + job->n_group && code == ERR_OK; at++) {
		struct audit_stop *stop = &job->stop[at];
		if (!stop->is_sampled || stop->source != SOURCE_SAMPLE || interrupt_requested())
			continue;
		code = collect_layers(job, stop, err);
		uint64_t n_combined = code == ERR_OK ? audit_list_points(stop) : 0;
		if (n_combined == 0 || n_combined > job->whole_left)
			continue;
		stop->source = SOURCE_COMBINED;
		stop->n_whole = n_combined;
		job->whole_left -= n_combined;
	}
	return code;
}

/* Samples of the machines that neither brute force serves whole. Combinations prove nothing of other designs. */
static void sample_group(struct audit_job *job, struct errand *errand)
{
	for (size_t at = job->first; at < job->first + job->n_group; at++) {
		struct audit_stop *stop = &job->stop[at];
		bool draws = stop->is_sampled && stop->source != SOURCE_WHOLE;
		stop->source = draws ? SOURCE_SAMPLE : stop->source;
		stop->n_whole = draws ? stop->n_sample : 0;
		for (size_t i = 0; draws && i < job->explore->map.n_distinct; i++) {
			free(stop->list[i].gene);
			stop->list[i] = (struct audit_list){0};
		}
	}
	size_t n = list_errands(job, false, errand);
	parallel_for(n, job->options->n_thread, run_list, errand);
	audit_judge_group(job, false);
}

enum err_code audit_work_on_group(struct audit_job *job, struct err *err)
{
	enum err_code code = ERR_OK;
	size_t n_errand = 0;
	parallel_for(job->n_group, job->options->n_thread, build_stop, job);
	for (size_t at = job->first; at < job->first + job->n_group && code == ERR_OK; at++) {
		struct audit_stop *stop = &job->stop[at];
		code = stop->code == ERR_OK ? ERR_OK : err_add(err, stop->code, "%s", err_text(&stop->err));
		if (code == ERR_OK && stop->is_sampled)
			plan_stop(job, stop);
		n_errand += stop->is_built ? stop->candidate.n_task + job->explore->map.n_distinct : 0;
	}
	if (code != ERR_OK)
		return code;
	struct errand *errand = memory_array(n_errand, sizeof(*errand));
	audit_judge_group(job, true);
	code = finish_layers(job, errand, err);
	if (code == ERR_OK) {
		audit_judge_group(job, false); /* all whole designs, or all combinations */
		sample_group(job, errand);
	}
	free(errand);
	return code;
}
