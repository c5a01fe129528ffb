/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H
/*
 * What the event tier tells while it runs: spans of time in which a unit was
 * busy with something. Who listens decides what becomes of them; sim/ knows no
 * file format.
 */
#include <stdint.h>

/* Units that have a track; index: PE, QPE of the router, DRAM interface, QPE of the host's agent, 0. */
enum trace_unit { TRACE_PE_MLA, TRACE_PE_DMA, TRACE_ROUTER, TRACE_DRAM, TRACE_HOST, TRACE_PHASE, N_TRACE_UNIT };

struct trace_span {
	enum trace_unit unit;
	uint32_t index;
	const char *name;            /* "task", "load", "copy", "store", "busy", "messages", a phase; static text */
	uint64_t begin_clk, end_clk; /* PE clocks since the schedule began; end > begin */
	uint32_t part;               /* of the operation (struct op); UINT32_MAX: none */
	uint32_t peer;               /* the other side's PE or DRAM interface; UINT32_MAX: none */
	uint64_t n;                  /* bytes moved, MAC clocks of a task, packets passed */
};

/* A span that is of no operation and has no other side. */
static inline struct trace_span trace_make_span(enum trace_unit unit, uint32_t index, const char *name,
                                                uint64_t begin_clk, uint64_t end_clk, uint64_t n)
{
	return (struct trace_span){unit, index, name, begin_clk, end_clk, UINT32_MAX, UINT32_MAX, n};
}

struct trace_sink {
	/* Called in the order in which spans end; must not fail: what goes wrong is kept and told at the end. */
	void (*span)(void *context, const struct trace_span *span);
	void *context;
};

/* sink NULL: nobody listens. */
void trace_put_span(const struct trace_sink *sink, const struct trace_span *span);
/* A unit was busy once more: the same as the open span unless it idled in between. */
void trace_extend_span(const struct trace_sink *sink, struct trace_span *open, const struct trace_span *more);
void trace_end_span(const struct trace_sink *sink, struct trace_span *open);

#endif
