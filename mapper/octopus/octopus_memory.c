/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/octopus/octopus_memory.h"
#include "mapper/octopus/octopus_memory_parts.h"
#include "sim/base/arena.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PROMOTE 200  /* more gain little */
#define MAX_STEP 2000000 /* neighbours looked at while one order is improved: about 0.05 s */

/* In what order buffers are placed. */
enum greedy_order {
	ORDER_SIZE,     /* the largest first */
	ORDER_AREA,     /* the largest product of size and time first */
	ORDER_DURATION, /* the longest lived first */
	ORDER_FIRST,    /* in the order of execution */
	ORDER_CROWD,    /* those alive at the fullest layers first, of these the largest */
	N_GREEDY
};

/* A buffer placed, as those that follow see it. */
struct placed {
	uint64_t begin, end;
};

/* What an order sorts by: descending keys, then by first use, then by index. */
struct sort_key {
	uint64_t major, minor;
	uint32_t index;
};

/*
 * buffer is sorted by first use. last_max is a tree over it: leaf i has the last use, plus one, of buffer i once that
 * is placed, else 0; a node has the larger of its two. Those alive with a buffer are the leaves above its first use
 * among the buffers that begin before its end, and a walk down the tree meets no others.
 */
struct memory_work {
	size_t n, n_leaf;
	struct octopus_buffer *buffer; /* [n] aligned sizes above 0, sorted by first use */
	uint32_t *begins;              /* [n] buffers that begin at or before the end of this one */
	uint64_t *crowd_byte;          /* [n] the most bytes alive at once during its life */
	uint64_t *last_max;            /* [2 * n_leaf] */
	struct placed *neighbour;      /* [n] */
	struct sort_key *key;          /* [n] */
	uint32_t *order, *low;         /* [n] as they are placed; of these, those below the peak */
	uint64_t n_step;               /* neighbours looked at */
	uint64_t *address, *best;      /* [n] */
	struct arena arena;
};

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_first(const void *a, const void *b)
{
	const struct octopus_buffer *x = a, *y = b;
	int first = compare_u64(x->first, y->first);
	return first ? first : compare_u64(x->address, y->address); /* which holds the caller's index here */
}

static int compare_key(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;
	int major = compare_u64(y->major, x->major), minor = compare_u64(y->minor, x->minor);
	return major ? major : minor ? minor : compare_u64(x->index, y->index);
}

static int compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	return compare_u64(x->begin, y->begin);
}

/* ---- what is alive ---- */

/* When a buffer comes or goes. */
struct life_event {
	uint64_t layer; /* of its first use; the one after its last */
	bool comes;
	uint64_t size_byte;
};

/* Those that go first, so that the sum is never above what is alive. */
static int compare_event(const void *a, const void *b)
{
	const struct life_event *x = a, *y = b;
	int layer = compare_u64(x->layer, y->layer);
	return layer ? layer : (int)x->comes - (int)y->comes;
}

/* Sums of n sizes stay exact, and whatever is too large for any memory stays so. */
static uint64_t aligned(uint64_t size_byte)
{
	_Static_assert(OCTOPUS_MAX_BUFFER * OCTOPUS_MAX_SIZE_BYTE <= UINT64_MAX / 2, "sums of sizes fit");
	return align_up(size_byte < OCTOPUS_MAX_SIZE_BYTE ? size_byte : OCTOPUS_MAX_SIZE_BYTE, OCTOPUS_ALIGN_BYTE);
}

bool octopus_memory_bound(const struct octopus_buffer *buffer, size_t n, uint64_t *bound_byte)
{
	assert((buffer || n == 0) && n <= OCTOPUS_MAX_BUFFER && bound_byte);
	struct life_event *event = malloc((2 * n + 1) * sizeof(*event));
	uint64_t alive = 0, most = 0;
	if (!event)
		return false;
	for (size_t i = 0; i < n; i++) {
		assert(buffer[i].first <= buffer[i].last);
		event[2 * i] = (struct life_event){buffer[i].first, true, aligned(buffer[i].size_byte)};
		event[2 * i + 1] = (struct life_event){buffer[i].last + UINT64_C(1), false, event[2 * i].size_byte};
	}
	qsort(event, 2 * n, sizeof(*event), compare_event);
	for (size_t i = 0; i < 2 * n; i++) {
		alive = event[i].comes ? alive + event[i].size_byte : alive - event[i].size_byte;
		most = alive > most ? alive : most;
	}
	assert(alive == 0);
	*bound_byte = most;
	free(event);
	return true;
}

