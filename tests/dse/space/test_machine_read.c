/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"
#include "dse/space/space.h"
#include "dse/space/machine_read.h"
#include "tests/support/expected_messages.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct machine read_valid(const char *path)
{
	struct machine machine;
	struct err err = {0};
	if (machine_read(path, &machine, &err) != ERR_OK)
		print_error("%s", err_text(&err));
	assert_int_equal(err.n_message, 0);
	err_clear(&err);
	return machine;
}

/* Bytes a microsecond over all interfaces, i.e. MB/s. */
static double dram_mb_s(const struct machine *machine)
{
	return machine->dram_n * machine->dram_access_byte * machine->dram_clk_mhz / machine->dram_access_clk;
}

/* The thesis machines spell out what the defaults are, so nothing may differ but what the files are about. */
static void assert_only_differs(const struct machine *machine, const char *const *key, size_t n)
{
	struct machine initial;
	machine_init(&initial, machine->target);
	for (size_t i = 0; i < machine_n_param; i++) {
		bool listed = false;
		for (size_t j = 0; j < n; j++)
			listed |= strcmp(key[j], machine_param[i].key) == 0;
		bool equal =
		    machine_get_param(machine, &machine_param[i]) == machine_get_param(&initial, &machine_param[i]);
		if (equal == listed)
			print_error("%s of %s\n", machine_param[i].key, machine->name);
		assert_true(equal != listed);
	}
}

static void test_machine_yaml_thesis_machines_are_the_defaults(void **state)
{
	(void)state;
	static const char *const area[] = {"area.mac_um2", "area.sram_byte_um2"}; /* by its technology */
	static const char *const qpe[] = {"energy.chip_off_mw"};
	static const char *const hdl[] = {"energy.chip_off_mw", "pe.sram_access_clk", "mla.round_waits",
	                                  "mla.matmul_stream", "noc.sync_clk"};
	static const char *const calibrated[] = {"energy.chip_off_mw", "pe.sram_access_clk", "mla.round_waits",
	                                         "mla.matmul_stream",  "mla.turn_clk",       "mla.a_buffer_packet",
	                                         "mla.trim_b",         "noc.router_packet",  "noc.clk_mhz"};
	struct machine machine = read_valid("spaces/machines/thesis_chip.yaml");
	assert_string_equal(machine.name, "thesis_chip");
	assert_int_equal(machine.target, MACHINE_CHIP);
	assert_only_differs(&machine, area, 2);
	assert_true(dram_mb_s(&machine) == 8000);
	assert_int_equal(machine.n_level, 1);
	assert_true(machine.level[0].clk_mhz == 250 && machine.level[0].mla_clk_pj == 8.5);

	machine = read_valid("spaces/machines/thesis_qpe_dram.yaml");
	assert_int_equal(machine.target, MACHINE_QPE);
	assert_only_differs(&machine, qpe, 1);
	machine = read_valid("spaces/machines/hdl_qpe.yaml");
	assert_int_equal(machine.target, MACHINE_QPE);
	assert_int_equal(machine.pe_sram_access_clk, 2);
	assert_only_differs(&machine, hdl, 5);
	machine = read_valid("spaces/machines/hdl_qpe_calibrated.yaml");
	assert_only_differs(&machine, calibrated, 9);
}

static void test_machine_yaml_dvfs_and_final_chip(void **state)
{
	(void)state;
	struct machine machine = read_valid("spaces/machines/dvfs_chip.yaml");
	assert_int_equal(machine_n_pe(&machine), 152);
	assert_true(dram_mb_s(&machine) == 6400);
	assert_true(machine.mla_postprocess);
	assert_true(machine.noc_clk_mhz == 300);
	assert_int_equal(machine.n_level, 2);
	assert_string_equal(machine.level[1].name, "PL2");
	assert_true(machine.level[0].clk_mhz == 320 && machine.level[0].vdd_v == 0.5);
	assert_true(machine.level[1].clk_mhz == 400 && machine.level[1].vdd_v == 0.6);

	machine = read_valid("spaces/machines/final_chip.yaml");
	assert_int_equal(machine_n_pe(&machine), 152);
	assert_int_equal(machine.noc_hop_clk, 5);
	assert_true(dram_mb_s(&machine) == 6400);
	assert_true(machine.level[0].clk_mhz == 150 && machine.level[1].clk_mhz == 300);
	assert_true(fabs(machine.level[1].mla_clk_pj - 8.5 * 0.64 / 0.25) < 0.05);
	assert_true(machine.level[1].pe_static_mw == 3.22);
}

