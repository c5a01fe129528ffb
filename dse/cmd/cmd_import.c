/* SPDX-License-Identifier: Apache-2.0 */
/* dse import: what becomes of each node of an ONNX model, and the network in our own format. */
#include "dse/base/memory.h"
#include "dse/cmd/command_table.h"
#include "dse/out/json.h"
#include "dse/keep/output_file.h"
#include "dse/out/table.h"
#include "mapper/onnx/onnx.h"
#include "sim/base/doc.h"
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "NAME=N" each; names may have '=' in them, numbers may not. The names lie in arena. */
static enum err_code read_dims(const struct cli_list *list, struct arena *arena, struct onnx_dim dim[CLI_MAX_LIST],
                               struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *equals = strrchr(list->text[i], '=');
		char *name = memory_must(arena_text(arena, list->text[i])), *end = NULL;
		errno = 0;
		long long size = equals ? strtoll(equals + 1, &end, 10) : 0;
		if (!equals || equals == list->text[i] || end == equals + 1 || *end || errno || size < 1 ||
		    size > ONNX_MAX_DIM)
			return err_add(err, ERR_USAGE,
			               "dse import: --dim is '%.60s', allowed is NAME=N with N from 1 to 2^31",
			               list->text[i]);
		name[equals - list->text[i]] = '\0';
		dim[i] = (struct onnx_dim){.name = name, .size = size};
	}
	return ERR_OK;
}

static double share_pct(const struct onnx_plan *plan, uint64_t mac)
{
	return plan->mac > 0 ? 100.0 * (double)mac / (double)plan->mac : 0;
}

static void print_nodes(FILE *file, const struct onnx_import *import)
{
	const struct onnx_plan *plan = &import->plan;
	struct table table = {0};
	table_add_columns(&table, "node|op|status|>layer|>mac|>share_pct");
	for (size_t i = 0; i < import->graph.n_node; i++) {
		const struct onnx_verdict *verdict = &plan->verdict[i];
		table_add_row(&table, "%s|%s|%s", doc_quote(import->graph.node[i].name).text,
		              doc_quote(import->graph.node[i].op).text, onnx_status_name[verdict->status]);
		table_add(&table, verdict->layer > 0 ? "%" PRIu32 : "-", verdict->layer);
		table_add(&table, verdict->mac > 0 ? "%" PRIu64 : "-", verdict->mac);
		table_add(&table, verdict->mac > 0 ? "%.2f" : "-", share_pct(plan, verdict->mac));
	}
	table_print(&table, file, 2);
	(void)fputc('\n', file);
	table_free(&table);
}

/* How many nodes of each status, with what part of the work. */
static void print_sums(FILE *file, const struct onnx_import *import)
{
	const struct onnx_plan *plan = &import->plan;
	size_t n[N_ONNX_STATUS] = {0};
	uint64_t mac[N_ONNX_STATUS] = {0};
	struct table table = {0};
	for (size_t i = 0; i < import->graph.n_node; i++) {
		n[plan->verdict[i].status]++;
		mac[plan->verdict[i].status] += plan->verdict[i].mac;
	}
	table_add_columns(&table, "status|>nodes|>mac|>share_pct");
	for (size_t i = 0; i < N_ONNX_STATUS; i++)
		table_add_row(&table, "%s|%zu|%" PRIu64 "|%.2f", onnx_status_name[i], n[i], mac[i],
		              share_pct(plan, mac[i]));
	(void)fprintf(
	    file, "%s: network %s: %zu nodes, %zu layers, %" PRIu64 " multiply-accumulates, %" PRIu64 " parameters\n\n",
	    import->graph.path, import->name, import->graph.n_node, plan->list.n, plan->mac, plan->n_parameter);
	table_finish(&table, file, 2);
}

static void put_report(FILE *file, const struct onnx_import *import)
{
	const struct onnx_plan *plan = &import->plan;
	struct json json;
	json_start_object(&json, file, 2);
	json_put_fields(&json, "file %s, name %s, mac %" PRIu64 ", parameters %" PRIu64 ", layers %zu, unsupported %zu",
	                import->graph.path, import->name, plan->mac, plan->n_parameter, plan->list.n,
	                plan->n_unsupported);
	json_begin_list(&json, "nodes");
	for (size_t i = 0; i < import->graph.n_node; i++) {
		const struct onnx_verdict *verdict = &plan->verdict[i];
		json_begin_object(&json, NULL);
		json_put_fields(&json, "name %s, op %s, status %s, mac %" PRIu64, import->graph.node[i].name,
		                import->graph.node[i].op, onnx_status_name[verdict->status], verdict->mac);
		if (verdict->layer > 0)
			json_put_u64(&json, "layer", verdict->layer);
		if (verdict->why)
			json_put_text(&json, "why", verdict->why);
		json_end(&json);
	}
	json_finish(&json);
}

/* The network as a file; its layers have been through the parser before. */
static enum err_code write_network(const struct onnx_import *import, const char *path, struct err *err)
{
	struct output_file file = {0};
	assert(path);
	enum err_code code = output_file_open(&file, path, err);
	if (code != ERR_OK)
		return code;
	onnx_write_yaml(import, file.file);
	return output_file_commit(&file, err);
}

/* Report first: it says what keeps a model from being a network. */
static enum err_code report(const struct onnx_import *import, const struct cli_options *options, struct err *err)
{
	struct network network;
	enum err_code code;
	if (options->json) {
		put_report(stdout, import);
	} else {
		if (!options->quiet)
			print_nodes(stdout, import);
		print_sums(stdout, import);
	}
	code = onnx_complain_unsupported(import, err);
	if (code != ERR_OK)
		return options->out ? code : ERR_OK;
	code = onnx_build(import, &network, err);
	network_free(&network);
	return code == ERR_OK && options->out ? write_network(import, options->out, err) : code;
}

enum err_code cmd_import(const struct cli_options *options, struct err *err)
{
	struct arena arena = {0};
	struct onnx_dim dim[CLI_MAX_LIST];
	struct onnx_import import;
	enum err_code code = read_dims(&options->dim, &arena, dim, err);
	if (code == ERR_OK)
		code = onnx_import(options->file[0], dim, options->dim.n, &import, err);
	if (code == ERR_OK) {
		code = report(&import, options, err);
		onnx_import_free(&import);
	}
	arena_free(&arena);
	return code;
}
