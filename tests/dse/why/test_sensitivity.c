/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dse sensitivity on random small spaces: each bar drawn is what an exhaustive search of whole designs finds, in a
 * space that is written down with that value; and threads change nothing.
 */
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/why/sensitivity.h"
#include "sim/base/rng.h"
#include "tests/support/draws.h"
#include "tests/support/random_network.h"
#include "tests/support/slow_build.h"
#include "tests/support/space_folder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096, N_AXIS = 3 };

static const struct {
	const char *key, *values, *own[3];
} axis[N_AXIS] = {{"mla.array", "16x4, 8x4, 16x2", {"16x4", "8x4", "16x2"}},
                  {"pe.sram_byte", "65536, 8192, 4096", {"65536", "8192", "4096"}},
                  {"noc.clk_mhz", "500, 200, 300", {"500", "200", "300"}}};

struct drawn {
	char layers[TEXT], limit[128];
	unsigned n_axis;
	const char *own[N_AXIS];
};

/* A parameter at a value, and what changes along (NULL: nothing). */
struct changed {
	const char *key, *to, *with, *with_to;
};

/* Axes with all their values, or with the machine's own and what is changed. */
static void write_space(const struct drawn *drawn, bool is_fixed, const struct changed *changed)
{
	const char *key = changed ? changed->key : NULL, *to = changed ? changed->to : NULL;
	char text[4 * TEXT];
	bool is_there = false;
	int n = snprintf(text, sizeof(text), "name: random\nmachine: dvfs_chip\nnetwork: random.yaml\naxes:\n");
	for (unsigned i = 0; i < drawn->n_axis; i++) {
		bool is_this = key && strcmp(key, axis[i].key) == 0;
		is_there |= is_this;
		n += snprintf(text + n, sizeof(text) - (size_t)n, "  %s: [%s]\n", axis[i].key,
		              is_this    ? to
		              : is_fixed ? drawn->own[i]
		                         : axis[i].values);
	}
	if (key && !is_there)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "  %s: [%s]\n", key, to);
	if (changed && changed->with)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "  %s: [%s]\n", changed->with, changed->with_to);
	(void)snprintf(text + n, sizeof(text) - (size_t)n, "%s%sobjectives: [latency_ms, energy_mj]\n", drawn->layers,
	               drawn->limit);
	folder_write("space.yaml", text, "");
}

/* Least latency and energy of all whole designs with what is changed (NULL: of the machine as it is). */
static void search_all(const struct drawn *drawn, const struct changed *changed, double least[2])
{
	struct space space;
	struct explore explore;
	write_space(drawn, true, changed);
	folder_read_space(&space);
	folder_explore(&space, &engine_exhaustive, true, 1, &explore);
	least[0] = least[1] = INFINITY;
	for (size_t i = 0; i < explore.front.n; i++)
		for (unsigned k = 0; k < 2; k++)
			least[k] = fmin(least[k], explore.front.objective[2 * i + k]);
	explore_free(&explore);
	space_free(&space);
}

static void draw(struct rng *rng, struct drawn *drawn)
{
	char network[TEXT];
	unsigned n_layer;
	*drawn = (struct drawn){.n_axis = 1 + rng_below(rng, N_AXIS)};
	random_network(rng, 1, network, TEXT, &n_layer);
	folder_write("random.yaml", network, "");
	for (unsigned i = 0; i < drawn->n_axis; i++)
		drawn->own[i] = axis[i].own[rng_below(rng, 3)];
	(void)snprintf(drawn->layers, TEXT,
	               "layers:\n  - match: '.*'\n    split: whole\n    conv_1x1: conv\n    strategy: [no_fusion, "
	               "fusion]\n  - match: '_(SC_)?1$'\n    split: {height: {max_parts: %u, choose: even}}\n",
	               1 + rng_below(rng, 3));
	if (rng_below(rng, 3) == 0) {
		double least[2];
		search_all(drawn, NULL, least);
		if (isfinite(least[0]))
			(void)snprintf(drawn->limit, sizeof(drawn->limit), "constraints: [latency_ms <= %.9g]\n",
			               least[0] * 1.05);
	}
}

