/* SPDX-License-Identifier: Apache-2.0 */
/* Spans of units that are busy with one short thing after the other: told as one while they hardly idle. */
#include "sim/event/trace.h"
#include <stdbool.h>
#include <stddef.h>

#define BRIDGED_CLK 16 /* of idling */

void trace_put_span(const struct trace_sink *sink, const struct trace_span *span)
{
	if (sink && span->end_clk > span->begin_clk)
		sink->span(sink->context, span);
}

void trace_extend_span(const struct trace_sink *sink, struct trace_span *open, const struct trace_span *more)
{
	bool same = open->name == more->name && open->part == more->part && open->peer == more->peer;
	if (same && more->begin_clk <= open->end_clk + BRIDGED_CLK) {
		open->end_clk = more->end_clk > open->end_clk ? more->end_clk : open->end_clk;
		open->n += more->n;
		open->n_queued = more->n_queued > open->n_queued ? more->n_queued : open->n_queued;
		return;
	}
	uint64_t end_clk = open->end_clk;
	trace_end_span(sink, open);
	*open = *more;
	/* Clocks of other domains are rounded: what follows begins where the last one ended. */
	if (open->begin_clk < end_clk)
		open->begin_clk = end_clk;
}

void trace_end_span(const struct trace_sink *sink, struct trace_span *open)
{
	if (open->name)
		trace_put_span(sink, open);
	open->name = NULL;
}
