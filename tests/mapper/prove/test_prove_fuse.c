/* SPDX-License-Identifier: Apache-2.0 */
/* Fused groups on data: random chains under random tiles are bit-exact, and a halo that is too narrow is found. */
#include "mapper/prove/prove_fuse.h"
#include "tests/support/draws.h"
#include "tests/support/random_chain.h"

#define SEED 23

static void run_serially(const struct prove_pool *pool, size_t n, void (*work)(void *context, size_t i), void *context)
{
	(void)pool;
	for (size_t i = 0; i < n; i++)
		work(context, i);
}

static const struct prove_pool serial = {run_serially, 1};

/* A tile of a group's result by chance. */
static void draw_tile(struct rng *rng, const struct fuse_group *group, uint32_t *w, uint32_t *h)
{
	const struct fuse_tensor *last = &group->tensor[group->n_border + group->n - 1];
	*w = 1 + rng_below(rng, last->w);
	*h = 1 + rng_below(rng, last->h);
}

static void test_random_chains_are_exact(void **state)
{
	uint32_t n_proved = 0, n_shortcut = 0;
	(void)state;
	for (uint32_t i = 0; i < draws(2000, 200); i++) {
		struct rng rng = rng_stream(SEED, 0, i);
		struct network network;
		struct fuse_group group;
		struct prove_fused result;
		uint32_t w, h;
		random_chain(&rng, 2 + rng_below(&rng, 3), 52, &network);
		if (fuse_group_make(&network, 0, (uint32_t)network.n_block, &group) == FUSE_OK) {
			draw_tile(&rng, &group, &w, &h);
			assert_int_equal(prove_fused_group(&group, w, h, 1 + rng_below(&rng, h), PROVE_FUSED_RIGHT, i,
			                                   &serial, &result),
			                 ERR_OK);
			if (!result.is_proved)
				fail_msg("chain %u, tile %ux%u: %llu values differ, %s", i, w, h,
				         (unsigned long long)result.n_different, result.fault);
			n_proved++;
			for (uint32_t m = 0; m < group.n; m++)
				n_shortcut += group.member[m].adds != FUSE_NONE;
		}
		network_free(&network);
	}
	assert_true(n_proved * 10 >= draws(2000, 200) * 9 && n_shortcut > 0);
}

/* The first block is a convolution whose windows overlap, so that a column of the halo, or a row that is kept, counts.
 */
static void check_found(enum prove_fused_mistake mistake)
{
	uint32_t n_found = 0;
	for (uint32_t i = 0; i < 40; i++) {
		struct rng rng = rng_stream(SEED, 1, i);
		struct network network;
		struct fuse_group group;
		struct prove_fused result;
		random_chain(&rng, 3, 24, &network);
		const struct block *first = &network.block[0];
		if (fuse_group_make(&network, 0, (uint32_t)network.n_block, &group) == FUSE_OK && first->stride == 1 &&
		    first->kernel_h > 1 && first->pool == 1) {
			assert_int_equal(prove_fused_group(&group, 2, 4, 1, mistake, i, &serial, &result), ERR_OK);
			assert_true(result.ran && !result.is_proved && result.n_fault > 0 && result.fault[0]);
			n_found++;
		}
		network_free(&network);
	}
	assert_true(n_found > 5);
}

static void test_a_narrow_halo_is_found(void **state)
{
	(void)state;
	check_found(PROVE_FUSED_NARROW);
}

static void test_a_forgotten_row_is_found(void **state)
{
	(void)state;
	check_found(PROVE_FUSED_FORGOTTEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_chains_are_exact),
	    cmocka_unit_test(test_a_narrow_halo_is_found),
	    cmocka_unit_test(test_a_forgotten_row_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
