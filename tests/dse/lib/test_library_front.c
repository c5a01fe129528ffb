/* SPDX-License-Identifier: Apache-2.0 */
/* libdse: fronts of spaces are those of dse explore's search, to the last bit; who watches is told and may end it. */
#include "tests/support/unit_test.h"
#include "dse/base/parallel.h"
#include "dse/design/unroll.h"
#include "dse/lib/dse.h"
#include "dse/search/explore.h"
#include "dse/space/metric.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SMOKE "spaces/smoke.yaml"

/* Long enough to be stopped: all splits of VGG-16 on two arrays. */
static const char long_space[] = "name: long\n"
                                 "machine: dvfs_chip\n"
                                 "network: vgg16\n"
                                 "axes: {mla.array: [16x4, 8x4], pe.sram_byte: [65536, 98304, 131072]}\n"
                                 "objectives: [latency_ms, energy_mj, mac_units, sram_byte]\n";

static void assert_code(struct dse *dse, enum dse_code found, enum dse_code expected)
{
	if (found != expected)
		print_error("%d: %s", (int)found, dse_message(dse));
	assert_int_equal(found, expected);
}

static void assert_fails(struct dse *dse, enum dse_code found, enum dse_code expected, const char *message)
{
	assert_code(dse, found, expected);
	if (!strstr(dse_message(dse), message))
		print_error("no '%s' in: %s", message, dse_message(dse));
	assert_non_null(strstr(dse_message(dse), message));
}

static void assert_same_real(double left, double right)
{
	assert_memory_equal(&left, &right, sizeof(left));
}

/* The search itself, beside what the library shows of it. */
static void compare_with_search(struct dse *dse, enum detail detail)
{
	struct space space;
	struct err err = {0};
	struct explore *explore = calloc(1, sizeof(*explore));
	struct unroller unroller = {0};
	struct unrolled point;
	const struct space_given given = {.detail = detail};
	const struct explore_options options = {.engine = &engine_exact, .n_thread = 1};
	assert_int_equal(space_read_given(SMOKE, &given, &space, &err), ERR_OK);
	assert_int_equal(explore_run(&space, &options, explore, &err), ERR_OK);
	assert_int_equal(unroller_init(&unroller, explore, 1, &err), ERR_OK);
	assert_int_equal(unrolled_init(&explore->map, &point, &err), ERR_OK);
	assert_true(explore->front.n > 3);
	assert_int_equal(dse_n_point(dse), explore->front.n);
	for (size_t i = 0; i < explore->front.n; i++) {
		const struct dse_point *found = dse_point(dse, i);
		unroll_point(&unroller, i, &point);
		assert_non_null(found);
		assert_string_equal(found->machine, point.machine->name);
		assert_int_equal(found->n_layer, explore->map.n_block);
		for (size_t k = 0; k < space.n_objective; k++)
			assert_same_real(found->metric[dse_objective(dse, k)],
			                 point.metric[space.objective[k]]);
		for (size_t k = 0; k < found->n_layer; k++) {
			const struct dse_choice *choice = dse_choice(dse, i, k);
			assert_string_equal(choice->layer, explore->map.block[k]->name);
			assert_string_equal(choice->network, "tiny");
			assert_int_equal(choice->total_clk, point.layer[k]->total_clk);
			assert_same_real(choice->latency_ms, point.layer[k]->metric[METRIC_LATENCY]);
			assert_true(choice->n_field > 4 && choice->text[0]);
		}
		assert_null(dse_choice(dse, i, found->n_layer));
	}
	unrolled_free(&point);
	unroller_free(&unroller);
	explore_free(explore);
	free(explore);
	space_free(&space);
}

