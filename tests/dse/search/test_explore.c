/* SPDX-License-Identifier: Apache-2.0 */
/* The search as a whole: composed fronts against flat ones, threads, limits, unrolled points against composed sums. */
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/space/space_machine.h"
#include "dse/search/explore.h"
#include "dse/search/explore_parts.h"
#include "dse/search/history_print.h"
#include "dse/result/front_file.h"
#include "dse/result/front_table.h"
#include "dse/design/unroll.h"
#include "tests/support/space_folder.h"
#include "tests/support/front_covered.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Residual blocks, so that results are held; small enough to try every design of the whole. */
static const char residual[] =
    "name: residual\n"
    "input: [16, 16, 8]\n"
    "layers:\n"
    "  - conv: {kernel: 3, out_channels: 16}\n"
    "  - conv: {kernel: 3, out_channels: 16, add: {from: -1}}\n"
    "  - conv: {kernel: 1, out_channels: 32, stride: 2, add: {from: -1, conv: {kernel: 1, stride: 2}}}\n"
    "  - fc: {out: 8}\n";

static const char chain[] = "name: chain\n"
			    "input: [24, 24, 4]\n"
			    "layers:\n"
			    "  - conv: {kernel: 5, out_channels: 8}\n"
			    "  - conv: {kernel: 3, out_channels: 8}\n";

static const char rules[] = "layers:\n"
			    "  - match: '.*'\n"
			    "    split: whole\n"
			    "    level: PL2\n"
			    "    strategy: [fusion, fusion_reuse]\n"
			    "  - match: '^CONV_(SC_)?[13]$'\n"
			    "    split: {out_channels: {max_parts: 2, choose: even}}\n"
			    "  - match: '^(CONV_2|FC_.*)$'\n"
			    "    level: all\n";

static int make_folder(void **state)
{
	if (folder_make_small(state) != 0)
		return -1;
	folder_write("residual.yaml", residual, "");
	folder_write("chain.yaml", chain, "");
	return 0;
}

static void read_space(const char *head, struct space *space)
{
	folder_write("space.yaml", head, rules);
	folder_read_space(space);
}

/* Layers of all points of the front whose result stays in storage QPEs. */
static size_t count_stored(const struct explore *explore)
{
	struct unroller unroller;
	struct unrolled point;
	struct err err = {0};
	size_t n = 0;
	assert_int_equal(unrolled_init(&explore->map, &point, &err), ERR_OK);
	assert_int_equal(unroller_init(&unroller, explore, 1, &err), ERR_OK);
	for (size_t i = 0; i < explore->front.n; i++) {
		unroll_point(&unroller, i, &point);
		for (size_t k = 0; k < point.n_layer; k++)
			n += point.layer[k]->design.out_storage;
		for (unsigned m = 0; m < explore->front.n_objective; m++)
			assert_true(is_near(point.metric[explore->space->objective[m]],
			                    explore->front.objective[i * explore->front.n_objective + m], 1e-12));
	}
	unroller_free(&unroller);
	unrolled_free(&point);
	return n;
}

/* The composed front is the flat one. */
static void compare(const char *head, bool expect_storage)
{
	struct space space;
	struct explore composed, flat;
	read_space(head, &space);
	folder_explore(&space, &engine_exact, false, 1, &composed);
	folder_explore(&space, &engine_exhaustive, true, 2, &flat);
	assert_true(composed.front.n > 1);
	assert_true(composed.counts.epsilon == 0.0);
	assert_covered(&composed.front, &flat.front);
	assert_covered(&flat.front, &composed.front);
	size_t n_stored = count_stored(&composed);
	if (expect_storage)
		assert_true(n_stored > 0);
	(void)count_stored(&flat);
	explore_free(&composed);
	explore_free(&flat);
	space_free(&space);
}

static void test_explore_composed_equals_flat_with_held_results(void **state)
{
	(void)state;
	compare("name: a\nmachine: dvfs_chip\nnetwork: residual.yaml\nobjectives: [latency_ms, energy_mj, dram_byte]\n",
	        true);
}

static void test_explore_composed_equals_flat_over_machines(void **state)
{
	(void)state;
	compare("name: a\nmachine: dvfs_chip\naxes:\n  mla.array: [16x4, 8x4]\n  dram.clk_mhz: [400, 800]\nnetwork: "
	        "chain.yaml\n"
	        "objectives: [edp_mj_ms, mac_units]\n",
	        false);
}

