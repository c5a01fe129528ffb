/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work as power management sees it: loops and layers take together what the simulator says of the layer, the DVFS
 * paper's loops of VGG-16's second convolution, and the savings that follow from its ratio of energies.
 */
#include "dse/power/power_designs.h"
#include "dse/space/machine_read.h"
#include "dse/power/power_report.h"
#include "dse/design/simulate.h"
#include "dse/space/space.h"
#include <math.h>
#include <string.h>
#include "tests/support/shipped_network.h"
#include "tests/support/unit_test.h"
#include "tests/support/near.h"

#define MAX_BLOCK 80

/* A machine, a network and one design of each of its blocks. */
struct fixture {
	struct machine machine;
	struct network network;
	struct simulated block[MAX_BLOCK];
	struct layer_context context[MAX_BLOCK];
	struct power_item item[MAX_BLOCK];
};

static void read_all(struct fixture *f, const char *machine, const char *network, enum strategy strategy)
{
	char path[128];
	static const bool none[MAX_BLOCK];
	const struct simulate_options options = {.strategy = strategy, .shown = none};
	(void)snprintf(path, sizeof(path), "spaces/machines/%s.yaml", machine);
	assert_int_equal(machine_read(path, &f->machine, NULL), ERR_OK);
	f->network = shipped_network(network);
	assert_in_range(f->network.n_block, 1, MAX_BLOCK);
	assert_int_equal(simulate_network(&f->machine, &f->network, &options, f->block, NULL), ERR_OK);
	for (size_t i = 0; i < f->network.n_block; i++) {
		mapper_prepare(&f->network.block[i], &f->machine, 8, &f->context[i]);
		f->item[i] = (struct power_item){&f->context[i], 1, &f->block[i].design, false};
	}
}

/* Time and energy of a layer's segments at a level, and how many repeats they have. */
static void sum_segments(const struct power_work *work, const struct block *block, uint32_t level, double *ns,
                         double *pj, double *peak_mw)
{
	*ns = *pj = *peak_mw = 0;
	for (size_t i = 0; i < work->problem.n_segment; i++) {
		const struct power_segment *segment = &work->problem.segment[i];
		if (work->piece[i].block != block)
			continue;
		for (size_t k = 0; k < segment->n_mode; k++)
			if (segment->mode[k].level == level) {
				*ns += segment->n_repeat * segment->mode[k].time_ns;
				*pj += segment->n_repeat * segment->mode[k].energy_pj;
				*peak_mw = fmax(*peak_mw, segment->mode[k].peak_mw);
			}
	}
}

/* Every strategy, on a chip and on a QPE: what the simulator says of a layer is what its loads, loops and ARM work
 * take together, and nothing is negative. */
static void test_power_work_loops_sum_to_layers(void **state)
{
	static struct fixture f;
	static const char *const machine[] = {"dvfs_chip", "thesis_qpe_dram"};
	(void)state;
	for (int m = 0; m < 2; m++)
		for (int s = STRATEGY_NO_FUSION; s <= STRATEGY_FUSION_REUSE; s++) {
			struct power_work layers, loops;
			struct power_work_options options = {.per_loop = false};
			read_all(&f, machine[m], "vgg16", (enum strategy)s);
			size_t n = f.network.n_block;
			assert_int_equal(power_work_build(&f.machine, f.item, n, &options, &layers, NULL), ERR_OK);
			options.per_loop = true;
			assert_int_equal(power_work_build(&f.machine, f.item, n, &options, &loops, NULL), ERR_OK);
			assert_int_equal(layers.problem.n_segment, n);
			for (size_t i = 0; i < n; i++)
				for (uint32_t l = 0; l < f.machine.n_level; l++) {
					double ns[2], pj[2], mw[2];
					struct sim_result result;
					struct layer_design design = f.block[i].design;
					struct detail_run run = {.context = &f.context[i], .design = &design};
					design.level = l;
					detail_run(&run, &options.detail);
					result = run.result;
					sum_segments(&layers, f.block[i].block, l, &ns[0], &pj[0], &mw[0]);
					sum_segments(&loops, f.block[i].block, l, &ns[1], &pj[1], &mw[1]);
					assert_true(is_near(ns[0], result.latency_ns, 1e-9) &&
					            is_near(ns[1], ns[0], 1e-9));
					assert_true(is_near(pj[0], result.energy.total_pj, 1e-9) &&
					            is_near(pj[1], pj[0], 1e-9));
					assert_true(mw[1] >= pj[1] / ns[1] * (1 - 1e-9));
				}
			power_work_free(&layers);
			power_work_free(&loops);
			network_free(&f.network);
		}
}

