/* SPDX-License-Identifier: Apache-2.0 */
/* Images of DRAMs, from memory, with the checksum set right so that what is behind it is read; sound ones come back. */
#include "dse/schedule/dram_image.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	struct octopus_dram dram;
	struct pack pack = {0};
	struct err err = {0};
	uint8_t *image = (uint8_t *)fuzz_text(data, n_byte);
	if (n_byte >= DRAM_HEAD_BYTE)
		dram_image_seal(image, n_byte);
	enum err_code code = dram_image_read("input", image, n_byte, &dram, &err);
	if (code == ERR_OK)
		code = dram_check("input", &dram, &err);
	if (code == ERR_OK) {
		dram_image_write(&dram, &pack);
		fuzz_require(pack.n == n_byte && memcmp(pack.data, image, n_byte) == 0, "other bytes", NULL);
	}
	fuzz_answer(code, &err);
	pack_free(&pack);
	octopus_dram_free(&dram);
	free(image);
	return 0;
}
