/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_POWER_CHOICE_H
#define DSE_POWER_CHOICE_H
/* Whose power is managed: the designs that the command line of dse power names. */
#include "dse/options/cli_options.h"
#include "dse/power/power_designs.h"
#include "dse/space/detail.h"

/*
 * Read and check what the command line names: MACHINE NETWORK with --layers, --split-scheme, --parts, --strategy, or
 * --mapping FILE.yaml with --layers, or --point FRONT.json:ID. levels: bit i: may be used, of --levels (0: all). All
 * mistakes at once; the caller frees designs with power_designs_free, also after an error. ERR_USAGE, ERR_INPUT,
 * ERR_INFEASIBLE, ERR_IO, ERR_INTERNAL.
 */
enum err_code power_choice_read(const struct cli_options *options, const struct detail_options *detail,
                                struct power_designs *designs, uint32_t *levels, struct err *err);

#endif
