/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_WHY_PARTS_H
#define DSE_WHY_PARTS_H
/* Inside of dse/why: the space with a choice, its search, and a mapping on its machines. */
#include "dse/search/explore.h"
#include "dse/why/why.h"

/* A front, and whether it was begun: of a search, or of a mapping on each machine. */
struct why_searched {
	struct arena arena;
	struct space space; /* a variant */
	struct explore explore;
	bool is_begun;
	uint32_t *machine_index; /* of a mapping: the front's points' tags are indices of this */
};

/* Whether a machine of the file takes the axis' place: the file's value counts, unless --set gave the axis. */
bool why_machine_has_axis(const struct why_choice *choice, const struct space_axis *axis);

/* The space with the choice (NULL: without), and with one axis at a value (param NULL: none). Lists lie in arena. */
void why_variant(const struct space *space, const struct why_choice *choice, const struct machine_param *param,
                 const char *text, struct arena *arena, struct space *variant);

/*
 * The front, in searched->explore, of a mapping on each machine of searched->space, which explore is a search of the
 * networks of. reason [WHY_TEXT_SIZE]: why it runs on none. ERR_USAGE, ERR_INPUT, ERR_IO.
 */
enum err_code why_place_mapping(const char *path, const struct explore *explore, unsigned n_thread,
                                struct why_searched *searched, char *reason, struct err *err);

/* Latency of each layer of point i of that front, and what bounds it [n_block]. */
enum err_code why_mapping_layers(const char *path, const struct why_searched *searched, size_t i, double *ms,
                                 enum bound *bound, struct err *err);

#endif