static void test_front_is_the_searchs(void **state)
{
	(void)state;
	struct dse *dse = dse_new();
	assert_code(dse, dse_open_space(dse, SMOKE), DSE_OK);
	assert_int_equal(dse_n_objective(dse), 3);
	assert_string_equal(dse_metric(dse, dse_objective(dse, 1))->name, "energy_mj");
	assert_string_equal(dse_metric(dse, dse_objective(dse, 1))->unit, "mJ");
	assert_true(dse_metric(dse, dse_objective(dse, 2))->is_objective);
	assert_null(dse_metric(dse, dse_n_metric(dse)));
	assert_int_equal(dse_n_axis(dse), 1);
	assert_string_equal(dse_axis(dse, 0), "mla.array");
	assert_null(dse_axis(dse, 1));
	for (unsigned detail = DETAIL_FAST; detail <= DETAIL_EVENT; detail++) {
		assert_null(dse_front_detail(detail ? NULL : dse));
		assert_code(dse, dse_explore(dse, detail_name[detail], 2), DSE_OK);
		assert_string_equal(dse_front_detail(dse), detail_name[detail]);
		compare_with_search(dse, (enum detail)detail);
	}
	assert_null(dse_point(dse, dse_n_point(dse)));
	/* as dse explore has it, priced; and in the fast tier again */
	assert_code(dse, dse_explore(dse, NULL, 2), DSE_OK);
	assert_string_equal(dse_front_detail(dse), "event");
	assert_true(dse_point(dse, 0)->n_like >= 1);
	assert_code(dse, dse_explore(dse, "fast", 1), DSE_OK);
	compare_with_search(dse, DETAIL_FAST);
	dse_free(dse);
}

/* A point opened as a mapping costs what the front says, in the front's tier. */
static void test_front_points_are_mappings(void **state)
{
	(void)state;
	static const char *const detail[] = {"fast", "event", "both"};
	struct dse *dse = dse_new();
	assert_code(dse, dse_open_space(dse, SMOKE), DSE_OK);
	for (unsigned k = 0; k < 3; k++) {
		assert_code(dse, dse_explore(dse, detail[k], 2), DSE_OK);
		for (size_t i = 0; i < dse_n_point(dse); i++) {
			assert_code(dse, dse_open_point(dse, i, 0), DSE_OK);
			assert_code(dse, dse_evaluate(dse, dse_front_detail(dse)), DSE_OK);
			const struct dse_point *point = dse_point(dse, i);
			assert_same_real(dse_total(dse)->latency_ms, point->metric[METRIC_LATENCY]);
			assert_same_real(dse_total(dse)->energy_mj, point->metric[METRIC_ENERGY]);
		}
		assert_fails(dse, dse_open_point(dse, dse_n_point(dse), 0), DSE_USAGE, "the front has ");
		assert_fails(dse, dse_open_point(dse, 0, 1), DSE_USAGE, "network is 1, the space has 1");
	}
	dse_free(dse);
}

static void test_front_calls_out_of_order(void **state)
{
	(void)state;
	struct dse *dse = dse_new();
	assert_int_equal(dse_open_space(NULL, SMOKE), DSE_USAGE);
	assert_int_equal(dse_explore(NULL, NULL, 1), DSE_USAGE);
	assert_true(dse_n_point(NULL) == 0 && dse_n_axis(NULL) == 0 && dse_n_objective(NULL) == 0 &&
	            dse_n_error(NULL) == 0);
	assert_true(!dse_point(NULL, 0) && !dse_choice(NULL, 0, 0) && !dse_metric(NULL, 0) && !dse_error(NULL, 0));
	dse_cancel(NULL);
	dse_watch(NULL, NULL, NULL);
	assert_fails(dse, dse_open_space(dse, NULL), DSE_USAGE, "dse_open_space: an argument is NULL");
	assert_fails(dse, dse_open_space_text(dse, "name: a", NULL), DSE_USAGE, "an argument is NULL");
	assert_fails(dse, dse_explore(dse, NULL, 1), DSE_USAGE, "no space is open; dse_open_space comes first");
	assert_fails(dse, dse_open_point(dse, 0, 0), DSE_USAGE, "no space is open");
	assert_code(dse, dse_open_space(dse, SMOKE), DSE_OK);
	assert_true(dse_n_point(dse) == 0 && !dse_point(dse, 0) && !dse_choice(dse, 0, 0) && !dse_front_detail(dse));
	assert_fails(dse, dse_open_point(dse, 0, 0), DSE_USAGE, "point is 0, the front has 0");
	assert_fails(dse, dse_explore(dse, "fats", 1), DSE_USAGE, "did you mean 'fast'?");
	assert_string_equal(dse_error(dse, 0)->suggestion, "fast");
	assert_true(dse_n_error(dse) == 1 && !dse_error(dse, 0)->file && !dse_error(dse, 1));
	assert_fails(dse, dse_map(dse, NULL, NULL), DSE_USAGE, "nothing is open");
	dse_free(dse);
}

