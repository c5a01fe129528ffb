/* SPDX-License-Identifier: Apache-2.0 */
/* Spaces night by night: the first is the good one that the second is compared with. Each search is a process of its
 * own, this program once more. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *n_word, char ***word);

/* A night's child is the program, not a fuzzer. */
int LLVMFuzzerInitialize(int *n_word, char ***word)
{
	struct cli_options options;
	struct err err = {0};
	if (*n_word < 2 || strcmp((*word)[1], "nightly") != 0)
		return 0;
	enum err_code code = cli_parse(&command_program, *n_word, *word, &options, &err);
	if (code == ERR_OK)
		code = options.command->run(&options, &err);
	(void)fputs(err_text(&err), stderr);
	err_clear(&err);
	exit((int)code);
}

/* A space may fail, be late or find nothing, and the night's code is the space's; no process may be killed. */
static void check_night(const char *out, const char *date)
{
	static const char *const wrong[] = {"killed by signal", "Sanitizer", "runtime error"};
	char path[FUZZ_PATH_SIZE + 40], line[1000];
	(void)snprintf(path, sizeof(path), "%s/nightly/%s/junit.xml", out, date);
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
			fuzz_require(!strstr(line, wrong[i]), line, NULL);
	if (file)
		(void)fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	static const char *const date[] = {"2026-01-02", "2026-01-03"};
	char path[FUZZ_PATH_SIZE], out[FUZZ_PATH_SIZE], store[FUZZ_PATH_SIZE + 16];
	bool is_store = n_byte > 6 && memcmp(data, "SQLite", 6) == 0;
	(void)snprintf(store, sizeof(store), "%s/s.sqlite", fuzz_folder("nightly", out));
	fuzz_require(mkdir(out, 0700) == 0, out, NULL);
	(void)fuzz_file(data, n_byte, path);
	if (is_store)
		fuzz_write(store, data, n_byte);
	for (int i = 0; i < 2; i++) {
		(void)fuzz_command(FUZZ_WORDS("nightly", is_store ? "spaces/smoke.yaml" : path, "-q", "-j1", "-o", out,
		                              "--store", store, "--date", date[i], "--tables", "none", "--seeds", "3",
		                              "--max-seconds", "5"),
		                   false);
		check_night(out, date[i]);
	}
	(void)fuzz_folder("nightly", out);
	return 0;
}
