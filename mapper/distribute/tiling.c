/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/distribute/tiling_parts.h"
#include "sim/base/checked.h"

/* The parts' extents in units of byte, each rounded up to a multiple of step. */
static uint64_t sum_aligned(const struct part_pair *pair, uint64_t byte, uint64_t step)
{
	return pair->n[0] * align_up(pair->size[0] * byte, step) + pair->n[1] * align_up(pair->size[1] * byte, step);
}

/* Rounds, or rows of results, of all tasks with the same input channels beside those of one of them. */
struct task_share {
	uint64_t n_all, n_one;
};

/*
 * What the tasks take together, whose largest ones take value[i], n[i] of them. Exact where it is a whole number:
 * designs that cost alike must come out alike, and bounds must not be above them. Beyond 64 bits, where no clock can be
 * counted either, about so much.
 */
static double scaled_sum(const struct part_pair *n, const uint64_t value[2], const struct task_share *share)
{
	uint64_t whole = 0, rest = 0;
	double about = 0;
	assert(share->n_one > 0 && share->n_all >= share->n_one);
	for (uint32_t i = 0; i < n->n_size; i++) {
		uint64_t n_time = mul_sat(share->n_all, n->n[i]);
		whole = add_sat(whole, mul_sat(value[i] / share->n_one, n_time));
		rest = add_sat(rest, mul_sat(value[i] % share->n_one, n_time));
	}
	if (whole == UINT64_MAX || rest == UINT64_MAX) {
		for (uint32_t i = 0; i < n->n_size; i++)
			about += (double)value[i] / (double)share->n_one * (double)share->n_all * (double)n->n[i];
		return about;
	}
	return (double)(whole + rest / share->n_one) + (double)(rest % share->n_one) / (double)share->n_one;
}

/* cost: of the largest task with either number of input channels. */
static void sum_words(const struct part_pair *d, const struct mla_cost cost[2], const struct task_share *round,
                      const struct task_share *out, struct tiling *tiling)
{
	const uint64_t mac_clk[2] = {cost[0].mac_clk, cost[1].mac_clk}, a_word[2] = {cost[0].a_word, cost[1].a_word};
	const uint64_t b_word[2] = {cost[0].b_word, cost[1].b_word}, out_word[2] = {cost[0].out_word, cost[1].out_word};
	tiling->all_mac_clk = scaled_sum(d, mac_clk, round);
	tiling->all_a_word = scaled_sum(d, a_word, round);
	tiling->all_b_word = scaled_sum(d, b_word, round);
	tiling->all_out_word = scaled_sum(d, out_word, out);
	tiling->task = cost[0];
}

uint64_t tiling_sum_rows(const struct layer_context *context, const struct part_pair *c)
{
	uint32_t n_row = context->machine->mla_rows;
	uint64_t sum = c->n[0] * split_part_row(context->block, (uint32_t)c->size[0], n_row);
	return c->n_size == 1 ? sum : sum + c->n[1] * split_part_row(context->block, (uint32_t)c->size[1], n_row);
}

/*
 * Clocks of the array and words of tasks that differ in width, height and filters
 * differ by the number of rounds; with other input channels a round has others.
 */
static void sum_conv_words(const struct layer_context *context, const struct part_pair *w, const struct part_pair *h,
                           const struct part_pair *c, const struct part_pair *d, struct tiling *tiling)
{
	const struct machine *machine = tiling_machine_of(context, tiling);
	const struct mla_conv_round *round = tiling_round_of(context, tiling);
	const struct block *block = context->block;
	struct part_pair computed_w = tiling_computed_parts(w, tiling->in_w, tiling->small_in_w, round->reach_w);
	struct part_pair computed_h = tiling_computed_parts(h, tiling->in_h, tiling->small_in_h, round->reach_h);
	uint64_t high = computed_h.size[0], all_high = tiling_sum_parts(&computed_h);
	uint64_t n_round = ceil_div(computed_w.size[0], machine->mla_cols) * high *
	                   split_part_row(block, tiling->out_c, machine->mla_rows);
	uint64_t n_all_round =
	    tiling_sum_blocks(&computed_w, machine->mla_cols) * all_high * tiling_sum_rows(context, c);
	uint64_t n_port = tiling_row_port(context, round, computed_w.size[0]), n_all_port = w->n[0] * n_port;
	if (w->n_size > 1)
		n_all_port += w->n[1] * tiling_row_port(context, round, computed_w.size[1]);
	uint64_t n_out = n_port * high * c->size[0], n_all_out = n_all_port * all_high * tiling_sum_parts(c);
	const struct task_share all_round = {n_all_round, n_round}, all_out = {n_all_out, n_out};
	struct mla_conv_task task = tiling_largest_task(tiling);
	struct mla_cost cost[2] = {{0}};
	mla_conv_words(machine, round, &task, &cost[0]);
	if (d->n_size > 1) {
		task.in_c = (uint32_t)d->size[1];
		mla_conv_words(machine, round, &task, &cost[1]);
	}
	sum_words(d, cost, &all_round, &all_out, tiling);
}

