/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PATHS_H
#define DSE_PATHS_H
/*
 * Paths: where shipped files are. A user may write a path or the bare name of
 * a file under spaces/machines or spaces/networks.
 */
#include "sim/base/arena.h"
#include "sim/base/err.h"
#include <stdbool.h>

/* Endings that a name may leave out; the first is none. */
#define PATH_N_ENDING 4
extern const char *const path_ending[PATH_N_ENDING];

/* Whether a path ends so, in capitals or not. */
bool path_ends_in(const char *path, const char *ending);

/*
 * Find a file by name: as given, then NAME and NAME.yaml, NAME.csv, NAME.cfg in ./spaces/FOLDER,
 * then in ../spaces/FOLDER and ../share/dse/spaces/FOLDER of the folder the
 * program lies in, then where libdse lies and where it was to be installed (build_data), at last NAME.yaml, NAME.csv,
 * NAME.cfg in the working directory. folder is "machines", "networks", or "" for spaces. The path lives in arena.
 * ERR_IO when there is none, with the nearest name that exists, or what else has that name.
 */
enum err_code path_find(const char *name, const char *folder, struct arena *arena, const char **path, struct err *err);

/* The same for a name of any kind: a space, else a machine, else a network. */
enum err_code path_find_any(const char *name, struct arena *arena, const char **path, struct err *err);

/*
 * What path_find would find in a folder: names without endings, sorted, none twice; up to max of them into name
 * [max]. Returns how many; they live in arena.
 */
size_t path_list(const char *folder, struct arena *arena, const char **name, size_t max);

/*
 * A file that another one, beside, names: by path relative to it, or by name in the folder of that kind beside it or
 * beside a folder above it; then as path_find does; at last by name, without its ending, beside it, where it may not be
 * that file itself. The path is plain and lives in arena. ERR_IO.
 */
enum err_code path_find_beside(const char *beside, const char *name, const char *kind, struct arena *arena,
                               const char **path, struct err *err);

/*
 * A path without detours ("a/../b"), where that is the same file, so that results name inputs alike wherever the
 * program is. NULL: out of memory.
 */
const char *path_plain(const char *path, struct arena *arena);

#endif
