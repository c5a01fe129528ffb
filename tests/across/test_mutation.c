/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every shipped and every malformed file, damaged in a few thousand ways with
 * a fixed seed, through its reader: success or messages with file and line,
 * never a crash. With the address sanitizer also: never a leak.
 */
#include "tests/support/unit_test.h"

#include "dse/fit/fit.h"
#include "dse/space/space_machine.h"
#include "dse/space/machine_read.h"
#include "dse/space/machine_cfg.h"
#include "dse/design/mapping.h"
#include "dse/space/space.h"
#include "dse/validate/validate.h"
#include "mapper/network/network_read.h"
#include "mapper/split/splitter.h"
#include "sim/base/rng.h"
#include "sim/machine/machine_check.h"
#include "tests/support/reader_result.h"
#include "tests/support/temporary.h"
#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

#define SEED 2024
#define MAX_BYTE 131072
#define N_MUTATION 24      /* of each file */
#define N_MUTATION_TABLE 4 /* of each reference table, whose values are all predicted */

/* A file's bytes while they are changed. */
struct text {
	size_t n;
	char byte[2 * MAX_BYTE];
};

static size_t below(struct rng *rng, size_t n)
{
	assert_true(n > 0 && n <= UINT32_MAX);
	return rng_below(rng, (uint32_t)n);
}

/* Replace n_old bytes at `at` by others; what does not fit is left as it is. */
static void replace(struct text *text, size_t at, size_t n_old, const char *with, size_t n_new)
{
	char copy[MAX_BYTE];
	assert_true(at + n_old <= text->n);
	if (n_new > sizeof(copy) || text->n - n_old + n_new > MAX_BYTE)
		return;
	memcpy(copy, with, n_new);
	memmove(text->byte + at + n_new, text->byte + at + n_old, text->n - at - n_old);
	memcpy(text->byte + at, copy, n_new);
	text->n += n_new - n_old;
}

/* The line that holds byte `at`: from *begin on n bytes, its end included. */
static size_t line_at(const struct text *text, size_t at, size_t *begin)
{
	size_t end = at;
	while (at > 0 && text->byte[at - 1] != '\n')
		at--;
	while (end < text->n && text->byte[end] != '\n')
		end++;
	*begin = at;
	return end - at + (end < text->n);
}

static void flip_bit(struct text *text, struct rng *rng)
{
	text->byte[below(rng, text->n)] ^= (char)(1 << below(rng, 8));
}

static void set_byte(struct text *text, struct rng *rng)
{
	static const char sign[] = ":,-[]{}'\"#&*!|>%@` \n\t\0\xff.+x0";
	text->byte[below(rng, text->n)] = sign[below(rng, sizeof(sign))];
}

static void delete_bytes(struct text *text, struct rng *rng)
{
	size_t at = below(rng, text->n), n = 1 + below(rng, 40);
	replace(text, at, n < text->n - at ? n : text->n - at, "", 0);
}

static void cut_end(struct text *text, struct rng *rng)
{
	text->n = below(rng, text->n);
}

static void duplicate_line(struct text *text, struct rng *rng)
{
	size_t begin, n = line_at(text, below(rng, text->n), &begin);
	replace(text, begin, 0, text->byte + begin, n);
}

/* A line to another place: order and indentation change. */
static void move_line(struct text *text, struct rng *rng)
{
	char line[MAX_BYTE];
	size_t begin, n = line_at(text, below(rng, text->n), &begin), to;
	memcpy(line, text->byte + begin, n);
	replace(text, begin, n, "", 0);
	(void)line_at(text, text->n > 0 ? below(rng, text->n) : 0, &to);
	replace(text, to, 0, line, n);
}

/* A number by one at or beyond the end of some range. */
static void blow_up(struct text *text, struct rng *rng)
{
	static const char *const number[] = {"0",        "1",          "255",        "256",
	                                     "65535",    "65536",      "65537",      "1000000",
	                                     "16777216", "4294967295", "4294967296", "18446744073709551616",
	                                     "-1",       "1e308",      "1e-308",     "0.1"};
	size_t start = below(rng, text->n);
	for (size_t i = 0; i < text->n; i++) {
		size_t at = (start + i) % text->n, n = 0;
		while (at + n < text->n && text->byte[at + n] >= '0' && text->byte[at + n] <= '9')
			n++;
		if (n == 0)
			continue;
		const char *with = number[below(rng, sizeof(number) / sizeof(number[0]))];
		replace(text, at, n, with, strlen(with));
		return;
	}
}

