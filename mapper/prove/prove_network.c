/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs of a network: block after block, each on the results that those before it computed. */
#include "mapper/prove/prove.h"
#include "mapper/prove/prove_parts.h"
#include "mapper/unfold/unfold.h"
#include "sim/base/checked.h"
#include "sim/base/rng.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Streams of random numbers: the network's input, inputs of blocks' own, weights, data that lies in DRAM. */
#define INPUT_STREAM 0u
#define OWN_STREAM 0x20000000u
#define WEIGHT_STREAM 0x40000000u
#define DATA_STREAM 0x60000000u
#define ROW 4096u /* numbers of an item */

/* ---- random numbers ---- */

struct filling {
	uint64_t seed;
	uint32_t stream;
	size_t n;
	int8_t *value;
};

static void fill_row(void *context, size_t i)
{
	const struct filling *filling = context;
	struct rng rng = rng_stream(filling->seed, filling->stream, (uint32_t)i);
	size_t first = i * ROW, end = filling->n - first < ROW ? filling->n : first + ROW;
	for (size_t k = first; k < end; k += 4) {
		uint32_t four = rng_u32(&rng);
		for (size_t b = 0; b < 4 && k + b < end; b++)
			filling->value[k + b] = (int8_t)((int)(four >> 8 * b & 255u) - 128);
	}
}

static uint64_t n_value(const struct prove_map *map)
{
	return mul_sat((uint64_t)map->w * map->h, map->c);
}

/* Room for the numbers of a map; false: there is none. */
static bool make_room(struct prove_map *map)
{
	map->value = n_value(map) <= PROVE_MAX_VALUE ? malloc((size_t)n_value(map)) : NULL;
	return map->value != NULL;
}

enum err_code prove_random(uint64_t seed, uint32_t stream, const struct prove_pool *pool, struct prove_map *map)
{
	if (!make_room(map))
		return ERR_INFEASIBLE;
	struct filling filling = {seed, stream, (size_t)n_value(map), map->value};
	pool->run(pool, (size_t)ceil_div(filling.n, ROW), fill_row, &filling);
	return ERR_OK;
}

/* ---- tensors between blocks ---- */

struct proof_chain {
	const struct network *network;
	const struct prove_options *options;
	struct prove_map *result; /* [network_n_source] by source: producers (struct block_sources), then data; value
	                           NULL: not there (any more) */
	size_t *last;             /* [network_n_source] last block that reads it */
	bool *needed;             /* [n_block] has candidates, or is read by one that is needed */
	/* [network_n_source] by source: who left it, of a mapping; else NULL */
	const struct prove_candidate **by;
};

/* The shape in which a block reads its ifmap. */
static struct prove_map ifmap_shape(const struct block *block)
{
	if (block->kind == BLOCK_MATMUL)
		return (struct prove_map){1, block->in_h, block->in_w, NULL};
	uint64_t h = (uint64_t)block->in_h * block_batch(block);
	return (struct prove_map){block->in_w, h < UINT32_MAX ? (uint32_t)h : UINT32_MAX, block->in_c, NULL};
}

/* Sources' channels one after another; false: that is not the shape that is read. */
static bool concatenate(const struct proof_chain *chain, const struct block_sources *sources, struct prove_map *to)
{
	size_t n_channel = 0;
	for (uint32_t i = 0; i < sources->n; i++) {
		const struct prove_map *from = &chain->result[network_source(chain->network, sources->producer[i])];
		if (from->w != to->w || from->h != to->h)
			return false;
		n_channel += from->c;
	}
	if (n_channel != to->c)
		return false;
	for (size_t pixel = 0, at = 0; pixel < (size_t)to->w * to->h; pixel++)
		for (uint32_t i = 0; i < sources->n; i++) {
			const struct prove_map *from =
			    &chain->result[network_source(chain->network, sources->producer[i])];
			memcpy(to->value + at, from->value + pixel * from->c, from->c);
			at += from->c;
		}
	return true;
}

/* Their numbers in order, again and again. */
static void spread(const struct proof_chain *chain, const struct block_sources *sources, struct prove_map *to)
{
	for (size_t at = 0; at < n_value(to);)
		for (uint32_t i = 0; i < sources->n && at < n_value(to); i++) {
			const struct prove_map *from =
			    &chain->result[network_source(chain->network, sources->producer[i])];
			size_t n = (size_t)n_value(from), n_left = (size_t)n_value(to) - at;
			n = n < n_left ? n : n_left;
			memcpy(to->value + at, from->value, n);
			at += n;
		}
}

/*
 * to has its shape; its value is the caller's to free. sources->n 0: random numbers of the stream. ERR_INFEASIBLE: no
 * memory, or there was none for what is read.
 */
