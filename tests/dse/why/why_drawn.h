/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_WHY_DRAWN_H
#define TESTS_WHY_DRAWN_H
/*
 * A random space and a choice for dse why: drawn, and written down as a space, with the choice and without.
 *
 * Choices are values of parameters, machines of the space and from a file, strategies, levels and splits of all layers
 * or of one, and mappings. A mapping is a design that an exhaustive search found.
 */
#include "dse/design/mapping.h"
#include "dse/design/unroll.h"
#include "dse/engine/engine.h"
#include "dse/search/explore.h"
#include "sim/base/rng.h"
#include "tests/support/random_network.h"
#include "tests/support/space_folder.h"
#include <stdio.h>
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

static inline const char *value_of(const struct drawn *drawn, unsigned i)
{
	int at = drawn->chosen[i];
	return at < N_VALUE ? axis[i].value[at] : axis[i].other[at - N_VALUE];
}

/*
 * Machines like dvfs_chip, in the folder: second.yaml, third.yaml. None is another one's equal whatever axes set: the
 * same design twice, summed in another order, may be one of a front's points or two.
 */
static inline int make_folder(void **state)
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
static inline void draw_machine(struct rng *rng, struct drawn *drawn)
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
static inline void draw_layer(struct rng *rng, struct drawn *drawn, const struct network *network)
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

static inline void draw(struct rng *rng, struct drawn *drawn)
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
static inline void write_space(const struct drawn *drawn, bool with_choice, const char *step_key, const char *step_to)
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

/*
 * A design of the space narrowed by a layer's choice as a file, which is the choice from now on; what it is narrowed by
 * is forgotten. Nothing happens where the narrowed space has no design.
 */
static inline void draw_mapping(struct rng *rng, struct drawn *drawn)
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

/* A limit on latency near a design of the space. */
static inline void draw_limit(struct rng *rng, struct drawn *drawn, const struct pareto *front)
{
	static const double change[] = {0.0, 0.05, -0.01, 1.0};
	if (front->n == 0 || rng_below(rng, 3) > 0)
		return;
	size_t at = rng_below(rng, (uint32_t)front->n);
	double value = front->objective[at * front->n_objective] * (1.0 + change[rng_below(rng, 4)]);
	drawn->most_ms = value * SAME;
	(void)snprintf(drawn->limit, sizeof(drawn->limit), "constraints: [latency_ms <= %.17g]\n", value * SAME);
}

/* What is chosen of layers, in some draws, and always where nothing else is. */
static inline void draw_choice(struct rng *rng, struct drawn *drawn)
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

#endif
