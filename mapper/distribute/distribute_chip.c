/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/distribute/distribute_parts.h"
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
 * Of one load of filters. Those that a PE can reach without migration are its
 * QPE's (by changing the source of operand A); QPEs with other ifmap parts see
 * them by rotations. A position of the ring shows a block, and those that share
 * its row, so many of the cells over which the filters are dealt. Of what
 * mapper/unfold/unfold_chip.c comes to, ring steps are exact and rotations never below
 * (of random designs exact in all but 1 of 1100 on the thesis' mesh, in 9 of 10
 * on others); tasks are a lower bound: filters that do not divide cost more.
 */
static void add_load_of_filters(const struct layer_context *context, uint64_t n_filter, struct chip_assignment *a)
{
	const struct hierarchy *hierarchy = &context->hierarchy;
	uint64_t n_filter_set = ceil_div(n_filter, context->machine->qpe_n_pe);
	uint64_t n_dealt = distribute_chip_n_dealt(hierarchy, n_filter_set), n_seen = a->n_share;
	if (has_half_blocks(hierarchy) && a->n_set <= hierarchy->qpe_per_cell)
		n_seen *= 2;
	else if (has_half_blocks(hierarchy) && n_dealt <= 2)
		n_seen = 1;
	uint64_t n_position = ceil_div(n_dealt, least(n_dealt, n_seen));
	a->n_ring += (n_position - 1) * distribute_chip_stride(hierarchy, a->n_set, n_dealt);
	uint64_t n_run = count_runs(hierarchy, a, n_filter_set, n_dealt);
	a->n_rotation += n_position * (n_run - 1);
	a->n_run += n_position * n_run;
	a->n_task += ceil_div(ceil_div(n_filter, a->n_share), a->n_copy);
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
	uint64_t n_last = n_c - (a.n_filter_load - 1) * hierarchy->n_pe;
	if (a.n_filter_load > 1) {
		/* all but the last are alike */
		add_load_of_filters(context, hierarchy->n_pe, &a);
		a.n_rotation *= a.n_filter_load - 1;
		a.n_ring *= a.n_filter_load - 1;
		a.n_task *= a.n_filter_load - 1;
		a.n_run *= a.n_filter_load - 1;
	}
	add_load_of_filters(context, n_last, &a);
	a.n_task *= a.n_wave * a.n_pass;
	a.n_run *= a.n_wave * a.n_pass;
	a.n_active = ceil_div(a.n_part * a.n_filter * a.n_pass, a.n_task);
	assert(a.n_copy > 0 && a.n_slot >= a.n_resident && a.n_task > 0);
	return a;
}

/*
 * Share of the parts of a block that pass a link, or a router, together when half
 * of them were fetched ahead and the others come from DRAM meanwhile, most of them
 * at other times; event tier, as below.
 */
#define HALF_LINK_FRAC 0.65
#define HALF_ROUTER_FRAC 0.8

/*
 * Filters that were fetched ahead leave the storage QPEs the opposite way to
 * results, and where they are not passed on they cross as these do. No loads hide
 * the chains: the parts of a block, or of a set that several blocks share, go on
 * from cell to cell together, each hop at distance 2 or more, so that routers pass
 * half of them a second time, and links half of them once. Sets that are fewer
 * than their starts are doubled before. (Event tier, thesis' and DVFS paper's
 * chips: the phase within 1 % for 64 and 128 parts, 12 % for 32; for 16 and fewer,
 * or numbers between, mostly within 20 %.)
 */
static void add_weight_from_storage(const struct layer_context *context, const struct tiling *tiling,
                                    enum ahead_portion portion, struct transfer *transfer)
{
	const struct hierarchy *hierarchy = &context->hierarchy;
	uint64_t n_filter = least(tiling->n_c, hierarchy->n_pe), n_pe = context->machine->qpe_n_pe;
	uint64_t n_set = ceil_div(n_filter, n_pe), n_dealt = distribute_chip_n_dealt(hierarchy, n_set);
	uint64_t n_hop = hierarchy->n_cell / n_dealt - 1;
	uint64_t n_double = distribute_doublings(n_set, n_dealt * hierarchy->qpe_per_cell);
	uint64_t n_inside = distribute_doublings(n_filter, n_pe);
	double n = (double)ceil_div(n_filter, hierarchy->n_block), n_of_set = (double)ceil_div(n_filter, n_set);
	double hop_router = 1.5 * real_max(n, n_of_set), n_pe_block = hierarchy->pe_per_block;
	double hop_link = real_max(n, n_of_set) * (1 + 0.5 / real_max(1, (double)n_hop));
	if (portion == AHEAD_HALF) {
		hop_router *= HALF_ROUTER_FRAC;
		hop_link *= HALF_LINK_FRAC;
		n /= 2;
	}
	double router_frac = n_hop > 0 ? 1 : hierarchy->write_router / n_pe_block;
	double link_frac = n_hop > 0 ? 1 : hierarchy->write_link / n_pe_block;
	distribute_add_hops(transfer, real_max(1, n / (double)n_pe), n * router_frac, n * link_frac, 1);
	distribute_add_hops(transfer, 1, hop_router, hop_link, n_hop);
	distribute_add_hops(transfer, 1, n_of_set, 1, n_double);
	distribute_add_hops(transfer, 1, 2, 0, n_inside);
}

