/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules of a pipeline of chips: what a chip sends is what the next one receives, whatever the graph and wherever it
 * is parted; the files come back byte for byte, and chips that do not belong together are found.
 */
#include "tests/support/unit_test.h"
#include "dse/schedule/schedule_chips.h"
#include "sim/base/file.h"
#include "sim/machine/machine_param.h"
#include "tests/support/random_schedule.h"
#include "tests/support/temporary.h"
#include <unistd.h>

#define SEED 73
#define MAX_CHIP 4

/* Two folders that the test owns. */
static char folder[2][TEMPORARY_SIZE];

static int make_folders(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		if (!temporary_folder(folder[i], "test_chips"))
			return -1;
	}
	return 0;
}

static const char *const file_name[] = {"dram.bin", "dram.map", "sram.map", "schedule.yaml"};
#define N_FILE (sizeof(file_name) / sizeof(file_name[0]))

static int remove_folders(void **state)
{
	char path[256];
	int bad = 0;
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned c = 0; c <= MAX_CHIP; c++) {
			for (unsigned f = 0; f < N_FILE; f++) {
				if (c > 0)
					(void)snprintf(path, sizeof(path), "%s/chip_%u/%s", folder[i], c, file_name[f]);
				else
					(void)snprintf(path, sizeof(path), "%s/%s", folder[i], file_name[f]);
				(void)remove(path);
			}
			(void)snprintf(path, sizeof(path), "%s/chip_%u", folder[i], c);
			(void)remove(path);
		}
		(void)snprintf(path, sizeof(path), "%s/chips.yaml", folder[i]);
		(void)remove(path);
		bad |= rmdir(folder[i]);
	}
	return bad;
}

/* A network whose layers are dealt to chips: chip c has layers first[c] to first[c + 1] - 1. */
struct scene {
	struct network network;
	struct octopus_graph graph, part[MAX_CHIP];
	uint32_t n_chip, first[MAX_CHIP + 1];
};

static void make_random(uint32_t index, struct scene *scene)
{
	struct rng rng = rng_stream(SEED, 1, index);
	struct err err = {0};
	*scene = (struct scene){0};
	random_network(SEED, index, &scene->network);
	assert_int_equal(octopus_build(&scene->network, &scene->graph, &err), ERR_OK);
	random_cuts(&rng, &scene->graph, 9);
	uint32_t n = scene->graph.n_layer;
	scene->n_chip = n < MAX_CHIP ? n : MAX_CHIP;
	for (uint32_t c = 1; c < scene->n_chip; c++) {
		uint32_t least = scene->first[c - 1] + 1, most = n - (scene->n_chip - c);
		scene->first[c] = least + rng_below(&rng, most - least + 1);
	}
	scene->first[scene->n_chip] = n;
	for (uint32_t c = 0; c < scene->n_chip; c++)
		assert_int_equal(octopus_share(&scene->graph, scene->first[c], scene->first[c + 1] - scene->first[c],
		                               &scene->part[c], &err),
		                 ERR_OK);
}

static void drop(struct scene *scene)
{
	for (uint32_t c = 0; c < scene->n_chip; c++)
		octopus_free(&scene->part[c]);
	octopus_free(&scene->graph);
	network_free(&scene->network);
}

/* ---- shares ---- */

/* Whether layers from `from` to `to` - 1 read a tensor. */
static bool is_read_in(const struct octopus_graph *graph, uint32_t t, uint32_t from, uint32_t to)
{
	for (uint32_t l = from; l < to; l++)
		for (uint32_t i = 0; i < graph->layer[l].n_input; i++)
			if (graph->layer[l].input[i].tensor == t)
				return true;
	return false;
}

/* By its readers: crosses the link before chip c if somebody before has it and somebody from there on reads it. */
static bool crosses(const struct octopus_graph *graph, uint32_t t, uint32_t first)
{
	uint32_t producer = graph->tensor[t].producer;
	bool was_there = producer == OCTOPUS_NONE ? is_read_in(graph, t, 0, first) : producer < first;
	return was_there && is_read_in(graph, t, first, graph->n_layer);
}

