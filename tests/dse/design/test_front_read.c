/* SPDX-License-Identifier: Apache-2.0 */
/* A front.json and a run's inputs read back: the same numbers, whatever the layout; damage is told, never obeyed. */
#include "tests/support/unit_test.h"

#include "dse/design/design_read.h"
#include "dse/design/front_read.h"
#include "dse/run/run_space.h"
#include "tests/support/kept_smoke.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Unknown values are NaN in either. */
static void expect_metrics(const double *read, const double *unrolled, bool with_machine)
{
	for (unsigned k = 0; k < N_METRIC; k++) {
		if (!isnan(read[k]))
			assert_true(memcmp(&read[k], &unrolled[k], sizeof(double)) == 0);
		else
			assert_true(k == METRIC_AREA || k == METRIC_RUN_TIME || (!with_machine && metric_table[k].scope == METRIC_OF_MACHINE));
	}
}

static void expect_point(const struct kept_smoke *fixture, const struct kept_front *front, size_t i)
{
	const struct kept_point *point = &front->point[i];
	struct unrolled unrolled;
	struct err err = {0};
	assert_int_equal(unrolled_init(&fixture->explore.map, &unrolled, &err), ERR_OK);
	unroll_point(&fixture->unroller, i, &unrolled);
	assert_int_equal(point->id, i);
	assert_string_equal(front->machine[point->machine].name, unrolled.machine->name);
	expect_metrics(point->metric, unrolled.metric, true);
	expect_metrics(point->of_network, unrolled.network[0], false);
	for (size_t k = 0; k < unrolled.n_layer; k++) {
		const struct kept_design *design = &front->design[point->design[k]];
		struct layer_design read;
		assert_true(design_read(design->node, fixture->explore.map.block[k], unrolled.machine, &read, &err));
		assert_memory_equal(&read.split, &unrolled.layer[k]->design.split, sizeof(read.split));
		assert_int_equal(read.level, unrolled.layer[k]->design.level);
		assert_int_equal(design->total_clk, unrolled.layer[k]->total_clk);
	}
	unrolled_free(&unrolled);
}

static void expect_front(const struct kept_smoke *fixture, const struct kept_front *front)
{
	assert_string_equal(front->space, "smoke");
	assert_string_equal(front->signature, "0123456789abcdef");
	assert_int_equal(front->n_objective, 3);
	assert_int_equal(front->objective[2], METRIC_MAC_UNITS);
	assert_int_equal(front->n_axis, 1);
	assert_string_equal(front->axis[0], "mla.array");
	assert_string_equal(front->point[4].value[0], "8x4");
	assert_int_equal(front->n_layer, 3);
	assert_string_equal(front->operation[1], "CONV_3");
	assert_string_equal(front->network[0].file, "spaces/networks/tiny.yaml");
	assert_int_equal(front->n_point, fixture->explore.front.n);
	assert_int_equal(front->n_design, fixture->unroller.n_design);
	for (size_t i = 0; i < front->n_point; i++)
		expect_point(fixture, front, i);
}

static void test_front_read_gives_back_what_was_written(void **state)
{
	struct kept_smoke *fixture = *state;
	struct kept_front front;
	struct err err = {0};
	assert_int_equal(front_read_text("front.json", fixture->text, fixture->n_byte, &front, &err), ERR_OK);
	expect_front(fixture, &front);
	kept_front_free(&front);
}

static void test_front_read_does_not_depend_on_the_layout(void **state)
{
	struct kept_smoke *fixture = *state;
	struct kept_front front;
	struct err err = {0};
	char *flat = malloc(fixture->n_byte);
	assert_non_null(flat);
	for (size_t i = 0; i < fixture->n_byte; i++)
		flat[i] = strchr("\t\n", fixture->text[i]) ? ' ' : fixture->text[i];
	assert_int_equal(front_read_text("front.json", flat, fixture->n_byte, &front, &err), ERR_OK);
	expect_front(fixture, &front);
	kept_front_free(&front);
	free(flat);
}

/* Every text with a stretch cut out or a byte changed is read as some front or told with its name. */
static void test_front_read_tells_damage(void **state)
{
	struct kept_smoke *fixture = *state;
	char *text = malloc(fixture->n_byte);
	size_t n_told = 0;
	assert_non_null(text);
	for (size_t at = 0; at < fixture->n_byte; at += 97) {
		struct kept_front front;
		struct err err = {0};
		size_t n = at % 2 ? at : fixture->n_byte;
		memcpy(text, fixture->text, fixture->n_byte);
		text[at] = "x9}\n\""[at % 5];
		if (front_read_text("kept", text, n, &front, &err) != ERR_OK) {
			assert_non_null(strstr(err_text(&err), "kept"));
			assert_int_equal(front.n_point, 0);
			n_told++;
		}
		assert_true(n == fixture->n_byte || err.n_message > 0);
		err_clear(&err);
		kept_front_free(&front);
	}
	assert_true(n_told > 0);
	free(text);
}

