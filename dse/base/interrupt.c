/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/base/interrupt.h"
#include "sim/base/err.h"
#include "sim/base/stop.h"
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void on_signal(int signal_number)
{
	(void)signal_number;
	/* exit() would run handlers that are not made for a signal; _exit may be called here. */
	if (interrupt_requested())
		_exit(ERR_INTERRUPTED);
	stop_request();
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
	return stop_requested(NULL);
}
