/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CHOICE_H
#define DSE_CHOICE_H
/* Parts of machines and networks that a command line names: --levels and --layers. Mistakes are ERR_USAGE. */
#include "dse/options/cli.h"
#include "dse/space/space.h"
#include "mapper/network/network.h"
#include "sim/machine/machine.h"

/* Each name of --levels A,B as a bit of *levels; without the option all that the machine's power lanes supply. */
enum err_code choice_levels(const struct cli_options *options, const struct machine *machine, uint32_t *levels,
                            struct err *err);

/* Which blocks --layers takes into shown [network->n_block]; all of them without the option. */
enum err_code choice_layers(const struct cli_options *options, const struct network *network, bool *shown,
                            struct err *err);

/* --conv-1x1: bit f of forms: 1x1 convolutions may have enum conv_form f; without it all. ERR_USAGE. */
enum err_code choice_forms(const struct cli_options *options, uint32_t *forms, struct err *err);

/* --network-result; without it dram. ERR_USAGE. */
enum err_code choice_result(const struct cli_options *options, enum network_result *result, struct err *err);

#endif
