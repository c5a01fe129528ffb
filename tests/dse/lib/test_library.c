/* SPDX-License-Identifier: Apache-2.0 */
/* libdse: the figures are the simulator's, calls that fail say why and change nothing, handles share nothing. */
#include "tests/support/unit_test.h"
#include "dse/lib/dse.h"
#include "dse/design/mapping.h"
#include "dse/base/parallel.h"
#include "dse/design/simulate.h"
#include "tests/support/temporary.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TINY "spaces/mappings/tiny.yaml"

static struct dse *open_tiny(void)
{
	struct dse *dse = dse_new();
	assert_non_null(dse);
	assert_int_equal(dse_open_mapping(dse, TINY), DSE_OK);
	assert_string_equal(dse_message(dse), "");
	return dse;
}

/* The call failed so, and its message has this in it. */
static void assert_fails(const struct dse *dse, enum dse_code found, enum dse_code expected, const char *message)
{
	assert_int_equal(found, expected);
	if (!strstr(dse_message(dse), message))
		print_error("no '%s' in: %s", message, dse_message(dse));
	assert_non_null(strstr(dse_message(dse), message));
}

static void assert_same_real(double left, double right)
{
	assert_memory_equal(&left, &right, sizeof(left));
}

static void assert_same_figures(const struct dse_figures *left, const struct dse_figures *right)
{
	assert_string_equal(left->name, right->name);
	assert_string_equal(left->verdict, right->verdict);
	assert_int_equal(left->total_clk, right->total_clk);
	assert_int_equal(left->dram_read_byte, right->dram_read_byte);
	assert_same_real(left->latency_ms, right->latency_ms);
	assert_same_real(left->energy_mj, right->energy_mj);
}

/* Layer by layer what simulate_network says, in every tier; the library's parts sum to its totals. */
static void test_library_gives_the_simulators_figures(void **state)
{
	(void)state;
	struct mapping mapping;
	struct err err = {0};
	assert_int_equal(mapping_read(TINY, &mapping, &err), ERR_OK);
	size_t n = mapping.network.n_block;
	struct simulated *block = calloc(n, sizeof(*block));
	struct dse *dse = open_tiny();
	assert_non_null(block);
	assert_int_equal(dse_n_layer(dse), n);
	for (unsigned detail = 0; detail < N_DETAIL; detail++) {
		const struct simulate_options options = {.design = mapping.design,
		                                         .how = {.detail = {.detail = (enum detail)detail}}};
		struct simulate_totals totals;
		uint64_t clk = 0, read = 0;
		assert_int_equal(simulate_network(&mapping.machine, &mapping.network, &options, block, &err), ERR_OK);
		assert_int_equal(dse_evaluate(dse, detail_name[detail]), DSE_OK);
		simulate_sum(&mapping.machine, block, n, NULL, &totals);
		for (size_t i = 0; i < n; i++) {
			const struct dse_figures *layer = dse_layer(dse, i);
			assert_string_equal(layer->name, block[i].block->name);
			assert_int_equal(layer->total_clk, block[i].result.total_clk);
			assert_int_equal(layer->core_clk, block[i].result.core_clk);
			assert_int_equal(layer->sram_byte, block[i].result.sram_byte);
			assert_same_real(layer->latency_ms, block[i].metric[METRIC_LATENCY]);
			assert_same_real(layer->energy_mj, block[i].metric[METRIC_ENERGY]);
			assert_same_real(layer->peak_power_mw, block[i].metric[METRIC_PEAK_POWER]);
			assert_same_real(layer->mac, block[i].result.counts.mac);
			assert_same_real(layer->mac_util_frac, block[i].result.mac_util_frac);
			clk += layer->total_clk;
			read += layer->dram_read_byte;
		}
		const struct dse_figures *total = dse_total(dse);
		assert_string_equal(total->name, "tiny");
		assert_true(clk > 0 && total->total_clk == clk && total->dram_read_byte == read);
		assert_same_real(total->latency_ms, totals.metric[METRIC_LATENCY]);
		assert_same_real(total->energy_mj, totals.metric[METRIC_ENERGY]);
		assert_true(total->mac_util_frac > 0 && total->mac_util_frac <= 1);
		assert_same_real(total->mac_util_frac, totals.mac_util_frac);
	}
	assert_null(dse_layer(dse, n));
	dse_free(dse);
	free(block);
	mapping_free(&mapping);
}