/* ---- greedy placement ---- */

static void mark_placed(struct memory_work *work, size_t i)
{
	uint64_t end = work->buffer[i].last + UINT64_C(1);
	for (size_t at = work->n_leaf + i; at > 0 && work->last_max[at] < end; at /= 2)
		work->last_max[at] = end;
}

/* Gather the placed buffers below a node that are alive with buffer i; first_leaf is the node's. */
static size_t gather(struct memory_work *work, size_t i, size_t node, size_t first_leaf, size_t n_leaf, size_t n)
{
	if (first_leaf >= work->begins[i] || work->last_max[node] <= work->buffer[i].first)
		return n;
	if (n_leaf == 1) {
		uint64_t begin = work->address[first_leaf];
		work->neighbour[n] = (struct placed){begin, begin + work->buffer[first_leaf].size_byte};
		return n + 1;
	}
	n = gather(work, i, 2 * node, first_leaf, n_leaf / 2, n);
	return gather(work, i, 2 * node + 1, first_leaf + n_leaf / 2, n_leaf / 2, n);
}

/* The tightest gap between neighbours that takes the buffer, the lowest of equal ones; above them all when none does.
 */
static uint64_t find_gap(const struct placed *neighbour, size_t n, uint64_t size_byte)
{
	uint64_t top = 0, best = UINT64_MAX, best_room = UINT64_MAX;
	for (size_t i = 0; i < n; i++) {
		uint64_t room = neighbour[i].begin > top ? neighbour[i].begin - top : 0;
		if (room >= size_byte && room < best_room) {
			best = top;
			best_room = room;
		}
		top = neighbour[i].end > top ? neighbour[i].end : top;
	}
	return best == UINT64_MAX ? top : best;
}

/* Place all in work->order; the peak. */
static uint64_t place(struct memory_work *work)
{
	uint64_t peak_byte = 0;
	memset(work->last_max, 0, 2 * work->n_leaf * sizeof(*work->last_max));
	for (size_t k = 0; k < work->n; k++) {
		size_t i = work->order[k], n = gather(work, i, 1, 0, work->n_leaf, 0);
		qsort(work->neighbour, n, sizeof(*work->neighbour), compare_placed);
		work->n_step += n + 1;
		work->address[i] = find_gap(work->neighbour, n, work->buffer[i].size_byte);
		uint64_t end = work->address[i] + work->buffer[i].size_byte;
		peak_byte = end > peak_byte ? end : peak_byte;
		mark_placed(work, i);
	}
	return peak_byte;
}

static struct sort_key make_key(const struct memory_work *work, enum greedy_order order, size_t i)
{
	const struct octopus_buffer *buffer = &work->buffer[i];
	uint64_t duration = (uint64_t)buffer->last - buffer->first + 1;
	struct sort_key key = {0, buffer->size_byte, (uint32_t)i};
	switch (order) {
	case ORDER_SIZE:
		key.major = buffer->size_byte;
		key.minor = duration;
		break;
	case ORDER_AREA:
		key.major = mul_sat(buffer->size_byte, duration);
		break;
	case ORDER_DURATION:
		key.major = duration;
		break;
	case ORDER_FIRST:
		key.major = UINT32_MAX - buffer->first;
		break;
	case ORDER_CROWD:
	case N_GREEDY:
		key.major = work->crowd_byte[i];
	}
	return key;
}

static void sort_order(struct memory_work *work, enum greedy_order order)
{
	for (size_t i = 0; i < work->n; i++)
		work->key[i] = make_key(work, order, i);
	qsort(work->key, work->n, sizeof(*work->key), compare_key);
	for (size_t k = 0; k < work->n; k++)
		work->order[k] = work->key[k].index;
}

