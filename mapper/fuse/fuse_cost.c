/* SPDX-License-Identifier: Apache-2.0 */
/* What a group costs, and its best tile. */
#include "mapper/fuse/fuse_group.h"
#include "mapper/split/split.h"
#include "sim/base/checked.h"
#include <stdlib.h>

#define LINE_BYTE 16
#define WORD_ALIGN 4
#define RESULT_BYTE 4 /* as the array leaves them */
#define N_BUFFER 2    /* rounds of streamed filters: one is used while the next one arrives */
#define MAX_SIZE 512  /* of a side of 65536 */
#define MAX_STEP 18   /* of a tile of 65536 rows */

/* ---- bytes ---- */

static uint64_t weight_byte(const struct fuse_group *group, const struct fuse_question *question, uint32_t m)
{
	return mul_sat(block_n_weight(group->member[m].block), question->operand_bit / 8);
}

/* Filters of a round, all rows of the array filled, in whole lines. */
static uint64_t round_byte(const struct fuse_group *group, const struct fuse_question *question, uint32_t m)
{
	const struct block *block = group->member[m].block;
	uint64_t n_tap = mul_sat((uint64_t)block->kernel_w * block->kernel_h, block_group_in_c(block));
	uint64_t byte = mul_sat(n_tap, (uint64_t)question->machine->mla_rows * question->operand_bit / 8);
	return mul_sat(ceil_div(byte, LINE_BYTE), LINE_BYTE);
}

static uint64_t n_round(const struct fuse_group *group, const struct fuse_question *question, uint32_t m)
{
	const struct block *block = group->member[m].block;
	return block->kind == BLOCK_CONV ? split_part_row(block, block->out_c, question->machine->mla_rows) : 0;
}

static uint64_t resident_byte(const struct fuse_group *group, const struct fuse_question *question, uint32_t m)
{
	return mul_sat(round_byte(group, question, m), n_round(group, question, m));
}

/* A tile's part of a tensor with its padding, of so many rows. */
static uint64_t tensor_byte(const struct fuse_group *group, const struct fuse_question *question, uint32_t t,
                            const struct fuse_side *w, uint32_t n_row)
{
	uint64_t n = mul_sat(mul_sat(w->room[t], n_row), group->tensor[t].c);
	return mul_sat(ceil_div(mul_sat(n, question->operand_bit / 8), LINE_BYTE), LINE_BYTE);
}

/* What a running member needs beside tensors: two rounds of filters, unless they are resident, and a round's results.
 */
static uint64_t running_byte(const struct fuse_group *group, const struct fuse_question *question, uint32_t m,
                             const struct fuse_side *w, const struct fuse_side *h, bool is_resident)
{
	const struct block *block = group->member[m].block;
	if (block->kind != BLOCK_CONV)
		return 0;
	uint64_t t = group->n_border + m, pool = block->pool;
	uint64_t n_pixel = mul_sat(align_up(w->fresh[t] * pool, WORD_ALIGN), h->fresh[t] * pool);
	uint64_t sum_byte = mul_sat(n_pixel, (uint64_t)question->machine->mla_rows * RESULT_BYTE);
	uint64_t n_buffer = is_resident ? 0 : min_u64(N_BUFFER, n_round(group, question, m));
	return add_sat(sum_byte, mul_sat(n_buffer, round_byte(group, question, m)));
}

uint64_t fuse_sram_byte(const struct fuse_group *group, const struct fuse_question *question, const struct fuse_side *w,
                        const struct fuse_side *h, uint32_t resident)
{
	uint64_t most = 0, stays = 0;
	for (uint32_t m = 0; m < group->n; m++)
		if (resident >> m & 1)
			stays = add_sat(stays, resident_byte(group, question, m));
	for (uint32_t m = 0; m < group->n; m++) {
		uint64_t now = running_byte(group, question, m, w, h, resident >> m & 1);
		for (uint32_t t = 0; t < group->n_border + group->n; t++) {
			bool is_live = group->tensor[t].first_use <= m && m <= group->tensor[t].last_use;
			now = add_sat(now, tensor_byte(group, question, t, w, is_live ? h->room[t] : h->kept[t]));
		}
		most = max_u64(most, now);
	}
	return add_sat(most, stays);
}

