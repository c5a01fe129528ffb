/* SPDX-License-Identifier: Apache-2.0 */
/* Why a machine is slower than another, and takes more energy: what their best designs spend. */
#include "dse/base/memory.h"
#include "dse/space/space_goals.h"
#include "dse/verdict/verdict_parts.h"
#include <math.h>
#include <stdlib.h>

/* A reason explains at least so much of a difference; of smaller differences none is given. */
#define REASON_PART 0.5
#define REASON_FRAC 0.01
/* Where a bound takes more than this part of a difference, another one took its time before, and is named, too. */
#define RELIEF_PART 1.5

/* N_BOUND: there is none. */
struct reason {
	enum bound bound, relief;   /* what bounds more of the time, and less */
	double bound_ms, relief_ms; /* by so much */
	double more_ms;             /* the whole difference */
	bool has_energy, is_longer; /* static power is drawn longer, or there is more of it */
	double static_mj, static_part;
};

/* Whether sums over the layers' runs are the latency that the space counts; of energy sleep is a part, too. */
static bool sums_time(const struct space *space)
{
	return space_has_objective(space, METRIC_LATENCY) &&
	       !(space->aggregate == AGGREGATE_WORST && space->n_network > 1);
}

static bool sums_energy(const struct space *space)
{
	return space_has_objective(space, METRIC_ENERGY) && !(space->deadline_ms > 0) &&
	       !(space->aggregate == AGGREGATE_WORST && space->n_network > 1);
}

static void find_time(const struct standing_design *slow, const struct standing_design *fast, struct reason *reason)
{
	double more[N_BOUND], all = slow->latency_ms - fast->latency_ms;
	unsigned most = 0, least = 0;
	if (!slow->is_known || !fast->is_known || !(all > REASON_FRAC * fast->latency_ms))
		return;
	for (unsigned i = 0; i < N_BOUND; i++) {
		more[i] = slow->bound_ms[i] - fast->bound_ms[i];
		most = more[i] > more[most] ? i : most;
		least = more[i] < more[least] ? i : least;
	}
	if (!(more[most] >= REASON_PART * all))
		return;
	reason->bound = (enum bound)most;
	reason->bound_ms = more[most];
	reason->more_ms = all;
	if (!(more[most] > RELIEF_PART * all))
		return;
	reason->relief = (enum bound)least;
	reason->relief_ms = -more[least];
}

static void find_energy(const struct standing_design *much, const struct standing_design *little, struct reason *reason)
{
	double more = much->energy_mj - little->energy_mj, more_static = much->static_mj - little->static_mj;
	if (!much->is_known || !little->is_known || !(more > REASON_FRAC * little->energy_mj) ||
	    !(more_static >= REASON_PART * more))
		return;
	double longer_mj = (much->latency_ms - little->latency_ms) * little->static_mj / little->latency_ms;
	reason->has_energy = true;
	reason->is_longer = longer_mj >= REASON_PART * more_static;
	reason->static_mj = more_static;
	reason->static_part = more_static / more;
}

/* What all reasons share; bounds that differ are none. */
static struct reason find_common(const struct reason *reason, size_t n)
{
	struct reason common = reason[0];
	for (size_t i = 1; i < n; i++) {
		common.bound = reason[i].bound == common.bound ? common.bound : N_BOUND;
		common.relief = reason[i].relief == common.relief ? common.relief : N_BOUND;
		common.has_energy =
		    common.has_energy && reason[i].has_energy && reason[i].is_longer == common.is_longer;
	}
	return common;
}

enum figure { BOUND_MS, RELIEF_MS, STATIC_MJ };

static double figure_of(const struct reason *reason, enum figure figure)
{
	return figure == BOUND_MS ? reason->bound_ms : figure == RELIEF_MS ? reason->relief_ms : reason->static_mj;
}

