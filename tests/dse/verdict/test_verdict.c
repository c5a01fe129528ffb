/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verdicts on random small spaces against all designs of each of their machines. A space is drawn with a few machines;
 * of each machine all designs are evaluated as wholes, in a space of its own, and the exact search's verdict on all of
 * them together must say nothing that these contradict:
 *
 *   space ─► for each machine: flat exhaustive search ─► all nondominated designs ─┐
 *      └───► exact search of all machines ─► verdict: facts, claims ───────────────┴─► contradicted?
 *
 * Sentences are checked twice: each figure has a claim (sentence_figures.h), and names, counts, sizes, margins, layers
 * and operating points are read out of the words and compared (sentence_truth.h). VERDICTS_SHOW in the environment
 * prints the verdicts.
 */
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/search/explore.h"
#include "dse/verdict/verdict.h"
#include "sim/base/rng.h"
#include "tests/dse/verdict/sentence_figures.h"
#include "tests/dse/verdict/sentence_truth.h"
#include "tests/support/draws.h"
#include "tests/support/random_network.h"
#include "tests/support/slow_build.h"
#include "tests/support/space_folder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct axis chip_axis[] = {{"mla.array", 3, {"16x4", "8x4", "16x2"}},
                                        {"pe.sram_byte", 2, {"65536", "16384"}},
                                        {"noc.clk_mhz", 2, {"500", "200"}}},
			 systolic_axis[] = {{"systolic.array", 2, {"8x8", "16x4"}},
                                            {"systolic.filter_byte", 3, {"4096", "65536", "2048"}},
                                            {"systolic.memory_gb_s", 2, {"6.4", "0.8"}}};

static void draw_objectives(struct rng *rng, struct drawn *drawn)
{
	static const char *const scaled[] = {"latency_ms", "energy_mj", "dram_byte"}, *const size[] = {"mac_units",
	                                                                                               "sram_byte"};
	unsigned n_scaled = 1 + rng_below(rng, 3), first = rng_below(rng, 3), n_size = rng_below(rng, 3);
	int n = 0;
	for (unsigned i = 0; i < n_scaled; i++) {
		drawn->has_latency |= (first + i) % 3 == 0;
		n += snprintf(drawn->objectives + n, sizeof(drawn->objectives) - (size_t)n, "%s%s", i ? ", " : "",
		              scaled[(first + i) % 3]);
		drawn->is_scaled[drawn->n_objective++] = true;
	}
	for (unsigned i = 0; i < n_size && drawn->n_objective < SPACE_MAX_OBJECTIVE; i++) {
		n += snprintf(drawn->objectives + n, sizeof(drawn->objectives) - (size_t)n, ", %s", size[i]);
		drawn->n_objective++;
	}
}

static void draw(struct rng *rng, struct drawn *drawn)
{
	static const char *const machine[] = {"dvfs_chip", "final_chip", "thesis_qpe_dram"};
	static const char *const dimension[] = {"width", "height", "out_channels"};
	static const char *const deadline[] = {"0.05", "0.2", "1", "100"};
	bool is_systolic = rng_below(rng, 4) == 0;
	char network[TEXT];
	*drawn = (struct drawn){.n_machine = 1};
	random_network(rng, 2, network, TEXT, &drawn->n_layer);
	folder_write("random.yaml", network, "");
	(void)snprintf(drawn->machine, sizeof(drawn->machine), "%s",
	               is_systolic ? "edge_tpu" : machine[rng_below(rng, 3)]);
	(void)snprintf(drawn->layers, TEXT,
	               "layers:\n  - match: '.*'\n    split: whole\n%s    strategy: [%s]\n"
	               "  - match: '_(SC_)?[1-2]$'\n    split: {%s: {max_parts: %u, choose: even}}\n",
	               is_systolic ? "" : "    conv_1x1: conv\n",
	               is_systolic         ? "output_stationary, weight_stationary"
	               : rng_below(rng, 2) ? "fusion, fusion_reuse"
	                                   : "fusion",
	               dimension[is_systolic ? 1 : rng_below(rng, 3)], 2 + rng_below(rng, 2));
	const struct axis *all = is_systolic ? systolic_axis : chip_axis;
	for (unsigned i = 0; i < MAX_AXIS; i++) {
		if (i > 0 && rng_below(rng, 3) == 0)
			continue;
		drawn->axis[drawn->n_axis] = all[i];
		drawn->axis[drawn->n_axis].n = 2 + rng_below(rng, all[i].n - 1);
		drawn->n_machine *= drawn->axis[drawn->n_axis++].n;
	}
	assert_true(drawn->n_machine <= MAX_MACHINE);
	draw_objectives(rng, drawn);
	if (rng_below(rng, 2))
		(void)snprintf(drawn->more, sizeof(drawn->more), "search: {max_front: %u}\n", 2 + rng_below(rng, 30));
	if (rng_below(rng, 4) == 0)
		(void)snprintf(drawn->deadline, sizeof(drawn->deadline), "deadline_ms: %s\n",
		               deadline[rng_below(rng, 4)]);
}

