/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a store of runs and prices: what it lists and gives, and a search that keeps its run there. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	char path[FUZZ_PATH_SIZE], store[FUZZ_PATH_SIZE + 16], out[FUZZ_PATH_SIZE];
	(void)snprintf(store, sizeof(store), "%s/s.sqlite", fuzz_folder("store", path));
	fuzz_require(mkdir(path, 0700) == 0, path, NULL);
	fuzz_write(store, data, n_byte);
	(void)FUZZ_COMMAND("runs", "--store", store);
	(void)FUZZ_COMMAND("runs", "--store", store, "--json");
	(void)FUZZ_COMMAND("explore", "spaces/smoke.yaml", "-q", "-j1", "--store", store, "-o",
	                   fuzz_folder("stored", out), "--max-evaluations", "200");
	(void)fuzz_folder("stored", out);
	(void)fuzz_folder("store", path);
	return 0;
}
