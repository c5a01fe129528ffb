/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loaded before a program (LD_PRELOAD): its n-th allocation, write, fsync or rename fails, its own ones and those of
 * the libraries that read and keep files. What the C library, OpenMP's and the loader call for themselves never fails.
 *
 *   FAULT=KIND:N        the N-th call of KIND (alloc, write, fsync, rename) fails; KIND:N+: it and all after it; with
 *                       FAULT_LEAKS=1 the program tells at its end what it has not freed, and from where that came
 *   FAULT_SWEEP=KIND    every call of KIND fails in turn, each in a process of its own (sweep.c)
 */
#define _GNU_SOURCE
#include "tests/faults/faults.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

const char *const fault_kind_name[N_FAULT] = {"alloc", "write", "fsync", "rename"};

static atomic_ulong n_call[N_FAULT];
static unsigned long fails_at[N_FAULT]; /* 0: never */
static bool goes_on[N_FAULT];
static bool is_ready, is_over;
static struct fault_outcome *outcome; /* of a sweep's process */

#define CALLER __builtin_return_address(0)

enum { MAX_RANGE = 64 };
static struct {
	uintptr_t first, end;
} spared[MAX_RANGE];
static size_t n_spared;

/* Whose calls never fail. */
static int note_object(struct dl_phdr_info *info, size_t size, void *context)
{
	static const char *const name[] = {"libc.so",    "libgomp",  "libomp",    "ld-linux", "ld-musl", "libm.so",
	                                   "libpthread", "libdl",    "faults.so", "libgcc",   "libmpi",  "libopen-",
	                                   "libhwloc",   "libevent", "libpmix",   "libucp",   "libucs"};
	(void)size;
	(void)context;
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		if (!strstr(info->dlpi_name, name[i]))
			continue;
		for (int k = 0; k < info->dlpi_phnum && n_spared < MAX_RANGE; k++)
			if (info->dlpi_phdr[k].p_type == PT_LOAD) {
				spared[n_spared].first = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
				spared[n_spared].end = spared[n_spared].first + info->dlpi_phdr[k].p_memsz;
				n_spared++;
			}
	}
	return 0;
}

static bool is_spared(const void *caller)
{
	uintptr_t at = (uintptr_t)caller;
	for (size_t i = 0; i < n_spared; i++)
		if (at >= spared[i].first && at < spared[i].end)
			return true;
	return false;
}

extern void *__libc_malloc(size_t n_byte);
extern void *__libc_calloc(size_t n, size_t n_byte);
extern void *__libc_realloc(void *pointer, size_t n_byte);
extern void __libc_free(void *pointer);
#define REAL_MALLOC __libc_malloc
#define REAL_CALLOC __libc_calloc
#define REAL_REALLOC __libc_realloc
#define REAL_FREE __libc_free
#define NEXT(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))
#define REAL_WRITE NEXT(ssize_t, write, int, const void *, size_t)
#define REAL_PWRITE NEXT(ssize_t, pwrite, int, const void *, size_t, off_t)
#define REAL_FSYNC NEXT(int, fsync, int)
#define REAL_FDATASYNC NEXT(int, fdatasync, int)
#define REAL_RENAME NEXT(int, rename, const char *, const char *)
/* Whether this call is to fail; counted from 1. */
static bool fails(enum fault_kind kind, const void *caller)
{
	if (!is_ready || is_over || is_spared(caller))
		return false;
	unsigned long n = 1 + atomic_fetch_add(&n_call[kind], 1);
	return fails_at[kind] > 0 && (n == fails_at[kind] || (goes_on[kind] && n > fails_at[kind]));
}

void fault_set(enum fault_kind kind, unsigned long n, bool all_after, struct fault_outcome *told)
{
	fails_at[kind] = n;
	goes_on[kind] = all_after;
	outcome = told;
}

