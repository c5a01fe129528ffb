/* SPDX-License-Identifier: Apache-2.0 */
/* A wish to stop: when loops hear it, and that what is stopped gives no figure, no count and no front. */

#include "tests/support/unit_test.h"

#include "dse/search/candidate.h"
#include "sim/base/file.h"
#include "sim/base/rng.h"
#include "sim/base/stop.h"
#include "sim/systolic/scalesim.h"
#include "tests/support/space_folder.h"
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#define RNG_SEED 11
#define N_LAYER 100
/* Long ago; of the first millisecond no clock knows. */
static const struct stop past = {.end_ms = 1};

/* Work of few steps is done to its end; more of it is not, and the wish stays. */
static void test_stop_comes_after_its_steps(void **state)
{
	(void)state;
	struct stop_watch never = stop_watch_for(NULL), late = stop_watch_for(&past);
	const struct stop far = {.end_ms = UINT64_MAX}, none = {0};
	for (uint32_t i = 0; i + 1 < STOP_STEPS; i++)
		assert_false(stop_after(&late, 1));
	assert_true(stop_after(&late, 1));
	assert_true(late.has_come && stop_after(&late, 0) && stop_look(&late));
	for (uint32_t i = 0; i < 100; i++)
		assert_false(stop_after(&never, STOP_STEPS));
	assert_false(stop_requested(NULL) || stop_requested(&far) || stop_requested(&none));
	assert_true(stop_requested(&past));
	const struct stop soon = {.end_ms = stop_now_ms() + 5};
	while (!stop_requested(&soon))
		;
	assert_true(stop_now_ms() >= soon.end_ms);
}

/* Somebody's wish is that of his search alone, heard as a signal is, whatever the time; the first one counts. */
static void test_stop_of_a_wish(void **state)
{
	(void)state;
	struct stop_wish wish = {0};
	const struct stop stop = {.wish = &wish}, timed = {.end_ms = UINT64_MAX, .wish = &wish},
			  saving = {.grace_ms = 1000000, .wish = &wish}, other = {0};
	assert_false(stop_requested(&stop) || stop_is_wished(&stop) || stop_age_ms(&stop) > 0);
	assert_false(stop_is_wished(&past) || stop_is_wished(NULL));
	stop_wish_make(&wish);
	uint64_t came_ms = wish.ms;
	assert_true(stop_requested(&stop) && stop_requested(&timed) && stop_is_wished(&stop) && stop_is_wished(&timed));
	assert_false(stop_requested(&saving) || stop_requested(&other) || stop_requested(NULL) || stop_is_wished(NULL));
	while (stop_age_ms(&stop) < 3)
		;
	stop_wish_make(&wish);
	assert_true(wish.ms == came_ms && stop_age_ms(&stop) >= 3);
}

static struct systolic_layer random_layer(struct rng *rng)
{
	uint32_t kernel = 1 + 2 * rng_below(rng, 2), size = kernel + rng_below(rng, 26);
	return (struct systolic_layer){.ifmap_h = size,
	                               .ifmap_w = kernel + rng_below(rng, 26),
	                               .filter_h = kernel,
	                               .filter_w = kernel,
	                               .channels = 1 + rng_below(rng, 24),
	                               .n_filter = 1 + rng_below(rng, 24),
	                               .stride = 1 + rng_below(rng, 2)};
}

static bool is_same(const struct systolic_result *a, const struct systolic_result *b)
{
	return a->total_clk == b->total_clk && a->stall_clk == b->stall_clk &&
	       a->dram_ifmap_read_word == b->dram_ifmap_read_word &&
	       a->dram_filter_read_word == b->dram_filter_read_word &&
	       a->dram_ofmap_write_word == b->dram_ofmap_write_word;
}