/* Columns that the array runs over: a matrix' rows are stored in whole ports (thesis equation 2.6). */
static uint64_t packed_columns(const struct layer_context *context, uint64_t n_pixel)
{
	uint64_t n_port = context->machine->pe_sram_port_byte / (context->operand_bit / 8);
	return context->form == FORM_MATMUL ? align_up(n_pixel, n_port) : n_pixel;
}

void tiling_packed_cost(const struct layer_context *context, const struct tiling *tiling,
                        const struct mla_conv_channels *channels, const struct mla_conv_task *task,
                        struct mla_cost *cost)
{
	const struct mla_matmul_task matmul = {task->in_c, task->n_filter, task->in_w};
	if (context->form == FORM_MATMUL)
		mla_prepared_cost(tiling_matmul_of(context, tiling), &matmul, cost);
	else
		mla_conv_clk(tiling_machine_of(context, tiling), tiling_round_of(context, tiling), channels, task,
		             cost);
}

/* As sum_conv_words, of parts whose pixels are one row each. */
static void sum_packed_words(const struct layer_context *context, const struct part_pair *w, const struct part_pair *h,
                             const struct part_pair *c, const struct part_pair *d, struct tiling *tiling)
{
	const struct machine *machine = tiling_machine_of(context, tiling);
	const struct mla_conv_round *round = tiling_round_of(context, tiling);
	uint64_t n_all_block = 0, n_all_port = 0;
	for (uint32_t i = 0; i < w->n_size; i++)
		for (uint32_t j = 0; j < h->n_size; j++) {
			uint64_t n_pixel = w->size[i] * h->size[j], n = w->n[i] * h->n[j];
			n_all_block += n * ceil_div(packed_columns(context, n_pixel), machine->mla_cols);
			n_all_port += n * tiling_row_port(context, round, n_pixel);
		}
	uint64_t n_block = ceil_div(packed_columns(context, tiling->in_w), machine->mla_cols);
	const struct task_share all_round = {n_all_block * tiling_sum_blocks(c, machine->mla_rows),
	                                     n_block * ceil_div(c->size[0], machine->mla_rows)},
				all_port = {n_all_port * tiling_sum_parts(c),
	                                    tiling_row_port(context, round, tiling->in_w) * c->size[0]};
	bool is_matmul = context->form == FORM_MATMUL;
	struct mla_cost cost[2] = {{0}};
	for (uint32_t k = 0; k < d->n_size; k++) {
		const struct mla_conv_task task = {tiling->in_w, 1, (uint32_t)d->size[k], tiling->out_c, 1};
		if (is_matmul)
			tiling_packed_cost(context, tiling, NULL, &task, &cost[k]);
		else
			mla_conv_words(machine, round, &task, &cost[k]);
	}
	sum_words(d, cost, &all_round, is_matmul ? &all_round : &all_port, tiling);
}

static void sum_filters(const struct layer_context *context, const struct part_pair *c, const struct part_pair *d,
                        struct tiling *tiling)
{
	uint64_t kernel_byte =
	    (uint64_t)context->block->kernel_w * context->block->kernel_h * (context->operand_bit / 8);
	for (uint32_t i = 0; i < c->n_size; i++) {
		uint32_t n_row = context->machine->mla_rows;
		uint64_t n_filter = split_part_row(context->block, (uint32_t)c->size[i], n_row) * n_row;
		for (uint32_t j = 0; j < d->n_size; j++)
			tiling->all_filter_byte +=
			    c->n[i] * d->n[j] * align_up(kernel_byte * d->size[j] * n_filter, LINE_BYTE);
	}
}

