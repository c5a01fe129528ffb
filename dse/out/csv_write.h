/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CSV_WRITE_H
#define DSE_CSV_WRITE_H
/* Cells of CSV files. Numbers read back as the same number; texts are quoted where they must be, what is
 * not printable becomes '?', and a text that a spreadsheet would compute gets a ' before it. Errors stay in the stream.
 */
#include <stdbool.h>
#include <stdio.h>

/* first: no comma before. */
void csv_put_text(FILE *file, bool first, const char *text);
void csv_put_real(FILE *file, bool first, double value);

/* An empty cell where the value is not finite. */
void csv_put_known(FILE *file, bool first, double value);

/*
 * Cells as the format has them, by the conversions of dse/out/format_item.h: %s is csv_put_text's, %g csv_put_real's.
 * Commas and the end of the line are the format's: "%s,%g,%zu\n".
 */
void csv_put_row(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
