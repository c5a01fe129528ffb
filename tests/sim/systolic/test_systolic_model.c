/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The physical model of systolic arrays: worked examples, words counted one by
 * one, and its closed form against the event tier on random tiles.
 */
#include "tests/support/unit_test.h"
#include "sim/event/event_systolic.h"
#include "sim/fast/fast.h"
#include "tests/support/random_systolic.h"
#include "tests/support/sample_systolic.h"
#include "tests/support/small_array.h"
#include <math.h>
#include <stdlib.h>

#define N_TRIAL 20000

static void print_dim(const char *name, const struct systolic_dim *dim)
{
	print_error(" %s %u*%u+%u*%u", name, dim->size_a, dim->n_a, dim->size_b, dim->n_b);
}

static void print_work(const struct machine *machine, const struct systolic_work *work)
{
	print_error("%ux%u %u/%u/%u byte of %u, %g GB/s; dataflow %d outside %d groups %u in %ux%u kernel %ux%u/%u",
	            machine->systolic.rows, machine->systolic.cols, machine->systolic.ifmap_byte,
	            machine->systolic.filter_byte, machine->systolic.ofmap_byte, machine->systolic.word_byte,
	            machine->systolic.memory_gb_s, (int)work->dataflow, work->filter_outside, work->n_group, work->in_w,
	            work->in_h, work->kernel_w, work->kernel_h, work->stride);
	print_dim("w", &work->w);
	print_dim("h", &work->h);
	print_dim("c", &work->c);
	print_dim("d", &work->d);
	print_error(" once %d unique %d once %d\n", work->ifmap_once, work->ifmap_unique, work->filter_once);
}

/* ---- worked examples ---- */

static void test_systolic_model_one_tile(void **state)
{
	(void)state;
	struct machine machine = small_array();
	/* 4 x 2 folds of 18 + 4 + 4 - 2; 5 x 2 of 4 + 16 + 4 + 4 - 2; 5 x 4 of 4 + 8 + 4 + 4 - 2 */
	static const uint64_t compute_clk[] = {192, 260, 360};
	static const uint64_t sram[][4] = {{2 * 16 * 18, 4 * 8 * 18, 128, 0},
	                                   {2 * 16 * 18, 8 * 18, 5 * 128, 4 * 128},
	                                   {16 * 18, 4 * 8 * 18, 5 * 128, 4 * 128}};
	static const double mapping[] = {1, 18.0 / 20, 18.0 / 20};
	for (int i = 0; i < 3; i++) {
		struct systolic_work work = small_work((enum systolic_dataflow)i);
		struct systolic_result result = run_closed(&machine, &work);
		assert_int_equal(result.total_clk - result.stall_clk, compute_clk[i]);
		/* 216 words before, 128 behind */
		assert_int_equal(result.stall_clk, 108 + 64);
		assert_int_equal(result.sram_ifmap_read_word, sram[i][0]);
		assert_int_equal(result.sram_filter_read_word, sram[i][1]);
		assert_int_equal(result.sram_ofmap_write_word, sram[i][2]);
		assert_int_equal(result.sram_ofmap_read_word, sram[i][3]);
		assert_int_equal(result.dram_ifmap_read_word, 72);
		assert_int_equal(result.dram_filter_read_word, 144);
		assert_int_equal(result.dram_ofmap_write_word, 128);
		assert_near(result.mapping_eff, mapping[i], 1e-12);
		assert_near(result.compute_util, 16.0 * 8 * 18 / (16.0 * (double)compute_clk[i]), 1e-12);
		assert_near(result.overall_util, 16.0 * 8 * 18 / (16.0 * (double)result.total_clk), 1e-12);
	}
}

/* Two tiles of filters: the second one's 72 words come while the first computes, its results go while the second does.
 */
static void test_systolic_model_overlaps_tiles(void **state)
{
	(void)state;
	struct machine machine = small_array();
	struct systolic_work work = small_work(SYSTOLIC_OS);
	work.c = (struct systolic_dim){4, 2, 0, 0};
	struct systolic_result result = run_closed(&machine, &work);
	/* load 72 + 72, compute 96 each (72 / 2 and 64 / 2 are less), store 64 */
	assert_int_equal(result.total_clk, 72 + 96 + 96 + 32);
	assert_int_equal(result.stall_clk, 72 + 32);
	/* an eighth of that memory: 72 words take 288 clocks, 64 results 256 */
	machine.systolic.memory_gb_s /= 8;
	result = run_closed(&machine, &work);
	assert_int_equal(result.total_clk, 8 * 72 + 288 + 256 + 256);
}