/* Of packed parts rows that a stride skips are not loaded. */
static void loaded_parts(const struct layer_context *context, const struct part_pair *w, const struct part_pair *h,
                         struct part_pair *in_w, struct part_pair *in_h)
{
	const struct block *block = context->block;
	*in_w = tiling_resized(w, split_part_in_w(block, (uint32_t)w->size[0]),
	                       w->n_size > 1 ? split_part_in_w(block, (uint32_t)w->size[1]) : 0);
	*in_h = *h;
}

void tiling_add_operand(const struct block *block, uint64_t channel_byte, uint64_t *map_byte, uint64_t *aligned_byte)
{
	if (block->operand == OPERAND_MAP) {
		*map_byte *= 2;
		*aligned_byte *= 2;
	} else if (block->operand == OPERAND_CHANNEL) {
		*map_byte += channel_byte;
		*aligned_byte += channel_byte;
	}
}

uint64_t tiling_sum_group_map(const struct layer_context *context, const struct part_pair *w, const struct part_pair *h,
                              const struct dim_split *filters, const struct dim_split *depth,
                              const struct tiling *tiling)
{
	const struct part_pair c = tiling_parts_of(filters), d = tiling_parts_of(depth);
	uint64_t sum = 0;
	for (uint32_t i = 0; i < c.n_size; i++) {
		uint32_t n_group = split_part_group(context->block, (uint32_t)c.size[i]);
		const struct part_pair channels =
		    tiling_resized(&d, (uint32_t)d.size[0] * n_group, (uint32_t)d.size[1] * n_group);
		sum += c.n[i] / tiling->n_meet * tiling_sum_line_byte(w, h, &channels, 1, context->operand_bit / 8);
	}
	return sum;
}

/* Convolutions and pooling. */
static void sum_map(const struct layer_context *context, const struct split *split, const struct part_pair *w,
                    const struct part_pair *h, const struct part_pair *c, struct tiling *tiling)
{
	uint64_t operand_byte = context->operand_bit / 8;
	bool is_conv = context->block->kind == BLOCK_CONV;
	struct part_pair in_w = tiling_resized(w, tiling->in_w, tiling->small_in_w);
	struct part_pair in_h = tiling_resized(h, tiling->in_h, tiling->small_in_h);
	if (context->is_packed)
		loaded_parts(context, w, h, &in_w, &in_h);
	struct part_pair d = tiling_parts_of(&split->d);
	const struct part_pair *channels = is_conv ? &d : c;
	uint32_t n_group = context->block->groups > 1 ? context->block->groups : 1;
	uint64_t all_plane = tiling_sum_parts(&in_h) * tiling_sum_parts(channels) * n_group;
	tiling->all_map_byte = n_group > 1 ? tiling_sum_group_map(context, &in_w, &in_h, &split->c, &split->d, tiling)
	                                   : tiling_sum_line_byte(&in_w, &in_h, channels, 1, operand_byte);
	tiling->all_map_aligned_byte = sum_aligned(&in_w, operand_byte, LINE_BYTE) * all_plane;
	tiling_add_operand(context->block, tiling->n_map * sum_aligned(channels, operand_byte, LINE_BYTE),
	                   &tiling->all_map_byte, &tiling->all_map_aligned_byte);
	if (!is_conv)
		return;
	sum_filters(context, c, &d, tiling);
	if (!context->is_packed) {
		sum_conv_words(context, w, h, c, &d, tiling);
		return;
	}
	tiling->all_map_aligned_byte = tiling->all_map_byte; /* no rows, nothing to align */
	sum_packed_words(context, w, h, c, &d, tiling);
}

