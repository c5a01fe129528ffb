/* SPDX-License-Identifier: Apache-2.0 */
/* A transformer's encoder on the chip: products of results with each other, softmax and normalisation of rows. */
#include "tests/support/unit_test.h"
#include "dse/design/simulate.h"
#include "dse/space/machine_read.h"
#include "dse/space/space.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define N_TOKEN 128.0
#define WIDTH 768.0
#define N_HEAD 12.0
#define N_BLOCK 11
/* As in tests/across/test_tiers.c; layers of rows of the ARM cores move little, and their set-ups weigh more. */
#define MAX_LAYER_FRAC 0.08

struct fixture {
	struct machine machine;
	struct network network;
};

static void open_fixture(struct fixture *f)
{
	struct err err = {0};
	if (machine_read("spaces/machines/thesis_chip.yaml", &f->machine, &err) != ERR_OK ||
	    network_read("spaces/networks/encoder.yaml", &f->network, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_int_equal(f->network.n_block, N_BLOCK);
}

static double written_byte(const struct block *block)
{
	return (double)block->out_w * block->out_h * block->out_c;
}

/* Scores are tokens x tokens a head; both products read two results, of which the second comes from DRAM as weights. */
static void test_encoder_multiplies_results(void **state)
{
	struct fixture f;
	(void)state;
	open_fixture(&f);
	const struct block *scores = &f.network.block[3], *sum = &f.network.block[5];
	assert_true((double)block_n_mac(scores) == N_HEAD * N_TOKEN * N_TOKEN * (WIDTH / N_HEAD));
	assert_true(block_n_mac(sum) == block_n_mac(scores));
	assert_true((double)block_n_weight(scores) == N_TOKEN * WIDTH && block_n_weight(sum) == block_n_weight(scores));
	assert_int_equal(scores->filters.n, 1);
	assert_int_equal(scores->filters.producer[0], 2);
	assert_int_equal(sum->filters.producer[0], 3);
	assert_true(f.network.block[1].result_to_dram && f.network.block[2].result_to_dram);
	assert_int_equal(f.network.block[4].arm, ARM_SOFTMAX);
	/* nor is a result fetched ahead as if it were weights */
	for (size_t i = 0; i < N_BLOCK; i++) {
		struct ahead ahead = ahead_around(&f.network, i, 8, 8);
		assert_true(f.network.block[i].filters.n == 0 || ahead.own_bit == 0);
		assert_true(!ahead.next || ahead.next->filters.n == 0);
	}
	network_free(&f.network);
}

/* All of it runs with every strategy that needs no reuse, in both tiers, which agree; what is computed is what there
 * is. */
static void test_encoder_runs_on_the_chip(void **state)
{
	static const enum strategy strategy[] = {STRATEGY_NO_FUSION, STRATEGY_FUSION};
	/* in the event tier what other networks do not have: scores, softmax, weighted values, normalisation */
	static const bool shown[N_BLOCK] = {[3] = true, [4] = true, [5] = true, [7] = true};
	struct fixture f;
	(void)state;
	open_fixture(&f);
	for (size_t s = 0; s < 2; s++) {
		struct simulated block[2][N_BLOCK];
		double mac = 0;
		for (int tier = 0; tier < 2; tier++) {
			const struct simulate_options options = {.strategy = strategy[s],
			                                         .how.detail.detail = tier ? DETAIL_EVENT : DETAIL_FAST,
			                                         .shown = tier ? shown : NULL};
			struct err err = {0};
			if (simulate_network(&f.machine, &f.network, &options, block[tier], &err) != ERR_OK)
				fail_msg("%s", err_text(&err));
		}
		for (size_t i = 0; i < N_BLOCK; i++) {
			const struct block *own = &f.network.block[i];
			const struct sim_result *fast = &block[0][i].result, *event = &block[1][i].result;
			assert_true(block[0][i].ran);
			mac += fast->counts.mac;
			assert_true(fast->counts.dram_read_byte >=
			            (double)own->in_w * own->in_h * own->in_c + (double)block_n_weight(own));
			assert_true(fast->counts.dram_write_byte >= written_byte(own));
			if (!shown[i])
				continue;
			assert_true(block[1][i].ran && fast->counts.mac == event->counts.mac);
			assert_true(fast->counts.dram_read_byte == event->counts.dram_read_byte);
			double frac = fabs((double)fast->total_clk / (double)event->total_clk - 1);
			if (frac > MAX_LAYER_FRAC)
				fail_msg("%s, %s: fast %llu, event %llu", own->name, strategy_table[strategy[s]].name,
				         (unsigned long long)fast->total_clk, (unsigned long long)event->total_clk);
		}
		assert_true(mac == 12 * N_TOKEN * WIDTH * WIDTH + 2 * N_TOKEN * N_TOKEN * WIDTH);
	}
	network_free(&f.network);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_encoder_multiplies_results),
	    cmocka_unit_test(test_encoder_runs_on_the_chip),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
