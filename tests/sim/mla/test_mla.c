/* SPDX-License-Identifier: Apache-2.0 */
/* MLA timing: closed forms, conservation of words, boundary shapes, and the thesis simulator's measured tasks. */
#include "tests/support/unit_test.h"
#include "sim/mla/mla.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INIT_CLK 13 /* thesis simulator, re-run */

static void assert_clk(double clk, double want_clk, double limit_clk)
{
	if (!(fabs(clk - want_clk) <= limit_clk))
		fail_msg("%.6f clk, expected %.6f", clk, want_clk);
}

static struct machine array(uint32_t cols, uint32_t rows, uint32_t sram_clk)
{
	struct machine machine = {.mla_cols = cols, .mla_rows = rows, .mla_init_clk = INIT_CLK};
	machine.pe_sram_port_byte = 16;
	machine.pe_sram_access_clk = sram_clk;
	machine.noc_packet_byte = 16;
	machine.noc_hop_clk = 4;
	machine.noc_clk_mhz = 500;
	machine.qpe_n_pe = 4;
	machine.n_level = 1;
	machine.level[0].clk_mhz = 250;
	return machine;
}

static struct mla_cost conv(const struct machine *machine, struct mla_conv_task task, uint32_t kernel_w,
                            uint32_t kernel_h, uint32_t operand_bit)
{
	struct mla_conv_round round;
	struct mla_cost cost;
	mla_prepare_conv(machine, kernel_w, kernel_h, operand_bit, &round);
	mla_conv_cost(machine, &round, &task, operand_bit, &cost);
	return cost;
}

static struct mla_cost matmul(const struct machine *machine, struct mla_matmul_task task, uint32_t pe_shift,
                              uint32_t operand_bit)
{
	struct mla_cost cost;
	mla_matmul_cost(machine, &task, pe_shift, operand_bit, &cost);
	return cost;
}

/* Steady clocks per tap in lock step by kernel width: thesis simulator, re-run. */
static void test_mla_round_steady_rate(void **state)
{
	static const struct {
		uint32_t kernel_w;
		double tap_clk[2]; /* by SRAM clocks */
	} want[] = {{1, {1.25, 2.50}},  {2, {1.25, 2.50}},  {3, {1.25, 2.04}},  {4, {1.005, 1.76}},
	            {5, {1.063, 1.70}}, {7, {1.125, 1.72}}, {9, {1.036, 1.59}}, {11, {1.084, 1.63}}};
	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		for (uint32_t clk = 1; clk <= 2; clk++) {
			struct machine machine = array(16, 4, clk);
			struct mla_conv_round round;
			mla_prepare_conv(&machine, want[i].kernel_w, 1, 8, &round);
			double tap_clk = round.shared_channel_clk / want[i].kernel_w;
			assert_clk(tap_clk, want[i].tap_clk[clk - 1], 0.015 * tap_clk);
		}
	}
}

/* A round in lock step with the neighbours, behind the most results. */
static double shared_round_clk(const struct mla_conv_round *round, uint32_t n_channel)
{
	uint32_t n_point = round->n_channel_point;
	double start_clk = n_point > 0 ? round->shared_delay_clk[MLA_N_WRITE_POINT - 1][n_point - 1] : 0;
	return fmax(0, start_clk) + round->shared_channel_clk * n_channel;
}

/* With a free SRAM of one clock a tap takes one clock; every B read of a slower one costs the clocks beyond. */
static void test_mla_round_free_sram(void **state)
{
	(void)state;
	for (uint32_t clk = 1; clk <= 3; clk++) {
		for (uint32_t kernel_w = 1; kernel_w <= 11; kernel_w++) {
			struct machine machine = array(16, 4, clk);
			struct mla_conv_round round;
			mla_prepare_conv(&machine, kernel_w, 3, 8, &round);
			double n_read = 1 + ceil((kernel_w - 1) / 4.0);
			assert_clk(round.channel_clk, 3 * (kernel_w + n_read * (clk - 1)), 1e-9);
			assert_true(7 * round.channel_clk >= 7.0 * 3 * kernel_w);
			assert_true(shared_round_clk(&round, 7) >= 7 * round.channel_clk);
		}
	}
}

