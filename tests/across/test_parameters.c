/* SPDX-License-Identifier: Apache-2.0 */
/* Every parameter of a machine acts: another value of it changes a prediction of some small design. */
#include "tests/support/unit_test.h"
#include "tests/support/sample_design.h"
#include "tests/support/sample_schedule.h"
#include "tests/support/sample_systolic.h"
#include "sim/event/event.h"
#include "sim/machine/machine_technology.h"
#include "sim/mla/greybox.h"
#include <stdio.h>
#include <string.h>

/* What is predicted of it; 0 where it does not run. */
struct prediction {
	bool runs;
	uint64_t total_clk;
	double latency_ns, energy_pj, peak_mw;
};

#define MAX_SAMPLE 16

/* Reuse with copies, with filters that rotate in a block and go round the ring, and results that fill the storage. */
static uint32_t chip_samples(struct sample *sample)
{
	uint32_t n = 0;
	sample[n++] = sample_conv(2, 14, 32, STRATEGY_FUSION_REUSE);
	sample[n++] = sample_conv(2, 14, 64, STRATEGY_FUSION_REUSE);
	sample[n++] = sample_conv(4, 14, 32, STRATEGY_FUSION_REUSE);
	sample[n++] = sample_kept(512);
	sample[n++] = sample_conv(2, 14, 32, STRATEGY_FUSION);
	sample[n] = sample_conv(2, 14, 32, STRATEGY_NO_FUSION);
	sample[n++].block.has_mat_ele = true;
	sample[n++] = sample_matmul();
	sample[n++] = sample_pool();
	for (int kind = 0; kind < N_ARM_KIND; kind++)
		sample[n++] = sample_arm((enum arm_kind)kind);
	sample[n++] = sample_packed(STRATEGY_FUSION);
	return n;
}

static uint32_t qpe_samples(struct sample *sample)
{
	uint32_t n = 0;
	sample[n++] = sample_conv(2, 14, 32, STRATEGY_FUSION_REUSE);
	sample[n++] = sample_conv(2, 14, 32, STRATEGY_NO_FUSION);
	sample[n++] = sample_matmul();
	sample[n++] = sample_pool();
	return n;
}

/* A machine on which no action is free of energy and no part of area. */
static struct machine machine_of(enum machine_target target)
{
	struct machine machine;
	machine_init(&machine, target);
	snprintf(machine.name, sizeof(machine.name), "machine");
	machine.area_mac_um2 = 500;
	machine.area_sram_byte_um2 = 1.5;
	machine.area_pe_um2 = 1e5;
	machine.area_chip_um2 = 1e6;
	machine.n_level = 1;
	machine.level[0] = (struct operating_point){
	    "nominal", 0.5, 250, 8.5, 4.9, 4.9, 10, 20, 1.05, 0.2, {3, 13, 1.2, 1}, {18, 18, 2, 1}, 0, 0, 0, 0};
	assert_int_equal(machine_check(&machine, NULL), ERR_OK);
	return machine;
}

static struct prediction predict(const struct machine *machine, const struct sample *sample)
{
	struct prediction prediction = {0};
	struct layer_context context;
	struct program program;
	struct verdict verdict;
	mapper_prepare_form(&sample->block, machine, sample->design.operand_bit, sample->design.form, &context);
	prediction.runs = mapper_distribute(&context, &sample->design, &program, &verdict);
	if (!prediction.runs)
		return prediction;
	struct sim_result result;
	fast_run(machine, &program, 0, &result);
	prediction.total_clk = result.total_clk;
	prediction.latency_ns = result.latency_ns;
	prediction.energy_pj = result.energy.total_pj;
	prediction.peak_mw = result.peak_power_mw;
	return prediction;
}

/* A systolic array has no use for the samples of the others. */
static struct prediction predict_systolic(const struct machine *machine)
{
	struct prediction prediction = {0};
	const struct systolic_work work = sample_systolic_work();
	struct program program;
	struct sim_result result;
	prediction.runs = sample_systolic_program(machine, &work, &program);
	if (!prediction.runs)
		return prediction;
	fast_run(machine, &program, 0, &result);
	prediction.total_clk = result.total_clk;
	prediction.latency_ns = result.latency_ns;
	prediction.energy_pj = result.energy.total_pj;
	prediction.peak_mw = result.peak_power_mw;
	return prediction;
}

static bool differ(const struct prediction *a, const struct prediction *b)
{
	return a->runs != b->runs || a->total_clk != b->total_clk || a->latency_ns != b->latency_ns ||
	       a->energy_pj != b->energy_pj || a->peak_mw != b->peak_mw;
}

