/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_MISFIT_H
#define DSE_MISFIT_H
/*
 * Why nothing fits. For each limit of a space by itself: how far must it give way for a first design to come through,
 * all other limits in force? Without the limit, the least value of what it limits is the answer:
 *
 *   latency_ms <= 20         the least latency_ms of all designs without the limit
 *   chip.n_dram <= 2         the machine that breaks this constraint least, and no other, and has a design
 *   pe.sram_byte             with the most SRAM there can be, the least bytes that some design needs
 *
 * Where no other limit on results is in force, bounds of layers answer this (dse/search/least.h), with what the search
 * found of layers. Otherwise a search of one objective does: by the engine that found nothing if it proves its front,
 * else by the exact engine.
 */
#include "dse/search/explore.h"
#include "dse/out/json.h"

struct words_text;

enum misfit_kind {
	MISFIT_LIMIT,      /* on a result: metric <= now */
	MISFIT_CONSTRAINT, /* on machines: now and needed are the sides of its comparison, if it has two */
	MISFIT_SRAM        /* bytes of SRAM of a PE */
};

/* One limit, all others in force. */
struct misfit_change {
	enum misfit_kind kind;
	char what[EXPLORE_TEXT_SIZE]; /* as the space has it */
	bool helps;                   /* some value of it lets a design through */
	bool proven;                  /* that it does not help, or that nothing nearer does */
	double now, needed;           /* NaN where it is no number */
	double frac;                  /* size of the change, of now; infinite where now is 0 or no number */
	uint64_t n_machine; /* machine candidates that have a design without a limit, with the SRAM; that break a
	                       constraint */
	char machine[EXPLORE_TEXT_SIZE];
	char where[EXPLORE_TEXT_SIZE]; /* file or axis it is set in */
};

struct misfit {
	bool exists; /* a design keeps all limits after all: the search that found nothing is no proof; n is 0 then */
	bool found;  /* false: there was nothing to explain, or Ctrl-C */
	size_t n, best;               /* best: the smallest change that helps; n when none does */
	struct misfit_change *change; /* [n] */
	uint64_t work;                /* of the searches for it, as explore_work counts */
};

/*
 * Explain an empty front that came of a search to its end; of any other search
 * the result is empty. Where limits have cut no design of a layer, the layers' fronts are composed anew without a
 * limit; all other questions together look at no more boxes than the search itself, and what that does not decide is
 * not proven. ERR_INTERNAL. The caller frees it, also after an error.
 */
enum err_code misfit_find(const struct space *space, const struct explore_options *options,
                          const struct explore *explore, struct misfit *misfit, struct err *err);
void misfit_free(struct misfit *misfit);

/* The smallest change that helps, or that none does, as a sentence; n is not 0. */
void misfit_say_best(const struct misfit *misfit, struct words_text *text);

/* As a table; as an object "changes_of_one_limit" of the object that is open. */
void misfit_print(FILE *file, const struct misfit *misfit);
void misfit_put_json(struct json *json, const struct misfit *misfit);

#endif
