/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/report/report_json.h"
#include "dse/base/memory.h"
#include "dse/layer/design_field.h"
#include "dse/out/build.h"
#include "dse/out/command_word.h"
#include "dse/out/energy_json.h"
#include "dse/report/report_roof.h"
#include "dse/roofline/roofline.h"
#include "dse/run/kept_run.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Runs, their lists and what is in these stand on lines of their own; a point or a design is one line. */
enum { N_OPEN_LINES = 4 };

/* ---- the run ---- */

/* A scalar as it was: text, number, true, false or null. */
static void put_scalar(struct json *json, const char *key, const struct doc_node *node)
{
	char *end;
	double value = strtod(node->text, &end);
	bool is_plain = !node->quoted, is_truth = strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0;
	if (is_plain && *node->text && *end == '\0')
		json_put_number(json, key, value);
	else if (is_plain && is_truth)
		json_put_bool(json, key, node->text[0] == 't');
	else
		json_put_text(json, key, is_plain && strcmp(node->text, "null") == 0 ? NULL : node->text);
}

/* A part of run.json as it is; nothing where it is not there. */
static void put_node(struct json *json, const char *key, const struct doc_node *node)
{
	if (!node)
		return;
	if (node->kind == DOC_SCALAR) {
		put_scalar(json, key, node);
		return;
	}
	if (node->kind == DOC_LIST)
		json_begin_list(json, key);
	else
		json_begin_object(json, key);
	for (size_t i = 0; i < node->n; i++)
		put_node(json, node->kind == DOC_MAP ? node->key[i]->text : NULL, node->value[i]);
	json_end(json);
}

/* As the store has it; of a folder from the same facts. */
static void put_exactness(struct json *json, const struct report_run *run)
{
	char text[KEPT_EXACTNESS_SIZE];
	kept_run_exactness(run->run, text);
	json_put_text(json, "exactness", run->record.id > 0 ? run->record.exactness : text);
}

/* Marks of the search, column by column. */
static void put_progress(struct json *json, const struct report_run *run)
{
	static const char *const key[] = {"evaluations", "front_points", "hypervolume"};
	const struct doc_node *points = report_run_node(run, "progress.points");
	json_begin_object(json, "progress");
	for (size_t k = 0; k < sizeof(key) / sizeof(key[0]); k++) {
		json_begin_list(json, key[k]);
		for (size_t i = 0; points && points->kind == DOC_LIST && i < points->n; i++) {
			const struct doc_node *node = doc_find(points->value[i], key[k]);
			if (node && node->kind == DOC_SCALAR)
				put_scalar(json, NULL, node);
		}
		json_end(json);
	}
	const struct doc_node *seconds = report_run_node(run, "progress.seconds");
	json_begin_list(json, "seconds");
	for (size_t i = 0; seconds && seconds->kind == DOC_LIST && i < seconds->n; i++)
		put_node(json, NULL, seconds->value[i]);
	json_end(json);
	json_end(json);
}

/* How to run one point again: out of the folder if it still holds this front, else out of the store. */
static void put_replay(struct json *json, const struct report_data *data)
{
	const struct report_run *run = &data->run;
	char *text = NULL;
	size_t n_byte;
	if (run->front.n_point == 0) {
		json_put_text(json, "replay", NULL);
		return;
	}
	FILE *file = memory_must(open_memstream(&text, &n_byte));
	if (data->has_folder)
		command_word_replay(file, run->front_path, "{id}");
	else
		command_word_replay_kept(file, run_note_is_usual(run->store) ? NULL : run->store, run->record.id,
		                         "{id}");
	json_put_text(json, "replay", memory_must(fclose(file) == 0 ? text : NULL));
	free(text);
}

