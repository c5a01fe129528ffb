/* SPDX-License-Identifier: Apache-2.0 */
/* Claims, each with what it is from, and the sentences made of them. */
#include "dse/base/memory.h"
#include "dse/pareto/shortlist.h"
#include "dse/verdict/verdict_parts.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Least values that differ by less are called equal. */
#define SAME_FRAC 5e-4
/* A reason explains at least so much of a difference; of smaller differences none is given. */
#define REASON_PART 0.5
#define REASON_FRAC 0.01
/* Bounds with less of the time are not named. */
#define LEAST_SHARE 0.1
/* Sentences on other machines of the front, and on those that lost. */
enum { MAX_OTHER = 2, MAX_BEATEN = 3 };

static void claim(struct run_verdict_maker *maker, struct run_verdict_claim own)
{
	struct run_verdict *verdict = maker->verdict;
	if (verdict->n_claim < RUN_VERDICT_MAX_CLAIM)
		verdict->claim[verdict->n_claim++] = own;
}

static void add_name(struct run_verdict_maker *maker, uint32_t machine)
{
	run_verdict_name(maker->of->space, machine, &maker->text);
}

static void add_value(struct run_verdict_maker *maker, enum metric metric, double value)
{
	if (strcmp(metric_table[metric].unit, "byte") == 0 && value >= 1e6)
		words_add(&maker->text, "%.4g MB", value * 1e-6);
	else
		words_add(&maker->text, "%.4g%s%s", value, metric_table[metric].unit[0] ? " " : "",
		          metric_table[metric].unit);
}

/* ---- which machine ------------------------------------------------------------------------------------ */

static bool is_candidate(const struct run_verdict_machine *machine)
{
	return machine->place == RUN_VERDICT_ON_FRONT;
}

static double least_of_all(const struct run_verdict *verdict, size_t k)
{
	double least = INFINITY;
	for (size_t i = 0; i < verdict->n_machine; i++)
		if (is_candidate(&verdict->machine[i]))
			least = fmin(least, verdict->machine[i].least[k]);
	return least;
}

/* The machine of the front with the least of every objective that differs among designs; NOBODY: none has. */
static uint32_t find_winner(const struct run_verdict_maker *maker)
{
	const struct run_verdict *verdict = maker->verdict;
	for (uint32_t i = 0; i < verdict->n_machine; i++) {
		bool wins = is_candidate(&verdict->machine[i]);
		for (size_t k = 0; k < maker->of->space->n_objective && wins; k++)
			wins = !maker->is_scaled[k] || !(verdict->machine[i].least[k] > least_of_all(verdict, k));
		if (wins)
			return i;
	}
	return RUN_VERDICT_NOBODY;
}

static uint32_t find_best(const struct run_verdict *verdict, size_t k)
{
	uint32_t best = RUN_VERDICT_NOBODY;
	for (uint32_t i = 0; i < verdict->n_machine; i++)
		if (is_candidate(&verdict->machine[i]) &&
		    (best == RUN_VERDICT_NOBODY || verdict->machine[i].least[k] < verdict->machine[best].least[k]))
			best = i;
	return best;
}

static uint32_t machine_of_knee(const struct run_verdict_maker *maker)
{
	const struct pareto *front = &maker->of->explore->front;
	size_t chosen[SPACE_MAX_OBJECTIVE + 1], knee;
	(void)shortlist_choose(front, front->n_objective + 1, chosen, &knee);
	return front->genome[knee * front->n_gene];
}

/* "fastest (45.6 ms)" */
static void add_best(struct run_verdict_maker *maker, uint32_t machine, size_t k)
{
	enum metric metric = maker->of->space->objective[k];
	const struct run_verdict_machine *own = &maker->verdict->machine[machine];
	if (metric == METRIC_LATENCY)
		words_add(&maker->text, "fastest (");
	else
		words_add(&maker->text, "least %s (", metric_table[metric].label);
	add_value(maker, metric, own->least[k]);
	words_add(&maker->text, ")");
	claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_BEST,
	                                        .machine = machine,
	                                        .other = RUN_VERDICT_NOBODY,
	                                        .objective = (unsigned)k,
	                                        .value = own->least[k],
	                                        .is_event = own->is_event});
}

static bool was_cut(const struct run_verdict_maker *maker)
{
	return maker->of->explore->interrupted || maker->of->explore->truncated;
}

