/* SPDX-License-Identifier: Apache-2.0 */
/* What networks there is integer arithmetic for, their sizes, and models by chance. */
#include "mapper/quantise/quantise.h"
#include "mapper/quantise/quantise_parts.h"
#include "sim/base/checked.h"
#include "sim/base/rng.h"
#include <assert.h>
#include <math.h>
#include <string.h>

#define WEIGHT_STREAM 0x71000000u
#define INPUT_STREAM 0x72000000u
#define MAX_BIAS 0.1f
#define MAX_NUMBER (UINT64_C(1) << 30) /* of a map, of weights */

uint32_t quantise_n_filter(const struct block *block)
{
	if (block->kind == BLOCK_POOL)
		return 0;
	return block->kind == BLOCK_MATMUL ? block->out_w : block->out_c;
}

uint64_t quantise_n_tap(const struct block *block)
{
	if (block->kind == BLOCK_POOL)
		return 0;
	if (block->kind == BLOCK_MATMUL)
		return block->in_w;
	return (uint64_t)block->kernel_w * block->kernel_h * block_group_in_c(block);
}

size_t quantise_n_read(const struct block *block)
{
	return (size_t)block->in_w * block->in_h * block->in_c;
}

size_t quantise_n_core(const struct block *block)
{
	return (size_t)block->out_w * block->out_h * block->out_c;
}

size_t quantise_n_result(const struct block *block)
{
	return (size_t)(block->out_w / block->pool) * (block->out_h / block->pool) * block->out_c;
}

size_t quantise_n_input(const struct network *network)
{
	for (size_t b = 0; b < network->n_block; b++)
		for (uint32_t i = 0; i < network->block[b].reads.n; i++)
			if (network->block[b].reads.producer[i] == 0)
				return quantise_n_read(&network->block[b]);
	return 0;
}

size_t quantise_max_read(const struct network *network)
{
	size_t most = 0;
	for (size_t b = 0; b < network->n_block; b++)
		if (quantise_n_read(&network->block[b]) > most)
			most = quantise_n_read(&network->block[b]);
	return most;
}

/* ---- what there is arithmetic for ---- */

/* Whether the results that sources name are n numbers together, in their order. */
static bool is_plain(const struct network *network, const struct block_sources *sources, size_t n)
{
	size_t sum = 0;
	for (uint32_t i = 0; i < sources->n; i++)
		sum += sources->producer[i] == 0 ? quantise_n_input(network)
		                                 : quantise_n_result(&network->block[sources->producer[i] - 1]);
	return (!sources->is_view || sources->is_concat) && sum == n;
}

static bool has_data(const struct block_sources *sources)
{
	for (uint32_t i = 0; i < sources->n; i++)
		if (sources->producer[i] >= NETWORK_DATA)
			return true;
	return false;
}

/* Why there is no arithmetic for a block; NULL: there is. */
static const char *fault_of(const struct network *network, const struct block *block)
{
	bool is_arm = block->kind == BLOCK_POOL;
	if (block_batch(block) > 1)
		return "it has several images";
	if (mul_sat((uint64_t)block_padded_w(block) * block_padded_h(block), block->in_c) > MAX_NUMBER ||
	    mul_sat((uint64_t)block->out_w * block->out_h, block->out_c) > MAX_NUMBER ||
	    mul_sat(quantise_n_tap(block), quantise_n_filter(block)) > MAX_NUMBER)
		return "it has more than 2^30 numbers";
	if (block->reads.n == 0)
		return "it has an input of its own";
	if (block->filters.n > 0)
		return "its weights are results";
	if (has_data(&block->reads) || has_data(&block->adds))
		return "it reads data that lies in DRAM beforehand";
	if (is_arm && block->arm != ARM_POOL && block->arm != ARM_SOFTMAX)
		return "of the ARM cores' work only pooling and softmax have integer arithmetic";
	if (!is_plain(network, &block->reads, quantise_n_read(block)))
		return "it reads results that are cut, spread or in another order";
	if (block->has_mat_ele && !is_plain(network, &block->adds, quantise_n_core(block)))
		return "what it adds is cut, spread or in another order";
	return NULL;
}

enum err_code quantise_check(const struct network *network, struct err *err)
{
	enum err_code code = ERR_OK;
	assert(network && network->n_block > 0);
	for (size_t b = 0; b < network->n_block; b++) {
		const char *fault = fault_of(network, &network->block[b]);
		if (fault)
			code = err_add(err, ERR_INPUT, "network %s, %s: no integer arithmetic: %s", network->name,
			               network->block[b].name, fault);
	}
	return code;
}

/* ---- rows and windows ---- */

static uint32_t side_of(const struct block *block, uint32_t bit, uint32_t side)
{
	return block->whole & bit ? side : 1;
}

size_t quantise_row_size(const struct block *block)
{
	return (size_t)side_of(block, WHOLE_W, block->out_w) * side_of(block, WHOLE_H, block->out_h) *
	       block_row_c(block);
}

size_t quantise_n_row(const struct block *block)
{
	return quantise_n_core(block) / quantise_row_size(block);
}

