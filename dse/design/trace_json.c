/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design/trace_json.h"
#include "dse/out/json.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a unit's tracks are called, and what struct trace_span's n is of it. */
static const struct {
	const char *process, *track, *after, *n;
	uint32_t order; /* of processes on the page, the layers being 0 */
} unit_table[N_TRACE_UNIT] = {
    [TRACE_PE_MLA] = {"MLA of each PE", "PE ", " MLA", "mac_clk", 3},
    [TRACE_PE_DMA] = {"DMA of each PE", "PE ", " DMA", "byte", 4},
    [TRACE_ROUTER] = {"routers", "router of QPE ", "", "packets", 6},
    [TRACE_DRAM] = {"DRAM interfaces", "DRAM ", "", "byte", 5},
    [TRACE_HOST] = {"host", "agent at QPE ", "", "n", 7},
    [TRACE_PHASE] = {"phases", "phases ", "", "n", 1},
    [TRACE_ARM] = {"ARM cores (busiest PE, after the events)", "ARM ", "", "n", 2},
};

/* Colours by what a unit does, out of chrome://tracing's names; others get one by their name. */
static const char *colour_of(const struct trace_span *span)
{
	static const struct {
		const char *name, *colour;
	} table[] = {{"task", "thread_state_running"}, {"load", "rail_load"},    {"store", "rail_response"},
	             {"copy", "rail_animation"},       {"busy", "generic_work"}, {"messages", "grey"}};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(span->name, table[i].name) == 0)
			return table[i].colour;
	return span->unit == TRACE_ARM ? "olive" : NULL;
}

/* Processes of the viewer: layers, then the units. */
#define PID_LAYER 1
#define PID_UNIT(unit) (2 + (unsigned)(unit))

/* Tracks of one unit: what it does at the same time stands on different ones. */
struct unit {
	uint32_t n_track, n_alloc;
	struct track {
		uint64_t end_clk; /* of its last span, in this layer */
		uint32_t tid;
	} * track;
};

struct trace_json {
	struct json json;
	struct trace_sink sink;
	struct units {
		uint32_t n;
		struct unit *unit; /* [n] by the span's index */
	} units[N_TRACE_UNIT];
	uint32_t n_tid;
	const char *layer; /* NULL: none has begun */
	double us_per_clk, begin_us;
	bool failed;
};

/* Metadata events name what events only number. */
static void put_name(struct json *json, const char *what, unsigned pid, uint32_t tid, const char *name)
{
	json_begin_object(json, NULL);
	json_put_text(json, "ph", "M");
	json_put_text(json, "name", what);
	json_put_u64(json, "pid", pid);
	json_put_u64(json, "tid", tid);
	json_begin_object(json, "args");
	json_put_text(json, "name", name);
	json_end(json);
	json_end(json);
}

/* Where a process or a track stands: lower numbers above. */
static void put_order(struct json *json, const char *what, unsigned pid, uint32_t tid, uint64_t order)
{
	json_begin_object(json, NULL);
	json_put_text(json, "ph", "M");
	json_put_text(json, "name", what);
	json_put_u64(json, "pid", pid);
	json_put_u64(json, "tid", tid);
	json_begin_object(json, "args");
	json_put_u64(json, "sort_index", order);
	json_end(json);
	json_end(json);
}

/* Tracks of a unit, beside each other. */
#define UNIT_TRACK 64

static uint32_t add_track(struct trace_json *trace, unsigned pid, const char *name, uint64_t order)
{
	put_name(&trace->json, "thread_name", pid, ++trace->n_tid, name);
	put_order(&trace->json, "thread_sort_index", pid, trace->n_tid, order);
	return trace->n_tid;
}

static bool grow_units(struct units *units, uint32_t index)
{
	if (index < units->n)
		return true;
	uint32_t n = index + 16;
	struct unit *unit = realloc(units->unit, n * sizeof(*unit));
	if (!unit)
		return false;
	units->unit = unit;
	for (; units->n < n; units->n++)
		unit[units->n] = (struct unit){0};
	return true;
}

static bool grow_tracks(struct unit *unit)
{
	if (unit->n_track < unit->n_alloc)
		return true;
	uint32_t n = 2 * unit->n_alloc + 2;
	struct track *track = realloc(unit->track, n * sizeof(*track));
	unit->track = track ? track : unit->track;
	unit->n_alloc = track ? n : unit->n_alloc;
	return track;
}