/* After the answer: that there may be a better one. */
static void say_cut(struct run_verdict_maker *maker)
{
	if (!was_cut(maker))
		return;
	words_add(&maker->text, "The search was cut short: all of this is of what was seen.");
	run_verdict_say(maker);
}

static void say_winner(struct run_verdict_maker *maker, uint32_t winner)
{
	size_t n = 0;
	add_name(maker, winner);
	words_add(&maker->text, was_cut(maker) ? " wins so far: " : " wins: ");
	for (size_t k = 0; k < maker->of->space->n_objective; k++) {
		if (!maker->is_scaled[k])
			continue;
		words_add(&maker->text, "%s", n++ > 0 ? ", " : "");
		add_best(maker, winner, k);
	}
	words_add(&maker->text, ".");
	run_verdict_say(maker);
}

/* All objectives in which a machine is best. */
static void add_bests(struct run_verdict_maker *maker, uint32_t machine)
{
	size_t n = 0;
	for (size_t k = 0; k < maker->of->space->n_objective; k++) {
		if (!maker->is_scaled[k] || find_best(maker->verdict, k) != machine)
			continue;
		words_add(&maker->text, "%s", n++ > 0 ? ", " : "");
		add_best(maker, machine, k);
	}
}

static void say_no_winner(struct run_verdict_maker *maker)
{
	uint32_t said[SPACE_MAX_OBJECTIVE];
	size_t n = 0;
	words_add(&maker->text, "No machine is best in every objective%s: ", was_cut(maker) ? " so far" : "");
	for (size_t k = 0; k < maker->of->space->n_objective; k++) {
		uint32_t best = maker->is_scaled[k] ? find_best(maker->verdict, k) : RUN_VERDICT_NOBODY;
		bool is_new = best != RUN_VERDICT_NOBODY;
		for (size_t i = 0; i < n; i++)
			is_new = is_new && said[i] != best;
		if (!is_new)
			continue;
		words_add(&maker->text, "%s", n > 0 ? "; " : "");
		said[n++] = best;
		add_name(maker, best);
		words_add(&maker->text, ": ");
		add_bests(maker, best);
	}
	words_add(&maker->text, ". The knee is on ");
	add_name(maker, machine_of_knee(maker));
	words_add(&maker->text, ".");
	run_verdict_say(maker);
}

/* ---- how two machines differ --------------------------------------------------------------------------- */

/* Whether sums over the layers' runs are what the space counts. */
static bool sums_layers(const struct space *space)
{
	return !(space->deadline_ms > 0) && !(space->aggregate == AGGREGATE_WORST && space->n_network > 1);
}

/* The bound that takes half or more of the time by which one design is slower; N_BOUND: none does. */
static enum bound bound_of_difference(const struct standing_design *own, const struct standing_design *other,
                                      double *part)
{
	double more = own->latency_ms - other->latency_ms;
	for (unsigned i = 0; i < N_BOUND && more > 0.0; i++) {
		*part = (own->bound_ms[i] - other->bound_ms[i]) / more;
		if (*part >= REASON_PART)
			return (enum bound)i;
	}
	return N_BOUND;
}

static bool reason_of_time(struct run_verdict_maker *maker, const struct run_verdict_machine *own,
                           const struct run_verdict_machine *other, bool is_first)
{
	const struct standing_design *slow = &own->fastest, *fast = &other->fastest;
	double part, more = slow->latency_ms - fast->latency_ms;
	if (!slow->is_known || !fast->is_known || !(more > REASON_FRAC * fast->latency_ms))
		return false;
	enum bound bound = bound_of_difference(slow, fast, &part);
	if (bound == N_BOUND)
		return false;
	words_add(&maker->text, "%s %.3g ms more are bound by the %s", is_first ? ", because" : " and", part * more,
	          bound_name[bound]);
	claim(
	    maker,
	    (struct run_verdict_claim){
		.kind = RUN_VERDICT_TIME, .machine = own->index, .other = other->index, .bound = bound, .value = part});
	return true;
}

