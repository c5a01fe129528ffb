/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_COMMAND_CHILD_H
#define TESTS_COMMAND_CHILD_H
/* A command of the program in a process of its own, so that an abort is told from a refusal, and no threads from
 * before. */
#include "dse/cmd/command_table.h"
#include "dse/options/cli.h"
#include "tests/support/unit_test.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMMAND_MAX_WORD = 32, COMMAND_LINE = 1024, COMMAND_NAME = 512 };

/* Words of a line that stand for something else: "MACHINE" for a path. */
struct command_name {
	const char *name;
	char *text;
};

struct command_end {
	int code; /* -1: killed by `signal` */
	int signal;
	bool is_late; /* its processor time was up: it says nothing */
};

/* In the child: the exit code of the program, what it says in the file `said`. */
static inline int command_run(const char *line, const struct command_name *name, size_t n_name, const char *said)
{
	char text[COMMAND_LINE], *word[COMMAND_MAX_WORD], program[] = "dse", jobs[] = "-j1";
	int n = 0, file = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	struct cli_options options;
	struct err err = {0};
	if (file < 0 || dup2(file, STDOUT_FILENO) < 0 || dup2(file, STDERR_FILENO) < 0)
		return 99;
	(void)snprintf(text, sizeof(text), "%s", line);
	word[n++] = program;
	for (char *at = strtok(text, " "); at && n < COMMAND_MAX_WORD - 1; at = strtok(NULL, " ")) {
		word[n++] = at;
		for (size_t i = 0; i < n_name; i++)
			if (strcmp(at, name[i].name) == 0)
				word[n - 1] = name[i].text;
	}
	word[n++] = jobs;
	enum err_code code = cli_parse(&command_program, n, word, &options, &err);
	if (code == ERR_OK)
		code = options.command->run(&options, &err);
	(void)fputs(err_text(&err), stdout);
	(void)fflush(stdout);
	err_clear(&err);
	return (int)code;
}

/* For at most so many ms of processor time. */
static inline struct command_end command_in_child(const char *line, const struct command_name *name, size_t n_name,
                                                  const char *said, unsigned max_ms)
{
	int status = 0;
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		const struct itimerval most = {.it_value = {max_ms / 1000, (suseconds_t)(max_ms % 1000) * 1000}};
		(void)setitimer(ITIMER_PROF, &most, NULL);
		_exit(command_run(line, name, n_name, said));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	struct command_end end = {.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
	                          .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0};
	end.is_late = end.signal == SIGPROF;
	return end;
}

/* Whether a file has this text; of `said` also what a sanitizer leaves that goes on after its reports. */
static inline bool command_said(const char *said, const char *text)
{
	char line[400];
	FILE *file = fopen(said, "r");
	bool found = false;
	while (file && fgets(line, sizeof(line), file))
		found = found || strstr(line, text);
	if (file)
		(void)fclose(file);
	return found;
}

static inline void command_show(const char *path)
{
	char line[400];
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		print_error("    %s", line);
	if (file)
		(void)fclose(file);
}

#endif
