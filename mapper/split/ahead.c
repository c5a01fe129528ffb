/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/split/ahead.h"
#include "sim/base/checked.h"
#include <assert.h>

/* As in mapper/distribute/tiling.c: what moves, moves in whole lines. */
#define LINE_BYTE 16

const char *const ahead_name[AHEAD_N] = {"no", "half", "all"};

/* Pixels of a block's result, pooled, its rows in whole words as the storage QPEs hold them. */
static uint64_t result_pixel(const struct block *block)
{
	assert(block->pool > 0);
	uint64_t row = align_up(block->out_w, 4);
	return ceil_div(row * block->out_h * block->out_c * block_batch(block), (uint64_t)block->pool * block->pool);
}

/* The result held while block b runs; NULL: none, or it is the network's input, which lies in DRAM. */
static const struct block *held_result(const struct network *network, size_t b)
{
	const struct block *held = NULL;
	for (size_t i = 0; i <= b; i++) {
		const struct block *block = &network->block[i];
		if (block->hold)
			held = i > 0 ? block - 1 : NULL;
		if (block->release_held && i < b)
			held = NULL;
	}
	return held;
}

bool ahead_reads_held(const struct block *block)
{
	/* what a block begins to hold is the latest result still */
	enum block_input held = block->hold ? INPUT_LATEST : INPUT_HELD;
	return block->input == held || (block->has_mat_ele && block->added == held);
}

struct ahead ahead_around(const struct network *network, size_t b, uint32_t own_bit, uint32_t next_bit)
{
	struct ahead ahead = {0};
	assert(b < network->n_block && own_bit > 0 && next_bit > 0);
	const struct block *block = &network->block[b];
	if (block->kind != BLOCK_CONV)
		return ahead;
	if (b > 0 && block[-1].kind == BLOCK_CONV && block_n_group(block) == 1)
		ahead.own_bit = own_bit;
	if (b + 1 < network->n_block && block[1].kind == BLOCK_CONV && block_n_group(block + 1) == 1) {
		ahead.next = block + 1;
		ahead.next_bit = next_bit;
	}
	/* weights that are results may not be there yet */
	if (block->filters.n > 0)
		ahead.own_bit = 0;
	if (ahead.next && ahead.next->filters.n > 0)
		ahead.next_bit = 0;
	if (ahead.next_bit == 0)
		ahead.next = NULL;
	const struct block *held = ahead_reads_held(block) ? NULL : held_result(network, b);
	ahead.held_pixel = held ? result_pixel(held) : 0;
	return ahead;
}

static uint64_t n_tap(const struct block *block)
{
	return (uint64_t)block->kernel_w * block->kernel_h * block_group_in_c(block);
}

bool ahead_same(const struct ahead *a, const struct ahead *b)
{
	if (a->own_bit != b->own_bit || a->held_pixel != b->held_pixel || !a->next != !b->next)
		return false;
	return !a->next ||
	       (a->next_bit == b->next_bit && n_tap(a->next) == n_tap(b->next) && a->next->out_c == b->next->out_c);
}

uint64_t ahead_weight_byte(const struct block *block, const struct machine *machine, uint32_t operand_bit,
                           enum ahead_portion portion)
{
	assert(block->kind == BLOCK_CONV && (operand_bit == 8 || operand_bit == 16) && portion < AHEAD_N);
	uint64_t byte = n_tap(block) * align_up(block->out_c, machine->mla_rows) * (operand_bit / 8);
	if (portion == AHEAD_NONE)
		return 0;
	return align_up(portion == AHEAD_HALF ? byte / 2 : byte, LINE_BYTE);
}
