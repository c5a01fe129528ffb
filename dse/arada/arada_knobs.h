/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ARADA_KNOBS_H
#define DSE_ARADA_KNOBS_H
/*
 * What can be chosen for each layer of a network on a systolic array, as a problem for the exact allocation, and the
 * rules that choose layer by layer, as modes of that problem.
 *
 *   struct arada_layer (dse/arada/arada.h), energies -> every clock x bandwidth x part of the array
 *   -> struct exact_problem
 *
 * A layer takes as long as the longer of array and memory, as ARADA assumes: its array computes for Ttotal - Tstall at
 * full clock; its memory is busy for all of Ttotal where there are stalls, else for what its words take. The physical
 * model knows more, because only some tiles wait: its times at every clock and bandwidth take that place, and the
 * memory is busy for what its words take.
 */
#include "dse/arada/arada.h"
#include "dse/space/arada_options.h"
#include "dse/arada/arada_exact.h"

#define ARADA_MAX_PART 4
#define ARADA_N_TURBO 2 /* clocks above the nominal one that a study allows, in steps */

/* What energies are made of. */
enum arada_energy {
	/* (V / Vmax)^2 for each clock that the array computes, as pJ: ARADA's, the array gated while it waits */
	ARADA_NORMALISED,
	ARADA_PAPER,   /* equation 6 as it stands: a lowered clock runs while it waits, too */
	ARADA_MACHINE, /* pJ of array, words, leakage and memory */
	N_ARADA_ENERGY
};
extern const char *const arada_energy_name[N_ARADA_ENERGY];

/*
 * Of a memory that is powered for a bandwidth: W for each GB/s, as a fraction of what it would take to move so many
 * bytes. Assumed; published for none of the memories. It falls with the bandwidth that is allocated.
 */
#define ARADA_MEMORY_IDLE_FRAC 0.25

/* Times of a layer at all settings, each at least the array's and the memory's own. */
struct arada_times {
	uint32_t n_array, n_memory;
	const double *ns; /* [part][n_memory][n_array] by settings */
};

/* A layer at full speed. */
struct arada_work {
	struct arada_layer layer;
	/* By part of the array that is powered; [0] is the whole array. */
	double compute_clk[ARADA_MAX_PART]; /* of the array; [0]: layer.total_clk - layer.stall_clk */
	double word_pj[ARADA_MAX_PART];     /* ARADA_MACHINE: of SRAM and memory accesses, whatever the clocks */
	double array_pj;                    /* likewise: of its multiplications at the nominal voltage */
	const struct arada_times *times;    /* NULL: as ARADA assumes */
};

/* What may be chosen, and what it costs. */
struct arada_knobs {
	const struct arada_platform *platform;
	enum arada_energy energy;
	bool chooses_bandwidth;           /* else all of it */
	uint32_t n_part;                  /* 1: the whole array only */
	double part_frac[ARADA_MAX_PART]; /* of the array's columns; [0] is 1 */
	uint32_t n_turbo;                 /* clocks above the nominal one, in steps; voltage in proportion */
	/* ARADA_MACHINE: static power at full voltage and bandwidth, mW. */
	double array_mw;  /* falls with V, and with the part of the array that is powered */
	double rest_mw;   /* always */
	double memory_mw; /* falls with the bandwidth */
};

/*
 * Make the problem of n layers, its arrays in the arena. A change of array clock,
 * and one of bandwidth, takes platform->switch_us. choice of a mode: the part of the
 * array. Each layer's first mode is the nominal one. ERR_INTERNAL: no memory. At most
 * ARADA_MAX_SETTING clocks and bandwidths: ERR_INPUT.
 */
enum err_code arada_knobs_build(const struct arada_knobs *knobs, size_t n, const struct arada_work *work,
                                struct arena *arena, struct exact_problem *problem, struct err *err);

/* Settings of such a problem: how many clocks and bandwidths; the clock and the bandwidth of one. */
uint32_t arada_knobs_n_clk(const struct arada_knobs *knobs);
uint32_t arada_knobs_n_bandwidth(const struct arada_knobs *knobs);
double arada_knobs_clk_mhz(const struct arada_knobs *knobs, uint32_t setting);
double arada_knobs_gb_s(const struct arada_knobs *knobs, uint32_t setting);

/*
 * Modes [n] of a rule that looks at one layer at a time, the whole array on: ARADA's VF-OH-Q, which charges a layer one
 * change of clock and none of bandwidth (n_change 1), or both changes of either domain (n_change 2), whatever its
 * neighbours do. The latter's settings and changes fit into the layer's own time, so that it never takes longer than
 * race to idle.
 */
void arada_knobs_local_modes(const struct arada_knobs *knobs, size_t n, const struct arada_work *work,
                             unsigned n_change, const struct exact_problem *problem, uint32_t *mode);

#endif
