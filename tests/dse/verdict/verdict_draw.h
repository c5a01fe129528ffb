/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_VERDICT_DRAW_H
#define TESTS_VERDICT_DRAW_H
/* Random spaces of a few machines, as text: of all of them, or of one by itself. */
#include "sim/base/rng.h"
#include "tests/dse/verdict/verdict_truth.h"
#include "tests/support/random_network.h"
#include "tests/support/space_folder.h"
#include <stdio.h>

static const struct axis chip_axis[] = {{"mla.array", 3, {"16x4", "8x4", "16x2"}},
                                        {"pe.sram_byte", 2, {"65536", "16384"}},
                                        {"noc.clk_mhz", 2, {"500", "200"}}},
			 systolic_axis[] = {{"systolic.array", 2, {"8x8", "16x4"}},
                                            {"systolic.filter_byte", 3, {"4096", "65536", "2048"}},
                                            {"systolic.memory_gb_s", 2, {"6.4", "0.8"}}};

static inline void draw_objectives(struct rng *rng, struct drawn *drawn)
{
	static const char *const scaled[] = {"latency_ms", "energy_mj", "dram_byte"}, *const size[] = {"mac_units",
	                                                                                               "sram_byte"};
	unsigned n_scaled = 1 + rng_below(rng, 3), first = rng_below(rng, 3), n_size = rng_below(rng, 3);
	int n = 0;
	for (unsigned i = 0; i < n_scaled; i++) {
		drawn->has_latency |= (first + i) % 3 == 0;
		n += snprintf(drawn->objectives + n, sizeof(drawn->objectives) - (size_t)n, "%s%s", i ? ", " : "",
		              scaled[(first + i) % 3]);
		drawn->is_scaled[drawn->n_objective++] = true;
	}
	for (unsigned i = 0; i < n_size && drawn->n_objective < SPACE_MAX_OBJECTIVE; i++) {
		n += snprintf(drawn->objectives + n, sizeof(drawn->objectives) - (size_t)n, ", %s", size[i]);
		drawn->n_objective++;
	}
}

/* For prices: chips alone, without a deadline, and half of them with splits in parts of two sizes. */
static inline void draw(struct rng *rng, bool for_prices, struct drawn *drawn)
{
	static const char *const machine[] = {"dvfs_chip", "final_chip", "thesis_qpe_dram"};
	static const char *const dimension[] = {"width", "height", "out_channels"};
	static const char *const deadline[] = {"0.05", "0.2", "1", "100"};
	bool is_systolic = rng_below(rng, 4) == 0 && !for_prices;
	char network[TEXT];
	*drawn = (struct drawn){.n_machine = 1};
	random_network(rng, 2, network, TEXT, &drawn->n_layer);
	folder_write("random.yaml", network, "");
	(void)snprintf(drawn->machine, sizeof(drawn->machine), "%s",
	               is_systolic ? "edge_tpu" : machine[rng_below(rng, 3)]);
	(void)snprintf(drawn->layers, TEXT,
	               "layers:\n  - match: '.*'\n    split: whole\n%s    strategy: [%s]\n"
	               "  - match: '_(SC_)?[1-2]$'\n    split: {%s: {max_parts: %u%s}}\n",
	               is_systolic ? "" : "    conv_1x1: conv\n",
	               is_systolic         ? "output_stationary, weight_stationary"
	               : rng_below(rng, 2) ? "fusion, fusion_reuse"
	                                   : "fusion",
	               dimension[is_systolic ? 1 : rng_below(rng, 3)], 2 + rng_below(rng, 2),
	               for_prices && rng_below(rng, 2) ? "" : ", choose: even");
	const struct axis *all = is_systolic ? systolic_axis : chip_axis;
	for (unsigned i = 0; i < MAX_AXIS; i++) {
		if (i > 0 && rng_below(rng, 3) == 0)
			continue;
		drawn->axis[drawn->n_axis] = all[i];
		drawn->axis[drawn->n_axis].n = 2 + rng_below(rng, all[i].n - 1);
		drawn->n_machine *= drawn->axis[drawn->n_axis++].n;
	}
	assert_true(drawn->n_machine <= MAX_MACHINE);
	draw_objectives(rng, drawn);
	if (rng_below(rng, 2))
		(void)snprintf(drawn->more, sizeof(drawn->more), "search: {max_front: %u}\n", 2 + rng_below(rng, 30));
	if (rng_below(rng, 4) == 0 && !for_prices)
		(void)snprintf(drawn->deadline, sizeof(drawn->deadline), "deadline_ms: %s\n",
		               deadline[rng_below(rng, 4)]);
}

/* space.yaml of all machines (-1), or of one, which is counted with the last axis fastest. */
static inline void write_space(const struct drawn *drawn, int only, const char *more)
{
	char text[4 * TEXT];
	unsigned rest = only < 0 ? 0 : (unsigned)only, at[MAX_AXIS] = {0};
	int n =
	    snprintf(text, sizeof(text), "name: random\nmachine: %s\nnetwork: random.yaml\naxes:\n", drawn->machine);
	for (unsigned i = drawn->n_axis; i-- > 0; rest /= drawn->axis[i].n)
		at[i] = rest % drawn->axis[i].n;
	for (unsigned i = 0; i < drawn->n_axis; i++) {
		n += snprintf(text + n, sizeof(text) - (size_t)n, "  %s: [", drawn->axis[i].key);
		for (unsigned k = 0; k < drawn->axis[i].n; k++)
			if (only < 0 || k == at[i])
				n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s", only < 0 && k > 0 ? ", " : "",
				              drawn->axis[i].value[k]);
		n += snprintf(text + n, sizeof(text) - (size_t)n, "]\n");
	}
	(void)snprintf(text + n, sizeof(text) - (size_t)n, "%s%sobjectives: [%s]\n%s", drawn->layers, drawn->deadline,
	               drawn->objectives, more);
	folder_write("space.yaml", text, "");
}

#endif
