/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SIMULATE_H
#define DSE_SIMULATE_H
/* One fixed design of a whole network: which split, strategy and places each block gets, and what comes out. */
#include "dse/space/detail.h"
#include "dse/out/json.h"
#include "dse/space/metric.h"
#include "dse/base/pattern.h"
#include "dse/design/trace_json.h"
#include "mapper/split/design.h"
#include "sim/program/energy_use.h"
#include "sim/systolic/systolic.h"

/* How blocks are run. {0}: in the fast tier, on one thread. */
struct simulate_how {
	struct detail_options detail; /* its trace is set where trace is */
	struct trace_json *trace;     /* event tier: block by block in their order, on one thread; NULL: nobody */
};

/* What a user fixes. */
struct simulate_options {
	const struct split_scheme *scheme; /* NULL: the splitter's splits */
	/*
	 * Blocks that it does not serve get fusion. Of a systolic array, if it is none of its own: for each block the
	 * dataflow whose tiles are fastest, of those that the array can do.
	 */
	enum strategy strategy;
	uint32_t level;      /* < machine->n_level */
	enum conv_form form; /* of blocks that have it; the others FORM_CONV */
	struct simulate_how how;
	bool
	    takes_unsplit; /* a block that the splitter finds no split for has the verdict 'sram', and the others run */
	const bool *shown; /* [network->n_block] only these are run, though all are designed; NULL: all */
	/* [network->n_block] all of it is fixed: scheme, strategy, level and form do not count; NULL: they do. */
	const struct layer_design *design;
};

/* A block, its design and its figures. */
struct simulated {
	const struct block *block;
	struct layer_design design;
	bool in_scheme;  /* its split is the scheme's */
	bool is_unsplit; /* it has no split that could run: simulate_options.takes_unsplit */
	bool ran;        /* false: verdict says why not; result and metric are undefined */
	struct verdict verdict;
	struct sim_result result;
	struct event_stat stat; /* event tier */
	struct uncertainty uncertain;
	double metric[N_METRIC];
	/* Of a systolic array, where one takes part; filter_stays: tiles of pixels go by one of filters. */
	bool has_array, filter_stays;
	struct systolic_result array;
};

/*
 * Simulate all blocks of a network into block [network->n_block]. Results stay
 * in storage QPEs where they fit and both sides can use them. ERR_INPUT when
 * the scheme has a split that does not fit its block or as simulate_prepare,
 * ERR_INFEASIBLE when the thesis splitter finds none (takes_unsplit: never), ERR_INTERNAL as simulate_blocks.
 */
enum err_code simulate_network(const struct machine *machine, const struct network *network,
                               const struct simulate_options *options, struct simulated *block, struct err *err);

/*
 * Prepare context [network->n_block] for the designs that block [network->n_block] has, and check that weights lie in
 * storage QPEs just where the block before has fetched them. ERR_INPUT.
 */
enum err_code simulate_prepare(const struct machine *machine, const struct network *network,
                               const struct simulated *block, struct layer_context *context, struct err *err);

/*
 * Run n blocks whose designs are set, context[i] of block[i]; shown as above.
 * ERR_INTERNAL: no memory, or the event tier (dse/space/detail.h).
 */
enum err_code simulate_blocks(const struct layer_context *context, struct simulated *block, size_t n, const bool *shown,
                              const struct simulate_how *how, struct err *err);

/* Sums over blocks that ran, as one network of its own; derived metrics are of the sums. */
struct simulate_totals {
	uint64_t total_clk, core_clk;
	double mac, possible_mac;     /* wanted, and possible in the time of blocks that multiply */
	double mac_util_frac;         /* one over the other; 0: nothing multiplies */
	struct uncertainty uncertain; /* of the latency */
	struct energy energy;
	struct energy_use use; /* of each coefficient of energy */
	struct supply_energy supply[N_SUPPLY];
	double metric[N_METRIC];
};

/* Of the blocks [n] that are shown [n] (NULL: all) and ran. */
void simulate_sum(const struct machine *machine, const struct simulated *block, size_t n, const bool *shown,
                  struct simulate_totals *totals);

/* Tables: clocks by phase, then bytes, utilisation, energy and bounds, then totals. shown [n]: NULL for all. */
void simulate_print(FILE *file, const struct machine *machine, const struct simulated *block, size_t n,
                    const bool *shown);

/* The same as a JSON list "layers" and an object "totals" of the object that is open. */
void simulate_put_json(struct json *json, const struct machine *machine, const struct simulated *block, size_t n,
                       const bool *shown);

#endif
