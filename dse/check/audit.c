/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/check/audit_parts.h"
#include "dse/space/space_machine.h"
#include "dse/base/interrupt.h"
#include "dse/base/memory.h"
#include "dse/out/progress.h"
#include "sim/base/rng.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <stdlib.h>

/* Machines worked on at a time: their sets and lists are in memory. */
#define MAX_GROUP 8
/* Machines whose designs are looked at in a space of more: some of the front, some beside those, some from anywhere. */
#define MAX_SAMPLED 64
#define MAX_OF_FRONT 32
#define N_BESIDE 16
#define TRIES_A_MACHINE 64
#define DRAW_MACHINE 3 /* generation of random streams; audit_sample.c has those of designs */

/*
 * For seconds on two cores: a layer design costs the fast tier about a microsecond, the event tier milliseconds, and a
 * whole design has tens of layers.
 */
const struct audit_effort audit_effort_table[N_DETAIL] = {
    [DETAIL_FAST] = {100000, 1000000, 10000000, 40000000},
    [DETAIL_EVENT] = {100, 500, 500, 2000},
    [DETAIL_GREYBOX] = {100000, 1000000, 10000000, 40000000},
};

/* Another value of one axis, or another base machine. */
static uint64_t draw_beside(const struct space *space, uint64_t index, struct rng *rng)
{
	size_t changed = rng_below(rng, (uint32_t)space->n_axis + 1);
	uint64_t below = 1;
	for (size_t i = space->n_axis; i-- > changed;)
		below *= space->axis[i].n;
	uint64_t n = changed > 0 ? space->axis[changed - 1].n : space->n_machine;
	uint64_t own = index / below % n;
	return index + (rng_below(rng, (uint32_t)n) - own) * below;
}

/* Fronts are sorted by objectives; the audit goes machine by machine. */
struct order {
	uint32_t machine_index;
	size_t point;
};

static int compare_orders(const void *left, const void *right)
{
	const struct order *a = left, *b = right;
	if (a->machine_index != b->machine_index)
		return a->machine_index < b->machine_index ? -1 : 1;
	return a->point < b->point ? -1 : a->point > b->point;
}

/* by_machine, and a stop for each machine of the front. */
static void list_front_machines(struct audit_job *job)
{
	const struct pareto *front = &job->explore->front;
	struct order *order = memory_array(front->n, sizeof(*order));
	job->by_machine = memory_array(front->n, sizeof(*job->by_machine));
	job->stop = memory_array(front->n + MAX_SAMPLED, sizeof(*job->stop));
	for (size_t i = 0; i < front->n; i++)
		order[i] = (struct order){front->genome[i * front->n_gene], i};
	qsort(order, front->n, sizeof(*order), compare_orders);
	for (size_t i = 0; i < front->n; i++) {
		job->by_machine[i] = order[i].point;
		if (i == 0 || order[i].machine_index != order[i - 1].machine_index)
			job->stop[job->n_stop++] =
			    (struct audit_stop){.machine_index = order[i].machine_index, .first_point = i};
		job->stop[job->n_stop - 1].n_point++;
	}
	free(order);
}

static bool is_accepted(const struct space *space, uint64_t index)
{
	struct machine machine;
	char why[EXPLORE_TEXT_SIZE];
	return index <= UINT32_MAX && space_machine(space, index, &machine, why, sizeof(why));
}

/* One more machine, unless the constraints refuse all that are tried. */
static void draw_machine(struct audit_job *job, size_t n_of_front, size_t i)
{
	const struct space *space = job->explore->space;
	uint64_t n_machine = job->explore->counts.n_machine;
	struct rng rng = rng_stream(job->options->seed, DRAW_MACHINE, (uint32_t)i);
	for (unsigned try = 0; try < TRIES_A_MACHINE; try++) {
		bool is_beside = i < N_BESIDE && n_of_front > 0;
		uint64_t index =
		    is_beside ? draw_beside(space, job->stop[rng_below(&rng, (uint32_t)n_of_front)].machine_index, &rng)
			      : (uint64_t)(rng_unit(&rng) * (double)n_machine);
		assert(index < n_machine);
		if (!is_accepted(space, index))
			continue;
		job->stop[job->n_stop++] = (struct audit_stop){.machine_index = (uint32_t)index, .is_sampled = true};
		return;
	}
}

/* Points before none, so that a machine that was drawn and is on the front is the front's. */
static int compare_stops(const void *left, const void *right)
{
	const struct audit_stop *a = left, *b = right;
	if (a->machine_index != b->machine_index)
		return a->machine_index < b->machine_index ? -1 : 1;
	return a->n_point > b->n_point ? -1 : a->n_point < b->n_point;
}

