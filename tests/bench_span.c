/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work and span of searches of the spaces of spaces/bench/: CPU seconds in all, and of the longest chain of things that
 * wait for each other, whatever the number of threads. Threads that never idle while there is an item to take finish in
 * (work - span) / n + span (Brent's theorem), so work and span prove a speed-up on n of them that neither other
 * programs nor the number of this machine's cores change; what sharing itself costs is not in it (bench_scaling).
 *
 * This program brings its own parallel_for, which runs all items one after the other and takes their times. Run it from
 * the repository root; arguments: names of spaces, all when there are none.
 */
#include "dse/explore.h"
#include "dse/parallel.h"
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

static const char *const single[] = {"vgg16_conv_1",        "vgg16_conv_8",        "vgg16_fc_21",
                                     "resnet50_conv_1",     "resnet50_conv_sc_26", "vgg16_conv_8_qpe",
                                     "resnet50_conv_46_qpe"};
static const char *const network[] = {"net_mlp",           "net_resnet50_stage_3", "net_vgg16",
                                      "net_tiny_machines", "exact_vgg16",          "exact_vgg16_dram"};

/* The chain so far, up to when; parallel_for has no context of its own. */
static double span_s, mark_s;

static double cpu_s(void)
{
	struct timespec at;
	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at) != 0)
		exit(1);
	return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

/* What has been done since the mark belongs to the chain. */
static void extend_chain(void)
{
	double now_s = cpu_s();
	span_s += now_s - mark_s;
	mark_s = now_s;
}

unsigned parallel_n_thread(size_t n)
{
	return n > 0 ? (unsigned)n : 1;
}

/* Items are chains beside each other: the longest counts. */
void parallel_for(size_t n, unsigned n_thread, void (*work)(void *context, size_t i), void *context)
{
	extend_chain();
	double before_s = span_s, longest_s = 0, all_s = 0;
	for (size_t i = 0; i < n; i++) {
		span_s = 0;
		work(context, i);
		extend_chain();
		longest_s = span_s > longest_s ? span_s : longest_s;
		all_s += span_s;
	}
	span_s = before_s + (n_thread > 1 ? longest_s : all_s);
}

struct cost {
	double work_s, span_s;
};

static double speed_up(const struct cost *cost, double n_thread)
{
	return cost->work_s / ((cost->work_s - cost->span_s) / n_thread + cost->span_s);
}

static void print_cost(const char *name, const char *engine, const struct cost *cost)
{
	printf("%-21s %-10s %8.3f %8.4f %8.1f %8.3f %8.3f %8.3f\n", name, engine, cost->work_s, cost->span_s,
	       cost->work_s / cost->span_s, speed_up(cost, 2), speed_up(cost, 4), speed_up(cost, 8));
	fflush(stdout);
}

/* Machines are worked on in groups of as many as there are threads: two. */
static struct cost run_space(const char *name, const struct engine_kind *engine)
{
	char path[256];
	struct space space;
	struct explore explore;
	struct err err = {0};
	const struct explore_options options = {.engine = engine, .n_thread = 2, .seed = 1};
	(void)snprintf(path, sizeof path, "spaces/bench/%s.yaml", name);
	enum err_code code = space_read(path, &space, &err);
	double begin_s = cpu_s();
	span_s = 0;
	mark_s = begin_s;
	if (code != ERR_OK || explore_run(&space, &options, &explore, &err) != ERR_OK) {
		fprintf(stderr, "bench_span: %s: %s\n", name, err_text(&err));
		exit(1);
	}
	extend_chain();
	struct cost cost = {cpu_s() - begin_s, span_s};
	explore_free(&explore);
	space_free(&space);
	print_cost(name, engine->name, &cost);
	return cost;
}

static void run_all(const char *const *name, size_t n, const struct engine_kind *engine)
{
	struct cost sum = {0, 0};
	for (size_t i = 0; i < n; i++) {
		struct cost cost = run_space(name[i], engine);
		sum.work_s += cost.work_s;
		sum.span_s += cost.span_s;
	}
	print_cost("all of these", engine->name, &sum);
}

int main(int argc, char **argv)
{
	printf("Work and span: CPU seconds, and what they prove of the speed-up on 2, 4 and 8 threads\n");
	printf("%-21s %-10s %8s %8s %8s %8s %8s %8s\n", "space", "engine", "work", "span", "work/span", "2", "4", "8");
	for (int i = 1; i < argc; i++)
		(void)run_space(argv[i], &engine_exact);
	if (argc > 1)
		return 0;
	run_all(single, sizeof single / sizeof *single, &engine_exact);
	run_all(network, sizeof network / sizeof *network, &engine_exact);
	run_all(single, sizeof single / sizeof *single, &engine_exhaustive);
	return 0;
}
