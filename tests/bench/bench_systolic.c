/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Speed of the closed form of systolic arrays: full evaluations (tiles to
 * placement in the buffers, words, clocks, stalls and energy) a second on one
 * core, over the convolutions of VGG-16 and ResNet-50, three arrays, all
 * dataflows and both orders of the loops, with random tiles. Nothing is cached.
 * Tiles that do not fit the buffers are not counted, though their time is.
 */
#define _GNU_SOURCE
#include "dse/space/space.h"
#include "mapper/split/split.h"
#include "sim/base/rng.h"
#include "sim/fast/fast.h"
#include "sim/systolic/systolic_model.h"
#include "sim/systolic/systolic_place.h"
#include "tests/bench/cpu_time.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define N_SPLIT 3000 /* random tiles a layer and array */

/* Up to 16 parts, as even as two sizes allow. */
static struct systolic_dim random_cut(struct rng *rng, uint32_t extent)
{
	struct dim_split cut = dim_even(extent, 1 + rng_below(rng, extent < 16 ? extent : 16), 1);
	return (struct systolic_dim){cut.size_a, cut.n_a, cut.size_b, cut.n_b};
}

static struct systolic_work random_work(const struct block *block, struct rng *rng)
{
	return (struct systolic_work){
	    .n_group = 1,
	    .in_w = block_padded_w(block),
	    .in_h = block_padded_h(block),
	    .kernel_w = block->kernel_w,
	    .kernel_h = block->kernel_h,
	    .stride = block->stride,
	    .w = random_cut(rng, block->out_w),
	    .h = random_cut(rng, block->out_h),
	    .c = random_cut(rng, block->out_c),
	    .d = random_cut(rng, block->in_c),
	};
}

struct tally {
	uint64_t n_feasible, n_infeasible;
	double check; /* keeps the results alive */
};

static void evaluate(const struct machine *machine, const struct systolic_work *work, struct tally *tally)
{
	struct program program;
	struct step *step = &program.step[0];
	struct systolic_misfit misfit;
	struct sim_result result;
	step->u.systolic = *work;
	if (!systolic_is_valid(machine, work) || !systolic_place(machine, &step->u.systolic, &misfit)) {
		tally->n_infeasible++;
		return;
	}
	program.n_step = 1;
	program.fetch.dram_byte = 0;
	program.sram_byte = systolic_sram_byte(machine, &step->u.systolic);
	step->kind = STEP_SYSTOLIC;
	step->phase = PHASE_COMPUTATION;
	systolic_counts(machine, &step->u.systolic, &step->counts);
	fast_run(machine, &program, 0, &result);
	tally->n_feasible++;
	tally->check += result.latency_ns + result.energy.total_pj;
}

static void bench_network(const struct network *network, struct machine *machine, struct tally *tally)
{
	static const uint32_t side[] = {32, 64, 128};
	static const double memory_gb_s[] = {0.8, 3.2, 12.8, 51.2}; /* from all time spent waiting to none */
	for (size_t a = 0; a < sizeof(side) / sizeof(side[0]); a++) {
		machine->systolic.rows = machine->systolic.cols = side[a];
		for (size_t i = 0; i < network->n_block; i++) {
			struct rng rng = rng_stream(1, (uint32_t)a, (uint32_t)i);
			for (int k = 0; k < N_SPLIT && network->block[i].kind == BLOCK_CONV; k++) {
				struct systolic_work work = random_work(&network->block[i], &rng);
				work.dataflow = (enum systolic_dataflow)(k % SYSTOLIC_ANY);
				work.filter_outside = k / SYSTOLIC_ANY % 2;
				machine->systolic.memory_gb_s = memory_gb_s[k / 6 % 4];
				evaluate(machine, &work, tally);
			}
		}
	}
}

int main(void)
{
	struct err err = {0};
	struct machine machine;
	struct network vgg = {0}, resnet = {0};
	if (network_read("spaces/networks/vgg16.yaml", &vgg, &err) ||
	    network_read("spaces/networks/resnet50.yaml", &resnet, &err)) {
		fputs(err_text(&err), stderr);
		return EXIT_FAILURE;
	}
	machine_init(&machine, MACHINE_SYSTOLIC);
	machine.n_level = 1;
	machine.level[0] = (struct operating_point){.name = "nominal",
	                                            .vdd_v = 0.8,
	                                            .clk_mhz = 500,
	                                            .mla_clk_pj = 20,
	                                            .sram_read32_pj = 5,
	                                            .sram_write32_pj = 5};
	struct tally tally = {0};
	double start_s = now_s();
	bench_network(&vgg, &machine, &tally);
	bench_network(&resnet, &machine, &tally);
	double seconds = now_s() - start_s;
	printf("systolic arrays: %" PRIu64 " evaluations (and %" PRIu64
	       " infeasible candidates) in %.2f s on one core: %.2f million a second\n",
	       tally.n_feasible, tally.n_infeasible, seconds, (double)tally.n_feasible / seconds * 1e-6);
	printf("check sum %.6e\n", tally.check);
	network_free(&vgg);
	network_free(&resnet);
	return EXIT_SUCCESS;
}
