/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline of chips: each chip runs some layers that follow each other; the slowest chip decides the rate. */
#include "mapper/octopus/octopus_schedule_parts.h"
#include <assert.h>
#include "sim/base/real.h"
#include <float.h>

/* Tensors cross the link once, whatever reads them there; those for later chips are passed on. */
double octopus_link_us(const struct planner *planner, uint32_t first)
{
	const struct octopus_graph *graph = planner->graph;
	double us = 0;
	assert(first > 0 && first < graph->n_layer);
	for (uint32_t t = 0; t < graph->n_tensor; t++) {
		const struct octopus_tensor *tensor = &graph->tensor[t];
		bool made_before = tensor->producer == OCTOPUS_NONE || tensor->producer < first;
		/* what the host writes goes to the first chip, unless nobody reads it there */
		if (tensor->producer == OCTOPUS_NONE && (tensor->n_consumer == 0 || tensor->consumer[0] >= first))
			continue;
		if (made_before && tensor->n_consumer > 0 && tensor->consumer[tensor->n_consumer - 1] >= first)
			us += planner->machine->octopus.link_us +
			      (double)tensor->byte / (planner->machine->octopus.link_gb_s * 1e3);
	}
	return us;
}

/* Layers 0 to l - 1 on so many chips: the slowest chip, all of them together, and where the last one begins. */
struct chip_deal {
	double slowest_us, all_us;
	uint32_t begin;
};

static bool is_better(const struct chip_deal *a, const struct chip_deal *b)
{
	return a->slowest_us < b->slowest_us || (a->slowest_us == b->slowest_us && a->all_us < b->all_us);
}

/* What the dealing goes by, [n_layer + 1] each: us of the layers before, us of the link before a layer, and where a
 * chip that begins with a layer ends at most. */
struct dealing {
	uint32_t n_layer, n_chip;
	double *sum_us, *link_us;
	uint32_t *reach;
	struct chip_deal *deal; /* [n_chip + 1][n_layer + 1] by chips, and by layers that they have together */
};

/* Steps of a watch that asking whether layers fit amounts to. */
#define DEAL_STEPS 1024

static bool prepare_dealing(struct planner *planner, bool (*fits)(struct planner *planner, uint32_t first, uint32_t n),
                            struct dealing *dealing)
{
	uint32_t n = dealing->n_layer;
	dealing->deal = arena_array(&planner->arena, (size_t)(dealing->n_chip + 1) * (n + 1), sizeof(*dealing->deal));
	dealing->sum_us = arena_array(&planner->arena, n + 1, sizeof(*dealing->sum_us));
	dealing->link_us = arena_array(&planner->arena, n + 1, sizeof(*dealing->link_us));
	dealing->reach = arena_array(&planner->arena, n + 1, sizeof(*dealing->reach));
	if (!dealing->deal || !dealing->sum_us || !dealing->link_us || !dealing->reach)
		return false;
	for (uint32_t l = 0; l < n; l++) {
		dealing->sum_us[l + 1] = dealing->sum_us[l] + planner->chosen[l].time.total_us;
		dealing->link_us[l] = l > 0 ? octopus_link_us(planner, l) : 0;
	}
	if (dealing->n_chip == 1)
		dealing->reach[0] = !fits || fits(planner, 0, n) ? n : 0;
	for (uint32_t l = 0, end = 0; dealing->n_chip > 1 && l < n; l++) {
		end = end < l ? l : end;
		while (end < n && !stop_after(&planner->watch, DEAL_STEPS) && (!fits || fits(planner, l, end + 1 - l)))
			end++;
		dealing->reach[l] = end;
	}
	return true;
}

static struct chip_deal *deal_of(const struct dealing *dealing, uint32_t chip, uint32_t layer)
{
	return &dealing->deal[(size_t)chip * (dealing->n_layer + 1) + layer];
}

/* The best way to deal the first layers to each number of chips. false: the watch's time has come. */
static bool deal_layers(const struct dealing *dealing, struct stop_watch *watch)
{
	uint32_t n = dealing->n_layer;
	for (uint32_t c = 0; c <= dealing->n_chip; c++)
		for (uint32_t l = 0; l <= n; l++)
			*deal_of(dealing, c, l) = (struct chip_deal){c == 0 && l == 0 ? 0 : DBL_MAX, 0, 0};
	for (uint32_t c = 1; c <= dealing->n_chip; c++)
		for (uint32_t l = 0; l < n; l++) {
			const struct chip_deal *before = deal_of(dealing, c - 1, l);
			if (stop_after(watch, n))
				return false;
			for (uint32_t end = l + 1; end <= dealing->reach[l] && before->slowest_us < DBL_MAX; end++) {
				double us = dealing->sum_us[end] - dealing->sum_us[l] + dealing->link_us[l];
				const struct chip_deal next = {real_max(before->slowest_us, us), before->all_us + us,
				                               l};
				if (is_better(&next, deal_of(dealing, c, end)))
					*deal_of(dealing, c, end) = next;
			}
		}
	return true;
}

bool octopus_deal_chips(struct planner *planner, bool (*fits)(struct planner *planner, uint32_t first, uint32_t n))
{
	uint32_t n = planner->graph->n_layer, most = planner->options->n_chip > 0 ? planner->options->n_chip : 1;
	struct dealing dealing = {.n_layer = n, .n_chip = most < n ? most : n};
	uint32_t best = 1;
	if (!prepare_dealing(planner, fits, &dealing) || !deal_layers(&dealing, &planner->watch))
		return false;
	for (uint32_t c = 2; c <= dealing.n_chip; c++)
		if (is_better(deal_of(&dealing, c, n), deal_of(&dealing, best, n)))
			best = c;
	if (deal_of(&dealing, best, n)->slowest_us == DBL_MAX)
		return false;
	planner->schedule->n_chip = best;
	for (uint32_t c = best, end = n; c > 0; c--) {
		uint32_t begin = deal_of(&dealing, c, end)->begin;
		planner->schedule->chip[c - 1] = (struct octopus_chip_cost){.first = begin, .n_layer = end - begin};
		end = begin;
	}
	return true;
}