static bool reason_of_energy(struct run_verdict_maker *maker, const struct run_verdict_machine *own,
                             const struct run_verdict_machine *other, bool is_first)
{
	const struct standing_design *much = &own->thriftiest, *little = &other->thriftiest;
	double more = much->energy_mj - little->energy_mj, more_static = much->static_mj - little->static_mj;
	if (!much->is_known || !little->is_known || !(more > REASON_FRAC * little->energy_mj) ||
	    !(more_static >= REASON_PART * more))
		return false;
	double longer_mj = (much->latency_ms - little->latency_ms) * little->static_mj / little->latency_ms;
	bool is_longer = longer_mj >= REASON_PART * more_static;
	words_add(&maker->text, "%s %s (%.3g mJ)", is_first ? ", because" : " and",
	          is_longer ? "static power is drawn longer" : "its static power is higher", more_static);
	claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_STATIC,
	                                        .machine = own->index,
	                                        .other = other->index,
	                                        .bound = is_longer ? BOUND_MAC : BOUND_SRAM,
	                                        .value = more_static / more});
	return true;
}

static void add_reasons(struct run_verdict_maker *maker, const struct run_verdict_machine *own,
                        const struct run_verdict_machine *other)
{
	if (!sums_layers(maker->of->space))
		return;
	bool has = reason_of_time(maker, own, other, true);
	has |= reason_of_energy(maker, own, other, !has);
	if (has && own->is_bound)
		words_add(&maker->text, ", in the designs of it that were seen");
}

static void add_times(struct words_text *text, double ratio, const char *label)
{
	static const struct {
		double ratio;
		const char *words;
	} known[] = {{0.25, "a quarter of the"}, {0.5, "half the"}, {2.0, "twice the"}, {4.0, "four times the"}};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (fabs(ratio - known[i].ratio) < 1e-9) {
			words_add(text, "%s %s", known[i].words, label);
			return;
		}
	words_add(text, "%.3g times the %s", ratio, label);
}

/* "has half the MAC units": sizes that are objectives and differ; how many. */
static size_t add_sizes(struct run_verdict_maker *maker, const struct run_verdict_machine *own,
                        const struct run_verdict_machine *other)
{
	const struct space *space = maker->of->space;
	size_t n = 0;
	for (size_t k = 0; k < space->n_objective; k++) {
		enum metric metric = space->objective[k];
		double ratio = own->metric[metric] / other->metric[metric];
		if (maker->is_scaled[k] || !(fabs(ratio - 1.0) > SAME_FRAC))
			continue;
		words_add(&maker->text, "%s", n++ > 0 ? " and " : " has ");
		add_times(&maker->text, ratio, metric_table[metric].label);
		claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_SIZE,
		                                        .machine = own->index,
		                                        .other = other->index,
		                                        .objective = (unsigned)metric,
		                                        .value = ratio});
	}
	return n;
}

/* "is 14 % slower and takes 16 % more energy": best against best. */
static void add_differences(struct run_verdict_maker *maker, const struct run_verdict_machine *own,
                            const struct run_verdict_machine *other, size_t n_before)
{
	const struct space *space = maker->of->space;
	size_t n = 0;
	for (size_t k = 0; k < space->n_objective; k++) {
		enum metric metric = space->objective[k];
		double more = own->least[k] / other->least[k] - 1.0;
		if (!maker->is_scaled[k] || !(fabs(more) > SAME_FRAC) || !isfinite(more))
			continue;
		words_add(&maker->text, "%s", n > 0 ? " and" : n_before > 0 ? ", and" : "");
		n++;
		if (metric == METRIC_LATENCY)
			words_add(&maker->text, " is %.3g %% %s", 100.0 * fabs(more), more > 0.0 ? "slower" : "faster");
		else
			words_add(&maker->text, " takes %.3g %% %s %s", 100.0 * fabs(more),
			          more > 0.0 ? "more" : "less", metric_table[metric].label);
		claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_MORE,
		                                        .machine = own->index,
		                                        .other = other->index,
		                                        .objective = (unsigned)k,
		                                        .value = more,
		                                        .is_event = own->is_event});
	}
	if (n == 0)
		words_add(&maker->text, "%s",
		          n_before > 0 ? ", and is as good at its best" : " is as good at its best");
}

static void say_other(struct run_verdict_maker *maker, uint32_t machine, uint32_t reference)
{
	const struct run_verdict_machine *own = &maker->verdict->machine[machine],
					 *other = &maker->verdict->machine[reference];
	add_name(maker, machine);
	if (find_winner(maker) == RUN_VERDICT_NOBODY) {
		words_add(&maker->text, ", beside ");
		add_name(maker, reference);
		words_add(&maker->text, ",");
	}
	size_t n = add_sizes(maker, own, other);
	add_differences(maker, own, other, n);
	add_reasons(maker, own, other);
	words_add(&maker->text, ".");
	run_verdict_say(maker);
}

