/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/network/parser.h"
#include "mapper/network/parser_parts.h"
#include "sim/base/checked.h"
#include <stdio.h>
#include <string.h>

/*
 * Positions along one side of a window that reaches over `kernel` pixels. 'same' gives ceil(in / stride) of them
 * and puts the odd padding pixel first, as the thesis' split tables do
 * (ResNet-50: 224 pixels, 7x7, stride 2 is padded 3 2 3 2; POOL_2 1 0 1 0).
 * False when the window is larger than the padded side.
 */
static bool slide(uint32_t in, uint32_t kernel, uint32_t stride, enum padding_kind kind, uint32_t pad[2], uint32_t *out)
{
	assert(in > 0 && kernel > 0 && stride > 0);
	if (kind == PADDING_SAME) {
		uint64_t needed;
		*out = (uint32_t)ceil_div(in, stride);
		needed = (uint64_t)(*out - 1) * stride + kernel;
		needed = needed > in ? needed - in : 0;
		pad[0] = (uint32_t)ceil_div(needed, 2);
		pad[1] = (uint32_t)needed / 2;
		return true;
	}
	if (kind == PADDING_VALID)
		pad[0] = pad[1] = 0;
	if (kernel > in + pad[0] + pad[1])
		return false;
	*out = (in + pad[0] + pad[1] - kernel) / stride + 1;
	return true;
}

/* Whether a window reaches no further than a map can; else a message. */
static bool check_reach(struct layer_chain *chain, uint32_t n, const struct block *block)
{
	if (block_reach_w(block) <= NETWORK_MAX_EXTENT && block_reach_h(block) <= NETWORK_MAX_EXTENT)
		return true;
	return parser_fail(
	    chain, n, ": a kernel of %ux%u with a dilation of %u reaches over %ux%u pixels, allowed are 65536 a side",
	    block->kernel_w, block->kernel_h, block->dilation, block_reach_w(block), block_reach_h(block));
}

/* Fill in the part of a block that a window decides. */
static bool slide_window(struct layer_chain *chain, uint32_t n, const struct result *in, const struct window *window,
                         struct block *block)
{
	const struct padding *padding = &window->padding;
	uint32_t pad_w[2] = {padding->left, padding->right}, pad_h[2] = {padding->top, padding->bottom};
	bool has_gaps = window->dilation > 1 && (window->w > 1 || window->h > 1), fits;
	assert(in->known && !in->is_vector);
	block->in_w = in->w;
	block->in_h = in->h;
	block->in_c = in->c;
	block->kernel_w = window->w;
	block->kernel_h = window->h;
	block->stride = window->stride;
	block->dilation = has_gaps ? window->dilation : 1;
	if (!check_reach(chain, n, block))
		return false;
	fits = slide(in->w, block_reach_w(block), window->stride, padding->kind, pad_w, &block->out_w);
	fits = slide(in->h, block_reach_h(block), window->stride, padding->kind, pad_h, &block->out_h) && fits;
	if (!fits || block->out_w > NETWORK_MAX_EXTENT || block->out_h > NETWORK_MAX_EXTENT)
		return parser_fail(
		    chain, n,
		    fits ? ": a window of %ux%u on %ux%u pixels (padding %u %u %u %u) gives a result of more than "
			   "65536 pixels a side"
			 : ": a window of %ux%u is larger than its input of %ux%u pixels (padding %u %u %u %u)",
		    block_reach_w(block), block_reach_h(block), in->w, in->h, pad_w[0], pad_w[1], pad_h[0], pad_h[1]);
	block->pad_left = pad_w[0];
	block->pad_right = pad_w[1];
	block->pad_top = pad_h[0];
	block->pad_bottom = pad_h[1];
	block->has_padd = pad_w[0] || pad_w[1] || pad_h[0] || pad_h[1];
	return true;
}

/* Whether what layer n reads, as its input or as its shortcut, is known and a feature map; else a message. */
static bool is_map(struct layer_chain *chain, uint32_t n, uint32_t source, const struct result *in)
{
	assert(source < n);
	if (!in->known || !in->is_vector)
		return in->known;
	return parser_fail(chain, n, " needs a feature map, but %s gives a %s", parser_label(chain, source).text,
	                   parser_shape(in).text);
}

