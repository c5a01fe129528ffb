/* SPDX-License-Identifier: Apache-2.0 */
/* Who writes which results when, between two barriers of reuse on a chip (sim/fast/fast_writes.c). */
#include "mapper/distribute/distribute_parts.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"

/* Host messages of a task, a PE clock each, whatever the PE: its command, its end, the end of its result's way. */
#define TASK_MESSAGE 3

/* A dimension's parts by size, as fractions of all. */
struct fractions {
	double of[2];
};

static struct fractions fractions_of(const struct dim_split *dim)
{
	double n = dim_n_part(dim);
	return (struct fractions){{dim->n_a / n, dim->n_b / n}};
}

/* Rows of an interface or block: the first ones, which are the larger ones. */
static struct fractions row_fractions(const struct layer_context *context, const struct layer_design *design,
                                      const struct tiling *tiling, const struct chip_assignment *a)
{
	const struct hierarchy *hierarchy = &context->hierarchy;
	const struct dim_split *h = &design->split.h;
	uint64_t n_row = ceil_div(tiling->n_h, hierarchy->n_block / a->n_share);
	if (!design->out_storage)
		n_row *= hierarchy->block_per_dram;
	if (block_batch(context->block) > 1 || n_row >= dim_n_part(h))
		return fractions_of(h);
	double n_large = real_min(1, (double)h->n_a / (double)n_row);
	return (struct fractions){{n_large, 1 - n_large}};
}

/* Of the larger size, or of the smaller one over it. */
static double size_frac(const struct dim_split *dim, uint32_t is_small)
{
	return is_small ? (double)dim->size_b / dim->size_a : 1;
}

void distribute_writers(const struct layer_context *context, const struct layer_design *design,
                        const struct tiling *tiling, const struct chip_assignment *a, double n_pe, double done_frac,
                        struct compute *compute)
{
	const struct split *split = &design->split;
	struct writers *writers = &compute->writers;
	writers->n_kind = 0;
	compute->n_message = 0;
	if (tiling->is_least || context->machine->target != MACHINE_CHIP)
		return;
	compute->n_message = TASK_MESSAGE * (double)tiling->n_task * done_frac;
	/* equal tasks have a closed form */
	if (split->w.n_b == 0 && split->h.n_b == 0 && split->c.n_b == 0)
		return;
	struct fractions h = row_fractions(context, design, tiling, a), w = fractions_of(&split->w),
			 c = fractions_of(&split->c);
	double packet = (double)tiling->out_byte / context->machine->noc_packet_byte;
	writers->n_pe = real_min(compute->n_start, n_pe);
	for (uint32_t k = 0; k < WRITER_MAX_KIND; k++) {
		const struct tiling_kind kind = {k >> 2, k >> 1 & 1, k & 1, 0};
		double frac = h.of[kind.h] * w.of[kind.w] * c.of[kind.c];
		struct mla_cost cost;
		if (frac <= 0)
			continue;
		tiling_kind_cost(context, split, tiling, &kind, &cost);
		double size =
		    size_frac(&split->h, kind.h) * size_frac(&split->w, kind.w) * size_frac(&split->c, kind.c);
		writers->kind[writers->n_kind++] = (struct writer_kind){frac, cost.shared_clk, packet * size};
	}
}
