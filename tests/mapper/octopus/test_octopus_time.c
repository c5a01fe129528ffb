/* SPDX-License-Identifier: Apache-2.0 */
/* Run time of a layer of a multi-layer schedule: closed forms, parts and whole, and how often operands are fetched. */
#include "tests/support/unit_test.h"

#include "mapper/octopus/octopus_time.h"
#include "sim/base/rng.h"
#include "sim/machine/mesh.h"
#include "tests/support/network_text.h"
#include "tests/support/sample_schedule.h"
#include <math.h>

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.12g is not %.12g", value, expected);
}

static struct block linear(uint32_t n_in, uint32_t n_out)
{
	struct block block = block_matmul(1, n_in, n_out);
	block.has_acti = true;
	return block;
}

static double sum_of(const struct octopus_time *time)
{
	double sum = 0;
	for (int i = 0; i < N_OCTOPUS_PART; i++)
		sum += time->part_us[i];
	return sum;
}

/* The paper's first layer by hand: 8 workers of 64 columns, at 150 MHz. */
static void test_time_of_a_linear_layer(void **state)
{
	struct machine machine = sample_final_chip();
	const struct block block = linear(784, 512);
	struct octopus_layer layer = {.type = OCTOPUS_LINEAR};
	struct octopus_context context;
	struct octopus_time time;
	struct mla_cost mla;
	uint64_t sram_byte;
	(void)state;
	machine.octopus.worker_us = 30;
	machine.octopus.operand_word_clk = 5;
	machine.octopus.worker_gb_s = 0.25;
	octopus_prepare(&machine, 0, &block, &context);
	assert_true(octopus_paper_cut(&layer, &block, 0));
	assert_int_equal(layer.n_worker, 8);
	octopus_price_layer(&context, &layer, &time, &sram_byte);
	assert_near(context.dram_b_us, 6400, 1e-9);
	machine.mla_postprocess = false;
	mla_matmul_cost(&machine, &(struct mla_matmul_task){784, 1, 64}, 0, 8, &mla);
	assert_near(time.part_us[OCTOPUS_SCHEDULING], 12.34 + 8 * 0.1888, 1e-9);
	assert_near(time.part_us[OCTOPUS_CONFIGURATION], 30, 1e-9);
	assert_near(time.part_us[OCTOPUS_WEIGHTS], context.load_us + (784 * 64 + 4 * 64) / 250.0, 1e-9);
	assert_near(time.part_us[OCTOPUS_INPUT], context.load_us + 784 / 250.0, 1e-9);
	assert_near(time.part_us[OCTOPUS_MLA], mla.clk / 150, 1e-9);
	assert_near(time.part_us[OCTOPUS_ARM], (5 * 784 + 8 * 64) / 150.0, 1e-9);
	assert_near(time.part_us[OCTOPUS_OUTPUT], context.write_us + 64 / 250.0, 1e-9);
	assert_near(time.total_us, sum_of(&time), 1e-9);
	/* operand A of 4 padded rows, B, biases, results of 4 rows in 32 bit */
	assert_int_equal(sram_byte, 4 * 784 + 784 * 64 + 4 * 64 + 4 * 4 * 64);
}

/* Many workers share the DRAM's bandwidth: 64 of them get 100 MB/s each. */
static void test_time_is_bound_by_the_dram(void **state)
{
	const struct machine machine = sample_final_chip();
	const struct block block = linear(256, 1024);
	struct octopus_layer layer = {.type = OCTOPUS_LINEAR};
	struct octopus_context context;
	struct octopus_time time;
	(void)state;
	octopus_prepare(&machine, 0, &block, &context);
	assert_true(octopus_paper_cut(&layer, &block, 64));
	octopus_price_layer(&context, &layer, &time, NULL);
	assert_int_equal(layer.n_worker, 64);
	assert_near(time.part_us[OCTOPUS_INPUT], context.load_us + 256 / 100.0, 1e-9);
}