static void test_machine_yaml_mistakes_name_their_place(void **state)
{
	(void)state;
	static const char *const name[] = {
	    "unknown_key", "unknown_group", "bad_value",    "bad_target",  "no_target",   "no_name",
	    "bad_name",    "no_levels",     "level_fields", "level_list",  "combination", "many",
	    "not_a_map",   "group_not_map", "list_value",   "many_levels", "sources",     "systolic",
	};
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		char path[128];
		struct machine machine;
		struct err err = {0};
		(void)snprintf(path, sizeof(path), "tests/malformed/machine_%s.yaml", name[i]);
		assert_int_equal(machine_read(path, &machine, &err), ERR_INPUT);
		assert_expected_messages(path, &err);
		err_clear(&err);
	}
}

static void test_machine_yaml_missing_file_is_an_io_error(void **state)
{
	(void)state;
	struct machine machine;
	struct err err = {0};
	assert_int_equal(machine_read("spaces/machines/none.yaml", &machine, &err), ERR_IO);
	assert_int_equal(err.code, ERR_IO);
	assert_non_null(strstr(err_text(&err), "spaces/machines/none.yaml"));
	err_clear(&err);
}

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	char *text = calloc(1, 65536);
	assert_non_null(text);
	assert_true(fread(text, 1, 65535, file) > 0);
	(void)fclose(file);
	return text;
}

/* A row of a table in the README: key, unit, range, default; what follows is free. */
static void test_machine_yaml_every_key_is_documented(void **state)
{
	(void)state;
	char *readme = read_text("spaces/machines/README.md"), row[256];
	struct machine initial;
	machine_init(&initial, MACHINE_CHIP);
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct machine_param *param = &machine_param[i];
		char value[40], range[64];
		(void)machine_print_param(&initial, param, value, sizeof(value));
		if (param->type == PARAM_BOOL)
			(void)snprintf(range, sizeof(range), "true, false");
		else if (param->type == PARAM_ENUM)
			(void)snprintf(range, sizeof(range), "a name");
		else
			(void)snprintf(range, sizeof(range), "%s%.10g..%.10g",
			               param->type == PARAM_ARRAY ? "each " : "", param->min, param->max);
		(void)snprintf(row, sizeof(row), "| `%s` | %s | %s | %s |", param->key, param->unit, range, value);
		if (!strstr(readme, row))
			print_error("not in README.md: %s\n", row);
		assert_non_null(strstr(readme, row));
	}
	for (size_t i = 0; i < machine_n_level_param; i++) {
		const struct level_param *param = &level_param[i];
		(void)snprintf(row, sizeof(row), "| `%s` | %s | %.10g..%.10g | %.10g |", param->key, param->unit,
		               param->min, param->max, param->initial);
		if (!strstr(readme, row))
			print_error("not in README.md: %s\n", row);
		assert_non_null(strstr(readme, row));
	}
	free(readme);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_machine_yaml_thesis_machines_are_the_defaults),
	    cmocka_unit_test(test_machine_yaml_dvfs_and_final_chip),
	    cmocka_unit_test(test_machine_yaml_mistakes_name_their_place),
	    cmocka_unit_test(test_machine_yaml_missing_file_is_an_io_error),
	    cmocka_unit_test(test_machine_yaml_every_key_is_documented),
	};
	return cmocka_run_group_tests_name("machine_read", tests, NULL, NULL);
}
