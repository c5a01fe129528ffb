/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_UNCERTAINTY_TABLE_H
#define SIM_UNCERTAINTY_TABLE_H
/* 90th percentiles of measured distances in percent; tests/tiers_table.sh writes uncertainty_table.c. */

/*
 * Classes of compared phases (uncertainty_class): kind, then split (parts of one size in all dimensions, of two in one,
 * in more), then machine (packets of all DRAM interfaces over those that a router passes), then length, of which the
 * last varies fastest.
 */
#define UNCERTAINTY_N_SPLIT 3
#define UNCERTAINTY_N_POINT 4
#define UNCERTAINTY_N_SIZE 2
enum uncertainty_kind {
	UNCERTAINTY_QPE_JOBS,    /* one QPE, tasks without reuse, loads and write-outs among them */
	UNCERTAINTY_QPE_WEIGHT,  /* reuse on one QPE: filters loaded, ... */
	UNCERTAINTY_QPE_INPUT,   /* ... ifmap parts loaded, ... */
	UNCERTAINTY_QPE_COMPUTE, /* ... tasks in lock step */
	UNCERTAINTY_JOBS,        /* a chip, tasks without reuse */
	UNCERTAINTY_WEIGHT,      /* reuse on a chip: filters loaded and copied from PE to PE, ... */
	UNCERTAINTY_INPUT,
	UNCERTAINTY_MIGRATION, /* ... filters passed on between runs, ... */
	UNCERTAINTY_COMPUTE,
	N_UNCERTAINTY_KIND
};
#define UNCERTAINTY_N_CLASS (N_UNCERTAINTY_KIND * UNCERTAINTY_N_SPLIT * UNCERTAINTY_N_POINT * UNCERTAINTY_N_SIZE)

/* Fast to event tier, of the fast tier's clocks, by class. */
extern const float uncertainty_fast_pct[N_UNCERTAINTY_KIND][UNCERTAINTY_N_SPLIT][UNCERTAINTY_N_POINT]
				       [UNCERTAINTY_N_SIZE];
/* Event tier to references, of the reference. */
extern const float uncertainty_event_pct[N_UNCERTAINTY_KIND][UNCERTAINTY_N_POINT];

#endif