/* One long round, by hand: its first A packet, its taps, 4 filters x 4 ports of results, init and drain. */
static void test_mla_conv_closed_form(void **state)
{
	(void)state;
	struct machine machine = array(16, 4, 1);
	struct mla_cost cost = conv(&machine, (struct mla_conv_task){18, 3, 100, 4, 1}, 3, 3, 8);
	assert_clk(cost.clk, INIT_CLK + 1 + 8 + 900 + 16, 1e-9);
	assert_int_equal(cost.mac_clk, 900);
	assert_int_equal(cost.a_word, 900);               /* 4 bytes a tap */
	assert_int_equal(cost.b_word, 100 * 3 * (4 + 1)); /* a port and a word a kernel row */
	assert_int_equal(cost.out_word, 16 * 4);
	/* Two rows: the second round's A packets come while the first one's results are written. */
	struct mla_cost two = conv(&machine, (struct mla_conv_task){18, 4, 100, 4, 1}, 3, 3, 8);
	assert_clk(two.clk - cost.clk, 900 + 16, 1e-9);
}

/* Matrix multiplication, in lock step, operand A local: 6 clocks per 4 MACs and 16 for the results; re-run. */
static void test_mla_matmul_closed_form(void **state)
{
	(void)state;
	struct machine machine = array(16, 4, 1);
	struct mla_matmul_task task = {64, 4, 16}, longer = {128, 4, 16}, wider = {64, 4, 32};
	double clk = matmul(&machine, task, 0, 8).shared_clk;
	assert_clk(matmul(&machine, longer, 0, 8).shared_clk - clk, 64 * 1.5, 1e-9);
	assert_clk(matmul(&machine, wider, 0, 8).shared_clk - clk, 64 * 1.5 + 16, 1e-9);
	for (uint32_t shift = 1; shift < 4; shift++) {
		struct mla_cost far = matmul(&machine, task, shift, 8), far_longer = matmul(&machine, longer, shift, 8);
		assert_clk(far_longer.shared_clk - far.shared_clk, 64 * 2.25, 1e-9);
		assert_true(far.clk <= far.shared_clk);
	}
}

/* MAC clocks are rounds times taps; words are what the rounds' reads and writes add up to, wherever the task is cut. */
static void test_mla_words_conserved(void **state)
{
	(void)state;
	for (uint32_t cols = 8; cols <= 32; cols *= 2) {
		for (uint32_t rows = 1; rows <= 8; rows *= 2) {
			struct machine machine = array(cols, rows, 1);
			struct mla_conv_task whole = {3 * cols + 7, 12, 24, 5 * rows, 1}, top = whole, bottom = whole;
			top.in_h = 7; /* 5 of the 10 output rows of a 3x3 kernel; the halo is read twice */
			bottom.in_h = 7;
			struct mla_cost all = conv(&machine, whole, 3, 3, 8);
			struct mla_cost a = conv(&machine, top, 3, 3, 8), b = conv(&machine, bottom, 3, 3, 8);
			uint64_t n_block = (whole.in_w - 2 + cols - 1) / cols;
			assert_int_equal(all.mac_clk, n_block * 10 * 5 * 9 * 24);
			assert_int_equal(all.mac_clk, a.mac_clk + b.mac_clk);
			assert_int_equal(all.a_word, a.a_word + b.a_word);
			assert_int_equal(all.b_word, a.b_word + b.b_word);
			assert_int_equal(all.out_word, a.out_word + b.out_word);
			uint64_t n_pixel = (whole.in_w - 2 + 3) / 4 * 4; /* a port takes four */
			assert_int_equal(all.out_word, n_pixel * 10 * whole.n_filter);
		}
	}
}

static void assert_not_faster(const struct mla_cost *larger, const struct mla_cost *smaller)
{
	assert_true(larger->clk >= smaller->clk);
	assert_true(larger->shared_clk >= smaller->shared_clk);
	assert_true(larger->mac_clk >= smaller->mac_clk);
	assert_true(larger->out_word >= smaller->out_word);
}

static void test_mla_conv_monotone(void **state)
{
	(void)state;
	static const uint32_t shape[][2] = {{16, 4}, {16, 2}, {8, 4}, {32, 8}, {5, 3}};
	for (size_t i = 0; i < 5 * 2; i++) {
		struct machine machine = array(shape[i / 2][0], shape[i / 2][1], 1 + (i & 1));
		for (uint32_t kernel = 1; kernel <= 7; kernel += 2) {
			struct mla_conv_round round;
			struct mla_conv_task task = {kernel, kernel, 1, 1, 1};
			struct mla_cost before, after;
			mla_prepare_conv(&machine, kernel, kernel, 8, &round);
			mla_conv_cost(&machine, &round, &task, 8, &before);
			for (uint32_t step = 0; step < 160; step++) {
				uint32_t *size[] = {&task.in_w, &task.in_h, &task.in_c, &task.n_filter};
				++*size[step % 4];
				mla_conv_cost(&machine, &round, &task, 8, &after);
				assert_not_faster(&after, &before);
				before = after;
			}
		}
	}
}

