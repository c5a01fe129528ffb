/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chips whose routers are busy with operand A: designs that searches find there, in both tiers. Without what waits at
 * routers the fast tier was up to 37 % too fast for them.
 */
#include "dse/space/detail.h"
#include "tests/support/all_runs.h"
#include "tests/support/plain_block.h"
#include "tests/support/shipped_machine.h"
#include <math.h>

struct found {
	const char *name;
	uint32_t side, in_c, out_c, kernel;
	enum strategy strategy;
	enum conv_form form;
	struct split split;
	double max_frac; /* allowed between the tiers, at any clock of the NoC */
};

static const uint32_t noc_mhz[] = {300, 250, 200, 125};

static const struct found found[] = {
    {"one round of long tasks",
     112,
     3,
     64,
     7,
     STRATEGY_FUSION,
     FORM_CONV,
     {.w = {112, 1, 0, 0}, .h = {1, 112, 0, 0}, .c = {64, 1, 0, 0}, .d = {3, 1, 0, 0}},
     0.01},
    {"long loads pass busy routers",
     7,
     512,
     512,
     3,
     STRATEGY_NO_FUSION,
     FORM_CONV,
     {.w = {7, 1, 0, 0}, .h = {7, 1, 0, 0}, .c = {24, 2, 16, 29}, .d = {146, 3, 74, 1}},
     0.01},
    {"queues get results of two widths",
     14,
     480,
     16,
     1,
     STRATEGY_FUSION,
     FORM_PACKED,
     {.w = {3, 3, 1, 5}, .h = {14, 1, 0, 0}, .c = {16, 1, 0, 0}, .d = {480, 1, 0, 0}},
     0.05},
    {"results pass busy routers",
     14,
     1024,
     256,
     1,
     STRATEGY_FUSION_REUSE,
     FORM_PACKED,
     {.w = {2, 6, 2, 1}, .h = {7, 2, 0, 0}, .c = {4, 64, 0, 0}, .d = {1024, 1, 0, 0}},
     0.03},
};
#define N_FOUND (sizeof(found) / sizeof(found[0]))

static void compare(const struct found *one, uint32_t clk_mhz)
{
	struct machine machine = shipped_machine("spaces/machines/thesis_chip.yaml");
	const struct block block = plain_conv(one->side, one->in_c, one->out_c, one->kernel);
	struct layer_context context;
	machine.noc_clk_mhz = clk_mhz;
	mapper_prepare_form(&block, &machine, 8, one->form, &context);
	const struct layer_design design = {
	    .split = one->split, .strategy = one->strategy, .form = one->form, .operand_bit = 8};
	struct detail_run fast = {.context = &context, .design = &design}, event = fast;
	run_all(&fast, 1, (struct detail_options){.detail = DETAIL_FAST, .n_thread = 1});
	run_all(&event, 1, (struct detail_options){.detail = DETAIL_EVENT, .n_thread = 1});
	double error = (double)fast.result.core_clk / (double)event.result.core_clk - 1;
	print_message("%s, NoC at %u MHz: fast %llu, event %llu clk (%+.1f %%)\n", one->name, clk_mhz,
	              (unsigned long long)fast.result.core_clk, (unsigned long long)event.result.core_clk, 100 * error);
	assert_true(fabs(error) <= one->max_frac);
}

static void test_slow_noc_tiers_agree(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_FOUND; i++)
		for (size_t k = 0; k < sizeof(noc_mhz) / sizeof(noc_mhz[0]); k++)
			compare(&found[i], noc_mhz[k]);
}

/*
 * Ifmap parts of two widths and heights: the largest one comes first and holds up its chain; taken for as large as the
 * mean they were 18 % too fast here.
 */
static void test_slow_noc_parts_of_two_sizes(void **state)
{
	(void)state;
	const struct split split[] = {
	    {.w = {4, 1, 1, 3}, .h = {4, 1, 3, 1}, .c = {4, 40, 0, 0}, .d = {832, 1, 0, 0}},
	    {.w = {4, 1, 3, 1}, .h = {4, 1, 1, 3}, .c = {4, 40, 0, 0}, .d = {832, 1, 0, 0}},
	    {.w = {2, 3, 1, 1}, .h = {2, 3, 1, 1}, .c = {4, 40, 0, 0}, .d = {832, 1, 0, 0}},
	};
	const char *const name[] = {"spaces/machines/thesis_chip.yaml", "spaces/machines/dvfs_chip.yaml"};
	const struct block block = plain_conv(7, 832, 160, 1);
	for (size_t i = 0; i < 4 * sizeof(split) / sizeof(split[0]); i++) {
		struct machine machine = shipped_machine(name[i % 2]);
		struct layer_context context;
		if (i / 2 % 2)
			machine.noc_clk_mhz = 200;
		mapper_prepare_form(&block, &machine, 8, FORM_PACKED, &context);
		const struct layer_design design = {
		    .split = split[i / 4], .strategy = STRATEGY_FUSION_REUSE, .form = FORM_PACKED, .operand_bit = 8};
		struct detail_run fast = {.context = &context, .design = &design}, event = fast;
		run_all(&fast, 1, (struct detail_options){.detail = DETAIL_FAST, .n_thread = 1});
		run_all(&event, 1, (struct detail_options){.detail = DETAIL_EVENT, .n_thread = 1});
		double fast_clk = (double)fast.result.phase_clk[PHASE_INPUT],
		       event_clk = (double)event.result.phase_clk[PHASE_INPUT];
		print_message("%zu: input fast %g, event %g clk\n", i, fast_clk, event_clk);
		assert_true(fabs(fast_clk / event_clk - 1) <= 0.1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_slow_noc_tiers_agree),
	    cmocka_unit_test(test_slow_noc_parts_of_two_sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
