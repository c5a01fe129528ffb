/* SPDX-License-Identifier: Apache-2.0 */
/* Points and designs of a group of machines, evaluated as whole designs and set against the front. */
#include "dse/base/interrupt.h"
#include "dse/space/space_goals.h"
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "dse/check/audit_parts.h"
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 512

/* Designs first..first + n - 1 of a stop, or its points; and what came of them. */
struct audit_chunk {
	const struct audit_job *job;
	const struct audit_stop *stop;
	bool is_points;
	uint64_t first, n;
	uint64_t n_design, n_feasible, n_lacking;
	uint64_t at; /* number of the first design, or point, that is at fault; UINT64_MAX: none */
};

void audit_note_fault(struct audit_job *job, const struct audit_stop *stop, enum audit_kind kind, size_t point,
                      const char *format, ...)
{
	struct audit *audit = job->audit;
	assert(kind < AUDIT_N_KIND);
	audit->n_fault++;
	if (audit->n_listed == AUDIT_MAX_FAULT)
		return;
	struct audit_fault *fault = &audit->fault[audit->n_listed++];
	fault->kind = kind;
	fault->point = point;
	if (stop)
		explore_machine_text(job->explore->space, stop->machine_index, &stop->candidate.set->machine,
		                     fault->machine, sizeof(fault->machine));
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(fault->what, sizeof(fault->what), format, arguments);
	va_end(arguments);
}

/* Whether some point is as good as a design, as far as the search claims; *hint is tried first. */
static bool is_covered(const struct audit_job *job, const double *objective, size_t *hint)
{
	const struct pareto *front = &job->explore->front;
	unsigned width = front->n_objective;
	double bound[SPACE_MAX_OBJECTIVE];
	for (unsigned k = 0; k < width; k++)
		bound[k] = objective[k] * (1.0 + job->audit->epsilon) * (1.0 + AUDIT_SLACK);
	for (size_t i = 0; i < front->n; i++) {
		size_t at = *hint + i < front->n ? *hint + i : *hint + i - front->n;
		const double *point = front->objective + at * width;
		unsigned k = 0;
		while (k < width && point[k] <= bound[k])
			k++;
		if (k == width) {
			*hint = at;
			return true;
		}
	}
	return false;
}

/* An epsilon is stated for designs that keep all limits by as much. */
static bool keeps_limits_by(const struct space *space, const double *metric, double epsilon)
{
	for (size_t i = 0; i < space->n_limit && epsilon > 0.0; i++)
		if (metric[space->limit[i].metric] * (1.0 + epsilon) > space_limit_most(&space->limit[i]))
			return false;
	return true;
}

static bool is_lacking(const struct audit_job *job, const double *metric, const struct evaluation *result, size_t *hint)
{
	return keeps_limits_by(job->explore->space, metric, job->audit->epsilon) &&
	       !is_covered(job, result->objective, hint);
}

/* The design of a point, asked for as whole_evaluate takes it. false: there is no such design. */
static bool ask_for_point(const struct audit_job *job, const struct audit_stop *stop, size_t point, uint32_t *canonical)
{
	const struct pareto *front = &job->explore->front;
	const struct layer_map *map = &job->explore->map;
	memcpy(canonical, front->genome + point * front->n_gene, front->n_gene * sizeof(*canonical));
	for (size_t block = 0; block < map->n_block; block++) {
		const struct layer_problem *layer = &stop->candidate.set->problem[map->distinct[block]];
		uint32_t *gene = canonical + 1 + block * N_LAYER_GENE;
		for (unsigned k = 0; k < N_LAYER_GENE; k++)
			if (gene[k] >= layer->n_value[k])
				return false;
		gene[GENE_PLACE] = whole_ask_for(layer, gene[GENE_PLACE]);
	}
	return true;
}

static bool is_near(double left, double right)
{
	return fabs(left - right) <= AUDIT_SLACK * fmax(fabs(left), fabs(right));
}

