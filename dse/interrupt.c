/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/interrupt.h"
#include "sim/base/err.h"
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/*
 * The one mutable global of the program: a signal handler has no argument that
 * could carry a pointer, so there is nowhere else for it to leave its news.
 */
static volatile sig_atomic_t n_signal;

static void on_signal(int signal_number)
{
	(void)signal_number;
	/* exit() would run handlers that are not made for a signal; _exit may be called here. */
	if (n_signal > 0)
		_exit(ERR_INTERRUPTED);
	n_signal = 1;
}

void interrupt_install(void)
{
	/* Also where the shell made SIGINT ignored for a command in the background: there a kill -INT is meant, too. */
	struct sigaction action = {0};
	action.sa_handler = on_signal;
	action.sa_flags = SA_RESTART; /* reads and writes go on; the search looks at interrupt_requested */
	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
	/* a file that may not grow is a write that fails, with a message, not the end of the program */
	action.sa_handler = SIG_IGN;
	(void)sigaction(SIGXFSZ, &action, NULL);
}

bool interrupt_requested(void)
{
	return n_signal > 0;
}
