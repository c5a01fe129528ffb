/* SPDX-License-Identifier: Apache-2.0 */
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

/* A buffer in words: a half, and what one thing may have that nothing follows. */
struct room {
	uint64_t half, all;
};

static struct room room_of(const struct machine *machine, uint32_t byte)
{
	uint64_t half = byte / 2 / machine->systolic.word_byte, all = byte / machine->systolic.word_byte;
	return (struct room){half, all};
}

static bool fits(uint64_t word, const struct room *room, bool is_only)
{
	return word <= (is_only ? room->all : room->half);
}

static bool refuse(const struct machine *machine, enum systolic_operand operand, uint64_t word, const struct room *room,
                   bool is_only, struct systolic_misfit *misfit)
{
	*misfit = (struct systolic_misfit){operand, word * machine->systolic.word_byte,
	                                   (is_only ? room->all : room->half) * machine->systolic.word_byte};
	return false;
}

bool systolic_place(const struct machine *machine, struct systolic_work *work, struct systolic_misfit *misfit)
{
	const struct demand demand = demand_of(work);
	const struct room ifmap = room_of(machine, machine->systolic.ifmap_byte);
	const struct room filter = room_of(machine, machine->systolic.filter_byte);
	const struct room ofmap = room_of(machine, machine->systolic.ofmap_byte);
	const bool one_group = work->n_group == 1, one_c = one_group && systolic_dim_n(&work->c) == 1;
	const bool one_s = one_group && systolic_dim_n(&work->w) == 1 && systolic_dim_n(&work->h) == 1;
	const bool one_d = systolic_dim_n(&work->d) == 1;
	assert(demand.ifmap_tile > 0 && demand.filter_tile > 0);

	work->ifmap_unique = fits(demand.ifmap_group, &ifmap, one_group);
	work->ifmap_once = work->ifmap_unique || (!work->filter_outside && fits(demand.ifmap_deep, &ifmap, one_s));
	if (!work->ifmap_once && !fits(demand.ifmap_tile, &ifmap, one_s && one_d))
		return refuse(machine, SYSTOLIC_IFMAP, demand.ifmap_tile, &ifmap, one_s && one_d, misfit);
	work->filter_once = fits(demand.filter_group, &filter, one_group) ||
	                    (work->filter_outside && fits(demand.filter_deep, &filter, one_c));
	if (!work->filter_once && !fits(demand.filter_tile, &filter, one_c && one_d))
		return refuse(machine, SYSTOLIC_FILTER, demand.filter_tile, &filter, one_c && one_d, misfit);
	if (!fits(demand.ofmap_tile, &ofmap, one_s && one_c))
		return refuse(machine, SYSTOLIC_OFMAP, demand.ofmap_tile, &ofmap, one_s && one_c, misfit);
	return true;
}

uint64_t systolic_sram_byte(const struct machine *machine, const struct systolic_work *work)
{
	const struct demand demand = demand_of(work);
	const bool one_group = work->n_group == 1, one_c = one_group && systolic_dim_n(&work->c) == 1;
	const bool one_s = one_group && systolic_dim_n(&work->w) == 1 && systolic_dim_n(&work->h) == 1;
	const bool one_d = systolic_dim_n(&work->d) == 1;
	if (machine->systolic.memory != SYSTOLIC_PHYSICAL)
		return machine_sram_byte(machine);
	uint64_t ifmap = demand.ifmap_tile * (one_s && one_d ? 1 : 2),
		 filter = demand.filter_tile * (one_c && one_d ? 1 : 2);
	if (work->ifmap_unique)
		ifmap = demand.ifmap_group * (one_group ? 1 : 2);
	else if (work->ifmap_once)
		ifmap = demand.ifmap_deep * (one_s ? 1 : 2);
	if (work->filter_once) {
		/* what stays is all of a group, or of the filters outside only those at hand and the next ones */
		uint64_t group = demand.filter_group * (one_group ? 1 : 2), deep = demand.filter_deep * (one_c ? 1 : 2);
		filter = work->filter_outside && deep < group ? deep : group;
	}
	return (ifmap + filter + demand.ofmap_tile * (one_s && one_c ? 1 : 2)) * machine->systolic.word_byte;
}
