/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dse why on random small spaces against all of their designs: a space and a choice are drawn; all designs of the space
 * and of the space with the choice, written down as a space of its own, are evaluated as wholes. Each fact, and each
 * sentence that is printed, must hold of them:
 *
 *   space, choice ─► why_parse, why_make ─► facts, sentences ──────────┐
 *      ├──────────► flat exhaustive search of the space ───────────────┼─► contradicted?
 *      └──────────► flat exhaustive search with the choice, each step ─┘
 *
 * Choices are values of parameters, machines of the space and from a file, strategies, levels and splits of all layers
 * or of one, and mappings. A mapping is a design that an exhaustive search found; its figures are the search's where it
 * was found, and one run of the network elsewhere.
 */
#include "tests/support/unit_test.h"

#include "dse/design/mapping.h"
#include "dse/design/simulate.h"
#include "dse/design/unroll.h"
#include "dse/engine/engine.h"
#include "dse/search/explore.h"
#include "dse/space/space_goals.h"
#include "dse/space/space_machine.h"
#include "dse/why/why.h"
#include "sim/base/rng.h"
#include "tests/support/draws.h"
#include "tests/support/random_network.h"
#include "tests/support/space_folder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096, N_AXIS = 3, N_VALUE = 3, MAX_BLOCK = 8 };
#define SAME (1.0 + 1e-9)

/* Values of the axes; choices may be others. */
static const struct {
	const char *key, *value[N_VALUE], *other[3];
	bool is_number;
} axis[N_AXIS] = {{"mla.array", {"16x4", "8x4", "16x2"}, {"32x4", "4x4", "8x2"}, false},
                  {"pe.sram_byte", {"65536", "32768", "16384"}, {"8192", "131072", "4096"}, true},
                  {"noc.clk_mhz", {"500", "200", "300"}, {"100", "1000", "250"}, true}};

struct drawn {
	char network_layers[TEXT], objectives[128], limit[128];
	unsigned n[N_AXIS]; /* values that vary; 0: no axis */
	unsigned n_objective;
	bool is_scaled[SPACE_MAX_OBJECTIVE];
	int chosen[N_AXIS]; /* of value, then of other; -1: not chosen */
	char layer_rule[256];
	size_t n_word;
	char word[N_AXIS + 2][FOLDER_PATH];
	const char *machine, *chosen_machine; /* as spaces name them; of the choice, NULL: none */
	bool is_file;                         /* the chosen one is none of the space's */
	double most_ms;                       /* the limit */
	/* A mapping is the choice, and what the search that found it says of it. */
	bool has_mapping;
	struct layer_design design[MAX_BLOCK];
	double found[SPACE_MAX_OBJECTIVE];
	char found_machine[128];
};

static const char *value_of(const struct drawn *drawn, unsigned i)
{
	int at = drawn->chosen[i];
	return at < N_VALUE ? axis[i].value[at] : axis[i].other[at - N_VALUE];
}

/*
 * Machines like dvfs_chip, in the folder: second.yaml, third.yaml. None is another one's equal whatever axes set: the
 * same design twice, summed in another order, may be one of a front's points or two.
 */
static int make_folder(void **state)
{
	static const struct {
		const char *file, *name, *array, *init;
	} own[] = {{"second.yaml", "second", "8x8", "11"}, {"third.yaml", "third", "12x4", "16"}};
	char text[4 * TEXT];
	if (folder_make(state) != 0)
		return -1;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		FILE *shipped = fopen("spaces/machines/dvfs_chip.yaml", "r"), *file = folder_open(own[i].file);
		while (shipped && fgets(text, sizeof(text), shipped))
			if (strncmp(text, "name:", 5) == 0)
				(void)fprintf(file, "name: %s\n", own[i].name);
			else if (strncmp(text, "  array:", 8) == 0)
				(void)fprintf(file, "  array: %s\n", own[i].array);
			else if (strncmp(text, "  init_clk:", 11) == 0)
				(void)fprintf(file, "  init_clk: %s\n", own[i].init);
			else
				(void)fputs(text, file);
		if (!shipped || fclose(shipped) != 0 || fclose(file) != 0)
			return -1;
	}
	return 0;
}

