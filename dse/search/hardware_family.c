/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Families of machine candidates: those that differ in nothing but parameters of
 * which more is never worse: SRAM or buffers, NoC clock, DRAM clock, memory
 * bandwidth. These decide neither splits nor counts. What runs on less SRAM runs
 * on more, and the share that is used is less. Slower clocks make no step of a
 * bound shorter; the closed form itself has queues that a slower clock may happen
 * to serve better, so outlooks are made of bounds. On a chip transfers that share
 * the mesh may be served better, too, in bounds as well: there clocks make no
 * families. Larger buffers of a systolic
 * array keep no less, and what they keep is not loaded again; but of two orders of
 * tiles the one with fewer words may take longer, so its bounds are of both. There
 * are no families where the thesis' rules choose splits: they look at the SRAM. Nor does SRAM make any where it costs
 * energy (a machine's technology) and energy or power counts: more of it is then worse in that.
 */
#include "dse/search/hardware_parts.h"
#include "dse/space/space_goals.h"
#include "dse/space/space_machine.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The more of it the better: parameters whose bounds the family of a machine shares, those of timing last. */
static const char *const helpful_key[] = {"pe.sram_byte",         "noc.clk_mhz",         "dram.clk_mhz",
                                          "systolic.memory_gb_s", "systolic.ifmap_byte", "systolic.filter_byte",
                                          "systolic.ofmap_byte"};
#define N_UNTIMED 1
_Static_assert(sizeof(helpful_key) / sizeof(helpful_key[0]) == HARDWARE_N_HELPFUL, "a value each");

static bool uses_thesis_split(const struct space *space)
{
	for (size_t i = 0; i < space->n_network; i++)
		for (size_t k = 0; k < space->network[i].network.n_block; k++)
			if (space->network[i].choice[k].thesis_split)
				return true;
	return false;
}

/* More of anything may be worse by SCALE-Sim's rules: they round to lines, half buffers and whole words a clock. */
static bool uses_scalesim(const struct space *space)
{
	for (size_t i = 0; i < space->n_machine; i++)
		if (space->machine[i].systolic.memory != SYSTOLIC_PHYSICAL)
			return true;
	for (size_t i = 0; i < space->n_axis; i++)
		if (strcmp(space->axis[i].param->key, "systolic.memory_model") == 0)
			return true;
	return false;
}

static bool has_chip(const struct space *space)
{
	for (size_t i = 0; i < space->n_machine; i++)
		if (space->machine[i].target == MACHINE_CHIP)
			return true;
	return false;
}

/*
 * How many of the helpful parameters make families in a space. Where fetches fill the time that steps leave, where
 * sleep is taken off energies, or where a layer's rounds are divided between two operating points, rounding may make a
 * bound at a slower clock less by a trace.
 */
static size_t count_helpful(const struct space *space)
{
	bool is_timed =
	    has_chip(space) || space->deadline_ms > 0 || space->level_shares > 0 || space_fetches_ahead(space);
	return uses_thesis_split(space) || uses_scalesim(space) ? 0 : is_timed ? N_UNTIMED : HARDWARE_N_HELPFUL;
}

/* The machine of the family with the first values of its helpful axes. */
static uint64_t first_of_family(const struct space *space, size_t n_helpful, uint64_t index)
{
	uint64_t stride = 1, first = index;
	for (size_t i = space->n_axis; i-- > 0; stride *= space->axis[i].n) {
		bool is_helpful = false;
		for (size_t k = space_sram_costs(space) ? N_UNTIMED : 0; k < n_helpful; k++)
			is_helpful |= strcmp(space->axis[i].param->key, helpful_key[k]) == 0;
		if (is_helpful)
			first -= index / stride % space->axis[i].n * stride;
	}
	return first;
}

bool hardware_get_machine(const struct space *space, uint64_t index, struct machine *machine)
{
	char why[256];
	double metric[N_METRIC] = {0};
	if (!space_machine(space, index, machine, why, sizeof(why)))
		return false;
	metric_of_machine(machine, metric);
	for (unsigned i = 0; i < N_METRIC; i++)
		if (metric_table[i].scope == METRIC_OF_MACHINE && metric[i] > space_metric_limit(space, (enum metric)i))
			return false;
	return true;
}

static int compare_members(const void *left, const void *right)
{
	const struct hardware_member *a = left, *b = right;
	for (size_t i = 0; i < HARDWARE_N_HELPFUL; i++)
		if (a->value[i] < b->value[i] || a->value[i] > b->value[i])
			return a->value[i] > b->value[i] ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

bool hardware_serves(const struct hardware_member *one, const struct hardware_member *other)
{
	for (size_t i = 0; i < HARDWARE_N_HELPFUL; i++)
		if (other->value[i] > one->value[i])
			return false;
	return true;
}

static void add_machine(const struct space *space, uint32_t index, struct hardware_member *member,
                        struct hardware_family *family)
{
	struct machine machine;
	if (!hardware_get_machine(space, index, &machine))
		return;
	member->index = index;
	for (size_t i = 0; i < HARDWARE_N_HELPFUL; i++) {
		const struct machine_param *param = machine_find_param(helpful_key[i]);
		assert(param);
		member->value[i] = machine_get_param(&machine, param);
	}
	family->member = family->member ? family->member : member;
	family->n++;
}

/* How many machines each family has, at its first machine; then where its members begin. */
static void place_families(const struct space *space, size_t n_helpful, size_t n_machine, uint32_t *at)
{
	for (uint64_t i = 0; i < n_machine; i++)
		at[first_of_family(space, n_helpful, i)]++;
	for (size_t i = 0, n = 0; i < n_machine; i++) {
		size_t n_own = at[i];
		at[i] = (uint32_t)n;
		n += n_own;
	}
}

/* Members of a family stand side by side, machines by their index. */
enum err_code hardware_build_families(const struct space *space, const struct at_work_page *at_work, struct arena *arena,
                                      struct hardware_family **family, size_t *n_family, struct err *err)
{
	size_t n_machine = space_n_machine(space), n_helpful = count_helpful(space);
	uint32_t *at = arena_array(arena, n_machine + 1, sizeof(*at));
	struct hardware_member *member = arena_array(arena, n_machine, sizeof(*member));
	struct hardware_family *made = arena_array(arena, n_machine, sizeof(*made));
	*n_family = 0;
	*family = made;
	if (!at || !member || !made)
		return err_add(err, ERR_INTERNAL, "out of memory");
	place_families(space, n_helpful, n_machine, at);
	for (uint64_t i = 0; i < n_machine; i++) {
		uint64_t first = first_of_family(space, n_helpful, i);
		if (!at_work_is_out(at_work, i))
			add_machine(space, (uint32_t)i, &member[at[first] + made[first].n], &made[first]);
	}
	for (size_t i = 0; i < n_machine; i++) {
		if (made[i].n == 0)
			continue;
		qsort(made[i].member, made[i].n, sizeof(*member), compare_members);
		made[(*n_family)++] = made[i];
	}
	return ERR_OK;
}
