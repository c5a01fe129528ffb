/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ARADA_STUDY_H
#define DSE_ARADA_STUDY_H
/*
 * ARADA on a space: every machine with every network.
 *
 *   space -> machines, layers -> arada_cost (each distinct one once, on all threads)
 *         -> arada_allocate by scheme -> sums of networks -> means of machines
 */
#include "dse/arada/arada_cost.h"
#include "dse/arada/arada_measured.h"
#include "dse/out/progress.h"
#include "dse/space/space.h"
#include "sim/base/arena.h"

/* A network under a scheme. Shares of race to idle's. */
struct arada_sum {
	double saving_frac;          /* of the array's dynamic energy, its clock gated while it waits */
	double printed_saving_frac;  /* by equation 6 as it is printed */
	double bandwidth_frac;       /* of the bandwidth, left over: mean over time */
	double layer_bandwidth_frac; /* the same, mean over layers */
	size_t n_slower, n_narrower; /* layers that got a slower clock, less bandwidth */
};

/* A network on a machine. */
struct arada_run {
	size_t machine, network; /* of the study, of the space */
	struct arada_platform platform;
	size_t n_layer;
	const struct block **block;              /* [n_layer] */
	struct arada_layer *layer;               /* [n_layer] */
	struct arada_mode *mode[N_ARADA_SCHEME]; /* [n_layer] of each scheme */
	struct arada_sum sum[N_ARADA_SCHEME];
	double time_us; /* of race to idle; no scheme takes longer */
};

struct arada_study {
	const struct space *space;
	size_t n_machine;
	struct machine *machine;       /* [n_machine] candidates of the space, each with each of its memories */
	struct arada_coupled *coupled; /* [n_machine] what each is made of */
	const char **label;            /* [n_machine] names of machine and memory */
	size_t *group; /* [n_machine] machines that differ in memory alone have one number, counted from 0 */
	size_t n_group;
	size_t n_run;
	struct arada_run *run;    /* [n_run] machine by machine, its networks in the space's order */
	size_t n_distinct, n_all; /* layers simulated; layers of all runs */
	size_t n_measured;        /* of these */
	struct arena arena;
};

/* How layers are simulated. */
struct arada_how {
	unsigned n_thread;
	bool show_progress;                    /* on stderr, where it is a terminal */
	const struct arada_measured *measured; /* instead of the simulator, for the layers that it has; NULL: none */
};

/*
 * Run a space that has a section `arada:` and systolic machines alone. ERR_INPUT otherwise, with path for a place, or
 * where a layer is too large; ERR_INFEASIBLE; ERR_INTERRUPTED; the study is empty then. The space outlives it.
 */
enum err_code arada_study_run(const struct space *space, const char *path, const struct arada_how *how,
                              struct arada_study *study, struct err *err);
void arada_study_free(struct arada_study *study);

/* The first machine of the study from index from on that is made of this one of the space with this memory; n_machine:
 * none. */
size_t arada_study_find(const struct arada_study *study, const struct arada_coupled *coupled, size_t from);

/* Means over the networks of a machine. */
struct arada_sum arada_study_mean(const struct arada_study *study, size_t machine, enum arada_scheme scheme);

/*
 * The saving of VF-OH-Q (saving_frac, mean over networks) of a machine if its memory had this bandwidth. Same errors.
 */
enum err_code arada_study_saving(const struct arada_study *study, size_t machine, double gb_s,
                                 const struct arada_how *how, double *saving_frac, struct err *err);

/*
 * The bandwidth at which the saving of a machine first is no more than saving_frac, between 1/64 and 64 times its own,
 * to a hundredth, by doubling and bisection: savings fall as bandwidth grows, but for steps. *reached_frac is the
 * saving there; both are NAN where that range does not reach it.
 */
enum err_code arada_study_match(const struct arada_study *study, size_t machine, double saving_frac,
                                const struct arada_how *how, double *gb_s, double *reached_frac, struct err *err);

#endif
