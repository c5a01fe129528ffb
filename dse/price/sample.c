/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/price/sample.h"
#include "dse/base/parallel.h"
#include "dse/bound/deadline.h"
#include "dse/pareto/nondominated.h"
#include "dse/price/price_parts.h"
#include "dse/price/sample_parts.h"
#include "dse/space/area_trust.h"
#include "dse/space/space_goals.h"
#include "dse/space/space_machine.h"
#include "sim/base/checked.h"
#include "sim/base/rng.h"
#include "sim/base/stop.h"
#include "sim/base/unit.h"
#include "sim/machine/energy.h"
#include "sim/machine/machine_param.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All designs of a machine's layers are priced where there are no more. */
#define ALL_LAYER_DESIGNS 50000
/* Points of a state's front in a composition whose sample is one of many, and of one that stands for itself. */
#define SOME_MAX_FRONT 256
#define ALL_MAX_FRONT 4096
/* Samples that are composed where not all are: the file's own coefficients and these. */
#define N_COMPOSED 12
/* What composing every sample may take: pairs weighed, and points kept. */
#define ALL_MAX_PAIRS (UINT64_C(1) << 28)
#define ALL_MAX_POINTS (UINT64_C(1) << 20)

/* ---- coefficients ---------------------------------------------------------------------------------------- */

enum err_code sample_check(const struct space *space, struct err *err)
{
	const char *what = NULL;
	if (space->deadline_ms > 0 && space_metric_limit(space, METRIC_ENERGY) < (double)INFINITY)
		what = "deadline_ms and a limit on energy_mj: what sleep leaves of it depends on them";
	else if (space_has_objective(space, METRIC_PEAK_POWER) ||
	         space_metric_limit(space, METRIC_PEAK_POWER) < (double)INFINITY)
		what = "peak_power_mw: which step takes most depends on them";
	return what ? err_add(err, ERR_INPUT, "%s: coefficients cannot be sampled with %s", space->file[0].path, what)
	            : ERR_OK;
}

static bool is_axis(const struct space *space, const char *key)
{
	for (size_t i = 0; i < space->n_axis; i++)
		if (strcmp(space->axis[i].param->key, key) == 0)
			return true;
	return false;
}

static void set_coefficient(struct machine *machine, const struct coefficient *coefficient, double value)
{
	if (coefficient->level == UINT32_MAX) {
		const struct machine_param *param = machine_find_param(coefficient->key);
		*(double *)(void *)((char *)machine + param->offset) = value;
		return;
	}
	for (size_t i = 0; i < machine_n_level_param; i++)
		if (strcmp(level_param[i].key, coefficient->key) == 0)
			*(double *)(void *)((char *)&machine->level[coefficient->level] + level_param[i].offset) =
			    value;
}

/* Areas, too, each coefficient by itself; deviates above those of energies. */
static void draw_areas(const struct space *space, size_t file, uint64_t seed, uint32_t sample, struct machine *machine)
{
	struct area_part part[AREA_N_PART];
	area_parts(machine, &space->machine_sources[file], part);
	for (uint32_t i = 0; i < AREA_N_PART; i++) {
		struct rng rng = rng_stream(seed, sample, ((uint32_t)file + 1) * COEFFICIENT_MAX_DEVIATE - 1 - i);
		double at = rng_unit(&rng), mm2 = part[i].least_mm2 + at * (part[i].most_mm2 - part[i].least_mm2);
		const struct machine_param *param = machine_find_param(part[i].key);
		if (part[i].mm2 > 0 && !is_axis(space, part[i].key))
			*(double *)(void *)((char *)machine + param->offset) *= mm2 / part[i].mm2;
	}
}

