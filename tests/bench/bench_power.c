/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Power management: chains of 200 layers at 8 levels, with switch cost, under
 * each kind of budget; beside the limit that it is to keep, the gap of the
 * greedy answer. Levels of 8 voltages under 2 power lanes (28 pairs), and all
 * of them at once. Then levels by PE: 100 layers on 152 PEs at 8 levels, their plans
 * made under no peak and under one. From the repository root.
 */
#include "dse/power/power.h"
#include "sim/base/rng.h"
#include "tests/bench/cpu_time.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N_LAYER 200
#define N_LEVEL 8
#define LIMIT_S 1.0
#define N_PE_LAYER 100
#define N_PE 152
#define PE_LIMIT_S 2.0

/* Clock and energy of 0.45 V to 0.8 V as V and V^2, layers of 10 us to 1 ms, a part of which waits for the DRAM. */
static void make_chain(struct power_problem *problem, struct power_segment *segment, struct power_mode *mode,
                       uint32_t n_lane)
{
	struct rng rng = rng_stream(1, 0, 0);
	*problem = (struct power_problem){.n_segment = N_LAYER,
	                                  .segment = segment,
	                                  .n_level = N_LEVEL,
	                                  .levels = (1U << N_LEVEL) - 1,
	                                  .n_lane = n_lane,
	                                  .n_divider = N_LEVEL};
	for (uint32_t i = 0; i < N_LEVEL; i++) {
		double volt = 0.45 + 0.05 * i;
		problem->vdd_v[i] = volt;
		problem->clk_mhz[i] = 600 * volt;
		problem->sleep_mw[i] = 235 * volt / 0.5;
		for (uint32_t k = 0; k < N_LEVEL; k++) {
			problem->switch_ns[i][k] = i == k ? 0 : 100;
			problem->switch_pj[i][k] = i == k ? 0 : 40000;
		}
	}
	for (size_t i = 0; i < N_LAYER; i++) {
		double clk = 3000 + 300000 * rng_unit(&rng) * rng_unit(&rng),
		       wait_ns = 3e5 * rng_unit(&rng) * rng_unit(&rng);
		double pj_per_clk = 500 + 2500 * rng_unit(&rng);
		for (uint32_t k = 0; k < N_LEVEL; k++) {
			double volt = problem->vdd_v[k], ns = clk * 1e3 / problem->clk_mhz[k] + wait_ns;
			double pj = clk * pj_per_clk * volt * volt + problem->sleep_mw[k] * ns;
			mode[i * N_LEVEL + k] = (struct power_mode){k, 0, ns, pj, pj / ns, NULL};
		}
		segment[i] = (struct power_segment){N_LEVEL, &mode[i * N_LEVEL], 1};
	}
}

static void bench(const struct power_problem *problem, const char *name, const struct power_goal *goal)
{
	struct arena arena = {0};
	struct power_schedule best, greedy;
	struct err err = {0};
	double start_s = now_s();
	enum err_code code = power_solve(problem, goal, 0, &arena, &best, &err);
	double time_s = now_s() - start_s;
	if (code == ERR_OK)
		power_greedy(problem, goal, &arena, &greedy);
	if (code != ERR_OK || !best.is_found) {
		(void)fprintf(stderr, "bench_power: %s", err_text(&err));
		exit(1);
	}
	printf("  %-34s %6.3f s (limit %g s%s): %8" PRIu64 " labels, %s, %.6g, levels %02" PRIx32, name, time_s,
	       LIMIT_S, time_s <= LIMIT_S ? "" : ": EXCEEDED", best.n_label, best.is_exact ? "exact" : "NOT EXACT",
	       best.objective, best.levels);
	if (greedy.is_found)
		printf(", greedy %+.3f %%\n", 100 * (greedy.objective / best.objective - 1));
	else
		printf(", greedy finds none\n");
	arena_free(&arena);
}

/* ---- levels by PE ---- */

