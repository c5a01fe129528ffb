/* SPDX-License-Identifier: Apache-2.0 */
/* SCALE-Sim's topology files; one that is right runs on a chip and on a QPE. */
#include "mapper/network/parser.h"
#include "dse/space/machine_read.h"
#include "mapper/network/network_read.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	static const char *const name[] = {"spaces/machines/thesis_chip.yaml", "spaces/machines/thesis_qpe_dram.yaml"};
	char path[FUZZ_PATH_SIZE];
	struct network network;
	struct err err = {0};
	enum err_code code = network_read_topology(fuzz_file(data, n_byte, path), &network, &err);
	for (size_t i = 0; i < 2 && code == ERR_OK && network.n_block < 50; i++) {
		struct machine machine;
		fuzz_require(machine_read(name[i], &machine, &err) == ERR_OK, name[i], &err);
		fuzz_simulate(&machine, &network);
	}
	fuzz_answer(code, &err);
	network_free(&network);
	return 0;
}
