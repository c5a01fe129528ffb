/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_MAPPING_OPTIONS_H
#define DSE_MAPPING_OPTIONS_H
/* What a command line says of designs: by name, or as one mapping. Messages begin with the command's name. */
#include "dse/options/cli.h"
#include "dse/design/mapping.h"

/* --strategy; without it the one that is meant to be used: fusion with reuse, which of a systolic array means any. */
enum err_code options_choose_strategy(const struct cli_options *options, enum strategy *strategy, struct err *err);

/* --level; without it the machine's first operating point. */
enum err_code options_choose_level(const struct cli_options *options, const struct machine *machine, uint32_t *level,
                                   struct err *err);

/* --layers: chosen [n_block] of a network by their names; without it all. ERR_USAGE: none matches. */
enum err_code options_choose_layers(const struct cli_options *options, const struct network *network, bool *chosen,
                                    struct err *err);

/*
 * The mapping that a command line gives in one of three forms: MACHINE NETWORK with --split-scheme, --strategy and
 * --level; [NETWORK] --point FRONT.json:ID, NETWORK one of the point's; [NETWORK] --mapping FILE.yaml, whose network
 * it must be. Each refuses the others' options. ERR_USAGE, ERR_INPUT, ERR_IO, ERR_INFEASIBLE; the caller frees
 * mapping, also after an error.
 */
enum err_code options_mapping(const struct cli_options *options, struct mapping *mapping, struct err *err);

#endif
