/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The splitter of thesis section 4.2. Its text gives the order of the
 * dimensions and the rules; what decides between splits that all obey them was
 * found by comparison with tables G.1, H.1, I.1 and J.1: of the splits that
 * fill the array's columns best the one with the least aligned bytes over all
 * tasks, on a chip divided by the share of a power of two of PEs it keeps busy.
 * tests/mapper/split/test_splitter.c counts how many of the tables' splits come out.
 */
#include "mapper/split/splitter.h"
#include "mapper/split/design.h"
#include "mapper/split/splitter_parts.h"
#include "mapper/split/utilisation.h"
#include "sim/base/checked.h"
#include <string.h>

/* Matrix multiplication: rows and columns of B in a task (tables G.1 to J.1). */
#define MATMUL_MAX_ROW 256u
#define MATMUL_MAX_COLUMN 256u
#define MATMUL_COLUMN_STEP 16u
#define MATMUL_ROW_STEP 4u

static struct splitter splitter_of(const struct block *block, const struct machine *machine)
{
	struct splitter splitter = {.block = block, .machine = machine, .chip = machine->target == MACHINE_CHIP};
	uint32_t n_mesh = machine->chip.mesh_w * machine->chip.mesh_h;
	if (splitter.chip && n_mesh > machine->chip.n_storage_qpe) {
		splitter.n_qpe = n_mesh - machine->chip.n_storage_qpe;
		splitter.n_pe = splitter.n_qpe * machine->qpe_n_pe;
		splitter.n_pe_of_dram = splitter.n_pe / (machine->dram_n > 0 ? machine->dram_n : 1);
	} else {
		splitter.n_qpe = 1;
		splitter.n_pe = splitter.n_pe_of_dram = machine->qpe_n_pe;
	}
	if (splitter.n_pe_of_dram == 0)
		splitter.n_pe_of_dram = 1;
	assert(splitter.n_pe > 0);
	return splitter;
}

uint64_t splitter_need_byte(const struct splitter *splitter, uint32_t w, uint32_t h, uint32_t c, uint32_t d,
                            bool migrates)
{
	struct task_byte byte = task_byte_of(splitter->block, splitter->machine, w, h, c, d);
	return add_sat(add_sat(byte.ifmap_aligned, byte.ofmap_aligned), mul_sat(byte.weight_aligned, migrates ? 2 : 1));
}

bool splitter_fits(const struct splitter *splitter, uint32_t w, uint32_t h, uint32_t c, uint32_t d, bool migrates)
{
	return splitter_need_byte(splitter, w, h, c, d, migrates) <= splitter->machine->pe_sram_byte;
}

/* ---- pooling (section 4.2.2): channels first, then the map ---- */

/* By what the mapper judges: pooling needs the same of every strategy. */
static bool pool_fits(const struct splitter *splitter, const struct split *split)
{
	struct layer_context context;
	struct layer_design design = {.split = *split, .strategy = STRATEGY_FUSION, .operand_bit = 8};
	assert(splitter->block->kind == BLOCK_POOL);
	mapper_prepare(splitter->block, splitter->machine, design.operand_bit, &context);
	return mapper_sram_byte(&context, &design) <= splitter->machine->pe_sram_byte;
}

/* Columns of the ifmap with their alignment by its rows, over all parts: what cutting the map adds shows here. */
static uint64_t pool_traffic(const struct block *block, const struct split *split)
{
	uint64_t w = align_up(split_part_in_w(block, split->w.size_a), 16) * split->w.n_a;
	uint64_t h = (uint64_t)split_part_in_h(block, split->h.size_a) * split->h.n_a;
	if (split->w.n_b > 0)
		w += align_up(split_part_in_w(block, split->w.size_b), 16) * split->w.n_b;
	if (split->h.n_b > 0)
		h += (uint64_t)split_part_in_h(block, split->h.size_b) * split->h.n_b;
	return mul_sat(w, h);
}

/* The best way to cut the map into n parts; false when none fits. */
static bool cut_pool_map(const struct splitter *splitter, uint64_t n, struct split *split)
{
	const struct block *block = splitter->block;
	uint64_t best = UINT64_MAX;
	for (uint32_t n_w = 1; n_w <= block->out_w && n_w <= n; n_w++) {
		struct split cut = *split;
		if (n % n_w != 0 || n / n_w > block->out_h || ((block->whole & WHOLE_W) && n_w > 1) ||
		    ((block->whole & WHOLE_H) && n > n_w))
			continue;
		cut.w = dim_even(block->out_w, n_w, 1);
		cut.h = dim_even(block->out_h, (uint32_t)(n / n_w), 1);
		if (!pool_fits(splitter, &cut) || pool_traffic(block, &cut) >= best)
			continue;
		best = pool_traffic(block, &cut);
		*split = cut;
	}
	return best < UINT64_MAX;
}

