/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conservation of energy on machines drawn from all that the check accepts: parts
 * and supplies add up to the total, nothing is negative, infinite or no number.
 */
#include "tests/support/unit_test.h"
#include "dse/space/detail.h"
#include "sim/program/mixed.h"
#include "sim/machine/machine_param.h"
#include "sim/machine/machine_check.h"
#include "tests/support/draws.h"
#include "tests/support/random_design.h"
#include <math.h>
#include <string.h>


/* Mostly somewhere between in orders of magnitude, now and then one of the ends. */
static double draw(struct rng *rng, double min, double max)
{
	uint32_t how = rng_below(rng, 8);
	if (how == 0)
		return min;
	if (how == 1)
		return max;
	double low = min > 0 ? min : max * 1e-9;
	return fmin(max, fmax(min, low * pow(max / low, rng_unit(rng))));
}

/* Another value for one parameter in so many; the machine as it was where the check would refuse it. */
static void vary(struct rng *rng, struct machine *machine, uint32_t one_in)
{
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct machine_param *param = &machine_param[i];
		struct machine changed = *machine;
		char text[48];
		/* these count by a technology alone, or for dse power alone */
		if (strcmp(param->key, "mla.accumulator_bit") == 0 || strcmp(param->key, "pe.program_byte") == 0 ||
		    strcmp(param->key, "dvfs.domain") == 0)
			continue;
		double value = draw(rng, param->min, param->max);
		if (rng_below(rng, one_in) > 0)
			continue;
		if (param->type == PARAM_ARRAY)
			snprintf(text, sizeof(text), "%ux%u", 1 + rng_below(rng, 32), 1 + rng_below(rng, 32));
		else if (param->type == PARAM_BOOL)
			snprintf(text, sizeof(text), "%s", rng_below(rng, 2) ? "true" : "false");
		else if (param->type == PARAM_ENUM)
			snprintf(text, sizeof(text), "%.*s", (int)strcspn(param->unit, "/"), param->unit);
		else
			snprintf(text, sizeof(text), param->type == PARAM_U32 ? "%.0f" : "%.17g", value);
		if (machine_set_param(&changed, param, text, NULL) == ERR_OK && machine_check(&changed, NULL) == ERR_OK)
			*machine = changed;
	}
}

static struct machine random_machine(struct rng *rng)
{
	struct machine machine;
	machine_init(&machine, rng_below(rng, 3) ? MACHINE_CHIP : MACHINE_QPE);
	snprintf(machine.name, sizeof(machine.name), "random");
	machine.n_level = 1 + rng_below(rng, 3);
	for (uint32_t i = 0; i < machine.n_level; i++) {
		snprintf(machine.level[i].name, sizeof(machine.level[i].name), "L%u", i);
		for (size_t k = 0; k < machine_n_level_param; k++)
			*(double *)(void *)((char *)&machine.level[i] + level_param[k].offset) =
			    draw(rng, level_param[k].min, level_param[k].max);
	}
	vary(rng, &machine, 1 + rng_below(rng, 20));
	if (rng_below(rng, 2))
		(void)mixed_add(&machine, 2 + rng_below(rng, 4), NULL);
	assert_int_equal(machine_check(&machine, NULL), ERR_OK);
	return machine;
}

static void assert_amount(double value, const char *what)
{
	if (!(value >= 0) || !isfinite(value))
		fail_msg("%s is %g", what, value);
}

static void assert_sum(double sum, double total)
{
	if (!(fabs(sum - total) <= 1e-9 * total))
		fail_msg("parts sum to %.17g, the total is %.17g", sum, total);
}

