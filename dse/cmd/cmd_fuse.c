/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dse fuse: which layers of a network are run depth first, tile by tile, so that it takes the least DRAM traffic.
 *
 *   machine x network -> plan layer by layer, plan with groups -> table or JSON
 */
#include "dse/base/interrupt.h"
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "dse/check/prove.h"
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/keep/output_file.h"
#include "dse/out/json.h"
#include "dse/out/paths.h"
#include "dse/out/table.h"
#include "mapper/fuse/fuse_search.h"
#include "mapper/prove/prove_fuse.h"
#include "sim/machine/machine_check.h"
#include <assert.h>
#include <inttypes.h>

#define DEFAULT_MORE_MAC_PCT 10.0
#define DEFAULT_BUSY_PCT 50.0
#define OPERAND_BIT 8
#define LIST_SIZE 512

/* Everything one command line names, and what came out. */
struct fuse_request {
	const struct cli_options *cli;
	struct machine machine;
	struct network network;
	double more_mac_pct, busy_pct;
	struct fuse_plan layers, fused;
	struct prove_fused *proof; /* [fused.n_step], of groups; NULL: nobody asks */
	struct arena arena;
};

/* A group beside the same layers one by one. */
struct fuse_row {
	const struct fuse_step *step;
	const struct block *first, *last;
	uint64_t layers_byte, layers_mac;
	char resident[LIST_SIZE]; /* names of layers whose weights stay in every PE, others' are streamed; "" none */
};

static double saved_pct(uint64_t before, uint64_t after)
{
	return before > 0 ? 100.0 * ((double)before - (double)after) / (double)before : 0;
}

static double more_pct(uint64_t before, uint64_t after)
{
	return saved_pct(before, after) == 0 ? 0 : -saved_pct(before, after);
}

static enum err_code read_inputs(struct fuse_request *job, struct err *err)
{
	const char *path;
	enum err_code code = choice_machine(job->cli, job->cli->file[0], &job->machine, NULL, &job->arena, err);
	if (code == ERR_OK)
		code = machine_check(&job->machine, err);
	enum err_code found = path_find(job->cli->file[1], "networks", &job->arena, &path, err);
	if (found == ERR_OK)
		found = network_read(path, &job->network, err);
	job->more_mac_pct = cli_given(job->cli, OPTION_RECOMPUTE) ? job->cli->recompute_pct : DEFAULT_MORE_MAC_PCT;
	job->busy_pct = cli_given(job->cli, OPTION_BUSY) ? job->cli->busy_pct : DEFAULT_BUSY_PCT;
	return choice_worse(code, found);
}

static enum err_code search(struct fuse_request *job, struct err *err)
{
	struct fuse_wish wish = {.machine = &job->machine,
	                         .operand_bit = OPERAND_BIT,
	                         .max_block = 1,
	                         .more_mac_frac = job->more_mac_pct / 100,
	                         .least_busy_frac = job->busy_pct / 100};
	enum err_code code = fuse_search(&job->network, &wish, &job->arena, &job->layers, err);
	wish.max_block = FUSE_MAX_BLOCK;
	return code == ERR_OK ? fuse_search(&job->network, &wish, &job->arena, &job->fused, err) : code;
}

/* ---- proof ---- */

static void run_parallel(const struct prove_pool *pool, size_t n, void (*work)(void *context, size_t i), void *context)
{
	parallel_for(n, pool->n_thread, work, context);
}

/* Every group on data. */
static enum err_code prove(struct fuse_request *job, struct err *err)
{
	const struct prove_pool pool = {run_parallel, parallel_n_thread((size_t)job->cli->jobs)};
	uint64_t seed = cli_given(job->cli, OPTION_SEED) ? job->cli->seed : PROVE_DEFAULT_SEED;
	enum err_code code = ERR_OK;
	job->proof = memory_must(arena_array(&job->arena, job->fused.n_step, sizeof(*job->proof)));
	for (size_t i = 0; i < job->fused.n_step && code == ERR_OK; i++) {
		const struct fuse_step *step = &job->fused.step[i];
		struct fuse_group group;
		if (step->n == 1)
			continue;
		enum fuse_reason reason = fuse_group_make(&job->network, step->first, step->n, &group);
		assert(reason == FUSE_OK);
		(void)reason;
		code = prove_fused_group(&group, step->cost.tile_w, step->cost.tile_h, step->cost.step_h,
		                         PROVE_FUSED_RIGHT, seed, &pool, &job->proof[i]);
	}
	return code == ERR_INTERRUPTED ? err_add(err, code, "interrupted; nothing was written") : code;
}