/* space.yaml of all machines (-1), or of one, which is counted with the last axis fastest. */
static void write_space(const struct drawn *drawn, int only, const char *more)
{
	char text[4 * TEXT];
	unsigned rest = only < 0 ? 0 : (unsigned)only, at[MAX_AXIS] = {0};
	int n =
	    snprintf(text, sizeof(text), "name: random\nmachine: %s\nnetwork: random.yaml\naxes:\n", drawn->machine);
	for (unsigned i = drawn->n_axis; i-- > 0; rest /= drawn->axis[i].n)
		at[i] = rest % drawn->axis[i].n;
	for (unsigned i = 0; i < drawn->n_axis; i++) {
		n += snprintf(text + n, sizeof(text) - (size_t)n, "  %s: [", drawn->axis[i].key);
		for (unsigned k = 0; k < drawn->axis[i].n; k++)
			if (only < 0 || k == at[i])
				n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s", only < 0 && k > 0 ? ", " : "",
				              drawn->axis[i].value[k]);
		n += snprintf(text + n, sizeof(text) - (size_t)n, "]\n");
	}
	(void)snprintf(text + n, sizeof(text) - (size_t)n, "%s%sobjectives: [%s]\n%s", drawn->layers, drawn->deadline,
	               drawn->objectives, more);
	folder_write("space.yaml", text, "");
}

static void list_designs(const struct drawn *drawn, struct truth *truth)
{
	*truth = (struct truth){.drawn = drawn, .n_machine = drawn->n_machine, .limit = INFINITY};
	for (unsigned i = 0; i < drawn->n_machine; i++) {
		struct space space;
		struct explore explore;
		write_space(drawn, (int)i, "");
		folder_read_space(&space);
		folder_explore(&space, &engine_exhaustive, true, 2, &explore);
		truth->all[i] = explore.front;
		explore.front = (struct pareto){0};
		explore_free(&explore);
		space_free(&space);
	}
}

struct tally {
	unsigned n_on_front, n_beaten, n_bound, n_margin, n_empty, n_claim[RUN_VERDICT_N_CLAIM], n_together, n_figure;
	struct said said;
};

static void check_machine(const struct truth *truth, unsigned i, struct tally *tally)
{
	const struct run_verdict_machine *machine = &truth->verdict.machine[i];
	double epsilon = truth->found->counts.epsilon;
	bool has_design = isfinite(least_of(truth, i, 0));
	bool is_without = machine->place == RUN_VERDICT_EMPTY || machine->place == RUN_VERDICT_REFUSED;
	/* bounds may cut a machine that has no design at all */
	assert_true(has_design ? !is_without : is_without || machine->is_bound);
	for (unsigned k = 0; k < truth->drawn->n_objective && has_design; k++) {
		double least = least_of(truth, i, k);
		assert_true(machine->is_bound ? machine->least[k] <= least * SAME
		                              : machine->least[k] * SAME >= least &&
		                                    machine->least[k] <= least * (1.0 + epsilon) * SAME);
	}
	if (machine->place == RUN_VERDICT_BEATEN) {
		assert_true(machine->margin >= 0.0);
		assert_true(is_beaten(truth, i, machine->by, machine->margin));
		tally->n_margin += machine->margin > 1e-3;
		tally->n_together += machine->by == RUN_VERDICT_NOBODY;
	}
	/* a point of the front is beaten by no other machine by more than what thinning may have cost */
	if (machine->place == RUN_VERDICT_ON_FRONT)
		assert_false(is_beaten(truth, i, RUN_VERDICT_NOBODY, 1e-7 + epsilon));
	tally->n_on_front += machine->place == RUN_VERDICT_ON_FRONT;
	tally->n_beaten += machine->place == RUN_VERDICT_BEATEN;
	tally->n_bound += machine->is_bound;
	tally->n_empty += machine->place == RUN_VERDICT_EMPTY;
}

