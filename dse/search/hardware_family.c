/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Families of machine candidates: those that differ in nothing but parameters of
 * which more is never worse: SRAM or buffers, NoC clock, DRAM clock, memory
 * bandwidth. These decide neither splits nor counts. What runs on less SRAM runs
 * on more, and the share that is used is less. The closed form has queues and
 * transfers on a mesh that a slower clock may happen to serve better, so outlooks
 * are made of bounds that leave these out (fast_run_least_slower); nor does a clock
 * serve where tasks meet the NoC's clock better at a slower one. Larger buffers of a systolic
 * array keep no less, and what they keep is not loaded again; but of two orders of
 * tiles the one with fewer words may take longer, so its bounds are of both. There
 * are no families where the thesis' rules choose splits: they look at the SRAM. Nor does SRAM make any where it costs
 * energy (a machine's technology) and energy or power counts: more of it is then worse in that.
 */
#include "dse/search/hardware_parts.h"
#include "dse/space/space_goals.h"
#include "dse/space/space_machine.h"
#include "sim/program/mixed.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The more of it the better: parameters whose bounds the family of a machine shares, those of timing last. */
static const char *const helpful_key[] = {"pe.sram_byte",         "noc.clk_mhz",         "dram.clk_mhz",
                                          "systolic.memory_gb_s", "systolic.ifmap_byte", "systolic.filter_byte",
                                          "systolic.ofmap_byte"};
#define N_UNTIMED 1
#define HELPFUL_NOC 1
_Static_assert(sizeof(helpful_key) / sizeof(helpful_key[0]) == HARDWARE_N_HELPFUL, "a value each");

static bool is_clock(const char *key)
{
	return strcmp(key, "noc.clk_mhz") == 0 || strcmp(key, "dram.clk_mhz") == 0;
}

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

/*
 * How many of the helpful parameters make families in a space. Where fetches fill the time that steps leave, where
 * sleep is taken off energies, or where a layer's rounds are divided between two operating points, rounding may make a
 * bound at a slower clock less by a trace.
 */
static size_t count_helpful(const struct space *space)
{
	bool is_timed = space->deadline_ms > 0 || space->level_shares > 0 || space_fetches_ahead(space);
	for (size_t i = 0; i < space->n_machine; i++)
		is_timed |= mixed_has_pairs(&space->machine[i]);
	return uses_thesis_split(space) || uses_scalesim(space) ? 0 : is_timed ? N_UNTIMED : HARDWARE_N_HELPFUL;
}

bool hardware_shares_clocks(const struct space *space)
{
	bool shares = false;
	for (size_t i = 0; i < space->n_axis && count_helpful(space) > N_UNTIMED; i++)
		shares |= space->axis[i].n > 1 && is_clock(space->axis[i].param->key);
	return shares;
}

/*
 * Whether machines that differ in SRAM are of different families: where it costs energy; and where it is an objective
 * and clocks make families: then each size may have machines on the front, whose designs show what lies behind, so that
 * none waits for the proofs of another size.
 */
static bool parts_by_sram(const struct space *space, size_t n_helpful)
{
	return space_sram_costs(space) ||
	       (n_helpful > N_UNTIMED && hardware_shares_clocks(space) && space_has_objective(space, METRIC_SRAM));
}

/* The machine of the family with the first values of its helpful axes. */
static uint64_t first_of_family(const struct space *space, size_t n_helpful, bool by_sram, uint64_t index)
{
	uint64_t stride = 1, first = index;
	for (size_t i = space->n_axis; i-- > 0; stride *= space->axis[i].n) {
		bool is_helpful = false;
		for (size_t k = by_sram ? N_UNTIMED : 0; k < n_helpful; k++)
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

/* n: none of them. */
static uint32_t find_clock(const double *clk_mhz, uint32_t n, double wanted_mhz)
{
	uint32_t i = 0;
	while (i < n && (clk_mhz[i] < wanted_mhz || clk_mhz[i] > wanted_mhz))
		i++;
	return i;
}

static bool serves_noc(const struct hardware_family *family, double one_mhz, double other_mhz)
{
	uint32_t one = find_clock(family->noc_clk_mhz, family->n_noc, one_mhz);
	uint32_t other = find_clock(family->noc_clk_mhz, family->n_noc, other_mhz);
	if (!(one_mhz < other_mhz) && !(one_mhz > other_mhz))
		return true;
	return one < family->n_noc && other < family->n_noc &&
	       family->kernels_serve[(size_t)one * family->n_noc + other];
}

bool hardware_same_clocks(const struct hardware_member *one, const struct hardware_member *other)
{
	for (size_t i = 0; i < HARDWARE_N_HELPFUL; i++)
		if (is_clock(helpful_key[i]) && (other->value[i] < one->value[i] || other->value[i] > one->value[i]))
			return false;
	return true;
}

bool hardware_serves(const struct hardware_family *family, const struct hardware_member *one,
                     const struct hardware_member *other)
{
	if (!serves_noc(family, one->value[HELPFUL_NOC], other->value[HELPFUL_NOC]))
		return false;
	if (family->is_own && !hardware_same_clocks(one, other))
		return false;
	for (size_t i = 0; i < HARDWARE_N_HELPFUL; i++)
		if (other->value[i] > one->value[i])
			return false;
	return true;
}

/* The values of the helpful parameters, which are looked up once. */
struct helpful {
	const struct machine_param *param[HARDWARE_N_HELPFUL];
};

static struct helpful find_helpful(void)
{
	struct helpful helpful;
	for (size_t i = 0; i < HARDWARE_N_HELPFUL; i++) {
		helpful.param[i] = machine_find_param(helpful_key[i]);
		assert(helpful.param[i]);
	}
	return helpful;
}

static void add_machine(const struct space *space, const struct helpful *helpful, uint32_t index,
                        struct hardware_member *member, struct hardware_family *family)
{
	struct machine machine;
	if (!hardware_get_machine(space, index, &machine))
		return;
	*member = (struct hardware_member){.index = index};
	for (size_t i = 0; i < HARDWARE_N_HELPFUL; i++)
		member->value[i] = machine_get_param(&machine, helpful->param[i]);
	family->member = family->member ? family->member : member;
	family->n++;
}

/* How many machines each family has, at its first machine; then where its members begin. */
static void place_families(const struct space *space, size_t n_helpful, size_t n_machine, uint32_t *at)
{
	bool by_sram = parts_by_sram(space, n_helpful);
	for (uint64_t i = 0; i < n_machine; i++)
		at[first_of_family(space, n_helpful, by_sram, i)]++;
	for (size_t i = 0, n = 0; i < n_machine; i++) {
		size_t n_own = at[i];
		at[i] = (uint32_t)n;
		n += n_own;
	}
}

/* ---- kernels ---------------------------------------------------------------------------------------- */

/* Whether a block has tasks that none before it has but for their sizes. */
static bool has_own_kernel(const struct network *network, size_t at)
{
	const struct block *own = &network->block[at];
	for (size_t i = 0; i < at; i++) {
		const struct block *other = &network->block[i];
		if (other->kind == own->kind && other->kernel_w == own->kernel_w && other->kernel_h == own->kernel_h &&
		    other->dilation == own->dilation && block_has_forms(other) == block_has_forms(own) &&
		    block_skips_pixels(other) == block_skips_pixels(own))
			return false;
	}
	return own->kind != BLOCK_POOL;
}

/* NoC clocks of a family that are compared; of more none serves another one. */
#define MAX_NOC 1024

/* A machine with each NoC clock, its tasks of one layer, and whether those at the first clock of a pair serve. */
struct kernels {
	uint32_t n;
	const double *clk_mhz;
	struct machine *machine;
	struct layer_context *context;
	bool *serves; /* [n][n] */
};

/*
 * Whether tasks of a layer take no longer at one clock than at a slower one; as matrix multiplications, too, which is a
 * form that has the kernels of all others. They are prepared once for each clock. false: a stop is asked for.
 */
static bool compare_tasks(const struct block *block, uint32_t operand_bit, const struct stop *stop,
                          struct kernels *kernels)
{
	for (uint32_t i = 0; i < kernels->n; i++)
		mapper_prepare_form(block, &kernels->machine[i], operand_bit, FORM_MATMUL, &kernels->context[i]);
	for (uint32_t i = 0; i < kernels->n; i++) {
		for (uint32_t k = 0; k < kernels->n; k++) {
			bool *serves = &kernels->serves[(size_t)i * kernels->n + k];
			if (*serves && i != k)
				*serves = mapper_kernels_serve(&kernels->context[i], &kernels->context[k]);
		}
		if (stop_requested(stop))
			return false;
	}
	return true;
}

/* Of all the space's layers, with operands of both widths; what a slower clock serves is not asked. */
static bool compare_layers(const struct space *space, const struct stop *stop, struct kernels *kernels)
{
	for (uint32_t i = 0; i < kernels->n; i++)
		for (uint32_t k = 0; k < kernels->n; k++)
			kernels->serves[(size_t)i * kernels->n + k] =
			    i == k || kernels->clk_mhz[i] > kernels->clk_mhz[k];
	for (size_t i = 0; i < space->n_network; i++) {
		const struct network *network = &space->network[i].network;
		for (size_t k = 0; k < network->n_block; k++)
			for (uint32_t bit = 8; bit <= 16 && has_own_kernel(network, k); bit += 8)
				if (!compare_tasks(&network->block[k], bit, stop, kernels))
					return false;
	}
	return true;
}

/* The different NoC clocks of a family's members, a machine with each; false: there are more than MAX_NOC. */
static bool list_clocks(const struct space *space, const struct hardware_family *family, double *clk_mhz,
                        struct machine *machine, uint32_t *n)
{
	*n = 0;
	for (size_t i = 0; i < family->n; i++) {
		double mhz = family->member[i].value[HELPFUL_NOC];
		if (find_clock(clk_mhz, *n, mhz) < *n)
			continue;
		if (*n == MAX_NOC)
			return false;
		if (hardware_get_machine(space, family->member[i].index, &machine[*n]))
			clk_mhz[(*n)++] = mhz;
	}
	return true;
}

/* Which of a family's NoC clocks serve which. */
static bool compare_kernels(const struct space *space, const struct stop *stop, struct arena *arena,
                            struct hardware_family *family)
{
	size_t n_most = family->n < MAX_NOC ? family->n : MAX_NOC;
	double *clk_mhz = arena_array(arena, n_most, sizeof(*clk_mhz));
	struct kernels kernels = {.clk_mhz = clk_mhz};
	kernels.machine = calloc(n_most, sizeof(*kernels.machine));
	bool has_memory = clk_mhz && kernels.machine;
	if (has_memory && list_clocks(space, family, clk_mhz, kernels.machine, &kernels.n) && kernels.n > 1) {
		kernels.context = calloc(kernels.n, sizeof(*kernels.context));
		kernels.serves = arena_array(arena, (size_t)kernels.n * kernels.n, sizeof(*kernels.serves));
		has_memory = kernels.context && kernels.serves;
		if (has_memory && compare_layers(space, stop, &kernels)) {
			family->n_noc = kernels.n;
			family->noc_clk_mhz = clk_mhz;
			family->kernels_serve = kernels.serves;
		}
	}
	free(kernels.context);
	free(kernels.machine);
	return has_memory;
}

/* Families that differ in SRAM alone; few of each kin. */
static void find_kin(const struct space *space, size_t n_helpful, struct hardware_family *family, size_t n)
{
	bool is_apart = space_sram_costs(space);
	for (size_t i = 0; i < n; i++)
		family[i].kin = first_of_family(space, n_helpful, is_apart, family[i].member[0].index);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n && !is_apart; k++) {
			const struct hardware_family *other = &family[k], *best = family[i].larger;
			double byte = other->member[0].value[0];
			if (other->kin == family[i].kin && byte > family[i].member[0].value[0] &&
			    (!best || byte < best->member[0].value[0]))
				family[i].larger = other;
		}
}

/* Members of a family stand side by side, machines by their index. */
enum err_code hardware_build_families(const struct hardware_options *options, struct arena *arena,
                                      struct hardware_family **family, size_t *n_family, struct err *err)
{
	const struct space *space = options->space;
	size_t n_machine = space_n_machine(space), n_helpful = count_helpful(space);
	const struct helpful helpful = find_helpful();
	uint32_t *at = arena_array(arena, n_machine + 1, sizeof(*at));
	struct hardware_member *member = arena_array(arena, n_machine, sizeof(*member));
	struct hardware_family *made = arena_array(arena, n_machine, sizeof(*made));
	*n_family = 0;
	*family = made;
	if (!at || !member || !made)
		return err_add(err, ERR_INTERNAL, "out of memory");
	place_families(space, n_helpful, n_machine, at);
	for (uint64_t i = 0; i < n_machine; i++) {
		uint64_t first = first_of_family(space, n_helpful, parts_by_sram(space, n_helpful), i);
		if (!at_work_is_out(options->at_work, i))
			add_machine(space, &helpful, (uint32_t)i, &member[at[first] + made[first].n], &made[first]);
	}
	for (size_t i = 0; i < n_machine; i++) {
		if (made[i].n == 0)
			continue;
		qsort(made[i].member, made[i].n, sizeof(*member), compare_members);
		if (!compare_kernels(space, options->map->stop, arena, &made[i]))
			return err_add(err, ERR_INTERNAL, "out of memory");
		made[(*n_family)++] = made[i];
	}
	find_kin(space, n_helpful, made, *n_family);
	return ERR_OK;
}
