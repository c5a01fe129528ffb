/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/svg.h"
#include "dse/out/xml.h"
#include <assert.h>
#include <math.h>

#define N_LINE 6

const char *const svg_colour[SVG_N_COLOUR] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                              "#e69f00", "#56b4e9", "#f0e442", "#000000"};

void svg_begin(FILE *file, int width, int height)
{
	(void)fprintf(file,
	              "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
	              "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" "
	              "fill=\"white\"/>\n",
	              width, height, width, height);
}

void svg_end(FILE *file)
{
	(void)fputs("</svg>\n", file);
}

void svg_mark(FILE *file, double x, double y, size_t shape, const char *colour, bool is_hollow)
{
	static const char *const path[] = {"m-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0", "m-3.5,-3.5h7v7h-7z",
	                                   "m0,-4.5l4.5,8h-9z", "m0,-5l5,5l-5,5l-5,-5z"};
	(void)fprintf(file, "<path d=\"M%.1f,%.1f%s\" %s=\"%s\" %s=\"0.75\"/>\n", x, y, path[shape % 4],
	              is_hollow ? "fill=\"none\" stroke" : "fill", colour,
	              is_hollow ? "stroke-opacity" : "fill-opacity");
}

void svg_text(FILE *file, double x, double y, const char *attributes, const char *text)
{
	(void)fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
	xml_put_text(file, text);
	(void)fputs("</text>\n", file);
}

void svg_line(FILE *file, double x1, double y1, double x2, double y2, const char *attributes)
{
	(void)fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, attributes);
}

double svg_round_step(double range)
{
	assert(range > 0);
	double power = pow(10, floor(log10(range / N_LINE))), factor = range / N_LINE / power;
	return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}
