/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"
#include "dse/space/space.h"
#include "dse/space/space_machine.h"
#include "tests/support/expected_messages.h"
#include "tests/support/temporary.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_valid(const char *path, struct space *space)
{
	struct err err = {0};
	if (space_read(path, space, &err) != ERR_OK)
		print_error("%s", err_text(&err));
	assert_int_equal(err.n_message, 0);
	err_clear(&err);
}

/* A space from text, by way of a file of this process's own. */
static void read_text(const char *text, struct space *space)
{
	char path[TEMPORARY_SIZE];
	FILE *file = temporary_open(path);
	assert_true(fputs("name: scratch\n", file) >= 0 && fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	read_valid(path, space);
	assert_int_equal(remove(path), 0);
}

static const struct layer_choice *choice_of(const struct space *space, const char *layer)
{
	const struct network *network = &space->network[0].network;
	const struct block *block = network_find_block(network, layer);
	assert_non_null(block);
	return &space->network[0].choice[block - network->block];
}

static void test_space_defaults(void **state)
{
	(void)state;
	struct space space;
	read_text("machine: dvfs_chip\nnetwork: tiny\nobjectives: latency_ms\n", &space);
	assert_int_equal(space_n_machine(&space), 1);
	assert_string_equal(space.engine, "exact");
	assert_true(space.seed == 1 && space.max_evaluation == 0 && space.max_front == 0);
	assert_true(space.population == 0 && space.generations == 0);
	assert_true(space.aggregate == AGGREGATE_SUM && space.network[0].weight == 1);
	for (size_t i = 0; i < space.network[0].network.n_block; i++) {
		const struct layer_choice *choice = &space.network[0].choice[i];
		assert_true(choice->w.choice == SPLIT_ALL && choice->h.choice == SPLIT_ALL &&
		            choice->c.choice == SPLIT_ALL && choice->d.choice == SPLIT_ALL);
		assert_true(choice->w.max_part == UINT32_MAX && choice->w.n_fixed == 0 && !choice->thesis_split);
		for (size_t k = 0; k < N_STRATEGY; k++)
			assert_int_equal(choice->strategy[k], strategy_table[k].for_search);
		assert_true(choice->reuse[REUSE_AUTO] && !choice->reuse[REUSE_IFMAP] && !choice->reuse[REUSE_FILTER]);
		assert_true((choice->level_mask & 3) == 3);
		assert_true(choice->operand_8bit && !choice->operand_16bit);
	}
	space_free(&space);
}

static void test_space_later_rules_win_key_by_key(void **state)
{
	(void)state;
	struct space space;
	read_text("machine: dvfs_chip\nnetwork: tiny\nobjectives: latency_ms\n"
	          "layers:\n"
	          "  - {match: '.*', strategy: fusion, level: PL2, split: {width: even, height: whole}, operand_bit: "
	          "[8, 16]}\n"
	          "  - {match: '^CONV_', strategy: all, split: {height: {max_parts: 4}}, reuse: [ifmap, filter]}\n"
	          "  - {match: '_3$', split: thesis, level: [PL1]}\n"
	          "  - {match: '_1$', split: {width: [32*1, 16*2]}, operand_bit: 16}\n",
	          &space);
	const struct layer_choice *conv1 = choice_of(&space, "CONV_1"), *conv3 = choice_of(&space, "CONV_3");
	const struct layer_choice *fc = choice_of(&space, "FC_4");

	assert_true(conv1->strategy[STRATEGY_NO_FUSION] && conv1->strategy[STRATEGY_FUSION_REUSE]);
	assert_false(conv1->strategy[STRATEGY_THESIS_REUSE]);
	assert_int_equal(conv1->w.n_fixed, 2);
	assert_true(conv1->w.fixed[0].size_a == 32 && conv1->w.fixed[1].size_a == 16 && conv1->w.fixed[1].n_a == 2);
	assert_true(conv1->h.choice == SPLIT_ALL && conv1->h.max_part == 4);
	assert_true(conv1->c.choice == SPLIT_ALL && conv1->c.max_part == UINT32_MAX);
	assert_int_equal(conv1->level_mask, 2);
	assert_true(!conv1->operand_8bit && conv1->operand_16bit && !conv1->thesis_split);
	assert_true(!conv1->reuse[REUSE_AUTO] && conv1->reuse[REUSE_IFMAP] && conv1->reuse[REUSE_FILTER]);

	assert_true(conv3->thesis_split);
	assert_int_equal(conv3->level_mask, 1);
	assert_true(conv3->operand_8bit && conv3->operand_16bit);

	assert_true(fc->strategy[STRATEGY_FUSION] && !fc->strategy[STRATEGY_NO_FUSION]);
	assert_true(fc->w.choice == SPLIT_EVEN && fc->h.choice == SPLIT_WHOLE && fc->h.max_part == UINT32_MAX);
	assert_true(fc->reuse[REUSE_AUTO]);
	space_free(&space);
}

static void test_space_fixed_splits_are_chosen_by_extent(void **state)
{
	(void)state;
	struct space space;
	read_text("machine: dvfs_chip\nnetwork: tiny\nobjectives: latency_ms\n"
	          "layers: [{match: '^CONV_', split: {width: [16*2, 16*1, 8*2]}}]\n",
	          &space);
	const struct layer_choice *conv1 = choice_of(&space, "CONV_1"), *conv3 = choice_of(&space, "CONV_3");
	assert_int_equal(conv1->w.n_fixed, 1);
	assert_true(conv1->w.fixed[0].n_a == 2 && conv1->w.fixed[0].size_a == 16);
	assert_int_equal(conv3->w.n_fixed, 2);
	assert_true(conv3->w.fixed[0].n_a == 1 && conv3->w.fixed[1].size_a == 8);
	space_free(&space);
}

static void test_space_axes_make_all_machines(void **state)
{
	(void)state;
	struct space space;
	struct machine machine;
	char why[200];
	read_text("machines: [dvfs_chip, thesis_chip]\nnetwork: tiny\nobjectives: latency_ms\n"
	          "axes: {mla.array: [16x4, 8x4, 16x2], chip.n_dram: {from: 1, to: 4, times: 2}, mla.postprocess: "
	          "[true, false]}\n",
	          &space);
	assert_int_equal(space_n_machine(&space), 2 * 3 * 3 * 2);
	/* the last axis varies fastest */
	assert_true(space_machine(&space, 0, &machine, why, sizeof(why)));
	assert_true(machine.mla_cols == 16 && machine.mla_rows == 4 && machine.dram_n == 1 && machine.mla_postprocess);
	assert_string_equal(machine.name, "dvfs_chip");
	assert_true(space_machine(&space, 1, &machine, why, sizeof(why)));
	assert_true(machine.dram_n == 1 && !machine.mla_postprocess);
	assert_true(space_machine(&space, 18 + 6 + 2, &machine, why, sizeof(why)));
	assert_string_equal(machine.name, "thesis_chip");
	assert_true(machine.mla_cols == 8 && machine.mla_rows == 4 && machine.dram_n == 2 && machine.mla_postprocess);
	assert_true(machine.level[0].clk_mhz == 250);
	space_free(&space);
}

static void test_space_ranges_contain_both_ends(void **state)
{
	(void)state;
	struct space space;
	read_text("machine: dvfs_chip\nnetwork: tiny\nobjectives: latency_ms\n"
	          "axes:\n"
	          "  noc.clk_mhz: {from: 300, to: 500, step: 50}\n"
	          "  arm.relu8_pixel_clk: {from: 0.1, to: 0.5, step: 0.1}\n"
	          "  pe.sram_byte: {from: 32768, to: 131072, times: 2}\n"
	          "  noc.hop_clk: {from: 3, to: 8, step: 2}\n"
	          "  qpe.n_pe: 4\n",
	          &space);
	static const char *const expected[][6] = {{"300", "350", "400", "450", "500"},
	                                          {"0.1", "0.2", "0.3", "0.4", "0.5"},
	                                          {"32768", "65536", "131072"},
	                                          {"3", "5", "7"},
	                                          {"4"}};
	assert_int_equal(space.n_axis, 5);
	for (size_t i = 0; i < space.n_axis; i++) {
		size_t n = 0;
		while (n < 6 && expected[i][n])
			n++;
		assert_int_equal(space.axis[i].n, n);
		for (size_t k = 0; k < n; k++)
			assert_string_equal(space.axis[i].value[k], expected[i][k]);
	}
	space_free(&space);
}

static void test_space_constraints_reject_machines(void **state)
{
	(void)state;
	struct space space;
	struct machine machine;
	char why[200];
	read_text("machine: dvfs_chip\nnetwork: tiny\nobjectives: latency_ms\n"
	          "axes: {chip.n_dram: [1, 2, 3, 4], mla.array: [16x4, 8x4]}\n"
	          "constraints: ['chip.n_dram * dram.clk_mhz <= 800 or mla.array < 64', latency_ms <= 43, "
	          "sram_used_frac < 0.9]\n",
	          &space);
	assert_int_equal(space.n_constraint, 1);
	assert_int_equal(space.n_limit, 2);
	assert_true(space.limit[0].metric == METRIC_LATENCY && space.limit[0].max == 43);
	assert_true(space.limit[1].metric == METRIC_SRAM_USED && space.limit[1].max == 0.9);
	static const bool expected[8] = {true, true, true, true, false, false, false, true};
	for (uint64_t i = 0; i < 8; i++)
		assert_int_equal(space_machine(&space, i, &machine, why, sizeof(why)), expected[i]);
	assert_false(space_machine(&space, 4, &machine, why, sizeof(why)));
	assert_non_null(strstr(why, "chip.n_dram: 3 interfaces cannot be dealt evenly"));
	assert_null(strchr(why, '\n'));
	assert_false(space_machine(&space, 6, &machine, why, sizeof(why)));
	assert_string_equal(why, "constraint 'chip.n_dram * dram.clk_mhz <= 800 or mla.array < 64' is not met");
	space_free(&space);
}

static void test_space_weights_and_files(void **state)
{
	(void)state;
	struct space space;
	read_text("machine: dvfs_chip\naggregate: weighted\nobjectives: [energy_mj, latency_ms]\n"
	          "networks: [{network: tiny, weight: 2}, {network: mlp_784_512_256_16, weight: 0.5}]\n"
	          "search: {engine: nsga2, seed: 7, population: 40, generations: 9, max_front: 100, max_evaluations: "
	          "12345, islands: 6, migrate_every: 3}\n",
	          &space);
	assert_true(space.aggregate == AGGREGATE_WEIGHTED);
	assert_true(space.network[0].weight == 2 && space.network[1].weight == 0.5);
	assert_int_equal(space.n_file, 4);
	assert_non_null(strstr(space.file[0].path, "dse_test_"));
	for (size_t i = 0; i < space.n_file; i++)
		assert_int_equal(strlen(space.file[i].hash), HASH_HEX_SIZE - 1);
	assert_string_equal(space.engine, "nsga2");
	assert_true(space.seed == 7 && space.population == 40 && space.generations == 9);
	assert_true(space.islands == 6 && space.migrate_every == 3);
	assert_true(space.max_front == 100 && space.max_evaluation == 12345);
	assert_true(space.n_objective == 2 && space.objective[0] == METRIC_ENERGY);
	space_free(&space);
}

static void test_space_shipped_spaces_are_valid(void **state)
{
	(void)state;
	static const char *const path[] = {"spaces/mla_sizing.yaml", "spaces/smoke.yaml", "spaces/qpe_vgg16.yaml"};
	static const uint64_t n_machine[] = {3, 2, 3};
	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		struct space space;
		char why[200];
		read_valid(path[i], &space);
		assert_int_equal(space_n_machine(&space), n_machine[i]);
		for (uint64_t k = 0; k < n_machine[i]; k++) {
			struct machine machine;
			assert_true(space_machine(&space, k, &machine, why, sizeof(why)));
		}
		space_free(&space);
	}
}

