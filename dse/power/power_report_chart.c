/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Power over time, one panel a schedule on common axes, as the DVFS paper's figures 4 and 5: a bar for each piece of
 * work, as wide as it takes and as high as its mean power, in the colour of its level; so its area is energy. With
 * levels by PE a bar has the colours of all of them, by the energy of the tasks there.
 */
#include "dse/power/power_report.h"
#include "dse/out/svg.h"
#include "dse/out/svg_axis.h"
#include <assert.h>
#include <math.h>

/* In SVG units (pixels). */
enum { WIDTH = 940, LEFT = 80, RIGHT = 30, TOP = 76, PANEL = 170, GAP = 92, MAX_PANEL = 3 };
/* Narrower than this a bar gets no outline, and a layer no name. */
#define LEAST_OUTLINE 3.0
#define LEAST_NAME 11.0
#define WIDE_NAME 52.0

/* A palette that colour-blind readers can tell apart (Okabe and Ito, 2008). */
static const char *const colour[POWER_MAX_LEVEL] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                    "#e69f00", "#56b4e9", "#f0e442", "#999999"};

struct power_panel {
	const char *letter;
	char name[64];
	const struct power_schedule *schedule;
	const struct power_row *row;
	size_t n_row;
	struct svg_axis ns, mw; /* time to the right, mean power upwards; the same in all panels but for their places */
};

static void fit_axes(const struct power_run *run, struct power_panel *panel, size_t n)
{
	double max_ns = isfinite(run->goal.max_ns) ? run->goal.max_ns : 0;
	double max_mw = isfinite(run->goal.max_peak_mw) ? run->goal.max_peak_mw : 0;
	struct svg_axis ns = {.begin = LEFT, .end = WIDTH - RIGHT}, mw = {0};
	assert(n > 0 && n <= MAX_PANEL);
	for (size_t i = 0; i < n; i++) {
		max_ns = fmax(max_ns, panel[i].schedule->time_ns);
		for (size_t k = 0; k < panel[i].n_row; k++)
			if (panel[i].row[k].time_ns > 0)
				max_mw = fmax(max_mw, panel[i].row[k].energy_pj / panel[i].row[k].time_ns);
	}
	svg_axis_fit(&ns, 0, max_ns);
	svg_axis_fit(&mw, 0, max_mw);
	ns.max = 1.02 * (max_ns > 0 ? max_ns : 1); /* time ends with the last piece of work, not with a step */
	for (size_t i = 0; i < n; i++) {
		panel[i].ns = ns;
		panel[i].mw = mw;
		panel[i].mw.end = TOP + (double)(i * (PANEL + GAP));
		panel[i].mw.begin = panel[i].mw.end + PANEL;
	}
}

static void draw_grid(FILE *file, const struct power_panel *panel)
{
	static const char faint[] = "stroke=\"#dddddd\"", dark[] = "stroke=\"#444444\"";
	double top = panel->mw.end, bottom = panel->mw.begin;
	svg_axis_ticks(file, &panel->mw,
	               &(struct svg_ticks){.from = LEFT, .to = WIDTH - RIGHT, .stroke = faint, .base = LEFT});
	svg_axis_ticks(
	    file, &panel->ns,
	    &(struct svg_ticks){
		.is_x = true, .from = bottom, .to = bottom + 5, .stroke = dark, .base = bottom, .scale = MS_PER_NS});
	svg_line(file, LEFT, bottom, WIDTH - RIGHT, bottom, dark);
	svg_line(file, LEFT, top, LEFT, bottom, dark);
	svg_text(file, WIDTH - RIGHT, bottom + 34, "text-anchor=\"end\"", "time / ms");
	svg_text(file, LEFT - 62, top - 10, "text-anchor=\"start\"", "mean power / mW");
}

static void put_bar(FILE *file, const struct power_panel *panel, double from_ns, double to_ns, double mw,
                    const char *fill)
{
	assert(to_ns >= from_ns && from_ns >= 0);
	double x = svg_axis_place(&panel->ns, from_ns), width = svg_axis_place(&panel->ns, to_ns) - x;
	double y = svg_axis_place(&panel->mw, mw);
	(void)fprintf(file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"%s/>\n", x, y, width,
	              panel->mw.begin - y, fill,
	              width >= LEAST_OUTLINE ? " stroke=\"white\" stroke-width=\"0.8\"" : "");
}

