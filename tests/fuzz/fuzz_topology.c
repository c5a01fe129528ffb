/* SPDX-License-Identifier: Apache-2.0 */
/* SCALE-Sim's topology files; one that is right runs on a chip and on a QPE. */
#include "mapper/network/parser.h"
#include "mapper/network/network_read.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	char path[FUZZ_PATH_SIZE];
	struct network network;
	struct err err = {0};
	enum err_code code = network_read_topology(fuzz_file(data, n_byte, path), &network, &err);
	fuzz_network(code, &network, 50, &err);
	return 0;
}
