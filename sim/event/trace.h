/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H
/*
 * What the event tier tells while it runs: spans of time in which a unit was
 * busy with something. Who listens decides what becomes of them; sim/ knows no
 * file format.
 */
#include <stdint.h>

/*
 * Units that have a track; index: PE, QPE of the router, DRAM interface, QPE of the host's agent, 0. ARM cores have no
 * events: who listens has their phases from the result.
 */
enum trace_unit {
	TRACE_PE_MLA,
	TRACE_PE_DMA,
	TRACE_ROUTER,
	TRACE_DRAM,
	TRACE_HOST,
	TRACE_PHASE,
	TRACE_ARM,
	N_TRACE_UNIT
};

struct trace_span {
	enum trace_unit unit;
	uint32_t index;
	const char *name;            /* "task", "load", "copy", "store", "busy", "messages", a phase; static text */
	uint64_t begin_clk, end_clk; /* PE clocks since the schedule began; end > begin */
	uint32_t part;               /* of the operation (struct op); UINT32_MAX: none */
	uint32_t peer;               /* the other side's PE or DRAM interface; UINT32_MAX: none */
	uint64_t n;                  /* bytes moved, MAC clocks of a task, packets passed */
	uint32_t n_queued;           /* of DRAM interfaces and routers: most that waited behind what was served */
	const char *waits_for;       /* of a task: what came last before it; NULL: not known. Static text */
	uint64_t waited_clk;         /* and for how long the MLA did nothing before it */
};

/*
 * What a PE's MLA waits for: what has come to the PE since it was free, which it is since a clock. Nothing has come:
 * a command of the host, who waits for other PEs where there is a barrier.
 */
struct trace_cause {
	const char *name;
	uint64_t free_clk;
};

/* A span that is of no operation and has no other side. */
static inline struct trace_span trace_make_span(enum trace_unit unit, uint32_t index, const char *name,
                                                uint64_t begin_clk, uint64_t end_clk, uint64_t n)
{
	return (struct trace_span){.unit = unit,
	                           .index = index,
	                           .name = name,
	                           .begin_clk = begin_clk,
	                           .end_clk = end_clk,
	                           .part = UINT32_MAX,
	                           .peer = UINT32_MAX,
	                           .n = n};
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
