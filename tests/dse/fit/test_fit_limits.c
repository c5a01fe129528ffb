/* SPDX-License-Identifier: Apache-2.0 */
/* Fitting where it is hard: too little measured, too much, weights, rows left out, mistakes of tables and options. */
#include "tests/support/unit_test.h"
#include "tests/dse/fit/fit_trial.h"

/* ---- what cannot be known ------------------------------------------------------------------------ */

static void test_fit_of_one_row_is_not_identified(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial, CLK_HEADER "\nconv,20,9,8,3,3,4,1000\n", &no_options);
	assert_int_equal(trial.code, ERR_OK);
	assert_false(trial.result.identified);
	assert_true(has_warning(&trial, "1 measured value for 3 parameters"));
	end(&trial);
	run_text(&trial, CLK_HEADER "\nconv,20,9,8,3,3,4,1000\n", &(struct fit_options){.parameters = "conv_a"});
	assert_true(trial.result.identified);
	assert_true(isnan(find(&trial, "PL1.conv_a")->std_error));
	assert_int_equal(trial.result.group[0].without_row.n_lost, 1);
	assert_true(has_warning(&trial, "as many parameters as measured values"));
	end(&trial);
}

/* One task many times: its clocks are known well, the parameters behind them are not. */
static void test_fit_of_one_task_is_not_identified(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial,
	         CLK_HEADER "\nconv,20,9,8,3,3,4,1000\nconv,20,9,8,3,3,4,1010\nconv,20,9,8,3,3,4,990\n"
	                    "conv,20,9,8,3,3,4,1005\n",
	         &no_options);
	assert_false(trial.result.identified);
	assert_true(trial.result.group[0].max_abs_pct < 1.5);
	assert_int_equal(trial.result.group[0].without_task.n_lost, 4);
	assert_true(has_warning(&trial, "cannot be told apart"));
	end(&trial);
}

/* A collinear pair that the bounds would hide: the rank is that of all parameters. */
static void test_fit_sees_collinear_energies_behind_bounds(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial,
	         "kind,mla_clk,arm_clk,time_ns,energy_nj\n"
	         "counts,1000,2000,1,8\ncounts,2000,4000,2,17\ncounts,5000,10000,9,40\n",
	         &(struct fit_options){.parameters = "mla_clk_pj,arm_clk_pj,pe_static_mw"});
	assert_int_equal(trial.code, ERR_OK);
	assert_false(trial.result.identified);
	assert_true(has_warning(&trial, "PL1.mla_clk_pj and PL1.arm_clk_pj cannot be told apart"));
	end(&trial);
}

static void test_fit_warns_of_near_collinearity(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial,
	         "kind,mla_clk,arm_clk,time_ns,energy_nj\n"
	         "counts,1000,2000,1,8\ncounts,2000,4001,1,17\ncounts,5000,10010,1,40\ncounts,800,1599,1,7\n",
	         &(struct fit_options){.parameters = "mla_clk_pj,arm_clk_pj"});
	assert_true(trial.result.identified);
	assert_true(trial.result.group[0].condition > 30);
	assert_true(has_warning(&trial, "PL1.mla_clk_pj and PL1.arm_clk_pj can hardly be told apart"));
	end(&trial);
}

static void test_fit_of_zeros_is_zero(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial,
	         "kind,mla_clk,time_ns,energy_nj,sigma_energy_nj\ncounts,1000,10,0,1\ncounts,2000,30,0,1\n"
	         "counts,100,90,0,1\n",
	         &no_options);
	assert_int_equal(trial.code, ERR_OK);
	assert_true(find(&trial, "PL1.mla_clk_pj")->value <= 0 && find(&trial, "PL1.pe_static_mw")->value <= 0);
	assert_true(trial.result.identified);
	end(&trial);
}

/* An energy that the measurements would have below 0 stays there, and is said to. */
static void test_fit_keeps_energies_from_below_zero(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial,
	         "kind,mla_clk,arm_clk,time_ns,energy_nj,sigma_energy_nj\n"
	         "counts,1000,0,0.001,10,1\ncounts,1000,500,0.001,9,1\ncounts,1000,1000,0.001,8,1\n",
	         &(struct fit_options){.parameters = "mla_clk_pj,arm_clk_pj"});
	assert_int_equal(find(&trial, "PL1.arm_clk_pj")->at_bound, -1);
	assert_true(find(&trial, "PL1.arm_clk_pj")->value <= 0);
	assert_true(fabs(find(&trial, "PL1.mla_clk_pj")->value - 9) < 1e-5);
	assert_true(has_warning(&trial, "PL1.arm_clk_pj is at its smallest value"));
	end(&trial);
}