static void sum_matmul(const struct layer_context *context, const struct split *split, const struct part_pair *w,
                       const struct part_pair *h, struct tiling *tiling)
{
	const struct machine *machine = tiling_machine_of(context, tiling);
	uint64_t operand_byte = context->operand_bit / 8;
	struct part_pair d = tiling_parts_of(&split->d);
	tiling->all_map_byte = tiling_sum_parts(&d) * tiling_sum_parts(h) * operand_byte;
	tiling->all_map_aligned_byte = sum_aligned(&d, 1, 4) * sum_aligned(h, 1, machine->mla_rows) * operand_byte;
	tiling->all_filter_byte = sum_aligned(w, 1, machine->mla_cols) * sum_aligned(&d, 1, 4) * operand_byte;
	struct mla_matmul_task task = {tiling->in_w, tiling->in_h, tiling->out_w};
	struct mla_cost cost[2] = {{0}};
	const struct task_share round = {
	    tiling_sum_blocks(w, machine->mla_cols) * tiling_sum_blocks(h, machine->mla_rows),
	    ceil_div(w->size[0], machine->mla_cols) * ceil_div(h->size[0], machine->mla_rows),
	};
	mla_prepared_cost(tiling_matmul_of(context, tiling), &task, &cost[0]);
	if (d.n_size > 1) {
		task.a_w = (uint32_t)d.size[1];
		mla_prepared_cost(tiling_matmul_of(context, tiling), &task, &cost[1]);
	}
	sum_words(&d, cost, &round, &round, tiling);
}

/*
 * The largest tile with its pixels as one row: what is loaded, with the columns that a stride skips, and what is left
 * of it when they are taken out.
 */
static void size_packed(const struct layer_context *context, const struct split *split, uint64_t left_byte,
                        struct tiling *tiling)
{
	const struct machine *machine = context->machine;
	uint64_t operand_byte = context->operand_bit / 8, n_filter = split->c.size_a;
	tiling->map_byte = (uint64_t)tiling->in_w * split->h.size_a * tiling->in_c * operand_byte;
	tiling->in_w = tiling_packed_pixels(split->w.size_a, split->h.size_a);
	tiling->in_h = 1;
	tiling->small_in_w = tiling->small_in_h = 0;
	tiling->map_aligned_byte = align_up(tiling->in_w * operand_byte, LINE_BYTE) * tiling->in_c;
	/* the columns that a stride skips are taken out in place */
	if (tiling->map_aligned_byte < align_up(tiling->map_byte, LINE_BYTE))
		tiling->map_aligned_byte = align_up(tiling->map_byte, LINE_BYTE);
	tiling->result_byte = align_up(tiling->in_w, WORD_ALIGN) * n_filter * left_byte;
	if (context->form == FORM_MATMUL)
		tiling->result_byte =
		    align_up(tiling->in_w, machine->mla_cols) * align_up(n_filter, machine->mla_rows) * left_byte;
}

/* Parts of FORM_TIGHT. */
static void size_tight(const struct block *block, const struct split *split, struct tiling *tiling)
{
	tiling->in_w = split_tight_in_w(block, split->w.size_a);
	tiling->in_h = split_tight_in_h(block, split->h.size_a);
	tiling->small_in_w = split->w.n_b ? split_tight_in_w(block, split->w.size_b) : 0;
	tiling->small_in_h = split->h.n_b ? split_tight_in_h(block, split->h.size_b) : 0;
}

