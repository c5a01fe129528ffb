/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_OCTOPUS_SCHEDULE_PARTS_H
#define MAPPER_OCTOPUS_SCHEDULE_PARTS_H
/* Inside octopus_plan: octopus_schedule.c chooses cuts, octopus_schedule_sram.c finds PEs that hold a model,
 * octopus_schedule_chips.c deals layers to chips. */
#include "mapper/octopus/octopus_schedule.h"
#include "sim/base/stop.h"

/* While a schedule is made. */
struct planner {
	const struct machine *machine;
	struct octopus_graph *graph;
	const struct octopus_options *options;
	struct octopus_schedule *schedule;
	uint32_t n_worker;                 /* of a layer at most */
	struct octopus_context **context;  /* [n_layer], of equal blocks one */
	struct octopus_cut_choice *chosen; /* [n_layer] */
	struct octopus_seat **seat; /* [n_layer][n_worker]: where weights stay; of the graph's arena; else NULL */
	struct arena arena;         /* scratch */
	struct stop_watch watch;    /* a signal; who finds that it has come breaks off */
	struct err *err;
};

/* The error of no memory. */
enum err_code octopus_no_memory(struct planner *planner);

/* The error of a signal. */
enum err_code octopus_say_stopped(struct planner *planner);

/* Choose cuts for weights and results that stay in SRAM; sets planner->chosen and the chips' layers. */
enum err_code octopus_choose_resident(struct planner *planner);

/* What a layer needs of each of its PEs where weights stay; multiples of 16. */
struct octopus_need {
	uint64_t part_byte, resident_byte; /* of a part of the filters; of all, always */
	uint64_t tile_byte, result_byte;   /* of a tile's result; of all, until layer `last` is done */
	uint64_t passing_byte;             /* while it runs */
	uint32_t n_pe, last;
};
/* end: the chip's last layer is the one before. */
struct octopus_need octopus_need_of(const struct planner *planner, uint32_t l, uint32_t end);

/* Addresses for all that the workers of a chip keep; *fit false: there are none. false: out of memory. */
bool octopus_place_seats(struct planner *planner, const struct octopus_chip_cost *chip, bool *fit);

/* The layer, which was cut, stays where its seats are. */
void octopus_take_seats(struct planner *planner, uint32_t l, uint32_t end);

/*
 * Deal layers to at most n_chip chips, in order: the slowest chip is as fast as can be, then all of them together.
 * fits(planner, first, n): whether a chip can hold those layers (NULL: any); if it can, so it can any part of them.
 * false: some layers find no chip, or the watch's time has come.
 */
bool octopus_deal_chips(struct planner *planner, bool (*fits)(struct planner *planner, uint32_t first, uint32_t n));

/* us that a chip waits for what earlier chips computed and layers from `first` on read. */
double octopus_link_us(const struct planner *planner, uint32_t first);

#endif
