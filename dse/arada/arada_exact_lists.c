/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of labels, sorted by time; energy falls along a list. Of all labels with no more time than a given one, the
 * last has the least energy. So one look tells whether a label is dominated, and two lists merge in one pass.
 */
#include "dse/arada/arada_exact_label_parts.h"
#include "dse/base/memory.h"
#include "dse/space/arada_options.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

static void append(struct exact_list *list, uint32_t label)
{
	assert(label != NO_LABEL);
	if (list->n == list->n_alloc) {
		list->n_alloc = list->n_alloc ? 2 * list->n_alloc : 16;
		list->label = memory_resize(list->label, list->n_alloc, sizeof(*list->label));
	}
	list->label[list->n++] = label;
}

/* Of two lists, each by time with energy falling along it, what neither beats. */
static void merge(const struct exact_search *search, struct exact_list *into, const struct exact_list *other)
{
	struct exact_list merged = {.n = 0};
	size_t i = 0, k = 0;
	double least = INFINITY;
	while (i < into->n || k < other->n) {
		bool own = k >= other->n;
		if (!own && i < into->n) {
			const struct exact_label *one = &search->label[into->label[i]],
						 *two = &search->label[other->label[k]];
			own = one->ns < two->ns || (one->ns <= two->ns && one->pj <= two->pj);
		}
		uint32_t label = own ? into->label[i++] : other->label[k++];
		if (!(search->label[label].pj < least))
			continue;
		least = search->label[label].pj;
		append(&merged, label);
	}
	free(into->label);
	*into = merged;
}

static void find_least(const struct exact_search *search, struct exact_list *list)
{
	for (size_t d = 0; d < search->n_direction; d++) {
		list->least[d] = INFINITY;
		for (size_t i = 0; i < list->n; i++) {
			const struct exact_label *label = &search->label[list->label[i]];
			list->least[d] =
			    fmin(list->least[d], power_value(search->direction[d].bound.weight, label->ns, label->pj));
		}
	}
}

static void find_all_least(struct exact_search *search)
{
	const struct exact_chain *chain = search->chain;
	struct exact_sources *from = search->sources;
	find_least(search, &from->both_change);
	for (uint32_t m = 0; m < chain->n[EXACT_MEMORY]; m++)
		find_least(search, &from->array_changes[m]);
	for (uint32_t a = 0; a < chain->n[EXACT_ARRAY]; a++) {
		find_least(search, &from->memory_changes[a]);
		for (uint32_t m = 0; m < chain->n[EXACT_MEMORY]; m++)
			find_least(search, &from->same[a][m]);
	}
}

/* Where a layer may go on from, by the settings that it runs at and the changes that it hosts before. */
void exact_gather(struct exact_search *search)
{
	const struct exact_chain *chain = search->chain;
	struct exact_sources *to = search->sources;
	const uint32_t n_array = chain->n[EXACT_ARRAY], n_memory = chain->n[EXACT_MEMORY];
	to->both_change.n = 0;
	for (uint32_t m = 0; m < n_memory; m++)
		to->array_changes[m].n = 0;
	for (uint32_t a = 0; a < n_array; a++)
		to->memory_changes[a].n = 0;
	for (uint32_t a = 0; a <= n_array; a++)
		for (uint32_t m = 0; m <= n_memory; m++) {
			const struct exact_list *list = &search->state[exact_state(chain, a, m)];
			if (list->n == 0)
				continue;
			merge(search, &to->both_change, list);
			/* a free setting is whatever the layer wants, without a change of its own */
			for (uint32_t k = 0; k < n_memory; k++)
				if (m == k || m == n_memory)
					merge(search, &to->array_changes[k], list);
			for (uint32_t k = 0; k < n_array; k++)
				if (a == k || a == n_array)
					merge(search, &to->memory_changes[k], list);
		}
	for (uint32_t a = 0; a < n_array; a++)
		for (uint32_t m = 0; m < n_memory; m++) {
			struct exact_list *same = &to->same[a][m];
			same->n = 0;
			merge(search, same, &search->state[exact_state(chain, a, m)]);
			merge(search, same, &search->state[exact_state(chain, n_array, m)]);
			merge(search, same, &search->state[exact_state(chain, a, n_memory)]);
			merge(search, same, &search->state[exact_state(chain, n_array, n_memory)]);
		}
	find_all_least(search);
}

static int compare_labels(const void *a, const void *b)
{
	const struct exact_label *one = a, *other = b;
	if (one->ns < other->ns || one->ns > other->ns)
		return one->ns < other->ns ? -1 : 1;
	if (one->pj < other->pj || one->pj > other->pj)
		return one->pj < other->pj ? -1 : 1;
	if (one->way != other->way)
		return one->way < other->way ? -1 : 1;
	if (one->parent != other->parent)
		return one->parent < other->parent ? -1 : 1;
	return (one->before * 4 + one->after) - (other->before * 4 + other->after);
}

/* Sort what was reached in a state and drop what is beaten there. */
static void clean(struct exact_search *search, size_t state)
{
	struct exact_label *label = search->reached[state];
	size_t n = 0;
	double least = INFINITY;
	assert(search->n_clean[state] <= search->n_reached[state]);
	if (search->n_reached[state] > search->n_clean[state])
		qsort(label, search->n_reached[state], sizeof(*label), compare_labels);
	for (size_t i = 0; i < search->n_reached[state]; i++)
		if (label[i].pj < least) {
			least = label[i].pj;
			label[n++] = label[i];
		}
	search->n_reached[state] = search->n_clean[state] = n;
}

