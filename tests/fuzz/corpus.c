/* SPDX-License-Identifier: Apache-2.0 */
/*
 * corpus FOLDER: every file of FOLDER/KIND once through the fuzzer of its kind, each kind in a process of its own.
 * Names what fails, and counts; CORPUS_TIMES=1 how long each kind takes. Without libFuzzer, so in any build.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int one_input(const uint8_t *data, size_t n_byte);
#define KIND(name) one_input one_##name;
KINDS /* KIND(cli) KIND(csv) ..., by the Makefile */
#undef KIND
    int
    LLVMFuzzerInitialize(int *n_word, char ***word);

static const struct {
	const char *name;
	one_input *run;
} kind[] = {
#define KIND(name) {#name, one_##name},
    KINDS
#undef KIND
};

/* What a child has under way, and how many it has done. */
struct progress {
	unsigned n_done;
	char at[1000];
};

static void run_file(const char *path, one_input *run)
{
	FILE *file = fopen(path, "rb");
	long n = -1;
	uint8_t *data = NULL;
	if (file && fseek(file, 0, SEEK_END) == 0 && (n = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0)
		data = malloc((size_t)n + (n == 0)); /* no byte behind it that a sanitizer does not know of */
	if (!data || fread(data, 1, (size_t)n, file) != (size_t)n) {
		perror(path);
		exit(1);
	}
	(void)fclose(file);
	(void)run(data, (size_t)n);
	free(data);
}

static void run_kind(const char *folder, size_t which, struct progress *progress)
{
	char path[800];
	(void)snprintf(path, sizeof(path), "%s/%s", folder, kind[which].name);
	DIR *directory = opendir(path);
	for (const struct dirent *entry; directory && (entry = readdir(directory));) {
		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(progress->at, sizeof(progress->at), "%s/%.190s", path, entry->d_name);
		run_file(progress->at, kind[which].run);
		progress->n_done++;
	}
	if (directory)
		(void)closedir(directory);
}

/* Of processor time of all children so far. */
static double seconds(void)
{
	struct rusage used;
	(void)getrusage(RUSAGE_CHILDREN, &used);
	return (double)used.ru_utime.tv_sec + (double)used.ru_utime.tv_usec * 1e-6;
}

int main(int n_word, char **word)
{
	int n_failed = 0;
	unsigned n_done = 0;
	(void)LLVMFuzzerInitialize(&n_word, &word);
	FILE *shared = tmpfile();
	if (n_word != 2 || !shared || ftruncate(fileno(shared), sizeof(struct progress)) != 0)
		return 1;
	struct progress *progress =
	    mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED, fileno(shared), 0);
	for (size_t i = 0; progress != MAP_FAILED && i < sizeof(kind) / sizeof(kind[0]); i++) {
		int status = 0;
		(void)fflush(stdout);
		memset(progress, 0, sizeof(*progress));
		double begun = seconds();
		pid_t child = fork();
		if (child == 0) {
			if (!freopen("/dev/null", "w", stdout))
				return 1;
			run_kind(word[1], i, progress);
			return 0;
		}
		if (child < 0 || waitpid(child, &status, 0) != child)
			return 1;
		n_done += progress->n_done;
		if (getenv("CORPUS_TIMES"))
			printf("%-14s %4u inputs, %.2f s\n", kind[i].name, progress->n_done, seconds() - begun);
		if (progress->n_done == 0 || status != 0) {
			n_failed++;
			printf("%s: %s, status %d\n", kind[i].name, progress->at[0] ? progress->at : "no input",
			       status);
		}
	}
	printf("%u inputs of %zu kinds, %d kinds failed\n", n_done, sizeof(kind) / sizeof(kind[0]), n_failed);
	return n_failed > 0;
}
