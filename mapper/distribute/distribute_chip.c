/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/distribute/distribute_parts.h"
#include "mapper/placement/meeting.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"

/*
 * Reuse on the chip (thesis section 4.4, appendices D to F): ifmap parts stay in
 * the PEs, filter parts are loaded once and migrate. In strict phases:
 *
 *   weight       filters DRAM -> PEs, copied until every PE has one
 *   input        ifmap parts DRAM or storage QPE -> PEs, copied along each block
 *   computation  rounds of tasks, each with its write-out
 *   migration    filters passed on between rounds
 *
 * Rows of ifmap parts go to the blocks in order; with fewer rows than blocks
 * several blocks share a row and deal the filters. Inside a block a part is
 * copied to as many PEs as there are for each, and those deal the filters.
 * More parts than PEs run in waves.
 */

/* The thesis' mesh, whose blocks are two cells and whose chains take powers of two. */
static bool has_half_blocks(const struct hierarchy *hierarchy)
{
	return hierarchy->n_cell > hierarchy->n_block;
}

static uint64_t power_of_two_from(uint64_t n)
{
	uint64_t power = 1;
	while (power < n)
		power *= 2;
	return power;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t distribute_chip_n_dealt(const struct hierarchy *hierarchy, uint64_t n_filter_set)
{
	uint64_t n_dealt = 1;
	assert(n_filter_set <= (uint64_t)hierarchy->n_cell * hierarchy->qpe_per_cell);
	while (n_dealt * hierarchy->qpe_per_cell < n_filter_set || hierarchy->n_cell % n_dealt)
		n_dealt++;
	return n_dealt;
}

uint64_t distribute_chip_stride(const struct hierarchy *hierarchy, uint64_t n_map_set, uint64_t n_dealt)
{
	uint64_t n_alike = hierarchy->n_cell / n_dealt;
	if (!has_half_blocks(hierarchy))
		return n_alike;
	/* any two neighbouring cells have all sets */
	if (n_dealt <= 2)
		return 1;
	/* more sets of ifmap parts than a cell has QPEs: each of the block's cells has to see everything */
	return n_map_set > hierarchy->qpe_per_cell ? n_alike : 2 * n_alike;
}

/*
 * Runs with rotations between at one position of the ring: until every set of
 * filters has been in QPEs with each set of ifmap parts. Cells with the same
 * filters have them turned against each other (unfold_chip_filter.c), so that
 * QPEs with the same ifmap parts see others at the same time.
 */
static uint64_t count_runs(const struct hierarchy *hierarchy, const struct chip_assignment *a, uint64_t n_filter_set,
                           uint64_t n_dealt)
{
	uint64_t n_qpe = hierarchy->qpe_per_block, n_cell_qpe = hierarchy->qpe_per_cell;
	if (a->n_set == 1)
		return 1;
	if (!has_half_blocks(hierarchy)) {
		/* one set is in so many neighbouring QPEs; QPEs without ifmap parts have to be passed */
		uint64_t n_side = n_dealt * n_qpe / n_filter_set, n_idle = n_qpe % a->n_set;
		uint64_t n_missing = a->n_set > n_side ? a->n_set - n_side : 0;
		return 1 + n_missing + (n_side < a->n_set + n_idle ? n_idle : 0);
	}
	if (n_dealt > 2)
		return least(a->n_set, n_cell_qpe);
	/* each cell has its own ifmap parts; three sets of filters lie as four would, two as the blocks are turned */
	if (a->n_set > n_cell_qpe)
		return ceil_div(least(power_of_two_from(n_filter_set), n_cell_qpe),
		                n_filter_set == 2 && a->n_share > 1 ? a->n_share / 2 : a->n_share);
	if (n_dealt == 1)
		return ceil_div(least(a->n_set, n_filter_set), 2 * a->n_share);
	/* only as the blocks are turned */
	return least(a->n_set, ceil_div(a->n_set * a->n_set, 2 * a->n_share));
}

/*
 * Tasks of a run's busiest PE: its ifmap part with each of the filters in its QPE. PEs of the QPE that have the same
 * ifmap part share them, and QPEs that have the same parts of both.
 */
static uint64_t count_run_tasks(const struct layer_context *context, const struct chip_assignment *a, uint64_t n_filter,
                                uint64_t n_run)
{
	uint64_t n_pe = context->machine->qpe_n_pe, n_filter_set = ceil_div(n_filter, n_pe);
	uint64_t n_qpe = context->hierarchy.qpe_per_block * a->n_share / a->n_set;
	uint64_t n_alike = n_qpe / ceil_div(n_filter_set, n_run), n_inside = a->n_slot < n_pe ? n_pe / a->n_slot : 1;
	/* elsewhere than on the thesis' mesh filters rotate among neighbours that have other ifmap parts */
	if (n_alike == 0 || (n_run > 1 && a->n_set > 1 && !has_half_blocks(&context->hierarchy)))
		n_alike = 1;
	return ceil_div(ceil_div(n_filter, n_filter_set), n_inside * n_alike);
}

const struct meeting *distribute_chip_meeting(const struct layer_context *context, const struct layer_design *design,
                                              const struct tiling *tiling, const struct chip_assignment *a,
                                              uint64_t n_filter)
{
	const struct hierarchy *hierarchy = &context->hierarchy;
	uint64_t n_group = hierarchy->n_block / a->n_share;
	uint64_t n_dealt = distribute_chip_n_dealt(hierarchy, ceil_div(n_filter, context->machine->qpe_n_pe));
	if (!meeting_serves(context->machine))
		return NULL;
	const struct meeting_spec spec = {
	    .n_set = (uint32_t)a->n_set,
	    .n_slot = (uint32_t)a->n_slot,
	    .n_resident = (uint32_t)a->n_resident,
	    .n_group = (uint32_t)ceil_div(tiling->n_h, ceil_div(tiling->n_h, n_group)),
	    .n_filter = (uint32_t)n_filter,
	    .n_dealt = (uint32_t)n_dealt,
	    .n_share = (uint32_t)a->n_share,
	    .n_stride = (uint32_t)distribute_chip_stride(hierarchy, a->n_set, n_dealt),
	    .in_storage = design->in_storage,
	    .is_apart = block_batch(context->block) > 1,
	};
	return transit_meeting(context->machine, &context->mesh, &spec);
}

/*
 * n loads of filters that are alike, where meetings are not followed. Those that a PE can reach without migration are
 * its QPE's (by changing the source of operand A); QPEs with other ifmap parts see
 * them by rotations. A position of the ring shows a block, and those that share
 * its row, so many of the cells over which the filters are dealt. Of what
 * mapper/unfold/unfold_chip.c comes to, ring steps are exact and rotations never below
 * (of random designs exact in all but 1 of 1100 on the thesis' mesh, in 9 of 10
 * on others); tasks are a lower bound: filters that do not divide cost more.
 */
static void estimate_loads(const struct layer_context *context, uint64_t n_filter, uint64_t n,
                           struct chip_assignment *a)
{
	const struct hierarchy *hierarchy = &context->hierarchy;
	uint64_t n_filter_set = ceil_div(n_filter, context->machine->qpe_n_pe);
	uint64_t n_dealt = distribute_chip_n_dealt(hierarchy, n_filter_set), n_seen = a->n_share;
	if (has_half_blocks(hierarchy) && a->n_set <= hierarchy->qpe_per_cell)
		n_seen *= 2;
	else if (has_half_blocks(hierarchy) && n_dealt <= 2)
		n_seen = 1;
	uint64_t n_position = ceil_div(n_dealt, least(n_dealt, n_seen));
	uint64_t n_run = n_position * count_runs(hierarchy, a, n_filter_set, n_dealt);
	a->n_ring += n * (n_position - 1) * distribute_chip_stride(hierarchy, a->n_set, n_dealt);
	a->n_rotation += n * (n_run - n_position);
	a->n_run += n * n_run;
	a->n_lockstep += n * n_run * count_run_tasks(context, a, n_filter, n_run);
}

static void add_loads_of_filters(const struct layer_context *context, const struct layer_design *design,
                                 const struct tiling *tiling, uint64_t n_filter, uint64_t n, struct chip_assignment *a)
{
	const struct meeting *meeting = NULL;
	a->n_task += n * ceil_div(ceil_div(n_filter, a->n_share), a->n_copy);
	if (!has_half_blocks(&context->hierarchy))
		meeting = distribute_chip_meeting(context, design, tiling, a, n_filter);
	if (!meeting) {
		estimate_loads(context, n_filter, n, a);
		return;
	}
	a->n_ring += n * meeting->n_ring;
	a->n_rotation += n * meeting->n_rotation;
	a->n_run += n * meeting->n_run;
	a->n_lockstep += n * meeting->n_lockstep;
	const struct meeting_results *results = design->out_storage ? &meeting->to_storage : &meeting->to_dram;
	a->n_result += (double)n * (double)meeting->n_result;
	a->result.routed += (double)n * results->routed;
	a->result.told += (double)n * results->told;
	a->result.reported += (double)n * results->reported;
}

/* How many parts lie side by side: all of up to a QPE's PEs, else whole QPEs; powers of two where the thesis has lists.
 */
static void lay_out_maps(const struct hierarchy *hierarchy, uint64_t n_pe, struct chip_assignment *a)
{
	a->n_set = ceil_div(a->n_resident, n_pe);
	if (a->n_set == 1) {
		a->n_slot = least(power_of_two_from(a->n_resident), n_pe);
		a->n_copy = n_pe / a->n_slot * hierarchy->qpe_per_block;
		return;
	}
	if (has_half_blocks(hierarchy))
		a->n_set = power_of_two_from(a->n_set);
	a->n_slot = a->n_set * n_pe;
	a->n_copy = hierarchy->qpe_per_block / a->n_set;
}

struct chip_assignment distribute_chip_assign(const struct layer_context *context, const struct tiling *tiling)
{
	if (distribute_is_own(context, tiling))
		return distribute_own_assign(context, tiling);
	const struct hierarchy *hierarchy = &context->hierarchy;
	uint64_t n_block = hierarchy->n_block, n_row = tiling->n_h, n_c = tiling->n_meet;
	struct chip_assignment a = {.n_share = n_row < n_block && n_block % n_row == 0 ? n_block / n_row : 1,
	                            .n_pass = tiling->n_channel_part};
	a.n_part = ceil_div(n_row, n_block) * tiling->n_w;
	a.n_wave = ceil_div(a.n_part, hierarchy->pe_per_block);
	a.n_resident = ceil_div(a.n_part, a.n_wave);
	lay_out_maps(hierarchy, context->machine->qpe_n_pe, &a);
	a.n_filter = ceil_div(n_c, a.n_share);
	a.n_filter_load = ceil_div(n_c, hierarchy->n_pe);
	return a;
}

void distribute_chip_count(const struct layer_context *context, const struct layer_design *design,
                           const struct tiling *tiling, struct chip_assignment *a)
{
	if (a->is_own)
		return;
	uint64_t n_most = context->hierarchy.n_pe, n_last = tiling->n_meet - (a->n_filter_load - 1) * n_most;
	/* all but the last are alike */
	if (a->n_filter_load > 1)
		add_loads_of_filters(context, design, tiling, n_most, a->n_filter_load - 1, a);
	add_loads_of_filters(context, design, tiling, n_last, 1, a);
	a->n_task *= a->n_wave * a->n_pass;
	a->n_lockstep *= a->n_wave * a->n_pass;
	a->n_run *= a->n_wave * a->n_pass;
	if (a->n_lockstep < a->n_task)
		a->n_lockstep = a->n_task;
	a->n_active = ceil_div(a->n_part * a->n_filter * a->n_pass, a->n_task);
	assert(a->n_copy > 0 && a->n_slot >= a->n_resident && a->n_task > 0);
}

/* Numbers of filter parts that the thesis' own rules serve (mapper/unfold/unfold_chip.c, in which some have more). */
static bool is_listed(const struct tiling *tiling)
{
	return tiling->n_c == 16 || tiling->n_c == 32 || tiling->n_c == 64 || tiling->n_c == 128;
}

/* n times one load of n_filter of them. */
static void add_filter_load(const struct layer_context *context, const struct layer_design *design,
                            const struct tiling *tiling, uint64_t n_filter, double n, struct program *program)
{
	const struct machine *machine = context->machine;
	const struct hierarchy *hierarchy = &context->hierarchy;
	struct step *step = distribute_add_step(program, STEP_TRANSFER, PHASE_WEIGHT);
	struct transfer *transfer = &step->u.transfer;
	const struct transit transit = {
	    .kind = TRANSIT_FILTERS,
	    .n_filter = (uint32_t)n_filter,
	    .n_dealt = (uint32_t)distribute_chip_n_dealt(hierarchy, ceil_div(n_filter, machine->qpe_n_pe)),
	    .n_half = design->weight_ahead,
	    .is_source = design->strategy == STRATEGY_THESIS_REUSE && is_listed(tiling),
	};
	/* groups of a convolution have their parts one after the other, the later ones smaller */
	uint64_t n_first = tiling->n_channel_part > 1 ? tiling->n_c : ceil_div(tiling->n_meet, machine->dram_n);
	double filter_byte = (double)tiling->filter_byte * distribute_filter_frac(design, tiling, n_first);
	transfer->paths = transit_paths(machine, &context->mesh, &transit);
	transfer->n_repeat = n;
	transfer->item_packet = filter_byte / machine->noc_packet_byte;
	/* one part is the largest; of several loads' and groups' the first ones have it */
	if (n_filter == tiling->n_c)
		transfer->chain_packet = (double)tiling->filter_byte / machine->noc_packet_byte;
	transfer->stage_setup_clk = machine->copy_setup_clk;
	transfer->setup_clk = machine->dram_load_setup_clk;
	double loaded_frac = design->weight_ahead == AHEAD_NONE ? 1 : design->weight_ahead == AHEAD_HALF ? 0.5 : 0;
	double part_frac = (double)n_filter / (double)tiling->n_meet;
	double all_byte = (double)tiling->all_filter_byte * n / (double)tiling->n_channel_part * part_frac;
	double moved_byte = all_byte / (double)n_filter * transfer->paths->n_op;
	transfer->dram_byte = all_byte / n / machine->dram_n * loaded_frac;
	step->counts.dram_read_byte = all_byte * loaded_frac;
	step->counts.sram_write_word = moved_byte / 4;
	step->counts.sram_read_word = (moved_byte - all_byte * loaded_frac) / 4;
	step->counts.noc_packet = distribute_packets(context, transfer->paths, moved_byte, n * transfer->paths->n_op);
}

/* Filters come from DRAM or storage QPEs, and with fewer parts than PEs each is passed on until every PE has one. */
static void add_weight_phase(const struct layer_context *context, const struct layer_design *design,
                             const struct tiling *tiling, const struct chip_assignment *a, struct program *program)
{
	uint64_t n_most = context->hierarchy.n_pe, n_last = tiling->n_meet - (a->n_filter_load - 1) * n_most;
	double n_wave = (double)(a->n_wave * a->n_pass);
	if (a->n_filter_load > 1)
		add_filter_load(context, design, tiling, n_most, n_wave * (double)(a->n_filter_load - 1), program);
	add_filter_load(context, design, tiling, n_last, n_wave, program);
}

static uint32_t size_step(uint32_t small, uint32_t large)
{
	return small == 0 ? TRANSIT_SIZE_STEP : (2 * TRANSIT_SIZE_STEP * small + large) / (2 * large);
}

static struct transit_sizes map_sizes(const struct layer_context *context, const struct split *split,
                                      const struct tiling *tiling, const struct chip_assignment *a)
{
	struct transit_sizes sizes = {
	    .n_w = tiling->n_w,
	    .n_large_w = split->w.n_a,
	    .n_row = dim_n_part(&split->h),
	    .n_large_h = split->h.n_a,
	    .n_h = tiling->n_h,
	    .n_share = (uint32_t)a->n_share,
	    .small_w = size_step(tiling->small_in_w, tiling->in_w),
	    .small_h = size_step(tiling->small_in_h, tiling->in_h),
	    .packet = transit_packet((double)tiling->map_byte / context->machine->noc_packet_byte),
	};
	if (context->is_packed && split->w.n_b > 0)
		sizes.small_w =
		    size_step(mapper_part_in_w(context, split->w.size_b), mapper_part_in_w(context, split->w.size_a));
	if (context->is_packed)
		sizes.small_h = size_step(split->h.size_b, split->h.size_a);
	return sizes;
}

/*
 * Parts of two sizes are followed with their own sizes, as the larger ones come first and hold up the chains. The time
 * is never less than if all were as large as their mean, which is what bounds of a range go by; it is up to 7 % more
 * than it should be where an interface loads the smallest parts last. Waves have other parts each, and the thesis' own
 * rules take all for the first one.
 */
static void follow_sizes(const struct layer_context *context, const struct layer_design *design,
                         const struct tiling *tiling, const struct chip_assignment *a, const struct transit *alike,
                         struct transfer *transfer)
{
	const struct split *split = &design->split;
	struct transit transit = *alike;
	double packet = (double)tiling->map_byte / context->machine->noc_packet_byte;
	/* where the fullest source serves one block, whose parts are all of the larger size, they are alike */
	bool is_large =
	    (alike->in_storage || context->hierarchy.block_per_dram == 1) && transfer->chain_packet >= packet;
	bool has_small = split->w.n_b > 0 || split->h.n_b > 0;
	if (!has_small || is_large || tiling->is_least || a->n_wave > 1 || alike->is_source)
		return;
	transit.sizes = map_sizes(context, split, tiling, a);
	const struct flow_paths *paths = transit_paths(context->machine, &context->mesh, &transit);
	/* of chips that are too large to follow there are none */
	if (paths->n_point == 0)
		return;
	transfer->sized_paths = paths;
	transfer->sized_packet = packet;
	transfer->chain_packet = 0;
	transfer->item_packet = packet * distribute_mean_map_frac(tiling);
}

static void add_input_phase(const struct layer_context *context, const struct layer_design *design,
                            const struct tiling *tiling, const struct chip_assignment *a, struct program *program)
{
	const struct machine *machine = context->machine;
	struct step *step = distribute_add_step(program, STEP_TRANSFER, PHASE_INPUT);
	struct transfer *transfer = &step->u.transfer;
	uint32_t n_group = context->hierarchy.n_block / (uint32_t)a->n_share;
	const struct transit transit = {
	    .kind = TRANSIT_MAPS,
	    .n_set = (uint32_t)a->n_set,
	    .n_slot = (uint32_t)a->n_slot,
	    .n_resident = (uint32_t)a->n_resident,
	    .n_block = (uint32_t)(ceil_div(tiling->n_h, ceil_div(tiling->n_h, n_group)) * a->n_share),
	    .in_storage = design->in_storage,
	    .is_source = design->strategy == STRATEGY_THESIS_REUSE && is_listed(tiling),
	};
	transfer->paths = transit_paths(machine, &context->mesh, &transit);
	transfer->n_repeat = (double)(a->n_wave * a->n_pass);
	uint64_t n_row = ceil_div(tiling->n_h * a->n_share, context->hierarchy.n_block);
	/* an interface serves several blocks in turn, of which the first one has the larger parts */
	uint64_t n_near = design->in_storage ? n_row : min_u64(tiling->n_h, n_row * context->hierarchy.block_per_dram);
	double map_byte = (double)tiling->map_byte * distribute_map_frac(context, design, tiling, n_near, 0);
	double block_byte = (double)tiling->map_byte * distribute_map_frac(context, design, tiling, n_row, 0);
	transfer->item_packet = map_byte / machine->noc_packet_byte;
	transfer->chain_packet = block_byte / machine->noc_packet_byte;
	transfer->stage_setup_clk = machine->copy_setup_clk;
	transfer->setup_clk = machine->dram_load_setup_clk;
	follow_sizes(context, design, tiling, a, &transit, transfer);
	double loaded_byte = (double)tiling->all_map_byte * (double)a->n_share;
	double n_move_part = transfer->paths->n_op / ((double)a->n_resident * transit.n_block);
	double moved_byte = loaded_byte * n_move_part;
	/* parts that are smaller than what a DRAM access aligns them to */
	if (!design->in_storage)
		transfer->dram_byte = loaded_byte / machine->dram_n / transfer->n_repeat;
	double n_part = (double)tiling->n_map * (double)(tiling->n_channel_part * a->n_share);
	step->counts.dram_read_byte = design->in_storage ? 0 : loaded_byte;
	step->counts.sram_read_word = (moved_byte - step->counts.dram_read_byte) / 4;
	step->counts.sram_write_word = moved_byte / 4;
	step->counts.noc_packet = distribute_packets(context, transfer->paths, moved_byte, n_part * n_move_part);
}

/* Filters passed on: all PEs send at the same time, and are told before and after. */
static void add_migration_phase(const struct layer_context *context, const struct layer_design *design,
                                const struct tiling *tiling, const struct chip_assignment *a, struct program *program)
{
	const struct machine *machine = context->machine;
	double packet = (double)tiling->filter_byte / machine->noc_packet_byte;
	double mean_byte = (double)tiling->all_filter_byte / ((double)tiling->n_channel_part * (double)tiling->n_meet);
	double n_wave = (double)(a->n_wave * a->n_pass);
	for (int across = 0; across < 2; across++) {
		uint64_t n = across ? a->n_ring : a->n_rotation;
		if (n == 0)
			continue;
		struct step *step = distribute_add_step(program, STEP_TRANSFER, PHASE_MIGRATION);
		const struct transit transit = {.kind = across ? TRANSIT_RING : TRANSIT_TURN,
		                                .n_set = across ? 0 : (uint32_t)a->n_set,
		                                .in_storage = !across && design->in_storage};
		struct transfer *transfer = &step->u.transfer;
		transfer->paths = transit_paths(machine, &context->mesh, &transit);
		/* a QPE's parts share its router, each takes its PE's port; the first ones are the larger ones */
		transfer->item_packet = packet * distribute_filter_frac(design, tiling, machine->qpe_n_pe);
		transfer->chain_packet = packet;
		transfer->stage_setup = across ? SETUP_RING : SETUP_MIGRATE;
		transfer->stage_setup_clk = across ? machine->ring_setup_clk : machine->migrate_setup_clk;
		transfer->setup_clk = machine->dram_load_setup_clk;
		transfer->n_repeat = (double)n * n_wave;
		double n_move = transfer->paths->n_op * transfer->n_repeat, moved_byte = mean_byte * n_move;
		step->counts.noc_packet = distribute_packets(context, transfer->paths, moved_byte, n_move);
		step->counts.sram_read_word = step->counts.sram_write_word = moved_byte / 4;
	}
}

/*
 * Tasks of the busiest PE that the thesis simulator ran (its reports, re-run):
 * with 4 to 16 parts and at least 32 filters it divides the parts by the blocks,
 * so rows that do not divide lose tasks.
 */
static uint64_t thesis_n_task(const struct tiling *tiling, const struct chip_assignment *a)
{
	if (tiling->n_map < 4 || tiling->n_map > 16 || tiling->n_c < 32)
		return a->n_lockstep;
	uint64_t n_outer = tiling->n_c > 64 ? 4 : tiling->n_c > 32 ? 2 : 1;
	return least(tiling->n_map / 4 * n_outer, a->n_lockstep);
}

/* The next block's weights, even parts of which each interface loads into the nearest storage QPEs. */
void distribute_chip_fetch(const struct layer_context *context, const struct layer_design *design,
                           struct program *program)
{
	const struct machine *machine = context->machine;
	double byte = (double)context->next_byte[design->fetch_next];
	const struct transit transit = {.kind = TRANSIT_FETCH};
	const struct flow_paths *paths = transit_paths(machine, &context->mesh, &transit);
	assert(byte > 0);
	program->fetch = (struct fetch){
	    .dram_byte = byte / machine->dram_n,
	    .setup_clk = machine->dram_load_setup_clk,
	    .counts = {.dram_read_byte = byte,
	               .sram_write_word = byte / 4,
	               .noc_packet = distribute_packets(context, paths, byte, byte / DISTRIBUTE_PIECE_BYTE)},
	};
}

bool distribute_chip_migrates(const struct chip_assignment *assignment)
{
	return assignment->n_rotation + assignment->n_ring > 0;
}

void distribute_chip_reuse(const struct layer_context *context, const struct layer_design *design,
                           const struct tiling *tiling, const struct chip_assignment *assignment,
                           struct program *program)
{
	if (assignment->is_own) {
		distribute_own(context, design, tiling, assignment, program);
		return;
	}
	bool thesis = design->strategy == STRATEGY_THESIS_REUSE;
	uint64_t n_task = thesis ? thesis_n_task(tiling, assignment) : assignment->n_lockstep;
	add_weight_phase(context, design, tiling, assignment, program);
	add_input_phase(context, design, tiling, assignment, program);
	add_migration_phase(context, design, tiling, assignment, program);
	distribute_chip_computation(context, design, tiling, assignment, n_task, program);

	struct arm_share share = {
	    .n_result = (double)assignment->n_task,
	    .n_map = (double)(assignment->n_wave * assignment->n_pass),
	    .n_pad = (double)(assignment->n_share * assignment->n_copy),
	    .in_pe = true,
	    .source = thesis,
	};
	distribute_arm(context, design, tiling, &share, program);
	if (design->fetch_next != AHEAD_NONE)
		distribute_chip_fetch(context, design, program);
}