static const char *keep_text(struct layer_chain *chain, const char *text)
{
	const char *copy = text ? arena_text(&chain->network->arena, text) : NULL;
	chain->no_memory = chain->no_memory || (text && !copy);
	return copy;
}

/* A layer's second block is its shortcut's convolution. */
static struct layer_origin origin_of(struct layer_chain *chain, const struct block *block)
{
	const struct layer *layer = &chain->list->layer[block->number - 1];
	const struct layer_origin *origin = block->is_shortcut ? &layer->shortcut_origin : &layer->origin;
	return (struct layer_origin){keep_text(chain, origin->node), keep_text(chain, origin->op)};
}

static struct block *append_block(struct layer_chain *chain, const struct block *block, const struct result *in)
{
	struct network *network = chain->network;
	size_t b = network->n_block++;
	assert(b < 2 * chain->list->n);
	network->block[b] = *block;
	network->block[b].origin = origin_of(chain, block);
	network->block[b].reads = in->sources;
	chain->residency.reads[b] = in->producer;
	chain->residency.adds[b] = RESIDENCY_NONE;
	return &network->block[b];
}

/* Layer n gives what the last block computes, as a map of these sides. */
static void note_result(struct layer_chain *chain, uint32_t n, uint32_t w, uint32_t h, uint32_t c)
{
	uint32_t producer = (uint32_t)chain->network->n_block;
	chain->result[n] = (struct result){.known = true,
	                                   .w = w,
	                                   .h = h,
	                                   .c = c,
	                                   .producer = producer,
	                                   .n_reader = chain->result[n].n_reader,
	                                   .sources = parser_source_of(chain, producer)};
}

/* A pooling layer n + 1 that can be computed with convolution layer n: window = stride, dividing the map, no padding.
 */
static bool can_fuse_pooling(const struct layer_chain *chain, uint32_t n, const struct block *conv)
{
	const struct layer *pool = &chain->list->layer[n];
	uint32_t side = pool->window.w;
	uint32_t pad_w[2] = {pool->window.padding.left, pool->window.padding.right};
	uint32_t pad_h[2] = {pool->window.padding.top, pool->window.padding.bottom};
	uint32_t out;
	assert(conv->pool == 1 && chain->result[n].known);
	if (n >= chain->list->n || pool->broken || pool->kind != LAYER_POOL || pool->n_from != 1 ||
	    chain->from[n + 1][0] != n)
		return false;
	/* Nobody else may want the map before pooling: it never leaves the PE. */
	if (chain->result[n].n_reader != 1 || side < 2 || pool->window.h != side || pool->window.stride != side)
		return false;
	if (conv->out_w % side != 0 || conv->out_h % side != 0)
		return false;
	if (!slide(conv->out_w, side, side, pool->window.padding.kind, pad_w, &out) ||
	    !slide(conv->out_h, side, side, pool->window.padding.kind, pad_h, &out))
		return false;
	return !(pad_w[0] || pad_w[1] || pad_h[0] || pad_h[1]);
}

/* The block that ends layer n: its arithmetic after the convolution, and the pooling that follows. */
static void finish_conv(struct layer_chain *chain, uint32_t n, struct block *last)
{
	struct result *result = &chain->result[n];
	assert(chain->network->n_block > 0 && !result->known);
	last->has_acti = chain->list->layer[n - 1].relu;
	last->has_quan = true;
	last->has_mat_ele = chain->list->layer[n - 1].has_shortcut;
	note_result(chain, n, last->out_w, last->out_h, last->out_c);
	if (n < chain->list->n && can_fuse_pooling(chain, n, last)) {
		const struct layer *pool = &chain->list->layer[n];
		last->pool = pool->window.w;
		last->pool_number = n + 1;
		last->pool_average = pool->pool_average;
		chain->fused[n + 1] = true;
		uint32_t n_reader = chain->result[n + 1].n_reader;
		chain->result[n + 1] = *result;
		chain->result[n + 1].w /= last->pool;
		chain->result[n + 1].h /= last->pool;
		chain->result[n + 1].n_reader = n_reader;
	}
}

