/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"
#include "sim/machine/machine.h"
#include "sim/machine/machine_param.h"
#include "sim/machine/machine_check.h"
#include "sim/base/err.h"
#include "sim/systolic/systolic_work.h"
#include <stdio.h>
#include <string.h>

static struct machine valid_machine(enum machine_target target)
{
	struct machine machine;
	machine_init(&machine, target);
	(void)snprintf(machine.name, sizeof(machine.name), "test");
	machine.n_level = 1;
	machine.level[0] = (struct operating_point){.name = "nominal", .vdd_v = 0.5, .clk_mhz = 250};
	return machine;
}

/* One mistake must give one message, and that must contain text. */
static void assert_one_message(const struct machine *machine, const char *text)
{
	struct err err = {0};
	assert_int_equal(machine_check(machine, &err), ERR_INPUT);
	if (err.n_message != 1 || !strstr(err_text(&err), text))
		print_error("expected one message with '%s', found:\n%s", text, err_text(&err));
	assert_int_equal(err.n_message, 1);
	assert_non_null(strstr(err_text(&err), text));
	err_clear(&err);
}

static void test_machine_table_is_consistent(void **state)
{
	(void)state;
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct machine_param *param = &machine_param[i];
		assert_non_null(strchr(param->key, '.'));
		assert_true(param->unit[0] && param->help[0] && param->source[0]);
		assert_true(param->min <= param->max);
		if (param->type == PARAM_ARRAY)
			assert_true(param->initial == 0); /* machine_init has it, one number would not do */
		else
			assert_true(param->initial >= param->min && param->initial <= param->max);
		assert_ptr_equal(machine_find_param(param->key), param); /* no key twice */
		for (size_t j = 0; j < i; j++)
			assert_true(machine_param[j].offset != param->offset);
	}
	for (size_t i = 0; i < machine_n_level_param; i++)
		assert_true(level_param[i].initial >= level_param[i].min &&
		            level_param[i].initial <= level_param[i].max);
	assert_null(machine_find_param("mla"));
	assert_null(machine_find_param("mla.arra"));
}

static void test_machine_defaults_are_the_thesis_chip(void **state)
{
	(void)state;
	struct machine machine = valid_machine(MACHINE_CHIP);
	assert_int_equal(machine_check(&machine, NULL), ERR_OK);
	assert_int_equal(machine_n_pe(&machine), 144);
	assert_int_equal(machine_n_mac(&machine), 144 * 64);
	assert_int_equal(machine_sram_byte(&machine), 144 * 98304);
	/* 8 GB/s in all: 4 interfaces, 16 bytes in 2 clocks at 250 MHz. */
	double byte_per_us = machine.dram_n * machine.dram_access_byte * machine.dram_clk_mhz / machine.dram_access_clk;
	assert_true(byte_per_us == 8000);
	assert_true(machine_area_um2(&machine) == 0);
}

static void test_machine_qpe_defaults_are_valid(void **state)
{
	(void)state;
	struct machine machine = valid_machine(MACHINE_QPE);
	assert_int_equal(machine_check(&machine, NULL), ERR_OK);
	assert_int_equal(machine_n_pe(&machine), 4);
}

static void test_machine_area_adds_up(void **state)
{
	(void)state;
	struct machine machine = valid_machine(MACHINE_CHIP);
	machine.area_mac_um2 = 2;
	machine.area_sram_byte_um2 = 0.5;
	machine.area_pe_um2 = 1000;
	machine.area_chip_um2 = 7;
	assert_true(machine_area_um2(&machine) == 144.0 * (64 * 2 + 98304 * 0.5 + 1000) + 7);
}

