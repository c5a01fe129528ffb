/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_UNROLL_H
#define DSE_UNROLL_H
/*
 * Unrolling: from the compact genome of a front point back to its machine, the
 * design of each layer and every metric. Fronts are written, printed and
 * replayed from this, so all of them show the same numbers.
 */
#include "dse/explore.h"

struct unrolled_layer {
	const struct block *block;
	struct layer_design design;
	uint64_t total_clk;
	double metric[N_METRIC];
};

/* One point. network and metric follow from layer by unroll_sum. */
struct unrolled {
	uint32_t machine_index;
	const struct machine *machine; /* valid until the next point is unrolled */
	size_t n_layer, n_network;
	struct unrolled_layer *layer; /* [n_layer], as struct layer_map numbers blocks */
	double (*network)[N_METRIC];  /* [n_network] */
	double metric[N_METRIC];
};

/* Memory for points of this shape. ERR_INTERNAL. The caller frees it. */
enum err_code unrolled_init(const struct layer_map *map, struct unrolled *point, struct err *err);
void unrolled_free(struct unrolled *point);

/* Network and total metrics from the layers' and the machine's. */
void unroll_sum(const struct space *space, const struct layer_map *map, struct unrolled *point);

#define UNROLL_N_CACHE 8

/* Layer sets of the machines met last, because neighbours on a front often share theirs. Initialise with unroller_init.
 */
struct unroller {
	const struct explore *explore;
	struct layer_set *set[UNROLL_N_CACHE];
	size_t next; /* the slot to be used again next */
};
void unroller_init(struct unroller *unroller, const struct explore *explore);
void unroller_free(struct unroller *unroller);

/* Unroll point i of the front. ERR_INTERNAL when memory is out. */
enum err_code unroll_point(struct unroller *unroller, size_t i, struct unrolled *point, struct err *err);

#endif