static void test_explore_composed_equals_flat_for_each_aggregate(void **state)
{
	(void)state;
	compare("name: a\nmachine: dvfs_chip\nnetworks: [chain.yaml, small.yaml]\naggregate: sum\n"
	        "objectives: [latency_ms, energy_mj]\n",
	        false);
	compare("name: a\nmachine: dvfs_chip\nnetworks: [chain.yaml, small.yaml]\naggregate: worst\n"
	        "objectives: [latency_ms, energy_mj, peak_power_mw]\n",
	        false);
	compare("name: a\nmachine: dvfs_chip\naggregate: weighted\n"
	        "networks: [{network: chain.yaml, weight: 0.25}, {network: small.yaml, weight: 3}]\n"
	        "objectives: [latency_ms, energy_mj]\nconstraints: [latency_ms <= 2]\n",
	        false);
}

/* Same bytes and counts for any number of threads. */
static void test_explore_is_equal_for_any_threads(void **state)
{
	struct space space;
	struct explore one, many;
	(void)state;
	read_space("name: a\nmachine: dvfs_chip\naxes:\n  mla.array: [16x4, 16x2, 8x4]\nnetworks: [residual.yaml, "
	           "chain.yaml]\n"
	           "objectives: [latency_ms, energy_mj, mac_units]\n",
	           &space);
	folder_explore(&space, &engine_exact, false, 1, &one);
	folder_explore(&space, &engine_exact, false, 7, &many);
	assert_int_equal(one.front.n, many.front.n);
	assert_memory_equal(one.front.genome, many.front.genome, one.front.n * one.front.n_gene * sizeof(uint32_t));
	assert_int_equal(one.counts.engine.n_told, many.counts.engine.n_told);
	assert_int_equal(one.counts.n_composed, many.counts.n_composed);
	explore_free(&one);
	explore_free(&many);
	space_free(&space);
}

/* As many threads as fill a group of machines, none of which is left out; the last of nine is a group by itself. */
static void test_explore_fills_groups_of_machines(void **state)
{
	struct space space;
	struct explore explore[2];
	(void)state;
	read_space("name: a\nmachine: dvfs_chip\naxes:\n  mla.array: [16x4, 16x2, 8x4]\n"
	           "  chip.host_latency_clk: [8, 10, 12]\nnetwork: chain.yaml\nobjectives: [latency_ms]\n",
	           &space);
	for (unsigned i = 0; i < 2; i++) {
		const struct explore_options options = {
		    .engine = &engine_exact, .n_thread = i == 0 ? 1 : 8, .seed = 1, .all_machines = true};
		assert_int_equal(explore_run(&space, &options, &explore[i], NULL), ERR_OK);
		assert_int_equal(explore[i].counts.n_machine, 9);
		assert_int_equal(explore[i].counts.n_machine_cut, 0);
	}
	assert_int_equal(explore[0].counts.engine.n_told, explore[1].counts.engine.n_told);
	assert_true(explore[0].front.n == 1 && explore[1].front.n == 1);
	assert_true(explore[0].front.objective[0] == explore[1].front.objective[0]);
	explore_free(&explore[0]);
	explore_free(&explore[1]);
	space_free(&space);
}

/* The signature of what a search of the space finds. */
static void sign(const struct space *space, const struct engine_kind *engine, bool flat,
                 char signature[FRONT_SIGNATURE_SIZE])
{
	struct explore explore;
	struct unroller unroller;
	struct err err = {0};
	folder_explore(space, engine, flat, 2, &explore);
	assert_int_equal(unroller_init(&unroller, &explore, 1, &err), ERR_OK);
	struct front_run front_run = {.space = space, .explore = &explore, .unroller = &unroller};
	front_file_sign(&front_run);
	(void)snprintf(signature, FRONT_SIGNATURE_SIZE, "%s", front_run.signature);
	unroller_free(&unroller);
	explore_free(&explore);
}

/* What a front is signs it, not how it was found. */
static void test_explore_signs_what_was_found(void **state)
{
	struct space space;
	char layered[FRONT_SIGNATURE_SIZE], flat[FRONT_SIGNATURE_SIZE], other[FRONT_SIGNATURE_SIZE];
	(void)state;
	read_space("name: a\nmachine: dvfs_chip\nnetwork: small.yaml\nobjectives: [latency_ms]\n", &space);
	sign(&space, &engine_exact, false, layered);
	sign(&space, &engine_exhaustive, true, flat);
	assert_string_equal(layered, flat);
	space_free(&space);
	read_space("name: a\nmachine: dvfs_chip\nnetwork: small.yaml\nobjectives: [energy_mj]\n", &space);
	sign(&space, &engine_exhaustive, false, other);
	assert_string_not_equal(layered, other);
	space_free(&space);
}