static void put_header(struct json *json, const struct report_data *data)
{
	const struct report_run *run = &data->run;
	static const char *const same[] = {"space",        "verdict",
	                                   "seconds",      "inputs",
	                                   "counts",       "infeasible_by_reason",
	                                   "over_limit",   "machines_refused_by_reason",
	                                   "nearest_miss", "changes_of_one_limit",
	                                   "failed",       "verify",
	                                   "certificate",  "complete",
	                                   "stopped_by"};
	if (run->record.id > 0)
		json_put_u64(json, "run", run->record.id);
	else
		json_put_text(json, "run", NULL);
	json_put_fields(json, "name %s, date %s, version %s, command %s, folder %s, engine %s, detail %s", run->name,
	                run->record.id > 0 ? run->record.date : NULL, report_run_text(run, "version"),
	                report_run_text(run, "command"), run->folder, report_run_text(run, "options.engine"),
	                report_run_text(run, "options.detail"));
	put_node(json, "seed", report_run_node(run, "options.seed"));
	json_put_text(json, "signature", run->front.n_point > 0 ? report_run_text(run, "signature") : NULL);
	put_exactness(json, run);
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		put_node(json, same[i], report_run_node(run, same[i]));
	put_node(json, "hypervolume", report_run_node(run, "quality.hypervolume"));
	put_node(json, "hypervolume_frac", report_run_node(run, "quality.hypervolume_frac"));
	put_node(json, "reference", report_run_node(run, "quality.reference"));
	json_put_text(json, "without", data->without);
	put_replay(json, data);
	put_progress(json, run);
}

/* ---- points ---- */

static void put_columns(struct json *json, const struct report_data *data)
{
	static const char *const kind[] = {
	    [REPORT_OBJECTIVE] = "objective", [REPORT_METRIC] = "metric", [REPORT_KNOB] = "knob"};
	json_begin_list(json, "columns");
	for (size_t i = 0; i < data->n_column; i++) {
		const struct report_column *column = &data->column[i];
		json_begin_object(json, NULL);
		json_put_fields(json, "key %s, label %s, unit %s, kind %s", column->key, column->label, column->unit,
		                kind[column->kind]);
		if (isfinite(column->limit)) {
			json_begin_object(json, "limit");
			json_put_number(json, "max", column->limit);
			json_end(json);
		}
		if (column->n_text > 0) {
			json_begin_list(json, "values");
			for (size_t k = 0; k < column->n_text; k++)
				json_put_text(json, NULL, column->text[k]);
			json_end(json);
		}
		json_end(json);
	}
	json_end(json);
}

static void put_points(struct json *json, const struct report_data *data)
{
	const struct kept_front *front = &data->run.front;
	json_begin_list(json, "points");
	for (size_t i = 0; i < front->n_point; i++) {
		json_begin_list(json, NULL);
		for (size_t k = 0; k < data->n_column; k++)
			json_put_number(json, NULL, data->column[k].of[i]);
		json_end(json);
	}
	json_end(json);
	if (front->n_point == 0)
		return;
	json_put_fields(json, "knee %zu, point %zu", data->knee, data->chosen);
	json_begin_object(json, "best");
	for (size_t k = 0; k < front->n_objective; k++)
		json_put_u64(json, metric_table[front->objective[k]].name, data->best[k]);
	json_end(json);
}

/* ---- layers ---- */

static void put_layers(struct json *json, const struct report_data *data)
{
	const struct kept_front *front = &data->run.front;
	json_begin_list(json, "layers");
	for (size_t i = 0; i < front->n_network; i++)
		for (size_t k = 0; k < front->network[i].n_layer; k++) {
			size_t layer = front->network[i].begin + k;
			char node[BLOCK_NODE_TEXT_SIZE] = "";
			if (data->space.n_network > 0)
				block_print_node(data->map.block[layer], sizeof(node), node);
			json_begin_object(json, NULL);
			json_put_fields(json, "network %s, operation %s", front->network[i].name,
			                front->operation[layer]);
			if (node[0])
				json_put_text(json, "node", node);
			json_end(json);
		}
	json_end(json);
	json_begin_list(json, "point_designs");
	for (size_t i = 0; i < front->n_point; i++) {
		json_begin_list(json, NULL);
		for (size_t k = 0; k < front->n_layer; k++)
			json_put_u64(json, NULL, front->point[i].design[k]);
		json_end(json);
	}
	json_end(json);
}

