/* SPDX-License-Identifier: Apache-2.0 */
/* SCALE-Sim's .cfg files; one that is right gives a machine that runs the smallest shipped network. */
#include "dse/space/machine_cfg.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	char path[FUZZ_PATH_SIZE];
	struct machine machine;
	struct err err = {0};
	enum err_code code = machine_read_cfg(fuzz_file(data, n_byte, path), &machine, &err);
	fuzz_machine(code, &machine, &err);
	return 0;
}
