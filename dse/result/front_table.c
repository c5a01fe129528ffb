/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/result/front_table.h"
#include "dse/base/memory.h"
#include "dse/design/plan_print.h"
#include "dse/design/story.h"
#include "dse/design/uncertain.h"
#include "dse/layer/design_text.h"
#include "dse/out/legend.h"
#include "dse/out/table.h"
#include "dse/out/terminal.h"
#include "dse/out/words.h"
#include "dse/pareto/quality.h"
#include "dse/pareto/shortlist.h"
#include "dse/result/certificate.h"
#include "dse/search/history_print.h"
#include "dse/space/left_out.h"
#include "dse/space/space_goals.h"
#include "sim/base/checked.h"
#include "sim/program/mixed.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Metrics that are shown beside the objectives. */
static const enum metric shown[] = {METRIC_LATENCY, METRIC_ENERGY, METRIC_DRAM, METRIC_PEAK_POWER, METRIC_MAC_UNITS};
#define N_SHOWN (sizeof(shown) / sizeof(shown[0]))

/* Beside the latency stands how far it may be off. */
static void add_metric_column(struct table *table, enum metric metric)
{
	table_add_column(table, metric_table[metric].name, true);
	if (metric == METRIC_LATENCY)
		table_add_column(table, UNCERTAIN_COLUMN, true);
}

/* Objectives, then what tells machines apart, then the metrics people ask for next. */
static void add_columns(struct table *table, const struct space *space)
{
	table_add_column(table, "id", true);
	for (size_t i = 0; i < space->n_objective; i++)
		add_metric_column(table, space->objective[i]);
	if (space->wants_tops_w)
		table_add_column(table, "tops_w", true);
	if (space->wants_tops_mm2)
		table_add_column(table, "tops_mm2", true);
	if (space->n_machine > 1)
		table_add_column(table, "machine", false);
	for (size_t i = 0; i < space->n_axis; i++)
		table_add_column(table, space->axis[i].param->key, true);
	for (size_t i = 0; i < N_SHOWN; i++)
		if (!space_has_objective(space, shown[i]))
			add_metric_column(table, shown[i]);
	table_add_columns(table, "layers by level|");
}

/* What is said of a point: "least latency_ms", "knee", "depends": not verified. */
struct remark {
	char text[128];
	enum colour colour;
	bool is_least[SPACE_MAX_OBJECTIVE];
};

static void add_remark(struct remark *remark, const char *before, const char *what, enum colour colour)
{
	size_t n = strlen(remark->text);
	(void)snprintf(remark->text + n, sizeof(remark->text) - n, "%s%s%s", n > 0 ? ", " : "", before, what);
	remark->colour = colour != COLOUR_NONE ? colour : remark->colour;
}

static void find_remark(const struct front_run *run, size_t i, size_t knee, struct remark *remark)
{
	const struct pareto *front = &run->explore->front;
	const struct space *space = run->space;
	*remark = (struct remark){.colour = COLOUR_NONE};
	assert(front->n_objective <= SPACE_MAX_OBJECTIVE);
	for (unsigned k = 0; k < front->n_objective && front->n > 1; k++) {
		remark->is_least[k] = shortlist_least(front, k) == i;
		if (remark->is_least[k])
			add_remark(remark, "least ", metric_table[space->objective[k]].name, COLOUR_BEST);
	}
	if (i == knee && front->n > 1)
		add_remark(remark, "", "knee", COLOUR_KNEE);
	if (run->price && run->price->is_priced && run->price->n_like[i] > 1) {
		char text[32];
		(void)snprintf(text, sizeof(text), "%u like it", (unsigned)run->price->n_like[i]);
		add_remark(remark, "", text, COLOUR_NONE);
	}
	if (run->price && run->price->is_priced && run->price->is_shared[i])
		add_remark(remark, "", front_file_place(run->price, i), COLOUR_WARNING);
	if (run->verify && !run->verify->point[i].certain)
		add_remark(remark, "", front_file_verdict(&run->verify->point[i]), COLOUR_WARNING);
}