static void test_mla_matmul_monotone(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 16; i++) {
		struct machine machine = array(i & 1 ? 8 : 16, i & 2 ? 2 : 4, i & 4 ? 2 : 1);
		struct mla_matmul_task task = {16, 1, 1};
		struct mla_cost before = matmul(&machine, task, i & 8, 8), after;
		for (uint32_t step = 0; step < 90; step++) {
			if (step % 3 == 0)
				task.a_w += 16;
			else
				*(step % 3 == 1 ? &task.a_h : &task.b_w) += 1;
			after = matmul(&machine, task, i & 8, 8);
			assert_not_faster(&after, &before);
			before = after;
		}
	}
}

static void test_mla_boundary_shapes(void **state)
{
	(void)state;
	struct machine machine = array(16, 4, 1);
	/* one pixel, one channel, one filter: one tap, one port of results */
	struct mla_cost cost = conv(&machine, (struct mla_conv_task){1, 1, 1, 1, 1}, 1, 1, 8);
	assert_int_equal(cost.mac_clk, 1);
	assert_int_equal(cost.a_word, 4);
	assert_int_equal(cost.b_word, 4);
	assert_int_equal(cost.out_word, 4);
	assert_clk(cost.clk, INIT_CLK + 1 + 8 + 1 + 1, 1e-9);
	/* a kernel as large as the ifmap: one round */
	assert_int_equal(conv(&machine, (struct mla_conv_task){11, 11, 64, 4, 1}, 11, 11, 8).mac_clk, 121 * 64);
	/* a fifth filter costs a group's MACs but writes only itself */
	struct mla_cost four = conv(&machine, (struct mla_conv_task){16, 5, 8, 4, 1}, 1, 1, 8);
	struct mla_cost five = conv(&machine, (struct mla_conv_task){16, 5, 8, 5, 1}, 1, 1, 8);
	assert_int_equal(five.mac_clk, 2 * four.mac_clk);
	assert_int_equal(4 * five.out_word, 5 * four.out_word);
	/* one row and one column are padded to the array and to a port of B */
	assert_int_equal(matmul(&machine, (struct mla_matmul_task){1, 1, 1}, 0, 8).mac_clk, 1);
	machine = array(8, 4, 1);
	assert_int_equal(matmul(&machine, (struct mla_matmul_task){64, 1, 1}, 0, 8).mac_clk, 2 * 64);
}

/*
 * Groups one after the other: words and MAC clocks of each, and the clocks of all but the task's own start and end,
 * which each would have alone.
 */
static void test_mla_groups_add_up(void **state)
{
	(void)state;
	struct machine machine = array(16, 4, 1);
	for (uint32_t n = 1; n <= 40; n += 3) {
		struct mla_conv_task one = {18 + n, 7, 1 + n % 3, 1 + n % 6, 1}, all = one;
		all.n_group = n;
		struct mla_cost single = conv(&machine, one, 3, 3, 8), cost = conv(&machine, all, 3, 3, 8);
		assert_int_equal(cost.mac_clk, n * single.mac_clk);
		assert_int_equal(cost.a_word, n * single.a_word);
		assert_int_equal(cost.b_word, n * single.b_word);
		assert_int_equal(cost.out_word, n * single.out_word);
		assert_true(cost.clk <= n * single.clk && cost.shared_clk <= n * single.shared_clk);
		double start_clk = machine.mla_init_clk + 64;
		assert_true(cost.clk >= n * (single.clk - start_clk) && cost.clk >= (double)cost.mac_clk);
	}
	/* a depthwise layer's filter takes a row of the array: as many clocks as four filters of the same channels */
	struct mla_cost depthwise = conv(&machine, (struct mla_conv_task){18, 18, 1, 1, 8}, 3, 3, 8);
	struct mla_cost full = conv(&machine, (struct mla_conv_task){18, 18, 1, 4, 8}, 3, 3, 8);
	assert_int_equal(depthwise.mac_clk, full.mac_clk);
	assert_int_equal(depthwise.mac_clk, 8 * 16 * 9);
}