/* The first track of the span's unit that is free when it begins; spans come in the order of their ends. 0: no memory.
 */
static uint32_t find_track(struct trace_json *trace, const struct trace_span *span)
{
	struct units *units = &trace->units[span->unit];
	uint32_t at = 0;
	if (!grow_units(units, span->index))
		return 0;
	struct unit *unit = &units->unit[span->index];
	while (at < unit->n_track && unit->track[at].end_clk > span->begin_clk)
		at++;
	if (at == unit->n_track) {
		char name[48];
		if (!grow_tracks(unit))
			return 0;
		int n = snprintf(name, sizeof(name), "%s%" PRIu32 "%s", unit_table[span->unit].track, span->index,
		                 unit_table[span->unit].after);
		if (at > 0 && n > 0 && (size_t)n < sizeof(name))
			(void)snprintf(name + n, sizeof(name) - (size_t)n, " (%" PRIu32 ")", at + 1);
		unit->track[at].tid =
		    add_track(trace, PID_UNIT(span->unit), name, (uint64_t)span->index * UNIT_TRACK + at);
		unit->n_track++;
	}
	unit->track[at].end_clk = span->end_clk;
	return unit->track[at].tid;
}

/* Rounded to picoseconds, so that a span's end is the next one's begin in spite of the division. */
static double time_us(const struct trace_json *trace, uint64_t clk)
{
	return round((trace->begin_us + (double)clk * trace->us_per_clk) * 1e6) / 1e6;
}

/* A counter's value from a clock on. */
static void put_counter(struct trace_json *trace, const struct trace_span *span, const char *what, uint64_t clk,
                        double value)
{
	struct json *json = &trace->json;
	char name[64];
	(void)snprintf(name, sizeof(name), "%s%" PRIu32 " %s", unit_table[span->unit].track, span->index, what);
	json_begin_object(json, NULL);
	json_put_text(json, "ph", "C");
	json_put_text(json, "name", name);
	json_put_u64(json, "pid", PID_UNIT(span->unit));
	json_put_real(json, "ts", time_us(trace, clk));
	json_begin_object(json, "args");
	json_put_real(json, "value", value);
	json_end(json);
	json_end(json);
}

/* Of a DRAM interface or router while it is busy: what it moves in a time, and what waits. */
static void put_counters(struct trace_json *trace, const struct trace_span *span)
{
	double us = (double)(span->end_clk - span->begin_clk) * trace->us_per_clk;
	bool is_dram = span->unit == TRACE_DRAM;
	const char *rate = is_dram ? "GB/s" : "packets a us", *queue = is_dram ? "queue" : "packets waiting";
	if (!is_dram && span->unit != TRACE_ROUTER)
		return;
	put_counter(trace, span, rate, span->begin_clk, (double)span->n / us * (is_dram ? 1e-3 : 1));
	put_counter(trace, span, rate, span->end_clk, 0);
	put_counter(trace, span, queue, span->begin_clk, span->n_queued);
	put_counter(trace, span, queue, span->end_clk, 0);
}

/* A complete event: name, place and time; its arguments are to follow in the object that stays open. */
static void begin_event(struct trace_json *trace, const char *name, const char *colour, unsigned pid, uint32_t tid,
                        uint64_t begin_clk, uint64_t end_clk)
{
	struct json *json = &trace->json;
	assert(end_clk >= begin_clk);
	json_begin_object(json, NULL);
	json_put_text(json, "ph", "X");
	json_put_text(json, "name", name);
	json_put_u64(json, "pid", pid);
	json_put_u64(json, "tid", tid);
	if (colour)
		json_put_text(json, "cname", colour);
	double begin_us = time_us(trace, begin_clk), end_us = time_us(trace, end_clk);
	json_put_real(json, "ts", begin_us);
	json_put_real(json, "dur", round((end_us - begin_us) * 1e6) / 1e6);
	json_begin_object(json, "args");
}

static void end_event(struct json *json, uint64_t begin_clk, uint64_t end_clk)
{
	json_put_u64(json, "begin_clk", begin_clk);
	json_put_u64(json, "end_clk", end_clk);
	json_end(json);
	json_end(json);
}

