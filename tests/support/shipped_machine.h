/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SHIPPED_MACHINE_H
#define TESTS_SHIPPED_MACHINE_H
/* Machines of a file that is right. */
#include "dse/space/machine_read.h"
#include "tests/support/unit_test.h"

static inline struct machine shipped_machine(const char *path)
{
	struct machine machine;
	struct err err = {0};
	if (machine_read(path, &machine, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	return machine;
}

#endif
