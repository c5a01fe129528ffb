/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ARADA_GAIN_H
#define DSE_ARADA_GAIN_H
/*
 * What the exact allocation gains over ARADA's layer-local rule: one network on one machine, under the same energies
 * and the same rules for changes of clock and bandwidth.
 */
#include "dse/arada/arada_knobs.h"
#include <stdio.h>

/* One network on one machine; energies are compared under each of the models of dse/arada/arada_knobs.h. */
struct arada_case {
	const char *machine, *network;
	const struct arada_knobs *knobs; /* all that may be chosen; energy does not matter */
	size_t n_layer;
	const struct arada_work *work; /* [n_layer] */
};

/* Who allocates. Each one that is exact has the freedom of those before it. */
enum arada_allocator {
	ARADA_BY_PUBLISHED, /* VF-OH-Q: one change of clock charged to a layer, none of bandwidth; may be late */
	ARADA_BY_LAYER,     /* the same rule, both changes charged: never late */
	ARADA_EXACT,        /* exact, the same knobs, not longer than race to idle */
	ARADA_EXACT_PART,   /* and parts of the array switched off */
	ARADA_EXACT_TURBO,  /* and clocks above the nominal one, within the peak power of race to idle */
	ARADA_EXACT_LATER,  /* and a deadline of ARADA_LATER_FRAC times race to idle */
	N_ARADA_ALLOCATOR
};
extern const char *const arada_allocator_name[N_ARADA_ALLOCATOR];
#define ARADA_LATER_FRAC 1.05

struct arada_gain {
	enum arada_energy energy;
	struct exact_schedule rti, by[N_ARADA_ALLOCATOR]; /* is_found */
	double saving_pct[N_ARADA_ALLOCATOR];             /* of race to idle's energy */
	double late_pct;         /* of the published rule's time over race to idle's, all changes charged */
	double gain_pct;         /* exact's energy below that of the rule by layer */
	double as_late_pct;      /* exact's below the published rule's, given its time */
	bool is_exact;           /* all of them are proven best */
	struct exact_mode *mode; /* [n_layer] of by[ARADA_EXACT] */
};

/*
 * Allocate in all ways under one model of energy; schedules live in the arena. Asserted: no exact allocation takes more
 * than the rule by layer, or more time than its deadline. Errors as arada_knobs_build and arada_exact_solve.
 */
enum err_code arada_gain_find(const struct arada_case *of, enum arada_energy energy, struct arena *arena,
                              struct arada_gain *gain, struct err *err);

/* One line a network, machine and model of energy, behind a header. */
void arada_gain_write_head(FILE *file);
void arada_gain_write(FILE *file, const struct arada_case *of, const struct arada_gain *gain);

#endif
