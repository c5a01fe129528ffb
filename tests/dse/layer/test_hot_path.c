/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inner loops allocate nothing: calls of the allocator are
 * counted while layers are searched. Evaluations make none; a
 * search makes some at its beginning and as its front grows, however many boxes
 * it opens.
 */

#include "tests/support/unit_test.h"

#include "dse/layer/branch.h"
#include "dse/search/candidate.h"
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS_CALLS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COUNTS_CALLS 0
#endif
#endif
#if !defined(COUNTS_CALLS) && defined(__GLIBC__)
#define COUNTS_CALLS 1
#elif !defined(COUNTS_CALLS)
#define COUNTS_CALLS 0
#endif

static atomic_uint_fast64_t n_call;

#if COUNTS_CALLS
/* glibc's own names; a sanitizer brings its own allocator. */
void *__libc_malloc(size_t n_byte);
void *__libc_calloc(size_t n, size_t n_byte);
void *__libc_realloc(void *old, size_t n_byte);

void *malloc(size_t n_byte)
{
	atomic_fetch_add(&n_call, 1);
	return __libc_malloc(n_byte);
}

void *calloc(size_t n, size_t n_byte)
{
	atomic_fetch_add(&n_call, 1);
	return __libc_calloc(n, n_byte);
}

void *realloc(void *old, size_t n_byte)
{
	atomic_fetch_add(&n_call, 1);
	return __libc_realloc(old, n_byte);
}
#endif

struct fixture {
	struct space space;
	struct layer_map map;
	struct candidate candidate;
};

static void read_fixture(const char *path, struct fixture *f)
{
	struct err err = {0};
	struct layer_set *set = NULL;
	char why[256];
	if (space_read(path, &f->space, &err) != ERR_OK || layer_map_build(&f->space, &f->map, &err) != ERR_OK ||
	    layer_set_build(&f->space, &f->map, 0, &set, why, sizeof(why), &err) != ERR_OK || !set ||
	    candidate_init(&f->space, set, &f->candidate, &err) != ERR_OK)
		fail_msg("%s: %s", path, err_text(&err));
}

static void free_fixture(struct fixture *f)
{
	candidate_free(&f->candidate);
	layer_map_free(&f->map);
	space_free(&f->space);
}

static void test_hot_path_counts_calls(void **state)
{
	(void)state;
	uint64_t before = atomic_load(&n_call);
	void *volatile block = malloc(1);
	free(block);
	assert_int_equal(atomic_load(&n_call) - before, COUNTS_CALLS);
}

static void evaluate_many(const struct layer_problem *layer, uint32_t *n_feasible)
{
	uint32_t genome[N_LAYER_GENE] = {0};
	for (uint32_t i = 0; i < 20000; i++) {
		struct evaluation result;
		for (size_t k = 0; k < N_LAYER_GENE; k++)
			genome[k] = (i * 7919U + (uint32_t)k * 104729U) % layer->n_value[k];
		layer_problem_evaluate(layer, genome, 1, &result);
		*n_feasible += result.violation == 0;
	}
}

static void test_hot_path_evaluation_allocates_nothing(void **state)
{
	(void)state;
	struct fixture f;
	read_fixture("spaces/bench/vgg16_conv_8.yaml", &f);
	const struct layer_problem *layer = &f.candidate.task[0].layer;
	uint32_t n_feasible = 0;
	evaluate_many(layer, &n_feasible); /* paths of transfers are worked out once */
	uint64_t before = atomic_load(&n_call);
	evaluate_many(layer, &n_feasible);
	assert_int_equal(atomic_load(&n_call), before);
	assert_true(n_feasible > 100);
	free_fixture(&f);
}

static uint64_t search_one(unsigned n_thread, struct branch_counts *counts)
{
	struct fixture f;
	read_fixture("spaces/bench/vgg16_conv_1.yaml", &f);
	struct candidate_task *task = &f.candidate.task[0];
	uint64_t before = atomic_load(&n_call);
	assert_int_equal(
	    branch_search(&task->layer, NULL, n_thread, &task->front, counts, &task->nearest, NULL, NULL, NULL, NULL),
	    ERR_OK);
	uint64_t n = atomic_load(&n_call) - before;
	free_fixture(&f);
	return n;
}

/* Threads: what starts and feeds them is the OpenMP library's, some calls a round. Paths and meetings on a chip are
 * worked out once, by the first search. */
static void test_hot_path_search_allocates_by_rounds(void **state)
{
	struct branch_counts counts;
	(void)state;
	(void)search_one(1, &counts);
	for (unsigned n_thread = 1; n_thread <= 2; n_thread++) {
		uint64_t n = search_one(n_thread, &counts);
		print_message("%u threads: %llu boxes, %llu calls of the allocator\n", n_thread,
		              (unsigned long long)counts.n_box, (unsigned long long)n);
		assert_true(n * 50 < counts.n_box);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_hot_path_counts_calls),
	    cmocka_unit_test(test_hot_path_evaluation_allocates_nothing),
	    cmocka_unit_test(test_hot_path_search_allocates_by_rounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
