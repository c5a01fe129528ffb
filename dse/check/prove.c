/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/check/prove.h"
#include "dse/layer/design_text.h"
#include "dse/base/interrupt.h"
#include "dse/base/parallel.h"
#include "dse/out/progress.h"
#include "dse/out/renamed.h"
#include "dse/out/legend.h"
#include "dse/out/table.h"
#include "sim/base/hash.h"
#include <inttypes.h>

struct watch {
	const struct network *network;
	const struct prove_how *how;
	struct progress progress;
	double done, all; /* multiply-accumulates, and something for what has none */
	size_t n_done;
};

static double effort(const struct block *block)
{
	return (double)block_n_mac(block) + (double)block->out_w * block->out_h * block->out_c;
}

static bool on_done(void *context, size_t n_done, const struct prove_candidate *candidate)
{
	struct watch *watch = context;
	watch->n_done = n_done;
	watch->done += effort(&watch->network->block[candidate->block]);
	progress_update(&watch->progress, watch->done / watch->all, watch->how->what);
	return !interrupt_requested();
}

static void run_parallel(const struct prove_pool *pool, size_t n, void (*work)(void *context, size_t i), void *context)
{
	parallel_for(n, pool->n_thread, work, context);
}

enum err_code prove_run(const struct network *network, struct prove_candidate *candidate, size_t n,
                        const struct prove_how *how, size_t *n_done, struct err *err)
{
	struct watch watch = {.network = network, .how = how, .all = 1};
	const struct prove_pool pool = {run_parallel, how->n_thread};
	const struct prove_options options = {
	    .seed = how->seed, .pool = &pool, .is_mapping = how->is_mapping, .done = on_done, .context = &watch};
	for (size_t i = 0; i < n; i++)
		watch.all += effort(&network->block[candidate[i].block]);
	interrupt_install();
	progress_start(&watch.progress, how->show_progress);
	enum err_code code = prove_network(network, candidate, n, &options, err);
	progress_end(&watch.progress);
	*n_done = watch.n_done;
	if (code == ERR_INTERRUPTED)
		return err_add(err, code, "interrupted: %zu of %zu layers were proved", watch.n_done, n);
	return code;
}

size_t prove_list(const struct mapping *mapping, const bool *chosen, const struct layer_context *context,
                  struct prove_candidate *candidate)
{
	size_t n = 0;
	for (size_t i = 0; i < mapping->network.n_block; i++) {
		if (chosen && !chosen[i])
			continue;
		candidate[n++] = (struct prove_candidate){
		    .block = i, .machine = &mapping->machine, .design = mapping->design[i], .ahead = context[i].ahead};
	}
	return n;
}

static uint64_t hash_results(const struct prove_candidate *candidate, size_t n)
{
	uint64_t hash = 0;
	for (size_t i = 0; i < n; i++)
		hash = hash_bytes(&candidate[i].result.hash, sizeof(candidate[i].result.hash), hash);
	return hash;
}

static const char *verdict_text(const struct prove_result *result)
{
	return result->is_proved ? "equal" : result->ran ? "DIFFERENT" : "cannot run";
}

static void add_row(struct table *table, const struct block *block, const struct prove_candidate *candidate)
{
	const struct prove_result *result = &candidate->result;
	struct split_text split;
	design_print_split(&candidate->design.split, &split);
	table_add_row(table, "%s|%s|%s|%s|%s|%s", block->name, strategy_table[candidate->design.strategy].name, split.w,
	              split.h, split.c, split.d);
	if (result->ran) {
		table_add_row(table, "%" PRIu64 "|%" PRIu32 "|%.1f|%.1f", result->n_task, result->shift,
		              100.0 * result->saturated_frac, 100.0 * result->zero_frac);
		table_add(table, "%016" PRIx64, result->hash);
	} else {
		table_add_row(table, "-|-|-|-|-");
	}
	table_add(table, "%s", verdict_text(result));
	table_colour(table, result->is_proved ? COLOUR_BEST : COLOUR_BAD);
}

