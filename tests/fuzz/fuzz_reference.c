/* SPDX-License-Identifier: Apache-2.0 */
/* Reference tables through validation. */
#include "dse/validate/validate.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	char path[FUZZ_PATH_SIZE];
	struct source *source;
	struct validation validation;
	struct err err = {0};
	fuzz_require(source_open(NULL, NULL, &source, &err) == ERR_OK, "source_open", &err);
	enum err_code code = validate_file(fuzz_file(data, n_byte, path), source, &validation, &err);
	fuzz_answer(code, &err);
	validate_free(&validation);
	source_close(source);
	return 0;
}