static void add_figures(struct run_verdict_maker *maker, const struct reason *reason, size_t n, enum figure figure)
{
	double least = INFINITY, most = 0.0;
	for (size_t i = 0; i < n; i++) {
		least = fmin(least, figure_of(&reason[i], figure));
		most = fmax(most, figure_of(&reason[i], figure));
	}
	run_verdict_add_range(&maker->text, least, most);
}

static void claim_time(struct run_verdict_maker *maker, uint32_t machine, uint32_t beside, enum bound bound,
                       double part)
{
	run_verdict_claim(
	    maker, (struct run_verdict_claim){
		       .kind = RUN_VERDICT_TIME, .machine = machine, .other = beside, .bound = bound, .value = part});
}

static void claim_reasons(struct run_verdict_maker *maker, const struct reason *common, const struct reason *reason,
                          const uint32_t *machine, const uint32_t *beside, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (common->bound != N_BOUND)
			claim_time(maker, machine[i], beside[i], common->bound, reason[i].bound_ms / reason[i].more_ms);
		if (common->bound != N_BOUND && common->relief != N_BOUND)
			claim_time(maker, machine[i], beside[i], common->relief,
			           -reason[i].relief_ms / reason[i].more_ms);
		if (common->has_energy)
			run_verdict_claim(
			    maker, (struct run_verdict_claim){.kind = RUN_VERDICT_STATIC,
			                                      .machine = machine[i],
			                                      .other = beside[i],
			                                      .bound = common->is_longer ? BOUND_MAC : BOUND_SRAM,
			                                      .value = reason[i].static_part});
	}
}

static void add_texts(struct run_verdict_maker *maker, const struct reason *common, const struct reason *reason,
                      size_t n, bool is_less)
{
	const char *more = is_less ? "less" : "more", *less = is_less ? "more" : "less";
	bool has_time = common->bound != N_BOUND;
	if (has_time) {
		words_add(&maker->text, ", because the %s bounds ", bound_name[common->bound]);
		add_figures(maker, reason, n, BOUND_MS);
		words_add(&maker->text, " ms %s", more);
	}
	if (has_time && common->relief != N_BOUND) {
		words_add(&maker->text, " (the %s ", bound_name[common->relief]);
		add_figures(maker, reason, n, RELIEF_MS);
		words_add(&maker->text, " ms %s)", less);
	}
	if (common->has_energy) {
		words_add(&maker->text, "%s static power %s (", has_time ? " and" : ", because",
		          common->is_longer ? is_less ? "is drawn for a shorter time" : "is drawn longer"
		          : is_less         ? "is lower"
		                            : "is higher");
		add_figures(maker, reason, n, STATIC_MJ);
		words_add(&maker->text, " mJ %s)", more);
	}
}

bool run_verdict_add_reasons(struct run_verdict_maker *maker, const uint32_t *machine, const uint32_t *beside, size_t n,
                             bool is_less)
{
	const struct space *space = maker->of->space;
	struct reason *reason = memory_array(n, sizeof(*reason));
	bool is_seen = false;
	for (size_t i = 0; i < n; i++) {
		const struct run_verdict_machine *own = &maker->verdict->machine[machine[i]],
						 *other = &maker->verdict->machine[beside[i]];
		reason[i] = (struct reason){.bound = N_BOUND, .relief = N_BOUND};
		if (sums_time(space))
			find_time(&own->fastest, &other->fastest, &reason[i]);
		if (sums_energy(space))
			find_energy(&own->thriftiest, &other->thriftiest, &reason[i]);
		is_seen = is_seen || own->is_bound || other->is_bound;
	}
	const struct reason common = find_common(reason, n);
	bool has_time = common.bound != N_BOUND;
	if (has_time || common.has_energy) {
		add_texts(maker, &common, reason, n, is_less);
		claim_reasons(maker, &common, reason, machine, beside, n);
		words_add(&maker->text, "%s", is_seen ? ", in designs that were seen" : "");
	}
	free(reason);
	return has_time;
}
