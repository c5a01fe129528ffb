/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks that share the router of their QPE: against the work that the router does, and what foreign packets wait for
 * there against a router that is stepped packet by packet.
 */
#include "sim/base/rng.h"
#include "sim/fast/fast_parts.h"
#include "tests/support/default_machine.h"
#include "tests/support/near.h"
#include "tests/support/random_block.h"

#define N_CASE 2000
#define N_ROUTER_CASE 200
#define MAX_QUEUE 65536

/* One QPE of a thesis machine, whose router passes so many packets a PE clock. */
struct qpe_case {
	struct machine machine;
	struct rates rates;
	struct queue_place place;
	struct shared_qpes qpes;
};

static void begin_case(struct qpe_case *one, double router_packet)
{
	one->machine = default_machine(MACHINE_QPE, 250);
	one->machine.mla_init_clk = 0;
	one->rates = (struct rates){.machine = &one->machine, .router_packet = router_packet};
	queue_place_derive(&one->machine, &one->place);
	assert_true(shared_qpes_fit(&one->machine, &one->place, 4));
	shared_qpes_begin(&one->place, 4, &one->rates, &one->qpes);
}

/* A packet is asked for every 4 clocks; never a gap between rounds. */
static void time_kind(struct qpe_case *one, uint32_t kind, double n_packet)
{
	const struct job_kind job = {.fetch = {.n_round = 0, .n_packet = n_packet, .ask_clk = 4}};
	shared_qpes_time_kind(&one->qpes, kind, &job, 4 * n_packet, &one->rates);
}

/* Two packets each 4 clocks for a task: a router of 1 a clock keeps up with two of them. */
static void test_fast_qpe_shares_its_router(void **state)
{
	struct qpe_case one;
	(void)state;
	begin_case(&one, 1);
	time_kind(&one, 0, 100);
	for (uint32_t pe = 0; pe < 4; pe++)
		shared_qpes_add(&one.qpes, &(struct job_place){0, 0, pe}, 0);
	assert_close(one.qpes.end_clk, 800);
	for (uint32_t pe = 0; pe < 4; pe++)
		(void)shared_qpes_end(&one.qpes);
	assert_true(isinf(one.qpes.end_clk) && one.qpes.n_task == 0);
	assert_close(one.qpes.task_clk, 4 * 800);
	assert_close(one.qpes.alone_clk, 4 * 400);

	/* half of the first as alone, then three of them, each at 2/3, until the first has ended */
	begin_case(&one, 1);
	time_kind(&one, 0, 100);
	shared_qpes_add(&one.qpes, &(struct job_place){0, 0, 0}, 0);
	shared_qpes_add(&one.qpes, &(struct job_place){0, 0, 1}, 200);
	shared_qpes_add(&one.qpes, &(struct job_place){0, 0, 2}, 200);
	assert_close(one.qpes.end_clk, 200 + 300);
	assert_int_equal(shared_qpes_end(&one.qpes).pe, 0);
	/* each of the others has 200 of 400 done, and the router keeps up with two */
	assert_close(one.qpes.end_clk, 500 + 200);
}

/* Packets of a load that come while a router has no time left make its tasks later by as long as they take there. */
static void test_fast_qpe_delays_tasks_by_what_passes(void **state)
{
	struct qpe_case one;
	(void)state;
	begin_case(&one, 0.5);
	time_kind(&one, 0, 100);
	shared_qpes_add(&one.qpes, &(struct job_place){0, 0, 0}, 0);
	shared_qpes_add(&one.qpes, &(struct job_place){0, 0, 1}, 0);
	assert_close(one.qpes.end_clk, 800);
	(void)shared_qpes_pass(&one.qpes, 0, 50, 2.5);
	assert_close(one.qpes.end_clk, 800 + 50 / 0.5);

	/* a router of 2 a clock has 1.5 left beside one task: nobody waits */
	begin_case(&one, 2);
	time_kind(&one, 0, 100);
	shared_qpes_add(&one.qpes, &(struct job_place){0, 0, 0}, 0);
	assert_true(shared_qpes_pass(&one.qpes, 0, 50, 1) == 0);
	assert_close(one.qpes.end_clk, 400);
}

