/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_RESULT_FOLDER_H
#define DSE_RESULT_FOLDER_H
/* The files of a run in its folder, written side by side. */
#include "dse/result/front_file.h"

/* All writers have one shape, so that opening, committing and giving up are written once. */
typedef void (*result_writer)(FILE *file, const struct front_run *run);

/* Write one file of a folder. ERR_IO; no half a file is left then. */
enum err_code result_folder_write_one(const struct front_run *run, const char *dir, const char *name,
                                      result_writer writer, struct err *err);

/*
 * Sign the front, unless that is done, find its quality, and write front.csv, front.json, front.svg and run.json; of an
 * empty front run.json alone, so that no empty front takes the place of an older one. run.json gets its name last, when
 * all others have theirs. ERR_IO.
 */
enum err_code result_folder_write(struct front_run *run, const char *dir, struct err *err);

#endif
