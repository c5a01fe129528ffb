/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machines that lost, in sentences on groups: of those that one machine beats, or of those that are beaten by "the same
 * with n_dram 2", whichever groups are fewer. Of each group the margin, and the reason that its machines share.
 */
#include "dse/base/memory.h"
#include "dse/verdict/verdict_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sentences on groups. */
enum { MAX_GROUP = 3 };

/* Machines that lost, by groups, side by side. */
struct beaten {
	const struct space *space;
	const struct run_verdict_machine *machine; /* all of the verdict's */
	size_t n;
	uint32_t *index; /* [n] */
	size_t n_group;
	size_t *begin; /* [n_group + 1] */
};

/* ---- groups -------------------------------------------------------------------------------------------- */

/* What the machine that beats another has on an axis instead; SIZE_MAX: the same. */
static size_t instead(const struct space *space, const struct run_verdict_machine *machine, size_t axis)
{
	size_t at = run_verdict_axis_at(space, machine->by, axis);
	return at == run_verdict_axis_at(space, machine->index, axis) ? SIZE_MAX : at;
}

/* By what is known of them; those that lost by less than the model can tell come last. */
static int compare_doubts(const struct run_verdict_machine *a, const struct run_verdict_machine *b)
{
	if (a->basis != b->basis)
		return a->basis < b->basis ? -1 : 1;
	return a->doubt_frac < b->doubt_frac ? -1 : a->doubt_frac > b->doubt_frac;
}

/* Groups of machines to which the machines that beat them differ alike. */
static int compare_changes(const struct beaten *beaten, uint32_t left, uint32_t right)
{
	const struct run_verdict_machine *a = &beaten->machine[left], *b = &beaten->machine[right];
	int order = compare_doubts(a, b);
	if (order != 0)
		return order;
	bool is_alone[] = {a->by == RUN_VERDICT_NOBODY, b->by == RUN_VERDICT_NOBODY};
	if (is_alone[0] || is_alone[1])
		return is_alone[0] - is_alone[1];
	for (size_t axis = 0; axis <= beaten->space->n_axis; axis++) {
		size_t mine = instead(beaten->space, a, axis), other = instead(beaten->space, b, axis);
		if (mine != other)
			return mine < other ? -1 : 1;
	}
	return 0;
}

/* Groups of machines that one machine beats. */
static int compare_winners(const struct beaten *beaten, uint32_t left, uint32_t right)
{
	uint32_t a = beaten->machine[left].by, b = beaten->machine[right].by;
	int order = compare_doubts(&beaten->machine[left], &beaten->machine[right]);
	return order != 0 ? order : a < b ? -1 : a > b;
}

typedef int comparing(const struct beaten *beaten, uint32_t left, uint32_t right);

/* Merge the sorted halves [begin, middle) and [middle, end). */
static void merge_halves(const struct beaten *beaten, comparing *compare, uint32_t *spare, size_t begin, size_t middle,
                         size_t end)
{
	size_t n = middle - begin, i = 0, k = middle, to = begin;
	memcpy(spare, beaten->index + begin, n * sizeof(*spare));
	while (i < n && k < end)
		beaten->index[to++] =
		    compare(beaten, spare[i], beaten->index[k]) <= 0 ? spare[i++] : beaten->index[k++];
	while (i < n)
		beaten->index[to++] = spare[i++];
}

/* Machines of a group stay in ascending order. */
static void sort_stably(const struct beaten *beaten, comparing *compare, uint32_t *spare)
{
	for (size_t width = 1; width < beaten->n; width *= 2)
		for (size_t begin = 0; begin + width < beaten->n; begin += 2 * width) {
			size_t end = begin + 2 * width < beaten->n ? begin + 2 * width : beaten->n;
			merge_halves(beaten, compare, spare, begin, begin + width, end);
		}
}

/* Sort the machines into groups. */
static void form_groups(struct beaten *beaten, comparing *compare)
{
	uint32_t *spare = memory_array(beaten->n, sizeof(*spare));
	sort_stably(beaten, compare, spare);
	beaten->n_group = 0;
	for (size_t i = 0; i < beaten->n; i++)
		if (i == 0 || compare(beaten, beaten->index[i - 1], beaten->index[i]) != 0)
			beaten->begin[beaten->n_group++] = i;
	beaten->begin[beaten->n_group] = beaten->n;
	free(spare);
}

/* ---- a sentence ---------------------------------------------------------------------------------------- */

/* A group, with the machine that beats each of its members. */
struct group {
	size_t n;
	const uint32_t *index;
	uint32_t *by;   /* [n] */
	uint32_t alone; /* who beats all of them; NOBODY: not one machine */
	double least, most;
};

