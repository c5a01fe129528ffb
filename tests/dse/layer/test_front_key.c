/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of layer fronts: on random layers and machines each parameter is changed. Where the key stays, so does the
 * front, by trying every design; and each parameter that a key ever leaves out decides some other front, so that a row
 * of the tables that says NEVER of one that is read fails here. SRAM that the designs of a front fit does not change
 * it.
 */
#include "tests/support/unit_test.h"

#include "dse/layer/front_key.h"
#include "sim/program/mixed.h"
#include "tests/support/draws.h"
#include "tests/support/random_layer.h"
#include <math.h>
#include <string.h>

#define N_EVENT 40
#define N_MIGRATING 40

static bool same_front(const struct pareto *left, const struct pareto *right)
{
	return left->n == right->n &&
	       (left->n == 0 ||
	        (memcmp(left->objective, right->objective, left->n * left->n_objective * sizeof(double)) == 0 &&
	         memcmp(left->genome, right->genome, left->n * left->n_gene * sizeof(uint32_t)) == 0));
}

static struct front_key key_of(const struct layer_problem *layer)
{
	struct front_key key;
	assert_true(front_key_make(layer, &key));
	return key;
}

/* What the changes of one parameter did. */
struct seen {
	uint32_t n_left_out; /* the key stayed, and so did the front */
	bool decides;        /* a front changed, and its key with it */
};

/* Compare f and its front with what one parameter has changed. Of one that decides a front no further is looked for. */
static void compare(const struct random_layer *f, const struct pareto *front, struct random_layer *changed,
                    const char *what, struct seen *seen)
{
	struct pareto other;
	struct front_key key = key_of(&f->layer);
	if (machine_check(&changed->machine, NULL) != ERR_OK || !random_layer_build(changed, f->layer.place[0]))
		return;
	struct front_key own = key_of(&changed->layer);
	bool same_key = strcmp(own.hex, key.hex) == 0 && own.room_byte == key.room_byte;
	if (same_key || !seen->decides) {
		random_layer_front(&changed->layer, &other);
		bool same = same_front(front, &other);
		if (same_key && !same)
			fail_msg("%s is not in the key of a %d, place %u, but the front depends on it", what,
			         (int)f->block.kind, f->layer.place[0]);
		seen->decides |= !same;
		pareto_free(&other);
	}
	seen->n_left_out += same_key;
	layer_problem_free(&changed->layer);
}

/* Another value of a parameter that its range allows; the largest may be too much for the machine as a whole. */
static void change_param(struct machine *machine, const struct machine_param *param, struct rng *rng)
{
	char *at = (char *)machine + param->offset;
	uint32_t whole;
	double real;
	switch (param->type) {
	case PARAM_BOOL:
		*(bool *)(void *)at = !*(bool *)(void *)at;
		break;
	case PARAM_REAL:
		memcpy(&real, at, sizeof(real));
		real = real > 0 && rng_below(rng, 2) ? real / 2 : real + 10;
		memcpy(at, &real, sizeof(real));
		break;
	default:
		memcpy(&whole, at, sizeof(whole));
		whole = whole > 1 && rng_below(rng, 2) ? whole / 2 : param->type == PARAM_ENUM ? 0 : 2 * whole + 1;
		memcpy(at, &whole, sizeof(whole));
	}
}

static uint32_t n_pure(const struct machine *machine)
{
	uint32_t n = machine->n_level;
	while (mixed_is(&machine->level[n - 1]))
		n--;
	return n;
}

#define MAX_PARAM 128
#define MAX_LEVEL_PARAM 64

struct survey {
	struct seen machine[MAX_PARAM], level[MAX_LEVEL_PARAM], share;
	size_t n_point;
};

/* Change every parameter of a layer's machine in turn; or, where a front takes long, those of which no front is known
 * yet that they decide. */
