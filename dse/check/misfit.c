/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/check/misfit_parts.h"
#include "dse/space/space_goals.h"
#include "dse/space/space_machine.h"
#include "dse/space/space_variant.h"
#include "dse/base/interrupt.h"
#include "dse/base/memory.h"
#include "dse/design/unroll.h"
#include "dse/engine/engine.h"
#include "dse/search/least.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A power of two, so that a share of it is an exact number of bytes; the parameter's largest value. */
#define MOST_SRAM_BYTE (UINT32_C(1) << 30)

/*
 * Searches for advice look at as many boxes as the search itself did; with bounds, samples and compositions they take
 * up to twice its time. A search of less than this many boxes, a tenth of a second, is no measure.
 */
#define LEAST_WORK (UINT64_C(1) << 18)

static const char sram_key[] = "pe.sram_byte";

/* What the searches share. */
struct misfit_finder {
	const struct space *space;
	const struct explore *explore; /* what found nothing */
	struct explore_options options;
	uint64_t work;      /* of all searches for advice so far, in boxes as explore_work counts */
	uint64_t work_left; /* of what they may do */
	struct arena arena;
	struct err *err;
};

/* A variant of the space that is to be explained. */
static struct space vary(struct misfit_finder *finder)
{
	struct space copy;
	memory_check(space_variant(finder->space, &finder->arena, &copy));
	return copy;
}

static void spend(struct misfit_finder *finder, uint64_t work)
{
	finder->work = add_sat(finder->work, work);
	finder->work_left -= work < finder->work_left ? work : finder->work_left;
}

/* Search for the least of one metric; false on Ctrl-C and on errors, which are in finder->err. */
static bool search(struct misfit_finder *finder, struct space *copy, enum metric metric, struct explore *explore)
{
	space_variant_minimise(copy, metric);
	assert(finder->work_left > 0);
	finder->options.max_box = finder->work_left;
	enum err_code code = explore_run(copy, &finder->options, explore, finder->err);
	spend(finder, explore_work(&explore->counts));
	return code == ERR_OK && !explore->interrupted;
}

/* Buffers of a systolic array are three, and decide clocks, too; which one is too small says the nearest miss. */
static bool all_have_pes(const struct space *space)
{
	for (size_t i = 0; i < space->n_machine; i++)
		if (space->machine[i].target == MACHINE_SYSTOLIC)
			return false;
	return true;
}

/* What the searches of one question found. */
struct answer {
	bool found, proven;
	double value; /* of the metric that was asked for */
	uint64_t n_machine;
	struct machine machine;
	char machine_text[EXPLORE_TEXT_SIZE];
	double sram_byte; /* that the design needs; where a front told */
};

static bool is_proof(const struct explore *explore)
{
	return !explore->interrupted && !explore->truncated && explore->n_failure == 0 &&
	       !(explore->counts.epsilon > 0.0);
}

/* The machine of the first point, which is the one with the least objective. */
static void name_machine(const struct explore *explore, struct machine *machine, char *text, size_t n_byte)
{
	char why[EXPLORE_TEXT_SIZE];
	assert(explore->front.n > 0);
	bool is_machine = space_machine(explore->space, explore->front.genome[0], machine, why, sizeof(why));
	assert(is_machine);
	(void)is_machine;
	explore_machine_text(explore->space, explore->front.genome[0], machine, text, n_byte);
}

static void measure_change(struct misfit_change *change)
{
	double by = fabs(change->now), frac = fabs(change->needed - change->now) / by;
	change->frac = by > 0.0 && isfinite(frac) ? frac : INFINITY;
}

static bool find_sram_used(const struct explore *explore, double *n_byte, struct err *err)
{
	struct unroller unroller = {0};
	struct unrolled point;
	memory_check(unrolled_init(&explore->map, &point, NULL) == ERR_OK);
	bool done = unroller_init(&unroller, explore, 1, err) == ERR_OK;
	if (done) {
		unroll_point(&unroller, 0, &point);
		*n_byte = point.metric[METRIC_SRAM_USED] * (double)point.machine->pe_sram_byte;
	}
	unrolled_free(&point);
	unroller_free(&unroller);
	return done;
}

