/* SPDX-License-Identifier: Apache-2.0 */
/* Spaces through dse explore with -o, by an engine and in tiers that the bytes decide, for a second at most. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	static const char *const engine[] = {"exact", "exhaustive", "nsga2", "pls"};
	static const char *const detail[] = {"fast", "both", "fast", "greybox"};
	char path[FUZZ_PATH_SIZE], out[FUZZ_PATH_SIZE];
	unsigned sum = 0;
	for (size_t i = 0; i < n_byte; i++)
		sum = sum * 31 + data[i];
	(void)FUZZ_COMMAND("explore", fuzz_file(data, n_byte, path), "-q", "-j1", "--store", "none", "-o",
	                   fuzz_folder("explore", out), "--engine", engine[sum / 7 % 4], "--detail",
	                   sum / 7 % 4 < 2 ? detail[sum / 31 % 4] : "fast", "--max-evaluations", "50", "--max-seconds",
	                   "1");
	(void)fuzz_folder("explore", out);
	return 0;
}
