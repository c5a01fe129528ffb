/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/tiling.h"
#include "sim/base/checked.h"

/* Results leave the MAC array as 32-bit words, results of an operator block as bytes of the operand's width. */
#define RESULT_BYTE 4
#define LINE_BYTE 16 /* a port's, packet's and DRAM access's width, to which rows are aligned */
#define WORD_ALIGN 4 /* result rows are aligned to four words */

/* Sum over the parts of a dimension of the extent's image under one of the maps below. */
struct part_pair {
	uint64_t n[2], size[2];
};

static struct part_pair parts_of(const struct dim_split *dim)
{
	return (struct part_pair){{dim->n_a, dim->n_b}, {dim->size_a, dim->n_b ? dim->size_b : 0}};
}

static uint64_t sum_parts(const struct part_pair *pair)
{
	return pair->n[0] * pair->size[0] + pair->n[1] * pair->size[1];
}

static uint64_t sum_aligned(const struct part_pair *pair, uint64_t step)
{
	return pair->n[0] * align_up(pair->size[0], step) + pair->n[1] * align_up(pair->size[1], step);
}

static uint64_t sum_blocks(const struct part_pair *pair, uint64_t step)
{
	return pair->n[0] * ceil_div(pair->size[0], step) + pair->n[1] * ceil_div(pair->size[1], step);
}

/* The stored ifmap extents of ofmap parts. */
static struct part_pair stored_parts(const struct block *block, const struct part_pair *out, bool vertical)
{
	struct part_pair in = *out;
	for (int i = 0; i < 2; i++)
		if (in.n[i])
			in.size[i] = vertical ? split_part_in_h(block, (uint32_t)out->size[i])
			                      : split_part_in_w(block, (uint32_t)out->size[i]);
	return in;
}

/* The extents whose every stride-1 output the array computes. */
static struct part_pair computed_parts(const struct part_pair *in, uint32_t kernel)
{
	struct part_pair out = *in;
	for (int i = 0; i < 2; i++)
		out.size[i] = in->n[i] ? in->size[i] - kernel + 1 : 0;
	return out;
}

/* Bytes of all tiles w x h x c / area, each rounded up to whole lines: a sum over the up to eight kinds of tile. */
static uint64_t sum_line_byte(const struct part_pair *w, const struct part_pair *h, const struct part_pair *c,
                              uint64_t area, uint64_t byte)
{
	uint64_t sum = 0;
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++)
			for (int k = 0; k < 2; k++) {
				uint64_t n = w->n[i] * h->n[j] * c->n[k];
				if (n)
					sum += n * align_up(ceil_div(w->size[i] * h->size[j] * c->size[k], area) * byte,
					                    LINE_BYTE);
			}
	return sum;
}

/* Tasks whose rounds together are round_frac of those of one task that costs this, and its results out_frac. */
static void add_words(const struct mla_cost *cost, double round_frac, double out_frac, struct tiling *tiling)
{
	assert(round_frac >= 0 && out_frac >= 0);
	tiling->all_mac_clk += (double)cost->mac_clk * round_frac;
	tiling->all_a_word += (double)cost->a_word * round_frac;
	tiling->all_b_word += (double)cost->b_word * round_frac;
	tiling->all_out_word += (double)cost->out_word * out_frac;
}

/* SRAM ports that a row of results of all parts takes; a left-over block of columns fills its last port. */
static uint64_t sum_result_port(const struct machine *machine, const struct part_pair *w, uint64_t result_byte)
{
	uint64_t n_port = 0, cols = machine->mla_cols, port_byte = machine->pe_sram_port_byte;
	for (int i = 0; i < 2; i++)
		n_port += w->n[i] * (w->size[i] / cols * ceil_div(cols * result_byte, port_byte) +
		                     ceil_div(w->size[i] % cols * result_byte, port_byte));
	return n_port;
}

/*
 * Clocks of the array and words of tasks that differ in width, height and filters
 * differ by the number of rounds; with other input channels a round has others.
 */
