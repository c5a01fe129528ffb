/* SPDX-License-Identifier: Apache-2.0 */
/* SCALE-Sim's .cfg files as machines. */
#include "tests/support/unit_test.h"

#include "dse/space/machine_cfg.h"
#include "dse/space/machine_read.h"
#include "dse/space/space.h"
#include "sim/systolic/systolic_work.h"
#include "sim/machine/machine_check.h"
#include "tests/support/temporary.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ARRAY                                                                                              \
	"[architecture_presets]\nArrayHeight: 32\nArrayWidth: 16\nIfmapSramSzkB: 64\nFilterSramSzkB: 65\n" \
	"OfmapSramSzkB: 66\n"
#define RUN "[run_presets]\nInterfaceBandwidth: USER\n"

/* By the road of all machine files: the path's ending says what it is. */
static enum err_code read_cfg(const char *text, struct machine *machine, struct err *err)
{
	char path[64];
	temporary_path(path, "machine_%ld.cfg", (long)getpid());
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	enum err_code code = machine_read(path, machine, err);
	(void)remove(path);
	return code;
}

static void test_cfg_gives_a_systolic_machine(void **state)
{
	struct machine machine;
	struct err err = {0};
	(void)state;
	/* either sign, any capitals, comments, keys of the tool that change nothing */
	assert_int_equal(read_cfg("# a comment\n[general]\r\nrun_name = my run\n\n; another\n" ARRAY
	                          "IfmapOffset: 0\nmemorybanks = 1\nbandwidth : 10, 10,10\nDATAFLOW = WS\n" RUN
	                          "[sparsity]\nSparsitySupport : false\nOther: 3\n",
	                          &machine, &err),
	                 ERR_OK);
	assert_string_equal(err_text(&err), "");
	assert_int_equal(machine.target, MACHINE_SYSTOLIC);
	assert_string_equal(machine.name, "my_run");
	assert_int_equal(machine.systolic.rows, 32);
	assert_int_equal(machine.systolic.cols, 16);
	assert_int_equal(machine.systolic.ifmap_byte, 64 * 1024);
	assert_int_equal(machine.systolic.filter_byte, 65 * 1024);
	assert_int_equal(machine.systolic.ofmap_byte, 66 * 1024);
	assert_int_equal(machine.systolic.word_byte, 1);
	assert_int_equal(machine.systolic.dataflow, SYSTOLIC_WS);
	assert_int_equal(machine.n_level, 1);
	/* words a clock */
	assert_true(machine.systolic.memory_gb_s * 1e3 / machine.level[0].clk_mhz == 10);
	assert_int_equal(machine_check(&machine, &err), ERR_OK);
}

static void test_cfg_calc_is_as_fast_as_can_be(void **state)
{
	struct machine machine;
	const struct machine_param *rate = machine_find_param("systolic.memory_gb_s");
	struct err err = {0};
	(void)state;
	assert_int_equal(
	    read_cfg(ARRAY "Bandwidth: 10\nDataflow: is\n[run_presets]\nInterfaceBandwidth = calc\n", &machine, &err),
	    ERR_OK);
	assert_true(machine.systolic.memory_gb_s == rate->max);
	assert_int_equal(machine.systolic.dataflow, SYSTOLIC_IS);
	assert_int_equal(strncmp(machine.name, "machine_", 8), 0);
	assert_null(strchr(machine.name, '.'));
}

