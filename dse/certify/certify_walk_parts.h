/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CERTIFY_WALK_PARTS_H
#define DSE_CERTIFY_WALK_PARTS_H
/* What the checker knows on its way through a certificate. */
#include "dse/certify/certify_parts.h"

struct certify_walk {
	struct certify_reader *reader;
	struct certify_report *report;
	struct space space;
	bool has_space;
	unsigned n_metric;
	enum metric metric[N_METRIC]; /* that are composed */
	bool *is_seen;                /* [n_machine] */
	struct certify_splits *splits;

	/* The machine at hand. */
	uint32_t machine_index;
	bool is_searched; /* its layers' points are designs */
	struct machine machine;
	struct certify_layer layer;
	size_t n_section, n_section_alloc;
	struct certify_section *section;

	/* Of all machines: no design is in all objectives below all of these. */
	size_t n_floor, n_floor_alloc;
	double *floor; /* [n_floor][n_objective] */
	size_t n_front;
	double *front; /* [n_front][n_objective] */
	uint64_t n_sum;
};

/* Values that are sums of the same numbers in another order, or came through text. */
bool certify_is_equal(double left, double right);

/* `STRATEGY REUSE OPERAND LEVEL D W H C`: which of what the layer may choose from. */
bool certify_read_design(struct certify_reader *reader, const struct certify_layer *layer,
                         struct certify_design *design);

/* Add the sums [n_metric] of a network on a machine to those of all networks, as the space says. */
void certify_add_network(const struct certify_walk *walk, const struct machine *machine, size_t network,
                         const double *sum, double *total);

/* The objectives of sums over all networks on a machine; false: they break a limit. */
bool certify_objectives(const struct certify_walk *walk, const struct machine *machine, const double *value,
                        double *objective);

/* Sums of the machine's layers, networks, and all networks, into the floor. */
bool certify_compose(struct certify_walk *walk);

/* `front POINTS EPSILON` and its designs; that each floor is above one of them, made larger by epsilon. */
bool certify_front(struct certify_walk *walk);

#endif
