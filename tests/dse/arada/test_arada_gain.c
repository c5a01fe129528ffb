/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exact allocation beside ARADA's rule on the study's arrays, memories and networks, with layers priced by a
 * roofline (clocks of the folds, unique words): nobody loses to a rule, nothing is late, energies are what the modes
 * say, small cases are those of brute force.
 */
#include "dse/arada/arada_gain.h"
#include "mapper/network/network.h"
#include "sim/base/rng.h"
#include "sim/systolic/systolic.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "tests/support/shipped_network.h"
#include "tests/support/unit_test.h"
#include "tests/support/near.h"

#define MAX_LAYER 128
#define N_PART 3

static const char *const network_name[] = {"mobilenet_v1", "mobilenet_v2", "efficientnet_b0",
                                           "resnet18",     "googlenet",    "yolov4_tiny"};
#define N_NETWORK (sizeof(network_name) / sizeof(network_name[0]))

static const struct {
	const char *name;
	uint32_t n_pe; /* rows and columns */
	double clk_mhz, gb_s;
} system_of[] = {{"edge, LPDDR4", 64, 500, 25.6},
                 {"edge, DDR5-4800", 64, 500, 38.4},
                 {"hpc, DDR4-4400", 256, 940, 35.2},
                 {"hpc, HBM2", 256, 940, 256}};
#define N_SYSTEM (sizeof(system_of) / sizeof(system_of[0]))

/* A layer by a roofline on the array and on a half and a quarter of its columns. */
static struct arada_work work_of(const struct block *block, uint32_t n_pe, double word_per_clk)
{
	struct systolic_layer layer = {block->kind == BLOCK_MATMUL ? block->in_h : block_padded_h(block),
	                               block->kind == BLOCK_MATMUL ? 1 : block_padded_w(block),
	                               block->kernel_h,
	                               block->kernel_w,
	                               block_group_in_c(block),
	                               block_group_out_c(block),
	                               block->stride};
	if (block->kind == BLOCK_MATMUL)
		layer = (struct systolic_layer){block->in_h, 1, 1, 1, block->in_w, block->out_w, 1};
	struct arada_work work = {.array_pj = 0};
	uint64_t n_group = block_n_group(block);
	for (uint32_t part = 0; part < N_PART; part++) {
		struct systolic_array array = {.rows = n_pe, .cols = n_pe >> part};
		struct systolic_result result = {0};
		struct systolic_folds folds = systolic_fold(&array, &layer);
		systolic_run_array(&array, &folds, &result);
		work.compute_clk[part] = (double)(result.total_clk * n_group);
		if (part > 0) {
			work.word_pj[part] = work.word_pj[0] * (1 + 0.1 * part);
			continue;
		}
		uint64_t n_word = n_group * (systolic_ifmap_word(&layer, &folds) + folds.n_tap * folds.n_filter +
		                             folds.n_pixel * folds.n_filter);
		uint64_t memory_clk = (uint64_t)ceil((double)n_word / word_per_clk);
		uint64_t compute_clk = result.total_clk * n_group;
		work.layer.total_clk = memory_clk > compute_clk ? memory_clk : compute_clk;
		work.layer.stall_clk = work.layer.total_clk - compute_clk;
		work.layer.n_word = n_word;
		work.word_pj[0] = (double)n_word * 64;
		work.array_pj = work.compute_clk[0] * n_pe * n_pe * 0.1;
	}
	return work;
}

static size_t read_works(const char *name, size_t system, struct arada_work *work)
{
	size_t n = 0;
	struct network network = shipped_network(name);
	for (size_t i = 0; i < network.n_block; i++) {
		const struct block *block = &network.block[i];
		if (block->kind != BLOCK_CONV && block->kind != BLOCK_MATMUL)
			continue;
		assert_true(n < MAX_LAYER);
		work[n++] =
		    work_of(block, system_of[system].n_pe, system_of[system].gb_s * 1000 / system_of[system].clk_mhz);
	}
	network_free(&network);
	return n;
}

