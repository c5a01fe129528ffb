/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/scatter.h"
#include <assert.h>
#include <math.h>
#include <string.h>

struct scatter_axis scatter_fit(const double *value, size_t n, size_t stride)
{
	struct scatter_axis axis = {.least = INFINITY, .most = -INFINITY};
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(value[i * stride]))
			continue;
		axis.least = fmin(axis.least, value[i * stride]);
		axis.most = fmax(axis.most, value[i * stride]);
	}
	axis.is_log = axis.least > 0.0 && axis.most >= SCATTER_LOG_FROM * axis.least;
	return axis;
}

void scatter_init(struct scatter *scatter, unsigned n_column, unsigned n_row, struct scatter_axis x,
                  struct scatter_axis y)
{
	assert(n_column >= 1 && n_column <= SCATTER_MAX_COLUMN && n_row >= 1 && n_row <= SCATTER_MAX_ROW);
	*scatter = (struct scatter){.n_column = n_column, .n_row = n_row, .x = x, .y = y};
}

/* The dot of a value among n; an axis of one value has it in the middle. */
static bool find_dot(const struct scatter_axis *axis, double value, unsigned n, unsigned *dot)
{
	if (!(value >= axis->least && value <= axis->most))
		return false;
	double at = 0.5;
	if (axis->is_log)
		at = log(value / axis->least) / log(axis->most / axis->least);
	else if (axis->most > axis->least)
		at = (value - axis->least) / (axis->most - axis->least);
	*dot = (unsigned)lround(at * (n - 1));
	return *dot < n;
}

bool scatter_find(const struct scatter *scatter, double x, double y, unsigned *column, unsigned *row, uint8_t *dot)
{
	/* dots of a pattern are numbered down its left column, down its right one, and then along its last row */
	static const uint8_t bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
	unsigned right, up;
	assert(scatter->n_column >= 1 && scatter->n_row >= 1);
	if (!find_dot(&scatter->x, x, 2 * scatter->n_column, &right) ||
	    !find_dot(&scatter->y, y, 4 * scatter->n_row, &up))
		return false;
	unsigned down = 4 * scatter->n_row - 1 - up;
	*column = right / 2;
	*row = down / 4;
	*dot = bit[down % 4][right % 2];
	return true;
}

void scatter_add(struct scatter *scatter, double x, double y)
{
	unsigned column, row;
	uint8_t dot;
	if (scatter_find(scatter, x, y, &column, &row, &dot))
		scatter->dots[row][column] |= dot;
}

void scatter_letter(uint8_t dots, char text[4])
{
	unsigned letter = 0x2800U + dots;
	text[0] = (char)(0xe0U | letter >> 12);
	text[1] = (char)(0x80U | (letter >> 6 & 0x3fU));
	text[2] = (char)(0x80U | (letter & 0x3fU));
	text[3] = '\0';
}
