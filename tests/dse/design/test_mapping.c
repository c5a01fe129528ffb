/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings: what is written reads back as the same designs, runs to the same numbers, and tells every mistake. */
#include "tests/support/unit_test.h"
#include "dse/layer/design_field.h"
#include "dse/design/mapping.h"
#include "dse/design/simulate.h"
#include "dse/space/space.h"
#include "tests/support/expected_messages.h"
#include "tests/support/random_block.h"
#include "tests/support/temporary.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const machine_name[] = {"thesis_chip", "dvfs_chip", "hdl_qpe", "edge_tpu"};
static const char *const network_name[] = {"resnet50", "tiny", "speaker_id"};
#define N_MACHINE (sizeof(machine_name) / sizeof(machine_name[0]))
#define N_NETWORK (sizeof(network_name) / sizeof(network_name[0]))

static void assert_ok(enum err_code code, struct err *err)
{
	if (code != ERR_OK)
		print_error("%s", err_text(err));
	assert_int_equal(code, ERR_OK);
	err_clear(err);
}

static void open_mapping(const char *machine, const char *network, struct mapping *mapping)
{
	struct err err = {0};
	assert_ok(mapping_open(machine, network, mapping, &err), &err);
	assert_true(mapping->network.n_block > 0);
}

/* Any design that a file can say: whether it runs is not asked. */
static void make_random(struct mapping *mapping, struct rng *rng)
{
	for (size_t i = 0; i < mapping->network.n_block; i++) {
		const struct block *block = &mapping->network.block[i];
		struct layer_design *design = &mapping->design[i];
		*design = (struct layer_design){.split = random_split(rng, block, 5),
		                                .reuse = (enum reuse_operand)rng_below(rng, N_REUSE_OPERAND),
		                                .level = rng_below(rng, mapping->machine.n_level),
		                                .operand_bit = rng_below(rng, 4) ? 8 : 16,
		                                .out_storage = !block->result_to_dram && rng_below(rng, 2),
		                                .fetch_next = (enum ahead_portion)rng_below(rng, AHEAD_N)};
		do
			design->strategy = (enum strategy)rng_below(rng, N_STRATEGY);
		while (!strategy_serves(design->strategy, &mapping->machine));
	}
	mapping_follow(&mapping->network, mapping->design);
}

/* Write, read, and give the file's path back, which the caller removes. */
static void round_trip(const struct mapping *mapping, struct mapping *back, char path[64])
{
	struct err err = {0};
	temporary_path(path, "test_mapping_%ld.yaml", (long)getpid());
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	mapping_write(file, mapping, "What a comment says: {[*\n\nand more");
	assert_int_equal(fclose(file), 0);
	assert_ok(mapping_read(path, back, &err), &err);
}

static void assert_same_designs(const struct mapping *a, const struct mapping *b)
{
	char left[FIELD_TEXT_SIZE], right[FIELD_TEXT_SIZE];
	assert_int_equal(a->network.n_block, b->network.n_block);
	for (size_t i = 0; i < a->network.n_block; i++)
		for (size_t k = 0; k < design_n_field; k++) {
			design_field_print(&design_field[k], &a->machine, &a->design[i], left);
			design_field_print(&design_field[k], &b->machine, &b->design[i], right);
			assert_string_equal(left, right);
		}
}

static void test_mapping_random_designs_read_back(void **state)
{
	(void)state;
	struct rng rng = rng_stream(7, 0, 0);
	size_t n_fetched = 0, n_held = 0;
	for (size_t at = 0; at < N_MACHINE * N_NETWORK; at++) {
		struct mapping mapping, back;
		char path[64];
		open_mapping(machine_name[at % N_MACHINE], network_name[at / N_MACHINE], &mapping);
		for (unsigned k = 0; k < 4; k++) {
			make_random(&mapping, &rng);
			round_trip(&mapping, &back, path);
			assert_same_designs(&mapping, &back);
			assert_true(memcmp(&mapping.machine, &back.machine, sizeof(mapping.machine)) == 0);
			for (size_t i = 0; i < mapping.network.n_block; i++) {
				n_fetched += mapping.design[i].weight_ahead != AHEAD_NONE;
				n_held += mapping.design[i].held_storage;
				assert_string_equal(back.place[i].file, path);
				assert_true(back.place[i].line > 5);
			}
			mapping_free(&back);
		}
		assert_int_equal(remove(path), 0);
		mapping_free(&mapping);
	}
	assert_true(n_fetched > 100 && n_held > 5);
}

