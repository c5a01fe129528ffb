/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of least energy at a fixed voltage. With
 *
 *   t(f) = c / f + d       c clocks that follow the PEs', d ns that wait for DRAM and NoC
 *   E(f) = E_dynamic + P_static t(f)
 *   dE/df = -P_static c / f^2 < 0
 *
 * energy falls with the clock as long as static power flows while there is work
 * (DVFS paper section III a): the highest clock is best. Asleep until a
 * deadline T at P_sleep, E(f) + P_sleep (T - t(f)) falls while P_static >
 * P_sleep and does not depend on f where both are equal, as they are when it
 * sleeps at the same voltage. Both are checked numerically: the whole work runs
 * at other clocks. Operations a second and watt of the same runs are the DVFS
 * paper's figure 2.
 */
#include "dse/power/power_question.h"
#include "dse/out/svg.h"
#include "dse/out/svg_axis.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Clocks that are tried, as parts of the level's. */
static const double part[] = {0.125, 0.25, 0.5, 0.75, 0.9, 1.0};
#define N_PART (sizeof(part) / sizeof(part[0]))

enum column {
	COLUMN_VDD,
	COLUMN_CLK,
	COLUMN_TIME,
	COLUMN_ENERGY,
	COLUMN_CLOSED,
	COLUMN_ERROR,
	COLUMN_SLOPE,
	COLUMN_TOPS_W,
	N_COLUMN
};

/* Operations of the work: two a multiply-accumulate. */
static double n_operation(const struct power_case *of)
{
	double n = 0;
	for (size_t i = 0; i < of->designs->n_item; i++) {
		const struct block *block = of->designs->item[i].context->block;
		n += block->kind == BLOCK_POOL ? 0 : 2.0 * (double)block_n_mac(block);
	}
	return n;
}

static enum err_code run_at(const struct power_case *of, uint32_t level, double frac, struct power_schedule *schedule,
                            struct err *err)
{
	assert(level < of->run->work.machine->n_level && frac > 0 && frac <= 1);
	struct machine machine = *of->run->work.machine;
	struct arena arena = {0};
	struct power_work work = {0};
	struct power_work_options options = *of->options;
	const struct power_goal goal = {.scenario = POWER_ENERGY,
	                                .max_ns = INFINITY,
	                                .max_pj = INFINITY,
	                                .max_peak_mw = INFINITY,
	                                .max_average_mw = INFINITY};
	machine.level[level].clk_mhz *= frac;
	options.levels = UINT32_C(1) << level;
	options.ratio = 0;
	enum err_code code = power_question_rebuild(of, &machine, &options, &arena, &work, err);
	if (code == ERR_OK)
		power_uniform(&work.problem, &goal, level, &arena, schedule);
	schedule->mode = NULL; /* the arena's, which goes */
	power_work_free(&work);
	arena_free(&arena);
	return code;
}

/* A level's rows. The closed form is fixed by the work at the lowest clock and at the highest. */
static enum err_code add_level(const struct power_case *of, uint32_t level, struct arena *arena,
                               struct power_analysis *analysis, double *best_clk_mhz, struct err *err)
{
	assert(of->run->work.problem.levels >> level & 1);
	const struct machine *machine = of->run->work.machine;
	const struct operating_point *point = &machine->level[level];
	double static_mw = of->run->work.problem.sleep_mw[level], least_pj = INFINITY;
	struct power_schedule at[N_PART];
	for (size_t i = 0; i < N_PART; i++) {
		enum err_code code = run_at(of, level, part[i], &at[i], err);
		if (code != ERR_OK)
			return code;
	}
	double low_mhz = point->clk_mhz * part[0], high_mhz = point->clk_mhz * part[N_PART - 1];
	double clk = (at[0].time_ns - at[N_PART - 1].time_ns) / (1e3 / low_mhz - 1e3 / high_mhz);
	double wait_ns = at[N_PART - 1].time_ns - clk * 1e3 / high_mhz;
	double dynamic_pj = at[N_PART - 1].energy_pj - static_mw * at[N_PART - 1].time_ns;
	for (size_t i = 0; i < N_PART; i++) {
		double clk_mhz = point->clk_mhz * part[i];
		double closed_pj = dynamic_pj + static_mw * (clk * 1e3 / clk_mhz + wait_ns);
		struct power_finding *row = power_analysis_add(analysis, arena);
		(void)snprintf(row->label, sizeof(row->label), "%s", point->name);
		row->value[COLUMN_VDD] = point->vdd_v;
		row->value[COLUMN_CLK] = clk_mhz;
		row->value[COLUMN_TIME] = at[i].time_ns * MS_PER_NS;
		row->value[COLUMN_ENERGY] = at[i].energy_pj * MJ_PER_PJ;
		row->value[COLUMN_CLOSED] = closed_pj * MJ_PER_PJ;
		if (at[i].energy_pj > 0) {
			row->value[COLUMN_TOPS_W] = n_operation(of) / at[i].energy_pj; /* 1/pJ is T/J */
			row->value[COLUMN_ERROR] = 100 * (closed_pj / at[i].energy_pj - 1);
		}
		row->value[COLUMN_SLOPE] = -static_mw * clk * 1e3 / (clk_mhz * clk_mhz) * MJ_PER_PJ;
		if (at[i].energy_pj < least_pj) {
			least_pj = at[i].energy_pj;
			*best_clk_mhz = clk_mhz;
		}
	}
	return ERR_OK;
}

