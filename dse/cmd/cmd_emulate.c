/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dse emulate: a filled DRAM image, run.
 *
 *   dram.bin, inputs -> emulator -> outputs; bytes, loads and packets layer by layer
 */
#include "dse/base/memory.h"
#include "dse/cmd/command_table.h"
#include "dse/emulate/emulate.h"
#include "dse/keep/output_file.h"
#include "dse/options/cli.h"
#include "dse/out/json.h"
#include "dse/out/table.h"
#include "dse/schedule/dram_image.h"
#include "sim/base/file.h"
#include "sim/base/hash.h"
#include "sim/base/rng.h"
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#define INPUT_STREAM 0x73000000u
#define MAX_INPUT_BYTE ((size_t)1 << 30)

struct emulate_job {
	const struct cli_options *cli;
	struct emulator emulator;
	int8_t *input, *output; /* [n][n_input], [n][n_output] */
	size_t n, n_input, n_output;
};

/* A folder stands for its dram.bin. */
static enum err_code open_image(struct emulate_job *job, struct err *err)
{
	struct stat status;
	const char *path = job->cli->file[0];
	bool is_folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
	char *file = memory_must(is_folder ? output_file_join(path, "dram.bin") : memory_text(path)), *data = NULL;
	size_t n_byte = 0;
	enum err_code code = file_read(file, DRAM_IMAGE_MAX_BYTE, &data, &n_byte, err);
	if (code == ERR_OK)
		code = emulate_open(file, (const uint8_t *)data, n_byte, &job->emulator, err);
	free(data);
	free(file);
	return code;
}

static enum err_code read_input(struct emulate_job *job, struct err *err)
{
	const char *path = job->cli->input;
	char *data = NULL;
	size_t n_byte = 0;
	job->n_input = emulate_n_input(&job->emulator);
	job->n_output = emulate_n_output(&job->emulator);
	if (!path) {
		struct rng rng = rng_stream(job->cli->seed, INPUT_STREAM, 0);
		job->n = 1;
		job->input = memory_array(job->n_input, 1);
		for (size_t i = 0; i < job->n_input; i++)
			job->input[i] = (int8_t)((int)rng_below(&rng, 255) - 127);
		return ERR_OK;
	}
	enum err_code code = file_read(path, MAX_INPUT_BYTE, &data, &n_byte, err);
	if (code == ERR_OK && (n_byte == 0 || job->n_input == 0 || n_byte % job->n_input != 0))
		code = err_add(err, ERR_INPUT, "%s: has %zu bytes, allowed are inputs of %zu bytes each", path, n_byte,
		               job->n_input);
	job->n = code == ERR_OK ? n_byte / job->n_input : 0;
	job->input = (int8_t *)data;
	return code;
}

static void run_all(struct emulate_job *job)
{
	job->output = memory_array(job->n * job->n_output, 1);
	for (size_t i = 0; i < job->n; i++) {
		emulate_write_input(&job->emulator, job->input + i * job->n_input);
		emulate_run(&job->emulator);
		emulate_read_output(&job->emulator, job->output + i * job->n_output);
	}
}

static enum err_code write_output(const struct emulate_job *job, struct err *err)
{
	struct output_file file = {0};
	enum err_code code = output_file_open(&file, job->cli->out, err);
	if (code != ERR_OK)
		return code;
	(void)fwrite(job->output, 1, job->n * job->n_output, file.file);
	return output_file_commit(&file, err);
}

static uint64_t hash_of(const struct emulate_job *job)
{
	return hash_bytes(job->output, job->n * job->n_output, 0);
}

static void print_runs(const struct emulate_job *job)
{
	const struct octopus_dram *dram = &job->emulator.dram;
	struct table table = {0};
	(void)printf("%zu inputs of %zu bytes, %zu bytes of output each; hash of the outputs %016" PRIx64 "\n\n",
	             job->n, job->n_input, job->n_output, hash_of(job));
	table_add_columns(&table,
	                  ">layer|kind|>workers|>tiles|>weight_byte|>input_byte|>output_byte|>loads|>writes|>packets");
	for (uint32_t l = 0; l < dram->n_layer; l++) {
		const struct octopus_traffic *traffic = &job->emulator.traffic[l];
		uint64_t n = job->emulator.n_run;
		table_add_row(&table,
		              "%" PRIu32 "|%s|%" PRIu32 "|%" PRIu32 "|%" PRIu64 "|%" PRIu64 "|%" PRIu64 "|%" PRIu64
		              "|%" PRIu64 "|%" PRIu64,
		              l + 1, octopus_type_name[dram->layer[l].type], dram->layer[l].n_worker,
		              dram->layer[l].n_tile, traffic->weight_byte / n, traffic->input_byte / n,
		              traffic->output_byte / n, (traffic->n_weight_load + traffic->n_input_load) / n,
		              traffic->n_write / n, traffic->n_packet / n);
	}
	table_finish(&table, stdout, 2);
	(void)printf("\n  of one input: bytes that all workers move from and to DRAM, in packets of %d\n",
	             OCTOPUS_PACKET_BYTE);
}

static void put_runs(const struct emulate_job *job)
{
	const struct octopus_dram *dram = &job->emulator.dram;
	struct json json;
	json_start_object(&json, stdout, 2);
	json_put_fields(&json, "inputs %zu, input_byte %zu, output_byte %zu", job->n, job->n_input, job->n_output);
	json_begin_list(&json, "layers");
	for (uint32_t l = 0; l < dram->n_layer; l++) {
		const struct octopus_traffic *traffic = &job->emulator.traffic[l];
		uint64_t n = job->emulator.n_run;
		json_begin_object(&json, NULL);
		json_put_fields(&json,
		                "kind %s, workers %u, tiles %u, weight_byte %" PRIu64 ", input_byte %" PRIu64
		                ", output_byte %" PRIu64 ", weight_loads %" PRIu64 ", input_loads %" PRIu64
		                ", writes %" PRIu64 ", packets %" PRIu64,
		                octopus_type_name[dram->layer[l].type], dram->layer[l].n_worker, dram->layer[l].n_tile,
		                traffic->weight_byte / n, traffic->input_byte / n, traffic->output_byte / n,
		                traffic->n_weight_load / n, traffic->n_input_load / n, traffic->n_write / n,
		                traffic->n_packet / n);
		json_end(&json);
	}
	json_end(&json);
	json_finish(&json);
}

enum err_code cmd_emulate(const struct cli_options *options, struct err *err)
{
	struct emulate_job job = {.cli = options};
	enum err_code code = open_image(&job, err);
	if (code == ERR_OK)
		code = read_input(&job, err);
	if (code == ERR_OK)
		run_all(&job);
	if (code == ERR_OK && options->out)
		code = write_output(&job, err);
	if (code == ERR_OK) {
		(options->json ? put_runs : print_runs)(&job);
		code = output_file_flush_stdout(err);
	}
	free(job.input);
	free(job.output);
	emulate_close(&job.emulator);
	return code;
}
