/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Energies of tasks, measured beside predicted, as the DVFS paper's figure 3: for each task and operating point a bar
 * of what was measured and one of what the fit predicts, the supplies above each other, over all repeats of the task.
 */
#include "dse/fit/fit.h"
#include "dse/base/memory.h"
#include "dse/out/svg.h"
#include "dse/out/svg_axis.h"
#include "dse/out/xml.h"
#include "sim/base/unit.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* In SVG units (pixels). */
enum { LEFT = 80, RIGHT = 30, TOP = 56, PLOT = 300, BOTTOM = 130, BAR = 22, TASK = 70 };

#define MJ_PER_NJ (MJ_PER_PJ * PJ_PER_NJ)

enum { MEASURED, PREDICTED, N_BAR };
static const char *const bar_name[N_BAR] = {"measured", "predicted"};

static const struct {
	enum fit_quantity quantity;
	const char *name;
} supply[] = {{QUANTITY_ENERGY, "all supplies"},
              {QUANTITY_ENERGY_PE, "PE"},
              {QUANTITY_ENERGY_SRAM, "SRAM"},
              {QUANTITY_ENERGY_NOC, "NoC"},
              {QUANTITY_ENERGY_DRAM, "DRAM"}};
#define N_SUPPLY (sizeof(supply) / sizeof(supply[0]))

/* A task that the MLA does: its energies over all repeats; those that were not measured are 0. */
struct task_bars {
	const struct fit_row *row; /* NULL: it has none */
	double nj[N_BAR][N_SUPPLY];
};

/* Where supplies are measured by themselves, the measured sum of all is not drawn beside them. */
static void finish_bars(struct task_bars *task)
{
	double parts = 0;
	for (size_t s = 1; s < N_SUPPLY; s++)
		parts += task->nj[MEASURED][s];
	if (parts > 0)
		task->nj[MEASURED][0] = task->nj[PREDICTED][0] = 0;
}

/* [data->n_row], by rows; the caller's to free. */
static struct task_bars *collect(const struct fit_data *data, const struct fit_result *result)
{
	struct task_bars *task = memory_array(data->n_row, sizeof(*task));
	for (size_t i = 0; i < data->n_row; i++)
		task[i] = (struct task_bars){0};
	for (size_t g = 0; g < result->n_group; g++)
		for (size_t i = 0; result->group[g].kind == FIT_ENERGY && i < result->group[g].n_point; i++) {
			const struct fit_point *point = &data->point[result->group[g].point[i]];
			const struct fit_row *row = &data->row[point->row];
			if (row->kind != ROW_CONV && row->kind != ROW_MATMUL)
				continue;
			task[point->row].row = row;
			for (size_t s = 0; s < N_SUPPLY; s++) {
				if (supply[s].quantity != point->quantity)
					continue;
				task[point->row].nj[MEASURED][s] = point->measured * row->repeat;
				task[point->row].nj[PREDICTED][s] = point->predicted * row->repeat;
			}
		}
	for (size_t i = 0; i < data->n_row; i++)
		finish_bars(&task[i]);
	return task;
}

static double sum_of(const struct task_bars *task, int bar)
{
	double sum = 0;
	for (size_t s = 0; s < N_SUPPLY; s++)
		sum += task->nj[bar][s];
	return sum;
}

static double error_of(const struct task_bars *task)
{
	double measured = sum_of(task, MEASURED);
	return measured > 0 ? 100 * (sum_of(task, PREDICTED) / measured - 1) : NAN;
}

struct fit_energy_errors fit_energy_errors(const struct fit_data *data, const struct fit_result *result)
{
	struct fit_energy_errors errors = {0};
	struct task_bars *task = collect(data, result);
	for (size_t i = 0; i < data->n_row; i++) {
		double pct = task[i].row ? fabs(error_of(&task[i])) : NAN;
		if (isnan(pct))
			continue;
		errors.n++;
		errors.mean_abs_pct += pct;
		errors.max_abs_pct = fmax(errors.max_abs_pct, pct);
	}
	errors.mean_abs_pct /= errors.n > 0 ? (double)errors.n : 1;
	free(task);
	return errors;
}

