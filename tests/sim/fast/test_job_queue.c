/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast tier's closed form of a job queue against a discrete-event queue:
 * n_pe PEs and one DRAM that serves whole loads and writes in the order in which
 * they are asked for; a PE's next load is asked for when its write has been
 * answered. SRAM free and shared take equally long, so that only the queue is
 * compared.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "sim/base/rng.h"
#include "sim/fast/fast.h"
#include "sim/fast/fast_parts.h"
#include "sim/machine/machine_param.h"
#include <math.h>
#include <stdio.h>

#define MAX_PE 36     /* of a DRAM interface: 9 QPEs */
#define DRAM_BYTE 8.0 /* a PE clock: the default machine's */
#define N_SET 20000
#define N_UNEVEN_SET 4000
/* thesis simulator, re-run: a load's way, and the hand-shake after a write */
#define LOAD_CLK 45
#define ANSWER_CLK 20

struct job_set {
	uint32_t n_pe, n_job;
	double load_clk, task_clk, write_clk;
};

enum request { REQUEST_LOAD, REQUEST_WRITE, REQUEST_NONE };

struct queue_pe {
	enum request request;
	double asked_clk;
};

/* The PE whose request comes first. */
static struct queue_pe *next_request(struct queue_pe *pe, uint32_t n_pe)
{
	struct queue_pe *first = NULL;
	for (uint32_t i = 0; i < n_pe; i++)
		if (pe[i].request != REQUEST_NONE && (!first || pe[i].asked_clk < first->asked_clk))
			first = &pe[i];
	return first;
}

static double step_queue(const struct job_set *set)
{
	struct queue_pe pe[MAX_PE] = {{REQUEST_LOAD, 0}}, *next;
	double free_clk = 0, end_clk = 0;
	uint32_t n_left = set->n_job;
	while ((next = next_request(pe, set->n_pe))) {
		bool loads = next->request == REQUEST_LOAD;
		free_clk = fmax(free_clk, next->asked_clk);
		if (!loads) {
			free_clk += set->write_clk;
			end_clk = free_clk + ANSWER_CLK;
			next->request = REQUEST_LOAD;
			next->asked_clk = end_clk;
		} else if (n_left == 0) {
			next->request = REQUEST_NONE;
		} else {
			n_left--;
			free_clk += set->load_clk;
			next->request = REQUEST_WRITE;
			next->asked_clk = free_clk + LOAD_CLK + set->task_clk;
		}
	}
	return end_clk;
}

static double run_set(const struct job_set *set,
                      void (*run)(const struct machine *machine, const struct program *program, uint32_t level,
                                  struct sim_result *result))
{
	struct machine machine;
	machine_init(&machine, MACHINE_QPE);
	machine.n_level = 1;
	machine.level[0].clk_mhz = 250;
	struct program program = {.n_step = 1, .step = {{.kind = STEP_JOBS, .phase = PHASE_TASKS}}};
	program.step[0].u.jobs = (struct jobs){
	    .n_job = set->n_job,
	    .n_pe = set->n_pe,
	    .load_byte = set->load_clk * DRAM_BYTE * set->n_job,
	    .write_byte = set->write_clk * DRAM_BYTE * set->n_job,
	    .task_clk = set->task_clk * set->n_job,
	    .task_shared_clk = set->task_clk * set->n_job,
	};
	struct sim_result result;
	run(&machine, &program, 0, &result);
	return (double)result.total_clk;
}

static double closed_form(const struct job_set *set)
{
	return run_set(set, fast_run);
}

static double log_uniform(struct rng *rng, double low, double high)
{
	return low * exp(rng_unit(rng) * log(high / low));
}

/*
 * Loads of half a KiB to 64 KiB, writes of a 30th to three loads, tasks of a
 * quarter to a hundred loads; few rounds as often as many, left-over jobs, and
 * fewer jobs than PEs.
 */
static struct job_set random_set(struct rng *rng)
{
	struct job_set set = {.n_pe = 1 + rng_below(rng, MAX_PE)};
	set.n_job = 1 + rng_below(rng, rng_below(rng, 2) ? 3 * set.n_pe : 30 * set.n_pe);
	set.load_clk = log_uniform(rng, 64, 8000);
	set.write_clk = set.load_clk * log_uniform(rng, 1.0 / 30, 100.0 / 30);
	set.task_clk = fmax(50, set.load_clk * log_uniform(rng, 0.25, 100));
	return set;
}

struct deviation {
	double mean, worst, rare; /* rare: one set in a hundred is further off */
	struct job_set worst_set;
};

