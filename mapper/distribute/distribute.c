/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/distribute/distribute_parts.h"
#include "sim/base/checked.h"
#include "sim/systolic/systolic_place.h"
#include <stddef.h>
#include <string.h>

struct step *distribute_add_step(struct program *program, enum step_kind kind, enum phase phase)
{
	assert(program->n_step < PROGRAM_MAX_STEP);
	struct step *step = &program->step[program->n_step++];
	step->kind = kind;
	step->phase = phase;
	step->counts = (struct counts){0};
	/* only what this kind has: steps are most of what an evaluation writes */
	switch (kind) {
	case STEP_TRANSFER:
		/* all but the stages, of which n_stage count */
		step->u.transfer.dram_byte = step->u.transfer.item_packet = step->u.transfer.n_repeat = 0;
		step->u.transfer.chain_packet = 0;
		step->u.transfer.n_stage = step->u.transfer.n_side = 0;
		step->u.transfer.stage_setup = SETUP_COPY;
		step->u.transfer.stage_setup_clk = step->u.transfer.setup_clk = 0;
		step->u.transfer.paths = step->u.transfer.sized_paths = NULL;
		break;
	case STEP_COMPUTE:
		memset(&step->u.compute, 0, offsetof(struct compute, rounds));
		step->u.compute.rounds.n_map = 0;
		break;
	case STEP_JOBS:
		/* all but orders and kinds, of which n_order count */
		step->u.jobs.n_order = 0;
		break;
	case STEP_ARM:
		step->u.arm = (struct arm_work){0};
		break;
	case STEP_SYSTOLIC:
		step->u.systolic = (struct systolic_work){0};
		break;
	}
	return step;
}

void distribute_add_hops(struct transfer *transfer, double port, double router, double link, uint64_t n)
{
	if (n == 0)
		return;
	assert(transfer->n_stage < TRANSFER_MAX_STAGE);
	transfer->stage[transfer->n_stage++] = (struct stage){(float)port, (float)router, (float)link, (uint32_t)n};
}

double distribute_packets(const struct layer_context *context, const struct flow_paths *paths, double moved_byte,
                          double n_move)
{
	if (paths->n_op <= 0)
		return 0;
	double n_packet = moved_byte / context->machine->noc_packet_byte;
	return (n_packet * paths->routed + n_move * (paths->told + paths->reported)) / paths->n_op;
}

uint64_t distribute_doublings(uint64_t n_has, uint64_t n)
{
	uint64_t n_double = 0;
	for (; n_has < n; n_has *= 2)
		n_double++;
	return n_double;
}

enum reuse_operand distribute_reuse_operand(const struct layer_design *design, const struct tiling *tiling)
{
	if (design->reuse != REUSE_AUTO)
		return design->reuse;
	/* its program keeps ifmap parts whatever the equations say: re-run with numbers of parts that tell them apart
	 */
	if (design->strategy == STRATEGY_THESIS_REUSE)
		return REUSE_IFMAP;
	/* equations 4.2 and 4.3: total transfer when the ifmap or the filters are loaded once */
	double map = (double)tiling->all_map_byte, filter = (double)tiling->all_filter_byte;
	double keep_map = map + filter * (double)ceil_div(tiling->n_map, 4);
	double keep_filter = filter + map * (double)ceil_div(tiling->n_meet, 4);
	return keep_map <= keep_filter ? REUSE_IFMAP : REUSE_FILTER;
}

bool distribute_is_chip_reuse(const struct layer_context *context, const struct layer_design *design)
{
	return context->machine->target == MACHINE_CHIP && strategy_table[design->strategy].reuses &&
	       context->block->kind == BLOCK_CONV;
}

uint32_t distribute_n_worker(const struct layer_context *context, const struct layer_design *design, uint64_t n_result)
{
	uint32_t n_pe =
	    distribute_is_chip_reuse(context, design) ? context->hierarchy.n_pe : machine_n_pe(context->machine);
	return n_result < n_pe ? (uint32_t)n_result : n_pe;
}

uint32_t mapper_n_worker(const struct layer_context *context, const struct layer_design *design)
{
	struct tiling tiling;
	tiling_size(context, &design->split, &tiling);
	return distribute_n_worker(context, design, tiling.n_map * tiling.n_c);
}

bool mapper_judge_run(const struct sim_result *result, struct verdict *verdict)
{
	if (result_is_counted(result))
		return true;
	*verdict = (struct verdict){VERDICT_CLOCKS, 0, 0};
	return false;
}

bool mapper_distribute(const struct layer_context *context, const struct layer_design *design, struct program *program,
                       struct verdict *verdict)
{
	struct tiling tiling;
	tiling_size(context, &design->split, &tiling);
	return mapper_distribute_tiled(context, design, &tiling, program, verdict);
}

/* The PEs that a program's tasks are dealt to. */
static void count_pes(const struct layer_context *context, struct program *program)
{
	for (uint32_t i = 0; i < program->n_step; i++) {
		if (program->step[i].kind == STEP_COMPUTE)
			program->n_pe = context->hierarchy.n_pe;
		else if (program->step[i].kind == STEP_JOBS)
			program->n_pe = context->hierarchy.n_queue * program->step[i].u.jobs.n_pe;
	}
}

bool mapper_distribute_tiled(const struct layer_context *context, const struct layer_design *design,
                             struct tiling *tiling, struct program *program, struct verdict *verdict)
{
	assert(design->operand_bit == context->operand_bit && design->strategy < N_STRATEGY);
	assert(design->form == context->form);
	if (context->machine->target == MACHINE_SYSTOLIC) {
		if (!distribute_systolic_serves(context, design, verdict))
			return false;
		verdict->reason = distribute_covers_groups(context, design) ? VERDICT_OK : VERDICT_GROUPS;
		return verdict->reason == VERDICT_OK && distribute_systolic(context, design, program, verdict);
	}
	struct chip_assignment assignment;
	bool chip_reuse = distribute_is_chip_reuse(context, design);
	uint64_t n_filter = 1;
	if (chip_reuse) {
		assignment = distribute_chip_assign(context, tiling);
		distribute_chip_count(context, design, tiling, &assignment);
		n_filter = distribute_chip_migrates(&assignment) ? 2 : 1;
	}
	uint64_t sram_byte = distribute_sram_byte(context, design, tiling, n_filter);
	if (!distribute_judge(context, design, tiling, sram_byte, verdict))
		return false;

	if (!tiling->is_summed)
		tiling_sum(context, &design->split, tiling);
	tiling_time(context, tiling);
	program->n_step = 0;
	program->sram_byte = sram_byte;
	program->fetch.dram_byte = 0;
	/* of results of several tasks those of one follow each other in one PE */
	bool is_alike = !tiling->is_least && tiling->n_d == 1 && split_n_uneven(&design->split) == 0;
	program->n_task = is_alike ? tiling->n_task : 0;
	program->n_pe = 0;
	if (context->block->kind == BLOCK_POOL)
		distribute_pool(context, design, tiling, program);
	else if (chip_reuse)
		distribute_chip_reuse(context, design, tiling, &assignment, program);
	else if (strategy_table[design->strategy].reuses && distribute_is_own(context, tiling)) {
		assignment = distribute_own_assign(context, tiling);
		distribute_own(context, design, tiling, &assignment, program);
	} else if (strategy_table[design->strategy].reuses)
		distribute_qpe_reuse(context, design, tiling, program);
	else
		distribute_jobs(context, design, tiling, program);
	assert(program->n_step > 0);
	count_pes(context, program);
	return true;
}