/* Of a piece with levels by PE: what part of its tasks' energy is at each level. */
static void share_levels(const struct pe_plan_work *work, const struct pe_plan *plan,
                         double share[POWER_MAX_LEVEL])
{
	double all = 0;
	for (uint32_t l = 0; l < POWER_MAX_LEVEL; l++)
		share[l] = 0;
	for (uint32_t g = 0; g < plan->n_group; g++) {
		const struct pe_plan_group *group = &plan->group[g];
		share[group->first] += group->n_pe * (double)group->n_first * work->task_pj[group->first];
		share[group->second] += group->n_pe * (double)group->n_second * work->task_pj[group->second];
	}
	for (uint32_t l = 0; l < POWER_MAX_LEVEL; l++)
		all += share[l];
	for (uint32_t l = 0; l < POWER_MAX_LEVEL && all > 0; l++)
		share[l] /= all;
}

/* The levels of its tasks above each other, by the dynamic energy of the tasks there. */
static void put_spread_bar(FILE *file, const struct power_run *run, const struct power_panel *panel, double from_ns,
                           double to_ns, double mw, const struct power_row *row)
{
	const struct power_mode *mode = &run->work.problem.segment[row->segment].mode[row->mode];
	double share[POWER_MAX_LEVEL], left = 1;
	share_levels(run->work.piece[row->segment].spread, mode->plan, share);
	for (uint32_t l = 0; l < POWER_MAX_LEVEL; l++) {
		if (share[l] > 0)
			put_bar(file, panel, from_ns, to_ns, mw * left, colour[l]);
		left -= share[l];
	}
}

/* A bar for each repeat where they can be told apart, else one for all. */
static void draw_row(FILE *file, const struct power_run *run, const struct power_panel *panel,
                     const struct power_row *row)
{
	const struct power_mode *mode = &run->work.problem.segment[row->segment].mode[row->mode];
	double width = (svg_axis_place(&panel->ns, row->time_ns) - LEFT) / row->n;
	uint32_t n = width >= LEAST_OUTLINE ? row->n : 1;
	double each_ns = row->time_ns / n;
	if (row->time_ns <= 0)
		return;
	for (uint32_t i = 0; i < n && mode->plan; i++)
		put_spread_bar(file, run, panel, row->start_ns + each_ns * i, row->start_ns + each_ns * (i + 1),
		               row->energy_pj / row->time_ns, row);
	for (uint32_t i = 0; i < n && !mode->plan; i++)
		put_bar(file, panel, row->start_ns + each_ns * i, row->start_ns + each_ns * (i + 1),
		        row->energy_pj / row->time_ns, colour[mode->level % POWER_MAX_LEVEL]);
}

/* The layers' names in their bars, along them where they are wide, else upright; none where they are too narrow. */
static void draw_names(FILE *file, const struct power_run *run, const struct power_panel *panel)
{
	for (size_t i = 0, end; i < panel->n_row; i = end) {
		const struct block *block = run->work.piece[panel->row[i].segment].block;
		end = i + 1;
		while (end < panel->n_row && run->work.piece[panel->row[end].segment].block == block)
			end++;
		double from = svg_axis_place(&panel->ns, panel->row[i].start_ns);
		double to = svg_axis_place(&panel->ns, panel->row[end - 1].start_ns + panel->row[end - 1].time_ns);
		double x = (from + to) / 2, y = panel->mw.begin - 8;
		char attributes[128] = "text-anchor=\"middle\" fill=\"white\" font-size=\"11\"";
		if (to - from < LEAST_NAME)
			continue;
		if (to - from < WIDE_NAME) {
			x += 4;
			(void)snprintf(attributes, sizeof(attributes),
			               "fill=\"white\" font-size=\"11\" transform=\"rotate(-90 %.1f %.1f)\"", x, y);
		}
		svg_text(file, x, y, attributes, block->name);
	}
}

