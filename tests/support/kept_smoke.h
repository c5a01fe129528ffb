/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_KEPT_SMOKE_H
#define TESTS_KEPT_SMOKE_H
/* spaces/smoke.yaml searched, and its front.json: group set-up and tear-down for tests of what is read back. */
#include "dse/result/front_file.h"
#include <stdlib.h>

struct kept_smoke {
	struct space space;
	struct explore explore;
	struct unroller unroller;
	char *text;
	size_t n_byte;
};

static inline int kept_smoke_make(void **state)
{
	struct kept_smoke *fixture = calloc(1, sizeof(*fixture));
	struct err err = {0};
	if (!fixture || space_read("spaces/smoke.yaml", &fixture->space, &err) != ERR_OK)
		return -1;
	const struct explore_options options = {.engine = engine_find("exact"), .n_thread = 1, .seed = 1};
	if (explore_run(&fixture->space, &options, &fixture->explore, &err) != ERR_OK ||
	    unroller_init(&fixture->unroller, &fixture->explore, 1, &err) != ERR_OK)
		return -1;
	const struct front_run run = {.space = &fixture->space,
	                              .explore = &fixture->explore,
	                              .options = &options,
	                              .unroller = &fixture->unroller,
	                              .signature = "0123456789abcdef"};
	FILE *file = open_memstream(&fixture->text, &fixture->n_byte);
	if (!file)
		return -1;
	front_file_write_json(file, &run);
	if (fclose(file) != 0)
		return -1;
	*state = fixture;
	return 0;
}

static inline int kept_smoke_free(void **state)
{
	struct kept_smoke *fixture = *state;
	unroller_free(&fixture->unroller);
	explore_free(&fixture->explore);
	space_free(&fixture->space);
	free(fixture->text);
	free(fixture);
	return 0;
}

#endif