/*
 * Filters: the interfaces load n_c parts in turn; with fewer parts than PEs each
 * is passed on until every PE has one. Only the last one's chain is not hidden
 * behind the loads. The thesis' own rules send 32 parts round the whole chip,
 * eight QPEs each where four would do, and two such chains cross (re-run: two
 * more packet times).
 */
static void add_weight_phase(const struct layer_context *context, const struct layer_design *design,
                             const struct tiling *tiling, const struct chip_assignment *a, struct program *program)
{
	bool thesis = design->strategy == STRATEGY_THESIS_REUSE;
	double ahead_frac = design->weight_ahead == AHEAD_NONE ? 0 : design->weight_ahead == AHEAD_HALF ? 0.5 : 1;
	const struct machine *machine = context->machine;
	const struct hierarchy *hierarchy = &context->hierarchy;
	struct step *step = distribute_add_step(program, STEP_TRANSFER, PHASE_WEIGHT);
	struct transfer *transfer = &step->u.transfer;
	transfer->n_repeat = (double)(a->n_wave * a->n_filter_load * a->n_pass);
	transfer->item_packet = (double)tiling->filter_byte / machine->noc_packet_byte;
	transfer->stage_setup_clk = machine->copy_setup_clk;
	if (ahead_frac > 0)
		add_weight_from_storage(context, tiling, design->weight_ahead, transfer);
	if (ahead_frac < 1) {
		transfer->n_side = transfer->n_stage;
		transfer->dram_byte = (double)ceil_div(tiling->n_meet, machine->dram_n) * (double)tiling->filter_byte /
		                      (double)a->n_filter_load * (1 - ahead_frac);
		transfer->setup_clk = machine->dram_load_setup_clk;
	}

	uint64_t n_filter_pe = least(tiling->n_meet, hierarchy->n_pe);
	uint64_t n_copy = hierarchy->n_pe / n_filter_pe, n_pe = machine->qpe_n_pe;
	/* up to as many parts as a QPE has PEs for every block: whole QPEs are passed on; below that, also inside the
	 * QPE */
	uint64_t n_inside = distribute_doublings(ceil_div(n_filter_pe, hierarchy->n_block), n_pe);
	uint64_t n_hop = least(n_copy, hierarchy->qpe_per_block) - 1;
	bool crossing = thesis && tiling->n_c == 32;
	if (crossing)
		n_hop = 7;
	uint64_t n_crossing = crossing ? 2 : 0;
	/*
	 * Parts that fill a QPE of every block come one after the other and travel while others are loaded. Fewer are
	 * gathered first, to and fro if there are less than a QPE full, and then travel together.
	 */
	double n_together = n_inside > 0 ? (double)least(n_pe, n_filter_pe) : 1;
	if (ahead_frac < 1) {
		distribute_add_hops(transfer, 2, 1, 2, n_crossing);
		distribute_add_hops(transfer, 1, n_together, real_max(1, n_together / 2), n_hop - n_crossing);
		distribute_add_hops(transfer, 1, n_inside > 1 ? n_together : 2,
		                    n_inside > 1 ? real_max(1, n_together / 2) : 0,
		                    n_inside > 1 ? 2 * n_inside : n_inside);
	}

	double all_byte = (double)tiling->all_filter_byte * (double)a->n_wave;
	double copied_byte = all_byte * (double)(n_copy - 1);
	double ahead_byte = all_byte * ahead_frac;
	step->counts.dram_read_byte = all_byte - ahead_byte;
	step->counts.sram_write_word = (all_byte + copied_byte) / 4;
	step->counts.sram_read_word = (copied_byte + ahead_byte) / 4;
	step->counts.noc_packet = (all_byte + copied_byte) / machine->noc_packet_byte;
}