static void change_params(struct random_layer *f, struct rng *rng, bool only_open, struct survey *survey)
{
	struct random_layer changed;
	struct pareto front;
	random_layer_front(&f->layer, &front);
	survey->n_point += front.n;
	for (size_t k = 0; k < machine_n_param; k++) {
		const struct machine_param *param = &machine_param[k];
		struct seen *seen = &survey->machine[k];
		if (only_open && (seen->decides || seen->n_left_out == 0))
			continue;
		changed = *f;
		change_param(&changed.machine, param, rng);
		compare(f, &front, &changed, param->key, seen);
	}
	for (size_t k = 0; k < machine_n_level_param && !only_open; k++) {
		changed = *f;
		char *level = (char *)&changed.machine.level[rng_below(rng, n_pure(&f->machine))];
		*(double *)(void *)(level + level_param[k].offset) *= 1.5;
		*(double *)(void *)(level + level_param[k].offset) += 0.25;
		compare(f, &front, &changed, level_param[k].key, &survey->level[k]);
	}
	changed = *f;
	for (uint32_t i = n_pure(&f->machine); i < f->machine.n_level; i++)
		changed.machine.level[i].n_share++;
	if (!only_open && n_pure(&f->machine) < f->machine.n_level)
		compare(f, &front, &changed, "share of the rounds at a slower level", &survey->share);
	pareto_free(&front);
	layer_problem_free(&f->layer);
}

/* Reuse on a mesh: filters go round in blocks, and in rings from block to block. */
static bool mesh_fixture(struct rng *rng, struct random_layer *f)
{
	assert_int_equal(machine_read("spaces/machines/thesis_chip.yaml", &f->machine, NULL), ERR_OK);
	f->machine = random_chip(rng, &f->machine);
	f->block = random_conv(rng, 12, 96);
	f->block.input = f->block.added = INPUT_LATEST;
	random_layer_space(rng, f);
	f->space.detail = DETAIL_FAST;
	f->choice.w.choice = f->choice.h.choice = f->choice.c.choice = f->choice.d.choice = SPLIT_EVEN;
	f->choice.c.max_part = 24;
	f->choice.thesis_split = false;
	bool reuses = rng_below(rng, 2) > 0;
	for (size_t i = 0; i < N_PE_STRATEGY; i++)
		f->choice.strategy[i] = strategy_table[i].reuses == reuses;
	return random_layer_build(f, 0);
}

/* A layer as ResNet-18 has them, some of whose fastest designs let filters migrate. */
static bool migrating_fixture(struct rng *rng, struct random_layer *f)
{
	assert_int_equal(machine_read("spaces/machines/thesis_chip.yaml", &f->machine, NULL), ERR_OK);
	f->block = plain_conv(7u << rng_below(rng, 3), 16u << rng_below(rng, 4), 64u << rng_below(rng, 3), 3);
	f->machine.pe_sram_byte = 16384u << rng_below(rng, 3);
	f->block.input = f->block.added = INPUT_LATEST;
	random_layer_space(rng, f);
	f->space.detail = DETAIL_FAST;
	f->space.objective[0] = METRIC_LATENCY;
	f->space.objective[1] = METRIC_SRAM_USED;
	f->choice = layer_choice_any();
	f->choice.w.choice = f->choice.h.choice = f->choice.c.choice = f->choice.d.choice = SPLIT_EVEN;
	f->choice.w.max_part = 4;
	f->choice.h.max_part = 14;
	f->choice.c.max_part = 32;
	f->choice.d.max_part = 1;
	f->choice.form[FORM_CONV] = f->choice.strategy[STRATEGY_FUSION_REUSE] = true;
	return random_layer_build(f, 0);
}

/* In the event tier, which reads what the closed forms leave alone. */
static bool event_fixture(struct rng *rng, struct random_layer *f)
{
	random_layer_machine(rng, &f->machine);
	f->machine.pe_sram_byte = 98304;
	f->block = rng_below(rng, 2) ? random_conv(rng, 4, 8) : random_matmul(rng, 40);
	if (f->block.kind == BLOCK_CONV && rng_below(rng, 2)) {
		f->block.kernel_w = f->block.kernel_h = 1;
		f->block.in_w = f->block.out_w * f->block.stride;
		f->block.in_h = f->block.out_h * f->block.stride;
		f->block.pad_left = f->block.pad_right = f->block.pad_top = f->block.pad_bottom = 0;
		f->block.has_padd = false;
		f->block.dilation = 1;
	}
	f->block.input = f->block.added = INPUT_LATEST;
	random_layer_space(rng, f);
	f->space.detail = DETAIL_EVENT;
	f->space.objective[0] = METRIC_LATENCY;
	f->choice.thesis_split = false;
	f->choice.c.max_part = f->choice.w.max_part = f->choice.h.max_part = 2;
	f->choice.d.max_part = 1;
	f->choice.level_mask = 1;
	return random_layer_build(f, 0);
}