static void test_space_mistakes_name_their_place(void **state)
{
	(void)state;
	static const char *const name[] = {
	    "unknown_key",     "missing",     "not_a_map",   "machine_name", "both_spellings",
	    "twice",           "axis_key",    "axis_target", "axis_value",   "axes_list",
	    "aggregate",       "weight",      "rule_keys",   "rule_values",  "pattern",
	    "layers_map",      "fixed_split", "level_index", "constraints",  "objectives",
	    "many_objectives", "search",      "many_files",  "strategy",     "network_result",
	};
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		char path[128];
		struct space space;
		struct err err = {0};
		(void)snprintf(path, sizeof(path), "tests/malformed/space_%s.yaml", name[i]);
		assert_int_equal(space_read(path, &space, &err), ERR_INPUT);
		assert_expected_messages(path, &err);
		assert_true(space.n_machine == 0 && space.n_network == 0 && space.arena.head == NULL);
		err_clear(&err);
	}
}

static void test_space_missing_file_is_an_io_error(void **state)
{
	(void)state;
	struct space space;
	assert_int_equal(space_read("spaces/none.yaml", &space, NULL), ERR_IO);
}

static void assert_documented(const char *readme, const char *key)
{
	char row[128];
	(void)snprintf(row, sizeof(row), "| `%s` |", key);
	if (!strstr(readme, row))
		print_error("not in spaces/README.md: %s\n", row);
	assert_non_null(strstr(readme, row));
}