/* The deadline and sleep until it; the limit on the peak. */
static void draw_budgets(FILE *file, const struct power_run *run, const struct power_panel *panel)
{
	static const char dashed[] = "stroke=\"#aa0000\" stroke-dasharray=\"6 4\" stroke-width=\"1.2\"";
	const struct power_goal *goal = &run->goal;
	char text[64];
	if (goal->sleeps && panel->schedule->idle_ns > 0)
		put_bar(file, panel, panel->schedule->time_ns, goal->max_ns,
		        panel->schedule->idle_pj / panel->schedule->idle_ns, "#bbbbbb");
	if (isfinite(goal->max_ns)) {
		double x = svg_axis_place(&panel->ns, goal->max_ns);
		svg_line(file, x, panel->mw.end - 6, x, panel->mw.begin, dashed);
		(void)snprintf(text, sizeof(text), "deadline %.5g ms", goal->max_ns * MS_PER_NS);
		svg_text(file, x - 4, panel->mw.end - 8, "text-anchor=\"end\" fill=\"#aa0000\"", text);
	}
	if (isfinite(goal->max_peak_mw)) {
		double y = svg_axis_place(&panel->mw, goal->max_peak_mw);
		svg_line(file, LEFT, y, WIDTH - RIGHT, y, dashed);
		(void)snprintf(text, sizeof(text), "peak %.5g mW", goal->max_peak_mw);
		svg_text(file, WIDTH - RIGHT, y - 4, "text-anchor=\"end\" fill=\"#aa0000\"", text);
	}
}

static void draw_panel(FILE *file, const struct power_run *run, const struct power_panel *panel)
{
	char text[200];
	const struct power_schedule *schedule = panel->schedule;
	draw_grid(file, panel);
	for (size_t i = 0; i < panel->n_row; i++)
		draw_row(file, run, panel, &panel->row[i]);
	draw_names(file, run, panel);
	draw_budgets(file, run, panel);
	(void)snprintf(text, sizeof(text), "%s  %s: %.5g ms, %.5g mJ (%.2f %% saved)", panel->letter, panel->name,
	               schedule->time_ns * MS_PER_NS, schedule->energy_pj * MJ_PER_PJ,
	               power_saving_pct(schedule, &run->alone[run->fast]));
	svg_text(file, LEFT - 62, panel->mw.end - 28, "font-weight=\"bold\"", text);
}

static void draw_legend(FILE *file, const struct power_run *run, uint32_t levels)
{
	double x = LEFT - 62;
	char text[96];
	for (uint32_t i = 0; i < run->work.problem.n_level; i++) {
		const struct operating_point *level = &run->work.machine->level[i];
		if (!(levels >> i & 1))
			continue;
		(void)snprintf(text, sizeof(text), "%s: %.4g V, %.6g MHz", level->name, level->vdd_v, level->clk_mhz);
		svg_legend_box(file, x, colour[i % POWER_MAX_LEVEL], text);
		x += 200;
	}
	if (run->goal.sleeps)
		svg_legend_box(file, x, "#bbbbbb", "asleep");
}

static void add_panel(const struct power_run *run, const char *name, const struct power_schedule *schedule,
                      struct arena *arena, struct power_panel *panel, size_t *n)
{
	static const char *const letter[MAX_PANEL] = {"A", "B", "C"};
	struct power_panel *new = &panel[*n];
	assert(*n < MAX_PANEL);
	*new = (struct power_panel){.letter = letter[*n], .schedule = schedule};
	(void)snprintf(new->name, sizeof(new->name), "%s", name);
	new->row = power_rows(&run->work.problem, schedule, arena, &new->n_row);
	(*n)++;
}

void power_draw(FILE *file, const struct power_run *run, struct arena *arena)
{
	struct power_panel panel[MAX_PANEL];
	char name[64];
	size_t n = 0;
	uint32_t levels = run->best.levels | UINT32_C(1) << run->fast | UINT32_C(1) << run->slow;
	assert(file && run->best.is_found);
	(void)snprintf(name, sizeof(name), "%s alone", run->work.machine->level[run->slow].name);
	add_panel(run, name, &run->alone[run->slow], arena, panel, &n);
	if (run->fast != run->slow) {
		(void)snprintf(name, sizeof(name), "%s alone", run->work.machine->level[run->fast].name);
		add_panel(run, name, &run->alone[run->fast], arena, panel, &n);
	}
	(void)snprintf(name, sizeof(name), "scenario %s", power_scenario_name[run->goal.scenario]);
	add_panel(run, name, &run->best, arena, panel, &n);
	fit_axes(run, panel, n);
	int height = TOP + (int)n * (PANEL + GAP) - GAP + 46;
	svg_begin(file, WIDTH, height);
	draw_legend(file, run, levels);
	for (size_t i = 0; i < n; i++)
		draw_panel(file, run, &panel[i]);
	svg_end(file);
}
