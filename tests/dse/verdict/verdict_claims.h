/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_VERDICT_CLAIMS_H
#define TESTS_VERDICT_CLAIMS_H
/* Whether a verdict's facts, claims, rows and sentences are so, beside all designs of its machines. */
#include "tests/dse/verdict/sentence_figures.h"
#include "tests/dse/verdict/sentence_truth.h"
#include <string.h>

struct tally {
	unsigned n_on_front, n_beaten, n_bound, n_margin, n_empty, n_claim[RUN_VERDICT_N_CLAIM], n_together, n_figure;
	struct said said;
};

/* Beaten by so much, in what it is said to be beaten in; where that is the fast tier, and the model can tell, in the
 * event tier, too. */
static inline void check_loser(const struct truth *truth, unsigned machine, uint32_t by, double margin)
{
	const struct run_verdict_machine *own = &truth->verdict.machine[machine];
	if (own->basis == RUN_VERDICT_FAST_TIER)
		assert_true(is_beaten(truth->fast, machine, by, margin));
	if (own->basis == RUN_VERDICT_FAST_TIER && !(own->doubt_frac > 0.0))
		assert_true(is_beaten(truth, machine, by, 0.0));
	if (own->basis == RUN_VERDICT_ALL_DESIGNS)
		assert_true(is_beaten(truth, machine, by, margin));
	if (own->basis == RUN_VERDICT_PRICED_DESIGNS)
		assert_true(own->doubt_frac > 0.0);
}

static inline void check_machine(const struct truth *truth, unsigned i, struct tally *tally)
{
	const struct run_verdict_machine *machine = &truth->verdict.machine[i];
	double epsilon = truth->found->counts.epsilon;
	double gap =
	    truth->price ? (1.0 + truth->price->assumed_gap_frac) * (1.0 + truth->price->resolution_frac) - 1.0 : 0.0;
	bool has_design = isfinite(least_of(truth, i, 0));
	bool is_without = machine->place == RUN_VERDICT_EMPTY || machine->place == RUN_VERDICT_REFUSED;
	/* bounds may cut a machine that has no design at all */
	assert_true(has_design ? !is_without : is_without || machine->is_bound);
	for (unsigned k = 0; k < truth->drawn->n_objective && has_design && !machine->is_event; k++) {
		double least = least_of(truth->fast ? truth->fast : truth, i, k);
		assert_true(machine->is_bound ? machine->least[k] <= least * SAME
		                              : machine->least[k] * SAME >= least &&
		                                    machine->least[k] <= least * (1.0 + epsilon) * SAME);
	}
	for (unsigned k = 0; k < truth->drawn->n_objective && machine->is_event; k++)
		assert_true(machine->least[k] * SAME >= least_of(truth, i, k));
	if (machine->place == RUN_VERDICT_BEATEN) {
		assert_true(machine->margin >= 0.0);
		check_loser(truth, i, machine->by, machine->margin);
		tally->n_margin += machine->margin > 1e-3;
		tally->n_together += machine->by == RUN_VERDICT_NOBODY;
	}
	/* a point of the front is beaten by no other machine by more than what thinning may have cost */
	if (machine->place == RUN_VERDICT_ON_FRONT)
		assert_false(is_beaten(truth, i, RUN_VERDICT_NOBODY, 1e-7 + epsilon + gap));
	tally->n_on_front += machine->place == RUN_VERDICT_ON_FRONT;
	tally->n_beaten += machine->place == RUN_VERDICT_BEATEN;
	tally->n_bound += machine->is_bound;
	tally->n_empty += machine->place == RUN_VERDICT_EMPTY;
}

static inline double sum_of(const double *value, unsigned n)
{
	double sum = 0.0;
	for (unsigned i = 0; i < n; i++)
		sum += value[i];
	return sum;
}

/* The best designs' figures are those of the best designs, and their parts add up. */
static inline void check_designs(const struct truth *truth, unsigned i)
{
	const struct run_verdict_machine *machine = &truth->verdict.machine[i];
	const struct standing_design *fastest = &machine->fastest, *thriftiest = &machine->thriftiest;
	double factor = (1.0 + truth->found->counts.epsilon) * SAME;
	if (!fastest->is_known)
		return;
	assert_true(fabs(sum_of(fastest->bound_ms, N_BOUND) / fastest->latency_ms - 1.0) < 1e-9);
	assert_true(thriftiest->static_mj <= thriftiest->energy_mj);
	for (unsigned k = 0; k < truth->drawn->n_objective && !machine->is_bound; k++) {
		enum metric metric = truth->found->space->objective[k];
		double least = least_of(truth->fast ? truth->fast : truth, i, k);
		if (metric == METRIC_LATENCY)
			assert_true(fastest->latency_ms * SAME >= least && fastest->latency_ms <= least * factor);
		if (metric == METRIC_ENERGY && truth->drawn->deadline[0] == '\0') /* else sleep is a part of it */
			assert_true(thriftiest->energy_mj * SAME >= least && thriftiest->energy_mj <= least * factor);
	}
}

