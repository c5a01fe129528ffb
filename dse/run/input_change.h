/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_INPUT_CHANGE_H
#define DSE_INPUT_CHANGE_H
/*
 * What differs between the inputs of two runs, one difference at a time, and the first run's space with just one of
 * these differences:
 *
 *   kept runs A, B ─► input_changes_find ─► for each: input_change_apply ─► A's space with that change
 *                                                                         ─► attribute_evaluate
 *
 * Machines are compared parameter by parameter, so that a default that is written down is no change. Networks and
 * spaces are compared key by key.
 */
#include "dse/run/kept_run.h"

enum change_kind {
	CHANGE_MACHINE, /* a parameter or the operating points of a machine */
	CHANGE_NETWORK,
	CHANGE_SPACE,
	N_APPLICABLE_CHANGE,
	CHANGE_SEARCH = N_APPLICABLE_CHANGE, /* how it was searched: nothing that a design is worth depends on it */
	CHANGE_TIER,                         /* in which tier designs were evaluated */
	CHANGE_PROGRAM,                      /* dse itself */
	CHANGE_TEXT,                         /* a file's bytes, not what they mean: comments, sources */
	N_CHANGE
};
extern const char *const change_kind_name[N_CHANGE]; /* "machine", "network", "space", "search", "tier", ... */

struct input_change {
	enum change_kind kind;
	const char *where;           /* the file; "options", "dse" */
	const char *key;             /* "noc.hop_clk", "PL1.mla_clk_pj", "layers.3.conv.kernel", "axes.mla.array" */
	const char *before, *after;  /* as text; "-": nothing */
	const char *unit, *help;     /* of a parameter of machines; else "" */
	const char *added, *removed; /* items of a list, "32x4, 64x4"; "": none, or no list of single values */
	/* How it is made; which of these count is for input_change.c to know. */
	size_t machine; /* of A */
	const struct machine *machine_after;
	const struct machine_param *param;
	const struct level_param *level_param;
	uint32_t level;
	double level_value;
	size_t input, input_after; /* files of A and B; whose document is edited, or replaced */
	const struct doc_node *root, *parent, *old_node, *new_node;
	const char *new_key;
};

struct input_changes {
	const struct kept_run *before, *after;
	size_t n, n_alloc;
	struct input_change *change; /* [n] in the order of kinds, files and keys */
	struct arena arena;
};

/* Find them; both runs have their spaces and must outlive the changes. The caller frees it with _free. */
void input_changes_find(const struct kept_run *before, const struct kept_run *after, struct input_changes *changes);
void input_changes_free(struct input_changes *changes);

/* Whether a design may be worth something else with it, or be no design any more. */
bool input_change_is_applicable(const struct input_change *change);

/* A space with one change. */
struct changed_space {
	struct space space;
	bool is_read; /* it owns what it has; else it is a variant of the first run's, with its lists in arena */
	struct arena arena;
};

/* Make the first run's space with one applicable change. ERR_INPUT where that alone is none; ERR_IO, ERR_INTERNAL. */
enum err_code input_change_apply(const struct input_changes *changes, const struct input_change *change,
                                 struct changed_space *changed, struct err *err);
void changed_space_free(struct changed_space *changed);

#endif
