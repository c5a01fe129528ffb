/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PROVE_FRONT_H
#define DSE_PROVE_FRONT_H
/*
 * Proof of a front: the layer designs of its points are run on data (mapper/prove/prove.h), each design once. Points
 * that the terminal's table shows come first, then the others in order. The work is limited, so that a front of any
 * size takes bounded time.
 */
#include "dse/out/json.h"
#include "dse/design/unroll.h"

/* Multiply-accumulates of the designs that are run: about half a minute of one core. */
#define PROVE_FRONT_MAC 2e11
#define PROVE_FRONT_MAX_FAULT 8

struct prove_front_options {
	unsigned n_thread;
	uint64_t seed;
	bool show_progress;
};

struct prove_front {
	size_t n_design, n_design_all; /* distinct layer designs: run, and of the front */
	size_t n_point, n_point_all;   /* points: all of whose designs were run, and of the front */
	size_t n_failed;               /* designs that are not bit-exact */
	char fault[PROVE_FRONT_MAX_FAULT][400];
	double mac;       /* of the designs run */
	uint64_t hash;    /* of their results */
	bool interrupted; /* Ctrl-C: it says nothing */
	double seconds;
};

/* Prove the front that unroller is of; not empty. Results do not depend on the threads. ERR_INTERNAL: no memory. */
enum err_code prove_front_run(const struct unroller *unroller, const struct prove_front_options *options,
                              struct prove_front *proof, struct err *err);

/* Lines for people; the keys of an object "prove" of the object that is open. */
void prove_front_print(FILE *file, const struct prove_front *proof);
void prove_front_put_json(struct json *json, const struct prove_front *proof);

/* ERR_GATE, with a message each, when a design is not bit-exact. */
enum err_code prove_front_judge(const struct prove_front *proof, struct err *err);

#endif