static struct group take_group(const struct beaten *beaten, size_t k)
{
	size_t begin = beaten->begin[k];
	struct group group = {.n = beaten->begin[k + 1] - begin, .index = beaten->index + begin, .least = INFINITY};
	group.by = memory_array(group.n, sizeof(*group.by));
	group.alone = beaten->machine[group.index[0]].by;
	for (size_t i = 0; i < group.n; i++) {
		const struct run_verdict_machine *machine = &beaten->machine[group.index[i]];
		group.by[i] = machine->by;
		group.alone = machine->by == group.alone ? group.alone : RUN_VERDICT_NOBODY;
		group.least = fmin(group.least, machine->margin);
		group.most = fmax(group.most, machine->margin);
	}
	return group;
}

/* Rounded down: it is at least so much. */
static double round_down(double margin)
{
	double pct = 100.0 * margin, digits = pct >= 10.0 ? 1.0 : pct >= 1.0 ? 10.0 : 100.0;
	return floor(pct * digits) / digits;
}

/* Of two machines, which are named, one after the other. */
static void add_margins(struct run_verdict_maker *maker, const struct group *group)
{
	double first = round_down(maker->verdict->machine[group->index[0]].margin);
	struct words_text *text = &maker->text;
	if (!(group->least >= RUN_VERDICT_SAME_FRAC)) {
		words_add(text, ", or equalled");
		return;
	}
	/* infinite: those that beat it have 0 where it has more */
	if (isinf(group->least)) {
		words_add(text, ", by any factor");
		return;
	}
	words_add(text, ", by ");
	if (isinf(group->most))
		words_add(text, "%.3g", round_down(group->least));
	else if (group->n == 2 && round_down(group->least) < round_down(group->most))
		words_add(text, "%.3g and %.3g", first, round_down(maker->verdict->machine[group->index[1]].margin));
	else
		run_verdict_add_range(text, round_down(group->least), round_down(group->most));
	words_add(text, " %% at least");
}

/* A long name that was said is not said again. */
static void add_winner(struct run_verdict_maker *maker, const struct group *group)
{
	enum { LONG_NAME = 20 };
	struct words_text name;
	words_clear(&name);
	if (group->by[0] == RUN_VERDICT_NOBODY) {
		words_add(&maker->text, "several machines of the front together");
		return;
	}
	if (group->alone == RUN_VERDICT_NOBODY) {
		words_add(&maker->text, "the same with ");
		run_verdict_name_beside(maker->of->space, group->by[0], group->index, 1, &maker->text);
		return;
	}
	run_verdict_name(maker->of->space, group->alone, &name);
	words_add(&maker->text, "%s",
	          name.n > LONG_NAME && group->alone == run_verdict_find_winner(maker) ? "the winner" : name.text);
}

/* Where the front is the event tier's, what else they are beaten in; false: not all in the same. */
static bool add_basis(struct run_verdict_maker *maker, const struct group *group)
{
	static const char *const words[] = {[RUN_VERDICT_ALL_DESIGNS] = "",
	                                    [RUN_VERDICT_FAST_TIER] = " in the fast tier",
	                                    [RUN_VERDICT_PRICED_DESIGNS] = " in designs that got a price"};
	const struct run_verdict_machine *machine = maker->verdict->machine;
	for (size_t i = 1; i < group->n; i++)
		if (machine[group->index[i]].basis != machine[group->index[0]].basis)
			return false;
	words_add(&maker->text, "%s", words[machine[group->index[0]].basis]);
	return true;
}

/* A size that is an objective is no excuse: whoever beats them has no more of it. */
static void add_sizes(struct run_verdict_maker *maker, const struct group *group)
{
	const struct run_verdict_machine *machine = maker->verdict->machine;
	const struct space *space = maker->of->space;
	for (size_t k = 0; k < space->n_objective && group->by[0] != RUN_VERDICT_NOBODY; k++) {
		enum metric metric = space->objective[k];
		double first = machine[group->by[0]].metric[metric] / machine[group->index[0]].metric[metric];
		bool is_same = true;
		if (maker->is_scaled[k] || !isfinite(first))
			continue;
		for (size_t i = 0; i < group->n; i++) {
			double ratio = machine[group->by[i]].metric[metric] / machine[group->index[i]].metric[metric];
			is_same = is_same && fabs(ratio / first - 1.0) < 1e-9;
			run_verdict_claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_SIZE,
			                                                    .machine = group->by[i],
			                                                    .other = group->index[i],
			                                                    .objective = (unsigned)metric,
			                                                    .value = ratio});
		}
		words_add(&maker->text, ", with ");
		if (!is_same)
			words_add(&maker->text, "no more");
		else if (fabs(first - 1.0) < 1e-9)
			words_add(&maker->text, "as %s", metric == METRIC_MAC_UNITS ? "many" : "much");
		else
			run_verdict_add_times(&maker->text, first);
		words_add(&maker->text, " %s", metric_table[metric].label);
		return;
	}
}