void sample_draw(const struct space *space, size_t file, uint64_t seed, uint32_t sample, struct machine *machine)
{
	const struct machine given = *machine;
	struct energy_use unused;
	struct coefficient coefficient;
	for (size_t i = 0;
	     coefficient_at(&given, &space->machine_sources[file], UINT32_MAX, DETAIL_FAST, i, &coefficient); i++) {
		if (!energy_use_find(&unused, coefficient.key, coefficient.level) || is_axis(space, coefficient.key))
			continue;
		struct rng rng =
		    rng_stream(seed, sample, (uint32_t)file * COEFFICIENT_MAX_DEVIATE + coefficient.deviate);
		double at = rng_unit(&rng);
		set_coefficient(machine, &coefficient, coefficient.least + at * (coefficient.most - coefficient.least));
	}
	draw_areas(space, file, seed, sample, machine);
}

/* ---- one machine ----------------------------------------------------------------------------------------- */

struct machine_job {
	const struct explore *explore;
	const struct sample_options *options;
	struct price_machine own; /* its candidate; nothing is listed */
	size_t file;
	struct machine given; /* as the file has it */
	bool has_all_layers;
	size_t n, n_alloc;              /* designs of layers */
	struct unrolled_design *design; /* [n] by task, in the fast tier */
	uint32_t (*gene)[N_LAYER_GENE]; /* [n] of the task's problem */
	size_t *first;                  /* [n_task + 1] */
	struct key_table known;         /* distinct layer and genes of the whole, by index */
	bool is_all_composed;
	uint64_t n_pair; /* of the first composition */
	double epsilon;
	size_t n_whole, n_whole_alloc;
	struct sample_whole *whole; /* [n_whole] */
	size_t *end;                /* [n_sample + 1] where all are composed: whole designs of each sample end */
	struct unrolled point;
	enum err_code code;
	struct err err;
};

static bool fail(struct machine_job *job)
{
	job->code = err_add(&job->err, ERR_INTERNAL, "out of memory for samples of coefficients");
	return false;
}

/* A row more. */
static bool add_design(struct machine_job *job, size_t task, size_t distinct, const uint32_t *gene)
{
	const struct candidate *candidate = &job->own.candidate;
	uint32_t key[1 + N_LAYER_GENE], number;
	bool is_new;
	if (job->n == job->n_alloc) {
		size_t n = 2 * job->n_alloc + 64;
		struct unrolled_design *design = realloc(job->design, n * sizeof(*design));
		job->design = design ? design : job->design;
		uint32_t(*all)[N_LAYER_GENE] = realloc(job->gene, n * sizeof(*all));
		job->gene = all ? all : job->gene;
		if (!design || !all)
			return fail(job);
		job->n_alloc = n;
	}
	struct unrolled_design *own = &job->design[job->n];
	*own = (struct unrolled_design){.machine_index = candidate->set->machine_index, .distinct = (uint32_t)distinct};
	candidate_widen(candidate, distinct, task, gene, own->gene);
	key[0] = (uint32_t)distinct;
	memcpy(key + 1, own->gene, sizeof(own->gene));
	if (!key_table_add(&job->known, key, &number, &is_new))
		return fail(job);
	if (is_new)
		memcpy(job->gene[job->n++], gene, sizeof(*job->gene));
	return true;
}

/* Those that run, energies over a limit included. */
static bool add_all_of(struct machine_job *job, size_t task, size_t distinct)
{
	const struct layer_problem *layer = &job->own.candidate.task[task].layer;
	uint32_t gene[N_LAYER_GENE] = {0};
	bool done = true;
	for (size_t at = 0; at < N_LAYER_GENE && done && !stop_requested(NULL);) {
		struct evaluation evaluation;
		layer_problem_evaluate(layer, gene, 1, &evaluation);
		if (!(evaluation.violation > 0) || evaluation.reason == N_VERDICT + METRIC_ENERGY)
			done = add_design(job, task, distinct, gene);
		for (at = 0; at < N_LAYER_GENE && ++gene[at] == layer->n_value[at]; at++)
			gene[at] = 0;
	}
	return done;
}