/* A machine of the space's two, or one from a file, is chosen; or nothing of the kind. */
static void draw_machine(struct rng *rng, struct drawn *drawn)
{
	char path[FOLDER_PATH];
	drawn->machine = rng_below(rng, 3) ? "machine: dvfs_chip" : "machines: [dvfs_chip, second.yaml]";
	unsigned kind = rng_below(rng, 6);
	if (kind > 1)
		return;
	bool has_second = strchr(drawn->machine, '[') != NULL;
	drawn->is_file = kind == 1;
	drawn->chosen_machine = drawn->is_file                    ? "third.yaml"
	                        : has_second && rng_below(rng, 2) ? "second.yaml"
	                                                          : "dvfs_chip";
	(void)snprintf(drawn->word[drawn->n_word++], FOLDER_PATH, "machine=%.300s",
	               drawn->is_file                               ? folder_path("third.yaml", path)
	               : strcmp(drawn->chosen_machine, "dvfs_chip") ? "second"
	                                                            : "dvfs_chip");
}

/* A split, strategy or level of one layer, or a strategy, a level or uncut parts of all: as a word, and as a rule. */
static void draw_layer(struct rng *rng, struct drawn *drawn, const struct network *network)
{
	const struct block *block = &network->block[rng_below(rng, (uint32_t)network->n_block)];
	const char *strategy = rng_below(rng, 2) ? "fusion" : "no_fusion", *level = rng_below(rng, 2) ? "PL1" : "PL2";
	char *word = drawn->word[drawn->n_word++], match[64] = ".*", before[64] = "";
	char dot = rng_below(rng, 2) ? '.' : ' ';
	unsigned kind = rng_below(rng, 4);
	struct split whole = split_whole(block);
	if (kind == 2 || rng_below(rng, 2)) {
		(void)snprintf(match, sizeof(match), "^%s$", block->name);
		(void)snprintf(before, sizeof(before), "%s%c", block->name, dot);
	}
	int n = snprintf(drawn->layer_rule, sizeof(drawn->layer_rule), "  - match: '%s'\n    ", match);
	char *rule = drawn->layer_rule + n;
	size_t n_rule = sizeof(drawn->layer_rule) - (size_t)n;
	if (kind == 0) {
		(void)snprintf(word, FOLDER_PATH, "%sstrategy=%s", before, strategy);
		(void)snprintf(rule, n_rule, "strategy: [%s]\n", strategy);
	} else if (kind == 1) {
		(void)snprintf(word, FOLDER_PATH, "%slevel=%s", before, level);
		(void)snprintf(rule, n_rule, "level: [%s]\n", level);
	} else if (kind == 2) {
		char height[64], channels[64];
		uint32_t n_h = 1 + rng_below(rng, whole.h.size_a < 4 ? whole.h.size_a : 4);
		uint32_t n_c = 1 + rng_below(rng, whole.c.size_a < 4 ? whole.c.size_a : 4);
		struct dim_split h = dim_even(whole.h.size_a, n_h, 1), c = dim_even(whole.c.size_a, n_c, 1);
		(void)dim_print(&h, height, sizeof(height));
		(void)dim_print(&c, channels, sizeof(channels));
		(void)snprintf(word, FOLDER_PATH, "%ssplit=height:%s,out_channels:%s", before, height, channels);
		(void)snprintf(rule, n_rule, "split: {height: ['%s'], out_channels: ['%s']}\n", height, channels);
	} else {
		(void)snprintf(word, FOLDER_PATH, "%ssplit=whole", before);
		(void)snprintf(rule, n_rule, "split: whole\n");
	}
}