/* Inputs and outputs of each layer are the same tensors, with the same readers on this chip. */
static void check_layers(const struct scene *scene, uint32_t c)
{
	const struct octopus_graph *part = &scene->part[c], *graph = &scene->graph;
	assert_int_equal(part->n_layer, scene->first[c + 1] - scene->first[c]);
	for (uint32_t l = 0; l < part->n_layer; l++) {
		const struct octopus_layer *own = &part->layer[l], *was = &graph->layer[scene->first[c] + l];
		assert_string_equal(own->name, was->name);
		assert_int_equal(own->n_input, was->n_input);
		assert_int_equal(part->tensor[own->output].producer, l);
		assert_string_equal(part->tensor[own->output].name, graph->tensor[was->output].name);
		for (uint32_t i = 0; i < own->n_input; i++) {
			const struct octopus_tensor *tensor = &part->tensor[own->input[i].tensor];
			uint32_t n_found = 0;
			assert_string_equal(tensor->name, graph->tensor[was->input[i].tensor].name);
			for (uint32_t k = 0; k < tensor->n_consumer; k++)
				n_found += tensor->consumer[k] == l;
			assert_int_equal(n_found, 1);
		}
	}
}

static void test_shares_of_random_graphs(void **state)
{
	size_t n_sent = 0, n_passed = 0;
	(void)state;
	for (uint32_t index = 0; index < 150; index++) {
		struct scene scene;
		make_random(index, &scene);
		for (uint32_t c = 0; c < scene.n_chip; c++) {
			const struct octopus_graph *part = &scene.part[c];
			uint32_t received = 0, sent = 0;
			check_layers(&scene, c);
			for (uint32_t t = 0; t < scene.graph.n_tensor; t++) {
				const char *name = scene.graph.tensor[t].name;
				if (crosses(&scene.graph, t, scene.first[c])) {
					while (received < part->n_tensor && !part->tensor[received].from_chip)
						received++;
					assert_true(received < part->n_tensor);
					assert_string_equal(part->tensor[received].name, name);
					assert_int_equal(part->tensor[received].producer, OCTOPUS_NONE);
					n_passed += part->tensor[received].to_chip;
					received++;
				}
				if (c + 1 < scene.n_chip && crosses(&scene.graph, t, scene.first[c + 1])) {
					while (sent < part->n_tensor && !part->tensor[sent].to_chip)
						sent++;
					assert_true(sent < part->n_tensor);
					assert_string_equal(part->tensor[sent].name, name);
					assert_true(part->tensor[sent].is_output);
					n_sent++;
					sent++;
				}
			}
			for (uint32_t t = 0; t < part->n_tensor; t++) {
				assert_true(t < received || !part->tensor[t].from_chip);
				assert_true(t < sent || !part->tensor[t].to_chip);
			}
		}
		drop(&scene);
	}
	assert_true(n_sent > 200 && n_passed > 20);
}

/* ---- files ---- */

static void plan(const struct scene *scene, struct schedule_chips *chips)
{
	struct machine machine;
	struct octopus_memory memory;
	struct err err = {0};
	machine_init(&machine, MACHINE_CHIP);
	(void)snprintf(machine.name, sizeof(machine.name), "chip");
	schedule_chips_make(scene->n_chip, chips);
	for (uint32_t c = 0; c < scene->n_chip; c++) {
		if (schedule_files_plan(&scene->part[c], &machine, OCTOPUS_DRAM_BYTE, &chips->chip[c], &memory, &err) !=
		    ERR_OK)
			fail_msg("%s", err_text(&err));
		(void)snprintf(chips->chip[c].level, sizeof(chips->chip[c].level), "PL2");
		(void)snprintf(chips->chip[c].strategy, sizeof(chips->chip[c].strategy), "dram");
		chips->link_us[c] = 1.5 * c;
	}
	chips->total_us = 12.125;
}

