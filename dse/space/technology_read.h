/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_TECHNOLOGY_READ_H
#define DSE_TECHNOLOGY_READ_H
/*
 * The section `technology` of a machine file, and a user's own table of parts in CSV (spaces/machines/README.md).
 */
#include "sim/base/arena.h"
#include "sim/base/doc.h"
#include "sim/machine/machine.h"

/* Where a machine's table lies that its file names; NULL, with the reason in err: nowhere. The path lives in arena. */
struct table_finder {
	const char *(*find)(void *context, const char *beside, const char *name, struct arena *arena, struct err *err);
	void *context;
};

/* The finder for files on disk: beside the machine file, or shipped under spaces/technology. */
extern const struct table_finder table_finder_disk;

/*
 * Read the section into machine->technology.of, and what follows of it into the machine: DRAM energy by kind. is_given
 * tells which parameters the file gives itself. *table: the path of the user's table, in arena; untouched where there
 * is none. Mistakes go into err. false: there is one.
 */
bool technology_read(const struct doc_node *map, const struct doc_node *root, const char *path,
                     const struct table_finder *finder, struct machine *machine, const char **table,
                     struct arena *arena, struct err *err);

#endif
