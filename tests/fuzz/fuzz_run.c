/* SPDX-License-Identifier: Apache-2.0 */
/* What a run has left, through dse report: bytes as its run.json, or as its front.json, the other one as it was. */
#include "tests/fuzz/fuzz.h"

static char run[FUZZ_PATH_SIZE];

static void copy(const char *name, const uint8_t *data, size_t n_byte)
{
	static uint8_t kept[2][1 << 16];
	static size_t n_kept[2];
	char path[FUZZ_PATH_SIZE];
	int which = name[0] == 'f';
	(void)snprintf(path, sizeof(path), "%.200s/%s", run, name);
	if (n_kept[which] == 0) {
		FILE *file = fopen(path, "rb");
		fuzz_require(file != NULL, path, NULL);
		n_kept[which] = fread(kept[which], 1, sizeof(kept[which]), file);
		(void)fclose(file);
	}
	fuzz_write(path, data ? data : kept[which], data ? n_byte : n_kept[which]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	char out[FUZZ_PATH_SIZE];
	if (!run[0]) {
		(void)FUZZ_COMMAND("explore", "spaces/smoke.yaml", "-q", "-j1", "--store", "none", "--detail", "fast",
		                   "-o", fuzz_folder("run", out));
		fuzz_run_file(out, "", run);
	}
	bool is_front = n_byte > 0 && data[0] == 'F';
	copy("run.json", NULL, 0);
	copy("front.json", NULL, 0);
	if (n_byte > 0)
		copy(is_front ? "front.json" : "run.json", data + is_front, n_byte - is_front);
	(void)FUZZ_COMMAND("report", run, "--json", "-j1", "--store", "none");
	(void)FUZZ_COMMAND("compare", run, run, "--store", "none");
	return 0;
}
