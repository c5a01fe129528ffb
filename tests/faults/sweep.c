/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One fault after the other: before main, where no thread is there yet, the process becomes a parent that forks a child
 * for each call that is to fail. A child goes on as the program, in the folder ./run, made anew each time, with its
 * output in ./out and ./err. Then the parent looks at what it has left:
 *
 *   exit code   0 and all files as without the fault; or 1 or 5 with a message; 4 where a proof has no room
 *   files       those that have a name of a whole one are whole; no *.tmp, but of who ended for want of memory
 *   memory      all is freed that is freed without the fault, but of who ended on the spot
 *   next run    (FAULT_AGAIN=K: of every K-th) without a fault in the same folder, it gives what it gave
 *
 * FAULT_STRIDE=K: of every K-th allocation, from FAULT_FIRST on, so that several may share a sweep. FAULT_WORDS: the
 * command, for messages. One line at the end with what it counted; exit code 1 where a fault was not borne.
 */
#define _GNU_SOURCE
#include "tests/faults/faults.h"
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_SECOND = 60, PATH = 1024, N_SHOWN = 20 };

static struct fault_outcome *outcome;
static enum fault_kind swept;
static unsigned long n_at, n_all, n_tried, n_survived, n_exited, n_leak, n_again;
static size_t n_live_whole, n_bad;

static void bad(const char *what, const char *about)
{
	if (n_bad++ < N_SHOWN)
		printf("  BAD: %s %lu of %lu: %s%s: %s\n", fault_kind_name[swept], n_at, n_all, what, about,
		       getenv("FAULT_WORDS"));
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at)
{
	(void)info;
	(void)type;
	(void)at;
	return remove(path);
}

static void remove_tree(const char *path)
{
	(void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void redirect(const char *path, int descriptor)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (file < 0 || dup2(file, descriptor) < 0)
		_exit(99);
	(void)close(file);
}

/* false: in the child. */
static bool run(unsigned long n, int *status)
{
	memset(outcome, 0, sizeof(*outcome));
	(void)fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		char fault[40];
		const struct itimerval most = {.it_value = {.tv_sec = MAX_SECOND}};
		redirect("out", 1);
		redirect("err", 2);
		(void)mkdir("run", 0700);
		if (chdir("run") != 0)
			_exit(99);
		(void)setitimer(ITIMER_PROF, &most, NULL);
		fault_set(swept, n, false, outcome);
		/* what it execs fails, too */
		(void)snprintf(fault, sizeof(fault), "%s:%lu", fault_kind_name[swept], n);
		if (unsetenv("FAULT_SWEEP") != 0 || setenv("FAULT", fault, 1) != 0)
			_exit(99);
		return false;
	}
	if (child < 0 || waitpid(child, status, 0) != child) {
		perror("sweep");
		_exit(99);
	}
	return true;
}

/* ---- what is left ---- */

/* What is another in each run: dates, seconds, the store. */
static bool is_compared(const char *name)
{
	static const char *const other[] = {".sqlite",    "run.json",  "lock",         "journal",
	                                    "index.html", "junit.xml", "nightly.json", "checkpoint"};
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (strstr(name, other[i]))
			return false;
	return true;
}

static bool has_text(const char *path, const char *text)
{
	static char line[4096];
	FILE *file = fopen(path, "r");
	bool found = false;
	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, text) != NULL;
	if (file)
		(void)fclose(file);
	return found;
}

static bool is_same(const char *a, const char *b)
{
	static char left[65536], right[65536];
	FILE *first = fopen(a, "r"), *second = fopen(b, "r");
	bool same = first && second;
	for (size_t n = 1; same && n > 0;) {
		n = fread(left, 1, sizeof(left), first);
		same = n == fread(right, 1, sizeof(right), second) && memcmp(left, right, n) == 0;
	}
	if (first)
		(void)fclose(first);
	if (second)
		(void)fclose(second);
	return same;
}

/* How the files of one folder are beside those of another: the first that is missing there, and that is another. */
struct difference {
	char missing[PATH], other[PATH], temporary[PATH];
};

