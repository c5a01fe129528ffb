/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_UNROLL_H
#define DSE_UNROLL_H
/*
 * Unrolling: from the compact genomes of a front back to machines, designs of
 * layers and every metric. Fronts are written, printed and replayed from this,
 * so all of them show the same numbers.
 *
 * Thousands of points share few layer designs (a front of 10 000 points over 71
 * layers has some thousand), so each distinct one is evaluated once and has a
 * number; a point is then a list of numbers.
 */
#include "dse/base/key_table.h"
#include "dse/search/explore.h"
#include "dse/space/energy_trust.h"
#include "sim/program/energy_use.h"

/* A design of a distinct layer on a machine. */
struct unrolled_design {
	uint32_t machine_index, distinct;
	uint32_t gene[N_LAYER_GENE];
	struct layer_design design;
	uint64_t total_clk;
	struct energy energy;
	double mac;                   /* multiply-accumulates wanted */
	struct energy_use use;        /* of each coefficient of energy */
	struct uncertainty uncertain; /* of total_clk */
	double metric[N_METRIC];
};

/*
 * Run n designs of one machine candidate in any tier: from their genes their
 * design, clocks and metrics. ERR_INTERNAL when one cannot run.
 */
enum err_code unroll_run(const struct layer_set *set, struct unrolled_design *design, size_t n,
                         const struct detail_options *options, struct err *err);

/* The order of designs by machine, layer and genes, for qsort. */
int unrolled_compare(const void *left, const void *right);

/* One point. network and metric follow from its designs by unroll_sum. */
struct unrolled {
	uint32_t machine_index;
	const struct machine *machine;
	size_t n_layer, n_network;
	const struct unrolled_design **layer; /* [n_layer], as struct layer_map numbers blocks */
	double (*network)[N_METRIC];          /* [n_network] */
	double metric[N_METRIC];
	struct uncertainty uncertain; /* of the latency */
	struct arena arena;           /* of the two arrays */
};

/*
 * What all of a point uses of each coefficient of energy, by networks' weights; changes of operating point and sleep
 * until a deadline included. Of the worst network alone where a space judges by that. Amounts times coefficients are
 * the point's energy.
 */
void unroll_use(const struct space *space, const struct layer_map *map, const struct unrolled *point,
                struct energy_use *use);

/* Add one network's, by its weight. */
void unroll_add_network_use(const struct space *space, const struct layer_map *map, const struct unrolled *point,
                            size_t network, struct energy_use *use);

/* Operations of a point, two a multiply-accumulate wanted, a second and W, and a second and mm2, in 10^12; NaN where a
 * space judges by the worst network, or the area is not known. */
double unroll_tops_w(const struct space *space, const struct unrolled *point);
/* Between what a point's area lies, mm2, as its coefficients' intervals say; values of axes are no doubts. false: the
 * machine has no area. */
bool unroll_area_interval(const struct space *space, const struct unrolled *point, double interval[2]);
double unroll_tops_mm2(const struct space *space, const struct unrolled *point);

/* Memory for points of this shape. ERR_INTERNAL. The caller frees it. */
enum err_code unrolled_init(const struct layer_map *map, struct unrolled *point, struct err *err);
void unrolled_free(struct unrolled *point);

/* Network and total metrics from the designs' and the machine's. */
void unroll_sum(const struct space *space, const struct layer_map *map, struct unrolled *point);

/* All designs and machines of a front. */
struct unroller {
	const struct explore *explore;
	size_t n_design;
	struct unrolled_design *design; /* [n_design], by machine, layer, genes */
	struct key_table known;         /* these as keys, by index */
	size_t n_machine;
	uint32_t *machine_index; /* [n_machine] ascending */
	struct machine *machine; /* [n_machine] */
	/* Of each machine's energy. */
	struct machine_coefficients {
		size_t n;
		const struct coefficient *coefficient; /* [n] */
	} * coefficients;                              /* [n_machine] */
	struct arena arena;                            /* of these */
};

/*
 * Collect the designs of the front and evaluate them in the space's tier. ERR_INTERNAL, ERR_INTERRUPTED where that
 * takes longer than a signal leaves time for saving. The caller frees it; explore must outlive it.
 */
enum err_code unroller_init(struct unroller *unroller, const struct explore *explore, unsigned n_thread,
                            struct err *err);
void unroller_free(struct unroller *unroller);

/* Machine candidate of the front by its index. */
const struct machine *unroller_machine(const struct unroller *unroller, uint32_t machine_index);

/* Unroll point i of the front into point, which unrolled_init has made. */
void unroll_point(const struct unroller *unroller, size_t i, struct unrolled *point);

/* What the energy of such a point rests on. */
void unroll_trust(const struct unroller *unroller, const struct unrolled *point, struct energy_trust *trust);

#endif