static double sum_of(const double *value, unsigned n)
{
	double sum = 0.0;
	for (unsigned i = 0; i < n; i++)
		sum += value[i];
	return sum;
}

/* The best designs' figures are those of the best designs, and their parts add up. */
static void check_designs(const struct truth *truth, unsigned i)
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
		double least = least_of(truth, i, k);
		if (metric == METRIC_LATENCY)
			assert_true(fastest->latency_ms * SAME >= least && fastest->latency_ms <= least * factor);
		if (metric == METRIC_ENERGY && truth->drawn->deadline[0] == '\0') /* else sleep is a part of it */
			assert_true(thriftiest->energy_mj * SAME >= least && thriftiest->energy_mj <= least * factor);
	}
}

/* MAC units of a machine by the first axis alone, which is its array. */
static double n_mac(const struct truth *truth, unsigned machine)
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
static void check_group(const struct truth *truth, const struct run_verdict_claim *claim)
{
	assert_true(claim->n_member > 0);
	for (size_t i = 0; i < claim->n_member; i++) {
		const struct run_verdict_machine *own = &truth->verdict.machine[claim->member[i]];
		assert_int_equal(own->place, RUN_VERDICT_BEATEN);
		if (claim->other != RUN_VERDICT_NOBODY)
			assert_int_equal(own->by, claim->other);
		assert_true(is_beaten(truth, claim->member[i], own->by, claim->value));
	}
}

/* Beside the plane through the front's ends, scaled to them, no point is farther than the knee. */
static void check_knee(const struct truth *truth, const struct run_verdict_claim *claim)
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
static void check_miss(const struct truth *truth, const struct run_verdict_claim *claim)
{
	assert_true(claim->value > truth->found->miss.limit);
	for (unsigned k = 0; k < truth->drawn->n_objective; k++)
		for (size_t i = 0; i < truth->all[claim->machine].n; i++)
			assert_true(truth->found->space->objective[k] != claim->objective ||
			            claim->value <= design(truth, claim->machine, i)[k] * SAME);
}

static void check_claim(const struct truth *truth, const struct run_verdict_claim *claim)
{
	const struct run_verdict_machine *machine = truth->verdict.machine, *own = &machine[claim->machine],
					 *other = claim->other == RUN_VERDICT_NOBODY ? NULL : &machine[claim->other];
	double factor = (1.0 + truth->found->counts.epsilon) * SAME, most = factor;
	switch (claim->kind) {
	case RUN_VERDICT_BEST:
		assert_true(least_of(truth, claim->machine, claim->objective) <= claim->value * SAME);
		for (unsigned m = 0; m < truth->n_machine; m++)
			assert_true(claim->value <= least_of(truth, m, claim->objective) * factor);
		break;
	case RUN_VERDICT_MORE:
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
		assert_true(is_beaten(truth, claim->machine, claim->other, claim->value));
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
	case RUN_VERDICT_NONE:
		for (unsigned m = 0; m < truth->n_machine; m++)
			assert_true(isinf(least_of(truth, m, 0)));
		break;
	default:
		fail_msg("a claim of a kind that nobody checks: %s", run_verdict_claim_name[claim->kind]);
	}
}

/* Sentences on groups are on all machines that lost, once each; no figure of a sentence is without a claim. */
static void check_sentences(const struct truth *truth, struct tally *tally)
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
static void check_rows(const struct truth *truth)
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

/* A limit near a design of some machine, on the first objective. */
static void draw_limit(struct rng *rng, struct truth *truth, char *more, size_t n_byte)
{
	unsigned machine = rng_below(rng, truth->n_machine);
	static const double change[] = {0.0, 0.0, 0.1, -0.01, -0.5};
	const char *objectives = truth->drawn->objectives;
	more[0] = '\0';
	if (rng_below(rng, 2) || truth->all[machine].n == 0)
		return;
	size_t i = rng_below(rng, (uint32_t)truth->all[machine].n);
	truth->limit = design(truth, machine, i)[0] * (1.0 + change[rng_below(rng, 5)]);
	(void)snprintf(more, n_byte, "constraints: [%.*s <= %.17g]\n", (int)strcspn(objectives, ","), objectives,
	               truth->limit);
}