static bool list_designs(struct machine_job *job)
{
	const struct candidate *candidate = &job->own.candidate;
	uint64_t n_all = 0;
	job->known = (struct key_table){.n_word = 1 + N_LAYER_GENE};
	job->first = calloc(candidate->n_task + 1, sizeof(*job->first));
	if (!job->first)
		return fail(job);
	for (size_t i = 0; i < candidate->n_task; i++) {
		uint64_t n = 1;
		for (size_t k = 0; k < N_LAYER_GENE; k++)
			n = mul_sat(n, candidate->task[i].layer.n_value[k]);
		n_all = add_sat(n_all, candidate_is_reachable(candidate, i) ? n : 0);
	}
	job->has_all_layers = n_all <= ALL_LAYER_DESIGNS;
	size_t distinct = 0;
	for (size_t i = 0; i < candidate->n_task; i++) {
		const struct pareto *front = &candidate->task[i].front;
		while (i >= candidate->first_task[distinct + 1])
			distinct++;
		job->first[i] = job->n;
		if (job->has_all_layers && candidate_is_reachable(candidate, i)) {
			if (!add_all_of(job, i, distinct))
				return false;
		} else {
			for (size_t k = 0; k < front->n; k++)
				if (!add_design(job, i, distinct, front->genome + k * N_LAYER_GENE))
					return false;
		}
	}
	job->first[candidate->n_task] = job->n;
	return true;
}

/* The layers' fronts at a machine's coefficients. */
static bool fill_fronts(struct machine_job *job, const struct energy_use *value)
{
	struct candidate *candidate = &job->own.candidate;
	for (size_t task = 0; task < candidate->n_task; task++) {
		struct pareto *front = &candidate->task[task].front;
		unsigned n_objective = front->n_objective;
		pareto_free(front);
		pareto_init(front, n_objective, N_LAYER_GENE);
		for (size_t i = job->first[task]; i < job->first[task + 1]; i++) {
			double metric[N_METRIC], internal[PARETO_MAX_OBJECTIVE];
			memcpy(metric, job->design[i].metric, sizeof(metric));
			metric[METRIC_ENERGY] = energy_use_pj(&job->design[i].use, value) * MJ_PER_PJ;
			metric_derive(metric);
			if (price_value(&job->own, task, metric, internal))
				(void)pareto_insert(front, internal, job->gene[i], 0);
			if (front->n > 0 && front->n_alloc == 0)
				return fail(job);
		}
		pareto_sort(front);
	}
	return true;
}

static bool add_whole(struct machine_job *job)
{
	const struct layer_map *map = &job->explore->map;
	if (job->n_whole == job->n_whole_alloc) {
		size_t n = 2 * job->n_whole_alloc + 64;
		struct sample_whole *whole = realloc(job->whole, n * sizeof(*whole));
		if (!whole)
			return fail(job);
		job->whole = whole;
		job->n_whole_alloc = n;
	}
	struct sample_whole *whole = &job->whole[job->n_whole];
	whole->part = calloc(sample_n_part(job->explore->space), sizeof(*whole->part));
	if (!whole->part)
		return fail(job);
	job->n_whole++;
	unroll_sum(job->explore->space, map, &job->point);
	sample_take_whole(job->explore->space, map, &job->point, whole);
	return true;
}

/* The composed designs. */
static bool take_wholes(struct machine_job *job)
{
	const struct candidate *candidate = &job->own.candidate;
	const struct layer_map *map = &job->explore->map;
	uint32_t *genome = calloc(genome_size(map), sizeof(*genome));
	bool done = genome || fail(job);
	for (size_t i = 0; i < candidate->total.n && done; i++) {
		candidate_genome(candidate, i, genome);
		for (size_t k = 0; k < map->n_block; k++) {
			uint32_t key[1 + N_LAYER_GENE];
			key[0] = map->distinct[k];
			memcpy(key + 1, genome + 1 + k * N_LAYER_GENE, N_LAYER_GENE * sizeof(*key));
			job->point.layer[k] = &job->design[key_table_find(&job->known, key)];
		}
		done = add_whole(job);
	}
	free(genome);
	return done;
}

