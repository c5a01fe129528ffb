/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CERTIFICATE_LOG_H
#define DSE_CERTIFICATE_LOG_H
/*
 * The certificate of an exact front, written while and after it is searched; dse/certify checks it and says what its
 * lines mean.
 *
 *   each machine that was searched: its layers' fronts, and the boxes that lie behind them ┐
 *   after the search, each machine that was cut: bounds of its layers, and their boxes     ├─► file
 *   the front, design by design                                                            ┘
 */
#include "dse/search/explore.h"

struct certificate_log {
	FILE *file; /* the caller's; errors stay in the stream */
	const struct space *space;
	size_t max_front; /* of compositions of cut machines' bounds; after certificate_log_begin the caller's choice */
	uint8_t **place;  /* [n_machine][n_distinct][PLACE_N] by gene, of those that were logged; else NULL */
};

/* The head of a space's certificate. ERR_INTERNAL. The caller frees the log with certificate_log_free in any case. */
enum err_code certificate_log_begin(struct certificate_log *log, const struct space *space, FILE *file,
                                    struct err *err);
void certificate_log_free(struct certificate_log *log);

/*
 * The explore_log callback: context is the log. ERR_INTERRUPTED without a message; ERR_INTERNAL, also where a layer's
 * front lacks a design, which is an error of the search.
 */
enum err_code certificate_log_machine(void *context, const struct candidate *candidate, struct err *err);

/* After a search that was not cut short: the machines that were cut, and the front. Likewise. */
enum err_code certificate_log_end(struct certificate_log *log, const struct explore *explore, unsigned n_thread,
                                  struct err *err);

#endif