/* The shape a shortcut brings must be that of the convolution it is added to. */
static bool check_shortcut(struct layer_chain *chain, uint32_t n, const struct block *main, const struct result *added)
{
	const struct layer *layer = &chain->list->layer[n - 1];
	struct result own = {.known = true, .w = main->out_w, .h = main->out_h, .c = main->out_c};
	if (!added->is_vector && added->w == own.w && added->h == own.h && added->c == own.c)
		return true;
	return parser_fail(chain, n, " gives %s, but its shortcut adds %s (from %s%s)", parser_shape(&own).text,
	                   parser_shape(added).text, parser_label(chain, chain->shortcut_from[n]).text,
	                   layer->has_shortcut_conv ? ", through the shortcut's convolution"
	                                            : "; a shortcut convolution can adapt it");
}

/* Reports a layer of more work than the models can count; the block's channels are known. */
static bool check_work(struct layer_chain *chain, uint32_t n, const struct block *block)
{
	uint64_t n_row = (uint64_t)block->out_h * block_batch(block);
	uint64_t n_window = mul_sat(block->out_w * n_row, block->out_c);
	uint64_t n_each = block->kind == BLOCK_MATMUL ? block->in_w : (uint64_t)block->kernel_w * block->kernel_h;
	if (block->kind == BLOCK_CONV)
		n_each = mul_sat(n_each, block_group_in_c(block));
	if (mul_sat(n_window, n_each) <= NETWORK_MAX_WORK && n_row <= NETWORK_MAX_ROW)
		return true;
	return parser_fail(
	    chain, n,
	    ": %ux%ux%u results%s from %llu values each are more work than can be counted, allowed up to %llu in all",
	    block->out_w, block->out_h, block->out_c, block_batch(block) > 1 ? " an image" : "",
	    (unsigned long long)n_each, (unsigned long long)NETWORK_MAX_WORK);
}

static bool build_shortcut_conv(struct layer_chain *chain, uint32_t n, const struct block *main, struct block *block)
{
	const struct result *in = &chain->result[chain->shortcut_from[n]];
	struct result out = {.known = true};
	assert(main->out_c > 0);
	if (!is_map(chain, n, chain->shortcut_from[n], in))
		return false;
	*block = (struct block){
	    .kind = BLOCK_CONV, .number = n, .pool = 1, .is_shortcut = true, .groups = 1, .out_c = main->out_c};
	block->batch = chain->list->batch;
	snprintf(block->name, sizeof(block->name), "CONV_SC_%u", n);
	if (!slide_window(chain, n, in, &chain->list->layer[n - 1].shortcut_window, block) ||
	    !check_work(chain, n, block))
		return false;
	out.w = block->out_w;
	out.h = block->out_h;
	out.c = block->out_c;
	return check_shortcut(chain, n, main, &out);
}

/* Filters and groups of a convolution of this ifmap. */
static bool set_groups(struct layer_chain *chain, uint32_t n, const struct result *in, struct block *block)
{
	const struct layer *layer = &chain->list->layer[n - 1];
	block->groups = layer->depthwise ? in->c : layer->groups;
	block->out_c = layer->out_c > 0 ? layer->out_c : in->c;
	assert(block->groups > 0 && block->out_c > 0);
	if (in->c % block->groups == 0 && block->out_c % block->groups == 0)
		return true;
	return parser_fail(
	    chain, n,
	    ": %u groups of %u input channels and %u filters, allowed is a number of groups that divides both",
	    block->groups, in->c, block->out_c);
}

/* Weights that are a result are one image's own. */
static bool check_batch(struct layer_chain *chain, uint32_t n)
{
	if (!chain->list->layer[n - 1].has_filters || chain->list->batch == 1)
		return true;
	return parser_fail(
	    chain, n,
	    " in a network of batch %u has weights that are a result, other ones for each image; allowed is batch 1",
	    chain->list->batch);
}

/* The last block adds this result as it is. */
static void note_addition(struct layer_chain *chain, struct block *last, const struct result *added)
{
	assert(added->known && last == &chain->network->block[chain->network->n_block - 1]);
	chain->residency.adds[chain->network->n_block - 1] = added->producer;
	last->adds = added->sources;
}