static void draw(struct rng *rng, struct drawn *drawn)
{
	static const char *const metric[] = {"latency_ms", "energy_mj", "dram_byte"};
	char network[TEXT];
	unsigned n_layer, n_scaled = 1 + rng_below(rng, 3);
	int n = 0;
	*drawn = (struct drawn){.n_objective = 0};
	random_network(rng, 2, network, TEXT, &n_layer);
	folder_write("random.yaml", network, "");
	for (unsigned i = 0; i < n_scaled; i++) {
		n += snprintf(drawn->objectives + n, sizeof(drawn->objectives) - (size_t)n, "%s%s", i ? ", " : "",
		              metric[i]);
		drawn->is_scaled[drawn->n_objective++] = true;
	}
	if (rng_below(rng, 2)) {
		(void)snprintf(drawn->objectives + n, sizeof(drawn->objectives) - (size_t)n, ", mac_units");
		drawn->n_objective++;
	}
	draw_machine(rng, drawn);
	for (unsigned i = 0; i < N_AXIS; i++) {
		drawn->n[i] = rng_below(rng, N_VALUE + 1);
		drawn->chosen[i] = rng_below(rng, 2) ? (int)rng_below(rng, N_VALUE + 3) : -1;
		if (drawn->chosen[i] >= 0)
			(void)snprintf(drawn->word[drawn->n_word++], sizeof(drawn->word[0]), "%s=%s", axis[i].key,
			               value_of(drawn, i));
	}
	(void)snprintf(
	    drawn->network_layers, TEXT,
	    "layers:\n  - match: '.*'\n    split: whole\n    conv_1x1: conv\n    strategy: [no_fusion, fusion]\n"
	    "  - match: '_(SC_)?[1-2]$'\n    split: {height: {max_parts: %u, choose: even}}\n",
	    2 + rng_below(rng, 2));
}

/* The space as text: with the choice or without, and with one axis at a value. */
static void write_space(const struct drawn *drawn, bool with_choice, const char *step_key, const char *step_to)
{
	char text[4 * TEXT];
	int n = snprintf(text, sizeof(text), "name: random\n%s%s\nnetwork: random.yaml\naxes:\n",
	                 with_choice && drawn->chosen_machine ? "machine: " : "",
	                 with_choice && drawn->chosen_machine ? drawn->chosen_machine : drawn->machine);
	for (unsigned i = 0; i < N_AXIS; i++) {
		bool is_step = step_key && strcmp(step_key, axis[i].key) == 0;
		bool is_chosen = with_choice && drawn->chosen[i] >= 0;
		bool is_axis = drawn->n[i] > 0 && !(with_choice && drawn->is_file); /* a file's machine has none */
		if (!is_axis && !is_step && !is_chosen)
			continue;
		n += snprintf(text + n, sizeof(text) - (size_t)n, "  %s: [", axis[i].key);
		if (is_step || is_chosen)
			n += snprintf(text + n, sizeof(text) - (size_t)n, "%s", is_step ? step_to : value_of(drawn, i));
		else
			for (unsigned k = 0; k < drawn->n[i]; k++)
				n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s", k ? ", " : "",
				              axis[i].value[k]);
		n += snprintf(text + n, sizeof(text) - (size_t)n, "]\n");
	}
	(void)snprintf(text + n, sizeof(text) - (size_t)n, "%s%s%sobjectives: [%s]\n", drawn->network_layers,
	               with_choice ? drawn->layer_rule : "", drawn->limit, drawn->objectives);
	/* a space without axes has no key for them */
	char *none = strstr(text, "axes:\nlayers:");
	if (none)
		memmove(none, none + strlen("axes:\n"), strlen(none + strlen("axes:\n")) + 1);
	folder_write("space.yaml", text, "");
}

static struct pareto search(const struct drawn *drawn, bool with_choice, const char *step_key, const char *step_to,
                            const struct engine_kind *engine)
{
	struct space space;
	struct explore explore;
	write_space(drawn, with_choice, step_key, step_to);
	folder_read_space(&space);
	folder_explore(&space, engine, engine == &engine_exhaustive, 2, &explore);
	struct pareto all = explore.front;
	explore.front = (struct pareto){0};
	explore_free(&explore);
	space_free(&space);
	return all;
}

static struct pareto all_designs(const struct drawn *drawn, bool with_choice, const char *step_key, const char *step_to)
{
	return search(drawn, with_choice, step_key, step_to, &engine_exhaustive);
}

