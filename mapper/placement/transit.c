/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of the transfers of a phase, by running them at the clocks of the machine's levels. */
#include "mapper/placement/transit.h"
#include "mapper/placement/transit_parts.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"
#include "sim/machine/hierarchy.h"
#include "sim/machine/noc_way.h"
#include "sim/program/mixed.h"
#include <math.h>

/* Set-ups beside which items count: those of the thesis' machine. */
#define COPY_CLK 47
#define LOAD_CLK 60
#define STEPS_PER_OCTAVE 8
/* PEs of chips whose items are followed one by one. */
#define MAX_PE 4096
/* Pieces of an item: the more, the nearer to the event tier, and the longer it takes. */
static const uint32_t n_piece[FLOW_N_SIZE] = {4, 8, 16};

static int32_t step_of(double ratio)
{
	return (int32_t)floor(STEPS_PER_OCTAVE * log2(ratio) + 0.5);
}

static double ratio_of(int32_t step)
{
	return exp2((double)step / STEPS_PER_OCTAVE);
}

/* A level's clocks, if they are not known yet and there is room. */
static void add_point(const struct machine *machine, uint32_t level, struct transit_mesh *mesh)
{
	int32_t noc = step_of(machine->noc_clk_mhz / machine->level[level].clk_mhz);
	for (uint32_t i = 0; i < mesh->n_point; i++)
		if (mesh->noc[i] == noc)
			return;
	if (mesh->n_point < FLOW_MAX_POINT)
		mesh->noc[mesh->n_point++] = noc;
}

void transit_mesh_derive(const struct machine *machine, struct transit_mesh *mesh)
{
	*mesh = (struct transit_mesh){0};
	if (machine->target == MACHINE_SYSTOLIC)
		return;
	mesh->n_dram = (uint32_t)machine->dram_n;
	mesh->n_pe = (uint32_t)machine->qpe_n_pe;
	mesh->router_packet = (uint32_t)machine->noc_router_packet;
	mesh->dram = step_of(machine->dram_access_byte * machine->dram_clk_mhz /
	                     (machine->dram_access_clk * machine->noc_clk_mhz * machine->noc_packet_byte));
	for (uint32_t i = 0; i < machine->n_level; i++)
		if (!mixed_is(&machine->level[i]))
			add_point(machine, i, mesh);
	if (machine->target != MACHINE_CHIP)
		return;
	mesh->is_chip = true;
	mesh->mesh_w = (uint32_t)machine->chip.mesh_w;
	mesh->mesh_h = (uint32_t)machine->chip.mesh_h;
	mesh->n_qpe = (uint32_t)machine->chip.n_qpe;
	mesh->n_storage = (uint32_t)machine->chip.n_storage_qpe;
}

/* ---- lists ---- */

static void list_moves(struct placement *placement, const uint32_t *to)
{
	const struct place *place = &placement->place;
	placement_clear(placement);
	for (uint32_t i = 0; i < place->n_block * place->n_qpe; i++)
		for (uint32_t z = 0; z < placement->n_pe; z++)
			if (to[place->qpe[i]] != place->qpe[i])
				placement_add(placement, placement_pe(placement, place->qpe[i], z),
				              placement_pe(placement, to[place->qpe[i]], z), FLOW_NONE, 0);
}

/* Between the first slots of all blocks and their storage QPEs or DRAM interfaces. */
static void list_slots(struct placement *placement, const struct transit *transit)
{
	const struct place *place = &placement->place;
	uint32_t n_pe = placement->n_pe;
	bool is_out = transit->kind == TRANSIT_RESULTS;
	placement_clear(placement);
	for (uint32_t slot = 0; slot < transit->n_resident; slot++)
		for (uint32_t b = 0; b < transit->n_block; b++) {
			uint32_t pe = placement_own_pe(place, n_pe, b, slot), other = FLOW_DRAM + place->dram[b];
			if (is_out)
				other = FLOW_DRAM + mesh_near_dram(&place->mesh, pe / n_pe);
			if (transit->in_storage)
				other = placement_pe(placement, place->storage_qpe[b], slot % n_pe);
			placement_add(placement, is_out ? pe : other, is_out ? other : pe, FLOW_NONE, 0);
		}
}

