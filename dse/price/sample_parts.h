/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SAMPLE_PARTS_H
#define DSE_SAMPLE_PARTS_H
/* Inside the samples of coefficients: whole designs, priced at a sample (sample.c), points of a front
 * (sample_points.c). */
#include "dse/design/unroll.h"
#include "dse/price/sample.h"

/* What networks use whose energies add up, weighted. */
struct sample_part {
	struct energy_use use; /* awake */
	double asleep_ms;      /* until the deadline; at which operating point depends on a sample */
};

/* A whole design; of several parts the one with most energy counts, which depends on a sample, too. */
struct sample_whole {
	double metric[N_METRIC];  /* at the file's coefficients */
	struct sample_part *part; /* [sample_n_part] */
};

size_t sample_n_part(const struct space *space);

/* A whole design from its layers, which point has summed (unroll_sum); part is filled in. */
void sample_take_whole(const struct space *space, const struct layer_map *map, const struct unrolled *point,
                       struct sample_whole *whole);

/* Objectives of a whole design on a machine whose coefficients have these values; false: it breaks a limit. */
bool sample_price(const struct space *space, const struct machine *machine, const struct energy_use *value,
                  const struct sample_whole *whole, double *objective);

#endif
