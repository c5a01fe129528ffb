/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules from both ends of a chain, for one limit. In the direction in which the relaxed chain just keeps the limit,
 * every choice costs something above the relaxed chain, its reduced cost. A schedule whose reduced costs sum to no more
 * than a gap has a stage before and after which they sum to no more than half of it each:
 *
 *   stages      0 1 2 ... t-1 |  t  | t+1 ... n-1
 *               front, <= gap/2 | any | back, <= gap/2
 *
 * So fronts and backs of half the gap are listed and joined by each mode of the stage between them; where the gap is
 * that of a dozen changes of level, lists of half of them are far shorter than one of all. The gap begins at the
 * tolerance and grows until it holds a schedule, which is the best then, or all that could be better than the known
 * one.
 */
#include "dse/base/interrupt.h"
#include "dse/base/memory.h"
#include "dse/power/power_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_SLACK 5e-13
/* Sums of doubles that differ by less, as a part of the relaxed chain's value, are equal. */
#define VALUE_SLACK 1e-13
#define GROWTH 1.5
#define MANY_IN_ROW 500
#define NO_LABEL UINT32_MAX

/* Some stages at one end of the chain. */
struct end_label {
	double ns, pj, limit, objective;
	uint32_t next; /* the label of one stage less; NO_LABEL: none */
	uint32_t mode; /* of its last stage, in chain->mode */
};

/* Labels at one end by stage and level: of row r begin[r] to begin[r + 1]. */
struct end_list {
	struct end_label *label;
	size_t n, n_room;
	size_t *begin; /* [n_row] first, [n_row] end: rows are made in either order */
	size_t *end;
};

struct meet {
	const struct power_chain *chain;
	const struct power_aim *aim;
	const struct power_bound *relaxed;
	double root, gap;           /* of the relaxed chain in its direction */
	size_t max_label, most_row; /* most_row: of a row; of more some are left out */
	bool is_thin, is_full;      /* some were left out; there are more than max_label */
	struct end_list front,
	    back; /* rows: stages before or from here * n_level + level here; fronts: by the next stage's */
	struct end_label *candidate;
	size_t n_candidate, n_candidate_room;
	/* the best whole schedule: a front, a mode and a back; best: its objective, or what is to be beaten */
	double best;
	bool is_found;
	size_t found_stage;
	uint32_t found_front, found_mode, found_back;
};

static double relaxed_value(const struct meet *meet, double ns, double pj)
{
	return power_value(meet->relaxed->weight, ns, pj);
}

/* The cheapest rest from a level after so many stages. */
static double rest_value(const struct meet *meet, size_t stage, uint32_t level)
{
	size_t at = stage * meet->chain->n_level + level;
	return relaxed_value(meet, meet->relaxed->ns[at], meet->relaxed->pj[at]);
}

static double slack_of(const struct meet *meet)
{
	const struct power_chain *chain = meet->chain;
	const struct power_weight *weight = &meet->relaxed->weight;
	return VALUE_SLACK * (fabs(weight->per_ns) * chain->most_ns + fabs(weight->per_pj) * chain->most_pj);
}

/* Time and energy of a mode, with the change to it from a level (UINT32_MAX: the start). */
static struct end_label step_of(const struct meet *meet, uint32_t from, size_t mode)
{
	const struct power_chain *chain = meet->chain;
	const struct chain_mode *to = &chain->mode[mode];
	struct end_label step = {.ns = to->ns, .pj = to->pj, .mode = (uint32_t)mode, .next = NO_LABEL};
	if (from < chain->n_level) {
		step.ns += chain->switch_ns[from][to->entry];
		step.pj += chain->switch_pj[from][to->entry];
	}
	return step;
}