/* The result lies in storage QPEs that are as small as some split of it allows; others need more. */
static bool storage_fixture(struct rng *rng, struct random_layer *f)
{
	uint32_t low = 1024, high = 131072;
	if (!mesh_fixture(rng, f))
		return false;
	layer_problem_free(&f->layer);
	f->choice.c.max_part = 4;
	while (low < high) {
		f->machine.chip.storage_pe_byte = low + (high - low) / 2;
		if (random_layer_build(f, PLACE_RESULT)) {
			high = f->machine.chip.storage_pe_byte;
			layer_problem_free(&f->layer);
		} else {
			low = f->machine.chip.storage_pe_byte + 1;
		}
	}
	f->machine.chip.storage_pe_byte = high;
	return random_layer_build(f, PLACE_RESULT);
}

/*
 * Parameters that decide no front of chips and QPEs. All but the last are never read; that one is, by matrix
 * multiplications whose operand A lies in another PE, but no strategy with reuse serves these
 * (mapper/distribute/distribute.c).
 */
static bool decides_nothing(const char *key)
{
	static const char *const never[] = {"dvfs.n_lane", "dvfs.lanes",          "dvfs.n_divider",
	                                    "dvfs.domain", "mla.accumulator_bit", "pe.program_byte",
	                                    "vdd_v",       "mla.matmul_stream"};
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		if (strcmp(never[i], key) == 0)
			return true;
	/* systolic arrays are not among the machines here, and their parameters are in all of their keys */
	return strncmp(key, "area.", strlen("area.")) == 0 || strncmp(key, "systolic.", strlen("systolic.")) == 0;
}

/* A parameter that some key leaves out and of which no front is known that it decides; NULL: there is none. */
static const char *find_open(const struct survey *survey)
{
	for (size_t k = 0; k < machine_n_param + machine_n_level_param; k++) {
		bool is_level = k >= machine_n_param;
		const struct seen *seen = is_level ? &survey->level[k - machine_n_param] : &survey->machine[k];
		const char *key = is_level ? level_param[k - machine_n_param].key : machine_param[k].key;
		if (seen->n_left_out > 0 && !seen->decides && !decides_nothing(key))
			return key;
	}
	return NULL;
}

static uint32_t count_left_out(const struct survey *survey)
{
	uint32_t n = 0;
	for (size_t k = 0; k < machine_n_param; k++)
		n += survey->machine[k].n_left_out > 0;
	for (size_t k = 0; k < machine_n_level_param; k++)
		n += survey->level[k].n_left_out > 0;
	return n;
}

static void survey_fixtures(bool (*make)(struct rng *rng, struct random_layer *f), uint32_t n, struct survey *survey)
{
	for (uint32_t i = 0; i < n; i++) {
		struct rng rng = rng_stream(31, 0, i);
		struct random_layer f;
		if (make(&rng, &f))
			change_params(&f, &rng, false, survey);
	}
}

/* As long as there are parameters of which no front is known that they decide: only these. */
static void survey_open(bool (*make)(struct rng *rng, struct random_layer *f), uint32_t n, struct survey *survey)
{
	for (uint32_t i = 0; i < n && find_open(survey); i++) {
		struct rng rng = rng_stream(34, 0, i);
		struct random_layer f;
		if (make(&rng, &f))
			change_params(&f, &rng, true, survey);
	}
}

static void test_front_key_leaves_out_what_no_front_depends_on(void **state)
{
	(void)state;
	struct survey survey = {.n_point = 0};
	assert_true(machine_n_param <= MAX_PARAM && machine_n_level_param <= MAX_LEVEL_PARAM);
	const uint32_t n_problem = draws(250, 80), n_storage = draws(60, 20);
	survey_fixtures(random_layer_fill, n_problem, &survey);
	assert_true(survey.n_point > 2 * n_problem);
	survey_fixtures(mesh_fixture, draws(45, 15), &survey);
	survey_fixtures(storage_fixture, n_storage, &survey);
	/* a sample does not see every parameter decide a front */
	if (draws_all()) {
		survey_open(storage_fixture, 4 * n_storage, &survey);
		survey_open(migrating_fixture, N_MIGRATING, &survey);
		/* the event tier takes long */
		survey_open(event_fixture, N_EVENT, &survey);
		if (find_open(&survey))
			fail_msg("%s is left out of keys, and no front was seen that depends on it",
			         find_open(&survey));
	}
	assert_true(survey.share.decides);
	print_message("%u parameters left out of some keys, %zu points\n", count_left_out(&survey), survey.n_point);
	/* clocks, widths and numbers of PEs never are */
	assert_int_equal(survey.machine[machine_find_param("qpe.n_pe") - machine_param].n_left_out, 0);
	assert_int_equal(survey.machine[machine_find_param("noc.clk_mhz") - machine_param].n_left_out, 0);
	assert_true(count_left_out(&survey) >= 42 + machine_n_level_param - 1);
}