static struct deviation compare_sets(void)
{
	static uint32_t n_above[1001]; /* sets by deviation in tenths of a percent */
	struct rng rng = rng_stream(5, 0, 0);
	struct deviation deviation = {0, 0, 0, {0}};
	for (size_t i = 0; i <= 1000; i++)
		n_above[i] = 0;
	for (int i = 0; i < N_SET; i++) {
		struct job_set set = random_set(&rng);
		double error = fabs(closed_form(&set) / step_queue(&set) - 1);
		deviation.mean += error / N_SET;
		n_above[error < 1 ? (size_t)(error * 1000) : 1000]++;
		if (error > deviation.worst) {
			deviation.worst = error;
			deviation.worst_set = set;
		}
	}
	uint32_t n = 0;
	size_t tenth = 1000;
	while (n < N_SET / 100)
		n += n_above[tenth--];
	deviation.rare = (double)(tenth + 1) / 1000;
	const struct job_set *worst = &deviation.worst_set;
	print_message(
	    "mean %.3f %%, one in 100 above %.1f %%, worst %.1f %% (%u PEs, %u jobs of %.0f + %.0f + %.0f clk)\n",
	    100 * deviation.mean, 100 * deviation.rare, 100 * deviation.worst, worst->n_pe, worst->n_job,
	    worst->load_clk, worst->task_clk, worst->write_clk);
	return deviation;
}

/*
 * Writes and loads of different PEs overtake each other, and the order has no
 * closed form: some per mille in general, much in few rounds of long writes
 * where PEs and DRAM are both almost busy, and where equal jobs stay together
 * in pairs.
 */
static void test_job_queue_random_jobs(void **state)
{
	(void)state;
	struct deviation deviation = compare_sets();
	assert_true(deviation.mean < 0.005);
	assert_true(deviation.rare < 0.06);
	assert_true(deviation.worst < 0.18);
}

/* No set of jobs that are nowhere shorter takes less than the bound, which is what the jobs take where writes are
 * short. */
static void test_job_queue_bound_is_under_longer_jobs(void **state)
{
	(void)state;
	struct rng rng = rng_stream(6, 0, 0);
	uint32_t n_tight = 0, n_short = 0;
	for (int i = 0; i < N_SET; i++) {
		struct job_set set = random_set(&rng), longer = set;
		double least = run_set(&set, fast_run_least);
		double factor[3];
		for (int k = 0; k < 3; k++) /* up to three times as long, mostly by very little */
			factor[k] = rng_below(&rng, 3) ? log_uniform(&rng, 1, 1 + log_uniform(&rng, 1e-6, 2)) : 1;
		longer.load_clk *= factor[0];
		longer.task_clk *= factor[1];
		longer.write_clk *= factor[2];
		bool is_short = set.write_clk * (set.write_clk + ANSWER_CLK) < 0.9 * set.load_clk * set.load_clk;
		n_short += is_short;
		n_tight += is_short && least >= closed_form(&set);
		if (least > closed_form(&set) || least > closed_form(&longer))
			fail_msg("%u PEs, %u jobs of %.17g + %.17g + %.17g clk, times %.17g %.17g %.17g: bound %.0f",
			         set.n_pe, set.n_job, set.load_clk, set.task_clk, set.write_clk, factor[0], factor[1],
			         factor[2], least);
	}
	assert_true(n_short > N_SET / 4 && n_tight > n_short * 99 / 100);
}

/* Regimes in which mean cycles alone are far off. */
static void test_job_queue_regimes(void **state)
{
	(void)state;
	static const struct {
		struct job_set set;
		double limit;
	} regime[] = {
	    {{36, 37, 100, 20000, 300}, 0.01},   /* one job in the last round */
	    {{36, 35, 100, 20000, 300}, 0.0002}, /* fewer jobs than PEs */
	    {{4, 400, 30, 2000, 600}, 0.01},     /* writes far longer than loads: PEs wait for each other */
	    {{36, 3600, 1000, 300, 30}, 0.01},   /* DRAM-bound */
	    {{1, 50, 1000, 4000, 2500}, 0.0002},
	};
	for (size_t i = 0; i < sizeof(regime) / sizeof(regime[0]); i++) {
		double want = step_queue(&regime[i].set), clk = closed_form(&regime[i].set);
		if (fabs(clk / want - 1) > regime[i].limit)
			fail_msg("regime %zu: %.0f clk, expected %.0f", i, clk, want);
	}
}

/* ---- jobs of two sizes ---- */

/* Jobs of a queue, the larger ones first, in the order in which PEs take them. */
struct uneven_set {
	uint32_t n_pe, n_large, n_small;
	struct job_set kind[2];
};

static struct uneven_set random_uneven_set(struct rng *rng)
{
	struct uneven_set set = {.n_pe = 1 + rng_below(rng, MAX_PE)};
	set.n_large = 1 + rng_below(rng, 2 * set.n_pe);
	set.n_small = 1 + rng_below(rng, 2 * set.n_pe);
	set.kind[0] = set.kind[1] = random_set(rng);
	double small_frac = log_uniform(rng, 1.0 / 50, 1);
	set.kind[1].load_clk *= small_frac;
	set.kind[1].task_clk *= small_frac;
	set.kind[1].write_clk *= small_frac;
	return set;
}