/* Text is read as the file is; its mistakes have their places and what may have been meant. */
static void test_front_of_a_text(void **state)
{
	(void)state;
	static const char text[] = "name: mine\nmachine: dvfs_chop\nnetwork: tiny\n"
	                           "axes:\n  mla.aray: [16x4]\nobjectives: [latency_ms]\n";
	struct dse *dse = dse_new();
	assert_code(dse, dse_open_space_text(dse, text, "somewhere/mine.yaml"), DSE_INPUT);
	assert_int_equal(dse_n_error(dse), 2);
	const struct dse_error *error = dse_error(dse, 0);
	assert_string_equal(error->file, "somewhere/mine.yaml");
	assert_int_equal(error->line, 2);
	assert_int_equal(error->column, 10);
	assert_string_equal(error->suggestion, "dvfs_chip");
	assert_null(strstr(error->message, "mine.yaml:2"));
	error = dse_error(dse, 1);
	assert_int_equal(error->line, 5);
	assert_int_equal(error->column, 3);
	assert_string_equal(error->suggestion, "mla.array");
	assert_fails(dse, dse_explore(dse, NULL, 1), DSE_USAGE, "no space is open");
	assert_code(dse, dse_open_space_text(dse, "", "<text>"), DSE_INPUT);

	static const char right[] = "name: mine\nmachine: dvfs_chip\nnetwork: tiny\naxes:\n  mla.array: [16x4, 8x4]\n"
	                            "layers: [{match: '.*', split: even}]\nobjectives: [latency_ms, energy_mj]\n";
	char name[] = "/tmp/test_library_front_XXXXXX";
	int file = mkstemp(name);
	assert_true(file >= 0 && write(file, right, strlen(right)) == (ssize_t)strlen(right) && close(file) == 0);
	struct dse *other = dse_new();
	assert_code(dse, dse_open_space_text(dse, right, "<text>"), DSE_OK);
	assert_code(other, dse_open_space(other, name), DSE_OK);
	assert_int_equal(unlink(name), 0);
	assert_code(dse, dse_explore(dse, "fast", 1), DSE_OK);
	assert_code(other, dse_explore(other, "fast", 2), DSE_OK);
	assert_true(dse_n_point(dse) > 0);
	assert_int_equal(dse_n_point(dse), dse_n_point(other));
	for (size_t i = 0; i < dse_n_point(dse); i++)
		assert_memory_equal(dse_point(dse, i)->metric, dse_point(other, i)->metric,
		                    METRIC_LEAKAGE * sizeof(double));
	dse_free(other);
	dse_free(dse);
}

static void test_front_of_nothing(void **state)
{
	(void)state;
	static const char text[] = "name: none\nmachine: dvfs_chip\nnetwork: tiny\nconstraints: [latency_ms <= 0.001]\n"
	                           "objectives: [latency_ms, energy_mj]\n";
	struct dse *dse = dse_new();
	assert_code(dse, dse_open_space_text(dse, text, "<text>"), DSE_OK);
	assert_fails(dse, dse_explore(dse, NULL, 2), DSE_INFEASIBLE, "none: no feasible design; nearest: ");
	assert_non_null(strstr(dse_message(dse), "latency_ms"));
	assert_int_equal(dse_n_point(dse), 0);
	assert_non_null(strstr(dse_verdict(dse), "latency_ms"));
	dse_free(dse);
}

/* Verdicts and answers are there once there is a front, or a space; tests/dse/python compares them with the program's. */
static void test_front_says_why(void **state)
{
	(void)state;
	static const char *const right[] = {"mla.array=8x4"}, *const wrong[] = {"mla.array=8x5000"};
	const char *json = NULL;
	struct dse *dse = dse_new();
	assert_string_equal(dse_verdict(NULL), "");
	assert_fails(dse, dse_why(dse, right, 1, 1, &json), DSE_USAGE, "no space is open");
	assert_code(dse, dse_open_space(dse, SMOKE), DSE_OK);
	assert_string_equal(dse_verdict(dse), "");
	assert_string_equal(dse_verdict_json(dse), "");
	assert_fails(dse, dse_why(dse, right, 0, 1, &json), DSE_USAGE, "an argument is NULL");
	assert_int_equal(dse_why(dse, wrong, 1, 1, &json) == DSE_OK, 0);
	assert_null(json);
	assert_code(dse, dse_why(dse, right, 1, 2, &json), DSE_OK);
	assert_non_null(strstr(json, "\"on_front\": true"));
	assert_code(dse, dse_explore(dse, NULL, 2), DSE_OK);
	assert_non_null(strstr(dse_verdict(dse), "16x4 wins"));
	assert_non_null(strstr(dse_verdict_json(dse), "\"claims\""));
	assert_code(dse, dse_why(dse, right, 1, 2, &json), DSE_OK); /* of a front with prices, too */
	dse_free(dse);
}