/* Results of a block leave while the next one goes over its channels, behind the loads. */
static void test_systolic_model_stores_behind_loads(void **state)
{
	(void)state;
	struct machine machine = small_array();
	struct systolic_work work = small_work(SYSTOLIC_OS);
	work.c = (struct systolic_dim){4, 2, 0, 0};
	work.d = (struct systolic_dim){1, 2, 0, 0};
	machine.systolic.filter_byte = 2 * 36; /* a tile of 4 x 9 words in a half */
	struct systolic_result result = run_closed(&machine, &work);
	assert_true(work.ifmap_unique && !work.filter_once);
	/*
	 * Steps of 4 folds of 15 clocks. Loads of 36 + 36 words, then 36 + 36, 36, 36: 36, 36, 18, 18 clocks at 2 words
	 * a clock; the first block's 64 results take 32, in the 60 - 18 clocks that the third step's load leaves.
	 */
	assert_int_equal(result.total_clk, 36 + 4 * 60 + 32);
	/* a quarter of that memory: loads 144, 144, 72, 72; 128 a store, 60 + 72 and then 60 clocks with 0 and 60 left
	 */
	machine.systolic.memory_gb_s /= 4;
	result = run_closed(&machine, &work);
	assert_int_equal(result.total_clk, 144 + 144 + 72 + (72 + 128) + 128);
}

/* Outputs that lie apart, or past the ifmap, do not load what they do not see. */
static void test_systolic_model_loads_what_filters_see(void **state)
{
	(void)state;
	struct machine machine = small_array();
	struct systolic_work work = small_work(SYSTOLIC_OS);
	work.kernel_w = work.kernel_h = 1;
	work.stride = 3;
	work.in_w = work.in_h = 10; /* lines 0, 3, 6, 9 */
	assert_int_equal(run_closed(&machine, &work).dram_ifmap_read_word, 16 * 2);
	work.in_w = 9; /* the last output lies past it */
	assert_int_equal(run_closed(&machine, &work).dram_ifmap_read_word, 12 * 2);
	work = small_work(SYSTOLIC_OS);
	work.stride = 2;
	work.in_w = work.in_h = 8; /* 9 would be whole */
	assert_int_equal(run_closed(&machine, &work).dram_ifmap_read_word, 64 * 2);
	work.w = (struct systolic_dim){2, 2, 0, 0};
	assert_int_equal(run_closed(&machine, &work).dram_ifmap_read_word, 64 * 2);
	machine.systolic.ifmap_byte = 2 * 5 * 8 * 2; /* a tile of 5 x 8 and no more */
	work.n_group = 2;                            /* or both halves would keep all of it */
	assert_int_equal(run_closed(&machine, &work).dram_ifmap_read_word, 2 * (5 + 4) * 8 * 2);
}

/* A whole layer on the array takes what SCALE-Sim's rules say, but for the clock that the tool forgets. */
static void test_systolic_model_computes_as_scalesim(void **state)
{
	(void)state;
	struct rng rng = rng_stream(11, 0, 0);
	for (int i = 0; i < 2000; i++) {
		struct machine machine = random_array(&rng, 40, 1000);
		struct systolic_work work = random_work(&rng, 30, 30, 1);
		work.pool = 0;
		work.dilation = 1; /* the tool knows no gaps */
		const struct systolic_array array = {.rows = machine.systolic.rows, .cols = machine.systolic.cols};
		const struct systolic_layer layer = {work.in_h,     work.in_w,     work.kernel_h, work.kernel_w,
		                                     work.d.size_a, work.c.size_a, work.stride};
		work.dataflow = SYSTOLIC_OS;
		work.n_group = 1;
		assert_true(systolic_layer_is_valid(&layer));
		struct systolic_folds folds = systolic_fold(&array, &layer);
		if (folds.ofmap_w != systolic_dim_extent(&work.w) || folds.ofmap_h != systolic_dim_extent(&work.h))
			continue;
		struct systolic_result want, result;
		systolic_run_array(&array, &folds, &want);
		machine.systolic.ifmap_byte = machine.systolic.filter_byte = machine.systolic.ofmap_byte = 1u << 30;
		result = run_closed(&machine, &work);
		assert_int_equal(result.total_clk - result.stall_clk, want.total_clk + 1);
		assert_int_equal(result.sram_ifmap_read_word, want.sram_ifmap_read_word);
		assert_int_equal(result.sram_filter_read_word, want.sram_filter_read_word);
		assert_int_equal(result.sram_ofmap_write_word, want.sram_ofmap_write_word);
		assert_int_equal(result.dram_ifmap_read_word, systolic_ifmap_word(&layer, &folds));
		assert_near(result.mapping_eff, want.mapping_eff, 1e-12);
		assert_near(result.compute_util, want.compute_util, 1e-12);
	}
}

