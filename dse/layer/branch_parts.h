/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_BRANCH_PARTS_H
#define DSE_BRANCH_PARTS_H
/*
 * Inside the branch and bound of a layer: boxes of splits and their lower
 * bounds (branch_box.c). branch.c decides which box to open next.
 */
#include "dse/bound/layer_bound.h"
#include "dse/layer/branch.h"

enum branch_dim { DIM_D = BOUND_D, DIM_W = BOUND_W, DIM_H = BOUND_H, DIM_C = BOUND_C, N_DIM = N_BOUND_DIM };

struct branch_axis {
	const struct dim_axis *axis; /* grouped */
	uint32_t extent, step;
};

/* Groups low to high - 1, choices first to last - 1: all of these groups', or some of one group's. */
struct branch_span {
	uint32_t low, high, first, last;
};

/* One strategy, operand kept and operand width: what boxes do not split. */
struct branch_root {
	uint32_t genome[N_LAYER_GENE]; /* splits are filled in */
	struct layer_design design;    /* likewise */
	const struct layer_context *context;
	bool counts_maps; /* bounds know who does what once the numbers of ifmap parts are given: reuse on a chip */
};

struct branch_box {
	struct branch_span span[N_DIM];
	uint32_t root;
	uint32_t reason; /* of the cut, when it is cut */
};

/* What all boxes of a search have in common; read by many threads. */
struct branch_space {
	const struct layer_problem *layer;
	struct branch_axis axis[N_DIM];
	uint32_t n_root, n_level;
	uint32_t n_own_level;     /* the first ones, that are no pairs by PE */
	uint32_t n_bound;         /* rows of a box's bounds: one an own level, BOUND_PAIR_CELL a pair */
	struct branch_root *root; /* [n_root] */
	bool weighs_sram;         /* SRAM is an objective: tasks' sizes count beside what they take */
};

/* Axes and roots; false when memory is out. */
bool branch_space_build(const struct layer_problem *layer, struct arena *arena, struct branch_space *space);

/* Boxes that are open at most while one of a root's is searched depth first. */
size_t branch_space_depth(const struct branch_space *space);

/*
 * The boxes that cover a root's splits, input channels whole and split apart, since partial sums are bounded otherwise.
 * Returns how many, 1 or 2.
 */
uint32_t branch_root_boxes(const struct branch_space *space, uint32_t root, struct branch_box box[2]);

/* Designs of a box, all operating points; may saturate. */
uint64_t branch_box_size(const struct branch_space *space, const struct branch_box *box);

/* The dimension to be halved; -1: one split is left. */
int branch_box_dim(const struct branch_space *space, const struct branch_box *box);

void branch_box_halve(const struct branch_space *space, const struct branch_box *box, int dim,
                      struct branch_box half[2]);

/* What a bound says of a box. */
struct branch_bound {
	bool runs;           /* else verdict says why no design of the box does */
	uint32_t over_limit; /* bit m: some operating point exceeds that on enum metric m first */
	struct verdict verdict;
	double score; /* the more promising, the less: the product of the least metrics at the first operating point */
};

/*
 * Bound a box: least [n_bound][n_metric] gets the least values of its designs, infinite at an operating point where
 * they exceed a limit or cannot be counted, and the box the reason for which it may be cut. Of a box that does not run
 * least is below all.
 */
void branch_box_bound(const struct branch_space *space, struct branch_box *box, double *least,
                      struct branch_bound *bound);

#define BRANCH_MAX_BOUND (MACHINE_MAX_LEVEL * BOUND_PAIR_CELL)

/* The level that a row of bounds is of, and the first row of a level. */
static inline uint32_t branch_row_level(const struct branch_space *space, uint32_t row)
{
	uint32_t n = space->n_own_level;
	return row < n ? row : n + (row - n) / BOUND_PAIR_CELL;
}
static inline uint32_t branch_level_row(const struct branch_space *space, uint32_t level)
{
	uint32_t n = space->n_own_level;
	return level < n ? level : n + (level - n) * BOUND_PAIR_CELL;
}

/* Genome of the box's first design at operating point l, which comes before all others of it there. */
void branch_box_genome(const struct branch_space *space, const struct branch_box *box, uint32_t level,
                       uint32_t genome[N_LAYER_GENE]);

#endif
