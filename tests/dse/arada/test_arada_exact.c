/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exact allocation against brute force over all modes of all layers and all hosts of changes; what hosts cost, in
 * closed form; chains of as many layers and settings as the study has.
 */
#include "dse/arada/arada_exact.h"
#include "sim/base/rng.h"
#include <math.h>
#include <string.h>
#include "tests/support/unit_test.h"

#define MAX_LAYER 90
#define MAX_MODE 160

struct sample {
	struct exact_problem problem;
	struct exact_layer layer[MAX_LAYER];
	struct exact_mode mode[MAX_LAYER][MAX_MODE];
};

static double draw(struct rng *rng, double from, double to, bool whole)
{
	double value = from + (to - from) * rng_unit(rng);
	return whole ? floor(value) : value;
}

/*
 * Layers of random computation and traffic at every pair of settings, slower ones thriftier; some modes are missing.
 * whole: small whole numbers, so that many schedules tie and deadlines are hit exactly.
 */
static void make_sample(struct rng *rng, size_t n_layer, uint32_t n_array, uint32_t n_memory, bool whole,
                        struct sample *sample)
{
	memset(sample, 0, sizeof(*sample));
	struct exact_problem *problem = &sample->problem;
	*problem = (struct exact_problem){.n_layer = n_layer, .layer = sample->layer, .n_setting = {n_array, n_memory}};
	for (int d = 0; d < N_EXACT_DOMAIN; d++) {
		problem->change_ns[d] = rng_below(rng, 4) ? draw(rng, 0, 12, whole) : 0;
		problem->change_pj[d] = rng_below(rng, 2) ? draw(rng, 0, 8, whole) : 0;
	}
	for (size_t i = 0; i < n_layer; i++) {
		double clk = draw(rng, 1, 30, whole), byte = draw(rng, 1, 30, whole), lead = draw(rng, 0, 4, whole);
		double static_mw = rng_below(rng, 2) ? draw(rng, 0, 3, whole) : 0;
		size_t n = 0;
		for (uint32_t a = 0; a < n_array; a++)
			for (uint32_t m = 0; m < n_memory; m++) {
				double speed = 1.0 + n_array - a, rate = 1.0 + n_memory - m;
				double array_ns = clk * 4 / speed, memory_ns = byte * 4 / rate;
				if (whole) {
					array_ns = ceil(array_ns);
					memory_ns = ceil(memory_ns);
				}
				bool is_left_out = rng_below(rng, 5) == 0 && (a > 0 || m > 0);
				if (is_left_out)
					continue;
				sample->mode[i][n] = (struct exact_mode){
				    .setting = {a, m},
				    .choice = (uint32_t)n,
				    .busy_ns = {array_ns, memory_ns},
				    .time_ns = fmax(array_ns, memory_ns) + lead,
				    .energy_pj = draw(rng, 0.8, 1.2, false) * clk * speed * speed + byte * rate,
				    .static_mw = static_mw * rate,
				    .peak_mw = speed + rate};
				if (whole)
					sample->mode[i][n].energy_pj = floor(sample->mode[i][n].energy_pj);
				n++;
			}
		sample->layer[i] = (struct exact_layer){n, sample->mode[i]};
	}
}

/* Every assignment of modes and hosts. */
struct brute {
	const struct exact_problem *problem;
	const struct exact_goal *goal;
	double best;
	struct exact_step step[8];
	struct exact_schedule schedule;
};

