/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_FORM_H
#define MAPPER_FORM_H
/*
 * How a 1x1 convolution runs on the MAC array. The array's columns take 16 pixels
 * of a row, so rows of 7 pixels leave 9 columns idle. A 1x1 kernel needs no
 * neighbours: all pixels of a part may form one long row in each channel:
 *
 *   conv      ...0123456---------   packed   ...0123456789012345   one row of
 *             ...7890123---------            ...67890123--------   h*w pixels
 *
 * Channel by channel, as maps lie in memory anyway, that is a matrix of pixels
 * (columns) by input channels (rows): operand B of a matrix multiplication whose
 * operand A are the filters. Nothing is transposed.
 *
 * The array moves by one pixel, so it computes what a stride skips, and the thesis' parts hold it: of a kernel below
 * its stride they have even the pixels behind the last output, of which a tight part has none (stride 2, 1x1):
 *
 *   conv      0-1-2-   tight   0-1-2
 *             ------           -----
 *             3-4-5-           3-4-5
 *             ------
 */
#include "mapper/network/network.h"

enum conv_form {
	FORM_CONV,   /* rows as they are, each from the array's first column on */
	FORM_PACKED, /* a convolution of one row of all pixels of the part */
	FORM_MATMUL, /* a matrix multiplication: filters times pixels; A in the own SRAM, a packet at a time */
	FORM_TIGHT,  /* rows as they are, without the rows and columns behind the last output; of any kernel */
	N_CONV_FORM
};
extern const char *const conv_form_name[N_CONV_FORM]; /* "conv", "packed", "matmul", "tight" */

/* A bit for each form that a search chooses from unless told otherwise: all but FORM_TIGHT, which no source has. */
#define CONV_FORM_USUAL ((UINT32_C(1) << N_CONV_FORM) - 1 - (UINT32_C(1) << FORM_TIGHT))

/* Whether a block's pixels can be one row (FORM_PACKED, FORM_MATMUL): a convolution of 1x1 without padding and groups.
 */
bool block_has_forms(const struct block *block);

/* Whether FORM_TIGHT differs from FORM_CONV: a convolution whose kernel reaches less far than its stride in a direction
 * in which the padded ifmap has more than one output's pixels. */
bool block_skips_pixels(const struct block *block);

/*
 * Whether a block may have a form where these are allowed: FORM_TIGHT of a block that skips nothing is FORM_CONV, which
 * blocks without any other form that is allowed always have.
 */
bool block_allows_form(const struct block *block, const bool allowed[N_CONV_FORM], enum conv_form form);

#endif