static void test_fit_survives_huge_numbers(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial,
	         CLK_HEADER ",repeat\nconv,65536,65536,65536,256,256,65536,1e18,1\nconv,1,1,1,1,1,1,1e-9,1e15\n"
	                    "conv,9,9,9,9,9,9,1e18,1e15\n",
	         &no_options);
	assert_int_equal(trial.code, ERR_OK);
	for (size_t i = 0; i < trial.result.group[0].n_param; i++)
		assert_true(isfinite(trial.result.group[0].param[i].value));
	assert_true(isfinite(trial.result.group[0].weighted_rms));
	end(&trial);
}

/* A table that names its tasks and says no kind is one of convolutions; one that says a kind says it in every row. */
static void test_fit_takes_tasks_for_names_or_kinds(void **state)
{
	(void)state;
	static const char header[] = "task,in_w,in_h,in_c,k_w,k_h,out_c,a_w,a_h,b_w,clk\n";
	char text[256];
	struct trial trial;
	(void)snprintf(text, sizeof(text), "%sfirst,20,9,8,3,3,4,,,,1000\nsecond,20,9,8,3,3,4,,,,1000\n", header);
	run_text(&trial, text, &no_options);
	assert_int_equal(trial.code, ERR_OK);
	assert_int_equal(trial.data.row[1].kind, ROW_CONV);
	assert_string_equal(trial.data.row[1].name, "second");
	end(&trial);
	(void)snprintf(text, sizeof(text), "%smatmul,,,,,,,64,4,16,1000\nconv,20,9,8,3,3,4,,,,1000\n", header);
	run_text(&trial, text, &no_options);
	assert_int_equal(trial.data.row[0].kind, ROW_MATMUL);
	end(&trial);
	(void)snprintf(text, sizeof(text), "%sconv,20,9,8,3,3,4,,,,1000\nfirst,20,9,8,3,3,4,,,,1000\n", header);
	run_text(&trial, text, &no_options);
	assert_int_equal(trial.code, ERR_INPUT);
	assert_non_null(strstr(err_text(&trial.err), ":3:1: task is 'first'; conv, matmul, idle or counts is allowed"));
	end(&trial);
}

/* ---- weights ------------------------------------------------------------------------------------- */

static void test_fit_leaves_rows_without_weight_out(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial,
	         "kind,mla_clk,time_ns,energy_nj,weight\ncounts,1000,1e-9,10,1\ncounts,2000,1e-9,20,\n"
	         "counts,1000,1e-9,99,0\n",
	         &(struct fit_options){.parameters = "mla_clk_pj"});
	assert_true(off_pct(&trial, "PL1.mla_clk_pj", 10) < 0.1);
	assert_int_equal(trial.result.group[0].n_used, 2);
	assert_int_equal(trial.result.group[0].n_point, 3);
	assert_true(fabs(trial.data.point[5].predicted - 10) < 0.1);
	end(&trial);
	run_text(&trial, "kind,mla_clk,time_ns,energy_nj,weight\ncounts,1000,1,10,0\n", &no_options);
	assert_int_equal(trial.code, ERR_OK);
	assert_int_equal(trial.result.group[0].n_free, 0);
	end(&trial);
}

/* The weighted mean of two values of one action, by hand: standard deviations 1 and 3 are weights 9 to 1. */
static void test_fit_weighs_by_sigma(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial,
	         "kind,mla_clk,time_ns,energy_nj,sigma_energy_nj\ncounts,1000,1e-9,10,1\ncounts,1000,1e-9,20,3\n",
	         &(struct fit_options){.parameters = "mla_clk_pj", .fix = "pe_static_mw=0"});
	assert_true(fabs(find(&trial, "PL1.mla_clk_pj")->value - 11) < 1e-9);
	end(&trial);
	/* relative without one: minimises (x/10 - 1)^2 + (x/20 - 1)^2, so x = 12 */
	run_text(&trial, "kind,mla_clk,time_ns,energy_nj\ncounts,1000,1e-9,10\ncounts,1000,1e-9,20\n",
	         &(struct fit_options){.parameters = "mla_clk_pj", .fix = "pe_static_mw=0"});
	assert_true(fabs(find(&trial, "PL1.mla_clk_pj")->value - 12) < 1e-9);
	end(&trial);
}

static void test_fit_robust_ignores_an_outlier(void **state)
{
	(void)state;
	static const char text[] = "kind,mla_clk,time_ns,energy_nj\ncounts,1000,1,10.1\ncounts,2000,1,19.8\n"
				   "counts,3000,1,30.3\ncounts,4000,1,39.7\ncounts,5000,1,50.2\ncounts,6000,1,90\n";
	struct trial plain, robust;
	run_text(&plain, text, &(struct fit_options){.parameters = "mla_clk_pj"});
	run_text(&robust, text, &(struct fit_options){.parameters = "mla_clk_pj", .robust = true});
	assert_true(off_pct(&plain, "PL1.mla_clk_pj", 10) > 4);
	assert_true(off_pct(&robust, "PL1.mla_clk_pj", 10) < 1);
	end(&plain);
	end(&robust);
}

