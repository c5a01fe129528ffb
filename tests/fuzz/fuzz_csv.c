/* SPDX-License-Identifier: Apache-2.0 */
/* CSV tables, from memory; every cell is asked for a number. */
#include "sim/base/csv.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	struct csv_table table;
	struct err err = {0};
	enum err_code code = csv_read_text("input", (const char *)data, n_byte, &table, &err);
	for (size_t row = 0; code == ERR_OK && row < table.n_row; row++) {
		for (size_t column = 0; column < table.n_column; column++) {
			struct err part = {0};
			double number = 0;
			const struct csv_cell *cell = csv_get_cell(&table, row, column);
			fuzz_require(csv_find_column(&table, table.header[column].text) == column, "columns", NULL);
			fuzz_answer(csv_get_real(&table, cell, "cell", -1e300, 1e300, &number, &part), &part);
		}
	}
	fuzz_answer(code, &err);
	csv_free(&table);
	return 0;
}
