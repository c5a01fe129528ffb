/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on the terminal, and as JSON, there and back. */
#include "dse/base/memory.h"
#include "dse/base/number.h"
#include "dse/out/table.h"
#include "dse/out/words.h"
#include "dse/verdict/verdict_parts.h"
#include "sim/base/err.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define SUMS_MAY_DIFFER 1e-12

/* What is not known is empty; bounds are rounded down, as no design has less, and designs as the front's table has
 * them. */
static void add_value(struct table *table, double value, bool is_bound)
{
	char text[NUMBER_SIZE];
	if (!isfinite(value)) {
		table_add(table, " ");
	} else if (!is_bound) { /* a sum in another order may be larger in its last bits */
		table_add_most(table, floor(value) < value ? value * (1.0 - SUMS_MAY_DIFFER) : value);
	} else {
		double step = value > 0.0 ? pow(10.0, floor(log10(value)) - 4.0) : 1.0;
		(void)snprintf(text, sizeof(text), value >= 1e5 ? "%.0f" : "%.5g", floor(value / step) * step);
		number_fill_digits(value, 5, text);
		table_add(table, ">=%s", text);
	}
}

static enum colour colour_of_place(enum run_verdict_place place)
{
	return place == RUN_VERDICT_ON_FRONT ? COLOUR_BEST
	       : place == RUN_VERDICT_EMPTY || place == RUN_VERDICT_FAILED || place == RUN_VERDICT_REFUSED
	           ? COLOUR_BAD
	           : COLOUR_NONE;
}

static bool has_groups(const struct run_verdict *verdict)
{
	for (size_t i = 0; i < verdict->n_row; i++)
		if (verdict->row[i].n_machine > 1)
			return true;
	return false;
}

/* A machine that an interrupted search has no figure of yet is named below the table. */
static bool is_unknown(const struct run_verdict *verdict, const struct run_verdict_row *row)
{
	bool knows = row->bound[0] != '\0' || row->kind != RUN_VERDICT_OPEN;
	for (size_t k = 0; k < verdict->n_column; k++)
		knows = knows || (isfinite(row->value[k]) &&
		                  metric_table[metric_find(verdict->column[k])].scope != METRIC_OF_MACHINE);
	return !knows;
}

static void add_row(struct table *table, const struct run_verdict *verdict, const struct run_verdict_row *row,
                    bool groups)
{
	table_add(table, "%s", row->machines);
	if (groups)
		table_add(table, "%" PRIu64, row->n_machine);
	table_add(table, "%s", row->place);
	table_colour(table, colour_of_place(row->kind));
	if (isfinite(row->margin) && row->kind == RUN_VERDICT_BEATEN)
		table_add(table, "%.2f", floor(1e4 * row->margin) / 100.0);
	else
		table_add(table, " ");
	for (size_t k = 0; k < verdict->n_column; k++)
		add_value(table, row->value[k],
		          row->is_bound && metric_table[metric_find(verdict->column[k])].scope != METRIC_OF_MACHINE);
	table_add(table, "%s", row->bound);
}

static void name_unknown(FILE *file, const struct run_verdict *verdict, size_t width)
{
	struct words_text text;
	size_t n = 0;
	words_clear(&text);
	for (size_t i = 0; i < verdict->n_row; i++)
		if (is_unknown(verdict, &verdict->row[i]))
			words_add(&text, "%s%s", n++ ? ", " : "Not searched to the end, without a figure yet: ",
			          verdict->row[i].machines);
	if (n > 0)
		words_put(file, text.text, 0, 2, width);
}

static void print_rows(FILE *file, const struct run_verdict *verdict)
{
	struct table table = {0};
	bool groups = has_groups(verdict);
	table_add_column(&table, "machine", false);
	if (groups)
		table_add_column(&table, "n", true);
	table_add_column(&table, "verdict", false);
	table_add_column(&table, "behind_pct", true);
	for (size_t k = 0; k < verdict->n_column; k++)
		table_add_column(&table, verdict->column[k], true);
	table_add_column(&table, "time bound by", false);
	for (size_t i = 0; i < verdict->n_row; i++)
		if (!is_unknown(verdict, &verdict->row[i]))
			add_row(&table, verdict, &verdict->row[i], groups);
	table_leave_empty(&table);
	if (table.n_cell > 0)
		table_print(&table, file, 0);
	table_free(&table);
}

static void print_sentences(FILE *file, const struct run_verdict *verdict, size_t first)
{
	for (size_t i = first; i < verdict->n_sentence; i++)
		words_put(file, verdict->sentence[i], 0, 2, words_width(file, WORDS_WIDTH));
}

