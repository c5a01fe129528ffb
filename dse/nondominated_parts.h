/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_NONDOMINATED_PARTS_H
#define DSE_NONDOMINATED_PARTS_H
/* What the files of nondominated.h share; for nobody else. */
#include <stddef.h>

struct stair_node;

/* Uninitialised nodes for n points; NULL when memory is out; the caller frees them. */
struct stair_node *nondominated_nodes(size_t n);

/* The same for sets that are small enough for rows of bits. */
struct nondominated_bits *nondominated_bits(size_t n);

#endif