/* By a front of one objective; false on Ctrl-C and errors. */
static bool answer_by_front(struct misfit_finder *finder, struct space *copy, enum metric metric, struct answer *answer)
{
	*answer = (struct answer){0};
	if (finder->work_left == 0)
		return !interrupt_requested();
	struct explore *explore = memory_array(1, sizeof(*explore)); /* too large for a small stack */
	bool done = search(finder, copy, metric, explore);
	*answer = (struct answer){.found = done && explore->front.n > 0, .proven = done && is_proof(explore)};
	if (answer->found && all_have_pes(copy))
		done = find_sram_used(explore, &answer->sram_byte, finder->err);
	if (answer->found) {
		const struct explore_counts *counts = &explore->counts;
		answer->value = explore->front.objective[0];
		answer->n_machine = counts->n_machine - counts->n_machine_rejected - counts->n_machine_dead;
		name_machine(explore, &answer->machine, answer->machine_text, sizeof(answer->machine_text));
	}
	explore_free(explore);
	free(explore);
	return done;
}

/* By bounds of the layers, where copy has no limit on results; see dse/search/least.h. */
static bool answer_by_bounds(struct misfit_finder *finder, struct space *copy, enum metric metric, double enough,
                             const struct least_table *known, struct answer *answer)
{
	struct least least;
	space_variant_minimise(copy, metric);
	const struct least_options options = {
	    .space = copy, .n_thread = finder->options.n_thread, .enough = enough, .known = known};
	enum err_code code = least_find(&options, &least, finder->err);
	spend(finder, least.n_box);
	bool done = code == ERR_OK && !least.interrupted;
	*answer = (struct answer){
	    .found = done && least.found, .proven = done, .value = least.value, .n_machine = least.n_machine};
	if (answer->found) {
		answer->machine = least.machine;
		explore_machine_text(copy, least.machine_index, &least.machine, answer->machine_text,
		                     sizeof(answer->machine_text));
	}
	return done;
}

/* Whether the limit on a metric has cut a design of a layer by itself. */
static bool has_cut(const struct candidate_task *task, enum metric metric)
{
	return (task->over_limit & UINT32_C(1) << metric) != 0;
}

/*
 * Whether the layers' fronts of the search that found nothing are those of copy, too, which has no limit on the metric
 * any more, but for designs that the limit has cut by themselves: the machines are all there.
 */
static bool serves_composition(const struct misfit_finder *finder, const struct space *copy, enum metric metric)
{
	const struct explore *explore = finder->explore;
	if (explore->n_dead == 0 || explore->truncated || copy->deadline_ms != finder->space->deadline_ms ||
	    explore->n_dead + explore->counts.n_machine_rejected != explore->counts.n_machine)
		return false;
	bool has_sums = explore->map.n_network == 1 && metric_table[metric].op == COMPOSE_SUM;
	for (size_t i = 0; i < explore->n_dead; i++)
		for (size_t k = 0; k < explore->dead[i].n_task; k++)
			if (has_cut(&explore->dead[i].task[k], metric) && !has_sums)
				return false;
	return true;
}

/* The least of a layer's fronts, one for each place; 0: no place is known to be served. */
static double least_of_layer(const struct candidate *candidate, size_t distinct, unsigned k)
{
	double least = INFINITY;
	for (size_t i = candidate->first_task[distinct]; i < candidate->first_task[distinct + 1]; i++) {
		const struct pareto *front = &candidate->task[i].front;
		for (size_t point = 0; point < front->n; point++)
			least = fmin(least, front->objective[point * front->n_objective + k]);
	}
	return isfinite(least) ? least : 0;
}

/*
 * Whether a network with a design that the limit has cut has more than `value` of the metric: more than the limit in
 * its layer, and the least of each other one.
 */
