/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranking for three objectives by halves. Points are numbered in the order of
 * their objectives, so only earlier ones can dominate a point, and a point's rank
 * is one more than the largest rank among those before it that are nowhere above
 * it in objectives 1 and 2:
 *
 *   rank the first half ─► raise the second half by the first ─► rank the second half
 *
 * Raising goes through both halves in the order of objective 1. Points of the first
 * half enter a staircase, places in the order of objective 2 with the ranks that are
 * reached there; it rises in both, so the step at or before the place of a point of
 * the second half has the largest rank of all that are nowhere above it. Steps are
 * bits of a tree of words: a word above says which words below are not empty.
 *
 * Both orders are sorted once; a half's are what is left of the whole's. (Halving:
 * H. T. Kung, F. Luccio, F. P. Preparata, "On finding the maxima of a set of
 * vectors", 1975; for ranks M. T. Jensen, "Reducing the run-time complexity of
 * multiobjective EAs", 2003. Jensen halves again in the second objective where here
 * is the tree of words.)
 */
#include "dse/pareto/nondominated.h"
#include "dse/pareto/nondominated_parts.h"
#include <assert.h>
#include <stdlib.h>

enum {
	N_FEW = 128,  /* points that are compared each with each */
	N_LEVEL = 6,  /* of words of 64 bits over 2^32 places */
	WORD_BIT = 64 /* a level's index has this many times the range of the one above */
};

#define NONE UINT32_MAX

/* Arrays of one block. Points by number, which is their place in the order of objectives; equal ones share it. */
struct nondominated_halves {
	int32_t *rank, *y, *z;    /* [n] rank so far; place in the order of objective 1, 2 */
	uint32_t *first;          /* [n + 1] of each number, the first point in the order */
	uint32_t *by_y, *by_z;    /* [n] the numbers in those orders */
	uint32_t *spare;          /* [2n + 64] orders of first halves */
	uint32_t *place;          /* [n] in the order of objective 2 of the points at hand */
	int32_t *step_rank;       /* [n] of each place that is a step */
	uint64_t *steps[N_LEVEL]; /* bits of places, of words of these that are not 0, ... */
	unsigned n_level;         /* in use: as many as their last one needs to be one word */
};

struct nondominated_halves *nondominated_halves(size_t n, struct arena *arena)
{
	struct nondominated_halves *halves = arena_alloc(arena, sizeof(*halves));
	/* places of a word each, and fewer than two words a level beside */
	size_t n_word = n / (WORD_BIT - 1) + 2 * N_LEVEL, n_value = n + 1;
	uint32_t *value = arena_array(arena, 8 * n_value + 2 * n + WORD_BIT, sizeof(*value));
	uint64_t *word = arena_array(arena, n_word, sizeof(*word));
	if (arena->is_out)
		return NULL;
	halves->first = value;
	halves->by_y = value + n_value;
	halves->by_z = value + 2 * n_value;
	halves->place = value + 3 * n_value;
	halves->rank = (int32_t *)(value + 4 * n_value);
	halves->y = (int32_t *)(value + 5 * n_value);
	halves->z = (int32_t *)(value + 6 * n_value);
	halves->step_rank = (int32_t *)(value + 7 * n_value);
	halves->spare = value + 8 * n_value;
	halves->steps[0] = word;
	for (unsigned level = 1; level < N_LEVEL; level++) {
		n = n / WORD_BIT + 1;
		word += n;
		halves->steps[level] = word;
	}
	return halves;
}

/* ---- places as bits ----------------------------------------------------------------------------- */

/* No place of n is a step any more. */
static void clear_steps(struct nondominated_halves *halves, uint32_t n)
{
	halves->n_level = 0;
	do {
		assert(halves->n_level < N_LEVEL);
		n = (n - 1) / WORD_BIT + 1;
		memset(halves->steps[halves->n_level++], 0, n * sizeof(uint64_t));
	} while (n > 1);
}

static uint32_t first_bit(uint64_t word)
{
	return (uint32_t)__builtin_ctzll(word);
}

