/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/layer/split_lists.h"
#include "dse/base/parallel.h"
#include <assert.h>
#include <stdlib.h>

const struct dim_axis *split_lists_find(const struct split_lists *lists, const struct split_key *key)
{
	assert(key->extent > 0 && key->step > 0);
	/* four dimensions of some dozens of layers, and most of them alike */
	for (size_t i = 0; lists && i < lists->n; i++) {
		const struct split_key *own = &lists->list[i].key;
		if (own->extent == key->extent && own->step == key->step && own->max_part == key->max_part &&
		    own->choice == key->choice)
			return &lists->list[i].axis;
	}
	return NULL;
}

static enum err_code want_list(struct split_lists *lists, const struct split_key *key, struct err *err)
{
	if (key->choice == SPLIT_REDUCED || split_lists_find(lists, key))
		return ERR_OK;
	if (lists->n == lists->n_alloc) {
		size_t n = lists->n_alloc ? 2 * lists->n_alloc : 32;
		struct split_list *more = realloc(lists->list, n * sizeof(*more));
		if (!more)
			return err_add(err, ERR_INTERNAL, "out of memory for the splits of a dimension");
		lists->list = more;
		lists->n_alloc = n;
	}
	lists->list[lists->n++] = (struct split_list){.key = *key};
	return ERR_OK;
}

enum err_code split_lists_add(struct split_lists *lists, const struct block *block, const struct layer_choice *choice,
                              struct err *err)
{
	const struct split whole = split_whole_group(block); /* filters of all groups are listed by machine */
	const uint32_t extent[N_SPLIT_DIM] = {whole.w.size_a, whole.h.size_a, whole.c.size_a, whole.d.size_a};
	enum err_code code = ERR_OK;
	assert(lists && block);
	for (size_t i = 0; i < N_SPLIT_DIM && code == ERR_OK && !choice->thesis_split; i++) {
		const struct dim_choice *dim = &choice->dim[i];
		const struct split_key key = {extent[i], i < 2 ? block->pool : 1, dim->max_part, dim->choice};
		if (dim->n_fixed == 0)
			code = want_list(lists, &key, err);
	}
	return code;
}

static void list_part(void *context, size_t part)
{
	dim_axis_list(context, part);
}

static void place_part(void *context, size_t i)
{
	dim_axis_place(context, i);
}

struct building {
	struct split_lists *lists;
	unsigned n_thread;
};

static void build_list(void *context, size_t i)
{
	const struct building *building = context;
	struct split_list *list = &building->lists->list[i];
	const struct split_key *key = &list->key;
	struct dim_axis_job *job;
	/* any unit will do: only SPLIT_REDUCED looks at it */
	list->code = dim_axis_begin(key->extent, key->step, 1, key->max_part, key->choice, &job, NULL);
	if (list->code == ERR_OK) {
		parallel_for(dim_axis_n_part(job), building->n_thread, list_part, job);
		list->code = dim_axis_join(job, &list->arena, &list->axis, NULL);
		if (list->code == ERR_OK)
			parallel_for(dim_axis_n_part(job), building->n_thread, place_part, job);
		dim_axis_end(job);
	}
}

/* The longest first, so that no thread starts on it when all others are done. */
static int compare_lists(const void *left, const void *right)
{
	const struct split_key *a = &((const struct split_list *)left)->key;
	const struct split_key *b = &((const struct split_list *)right)->key;
	uint32_t n_a = a->choice == SPLIT_ALL ? a->extent / a->step : 1;
	uint32_t n_b = b->choice == SPLIT_ALL ? b->extent / b->step : 1;
	if (n_a != n_b)
		return n_a > n_b ? -1 : 1;
	if (a->extent != b->extent)
		return a->extent > b->extent ? -1 : 1;
	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	if (a->max_part != b->max_part)
		return a->max_part < b->max_part ? -1 : 1;
	return (a->choice > b->choice) - (a->choice < b->choice);
}

enum err_code split_lists_build(struct split_lists *lists, unsigned n_thread, struct err *err)
{
	struct building building = {lists, n_thread};
	size_t n_built = 0;
	enum err_code code = ERR_OK;
	assert(lists && n_thread > 0);
	if (lists->n == 0)
		return ERR_OK;
	qsort(lists->list, lists->n, sizeof(*lists->list), compare_lists);
	parallel_for(lists->n, n_thread, build_list, &building);
	for (size_t i = 0; i < lists->n; i++) {
		struct split_list *list = &lists->list[i];
		if (list->code == ERR_OK) {
			lists->list[n_built++] = *list;
			continue;
		}
		arena_free(&list->arena);
		if (list->code != ERR_INPUT)
			code = ERR_INTERNAL;
	}
	lists->n = n_built;
	return code == ERR_OK ? ERR_OK : err_add(err, code, "out of memory for the splits of a dimension");
}

void split_lists_free(struct split_lists *lists)
{
	assert(lists);
	for (size_t i = 0; i < lists->n; i++)
		arena_free(&lists->list[i].arena);
	free(lists->list);
	*lists = (struct split_lists){0};
}
