/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_POWER_DESIGNS_H
#define DSE_POWER_DESIGNS_H
/* Power management: the machine, the network and the designs of its layers, read from the command line. */
#include "dse/options/cli.h"
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

/*
 * Read and check what the command line names: MACHINE NETWORK with --layers,
 * --split-scheme, --parts, --strategy, or --mapping FILE.yaml with --layers, or --point FRONT.json:ID. levels: bit i:
 * may be used, of --levels (0: all). All mistakes at once; the caller frees
 * designs with power_designs_free, also after an error. ERR_USAGE, ERR_INPUT,
 * ERR_INFEASIBLE, ERR_IO, ERR_INTERNAL.
 */
enum err_code power_designs_read(const struct cli_options *options, const struct detail_options *detail,
                                 struct power_designs *designs, uint32_t *levels, struct err *err);
void power_designs_free(struct power_designs *designs);

#endif
