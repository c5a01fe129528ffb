/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/unfold/unfold_parts.h"
#include "sim/base/checked.h"

/*
 * Reuse on one QPE (mapper/distribute/distribute_qpe.c, thesis appendix C). A group of
 * ifmap parts in the PEs meets a group of filters in as many rounds as there are
 * ifmap parts; in round k PE z fetches operand A from PE z + k:
 *
 *   4 parts        2 parts        3 parts, the fourth PE's copied in round k from PE k
 *   0 1 2 3        0 1 0 1        0 1 2 k
 *
 * So every part meets every filter once: a part that is in PE m only meets m,
 * m + 1, .. m + n - 1 there, and in round m, as a copy in PEs n .., the filters
 * m + n .. m - 1. Where n divides the PEs, copies are made once, by doubling.
 *
 * Filters are loaded while ifmap parts are, or are still copied; after that there
 * is a barrier before and after each round, write-out included (both as the
 * thesis simulator ran it: a barrier between copies and filters would cost
 * another 0.1 to 1.7 % of its totals).
 */

struct qpe_unfolding {
	const struct unfolding *base;
	uint32_t n_pe;
	uint32_t pass; /* group of a grouped convolution at work, whose parts of filters these are; 0 */
};

/* Parts first .. first + n - 1, one a PE. */
struct part_group {
	uint64_t first;
	uint32_t n;
};

static struct part_group group_at(uint64_t index, uint64_t n_part, uint32_t n_pe)
{
	uint64_t first = index * n_pe, left = n_part - first;
	assert(first < n_part);
	return (struct part_group){first, left < n_pe ? (uint32_t)left : n_pe};
}

static struct unfolded_part part_at(const struct qpe_unfolding *unfolding, uint64_t map, uint64_t filter)
{
	return unfold_result_part(unfolding->base, map, filter, 0);
}

/* What transfers of an ifmap part call it. */
static uint32_t number_of(const struct qpe_unfolding *unfolding, uint64_t map)
{
	return (uint32_t)map * unfolding->base->tiling->n_channel_part + unfolding->pass;
}

static uint32_t add_op(const struct qpe_unfolding *unfolding, struct op op, uint32_t before)
{
	return unfold_add_op(unfolding->base, op, before, SCHEDULE_NONE);
}

static void load_filters(const struct qpe_unfolding *unfolding, const struct part_group *filters)
{
	for (uint32_t i = 0; i < filters->n; i++) {
		struct unfolded_part part = part_at(unfolding, 0, filters->first + i);
		struct op load = {.kind = OP_LOAD, .content = OP_OF_FILTER, .pe = i, .byte = part.filter_byte};
		load.part = (uint32_t)(filters->first + i);
		(void)add_op(unfolding, load, SCHEDULE_NONE);
	}
}

static bool is_passed_on(const struct qpe_unfolding *unfolding, const struct part_group *maps)
{
	return unfolding->n_pe % maps->n != 0;
}

/* Loads, then by doubling the copies that are made once. The operation that fills PE i is the i-th of the step. */
static void load_maps(const struct qpe_unfolding *unfolding, const struct part_group *maps)
{
	uint32_t first_op = unfolding->base->schedule->n_op, n_filled = maps->n;
	for (uint32_t i = 0; i < maps->n; i++) {
		struct unfolded_part part = part_at(unfolding, maps->first + i, 0);
		struct op load = {.kind = OP_LOAD, .pe = i, .byte = part.map_byte};
		load.part = number_of(unfolding, maps->first + i);
		(void)add_op(unfolding, load, SCHEDULE_NONE);
	}
	if (is_passed_on(unfolding, maps))
		return;
	for (uint32_t i = maps->n; i < unfolding->n_pe; i++) {
		if (i == 2 * n_filled)
			n_filled = i;
		uint32_t map = i % maps->n, from = i - n_filled;
		struct op copy = {.kind = OP_COPY, .pe = from, .peer = i};
		copy.byte = part_at(unfolding, maps->first + map, 0).map_byte;
		copy.part = number_of(unfolding, maps->first + map);
		(void)add_op(unfolding, copy, first_op + from);
	}
}

