/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FRONT_READ_H
#define DSE_FRONT_READ_H
/*
 * A front that was kept, read back whole from its front.json: out of a store of runs, a file or memory. What
 * dse/result/front_file.h writes is here plain data again; only a design's fields stay nodes, for design_read
 * (dse/design/design_read.h), which needs the machine. One point of a front is read by dse/design/replay_read.h.
 */
#include "dse/space/detail.h"
#include "dse/space/metric.h"
#include "dse/space/provenance.h"
#include "dse/keep/run_store.h"
#include "dse/space/space.h"
#include "sim/base/doc.h"

#define FRONT_FORMAT "dse front 1"

/* How the lines of a front.json begin that hold a design each, and a point. */
#define FRONT_DESIGN_LINE "\t\t{\"design\": "
#define FRONT_POINT_LINE "\t\t{\"id\": "

/* An input that the front names, by the path it had then, and its hash. */
struct kept_machine {
	const char *name, *file, *hash;
};

struct kept_network {
	const char *name, *file, *hash;
	double weight;
	size_t begin, n_layer; /* its layers' first number, and how many there are */
};

/* A distinct design of a layer on one machine and one value of each axis. */
struct kept_design {
	uint64_t number;             /* in the file */
	const char *operation;       /* of the first layer that has it */
	const struct doc_node *node; /* its fields, for design_read, and all else that the file says of it */
	uint64_t total_clk;
	const double *metric; /* [N_METRIC]; NaN: the file has none */
};

/* What --verify found of a point. */
struct kept_verified {
	double objective[SPACE_MAX_OBJECTIVE]; /* in the event tier; NaN: the file has none */
	double error_pct, margin_pct;          /* likewise */
	const char *front;                     /* "certain" or "depends" */
};

struct kept_point {
	uint64_t id;
	uint32_t machine;         /* index of kept_front.machine */
	const char *const *value; /* [n_axis] as text: "16x4" */
	const double *metric;     /* [N_METRIC]; NaN: unknown (area without coefficients) */
	const double *of_network; /* [n_network][N_METRIC]; NaN: the machine's, which the file has once */
	double uncertainty_pct, reference_uncertainty_pct; /* of the latency; NaN: older fronts do not say */
	/* Of the energy within all intervals of coefficients, mJ, and what part rests on those of each confidence,
	 * percent; NaN: none, or older fronts do not say. */
	double energy_least_mj, energy_most_mj, energy_pct[N_CONFIDENCE];
	double like_it;                       /* points that it stands for; NaN: it was not priced */
	const char *place;                    /* then: "certain" or "shared" */
	const struct kept_verified *verified; /* NULL: it was not verified */
	const uint32_t *design; /* [n_layer] indices of kept_front.design, by network and in order of execution */
};

struct kept_front {
	const char *space, *signature;
	enum detail detail;
	size_t n_objective;
	enum metric objective[SPACE_MAX_OBJECTIVE];
	enum space_aggregate aggregate;
	bool level_changes;
	uint64_t level_shares; /* 0: none */
	double deadline_ms;    /* 0: none */
	size_t n_machine, n_axis, n_network, n_layer, n_design, n_point;
	const struct kept_machine *machine;
	const char *const *axis; /* [n_axis] machine parameters that vary: "mla.array" */
	const struct kept_network *network;
	const char *const *operation; /* [n_layer] */
	struct kept_design *design;   /* [n_design] numbers ascending */
	struct kept_point *point;     /* [n_point] in the front's order */
	struct arena arena;           /* owns all of the above */
};

/*
 * Read a front from text; name stands for the file in messages. Reads it line by line as explore lays it out, so that
 * no front is too long, and as a whole document when somebody laid it out anew. ERR_INPUT with the place, ERR_INTERNAL;
 * *front is empty then. The caller frees it with kept_front_free.
 */
enum err_code front_read_text(const char *name, const char *text, size_t n_byte, struct kept_front *front,
                              struct err *err);

/* The same from a file. ERR_IO besides. */
enum err_code front_read_file(const char *path, struct kept_front *front, struct err *err);

/*
 * The same of a run of a store. A run without a feasible design has a front without points and nothing else. ERR_IO,
 * ERR_INPUT also where the store is damaged, ERR_INTERNAL.
 */
enum err_code front_read_run(struct database *store, const struct run_record *run, struct kept_front *front,
                             struct err *err);
void kept_front_free(struct kept_front *front);

/* Objectives of all points, [n_point][n_objective]; the caller frees it. */
double *kept_front_objectives(const struct kept_front *front);

#endif
