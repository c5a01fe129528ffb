/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_FILE_KIND_H
#define MAPPER_FILE_KIND_H
/* Whether a file is a space, a machine or a network: by its ending, or by keys that only one kind has. */
#include "sim/base/doc.h"
#include <stdbool.h>

enum file_kind { FILE_SPACE, FILE_MACHINE, FILE_NETWORK, N_FILE_KIND };
extern const char *const file_kind_name[N_FILE_KIND];

/* By the ending of a path; N_FILE_KIND where that does not tell. */
enum file_kind file_kind_of_path(const char *path);

/* By the keys of a document, NULL or no map included; N_FILE_KIND where they do not tell. */
enum file_kind file_kind_of_keys(const struct doc_node *root);

/*
 * Whether a file may be of the kind that is wanted. Otherwise, when it is surely of another one, ERR_INPUT with what it
 * is, for one message says more than all that is wrong with it as something else. root NULL: not read yet.
 */
bool file_kind_check(const char *path, const struct doc_node *root, enum file_kind wanted, struct err *err);

#endif