static void write_random(uint32_t index)
{
	struct scene scene;
	struct schedule_chips chips;
	struct err err = {0};
	make_random(index, &scene);
	plan(&scene, &chips);
	if (schedule_chips_write(folder[0], &chips, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	schedule_chips_free(&chips);
	drop(&scene);
}

struct text {
	char *byte;
	size_t n;
};

static struct text read_text(const char *below, const char *name)
{
	char path[256];
	struct text text;
	struct err err = {0};
	(void)snprintf(path, sizeof(path), "%s/%s", below, name);
	if (file_read(path, SIZE_MAX / 2, &text.byte, &text.n, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	return text;
}

static void write_text(const char *below, const char *name, const char *byte, size_t n)
{
	char path[256];
	(void)snprintf(path, sizeof(path), "%s/%s", below, name);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(byte, 1, n, file), n);
	assert_int_equal(fclose(file), 0);
}

static void expect_same(const char *name)
{
	struct text was = read_text(folder[0], name), is = read_text(folder[1], name);
	assert_int_equal(was.n, is.n);
	assert_memory_equal(was.byte, is.byte, is.n);
	free(was.byte);
	free(is.byte);
}

static enum err_code read_back(struct err *err)
{
	struct schedule_chips chips;
	enum err_code code = schedule_chips_read(folder[0], &chips, err);
	schedule_chips_free(&chips);
	return code;
}

static void test_round_trip(void **state)
{
	(void)state;
	for (uint32_t index = 0; index < 15; index++) {
		struct schedule_chips chips;
		struct err err = {0};
		write_random(index);
		if (schedule_chips_read(folder[0], &chips, &err) != ERR_OK)
			fail_msg("network %u: %s", index, err_text(&err));
		assert_int_equal(schedule_chips_write(folder[1], &chips, &err), ERR_OK);
		if (chips.n_chip > 1)
			expect_same("chips.yaml");
		for (uint32_t c = 0; c < chips.n_chip && chips.n_chip > 1; c++) {
			char name[64];
			(void)snprintf(name, sizeof(name), "chip_%u/dram.bin", c + 1);
			expect_same(name);
			(void)snprintf(name, sizeof(name), "chip_%u/schedule.yaml", c + 1);
			expect_same(name);
		}
		schedule_chips_free(&chips);
	}
}

/* No changed byte of the list goes unnoticed, but for digits of a time. */
static void test_changes_of_the_list_are_found(void **state)
{
	uint32_t n_found = 0, n_change = 0;
	(void)state;
	write_random(4);
	struct text list = read_text(folder[0], "chips.yaml");
	for (size_t i = 0; i < list.n; i += 3) {
		struct err err = {0};
		char was = list.byte[i];
		list.byte[i] = was == '7' ? '8' : '7';
		write_text(folder[0], "chips.yaml", list.byte, list.n);
		list.byte[i] = was;
		enum err_code code = read_back(&err);
		assert_true(code == ERR_OK ? err.n_message == 0 : code == ERR_INPUT && err.n_message > 0);
		bool is_time = false; /* of the line: the words before the byte */
		for (size_t k = i; k > 0 && list.byte[k - 1] != '\n'; k--)
			is_time = is_time || strncmp(list.byte + k - 1, "_us:", 4) == 0 ||
			          strncmp(list.byte + k - 1, "_nj:", 4) == 0;
		assert_true(code != ERR_OK || is_time);
		n_found += code != ERR_OK;
		n_change++;
		err_clear(&err);
	}
	assert_true(n_found * 10 > n_change * 8);
	free(list.byte);
}

/* Each folder is a sound schedule of its own, but the next one receives something else. */
static void test_chips_that_do_not_belong_together(void **state)
{
	static const char *const name[] = {"dram.bin", "dram.map", "schedule.yaml"};
	struct text other[3];
	struct err err = {0};
	char below[160];
	(void)state;
	write_random(5);
	(void)snprintf(below, sizeof(below), "%s/chip_2", folder[0]);
	for (unsigned f = 0; f < 3; f++)
		other[f] = read_text(below, name[f]);
	write_random(4);
	for (unsigned f = 0; f < 3; f++) {
		write_text(below, name[f], other[f].byte, other[f].n);
		free(other[f].byte);
	}
	assert_int_equal(read_back(&err), ERR_INPUT);
	assert_non_null(strstr(err_text(&err), "chips.yaml:1:1: chip 1 sends "));
	err_clear(&err);
	/* a schedule of one chip is no list of several that was there before */
	struct scene scene;
	struct schedule_chips chips;
	make_random(4, &scene);
	plan(&scene, &chips);
	assert_int_equal(schedule_files_write(folder[0], &chips.chip[0], &err), ERR_OK);
	assert_int_equal(read_back(&err), ERR_INPUT);
	err_clear(&err);
	chips.n_chip = 1;
	assert_int_equal(schedule_chips_write(folder[0], &chips, &err), ERR_OK);
	chips.n_chip = scene.n_chip;
	schedule_chips_free(&chips);
	assert_int_equal(read_back(&err), ERR_INPUT); /* it sends to a chip that is not there */
	assert_non_null(strstr(err_text(&err), "is one chip of several, which sends "));
	err_clear(&err);
	drop(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_shares_of_random_graphs),
	    cmocka_unit_test_setup_teardown(test_round_trip, make_folders, remove_folders),
	    cmocka_unit_test_setup_teardown(test_changes_of_the_list_are_found, make_folders, remove_folders),
	    cmocka_unit_test_setup_teardown(test_chips_that_do_not_belong_together, make_folders, remove_folders),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
