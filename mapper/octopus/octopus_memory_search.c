/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least memory for a set of buffers, by branch and bound over the order of
 * their addresses (the search of MiniMalloc, Moffitt, ASPLOS 2023, takes the same
 * canonical form). Among the best answers take the one with the smallest sum of
 * addresses. Each of its buffers lies at 0 or on top of another one. So placing
 * the buffers by ascending address, each as low as those placed so far allow,
 * finds it, and only these placements are tried:
 *
 *  - addresses ascend, those of equal address in the order of the buffers;
 *  - no buffer is placed while another one could lie wholly below it, as moving
 *    that one down would make the sum smaller;
 *  - at each layer all that is still to come lies on top of what is there and
 *    at or above the last address, which bounds the peak from below.
 */
#include "mapper/octopus/octopus_memory_parts.h"
#include "sim/base/arena.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WORK ((uint64_t)20000000) /* steps, about 50 ms of a 3 GHz core */

/* One node of the search: what is placed, and the lowest address of what is not. */
struct address_node {
	uint64_t *top;       /* [n_slot] end of the highest placed buffer at each layer where one begins */
	uint64_t *low;       /* [n] */
	uint32_t *candidate; /* [n] buffers to place next */
	size_t n_candidate, at;
	uint64_t address; /* of the last buffer placed, and that buffer */
	uint32_t last;
};

struct address_search {
	const struct octopus_buffer *buffer; /* [n] sorted by first use */
	size_t n, n_slot;
	uint32_t *begin, *end; /* [n] slots of each, end excluded; slots are the distinct first uses */
	uint64_t *remaining;   /* [n_slot] bytes not yet placed */
	bool *is_placed;       /* [n] */
	uint64_t *placed;      /* [n] addresses of the placed ones */
	uint64_t *address;     /* [n] of the best answer, the caller's */
	uint64_t best_byte, bound_byte, n_work;
	struct address_node *node; /* [n + 1] */
	struct arena arena;
};

static bool allocate(struct address_search *search)
{
	struct arena *arena = &search->arena;
	size_t n = search->n;
	search->begin = arena_array(arena, n, sizeof(*search->begin));
	search->end = arena_array(arena, n, sizeof(*search->end));
	search->remaining = arena_array(arena, n, sizeof(*search->remaining));
	search->is_placed = arena_array(arena, n, sizeof(*search->is_placed));
	search->placed = arena_array(arena, n, sizeof(*search->placed));
	search->node = arena_array(arena, n + 1, sizeof(*search->node));
	for (size_t i = 0; search->node && i <= n; i++) {
		struct address_node *node = &search->node[i];
		node->top = arena_array(arena, n, sizeof(*node->top));
		node->low = arena_array(arena, n, sizeof(*node->low));
		node->candidate = arena_array(arena, n, sizeof(*node->candidate));
		if (!node->top || !node->low || !node->candidate)
			return false;
	}
	return search->begin && search->end && search->remaining && search->is_placed && search->placed && search->node;
}

/* Buffers are sorted by first use, so slots are too. */
static void find_slots(struct address_search *search)
{
	const struct octopus_buffer *buffer = search->buffer;
	for (size_t i = 0; i < search->n; i++) {
		search->n_slot += i == 0 || buffer[i].first != buffer[i - 1].first;
		search->begin[i] = (uint32_t)search->n_slot - 1;
	}
	for (size_t i = 0; i < search->n; i++) {
		size_t j = i;
		while (j < search->n && buffer[j].first <= buffer[i].last)
			j++;
		search->end[i] = search->begin[j - 1] + 1;
		for (size_t slot = search->begin[i]; slot < search->end[i]; slot++)
			search->remaining[slot] += buffer[i].size_byte;
	}
}

/* Whether all that is not placed could still end below the best peak. */
static bool is_hopeful(struct address_search *search, const struct address_node *node)
{
	for (size_t slot = 0; slot < search->n_slot; slot++) {
		uint64_t from = node->top[slot];
		if (search->remaining[slot] > 0 && from < node->address)
			from = node->address;
		if (from + search->remaining[slot] >= search->best_byte)
			return false;
	}
	search->n_work += search->n_slot;
	return true;
}

/* The candidate to try first: the lowest, of these the one with the most bytes times layers. */
static bool goes_before(const struct address_search *search, const struct address_node *node, uint32_t a, uint32_t b)
{
	if (node->low[a] != node->low[b])
		return node->low[a] < node->low[b];
	uint64_t area_a = search->buffer[a].size_byte * (search->end[a] - search->begin[a]);
	uint64_t area_b = search->buffer[b].size_byte * (search->end[b] - search->begin[b]);
	return area_a != area_b ? area_a > area_b : a < b;
}