static void show(const struct truth *truth, uint32_t number)
{
	if (!getenv("VERDICTS_SHOW"))
		return;
	(void)fprintf(stdout, "space %u:\n", number);
	run_verdict_print(stdout, &truth->verdict, false);
}

static void try_space(uint32_t number, struct tally *tally)
{
	struct rng rng = rng_stream(20, 1, number);
	struct drawn drawn;
	struct truth *truth = calloc(1, sizeof(*truth));
	struct space space;
	struct explore found;
	struct unroller unroller = {0};
	struct err err = {0};
	char more[512];
	draw(&rng, &drawn);
	list_designs(&drawn, truth);
	draw_limit(&rng, truth, more, sizeof(more));
	(void)snprintf(more + strlen(more), sizeof(more) - strlen(more), "%s", drawn.more);
	write_space(&drawn, -1, more);
	folder_read_space(&space);
	folder_explore(&space, &engine_exact, false, 2, &found);
	assert_int_equal(unroller_init(&unroller, &found, 1, &err), ERR_OK);
	truth->found = &found;
	truth->unroller = &unroller;
	const struct run_verdict_of of = {.space = &space, .explore = &found, .unroller = &unroller};
	run_verdict_make(&of, &truth->verdict);
	show(truth, number);
	assert_int_equal(truth->verdict.n_machine, truth->n_machine);
	for (unsigned i = 0; i < truth->n_machine; i++) {
		check_machine(truth, i, tally);
		check_designs(truth, i);
	}
	for (size_t i = 0; i < truth->verdict.n_claim; i++) {
		check_claim(truth, &truth->verdict.claim[i]);
		tally->n_claim[truth->verdict.claim[i].kind]++;
	}
	memset(tally->said.is_beaten, 0, sizeof(tally->said.is_beaten));
	check_sentences(truth, tally);
	check_rows(truth);
	run_verdict_free(&truth->verdict);
	unroller_free(&unroller);
	explore_free(&found);
	space_free(&space);
	for (unsigned i = 0; i < truth->n_machine; i++)
		pareto_free(&truth->all[i]);
	free(truth);
}

static void test_verdict_on_random_spaces_is_not_contradicted_by_any_design(void **state)
{
	struct tally tally = {0};
	(void)state;
	const uint32_t n_space = draws(1000, 12);
	for (uint32_t number = 0; number < n_space; number++)
		try_space(number, &tally);
	print_message("%u machines on fronts, %u beaten (%u of them cut by bounds, %u by a margin, %u by several "
	              "together), %u without a design\n",
	              tally.n_on_front, tally.n_beaten, tally.n_bound, tally.n_margin, tally.n_together, tally.n_empty);
	for (unsigned i = 0; i < RUN_VERDICT_N_CLAIM; i++)
		print_message("%s%u %s", i > 0 ? ", " : "claims: ", tally.n_claim[i], run_verdict_claim_name[i]);
	print_message("; %u figures, %u names, %u counts, %u sizes, %u designs in sentences\n", tally.n_figure,
	              tally.said.n_name, tally.said.n_count, tally.said.n_size, tally.said.n_design);
	assert_true(SLOW_BUILD || (tally.said.n_name > 0 && tally.said.n_count > 0 && tally.said.n_size > 0 &&
	                           tally.said.n_design > 0));
	assert_true(tally.n_on_front > 0 && tally.n_beaten > 0);
	assert_true(SLOW_BUILD || (tally.n_margin > 0 && tally.n_bound > 0 && tally.n_empty > 0 &&
	                           tally.n_claim[RUN_VERDICT_TIME] > 0 && tally.n_claim[RUN_VERDICT_STATIC] > 0 &&
	                           tally.n_claim[RUN_VERDICT_NONE] > 0));
	assert_true(SLOW_BUILD || (tally.n_claim[RUN_VERDICT_GROUP] > 0 && tally.n_claim[RUN_VERDICT_MOST] > 0));
	for (unsigned i = 0; i < RUN_VERDICT_CHANGE && n_space >= 100; i++)
		assert_true(tally.n_claim[i] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_verdict_on_random_spaces_is_not_contradicted_by_any_design)};
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
