/* SPDX-License-Identifier: Apache-2.0 */
/* What an exploration found goes to bytes and back to the last bit, and bytes that are not whole are refused. */
#include "tests/support/unit_test.h"

#include "dse/run/answer.h"
#include "dse/out/build.h"
#include "dse/engine/engine.h"
#include <stdlib.h>
#include <string.h>

struct fixture {
	struct space space;
	struct explore_options options;
	struct explore explore;
	struct unroller unroller;
	struct pack pack;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct err err = {0};
	if (!fixture || space_read("spaces/smoke.yaml", &fixture->space, &err) != ERR_OK)
		return -1;
	fixture->options = (struct explore_options){.engine = engine_find("exact"), .n_thread = 1, .seed = 1};
	if (explore_run(&fixture->space, &fixture->options, &fixture->explore, &err) != ERR_OK)
		return -1;
	if (unroller_init(&fixture->unroller, &fixture->explore, 1, &err) != ERR_OK)
		return -1;
	answer_write(&fixture->explore, fixture->unroller.design, fixture->unroller.n_design, 1, &fixture->pack);
	*state = fixture;
	return fixture->pack.failed ? -1 : 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	pack_free(&fixture->pack);
	unroller_free(&fixture->unroller);
	explore_free(&fixture->explore);
	space_free(&fixture->space);
	free(fixture);
	return 0;
}

/* Read n_byte bytes; whether they are an answer. The caller frees explore. */
static bool read_bytes(struct fixture *fixture, const uint8_t *data, size_t n_byte, struct explore *explore)
{
	struct err err = {0};
	struct pack pack = pack_reader(data, n_byte);
	assert_int_equal(explore_begin(&fixture->space, explore, &err), ERR_OK);
	answer_read(explore, &pack);
	return pack_done(&pack);
}

static void test_answer_gives_back_front_counts_and_history(void **state)
{
	struct fixture *fixture = *state;
	const struct pareto *front = &fixture->explore.front;
	struct explore back;
	assert_true(front->n > 1 && answer_is_whole(&fixture->explore));
	assert_true(read_bytes(fixture, fixture->pack.data, fixture->pack.n, &back));
	assert_int_equal(back.front.n, front->n);
	assert_memory_equal(back.front.objective, front->objective, front->n * front->n_objective * sizeof(double));
	assert_memory_equal(back.front.genome, front->genome, front->n * front->n_gene * sizeof(uint32_t));
	assert_memory_equal(&back.counts, &fixture->explore.counts, sizeof(back.counts));
	assert_true(back.standings && back.standings->n == fixture->explore.standings->n);
	assert_true(back.standings->machine[0].fastest.is_known);
	assert_int_equal(back.history.n_mark, fixture->explore.history.n_mark);
	for (size_t i = 0; i < back.history.n_mark; i++)
		assert_int_equal(back.history.mark[i].n_evaluation, fixture->explore.history.mark[i].n_evaluation);
	/* designs come evaluated, with the machines that an evaluation has; what is written of all are the same bytes
	 */
	struct unroller unroller;
	struct err err = {0};
	assert_int_equal(unroller_init(&unroller, &back, 1, &err), ERR_OK);
	assert_int_equal(unroller.n_design, fixture->unroller.n_design);
	assert_int_equal(unroller.n_machine, fixture->unroller.n_machine);
	for (size_t i = 0; i < unroller.n_machine; i++)
		assert_memory_equal(&unroller.machine[i], &fixture->unroller.machine[i], sizeof(struct machine));
	struct pack again = {0};
	answer_write(&back, unroller.design, unroller.n_design, 2, &again);
	assert_int_equal(again.n, fixture->pack.n);
	assert_memory_equal(again.data, fixture->pack.data, again.n);
	pack_free(&again);
	unroller_free(&unroller);
	/* a front of other designs does not take them, whatever they say */
	back.front.n = 1;
	for (size_t i = 0; i < back.n_known_design; i++)
		back.known_design[i].machine_index += 1000;
	assert_int_equal(unroller_init(&unroller, &back, 1, &err), ERR_OK);
	assert_true(unroller.n_design > 0 && unroller.n_design < back.n_known_design);
	for (size_t i = 0; i < unroller.n_design; i++)
		assert_true(unroller.design[i].total_clk > 0);
	unroller_free(&unroller);
	explore_free(&back);
}

static void test_answer_refuses_what_is_not_whole(void **state)
{
	struct fixture *fixture = *state;
	for (size_t n = 0; n < fixture->pack.n; n += 1 + n / 64) {
		struct explore back;
		assert_false(read_bytes(fixture, fixture->pack.data, n, &back));
		explore_free(&back);
	}
	/* the last index points to a value that its column does not have */
	struct explore back;
	size_t n_design = 8 + fixture->unroller.n_design * sizeof(struct unrolled_design);
	memset(fixture->pack.data + fixture->pack.n - n_design - 4, 0xff, 4);
	assert_false(read_bytes(fixture, fixture->pack.data, fixture->pack.n, &back));
	explore_free(&back);
}

static void test_answer_is_only_of_a_search_that_ended(void **state)
{
	struct fixture *fixture = *state;
	struct explore cut = fixture->explore;
	assert_true(answer_is_whole(&cut));
	cut.interrupted = true;
	assert_false(answer_is_whole(&cut));
	cut = fixture->explore;
	cut.truncated = true;
	assert_false(answer_is_whole(&cut));
	cut = fixture->explore;
	cut.n_failure = 1;
	assert_false(answer_is_whole(&cut));
	cut = fixture->explore;
	cut.front.n = 0;
	assert_false(answer_is_whole(&cut));
}

/* Whether two questions have one key. */
static bool is_same(const struct fixture *fixture, const struct explore_options *other)
{
	char key[2][HASH_HEX_SIZE];
	assert_true(answer_key(&fixture->space, &fixture->options, key[0]));
	assert_true(answer_key(&fixture->space, other, key[1]));
	return strcmp(key[0], key[1]) == 0;
}

static void test_answer_key_has_all_that_decides_the_front(void **state)
{
	struct fixture *fixture = *state;
	struct explore_options other = fixture->options;
	assert_int_equal(strlen(build_sources), 32);
	other.n_thread = 7;
	other.max_ms = 5000;
	other.seed = 2; /* which an exact engine does not look at */
	assert_true(is_same(fixture, &other));
	other = fixture->options;
	other.flat = true;
	assert_false(is_same(fixture, &other));
	other = fixture->options;
	other.max_evaluation = 100;
	assert_false(is_same(fixture, &other));
	other = fixture->options;
	other.engine = fixture->options.engine = engine_find("nsga2");
	assert_true(is_same(fixture, &other));
	other.seed = 2;
	assert_false(is_same(fixture, &other));
	char key[2][HASH_HEX_SIZE];
	assert_true(answer_key(&fixture->space, &fixture->options, key[0]));
	fixture->space.file[1].hash[0] ^= 1;
	assert_true(answer_key(&fixture->space, &fixture->options, key[1]));
	assert_string_not_equal(key[0], key[1]);
	fixture->space.file[1].hash[0] ^= 1;
	fixture->space.detail = DETAIL_EVENT;
	assert_true(answer_key(&fixture->space, &fixture->options, key[1]));
	assert_string_not_equal(key[0], key[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_answer_gives_back_front_counts_and_history),
	    TEST(test_answer_refuses_what_is_not_whole),
	    TEST(test_answer_is_only_of_a_search_that_ended),
	    TEST(test_answer_key_has_all_that_decides_the_front),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