static void list_own_filters(struct placement *placement, const struct transit *transit)
{
	const struct place *place = &placement->place;
	uint32_t n_pe = placement->n_pe;
	placement_clear(placement);
	for (uint32_t k = 0; k < transit->n_filter; k++)
		for (uint32_t b = 0; b < transit->n_block; b++)
			for (uint32_t i = 0; i < transit->n_user; i++) {
				uint32_t first = k * transit->n_user, pe = placement_own_pe(place, n_pe, b, first + i);
				if (i == 0)
					placement_add(placement, FLOW_DRAM + place->dram[b], pe, FLOW_NONE, 0);
				else
					placement_pass(
					    placement,
					    placement_own_pe(place, n_pe, b, first + placement_own_before(i)), pe);
			}
}

/* Rows of a block: as mapper/unfold/unfold_chip_map.c has them. */
static uint32_t first_row(const struct placement *placement, const struct transit_sizes *sizes, uint32_t block)
{
	const struct place *place = &placement->place;
	uint32_t n_group = place->n_block / sizes->n_share, n_each = (uint32_t)ceil_div(sizes->n_h, n_group);
	uint32_t first = (sizes->n_share > 1 ? place_ring_of(place, block) % n_group : block) * n_each;
	return first < sizes->n_h ? first : sizes->n_h;
}

static void deal_rows(struct placement *placement, const struct transit_sizes *sizes)
{
	const struct place *place = &placement->place;
	uint32_t n_each = (uint32_t)ceil_div(sizes->n_h, place->n_block / sizes->n_share);
	for (uint32_t b = 0; b < place->n_block; b++) {
		uint32_t n_row = sizes->n_h - first_row(placement, sizes, b);
		placement->n_part[b] = (n_row < n_each ? n_row : n_each) * sizes->n_w;
	}
}

/* Of the operations of a list that was dealt so. */
static void size_maps(struct placement *placement, const struct transit_sizes *sizes)
{
	for (uint32_t i = 0; i < placement->n_op; i++) {
		uint32_t block = placement->op[i].part / placement->spec.n_slot,
			 slot = placement->op[i].part % placement->spec.n_slot;
		uint32_t row = first_row(placement, sizes, block) + slot / sizes->n_w;
		uint32_t step = slot % sizes->n_w < sizes->n_large_w ? TRANSIT_SIZE_STEP : sizes->small_w;
		step *= row % sizes->n_row < sizes->n_large_h ? TRANSIT_SIZE_STEP : sizes->small_h;
		placement->size[i] = (float)step / (TRANSIT_SIZE_STEP * TRANSIT_SIZE_STEP);
	}
}

static void list_maps(struct placement *placement, const struct transit *transit)
{
	uint32_t n_block = placement->place.n_block;
	uint32_t *n_part = placement->n_part;
	for (uint32_t b = 0; b < n_block; b++)
		n_part[b] = b < transit->n_block ? transit->n_resident : 0;
	if (transit->sizes.n_w > 0)
		deal_rows(placement, &transit->sizes);
	placement_list_maps(placement, n_part);
	if (transit->sizes.n_w > 0)
		size_maps(placement, &transit->sizes);
}

/* The blocks' storage QPEs that an interface fills: its own, or where it has none one. */
static void list_fetch(struct placement *placement)
{
	const struct place *place = &placement->place;
	placement_clear(placement);
	for (uint32_t dram = 0; dram < place->mesh.n_dram; dram++) {
		uint32_t block = place->n_block - 1;
		for (uint32_t i = 0; i < place->n_block; i++) {
			block = place_next_filled(place, dram, block);
			placement_add(placement, FLOW_DRAM + dram,
			              placement_pe(placement, place->storage_qpe[block], 0), FLOW_NONE, 0);
		}
	}
}