__attribute__((constructor)) static void begin(void)
{
	const char *fault = getenv("FAULT"), *sweep = getenv("FAULT_SWEEP");
	(void)dl_iterate_phdr(note_object, NULL);
	for (int kind = 0; kind < N_FAULT; kind++) {
		size_t n = strlen(fault_kind_name[kind]);
		if (fault && strncmp(fault, fault_kind_name[kind], n) == 0 && fault[n] == ':') {
			char *end;
			unsigned long at = strtoul(fault + n + 1, &end, 10);
			fault_set((enum fault_kind)kind, at, *end == '+', NULL);
		}
		if (sweep && strcmp(sweep, fault_kind_name[kind]) == 0)
			fault_sweep((enum fault_kind)kind); /* comes back in children */
	}
	is_ready = true;
}

__attribute__((destructor)) static void end(void)
{
	is_over = true;
	if (outcome) {
		for (int kind = 0; kind < N_FAULT; kind++)
			outcome->n_call[kind] = n_call[kind];
		outcome->n_live = fault_n_live();
		outcome->is_told = true;
	} else if (getenv("FAULT_LEAKS"))
		fault_print_live();
}

/* Called by the program itself, not by main's return: it has ended where it was, and frees nothing. */
void exit(int code)
{
	if (outcome && !is_spared(CALLER))
		outcome->has_exited = true;
	NEXT(void, exit, int)(code);
	abort();
}

static void *tracked(void *pointer, const void *caller)
{
	if (pointer && is_ready && !is_spared(caller))
		fault_track(pointer, caller);
	return pointer;
}

void free(void *pointer)
{
	if (pointer)
		(void)fault_untrack(pointer);
	REAL_FREE(pointer);
}

void *malloc(size_t n_byte)
{
	if (!fails(FAULT_ALLOC, CALLER))
		return tracked(REAL_MALLOC(n_byte), CALLER);
	errno = ENOMEM;
	return NULL;
}

void *calloc(size_t n, size_t n_byte)
{
	if (!fails(FAULT_ALLOC, CALLER))
		return tracked(REAL_CALLOC(n, n_byte), CALLER);
	errno = ENOMEM;
	return NULL;
}

void *realloc(void *pointer, size_t n_byte)
{
	if (!fails(FAULT_ALLOC, CALLER)) {
		bool was = pointer && fault_untrack(pointer);
		void *made = REAL_REALLOC(pointer, n_byte);
		if (!made && n_byte > 0 && was)
			fault_track(pointer, CALLER);
		if (made && was)
			fault_track(made, CALLER);
		return was ? made : tracked(made, CALLER);
	}
	errno = ENOMEM;
	return NULL;
}

static char *copy(const char *text, size_t n)
{
	char *made = REAL_MALLOC(n + 1);
	if (made) {
		memcpy(made, text, n);
		made[n] = '\0';
	}
	return made;
}

char *strdup(const char *text)
{
	if (!fails(FAULT_ALLOC, CALLER))
		return tracked(copy(text, strlen(text)), CALLER);
	errno = ENOMEM;
	return NULL;
}

char *strndup(const char *text, size_t n_max)
{
	if (!fails(FAULT_ALLOC, CALLER))
		return tracked(copy(text, strnlen(text, n_max)), CALLER);
	errno = ENOMEM;
	return NULL;
}

ssize_t write(int descriptor, const void *data, size_t n_byte)
{
	if (!fails(FAULT_WRITE, CALLER))
		return REAL_WRITE(descriptor, data, n_byte);
	errno = ENOSPC;
	return -1;
}

ssize_t pwrite(int descriptor, const void *data, size_t n_byte, off_t at)
{
	if (!fails(FAULT_WRITE, CALLER))
		return REAL_PWRITE(descriptor, data, n_byte, at);
	errno = ENOSPC;
	return -1;
}

ssize_t pwrite64(int descriptor, const void *data, size_t n_byte, off_t at)
{
	return pwrite(descriptor, data, n_byte, at);
}

int fsync(int descriptor)
{
	if (!fails(FAULT_FSYNC, CALLER))
		return REAL_FSYNC(descriptor);
	errno = EIO;
	return -1;
}

int fdatasync(int descriptor)
{
	if (!fails(FAULT_FSYNC, CALLER))
		return REAL_FDATASYNC(descriptor);
	errno = EIO;
	return -1;
}

int rename(const char *from, const char *to)
{
	if (!fails(FAULT_RENAME, CALLER))
		return REAL_RENAME(from, to);
	errno = EACCES;
	return -1;
}
