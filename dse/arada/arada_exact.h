/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ARADA_EXACT_H
#define DSE_ARADA_EXACT_H
/*
 * Exact allocation of array clock and memory bandwidth to the layers of a
 * network, where ARADA (Azhar et al., CF '23) decides layer by layer.
 *
 *   layers -> arada_knobs -> struct exact_problem -> arada_exact_solve -> struct exact_schedule -> report
 *
 * Array and memory are two domains. Each has settings, each layer runs at one
 * setting of either, and a change of setting halts its domain for a while. The
 * layer before the change or the one after it absorbs the halt: while one domain
 * halts the other goes on, so that a change costs no time where its domain waits
 * anyway (ARADA's rule: a layer's clock is lowered if its stall covers the change).
 * What does not fit lengthens the layer.
 *
 *          layer i                      layer i + 1
 *   array  |compute......|change|wait| |compute.................|
 *   memory |load.....................| |load.....|change|wait...|
 */
#include "sim/base/arena.h"
#include "sim/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The two domains that change their settings, each by itself. */
enum exact_domain { EXACT_ARRAY, EXACT_MEMORY, N_EXACT_DOMAIN };

/* One way to run a layer. Times, energies and powers are finite and not negative. */
struct exact_mode {
	uint32_t setting[N_EXACT_DOMAIN]; /* < problem->n_setting[] */
	uint32_t choice;                  /* the caller's name of the mode */
	double busy_ns[N_EXACT_DOMAIN];   /* each domain's own work */
	double time_ns;                   /* of the layer without changes; at least either busy time */
	double energy_pj;                 /* whatever the time */
	double static_mw;                 /* besides, for as long as the layer takes, changes included */
	double peak_mw;
};

struct exact_layer {
	size_t n_mode; /* 1..UINT16_MAX */
	const struct exact_mode *mode;
};

struct exact_problem {
	size_t n_layer; /* at least 1 */
	const struct exact_layer *layer;
	uint32_t n_setting[N_EXACT_DOMAIN]; /* 1..ARADA_MAX_SETTING */
	double change_ns[N_EXACT_DOMAIN], change_pj[N_EXACT_DOMAIN];
};

enum exact_aim { EXACT_LEAST_ENERGY, EXACT_LEAST_TIME };

/* Limits: infinite: none; they hold to 1e-12 of their size. */
struct exact_goal {
	enum exact_aim aim;
	double max_ns, max_peak_mw;
};

/* What one layer does: its mode and which changes it hosts. */
struct exact_step {
	uint32_t mode; /* index in its layer's modes */
	bool before[N_EXACT_DOMAIN], after[N_EXACT_DOMAIN];
};

/* Its arrays are owned by the arena it was made in. */
struct exact_schedule {
	bool is_found;           /* false: no schedule keeps the limits (or none was found: is_exact is false) */
	struct exact_step *step; /* [n_layer] */
	double time_ns, energy_pj, peak_mw;
	uint32_t n_change[N_EXACT_DOMAIN];
	bool is_exact; /* proven best; else the objective is at least bound */
	double bound;
	uint64_t n_label; /* partial schedules that were kept */
};

/*
 * The best schedule, proven best, by the dynamic program of power management (dse/power/power_label.c): partial
 * schedules in the plane of time and energy, cut by dominance and Lagrangian bounds; its states are the settings
 * between layers. A change between two layers is hosted by the one where it costs less. The first layer finds its
 * settings set. max_label (0: 8 million) partial schedules at most; where that does not do, is_exact says so. Ties go
 * to the other of time and energy. Deterministic. ERR_INTERRUPTED.
 */
enum err_code arada_exact_solve(const struct exact_problem *problem, const struct exact_goal *goal, size_t max_label,
                                struct arena *arena, struct exact_schedule *schedule, struct err *err);

/*
 * The schedule of given modes (mode[n_layer]), its changes hosted where that is
 * best for the goal; when it breaks the deadline whatever hosts them (*is_late), where it
 * is fastest. A mode above the goal's peak: not found. Errors as arada_exact_solve.
 */
enum err_code arada_exact_place(const struct exact_problem *problem, const struct exact_goal *goal,
                                const uint32_t *mode, struct arena *arena, struct exact_schedule *schedule,
                                bool *is_late, struct err *err);

/*
 * A layer's time in a mode while it hosts so many changes, each of which halts its domain for change_ns: that of the
 * domain that is busy longest, or the layer's own.
 */
double arada_exact_layer_ns(const double change_ns[N_EXACT_DOMAIN], const struct exact_mode *mode,
                            const unsigned n_change[N_EXACT_DOMAIN]);

/* Fill in what follows from step[]; false: a change that no layer hosts, or a limit is broken. */
bool arada_exact_measure(const struct exact_problem *problem, const struct exact_goal *goal,
                         struct exact_schedule *schedule);

#endif