/* The other machines of the front: the best of each objective first, then the others in their order. */
static void say_others(struct run_verdict_maker *maker, uint32_t reference)
{
	const struct run_verdict *verdict = maker->verdict;
	size_t n = 0, n_left = 0;
	for (uint32_t i = 0; i < verdict->n_machine; i++) {
		if (!is_candidate(&verdict->machine[i]) || i == reference)
			continue;
		if (n < MAX_OTHER) {
			n++;
			say_other(maker, i, reference);
		} else {
			n_left++;
		}
	}
	if (n_left > 0) {
		words_add(&maker->text, "%zu other machine%s on the front, too.", n_left,
		          n_left == 1 ? " is" : "s are");
		run_verdict_say(maker);
	}
}

/* ---- machines that lost -------------------------------------------------------------------------------- */

/* Rounded down: it is at least so much. */
static void add_margin(struct words_text *text, double margin)
{
	double pct = 100.0 * margin;
	double digits = pct >= 10.0 ? 1.0 : pct >= 1.0 ? 10.0 : 100.0;
	words_add(text, "by %.3g %% at least", floor(pct * digits) / digits);
}

static void claim_beaten(struct run_verdict_maker *maker)
{
	const struct run_verdict *verdict = maker->verdict;
	for (size_t i = 0; i < verdict->n_machine; i++) {
		const struct run_verdict_machine *own = &verdict->machine[i];
		if (own->place == RUN_VERDICT_BEATEN)
			claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_BEATS,
			                                        .machine = own->index,
			                                        .other = own->by,
			                                        .value = own->margin,
			                                        .is_event = own->is_event});
	}
}

/* The machine of a row of one that another one beats alone. */
static const struct run_verdict_machine *find_alone(const struct run_verdict_maker *maker,
                                                    const struct run_verdict_row *row)
{
	const struct run_verdict_machine *own = &maker->verdict->machine[row->first];
	return row->n_machine == 1 && own->by != RUN_VERDICT_NOBODY ? own : NULL;
}

/* The ratio of a size that is an objective, where all of them are equal, is said, too: it is no excuse then. */
static void add_equal_sizes(struct run_verdict_maker *maker, const struct run_verdict_machine *own,
                            const struct run_verdict_machine *other)
{
	const struct space *space = maker->of->space;
	for (size_t k = 0; k < space->n_objective; k++) {
		enum metric metric = space->objective[k];
		if (maker->is_scaled[k] || fabs(own->metric[metric] / other->metric[metric] - 1.0) > 1e-9)
			continue;
		words_add(&maker->text, " with as %s %s", metric == METRIC_MAC_UNITS ? "many" : "much",
		          metric_table[metric].label);
		claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_SIZE,
		                                        .machine = own->index,
		                                        .other = other->index,
		                                        .objective = (unsigned)metric,
		                                        .value = 1.0});
		return;
	}
}

static size_t count_varying(const struct space *space)
{
	size_t n = 0;
	for (size_t axis = 0; axis <= space->n_axis; axis++)
		n += run_verdict_axis_n(space, axis) > 1;
	return n;
}

static void say_beaten_row(struct run_verdict_maker *maker, const struct run_verdict_row *row)
{
	const struct run_verdict_machine *alone = find_alone(maker, row);
	const char *by = strstr(row->place, " by ");
	words_add(&maker->text, "%s", row->machines);
	if (row->n_machine > 1)
		words_add(&maker->text, " (%" PRIu64 " machines)", row->n_machine);
	bool is_relative = by && count_varying(maker->of->space) > 1;
	words_add(&maker->text, "%s beaten%s%s everywhere", row->n_machine > 1 ? " are" : " is",
	          is_relative ? " by the same with "
	          : by        ? by
	                      : "",
	          is_relative ? by + strlen(" by ") : "");
	if (row->margin >= SAME_FRAC) {
		words_add(&maker->text, ", ");
		add_margin(&maker->text, row->margin);
	} else {
		words_add(&maker->text, ", or equalled");
	}
	if (alone) {
		add_equal_sizes(maker, alone, &maker->verdict->machine[alone->by]);
		add_reasons(maker, alone, &maker->verdict->machine[alone->by]);
	}
	words_add(&maker->text, ".");
	run_verdict_say(maker);
}

