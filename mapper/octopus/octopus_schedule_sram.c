/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SRAM-only execution: weights stay on the PEs that use them, results on those
 * that compute them until the last layer that reads them is done. Which PEs a
 * layer has is bin packing: layers with the most weights a worker first, each on
 * the PEs that are least full. Cuts that need less memory are tried as well: a byte
 * of SRAM costs time in the search, more and more. The best of all is taken.
 */
#include "mapper/octopus/octopus_schedule_parts.h"
#include <assert.h>
#include "sim/base/checked.h"
#include "sim/base/real.h"
#include <float.h>
#include <string.h>

/* us that a byte of SRAM costs the search: from nothing to a layer's run time for a few KiB. */
static const double byte_us[] = {0, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2};
#define N_BYTE_US (sizeof(byte_us) / sizeof(byte_us[0]))

struct packing {
	uint32_t n_pe;
	uint64_t room_byte;
	uint64_t *resident_byte; /* [n_pe] */
	uint64_t *peak_byte;     /* [n_pe] besides, at the fullest layer */
	uint64_t *live_byte;     /* [n_pe][n_layer] results, and what the running layer needs */
	bool *taken;             /* [n_pe] by the layer at hand */
	uint32_t *order;         /* [n_layer] */
	uint32_t n_used;
};

/* How full a PE would be with this layer too. */
static uint64_t load_with(const struct packing *packing, const struct octopus_need *need, uint32_t p, uint32_t at,
                          uint32_t n_layer)
{
	const uint64_t *live = &packing->live_byte[(size_t)p * n_layer];
	uint64_t peak = packing->peak_byte[p];
	for (uint32_t t = at; t <= need->last; t++) {
		uint64_t now = live[t] + need->result_byte + (t == at ? need->passing_byte : 0);
		peak = now > peak ? now : peak;
	}
	return packing->resident_byte[p] + need->resident_byte + peak;
}

static void place(struct packing *packing, const struct octopus_need *need, uint32_t p, uint32_t at, uint32_t n_layer)
{
	uint64_t *live = &packing->live_byte[(size_t)p * n_layer];
	packing->n_used = p + 1 > packing->n_used ? p + 1 : packing->n_used;
	packing->resident_byte[p] += need->resident_byte;
	for (uint32_t t = at; t <= need->last; t++) {
		live[t] += need->result_byte + (t == at ? need->passing_byte : 0);
		if (live[t] > packing->peak_byte[p])
			packing->peak_byte[p] = live[t];
	}
}

/* Find the layer's PEs: the least full, the first among equals. */
static bool place_layer(struct packing *packing, const struct octopus_need *need, uint32_t l, uint32_t n_layer,
                        struct octopus_seat *seat)
{
	memset(packing->taken, 0, packing->n_pe * sizeof(*packing->taken));
	for (uint32_t i = 0; i < need->n_pe; i++) {
		uint32_t best = OCTOPUS_NONE;
		uint64_t best_byte = packing->room_byte;
		for (uint32_t p = 0; p < packing->n_pe; p++) {
			if (packing->taken[p])
				continue;
			uint64_t byte = load_with(packing, need, p, l, n_layer);
			if (byte < best_byte || (byte == best_byte && best == OCTOPUS_NONE)) {
				best = p;
				best_byte = byte;
			}
		}
		if (best == OCTOPUS_NONE)
			return false;
		packing->taken[best] = true;
		seat[i].worker = best;
		place(packing, need, best, l, n_layer);
	}
	return true;
}

static bool allocate_packing(struct packing *packing, struct arena *arena, uint32_t n_layer)
{
	packing->resident_byte = arena_array(arena, packing->n_pe, sizeof(*packing->resident_byte));
	packing->peak_byte = arena_array(arena, packing->n_pe, sizeof(*packing->peak_byte));
	packing->live_byte = arena_array(arena, (size_t)packing->n_pe * n_layer, sizeof(*packing->live_byte));
	packing->taken = arena_array(arena, packing->n_pe, sizeof(*packing->taken));
	packing->order = arena_array(arena, n_layer, sizeof(*packing->order));
	return packing->resident_byte && packing->peak_byte && packing->live_byte && packing->taken && packing->order;
}

