/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/network/network.h"
#include "sim/base/checked.h"
#include "sim/base/reach.h"
#include <stdio.h>
#include <string.h>

const char *const operation_kind_name[N_OPERATION_KIND] = {
    [OPERATION_PADD] = "PADD",       [OPERATION_CONV] = "CONV",     [OPERATION_CONV_SC] = "CONV_SC",
    [OPERATION_MAT_ELE] = "MAT_ELE", [OPERATION_ACTI] = "ACTI",     [OPERATION_QUAN] = "QUAN",
    [OPERATION_POOL] = "POOL",       [OPERATION_FC] = "FC",         [OPERATION_FCE] = "FCE",
    [OPERATION_MUL] = "MUL",         [OPERATION_FUNC] = "FUNC",     [OPERATION_SOFTMAX] = "SOFTMAX",
    [OPERATION_NORM] = "NORM",       [OPERATION_MATMUL] = "MATMUL",
};

enum operation_kind arm_operation(enum arm_kind kind)
{
	static const enum operation_kind operation[N_ARM_KIND] = {
	    [ARM_POOL] = OPERATION_POOL,     [ARM_ADD] = OPERATION_MAT_ELE,     [ARM_MULTIPLY] = OPERATION_MUL,
	    [ARM_FUNCTION] = OPERATION_FUNC, [ARM_SOFTMAX] = OPERATION_SOFTMAX, [ARM_NORM] = OPERATION_NORM,
	};
	assert(kind < N_ARM_KIND);
	return operation[kind];
}

struct block block_matmul(uint32_t n_row, uint32_t n_in, uint32_t n_out)
{
	return (struct block){.kind = BLOCK_MATMUL,
	                      .number = 1,
	                      .pool = 1,
	                      .in_w = n_in,
	                      .in_h = n_row,
	                      .in_c = 1,
	                      .kernel_w = 1,
	                      .kernel_h = 1,
	                      .stride = 1,
	                      .out_w = n_out,
	                      .out_h = n_row,
	                      .out_c = 1,
	                      .has_quan = true};
}

uint32_t block_row_c(const struct block *block)
{
	assert(block->row_groups == 0 || block->out_c % block->row_groups == 0);
	if (block->kind != BLOCK_POOL || !(block->whole & WHOLE_C))
		return 1;
	return block->row_groups > 1 ? block->out_c / block->row_groups : block->out_c;
}

size_t network_n_source(const struct network *network)
{
	return 1 + network->n_block + network->n_data;
}

size_t network_source(const struct network *network, uint32_t producer)
{
	bool is_data = producer >= NETWORK_DATA;
	assert(is_data ? producer - NETWORK_DATA < network->n_data : producer <= network->n_block);
	return is_data ? 1 + network->n_block + (producer - NETWORK_DATA) : producer;
}

uint32_t block_dilation(const struct block *block)
{
	return block->dilation > 1 ? block->dilation : 1;
}

uint32_t block_reach_w(const struct block *block)
{
	return kernel_reach(block->kernel_w, block->dilation);
}

uint32_t block_reach_h(const struct block *block)
{
	return kernel_reach(block->kernel_h, block->dilation);
}

uint32_t block_padded_w(const struct block *block)
{
	return block->in_w + block->pad_left + block->pad_right;
}

uint32_t block_padded_h(const struct block *block)
{
	return block->in_h + block->pad_top + block->pad_bottom;
}

uint32_t block_batch(const struct block *block)
{
	return block->batch > 1 ? block->batch : 1;
}

uint32_t block_n_group(const struct block *block)
{
	return block->groups > 1 ? block->groups : 1;
}

uint32_t block_group_in_c(const struct block *block)
{
	assert(block->in_c % block_n_group(block) == 0);
	return block->in_c / block_n_group(block);
}

uint32_t block_group_out_c(const struct block *block)
{
	assert(block->out_c % block_n_group(block) == 0);
	return block->out_c / block_n_group(block);
}

uint64_t block_n_weight(const struct block *block)
{
	switch (block->kind) {
	case BLOCK_CONV:
		return mul_sat(mul_sat((uint64_t)block->kernel_w * block->kernel_h, block_group_in_c(block)),
		               block->out_c);
	case BLOCK_MATMUL:
		return (uint64_t)block->in_w * block->out_w;
	case BLOCK_POOL:
		break;
	}
	return 0;
}

uint64_t block_n_mac(const struct block *block)
{
	uint64_t n_out = mul_sat(mul_sat((uint64_t)block->out_w * block->out_h, block->out_c), block_batch(block));
	switch (block->kind) {
	case BLOCK_CONV:
		return mul_sat(n_out, mul_sat((uint64_t)block->kernel_w * block->kernel_h, block_group_in_c(block)));
	case BLOCK_MATMUL:
		return mul_sat(n_out, block->in_w);
	case BLOCK_POOL:
		break;
	}
	return 0;
}

