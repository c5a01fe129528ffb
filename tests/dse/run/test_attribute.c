/* SPDX-License-Identifier: Apache-2.0 */
/* Designs that were kept, in spaces other than their own: the same figures at home, and a reason wherever they cannot
 * be. */
#include "tests/support/unit_test.h"

#include "dse/run/attribute.h"
#include "tests/support/kept_smoke.h"
#include <stdlib.h>
#include <string.h>

struct there {
	struct kept_front front;
	struct space space;     /* a copy of the fixture's that may be changed */
	struct machine machine; /* its only one */
	struct attributed *point;
	struct arena arena;
};

static void begin(const struct kept_smoke *fixture, struct there *there)
{
	struct err err = {0};
	*there = (struct there){.space = fixture->space, .machine = fixture->space.machine[0]};
	there->space.machine = &there->machine;
	assert_int_equal(front_read_text("front.json", fixture->text, fixture->n_byte, &there->front, &err), ERR_OK);
	there->point = calloc(there->front.n_point, sizeof(*there->point));
	assert_non_null(there->point);
}

static void evaluate(const struct kept_smoke *fixture, struct there *there, const struct attribute_how *how)
{
	struct err err = {0};
	if (attribute_evaluate(&there->front, &fixture->space, &there->space, how, there->point, &there->arena, &err) !=
	    ERR_OK)
		fail_msg("%s", err_text(&err));
}

static void end(struct there *there)
{
	free(there->point);
	kept_front_free(&there->front);
	arena_free(&there->arena);
}

static void test_attribute_at_home_gives_the_recorded_figures_bit_by_bit(void **state)
{
	const struct attribute_how how = {.n_thread = 2}, anywhere = {.is_anywhere = true};
	struct there there;
	begin(*state, &there);
	for (unsigned pass = 0; pass < 2; pass++) {
		evaluate(*state, &there, pass == 0 ? &how : &anywhere);
		for (size_t i = 0; i < there.front.n_point; i++) {
			assert_int_equal(there.point[i].fate, FATE_RUNS);
			for (unsigned k = 0; k < METRIC_AREA; k++)
				assert_true(memcmp(&there.point[i].metric[k], &there.front.point[i].metric[k],
				                   sizeof(double)) == 0);
		}
	}
	end(&there);
}

/* Twice the clock of everything is half the time, and nothing else of what is counted in bytes. */
static void test_attribute_shows_what_one_constant_does(void **state)
{
	struct there there;
	begin(*state, &there);
	for (uint32_t i = 0; i < there.machine.n_level; i++)
		there.machine.level[i].clk_mhz *= 2.0;
	there.machine.noc_clk_mhz *= 2.0;
	there.machine.dram_clk_mhz *= 2.0;
	evaluate(*state, &there, &(struct attribute_how){0});
	for (size_t i = 0; i < there.front.n_point; i++) {
		const double *now = there.point[i].metric, *then = there.front.point[i].metric;
		assert_true(now[METRIC_LATENCY] > 0.45 * then[METRIC_LATENCY]);
		assert_true(now[METRIC_LATENCY] < 0.55 * then[METRIC_LATENCY]);
		assert_true(!(now[METRIC_DRAM] < then[METRIC_DRAM]) && !(now[METRIC_DRAM] > then[METRIC_DRAM]));
	}
	end(&there);
}

static void test_attribute_says_why_a_design_is_not_there(void **state)
{
	const struct attribute_how stay = {0};
	struct there there;
	begin(*state, &there);
	there.machine.pe_sram_byte = 4096;
	evaluate(*state, &there, &stay);
	assert_int_equal(there.point[0].fate, FATE_CANNOT_RUN);
	assert_non_null(strstr(there.point[0].why, "CONV_1: "));
	assert_non_null(strstr(there.point[0].why, "4096 available"));
	there.machine.pe_sram_byte = 98304;
	there.space.n_limit = 1;
	there.space.limit = &(struct space_limit){.metric = METRIC_LATENCY, .max = 0.4};
	evaluate(*state, &there, &stay);
	assert_int_equal(there.point[0].fate, FATE_RUNS);
	assert_int_equal(there.point[5].fate, FATE_OVER_LIMIT);
	assert_int_equal(strncmp(there.point[5].why, "latency_ms is 0.45", 18), 0);
	assert_non_null(strstr(there.point[5].why, ", allowed is 0.4"));
	strcpy(there.machine.level[1].name, "turbo");
	evaluate(*state, &there, &stay);
	assert_int_equal(there.point[0].fate, FATE_OUTSIDE);
	assert_non_null(strstr(there.point[0].why, "'PL2'"));
	end(&there);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_attribute_at_home_gives_the_recorded_figures_bit_by_bit),
	    cmocka_unit_test(test_attribute_shows_what_one_constant_does),
	    cmocka_unit_test(test_attribute_says_why_a_design_is_not_there),
	};
	return cmocka_run_group_tests(tests, kept_smoke_make, kept_smoke_free);
}