static void build_conv_tasks(const struct layer_context *context, const struct part_pair *computed_w,
                             const struct part_pair *computed_h, const struct part_pair *c, const struct part_pair *d,
                             uint64_t result_byte, struct tiling *tiling)
{
	const struct machine *machine = context->machine;
	struct mla_conv_task task = {tiling->in_w, tiling->in_h, tiling->in_c, tiling->out_c};
	mla_conv_cost(machine, &context->round, &task, context->operand_bit, &tiling->task);
	uint64_t n_round = ceil_div(computed_w->size[0], machine->mla_cols) * computed_h->size[0] *
	                   ceil_div(c->size[0], machine->mla_rows);
	uint64_t n_all_round =
	    sum_blocks(computed_w, machine->mla_cols) * sum_parts(computed_h) * sum_blocks(c, machine->mla_rows);
	struct part_pair largest_w = {{1, 0}, {computed_w->size[0], 0}};
	uint64_t n_out = sum_result_port(machine, &largest_w, result_byte) * computed_h->size[0] * c->size[0];
	uint64_t n_all_out = sum_result_port(machine, computed_w, result_byte) * sum_parts(computed_h) * sum_parts(c);
	double round_frac = (double)n_all_round / (double)n_round, out_frac = (double)n_all_out / (double)n_out;
	struct mla_cost cost = tiling->task;
	for (int i = 0; i < 2; i++) {
		double n = (double)d->n[i];
		if (i > 0 && d->n[i]) {
			task.in_c = (uint32_t)d->size[i];
			mla_conv_cost(machine, &context->round, &task, context->operand_bit, &cost);
		}
		add_words(&cost, round_frac * n, out_frac * n, tiling);
	}
}

static void build_map(const struct layer_context *context, const struct split *split, struct tiling *tiling)
{
	const struct block *block = context->block;
	uint64_t operand_byte = context->operand_bit / 8;
	struct part_pair w = parts_of(&split->w), h = parts_of(&split->h), c = parts_of(&split->c),
			 d = parts_of(&split->d);
	struct part_pair in_w = stored_parts(block, &w, false), in_h = stored_parts(block, &h, true);
	bool is_conv = block->kind == BLOCK_CONV;
	const struct part_pair *channels = is_conv ? &d : &c;

	tiling->in_w = (uint32_t)in_w.size[0];
	tiling->in_h = (uint32_t)in_h.size[0];
	tiling->in_c = (uint32_t)channels->size[0];
	uint64_t plane = in_h.size[0] * tiling->in_c;
	tiling->map_byte = in_w.size[0] * plane * operand_byte;
	tiling->map_aligned_byte = align_up(in_w.size[0] * operand_byte, LINE_BYTE) * plane;
	uint64_t all_plane = sum_parts(&in_h) * sum_parts(channels);
	tiling->all_map_byte = sum_line_byte(&in_w, &in_h, channels, 1, operand_byte);
	tiling->all_map_aligned_byte = sum_aligned(&in_w, LINE_BYTE / operand_byte) * operand_byte * all_plane;
	if (!is_conv) {
		tiling->result_byte = tiling->out_byte;
		return;
	}

	uint64_t kernel = (uint64_t)block->kernel_w * block->kernel_h, rows = context->machine->mla_rows;
	tiling->filter_byte = align_up(kernel * d.size[0] * align_up(c.size[0], rows) * operand_byte, LINE_BYTE);
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++)
			tiling->all_filter_byte +=
			    c.n[i] * d.n[j] *
			    align_up(kernel * d.size[j] * align_up(c.size[i], rows) * operand_byte, LINE_BYTE);

	struct part_pair computed_w = computed_parts(&in_w, block->kernel_w);
	struct part_pair computed_h = computed_parts(&in_h, block->kernel_h);
	uint64_t left_byte = context->machine->mla_postprocess ? operand_byte : RESULT_BYTE;
	tiling->result_byte = align_up(computed_w.size[0], WORD_ALIGN) * computed_h.size[0] * c.size[0] * left_byte;
	build_conv_tasks(context, &computed_w, &computed_h, &c, &d, left_byte, tiling);
}

