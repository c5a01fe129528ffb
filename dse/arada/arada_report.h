/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ARADA_REPORT_H
#define DSE_ARADA_REPORT_H
/* A study as tables, files and pictures. Errors of writing stay in the stream. */
#include "dse/arada/arada_exact_study.h"
#include <stdio.h>

/* A published saving beside ours. */
struct arada_match {
	size_t machine; /* of the study */
	double published_frac, own_frac;
	double gb_s, reached_frac; /* where ours is the published one (arada_study_match); NAN: nowhere near */
};

struct arada_report {
	const struct arada_study *study;
	const struct arada_exact_study *exact; /* of the same study */
	size_t n_match;
	const struct arada_match *match; /* [n_match] */
};

/* Means of each machine, what was published beside ours and, unless brief, every network. */
void arada_print(FILE *file, const struct arada_report *report, bool brief);

/* All of it, schedules of VF-OH-Q layer by layer included. */
void arada_write_json(FILE *file, const struct arada_report *report);

/* A row a layer, scheme, network and machine: what a run-time system would read, and what it rests on. */
void arada_write_schedule(FILE *file, const struct arada_study *study);

/* A row a scheme, network and machine. */
void arada_write_summary(FILE *file, const struct arada_study *study);

/* The paper's figure 5: means by memory, one panel an array; figures 6 and 7: networks, one panel a machine; figure 8:
 * layer by layer, one panel a machine. */
void arada_draw_means(FILE *file, const struct arada_report *report);
void arada_draw_networks(FILE *file, const struct arada_study *study);
void arada_draw_layers(FILE *file, const struct arada_study *study);

#endif
