/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_EXPLORE_ONCE_H
#define TESTS_EXPLORE_ONCE_H
/*
 * `dse explore` on a space of spaces/bench/ as a user runs it, from reading the
 * space to the last file, for the benchmarks that measure the whole of it.
 */
#include "dse/cmd/command_table.h"
#include "dse/options/cli.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline void explore_stop(const char *name, const char *why)
{
	fprintf(stderr, "explore %s: %s\n", name, why);
	exit(1);
}

/* Files go to a folder that is there, the table nowhere. Ends the program when anything fails. */
static inline void explore_once(const char *name, const char *engine, unsigned n_thread, char *folder)
{
	char program[] = "dse", command[] = "explore", path[256], jobs[16], option[] = "--engine", own[32],
	     out[] = "-o", detail[] = "--detail", tier[] = "fast";
	char quiet[] = "-q";
	char *argv[] = {program, command, path, option, own, jobs, detail, tier, quiet, out, folder, NULL};
	struct cli_options options;
	struct err err = {0};
	(void)snprintf(path, sizeof(path), "spaces/bench/%s.yaml", name);
	(void)snprintf(jobs, sizeof(jobs), "-j%u", n_thread);
	(void)snprintf(own, sizeof(own), "%s", engine);
	int nowhere = open("/dev/null", O_WRONLY), kept = dup(STDOUT_FILENO);
	if (nowhere < 0 || kept < 0 || fflush(stdout) != 0 || dup2(nowhere, STDOUT_FILENO) < 0)
		explore_stop(name, "stdout cannot be turned away");
	enum err_code code = cli_parse(&command_program, (int)(sizeof(argv) / sizeof(*argv)) - 1, argv, &options, &err);
	if (code == ERR_OK)
		code = cmd_explore(&options, &err);
	if (code != ERR_OK || fflush(stdout) != 0 || dup2(kept, STDOUT_FILENO) < 0)
		explore_stop(name, err_text(&err));
	(void)close(nowhere);
	(void)close(kept);
}

/* A folder of its own for a run's files. */
static inline void explore_make_folder(char folder[32])
{
	(void)snprintf(folder, 32, "/tmp/dse_bench_XXXXXX");
	if (!mkdtemp(folder))
		explore_stop(folder, "cannot be made");
}

static inline void explore_remove_folder(const char *folder)
{
	char command[64];
	(void)snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command) != 0)
		explore_stop(folder, "cannot be removed");
}

#endif