/* What a watcher is told, and after how many times it ends the search; 0: never. */
struct watcher {
	pthread_t thread;
	unsigned n, ends_after;
	double done_frac;
	bool is_right;
};

static int watch(void *context, const struct dse_progress *progress)
{
	struct watcher *own = context;
	own->n++;
	own->done_frac = progress->done_frac;
	own->is_right = own->is_right && pthread_equal(own->thread, pthread_self()) && progress->phase[0] &&
	                progress->done_frac >= 0 && progress->done_frac <= 1 && progress->elapsed_s >= 0;
	return own->n == own->ends_after;
}

static void test_front_is_watched(void **state)
{
	(void)state;
	struct dse *dse = dse_new();
	struct watcher watcher = {.thread = pthread_self(), .is_right = true};
	dse_watch(dse, watch, &watcher);
	assert_code(dse, dse_open_space(dse, SMOKE), DSE_OK);
	assert_code(dse, dse_explore(dse, "fast", 2), DSE_OK);
	assert_true(watcher.n > 0 && watcher.is_right);
	compare_with_search(dse, DETAIL_FAST);

	/* ended, and once more to its end without anybody's looking on */
	watcher = (struct watcher){.thread = pthread_self(), .is_right = true, .ends_after = 2};
	assert_code(dse, dse_open_space_text(dse, long_space, "<text>"), DSE_OK);
	assert_fails(dse, dse_explore(dse, NULL, 2), DSE_INTERRUPTED, "interrupted; the front is of what was found");
	assert_true(watcher.n >= 2 && watcher.is_right);
	assert_string_equal(dse_front_detail(dse), "fast");
	assert_code(dse, dse_open_space(dse, SMOKE), DSE_OK);
	dse_watch(dse, NULL, NULL);
	assert_code(dse, dse_explore(dse, "fast", 2), DSE_OK);
	compare_with_search(dse, DETAIL_FAST);

	/* and of a mapping, which stays what it was */
	watcher = (struct watcher){.thread = pthread_self(), .is_right = true, .ends_after = 1};
	dse_watch(dse, watch, &watcher);
	assert_code(dse, dse_open(dse, "dvfs_chip", "resnet50"), DSE_OK);
	assert_code(dse, dse_map(dse, NULL, NULL), DSE_OK);
	assert_code(dse, dse_evaluate(dse, NULL), DSE_OK);
	double before_ms = dse_total(dse)->latency_ms;
	assert_code(dse, dse_map_best(dse, "latency", 2), DSE_INTERRUPTED);
	assert_code(dse, dse_evaluate(dse, NULL), DSE_OK);
	assert_same_real(dse_total(dse)->latency_ms, before_ms);
	dse_free(dse);
}

/* One of two handles is cancelled by another thread; the other one's search goes on to its end. */
static enum dse_code code_of[2];
static void search(void *context, size_t i)
{
	struct dse **handle = context;
	if (i < 2) {
		code_of[i] = dse_explore(handle[i], "fast", 1);
		return;
	}
	const struct timespec wait = {.tv_nsec = 300000000};
	(void)nanosleep(&wait, NULL);
	dse_cancel(handle[0]);
}

static void test_front_is_cancelled_alone(void **state)
{
	(void)state;
	struct dse *handle[2] = {dse_new(), dse_new()};
	assert_code(handle[0], dse_open_space_text(handle[0], long_space, "<text>"), DSE_OK);
	assert_code(handle[1], dse_open_space(handle[1], SMOKE), DSE_OK);
	dse_cancel(handle[1]); /* before its search: nothing */
	parallel_for(3, 3, search, handle);
	assert_int_equal(code_of[0], DSE_INTERRUPTED);
	assert_int_equal(code_of[1], DSE_OK);
	compare_with_search(handle[1], DETAIL_FAST);
	dse_free(handle[0]);
	dse_free(handle[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_front_is_the_searchs),       cmocka_unit_test(test_front_points_are_mappings),
	    cmocka_unit_test(test_front_calls_out_of_order),   cmocka_unit_test(test_front_of_a_text),
	    cmocka_unit_test(test_front_of_nothing),           cmocka_unit_test(test_front_is_watched),
	    cmocka_unit_test(test_front_is_cancelled_alone),   cmocka_unit_test(test_front_says_why),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
