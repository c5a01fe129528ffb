/* SPDX-License-Identifier: Apache-2.0 */
/* Argument vectors, one word a line; commands that write nothing but stdout are run. */
#include "tests/fuzz/fuzz.h"

#define MAX_WORD 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	char *text = fuzz_text(data, n_byte), program[] = "dse", *word[MAX_WORD + 1] = {program};
	int n = 1;
	struct cli_options options;
	struct err err = {0};
	for (char *at = text; n < MAX_WORD && at; n++) {
		char *end = strchr(at, '\n');
		if (end)
			*end++ = '\0';
		word[n] = at;
		at = end;
	}
	enum err_code code = cli_parse(&command_program, n, word, &options, &err);
	fuzz_require(code == ERR_OK ? err.n_message == 0 : code == ERR_USAGE && err.n_message > 0, "cli_parse", &err);
	fuzz_require(is_printable(err_text(&err)), "a message that is no text", &err);
	if (code == ERR_OK && options.command && !options.help && !options.out && options.command->run != cmd_explore) {
		code = options.command->run(&options, &err);
		fuzz_require((code == ERR_OK) == (err.n_message == 0) || code == ERR_GATE, "a command's answer", &err);
		fuzz_require(code != ERR_INTERNAL || (options.point && err.n_message > 0), "an internal error", &err);
		fuzz_require(is_printable(err_text(&err)), "a command's message that is no text", &err);
	}
	err_clear(&err);
	free(text);
	return 0;
}
