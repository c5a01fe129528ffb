/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loaded before dse (LD_PRELOAD), for `dse explore --isolate`: once the process is at work on machine N of
 * MACHINE_FAULT=N:KIND, it ends. abort: as a failed assertion; kill: as the system does when memory is out; stop: it hangs;
 * memory: it has taken all that it may have. Only what another process watches (dse/base/at_work.h) does so.
 * MACHINE_FAULT_THREADS=2: only while it has at least two threads at work.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "dse/base/at_work.h"
#include <fcntl.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct fault {
	struct at_work_page *page;
	uint64_t item_1;
	char kind[16];
	unsigned least_thread;
};
static struct fault fault;

static void take_all_memory(void)
{
	for (size_t n_byte = (size_t)1 << 24; n_byte > 64; n_byte = n_byte > 4096 ? n_byte / 4 : n_byte / 2)
		for (void *taken; (taken = malloc(n_byte)) != NULL;)
			memset(taken, 1, n_byte);
}

static void strike(const struct fault *own)
{
	if (strcmp(own->kind, "abort") == 0)
		abort();
	if (strcmp(own->kind, "memory") == 0)
		take_all_memory();
	else
		(void)kill(getpid(), strcmp(own->kind, "stop") == 0 ? SIGSTOP : SIGKILL);
}

/* The program looks at the clock before it says that its work on a machine is done: nobody gets past here. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
	static int (*real)(clockid_t, struct timespec *);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
	for (unsigned i = 0; fault.page && i < 8; i++)
		if (atomic_load(&fault.page->thread[i].item_1) == fault.item_1 &&
		    atomic_load(&fault.page->n_thread) >= fault.least_thread)
			strike(&fault);
	return real(clock, time);
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv(AT_WORK_VARIABLE), *what = getenv("MACHINE_FAULT"),
		   *least = getenv("MACHINE_FAULT_THREADS");
	char *end = NULL;
	int descriptor = path && what ? open(path, O_RDWR) : -1;
	if (descriptor < 0)
		return;
	void *page = mmap(NULL, sizeof(struct at_work_page), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	(void)close(descriptor);
	fault.item_1 = strtoull(what, &end, 10) + 1;
	fault.least_thread = least ? (unsigned)atoi(least) : 0;
	if (*end == ':')
		strncpy(fault.kind, end + 1, sizeof(fault.kind) - 1);
	fault.page = page != MAP_FAILED ? page : NULL;
}