static enum err_code gather(const struct proof_chain *chain, const struct block_sources *sources, uint32_t stream,
                            struct prove_map *to)
{
	if (sources->n == 0)
		return prove_random(chain->options->seed, stream, chain->options->pool, to);
	for (uint32_t i = 0; i < sources->n; i++)
		if (!chain->result[network_source(chain->network, sources->producer[i])].value)
			return ERR_INFEASIBLE;
	if (!make_room(to))
		return ERR_INFEASIBLE;
	if (!concatenate(chain, sources, to))
		spread(chain, sources, to);
	return ERR_OK;
}

static enum err_code gather_data(const struct proof_chain *chain, size_t b, struct prove_data *data)
{
	const struct block *block = &chain->network->block[b];
	struct prove_map weight = {1, 1, 1, NULL};
	*data = (struct prove_data){.ifmap = ifmap_shape(block)};
	enum err_code code = gather(chain, &block->reads, OWN_STREAM + (uint32_t)b, &data->ifmap);
	if (code == ERR_OK && prove_adds(block)) {
		data->added = prove_added_shape(block);
		code = gather(chain, &block->adds, OWN_STREAM + (uint32_t)b, &data->added);
	}
	if (code == ERR_OK && block->kind != BLOCK_POOL) {
		uint64_t n = block_n_weight(block);
		weight.c = (uint32_t)(n < PROVE_MAX_VALUE ? n : PROVE_MAX_VALUE + 1);
		code = gather(chain, &block->filters, WEIGHT_STREAM + (uint32_t)b, &weight);
		data->weight = weight.value;
	}
	return code;
}

static void free_data(struct prove_data *data)
{
	free(data->ifmap.value);
	free(data->added.value);
	free((void *)(uintptr_t)data->weight);
}

static void note_readers(struct proof_chain *chain, const struct block_sources *sources, size_t b)
{
	for (uint32_t i = 0; i < sources->n && chain->needed[b]; i++) {
		uint32_t producer = sources->producer[i];
		size_t at = network_source(chain->network, producer);
		chain->last[at] = b > chain->last[at] ? b : chain->last[at];
		if (producer > 0 && producer < NETWORK_DATA)
			chain->needed[producer - 1] = true;
	}
}

/* From the last block to the first: who is needed, and until when. */
static void plan(struct proof_chain *chain, const struct prove_candidate *candidate, size_t n)
{
	for (size_t i = 0; i < n; i++)
		chain->needed[candidate[i].block] = true;
	for (size_t b = chain->network->n_block; b-- > 0;) {
		const struct block *block = &chain->network->block[b];
		note_readers(chain, &block->reads, b);
		note_readers(chain, &block->adds, b);
		note_readers(chain, &block->filters, b);
	}
}

/* The network's input has the shape in which the first of its readers has it. Without memory there is none. */
static void make_input(struct proof_chain *chain)
{
	const struct network *network = chain->network;
	size_t b = 0;
	while (b < network->n_block && !(network->block[b].reads.n == 1 && network->block[b].reads.producer[0] == 0))
		b++;
	/* none: it is read as part of views only */
	chain->result[0] = b < network->n_block ? ifmap_shape(&network->block[b]) : (struct prove_map){1, 1, ROW, NULL};
	(void)prove_random(chain->options->seed, INPUT_STREAM, chain->options->pool, &chain->result[0]);
}

/* What else lies in DRAM beforehand. */
static void make_data(struct proof_chain *chain)
{
	const struct network *network = chain->network;
	for (uint32_t d = 0; d < network->n_data; d++) {
		const struct network_data *data = &network->data[d];
		size_t at = network_source(network, NETWORK_DATA + d);
		chain->result[at] = (struct prove_map){data->w, data->h, data->c, NULL};
		(void)prove_random(chain->options->seed, DATA_STREAM + d, chain->options->pool, &chain->result[at]);
	}
}

/* ---- candidates ---- */

static enum err_code prove_candidate(struct proof_chain *chain, const struct prove_data *data,
                                     const struct prove_map *expected, struct prove_candidate *candidate,
                                     struct err *err)
{
	const struct block *block = &chain->network->block[candidate->block];
	struct layer_context context;
	struct program program;
	struct schedule schedule = {0};
	struct prove_result *result = &candidate->result;
	bool is_systolic = candidate->machine->target == MACHINE_SYSTOLIC;
	mapper_prepare_form(block, candidate->machine, candidate->design.operand_bit, candidate->design.form, &context);
	mapper_set_ahead(&context, &candidate->ahead);
	*result = (struct prove_result){0};
	if (!mapper_distribute(&context, &candidate->design, &program, &result->verdict))
		return ERR_OK;
	enum err_code code = is_systolic ? ERR_OK : mapper_unfold(&context, &candidate->design, &schedule, err);
	if (code == ERR_INFEASIBLE)
		result->verdict.reason = VERDICT_TIER;
	if (code == ERR_OK) {
		code = prove_schedule(&context, &candidate->design, is_systolic ? NULL : &schedule, data, expected,
		                      PROVE_NO_MISTAKE, chain->options->pool, result);
		if (code == ERR_INFEASIBLE)
			*result = (struct prove_result){.verdict = {VERDICT_PROOF, 0, 0}};
	}
	schedule_free(&schedule);
	return code == ERR_INFEASIBLE ? ERR_OK : code;
}