/* The design as recorded: its fields, in the order of their table. */
static void put_fields(struct json *json, const struct doc_node *node)
{
	json_begin_object(json, "fields");
	for (size_t i = 0; i < design_n_field; i++) {
		const struct doc_node *value = doc_find(node, design_field[i].key);
		if (value && value->kind == DOC_SCALAR)
			put_scalar(json, design_field[i].key, value);
	}
	json_end(json);
}

static void put_energies(struct json *json, const struct doc_node *recorded)
{
	const struct doc_node *parts = doc_find(recorded, "energy_parts_mj");
	json_begin_list(json, "energy_parts_mj");
	for (size_t k = 0; energy_part_key(k); k++) {
		const struct doc_node *node = parts ? doc_find(parts, energy_part_key(k)) : NULL;
		json_put_number(json, NULL, node && node->kind == DOC_SCALAR ? strtod(node->text, NULL) : (double)NAN);
	}
	json_end(json);
}

/* What only running it again tells. */
static void put_result(struct json *json, const struct report_data *data, const struct report_design *design)
{
	const struct sim_result *result = &design->result;
	const struct machine *machine = data->machine[design->machine].machine;
	double n_op = 2.0 * (double)block_n_mac(data->map.block[design->layer]);
	json_begin_object(json, "phases");
	for (unsigned k = 0; k < N_PHASE; k++)
		if (result->phase_clk[k] > 0)
			json_put_u64(json, phase_name[k], result->phase_clk[k]);
	json_end(json);
	json_put_u64(json, "core_clk", result->core_clk);
	json_put_number(json, "mac_util_frac", result->mac_util_frac);
	json_put_number(json, "dram_read_byte", result->counts.dram_read_byte);
	json_put_number(json, "dram_write_byte", result->counts.dram_write_byte);
	json_put_text(json, "bound", bound_name[result->bound]);
	json_put_number(json, "op", n_op);
	if (n_op <= 0 || !(result->latency_ns > 0))
		return;
	json_begin_object(json, "intensity");
	for (unsigned k = 0; k < N_REPORT_MEMORY; k++) {
		double byte = report_memory_byte(machine, result, (enum report_memory)k);
		if (byte > 0 && report_memory_gb_s(machine, design->design.level, (enum report_memory)k) > 0)
			json_put_number(json, report_memory_name[k], n_op / byte);
	}
	json_end(json);
	json_put_number(json, "reached_gops", n_op / result->latency_ns);
}

static void put_design(struct json *json, const struct report_data *data, size_t i)
{
	const struct kept_design *kept = &data->run.front.design[i];
	const struct report_design *design = &data->design[i];
	json_begin_object(json, NULL);
	json_put_fields(json, "layer %u, machine %u", design->layer, design->machine);
	put_fields(json, kept->node);
	json_put_u64(json, "total_clk", kept->total_clk);
	for (unsigned k = 0; k < N_METRIC; k++)
		if (metric_table[k].scope == METRIC_OF_LAYER)
			json_put_number(json, metric_table[k].name, kept->metric[k]);
	json_put_number(json, "power_mw", kept->metric[METRIC_ENERGY] / kept->metric[METRIC_LATENCY] * 1e3);
	put_energies(json, kept->node);
	if (design->ran)
		put_result(json, data, design);
	json_end(json);
}

