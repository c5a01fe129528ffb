/* SPDX-License-Identifier: Apache-2.0 */
/* Machine files; one that is right runs the smallest shipped network. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	char path[FUZZ_PATH_SIZE];
	struct machine machine;
	struct err err = {0};
	enum err_code code = machine_read(fuzz_file(data, n_byte, path), &machine, &err);
	fuzz_machine(code, &machine, &err);
	return 0;
}
