/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_MAP_REPORT_H
#define DSE_MAP_REPORT_H
/*
 * Split reports of a mapping, as the thesis' appendices G to J have them of its two networks: the splits of every
 * operation, bytes of the tasks with and without alignment, how much of SRAM and MAC array they use; and what the
 * mapping costs.
 */
#include "dse/design/mapping.h"
#include "dse/design/simulate.h"

#define MAP_SOURCE_SIZE (448 + LEFT_OUT_TEXT_SIZE)

struct map_report {
	const struct mapping *mapping;
	const struct simulated *block; /* [network.n_block] of the mapping's designs, run */
	/* How the mapping came to be. */
	const char *source;       /* one line: "least latency_ms of 3.6e+14 designs" */
	const char *mapping_from; /* the same as struct story has it */
	enum detail detail;       /* of the blocks */
	const char *goal;         /* name of a goal; NULL: nothing was searched */
	struct mapping_searched searched;
};

/* Operations in the columns of spaces/splits/thesis.csv, which --split-scheme reads. */
void map_write_splits(FILE *file, const struct map_report *report);

/*
 * Tasks by class in the columns of tables G.2 to J.2, whose results have 32 bits whatever the machine's. Of a systolic
 * array: its tiles, and how much of array and buffers a layer uses; layers that it has no part in are left out.
 */
void map_write_utilisation(FILE *file, const struct map_report *report);

/* All of it for people: splits, utilisation, then what map_print prints. */
void map_write_text(FILE *file, const struct map_report *report);

/* One line a layer: split, places, utilisation, clocks, energy; and the sums. is_quiet: the sums alone. */
void map_print(FILE *file, const struct map_report *report, bool is_quiet);

void map_put_json(FILE *file, const struct map_report *report);

/* Lines for the head of the mapping's file, into text. */
#define MAP_COMMENT_SIZE (256 + MAP_SOURCE_SIZE)
void map_comment(const struct map_report *report, char text[MAP_COMMENT_SIZE]);

#endif
