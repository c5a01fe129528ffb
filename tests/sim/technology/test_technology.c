/* SPDX-License-Identifier: Apache-2.0 */
/* Technology: memories are the table's at its points, monotone between them, refused outside; logic by closed forms. */
#include "tests/support/unit_test.h"
#include "sim/base/csv.h"
#include "sim/base/rng.h"
#include "sim/technology/technology.h"
#include "tests/support/near.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void read_table(const char *path, struct csv_table *table)
{
	struct err err = {0};
	assert_int_equal(csv_read_file(path, table, &err), ERR_OK);
}

static double number(const struct csv_table *table, size_t row, const char *column)
{
	return strtod(csv_get_cell(table, row, csv_find_column(table, column))->text, NULL);
}

static const char *word(const struct csv_table *table, size_t row, const char *column)
{
	return csv_get_cell(table, row, csv_find_column(table, column))->text;
}

/* Each row of the published table, by whatever grid it belongs to. */
static void test_technology_is_the_table_at_its_points(void **state)
{
	struct csv_table table;
	(void)state;
	read_table("tests/reference/sram_cacti7.csv", &table);
	assert_int_equal(table.n_row, 288);
	for (size_t row = 0; row < table.n_row; row++) {
		struct sram_grid grid;
		struct sram_figures figures;
		assert_int_equal(
		    technology_sram_grid(number(&table, row, "technology_nm"), word(&table, row, "cell"), &grid, NULL),
		    ERR_OK);
		assert_close(grid.vdd_v, number(&table, row, "vdd_v"));
		assert_int_equal(technology_sram(&grid, number(&table, row, "size_byte"),
		                                 number(&table, row, "word_byte"), 0, &figures, NULL),
		                 ERR_OK);
		assert_close(figures.read_pj, number(&table, row, "read_energy_pj"));
		assert_close(figures.write_pj, number(&table, row, "write_energy_pj"));
		assert_close(figures.area_um2, number(&table, row, "area_mm2") * 1e6);
		assert_true(fabs(figures.leakage_mw - number(&table, row, "leakage_mw") -
		                 number(&table, row, "gate_leakage_mw")) < 1e-12);
	}
	csv_free(&table);
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static void assert_between(double a, double x, double b)
{
	assert_true(x >= least(a, b) * (1 - 1e-12) && x <= (a > b ? a : b) * (1 + 1e-12));
}

/* Two memories between neighbours of the table: all figures go one way from one neighbour to the other. */
static void test_technology_is_monotone_between_points(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2000; i++) {
		struct rng rng = rng_stream(3, 0, i);
		struct sram_grid grid;
		struct sram_figures at[4];
		static const double node[] = {22, 32, 45, 65, 90, 28, 40};
		assert_int_equal(
		    technology_sram_grid(node[rng_below(&rng, 7)], technology_cell[rng_below(&rng, 3)], &grid, NULL),
		    ERR_OK);
		uint32_t k = rng_below(&rng, grid.n_size - 1);
		double low = grid.size_byte[k], high = grid.size_byte[k + 1];
		double a = rng_unit(&rng), b = a + (1 - a) * rng_unit(&rng);
		const double size[] = {low, low + (high - low) * a, low + (high - low) * b, high};
		double word_byte = grid.word_byte[rng_below(&rng, grid.n_word)];
		for (int n = 0; n < 4; n++)
			assert_int_equal(technology_sram(&grid, size[n], word_byte, 0, &at[n], NULL), ERR_OK);
		for (int n = 0; n < 2; n++) {
			assert_between(at[n].read_pj, at[n + 1].read_pj, at[3].read_pj);
			assert_between(at[n].write_pj, at[n + 1].write_pj, at[3].write_pj);
			assert_between(at[n].leakage_mw, at[n + 1].leakage_mw, at[3].leakage_mw);
			assert_between(at[n].area_um2, at[n + 1].area_um2, at[3].area_um2);
		}
		/* of so large a step every figure grows, whatever organisation the table's tool chose */
		if (k + 2 < grid.n_size && word_byte == 16) {
			assert_int_equal(technology_sram(&grid, grid.size_byte[k + 2], 16, 0, &at[1], NULL), ERR_OK);
			assert_true(at[1].read_pj > at[0].read_pj && at[1].area_um2 > at[0].area_um2 &&
			            at[1].leakage_mw > at[0].leakage_mw);
		}
	}
}

static void test_technology_refuses_what_is_outside(void **state)
{
	static const struct {
		double size, word;
		const char *what;
	} out[] = {{16383, 16, "from 16384 to 4194304"},
	           {4194305, 16, "from 16384 to 4194304"},
	           {65536, 2, "from 4 to 32"},
	           {65536, 33, "from 4 to 32"}};
	struct sram_grid grid;
	struct sram_figures figures;
	(void)state;
	assert_int_equal(technology_sram_grid(22, "itrs-lstp", &grid, NULL), ERR_OK);
	for (size_t i = 0; i < sizeof(out) / sizeof(out[0]); i++) {
		struct err err = {0};
		assert_int_equal(technology_sram(&grid, out[i].size, out[i].word, 0, &figures, &err), ERR_INPUT);
		assert_non_null(strstr(err_text(&err), out[i].what));
		err_clear(&err);
	}
	assert_int_equal(technology_sram_grid(21.9, "itrs-lstp", &grid, NULL), ERR_INPUT);
	assert_int_equal(technology_sram_grid(90.1, "itrs-lstp", &grid, NULL), ERR_INPUT);
	assert_int_equal(technology_sram_grid(22, "sram", &grid, NULL), ERR_INPUT);
	/* at other nodes than 22 nm the table has words of 16 bytes alone */
	assert_int_equal(technology_sram_grid(28, "itrs-lop", &grid, NULL), ERR_OK);
	assert_int_equal(technology_sram(&grid, 65536, 8, 0, &figures, NULL), ERR_INPUT);
	assert_int_equal(technology_sram(&grid, 65536, 16, 0, &figures, NULL), ERR_OK);
}

