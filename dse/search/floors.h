/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FLOORS_H
#define DSE_FLOORS_H
/*
 * What is known of designs that a search has not seen, so that one that is cut short can say by how much its front may
 * be beaten: floors of machines. A floor of a machine is a set of points in the space's objectives; each of the
 * machine's designs that keeps the limits is in no objective below one of them.
 *
 *   bounds over machines (outlook.h) ─► a floor for each ┐
 *   layers searched to the end, in part, not at all ─► composed to a floor ├─► the best floor of each machine ─► gap
 *   machines not begun: the bounds that searches begin with, composed ─► ┘
 */
#include "dse/search/candidate.h"

/* Of spaces with more machines nothing is known. */
#define FLOORS_MAX_MACHINE 65536
/* Machines for which bounds are made after a search was stopped; of more nothing is known. */
#define FLOORS_MAX_BOUND 256

struct floor {
	uint32_t machine_index;
	struct pareto point; /* no genomes; none: the machine has no design that keeps the limits */
};

struct floors {
	const struct space *space;
	uint64_t n_machine;
	bool *is_settled; /* [n_machine] all of its designs are accounted for; NULL: nothing is known */
	size_t n, n_alloc, n_point;
	struct floor *floor; /* [n] */
};

/* Of a space with so many machines. Without memory, or of too many machines, no gap will be known. */
void floors_init(struct floors *floors, const struct space *space, uint64_t n_machine);
void floors_free(struct floors *floors);

/* No design of the machine is missing. */
void floors_settle(struct floors *floors, uint32_t machine_index);

/* Take a machine's floor over, which is empty afterwards; one more of the same machine is as good. */
void floors_add(struct floors *floors, uint32_t machine_index, struct pareto *point);

/*
 * The machine of a candidate after its searches and compositions: settled, or its layers' fronts and what they left
 * open are composed to a floor, which spoils the candidate's fronts. Without memory the machine gets none.
 */
void floors_note(struct floors *floors, struct candidate *candidate);

/* Floors of the machines that have none, as long as there are few and that takes no longer than a second. */
void floors_note_rest(struct floors *floors, const struct layer_map *map, unsigned n_thread);

/*
 * gap [n_machine]: by how much each machine's designs may beat a front, as floors_gap has it of all: 0 of settled ones,
 * infinite where nothing is known.
 */
void floors_gaps(const struct floors *floors, const struct pareto *front, unsigned n_thread, double *gap);

/*
 * The least gap with which the front is known to cover all designs that keep the limits: some point of it is in no
 * objective more than (1 + gap) times as large. Infinite where nothing is known.
 */
double floors_gap(const struct floors *floors, const struct pareto *front, unsigned n_thread);

#endif
