/* SPDX-License-Identifier: Apache-2.0 */
/* ARM operations without fusion: what each reads from DRAM, writes there and takes, from the shape alone. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/support/sample_design.h"
#include "sim/machine/machine_param.h"
#include <stdio.h>

/* Of all result pixels, pooling not yet done; results leave the array in 32 bit, padded rows are whole lines. */
struct expected {
	enum phase phase;
	double read_byte, write_byte, clk;
};

static void assert_step(const struct step *step, const struct expected *want)
{
	const struct counts *counts = &step->counts;
	assert_int_equal(step->kind, STEP_ARM);
	if (counts->dram_read_byte != want->read_byte || counts->dram_write_byte != want->write_byte ||
	    counts->arm_clk != want->clk)
		fail_msg("%s: %.0f read, %.0f written, %.0f clocks, expected %.0f, %.0f, %.0f", phase_name[step->phase],
		         counts->dram_read_byte, counts->dram_write_byte, counts->arm_clk, want->read_byte,
		         want->write_byte, want->clk);
	/* four interfaces share it; packets of 16 bytes */
	assert_true(step->u.arm.dram_byte == (want->read_byte + want->write_byte) / 4);
	/* and an ARM core is two routers from its quadrant's interface in the mean */
	assert_true(counts->noc_packet == 2 * (want->read_byte + want->write_byte) / 16);
}

static void test_distribute_arm_without_fusion(void **state)
{
	(void)state;
	struct sample sample = sample_conv(2, 14, 16, STRATEGY_NO_FUSION);
	double n = 56 * 56 * 128;
	/* clocks a pixel: thesis table 5.9; partial sums: four parts are three additions of two words each */
	const struct expected want[] = {
	    {PHASE_FCE, 3 * 8 * n, 3 * 4 * n, 3 * 8 * n},
	    {PHASE_MAT_ELE, 8 * n, 4 * n, 8 * n},
	    {PHASE_ACTI, 4 * n, 4 * n, 8 * n},
	    {PHASE_QUAN, 4 * n, n, 8 * n},
	    {PHASE_POOL, n, n / 4, 12 * n},
	};
	unsigned n_found = 0;
	struct machine machine;
	struct layer_context context;
	struct program program;
	struct verdict verdict;
	machine_init(&machine, MACHINE_CHIP);
	sample.block.has_mat_ele = true;
	sample.design.split.d = equal_parts(128, 4);
	mapper_prepare(&sample.block, &machine, 8, &context);
	assert_true(mapper_distribute(&context, &sample.design, &program, &verdict));
	for (uint32_t i = 0; i < program.n_step; i++) {
		for (size_t k = 0; k < sizeof(want) / sizeof(want[0]); k++) {
			if (program.step[i].phase != want[k].phase)
				continue;
			assert_step(&program.step[i], &want[k]);
			n_found++;
		}
	}
	assert_int_equal(n_found, sizeof(want) / sizeof(want[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_distribute_arm_without_fusion)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
