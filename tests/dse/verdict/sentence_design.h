/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SENTENCE_DESIGN_H
#define TESTS_SENTENCE_DESIGN_H
/* What a verdict's sentences say of a machine's best designs: what bounds their layers, and at which operating points.
 */
#include "dse/design/simulate.h"
#include "dse/design/unroll.h"
#include "dse/space/space_machine.h"
#include "tests/dse/verdict/sentence_read.h"

/* What earlier sentences said. */
struct said {
	unsigned reference; /* the winner, or the knee's machine */
	bool is_beaten[MAX_MACHINE];
	unsigned n_name, n_count, n_size, n_design; /* that were compared */
};

/* The objective that has this label. */
static inline unsigned expect_label(struct reading *reading)
{
	const struct space *space = reading->truth->found->space;
	for (unsigned k = 0; k < space->n_objective; k++)
		if (take(reading, metric_table[space->objective[k]].label))
			return k;
	misread(reading, "no objective");
	return 0;
}

static inline unsigned latency_objective(const struct reading *reading)
{
	const struct space *space = reading->truth->found->space;
	for (unsigned k = 0; k < space->n_objective; k++)
		if (space->objective[k] == METRIC_LATENCY)
			return k;
	misread(reading, "latency is no objective");
	return 0;
}

/* Whether one of the machine's designs on the front with the least of an objective fits what is said. */
static inline bool any_best(const struct truth *truth, unsigned machine, unsigned k,
                            bool (*fits)(const struct truth *truth, const struct unrolled *design, const void *what),
                            const void *what)
{
	const struct pareto *front = &truth->found->front;
	struct unrolled unrolled;
	double least = INFINITY;
	bool found = false;
	for (size_t i = 0; i < front->n; i++)
		if (front->genome[i * front->n_gene] == machine)
			least = fmin(least, front->objective[i * front->n_objective + k]);
	assert_int_equal(unrolled_init(&truth->found->map, &unrolled, NULL), ERR_OK);
	for (size_t i = 0; i < front->n && !found; i++) {
		if (front->genome[i * front->n_gene] != machine ||
		    front->objective[i * front->n_objective + k] > least * SAME)
			continue;
		unroll_point(truth->unroller, i, &unrolled);
		found = fits(truth, &unrolled, what);
	}
	unrolled_free(&unrolled);
	return found;
}

/* By bound: what is said of it. */
struct bounds_said {
	bool is_said[N_BOUND];
	double pct[N_BOUND];
	unsigned n_layer[N_BOUND], worst[N_BOUND];
};

/* Simulate the layers one by one, and see where their time goes. */
static inline bool has_bounds(const struct truth *truth, const struct unrolled *design, const void *what)
{
	enum { MAX_LAYER = 16 };
	const struct bounds_said *said = what;
	const struct network *network = &truth->found->space->network[0].network;
	const struct simulate_how how = {.detail = {.detail = DETAIL_FAST}};
	struct layer_context context[MAX_LAYER];
	struct simulated block[MAX_LAYER];
	double time[N_BOUND][MAX_LAYER] = {{0}}, sum[N_BOUND] = {0}, all = 0;
	unsigned n_layer[N_BOUND] = {0};
	bool fits = true;
	struct err err = {0};
	assert_true(network->n_block <= MAX_LAYER);
	for (size_t l = 0; l < network->n_block; l++)
		block[l] = (struct simulated){
		    .block = &network->block[l], .in_scheme = true, .design = design->layer[l]->design};
	assert_int_equal(simulate_prepare(design->machine, network, block, context, &err), ERR_OK);
	assert_int_equal(simulate_blocks(context, block, network->n_block, NULL, &how, &err), ERR_OK);
	for (size_t l = 0; l < network->n_block; l++) {
		const struct sim_result *result = &block[l].result;
		unsigned most = 0;
		for (unsigned i = 0; i < N_PHASE; i++)
			time[result->phase_bound[i]][l] +=
			    (double)result->phase_clk[i] / design->machine->level[block[l].design.level].clk_mhz;
		for (unsigned i = 0; i < N_BOUND; i++) {
			most = time[i][l] > time[most][l] ? i : most;
			sum[i] += time[i][l];
			all += time[i][l];
		}
		n_layer[most]++;
	}
	for (unsigned i = 0; i < N_BOUND && fits; i++) {
		for (size_t l = 0; l < network->n_block && said->is_said[i]; l++)
			fits = fits && time[i][l] <= time[i][said->worst[i]] * SAME;
		fits = fits && (said->is_said[i]
		                    ? fabs(100 * sum[i] / all - said->pct[i]) < 0.51 && n_layer[i] == said->n_layer[i]
		                    : sum[i] < 0.1 * all * SAME);
	}
	return fits;
}

