/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_HARDWARE_PARTS_H
#define DSE_HARDWARE_PARTS_H
/*
 * Inside the bounds over machines: families of machine candidates (hardware_family.c), and what becomes of them
 * (hardware.c).
 */
#include "dse/search/hardware.h"
#include "sim/base/arena.h"

#define HARDWARE_N_HELPFUL 7

struct hardware_member {
	uint32_t index;                   /* of the machine */
	double value[HARDWARE_N_HELPFUL]; /* of the helpful parameters */
};

/* What a family that has an outlook wants next; a lesser wish comes first. */
enum hardware_wish {
	WISH_LOOK,   /* nothing is known of the next machine */
	WISH_REFINE, /* the machine may be on the front: its designs help to cut others */
	WISH_PROOF,  /* it lies behind: a search at this step might prove that */
	N_WISH       /* nothing: all members are settled */
};

/* Machines that differ in nothing but helpful parameters, in descending order of these, the first one first. */
struct hardware_family {
	size_t n, at; /* members up to at are settled */
	struct hardware_member *member;
	uint32_t n_noc;            /* 0: none serves another one */
	const double *noc_clk_mhz; /* [n_noc] of the members */
	const bool *kernels_serve; /* [n_noc][n_noc] tasks take no longer at the first NoC clock than at the second */
	uint64_t kin;              /* equal: families that differ in SRAM alone, and serve each other */
	const struct hardware_family *larger; /* of these the one of the next larger SRAM; NULL: there is none */
	bool is_begun;                  /* a member is settled or refined: the next smaller SRAM's may be looked at */
	struct hardware_member looking; /* whom the outlook is of */
	struct outlook outlook;         /* of member[at] */
	struct outlook_seeds seeds;     /* of the last outlook, of machine seeds_of */
	uint64_t seeds_of;
	bool is_own;                  /* the outlook is, or will be, of the machine's own clocks alone */
	bool has_outlook, is_refined; /* is_refined: the outlook was wished for its designs */
	double promise;               /* of its designs; a lesser one comes first */
	enum hardware_wish wish;
	size_t step, next; /* of the outlook, and of the one that is wished for */
	unsigned n_try;
	enum err_code code;
	struct err err;
};

/*
 * The families of a space's machines that neither a rule nor a limit refuses, in the order of their first machines;
 * they live in the arena. Once a stop is asked for, no NoC clock is said to serve another one. ERR_INTERNAL.
 */
enum err_code hardware_build_families(const struct hardware_options *options, struct arena *arena,
                                      struct hardware_family **family, size_t *n_family, struct err *err);

/* Whether what the bounds of one machine say holds for the other one of its family. */
bool hardware_serves(const struct hardware_family *family, const struct hardware_member *one,
                     const struct hardware_member *other);

bool hardware_same_clocks(const struct hardware_member *one, const struct hardware_member *other);

/* Whether machines that differ in NoC or DRAM clocks are in one family. */
bool hardware_shares_clocks(const struct space *space);

/* A candidate that neither a rule nor a limit on machines refuses. */
bool hardware_get_machine(const struct space *space, uint64_t index, struct machine *machine);

#endif