/* ---- words one by one ---- */

/* Outputs of the tile that is number i along a dimension. */
static void tile_range(const struct systolic_dim *dim, uint32_t i, uint32_t *begin, uint32_t *end)
{
	*begin = i < dim->n_a ? i * dim->size_a : dim->n_a * dim->size_a + (i - dim->n_a) * dim->size_b;
	*end = *begin + (i < dim->n_a ? dim->size_a : dim->size_b);
}

/* Mark pixels of the ifmap that a tile's filters cover, with those between their taps; how many were not marked yet. */
static uint64_t mark_tile(const struct systolic_work *work, uint32_t tile_w, uint32_t tile_h, bool *seen)
{
	uint32_t w0, w1, h0, h1;
	uint64_t n = 0;
	tile_range(&work->w, tile_w, &w0, &w1);
	tile_range(&work->h, tile_h, &h0, &h1);
	for (uint32_t h = h0; h < h1; h++)
		for (uint32_t w = w0; w < w1; w++)
			for (uint32_t k = 0; k < systolic_reach_w(work) * systolic_reach_h(work); k++) {
				uint32_t x = w * work->stride + k % systolic_reach_w(work);
				uint32_t y = h * work->stride + k / systolic_reach_w(work);
				if (x >= work->in_w || y >= work->in_h || seen[y * work->in_w + x])
					continue;
				seen[y * work->in_w + x] = true;
				n++;
			}
	return n;
}

/* Ifmap pixels: the most of a tile, those of all tiles with what they share as often as it is, and each once. */
struct seen {
	uint64_t largest, sum, unique;
};

static struct seen look(const struct systolic_work *work)
{
	size_t n_pixel = (size_t)work->in_w * work->in_h;
	struct seen seen = {0};
	bool *all = calloc(n_pixel, sizeof(*all)), *one = calloc(n_pixel, sizeof(*one));
	assert_true(all && one);
	for (uint32_t h = 0; h < systolic_dim_n(&work->h); h++)
		for (uint32_t w = 0; w < systolic_dim_n(&work->w); w++) {
			memset(one, 0, n_pixel);
			uint64_t n = mark_tile(work, w, h, one);
			seen.largest = n > seen.largest ? n : seen.largest;
			seen.sum += n;
			seen.unique += mark_tile(work, w, h, all);
		}
	free(all);
	free(one);
	return seen;
}

/* What buffers keep, by the rule itself. */
static bool keeps(uint64_t word, uint32_t buffer_byte, uint32_t word_byte, bool is_only)
{
	return word <= (is_only ? buffer_byte : buffer_byte / 2) / word_byte;
}

static void check_placement(const struct machine *machine, const struct systolic_work *work, const struct seen *seen,
                            bool fits)
{
	uint64_t kernel = (uint64_t)work->kernel_w * work->kernel_h, all_d = systolic_dim_extent(&work->d);
	uint32_t n_s = systolic_dim_n(&work->w) * systolic_dim_n(&work->h), n_c = systolic_dim_n(&work->c);
	uint32_t n_d = systolic_dim_n(&work->d), word_byte = machine->systolic.word_byte;
	bool one = work->n_group == 1;
	bool unique = keeps(seen->unique * all_d, machine->systolic.ifmap_byte, word_byte, one);
	bool deep = keeps(seen->largest * all_d, machine->systolic.ifmap_byte, word_byte, one && n_s == 1);
	bool tile =
	    keeps(seen->largest * work->d.size_a, machine->systolic.ifmap_byte, word_byte, one && n_s == 1 && n_d == 1);
	uint64_t filter = kernel * work->c.size_a;
	bool f_all =
	    keeps(kernel * systolic_dim_extent(&work->c) * all_d, machine->systolic.filter_byte, word_byte, one);
	bool f_deep = keeps(filter * all_d, machine->systolic.filter_byte, word_byte, one && n_c == 1);
	bool f_tile =
	    keeps(filter * work->d.size_a, machine->systolic.filter_byte, word_byte, one && n_c == 1 && n_d == 1);
	bool o_tile = keeps((uint64_t)work->w.size_a * work->h.size_a * work->c.size_a, machine->systolic.ofmap_byte,
	                    word_byte, one && n_s == 1 && n_c == 1);
	assert_int_equal(fits, (unique || tile) && (f_all || f_tile) && o_tile);
	if (!fits)
		return;
	assert_int_equal(work->ifmap_unique, unique);
	assert_int_equal(work->ifmap_once, unique || (deep && !work->filter_outside));
	assert_int_equal(work->filter_once, f_all || (f_deep && work->filter_outside));
}