static void test_machine_set_then_print_gives_the_text(void **state)
{
	(void)state;
	static const char *const pair[][2] = {
	    {"mla.array", "8x4"},
	    {"mla.postprocess", "true"},
	    {"mla.postprocess", "false"},
	    {"pe.sram_byte", "65536"},
	    {"noc.clk_mhz", "300"},
	    {"arm.relu8_pixel_clk", "0.1"},
	    {"arm.relu8_pixel_clk", "0.30000000000000004"},
	    {"pe.sram_byte", "1024"},
	    {"pe.sram_byte", "1073741824"},
	    {"systolic.array", "128x32"},
	    {"systolic.dataflow", "os"},
	    {"systolic.dataflow", "any"},
	    {"systolic.dataflow", "ws"},
	    {"systolic.memory_gb_s", "25.6"},
	};
	struct machine machine = valid_machine(MACHINE_CHIP);
	for (size_t i = 0; i < sizeof(pair) / sizeof(pair[0]); i++) {
		const struct machine_param *param = machine_find_param(pair[i][0]);
		char text[64];
		assert_non_null(param);
		assert_int_equal(machine_set_param(&machine, param, pair[i][1], NULL), ERR_OK);
		assert_int_equal(machine_print_param(&machine, param, text, sizeof(text)), (int)strlen(pair[i][1]));
		assert_string_equal(text, pair[i][1]);
	}
	assert_true(machine_get_param(&machine, machine_find_param("mla.array")) == 32);
	assert_true(machine_get_param(&machine, machine_find_param("mla.postprocess")) == 0);
	assert_true(machine.systolic.rows == 128 && machine.systolic.cols == 32);
	assert_int_equal(machine.systolic.dataflow, SYSTOLIC_WS);
}

static void test_machine_set_refuses_other_texts(void **state)
{
	(void)state;
	static const char *const pair[][2] = {
	    {"mla.array", "16"},
	    {"mla.array", "16x"},
	    {"mla.array", "0x4"},
	    {"mla.array", "16x4x2"},
	    {"mla.array", "-16x4"},
	    {"mla.array", "16x999"},
	    {"mla.postprocess", "yes"},
	    {"pe.sram_byte", "96K"},
	    {"pe.sram_byte", "1023"},
	    {"pe.sram_byte", "1073741825"},
	    {"pe.sram_byte", "4294968320"},
	    {"pe.sram_byte", " 2048"},
	    {"pe.sram_byte", "2048.5"},
	    {"pe.sram_byte", ""},
	    {"noc.clk_mhz", "nan"},
	    {"noc.clk_mhz", "inf"},
	    {"noc.clk_mhz", "0x10"},
	    {"noc.clk_mhz", "0.5"},
	    {"noc.clk_mhz", "fast"},
	    {"noc.clk_mhz", ""},
	    {"noc.clk_mhz", "300 mV"},
	    {"systolic.array", "64"},
	    {"systolic.array", "0x64"},
	    {"systolic.array", "64x4097"},
	    {"systolic.dataflow", "o"},
	    {"systolic.dataflow", "osx"},
	    {"systolic.dataflow", ""},
	    {"systolic.dataflow", "os/ws"},
	    {"systolic.dataflow", "/"},
	};
	struct machine machine = valid_machine(MACHINE_CHIP), before = machine;
	for (size_t i = 0; i < sizeof(pair) / sizeof(pair[0]); i++) {
		const struct machine_param *param = machine_find_param(pair[i][0]);
		struct err err = {0};
		assert_int_equal(machine_set_param(&machine, param, pair[i][1], &err), ERR_INPUT);
		assert_non_null(strstr(err_text(&err), pair[i][0]));
		assert_non_null(strstr(err_text(&err), "allowed"));
		err_clear(&err);
	}
	assert_memory_equal(&machine, &before, sizeof(machine));
}

static void test_machine_check_names_parameter_and_fix(void **state)
{
	(void)state;
	struct machine chip = valid_machine(MACHINE_CHIP), machine;
	machine = chip, machine.chip.mesh_w = 7;
	machine.chip.n_storage_qpe = 2;
	assert_one_message(&machine, "chip.mesh_w x chip.mesh_h is 7x6 = 42 QPEs, more than chip.n_qpe = 36");
	machine = chip, machine.chip.n_storage_qpe = 0;
	assert_one_message(&machine, "chip.n_storage_qpe: found 0");
	machine = chip, machine.chip.n_storage_qpe = 36;
	assert_one_message(&machine, "must be less than the 36 QPEs");
	machine = chip, machine.chip.n_storage_qpe = 8;
	assert_one_message(&machine, "cannot be dealt evenly to 8 blocks");
	machine = chip, machine.dram_n = 3;
	assert_one_message(&machine, "chip.n_dram: 3 interfaces cannot be dealt evenly to 4 blocks");
	machine = chip, machine.n_level = 0;
	assert_one_message(&machine, "levels: found none");
	machine = chip, machine.level[1] = machine.level[0], machine.n_level = 2;
	assert_one_message(&machine, "two levels are named 'nominal'");
	machine = chip, machine.level[0].clk_mhz = 0;
	assert_one_message(&machine, "clk_mhz of level 'nominal': found 0");
	machine = chip, machine.pe_sram_port_byte = 0;
	assert_one_message(&machine, "pe.sram_port_byte: found 0, allowed 4..1024");
	machine = chip, machine.noc_packet_byte = 743;
	assert_one_message(&machine,
	                   "noc.packet_byte: found 743, not a multiple of the 4 bytes of an SRAM word; set it to "
	                   "740 or 744");
	machine = chip, machine.name[0] = '\0';
	assert_one_message(&machine, "name: found none");
}