/* What may be placed next in a node, sorted. */
static void list_candidates(struct address_search *search, struct address_node *node)
{
	uint64_t first_end = UINT64_MAX;
	node->n_candidate = node->at = 0;
	for (uint32_t i = 0; i < search->n; i++)
		if (!search->is_placed[i] && node->low[i] + search->buffer[i].size_byte < first_end)
			first_end = node->low[i] + search->buffer[i].size_byte;
	for (uint32_t i = 0; i < search->n; i++) {
		bool ascends = node->low[i] > node->address || (node->low[i] == node->address && i >= node->last);
		if (search->is_placed[i] || !ascends || node->low[i] >= first_end)
			continue;
		size_t at = node->n_candidate++;
		for (; at > 0 && goes_before(search, node, i, node->candidate[at - 1]); at--)
			node->candidate[at] = node->candidate[at - 1];
		node->candidate[at] = i;
		search->n_work += node->n_candidate - at;
	}
	search->n_work += 2 * search->n;
}

/* The node below, with buffer i placed. */
static void descend(struct address_search *search, size_t depth, uint32_t i)
{
	const struct address_node *above = &search->node[depth];
	struct address_node *node = &search->node[depth + 1];
	const struct octopus_buffer *buffer = search->buffer;
	uint64_t end = above->low[i] + buffer[i].size_byte;
	memcpy(node->top, above->top, search->n_slot * sizeof(*node->top));
	memcpy(node->low, above->low, search->n * sizeof(*node->low));
	node->address = above->low[i];
	node->last = i;
	search->is_placed[i] = true;
	search->placed[i] = node->address;
	for (size_t slot = search->begin[i]; slot < search->end[i]; slot++) {
		node->top[slot] = end;
		search->remaining[slot] -= buffer[i].size_byte;
	}
	for (size_t j = 0; j < search->n && buffer[j].first <= buffer[i].last; j++)
		if (buffer[j].last >= buffer[i].first && node->low[j] < end)
			node->low[j] = end;
	search->n_work += search->n_slot + search->n;
}

static void ascend(struct address_search *search, uint32_t i)
{
	search->is_placed[i] = false;
	for (size_t slot = search->begin[i]; slot < search->end[i]; slot++)
		search->remaining[slot] += search->buffer[i].size_byte;
}

/* All are placed, below the best peak so far. */
static void keep(struct address_search *search, const struct address_node *leaf)
{
	uint64_t peak_byte = 0;
	for (size_t slot = 0; slot < search->n_slot; slot++)
		peak_byte = leaf->top[slot] > peak_byte ? leaf->top[slot] : peak_byte;
	assert(peak_byte < search->best_byte);
	search->best_byte = peak_byte;
	memcpy(search->address, search->placed, search->n * sizeof(*search->address));
}

/* Depth first. Whether it came to the end. */
static bool run(struct address_search *search)
{
	size_t depth = 0;
	list_candidates(search, &search->node[0]);
	for (;;) {
		struct address_node *node = &search->node[depth];
		if (search->best_byte == search->bound_byte)
			return true;
		if (search->n_work > MAX_WORK)
			return false;
		if (node->at == node->n_candidate) {
			if (depth == 0)
				return true;
			ascend(search, node->last);
			depth--;
			continue;
		}
		descend(search, depth, node->candidate[node->at++]);
		node = &search->node[++depth];
		node->at = node->n_candidate = 0;
		if (!is_hopeful(search, node))
			continue;
		if (depth == search->n)
			keep(search, node);
		else
			list_candidates(search, node);
	}
}

bool octopus_memory_search(const struct octopus_buffer *buffer, size_t n, uint64_t bound_byte, uint64_t *address,
                           uint64_t *best_byte, bool *is_proved)
{
	assert(buffer && n > 0 && n <= OCTOPUS_MAX_SEARCH && address && best_byte && is_proved);
	assert(*best_byte >= bound_byte);
	struct address_search search = {.buffer = buffer, .n = n, .bound_byte = bound_byte, .best_byte = *best_byte};
	search.address = address;
	bool good = allocate(&search);
	if (good) {
		find_slots(&search);
		*is_proved = run(&search);
		*best_byte = search.best_byte;
	}
	arena_free(&search.arena);
	return good;
}
