/* SPDX-License-Identifier: Apache-2.0 */
/* Splits of one dimension: what can be read is printed and read back equal. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	struct dim_split dim = {0}, again = {0};
	struct err err = {0};
	char *text = fuzz_text(data, n_byte), printed[64];
	enum err_code code = dim_parse(text, &dim, &err);
	if (code == ERR_OK) {
		fuzz_require(dim_n_part(&dim) > 0 && dim_extent(&dim) > 0, "an empty split", NULL);
		(void)dim_print(&dim, printed, sizeof(printed));
		fuzz_require(dim_parse(printed, &again, &err) == ERR_OK && memcmp(&dim, &again, sizeof(dim)) == 0,
		             printed, &err);
	}
	fuzz_require(code == ERR_OK || (code == ERR_INPUT && is_printable(err_text(&err))), "dim_parse", &err);
	err_clear(&err);
	free(text);
	return 0;
}
