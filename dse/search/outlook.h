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
 * layers' bounds are nowhere below this one's; of machines with slower clocks where the order asks for it.
 */
#include "dse/base/at_work.h"
#include "dse/base/pack.h"
#include "dse/layer/layers.h"
#include "dse/search/standing.h"

struct front_cache;
struct front_entry;
struct layer_floor;

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

/* A floor of a layer that was searched for an outlook; both are the cache's. */
struct outlook_layer {
	struct front_entry *entry;
	const struct layer_floor *floor;
};

struct outlook {
	struct outlook_points designs, floor;
	struct outlook_seeds seeds;
	size_t n_layer;
	struct outlook_layer *layer;   /* [n_layer] */
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
	bool samples; /* layers begin with a sample, which sees better designs where few machines can be learnt from */
	struct at_work_page *at_work; /* may be NULL */
};

/* A machine to be looked at. */
struct outlook_order {
	uint32_t machine_index;            /* that no rule refuses */
	const struct outlook_seeds *seeds; /* of any machine of the space, the more alike the better; NULL: none */
	double epsilon;                    /* of the whole, about, by which layers are searched */
	bool with_slower;                  /* its floor serves for slower NoC and DRAM clocks, too */
	struct outlook *outlook;           /* receives it */
	enum err_code code;                /* ERR_INTERRUPTED without a message, ERR_INPUT, ERR_INTERNAL */
	struct err err;
};

/*
 * Look at machine candidates, side by side; layers that they have in common, or that are in the cache (NULL: there is
 * none), are searched once, and kept there. Codes and messages stay with the orders; what went well the caller frees
 * with outlook_free.
 */
void outlook_make(const struct outlook_options *options, struct front_cache *layers, struct outlook_order *order,
                  size_t n);
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

/*
 * Write an outlook, or read what was written into an empty one of n_metric metrics; the floors that were searched for
 * it go into the cache then.
 */
void outlook_pack(struct outlook *outlook, unsigned n_metric, struct front_cache *layers, struct pack *pack);

#endif