/* Half way by logarithms between two points: the geometric mean; so between two nodes. Energy goes with V^2. */
static void test_technology_interpolates_logarithms(void **state)
{
	struct sram_grid grid, other, between;
	struct sram_figures a, b, x, y;
	(void)state;
	assert_int_equal(technology_sram_grid(22, "itrs-lop", &grid, NULL), ERR_OK);
	assert_int_equal(technology_sram(&grid, 131072, 8, 0, &a, NULL), ERR_OK);
	assert_int_equal(technology_sram(&grid, 131072, 16, 0, &b, NULL), ERR_OK);
	assert_int_equal(technology_sram(&grid, 131072, sqrt(128.0), 0, &x, NULL), ERR_OK);
	assert_close(x.read_pj, sqrt(a.read_pj * b.read_pj));
	assert_int_equal(technology_sram(&grid, 131072, 16, 1.2, &y, NULL), ERR_OK);
	assert_close(y.read_pj, b.read_pj * 4); /* the table's 0.6 V */
	assert_close(y.leakage_mw, b.leakage_mw * 2);
	assert_close(y.area_um2, b.area_um2);
	assert_int_equal(technology_sram_grid(32, "itrs-lop", &other, NULL), ERR_OK);
	assert_int_equal(technology_sram_grid(sqrt(22.0 * 32), "itrs-lop", &between, NULL), ERR_OK);
	assert_int_equal(technology_sram(&other, 131072, 16, 0, &a, NULL), ERR_OK);
	assert_int_equal(technology_sram(&between, 131072, 16, 0, &x, NULL), ERR_OK);
	assert_close(x.area_um2, sqrt(a.area_um2 * b.area_um2));
}

static void test_technology_scales_as_published(void **state)
{
	struct csv_table table;
	(void)state;
	read_table("tests/reference/technology_scaling.csv", &table);
	assert_int_equal(table.n_row, 10);
	double base = 0.9 * (0.9 * 1.103 - 0.362) + 0.2767;
	for (size_t row = 0; row < table.n_row; row++) {
		double node = number(&table, row, "technology_nm");
		double a2 = number(&table, row, "energy_a2"), a1 = number(&table, row, "energy_a1");
		assert_close(technology_area_ratio(node), number(&table, row, "area_per_45nm"));
		for (double v = 0.5; v < 1.25; v += 0.1)
			assert_close(technology_energy_ratio(node, v),
			             (a2 * v * v + a1 * v + number(&table, row, "energy_a0")) / base);
	}
	csv_free(&table);
	assert_close(technology_energy_ratio(45, 0.9), 1);
	assert_close(technology_area_ratio(45), 1);
}

/* At 45 nm and 0.9 V the arithmetic is the published; a wider accumulator takes more, smaller nodes less. */
static void test_technology_mac_is_what_it_is_made_of(void **state)
{
	struct csv_table table;
	struct technology at = {.node_nm = 45};
	double add_pj = NAN, multiply_pj = NAN, add_um2 = NAN, multiply_um2 = NAN, bit_pj = NAN, bit_um2 = NAN;
	(void)state;
	read_table("tests/reference/energy_reference.csv", &table);
	for (size_t row = 0; row < table.n_row; row++) {
		const char *item = word(&table, row, "item");
		double bit = number(&table, row, "bit"), pj = number(&table, row, "energy_pj");
		if (strcmp(item, "integer add") == 0 && bit == 32)
			add_pj = pj, add_um2 = number(&table, row, "area_um2");
		if (strcmp(item, "integer multiply") == 0 && bit == 8)
			multiply_pj = pj, multiply_um2 = number(&table, row, "area_um2");
		if (strcmp(item, "register bit at 1 ns") == 0)
			bit_pj = pj, bit_um2 = number(&table, row, "area_um2");
	}
	csv_free(&table);
	struct part_figures mac = technology_mac(&at, 32, 0.9);
	assert_close(mac.action_pj, add_pj + multiply_pj + 48 * bit_pj / technology_energy_ratio(40, 0.9));
	assert_close(mac.area_um2, add_um2 + multiply_um2 + 48 * bit_um2 / technology_area_ratio(40));
	for (double bit = 16; bit < 64; bit += 8) {
		struct part_figures next = technology_mac(&at, bit + 8, 0.9), own = technology_mac(&at, bit, 0.9);
		assert_true(next.action_pj > own.action_pj && next.area_um2 > own.area_um2);
	}
	at.node_nm = 22;
	assert_true(technology_mac(&at, 32, 0.9).action_pj < mac.action_pj);
	assert_true(technology_mac(&at, 32, 0.9).area_um2 < mac.area_um2);
	at.has_mac = true;
	at.mac = (struct part_figures){2, 0.5, 700};
	at.mac_vdd_v = 0.5;
	assert_close(technology_mac(&at, 8, 1).action_pj, 8);
	assert_close(technology_mac(&at, 8, 1).area_um2, 700);
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_technology_is_the_table_at_its_points),
	    cmocka_unit_test(test_technology_is_monotone_between_points),
	    cmocka_unit_test(test_technology_refuses_what_is_outside),
	    cmocka_unit_test(test_technology_interpolates_logarithms),
	    cmocka_unit_test(test_technology_scales_as_published),
	    cmocka_unit_test(test_technology_mac_is_what_it_is_made_of),
	};
	return cmocka_run_group_tests(test, NULL, NULL);
}