/* ---- rows left out ------------------------------------------------------------------------------- */

/* Of a linear model e_i / (1 - h_i), h the diagonal of the hat matrix, here of a straight line. */
static void test_fit_left_out_equals_hat_matrix(void **state)
{
	(void)state;
	static const double x[] = {1000, 2000, 3500, 5000, 9000}, y[] = {14, 23, 42, 55, 99};
	char text[512] = "kind,mla_clk,time_ns,energy_nj,sigma_energy_nj\n";
	double sx = 0, sxx = 0, n = 5;
	for (int i = 0; i < 5; i++) {
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "counts,%g,1000,%g,1\n", x[i], y[i]);
		sx += x[i];
		sxx += x[i] * x[i];
	}
	struct trial trial;
	run_text(&trial, text, &no_options);
	assert_int_equal(trial.code, ERR_OK);
	for (int i = 0; i < 5; i++) {
		const struct fit_point *point = NULL;
		for (size_t k = 0; k < trial.data.n_point; k++)
			if (trial.data.point[k].row == (size_t)i && trial.data.point[k].quantity == QUANTITY_ENERGY)
				point = &trial.data.point[k];
		assert_non_null(point);
		double hat = 1 / n + (x[i] - sx / n) * (x[i] - sx / n) / (sxx - sx * sx / n);
		double expected = y[i] + (point->predicted - y[i]) / (1 - hat);
		assert_true(fabs(point->without_row - expected) < 1e-9 * fabs(expected));
	}
	end(&trial);
}

/* ---- mistakes ------------------------------------------------------------------------------------ */

static void expect_mistake(const char *text, const struct fit_options *options, enum err_code code, const char *message)
{
	struct trial trial;
	run_text(&trial, text, options);
	if (trial.code != code || !strstr(err_text(&trial.err), message))
		fail_msg("expected '%s', code %d, found code %d:\n%s", message, code, trial.code, err_text(&trial.err));
	end(&trial);
}

static void test_fit_says_where_mistakes_are(void **state)
{
	(void)state;
	expect_mistake("kind,in_w\nconv,3\n", &no_options, ERR_INPUT, ":1:1: no column with measured values");
	expect_mistake("kind,in_w,clk\nconv,3,5\n", &no_options, ERR_INPUT,
	               ":1:1: column 'in_h' is missing; a conv has");
	expect_mistake(CLK_HEADER "\nconf,20,9,8,3,3,4,1000\n", &no_options, ERR_INPUT,
	               ":2:1: kind is 'conf'; conv, matmul, idle or counts is allowed; did you mean 'conv'?");
	expect_mistake(CLK_HEADER "\nconv,20,9,8,3,3,4,nan\n", &no_options, ERR_INPUT, ":2:19: clk is 'nan'");
	expect_mistake(CLK_HEADER "\nconv,20,9,8,3,3,4,inf\n", &no_options, ERR_INPUT, ":2:19: clk is 'inf'");
	expect_mistake(CLK_HEADER "\nconv,20,9,8,3,3,4,1e999\n", &no_options, ERR_INPUT, ":2:19: clk is 1e999");
	expect_mistake(CLK_HEADER "\nconv,20,9,8,3,3,4,-3\n", &no_options, ERR_INPUT, ":2:19: clk is -3");
	expect_mistake(CLK_HEADER "\nconv,20,9,8,3,3,4,0\n", &no_options, ERR_INPUT, ":2:19: clk is 0");
	expect_mistake(CLK_HEADER "\nconv,2,9,8,3,3,4,10\n", &no_options, ERR_INPUT, ":2:12: the kernel is wider");
	expect_mistake(CLK_HEADER ",sigma\nconv,20,9,8,3,3,4,10,0\n", &no_options, ERR_INPUT, ":2:22: sigma is 0");
	expect_mistake(CLK_HEADER ",weight\nconv,20,9,8,3,3,4,10,-1\n", &no_options, ERR_INPUT, ":2:22: weight is -1");
	expect_mistake(CLK_HEADER ",level\nconv,20,9,8,3,3,4,10,PL3\n", &no_options, ERR_INPUT,
	               ":2:22: level is 'PL3'; PL1 or PL2 is allowed");
	expect_mistake(CLK_HEADER ",array\nconv,20,9,8,3,3,4,10,16\n", &no_options, ERR_INPUT, ":2:22: mla.array");
	expect_mistake(CLK_HEADER "\nconv,20,9,8,3,3,4,\n", &no_options, ERR_INPUT,
	               ":1:1: no row has a measured value");
	expect_mistake(CLK_HEADER "\n", &no_options, ERR_INPUT, ":1:1: no row has a measured value");
	expect_mistake("", &no_options, ERR_INPUT, ":1:1: empty file");
	expect_mistake("kind,time_ns,energy_nj\nidle,10,0\n", &no_options, ERR_INPUT,
	               ":2:9: energy_nj is 0 and has no standard deviation");
	expect_mistake("kind,time_ns,energy_nj\nidle,,5\n", &no_options, ERR_INPUT,
	               ":2:1: the row has an energy and neither clk nor time_ns");
	expect_mistake("kind,time_ns,energy_nj,sigma\nidle,1,5,1\n", &no_options, ERR_INPUT,
	               ":1:24: column sigma, but several measured ones");
}