static void put_names(struct json *json, const struct report_data *data)
{
	bool has_phase[N_PHASE] = {false};
	json_begin_list(json, "energy_parts");
	for (size_t k = 0; energy_part_key(k); k++)
		json_put_text(json, NULL, energy_part_key(k));
	json_end(json);
	for (size_t i = 0; i < data->run.front.n_design; i++)
		for (unsigned k = 0; k < N_PHASE && data->design[i].ran; k++)
			has_phase[k] = has_phase[k] || data->design[i].result.phase_clk[k] > 0;
	json_begin_list(json, "phases");
	for (unsigned k = 0; k < N_PHASE; k++)
		if (has_phase[k])
			json_put_text(json, NULL, phase_name[k]);
	json_end(json);
}

/* Operating points of a machine at which designs of the front run. */
static uint32_t used_levels(const struct report_data *data, size_t machine)
{
	uint32_t levels = 0;
	for (size_t i = 0; i < data->run.front.n_design; i++)
		if (data->design[i].ran && data->design[i].machine == machine)
			levels |= UINT32_C(1) << data->design[i].design.level;
	return levels;
}

static void put_roofs(struct json *json, const struct machine *machine, uint32_t levels)
{
	json_begin_list(json, "roofs");
	for (uint32_t l = 0; l < machine->n_level; l++) {
		if (!(levels >> l & 1))
			continue;
		json_begin_object(json, NULL);
		json_put_text(json, "level", machine->level[l].name);
		json_put_number(json, "clk_mhz", machine->level[l].clk_mhz);
		json_put_number(json, "compute_gops", roofline_compute_gops(machine, l));
		json_begin_list(json, "memories");
		for (unsigned k = 0; k < N_REPORT_MEMORY; k++) {
			double gb_s = report_memory_gb_s(machine, l, (enum report_memory)k);
			if (!(gb_s > 0))
				continue;
			json_begin_object(json, NULL);
			json_put_text(json, "name", report_memory_name[k]);
			json_put_number(json, "gb_s", gb_s);
			json_end(json);
		}
		json_end(json);
		json_end(json);
	}
	json_end(json);
}

static void put_machines(struct json *json, const struct report_data *data)
{
	json_begin_list(json, "machines");
	for (size_t i = 0; i < data->n_machine; i++) {
		const struct report_machine *own = &data->machine[i];
		json_begin_object(json, NULL);
		json_put_text(json, "name", data->run.front.machine[own->kept].name);
		json_begin_object(json, "axes");
		for (size_t k = 0; k < data->run.front.n_axis; k++)
			json_put_text(json, data->run.front.axis[k], own->value[k]);
		json_end(json);
		if (own->machine)
			put_roofs(json, own->machine, used_levels(data, i));
		json_end(json);
	}
	json_end(json);
}

/* What to change next of the chosen point's machine. */
static void put_next(struct json *json, const struct report_data *data)
{
	if (!data->sensitivity.machine)
		return;
	json_begin_object(json, "sensitivity");
	json_put_u64(json, "of_point", data->chosen);
	sensitivity_put(json, &data->sensitivity);
	json_end(json);
}

static void put_run(struct json *json, const struct report_data *data)
{
	json_begin_object(json, NULL);
	put_header(json, data);
	put_columns(json, data);
	put_points(json, data);
	put_layers(json, data);
	json_begin_list(json, "designs");
	for (size_t i = 0; i < data->run.front.n_design; i++)
		put_design(json, data, i);
	json_end(json);
	put_names(json, data);
	put_machines(json, data);
	put_next(json, data);
	json_end(json);
}

void report_put_json(FILE *file, const struct report_data *data, size_t n, const char *made)
{
	struct json json;
	assert(file && data && n > 0);
	json_start(&json, file, N_OPEN_LINES);
	json.is_tight = true;
	json_begin_object(&json, NULL);
	json_put_fields(&json, "format %s, version %s, build %s, made %s", REPORT_FORMAT, build_version, build_sources,
	                made);
	json_begin_list(&json, "runs");
	for (size_t i = 0; i < n; i++)
		put_run(&json, &data[i]);
	json_finish(&json);
}