/* Each word as often as the loops bring it. */
static void check_words(const struct systolic_work *work, const struct seen *seen, const struct systolic_result *result)
{
	uint64_t kernel = (uint64_t)work->kernel_w * work->kernel_h, ifmap = 0, filter = 0, ofmap = 0;
	uint64_t all_d = systolic_dim_extent(&work->d);
	for (uint32_t g = 0; g < work->n_group; g++)
		for (uint32_t c = 0; c < systolic_dim_n(&work->c); c++) {
			uint32_t c0, c1;
			tile_range(&work->c, c, &c0, &c1);
			ifmap +=
			    c > 0 && work->ifmap_once ? 0 : (work->ifmap_unique ? seen->unique : seen->sum) * all_d;
			for (uint32_t s = 0; s < systolic_dim_n(&work->w) * systolic_dim_n(&work->h); s++) {
				uint32_t w0, w1, h0, h1;
				tile_range(&work->w, s % systolic_dim_n(&work->w), &w0, &w1);
				tile_range(&work->h, s / systolic_dim_n(&work->w), &h0, &h1);
				filter += s > 0 && work->filter_once ? 0 : kernel * (c1 - c0) * all_d;
				ofmap += (uint64_t)(w1 - w0) * (h1 - h0) * (c1 - c0) / systolic_pool_area(work);
			}
		}
	assert_int_equal(result->dram_ifmap_read_word, ifmap);
	assert_int_equal(result->dram_filter_read_word, filter);
	assert_int_equal(result->dram_ofmap_write_word, ofmap);
	/* never less than there is */
	assert_true(result->dram_ifmap_read_word >= seen->unique * all_d * work->n_group);
	assert_true(result->dram_filter_read_word >= kernel * systolic_dim_extent(&work->c) * all_d * work->n_group);
}

static void test_systolic_model_words_are_those_counted(void **state)
{
	(void)state;
	struct rng rng = rng_stream(12, 0, 0);
	uint32_t n_fit = 0, n_once[2][2] = {{0}};
	for (int i = 0; i < N_TRIAL; i++) {
		struct machine machine = random_array(&rng, 20, 20000);
		struct systolic_work work = random_work(&rng, 14, 12, 5);
		struct systolic_misfit misfit;
		struct systolic_result result;
		assert_true(systolic_is_valid(&machine, &work));
		struct seen seen = look(&work);
		bool fits = systolic_place(&machine, &work, &misfit);
		check_placement(&machine, &work, &seen, fits);
		if (!fits) {
			assert_true(misfit.demanded_byte > misfit.available_byte);
			continue;
		}
		n_fit++;
		n_once[work.ifmap_once][work.filter_once]++;
		systolic_run(&machine, &work, 0, &result);
		check_words(&work, &seen, &result);
		assert_true(systolic_sram_byte(&machine, &work) <= machine_sram_byte(&machine));
	}
	assert_true(n_fit > N_TRIAL / 4);
	assert_true(n_once[0][0] > 100 && n_once[0][1] > 100 && n_once[1][0] > 100 && n_once[1][1] > 100);
}

/* ---- against the event tier ---- */