/* ---- a tile ---- */

static void count_traffic(const struct fuse_group *group, const struct fuse_question *question,
                          const struct fuse_side *w, const struct fuse_side *h, struct fuse_cost *cost)
{
	uint64_t image_byte = mul_sat(group->batch, question->operand_bit / 8);
	for (uint32_t t = 0; t < group->n_border; t++)
		if (!(question->in_storage >> t & 1)) {
			uint64_t n = mul_sat(mul_sat(w->sum[t], h->sum[t]), group->tensor[t].c);
			cost->in_byte = add_sat(cost->in_byte, mul_sat(n, image_byte));
		}
	const struct fuse_tensor *last = &group->tensor[group->n_border + group->n - 1];
	cost->out_byte = mul_sat(mul_sat((uint64_t)last->w * last->h, last->c), image_byte);
	for (uint32_t m = 0; m < group->n; m++) {
		const struct block *block = group->member[m].block;
		uint64_t n_tap = mul_sat((uint64_t)block->kernel_w * block->kernel_h, block_group_in_c(block));
		uint64_t n = mul_sat(mul_sat(w->core[m], h->core[m]), block->out_c);
		if (block->kind == BLOCK_CONV)
			cost->n_mac = add_sat(cost->n_mac, mul_sat(mul_sat(n, n_tap), group->batch));
	}
}

static void count_weights(const struct fuse_group *group, const struct fuse_question *question, uint32_t resident,
                          struct fuse_cost *cost)
{
	cost->resident = resident;
	cost->weight_byte = 0;
	for (uint32_t m = 0; m < group->n; m++)
		cost->weight_byte = add_sat(
		    cost->weight_byte, mul_sat(weight_byte(group, question, m), resident >> m & 1 ? 1 : cost->n_wave));
	cost->dram_byte = add_sat(add_sat(cost->in_byte, cost->out_byte), cost->weight_byte);
}

struct fuse_cost fuse_cost_of(const struct fuse_group *group, const struct fuse_question *question,
                              const struct fuse_side *w, const struct fuse_side *h, uint32_t resident)
{
	struct fuse_cost cost = {.tile_w = w->size, .tile_h = h->size, .step_h = h->step};
	cost.n_tile = (uint64_t)w->n_tile * h->n_tile * group->batch;
	uint64_t n_turn = ceil_div(cost.n_tile, question->n_pe);
	cost.busy_frac = (double)cost.n_tile / ((double)n_turn * question->n_pe);
	cost.n_wave = mul_sat(n_turn, h->n_step);
	cost.sram_byte = fuse_sram_byte(group, question, w, h, resident);
	count_traffic(group, question, w, h, &cost);
	count_weights(group, question, resident, &cost);
	return cost;
}

bool fuse_is_better(const struct fuse_cost *cost, const struct fuse_cost *than)
{
	if (cost->dram_byte != than->dram_byte)
		return cost->dram_byte < than->dram_byte;
	if (cost->n_mac != than->n_mac)
		return cost->n_mac < than->n_mac;
	return cost->sram_byte < than->sram_byte;
}

/* ---- the best tile ---- */

struct fuse_hunt {
	const struct fuse_group *group;
	const struct fuse_question *question;
	const struct fuse_side *w, *h;
	uint64_t n_mac; /* allowed */
	uint64_t resident_byte[FUSE_MAX_BLOCK];
	enum fuse_reason reason;
	struct fuse_cost best;
};

/*
 * Residents, member by member, stays bytes of them so far: every set that fits, but for those that cannot be better
 * even if all later members' weights came once.
 */
