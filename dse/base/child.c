/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* RLIMIT_DATA, and prctl of Linux */
#include "dse/base/child.h"
#include "dse/base/memory.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* Set for the child: the parent's process and the limit of memory. Whoever inherits it from further up is no child. */
#define CHILD_VARIABLE "DSE_CHILD_OF"
#define PROGRAM "/proc/self/exe"
#define POLL_NS 10000000L
/* Between a SIGTERM for being late, which lets it save, and its end. */
#define LATE_PATIENCE_MS UINT64_C(5000)

extern char **environ;

/* ---- the parent ---- */

/* What describes this process to a launcher of ranks is not the child's. */
static bool is_inherited(const char *variable)
{
	static const char *const prefix[] = {CHILD_VARIABLE "=", "OMPI_", "PMIX_", "PMI_", "MPI_LOCALRANKID"};
	for (size_t i = 0; i < sizeof(prefix) / sizeof(prefix[0]); i++)
		if (strncmp(variable, prefix[i], strlen(prefix[i])) == 0)
			return false;
	return true;
}

/* The array is the caller's, of its texts the first alone. */
static char **make_environment(const struct child_limits *limits)
{
	size_t n = 0, n_kept = 1;
	while (environ[n])
		n++;
	char **made = memory_array(n + 3, sizeof(*made)), text[96];
	(void)snprintf(text, sizeof(text), CHILD_VARIABLE "=%ld:%llu", (long)getpid(),
	               (unsigned long long)limits->max_mb);
	made[0] = memory_text(text);
	if (limits->variable)
		made[n_kept++] = limits->variable;
	for (size_t i = 0; i < n; i++)
		if (is_inherited(environ[i]))
			made[n_kept++] = environ[i];
	return made;
}

/* The end of what a stream has; the stream is closed. NULL: an empty text. */
static char *read_end(FILE *file)
{
	char *text = memory_array(CHILD_TEXT_BYTE + 1, 1);
	if (!file)
		return text;
	long n_byte = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
	if (n_byte > 0 && fseek(file, n_byte > CHILD_TEXT_BYTE ? n_byte - CHILD_TEXT_BYTE : 0, SEEK_SET) == 0)
		text[fread(text, 1, CHILD_TEXT_BYTE, file)] = '\0';
	(void)fclose(file);
	return text;
}

/* In a process group of its own: a Ctrl-C of the terminal reaches the parent, which hands it on once. */
static int start(char *const *argument, char *const *environment, FILE *out, FILE *said, pid_t *child)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t normal, none;
	int code = posix_spawn_file_actions_init(&actions);
	if (code != 0)
		return code;
	code = posix_spawnattr_init(&attributes);
	if (code != 0) {
		(void)posix_spawn_file_actions_destroy(&actions);
		return code;
	}
	(void)sigemptyset(&none);
	(void)sigemptyset(&normal);
	(void)sigaddset(&normal, SIGXFSZ);
	code = out ? posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO) : 0;
	if (code == 0 && said)
		code = posix_spawn_file_actions_adddup2(&actions, fileno(said), STDERR_FILENO);
	if (code == 0)
		code = posix_spawnattr_setflags(&attributes,
		                                POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (code == 0)
		code = posix_spawnattr_setpgroup(&attributes, 0);
	if (code == 0)
		code = posix_spawnattr_setsigmask(&attributes, &none);
	if (code == 0)
		code = posix_spawnattr_setsigdefault(&attributes, &normal);
	if (code == 0)
		code = posix_spawn(child, PROGRAM, &actions, &attributes, argument, environment);
	(void)posix_spawnattr_destroy(&attributes);
	(void)posix_spawn_file_actions_destroy(&actions);
	return code;
}

static void end_by(pid_t child, int signal_number)
{
	(void)kill(-child, signal_number);
	(void)kill(child, signal_number);
}

