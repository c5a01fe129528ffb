/* SPDX-License-Identifier: Apache-2.0 */
/* Results between two barriers: one task a PE against the longest chain of a queue, more between what none is beyond.
 */
#include "sim/base/rng.h"
#include "sim/fast/fast_parts.h"
#include "tests/support/near.h"
#include "tests/support/random_block.h"
#include <math.h>

#define N_CASE 5000
#define N_HALF 2

struct writes_case {
	struct compute compute;
	struct rates rates;
	double setup_clk, stretch, share_clk;
};

static void draw_case(struct rng *rng, uint32_t n_task, struct writes_case *one)
{
	struct writers *writers = &one->compute.writers;
	double sum = 0;
	*one = (struct writes_case){.rates = {.port_packet = 1}, .setup_clk = rng_below(rng, 100), .stretch = 1};
	one->stretch += rng_below(rng, 100) / 100.0;
	one->share_clk = random_from(rng, 1, 20000);
	one->compute.n_task = n_task;
	one->compute.n_barrier = 1;
	writers->n_kind = random_from(rng, 2, WRITER_MAX_KIND);
	writers->n_pe = random_from(rng, 1, 128);
	for (uint32_t k = 0; k < writers->n_kind; k++) {
		writers->kind[k] =
		    (struct writer_kind){random_from(rng, 1, 9), random_from(rng, 1, 5000), random_from(rng, 1, 300)};
		sum += writers->kind[k].n_frac;
	}
	for (uint32_t k = 0; k < writers->n_kind; k++)
		writers->kind[k].n_frac /= sum;
}

static double writes_clk(const struct writes_case *one)
{
	return fast_writes_clk(&one->compute, one->stretch, one->setup_clk, one->share_clk, &one->rates);
}

static double longest_clk(const struct writes_case *one)
{
	double clk = 0;
	for (uint32_t k = 0; k < one->compute.writers.n_kind; k++)
		clk = fmax(clk, one->stretch * one->compute.writers.kind[k].task_clk + one->setup_clk);
	return clk;
}

/* From some result on all that come later are written without a gap, or it is one that takes long to leave its PE. */
static double chain_clk(const struct writes_case *one)
{
	const struct writers *writers = &one->compute.writers;
	double come_clk[N_HALF * WRITER_MAX_KIND], work_clk[N_HALF * WRITER_MAX_KIND], packet = 0, end_clk = 0;
	for (uint32_t k = 0; k < writers->n_kind; k++)
		packet += writers->kind[k].n_frac * writers->kind[k].packet;
	for (uint32_t i = 0; i < N_HALF * writers->n_kind; i++) {
		const struct writer_kind *kind = &writers->kind[i / N_HALF];
		come_clk[i] = one->stretch * kind->task_clk + one->setup_clk;
		come_clk[i] += i % N_HALF ? writers->n_pe : writers->n_pe / 2;
		work_clk[i] = one->share_clk * kind->n_frac * kind->packet / packet / N_HALF;
		end_clk = fmax(end_clk, come_clk[i] + kind->packet);
	}
	for (uint32_t i = 0; i < N_HALF * writers->n_kind; i++) {
		double clk = come_clk[i];
		for (uint32_t k = 0; k < N_HALF * writers->n_kind; k++)
			clk += come_clk[k] >= come_clk[i] ? work_clk[k] : 0;
		end_clk = fmax(end_clk, clk);
	}
	return end_clk - writers->n_pe;
}

static void test_fast_writes_of_one_task_are_a_queue(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < N_CASE; i++) {
		struct rng rng = rng_stream(71, 0, i);
		struct writes_case one;
		draw_case(&rng, 1, &one);
		double expected = fmax(0, chain_clk(&one) - longest_clk(&one));
		assert_true(fabs(writes_clk(&one) - expected) < 1e-6);
	}
}

/* Of several tasks: not before all is written, nor later than if no task hid any of it. */
static void test_fast_writes_of_tasks_have_limits(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < N_CASE; i++) {
		struct rng rng = rng_stream(72, 0, i);
		struct writes_case one;
		uint32_t n_task = random_from(&rng, 2, 12);
		draw_case(&rng, n_task, &one);
		const struct writers *writers = &one.compute.writers;
		double clk = writes_clk(&one), least_clk = INFINITY, packet = 0;
		for (uint32_t k = 0; k < writers->n_kind; k++) {
			least_clk = fmin(least_clk, one.stretch * writers->kind[k].task_clk + one.setup_clk);
			packet = fmax(packet, writers->kind[k].packet);
		}
		double tasks_clk = n_task * longest_clk(&one), all_clk = tasks_clk + clk;
		assert_true(all_clk >= least_clk - writers->n_pe / 2 + one.share_clk - 1e-6);
		assert_true(clk <= one.share_clk + n_task * packet + 1e-6);
	}
}

/* Of very many what one more adds is what one more adds to some hundred, and it takes no longer to say so. */
static void test_fast_writes_of_many_tasks_go_on_alike(void **state)
{
	(void)state;
	uint32_t n_written = 0;
	for (uint32_t i = 0; i < N_CASE / 5; i++) {
		struct rng rng = rng_stream(74, 0, i);
		struct writes_case few, many;
		const uint32_t n_few = 250, n_many = 1000000000;
		draw_case(&rng, n_few, &few);
		few.share_clk *= n_few / 10.0;
		many = few;
		many.compute.n_task = n_many;
		many.share_clk *= (double)n_many / n_few;
		double few_clk = writes_clk(&few) / n_few, many_clk = writes_clk(&many) / n_many;
		double task_clk = longest_clk(&few) + few.share_clk / n_few;
		assert_true(fabs(many_clk - few_clk) <= 0.02 * task_clk);
		n_written += many_clk > 0;
	}
	assert_true(n_written > N_CASE / 50);
}

/* Barriers between equal runs: as often as much; tasks that they do not divide lie between. */
static void test_fast_writes_add_over_barriers(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < N_CASE; i++) {
		struct rng rng = rng_stream(73, 0, i);
		struct writes_case one;
		draw_case(&rng, random_from(&rng, 1, 6), &one);
		struct writes_case runs = one;
		uint32_t n_run = random_from(&rng, 2, 9);
		runs.compute.n_barrier = n_run;
		runs.compute.n_task *= n_run;
		runs.share_clk *= n_run;
		double expected = n_run * writes_clk(&one);
		assert_true(fabs(writes_clk(&runs) - expected) <= 1e-9 * (1 + expected));
	}
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_fast_writes_of_one_task_are_a_queue),
	    cmocka_unit_test(test_fast_writes_of_tasks_have_limits),
	    cmocka_unit_test(test_fast_writes_of_many_tasks_go_on_alike),
	    cmocka_unit_test(test_fast_writes_add_over_barriers),
	};
	return cmocka_run_group_tests(test, NULL, NULL);
}
