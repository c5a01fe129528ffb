/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ARADA_EXACT_STUDY_H
#define DSE_ARADA_EXACT_STUDY_H
/*
 * The exact allocation on all machines and networks of an ARADA study, beside its
 * layer-local rule.
 *
 *   struct arada_study -> struct arada_work of each layer -> arada_gain_find on all threads -> tables, CSV, JSON
 *
 * Besides clock and bandwidth a half or three quarters of the array's columns may
 * be switched off, and clocks raised by two steps where race to idle's peak power
 * allows it.
 */
#include "dse/arada/arada_gain.h"
#include "dse/arada/arada_study.h"
#include "dse/out/json.h"

/* A network on a machine. */
struct arada_exact_run {
	const struct arada_run *run;
	struct arada_knobs knobs;
	struct arada_case of;
	struct arada_gain gain[N_ARADA_ENERGY];
	struct arena arena; /* of all that it points to but the study's */
};

struct arada_exact_study {
	const struct arada_study *study;
	struct arada_exact_run *run; /* [study->n_run] in its order */
};

/* The study outlives it. Results do not depend on n_thread. Errors as arada_gain_find; the result is empty then. */
enum err_code arada_exact_run(const struct arada_study *study, unsigned n_thread, struct arada_exact_study *exact,
                              struct err *err);
void arada_exact_free(struct arada_exact_study *exact);

/* Means of each machine under each model of energy and, unless brief, every network. Errors stay in the stream. */
void arada_exact_print(FILE *file, const struct arada_exact_study *exact, bool brief);

/* A row a network, machine and model of energy. */
void arada_exact_write(FILE *file, const struct arada_exact_study *exact);

/*
 * What a run-time system reads of the exact allocations (the energies of the machine; the same knobs as the rule): a
 * row a layer, with the changes that it hosts.
 */
void arada_exact_write_schedule(FILE *file, const struct arada_exact_study *exact);

/* Means as a list of objects under a key. */
void arada_exact_put_json(struct json *json, const char *key, const struct arada_exact_study *exact);

#endif