/* Layers by what stays of them on a PE, the most first. */
static void sort_layers(const struct planner *planner, uint32_t first, uint32_t n, uint32_t *order)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct octopus_cut_choice *choice = &planner->chosen[first + i];
		uint64_t byte = octopus_resident_byte(&choice->work, &choice->plan);
		uint32_t at = i;
		while (at > 0) {
			const struct octopus_cut_choice *other = &planner->chosen[order[at - 1]];
			if (octopus_resident_byte(&other->work, &other->plan) >= byte)
				break;
			order[at] = order[at - 1];
			at--;
		}
		order[at] = first + i;
	}
}

/* Find PEs, of so many, for layers of one chip; chip (NULL: not wanted) gets what they take. */
static bool pack_on(struct planner *planner, uint32_t first, uint32_t n, uint32_t n_pe, struct octopus_chip_cost *chip)
{
	struct arena scratch = {0};
	struct packing packing = {.n_pe = n_pe, .room_byte = planner->machine->pe_sram_byte};
	uint32_t n_layer = planner->graph->n_layer;
	bool good = allocate_packing(&packing, &scratch, n_layer);
	if (good)
		sort_layers(planner, first, n, packing.order);
	for (uint32_t i = 0; good && i < n; i++) {
		const struct octopus_need need = octopus_need_of(planner, packing.order[i], first + n);
		good = place_layer(&packing, &need, packing.order[i], n_layer, planner->seat[packing.order[i]]);
	}
	if (good && chip) {
		chip->n_worker = packing.n_used;
		chip->sram_byte = 0;
		for (uint32_t p = 0; p < packing.n_pe; p++)
			if (packing.resident_byte[p] + packing.peak_byte[p] > chip->sram_byte)
				chip->sram_byte = packing.resident_byte[p] + packing.peak_byte[p];
	}
	arena_free(&scratch);
	return good;
}

static bool fits(struct planner *planner, uint32_t first, uint32_t n)
{
	return pack_on(planner, first, n, planner->n_worker, NULL);
}

/* Each PE costs setup and cleanup: from as many as the widest layer has on, a few more until all find room. */
static void pack(struct planner *planner, struct octopus_chip_cost *chip)
{
	uint32_t n_pe = 1;
	for (uint32_t l = chip->first; l < chip->first + chip->n_layer; l++)
		if (planner->chosen[l].plan.n_worker > n_pe)
			n_pe = planner->chosen[l].plan.n_worker;
	while (!pack_on(planner, chip->first, chip->n_layer, n_pe, chip) && n_pe < planner->n_worker) {
		n_pe += n_pe / 8 + 1;
		n_pe = n_pe < planner->n_worker ? n_pe : planner->n_worker;
	}
}

/* Whether a layer reads what the host wrote to DRAM. */
static bool reads_dram(const struct planner *planner, uint32_t l)
{
	const struct octopus_layer *layer = &planner->graph->layer[l];
	for (uint32_t i = 0; i < layer->n_input; i++)
		if (planner->graph->tensor[layer->input[i].tensor].producer == OCTOPUS_NONE)
			return true;
	return false;
}

/* PEs that layer l's ifmap lies on: of several producers those of the one with the fewest. */
static uint32_t n_source_of(const struct planner *planner, uint32_t l)
{
	const struct octopus_layer *layer = &planner->graph->layer[l];
	uint32_t least = OCTOPUS_NONE;
	assert(!reads_dram(planner, l));
	for (uint32_t i = 0; i < layer->n_input; i++) {
		uint32_t producer = planner->graph->tensor[layer->input[i].tensor].producer;
		if (planner->chosen[producer].plan.n_worker < least)
			least = planner->chosen[producer].plan.n_worker;
	}
	return least;
}

/* The cheapest choice of at most so many workers; NULL: there is none. */
static const struct octopus_cut_choice *cheapest(const struct octopus_cut_choice *choice, uint32_t n_worker)
{
	const struct octopus_cut_choice *best = NULL;
	for (uint32_t w = 0; w < n_worker; w++)
		if (choice[w].exists && (!best || choice[w].cost < best->cost))
			best = &choice[w];
	return best;
}

/* A product's columns and a group's filters are not cut further, and their weights lie on one PE. */
static enum err_code say_too_heavy(struct planner *planner, uint32_t l)
{
	return err_add(planner->err, ERR_INFEASIBLE,
	               "%s: no tile of it stays with its weights, input and result in a worker's SRAM of %u bytes "
	               "(pe.sram_byte); strategies dram and hide need not keep them",
	               planner->graph->layer[l].name, planner->machine->pe_sram_byte);
}

