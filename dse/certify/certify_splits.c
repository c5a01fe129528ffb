/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All splits of a dimension, by their definition alone: parts of equal or two sizes, multiples of a step, that add up
 * to the extent. In units of the step, n parts of which m have the larger size a > b: (a - b) m = extent - b n.
 */
#include "dse/certify/certify_parts.h"
#include "dse/base/memory.h"
#include <stdlib.h>
#include <string.h>

/* More splits are not listed, as a space may not ask for them. */
#define MAX_SPLIT (UINT32_C(1) << 23)

struct listing {
	struct dim_split *split;
	size_t n, n_alloc;
};

static void add_split(struct listing *list, struct dim_split split)
{
	if (list->n == list->n_alloc) {
		list->n_alloc = list->n_alloc > 0 ? 2 * list->n_alloc : 64;
		list->split = memory_resize(list->split, list->n_alloc, sizeof(*list->split));
	}
	list->split[list->n++] = split;
}

/* n parts of b units, or one unit more for each that m has; m below n divides what is left over. */
static void add_two_sizes(struct listing *list, uint32_t n_unit, uint32_t n, uint32_t b, uint32_t step)
{
	uint32_t rest = n_unit - b * n;
	for (uint32_t low = 1; (uint64_t)low * low <= rest; low++) {
		uint32_t high = rest / low;
		if (rest % low != 0)
			continue;
		if (low < n)
			add_split(list, (struct dim_split){(b + high) * step, low, b * step, n - low});
		if (high < n && high != low)
			add_split(list, (struct dim_split){(b + low) * step, high, b * step, n - high});
	}
}

static void add_all(struct listing *list, uint32_t extent, uint32_t step, uint32_t max_part)
{
	uint32_t n_unit = extent / step;
	for (uint32_t n = 1; n <= n_unit && n <= max_part && list->n <= MAX_SPLIT; n++) {
		if (n_unit % n == 0)
			add_split(list, (struct dim_split){n_unit / n * step, n, 0, 0});
		for (uint32_t b = 1; (uint64_t)b * n < n_unit && list->n <= MAX_SPLIT; b++)
			add_two_sizes(list, n_unit, n, b, step);
	}
}

static void add_even(struct listing *list, uint32_t extent, uint32_t step, uint32_t max_part)
{
	for (uint32_t n = 1; n <= extent / step && n <= max_part && list->n <= MAX_SPLIT; n++)
		add_split(list, dim_even(extent, n, step));
}

/* Of a grouped convolution's filters: parts of whole groups, or equal parts of each group. */
static void add_inside_groups(struct listing *list, uint32_t extent, uint32_t n_group, uint32_t max_part)
{
	uint32_t n_filter = extent / n_group;
	for (uint32_t n = 2; n <= n_filter && (uint64_t)n * n_group <= max_part; n++)
		if (n_filter % n == 0)
			add_split(list, (struct dim_split){n_filter / n, n_group * n, 0, 0});
}

static int compare_splits(const void *left, const void *right)
{
	const struct dim_split *a = left, *b = right;
	uint32_t n_a = dim_n_part(a), n_b = dim_n_part(b);
	if (n_a != n_b)
		return n_a < n_b ? -1 : 1;
	if (a->size_a != b->size_a)
		return a->size_a < b->size_a ? -1 : 1;
	return (a->n_a > b->n_a) - (a->n_a < b->n_a);
}

static void list_all(const struct certify_splits *key, struct listing *list)
{
	const struct dim_choice *choice = key->choice;
	uint32_t step = key->n_group > 1 ? key->extent / key->n_group : key->step;
	for (size_t i = 0; i < choice->n_fixed; i++)
		add_split(list, choice->fixed[i]);
	if (choice->n_fixed > 0)
		return;
	if (choice->choice == SPLIT_WHOLE) {
		add_split(list, dim_whole(key->extent));
		return;
	}
	if (choice->choice == SPLIT_EVEN)
		add_even(list, key->extent, step, choice->max_part);
	else
		add_all(list, key->extent, step, choice->max_part);
	if (key->n_group > 1)
		add_inside_groups(list, key->extent, key->n_group, choice->max_part);
}

static bool is_same(const struct certify_splits *a, const struct certify_splits *b)
{
	if (a->extent != b->extent || a->step != b->step || a->n_group != b->n_group)
		return false;
	if (a->choice->n_fixed > 0 || b->choice->n_fixed > 0)
		return a->choice == b->choice;
	return a->choice->choice == b->choice->choice && a->choice->max_part == b->choice->max_part;
}

const struct certify_splits *certify_list_splits(struct certify_splits **lists, uint32_t extent, uint32_t step,
                                                 uint32_t n_group, const struct dim_choice *choice)
{
	struct certify_splits key = {.extent = extent, .step = step, .n_group = n_group, .choice = choice};
	for (struct certify_splits *at = *lists; at; at = at->next)
		if (is_same(at, &key))
			return at;
	struct listing list = {0};
	list_all(&key, &list);
	if (list.n == 0 || list.n > MAX_SPLIT) {
		free(list.split);
		return NULL;
	}
	qsort(list.split, list.n, sizeof(*list.split), compare_splits);
	struct certify_splits *made = memory_array(1, sizeof(*made));
	*made = key;
	made->n = (uint32_t)list.n;
	made->split = list.split;
	made->next = *lists;
	*lists = made;
	return made;
}

void certify_free_splits(struct certify_splits *lists)
{
	while (lists) {
		struct certify_splits *next = lists->next;
		free(lists->split);
		free(lists);
		lists = next;
	}
}
