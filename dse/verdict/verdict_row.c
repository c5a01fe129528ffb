/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows: machines, or where there are many, groups of those that had the same fate. Axes are given up one by one, first
 * the one that changes the figures least, until few groups are left.
 */
#include "dse/base/memory.h"
#include "dse/verdict/verdict_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of the machines of each fate; the others have one. */
enum { MAX_ON_FRONT = 6, MAX_BEATEN = 3 };

/* A machine with the group that it is in: its values on the axes that are kept. */
struct member {
	uint64_t key;
	uint32_t index;
};

struct grouping {
	const struct run_verdict_maker *maker;
	size_t n_axis; /* the machine file included */
	bool *is_kept; /* [n_axis] */
	size_t n;
	struct member *member; /* [n] */
};

static int compare_members(const void *left, const void *right)
{
	const struct member *a = left, *b = right;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* The groups with the axes that are kept, side by side; how many. */
static size_t form_groups(struct grouping *grouping)
{
	const struct space *space = grouping->maker->of->space;
	size_t n = 0;
	for (size_t i = 0; i < grouping->n; i++) {
		struct member *member = &grouping->member[i];
		member->key = 0;
		for (size_t axis = 0; axis < grouping->n_axis; axis++)
			if (grouping->is_kept[axis])
				member->key = member->key * run_verdict_axis_n(space, axis) +
				              run_verdict_axis_at(space, member->index, axis);
	}
	qsort(grouping->member, grouping->n, sizeof(*grouping->member), compare_members);
	for (size_t i = 0; i < grouping->n; i++)
		n += i == 0 || grouping->member[i].key != grouping->member[i - 1].key;
	return n;
}

static size_t group_end(const struct grouping *grouping, size_t begin)
{
	size_t end = begin + 1;
	while (end < grouping->n && grouping->member[end].key == grouping->member[begin].key)
		end++;
	return end;
}

/* How far the least values of groups' machines are apart: the sum of the logarithms of largest over least. */
static double spread_of_groups(const struct grouping *grouping)
{
	const struct run_verdict_maker *maker = grouping->maker;
	double sum = 0.0;
	for (size_t begin = 0, end; begin < grouping->n; begin = end) {
		end = group_end(grouping, begin);
		for (size_t k = 0; k < maker->of->space->n_objective; k++) {
			double least = INFINITY, most = 0.0;
			for (size_t i = begin; i < end; i++) {
				double value = maker->verdict->machine[grouping->member[i].index].least[k];
				least = value > 0.0 ? fmin(least, value) : least;
				most = isfinite(value) ? fmax(most, value) : most;
			}
			sum += most > least ? log(most / least) : 0.0;
		}
	}
	return sum;
}

/* Give up the axis without which the machines of a group are most alike. */
static void drop_axis(struct grouping *grouping)
{
	size_t best = grouping->n_axis;
	double least = INFINITY;
	for (size_t axis = 0; axis < grouping->n_axis; axis++) {
		if (!grouping->is_kept[axis])
			continue;
		grouping->is_kept[axis] = false;
		(void)form_groups(grouping);
		double spread = spread_of_groups(grouping);
		grouping->is_kept[axis] = true;
		if (best == grouping->n_axis || spread < least) {
			least = spread;
			best = axis;
		}
	}
	assert(best < grouping->n_axis);
	grouping->is_kept[best] = false;
}

static bool drops_more(const struct grouping *grouping)
{
	for (size_t axis = 0; axis < grouping->n_axis; axis++)
		if (grouping->is_kept[axis])
			return true;
	return false;
}

/* Objectives that differ among designs of a machine; then what of the machine is an objective, or else its MAC units.
 */
static void list_columns(struct run_verdict_maker *maker, enum metric column[RUN_VERDICT_MAX_COLUMN])
{
	const struct space *space = maker->of->space;
	struct run_verdict *verdict = maker->verdict;
	size_t n_size = 0;
	for (size_t k = 0; k < space->n_objective; k++)
		if (maker->is_scaled[k])
			column[verdict->n_column++] = space->objective[k];
	for (size_t k = 0; k < space->n_objective; k++)
		if (!maker->is_scaled[k]) {
			column[verdict->n_column++] = space->objective[k];
			n_size++;
		}
	if (n_size == 0)
		column[verdict->n_column++] = METRIC_MAC_UNITS;
	for (size_t i = 0; i < verdict->n_column; i++)
		verdict->column[i] = metric_table[column[i]].name;
}

/* The least of each column over machines, and of whom bounds say it. */
static void take_values(const struct run_verdict_maker *maker, const enum metric *column, const struct member *member,
                        size_t n, struct run_verdict_row *row)
{
	const struct space *space = maker->of->space;
	for (size_t c = 0; c < maker->verdict->n_column; c++) {
		row->value[c] = INFINITY;
		for (size_t i = 0; i < n; i++) {
			const struct run_verdict_machine *machine = &maker->verdict->machine[member[i].index];
			double value = machine->metric[column[c]];
			for (size_t k = 0; k < space->n_objective; k++)
				if (maker->is_scaled[k] && space->objective[k] == column[c])
					value = machine->least[k];
			row->is_bound |= machine->is_bound;
			row->value[c] = fmin(row->value[c], value);
		}
	}
}

/* Whether what tells a machine that beats others from them is the same for all, "n_dram 2". */
static bool is_same_change(const struct run_verdict_maker *maker, const uint32_t *index, size_t n)
{
	const struct run_verdict_machine *machine = maker->verdict->machine;
	struct words_text first, other;
	words_clear(&first);
	for (size_t i = 0; i < n; i++) {
		words_clear(&other);
		if (machine[index[i]].by == RUN_VERDICT_NOBODY)
			return false;
		run_verdict_name_beside(maker->of->space, machine[index[i]].by, &index[i], 1, i > 0 ? &other : &first);
		if (i > 0 && strcmp(first.text, other.text) != 0)
			return false;
	}
	return true;
}

/* How many machines beat these, each by itself; 0: some are beaten by none alone. */
static size_t count_winners(const struct run_verdict *verdict, const uint32_t *index, size_t n)
{
	size_t n_winner = 0;
	for (size_t i = 0; i < n; i++) {
		bool is_new = true;
		if (verdict->machine[index[i]].by == RUN_VERDICT_NOBODY)
			return 0;
		for (size_t k = 0; k < i && is_new; k++)
			is_new = verdict->machine[index[k]].by != verdict->machine[index[i]].by;
		n_winner += is_new;
	}
	return n_winner;
}

#define CLOSE_TO "close to "

/* Whether all of these lost by less than the model can tell. */
static bool are_close(const struct run_verdict *verdict, const uint32_t *index, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(verdict->machine[index[i]].doubt_frac > 0.0))
			return false;
	return true;
}

