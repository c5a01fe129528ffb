/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_STORY_H
#define DSE_STORY_H
/*
 * What a printed latency is of, in a line: tier, operating points, mapping, and whether run-time overhead is in it
 * (OctopuScheduler's setup, cleanup, scheduling and configuration, mapper/octopus/octopus_time.h). Commands print the
 * same line, so that latencies of one network can be told apart.
 */
#include "dse/design/simulate.h"
#include <stdio.h>

struct story {
	const struct machine *machine;
	enum detail detail;
	uint32_t levels;     /* bit l: operating point l runs some layer */
	const char *mapping; /* where the mapping is from: "searched: least latency_ms" */
	bool has_overhead;   /* the latency is a run time */
};

/* "latency of: fast tier, PL1 (0.5 V, 320 MHz); mapping ...; without run-time overhead", after so many blanks. */
void story_print(FILE *file, unsigned indent, const struct story *story);

/*
 * Of designs that a search found, where their machine is not at hand: "latency of: event tier; mapping and operating
 * points searched, each design its own; without run-time overhead". detail: its name.
 */
void story_print_searched(FILE *file, const char *detail);

/* The same as an object, "latency_of". */
void story_put_json(struct json *json, const struct story *story);

/* Operating points of blocks [n] that are shown [n] (NULL: all). */
uint32_t story_levels(const struct simulated *block, size_t n, const bool *shown);

/* A run time in parts, ms. */
struct story_run_time {
	double latency_ms, network_ms, layers_ms; /* setup and cleanup; scheduling and configuration of all layers */
	size_t n_layer;
	uint32_t n_worker; /* that are enabled */
};

/* Of blocks [n] that are shown [n] (NULL: all) and ran, as a network of their own. */
void story_run_time(const struct machine *machine, const struct simulated *block, size_t n, const bool *shown,
                    struct story_run_time *run_time);

/* "run_time_ms 1 = latency_ms 0.5 + ...": nothing where the machine has no octopus section. */
void story_print_run_time(FILE *file, unsigned indent, const struct machine *machine,
                          const struct story_run_time *run_time);

#endif
