/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SPACE_VARIANT_H
#define DSE_SPACE_VARIANT_H
/*
 * Variants of a space: the same question with something left out or fixed, for advice on what to change. A variant
 * shares what it does not change with the space that it is of, which stays as it was read and must outlive it; its
 * lists lie in the caller's arena. It is never given to space_free.
 */
#include "dse/space/space.h"

/* A variant that is alike so far. false: out of memory. */
bool space_variant(const struct space *space, struct arena *arena, struct space *variant);

/* Minimise this metric alone. */
void space_variant_minimise(struct space *variant, enum metric metric);

/* Without limits of this metric; without any limit; without a deadline. */
void space_variant_drop_limit(struct space *variant, enum metric metric);
void space_variant_drop_limits(struct space *variant);
void space_variant_drop_deadline(struct space *variant);

/* Without constraint [which]; with that one alone. */
void space_variant_drop_constraint(struct space *variant, size_t which);
void space_variant_keep_constraint(struct space *variant, size_t which);

/* This machine alone: no axes, no constraints. */
void space_variant_fix_machine(struct space *variant, const struct machine *machine);

/* All machines with one value of a parameter: its axis, a new one where it has none, is that value alone. */
void space_variant_fix_axis(struct space *variant, struct arena *arena, const struct machine_param *param,
                            const char *text);

/* Machine i of its list, to be changed. */
struct machine *space_variant_machine(struct space *variant, size_t i);

/*
 * All machines with so much SRAM a PE for operands: without the axis that varies it. Where a machine's technology does
 * not reach so far, coefficients stay.
 */
void space_variant_fix_sram(struct space *variant, uint32_t n_byte);

#endif
