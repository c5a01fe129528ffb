/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ENERGY_TRUST_H
#define DSE_ENERGY_TRUST_H
/*
 * How far an energy is to be trusted: how much of it rests on coefficients that were measured, published, fitted,
 * derived or assumed, and between what it lies within their intervals.
 */
#include "dse/space/provenance.h"
#include "sim/program/energy_use.h"

/*
 * mJ: by the confidence of the coefficients, which add up to the energy; with all coefficients at the lower, and at the
 * upper ends of their intervals.
 */
#define ENERGY_TRUST_MAX_ZERO (N_USE_OF_LEVEL + N_USE_OF_MACHINE)
struct energy_trust {
	double by_mj[N_CONFIDENCE], least_mj, most_mj;
	/* Energies of actions that are 0 and only assumed: what these actions take is not in the energy. */
	size_t n_zero;
	const char *zero[ENERGY_TRUST_MAX_ZERO]; /* [n_zero] keys */
};

/*
 * Of what a result uses on a machine, with its coefficients [n_coefficient] at all levels (coefficient_list). varied
 * [n_varied] (may be NULL): keys of axes, whose values are what was asked: CONFIDENCE_UNKNOWN, without an interval.
 */
void energy_trust_of(const struct coefficient *coefficient, size_t n_coefficient, const char *const *varied,
                     size_t n_varied, const struct energy_use *use, struct energy_trust *trust);

/* Their sum, the energy, mJ. */
double energy_trust_mj(const struct energy_trust *trust);

/* Objects "energy_by_confidence_mj" and "energy_by_confidence_pct" of those that there are, and
 * "energy_interval_mj". */
void energy_trust_put_json(struct json *json, const struct energy_trust *trust);

/* Columns of a CSV file, and a row's cells: the interval in mJ, and by confidence what part of the energy, percent;
 * empty: none of it. */
void energy_trust_put_csv_names(FILE *file);
void energy_trust_put_csv(FILE *file, const struct energy_trust *trust);

/* A line for people that begins with `begin`: blanks, or whose energy it is. */
void energy_trust_print(FILE *file, const char *begin, const struct energy_trust *trust);

#endif
