/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/report/report_design.h"
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "dse/design/design_read.h"
#include "dse/out/energy_json.h"
#include "sim/program/mixed.h"
#include "sim/machine/machine_check.h"
#include "sim/base/text.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Designs that are run together: a context has two machines in it, which is too much for all of a long front. */
enum { BATCH = 256 };

/* Say why there are no details, the first reason only. */
static void __attribute__((format(printf, 2, 3))) leave_out(struct report_data *data, const char *format, ...)
{
	char text[1024];
	if (data->without)
		return;
	TEXT_FILL(text, format);
	text[strcspn(text, "\n")] = '\0';
	data->without = memory_must(arena_text(&data->arena, text));
}

/* ---- inputs ---- */

/* The networks' layers are still those of the front: they are where an ONNX import or a parser has changed. */
static bool has_same_layers(const struct report_data *data)
{
	const struct kept_front *front = &data->run.front;
	const struct space *space = &data->space;
	bool same = space->n_network == front->n_network;
	for (size_t i = 0; same && i < space->n_network; i++) {
		const struct network *network = &space->network[i].network;
		same =
		    strcmp(network->name, front->network[i].name) == 0 && network->n_block == front->network[i].n_layer;
		for (size_t k = 0; same && k < network->n_block; k++)
			same = strcmp(network->block[k].name, front->operation[front->network[i].begin + k]) == 0;
	}
	return same;
}

/* A machine of the front: its file's, with the point's value on each axis. */
static enum err_code make_machine(struct report_data *data, struct report_machine *machine, struct err *err)
{
	const struct kept_front *front = &data->run.front;
	const char *name = front->machine[machine->kept].name;
	size_t k = 0;
	while (k < data->space.n_machine && strcmp(data->space.machine[k].name, name) != 0)
		k++;
	if (k == data->space.n_machine)
		return err_add(err, ERR_INPUT, "the space has no machine %s", name);
	machine->machine = memory_must(arena_alloc(&data->arena, sizeof(*machine->machine)));
	*machine->machine = data->space.machine[k];
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < front->n_axis && code == ERR_OK; i++) {
		const struct machine_param *param = machine_find_param(front->axis[i]);
		code = param ? machine_set_param(machine->machine, param, machine->value[i], err)
		             : err_add(err, ERR_INPUT, "'%s' is no machine parameter", front->axis[i]);
	}
	if (code == ERR_OK)
		code = machine_check(machine->machine, err);
	return code == ERR_OK ? mixed_offer(machine->machine, (uint32_t)front->level_shares, err) : code;
}

static void drop_space(struct report_data *data)
{
	space_free(&data->space);
	for (size_t i = 0; i < data->n_machine; i++)
		data->machine[i].machine = NULL;
}

enum err_code report_inputs_read(struct report_source *source, struct report_data *data, struct err *err)
{
	struct err own = {0};
	enum err_code code = report_run_space(source, &data->run, &data->space, &own);
	if (code == ERR_OK && !has_same_layers(data))
		code = err_add(&own, ERR_INPUT, "the networks have other layers now than when the run was made");
	for (size_t i = 0; i < data->n_machine && code == ERR_OK; i++)
		code = make_machine(data, &data->machine[i], &own);
	if (code == ERR_OK)
		code = layer_map_build(&data->space, &data->map, &own);
	if (code != ERR_OK)
		drop_space(data);
	if (code == ERR_INTERNAL)
		(void)err_add_all(err, (struct err_place){0}, &own);
	else if (code != ERR_OK)
		leave_out(data, "%s", err_text(&own));
	err_clear(&own);
	return err->code;
}

/* ---- designs ---- */

/* Of a design of layer k of the front on a machine; next: the design of the layer behind it, NULL: none. */
static void make_context(const struct report_data *data, size_t layer, const struct machine *machine,
                    const struct layer_design *design, const struct layer_design *next, struct layer_context *context)
{
	size_t network = layer_map_network(&data->map, layer), own = layer - data->map.begin[network];
	struct ahead ahead = ahead_around(&data->space.network[network].network, own, design->operand_bit,
	                                  next ? next->operand_bit : design->operand_bit);
	mapper_prepare_form(data->map.block[layer], machine, design->operand_bit, design->form, context);
	mapper_set_ahead(context, &ahead);
}

/* Exactly the number that is recorded; one that is not recorded is no difference. */
static bool is_same(double recorded, double now)
{
	return isnan(recorded) || (!(recorded < now) && !(recorded > now));
}

