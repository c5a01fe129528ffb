/* SPDX-License-Identifier: Apache-2.0 */
/* A machine's coefficients by its technology: the file's at its own sizes, the tables' growth elsewhere, by part. */
#include "tests/support/unit_test.h"
#include "dse/space/provenance.h"
#include "sim/base/rng.h"
#include "sim/machine/energy.h"
#include "sim/machine/machine_check.h"
#include "sim/machine/machine_param.h"
#include "sim/machine/machine_technology.h"
#include "sim/program/mixed.h"
#include "tests/support/near.h"
#include "tests/support/shipped_machine.h"
#include "tests/support/temporary.h"
#include <stdio.h>
#include <string.h>

#define LEVEL_PL1                                                                                            \
	"{name: PL1, vdd_v: 0.5, clk_mhz: 320, mla_clk_pj: 8.5, sram_read32_pj: 4.9, sram_write32_pj: 4.7, " \
	"pe_static_mw: 1.05}"

/* A machine with this section and these levels. */
static struct machine machine_with(const char *section, const char *levels)
{
	char path[TEMPORARY_SIZE];
	FILE *file = temporary_open(path);
	assert_non_null(file);
	(void)fprintf(file, "name: sized\ntarget: chip\ntechnology: %s\nlevels: [%s]\n", section, levels);
	assert_int_equal(fclose(file), 0);
	struct machine machine = shipped_machine(path);
	assert_int_equal(remove(path), 0);
	return machine;
}

static void set(struct machine *machine, const char *key, const char *text)
{
	assert_int_equal(machine_set_param(machine, machine_find_param(key), text, NULL), ERR_OK);
}

static struct sram_figures sram_at(const char *cell, double size_byte, double word_byte)
{
	struct sram_grid grid;
	struct sram_figures figures;
	assert_int_equal(technology_sram_grid(22, cell, &grid, NULL), ERR_OK);
	assert_int_equal(technology_sram(&grid, size_byte, word_byte, 0, &figures, NULL), ERR_OK);
	return figures;
}

/* To the last bit, also after a walk through other sizes and back. */
static void test_machine_technology_keeps_its_anchor(void **state)
{
	(void)state;
	struct machine machine = machine_with("{node_nm: 22, sram_cell: itrs-lop}", LEVEL_PL1);
	for (int i = 0; i < 2; i++) {
		assert_true(machine_technology_is_anchor(&machine));
		assert_true(machine.level[0].mla_clk_pj == 8.5 && machine.level[0].sram_read32_pj == 4.9);
		assert_true(machine.level[0].sram_write32_pj == 4.7 && machine.level[0].pe_static_mw == 1.05);
		set(&machine, "pe.sram_byte", "262144");
		set(&machine, "mla.array", "32x8");
		set(&machine, "mla.accumulator_bit", "24");
		set(&machine, "pe.sram_port_byte", "32");
		assert_false(machine_technology_is_anchor(&machine));
		set(&machine, "pe.sram_port_byte", "16");
		set(&machine, "mla.accumulator_bit", "32");
		set(&machine, "mla.array", "16x4");
		set(&machine, "pe.sram_byte", "98304");
	}
}

/* At points of the table: the file's figure times the table's ratio; a word's energy by byte. */
static void test_machine_technology_grows_as_the_table(void **state)
{
	(void)state;
	static const char *const cell[] = {"itrs-lstp", "itrs-lop", "itrs-hp"};
	for (int i = 0; i < 3; i++) {
		char section[64];
		(void)snprintf(section, sizeof(section), "{node_nm: 22, sram_cell: %s}", cell[i]);
		struct machine machine = machine_with(section, LEVEL_PL1);
		struct sram_figures base = sram_at(cell[i], 131072, 16), large = sram_at(cell[i], 524288, 16);
		set(&machine, "pe.sram_byte", "491520");
		assert_close(machine.level[0].sram_read32_pj, 4.9 * large.read_pj / base.read_pj);
		assert_close(machine.level[0].sram_write32_pj, 4.7 * large.write_pj / base.write_pj);
		/* what leaks is the measured static power at most */
		double sram_mw = base.leakage_mw < 1.05 ? base.leakage_mw : 1.05;
		assert_close(machine.level[0].pe_static_mw, 1.05 + sram_mw * (large.leakage_mw / base.leakage_mw - 1));
		assert_close(machine_area_of_pe(&machine).sram_um2, large.area_um2);
		set(&machine, "pe.sram_port_byte", "32");
		struct sram_figures wide = sram_at(cell[i], 524288, 32);
		assert_close(machine.level[0].sram_read32_pj, 4.9 * (wide.read_pj / 2) / base.read_pj);
		assert_int_equal(machine.level[0].mla_clk_pj == 8.5, 1);
	}
}