static void say_beaten(struct run_verdict_maker *maker)
{
	const struct run_verdict *verdict = maker->verdict;
	double least = INFINITY;
	uint64_t n = 0, n_left = 0;
	claim_beaten(maker);
	for (size_t i = 0; i < verdict->n_row; i++) {
		const struct run_verdict_row *row = &verdict->row[i];
		if (row->kind != RUN_VERDICT_BEATEN)
			continue;
		if (n++ < MAX_BEATEN) {
			say_beaten_row(maker, row);
			continue;
		}
		n_left += row->n_machine;
		least = fmin(least, row->margin);
	}
	if (n_left == 0)
		return;
	words_add(&maker->text, "%" PRIu64 " other machine%s beaten everywhere", n_left, n_left == 1 ? " is" : "s are");
	if (least >= SAME_FRAC) {
		words_add(&maker->text, ", ");
		add_margin(&maker->text, least);
	}
	words_add(&maker->text, ".");
	run_verdict_say(maker);
}

/* Machines that are not there at all. */
static void say_rest(struct run_verdict_maker *maker)
{
	static const enum run_verdict_place place[] = {RUN_VERDICT_ALIKE,   RUN_VERDICT_BEHIND, RUN_VERDICT_EMPTY,
	                                               RUN_VERDICT_REFUSED, RUN_VERDICT_FAILED, RUN_VERDICT_OPEN};
	static const char *const words[RUN_VERDICT_N_PLACE] = {
	    [RUN_VERDICT_ALIKE] = "no better than the front by more than the model can tell",
	    [RUN_VERDICT_BEHIND] = "not on the front",
	    [RUN_VERDICT_EMPTY] = "without a design that keeps the limits",
	    [RUN_VERDICT_REFUSED] = "refused by constraints or checks",
	    [RUN_VERDICT_FAILED] = "not known, as the search failed",
	    [RUN_VERDICT_OPEN] = "not searched to the end"};
	size_t n_said = 0;
	for (size_t k = 0; k < sizeof(place) / sizeof(place[0]); k++) {
		size_t n = 0;
		for (size_t i = 0; i < maker->verdict->n_machine; i++)
			n += maker->verdict->machine[i].place == place[k];
		if (n > 0)
			words_add(&maker->text, "%s%zu machine%s %s %s", n_said++ > 0 ? "; " : "", n, n == 1 ? "" : "s",
			          n == 1 ? "is" : "are", words[place[k]]);
	}
	words_add(&maker->text, "%s", n_said > 0 ? "." : "");
	run_verdict_say(maker);
}

/* ---- what bounds a machine, and at which operating points --------------------------------------------- */

static void add_block(struct run_verdict_maker *maker, uint32_t block)
{
	const struct layer_map *map = &maker->of->explore->map;
	assert(block < map->n_block);
	if (map->n_network > 1)
		words_add(&maker->text, "%s ", maker->of->space->network[layer_map_network(map, block)].network.name);
	words_add(&maker->text, "%s", map->block[block]->name);
}

/* The bound with the largest part of the time that is not said yet; N_BOUND: none of a tenth is left. */
static enum bound next_bound(const struct standing_design *design, double sum, const bool *is_said)
{
	enum bound most = N_BOUND;
	for (unsigned i = 0; i < N_BOUND; i++)
		if (!is_said[i] && design->bound_ms[i] >= LEAST_SHARE * sum &&
		    (most == N_BOUND || design->bound_ms[i] > design->bound_ms[most]))
			most = (enum bound)i;
	return most;
}

static void say_bounds(struct run_verdict_maker *maker, uint32_t machine)
{
	const struct standing_design *design = &maker->verdict->machine[machine].fastest;
	bool is_said[N_BOUND] = {false};
	double sum = 0.0;
	size_t n = 0;
	for (unsigned i = 0; i < N_BOUND; i++)
		sum += design->bound_ms[i];
	if (!design->is_known || !(sum > 0.0))
		return;
	words_add(&maker->text, "What bounds the fastest design of ");
	add_name(maker, machine);
	for (enum bound i; (i = next_bound(design, sum, is_said)) < N_BOUND; n++) {
		double share = design->bound_ms[i] / sum;
		is_said[i] = true;
		words_add(&maker->text, "%s%s %.0f %% of the time (", n > 0 ? ", " : ": ", bound_name[i],
		          100.0 * share);
		if (design->n_layer[i] > 0)
			words_add(&maker->text, "%u of %u layers, ", (unsigned)design->n_layer[i],
			          (unsigned)design->n_block);
		words_add(&maker->text, "most in ");
		add_block(maker, design->worst[i]);
		words_add(&maker->text, ")");
		claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_SHARE,
		                                        .machine = machine,
		                                        .other = RUN_VERDICT_NOBODY,
		                                        .bound = i,
		                                        .value = share});
	}
	words_add(&maker->text, ".");
	run_verdict_say(maker);
}

