/* SPDX-License-Identifier: Apache-2.0 */
/* Live allocations in a hash table of the library's own; open addressing, and a place that is freed closes up. */
#define _GNU_SOURCE
#include "tests/faults/faults.h"
#include <execinfo.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_SLOT = 1 << 20, N_FRAME = 10 };
static struct {
	void *pointer;
	const void *caller;
} slot[N_SLOT];
static void *(*frame)[N_FRAME]; /* [N_SLOT] with FAULT_LEAKS */
static size_t n_live;
static atomic_flag busy = ATOMIC_FLAG_INIT;
static _Thread_local bool is_inside;

static void lock(void)
{
	while (atomic_flag_test_and_set(&busy))
		;
}

static size_t home(const void *pointer)
{
	return (size_t)((uintptr_t)pointer * UINT64_C(0x9e3779b97f4a7c15) >> 44);
}

static size_t find(const void *pointer)
{
	size_t at = home(pointer);
	while (slot[at].pointer && slot[at].pointer != pointer)
		at = (at + 1) % N_SLOT;
	return at;
}

void fault_track(void *pointer, const void *caller)
{
	if (is_inside || n_live > N_SLOT / 2)
		return;
	lock();
	size_t at = find(pointer);
	n_live += !slot[at].pointer;
	slot[at].pointer = pointer;
	slot[at].caller = caller;
	atomic_flag_clear(&busy);
	if (!getenv("FAULT_LEAKS"))
		return;
	is_inside = true;
	if (!frame)
		frame = calloc(N_SLOT, sizeof(*frame));
	if (frame)
		(void)backtrace(frame[at], N_FRAME);
	is_inside = false;
}

bool fault_untrack(void *pointer)
{
	lock();
	size_t hole = find(pointer);
	bool found = slot[hole].pointer == pointer;
	if (found) {
		n_live--;
		for (size_t at = (hole + 1) % N_SLOT; slot[at].pointer; at = (at + 1) % N_SLOT) {
			size_t from = (at - home(slot[at].pointer)) % N_SLOT, free_from = (at - hole) % N_SLOT;
			if (from < free_from)
				continue;
			slot[hole] = slot[at];
			if (frame)
				for (int i = 0; i < N_FRAME; i++)
					frame[hole][i] = frame[at][i];
			hole = at;
		}
		slot[hole].pointer = NULL;
	}
	atomic_flag_clear(&busy);
	return found;
}

size_t fault_n_live(void)
{
	return n_live;
}

void fault_print_live(void)
{
	(void)fprintf(stderr, "%zu allocations are not freed\n", n_live);
	for (size_t at = 0; at < N_SLOT; at++) {
		if (!slot[at].pointer)
			continue;
		(void)fprintf(stderr, "- %p\n", slot[at].pointer);
		(void)fflush(stderr);
		if (frame)
			backtrace_symbols_fd(frame[at], N_FRAME, 2);
	}
}
