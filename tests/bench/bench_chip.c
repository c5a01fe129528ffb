/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Speed of the event tier on the chip, beside the limits that it is to keep:
 * VGG-16 CONV_8 with the thesis' reuse, its result in the storage QPEs, on one
 * core, once with every event simulated and once with replay of what recurs; and
 * all of VGG-16 and ResNet-50 with the thesis' splits on two threads. The thesis
 * simulator took 735 s on five processes for the layer. From the repository root.
 */
#define _GNU_SOURCE
#include "dse/design/simulate.h"
#include "dse/space/machine_read.h"
#include "dse/space/space.h"
#include "mapper/unfold/unfold.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EVERY_LIMIT_S 5.0
#define REPLAY_LIMIT_S 0.5
#define NETWORKS_LIMIT_S 30.0
#define N_RUN 3
#define N_THREAD 2
#define MAX_BLOCK 64

static double now_s(clockid_t clock)
{
	struct timespec t;
	(void)clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(enum err_code code, const struct err *err)
{
	if (code == ERR_OK)
		return;
	(void)fprintf(stderr, "%s", err_text(err));
	exit(1);
}

static void print_time(const char *name, double time_s, double limit_s)
{
	printf("  %-26s %7.3f s (limit %g s%s)", name, time_s, limit_s, time_s <= limit_s ? "" : ": EXCEEDED");
}

/* From the design to the result, as a command does it; CPU time, the least of a few runs. */
static void run_layer(const struct layer_context *context, const struct layer_design *design, bool no_replay,
                      struct sim_result *result)
{
	const struct event_option option = {.no_replay = no_replay};
	struct event_stat stat = {0};
	double least_s = INFINITY;
	for (unsigned i = 0; i < N_RUN; i++) {
		struct schedule schedule = {0};
		struct err err = {0};
		double start_s = now_s(CLOCK_PROCESS_CPUTIME_ID);
		check(mapper_unfold(context, design, &schedule, &err), &err);
		check(schedule_check(&schedule, context->machine, &err), &err);
		check(event_run_schedule(context->machine, &schedule, design->level, &option, result, &stat, &err),
		      &err);
		least_s = fmin(least_s, now_s(CLOCK_PROCESS_CPUTIME_ID) - start_s);
		schedule_free(&schedule);
	}
	print_time(no_replay ? "every event, one core" : "with replay, one core", least_s,
	           no_replay ? EVERY_LIMIT_S : REPLAY_LIMIT_S);
	printf(": %" PRIu64 " clk, %.1f M events, %.1f M events/s, %.1f M PE clk replayed\n", result->core_clk,
	       1e-6 * (double)stat.n_event, 1e-6 * (double)stat.n_event / least_s, 1e-6 * (double)stat.replayed_clk);
}

static bool same_result(const struct sim_result *a, const struct sim_result *b)
{
	return memcmp(a->phase_clk, b->phase_clk, sizeof(a->phase_clk)) == 0 &&
	       memcmp(&a->counts, &b->counts, sizeof(a->counts)) == 0 && /* nothing but doubles: no padding */
	       memcmp(&a->energy, &b->energy, sizeof(a->energy)) == 0 && a->total_clk == b->total_clk &&
	       a->core_clk == b->core_clk;
}

/* A design's clocks are without its ARM operations, as the thesis counts them. */
static void bench_layer(const struct machine *machine, const struct network *network, const struct split_scheme *scheme)
{
	const struct simulate_options options = {.scheme = scheme, .strategy = STRATEGY_THESIS_REUSE};
	struct simulated block[MAX_BLOCK];
	struct err err = {0};
	size_t at = 0;
	assert(network->n_block <= MAX_BLOCK);
	check(simulate_network(machine, network, &options, block, &err), &err);
	while (strcmp(network->block[at].name, "CONV_8") != 0)
		at++;
	struct layer_context context;
	struct sim_result every = {0}, replayed = {0};
	assert(block[at].design.out_storage);
	mapper_prepare(block[at].block, machine, block[at].design.operand_bit, &context);
	printf("%s CONV_8 with thesis_reuse on %s, event tier\n", network->name, machine->name);
	run_layer(&context, &block[at].design, true, &every);
	run_layer(&context, &block[at].design, false, &replayed);
	printf("  clocks by phase, counts and energy of both: %s\n",
	       same_result(&every, &replayed) ? "equal" : "DIFFERENT");
	if (!same_result(&every, &replayed))
		exit(1);
}

/* All layers of all networks; wall-clock time, as it is what two cores are for. */
static void bench_networks(const struct machine *machine, const struct network *network, size_t n,
                           const struct split_scheme *scheme)
{
	const struct simulate_options options = {
	    .scheme = scheme,
	    .strategy = STRATEGY_FUSION_REUSE,
	    .how = {.detail = {.detail = DETAIL_EVENT, .n_thread = N_THREAD}},
	};
	struct simulated block[MAX_BLOCK];
	struct err err = {0};
	uint64_t n_event = 0, total_clk = 0;
	double start_s = now_s(CLOCK_MONOTONIC), start_cpu_s = now_s(CLOCK_PROCESS_CPUTIME_ID);
	for (size_t i = 0; i < n; i++) {
		assert(network[i].n_block <= MAX_BLOCK);
		check(simulate_network(machine, &network[i], &options, block, &err), &err);
		for (size_t k = 0; k < network[i].n_block; k++) {
			assert(block[k].ran);
			n_event += block[k].stat.n_event;
			total_clk += block[k].result.total_clk;
		}
	}
	double run_s = now_s(CLOCK_MONOTONIC) - start_s, cpu_s = now_s(CLOCK_PROCESS_CPUTIME_ID) - start_cpu_s;
	printf("all layers of VGG-16 and ResNet-50 with fusion_reuse on %s, event tier\n", machine->name);
	print_time("two threads", run_s, NETWORKS_LIMIT_S);
	printf(": %" PRIu64 " clk, %.1f M events, %.1f M events/s, %.3f s of all cores\n", total_clk,
	       1e-6 * (double)n_event, 1e-6 * (double)n_event / run_s, cpu_s);
}

int main(void)
{
	struct machine machine;
	struct network network[2];
	struct split_scheme scheme;
	struct err err = {0};
	check(machine_read("spaces/machines/thesis_chip.yaml", &machine, &err), &err);
	check(network_read("spaces/networks/vgg16.yaml", &network[0], &err), &err);
	check(network_read("spaces/networks/resnet50.yaml", &network[1], &err), &err);
	check(split_scheme_read("spaces/splits/thesis.csv", &scheme, &err), &err);
	bench_layer(&machine, &network[0], &scheme);
	bench_networks(&machine, network, 2, &scheme);
	network_free(&network[0]);
	network_free(&network[1]);
	split_scheme_free(&scheme);
	err_clear(&err);
	return 0;
}
