/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_VERDICT_PARTS_H
#define DSE_VERDICT_PARTS_H
/* Inside the verdict: facts (verdict.c), claims and sentences (verdict_claim.c), names (verdict_name.c), rows
 * (verdict_row.c). */
#include "dse/out/words.h"
#include "dse/verdict/verdict.h"

struct run_verdict_maker {
	const struct run_verdict_of *of;
	struct run_verdict *verdict;
	bool is_scaled[SPACE_MAX_OBJECTIVE]; /* objectives that differ among designs of a machine */
	struct words_text text;              /* the sentence that is being made */
};

/* The value of axis 0, the machine file, or of axis i, the space's i - 1, that a machine has, by number; how many there
 * are. */
size_t run_verdict_axis_at(const struct space *space, uint32_t machine_index, size_t axis);
size_t run_verdict_axis_n(const struct space *space, size_t axis);

/* What tells the machine from others: its values on axes that have several, "16x4, sram 64 KiB". */
void run_verdict_name(const struct space *space, uint32_t machine_index, struct words_text *text);

/* The same of several machines: values that all of them have, and ranges of others. */
void run_verdict_name_group(const struct space *space, const uint32_t *index, size_t n, struct words_text *text);

/* Of the machine's values those that the other one has not. */
void run_verdict_name_beside(const struct space *space, uint32_t machine_index, uint32_t beside,
                             struct words_text *text);

/* "MAC array 72 %, DRAM 21 %": what takes a tenth of the time or more, two at most. */
void run_verdict_name_bounds(const struct standing_design *design, struct words_text *text);

/* The claims that the facts allow, and their sentences. */
void run_verdict_claim_all(struct run_verdict_maker *maker);

/* Machines that are alike, as rows of the table. */
void run_verdict_make_rows(struct run_verdict_maker *maker);

/* A copy of a text in the verdict's arena. */
const char *run_verdict_text(struct run_verdict *verdict, const char *text);

/* The sentence is done. */
void run_verdict_say(struct run_verdict_maker *maker);

#endif
