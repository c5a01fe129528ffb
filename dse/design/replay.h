/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_REPLAY_H
#define DSE_REPLAY_H
/*
 * Replay: one point of a front.json, read back, run again, and every number
 * compared bit for bit. Needs the machine and network files the front names.
 */
#include "dse/design/simulate.h"
#include "dse/space/space.h"
#include "sim/base/doc.h"

struct replay_network {
	const char *name;
	size_t n_block;
	struct simulated *block; /* [n_block] */
};

struct replay {
	uint64_t id;
	struct machine machine;
	const char *machine_path;
	const struct doc_node *axes; /* the point's value on each axis of its space: a map from a parameter's key */
	const struct doc_node *set_levels; /* a map of what --set gave of operating points; NULL: nothing */
	uint64_t level_shares;             /* 0: none */
	size_t n_network;
	struct replay_network *network;
	enum detail recorded, detail; /* the tier the front was made in, and the one this is in */
	bool is_equal;                /* of two tiers never; their gap says how far they are apart */
	struct replay_gap {
		size_t n;
		double sum_frac, max_frac; /* of layers' clocks, magnitudes */
		const char *layer;         /* of the largest */
	} gap;
	struct err difference; /* what differs, one a line; nothing when the tiers differ */
	struct err warning;    /* input files that changed since */
	struct space space;    /* aggregate and networks, with their paths, for sums */
	struct arena arena;    /* the point as read, and what is made of it */
};

/*
 * spec is "FRONT.json:ID". how: how to run the layers; as_recorded: in the tier
 * the front was made in, whatever how says. ERR_USAGE when it is not, ERR_IO, ERR_INPUT when the
 * file is not a front, has no such point, or names what its machine or network
 * does not have, ERR_INTERNAL as simulate_blocks. The caller frees replay with replay_free, also after an error.
 */
enum err_code replay_run(const char *spec, const struct simulate_how *how, bool as_recorded, struct replay *replay,
                         struct err *err);
void replay_free(struct replay *replay);

/* Set a machine's parameters to what a map of keys to values says, and check it; mistakes with their places. */
void replay_set_axes(const struct doc_node *axes, struct machine *machine, struct err *err);

#endif
