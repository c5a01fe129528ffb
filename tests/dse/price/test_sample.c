/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of coefficients against brute force: the whole search again with each sample's machine. Whether a machine is
 * on the front must be the same, and a point's energy what its simulation on that machine says.
 */
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/pareto/nondominated.h"
#include "dse/price/sample.h"
#include "sim/base/rng.h"
#include "tests/support/draws.h"
#include "tests/support/near.h"
#include "tests/support/space_text.h"
#include <stdlib.h>
#include <string.h>

enum { N_SAMPLE = 6 };
/* Spaces that are exact, and others; of exact ones machines that are on fronts, and are not; of others all, and those
 * that are said to be what they are not. */
enum { N_EXACT, N_LISTED, N_ON, N_OFF, N_LOOSE, N_UNEQUAL, N_TALLY };

static const char *pick(struct rng *rng, const char *const *from, uint32_t n)
{
	return from[rng_below(rng, n)];
}

/* A small space of two or three machines. */
static void draw_space(uint32_t trial, char *text, size_t n_byte)
{
	static const char *const network[] = {"tiny", "mlp_784_512_256_16", "vgg16_conv_8", "resnet50_conv_46"};
	static const char *const arrays[] = {"16x4, 8x8", "16x4, 32x2, 8x8", "8x4, 4x8", "16x2, 8x4, 32x1"};
	static const char *const split[] = {"thesis",
	                                    "{in_channels: whole, width: whole, height: {max_parts: 3, choose: even}, "
	                                    "out_channels: {max_parts: 3, choose: even}}"};
	static const char *const objectives[] = {"latency_ms, energy_mj", "latency_ms, energy_mj, mac_units",
	                                         "edp_mj_ms, mac_units", "energy_mj, leakage_mw",
	                                         "latency_ms, energy_mj, dram_byte"};
	struct rng rng = rng_stream(47, 0, trial);
	const char *own_network = pick(&rng, network, 4), *own_arrays = pick(&rng, arrays, 4);
	const char *own_split = pick(&rng, split, 2), *own_objectives = pick(&rng, objectives, 5);
	bool has_fc = own_network == network[0] || own_network == network[1];
	bool changes = rng_below(&rng, 3) == 0;
	/* a system sleeps for some of the time until then, for most of it, or is too late */
	static const double deadline_ms[] = {0, 0, 0.05, 0.3, 2, 20};
	char deadline[40] = "";
	double own_deadline_ms = deadline_ms[rng_below(&rng, 6)];
	if (own_deadline_ms > 0)
		(void)snprintf(deadline, sizeof(deadline), "deadline_ms: %g\n", own_deadline_ms);
	/* the worst of two networks */
	char networks[80];
	(void)snprintf(networks, sizeof(networks), "network: %s", own_network);
	bool is_worst = rng_below(&rng, 3) == 0;
	if (is_worst)
		(void)snprintf(networks, sizeof(networks), "networks: [%s, %s]\naggregate: worst", own_network,
		               own_network == network[0] ? network[2] : network[0]);
	(void)snprintf(text, n_byte,
	               "name: sampled\nmachine: dvfs_chip\naxes: {mla.array: [%s]}\n%s\n%s"
	               "layers: [{match: '.*', split: %s, strategy: [fusion, fusion_reuse], level: [PL1, PL2]}%s]\n"
	               "objectives: [%s]\n%s",
	               own_arrays, networks, changes ? "level_changes: true\n" : "", own_split,
	               has_fc || is_worst ? ", {match: '^FC_', split: {in_channels: {max_parts: 3, choose: even}}}"
	                                  : "",
	               own_objectives, deadline);
}

static const struct explore_options options = {
    .engine = &engine_exact, .n_thread = 1, .all_machines = true, .keeps_layers = true};

/* The search of a sample's machine, anew; whether each machine has a point. */
static void check_machines(const char *text, const struct sampled *sampled, uint32_t sample, bool is_exact,
                           unsigned *n_on)
{
	struct space space;
	struct explore explore;
	struct err err = {0};
	bool has[16] = {false};
	space_read_text(text, &space);
	sample_draw(&space, 0, sampled->options.seed, sample, &space.machine[0]);
	assert_int_equal(explore_run(&space, &options, &explore, &err), ERR_OK);
	for (size_t i = 0; i < explore.front.n; i++)
		has[explore.front.genome[i * explore.front.n_gene]] = true;
	for (size_t m = 0; m < sampled->n_machine; m++) {
		bool is_on = sampled->is_on_front[sample * sampled->n_machine + m];
		bool is_equal = is_on == has[sampled->machine_index[m]];
		n_on[N_UNEQUAL] += !is_equal;
		if (!is_equal && is_exact)
			fail_msg("sample %u, machine %u: %d, searched anew %d:\n%s", (unsigned)sample,
			         (unsigned)sampled->machine_index[m], is_on, has[sampled->machine_index[m]], text);
		n_on[!is_exact ? N_LOOSE : is_on ? N_ON : N_OFF]++;
	}
	explore_free(&explore);
	space_free(&space);
}

