/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fold lasts n_tap + rows + cols - 2 clocks: the last row starts rows - 1
 * clocks after the first one, its last product meets the last column cols - 1
 * clocks later. Folds at the edge take as long as full ones.
 */
#include "sim/systolic/systolic.h"
#include "sim/machine/counts.h"
#include <assert.h>

/* Words of an operand are numbered with 32 bits. */
#define MAX_OPERAND_WORD (UINT32_MAX - 1)

/* The outputs along one dimension; the last may reach past the ifmap, as the source's do. */
static uint64_t outputs(uint32_t ifmap, uint32_t filter, uint32_t stride)
{
	assert(filter <= ifmap);
	return ceil_div((uint64_t)ifmap - filter + stride, stride);
}

bool systolic_layer_is_valid(const struct systolic_layer *layer)
{
	if (layer->ifmap_h == 0 || layer->ifmap_w == 0 || layer->filter_h == 0 || layer->filter_w == 0 ||
	    layer->channels == 0 || layer->n_filter == 0 || layer->stride == 0)
		return false;
	if (layer->filter_h > layer->ifmap_h || layer->filter_w > layer->ifmap_w)
		return false;
	uint64_t ifmap_word = mul_sat(mul_sat(layer->ifmap_h, layer->ifmap_w), layer->channels);
	uint64_t n_tap = mul_sat(mul_sat(layer->filter_h, layer->filter_w), layer->channels);
	uint64_t n_pixel = mul_sat(outputs(layer->ifmap_h, layer->filter_h, layer->stride),
	                           outputs(layer->ifmap_w, layer->filter_w, layer->stride));
	return ifmap_word <= MAX_OPERAND_WORD && n_pixel <= MAX_OPERAND_WORD &&
	       mul_sat(n_tap, layer->n_filter) <= MAX_OPERAND_WORD &&
	       mul_sat(mul_sat(n_pixel, n_tap), layer->n_filter) <= COUNTS_MAX;
}

struct systolic_folds systolic_fold(const struct systolic_array *array, const struct systolic_layer *layer)
{
	assert(array->rows > 0 && array->cols > 0 && systolic_layer_is_valid(layer));
	struct systolic_folds folds = {
	    .ofmap_h = outputs(layer->ifmap_h, layer->filter_h, layer->stride),
	    .ofmap_w = outputs(layer->ifmap_w, layer->filter_w, layer->stride),
	    .n_filter = layer->n_filter,
	    .n_tap = (uint64_t)layer->filter_h * layer->filter_w * layer->channels,
	};
	folds.n_pixel = folds.ofmap_h * folds.ofmap_w;
	folds.n_row_fold = ceil_div(folds.n_pixel, array->rows);
	folds.n_col_fold = ceil_div(folds.n_filter, array->cols);
	folds.fold_clk = folds.n_tap + array->rows + array->cols - 2;
	return folds;
}

uint64_t systolic_lines_inside(uint32_t ifmap, uint32_t filter, uint32_t stride, uint64_t n_output)
{
	uint64_t last = (n_output - 1) * stride;
	uint64_t left = last < ifmap ? ifmap - last : 0;
	assert(n_output == outputs(ifmap, filter, stride));
	/* Each output but the last ends inside, by the count of outputs. */
	return (n_output - 1) * filter + (left < filter ? left : filter);
}

/* Lines of the ifmap that some output's filter covers. */
static uint64_t lines_touched(uint32_t ifmap, uint32_t filter, uint32_t stride, uint64_t n_output)
{
	if (stride >= filter) /* filters do not meet */
		return systolic_lines_inside(ifmap, filter, stride, n_output);
	uint64_t end = (n_output - 1) * stride + filter;
	return end < ifmap ? end : ifmap;
}

uint64_t systolic_ifmap_word(const struct systolic_layer *layer, const struct systolic_folds *folds)
{
	uint64_t word = lines_touched(layer->ifmap_h, layer->filter_h, layer->stride, folds->ofmap_h) *
	                lines_touched(layer->ifmap_w, layer->filter_w, layer->stride, folds->ofmap_w) * layer->channels;
	assert(word > 0 && word <= (uint64_t)layer->ifmap_h * layer->ifmap_w * layer->channels);
	return word;
}

void systolic_run_array(const struct systolic_array *array, const struct systolic_folds *folds,
                        struct systolic_result *result)
{
	double array_size = (double)array->rows * array->cols;
	*result = (struct systolic_result){
	    .sram_ifmap_read_word = folds->n_col_fold * folds->n_pixel * folds->n_tap,
	    .sram_filter_read_word = folds->n_row_fold * folds->n_filter * folds->n_tap,
	    .sram_ofmap_write_word = folds->n_pixel * folds->n_filter,
	};
	result->mapping_eff = (double)folds->n_pixel * (double)folds->n_filter /
	                      ((double)folds->n_row_fold * (double)folds->n_col_fold * array_size);
	result->compute_util = result->mapping_eff * (double)folds->n_tap / (double)folds->fold_clk;
	systolic_add_stall(array, folds, 0, result);
	assert(result->mapping_eff <= 1 && result->compute_util <= result->mapping_eff);
}

void systolic_add_stall(const struct systolic_array *array, const struct systolic_folds *folds, uint64_t stall_clk,
                        struct systolic_result *result)
{
	double mac = (double)folds->n_pixel * (double)folds->n_filter * (double)folds->n_tap;
	result->stall_clk += stall_clk;
	result->total_clk = folds->n_row_fold * folds->n_col_fold * folds->fold_clk - 1 + result->stall_clk;
	if (result->total_clk > 0)
		result->overall_util = mac / ((double)result->total_clk * array->rows * array->cols);
	assert(result->overall_util >= 0);
}