/* The largest tile of a convolution or pooling. */
static void size_map(const struct layer_context *context, const struct split *split, struct tiling *tiling)
{
	const struct block *block = context->block;
	uint64_t operand_byte = context->operand_bit / 8;
	bool is_conv = block->kind == BLOCK_CONV;
	tiling->in_w = split_part_in_w(block, split->w.size_a);
	tiling->in_h = split_part_in_h(block, split->h.size_a);
	tiling->small_in_w = split->w.n_b ? split_part_in_w(block, split->w.size_b) : 0;
	tiling->small_in_h = split->h.n_b ? split_part_in_h(block, split->h.size_b) : 0;
	if (context->is_tight)
		size_tight(block, split, tiling);
	tiling->group_c = is_conv ? split->d.size_a : split->c.size_a;
	tiling->in_c = tiling->group_c * tiling->n_group;
	uint64_t plane = (uint64_t)tiling->in_h * tiling->in_c;
	tiling->map_byte = tiling->in_w * plane * operand_byte;
	tiling->map_aligned_byte = align_up(tiling->in_w * operand_byte, LINE_BYTE) * plane;
	tiling->filter_byte = 0;
	tiling->result_byte = tiling->out_byte;
	tiling_add_operand(block, align_up(tiling->in_c * operand_byte, LINE_BYTE), &tiling->map_byte,
	                   &tiling->map_aligned_byte);
	if (!is_conv)
		return;
	uint64_t n_tap = (uint64_t)block->kernel_w * block->kernel_h * split->d.size_a;
	uint64_t n_filter =
	    split_part_row(block, split->c.size_a, context->machine->mla_rows) * context->machine->mla_rows;
	tiling->filter_byte = align_up(n_tap * n_filter * operand_byte, LINE_BYTE);
	uint64_t n_row = (uint64_t)(tiling->in_h - block_reach_h(block) + 1) * split->c.size_a;
	uint64_t left_byte = tiling_machine_of(context, tiling)->mla_postprocess ? operand_byte : RESULT_BYTE;
	if (context->is_packed) {
		size_packed(context, split, left_byte, tiling);
		return;
	}
	tiling->result_byte = align_up(tiling->in_w - block_reach_w(block) + 1, WORD_ALIGN) * n_row * left_byte;
}

static void size_matmul(const struct layer_context *context, const struct split *split, struct tiling *tiling)
{
	const struct machine *machine = tiling_machine_of(context, tiling);
	uint64_t operand_byte = context->operand_bit / 8, w = split->w.size_a, h = split->h.size_a, d = split->d.size_a;
	uint64_t columns = align_up(w, machine->mla_cols), rows = align_up(h, machine->mla_rows);
	tiling->in_w = split->d.size_a;
	tiling->in_h = split->h.size_a;
	tiling->in_c = tiling->group_c = 1;
	tiling->small_in_w = tiling->small_in_h = 0;
	tiling->map_byte = d * h * operand_byte;
	tiling->map_aligned_byte = align_up(d, 4) * rows * operand_byte;
	tiling->filter_byte = columns * align_up(d, 4) * operand_byte;
	tiling->result_byte = columns * rows * (machine->mla_postprocess ? operand_byte : RESULT_BYTE);
}

/* How a convolution's groups are shared out; a range of splits begins with the fewest parts. */
static void size_groups(const struct block *block, const struct split *split, struct tiling *tiling)
{
	uint32_t n_group = block->groups;
	tiling->n_group = tiling->n_channel_part = 1;
	tiling->n_meet = tiling->n_c;
	if (n_group <= 1)
		return;
	tiling->n_group = split_part_group(block, split->c.size_a);
	tiling->n_channel_part = tiling->n_c < n_group ? tiling->n_c : n_group;
	tiling->n_meet = tiling->n_c / tiling->n_channel_part;
}

void tiling_size(const struct layer_context *context, const struct split *split, struct tiling *tiling)
{
	const struct block *block = context->block;
	tiling->is_summed = tiling->is_least = false;
	tiling->open = 0;
	tiling->range = NULL;
	tiling->n_w = dim_n_part(&split->w);
	tiling->n_h = dim_n_part(&split->h) * block_batch(block);
	tiling->n_c = dim_n_part(&split->c);
	tiling->n_d = dim_n_part(&split->d);
	tiling->n_map = (uint64_t)tiling->n_w * tiling->n_h;
	tiling->n_task = tiling->n_map * tiling->n_c * tiling->n_d;
	tiling->out_w = split->w.size_a;
	tiling->out_h = split->h.size_a;
	tiling->out_c = split->c.size_a;
	size_groups(block, split, tiling);
	uint64_t row_c = (uint64_t)tiling->out_h * tiling->out_c, n_pixel = tiling->out_w * row_c;
	if (block->pool > 1)
		n_pixel = ceil_div(n_pixel, (uint64_t)block->pool * block->pool);
	tiling->out_byte = align_up(n_pixel * (context->operand_bit / 8), LINE_BYTE);
	tiling->raw_out_byte = align_up(tiling->out_w, WORD_ALIGN) * row_c * RESULT_BYTE;
	tiling->row_word =
	    align_up(split->w.size_a, WORD_ALIGN) * split->w.n_a + align_up(split->w.size_b, WORD_ALIGN) * split->w.n_b;
	if (block->kind == BLOCK_MATMUL)
		size_matmul(context, split, tiling);
	else
		size_map(context, split, tiling);
	assert(tiling->n_task > 0 && tiling->in_w > 0 && tiling->in_h > 0);
}