static struct arada_platform platform_of(size_t system)
{
	return (struct arada_platform){.max_clk_mhz = system_of[system].clk_mhz,
	                               .max_vdd_v = 1,
	                               .max_bandwidth_gb_s = system_of[system].gb_s,
	                               .max_word_per_clk = system_of[system].gb_s * 1000 / system_of[system].clk_mhz,
	                               .switch_us = 10,
	                               .clk_step_mhz = 50,
	                               .n_bandwidth = 10};
}

static struct arada_knobs knobs_of(const struct arada_platform *platform)
{
	return (struct arada_knobs){.platform = platform,
	                            .chooses_bandwidth = true,
	                            .n_part = N_PART,
	                            .part_frac = {1, 0.5, 0.25},
	                            .n_turbo = 2,
	                            .array_mw = 300,
	                            .rest_mw = 100,
	                            .memory_mw = ARADA_MEMORY_IDLE_FRAC * 64 * platform->max_bandwidth_gb_s};
}

static void check_gain(const struct arada_gain *gain)
{
	double rti_ns = gain->rti.time_ns;
	assert_true(gain->is_exact);
	assert_int_equal(gain->rti.n_change[EXACT_ARRAY] + gain->rti.n_change[EXACT_MEMORY], 0);
	for (int i = ARADA_BY_LAYER; i < N_ARADA_ALLOCATOR; i++) {
		assert_true(gain->by[i].time_ns <=
		            rti_ns * (i == ARADA_EXACT_LATER ? ARADA_LATER_FRAC : 1) * (1 + 1e-12));
		assert_true(gain->by[i].energy_pj <= gain->by[i - (i > ARADA_BY_LAYER)].energy_pj * (1 + 1e-12));
	}
	assert_true(gain->gain_pct >= -1e-9 && gain->as_late_pct >= -1e-9);
	if (gain->late_pct <= 0)
		assert_true(gain->by[ARADA_EXACT].energy_pj <= gain->by[ARADA_BY_PUBLISHED].energy_pj * (1 + 1e-12));
	for (int i = 0; i < N_ARADA_ALLOCATOR; i++)
		assert_true(gain->by[i].energy_pj > 0 && gain->saving_pct[i] < 100);
}

static void test_arada_gain_never_loses(void **state)
{
	static struct arada_work work[MAX_LAYER];
	unsigned n_gain = 0, n_late = 0;
	(void)state;
	for (size_t s = 0; s < N_SYSTEM; s++)
		for (size_t i = 0; i < N_NETWORK; i++)
			/* the longest once */
			for (int e = i == 2 && s > 0 ? N_ARADA_ENERGY : 0; e < N_ARADA_ENERGY; e++) {
				struct arada_platform platform = platform_of(s);
				struct arada_knobs knobs = knobs_of(&platform);
				struct arena arena = {0};
				struct arada_gain gain;
				struct arada_case of = {system_of[s].name, network_name[i], &knobs,
				                        read_works(network_name[i], s, work), work};
				assert_int_equal(arada_gain_find(&of, (enum arada_energy)e, &arena, &gain, NULL),
				                 ERR_OK);
				check_gain(&gain);
				n_gain += gain.gain_pct > 1e-6;
				n_late += gain.late_pct > 0;
				arena_free(&arena);
			}
	/* there is something to gain, and the published rule, which charges one change, is late at times */
	assert_in_range(n_gain, 10, N_SYSTEM * N_NETWORK * N_ARADA_ENERGY);
	assert_in_range(n_late, 1, N_SYSTEM * N_NETWORK * N_ARADA_ENERGY);
}

/* A layer of random clocks; its array computes all that is not stalled. */
static struct arada_work random_work(struct rng *rng)
{
	struct arada_work work = {.layer = {.total_clk = 2 + rng_below(rng, 200000)}};
	work.layer.stall_clk = rng_below(rng, 2) ? rng_below(rng, (uint32_t)work.layer.total_clk) : 0;
	work.layer.n_word = 1 + rng_below(rng, (uint32_t)work.layer.total_clk * 30);
	work.compute_clk[0] = work.array_pj = (double)(work.layer.total_clk - work.layer.stall_clk);
	return work;
}