static char *print(const struct sensitivity *sensitivity)
{
	char *text = NULL;
	size_t n = 0;
	FILE *file = open_memstream(&text, &n);
	assert_non_null(file);
	sensitivity_put_json(file, sensitivity);
	sensitivity_print(file, sensitivity);
	sensitivity_draw(file, sensitivity);
	assert_int_equal(fclose(file), 0);
	return text;
}

static enum err_code make(const struct drawn *drawn, unsigned n_thread, uint64_t max_box,
                          struct sensitivity *sensitivity, char **text)
{
	struct space space;
	struct err err = {0};
	write_space(drawn, false, NULL);
	folder_read_space(&space);
	const struct sensitivity_request request = {
	    .space = &space, .value = drawn->own, .n_thread = n_thread, .max_box = max_box};
	enum err_code code = sensitivity_make(&request, sensitivity, &err);
	err_clear(&err);
	*text = code == ERR_OK ? print(sensitivity) : NULL;
	space_free(&space);
	return code;
}

static bool is_near(double left, double right)
{
	return fabs(left - right) <= 1e-8 * fabs(right);
}

static void check_bar(const struct drawn *drawn, const struct sensitivity *sensitivity,
                      const struct sensitivity_bar *bar)
{
	double least[2];
	const struct changed changed = {bar->param->key, bar->to, bar->with ? bar->with->key : NULL, bar->with_to};
	search_all(drawn, &changed, least);
	if (bar->reason) {
		assert_true(isinf(least[0]));
		return;
	}
	for (unsigned k = 0; k < 2; k++) {
		double ratio = least[k] / sensitivity->least[k];
		assert_true(is_near(bar->least[k], least[k]));
		assert_true(fabs(bar->change_frac[k] - (ratio - 1.0)) < 1e-8);
		double from = strtod(bar->from, NULL), to = strtod(bar->to, NULL);
		if (bar->param->type == PARAM_U32 || bar->param->type == PARAM_REAL)
			assert_true(fabs(bar->elasticity[k] - log(ratio) / log(to / from)) < 1e-6);
	}
}

/* Bars of a parameter lie together, and no later one gains more than the first of all. */
static void check_order(const struct sensitivity *sensitivity)
{
	for (size_t i = 1; i < sensitivity->n_design; i++) {
		const struct sensitivity_bar *bar = &sensitivity->bar[i];
		assert_true(bar->gain <= sensitivity->bar[0].gain);
		for (size_t k = 0; k + 1 < i; k++)
			if (sensitivity->bar[k].param == bar->param)
				assert_ptr_equal(bar[-1].param, bar->param);
	}
	for (size_t i = 0; i < sensitivity->n_bar; i++)
		assert_int_equal(sensitivity->bar[i].reason != NULL, i >= sensitivity->n_design);
}

static const struct sensitivity_bar *find_bar(const struct sensitivity *all, const struct sensitivity_bar *wanted)
{
	for (size_t i = 0; i < all->n_bar; i++)
		if (all->bar[i].param == wanted->param && strcmp(all->bar[i].to, wanted->to) == 0)
			return &all->bar[i];
	return NULL;
}

static bool is_left(const struct sensitivity *sensitivity, const struct machine_param *param)
{
	for (size_t i = 0; i < sensitivity->n_left; i++)
		if (strcmp(sensitivity->left[i].key, param->key) == 0)
			return true;
	return false;
}

/* Within a budget bars are those of the whole, or their parameters are said to be left; threads change nothing. */
static void check_budget(const struct drawn *drawn, const struct sensitivity *all, uint64_t max_box, unsigned *n_part,
                         unsigned *n_left)
{
	struct sensitivity part, again;
	char *text, *text_again;
	assert_int_equal(make(drawn, 1, max_box, &part, &text), ERR_OK);
	assert_int_equal(make(drawn, 2, max_box, &again, &text_again), ERR_OK);
	assert_string_equal(text, text_again);
	for (size_t i = 0; i < part.n_bar; i++) {
		const struct sensitivity_bar *bar = &part.bar[i], *other = find_bar(all, bar);
		assert_non_null(other);
		assert_int_equal(bar->reason != NULL, other->reason != NULL);
		for (unsigned k = 0; k < 2 && !bar->reason; k++)
			assert_true(is_near(bar->least[k], other->least[k]));
	}
	for (size_t i = 0; i < all->n_bar; i++)
		assert_true(part.is_unsearched || find_bar(&part, &all->bar[i]) || is_left(&part, all->bar[i].param));
	/* with the mappings as they are a bar that was left out is no better than mapped anew */
	for (unsigned k = 0; k < 2 && part.best_left; k++) {
		const struct sensitivity_bar *other = find_bar(all, part.best_left);
		assert_non_null(other);
		assert_true((1.0 + part.best_left->change_frac[k]) * part.least[k] >= other->least[k] * (1.0 - 1e-9));
		*n_left += k;
	}
	*n_part += part.n_bar > 0 && part.n_bar < all->n_bar;
	assert_true(!part.is_unsearched || part.n_bar == 0);
	free(text);
	free(text_again);
	sensitivity_free(&part);
	sensitivity_free(&again);
}

