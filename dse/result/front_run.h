/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FRONT_RUN_H
#define DSE_FRONT_RUN_H
/* A front with all that a run knows of it: what its files, its table and its certificate are made from. */
#include "dse/check/audit.h"
#include "dse/check/mapping_compare.h"
#include "dse/out/json.h"
#include "dse/check/misfit.h"
#include "dse/check/prove_front.h"
#include "dse/pareto/quality.h"
#include "dse/price/price.h"
#include "dse/price/sample.h"
#include "dse/check/verify.h"
#include "dse/verdict/verdict.h"

/* Length of a signature in hexadecimal, with its terminator. */
#define FRONT_SIGNATURE_SIZE 17

/* Where a front comes from that was not searched for: a run that asked the same before. */
struct front_known {
	uint64_t run;   /* its number in the store */
	char date[24];  /* when it began */
	double seconds; /* of its search */
};

/* A file of a front that was written before, to be written again. */
struct front_text {
	char *data;
	size_t n_byte;
};
enum { FRONT_CSV, FRONT_JSON, FRONT_SVG, FRONT_N_TEXT };

/* Everything the writers need to know of a run. */
struct front_run {
	const struct space *space;
	const struct explore *explore;
	const struct explore_options *options;
	const struct unroller *unroller;       /* of explore's front */
	const struct price *price;             /* of explore's front; NULL: it is the searching tier's */
	const struct sampled *sampled;         /* coefficients; NULL: they were not */
	const struct verify *verify;           /* of explore's front; NULL: it was not asked for, or interrupted */
	const struct audit *audit;             /* of explore's front; NULL: likewise */
	const struct prove_front *proof;       /* of explore's front; NULL: likewise */
	const struct mapping_compare *compare; /* mappings set beside the front; NULL: none */
	const struct front_known *known;       /* NULL: it was searched for */
	const struct front_text *text;         /* [FRONT_N_TEXT] its files, byte for byte; NULL: they are made anew */
	uint64_t n_known_search;               /* searches of layers that earlier runs had made */
	const struct run_verdict *verdict;     /* on the machines of the space; NULL: none was made */
	const struct misfit *misfit;           /* why the front is empty; NULL: it is not, or nobody knows */
	const char *command;                   /* as a user would type it */
	char signature[FRONT_SIGNATURE_SIZE];  /* of the front, by front_file_sign */
	bool has_quality;                      /* false: of an empty front, or memory was out */
	struct quality quality;                /* of the front */
	double volume[HISTORY_MAX_MARK]; /* of the history's marks, up to that reference; where quality is known */
};

#endif