static void enumerate_hosts(struct brute *brute, size_t at)
{
	if (at == brute->problem->n_layer) {
		if (arada_exact_measure(brute->problem, brute->goal, &brute->schedule))
			brute->best =
			    fmin(brute->best, brute->goal->aim == EXACT_LEAST_TIME ? brute->schedule.time_ns
			                                                           : brute->schedule.energy_pj);
		return;
	}
	const struct exact_layer *layer = &brute->problem->layer[at];
	for (uint32_t k = 0; k < layer->n_mode; k++) {
		brute->step[at] = (struct exact_step){.mode = k};
		if (at == 0) {
			enumerate_hosts(brute, at + 1);
			continue;
		}
		struct exact_step *last = &brute->step[at - 1];
		const struct exact_mode *before = &brute->problem->layer[at - 1].mode[last->mode],
					*now = &layer->mode[k];
		bool array = before->setting[0] != now->setting[0], memory = before->setting[1] != now->setting[1];
		for (unsigned host = 0; host < 4; host++) {
			if (((host & 1) && !array) || ((host >> 1) && !memory))
				continue;
			last->after[0] = array && !(host & 1);
			brute->step[at].before[0] = array && (host & 1);
			last->after[1] = memory && !(host >> 1);
			brute->step[at].before[1] = memory && (host >> 1);
			brute->step[at].after[0] = brute->step[at].after[1] = false;
			enumerate_hosts(brute, at + 1);
		}
		last->after[0] = last->after[1] = false;
	}
}

static double nominal_ns(const struct exact_problem *problem)
{
	double ns = 0;
	for (size_t i = 0; i < problem->n_layer; i++)
		ns += problem->layer[i].mode[0].time_ns;
	return ns;
}

static unsigned check_against_brute_force(uint64_t seed)
{
	static struct sample sample;
	struct rng rng = rng_stream(seed, 0, 0);
	uint32_t n_array = 1 + rng_below(&rng, 3), n_memory = 1 + rng_below(&rng, 2);
	size_t n_layer = 1 + rng_below(&rng, 4);
	unsigned n_found = 0;
	make_sample(&rng, n_layer, n_array, n_memory, seed % 2 > 0, &sample);
	const double rti_ns = nominal_ns(&sample.problem);
	const double deadline[] = {INFINITY, rti_ns, 1.3 * rti_ns, 0.9 * rti_ns};
	for (size_t g = 0; g < 8; g++) {
		const struct exact_goal goal = {g < 4 ? EXACT_LEAST_ENERGY : EXACT_LEAST_TIME, deadline[g % 4],
		                                g == 3 || g == 6 ? 4.5 : INFINITY};
		struct brute brute = {.problem = &sample.problem, .goal = &goal, .best = INFINITY};
		struct exact_schedule schedule;
		struct arena arena = {0};
		brute.schedule.step = brute.step;
		enumerate_hosts(&brute, 0);
		assert_int_equal(arada_exact_solve(&sample.problem, &goal, 0, &arena, &schedule, NULL), ERR_OK);
		assert_true(schedule.is_exact);
		assert_int_equal(schedule.is_found, isfinite(brute.best));
		if (schedule.is_found) {
			double value = g < 4 ? schedule.energy_pj : schedule.time_ns;
			assert_true(arada_exact_measure(&sample.problem, &goal, &schedule));
			assert_true(fabs(value - brute.best) <= 1e-11 * fabs(brute.best));
			n_found++;
		}
		arena_free(&arena);
	}
	return n_found;
}

static void test_arada_exact_equals_brute_force(void **state)
{
	unsigned n_found = 0;
	(void)state;
	for (uint64_t seed = 0; seed < 600; seed++)
		n_found += check_against_brute_force(seed);
	/* neither all nor none of the goals can be met */
	assert_in_range(n_found, 2400, 4400);
}

/* Two layers, the first bound by memory, the second by the array; the array changes between them. */
static void make_pair(double stall_ns, struct sample *sample)
{
	memset(sample, 0, sizeof(*sample));
	sample->problem =
	    (struct exact_problem){.n_layer = 2, .layer = sample->layer, .n_setting = {2, 1}, .change_ns = {10, 10}};
	for (size_t i = 0; i < 2; i++) {
		double memory_ns = i == 0 ? 100 : 40;
		for (uint32_t a = 0; a < 2; a++) {
			double array_ns = i == 0 ? (a == 0 ? 50 : 100 - stall_ns) : (a == 0 ? 60 : 120);
			sample->mode[i][a] = (struct exact_mode){.setting = {a, 0},
			                                         .busy_ns = {array_ns, memory_ns},
			                                         .time_ns = fmax(array_ns, memory_ns),
			                                         .energy_pj = a == 0 ? 100 : 64};
		}
		sample->layer[i] = (struct exact_layer){2, sample->mode[i]};
	}
}

