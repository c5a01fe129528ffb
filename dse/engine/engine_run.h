/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ENGINE_RUN_H
#define DSE_ENGINE_RUN_H
/* The driver of search engines: ask, evaluate in parallel, tell, until the engine is done. */
#include "dse/engine/engine.h"

/*
 * Run an engine to its end: ask, evaluate the batch in parallel, tell, insert feasible points into the archive; a
 * point's tag is its number in the order of asking, from 0. The archive is the same for any number of threads.
 * With a checkpoint the state is written now and then and when watch stops the
 * run; a run that begins with a state ends as the one that left it would have.
 * ERR_INTERNAL when memory is out; ERR_INPUT when the checkpoint's state is of
 * another search; ERR_INTERRUPTED, without a message, when
 * watch stopped the run (archive and counts are valid then).
 */
enum err_code engine_run(const struct engine_search *search, struct err *err);

#endif