/* The array's static power is its share of the area; a MAC unit's energy follows its accumulator. */
static void test_machine_technology_grows_with_the_array(void **state)
{
	(void)state;
	struct machine machine = machine_with("{node_nm: 22, sram_cell: itrs-lstp}", LEVEL_PL1);
	struct technology logic = {.node_nm = 22};
	struct sram_figures sram = sram_at("itrs-lstp", 131072, 16);
	double mac_um2 = technology_mac(&logic, 32, 0.5).area_um2;
	double share = (1.05 - sram.leakage_mw) * 64 * mac_um2 / (64 * mac_um2 + sram.area_um2);
	set(&machine, "mla.array", "32x8");
	assert_close(machine.level[0].pe_static_mw, 1.05 + 3 * share);
	assert_close(machine_area_of_pe(&machine).mac_um2, 256 * mac_um2);
	set(&machine, "mla.array", "8x2");
	assert_close(machine.level[0].pe_static_mw, 1.05 - 0.75 * share);
	set(&machine, "mla.array", "16x4");
	set(&machine, "mla.accumulator_bit", "24");
	assert_close(machine.level[0].mla_clk_pj,
	             8.5 * technology_mac(&logic, 24, 0.5).action_pj / technology_mac(&logic, 32, 0.5).action_pj);
	assert_true(machine.level[0].mla_clk_pj < 8.5 && machine.level[0].pe_static_mw < 1.05);
}

/* A machine with one size raised: nothing of it is cheaper or smaller, and its area is larger. */
static void expect_no_less(const struct machine *small, const struct machine *large)
{
	const struct operating_point *a = &small->level[0], *b = &large->level[0];
	assert_true(machine_area_um2(large) > machine_area_um2(small));
	assert_true(b->pe_static_mw >= a->pe_static_mw && b->mla_clk_pj >= a->mla_clk_pj);
	assert_true(b->sram_read32_pj >= a->sram_read32_pj && b->sram_write32_pj >= a->sram_write32_pj);
}

static void test_machine_technology_rises_on_random_machines(void **state)
{
	static const char *const cell[] = {"itrs-lstp", "itrs-lop", "itrs-hp"};
	(void)state;
	for (uint32_t i = 0; i < 300; i++) {
		struct rng rng = rng_stream(29, 0, i);
		char section[64], text[32];
		(void)snprintf(section, sizeof(section), "{node_nm: 22, sram_cell: %s}", cell[i % 3]);
		struct machine machine = machine_with(section, LEVEL_PL1), larger;
		uint32_t cols = 8U << rng_below(&rng, 3), rows = 2U << rng_below(&rng, 3),
			 bits = 20 + rng_below(&rng, 12);
		uint32_t sram_byte = 16 * (2048 + rng_below(&rng, 28000));
		(void)snprintf(text, sizeof(text), "%ux%u", cols, rows);
		set(&machine, "mla.array", text);
		(void)snprintf(text, sizeof(text), "%u", sram_byte);
		set(&machine, "pe.sram_byte", text);
		(void)snprintf(text, sizeof(text), "%u", bits);
		set(&machine, "mla.accumulator_bit", text);
		larger = machine;
		if (i % 4 == 0)
			(void)snprintf(text, sizeof(text), "%u", sram_byte + 16 * (1 + rng_below(&rng, 1000)));
		else if (i % 4 == 1)
			(void)snprintf(text, sizeof(text), "%u", bits + 1);
		else
			(void)snprintf(text, sizeof(text), "%ux%u", i % 4 == 2 ? 2 * cols : cols,
			               i % 4 == 3 ? 2 * rows : rows);
		set(&larger, i % 4 == 0 ? "pe.sram_byte" : i % 4 == 1 ? "mla.accumulator_bit" : "mla.array", text);
		expect_no_less(&machine, &larger);
	}
}

/* What the file leaves out is the technology's own, and says so. */
static void test_machine_technology_gives_what_is_left_out(void **state)
{
	(void)state;
	struct machine machine = machine_with("{node_nm: 28, sram_cell: itrs-hp, sram_vdd_v: 0.9, dram: hbm2}",
	                                      "{name: one, vdd_v: 0.9, clk_mhz: 500}");
	struct technology logic = {.node_nm = 28};
	struct sram_grid grid;
	struct sram_figures sram;
	assert_int_equal(technology_sram_grid(28, "itrs-hp", &grid, NULL), ERR_OK);
	assert_int_equal(technology_sram(&grid, 131072, 16, 0.9, &sram, NULL), ERR_OK);
	assert_close(machine.level[0].mla_clk_pj, 64 * technology_mac(&logic, 32, 0.9).action_pj);
	assert_close(machine.level[0].sram_read32_pj, sram.read_pj / 4);
	assert_close(machine.level[0].sram_write32_pj, sram.write_pj / 4);
	assert_close(machine.level[0].pe_static_mw, sram.leakage_mw);
	assert_close(machine.dram_byte_pj, 3.9 * 8);
	struct arena arena = {0};
	struct machine_sources sources;
	struct coefficient coefficient;
	assert_true(machine_sources_init(&sources, &arena));
	for (size_t i = 0; coefficient_at(&machine, &sources, 1, DETAIL_FAST, i, &coefficient); i++)
		if (strcmp(coefficient.key, "sram_read32_pj") == 0) {
			assert_int_equal(coefficient.provenance.confidence, CONFIDENCE_DERIVED);
			assert_non_null(strstr(coefficient.provenance.source, "tables"));
		}
	arena_free(&arena);
}

