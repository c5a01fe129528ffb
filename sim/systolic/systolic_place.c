/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of a work, and which operands the buffers keep. */
#include "sim/systolic/systolic_place.h"
#include "sim/machine/counts.h"
#include "sim/systolic/systolic_tile.h"
#include <assert.h>

bool systolic_can(const struct machine *machine, enum systolic_dataflow dataflow)
{
	assert(machine->target == MACHINE_SYSTOLIC && dataflow < SYSTOLIC_ANY);
	if (machine->systolic.memory != SYSTOLIC_PHYSICAL && dataflow != SYSTOLIC_OS)
		return false; /* SCALE-Sim's rules are known for outputs that stay */
	return machine->systolic.dataflow == SYSTOLIC_ANY || machine->systolic.dataflow == dataflow;
}

/* ---- checks ---- */

static bool is_dim(const struct systolic_dim *dim)
{
	return dim->size_a > 0 && dim->n_a > 0 && (dim->n_b == 0 || (dim->size_b > 0 && dim->size_b < dim->size_a)) &&
	       add_sat(mul_sat(dim->size_a, dim->n_a), mul_sat(dim->size_b, dim->n_b)) <= UINT32_MAX;
}

static bool is_multiple(const struct systolic_dim *dim, uint32_t step)
{
	return dim->size_a % step == 0 && (dim->n_b == 0 || dim->size_b % step == 0);
}

/* The last output begins inside of what its stride reaches: past the ifmap by less than a stride. */
static bool is_inside(const struct systolic_dim *dim, uint32_t kernel, uint32_t stride, uint32_t in)
{
	return kernel > 0 && kernel <= in && (systolic_dim_extent(dim) - 1) * stride < (uint64_t)in - kernel + stride;
}

bool systolic_is_valid(const struct machine *machine, const struct systolic_work *work)
{
	assert(machine->target == MACHINE_SYSTOLIC);
	if (work->dataflow >= SYSTOLIC_ANY || work->stride == 0 || work->n_group == 0)
		return false;
	if (!is_dim(&work->w) || !is_dim(&work->h) || !is_dim(&work->c) || !is_dim(&work->d))
		return false;
	if (work->pool > 1 && (!is_multiple(&work->w, work->pool) || !is_multiple(&work->h, work->pool)))
		return false;
	if (!is_inside(&work->w, systolic_reach_w(work), work->stride, work->in_w) ||
	    !is_inside(&work->h, systolic_reach_h(work), work->stride, work->in_h))
		return false;
	uint64_t kernel = (uint64_t)work->kernel_w * work->kernel_h;
	uint64_t pixel = systolic_dim_extent(&work->w) * systolic_dim_extent(&work->h);
	uint64_t tap = mul_sat(kernel, systolic_dim_extent(&work->d));
	uint64_t mac = mul_sat(mul_sat(pixel, tap), mul_sat(systolic_dim_extent(&work->c), work->n_group));
	if (mac > COUNTS_MAX) /* words are no more than this */
		return false;
	return systolic_compute_clk(machine, work) <= COUNTS_MAX;
}

/* ---- buffers ---- */

/* Words of the largest tiles and of what can stay for longer. */
struct demand {
	uint64_t ifmap_tile, ifmap_deep, ifmap_group; /* deep: with all input channels */
	uint64_t filter_tile, filter_deep, filter_group;
	uint64_t ofmap_tile;
};

static struct demand demand_of(const struct systolic_work *work)
{
	uint64_t kernel = (uint64_t)work->kernel_w * work->kernel_h, channels = systolic_dim_extent(&work->d);
	uint64_t tile = systolic_first_lines(&work->w, systolic_reach_w(work), work->stride, work->in_w) *
	                systolic_first_lines(&work->h, systolic_reach_h(work), work->stride, work->in_h);
	uint64_t all = systolic_unique_lines(&work->w, systolic_reach_w(work), work->stride, work->in_w) *
	               systolic_unique_lines(&work->h, systolic_reach_h(work), work->stride, work->in_h);
	return (struct demand){
	    .ifmap_tile = tile * work->d.size_a,
	    .ifmap_deep = tile * channels,
	    .ifmap_group = all * channels,
	    .filter_tile = kernel * work->c.size_a * work->d.size_a,
	    .filter_deep = kernel * work->c.size_a * channels,
	    .filter_group = kernel * systolic_dim_extent(&work->c) * channels,
	    .ofmap_tile = (uint64_t)work->w.size_a * work->h.size_a * work->c.size_a,
	};
}

