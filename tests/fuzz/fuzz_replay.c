/* SPDX-License-Identifier: Apache-2.0 */
/* Fronts: point 0 of one is read and run again. */
#include "dse/design/replay.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	char path[FUZZ_PATH_SIZE], spec[FUZZ_PATH_SIZE + 4];
	struct replay replay;
	struct err err = {0};
	const struct simulate_how how = {.detail = {.detail = DETAIL_FAST, .n_thread = 1}};
	(void)snprintf(spec, sizeof(spec), "%s:0", fuzz_file(data, n_byte, path));
	enum err_code code = replay_run(spec, &how, false, &replay, &err);
	fuzz_require(code != ERR_OK || replay.is_equal || replay.difference.n_message > 0, "no difference", NULL);
	fuzz_require(code == ERR_OK || ((code == ERR_INPUT || code == ERR_IO) && is_printable(err_text(&err))),
	             "replay_run", &err);
	err_clear(&err);
	replay_free(&replay);
	return 0;
}
