/* SPDX-License-Identifier: Apache-2.0 */
/* Split schemes; one that is right splits a shipped network. */
#include "tests/fuzz/fuzz.h"
#include "dse/space/machine_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	char path[FUZZ_PATH_SIZE];
	struct split_scheme scheme;
	struct network network;
	struct machine machine;
	struct err err = {0};
	enum err_code code = split_scheme_read(fuzz_file(data, n_byte, path), &scheme, &err);
	if (code == ERR_OK) {
		const struct simulate_options options = {.scheme = &scheme, .strategy = STRATEGY_FUSION_REUSE};
		fuzz_require(machine_read("spaces/machines/thesis_chip.yaml", &machine, &err) == ERR_OK &&
		                 network_read("spaces/networks/vgg16.yaml", &network, &err) == ERR_OK,
		             "shipped files", &err);
		struct simulated *block = calloc(network.n_block, sizeof(*block));
		fuzz_require(block != NULL, "no memory", NULL);
		(void)simulate_network(&machine, &network, &options, block, &err);
		err_clear(&err);
		free(block);
		network_free(&network);
		split_scheme_free(&scheme);
	}
	fuzz_answer(code, &err);
	return 0;
}
