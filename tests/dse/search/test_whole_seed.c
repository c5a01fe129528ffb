/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/layer/layer_problem.h"
#include "dse/search/whole.h"
#include "dse/search/whole_seed.h"
#include "tests/support/unit_test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_ROW = 12, N_PROPOSAL = 64 };

struct fixture {
	struct space space;
	struct layer_map map;
	struct layer_set *set;
	struct whole whole;
	struct whole_scratch scratch;
	size_t stride;
	uint32_t *genome; /* [N_ROW][stride] */
};

static void set_up(struct fixture *f)
{
	struct err err = {0};
	char why[EXPLORE_TEXT_SIZE];
	assert_int_equal(space_read("spaces/bench/net_resnet50_stage_3.yaml", &f->space, &err), ERR_OK);
	f->space.engine = engine_nsga2.name;
	assert_int_equal(layer_map_build(&f->space, &f->map, &err), ERR_OK);
	assert_int_equal(layer_set_build(&f->space, &f->map, 0, &f->set, why, sizeof(why), &err), ERR_OK);
	assert_non_null(f->set);
	assert_int_equal(whole_init(&f->space, &f->map, &f->whole, &err), ERR_OK);
	assert_true(whole_scratch_alloc(&f->scratch, &f->map));
	f->stride = f->map.n_block * N_LAYER_GENE + 3;
	f->genome = calloc(N_ROW * f->stride, sizeof(*f->genome));
	assert_non_null(f->genome);
	bool was_stopped = false;
	assert_int_equal(whole_seed(f->set, N_ROW, f->genome, f->stride, &was_stopped), N_ROW);
	assert_false(was_stopped);
}

static void tear_down(struct fixture *f)
{
	free(f->genome);
	whole_scratch_free(&f->scratch);
	whole_free(&f->whole);
	layer_set_free(f->set);
	layer_map_free(&f->map);
	space_free(&f->space);
}

static void price(struct fixture *f, const uint32_t *gene, double *metric)
{
	struct evaluation out = {0};
	f->scratch.canonical[0] = 0;
	memcpy(f->scratch.canonical + 1, gene, f->map.n_block * N_LAYER_GENE * sizeof(*gene));
	memset(metric, 0, N_METRIC * sizeof(*metric));
	whole_evaluate(&f->whole, f->set, &f->scratch, metric, &out);
	assert_true(out.violation == 0.0);
}

/* Every row is a design that runs; of two the first asks for storage QPEs, else they are the same; nothing beyond. */
static void test_whole_seed_rows_are_designs(void **state)
{
	struct fixture f;
	double metric[N_METRIC];
	size_t n_differ = 0;
	(void)state;
	set_up(&f);
	for (size_t row = 0; row < N_ROW; row++) {
		const uint32_t *genome = f.genome + row * f.stride;
		for (size_t i = 0; i < f.map.n_block * N_LAYER_GENE; i++) {
			const struct layer_problem *layer = &f.set->problem[f.map.distinct[i / N_LAYER_GENE]];
			size_t gene = i % N_LAYER_GENE;
			assert_true(genome[i] < (gene == GENE_PLACE ? 2 : layer->n_value[gene]));
			if (row % 2 == 1 && gene == GENE_PLACE)
				assert_int_equal(genome[i], 0);
			else if (row % 2 == 1)
				assert_int_equal(genome[i], (genome - f.stride)[i]);
			n_differ += row > 0 && genome[i] != f.genome[i];
		}
		for (size_t i = f.map.n_block * N_LAYER_GENE; i < f.stride; i++)
			assert_int_equal(genome[i], 0);
		price(&f, genome, metric);
	}
	assert_true(n_differ > 0);
	tear_down(&f);
}

/* Row 1 goes for the first metric, row 3 for the second: no uniform choice of proposals is better, all in DRAM. */
static void test_whole_seed_beats_the_proposals_it_comes_from(void **state)
{
	struct fixture f;
	(void)state;
	set_up(&f);
	for (unsigned which = 0; which < 2 && which < f.set->problem[0].n_metric; which++) {
		enum metric goal = f.set->problem[0].metric[which];
		double seeded[N_METRIC], least = 0.0;
		price(&f, f.genome + (1 + 2 * which) * f.stride, seeded);
		for (size_t block = 0; block < f.map.n_block; block++) {
			const struct layer_problem *layer = &f.set->problem[f.map.distinct[block]];
			uint32_t proposal[N_PROPOSAL * N_LAYER_GENE];
			struct evaluation result[N_PROPOSAL];
			double best = INFINITY;
			size_t n = layer->problem.propose(layer, proposal, N_PROPOSAL);
			for (size_t i = 0; i < n; i++)
				proposal[i * N_LAYER_GENE + GENE_PLACE] = 0;
			layer->problem.evaluate(layer->problem.context, proposal, n, result);
			for (size_t i = 0; i < n; i++)
				if (result[i].violation == 0.0)
					best = fmin(best, result[i].objective[which]);
			least += best;
		}
		/* by the walk downhill from the best of them, on splits that nobody proposes */
		assert_true(seeded[goal] <= least * 0.95);
	}
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_whole_seed_rows_are_designs),
	    cmocka_unit_test(test_whole_seed_beats_the_proposals_it_comes_from),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