/* ERR_GATE: a group was not bit-exact; ERR_INFEASIBLE: one found no memory. */
static enum err_code judge(const struct fuse_request *job, struct err *err)
{
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < job->fused.n_step && job->proof; i++) {
		const struct prove_fused *proof = &job->proof[i];
		const char *name = job->network.block[job->fused.step[i].first].name;
		if (job->fused.step[i].n == 1 || proof->is_proved)
			continue;
		if (!proof->ran)
			code = choice_worse(code,
			                    err_add(err, ERR_INFEASIBLE,
			                            "group of %s: its tensors find no memory, or are too large", name));
		else
			code = choice_worse(code, err_add(err, ERR_GATE, "group of %s: %" PRIu64 " values differ. %s",
			                                  name, proof->n_different, proof->fault));
	}
	return code;
}

static const char *proof_word(const struct fuse_request *job, const struct fuse_step *step)
{
	if (!job->proof)
		return "";
	const struct prove_fused *proof = &job->proof[step - job->fused.step];
	return proof->is_proved ? "equal" : proof->ran ? "differs" : "no memory";
}

/* ---- what came out ---- */

static void list_residents(const struct fuse_request *job, const struct fuse_step *step, char text[LIST_SIZE])
{
	size_t at = 0;
	text[0] = '\0';
	for (uint32_t m = 0; m < step->n && at < LIST_SIZE; m++)
		if (step->cost.resident >> m & 1)
			at += (size_t)snprintf(text + at, LIST_SIZE - at, "%s%s", at ? " " : "",
			                       job->network.block[step->first + m].name);
}

static struct fuse_row row_of(const struct fuse_request *job, const struct fuse_step *step)
{
	struct fuse_row row = {.step = step,
	                       .first = &job->network.block[step->first],
	                       .last = &job->network.block[step->first + step->n - 1]};
	for (uint32_t m = 0; m < step->n; m++) {
		/* layer by layer a step is a block */
		row.layers_byte += job->layers.step[step->first + m].cost.dram_byte;
		row.layers_mac += job->layers.step[step->first + m].cost.n_mac;
	}
	list_residents(job, step, row.resident);
	return row;
}

static size_t count_groups(const struct fuse_request *job)
{
	size_t n = 0;
	for (size_t i = 0; i < job->fused.n_step; i++)
		n += job->fused.step[i].n > 1;
	return n;
}

static void print_groups(FILE *file, const struct fuse_request *job)
{
	struct table table = {0};
	table_add_columns(
	    &table,
	    "first|last|>layers|tile|>rows|>tiles|>waves|>busy_pct|>sram_byte|>layers_byte|>fused_byte|>saved_pct|"
	    ">more_mac_pct|result|proof|resident weights");
	for (size_t i = 0; i < job->fused.n_step; i++) {
		const struct fuse_step *step = &job->fused.step[i];
		if (step->n == 1)
			continue;
		struct fuse_row row = row_of(job, step);
		const struct fuse_cost *cost = &step->cost;
		table_add_row(&table, "%s|%s|%u", row.first->name, row.last->name, step->n);
		table_add(&table, "%ux%u", cost->tile_w, cost->tile_h);
		table_add(&table, "%u", cost->step_h);
		table_add_row(&table,
		              "%" PRIu64 "|%" PRIu64 "|%.1f|%" PRIu64 "|%" PRIu64 "|%" PRIu64 "|%.1f|%.1f|%s|%s|%s",
		              cost->n_tile, cost->n_wave, 100 * cost->busy_frac, cost->sram_byte, row.layers_byte,
		              cost->dram_byte, saved_pct(row.layers_byte, cost->dram_byte),
		              more_pct(row.layers_mac, cost->n_mac), step->out_storage ? "storage" : "DRAM",
		              proof_word(job, step), row.resident[0] ? row.resident : "-");
	}
	table_leave_empty(&table);
	table_finish(&table, file, 0);
}

