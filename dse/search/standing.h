/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_STANDING_H
#define DSE_STANDING_H
/*
 * Where each machine candidate stands once a space was searched layer by layer: on the front, or behind which other
 * machine, by how much at least, and what its best designs spend their time and energy on.
 *
 *   machine cut by bounds ─► its lower bounds ──────┐
 *   machine searched ──────► its own front ─────────┼─► standings_judge ◄─ the front of all machines
 *                              └─► fastest design   ┘        │
 *                                  thriftiest design         └─► beaten by, margin
 *
 * All figures are of the tier that searched. They are plain numbers, which runs in the store keep.
 */
#include "dse/search/candidate.h"
#include "dse/pareto/pareto.h"

/* Of spaces with more machines nothing is noted; with more than the second number no designs. */
#define STANDING_MAX_MACHINE 65536
#define STANDING_MAX_DESIGN 2048
#define STANDING_NOBODY UINT32_MAX

enum standing_kind {
	STANDING_OPEN,    /* not looked at, or not to the end: nothing is proven of it */
	STANDING_REFUSED, /* by a rule, a constraint on machines, or a limit that it breaks by itself */
	STANDING_EMPTY,   /* no design of it keeps the limits */
	STANDING_FAILED,  /* its search failed */
	STANDING_CUT,     /* bounds prove that it has nothing on the front; it was not searched */
	STANDING_SEARCHED
};

/* What one design of a machine spends, in the closed forms: sums over all networks by their weights. */
struct standing_design {
	bool is_known;
	double latency_ms, energy_mj, static_mj, dram_byte;
	double bound_ms[N_BOUND];  /* of latency_ms, by what bounds the phases */
	uint32_t n_layer[N_BOUND]; /* layers that it bounds for most of their time */
	uint32_t worst[N_BOUND];   /* block number of the one with most of this time */
	uint32_t n_block,
	    n_level[MACHINE_MAX_LEVEL]; /* layers, and how many run at each operating point; mixed ones at none */
};

struct standing {
	uint32_t kind; /* enum standing_kind */
	bool is_on_front;
	bool is_proven; /* least and margin hold for all of its designs, not only for those that were seen */
	/* Of each objective the least value: of its designs that keep the limits, as a proven bound where it was cut.
	 */
	double least[SPACE_MAX_OBJECTIVE];
	/*
	 * Of a machine that is not on the front: in each objective that is not the machine's own at once, some design
	 * on the front is better than any of its by this fraction. Negative: it may be ahead by so much. NAN: not
	 * known.
	 */
	double margin;
	uint32_t beaten_by; /* the machine whose designs on the front do so alone, by own_margin; STANDING_NOBODY: none
	                       does */
	double own_margin;
	/* Of its own designs the fastest and the thriftiest, of a machine that was cut of those that were seen. */
	struct standing_design fastest, thriftiest;
};

struct standings {
	const struct space *space;
	size_t n;
	struct standing *machine; /* [n] by index */
	struct pareto *point;     /* [n] until they are judged: no design of the machine is below all of them */
	size_t n_point;
};

/* NULL where there are too many machines: then nothing is known. Without memory the program ends. */
struct standings *standings_new(const struct space *space, uint64_t n_machine);
void standings_free(struct standings *standings);

/* In all of the following standings may be NULL. */
void standings_note_kind(struct standings *standings, uint32_t machine_index, enum standing_kind kind);

/*
 * A machine that was searched and composed. is_proven: of all designs that keep the limits none is in all objectives
 * more than (1 + epsilon) times better than a composed one.
 */
void standings_note_searched(struct standings *standings, const struct candidate *candidate, bool is_proven,
                             double epsilon);

/* A machine with points [n][n_objective] over the objectives, as far as they are known: nothing is proven of others. */
void standings_note_points(struct standings *standings, uint32_t machine_index, const double *objective, size_t n);

/* A machine that was cut, with the bounds that say so, over the objectives, which the call empties. */
void standings_note_cut(struct standings *standings, uint32_t machine_index, struct pareto *floor,
                        const struct standing_design *fastest, const struct standing_design *thriftiest);

/* Nothing was cut after all. */
void standings_forget_cuts(struct standings *standings);

/* Set all machines beside the front of all of them, over the objectives, genomes begin with the machine. */
void standings_judge(struct standings *standings, const struct pareto *front, unsigned n_thread);

/* The fastest and the thriftiest of the composed designs that keep the limits. */
void standing_measure(const struct candidate *candidate, struct standing_design *fastest,
                      struct standing_design *thriftiest);

/* Write a design's figures, or read them. */
void standing_pack_design(struct standing_design *design, struct pack *pack);

/* Write standings that were judged, or read them into new ones. */
void standings_pack(struct standings *standings, struct pack *pack);

/* Which objectives of a space differ among the designs of one machine. */
void standing_scaled(const struct space *space, bool is_scaled[SPACE_MAX_OBJECTIVE]);

#endif