static void add_metric(struct table *table, const struct unrolled *point, enum metric metric, bool is_least)
{
	table_add_most(table, point->metric[metric]);
	if (is_least)
		table_colour(table, COLOUR_BEST);
	if (metric == METRIC_LATENCY)
		uncertain_add_cell(table, &point->uncertain);
}

/* The same order as add_columns. */
static void add_row(struct table *table, const struct front_run *run, size_t id, const struct unrolled *point,
                    const struct remark *remark)
{
	char text[128];
	const struct space *space = run->space;
	table_add(table, "%zu", id);
	table_colour(table, remark->colour == COLOUR_BEST ? COLOUR_NONE : remark->colour);
	for (size_t i = 0; i < space->n_objective; i++)
		add_metric(table, point, space->objective[i], remark->is_least[i]);
	if (space->wants_tops_w)
		table_add_real(table, unroll_tops_w(space, point));
	if (space->wants_tops_mm2)
		table_add_real(table, unroll_tops_mm2(space, point));
	if (space->n_machine > 1)
		table_add(table, "%s", point->machine->name);
	for (size_t i = 0; i < space->n_axis; i++) {
		(void)machine_print_param(point->machine, space->axis[i].param, text, sizeof(text));
		table_add(table, "%s", text);
	}
	for (size_t i = 0; i < N_SHOWN; i++)
		if (!space_has_objective(space, shown[i]))
			add_metric(table, point, shown[i], false);
	front_file_print_levels(point, text, sizeof(text));
	table_add_row(table, "%s|%s", text, remark->text);
	table_colour(table, remark->colour);
}

/* Layers whose plans by PE are told; a replay tells those of all. */
#define MAX_PLAN 8

/* What the PEs of the knee's layers do that run at two operating points at once. */
static void print_plans(FILE *file, const struct front_run *run, size_t id, const struct unrolled *knee)
{
	bool is_first = false;
	size_t n = 0;
	for (size_t i = 0; i < knee->n_layer && mixed_has_pairs(knee->machine); i++) {
		const struct layer_design *design = &knee->layer[i]->design;
		if (!mixed_is(&knee->machine->level[design->level]))
			continue;
		if (n++ == 0)
			(void)fprintf(file,
			              "levels by PE of design %zu, PEs x tasks between two barriers; loads and "
			              "ARM work at the faster one:\n",
			              id);
		if (n <= MAX_PLAN)
			plan_print(file, knee->machine, run->explore->map.block[i], design, &is_first);
	}
	if (n > MAX_PLAN)
		(void)fprintf(file, "and %zu layers more: dse simulate --point FRONT.json:%zu\n", n - MAX_PLAN, id);
}

/* What latencies of the table are of; the knee's operating points, as each row has its own beside it. */
static void print_story(FILE *file, const struct front_run *run, const struct unrolled *knee)
{
	struct story story = {.machine = knee->machine,
	                      .detail = run->space->detail,
	                      .mapping = "searched, each design its own (operating points: the knee's)",
	                      .has_overhead = !space_has_objective(run->space, METRIC_LATENCY)};
	for (size_t i = 0; i < knee->n_layer; i++)
		story.levels |= UINT32_C(1) << knee->layer[i]->design.level;
	if (space_has_objective(run->space, METRIC_LATENCY) || space_has_objective(run->space, METRIC_RUN_TIME))
		story_print(file, 0, &story);
}

/* What stands beside a latency, as people ask it first. */
static void print_meaning(FILE *file, const struct table *table)
{
	struct words_fold fold;
	for (size_t i = 0; i < table->n_column; i++) {
		if (table->room[i] != TABLE_SHOWN || strcmp(table->name[i], UNCERTAIN_COLUMN) != 0)
			continue;
		(void)fprintf(words_fold_begin(&fold, file), "%s: %s\n", UNCERTAIN_COLUMN,
		              legend_find(UNCERTAIN_COLUMN));
		words_fold_end(&fold);
	}
}