void run_verdict_print_last(FILE *file, const struct run_verdict *verdict)
{
	assert(file && verdict && verdict->n_sentence > 0);
	print_sentences(file, verdict, verdict->n_sentence - 1);
}

void run_verdict_print(FILE *file, const struct run_verdict *verdict, bool only_text)
{
	size_t width = words_width(file, WORDS_WIDTH);
	assert(file && verdict);
	print_sentences(file, verdict, 0);
	if (only_text)
		return;
	if (verdict->n_row > 1) {
		(void)fputc('\n', file);
		print_rows(file, verdict);
		name_unknown(file, verdict, width);
		for (size_t i = 0; i < verdict->n_note; i++)
			words_put(file, verdict->note[i], 0, 2, width);
	}
	(void)fputc('\n', file);
}

/* ---- JSON ----------------------------------------------------------------------------------------------- */

/* The first of many machines. */
enum { MAX_LISTED = 256 };

static void put_name(struct json *json, const char *key, const struct space *space, uint32_t machine)
{
	struct words_text text;
	words_clear(&text);
	if (machine != RUN_VERDICT_NOBODY)
		run_verdict_name(space, machine, &text);
	json_put_text(json, key, machine == RUN_VERDICT_NOBODY ? NULL : text.text);
}

static void put_members(struct json *json, const struct space *space, const struct run_verdict_claim *claim)
{
	json_begin_list(json, "machines");
	for (size_t i = 0; i < claim->n_member && i < MAX_LISTED; i++)
		put_name(json, NULL, space, claim->member[i]);
	json_end(json);
}

static void put_claims(struct json *json, const struct space *space, const struct run_verdict *verdict)
{
	json_begin_list(json, "claims");
	for (size_t i = 0; i < verdict->n_claim; i++) {
		const struct run_verdict_claim *claim = &verdict->claim[i];
		json_begin_object(json, NULL);
		json_put_text(json, "claim", run_verdict_claim_name[claim->kind]);
		put_name(json, "machine", space, claim->machine);
		put_name(json, "other", space, claim->other);
		if (claim->kind == RUN_VERDICT_BEST || claim->kind == RUN_VERDICT_MORE)
			json_put_text(json, "objective", metric_table[space->objective[claim->objective]].name);
		if (claim->kind == RUN_VERDICT_SIZE || claim->kind == RUN_VERDICT_MISS)
			json_put_text(json, "objective", metric_table[claim->objective].name);
		if (claim->kind == RUN_VERDICT_TIME || claim->kind == RUN_VERDICT_SHARE ||
		    claim->kind == RUN_VERDICT_MOST)
			json_put_text(json, "bound", bound_name[claim->bound]);
		json_put_real(json, "value", claim->value);
		json_put_text(json, "tier", claim->is_event ? "event" : "search");
		if (claim->n_member > 0)
			put_members(json, space, claim);
		json_end(json);
	}
	json_end(json);
}

/* Machines of which something is known, for pictures. */
static void put_machines(struct json *json, const struct space *space, const struct run_verdict *verdict)
{
	size_t n = 0;
	json_begin_list(json, "machines");
	for (size_t i = 0; i < verdict->n_machine && n < MAX_LISTED; i++) {
		const struct run_verdict_machine *machine = &verdict->machine[i];
		if (!isfinite(machine->least[0]))
			continue;
		n++;
		json_begin_object(json, NULL);
		put_name(json, "name", space, machine->index);
		json_put_fields(json, "place %s, is_bound %d, tier %s", run_verdict_place_name[machine->place],
		                machine->is_bound, machine->is_event ? "event" : "search");
		if (machine->doubt_frac > 0.0)
			json_put_real(json, "too_close_at_pct", 100.0 * machine->doubt_frac);
		put_name(json, "beaten_by", space, machine->by);
		json_put_real(json, "behind_pct", 100.0 * machine->margin);
		json_begin_object(json, "least");
		for (size_t k = 0; k < space->n_objective; k++)
			json_put_real(json, metric_table[space->objective[k]].name, machine->least[k]);
		json_end(json);
		json_end(json);
	}
	json_end(json);
}

static void put_rows(struct json *json, const struct run_verdict *verdict)
{
	json_begin_list(json, "rows");
	for (size_t i = 0; i < verdict->n_row; i++) {
		const struct run_verdict_row *row = &verdict->row[i];
		json_begin_object(json, NULL);
		json_put_fields(json, "machines %s, n %" PRIu64 ", place %s, verdict %s", row->machines, row->n_machine,
		                run_verdict_place_name[row->kind], row->place);
		json_put_real(json, "behind_pct", 100.0 * row->margin);
		json_put_bool(json, "is_bound", row->is_bound);
		json_begin_list(json, "values");
		for (size_t k = 0; k < verdict->n_column; k++)
			json_put_real(json, NULL, row->value[k]);
		json_end(json);
		json_put_text(json, "bound", row->bound);
		json_end(json);
	}
	json_end(json);
}

