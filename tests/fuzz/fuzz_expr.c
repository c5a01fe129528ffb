/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of spaces, over parameters and metrics. */
#include "dse/space/expr.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	static const char *const name[] = {"mla.array", "chip.n_dram", "latency_ms", "energy_mj"};
	static const char *const unit[] = {"COLUMNSxROWS", NULL, "ms", "mJ"};
	static const double value[] = {64, 4, 43.5, 0};
	struct arena arena = {0};
	struct err err = {0};
	char *text = fuzz_text(data, n_byte);
	struct expr *expr = expr_parse(text, (struct err_place){"input", 1, 1}, name, unit, 4, &arena, &err);
	if (expr) {
		size_t index = 0;
		double max, result = expr_value(expr, value);
		bool used = false;
		for (size_t i = 0; i < 4; i++)
			used |= expr_uses(expr, i);
		if (expr_is_condition(expr))
			fuzz_require(!(result < 0) && !(result > 0 && result < 1) && !(result > 1), text, NULL);
		if (expr_upper_limit(expr, &index, &max))
			fuzz_require(index < 4 && used, text, NULL);
	}
	fuzz_answer(expr ? ERR_OK : ERR_INPUT, &err);
	arena_free(&arena);
	free(text);
	return 0;
}