/*
 * Of the parts that leave a storage QPE for several heads of its quadrant, the
 * share over its busiest link; event tier, random designs on chips whose routers
 * pass more than a link.
 */
#define QUADRANT_LINK_FRAC 0.7

/*
 * Stages of an ifmap part's way from the storage QPE, by n_slot parts a block.
 * n parts leave through one router. Up to one QPE full (4 parts): a head QPE,
 * its two neighbours, then one further at each end at a time. More: several
 * heads, each copied outward. One part alone is first doubled inside its QPE;
 * fewer parts than PEs are copied on to the other PEs of the last QPE, too.
 * Loads from DRAM are slow enough that only the last part's chain is not hidden.
 */
static void add_input_chain(const struct layer_context *context, const struct chip_assignment *a, bool from_storage,
                            struct transfer *transfer)
{
	uint64_t n_pe = context->machine->qpe_n_pe, n_qpe = context->hierarchy.qpe_per_block;
	double n = (double)a->n_resident;
	uint64_t n_side_hop = n_qpe > 2 ? 1 + ceil_div(n_qpe - 3 + (n_qpe == 3), 2) : n_qpe - 1;
	if (from_storage)
		distribute_add_hops(transfer, real_max(1, n / (double)n_pe), n,
		                    a->n_set > 1 ? QUADRANT_LINK_FRAC * n : n, 1);
	if (a->n_slot == 1 && n_pe > 1) {
		/* in two PEs of each QPE, so twice over the links */
		distribute_add_hops(transfer, 1, 1, 2, n_side_hop);
		distribute_add_hops(transfer, 1, 1, 1, ceil_div(n_pe, 2));
	} else if (a->n_slot <= n_pe && !from_storage) {
		distribute_add_hops(transfer, 1, 1, 1, n_side_hop + n_pe / a->n_slot - 1);
	} else if (a->n_slot <= n_pe) {
		distribute_add_hops(transfer, 2, 2 * n, n, n_side_hop > 0);
		distribute_add_hops(transfer, 1, n, n, n_side_hop > 0 ? n_side_hop - 1 : 0);
	} else {
		uint64_t n_head = a->n_set, n_hop = n_qpe / n_head - 1;
		double router = (double)n_pe * real_max(1, (double)n_head / 2);
		distribute_add_hops(transfer, 1, from_storage ? router : 1, from_storage ? router : 1, n_hop);
	}
}

static void add_input_phase(const struct layer_context *context, const struct layer_design *design,
                            const struct tiling *tiling, const struct chip_assignment *a, struct program *program)
{
	const struct machine *machine = context->machine;
	struct step *step = distribute_add_step(program, STEP_TRANSFER, PHASE_INPUT);
	struct transfer *transfer = &step->u.transfer;
	transfer->n_repeat = (double)(a->n_wave * a->n_pass);
	transfer->item_packet = (double)tiling->map_byte / machine->noc_packet_byte;
	transfer->stage_setup_clk = machine->copy_setup_clk;
	double loaded_byte = (double)tiling->all_map_byte * (double)a->n_share;
	if (!design->in_storage) {
		uint64_t n_block = context->hierarchy.block_per_dram;
		/* parts that are smaller than what a DRAM access aligns them to */
		double mean_byte = loaded_byte / machine->dram_n / transfer->n_repeat;
		transfer->dram_byte = (double)(a->n_resident * n_block) * (double)tiling->map_byte;
		transfer->dram_byte = real_max(transfer->dram_byte, mean_byte);
		transfer->setup_clk = machine->dram_load_setup_clk;
	}
	add_input_chain(context, a, design->in_storage, transfer);

	double copied_byte = loaded_byte * (double)(a->n_copy - 1);
	step->counts.dram_read_byte = design->in_storage ? 0 : loaded_byte;
	step->counts.sram_read_word = (copied_byte + (design->in_storage ? loaded_byte : 0)) / 4;
	step->counts.sram_write_word = (copied_byte + loaded_byte) / 4;
	step->counts.noc_packet = (copied_byte + loaded_byte) / machine->noc_packet_byte;
}