static void put_candidate(struct meet *meet, struct end_label label)
{
	if (meet->n_candidate == meet->n_candidate_room) {
		meet->n_candidate_room = meet->n_candidate_room ? 2 * meet->n_candidate_room : 1024;
		meet->candidate = memory_resize(meet->candidate, meet->n_candidate_room, sizeof(*meet->candidate));
	}
	label.limit = power_value(meet->aim->limit[0], label.ns, label.pj);
	label.objective = power_value(meet->aim->objective, label.ns, label.pj);
	meet->candidate[meet->n_candidate++] = label;
}

static int compare_labels(const void *a, const void *b)
{
	const struct end_label *one = a, *other = b;
	if (one->limit < other->limit || one->limit > other->limit)
		return one->limit < other->limit ? -1 : 1;
	if (one->objective < other->objective || one->objective > other->objective)
		return one->objective < other->objective ? -1 : 1;
	if (one->next != other->next)
		return one->next < other->next ? -1 : 1;
	return one->mode < other->mode ? -1 : one->mode > other->mode;
}

/* Of a row's labels, the last ones of the list, so many, evenly from the first to the last. */
static void thin_row(struct meet *meet, struct end_list *list, size_t row)
{
	size_t begin = list->begin[row], n = list->n - begin, most = meet->most_row;
	if (n <= most)
		return;
	for (size_t i = 0; i < most; i++)
		list->label[begin + i] = list->label[begin + i * (n - 1) / (most - 1)];
	list->n = begin + most;
	meet->is_thin = true;
}

/* The candidates that no other one beats become the labels of a row: by the limit, the objective falling. */
static void keep_row(struct meet *meet, struct end_list *list, size_t row)
{
	double least = INFINITY;
	list->begin[row] = list->end[row] = list->n;
	if (meet->n_candidate == 0)
		return;
	qsort(meet->candidate, meet->n_candidate, sizeof(*meet->candidate), compare_labels);
	for (size_t i = 0; i < meet->n_candidate; i++) {
		if (!(meet->candidate[i].objective < least))
			continue;
		least = meet->candidate[i].objective;
		if (list->n == list->n_room) {
			list->n_room = list->n_room ? list->n_room / 2 * 3 : 4096;
			list->label = memory_resize(list->label, list->n_room, sizeof(*list->label));
		}
		list->label[list->n++] = meet->candidate[i];
	}
	thin_row(meet, list, row);
	list->end[row] = list->n;
	meet->n_candidate = 0;
	meet->is_full |= meet->front.n + meet->back.n > meet->max_label;
}

/* A front that goes on in one mode, where its reduced cost stays in half the gap. */
static void extend_front(struct meet *meet, size_t stage, uint32_t from, size_t mode)
{
	size_t row = stage * meet->chain->n_level + (from < meet->chain->n_level ? from : 0);
	struct end_label step = step_of(meet, from, mode);
	double rest = rest_value(meet, stage + 1, meet->chain->mode[mode].level) - meet->root, half = meet->gap / 2;
	for (size_t i = meet->front.begin[row]; i < meet->front.end[row]; i++) {
		const struct end_label *label = &meet->front.label[i];
		struct end_label next = step;
		next.ns += label->ns;
		next.pj += label->pj;
		next.next = (uint32_t)i;
		if (relaxed_value(meet, next.ns, next.pj) + rest <= half)
			put_candidate(meet, next);
	}
}

static bool is_level(const struct power_chain *chain, uint32_t level)
{
	return chain->levels >> level & 1;
}

/* Fronts of so many stages and one, by the level at which they end. */
static void list_fronts(struct meet *meet, size_t stage)
{
	const struct power_chain *chain = meet->chain;
	size_t segment = chain->segment[stage];
	for (uint32_t to = 0; to < chain->n_level; to++) {
		for (size_t m = chain->begin[segment]; m < chain->begin[segment + 1] && is_level(chain, to); m++) {
			if (chain->mode[m].level != to)
				continue;
			for (uint32_t from = 0; stage > 0 && from < chain->n_level; from++)
				if (is_level(chain, from))
					extend_front(meet, stage, from, m);
			if (stage == 0)
				extend_front(meet, stage, UINT32_MAX, m);
		}
		keep_row(meet, &meet->front, (stage + 1) * chain->n_level + to);
	}
}

