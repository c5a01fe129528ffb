/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SVG_H
#define DSE_SVG_H
/* Marks of SVG pictures that all charts share. Coordinates in SVG units (pixels); attributes as they stand in a tag. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A palette that colour-blind readers can tell apart (Okabe and Ito, 2008). */
#define SVG_N_COLOUR 8
extern const char *const svg_colour[SVG_N_COLOUR];

/* The beginning of a picture on white, and its end. */
void svg_begin(FILE *file, int width, int height);
void svg_end(FILE *file);

/* A text, escaped (dse/out/xml.h), for names come from users' files. */
void svg_text(FILE *file, double x, double y, const char *attributes, const char *text);

void svg_line(FILE *file, double x1, double y1, double x2, double y2, const char *attributes);

/* A mark by its shape - circle, square, triangle, diamond, then again - filled, or the outline only. */
void svg_mark(FILE *file, double x, double y, size_t shape, const char *colour, bool is_hollow);

/* The step of a grid of about six lines over a range above 0: 1, 2 or 5 times a power of ten. */
double svg_round_step(double range);

#endif