/* Until it has ended: told to stop once, by whichever reason comes first, and killed where it does not. */
static void wait_for(pid_t child, const struct child_limits *limits, struct child_end *end)
{
	const struct timespec pause = {.tv_nsec = POLL_NS};
	const uint64_t late_ms = limits->max_seconds > 0 ? stop_now_ms() + 1000 * limits->max_seconds : UINT64_MAX;
	uint64_t kill_ms = UINT64_MAX;
	int status = 0;
	for (pid_t ended; (ended = waitpid(child, &status, WNOHANG)) != child;) {
		if (ended < 0 && errno != EINTR)
			break;
		uint64_t now_ms = stop_now_ms();
		bool is_stopped = stop_requested(NULL);
		bool is_hung = kill_ms == UINT64_MAX && limits->is_hung && limits->is_hung(limits->context);
		if (kill_ms == UINT64_MAX && (is_stopped || is_hung || now_ms >= late_ms)) {
			end->is_late = !is_stopped;
			kill_ms = now_ms + (is_stopped ? CHILD_PATIENCE_MS : LATE_PATIENCE_MS);
			(void)kill(child, SIGTERM);
		} else if (now_ms >= kill_ms) {
			end_by(child, SIGKILL);
		}
		(void)nanosleep(&pause, NULL);
	}
	end->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	end->signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

enum err_code child_run(const char *const *word, size_t n_word, const struct child_limits *limits,
                        enum child_streams streams, struct child_end *end, struct err *err)
{
	char name[] = "dse";
	pid_t child = 0;
	assert(word && limits && end);
	*end = (struct child_end){.code = -1};
	bool keeps_out = streams == CHILD_KEEPS_BOTH, keeps_said = streams != CHILD_KEEPS_NONE;
	FILE *out = keeps_out ? NULL : tmpfile(), *said = keeps_said ? NULL : tmpfile();
	char **argument = memory_array(n_word + 2, sizeof(*argument)), **environment = make_environment(limits);
	argument[0] = name;
	for (size_t i = 0; i < n_word; i++)
		argument[i + 1] = memory_text(word[i]);
	(void)fflush(NULL); /* what is buffered here is not the child's to write */
	int code = (!out && !keeps_out) || (!said && !keeps_said) ? errno : start(argument, environment, out, said, &child);
	if (code == 0)
		wait_for(child, limits, end);
	end->out = read_end(out);
	end->said = read_end(said);
	for (size_t i = 0; i < n_word; i++)
		free(argument[i + 1]);
	free(argument);
	free(environment[0]);
	free(environment);
	if (code == 0)
		return ERR_OK;
	child_end_free(end);
	return err_add(err, ERR_IO, "cannot start a process of its own for 'dse %s': %s", n_word > 0 ? word[0] : "",
	               strerror(code));
}

void child_end_free(struct child_end *end)
{
	free(end->out);
	free(end->said);
	end->out = end->said = NULL;
}

void child_reason(const struct child_end *end, const struct child_limits *limits, char text[CHILD_REASON_SIZE])
{
	if (end->is_late)
		(void)snprintf(text, CHILD_REASON_SIZE, "still at work after %llu s",
		               (unsigned long long)limits->max_seconds);
	else if (end->signal_number > 0)
		(void)snprintf(text, CHILD_REASON_SIZE, "killed by signal %d (%s)%s", end->signal_number,
		               strsignal(end->signal_number),
		               end->signal_number == SIGKILL ? ", as the system does when memory is out" : "");
	else
		(void)snprintf(text, CHILD_REASON_SIZE, "exit code %d", end->code);
}

/* ---- the child ---- */

/* The first to go when memory is out. Where the system has no such thing, or forbids it, nothing is lost. */
static void offer_itself(void)
{
	int descriptor = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (descriptor < 0)
		return;
	ssize_t n = write(descriptor, "1000", 4);
	(void)n;
	(void)close(descriptor);
}

bool child_begin(void)
{
	const char *text = getenv(CHILD_VARIABLE);
	unsigned long long max_mb = 0;
	long parent = 0;
	if (!text || sscanf(text, "%ld:%llu", &parent, &max_mb) != 2 || parent != (long)getppid())
		return false;
	struct rlimit limit = {.rlim_cur = (rlim_t)max_mb * 1000000U, .rlim_max = (rlim_t)max_mb * 1000000U};
	if (max_mb > 0)
		(void)setrlimit(RLIMIT_DATA, &limit);
	offer_itself();
#ifdef __linux__
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (parent != (long)getppid()) /* it has ended meanwhile */
		(void)raise(SIGTERM);
#endif
	return true;
}