/* The buffers that end at the peak come first next time, the others in the same order. */
static void promote_highest(struct memory_work *work, uint64_t peak_byte)
{
	size_t n_high = 0, n_low = 0;
	for (size_t k = 0; k < work->n; k++) {
		uint32_t i = work->order[k];
		if (work->address[i] + work->buffer[i].size_byte == peak_byte)
			work->order[n_high++] = i;
		else
			work->low[n_low++] = i;
	}
	memcpy(work->order + n_high, work->low, n_low * sizeof(*work->low));
}

static bool keep_better(struct memory_work *work, uint64_t peak_byte, struct octopus_memory *memory)
{
	if (peak_byte >= memory->peak_byte)
		return false;
	assert(peak_byte >= memory->bound_byte);
	memory->peak_byte = peak_byte;
	memory->is_least = peak_byte == memory->bound_byte;
	memcpy(work->best, work->address, work->n * sizeof(*work->best));
	return true;
}

/* Each order, until one needs no more than the bound. */
static void try_orders(struct memory_work *work, struct octopus_memory *memory)
{
	for (unsigned order = 0; order < N_GREEDY && !memory->is_least; order++) {
		sort_order(work, (enum greedy_order)order);
		keep_better(work, place(work), memory);
	}
}

/* Each order again; what comes out highest is placed first next time, which heals what an order is blind to. */
static void promote(struct memory_work *work, struct octopus_memory *memory)
{
	for (unsigned order = 0; order < N_GREEDY && !memory->is_least; order++) {
		sort_order(work, (enum greedy_order)order);
		work->n_step = 0;
		uint64_t peak_byte = place(work);
		for (unsigned i = 0; i < MAX_PROMOTE && work->n_step < MAX_STEP && !memory->is_least; i++) {
			promote_highest(work, peak_byte);
			peak_byte = place(work);
			keep_better(work, peak_byte, memory);
		}
	}
}

/* ---- the work ---- */

/* For each buffer, how many begin by its end; buffers are sorted by first use. */
static void count_begins(struct memory_work *work)
{
	for (size_t i = 0; i < work->n; i++) {
		size_t low = i + 1, high = work->n;
		while (low < high) {
			size_t middle = low + (high - low) / 2;
			if (work->buffer[middle].first <= work->buffer[i].last)
				low = middle + 1;
			else
				high = middle;
		}
		work->begins[i] = (uint32_t)low;
	}
}

/*
 * The most bytes alive at once during each life. What is alive grows only where a buffer begins: at[k] is the sum just
 * after the k-th has come (with others of its layer still to come it is too low, but theirs follow within the range),
 * and a tree of maxima answers for a range.
 */
static bool measure_crowds(struct memory_work *work)
{
	struct life_event *event = arena_array(&work->arena, 2 * work->n, sizeof(*event));
	uint64_t *most = arena_array(&work->arena, 2 * work->n_leaf, sizeof(*most)), alive = 0;
	size_t n_begun = 0;
	if (!event || !most)
		return false;
	for (size_t i = 0; i < work->n; i++) {
		const struct octopus_buffer *buffer = &work->buffer[i];
		event[2 * i] = (struct life_event){buffer->first, true, buffer->size_byte};
		event[2 * i + 1] = (struct life_event){buffer->last + UINT64_C(1), false, buffer->size_byte};
	}
	qsort(event, 2 * work->n, sizeof(*event), compare_event);
	for (size_t i = 0; i < 2 * work->n; i++) {
		alive = event[i].comes ? alive + event[i].size_byte : alive - event[i].size_byte;
		if (event[i].comes)
			most[work->n_leaf + n_begun++] = alive;
	}
	for (size_t node = work->n_leaf - 1; node > 0; node--)
		most[node] = most[2 * node] > most[2 * node + 1] ? most[2 * node] : most[2 * node + 1];
	for (size_t i = 0; i < work->n; i++) {
		size_t low = work->n_leaf + i, high = work->n_leaf + work->begins[i];
		for (; low < high; low /= 2, high /= 2) {
			if (low % 2 && most[low] > work->crowd_byte[i])
				work->crowd_byte[i] = most[low];
			low += low % 2;
			if (high % 2 && most[high - 1] > work->crowd_byte[i])
				work->crowd_byte[i] = most[high - 1];
			high -= high % 2;
		}
	}
	return true;
}

