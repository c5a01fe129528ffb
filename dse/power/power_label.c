/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Label setting over the stages of a chain. A label is a partial schedule that
 * ends at some level:
 *
 *   stage 0         stage 1         stage 2
 *   (ns, pj) ──┬──► (ns, pj) ──┬──► ...      level 0     one list of labels a level,
 *              ╳               ╳                         by time; energy falls along it
 *   (ns, pj) ──┴──► (ns, pj) ──┴──► ...      level 1
 *
 * A label goes when another one at the same level has less of both (dominance
 * in the aim's two extreme directions), when no completion can keep a limit, or
 * when its completion is bounded above the best known schedule in one of several
 * Lagrangian directions. Their multipliers lie round the one at which the
 * relaxed chain just keeps the limit, where the gap between bound and optimum,
 * and with it what survives, is least. Each label's completions are schedules
 * themselves, so that the best known one becomes the optimum early on.
 */
#include "dse/base/interrupt.h"
#include "dse/base/memory.h"
#include "dse/power/power_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_SLACK 5e-13
#define VALUE_SLACK 1e-12
#define DEFAULT_MAX_LABEL ((size_t)32 << 20) /* 768 MiB */
/* When more labels than this are there and the best known schedule is proven best already, ties are left alone. */
#define MANY_LABEL ((size_t)1 << 20)
#define NO_LABEL UINT32_MAX

/* Multipliers round the best one: the rest of a chain has its own, which drifts along the chain. */
static const double spread[] = {0.25, 0.5, 0.8, 0.93, 1.0, 1.07, 1.25, 2.0, 4.0};
#define N_SPREAD (sizeof(spread) / sizeof(spread[0]))
#define MAX_DIRECTION (1 + POWER_MAX_LIMIT * (1 + N_SPREAD))

struct power_label {
	double ns, pj;
	uint32_t parent;         /* a label of the stage before */
	uint16_t mode, n_switch; /* mode: of its segment's in chain->mode; n_switch: no more than fit */
};

struct label_candidate {
	struct power_label label;
	double slope_value;
	size_t order;
};

/* A direction to look in: a limit's own (is_limit), or objective + multiplier * limit. */
struct power_direction {
	struct power_bound bound;
	double constant, slack; /* value: weight * point + constant */
	double most;            /* of a limit */
	bool is_limit;
};

struct power_search {
	const struct power_chain *chain;
	const struct power_aim *aim;
	struct arena *scratch;
	struct power_direction direction[MAX_DIRECTION];
	size_t n_direction;
	size_t critical; /* of one limit and a tolerance: the direction in which the relaxed chain just keeps it; 0:
	                    none */
	double least;    /* best value known; infinite: none */
	/* The schedule that has it: a label, one mode more, then a direction's completion. */
	bool has_known;
	uint32_t known_parent;
	size_t known_stage, known_mode, known_direction; /* stage 0: filled has it, of no label */
	size_t *filled;
	struct power_label *label;
	size_t n_label, n_label_alloc, max_label;
	size_t *begin; /* [n_stage * n_level + 1] */
	struct label_candidate *candidate;
	size_t n_candidate, n_candidate_alloc;
	bool is_full;   /* more labels than allowed */
	uint64_t n_met; /* labels from both ends */
};

/* Whether a whole schedule keeps the limits, to 1e-12. */
static bool keeps_limits(const struct power_aim *aim, double ns, double pj)
{
	for (unsigned i = 0; i < aim->n_limit; i++) {
		double slack = LIMIT_SLACK * fmax(fabs(aim->most[i]), fabs(aim->limit[i].per_ns) * ns);
		if (!(power_value(aim->limit[i], ns, pj) <= aim->most[i] + slack))
			return false;
	}
	return true;
}

static void add_direction(struct power_search *search, struct power_weight weight, double constant, double most,
                          bool is_limit)
{
	const struct power_chain *chain = search->chain;
	assert(search->n_direction < MAX_DIRECTION);
	struct power_direction *direction = &search->direction[search->n_direction++];
	*direction = (struct power_direction){.constant = constant, .most = most, .is_limit = is_limit};
	direction->slack = VALUE_SLACK * (fabs(weight.per_ns) * chain->most_ns + fabs(weight.per_pj) * chain->most_pj +
	                                  fabs(constant));
	power_bound_build(chain, weight, search->scratch, &direction->bound);
}

/* Objective plus a multiple of a limit: not above the objective where the limit is kept. */
static struct power_weight relax(const struct power_aim *aim, unsigned limit, double multiplier)
{
	assert(limit < aim->n_limit && multiplier >= 0);
	return (struct power_weight){aim->objective.per_ns + multiplier * aim->limit[limit].per_ns,
	                             aim->objective.per_pj + multiplier * aim->limit[limit].per_pj};
}

/*
 * The multiplier at which the relaxed chain just keeps a limit: between a chain that breaks it (the objective's own
 * best) and one that keeps it, the line through both is moved out to the chain that lies furthest beyond it, until
 * there is none.
 */
static double best_multiplier(const struct power_search *search, unsigned limit, const struct power_bound *free_best,
                              const struct power_bound *keeper)
{
	assert(limit < search->aim->n_limit);
	const struct power_aim *aim = search->aim;
	struct power_weight objective = aim->objective, weight = aim->limit[limit];
	double out_ns = free_best->root_ns, out_pj = free_best->root_pj;
	double in_ns = keeper->root_ns, in_pj = keeper->root_pj;
	double multiplier = 0;
	for (int i = 0; i < 64; i++) {
		double gained = power_value(weight, out_ns, out_pj) - power_value(weight, in_ns, in_pj);
		double paid = power_value(objective, in_ns, in_pj) - power_value(objective, out_ns, out_pj);
		struct power_bound bound;
		struct arena scratch = {0};
		if (!(gained > 0) || !(paid > 0) || !isfinite(paid / gained))
			break;
		multiplier = paid / gained;
		struct power_weight relaxed = relax(aim, limit, multiplier);
		power_bound_build(search->chain, relaxed, &scratch, &bound);
		arena_free(&scratch);
		double line = power_value(relaxed, out_ns, out_pj);
		if (!(power_value(relaxed, bound.root_ns, bound.root_pj) < line - 1e-13 * fabs(line)))
			break;
		bool keeps = power_value(weight, bound.root_ns, bound.root_pj) <= aim->most[limit];
		*(keeps ? &in_ns : &out_ns) = bound.root_ns;
		*(keeps ? &in_pj : &out_pj) = bound.root_pj;
	}
	return multiplier;
}

/* Directions to look in. false: some limit is out of reach whatever else happens. */
static bool choose_directions(struct power_search *search)
{
	const struct power_aim *aim = search->aim;
	const struct power_direction *best = &search->direction[0];
	add_direction(search, aim->objective, 0, 0, false);
	for (unsigned i = 0; i < aim->n_limit; i++) {
		const struct power_direction *own = &search->direction[search->n_direction];
		add_direction(search, aim->limit[i], 0, aim->most[i], true);
		double least = power_value(aim->limit[i], own->bound.root_ns, own->bound.root_pj);
		if (least > aim->most[i] + own->slack)
			return false;
		double multiplier = 0;
		if (power_value(aim->limit[i], best->bound.root_ns, best->bound.root_pj) > aim->most[i])
			multiplier = best_multiplier(search, i, &best->bound, &own->bound);
		for (size_t k = 0; k < N_SPREAD && multiplier > 0; k++) {
			double at = multiplier * spread[k];
			if (aim->n_limit == 1 && aim->tolerance > 0 && spread[k] == 1)
				search->critical = search->n_direction;
			add_direction(search, relax(aim, i, at), -at * aim->most[i], 0, false);
		}
	}
	return true;
}

/* What a bound on the objective must not exceed. */
static double matters(const struct power_search *search, const struct power_direction *direction)
{
	double tolerance = search->aim->tolerance;
	if (tolerance <= 0 || isinf(search->least))
		return search->least + direction->slack;
	return search->least - tolerance * fabs(search->least);
}

/* Whether a label at a level after `stage` stages can still lead to something better; its completions are tried. */
static bool is_promising(struct power_search *search, const struct power_label *label, size_t stage, uint32_t level)
{
	assert(stage >= 1 && stage <= search->chain->n_stage);
	size_t at = stage * search->chain->n_level + level;
	for (size_t i = 0; i < search->n_direction; i++) {
		const struct power_direction *direction = &search->direction[i];
		double ns = label->ns + direction->bound.ns[at], pj = label->pj + direction->bound.pj[at];
		double value = power_value(direction->bound.weight, ns, pj) + direction->constant;
		if (value > (direction->is_limit ? direction->most + direction->slack : matters(search, direction)))
			return false;
		double whole = power_value(search->aim->objective, ns, pj);
		if (whole < search->least && keeps_limits(search->aim, ns, pj)) {
			search->least = whole;
			search->has_known = true;
			search->known_parent = label->parent;
			search->known_stage = stage;
			search->known_mode = search->chain->begin[search->chain->segment[stage - 1]] + label->mode;
			search->known_direction = i;
		}
	}
	return true;
}

static void add_candidate(struct power_search *search, const struct power_label *label)
{
	search->is_full = search->is_full || search->n_label + search->n_candidate >= search->max_label;
	if (search->is_full)
		return;
	if (search->n_candidate == search->n_candidate_alloc) {
		size_t n = search->n_candidate_alloc ? 2 * search->n_candidate_alloc : 1024;
		search->candidate = memory_resize(search->candidate, n, sizeof(*search->candidate));
		search->n_candidate_alloc = n;
	}
	search->candidate[search->n_candidate] =
	    (struct label_candidate){*label, label->pj - search->aim->slope_mw * label->ns, search->n_candidate};
	search->n_candidate++;
}

/* One label goes on in every mode of a stage at one level. */
static void extend(struct power_search *search, uint32_t parent, uint32_t from, size_t stage, uint32_t to)
{
	assert(parent == NO_LABEL || parent < search->n_label);
	const struct power_chain *chain = search->chain;
	size_t segment = chain->segment[stage];
	struct power_label start = {0, 0, NO_LABEL, 0, 0};
	if (parent != NO_LABEL)
		start = search->label[parent];
	for (size_t m = chain->begin[segment]; m < chain->begin[segment + 1]; m++) {
		const struct chain_mode *mode = &chain->mode[m];
		if (mode->level != to)
			continue;
		struct power_label label = {start.ns + mode->ns, start.pj + mode->pj, parent,
		                            (uint16_t)(m - chain->begin[segment]), start.n_switch};
		if (from < chain->n_level) {
			label.ns += chain->switch_ns[from][mode->entry];
			label.pj += chain->switch_pj[from][mode->entry];
			if (from != mode->entry && label.n_switch < UINT16_MAX)
				label.n_switch++;
		}
		if (is_promising(search, &label, stage + 1, to))
			add_candidate(search, &label);
	}
}

static int compare_candidates(const void *a, const void *b)
{
	const struct label_candidate *one = a, *other = b;
	if (one->label.ns < other->label.ns || one->label.ns > other->label.ns)
		return one->label.ns < other->label.ns ? -1 : 1;
	if (one->slope_value < other->slope_value || one->slope_value > other->slope_value)
		return one->slope_value < other->slope_value ? -1 : 1;
	if (one->label.n_switch != other->label.n_switch)
		return one->label.n_switch < other->label.n_switch ? -1 : 1;
	return one->order < other->order ? -1 : 1;
}

/*
 * The candidates that no other one dominates become labels. Sorted by time, a candidate stays when it is below all
 * before it in the other direction; of equal ones the first, which has the fewest changes of level.
 */
static void keep_best(struct power_search *search)
{
	double least = INFINITY;
	if (search->n_candidate > 0)
		qsort(search->candidate, search->n_candidate, sizeof(*search->candidate), compare_candidates);
	for (size_t i = 0; i < search->n_candidate; i++) {
		if (!(search->candidate[i].slope_value < least))
			continue;
		least = search->candidate[i].slope_value;
		if (search->n_label == search->n_label_alloc) {
			size_t n = search->n_label_alloc ? search->n_label_alloc / 2 * 3 : 4096;
			search->label = memory_resize(search->label, n, sizeof(*search->label));
			search->n_label_alloc = n;
		}
		search->label[search->n_label++] = search->candidate[i].label;
	}
}

/* All labels of a stage, level by level: a level's labels dominate each other only. */
static void run_stage(struct power_search *search, size_t stage)
{
	assert(stage < search->chain->n_stage);
	const struct power_chain *chain = search->chain;
	size_t row = stage * chain->n_level;
	for (uint32_t to = 0; to < chain->n_level; to++) {
		search->n_candidate = 0;
		search->begin[row + to] = search->n_label;
		if (!(chain->levels >> to & 1))
			continue;
		if (stage == 0)
			extend(search, NO_LABEL, UINT32_MAX, stage, to);
		for (uint32_t from = 0; stage > 0 && from < chain->n_level; from++) {
			size_t end = search->begin[row - chain->n_level + from + 1];
			for (size_t i = search->begin[row - chain->n_level + from]; !search->is_full && i < end; i++)
				extend(search, (uint32_t)i, from, stage, to);
		}
		keep_best(search);
	}
	search->begin[row + chain->n_level] = search->n_label;
}

/* From a label back to the start: modes of the stages up to its own. */
static void trace_back(const struct power_search *search, uint32_t label, size_t stage, uint32_t *mode)
{
	assert(stage < search->chain->n_stage && label < search->n_label);
	for (; label != NO_LABEL; label = search->label[label].parent) {
		size_t begin = search->chain->begin[search->chain->segment[stage]];
		mode[stage--] = search->chain->mode[begin + search->label[label].mode].mode;
		assert(stage != SIZE_MAX || search->label[label].parent == NO_LABEL);
	}
}

static void take_best(const struct power_search *search, struct chain_best *best)
{
	const struct power_chain *chain = search->chain;
	size_t row = (chain->n_stage - 1) * chain->n_level, found = SIZE_MAX;
	bool wants_time = search->aim->objective.per_pj <= 0;
	double other = INFINITY;
	best->objective = INFINITY;
	for (uint32_t l = 0; l < chain->n_level; l++)
		for (size_t i = search->begin[row + l]; i < search->begin[row + l + 1]; i++) {
			const struct power_label *label = &search->label[i];
			double ns = label->ns + chain->end_ns[l], pj = label->pj + chain->end_pj[l];
			double value = power_value(search->aim->objective, ns, pj), second = wants_time ? pj : ns;
			if (!keeps_limits(search->aim, ns, pj) || value > best->objective ||
			    (value >= best->objective &&
			     (second > other || (second >= other && label->n_switch >= search->label[found].n_switch))))
				continue;
			found = i;
			other = second;
			best->objective = value;
			best->ns = ns;
			best->pj = pj;
		}
	best->is_found = found != SIZE_MAX;
	if (best->is_found)
		trace_back(search, (uint32_t)found, chain->n_stage - 1, best->mode);
}

/* No schedule is better than this. */
static double least_of_all(const struct power_search *search)
{
	double least = -INFINITY;
	for (size_t i = 0; i < search->n_direction; i++) {
		const struct power_bound *bound = &search->direction[i].bound;
		if (!search->direction[i].is_limit)
			least = fmax(least, power_value(bound->weight, bound->root_ns, bound->root_pj) +
			                        search->direction[i].constant);
	}
	return least;
}

/* Whether the best known schedule reaches the bound on all, as far as sums of doubles tell. */
static bool is_proven(const struct power_search *search)
{
	double slack = fmax(search->direction[0].slack, search->aim->tolerance * fabs(search->least));
	return search->least <= least_of_all(search) + slack;
}

/* The schedule that was best when the search was cut short, and the bound on all. */
static void take_known(const struct power_search *search, struct chain_best *best)
{
	const struct power_chain *chain = search->chain;
	best->is_exact = is_proven(search);
	best->is_found = search->has_known;
	best->objective = search->least;
	best->bound = fmin(least_of_all(search), search->least);
	if (!search->has_known)
		return;
	if (search->known_stage == 0) {
		for (size_t s = 0; s < chain->n_stage; s++)
			best->mode[s] = chain->mode[search->filled[s]].mode;
		return;
	}
	size_t stage = search->known_stage - 1;
	best->mode[stage] = chain->mode[search->known_mode].mode;
	if (stage > 0)
		trace_back(search, search->known_parent, stage - 1, best->mode);
	uint32_t level = chain->mode[search->known_mode].level;
	for (stage++; stage < chain->n_stage; stage++) {
		size_t next = power_bound_next(chain, &search->direction[search->known_direction].bound, stage, level);
		best->mode[stage] = chain->mode[next].mode;
		level = chain->mode[next].level;
	}
}

/* From both ends of the chain; what is found is the best known then. */
static enum err_code meet_ends(struct power_search *search, struct chain_best *best, struct err *err)
{
	const struct power_direction *critical = &search->direction[search->critical];
	struct meet_best met = {.objective = search->least};
	met.mode = memory_must(arena_array(search->scratch, search->chain->n_stage, sizeof(*met.mode)));
	enum err_code code =
	    power_meet(search->chain, search->aim, &critical->bound, critical->constant, search->max_label, &met, err);
	search->n_met = met.n_label;
	if (met.is_found) {
		search->least = met.objective;
		search->has_known = true;
		search->known_stage = 0;
		search->filled = met.mode;
	}
	take_known(search, best);
	best->is_exact = met.is_exact;
	best->bound = met.bound;
	return code;
}

static enum err_code run_stages(struct power_search *search, struct chain_best *best, struct err *err)
{
	size_t n_row = search->chain->n_level;
	search->begin = memory_array(search->chain->n_stage * n_row + 1, sizeof(*search->begin));
	best->is_exact = true;
	if (search->critical > 0) {
		enum err_code code = meet_ends(search, best, err);
		if (code != ERR_OK || best->is_exact)
			return code;
	}
	for (size_t stage = 0; stage < search->chain->n_stage; stage++) {
		if (interrupt_requested())
			return err_add(err, ERR_INTERRUPTED, "interrupted; nothing was written");
		run_stage(search, stage);
		size_t n_many = search->aim->tolerance > 0 ? 0 : MANY_LABEL;
		if (search->is_full || (search->n_label > n_many && is_proven(search))) {
			take_known(search, best);
			return ERR_OK;
		}
	}
	take_best(search, best);
	/* what is within the tolerance of the best known was left out, this itself may be */
	if (search->aim->tolerance > 0 && search->has_known && !(best->objective <= search->least)) {
		take_known(search, best);
		best->is_exact = true;
	}
	best->bound = best->objective;
	return ERR_OK;
}

double power_label_bound(const struct power_chain *chain, const struct power_aim *aim)
{
	struct arena scratch = {0};
	struct power_search search = {.chain = chain, .aim = aim, .scratch = &scratch, .least = INFINITY};
	double least = choose_directions(&search) ? least_of_all(&search) : INFINITY;
	arena_free(&scratch);
	return least;
}

enum err_code power_label_solve(const struct power_chain *chain, const struct power_aim *aim, double least_known,
                                size_t max_label, struct arena *arena, struct chain_best *best, struct err *err)
{
	struct arena scratch = {0};
	struct power_search search = {.chain = chain,
	                              .aim = aim,
	                              .scratch = &scratch,
	                              .least = least_known,
	                              .max_label = max_label ? max_label : DEFAULT_MAX_LABEL};
	assert(aim->n_limit <= POWER_MAX_LIMIT && aim->slope_mw >= 0 && search.max_label < NO_LABEL / 2);
	*best = (struct chain_best){.is_exact = true, .objective = INFINITY, .bound = INFINITY};
	best->mode = memory_must(arena_array(arena, chain->n_stage, sizeof(*best->mode)));
	enum err_code code = choose_directions(&search) ? run_stages(&search, best, err) : ERR_OK;
	best->n_label = search.n_label + search.n_met;
	free(search.begin);
	free(search.label);
	free(search.candidate);
	arena_free(&scratch);
	return code;
}
