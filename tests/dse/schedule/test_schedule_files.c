/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of multi-layer schedules: they come back as they were, byte for byte, and a change of any of the three is
 * found, or is one that the files may well have. RECORD=1 writes the small example in tests/golden anew.
 */
#include "tests/support/unit_test.h"
#include "dse/schedule/schedule_files.h"
#include "sim/base/file.h"
#include "sim/machine/machine_param.h"
#include "tests/support/random_schedule.h"
#include "tests/support/reader_result.h"
#include "tests/support/temporary.h"
#include <unistd.h>

#define SEED 72
#define N_FILE 3
#define GOLDEN "tests/golden/schedule_mlp"

static const char *const file_name[N_FILE] = {"dram.bin", "dram.map", "schedule.yaml"};

/* Two folders that the test owns. */
static char folder[2][TEMPORARY_SIZE];

static void path_of(char path[96], unsigned which, unsigned file)
{
	(void)snprintf(path, 96, "%s/%s", folder[which], file_name[file]);
}

static int make_folders(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		if (!temporary_folder(folder[i], "test_schedule"))
			return -1;
	}
	return 0;
}

static int remove_folders(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * N_FILE; i++) {
		char path[96];
		path_of(path, i / N_FILE, i % N_FILE);
		(void)remove(path);
	}
	return rmdir(folder[0]) | rmdir(folder[1]);
}

struct text {
	char *byte;
	size_t n;
};

static struct text read_text(const char *path)
{
	struct text text;
	struct err err = {0};
	if (file_read(path, SIZE_MAX / 2, &text.byte, &text.n, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	return text;
}

static void write_text(const char *path, const char *byte, size_t n)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(byte, 1, n, file), n);
	assert_int_equal(fclose(file), 0);
}

/* A time of no more digits than the file has; without rng always the same. */
static double random_us(struct rng *rng)
{
	return rng ? (double)rng_u32(rng) / 1000 : 12.5;
}

