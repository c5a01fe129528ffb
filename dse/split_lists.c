/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/split_lists.h"
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

static enum err_code add_list(struct split_lists *lists, const struct split_key *key, struct err *err)
{
	struct dim_axis axis;
	struct err refused = {0};
	if (key->choice == SPLIT_REDUCED || split_lists_find(lists, key))
		return ERR_OK;
	/* any unit will do: only SPLIT_REDUCED looks at it */
	enum err_code code = dim_axis_build(key->extent, key->step, 1, key->max_part, key->choice, &lists->arena,
	                                    &axis, &refused);
	err_clear(&refused);
	if (code == ERR_INPUT)
		return ERR_OK;
	if (code == ERR_OK && lists->n == lists->n_alloc) {
		size_t n = lists->n_alloc ? 2 * lists->n_alloc : 32;
		struct split_list *more = realloc(lists->list, n * sizeof(*more));
		if (more) {
			lists->list = more;
			lists->n_alloc = n;
		}
	}
	if (code != ERR_OK || lists->n == lists->n_alloc)
		return err_add(err, ERR_INTERNAL, "out of memory for the splits of a dimension");
	lists->list[lists->n++] = (struct split_list){*key, axis};
	return ERR_OK;
}

enum err_code split_lists_add(struct split_lists *lists, const struct block *block, const struct layer_choice *choice,
                              struct err *err)
{
	const struct split whole = split_whole(block);
	const struct split_key key[] = {
	    {whole.w.size_a, block->pool, choice->max_part_w, choice->w},
	    {whole.h.size_a, block->pool, choice->max_part_h, choice->h},
	    {whole.c.size_a, 1, choice->max_part_c, choice->c},
	    {whole.d.size_a, 1, choice->max_part_d, choice->d},
	};
	const size_t n_fixed[] = {choice->n_fixed_w, choice->n_fixed_h, choice->n_fixed_c, choice->n_fixed_d};
	enum err_code code = ERR_OK;
	assert(lists && block);
	for (size_t i = 0; i < sizeof(key) / sizeof(key[0]) && code == ERR_OK && !choice->thesis_split; i++)
		if (n_fixed[i] == 0)
			code = add_list(lists, &key[i], err);
	return code;
}

void split_lists_free(struct split_lists *lists)
{
	assert(lists);
	free(lists->list);
	arena_free(&lists->arena);
	*lists = (struct split_lists){0};
}