/* Compose at a sample; sample UINT32_MAX: at the file's coefficients. */
static bool compose_at(struct machine_job *job, uint32_t sample, size_t max_front)
{
	struct candidate *candidate = &job->own.candidate;
	struct machine *machine = &candidate->set->machine;
	struct energy_use value;
	*machine = job->given;
	if (sample != UINT32_MAX)
		sample_draw(job->explore->space, job->file, job->options->seed, sample, machine);
	energy_use_values(machine, &value);
	candidate->max_front = max_front;
	if (!fill_fronts(job, &value))
		return false;
	job->code = candidate_name_points(candidate, &job->err);
	if (job->code == ERR_OK)
		job->code = candidate_compose_once(candidate, &job->err);
	if (job->code == ERR_OK)
		job->epsilon = fmax(job->epsilon, candidate_epsilon(candidate));
	*machine = job->given;
	return job->code == ERR_OK;
}

static void open_machine(void *context, size_t i)
{
	struct machine_job *job = (struct machine_job *)context + i;
	const struct explore *explore = job->explore;
	const struct detail_options detail = {.detail = DETAIL_FAST, .n_thread = 1};
	job->code = price_open(explore, &explore->kept[i], &job->own, &job->err);
	if (job->code != ERR_OK)
		return;
	struct candidate *candidate = &job->own.candidate;
	job->given = candidate->set->machine;
	job->file = space_machine_file(explore->space, candidate->set->machine_index);
	job->code = unrolled_init(&explore->map, &job->point, &job->err);
	job->point.machine_index = candidate->set->machine_index;
	job->point.machine = &job->given;
	if (job->code == ERR_OK && list_designs(job) && job->n > 0)
		job->code = unroll_run(candidate->set, job->design, job->n, &detail, &job->err);
	if (job->code == ERR_OK && compose_at(job, UINT32_MAX, SOME_MAX_FRONT))
		job->n_pair = candidate->n_composed;
}

static void compose_some(void *context, size_t i)
{
	struct machine_job *job = (struct machine_job *)context + i;
	bool done = take_wholes(job); /* of the file's coefficients */
	for (uint32_t s = 0; s < N_COMPOSED && s < job->options->n_sample && done && !stop_requested(NULL); s++)
		done = compose_at(job, s, SOME_MAX_FRONT) && take_wholes(job);
}

static void compose_all(void *context, size_t i)
{
	struct machine_job *job = (struct machine_job *)context + i;
	uint32_t n = job->options->n_sample;
	job->end = calloc((size_t)n + 1, sizeof(*job->end));
	bool done = job->end || fail(job);
	for (uint32_t s = 0; s < n && done && !stop_requested(NULL); s++) {
		done = compose_at(job, s, ALL_MAX_FRONT) && take_wholes(job);
		job->end[s + 1] = job->n_whole;
	}
}

static void close_machine(struct machine_job *job)
{
	if (job->own.is_open)
		price_machine_free(&job->own);
	unrolled_free(&job->point);
	key_table_free(&job->known);
	free(job->design);
	free(job->gene);
	free(job->first);
	for (size_t i = 0; i < job->n_whole; i++)
		free(job->whole[i].part);
	free(job->whole);
	free(job->end);
	err_clear(&job->err);
}

/* ---- all machines ---------------------------------------------------------------------------------------- */

struct samples {
	const struct explore *explore;
	struct sampled *sampled;
	struct machine_job *job; /* [n_machine] */
	bool failed;
};

size_t sample_n_part(const struct space *space)
{
	return space_aggregate_op(space, METRIC_ENERGY) == COMPOSE_MAX ? space->n_network : 1;
}