static uint32_t last_bit(uint64_t word)
{
	return WORD_BIT - 1 - (uint32_t)__builtin_clzll(word);
}

/* The last step at or before the place; NONE: there is none. */
static uint32_t step_before(const struct nondominated_halves *halves, uint32_t place)
{
	uint64_t word = halves->steps[0][place / WORD_BIT] & UINT64_MAX >> (WORD_BIT - 1 - place % WORD_BIT);
	if (word != 0)
		return place / WORD_BIT * WORD_BIT + last_bit(word);
	for (unsigned level = 1; level < halves->n_level; level++) {
		place /= WORD_BIT;
		word = halves->steps[level][place / WORD_BIT] & (((uint64_t)1 << place % WORD_BIT) - 1);
		if (word == 0)
			continue;
		place = place / WORD_BIT * WORD_BIT + last_bit(word);
		while (level-- > 0)
			place = place * WORD_BIT + last_bit(halves->steps[level][place]);
		return place;
	}
	return NONE;
}

/* The first step behind the place; NONE: there is none. */
static uint32_t step_behind(const struct nondominated_halves *halves, uint32_t place)
{
	for (unsigned level = 0; level < halves->n_level; level++) {
		/* two shifts: one by 64 is none */
		uint64_t word = halves->steps[level][place / WORD_BIT] >> place % WORD_BIT >> 1;
		if (word == 0) {
			place /= WORD_BIT;
			continue;
		}
		place += 1 + first_bit(word);
		while (level-- > 0)
			place = place * WORD_BIT + first_bit(halves->steps[level][place]);
		return place;
	}
	return NONE;
}

static void add_step(struct nondominated_halves *halves, uint32_t place)
{
	for (unsigned level = 0; level < halves->n_level; level++) {
		uint64_t *word = &halves->steps[level][place / WORD_BIT], before = *word;
		*word |= (uint64_t)1 << place % WORD_BIT;
		if (before != 0)
			return;
		place /= WORD_BIT;
	}
}

static void remove_step(struct nondominated_halves *halves, uint32_t place)
{
	for (unsigned level = 0; level < halves->n_level; level++) {
		uint64_t *word = &halves->steps[level][place / WORD_BIT];
		*word &= ~((uint64_t)1 << place % WORD_BIT);
		if (*word != 0)
			return;
		place /= WORD_BIT;
	}
}

/* ---- halves ------------------------------------------------------------------------------------- */

/* Each with each: it does not branch, and compilers make vectors of it. */
static void rank_few(struct nondominated_halves *halves, uint32_t begin, uint32_t end)
{
	int32_t *rank = halves->rank;
	const int32_t *y = halves->y, *z = halves->z;
	for (uint32_t i = begin + 1; i < end; i++) {
		int32_t own = rank[i], own_y = y[i], own_z = z[i];
		for (uint32_t k = begin; k < i; k++) {
			int32_t behind = -((y[k] < own_y) & (z[k] < own_z)) & (rank[k] + 1);
			own = behind > own ? behind : own;
		}
		rank[i] = own;
	}
}

/* Raise points from `middle` on by those before it; the lists hold the n points of both halves. */
static void raise_second(struct nondominated_halves *halves, uint32_t middle, const uint32_t *by_y,
                         const uint32_t *by_z, uint32_t n)
{
	int32_t *rank = halves->rank, *step_rank = halves->step_rank;
	for (uint32_t i = 0; i < n; i++)
		halves->place[by_z[i]] = i;
	clear_steps(halves, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t point = by_y[i], place = halves->place[point], step = step_before(halves, place);
		int32_t reached = step == NONE ? -1 : step_rank[step];
		if (reached < rank[point]) {
			if (point >= middle)
				continue;
			while ((step = step_behind(halves, place)) != NONE && step_rank[step] <= rank[point])
				remove_step(halves, step);
			step_rank[place] = rank[point];
			add_step(halves, place);
		} else if (point >= middle) {
			rank[point] = reached + 1;
		}
	}
}

