/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_MACHINE_READ_H
#define DSE_MACHINE_READ_H
/* Machine files: our YAML and SCALE-Sim's .cfg. */
#include "dse/space/provenance.h"
#include "dse/space/technology_read.h"
#include "sim/base/doc.h"
#include "sim/machine/machine.h"

/* Read one machine file. ERR_INPUT with file:line:column, ERR_IO. */
enum err_code machine_read(const char *path, struct machine *machine, struct err *err);

/* The same, with where its numbers come from. ERR_INPUT, ERR_IO, ERR_INTERNAL; machine and sources untouched then. */
enum err_code machine_read_sources(const char *path, struct machine *machine, struct machine_sources *sources,
                                   struct arena *arena, struct err *err);

/* The same; the finder knows where the table of its technology lies. */
enum err_code machine_read_found(const char *path, const struct table_finder *finder, struct machine *machine,
                                 struct machine_sources *sources, struct arena *arena, struct err *err);

/* A name that is safe in file names: letters, digits, '_', '-' and '.', less than n_byte characters. */
void machine_read_name(const struct doc_node *node, const char *what, char *name, size_t n_byte, struct err *err);

#endif