bool layer_is_product(const struct layer *layer)
{
	const char *op = layer->origin.op;
	return layer->kind == LAYER_CONV && layer->window.w == 1 && layer->window.h == 1 && op &&
	       (strstr(op, "MatMul") || strstr(op, "Attention") || strcmp(op, "Gemm") == 0 ||
	        strcmp(op, "Einsum") == 0);
}

static void build_conv(struct layer_chain *chain, uint32_t n)
{
	const struct layer *layer = &chain->list->layer[n - 1];
	const struct result in = parser_gather(chain, n);
	struct block main = {.kind = BLOCK_CONV, .number = n, .pool = 1, .batch = chain->list->batch}, shortcut;
	struct block *last;
	if (!check_batch(chain, n) || !is_map(chain, n, chain->from[n][0], &in) ||
	    !slide_window(chain, n, &in, &layer->window, &main) || !set_groups(chain, n, &in, &main) ||
	    !check_work(chain, n, &main) || !parser_check_filters(chain, n, &main))
		return;
	main.is_product = layer_is_product(layer);
	snprintf(main.name, sizeof(main.name), "%s_%u", main.is_product ? "MATMUL" : "CONV", n);
	if (layer->has_filters)
		main.filters = chain->result[chain->filters_from[n]].sources;
	if (layer->has_shortcut_conv) {
		if (!build_shortcut_conv(chain, n, &main, &shortcut))
			return;
		append_block(chain, &main, &in);
		last = append_block(chain, &shortcut, &chain->result[chain->shortcut_from[n]]);
		last->adds = parser_source_of(chain, (uint32_t)chain->network->n_block - 1);
	} else {
		const struct result *added = &chain->result[chain->shortcut_from[n]];
		if (layer->has_shortcut && (!added->known || !check_shortcut(chain, n, &main, added)))
			return;
		last = append_block(chain, &main, &in);
		if (layer->has_shortcut)
			note_addition(chain, last, added);
	}
	finish_conv(chain, n, last);
}

static void build_pool(struct layer_chain *chain, uint32_t n)
{
	const struct layer *layer = &chain->list->layer[n - 1];
	const struct result in = parser_gather(chain, n);
	struct block block = {.kind = BLOCK_POOL,
	                      .number = n,
	                      .pool = 1,
	                      .pool_average = layer->pool_average,
	                      .batch = chain->list->batch};
	if (!is_map(chain, n, chain->from[n][0], &in) || !slide_window(chain, n, &in, &layer->window, &block))
		return;
	block.out_c = in.c;
	if (!check_work(chain, n, &block))
		return;
	snprintf(block.name, sizeof(block.name), "POOL_%u", n);
	append_block(chain, &block, &in);
	note_result(chain, n, block.out_w, block.out_h, block.out_c);
}

/* The second operand of work of the ARM cores lies in DRAM, wherever the first one is. */
static bool add_operand(struct layer_chain *chain, uint32_t n, struct block *block)
{
	const struct result *second;
	if (chain->list->layer[n - 1].n_from < 2)
		return true;
	if (!parser_match(chain, n, &block->operand))
		return false;
	second = &chain->result[chain->from[n][1]];
	if (second->producer != RESIDENCY_NONE)
		residency_send_to_dram(chain->network, second->producer);
	block->adds = second->sources;
	return true;
}