/* DRAM's bandwidth by another name gains what the bar of its clock gains, but for rounding. */
static void check_names(const struct drawn *drawn, const struct sensitivity *sensitivity, double *apart)
{
	for (size_t i = 0; i < sensitivity->n_design; i++) {
		const struct sensitivity_bar *bar = &sensitivity->bar[i];
		bool more = strtod(bar->to, NULL) > strtod(bar->from, NULL);
		const struct changed other = {.key = "dram.access_byte", .to = more ? "32" : "8"};
		double least[2];
		if (strcmp(bar->param->key, "dram.clk_mhz") != 0)
			continue;
		search_all(drawn, &other, least);
		for (unsigned k = 0; k < 2; k++)
			*apart = fmax(*apart, fabs(least[k] / bar->least[k] - 1.0));
	}
}

static void test_bars_are_what_an_exhaustive_search_finds(void **state)
{
	const unsigned n = draws(400, 15);
	unsigned n_part = 0, n_left = 0, n_checked = 0, n_declared = 0, n_limited = 0, n_refused = 0, n_useful = 0;
	double apart = 0.0;
	struct rng rng = rng_stream(20, 4, 100);
	(void)state;
	for (unsigned i = 0; i < n; i++) {
		struct drawn drawn;
		struct sensitivity one, two;
		char *text, *again;
		double least[2];
		draw(&rng, &drawn);
		search_all(&drawn, NULL, least);
		if (make(&drawn, 1, 0, &one, &text) != ERR_OK) {
			assert_true(isinf(least[0])); /* no design of the machine runs */
			sensitivity_free(&one);
			continue;
		}
		if (draws_all() || i % 3 == 0) {
			assert_int_equal(make(&drawn, 2, 0, &two, &again), ERR_OK);
			assert_string_equal(text, again);
			free(again);
			sensitivity_free(&two);
		}
		assert_true(is_near(one.least[0], least[0]) && is_near(one.least[1], least[1]));
		check_order(&one);
		for (size_t k = 0; k < one.n_bar; k++) {
			const struct sensitivity_bar *bar = &one.bar[k];
			n_declared += bar->is_declared;
			n_refused += bar->reason != NULL;
			if (!draws_all() && strcmp(bar->param->key, "pe.sram_byte") != 0 && rng_below(&rng, 4) > 2)
				continue;
			check_bar(&drawn, &one, bar);
			n_checked++;
		}
		check_budget(&drawn, &one, UINT64_C(1) << rng_below(&rng, 14), &n_part, &n_left);
		if (!one.has_limits && (draws_all() || i % 4 == 0))
			check_names(&drawn, &one, &apart);
		n_limited += one.has_limits;
		n_useful += one.bar[0].gain > 1e-7;
		free(text);
		sensitivity_free(&one);
	}
	assert_true(n_checked >= 2 * n && n_declared > 0 && n_refused > 0 && n_useful > 0);
	assert_true(n_limited > 0 || SLOW_BUILD);
	print_message("%u bars, %u of budgets that end between them; DRAM's bandwidth by another name: %.2f %% apart\n",
	              n_checked, n_part, 100.0 * apart);
	assert_true(apart < 0.05 && ((n_part > 0 && n_left > 0) || SLOW_BUILD));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_bars_are_what_an_exhaustive_search_finds, folder_make, folder_remove),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
