/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The genetic engine beside the exact front on every space of spaces/bench/: with
 * 2 % of the evaluations that trying every design of every layer takes, which
 * share of the exact front's hypervolume does it reach (median of N_SEED seeds,
 * reference point 1.1 times the exact front's nadir)? Fails where a median is
 * below LAYER_SHARE, or NETWORK_SHARE in spaces whose name begins with net_. Beside
 * it, with 0.2 %, the genetic engine and Pareto local search. Run it
 * from the repository root; arguments: names of spaces, all when there are none.
 */
#include "dse/search/candidate.h"
#include "dse/space/space_machine.h"
#include "dse/engine/engine_run.h"
#include "dse/search/explore.h"
#include "dse/pareto/hypervolume.h"
#include "dse/base/parallel.h"
#include "sim/base/stop.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_SEED = 11 };

/* An engine with a part of an exhaustive search's evaluations. */
struct trial {
	const struct engine_kind *engine;
	unsigned divisor;
	bool has_goal;
};

static const struct trial trial[] = {{&engine_nsga2, 50, true}, {&engine_nsga2, 500, false}, {&engine_pls, 500, false}};

static const double LAYER_SHARE = 0.99, NETWORK_SHARE = 0.97;

static const char *const bench_space[] = {
    "vgg16_conv_1",         "vgg16_conv_8",     "vgg16_fc_21",          "resnet50_conv_1",
    "resnet50_conv_sc_26",  "vgg16_conv_8_qpe", "resnet50_conv_46_qpe", "net_mlp",
    "net_resnet50_stage_3", "net_vgg16",        "net_tiny_machines"};

static void give_up(const char *what, const struct err *err)
{
	fprintf(stderr, "bench_search: %s: %s\n", what, err_text(err));
	exit(1);
}

/* The exact front: every design of every layer is evaluated, no bound is trusted; then composition. */
static void add_machine(const struct space *space, const struct layer_map *map, uint32_t machine, unsigned n_thread,
                        struct pareto *front, uint64_t *n_evaluated)
{
	struct err err = {0};
	struct layer_set *set;
	struct candidate candidate;
	char why[EXPLORE_TEXT_SIZE];
	if (layer_set_build(space, map, machine, &set, why, sizeof(why), &err) != ERR_OK ||
	    (set && candidate_init(space, set, &candidate, &err) != ERR_OK))
		give_up(space->name, &err);
	if (!set)
		return;
	for (size_t i = 0; i < candidate.n_task; i++) {
		struct candidate_task *task = &candidate.task[i];
		struct engine_options options = {.seed = 1};
		if (!candidate_is_reachable(&candidate, i))
			continue;
		if (engine_run(&(struct engine_search){.kind = &engine_exhaustive,
		                                       .problem = &task->layer.problem,
		                                       .options = &options,
		                                       .n_thread = n_thread,
		                                       .archive = &task->front,
		                                       .counts = &task->counts},
		               &err) != ERR_OK)
			give_up(space->name, &err);
		*n_evaluated += task->counts.n_told;
	}
	if (candidate_name_points(&candidate, &err) != ERR_OK)
		give_up(space->name, &err);
	for (size_t i = 0; i < map->n_network; i++)
		candidate_compose_network(&candidate, i);
	if (candidate_compose_total(&candidate, &err) != ERR_OK)
		give_up(space->name, &err);
	for (size_t i = 0; i < candidate.total.n; i++) {
		double metric[N_METRIC], objective[SPACE_MAX_OBJECTIVE];
		enum metric broken;
		candidate_metrics(&candidate, i, metric);
		if (candidate_objectives(space, metric, objective, &broken))
			(void)pareto_insert(front, objective, NULL, 0);
	}
	candidate_free(&candidate);
}

static void set_reference(const struct pareto *front, double *reference)
{
	for (unsigned k = 0; k < front->n_objective; k++) {
		double nadir = 0.0;
		for (size_t i = 0; i < front->n; i++)
			nadir = fmax(nadir, front->objective[i * front->n_objective + k]);
		reference[k] = 1.1 * nadir;
	}
}

static double volume_of(const struct pareto *front, const double *reference)
{
	double volume = 0.0;
	if (front->n > 0 && !hypervolume(front->objective, front->n, front->n_objective, reference, &volume)) {
		fprintf(stderr, "bench_search: out of memory\n");
		exit(1);
	}
	return volume;
}