void front_table_print(FILE *file, const struct front_run *run)
{
	const struct pareto *front = &run->explore->front;
	size_t chosen[SHORTLIST_MAX], knee;
	struct table table = {0};
	struct unrolled point;
	assert(front->n > 0);
	size_t n = shortlist_choose(front, SHORTLIST_MAX, chosen, &knee);
	memory_check(unrolled_init(&run->explore->map, &point, NULL) == ERR_OK);
	add_columns(&table, run->space);
	for (size_t i = 0; i < n; i++) {
		struct remark remark;
		unroll_point(run->unroller, chosen[i], &point);
		find_remark(run, chosen[i], knee, &remark);
		add_row(&table, run, chosen[i], &point, &remark);
	}
	const char *so_far = run->explore->interrupted || run->explore->truncated ? " so far" : "";
	const char *tier = detail_name[run->space->detail];
	if (n < front->n)
		(void)fprintf(
		    file,
		    "Pareto front%s, %s tier: %zu designs; %zu of them, the extreme ones and the knee among these:\n\n",
		    so_far, tier, front->n, n);
	else
		(void)fprintf(file, "Pareto front%s, %s tier: %zu design%s\n\n", so_far, tier, front->n,
		              front->n == 1 ? "" : "s");
	table_leave_empty(&table);
	size_t n_first = 1 + run->space->n_objective + run->space->wants_tops_w + run->space->wants_tops_mm2 +
	                 (space_has_objective(run->space, METRIC_LATENCY) ? 1 : 0);
	unsigned n_char, n_line;
	if (terminal_size(file, &n_char, &n_line))
		table_fit(&table, n_char, n_first, n_first + (run->space->n_machine > 1) + run->space->n_axis);
	table_print(&table, file, 0);
	table_print_left_out(&table, file, "front.csv");
	print_meaning(file, &table);
	struct energy_trust trust;
	unroll_point(run->unroller, knee, &point);
	unroll_trust(run->unroller, &point, &trust);
	char begin[64];
	(void)snprintf(begin, sizeof(begin), "design %zu%s: ", knee, front->n > 1 ? ", the knee" : "");
	energy_trust_print(file, begin, &trust);
	print_story(file, run, &point);
	print_plans(file, run, knee, &point);
	if (run->verify && run->verify->n_certain < run->verify->n_point)
		(void)fprintf(file, "depends: on the front in the tier that searched; the event tier has another point "
		                    "that beats it\n");
	for (size_t i = 0; i < run->unroller->n_design; i++) {
		const struct unrolled_design *design = &run->unroller->design[i];
		if (uncertain_print_far(file, 0, unroller_machine(run->unroller, design->machine_index),
		                        1u << design->design.level))
			break;
	}
	table_free(&table);
	unrolled_free(&point);
}

/* Reasons of layers, limits of whole designs, refused machines: one table, as all answer "why not?". */
static void print_reasons(FILE *file, const struct explore_counts *counts, int indent)
{
	struct table table = {0};
	char count[TABLE_COUNT_SIZE];
	table_add_columns(&table, "infeasible by|>designs|meaning");
	for (uint32_t i = 0; i < LAYER_N_REASON; i++) {
		uint64_t n = add_sat(counts->by_reason[i], counts->cut_by_reason[i]);
		if (n == 0 || i == LAYER_REASON_BOUND)
			continue;
		table_add(&table, "%s", design_reason_name(i));
		table_colour(&table, COLOUR_BAD);
		table_print_count(n, count);
		table_add_row(&table, "%s|%s", count, design_reason_help(i));
	}
	for (uint32_t i = 0; i < N_METRIC; i++) {
		if (counts->by_limit[i] == 0)
			continue;
		table_add(&table, "%s", metric_table[i].name);
		table_colour(&table, COLOUR_BAD);
		table_print_count(counts->by_limit[i], count);
		table_add_row(&table, "%s|whole designs or machines over the limit", count);
	}
	for (size_t i = 0; i < counts->n_rejection; i++) {
		table_add(&table, "machine");
		table_colour(&table, COLOUR_BAD);
		table_print_count(counts->rejection[i].n, count);
		table_add_row(&table, "%s|%s", count, counts->rejection[i].why);
	}
	if (table.n_cell > 0)
		table_print(&table, file, indent);
	table_free(&table);
}

