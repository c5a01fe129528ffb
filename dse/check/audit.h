/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_AUDIT_H
#define DSE_AUDIT_H
/*
 * Audit: whether a front is what its certificate says, checked by ways that share neither bounds nor composition with
 * the search:
 *
 *   points         each is evaluated again as one whole design: the same objectives, and no point dominates another
 *   whole designs  of machines that have few enough: all are evaluated, and some point must be as good as each
 *   layer designs  of layers that have few enough: all are evaluated, and their front must be the one that the layer's
 *                  search finds; where this is so for all layers, all combinations of their points are checked, too
 *   samples        whole designs drawn at random, and points of the front with other layers or genes: some point must
 *                  be as good as each
 *
 * A point is as good as a design if it is at most 1 + epsilon times as large in each objective. epsilon is the search's
 * own (0: exact); a small slack allows for sums in another order. A search that proves nothing is judged by its points
 * only; designs that beat its front are counted.
 */
#include "dse/search/explore.h"
#include "dse/out/json.h"

#define AUDIT_MAX_FAULT 8

/* How far the values of one design may be apart, relative: they are summed up in another order. */
#define AUDIT_SLACK 1e-9

struct audit_options {
	unsigned n_thread;
	uint64_t seed;     /* of the samples */
	uint64_t n_sample; /* 0: as many as the space's tier can do in seconds */
	bool show_progress;
};

enum audit_kind {
	AUDIT_VALUE, /* a point's objectives are not those of its design, or it keeps not all limits */
	AUDIT_ORDER, /* another point is nowhere worse */
	AUDIT_LACK,  /* a design that no point is as good as */
	AUDIT_LAYER, /* the search of a layer does not find the front that brute force finds */
	AUDIT_N_KIND
};

struct audit_fault {
	enum audit_kind kind;
	size_t point; /* of the front, or (AUDIT_LACK) of audit.lacking */
	char machine[EXPLORE_TEXT_SIZE];
	char what[2 * EXPLORE_TEXT_SIZE];
};

struct audit {
	bool claims;    /* the search accounts for all designs; else none is lacking, only better */
	double epsilon; /* that the search states */
	uint64_t n_point;
	uint64_t n_machine;                              /* that were looked at, beyond their points */
	uint64_t n_machine_whole;                        /* of them those with every whole design evaluated */
	uint64_t n_machine_all;                          /* of the space */
	uint64_t n_whole;                                /* whole designs of those */
	uint64_t n_layer, n_layer_large, n_layer_design; /* layer searches compared, too large for it; designs */
	uint64_t n_combined;                             /* combinations of layers' points */
	uint64_t n_sample, n_feasible;
	uint64_t n_better; /* designs that no point is as good as: each one a fault where the search claims all */
	uint64_t n_fault;
	size_t n_listed; /* faults in words: of designs evaluated together only the first is */
	struct audit_fault fault[AUDIT_MAX_FAULT];
	struct pareto lacking; /* the designs of AUDIT_LACK as a front of their own; not sorted */
	bool interrupted;      /* Ctrl-C: it says nothing */
	double seconds;
};

/*
 * Audit a front that is not empty, of a search that Ctrl-C has not stopped, made with these options. The result does
 * not depend on threads. ERR_INTERNAL when memory is out; faults are no error here. The caller frees the audit, also
 * after an error.
 */
enum err_code audit_run(const struct explore *explore, const struct explore_options *search,
                        const struct audit_options *options, struct audit *audit, struct err *err);
void audit_free(struct audit *audit);

/* As lines for people; as an object "audit" of the object that is open; as half a sentence for the certificate. */
void audit_print(FILE *file, const struct audit *audit);
void audit_put_json(struct json *json, const struct audit *audit);
void audit_print_verdict(const struct audit *audit, char *text, size_t n_byte);

/* ERR_INTERNAL with each fault and how to run its design alone, where there are any; dir holds the run's files. */
enum err_code audit_judge(const struct audit *audit, const char *dir, const char *command, struct err *err);

#endif
