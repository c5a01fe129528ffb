/* SPDX-License-Identifier: Apache-2.0 */
/* Composition of chains known beforehand: equal sums in any order, no layer at all, and no way through. */
#include "dse/pareto/compose.h"
#include "tests/support/unit_test.h"
#include <math.h>

static void test_compose_sums_do_not_depend_on_order(void **state)
{
	/* In doubles, 0.1 + 0.3 + 0.1 is not 0.1 + 0.1 + 0.3; here all orders are one point. */
	const double metric[] = {0.1, 0.7, 0.3, 0.2};
	const uint32_t id[] = {4, 3};
	const struct compose_front front = {2, metric, id};
	const struct compose_edge edge = {0, 0, &front};
	const enum compose_op op[] = {COMPOSE_SUM, COMPOSE_SUM};
	const double limit[] = {INFINITY, INFINITY};
	const struct compose_options options = {
	    .n_metric = 2, .op = op, .limit = limit, .n_state = 1, .max_front = SIZE_MAX};
	struct compose_layer layer[9];
	struct compose_result result;
	(void)state;
	for (size_t i = 0; i < 9; i++)
		layer[i] = (struct compose_layer){1, &edge, 1};
	assert_int_equal(compose_chain(layer, 9, &options, &result, NULL, NULL), ERR_OK);
	assert_int_equal(result.n, 10);
	for (size_t i = 0; i < result.n; i++) {
		assert_true(fabs(result.metric[2 * i] - (0.9 + 0.2 * (double)i)) < 1e-14);
		/* i times the second point; of all orders the first: the smaller id in front. */
		for (size_t k = 0; k < 9; k++)
			assert_int_equal(result.id[9 * i + k], k < i ? 3 : 4);
	}
	assert_int_equal(result.n_composed, 2 * (1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9));
	compose_free(&result);
}

static void test_compose_of_no_layers_is_one_empty_chain(void **state)
{
	const enum compose_op op[] = {COMPOSE_SUM, COMPOSE_MAX};
	const double limit[] = {0, 0};
	const struct compose_options options = {.n_metric = 2, .op = op, .limit = limit, .n_state = 2, .max_front = 10};
	struct compose_result result;
	(void)state;
	assert_int_equal(compose_chain(NULL, 0, &options, &result, NULL, NULL), ERR_OK);
	assert_int_equal(result.n, 1);
	assert_true(result.metric[0] == 0.0 && result.metric[1] == 0.0);
	compose_free(&result);
}

static void test_compose_without_a_way_is_empty(void **state)
{
	const double metric[] = {1};
	const uint32_t id[] = {0};
	const struct compose_front front = {1, metric, id};
	const struct compose_edge first = {0, 0, &front}, second = {1, 1, &front};
	const struct compose_layer layer[] = {{1, &first, 1}, {1, &second, 1}};
	const enum compose_op op[] = {COMPOSE_SUM};
	const double limit[] = {INFINITY};
	const struct compose_options options = {.n_metric = 1, .op = op, .limit = limit, .n_state = 2, .max_front = 10};
	struct compose_result result;
	double nearest;
	(void)state;
	assert_int_equal(compose_chain(layer, 2, &options, &result, &nearest, NULL), ERR_OK);
	assert_int_equal(result.n, 0);
	assert_true(isinf(nearest));
	compose_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_compose_sums_do_not_depend_on_order),
	    cmocka_unit_test(test_compose_of_no_layers_is_one_empty_chain),
	    cmocka_unit_test(test_compose_without_a_way_is_empty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