/* The modes that the published rule chooses have its clocks, bandwidths, times and energies (equation 6). */
static void test_arada_modes_follow_the_equations(void **state)
{
	struct rng rng = rng_stream(7, 0, 0);
	unsigned n_lowered = 0;
	(void)state;
	for (int i = 0; i < 400; i++) {
		struct arada_platform platform = platform_of((size_t)i % N_SYSTEM);
		struct arada_work work = random_work(&rng);
		struct arada_mode mode = arada_allocate(ARADA_VF_OH_Q, &platform, &work.layer);
		for (int e = 0; e < N_ARADA_ENERGY; e++) {
			struct arada_knobs knobs = knobs_of(&platform);
			struct exact_problem problem;
			struct arena arena = {0};
			uint32_t chosen;
			knobs.n_part = 1;
			knobs.n_turbo = 0;
			knobs.energy = (enum arada_energy)e;
			assert_int_equal(arada_knobs_build(&knobs, 1, &work, &arena, &problem, NULL), ERR_OK);
			const struct exact_mode *all = problem.layer[0].mode;
			arada_knobs_local_modes(&knobs, 1, &work, 1, &problem, &chosen);
			assert_true(is_near(all[0].time_ns, mode.time_us * 1000, 1e-9));
			assert_true(
			    is_near(arada_knobs_clk_mhz(&knobs, all[chosen].setting[EXACT_ARRAY]), mode.clk_mhz, 1e-9));
			assert_true(is_near(arada_knobs_gb_s(&knobs, all[chosen].setting[EXACT_MEMORY]),
			                    mode.bandwidth_gb_s, 1e-9));
			/* no slower, even with the change that the rule charges */
			bool is_lowered = all[chosen].setting[EXACT_ARRAY] > 0;
			assert_true(all[chosen].time_ns <= all[0].time_ns * (1 + 1e-12));
			assert_true(all[chosen].busy_ns[EXACT_ARRAY] + is_lowered * problem.change_ns[EXACT_ARRAY] <=
			            all[0].time_ns * (1 + 1e-9));
			double frac = all[chosen].energy_pj / all[0].energy_pj;
			if (e == ARADA_NORMALISED)
				assert_true(is_near(frac, mode.gated_frac, 1e-9));
			if (e == ARADA_PAPER)
				assert_true(is_near(frac, mode.energy_frac, 1e-9));
			n_lowered += is_lowered;
			arena_free(&arena);
		}
	}
	assert_in_range(n_lowered, 100, 1100);
}

/* Energy of a machine by hand: a clock at half the voltage, half the array, half the memory. */
static void test_arada_modes_in_closed_form(void **state)
{
	const struct arada_platform platform = {.max_clk_mhz = 500,
	                                        .max_vdd_v = 1,
	                                        .max_bandwidth_gb_s = 20,
	                                        .max_word_per_clk = 20,
	                                        .switch_us = 10,
	                                        .clk_step_mhz = 250,
	                                        .n_bandwidth = 2};
	const struct arada_knobs knobs = {.platform = &platform,
	                                  .energy = ARADA_MACHINE,
	                                  .chooses_bandwidth = true,
	                                  .n_part = 2,
	                                  .part_frac = {1, 0.5},
	                                  .n_turbo = 1,
	                                  .array_mw = 80,
	                                  .rest_mw = 5,
	                                  .memory_mw = 40};
	const struct arada_work work = {
	    .layer = {1000, 600, 8000}, .compute_clk = {400, 500}, .word_pj = {100, 150}, .array_pj = 4000};
	struct exact_problem problem;
	struct arena arena = {0};
	unsigned n_seen = 0;
	(void)state;
	assert_int_equal(arada_knobs_build(&knobs, 1, &work, &arena, &problem, NULL), ERR_OK);
	assert_int_equal(problem.n_setting[EXACT_ARRAY], 3);
	assert_int_equal(problem.n_setting[EXACT_MEMORY], 2);
	for (size_t i = 0; i < problem.layer[0].n_mode; i++) {
		const struct exact_mode *mode = &problem.layer[0].mode[i];
		if (mode->setting[EXACT_ARRAY] == 1 && mode->setting[EXACT_MEMORY] == 1 && mode->choice == 1) {
			/* 500 clocks at 250 MHz; 1000 clocks' worth of memory at half the bandwidth */
			assert_true(is_near(mode->busy_ns[EXACT_ARRAY], 2000, 1e-9));
			assert_true(is_near(mode->time_ns, 4000, 1e-9));
			assert_true(is_near(mode->energy_pj, 4000 * 0.25 + 150, 1e-9));
			assert_true(is_near(mode->static_mw, 80 * 0.5 * 0.5 + 5 + 20, 1e-9));
			n_seen++;
		}
		if (mode->setting[EXACT_ARRAY] == 2 && mode->setting[EXACT_MEMORY] == 0 && mode->choice == 0) {
			/* 750 MHz */
			assert_true(is_near(mode->time_ns, 2000, 1e-9));
			assert_true(is_near(mode->energy_pj, 4000 * 2.25 + 100, 1e-9));
			assert_true(is_near(mode->peak_mw, mode->static_mw + 9000 / (400 / 0.75), 1e-9));
			n_seen++;
		}
	}
	assert_int_equal(n_seen, 2);
	arena_free(&arena);
}

