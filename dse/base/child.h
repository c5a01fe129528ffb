/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CHILD_H
#define DSE_CHILD_H
/*
 * The program once more, as a process of its own: what ends it, an abort, a kill for memory or a hang, does not end who
 * started it. It is executed anew, never a copy of this process, whose threads a copy would not have.
 *
 *   parent: child_run ─► posix_spawn ─► the program, child_begin ─► its command
 *           waits, hears the wish to stop, counts the time          limits itself, ends with its parent
 */
#include "sim/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct child_limits {
	uint64_t max_seconds; /* from its start; 0: for ever */
	uint64_t max_mb;      /* data of the process, 10^6 byte; 0: what the machine has */
	bool (*is_hung)(void *context); /* asked now and then whether it is to be ended as late; NULL: nobody knows */
	void *context;
	char *variable; /* "NAME=VALUE" that it has in its environment; NULL: none */
};

/* Which of its streams are this process's, and not kept for who started it. */
enum child_streams { CHILD_KEEPS_NONE, CHILD_KEEPS_STDERR, CHILD_KEEPS_BOTH };

/* How a child ended. Texts are what it wrote at last, CHILD_TEXT_BYTE at most, never NULL after child_run. */
#define CHILD_TEXT_BYTE 8192
struct child_end {
	int code;          /* exit status; -1: a signal */
	int signal_number; /* that ended it; 0: none */
	bool is_late;      /* it was ended because max_seconds had passed */
	char *out, *said;  /* of its stdout and stderr; child_end_free */
};

/*
 * Run `dse WORD...` and wait for it. word [n_word] without the program's name. What of its streams is this process's
 * stays empty in *end. When a wish to stop comes (sim/base/stop.h) it is told once, and killed if it is
 * still there CHILD_PATIENCE_MS later. ERR_OK however the child ended, with *end filled; ERR_IO when it could not be
 * started.
 */
#define CHILD_PATIENCE_MS UINT64_C(10000)
enum err_code child_run(const char *const *word, size_t n_word, const struct child_limits *limits,
                        enum child_streams streams, struct child_end *end, struct err *err);

void child_end_free(struct child_end *end);

/* "killed by signal 6 (Aborted)", "still at work after 30 s", "exit code 1". */
#define CHILD_REASON_SIZE 128
void child_reason(const struct child_end *end, const struct child_limits *limits, char text[CHILD_REASON_SIZE]);

/*
 * Whether child_run of the parent started this process; if so it takes on its limits, is the first that the system
 * kills when memory is out, and ends when its parent does. Call it before there are threads.
 */
bool child_begin(void);

#endif