static void draw_bar(FILE *file, const struct fit_data *data, const struct task_bars *task, int bar, double x,
                     const struct svg_axis *mj)
{
	double from = 0;
	for (size_t s = 0; s < N_SUPPLY; s++) {
		double to = from + task->nj[bar][s] * MJ_PER_NJ, y = svg_axis_place(mj, to);
		if (!(to > from))
			continue;
		(void)fprintf(file,
		              "<rect x=\"%.1f\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" fill=\"%s\" "
		              "fill-opacity=\"%s\" stroke=\"white\" stroke-width=\"0.5\"><title>",
		              x, y, BAR, svg_axis_place(mj, from) - y, svg_colour[s], bar == MEASURED ? "1" : "0.55");
		xml_put_text(file, task->row->name);
		(void)fprintf(file, ", %s, %s, %s: %.9g mJ</title></rect>\n",
		              data->machine.level[task->row->level].name, bar_name[bar], supply[s].name,
		              task->nj[bar][s] * MJ_PER_NJ);
		from = to;
	}
}

static void draw_task(FILE *file, const struct fit_data *data, const struct task_bars *task, double x,
                      const struct svg_axis *mj)
{
	char text[128], attributes[96];
	double top = fmax(sum_of(task, MEASURED), sum_of(task, PREDICTED)) * MJ_PER_NJ;
	for (int bar = 0; bar < N_BAR; bar++)
		draw_bar(file, data, task, bar, x + bar * (BAR + 2), mj);
	(void)snprintf(text, sizeof(text), "%+.1f %%", error_of(task));
	svg_text(file, x + BAR + 1, svg_axis_place(mj, top) - 6, "text-anchor=\"middle\" font-size=\"10\"", text);
	(void)snprintf(text, sizeof(text), "%.40s, %s", task->row->name, data->machine.level[task->row->level].name);
	(void)snprintf(attributes, sizeof(attributes), "text-anchor=\"end\" transform=\"rotate(-40 %.1f %d)\"", x + BAR,
	               TOP + PLOT + 14);
	svg_text(file, x + BAR, TOP + PLOT + 14, attributes, text);
}

void fit_draw_energies(FILE *file, const struct fit_data *data, const struct fit_result *result)
{
	assert(file && data && result);
	struct task_bars *task = collect(data, result);
	double most_mj = 0, place = 0;
	int n = 0;
	for (size_t i = 0; i < data->n_row; i++) {
		n += task[i].row != NULL;
		for (int bar = 0; bar < N_BAR; bar++)
			most_mj = fmax(most_mj, sum_of(&task[i], bar) * MJ_PER_NJ);
	}
	const int width = LEFT + RIGHT + TASK * (n > 7 ? n : 7);
	struct svg_axis mj = {.begin = TOP + PLOT, .end = TOP};
	svg_axis_fit(&mj, 0, fmax(most_mj * 1.05, 1e-9));
	svg_begin(file, width, TOP + PLOT + BOTTOM);
	svg_axis_ticks(
	    file, &mj,
	    &(struct svg_ticks){.from = LEFT, .to = width - RIGHT, .stroke = "stroke=\"#dddddd\"", .base = LEFT});
	svg_text(file, LEFT - 62, TOP - 10, "text-anchor=\"start\"",
	         n > 0 ? "energy of all repeats / mJ; left measured, right predicted"
	               : "no task's energy was measured");
	for (size_t s = 0, k = 0; s < N_SUPPLY; s++) {
		bool is_there = false;
		for (size_t i = 0; i < data->n_row; i++)
			is_there |= task[i].nj[MEASURED][s] > 0 || task[i].nj[PREDICTED][s] > 0;
		if (is_there)
			svg_legend_box(file, LEFT + 110.0 * (double)k++, svg_colour[s], supply[s].name);
	}
	for (size_t i = 0; i < data->n_row; i++)
		if (task[i].row)
			draw_task(file, data, &task[i], LEFT + 12 + TASK * place++, &mj);
	svg_end(file);
	free(task);
}
