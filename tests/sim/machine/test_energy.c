/* SPDX-License-Identifier: Apache-2.0 */
/* Energy: components, linearity, static power, and the two operating points of the DVFS paper's machine. */
#include "tests/support/unit_test.h"
#include "dse/space/metric.h"
#include "dse/space/space.h"
#include "mapper/split/design.h"
#include "tests/support/near.h"
#include "tests/support/shipped_machine.h"
#include <math.h>
#include <string.h>

static const struct counts some_counts = {
    .mac = 1e6,
    .mla_clk = 2e4,
    .sram_read_word = 3e5,
    .sram_write_word = 4e5,
    .noc_packet = 5e4,
    .dram_read_byte = 6e5,
    .dram_write_byte = 7e4,
    .arm_clk = 8e3,
    .awake_clk = 5e4,
};

/* Every action at a price of its own. */
static struct machine priced_machine(void)
{
	struct machine machine;
	machine_init(&machine, MACHINE_QPE);
	machine.n_level = 1;
	machine.level[0] = (struct operating_point){
	    .vdd_v = 0.5,
	    .clk_mhz = 250,
	    .mla_clk_pj = 8.5,
	    .sram_read32_pj = 3,
	    .sram_write32_pj = 4,
	    .noc_read128_pj = 5,
	    .arm_clk_pj = 6,
	    .pe_static_mw = 1.25,
	    .pe_awake_mw = 0.5,
	};
	machine.dram_byte_pj = 64;
	machine.chip_off_mw = 10;
	machine.sram_static_mw = 2;
	machine.noc_static_mw = 3;
	machine.dram_static_mw = 4;
	return machine;
}

static void test_energy_components(void **state)
{
	(void)state;
	struct machine machine = priced_machine();
	struct energy energy = energy_of_counts(&machine, 0, &some_counts);
	assert_close(energy.mla_pj, 2e4 * 8.5);
	assert_close(energy.sram_pj, 3e5 * 3 + 4e5 * 4);
	assert_close(energy.noc_pj, 5e4 * 5);
	assert_close(energy.dram_pj, 67e4 * 64);
	assert_close(energy.arm_pj, 8e3 * 6);
	assert_close(energy.awake_pj, 5e4 * 4 * 0.5); /* clocks of 4 ns */
	assert_true(energy.static_pj == 0);
	assert_close(energy.total_pj,
	             energy.mla_pj + energy.sram_pj + energy.noc_pj + energy.dram_pj + energy.arm_pj + energy.awake_pj);
	machine.mla_cols = 32; /* twice the array */
	assert_close(energy_of_counts(&machine, 0, &some_counts).mla_pj, 2 * energy.mla_pj);
	assert_close(energy_static_mw(&machine, 0), 10 + 4 * 1.25 + 2 + 3 + 4);
}

/* Equations 4 to 6: the SRAM's, the NoC's and the PEs' supply, with the DRAM's and what the chip takes in any case. */
static void test_energy_by_supply(void **state)
{
	(void)state;
	struct machine machine = priced_machine();
	struct energy energy = energy_of_counts(&machine, 0, &some_counts);
	struct supply_energy supply[N_SUPPLY];
	double sum_pj = 0, sum_mw = 0;
	energy.static_pj = 24 * 1e6;
	energy.total_pj += energy.static_pj;
	energy_by_supply(&machine, 0, &energy, 1e6, supply);
	assert_close(supply[SUPPLY_PE].dynamic_pj, 2e4 * 8.5 + 8e3 * 6 + 5e4 * 2);
	assert_close(supply[SUPPLY_PE].static_pj, 5e6);
	assert_close(supply[SUPPLY_NOC].dynamic_pj, energy.noc_pj);
	assert_close(supply[SUPPLY_NOC].static_pj, 3e6);
	assert_close(supply[SUPPLY_SRAM].dynamic_pj, energy.sram_pj);
	assert_close(supply[SUPPLY_SRAM].static_pj, 2e6);
	assert_close(supply[SUPPLY_DRAM].dynamic_pj, energy.dram_pj);
	assert_close(supply[SUPPLY_DRAM].static_pj, 4e6);
	assert_true(supply[SUPPLY_CHIP].dynamic_pj == 0);
	assert_close(supply[SUPPLY_CHIP].static_pj, 10e6);
	for (int i = 0; i < N_SUPPLY; i++) {
		sum_pj += supply[i].dynamic_pj + supply[i].static_pj;
		sum_mw += supply[i].static_pj / 1e6;
	}
	assert_close(sum_pj, energy.total_pj);
	assert_close(sum_mw, energy_static_mw(&machine, 0));
}