static bool is_cut_above(const struct candidate *candidate, enum metric metric, double value)
{
	size_t n_distinct = candidate->set->map->n_distinct;
	double sum = 0;
	unsigned k = 0;
	while (k < candidate->task[0].layer.n_metric && candidate->task[0].layer.metric[k] != metric)
		k++;
	if (k == candidate->task[0].layer.n_metric)
		return true;
	for (size_t i = 0; i < n_distinct; i++)
		sum += least_of_layer(candidate, i, k);
	for (size_t i = 0; i < n_distinct; i++)
		for (size_t t = candidate->first_task[i]; t < candidate->first_task[i + 1]; t++)
			if (has_cut(&candidate->task[t], metric) &&
			    candidate->task[t].layer.limit[k] + sum - least_of_layer(candidate, i, k) < value)
				return false;
	return true;
}

/* Keep a dead candidate's design that has the least of a metric, if it is less than the answer's. */
static void take_least(const struct space *copy, const struct candidate *candidate, enum metric metric,
                       struct answer *answer)
{
	double least = INFINITY;
	for (size_t i = 0; i < candidate->total.n; i++) {
		double value[N_METRIC], objective[SPACE_MAX_OBJECTIVE];
		enum metric broken;
		candidate_metrics(candidate, i, value);
		if (value[metric] < least && candidate_objectives(copy, value, objective, &broken))
			least = value[metric];
	}
	if (isinf(least))
		return;
	answer->n_machine++;
	if (answer->found && !(least < answer->value))
		return;
	answer->found = true;
	answer->value = least;
	answer->machine = candidate->set->machine;
	explore_machine_text(copy, candidate->set->machine_index, &answer->machine, answer->machine_text,
	                     sizeof(answer->machine_text));
}

/* By composing the layers' fronts anew, with copy's limits. */
static bool answer_by_composition(struct misfit_finder *finder, struct space *copy, enum metric metric,
                                  struct answer *answer)
{
	*answer = (struct answer){.proven = true};
	for (size_t i = 0; i < finder->explore->n_dead && !interrupt_requested(); i++) {
		struct candidate *candidate = &finder->explore->dead[i];
		uint64_t n_before = candidate->n_composed;
		candidate->space = copy;
		if (candidate_compose(candidate, finder->err) != ERR_OK)
			return false;
		spend(finder, explore_work(&(struct explore_counts){.n_composed = candidate->n_composed - n_before}));
		take_least(copy, candidate, metric, answer);
		/* thinning keeps what is best in a metric that is composed */
		answer->proven &= !candidate_is_limited(candidate) && (metric_table[metric].scope == METRIC_OF_LAYER ||
		                                                       !(candidate_epsilon(candidate) > 0));
	}
	return !interrupt_requested();
}

/* The least of a metric over all designs that keep copy's limits. known: of copy's machines; NULL: nothing is. */
static bool find_least(struct misfit_finder *finder, struct space *copy, enum metric metric,
                       const struct least_table *known, struct answer *answer)
{
	return least_serves(copy, metric) ? answer_by_bounds(finder, copy, metric, INFINITY, known, answer)
	                                  : answer_by_front(finder, copy, metric, answer);
}

/*
 * Each limit by itself: bounds tell quickly where one is far off. *decided: the answer is that of all limits together.
 */
static bool ask_bounds(struct misfit_finder *finder, struct space *copy, bool *decided, struct answer *answer)
{
	struct space unlimited = *copy;
	space_variant_drop_limits(&unlimited);
	*decided = false;
	*answer = (struct answer){.found = true};
	for (size_t i = 0; i < copy->n_limit; i++) {
		const struct space_limit *limit = &copy->limit[i];
		bool is_served = least_serves(&unlimited, limit->metric);
		bool done = !is_served ||
		            answer_by_bounds(finder, &unlimited, limit->metric, space_limit_most(limit), NULL, answer);
		*decided = is_served && (!done || !answer->found || copy->n_limit == 1);
		if (*decided)
			return done;
	}
	return true;
}

/* Whether any design keeps copy's limits; value is that of some metric. */
static bool find_any(struct misfit_finder *finder, struct space *copy, struct answer *answer)
{
	bool decided;
	*answer = (struct answer){0};
	if (finder->work_left == 0)
		return !interrupt_requested();
	bool done = ask_bounds(finder, copy, &decided, answer);
	return decided || !done ? done : find_least(finder, copy, finder->space->objective[0], NULL, answer);
}