/* The mapping's figures on each machine of the space with the choice, as far as it runs and keeps the limit. */
static struct pareto mapping_points(const struct drawn *drawn, const char *step_key, const char *step_to)
{
	struct space space;
	struct pareto all;
	write_space(drawn, true, step_key, step_to);
	folder_read_space(&space);
	const struct network *network = &space.network[0].network;
	pareto_init(&all, drawn->n_objective, 1);
	for (uint64_t m = 0; m < space_n_machine(&space); m++) {
		struct machine machine;
		char why[256], text[EXPLORE_TEXT_SIZE];
		struct simulated block[MAX_BLOCK];
		struct simulate_totals totals;
		struct err err = {0};
		const struct simulate_options options = {.design = drawn->design};
		double own[SPACE_MAX_OBJECTIVE];
		uint32_t gene = (uint32_t)m;
		bool runs = space_machine(&space, m, &machine, why, sizeof(why)) &&
		            simulate_network(&machine, network, &options, block, &err) == ERR_OK;
		for (size_t i = 0; i < network->n_block && runs; i++)
			runs = block[i].ran;
		err_clear(&err);
		if (!runs)
			continue;
		simulate_sum(&machine, block, network->n_block, NULL, &totals);
		for (unsigned k = 0; k < drawn->n_objective; k++)
			own[k] = totals.metric[space.objective[k]];
		if (drawn->limit[0] && own[0] > drawn->most_ms * SAME)
			continue;
		explore_machine_text(&space, (uint32_t)m, &machine, text, sizeof(text));
		if (!step_key && strcmp(text, drawn->found_machine) == 0) /* what found it says the same */
			for (unsigned k = 0; k < drawn->n_objective; k++)
				assert_true(fabs(own[k] / drawn->found[k] - 1.0) < 1e-9);
		(void)pareto_insert(&all, own, &gene, m);
	}
	space_free(&space);
	return all;
}

/* Designs with the choice, and with an axis at a value. */
static struct pareto own_designs(const struct drawn *drawn, const char *step_key, const char *step_to)
{
	return drawn->has_mapping ? mapping_points(drawn, step_key, step_to)
	                          : all_designs(drawn, true, step_key, step_to);
}

/*
 * A design of the space narrowed by a layer's choice as a file, which is the choice from now on; what it is narrowed by
 * is forgotten. Nothing happens where the narrowed space has no design.
 */
static void draw_mapping(struct rng *rng, struct drawn *drawn)
{
	struct space space;
	struct explore explore;
	struct unroller unroller;
	struct unrolled point;
	struct err err = {0};
	write_space(drawn, true, NULL, NULL);
	folder_read_space(&space);
	folder_explore(&space, &engine_exhaustive, true, 2, &explore);
	drawn->n_word--;
	drawn->layer_rule[0] = '\0';
	if (explore.front.n > 0) {
		char path[FOLDER_PATH];
		assert_int_equal(unroller_init(&unroller, &explore, 1, &err), ERR_OK);
		assert_int_equal(unrolled_init(&explore.map, &point, &err), ERR_OK);
		unroll_point(&unroller, rng_below(rng, (uint32_t)explore.front.n), &point);
		explore_machine_text(&space, point.machine_index, point.machine, drawn->found_machine,
		                     sizeof(drawn->found_machine));
		for (size_t i = 0; i < point.n_layer; i++)
			drawn->design[i] = point.layer[i]->design;
		for (unsigned k = 0; k < drawn->n_objective; k++)
			drawn->found[k] = point.metric[space.objective[k]];
		const struct mapping mapping = {.name = "drawn",
		                                .machine_file = "dvfs_chip",
		                                .network_file = "random.yaml",
		                                .machine = *point.machine,
		                                .network = space.network[0].network,
		                                .design = drawn->design};
		FILE *file = folder_open("mapping.yaml");
		mapping_write(file, &mapping, NULL);
		assert_int_equal(fclose(file), 0);
		drawn->has_mapping = true;
		(void)snprintf(drawn->word[drawn->n_word++], FOLDER_PATH, "%s", folder_path("mapping.yaml", path));
		unrolled_free(&point);
		unroller_free(&unroller);
	}
	explore_free(&explore);
	space_free(&space);
}

static const double *design(const struct pareto *all, size_t i)
{
	return all->objective + i * all->n_objective;
}

/* Whether a is no worse than b in any objective, and better by the margins [n_objective]. */
static bool is_better(const struct drawn *drawn, const double *a, const double *b, const double *margin)
{
	for (unsigned k = 0; k < drawn->n_objective; k++)
		if (!(a[k] * (1.0 + margin[k]) <= b[k] * SAME))
			return false;
	return true;
}

static bool is_equal(const struct drawn *drawn, const double *a, const double *b)
{
	for (unsigned k = 0; k < drawn->n_objective; k++)
		if (!(a[k] <= b[k] * SAME && b[k] <= a[k] * SAME))
			return false;
	return true;
}