/* ARADA's rule: the clock is lowered where the stall covers the change; what is left of it otherwise is late. */
static void test_arada_exact_changes_in_stalls_are_free(void **state)
{
	static struct sample sample;
	const uint32_t lowered[] = {1, 0};
	(void)state;
	for (int covered = 0; covered < 2; covered++) {
		struct exact_goal goal = {EXACT_LEAST_ENERGY, 160, INFINITY};
		struct exact_schedule schedule, placed;
		struct arena arena = {0};
		bool is_late = false;
		make_pair(covered ? 10 : 6, &sample);
		assert_int_equal(arada_exact_solve(&sample.problem, &goal, 0, &arena, &schedule, NULL), ERR_OK);
		assert_true(schedule.is_found && schedule.time_ns <= 160);
		assert_true(fabs(schedule.energy_pj - (covered ? 164 : 200)) < 1e-9);
		assert_int_equal(schedule.n_change[EXACT_ARRAY], covered);
		assert_int_equal(arada_exact_place(&sample.problem, &goal, lowered, &arena, &placed, &is_late, NULL),
		                 ERR_OK);
		assert_true(placed.is_found && is_late == !covered);
		assert_true(fabs(placed.time_ns - (covered ? 160 : 164)) < 1e-9);
		assert_true(placed.step[0].after[EXACT_ARRAY] && !placed.step[1].before[EXACT_ARRAY]);
		arena_free(&arena);
	}
}

/* A looser deadline never costs energy, and neither do more settings. */
static void test_arada_exact_freedom_never_costs(void **state)
{
	static struct sample sample;
	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct rng rng = rng_stream(seed, 1, 0);
		double before = INFINITY;
		make_sample(&rng, 12, 4, 3, false, &sample);
		double rti_ns = nominal_ns(&sample.problem);
		for (int i = 0; i < 5; i++) {
			struct exact_goal goal = {EXACT_LEAST_ENERGY, rti_ns * (1 + 0.05 * i), INFINITY};
			struct exact_schedule schedule;
			struct arena arena = {0};
			assert_int_equal(arada_exact_solve(&sample.problem, &goal, 0, &arena, &schedule, NULL), ERR_OK);
			assert_true(schedule.is_found && schedule.is_exact);
			assert_true(schedule.time_ns <= goal.max_ns * (1 + 1e-12));
			assert_true(schedule.energy_pj <= before * (1 + 1e-12));
			before = schedule.energy_pj;
			arena_free(&arena);
		}
	}
}

/* As many layers and settings as the study's largest; a limit on labels is admitted, with a bound that holds. */
static void test_arada_exact_of_long_chains(void **state)
{
	static struct sample sample;
	(void)state;
	for (uint64_t seed = 0; seed < 4; seed++) {
		struct rng rng = rng_stream(seed, 2, 0);
		struct exact_schedule schedule, cut;
		struct arena arena = {0};
		make_sample(&rng, 82, 19, 8, seed % 2 > 0, &sample);
		struct exact_goal goal = {EXACT_LEAST_ENERGY, nominal_ns(&sample.problem) * 1.02, INFINITY};
		assert_int_equal(arada_exact_solve(&sample.problem, &goal, 0, &arena, &schedule, NULL), ERR_OK);
		assert_true(schedule.is_found && schedule.is_exact);
		assert_int_equal(arada_exact_solve(&sample.problem, &goal, 40, &arena, &cut, NULL), ERR_OK);
		assert_true(cut.is_found && cut.energy_pj >= schedule.energy_pj * (1 - 1e-12));
		assert_true(cut.bound <= schedule.energy_pj * (1 + 1e-12));
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_arada_exact_equals_brute_force),
	    cmocka_unit_test(test_arada_exact_changes_in_stalls_are_free),
	    cmocka_unit_test(test_arada_exact_freedom_never_costs),
	    cmocka_unit_test(test_arada_exact_of_long_chains),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