/* Tasks that have their PEs: up to three numbers of them, as reuse does. */
static void place_tasks(struct rng *rng, struct pe_plan_work *work)
{
	uint32_t n_left = N_PE, n_task = 3 + rng_below(rng, 11);
	work->n_task = 0;
	for (uint32_t c = 0; c < 3 && n_left > 0 && n_task > 0; c++) {
		uint32_t n_unit = 1 + rng_below(rng, n_left);
		work->class[work->n_class++] = (struct pe_plan_class){n_unit, 1, {{1, n_task}}};
		work->n_task += (uint64_t)n_unit * n_task;
		n_left -= n_unit;
		n_task -= 1 + rng_below(rng, n_task);
	}
}

/* A layer of 1 to 13 tasks a PE; plans under a peak become modes. */
static void make_pe_layer(const struct power_problem *problem, uint32_t i, double max_mw, bool is_placed,
                          struct arena *arena, struct power_segment *segment, double *fast_ns, double *slow_ns)
{
	struct rng rng = rng_stream(5, 0, i);
	double clk = 8000 + rng_unit(&rng) * 30000;
	struct pe_plan_work work = {.n_task = N_PE + rng_below(&rng, 12 * N_PE),
	                             .n_pe = N_PE,
	                             .n_unit_pe = 1,
	                             .levels = problem->levels,
	                             .base_mw = 75,
	                             .switch_ns = 100};
	struct pe_plan_option *option;
	if (is_placed)
		place_tasks(&rng, &work);
	for (uint32_t l = 0; l < N_LEVEL; l++) {
		double volt = problem->vdd_v[l];
		work.task_ns[l] = clk * 1e3 / problem->clk_mhz[l];
		work.task_pj[l] = clk * (34 * volt * volt + 10);
		work.pe_mw[l] = (problem->sleep_mw[l] - 75) / N_PE;
	}
	size_t n = pe_plan_options(&work, max_mw, 0, arena, &option);
	struct power_mode *mode = arena_array(arena, n + 1, sizeof(*mode));
	double least_ns = INFINITY, least_pj = INFINITY, ns = 0;
	for (size_t k = 0; k < n; k++) {
		mode[k] = (struct power_mode){option[k].plan.exit, 0, option[k].ns, option[k].pj, option[k].peak_mw,
		                              &option[k].plan};
		/* the last ones are one PE alone */
		if (!is_placed && k + N_LEVEL >= n)
			continue;
		least_ns = fmin(least_ns, option[k].ns);
		if (option[k].pj < least_pj) {
			least_pj = option[k].pj;
			ns = option[k].ns;
		}
	}
	*fast_ns += least_ns;
	*slow_ns += ns;
	*segment = (struct power_segment){n, mode, 1};
}

