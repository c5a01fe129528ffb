/* SPDX-License-Identifier: Apache-2.0 */
/* What a search tells those who look on: its share of the work never falls, and its evaluations are those that it
 * counts. */
#include "tests/support/unit_test.h"

#include "dse/search/live.h"
#include "tests/support/space_folder.h"
#include <pthread.h>
#include <time.h>

struct seen {
	struct live *live;
	double done_frac;
	unsigned n_machine;
	bool has_bounds;
	struct stop_wish *wish;        /* made after the first machine; NULL: never */
	void *(*looks_on)(void *seen); /* a thread beside the search; NULL: none */
	enum detail detail;
};

/* After each machine: bounds of all machines were the first part of the work, and no machine takes back what was done.
 */
static enum err_code look(void *context, const struct candidate *candidate, struct err *err)
{
	struct seen *seen = context;
	struct live_numbers numbers;
	(void)err;
	if (!candidate)
		return ERR_OK;
	live_read(seen->live, &numbers);
	assert_true(numbers.done_frac >= seen->done_frac && numbers.done_frac <= 1);
	/* the first of so many machines is no third of the work; with the bounds it is */
	assert_true(numbers.done_frac > 0.3 || !seen->has_bounds);
	seen->done_frac = numbers.done_frac;
	seen->n_machine++;
	if (seen->wish)
		stop_wish_make(seen->wish);
	return ERR_OK;
}

static void write_space(const char *network, const char *axes)
{
	char head[256];
	(void)snprintf(head, sizeof(head), "name: watched\nmachine: dvfs_chip\naxes: %s\nnetwork: %s\n", axes, network);
	folder_write(
	    "watched.yaml", head,
	    "objectives: [latency_ms, mac_units]\n"
	    "layers: [{match: '.*', split: {width: whole, height: all, out_channels: all, in_channels: whole}}]\n");
}

/* Search; what was told is what is counted. */
static void watch(const struct engine_kind *engine, unsigned n_thread, struct seen *seen)
{
	struct live_numbers numbers;
	struct space space;
	struct explore explore;
	struct err err = {0};
	char path[FOLDER_PATH];
	pthread_t thread;
	seen->live = live_start_silent();
	assert_non_null(seen->live);
	const struct explore_options options = {.engine = engine,
	                                        .n_thread = n_thread,
	                                        .watch = {.live = seen->live, .wish = seen->wish},
	                                        .log = {.machine = look, .context = seen}};
	if (seen->looks_on)
		assert_int_equal(pthread_create(&thread, NULL, seen->looks_on, seen), 0);
	const struct space_given given = {.detail = seen->detail};
	if (space_read_given(folder_path("watched.yaml", path), &given, &space, &err) != ERR_OK ||
	    explore_run(&space, &options, &explore, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	if (seen->looks_on)
		assert_int_equal(pthread_join(thread, NULL), 0);
	live_read(seen->live, &numbers);
	print_message("%s: %u machines, %llu evaluations\n", engine->name, seen->n_machine,
	              (unsigned long long)numbers.n_evaluation);
	assert_true((seen->n_machine > 0 || seen->looks_on) && numbers.n_evaluation > 0);
	assert_int_equal(numbers.n_evaluation, explore.counts.engine.n_told);
	explore_free(&explore);
	space_free(&space);
	live_end(seen->live);
}

static void test_watch_sees_the_search_grow(void **state)
{
	(void)state;
	write_space("tiny", "{mla.array: [16x4, 16x2, 8x4, 8x2, 4x4], chip.n_dram: [1, 2]}");
	for (unsigned n_thread = 1; n_thread <= 2; n_thread++) {
		struct seen seen = {.has_bounds = true};
		watch(&engine_exact, n_thread, &seen);
	}
}

/* Layers that were not begun get a sample of their designs, which counts as well. */
static void test_watch_counts_what_is_evaluated_after_a_stop(void **state)
{
	(void)state;
	write_space("tiny", "{mla.array: [16x4, 16x2, 8x4, 8x2, 4x4], chip.n_dram: [1, 2]}");
	for (unsigned i = 0; i < 3; i++) {
		struct stop_wish wish = {0};
		struct seen seen = {.has_bounds = i < 2, .wish = &wish};
		watch(i < 2 ? &engine_exact : &engine_nsga2, 1 + i % 2, &seen);
	}
}

/* Somebody who looks on, and wishes a stop at the first evaluation. */
static void *stop_soon(void *context)
{
	const struct seen *seen = context;
	struct live_numbers numbers = {0};
	while (numbers.n_evaluation == 0) {
		(void)nanosleep(&(struct timespec){0, 100000}, NULL);
		live_read(seen->live, &numbers);
	}
	stop_wish_make(seen->wish);
	return NULL;
}

/* The same where designs are being simulated: those of the round that is broken off count as well. */
static void test_watch_counts_what_was_evaluated_when_it_stopped(void **state)
{
	(void)state;
	write_space("small.yaml", "{chip.n_dram: [1, 2]}");
	for (unsigned i = 0; i < 2; i++) {
		struct stop_wish wish = {0};
		struct seen seen = {.wish = &wish, .looks_on = stop_soon, .detail = DETAIL_EVENT};
		watch(&engine_exact, 1 + i, &seen);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_watch_sees_the_search_grow),
	                                   cmocka_unit_test(test_watch_counts_what_was_evaluated_when_it_stopped),
	                                   cmocka_unit_test(test_watch_counts_what_is_evaluated_after_a_stop)};
	return cmocka_run_group_tests(tests, folder_make_small, folder_remove);
}