/* Backs from a stage on, by the level before it. */
static void list_backs(struct meet *meet, size_t stage)
{
	const struct power_chain *chain = meet->chain;
	size_t segment = chain->segment[stage];
	for (uint32_t from = 0; from < chain->n_level; from++) {
		double rest = is_level(chain, from) ? rest_value(meet, stage, from) : 0, half = meet->gap / 2;
		for (size_t m = chain->begin[segment]; m < chain->begin[segment + 1] && is_level(chain, from); m++) {
			size_t row = (stage + 1) * chain->n_level + chain->mode[m].level;
			struct end_label step = step_of(meet, from, m);
			for (size_t i = meet->back.begin[row]; i < meet->back.end[row]; i++) {
				struct end_label next = step;
				next.ns += meet->back.label[i].ns;
				next.pj += meet->back.label[i].pj;
				next.next = (uint32_t)i;
				if (relaxed_value(meet, next.ns, next.pj) - rest <= half)
					put_candidate(meet, next);
			}
		}
		keep_row(meet, &meet->back, stage * chain->n_level + from);
	}
}

/* All fronts from one level and all backs to another, with one mode between: of each front the best back that has room.
 */
static void join(struct meet *meet, size_t stage, uint32_t from, size_t mode)
{
	const struct power_chain *chain = meet->chain;
	const struct power_aim *aim = meet->aim;
	uint32_t to = chain->mode[mode].level;
	struct end_label step = step_of(meet, from, mode);
	double before = from < chain->n_level ? rest_value(meet, stage, from) : meet->root;
	if (relaxed_value(meet, step.ns, step.pj) + rest_value(meet, stage + 1, to) - before > meet->gap)
		return;
	size_t row = stage * chain->n_level + (from < chain->n_level ? from : 0);
	size_t last = (stage + 1) * chain->n_level + to, begin = meet->back.begin[last], at = meet->back.end[last];
	double limit = power_value(aim->limit[0], step.ns, step.pj),
	       objective = power_value(aim->objective, step.ns, step.pj);
	for (size_t i = meet->front.begin[row]; i < meet->front.end[row]; i++) {
		const struct end_label *front = &meet->front.label[i];
		double slack = LIMIT_SLACK * fmax(fabs(aim->most[0]), fabs(aim->limit[0].per_ns) * chain->most_ns);
		while (at > begin && front->limit + limit + meet->back.label[at - 1].limit > aim->most[0] + 0.1 * slack)
			at--;
		if (at == begin)
			return;
		double value = front->objective + objective + meet->back.label[at - 1].objective;
		if (!(value < meet->best))
			continue;
		meet->best = value;
		meet->is_found = true;
		meet->found_stage = stage;
		meet->found_front = (uint32_t)i;
		meet->found_mode = (uint32_t)mode;
		meet->found_back = (uint32_t)(at - 1);
	}
}

static void join_all(struct meet *meet, size_t stage)
{
	const struct power_chain *chain = meet->chain;
	size_t segment = chain->segment[stage];
	for (size_t m = chain->begin[segment]; m < chain->begin[segment + 1]; m++) {
		if (stage == 0)
			join(meet, stage, UINT32_MAX, m);
		for (uint32_t from = 0; stage > 0 && from < chain->n_level; from++)
			if (is_level(chain, from))
				join(meet, stage, from, m);
	}
}

/* The schedule found: its front from the end to the start, its back on from there. */
static void take_found(const struct meet *meet, struct meet_best *best)
{
	const struct power_chain *chain = meet->chain;
	size_t stage = meet->found_stage;
	best->mode[stage] = meet->found_mode;
	for (uint32_t i = meet->found_front; stage > 0; i = meet->front.label[i].next)
		best->mode[--stage] = meet->front.label[i].mode;
	stage = meet->found_stage + 1;
	for (uint32_t i = meet->found_back; stage < chain->n_stage; i = meet->back.label[i].next)
		best->mode[stage++] = meet->back.label[i].mode;
	best->is_found = true;
	best->objective = meet->best;
}

