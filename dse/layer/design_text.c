/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/layer/design_text.h"
#include "dse/out/csv_write.h"
#include "dse/out/renamed.h"
#include "dse/bound/deadline.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

void design_print_split(const struct split *split, struct split_text *text)
{
	assert(split && text);
	(void)dim_print(&split->w, text->w, sizeof(text->w));
	(void)dim_print(&split->h, text->h, sizeof(text->h));
	(void)dim_print(&split->c, text->c, sizeof(text->c));
	(void)dim_print(&split->d, text->d, sizeof(text->d));
}

void design_print_array(const struct machine *machine, char text[DESIGN_ARRAY_SIZE])
{
	bool is_systolic = machine->target == MACHINE_SYSTOLIC;
	const struct machine_param *param = machine_find_param(is_systolic ? "systolic.array" : "mla.array");
	char array[DESIGN_ARRAY_SIZE / 2];
	assert(param);
	(void)machine_print_param(machine, param, array, sizeof(array));
	(void)snprintf(text, DESIGN_ARRAY_SIZE, "%s array %s", is_systolic ? "systolic" : "MAC", array);
}

void design_put_renamed(struct json *json, const char *prefix, const struct split_text *text)
{
	const char *const value[N_SPLIT_DIM] = {text->w, text->h, text->c, text->d};
	for (size_t k = 0; k < N_SPLIT_DIM; k++) {
		const char *before = renamed_before(RENAMED_DIMENSION, split_dim_name[k]);
		char key[RENAMED_NAME_SIZE];
		(void)snprintf(key, sizeof(key), "%s%s", prefix, before ? before : "");
		if (before)
			json_put_text(json, key, value[k]);
	}
}

void design_put_csv_renamed(FILE *file, const struct split_text *text)
{
	for (size_t k = 0; k < N_SPLIT_DIM; k++) {
		const char *before = renamed_before(RENAMED_DIMENSION, split_dim_name[k]);
		if (before && !text)
			(void)fprintf(file, ",split_%s", before);
		else if (before)
			csv_put_text(file, false,
			             (const char *const[N_SPLIT_DIM]){text->w, text->h, text->c, text->d}[k]);
	}
}

void design_add_node(struct table *table, const struct block *block)
{
	char text[BLOCK_NODE_TEXT_SIZE];
	block_print_node(block, BLOCK_NODE_COLUMN, text);
	table_add(table, "%s", text);
}

void design_put_origin(struct json *json, const struct block *block)
{
	if (block->origin.node)
		json_put_text(json, "node", block->origin.node);
	if (block->origin.op)
		json_put_text(json, "operator", block->origin.op);
}

const char *design_place_name(bool in_storage)
{
	return in_storage ? "storage" : "dram";
}

const char *design_ahead_name(const struct layer_design *design)
{
	static const char *const name[AHEAD_N][AHEAD_N] = {
	    {"", "no+half", "no+all"}, {"half+no", "half+half", "half+all"}, {"all+no", "all+half", "all+all"}};
	return name[design->weight_ahead][design->fetch_next];
}

static int print_design(const struct layer_design *design, const struct machine *machine,
                        const char *const name[N_SPLIT_DIM], char *text, size_t n_byte)
{
	struct split_text split;
	assert(design && machine && design->level < machine->n_level && design->strategy < N_STRATEGY);
	design_print_split(&design->split, &split);
	return snprintf(text, n_byte, "%s, %s %s %s %s %s %s %s %s, %s, %" PRIu32 " bit%s%s",
	                strategy_table[design->strategy].name, name[0], split.w, name[1], split.h, name[2], split.c,
	                name[3], split.d, machine->level[design->level].name, design->operand_bit,
	                design->form == FORM_CONV ? "" : ", ",
	                design->form == FORM_CONV ? "" : conv_form_name[design->form]);
}

int design_print(const struct layer_design *design, const struct machine *machine, char *text, size_t n_byte)
{
	return print_design(design, machine, split_dim_name, text, n_byte);
}

int design_print_signed(const struct layer_design *design, const struct machine *machine, char *text, size_t n_byte)
{
	static const char *const letter[N_SPLIT_DIM] = {"w", "h", "c", "d"};
	return print_design(design, machine, letter, text, n_byte);
}

const char *design_reason_name(uint32_t reason)
{
	assert(reason < LAYER_N_REASON);
	if (reason == LAYER_REASON_BOUND)
		return "bound";
	if (reason == LAYER_REASON_FAILED)
		return "failed";
	return reason < N_VERDICT ? verdict_table[reason].name : metric_table[reason - N_VERDICT].name;
}

const char *design_reason_help(uint32_t reason)
{
	assert(reason < LAYER_N_REASON);
	if (reason == LAYER_REASON_BOUND)
		return "feasible or not, its lower bound is dominated: it cannot be on the front";
	if (reason == LAYER_REASON_FAILED)
		return "the event tier had no memory, or a self-check of it failed";
	return reason < N_VERDICT ? verdict_table[reason].help : "a layer alone exceeds the limit on this metric";
}

int design_print_reason(const struct layer_problem *layer, const uint32_t *genome, char *text, size_t n_byte)
{
	struct layer_design design;
	double metric[N_METRIC];
	assert(layer && genome && text);
	layer_problem_design(layer, genome, &design);
	const struct detail_options options = {.detail = layer->detail};
	struct detail_run run = {.context = layer_context_of(layer, &design), .design = &design};
	if (detail_run_all(&run, 1, &options, NULL) != ERR_OK)
		return snprintf(text, n_byte, "%s", design_reason_help(LAYER_REASON_FAILED));
	if (!run.ran) {
		const struct verdict *verdict = &run.verdict;
		if (verdict->available > 0)
			return snprintf(text, n_byte, "%s: %" PRIu64 " byte demanded, %" PRIu64 " available",
			                verdict_table[verdict->reason].help, verdict->demanded, verdict->available);
		return snprintf(text, n_byte, "%s", verdict_table[verdict->reason].help);
	}
	metric_of_layer(run.context, &design, &run.result, metric);
	deadline_of_layer(layer->space, run.context->machine, metric);
	for (unsigned i = 0; i < layer->n_metric; i++)
		if (!(metric[layer->metric[i]] <= layer->limit[i]))
			return snprintf(text, n_byte, "%s is %.6g, limit %.6g", metric_table[layer->metric[i]].name,
			                metric[layer->metric[i]], layer->limit[i]);
	for (unsigned i = 0; i < N_METRIC; i++)
		if (!(metric[i] <= layer->layer_limit[i]))
			return snprintf(text, n_byte, "%s is %.6g, limit %.6g", metric_table[i].name, metric[i],
			                layer->layer_limit[i]);
	return snprintf(text, n_byte, "no limit broken");
}