static void bench_pe(uint32_t n_lane, double max_mw, bool is_placed)
{
	static struct power_segment segment[N_PE_LAYER];
	struct power_problem problem = {.n_segment = N_PE_LAYER,
	                                .segment = segment,
	                                .n_level = N_LEVEL,
	                                .levels = (1U << N_LEVEL) - 1,
	                                .n_lane = n_lane,
	                                .n_divider = N_LEVEL};
	struct arena arena = {0};
	struct power_schedule best;
	struct err err = {0};
	double fast_ns = 0, slow_ns = 0, start_s = now_s();
	for (uint32_t i = 0; i < N_LEVEL; i++) {
		problem.vdd_v[i] = 0.45 + 0.03 * i;
		problem.clk_mhz[i] = 200 + 200.0 * i / (N_LEVEL - 1);
		problem.sleep_mw[i] = 75 + N_PE * (0.8 + 0.1 * i);
	}
	for (uint32_t i = 0; i < N_LEVEL; i++)
		for (uint32_t k = 0; k < N_LEVEL; k++) {
			problem.switch_ns[i][k] = i == k ? 0 : 100;
			problem.switch_pj[i][k] = i == k ? 0 : 100 * problem.sleep_mw[k];
		}
	for (uint32_t i = 0; i < N_PE_LAYER; i++)
		make_pe_layer(&problem, i, max_mw, is_placed, &arena, &segment[i], &fast_ns, &slow_ns);
	const struct power_goal goal = {.scenario = POWER_LIMITED_TIME,
	                                .max_ns = fast_ns + 0.4 * (slow_ns - fast_ns),
	                                .max_pj = INFINITY,
	                                .max_peak_mw = INFINITY,
	                                .max_average_mw = INFINITY,
	                                .tolerance = POWER_FINE_TOLERANCE};
	enum err_code code = power_solve(&problem, &goal, POWER_FINE_LABEL, &arena, &best, &err);
	double time_s = now_s() - start_s;
	if (code != ERR_OK || !best.is_found) {
		(void)fprintf(stderr, "bench_power: %s", err_text(&err));
		exit(1);
	}
	printf("  %s, %u lanes, peak %7g mW         %6.3f s (limit %g s%s): %8" PRIu64 " labels, %s, %.6g\n",
	       is_placed ? "placed" : "dealt ", n_lane, max_mw, time_s, PE_LIMIT_S,
	       time_s <= PE_LIMIT_S ? "" : ": EXCEEDED", best.n_label, best.is_exact ? "exact to 1e-7" : "NOT EXACT",
	       best.objective);
	if (!best.is_exact) {
		(void)fprintf(stderr, "bench_power: proven to within %.2g of the best only\n",
		              best.objective / best.bound - 1);
		exit(1);
	}
	arena_free(&arena);
}

int main(void)
{
	static struct power_segment segment[N_LAYER];
	static struct power_mode mode[N_LAYER * N_LEVEL];
	static const uint32_t n_lane[] = {2, N_LEVEL};
	printf("power management: %d layers at %d levels, with switch cost\n", N_LAYER, N_LEVEL);
	for (size_t i = 0; i < sizeof(n_lane) / sizeof(n_lane[0]); i++) {
		struct power_problem problem;
		struct arena arena = {0};
		struct power_schedule fast, slow;
		const struct power_goal none = {
		    .max_ns = INFINITY, .max_pj = INFINITY, .max_peak_mw = INFINITY, .max_average_mw = INFINITY};
		make_chain(&problem, segment, mode, n_lane[i]);
		power_uniform(&problem, &none, N_LEVEL - 1, &arena, &fast);
		power_uniform(&problem, &none, 0, &arena, &slow);
		assert(fast.is_found && slow.is_found);
		printf(" %" PRIu32 " power lanes\n", n_lane[i]);
		struct power_goal goal = none;
		goal.scenario = POWER_LIMITED_TIME;
		goal.max_ns = fast.time_ns + 0.583 * (slow.time_ns - fast.time_ns);
		bench(&problem, "limited time", &goal);
		goal.sleeps = true;
		bench(&problem, "limited time, sleep counted", &goal);
		goal = none;
		goal.scenario = POWER_LIMITED_ENERGY;
		goal.max_pj = slow.energy_pj + 0.4 * (fast.energy_pj - slow.energy_pj);
		bench(&problem, "limited energy", &goal);
		goal = none;
		goal.scenario = POWER_LIMITED_POWER;
		goal.max_average_mw = 0.6 * fast.energy_pj / fast.time_ns + 0.4 * slow.energy_pj / slow.time_ns;
		bench(&problem, "limited average power", &goal);
		goal.max_average_mw = INFINITY;
		goal.max_peak_mw = fast.peak_mw * 0.8;
		bench(&problem, "limited peak power", &goal);
		arena_free(&arena);
	}
	printf("levels by PE: %d layers on %d PEs at %d levels, plans included\n", N_PE_LAYER, N_PE, N_LEVEL);
	for (size_t i = 0; i < sizeof(n_lane) / sizeof(n_lane[0]); i++) {
		bench_pe(n_lane[i], INFINITY, false);
		bench_pe(n_lane[i], 900, false);
		bench_pe(n_lane[i], 700, false);
		bench_pe(n_lane[i], INFINITY, true);
		bench_pe(n_lane[i], 1600, true);
	}
	return 0;
}
