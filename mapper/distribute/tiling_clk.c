/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks of the MAC array of all tasks of a tiling together. */
#include "mapper/distribute/tiling_parts.h"

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
	const struct machine *machine = tiling_machine_of(context, tiling);
	struct part_pair w = tiling_parts_of(&split->w), h = tiling_row_parts(context->block, &split->h),
			 c = tiling_parts_of(&split->c), d = tiling_parts_of(&split->d);
	struct part_pair high = tiling_computed_parts(&h, tiling->in_h, tiling->small_in_h, context->round.reach_h);
	double high_frac = (double)tiling_sum_parts(&high) / (double)high.size[0];
	struct mla_conv_channels channels[2] = {tiling->channels};
	if (d.n_size > 1)
		mla_prepare_channels(machine, tiling_round_of(context, tiling), (uint32_t)d.size[1], &channels[1]);
	for (uint32_t i = 0; i < w.n_size; i++)
		for (uint32_t j = 0; j < c.n_size; j++)
			for (uint32_t k = 0; k < d.n_size; k++) {
				double n = (double)(w.n[i] * c.n[j] * d.n[k]);
				uint32_t n_group = split_part_group(context->block, (uint32_t)c.size[j]);
				struct mla_conv_task task = {i ? tiling->small_in_w : tiling->in_w, tiling->in_h,
				                             (uint32_t)d.size[k], (uint32_t)c.size[j] / n_group,
				                             n_group};
				struct mla_cost cost = tiling->task;
				if (i || j || k)
					mla_conv_clk(machine, tiling_round_of(context, tiling), &channels[k], &task,
					             &cost);
				add_clk(machine, &cost, n * tiling->n_h, n * high_frac, sum);
			}
}

/* As sum_conv_clk, every kind of part by itself. */
static void sum_packed_clk(const struct layer_context *context, const struct split *split, const struct tiling *tiling,
                           struct task_clk *sum)
{
	const struct machine *machine = tiling_machine_of(context, tiling);
	struct part_pair w = tiling_parts_of(&split->w), h = tiling_row_parts(context->block, &split->h),
			 c = tiling_parts_of(&split->c), d = tiling_parts_of(&split->d);
	struct mla_conv_channels channels = tiling->channels;
	for (uint32_t l = 0; l < d.n_size; l++) {
		if (l > 0)
			mla_prepare_channels(machine, tiling_round_of(context, tiling), (uint32_t)d.size[l], &channels);
		for (uint32_t i = 0; i < w.n_size * h.n_size; i++)
			for (uint32_t k = 0; k < c.n_size; k++) {
				uint32_t wide = i % w.n_size, high = i / w.n_size;
				double n = (double)(w.n[wide] * h.n[high] * c.n[k] * d.n[l]);
				const struct mla_conv_task task = {tiling_packed_pixels(w.size[wide], h.size[high]), 1,
				                                   (uint32_t)d.size[l], (uint32_t)c.size[k], 1};
				struct mla_cost cost = tiling->task;
				tiling_packed_cost(context, tiling, &channels, &task, &cost);
				add_clk(machine, &cost, n, n, sum);
			}
	}
}

static void sum_matmul_clk(const struct layer_context *context, const struct split *split, const struct tiling *tiling,
                           struct task_clk *sum)
{
	const struct machine *machine = tiling_machine_of(context, tiling);
	struct part_pair w = tiling_parts_of(&split->w), h = tiling_row_parts(context->block, &split->h),
			 d = tiling_parts_of(&split->d);
	double n_all_round =
	    (double)(tiling_sum_blocks(&w, machine->mla_cols) * tiling_sum_blocks(&h, machine->mla_rows));
	double n_round = (double)(ceil_div(w.size[0], machine->mla_cols) * ceil_div(h.size[0], machine->mla_rows));
	for (uint32_t i = 0; i < d.n_size; i++) {
		double n = (double)d.n[i];
		struct mla_matmul_task task = {(uint32_t)d.size[i], tiling->in_h, tiling->out_w};
		struct mla_cost cost = tiling->task;
		if (i)
			mla_prepared_cost(tiling_matmul_of(context, tiling), &task, &cost);
		add_clk(machine, &cost, n * (double)tiling->n_map, n * n_all_round / n_round, sum);
	}
}

struct task_clk tiling_all_task_clk(const struct layer_context *context, const struct split *split,
                                    const struct tiling *tiling)
{
	struct task_clk sum = {0, 0};
	assert(context->block->kind != BLOCK_POOL);
	if (tiling->is_least) {
		sum.clk = sum.shared_clk = tiling->least_task_clk;
		return sum;
	}
	if (context->is_packed)
		sum_packed_clk(context, split, tiling, &sum);
	else if (context->block->kind == BLOCK_CONV)
		sum_conv_clk(context, split, tiling, &sum);
	else
		sum_matmul_clk(context, split, tiling, &sum);
	return sum;
}

static void kind_conv_cost(const struct layer_context *context, const struct split *split, const struct tiling *tiling,
                           const struct tiling_kind *kind, struct mla_cost *cost)
{
	const struct machine *machine = tiling_machine_of(context, tiling);
	const struct mla_conv_round *round = tiling_round_of(context, tiling);
	uint32_t n_filter = kind->c ? split->c.size_b : split->c.size_a;
	uint32_t n_group = split_part_group(context->block, n_filter);
	struct mla_conv_task task = {kind->w ? tiling->small_in_w : tiling->in_w,
	                             kind->h ? tiling->small_in_h : tiling->in_h,
	                             kind->d ? split->d.size_b : tiling->group_c, n_filter / n_group, n_group};
	if (context->is_packed) {
		task.in_w = tiling_packed_pixels(kind->w ? split->w.size_b : split->w.size_a,
		                                 kind->h ? split->h.size_b : split->h.size_a);
		task.in_h = 1;
	}
	struct mla_conv_channels channels = tiling->channels;
	if (kind->d)
		mla_prepare_channels(machine, round, task.in_c, &channels);
	tiling_packed_cost(context, tiling, &channels, &task, cost);
	if (context->form != FORM_MATMUL)
		mla_conv_words(machine, round, &task, cost);
}

void tiling_kind_cost(const struct layer_context *context, const struct split *split, const struct tiling *tiling,
                      const struct tiling_kind *kind, struct mla_cost *cost)
{
	assert(!tiling->is_least && context->block->kind != BLOCK_POOL);
	*cost = tiling->task;
	if (!kind->h && !kind->w && !kind->c && !kind->d)
		return;
	if (context->block->kind == BLOCK_CONV) {
		kind_conv_cost(context, split, tiling, kind, cost);
		return;
	}
	struct mla_matmul_task task = {kind->d ? split->d.size_b : split->d.size_a,
	                               kind->h ? split->h.size_b : split->h.size_a,
	                               kind->w ? split->w.size_b : split->w.size_a};
	mla_matmul_cost(tiling_machine_of(context, tiling), &task, TILING_A_SHIFT, context->operand_bit, cost);
}
