/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/distribute/distribute_parts.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"

/*
 * Reuse of a grouped convolution whose parts are of whole groups: each task has
 * an ifmap part of its own, the channels of its groups, so there is nothing to
 * pass on but filters, and those only to the tasks of the same groups elsewhere
 * in the map. Every PE gets its ifmap part and its filters and runs one task a
 * wave:
 *
 *   wave   weight       filter parts DRAM -> one PE of the block, copied to those with the same groups
 *          input        ifmap parts DRAM or storage QPE -> PEs
 *          computation  a task each, with its write-out
 *
 * Rows of ifmap parts go to the blocks as elsewhere (distribute_chip.c); blocks
 * that share a row deal the filter parts. A wave has whole filter parts, each
 * with all ifmap parts of the block, or where these are more than PEs a share of
 * those of one filter part, which stays for as many waves.
 */

struct own_rows distribute_own_rows(const struct layer_context *context, const struct tiling *tiling,
                                    const struct chip_assignment *assignment)
{
	uint64_t n_group = context->hierarchy.n_block / assignment->n_share, n_each = ceil_div(tiling->n_h, n_group);
	return (struct own_rows){n_each, ceil_div(tiling->n_h, n_each)};
}

struct chip_assignment distribute_own_assign(const struct layer_context *context, const struct tiling *tiling)
{
	const struct hierarchy *hierarchy = &context->hierarchy;
	uint64_t n_block = hierarchy->n_block, n_pe = hierarchy->pe_per_block, n_row = tiling->n_h;
	struct chip_assignment a = {.n_share = n_row < n_block && n_block % n_row == 0 ? n_block / n_row : 1,
	                            .n_pass = 1,
	                            .n_copy = 1,
	                            .n_filter_load = 1,
	                            .is_own = true};
	uint64_t n_map = ceil_div(n_row, n_block / a.n_share) * tiling->n_w;
	a.n_filter = ceil_div(tiling->n_c, a.n_share);
	a.n_part = n_map * a.n_filter;
	a.n_turn = ceil_div(n_map, n_pe);
	a.n_user = ceil_div(n_map, a.n_turn);
	a.n_together = n_pe / a.n_user;
	if (a.n_turn > 1)
		a.n_together = 1;
	/* evenly over the waves */
	uint64_t n_fill = ceil_div(a.n_filter, a.n_together);
	a.n_together = ceil_div(a.n_filter, n_fill);
	a.n_wave = n_fill * a.n_turn;
	a.n_resident = a.n_slot = a.n_together * a.n_user;
	a.n_set = ceil_div(a.n_resident, context->machine->qpe_n_pe);
	a.n_task = a.n_run = a.n_lockstep = a.n_wave;
	a.n_active = a.n_resident;
	assert(a.n_resident <= n_pe && a.n_resident * a.n_wave >= a.n_part);
	return a;
}

/* PEs that get a filter part, in all blocks. */
static uint64_t n_all_user(const struct layer_context *context, const struct tiling *tiling,
                           const struct chip_assignment *a, const struct own_rows *rows)
{
	uint64_t n_last = (tiling->n_h - (rows->n_group - 1) * rows->n_each) * tiling->n_w;
	assert(n_last > 0 && context->hierarchy.n_block >= rows->n_group);
	return (rows->n_group - 1) * a->n_user + (n_last < a->n_user ? n_last : a->n_user);
}