static bool explain_limit(struct misfit_finder *finder, const struct space_limit *limit, struct misfit_change *change)
{
	struct space copy = vary(finder);
	struct answer answer;
	assert(limit->metric < N_METRIC);
	*change = (struct misfit_change){.kind = MISFIT_LIMIT, .now = limit->max, .needed = NAN, .frac = INFINITY};
	(void)snprintf(change->what, sizeof(change->what), "%s <= %.10g", metric_table[limit->metric].name, limit->max);
	(void)snprintf(change->where, sizeof(change->where), "%s:%u", limit->at.file ? limit->at.file : "the space",
	               limit->at.line);
	space_variant_drop_limit(&copy, limit->metric);
	if (limit->metric == METRIC_LATENCY)
		space_variant_drop_deadline(&copy); /* which the limit may stand for */
	bool composes = serves_composition(finder, &copy, limit->metric);
	bool done = !composes || answer_by_composition(finder, &copy, limit->metric, &answer);
	/* of what was cut nothing may be less than what is left */
	for (size_t i = 0; i < finder->explore->n_dead && composes; i++)
		composes =
		    is_cut_above(&finder->explore->dead[i], limit->metric, answer.found ? answer.value : INFINITY);
	if (done && !composes)
		done = find_least(finder, &copy, limit->metric, finder->explore->least, &answer);
	change->proven = answer.proven;
	if (answer.found) {
		change->helps = true;
		change->needed = answer.value;
		change->n_machine = answer.n_machine;
		(void)strcpy(change->machine, answer.machine_text);
		measure_change(change);
	}
	return done;
}

/* Whether one machine by itself has a design; *proven stays true when a proof says that it has none. */
static bool try_machine(struct misfit_finder *finder, const struct space *others, uint64_t index, bool *fits,
                        bool *proven, struct misfit_change *change)
{
	struct space copy = vary(finder);
	struct machine machine;
	struct answer answer;
	char why[EXPLORE_TEXT_SIZE];
	bool is_machine = space_machine(others, index, &machine, why, sizeof(why));
	assert(is_machine);
	(void)is_machine;
	space_variant_fix_machine(&copy, &machine);
	bool done = find_any(finder, &copy, &answer);
	*fits = answer.found;
	*proven = *proven && answer.proven;
	if (*fits)
		explore_machine_text(finder->space, (uint32_t)index, &machine, change->machine,
		                     sizeof(change->machine));
	return done;
}

/* Of the machines that break only this constraint the nearest one with a design. */
static bool explain_constraint(struct misfit_finder *finder, size_t which, struct misfit_change *change)
{
	const struct space *space = finder->space;
	struct space others, own = *space;
	struct machine machine;
	bool fits = false, done = true, proven = space_n_machine(space) <= MISFIT_MAX_MACHINE;
	struct misfit_breaker *nearest = memory_must(arena_array(&finder->arena, MISFIT_MAX_TRY + 1, sizeof(*nearest)));
	*change = (struct misfit_change){.kind = MISFIT_CONSTRAINT, .now = NAN, .needed = NAN, .frac = INFINITY};
	(void)snprintf(change->what, sizeof(change->what), "%s", expr_text(space->constraint[which]));
	(void)snprintf(change->where, sizeof(change->where), "%s", space->file[0].path);
	others = vary(finder);
	space_variant_drop_constraint(&others, which);
	size_t n = misfit_list_breakers(space, which, &others, nearest, &change->n_machine), i = 0;
	for (; i < n && done && !fits && !interrupt_requested(); i++)
		done = try_machine(finder, &others, nearest[i].index, &fits, &proven, change);
	change->helps = fits;
	change->proven = done && proven && (fits || n < MISFIT_MAX_TRY);
	if (!fits)
		return done && !interrupt_requested();
	space_variant_keep_constraint(&own, which);
	bool is_missed = space_machine_sides(&own, nearest[i - 1].index, &machine, &change->needed, &change->now);
	assert(is_missed);
	(void)is_missed;
	change->frac = nearest[i - 1].violation;
	return done;
}