static bool is_over(const struct meet *meet)
{
	return meet->is_full || interrupt_requested();
}

/* All schedules within the gap, unless it is over before. */
static void search_gap(struct meet *meet)
{
	const struct power_chain *chain = meet->chain;
	size_t n_level = chain->n_level;
	meet->front.n = meet->back.n = 0;
	for (uint32_t l = 0; l < n_level; l++) {
		if (is_level(chain, l))
			put_candidate(
			    meet, (struct end_label){.ns = chain->end_ns[l], .pj = chain->end_pj[l], .next = NO_LABEL});
		keep_row(meet, &meet->back, chain->n_stage * n_level + l);
	}
	for (size_t stage = chain->n_stage; stage-- > 0 && !is_over(meet);)
		list_backs(meet, stage);
	put_candidate(meet, (struct end_label){.next = NO_LABEL});
	keep_row(meet, &meet->front, 0);
	for (size_t stage = 0; stage < chain->n_stage && !is_over(meet); stage++) {
		join_all(meet, stage);
		if (stage + 1 < chain->n_stage)
			list_fronts(meet, stage);
	}
}

static void list_make(struct end_list *list, size_t n_row)
{
	*list = (struct end_list){.begin = memory_array(n_row, sizeof(*list->begin)),
	                          .end = memory_array(n_row, sizeof(*list->end))};
}

static void list_free(struct end_list *list)
{
	free(list->label);
	free(list->begin);
	free(list->end);
}

/*
 * What is better than the best known one within a gap, into best; false: not all of it was looked at. Where many labels
 * cost nearly nothing, a few of each row lead to a schedule that is as good as the best.
 */
static bool look_within(struct meet *meet, double gap, size_t most_row, struct meet_best *best)
{
	meet->gap = gap + slack_of(meet);
	meet->most_row = most_row;
	meet->is_found = meet->is_thin = meet->is_full = false;
	search_gap(meet);
	if (meet->is_found)
		take_found(meet, best);
	best->n_label += meet->front.n + meet->back.n;
	return !meet->is_thin && !is_over(meet);
}

enum err_code power_meet(const struct power_chain *chain, const struct power_aim *aim,
                         const struct power_bound *relaxed, double constant, size_t max_label, struct meet_best *best,
                         struct err *err)
{
	struct meet meet = {
	    .chain = chain, .aim = aim, .relaxed = relaxed, .max_label = max_label, .best = best->objective};
	size_t n_row = (chain->n_stage + 1) * chain->n_level, most_row = MANY_IN_ROW;
	assert(aim->n_limit == 1 && aim->tolerance > 0 && max_label < NO_LABEL / 2);
	meet.root = relaxed_value(&meet, relaxed->root_ns, relaxed->root_pj);
	double root = meet.root + constant, gap = aim->tolerance * fabs(root), proven = 0;
	list_make(&meet.front, n_row);
	list_make(&meet.back, n_row);
	for (;;) {
		/* beyond this nothing is better than the best by the tolerance */
		double most = meet.best - aim->tolerance * fabs(meet.best) - root;
		best->is_exact = most <= proven;
		if (best->is_exact || interrupt_requested())
			break;
		if (look_within(&meet, fmin(gap, most), most_row, best)) {
			proven = fmin(gap, most);
			gap *= GROWTH;
			most_row = MANY_IN_ROW;
		} else if (most_row == SIZE_MAX) {
			break;
		} else {
			most_row = SIZE_MAX;
		}
	}
	best->bound = fmin(root + proven, best->objective);
	list_free(&meet.front);
	list_free(&meet.back);
	free(meet.candidate);
	return interrupt_requested() ? err_add(err, ERR_INTERRUPTED, "interrupted; nothing was written") : ERR_OK;
}
