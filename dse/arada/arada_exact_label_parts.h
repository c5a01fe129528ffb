/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ARADA_EXACT_LABEL_PARTS_H
#define DSE_ARADA_EXACT_LABEL_PARTS_H
/*
 * Inside the exact allocation: labels of a search and the lists they are kept in.
 *
 *   labels before a layer, by state -> exact_gather -> by what it costs to go on from them
 *   -> arada_exact_label.c -> exact_reach -> exact_keep_all -> labels behind it, by state
 */
#include "dse/arada/arada_exact_parts.h"
#include "dse/space/arada_options.h"

#define NO_LABEL UINT32_MAX
#define EXACT_MAX_DIRECTION 10

struct exact_label {
	double ns, pj;
	uint32_t parent, way;
	uint8_t before, after; /* changes that the way hosts */
};

/* Objective + multiplier * (time - deadline); or time itself (is_limit). */
struct exact_direction {
	struct exact_bound bound;
	double constant, slack;
	bool is_limit;
};

/* Labels by number, in the order of their time; energy falls along it. */
struct exact_list {
	size_t n, n_alloc;
	uint32_t *label;
	double least[EXACT_MAX_DIRECTION]; /* of a source: in each direction */
};

/* Labels that a layer may go on from; see gather. */
struct exact_sources {
	struct exact_list same[ARADA_MAX_SETTING][ARADA_MAX_SETTING];
	struct exact_list array_changes[ARADA_MAX_SETTING],
	    memory_changes[ARADA_MAX_SETTING]; /* by the other's setting */
	struct exact_list both_change;
};

struct exact_search {
	const struct exact_chain *chain;
	struct power_weight objective;
	double max_ns;
	struct arena *scratch;
	struct exact_direction direction[EXACT_MAX_DIRECTION];
	size_t n_direction;
	double least; /* best value known; infinite: none */
	struct exact_step *known;
	struct exact_label *label;
	size_t n_label, n_label_alloc, max_label;
	struct exact_list *state;                      /* [n_state] labels before the layer */
	struct exact_label **reached;                  /* [n_state] labels behind it, unsorted */
	size_t *n_reached, *n_clean, *n_reached_alloc; /* [n_state] clean: the first ones, sorted, none beats another */
	struct exact_sources *sources;
	bool is_full; /* more labels than allowed */
};

/* Before the first layer everything is free; chain, scratch and max_label are set. */
void exact_search_open(struct exact_search *search);
void exact_search_close(struct exact_search *search);

/* Make the sources of a layer from the labels before it. */
void exact_gather(struct exact_search *search);

/* A label behind a layer is kept for now unless one that is kept there beats it. */
void exact_reach(struct exact_search *search, size_t state, const struct exact_label *label);

/* What was reached becomes the labels before the next layer, but what is beaten. */
void exact_keep_all(struct exact_search *search);

#endif
