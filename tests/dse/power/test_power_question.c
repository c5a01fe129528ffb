/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses of operating points: closed forms, invariants (energies scaled all alike save the same), and the break-even
 * time of a change from both sides.
 */
#include "dse/space/machine_read.h"
#include "dse/power/power_question.h"
#include "dse/design/simulate.h"
#include "dse/space/space.h"
#include <math.h>
#include <string.h>
#include "tests/support/unit_test.h"

/* Work of VGG-16's second convolution in loops of MLA tasks, a deadline 0.583 of the way, the best schedule. */
struct fixture {
	struct machine machine;
	struct network network;
	struct layer_context context;
	struct layer_design design;
	struct power_item item;
	struct power_designs designs;
	struct power_work_options options;
	struct power_run run;
	struct power_case of;
	struct arena arena;
};

static void set_up(struct fixture *f, double sram_pj)
{
	*f = (struct fixture){.options = {.per_loop = true}, .run = {.tasks_only = true, .per_loop = true}};
	assert_int_equal(machine_read("spaces/machines/dvfs_chip.yaml", &f->machine, NULL), ERR_OK);
	assert_int_equal(network_read("spaces/networks/vgg16.yaml", &f->network, NULL), ERR_OK);
	if (sram_pj > 0)
		f->machine.level[0].sram_read32_pj = sram_pj;
	f->machine.noc_clk_mhz = 1000; /* routers keep up at any level, so that tasks take the PE's clocks alone */
	mapper_prepare(&f->network.block[1], &f->machine, 8, &f->context);
	f->design.operand_bit = 8;
	assert_int_equal(power_split_into(&f->context, 1024, &f->design.split, NULL), ERR_OK);
	f->item = (struct power_item){&f->context, 1, &f->design, false};
	f->designs.machine = &f->machine;
	f->designs.n_item = 1;
	f->designs.item = &f->item;
	f->of = (struct power_case){&f->designs, &f->options, &f->run};
	assert_int_equal(power_question_rebuild(&f->of, &f->machine, &f->options, &f->arena, &f->run.work, NULL),
	                 ERR_OK);
	struct power_run *run = &f->run;
	const struct power_problem *problem = &run->work.problem;
	run->goal = (struct power_goal){POWER_LIMITED_TIME, INFINITY, INFINITY, INFINITY, INFINITY, false, 0};
	for (uint32_t i = 0; i < 2; i++) {
		power_uniform(problem, &run->goal, i, &f->arena, &run->alone[i]);
		run->is_alone[i] = true;
	}
	run->fast = 1;
	run->goal.max_ns = run->alone[1].time_ns + 0.583 * (run->alone[0].time_ns - run->alone[1].time_ns);
	for (uint32_t i = 0; i < 2; i++)
		run->alone_keeps[i] = power_measure(problem, &run->goal, &run->alone[i]);
	assert_int_equal(power_solve(problem, &run->goal, 0, &f->arena, &run->best, NULL), ERR_OK);
	assert_true(run->best.is_found && run->best.n_switch == 1);
}

static void tear_down(struct fixture *f)
{
	power_work_free(&f->run.work);
	network_free(&f->network);
	arena_free(&f->arena);
}

static size_t column_of(const struct power_analysis *analysis, const char *name)
{
	for (size_t i = 0; i < analysis->n_column; i++)
		if (strcmp(analysis->column[i], name) == 0)
			return i;
	fail_msg("no column %s", name);
	return 0;
}

static double value_of(const struct power_analysis *analysis, const char *label, const char *column)
{
	for (size_t i = 0; i < analysis->n_row; i++)
		if (strcmp(analysis->row[i].label, label) == 0)
			return analysis->row[i].value[column_of(analysis, column)];
	fail_msg("no row %s", label);
	return 0;
}

static void test_power_question_pairs(void **state)
{
	static struct fixture f;
	struct power_analysis analysis;
	(void)state;
	set_up(&f, 0);
	assert_int_equal(power_question_answer(POWER_PAIRS, &f.of, &f.arena, &analysis, NULL), ERR_OK);
	assert_int_equal(analysis.n_row, 3);
	assert_string_equal(analysis.row[0].label, "PL1 + PL2"); /* the best first */
	assert_true(fabs(value_of(&analysis, "PL1 + PL2", "energy_mj") - f.run.best.energy_pj * 1e-9) < 1e-12);
	assert_true(fabs(value_of(&analysis, "PL2", "energy_mj") - f.run.alone[1].energy_pj * 1e-9) < 1e-12);
	assert_true(isnan(value_of(&analysis, "PL1", "energy_mj"))); /* too slow */
	tear_down(&f);
}

/*
 * Tasks alone take clocks only, but for operand A's way through the router: the closed form is within 0.05 %, and
 * energy falls with the clock.
 */