static void build_arm(struct layer_chain *chain, uint32_t n)
{
	const struct layer *layer = &chain->list->layer[n - 1];
	const struct result in = chain->result[chain->from[n][0]];
	uint32_t n_reader = chain->result[n].n_reader;
	struct block block = {.kind = BLOCK_POOL,
	                      .number = n,
	                      .pool = 1,
	                      .batch = chain->list->batch,
	                      .arm = layer->arm,
	                      .whole = layer->whole,
	                      .row_groups = layer->groups > 1 ? layer->groups : 0,
	                      .in_w = in.is_vector ? 1 : in.w,
	                      .in_h = in.h,
	                      .in_c = in.is_vector ? in.w : in.c,
	                      .kernel_w = 1,
	                      .kernel_h = 1,
	                      .stride = 1};
	assert(layer->arm != ARM_POOL && layer->n_from > 0);
	if (!in.known || !add_operand(chain, n, &block))
		return;
	if (block.in_c > NETWORK_MAX_CHANNEL) {
		parser_fail(chain, n, ": a %s, allowed are up to %u numbers", parser_shape(&in).text,
		            NETWORK_MAX_CHANNEL);
		return;
	}
	if (layer->groups > 1 && block.in_c % layer->groups != 0) {
		parser_fail(chain, n, ": %u groups of %u channels, allowed is a number of groups that divides them",
		            layer->groups, block.in_c);
		return;
	}
	block.out_w = block.in_w;
	block.out_h = block.in_h;
	block.out_c = block.in_c;
	if (!check_work(chain, n, &block))
		return;
	snprintf(block.name, sizeof(block.name), "%s_%u", operation_kind_name[arm_operation(block.arm)], n);
	append_block(chain, &block, &in);
	chain->result[n] = in;
	chain->result[n].producer = (uint32_t)chain->network->n_block;
	chain->result[n].sources = parser_source_of(chain, chain->result[n].producer);
	chain->result[n].n_reader = n_reader;
}

static void build_fc(struct layer_chain *chain, uint32_t n)
{
	const struct layer *layer = &chain->list->layer[n - 1];
	const struct result in = parser_gather(chain, n);
	struct result *result = &chain->result[n];
	uint64_t n_in;
	/* What it gives is known whatever it reads: layers behind a mistake are still checked. */
	*result = (struct result){
	    .known = true, .is_vector = true, .w = layer->out_c, .h = 1, .c = 1, .n_reader = result->n_reader};
	if (!in.known)
		return;
	n_in = in.is_vector ? in.w : mul_sat((uint64_t)in.w * in.h, in.c);
	if (n_in > NETWORK_MAX_VECTOR) {
		parser_fail(chain, n, ": its input has %llu numbers (%s), allowed up to %u", (unsigned long long)n_in,
		            parser_shape(&in).text, NETWORK_MAX_VECTOR);
		return;
	}
	struct block block = block_matmul(chain->list->batch, (uint32_t)n_in, layer->out_c);
	block.number = n;
	block.has_acti = layer->relu;
	if (!check_work(chain, n, &block))
		return;
	snprintf(block.name, sizeof(block.name), "FC_%u", n);
	append_block(chain, &block, &in);
	result->producer = (uint32_t)chain->network->n_block;
	result->sources = parser_source_of(chain, result->producer);
}

static void build_layers(struct layer_chain *chain)
{
	for (uint32_t n = 1; n <= chain->list->n; n++) {
		const struct layer *layer = &chain->list->layer[n - 1];
		if (layer->broken || chain->fused[n])
			continue;
		switch (layer->kind) {
		case LAYER_CONV:
			build_conv(chain, n);
			break;
		case LAYER_POOL:
			build_pool(chain, n);
			break;
		case LAYER_FC:
			build_fc(chain, n);
			break;
		case LAYER_ARM:
			build_arm(chain, n);
			break;
		default:
			parser_build_view(chain, n);
		}
	}
}

/* Where layers have inputs of their own, what nobody reads is no passing state but a result: it goes to DRAM. */
static void keep_unread(struct layer_chain *chain)
{
	bool any_own = false;
	for (size_t i = 0; i < chain->list->n; i++)
		any_own = any_own || (chain->list->layer[i].n_from == 0 && chain->list->layer[i].kind != LAYER_DATA);
	for (uint32_t n = 1; any_own && n <= chain->list->n; n++) {
		const struct result *result = &chain->result[n];
		assert(result->known);
		if (result->n_reader == 0 && result->producer != RESIDENCY_NONE)
			residency_send_to_dram(chain->network, result->producer);
	}
}

/* Whole windows of a pooling block read whole parts of the map before it when the splitter knows its stride. */
static void note_pooling(struct network *network, const struct residency *residency)
{
	for (size_t b = 0; b < network->n_block; b++)
		network->block[b].next_pool_stride = 1;
	for (size_t b = 0; b < network->n_block; b++)
		if (network->block[b].kind == BLOCK_POOL && residency->reads[b] > 0 &&
		    residency->reads[b] != RESIDENCY_NONE)
			network->block[residency->reads[b] - 1].next_pool_stride = network->block[b].stride;
}