/* By less than the model can tell: ", too close to call (+-7 %)". */
static void add_doubt(struct run_verdict_maker *maker, const struct group *group)
{
	const struct run_verdict_machine *machine = maker->verdict->machine;
	double frac = 0.0;
	size_t n = 0;
	for (size_t i = 0; i < group->n; i++) {
		double own = machine[group->index[i]].doubt_frac;
		n += own > 0.0;
		frac = fmax(frac, own);
		if (own > 0.0)
			run_verdict_claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_CLOSE,
			                                                    .machine = group->index[i],
			                                                    .other = machine[group->index[i]].by,
			                                                    .value = own});
	}
	if (n == 0)
		return;
	words_add(&maker->text, ", ");
	if (n < group->n)
		words_add(&maker->text, "%zu of them ", n);
	run_verdict_add_close(maker, frac);
}

static void claim_group(struct run_verdict_maker *maker, const struct group *group)
{
	uint32_t *member = memory_must(arena_array(&maker->verdict->arena, group->n, sizeof(*member)));
	memcpy(member, group->index, group->n * sizeof(*member));
	run_verdict_claim(maker,
	                  (struct run_verdict_claim){.kind = RUN_VERDICT_GROUP,
	                                             .machine = group->index[0],
	                                             .other = group->alone,
	                                             .value = group->least,
	                                             .is_event = maker->verdict->machine[group->index[0]].is_event,
	                                             .n_member = group->n,
	                                             .member = member});
}

/* "n_dram 1 (3 machines) are beaten everywhere by the same with n_dram 2, by 0.25 % at least, because ..." */
static void say_group(struct run_verdict_maker *maker, const struct group *group)
{
	run_verdict_name_all(maker->of->space, group->index, group->n, &maker->text);
	words_add(&maker->text, " %s beaten everywhere by ", group->n > 1 ? "are" : "is");
	add_winner(maker, group);
	(void)add_basis(maker, group);
	add_margins(maker, group);
	add_doubt(maker, group);
	claim_group(maker, group);
	add_sizes(maker, group);
	if (group->by[0] == RUN_VERDICT_NOBODY ||
	    !run_verdict_add_reasons(maker, group->index, group->by, group->n, false))
		run_verdict_add_most(maker, group->index, group->n);
	words_add(&maker->text, ".");
	run_verdict_say(maker);
}

/* ---- all of them --------------------------------------------------------------------------------------- */

/* Each machine by itself, for programs. */
static void claim_each(struct run_verdict_maker *maker)
{
	const struct run_verdict *verdict = maker->verdict;
	for (size_t i = 0; i < verdict->n_machine; i++) {
		const struct run_verdict_machine *own = &verdict->machine[i];
		if (own->place == RUN_VERDICT_BEATEN)
			run_verdict_claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_BEATS,
			                                                    .machine = own->index,
			                                                    .other = own->by,
			                                                    .value = own->margin,
			                                                    .is_event = own->is_event});
	}
}

/* The groups that no sentence is on. */
static void say_left(struct run_verdict_maker *maker, const struct beaten *beaten)
{
	struct beaten left = *beaten;
	size_t begin[] = {beaten->begin[MAX_GROUP], beaten->n};
	left.begin = begin;
	struct group group = take_group(&left, 0);
	words_add(&maker->text, "%zu other machine%s beaten everywhere", group.n, group.n == 1 ? " is" : "s are");
	if (add_basis(maker, &group))
		add_margins(maker, &group);
	add_doubt(maker, &group);
	words_add(&maker->text, ".");
	claim_group(maker, &group);
	run_verdict_say(maker);
	free(group.by);
}

void run_verdict_say_beaten(struct run_verdict_maker *maker)
{
	const struct run_verdict *verdict = maker->verdict;
	struct beaten beaten = {.space = maker->of->space, .machine = verdict->machine};
	beaten.index = memory_array(verdict->n_machine, sizeof(*beaten.index));
	beaten.begin = memory_array(verdict->n_machine + 1, sizeof(*beaten.begin));
	for (uint32_t i = 0; i < verdict->n_machine; i++)
		if (verdict->machine[i].place == RUN_VERDICT_BEATEN)
			beaten.index[beaten.n++] = i;
	form_groups(&beaten, compare_changes);
	size_t n_change = beaten.n_group;
	form_groups(&beaten, compare_winners);
	if (n_change < beaten.n_group)
		form_groups(&beaten, compare_changes);
	for (size_t k = 0; k < beaten.n_group && k < MAX_GROUP; k++) {
		struct group group = take_group(&beaten, k);
		say_group(maker, &group);
		free(group.by);
	}
	if (beaten.n_group > MAX_GROUP)
		say_left(maker, &beaten);
	claim_each(maker);
	free(beaten.begin);
	free(beaten.index);
}