/* The buffers that take memory; `address` of each holds its index until it is placed. */
static bool prepare(struct memory_work *work, const struct octopus_buffer *buffer, size_t n)
{
	struct arena *arena = &work->arena;
	work->buffer = arena_array(arena, n, sizeof(*work->buffer));
	for (size_t i = 0; work->buffer && i < n; i++) {
		if (buffer[i].size_byte == 0)
			continue;
		work->buffer[work->n] = buffer[i];
		work->buffer[work->n].size_byte = aligned(buffer[i].size_byte);
		work->buffer[work->n++].address = i;
	}
	for (work->n_leaf = 1; work->n_leaf < work->n; work->n_leaf *= 2)
		;
	work->begins = arena_array(arena, n, sizeof(*work->begins));
	work->crowd_byte = arena_array(arena, n, sizeof(*work->crowd_byte));
	work->last_max = arena_array(arena, 2 * work->n_leaf, sizeof(*work->last_max));
	work->neighbour = arena_array(arena, n, sizeof(*work->neighbour));
	work->key = arena_array(arena, n, sizeof(*work->key));
	work->order = arena_array(arena, n, sizeof(*work->order));
	work->low = arena_array(arena, n, sizeof(*work->low));
	work->address = arena_array(arena, n, sizeof(*work->address));
	work->best = arena_array(arena, n, sizeof(*work->best));
	if (!work->buffer || !work->begins || !work->crowd_byte || !work->last_max || !work->neighbour || !work->key ||
	    !work->order || !work->low || !work->address || !work->best)
		return false;
	qsort(work->buffer, work->n, sizeof(*work->buffer), compare_first);
	count_begins(work);
	return measure_crowds(work);
}

/* Bytes of all buffers side by side. */
static uint64_t sum_apart(const struct octopus_buffer *buffer, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += aligned(buffer[i].size_byte);
	return sum;
}

static bool assign(struct memory_work *work, struct octopus_buffer *buffer, size_t n, struct octopus_memory *memory)
{
	if (!prepare(work, buffer, n))
		return false;
	try_orders(work, memory);
	if (!memory->is_least)
		promote(work, memory);
	if (!memory->is_least && work->n <= OCTOPUS_MAX_SEARCH) {
		uint64_t peak_byte = memory->peak_byte;
		bool is_proved;
		if (!octopus_memory_search(work->buffer, work->n, memory->bound_byte, work->address, &peak_byte,
		                           &is_proved))
			return false;
		keep_better(work, peak_byte, memory);
		memory->is_least = memory->is_least || is_proved;
	}
	for (size_t i = 0; i < n; i++)
		buffer[i].address = 0;
	for (size_t i = 0; i < work->n; i++)
		buffer[work->buffer[i].address].address = work->best[i];
	return true;
}

bool octopus_memory_assign(struct octopus_buffer *buffer, size_t n, uint64_t capacity_byte,
                           struct octopus_memory *memory)
{
	assert((buffer || n == 0) && memory);
	assert(n <= OCTOPUS_MAX_BUFFER && capacity_byte <= OCTOPUS_MAX_DRAM_BYTE);
	struct octopus_memory found = {.peak_byte = UINT64_MAX, .apart_byte = sum_apart(buffer, n)};
	struct memory_work work = {0};
	if (!octopus_memory_bound(buffer, n, &found.bound_byte))
		return false;
	bool good = true;
	if (found.bound_byte == 0 || found.bound_byte > capacity_byte) {
		found.peak_byte = found.bound_byte;
		found.is_least = found.bound_byte == 0;
		for (size_t i = 0; i < n; i++)
			buffer[i].address = 0;
	} else {
		good = assign(&work, buffer, n, &found);
	}
	arena_free(&work.arena);
	if (!good)
		return false;
	if (found.peak_byte > capacity_byte)
		found.verdict = (struct verdict){VERDICT_DRAM, found.peak_byte, capacity_byte};
	*memory = found;
	return true;
}
