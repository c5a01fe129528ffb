/* SPDX-License-Identifier: Apache-2.0 */
/* Prices a layer by SCALE-Sim's rules (clocks and stalls with the layer's bandwidth, words without a limit) or by the
 * physical model. */
#include "dse/arada/arada_cost.h"
#include "dse/arada/arada_physical.h"
#include "sim/base/checked.h"
#include "sim/systolic/scalesim.h"
#include "sim/systolic/systolic_scalesim.h"
#include "sim/systolic/systolic_place.h"
#include <assert.h>
#include <math.h>

#define MHZ_PER_GHZ 1000.0

bool arada_is_layer(const struct block *block)
{
	return block->kind == BLOCK_CONV || block->kind == BLOCK_MATMUL;
}

double arada_word_per_clk(const struct machine *machine, const struct arada_options *options, double gb_s)
{
	assert(machine->target == MACHINE_SYSTOLIC && gb_s > 0);
	double word = gb_s, word_byte = machine->systolic.word_byte;
	if (options->bandwidth_word_byte > 0)
		word_byte = options->bandwidth_word_byte;
	if (options->bandwidth == ARADA_GB_S)
		word = gb_s * MHZ_PER_GHZ / (word_byte * machine->level[0].clk_mhz);
	return options->model == ARADA_SCALESIM ? fmax(round(word), 1) : word;
}

struct systolic_layer arada_shape(const struct block *block, enum arada_shape shape, uint32_t *n_group)
{
	assert(arada_is_layer(block));
	*n_group = 1;
	if (block->kind == BLOCK_MATMUL)
		return (struct systolic_layer){block->in_h, 1, 1, 1, block->in_w, block->out_w, 1};
	/* Of a kernel with gaps the layer of as many outputs and taps. */
	uint32_t gap_w = block_reach_w(block) - block->kernel_w, gap_h = block_reach_h(block) - block->kernel_h;
	struct systolic_layer layer = {
	    .ifmap_h = block_padded_h(block) - gap_h,
	    .ifmap_w = block_padded_w(block) - gap_w,
	    .filter_h = block->kernel_h,
	    .filter_w = block->kernel_w,
	    .channels = block_group_in_c(block),
	    .n_filter = block_group_out_c(block),
	    .stride = block->stride,
	};
	if (shape == ARADA_NETWORK) {
		*n_group = block_n_group(block);
		return layer;
	}
	layer.channels = block->in_c;
	/* A map smaller than the filter keeps its padding: there is nothing else to compute. */
	if (block->in_h >= block_reach_h(block) && block->in_w >= block_reach_w(block)) {
		layer.ifmap_h = block->in_h - gap_h;
		layer.ifmap_w = block->in_w - gap_w;
	}
	return layer;
}

enum err_code arada_scalesim(const struct systolic_array *array, const struct systolic_layer *layer,
                             struct arada_layer *cost, struct err *err)
{
	struct systolic_result user = {0}, calc = {0};
	struct systolic_array estimated = *array;
	assert(array->bandwidth_word > 0);
	estimated.bandwidth_word = 0;
	enum err_code code = scalesim_run(array, layer, NULL, &user, err);
	if (code == ERR_OK)
		code = scalesim_run(&estimated, layer, NULL, &calc, err);
	if (code != ERR_OK)
		return code;
	*cost = (struct arada_layer){
	    .total_clk = user.total_clk,
	    .stall_clk = user.stall_clk,
	    .n_word = calc.dram_ifmap_read_word + calc.dram_filter_read_word + calc.dram_ofmap_write_word,
	};
	return ERR_OK;
}

static enum err_code scalesim_cost(const struct machine *machine, const struct block *block, enum arada_shape shape,
                                   double word_per_clk, struct arada_layer *cost, struct err *err)
{
	uint32_t n_group;
	struct systolic_layer layer = arada_shape(block, shape, &n_group);
	const struct systolic_array array = {
	    .rows = machine->systolic.rows,
	    .cols = machine->systolic.cols,
	    .ifmap_byte = machine->systolic.ifmap_byte / machine->systolic.word_byte,
	    .filter_byte = machine->systolic.filter_byte / machine->systolic.word_byte,
	    .ofmap_byte = machine->systolic.ofmap_byte / machine->systolic.word_byte,
	    .bandwidth_word = (uint32_t)word_per_clk,
	};
	if (block_dilation(block) > 1)
		return err_add(err, ERR_INPUT,
		               "%s: found a dilation of %u, which SCALE-Sim does not know; allowed is 1, and any with "
		               "memory_model: physical",
		               block->name, block->dilation);
	if (!systolic_can(machine, SYSTOLIC_OS))
		return err_add(err, ERR_INPUT,
		               "machine %s: the replay of SCALE-Sim knows output stationary arrays only",
		               machine->name);
	if (array.ifmap_byte == 0 || array.filter_byte == 0 || array.ofmap_byte == 0)
		return err_add(err, ERR_INFEASIBLE, "%s: a buffer of machine %s holds no word", block->name,
		               machine->name);
	if (!systolic_layer_is_valid(&layer) || !systolic_scalesim_is_small(&array, &layer))
		return err_add(err, ERR_INPUT,
		               "%s: a layer too large to replay: allowed are 2^34 words entering the array, 2^27 an "
		               "operand; with memory_model: physical there is no such limit",
		               block->name);
	enum err_code code = arada_scalesim(&array, &layer, cost, err);
	if (code != ERR_OK)
		return code;
	cost->total_clk = mul_sat(cost->total_clk, n_group);
	cost->stall_clk = mul_sat(cost->stall_clk, n_group);
	cost->n_word = mul_sat(cost->n_word, n_group);
	return ERR_OK;
}

enum err_code arada_cost(const struct machine *machine, const struct arada_options *options, const struct block *block,
                         double word_per_clk, struct arada_layer *cost, struct err *err)
{
	assert(machine->target == MACHINE_SYSTOLIC && word_per_clk > 0);
	if (options->model == ARADA_PHYSICAL)
		return arada_physical(machine, block, word_per_clk, cost, err);
	return scalesim_cost(machine, block, options->shape, word_per_clk, cost, err);
}