static void test_mla_any_array(void **state)
{
	(void)state;
	static const uint32_t size[] = {1, 3, 8, 64, 256};
	for (uint32_t i = 0; i < 125; i++) {
		struct machine machine = array(size[i % 5], size[i / 5 % 5], 1 + i / 25);
		for (uint32_t bit = 8; bit <= 16; bit += 8) {
			struct mla_cost cost = conv(&machine, (struct mla_conv_task){40, 9, 20, 30, 1}, 3, 3, bit);
			assert_true(isfinite(cost.clk) && isfinite(cost.shared_clk));
			assert_true(cost.clk >= (double)cost.mac_clk && cost.shared_clk >= cost.clk);
			cost = matmul(&machine, (struct mla_matmul_task){40, 9, 20}, i & 3, bit);
			assert_true(cost.clk >= (double)cost.mac_clk && cost.shared_clk >= cost.clk);
		}
	}
}

/* Half the rows never help, unless the other half has no filters: operand A is fetched for all rows. */
static void test_mla_fewer_rows_not_faster(void **state)
{
	(void)state;
	struct machine full = array(16, 4, 1), half = array(16, 2, 1);
	for (uint32_t n = 3; n <= 40; n++) {
		struct mla_conv_task task = {20 + n, 9, 3 * n, n, 1};
		struct mla_cost a = conv(&full, task, 3, 3, 8), b = conv(&half, task, 3, 3, 8);
		assert_true(b.shared_clk >= a.shared_clk);
		assert_true(b.clk >= a.clk);
		assert_true(b.mac_clk >= a.mac_clk);
	}
}

/* A 16-bit tap takes four clocks of the 8-bit cells and moves twice the bytes of A. */
static void test_mla_operand_16_bit(void **state)
{
	(void)state;
	struct machine machine = array(16, 4, 1);
	struct mla_conv_task task = {30, 9, 256, 4, 1};
	struct mla_cost narrow = conv(&machine, task, 3, 3, 8), wide = conv(&machine, task, 3, 3, 16);
	assert_int_equal(wide.mac_clk, 4 * narrow.mac_clk);
	assert_int_equal(wide.a_word, 2 * narrow.a_word);
	assert_true(wide.clk >= 3.5 * narrow.clk && wide.clk <= 4.5 * narrow.clk);
	struct mla_matmul_task product = {256, 4, 64};
	assert_int_equal(matmul(&machine, product, 0, 16).b_word, 2 * matmul(&machine, product, 0, 8).b_word);
}

/* Results quantised in the output stage leave as bytes. */
static void test_mla_postprocess_narrows_results(void **state)
{
	(void)state;
	struct machine machine = array(16, 4, 1);
	struct mla_conv_task task = {18, 9, 16, 4, 1};
	struct mla_cost wide = conv(&machine, task, 3, 3, 8);
	machine.mla_postprocess = true;
	struct mla_cost narrow = conv(&machine, task, 3, 3, 8);
	assert_int_equal(4 * narrow.out_word, wide.out_word);
	assert_true(narrow.clk < wide.clk);
}

/* Column numbers of pe_tasks.csv. */
enum {
	KIND = 1,
	ARRAY,
	SRAM_CLK,
	OPERAND_A,
	PE_SHIFT,
	IN_W,
	IN_H,
	IN_C,
	K_W,
	K_H,
	OUT_C,
	A_W,
	A_H,
	B_W,
	CLK,
	N_COLUMN
};

struct group {
	char name[48];
	unsigned n;
	double sum_frac, max_frac;
	char worst[16];
};

static double modelled_clk(char *const field[N_COLUMN])
{
	uint32_t value[N_COLUMN], cols, rows;
	for (int i = 0; i < N_COLUMN; i++)
		value[i] = (uint32_t)strtoul(field[i], NULL, 10);
	assert_int_equal(sscanf(field[ARRAY], "%ux%u", &cols, &rows), 2);
	struct machine machine = array(cols, rows, value[SRAM_CLK]);
	if (strcmp(field[KIND], "conv") == 0) {
		struct mla_conv_task task = {value[IN_W], value[IN_H], value[IN_C], value[OUT_C], 1};
		return conv(&machine, task, value[K_W], value[K_H], 8).shared_clk;
	}
	struct mla_matmul_task task = {value[A_W], value[A_H], value[B_W]};
	return matmul(&machine, task, value[PE_SHIFT], 8).shared_clk;
}

