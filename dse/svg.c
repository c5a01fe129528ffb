/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/svg.h"
#include <assert.h>
#include <math.h>

#define N_LINE 6

void svg_text(FILE *file, double x, double y, const char *attributes, const char *text)
{
	(void)fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
	for (; *text; text++) {
		if (*text == '<' || *text == '>' || *text == '&')
			(void)fprintf(file, "&#%d;", *text);
		else
			(void)fputc(*text, file);
	}
	(void)fputs("</text>\n", file);
}

void svg_line(FILE *file, double x1, double y1, double x2, double y2, const char *attributes)
{
	(void)fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2,
	              attributes);
}

double svg_round_step(double range)
{
	assert(range > 0);
	double power = pow(10, floor(log10(range / N_LINE))), factor = range / N_LINE / power;
	return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}
