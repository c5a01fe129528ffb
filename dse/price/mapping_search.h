/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_MAPPING_SEARCH_H
#define DSE_MAPPING_SEARCH_H
/* The best mapping of a network for one goal, in the fast tier or priced in the event tier. */
#include "dse/design/mapping.h"

/*
 * The best designs of an opened mapping for one goal: what explore_run finds in a space of this machine and network,
 * without rules but for what the options narrow, over latency and energy; of designs with the least latency the one of
 * least energy, of least energy the fastest. Where the machine has fewer power lanes than voltages, every choice that
 * they can supply is tried. Seconds; systolic arrays behind slow memories minutes. With price_work the
 * event tier prices what may be best, and the best of it is taken. ERR_INFEASIBLE names a layer that has no design;
 * ERR_INTERRUPTED; ERR_INTERNAL.
 */
enum err_code mapping_search(struct mapping *mapping, const struct mapping_search_options *options,
                             struct mapping_searched *searched, struct err *err);

#endif
