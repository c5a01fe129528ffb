/* SPDX-License-Identifier: Apache-2.0 */
/* SCALE-Sim's own files, a .cfg and a topology, give its own figures, layer by layer. */
#include "tests/support/unit_test.h"

#include "dse/design/simulate.h"
#include "dse/space/machine_read.h"
#include "dse/space/space.h"
#include "sim/base/csv.h"
#include "tests/support/slow_build.h"
#include "tests/support/temporary.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Runs of the table that are made again: every so many. All of them take some ten seconds. */
#define RUN_STEP (SLOW_BUILD ? 11 : 5)
#define MAX_LAYER 64

static const char *text_of(const struct csv_table *table, size_t row, const char *column)
{
	size_t at = csv_find_column(table, column);
	assert_true(at != CSV_NO_COLUMN);
	return csv_get_cell(table, row, at)->text;
}

static double count_of(const struct csv_table *table, size_t row, const char *column)
{
	return strtod(text_of(table, row, column), NULL);
}

/* Whether two rows are of one run of the tool: the same array, buffers, bandwidth and network. */
static bool same_run(const struct csv_table *table, size_t a, size_t b)
{
	size_t last = csv_find_column(table, "network");
	for (size_t column = 0; column <= last; column++)
		if (strcmp(csv_get_cell(table, a, column)->text, csv_get_cell(table, b, column)->text) != 0)
			return false;
	return true;
}

/* Rows from begin on as the two files that the tool was given. */
static void write_files(const struct csv_table *table, size_t begin, size_t end, const char *cfg, const char *topology)
{
	bool is_user = strcmp(text_of(table, begin, "mode"), "USER") == 0;
	FILE *file = fopen(cfg, "w");
	assert_non_null(file);
	(void)fprintf(file,
	              "[general]\nrun_name = run\n\n[architecture_presets]\nArrayHeight : %s\nArrayWidth : %s\n"
	              "IfmapSramSzkB : %s\nFilterSramSzkB : %s\nOfmapSramSzkB : %s\nIfmapOffset : 0\nFilterOffset : "
	              "10000000\nOfmapOffset : 20000000\nBandwidth : %s\nDataflow : %s\n\n[run_presets]\n"
	              "InterfaceBandwidth : %s\nMemoryModel : scalesim\n",
	              text_of(table, begin, "rows"), text_of(table, begin, "cols"), text_of(table, begin, "ifmap_kib"),
	              text_of(table, begin, "filter_kib"), text_of(table, begin, "ofmap_kib"),
	              is_user ? text_of(table, begin, "bandwidth_word_per_clk") : "10",
	              text_of(table, begin, "dataflow"), text_of(table, begin, "mode"));
	assert_int_equal(fclose(file), 0);
	file = fopen(topology, "w");
	assert_non_null(file);
	(void)fputs(
	    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n",
	    file);
	size_t first = csv_find_column(table, "layer");
	for (size_t row = begin; row < end; row++) {
		for (size_t k = 0; k < 8; k++)
			(void)fprintf(file, "%s, ", csv_get_cell(table, row, first + k)->text);
		(void)fputc('\n', file);
	}
	assert_int_equal(fclose(file), 0);
}

/* One run again. */
static void run_again(const struct csv_table *table, size_t begin, size_t end)
{
	static struct simulated simulated[MAX_LAYER];
	char cfg[64], topology[64];
	struct machine machine;
	struct network network;
	struct err err = {0};
	assert_true(end - begin <= MAX_LAYER);
	temporary_path(cfg, "run_%ld.cfg", (long)getpid());
	temporary_path(topology, "run_%ld.csv", (long)getpid());
	write_files(table, begin, end, cfg, topology);
	assert_int_equal(machine_read(cfg, &machine, &err), ERR_OK);
	assert_int_equal(network_read(topology, &network, &err), ERR_OK);
	(void)remove(cfg);
	(void)remove(topology);
	assert_int_equal(network.n_block, end - begin);
	const struct simulate_options options = {.strategy = STRATEGY_FUSION_REUSE};
	assert_int_equal(simulate_network(&machine, &network, &options, simulated, &err), ERR_OK);
	assert_string_equal(err_text(&err), "");
	for (size_t row = begin; row < end; row++) {
		const struct simulated *layer = &simulated[row - begin];
		const struct sim_result *result = &layer->result;
		assert_true(layer->ran);
		assert_true((double)result->total_clk == count_of(table, row, "total_clk"));
		assert_true((double)result->phase_clk[PHASE_STALL] == count_of(table, row, "stall_clk"));
		assert_true(result->counts.dram_read_byte == count_of(table, row, "dram_ifmap_read_word") +
		                                                 count_of(table, row, "dram_filter_read_word"));
		assert_true(result->counts.dram_write_byte == count_of(table, row, "dram_ofmap_write_word"));
	}
	network_free(&network);
}

static void test_scalesim_files_give_its_figures(void **state)
{
	struct csv_table table;
	size_t n_run = 0, n_again = 0, n_user = 0;
	(void)state;
	assert_int_equal(csv_read_file("tests/reference/scalesim_reference.csv", &table, NULL), ERR_OK);
	for (size_t begin = 0, end = 0; begin < table.n_row; begin = end, n_run++) {
		while (end < table.n_row && same_run(&table, begin, end))
			end++;
		if (n_run % RUN_STEP != 0)
			continue;
		run_again(&table, begin, end);
		n_again++;
		n_user += strcmp(text_of(&table, begin, "mode"), "USER") == 0;
	}
	assert_true(n_run > 20 && n_again > n_user && n_user > 0);
	csv_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_scalesim_files_give_its_figures),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