/* Copies inside QPEs first, then between them, whole QPEs at a time. */
static void add_weights(const struct layer_context *context, const struct layer_design *design,
                        const struct tiling *tiling, const struct chip_assignment *a, struct program *program)
{
	const struct machine *machine = context->machine;
	const struct own_rows rows = distribute_own_rows(context, tiling, a);
	struct step *step = distribute_add_step(program, STEP_TRANSFER, PHASE_WEIGHT);
	struct transfer *transfer = &step->u.transfer;
	double packet_byte = machine->noc_packet_byte, all_byte = (double)tiling->all_filter_byte;
	double loaded_byte = all_byte * (double)rows.n_group;
	double copied_byte = all_byte * (double)(n_all_user(context, tiling, a, &rows) - rows.n_group);
	transfer->n_repeat = (double)(a->n_wave / a->n_turn);
	double filter_byte = (double)tiling->filter_byte * distribute_filter_frac(design, tiling, tiling->n_c);
	transfer->item_packet = filter_byte / packet_byte;
	transfer->stage_setup_clk = machine->copy_setup_clk;
	transfer->setup_clk = machine->dram_load_setup_clk;
	transfer->dram_byte = loaded_byte / machine->dram_n / transfer->n_repeat;
	const struct transit transit = {.kind = TRANSIT_OWN_FILTERS,
	                                .n_filter = (uint32_t)a->n_together,
	                                .n_user = (uint32_t)a->n_user,
	                                .n_block = context->hierarchy.n_block};
	transfer->paths = transit_paths(machine, &context->mesh, &transit);
	step->counts.dram_read_byte = loaded_byte;
	step->counts.sram_write_word = (loaded_byte + copied_byte) / 4;
	step->counts.sram_read_word = copied_byte / 4;
	double n_move = (double)tiling->n_c * (double)n_all_user(context, tiling, a, &rows);
	step->counts.noc_packet = distribute_packets(context, transfer->paths, loaded_byte + copied_byte, n_move);
}

static void add_inputs(const struct layer_context *context, const struct layer_design *design,
                       const struct tiling *tiling, const struct chip_assignment *a, struct program *program)
{
	const struct machine *machine = context->machine;
	struct step *step = distribute_add_step(program, STEP_TRANSFER, PHASE_INPUT);
	struct transfer *transfer = &step->u.transfer;
	double all_byte = (double)tiling->all_map_byte;
	transfer->n_repeat = (double)a->n_wave;
	uint64_t n_row = distribute_own_rows(context, tiling, a).n_each, n_near = n_row;
	if (!design->in_storage)
		n_near = min_u64(tiling->n_h, n_row * context->hierarchy.block_per_dram);
	double map_byte = (double)tiling->map_byte * distribute_map_frac(context, design, tiling, n_near, a->n_filter);
	transfer->item_packet = map_byte / machine->noc_packet_byte;
	transfer->stage_setup_clk = machine->copy_setup_clk;
	transfer->setup_clk = machine->dram_load_setup_clk;
	const struct transit transit = {.kind = TRANSIT_OWN_MAPS,
	                                .n_resident = (uint32_t)a->n_resident,
	                                .n_block = context->hierarchy.n_block,
	                                .in_storage = design->in_storage};
	transfer->paths = transit_paths(machine, &context->mesh, &transit);
	if (!design->in_storage) {
		transfer->dram_byte = all_byte / machine->dram_n / transfer->n_repeat;
		step->counts.dram_read_byte = all_byte;
	}
	step->counts.sram_read_word = design->in_storage ? all_byte / 4 : 0;
	step->counts.sram_write_word = all_byte / 4;
	step->counts.noc_packet = distribute_packets(context, transfer->paths, all_byte, (double)tiling->n_task);
}

void distribute_own(const struct layer_context *context, const struct layer_design *design, const struct tiling *tiling,
                    const struct chip_assignment *assignment, struct program *program)
{
	assert(assignment->is_own && tiling->n_d == 1);
	add_weights(context, design, tiling, assignment, program);
	add_inputs(context, design, tiling, assignment, program);
	distribute_chip_computation(context, design, tiling, assignment, assignment->n_task, program);
	struct arm_share share = {
	    .n_result = (double)assignment->n_task,
	    .n_map = (double)assignment->n_wave,
	    .n_pad = 1,
	    .in_pe = true,
	};
	distribute_arm(context, design, tiling, &share, program);
	if (design->fetch_next != AHEAD_NONE)
		distribute_chip_fetch(context, design, program);
}