/* "DRAM 69 % of the time (1 of 3 layers, most in FC_4), ..." */
static inline void take_bounds(struct reading *reading, struct bounds_said *said)
{
	const struct network *network = &reading->truth->found->space->network[0].network;
	unsigned of, n_sum = 0;
	do {
		unsigned bound = 0, *worst;
		while (bound < N_BOUND && !take(reading, bound_name[bound]))
			bound++;
		if (bound == N_BOUND || said->is_said[bound])
			misread(reading, "no bound, or one twice");
		said->is_said[bound] = true;
		expect(reading, " ");
		said->pct[bound] = expect_number(reading);
		expect(reading, " % of the time (");
		if (take_count(reading, " of ", &said->n_layer[bound]) &&
		    (!take_count(reading, " layers, ", &of) || of != network->n_block))
			misread(reading, "another number of layers");
		n_sum += said->n_layer[bound];
		expect(reading, "most in ");
		worst = &said->worst[bound];
		while (*worst < network->n_block && !take(reading, network->block[*worst].name))
			++*worst;
		expect(reading, ")");
		if (*worst == network->n_block)
			misread(reading, "no layer");
	} while (take(reading, ", "));
	if (n_sum > network->n_block || network->n_block != reading->truth->drawn->n_layer)
		misread(reading, "another number of layers");
}

/* "What bounds the fastest design of 16x4: ..." */
static inline void check_bounds(struct reading *reading, struct said *said)
{
	struct bounds_said bounds = {0};
	expect(reading, "What bounds the ");
	bool is_fastest = take(reading, "fastest design of ");
	if (!is_fastest)
		expect(reading, "time of the design with the least ");
	unsigned k = is_fastest ? latency_objective(reading) : expect_label(reading);
	if (!is_fastest)
		expect(reading, " of ");
	unsigned machine = expect_machine(reading);
	if (machine != said->reference)
		misread(reading, "another machine than the one that is chosen");
	if (reading->truth->fast)
		expect(reading, " in the fast tier");
	expect(reading, ": ");
	take_bounds(reading, &bounds);
	/* of one tier, or the fast one beside prices */
	const struct truth *truth = reading->truth->fast ? reading->truth->fast : reading->truth;
	bool is_there = reading->truth == truth;
	const struct pareto *front = &truth->found->front;
	for (size_t i = 0; i < front->n; i++) /* of a machine that prices chose others may have beaten it */
		is_there |= front->genome[i * front->n_gene] == machine &&
		            front->objective[i * front->n_objective + k] <= least_of(truth, machine, k) * SAME;
	/* a front that was thinned may lack that design */
	if (is_there && !(truth->found->counts.epsilon > 0) && !any_best(truth, machine, k, has_bounds, &bounds))
		misread(reading, "no such design is bound so");
	said->n_count++;
	said->n_design++;
}

/* Layers at each operating point. */
static inline bool has_levels(const struct truth *truth, const struct unrolled *design, const void *what)
{
	unsigned n[MACHINE_MAX_LEVEL] = {0};
	(void)truth;
	for (size_t l = 0; l < design->n_layer; l++)
		n[design->layer[l]->design.level]++;
	return memcmp(n, what, sizeof(n)) == 0;
}

/* "Operating points: fastest all layers at PL2; least energy 2 layers at PL1, 1 layer at PL2." */
static inline void check_levels(struct reading *reading, struct said *said)
{
	const struct machine *machine = &reading->truth->found->space->machine[0];
	expect(reading, "Operating points: ");
	do {
		unsigned n_at[MACHINE_MAX_LEVEL] = {0};
		bool is_time = take(reading, "fastest ");
		if (!is_time)
			expect(reading, "least ");
		unsigned k = is_time ? latency_objective(reading) : expect_label(reading);
		(void)take(reading, " ");
		do {
			unsigned n = reading->truth->drawn->n_layer, level = 0;
			if (!take(reading, "all"))
				n = (unsigned)expect_number(reading);
			expect(reading, n == 1 ? " layer at " : " layers at ");
			while (level < machine->n_level && !take(reading, machine->level[level].name))
				level++;
			if (level == machine->n_level)
				misread(reading, "no operating point");
			n_at[level] = n;
		} while (take(reading, ", "));
		if (!any_best(reading->truth, said->reference, k, has_levels, n_at))
			misread(reading, "no such design has these operating points");
		said->n_count++;
	} while (take(reading, "; "));
}

#endif
