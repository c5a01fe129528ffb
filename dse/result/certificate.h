/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CERTIFICATE_H
#define DSE_CERTIFICATE_H
/*
 * Certificate: what a search proves of its front, from its counts. Either no design is missing, or a missing design is
 * better by at most so much, or nothing is proven, because the search was cut short or looked at a sample.
 */
#include "dse/result/front_run.h"

#define CERTIFICATE_TEXT_SIZE 1024

/* Whether layers were searched by branch and bound: every legal design is accounted for. */
bool certificate_is_branched(const struct front_run *run);

/* One sentence: "exact, every legal design is accounted for", "every legal design is matched to
 * within ..."; "listed" where rules or reduced lists leave legal ones out. */
void certificate_text(const struct front_run *run, char *text, size_t n_byte);

/* The same below what is printed of prices, which has said what they prove (dse/price/price_print.c). */
void certificate_text_short(const struct front_run *run, char *text, size_t n_byte);

#endif