static void choose_residents(struct fuse_hunt *hunt, struct fuse_cost cost, uint32_t m, uint32_t resident,
                             uint64_t stays)
{
	uint32_t n = hunt->group->n, later = (1u << n) - (1u << m);
	count_weights(hunt->group, hunt->question, resident | later, &cost);
	if (stop_after(hunt->question->watch, n) || stays > hunt->question->machine->pe_sram_byte ||
	    (hunt->reason == FUSE_OK && cost.dram_byte > hunt->best.dram_byte))
		return;
	if (m < n) {
		if (hunt->resident_byte[m] > 0)
			choose_residents(hunt, cost, m + 1, resident | 1u << m, add_sat(stays, hunt->resident_byte[m]));
		choose_residents(hunt, cost, m + 1, resident, stays);
		return;
	}
	cost.sram_byte = fuse_sram_byte(hunt->group, hunt->question, hunt->w, hunt->h, resident);
	if (cost.sram_byte > hunt->question->machine->pe_sram_byte ||
	    (hunt->reason == FUSE_OK && !fuse_is_better(&cost, &hunt->best)))
		return;
	hunt->best = cost;
	hunt->reason = FUSE_OK;
}

/* Streamed weights take least room: if a tile does not fit with all of them streamed, it does not at all; and in one
 * wave, where each weight comes once anyway, nothing is gained by others. */
static void try_tile(struct fuse_hunt *hunt)
{
	struct fuse_cost cost = fuse_cost_of(hunt->group, hunt->question, hunt->w, hunt->h, 0);
	if (cost.sram_byte > hunt->question->machine->pe_sram_byte)
		return;
	if (hunt->reason == FUSE_SRAM)
		hunt->reason = FUSE_IDLE;
	if (cost.busy_frac < hunt->question->least_busy_frac)
		return;
	if (hunt->reason == FUSE_IDLE)
		hunt->reason = FUSE_COMPUTE;
	if (cost.n_mac > hunt->n_mac)
		return;
	if (cost.n_wave > 1) {
		choose_residents(hunt, cost, 0, 0, 0);
	} else if (hunt->reason != FUSE_OK || fuse_is_better(&cost, &hunt->best)) {
		hunt->best = cost;
		hunt->reason = FUSE_OK;
	}
}

static uint64_t allowed_mac(const struct fuse_group *group, const struct fuse_question *question)
{
	uint64_t n_mac = 0;
	for (uint32_t m = 0; m < group->n; m++)
		n_mac = add_sat(n_mac, block_n_mac(group->member[m].block));
	double more = (double)n_mac * question->more_mac_frac;
	return more < 1e18 ? add_sat(n_mac, (uint64_t)more) : UINT64_MAX;
}

enum fuse_reason fuse_best(const struct fuse_group *group, const struct fuse_question *question, struct fuse_cost *cost)
{
	const struct fuse_tensor *last = &group->tensor[group->n_border + group->n - 1];
	uint32_t size_w[MAX_SIZE], size_h[MAX_SIZE];
	struct fuse_side w, *h = NULL;
	size_t n_w = fuse_sizes(last->w, size_w, MAX_SIZE), n_h = fuse_sizes(last->h, size_h, MAX_SIZE), n_side = 0;
	assert(n_w <= MAX_SIZE && n_h <= MAX_SIZE);
	h = malloc(n_h * MAX_STEP * sizeof(*h));
	if (!h)
		return FUSE_MEMORY;
	struct fuse_hunt hunt = {.group = group, .question = question, .w = &w, .reason = FUSE_SRAM};
	hunt.n_mac = allowed_mac(group, question);
	for (uint32_t m = 0; m < group->n; m++)
		hunt.resident_byte[m] = resident_byte(group, question, m);
	for (size_t j = 0; j < n_h; j++)
		for (uint32_t step = 0; (step = fuse_next_step(step, size_h[j])) > 0;)
			if (!stop_after(question->watch, last->h / step))
				fuse_side_make(group, true, size_h[j], step, &h[n_side++]);
	for (size_t i = 0; i < n_w && !stop_after(question->watch, last->w / size_w[i]); i++) {
		fuse_side_make(group, false, size_w[i], size_w[i], &w);
		for (size_t j = 0; j < n_side && !stop_after(question->watch, 1); j++) {
			hunt.h = &h[j];
			try_tile(&hunt);
		}
	}
	free(h);
	if (hunt.reason == FUSE_OK)
		*cost = hunt.best;
	return hunt.reason;
}