/* Of machines that a constraint refuses the one that comes nearest is the miss, with both sides' values. */
static void test_explore_names_the_nearest_refused_machine(void **state)
{
	struct space space;
	struct explore explore;
	(void)state;
	read_space("name: a\nmachine: dvfs_chip\naxes:\n  pe.sram_byte: [98304, 65536, 131072]\nnetwork: small.yaml\n"
	           "constraints: ['pe.sram_byte <= 65000', mla.array > 1]\nobjectives: [latency_ms]\n",
	           &space);
	folder_explore(&space, &engine_exhaustive, false, 1, &explore);
	assert_int_equal(explore.front.n, 0);
	assert_int_equal(explore.miss.stage, STAGE_REFUSED);
	assert_int_equal(explore.miss.machine_index, 1);
	assert_string_equal(explore.miss.text, "constraint 'pe.sram_byte <= 65000': left side 65536, right side 65000");
	assert_true(fabs(explore.miss.violation - 536.0 / 65000.0) < 1e-12);
	explore_free(&explore);
	space_free(&space);
}

/* With a limit just below the best latency nothing is left, and the miss says how little is missing. */
static void test_explore_measures_the_nearest_miss(void **state)
{
	static const char head[] =
	    "name: a\nmachine: dvfs_chip\nnetwork: chain.yaml\nobjectives: [latency_ms, energy_mj]\n";
	struct space space;
	struct explore explore;
	char limited[256];
	(void)state;
	read_space(head, &space);
	folder_explore(&space, &engine_exhaustive, false, 1, &explore);
	assert_true(explore.front.n > 0);
	double best = explore.front.objective[0]; /* sorted by latency */
	explore_free(&explore);
	space_free(&space);

	(void)snprintf(limited, sizeof(limited), "%sconstraints: ['latency_ms <= %.9g']\n", head, best / 1.01);
	read_space(limited, &space);
	folder_explore(&space, &engine_exhaustive, false, 1, &explore);
	assert_int_equal(explore.front.n, 0);
	assert_int_equal(explore.counts.n_machine_dead, 1);
	assert_int_equal(explore.miss.stage, STAGE_NETWORK);
	assert_true(fabs(explore.miss.violation - 0.01) < 1e-6);
	explore_free(&explore);
	space_free(&space);
}

static void test_explore_counts_refused_machines(void **state)
{
	struct space space;
	struct explore explore;
	(void)state;
	read_space("name: a\nmachine: dvfs_chip\naxes:\n  mla.array: [16x4, 8x4]\nnetwork: chain.yaml\n"
	           "objectives: [latency_ms]\nconstraints: [mla.array >= 64]\n",
	           &space);
	folder_explore(&space, &engine_exhaustive, false, 2, &explore);
	assert_int_equal(explore.counts.n_machine, 2);
	assert_int_equal(explore.counts.n_machine_rejected, 1);
	assert_int_equal(explore.counts.n_rejection, 1);
	assert_int_equal(explore.counts.rejection[0].n, 1);
	assert_int_equal(explore.front.n, 1);
	explore_free(&explore);
	space_free(&space);
}

/* What failed is told with its reason, in run.json and in the table, and the front is no longer called exact. */
static void test_explore_failures_are_written_with_their_reasons(void **state)
{
	struct space space;
	struct explore explore;
	struct unroller unroller;
	struct err err = {0};
	struct machine machine;
	char why[64], text[1 << 14] = "";
	(void)state;
	read_space("name: a\nmachine: dvfs_chip\naxes:\n  mla.array: [16x4, 8x4]\nnetwork: small.yaml\n"
	           "objectives: [latency_ms]\n",
	           &space);
	folder_explore(&space, &engine_exhaustive, false, 1, &explore);
	assert_true(space_machine(&space, 1, &machine, why, sizeof(why)));
	for (unsigned i = 0; i < EXPLORE_MAX_FAILURE + 3; i++)
		explore_note_failure(&explore, 1, &machine, "layer %u: %s\n", i, "out of memory");
	assert_int_equal(explore.n_failure, EXPLORE_MAX_FAILURE + 3);
	assert_int_equal(unroller_init(&unroller, &explore, 1, &err), ERR_OK);
	const struct explore_options options = {.engine = &engine_exhaustive, .n_thread = 1};
	struct front_run front_run = {
	    .space = &space, .explore = &explore, .options = &options, .unroller = &unroller, .command = "dse"};
	FILE *file = fmemopen(text, sizeof(text) - 1, "w");
	assert_non_null(file);
	front_file_write_run(file, &front_run, NULL, false);
	front_table_print_counts(file, &front_run);
	assert_int_equal(fclose(file), 0);
	assert_non_null(strstr(text, "\"complete\": false"));
	assert_non_null(strstr(text, "\"failures\": 19"));
	assert_non_null(strstr(text, "\"why\": \"layer 15: out of memory\""));
	assert_non_null(strstr(text, "  failed: "));
	assert_non_null(strstr(text, "mla.array 8x4: layer 0: out of memory\n"));
	assert_null(strstr(text, "the front is exact"));
	unroller_free(&unroller);
	explore_free(&explore);
	space_free(&space);
}

