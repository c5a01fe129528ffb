/* SPDX-License-Identifier: Apache-2.0 */
/* A least that is remembered is that of the layer at hand, by trying every design at every size of SRAM. */
#include "tests/support/random_layer.h"

#include "dse/search/least_memory.h"
#include <math.h>

#define N_LAYER 60

static const uint32_t sram_byte[] = {1024, 2048, 3072, 4096, 6144, 8192, 16384, 65536};
enum { N_SRAM = sizeof(sram_byte) / sizeof(sram_byte[0]) };

struct tally {
	uint32_t n_known, n_changed, n_more;
};

static void try_sram(const struct least_memory *memory, const struct random_layer *noted, uint32_t byte,
                     struct tally *tally)
{
	struct random_layer other = *noted;
	struct pareto front;
	double known, wanted;
	other.machine.pe_sram_byte = byte;
	if (!random_layer_build(&other, 0))
		return;
	random_layer_front(&other.layer, &front);
	double least = front.n > 0 ? front.objective[0] : INFINITY;
	if (least_memory_find(memory, &other.layer, &known)) {
		assert_true(!(known < least) && !(known > least));
		tally->n_known += byte < noted->machine.pe_sram_byte;
	} else if (least_memory_find(memory, &noted->layer, &wanted)) {
		tally->n_changed += (least < wanted || least > wanted) && byte < noted->machine.pe_sram_byte;
		tally->n_more += byte > noted->machine.pe_sram_byte;
	}
	pareto_free(&front);
	layer_problem_free(&other.layer);
}

static void test_least_memory_knows_what_a_search_would_find(void **state)
{
	static const enum metric metric[] = {METRIC_LATENCY, METRIC_ENERGY, METRIC_DRAM};
	struct tally tally = {0};
	(void)state;
	for (uint32_t i = 0; i < N_LAYER; i++) {
		struct rng rng = rng_stream(34, 0, i);
		struct random_layer own;
		struct pareto front;
		double known;
		(void)random_layer_fill(&rng, &own);
		layer_problem_free(&own.layer);
		own.space.n_objective = 1;
		own.space.objective[0] = metric[rng_below(&rng, 3)];
		own.space.deadline_ms = 0;
		own.space.n_limit = 0;
		own.choice.thesis_split = false;
		own.machine.pe_sram_byte = sram_byte[4 + rng_below(&rng, 4)];
		if (!random_layer_build(&own, 0))
			continue;
		struct least_memory *memory = least_memory_new();
		random_layer_front(&own.layer, &front);
		assert_false(least_memory_find(memory, &own.layer, &known));
		least_memory_note(memory, &own.layer, &front);
		for (size_t k = 0; k < N_SRAM; k++)
			try_sram(memory, &own, sram_byte[k], &tally);
		pareto_free(&front);
		layer_problem_free(&own.layer);
		least_memory_free(memory);
	}
	print_message("%u known with less SRAM, %u changed by it, %u not known with more\n", tally.n_known,
	              tally.n_changed, tally.n_more);
	assert_true(tally.n_known > 20 && tally.n_changed > 10 && tally.n_more > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_least_memory_knows_what_a_search_would_find)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
