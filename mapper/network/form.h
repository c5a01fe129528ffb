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
 */
#include "mapper/network/network.h"

enum conv_form {
	FORM_CONV,   /* rows as they are, each from the array's first column on */
	FORM_PACKED, /* a convolution of one row of all pixels of the part */
	FORM_MATMUL, /* a matrix multiplication: filters times pixels; A in the own SRAM, a packet at a time */
	N_CONV_FORM
};
extern const char *const conv_form_name[N_CONV_FORM]; /* "conv", "packed", "matmul" */

/* Whether a block can be put to the array in other forms: a convolution of 1x1 without padding and groups. */
bool block_has_forms(const struct block *block);

#endif
