/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dse power --search against brute force over every legal design of a small network whose results lie where the
 * search has put them: the best schedule, and the best at each level alone, for the work and with sleep until a
 * deadline.
 */
#include "dse/search/hunt.h"
#include "dse/space/machine_read.h"
#include "dse/layer/layer_problem.h"
#include "dse/power/power_report.h"
#include "dse/power/power_search.h"
#include "tests/support/evaluate_design.h"
#include "tests/support/network_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/unit_test.h"
#include "tests/support/near.h"

#define MAX_BLOCK 4
#define N_LEVEL 2

static const char network_text[] = "name: small\n"
				   "input: [6, 6, 3]\n"
				   "layers:\n"
				   "  - conv: {kernel: 3, out_channels: 8}\n"
				   "  - conv: {kernel: 1, out_channels: 8, stride: 2}\n"
				   "  - fc: {out: 16}\n";

/* A design as a schedule sees it. */
struct point {
	double ns, pj, peak_mw;
};

/* Every legal design of a block at a level, in its place. */
struct crowd {
	size_t n, n_alloc;
	struct point *point;
};

static void read_text(struct network *network)
{
	assert_int_equal(network_read_text(network_text, network, NULL), ERR_OK);
	assert_in_range(network->n_block, 2, MAX_BLOCK);
}

static void add_point(struct crowd *crowd, struct point point)
{
	if (crowd->n == crowd->n_alloc) {
		crowd->n_alloc = 2 * crowd->n_alloc + 64;
		crowd->point = realloc(crowd->point, crowd->n_alloc * sizeof(*crowd->point));
		assert_non_null(crowd->point);
	}
	crowd->point[crowd->n++] = point;
}

/* All genomes of the layer, one after the other, without any bound. */
static void list_designs(const struct machine *machine, const struct block *block, const struct layer_design *like,
                         struct crowd crowd[N_LEVEL])
{
	struct space_network network = {.path = "small", .weight = 1};
	struct machine copy = *machine;
	struct layer_choice choice = layer_choice_any();
	struct space space = {.n_machine = 1,
	                      .machine = &copy,
	                      .n_network = 1,
	                      .network = &network,
	                      .n_objective = 2,
	                      .objective = {METRIC_LATENCY, METRIC_ENERGY}};
	struct layer_problem layer;
	uint32_t genome[N_LAYER_GENE] = {0};
	size_t gene = 0;
	choice.level_mask = (1U << N_LEVEL) - 1;
	assert_int_equal(layer_problem_build(&space, &copy, block, &choice, NULL, &layer, NULL), ERR_OK);
	assert_in_range(problem_size(&layer.problem), 2, 3000000);
	while (gene < N_LAYER_GENE) {
		struct layer_design design;
		struct sim_result result;
		double metric[N_METRIC];
		struct verdict verdict;
		layer_problem_design(&layer, genome, &design);
		if (design.in_storage == like->in_storage && design.out_storage == like->out_storage &&
		    design.add_storage == like->add_storage && design.operand_bit == like->operand_bit &&
		    evaluate_design(layer_context_of(&layer, &design), &design, &result, metric, &verdict))
			add_point(&crowd[design.level],
			          (struct point){result.latency_ns, result.energy.total_pj, result.peak_power_mw});
		for (gene = 0; gene < N_LAYER_GENE && ++genome[gene] == layer.n_value[gene]; gene++)
			genome[gene] = 0;
	}
	layer_problem_free(&layer);
}

static int compare_points(const void *a, const void *b)
{
	const struct point *one = a, *other = b;
	if (one->ns < other->ns || one->ns > other->ns)
		return one->ns < other->ns ? -1 : 1;
	return (one->pj > other->pj) - (one->pj < other->pj);
}

/* What a brute force over whole schedules is asked. */
struct question {
	const struct crowd (*crowd)[N_LEVEL];
	const struct power_problem *problem;
	const struct power_goal *goal;
	size_t n_block;
	uint32_t levels;
};

/* For one sleeping power (0: none) all that could be of use: cheaper beyond sleep than everything faster. */
static void keep_useful(const struct crowd *all, double sleep_mw, double max_peak_mw, struct crowd *kept)
{
	double least = INFINITY;
	for (size_t i = 0; i < all->n; i++) {
		double value = all->point[i].pj - sleep_mw * all->point[i].ns;
		if (all->point[i].peak_mw > max_peak_mw || !(value < least))
			continue;
		least = value;
		add_point(kept, all->point[i]);
	}
}

static void go_on(const struct question *question, const struct crowd (*kept)[N_LEVEL], size_t at, uint32_t level,
                  uint32_t sleep_level, double ns, double pj, double *best)
{
	const struct power_problem *problem = question->problem;
	const struct power_goal *goal = question->goal;
	assert_in_range(at, 0, MAX_BLOCK);
	if (at == MAX_BLOCK || at == question->n_block) {
		if (goal->sleeps) {
			ns += problem->switch_ns[level][sleep_level];
			pj += problem->switch_pj[level][sleep_level];
			pj += problem->sleep_mw[sleep_level] * (goal->max_ns - ns);
		}
		if (ns <= goal->max_ns * (1 + 1e-12))
			*best = fmin(*best, goal->scenario == POWER_SPEED ? ns : pj);
		return;
	}
	for (uint32_t l = 0; l < N_LEVEL; l++) {
		double change_ns = at > 0 ? problem->switch_ns[level][l] : 0;
		double change_pj = at > 0 ? problem->switch_pj[level][l] : 0;
		if (!(question->levels >> l & 1))
			continue;
		for (size_t i = 0;
		     i < kept[at][l].n && ns + change_ns + kept[at][l].point[i].ns <= goal->max_ns * (1 + 1e-12); i++)
			go_on(question, kept, at + 1, l, sleep_level, ns + change_ns + kept[at][l].point[i].ns,
			      pj + change_pj + kept[at][l].point[i].pj, best);
	}
}

