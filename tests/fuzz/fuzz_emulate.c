/* SPDX-License-Identifier: Apache-2.0 */
/* Filled images of DRAMs, their checksums set right, opened by the emulator and run where that is little work. */
#include "dse/emulate/emulate.h"
#include "dse/schedule/dram_image.h"
#include "tests/fuzz/fuzz.h"

#define MAX_MAC (UINT64_C(1) << 22)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	struct emulator emulator;
	struct err err = {0};
	uint8_t *image = (uint8_t *)fuzz_text(data, n_byte);
	if (n_byte >= DRAM_HEAD_BYTE)
		dram_image_seal(image, n_byte);
	enum err_code code = emulate_open("input", image, n_byte, &emulator, &err);
	if (code == ERR_OK && emulate_n_mac(&emulator) < MAX_MAC)
		(void)emulate_run(&emulator);
	fuzz_answer(code, &err);
	emulate_close(&emulator);
	free(image);
	return 0;
}
