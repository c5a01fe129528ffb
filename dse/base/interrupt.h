/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_INTERRUPT_H
#define DSE_INTERRUPT_H
/*
 * Ctrl-C: the first SIGINT or SIGTERM asks the search to finish its step and
 * save; the second ends the program at once with exit code 130.
 */
#include <stdbool.h>

/* Catch both signals from here on; also, a limit on the size of files becomes an error of the write. */
void interrupt_install(void);

/* Whether one has arrived. */
bool interrupt_requested(void);

#endif
