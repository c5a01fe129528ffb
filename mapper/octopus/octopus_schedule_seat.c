/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where weights stay: addresses in the workers' SRAM. Each worker of a layer has three blocks: its parts of the
 * filters as long as the model is loaded, its results until the last layer that reads them is done, and what it needs
 * while it runs.
 */
#include "mapper/octopus/octopus_memory.h"
#include "mapper/octopus/octopus_schedule_parts.h"
#include "sim/base/checked.h"
#include <assert.h>

struct octopus_need octopus_need_of(const struct planner *planner, uint32_t l, uint32_t end)
{
	const struct octopus_cut_choice *choice = &planner->chosen[l];
	const struct octopus_tensor *out = &planner->graph->tensor[planner->graph->layer[l].output];
	uint64_t all_byte = octopus_sram_byte(planner->context[l], &choice->work, &choice->plan);
	uint64_t resident_byte = octopus_resident_byte(&choice->work, &choice->plan);
	uint64_t part_byte = choice->work.kept_weight_byte * choice->work.n_d;
	struct octopus_need need = {.part_byte = align_up(part_byte, OCTOPUS_ALIGN_BYTE),
	                            .tile_byte = align_up(choice->work.out_byte, OCTOPUS_ALIGN_BYTE),
	                            .n_pe = choice->plan.n_worker,
	                            .last = out->n_consumer > 0 ? out->consumer[out->n_consumer - 1] : l};
	need.resident_byte = part_byte > 0 ? resident_byte / part_byte * need.part_byte : 0;
	need.result_byte = choice->plan.tiles_per_worker * need.tile_byte;
	need.passing_byte = align_up(all_byte - resident_byte - need.result_byte, OCTOPUS_ALIGN_BYTE);
	/* what later chips read is sent when the chip's last layer is done */
	need.last = need.last < end ? need.last : end - 1;
	return need;
}

enum { WEIGHTS, RESULTS, WORK, N_BLOCK };

/* The blocks of one worker of the chip; seat: whose they are. Returns how many. */
static size_t list_blocks(const struct planner *planner, const struct octopus_chip_cost *chip, uint32_t worker,
                          struct octopus_buffer *buffer, struct octopus_seat **seat)
{
	uint32_t end = chip->first + chip->n_layer;
	size_t n = 0;
	for (uint32_t l = chip->first; l < end; l++)
		for (uint32_t i = 0; i < planner->chosen[l].plan.n_worker; i++) {
			if (planner->seat[l][i].worker != worker)
				continue;
			const struct octopus_need need = octopus_need_of(planner, l, end);
			seat[n / N_BLOCK] = &planner->seat[l][i];
			buffer[n + WEIGHTS] = (struct octopus_buffer){need.resident_byte, chip->first, end - 1, 0};
			buffer[n + RESULTS] = (struct octopus_buffer){need.result_byte, l, need.last, 0};
			buffer[n + WORK] = (struct octopus_buffer){need.passing_byte, l, l, 0};
			n += N_BLOCK;
		}
	return n;
}

bool octopus_place_seats(struct planner *planner, const struct octopus_chip_cost *chip, bool *fit)
{
	struct arena scratch = {0};
	struct octopus_buffer *buffer =
	    arena_array(&scratch, (size_t)chip->n_layer * N_BLOCK, sizeof(*buffer)); /* a layer has a PE once */
	struct octopus_seat **seat = arena_array(&scratch, chip->n_layer, sizeof(*seat));
	bool good = buffer && seat;
	*fit = true;
	for (uint32_t p = 0; good && *fit && p < chip->n_worker; p++) {
		struct octopus_memory memory;
		size_t n = list_blocks(planner, chip, p, buffer, seat);
		if (n == 0)
			continue;
		good = octopus_memory_assign(buffer, n, planner->machine->pe_sram_byte, &memory);
		*fit = good && memory.verdict.reason == VERDICT_OK;
		for (size_t i = 0; *fit && i < n; i += N_BLOCK) {
			seat[i / N_BLOCK]->weight_at = buffer[i + WEIGHTS].address;
			seat[i / N_BLOCK]->result_at = buffer[i + RESULTS].address;
			seat[i / N_BLOCK]->work_at = buffer[i + WORK].address;
		}
	}
	arena_free(&scratch);
	return good;
}

void octopus_take_seats(struct planner *planner, uint32_t l, uint32_t end)
{
	struct octopus_layer *layer = &planner->graph->layer[l];
	struct octopus_tensor *out = &planner->graph->tensor[layer->output];
	out->in_sram = planner->seat && !out->is_output;
	layer->seat = NULL;
	if (!planner->seat)
		return;
	const struct octopus_need need = octopus_need_of(planner, l, end);
	layer->seat = planner->seat[l];
	layer->part_byte = need.part_byte;
	layer->result_byte = need.tile_byte;
	layer->work_byte = need.passing_byte;
}
