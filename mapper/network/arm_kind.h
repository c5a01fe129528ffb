/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_ARM_KIND_H
#define MAPPER_ARM_KIND_H
/* Kinds of work that the ARM cores do in a layer of its own; mapper/distribute/distribute_arm.c has the clocks. */

/*
 * What the ARM cores do in a block of their own. All but pooling give a number for a number: windows are one pixel.
 * Additions and products have a second operand.
 */
enum arm_kind {
	ARM_POOL, /* maximum, or average where pool_average is set */
	ARM_ADD,
	ARM_MULTIPLY, /* gates, squeeze and excite */
	ARM_FUNCTION, /* of each number alone: on 8-bit numbers a look-up in a table (sigmoid, GELU, scaling, ...) */
	ARM_SOFTMAX,  /* exponentials of a row, divided by their sum */
	ARM_NORM,     /* mean and deviation of a row taken out of its numbers (layer normalisation) */
	N_ARM_KIND
};

/* Sides of a map that work on whole rows needs in one PE: what lies together is not cut. Bits. */
enum { WHOLE_W = 1, WHOLE_H = 2, WHOLE_C = 4 };

/* What ARM_ADD and ARM_MULTIPLY read besides the ifmap. */
enum arm_operand {
	OPERAND_NONE,
	OPERAND_MAP,    /* as many numbers as the ifmap */
	OPERAND_CHANNEL /* one number a channel */
};

#endif
