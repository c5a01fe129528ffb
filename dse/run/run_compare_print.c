/* SPDX-License-Identifier: Apache-2.0 */
/* What dse compare found, as tables: what changed, how good both fronts are, what each change does, points. */
#include "dse/run/run_compare.h"
#include "dse/out/table.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	MAX_ROW = 12, /* of points of a kind that are shown */
	TEXT_SIZE = 48
};

/* "+4.8 %"; what is no number: "-"; what is nothing: "0 %". */
static void print_percent(double frac, bool with_sign, char text[TEXT_SIZE])
{
	double pct = 100.0 * frac;
	if (!isfinite(frac))
		(void)snprintf(text, TEXT_SIZE, "-");
	else if (fabs(pct) < 1e-9)
		(void)snprintf(text, TEXT_SIZE, "0 %%");
	else
		(void)snprintf(text, TEXT_SIZE, with_sign ? "%+.3g %%" : "%.3g %%", pct);
}

static void add_percent(struct table *table, double frac, bool with_sign)
{
	char text[TEXT_SIZE];
	print_percent(frac, with_sign, text);
	table_add(table, "%s", text);
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- the runs, and what changed between them ---- */

static void print_runs(FILE *file, const struct run_compare *compare)
{
	const struct kept_run *run[] = {compare->before, compare->after};
	struct table table = {0};
	table_add_columns(&table, "|run|space|date (UTC)|engine, tier|>points|exactness");
	for (size_t i = 0; i < 2; i++) {
		const struct run_record *record = &run[i]->record;
		table_add_row(&table, "%s|%s|%s|%.10s %.8s|%s, %s|%zu|%s%s%s", i == 0 ? "before" : "now", run[i]->title,
		              record->space, record->date, strlen(record->date) > 11 ? record->date + 11 : "",
		              record->engine, record->detail, run[i]->front.n_point, record->exactness,
		              strcmp(record->state, "complete") == 0 ? "" : ", ",
		              strcmp(record->state, "complete") == 0 ? "" : record->state);
	}
	table_finish(&table, file, 0);
	if (compare->other_space)
		(void)fputs(
		    "These are runs of different spaces: what one has and the other lacks need not be a change.\n",
		    file);
}

/* Where a list changed, its items say more than the lists. */
static void add_values(struct table *table, const struct input_change *change)
{
	if (!change->added[0] && !change->removed[0]) {
		table_add_row(table, "%s|%s", change->before, change->after);
		return;
	}
	table_add_row(table, "%s%s|%s%s", change->removed[0] ? "without " : "", change->removed,
	              change->added[0] ? "with " : "", change->added);
}

static void print_changes(FILE *file, const struct run_compare *compare)
{
	const struct input_changes *changes = &compare->changes;
	struct table table = {0};
	if (!compare->has_changes) {
		(void)fprintf(file, "\nWhat changed between them cannot be told: %s\n", compare->why_no_changes);
		return;
	}
	if (changes->n == 0) {
		(void)fputs("\nNothing changed between them: the same inputs, options and program.\n", file);
		return;
	}
	(void)fputs("\nWhat changed between them\n", file);
	table_add_columns(&table, ">change|file|key|>before|>now|unit");
	for (size_t i = 0; i < changes->n; i++) {
		const struct input_change *change = &changes->change[i];
		table_add_row(&table, "%zu|%s|%s", i + 1, change->where, change->key);
		add_values(&table, change);
		table_add(&table, "%s", change->unit);
	}
	table_finish(&table, file, 0);
}

/* ---- both fronts ---- */

/* less: what is less is better; a change up to gap_frac is none that the searches prove. */
static void add_front_row(struct table *table, const char *what, double before, double after, bool less,
                          double gap_frac)
{
	double change = run_compare_change(before, after);
	bool is_gap = fabs(change) > 1e-12 && fabs(change) <= gap_frac;
	table_add(table, "%s", what);
	table_add_apart(table, before, after);
	add_percent(table, change, true);
	if (!is_gap && (before < after || before > after))
		table_colour(table, (after < before) == less ? COLOUR_BEST : COLOUR_BAD);
	table_add(table, "%s", is_gap ? "within the proven gap" : "");
}

static void print_coverage(FILE *file, const struct run_compare *compare)
{
	static const char *const word[] = {"Now's front", "Before's front"}, *const of[] = {"before's", "now's"};
	for (size_t i = 0; i < 2; i++) {
		char text[TEXT_SIZE];
		double epsilon = compare->epsilon[1 - i];
		print_percent(epsilon, false, text);
		if (isnan(epsilon))
			continue;
		if (epsilon <= 0.0)
			(void)fprintf(file, "%s covers all of %s.\n", word[i], of[i]);
		else
			(void)fprintf(file,
			              "%s would cover all of %s if each objective were less by %s of its range.\n",
			              word[i], of[i], text);
	}
}

static void print_fronts(FILE *file, const struct run_compare *compare)
{
	struct table table = {0};
	char what[64];
	size_t n = compare->n_objective;
	bool has_both = compare->before->front.n_point > 0 && compare->after->front.n_point > 0;
	(void)fprintf(file, "\nBoth fronts\n");
	table_add_columns(&table, "|>before|>now|>change|");
	for (size_t k = 0; k < n && has_both; k++) {
		(void)snprintf(what, sizeof(what), "least %s", metric_table[compare->objective[k]].name);
		add_front_row(&table, what, compare->value[0][compare->best[0][k] * n + k],
		              compare->value[1][compare->best[1][k] * n + k], true, compare->slack_frac);
	}
	add_front_row(&table, "hypervolume", compare->hypervolume[0], compare->hypervolume[1], false,
	              run_compare_volume_slack(compare));
	table_add_row(&table, "  of this one alone|%g|%g||", compare->lost_volume, compare->gained_volume);
	table_finish(&table, file, 0);
	(void)fputs("Hypervolumes reach up to", file);
	for (size_t k = 0; k < n; k++)
		(void)fprintf(file, "%s %s %.6g", k ? "," : "", metric_table[compare->objective[k]].name,
		              compare->reference[k]);
	(void)fputs(", 1.1 times the largest values of both.\n", file);
	print_coverage(file, compare);
	if (compare->slack_frac > 0.0) {
		print_percent(compare->slack_frac, false, what);
		(void)fprintf(file,
		              "The searches prove their fronts to within %s: what differs by less is no difference.\n",
		              what);
	}
	if (!compare->before->is_proven || !compare->after->is_proven)
		(void)fputs("A front that is not proven may be another one with another seed.\n", file);
}

/* ---- what each change does ---- */

/* An objective that no change moves is left out. */
static bool is_moved(const struct run_compare *compare, size_t k)
{
	bool moves = !isnan(compare->together_frac[k]);
	for (size_t i = 0; i < compare->changes.n; i++)
		moves = moves || (compare->effect[i].is_evaluated && fabs(compare->effect[i].mean_frac[k]) > 1e-12);
	return moves;
}

static void add_effect_row(struct table *table, const struct run_compare *compare, const double *mean_frac,
                           const double *share_frac)
{
	for (size_t k = 0; k < compare->n_objective; k++) {
		if (!is_moved(compare, k))
			continue;
		if (mean_frac)
			add_percent(table, mean_frac[k], true);
		else
			table_add(table, "%s", "");
		add_percent(table, isnan(compare->together_frac[k]) ? (double)NAN : share_frac[k], false);
	}
}

static void add_rest_row(struct table *table, const struct run_compare *compare, const char *what,
                         const double *mean_frac, const double *share_frac)
{
	bool says = mean_frac != NULL;
	for (size_t k = 0; k < compare->n_objective; k++)
		says = says || fabs(share_frac[k]) > 1e-9;
	if (!says)
		return;
	table_add_row(table, "|%s", what);
	add_effect_row(table, compare, mean_frac, share_frac);
	if (mean_frac)
		add_percent(table, compare->volume_frac, true);
	else
		table_add(table, "%s", "");
	table_add_row(table, "||");
}

static void add_effects(struct table *table, const struct run_compare *compare)
{
	static const double whole[SPACE_MAX_OBJECTIVE] = {1.0, 1.0, 1.0, 1.0};
	for (size_t i = 0; i < compare->changes.n; i++) {
		const struct input_change *change = &compare->changes.change[i];
		const struct change_effect *effect = &compare->effect[i];
		if (!effect->is_evaluated)
			continue;
		table_add_row(table, "%zu|%s", i + 1, change->key);
		add_effect_row(table, compare, effect->mean_frac, effect->share_frac);
		add_percent(table, effect->volume_frac, true);
		table_add_row(table, "%zu|%zu|%zu", effect->n_stopped, effect->n_lost, effect->n_gained);
	}
	add_rest_row(table, compare, "only together", NULL, compare->together_frac);
	add_rest_row(table, compare, "no input", NULL, compare->program_frac);
	add_rest_row(table, compare, "all of it", compare->mean_frac, whole);
}

/* Movement that no input explains is the program's. */
static void print_rest(FILE *file, const struct run_compare *compare)
{
	bool is_program = false;
	for (size_t k = 0; k < compare->n_objective; k++)
		is_program = is_program || fabs(compare->program_frac[k]) > 1e-9;
	if (is_program)
		(void)fputs("What no input explains is due to the program (its sources, or the tier that evaluated).\n",
		            file);
	for (size_t i = 0; i < compare->changes.n; i++)
		if (compare->effect[i].why_not)
			(void)fprintf(file, "Change %zu alone was not looked at: %s\n", i + 1,
			              compare->effect[i].why_not);
}

static void print_effects(FILE *file, const struct run_compare *compare)
{
	struct table table = {0};
	size_t n_evaluated = 0;
	for (size_t i = 0; i < compare->changes.n && compare->is_explained; i++)
		n_evaluated += compare->effect[i].is_evaluated || compare->effect[i].why_not;
	bool moves = false;
	for (size_t k = 0; k < compare->n_objective && compare->is_explained; k++)
		moves = moves || fabs(compare->program_frac[k]) > 1e-9;
	if (n_evaluated == 0 && !moves)
		return;
	(void)fprintf(file,
	              "\nWhat each change does alone to the %zu of %zu designs of before that run in both spaces\n",
	              compare->n_moving, compare->before->front.n_point);
	table_add_columns(&table, ">change|key");
	for (size_t k = 0; k < compare->n_objective; k++) {
		if (!is_moved(compare, k))
			continue;
		table_add_column(&table, metric_table[compare->objective[k]].name, true);
		table_add_column(&table, "explains", true);
	}
	table_add_columns(&table, ">hypervolume|>stopped|>lost|>gained");
	add_effects(&table, compare);
	table_finish(&table, file, 0);
	print_rest(file, compare);
}

/* ---- points ---- */

static void add_objectives(struct table *table, const struct run_compare *compare)
{
	for (size_t k = 0; k < compare->n_objective; k++)
		table_add_column(table, metric_table[compare->objective[k]].name, true);
}

/* Machine and knobs, as far as points differ in them. */
static void add_knobs(struct table *table, const struct kept_front *front, bool as_columns, size_t i)
{
	if (front->n_machine > 1 && as_columns)
		table_add_column(table, "machine", false);
	else if (front->n_machine > 1)
		table_add(table, "%s", front->machine[front->point[i].machine].name);
	for (size_t k = 0; k < front->n_axis; k++) {
		if (as_columns)
			table_add_column(table, front->axis[k], true);
		else
			table_add(table, "%s", front->point[i].value[k]);
	}
}

static void print_rest_of_list(FILE *file, size_t n, size_t n_shown)
{
	if (n > n_shown)
		(void)fprintf(file, "and %zu more; --json lists all\n", n - n_shown);
}

static void print_moved(FILE *file, const struct run_compare *compare)
{
	struct table table = {0};
	size_t n = compare->n_objective, n_shown = 0;
	if (compare->n_moved == 0)
		return;
	(void)fprintf(file, "\n%zu design%s moved\n", compare->n_moved, plural(compare->n_moved));
	table_add_columns(&table, ">before|>now");
	for (size_t k = 0; k < n; k++) {
		table_add_column(&table, metric_table[compare->objective[k]].name, true);
		table_add_column(&table, "by", true);
	}
	add_knobs(&table, &compare->before->front, true, 0);
	for (size_t i = 0; i < compare->before->front.n_point && n_shown < MAX_ROW; i++) {
		const struct compared_point *point = &compare->point[0][i];
		if (point->status != POINT_MOVED)
			continue;
		n_shown++;
		table_add_row(&table, "%" PRIu64 "|%" PRIu64, compare->before->front.point[i].id,
		              compare->after->front.point[point->other].id);
		for (size_t k = 0; k < n; k++) {
			double then = compare->value[0][i * n + k], now = compare->value[1][point->other * n + k];
			table_add_real(&table, now);
			add_percent(&table, run_compare_change(then, now), true);
		}
		add_knobs(&table, &compare->before->front, false, i);
	}
	table_finish(&table, file, 0);
	print_rest_of_list(file, compare->n_moved, n_shown);
}

static void print_absence(const struct run_compare *compare, size_t side, const struct compared_point *point,
                          char *text, size_t n_byte)
{
	const struct kept_front *other = &(side == 0 ? compare->after : compare->before)->front;
	const char *there = side == 0 ? "now" : "before";
	uint64_t by = point->by < other->n_point ? other->point[point->by].id : 0;
	const bool is_proven = (side == 0 ? compare->after : compare->before)->is_proven;
	switch (point->absence) {
	case ABSENCE_UNKNOWN:
	case N_ABSENCE:
		(void)snprintf(text, n_byte, "-");
		break;
	case ABSENCE_OUTSIDE:
		(void)snprintf(text, n_byte, "not in %s's space: %s", there, point->why ? point->why : "");
		break;
	case ABSENCE_CANNOT_RUN:
	case ABSENCE_OVER_LIMIT:
		(void)snprintf(text, n_byte, "%s: %s", there, point->why ? point->why : "");
		break;
	case ABSENCE_DOMINATED:
		(void)snprintf(text, n_byte, "%s's point %" PRIu64 " is better", there, by);
		break;
	case ABSENCE_EQUAL:
		(void)snprintf(text, n_byte, "%s's point %" PRIu64 " is as good", there, by);
		break;
	case ABSENCE_GAP:
		(void)snprintf(text, n_byte, "within the proven gap of %s's point %" PRIu64, there, by);
		break;
	case ABSENCE_SEARCH:
		(void)snprintf(text, n_byte,
		               is_proven ? "%s's search looked at other designs" : "%s's search did not find it",
		               there);
		break;
	case ABSENCE_PROGRAM:
		(void)snprintf(text, n_byte, "%s's program gives it other figures than this one", there);
		break;
	}
}

/* "1", "1, 3", "together", "search", "program". */
static void print_causes(const struct compared_point *point, bool is_explained, char text[TEXT_SIZE])
{
	int n = 0;
	text[0] = '\0';
	for (unsigned i = 0; i < RUN_COMPARE_MAX_CHANGE && n >= 0 && n < TEXT_SIZE; i++)
		if (point->changes >> i & 1)
			n += snprintf(text + n, (size_t)(TEXT_SIZE - n), "%s%u", n ? ", " : "", i + 1);
	if (n == 0 && is_explained)
		(void)snprintf(text, TEXT_SIZE, "%s",
		               point->by_program                 ? "program"
		               : point->by_search                ? "search"
		               : point->absence == ABSENCE_EQUAL ? "none"
		                                                 : "together");
}

static void print_absent(FILE *file, const struct run_compare *compare, size_t side)
{
	const struct kept_front *front = &(side == 0 ? compare->before : compare->after)->front;
	enum point_status status = side == 0 ? POINT_LOST : POINT_GAINED;
	size_t n = compare->n_objective, n_shown = 0, n_all = side == 0 ? compare->n_lost : compare->n_gained;
	struct table table = {0};
	if (n_all == 0)
		return;
	(void)fprintf(file, "\n%zu design%s %s\n", n_all, plural(n_all), side == 0 ? "lost" : "gained");
	table_add_column(&table, side == 0 ? "before" : "now", true);
	add_objectives(&table, compare);
	add_knobs(&table, front, true, 0);
	table_add_column(&table, "change", false);
	table_add_column(&table, side == 0 ? "why it is gone" : "why it was not there", false);
	for (size_t i = 0; i < front->n_point && n_shown < MAX_ROW; i++) {
		const struct compared_point *point = &compare->point[side][i];
		char why[320], causes[TEXT_SIZE];
		if (point->status != status)
			continue;
		n_shown++;
		table_add(&table, "%" PRIu64, front->point[i].id);
		for (size_t k = 0; k < n; k++)
			table_add_real(&table, compare->value[side][i * n + k]);
		add_knobs(&table, front, false, i);
		print_causes(point, compare->is_explained, causes);
		table_add(&table, "%s", causes);
		print_absence(compare, side, point, why, sizeof(why));
		table_add(&table, "%s", why);
	}
	table_finish(&table, file, 0);
	print_rest_of_list(file, n_all, n_shown);
}

void run_compare_print(FILE *file, const struct run_compare *compare)
{
	assert(file && compare);
	print_runs(file, compare);
	print_changes(file, compare);
	(void)fprintf(file, "\n%zu design%s before, %zu now: %zu the same, %zu moved, %zu lost, %zu gained\n",
	              compare->before->front.n_point, plural(compare->before->front.n_point),
	              compare->after->front.n_point, compare->n_same, compare->n_moved, compare->n_lost,
	              compare->n_gained);
	if (compare->before->front.n_point + compare->after->front.n_point == 0)
		return;
	print_fronts(file, compare);
	print_effects(file, compare);
	print_moved(file, compare);
	print_absent(file, compare, 0);
	print_absent(file, compare, 1);
}
