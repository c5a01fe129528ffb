/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ROOFLINE_REPORT_H
#define DSE_ROOFLINE_REPORT_H
/* Rooflines for people and programs: tables, CSV, JSON and a picture, for n rooflines. */
#include "dse/roofline/roofline.h"
#include <stdio.h>

/* A table each, its roofs above it; brief: the line above only. */
void roofline_print(FILE *file, const struct roofline *roofline, size_t n, bool brief);

/* A row for each layer. */
void roofline_write_csv(FILE *file, const struct roofline *roofline, size_t n);
void roofline_write_json(FILE *file, const struct roofline *roofline, size_t n);

/* SVG, a panel each, all with the same logarithmic axes. */
void roofline_draw(FILE *file, const struct roofline *roofline, size_t n);

/* Operations over bytes of all layers, how many are memory bound, and how fast all are together, where all run. */
struct roofline_sum {
	double n_op, byte, intensity;
	size_t n_memory_bound, n_reached;
	double reached_gops; /* NAN where a layer does not run */
};
struct roofline_sum roofline_sum(const struct roofline *roofline);

#endif
