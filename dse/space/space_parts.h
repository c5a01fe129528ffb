/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SPACE_PARTS_H
#define DSE_SPACE_PARTS_H
/*
 * What the files that read a space share: space.c walks the document and lets
 * each part of it be read by its own file. All of them report their mistakes
 * into reader->err and go on.
 */
#include "dse/space/machine_set.h"
#include "dse/space/space.h"
#include "sim/base/doc.h"

struct space_reader {
	struct space *space;
	const char *path;                /* of the space file */
	const char *text;                /* what stands for its contents; NULL: the file's */
	const struct space_among *among; /* where the files lie that it names; NULL: where space_read finds them */
	const struct doc_node *root;     /* a map */
	struct machine_set set;          /* of --set, in every machine that has the parameters */
	bool machines_complete, networks_complete; /* all files named were read without a mistake */
	struct err *err;
};

/* A list's items, or the node itself as the only item: `[a, b]` and `a` read alike. */
static inline size_t item_n(const struct doc_node *node)
{
	return node->kind == DOC_LIST ? node->n : 1;
}

static inline const struct doc_node *item_at(const struct doc_node *node, size_t i)
{
	return node->kind == DOC_LIST ? node->value[i] : node;
}

/* Reports an empty list; what names the items. */
bool space_has_items(const struct doc_node *node, const char *what, struct err *err);

/* Zeroed memory of the space; reports when memory is out. */
void *space_array(struct space_reader *reader, size_t n, size_t n_byte);

/* The place of a scalar's first character, behind an opening quote. */
struct err_place space_text_place(const struct doc_node *node);

/* `machine:` or `machines:`; `network:` or `networks:` with their weights; `aggregate:`. */
void space_read_machines(struct space_reader *reader);
void space_read_networks(struct space_reader *reader);

/* `axes:`, and what is set, which is an axis of one value: so results say it, and designs run again with it. */
void space_read_axes(struct space_reader *reader);

/* Note what is set among the inputs, behind the files. */
void space_note_set(struct space_reader *reader);

/* `layers:`, and what they mean for each block; after machines and networks. */
void space_read_rules(struct space_reader *reader);

/* `level_shares:`, `level_changes:`; after the rules, which name operating points of machine files. */
void space_read_level_shares(struct space_reader *reader);

/* `arada:`; after machines and networks. */
void space_read_arada(struct space_reader *reader);

/* `constraints:`, `deadline_ms:`, `objectives:`, `search:`; after machines, axes and networks. */
void space_read_constraints(struct space_reader *reader);
void space_read_deadline(struct space_reader *reader);
void space_read_objectives(struct space_reader *reader);
void space_read_resolution(struct space_reader *reader);
void space_read_search(struct space_reader *reader);

#endif
