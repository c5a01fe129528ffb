/* SPDX-License-Identifier: Apache-2.0 */
/* Validation: what is predicted for rows of each kind of table, and how their mistakes are told. */
#include "tests/support/unit_test.h"
#include "dse/validate/validate.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void read_text(const char *text, struct csv_table *table)
{
	struct err err = {0};
	if (csv_read_text("t.csv", text, strlen(text), table, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
}

/* Predict and compare a table of one row, by the model that its columns choose. */
static void compare_row(const char *header, const char *row, struct validation *validation)
{
	struct source *source = NULL;
	struct err err = {0};
	char text[512];
	assert_true(strlen(header) + strlen(row) + 3 <= sizeof(text));
	strcat(strcat(strcat(strcpy(text, header), "\n"), row), "\n");
	read_text(text, &validation->table);
	if (validate_find_kind(&validation->table, reference_kind_table, reference_n_kind, &validation->kind, &err) !=
	        ERR_OK ||
	    source_open(NULL, NULL, &source, &err) != ERR_OK || validate_compare(validation, source, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	source_close(source);
}

/* Its only value. */
static struct validate_value predict_row(const char *header, const char *row)
{
	struct validation validation = {0};
	compare_row(header, row, &validation);
	assert_int_equal(validation.sum.n_reference, 1);
	assert_true(validation.n_value == 1 || (validation.n_value == 2 && validation.value[1].is_all_work));
	struct validate_value value = validation.value[0];
	validate_free(&validation);
	return value;
}

static double predict_value(const char *header, const char *row)
{
	return predict_row(header, row).prediction.value;
}

/* What is wrong with a table of one row. */
static void expect_mistake(const char *header, const char *row, const char *message)
{
	struct validation validation = {0};
	struct source *source = NULL;
	struct err err = {0};
	char text[512];
	assert_true(strlen(header) + strlen(row) + 3 <= sizeof(text));
	strcat(strcat(strcat(strcpy(text, header), "\n"), row), "\n");
	read_text(text, &validation.table);
	assert_int_equal(
	    validate_find_kind(&validation.table, reference_kind_table, reference_n_kind, &validation.kind, NULL),
	    ERR_OK);
	assert_int_equal(source_open(NULL, NULL, &source, NULL), ERR_OK);
	assert_int_equal(validate_compare(&validation, source, &err), ERR_INPUT);
	assert_string_equal(err_text(&err), message);
	err_clear(&err);
	source_close(source);
	validate_free(&validation);
}

static const char pe_tasks[] =
    "task,kind,array,sram_clk,operand_a,pe_shift,in_w,in_h,in_c,k_w,k_h,out_c,a_w,a_h,b_w,clk";
static const char hdl_clocks[] = "task,operand_a,pe_shift,a_w,a_h,a_c,b_w,b_h,b_c,b_n,thesis_sim_clk";

/* One pixel: 13 clocks around the task, operand A's way of 8, its tap at the shared SRAM's rate of 1.25, a write, a
 * clock to drain. */
static void test_validate_pe_task_of_one_pixel(void **state)
{
	(void)state;
	assert_true(predict_value(pe_tasks, "one,conv,16x4,1,local,0,1,1,1,1,1,1,,,,1") == 13 + 8 + 1.25 + 1 + 1);
	/* wide rows of an array of half as many rows take twice as many rounds */
	double four = predict_value(pe_tasks, "a,conv,16x4,1,local,0,30,9,256,3,3,4,,,,1");
	double two = predict_value(pe_tasks, "a,conv,16x2,1,local,0,30,9,256,3,3,4,,,,1");
	assert_true(two > 1.9 * 9 * 256 * 14 && four > 9 * 256 * 14 && two > 1.5 * four);
	/* a matrix multiplication whose operand A is the next PE's takes another time than with its own */
	assert_true(predict_value(pe_tasks, "a,matmul,16x4,2,local,0,,,,,,,64,1,1024,1") !=
	            predict_value(pe_tasks, "a,matmul,16x4,2,neighbour,1,,,,,,,64,1,1024,1"));
}

/* The prototype is a QPE whose SRAM takes two clocks: the same task in either table's words. */
static void test_validate_hdl_task_is_pe_task_with_slow_sram(void **state)
{
	(void)state;
	double conv = predict_value(hdl_clocks, "conv,local,0,30,9,256,3,3,256,4,1");
	assert_true(conv == predict_value(pe_tasks, "a,conv,16x4,2,local,0,30,9,256,3,3,4,,,,1"));
	assert_true(conv > predict_value(pe_tasks, "a,conv,16x4,1,local,0,30,9,256,3,3,4,,,,1"));
	assert_true(predict_value(hdl_clocks, "matmul,neighbour,3,64,1,,1024,64,,,1") ==
	            predict_value(pe_tasks, "a,matmul,16x4,2,neighbour,3,,,,,,,64,1,1024,1"));
}

static void test_validate_places_mistakes_of_tasks(void **state)
{
	(void)state;
	expect_mistake(pe_tasks, "a,cnov,16x4,1,local,0,30,9,256,3,3,4,,,,1",
	               "t.csv:2:3: kind is 'cnov'; conv or matmul is allowed; did you mean 'conv'?\n");
	expect_mistake(pe_tasks, "a,conv,16x4,1,local,1,30,9,256,3,3,4,,,,1",
	               "t.csv:2:21: pe_shift is 1, but operand_a is local; 0 is allowed\n");
	expect_mistake(pe_tasks, "a,conv,16x4,1,neighbour,4,30,0,2.5,3,3,4,,,,1",
	               "t.csv:2:25: pe_shift is 4; 0 to 3 is allowed\n"
	               "t.csv:2:30: in_h is 0; 1 to 65536 is allowed\n"
	               "t.csv:2:32: in_c is 2.5; a whole number is allowed\n");
	expect_mistake(pe_tasks, "a,conv,16x4,1,local,0,30,2,256,3,3,4,,,,1",
	               "t.csv:2:34: the kernel is higher than the ifmap, which has 2\n");
	expect_mistake(pe_tasks, "a,conv,16x4,0,local,0,30,9,256,3,3,4,,,,1",
	               "t.csv:2:13: pe.sram_access_clk: found '0', allowed a whole number 1..64 (PE clocks)\n");
	expect_mistake(hdl_clocks, "conv,local,0,30,9,256,3,3,128,4,1",
	               "t.csv:2:27: b_c is 128; 256 is allowed, as a_c says\n");
	expect_mistake(hdl_clocks, "matmul,local,0,64,1,,1024,32,,,1",
	               "t.csv:2:27: b_h is 32; 64 is allowed, as a_w says\n");
}

/* The class stands in partial_operation, the operation in its own column, however the source joins the two. */
static void test_validate_reads_the_class_of_partial_operations(void **state)
{
	(void)state;
	static const char *const chip[] = {
	    "CONVSUTL_SC_14", "CONV_SCSUTL_14", "CONVSCSUTL_14", "CONVSUTL_14", "convsutl 14", "tl", "", "?"};
	static const char columns[] = "network,target,operation,partial_operation,ifmap_valid_byte";
	for (size_t i = 0; i < sizeof(chip) / sizeof(chip[0]); i++) {
		char row[96] = "resnet50,chip,CONV_SC_14,";
		strcat(strcat(row, chip[i]), ",1");
		assert_true(predict_value(columns, row) == 56 * 2 * 256);
	}
	double top = predict_value(columns, "vgg16,qpe,CONV_1,CONVSUTL_1,1");
	double bottom = predict_value(columns, "vgg16,qpe,CONV_1,CONVSUBL_1,1");
	assert_true(top == 15594 && bottom == 14916);
	/* the word starts with other letters of a class: the last pair counts */
	assert_true(predict_value(columns, "vgg16,qpe,CONV_1,TLBL_1,1") == bottom);
	expect_mistake(columns, "vgg16,qpe,CONV_1,CONVSU_1,1",
	               "t.csv:2:18: the split has no tasks 'CONVSU_1'; it has CONVSUTL_1, CONVSUBL_1\n");
	expect_mistake(columns, "vgg16,qpe,CONV_1,CONVSUTR_1,1",
	               "t.csv:2:18: the split has no tasks 'CONVSUTR_1'; it has CONVSUTL_1, CONVSUBL_1\n");
}

/* Two classes and no letters to tell them apart: the row's number of tasks does. */
static void test_validate_finds_the_class_by_its_pieces(void **state)
{
	(void)state;
	struct validation validation = {0};
	struct source *source = NULL;
	struct err err = {0};
	read_text("network,target,operation,partial_operation,pieces,ifmap_valid_byte\n"
	          "vgg16,qpe,CONV_1,?,64,15594\n"
	          "vgg16,qpe,CONV_1,?,112,14916\n"
	          "vgg16,qpe,CONV_1,?,113,14916\n"
	          "vgg16,qpe,CONV_3,?,113,14916\n"
	          "vgg61,qpe,CONV_1,CONVSUTL_1,64,15594\n"
	          "vgg16,qpe,CONV_2,CONVSUTL_2,1152,58368\n",
	          &validation.table);
	assert_int_equal(
	    validate_find_kind(&validation.table, reference_kind_table, reference_n_kind, &validation.kind, &err),
	    ERR_OK);
	assert_int_equal(source_open(NULL, NULL, &source, &err), ERR_OK);
	assert_int_equal(validate_compare(&validation, source, &err), ERR_INPUT);
	assert_int_equal(err.n_message, 3);
	assert_int_equal(validation.n_value, 12);
	assert_int_equal(validation.n_unpredicted, 6);
	assert_int_equal(validation.sum.n_counted, 6);
	assert_true(validation.sum.max_abs_error_pct == 0);
	err_clear(&err);
	source_close(source);
	validate_free(&validation);
}

/* Channels of two sizes: one class by its letters, two by their tasks or by their whole names. */
static void test_validate_tells_classes_of_channels_apart(void **state)
{
	(void)state;
	static const char pieces[] = "network,target,operation,partial_operation,pieces,ofmap_valid_byte";
	static const char *const name[] = {"POOLSUTL_2", "POOLSU_2", ""};
	char row[96];
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		for (unsigned k = 0; k < 2; k++) {
			(void)snprintf(row, sizeof(row), "resnet50,qpe,POOL_2,%s,%u,%u", name[i], k ? 2 : 9,
			               56 * 56 * (k ? 5 : 6));
			struct validation validation = {0};
			compare_row(pieces, row, &validation);
			assert_int_equal(validation.sum.n_counted, 2);
			assert_true(validation.sum.max_abs_error_pct == 0);
			validate_free(&validation);
		}
	}
	static const char columns[] = "network,target,operation,partial_operation,pieces";
	assert_true(predict_value(columns, "resnet50,qpe,POOL_2,POOLSUTL_2,3") == 9);
	assert_true(predict_value(columns, "resnet50,qpe,POOL_2,POOLSUTLS_2,3") == 2);
	static const char mac[] = "network,target,operation,partial_operation,mac_utilisation";
	assert_true(predict_value(mac, "resnet50,qpe,CONV_1,CONVSUTL_1,1") == 0.25);
	assert_true(predict_value(mac, "resnet50,qpe,CONV_1,CONVSUBL_1,1") == 0.25);
	assert_true(predict_value(mac, "resnet50,chip,CONV_12,CONVSUTL_12,1") == 0.22);
}

#define LAYER_KEYS \
	"target,layer,kind,in_w,in_h,in_c,k_w,k_h,stride,out_c,ifmap_w_parts,ifmap_h_parts,filter_parts,strategy"
static const char read_byte[] = LAYER_KEYS ",dram_read_byte";
static const char write_byte[] = LAYER_KEYS ",dram_write_byte";
static const char layer_clk[] = LAYER_KEYS ",total_clk";

/* Fused without reuse: the ifmap once a filter part, the filters once an ifmap part, 8-bit results once. */
static void test_validate_layer_task_moves_its_parts(void **state)
{
	(void)state;
	const char *row = "qpe,pointwise,conv,28,28,128,1,1,1,256,28*1,14*2,4*64,fusion,1";
	assert_true(predict_value(read_byte, row) == 64 * 28 * 28 * 128 + 2 * 256 * 128);
	assert_true(predict_value(write_byte, row) == 28 * 28 * 256);
	/* stored parts of 21 rows under a kernel of 7 with stride 2 have 8 rows of results */
	row = "qpe,strided,conv,229,229,3,7,7,2,64,229*1,21*14,4*16,fusion,1";
	assert_true(predict_value(write_byte, row) == 112 * 112 * 64);
	/* 21 * 229 * 3 and 4 * 7 * 7 * 3 bytes, in whole packets */
	assert_true(predict_value(read_byte, row) == 16 * 14 * (14432 + 592));
	/* a row of 1536 values times a matrix, in 6 blocks of rows: partial sums are no traffic of the core operation
	 */
	row = "qpe,product,matmul,1536,,,,,,1024,256*6,,256*4,no_fusion,1";
	assert_true(predict_value(write_byte, row) == 6 * 1024 * 4);
	/* reuse on the chip takes ifmap and results from and to the storage QPEs, so only filters are read */
	row = "chip,pointwise,conv,28,28,128,1,1,1,256,28*1,7*4,8*32,fusion_reuse,1";
	assert_true(predict_value(read_byte, row) == 256 * 128);
	assert_true(predict_value(write_byte, row) == 0);
}

/* A published design that our machine refuses is an error of ours and counts. */
static void test_validate_layer_task_that_cannot_run_counts(void **state)
{
	(void)state;
	struct validate_value value =
	    predict_row(layer_clk, "qpe,huge,conv,224,224,64,3,3,1,64,224*1,224*1,64*1,fusion,1");
	assert_true(isnan(value.prediction.value) && value.prediction.counted);
	assert_non_null(value.prediction.note);
}

static void test_validate_places_mistakes_of_layer_tasks(void **state)
{
	(void)state;
	expect_mistake(layer_clk, "qqe,a,conv,28,28,128,1,1,1,256,28*1,14*2,4*64,reuse,1",
	               "t.csv:2:1: target is 'qqe'; qpe or chip is allowed\n"
	               "t.csv:2:47: strategy is 'reuse'; no_fusion, fusion or fusion_reuse is allowed; "
	               "did you mean 'fusion_reuse'?\n");
	expect_mistake(layer_clk, "qpe,a,conv,28,28,128,3,3,1,256,28*1,2*2+30*1,4*64,fusion,1",
	               "t.csv:2:37: ifmap_h_parts has a part of 2, but the kernel has 3\n");
	expect_mistake(layer_clk, "qpe,a,conv,28,28,128,1,1,1,256,28*1,14*3,4*63,fusion,1",
	               "t.csv:2:5: a: ofmap height is split 14*3, which covers 42 of 28\n"
	               "t.csv:2:5: a: ofmap channels is split 4*63, which covers 252 of 256\n");
}

/* A column of a parameter's name sets it for the row's machine; an empty cell leaves the machine as it is. */
static void test_validate_sets_machine_parameters_by_column(void **state)
{
	(void)state;
	static const char layer[] = "noc.clk_mhz," LAYER_KEYS ",total_clk";
	static const char conv[] = "qpe,a,conv,28,28,128,1,1,1,256,28*1,14*2,4*64,fusion_reuse,1";
	char row[160];
	double plain = predict_value(layer_clk, conv), clk[3];
	static const char *const mhz[] = {"", "500", "125"};
	for (size_t i = 0; i < 3; i++) {
		(void)snprintf(row, sizeof(row), "%s,%s", mhz[i], conv);
		clk[i] = predict_value(layer, row);
	}
	assert_true(clk[0] == plain && clk[1] == plain && clk[2] > 1.01 * plain);

	static const char array[] = "network,operation,array,total_clk";
	static const char by_param[] = "network,operation,mla.array,array,total_clk";
	assert_true(predict_value(array, "vgg16,CONV_1,16x2,1") == predict_value(by_param, "vgg16,CONV_1,16x2,,1"));
	/* an ending of a value column does not make a parameter a value */
	assert_true(predict_value("operation,arm.padd_word_clk,vgg16_clk", "PADD,4,1") ==
	            2 * predict_value("operation,vgg16_clk", "PADD,1"));
	assert_true(predict_value("network,target,operation,partial_operation,sram_utilisation,pe.sram_byte",
	                          "vgg16,qpe,CONV_4,TL,1,196608") == 0.41);
	static const char sram[] =
	    "task,operand_a,pe_shift,a_w,a_h,a_c,b_w,b_h,b_c,b_n,thesis_sim_clk,pe.sram_access_clk";
	assert_true(predict_value(sram, "conv,local,0,30,9,256,3,3,256,4,1,1") ==
	            predict_value(pe_tasks, "a,conv,16x4,1,local,0,30,9,256,3,3,4,,,,1"));
	assert_true(predict_value("step,input,output,workers,runtime_us,octopus.setup_us", "setup,,,8,1,100") -
	                predict_value("step,input,output,workers,runtime_us,octopus.setup_us", "setup,,,8,1,90") ==
	            10);
	/* a total is of the rows of its machine */
	struct validation steps = {0};
	compare_row("step,input,output,workers,runtime_us,octopus.setup_us",
	            "setup,,,8,1,90\nsetup,,,8,1,100\ntotal,,,,1,90\ntotal,,,,1,100", &steps);
	assert_int_equal(steps.n_value, 4);
	for (size_t i = 0; i < 2; i++)
		assert_true(steps.value[i].prediction.value == steps.value[i + 2].prediction.value);
	validate_free(&steps);
}

/* Rows of other machines are no duplicates; the sums tell them apart. */
static void test_validate_sums_up_by_machine_parameter(void **state)
{
	(void)state;
	struct validation validation = {0};
	compare_row("network,operation,array,total_clk,dram.clk_mhz,noc.clk_mhz",
	            "vgg16,CONV_1,16x4,1,250,500\n"
	            "vgg16,CONV_1,16x4,2,250,1000\n"
	            "vgg16,CONV_1,16x4,4,250,500\n"
	            "vgg16,FC_21,16x4,1,250,500\n"
	            "vgg16,FC_21,16x4,2,250,1000",
	            &validation);
	/* a matrix multiplication that waits for the DRAM takes the same clocks with either NoC */
	assert_int_equal(validation.sum.n_counted, 4);
	assert_false(validation.value[0].prediction.counted);
	assert_int_equal(validation.n_setting, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(validation.setting[i].column, 5);
		assert_int_equal(validation.setting[i].row, i);
		assert_int_equal(validation.setting[i].sum.n_reference, i == 0 ? 3 : 2);
		assert_int_equal(validation.setting[i].sum.n_counted, 2);
	}
	validate_free(&validation);
}

static void test_validate_places_mistakes_of_machine_parameters(void **state)
{
	(void)state;
	static const char columns[] = "network,operation,array,total_clk,noc.clk_mhz,mla.array";
	expect_mistake(columns, "vgg16,CONV_1,16x4,1,0,",
	               "t.csv:2:21: noc.clk_mhz: found '0', allowed a number 1..10000 (MHz; also Hz, kHz, GHz)\n");
	expect_mistake(columns, "vgg16,CONV_1,16x4,1,fast,",
	               "t.csv:2:21: noc.clk_mhz: found 'fast', allowed a number 1..10000 (MHz; also Hz, kHz, GHz)\n");
	expect_mistake(columns, "vgg16,CONV_1,16x4,1,,16x2",
	               "t.csv:2:22: mla.array is '16x2', but another column has the array already, '16x4'\n");
	expect_mistake("network,operation,array,total_clk,systolic.word_byte", "vgg16,CONV_1,16x4,1,2",
	               "t.csv:2:21: systolic.word_byte: no parameter of a chip machine\n");
	expect_mistake(
	    "network,operation,array,total_clk,chip.mesh_w,chip.mesh_h", "vgg16,CONV_1,16x4,1,9,8",
	    "t.csv:2:21: chip.mesh_w: chip.mesh_w x chip.mesh_h is 9x8 = 72 QPEs, more than chip.n_qpe = 36; "
	    "shrink the mesh or raise chip.n_qpe\n");
	char tasks[sizeof(pe_tasks) + 32] = "pe.sram_access_clk,";
	expect_mistake(strcat(tasks, pe_tasks), "2,a,conv,16x4,1,local,0,30,9,256,3,3,4,,,,1",
	               "t.csv:2:1: pe.sram_access_clk is '2', but column sram_clk has the clocks already, '1'\n");
}

/* 2 * 224 * 224 * 64 * 27 operations over 226 * 226 * 3 + 27 * 64 + 224 * 224 * 64 bytes. */
static void test_validate_performance_is_operations_over_clocks(void **state)
{
	(void)state;
	assert_true(predict_value("network,operation,operation_per_byte", "vgg16,CONV_1,1") == 51.51);
	assert_true(predict_value("network,operation,operation_per_byte", "vgg16,FC_21,1") == 2);
	double clk = predict_value("network,operation,array,total_clk", "vgg16,CONV_1,16x2,1");
	double gops = 2.0 * 224 * 224 * 64 * 27 * 0.25 / clk;
	assert_true(fabs(predict_value("network,operation,gops_16x2", "vgg16,CONV_1,1") - gops) <= 0.0051);
	/* 1000 columns, padded to 1024 */
	clk = predict_value("network,operation,array,total_clk", "vgg16,FC_21,16x4,1");
	gops = 2.0 * 4096 * 1024 * 0.25 / clk;
	assert_true(fabs(predict_value("network,operation,gops_16x4", "vgg16,FC_21,1") - gops) <= 0.0051);
	expect_mistake("network,operation,gops_16by2", "vgg16,CONV_1,1",
	               "t.csv:1:19: machine '16by2': mla.array: found '16by2', allowed columns x rows, each 1..256, "
	               "e.g. 16x4\n");
}

static void test_validate_transfers_sum_phases_of_convolutions(void **state)
{
	(void)state;
	static const char *const name[] = {"CONV_1",  "CONV_2",  "CONV_4",  "CONV_5",  "CONV_7",  "CONV_8", "CONV_9",
	                                   "CONV_11", "CONV_12", "CONV_13", "CONV_15", "CONV_16", "CONV_17"};
	double sum_clk = 0, input_clk = predict_value("transfer,vgg16_clk", "input,1");
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		char row[64] = "chip,vgg16,";
		strcat(strcat(row, name[i]), ",16x4,fusion_reuse,1");
		sum_clk += predict_value("target,network,operation,array,strategy,input_clk", row);
	}
	assert_true(input_clk > 0 && input_clk == sum_clk);

	double whole_clk = predict_value("operation,vgg16_clk", "sum,1");
	double share_pct = predict_value("transfer,vgg16_share_pct", "input,1");
	assert_true(fabs(share_pct - 100 * input_clk / whole_clk) <= 0.0051);
	expect_mistake("transfer,vgg16_clk", "migration,1",
	               "t.csv:2:1: transfer is 'migration'; input, weight or weight_migration is allowed; "
	               "did you mean 'weight_migration'?\n");
}

/* Clocks with convolutions in them: as the source counted, and more with all work done; the latter never counts. */
static void test_validate_tells_convolutions_twice(void **state)
{
	(void)state;
	struct validation validation = {0};
	struct source *source = NULL;
	struct err err = {0};
	read_text("operation,vgg16_clk\nCONV,4026732\nFC,3894744\n", &validation.table);
	assert_int_equal(
	    validate_find_kind(&validation.table, reference_kind_table, reference_n_kind, &validation.kind, &err),
	    ERR_OK);
	assert_int_equal(source_open(NULL, NULL, &source, &err), ERR_OK);
	assert_int_equal(validate_compare(&validation, source, &err), ERR_OK);
	assert_int_equal(validation.n_value, 3);
	assert_int_equal(validation.sum.n_reference, 2);
	assert_int_equal(validation.sum.n_counted, 2);
	assert_true(validation.sum.max_abs_error_pct < 3);
	const struct validate_value *as_source = &validation.value[0], *all_work = &validation.value[1];
	assert_false(as_source->is_all_work || validation.value[2].is_all_work);
	assert_true(all_work->is_all_work && !all_work->prediction.counted);
	assert_true(all_work->prediction.value > as_source->prediction.value);
	assert_true(all_work->prediction.value == as_source->prediction.all_work);
	assert_int_equal(validation.n_column, 1);
	assert_memory_equal(&validation.column[0].sum, &validation.sum, sizeof(validation.sum));
	source_close(source);
	validate_free(&validation);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_validate_pe_task_of_one_pixel),
	    cmocka_unit_test(test_validate_hdl_task_is_pe_task_with_slow_sram),
	    cmocka_unit_test(test_validate_places_mistakes_of_tasks),
	    cmocka_unit_test(test_validate_reads_the_class_of_partial_operations),
	    cmocka_unit_test(test_validate_finds_the_class_by_its_pieces),
	    cmocka_unit_test(test_validate_layer_task_moves_its_parts),
	    cmocka_unit_test(test_validate_layer_task_that_cannot_run_counts),
	    cmocka_unit_test(test_validate_places_mistakes_of_layer_tasks),
	    cmocka_unit_test(test_validate_tells_classes_of_channels_apart),
	    cmocka_unit_test(test_validate_sets_machine_parameters_by_column),
	    cmocka_unit_test(test_validate_sums_up_by_machine_parameter),
	    cmocka_unit_test(test_validate_places_mistakes_of_machine_parameters),
	    cmocka_unit_test(test_validate_performance_is_operations_over_clocks),
	    cmocka_unit_test(test_validate_transfers_sum_phases_of_convolutions),
	    cmocka_unit_test(test_validate_tells_convolutions_twice),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
