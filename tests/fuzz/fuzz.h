/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H
/* What the fuzzers share: files for readers that want a path, and the check of a reader's answer. */
#include "dse/design/simulate.h"
#include "dse/space/machine_read.h"
#include "dse/space/space.h"
#include "sim/machine/machine_check.h"
#include "tests/support/reader_result.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

#endif