enum err_code power_question_clock(const struct power_case *of, struct arena *arena, struct power_analysis *analysis,
                                   struct err *err)
{
	assert(of && arena && analysis && analysis->n_row == 0);
	static const char *const column[N_COLUMN] = {"vdd_v",     "clk_mhz",        "time_ms",    "energy_mj",
	                                             "closed_mj", "closed_err_pct", "mj_per_mhz", "tops_w"};
	const struct power_run *run = of->run;
	const struct machine *machine = run->work.machine;
	enum err_code code = ERR_OK;
	bool highest_is_best = true;
	power_analysis_set_columns(analysis, "level", column, N_COLUMN);
	for (uint32_t l = 0; l < machine->n_level && code == ERR_OK; l++) {
		double best_clk_mhz = 0;
		if (!(run->work.problem.levels >> l & 1))
			continue;
		code = add_level(of, l, arena, analysis, &best_clk_mhz, err);
		highest_is_best = highest_is_best && best_clk_mhz >= machine->level[l].clk_mhz;
	}
	power_analysis_note(
	    analysis,
	    "at each voltage energy is least at %s: E(f) = E_dynamic + P_static (c / f + d), dE/df = -P_static "
	    "c / f^2",
	    highest_is_best ? "the highest clock" : "another clock than the level's (see the rows)");
	power_analysis_note(
	    analysis,
	    "asleep until a deadline a lower clock pays only where sleeping takes more than %.6g mW at %s, the "
	    "static power",
	    run->work.problem.sleep_mw[run->slow], machine->level[run->slow].name);
	return code;
}

/* ---- picture ---- */

enum { LEFT = 70, TOP = 50, PLOT_W = 460, PLOT_H = 300, PICTURE_W = 560, PICTURE_H = 410 };

static void draw_series(FILE *file, const struct power_analysis *analysis, size_t first, size_t end, size_t k,
                        const struct svg_axis *x, const struct svg_axis *y)
{
	char attributes[64], text[96];
	const char *colour = svg_colour[(k + 1) % SVG_N_COLOUR];
	(void)snprintf(attributes, sizeof(attributes), "stroke=\"%s\" stroke-width=\"1.5\"", colour);
	for (size_t i = first; i < end; i++) {
		const double *at = analysis->row[i].value, *before = analysis->row[i > first ? i - 1 : i].value;
		double at_x = svg_axis_place(x, at[COLUMN_CLK]), at_y = svg_axis_place(y, at[COLUMN_TOPS_W]);
		if (i > first)
			svg_line(file, svg_axis_place(x, before[COLUMN_CLK]), svg_axis_place(y, before[COLUMN_TOPS_W]),
			         at_x, at_y, attributes);
		svg_mark(file, at_x, at_y, k, colour, false);
	}
	(void)snprintf(text, sizeof(text), "%s, %g V", analysis->row[first].label,
	               analysis->row[first].value[COLUMN_VDD]);
	svg_legend_box(file, LEFT + 110.0 * (double)(k % 4), colour, text);
}

void power_draw_efficiency(FILE *file, const struct power_analysis *analysis)
{
	assert(file && analysis && analysis->question == POWER_CLOCK);
	double max_mhz = 0, max_tops_w = 0;
	for (size_t i = 0; i < analysis->n_row; i++) {
		max_mhz = fmax(max_mhz, analysis->row[i].value[COLUMN_CLK]);
		max_tops_w = isnan(analysis->row[i].value[COLUMN_TOPS_W])
		                 ? max_tops_w
		                 : fmax(max_tops_w, analysis->row[i].value[COLUMN_TOPS_W]);
	}
	struct svg_axis x = {.begin = LEFT, .end = LEFT + PLOT_W, .name = "PE clock (MHz)"};
	struct svg_axis y = {.begin = TOP + PLOT_H, .end = TOP, .name = "TOPS/W"};
	svg_axis_fit(&x, 0, fmax(max_mhz, 1e-3));
	svg_axis_fit(&y, 0, fmax(max_tops_w, 1e-9));
	svg_begin(file, PICTURE_W, PICTURE_H);
	svg_axes_draw(file, &x, &y);
	for (size_t first = 0, end = 0, k = 0; first < analysis->n_row && max_tops_w > 0; first = end, k++) {
		while (end < analysis->n_row && strcmp(analysis->row[end].label, analysis->row[first].label) == 0)
			end++;
		draw_series(file, analysis, first, end, k, &x, &y);
	}
	svg_end(file);
}
