/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_EXPLAIN_LAYERS_H
#define DSE_EXPLAIN_LAYERS_H
/* What may vary of which layers of a space, in words: layers of one network that may choose alike stand together. */
#include "dse/layer/layers.h"
#include "dse/out/words.h"

/* Lines about the layers of all networks on the set's machine, into the section that was begun. */
void explain_layers(struct words *words, const struct space *space, const struct layer_set *set);

#endif