static bool allocate_chain(struct layer_chain *chain)
{
	size_t n = chain->list->n + 1;
	chain->result = arena_array(&chain->arena, n, sizeof(*chain->result));
	chain->from = arena_array(&chain->arena, n, sizeof(*chain->from));
	chain->shortcut_from = arena_array(&chain->arena, n, sizeof(*chain->shortcut_from));
	chain->filters_from = arena_array(&chain->arena, n, sizeof(*chain->filters_from));
	chain->fused = arena_array(&chain->arena, n, sizeof(*chain->fused));
	chain->stamp = arena_array(&chain->arena, 3 * n, sizeof(*chain->stamp));
	chain->residency.reads = arena_array(&chain->arena, 2 * n, sizeof(*chain->residency.reads));
	chain->residency.adds = arena_array(&chain->arena, 2 * n, sizeof(*chain->residency.adds));
	chain->residency.end = arena_array(&chain->arena, 2 * n, sizeof(*chain->residency.end));
	chain->network->block = arena_array(&chain->network->arena, 2 * n, sizeof(*chain->network->block));
	chain->network->data = arena_array(&chain->network->arena, n, sizeof(*chain->network->data));
	return chain->result && chain->from && chain->shortcut_from && chain->filters_from && chain->fused &&
	       chain->stamp && chain->residency.reads && chain->residency.adds && chain->residency.end &&
	       chain->network->block && chain->network->data;
}

enum err_code parser_build(const struct layer_list *list, struct network *network, struct err *err)
{
	unsigned n_message = err ? err->n_message : 0;
	struct err own = {0};
	struct layer_chain chain = {.list = list, .network = network, .err = err ? err : &own};
	enum err_code code = ERR_OK;
	bool any_broken = false, computes = false;
	assert(list && list->name && list->n > 0 && list->n <= NETWORK_MAX_LAYER && list->batch > 0);
	memset(network, 0, sizeof(*network));
	if (!allocate_chain(&chain)) {
		code = err_add(err, ERR_INTERNAL, "out of memory for a network of %zu layers", list->n);
		goto cleanup;
	}
	chain.result[0] = (struct result){.known = list->in_w > 0,
	                                  .is_vector = list->is_vector,
	                                  .w = list->in_w,
	                                  .h = list->in_h,
	                                  .c = list->in_c,
	                                  .sources = parser_source_of(&chain, 0)};
	for (size_t i = 0; i < list->n; i++)
		any_broken = any_broken || list->layer[i].broken;
	for (size_t i = 0; i < list->n; i++)
		computes = computes || list->layer[i].broken || !parser_is_view(&list->layer[i]);
	parser_resolve(&chain);
	if (chain.no_memory) {
		code = err_add(err, ERR_INTERNAL, "out of memory for the sources of %zu layers", list->n);
		goto cleanup;
	}
	if (list->lacks_input && chain.result[0].n_reader > 0)
		err_add_at(chain.err, ERR_INPUT, list->place,
		           "input is missing: [width, height, channels] or one number, unless no layer reads it");
	build_layers(&chain);
	if (chain.no_memory) {
		code = err_add(err, ERR_INTERNAL, "out of memory for the sources of %zu layers", list->n);
		goto cleanup;
	}
	if (any_broken || chain.err->n_message > (err ? n_message : 0)) {
		code = ERR_INPUT;
		goto cleanup;
	}
	if (!computes) {
		code = err_add_at(
		    err, ERR_INPUT, list->layer[0].place,
		    "no layer computes anything, allowed are networks with at least one conv, pool, fc or arm");
		goto cleanup;
	}
	snprintf(network->name, sizeof(network->name), "%s", list->name);
	keep_unread(&chain);
	residency_assign(network, &chain.residency);
	note_pooling(network, &chain.residency);
	network_find_equal(network);
cleanup:
	arena_free(&chain.arena);
	err_clear(&own);
	if (code != ERR_OK)
		network_free(network);
	return code;
}
