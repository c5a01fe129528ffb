/* SPDX-License-Identifier: Apache-2.0 */
/* A program whose tasks take what the grey-box model says; everything else is the fast tier's. */
#include "sim/fast/fast.h"
#include "sim/program/mixed.h"
#include "sim/base/real.h"
#include <assert.h>

/*
 * Equation 8 is linear in tasks, rounds and taps, so sums over tasks suffice.
 * Constants that undercut the array are taken as the array: a tap a clock.
 */
static double tasks_clk(const struct greybox_theta *theta, const struct greybox_work *work, double n_task,
                        double mac_clk)
{
	assert(work->round_mac_clk > 0 && n_task >= 0);
	double n_round = mac_clk / work->round_mac_clk;
	double clk = theta->init_clk * n_task + theta->b * (theta->a * mac_clk + theta->wb_clk * n_round);
	return real_max(clk, mac_clk);
}

static void price_step(const struct greybox_theta *theta, const struct greybox_work *work, struct step *step)
{
	if (step->kind == STEP_COMPUTE) {
		struct compute *compute = &step->u.compute;
		compute->task_clk = tasks_clk(theta, work, (double)compute->n_task, compute->mac_clk);
		/* what the router makes tasks wait for is in the constants */
		compute->fetch = (struct mla_fetch){0};
		compute->rounds.n_map = 0;
	} else if (step->kind == STEP_JOBS) {
		struct jobs *jobs = &step->u.jobs;
		jobs->task_clk = tasks_clk(theta, work, (double)jobs->n_job, jobs->mac_clk);
		jobs->task_shared_clk = jobs->task_clk;
		jobs->fetch = (struct mla_fetch){0};
		jobs->largest = (struct job_kind){0};
		jobs->n_order = jobs->n_largest = 0;
		jobs->n_largest_result = 0;
	}
}

void fast_run_greybox(const struct machine *machine, const struct program *program, uint32_t level,
                      const struct greybox_work *work, struct sim_result *result)
{
	assert(level < machine->n_level);
	const struct operating_point *point = &machine->level[level];
	if (mixed_is(point)) {
		struct sim_result low, high;
		fast_run_greybox(machine, program, point->low, work, &low);
		fast_run_greybox(machine, program, point->high, work, &high);
		mixed_combine(machine, level, mixed_n_round(program), &low, &high, result);
		return;
	}
	struct program priced = *program;
	for (uint32_t i = 0; i < priced.n_step; i++)
		price_step(work->is_matmul ? &point->matmul : &point->conv, work, &priced.step[i]);
	fast_run(machine, &priced, level, result);
}