size_t quantise_row_at(const struct block *block, size_t row, size_t k)
{
	size_t n_w = side_of(block, WHOLE_W, block->out_w), n_h = side_of(block, WHOLE_H, block->out_h);
	size_t n_row_w = block->out_w / n_w, n_row_h = block->out_h / n_h;
	size_t x = row % n_row_w * n_w + k % n_w, y = row / n_row_w % n_row_h * n_h + k / n_w % n_h;
	size_t n_c = block_row_c(block), c = row / n_row_w / n_row_h * n_c + k / n_w / n_h;
	return (c * block->out_h + y) * block->out_w + x;
}

struct quantise_reach quantise_reach_of(uint32_t n_out, uint32_t n_in, uint32_t stride, int64_t at)
{
	struct quantise_reach reach = {.at = at};
	while (reach.first < n_out && (int64_t)reach.first * stride + at < 0)
		reach.first++;
	reach.end = reach.first;
	while (reach.end < n_out && (int64_t)reach.end * stride + at < n_in)
		reach.end++;
	return reach;
}

/* ---- memory ---- */

void **quantise_make_results(const struct network *network, size_t byte, struct arena *arena)
{
	void **result = arena_array(arena, network->n_block, sizeof(*result));
	for (size_t b = 0; result && b < network->n_block; b++) {
		result[b] = arena_array(arena, quantise_n_result(&network->block[b]), byte);
		if (!result[b])
			return NULL;
	}
	return result;
}

const void *quantise_gather(const struct network *network, const struct block_sources *sources, const void *input,
                            void *const *result, size_t n_byte, void *room)
{
	char *to = room;
	assert(sources->n > 0);
	if (sources->n == 1)
		return sources->producer[0] == 0 ? input : result[sources->producer[0] - 1];
	for (uint32_t i = 0; i < sources->n; i++) {
		uint32_t producer = sources->producer[i];
		size_t n = producer == 0 ? quantise_n_input(network) : quantise_n_result(&network->block[producer - 1]);
		memcpy(to, producer == 0 ? input : result[producer - 1], n * n_byte);
		to += n * n_byte;
	}
	return room;
}

void quantise_free(struct quantise_network *quant)
{
	arena_free(&quant->arena);
	memset(quant, 0, sizeof(*quant));
}

void quantise_float_free(struct quantise_float *model)
{
	arena_free(&model->arena);
	memset(model, 0, sizeof(*model));
}

enum err_code quantise_fail(const struct network *network, const char *what, struct err *err)
{
	if (stop_requested(NULL))
		return err_add(err, ERR_INTERRUPTED, "interrupted in the quantisation of %s", network->name);
	return err_add(err, ERR_INTERNAL, "out of memory for %s of %s", what, network->name);
}

/* ---- by chance ---- */

static float between(struct rng *rng, float most)
{
	return (float)(2 * rng_unit(rng) - 1) * most;
}

static bool generate_block(const struct block *block, uint64_t seed, uint32_t index, struct quantise_float *model,
                           struct stop_watch *watch)
{
	struct quantise_float_block *own = &model->block[index];
	struct rng rng = rng_stream(seed, WEIGHT_STREAM, index);
	*own = (struct quantise_float_block){.n_filter = quantise_n_filter(block), .n_tap = quantise_n_tap(block)};
	size_t n = (size_t)own->n_tap * own->n_filter;
	if (n == 0)
		return true;
	float *weight = arena_array(&model->arena, n, sizeof(*weight));
	float *bias = arena_array(&model->arena, own->n_filter, sizeof(*bias));
	/* of rectified numbers half are zero (He et al., "Delving Deep into Rectifiers", 2015, equation 10) */
	float most = sqrtf((block->has_acti ? 6.0f : 3.0f) / (float)own->n_tap);
	for (size_t i = 0; weight && i < n; i++) {
		weight[i] = between(&rng, most);
		if (stop_after(watch, 2))
			return false;
	}
	for (uint32_t i = 0; bias && i < own->n_filter; i++)
		bias[i] = between(&rng, MAX_BIAS);
	own->weight = weight;
	own->bias = bias;
	return weight && bias;
}

enum err_code quantise_generate(const struct network *network, uint64_t seed, struct quantise_float *model,
                                struct err *err)
{
	*model = (struct quantise_float){.network = network};
	model->block = arena_array(&model->arena, network->n_block, sizeof(*model->block));
	struct stop_watch watch = stop_watch_for(NULL);
	bool good = model->block != NULL;
	for (uint32_t b = 0; good && b < network->n_block; b++)
		good = generate_block(&network->block[b], seed, b, model, &watch);
	if (good)
		return ERR_OK;
	quantise_float_free(model);
	return quantise_fail(network, "the weights", err);
}

void quantise_generate_inputs(const struct network *network, uint64_t seed, size_t n, float *input)
{
	size_t n_input = quantise_n_input(network);
	for (size_t i = 0; i < n; i++) {
		struct rng rng = rng_stream(seed, INPUT_STREAM, (uint32_t)i);
		for (size_t k = 0; k < n_input; k++)
			input[i * n_input + k] = between(&rng, 1);
	}
}