/* Setup and cleanup: the published figures of 8 and of all workers. */
static void test_time_around_the_layers(void **state)
{
	const struct machine machine = sample_final_chip();
	(void)state;
	assert_int_equal(octopus_max_worker(&machine), 151);
	assert_near(octopus_setup_us(&machine, 8), 12, 0.01);
	assert_near(octopus_setup_us(&machine, 151), 39, 0.01);
	assert_near(octopus_cleanup_us(&machine, 8), 9, 0.01);
	assert_near(octopus_cleanup_us(&machine, 151), 93, 0.01);
}

/* A layer of the paper's table II: what it takes without the two fitted constants, and us that a clock a word adds. */
struct fit_row {
	double known_us, slope_us, published_us;
};

#define N_FIT_ROW 4

static double layer_us(const struct machine *machine, const struct block *block, enum octopus_type type,
                       uint32_t n_worker)
{
	struct octopus_layer layer = {.type = type};
	struct octopus_context context;
	struct octopus_time time;
	octopus_prepare(machine, 0, block, &context);
	assert_true(octopus_paper_cut(&layer, block, n_worker));
	octopus_price_layer(&context, &layer, &time, NULL);
	return time.total_us;
}

static void fit_rows(struct fit_row row[N_FIT_ROW])
{
	static const uint32_t size[] = {784, 512, 256, 16}, n_worker[] = {8, 4, 1, 1};
	static const double published_us[] = {323, 217, 80, 50};
	for (size_t i = 0; i < N_FIT_ROW; i++) {
		struct machine machine = sample_final_chip();
		struct block block = linear(size[i], i < 3 ? size[i + 1] : 16);
		if (i == 3) {
			block = (struct block){.kind = BLOCK_POOL, .arm = ARM_SOFTMAX, .number = 1, .pool = 1};
			block.in_w = block.in_h = block.out_w = block.out_h = 1;
			block.in_c = block.out_c = 16;
			block.kernel_w = block.kernel_h = block.stride = 1;
		}
		enum octopus_type type = i < 3 ? OCTOPUS_LINEAR : OCTOPUS_SOFTMAX;
		machine.octopus.worker_us = machine.octopus.operand_word_clk = 0;
		row[i].known_us = layer_us(&machine, &block, type, n_worker[i]);
		machine.octopus.operand_word_clk = 1;
		row[i].slope_us = layer_us(&machine, &block, type, n_worker[i]) - row[i].known_us;
		row[i].published_us = published_us[i];
	}
}

/* Least squares of relative errors over all rows but one (N_FIT_ROW: none is left out). */
static void fit(const struct fit_row *row, size_t left_out, double *worker_us, double *word_clk)
{
	double a = 0, b = 0, c = 0, p = 0, q = 0;
	for (size_t i = 0; i < N_FIT_ROW; i++) {
		double one = 1 / row[i].published_us, slope = row[i].slope_us / row[i].published_us;
		double rest = 1 - row[i].known_us / row[i].published_us;
		if (i == left_out)
			continue;
		a += one * one;
		b += one * slope;
		c += slope * slope;
		p += one * rest;
		q += slope * rest;
	}
	*worker_us = (c * p - b * q) / (a * c - b * b);
	*word_clk = (a * q - b * p) / (a * c - b * b);
}

/* The machine's constants are the fit; and a row that the fit has not seen is predicted nearly as well. */
static void test_time_constants_are_fitted(void **state)
{
	static const char *const name[] = {"FC1", "FC2", "FC3", "softmax"};
	const struct machine machine = sample_final_chip();
	struct fit_row row[N_FIT_ROW];
	double worker_us, word_clk;
	(void)state;
	fit_rows(row);
	fit(row, N_FIT_ROW, &worker_us, &word_clk);
	assert_near(machine.octopus.worker_us, worker_us, 0.05);
	assert_near(machine.octopus.operand_word_clk, word_clk, 0.02);
	for (size_t i = 0; i < N_FIT_ROW; i++) {
		fit(row, i, &worker_us, &word_clk);
		double us = row[i].known_us + worker_us + word_clk * row[i].slope_us;
		double error_pct = 100 * (us / row[i].published_us - 1);
		print_message("%s left out: worker_us %.1f, operand_word_clk %.2f, %+.1f %%\n", name[i], worker_us,
		              word_clk, error_pct);
		assert_true(fabs(error_pct) < 5);
	}
}

