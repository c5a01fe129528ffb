/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a mapping costs, layer by layer, as CSV: how a program of yours uses libdse. C and C++ alike.
 *
 *   cc evaluate.c $(pkg-config --cflags --libs dse) -o evaluate
 *   ./evaluate mapping.yaml                              a mapping, as `dse map` writes it
 *   ./evaluate dvfs_chip vgg16                           designs by the thesis' rules
 *   ./evaluate dvfs_chip vgg16 pe.sram_byte=65536        with other machine parameters
 */
#include <dse.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print(const struct dse_figures *figures)
{
	printf("%s,%s,%" PRIu64 ",%" PRIu64 ",%.17g,%.17g,%.0f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.17g,%.17g\n",
	       figures->name, figures->verdict, figures->total_clk, figures->core_clk, figures->latency_ms,
	       figures->energy_mj, figures->mac, figures->dram_read_byte, figures->dram_write_byte, figures->sram_byte,
	       figures->sram_used_frac, figures->mac_util_frac);
}

/* KEY=VALUE: a parameter of the machine. */
static enum dse_code set(struct dse *dse, const char *text)
{
	char key[64];
	const char *value = strchr(text, '=');
	size_t n = value ? (size_t)(value - text) : sizeof(key);
	if (n >= sizeof(key)) {
		fprintf(stderr, "evaluate: '%s' is not KEY=VALUE\n", text);
		return DSE_USAGE;
	}
	memcpy(key, text, n);
	key[n] = '\0';
	return dse_set(dse, key, value + 1);
}

/* Read what is to be evaluated and map it. */
static enum dse_code prepare(struct dse *dse, int argc, char **argv)
{
	if (argc == 2)
		return dse_open_mapping(dse, argv[1]);
	enum dse_code code = dse_open(dse, argv[1], argv[2]);
	for (int i = 3; i < argc && code == DSE_OK; i++)
		code = set(dse, argv[i]);
	return code == DSE_OK ? dse_map(dse, NULL, NULL) : code;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: %s MAPPING.yaml | MACHINE NETWORK [KEY=VALUE...]\n", argv[0]);
		return DSE_USAGE;
	}
	struct dse *dse = dse_new();
	if (!dse)
		return DSE_INTERNAL;
	enum dse_code code = prepare(dse, argc, argv);
	if (code == DSE_OK)
		code = dse_evaluate(dse, "fast");
	/* Where a layer cannot run, the others' figures are there all the same. */
	if (dse_total(dse)) {
		puts("layer,verdict,total_clk,core_clk,latency_ms,energy_mj,mac,dram_read_byte,dram_write_byte,"
		     "sram_byte,sram_used_frac,mac_util_frac");
		for (size_t i = 0; i < dse_n_layer(dse); i++)
			print(dse_layer(dse, i));
		print(dse_total(dse));
	}
	fputs(dse_message(dse), stderr);
	dse_free(dse);
	return (int)code;
}
