/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From one thread to two on the spaces of spaces/bench/: medians of seconds and
 * their ratio, which means something on a machine with nothing else to do only;
 * and the CPU seconds of all threads, which tell what sharing costs. Fails where
 * counts or fronts differ. What does not depend on the machine's load is measured
 * by bench_span. Run it from the repository root; arguments: names of spaces, all
 * when there are none.
 */
#include "dse/explore.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_RUN = 7, N_THREAD = 2 };

/* Runs of a space: many of short ones. */
#define MIN_RUN 1
#define ENOUGH_S 1.0

static const char *const single[] = {"vgg16_conv_1",        "vgg16_conv_8",        "vgg16_fc_21",
                                     "resnet50_conv_1",     "resnet50_conv_sc_26", "vgg16_conv_8_qpe",
                                     "resnet50_conv_46_qpe"};
static const char *const network[] = {"net_mlp",           "net_resnet50_stage_3", "net_vgg16",
                                      "net_tiny_machines", "exact_vgg16",          "exact_vgg16_dram"};

struct seconds {
	double wall, cpu;
};

/* What must not depend on the threads. */
struct outcome {
	struct explore_counts counts;
	size_t n_point;
	double sum; /* of all objectives */
};

struct sum {
	double one, two, one_cpu, two_cpu;
};

static void give_up(const char *what, const struct err *err)
{
	fprintf(stderr, "bench_scaling: %s: %s\n", what, err_text(err));
	exit(1);
}

static double clock_s(clockid_t clock)
{
	struct timespec at;
	if (clock_gettime(clock, &at) != 0)
		exit(1);
	return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static struct seconds run_once(const struct space *space, const struct engine_kind *engine, unsigned n_thread,
                               struct outcome *outcome)
{
	const struct explore_options options = {.engine = engine, .n_thread = n_thread, .seed = 1};
	struct explore explore;
	struct err err = {0};
	double wall = clock_s(CLOCK_MONOTONIC), cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID);
	if (explore_run(space, &options, &explore, &err) != ERR_OK)
		give_up(space->name, &err);
	wall = clock_s(CLOCK_MONOTONIC) - wall;
	cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	*outcome = (struct outcome){.counts = explore.counts, .n_point = explore.front.n};
	for (size_t i = 0; i < explore.front.n * explore.front.n_objective; i++)
		outcome->sum += explore.front.objective[i];
	explore_free(&explore);
	return (struct seconds){wall, cpu};
}

static int compare(const void *left, const void *right)
{
	const double *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

static double median(double *value, size_t n)
{
	qsort(value, n, sizeof *value, compare);
	return n % 2 ? value[n / 2] : 0.5 * (value[n / 2 - 1] + value[n / 2]);
}

static bool same_outcome(const struct outcome *a, const struct outcome *b)
{
	return memcmp(&a->counts, &b->counts, sizeof a->counts) == 0 && a->n_point == b->n_point &&
	       !(a->sum < b->sum) && !(a->sum > b->sum);
}

/* One thread and two in turn, so that whatever else the machine does meets both. */
static bool bench_one(const char *name, const struct engine_kind *engine, struct sum *sum)
{
	char path[256];
	struct space space;
	struct err err = {0};
	double wall[N_THREAD][MAX_RUN], cpu[N_THREAD][MAX_RUN], spent_s = 0;
	struct outcome outcome[N_THREAD];
	size_t n = 0;
	bool same = true;
	(void)snprintf(path, sizeof path, "spaces/bench/%s.yaml", name);
	if (space_read(path, &space, &err) != ERR_OK)
		give_up(path, &err);
	for (; n < MAX_RUN && (n < MIN_RUN || spent_s < ENOUGH_S); n++) {
		for (unsigned k = 0; k < N_THREAD; k++) {
			struct seconds seconds = run_once(&space, engine, k + 1, &outcome[k]);
			wall[k][n] = seconds.wall;
			cpu[k][n] = seconds.cpu;
			spent_s += seconds.cpu;
		}
		same &= same_outcome(&outcome[0], &outcome[1]);
	}
	double one = median(wall[0], n), two = median(wall[1], n);
	double one_cpu = median(cpu[0], n), two_cpu = median(cpu[1], n);
	printf("%-21s %-10s %12" PRIu64 " %8.3f %8.3f %6.2f %8.3f %8.3f %6.2f %s\n", name, engine->name,
	       outcome[0].counts.engine.n_told, one, two, one / two, one_cpu, two_cpu, two_cpu / one_cpu,
	       same ? "" : " DIFFERENT");
	fflush(stdout);
	sum->one += one;
	sum->two += two;
	sum->one_cpu += one_cpu;
	sum->two_cpu += two_cpu;
	space_free(&space);
	return same;
}

static bool bench_all(const char *const *name, size_t n, const struct engine_kind *engine)
{
	struct sum sum = {0};
	bool same = true;
	for (size_t i = 0; i < n; i++)
		same &= bench_one(name[i], engine, &sum);
	printf("%-21s %-10s %12s %8.3f %8.3f %6.2f %8.3f %8.3f %6.2f\n", "all of these", engine->name, "", sum.one,
	       sum.two, sum.one / sum.two, sum.one_cpu, sum.two_cpu, sum.two_cpu / sum.one_cpu);
	return same;
}

int main(int argc, char **argv)
{
	/* threads that wait sleep; read when the program is loaded */
	if (!getenv("OMP_WAIT_POLICY") && setenv("OMP_WAIT_POLICY", "passive", 1) == 0)
		(void)execv(argv[0], argv);
	bool same = true;
	printf("From one thread to two: medians of seconds, and of CPU seconds of all threads\n");
	printf("%-21s %-10s %12s %8s %8s %6s %8s %8s %6s\n", "space", "engine", "evaluated", "1", "2", "ratio", "CPU 1",
	       "CPU 2", "ratio");
	if (argc > 1) {
		const char **name = calloc((size_t)argc, sizeof *name);
		for (int i = 1; i < argc && name; i++)
			name[i - 1] = argv[i];
		same = name && bench_all(name, (size_t)argc - 1, &engine_exact);
		free(name);
		return same ? 0 : 1;
	}
	same &= bench_all(single, sizeof single / sizeof *single, &engine_exact);
	same &= bench_all(network, sizeof network / sizeof *network, &engine_exact);
	same &= bench_all(single, sizeof single / sizeof *single, &engine_exhaustive);
	return same ? 0 : 1;
}