static void test_library_refuses_calls_out_of_order(void **state)
{
	(void)state;
	assert_int_equal(dse_evaluate(NULL, NULL), DSE_USAGE);
	assert_int_equal(dse_n_layer(NULL), 0);
	assert_null(dse_total(NULL));
	assert_string_equal(dse_message(NULL), "");
	dse_free(NULL);
	assert_string_equal(dse_version(), DSE_VERSION);
	struct dse *dse = dse_new();
	assert_non_null(dse);
	assert_fails(dse, dse_open(dse, NULL, "tiny"), DSE_USAGE, "dse_open: an argument is NULL");
	assert_fails(dse, dse_evaluate(dse, NULL), DSE_USAGE, "nothing is open");
	assert_fails(dse, dse_set(dse, "mla.array", "8x4"), DSE_USAGE, "nothing is open");
	assert_int_equal(dse_n_layer(dse), 0);
	assert_int_equal(dse_open(dse, "dvfs_chip", "tiny"), DSE_OK);
	assert_fails(dse, dse_evaluate(dse, NULL), DSE_USAGE, "dse_map or dse_map_best comes first");
	assert_fails(dse, dse_save(dse, "nowhere.yaml"), DSE_USAGE, "dse_map or dse_map_best comes first");
	assert_int_equal(dse_map(dse, NULL, NULL), DSE_OK);
	assert_null(dse_total(dse));
	assert_int_equal(dse_evaluate(dse, NULL), DSE_OK);
	assert_non_null(dse_total(dse));
	assert_int_equal(dse_map(dse, "fusion", "PL2"), DSE_OK);
	assert_null(dse_total(dse)); /* they were of other designs */
	dse_free(dse);
}

/* Every mistake says what is allowed; what was evaluated before is there after it, and the same again. */
static void test_library_failures_leave_the_handle(void **state)
{
	(void)state;
	struct dse *dse = open_tiny();
	assert_int_equal(dse_evaluate(dse, NULL), DSE_OK);
	const struct dse_figures before = *dse_total(dse);
	assert_fails(dse, dse_open(dse, "dvfs_chop", "tiny"), DSE_IO, "did you mean 'dvfs_chip'?");
	assert_fails(dse, dse_open_mapping(dse, "tests/malformed/none.yaml"), DSE_IO, "none.yaml");
	assert_fails(dse, dse_open_mapping(dse, "spaces/smoke.yaml"), DSE_INPUT, "spaces/smoke.yaml:");
	assert_fails(dse, dse_open_mapping(dse, "no_front.json:3"), DSE_IO, "no_front.json");
	assert_fails(dse, dse_set(dse, "mla.aray", "16x4"), DSE_USAGE, "did you mean 'mla.array'?");
	assert_fails(dse, dse_set(dse, "mla.array", "wide"), DSE_INPUT, "mla.array");
	assert_fails(dse, dse_set(dse, "systolic.array", "8x8"), DSE_USAGE, "has no such parameter");
	assert_fails(dse, dse_set(dse, "chip.n_storage_qpe", "1000"), DSE_INPUT, "chip.");
	assert_fails(dse, dse_map(dse, "fuson", NULL), DSE_USAGE, "did you mean 'fusion'?");
	assert_fails(dse, dse_map(dse, NULL, "PL9"), DSE_USAGE, "allowed are PL1, PL2");
	assert_fails(dse, dse_map(dse, "weight_stationary", NULL), DSE_USAGE, "allowed are no_fusion");
	assert_fails(dse, dse_map_best(dse, "speed", 1), DSE_USAGE, "allowed are latency, energy, edp");
	assert_fails(dse, dse_save(dse, "no/such/folder/tiny.yaml"), DSE_IO, "no/such/folder");
	assert_fails(dse, dse_evaluate(dse, "slow"), DSE_USAGE, "allowed are fast, event, greybox");
	assert_same_figures(dse_total(dse), &before);
	assert_int_equal(dse_evaluate(dse, "fast"), DSE_OK);
	assert_string_equal(dse_message(dse), "");
	assert_same_figures(dse_total(dse), &before);
	dse_free(dse);
}

/* A parameter that a mapping does not fit any more: a verdict with numbers, the other layers' figures, and back. */
static void test_library_judges_infeasible_designs(void **state)
{
	(void)state;
	struct dse *dse = open_tiny();
	assert_int_equal(dse_set(dse, "pe.sram_byte", "2048"), DSE_OK);
	assert_fails(dse, dse_evaluate(dse, NULL), DSE_INFEASIBLE, "CONV_3 cannot run");
	const struct dse_figures *first = dse_layer(dse, 0), *second = dse_layer(dse, 1), *total = dse_total(dse);
	assert_string_equal(first->verdict, "feasible");
	assert_true(first->total_clk > 0 && first->reason[0] == '\0');
	assert_string_equal(second->verdict, "pe_sram");
	assert_true(second->total_clk == 0 && second->reason[0] != '\0');
	assert_true(second->demanded_byte > second->available_byte && second->available_byte == 2048);
	assert_string_equal(total->verdict, "pe_sram");
	assert_int_equal(dse_set(dse, "pe.sram_byte", "98304"), DSE_OK);
	assert_null(dse_total(dse));
	assert_int_equal(dse_evaluate(dse, NULL), DSE_OK);
	assert_string_equal(dse_total(dse)->verdict, "feasible");
	dse_free(dse);
}

