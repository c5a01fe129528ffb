/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_PLACE_H
#define MAPPER_PLACE_H
/*
 * Where the double QPE blocks of a chip are (thesis section 4.4, figure 4.16):
 * each has a storage QPE, a DRAM interface and its computing QPEs, and is made
 * of cells (the thesis' QPE blocks), inside which filters rotate and round whose
 * ring they go from block to block:
 *
 *     0 0 1 1 1 1      digits: block of a computing QPE       cell ring:  0 1 2
 *     0 0 1 1 1 1      a..d: storage QPEs of blocks 0..3                  7   3
 *     0 0 b d 3 3      6x6 mesh, 4 storage QPEs                           6 5 4
 *     0 0 a c 3 3
 *     2 2 2 2 3 3
 *     2 2 2 2 3 3
 *
 * Any other machine: storage QPEs in the middle of the mesh, computing QPEs
 * dealt to the nearest block in equal numbers, one cell a block. QPEs that
 * cannot be dealt evenly, and those beyond the mesh, take no part.
 */
#include "sim/base/arena.h"
#include "sim/machine/mesh.h"

#define PLACE_NONE UINT32_MAX

struct place {
	struct mesh mesh;
	bool is_thesis;              /* the mesh drawn above, for which the thesis gives lists and chains */
	uint32_t n_block, n_qpe;     /* blocks; computing QPEs of a block */
	uint32_t n_cell, n_cell_qpe; /* cells of all blocks; QPEs of a cell */
	uint32_t *storage_qpe;       /* [n_block] storage QPE; PLACE_NONE */
	uint32_t *dram;              /* [n_block] interface that loads the block's ifmap parts */
	uint32_t *ring;              /* [n_block] blocks in the order of the ring */
	uint32_t *qpe;               /* [n_block][n_qpe] nearest to the storage QPE first */
	uint32_t *cell;      /* [n_cell][n_cell_qpe] in ring order; the same place of two cells are neighbours */
	struct arena memory; /* that all of these lie in */
};

/*
 * Work it out for a machine that has passed machine_check; a QPE machine is one
 * block without storage. The owner is the caller: place_free. false: no memory,
 * nothing to free then. Agrees with hierarchy_derive in blocks and QPEs.
 */
bool place_build(const struct machine *machine, struct place *place);
void place_free(struct place *place);

/* The i-th computing QPE of a block, i < n_qpe. */
static inline uint32_t place_qpe(const struct place *place, uint32_t block, uint32_t i)
{
	return place->qpe[block * place->n_qpe + i];
}

/* Where a block stands in the ring. */
static inline uint32_t place_ring_of(const struct place *place, uint32_t block)
{
	uint32_t i = 0;
	while (place->ring[i] != block)
		i++;
	return i;
}

/* The block after one whose storage QPE an interface fills with what is fetched ahead: its own in turn, or where there
 * are more interfaces than blocks one. */
static inline uint32_t place_next_filled(const struct place *place, uint32_t dram, uint32_t block)
{
	for (uint32_t i = 1; i <= place->n_block; i++)
		if (place->dram[(block + i) % place->n_block] == dram)
			return (block + i) % place->n_block;
	return dram % place->n_block;
}

/* The QPE at a place r < n_cell_qpe of the i-th cell of the ring, i modulo n_cell. */
static inline uint32_t place_cell_qpe(const struct place *place, uint32_t i, uint32_t r)
{
	return place->cell[i % place->n_cell * place->n_cell_qpe + r];
}

/*
 * Thesis mesh: what is at (x, y) of block 0's quarter, as the same quarter turns
 * round the chip: a quarter turn each for blocks 1 and 2, a half turn for 3.
 */
uint32_t place_turned(const struct place *place, uint32_t block, uint32_t x, uint32_t y);

#endif