/* MAC units of a machine by the first axis alone, which is its array. */
static inline double n_mac(const struct truth *truth, unsigned machine)
{
	unsigned below = 1, columns, rows;
	for (unsigned i = 1; i < truth->drawn->n_axis; i++)
		below *= truth->drawn->axis[i].n;
	assert_int_equal(
	    sscanf(truth->drawn->axis[0].value[machine / below % truth->drawn->axis[0].n], "%ux%u", &columns, &rows),
	    2);
	return columns * rows;
}

/* Each member is beaten, by the one machine that is named, or its own; by so much. */
static inline void check_group(const struct truth *truth, const struct run_verdict_claim *claim)
{
	assert_true(claim->n_member > 0);
	for (size_t i = 0; i < claim->n_member; i++) {
		const struct run_verdict_machine *own = &truth->verdict.machine[claim->member[i]];
		assert_int_equal(own->place, RUN_VERDICT_BEATEN);
		if (claim->other != RUN_VERDICT_NOBODY)
			assert_int_equal(own->by, claim->other);
		if (claim->other != RUN_VERDICT_NOBODY || claim->n_member == 1)
			check_loser(truth, claim->member[i], own->by, claim->value);
	}
}

/* Beside the plane through the front's ends, scaled to them, no point is farther than the knee. */
static inline void check_knee(const struct truth *truth, const struct run_verdict_claim *claim)
{
	const struct pareto *front = &truth->found->front;
	double sum[2] = {0.0, INFINITY};
	assert_true(claim->value < (double)front->n);
	for (size_t i = 0; i < front->n; i++) {
		double own = 0.0;
		for (unsigned k = 0; k < front->n_objective; k++) {
			double least = INFINITY, most = -INFINITY;
			for (size_t j = 0; j < front->n; j++) {
				least = fmin(least, front->objective[j * front->n_objective + k]);
				most = fmax(most, front->objective[j * front->n_objective + k]);
			}
			if (most > least)
				own += (front->objective[i * front->n_objective + k] - least) / (most - least);
		}
		sum[0] = i == (size_t)claim->value ? own : sum[0];
		sum[1] = fmin(sum[1], own);
	}
	assert_true(sum[0] <= sum[1] + 1e-9);
	assert_int_equal(front->genome[(size_t)claim->value * front->n_gene], claim->machine);
}

/* The machine has no design with less, and the limit is below that. */
static inline void check_miss(const struct truth *truth, const struct run_verdict_claim *claim)
{
	assert_true(claim->value > truth->found->miss.limit);
	for (unsigned k = 0; k < truth->drawn->n_objective; k++)
		for (size_t i = 0; i < truth->all[claim->machine].n; i++)
			assert_true(truth->found->space->objective[k] != claim->objective ||
			            claim->value <= design(truth, claim->machine, i)[k] * SAME);
}

