/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of an exhaustive search: any number of parts finds what one search finds, and each accounts for its range. */
#include "tests/support/unit_test.h"

#include "dse/search/flat_part.h"
#include "dse/engine/engine_run.h"
#include "dse/keep/journal.h"
#include <math.h>
#include <string.h>

enum { N_GENE = 4, N_REASON = 3 };
static const uint32_t n_value[N_GENE] = {3, 4, 5, 7};

/* Two objectives with ties; candidates of the second gene's third value, or of the first's second, die as a kind. */
static void evaluate(const void *context, const uint32_t *genome, size_t n, struct evaluation *out)
{
	(void)context;
	for (size_t i = 0; i < n; i++, genome += N_GENE) {
		out[i] = (struct evaluation){0};
		if (genome[0] == 1)
			out[i] = (struct evaluation){.violation = 2.0 - 0.1 * genome[3], .reason = 1, .n_cut = 1};
		else if (genome[1] == 2)
			out[i] = (struct evaluation){.violation = 1.5, .reason = 2, .n_cut = 2};
		out[i].objective[0] = (double)((genome[1] * 3 + genome[2] * 5 + genome[3]) % 11);
		out[i].objective[1] = (double)((genome[0] * 7 + genome[2] + genome[3] * 4) % 13);
	}
}

static const struct problem problem = {.n_gene = N_GENE, .n_value = n_value, .n_objective = 2, .evaluate = evaluate};

/* What a part ends with; a genome's memory is its own. */
struct fixture {
	struct flat_part part;
	uint64_t by_reason[N_REASON];
	uint32_t genome[N_GENE];
};

static void init_fixture(struct fixture *fixture)
{
	*fixture = (struct fixture){0};
	fixture->part.n_reason = N_REASON;
	fixture->part.by_reason = fixture->by_reason;
	fixture->part.nearest = (struct engine_nearest){.violation = INFINITY, .genome = fixture->genome};
	pareto_init(&fixture->part.archive, 2, N_GENE);
}

static void run(struct share *share, struct fixture *fixture)
{
	struct engine_options options = {.seed = 1};
	struct err err = {0};
	init_fixture(fixture);
	assert_int_equal(flat_part_deal(share, &problem, &options, &err), ERR_OK);
	struct flat_part *part = &fixture->part;
	assert_int_equal(engine_run(&(struct engine_search){.kind = &engine_exhaustive,
	                                                    .problem = &problem,
	                                                    .options = &options,
	                                                    .n_thread = 2,
	                                                    .archive = &part->archive,
	                                                    .counts = &part->counts,
	                                                    .n_by_reason = part->by_reason,
	                                                    .n_reason = N_REASON,
	                                                    .near = &part->nearest},
	                            &err),
	                 ERR_OK);
	uint64_t size = share->n > 1 ? options.end - options.first : problem_size(&problem);
	assert_int_equal(part->counts.n_asked + part->counts.n_skipped, size);
}

static void test_flat_part_ranges_add_up(void **state)
{
	(void)state;
	struct share whole = {.n = 1};
	struct fixture one;
	run(&whole, &one);
	for (unsigned n = 2; n <= 420; n = n < 12 ? n + 1 : n * 2 - 3) {
		struct pareto archive;
		uint64_t size = 0, n_feasible = 0;
		double nearest = INFINITY;
		pareto_init(&archive, 2, N_GENE);
		for (unsigned i = 0; i < n; i++) {
			struct share share = {.index = i, .n = n};
			struct fixture part;
			run(&share, &part);
			size += part.part.counts.n_asked + part.part.counts.n_skipped;
			n_feasible += part.part.counts.n_feasible;
			nearest = fmin(nearest, part.part.nearest.violation);
			pareto_merge(&archive, &part.part.archive);
			pareto_free(&part.part.archive);
		}
		assert_int_equal(size, problem_size(&problem));
		assert_int_equal(n_feasible, one.part.counts.n_feasible);
		assert_true(nearest <= one.part.nearest.violation);
		pareto_sort(&archive);
		assert_int_equal(archive.n, one.part.archive.n);
		assert_memory_equal(archive.objective, one.part.archive.objective, archive.n * 2 * sizeof(double));
		assert_memory_equal(archive.genome, one.part.archive.genome, archive.n * N_GENE * sizeof(uint32_t));
		pareto_free(&archive);
	}
	pareto_free(&one.part.archive);
}

