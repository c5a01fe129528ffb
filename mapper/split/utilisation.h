/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_UTILISATION_H
#define MAPPER_UTILISATION_H
/*
 * What the tasks of a split occupy: bytes with and without the alignment that
 * the MAC array asks for, and how much of the array and of the SRAM is used
 * (thesis equations 2.5, 2.6, 5.2 and 5.3; tables G.2, H.2, I.2, J.2).
 *
 * MAC utilisation: results that are kept over those that the array could compute
 * meanwhile, while it computes. For Wo x Ho outputs of C filters, of R rows and
 * K columns, at stride S (a matrix: S is 1, C its rows of A)
 *
 *     Wo C / (S ceil_K(S Wo) ceil_R(C)),    ceil_K: the next multiple of K
 *
 * which is equation 5.3 where S is 1. The array moves by one pixel: of S x S
 * outputs it computes one is kept. (Where windows overlap it leaves out the last
 * S - 1 rows and columns of a part. The tables do not: ResNet-50's CONV_1 has
 * 0.25, not 112 x 8 of 224 x 15.) What the run of a layer makes of the array over
 * all its clocks, waits included, is another quantity: mac_util_frac (sim/program/result.h).
 */
#include "mapper/network/form.h"
#include "mapper/split/split.h"
#include "sim/machine/machine.h"

/*
 * Task classes: by where the part lies (thesis figure G.1), larger or smaller width by larger or smaller height, and
 * by larger or smaller channels of the result (BLOCK_MATMUL: width and height of B's part, rows of A).
 */
#define UTILISATION_MAX_CLASS 8

struct utilisation {
	char name[BLOCK_NAME_SIZE]; /* "CONVSUTL_1", "FCBL_19": operation, class, number */
	char class_name[4];         /* "TL", "TR", "BL" or "BR"; "TLS" of the smaller channels or rows of A */
	uint64_t pieces;            /* tasks of this class */
	uint64_t ifmap_aligned_byte, ifmap_valid_byte;
	uint64_t weight_aligned_byte, weight_valid_byte;
	uint64_t ofmap_aligned_byte, ofmap_valid_byte; /* 32-bit results; pooling: 8-bit */
	double mac_utilisation;                        /* 0 to 1, as above; 0 for pooling, which uses no MACs */
	double sram_utilisation;                       /* valid bytes over the PE's SRAM */
};

/* Bytes of one task: what it reads and leaves in the PE's SRAM. */
struct task_byte {
	uint64_t ifmap_aligned, ifmap_valid, weight_aligned, weight_valid, ofmap_aligned, ofmap_valid;
};

/*
 * Bytes of a task that computes w x h x c of the ofmap from d input channels, d of each of its groups
 * (BLOCK_MATMUL: w columns of B, h rows of A, d rows of B). Only the MAC array
 * of the machine matters. Saturates at UINT64_MAX.
 */
struct task_byte task_byte_of(const struct block *block, const struct machine *machine, uint32_t w, uint32_t h,
                              uint32_t c, uint32_t d);

/*
 * The classes that a split has, TL first, of each the larger channels first: writes up to max of them to out, returns
 * how many there are (1, 2, 4 or 8). Input channels of two sizes count with the larger.
 */
size_t utilisation_of_split(const struct block *block, const struct split *split, const struct machine *machine,
                            struct utilisation *out, size_t max);

/*
 * The same in a form. Tight parts (FORM_TIGHT) hold, and the array computes, nothing behind the last output: of these
 * the MAC utilisation is that of what they compute. Packed pixels count as rows.
 */
size_t utilisation_of_form(const struct block *block, const struct split *split, enum conv_form form,
                           const struct machine *machine, struct utilisation *out, size_t max);

#endif