/* One sample: each point's objectives are those of its designs, simulated on the sample's machine. */
static void check_points(const char *text, const struct explore *nominal, const struct unroller *unroller)
{
	struct space space;
	struct explore explore = *nominal;
	struct unroller anew;
	struct unrolled point;
	struct sampled sampled = {.options = {1, 9, 1}};
	struct err err = {0};
	size_t n = nominal->front.n, n_objective = nominal->space->n_objective, n_kept;
	double *objective = calloc(n * n_objective, sizeof(*objective));
	bool *keep = calloc(n, sizeof(*keep));
	assert_true(objective && keep);
	assert_int_equal(sample_points(unroller, &sampled, &err), ERR_OK);
	assert_int_equal(sampled.n_point, n);
	space_read_text(text, &space);
	sample_draw(&space, 0, 9, 0, &space.machine[0]);
	explore.space = &space;
	explore.known_design = NULL;
	explore.n_known_design = 0;
	assert_int_equal(unroller_init(&anew, &explore, 1, &err), ERR_OK);
	assert_int_equal(unrolled_init(&explore.map, &point, &err), ERR_OK);
	for (size_t i = 0; i < n; i++) {
		unroll_point(&anew, i, &point);
		for (size_t k = 0; k < n_objective; k++) {
			objective[i * n_objective + k] = point.metric[space.objective[k]];
			assert_near(sampled.point[i].low[k], point.metric[space.objective[k]], 1e-9);
			assert_true(!(sampled.point[i].low[k] < sampled.point[i].high[k]));
		}
	}
	assert_true(nondominated_filter(objective, n, (unsigned)n_objective, keep, &n_kept));
	for (size_t i = 0; i < n; i++)
		assert_int_equal(keep[i], sampled.point[i].share > 0.5);
	free(objective);
	free(keep);
	unrolled_free(&point);
	unroller_free(&anew);
	sample_free(&sampled);
	space_free(&space);
}

static void check_space(uint32_t trial, unsigned *n_on)
{
	char text[1024];
	struct space space;
	struct explore explore;
	struct unroller unroller;
	struct sampled sampled, again;
	struct err err = {0};
	const struct sample_options one = {N_SAMPLE, 9, 1}, three = {N_SAMPLE, 9, 3};
	draw_space(trial, text, sizeof(text));
	space_read_text(text, &space);
	assert_int_equal(explore_run(&space, &options, &explore, &err), ERR_OK);
	if (explore.front.n == 0) {
		explore_free(&explore);
		space_free(&space);
		return;
	}
	if (sample_machines(&explore, &one, &sampled, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	bool is_exact = sampled.has_all_layers && sampled.is_all_composed;
	n_on[is_exact ? N_EXACT : N_LISTED]++;
	for (uint32_t s = 0; s < N_SAMPLE; s++)
		check_machines(text, &sampled, s, is_exact, n_on);
	assert_int_equal(unroller_init(&unroller, &explore, 1, &err), ERR_OK);
	check_points(text, &explore, &unroller);
	assert_int_equal(sample_machines(&explore, &three, &again, &err), ERR_OK);
	assert_memory_equal(again.is_on_front, sampled.is_on_front, N_SAMPLE * sampled.n_machine);
	unroller_free(&unroller);
	sample_free(&sampled);
	sample_free(&again);
	explore_free(&explore);
	space_free(&space);
}

static void test_sample_is_the_search_of_each_samples_machine(void **state)
{
	(void)state;
	const unsigned n = draws(300, 60);
	unsigned n_on[N_TALLY] = {0};
	for (uint32_t trial = 0; trial < n; trial++)
		check_space(trial, n_on);
	/* the samples tell machines apart */
	assert_true(n_on[N_ON] > n && n_on[N_OFF] > n && n_on[N_LOOSE] > 0);
	assert_true(20 * n_on[N_UNEQUAL] <= n_on[N_LOOSE]);
}

/* Within intervals, each end reached; levels with one entry together; values of axes as they are. */
static void test_sample_stays_within_intervals(void **state)
{
	(void)state;
	struct space space;
	double least = 1e9, most = 0;
	space_read_text("name: drawn\nmachine: dvfs_chip\naxes: {energy.dram_byte_pj: [64, 40]}\nnetwork: tiny\n"
	                "objectives: [latency_ms, energy_mj]\n",
	                &space);
	for (uint32_t s = 0; s < 2000; s++) {
		struct machine machine = space.machine[0];
		sample_draw(&space, 0, 1, s, &machine);
		assert_near(machine.level[1].mla_clk_pj / machine.level[0].mla_clk_pj, 12.3 / 8.5, 1e-12);
		assert_true(machine.dram_byte_pj == 64 && machine.level[0].noc_read128_pj <= 10.06 * 1.6);
		assert_true(machine.level[0].arm_clk_pj >= 3 && machine.level[0].arm_clk_pj <= 9);
		assert_true(machine.level[0].mla_clk_pj >= 8.5 * 0.8 && machine.level[0].mla_clk_pj <= 8.5 * 1.2);
		least = machine.level[0].mla_clk_pj < least ? machine.level[0].mla_clk_pj : least;
		most = machine.level[0].mla_clk_pj > most ? machine.level[0].mla_clk_pj : most;
	}
	assert_true(least < 8.5 * 0.805 && most > 8.5 * 1.195);
	space_free(&space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sample_is_the_search_of_each_samples_machine),
	    cmocka_unit_test(test_sample_stays_within_intervals),
	};
	return cmocka_run_group_tests_name("sample", tests, NULL, NULL);
}
