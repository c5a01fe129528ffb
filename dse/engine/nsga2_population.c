/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/engine/nsga2_population.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool nsga2_population_init(struct nsga2_population *population, uint32_t size, size_t genome_byte, unsigned n_objective)
{
	size_t n = 2 * (size_t)size;
	*population = (struct nsga2_population){.size = size, .genome_byte = genome_byte};
	if (size == 0 || n >= UINT32_MAX)
		return false;
	(void)nsga2_sort_init(&population->sort, n, n_objective);
	struct arena *arena = &population->sort.memory.arena;
	population->genome = arena_array(arena, n, genome_byte);
	population->new_genome = arena_array(arena, n, genome_byte);
	population->result = arena_array(arena, n, sizeof(*population->result));
	population->new_result = arena_array(arena, n, sizeof(*population->new_result));
	return !arena->is_out;
}

void nsga2_population_free(struct nsga2_population *population)
{
	nsga2_sort_free(&population->sort);
	*population = (struct nsga2_population){0};
}

void nsga2_population_add(struct nsga2_population *population, const void *genome, const struct evaluation *result,
                          size_t n)
{
	size_t at = (size_t)population->n_parent + population->n_child;
	assert(population->n_child + n <= population->size && at + n <= 2 * (size_t)population->size);
	memcpy(population->genome + at * population->genome_byte, genome, n * population->genome_byte);
	memcpy(population->result + at, result, n * sizeof(*result));
	population->n_child += (uint32_t)n;
}

void nsga2_population_select(struct nsga2_population *population)
{
	size_t n = (size_t)population->n_parent + population->n_child, byte = population->genome_byte;
	size_t n_chosen = n < population->size ? n : population->size;
	const uint32_t *order = nsga2_sort_run(&population->sort, population->result, n);
	assert(n_chosen >= 1);
	for (size_t i = 0; i < n_chosen; i++) {
		assert(order[i] < n);
		population->new_result[i] = population->result[order[i]];
		memcpy(population->new_genome + i * byte, population->genome + order[i] * byte, byte);
	}
	unsigned char *genome = population->genome;
	population->genome = population->new_genome;
	population->new_genome = genome;
	struct evaluation *result = population->result;
	population->result = population->new_result;
	population->new_result = result;
	population->n_parent = (uint32_t)n_chosen;
	population->n_child = 0;
}

/* Parents are sorted, so the better one is the one that stands earlier. */
const void *nsga2_population_choose(const struct nsga2_population *population, struct rng *rng)
{
	uint32_t a = rng_below(rng, population->n_parent), b = rng_below(rng, population->n_parent);
	return population->genome + (a < b ? a : b) * population->genome_byte;
}

/* Whole individuals: bytes of both kinds of genome, as this machine has them, and their results. */
void nsga2_population_pack(struct nsga2_population *population, struct pack *pack)
{
	uint32_t n_parent = population->n_parent, n_child = population->n_child;
	pack_u32(pack, &n_parent);
	pack_u32(pack, &n_child);
	if (pack_refuse(pack, n_parent > population->size || n_child > population->size))
		return;
	if (pack->is_reading) {
		population->n_parent = n_parent;
		population->n_child = n_child;
	}
	size_t n = (size_t)n_parent + n_child;
	pack_bytes(pack, population->genome, n * population->genome_byte);
	problem_pack_results(population->result, n, pack);
}
