/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ARADA_H
#define DSE_ARADA_H
/*
 * ARADA's rules (Azhar, Zouzoula, Trancoso: "ARADA", Computing Frontiers 2023):
 * a layer that waits for the memory runs its array slower, one that does not
 * lets the memory run slower; neither takes longer than at full speed.
 *
 *   clocks, stalls, words of a layer -> arada_allocate -> clock, voltage, bandwidth, energy
 *
 * Pure arithmetic; who simulates the layers is in dse/arada/arada_study.h.
 */
#include <stdint.h>

/* The paper's section 4.3. */
enum arada_scheme {
	ARADA_RTI,     /* race to idle: everything at its most */
	ARADA_IDEAL,   /* any clock and bandwidth; switching is free */
	ARADA_VF_OH,   /* any clock and bandwidth; switching takes time out of the stalls */
	ARADA_VF_OH_Q, /* the same; the next higher legal clock and bandwidth */
	N_ARADA_SCHEME
};
extern const char *const arada_scheme_name[N_ARADA_SCHEME];

/* What can be chosen. Voltage falls in proportion to the clock, as the paper assumes. */
struct arada_platform {
	double max_clk_mhz, max_vdd_v;
	double max_bandwidth_gb_s;
	double max_word_per_clk; /* the same, in words a clock at max_clk_mhz */
	double switch_us;        /* of clock and voltage */
	double clk_step_mhz;     /* legal clocks: multiples of it, and max_clk_mhz */
	uint32_t n_bandwidth;    /* legal bandwidths: max_bandwidth_gb_s * 1, 2, ... n / n */
};

/* A layer at full speed: clocks at max_clk_mhz, stalls among them, words that must cross the interface. */
struct arada_layer {
	uint64_t total_clk, stall_clk, n_word;
};

/* What a scheme gives a layer. */
struct arada_mode {
	double clk_mhz, vdd_v;
	double bandwidth_gb_s;
	double printed_gb_s; /* equation 2 as it is printed, continuous; see arada_allocate */
	double time_us;      /* of the layer: what it takes at full speed */
	double busy_us;      /* of it, switching and computing: at most time_us */
	double energy_frac;  /* dynamic energy of the array, 1: as race to idle (equation 6) */
	double gated_frac;   /* the same if the array's clock stands still while it waits: (V / Vmax)^2 */
};

/*
 * The mode of a layer (total_clk > stall_clk) in a scheme.
 *
 * Clock: equation 1, Fmax * (Ttotal - Tstall) / Ttotal. With a switch of s clocks at Fmax only the stalls beyond s
 * count: Fmax * (Ttotal - (Tstall - s)) / Ttotal, or Fmax where Tstall <= s. The paper gives no formula for s; this one
 * gives all clocks of its table 1, others do not (dse/arada/arada_table1.h). It never lets a layer take longer:
 * computing slower takes Tc * Ttotal / (Tc + s), with Tc = Ttotal - Tstall, which added to s is at most Ttotal where
 * Tstall >= s.
 *
 * Bandwidth: all of it for layers with stalls. For others what they need, n_word / total_clk. Equation 2 as printed,
 * BWmax * (BWmax - BWrequired) / BWmax, is what they do not need, against its own text and table 1;
 * printed_gb_s is its value, not below 0.
 *
 * Energy: equation 6, (V / Vmax)^2 * F / Fmax * (1 + Tstall / Texecution), 1 where nothing is changed. It counts a
 * clock above that of equation 1 as running while the layer waits, which race to idle's does not; so gated_frac, too.
 */
struct arada_mode arada_allocate(enum arada_scheme scheme, const struct arada_platform *platform,
                                 const struct arada_layer *layer);

/* The next legal value at or above: of clocks, of bandwidths. */
double arada_legal_clk_mhz(const struct arada_platform *platform, double clk_mhz);
double arada_legal_bandwidth_gb_s(const struct arada_platform *platform, double bandwidth_gb_s);

#endif