static void compare(const char *folder, const char *with, struct difference *found)
{
	DIR *directory = opendir(folder);
	for (const struct dirent *entry; directory && (entry = readdir(directory));) {
		char own[PATH], theirs[PATH];
		struct stat info;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		(void)snprintf(own, sizeof(own), "%s/%s", folder, entry->d_name);
		(void)snprintf(theirs, sizeof(theirs), "%s/%s", with, entry->d_name);
		if (lstat(own, &info) != 0)
			continue;
		if (S_ISDIR(info.st_mode)) {
			compare(own, theirs, found);
			continue;
		}
		if (strstr(entry->d_name, ".tmp"))
			(void)snprintf(found->temporary, PATH, "%s", own);
		else if (is_compared(entry->d_name) && access(theirs, F_OK) != 0)
			(void)snprintf(found->missing, PATH, "%s", own);
		else if (is_compared(entry->d_name) && !is_same(own, theirs))
			(void)snprintf(found->other, PATH, "%s", own);
	}
	if (directory)
		(void)closedir(directory);
}

/* Whether both folders have the same files. */
static bool is_whole(const char **name)
{
	static struct difference here, there;
	memset(&here, 0, sizeof(here));
	memset(&there, 0, sizeof(there));
	compare("run", "whole", &here);
	compare("whole", "run", &there);
	*name = here.missing[0] ? here.missing : here.other[0] ? here.other : there.missing[0] ? there.missing : "";
	return **name == '\0';
}

static void judge(int status)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	bool is_out = has_text("err", "out of memory");
	static struct difference found;
	const char *name;
	char text[80];
	n_tried++;
	memset(&found, 0, sizeof(found));
	(void)snprintf(text, sizeof(text), code < 0 ? "signal %d" : "exit %d", code < 0 ? WTERMSIG(status) : code);
	if (code == 0) {
		n_survived++;
		if (!is_whole(&name))
			bad("exit 0 with other files, as ", name);
	} else if (code == 4 ? !has_text("err", "no memory") : code != 1 && code != 5)
		bad(text, "");
	else if (!has_text("err", ""))
		bad(text, " without a word");
	compare("run", "whole", &found);
	if (found.temporary[0] && !is_out)
		bad("left is ", found.temporary);
	/* where searches failed the front is that of the others, and the program says so */
	if (code != 0 && found.other[0] && !has_text("err", "searches failed"))
		bad("another ", found.other);
	if (outcome->has_exited)
		n_exited++;
	else if (code >= 0 && !outcome->is_told)
		bad("it has not come to its end, ", text);
	else if (outcome->n_live > n_live_whole) {
		n_leak++;
		(void)snprintf(text, sizeof(text), "%zu allocations, exit %d", outcome->n_live - n_live_whole, code);
		bad("not freed are ", text);
	}
}

static unsigned long option(const char *name, unsigned long without)
{
	const char *text = getenv(name);
	unsigned long value = text ? strtoul(text, NULL, 10) : without;
	return value > 0 ? value : without;
}

void fault_sweep(enum fault_kind kind)
{
	unsigned long stride = kind == FAULT_ALLOC ? option("FAULT_STRIDE", 1) : 1;
	unsigned long again = kind == FAULT_ALLOC ? option("FAULT_AGAIN", 1) : 1;
	const char *name;
	int status = 0;
	FILE *shared = tmpfile();
	if (!shared || ftruncate(fileno(shared), sizeof(*outcome)) != 0)
		_exit(99);
	outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE, MAP_SHARED, fileno(shared), 0);
	swept = kind;
	remove_tree("run");
	remove_tree("whole");
	if (outcome == MAP_FAILED || !run(0, &status))
		return;
	n_all = outcome->n_call[kind];
	n_live_whole = outcome->n_live;
	if (status != 0 || rename("run", "whole") != 0) {
		printf("  BAD: status %d without a fault: %s\n", status, getenv("FAULT_WORDS"));
		(void)fflush(stdout);
		_exit(1);
	}
	for (n_at = kind == FAULT_ALLOC ? option("FAULT_FIRST", 1) : 1; n_at <= n_all; n_at += stride) {
		remove_tree("run");
		if (!run(n_at, &status))
			return;
		judge(status);
		if (n_tried % again != 0)
			continue;
		n_again++;
		if (!run(0, &status))
			return;
		if (status != 0)
			bad("the next run fails", "");
		else if (!is_whole(&name))
			bad("the next run gives something else, as ", name);
	}
	printf("%s: %lu of %lu, %lu did without, %lu ended on the spot, %lu leaks (%zu are kept without a fault), %lu "
	       "next "
	       "runs, %zu bad: %s\n",
	       fault_kind_name[kind], n_tried, n_all, n_survived, n_exited, n_leak, n_live_whole, n_again, n_bad,
	       getenv("FAULT_WORDS"));
	(void)fflush(stdout);
	_exit(n_bad > 0);
}
