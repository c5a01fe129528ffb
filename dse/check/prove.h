/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PROVE_H
#define DSE_PROVE_H
/* Proofs of mappings (mapper/prove/prove.h) on all cores, with progress, and what is said of them. */
#include "dse/out/json.h"
#include "dse/design/mapping.h"
#include "mapper/prove/prove.h"

#define PROVE_DEFAULT_SEED 1

struct prove_how {
	uint64_t seed;
	unsigned n_thread;
	bool show_progress;
	bool is_mapping;  /* candidates are one mapping's layers */
	const char *what; /* of the progress line: "proving vgg16" */
};

/*
 * prove_network on so many threads; Ctrl-C ends it after a layer (ERR_INTERRUPTED), as it does once deadline_ms
 * (stop_now_ms; 0: none) has passed: n_done says how many candidates were proved, the first of them.
 */
enum err_code prove_run(const struct network *network, struct prove_candidate *candidate, size_t n,
                        const struct prove_how *how, size_t *n_done, struct err *err);

/* The candidates of a mapping's layers, chosen [n_block] (NULL: all), into candidate [n_block]; how many there are. */
size_t prove_list(const struct mapping *mapping, const bool *chosen, const struct layer_context *context,
                  struct prove_candidate *candidate);

/* A table of candidates of one network, what is wrong with each, and a line for all. */
void prove_print(FILE *file, const struct network *network, const struct prove_candidate *candidate, size_t n);

/* Keys proved, hash and layers of the object that is open. */
void prove_put_json(struct json *json, const struct network *network, const struct prove_candidate *candidate,
                    size_t n);

/* ERR_GATE when one was not bit-exact, ERR_INFEASIBLE when one cannot run; a message for each such layer. */
enum err_code prove_judge(const struct network *network, const struct prove_candidate *candidate, size_t n,
                          struct err *err);

#endif
