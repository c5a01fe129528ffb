/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_TRACE_JSON_H
#define DSE_TRACE_JSON_H
/*
 * A trace as the JSON that Perfetto (ui.perfetto.dev) and chrome://tracing read:
 * a track for each PE's MLA and DMA, router, DRAM interface and host agent, one
 * for the phases, one for the ARM cores and one for the layers, which follow each other. Where a unit
 * does several things at once it has several tracks, so that spans of a track
 * never overlap. Tracks stand in the order of their units, colours are by what a unit does, and DRAM interfaces and
 * routers have counters: rates, and how many wait. Times are microseconds at the layer's operating point.
 */
#include "sim/base/err.h"
#include "sim/event/trace.h"
#include "sim/program/result.h"
#include <stdio.h>

struct trace_json;

/* Begin the document. The file stays the caller's; its errors stay in it. ERR_INTERNAL. */
enum err_code trace_json_open(FILE *file, struct trace_json **trace, struct err *err);

/* Who is to be told of spans. Valid until trace_json_close. */
const struct trace_sink *trace_json_sink(struct trace_json *trace);

/* The spans up to trace_json_end are of this layer, at this clock; it begins where the one before has ended. */
void trace_json_begin(struct trace_json *trace, const char *layer, double clk_mhz);

/* The work of the ARM cores, which follows the events: phases of the layer's result, one after the other. */
void trace_json_arm(struct trace_json *trace, const struct sim_result *result);

/* total_clk: how long the layer took. */
void trace_json_end(struct trace_json *trace, uint64_t total_clk);

/* Finish the document and free the trace. ERR_INTERNAL: memory was out, so spans are missing. NULL is fine. */
enum err_code trace_json_close(struct trace_json *trace, struct err *err);

#endif