/* A problem of MLA tasks alone. */
static void make_tasks(struct fixture *f, const char *name, uint64_t n_part, bool per_loop, double ratio,
                       struct power_work *work)
{
	const struct power_work_options options = {.per_loop = per_loop, .ratio = ratio};
	size_t n = 0;
	read_all(f, "dvfs_chip", "vgg16", STRATEGY_FUSION_REUSE);
	for (size_t i = 0; i < f->network.n_block; i++) {
		if (strncmp(f->network.block[i].name, name, strlen(name)) != 0)
			continue;
		f->item[n] = f->item[i];
		if (n_part > 0)
			assert_int_equal(power_split_into(f->item[n].context, n_part, &f->block[i].design.split, NULL),
			                 ERR_OK);
		n++;
		if (n_part > 0)
			break;
	}
	assert_int_equal(power_work_build_tasks(&f->machine, f->item, n, &options, work, NULL), ERR_OK);
}

/* The best within a share of the way from all-fast to all-slow; the saving over all-fast, and the best there is. */
static double saving_pct(const struct power_work *work, double budget_ns, double budget_frac, double *largest_pct,
                         struct power_schedule *best, struct arena *arena)
{
	struct power_schedule slow, fast;
	struct power_goal goal = {POWER_ENERGY, INFINITY, INFINITY, INFINITY, INFINITY, false, 0};
	power_uniform(&work->problem, &goal, 0, arena, &slow);
	power_uniform(&work->problem, &goal, 1, arena, &fast);
	goal.scenario = POWER_LIMITED_TIME;
	goal.max_ns = budget_ns > 0 ? budget_ns : fast.time_ns + budget_frac * (slow.time_ns - fast.time_ns);
	assert_int_equal(power_solve(&work->problem, &goal, 0, arena, best, NULL), ERR_OK);
	assert_true(best->is_found && best->is_exact);
	*largest_pct = power_saving_pct(&slow, &fast);
	return power_saving_pct(best, &fast);
}

/* How many loops of a schedule run at a level. */
static unsigned count_loops(const struct power_work *work, const struct power_schedule *schedule, uint32_t level)
{
	unsigned n = 0;
	size_t at = 0;
	for (size_t i = 0; i < work->problem.n_segment; i++)
		for (uint32_t k = 0; k < work->problem.segment[i].n_repeat; k++)
			n += work->problem.segment[i].mode[schedule->mode[at++]].level == level;
	return n;
}

/* DVFS paper figure 4: six full loops of 152 tasks and one of 112; 7.4 % saved by 4 loops at PL1, 11.1 % by 6. */
static void test_power_work_reproduces_figure_4(void **state)
{
	static struct fixture f;
	struct power_work work;
	struct power_schedule best;
	struct arena arena = {0};
	double largest_pct;
	(void)state;
	make_tasks(&f, "CONV_2", 1024, true, 0.875, &work);
	assert_int_equal(work.problem.n_segment, 2);
	assert_int_equal(work.problem.segment[0].n_repeat, 6);
	assert_int_equal(work.piece[0].n_task, 152);
	assert_int_equal(work.piece[1].part, POWER_LAST_LOOP);
	assert_int_equal(work.piece[1].n_task, 112);
	const struct power_mode *mode = work.problem.segment[0].mode;
	for (unsigned n = 0; n <= 6; n++) {
		/* a little more than n loops at PL1 and a change take */
		double budget_ns = n * mode[0].time_ns + (7 - n) * mode[1].time_ns + 0.3 * mode[0].time_ns * 0.25;
		double pct = saving_pct(&work, budget_ns, 0, &largest_pct, &best, &arena);
		assert_int_equal(count_loops(&work, &best, 0), n);
		if (n == 4)
			assert_true(fabs(pct - 7.4) <= 0.3);
		if (n == 6)
			assert_true(fabs(pct - 11.1) <= 0.3);
	}
	assert_true(is_near(largest_pct, 12.5, 1e-9));
	arena_free(&arena);
	power_work_free(&work);
	network_free(&f.network);
}