/* Words of a buffer that one thing may have: a half, or all of it where nothing follows. */
static uint64_t room(const struct machine *machine, uint32_t buffer_byte, bool is_only)
{
	return (is_only ? buffer_byte : buffer_byte / 2) / machine->systolic.word_byte;
}

static bool refuse(const struct machine *machine, enum systolic_operand operand, uint64_t word, uint64_t room_word,
                   struct systolic_misfit *misfit)
{
	uint64_t word_byte = machine->systolic.word_byte;
	*misfit = (struct systolic_misfit){operand, word * word_byte, room_word * word_byte};
	return false;
}

/* What there is only one of in all of the work, so that it may fill its buffer. */
struct single {
	bool group, filter, pixel, channel; /* one tile along these */
};

static struct single single_of(const struct systolic_work *work)
{
	bool group = work->n_group == 1;
	return (struct single){
	    .group = group,
	    .filter = group && systolic_dim_n(&work->c) == 1,
	    .pixel = group && systolic_dim_n(&work->w) == 1 && systolic_dim_n(&work->h) == 1,
	    .channel = systolic_dim_n(&work->d) == 1,
	};
}

bool systolic_place(const struct machine *machine, struct systolic_work *work, struct systolic_misfit *misfit)
{
	const struct demand demand = demand_of(work);
	const struct single one = single_of(work);
	const uint32_t ifmap = machine->systolic.ifmap_byte, filter = machine->systolic.filter_byte;
	const uint64_t ifmap_room = room(machine, ifmap, one.pixel && one.channel);
	const uint64_t filter_room = room(machine, filter, one.filter && one.channel);
	const uint64_t ofmap_room = room(machine, machine->systolic.ofmap_byte, one.pixel && one.filter);
	assert(demand.ifmap_tile > 0 && demand.filter_tile > 0);

	work->ifmap_unique = demand.ifmap_group <= room(machine, ifmap, one.group);
	work->ifmap_once =
	    work->ifmap_unique || (!work->filter_outside && demand.ifmap_deep <= room(machine, ifmap, one.pixel));
	if (!work->ifmap_once && demand.ifmap_tile > ifmap_room)
		return refuse(machine, SYSTOLIC_IFMAP, demand.ifmap_tile, ifmap_room, misfit);
	work->filter_once = demand.filter_group <= room(machine, filter, one.group) ||
	                    (work->filter_outside && demand.filter_deep <= room(machine, filter, one.filter));
	if (!work->filter_once && demand.filter_tile > filter_room)
		return refuse(machine, SYSTOLIC_FILTER, demand.filter_tile, filter_room, misfit);
	if (demand.ofmap_tile > ofmap_room)
		return refuse(machine, SYSTOLIC_OFMAP, demand.ofmap_tile, ofmap_room, misfit);
	return true;
}

uint64_t systolic_sram_byte(const struct machine *machine, const struct systolic_work *work)
{
	const struct demand demand = demand_of(work);
	const struct single one = single_of(work);
	if (machine->systolic.memory != SYSTOLIC_PHYSICAL)
		return machine_sram_byte(machine);
	uint64_t ifmap = demand.ifmap_tile * (one.pixel && one.channel ? 1 : 2),
		 filter = demand.filter_tile * (one.filter && one.channel ? 1 : 2);
	if (work->ifmap_unique)
		ifmap = demand.ifmap_group * (one.group ? 1 : 2);
	else if (work->ifmap_once)
		ifmap = demand.ifmap_deep * (one.pixel ? 1 : 2);
	if (work->filter_once) {
		/* what stays is all of a group, or of the filters outside only those at hand and the next ones */
		uint64_t group = demand.filter_group * (one.group ? 1 : 2),
			 deep = demand.filter_deep * (one.filter ? 1 : 2);
		filter = work->filter_outside && deep < group ? deep : group;
	}
	return (ifmap + filter + demand.ofmap_tile * (one.pixel && one.filter ? 1 : 2)) * machine->systolic.word_byte;
}