/* Plan a cut graph and write its files to the first folder. */
static void write_plan(const struct octopus_graph *graph, struct rng *rng)
{
	struct machine machine;
	struct schedule_files files;
	struct octopus_memory memory;
	struct err err = {0};
	machine_init(&machine, MACHINE_CHIP);
	(void)snprintf(machine.name, sizeof(machine.name), rng ? "a \"chip\" {\\" : "chip");
	assert_int_equal(schedule_files_plan(graph, &machine, OCTOPUS_DRAM_BYTE, &files, &memory, &err), ERR_OK);
	(void)snprintf(files.level, sizeof(files.level), "PL2");
	(void)snprintf(files.strategy, sizeof(files.strategy), "dram");
	files.setup_us = 12;
	files.cleanup_us = random_us(rng);
	files.total_us = random_us(rng);
	files.energy_nj = random_us(rng);
	for (uint32_t l = 0; l < files.dram.n_layer; l++) {
		struct schedule_note *note = &files.layer[l];
		for (unsigned p = 0; p < N_OCTOPUS_PART; p++)
			note->part_us[p] = random_us(rng);
		note->total_us = random_us(rng);
		note->sram_byte = rng ? rng_below(rng, 131072) : 65536;
	}
	if (schedule_files_write(folder[0], &files, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	schedule_files_free(&files);
}

static void write_random(uint32_t index)
{
	struct rng rng = rng_stream(SEED, 1, index);
	struct network network;
	struct octopus_graph graph;
	struct err err = {0};
	random_network(SEED, index, &network);
	assert_int_equal(octopus_build(&network, &graph, &err), ERR_OK);
	random_cuts(&rng, &graph, 9);
	write_plan(&graph, &rng);
	octopus_free(&graph);
	network_free(&network);
}

/* Read the first folder; what was read is written to the second one, and gives the same bytes. */
static enum err_code read_back(struct err *err)
{
	struct schedule_files files;
	enum err_code code = schedule_files_read(folder[0], &files, err);
	if (code != ERR_OK)
		return code;
	assert_int_equal(schedule_files_write(folder[1], &files, err), ERR_OK);
	for (unsigned i = 0; i < N_FILE; i++) {
		char path[2][96];
		path_of(path[0], 0, i);
		path_of(path[1], 1, i);
		struct text was = read_text(path[0]), is = read_text(path[1]);
		assert_int_equal(was.n, is.n);
		assert_memory_equal(was.byte, is.byte, is.n);
		free(was.byte);
		free(is.byte);
	}
	schedule_files_free(&files);
	return ERR_OK;
}

static void test_round_trip(void **state)
{
	(void)state;
	for (uint32_t index = 0; index < 20; index++) {
		struct err err = {0};
		write_random(index);
		if (read_back(&err) != ERR_OK)
			fail_msg("%s", err_text(&err));
	}
}

/* One change of a text: a bit, a byte, a line that is missing or there twice, an end that is cut off. */
static void change(struct text *text, struct rng *rng)
{
	size_t at = rng_below(rng, (uint32_t)text->n);
	const char *end = memchr(text->byte + at, '\n', text->n - at);
	size_t n_line = end ? (size_t)(end - text->byte) + 1 - at : 1;
	switch (rng_below(rng, 5)) {
	case 0:
		text->byte[at] = (char)(text->byte[at] ^ (char)(1u << rng_below(rng, 8)));
		break;
	case 1:
		text->byte[at] = (char)rng_u32(rng);
		break;
	case 2:
		memmove(text->byte + at, text->byte + at + n_line, text->n - at - n_line);
		text->n -= n_line;
		break;
	case 3:
		text->byte[at] = (char)('0' + (char)rng_below(rng, 10));
		break;
	default:
		text->n = at;
	}
}

/* A mistake has a place in the file that was changed or in one that no longer fits it. */
static void test_changes_are_found_or_harmless(void **state)
{
	(void)state;
	uint32_t n_found[N_FILE] = {0}, n_change = 250;
	write_random(4);
	for (unsigned i = 0; i < N_FILE; i++) {
		char path[96];
		path_of(path, 0, i);
		struct text good = read_text(path);
		for (uint32_t k = 0; k < n_change; k++) {
			struct rng rng = rng_stream(SEED, 2 + i, k);
			struct text text = {malloc(good.n), good.n};
			struct err err = {0};
			assert_non_null(text.byte);
			memcpy(text.byte, good.byte, good.n);
			change(&text, &rng);
			bool is_same = text.n == good.n && memcmp(text.byte, good.byte, good.n) == 0;
			write_text(path, text.byte, text.n);
			enum err_code code = read_back(&err);
			if (reader_fault(code, &err))
				fail_msg("%s: %s", reader_fault(code, &err), err_text(&err));
			assert_true(code == ERR_OK || !is_same);
			n_found[i] += code != ERR_OK || is_same;
			err_clear(&err);
			free(text.byte);
		}
		write_text(path, good.byte, good.n);
		free(good.byte);
	}
	assert_int_equal(n_found[0], n_change);
	assert_int_equal(n_found[1], n_change);
	assert_true(n_found[2] > n_change / 2); /* another time or name of a network is as good */
}

static void test_missing_files_are_named(void **state)
{
	(void)state;
	write_random(5);
	for (unsigned i = 0; i < N_FILE; i++) {
		char path[96];
		struct err err = {0};
		path_of(path, 0, i);
		struct text text = read_text(path);
		assert_int_equal(remove(path), 0);
		assert_int_equal(read_back(&err), ERR_IO);
		assert_non_null(strstr(err_text(&err), file_name[i]));
		write_text(path, text.byte, text.n);
		free(text.byte);
		err_clear(&err);
	}
}

/* A map that is not of this image, and a YAML file of another network, say what they differ in. */
static void test_files_of_different_schedules(void **state)
{
	(void)state;
	char path[96], other[96];
	struct err err = {0};
	write_random(6);
	path_of(path, 0, 1);
	struct text map = read_text(path);
	path_of(other, 0, 2);
	struct text yaml = read_text(other);
	write_random(7);
	write_text(path, map.byte, map.n);
	assert_int_equal(read_back(&err), ERR_INPUT);
	assert_non_null(strstr(err_text(&err), "dram.map:"));
	assert_non_null(strstr(err_text(&err), "as follows from dram.bin and names"));
	err_clear(&err);
	write_text(other, yaml.byte, yaml.n);
	assert_int_equal(read_back(&err), ERR_INPUT);
	assert_non_null(strstr(err_text(&err), "schedule.yaml:"));
	err_clear(&err);
	free(map.byte);
	free(yaml.byte);
}

/* A folder that cannot be made: nothing is left behind. */
static void test_a_folder_that_cannot_be_made(void **state)
{
	(void)state;
	struct schedule_files files;
	struct err err = {0};
	char path[96], below[128];
	write_random(8);
	assert_int_equal(schedule_files_read(folder[0], &files, &err), ERR_OK);
	path_of(path, 0, 0);
	(void)snprintf(below, sizeof(below), "%s/below", path);
	assert_int_equal(schedule_files_write(below, &files, &err), ERR_IO);
	err_clear(&err);
	schedule_files_free(&files);
}

/* The paper's network, cut as the paper says: files that people can look at. */
static void test_golden_example(void **state)
{
	(void)state;
	static const uint32_t n_worker[] = {8, 4, 1};
	struct network network;
	struct octopus_graph graph;
	struct err err = {0};
	assert_int_equal(network_read("spaces/networks/mlp_784_512_256_16.yaml", &network, &err), ERR_OK);
	assert_int_equal(octopus_build(&network, &graph, &err), ERR_OK);
	for (uint32_t l = 0; l < graph.n_layer && l < 3; l++) {
		struct split split = split_whole(&network.block[graph.layer[l].block]);
		split.w = dim_even(network.block[l].out_w, n_worker[l], 16);
		octopus_cut(&graph.layer[l], &split, false, n_worker[l]);
	}
	write_plan(&graph, NULL);
	for (unsigned i = 1; i < N_FILE; i++) { /* the image follows from the texts */
		char path[96], golden[96];
		path_of(path, 0, i);
		(void)snprintf(golden, sizeof(golden), GOLDEN "/%s", file_name[i]);
		struct text is = read_text(path);
		if (getenv("RECORD"))
			write_text(golden, is.byte, is.n);
		struct text was = read_text(golden);
		assert_int_equal(is.n, was.n);
		assert_memory_equal(is.byte, was.byte, is.n);
		free(is.byte);
		free(was.byte);
	}
	octopus_free(&graph);
	network_free(&network);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_round_trip),
	    cmocka_unit_test(test_changes_are_found_or_harmless),
	    cmocka_unit_test(test_missing_files_are_named),
	    cmocka_unit_test(test_files_of_different_schedules),
	    cmocka_unit_test(test_a_folder_that_cannot_be_made),
	    cmocka_unit_test(test_golden_example),
	};
	return cmocka_run_group_tests(tests, make_folders, remove_folders);
}
