/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_POINT_NAME_H
#define DSE_POINT_NAME_H
/*
 * Names of points: --point FRONT.json:ID. In place of the file a user may name the run's folder, or the run as dse show
 * knows it.
 */
#include "dse/run/run_note.h"
#include "sim/base/arena.h"

/*
 * *name becomes "FRONT.json:ID"; untouched where it is that already, or names no point. In arena. ERR_USAGE, ERR_IO:
 * there is no such run, or its front is gone.
 */
enum err_code point_name_resolve(const struct store_request *request, const char **name, struct arena *arena,
                                 struct err *err);

#endif