/* More parts than designs, and more designs than numbers. */
static void test_flat_part_refuses_what_cannot_be_dealt(void **state)
{
	(void)state;
	uint32_t many[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
	const struct problem huge = {.n_gene = 3, .n_value = many, .n_objective = 1, .evaluate = evaluate};
	struct share share = {.index = 0, .n = 421};
	struct engine_options options = {0};
	struct err err = {0};
	assert_int_equal(flat_part_deal(&share, &problem, &options, &err), ERR_INPUT);
	share.n = 2;
	assert_int_equal(flat_part_deal(&share, &huge, &options, &err), ERR_INPUT);
	assert_int_equal(flat_part_deal(NULL, &huge, &options, &err), ERR_OK);
	assert_int_equal(options.end, 0);
	err_clear(&err);
}

/* The journal of a part as a shard writes it, of so many. */
static struct pack record_of(struct flat_part *part, uint64_t n_part)
{
	struct pack pack = {0};
	pack_u64(&pack, &n_part);
	engine_counts_pack(&part->counts, &pack);
	pack_u64s(&pack, part->by_reason, part->n_reason);
	engine_nearest_pack(&part->nearest, problem.n_value, problem.n_gene, &pack);
	pareto_pack(&part->archive, problem.n_value, &pack);
	assert_false(pack.failed);
	return pack;
}

/* What the parts' journals join to is what one search finds; numbers of parts that no search has are refused. */
static void test_flat_part_joins_what_journals_say(void **state)
{
	enum { N_PART = 3 };
	static const uint64_t said[] = {N_PART, 0, SHARE_MAX, (uint64_t)SHARE_MAX + 1, UINT64_MAX};
	struct pack pack[N_PART];
	struct share whole = {.n = 1};
	struct fixture one;
	(void)state;
	run(&whole, &one);
	for (size_t at = 0; at < sizeof(said) / sizeof(said[0]); at++) {
		struct ledger_entry entry[N_PART];
		for (unsigned i = 0; i < N_PART; i++) {
			struct share share = {.index = i, .n = N_PART};
			struct fixture part;
			run(&share, &part);
			pack[i] = record_of(&part.part, said[at]);
			entry[i] = (struct ledger_entry){.task = i, .data = pack[i].data, .n_byte = pack[i].n};
			pareto_free(&part.part.archive);
		}
		const struct ledger ledger = {.n_entry = N_PART, .entry = entry, .is_sorted = true};
		struct share joint = {.n = 1, .known = &ledger, .only_known = true};
		struct fixture all;
		struct err err = {0};
		bool is_wrong = said[at] == 0 || said[at] > SHARE_MAX;
		init_fixture(&all);
		assert_int_equal(flat_part_join(&joint, &problem, &all.part, &err), is_wrong ? ERR_INPUT : ERR_OK);
		assert_int_equal(atomic_load(&joint.n_missing), said[at] == SHARE_MAX ? SHARE_MAX - N_PART : 0);
		if (!is_wrong) {
			assert_int_equal(all.part.archive.n, one.part.archive.n);
			assert_int_equal(all.part.counts.n_feasible, one.part.counts.n_feasible);
			assert_memory_equal(all.part.archive.genome, one.part.archive.genome,
			                    one.part.archive.n * N_GENE * sizeof(uint32_t));
		}
		err_clear(&err);
		pareto_free(&all.part.archive);
		for (unsigned i = 0; i < N_PART; i++)
			pack_free(&pack[i]);
	}
	pareto_free(&one.part.archive);
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_flat_part_ranges_add_up),
	    cmocka_unit_test(test_flat_part_refuses_what_cannot_be_dealt),
	    cmocka_unit_test(test_flat_part_joins_what_journals_say),
	};
	return cmocka_run_group_tests(test, NULL, NULL);
}