/* One to three changes. */
static void mutate(struct text *text, struct rng *rng)
{
	static void (*const change[])(struct text *, struct rng *) = {
	    flip_bit, set_byte, delete_bytes, cut_end, duplicate_line, move_line, blow_up, blow_up, blow_up};
	for (size_t n = 1 + below(rng, 3); n > 0 && text->n > 0; n--)
		change[below(rng, sizeof(change) / sizeof(change[0]))](text, rng);
}

/* ---- readers ------------------------------------------------------------------------------------ */

static enum err_code read_space(const char *path, struct err *err)
{
	struct space space;
	enum err_code code = space_read(path, &space, err);
	if (code == ERR_OK)
		assert_true(space_n_machine(&space) > 0 && space.n_network > 0 && space.n_objective > 0);
	space_free(&space);
	return code;
}

static enum err_code read_machine(const char *path, struct err *err)
{
	struct machine machine;
	enum err_code code = machine_read(path, &machine, err);
	if (code == ERR_OK)
		assert_int_equal(machine_check(&machine, err), ERR_OK);
	return code;
}

static enum err_code read_cfg(const char *path, struct err *err)
{
	struct machine machine;
	enum err_code code = machine_read_cfg(path, &machine, err);
	if (code == ERR_OK)
		assert_int_equal(machine_check(&machine, err), ERR_OK);
	return code;
}

/* What can be read can be split, or is told not to fit. */
static enum err_code read_network_by(enum err_code (*read)(const char *, struct network *, struct err *),
                                     const char *path, struct err *err)
{
	static const char *const name[] = {"spaces/machines/thesis_chip.yaml", "spaces/machines/thesis_qpe_dram.yaml"};
	struct network network;
	enum err_code code = read(path, &network, err);
	for (size_t m = 0; m < 2 && code == ERR_OK; m++) {
		struct machine machine;
		assert_int_equal(machine_read(name[m], &machine, NULL), ERR_OK);
		for (size_t i = 0; i < network.n_block; i++) {
			struct split split;
			if (network.block[i].same_as == i &&
			    splitter_thesis(&network.block[i], &machine, &split, NULL) == ERR_OK)
				assert_int_equal(split_check(&network.block[i], &split, NULL), ERR_OK);
		}
	}
	network_free(&network);
	return code;
}

static enum err_code read_network(const char *path, struct err *err)
{
	return read_network_by(network_read, path, err);
}

static enum err_code read_topology(const char *path, struct err *err)
{
	return read_network_by(network_read_topology, path, err);
}

/* What can be read can be looked at on its machine, whether it runs or not. */
static enum err_code read_mapping(const char *path, struct err *err)
{
	struct mapping mapping;
	enum err_code code = mapping_read(path, &mapping, err);
	if (code == ERR_OK)
		(void)mapping_check(&mapping, NULL);
	mapping_free(&mapping);
	return code;
}

static enum err_code read_scheme(const char *path, struct err *err)
{
	struct split_scheme scheme;
	enum err_code code = split_scheme_read(path, &scheme, err);
	if (code == ERR_OK)
		split_scheme_free(&scheme);
	return code;
}

static enum err_code read_reference(const char *path, struct err *err)
{
	struct source *source;
	struct validation validation;
	assert_int_equal(source_open(NULL, NULL, &source, err), ERR_OK);
	enum err_code code = validate_file(path, source, &validation, err);
	validate_free(&validation);
	source_close(source);
	return code;
}

/* What can be read can be fitted, to parameters that are numbers. */
static enum err_code read_measurements(const char *path, struct err *err)
{
	static const struct fit_options options;
	struct machine machine;
	struct fit_data data;
	struct fit_result result;
	assert_int_equal(machine_read("spaces/machines/dvfs_chip.yaml", &machine, NULL), ERR_OK);
	enum err_code code = fit_read(path, &machine, &options, &data, err);
	if (code == ERR_OK)
		code = fit_run(&data, &options, &result, err);
	for (size_t i = 0; code == ERR_OK && i < result.n_group; i++)
		for (size_t k = 0; k < result.group[i].n_param; k++)
			assert_true(result.group[i].param[k].value >= 0 && result.group[i].param[k].value <= 1e6);
	fit_free(&data);
	return code;
}

/* ---- files -------------------------------------------------------------------------------------- */

typedef enum err_code (*reader)(const char *path, struct err *err);

static void load(const char *path, struct text *text)
{
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	text->n = fread(text->byte, 1, sizeof(text->byte), file);
	assert_true(text->n > 0 && text->n <= MAX_BYTE);
	assert_int_equal(fclose(file), 0);
}

