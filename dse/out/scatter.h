/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SCATTER_H
#define DSE_SCATTER_H
/*
 * A scatter of letters: each cell of a grid is a braille pattern of 2 x 4 dots
 * (Unicode, block 2800-28FF), so that a terminal of 80 columns shows a front
 * 160 dots wide. x grows to the right, y upwards; row 0 is on top.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCATTER_MAX_COLUMN 128
#define SCATTER_MAX_ROW 32

/* What an axis spans; logarithmic where all values are above 0 and the largest is SCATTER_LOG_FROM times the least. */
struct scatter_axis {
	double least, most;
	bool is_log;
};
#define SCATTER_LOG_FROM 20.0

struct scatter {
	unsigned n_column, n_row; /* 1..SCATTER_MAX_COLUMN, 1..SCATTER_MAX_ROW */
	struct scatter_axis x, y;
	uint8_t dots[SCATTER_MAX_ROW][SCATTER_MAX_COLUMN]; /* bit i: dot i of the pattern; letter U+2800 + dots */
};

/* The axis of value[0], value[stride], ...: n of them; those that are not finite do not count. */
struct scatter_axis scatter_fit(const double *value, size_t n, size_t stride);

/* An empty grid. */
void scatter_init(struct scatter *scatter, unsigned n_column, unsigned n_row, struct scatter_axis x,
                  struct scatter_axis y);

/* The cell of a point and the bit of its dot; false where it lies outside or is not finite. */
bool scatter_find(const struct scatter *scatter, double x, double y, unsigned *column, unsigned *row, uint8_t *dot);

/* Draw a point; nothing happens outside. */
void scatter_add(struct scatter *scatter, double x, double y);

/* A cell's letter: three bytes of UTF-8, and a 0. */
void scatter_letter(uint8_t dots, char text[4]);

#endif
