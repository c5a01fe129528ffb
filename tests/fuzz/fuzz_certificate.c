/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates, of a space that is shipped or of another. */
#include "dse/certify/certify.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	char path[FUZZ_PATH_SIZE];
	struct certify_report report;
	struct err err = {0};
	enum err_code code = certify_check(fuzz_file(data, n_byte, path), "spaces/smoke.yaml", &report, &err);
	fuzz_require((code == ERR_OK) == (err.n_message == 0) && code != ERR_INTERNAL, "certify_check", &err);
	fuzz_require(is_printable(err_text(&err)), "a message that is no text", &err);
	err_clear(&err);
	return 0;
}
