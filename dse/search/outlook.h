/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_OUTLOOK_H
#define DSE_OUTLOOK_H
/*
 * Outlook: what a machine candidate can reach at best, for a small part of the
 * work that its exact front takes. It has some whole designs, and, where its layers
 * were searched to within an epsilon, a floor: lower bounds of all designs.
 *
 *   layers: seeds, or branch_relax, coarsely ─► designs ─► branch_relax ─┬─ evaluated ──────► thinned composition ─►
 * designs └─ over 1 + epsilon ► thinned composition ─► floor
 *
 * A layer's epsilon is the larger the less of the whole it takes at least.
 *
 * For every design of this machine there is a point of the floor that, divided by
 * the slack, is at most as large in every metric. The same holds for machines whose
 * layers' bounds are nowhere below this one's; of machines with slower clocks where the options ask for it.
 */
#include "dse/layer/layers.h"
#include "dse/search/standing.h"
#include "dse/base/pack.h"

/* Points in the layers' metrics of wholes. Designs keep the limits on networks; of the floor no limit is looked at. */
struct outlook_points {
	size_t n;
	double *metric; /* [n][n_metric] */
};

/* Some designs of each layer, with which outlooks of other machines may begin: the task, then a genome of it. */
#define OUTLOOK_N_SEED_FIELD (1 + N_LAYER_GENE)
struct outlook_seeds {
	size_t n;
	uint32_t *row; /* [n][OUTLOOK_N_SEED_FIELD] */
};

struct outlook {
	struct outlook_points designs, floor;
	struct outlook_seeds seeds;
	double slack;                  /* of the floor: what thinning costs; infinite: there is no floor */
	uint64_t n_candidate, n_legal; /* designs of the distinct layers, as counted of a search */
	double log10_design;
	struct standing_design fastest, thriftiest; /* of the designs */
};

/* What every outlook of a space has in common. */
struct outlook_options {
	const struct space *space;
	const struct layer_map *map;
	unsigned n_thread; /* that share an outlook, when they have nothing else to do */
	engine_watch watch;
	void *watch_context;
	bool with_slower; /* floors serve for slower NoC and DRAM clocks, too */
	bool samples;     /* layers begin with a sample, which sees better designs where few machines can be learnt from */
};

/*
 * Look at a machine candidate, which no rule may refuse. epsilon: of the whole, about, by which layers are searched.
 * seeds: of an outlook of any machine of the space, the more alike the better; NULL: none.
 * The caller frees the outlook with outlook_free. ERR_INTERRUPTED without a message, ERR_INPUT, ERR_INTERNAL.
 */
enum err_code outlook_make(const struct outlook_options *options, uint32_t machine_index,
                           const struct outlook_seeds *seeds, double epsilon, struct outlook *outlook, struct err *err);
void outlook_free(struct outlook *outlook);
void outlook_free_seeds(struct outlook_seeds *seeds);

/* Append the objectives of the designs, on their machine, that keep the space's limits. false when memory is out. */
bool outlook_list_designs(const struct space *space, const struct outlook *outlook, const struct machine *machine,
                          struct pareto *list);

/*
 * Append the objectives of the floor over its slack: each design of the machine that keeps the space's limits is in no
 * objective below one of these. Nothing where there is no floor. false when memory is out.
 */
bool outlook_list_floor(const struct space *space, const struct outlook *outlook, const struct machine *machine,
                        struct pareto *list);

/*
 * Whether every point over the divisor lies behind the archive: on this machine its objectives are dominated there, or
 * it breaks a limit. false where all of them break one, or there is no point: that proves nothing.
 */
bool outlook_is_behind(const struct space *space, const struct outlook_points *points, double divisor,
                       const struct machine *machine, const struct pareto *archive);

/* Whether the floor proves that each design of a machine that the outlook serves for is dominated by the archive. */
bool outlook_proves_behind(const struct space *space, const struct outlook *outlook, const struct machine *machine,
                           const struct pareto *archive);

/* Write an outlook, or read what was written into an empty one of n_metric metrics. */
void outlook_pack(struct outlook *outlook, unsigned n_metric, struct pack *pack);

#endif