static void test_space_every_key_is_documented(void **state)
{
	(void)state;
	static const char *const key[] = {
	    "name",           "machine",      "machines",
	    "axes",           "network",      "networks",
	    "aggregate",      "layers",       "constraints",
	    "objectives",     "search",       "match",
	    "split",          "strategy",     "reuse",
	    "level",          "operand_bit",  "width",
	    "height",         "out_channels", "in_channels",
	    "engine",         "seed",         "population",
	    "generations",    "max_front",    "max_evaluations",
	    "weight",         "max_parts",    "choose",
	    "from",           "to",           "step",
	    "times",          "deadline_ms",  "level_shares",
	    "level_changes",  "fetch_ahead",  "conv_1x1",
	    "network_result",
	};
	char *readme = calloc(1, 65536);
	FILE *file = fopen("spaces/README.md", "r");
	assert_non_null(readme);
	assert_non_null(file);
	assert_true(fread(readme, 1, 65535, file) > 0);
	(void)fclose(file);
	for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++)
		assert_documented(readme, key[i]);
	for (size_t i = 0; i < N_METRIC; i++)
		assert_documented(readme, metric_table[i].name);
	for (size_t i = 0; i < N_STRATEGY; i++)
		assert_documented(readme, strategy_table[i].name);
	free(readme);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_space_defaults),
	    cmocka_unit_test(test_space_later_rules_win_key_by_key),
	    cmocka_unit_test(test_space_fixed_splits_are_chosen_by_extent),
	    cmocka_unit_test(test_space_axes_make_all_machines),
	    cmocka_unit_test(test_space_ranges_contain_both_ends),
	    cmocka_unit_test(test_space_constraints_reject_machines),
	    cmocka_unit_test(test_space_weights_and_files),
	    cmocka_unit_test(test_space_shipped_spaces_are_valid),
	    cmocka_unit_test(test_space_mistakes_name_their_place),
	    cmocka_unit_test(test_space_missing_file_is_an_io_error),
	    cmocka_unit_test(test_space_every_key_is_documented),
	};
	return cmocka_run_group_tests_name("space", tests, NULL, NULL);
}
