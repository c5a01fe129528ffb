/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_DESIGN_READ_H
#define DSE_DESIGN_READ_H
/* One design of a layer, from the "designs" of a front.json. */
#include "mapper/split/design.h"
#include "sim/base/doc.h"

/* The value under a key that a front always has; NULL and a message when it is not there. */
const struct doc_node *front_need(const struct doc_node *map, const char *key, struct err *err);
const char *front_need_text(const struct doc_node *map, const char *key, struct err *err);
bool front_need_choice(const struct doc_node *map, const char *key, const char *const *names, size_t n, size_t *out,
                       struct err *err);

/*
 * Read the design of block on machine. Every field but the rare ones (dse/layer/design_field.h) is
 * required: a default would make a damaged file look like another design. false and a message (ERR_INPUT)
 * when something is missing, or is not to be had on this machine or block.
 */
bool design_read(const struct doc_node *layer, const struct block *block, const struct machine *machine,
                 struct layer_design *design, struct err *err);

#endif
