/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_DOC_WRITE_H
#define DSE_DOC_WRITE_H
/* Documents as text again, with one place of them changed; and whether two mean the same. */
#include "sim/base/doc.h"
#include <stdio.h>

/* A place of a document, and what is to stand there. */
struct doc_edit {
	const struct doc_node *old_node; /* replaced; NULL: key is added to the map parent */
	const struct doc_node *parent;
	const char *key;
	const struct doc_node *new_node; /* NULL: the pair of old_node goes */
};

/* Whether two trees have the same texts in the same order; keys of maps in any. Quotes do not count; NULL equals NULL.
 */
bool doc_equal(const struct doc_node *left, const struct doc_node *right);

/* Write a tree on one line as YAML (flow style), edited (edit may be NULL). Errors stay in the stream. */
void doc_write(FILE *file, const struct doc_node *root, const struct doc_edit *edit);

/* The same as a text for people, cut to n_byte with "..." at its end. NULL: "-". */
void doc_print(const struct doc_node *node, char *text, size_t n_byte);

#endif