static void test_machine_check_of_a_qpe(void **state)
{
	(void)state;
	struct machine qpe = valid_machine(MACHINE_QPE), machine;
	machine = qpe, machine.chip.n_qpe = 2;
	assert_one_message(&machine, "chip.n_qpe: found 2");
	machine = qpe, machine.dram_n = 2;
	assert_one_message(&machine, "chip.n_dram: found 2");
	machine = qpe, machine.chip.n_storage_qpe = 1;
	assert_one_message(&machine, "chip.n_storage_qpe: found 1");
	machine = qpe, machine.chip.mesh_h = 2;
	assert_one_message(&machine, "chip.mesh_h: found 2");
}

/* A systolic array's PEs are its MAC units; what it has no part of does not count. */
static void test_machine_of_a_systolic_array(void **state)
{
	(void)state;
	struct machine array = valid_machine(MACHINE_SYSTOLIC), machine;
	assert_int_equal(machine_check(&array, NULL), ERR_OK);
	assert_int_equal(machine_n_pe(&array), 4096);
	assert_int_equal(machine_n_mac(&array), 4096);
	assert_int_equal(machine_sram_byte(&array), 3 * 1397760);
	machine = array, machine.systolic.rows = 256, machine.systolic.cols = 32, machine.area_pe_um2 = 2;
	machine.systolic.ofmap_byte = 1000, machine.area_sram_byte_um2 = 0.5;
	assert_int_equal(machine_n_mac(&machine), 8192);
	assert_true(machine_area_um2(&machine) == 2 * 8192 + 0.5 * (2 * 1397760 + 1000));
	machine = array, machine.systolic.word_byte = 4, machine.systolic.filter_byte = 7;
	assert_one_message(&machine, "systolic.filter_byte: found 7");
	machine = array, machine.systolic.dataflow = 4;
	assert_one_message(&machine, "systolic.dataflow: found 4");
	machine = array, machine.systolic.rows = 0;
	assert_one_message(&machine, "systolic.array: found 0x64");
}

static void test_machine_parameters_serve_targets(void **state)
{
	(void)state;
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct machine_param *param = &machine_param[i];
		assert_int_equal(machine_param_serves(param, MACHINE_QPE), machine_param_serves(param, MACHINE_CHIP));
		assert_true(machine_param_serves(param, MACHINE_CHIP) || machine_param_serves(param, MACHINE_SYSTOLIC));
	}
	assert_false(machine_param_serves(machine_find_param("mla.array"), MACHINE_SYSTOLIC));
	assert_false(machine_param_serves(machine_find_param("systolic.array"), MACHINE_CHIP));
	assert_true(machine_param_serves(machine_find_param("energy.dram_byte_pj"), MACHINE_SYSTOLIC));
	assert_true(machine_param_serves(machine_find_param("energy.dram_byte_pj"), MACHINE_QPE));
}

static void test_machine_check_reports_every_mistake(void **state)
{
	(void)state;
	struct machine machine = valid_machine(MACHINE_CHIP);
	struct err err = {0};
	machine.n_level = 0;
	machine.dram_n = 3;
	machine.noc_hop_clk = 0;
	assert_int_equal(machine_check(&machine, &err), ERR_INPUT);
	assert_int_equal(err.n_message, 3);
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_machine_table_is_consistent),
	    cmocka_unit_test(test_machine_defaults_are_the_thesis_chip),
	    cmocka_unit_test(test_machine_qpe_defaults_are_valid),
	    cmocka_unit_test(test_machine_area_adds_up),
	    cmocka_unit_test(test_machine_set_then_print_gives_the_text),
	    cmocka_unit_test(test_machine_set_refuses_other_texts),
	    cmocka_unit_test(test_machine_check_names_parameter_and_fix),
	    cmocka_unit_test(test_machine_check_of_a_qpe),
	    cmocka_unit_test(test_machine_of_a_systolic_array),
	    cmocka_unit_test(test_machine_parameters_serve_targets),
	    cmocka_unit_test(test_machine_check_reports_every_mistake),
	};
	return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
