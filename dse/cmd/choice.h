/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CHOICE_H
#define DSE_CHOICE_H
/*
 * What a command line says of designs: strategies, operating points, layers, forms of 1x1 convolutions, a mapping.
 * Mistakes are ERR_USAGE; messages begin with the name of the command.
 */
#include "dse/design/mapping.h"
#include "dse/options/cli.h"
#include "dse/run/explore_request.h"
#include "dse/run/kept_run.h"
#include "dse/space/machine_set.h"
#include "dse/space/space.h"
#include "mapper/network/network.h"
#include "sim/machine/machine.h"

/* --store. */
struct store_request choice_store(const struct cli_options *options);

/*
 * The run that the first file names, by folder or in the store, with its space, whose inputs are taken from the store
 * where files have changed since. ERR_INPUT: the space cannot be read; otherwise as kept_run_open.
 */
enum err_code choice_open_run(const struct cli_options *options, struct kept_run *run, struct err *err);

/* What the options of dse explore and merge ask for; of the files the first is the space, if there is one. */
struct explore_request choice_explore(const struct cli_options *options);

/* The first of two codes that is a mistake, so that both are told. */
enum err_code choice_worse(enum err_code code, enum err_code other);

/* Each name of --levels A,B as a bit of *levels; without the option all that the machine's power lanes supply. */
enum err_code choice_levels(const struct cli_options *options, const struct machine *machine, uint32_t *levels,
                            struct err *err);

/* --conv-1x1: bit f of forms: 1x1 convolutions may have enum conv_form f; without it all but the tight one. ERR_USAGE.
 */
enum err_code choice_forms(const struct cli_options *options, uint32_t *forms, struct err *err);

/* --network-result; without it dram. ERR_USAGE. */
enum err_code choice_result(const struct cli_options *options, enum network_result *result, struct err *err);

/* --set, for what reads the machine itself; without it none. ERR_USAGE. */
enum err_code choice_set(const struct cli_options *options, struct machine_set *set, struct err *err);

/* --set, in a machine that has been read, and in its sources (may be NULL). ERR_USAGE. */
enum err_code choice_set_machine(const struct cli_options *options, struct machine *machine,
                                 struct machine_sources *sources, struct err *err);

/* A machine by its name or path, with --set in it, and its sources (may be NULL) in arena. ERR_IO, ERR_INPUT,
 * ERR_USAGE. */
enum err_code choice_machine(const struct cli_options *options, const char *name, struct machine *machine,
                             struct machine_sources *sources, struct arena *arena, struct err *err);

/* --set, in a mapping's machine. ERR_USAGE. */
enum err_code choice_set_mapping(const struct cli_options *options, struct mapping *mapping, struct err *err);

/* --strategy; without it the one that is meant to be used: fusion with reuse, which of a systolic array means any. */
enum err_code choice_strategy(const struct cli_options *options, enum strategy *strategy, struct err *err);

/* --level; without it the machine's first operating point. */
enum err_code choice_level(const struct cli_options *options, const struct machine *machine, uint32_t *level,
                           struct err *err);

/* --layers: chosen [n_block] of a network by their names; without it all. ERR_USAGE: none matches. */
enum err_code choice_layers(const struct cli_options *options, const struct network *network, bool *chosen,
                            struct err *err);

/*
 * The mapping that a command line gives in one of three forms: MACHINE NETWORK with --split-scheme, --strategy and
 * --level; [NETWORK] --point FRONT.json:ID, NETWORK one of the point's; [NETWORK] --mapping FILE.yaml, whose network
 * it must be. Each refuses the others' options. ERR_USAGE, ERR_INPUT, ERR_IO, ERR_INFEASIBLE; the caller frees
 * mapping, also after an error.
 */
enum err_code choice_mapping(const struct cli_options *options, struct mapping *mapping, struct err *err);

/* A point runs as it was recorded: --set beside --point is ERR_USAGE where numbers are compared, or reused. */
enum err_code choice_check_point_machine(const struct cli_options *options, struct err *err);

/*
 * What --point and --mapping exclude: each other, more files than max_file, and options fixed [n], in the order in
 * which they are told; what they fix: "splits and strategies". ERR_USAGE.
 */
enum err_code choice_check_fixed(const struct cli_options *options, size_t max_file, const char *what,
                                 const enum cli_option *fixed, size_t n, struct err *err);

/* A strategy that was asked for by name (options->strategy, not NULL) must be one of the machine's. ERR_USAGE. */
enum err_code choice_check_strategy(const struct cli_options *options, const struct machine *machine,
                                    enum strategy strategy, struct err *err);

#endif