/* A label that no clean one of its state beats is kept for now. */
void exact_reach(struct exact_search *search, size_t state, const struct exact_label *label)
{
	const struct exact_label *clean_label = search->reached[state];
	assert(state < search->chain->n_state && label->parent < search->n_label);
	size_t low = 0, high = search->n_clean[state];
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (clean_label[middle].ns <= label->ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low > 0 && clean_label[low - 1].pj <= label->pj)
		return;
	if (search->n_reached[state] >= 2 * search->n_clean[state] + 64)
		clean(search, state);
	if (search->n_reached[state] == search->n_reached_alloc[state]) {
		size_t n = search->n_reached_alloc[state] ? 2 * search->n_reached_alloc[state] : 64;
		search->reached[state] = memory_resize(search->reached[state], n, sizeof(*search->reached[state]));
		search->n_reached_alloc[state] = n;
	}
	search->reached[state][search->n_reached[state]++] = *label;
}

static bool is_beaten(const struct exact_search *search, const struct exact_list *by, const struct exact_label *label)
{
	size_t low = 0, high = by->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (search->label[by->label[middle]].ns <= label->ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && search->label[by->label[low - 1]].pj <= label->pj;
}

/* What was reached in a state becomes its labels, but what these states, in which more is free, have for less. */
static void keep_best(struct exact_search *search, size_t state, const size_t *freer, size_t n_freer)
{
	struct exact_list *list = &search->state[state];
	const struct exact_label *reached = search->reached[state];
	list->n = 0;
	clean(search, state);
	for (size_t i = 0; i < search->n_clean[state]; i++) {
		bool is_kept = true;
		for (size_t k = 0; k < n_freer && is_kept; k++)
			is_kept = !is_beaten(search, &search->state[freer[k]], &reached[i]);
		if (!is_kept)
			continue;
		if (search->n_label == search->n_label_alloc) {
			search->n_label_alloc *= 2;
			search->label = memory_resize(search->label, search->n_label_alloc, sizeof(*search->label));
		}
		search->label[search->n_label] = reached[i];
		append(list, (uint32_t)search->n_label++);
	}
	search->n_reached[state] = search->n_clean[state] = 0;
}

/* Freest states first: what is beaten by them goes. */
void exact_keep_all(struct exact_search *search)
{
	const struct exact_chain *chain = search->chain;
	const uint32_t n_array = chain->n[EXACT_ARRAY], n_memory = chain->n[EXACT_MEMORY];
	assert(chain->n_state == (size_t)(n_array + 1) * (n_memory + 1));
	const size_t free_both = exact_state(chain, n_array, n_memory);
	keep_best(search, free_both, NULL, 0);
	for (uint32_t a = 0; a < n_array; a++)
		keep_best(search, exact_state(chain, a, n_memory), &free_both, 1);
	for (uint32_t m = 0; m < n_memory; m++)
		keep_best(search, exact_state(chain, n_array, m), &free_both, 1);
	for (uint32_t a = 0; a < n_array; a++)
		for (uint32_t m = 0; m < n_memory; m++) {
			const size_t freer[] = {free_both, exact_state(chain, a, n_memory),
			                        exact_state(chain, n_array, m)};
			keep_best(search, exact_state(chain, a, m), freer, 3);
		}
}

/* Before the first layer everything is free. */
void exact_search_open(struct exact_search *search)
{
	const size_t n = search->chain->n_state;
	search->n_label_alloc = 1024;
	search->label = memory_array(search->n_label_alloc, sizeof(*search->label));
	search->state = memory_array(n, sizeof(*search->state));
	search->reached = memory_array(n, sizeof(*search->reached));
	search->n_reached = memory_array(n, sizeof(*search->n_reached));
	search->n_clean = memory_array(n, sizeof(*search->n_clean));
	search->n_reached_alloc = memory_array(n, sizeof(*search->n_reached_alloc));
	search->sources = memory_array(1, sizeof(*search->sources));
	search->known = memory_must(arena_array(search->scratch, search->chain->n_stage, sizeof(*search->known)));
	search->label[search->n_label++] = (struct exact_label){0, 0, NO_LABEL, NO_LABEL, 0, 0};
	assert(n - 1 == exact_state(search->chain, search->chain->n[EXACT_ARRAY], search->chain->n[EXACT_MEMORY]));
	append(&search->state[n - 1], 0);
}

void exact_search_close(struct exact_search *search)
{
	for (size_t i = 0; i < search->chain->n_state; i++) {
		free(search->state[i].label);
		free(search->reached[i]);
	}
	for (size_t a = 0; a < ARADA_MAX_SETTING; a++) {
		for (size_t m = 0; m < ARADA_MAX_SETTING; m++)
			free(search->sources->same[a][m].label);
		free(search->sources->array_changes[a].label);
		free(search->sources->memory_changes[a].label);
	}
	free(search->sources->both_change.label);
	free(search->sources);
	free(search->state);
	free(search->reached);
	free(search->n_reached);
	free(search->n_clean);
	free(search->n_reached_alloc);
	free(search->label);
}
