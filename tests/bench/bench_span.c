/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work and span of `dse explore` on the spaces of spaces/bench/, from reading the space to the last file: CPU seconds
 * in all, and of the longest chain of things that wait for each other, whatever the number of threads. Threads that
 * never idle while there is an item to take finish in (work - span) / n + span (Brent's theorem), so work and span
 * prove a speed-up on n of them that neither other programs nor the number of this machine's cores change; what sharing
 * itself costs is not in it, and neither is waiting for the disk (bench_scaling).
 *
 * This program brings its own parallel_for, which runs all items one after the other and takes their times. Run it from
 * the repository root; arguments: names of spaces, all when there are none. With --brief as the first one it prints for
 * each of the others seconds of work and of span alone, with the engine named after it.
 */
#include "dse/base/parallel.h"
#include "tests/support/explore_once.h"
#include <time.h>

static const char *const single[] = {"vgg16_conv_1",        "vgg16_conv_8",        "vgg16_fc_21",
                                     "resnet50_conv_1",     "resnet50_conv_sc_26", "vgg16_conv_8_qpe",
                                     "resnet50_conv_46_qpe"};
static const char *const network[] = {"net_mlp",     "net_resnet50_stage_3", "net_vgg16",           "net_tiny_machines",
                                      "exact_vgg16", "exact_vgg16_dram",     "exact_hardware_vgg16"};

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

const char *parallel_standard(void)
{
	return "none";
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

/* Machines are worked on in groups by the number of threads: two. */
static struct cost run_space(const char *name, const char *engine)
{
	char folder[32];
	explore_make_folder(folder);
	double begin_s = cpu_s();
	span_s = 0;
	mark_s = begin_s;
	explore_once(name, engine, 2, folder);
	extend_chain();
	struct cost cost = {cpu_s() - begin_s, span_s};
	explore_remove_folder(folder);
	return cost;
}

static void run_all(const char *const *name, size_t n, const char *engine)
{
	struct cost sum = {0, 0};
	for (size_t i = 0; i < n; i++) {
		struct cost cost = run_space(name[i], engine);
		print_cost(name[i], engine, &cost);
		sum.work_s += cost.work_s;
		sum.span_s += cost.span_s;
	}
	print_cost("all of these", engine, &sum);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--brief") == 0) {
		for (int i = 2; i + 1 < argc; i += 2) {
			struct cost cost = run_space(argv[i], argv[i + 1]);
			printf("%.6f %.6f\n", cost.work_s, cost.span_s);
		}
		return 0;
	}
	printf("Work and span: CPU seconds, and what they prove of the speed-up on 2, 4 and 8 threads\n");
	printf("%-21s %-10s %8s %8s %8s %8s %8s %8s\n", "space", "engine", "work", "span", "work/span", "2", "4", "8");
	for (int i = 1; i < argc; i++) {
		struct cost cost = run_space(argv[i], "exact");
		print_cost(argv[i], "exact", &cost);
	}
	if (argc > 1)
		return 0;
	run_all(single, sizeof(single) / sizeof(*single), "exact");
	run_all(network, sizeof(network) / sizeof(*network), "exact");
	run_all(single, sizeof(single) / sizeof(*single), "exhaustive");
	return 0;
}
