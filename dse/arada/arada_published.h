/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ARADA_PUBLISHED_H
#define DSE_ARADA_PUBLISHED_H
/*
 * The ARADA paper's printed figures beside ours, under each reading of what its GB/s are to SCALE-Sim: the paper does
 * not say it, and no reading meets all of its figures.
 *
 *   CSV of figures, space -> a study for each reading -> table, CSV
 *
 * Columns of the CSV: source; machine and memory of the space; network, empty: the mean of all; layers, counted from 0
 * as in the paper's figure 8 ("5", "10-24", "13;15;17"), empty: whole networks; quantity; published_pct.
 */
#include "dse/arada/arada_study.h"
#include <stdio.h>

enum arada_quantity {
	ARADA_ENERGY_SAVING,    /* of VF-OH-Q, whole networks */
	ARADA_BANDWIDTH_SAVING, /* of VF-OH-Q, whole networks, mean over their layers */
	ARADA_TOPS_CUT,         /* of layers: how much slower the array may be, IDEAL */
	ARADA_BANDWIDTH_CUT,    /* of layers: how much less bandwidth, IDEAL */
	ARADA_IMBALANCE,        /* of layers: the larger of the two cuts */
	ARADA_STALLED,          /* share of the layers that wait for the memory */
	N_ARADA_QUANTITY
};
extern const char *const arada_quantity_name[N_ARADA_QUANTITY]; /* "energy_saving", ... */

/* A GB/s is a word a clock; bytes; words of 4 bytes. */
enum arada_reading { ARADA_AS_WORDS, ARADA_AS_BYTES, ARADA_AS_FLOATS, N_ARADA_READING };
extern const char *const arada_reading_name[N_ARADA_READING]; /* "words", "bytes", "4-byte words" */

struct arada_published_row {
	const char *source, *layers; /* layers "": whole networks */
	size_t machine, memory;      /* of the space, of its arada.memory */
	size_t network;              /* of the space; n_network: the mean */
	enum arada_quantity quantity;
	double published_pct;
	double own_pct[N_ARADA_READING];
};

/* Met: within a tenth of the figure, or within so many points. */
#define ARADA_MET_FRAC 0.1
#define ARADA_MET_POINT 2.0
bool arada_published_is_met(const struct arada_published_row *row, enum arada_reading reading);

struct arada_published {
	const struct space *space;
	size_t n;
	struct arada_published_row *row;      /* [n] */
	double word_per_clk[N_ARADA_READING]; /* of 100 GB/s on the space's first machine, to name the readings by */
	struct arena arena;
};

/*
 * Read a table and fill in ours: a study of the memories that it names, for each reading. ERR_INPUT with a place;
 * errors of arada_study_run. Caller frees, also after an error.
 */
enum err_code arada_published_run(const struct space *space, const char *path, const char *csv,
                                  const struct arada_how *how, struct arada_published *published, struct err *err);
void arada_published_free(struct arada_published *published);

/* Of the rows those that a reading meets, and the reading that meets most; of equal ones the first. */
size_t arada_published_n_met(const struct arada_published *published, enum arada_reading reading);
enum arada_reading arada_published_best(const struct arada_published *published);

void arada_published_print(FILE *file, const struct arada_published *published);
void arada_published_write(FILE *file, const struct arada_published *published);

#endif
