/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_EXPECTED_MESSAGES_H
#define TESTS_EXPECTED_MESSAGES_H
/*
 * Malformed files carry the messages they must give in comments:
 * `# expect: line:column: text` for the file itself, `# expect-in file:...` for
 * a file it names. Text may be the beginning of the message.
 */
#include "tests/support/unit_test.h"
#include "sim/base/err.h"
#include <stdio.h>
#include <string.h>

/* All expected messages of the file at path are in err, and no others. */
static inline void assert_expected_messages(const char *path, const struct err *err)
{
	static const char here[] = "# expect: ", in[] = "# expect-in ";
	char line[512], expected[700];
	unsigned n_expected = 0;
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, here, sizeof(here) - 1) == 0)
			(void)snprintf(expected, sizeof(expected), "%s:%s", path, line + sizeof(here) - 1);
		else if (strncmp(line, in, sizeof(in) - 1) == 0)
			(void)snprintf(expected, sizeof(expected), "%s", line + sizeof(in) - 1);
		else
			continue;
		n_expected++;
		if (!strstr(err_text(err), expected))
			print_error("expected '%s', found:\n%s", expected, err_text(err));
		assert_non_null(strstr(err_text(err), expected));
	}
	if (err->n_message != n_expected)
		print_error("%s: %u messages, expected %u:\n%s", path, err->n_message, n_expected, err_text(err));
	assert_int_equal(err->n_message, n_expected);
	assert_true(n_expected > 0);
	(void)fclose(file);
}

#endif