/* to [n_first + 1] becomes the points before `middle`, in the list's order. */
static void take_first(uint32_t *to, const uint32_t *list, uint32_t n, uint32_t middle)
{
	for (uint32_t i = 0, taken = 0; i < n; i++) {
		to[taken] = list[i];
		taken += list[i] < middle;
	}
}

/* The list loses the points before `middle`. */
static void keep_second(uint32_t *list, uint32_t n, uint32_t middle)
{
	for (uint32_t i = 0, kept = 0; i < n; i++) {
		uint32_t point = list[i];
		list[kept] = point;
		kept += point >= middle;
	}
}

/*
 * Rank points begin to end - 1, whose ranks already are what those before them make them. The lists hold them in the
 * order of objectives 1 and 2 and are lost. spare has room for twice as many numbers, and two a level.
 */
static void rank_halves(struct nondominated_halves *halves, uint32_t begin, uint32_t end, uint32_t *by_y,
                        uint32_t *by_z, uint32_t *spare)
{
	while (end - begin > N_FEW) {
		uint32_t n = end - begin, n_first = n / 2, middle = begin + n_first;
		uint32_t *first_y = spare, *first_z = spare + n_first + 1;
		take_first(first_y, by_y, n, middle);
		take_first(first_z, by_z, n, middle);
		rank_halves(halves, begin, middle, first_y, first_z, first_z + n_first + 1);
		raise_second(halves, middle, by_y, by_z, n);
		keep_second(by_y, n, middle);
		keep_second(by_z, n, middle);
		begin = middle;
	}
	rank_few(halves, begin, end);
}

/* ---- from points to numbers and back ------------------------------------------------------------ */

/* Number the n points of memory->item; returns how many numbers there are. */
static uint32_t number_points(struct nondominated *memory, const double *point, size_t stride, uint32_t n,
                              enum nondominated_equal equal)
{
	uint32_t *first = memory->halves->first, n_number = 0;
	const double *previous = NULL;
	for (uint32_t i = 0; i < n; i++) {
		const double *row = point + memory->item[i].value * stride;
		if (equal == EQUAL_BEHIND || !previous || row[0] != previous[0] || row[1] != previous[1] ||
		    row[2] != previous[2])
			first[n_number++] = i;
		previous = row;
	}
	first[n_number] = n;
	return n_number;
}

/* Order numbers by one objective: at equal values the smaller comes first, as it can dominate the other. */
static void order_numbers(struct nondominated *memory, const double *point, size_t stride, unsigned objective,
                          uint32_t n_number, uint32_t *list, int32_t *place)
{
	struct key_item *item = memory->scratch;
	for (uint32_t i = 0; i < n_number; i++) {
		const double *row = point + memory->item[memory->halves->first[i]].value * stride;
		item[i] = (struct key_item){key_of_double(row[objective]), i};
	}
	key_sort(item, memory->scratch + n_number, n_number);
	for (uint32_t i = 0; i < n_number; i++) {
		list[i] = (uint32_t)item[i].value;
		place[list[i]] = (int32_t)i;
	}
}

uint32_t nondominated_rank_by_halves(struct nondominated *memory, const double *point, size_t stride, size_t n,
                                     enum nondominated_equal equal, uint32_t *rank)
{
	struct nondominated_halves *halves = memory->halves;
	int32_t last = -1;
	assert(halves && n > 0 && n <= memory->n_alloc && n <= INT32_MAX);
	uint32_t n_number = number_points(memory, point, stride, (uint32_t)n, equal);
	order_numbers(memory, point, stride, 1, n_number, halves->by_y, halves->y);
	order_numbers(memory, point, stride, 2, n_number, halves->by_z, halves->z);
	memset(halves->rank, 0, n_number * sizeof(*halves->rank));
	rank_halves(halves, 0, n_number, halves->by_y, halves->by_z, halves->spare);
	for (uint32_t number = 0; number < n_number; number++) {
		int32_t own = halves->rank[number];
		assert(own >= 0 && (uint32_t)own <= number);
		last = own > last ? own : last;
		for (uint32_t i = halves->first[number]; i < halves->first[number + 1]; i++)
			rank[memory->item[i].value] = (uint32_t)own;
	}
	return (uint32_t)(last + 1);
}
