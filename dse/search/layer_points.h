/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LAYER_POINTS_H
#define DSE_LAYER_POINTS_H
/* The layers' fronts of a machine candidate: as CSV rows (points.csv), and what was nearest where a front is empty. */
#include "dse/search/explore.h"
#include <stdio.h>

/* Header, then a row for each point of each layer's front; errors stay in the stream. */
void layer_points_write_header(FILE *file, const struct space *space);
void layer_points_write(FILE *file, const struct candidate *candidate);

/*
 * What kept a candidate without a design: the layer without any, or the network
 * or sum of networks over its limits, and by how much. false when none of them
 * is to blame.
 */
bool layer_points_miss(const struct candidate *candidate, struct explore_miss *miss);

#endif
