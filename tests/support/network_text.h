/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_NETWORK_TEXT_H
#define TESTS_NETWORK_TEXT_H
/* Networks from texts in tests, by way of a file, because files are what is read. */
#include "tests/support/unit_test.h"
#include "mapper/network/network.h"
#include "tests/support/temporary.h"

static inline enum err_code network_read_text(const char *text, struct network *network, struct err *err)
{
	char path[TEMPORARY_SIZE];
	temporary_write(path, text);
	enum err_code code = network_read(path, network, err);
	(void)remove(path);
	return code;
}

#endif
