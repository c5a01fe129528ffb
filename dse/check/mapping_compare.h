/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_MAPPING_COMPARE_H
#define DSE_MAPPING_COMPARE_H
/*
 * explore --compare: mappings from files are run on every machine candidate that they fit, and compared with the front
 * that was found.
 *
 *   FRONT.json:ID        the layers of a point of another front, with its operating points
 *   FILE.yaml            a mapping (dse/design/mapping.h) of the space's only network, with its operating points
 *   FILE.csv[:STRATEGY]  splits from a file, at each operating point of the machine, as dse simulate runs them
 *   thesis[:STRATEGY]    the thesis' splits; its rules for layers and networks it has no splits of
 *
 * Differences are taken from the nearest point of the front: the point that the additive epsilon is due to.
 */
#include "dse/out/json.h"
#include "dse/design/unroll.h"

/* Of more machine candidates than these only those on the front are looked at. */
#define MAPPING_COMPARE_MAX_MACHINE 4096
#define MAPPING_COMPARE_MAX_MAPPING 8

/* A mapping as far as no machine is needed to understand it. */
struct compared_mapping {
	const char *name; /* as on the command line */
	/* Of splits: */
	bool is_thesis; /* layers that the scheme lacks are split by the thesis' rules */
	enum strategy strategy;
	struct split_scheme scheme;
	/* Of a point: the design of each block of the space; NULL: of splits. [n_block] as struct layer_map numbers
	 * them */
	const struct doc_node **design;
	const struct doc_node *layers; /* Of a FILE.yaml: its list of layers; NULL: not one */
};

enum mapping_verdict {
	COMPARE_NO_FIT,       /* cannot run on this machine; why says it */
	COMPARE_DOMINATED,    /* some points of the front are nowhere worse and somewhere better */
	COMPARE_ON_FRONT,     /* as good as a point of the front, objective by objective */
	COMPARE_NONDOMINATED, /* no point of the front is as good: it is outside the space, or the search was not exact
	                       */
	N_COMPARE
};
extern const char *const mapping_verdict_name[N_COMPARE]; /* "no_fit", "dominated", "on_front", "nondominated" */

/* A mapping on a machine candidate, at one operating point. */
struct compared_place {
	const struct compared_mapping *mapping;
	uint32_t machine_index;
	char machine[EXPLORE_TEXT_SIZE]; /* name and axes */
	char level[32];                  /* of splits; "" of points, which have their own */
	size_t n_own;                    /* layers split by the thesis' rules */
	enum mapping_verdict verdict;
	char why[2 * EXPLORE_TEXT_SIZE]; /* does not fit; or "latency_ms <= 20" and the like, limits that it breaks */
	double metric[N_METRIC];
	size_t n_dominating, *dominating; /* [n_dominating] ids of points of the front, ascending */
	size_t nearest;                   /* id of the point that differences are taken from */
	/*
	 * Additive epsilon of the front against this mapping, objectives scaled to their range on the front (by the
	 * value where it is the same everywhere): -0.1: some point is ahead by a tenth of the range in each objective
	 * at once; 0.1: the front would have to get better by so much to cover the mapping.
	 */
	double epsilon;
	enum err_code code; /* of the run; messages in err */
	struct err err;
};

struct mapping_compare {
	const struct space *space;
	const struct layer_map *map; /* of explore; set by mapping_compare_run */
	size_t n_mapping, n_place;
	struct compared_mapping mapping[MAPPING_COMPARE_MAX_MAPPING];
	struct compared_place *place; /* [n_place] by mapping, machine, level */
	bool is_cut;                  /* more machines than are looked at */
	struct arena arena;
};

/*
 * Read what the command line names, before the search: a mistake should not cost
 * an hour. All mistakes in one pass. ERR_USAGE, ERR_IO, ERR_INPUT (no such point;
 * a layer of the space is missing). The caller frees it, also after an error.
 */
enum err_code mapping_compare_read(const char *const *name, size_t n, const struct space *space,
                                   struct mapping_compare *compare, struct err *err);

/*
 * Run the mappings and place them against the front that unroller is of, which is not empty: the space's own, or that
 * of a variant with the same networks and objectives, where there are no more machines than are looked at. In the
 * space's tier. What does not fit is in the places. ERR_INTERNAL.
 */
enum err_code mapping_compare_run(struct mapping_compare *compare, const struct unroller *unroller, unsigned n_thread,
                                  struct err *err);
void mapping_compare_free(struct mapping_compare *compare);

/* ERR_INPUT with the first reason for each mapping that fits no machine of the space. */
enum err_code mapping_compare_judge(const struct mapping_compare *compare, struct err *err);

/* As a table; as a list "compare" of the object that is open. */
void mapping_compare_print(FILE *file, const struct mapping_compare *compare, const struct unroller *unroller);
void mapping_compare_put_json(struct json *json, const struct mapping_compare *compare,
                              const struct unroller *unroller);

/* Objectives of the front's points, summed as those of the mappings are: [n][n_objective]; the caller frees it. */
double *mapping_compare_front(const struct unroller *unroller);

#endif
