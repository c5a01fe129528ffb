/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX models; one whose nodes all have layers is a network that our own format keeps. */
#include "mapper/onnx/onnx.h"
#include "mapper/network/network_read.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	char path[FUZZ_PATH_SIZE];
	struct onnx_import import;
	struct err err = {0};
	enum err_code code = onnx_import_bytes("fuzz.onnx", data, n_byte, NULL, 0, &import, &err);
	fuzz_require((code == ERR_OK) == (err.n_message == 0), "a code that its messages do not bear out", &err);
	fuzz_require(is_printable(err_text(&err)), "a message with bytes that are not printable text", &err);
	if (code == ERR_OK && onnx_complain_unsupported(&import, &err) == ERR_OK) {
		struct network network, again;
		code = onnx_build(&import, &network, &err);
		if (code == ERR_OK) {
			FILE *file = fopen(fuzz_file((const uint8_t *)"", 0, path), "w");
			fuzz_require(file != NULL, "no file", NULL);
			onnx_write_yaml(&import, file);
			fuzz_require(fclose(file) == 0, "no room", NULL);
			fuzz_require(network_read_yaml(path, &again, &err) == ERR_OK, "the network that was written",
			             &err);
			fuzz_require(again.n_block == network.n_block, "other blocks than were written", NULL);
			network_free(&again);
		}
		network_free(&network);
	}
	onnx_import_free(&import);
	err_clear(&err);
	return 0;
}