/* As step_queue; order: [n_large + n_small] the kinds of job. */
static double step_uneven(const struct uneven_set *set, const uint8_t *order)
{
	struct queue_pe pe[MAX_PE] = {{REQUEST_LOAD, 0}}, *next;
	const struct job_set *own[MAX_PE] = {NULL};
	double free_clk = 0, end_clk = 0;
	uint32_t n_taken = 0;
	while ((next = next_request(pe, set->n_pe))) {
		const struct job_set **job = &own[next - pe];
		bool loads = next->request == REQUEST_LOAD;
		free_clk = fmax(free_clk, next->asked_clk);
		if (!loads) {
			free_clk += (*job)->write_clk;
			end_clk = free_clk + ANSWER_CLK;
			next->request = REQUEST_LOAD;
			next->asked_clk = end_clk;
		} else if (n_taken == set->n_large + set->n_small) {
			next->request = REQUEST_NONE;
		} else {
			*job = &set->kind[order[n_taken++]];
			free_clk += (*job)->load_clk;
			next->request = REQUEST_WRITE;
			next->asked_clk = free_clk + LOAD_CLK + (*job)->task_clk;
		}
	}
	return end_clk;
}

static struct jobs uneven_jobs(const struct uneven_set *set)
{
	double n[2] = {set->n_large, set->n_small};
	uint32_t n_job = set->n_large + set->n_small;
	struct jobs jobs = {.n_job = n_job, .n_pe = set->n_pe, .is_uneven = true, .least_frac = 1, .mean_job = n_job};
	jobs.n_order = 1;
	jobs.kinds = 1u << JOB_KIND(0, 0, 0, 0) | 1u << JOB_KIND(0, 0, 1, 0);
	jobs.n_served = n_job;
	for (uint32_t i = 0; i < 2; i++) {
		struct job_kind kind = {.load_byte = set->kind[i].load_clk * DRAM_BYTE,
		                        .write_byte = set->kind[i].write_clk * DRAM_BYTE,
		                        .task_clk = set->kind[i].task_clk,
		                        .task_shared_clk = set->kind[i].task_clk};
		jobs.kind[JOB_KIND(0, 0, i, 0)] = kind;
		jobs.load_byte += n[i] * kind.load_byte;
		jobs.write_byte += n[i] * kind.write_byte;
		jobs.task_clk += n[i] * kind.task_clk;
		jobs.order[0].n_c[i] = (uint32_t)n[i];
	}
	jobs.task_shared_clk = jobs.task_clk;
	jobs.largest = jobs.kind[0];
	jobs.n_largest = 1;
	jobs.n_largest_result = set->n_large;
	jobs.tail_frac = set->kind[1].load_clk / set->kind[0].load_clk;
	struct job_order *order = &jobs.order[0];
	order->n_h[0] = order->n_w[0] = order->n_d[0] = 1;
	order->n_result = n_job;
	order->n_pe = n_job < set->n_pe ? n_job : set->n_pe;
	return jobs;
}

/*
 * Jobs of two sizes are priced as PEs take them; no order of theirs takes less than the bound. The fast tier lets
 * writes share the DRAM packet by packet, where step_uneven has whole ones.
 */
static void test_job_queue_uneven_jobs(void **state)
{
	(void)state;
	struct rng rng = rng_stream(7, 0, 0);
	struct machine machine;
	double mean = 0, worst = 0;
	machine_init(&machine, MACHINE_QPE);
	machine.n_level = 1;
	machine.level[0].clk_mhz = 250;
	for (int i = 0; i < N_UNEVEN_SET; i++) {
		struct uneven_set set = random_uneven_set(&rng);
		struct program program = {.n_step = 1, .step = {{.kind = STEP_JOBS, .phase = PHASE_TASKS}}};
		struct sim_result price, least;
		uint8_t order[4 * MAX_PE];
		uint32_t n = set.n_large + set.n_small;
		program.step[0].u.jobs = uneven_jobs(&set);
		fast_run(&machine, &program, 0, &price);
		fast_run_least(&machine, &program, 0, &least);
		for (uint32_t k = 0; k < n; k++)
			order[k] = k >= set.n_large;
		double error = fabs((double)price.total_clk / step_uneven(&set, order) - 1);
		mean += error / N_UNEVEN_SET;
		worst = fmax(worst, error);
		for (uint32_t k = n - 1; k > 0; k--) {
			uint32_t at = rng_below(&rng, k + 1);
			uint8_t kept = order[k];
			order[k] = order[at];
			order[at] = kept;
		}
		if (least.total_clk > price.total_clk || (double)least.total_clk > step_uneven(&set, order) + 1)
			fail_msg("%u PEs, %u and %u jobs of %.0f + %.0f + %.0f clk, small ones %.3f: bound %llu",
			         set.n_pe, set.n_large, set.n_small, set.kind[0].load_clk, set.kind[0].task_clk,
			         set.kind[0].write_clk, set.kind[1].load_clk / set.kind[0].load_clk,
			         (unsigned long long)least.total_clk);
	}
	print_message("jobs of two sizes: mean %.3f %%, worst %.1f %%\n", 100 * mean, 100 * worst);
	assert_true(mean < 0.02 && worst < 0.3);
}