/* Whenever the wish comes: the replay's figures, or none. */
static void test_stop_replays_whole_or_not_at_all(void **state)
{
	(void)state;
	struct rng rng = rng_stream(RNG_SEED, 0, 0);
	uint32_t n_done = 0, n_stopped = 0;
	for (uint32_t i = 0; i < N_LAYER; i++) {
		const struct systolic_layer layer = random_layer(&rng);
		const struct systolic_array array = {.rows = 1 + rng_below(&rng, 8),
		                                     .cols = 1 + rng_below(&rng, 8),
		                                     .ifmap_byte = 1 + rng_below(&rng, 200),
		                                     .filter_byte = 1 + rng_below(&rng, 200),
		                                     .ofmap_byte = 1 + rng_below(&rng, 200),
		                                     .bandwidth_word = rng_below(&rng, 3) * 4};
		const struct stop stop = {.end_ms =
		                              rng_below(&rng, 2) ? past.end_ms : stop_now_ms() + rng_below(&rng, 4)};
		struct systolic_result whole, found;
		assert_int_equal(scalesim_run(&array, &layer, NULL, &whole, NULL), ERR_OK);
		enum err_code code = scalesim_run(&array, &layer, &stop, &found, NULL);
		assert_true(code == ERR_OK || code == ERR_INTERRUPTED);
		assert_true(code == ERR_INTERRUPTED || is_same(&whole, &found));
		n_done += code == ERR_OK;
		n_stopped += code == ERR_INTERRUPTED;
	}
	assert_true(n_done > N_LAYER / 10 && n_stopped > N_LAYER / 10);
}

/* An array that replays, with a layer of more steps than one look, and one of fewer. */
static int make_slow(void **state)
{
	if (folder_make(state) != 0)
		return -1;
	folder_write(
	    "slow.yaml",
	    "name: slow\n"
	    "target: systolic\n"
	    "systolic: {array: 8x8, ifmap_byte: 64, filter_byte: 64, ofmap_byte: 64, word_byte: 1, dataflow: os,\n"
	    "  memory_gb_s: 25.6, memory_model: scalesim}\n",
	    "levels:\n"
	    "  - {name: a, vdd_v: 0.9, clk_mhz: 500, mla_clk_pj: 1, sram_read32_pj: 1, sram_write32_pj: 1, "
	    "pe_static_mw: 0.1}\n"
	    "  - {name: b, vdd_v: 0.5, clk_mhz: 250, mla_clk_pj: 0.3, sram_read32_pj: 1, sram_write32_pj: 1, "
	    "pe_static_mw: 0.1}\n");
	folder_write("net.yaml", "name: net\ninput: [16, 16, 8]\nlayers:\n  - conv: {kernel: 3, out_channels: 32}\n",
	             "  - conv: {kernel: 1, out_channels: 1}\n  - fc: {out: 2}\n");
	folder_write("space.yaml", "name: slow\nmachine: slow.yaml\nnetwork: net.yaml\n",
	             "objectives: [latency_ms, energy_mj]\n");
	return 0;
}

struct fixture {
	struct space space;
	struct layer_map map;
	struct candidate candidate;
};

static void open_candidate(const struct stop *stop, struct fixture *f)
{
	struct layer_set *set;
	char why[256];
	folder_read_space(&f->space);
	assert_int_equal(layer_map_build(&f->space, &f->map, NULL), ERR_OK);
	f->map.stop = stop;
	assert_int_equal(layer_set_build(&f->space, &f->map, 0, &set, why, sizeof(why), NULL), ERR_OK);
	assert_non_null(set);
	assert_int_equal(candidate_init(&f->space, set, &f->candidate, NULL), ERR_OK);
	assert_int_equal(f->candidate.n_task, 3);
}

static void close_candidate(struct fixture *f)
{
	candidate_free(&f->candidate);
	layer_map_free(&f->map);
	space_free(&f->space);
}

/* Designs that are there: some design of the whole front is as good as each of them. */
static void check_found(const struct pareto *found, const struct pareto *whole)
{
	for (size_t i = 0; i < found->n; i++) {
		bool is_behind = false;
		for (size_t k = 0; k < whole->n && !is_behind; k++) {
			const double *own = found->objective + 2 * i, *best = whole->objective + 2 * k;
			is_behind = best[0] <= own[0] && best[1] <= own[1];
		}
		assert_true(is_behind);
	}
}

/*
 * The layers that are done have the front of a search that nobody stops; one that is not has a design of its sample at
 * most, and is counted nowhere.
 */
