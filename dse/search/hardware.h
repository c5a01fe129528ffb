/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_HARDWARE_H
#define DSE_HARDWARE_H
/*
 * Bounds over whole machines. Machine candidates that differ only in parameters
 * of which more is never worse (SRAM, clocks, bandwidth) form a family. For the
 * best machine of a family dse computes an optimistic front, the outlook. If
 * designs already found on other machines dominate that whole front, the machine
 * is cut, and so are the lesser ones of its family: no layer of theirs is searched.
 *
 *   all candidates ─► families, alike but for what only helps ─► outlook of the best of each
 *                           ▲                                       │ designs             │ bounds
 *                           │                                       ▼                     ▼
 *                           │                                    archive ──► is every point over the slack dominated?
 *                           └── the next best ◄── no: it is searched ◄──┴─► yes: cut, with all that it serves for
 *
 * Every point of the archive is a design of the space. What it dominates is not on
 * the front, even if the machine of that point is cut later. The result is the same
 * for any number of threads, ranks and shards: each process makes all outlooks.
 */
#include "dse/base/at_work.h"
#include "dse/search/floors.h"
#include "dse/search/outlook.h"
#include "dse/search/share.h"
#include "dse/search/standing.h"

/* Spaces with more machine candidates are searched without. */
#define HARDWARE_MAX_MACHINE 65536

struct hardware_options {
	const struct space *space;
	const struct layer_map *map;
	unsigned n_thread;
	struct share *share; /* whose journals may know outlooks, and keep those that are made; NULL: none */
	struct at_work_page *at_work; /* is told of each outlook; machines that it leaves out are not looked at; may be NULL */
	/* Called now and then with the part that is done; false: stop. From any thread. */
	bool (*watch)(void *context, double done);
	/* Called between searches with the designs seen so far, over the objectives. */
	void (*show)(void *context, const struct pareto *archive);
	void *watch_context;         /* of both */
	struct floors *floors;       /* receives what outlooks prove */
	struct standings *standings; /* receives the machines that are cut, and what was known of them; may be NULL */
};

struct hardware {
	uint64_t n_machine;
	bool *is_cut; /* [n_machine] */
	uint64_t n_cut;
	/* Of the machines that are cut: designs of their distinct layers; logarithm of those of whole networks. */
	uint64_t n_candidate, n_legal;
	double log10_design;
	bool interrupted;   /* the watch stopped it; nothing is cut then */
	uint32_t shown;     /* a machine of which designs were seen; 0: none was */
	struct pareto seen; /* objectives of the best designs seen */
};

/*
 * Judge the machine candidates of a space of at most HARDWARE_MAX_MACHINE. What rules refuse, breaks a limit by itself
 * or has no design is never cut: the search says so. The caller frees the result with hardware_free, also after an
 * error. ERR_INTERNAL when memory is out.
 */
enum err_code hardware_bound(const struct hardware_options *options, struct hardware *hardware, struct err *err);
void hardware_free(struct hardware *hardware);

/* The most SRAM of a PE that a machine has which is to be searched and is like this one in all other axes; 0: none is.
 */
uint64_t hardware_most_sram(const struct space *space, const struct hardware *hardware, uint64_t index);

#endif
