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

#endif