static void add_migration_phase(const struct layer_context *context, const struct tiling *tiling,
                                const struct chip_assignment *a, struct program *program)
{
	const struct machine *machine = context->machine;
	uint64_t n_qpe_pe = machine->qpe_n_pe;
	double packet = (double)tiling->filter_byte / machine->noc_packet_byte;
	double n_sender = (double)context->hierarchy.n_pe, n_wave = (double)(a->n_wave * a->n_pass);
	for (int across = 0; across < 2; across++) {
		uint64_t n = across ? a->n_ring : a->n_rotation;
		if (n == 0)
			continue;
		struct step *step = distribute_add_step(program, STEP_TRANSFER, PHASE_MIGRATION);
		/* inside: a router sends and receives a QPE's filters; across, at distance 2, as many again pass
		 * through twice */
		double router = (double)n_qpe_pe * (across ? 4 : 2);
		step->u.transfer = (struct transfer){
		    .item_packet = packet,
		    .n_stage = 1,
		    .stage = {{1, (float)router, (float)router / 2, 1}},
		    .stage_setup = across ? SETUP_RING : SETUP_MIGRATE,
		    .stage_setup_clk = across ? machine->ring_setup_clk : machine->migrate_setup_clk,
		    .n_repeat = (double)n * n_wave,
		};
		double moved_packet = packet * n_sender * (double)n * n_wave;
		step->counts.noc_packet = moved_packet * (across ? 3 : 2);
		step->counts.sram_read_word = step->counts.sram_write_word =
		    moved_packet * machine->noc_packet_byte / 4;
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
		return a->n_task;
	uint64_t n_outer = tiling->n_c >= 128 ? 4 : tiling->n_c >= 64 ? 2 : 1;
	uint64_t n_run = tiling->n_map / 4 * n_outer;
	return n_run < a->n_task ? n_run : a->n_task;
}

/* What the tasks left out do not do. */
static void scale_counts(struct counts *counts, double frac)
{
	counts->mac *= frac;
	counts->mla_clk *= frac;
	counts->sram_read_word *= frac;
	counts->sram_write_word *= frac;
	counts->noc_packet *= frac;
	counts->dram_write_byte *= frac;
}

void distribute_chip_computation(const struct layer_context *context, const struct layer_design *design,
                                 const struct tiling *tiling, const struct chip_assignment *a, uint64_t n_task,
                                 struct program *program)
{
	const struct machine *machine = context->machine;
	const struct hierarchy *hierarchy = &context->hierarchy;
	struct step *step = distribute_add_step(program, STEP_COMPUTE, PHASE_COMPUTATION);
	struct compute *compute = &step->u.compute;
	double done_frac = (double)n_task / (double)a->n_task;
	/* every run takes as long as its busiest PE, whoever that is */
	uint64_t n_run = least(a->n_run, n_task), n_all = n_task;
	n_task = ceil_div(n_task, n_run) * n_run;
	compute->n_task = n_task;
	compute->n_barrier = (double)n_run;
	compute->task_clk = tiling->task.shared_clk * (double)n_task;
	compute->mac_clk = (double)(tiling->task.mac_clk * n_all);
	/* request and answer of operand A of all PEs of a QPE pass its router */
	compute->router_packet =
	    2.0 * machine->qpe_n_pe * (double)tiling->task.a_word * 4 / machine->noc_packet_byte * (double)n_task;
	compute->write_packet = (double)tiling->out_byte / machine->noc_packet_byte;
	double active_frac = (double)a->n_active / hierarchy->pe_per_block;
	compute->write_router = hierarchy->write_router * active_frac;
	compute->write_link = hierarchy->write_link * active_frac;
	if (!design->out_storage) {
		double n_writer = (double)a->n_active * hierarchy->block_per_dram;
		compute->write_dram_byte = (double)tiling->out_byte * (double)n_all * n_writer;
		double mean_byte = (double)tiling->all_out_byte / machine->dram_n * done_frac;
		compute->write_dram_byte = real_max(compute->write_dram_byte, mean_byte);
	}
	tiling_mla_counts(context, tiling, &step->counts);
	double out_byte = (double)tiling->all_out_byte;
	step->counts.dram_write_byte = design->out_storage ? 0 : out_byte;
	step->counts.sram_read_word += out_byte / 4;
	step->counts.sram_write_word += design->out_storage ? out_byte / 4 : 0;
	step->counts.noc_packet += out_byte / machine->noc_packet_byte;
	scale_counts(&step->counts, done_frac);
}

/* The next block's weights, even parts of which each interface loads into the nearest storage QPEs. */
void distribute_chip_fetch(const struct layer_context *context, const struct layer_design *design,
                           struct program *program)
{
	const struct machine *machine = context->machine;
	double byte = (double)context->next_byte[design->fetch_next];
	assert(byte > 0);
	program->fetch = (struct fetch){
	    .dram_byte = byte / machine->dram_n,
	    .setup_clk = machine->dram_load_setup_clk,
	    .counts = {.dram_read_byte = byte,
	               .sram_write_word = byte / 4,
	               .noc_packet = byte / machine->noc_packet_byte},
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
	uint64_t n_task = thesis ? thesis_n_task(tiling, assignment) : assignment->n_task;
	add_weight_phase(context, design, tiling, assignment, program);
	add_input_phase(context, design, tiling, assignment, program);
	add_migration_phase(context, tiling, assignment, program);
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

/* A dimension's parts together, each as large as the largest: at least so many parts and so much extent. */
struct full_parts {
	bool is_known; /* how many there are */
	double n, extent;
};

static struct full_parts fill_parts(const struct dim_range *range, uint32_t largest, uint32_t extent)
{
	struct full_parts parts = {range->n_least == range->n_most, range->n_least, extent};
	if (parts.is_known)
		parts.extent = real_max(extent, (double)range->n_least * largest);
	return parts;
}

void distribute_chip_busiest(const struct layer_context *context, const struct layer_design *design,
                             const struct split_range *range, const struct tiling *tiling, struct busiest_work *busiest)
{
	const struct block *block = context->block;
	const struct machine *machine = context->machine;
	const struct hierarchy *hierarchy = &context->hierarchy;
	double n_block = hierarchy->n_block, n_share = 1;
	uint32_t computed_w = tiling->in_w - block_reach_w(block) + 1,
		 computed_h = tiling->in_h - block_reach_h(block) + 1;
	assert(tiling->is_least && tiling->n_d == 1 && design->strategy == STRATEGY_FUSION_REUSE);
	struct full_parts w = fill_parts(&range->w, tiling->out_w, range->w.extent);
	struct full_parts h = fill_parts(&range->h, tiling->out_h, range->h.extent);
	struct full_parts c = fill_parts(&range->c, tiling->out_c, range->c.extent);
	/* columns and filters in blocks of the array */
	double w_block =
	    w.is_known ? w.n * (double)ceil_div(computed_w, machine->mla_cols) : w.extent / machine->mla_cols;
	double c_block = c.is_known ? c.n * (double)split_part_row(block, tiling->out_c, machine->mla_rows)
	                            : c.extent / machine->mla_rows;
	if (!c.is_known && block_n_group(block) > 1)
		c_block = (double)(block_n_group(block) * ceil_div(block_group_out_c(block), machine->mla_rows));
	h.n *= block_batch(block);
	h.extent *= block_batch(block);
	double h_row = h.extent;
	/* a block's share of the rows; of few rows blocks share one and deal the filters */
	if (h.is_known) {
		uint64_t n_all = (uint64_t)range->h.n_least * block_batch(block);
		uint64_t n_row = ceil_div(n_all, hierarchy->n_block);
		if (n_all < hierarchy->n_block && hierarchy->n_block % n_all == 0)
			n_share = n_block / (double)n_all;
		h.n = (double)n_row;
		h.extent = (double)n_row * tiling->out_h;
		h_row = (double)n_row * computed_h;
		n_block = 1;
	}
	double n_filter = c.n / n_share;
	if (c.is_known) {
		n_filter = (double)ceil_div(range->c.n_least, (uint64_t)n_share);
		c.extent *= n_filter / c.n;
		c_block *= n_filter / c.n;
	} else {
		c.extent /= n_share;
		c_block /= n_share;
	}
	double n_pe = n_block * hierarchy->pe_per_block;
	double n_round = w_block * h_row * c_block / n_pe;
	if (context->is_packed) {
		double n_part = w.n * h.n, n_block_part = w.extent * h.extent / n_part / machine->mla_cols;
		if (w.is_known && h.is_known)
			n_block_part = (double)ceil_div(tiling->in_w, machine->mla_cols);
		n_round = n_part * n_block_part * c_block / n_pe;
	}
	busiest->n_task = w.n * h.n * n_filter / n_pe;
	busiest->task_clk = n_round * mla_least_round_clk(&context->round, &context->channels) +
	                    busiest->n_task * machine->mla_init_clk;
	uint64_t n_packet = ceil_div(block_group_in_c(block) * context->round.channel_a_byte, machine->noc_packet_byte);
	busiest->router_packet = 2.0 * machine->qpe_n_pe * n_round * (double)n_packet;
	double n_pixel = w.extent * h.extent * c.extent / n_block;
	if (!design->out_storage)
		busiest->write_byte = n_pixel / ((double)block->pool * block->pool) * (context->operand_bit / 8.0) *
		                      hierarchy->block_per_dram;
}
