/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SPLIT_LISTS_H
#define DSE_SPLIT_LISTS_H
/*
 * Lists of splits that do not depend on the machine, made once for all machine
 * candidates and all layers that have them in common: FC_19 of VGG-16 alone has
 * 1.6 million splits of its rows. Read by many threads once built.
 */
#include "dse/space/space.h"
#include "mapper/split/split.h"

/* What a list depends on. */
struct split_key {
	uint32_t extent, step, max_part;
	enum split_choice choice; /* SPLIT_REDUCED depends on the machine's array: never here */
};

struct split_list {
	struct split_key key;
	struct dim_axis axis;
	struct arena arena; /* the axis' */
	enum err_code code;
};

/* Initialise with `struct split_lists lists = {0};`. */
struct split_lists {
	size_t n, n_alloc;
	struct split_list *list;
};

/*
 * Note that the splits of all dimensions of a block that its choice leaves open are wanted. ERR_INTERNAL when memory is
 * out.
 */
enum err_code split_lists_add(struct split_lists *lists, const struct block *block, const struct layer_choice *choice,
                              struct err *err);

/*
 * List what is wanted, once, on n_thread threads. What has too many splits to be listed is left out: who needs it says
 * so. ERR_INTERNAL when memory is out.
 */
enum err_code split_lists_build(struct split_lists *lists, unsigned n_thread, struct err *err);
void split_lists_free(struct split_lists *lists);

/* NULL: not there, or lists is NULL. */
const struct dim_axis *split_lists_find(const struct split_lists *lists, const struct split_key *key);

#endif