/* Tasks of one QPE in the event tier: what acts there alone. */
static uint64_t event_clk(const struct machine *machine)
{
	static const struct mla_shape task[] = {
	    {.kind = MLA_CONV,
	     .operand_bit = 8,
	     .pe_shift = 1,
	     .kernel_w = 3,
	     .kernel_h = 3,
	     .conv = {30, 5, 12, 4, 1}},
	    {.kind = MLA_MATMUL, .operand_bit = 8, .pe_shift = 2, .matmul = {64, 4, 64}},
	};
	uint64_t clk = 0;
	for (size_t i = 0; i < sizeof(task) / sizeof(task[0]); i++) {
		const struct mla_shape all[] = {task[i], task[i], task[i], task[i]};
		struct event_result result;
		assert_int_equal(event_run_qpe(machine, all, 4, NULL, &result, NULL), ERR_OK);
		clk += result.clk;
	}
	return clk;
}

/* What changes of operating point cost, and how many voltages there are. */
static bool changes_apart(const struct machine *a, const struct machine *b)
{
	double ns[2], pj[2], mw[2];
	uint32_t n_lane[2];
	sample_dvfs(a, &ns[0], &pj[0], &n_lane[0], &mw[0]);
	sample_dvfs(b, &ns[1], &pj[1], &n_lane[1], &mw[1]);
	/* what dividers do: tests/dse/power/test_power.c */
	return mw[0] != mw[1] || ns[0] != ns[1] || pj[0] != pj[1] || n_lane[0] != n_lane[1] ||
	       a->dvfs_n_divider != b->dvfs_n_divider || a->dvfs_domain != b->dvfs_domain;
}

/* Clocks by the grey-box model. */
static bool greybox_apart(const struct machine *a, const struct machine *b)
{
	const struct greybox_shape conv = {30, 5, 12, 4, 3, 3, a->mla_cols, a->mla_rows};
	const struct greybox_shape matmul = {64, 1, 64, 4, 1, 1, a->mla_cols, a->mla_rows};
	return greybox_clk(&conv, &a->level[0].conv) != greybox_clk(&conv, &b->level[0].conv) ||
	       greybox_clk(&matmul, &a->level[0].matmul) != greybox_clk(&matmul, &b->level[0].matmul);
}

/* Whether any prediction for the one machine is another for the other. */
static bool acts(const struct machine *base, const struct machine *changed)
{
	struct sample sample[MAX_SAMPLE];
	if (base->target == MACHINE_SYSTOLIC) {
		struct prediction before = predict_systolic(base), after = predict_systolic(changed);
		assert_true(before.runs);
		return differ(&before, &after) || machine_area_um2(base) != machine_area_um2(changed);
	}
	uint32_t n = base->target == MACHINE_CHIP ? chip_samples(sample) : qpe_samples(sample);
	assert_in_range(n, 1, MAX_SAMPLE);
	if (machine_area_um2(base) != machine_area_um2(changed) || changes_apart(base, changed) ||
	    greybox_apart(base, changed) || sample_schedule_us(base, 0) != sample_schedule_us(changed, 0))
		return true;
	for (uint32_t i = 0; i < n; i++) {
		struct prediction before = predict(base, &sample[i]), after = predict(changed, &sample[i]);
		if (!before.runs)
			fail_msg("sample %u does not run", i);
		if (differ(&before, &after))
			return true;
	}
	return false;
}

/* Other values to try: a machine with them must pass its check, which not all do for, say, the width of the mesh. */
static bool param_acts(const struct machine *base, const struct machine_param *param)
{
	double value = machine_get_param(base, param);
	const double other[] = {2 * value, value / 2, value - 2, value + 1};
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		struct machine changed = *base;
		char text[32];
		if (param->type == PARAM_ARRAY)
			snprintf(text, sizeof(text), "%dx%d", i % 2 ? 16 : 8, i % 2 ? 8 : 4);
		else if (param->type == PARAM_BOOL)
			snprintf(text, sizeof(text), "%s", value > 0 ? "false" : "true");
		else if (param->type == PARAM_ENUM && !sample_name(param, (unsigned)i, text, sizeof(text)))
			continue;
		else if (param->type == PARAM_ENUM)
			assert_true(text[0] != '\0');
		else
			snprintf(text, sizeof(text), "%.0f", other[i]);
		if (machine_set_param(&changed, param, text, NULL) != ERR_OK)
			continue;
		if (machine_check(&changed, NULL) != ERR_OK)
			continue;
		bool event_only = strstr(param->help, "event tier only");
		if (event_only ? event_clk(base) != event_clk(&changed) : acts(base, &changed))
			return true;
	}
	return false;
}