static void put_count(FILE *file, const char *what, uint64_t value)
{
	char text[TABLE_COUNT_SIZE];
	table_print_count(value, text);
	size_t width = words_width(file, WORDS_WIDTH);
	int room = width < 63 && width > 40 ? (int)width - 37 : 26; /* a line of 63 columns where there are as many */
	(void)fprintf(file, "  %-34s %*s%s\n", what, room, text, value == UINT64_MAX ? " or more" : "");
}

/* Where all candidates of a list went. */
static void print_enumerated(FILE *file, const struct explore_counts *counts)
{
	uint64_t n_bounded = counts->by_reason[LAYER_REASON_BOUND];
	put_count(file, "  skipped by cuts", counts->engine.n_skipped);
	put_count(file, "  rejected by bounds", n_bounded);
	put_count(file, "  evaluated", counts->engine.n_told - n_bounded);
	put_count(file, "    feasible", counts->engine.n_feasible);
	put_count(file, "    infeasible", counts->engine.n_infeasible - n_bounded);
}

/* Where all legal designs went; the lines add up. */
static void print_branched(FILE *file, const struct explore_counts *counts)
{
	uint64_t n_bounded = counts->cut_by_reason[LAYER_REASON_BOUND];
	uint64_t n_infeasible = explore_count_cut_infeasible(counts);
	put_count(file, "  cut by bounds", n_bounded);
	put_count(file, "  cut as infeasible", n_infeasible);
	if (counts->n_cut_with_machine > 0)
		put_count(file, "  cut with their machines", counts->n_cut_with_machine);
	if (counts->n_shared > 0)
		put_count(file, "  known from searches alike", counts->n_shared);
	if (counts->n_unreached > 0)
		put_count(file, "  in places that nothing leads to", counts->n_unreached);
	put_count(file, "  evaluated", counts->engine.n_told);
	put_count(file, "    feasible", counts->engine.n_feasible);
	put_count(file, "    infeasible", counts->engine.n_infeasible);
	put_count(file, "boxes of splits looked at", counts->n_box);
}

static void print_certificate(FILE *file, const struct front_run *run)
{
	struct words_fold fold;
	char text[CERTIFICATE_TEXT_SIZE];
	certificate_text_short(run, text, sizeof(text));
	(void)fprintf(words_fold_begin(&fold, file), "  certificate: %s\n", text);
	words_fold_end(&fold);
}

/* Counts add up: skipped, bounded and evaluated are the candidates; feasible and infeasible the evaluated. */
void front_table_print_counts(FILE *file, const struct front_run *run)
{
	const struct explore_counts *counts = &run->explore->counts;
	assert(file && run->options->engine);
	(void)fprintf(file, "Counts\n");
	put_count(file, "machines", counts->n_machine);
	if (counts->n_machine_rejected > 0)
		put_count(file, "  refused by constraints or checks", counts->n_machine_rejected);
	if (counts->n_machine_dead > 0)
		put_count(file, "  without a design", counts->n_machine_dead);
	if (counts->n_machine_cut > 0)
		put_count(file, "  cut whole by bounds", counts->n_machine_cut);
	put_count(file, "layers", counts->n_layer);
	put_count(file, "  distinct", counts->n_distinct);
	put_count(file, "legal designs of distinct layers", counts->n_legal);
	if (counts->n_candidate < counts->n_legal)
		put_count(file, "listed by rules and engine", counts->n_candidate);
	if (certificate_is_branched(run))
		print_branched(file, counts);
	else
		print_enumerated(file, counts);
	if (counts->engine.n_duplicate > 0)
		put_count(file, "  duplicates", counts->engine.n_duplicate);
	put_count(file, "points composed", counts->n_composed);
	if (isfinite(counts->log10_design))
		(void)fprintf(file, "  designs of whole networks: 10^%.1f\n", counts->log10_design);
	if (run->has_quality)
		(void)fprintf(file, "  hypervolume: %.3f %% of the box up to 1.1 x nadir; knee: point %zu\n",
		              100.0 * run->quality.hypervolume_frac, run->quality.knee);
	print_certificate(file, run);
	left_out_tell(file, run->space);
	history_print(file, run->explore, run->options->engine->is_random);
	if (run->explore->interrupted)
		colour_print(file, COLOUR_WARNING, "  interrupted: the front is of what was seen\n");
	if (run->explore->truncated)
		colour_print(file, COLOUR_WARNING,
		             "  stopped at its limit of evaluations or time: the front is of what was seen\n");
	for (size_t i = 0; i < run->explore->n_failure && i < EXPLORE_MAX_FAILURE; i++)
		colour_print(file, COLOUR_BAD, "  failed: %s%s%s\n", run->explore->failure[i].machine,
		             run->explore->failure[i].machine[0] ? ": " : "", run->explore->failure[i].why);
	if (run->explore->n_failure > 0)
		(void)fprintf(file, "  the front is of what did not fail\n");
	(void)fprintf(file, "  seconds %.1f, signature %s\n", run->explore->seconds, run->signature);
	print_reasons(file, counts, 2);
}