/* What no run can be beyond. */
static void check_laws(const struct machine *machine, const struct systolic_work *work, uint32_t level,
                       const struct systolic_result *result)
{
	double word = (double)result->dram_ifmap_read_word + (double)result->dram_filter_read_word +
	              (double)result->dram_ofmap_write_word;
	double memory_clk = word / systolic_bandwidth_word(machine, level);
	assert_true((double)result->stall_clk <= ceil(memory_clk * (1 + 1e-12)));
	assert_true((double)result->total_clk * (1 + 1e-12) >= memory_clk);
	assert_true(result->compute_util <= result->mapping_eff * (1 + 1e-12) && result->mapping_eff <= 1);
	assert_true(result->overall_util <= result->compute_util);
	double mac = systolic_n_mac(work);
	assert_near(result->overall_util * (double)result->total_clk * (double)machine_n_mac(machine), mac, 1e-9);
	assert_int_equal(result->sram_ofmap_write_word - result->sram_ofmap_read_word,
	                 result->dram_ofmap_write_word * systolic_pool_area(work));
	assert_true((double)result->sram_ifmap_read_word <= mac && (double)result->sram_filter_read_word <= mac);
}

static void assert_same(const struct systolic_result *closed, const struct systolic_result *event)
{
	/* sums of the same terms in another order may fall on the other side of a whole clock */
	double clk = (double)event->total_clk;
	assert_true(fabs((double)closed->total_clk - clk) <= 1 + 1e-9 * clk);
	assert_int_equal(closed->total_clk - closed->stall_clk, event->total_clk - event->stall_clk);
	assert_int_equal(closed->dram_ifmap_read_word, event->dram_ifmap_read_word);
	assert_int_equal(closed->dram_filter_read_word, event->dram_filter_read_word);
	assert_int_equal(closed->dram_ofmap_write_word, event->dram_ofmap_write_word);
	assert_int_equal(closed->sram_ifmap_read_word, event->sram_ifmap_read_word);
	assert_int_equal(closed->sram_filter_read_word, event->sram_filter_read_word);
	assert_int_equal(closed->sram_ofmap_write_word, event->sram_ofmap_write_word);
	assert_int_equal(closed->sram_ofmap_read_word, event->sram_ofmap_read_word);
}

static void test_systolic_model_is_the_event_tier(void **state)
{
	(void)state;
	struct rng rng = rng_stream(13, 0, 0);
	uint32_t n_fit = 0, n_bound = 0;
	for (int i = 0; i < N_TRIAL; i++) {
		struct machine machine = random_array(&rng, 24, 60000);
		struct systolic_work work = random_work(&rng, 40, 40, rng_below(&rng, 2) ? 4 : 12);
		struct systolic_misfit misfit;
		struct systolic_result closed, event;
		assert_true(systolic_is_valid(&machine, &work));
		if (!systolic_place(&machine, &work, &misfit))
			continue;
		uint32_t level = rng_below(&rng, 2);
		systolic_run(&machine, &work, level, &closed);
		assert_int_equal(event_systolic_run(&machine, &work, level, NULL, &event, NULL, NULL), ERR_OK);
		if (fabs((double)closed.total_clk - (double)event.total_clk) > 1 + 1e-9 * (double)event.total_clk) {
			print_work(&machine, &work);
			fail_msg("%llu clocks, event by event %llu", (unsigned long long)closed.total_clk,
			         (unsigned long long)event.total_clk);
		}
		assert_same(&closed, &event);
		check_laws(&machine, &work, level, &closed);
		n_fit++;
		n_bound += closed.stall_clk > closed.total_clk / 4 && closed.stall_clk < closed.total_clk / 4 * 3;
	}
	assert_true(n_fit > N_TRIAL / 4 && n_bound > N_TRIAL / 20);
}

/* ---- the tiers ---- */

static void test_systolic_model_tiers_price_programs_alike(void **state)
{
	(void)state;
	struct rng rng = rng_stream(14, 0, 0);
	uint32_t n_run = 0;
	for (int i = 0; i < 2000; i++) {
		struct machine machine = random_array(&rng, 24, 60000);
		struct systolic_work work = random_work(&rng, 30, 30, 6);
		struct program program;
		struct sim_result fast, event;
		struct event_stat stat;
		machine.systolic.dataflow = rng_below(&rng, 2) ? SYSTOLIC_ANY : (uint32_t)work.dataflow;
		if (!sample_systolic_program(&machine, &work, &program))
			continue;
		n_run++;
		fast_run(&machine, &program, 1, &fast);
		assert_int_equal(event_systolic_run_program(&machine, &program, 1, NULL, &event, &stat, NULL), ERR_OK);
		assert_true(stat.n_event > 0);
		assert_int_equal(fast.phase_clk[PHASE_COMPUTATION], event.phase_clk[PHASE_COMPUTATION]);
		assert_int_equal(fast.total_clk, fast.phase_clk[PHASE_COMPUTATION] + fast.phase_clk[PHASE_STALL]);
		assert_int_equal(fast.core_clk, fast.total_clk);
		assert_near((double)fast.total_clk, (double)event.total_clk, 1e-9 + 1.0 / (double)fast.total_clk);
		assert_near(fast.energy.total_pj, event.energy.total_pj, 1e-9 + 1.0 / (double)fast.total_clk);
		assert_near(fast.counts.mac, systolic_n_mac(&work), 1e-12);
		assert_true(fast.counts.dram_read_byte == event.counts.dram_read_byte);
		assert_true(fast.sram_byte == event.sram_byte && fast.sram_byte > 0);
		assert_true(fast.mac_util_frac <= 1);
		assert_near(fast.peak_power_mw, fast.energy.total_pj / fast.latency_ns,
		            1e-9 + 1.0 / (double)fast.total_clk);
	}
	assert_true(n_run > 400);
}

