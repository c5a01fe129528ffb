/* SPDX-License-Identifier: Apache-2.0 */
/* What is written is read back, and bytes that end too soon or lie are refused. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/base/pack.h"
#include "dse/pareto/pareto.h"
#include <math.h>
#include <string.h>
#include <sys/mman.h>

struct sample {
	uint64_t wide;
	uint32_t narrow[3];
	size_t size;
	bool flag;
	double real[2];
};

static void pack_sample(struct sample *sample, struct pack *pack)
{
	pack_u64(pack, &sample->wide);
	pack_u32s(pack, sample->narrow, 3);
	pack_size(pack, &sample->size);
	pack_bool(pack, &sample->flag);
	pack_reals(pack, sample->real, 2);
}

static void test_pack_reads_what_it_wrote(void **state)
{
	struct sample sample = {UINT64_MAX - 1, {1, 0, UINT32_MAX}, 7, true, {-0.0, INFINITY}}, found = {0};
	struct pack pack = {0};
	(void)state;
	pack_sample(&sample, &pack);
	assert_true(pack_done(&pack));
	assert_int_equal(pack.n, 8 + 12 + 8 + 1 + 16);
	/* little-endian whatever the machine is */
	assert_int_equal(pack.data[0], 0xfe);
	assert_int_equal(pack.data[8], 1);
	struct pack reader = pack_reader(pack.data, pack.n);
	pack_sample(&found, &reader);
	assert_true(pack_done(&reader));
	assert_true(found.wide == sample.wide && found.size == 7 && found.flag);
	assert_memory_equal(found.narrow, sample.narrow, sizeof(found.narrow));
	assert_memory_equal(found.real, sample.real, sizeof(found.real));
	pack_free(&pack);
}

static void test_pack_refuses_bytes_that_end_too_soon(void **state)
{
	struct sample sample = {1, {2, 3, 4}, 5, true, {6, 7}};
	struct pack pack = {0};
	(void)state;
	pack_sample(&sample, &pack);
	for (size_t n = 0; n < pack.n; n++) {
		struct sample found = {0};
		struct pack reader = pack_reader(pack.data, n);
		pack_sample(&found, &reader);
		assert_true(reader.failed && !pack_done(&reader));
		assert_true(found.real[1] == 0.0);
	}
	/* more than was asked for is wrong, too */
	struct pack longer = pack_reader(pack.data, pack.n);
	pack_u64(&longer, &sample.wide);
	assert_false(pack_done(&longer));
	pack_free(&pack);
}

static void test_pack_count_believes_no_length_that_does_not_fit(void **state)
{
	struct pack pack = {0};
	size_t n = SIZE_MAX / 2;
	(void)state;
	pack_size(&pack, &n);
	struct pack reader = pack_reader(pack.data, pack.n);
	n = 3;
	pack_count(&reader, &n, 8);
	assert_true(reader.failed);
	assert_int_equal(n, 3);
	pack_free(&pack);
}

/* Other threads may read what is being written: in memory that cannot be written every write would end the test. */
static void test_pack_writes_nothing_back(void **state)
{
	struct fields {
		struct sample sample;
		size_t count;
		struct engine_counts counts;
		struct pareto archive;
	};
	static const double objective[][2] = {{1, 5}, {2, 4}};
	static const uint32_t genome[][2] = {{0, 1}, {2, 0}}, n_value[] = {3, 2};
	struct pack pack = {0};
	struct pareto archive;
	(void)state;
	pareto_init(&archive, 2, 2);
	for (size_t i = 0; i < 2; i++)
		assert_true(pareto_insert(&archive, objective[i], genome[i], i));
	struct fields *fields = mmap(NULL, sizeof(*fields), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(fields, MAP_FAILED);
	*fields = (struct fields){.sample = {1, {2, 3, 4}, 5, true, {6, 7}}, .count = 8, .archive = archive};
	assert_int_equal(mprotect(fields, sizeof(*fields), PROT_READ), 0);
	pack_sample(&fields->sample, &pack);
	pack_count(&pack, &fields->count, 8);
	engine_counts_pack(&fields->counts, &pack);
	pareto_pack(&fields->archive, n_value, &pack);
	assert_true(pack_done(&pack));
	assert_int_equal(munmap(fields, sizeof(*fields)), 0);
	pareto_free(&archive);
	pack_free(&pack);
}

static void test_pack_keeps_an_archive(void **state)
{
	static const double objective[][3] = {{1, 5, 3}, {2, 4, 3}, {3, 3, 0.1}};
	static const uint32_t genome[][2] = {{0, 1}, {2, 0}, {1, 1}}, n_value[] = {3, 2}, too_few[] = {2, 2};
	struct pareto archive, found;
	struct pack pack = {0};
	(void)state;
	pareto_init(&archive, 3, 2);
	pareto_init(&found, 3, 2);
	for (size_t i = 0; i < 3; i++)
		assert_true(pareto_insert(&archive, objective[i], genome[i], 10 + i));
	pareto_pack(&archive, n_value, &pack);
	struct pack reader = pack_reader(pack.data, pack.n);
	pareto_pack(&found, n_value, &reader);
	assert_true(pack_done(&reader));
	assert_int_equal(found.n, 3);
	assert_memory_equal(found.objective, objective, sizeof(objective));
	assert_memory_equal(found.genome, genome, sizeof(genome));
	assert_int_equal(found.tag[2], 12);
	/* the archive that was read goes on like any other */
	assert_true(pareto_insert(&found, (const double[]){0, 0, 0}, genome[0], 0));
	assert_int_equal(found.n, 1);
	/* a gene that the problem does not have is refused, and the archive stays empty */
	pareto_free(&found);
	reader = pack_reader(pack.data, pack.n);
	pareto_pack(&found, too_few, &reader);
	assert_true(reader.failed);
	assert_int_equal(found.n, 0);
	pareto_free(&found);
	pareto_free(&archive);
	pack_free(&pack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pack_reads_what_it_wrote),
	    cmocka_unit_test(test_pack_refuses_bytes_that_end_too_soon),
	    cmocka_unit_test(test_pack_count_believes_no_length_that_does_not_fit),
	    cmocka_unit_test(test_pack_writes_nothing_back),
	    cmocka_unit_test(test_pack_keeps_an_archive),
	};
	return cmocka_run_group_tests_name("pack", tests, NULL, NULL);
}
