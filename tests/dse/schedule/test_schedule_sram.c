/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weights that stay in the workers' SRAM: addresses of random networks' weights and results are apart and inside the
 * SRAM, the files come back byte for byte, and missing or moved regions are found.
 */
#include "tests/support/unit_test.h"
#include "dse/schedule/schedule_files.h"
#include "tests/support/random_schedule.h"
#include "tests/support/sample_schedule.h"

#define SEED 74
#define N_NETWORK 12

struct scene {
	struct network network;
	struct octopus_graph graph;
	struct octopus_schedule schedule;
	struct schedule_files files;
};

/* A schedule of few workers with little SRAM, so that they are full; false: the network does not fit. */
static bool make(uint32_t index, struct scene *scene)
{
	const struct octopus_options options = {.strategy = OCTOPUS_SRAM, .n_worker = 7};
	struct machine machine = sample_final_chip();
	struct octopus_memory memory;
	struct err err = {0};
	*scene = (struct scene){0};
	machine.pe_sram_byte = 12288;
	random_network(SEED, index, &scene->network);
	assert_int_equal(octopus_build(&scene->network, &scene->graph, &err), ERR_OK);
	if (octopus_plan(&machine, &scene->graph, &options, &scene->schedule, &err) != ERR_OK) {
		err_clear(&err);
		return false;
	}
	assert_int_equal(schedule_files_plan(&scene->graph, &machine, OCTOPUS_DRAM_BYTE, &scene->files, &memory, &err),
	                 ERR_OK);
	(void)snprintf(scene->files.strategy, sizeof(scene->files.strategy), "sram");
	schedule_sram_plan(&scene->graph, machine.pe_sram_byte, &scene->files);
	return true;
}

static void drop(struct scene *scene)
{
	schedule_files_free(&scene->files);
	octopus_schedule_free(&scene->schedule);
	octopus_free(&scene->graph);
	network_free(&scene->network);
}

static char *text_of(const struct schedule_files *files, size_t *n)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, n);
	assert_non_null(file);
	schedule_sram_write(files, file);
	assert_int_equal(fclose(file), 0);
	return text;
}

/* Any two regions of a worker that are alive at once; each weight once a worker that needs it; what DRAM still has. */
static void check_plan(const struct scene *scene)
{
	const struct sram_map *map = &scene->files.sram;
	const struct octopus_dram *dram = &scene->files.dram;
	uint64_t result_byte = 0, due_byte = 0;
	for (size_t i = 0; i < map->n; i++) {
		const struct sram_region *a = &map->region[i];
		assert_int_equal(a->address % OCTOPUS_ALIGN_BYTE, 0);
		assert_true(a->address + a->byte <= map->capacity_byte);
		result_byte += a->kind == SRAM_RESULT ? a->byte : 0;
		for (size_t k = 0; k < i; k++) {
			const struct sram_region *b = &map->region[k];
			if (a->worker == b->worker && a->first <= b->last && b->first <= a->last)
				assert_true(a->address >= b->address + b->byte || b->address >= a->address + a->byte);
		}
	}
	for (uint32_t l = 0; l < dram->n_layer; l++)
		due_byte += scene->graph.tensor[scene->graph.layer[l].output].byte;
	assert_int_equal(result_byte, due_byte);
	for (uint32_t t = 0; t < dram->n_tensor; t++)
		assert_int_equal(dram->tensor[t].in_sram, !dram->tensor[t].is_input && !dram->tensor[t].is_output);
	for (uint32_t l = 0; l < dram->n_layer; l++)
		assert_true(scene->schedule.layer[l].time.part_us[OCTOPUS_WEIGHTS] == 0);
}

static void test_plans_of_random_networks(void **state)
{
	uint32_t n_plan = 0;
	(void)state;
	for (uint32_t index = 0; index < N_NETWORK; index++) {
		struct scene scene;
		struct err err = {0};
		if (make(index, &scene)) {
			n_plan++;
			check_plan(&scene);
			if (schedule_sram_check("sram.map", &scene.files, &err) != ERR_OK)
				fail_msg("network %u: %s", index, err_text(&err));
			size_t n, n_again;
			char *text = text_of(&scene.files, &n);
			assert_int_equal(schedule_sram_read("sram.map", text, n, &scene.files, &err), ERR_OK);
			char *again = text_of(&scene.files, &n_again);
			assert_int_equal(n, n_again);
			assert_memory_equal(text, again, n);
			free(again);
			free(text);
		}
		drop(&scene);
	}
	assert_true(n_plan * 2 > N_NETWORK);
}