/* What a worker fetches, counted tile by tile: an operand stays while the next tile wants it, but not d parts. */
static struct octopus_fetches count_slowly(const struct octopus_work *work, const struct octopus_plan *plan)
{
	uint32_t n_map = work->n_map, n_tile = n_map * work->n_filter;
	bool ifmap_first = plan->ifmap_first || work->is_linear;
	struct octopus_fetches most = {0, 0};
	for (uint32_t p = 0; p * plan->tiles_per_worker < n_tile; p++) {
		struct octopus_fetches fetch = {0, 0};
		uint32_t in = UINT32_MAX, filter = UINT32_MAX;
		for (uint32_t i = 0; i < plan->tiles_per_worker && p * plan->tiles_per_worker + i < n_tile; i++) {
			uint32_t tile = p * plan->tiles_per_worker + i;
			uint32_t next_map = ifmap_first ? tile / work->n_filter : tile % n_map;
			uint32_t next_filter = ifmap_first ? tile % work->n_filter : tile / n_map;
			uint32_t next_in = next_map * work->n_filter + next_filter / work->n_share;
			fetch.n_in += work->n_d > 1 || next_in != in;
			fetch.n_weight += work->n_d > 1 || next_filter != filter;
			in = next_in;
			filter = next_filter;
		}
		most.n_in = fetch.n_in > most.n_in ? fetch.n_in : most.n_in;
		most.n_weight = fetch.n_weight > most.n_weight ? fetch.n_weight : most.n_weight;
	}
	return most;
}

/* Never less than tile by tile; the same where workers enough start at every place that tiles can start at. */
static void test_time_counts_fetches(void **state)
{
	struct rng rng = rng_stream(3, 0, 0);
	unsigned n_same = 0;
	(void)state;
	for (unsigned trial = 0; trial < 3000; trial++) {
		struct octopus_work work = {.n_map = 1 + rng_below(&rng, 20),
		                            .n_share = 1 + rng_below(&rng, 4),
		                            .n_d = 1 + (rng_below(&rng, 5) == 0),
		                            .is_linear = rng_below(&rng, 3) == 0};
		work.n_filter = work.n_share * (work.is_linear ? 1 : 1 + rng_below(&rng, 4));
		uint32_t n_tile = work.n_map * work.n_filter;
		const struct octopus_plan plan = {rng_below(&rng, 2) == 1, 1, 1 + rng_below(&rng, n_tile)};
		struct octopus_fetches closed = octopus_count_fetches(&work, &plan), slow = count_slowly(&work, &plan);
		assert_true(closed.n_in >= slow.n_in && closed.n_in <= slow.n_in + 1);
		assert_true(closed.n_weight >= slow.n_weight && closed.n_weight <= slow.n_weight + 1);
		n_same += closed.n_in == slow.n_in && closed.n_weight == slow.n_weight;
	}
	assert_in_range(n_same, 2300, 3000);
}

