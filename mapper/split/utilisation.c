/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/split/utilisation.h"
#include "sim/base/checked.h"
#include <stdio.h>
#include <string.h>

/* Operands are fetched in words of 16 bytes, matrix A and rows of B in groups of 4, results written 4 words at a time.
 */
#define OPERAND_ALIGN 16u
#define GROUP_ALIGN 4u
#define RESULT_BYTE 4u

static uint64_t product(uint64_t a, uint64_t b, uint64_t c)
{
	return mul_sat(mul_sat(a, b), c);
}

/*
 * Equation 2.5. The array always moves by one pixel: of a layer with a larger
 * stride it computes, and needs room for, every output that the stored part
 * has at stride 1; only the strided ones are valid.
 */
static struct task_byte conv_byte(const struct block *block, const struct machine *machine, bool is_tight, uint32_t w,
                                  uint32_t h, uint32_t c, uint32_t d)
{
	uint64_t in_w = is_tight ? split_tight_in_w(block, w) : split_part_in_w(block, w);
	uint64_t in_h = is_tight ? split_tight_in_h(block, h) : split_part_in_h(block, h);
	uint64_t taps = product(block->kernel_w, block->kernel_h, d);
	uint64_t n_row = split_part_row(block, c, machine->mla_rows) * machine->mla_rows;
	uint64_t in_c = (uint64_t)d * split_part_group(block, c);
	uint64_t computed_w, computed_h;
	/* A part narrower than the kernel cannot be: split_in_extent is at least the kernel. */
	assert(in_w >= block_reach_w(block) && in_h >= block_reach_h(block));
	computed_w = in_w - block_reach_w(block) + 1;
	computed_h = in_h - block_reach_h(block) + 1;
	return (struct task_byte){
	    .ifmap_valid = product(in_w, in_h, in_c),
	    .ifmap_aligned = product(align_up(in_w, OPERAND_ALIGN), in_h, in_c),
	    .weight_valid = mul_sat(taps, c),
	    .weight_aligned = align_up(mul_sat(taps, n_row), OPERAND_ALIGN),
	    .ofmap_valid = mul_sat(product(w, h, c), RESULT_BYTE),
	    .ofmap_aligned = mul_sat(product(align_up(computed_w, GROUP_ALIGN), computed_h, c), RESULT_BYTE),
	};
}

/* Pooling runs on the ARM core: nothing is aligned, and data stay 8 bit. */
static struct task_byte pool_byte(const struct block *block, uint32_t w, uint32_t h, uint32_t c)
{
	struct task_byte byte = {0};
	byte.ifmap_valid = product(split_part_in_w(block, w), split_part_in_h(block, h), c);
	if (block->operand == OPERAND_MAP)
		byte.ifmap_valid = mul_sat(byte.ifmap_valid, 2);
	else if (block->operand == OPERAND_CHANNEL)
		byte.ifmap_valid = add_sat(byte.ifmap_valid, c);
	byte.ifmap_aligned = byte.ifmap_valid;
	byte.ofmap_valid = product(w, h, c);
	byte.ofmap_aligned = byte.ofmap_valid;
	return byte;
}

/* Equation 2.6. */
static struct task_byte matmul_byte(const struct machine *machine, uint32_t w, uint32_t h, uint32_t d)
{
	uint64_t rows = align_up(h, machine->mla_rows), columns = align_up(w, OPERAND_ALIGN);
	uint64_t depth = align_up(d, GROUP_ALIGN);
	return (struct task_byte){
	    .ifmap_valid = mul_sat(d, h),
	    .ifmap_aligned = mul_sat(depth, rows),
	    .weight_valid = mul_sat(w, d),
	    .weight_aligned = mul_sat(columns, depth),
	    .ofmap_valid = product(w, h, RESULT_BYTE),
	    .ofmap_aligned = product(columns, rows, RESULT_BYTE),
	};
}

struct task_byte task_byte_of(const struct block *block, const struct machine *machine, uint32_t w, uint32_t h,
                              uint32_t c, uint32_t d)
{
	assert(w > 0 && h > 0 && c > 0 && d > 0 && machine->mla_rows > 0);
	switch (block->kind) {
	case BLOCK_MATMUL:
		return matmul_byte(machine, w, h, d);
	case BLOCK_POOL:
		return pool_byte(block, w, h, c);
	case BLOCK_CONV:
		break;
	}
	return conv_byte(block, machine, false, w, h, c, d);
}

/*
 * Equation 5.3, which prints rows and columns the wrong way round: the width
 * fills the array's columns, channels (of a matrix: rows of A) its rows. With a
 * stride see mapper/split/utilisation.h.
 */