/* What is read lies where its producer left it; views, and what nobody here computed, are put together in DRAM. */
static void check_place(const struct proof_chain *chain, const struct block_sources *sources, bool in_storage,
                        const char *what, struct prove_result *result)
{
	for (uint32_t i = 0; i < sources->n; i++) {
		uint32_t producer = sources->producer[i];
		const struct prove_candidate *by = chain->by[network_source(chain->network, producer)];
		bool is_known = producer == 0 || producer >= NETWORK_DATA || (by && by->result.ran);
		if (!is_known || (by && by->result.to_storage) == in_storage)
			continue;
		result->is_proved = false;
		if (result->n_fault++ < PROVE_MAX_FAULT)
			(void)snprintf(result->fault[result->n_fault - 1], PROVE_FAULT_SIZE,
			               "%s is read from %s, %s left it in %s", what,
			               in_storage ? "storage QPEs" : "DRAM",
			               by ? chain->network->block[by->block].name : "the network's input",
			               by && by->result.to_storage ? "storage QPEs" : "DRAM");
	}
}

static void check_places(struct proof_chain *chain, struct prove_candidate *candidate)
{
	const struct block *block = &chain->network->block[candidate->block];
	chain->by[candidate->block + 1] = candidate;
	if (!candidate->result.ran)
		return;
	check_place(chain, &block->reads, candidate->design.in_storage, "the ifmap", &candidate->result);
	if (prove_adds(block))
		check_place(chain, &block->adds, candidate->design.add_storage, "what is added", &candidate->result);
}

/* All candidates of a block, from at on; at becomes the next block's first. */
static enum err_code prove_block(struct proof_chain *chain, size_t b, struct prove_candidate *candidate, size_t n,
                                 size_t *at, struct err *err)
{
	const struct prove_options *options = chain->options;
	struct prove_data data;
	struct prove_map *expected = &chain->result[b + 1];
	enum err_code code = gather_data(chain, b, &data);
	if (code == ERR_OK)
		code = prove_reference(&chain->network->block[b], options->seed, &data, options->pool, expected);
	bool has_room = code == ERR_OK;
	code = code == ERR_INFEASIBLE ? ERR_OK : code;
	for (; *at < n && candidate[*at].block == b && code == ERR_OK; ++*at) {
		if (has_room)
			code = prove_candidate(chain, &data, expected, &candidate[*at], err);
		else
			candidate[*at].result = (struct prove_result){.verdict = {VERDICT_PROOF, 0, 0}};
		if (code == ERR_OK && chain->by)
			check_places(chain, &candidate[*at]);
		if (code == ERR_OK && options->done && !options->done(options->context, *at + 1, &candidate[*at]))
			code = ERR_INTERRUPTED;
	}
	free_data(&data);
	return code;
}

static void release(struct proof_chain *chain, size_t b)
{
	for (size_t i = 0; i <= b + 1; i++)
		if (chain->last[i] <= b) {
			free(chain->result[i].value);
			chain->result[i].value = NULL;
		}
}

enum err_code prove_network(const struct network *network, struct prove_candidate *candidate, size_t n,
                            const struct prove_options *options, struct err *err)
{
	size_t n_result = network_n_source(network), at = 0;
	struct proof_chain chain = {network,
	                            options,
	                            calloc(n_result, sizeof(*chain.result)),
	                            calloc(n_result, sizeof(*chain.last)),
	                            calloc(n_result, sizeof(*chain.needed)),
	                            options->is_mapping ? calloc(n_result, sizeof(*chain.by)) : NULL};
	enum err_code code = ERR_OK;
	if (!chain.result || !chain.last || !chain.needed || (options->is_mapping && !chain.by))
		code = err_add(err, ERR_INTERNAL, "out of memory");
	if (code == ERR_OK) {
		plan(&chain, candidate, n);
		make_input(&chain);
		make_data(&chain);
	}
	for (size_t b = 0; b < network->n_block && code == ERR_OK; b++) {
		if (!chain.needed[b])
			continue;
		code = prove_block(&chain, b, candidate, n, &at, err);
		release(&chain, b);
	}
	assert(code != ERR_OK || at == n);
	for (size_t i = 0; i < n_result && chain.result; i++)
		free(chain.result[i].value);
	free(chain.result);
	free(chain.last);
	free(chain.needed);
	free(chain.by);
	return code;
}