static unsigned n_not_beaten(const struct drawn *drawn, const struct pareto *front, const struct pareto *own)
{
	const double none[SPACE_MAX_OBJECTIVE] = {0};
	unsigned n = 0;
	for (size_t i = 0; i < own->n; i++) {
		bool beaten = false;
		for (size_t k = 0; k < front->n && !beaten; k++)
			beaten = is_better(drawn, design(front, k), design(own, i), none) &&
			         !is_equal(drawn, design(front, k), design(own, i));
		n += !beaten;
	}
	return n;
}

/* Whether each design of own is beaten by some design of the front by the margins. */
static bool all_beaten(const struct drawn *drawn, const struct pareto *front, const struct pareto *own,
                       const double *margin)
{
	for (size_t i = 0; i < own->n; i++) {
		bool beaten = false;
		for (size_t k = 0; k < front->n && !beaten; k++)
			beaten = is_better(drawn, design(front, k), design(own, i), margin);
		if (!beaten)
			return false;
	}
	return true;
}

static void check_margin(const struct drawn *drawn, const struct pareto *front, const struct pareto *own, double margin)
{
	double each[SPACE_MAX_OBJECTIVE] = {0}, more[SPACE_MAX_OBJECTIVE] = {0};
	assert_true(margin >= 0.0);
	for (unsigned k = 0; k < drawn->n_objective; k++) {
		each[k] = drawn->is_scaled[k] ? margin : 0.0;
		more[k] = drawn->is_scaled[k] ? margin * 1.001 + 1e-6 : 0.0;
	}
	assert_true(all_beaten(drawn, front, own, each));
	assert_false(all_beaten(drawn, front, own, more)); /* and that is the most that can be said */
}

static double least_of(const struct pareto *all, unsigned k)
{
	double least = INFINITY;
	for (size_t i = 0; i < all->n; i++)
		least = fmin(least, design(all, i)[k]);
	return least;
}

struct tally {
	unsigned n_on_front, n_beaten, n_margin, n_empty, n_step, n_step_wins, n_loss, n_nothing, n_better;
	unsigned n_machine, n_file, n_layer, n_mapping, n_mapping_beaten;
};

static void check_steps(const struct drawn *drawn, const struct pareto *front, const struct why *why,
                        struct tally *tally)
{
	double smallest = INFINITY;
	for (size_t i = 0; i < why->n_step; i++) {
		const struct why_step *step = &why->step[i];
		struct pareto own = own_designs(drawn, step->param->key, step->to);
		assert_int_equal(step->has_design, own.n > 0);
		bool wins = own.n > 0 && n_not_beaten(drawn, front, &own) > 0;
		assert_int_equal(step->is_on_front, wins);
		if (own.n > 0 && !wins)
			check_margin(drawn, front, &own, step->margin);
		if (wins)
			smallest = fmin(smallest, step->change_log);
		tally->n_step++;
		tally->n_step_wins += wins;
		pareto_free(&own);
	}
	if (why->best < why->n_step)
		assert_true(why->step[why->best].is_on_front && why->step[why->best].change_log <= smallest);
	else
		assert_true(isinf(smallest));
}

/* What is printed: the figure of the sentence, and the words. */
static void check_text(const struct drawn *drawn, const struct pareto *front, const struct pareto *own,
                       const struct why *why)
{
	char *text = NULL;
	size_t n_byte;
	FILE *file = open_memstream(&text, &n_byte);
	why_print(file, why);
	assert_int_equal(fclose(file), 0);
	for (char *at = text; *at; at++)
		*at = *at == '\n' ? ' ' : *at;
	bool wins = own->n > 0 && n_not_beaten(drawn, front, own) > 0;
	char words[3 * TEXT];
	size_t n = 0;
	for (char *at = text; *at && n + 1 < sizeof(words); at++) /* lines are broken anywhere between words */
		if (*at != ' ' || n == 0 || words[n - 1] != ' ')
			words[n++] = *at;
	words[n] = '\0';
	const char *by = strstr(words, "better by ");
	assert_int_equal(strstr(words, "no design runs") != NULL, own->n == 0);
	assert_int_equal(strstr(words, ": on the front:") != NULL, wins);
	assert_int_equal(strstr(words, ": beaten.") != NULL, own->n > 0 && !wins);
	if (by) {
		double each[SPACE_MAX_OBJECTIVE] = {0}, said = strtod(by + strlen("better by "), NULL) / 100.0;
		for (unsigned k = 0; k < drawn->n_objective; k++)
			each[k] = drawn->is_scaled[k] ? said : 0.0;
		assert_true(said > 0.0);
		assert_true(all_beaten(drawn, front, own, each));
	}
	if (!wins && why->n_step > 0)
		assert_true((strstr(words, "No single step") != NULL) == (why->best == why->n_step) &&
		            (strstr(words, "smallest step") != NULL) == (why->best < why->n_step));
	free(text);
}