/* Ids of the points that another one beats in the event tier; a few stand for many. */
static void print_depending(FILE *file, const struct verify *verify)
{
	size_t n_listed = 0, n = verify->n_point - verify->n_certain;
	for (size_t i = 0; i < verify->n_point && n_listed < SHORTLIST_MAX; i++)
		if (!verify->point[i].certain)
			(void)fprintf(file, "%s %zu", n_listed++ ? "," : "", i);
	(void)fprintf(file, "%s\n", n > n_listed ? ", ..." : "");
}

void front_table_print_verify(FILE *file, const struct front_run *run)
{
	const struct verify *verify = run->verify;
	const struct layer_map *map = &run->explore->map;
	assert(file && verify && verify->n_design > 0);
	const struct unrolled_design *worst = &verify->design[verify->clk.worst];
	(void)fprintf(file, "Verified in the event tier: %zu layer designs in %.1f s%s\n", verify->n_design,
	              verify->seconds,
	              verify->audited ? ", each again with every event simulated: the same results" : "");
	(void)fprintf(file, "  clocks of layers: mean gap %.2f %%, largest %.2f %% (%s, design %zu)\n",
	              100.0 * verify->clk.mean_frac, 100.0 * verify->clk.max_frac,
	              map->block[map->first[worst->distinct]]->name, verify->clk.worst);
	for (size_t i = 0; i < run->space->n_objective; i++) {
		const struct verify_gap *gap = &verify->objective[i];
		if (metric_table[run->space->objective[i]].scope != METRIC_OF_MACHINE)
			(void)fprintf(file, "  %s of points: mean gap %.2f %%, largest %.2f %% (point %zu)\n",
			              metric_table[run->space->objective[i]].name, 100.0 * gap->mean_frac,
			              100.0 * gap->max_frac, gap->worst);
	}
	(void)fprintf(file, "  %zu of %zu points are on the front in either tier", verify->n_certain, verify->n_point);
	if (verify->n_certain < verify->n_point) {
		(void)fprintf(file, "; beaten by another point in the event tier:");
		print_depending(file, verify);
	} else {
		(void)fputc('\n', file);
	}
}

/* What came nearest; where there is one limit the verdict has said all of it. */
static void print_miss(FILE *file, const struct explore_miss *miss)
{
	struct words_fold fold;
	(void)fprintf(words_fold_begin(&fold, file), "\nNearest miss: %s\n  %s\n", miss->machine, miss->text);
	words_fold_end(&fold);
}

void front_table_print_infeasible(FILE *file, const struct front_run *run)
{
	const struct explore *explore = run->explore;
	(void)fprintf(file,
	              "No feasible design%s among %" PRIu64 " machines and %" PRIu64 " evaluated layer designs.\n",
	              explore->out_of_time ? " found in the time, which proves nothing," : "",
	              explore->counts.n_machine, explore->counts.engine.n_told);
	print_certificate(file, run);
	(void)fputc('\n', file);
	print_reasons(file, &explore->counts, 2);
	if (explore->miss.stage != STAGE_NONE && explore->miss.is_limit && run->space->n_limit > 1)
		print_miss(file, &explore->miss);
}