static void test_cfg_reports_mistakes(void **state)
{
	static const struct {
		const char *text, *said;
	} wrong[] = {
	    {"ArrayHeight: 3\n" ARRAY "Dataflow: os\nBandwidth: 1\n" RUN,
	     ":1:1: found 'ArrayHeight: 3' before a section, allowed [general] or"},
	    {ARRAY "Dataflow: os\nBandwidth: 1\nnonsense\n" RUN,
	     ":9:1: found 'nonsense', allowed [section], key: value"},
	    {ARRAY "Dataflow: rs\nBandwidth: 1\n" RUN, ":7:11: Dataflow: found 'rs', allowed os, ws, is"},
	    {ARRAY "Dataflow: os\nBandwidth: 1\n[run_presets]\nInterfaceBandwidth: 3\n",
	     ":10:21: InterfaceBandwidth: found '3', allowed CALC, USER"},
	    {ARRAY "Dataflow: os\nBandwidth: 1,2\n" RUN,
	     ":8:12: Bandwidth: found '1,2', allowed a whole number from 1 to "
	     "100000, or the same one for each operand"},
	    {ARRAY "Dataflow: os\nBandwidth: 1\n ArrayWidth = 0\n" RUN,
	     ":9:15: ArrayWidth: found '0', allowed a whole"},
	    {ARRAY "Dataflow: os\nBandwidth: 1\nArrayHeigth: 3\n" RUN,
	     ":9:1: key: found 'ArrayHeigth', allowed are SCALE-Sim's keys, did you mean 'ArrayHeight'?"},
	    {ARRAY "Dataflow: os\nBandwidth: 1\nDataFlow: ws\n" RUN, ":9:1: Dataflow stands twice, first in line 7"},
	    {ARRAY "Dataflow: os\n" RUN, ":9:21: InterfaceBandwidth: found USER without Bandwidth"},
	    {ARRAY "Bandwidth: 1\n" RUN, ":1:1: Dataflow is missing"},
	    {ARRAY "Dataflow: os\nBandwidth: 1\n" RUN "[sparsity]\nSparsitySupport: true\n",
	     ":12:18: SparsitySupport: found 'true', allowed false"},
	    {ARRAY "Dataflow: os\nBandwidth: 1\nArrayHeight: 4097\n" RUN, "ArrayHeight: found '4097'"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct machine machine = {.name = "untouched"};
		struct err err = {0};
		assert_int_equal(read_cfg(wrong[i].text, &machine, &err), ERR_INPUT);
		assert_string_equal(machine.name, "untouched");
		if (!strstr(err_text(&err), wrong[i].said))
			fail_msg("%s\nfound:\n%swanted: %s", wrong[i].text, err_text(&err), wrong[i].said);
		err_clear(&err);
	}
}

/* Ours beside the tool's keys: the memory model, by the tool's mode. */
static void test_cfg_chooses_the_memory_model(void **state)
{
	struct machine machine;
	struct err err = {0};
	(void)state;
	assert_int_equal(read_cfg(ARRAY "Dataflow: os\nBandwidth: 1\n" RUN, &machine, &err), ERR_OK);
	assert_int_equal(machine.systolic.memory, SYSTOLIC_PHYSICAL);
	assert_int_equal(read_cfg(ARRAY "Dataflow: os\nBandwidth: 1\n" RUN "MemoryModel: scalesim\n", &machine, &err),
	                 ERR_OK);
	assert_int_equal(machine.systolic.memory, SYSTOLIC_SCALESIM);
	assert_int_equal(read_cfg(ARRAY
	                          "Dataflow: os\nMemoryModel: scalesim\n[run_presets]\nInterfaceBandwidth: CALC\n",
	                          &machine, &err),
	                 ERR_OK);
	assert_int_equal(machine.systolic.memory, SYSTOLIC_SCALESIM_CALC);
	assert_int_equal(read_cfg(ARRAY "Dataflow: os\nBandwidth: 1\n" RUN "MemoryModel: real\n", &machine, &err),
	                 ERR_INPUT);
	assert_non_null(strstr(err_text(&err), ":11:14: MemoryModel: found 'real', allowed physical, scalesim"));
	err_clear(&err);
}

/* What is missing is said, each key once; another kind of file does not fill the screen. */
static void test_cfg_reports_all_mistakes_at_once(void **state)
{
	struct machine machine;
	struct err err = {0};
	char text[4096] = "[general]\n";
	(void)state;
	assert_int_equal(read_cfg("", &machine, &err), ERR_INPUT);
	assert_int_equal(err.n_message, 7);
	err_clear(&err);
	for (int i = 0; i < 100; i++)
		(void)strcat(text, "x\n");
	assert_int_equal(read_cfg(text, &machine, &err), ERR_INPUT);
	assert_int_equal(err.n_message, 20);
	err_clear(&err);
	assert_int_equal(machine_read("/nonexistent/a.cfg", &machine, &err), ERR_IO);
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cfg_gives_a_systolic_machine),
	    cmocka_unit_test(test_cfg_calc_is_as_fast_as_can_be),
	    cmocka_unit_test(test_cfg_chooses_the_memory_model),
	    cmocka_unit_test(test_cfg_reports_mistakes),
	    cmocka_unit_test(test_cfg_reports_all_mistakes_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
