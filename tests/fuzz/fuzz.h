/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H
/* What the fuzzers share: files for readers that want a path, and the check of a reader's answer. */
#include "dse/cmd/command_table.h"
#include "dse/design/simulate.h"
#include "dse/options/cli.h"
#include "dse/space/machine_read.h"
#include "dse/space/space.h"
#include "sim/machine/machine_check.h"
#include "tests/support/reader_result.h"
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Called by the fuzzer with each input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte);

#define FUZZ_PATH_SIZE 256

/* The input as a file of this process, in memory where the system has such a folder; the same name each time. */
static inline const char *fuzz_file(const uint8_t *data, size_t n_byte, char path[FUZZ_PATH_SIZE])
{
	const char *folder = getenv("FUZZ_DIR");
	(void)snprintf(path, FUZZ_PATH_SIZE, "%s/input_%ld", folder ? folder : "/tmp", (long)getpid());
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(data, 1, n_byte, file) != n_byte || fclose(file) != 0) {
		perror(path);
		exit(1);
	}
	return path;
}

/* The input as text that ends, as argument vectors and cells do. */
static inline char *fuzz_text(const uint8_t *data, size_t n_byte)
{
	char *text = malloc(n_byte + 1);
	if (!text)
		exit(1);
	memcpy(text, data, n_byte);
	text[n_byte] = '\0';
	return text;
}

static inline void fuzz_require(bool good, const char *what, const struct err *err)
{
	if (good)
		return;
	(void)fprintf(stderr, "%s:\n%s", what, err ? err_text(err) : "");
	abort();
}

/* Every answer of a reader is success or messages with places; then the messages are freed. */
static inline void fuzz_answer(enum err_code code, struct err *err)
{
	const char *fault = reader_fault(code, err);
	fuzz_require(!fault, fault, err);
	err_clear(err);
}

/* What a machine and a network that could be read are good for: every strategy on every operating point. */
static inline void fuzz_simulate(const struct machine *machine, const struct network *network)
{
	struct simulated *block = calloc(network->n_block, sizeof(*block));
	FILE *sink = fopen("/dev/null", "w");
	fuzz_require(block && sink, "no memory", NULL);
	for (unsigned i = 0; i < N_PE_STRATEGY * machine->n_level; i++) {
		struct err err = {0};
		struct simulate_options options = {.strategy = (enum strategy)(i % N_PE_STRATEGY),
		                                   .level = i / N_PE_STRATEGY};
		enum err_code code = simulate_network(machine, network, &options, block, &err);
		fuzz_require(code == ERR_OK || code == ERR_INFEASIBLE, "simulate_network", &err);
		if (code == ERR_OK) {
			struct json json;
			simulate_print(sink, machine, block, network->n_block, NULL);
			json_start(&json, sink, 2);
			json_begin_object(&json, NULL);
			simulate_put_json(&json, machine, block, network->n_block, NULL);
			json_end(&json);
			json_finish(&json);
		}
		err_clear(&err);
	}
	(void)fclose(sink);
	free(block);
}

/* A machine that was read runs the smallest shipped network. */
static inline void fuzz_machine(enum err_code code, const struct machine *machine, struct err *err)
{
	struct network network;
	if (code == ERR_OK) {
		fuzz_require(machine_check(machine, err) == ERR_OK, "a machine that is wrong", err);
		fuzz_require(network_read("spaces/networks/tiny.yaml", &network, err) == ERR_OK, "tiny", err);
		fuzz_simulate(machine, &network);
		network_free(&network);
	}
	fuzz_answer(code, err);
}

/* A network that was read, of less than n_block layers, runs on a chip and on a QPE. */
static inline void fuzz_network(enum err_code code, struct network *network, size_t n_block, struct err *err)
{
	static const char *const name[] = {"spaces/machines/thesis_chip.yaml", "spaces/machines/thesis_qpe_dram.yaml"};
	for (size_t i = 0; i < 2 && code == ERR_OK && network->n_block < n_block; i++) {
		struct machine machine;
		fuzz_require(machine_read(name[i], &machine, err) == ERR_OK, name[i], err);
		fuzz_simulate(&machine, network);
	}
	fuzz_answer(code, err);
	network_free(network);
}

/* A command's answer: no internal error, no message that is no text. */
static inline void fuzz_command_answer(enum err_code code, const struct err *err)
{
	fuzz_require((code == ERR_OK) == (err->n_message == 0) || code == ERR_GATE || code == ERR_INTERRUPTED,
	             "a command's answer", err);
	fuzz_require(code != ERR_INTERNAL, "an internal error", err);
	fuzz_require(is_printable(err_text(err)), "a command's message that is no text", err);
}

/* Run the program with n words; judges: its answer must be one of the above. */
static inline enum err_code fuzz_command(int n, const char *const *word, bool judges)
{
	enum { MAX_WORD = 32 };
	char *copy[MAX_WORD], program[] = "dse", *argument[MAX_WORD + 2] = {program};
	struct cli_options options;
	struct err err = {0};
	fuzz_require(n <= MAX_WORD, "words", NULL);
	for (int i = 0; i < n; i++)
		argument[i + 1] = copy[i] = fuzz_text((const uint8_t *)word[i], strlen(word[i]));
	enum err_code code = cli_parse(&command_program, n + 1, argument, &options, &err);
	fuzz_require(code == ERR_OK, "cli_parse", &err);
	code = options.command->run(&options, &err);
	if (judges)
		fuzz_command_answer(code, &err);
	err_clear(&err);
	for (int i = 0; i < n; i++)
		free(copy[i]); /* cli_parse moves arguments about */
	return code;
}
#define FUZZ_WORDS(...)                                                          \
	sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]) \
	{                                                                        \
		__VA_ARGS__                                                      \
	}
#define FUZZ_COMMAND(...) fuzz_command(FUZZ_WORDS(__VA_ARGS__), true)

/* A file, or a folder with all that is in it. */
static inline void fuzz_remove(const char *path)
{
	DIR *directory = opendir(path);
	for (const struct dirent *entry; directory && (entry = readdir(directory));) {
		char below[2 * FUZZ_PATH_SIZE];
		int n = snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && n < (int)sizeof(below))
			fuzz_remove(below);
	}
	if (directory)
		(void)closedir(directory);
	(void)remove(path);
}

/* A folder of this process that is not there, or no longer; the same name each time. */
static inline const char *fuzz_folder(const char *name, char path[FUZZ_PATH_SIZE])
{
	const char *folder = getenv("FUZZ_DIR");
	(void)snprintf(path, FUZZ_PATH_SIZE, "%s/%s_%ld", folder ? folder : "/tmp", name, (long)getpid());
	fuzz_remove(path);
	return path;
}

/* The only folder below a run's: path/NAME/file into `found`. */
static inline void fuzz_run_file(const char *path, const char *file, char found[FUZZ_PATH_SIZE])
{
	DIR *directory = opendir(path);
	fuzz_require(directory != NULL, "no run", NULL);
	for (const struct dirent *entry; (entry = readdir(directory));)
		if (entry->d_name[0] != '.')
			fuzz_require(snprintf(found, FUZZ_PATH_SIZE, "%s/%s%s%s", path, entry->d_name, *file ? "/" : "",
			                      file) < FUZZ_PATH_SIZE,
			             "a long name", NULL);
	(void)closedir(directory);
}

static inline void fuzz_write(const char *path, const void *data, size_t n_byte)
{
	FILE *file = fopen(path, "wb");
	fuzz_require(file && fwrite(data, 1, n_byte, file) == n_byte && fclose(file) == 0, path, NULL);
}

#endif
