/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which PEs have how many tasks, against PEs counted one by one in the event tier as it runs; and when PEs with fewer
 * tasks are done there, whose time at a slower level is what levels by PE save.
 */
#include "tests/support/unit_test.h"

#include "dse/spread/pe_deal.h"
#include "mapper/unfold/unfold.h"
#include "sim/event/event.h"
#include "sim/event/trace.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "tests/support/draws.h"
#include "tests/support/random_chip.h"
#include "tests/support/random_design.h"
#include "tests/support/sample_design.h"
#include "tests/support/shipped_machine.h"

#define MAX_COUNTED 4096
#define MAX_STRETCH 256

/* Who did how many tasks up to the last barrier, as the event tier tells of them. */
struct counter {
	uint32_t n_pe, n_stretch, n_task[MAX_STRETCH][MAX_COUNTED];
	double mac_clk[MAX_STRETCH][MAX_COUNTED];
	uint64_t done_clk[MAX_STRETCH][MAX_COUNTED], end_clk[MAX_STRETCH], begin_clk[MAX_STRETCH];
	bool runs;
};

static void count_span(void *context, const struct trace_span *span)
{
	struct counter *counter = context;
	uint32_t s = counter->n_stretch;
	if (span->unit == TRACE_PE_MLA) {
		assert_true(s < MAX_STRETCH && span->index < MAX_COUNTED);
		counter->runs = true;
		counter->n_task[s][span->index]++;
		counter->mac_clk[s][span->index] += (double)span->n;
		counter->done_clk[s][span->index] = span->end_clk;
	} else if (span->unit == TRACE_PHASE && counter->runs) {
		counter->begin_clk[s] = span->begin_clk;
		counter->end_clk[s] = span->end_clk;
		counter->n_stretch++;
		counter->runs = false;
	}
}

/* false: the design does not run. */
static bool count_tasks(const struct layer_context *context, const struct layer_design *design, struct counter *counter)
{
	struct program program;
	struct verdict verdict;
	struct schedule schedule = {0};
	struct sim_result result;
	const struct trace_sink sink = {count_span, counter};
	const struct event_option option = {.trace = &sink};
	memset(counter, 0, sizeof(*counter));
	counter->n_pe = machine_n_pe(context->machine);
	if (!mapper_distribute(context, design, &program, &verdict))
		return false;
	assert_int_equal(mapper_unfold(context, design, &schedule, NULL), ERR_OK);
	bool is_short = schedule.n_op + schedule.n_job < 3000 && schedule.n_step < MAX_STRETCH;
	if (is_short)
		assert_int_equal(
		    event_run_schedule(context->machine, &schedule, design->level, &option, &result, NULL, NULL),
		    ERR_OK);
	schedule_free(&schedule);
	return is_short && counter->n_stretch > 0;
}

/* PEs with at least so many tasks. */
static uint32_t count_busy(const struct counter *counter, uint32_t s, uint32_t n_task)
{
	uint32_t n = 0;
	for (uint32_t pe = 0; pe < MAX_COUNTED; pe++)
		n += counter->n_task[s][pe] >= n_task;
	return n;
}

static bool is_equal(const struct counter *counter, uint32_t s, const struct pe_stretch *stretch)
{
	for (uint32_t i = 0; i < stretch->n_loop; i++)
		if (count_busy(counter, s, i + 1) != stretch->n_busy[i])
			return false;
	return count_busy(counter, s, stretch->n_loop + 1) == 0;
}

/* Classes have the stretch's tasks, each unit all of its PEs, and no PE is in two. */
static void check_classes(const struct pe_stretch *stretch, const struct pe_classes *classes, uint32_t n_unit_pe)
{
	uint64_t n_task = 0;
	for (uint32_t c = 0; c < classes->n; c++) {
		const struct pe_plan_class *class = &classes->class[c];
		uint32_t n_pe = 0;
		for (uint32_t i = 0; i < class->n_part; i++) {
			n_pe += class->part[i].n_pe;
			n_task += (uint64_t) class->n_unit * class->part[i].n_pe * class->part[i].n_task;
			assert_true(i == 0 || class->part[i].n_task < class->part[i - 1].n_task);
		}
		assert_int_equal(n_pe, n_unit_pe);
	}
	assert_true(classes->n == 0 || n_task == stretch->n_task);
}

static bool has_jobs(enum strategy strategy)
{
	return strategy == STRATEGY_NO_FUSION || strategy == STRATEGY_FUSION;
}

static bool is_uniform(const struct split *split)
{
	return split->w.n_b + split->h.n_b + split->c.n_b + split->d.n_b == 0;
}

/* What tasks would be if they were dealt evenly over all PEs that compute: what was assumed once. */
static bool is_as_if_even(const struct layer_context *context, const struct pe_deal *deal)
{
	const struct pe_stretch *stretch = &deal->stretch[0];
	uint32_t n_pe = context->hierarchy.n_pe;
	for (uint32_t i = 0; i < stretch->n_loop; i++) {
		uint64_t n_left = stretch->n_task > (uint64_t)i * n_pe ? stretch->n_task - (uint64_t)i * n_pe : 0;
		if (stretch->n_busy[i] != (n_left < n_pe ? n_left : n_pe))
			return false;
	}
	return true;
}

/* Of what the busiest PE takes at the fast level a slow one takes this longer: PL1's clock beside PL2's. */
#define SLOW_FRAC 1.25
/* What a PE's own waits may add: it shares SRAM and router with busier ones. */
#define END_TOLERANCE 0.03

/* PEs that could do their tasks slowly by the number of them: in the event tier, too, nearly all are done in time; late
 * are some of tasks so short that their transfers take most of the time. */