/* A router too slow for one PE never rests while any task runs: whenever they begin, it takes its work's time. */
static void test_fast_qpe_keeps_the_routers_work(void **state)
{
	struct rng rng = rng_stream(31, 0, 0);
	(void)state;
	for (int i = 0; i < N_CASE; i++) {
		struct qpe_case one;
		double router_packet = 0.1 + 0.3 * rng_unit(&rng), packet = 0, end_clk = 0, start_clk[4];
		uint32_t n_pe = random_from(&rng, 1, 4), n_started = 1;
		begin_case(&one, router_packet);
		for (uint32_t pe = 0; pe < n_pe; pe++) {
			double n_packet = random_from(&rng, 10, 500);
			time_kind(&one, pe, n_packet);
			packet += 2 * n_packet;
			start_clk[pe] = pe == 0 ? 0 : start_clk[pe - 1] + 40 * rng_unit(&rng);
		}
		shared_qpes_add(&one.qpes, &(struct job_place){0, 0, 0}, 0);
		while (n_started < n_pe || one.qpes.n_task > 0) {
			if (n_started < n_pe && start_clk[n_started] < one.qpes.end_clk) {
				shared_qpes_add(&one.qpes, &(struct job_place){n_started, 0, n_started},
				                start_clk[n_started]);
				n_started++;
				continue;
			}
			end_clk = one.qpes.end_clk;
			(void)shared_qpes_end(&one.qpes);
		}
		assert_near(end_clk, packet / router_packet, 1e-9);
	}
}

/* ---- a router packet by packet ---- */

struct router {
	uint32_t first, n;
	uint8_t pe[MAX_QUEUE]; /* whose packet; bit 7: an answer */
};

static void queue_packet(struct router *router, uint8_t packet)
{
	router->pe[(router->first + router->n++) % MAX_QUEUE] = packet;
	assert_true(router->n < MAX_QUEUE);
}

/* Mean packets before a new one, over rounds in which each of n_pe PEs asks for n_packet, every 4 clocks, and goes on
 * when all have come. */
static double mean_queue(double router_packet, uint32_t n_pe, uint32_t n_packet, uint32_t n_round)
{
	static struct router router;
	uint32_t asked[8] = {0}, come[8] = {0}, round[8] = {0}, n_done = 0, clk = 0;
	double budget = 0, sum = 0;
	router.first = router.n = 0;
	for (; n_done < n_pe; clk++) {
		for (uint32_t pe = 0; pe < n_pe; pe++)
			if (round[pe] < n_round && asked[pe] < n_packet && clk % 4 == pe % 4) {
				queue_packet(&router, (uint8_t)pe);
				asked[pe]++;
			}
		sum += router.n;
		for (budget += router_packet; budget >= 1 && router.n > 0; budget--) {
			uint8_t packet = router.pe[router.first], pe = packet & 0x7f;
			router.first = (router.first + 1) % MAX_QUEUE;
			router.n--;
			if (!(packet & 0x80)) {
				queue_packet(&router, packet | 0x80);
			} else if (++come[pe] == n_packet) {
				asked[pe] = come[pe] = 0;
				n_done += ++round[pe] == n_round;
			}
		}
		budget = budget > 1 ? 1 : budget;
	}
	return sum / clk;
}

static void test_fast_qpe_waits_as_at_a_stepped_router(void **state)
{
	struct rng rng = rng_stream(32, 0, 0);
	double mean = 0, largest = 0;
	(void)state;
	for (int i = 0; i < N_ROUTER_CASE; i++) {
		uint32_t n_pe = random_from(&rng, 2, 4), n_packet = random_from(&rng, 64, 600), n_round = 8;
		/* 1.3 to 5 times as much as it passes is asked for */
		double ask_packet = 2 * n_pe / 4.0, router_packet = ask_packet / (1.3 + 3.7 * rng_unit(&rng));
		const struct mla_fetch fetch = {n_round, (double)n_round * n_packet, 4};
		double want_clk = mean_queue(router_packet, n_pe, n_packet, n_round) / router_packet;
		double clk = fast_router_wait_clk(&fetch, 4.0 * n_packet * n_round, n_pe, router_packet);
		double error = fabs(clk / want_clk - 1);
		mean += error / N_ROUTER_CASE;
		largest = fmax(largest, error);
	}
	print_message("a packet's wait: %.1f %% off in the mean, at most %.1f %%\n", 100 * mean, 100 * largest);
	assert_true(mean < 0.08 && largest < 0.12);
	/* a router that keeps up keeps nobody waiting */
	const struct mla_fetch fetch = {1, 100, 4};
	assert_true(fast_router_wait_clk(&fetch, 400, 2, 1) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fast_qpe_shares_its_router),
	    cmocka_unit_test(test_fast_qpe_delays_tasks_by_what_passes),
	    cmocka_unit_test(test_fast_qpe_keeps_the_routers_work),
	    cmocka_unit_test(test_fast_qpe_waits_as_at_a_stepped_router),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