/* A machine outside the tables is refused with the key and what there is. */
static void test_machine_technology_refuses_sizes(void **state)
{
	(void)state;
	static const char *const out[][3] = {{"pe.sram_byte", "4194304", "from 16384 to 4194304"},
	                                     {"pe.sram_port_byte", "64", "from 4 to 32"}};
	for (int i = 0; i < 2; i++) {
		struct machine machine = machine_with("{node_nm: 22, sram_cell: itrs-lstp}", LEVEL_PL1);
		struct err err = {0};
		assert_int_equal(machine_check(&machine, NULL), ERR_OK);
		set(&machine, out[i][0], out[i][1]);
		assert_int_equal(machine_check(&machine, &err), ERR_INPUT);
		assert_non_null(strstr(err_text(&err), out[i][0]));
		assert_non_null(strstr(err_text(&err), out[i][2]));
		err_clear(&err);
	}
}

/* Random sizes: parts of the area add up, and more of anything never costs less. */
static void test_machine_technology_parts_add_up(void **state)
{
	static const char *const array[] = {"8x2", "8x4", "16x4", "16x8", "32x8"};
	(void)state;
	for (uint32_t i = 0; i < 300; i++) {
		struct rng rng = rng_stream(5, 0, i);
		struct machine machine = machine_with("{node_nm: 22, sram_cell: itrs-lstp}", LEVEL_PL1), more;
		char text[32];
		uint32_t n_byte = 1024 * (1 + rng_below(&rng, 500)), which = rng_below(&rng, 4);
		(void)snprintf(text, sizeof(text), "%u", n_byte);
		set(&machine, "pe.sram_byte", text);
		set(&machine, "mla.array", array[which]);
		set(&machine, "area.chip_um2", "1e6");
		struct machine_area area = machine_area_of_pe(&machine);
		assert_close(machine_area_um2(&machine),
		             144 * (area.mac_um2 + area.sram_um2 + area.pe_um2) + machine.area_chip_um2);
		more = machine;
		set(&more, "mla.array", array[which + 1]);
		assert_true(machine_area_um2(&more) > machine_area_um2(&machine));
		assert_true(energy_static_mw(&more, 0) > energy_static_mw(&machine, 0));
		more = machine;
		(void)snprintf(text, sizeof(text), "%u", n_byte + 1024);
		set(&more, "pe.sram_byte", text);
		assert_true(machine_area_um2(&more) > machine_area_um2(&machine));
		assert_true(energy_static_mw(&more, 0) > energy_static_mw(&machine, 0));
		assert_true(more.level[0].sram_read32_pj > machine.level[0].sram_read32_pj);
		assert_true(more.level[0].sram_write32_pj > machine.level[0].sram_write32_pj);
	}
}

/* A value that the user gives stays. */
static void test_machine_technology_leaves_given_area(void **state)
{
	(void)state;
	struct machine machine = machine_with("{node_nm: 22, sram_cell: itrs-lstp}", LEVEL_PL1);
	set(&machine, "area.mac_um2", "1234");
	set(&machine, "mla.array", "8x4");
	set(&machine, "pe.sram_byte", "65536");
	assert_true(machine.area_mac_um2 == 1234);
	assert_close(machine_area_of_pe(&machine).sram_um2, sram_at("itrs-lstp", 98304, 16).area_um2);
}

/* Each field of a mixture stays the better one of its two points. */
static void test_machine_technology_reaches_mixtures(void **state)
{
	(void)state;
	struct machine machine = machine_with("{node_nm: 22, sram_cell: itrs-lop}",
	                                      LEVEL_PL1 ", {name: PL2, vdd_v: 0.6, clk_mhz: 400, mla_clk_pj: 12.3, "
	                                                "sram_read32_pj: 4.9, pe_static_mw: 1.5}");
	assert_int_equal(mixed_add(&machine, 2, NULL), ERR_OK);
	assert_int_equal(machine.n_level, 3);
	set(&machine, "pe.sram_byte", "229376");
	assert_true(machine.level[2].pe_static_mw == machine.level[0].pe_static_mw);
	assert_true(machine.level[2].sram_read32_pj == machine.level[0].sram_read32_pj);
	assert_true(machine.level[0].sram_read32_pj > 4.9);
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_machine_technology_keeps_its_anchor),
	    cmocka_unit_test(test_machine_technology_grows_as_the_table),
	    cmocka_unit_test(test_machine_technology_grows_with_the_array),
	    cmocka_unit_test(test_machine_technology_rises_on_random_machines),
	    cmocka_unit_test(test_machine_technology_gives_what_is_left_out),
	    cmocka_unit_test(test_machine_technology_refuses_sizes),
	    cmocka_unit_test(test_machine_technology_parts_add_up),
	    cmocka_unit_test(test_machine_technology_leaves_given_area),
	    cmocka_unit_test(test_machine_technology_reaches_mixtures),
	};
	return cmocka_run_group_tests(test, NULL, NULL);
}