static unsigned check_ends(const struct counter *counter, unsigned *n_late)
{
	unsigned n = 0;
	for (uint32_t s = 0; s < counter->n_stretch; s++) {
		double all_clk = (double)(counter->end_clk[s] - counter->begin_clk[s]), most = 0;
		uint32_t n_most = 0;
		for (uint32_t pe = 0; pe < MAX_COUNTED; pe++)
			if (counter->mac_clk[s][pe] > most) {
				most = counter->mac_clk[s][pe];
				n_most = counter->n_task[s][pe];
			}
		for (uint32_t pe = 0; pe < MAX_COUNTED; pe++) {
			double n_own = ceil(counter->mac_clk[s][pe] * n_most / most * (1 - 1e-9));
			if (n_own < 1 || n_own * SLOW_FRAC > n_most)
				continue;
			double own_clk = (double)(counter->done_clk[s][pe] - counter->begin_clk[s]);
			*n_late += own_clk * SLOW_FRAC > all_clk * (1 + END_TOLERANCE);
			n++;
		}
	}
	return n;
}

/* Reuse of 14 ifmap parts and 16 filter parts on the DVFS paper's chip: 224 tasks, two each on 112 of 128 PEs. */
static void test_pe_deal_of_224_tasks(void **state)
{
	struct machine machine = shipped_machine("spaces/machines/dvfs_chip.yaml");
	struct block block = sample_conv_block(14, 128);
	struct layer_context context;
	struct arena arena = {0};
	struct pe_deal deal;
	(void)state;
	block.pool = 1;
	struct layer_design design = {
	    .split = sample_split(&block, 1, 14, 16), .strategy = STRATEGY_FUSION_REUSE, .operand_bit = 8};
	mapper_prepare(&block, &machine, 8, &context);
	assert_true(pe_deal_of(&context, &design, &arena, &deal));
	assert_int_equal(deal.n_task, 224);
	uint64_t n_loop = 0;
	for (size_t i = 0; i < deal.n_stretch; i++) {
		n_loop += (uint64_t)deal.stretch[i].n_loop * deal.stretch[i].n_repeat;
		for (uint32_t k = 0; k < deal.stretch[i].n_loop; k++)
			assert_int_equal(deal.stretch[i].n_busy[k], 112);
	}
	assert_int_equal(n_loop, 2);
	assert_int_equal(deal.n_loop, 2);
	arena_free(&arena);
}

static void test_pe_deal_is_the_event_tiers(void **state)
{
	static const char *const name[] = {"dvfs_chip", "thesis_chip", "thesis_qpe_dram"};
	static struct counter counter;
	const uint32_t n_trial = draws(3000, 240);
	unsigned n_placed = 0, n_jobs_equal = 0, n_uneven = 0, n_classes = 0, n_slowed = 0, n_late = 0;
	(void)state;
	for (uint32_t trial = 0; trial < n_trial; trial++) {
		struct rng rng = rng_stream(51, 0, trial);
		char path[64];
		(void)snprintf(path, sizeof(path), "spaces/machines/%s.yaml", name[trial % 3]);
		struct machine machine = shipped_machine(path);
		if (machine.target == MACHINE_CHIP && rng_below(&rng, 2))
			machine = random_chip(&rng, &machine);
		struct block block = random_block(&rng);
		struct layer_design design = random_design(&rng, &block, &machine);
		struct layer_context context;
		if (block.kind == BLOCK_POOL || split_check(&block, &design.split, NULL) != ERR_OK)
			continue;
		mapper_prepare_form(&block, &machine, design.operand_bit, design.form, &context);
		if (!count_tasks(&context, &design, &counter))
			continue;
		struct arena arena = {0};
		struct pe_deal deal;
		uint32_t s = 0;
		bool is_dealt = pe_deal_of(&context, &design, &arena, &deal), is_same = is_dealt;
		assert_true(is_dealt || has_jobs(design.strategy));
		for (size_t i = 0; is_dealt && i < deal.n_stretch; i++)
			for (uint32_t k = 0; k < deal.stretch[i].n_repeat; k++) {
				is_same = is_same && s < counter.n_stretch && is_equal(&counter, s, &deal.stretch[i]);
				check_classes(&deal.stretch[i], &deal.stretch[i].by_pe, 1);
				check_classes(&deal.stretch[i], &deal.stretch[i].by_qpe, machine.qpe_n_pe);
				n_classes += deal.stretch[i].by_pe.n > 1;
				s++;
			}
		if (is_dealt)
			assert_int_equal(s, counter.n_stretch);
		/* which PE is idle first depends on when transfers end: reuse alone says who has what */
		bool is_placed = !has_jobs(design.strategy);
		assert_true(is_same || !is_placed || !is_uniform(&design.split));
		if (is_placed)
			n_slowed += check_ends(&counter, &n_late);
		n_placed += is_placed;
		n_uneven += is_placed && !is_as_if_even(&context, &deal);
		n_jobs_equal += !is_placed && is_same;
		arena_free(&arena);
	}
	print_message("%u placed, %u unevenly; %u stretches of several classes; %u PEs slowed, %u late\n", n_placed,
	              n_uneven, n_classes, n_slowed, n_late);
	assert_true(n_placed >= n_trial / 20 && n_slowed > n_trial / 8 && n_late <= n_slowed / 50);
	assert_true((n_uneven > 0 && n_classes > 0) || n_trial < 200);
	assert_true(n_jobs_equal > 0 || n_trial < 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_pe_deal_of_224_tasks),
	                                   cmocka_unit_test(test_pe_deal_is_the_event_tiers)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