static void build_matmul(const struct layer_context *context, const struct split *split, struct tiling *tiling)
{
	const struct machine *machine = context->machine;
	uint64_t operand_byte = context->operand_bit / 8;
	struct part_pair w = parts_of(&split->w), h = parts_of(&split->h), d = parts_of(&split->d);
	tiling->in_w = (uint32_t)d.size[0];
	tiling->in_h = (uint32_t)h.size[0];
	tiling->in_c = 1;
	tiling->map_byte = d.size[0] * h.size[0] * operand_byte;
	tiling->map_aligned_byte = align_up(d.size[0], 4) * align_up(h.size[0], machine->mla_rows) * operand_byte;
	tiling->all_map_byte = sum_parts(&d) * sum_parts(&h) * operand_byte;
	tiling->all_map_aligned_byte = sum_aligned(&d, 4) * sum_aligned(&h, machine->mla_rows) * operand_byte;
	tiling->filter_byte = align_up(w.size[0], machine->mla_cols) * align_up(d.size[0], 4) * operand_byte;
	tiling->all_filter_byte = sum_aligned(&w, machine->mla_cols) * sum_aligned(&d, 4) * operand_byte;
	tiling->result_byte =
	    align_up(w.size[0], machine->mla_cols) * align_up(h.size[0], machine->mla_rows) * RESULT_BYTE;

	struct mla_matmul_task task = {(uint32_t)d.size[0], (uint32_t)h.size[0], (uint32_t)w.size[0]};
	mla_matmul_cost(machine, &task, 1, context->operand_bit, &tiling->task);
	double n_round = (double)(ceil_div(w.size[0], machine->mla_cols) * ceil_div(h.size[0], machine->mla_rows));
	double n_all_round = (double)(sum_blocks(&w, machine->mla_cols) * sum_blocks(&h, machine->mla_rows));
	struct mla_cost cost = tiling->task;
	for (int i = 0; i < 2; i++) {
		double n = (double)d.n[i], frac = n_all_round / n_round * n;
		if (i > 0 && d.n[i]) {
			task.a_w = (uint32_t)d.size[i];
			mla_matmul_cost(machine, &task, 1, context->operand_bit, &cost);
		}
		add_words(&cost, frac, frac, tiling);
	}
}

void tiling_build(const struct layer_context *context, const struct split *split, struct tiling *tiling)
{
	const struct block *block = context->block;
	uint64_t operand_byte = context->operand_bit / 8;
	*tiling = (struct tiling){
	    .n_w = dim_n_part(&split->w),
	    .n_h = dim_n_part(&split->h),
	    .n_c = dim_n_part(&split->c),
	    .n_d = dim_n_part(&split->d),
	    .out_w = split->w.size_a,
	    .out_h = split->h.size_a,
	    .out_c = split->c.size_a,
	};
	tiling->n_map = (uint64_t)tiling->n_w * tiling->n_h;
	tiling->n_task = tiling->n_map * tiling->n_c * tiling->n_d;

	struct part_pair w = parts_of(&split->w), h = parts_of(&split->h), c = parts_of(&split->c);
	uint64_t pool_area = (uint64_t)block->pool * block->pool;
	uint64_t n_pixel = w.size[0] * h.size[0] * c.size[0];
	tiling->n_out_pixel = sum_parts(&w) * sum_parts(&h) * sum_parts(&c);
	tiling->out_byte = align_up(ceil_div(n_pixel, pool_area) * operand_byte, LINE_BYTE);
	tiling->all_out_byte = sum_line_byte(&w, &h, &c, pool_area, operand_byte);
	tiling->raw_out_byte = align_up(w.size[0], WORD_ALIGN) * h.size[0] * c.size[0] * RESULT_BYTE;
	tiling->all_raw_out_byte = sum_aligned(&w, WORD_ALIGN) * sum_parts(&h) * sum_parts(&c) * RESULT_BYTE;
	if (block->kind == BLOCK_MATMUL)
		build_matmul(context, split, tiling);
	else
		build_map(context, split, tiling);
	assert(tiling->n_task > 0 && tiling->in_w > 0 && tiling->in_h > 0);
}