static void test_front_read_refuses_what_does_not_belong_together(void **state)
{
	static const struct {
		const char *from, *to, *message;
	} change[] = {
	    {"\"layers\": [1, 2, 4]", "\"layers\": [1, 2, 9999]", "no design with number 9999"},
	    {"\"layers\": [1, 2, 4]", "\"layers\": [1, 2]", "layers: found 2, network tiny has 3"},
	    {"\"axes\": {\"mla.array\"", "\"axes\": {\"mla.arrow\"", "'mla.arrow' is not a machine parameter"},
	    {"{\"design\": 2,", "{\"design\": 0,", "design: found 0 behind 1"},
	    {"\"id\": 0, \"machine\": \"dvfs_chip\"", "\"id\": 0, \"machine\": \"other\"", "'other' is none"},
	    {"dse front 1", "dse front 9", "not a front.json of dse explore"}};
	struct kept_smoke *fixture = *state;
	for (size_t i = 0; i < sizeof(change) / sizeof(change[0]); i++) {
		struct kept_front front;
		struct err err = {0};
		const char *at = strstr(fixture->text, change[i].from);
		assert_non_null(at);
		char *text = NULL;
		size_t n_byte = 0;
		FILE *file = open_memstream(&text, &n_byte);
		assert_non_null(file);
		(void)fprintf(file, "%.*s%s%s", (int)(at - fixture->text), fixture->text, change[i].to,
		              at + strlen(change[i].from));
		assert_int_equal(fclose(file), 0);
		assert_int_equal(front_read_text("kept", text, n_byte, &front, &err), ERR_INPUT);
		assert_non_null(strstr(err_text(&err), change[i].message));
		err_clear(&err);
		free(text);
	}
}

/* What a space names is looked for among the bytes given alone, also where the disk has another file of that name. */
static void test_run_space_is_read_from_kept_bytes(void **state)
{
	static const char space_text[] = "name: kept\nmachine: dvfs_chip\nnetwork: ../nets/tiny\n"
					 "objectives: [latency_ms]\nlimits: {}\n",
			  machine_text[] =
			      "name: dvfs_chip\ntarget: chip\nlevels:\n- {name: only, vdd_v: 1, clk_mhz: 123}\n",
			  network_text[] = "name: tiny\ninput: [8, 8, 4]\nlayers:\n  - fc: {out: 8}\n";
	struct run_file input[] = {{"home/kept.yaml", "", space_text, strlen(space_text) - strlen("limits: {}\n")},
	                           {"elsewhere/machines/dvfs_chip.yaml", "", machine_text, strlen(machine_text)},
	                           {"nets/tiny.yaml", "", network_text, strlen(network_text)}};
	struct space space;
	struct err err = {0};
	(void)state;
	if (run_space_read(input, 3, NULL, &space, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_true(space.machine[0].level[0].clk_mhz == 123.0);
	assert_string_equal(space.machine_path[0], "elsewhere/machines/dvfs_chip.yaml");
	assert_string_equal(space.network[0].path, "nets/tiny.yaml");
	assert_int_equal(space.n_file, 3);
	assert_string_equal(space.file[0].path, "home/kept.yaml");
	space_free(&space);

	input[0].n_byte = strlen(space_text);
	assert_int_equal(run_space_read(input, 3, NULL, &space, &err), ERR_INPUT);
	assert_non_null(strstr(err_text(&err), "home/kept.yaml:5:1: "));
	err_clear(&err);
	assert_int_equal(run_space_read(input, 2, NULL, &space, &err), ERR_INPUT);
	assert_non_null(strstr(err_text(&err), "../nets/tiny: is not among the files that were kept"));
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_front_read_gives_back_what_was_written),
	    cmocka_unit_test(test_front_read_does_not_depend_on_the_layout),
	    cmocka_unit_test(test_front_read_tells_damage),
	    cmocka_unit_test(test_front_read_refuses_what_does_not_belong_together),
	    cmocka_unit_test(test_run_space_is_read_from_kept_bytes),
	};
	return cmocka_run_group_tests(tests, kept_smoke_make, kept_smoke_free);
}
