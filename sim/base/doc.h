/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_BASE_DOC_H
#define SIM_BASE_DOC_H
/*
 * Documents: a YAML (or JSON, which is YAML) file as a tree of nodes that know
 * where they stand. Only doc.c knows libyaml. Readers of machines, networks and
 * spaces walk this tree with the doc_get_* calls, which report every mistake
 * with file:line:column, what is allowed and the nearest key, and go on.
 */
#include "sim/base/arena.h"
#include "sim/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum doc_kind { DOC_SCALAR, DOC_LIST, DOC_MAP };

struct doc_node {
	enum doc_kind kind;
	const char *file;
	unsigned line, column;   /* from 1 */
	const char *text;        /* DOC_SCALAR: its text */
	bool quoted;             /* DOC_SCALAR: written in quotes */
	size_t n;                /* DOC_LIST: items; DOC_MAP: pairs */
	struct doc_node **key;   /* DOC_MAP: [n] scalars; else NULL */
	struct doc_node **value; /* [n] */
};

/*
 * Read a file. The tree lives in arena. Duplicate keys, tags, texts that are
 * not printable (sim/base/text.h; tabs and line feeds are allowed), keys that are not scalars, anchors that recurse,
 * several documents, nesting over 64 levels, over 4 million nodes (aliases written out) and files over 64 MiB are
 * mistakes. ERR_INPUT with file:line:column, or ERR_IO; *root is NULL then, unless the mistakes left a tree (duplicate
 * keys, tags, texts): a caller may walk that one to report all other mistakes in the same pass. An alias shares the
 * node it names.
 */
enum err_code doc_read_file(const char *path, struct arena *arena, struct doc_node **root, struct err *err);

/* The same from memory; name stands for the file in messages. */
enum err_code doc_read_text(const char *name, const char *text, size_t n_byte, struct arena *arena,
                            struct doc_node **root, struct err *err);

struct err_place doc_place(const struct doc_node *node);

/* Report a mistake at a node: ERR_INPUT. Returns false, as readers of values do. */
bool doc_refuse(struct err *err, const struct doc_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A user's text fit for a message: at most 60 bytes, nothing a terminal would obey. */
struct doc_quote {
	char text[64];
};
struct doc_quote doc_quote(const char *text);

/* The value under key in a map; NULL when absent or map is not a map. */
const struct doc_node *doc_find(const struct doc_node *map, const char *key);

/* Report every key of map that is not in allowed[0..n-1], with the nearest one that is; or that map is not a map. */
void doc_check_keys(const struct doc_node *map, const char *const *allowed, size_t n, struct err *err);

/*
 * Typed values of a node: false and a message when it is of another type or
 * outside [min, max], false alone for NULL, a key that is not there; *out is untouched then. what names the value in
 * messages.
 * Numbers are decimal and finite; no leading zeros, no quotes; units only in doc_get_quantity.
 */
bool doc_get_u64(const struct doc_node *node, const char *what, uint64_t min, uint64_t max, uint64_t *out,
                 struct err *err);
bool doc_get_real(const struct doc_node *node, const char *what, double min, double max, double *out, struct err *err);
/* A real with at most a unit behind it that converts to unit, in which *out and the limits are: "0.5V", 500mV, 0.5. */
bool doc_get_quantity(const struct doc_node *node, const char *what, const char *unit, double min, double max,
                      double *out, struct err *err);
bool doc_get_bool(const struct doc_node *node, const char *what, bool *out, struct err *err);
bool doc_get_text(const struct doc_node *node, const char *what, const char **out, struct err *err);
/* A name (text_name_fault) of up to n_max bytes. */
bool doc_get_name(const struct doc_node *node, const char *what, size_t n_max, const char **out, struct err *err);
/* Index of the node's text in names[0..n-1]. */
bool doc_get_choice(const struct doc_node *node, const char *what, const char *const *names, size_t n, size_t *out,
                    struct err *err);

#endif
