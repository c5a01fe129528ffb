/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings; one that is read is written, and read again. */
#include "dse/design/mapping.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	char path[FUZZ_PATH_SIZE];
	struct mapping mapping = {0}, again = {0};
	struct err err = {0};
	enum err_code code = mapping_read(fuzz_file(data, n_byte, path), &mapping, &err);
	if (code == ERR_OK) {
		FILE *file = fopen(path, "w");
		fuzz_require(file != NULL, "no file", NULL);
		mapping_write(file, &mapping, NULL);
		fuzz_require(fclose(file) == 0, "no room", NULL);
		fuzz_require(mapping_read(path, &again, &err) == ERR_OK, "the mapping that was written", &err);
		fuzz_require(again.network.n_block == mapping.network.n_block, "other layers than were written", NULL);
		mapping_free(&again);
		code = mapping_check(&mapping, &err);
	}
	fuzz_require((code == ERR_OK) == (err.n_message == 0) && code != ERR_INTERNAL, "mapping_read", &err);
	fuzz_require(is_printable(err_text(&err)), "a message that is no text", &err);
	err_clear(&err);
	mapping_free(&mapping);
	return 0;
}
