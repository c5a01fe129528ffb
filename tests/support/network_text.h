/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_NETWORK_TEXT_H
#define TESTS_NETWORK_TEXT_H
/* Networks from texts in tests, by way of a file, because files are what is read. */
#include "tests/support/unit_test.h"
#include "mapper/network/network.h"
#include <stdio.h>
#include <stdlib.h>

static inline enum err_code network_read_text(const char *text, struct network *network, struct err *err)
{
	char path[] = "/tmp/test_network_XXXXXX";
	int handle = mkstemp(path);
	FILE *file;
	enum err_code code;
	assert_true(handle >= 0);
	file = fdopen(handle, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	code = network_read(path, network, err);
	(void)remove(path);
	return code;
}

#endif
