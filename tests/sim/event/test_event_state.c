/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words that states of the event tier are compared by: of two MLAs that differ in anything that decides what comes
 * next they differ, of two that differ in the clock alone they are the same.
 */
#include "tests/support/unit_test.h"

#include "sim/base/rng.h"
#include "sim/event/event_mla.h"
#include "tests/support/draws.h"
#include <stddef.h>
#include <string.h>

enum { N_WORD = 64 };

struct words {
	uint64_t word[N_WORD];
	size_t n;
};

static struct words words_of(const struct event_mla *mla, uint64_t clk, bool in_round)
{
	struct words words = {0};
	struct event_state state = {.word = words.word, .n_max = N_WORD};
	event_mla_save(mla, clk, in_round, &state);
	assert_true(state.n_word <= N_WORD);
	words.n = state.n_word;
	return words;
}

static bool are_same(const struct words *one, const struct words *other)
{
	return one->n == other->n && memcmp(one->word, other->word, one->n * sizeof(uint64_t)) == 0;
}

/* At work, and waiting for everything there is to wait for: all that it holds counts. */
static struct event_mla random_mla(struct rng *rng, uint64_t clk)
{
	struct event_mla mla = {.phase = EVENT_MULTIPLY};
	mla.plan.n_full_row = 1 + rng_below(rng, 4);
	mla.plan.low_a_byte = 1000000;
	mla.plan.kernel_w = 1 + rng_below(rng, 5);
	mla.plan.tap_a_byte = 1 + rng_below(rng, 5);
	mla.row = rng_below(rng, 3);
	mla.block = rng_below(rng, 100);
	mla.n_tap = 1 + rng_below(rng, 100);
	mla.n_run = rng_below(rng, 100);
	mla.run_clk = clk - rng_below(rng, 50);
	mla.b_clk = mla.run_clk + 1 + rng_below(rng, 50);
	mla.tap = rng_below(rng, 100);
	mla.n_reach = rng_below(rng, 100);
	mla.n_first = rng_below(rng, 100);
	mla.b_asked = rng_below(rng, 2);
	mla.a_byte = rng_below(rng, 1000);
	mla.n_a_way = rng_below(rng, 4);
	mla.n_a_to_ask = 1 + rng_below(rng, 100);
	mla.a_next_clk = clk + 1 + rng_below(rng, 9);
	mla.a_next_num = rng_below(rng, 9);
	mla.a_outstanding = true;
	mla.a_ask_tap = rng_below(rng, (uint32_t)mla.n_tap);
	mla.a_ask_clk = clk + 1 + rng_below(rng, 9);
	mla.a_leave_clk = clk + rng_below(rng, 9);
	mla.n_a_drop = rng_below(rng, 4);
	return mla;
}

#define FIELD(name)                                                                               \
	{                                                                                         \
#name, offsetof(struct event_mla, name), sizeof(((struct event_mla *)NULL)->name) \
	}
static const struct {
	const char *name;
	size_t offset, n_byte;
} field[] = {
    FIELD(block),     FIELD(n_tap),      FIELD(n_run),       FIELD(run_clk),    FIELD(b_clk),
    FIELD(tap),       FIELD(n_reach),    FIELD(n_first),     FIELD(b_asked),    FIELD(a_byte),
    FIELD(n_a_way),   FIELD(n_a_to_ask), FIELD(a_next_clk),  FIELD(a_next_num), FIELD(a_outstanding),
    FIELD(a_ask_clk), FIELD(a_ask_tap),  FIELD(a_leave_clk), FIELD(n_a_drop),
};

/* One more, or the other of two. */
static void change(struct event_mla *mla, size_t i)
{
	unsigned char *at = (unsigned char *)mla + field[i].offset;
	uint64_t word = 0;
	if (field[i].n_byte == sizeof(bool)) {
		*at = !*at;
		return;
	}
	memcpy(&word, at, field[i].n_byte);
	word++;
	memcpy(at, &word, field[i].n_byte);
}

/* Within a round what counts on is that of its place (struct event_place). */
static bool counts_on(size_t i)
{
	static const char *const name[] = {"n_tap", "a_ask_tap", "n_a_to_ask"};
	for (size_t k = 0; k < sizeof(name) / sizeof(name[0]); k++)
		if (strcmp(field[i].name, name[k]) == 0)
			return true;
	return false;
}

static void test_state_differs_where_anything_does(void **state)
{
	const uint32_t n = draws(20000, 500);
	(void)state;
	for (uint32_t number = 0; number < n; number++) {
		struct rng rng = rng_stream(41, 0, number);
		uint64_t clk = 1000 + rng_below(&rng, 1000);
		const struct event_mla mla = random_mla(&rng, clk);
		for (int in_round = 0; in_round < 2; in_round++) {
			const struct words words = words_of(&mla, clk, in_round);
			for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++) {
				struct event_mla other = mla;
				change(&other, i);
				const struct words changed = words_of(&other, clk, in_round);
				if (!(in_round && counts_on(i)) && are_same(&words, &changed))
					fail_msg("%s does not count%s", field[i].name, in_round ? " in a round" : "");
			}
			struct event_mla later = mla;
			uint64_t more = rng_below(&rng, 100000);
			later.run_clk += more;
			later.b_clk += more;
			later.a_next_clk += more;
			later.a_ask_clk += more;
			later.a_leave_clk += more;
			const struct words moved = words_of(&later, clk + more, in_round);
			assert_true(are_same(&words, &moved));
		}
	}
}

/* Out of work it only waits for packets that nobody wants. */
static void test_state_of_what_is_done_is_short(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < 100; number++) {
		struct rng rng = rng_stream(41, 1, number);
		struct event_mla mla = random_mla(&rng, 1000), other = random_mla(&rng, 1000);
		mla.phase = other.phase = EVENT_DONE;
		other.n_a_drop = mla.n_a_drop;
		other.row = mla.row;
		other.plan.n_full_row = mla.plan.n_full_row;
		struct words one = words_of(&mla, 1000, false), two = words_of(&other, 1000, false);
		assert_true(are_same(&one, &two));
		other.n_a_drop++;
		two = words_of(&other, 1000, false);
		assert_false(are_same(&one, &two));
	}
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_state_differs_where_anything_does),
	    cmocka_unit_test(test_state_of_what_is_done_is_short),
	};
	return cmocka_run_group_tests(test, NULL, NULL);
}
