/* SPDX-License-Identifier: Apache-2.0 */
/* Machine parameters from text: the first byte chooses one; what can be read is printed and read back equal. */
#include "sim/machine/machine.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	struct machine machine;
	struct err err = {0};
	char printed[64];
	if (n_byte == 0)
		return 0;
	const struct machine_param *param = &machine_param[data[0] % machine_n_param];
	char *text = fuzz_text(data + 1, n_byte - 1);
	machine_init(&machine, MACHINE_CHIP);
	enum err_code code = machine_set_param(&machine, param, text, &err);
	if (code == ERR_OK) {
		struct machine again = machine;
		(void)machine_print_param(&machine, param, printed, sizeof(printed));
		fuzz_require(machine_set_param(&again, param, printed, &err) == ERR_OK, printed, &err);
		fuzz_require(memcmp(&machine, &again, sizeof(machine)) == 0, printed, NULL);
	}
	fuzz_require(code == ERR_OK || (code == ERR_INPUT && is_printable(err_text(&err))), "machine_set_param", &err);
	err_clear(&err);
	free(text);
	return 0;
}