static void test_power_question_clock_follows_the_closed_form(void **state)
{
	static struct fixture f;
	struct power_analysis analysis;
	(void)state;
	set_up(&f, 0);
	assert_int_equal(power_question_answer(POWER_CLOCK, &f.of, &f.arena, &analysis, NULL), ERR_OK);
	size_t energy = column_of(&analysis, "energy_mj"), error = column_of(&analysis, "closed_err_pct");
	size_t clk = column_of(&analysis, "clk_mhz"), slope = column_of(&analysis, "mj_per_mhz");
	size_t tops_w = column_of(&analysis, "tops_w");
	double n_mac = 0;
	for (size_t i = 0; i < f.designs.n_item; i++)
		n_mac += (double)block_n_mac(f.designs.item[i].context->block);
	for (size_t i = 0; i < analysis.n_row; i++) {
		const struct power_finding *row = &analysis.row[i];
		assert_true(fabs(row->value[error]) < 0.05 && row->value[slope] < 0);
		assert_true(fabs(row->value[tops_w] * row->value[energy] * 1e9 / (2 * n_mac) - 1) < 1e-12);
		if (i == 0 || strcmp(row->label, analysis.row[i - 1].label) != 0)
			continue;
		/* the mean slope between two clocks lies between those at them */
		const struct power_finding *before = &analysis.row[i - 1];
		double mean = (row->value[energy] - before->value[energy]) / (row->value[clk] - before->value[clk]);
		assert_true(before->value[tops_w] < row->value[tops_w]);
		assert_true(before->value[slope] < mean && mean < row->value[slope]);
	}
	assert_non_null(strstr(analysis.note[0], "the highest clock"));
	tear_down(&f);
}

/* Just below the break-even time the best schedule still changes its level, just above it does not. */
static void test_power_question_switch_breaks_even(void **state)
{
	static struct fixture f;
	struct power_analysis analysis;
	double break_even_ns = 0;
	(void)state;
	set_up(&f, 0);
	assert_int_equal(power_question_answer(POWER_SWITCH, &f.of, &f.arena, &analysis, NULL), ERR_OK);
	assert_int_equal(sscanf(analysis.note[0], "break-even: a change of level pays up to %lf", &break_even_ns), 1);
	for (int i = 0; i < 2; i++) {
		struct power_problem problem = f.run.work.problem;
		struct power_schedule schedule;
		double ns = break_even_ns * (i ? 1.001 : 0.999);
		problem.switch_ns[0][1] = problem.switch_ns[1][0] = ns;
		problem.switch_pj[0][1] = ns * problem.sleep_mw[1];
		problem.switch_pj[1][0] = ns * problem.sleep_mw[0];
		assert_int_equal(power_solve(&problem, &f.run.goal, 0, &f.arena, &schedule, NULL), ERR_OK);
		assert_int_equal(schedule.n_switch, i ? 0 : 1);
	}
	/* the longer a change takes, the less is saved */
	size_t saving = column_of(&analysis, "saving_pct");
	for (size_t i = 1; i < 7; i++)
		assert_true(analysis.row[i].value[saving] <= analysis.row[i - 1].value[saving] + 1e-9);
	tear_down(&f);
}

/* Energies that all grow alike save the same: elasticities add up to 0. Slopes by unit and by percent agree. */
static void test_power_question_sensitivities_are_consistent(void **state)
{
	static struct fixture f;
	struct power_analysis analysis;
	double sum = 0, all = 0;
	(void)state;
	set_up(&f, 2.7);
	assert_int_equal(power_question_answer(POWER_SENSITIVITY, &f.of, &f.arena, &analysis, NULL), ERR_OK);
	size_t elasticity = column_of(&analysis, "elasticity"), value = column_of(&analysis, "value");
	size_t per_pct = column_of(&analysis, "points_per_pct"), per_unit = column_of(&analysis, "points_per_unit");
	for (size_t i = 0; i < analysis.n_row; i++) {
		const struct power_finding *row = &analysis.row[i];
		bool is_all = strncmp(row->label, "all levels.", 11) == 0;
		bool is_of_level = strncmp(row->label, "PL", 2) == 0;
		if (row->value[value] <= 0) {
			assert_true(isnan(row->value[elasticity]) && isfinite(row->value[per_unit]));
			continue;
		}
		if (!is_all)
			sum += row->value[elasticity];
		if (!is_of_level)
			all += row->value[elasticity];
		if (!is_all)
			assert_true(fabs(row->value[per_unit] * row->value[value] / 100 - row->value[per_pct]) <
			            1e-3 * fabs(row->value[per_pct]) + 1e-7);
	}
	assert_true(fabs(sum) < 1e-4 && fabs(all) < 1e-4);
	/* what costs at the slow level lowers the saving, what costs at the fast one raises it */
	assert_true(value_of(&analysis, "PL1.mla_clk_pj (pJ)", "elasticity") < 0);
	assert_true(value_of(&analysis, "PL2.mla_clk_pj (pJ)", "elasticity") > 0);
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_power_question_pairs),
	    cmocka_unit_test(test_power_question_clock_follows_the_closed_form),
	    cmocka_unit_test(test_power_question_switch_breaks_even),
	    cmocka_unit_test(test_power_question_sensitivities_are_consistent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
