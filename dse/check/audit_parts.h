/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_AUDIT_PARTS_H
#define DSE_AUDIT_PARTS_H
/*
 * Parts of the audit. A stop is one machine; the audit handles a few stops at a time (audit_group.c):
 *
 *   build ─► layers by brute force (audit_layer.c) ─► lists of layer designs (audit_sample.c)
 *                                                     ─► whole designs, chunk by chunk ─► judged (audit_judge.c)
 *
 * Whole designs of a stop are numbered, and a design can be rebuilt from its number: a chunk keeps the first number
 * whose design no point of the front covers.
 */
#include "dse/check/audit.h"
#include "dse/search/candidate.h"
#include "dse/search/whole.h"

/* Layer designs to choose from, with the index of their place. */
struct audit_list {
	size_t n;
	uint32_t *gene; /* [n][N_LAYER_GENE] */
};

/* A layer's search and its brute force. */
struct audit_layer {
	bool is_listed;      /* small enough, and reachable */
	uint64_t n_design;   /* evaluated */
	bool differs;        /* faults come of it */
	struct pareto front; /* by brute force */
	char what[2 * EXPLORE_TEXT_SIZE];
	enum err_code code;
	struct err err;
};

enum audit_source { SOURCE_WHOLE, SOURCE_COMBINED, SOURCE_SAMPLE };

/* One machine. */
struct audit_stop {
	uint32_t machine_index;
	size_t ordinal;              /* among the stops: its part of the random numbers */
	size_t first_point, n_point; /* in audit_job.by_machine */
	bool is_sampled;             /* else only its points are looked at */
	uint64_t n_sample;
	struct candidate candidate; /* of its own set, to be searched again */
	bool is_built;
	struct audit_layer *layer; /* [n_task] */
	struct audit_list *list;   /* [n_distinct] */
	enum audit_source source;
	uint64_t n_whole; /* designs of the source */
	enum err_code code;
	struct err err;
};

struct audit_job {
	const struct explore *explore;
	const struct explore_options *search;
	const struct audit_options *options;
	struct audit *audit;
	struct whole whole;
	size_t *by_machine; /* [front.n] points, machine by machine */
	size_t n_stop;
	struct audit_stop *stop;
	size_t first, n_group;           /* the stops that are worked on */
	uint64_t whole_left, layer_left; /* designs that brute force may still take */
};

/* What brute force may take, by tier. */
struct audit_effort {
	uint64_t n_sample;
	uint64_t max_whole, max_layer; /* designs of a machine, of a layer */
	uint64_t total;                /* of all whole designs, and of all layers' */
};
extern const struct audit_effort audit_effort_table[N_DETAIL];

/* Search task i of a stop again and enumerate its designs; result in stop->layer[i]. */
void audit_check_layer(const struct audit_job *job, struct audit_stop *stop, size_t i);

/* Note a fault; serially. stop NULL: it is no single machine's. */
void audit_note_fault(struct audit_job *job, const struct audit_stop *stop, enum audit_kind kind, size_t point,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Whole designs of a stop: every one (UINT64_MAX: too many to count). */
uint64_t audit_n_whole(const struct audit_stop *stop);

/* List the points of all fronts by brute force, when all layers have one; how many combinations; 0: not all do. */
uint64_t audit_list_points(struct audit_stop *stop);

/* Draw feasible designs of one distinct layer to choose from. */
void audit_draw_list(const struct audit_job *job, struct audit_stop *stop, size_t distinct);

/* Design number i of the stop's source into canonical [genome_size], as whole_evaluate takes it. */
void audit_make(const struct audit_job *job, const struct audit_stop *stop, uint64_t i, uint32_t *canonical);

/* Whether its places have become what the list says; of SOURCE_COMBINED, where some combinations are no design. */
bool audit_is_as_made(const struct audit_job *job, const struct audit_stop *stop, uint64_t i,
                      const uint32_t *canonical);

/* No point may make another superfluous. */
void audit_check_order(struct audit_job *job);

/* Judge the points of the group's machines, or the designs of their sources. */
void audit_judge_group(struct audit_job *job, bool of_points);

/* All of a group of machines; audit_free_stop for each afterwards, also on failure. ERR_INTERNAL. */
enum err_code audit_work_on_group(struct audit_job *job, struct err *err);
void audit_free_stop(struct audit_stop *stop);

#endif