static bool split_pool(const struct splitter *splitter, struct split *split)
{
	const struct block *block = splitter->block;
	/* N * 128 parts on the chip; tables H.1 and J.1 do not keep to N * 4 on the QPE. */
	uint32_t step = splitter->chip ? splitter->n_pe : 1;
	uint64_t n_max = (block->whole & WHOLE_W ? 1 : (uint64_t)block->out_w) *
	                 (block->whole & WHOLE_H ? 1 : block->out_h),
		 tries = 0;
	uint32_t row_c = block_row_c(block), n_c = block->out_c / row_c;
	*split = split_whole(block);
	for (uint32_t n = splitter->n_pe; n <= n_c; n += step) {
		split->c = dim_even(block->out_c, n, row_c);
		if (pool_fits(splitter, split))
			return true;
	}
	split->c = dim_even(block->out_c, n_c, row_c);
	for (uint64_t n = 1; n <= n_max && tries < 4096; n++, tries++)
		if (n * n_c >= splitter->n_pe && n * n_c % splitter->n_pe == 0 && cut_pool_map(splitter, n, split))
			return true;
	/* No multiple of the PEs: anything that fits. */
	for (uint64_t n = 1; n < n_max; n *= 2)
		if (cut_pool_map(splitter, n, split))
			return true;
	return cut_pool_map(splitter, n_max, split);
}

/* ---- matrix multiplication (section 4.2.3, appendix B): as few columns blocks as there are PEs to feed ---- */

/* Equal parts of at most size, a multiple of step; the last is padded with zeros where extent is no multiple. */
static struct dim_split padded_parts(uint32_t extent, uint32_t size, uint32_t step)
{
	uint32_t n = (uint32_t)ceil_div(extent, size);
	uint32_t part = (uint32_t)align_up(ceil_div(extent, n), step);
	assert(size % step == 0);
	return (struct dim_split){.size_a = part, .n_a = (uint32_t)ceil_div(extent, part)};
}

static bool matmul_fits(const struct splitter *splitter, uint32_t w, uint32_t h, uint32_t d)
{
	return splitter_fits(splitter, w, h, 1, d, false);
}

/* Halve a size, keeping it a multiple of step; false when it is step already. */
static bool halve(uint32_t *size, uint32_t step)
{
	if (*size <= step)
		return false;
	*size = (uint32_t)align_up(*size / 2, step);
	return true;
}

static bool split_matmul(const struct splitter *splitter, struct split *split)
{
	const struct block *block = splitter->block;
	/* A column block a PE of the QPE, or a QPE of the chip, where one PE is enough to use its share of a DRAM. */
	uint32_t n_block = splitter->chip ? splitter->n_qpe : splitter->n_pe;
	uint32_t w = (uint32_t)align_up(ceil_div(block->out_w, n_block), MATMUL_COLUMN_STEP);
	uint32_t h = block->out_h, d = MATMUL_MAX_ROW;
	if (w > MATMUL_MAX_COLUMN)
		w = MATMUL_MAX_COLUMN;
	/* Rows of A cost nothing to cut; then columns, then rows of B. */
	while (!matmul_fits(splitter, w, h, d))
		if (!halve(&h, splitter->machine->mla_rows) && !halve(&w, MATMUL_COLUMN_STEP) &&
		    !halve(&d, MATMUL_ROW_STEP))
			return false;
	*split = split_whole(block);
	split->w = padded_parts(block->out_w, w, MATMUL_COLUMN_STEP);
	split->h = dim_even(block->out_h, (uint32_t)ceil_div(block->out_h, h), 1);
	split->d = padded_parts(block->in_w, d, MATMUL_ROW_STEP);
	return true;
}

/* ---- */

static enum err_code split_for_systolic(const struct block *block, const struct machine *machine, struct split *split,
                                        struct err *err)
{
	struct layer_context context;
	double latency_ns;
	mapper_prepare(block, machine, 8, &context);
	for (int i = 0; i < N_STRATEGY; i++)
		if (strategy_serves((enum strategy)i, machine) &&
		    splitter_systolic(&context, (enum strategy)i, 0, split, &latency_ns))
			return ERR_OK;
	return err_add(err, ERR_INFEASIBLE, "%s: not even the smallest tiles fit the buffers of %s", block->name,
	               machine->name);
}

enum err_code splitter_thesis(const struct block *block, const struct machine *machine, struct split *split,
                              struct err *err)
{
	struct split found;
	bool ok;
	if (machine->target == MACHINE_SYSTOLIC)
		return split_for_systolic(block, machine, split, err);
	struct splitter splitter = splitter_of(block, machine);
	switch (block->kind) {
	case BLOCK_POOL:
		ok = split_pool(&splitter, &found);
		break;
	case BLOCK_MATMUL:
		ok = split_matmul(&splitter, &found);
		break;
	default:
		assert(block->kind == BLOCK_CONV);
		ok = block_n_group(block) > 1 ? splitter_group(&splitter, &found) : splitter_conv(&splitter, &found);
		break;
	}
	if (!ok)
		return err_add(err, ERR_INFEASIBLE, "%s: not even the smallest task fits the %u bytes of SRAM of a PE",
		               block->name, machine->pe_sram_byte);
	assert(split_check(block, &found, NULL) == ERR_OK);
	*split = found;
	return ERR_OK;
}