/* The first network of so many regions or more. */
static void make_large(struct scene *scene, size_t n)
{
	for (uint32_t index = 0; index < N_NETWORK; index++) {
		if (make(index, scene) && scene->files.sram.n >= n)
			return;
		drop(scene);
	}
	fail();
}

static enum err_code check(const struct scene *scene, const char *message)
{
	struct err err = {0};
	enum err_code code = schedule_sram_check("sram.map", &scene->files, &err);
	if (code != ERR_OK && message && !strstr(err_text(&err), message))
		fail_msg("'%s' instead of '%s'", err_text(&err), message);
	err_clear(&err);
	return code;
}

static void test_mistakes_are_named(void **state)
{
	struct scene scene;
	(void)state;
	make_large(&scene, 40);
	struct sram_map *map = &scene.files.sram;
	for (size_t i = 0; i < map->n; i++) {
		const struct sram_region was = map->region[i];
		struct sram_region *region = &map->region[i];
		region->address += 1;
		assert_int_equal(check(&scene, NULL), ERR_INPUT);
		*region = was;
		region->address = map->capacity_byte;
		assert_int_equal(check(&scene, NULL), ERR_INPUT);
		*region = was;
		region->first++;
		assert_int_equal(check(&scene, "is not alive as long as needed"), ERR_INPUT);
		*region = was;
		region->byte = was.kind == SRAM_RESULT ? was.byte - 1 : 0;
		assert_int_equal(check(&scene, "bytes"), ERR_INPUT);
		*region = was;
		region->worker = (was.worker + 1) % scene.files.dram.n_worker;
		assert_int_equal(check(&scene, "worker"), ERR_INPUT);
		*region = was;
		if (i > 0 && map->region[i - 1].worker == was.worker && was.address > 0) { /* down, into another one */
			bool is_alive = map->region[i - 1].last >= was.first && was.last >= map->region[i - 1].first;
			region->address = map->region[i - 1].address;
			assert_true(!is_alive || check(&scene, NULL) == ERR_INPUT);
			*region = was;
		}
	}
	map->n--;
	assert_int_equal(check(&scene, "is missing"), ERR_INPUT);
	map->n++;
	map->capacity_byte = 64;
	assert_int_equal(check(&scene, "region ends behind the worker's SRAM"), ERR_INPUT);
	(void)snprintf(scene.files.strategy, sizeof(scene.files.strategy), "dram");
	assert_int_equal(check(&scene, "strategy is dram, but tensor"), ERR_INPUT);
	drop(&scene);
}

/* Whatever the bytes: a mistake with its line, or regions that are judged. */
static void test_changed_texts(void **state)
{
	struct scene scene;
	size_t n;
	uint32_t n_found = 0;
	(void)state;
	make_large(&scene, 10);
	char *text = text_of(&scene.files, &n);
	for (uint32_t i = 0; i < 1500; i++) {
		struct rng rng = rng_stream(SEED, 2, i);
		struct err err = {0};
		uint32_t at = rng_below(&rng, (uint32_t)n);
		char was = text[at];
		text[at] = (char)(rng_below(&rng, 2) ? '0' + rng_below(&rng, 10) : rng_below(&rng, 256));
		enum err_code code = schedule_sram_read("sram.map", text, n - rng_below(&rng, 3), &scene.files, &err);
		if (code == ERR_OK)
			code = schedule_sram_check("sram.map", &scene.files, &err);
		assert_true(code == ERR_OK ? err.n_message == 0 : code == ERR_INPUT && err.n_message > 0);
		n_found += code != ERR_OK;
		text[at] = was;
		err_clear(&err);
	}
	assert_true(n_found > 300); /* blanks and names are compared with the text that follows */
	free(text);
	drop(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_plans_of_random_networks),
	    cmocka_unit_test(test_mistakes_are_named),
	    cmocka_unit_test(test_changed_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