/* Over all schedules that sleep at a level which takes no more than any that they work at. */
static double brute_force(const struct question *question)
{
	double best = INFINITY;
	for (uint32_t sleep_level = 0; sleep_level < N_LEVEL; sleep_level++) {
		struct crowd kept[MAX_BLOCK][N_LEVEL] = {{{0}}};
		double sleep_mw = question->goal->sleeps ? question->problem->sleep_mw[sleep_level] : 0;
		if (!(question->levels >> sleep_level & 1))
			continue;
		for (size_t b = 0; b < question->n_block; b++)
			for (uint32_t l = question->goal->sleeps ? sleep_level : 0; l < N_LEVEL; l++)
				keep_useful(&question->crowd[b][l], sleep_mw, question->goal->max_peak_mw, &kept[b][l]);
		go_on(question, (const struct crowd(*)[N_LEVEL])kept, 0, 0, sleep_level, 0, 0, &best);
		for (size_t b = 0; b < question->n_block; b++)
			for (uint32_t l = 0; l < N_LEVEL; l++)
				free(kept[b][l].point);
	}
	return best;
}

static void check_goal(struct power_run *run, const struct crowd (*crowd)[N_LEVEL], size_t n_block)
{
	struct arena arena = {0};
	struct question question = {crowd, &run->work.problem, &run->goal, n_block, (1U << N_LEVEL) - 1};
	double best = brute_force(&question);
	assert_int_equal(power_solve(&run->work.problem, &run->goal, 0, &arena, &run->best, NULL), ERR_OK);
	assert_int_equal(run->best.is_found, isfinite(best));
	assert_true(!run->best.is_found || (run->best.is_exact && is_near(run->best.objective, best, 1e-9)));
	assert_int_equal(power_run_alone(run, &arena, NULL), ERR_OK);
	for (uint32_t l = 0; l < N_LEVEL; l++) {
		question.levels = 1U << l;
		best = brute_force(&question);
		assert_true(run->is_alone[l]);
		assert_int_equal(run->alone_keeps[l], isfinite(best));
		assert_true(!run->alone_keeps[l] || is_near(run->alone[l].objective, best, 1e-9));
		assert_true(!run->alone_keeps[l] || run->best.objective <= run->alone[l].objective * (1 + 1e-12));
		assert_int_equal(run->alone[l].n_switch, 0);
	}
	arena_free(&arena);
}

/* Deadlines from what is impossible to what is generous, with sleep and without; a peak that bars some designs. */
static void test_power_search_equals_brute_force(void **state)
{
	struct machine machine;
	struct network network;
	struct power_run run = {0};
	struct arena arena = {0};
	struct power_item item[MAX_BLOCK];
	struct crowd crowd[MAX_BLOCK][N_LEVEL] = {{{0}}};
	bool shown[MAX_BLOCK] = {true, true, true, true};
	size_t n_item = 0;
	double fast_ns = 0, slow_ns = 0;
	const struct power_work_options options = {0};
	(void)state;
	read_text(&network);
	assert_int_equal(machine_read("spaces/machines/dvfs_chip.yaml", &machine, NULL), ERR_OK);
	assert_int_equal(machine.n_level, N_LEVEL);
	assert_true(energy_static_mw(&machine, 0) < energy_static_mw(&machine, 1));
	const struct power_search_options search = {.machine = &machine,
	                                            .network = &network,
	                                            .shown = shown,
	                                            .levels = 3,
	                                            .max_peak_mw = INFINITY,
	                                            .sleeps = true,
	                                            .forms = CONV_FORM_USUAL,
	                                            .n_thread = 1};
	struct left_out left;
	assert_int_equal(power_search_designs(&search, &arena, item, &n_item, &left, NULL), ERR_OK);
	assert_int_equal(n_item, network.n_block);
	assert_false(item[n_item - 1].design[0].out_storage);
	assert_int_equal(power_work_build(&machine, item, n_item, &options, &run.work, NULL), ERR_OK);
	for (size_t b = 0; b < n_item; b++) {
		list_designs(&machine, &network.block[b], &item[b].design[0], crowd[b]);
		for (uint32_t l = 0; l < N_LEVEL; l++)
			qsort(crowd[b][l].point, crowd[b][l].n, sizeof(*crowd[b][l].point), compare_points);
	}
	assert_int_equal(power_rank_levels(&run, &fast_ns, &slow_ns, &arena, NULL), ERR_OK);
	assert_int_equal(run.fast, 1);
	assert_int_equal(run.slow, 0);
	for (int i = -1; i < 12; i++)
		for (int sleeps = 0; sleeps < 2; sleeps++) {
			run.goal = (struct power_goal){.scenario = POWER_LIMITED_TIME,
			                               .max_ns = fast_ns + 0.3 * i * (slow_ns - fast_ns),
			                               .max_pj = INFINITY,
			                               .max_peak_mw = INFINITY,
			                               .max_average_mw = INFINITY,
			                               .sleeps = sleeps > 0};
			check_goal(&run, (const struct crowd(*)[N_LEVEL])crowd, n_item);
		}
	for (size_t b = 0; b < n_item; b++)
		for (uint32_t l = 0; l < N_LEVEL; l++)
			free(crowd[b][l].point);
	power_work_free(&run.work);
	network_free(&network);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_power_search_equals_brute_force),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
