/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_OPERATION_H
#define MAPPER_OPERATION_H
/* The operations that layers are decomposed into, by the thesis' names (section 4.1) and ours. */
#include "mapper/network/arm_kind.h"

/* Characters of the name of a block or operation, the end included. */
#define BLOCK_NAME_SIZE 24

/* An operation by name, as reports, split schemes and reference tables call it. */
enum operation_kind {
	OPERATION_PADD,
	OPERATION_CONV,
	OPERATION_CONV_SC,
	OPERATION_MAT_ELE,
	OPERATION_ACTI,
	OPERATION_QUAN,
	OPERATION_POOL,
	OPERATION_MATMUL,
	OPERATION_FC,
	OPERATION_FCE,
	OPERATION_MUL,
	OPERATION_FUNC,
	OPERATION_SOFTMAX,
	OPERATION_NORM,
	N_OPERATION_KIND
};
extern const char *const operation_kind_name[N_OPERATION_KIND];

/* What the core operation of a block with this work of the ARM cores is called. */
enum operation_kind arm_operation(enum arm_kind kind);

/* The most operations one block can have. */
#define BLOCK_MAX_OPERATION 8

struct operation {
	enum operation_kind kind;
	char name[BLOCK_NAME_SIZE]; /* "PADD_5"; "PADD_SC_5" for the padding of a shortcut convolution */
};

#endif