/* Parts add up whatever the layer, more work is never faster, and the groups of a tile are one task of the array. */
static void test_time_of_convolutions(void **state)
{
	static struct octopus_context context[4];
	const struct machine machine = sample_final_chip();
	struct octopus_work work[4];
	struct octopus_time time[4];
	struct network network;
	struct err err = {0};
	(void)state;
	if (network_read_text("name: t\ninput: [16, 16, 32]\nlayers:\n"
	                      "  - conv: {kernel: 3, out_channels: 32}\n"
	                      "  - conv: {kernel: 3, out_channels: 32, groups: 4}\n"
	                      "  - conv: {kernel: 3, out_channels: 32, groups: depthwise}\n"
	                      "  - conv: {kernel: 3, out_channels: 32, add: {from: -1}}\n",
	                      &network, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	for (uint32_t i = 0; i < 4; i++) {
		const struct octopus_plan plan = {false, 1, 1};
		struct split split = split_whole(&network.block[i]);
		split.c = dim_whole(32);
		octopus_prepare(&machine, 0, &network.block[i], &context[i]);
		octopus_size(&context[i], &split, &work[i]);
		octopus_compute(&context[i], &split, &work[i]);
		octopus_price(&context[i], &work[i], &plan, &time[i]);
		assert_near(time[i].total_us, sum_of(&time[i]), 1e-9);
		assert_int_equal(work[i].in_byte, 16 * 16 * 32);
		assert_int_equal(work[i].out_byte, 16 * 16 * 32);
		assert_int_equal(work[i].weight_byte, block_n_weight(&network.block[i]) + 4 * 32);
	}
	struct mla_cost group;
	const struct mla_conv_task task = {18, 18, 8, 8, 4};
	mla_conv_cost(&context[1].wide, &context[1].layer.round, &task, 8, &group);
	assert_near(work[1].mla_us, group.clk / 150, 1e-9);
	assert_true(work[2].mla_us > work[1].mla_us / 4); /* a filter a group leaves three rows of the array idle */
	assert_int_equal(work[3].added_byte, 16 * 16 * 32);
	assert_near(work[3].arm_us - work[0].arm_us, 16 * 16 * 32 * (8 + 8) / 150.0, 1e-6);
	network_free(&network);
}

/* Routers on the way between two QPEs of the full rows in the mean, pair by pair. */
static double mean_routers(const struct mesh *mesh)
{
	double sum = 0;
	uint32_t n = mesh->w * mesh->h;
	for (uint32_t from = 0; from < n; from++)
		for (uint32_t to = 0; to < n; to++)
			sum += 1.0 + (from == to ? 0 : mesh_n_hop(mesh, from, to));
	return sum / ((double)n * n);
}

/* pJ of the NoC: what 1 pJ a packet and router adds. */
static double noc_pj(const struct machine *machine, const struct block *block, uint32_t n_source, bool to_dram)
{
	double pj[2];
	for (int i = 0; i < 2; i++) {
		struct machine own = *machine;
		struct octopus_layer layer = {.type = OCTOPUS_LINEAR};
		struct octopus_context context;
		struct octopus_work work;
		own.level[0].noc_read128_pj = i;
		octopus_prepare(&own, 0, block, &context);
		context.resident = n_source > 0;
		context.n_source = n_source;
		context.to_dram = to_dram;
		assert_true(octopus_paper_cut(&layer, block, 8));
		const struct octopus_plan plan = {layer.ifmap_first, layer.n_worker, layer.tiles_per_worker};
		octopus_size(&context, &layer.split, &work);
		octopus_compute(&context, &layer.split, &work);
		pj[i] = octopus_energy_pj(&context, &work, &plan, 100);
	}
	return pj[1] - pj[0];
}

/* A packet costs energy at each router that it passes, as everywhere else. */
static void test_energy_counts_every_router(void **state)
{
	struct machine machine = sample_final_chip();
	const struct block block = linear(784, 512);
	struct mesh mesh;
	double dram = 0;
	uint32_t n_pe = machine_n_pe(&machine);
	(void)state;
	mesh_derive(&machine, &mesh);
	for (uint32_t pe = 0; pe < n_pe; pe++) {
		uint32_t qpe = pe / machine.qpe_n_pe;
		uint32_t port = mesh_dram_port(&mesh, mesh_queue(&mesh, machine.qpe_n_pe, pe), qpe);
		dram += (1.0 + (port == qpe ? 0 : mesh_n_hop(&mesh, port, qpe))) / n_pe;
	}
	double in_packet = 8 * 784 / 16.0, weight_packet = (784 * 512 + 4 * 512) / 16.0, out_packet = 512 / 16.0;
	assert_true(dram > 1.1 && mean_routers(&mesh) > 1.1);
	assert_near(noc_pj(&machine, &block, 0, false), (in_packet + weight_packet + out_packet) * dram, 1e-3);
	assert_near(noc_pj(&machine, &block, 2, false), in_packet * mean_routers(&mesh), 1e-3);
	assert_near(noc_pj(&machine, &block, 2, true), in_packet * mean_routers(&mesh) + out_packet * dram, 1e-3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_time_of_a_linear_layer),     cmocka_unit_test(test_time_is_bound_by_the_dram),
	    cmocka_unit_test(test_time_around_the_layers),     cmocka_unit_test(test_time_counts_fetches),
	    cmocka_unit_test(test_time_of_convolutions),       cmocka_unit_test(test_time_constants_are_fitted),
	    cmocka_unit_test(test_energy_counts_every_router),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