static void list_transit(struct placement *placement, const struct transit *transit)
{
	switch (transit->kind) {
	case TRANSIT_MAPS:
		list_maps(placement, transit);
		break;
	case TRANSIT_FILTERS:
		placement_list_filters(placement, transit->n_filter, transit->n_dealt, transit->n_half);
		break;
	case TRANSIT_TURN:
		list_moves(placement, placement->turn);
		break;
	case TRANSIT_RING:
		list_moves(placement, placement->ring);
		break;
	case TRANSIT_OWN_FILTERS:
		list_own_filters(placement, transit);
		break;
	case TRANSIT_FETCH:
		list_fetch(placement);
		break;
	case TRANSIT_RESULTS:
	case TRANSIT_OWN_MAPS:
	case N_TRANSIT:
		list_slots(placement, transit);
		break;
	}
}

/* ---- paths ---- */

/* Items of one size at one of the NoC's clocks. */
static struct flow_case case_of(const struct transit_mesh *mesh, uint32_t point, double packet, uint32_t n_item_piece)
{
	double noc = ratio_of(mesh->noc[point]);
	return (struct flow_case){
	    n_item_piece,
	    {
		[FLOW_COST_PORT] = packet / real_min(1, noc),
		[FLOW_COST_ROUTER] = packet / (noc * mesh->router_packet),
		[FLOW_COST_LINK] = packet / noc,
		[FLOW_COST_DRAM] = packet / (noc * ratio_of(mesh->dram)),
		[FLOW_COST_COPY] = COPY_CLK,
		[FLOW_COST_LOAD] = LOAD_CLK,
	    },
	};
}

static bool find_paths(const struct placement *placement, const struct transit_mesh *mesh, struct flow_paths *paths)
{
	struct flow_case wanted[FLOW_MAX_POINT * FLOW_N_SIZE];
	uint32_t n_case = 0;
	paths->n_point = mesh->n_point;
	for (uint32_t i = 0; i < mesh->n_point; i++) {
		paths->noc[i] = (float)ratio_of(mesh->noc[i]);
		for (int size = 0; size < FLOW_N_SIZE; size++)
			wanted[n_case++] = case_of(mesh, i, flow_packet[size], n_piece[size]);
	}
	return flow_find_paths(&placement->place.mesh, placement->n_pe, placement->op, NULL, placement->n_op, wanted,
	                       n_case, paths->path[0]);
}

/* Powers of 8 times the least. */
#define LEAST_PACKET 8
#define MOST_PACKET 512

uint32_t transit_packet(double packet)
{
	uint32_t step = LEAST_PACKET;
	while (step < MOST_PACKET && 3 * step < packet)
		step *= 8;
	return step;
}

/* Items of several sizes: patterns are many, so each has one case for each of the NoC's clocks. */
static bool find_sized_paths(const struct placement *placement, const struct transit_mesh *mesh, uint32_t packet,
                             struct flow_paths *paths)
{
	struct flow_case wanted[FLOW_MAX_POINT];
	struct flow_path path[FLOW_MAX_POINT];
	uint32_t n_item_piece = n_piece[packet <= LEAST_PACKET ? 0 : packet < 512 ? 1 : 2];
	paths->n_point = mesh->n_point;
	for (uint32_t i = 0; i < mesh->n_point; i++) {
		paths->noc[i] = (float)ratio_of(mesh->noc[i]);
		wanted[i] = case_of(mesh, i, packet, n_item_piece);
	}
	if (!flow_find_paths(&placement->place.mesh, placement->n_pe, placement->op, placement->size, placement->n_op,
	                     wanted, mesh->n_point, path))
		return false;
	for (uint32_t i = 0; i < mesh->n_point; i++)
		paths->path[i][0] = path[i];
	return true;
}

/* Of such chips' operations: one a PE, or one a part and PE that has it, and ways as those to PEs' interfaces and
 * agents in the mean. */
static void estimate_sums(const struct machine *machine, const struct transit *transit,
                          const struct hierarchy *hierarchy, struct flow_paths *paths)
{
	struct noc_ways ways;
	double n = hierarchy->n_pe, n_slot = (double)transit->n_resident * transit->n_block;
	noc_ways_derive(machine, &ways);
	if (transit->kind == TRANSIT_MAPS)
		n = n_slot * hierarchy->qpe_per_block / transit->n_set;
	if (transit->kind == TRANSIT_RESULTS || transit->kind == TRANSIT_OWN_MAPS)
		n = n_slot;
	if (transit->kind == TRANSIT_OWN_FILTERS)
		n = (double)transit->n_filter * transit->n_user * transit->n_block;
	bool is_near = transit->kind == TRANSIT_TURN || transit->kind == TRANSIT_RING;
	paths->n_op = n;
	paths->routed = n * (is_near ? 2 : ways.all.dram);
	paths->told = paths->reported = n * ways.all.agent;
}

