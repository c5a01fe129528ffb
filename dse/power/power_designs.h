/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_POWER_DESIGNS_H
#define DSE_POWER_DESIGNS_H
/* Power management: whose work is managed. Machine, network and the designs of its layers (read by
 * dse/cmd/power_choice.c). */
#include "dse/space/left_out.h"
#include "dse/design/mapping.h"
#include "dse/power/power_work.h"
#include "dse/space/provenance.h"
#include "dse/design/replay.h"

struct power_designs {
	const struct machine *machine;
	const char *network; /* name; of several: joined by '+' */
	size_t n_item;
	struct power_item *item; /* [n_item] */

	/* Of a search: what its designs do not include, and where the network's result must lie. */
	struct left_out left_out;
	enum network_result network_result;

	struct machine_sources sources; /* of a replayed point's machine: none */

	/* What these point into. */
	struct machine own_machine;
	struct network own_network;
	struct split_scheme scheme;
	struct replay replay;
	struct mapping mapping;
	struct arena arena;
};

void power_designs_free(struct power_designs *designs);

#endif