/* Say which number of a design is not what is recorded: the first one. */
static void compare_design(struct report_data *data, size_t i)
{
	const struct kept_design *kept = &data->run.front.design[i];
	const struct report_design *design = &data->design[i];
	const struct doc_node *parts = doc_find(kept->node, "energy_parts_mj");
	const char *what = kept->total_clk == design->result.total_clk ? NULL : "total_clk";
	for (int k = 0; k < N_METRIC && !what; k++)
		if (metric_table[k].scope == METRIC_OF_LAYER && !is_same(kept->metric[k], design->metric[k]))
			what = metric_table[k].name;
	for (size_t k = 0; energy_part_key(k) && parts && !what; k++) {
		const struct doc_node *node = doc_find(parts, energy_part_key(k));
		if (node && node->kind == DOC_SCALAR &&
		    !is_same(strtod(node->text, NULL), energy_part_mj(&design->result.energy, k)))
			what = energy_part_key(k);
	}
	if (what)
		leave_out(data,
		          "design %" PRIu64
		          " (%s) has another %s now than recorded: its models have changed since dse %s",
		          kept->number, kept->operation, what, report_run_text(&data->run, "version"));
}

/* Designs of the layers; those of their neighbours are needed for what is fetched ahead. */
static enum err_code read_designs(struct report_data *data, struct err *err)
{
	const struct kept_front *front = &data->run.front;
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < front->n_design && code == ERR_OK; i++) {
		struct report_design *design = &data->design[i];
		if (design->point != UINT32_MAX &&
		    !design_read(front->design[i].node, data->map.block[design->layer],
		                 data->machine[design->machine].machine, &design->design, err))
			code = ERR_INPUT;
	}
	return code;
}

/* Designs first to end - 1: those that some point has. */
static enum err_code run_batch(struct report_data *data, size_t first, size_t end, struct layer_context *context,
                               struct detail_run *run, const struct detail_options *options, struct err *err)
{
	size_t n = 0, of[BATCH];
	for (size_t i = first; i < end; i++) {
		const struct report_design *design = &data->design[i];
		if (design->point == UINT32_MAX)
			continue;
		const uint32_t *layers = data->run.front.point[design->point].design;
		bool is_last = design->layer + 1 == data->map.begin[layer_map_network(&data->map, design->layer) + 1];
		make_context(data, design->layer, data->machine[design->machine].machine, &design->design,
		               is_last ? NULL : &data->design[layers[design->layer + 1]].design, &context[n]);
		run[n] = (struct detail_run){.context = &context[n], .design = &design->design};
		of[n++] = i;
	}
	enum err_code code = n > 0 ? detail_run_all(run, n, options, err) : ERR_OK;
	for (size_t k = 0; k < n && code == ERR_OK && !data->without; k++) {
		struct report_design *design = &data->design[of[k]];
		design->ran = run[k].ran;
		design->result = run[k].result;
		if (!design->ran) {
			leave_out(data, "design %" PRIu64 " (%s) cannot run now: %s",
			          data->run.front.design[of[k]].number, data->run.front.design[of[k]].operation,
			          verdict_table[run[k].verdict.reason].help);
			break;
		}
		metric_of_layer(&context[k], run[k].design, &design->result, design->metric);
		compare_design(data, of[k]);
	}
	return code;
}

enum err_code report_designs_run(struct report_data *data, unsigned n_thread, struct err *err)
{
	const struct detail_options options = {
	    .detail = data->run.front.detail, .n_thread = parallel_n_thread(n_thread), .can_stop = true};
	struct err own = {0};
	if (data->without)
		return ERR_OK;
	assert(data->space.n_network > 0);
	struct layer_context *context = memory_array(BATCH, sizeof(*context));
	struct detail_run *run = memory_array(BATCH, sizeof(*run));
	enum err_code code = read_designs(data, &own);
	for (size_t i = 0; i < data->run.front.n_design && code == ERR_OK && !data->without; i += BATCH) {
		size_t end = i + BATCH < data->run.front.n_design ? i + BATCH : data->run.front.n_design;
		code = run_batch(data, i, end, context, run, &options, &own);
	}
	if (code == ERR_INPUT) {
		leave_out(data, "%s", err_text(&own));
		code = ERR_OK;
	} else {
		(void)err_add_all(err, (struct err_place){0}, &own);
	}
	for (size_t i = 0; i < data->run.front.n_design && data->without; i++)
		data->design[i].ran = false;
	free(context);
	free(run);
	err_clear(&own);
	return code;
}