static double mac_utilisation(const struct block *block, const struct machine *machine, bool is_tight, uint32_t w,
                              uint32_t h, uint32_t c)
{
	uint32_t row = block->kind == BLOCK_MATMUL ? h : c;
	uint64_t stride = block->kind == BLOCK_CONV ? block->stride : 1;
	if (block->kind == BLOCK_POOL)
		return 0;
	if (is_tight) {
		uint64_t computed_w = split_tight_in_w(block, w) - block_reach_w(block) + 1,
			 computed_h = split_tight_in_h(block, h) - block_reach_h(block) + 1,
			 n_row = split_part_row(block, c, machine->mla_rows) * machine->mla_rows;
		return (double)w * h * c /
		       ((double)align_up(computed_w, machine->mla_cols) * (double)computed_h * (double)n_row);
	}
	return (double)w * row /
	       ((double)stride * (double)align_up(stride * w, machine->mla_cols) *
	        ((double)split_part_row(block, row, machine->mla_rows) * machine->mla_rows));
}

static const char *class_prefix(const struct block *block)
{
	switch (block->kind) {
	case BLOCK_MATMUL:
		return "FC";
	case BLOCK_POOL:
		return "POOLSU";
	case BLOCK_CONV:
		break;
	}
	return block->is_shortcut ? "CONV_SCSU" : "CONVSU";
}

/* One dimension's larger parts (0) or smaller parts (1). */
static uint32_t size_of(const struct dim_split *dim, unsigned smaller)
{
	return smaller ? dim->size_b : dim->size_a;
}

static uint32_t count_of(const struct dim_split *dim, unsigned smaller)
{
	return smaller ? dim->n_b : dim->n_a;
}

/* The tasks of w x h x c of the result (BLOCK_MATMUL: h rows of A) from d input channels or rows of B. */
static struct utilisation use_of_task(const struct block *block, const struct machine *machine, bool is_tight,
                                      uint32_t w, uint32_t h, uint32_t c, uint32_t d)
{
	const struct task_byte byte =
	    is_tight ? conv_byte(block, machine, true, w, h, c, d) : task_byte_of(block, machine, w, h, c, d);
	return (struct utilisation){
	    .ifmap_aligned_byte = byte.ifmap_aligned,
	    .ifmap_valid_byte = byte.ifmap_valid,
	    .weight_aligned_byte = byte.weight_aligned,
	    .weight_valid_byte = byte.weight_valid,
	    .ofmap_aligned_byte = byte.ofmap_aligned,
	    .ofmap_valid_byte = byte.ofmap_valid,
	    .mac_utilisation = mac_utilisation(block, machine, is_tight, w, h, c),
	    .sram_utilisation =
		(double)(byte.ifmap_valid + byte.weight_valid + byte.ofmap_valid) / (double)machine->pe_sram_byte,
	};
}

size_t utilisation_of_split(const struct block *block, const struct split *split, const struct machine *machine,
                            struct utilisation *out, size_t max)
{
	return utilisation_of_form(block, split, FORM_CONV, machine, out, max);
}

size_t utilisation_of_form(const struct block *block, const struct split *split, enum conv_form form,
                           const struct machine *machine, struct utilisation *out, size_t max)
{
	static const char class_name[UTILISATION_MAX_CLASS][4] = {"TL", "TLS", "TR", "TRS", "BL", "BLS", "BR", "BRS"};
	bool matmul = block->kind == BLOCK_MATMUL, is_tight = form == FORM_TIGHT && block_skips_pixels(block);
	/* B is w columns by d rows; a feature map part w by h. What else has two sizes: rows of A, channels. */
	const struct dim_split *vertical = matmul ? &split->d : &split->h, *third = matmul ? &split->h : &split->c;
	uint64_t n_other = mul_sat(dim_n_part(matmul ? &split->c : &split->d), block_batch(block));
	size_t n = 0;
	assert(out || max == 0);
	for (unsigned i = 0; i < UTILISATION_MAX_CLASS; i++) {
		unsigned low = i / 4, right = i / 2 % 2, thin = i % 2;
		uint32_t w = size_of(&split->w, right), v = size_of(vertical, low), t = size_of(third, thin);
		uint64_t pieces = product(count_of(&split->w, right), count_of(vertical, low), count_of(third, thin));
		if (pieces == 0 || n++ >= max)
			continue;
		struct utilisation *row = &out[n - 1];
		*row = matmul ? use_of_task(block, machine, false, w, t, split->c.size_a, v)
		              : use_of_task(block, machine, is_tight, w, v, t, split->d.size_a);
		row->pieces = mul_sat(pieces, n_other);
		memcpy(row->class_name, class_name[i], sizeof(row->class_name));
		snprintf(row->name, sizeof(row->name), "%s%s_%u", class_prefix(block), row->class_name, block->number);
	}
	assert(n >= 1 && n <= UTILISATION_MAX_CLASS);
	return n;
}
