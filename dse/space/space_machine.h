/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SPACE_MACHINE_H
#define DSE_SPACE_MACHINE_H
/* Machine candidates of a space, by number: each machine with one value of each axis. */
#include "dse/space/space.h"
#include <stdio.h>

/* Machine candidates: product of machines and axis values. */
uint64_t space_n_machine(const struct space *space);

/* Which of the space's machine files a candidate is of. */
size_t space_machine_file(const struct space *space, uint64_t index);

/*
 * Build machine candidate index (0..space_n_machine-1; the last axis varies
 * fastest). Returns false with reason text in why when machine_check or a
 * constraint rejects it.
 */
bool space_machine(const struct space *space, uint64_t index, struct machine *machine, char *why, size_t n_why);

/*
 * How far a candidate that a constraint refuses is from keeping it: of the constraints it breaks the one it misses by
 * most, as a fraction of what is asked for (infinite where that is no number), and both sides' values as a sentence.
 * false: no constraint refuses it, or machine_check already does.
 */
bool space_machine_miss(const struct space *space, uint64_t index, struct machine *machine, double *violation,
                        char *text, size_t n_byte);

/*
 * Both sides of the comparison by which a candidate breaks the first constraint it breaks; NaN where there are none
 * (below a `not`). false: it breaks none, or machine_check refuses it.
 */
bool space_machine_sides(const struct space *space, uint64_t index, struct machine *machine, double *left,
                         double *right);

/* Name of a machine candidate and its values on the axes of the space. */
void space_machine_put_csv(FILE *file, bool first, const struct space *space, const struct machine *machine);

#endif
