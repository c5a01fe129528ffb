/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/png.h"
#include "dse/keep/output_file.h"
#include <assert.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The program's exit status; -1 where a signal ended it. */
static int wait_for(pid_t pid)
{
	int status;
	pid_t ended;
	do
		ended = waitpid(pid, &status, 0);
	while (ended < 0 && errno == EINTR);
	return ended == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* It writes to its stdout, which is the file, so that the file appears whole or not at all. 0, or an errno. */
static int run_program(const char *svg, int output, int *status)
{
	char program[] = PNG_PROGRAM, zoom[] = "--zoom=2", end[] = "--";
	char *path = strdup(svg);
	char *argument[] = {program, zoom, end, path, NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int code = path ? posix_spawn_file_actions_init(&actions) : ENOMEM;
	if (code == 0) {
		code = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
		if (code == 0)
			code = posix_spawnp(&pid, program, &actions, NULL, argument, environ);
		(void)posix_spawn_file_actions_destroy(&actions);
	}
	if (code == 0)
		*status = wait_for(pid);
	free(path);
	return code;
}

enum err_code png_from_svg(const char *svg, const char *png, bool *is_there, struct err *err)
{
	struct output_file file = {0};
	int status = 0;
	assert(svg && png && is_there);
	*is_there = true;
	enum err_code code = output_file_open(&file, png, err);
	if (code != ERR_OK)
		return code;
	int failed = run_program(svg, output_file_descriptor(&file), &status);
	if (failed == 0 && status == 0)
		return output_file_commit(&file, err);
	output_file_abandon(&file);
	if (failed == ENOENT) {
		*is_there = false;
		return ERR_OK;
	}
	if (failed != 0)
		return err_add(err, ERR_IO, "%s: %s cannot be run: %s", png, PNG_PROGRAM, strerror(failed));
	return err_add(err, ERR_IO, "%s: %s made no picture of %s (exit status %d)", png, PNG_PROGRAM, svg, status);
}