static void print_text(FILE *file, const struct fuse_request *job)
{
	const struct fuse_plan *layers = &job->layers, *fused = &job->fused;
	size_t n_group = count_groups(job), n_chain = 0;
	char text[TABLE_COUNT_SIZE];
	(void)fprintf(file,
	              "%s on %s, %u PEs with %" PRIu32 " byte of SRAM, %" PRIu64 " byte of storage QPEs, %d bit\n\n",
	              job->network.name, job->machine.name, fused->n_pe, job->machine.pe_sram_byte, fused->storage_byte,
	              OPERAND_BIT);
	if (n_group > 0) {
		print_groups(file, job);
		(void)fputs("\n", file);
	}
	table_print_count(layers->dram_byte, text);
	(void)fprintf(file, "DRAM traffic of an inference: %s byte layer by layer, at least; ", text);
	table_print_count(fused->dram_byte, text);
	(void)fprintf(file, "%s byte with %zu group%s: %.1f %% less\n", text, n_group, n_group == 1 ? "" : "s",
	              saved_pct(layers->dram_byte, fused->dram_byte));
	(void)fprintf(file, "multiply-accumulates: %.1f %% more, at most %g %% in a group (--recompute)\n",
	              more_pct(layers->n_mac, fused->n_mac), job->more_mac_pct);
	for (size_t i = 0; i < N_FUSE_REASON; i++)
		n_chain += fused->n_chain[i];
	(void)fprintf(file,
	              "of %zu chains of up to %d layers %zu can be fused; of the others %zu do not fit a PE's SRAM, "
	              "%zu leave too many PEs idle "
	              "(--busy), %zu compute too much again\n",
	              n_chain, FUSE_MAX_BLOCK, fused->n_chain[FUSE_OK], fused->n_chain[FUSE_SRAM],
	              fused->n_chain[FUSE_IDLE], fused->n_chain[FUSE_COMPUTE]);
}

static void put_step(struct json *json, const struct fuse_request *job, const struct fuse_step *step)
{
	struct fuse_row row = row_of(job, step);
	const struct fuse_cost *cost = &step->cost;
	json_begin_object(json, NULL);
	json_put_fields(json, "first %s, last %s, layers %u", row.first->name, row.last->name, step->n);
	if (step->n > 1)
		json_put_fields(json,
		                "tile_w %u, tile_h %u, step_h %u, tiles %lu, waves %lu, busy_frac %g, sram_byte %lu",
		                cost->tile_w, cost->tile_h, cost->step_h, (unsigned long)cost->n_tile,
		                (unsigned long)cost->n_wave, cost->busy_frac, (unsigned long)cost->sram_byte);
	json_put_fields(
	    json,
	    "input_byte %lu, weight_byte %lu, output_byte %lu, dram_byte %lu, layers_dram_byte %lu, mac %lu, "
	    "layers_mac %lu, result %s",
	    (unsigned long)cost->in_byte, (unsigned long)cost->weight_byte, (unsigned long)cost->out_byte,
	    (unsigned long)cost->dram_byte, (unsigned long)row.layers_byte, (unsigned long)cost->n_mac,
	    (unsigned long)row.layers_mac, step->out_storage ? "storage" : "dram");
	if (step->n > 1 && job->proof)
		json_put_fields(json, "proof %s", proof_word(job, step));
	if (step->n > 1) {
		json_begin_list(json, "resident");
		for (uint32_t m = 0; m < step->n; m++)
			if (cost->resident >> m & 1)
				json_put_text(json, NULL, job->network.block[step->first + m].name);
		json_end(json);
	}
	json_end(json);
}

static void print_json(FILE *file, const struct fuse_request *job)
{
	struct json json;
	json_start_object(&json, file, 2);
	json_put_fields(
	    &json, "machine %s, network %s, pes %u, pe_sram_byte %u, storage_byte %lu, recompute_pct %g, busy_pct %g",
	    job->machine.name, job->network.name, job->fused.n_pe, job->machine.pe_sram_byte,
	    (unsigned long)job->fused.storage_byte, job->more_mac_pct, job->busy_pct);
	json_put_fields(&json, "layers_dram_byte %lu, fused_dram_byte %lu, layers_mac %lu, fused_mac %lu",
	                (unsigned long)job->layers.dram_byte, (unsigned long)job->fused.dram_byte,
	                (unsigned long)job->layers.n_mac, (unsigned long)job->fused.n_mac);
	json_begin_object(&json, "chains");
	for (size_t i = 0; i < N_FUSE_REASON; i++)
		json_put_u64(&json, fuse_reason_name[i], job->fused.n_chain[i]);
	json_end(&json);
	json_begin_list(&json, "steps");
	for (size_t i = 0; i < job->fused.n_step; i++)
		put_step(&json, job, &job->fused.step[i]);
	json_end(&json);
	json_finish(&json);
}

enum err_code cmd_fuse(const struct cli_options *options, struct err *err)
{
	struct fuse_request job = {.cli = options};
	struct output_file file = {0};
	assert(options->n_file == 2);
	interrupt_install();
	enum err_code code = read_inputs(&job, err);
	if (code == ERR_OK)
		code = search(&job, err);
	if (code == ERR_OK && options->prove)
		code = prove(&job, err);
	if (code == ERR_OK)
		code = output_file_open(&file, options->out, err);
	if (code == ERR_OK) {
		if (options->json)
			print_json(file.file, &job);
		else
			print_text(file.file, &job);
		code = output_file_commit(&file, err);
	}
	if (code == ERR_OK)
		code = judge(&job, err);
	network_free(&job.network);
	arena_free(&job.arena);
	return code;
}