/* The best mapping is no worse than the rules', and what is saved, parameter set included, evaluates to the same. */
static void test_library_saves_what_it_found(void **state)
{
	(void)state;
	char path[TEMPORARY_SIZE];
	temporary_path(path, "test_library_XXXXXX");
	int file = mkstemp(path);
	assert_true(file >= 0 && close(file) == 0);
	struct dse *dse = dse_new(), *back = dse_new();
	assert_int_equal(dse_open(dse, "dvfs_chip", "tiny"), DSE_OK);
	assert_int_equal(dse_set(dse, "mla.array", "8x8"), DSE_OK);
	assert_int_equal(dse_set(dse, "mla.array", "8x4"), DSE_OK);
	assert_int_equal(dse_map(dse, NULL, NULL), DSE_OK);
	assert_int_equal(dse_evaluate(dse, NULL), DSE_OK);
	double by_rules_ms = dse_total(dse)->latency_ms;
	assert_int_equal(dse_map_best(dse, "latency", 1), DSE_OK);
	assert_int_equal(dse_evaluate(dse, NULL), DSE_OK);
	assert_true(dse_total(dse)->latency_ms < by_rules_ms);
	assert_int_equal(dse_save(dse, path), DSE_OK);
	assert_int_equal(dse_open_mapping(back, path), DSE_OK);
	assert_int_equal(dse_evaluate(back, NULL), DSE_OK);
	for (size_t i = 0; i < dse_n_layer(dse); i++)
		assert_same_figures(dse_layer(back, i), dse_layer(dse, i));
	assert_same_figures(dse_total(back), dse_total(dse));
	assert_int_equal(unlink(path), 0);
	dse_free(dse);
	dse_free(back);
}

#define N_HANDLE 8

/* One handle's life on a thread of its own; code and figures are looked at afterwards. */
struct life {
	struct dse *dse;
	enum dse_code code;
};

static void live(void *context, size_t i)
{
	struct life *life = (struct life *)context + i;
	life->code = dse_open_mapping(life->dse, TINY);
	if (life->code == DSE_OK && i % 2)
		life->code = dse_set(life->dse, "mla.array", "8x4");
	if (life->code == DSE_OK)
		life->code = dse_evaluate(life->dse, i % 3 ? "fast" : "event");
}

static void test_library_handles_share_nothing(void **state)
{
	(void)state;
	struct life life[N_HANDLE], alone[N_HANDLE];
	for (size_t i = 0; i < N_HANDLE; i++) {
		life[i] = (struct life){dse_new(), DSE_INTERNAL};
		alone[i] = (struct life){dse_new(), DSE_INTERNAL};
		live(alone, i);
	}
	parallel_for(N_HANDLE, 4, live, life);
	for (size_t i = 0; i < N_HANDLE; i++) {
		assert_int_equal(life[i].code, DSE_OK);
		assert_same_figures(dse_total(life[i].dse), dse_total(alone[i].dse));
		dse_free(life[i].dse);
		dse_free(alone[i].dse);
	}
}

/* A locale whose numbers have commas, made in folder; false where the system's tool for that is missing. */
static bool make_locale(const char *folder)
{
	char command[600];
	(void)snprintf(
	    command, sizeof(command),
	    "printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \".\"\\ngrouping 3\\nEND LC_NUMERIC\\n' "
	    ">%s/source; localedef -c -i %s/source %s/comma >%s/log 2>&1; test -d %s/comma",
	    folder, folder, folder, folder, folder);
	return system(command) == 0 && setenv("LOCPATH", folder, 1) == 0;
}

/* Files are read and written with points whatever the caller's locale, which stays as it is. */
static void test_library_heeds_no_locale(void **state)
{
	(void)state;
	char folder[TEMPORARY_SIZE], command[96];
	assert_non_null(temporary_folder(folder, "test_library"));
	bool is_made = make_locale(folder) && setlocale(LC_NUMERIC, "comma") != NULL;
	if (is_made) {
		struct dse *dse = open_tiny();
		assert_true(strtod("1,5", NULL) > 1.25);
		assert_int_equal(dse_set(dse, "energy.dram_byte_pj", "64.5"), DSE_OK);
		assert_fails(dse, dse_set(dse, "energy.dram_byte_pj", "64,5"), DSE_INPUT, "64,5");
		assert_int_equal(dse_evaluate(dse, NULL), DSE_OK);
		assert_true(strtod("1,5", NULL) > 1.25);
		const struct dse_figures with_comma = *dse_total(dse);
		assert_non_null(setlocale(LC_NUMERIC, "C"));
		assert_int_equal(dse_set(dse, "energy.dram_byte_pj", "64.5"), DSE_OK);
		assert_int_equal(dse_evaluate(dse, NULL), DSE_OK);
		assert_same_figures(dse_total(dse), &with_comma);
		dse_free(dse);
	}
	(void)unsetenv("LOCPATH");
	(void)snprintf(command, sizeof(command), "rm -rf %s", folder);
	assert_int_equal(system(command), 0);
	if (!is_made)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_library_gives_the_simulators_figures),
	    cmocka_unit_test(test_library_refuses_calls_out_of_order),
	    cmocka_unit_test(test_library_failures_leave_the_handle),
	    cmocka_unit_test(test_library_judges_infeasible_designs),
	    cmocka_unit_test(test_library_saves_what_it_found),
	    cmocka_unit_test(test_library_handles_share_nothing),
	    cmocka_unit_test(test_library_heeds_no_locale),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