static void save(const char *path, const struct text *text)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(text->byte, 1, text->n, file), text->n);
	assert_int_equal(fclose(file), 0);
}

/* On a fault the damaged file stays, to be looked at. */
static void read_damaged(reader read, const char *original, const char *path)
{
	struct err err = {0};
	const char *fault = reader_fault(read(path, &err), &err);
	if (fault)
		print_error("%s, damaged as in %s: %s:\n%s", original, path, fault, err_text(&err));
	assert_null(fault);
	err_clear(&err);
}

/* All files of a kind; each is changed by a random stream of its own, so that new files change no old mutation. */
static void mutate_files(reader read, const char *const pattern[2], unsigned n_mutation)
{
	char path[TEMPORARY_SIZE];
	struct text *text = malloc(2 * sizeof(*text));
	glob_t found;
	assert_non_null(text);
	temporary_write(path, "");
	assert_int_equal(glob(pattern[0], 0, NULL, &found), 0);
	if (pattern[1])
		assert_int_equal(glob(pattern[1], GLOB_APPEND, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		load(found.gl_pathv[i], &text[0]);
		uint32_t name = 0;
		for (const char *c = found.gl_pathv[i]; *c; c++)
			name = 31 * name + (unsigned char)*c;
		for (unsigned k = 0; k < n_mutation; k++) {
			struct rng rng = rng_stream(SEED, name, k);
			text[1] = text[0];
			mutate(&text[1], &rng);
			save(path, &text[1]);
			read_damaged(read, found.gl_pathv[i], path);
		}
	}
	globfree(&found);
	free(text);
	assert_int_equal(unlink(path), 0);
}

static void test_mutation_of_measurements(void **state)
{
	static const char *const pattern[] = {"spaces/measurements/*.csv", NULL};
	(void)state;
	mutate_files(read_measurements, pattern, N_MUTATION);
}

static void test_mutation_of_spaces(void **state)
{
	static const char *const pattern[] = {"spaces/*.yaml", "tests/malformed/space_*.yaml"};
	(void)state;
	mutate_files(read_space, pattern, N_MUTATION);
}

static void test_mutation_of_machines(void **state)
{
	static const char *const pattern[] = {"spaces/machines/*.yaml", "tests/malformed/machine_*.yaml"};
	(void)state;
	mutate_files(read_machine, pattern, 2 * N_MUTATION);
}

static void test_mutation_of_networks(void **state)
{
	static const char *const pattern[] = {"spaces/networks/*.yaml", "tests/malformed/network_*.yaml"};
	(void)state;
	mutate_files(read_network, pattern, 2 * N_MUTATION);
}

static void test_mutation_of_scalesim_machines(void **state)
{
	static const char *const pattern[] = {"spaces/machines/*.cfg", "tests/malformed/*.cfg"};
	(void)state;
	mutate_files(read_cfg, pattern, 20 * N_MUTATION);
}

static void test_mutation_of_topologies(void **state)
{
	static const char *const pattern[] = {"tests/reference/topologies/*.csv", "tests/malformed/topology_*.csv"};
	(void)state;
	mutate_files(read_topology, pattern, 4 * N_MUTATION);
}

static void test_mutation_of_mappings(void **state)
{
	static const char *const pattern[] = {"spaces/mappings/*.yaml", "tests/malformed/mapping_*.yaml"};
	(void)state;
	mutate_files(read_mapping, pattern, 4 * N_MUTATION);
}

static void test_mutation_of_split_schemes(void **state)
{
	static const char *const pattern[] = {"spaces/splits/*.csv", "tests/malformed/scheme_*.csv"};
	(void)state;
	mutate_files(read_scheme, pattern, 2 * N_MUTATION);
}

static void test_mutation_of_reference_tables(void **state)
{
	static const char *const pattern[] = {"tests/reference/*.csv", NULL};
	(void)state;
	mutate_files(read_reference, pattern, N_MUTATION_TABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_mutation_of_spaces),
	    cmocka_unit_test(test_mutation_of_machines),
	    cmocka_unit_test(test_mutation_of_networks),
	    cmocka_unit_test(test_mutation_of_split_schemes),
	    cmocka_unit_test(test_mutation_of_reference_tables),
	    cmocka_unit_test(test_mutation_of_measurements),
	    cmocka_unit_test(test_mutation_of_mappings),
	    cmocka_unit_test(test_mutation_of_topologies),
	    cmocka_unit_test(test_mutation_of_scalesim_machines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