/* DVFS paper figure 5: all 13 convolutions, 6.6 % at the paper's place between both levels' times, up to 12 %. */
static void test_power_work_reproduces_figure_5(void **state)
{
	static struct fixture f;
	struct power_work work;
	struct power_schedule best;
	struct arena arena = {0};
	double largest_pct;
	(void)state;
	make_tasks(&f, "CONV_", 0, false, 0.875, &work);
	assert_int_equal(work.problem.n_segment, 13);
	double pct = saving_pct(&work, 0, 0.583, &largest_pct, &best, &arena);
	assert_true(fabs(pct - 6.6) <= 1.0);
	assert_true(fabs(largest_pct - 12) <= 1.5);
	arena_free(&arena);
	power_work_free(&work);
	network_free(&f.network);
}

/*
 * Tasks alone are never faster than the MAC units allow, by our clocks and by the grey-box model: the paper's own times
 * are (0.27 ms where 0.48 are needed).
 */
static void test_power_work_tasks_keep_the_roofline(void **state)
{
	static struct fixture f;
	(void)state;
	for (int d = 0; d < 2; d++) {
		struct power_work work;
		const struct power_work_options options = {.detail = {.detail = d ? DETAIL_GREYBOX : DETAIL_FAST}};
		read_all(&f, "dvfs_chip", "vgg16", STRATEGY_FUSION_REUSE);
		assert_int_equal(power_work_build_tasks(&f.machine, f.item, f.network.n_block, &options, &work, NULL),
		                 ERR_OK);
		assert_int_equal(work.problem.n_segment, f.network.n_block);
		for (size_t i = 0; i < work.problem.n_segment; i++)
			for (size_t k = 0; k < work.problem.segment[i].n_mode; k++) {
				const struct power_mode *mode = &work.problem.segment[i].mode[k];
				double clk_mhz = f.machine.level[mode->level].clk_mhz;
				double mac_per_ns = (double)machine_n_mac(&f.machine) * clk_mhz * 1e-3;
				assert_true(mode->time_ns * mac_per_ns >= (double)block_n_mac(work.piece[i].block));
				assert_true(mode->peak_mw >= mode->energy_pj / mode->time_ns * (1 - 1e-9));
				assert_true(mode->peak_mw < 4000);
			}
		power_work_free(&work);
		network_free(&f.network);
	}
}

/* Changes of level as the machine file says, static power drawn meanwhile; a level to itself costs nothing. */
static void test_power_work_takes_the_hardware(void **state)
{
	static struct fixture f;
	struct power_work work;
	(void)state;
	make_tasks(&f, "CONV_2", 0, false, 0, &work);
	const struct power_problem *problem = &work.problem;
	assert_int_equal(problem->n_lane, 2);
	assert_int_equal(problem->n_divider, 4);
	assert_true(is_near(problem->switch_ns[0][1], 100, 1e-9) && problem->switch_ns[1][1] <= 0);
	assert_true(is_near(problem->sleep_mw[0], 75.2 + 152 * 1.05, 1e-9));
	assert_true(is_near(problem->switch_pj[0][1], 100 * (75.2 + 152 * 1.5), 1e-9) && problem->switch_pj[0][0] <= 0);
	power_work_free(&work);
	network_free(&f.network);
}

/* Exactly as many tasks as asked for, in every layer that can be cut so; else the nearest number, if there is one. */
static void test_power_work_splits_into_parts(void **state)
{
	static struct fixture f;
	static const uint64_t n_part[] = {1, 4, 7, 64, 152, 304, 1024, 1792};
	unsigned n_split = 0;
	(void)state;
	read_all(&f, "dvfs_chip", "vgg16", STRATEGY_FUSION_REUSE);
	for (size_t b = 0; b < f.network.n_block; b++)
		for (size_t i = 0; i < sizeof(n_part) / sizeof(n_part[0]); i++) {
			struct split split;
			struct err err = {0};
			if (power_split_into(&f.context[b], n_part[i], &split, &err) == ERR_OK) {
				n_split++;
				assert_int_equal(split_n_task(&split), n_part[i]);
				assert_int_equal(split_check(f.context[b].block, &split, NULL), ERR_OK);
			} else {
				assert_non_null(strstr(err_text(&err), "fits the SRAM"));
			}
			err_clear(&err);
		}
	assert_in_range(n_split, 30, 120);
	network_free(&f.network);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_power_work_loops_sum_to_layers),
	    cmocka_unit_test(test_power_work_reproduces_figure_4),
	    cmocka_unit_test(test_power_work_reproduces_figure_5),
	    cmocka_unit_test(test_power_work_tasks_keep_the_roofline),
	    cmocka_unit_test(test_power_work_takes_the_hardware),
	    cmocka_unit_test(test_power_work_splits_into_parts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