static void take_span(void *context, const struct trace_span *span)
{
	struct trace_json *trace = context;
	struct json *json = &trace->json;
	assert(trace->layer && span->unit < N_TRACE_UNIT && span->end_clk > span->begin_clk);
	uint32_t tid = find_track(trace, span);
	if (tid == 0) {
		trace->failed = true;
		return;
	}
	begin_event(trace, span->name, colour_of(span), PID_UNIT(span->unit), tid, span->begin_clk, span->end_clk);
	json_put_text(json, "layer", trace->layer);
	if (span->part != UINT32_MAX)
		json_put_u64(json, "part", span->part);
	if (span->peer != UINT32_MAX)
		json_put_u64(json, "peer", span->peer);
	if (span->n > 0)
		json_put_u64(json, unit_table[span->unit].n, span->n);
	if (span->waits_for && span->waited_clk > 0) {
		json_put_text(json, "waited_for", span->waits_for);
		json_put_u64(json, "waited_clk", span->waited_clk);
	}
	/* operands that come too late, over the SRAM's port or the router, and results that go out */
	if (span->unit == TRACE_PE_MLA && span->n > 0 && span->end_clk - span->begin_clk > span->n)
		json_put_u64(json, "no_mac_clk", span->end_clk - span->begin_clk - span->n);
	if (span->n_queued > 0)
		json_put_u64(json, "queued", span->n_queued);
	end_event(json, span->begin_clk, span->end_clk);
	put_counters(trace, span);
}

enum err_code trace_json_open(FILE *file, struct trace_json **trace, struct err *err)
{
	assert(file && trace);
	*trace = calloc(1, sizeof(**trace));
	if (!*trace)
		return err_add(err, ERR_INTERNAL, "out of memory");
	struct json *json = &(*trace)->json;
	(*trace)->sink = (struct trace_sink){take_span, *trace};
	json_start(json, file, 2);
	json_begin_object(json, NULL);
	json_put_text(json, "displayTimeUnit", "ns");
	json_begin_list(json, "traceEvents");
	put_name(json, "process_name", PID_LAYER, 0, "layers");
	put_order(json, "process_sort_index", PID_LAYER, 0, 0);
	for (unsigned i = 0; i < N_TRACE_UNIT; i++) {
		put_name(json, "process_name", PID_UNIT(i), 0, unit_table[i].process);
		put_order(json, "process_sort_index", PID_UNIT(i), 0, unit_table[i].order);
	}
	(void)add_track(*trace, PID_LAYER, "layers", 0);
	return ERR_OK;
}

const struct trace_sink *trace_json_sink(struct trace_json *trace)
{
	return &trace->sink;
}

void trace_json_begin(struct trace_json *trace, const char *layer, double clk_mhz)
{
	assert(!trace->layer && layer && clk_mhz > 0.0);
	trace->layer = layer;
	trace->us_per_clk = 1.0 / clk_mhz;
	for (unsigned i = 0; i < N_TRACE_UNIT; i++)
		for (uint32_t k = 0; k < trace->units[i].n; k++)
			for (uint32_t at = 0; at < trace->units[i].unit[k].n_track; at++)
				trace->units[i].unit[k].track[at].end_clk = 0;
}

void trace_json_arm(struct trace_json *trace, const struct sim_result *result)
{
	uint64_t clk = result->core_clk;
	for (unsigned i = PHASE_PADD; i < N_PHASE; i++) {
		struct trace_span span =
		    trace_make_span(TRACE_ARM, 0, phase_name[i], clk, clk + result->phase_clk[i], 0);
		clk = span.end_clk;
		trace_put_span(&trace->sink, &span);
	}
	assert(clk == result->total_clk);
}

void trace_json_end(struct trace_json *trace, uint64_t total_clk)
{
	assert(trace->layer);
	begin_event(trace, trace->layer, NULL, PID_LAYER, 1, 0, total_clk);
	end_event(&trace->json, 0, total_clk);
	trace->begin_us += (double)total_clk * trace->us_per_clk;
	trace->layer = NULL;
}

enum err_code trace_json_close(struct trace_json *trace, struct err *err)
{
	if (!trace)
		return ERR_OK;
	bool failed = trace->failed;
	json_end(&trace->json);
	json_end(&trace->json);
	json_finish(&trace->json);
	for (unsigned i = 0; i < N_TRACE_UNIT; i++) {
		for (uint32_t k = 0; k < trace->units[i].n; k++)
			free(trace->units[i].unit[k].track);
		free(trace->units[i].unit);
	}
	free(trace);
	return failed ? err_add(err, ERR_INTERNAL, "out of memory: the trace lacks spans") : ERR_OK;
}