static void check_engine(bool is_exact, const struct engine_kind *genetic, uint32_t n_island)
{
	struct fixture free_one, stopped;
	const struct engine_options options = {.seed = 1, .n_island = n_island};
	open_candidate(NULL, &free_one);
	open_candidate(&past, &stopped);
	struct fixture *both[] = {&free_one, &stopped};
	for (size_t k = 0; k < 2; k++) {
		both[k]->candidate.is_exact = is_exact;
		both[k]->candidate.genetic = genetic;
		for (size_t i = 0; i < 3; i++)
			candidate_search(&both[k]->candidate, i, 2, &options, NULL, NULL);
	}
	size_t n_stopped = 0;
	for (size_t i = 0; i < 3; i++) {
		const struct candidate_task *whole = &free_one.candidate.task[i], *task = &stopped.candidate.task[i];
		assert_int_equal(whole->code, ERR_OK);
		assert_true(whole->front.n > 0);
		if (task->code == ERR_INTERRUPTED) {
			n_stopped++;
			assert_true(task->front.n <= MACHINE_MAX_LEVEL);
			check_found(&task->front, &whole->front);
			assert_int_equal(task->counts.n_told, 0);
			for (uint32_t reason = 0; reason < LAYER_N_REASON; reason++)
				assert_int_equal(task->by_reason[reason], 0);
			assert_true(isinf(task->nearest.violation));
			continue;
		}
		assert_int_equal(task->code, ERR_OK);
		assert_int_equal(task->front.n, whole->front.n);
		assert_memory_equal(task->front.objective, whole->front.objective, 2 * whole->front.n * sizeof(double));
	}
	/* where the wish is old a sample ends with what it has */
	assert_true(n_stopped > 0 && (n_stopped < 3 || !genetic));
	assert_int_equal(stopped.candidate.task[0].code, ERR_INTERRUPTED);
	close_candidate(&free_one);
	close_candidate(&stopped);
}

static void test_stop_ends_searches_without_a_trace(void **state)
{
	(void)state;
	check_engine(true, NULL, 0);
	check_engine(false, NULL, 0);
	check_engine(false, &engine_nsga2, 0);
	check_engine(false, &engine_pls, 0);
	check_engine(false, &engine_nsga2, 3);
}

static void sleep_ms(long ms)
{
	(void)nanosleep(&(struct timespec){.tv_nsec = 1000000 * ms}, NULL);
}

/* A child that opens the FIFO late and writes piece by piece; text has all. */
static pid_t write_late(const char *path)
{
	pid_t child = fork();
	assert_true(child >= 0);
	if (child > 0)
		return child;
	sleep_ms(20);
	int descriptor = open(path, O_WRONLY);
	bool good = descriptor >= 0;
	for (int i = 0; i < 5 && good; i++) {
		sleep_ms(5);
		good = write(descriptor, "0123456789", 10) == 10;
	}
	_exit(good ? 0 : 1);
}

/* Who reads a FIFO waits for its writer, and for no one once a signal has come. The last test: the wish stays. */
static void test_stop_ends_waiting_for_a_fifo(void **state)
{
	(void)state;
	char path[FOLDER_PATH], *text = NULL;
	size_t n_byte = 0;
	int status = 0;
	struct err err = {0};
	assert_int_equal(mkfifo(folder_path("fifo", path), 0600), 0);
	pid_t child = write_late(path);
	assert_int_equal(file_read(path, 1000, &text, &n_byte, &err), ERR_OK);
	assert_int_equal(n_byte, 50);
	assert_memory_equal(text, "01234567890123456789012345678901234567890123456789", 50);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	free(text);
	stop_request();
	assert_true(stop_requested(NULL));
	assert_int_equal(file_read(path, 1000, &text, &n_byte, &err), ERR_INTERRUPTED);
	assert_null(text);
	assert_non_null(strstr(err_text(&err), "interrupted"));
	err_clear(&err);
	/* what is there is read: results are still to be written, and that reads files */
	assert_int_equal(file_read(folder_path("net.yaml", path), 1000, &text, &n_byte, &err), ERR_OK);
	assert_true(n_byte > 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stop_comes_after_its_steps),
	    cmocka_unit_test(test_stop_of_a_wish),
	    cmocka_unit_test(test_stop_replays_whole_or_not_at_all),
	    cmocka_unit_test(test_stop_ends_searches_without_a_trace),
	    cmocka_unit_test(test_stop_ends_waiting_for_a_fifo),
	};
	return cmocka_run_group_tests_name("stop", tests, make_slow, folder_remove);
}