static int compare(const void *left, const void *right)
{
	const double *a = left, *b = right;
	return *a < *b ? -1 : *a > *b;
}

/* Volumes of the fronts of all seeds, in ascending order; the most evaluations that one took. */
static uint64_t run_seeds(const char *path, const struct space *space, const struct engine_kind *engine,
                          uint64_t budget, unsigned n_thread, const double *reference, double *volume)
{
	struct err err = {0};
	uint64_t n_most = 0;
	for (unsigned seed = 0; seed < N_SEED; seed++) {
		struct explore explore;
		struct explore_options options = {
		    .engine = engine, .n_thread = n_thread, .seed = seed + 1, .max_evaluation = budget};
		if (explore_run(space, &options, &explore, &err) != ERR_OK)
			give_up(path, &err);
		volume[seed] = volume_of(&explore.front, reference);
		uint64_t n = explore.counts.engine.n_told;
		n_most = n > n_most ? n : n_most;
		explore_free(&explore);
	}
	qsort(volume, N_SEED, sizeof(*volume), compare);
	return n_most;
}

/* Returns whether the space's median reaches its goal. */
static bool bench_one(const char *name, unsigned n_thread)
{
	struct space space;
	struct layer_map map;
	struct pareto exact;
	struct err err = {0};
	char path[256];
	uint64_t n_exhaustive = 0, start_ms = stop_now_ms();
	bool reached = true;
	double share[N_SEED], reference[SPACE_MAX_OBJECTIVE];
	(void)snprintf(path, sizeof(path), "spaces/bench/%s.yaml", name);
	if (space_read(path, &space, &err) != ERR_OK || layer_map_build(&space, &map, &err) != ERR_OK)
		give_up(path, &err);
	pareto_init(&exact, (unsigned)space.n_objective, 0);
	for (uint64_t i = 0; i < space_n_machine(&space); i++)
		add_machine(&space, &map, (uint32_t)i, n_thread, &exact, &n_exhaustive);
	set_reference(&exact, reference);
	double volume = volume_of(&exact, reference);
	uint64_t exhaustive_ms = stop_now_ms() - start_ms;
	for (size_t i = 0; i < sizeof(trial) / sizeof(*trial); i++) {
		uint64_t budget = n_exhaustive / trial[i].divisor;
		uint64_t n_most = run_seeds(path, &space, trial[i].engine, budget, n_thread, reference, share);
		double goal = !trial[i].has_goal ? 0.0 : strncmp(name, "net_", 4) == 0 ? NETWORK_SHARE : LAYER_SHARE;
		bool reaches = share[N_SEED / 2] / volume >= goal && n_most <= budget;
		printf("%-21s %11" PRIu64 " %8.2f %6zu  %-6s %9" PRIu64 " %6.2f %8.3f %8.3f %8.3f  %s\n", name,
		       n_exhaustive, 1e-3 * (double)exhaustive_ms, exact.n, trial[i].engine->name, n_most,
		       100.0 * (double)n_most / (double)n_exhaustive, 100.0 * share[0] / volume,
		       100.0 * share[N_SEED / 2] / volume, 100.0 * share[N_SEED - 1] / volume,
		       goal == 0.0 ? ""
		       : reaches   ? "reached"
		                   : "MISSED");
		fflush(stdout);
		reached &= reaches;
	}
	pareto_free(&exact);
	layer_map_free(&map);
	space_free(&space);
	return reached;
}

int main(int argc, char **argv)
{
	bool reached = true;
	unsigned n_thread = parallel_n_thread(0);
	printf("Genetic and local search with 2 %% and 0.2 %% of the evaluations of an exhaustive search; hypervolume "
	       "as %% "
	       "of the exact front's, %d seeds\n",
	       N_SEED);
	printf("%-21s %11s %8s %6s  %-6s %9s %6s %8s %8s %8s\n", "space", "exhaustive", "s", "front", "engine",
	       "evaluated", "%", "worst", "median", "best");
	for (size_t i = 0; argc == 1 && i < sizeof(bench_space) / sizeof(*bench_space); i++)
		reached &= bench_one(bench_space[i], n_thread);
	for (int i = 1; i < argc; i++)
		reached &= bench_one(argv[i], n_thread);
	return reached ? 0 : 1;
}
