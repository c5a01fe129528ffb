/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline of chips: layers in turn, each chip some of them. */
#include "mapper/octopus_schedule_parts.h"
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
			us += planner->machine->octopus_link_us +
			      (double)tensor->byte / (planner->machine->octopus_link_gb_s * 1e3);
	}
	return us;
}

/* Layers 0 to l - 1 on so many chips: the slowest chip, all of them together, and where the last one begins. */
struct deal {
	double slowest_us, all_us;
	uint32_t begin;
};

static bool is_better(const struct deal *a, const struct deal *b)
{
	return a->slowest_us < b->slowest_us || (a->slowest_us == b->slowest_us && a->all_us < b->all_us);
}

bool octopus_deal_chips(struct planner *planner, bool (*fits)(struct planner *planner, uint32_t first, uint32_t n))
{
	uint32_t n = planner->graph->n_layer, most = planner->options->n_chip > 0 ? planner->options->n_chip : 1;

	most = most < n ? most : n;
	struct deal *deal = arena_array(&planner->arena, (size_t)(most + 1) * (n + 1), sizeof *deal);
	double *sum_us = arena_array(&planner->arena, n + 1, sizeof *sum_us);
	double *link_us = arena_array(&planner->arena, n + 1, sizeof *link_us);
	uint32_t *reach = arena_array(&planner->arena, n + 1, sizeof *reach); /* where a chip from here ends at most */

	if (!deal || !sum_us || !link_us || !reach)
		return false;
	for (uint32_t l = 0; l < n; l++) {
		sum_us[l + 1] = sum_us[l] + planner->chosen[l].time.total_us;
		link_us[l] = l > 0 ? octopus_link_us(planner, l) : 0;
	}
	if (most == 1)
		reach[0] = !fits || fits(planner, 0, n) ? n : 0;
	for (uint32_t l = 0, end = 0; most > 1 && l < n; l++) {
		end = end < l ? l : end;
		while (end < n && (!fits || fits(planner, l, end + 1 - l)))
			end++;
		reach[l] = end;
	}
	for (uint32_t c = 0; c <= most; c++)
		for (uint32_t l = 0; l <= n; l++)
			deal[c * (n + 1) + l] = (struct deal){c == 0 && l == 0 ? 0 : DBL_MAX, 0, 0};
	for (uint32_t c = 1; c <= most; c++)
		for (uint32_t l = 0; l < n; l++) {
			const struct deal *before = &deal[(c - 1) * (n + 1) + l];

			for (uint32_t end = l + 1; end <= reach[l] && before->slowest_us < DBL_MAX; end++) {
				double us = sum_us[end] - sum_us[l] + link_us[l];
				const struct deal next = {real_max(before->slowest_us, us), before->all_us + us, l};

				if (is_better(&next, &deal[c * (n + 1) + end]))
					deal[c * (n + 1) + end] = next;
			}
		}
	uint32_t best = 1;

	for (uint32_t c = 2; c <= most; c++)
		if (is_better(&deal[c * (n + 1) + n], &deal[best * (n + 1) + n]))
			best = c;
	if (deal[best * (n + 1) + n].slowest_us == DBL_MAX)
		return false;
	planner->schedule->n_chip = best;
	for (uint32_t c = best, end = n; c > 0; c--) {
		uint32_t begin = deal[c * (n + 1) + end].begin;

		planner->schedule->chip[c - 1] = (struct octopus_chip_cost){.first = begin, .n_layer = end - begin};
		end = begin;
	}
	return true;
}
