/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LIBRARY_PARTS_H
#define DSE_LIBRARY_PARTS_H
/* Inside libdse: mappings and evaluations (library.c), spaces and fronts (library_front.c), searches that are watched
 * (library_watch.c), messages in their parts (library_error.c). */
#include "dse/design/mapping.h"
#include "dse/lib/dse.h"
#include "dse/search/explore.h"
#include "sim/base/stop.h"
#include <locale.h>

struct library_front;

struct dse {
	struct mapping mapping;
	bool is_open, is_mapped;   /* is_mapped: every layer has a design */
	struct dse_figures *layer; /* [mapping.network.n_block]; NULL: not evaluated */
	struct dse_figures total;
	struct err err;
	locale_t plain; /* in which numbers have a point */
	locale_t callers; /* in which the caller is, during a call */
	struct stop_wish wish;
	dse_watcher watch;
	void *watch_context;
	struct library_front *front; /* of the space that is open; NULL: none is */
	struct dse_error error;
	char *error_text; /* of error */
};

/* A call begins without messages and in the locale that files and numbers are written in. */
locale_t library_begin(struct dse *dse);

/* The thread gets its locale back. */
enum dse_code library_end(struct dse *dse, enum err_code code, locale_t before);

/* What a call needs on the handle. */
enum library_need { NEED_NOTHING, NEED_OPEN, NEED_MAPPED, NEED_SPACE };

/* Whether it has its arguments and what it needs; else a message says so. */
bool library_can_begin(struct dse *dse, const char *function, bool has_arguments, enum library_need need);

/* The new mapping takes the old one's place, or, after a failure, is forgotten. */
enum err_code library_take_mapping(struct dse *dse, enum err_code code, struct mapping *mapping, bool is_mapped);

/*
 * A search: work(context, watch) in a thread of its own while who watches is told, or in this one where nobody does or
 * there is no thread to be had. watch->wish is the handle's. phase, where not NULL, says what is done after the search
 * that watch->live tells of; work may set it at any time.
 */
struct library_work {
	enum err_code (*run)(struct library_work *work, struct err *err);
	void *context;
	struct explore_watch watch;
	_Atomic(const char *) phase;
};
enum err_code library_watch_run(struct dse *dse, struct library_work *work);

void library_front_free(struct library_front *front);

#endif
