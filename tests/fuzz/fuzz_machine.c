/* SPDX-License-Identifier: Apache-2.0 */
/* Machine files; one that is right runs the smallest shipped network. */
#include "tests/fuzz/fuzz.h"
#include "dse/space/machine_read.h"
#include "sim/machine/machine_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	char path[FUZZ_PATH_SIZE];
	struct machine machine;
	struct network network;
	struct err err = {0};
	enum err_code code = machine_read(fuzz_file(data, n_byte, path), &machine, &err);
	if (code == ERR_OK) {
		fuzz_require(machine_check(&machine, &err) == ERR_OK, "a machine that is wrong", &err);
		fuzz_require(network_read("spaces/networks/tiny.yaml", &network, &err) == ERR_OK, "tiny", &err);
		fuzz_simulate(&machine, &network);
		network_free(&network);
	}
	fuzz_answer(code, &err);
	return 0;
}
