/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_SPLIT_REPORT_H
#define MAPPER_SPLIT_REPORT_H
/*
 * What a split means for every operation of a block, ARM operations included, in the columns of the thesis' split
 * schemes (tables G.1, H.1, I.1 and J.1): parts of ifmap, kernel and ofmap, padding, and how many pieces there are.
 */
#include "mapper/network/form.h"
#include "mapper/split/split.h"

enum split_column {
	SPLIT_IFMAP_W,
	SPLIT_IFMAP_H,
	SPLIT_IFMAP_C,
	SPLIT_KERNEL_W,
	SPLIT_KERNEL_H,
	SPLIT_KERNEL_IN_C,
	SPLIT_KERNEL_OUT_C,
	SPLIT_STRIDE,
	SPLIT_PAD,
	SPLIT_OVERLAP,
	SPLIT_OFMAP_W,
	SPLIT_OFMAP_H,
	SPLIT_OFMAP_C,
	SPLIT_PIECES,
	N_SPLIT_COLUMN
};
/* Names of the columns in CSV files: "ifmap_w", ..., "pad_left_right_top_bottom", "overlap", ..., "pieces". */
extern const char *const split_column_name[N_SPLIT_COLUMN];

#define SPLIT_CELL_SIZE 96

/* One operation; cells that do not apply are empty. */
struct split_row {
	struct operation operation;
	char cell[N_SPLIT_COLUMN][SPLIT_CELL_SIZE];
};

/*
 * The rows of a block's operations in order of execution; writes up to max of them to out, returns how many there are.
 * Parts are size*count; what padding makes of the first and last one stands by itself ("22*1+23*3+22*6+21*1"). FCE is
 * left out where B's rows are uncut. Of the form only tight parts (FORM_TIGHT) have other rows: packed ones as if not.
 */
size_t split_report(const struct block *block, const struct split *split, enum conv_form form, struct split_row *out,
                    size_t max);

#endif
