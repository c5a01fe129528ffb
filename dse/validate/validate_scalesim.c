/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of SCALE-Sim's runs: a layer's shape, the array and its buffers in, all
 * figures that the tool reports out, by its own memory rules (sim/systolic/scalesim.h).
 */
#include "dse/validate/validate_parts.h"
#include "sim/systolic/systolic_scalesim.h"

#define MAX_EXTENT 65536u
#define MAX_COUNT 1000000u
#define MAX_KIB (1u << 20)
#define BYTE_PER_KIB 1024u

static const char *const mode_word[] = {"CALC", "USER"};
static const char *const dataflow_word[] = {"os"};

static enum err_code read_array(const struct csv_table *table, size_t row, struct systolic_array *array,
                                struct err *err)
{
	size_t mode = 0, dataflow = 0;
	uint32_t kib[3] = {0};
	enum err_code code = cell_read_word(table, row, "mode", mode_word, 2, &mode, err);
	enum err_code flow_code = cell_read_word(table, row, "dataflow", dataflow_word, 1, &dataflow, err);
	const struct cell_number number[] = {
	    {"rows", &array->rows, 1, MAX_EXTENT, false},
	    {"cols", &array->cols, 1, MAX_EXTENT, false},
	    {"ifmap_kib", &kib[0], 1, MAX_KIB, false},
	    {"filter_kib", &kib[1], 1, MAX_KIB, false},
	    {"ofmap_kib", &kib[2], 1, MAX_KIB, false},
	    {"bandwidth_word_per_clk", &array->bandwidth_word, 1, MAX_COUNT, mode == 0},
	};
	enum err_code read_code = cell_read_numbers(table, row, number, sizeof(number) / sizeof(number[0]), err);
	if (code || flow_code || read_code)
		return code ? code : flow_code ? flow_code : read_code;
	array->ifmap_byte = (uint64_t)kib[0] * BYTE_PER_KIB;
	array->filter_byte = (uint64_t)kib[1] * BYTE_PER_KIB;
	array->ofmap_byte = (uint64_t)kib[2] * BYTE_PER_KIB;
	if (mode == 0)
		array->bandwidth_word = 0;
	return ERR_OK;
}

static enum err_code read_layer(const struct csv_table *table, size_t row, struct systolic_layer *layer,
                                struct err *err)
{
	const struct cell_number number[] = {
	    {"ifmap_h", &layer->ifmap_h, 1, MAX_EXTENT, false},   {"ifmap_w", &layer->ifmap_w, 1, MAX_EXTENT, false},
	    {"filter_h", &layer->filter_h, 1, MAX_EXTENT, false}, {"filter_w", &layer->filter_w, 1, MAX_EXTENT, false},
	    {"channels", &layer->channels, 1, MAX_COUNT, false},  {"n_filter", &layer->n_filter, 1, MAX_COUNT, false},
	    {"stride", &layer->stride, 1, MAX_EXTENT, false},
	};
	enum err_code code = cell_read_numbers(table, row, number, sizeof(number) / sizeof(number[0]), err);
	if (code || systolic_layer_is_valid(layer))
		return code;
	return err_add_at(
	    err, ERR_INPUT, csv_place(table, cell_find(table, row, "ifmap_h")),
	    "no layer that fits: the filter is larger than the ifmap, or an operand has 2^32 words or more");
}

enum err_code validate_scalesim(const struct validate_cell *cell, struct prediction *prediction, struct err *err)
{
	const struct csv_table *table = cell->table;
	const size_t row = cell->row;
	struct systolic_array array = {0};
	struct systolic_layer layer = {0};
	struct systolic_result result;
	enum err_code code = read_array(table, row, &array, err);
	enum err_code layer_code = read_layer(table, row, &layer, err);
	if (code || layer_code)
		return code ? code : layer_code;
	if (!systolic_scalesim_is_small(&array, &layer))
		return err_add_at(
		    err, ERR_INPUT, csv_place(table, cell_find(table, row, "ifmap_h")),
		    "a layer too large to replay: allowed are 2^34 words entering the array, 2^27 an operand");
	code = source_run_scalesim(cell->source, table, row, &array, &layer, &result, err);
	if (!code)
		prediction->value = validate_read_figure(cell->value, &result);
	return code;
}
