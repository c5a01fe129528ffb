/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_POWER_SEARCH_H
#define DSE_POWER_SEARCH_H
/*
 * Power management: designs to choose from, so that a layer's split and strategy are chosen together with its level.
 * Each layer offers, at each level, its exact front in time and energy among designs under a peak of power; where
 * results lie is settled first, as in the fastest design of the network.
 *
 * So for any budget of time, energy and peak a best schedule over these designs is best over all designs with results
 * in those places. A budget of average power may want a slower design for its time, which no front holds.
 */
#include "dse/space/left_out.h"
#include "dse/power/power_work.h"

struct power_search_options {
	const struct machine *machine;
	const struct network *network;
	const bool *shown;  /* [n_block] */
	uint32_t levels;    /* bit l: level l may be used */
	double max_peak_mw; /* infinite: no limit */
	/* The fronts hold what is best for chips, too, that sleep until a deadline at a level which takes no more,
	 * asleep, than any level that they worked at. */
	bool sleeps;
	uint32_t forms; /* bit f: 1x1 convolutions may have enum conv_form f */
	enum network_result network_result;
	unsigned n_thread;
};

/*
 * Designs of the network's blocks: item[i] of the i-th block with shown[i], *n_item of them; left: what was not among
 * their choices. Designs and contexts live in the arena. ERR_INFEASIBLE: a layer has no design; ERR_INTERRUPTED;
 * ERR_INTERNAL. Seconds: every legal design of each distinct layer is bounded or evaluated.
 */
enum err_code power_search_designs(const struct power_search_options *search, struct arena *arena,
                                   struct power_item *item, size_t *n_item, struct left_out *left, struct err *err);

#endif
