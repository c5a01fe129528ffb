/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/report/report_figure.h"
#include "dse/base/memory.h"
#include "dse/keep/output_file.h"
#include "dse/out/png.h"
#include "dse/out/svg.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool has_points(const struct report_data *data)
{
	return data->run.front.n_point > 0;
}

static bool has_details(const struct report_data *data)
{
	return has_points(data) && !data->without;
}

static bool has_progress(const struct report_data *data)
{
	const struct doc_node *points = report_run_node(&data->run, "progress.points");
	return points && points->kind == DOC_LIST && points->n > 0;
}

static void draw_next(FILE *file, const struct report_data *data)
{
	sensitivity_draw(file, &data->sensitivity);
}

static bool has_next(const struct report_data *data)
{
	return data->sensitivity.n_design > 0;
}

const struct report_figure report_figure[] = {
    {"front", "the Pareto front in its first two objectives", has_points, report_draw_front},
    {"parallel", "parallel coordinates of objectives, metrics and knobs", has_points, report_draw_parallel},
    {"rooflines", "layers under the roofs of DRAM, NoC and SRAM", has_details, report_draw_rooflines},
    {"phases", "clocks of each layer by phase", has_details, report_draw_phases},
    {"energy", "energy of each layer by part", has_points, report_draw_energy},
    {"power", "power over the time of the schedule", has_points, report_draw_power},
    {"utilisation", "how busy each layer keeps the MAC units, and how much SRAM it takes", has_details,
     report_draw_utilisation},
    {"sensitivity", "what one parameter at its next value does, mapped anew", has_next, draw_next},
    {"progress", "hypervolume of the front while the search ran", has_progress, report_draw_progress},
};
const size_t report_n_figure = sizeof(report_figure) / sizeof(report_figure[0]);

double report_draw_key(FILE *file, double x, double y, size_t colour, const char *text)
{
	(void)fprintf(file,
	              "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"%s\" fill-opacity=\"%s\"/>\n", x,
	              y - 10, svg_colour[colour % SVG_N_COLOUR], colour < SVG_N_COLOUR ? "1" : "0.45");
	svg_text(file, x + 18, y, "text-anchor=\"start\"", text);
	return x + 32 + 7.0 * (double)strlen(text);
}

void report_column_name(const struct report_column *column, char *text, size_t n_byte)
{
	bool has_unit = *column->unit && strcmp(column->unit, "frac") != 0;
	(void)snprintf(text, n_byte, "%s%s%s", column->label, has_unit ? " / " : "", has_unit ? column->unit : "");
}

void report_draw_title(FILE *file, const struct report_data *data, const char *what, bool of_point)
{
	const struct kept_front *front = &data->run.front;
	char text[512];
	int n = snprintf(text, sizeof(text), "%s: %s", report_run_text(&data->run, "space"), what);
	assert(n > 0);
	if (of_point && (size_t)n < sizeof(text))
		n += snprintf(text + n, sizeof(text) - (size_t)n, "; point %zu%s", data->chosen,
		              data->chosen == data->knee ? ", the knee" : "");
	for (size_t k = 0; of_point && k < front->n_objective && (size_t)n < sizeof(text); k++) {
		const struct report_column *column = &data->column[k];
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s %.5g%s%s", k == 0 ? ": " : ", ", column->label,
		              column->of[data->chosen], strcmp(column->unit, "frac") != 0 && *column->unit ? " " : "",
		              strcmp(column->unit, "frac") != 0 ? column->unit : "");
	}
	svg_text(file, 20, 24, "text-anchor=\"start\" font-weight=\"bold\" font-size=\"14\"", text);
}

/* name: without its ending. *makes_png: whether a PNG is wanted; false from where on none can be made. */
static enum err_code write_figure(const char *dir, const char *name, const struct report_figure *figure,
                                  const struct report_data *data, bool *makes_png, struct err *err)
{
	struct output_file file = {0};
	size_t n_byte = strlen(dir) + strlen(name) + sizeof("/.svg");
	char *svg = memory_array(n_byte, 1), *png = memory_array(n_byte, 1);
	(void)snprintf(svg, n_byte, "%s/%s.svg", dir, name);
	(void)snprintf(png, n_byte, "%s/%s.png", dir, name);
	enum err_code code = output_file_open(&file, svg, err);
	if (code == ERR_OK) {
		figure->draw(file.file, data);
		code = output_file_commit(&file, err);
	}
	if (code == ERR_OK && *makes_png)
		code = png_from_svg(svg, png, makes_png, err);
	free(svg);
	free(png);
	return code;
}

enum err_code report_figures_write(const char *dir, const struct report_data *data, size_t n, bool *has_png,
                                   struct err *err)
{
	enum err_code code = output_file_make_dir(dir, err);
	char name[96];
	*has_png = true;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < report_n_figure && code == ERR_OK; k++) {
			if (!report_figure[k].serves(&data[i]))
				continue;
			if (n > 1)
				(void)snprintf(name, sizeof(name), "%zu-%s", i + 1, report_figure[k].name);
			else
				(void)snprintf(name, sizeof(name), "%s", report_figure[k].name);
			code = write_figure(dir, name, &report_figure[k], &data[i], has_png, err);
		}
	return code;
}