void sample_take_whole(const struct space *space, const struct layer_map *map, const struct unrolled *point,
                       struct sample_whole *whole)
{
	size_t n_part = sample_n_part(space);
	memcpy(whole->metric, point->metric, sizeof(whole->metric));
	memset(whole->part, 0, n_part * sizeof(*whole->part));
	for (size_t i = 0; i < map->n_network; i++) {
		struct sample_part *part = &whole->part[n_part > 1 ? i : 0];
		double rest_ms = fmax(0, space->deadline_ms - point->network[i][METRIC_LATENCY]);
		unroll_add_network_use(space, map, point, i, &part->use);
		part->asleep_ms += space_network_weight(space, i) * rest_ms;
	}
	for (size_t i = 0; i < n_part; i++)
		energy_use_add_static(point->machine, energy_sleep_level(point->machine),
		                      -whole->part[i].asleep_ms * NS_PER_MS, &whole->part[i].use);
}

bool sample_price(const struct space *space, const struct machine *machine, const struct energy_use *value,
                  const struct sample_whole *whole, double *objective)
{
	double metric[N_METRIC];
	enum metric broken;
	memcpy(metric, whole->metric, sizeof(metric));
	metric[METRIC_ENERGY] = 0;
	for (size_t i = 0; i < sample_n_part(space); i++)
		metric[METRIC_ENERGY] =
		    fmax(metric[METRIC_ENERGY], energy_use_pj(&whole->part[i].use, value) * MJ_PER_PJ +
		                                    deadline_asleep_mj(space, machine, whole->part[i].asleep_ms));
	metric_of_machine(machine, metric);
	metric_derive(metric);
	return candidate_objectives(space, metric, objective, &broken);
}

/* Designs of a machine that a sample looks at. */
static size_t begin_of(const struct machine_job *job, uint32_t sample)
{
	return job->end ? job->end[sample] : 0;
}

static size_t end_of(const struct machine_job *job, uint32_t sample)
{
	return job->end ? job->end[sample + 1] : job->n_whole;
}

static void judge_sample(void *context, size_t s)
{
	struct samples *samples = context;
	struct sampled *sampled = samples->sampled;
	const struct space *space = samples->explore->space;
	const unsigned n_objective = (unsigned)space->n_objective;
	size_t n_all = 1, n = 0, n_kept;
	if (stop_requested(NULL))
		return;
	for (size_t m = 0; m < sampled->n_machine; m++)
		n_all += end_of(&samples->job[m], (uint32_t)s) - begin_of(&samples->job[m], (uint32_t)s);
	double *objective = calloc(n_all * n_objective, sizeof(*objective));
	size_t *machine_of = calloc(n_all, sizeof(*machine_of));
	bool *keep = calloc(n_all, sizeof(*keep));
	bool done = objective && machine_of && keep;
	for (size_t m = 0; m < sampled->n_machine && done; m++) {
		const struct machine_job *job = &samples->job[m];
		struct machine machine = job->given;
		struct energy_use value;
		sample_draw(space, job->file, sampled->options.seed, (uint32_t)s, &machine);
		energy_use_values(&machine, &value);
		for (size_t i = begin_of(job, (uint32_t)s); i < end_of(job, (uint32_t)s); i++) {
			machine_of[n] = m;
			n += sample_price(space, &machine, &value, &job->whole[i], objective + n * n_objective);
		}
	}
	done = done && nondominated_filter(objective, n, n_objective, keep, &n_kept);
	for (size_t i = 0; i < n && done; i++)
		if (keep[i])
			sampled->is_on_front[s * sampled->n_machine + machine_of[i]] = true;
	if (!done)
		samples->failed = true;
	free(objective);
	free(machine_of);
	free(keep);
}

static enum err_code first_failure(const struct machine_job *job, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (job[i].code != ERR_OK)
			return err_add(err, job[i].code, "%s", err_text(&job[i].err));
	return ERR_OK;
}