/* With every SRAM that holds the designs of a front, from the one it was found with down, the front is the same. */
static void test_front_key_room_serves_what_fits(void **state)
{
	static const uint32_t sram_byte[] = {1024, 2048, 3072, 4096, 6144, 8192, 16384, 65536};
	(void)state;
	const uint32_t n_room = draws(150, 60);
	uint32_t n_served = 0, n_other = 0;
	for (uint32_t i = 0; i < n_room; i++) {
		struct rng rng = rng_stream(32, 0, i);
		struct random_layer f, less;
		struct pareto front, other;
		(void)random_layer_fill(&rng, &f);
		layer_problem_free(&f.layer);
		f.machine.pe_sram_byte = sram_byte[4 + rng_below(&rng, 4)];
		f.choice.thesis_split = false;
		f.space.n_limit = 0;
		if (!random_layer_build(&f, 0))
			continue;
		struct front_key key = key_of(&f.layer);
		uint64_t need_byte = 0;
		random_layer_front(&f.layer, &front);
		for (size_t k = 0; k < front.n; k++) {
			uint64_t byte = front_need_byte(&f.layer, front.genome + k * N_LAYER_GENE);
			need_byte = byte > need_byte ? byte : need_byte;
		}
		assert_true(need_byte <= f.machine.pe_sram_byte);
		less = f;
		less.machine.pe_sram_byte = sram_byte[rng_below(&rng, 4)];
		if (key.room_byte > 0 && front.n > 0 && random_layer_build(&less, 0)) {
			assert_string_equal(key_of(&less.layer).hex, key.hex);
			random_layer_front(&less.layer, &other);
			bool serves = need_byte <= less.machine.pe_sram_byte;
			assert_int_equal(same_front(&front, &other), serves);
			n_served += serves;
			n_other += !serves;
			pareto_free(&other);
			layer_problem_free(&less.layer);
		}
		pareto_free(&front);
		layer_problem_free(&f.layer);
	}
	print_message("%u fronts served less SRAM, %u did not\n", n_served, n_other);
	assert_true(n_served > n_room / 10 && n_other > n_room / 15);
}

/* Layers whose fronts may differ have other keys. */
static void test_front_key_tells_layers_apart(void **state)
{
	(void)state;
	struct rng rng = rng_stream(33, 0, 0);
	struct random_layer f;
	assert_int_equal(machine_read("spaces/machines/dvfs_chip.yaml", &f.machine, NULL), ERR_OK);
	f.block = random_conv(&rng, 8, 24);
	random_layer_space(&rng, &f);
	f.space.objective[0] = METRIC_LATENCY;
	f.space.objective[1] = METRIC_ENERGY;
	f.choice.thesis_split = false;
	assert_true(random_layer_build(&f, 0));
	const struct front_key key = key_of(&f.layer);
	layer_problem_free(&f.layer);
	struct random_layer changed[7];
	for (size_t i = 0; i < 7; i++)
		changed[i] = f;
	changed[0].block.in_c++;
	changed[1].block.has_acti = !f.block.has_acti;
	changed[2].choice.c.max_part++;
	changed[3].choice.level_mask = 1;
	changed[4].space.objective[1] = METRIC_PEAK_POWER;
	changed[5].machine.noc_clk_mhz += 1;
	changed[6].block.name[0] = 'X';
	for (size_t i = 0; i < 7; i++) {
		changed[i].space.limit = &changed[i].limit;
		assert_true(random_layer_build(&changed[i], 0));
		assert_int_equal(strcmp(key_of(&changed[i].layer).hex, key.hex) == 0, i == 6);
		layer_problem_free(&changed[i].layer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_front_key_leaves_out_what_no_front_depends_on),
	    cmocka_unit_test(test_front_key_room_serves_what_fits),
	    cmocka_unit_test(test_front_key_tells_layers_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