/* Whether for each point of b some point of a is as good. */
static bool covers(const struct drawn *drawn, const struct pareto *a, const struct pareto *b)
{
	const double none[SPACE_MAX_OBJECTIVE] = {0};
	return all_beaten(drawn, a, b, none);
}

/*
 * Sums of the same values in another order may differ in their last bits, and a point that is as good as another one is
 * then on one front and not on the other. Where counts differ, they are those of a front that covers all designs, and
 * that all designs cover, in place of *all.
 */
static void count_as(const struct drawn *drawn, bool with_choice, size_t n, struct pareto *all)
{
	if (n == all->n)
		return;
	struct pareto summed = search(drawn, with_choice, NULL, NULL, &engine_exact);
	assert_true(covers(drawn, &summed, all) && covers(drawn, all, &summed));
	pareto_free(all);
	*all = summed;
}

static void check_facts(const struct drawn *drawn, const struct pareto *front, const struct pareto *own,
                        const struct why *why, struct tally *tally)
{
	unsigned n_on_front = n_not_beaten(drawn, front, own);
	assert_true(why->epsilon <= 0.0);
	assert_int_equal(why->n_own, own->n);
	assert_int_equal(why->n_front, front->n);
	assert_int_equal(why->is_on_front, n_on_front > 0);
	assert_int_equal(why->n_on_front, n_on_front);
	assert_int_equal(why->n_front_beaten, front->n - n_not_beaten(drawn, own, front));
	tally->n_better += why->n_front_beaten > 0;
	tally->n_empty += own->n == 0;
	tally->n_on_front += n_on_front > 0;
	for (unsigned k = 0; k < drawn->n_objective && own->n > 0; k++) {
		assert_true(fabs(why->least[k] / least_of(own, k) - 1.0) < 1e-9);
		assert_true(fabs(why->front_least[k] / least_of(front, k) - 1.0) < 1e-9);
	}
	if (own->n > 0)
		assert_true(fabs(why->lost_ms - (least_of(own, 0) - least_of(front, 0))) < 1e-9 * least_of(own, 0));
	for (size_t i = 0; i < why->n_loss; i++)
		assert_true(why->loss[i].own_ms > why->loss[i].front_ms &&
		            (i == 0 || why->loss[i].own_ms - why->loss[i].front_ms <=
		                           why->loss[i - 1].own_ms - why->loss[i - 1].front_ms));
	tally->n_loss += why->n_loss > 0;
	if (own->n == 0 || n_on_front > 0)
		return;
	tally->n_beaten++;
	tally->n_mapping_beaten += drawn->has_mapping;
	tally->n_margin += why->margin > 1e-3;
	check_margin(drawn, front, own, why->margin);
	for (unsigned k = 0; k < drawn->n_objective; k++) {
		double each[SPACE_MAX_OBJECTIVE] = {0};
		each[k] = why->own_margin[k];
		assert_true(all_beaten(drawn, front, own, each));
		each[k] = each[k] * 1.001 + 1e-6;
		assert_false(all_beaten(drawn, front, own, each));
	}
}

/* A limit on latency near a design of the space. */
static void draw_limit(struct rng *rng, struct drawn *drawn, const struct pareto *front)
{
	static const double change[] = {0.0, 0.05, -0.01, 1.0};
	if (front->n == 0 || rng_below(rng, 3) > 0)
		return;
	double value = design(front, rng_below(rng, (uint32_t)front->n))[0] * (1.0 + change[rng_below(rng, 4)]);
	drawn->most_ms = value * SAME;
	(void)snprintf(drawn->limit, sizeof(drawn->limit), "constraints: [latency_ms <= %.17g]\n", value * SAME);
}