/* "at PL2", "62 at PL2, 9 at PL1" */
static void add_levels(struct run_verdict_maker *maker, size_t point, struct unrolled *unrolled)
{
	size_t n_use[MACHINE_MAX_LEVEL] = {0}, n = 0;
	unroll_point(maker->of->unroller, point, unrolled);
	for (size_t i = 0; i < unrolled->n_layer; i++)
		n_use[unrolled->layer[i]->design.level]++;
	for (unsigned i = 0; i < unrolled->machine->n_level; i++) {
		if (n_use[i] == 0)
			continue;
		words_add(&maker->text, "%s", n++ > 0 ? ", " : "");
		if (n_use[i] == unrolled->n_layer)
			words_add(&maker->text, "all");
		else
			words_add(&maker->text, "%zu", n_use[i]);
		words_add(&maker->text, " layer%s at %s", n_use[i] == 1 ? "" : "s", unrolled->machine->level[i].name);
	}
}

/* The point of a machine with the least of an objective. */
static size_t find_point(const struct pareto *front, uint32_t machine, size_t k)
{
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < front->n; i++)
		if (front->genome[i * front->n_gene] == machine &&
		    (best == SIZE_MAX ||
		     front->objective[i * front->n_objective + k] < front->objective[best * front->n_objective + k]))
			best = i;
	return best;
}

static bool has_levels(const struct space *space)
{
	for (size_t i = 0; i < space->n_network; i++)
		for (size_t k = 0; k < space->network[i].network.n_block; k++)
			if ((space->network[i].choice[k].level_mask & (space->network[i].choice[k].level_mask - 1)) !=
			    0)
				return true;
	return false;
}

/* Which operating points the best designs of a machine run at. */
static void say_levels(struct run_verdict_maker *maker, uint32_t machine)
{
	const struct space *space = maker->of->space;
	const struct pareto *front = &maker->of->explore->front;
	struct unrolled unrolled;
	size_t n = 0;
	if (!has_levels(space) || !maker->of->unroller)
		return;
	memory_check(unrolled_init(&maker->of->explore->map, &unrolled, NULL) == ERR_OK);
	words_add(&maker->text, "Operating points: ");
	for (size_t k = 0; k < space->n_objective; k++) {
		size_t point = find_point(front, machine, k);
		if (!maker->is_scaled[k] || point == SIZE_MAX)
			continue;
		words_add(&maker->text, "%s%s%s ", n++ > 0 ? "; " : "",
		          space->objective[k] == METRIC_LATENCY ? "fastest" : "least ",
		          space->objective[k] == METRIC_LATENCY ? "" : metric_table[space->objective[k]].label);
		add_levels(maker, point, &unrolled);
	}
	words_add(&maker->text, ".");
	unrolled_free(&unrolled);
	if (n > 0)
		run_verdict_say(maker);
	words_clear(&maker->text);
}

/* ---- one machine --------------------------------------------------------------------------------------- */

/* What one point has more or less than another in objectives that differ. */
static void add_trade(struct run_verdict_maker *maker, const double *own, const double *other)
{
	const struct space *space = maker->of->space;
	size_t n = 0;
	for (size_t k = 0; k < space->n_objective; k++) {
		enum metric metric = space->objective[k];
		double more = own[k] / other[k] - 1.0;
		if (!maker->is_scaled[k] || !(fabs(more) > SAME_FRAC) || !isfinite(more))
			continue;
		words_add(&maker->text, "%s", n++ > 0 ? " and" : "");
		if (metric == METRIC_LATENCY)
			words_add(&maker->text, " is %.3g %% %s", 100.0 * fabs(more), more > 0.0 ? "slower" : "faster");
		else
			words_add(&maker->text, " takes %.3g %% %s %s", 100.0 * fabs(more),
			          more > 0.0 ? "more" : "less", metric_table[metric].label);
	}
	if (n == 0)
		words_add(&maker->text, " is the same");
}