void tiling_sum(const struct layer_context *context, const struct split *split, struct tiling *tiling)
{
	const struct block *block = context->block;
	struct part_pair w = tiling_parts_of(&split->w), h = tiling_row_parts(context->block, &split->h),
			 c = tiling_parts_of(&split->c);
	uint64_t pool_area = (uint64_t)block->pool * block->pool, row_c = tiling_sum_parts(&h) * tiling_sum_parts(&c);
	tiling->is_summed = true;
	tiling->n_out_pixel = tiling_sum_parts(&w) * row_c;
	tiling->all_out_byte = tiling_sum_line_byte(&w, &h, &c, pool_area, context->operand_bit / 8);
	tiling->all_raw_out_byte = sum_aligned(&w, 1, WORD_ALIGN) * row_c * RESULT_BYTE;
	tiling->all_filter_byte = 0;
	tiling->all_mac_clk = tiling->all_a_word = tiling->all_b_word = tiling->all_out_word = 0;
	tiling->task = (struct mla_cost){0};
	if (block->kind == BLOCK_MATMUL)
		sum_matmul(context, split, &w, &h, tiling);
	else
		sum_map(context, split, &w, &h, &c, tiling);
}

void tiling_time(const struct layer_context *context, struct tiling *tiling)
{
	assert(tiling->is_summed);
	if (context->block->kind != BLOCK_CONV || context->form == FORM_MATMUL)
		return;
	struct mla_conv_task task = tiling_largest_task(tiling);
	const struct machine *machine = tiling_machine_of(context, tiling);
	const struct mla_conv_round *round = tiling_round_of(context, tiling);
	tiling->channels = context->channels;
	if (tiling->n_d > 1)
		mla_prepare_channels(machine, round, tiling->group_c, &tiling->channels);
	mla_conv_clk(machine, round, &tiling->channels, &task, &tiling->task);
}

void tiling_build(const struct layer_context *context, const struct split *split, struct tiling *tiling)
{
	tiling_size(context, split, tiling);
	tiling_sum(context, split, tiling);
	tiling_time(context, tiling);
}

void tiling_mla_counts(const struct layer_context *context, const struct tiling *tiling, struct counts *counts)
{
	bool is_matmul = context->block->kind == BLOCK_MATMUL || context->form == FORM_MATMUL;
	*counts = (struct counts){
	    .mac = (double)block_n_mac(context->block),
	    .mla_clk = tiling->all_mac_clk,
	    .sram_read_word = tiling->all_a_word + tiling->all_b_word,
	    .sram_write_word = tiling->all_out_word,
	    /* a convolution's operand A comes from a neighbour: request and answer; the PE's own has an answer alone */
	    .noc_packet = (is_matmul ? 1 : 2) * tiling->all_a_word * SRAM_WORD_BYTE / context->machine->noc_packet_byte,
	};
}

struct mla_fetch tiling_fetch(const struct layer_context *context, const struct tiling *tiling, double a_word,
                              double mac_clk)
{
	/* a matrix multiplication asks for a packet at a time, and has operand A in the PE itself */
	if (context->block->kind != BLOCK_CONV || context->form == FORM_MATMUL)
		return (struct mla_fetch){0};
	/* of a range of splits the fewest rounds: those of the most channels */
	uint64_t n_channel = tiling->is_least ? block_group_in_c(context->block) : tiling->group_c;
	double round_mac_clk = (double)(n_channel * context->round.channel_mac_clk);
	return (struct mla_fetch){mac_clk / round_mac_clk, a_word * SRAM_WORD_BYTE / context->machine->noc_packet_byte,
	                          context->round.rate.a_period_clk};
}