static void test_fit_says_which_options_are_wrong(void **state)
{
	(void)state;
	static const char text[] = CLK_HEADER "\nconv,20,9,8,3,3,4,1000\n";
	expect_mistake(text, &(struct fit_options){.clocks = "hdl"}, ERR_INPUT, ":1:1: the table has no column 'hdl'");
	expect_mistake(text, &(struct fit_options){.where = "kin=conv"}, ERR_INPUT, "did you mean 'kind'?");
	expect_mistake(text, &(struct fit_options){.where = "kind"}, ERR_USAGE, "--where is 'kind'");
	expect_mistake(text, &(struct fit_options){.where = "kind=matmul"}, ERR_INPUT, "no row that --where leaves");
	expect_mistake(text, &(struct fit_options){.parameters = "conv_c"}, ERR_USAGE, "did you mean 'conv_a'?");
	expect_mistake(text, &(struct fit_options){.parameters = "mla_clk_pj"}, ERR_USAGE,
	               "--parameters names mla_clk_pj, of which no row has a measured energy");
	expect_mistake(text, &(struct fit_options){.fix = "conv_b"}, ERR_USAGE, "allowed is KEY=VALUE");
	expect_mistake(text, &(struct fit_options){.fix = "conv_b=x"}, ERR_USAGE, "--fix gives conv_b the value 'x'");
	expect_mistake(text, &(struct fit_options){.fix = "conv_b=-1"}, ERR_USAGE, "allowed is a number from 0 to");
	expect_mistake(text, &(struct fit_options){.fix = "PL2.konv_b=1"}, ERR_USAGE, "did you mean 'conv_b'?");
}

/* --where and --clocks on a table of ours; figures as in sim/CALIBRATION.md's machine files. */
static void test_fit_of_the_hdl_prototype(void **state)
{
	(void)state;
	const struct fit_options options = {.where = "task=conv"};
	struct trial trial = {.machine = read_machine()};
	assert_int_equal(fit_read("tests/reference/hdl_clocks.csv", &trial.machine, &options, &trial.data, &trial.err),
	                 ERR_OK);
	assert_int_equal(fit_run(&trial.data, &options, &trial.result, &trial.err), ERR_OK);
	assert_int_equal(trial.result.n_group, 1);
	const struct fit_group *group = &trial.result.group[0];
	assert_int_equal(group->n_used, 9);
	assert_true(trial.result.identified);
	assert_true(fabs(find(&trial, "PL1.conv_init_clk")->value - 1531.9) < 0.1);
	assert_true(fabs(find(&trial, "PL1.conv_wb_clk")->value - 47.14) < 0.01);
	assert_true(fabs(find(&trial, "PL1.conv_a")->value - 1.7483) < 0.0001);
	assert_true(fabs(group->mean_abs_pct - 5.83) < 0.01 && fabs(group->max_abs_pct - 19.69) < 0.01);
	assert_true(fabs(group->without_row.mean_abs_pct - 9.09) < 0.01);
	assert_true(group->without_task.mean_abs_pct > group->without_row.mean_abs_pct);
	end(&trial);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fit_of_one_row_is_not_identified),
	    cmocka_unit_test(test_fit_of_one_task_is_not_identified),
	    cmocka_unit_test(test_fit_sees_collinear_energies_behind_bounds),
	    cmocka_unit_test(test_fit_warns_of_near_collinearity),
	    cmocka_unit_test(test_fit_of_zeros_is_zero),
	    cmocka_unit_test(test_fit_keeps_energies_from_below_zero),
	    cmocka_unit_test(test_fit_survives_huge_numbers),
	    cmocka_unit_test(test_fit_takes_tasks_for_names_or_kinds),
	    cmocka_unit_test(test_fit_leaves_rows_without_weight_out),
	    cmocka_unit_test(test_fit_weighs_by_sigma),
	    cmocka_unit_test(test_fit_robust_ignores_an_outlier),
	    cmocka_unit_test(test_fit_left_out_equals_hat_matrix),
	    cmocka_unit_test(test_fit_says_where_mistakes_are),
	    cmocka_unit_test(test_fit_says_which_options_are_wrong),
	    cmocka_unit_test(test_fit_of_the_hdl_prototype),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