/* The round's part to all PEs without one of their own. before: what brings it; SCHEDULE_NONE: it is there. */
static void pass_on(const struct qpe_unfolding *unfolding, const struct part_group *maps, uint32_t round,
                    uint32_t before)
{
	struct unfolded_part part = part_at(unfolding, maps->first + round, 0);
	for (uint32_t i = maps->n; i < unfolding->n_pe; i++) {
		struct op copy = {.kind = OP_COPY, .pe = round, .peer = i, .byte = part.map_byte};
		copy.part = number_of(unfolding, maps->first + round);
		(void)add_op(unfolding, copy, before);
	}
}

/* All that is needed before the first round. The phase is that of the ifmap parts if there are any to load. */
static void load_groups(const struct qpe_unfolding *unfolding, const struct part_group *maps, bool new_maps,
                        const struct part_group *filters, bool new_filters)
{
	assert(new_maps || new_filters);
	unfold_add_step(unfolding->base, new_maps ? PHASE_INPUT : PHASE_WEIGHT);
	uint32_t first_op = unfolding->base->schedule->n_op;
	if (new_maps)
		load_maps(unfolding, maps);
	if (is_passed_on(unfolding, maps))
		pass_on(unfolding, maps, 0, new_maps ? first_op : SCHEDULE_NONE);
	if (new_filters)
		load_filters(unfolding, filters);
}

static void run_round(const struct qpe_unfolding *unfolding, const struct part_group *maps,
                      const struct part_group *filters, uint32_t round)
{
	bool passed_on = is_passed_on(unfolding, maps);
	unfold_add_step(unfolding->base, PHASE_COMPUTATION);
	for (uint32_t z = 0; z < unfolding->n_pe; z++) {
		uint32_t filter = (z + round) % unfolding->n_pe, map = z % maps->n;
		if (passed_on && z >= maps->n)
			map = round;
		if (filter >= filters->n)
			continue;
		struct unfolded_part part = part_at(unfolding, maps->first + map, filters->first + filter);
		struct op task = {.kind = OP_TASK, .pe = z, .peer = filter, .shape = part.shape, .part = part.number};
		struct op store = {.kind = OP_STORE, .content = OP_OF_RESULT, .pe = z, .byte = part.out_byte};
		store.part = part.number;
		(void)add_op(unfolding, store, add_op(unfolding, task, SCHEDULE_NONE));
	}
}

static void run_rounds(const struct qpe_unfolding *unfolding, const struct part_group *maps,
                       const struct part_group *filters)
{
	for (uint32_t round = 0; round < maps->n; round++) {
		if (round > 0 && is_passed_on(unfolding, maps)) {
			unfold_add_step(unfolding->base, PHASE_INPUT);
			pass_on(unfolding, maps, round, SCHEDULE_NONE);
		}
		run_round(unfolding, maps, filters, round);
	}
}

void unfold_qpe_reuse(const struct unfolding *base)
{
	const struct tiling *tiling = base->tiling;
	uint32_t n_pe = base->context->machine->qpe_n_pe;
	struct qpe_unfolding unfolding = {base, n_pe, 0};
	bool keep_map = distribute_reuse_operand(base->design, tiling) == REUSE_IFMAP;
	uint64_t n_map = ceil_div(tiling->n_map, n_pe), n_filter = ceil_div(tiling->n_meet, n_pe);
	uint64_t n_all = n_map * n_filter * tiling->n_channel_part;
	assert(tiling->n_d == 1 && base->context->machine->dram_n == 1);
	for (uint64_t k = 0; k < n_all && !base->schedule->failed; k++) {
		uint64_t i = k % (n_map * n_filter);
		uint64_t map = keep_map ? i / n_filter : i % n_map, filter = keep_map ? i % n_filter : i / n_map;
		struct part_group maps = group_at(map, tiling->n_map, n_pe);
		struct part_group filters = group_at(filter, tiling->n_meet, n_pe);
		unfolding.pass = (uint32_t)(k / (n_map * n_filter));
		filters.first += (uint64_t)unfolding.pass * tiling->n_meet;
		/* the kept operand's group when the other's begin anew */
		load_groups(&unfolding, &maps, !keep_map || filter == 0, &filters, keep_map || map == 0);
		run_rounds(&unfolding, &maps, &filters);
	}
}