/* Lists of choices of all layers, by number of workers; equal layers share them. */
static enum err_code search_layers(struct planner *planner, double cost_us, struct octopus_cut_choice **list)
{
	const struct octopus_query query = {planner->options->goal, false, planner->n_worker, cost_us};
	for (uint32_t l = 0; l < planner->graph->n_layer; l++) {
		struct octopus_context *context = planner->context[l];
		uint32_t same = 0;
		while (planner->context[same] != context)
			same++;
		if (same == l) {
			if (!octopus_search_layer(context, &query, list[l]))
				return octopus_say_stopped(planner);
		} else {
			list[l] = list[same];
		}
		if (!cheapest(list[l], planner->n_worker))
			return say_too_heavy(planner, l);
	}
	return ERR_OK;
}

/* Take the cheapest choices of at most so many workers, priced by where their ifmaps lie. */
static bool take_choices(struct planner *planner, struct octopus_cut_choice **list, uint32_t n_worker)
{
	const struct octopus_query query = {planner->options->goal, false, n_worker, 0};
	for (uint32_t l = 0; l < planner->graph->n_layer; l++) {
		const struct octopus_cut_choice *choice = cheapest(list[l], n_worker);
		uint32_t n_source = planner->context[l]->n_source;
		if (!choice)
			return false;
		if (n_source > 0)
			planner->context[l]->n_source = n_source_of(planner, l);
		octopus_evaluate_cut(planner->context[l], &query, &choice->split, &choice->plan, &planner->chosen[l]);
		planner->context[l]->n_source = n_source;
	}
	return true;
}

/* us of the chosen layers: of all of them on one chip, of the slowest of several; with the enabling of workers. */
static double score(struct planner *planner)
{
	struct octopus_schedule *schedule = planner->schedule;
	double all_us = 0, slowest_us = 0, enable_us = 0;
	for (uint32_t c = 0; c < schedule->n_chip; c++) {
		struct octopus_chip_cost *chip = &schedule->chip[c];
		double us = c > 0 ? octopus_link_us(planner, chip->first) : 0;
		pack(planner, chip);
		for (uint32_t l = chip->first; l < chip->first + chip->n_layer; l++)
			us += planner->chosen[l].time.total_us;
		all_us += us;
		slowest_us = real_max(slowest_us, us);
		enable_us = real_max(enable_us, octopus_setup_us(planner->machine, chip->n_worker) +
		                                    octopus_cleanup_us(planner->machine, chip->n_worker));
	}
	return (schedule->n_chip > 1 ? slowest_us : all_us) + enable_us;
}

/* The best of what was found so far. */
struct best {
	double score_us;
	struct octopus_cut_choice *chosen; /* [n_layer] */
	struct octopus_chip_cost *chip;    /* [n_chip] */
	uint32_t n_chip;
};

/* Addresses for every chip; *fit false: what a PE has room for in sum has no addresses on one. */
static bool place_chips(struct planner *planner, bool *fit)
{
	bool good = true;
	*fit = true;
	for (uint32_t c = 0; good && *fit && c < planner->schedule->n_chip; c++)
		good = octopus_place_seats(planner, &planner->schedule->chip[c], fit);
	return good;
}

/* false: out of memory. */
static bool keep_if_better(struct planner *planner, struct best *best)
{
	double us = score(planner);
	bool fit;
	if (us >= best->score_us)
		return true;
	if (!place_chips(planner, &fit))
		return false;
	if (!fit)
		return true;
	best->score_us = us;
	best->n_chip = planner->schedule->n_chip;
	memcpy(best->chosen, planner->chosen, planner->graph->n_layer * sizeof(*best->chosen));
	memcpy(best->chip, planner->schedule->chip, best->n_chip * sizeof(*best->chip));
	return true;
}

/* Take the best again: packed and placed as before. */
static bool take_best(struct planner *planner, const struct best *best)
{
	bool fit;
	memcpy(planner->chosen, best->chosen, planner->graph->n_layer * sizeof(*best->chosen));
	memcpy(planner->schedule->chip, best->chip, best->n_chip * sizeof(*best->chip));
	planner->schedule->n_chip = best->n_chip;
	(void)score(planner);
	if (!place_chips(planner, &fit))
		return false;
	assert(fit);
	return true;
}