/* Objective in which a point is not its design; n_objective: none; SIZE_MAX: it is no design that keeps all limits. */
static size_t compare_point(const struct audit_job *job, const struct audit_stop *stop, size_t point,
                            struct whole_scratch *scratch, struct evaluation *result)
{
	const struct pareto *front = &job->explore->front;
	double metric[N_METRIC];
	if (!ask_for_point(job, stop, point, scratch->canonical))
		return SIZE_MAX;
	whole_evaluate(&job->whole, stop->candidate.set, scratch, metric, result);
	if (result->violation > 0.0 || memcmp(scratch->canonical, front->genome + point * front->n_gene,
	                                      front->n_gene * sizeof(*front->genome)) != 0)
		return SIZE_MAX;
	size_t k = 0;
	while (k < front->n_objective &&
	       is_near(front->objective[point * front->n_objective + k], result->objective[k]))
		k++;
	return k;
}

static void judge_points(struct audit_chunk *chunk, struct whole_scratch *scratch)
{
	for (uint64_t i = chunk->first; i < chunk->first + chunk->n; i++) {
		struct evaluation result;
		size_t point = chunk->job->by_machine[i];
		chunk->n_design++;
		if (compare_point(chunk->job, chunk->stop, point, scratch, &result) ==
		    chunk->job->explore->front.n_objective)
			continue;
		chunk->n_lacking++;
		chunk->at = chunk->at == UINT64_MAX ? i : chunk->at;
	}
}

static void judge_designs(struct audit_chunk *chunk, struct whole_scratch *scratch)
{
	const struct audit_job *job = chunk->job;
	size_t hint = 0;
	for (uint64_t i = chunk->first; i < chunk->first + chunk->n && !interrupt_requested(); i++) {
		double metric[N_METRIC];
		struct evaluation result;
		audit_make(job, chunk->stop, i, scratch->canonical);
		whole_evaluate(&job->whole, chunk->stop->candidate.set, scratch, metric, &result);
		if (!audit_is_as_made(job, chunk->stop, i, scratch->canonical))
			continue;
		chunk->n_design++;
		if (result.violation > 0.0)
			continue;
		chunk->n_feasible++;
		if (!is_lacking(job, metric, &result, &hint))
			continue;
		chunk->n_lacking++;
		chunk->at = chunk->at == UINT64_MAX ? i : chunk->at;
	}
}

static void judge_chunk(void *context, size_t i)
{
	struct audit_chunk *chunk = (struct audit_chunk *)context + i;
	struct whole_scratch scratch = {0};
	assert(chunk->at == UINT64_MAX && chunk->stop->is_built);
	memory_check(whole_scratch_alloc(&scratch, &chunk->job->explore->map));
	if (chunk->is_points)
		judge_points(chunk, &scratch);
	else
		judge_designs(chunk, &scratch);
	whole_scratch_free(&scratch);
}

/* ---- faults in words; serially, in the order of the chunks ---- */

static void note_point(struct audit_job *job, const struct audit_stop *stop, size_t point,
                       struct whole_scratch *scratch)
{
	const struct pareto *front = &job->explore->front;
	struct evaluation result;
	size_t k = compare_point(job, stop, point, scratch, &result);
	assert(k != front->n_objective);
	if (k == SIZE_MAX)
		audit_note_fault(job, stop, AUDIT_VALUE, point,
		                 "point %zu: is no design that runs and keeps all limits", point);
	else
		audit_note_fault(job, stop, AUDIT_VALUE, point,
		                 "point %zu: its %s is %.17g on the front, %.17g by itself", point,
		                 metric_table[job->explore->space->objective[k]].name,
		                 front->objective[point * front->n_objective + k], result.objective[k]);
}

static void note_lacking(struct audit_job *job, const struct audit_stop *stop, uint64_t number,
                         struct whole_scratch *scratch)
{
	struct audit *audit = job->audit;
	const struct space *space = job->explore->space;
	struct evaluation result;
	double metric[N_METRIC];
	char text[EXPLORE_TEXT_SIZE] = "";
	int n = 0;
	audit_make(job, stop, number, scratch->canonical);
	whole_evaluate(&job->whole, stop->candidate.set, scratch, metric, &result);
	assert(!(result.violation > 0.0));
	for (size_t k = 0; k < space->n_objective && n >= 0 && (size_t)n < sizeof(text); k++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s %.10g", k ? ", " : "",
		              metric_table[space->objective[k]].name, result.objective[k]);
	bool is_listed = audit->n_listed < AUDIT_MAX_FAULT;
	audit_note_fault(job, stop, AUDIT_LACK, audit->lacking.n, "no point is as good as a design with %s", text);
	if (is_listed)
		memory_check(pareto_append(&audit->lacking, result.objective, scratch->canonical, 0));
}

