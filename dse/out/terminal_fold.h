/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_TERMINAL_FOLD_H
#define DSE_TERMINAL_FOLD_H
/*
 * Standard output on a terminal: lines that are wider than it are broken between words, whoever prints them; colours
 * take no room. Tables, which break in columns (dse/out/table.h), and prose, which ends at 100 columns
 * (dse/out/words.h), are narrow enough already. Nothing happens where standard output is no terminal.
 */

/* Before anything is printed; once. */
void terminal_fold_begin(void);

/* What is left of a last line. */
void terminal_fold_end(void);

#endif
