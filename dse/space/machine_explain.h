/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_MACHINE_EXPLAIN_H
#define DSE_MACHINE_EXPLAIN_H
/* What a machine is, in words: its parts and rates, which values its file leaves at their defaults, and how far its
 * coefficients are known. */
#include "dse/out/words.h"
#include "dse/space/provenance.h"
#include "sim/machine/machine.h"

/* All sections of a machine that was read from path, sources as its file has them. */
void machine_explain(struct words *words, const struct machine *machine, const struct machine_sources *sources,
                     const char *path);

#endif
