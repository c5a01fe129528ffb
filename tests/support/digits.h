/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_DIGITS_H
#define TESTS_DIGITS_H
/*
 * A labelled set of images by chance: digits 0 to 9 of 28 x 28 pixels, drawn from a font of 5 x 7, moved, stretched,
 * slanted and noisy. Image i of a seed is the same whoever draws it.
 */
#include "sim/base/rng.h"
#include <math.h>
#include <stdint.h>

#define DIGITS_SIDE 28
#define DIGITS_PIXEL (DIGITS_SIDE * DIGITS_SIDE)

/* Rows of a digit, five bits each, the left one highest. */
static const uint8_t digits_font[10][7] = {
    {14, 17, 19, 21, 25, 17, 14}, {4, 12, 4, 4, 4, 4, 14},    {14, 17, 1, 2, 4, 8, 31},   {31, 2, 4, 2, 1, 17, 14},
    {2, 6, 10, 18, 31, 2, 2},     {31, 16, 30, 1, 1, 17, 14}, {6, 8, 16, 30, 17, 17, 14}, {31, 1, 2, 4, 8, 8, 8},
    {14, 17, 17, 14, 17, 17, 14}, {14, 17, 17, 15, 1, 2, 12},
};

/* Ink of a digit at a place of its font, between dots smoothly. */
static inline double digits_ink(unsigned digit, double x, double y)
{
	double ink = 0;
	for (int row = 0; row < 7; row++)
		for (int column = 0; column < 5; column++) {
			double dx = fabs(x - column), dy = fabs(y - row);
			if ((digits_font[digit][row] >> (4 - column) & 1) && dx < 1 && dy < 1)
				ink += (1 - dx) * (1 - dy);
		}
	return ink < 1 ? ink : 1;
}

/* Draw image i; returns what it shows. */
static inline unsigned digits_draw(uint64_t seed, uint32_t i, float pixel[DIGITS_PIXEL])
{
	struct rng rng = rng_stream(seed, 0x64000000u, i);
	unsigned digit = rng_below(&rng, 10);
	double scale_x = 2.8 + 1.2 * rng_unit(&rng), scale_y = 2.5 + 0.8 * rng_unit(&rng);
	double middle_x = 12.5 + 3 * rng_unit(&rng), middle_y = 12.5 + 3 * rng_unit(&rng),
	       slant = 0.5 * rng_unit(&rng) - 0.25;
	for (int y = 0; y < DIGITS_SIDE; y++)
		for (int x = 0; x < DIGITS_SIDE; x++) {
			double font_y = (y - middle_y) / scale_y + 3;
			double font_x = (x - middle_x) / scale_x + 2 + slant * (font_y - 3);
			double noise = rng_unit(&rng) + rng_unit(&rng) + rng_unit(&rng) - 1.5;
			pixel[y * DIGITS_SIDE + x] = (float)(digits_ink(digit, font_x, font_y) + 0.3 * noise);
		}
	return digit;
}

#endif