static void test_parameters_each_changes_a_prediction(void **state)
{
	(void)state;
	struct machine chip = machine_of(MACHINE_CHIP), qpe = machine_of(MACHINE_QPE);
	struct machine array = machine_of(MACHINE_SYSTOLIC);
	/* with the MLA's output stage only a shortcut's result is rectified by the ARM core */
	struct machine staged = chip, sized = chip;
	unsigned n_idle = 0;
	staged.mla_postprocess = true;
	/* sizes that only a technology prices */
	const uint32_t given = 0;
	sized.technology.of.node_nm = 28;
	assert_int_equal(technology_sram_grid(28, technology_cell[0], &sized.technology.of.sram, NULL), ERR_OK);
	assert_int_equal(machine_technology_anchor(&sized, &given, NULL), ERR_OK);
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct machine_param *param = &machine_param[i];
		bool on_array = machine_param_serves(param, MACHINE_SYSTOLIC) && strncmp(param->key, "dvfs.", 5) != 0;
		if (on_array && !param_acts(&array, param)) {
			print_error("%s changes nothing on a systolic array\n", param->key);
			n_idle++;
		}
		if (param_acts(&chip, param) || param_acts(&qpe, param) || param_acts(&staged, param) ||
		    param_acts(&sized, param) || on_array)
			continue;
		print_error("%s changes nothing\n", param->key);
		n_idle++;
	}
	assert_int_equal(n_idle, 0);
}

/* What a transfer waits for acts on one QPE and on the chip alike. */
static void test_parameters_latencies_act_on_both_targets(void **state)
{
	(void)state;
	static const char *const key[] = {"noc.hop_clk", "dram.interface_clk", "chip.host_latency_clk"};
	for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++) {
		struct machine chip = machine_of(MACHINE_CHIP), qpe = machine_of(MACHINE_QPE);
		assert_true(param_acts(&chip, machine_find_param(key[i])));
		assert_true(param_acts(&qpe, machine_find_param(key[i])));
	}
}

/* Half the memory is too little for some design, whatever else memory costs. */
static void test_parameters_memory_decides_what_runs(void **state)
{
	(void)state;
	struct machine chip = machine_of(MACHINE_CHIP);
	struct sample sample[MAX_SAMPLE];
	uint32_t n = chip_samples(sample), n_pe = 0, n_storage = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct machine small = chip;
		small.pe_sram_byte /= 2;
		n_pe += !predict(&small, &sample[i]).runs;
		small = chip;
		small.chip.storage_pe_byte /= 2;
		n_storage += !predict(&small, &sample[i]).runs;
	}
	assert_true(n_pe > 0 && n_storage > 0);
}

/* vdd_v says at which voltage the level's energies hold; they are given, not scaled by it. */
static void test_parameters_each_of_a_level_changes_a_prediction(void **state)
{
	(void)state;
	struct machine base = machine_of(MACHINE_CHIP);
	for (size_t i = 0; i < machine_n_level_param; i++) {
		const struct level_param *param = &level_param[i];
		struct machine changed = base;
		double *value = (double *)(void *)((char *)&changed.level[0] + param->offset);
		*value *= 1.5;
		assert_int_equal(machine_check(&changed, NULL), ERR_OK);
		if (acts(&base, &changed) != (strcmp(param->key, "vdd_v") != 0))
			fail_msg("%s", param->key);
	}
}

/* The tests above can fail: the same machine, and one that differs in its name, change nothing. */
static void test_parameters_nothing_changes_by_itself(void **state)
{
	(void)state;
	for (int target = MACHINE_QPE; target <= MACHINE_SYSTOLIC; target++) {
		struct machine base = machine_of((enum machine_target)target), changed = base;
		assert_false(acts(&base, &changed));
		snprintf(changed.name, sizeof(changed.name), "other");
		assert_false(acts(&base, &changed));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_parameters_each_changes_a_prediction),
	    cmocka_unit_test(test_parameters_latencies_act_on_both_targets),
	    cmocka_unit_test(test_parameters_memory_decides_what_runs),
	    cmocka_unit_test(test_parameters_each_of_a_level_changes_a_prediction),
	    cmocka_unit_test(test_parameters_nothing_changes_by_itself),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
