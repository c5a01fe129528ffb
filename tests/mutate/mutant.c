/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "mutant.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MAX_MUTANT 100000

static unsigned char nowhere[MAX_MUTANT];
int mutant_now;
unsigned char *mutant_marks = nowhere;

/* cmocka's, in tests: runs those of this name. */
extern void cmocka_set_test_filter(const char *pattern) __attribute__((weak));

/*
 * MUTANT_MARKS names a file of as many bytes as there are changes and one. It is mapped, so that nothing is lost when a process is killed, and child
 * processes mark, too.
 */
__attribute__((constructor)) static void mutant_begin(void)
{
	const char *now = getenv("MUTANT"), *path = getenv("MUTANT_MARKS"), *test = getenv("MUTANT_TEST");
	if (now)
		mutant_now = atoi(now);
	if (test && cmocka_set_test_filter)
		cmocka_set_test_filter(test);
	int file = path ? open(path, O_RDWR) : -1;
	if (file < 0)
		return;
	void *marks = mmap(NULL, MAX_MUTANT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (marks != MAP_FAILED)
		mutant_marks = marks;
}