/* How soon a genetic search had most of its hypervolume is said where it is asked for. */
static void test_explore_says_how_soon_it_found_most(void **state)
{
	(void)state;
	struct space space;
	struct explore explore;
	read_space("name: a\nmachine: dvfs_chip\nnetwork: chain.yaml\nobjectives: [latency_ms, energy_mj]\n", &space);
	folder_explore(&space, &engine_nsga2, false, 1, &explore);
	for (int i = 0; i < 2; i++) {
		char *text = NULL;
		size_t n_byte;
		FILE *file = open_memstream(&text, &n_byte);
		assert_non_null(file);
		history_print(file, &explore, i == 1);
		assert_int_equal(fclose(file), 0);
		assert_non_null(strstr(text, "  stopped by: "));
		assert_int_equal(strstr(text, "  evaluations until 90 %: ") != NULL, i == 1);
		free(text);
	}
	explore_free(&explore);
	space_free(&space);
}

/* The field of a row of CSV, counted from 0, without quotes: cut out of the line's copy. */
static const char *field_of(const char *row, size_t n, char field[64])
{
	for (; n > 0; n--)
		row += strcspn(row, ",") + 1;
	(void)snprintf(field, 64, "%.*s", (int)strcspn(row, ","), row);
	return field;
}

static size_t count_commas(const char *row)
{
	size_t n = 0;
	for (; *row; row++)
		n += *row == ',';
	return n;
}

/* Each row of the layers' points has all of the header's columns: a layer of the network, where its maps are, metrics. */
static void test_explore_points_fill_their_columns(void **state)
{
	(void)state;
	static const char *const place[] = {"dram", "storage"};
	char *text = NULL, name[64], own[64];
	size_t n_byte, n_row = 0, n_layer = 0, n_place[2][2] = {{0}};
	struct space space;
	struct explore explore;
	struct err err = {0};
	read_space("name: a\nmachine: dvfs_chip\nnetwork: residual.yaml\nobjectives: [latency_ms, energy_mj]\n", &space);
	const struct explore_options options = {
	    .engine = &engine_exact, .n_thread = 1, .seed = 1, .points = open_memstream(&text, &n_byte)};
	assert_non_null(options.points);
	assert_int_equal(explore_run(&space, &options, &explore, &err), ERR_OK);
	assert_int_equal(fclose(options.points), 0);
	char *row = strtok(text, "\n");
	size_t n_comma = count_commas(row), layer = 2;
	assert_string_equal(field_of(row, layer, name), "layer");
	assert_string_equal(field_of(row, layer + 1, name), "ifmap_place");
	assert_string_equal(field_of(row, layer + 2, name), "result_place");
	name[0] = '\0';
	while ((row = strtok(NULL, "\n"))) {
		n_row++;
		assert_int_equal(count_commas(row), n_comma);
		assert_string_equal(field_of(row, 1, own), "residual");
		n_layer += strcmp(field_of(row, layer, own), name) != 0;
		(void)snprintf(name, sizeof(name), "%s", own);
		bool is_known = false;
		for (size_t i = 0; i < explore.map.n_block; i++)
			is_known |= strcmp(explore.map.block[i]->name, name) == 0;
		assert_true(is_known);
		for (size_t i = 0; i < 2; i++)
			for (size_t k = 0; k < 2; k++)
				n_place[i][k] += strcmp(field_of(row, layer + 1 + i, own), place[k]) == 0;
	}
	assert_int_equal(n_layer, explore.map.n_distinct);
	for (size_t i = 0; i < 2; i++)
		assert_true(n_place[i][0] > 0 && n_place[i][1] > 0 && n_place[i][0] + n_place[i][1] == n_row);
	free(text);
	explore_free(&explore);
	space_free(&space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_explore_composed_equals_flat_with_held_results),
	    cmocka_unit_test(test_explore_composed_equals_flat_over_machines),
	    cmocka_unit_test(test_explore_composed_equals_flat_for_each_aggregate),
	    cmocka_unit_test(test_explore_is_equal_for_any_threads),
	    cmocka_unit_test(test_explore_fills_groups_of_machines),
	    cmocka_unit_test(test_explore_signs_what_was_found),
	    cmocka_unit_test(test_explore_names_the_nearest_refused_machine),
	    cmocka_unit_test(test_explore_measures_the_nearest_miss),
	    cmocka_unit_test(test_explore_counts_refused_machines),
	    cmocka_unit_test(test_explore_failures_are_written_with_their_reasons),
	    cmocka_unit_test(test_explore_points_fill_their_columns),
	    cmocka_unit_test(test_explore_says_how_soon_it_found_most),
	};
	return cmocka_run_group_tests(tests, make_folder, folder_remove);
}