/* n tasks that cost this; their rounds are round_frac of one's. */
static void add_clk(const struct machine *machine, const struct mla_cost *cost, double n, double round_frac,
                    struct task_clk *sum)
{
	double fixed_clk = machine->mla_init_clk;
	assert(cost->clk >= fixed_clk && cost->shared_clk >= cost->clk);
	sum->clk += fixed_clk * n + (cost->clk - fixed_clk) * round_frac;
	sum->shared_clk += fixed_clk * n + (cost->shared_clk - fixed_clk) * round_frac;
}

/* Tasks of other widths, filters or input channels have rounds of other lengths; a lower one has fewer. */
static void sum_conv_clk(const struct layer_context *context, const struct split *split, const struct tiling *tiling,
                         struct task_clk *sum)
{
	struct part_pair w = parts_of(&split->w), h = parts_of(&split->h), c = parts_of(&split->c),
			 d = parts_of(&split->d);
	struct part_pair in_w = stored_parts(context->block, &w, false), in_h = stored_parts(context->block, &h, true);
	struct part_pair computed_h = computed_parts(&in_h, context->block->kernel_h);
	double high_frac = (double)sum_parts(&computed_h) / (double)computed_h.size[0];
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++)
			for (int k = 0; k < 2; k++) {
				double n = (double)(w.n[i] * c.n[j] * d.n[k]);
				struct mla_conv_task task = {(uint32_t)in_w.size[i], tiling->in_h, (uint32_t)d.size[k],
				                             (uint32_t)c.size[j]};
				struct mla_cost cost;
				if (n == 0)
					continue;
				mla_conv_cost(context->machine, &context->round, &task, context->operand_bit, &cost);
				add_clk(context->machine, &cost, n * tiling->n_h, n * high_frac, sum);
			}
}

static void sum_matmul_clk(const struct layer_context *context, const struct split *split, const struct tiling *tiling,
                           struct task_clk *sum)
{
	const struct machine *machine = context->machine;
	struct part_pair w = parts_of(&split->w), h = parts_of(&split->h), d = parts_of(&split->d);
	double n_all_round = (double)(sum_blocks(&w, machine->mla_cols) * sum_blocks(&h, machine->mla_rows));
	double n_round = (double)(ceil_div(w.size[0], machine->mla_cols) * ceil_div(h.size[0], machine->mla_rows));
	for (int i = 0; i < 2; i++) {
		double n = (double)d.n[i];
		struct mla_matmul_task task = {(uint32_t)d.size[i], tiling->in_h, tiling->out_w};
		struct mla_cost cost;
		if (n == 0)
			continue;
		mla_matmul_cost(machine, &task, 1, context->operand_bit, &cost);
		add_clk(machine, &cost, n * (double)tiling->n_map, n * n_all_round / n_round, sum);
	}
}

struct task_clk tiling_all_task_clk(const struct layer_context *context, const struct split *split,
                                    const struct tiling *tiling)
{
	struct task_clk sum = {0, 0};
	assert(context->block->kind != BLOCK_POOL);
	if (context->block->kind == BLOCK_CONV)
		sum_conv_clk(context, split, tiling, &sum);
	else
		sum_matmul_clk(context, split, tiling, &sum);
	return sum;
}

struct counts tiling_mla_counts(const struct layer_context *context, const struct tiling *tiling)
{
	return (struct counts){
	    .mac = (double)block_n_mac(context->block),
	    .mla_clk = tiling->all_mac_clk,
	    .sram_read_word = tiling->all_a_word + tiling->all_b_word,
	    .sram_write_word = tiling->all_out_word,
	    .noc_packet = 2.0 * tiling->all_a_word * 4 / context->machine->noc_packet_byte,
	};
}
