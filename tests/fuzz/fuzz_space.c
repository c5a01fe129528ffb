/* SPDX-License-Identifier: Apache-2.0 */
/* Spaces, with the shipped machines and networks beside them; of one that is right, designs picked at random run. */
#include "dse/layer/layers.h"
#include "dse/space/space_machine.h"
#include "sim/base/rng.h"
#include "tests/fuzz/fuzz.h"

#define N_BATCH 16
#define N_MACHINE 3

/* Designs of every distinct layer. A QPE's list of all splits may be refused: that is an answer, too. */
static void evaluate(const struct space *space, const struct layer_map *map, uint32_t machine)
{
	struct layer_set *set;
	struct err err = {0};
	char why[200];
	struct rng rng = rng_stream(1, machine, 0);
	enum err_code code = layer_set_build(space, map, machine, &set, why, sizeof(why), &err);
	for (size_t i = 0; code == ERR_OK && set && i < set->n_problem; i++) {
		const struct layer_problem *layer = &set->problem[i];
		uint32_t genome[N_BATCH * N_LAYER_GENE];
		struct evaluation result[N_BATCH];
		for (size_t k = 0; k < N_BATCH * N_LAYER_GENE; k++)
			genome[k] = rng_below(&rng, layer->n_value[k % N_LAYER_GENE]);
		layer->problem.evaluate(layer->problem.context, genome, N_BATCH, result);
	}
	fuzz_require(code == ERR_OK || code == ERR_INPUT, "layer_set_build", &err);
	if (code == ERR_OK && set)
		layer_set_free(set);
	err_clear(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_byte)
{
	char path[FUZZ_PATH_SIZE];
	struct space space;
	struct layer_map map;
	struct err err = {0};
	enum err_code code = space_read(fuzz_file(data, n_byte, path), &space, &err);
	if (code == ERR_OK) {
		uint64_t n_machine = space_n_machine(&space);
		fuzz_require(layer_map_build(&space, &map, &err) == ERR_OK, "layer_map_build", &err);
		for (uint32_t i = 0; i < N_MACHINE && i < n_machine; i++)
			evaluate(&space, &map, i);
		layer_map_free(&map);
	}
	fuzz_answer(code, &err);
	space_free(&space);
	return 0;
}
