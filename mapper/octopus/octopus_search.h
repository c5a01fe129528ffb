/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_OCTOPUS_SEARCH_H
#define MAPPER_OCTOPUS_SEARCH_H
/*
 * How a layer of a multi-layer schedule is best cut, for every number of
 * workers. All sizes of tiles that a worker's SRAM holds are tried, in either
 * order of the tiles. Left out is what takes at least as long by the run-time model:
 *
 *  - larger tiles that need as many tiles;
 *  - more workers where each worker keeps as many tiles;
 *  - more parts of the input channels than are needed to fit.
 */
#include "mapper/octopus/octopus_time.h"

enum octopus_goal { OCTOPUS_FASTEST, OCTOPUS_LEAST_ENERGY, N_OCTOPUS_GOAL };

/*
 * Fetching weights ahead: every fetch but a layer's first hides behind the tile before it where a second buffer fits,
 * the first behind the computation of the layer before, as far as that layer leaves SRAM free.
 */
struct octopus_ahead {
	double hidden_us;               /* inside the layer; part of no other time */
	double window_us;               /* computation that the next layer's first fetch can hide behind */
	double first_us;                /* of the layer's first fetch of weights */
	uint64_t free_byte, first_byte; /* SRAM that it leaves to the next layer; that its first weights need */
};

/* A cut and what it takes. */
struct octopus_cut_choice {
	bool exists;
	double cost; /* what is least: us, or pJ */
	struct split split;
	struct octopus_plan plan;
	struct octopus_work work;
	struct octopus_time time;
	struct octopus_ahead ahead; /* all 0 unless asked for */
	double energy_pj;
};

/*
 * What lists of choices keep for every number of workers: the fastest; and fetching ahead the fastest if its first
 * weights are there, if it hides the next layer's, or both.
 */
enum octopus_keep { OCTOPUS_KEEP_BEST, OCTOPUS_KEEP_HIDDEN, OCTOPUS_KEEP_HIDING, OCTOPUS_KEEP_BOTH, N_OCTOPUS_KEEP };

struct octopus_query {
	enum octopus_goal goal;
	bool ahead;        /* fetch weights ahead */
	uint32_t n_worker; /* at most, > 0 */
	double byte_us;    /* where weights stay: cost of a byte of SRAM that they take, to make them take less */
};

/*
 * choice[k][w - 1]: the best cut for exactly w workers by measure k (enum octopus_keep; without query->ahead only the
 * first). choice: [N_OCTOPUS_KEEP][n_worker], or [1][n_worker]. Nothing exists where no cut fits a worker's SRAM.
 * Some 10^6 evaluations for a large convolution. false: a signal asked to stop (sim/base/stop.h), and there are no
 * choices.
 */
bool octopus_search_layer(const struct octopus_context *context, const struct octopus_query *query,
                          struct octopus_cut_choice *choice);

/* One cut, evaluated as the search does; choice->exists false: it does not fit a worker's SRAM. */
void octopus_evaluate_cut(const struct octopus_context *context, const struct octopus_query *query,
                          const struct split *split, const struct octopus_plan *plan,
                          struct octopus_cut_choice *choice);

/* Least bytes of a worker's SRAM that any cut needs. */
uint64_t octopus_least_sram_byte(const struct octopus_context *context);

#endif