/* Times that a model gives, longer than array and memory alone: nothing is late by them, and rules do not beat exact.
 */
static void test_arada_gain_keeps_a_models_times(void **state)
{
	static double ns[8][N_PART * 10 * 21];
	unsigned n_lowered = 0;
	(void)state;
	for (uint64_t seed = 0; seed < 30; seed++) {
		struct rng rng = rng_stream(seed, 3, 0);
		struct arada_platform platform = platform_of(seed % N_SYSTEM);
		struct arada_knobs knobs = knobs_of(&platform);
		struct arada_work work[8];
		struct arada_times times[8];
		struct arena arena = {0};
		const uint32_t n_array = arada_knobs_n_clk(&knobs), n_memory = arada_knobs_n_bandwidth(&knobs);
		assert_true(n_array <= 21 && n_memory <= 10);
		for (int i = 0; i < 8; i++) {
			double tile_frac = rng_unit(&rng);
			work[i] = random_work(&rng);
			for (uint32_t part = 1; part < N_PART; part++)
				work[i].compute_clk[part] = work[i].compute_clk[0] * (1 + part);
			/* some tiles wait for the memory, the others for the array */
			for (uint32_t k = 0; k < N_PART * n_array * n_memory; k++) {
				uint32_t a = k % n_array, m = k / n_array % n_memory, part = k / n_array / n_memory;
				double array_ns = work[i].compute_clk[part] * 1000 / arada_knobs_clk_mhz(&knobs, a);
				double memory_ns = (double)work[i].layer.n_word / platform.max_word_per_clk * 1000 /
				                   platform.max_clk_mhz * platform.max_bandwidth_gb_s /
				                   arada_knobs_gb_s(&knobs, m);
				ns[i][k] = fmax(array_ns, tile_frac * memory_ns) + (1 - tile_frac) * memory_ns;
			}
			times[i] = (struct arada_times){n_array, n_memory, ns[i]};
			work[i].times = &times[i];
		}
		struct arada_case of = {"machine", "network", &knobs, 8, work};
		for (int e = 0; e < N_ARADA_ENERGY; e++) {
			struct arada_gain gain;
			assert_int_equal(arada_gain_find(&of, (enum arada_energy)e, &arena, &gain, NULL), ERR_OK);
			check_gain(&gain);
			for (int i = 0; i < 8; i++) {
				const struct exact_mode *mode = &gain.mode[i];
				assert_true(mode->time_ns >=
				            ns[i][mode->setting[EXACT_MEMORY] * n_array + mode->setting[EXACT_ARRAY]]);
				n_lowered += mode->setting[EXACT_ARRAY] > 0 || mode->setting[EXACT_MEMORY] > 0;
			}
		}
		arena_free(&arena);
	}
	assert_in_range(n_lowered, 20, 700);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_arada_modes_follow_the_equations),
	    cmocka_unit_test(test_arada_modes_in_closed_form),
	    cmocka_unit_test(test_arada_gain_never_loses),
	    cmocka_unit_test(test_arada_gain_keeps_a_models_times),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
