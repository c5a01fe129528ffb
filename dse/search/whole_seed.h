/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_WHOLE_SEED_H
#define DSE_WHOLE_SEED_H
/*
 * Greedy designs of whole networks, to begin a flat search with. Metrics of
 * layers add up, so a design with the least weighted sum has in each layer the
 * choice with the least: the best that the heuristics propose for a layer, and
 * from there a walk downhill. Different weights give designs along the front's
 * convex part.
 */
#include "dse/layer/layers.h"

/*
 * Write n designs on the set's machine, row i at genome + i * stride, N_LAYER_GENE genes for each block; GENE_PLACE is
 * 1 where the result is to stay in storage QPEs (dse/search/whole.h), which every other row asks for. Evaluates up to
 * 256 designs of each distinct layer, fewer for few rows, and up to 64 more for each two rows. Returns n, or 0 when
 * memory is out. *was_stopped becomes true when an evaluation was stopped: the designs are no good then.
 */
size_t whole_seed(const struct layer_set *set, size_t n, uint32_t *genome, size_t stride, bool *was_stopped);

#endif