/* Whatever the size of the SRAM itself decides. Returns whether there is any such limit. */
static bool drop_sram_limits(struct space *copy)
{
	size_t index = (size_t)(machine_find_param(sram_key) - machine_param);
	size_t n_before = copy->n_constraint + copy->n_limit;
	assert(index < machine_n_param);
	for (size_t i = copy->n_constraint; i-- > 0;)
		if (expr_uses(copy->constraint[i], index))
			space_variant_drop_constraint(copy, i);
	space_variant_drop_limit(copy, METRIC_SRAM_USED);
	space_variant_drop_limit(copy, METRIC_SRAM);
	space_variant_drop_limit(copy, METRIC_AREA);
	return copy->n_constraint + copy->n_limit < n_before;
}

/* The thesis' splitter looks at the SRAM: with another one it splits otherwise, and less may do. So it may where SRAM
 * costs energy. */
static bool splits_follow_sram(const struct space *space)
{
	if (space_sram_costs(space))
		return true;
	for (size_t i = 0; i < space->n_network; i++)
		for (size_t k = 0; k < space->network[i].network.n_block; k++)
			if (space->network[i].choice[k].thesis_split)
				return true;
	return false;
}

/* Where the size is set, and which of the sizes set there is nearest to what is needed. */
static void find_sram(const struct space *space, const struct machine *machine, struct misfit_change *change)
{
	change->now = NAN;
	for (size_t i = 0; i < space->n_axis; i++) {
		const struct space_axis *axis = &space->axis[i];
		for (size_t k = 0; k < axis->n && strcmp(axis->param->key, sram_key) == 0; k++) {
			double value = strtod(axis->value[k], NULL);
			if (isnan(change->now) || fabs(value - change->needed) < fabs(change->now - change->needed))
				change->now = value;
			(void)snprintf(change->where, sizeof(change->where), "axis, %s:%u",
			               axis->at.file ? axis->at.file : "the space", axis->at.line);
		}
	}
	for (size_t i = 0; i < space->n_machine && isnan(change->now); i++) {
		if (strcmp(space->machine[i].name, machine->name) != 0)
			continue;
		change->now = (double)space->machine[i].pe_sram_byte;
		(void)snprintf(change->where, sizeof(change->where), "%s", space->machine_path[i]);
	}
	assert(!isnan(change->now));
}

/* Whether so many bytes let something through with everything else in force; known: a design that does, or NULL. */
static bool check_sram(struct misfit_finder *finder, struct misfit_change *change, double n_byte,
                       const struct answer *known)
{
	struct space copy = vary(finder);
	struct answer answer;
	assert(n_byte > 0.0);
	if (!(n_byte <= (double)MOST_SRAM_BYTE))
		return true;
	space_variant_fix_sram(&copy, (uint32_t)n_byte);
	bool done = find_any(finder, &copy, &answer);
	if (!answer.found && !answer.proven && known)
		answer = *known;
	change->helps = answer.found;
	change->proven = change->proven && answer.found && answer.proven;
	if (change->helps) {
		change->needed = n_byte;
		change->n_machine = answer.n_machine;
		(void)strcpy(change->machine, answer.machine_text);
		find_sram(finder->space, &answer.machine, change);
		measure_change(change);
	}
	return done;
}

/*
 * With the largest SRAM there is, the least bytes that any design needs which keeps all other limits: no smaller SRAM
 * will do, as clocks and energies do not depend on it (where they do, nothing is said to be proven). Then once more
 * with that SRAM: it may itself break a limit.
 */