/* Energy is counts times energy an action, and static power times time. */
static void test_systolic_model_energy_adds_up(void **state)
{
	(void)state;
	struct machine machine = small_array();
	struct systolic_work work = small_work(SYSTOLIC_WS);
	struct program program;
	struct sim_result result;
	machine.level[0].sram_read32_pj = 3;
	machine.level[0].sram_write32_pj = 5;
	machine.level[0].pe_static_mw = 2;
	machine.level[0].pe_awake_mw = 0.5;
	machine.dram_byte_pj = 10;
	machine.chip_off_mw = 7;
	assert_true(sample_systolic_program(&machine, &work, &program));
	fast_run(&machine, &program, 0, &result);
	assert_int_equal(result.total_clk, 260 + 172);
	/* 64 pJ a clock of 64 MAC units: a pJ a multiply-accumulate */
	assert_near(result.energy.mla_pj, 16 * 8 * 18, 1e-12);
	/* array: 576 + 144 + 512 read, 640 written; interface: 128 read, 216 written; four words an access */
	assert_near(result.energy.sram_pj, (3.0 * (576 + 144 + 512 + 128) + 5.0 * (640 + 216)) / 4, 1e-12);
	assert_near(result.energy.dram_pj, 10.0 * (216 + 128), 1e-12);
	assert_near(result.energy.awake_pj, 16 * 0.5 * 432 * 4, 1e-12);
	assert_near(result.energy.static_pj, (16 * 2 + 7) * 432.0 * 4, 1e-12);
	assert_true(result.energy.noc_pj == 0 && result.energy.arm_pj == 0);
}

static void test_systolic_model_largest(void **state)
{
	(void)state;
	struct machine machine = small_array();
	struct systolic_work work = small_work(SYSTOLIC_OS);
	machine.systolic.ifmap_byte = machine.systolic.filter_byte = machine.systolic.ofmap_byte = 1u << 30;
	work.d = (struct systolic_dim){1 << 10, 1 << 10, 0, 0};
	work.c = (struct systolic_dim){1 << 4, 1 << 11, 3, 1 << 11};
	work.n_group = 3;
	assert_true(systolic_is_valid(&machine, &work));
	struct systolic_result result = run_closed(&machine, &work);
	check_laws(&machine, &work, 0, &result);
	struct err err = {0};
	work.w = (struct systolic_dim){1, 4, 0, 0};
	work.n_group = 30;
	assert_int_equal(event_systolic_run(&machine, &work, 0, NULL, &result, NULL, &err), ERR_INFEASIBLE);
	assert_non_null(strstr(err_text(&err), "one by one"));
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_systolic_model_one_tile),
	    cmocka_unit_test(test_systolic_model_overlaps_tiles),
	    cmocka_unit_test(test_systolic_model_stores_behind_loads),
	    cmocka_unit_test(test_systolic_model_loads_what_filters_see),
	    cmocka_unit_test(test_systolic_model_computes_as_scalesim),
	    cmocka_unit_test(test_systolic_model_words_are_those_counted),
	    cmocka_unit_test(test_systolic_model_is_the_event_tier),
	    cmocka_unit_test(test_systolic_model_tiers_price_programs_alike),
	    cmocka_unit_test(test_systolic_model_energy_adds_up),
	    cmocka_unit_test(test_systolic_model_largest),
	};
	return cmocka_run_group_tests_name("systolic_model", tests, NULL, NULL);
}
