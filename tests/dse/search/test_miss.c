/* SPDX-License-Identifier: Apache-2.0 */
/* What a search without a design says came nearest: the layer, and by how much it breaks which limit. */
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/search/explore.h"
#include "tests/support/temporary.h"
#include <stdio.h>
#include <string.h>

static const char space_text[] = "name: miss\n"
				 "machine: dvfs_chip\n"
				 "network: tiny\n"
				 "layers:\n"
				 "  - {match: '.*', split: even}\n"
				 "objectives: [latency_ms, energy_mj]\n"
				 "constraints: [%s]\n";

static void assert_miss_at(enum explore_stage stage, const char *limit, const struct engine_kind *engine, bool flat,
                           const char *words)
{
	char path[TEMPORARY_SIZE], text[1024];
	const struct explore_options options = {.engine = engine, .n_thread = 1, .flat = flat};
	struct explore explore;
	struct space space;
	struct err err = {0};
	snprintf(text, sizeof(text), space_text, limit);
	temporary_write(path, text);
	if (space_read(path, &space, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	(void)remove(path);
	assert_int_equal(explore_run(&space, &options, &explore, &err), ERR_OK);
	assert_int_equal(explore.front.n, 0);
	assert_int_equal(explore.miss.stage, stage);
	assert_non_null(strstr(explore.miss.machine, "dvfs_chip"));
	if (!strstr(explore.miss.text, words))
		fail_msg("%s: %s", engine->name, explore.miss.text);
	explore_free(&explore);
	space_free(&space);
}

static void assert_miss(const char *limit, const struct engine_kind *engine, bool flat, const char *words)
{
	assert_miss_at(flat ? STAGE_TOTAL : STAGE_LAYER, limit, engine, flat, words);
}

/* Also where bounds reject every design before one is evaluated: then a sample has the nearest. */
static void test_miss_names_layer_metric_and_limit(void **state)
{
	(void)state;
	const struct engine_kind *engine[] = {&engine_exact, &engine_exhaustive};
	for (size_t i = 0; i < 2; i++) {
		assert_miss("latency_ms <= 0.00001", engine[i], false, "limit 1e-05");
		assert_miss("latency_ms <= 0.00001", engine[i], false, "latency");
		assert_miss("energy_mj <= 0.000001", engine[i], false, "limit 1e-06");
	}
}

/* Where the machine itself is over a limit, whatever is mapped onto it. */
static void test_miss_of_machines(void **state)
{
	(void)state;
	assert_miss_at(STAGE_MACHINE, "sram_byte <= 1000", &engine_exact, false, "limit 1000");
	assert_miss_at(STAGE_MACHINE, "mac_units <= 10", &engine_exact, false, "mac_units is 9728, limit 10");
}

/* Of whole networks the nearest design's machine, and which limit a layer of it breaks. */
static void test_miss_of_a_flat_search(void **state)
{
	(void)state;
	assert_miss("latency_ms <= 0.00001", &engine_nsga2, true, "limit 1e-05");
}

/* Where nothing fits by far the nearest is looked for in so many boxes, however many there are. */
static void test_miss_is_looked_for_in_few_boxes(void **state)
{
	char path[TEMPORARY_SIZE], network[TEMPORARY_SIZE], text[1024];
	const struct explore_options options = {.engine = &engine_exact, .n_thread = 1};
	struct explore explore;
	struct space space;
	struct err err = {0};
	(void)state;
	temporary_write(network, "name: large\ninput: [64, 64, 64]\nlayers:\n  - conv: {kernel: 31, out_channels: 64}\n");
	snprintf(text, sizeof(text),
	         "name: large\nmachine: dvfs_chip\naxes: {pe.sram_byte: [1024]}\nnetwork: %s\n"
	         "layers:\n  - {match: '.*', split: all}\nobjectives: [latency_ms]\n",
	         network);
	temporary_write(path, text);
	if (space_read(path, &space, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_int_equal(explore_run(&space, &options, &explore, &err), ERR_OK);
	assert_int_equal(explore.front.n, 0);
	assert_true(explore.miss.text[0] != '\0');
	assert_in_range(explore.counts.n_box, 1, 8000);
	explore_free(&explore);
	space_free(&space);
	(void)remove(path);
	(void)remove(network);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_miss_names_layer_metric_and_limit),
	    cmocka_unit_test(test_miss_of_machines),
	    cmocka_unit_test(test_miss_of_a_flat_search),
	    cmocka_unit_test(test_miss_is_looked_for_in_few_boxes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