/* "beaten by 16x2": by what tells whoever beats them all from them. */
static const char *place_text(struct run_verdict_maker *maker, const uint32_t *index, size_t n)
{
	struct run_verdict *verdict = maker->verdict;
	const struct run_verdict_machine *first = &verdict->machine[index[0]];
	struct words_text text;
	words_clear(&text);
	if (first->place != RUN_VERDICT_BEATEN)
		return run_verdict_place_name[first->place];
	words_add(&text, are_close(verdict, index, n) ? CLOSE_TO : "beaten by ");
	size_t n_winner = count_winners(verdict, index, n);
	if (is_same_change(maker, index, n))
		run_verdict_name_beside(maker->of->space, first->by, index, 1, &text);
	else if (n_winner == 1)
		run_verdict_name_beside(maker->of->space, first->by, index, n, &text);
	else if (n_winner == 0)
		words_add(&text, "the front");
	else
		words_add(&text, "%zu of the front", n_winner);
	return run_verdict_text(verdict, text.text);
}

static void fill_row(struct run_verdict_maker *maker, const enum metric *column, const struct member *member, size_t n,
                     uint32_t *index, struct run_verdict_row *row)
{
	struct run_verdict *verdict = maker->verdict;
	const struct run_verdict_machine *best = &verdict->machine[member[0].index];
	struct words_text text;
	*row =
	    (struct run_verdict_row){.first = member[0].index, .n_machine = n, .kind = best->place, .margin = INFINITY};
	for (size_t i = 0; i < n; i++) {
		const struct run_verdict_machine *machine = &verdict->machine[member[i].index];
		index[i] = member[i].index;
		row->margin = isnan(machine->margin) ? NAN : fmin(row->margin, machine->margin);
		if (isnan(row->margin))
			break;
	}
	for (size_t i = 0; i < n; i++) {
		const struct run_verdict_machine *machine = &verdict->machine[member[i].index];
		index[i] = member[i].index;
		if (machine->fastest.is_known && (!best->fastest.is_known || machine->least[0] < best->least[0]))
			best = machine;
	}
	words_clear(&text);
	run_verdict_name_group(maker->of->space, index, n, &text);
	row->machines = run_verdict_text(verdict, text.text);
	words_clear(&text);
	if (best->fastest.is_known)
		run_verdict_name_bounds(&best->fastest, &text);
	row->bound = run_verdict_text(verdict, text.text);
	row->by = count_winners(verdict, index, n) == 1 ? verdict->machine[index[0]].by : RUN_VERDICT_NOBODY;
	row->place = place_text(maker, index, n);
	take_values(maker, column, member, n, row);
}