static void say_points(struct run_verdict_maker *maker)
{
	const struct space *space = maker->of->space;
	const struct pareto *front = &maker->of->explore->front;
	size_t chosen[SPACE_MAX_OBJECTIVE + 1], knee, n = 0, first = SIZE_MAX;
	(void)shortlist_choose(front, front->n_objective + 1, chosen, &knee);
	words_add(&maker->text, "One machine, %zu design%s on the front%s: ", front->n, front->n == 1 ? "" : "s",
	          was_cut(maker) ? " so far" : "");
	for (size_t k = 0; k < space->n_objective; k++) {
		if (!maker->is_scaled[k])
			continue;
		size_t best = shortlist_least(front, (unsigned)k);
		first = first == SIZE_MAX ? best : first;
		words_add(&maker->text, "%s", n++ > 0 ? ", " : "");
		words_add(&maker->text, "%s%s ", space->objective[k] == METRIC_LATENCY ? "fastest" : "least ",
		          space->objective[k] == METRIC_LATENCY ? "" : metric_table[space->objective[k]].label);
		add_value(maker, space->objective[k], front->objective[best * front->n_objective + k]);
		words_add(&maker->text, " (point %zu)", best);
		claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_BEST,
		                                        .other = RUN_VERDICT_NOBODY,
		                                        .objective = (unsigned)k,
		                                        .value = front->objective[best * front->n_objective + k],
		                                        .is_event = maker->of->price && maker->of->price->is_priced});
	}
	words_add(&maker->text, ".");
	run_verdict_say(maker);
	say_cut(maker);
	if (front->n < 3 || first == SIZE_MAX || knee == first)
		return;
	words_add(&maker->text, "The knee, point %zu,", knee);
	add_trade(maker, front->objective + knee * front->n_objective, front->objective + first * front->n_objective);
	words_add(&maker->text, " beside point %zu.", first);
	run_verdict_say(maker);
}

/* ---- nothing fits --------------------------------------------------------------------------------------- */

static void say_nothing(struct run_verdict_maker *maker)
{
	const struct explore *explore = maker->of->explore;
	uint64_t n = explore->counts.n_machine;
	bool is_open = explore->interrupted || explore->truncated || explore->n_failure > 0;
	bool is_proven = !is_open && !explore->counts.is_limited;
	words_add(&maker->text, is_open ? "Nothing was found so far, which proves nothing" : "Nothing fits");
	words_add(&maker->text, ": ");
	words_add(&maker->text, n == 1 ? "the machine has no design" : "none of %" PRIu64 " machines has a design", n);
	words_add(&maker->text, " that keeps all limits%s.", !is_open && !is_proven ? ", as far as is proven" : "");
	run_verdict_say(maker);
	if (is_proven)
		claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_NONE,
		                                        .machine = RUN_VERDICT_NOBODY,
		                                        .other = RUN_VERDICT_NOBODY,
		                                        .value = (double)n});
	if (explore->miss.stage == STAGE_NONE)
		return;
	size_t n_text = strlen(explore->miss.text);
	n_text -= n_text > 0 && explore->miss.text[n_text - 1] == ';';
	words_add(&maker->text, "Nearest: %s: %.*s.", explore->miss.machine, (int)n_text, explore->miss.text);
	run_verdict_say(maker);
}

void run_verdict_claim_all(struct run_verdict_maker *maker)
{
	const struct explore *explore = maker->of->explore;
	const struct run_verdict *verdict = maker->verdict;
	words_clear(&maker->text);
	if (explore->front.n == 0) {
		say_nothing(maker);
		if (verdict->n_machine > 1)
			say_rest(maker);
		return;
	}
	if (verdict->n_machine <= 1) {
		say_points(maker);
		if (verdict->n_machine == 1) {
			say_bounds(maker, 0);
			say_levels(maker, 0);
		}
		return;
	}
	uint32_t winner = find_winner(maker),
		 reference = winner != RUN_VERDICT_NOBODY ? winner : machine_of_knee(maker);
	if (winner != RUN_VERDICT_NOBODY)
		say_winner(maker, winner);
	else
		say_no_winner(maker);
	say_cut(maker);
	say_others(maker, reference);
	say_beaten(maker);
	say_rest(maker);
	say_bounds(maker, reference);
	say_levels(maker, reference);
}