/* All PEs change; a level to itself is no change. Levels of one voltage share a lane. */
static void test_energy_of_changes_of_level(void **state)
{
	(void)state;
	struct machine machine = priced_machine();
	machine.n_level = 3;
	machine.level[2] = machine.level[1] = machine.level[0];
	machine.level[2].vdd_v = 0.6;
	machine.dvfs_switch_ns = 80;
	machine.dvfs_switch_nj = 1.5;
	assert_true(energy_switch_ns(&machine, 1, 1) == 0 && energy_switch_pj(&machine, 2, 2) == 0);
	assert_close(energy_switch_ns(&machine, 0, 2), 80);
	assert_close(energy_switch_pj(&machine, 2, 0), 4 * 1500);
	machine.dvfs_n_lane = 1;
	assert_true(energy_lanes_suffice(&machine, 0) && energy_lanes_suffice(&machine, 4));
	assert_true(energy_lanes_suffice(&machine, 3));
	assert_false(energy_lanes_suffice(&machine, 5));
	machine.dvfs_n_lane = 2;
	assert_true(energy_lanes_suffice(&machine, 7));
}

static void test_energy_is_linear_in_counts(void **state)
{
	(void)state;
	struct machine machine = priced_machine();
	struct counts twice = some_counts;
	twice.mla_clk *= 2;
	twice.sram_read_word *= 2;
	twice.sram_write_word *= 2;
	twice.noc_packet *= 2;
	twice.dram_read_byte *= 2;
	twice.dram_write_byte *= 2;
	twice.arm_clk *= 2;
	twice.awake_clk *= 2;
	assert_close(energy_of_counts(&machine, 0, &twice).total_pj,
	             2 * energy_of_counts(&machine, 0, &some_counts).total_pj);
}

/* mW times ns are pJ; the result's energy is that of its counts and its time. */
static void test_energy_of_a_program(void **state)
{
	(void)state;
	struct machine machine = priced_machine();
	struct program program = {.n_step = 2};
	struct sim_result result;
	program.step[0] = (struct step){.kind = STEP_ARM, .phase = PHASE_PADD, .counts = some_counts};
	program.step[0].u.arm.clk = 1e6;
	program.step[1] = (struct step){.kind = STEP_ARM, .phase = PHASE_POOL, .counts = {.arm_clk = 10}};
	program.step[1].u.arm.clk = 1e6;
	fast_run(&machine, &program, 0, &result);
	assert_close(result.latency_ns, 2e6 * 4);
	assert_close(result.energy.static_pj, 24 * result.latency_ns);
	/* by the ARM cores' clocks, and as long as MLAs multiply */
	assert_close(result.counts.awake_clk, 2e4 * 0 + 8e3 + 10);
	double dynamic_pj = energy_of_counts(&machine, 0, &result.counts).total_pj;
	assert_close(result.energy.total_pj, dynamic_pj + result.energy.static_pj);
	/* the first step is the hungrier one */
	struct counts first = some_counts;
	first.awake_clk = first.arm_clk;
	assert_close(result.peak_power_mw, 24 + energy_of_counts(&machine, 0, &first).total_pj / 4e6);
	assert_true(result.peak_power_mw > result.energy.total_pj / result.latency_ns);

	double metric[N_METRIC];
	const struct layer_context context = {.machine = &machine};
	metric_of_layer(&context, &(struct layer_design){0}, &result, metric);
	assert_close(metric[METRIC_LATENCY], 8);
	assert_close(metric[METRIC_ENERGY], result.energy.total_pj * 1e-9);
	assert_close(metric[METRIC_DRAM], 67e4);
	metric_derive(metric);
	assert_close(metric[METRIC_EDP], metric[METRIC_ENERGY] * 8);
}

