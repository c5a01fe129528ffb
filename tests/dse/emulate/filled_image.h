/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FILLED_IMAGE_H
#define TESTS_FILLED_IMAGE_H
/* From a network to the bytes of its image, filled with generated weights. */
#include "tests/support/unit_test.h"
#include "dse/schedule/dram_image.h"
#include "mapper/octopus/octopus_fill.h"
#include <stdlib.h>

struct filled_image {
	struct network network;
	struct octopus_graph graph;
	struct quantise_float model;
	struct quantise_network quant;
	struct octopus_dram dram;
	struct pack image;
};

/* Weights by seed and scales on n_input generated inputs; false: there are none for this network. */
static inline bool filled_quantise(struct filled_image *filled, uint64_t seed, size_t n_input)
{
	struct err err = {0};
	bool good = quantise_check(&filled->network, &err) == ERR_OK;
	if (good) {
		size_t n = quantise_n_input(&filled->network);
		float *input = malloc(n * n_input * sizeof(*input));
		assert_non_null(input);
		quantise_generate_inputs(&filled->network, seed, n_input, input);
		assert_int_equal(quantise_generate(&filled->network, seed, &filled->model, &err), ERR_OK);
		good = quantise_calibrate(&filled->model, input, n_input, &filled->quant, &err) == ERR_OK;
		free(input);
	}
	err_clear(&err);
	return good;
}

/* Plan and write the image of a graph that is cut. */
static inline void filled_write(struct filled_image *filled, const struct machine *machine)
{
	struct octopus_memory memory;
	struct err err = {0};
	if (octopus_dram_plan(&filled->graph, machine, OCTOPUS_DRAM_BYTE, &filled->dram, &memory, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_int_equal(octopus_fill(&filled->graph, &filled->quant, machine, &filled->dram, &err), ERR_OK);
	dram_image_write(&filled->dram, &filled->image);
}

static inline void filled_drop(struct filled_image *filled)
{
	pack_free(&filled->image);
	octopus_dram_free(&filled->dram);
	quantise_free(&filled->quant);
	quantise_float_free(&filled->model);
	octopus_free(&filled->graph);
	network_free(&filled->network);
}

#endif