/* Compose every sample where that takes little, else some. */
static void compose_samples(struct sampled *sampled, struct machine_job *job)
{
	uint64_t n_pair = 0, n_point = 0;
	bool is_thinned = false;
	for (size_t i = 0; i < sampled->n_machine; i++) {
		n_pair = add_sat(n_pair, job[i].n_pair);
		n_point = add_sat(n_point, job[i].own.candidate.total.n);
		is_thinned |= job[i].epsilon > 0;
	}
	uint32_t n = sampled->options.n_sample;
	sampled->is_all_composed =
	    !is_thinned && mul_sat(n_pair, n) <= ALL_MAX_PAIRS && mul_sat(n_point, n) <= ALL_MAX_POINTS;
	sampled->n_composed = sampled->is_all_composed || n < N_COMPOSED ? n : N_COMPOSED;
	parallel_for(sampled->n_machine, sampled->options.n_thread,
	             sampled->is_all_composed ? compose_all : compose_some, job);
	sampled->has_all_layers = true;
	for (size_t i = 0; i < sampled->n_machine; i++) {
		sampled->has_all_layers &= job[i].has_all_layers;
		sampled->n_layer_design += job[i].n;
		sampled->n_whole += job[i].n_whole;
		sampled->epsilon = fmax(sampled->epsilon, job[i].epsilon);
	}
	sampled->is_all_composed &= !(sampled->epsilon > 0);
}

enum err_code sample_machines(const struct explore *explore, const struct sample_options *options,
                              struct sampled *sampled, struct err *err)
{
	assert(explore && options && options->n_sample > 0 && explore->space->detail == DETAIL_FAST);
	uint64_t start_ms = stop_now_ms();
	size_t n = explore->n_kept;
	*sampled = (struct sampled){.options = *options, .n_machine = n};
	struct machine_job *job = calloc(n + 1, sizeof(*job));
	sampled->machine_index = calloc(n + 1, sizeof(*sampled->machine_index));
	sampled->is_on_front = calloc(n * options->n_sample + 1, sizeof(*sampled->is_on_front));
	enum err_code code = ERR_OK;
	if (!job || !sampled->machine_index || !sampled->is_on_front)
		code = err_add(err, ERR_INTERNAL, "out of memory for samples of coefficients");
	for (size_t i = 0; i < n && code == ERR_OK; i++) {
		job[i].explore = explore;
		job[i].options = options;
		sampled->machine_index[i] = explore->kept[i].machine_index;
	}
	if (code == ERR_OK) {
		parallel_for(n, options->n_thread, open_machine, job);
		code = first_failure(job, n, err);
	}
	if (code == ERR_OK) {
		compose_samples(sampled, job);
		code = first_failure(job, n, err);
	}
	if (code == ERR_OK && !stop_requested(NULL)) {
		struct samples samples = {explore, sampled, job, false};
		parallel_for(options->n_sample, options->n_thread, judge_sample, &samples);
		if (samples.failed)
			code = err_add(err, ERR_INTERNAL, "out of memory for samples of coefficients");
	}
	for (size_t i = 0; i < n && job; i++)
		close_machine(&job[i]);
	free(job);
	sampled->is_interrupted = stop_requested(NULL);
	sampled->seconds = (double)(stop_now_ms() - start_ms) / 1000.0;
	return code;
}

double sample_machine_share(const struct sampled *sampled, size_t i)
{
	size_t n = 0;
	for (size_t s = 0; s < sampled->options.n_sample; s++)
		n += sampled->is_on_front[s * sampled->n_machine + i];
	return (double)n / sampled->options.n_sample;
}

void sample_free(struct sampled *sampled)
{
	free(sampled->machine_index);
	free(sampled->is_on_front);
	free(sampled->point);
	*sampled = (struct sampled){0};
}