static bool explain_sram(struct misfit_finder *finder, struct misfit_change *change)
{
	struct space copy = vary(finder);
	struct answer fits;
	*change = (struct misfit_change){.kind = MISFIT_SRAM, .now = NAN, .needed = NAN, .frac = INFINITY};
	(void)snprintf(change->what, sizeof(change->what), "%s", sram_key);
	space_variant_fix_sram(&copy, MOST_SRAM_BYTE);
	bool is_limited = drop_sram_limits(&copy), follows = splits_follow_sram(finder->space), decided;
	/* Whether all the SRAM there can be helps is asked first: bounds on clocks are much sharper than on bytes. */
	bool done = ask_bounds(finder, &copy, &decided, &fits);
	if (!done || !fits.found) {
		change->proven = done && !follows;
		return done;
	}
	const uint64_t kept = finder->work_left / 2;
	finder->work_left -= kept;
	done = find_least(finder, &copy, METRIC_SRAM_USED, NULL, &fits);
	finder->work_left += kept;
	double n_byte = fits.value * (double)MOST_SRAM_BYTE;
	change->proven = fits.proven && !follows;
	if (done && !fits.found && !fits.proven && !decided) {
		done = find_least(finder, &copy, finder->space->objective[0], NULL, &fits);
		change->proven = fits.proven && !fits.found && !follows;
		n_byte = fits.sram_byte;
	}
	if (done && fits.found) {
		double share = space_metric_limit(finder->space, METRIC_SRAM_USED);
		done = check_sram(finder, change, ceil(share < 1.0 ? n_byte / share : n_byte),
		                  is_limited || follows ? NULL : &fits);
	}
	return done;
}

/* A genetic search, or one that was cut short, may just have missed what there is. */
static bool look_again(struct misfit_finder *finder, struct misfit *misfit)
{
	struct space copy = vary(finder);
	struct explore *explore = memory_array(1, sizeof(*explore));
	bool done = search(finder, &copy, copy.objective[0], explore);
	misfit->exists = done && explore->front.n > 0;
	explore_free(explore);
	free(explore);
	return done;
}

static bool explain_all(struct misfit_finder *finder, bool is_proof_of_none, struct misfit *misfit)
{
	const struct space *space = finder->space;
	bool done = is_proof_of_none || look_again(finder, misfit);
	if (misfit->exists)
		return done;
	for (size_t i = 0; i < space->n_limit && done; i++)
		done = explain_limit(finder, &space->limit[i], &misfit->change[misfit->n++]);
	for (size_t i = 0; i < space->n_constraint && done; i++)
		done = explain_constraint(finder, i, &misfit->change[misfit->n++]);
	if (!done || !all_have_pes(space))
		return done;
	return explain_sram(finder, &misfit->change[misfit->n++]);
}

enum err_code misfit_find(const struct space *space, const struct explore_options *options,
                          const struct explore *explore, struct misfit *misfit, struct err *err)
{
	struct misfit_finder finder = {.space = space, .explore = explore, .options = *options, .err = err};
	assert(space && options && explore && misfit && err);
	*misfit = (struct misfit){0};
	if (explore->front.n > 0 || explore->interrupted || explore->out_of_time || explore->n_failure > 0)
		return ERR_OK;
	/* searches of their own: nothing of them is kept */
	bool is_proof_of_none = options->engine->is_layered && !options->engine->is_random && !options->flat;
	finder.options.engine = is_proof_of_none ? options->engine : &engine_exact;
	finder.options.flat = false;
	finder.options.points = NULL;
	finder.options.share = NULL;
	finder.options.checkpoint = NULL;
	finder.options.all_machines = true; /* those with a design are counted */
	uint64_t work = explore_work(&explore->counts);
	finder.work_left = work > LEAST_WORK ? work : LEAST_WORK;
	misfit->change = memory_array(space->n_limit + space->n_constraint + 1, sizeof(*misfit->change));
	bool done = explain_all(&finder, is_proof_of_none && !explore->truncated, misfit);
	arena_free(&finder.arena);
	if (!done && !interrupt_requested())
		return err->n_message > 0 ? err->code : err_add(err, ERR_INTERNAL, "out of memory");
	misfit->best = misfit->n;
	for (size_t i = 0; i < misfit->n; i++)
		if (misfit->change[i].helps &&
		    (misfit->best == misfit->n || misfit->change[i].frac < misfit->change[misfit->best].frac))
			misfit->best = i;
	misfit->found = done;
	misfit->work = finder.work;
	return ERR_OK;
}

void misfit_free(struct misfit *misfit)
{
	free(misfit->change);
	*misfit = (struct misfit){0};
}
