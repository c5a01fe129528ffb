/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LEAST_H
#define DSE_LEAST_H
/*
 * The least of one metric over all whole designs of a space, for a part of the
 * work of a front of that single objective. Each layer has a lower bound, and a
 * sample gives an upper one; only layers that decide the answer are searched:
 *
 *   bounds of the layers ─► least chain of them ─► its layers that are not settled: search ─┐
 *                                ▲                                                          │
 *                                └──────────────────────────────────────────────────────────┘
 *
 * until that chain is of designs that are there. A machine whose chain is no
 * better than another machine's design is done.
 */
#include "dse/search/candidate.h"
#include "dse/search/least_memory.h"

/* How far an answer may stay above the least, relative: sums of the same values in another order are told equal. */
#define LEAST_SLACK 1e-9

/*
 * What layers' searches found: the least of each metric, machine by machine. Kept while a space is explored, to be
 * asked when nothing fits. Spaces with more machines than fit are not kept.
 */
struct least_table {
	uint64_t n_machine;
	unsigned n_metric;
	enum metric metric[N_METRIC];
	struct least_row {
		size_t n_task;
		double *least; /* [n_task][n_metric] NaN: unknown */
	} * row;               /* [n_machine] */
};

/* NULL when memory is out or there are too many machines; least_table_free takes it. */
struct least_table *least_table_new(uint64_t n_machine);
void least_table_free(struct least_table *table);

/* Note what the searches of a candidate found that came to their end, by an engine that proves. Serially. */
void least_table_note(struct least_table *table, const struct candidate *candidate);

/* Least of a metric in task i of a machine; NaN: unknown. table may be NULL. */
double least_table_find(const struct least_table *table, uint32_t machine_index, size_t i, enum metric metric);

struct least_options {
	const struct space *space;   /* one objective; see least_serves */
	const struct layer_map *map; /* of its networks, with their splits listed; NULL: it is made for this */
	unsigned n_thread;
	double enough;                   /* a design of at most so much is good enough; infinite: the least of all */
	bool first;                      /* of the machines with a design that is enough the first one will do */
	const struct least_table *known; /* of the same machines and layers; NULL: nothing is */
	struct least_memory *memory;     /* of layers on any machines: asked, and told what is found; NULL: none */
	bool only_remembered;            /* nothing is sampled or searched: value is what the memory's designs take */
	uint64_t max_box; /* that searches may look at, to within a round of one; 0: no limit */
};

struct least {
	bool found;   /* a design; of at most `enough`, where that is asked for */
	double value; /* its metric: no design has less, unless `enough` was asked for */
	uint32_t machine_index;
	struct machine machine;
	uint64_t n_machine; /* that have such a design */
	uint64_t n_search;  /* layers that had to be searched */
	uint64_t n_box;     /* that those searches looked at */
	bool is_spent;      /* max_box was too little: value is some design's */
	bool interrupted;   /* Ctrl-C: the others say nothing */
};

/* Whether least_find serves a space whose objective is this: no limits, no deadline, a metric of layers. */
bool least_serves(const struct space *space, enum metric metric);

/* ERR_INTERNAL, ERR_INPUT. */
enum err_code least_find(const struct least_options *options, struct least *least, struct err *err);

#endif
