/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FRONT_FILE_H
#define DSE_FRONT_FILE_H
/*
 * The files of a front as texts: front.csv (one point a line), front.json (first the distinct designs of layers, then
 * the points as lists of their numbers; one design or point a line, so that one can be read without the others), and
 * run.json (what was asked and what was counted).
 */
#include "dse/result/front_run.h"

/*
 * What the files are, with a version that is another one when a reader of the old one would go wrong; new keys and
 * columns change nothing. spaces/schemas has what each key is.
 */
#define RUN_FORMAT "dse run 1"
#define FRONT_CSV_FORMAT 1 /* the column front_csv_format */

/* "PL1 3, PL2 10": how many layers run at which operating point. */
void front_file_print_levels(const struct unrolled *point, char *text, size_t n_byte);

/*
 * The signature: a hash of each point in the front's total order: its objectives as they are printed, its machine and
 * axis values, and each layer's design in words. It says what the front is and nothing of how it was found, so every
 * engine that finds the same front signs alike.
 */
void front_file_sign(struct front_run *run);

/* Threads that write it: as many as have searched. */
unsigned front_file_n_thread(const struct front_run *run);

/* Of a front with prices: "certain", or "shared" with a point that stands for it as well. */
const char *front_file_place(const struct price *price, size_t i);

/* "certain" or "depends" (dse/check/verify.h). */
const char *front_file_verdict(const struct verify_point *point);

/* Write the front as CSV, or as JSON. Errors of the stream stay in the stream. */
void front_file_write_csv(FILE *file, const struct front_run *run);
void front_file_write_json(FILE *file, const struct front_run *run);

/* Put the signature into a file that front_file_write_json wrote with another one of that length. ERR_IO: it cannot
 * seek. */
enum err_code front_file_sign_json(FILE *file, const struct front_run *run, struct err *err);

/*
 * run.json; also what --json prints (file paths under "files" when dir is not
 * NULL, and the front without its layers when with_front).
 */
void front_file_write_run(FILE *file, const struct front_run *run, const char *dir, bool with_front);

/* "<space>-<8 hex digits>": the hash is over all input files and the options that decide the outcome. */
void front_file_dir_name(const struct front_run *run, char *name, size_t n_byte);

/* Hash of an input file of the space; NULL when it is not one. */
const char *front_file_hash(const struct space *space, const char *path);

#endif
