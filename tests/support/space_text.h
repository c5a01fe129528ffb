/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SPACE_TEXT_H
#define TESTS_SPACE_TEXT_H
/* Spaces from text. */
#include "tests/support/unit_test.h"
#include "dse/space/space.h"
#include "tests/support/temporary.h"

static inline void space_read_text(const char *text, struct space *space)
{
	char path[TEMPORARY_SIZE];
	struct err err = {0};
	temporary_write(path, text);
	if (space_read(path, space, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	(void)remove(path);
}

#endif