/* Sort; of stops at the same machine the first stays. */
static void unite_stops(struct audit_job *job)
{
	size_t n = 0;
	qsort(job->stop, job->n_stop, sizeof(*job->stop), compare_stops);
	for (size_t i = 0; i < job->n_stop; i++) {
		if (n > 0 && job->stop[n - 1].machine_index == job->stop[i].machine_index)
			job->stop[n - 1].is_sampled |= job->stop[i].is_sampled;
		else
			job->stop[n++] = job->stop[i];
	}
	job->n_stop = n;
}

static void choose_machines(struct audit_job *job)
{
	uint64_t n_machine = job->explore->counts.n_machine, n_sampled = 0, ordinal = 0;
	list_front_machines(job);
	size_t n_of_front = job->n_stop;
	/* every machine, or some of the front, evenly */
	for (size_t i = 0; i < n_of_front; i++)
		job->stop[i].is_sampled = n_machine <= MAX_SAMPLED || n_of_front <= MAX_OF_FRONT ||
		                          i * MAX_OF_FRONT / n_of_front != (i + 1) * MAX_OF_FRONT / n_of_front;
	for (uint64_t i = 0; i < n_machine && n_machine <= MAX_SAMPLED; i++)
		if (is_accepted(job->explore->space, i))
			job->stop[job->n_stop++] =
			    (struct audit_stop){.machine_index = (uint32_t)i, .is_sampled = true};
	for (size_t i = 0; i < MAX_SAMPLED - MAX_OF_FRONT && n_machine > MAX_SAMPLED; i++)
		draw_machine(job, n_of_front, i);
	unite_stops(job);
	for (size_t i = 0; i < job->n_stop; i++)
		n_sampled += job->stop[i].is_sampled;
	uint64_t n_sample = job->options->n_sample > 0 ? job->options->n_sample
	                                               : audit_effort_table[job->explore->space->detail].n_sample;
	for (size_t i = 0; i < job->n_stop; i++) {
		job->stop[i].ordinal = i;
		if (job->stop[i].is_sampled)
			job->stop[i].n_sample = n_sample / n_sampled + (ordinal++ < n_sample % n_sampled);
	}
}

static enum err_code run_groups(struct audit_job *job, struct err *err)
{
	struct progress progress;
	enum err_code code = ERR_OK;
	progress_start(&progress, job->options->show_progress);
	for (job->first = 0; job->first < job->n_stop && code == ERR_OK && !interrupt_requested();
	     job->first += job->n_group) {
		char what[64];
		job->n_group = job->n_stop - job->first < MAX_GROUP ? job->n_stop - job->first : MAX_GROUP;
		(void)snprintf(what, sizeof(what), "audit, machine %zu of %zu", job->first + 1, job->n_stop);
		progress_update(&progress, (double)job->first / (double)job->n_stop, what);
		code = audit_work_on_group(job, err);
		for (size_t i = 0; i < job->n_group; i++)
			audit_free_stop(&job->stop[job->first + i]);
	}
	progress_end(&progress);
	return code;
}

enum err_code audit_run(const struct explore *explore, const struct explore_options *search,
                        const struct audit_options *options, struct audit *audit, struct err *err)
{
	assert(!explore->interrupted && options->n_thread > 0);
	const struct audit_effort *effort = &audit_effort_table[explore->space->detail];
	struct audit_job job = {.explore = explore,
	                        .search = search,
	                        .options = options,
	                        .audit = audit,
	                        .whole_left = effort->total,
	                        .layer_left = effort->total};
	uint64_t start_ms = stop_now_ms();
	*audit = (struct audit){.epsilon = explore->counts.epsilon, .n_machine_all = explore->counts.n_machine};
	audit->claims = !search->engine->is_random && !explore->truncated && explore->n_failure == 0;
	pareto_init(&audit->lacking, explore->front.n_objective, explore->front.n_gene);
	enum err_code code = whole_init(explore->space, &explore->map, &job.whole, err);
	if (code == ERR_OK) {
		choose_machines(&job);
		audit_check_order(&job);
		code = run_groups(&job, err);
	}
	audit->interrupted = interrupt_requested();
	audit->seconds = (double)(stop_now_ms() - start_ms) / 1000.0;
	whole_free(&job.whole);
	free(job.by_machine);
	free(job.stop);
	return code;
}

void audit_free(struct audit *audit)
{
	pareto_free(&audit->lacking);
	*audit = (struct audit){0};
}