static void put_texts(struct json *json, const char *key, const char *const *text, size_t n)
{
	json_begin_list(json, key);
	for (size_t i = 0; i < n; i++)
		json_put_text(json, NULL, text[i]);
	json_end(json);
}

void run_verdict_put_json(struct json *json, const struct space *space, const struct run_verdict *verdict)
{
	json_begin_object(json, "verdict");
	put_texts(json, "text", verdict->sentence, verdict->n_sentence);
	put_texts(json, "columns", verdict->column, verdict->n_column);
	put_rows(json, verdict);
	put_texts(json, "notes", verdict->note, verdict->n_note);
	put_machines(json, space, verdict);
	put_claims(json, space, verdict);
	json_end(json);
}

/* Up to max texts of a list; other items are left out. */
static size_t read_texts(struct run_verdict *verdict, const struct doc_node *list, const char **text, size_t max)
{
	size_t n = 0;
	for (size_t i = 0; list && list->kind == DOC_LIST && i < list->n && n < max; i++)
		if (list->value[i]->kind == DOC_SCALAR)
			text[n++] = run_verdict_text(verdict, list->value[i]->text);
	return n;
}

static const char *read_text(struct run_verdict *verdict, const struct doc_node *map, const char *key)
{
	const struct doc_node *node = doc_find(map, key);
	return run_verdict_text(verdict, node && node->kind == DOC_SCALAR ? node->text : "");
}

/* NaN where it is null. */
static double read_real(const struct doc_node *node)
{
	struct err ignored = {0};
	double value = NAN;
	if (node && node->kind == DOC_SCALAR)
		(void)doc_get_real(node, "value", -1e300, 1e300, &value, &ignored);
	err_clear(&ignored);
	return value;
}

static enum run_verdict_place read_place(const struct doc_node *map)
{
	const struct doc_node *node = doc_find(map, "place");
	for (unsigned i = 0; node && node->kind == DOC_SCALAR && i < RUN_VERDICT_N_PLACE; i++)
		if (strcmp(node->text, run_verdict_place_name[i]) == 0)
			return (enum run_verdict_place)i;
	return RUN_VERDICT_OPEN;
}

static void read_row(struct run_verdict *verdict, const struct doc_node *map, struct run_verdict_row *row)
{
	const struct doc_node *values = doc_find(map, "values"), *is_bound = doc_find(map, "is_bound");
	double n = read_real(doc_find(map, "n"));
	*row = (struct run_verdict_row){.machines = read_text(verdict, map, "machines"),
	                                .place = read_text(verdict, map, "verdict"),
	                                .bound = read_text(verdict, map, "bound"),
	                                .n_machine = n > 0.0 && n < 1e15 ? (uint64_t)n : 0,
	                                .kind = read_place(map),
	                                .margin = read_real(doc_find(map, "behind_pct")) / 100.0,
	                                .is_bound = is_bound && is_bound->kind == DOC_SCALAR &&
	                                            strcmp(is_bound->text, "true") == 0};
	for (size_t k = 0; k < RUN_VERDICT_MAX_COLUMN; k++)
		row->value[k] = values && values->kind == DOC_LIST && k < values->n ? read_real(values->value[k]) : NAN;
}

bool run_verdict_read_json(const struct doc_node *node, struct run_verdict *verdict)
{
	*verdict = (struct run_verdict){0};
	if (!node || node->kind != DOC_MAP)
		return false;
	const struct doc_node *rows = doc_find(node, "rows");
	verdict->n_sentence = read_texts(verdict, doc_find(node, "text"), verdict->sentence, RUN_VERDICT_MAX_SENTENCE);
	verdict->n_note = read_texts(verdict, doc_find(node, "notes"), verdict->note,
	                             sizeof(verdict->note) / sizeof(verdict->note[0]));
	verdict->n_column = read_texts(verdict, doc_find(node, "columns"), verdict->column, RUN_VERDICT_MAX_COLUMN);
	for (size_t k = 0; k < verdict->n_column; k++)
		if (metric_find(verdict->column[k]) == N_METRIC)
			return false;
	for (size_t i = 0; rows && rows->kind == DOC_LIST && i < rows->n && verdict->n_row < RUN_VERDICT_MAX_ROW; i++)
		if (rows->value[i]->kind == DOC_MAP)
			read_row(verdict, rows->value[i], &verdict->row[verdict->n_row++]);
	return verdict->n_sentence > 0;
}