static void add_error(struct group *group, size_t *n_group, char *const field[N_COLUMN], double error_frac)
{
	char name[sizeof(group->name)];
	size_t i = 0;
	snprintf(name, sizeof(name), "%s %s sram %s clk shift %s", field[KIND], field[ARRAY], field[SRAM_CLK],
	         field[PE_SHIFT]);
	while (i < *n_group && strcmp(group[i].name, name) != 0)
		i++;
	if (i == *n_group) {
		memset(&group[i], 0, sizeof(group[i]));
		memcpy(group[(*n_group)++].name, name, sizeof(name));
	}
	group[i].n++;
	group[i].sum_frac += error_frac;
	if (error_frac >= group[i].max_frac) {
		group[i].max_frac = error_frac;
		snprintf(group[i].worst, sizeof(group[i].worst), "%.15s", field[0]);
	}
}

/* All four PEs of a QPE with the same task, against the thesis simulator: limits 2 % in the mean, 10 % at most. */
static void test_mla_reference_tasks(void **state)
{
	(void)state;
	struct group group[64];
	size_t n_group = 0;
	char line[256], *field[N_COLUMN];
	FILE *file = fopen("tests/reference/pe_tasks.csv", "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));

	while (fgets(line, sizeof(line), file)) {
		int n = 0;
		for (char *at = line; at && n < N_COLUMN; n++) {
			field[n] = at;
			at = strpbrk(at, ",\r\n");
			if (at)
				*at++ = '\0';
		}
		assert_int_equal(n, N_COLUMN);
		double clk = strtod(field[CLK], NULL);
		assert_true(clk > 0 && n_group < sizeof(group) / sizeof(group[0]));
		add_error(group, &n_group, field, fabs(modelled_clk(field) - clk) / clk);
	}
	fclose(file);

	unsigned n_row = 0;
	double sum_frac = 0, max_frac = 0;
	for (size_t i = 0; i < n_group; i++) {
		printf("%-36s %3u rows: mean %5.2f %%, max %5.2f %% (%s)\n", group[i].name, group[i].n,
		       100 * group[i].sum_frac / group[i].n, 100 * group[i].max_frac, group[i].worst);
		n_row += group[i].n;
		sum_frac += group[i].sum_frac;
		max_frac = fmax(max_frac, group[i].max_frac);
	}
	printf("%-36s %3u rows: mean %5.2f %%, max %5.2f %%\n", "all", n_row, 100 * sum_frac / n_row, 100 * max_frac);
	assert_int_equal(n_row, 589);
	assert_true(sum_frac / n_row <= 0.02);
	assert_true(max_frac <= 0.10);
}

/* Only the first rows of a huge kernel are stepped: neither it nor the step from none to some takes another rate. */
static void test_mla_huge_kernels_keep_their_rate(void **state)
{
	(void)state;
	struct machine machine = array(16, 4, 1);
	struct mla_conv_round small, large, largest;
	mla_prepare_conv(&machine, 128, 128, 8, &small);
	mla_prepare_conv(&machine, 128, 129, 8, &large);
	mla_prepare_conv(&machine, 65536, 65536, 8, &largest);
	double small_tap_clk = shared_round_clk(&small, 1) / (128 * 128);
	double large_tap_clk = shared_round_clk(&large, 1) / (128 * 129);
	assert_true(fabs(large_tap_clk / small_tap_clk - 1) < 0.001);
	double largest_tap_clk = shared_round_clk(&largest, 1) / (65536.0 * 65536.0);
	assert_true(largest_tap_clk >= 1 && largest_tap_clk < 1.1 * small_tap_clk);
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_mla_round_steady_rate),
	    cmocka_unit_test(test_mla_round_free_sram),
	    cmocka_unit_test(test_mla_conv_closed_form),
	    cmocka_unit_test(test_mla_matmul_closed_form),
	    cmocka_unit_test(test_mla_words_conserved),
	    cmocka_unit_test(test_mla_conv_monotone),
	    cmocka_unit_test(test_mla_matmul_monotone),
	    cmocka_unit_test(test_mla_boundary_shapes),
	    cmocka_unit_test(test_mla_any_array),
	    cmocka_unit_test(test_mla_groups_add_up),
	    cmocka_unit_test(test_mla_fewer_rows_not_faster),
	    cmocka_unit_test(test_mla_operand_16_bit),
	    cmocka_unit_test(test_mla_postprocess_narrows_results),
	    cmocka_unit_test(test_mla_reference_tasks),
	    cmocka_unit_test(test_mla_huge_kernels_keep_their_rate),
	};
	return cmocka_run_group_tests(test, NULL, NULL);
}
