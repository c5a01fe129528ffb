/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of commands: what is asked for is there; what cannot be had ends the process with exit code 1 and a message.
 */

#include "tests/support/unit_test.h"

#include "dse/base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_memory_gives_what_is_asked_for(void **state)
{
	(void)state;
	uint64_t *value = memory_array(3, sizeof(*value));
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(value[i], 0);
	value[2] = 7;
	value = memory_resize(value, 1000, sizeof(*value));
	assert_int_equal(value[2], 7);
	assert_ptr_equal(memory_must(value), value);
	char *text = memory_text("ifmap");
	assert_string_equal(text, "ifmap");
	void *none = memory_array(0, 8);
	assert_non_null(none);
	free(none);
	free(text);
	free(value);
}

/* The exit code of a process that asks for too much, and what it says first. */
static int ask_too_much(int which, char said[64])
{
	int end[2];
	assert_int_equal(pipe(end), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		(void)dup2(end[1], STDERR_FILENO);
		void *pointer = which == 0   ? memory_must(NULL)
		                : which == 1 ? memory_resize(NULL, SIZE_MAX / 2, 8)
		                             : NULL;
		_exit(pointer ? 2 : 3);
	}
	(void)close(end[1]);
	ssize_t n = read(end[0], said, 63);
	said[n > 0 ? n : 0] = '\0';
	(void)close(end[0]);
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_memory_that_is_out_ends_the_process(void **state)
{
	(void)state;
	for (int which = 0; which < 2; which++) {
		char said[64];
		assert_int_equal(ask_too_much(which, said), 1);
		assert_string_equal(said, "dse: out of memory\n");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_memory_gives_what_is_asked_for),
	    cmocka_unit_test(test_memory_that_is_out_ends_the_process),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
