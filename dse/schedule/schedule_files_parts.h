/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SCHEDULE_FILES_PARTS_H
#define DSE_SCHEDULE_FILES_PARTS_H
/* What the writers and readers of a schedule's files share. */
#include "dse/schedule/schedule_files.h"
#include "sim/base/doc.h"

/* A file in memory; schedule_text_free gives it back. */
struct schedule_text {
	char *path, *data;
	size_t n;
};

/* Read a file of a folder. ERR_IO, ERR_INPUT if it is longer than `most` bytes. Free it also after an error. */
enum err_code schedule_text_read(const char *folder, const char *name, size_t most, struct schedule_text *text,
                                 struct err *err);
void schedule_text_free(struct schedule_text *text);

/* ERR_INPUT with the first line in which a text is not what follows from the files beside it. */
enum err_code schedule_text_compare(const struct schedule_text *text, const char *expected, size_t n_expected,
                                    struct err *err);
#define SCHEDULE_MAX_TEXT_BYTE ((size_t)64 << 20)

/* YAML: `key: "text"`; the value under a key, with a message when it is missing or no such value. */
void schedule_put_name(FILE *file, const char *key, const char *text);
const struct doc_node *schedule_need(const struct doc_node *map, const char *key, struct err *err);
void schedule_get_real(const struct doc_node *map, const char *key, double *value, struct err *err);
void schedule_get_name(const struct doc_node *map, const char *key, char *name, size_t size, struct err *err);

#endif