static inline void check_claim(const struct truth *truth, const struct run_verdict_claim *claim)
{
	const struct run_verdict_machine *machine = truth->verdict.machine, *own = &machine[claim->machine],
					 *other = claim->other == RUN_VERDICT_NOBODY ? NULL : &machine[claim->other];
	double factor = (1.0 + truth->found->counts.epsilon) * SAME, most = factor;
	switch (claim->kind) {
	case RUN_VERDICT_BEST:
		if (truth->fast) { /* its sentence says who may be better */
			assert_true(claim->value * SAME >= least_of(truth, claim->machine, claim->objective));
			break;
		}
		assert_true(least_of(truth, claim->machine, claim->objective) <= claim->value * SAME);
		for (unsigned m = 0; m < truth->n_machine; m++)
			assert_true(claim->value <= least_of(truth, m, claim->objective) * factor);
		break;
	case RUN_VERDICT_MORE:
		if (truth->fast) {
			assert_true(
			    fabs((1.0 + claim->value) * other->least[claim->objective] / own->least[claim->objective] -
			         1.0) < 1e-9);
			break;
		}
		most = (1.0 + claim->value) * least_of(truth, claim->other, claim->objective) /
		       least_of(truth, claim->machine, claim->objective);
		assert_true(most <= factor && most >= 1.0 / factor);
		break;
	case RUN_VERDICT_SIZE:
		if (claim->objective == METRIC_MAC_UNITS)
			assert_true(fabs(n_mac(truth, claim->machine) / (claim->value * n_mac(truth, claim->other)) -
			                 1.0) < 1e-9);
		break;
	case RUN_VERDICT_BEATS:
		check_loser(truth, claim->machine, claim->other, claim->value);
		break;
	case RUN_VERDICT_TIME:
		/* half or more of the difference, or what another bound gives back of it */
		assert_true(claim->value >= 0.5 || claim->value < 0.0);
		assert_true(fabs(own->fastest.bound_ms[claim->bound] - other->fastest.bound_ms[claim->bound] -
		                 claim->value * (own->fastest.latency_ms - other->fastest.latency_ms)) <=
		            1e-9 * own->fastest.latency_ms);
		break;
	case RUN_VERDICT_STATIC:
		assert_true(claim->value >= 0.5);
		assert_true(fabs(own->thriftiest.static_mj - other->thriftiest.static_mj -
		                 claim->value * (own->thriftiest.energy_mj - other->thriftiest.energy_mj)) <=
		            1e-9 * own->thriftiest.energy_mj);
		if (claim->bound == BOUND_MAC)
			assert_true(own->thriftiest.latency_ms > other->thriftiest.latency_ms);
		break;
	case RUN_VERDICT_SHARE:
		assert_true(fabs(own->fastest.bound_ms[claim->bound] / own->fastest.latency_ms - claim->value) < 1e-9);
		break;
	case RUN_VERDICT_MOST:
		assert_true(fabs(own->fastest.bound_ms[claim->bound] / own->fastest.latency_ms - claim->value) < 1e-9);
		for (unsigned i = 0; i < N_BOUND; i++)
			assert_true(own->fastest.bound_ms[i] <= own->fastest.bound_ms[claim->bound]);
		break;
	case RUN_VERDICT_GROUP:
		check_group(truth, claim);
		break;
	case RUN_VERDICT_KNEE:
		check_knee(truth, claim);
		break;
	case RUN_VERDICT_KEEPS:
		assert_int_equal(claim->value, truth->n_machine);
		for (unsigned m = 0; m < truth->n_machine; m++)
			assert_true(isfinite(least_of(truth, m, 0)));
		break;
	case RUN_VERDICT_MISS:
		check_miss(truth, claim);
		break;
	case RUN_VERDICT_CLOSE:
		assert_true(claim->value > 0.0);
		break;
	case RUN_VERDICT_NONE:
		for (unsigned m = 0; m < truth->n_machine; m++)
			assert_true(isinf(least_of(truth, m, 0)));
		break;
	default:
		fail_msg("a claim of a kind that nobody checks: %s", run_verdict_claim_name[claim->kind]);
	}
}

/* Sentences on groups are on all machines that lost, once each; no figure of a sentence is without a claim. */
static inline void check_sentences(const struct truth *truth, struct tally *tally)
{
	const struct run_verdict *verdict = &truth->verdict;
	size_t n_beaten = 0, n_member = 0;
	for (size_t i = 0; i < verdict->n_machine; i++)
		n_beaten += verdict->machine[i].place == RUN_VERDICT_BEATEN;
	for (size_t i = 0; i < verdict->n_claim; i++)
		n_member += verdict->claim[i].n_member;
	assert_int_equal(n_member, truth->n_machine > 1 ? n_beaten : 0);
	for (unsigned i = 0; i < verdict->n_sentence; i++) {
		const char *at =
		    figure_unclaimed(truth->found->space, verdict, i, truth->found->miss.violation, &tally->n_figure);
		if (at)
			fail_msg("no claim has '%.20s' of: %s", at, verdict->sentence[i]);
		check_sentence(truth, verdict->sentence[i], &tally->said);
	}
}

/* Rows of machines that are alike hold all machines, once each. */
static inline void check_rows(const struct truth *truth)
{
	const struct run_verdict *verdict = &truth->verdict;
	uint64_t n = 0;
	for (size_t i = 0; i < verdict->n_row; i++)
		n += verdict->row[i].n_machine;
	assert_int_equal(n, truth->n_machine);
	assert_true(verdict->n_sentence > 0);
	for (size_t i = 0; i < verdict->n_sentence; i++)
		assert_true(verdict->sentence[i][strlen(verdict->sentence[i]) - 1] == '.');
}

#endif