static void check_result(const struct machine *machine, uint32_t level, const struct sim_result *result)
{
	const struct energy *energy = &result->energy;
	const double part[] = {energy->mla_pj, energy->sram_pj,  energy->noc_pj,    energy->dram_pj,
	                       energy->arm_pj, energy->awake_pj, energy->switch_pj, energy->static_pj};
	struct supply_energy supply[N_SUPPLY];
	double sum_pj = 0, supply_pj = 0, sum_static_pj = 0;
	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		assert_amount(part[i], "a part");
		sum_pj += part[i];
	}
	energy_by_supply(machine, level, energy, result->latency_ns, supply);
	for (int i = 0; i < N_SUPPLY; i++) {
		assert_amount(supply[i].dynamic_pj, "a supply's dynamic energy");
		assert_amount(supply[i].static_pj, "a supply's static energy");
		supply_pj += supply[i].dynamic_pj + supply[i].static_pj;
		sum_static_pj += supply[i].static_pj;
	}
	assert_amount(energy->total_pj, "the total");
	assert_amount(result->latency_ns, "the latency");
	assert_amount(result->peak_power_mw, "the peak power");
	assert_sum(sum_pj, energy->total_pj);
	assert_sum(supply_pj, energy->total_pj);
	assert_sum(sum_static_pj, energy->static_pj);
	/* of a mixed point clocks are of two lengths, and its change has energy and no power */
	if (mixed_is(&machine->level[level]))
		return;
	assert_sum(sum_static_pj, energy_static_mw(machine, level) * result->latency_ns);
	/* no more PEs work than there are */
	double pe_clk = (double)machine_n_pe(machine) * (double)result->total_clk;
	assert_true(result->counts.awake_clk <= pe_clk * (1 + 1e-9) + 1);
	/* the mean is not above the peak */
	if (result->latency_ns > 0)
		assert_true(energy->total_pj / result->latency_ns <= result->peak_power_mw * (1 + 1e-9));
}

/* Both closed-form models; what cannot run has a verdict and no energy. */
static void test_energy_parts_sum_on_random_machines(void **state)
{
	(void)state;
	unsigned n_ran = 0;
	const uint32_t n_trial = draws(20000, 2500);
	for (uint32_t trial = 0; trial < n_trial; trial++) {
		struct rng rng = rng_stream(5, 1, trial);
		struct machine machine = random_machine(&rng);
		struct block block = random_block(&rng);
		struct layer_design design = random_design(&rng, &block, &machine);
		struct layer_context context;
		mapper_prepare_form(&block, &machine, design.operand_bit, design.form, &context);
		for (int detail = 0; detail < N_DETAIL; detail++) {
			const struct detail_options options = {.detail = (enum detail)detail};
			struct detail_run run = {.context = &context, .design = &design};
			if (detail == DETAIL_EVENT)
				continue;
			detail_run(&run, &options);
			assert_int_equal(run.code, ERR_OK);
			if (run.ran)
				check_result(&machine, design.level, &run.result);
			n_ran += run.ran;
		}
	}
	print_message("%u runs\n", n_ran);
	assert_true(n_ran > n_trial / 4);
}

/* The event tier on the machines as they are shipped but for their energies. */
static void test_energy_parts_sum_in_the_event_tier(void **state)
{
	(void)state;
	unsigned n_ran = 0;
	const uint32_t n_trial = draws(100, 30);
	for (uint32_t trial = 0; trial < n_trial; trial++) {
		struct rng rng = rng_stream(5, 2, trial);
		struct machine random = random_machine(&rng), machine;
		machine_init(&machine, MACHINE_QPE);
		machine.n_level = 2;
		for (uint32_t i = 0; i < machine.n_level; i++) {
			machine.level[i] = random.level[0];
			machine.level[i].clk_mhz = 200 + 50 * i;
		}
		assert_int_equal(mixed_add(&machine, 3, NULL), ERR_OK);
		machine.sram_static_mw = random.sram_static_mw;
		machine.chip_off_mw = random.chip_off_mw;
		struct block block = random_conv(&rng, 12, 16);
		struct layer_design design = random_design(&rng, &block, &machine);
		struct layer_context context;
		const struct detail_options options = {.detail = DETAIL_EVENT};
		mapper_prepare_form(&block, &machine, design.operand_bit, design.form, &context);
		struct detail_run run = {.context = &context, .design = &design};
		detail_run(&run, &options);
		assert_int_equal(run.code, ERR_OK);
		if (run.ran)
			check_result(&machine, design.level, &run.result);
		n_ran += run.ran;
	}
	assert_true(n_ran > n_trial / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_energy_parts_sum_on_random_machines),
	    cmocka_unit_test(test_energy_parts_sum_in_the_event_tier),
	};
	return cmocka_run_group_tests_name("energy_parts", tests, NULL, NULL);
}
