/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CERTIFY_PARTS_H
#define DSE_CERTIFY_PARTS_H
/*
 * Inside the checker:
 *   certify.c        the certificate's lines, one after the other
 *   certify_read.c   words of a line
 *   certify_splits.c all splits of a dimension
 *   certify_layer.c  what a layer may choose from, and what one design costs
 *   certify_boxes.c  boxes that cover a layer's designs
 *   certify_join.c   sums of chains of layers
 *   certify_front.c  the front, design by design, and that it is nowhere above the sums
 */
#include "dse/bound/layer_bound.h"
#include "dse/certify/certify.h"
#include "sim/base/stop.h"
#include <stdio.h>

/* ---- lines ---- */

/* A certificate being read, line by line. What fails says so once, in err, with file and line; then all else fails. */
struct certify_reader {
	FILE *file;
	const char *path;
	unsigned line;   /* from 1; 0: none was read */
	char *text, *at; /* the line, and where its next word begins */
	enum err_code code;
	struct stop_watch watch;
	struct err *err;
};

bool certify_next_line(struct certify_reader *reader);
/* A step that is false (ERR_GATE), or a line that is none (ERR_INPUT). Always false. */
bool certify_refuse(struct certify_reader *reader, enum err_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Each takes a word of the line; false: there is no such. */
bool certify_word(struct certify_reader *reader, char *word, size_t n_byte);
bool certify_keyword(struct certify_reader *reader, const char *keyword);
bool certify_number(struct certify_reader *reader, uint64_t most, uint64_t *number);
bool certify_real(struct certify_reader *reader, double *real); /* finite, 0 or more */
bool certify_end(struct certify_reader *reader);
/* The rest of the line; never NULL. */
const char *certify_rest(struct certify_reader *reader);

/* ---- splits ---- */

/* All splits of a dimension of this extent that a choice allows, sorted by number of parts, size and number of the
 * larger ones. */
struct certify_splits {
	struct certify_splits *next;
	uint32_t extent, step, n_group;
	const struct dim_choice *choice;
	uint32_t n;
	struct dim_split *split; /* [n] */
};

/* The list, made once for all that ask for the same; *lists owns it. NULL: there are too many. */
const struct certify_splits *certify_list_splits(struct certify_splits **lists, uint32_t extent, uint32_t step,
                                                 uint32_t n_group, const struct dim_choice *choice);
void certify_free_splits(struct certify_splits *lists);

/* ---- layers ---- */

/* What of a block lies in storage QPEs; the numbers of places in certificates. */
enum certify_place { CERTIFY_IFMAP = 1, CERTIFY_RESULT = 2, CERTIFY_ADDED = 4, CERTIFY_N_PLACE = 8 };

#define CERTIFY_MAX_OPERAND (2 * N_CONV_FORM)

/* Designs of a block on a machine, in one place: one of each of these. */
struct certify_layer {
	const struct space *space;
	const struct machine *machine;
	const struct block *block;
	unsigned place;
	uint32_t n_strategy, n_reuse, n_operand, n_level;
	uint8_t strategy[N_STRATEGY], reuse[N_REUSE_OPERAND], level[MACHINE_MAX_LEVEL];
	struct layer_context context[CERTIFY_MAX_OPERAND]; /* by operand: width and form */
	const struct certify_splits *splits[N_BOUND_DIM];
	uint32_t extent[N_BOUND_DIM], step[N_BOUND_DIM];
	double limit[N_METRIC]; /* that a layer of the network keeps in any case */
};

/* One of them. */
struct certify_design {
	uint32_t strategy, reuse, operand, level, split[N_BOUND_DIM];
};

/* The designs of a block of a network, on a machine, in any place; the lists stay the caller's. false: too many splits.
 */
bool certify_layer_build(const struct space *space, size_t network, size_t block, const struct machine *machine,
                         struct certify_splits **lists, struct certify_layer *layer);

/* As the mapper has it, but for the split. */
void certify_layer_design(const struct certify_layer *layer, const struct certify_design *design,
                          struct layer_design *own);

/* Its metrics [N_METRIC]. false: it does not run. */
bool certify_price(const struct certify_layer *layer, const struct certify_design *design, double *value);

/* Whether a value exceeds what a layer keeps in any case. */
bool certify_over_limit(const struct certify_layer *layer, const double *value);

/* Whether two blocks of a network ask the same of a layer's search. */
bool certify_same_layer(const struct space_network *network, size_t left, size_t right);

/* Place of a block that begins in a state, without its result; 0 to 3: bit 0 the latest result lies in storage QPEs,
 * bit 1 the held one does. And the state after it. */
#define CERTIFY_N_STATE 4
unsigned certify_state_place(const struct block *block, unsigned state);
unsigned certify_next_state(const struct block *block, unsigned state, bool keeps_result);
bool certify_may_keep(const struct space_network *network, size_t block);

/* ---- points ---- */

/* Metrics of points, none of which is nowhere below another; sorted. */
struct certify_points {
	size_t n;
	double *value; /* [n][n_metric] */
};

/* A layer in a place, as the certificate has it: no design of it is in all metrics below all of the points. */
struct certify_section {
	size_t network, block;
	unsigned place;
	struct certify_points points;
};

/* Read the boxes of a layer and check that they cover it, and that each has no design below all points. */
bool certify_boxes(struct certify_reader *reader, const struct certify_layer *layer, unsigned n_metric,
                   const enum metric *metric, const struct certify_points *points, struct certify_report *report);

/* How metrics add up; limits that sums keep. */
struct certify_sums {
	unsigned n_metric;
	bool is_most[N_METRIC]; /* the largest, instead of the sum */
	double limit[N_METRIC]; /* of the whole */
	struct stop_watch *watch;
	uint64_t n_sum;
};

/* Sort, and drop who is nowhere below another. */
void certify_points_clean(const struct certify_sums *sums, struct certify_points *points);
/* All sums of one of each; left and right stay. */
struct certify_points certify_join(struct certify_sums *sums, const struct certify_points *left,
                                   const struct certify_points *right);
/* Both together; they are freed. */
struct certify_points certify_unite(const struct certify_sums *sums, struct certify_points left,
                                    struct certify_points right);

#endif
