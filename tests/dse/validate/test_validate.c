/* SPDX-License-Identifier: Apache-2.0 */
/* Validation: which kind a table is of, which values count, how errors are made and summed up. */
#include "tests/support/unit_test.h"
#include "dse/validate/validate.h"
#include <math.h>
#include <string.h>

static void read_text(const char *text, struct csv_table *table)
{
	struct err err = {0};
	if (csv_read_text("t.csv", text, strlen(text), table, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
}

static void expect_kind(const char *header, const char *name)
{
	struct csv_table table;
	const struct reference_kind *kind = NULL;
	read_text(header, &table);
	assert_int_equal(validate_find_kind(&table, reference_kind_table, reference_n_kind, &kind, NULL), ERR_OK);
	assert_string_equal(kind->name, name);
	csv_free(&table);
}

static void test_validate_finds_kind_of_reference_files(void **state)
{
	(void)state;
	static const char *const name[] = {
	    "split_utilisation", "strategy_clocks", "mac_array_clocks",        "phase_clocks",
	    "overall_clocks",    "hdl_clocks",      "overall_transfer_clocks", "mac_array_performance",
	    "layer_tasks",       "pe_tasks",        "scalesim_reference",      "arada_table1_mobilenet_edge",
	    "octopus_mlp"};
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		char path[64] = "tests/reference/";
		struct csv_table table;
		const struct reference_kind *kind = NULL;
		strcat(strcat(path, name[i]), ".csv");
		assert_int_equal(csv_read_file(path, &table, NULL), ERR_OK);
		assert_int_equal(validate_find_kind(&table, reference_kind_table, reference_n_kind, &kind, NULL),
		                 ERR_OK);
		assert_string_equal(kind->name, name[i]);
		csv_free(&table);
	}
}

static void test_validate_finds_kind_by_columns_in_any_order(void **state)
{
	(void)state;
	expect_kind("total_clk,remark,array,operation,network\n", "mac_array_clocks");
	expect_kind("network,operation,array,total_clk,computation_clk,target\n", "mac_array_clocks");
	expect_kind("complete,total_clk,strategy,array,operation,network,target,weight_clk\n", "phase_clocks");
	expect_kind("fusion_reuse_clk,operation,network,target\n", "strategy_clocks");
	expect_kind("operation,resnet50_clk\n", "overall_clocks");
	expect_kind("operation,a_clk,b_clk,c_clk,d_clk,e_clk,f_clk,g_clk\n", "overall_clocks");
	expect_kind("sram_utilisation,partial_operation,network,target,operation\n", "split_utilisation");
	expect_kind("resnet50_share_pct,remark,transfer\n", "overall_transfer_clocks");
	expect_kind("transfer,a_clk,b_clk\n", "overall_transfer_clocks");
	expect_kind("gops_32x8,operation,network\n", "mac_array_performance");
	expect_kind("workers,step,output,mla_us,input\n", "octopus_mlp");
	expect_kind("bandwidth_gb_per_s,layer\n", "arada_table1_mobilenet_edge");
	expect_kind("operation_per_byte,operation,complete,network\n", "mac_array_performance");
}

static void expect_no_kind(const char *header, const char *message)
{
	struct csv_table table;
	struct err err = {0};
	const struct reference_kind *kind = NULL;
	read_text(header, &table);
	assert_int_equal(validate_find_kind(&table, reference_kind_table, reference_n_kind, &kind, &err), ERR_INPUT);
	assert_null(kind);
	assert_string_equal(err_text(&err), message);
	err_clear(&err);
	csv_free(&table);
}

static void test_validate_names_missing_columns(void **state)
{
	(void)state;
	expect_no_kind("x,y\n", "t.csv:1:1: no column of any reference table; see dse validate --help\n");
	expect_no_kind("network,operation,aray,total_clk,computation_clk,extra\n",
	               "t.csv:1:1: nearest kind of table: mac_array_clocks, but the column 'array' is missing; "
	               "did you mean it by 'aray'?\n");
	expect_no_kind(
	    "network,target,operation\n",
	    "t.csv:1:1: nearest kind of table: split_utilisation, but the column 'partial_operation' is missing\n"
	    "t.csv:1:1: nearest kind of table: split_utilisation, but it has no column to compare, "
	    "such as 'pieces'\n");
}

/* A column that looks like a machine parameter is one, or a mistake. */
static void test_validate_names_columns_that_are_no_parameter(void **state)
{
	(void)state;
	expect_kind("network,operation,array,total_clk,noc.clk_mhz,dram.clk_mhz,remark\n", "mac_array_clocks");
	expect_kind("transfer,transfer.copy_setup_clk,a_clk\n", "overall_transfer_clocks");
	expect_no_kind("network,operation,noc.clk_mz,array,total_clk,noc_clk_mhz,x.y\n",
	               "t.csv:1:19: no machine parameter is called 'noc.clk_mz'; did you mean 'noc.clk_mhz'?\n"
	               "t.csv:1:46: no machine parameter is called 'noc_clk_mhz'; did you mean 'noc.clk_mhz'?\n"
	               "t.csv:1:58: no machine parameter is called 'x.y'\n");
	expect_no_kind("layer,clk_mhz,noc.clk_mhz\n",
	               "t.csv:1:15: a row of arada_table1_mobilenet_edge says all of its machine; "
	               "no machine parameter is allowed\n");
}

static void test_validate_error_is_relative_to_reference(void **state)
{
	(void)state;
	assert_true(validate_error_pct(110, 100) == 10);
	assert_true(validate_error_pct(75, 100) == -25);
	assert_true(validate_error_pct(0, 0) == 0);
	assert_true(isinf(validate_error_pct(1, 0)));
	assert_true(isinf(validate_error_pct(NAN, 100)));
	assert_true(isinf(validate_error_pct(NAN, 0)));
}

/* Whether the value in column counts in a table of one row. */
static bool counts(const char *kind, const char *text, const char *column)
{
	struct csv_table table;
	read_text(text, &table);
	size_t index = csv_find_column(&table, column);
	assert_int_not_equal(index, CSV_NO_COLUMN);
	bool counted = validate_set_apart(kind, &table, 0, index) == NULL;
	csv_free(&table);
	return counted;
}

static void test_validate_sets_incomplete_rows_apart(void **state)
{
	(void)state;
	assert_true(counts("phase_clocks", "weight_clk,complete\n1,yes\n", "weight_clk"));
	assert_true(counts("phase_clocks", "weight_clk,complete\n1,\n", "weight_clk"));
	assert_false(counts("phase_clocks", "weight_clk,complete\n1,no\n", "weight_clk"));
	const char *strategies = "fusion_no_reuse_clk,fusion_reuse_clk,reuse_complete\n1,2,no\n";
	assert_true(counts("strategy_clocks", strategies, "fusion_no_reuse_clk"));
	assert_false(counts("strategy_clocks", strategies, "fusion_reuse_clk"));
}

static void test_validate_sets_apart_what_the_source_gets_wrong(void **state)
{
	(void)state;
	const char *overall = "operation,vgg16_clk\nsum,1\n";
	assert_false(counts("overall_clocks", overall, "vgg16_clk"));
	assert_true(counts("overall_clocks", "operation,vgg16_clk\nCONV,1\n", "vgg16_clk"));
	assert_false(counts("overall_clocks", "operation,resnet50_clk\nsum,1\n", "resnet50_clk"));
	assert_true(counts("overall_clocks", "operation,vgg16_clk\nFC,1\n", "vgg16_clk"));
	assert_true(counts("strategy_clocks", overall, "vgg16_clk"));

	const char *columns = "target,network,operation,fusion_no_reuse_clk,fusion_reuse_clk\n";
	char text[160];
	strcat(strcpy(text, columns), "chip,vgg16,CONV_1,1,2\n");
	assert_false(counts("strategy_clocks", text, "fusion_no_reuse_clk"));
	assert_true(counts("strategy_clocks", text, "fusion_reuse_clk"));
	strcat(strcpy(text, columns), "qpe,vgg16,CONV_1,1,2\n");
	assert_true(counts("strategy_clocks", text, "fusion_no_reuse_clk"));
	/* of a row that is shifted by a column what stands in its place counts */
	const char *shifted = "target,network,operation,no_fusion_no_reuse_clk,fusion_no_reuse_clk,fusion_reuse_clk\n"
			      "qpe,resnet50,CONV_SC_14,1,2,3\n";
	assert_false(counts("strategy_clocks", shifted, "no_fusion_no_reuse_clk"));
	assert_false(counts("strategy_clocks", shifted, "fusion_no_reuse_clk"));
	assert_true(counts("strategy_clocks", shifted, "fusion_reuse_clk"));
	strcat(strcpy(text, columns), "chip,resnet50,CONV_SC_14,1,2\n");
	assert_true(counts("strategy_clocks", text, "fusion_reuse_clk"));

	const char *array = "network,operation,array,total_clk,computation_clk\nresnet50,CONV_SC_14,16x4,1,2\n";
	assert_false(counts("mac_array_clocks", array, "total_clk"));
	assert_true(counts("mac_array_clocks", array, "computation_clk"));
	array = "network,operation,array,total_clk\nresnet50,CONV_SC_14,16x2,1\n";
	assert_true(counts("mac_array_clocks", array, "total_clk"));
}

/* A model for the tests: predicts the number in column "model"; "bad" there is a mistake of the table. */
static enum err_code predict_from_table(const struct validate_cell *of, struct prediction *prediction, struct err *err)
{
	const struct csv_cell *cell = csv_get_cell(of->table, of->row, csv_find_column(of->table, "model"));
	if (strcmp(cell->text, "unlisted") == 0)
		*prediction = (struct prediction){1, false, "unlisted", NAN};
	else if (strcmp(cell->text, "none") == 0)
		prediction->note = "cannot run";
	else
		return csv_get_real(of->table, cell, "model", 0, 1e9, &prediction->value, err);
	return ERR_OK;
}

static const struct reference_kind from_table = {
    "test",
    "help",
    {"model"},
    {{"a_clk", FIGURE_OWN, 0, N_STRATEGY}, {"b_clk", FIGURE_OWN, 0, N_STRATEGY}},
    predict_from_table,
    1,
    false};

static enum err_code compare(const char *text, struct validation *validation, struct err *err)
{
	*validation = (struct validation){.kind = &from_table};
	read_text(text, &validation->table);
	return validate_compare(validation, NULL, err);
}

static void test_validate_sums_up_what_counts(void **state)
{
	(void)state;
	struct validation validation;
	struct err err = {0};
	const char *text = "model,x,a_clk,b_clk,complete\n"
			   "110,7,100,,yes\n"    /* +10 %, b empty: predicted only */
			   "100,7,200,100,yes\n" /* -50 %, 0 % */
			   "100,7,1,1,no\n"      /* incomplete */
			   "unlisted,7,50,50,yes\n";
	assert_int_equal(compare(text, &validation, &err), ERR_OK);
	assert_int_equal(validation.n_value, 8);
	assert_int_equal(validation.sum.n_reference, 7);
	assert_int_equal(validation.sum.n_counted, 3);
	assert_true(validation.sum.mean_abs_error_pct == 20);
	assert_true(validation.sum.max_abs_error_pct == 50);
	assert_int_equal(validation.sum.worst, 2);
	assert_int_equal(validation.value[2].row, 1);
	assert_int_equal(validation.value[2].column, 2);
	assert_true(validation.value[2].error_pct == -50);
	assert_non_null(validation.value[4].prediction.note);
	assert_true(validation.value[4].error_pct == 9900);
	/* nothing to compare with, but predicted */
	const struct validate_value *empty = &validation.value[1];
	assert_true(empty->prediction.value == 110 && isnan(empty->reference) && isnan(empty->error_pct));
	assert_false(empty->prediction.counted);
	assert_string_equal(empty->prediction.note, "no reference value");
	validate_free(&validation);
}

static void test_validate_has_no_error_when_nothing_counts(void **state)
{
	(void)state;
	struct validation validation;
	struct err err = {0};
	assert_int_equal(compare("model,a_clk,complete\n1,2,no\n", &validation, &err), ERR_OK);
	assert_int_equal(validation.n_value, 1);
	assert_int_equal(validation.sum.n_counted, 0);
	assert_true(isnan(validation.sum.max_abs_error_pct) && isnan(validation.sum.mean_abs_error_pct));
	validate_free(&validation);
	assert_int_equal(compare("model,a_clk\n", &validation, &err), ERR_OK);
	assert_int_equal(validation.n_value, 0);
	validate_free(&validation);
}

/* What cannot run, and anything but 0 where the reference is 0, passes no gate; mean and maximum stay numbers. */
static void test_validate_keeps_infinite_errors_apart(void **state)
{
	(void)state;
	struct validation validation;
	struct err err = {0};
	assert_int_equal(compare("model,a_clk\n110,100\nnone,100\n5,0\n0,0\n", &validation, &err), ERR_OK);
	assert_int_equal(validation.sum.n_counted, 4);
	assert_int_equal(validation.sum.n_infinite, 2);
	assert_true(validation.sum.mean_abs_error_pct == 5 && validation.sum.max_abs_error_pct == 10);
	assert_int_equal(validation.sum.worst, 1);
	assert_true(isinf(validation.value[2].error_pct) && validation.value[2].prediction.counted);
	assert_non_null(strstr(validation.value[2].prediction.note, "the reference is 0"));
	assert_null(validation.value[3].prediction.note);
	validate_free(&validation);
	assert_int_equal(compare("model,a_clk\n5,0\n", &validation, &err), ERR_OK);
	assert_true(isnan(validation.sum.mean_abs_error_pct) && isnan(validation.sum.max_abs_error_pct));
	assert_int_equal(validation.sum.n_infinite, 1);
	validate_free(&validation);
}

/* A row that is not understood is listed; the others are compared as without it. */
static void test_validate_reports_all_mistakes_of_a_table(void **state)
{
	(void)state;
	struct validation validation;
	struct err err = {0};
	const char *text = "model,a_clk,b_clk,complete\n"
			   "bad,1,2,yes\n"
			   "1,x,2,yes\n"
			   "1,-1,2,No\n"
			   "2,2,8,yes\n";
	assert_int_equal(compare(text, &validation, &err), ERR_INPUT);
	assert_string_equal(err_text(&err), "t.csv:2:1: model is 'bad'; a number from 0 to 1e+09 is allowed\n"
	                                    "t.csv:3:3: a_clk is 'x'; a number from 0 to 1.79769e+308 is allowed\n"
	                                    "t.csv:4:8: complete is 'No'; yes, no or nothing is allowed\n"
	                                    "t.csv:4:3: a_clk is -1; 0 to 1.79769e+308 is allowed\n");
	err_clear(&err);
	assert_int_equal(validation.n_value, 8);
	assert_int_equal(validation.n_unpredicted, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_true(isnan(validation.value[i].prediction.value) && !validation.value[i].prediction.counted);
		assert_non_null(strstr(validation.value[i].prediction.note, "not predicted"));
	}
	/* x and -1 are no references, No is no flag; the fourth row and b_clk of the second count */
	assert_int_equal(validation.sum.n_counted, 3);
	assert_true(validation.value[2].prediction.value == 1 && !validation.value[2].prediction.counted);
	assert_true(validation.value[3].prediction.counted && !validation.value[5].prediction.counted);
	assert_true(validation.sum.max_abs_error_pct == 75);
	validate_free(&validation);
}

/* Of one run's two figures the nearer counts, column by column; rows that the model tells apart are no duplicates. */
static void test_validate_counts_the_nearer_of_two_rows(void **state)
{
	(void)state;
	static const struct reference_kind by_name = {
	    "test",
	    "help",
	    {"name"},
	    {{"a_clk", FIGURE_OWN, 0, N_STRATEGY}, {"b_clk", FIGURE_OWN, 0, N_STRATEGY}},
	    predict_from_table,
	    1,
	    false};
	struct validation validation = {.kind = &by_name};
	struct err err = {0};
	read_text("name,model,a_clk,b_clk,array\n"
	          "x,100,80,100,1x1\n"
	          "x,100,90,100,1x1\n"
	          "x,110,100,100,1x1\n"
	          "x,100,50,50,2x2\n"
	          "y,100,50,50,1x1\n",
	          &validation.table);
	assert_int_equal(validate_compare(&validation, NULL, &err), ERR_OK);
	static const bool counted[] = {false, true, true, false, true, true, true, true, true, true};
	assert_int_equal(validation.n_value, 10);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(validation.value[i].prediction.counted, counted[i]);
	assert_non_null(strstr(validation.value[0].prediction.note, "same key"));
	assert_int_equal(validation.sum.n_counted, 8);
	validate_free(&validation);
	/* machine parameters are part of the key, other columns are not */
	validation = (struct validation){.kind = &by_name};
	read_text("name,model,a_clk,noc.clk_mhz,remark\n"
	          "x,100,80,300,a\n"
	          "x,100,90,500,b\n"
	          "x,100,95,500,c\n",
	          &validation.table);
	assert_int_equal(validate_compare(&validation, NULL, &err), ERR_OK);
	assert_int_equal(validation.sum.n_counted, 2);
	assert_true(validation.value[0].prediction.counted && !validation.value[1].prediction.counted);
	validate_free(&validation);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_validate_finds_kind_of_reference_files),
	    cmocka_unit_test(test_validate_finds_kind_by_columns_in_any_order),
	    cmocka_unit_test(test_validate_names_missing_columns),
	    cmocka_unit_test(test_validate_names_columns_that_are_no_parameter),
	    cmocka_unit_test(test_validate_error_is_relative_to_reference),
	    cmocka_unit_test(test_validate_sets_incomplete_rows_apart),
	    cmocka_unit_test(test_validate_sets_apart_what_the_source_gets_wrong),
	    cmocka_unit_test(test_validate_sums_up_what_counts),
	    cmocka_unit_test(test_validate_has_no_error_when_nothing_counts),
	    cmocka_unit_test(test_validate_keeps_infinite_errors_apart),
	    cmocka_unit_test(test_validate_reports_all_mistakes_of_a_table),
	    cmocka_unit_test(test_validate_counts_the_nearer_of_two_rows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
