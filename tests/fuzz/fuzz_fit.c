/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements: read, fitted where they are few, and written down in every form. */
#include "dse/fit/fit.h"
#include "dse/space/machine_read.h"
#include "tests/fuzz/fuzz.h"
#include <math.h>

/* More would be left out one by one for longer than a fuzzer waits. */
#define MAX_FUZZ_POINT 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	static const struct fit_options options = {.parameters = NULL};
	char path[FUZZ_PATH_SIZE];
	struct arena arena = {0};
	struct machine machine;
	struct machine_sources sources;
	struct fit_data table;
	struct fit_result result = {0};
	struct err err = {0};
	fuzz_require(machine_read_sources("spaces/machines/dvfs_chip.yaml", &machine, &sources, &arena, &err) == ERR_OK,
	             "machine_read_sources", &err);
	enum err_code code = fit_read(fuzz_file(data, n_byte, path), &machine, &options, &table, &err);
	if (code == ERR_OK && table.n_point <= MAX_FUZZ_POINT) {
		code = fit_run(&table, &options, &result, &err);
		FILE *sink = fopen("/dev/null", "w");
		fuzz_require(sink, "no /dev/null", NULL);
		if (code == ERR_OK) {
			fit_print(sink, &table, &result, true);
			fit_put_json(sink, &table, &result);
			fit_write_fragment(sink, &table, &result, &sources);
		}
		(void)fclose(sink);
	}
	for (size_t i = 0; code == ERR_OK && i < result.n_group; i++)
		for (size_t k = 0; k < result.group[i].n_param; k++)
			fuzz_require(isfinite(result.group[i].param[k].value) && result.group[i].param[k].value >= 0,
			             "an estimate that is no number or below 0", NULL);
	fuzz_answer(code, &err);
	fit_free(&table);
	arena_free(&arena);
	return 0;
}
