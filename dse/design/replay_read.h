/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_REPLAY_READ_H
#define DSE_REPLAY_READ_H
/* Reading one point of a front.json without reading all the others. */
#include "sim/base/doc.h"

/*
 * The document with everything outside "designs" and "points", of the points
 * only the one with this id (*point), and of the designs at least those it
 * names. The file is read line by line as explore writes it, and as a whole
 * when somebody laid it out anew. ERR_IO, ERR_INPUT.
 */
enum err_code replay_read_point(const char *path, uint64_t id, struct arena *arena, const struct doc_node **root,
                                const struct doc_node **point, struct err *err);

/* The design with this number, or NULL. */
const struct doc_node *replay_find_design(const struct doc_node *root, uint64_t number);

#endif
