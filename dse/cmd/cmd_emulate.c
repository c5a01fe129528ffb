/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dse emulate: a filled DRAM image, run.
 *
 *   dram.bin, inputs -> emulator -> outputs; bytes, loads and packets layer by layer
 */
#include "dse/base/memory.h"
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/emulate/emulate_time.h"
#include "dse/keep/output_file.h"
#include "dse/options/cli.h"
#include "dse/out/json.h"
#include "dse/out/table.h"
#include "sim/base/file.h"
#include "sim/base/hash.h"
#include "sim/base/rng.h"
#include <inttypes.h>
#include <stdlib.h>

#define INPUT_STREAM 0x73000000u
#define MAX_INPUT_BYTE ((size_t)1 << 30)

struct emulate_job {
	const struct cli_options *cli;
	struct emulator emulator;
	int8_t *input, *output; /* [n][n_input], [n][n_output] */
	size_t n, n_input, n_output;
	struct machine machine; /* --machine; n_level 0: none */
	uint32_t level;
	struct emulate_times times;
	struct arena arena;
};

static enum err_code read_machine(struct emulate_job *job, struct err *err)
{
	const struct cli_options *cli = job->cli;
	if (!cli->machine && (cli->time_area || cli->level || cli->set.n > 0))
		return err_add(err, ERR_USAGE, "dse emulate: times are those of a machine: --machine is missing");
	if (!cli->machine)
		return ERR_OK;
	enum err_code code = choice_machine(cli, cli->machine, &job->machine, NULL, &job->arena, err);
	if (code == ERR_OK && job->machine.target == MACHINE_SYSTOLIC)
		code =
		    err_add(err, ERR_INPUT, "dse emulate: machine %s is a systolic array, allowed are QPEs and chips",
		            job->machine.name);
	return code == ERR_OK ? choice_level(cli, &job->machine, &job->level, err) : code;
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

static enum err_code run_all(struct emulate_job *job, struct err *err)
{
	job->output = memory_array(job->n * job->n_output, 1);
	for (size_t i = 0; i < job->n; i++) {
		emulate_write_input(&job->emulator, job->input + i * job->n_input);
		if (!emulate_run(&job->emulator))
			return err_add(err, ERR_INTERRUPTED, "interrupted after %zu of %zu inputs; nothing was written",
			               i, job->n);
		emulate_read_output(&job->emulator, job->output + i * job->n_output);
	}
	return ERR_OK;
}

static enum err_code write_bytes(const char *path, const void *bytes, size_t n, struct err *err)
{
	struct output_file file = {0};
	enum err_code code = output_file_open(&file, path, err);
	if (code != ERR_OK)
		return code;
	(void)fwrite(bytes, 1, n, file.file);
	return output_file_commit(&file, err);
}

/* What the chip would leave in its time area. */
static enum err_code write_times(const struct emulate_job *job, struct err *err)
{
	const struct octopus_dram *dram = &job->emulator.dram;
	uint8_t *area = memory_array((size_t)dram->times.byte, 1);
	emulate_time_write(dram, &job->times, area);
	enum err_code code = write_bytes(job->cli->time_area, area, (size_t)dram->times.byte, err);
	free(area);
	return code;
}

static uint64_t hash_of(const struct emulate_job *job)
{
	return hash_bytes(job->output, job->n * job->n_output, 0);
}

/* The slowest worker's parts. */
static void print_times(const struct emulate_job *job)
{
	const struct octopus_dram *dram = &job->emulator.dram;
	const struct emulate_times *times = &job->times;
	struct table table = {0};
	(void)printf("\n%s (%s): setup %.3f us, cleanup %.3f us, total %.3f us\n\n", job->machine.name,
	             job->machine.level[job->level].name, times->setup_us, times->cleanup_us, times->total_us);
	table_add_columns(&table, ">layer|kind");
	for (int i = 0; i < N_OCTOPUS_PART; i++)
		table_add_column(&table, octopus_part_name[i], true);
	table_add_column(&table, "total_us", true);
	for (uint32_t l = 0; l < dram->n_layer; l++) {
		const struct emulate_worker_time *slowest = &times->layer[l].worker[0];
		for (uint32_t p = 1; p < dram->layer[l].n_worker; p++)
			if (times->layer[l].worker[p].end_us > slowest->end_us)
				slowest = &times->layer[l].worker[p];
		table_add_row(&table, "%" PRIu32 "|%s|%.1f", l + 1, octopus_type_name[dram->layer[l].type],
		              emulate_time_of_scheduler(dram, times, l));
		for (int i = 0; i < EMULATE_N_PART; i++)
			table_add(&table, "%.1f", slowest->part_us[i]);
		table_add(&table, "%.1f", times->layer[l].end_us - times->layer[l].begin_us);
	}
	table_finish(&table, stdout, 2);
}

static void print_runs(const struct emulate_job *job)
{
	const struct octopus_dram *dram = &job->emulator.dram;
	struct table table = {0};
	(void)printf("%zu input%s of %zu bytes, %zu bytes of output each; hash of the outputs %016" PRIx64 "\n\n",
	             job->n, job->n == 1 ? "" : "s", job->n_input, job->n_output, hash_of(job));
	table_add_columns(&table,
	                  ">layer|kind|>workers|>tiles|>weight_byte|>input_byte|>output_byte|>loads|>writes|>packets");
	for (uint32_t l = 0; l < dram->n_layer; l++) {
		const struct octopus_traffic *traffic = &job->emulator.traffic[l];
		uint64_t n = job->emulator.n_run, n_load = job->emulator.is_resident ? 1 : n;
		table_add_row(&table,
		              "%" PRIu32 "|%s|%" PRIu32 "|%" PRIu32 "|%" PRIu64 "|%" PRIu64 "|%" PRIu64 "|%" PRIu64
		              "|%" PRIu64 "|%" PRIu64,
		              l + 1, octopus_type_name[dram->layer[l].type], dram->layer[l].n_worker,
		              dram->layer[l].n_tile, traffic->weight_byte / n_load, traffic->input_byte / n,
		              traffic->output_byte / n, (traffic->n_weight_load + traffic->n_input_load) / n,
		              traffic->n_write / n, traffic->n_packet / n);
	}
	table_finish(&table, stdout, 2);
	(void)printf("\n  of one input: bytes that all workers move from and to DRAM, in packets of %d\n",
	             OCTOPUS_PACKET_BYTE);
	if (job->emulator.is_resident)
		(void)puts(
		    "  weights stay in the workers' SRAM: loaded once; what workers copy from each other is not in it");
	if (job->machine.n_level > 0)
		print_times(job);
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
		uint64_t n = job->emulator.n_run, n_load = job->emulator.is_resident ? 1 : n;
		json_begin_object(&json, NULL);
		json_put_fields(&json,
		                "kind %s, workers %u, tiles %u, weight_byte %" PRIu64 ", input_byte %" PRIu64
		                ", output_byte %" PRIu64 ", weight_loads %" PRIu64 ", input_loads %" PRIu64
		                ", writes %" PRIu64 ", packets %" PRIu64,
		                octopus_type_name[dram->layer[l].type], dram->layer[l].n_worker, dram->layer[l].n_tile,
		                traffic->weight_byte / n_load, traffic->input_byte / n, traffic->output_byte / n,
		                traffic->n_weight_load / n, traffic->n_input_load / n, traffic->n_write / n,
		                traffic->n_packet / n);
		json_end(&json);
	}
	json_end(&json);
	if (job->machine.n_level > 0)
		json_put_real(&json, "total_us", job->times.total_us);
	json_finish(&json);
}

enum err_code cmd_emulate(const struct cli_options *options, struct err *err)
{
	struct emulate_job job = {.cli = options};
	enum err_code code = read_machine(&job, err);
	if (code == ERR_OK)
		code = emulate_open_path(options->file[0], &job.emulator, err);
	if (code == ERR_OK && options->machine && job.emulator.is_resident)
		code = err_add(err, ERR_INPUT,
		               "%s: tensors stay in the workers' SRAM: there are no times by worker of such schedules",
		               options->file[0]);
	if (code == ERR_OK)
		code = read_input(&job, err);
	if (code == ERR_OK)
		code = run_all(&job, err);
	if (code == ERR_OK && options->machine)
		emulate_time_make(&job.emulator, &job.machine, job.level, &job.times);
	if (code == ERR_OK && options->time_area)
		code = write_times(&job, err);
	if (code == ERR_OK && options->out)
		code = write_bytes(options->out, job.output, job.n * job.n_output, err);
	if (code == ERR_OK) {
		(options->json ? put_runs : print_runs)(&job);
		code = output_file_flush_stdout(err);
	}
	free(job.input);
	free(job.output);
	emulate_time_free(&job.times);
	emulate_close(&job.emulator);
	arena_free(&job.arena);
	return code;
}