static int compare_rows(const void *left, const void *right)
{
	const struct run_verdict_row *a = left, *b = right;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->value[0] < b->value[0] || a->value[0] > b->value[0])
		return a->value[0] < b->value[0] ? -1 : 1;
	return strcmp(a->machines, b->machines);
}

/* The rows of the machines of one fate. */
static void add_rows(struct run_verdict_maker *maker, enum run_verdict_place place, size_t max,
                     const enum metric *column, struct grouping *grouping, uint32_t *index)
{
	struct run_verdict *verdict = maker->verdict;
	grouping->n = 0;
	for (size_t i = 0; i < verdict->n_machine; i++)
		if (verdict->machine[i].place == place)
			grouping->member[grouping->n++].index = (uint32_t)i;
	for (size_t i = 0; i < grouping->n_axis; i++)
		grouping->is_kept[i] = run_verdict_axis_n(maker->of->space, i) > 1;
	while (form_groups(grouping) > max && drops_more(grouping))
		drop_axis(grouping);
	for (size_t begin = 0, end; begin < grouping->n; begin = end) {
		end = group_end(grouping, begin);
		assert(verdict->n_row < sizeof(verdict->row) / sizeof(verdict->row[0]));
		fill_row(maker, column, grouping->member + begin, end - begin, index, &verdict->row[verdict->n_row++]);
	}
}

/* Whoever has a row of its own is named by that, where the name is long. */
static void name_rows(struct run_verdict *verdict)
{
	enum { LONG_PLACE = 30 };
	for (size_t i = 0; i < verdict->n_row; i++)
		for (size_t k = 0; k < verdict->n_row && strlen(verdict->row[i].place) > LONG_PLACE; k++)
			if (verdict->row[k].n_machine == 1 && verdict->row[k].first == verdict->row[i].by) {
				char text[64];
				bool is_close = strncmp(verdict->row[i].place, CLOSE_TO, strlen(CLOSE_TO)) == 0;
				(void)snprintf(text, sizeof(text), "%srow %zu", is_close ? CLOSE_TO : "beaten by ",
				               k + 1);
				verdict->row[i].place = run_verdict_text(verdict, text);
			}
}

void run_verdict_make_rows(struct run_verdict_maker *maker)
{
	struct run_verdict *verdict = maker->verdict;
	enum metric column[RUN_VERDICT_MAX_COLUMN];
	struct grouping grouping = {.maker = maker, .n_axis = maker->of->space->n_axis + 1};
	if (verdict->n_machine == 0)
		return;
	grouping.is_kept = memory_array(grouping.n_axis, sizeof(*grouping.is_kept));
	grouping.member = memory_array(verdict->n_machine, sizeof(*grouping.member));
	uint32_t *index = memory_array(verdict->n_machine, sizeof(*index));
	list_columns(maker, column);
	for (unsigned place = 0; place < RUN_VERDICT_N_PLACE; place++)
		add_rows(maker, (enum run_verdict_place)place,
		         place == RUN_VERDICT_ON_FRONT ? MAX_ON_FRONT
		         : place == RUN_VERDICT_BEATEN ? MAX_BEATEN
		                                       : 1,
		         column, &grouping, index);
	qsort(verdict->row, verdict->n_row, sizeof(*verdict->row), compare_rows);
	name_rows(verdict);
	free(index);
	free(grouping.member);
	free(grouping.is_kept);
}
