/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_REPLAY_H
#define DSE_REPLAY_H
/*
 * Replay: one point of a front.json, read back, run again, and every number
 * compared bit for bit. Needs the machine and network files the front names.
 */
#include "dse/simulate.h"
#include "dse/space.h"

struct replay_network {
	const char *name;
	size_t n_block;
	struct simulated *block; /* [n_block] */
};

struct replay {
	uint64_t id;
	struct machine machine;
	size_t n_network;
	struct replay_network *network;
	bool is_equal;
	struct err difference; /* what differs, one a line */
	struct err warning;    /* input files that changed since */
	struct space space;    /* aggregate and networks, for sums */
	struct arena arena;    /* the point as read, and what is made of it */
};

/*
 * spec is "FRONT.json:ID". ERR_USAGE when it is not, ERR_IO, ERR_INPUT when the
 * file is not a front, has no such point, or names what its machine or network
 * does not have. The caller frees replay with replay_free, also after an error.
 */
enum err_code replay_run(const char *spec, struct replay *replay, struct err *err);
void replay_free(struct replay *replay);

#endif