static void take_chunk(struct audit_job *job, const struct audit_chunk *chunk, struct whole_scratch *scratch)
{
	struct audit *audit = job->audit;
	uint64_t *count = chunk->is_points                         ? &audit->n_point
	                  : chunk->stop->source == SOURCE_WHOLE    ? &audit->n_whole
	                  : chunk->stop->source == SOURCE_COMBINED ? &audit->n_combined
	                                                           : &audit->n_sample;
	*count += chunk->n_design;
	audit->n_feasible += chunk->n_feasible;
	if (!chunk->is_points)
		audit->n_better += chunk->n_lacking;
	if (chunk->at == UINT64_MAX || (!chunk->is_points && !audit->claims))
		return;
	if (chunk->is_points)
		note_point(job, chunk->stop, job->by_machine[chunk->at], scratch);
	else
		note_lacking(job, chunk->stop, chunk->at, scratch);
	audit->n_fault += chunk->n_lacking - 1;
}

/* Quadratic only where there is a fault. */
void audit_check_order(struct audit_job *job)
{
	const struct pareto *front = &job->explore->front;
	struct pareto archive, batch;
	unsigned width = front->n_objective;
	pareto_init(&archive, width, front->n_gene);
	pareto_init(&batch, width, front->n_gene);
	for (size_t i = 0; i < front->n; i++)
		memory_check(pareto_append(&batch, front->objective + i * width, front->genome + i * front->n_gene, 0));
	memory_check(pareto_insert_all(&archive, &batch, 1));
	bool is_front = archive.n == front->n;
	pareto_free(&archive);
	pareto_free(&batch);
	for (size_t i = 0; i < front->n && !is_front; i++)
		for (size_t other = 0; other < front->n; other++) {
			const double *a = front->objective + other * width, *b = front->objective + i * width;
			bool is_equal = memcmp(a, b, width * sizeof(*a)) == 0;
			if (!pareto_dominates(a, b, width) && !(is_equal && other < i))
				continue;
			audit_note_fault(job, NULL, AUDIT_ORDER, i, "point %zu: point %zu is %s", i, other,
			                 is_equal ? "the same" : "nowhere worse and somewhere better");
			break;
		}
}

/* ---- chunks ---- */

static size_t list_chunks(const struct audit_job *job, bool of_points, struct audit_chunk *chunk)
{
	size_t n = 0;
	for (size_t at = job->first; at < job->first + job->n_group; at++) {
		const struct audit_stop *stop = &job->stop[at];
		uint64_t begin = of_points ? stop->first_point : 0;
		uint64_t end = of_points ? begin + stop->n_point : stop->is_sampled ? stop->n_whole : 0;
		for (; begin < end; begin += CHUNK, n++)
			if (chunk)
				chunk[n] = (struct audit_chunk){.job = job,
				                                .stop = stop,
				                                .is_points = of_points,
				                                .first = begin,
				                                .n = end - begin < CHUNK ? end - begin : CHUNK,
				                                .at = UINT64_MAX};
	}
	return n;
}

void audit_judge_group(struct audit_job *job, bool of_points)
{
	struct whole_scratch scratch = {0};
	size_t n = list_chunks(job, of_points, NULL);
	struct audit_chunk *chunk = memory_array(n, sizeof(*chunk));
	memory_check(whole_scratch_alloc(&scratch, &job->explore->map));
	(void)list_chunks(job, of_points, chunk);
	parallel_for(n, job->options->n_thread, judge_chunk, chunk);
	for (size_t i = 0; i < n && !interrupt_requested(); i++)
		take_chunk(job, &chunk[i], &scratch);
	whole_scratch_free(&scratch);
	free(chunk);
}