static enum operation_kind core_operation(const struct block *block)
{
	switch (block->kind) {
	case BLOCK_POOL:
		return arm_operation(block->arm);
	case BLOCK_MATMUL:
		return OPERATION_FC;
	case BLOCK_CONV:
		break;
	}
	return block->is_product ? OPERATION_MATMUL : block->is_shortcut ? OPERATION_CONV_SC : OPERATION_CONV;
}

/* The list being filled: counts on where there is no more room, so that callers learn the size. */
struct operation_list {
	struct operation *out;
	size_t n, max;
};

static void append_operation(struct operation_list *list, enum operation_kind kind, const char *infix, uint32_t number)
{
	if (list->n < list->max) {
		struct operation *operation = &list->out[list->n];
		operation->kind = kind;
		snprintf(operation->name, sizeof(operation->name), "%s_%s%u", operation_kind_name[kind], infix, number);
	}
	list->n++;
}

size_t block_operations(const struct block *block, struct operation *out, size_t max)
{
	struct operation_list list = {.out = out, .max = max};
	assert(block->number > 0);
	assert(out || max == 0);
	/* A shortcut convolution's padding needs a name of its own: PADD_n belongs to CONV_n. */
	if (block->has_padd)
		append_operation(&list, OPERATION_PADD, block->is_shortcut ? "SC_" : "", block->number);
	append_operation(&list, core_operation(block), "", block->number);
	if (block->kind == BLOCK_MATMUL)
		append_operation(&list, OPERATION_FCE, "", block->number);
	if (block->has_mat_ele)
		append_operation(&list, OPERATION_MAT_ELE, "", block->number);
	if (block->has_acti)
		append_operation(&list, OPERATION_ACTI, "", block->number);
	if (block->has_quan)
		append_operation(&list, OPERATION_QUAN, "", block->number);
	if (block->pool > 1)
		append_operation(&list, OPERATION_POOL, "", block->pool_number);
	assert(list.n <= BLOCK_MAX_OPERATION);
	return list.n;
}

bool block_same(const struct block *a, const struct block *b)
{
	return a->kind == b->kind && a->in_w == b->in_w && a->in_h == b->in_h && a->in_c == b->in_c &&
	       a->pad_left == b->pad_left && a->pad_right == b->pad_right && a->pad_top == b->pad_top &&
	       a->pad_bottom == b->pad_bottom && a->kernel_w == b->kernel_w && a->kernel_h == b->kernel_h &&
	       a->stride == b->stride && block_n_group(a) == block_n_group(b) && block_batch(a) == block_batch(b) &&
	       block_dilation(a) == block_dilation(b) && a->out_w == b->out_w && a->out_h == b->out_h &&
	       a->out_c == b->out_c && a->pool == b->pool && a->pool_average == b->pool_average &&
	       a->is_shortcut == b->is_shortcut && a->next_pool_stride == b->next_pool_stride &&
	       a->has_padd == b->has_padd && a->arm == b->arm && a->operand == b->operand && a->whole == b->whole &&
	       block_row_c(a) == block_row_c(b) && a->has_mat_ele == b->has_mat_ele && a->has_acti == b->has_acti &&
	       a->has_quan == b->has_quan;
}

bool block_is_called(const struct block *block, const char *name)
{
	return strcmp(block->name, name) == 0 || (block->origin.node && strcmp(block->origin.node, name) == 0);
}

bool network_has_nodes(const struct network *network)
{
	for (size_t i = 0; i < network->n_block; i++)
		if (network->block[i].origin.node)
			return true;
	return false;
}

void block_print_node(const struct block *block, size_t n_char, char text[BLOCK_NODE_TEXT_SIZE])
{
	const char *node = block->origin.node ? block->origin.node : "", *op = block->origin.op;
	size_t n_op = op ? strlen(op) + 3 : 0, n_node = strlen(node), n_room = n_char > n_op + 8 ? n_char - n_op : 8;
	if (!node[0] && op)
		(void)snprintf(text, BLOCK_NODE_TEXT_SIZE, "%s", op);
	else
		(void)snprintf(text, BLOCK_NODE_TEXT_SIZE, "%s%s%s%s%s", n_node > n_room ? ".." : "",
		               n_node > n_room ? node + n_node - (n_room - 2) : node, op ? " (" : "", op ? op : "",
		               op ? ")" : "");
}

void network_find_equal(struct network *network)
{
	for (size_t i = 0; i < network->n_block; i++) {
		size_t j = 0;
		while (j < i && !(network->block[j].same_as == j && block_same(&network->block[j], &network->block[i])))
			j++;
		network->block[i].same_as = j;
	}
}

const struct block *network_find_block(const struct network *network, const char *name)
{
	assert(network && name);
	for (size_t i = 0; i < network->n_block; i++)
		if (strcmp(network->block[i].name, name) == 0)
			return &network->block[i];
	return NULL;
}

void network_free(struct network *network)
{
	arena_free(&network->arena);
	memset(network, 0, sizeof(*network));
}
