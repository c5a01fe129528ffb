/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which a queue's jobs are taken (struct job_order), run by run of jobs that are alike. */
#include "sim/fast/fast_parts.h"

static void begin_row(struct job_cursor *cursor, uint32_t first)
{
	uint32_t n_column = cursor->order->n_c[0] + cursor->order->n_c[1];
	cursor->first = cursor->c = first;
	cursor->end = cursor->n_left < n_column - first ? first + (uint32_t)cursor->n_left : n_column;
	cursor->n_left -= cursor->end - first;
}

struct job_cursor job_cursor_at_start(const struct job_order *order)
{
	uint32_t n_column = order->n_c[0] + order->n_c[1], n_w = order->n_w[0] + order->n_w[1];
	uint64_t row = order->n_skip / n_column;
	struct job_cursor cursor = {.order = order, .n_left = order->n_result};
	cursor.w = (uint32_t)(row % n_w);
	cursor.h = (uint32_t)(row / n_w % (order->n_h[0] + order->n_h[1]));
	begin_row(&cursor, (uint32_t)(order->n_skip % n_column));
	return cursor;
}

static void end_row(struct job_cursor *cursor)
{
	const struct job_order *order = cursor->order;
	cursor->c = cursor->first;
	if (!order->is_chain && ++cursor->d < order->n_d[0] + order->n_d[1])
		return;
	cursor->d = 0;
	if (++cursor->w == order->n_w[0] + order->n_w[1]) {
		cursor->w = 0;
		if (++cursor->h == order->n_h[0] + order->n_h[1])
			cursor->h = 0;
	}
	begin_row(cursor, 0);
}

uint32_t job_cursor_next_run(struct job_cursor *cursor, uint32_t *kind)
{
	const struct job_order *order = cursor->order;
	bool small = cursor->c >= order->n_c[0];
	uint32_t end = !small && order->n_c[0] < cursor->end ? order->n_c[0] : cursor->end, n = end - cursor->c;
	*kind = JOB_KIND(cursor->h >= order->n_h[0], cursor->w >= order->n_w[0], small, cursor->d >= order->n_d[0]);
	cursor->c = end;
	if (end == cursor->end && n > 0)
		end_row(cursor);
	return n;
}