static enum err_code say_no_room(struct planner *planner)
{
	uint64_t byte = 0;
	uint32_t n_chip = planner->options->n_chip > 0 ? planner->options->n_chip : 1;
	for (uint32_t l = 0; l < planner->graph->n_layer; l++)
		byte += planner->graph->layer[l].weight_byte + planner->graph->layer[l].bias_byte;
	return err_add(
	    planner->err, ERR_INFEASIBLE,
	    "the model does not stay in SRAM: its weights are %llu bytes, %u chip%s of %u workers %s %llu for "
	    "weights, inputs and results together; --chips takes more chips",
	    (unsigned long long)byte, n_chip, n_chip > 1 ? "s" : "", planner->n_worker, n_chip > 1 ? "have" : "has",
	    (unsigned long long)n_chip * planner->n_worker * planner->machine->pe_sram_byte);
}

/* Contexts for weights and results that stay; of equal layers one only where their ifmaps and results lie alike. */
static bool make_resident(struct planner *planner)
{
	const struct octopus_graph *graph = planner->graph;
	for (uint32_t l = 0; l < graph->n_layer; l++) {
		bool to_dram = graph->tensor[graph->layer[l].output].is_output;
		uint32_t n_source = reads_dram(planner, l) ? 0 : planner->n_worker;
		const struct block *block = planner->context[l]->block;
		struct octopus_context *own = NULL;
		for (uint32_t i = 0; i < l && !own; i++)
			if (planner->context[i]->resident && block_same(planner->context[i]->block, block) &&
			    planner->context[i]->to_dram == to_dram && planner->context[i]->n_source == n_source)
				own = planner->context[i];
		if (!own) {
			own = arena_array(&planner->arena, 1, sizeof(*own));
			if (!own)
				return false;
			octopus_prepare(planner->machine, planner->options->level, block, own);
			own->resident = true;
			own->to_dram = to_dram;
			own->n_source = n_source;
		}
		planner->context[l] = own;
	}
	return true;
}

static bool make_seats(struct planner *planner)
{
	uint32_t n_layer = planner->graph->n_layer;
	planner->seat = arena_array(&planner->arena, n_layer, sizeof(*planner->seat));
	for (uint32_t l = 0; planner->seat && l < n_layer; l++) {
		planner->seat[l] = arena_array(&planner->graph->arena, planner->n_worker, sizeof(**planner->seat));
		if (!planner->seat[l])
			return false;
	}
	return planner->seat != NULL;
}

enum err_code octopus_choose_resident(struct planner *planner)
{
	uint32_t n_layer = planner->graph->n_layer,
		 n_chip = planner->options->n_chip > 0 ? planner->options->n_chip : 1;
	struct octopus_cut_choice **list = arena_array(&planner->arena, n_layer, sizeof(*list));
	struct best best = {DBL_MAX, arena_array(&planner->arena, n_layer, sizeof(*best.chosen)),
	                    arena_array(&planner->arena, n_chip, sizeof(*best.chip)), 0};
	if (!list || !best.chosen || !best.chip || !make_resident(planner) || !make_seats(planner))
		return octopus_no_memory(planner);
	for (uint32_t l = 0; l < n_layer; l++) {
		list[l] = arena_array(&planner->arena, planner->n_worker, sizeof(*list[l]));
		if (!list[l])
			return octopus_no_memory(planner);
	}
	for (size_t i = 0; i < N_BYTE_US; i++) {
		enum err_code code = search_layers(planner, byte_us[i], list);
		if (code != ERR_OK)
			return code;
		/* fewer workers take longer for layers and less for setup and cleanup */
		for (uint32_t w = planner->n_worker; w > 0 && !stop_look(&planner->watch); w /= 2)
			if (take_choices(planner, list, w) && octopus_deal_chips(planner, fits) &&
			    !keep_if_better(planner, &best))
				return octopus_no_memory(planner);
	}
	if (stop_look(&planner->watch))
		return octopus_say_stopped(planner);
	if (best.score_us == DBL_MAX)
		return say_no_room(planner);
	return take_best(planner, &best) ? ERR_OK : octopus_no_memory(planner);
}
