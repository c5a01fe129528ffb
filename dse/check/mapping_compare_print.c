/* SPDX-License-Identifier: Apache-2.0 */
/* What --compare found, for people and for programs. */
#include "dse/base/memory.h"
#include "dse/check/mapping_compare.h"
#include "dse/out/table.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define MAX_ROW 20   /* of a mapping; others are in run.json */
#define MAX_LISTED 8 /* ids in a row */
#define MAX_ID 100   /* ids in JSON */
#define MAX_REASON 5 /* machines that a mapping does not fit */

/* Best first: nondominated before dominated, then by how far the front is ahead, then in the order of the places. */
static int compare_rows(const void *left, const void *right)
{
	const struct compared_place *a = *(const struct compared_place *const *)left;
	const struct compared_place *b = *(const struct compared_place *const *)right;
	if (a->verdict != b->verdict)
		return a->verdict > b->verdict ? -1 : 1;
	if (a->epsilon < b->epsilon || a->epsilon > b->epsilon)
		return a->epsilon > b->epsilon ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* "dominated by 3 points: 0, 1, 7", and the limits it breaks. */
static void print_verdict(const struct compared_place *place, char *text, size_t n_byte)
{
	size_t n = 0;
	assert(place->verdict != COMPARE_NO_FIT);
	if (place->verdict == COMPARE_DOMINATED)
		n += (size_t)snprintf(text, n_byte, "dominated by %zu point%s:", place->n_dominating,
		                      place->n_dominating == 1 ? "" : "s");
	else
		n += (size_t)snprintf(text, n_byte, "%s",
		                      place->verdict == COMPARE_ON_FRONT ? "on the front" : "nondominated");
	for (size_t i = 0; i < place->n_dominating && i < MAX_LISTED; i++)
		n += (size_t)snprintf(text + n, n_byte - n, "%s %zu", i ? "," : "", place->dominating[i]);
	if (place->n_dominating > MAX_LISTED)
		n += (size_t)snprintf(text + n, n_byte - n, ", ...");
	if (place->why[0])
		(void)snprintf(text + n, n_byte - n, "; breaks %.200s", place->why);
}

static void add_row(struct table *table, const struct space *space, const double *front,
                    const struct compared_place *place)
{
	char text[512];
	assert(place->verdict != COMPARE_NO_FIT);
	table_add(table, "%s", place->mapping->name);
	if (space->n_machine > 1 || space->n_axis > 0)
		table_add(table, "%s", place->machine);
	table_add(table, "%s", place->level[0] ? place->level : "own");
	for (size_t k = 0; k < space->n_objective; k++) {
		double own = place->metric[space->objective[k]];
		double theirs = front[place->nearest * space->n_objective + k];
		table_add_real(table, own);
		table_add(table, "%+.6g", own - theirs);
		if (theirs > 0.0)
			table_add(table, "%.4g", own / theirs);
		else
			table_add(table, "-");
	}
	table_add(table, "%zu", place->nearest);
	table_add(table, "%.4g", place->epsilon);
	print_verdict(place, text, sizeof(text));
	table_add(table, "%s", text);
}

static void add_columns(struct table *table, const struct space *space)
{
	table_add_column(table, "mapping", false);
	if (space->n_machine > 1 || space->n_axis > 0)
		table_add_column(table, "machine", false);
	table_add_column(table, "level", false);
	for (size_t k = 0; k < space->n_objective; k++) {
		table_add_column(table, metric_table[space->objective[k]].name, true);
		table_add_columns(table, ">difference|>ratio");
	}
	table_add_columns(table, ">to point|>epsilon|against the front");
}

/* The places of a mapping that fit, best first; returns how many. */
static size_t list_rows(const struct mapping_compare *compare, const struct compared_mapping *mapping,
                        const struct compared_place **row)
{
	size_t n = 0;
	for (size_t i = 0; i < compare->n_place; i++)
		if (compare->place[i].mapping == mapping && compare->place[i].verdict != COMPARE_NO_FIT)
			row[n++] = &compare->place[i];
	qsort(row, n, sizeof(*row), compare_rows);
	return n;
}

/* Machines that a mapping does not fit, the first few with their reasons. */
static void print_misfits(FILE *file, const struct mapping_compare *compare, const struct compared_mapping *mapping)
{
	size_t n = 0;
	for (size_t i = 0; i < compare->n_place; i++) {
		const struct compared_place *place = &compare->place[i];
		if (place->mapping != mapping || place->verdict != COMPARE_NO_FIT)
			continue;
		if (n++ < MAX_REASON)
			(void)fprintf(file, "  %s does not fit %s%s%s: %s\n", mapping->name, place->machine,
			              place->level[0] ? ", " : "", place->level, place->why);
	}
	if (n > MAX_REASON)
		(void)fprintf(file, "  and %zu more\n", n - MAX_REASON);
}

void mapping_compare_print(FILE *file, const struct mapping_compare *compare, const struct unroller *unroller)
{
	struct table table = {0};
	double *front = mapping_compare_front(unroller);
	const struct compared_place **row = memory_array(compare->n_place, sizeof(*row));
	assert(file && compare->n_mapping > 0);
	(void)fprintf(file,
	              "Compared with the front; differences and ratios are to the point that is ahead by most in all "
	              "objectives\n\n");
	add_columns(&table, compare->space);
	size_t n_left = 0, n_own = 0;
	for (size_t i = 0; i < compare->n_mapping; i++) {
		size_t n = list_rows(compare, &compare->mapping[i], row);
		for (size_t k = 0; k < n && k < MAX_ROW; k++) {
			add_row(&table, compare->space, front, row[k]);
			n_own = row[k]->n_own > n_own ? row[k]->n_own : n_own;
		}
		n_left += n > MAX_ROW ? n - MAX_ROW : 0;
	}
	table_finish(&table, file, 2);
	for (size_t i = 0; i < compare->n_mapping; i++)
		print_misfits(file, compare, &compare->mapping[i]);
	if (n_left > 0)
		(void)fprintf(file, "  %zu more rows are in run.json\n", n_left);
	if (n_own > 0)
		(void)fprintf(file, "  the thesis has no splits of %zu layers; its rules split them\n", n_own);
	if (compare->is_cut)
		(void)fprintf(file, "  on machines of the front only: the space has too many\n");
	free(row);
	free(front);
}

static void put_objectives(struct json *json, const struct mapping_compare *compare, const double *front,
                           const struct compared_place *place)
{
	const struct space *space = compare->space;
	json_begin_list(json, "objectives");
	for (size_t k = 0; k < space->n_objective; k++) {
		double own = place->metric[space->objective[k]];
		double theirs = front[place->nearest * space->n_objective + k];
		json_put_object(json, NULL, "objective %s, value %g, nearest %g, difference %g, ratio %g",
		                metric_table[space->objective[k]].name, own, theirs, own - theirs,
		                theirs > 0.0 ? own / theirs : NAN);
	}
	json_end(json);
}

static void put_place(struct json *json, const struct mapping_compare *compare, const double *front,
                      const struct compared_place *place)
{
	json_begin_object(json, NULL);
	json_put_fields(json, "mapping %s, machine %s, level %s, verdict %s", place->mapping->name, place->machine,
	                place->level[0] ? place->level : NULL, mapping_verdict_name[place->verdict]);
	if (place->verdict == COMPARE_NO_FIT) {
		json_put_text(json, "why", place->why);
		json_end(json);
		return;
	}
	json_put_fields(json, "layers_split_by_rules %zu, breaks %s", place->n_own, place->why[0] ? place->why : NULL);
	put_objectives(json, compare, front, place);
	json_put_fields(json, "nearest_point %zu, epsilon %g, n_dominating %zu", place->nearest, place->epsilon,
	                place->n_dominating);
	json_begin_list(json, "dominated_by");
	for (size_t i = 0; i < place->n_dominating && i < MAX_ID; i++)
		json_put_u64(json, NULL, place->dominating[i]);
	json_end(json);
	json_end(json);
}

void mapping_compare_put_json(struct json *json, const struct mapping_compare *compare, const struct unroller *unroller)
{
	double *front = mapping_compare_front(unroller);
	assert(json && compare->map);
	json_begin_list(json, "compare");
	for (size_t i = 0; i < compare->n_place; i++)
		put_place(json, compare, front, &compare->place[i]);
	json_end(json);
	free(front);
}