/* ---- which jobs, in which order ---- */

static struct job_order random_order(struct rng *rng)
{
	struct job_order order = {.n_pe = 1, .is_chain = rng_below(rng, 2)};
	for (int i = 0; i < 2; i++) {
		order.n_h[i] = rng_below(rng, 3) + !i;
		order.n_w[i] = rng_below(rng, 3) + !i;
		order.n_c[i] = rng_below(rng, 4) + !i;
		order.n_d[i] = rng_below(rng, 3) + !i;
	}
	uint64_t n_image = (uint64_t)(order.n_h[0] + order.n_h[1]) * (order.n_w[0] + order.n_w[1]) *
			   (order.n_c[0] + order.n_c[1]);
	order.n_skip = rng_below(rng, 3) ? rng_below(rng, (uint32_t)n_image) : 0;
	order.n_result = 1 + rng_below(rng, 4 * (uint32_t)n_image);
	return order;
}

static double serve_order(const struct job_order *order, const double *task_clk)
{
	struct machine machine;
	struct jobs jobs = {.n_order = 1, .order = {*order}, .kinds = (1u << JOB_MAX_KIND) - 1};
	machine_init(&machine, MACHINE_QPE);
	machine.n_level = 1;
	machine.level[0].clk_mhz = 250;
	const struct rates rates = {
	    .machine = &machine, .dram_byte = DRAM_BYTE, .router_packet = 1, .link_packet = 1, .port_packet = 1};
	struct queue_rule rule = {.answer_clk = ANSWER_CLK, .stretch = 1, .n_most = UINT64_MAX};
	for (uint32_t i = 0; i < JOB_MAX_KIND; i++)
		jobs.kind[i] = (struct job_kind){.load_byte = 64,
		                                 .write_byte = 32,
		                                 .task_clk = task_clk[i],
		                                 .task_shared_clk = task_clk[i]};
	return fast_serve_queue(&jobs, order, &rates, &rule);
}

/* Tasks of an order's results, one after the other: columns in a row, w in h, h in an image, each with all parts of d. */
static double sum_tasks(const struct job_order *order, const double *task_clk)
{
	double sum = 0;
	for (uint64_t i = order->n_skip; i < order->n_skip + order->n_result; i++) {
		uint32_t n_c = order->n_c[0] + order->n_c[1], n_w = order->n_w[0] + order->n_w[1];
		uint64_t c = i % n_c, w = i / n_c % n_w, h = i / n_c / n_w % (order->n_h[0] + order->n_h[1]);
		for (uint32_t d = 0; d < order->n_d[0] + order->n_d[1]; d++)
			sum += task_clk[JOB_KIND(h >= order->n_h[0], w >= order->n_w[0], c >= order->n_c[0],
			                         d >= order->n_d[0])];
	}
	return sum;
}

/* One PE takes each job of an order once, with the sizes that its place has, from any first result on, in images that
 * follow each other: as much longer as its tasks are. */
static void test_job_queue_takes_every_job(void **state)
{
	(void)state;
	double even_clk[JOB_MAX_KIND], task_clk[JOB_MAX_KIND];
	for (int i = 0; i < JOB_MAX_KIND; i++) {
		even_clk[i] = 1000;
		task_clk[i] = 1000 * (1 + i * i);
	}
	for (uint32_t i = 0; i < 2000; i++) {
		struct rng rng = rng_stream(8, i, 0);
		struct job_order order = random_order(&rng);
		double more = serve_order(&order, task_clk) - serve_order(&order, even_clk);
		double expected = sum_tasks(&order, task_clk) - sum_tasks(&order, even_clk);
		if (fabs(more - expected) > 1e-6 * expected)
			fail_msg("order %u: %.0f clk more, expected %.0f", i, more, expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_job_queue_random_jobs),
	    cmocka_unit_test(test_job_queue_bound_is_under_longer_jobs),
	    cmocka_unit_test(test_job_queue_regimes),
	    cmocka_unit_test(test_job_queue_uneven_jobs),
	    cmocka_unit_test(test_job_queue_takes_every_job),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
