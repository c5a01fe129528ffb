/* SPDX-License-Identifier: Apache-2.0 */
/* The calendar of events: buckets of the next clocks, a binary heap for what lies beyond. */
#include "sim/event/event_queue.h"
#include <string.h>

#define N_OCCUPIED_WORD (EVENT_HORIZON_CLK / 64)
_Static_assert((EVENT_HORIZON_CLK & (EVENT_HORIZON_CLK - 1)) == 0 && EVENT_HORIZON_CLK >= 64, "a power of two");

void event_queue_init(struct event_queue *queue, uint32_t n_unit, struct arena *memory)
{
	assert(n_unit > 0);
	*queue = (struct event_queue){.n_unit = n_unit, .n_word = (n_unit + 63) / 64, .memory = memory};
	queue->bucket = arena_array(memory, (size_t)EVENT_HORIZON_CLK * queue->n_word, sizeof(*queue->bucket));
	queue->n_far_alloc = (size_t)n_unit * EVENT_FAR_PER_UNIT;
	queue->far = arena_array(memory, queue->n_far_alloc, sizeof(*queue->far));
}

static uint64_t *bucket_at(const struct event_queue *queue, uint64_t clk)
{
	return &queue->bucket[(size_t)(clk % EVENT_HORIZON_CLK) * queue->n_word];
}

void event_queue_reset(struct event_queue *queue, uint64_t clk)
{
	assert(clk >= queue->clk);
	memset(queue->occupied, 0, sizeof(queue->occupied));
	memset(queue->bucket, 0, (size_t)EVENT_HORIZON_CLK * queue->n_word * sizeof(*queue->bucket));
	queue->n_far = 0;
	queue->clk = clk;
}

static bool is_earlier(const struct event_far *a, const struct event_far *b)
{
	return a->clk != b->clk ? a->clk < b->clk : a->unit < b->unit;
}

static void swap_far(struct event_far *a, struct event_far *b)
{
	struct event_far kept = *a;
	*a = *b;
	*b = kept;
}

static bool grow_far(struct event_queue *queue)
{
	struct event_far *more = arena_array(queue->memory, 2 * queue->n_far_alloc, sizeof(*more));
	if (!more)
		return false;
	memcpy(more, queue->far, queue->n_far * sizeof(*more));
	queue->far = more;
	queue->n_far_alloc *= 2;
	return true;
}

void event_queue_wake_far(struct event_queue *queue, uint64_t clk, uint32_t unit)
{
	if (queue->n_far == queue->n_far_alloc && !grow_far(queue))
		return;
	struct event_far *far = queue->far;
	size_t at = queue->n_far++;
	far[at] = (struct event_far){.clk = clk, .unit = unit};
	for (; at > 0 && is_earlier(&far[at], &far[(at - 1) / 2]); at = (at - 1) / 2)
		swap_far(&far[at], &far[(at - 1) / 2]);
}

static struct event_far pop_far(struct event_queue *queue)
{
	assert(queue->n_far > 0);
	struct event_far *far = queue->far, top = far[0];
	far[0] = far[--queue->n_far];
	for (size_t at = 0, child = 1; child < queue->n_far; at = child, child = 2 * at + 1) {
		if (child + 1 < queue->n_far && is_earlier(&far[child + 1], &far[child]))
			child++;
		if (!is_earlier(&far[child], &far[at]))
			break;
		swap_far(&far[at], &far[child]);
	}
	return top;
}

/* Clocks from the present one to the next bucket in use, EVENT_HORIZON_CLK if all are empty. */
static uint32_t find_bucket_clk(const struct event_queue *queue)
{
	uint32_t from = (uint32_t)(queue->clk % EVENT_HORIZON_CLK);
	uint64_t word = queue->occupied[from / 64] >> (from % 64);
	if (word)
		return (uint32_t)__builtin_ctzll(word);
	/* The words after it, at last the first one again for the buckets before `from`. */
	for (uint32_t i = 1; i <= N_OCCUPIED_WORD; i++) {
		word = queue->occupied[(from / 64 + i) % N_OCCUPIED_WORD];
		if (word)
			return i * 64 + (uint32_t)__builtin_ctzll(word) - from % 64;
	}
	return EVENT_HORIZON_CLK;
}

uint64_t event_queue_peek(const struct event_queue *queue)
{
	uint32_t skip_clk = find_bucket_clk(queue);
	if (skip_clk < EVENT_HORIZON_CLK)
		return queue->clk + skip_clk;
	return queue->n_far > 0 ? queue->far[0].clk : UINT64_MAX;
}

/* Wake-ups that come within the horizon leave the heap. */
bool event_queue_advance(struct event_queue *queue)
{
	uint64_t clk = event_queue_peek(queue);
	if (clk == UINT64_MAX)
		return false;
	queue->clk = clk;
	while (queue->n_far > 0 && queue->far[0].clk - clk < EVENT_HORIZON_CLK) {
		struct event_far far = pop_far(queue);
		event_queue_wake(queue, far.clk, far.unit);
	}
	return true;
}

bool event_queue_next(struct event_queue *queue, uint32_t *unit)
{
	while (!event_queue_take(queue, unit))
		if (!event_queue_advance(queue))
			return false;
	return true;
}

size_t event_queue_save(const struct event_queue *queue, uint64_t *state, size_t n_max)
{
	size_t n = 0;
	uint32_t from = (uint32_t)(queue->clk % EVENT_HORIZON_CLK);
	/* From the present clock on: the word it is in comes first and, for the clocks before, last again. */
	for (uint32_t i = 0; i <= N_OCCUPIED_WORD; i++) {
		uint64_t word = queue->occupied[(from / 64 + i) % N_OCCUPIED_WORD];
		uint64_t low = ((uint64_t)1 << (from % 64)) - 1;
		word &= i == 0 ? ~low : i == N_OCCUPIED_WORD ? low : UINT64_MAX;
		for (; word; word &= word - 1) {
			uint32_t skip_clk = i * 64 + (uint32_t)__builtin_ctzll(word) - from % 64;
			if (n + 1 + queue->n_word <= n_max) {
				state[n] = skip_clk;
				memcpy(&state[n + 1], bucket_at(queue, queue->clk + skip_clk),
				       queue->n_word * sizeof(*state));
			}
			n += 1 + queue->n_word;
		}
	}
	/* The heap's layout depends on its history: equal states may then look different, never the reverse. */
	for (size_t i = 0; i < queue->n_far; i++, n += 2) {
		if (n + 2 <= n_max) {
			state[n] = queue->far[i].clk - queue->clk;
			state[n + 1] = queue->far[i].unit;
		}
	}
	return n;
}