/*
 * Chips too large to follow every item: what enters through the busiest interface, one router's share, and the longest
 * chain, without queues. Nobody has measured such chips.
 */
static void estimate(const struct machine *machine, const struct transit *transit, struct flow_paths *paths)
{
	struct hierarchy hierarchy;
	hierarchy_derive(machine, &hierarchy);
	double n_pe = machine->qpe_n_pe, n_dram = machine->dram_n, n_copy = 0, n_loaded = 0, n_routed = 2 * n_pe;
	double n_all = (double)transit->n_resident * transit->n_block;
	switch (transit->kind) {
	case TRANSIT_MAPS:
		n_loaded = transit->in_storage ? 0 : n_all;
		n_copy = (double)hierarchy.qpe_per_block / transit->n_set;
		break;
	case TRANSIT_FILTERS:
		n_loaded = transit->n_half < 2 ? transit->n_filter : 0;
		n_copy = hierarchy.n_pe / real_max(n_pe, transit->n_filter);
		break;
	case TRANSIT_OWN_FILTERS:
		n_loaded = (double)transit->n_filter * transit->n_block;
		n_copy = ceil(log2(real_max(1, transit->n_user)));
		break;
	case TRANSIT_RESULTS:
	case TRANSIT_OWN_MAPS:
		n_loaded = transit->in_storage || transit->kind == TRANSIT_RESULTS ? 0 : n_all;
		n_routed = real_max(n_routed, transit->n_resident);
		break;
	case TRANSIT_TURN:
	case TRANSIT_RING:
	case TRANSIT_FETCH:
	case N_TRANSIT:
		break;
	}
	estimate_sums(machine, transit, &hierarchy, paths);
	paths->router = (float)n_routed;
	paths->link = (float)(n_routed / 2);
	paths->port = (float)(n_routed / n_pe);
	paths->dram = (float)(n_loaded / n_dram);
	paths->chain.n[FLOW_COST_LOAD] = paths->chain.n[FLOW_COST_DRAM] = n_loaded > 0 ? 1 : 0;
	paths->chain.n[FLOW_COST_COPY] = paths->chain.n[FLOW_COST_PORT] = (float)n_copy;
}

bool transit_find(const struct machine *machine, const struct transit_mesh *mesh, const struct transit *transit,
                  struct flow_paths *paths)
{
	struct placement placement;
	const struct placement_spec spec = {.n_set = transit->n_set > 0 ? transit->n_set : 1,
	                                    .n_slot = transit->n_slot,
	                                    .n_resident = transit->n_resident,
	                                    .n_share = 1,
	                                    .in_storage = transit->in_storage,
	                                    .is_source = transit->is_source};
	*paths = (struct flow_paths){0};
	if ((uint64_t)mesh->n_qpe * mesh->n_pe > MAX_PE) {
		estimate(machine, transit, paths);
		return true;
	}
	if (!placement_open(machine, &spec, &placement))
		return false;
	placement_plan_turns(&placement);
	list_transit(&placement, transit);
	bool is_found =
	    flow_find_load(&placement.place.mesh, placement.n_pe, placement.op, NULL, placement.n_op, paths);
	if (is_found && transit->kind == TRANSIT_RESULTS)
		is_found = flow_find_way(&placement.place.mesh, placement.n_pe, placement.op, placement.n_op, paths);
	/* what moves at once and is waited for as a whole takes what its busiest router or link does */
	bool is_one_move = transit->kind == TRANSIT_TURN || transit->kind == TRANSIT_RING ||
	                   transit->kind == TRANSIT_RESULTS || transit->kind == TRANSIT_FETCH;
	if (is_found && !is_one_move)
		is_found = transit->sizes.n_w > 0 ? find_sized_paths(&placement, mesh, transit->sizes.packet, paths)
		                                  : find_paths(&placement, mesh, paths);
	placement_free(&placement);
	return is_found;
}