/* VGG-16's CONV_5: 112x112 pixels, 128 channels in and out; most of its time goes into the array. */
static void conv_block(struct block *block)
{
	*block = (struct block){.kind = BLOCK_CONV, .name = "CONV_5", .in_w = 112, .in_h = 112, .in_c = 128};
	block->pad_left = block->pad_right = block->pad_top = block->pad_bottom = 1;
	block->kernel_w = block->kernel_h = 3;
	block->stride = block->pool = 1;
	block->out_w = block->out_h = 112;
	block->out_c = 128;
	block->has_acti = block->has_quan = true;
}

static struct sim_result run_at(const struct machine *machine, const struct block *block, uint32_t level)
{
	struct layer_context context;
	struct layer_design design = {
	    .split = {{16, 7, 0, 0}, {14, 8, 0, 0}, {8, 16, 0, 0}, {128, 1, 0, 0}},
	    .strategy = STRATEGY_FUSION_REUSE,
	    .level = level,
	    .operand_bit = 8,
	    .in_storage = true,
	};
	struct program program;
	struct verdict verdict;
	struct sim_result result;
	mapper_prepare(block, machine, 8, &context);
	if (!mapper_distribute(&context, &design, &program, &verdict))
		fail_msg("%s: %llu of %llu bytes", verdict_table[verdict.reason].name,
		         (unsigned long long)verdict.demanded, (unsigned long long)verdict.available);
	fast_run(machine, &program, level, &result);
	return result;
}

/* The time of the tasks alone: not that of copies between PEs, whose NoC has a clock of its own. */
static double task_ns(const struct machine *machine, const struct sim_result *result, uint32_t level)
{
	return (double)result->phase_clk[PHASE_COMPUTATION] * 1e3 / machine->level[level].clk_mhz;
}

/* What the paper counts for a task: array, SRAM, NoC and static energy of the PEs, no DRAM and no chip around them. */
static double task_pj(const struct machine *machine, const struct sim_result *result, uint32_t level)
{
	double static_mw = machine->level[level].pe_static_mw * machine_n_pe(machine);
	return result->energy.mla_pj + result->energy.sram_pj + result->energy.noc_pj +
	       static_mw * task_ns(machine, result, level);
}

/*
 * DVFS paper: its figures give about 0.88 for a task's energy at PL1 (0.5 V,
 * 320 MHz) over that at PL2 (0.6 V, 400 MHz).
 */
static void test_energy_ratio_of_performance_levels(void **state)
{
	(void)state;
	struct machine machine = shipped_machine("spaces/machines/dvfs_chip.yaml");
	struct block block;
	conv_block(&block);
	struct sim_result low = run_at(&machine, &block, 0), high = run_at(&machine, &block, 1);
	double speed_up = task_ns(&machine, &low, 0) / task_ns(&machine, &high, 1);
	double array_ratio = low.energy.mla_pj / high.energy.mla_pj;
	double ratio = task_pj(&machine, &low, 0) / task_pj(&machine, &high, 1);
	double all_ratio = low.energy.total_pj / high.energy.total_pj;
	print_message("PL2 over PL1: %.3f times faster; E(PL1)/E(PL2): array %.3f, PEs %.3f, with DRAM and chip %.3f\n",
	              speed_up, array_ratio, ratio, all_ratio);
	assert_true(fabs(array_ratio - 0.25 / 0.36) < 0.005);
	/* not bound by what has clocks of its own, DRAM and NoC */
	assert_true(speed_up > 1.2 && speed_up < 1.25);
	assert_true(ratio > 0.85 && ratio < 0.91);
	assert_true(all_ratio > 0.85 && all_ratio < 0.91);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_energy_components),
	    cmocka_unit_test(test_energy_by_supply),
	    cmocka_unit_test(test_energy_of_changes_of_level),
	    cmocka_unit_test(test_energy_is_linear_in_counts),
	    cmocka_unit_test(test_energy_of_a_program),
	    cmocka_unit_test(test_energy_ratio_of_performance_levels),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