static void print_faults(FILE *file, const struct block *block, const struct prove_result *result)
{
	for (unsigned i = 0; i < result->n_fault && i < PROVE_MAX_FAULT; i++)
		(void)fprintf(file, "  %s: %s\n", block->name, result->fault[i]);
	if (result->n_fault > PROVE_MAX_FAULT)
		(void)fprintf(file, "  %s: %u faults in all\n", block->name, result->n_fault);
	if (result->n_different > 0)
		(void)fprintf(file, "  %s: %" PRIu64 " values differ, the first: %s\n", block->name,
		              result->n_different, result->difference);
	if (!result->ran)
		(void)fprintf(file, "  %s: %s\n", block->name, verdict_table[result->verdict.reason].help);
}

static size_t count_proved(const struct prove_candidate *candidate, size_t n)
{
	size_t n_proved = 0;
	for (size_t i = 0; i < n; i++)
		n_proved += candidate[i].result.is_proved;
	return n_proved;
}

void prove_print(FILE *file, const struct network *network, const struct prove_candidate *candidate, size_t n)
{
	struct table table = {0};
	table_add_columns(
	    &table,
	    "layer|strategy|width|height|out_channels|in_channels|>tasks|>shift|>saturated_pct|>zero_pct|hash|result");
	for (size_t i = 0; i < n; i++)
		add_row(&table, &network->block[candidate[i].block], &candidate[i]);
	table_print(&table, file, 0);
	legend_print(file, 0, &table);
	table_free(&table);
	for (size_t i = 0; i < n; i++)
		print_faults(file, &network->block[candidate[i].block], &candidate[i].result);
	(void)fprintf(file, "\n  %zu of %zu layers bit-exact; hash of the results %016" PRIx64 "\n",
	              count_proved(candidate, n), n, hash_results(candidate, n));
}

static void put_layer(struct json *json, const struct block *block, const struct prove_candidate *candidate)
{
	const struct prove_result *result = &candidate->result;
	struct split_text split;
	char hash[17];
	design_print_split(&candidate->design.split, &split);
	json_begin_object(json, NULL);
	json_put_fields(json, "layer %s, strategy %s, width %s, height %s, out_channels %s, in_channels %s, proved %d",
	                block->name, strategy_table[candidate->design.strategy].name, split.w, split.h, split.c,
	                split.d, result->is_proved);
	const char *before = renamed_before(RENAMED_KEY, "layer");
	if (before)
		json_put_text(json, before, block->name);
	design_put_renamed(json, "", &split);
	json_put_fields(
	    json, "verdict %s, n_task %" PRIu64 ", n_different %" PRIu64 ", shift %u, saturated_frac %g, zero_frac %g",
	    verdict_table[result->ran ? VERDICT_OK : result->verdict.reason].name, result->n_task, result->n_different,
	    result->shift, result->saturated_frac, result->zero_frac);
	(void)snprintf(hash, sizeof(hash), "%016" PRIx64, result->hash);
	json_put_fields(json, "hash %s, n_fault %u", hash, result->n_fault);
	json_begin_list(json, "faults");
	for (unsigned i = 0; i < result->n_fault && i < PROVE_MAX_FAULT; i++)
		json_put_text(json, NULL, result->fault[i]);
	json_end(json);
	json_put_text(json, "difference", result->n_different > 0 ? result->difference : NULL);
	json_end(json);
}

void prove_put_json(struct json *json, const struct network *network, const struct prove_candidate *candidate, size_t n)
{
	char hash[17];
	(void)snprintf(hash, sizeof(hash), "%016" PRIx64, hash_results(candidate, n));
	json_put_fields(json, "proved %d, hash %s", count_proved(candidate, n) == n, hash);
	json_begin_list(json, "layers");
	for (size_t i = 0; i < n; i++)
		put_layer(json, &network->block[candidate[i].block], &candidate[i]);
	json_end(json);
}

enum err_code prove_judge(const struct network *network, const struct prove_candidate *candidate, size_t n,
                          struct err *err)
{
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < n; i++) {
		const char *name = network->block[candidate[i].block].name;
		const struct prove_result *result = &candidate[i].result;
		if (result->is_proved)
			continue;
		if (result->ran)
			code = err_add(err, ERR_GATE, "%s: %s", name,
			               result->n_fault > 0 ? result->fault[0] : result->difference);
		else if (code == ERR_OK)
			code = err_add(err, ERR_INFEASIBLE, "%s: %s", name, verdict_table[result->verdict.reason].help);
	}
	return code;
}