/* Every field is one that a change of the design changes, so none is lost: the table covers the struct. */
static void test_mapping_fields_cover_a_design(void **state)
{
	(void)state;
	unsigned char covered[sizeof(struct layer_design)] = {0};
	for (size_t k = 0; k < design_n_field; k++) {
		static const size_t n_byte[] = {[FIELD_SPLIT] = sizeof(struct dim_split),
		                                [FIELD_NAME] = sizeof(uint32_t),
		                                [FIELD_NUMBER] = sizeof(uint32_t),
		                                [FIELD_FLAG] = sizeof(bool),
		                                [FIELD_COUNT] = sizeof(uint32_t)};
		for (size_t i = 0; i < n_byte[design_field[k].type]; i++)
			covered[design_field[k].offset + i]++;
	}
	size_t n_bare = 0;
	for (size_t i = 0; i < sizeof(covered); i++) {
		assert_true(covered[i] <= 1);
		n_bare += covered[i] == 0;
	}
	/* padding: behind the flags only */
	assert_true(n_bare < 2 * sizeof(uint32_t));
}

/* The designs of dse simulate, written and read, give its numbers to the bit. */
static void test_mapping_by_rules_runs_as_simulate(void **state)
{
	(void)state;
	for (size_t at = 0; at < N_MACHINE; at++) {
		struct mapping mapping, back;
		struct err err = {0};
		char path[64];
		open_mapping(machine_name[at], "tiny", &mapping);
		enum strategy strategy = strategy_serves(STRATEGY_FUSION_REUSE, &mapping.machine)
		                             ? STRATEGY_FUSION_REUSE
		                             : STRATEGY_OUTPUT_STATIONARY;
		size_t n = mapping.network.n_block;
		struct simulated *wanted = calloc(2 * n, sizeof(*wanted)), *found = wanted + n;
		assert_non_null(wanted);
		struct simulate_options options = {.strategy = strategy};
		assert_ok(simulate_network(&mapping.machine, &mapping.network, &options, wanted, &err), &err);
		assert_ok(mapping_by_rules(&mapping, NULL, strategy, 0, &err), &err);
		round_trip(&mapping, &back, path);
		assert_ok(mapping_check(&back, &err), &err);
		options = (struct simulate_options){.design = back.design};
		assert_ok(simulate_network(&back.machine, &back.network, &options, found, &err), &err);
		for (size_t i = 0; i < n; i++) {
			assert_true(wanted[i].ran && found[i].ran);
			assert_int_equal(wanted[i].result.total_clk, found[i].result.total_clk);
			assert_memory_equal(wanted[i].metric, found[i].metric, sizeof(found[i].metric));
		}
		free(wanted);
		assert_int_equal(remove(path), 0);
		mapping_free(&back);
		mapping_free(&mapping);
	}
}

/* Splits, a place and an operating point; the rest is what it is by default or follows. */
static void test_mapping_short_form(void **state)
{
	(void)state;
	struct mapping mapping;
	struct err err = {0};
	assert_ok(mapping_read("spaces/mappings/tiny.yaml", &mapping, &err), &err);
	assert_int_equal(mapping.network.n_block, 3);
	const struct layer_design *design = mapping.design;
	assert_true(design[0].out_storage && design[1].in_storage && !design[1].out_storage && !design[2].in_storage);
	assert_true(design[1].level == 1 && design[0].level == 0 && design[2].operand_bit == 8);
	assert_true(design[2].split.w.n_a == 1 && design[2].reuse == REUSE_AUTO);
	assert_int_equal(mapping.machine.mla_cols, 8);
	assert_ok(mapping_check(&mapping, &err), &err);
	mapping_free(&mapping);
}

/* A layer that cannot run is named with its line. */
static void test_mapping_check_names_the_line(void **state)
{
	(void)state;
	struct mapping mapping, back;
	struct err err = {0};
	char path[64], expected[160];
	open_mapping("thesis_chip", "vgg16", &mapping);
	assert_ok(mapping_by_rules(&mapping, NULL, STRATEGY_FUSION, 0, &err), &err);
	mapping.design[1].split = split_whole(&mapping.network.block[1]);
	round_trip(&mapping, &back, path);
	assert_int_equal(mapping_check(&back, &err), ERR_INFEASIBLE);
	(void)snprintf(expected, sizeof(expected), "%s:%u:5: layer %s cannot run: ", path, back.place[1].line,
	               back.network.block[1].name);
	assert_non_null(strstr(err_text(&err), expected));
	assert_int_equal(err.n_message, 1);
	err_clear(&err);
	assert_int_equal(remove(path), 0);
	mapping_free(&back);
	mapping_free(&mapping);
}

static void test_mapping_reports_each_malformed_file(void **state)
{
	static const char *const name[] = {"layers", "follows", "head", "axes"};
	(void)state;
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		struct mapping mapping;
		struct err err = {0};
		char path[64];
		(void)snprintf(path, sizeof(path), "tests/malformed/mapping_%s.yaml", name[i]);
		assert_int_equal(mapping_read(path, &mapping, &err), ERR_INPUT);
		assert_expected_messages(path, &err);
		err_clear(&err);
		mapping_free(&mapping);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_mapping_random_designs_read_back),
	    cmocka_unit_test(test_mapping_fields_cover_a_design),
	    cmocka_unit_test(test_mapping_by_rules_runs_as_simulate),
	    cmocka_unit_test(test_mapping_short_form),
	    cmocka_unit_test(test_mapping_check_names_the_line),
	    cmocka_unit_test(test_mapping_reports_each_malformed_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