/* What is chosen of layers, in some draws, and always where nothing else is. */
static void draw_choice(struct rng *rng, struct drawn *drawn)
{
	struct space space;
	bool is_mapping = rng_below(rng, 4) == 0;
	if (drawn->n_word > 0 && !is_mapping && rng_below(rng, 2))
		return;
	write_space(drawn, false, NULL, NULL);
	folder_read_space(&space);
	assert_true(space.network[0].network.n_block <= MAX_BLOCK);
	draw_layer(rng, drawn, &space.network[0].network);
	space_free(&space);
	size_t n_word = drawn->n_word;
	if (is_mapping)
		draw_mapping(rng, drawn);
	if (drawn->n_word == n_word)
		return;
	(void)snprintf(drawn->word[drawn->n_word++], FOLDER_PATH, "strategy=fusion");
	(void)snprintf(drawn->layer_rule, sizeof(drawn->layer_rule), "  - match: '.*'\n    strategy: [fusion]\n");
}

static void try_space(uint32_t number, struct tally *tally)
{
	struct rng rng = rng_stream(20, 4, number);
	struct drawn drawn;
	struct space space;
	struct why_choice choice;
	struct why *why = calloc(1, sizeof(*why));
	struct err err = {0};
	const char *word[N_AXIS + 2];
	draw(&rng, &drawn);
	draw_choice(&rng, &drawn);
	struct pareto unlimited = all_designs(&drawn, false, NULL, NULL);
	draw_limit(&rng, &drawn, &unlimited);
	pareto_free(&unlimited);
	struct pareto own = own_designs(&drawn, NULL, NULL), front = all_designs(&drawn, false, NULL, NULL);
	folder_read_space(&space);
	for (size_t i = 0; i < drawn.n_word; i++)
		word[i] = drawn.word[i];
	if (why_parse(&space, word, drawn.n_word, &choice, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	enum err_code code = why_make(&space, &choice, 2, why, &err);
	assert_int_equal(code, front.n > 0 ? ERR_OK : ERR_INFEASIBLE);
	tally->n_nothing += front.n == 0;
	tally->n_machine += drawn.chosen_machine && !drawn.is_file;
	tally->n_file += drawn.is_file;
	tally->n_layer += drawn.layer_rule[0] != '\0';
	tally->n_mapping += drawn.has_mapping;
	if (code == ERR_OK) {
		if (!drawn.has_mapping)
			count_as(&drawn, true, why->n_own, &own);
		count_as(&drawn, false, why->n_front, &front);
		check_facts(&drawn, &front, &own, why, tally);
		check_text(&drawn, &front, &own, why);
		check_steps(&drawn, &front, why, tally);
	}
	err_clear(&err);
	why_choice_free(&choice);
	space_free(&space);
	pareto_free(&front);
	pareto_free(&own);
	free(why);
}

static void test_why_says_nothing_that_brute_force_contradicts(void **state)
{
	struct tally tally = {0};
	(void)state;
	const uint32_t n_case = draws(1000, 24);
	for (uint32_t i = 0; i < n_case; i++)
		try_space(i, &tally);
	(void)printf(
	    "%u spaces: %u choices on the front, %u beaten, %u by a margin, %u without a design, %u steps, %u of them "
	    "win, %u with layers that lose; %u spaces without a design\n"
	    "%u choose a machine, %u a machine's file, %u of layers, %u a mapping (%u of them beaten); %u beat some of "
	    "the "
	    "front\n",
	    n_case, tally.n_on_front, tally.n_beaten, tally.n_margin, tally.n_empty, tally.n_step, tally.n_step_wins,
	    tally.n_loss, tally.n_nothing, tally.n_machine, tally.n_file, tally.n_layer, tally.n_mapping,
	    tally.n_mapping_beaten, tally.n_better);
	if (n_case >= 24)
		assert_true(tally.n_on_front > 0 && tally.n_beaten > 0 && tally.n_margin > 0 && tally.n_step > 0 &&
		            tally.n_step_wins > 0 && tally.n_loss > 0 && tally.n_machine > 0 && tally.n_file > 0 &&
		            tally.n_layer > 0 && tally.n_mapping_beaten > 0 && tally.n_better > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_why_says_nothing_that_brute_force_contradicts),
	};
	return cmocka_run_group_tests(tests, make_folder, folder_remove);
}
