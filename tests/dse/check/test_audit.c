/* SPDX-License-Identifier: Apache-2.0 */
/* The audit finds nothing in right fronts, and every error that is planted in one: points that are missing, worse or
 * wrong. */
#include "tests/support/unit_test.h"

#include "dse/check/audit_parts.h"
#include "dse/engine/engine.h"
#include "tests/support/draws.h"
#include "tests/support/temporary.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAYERS(levels)                                             \
	"layers:\n"                                                \
	"  - match: '.*'\n"                                        \
	"    split: whole\n"                                       \
	"    level: " levels "\n"                                  \
	"    strategy: [fusion, fusion_reuse]\n"                   \
	"  - match: '^CONV_'\n"                                    \
	"    split:\n"                                             \
	"      width: whole\n"                                     \
	"      in_channels: whole\n"                               \
	"      out_channels: {max_parts: 4, choose: even}\n"       \
	"      height: {max_parts: 12, choose: even}\n"            \
	"  - match: '^FC_'\n"                                      \
	"    split: {in_channels: {max_parts: 2, choose: even}}\n" \
	"    strategy: fusion\n"

/* All whole designs are few; combinations of layers' points are; neither are, with four machines and a limit. */
static const char few[] = "name: few\nmachine: dvfs_chip\nnetwork: tiny\n"
			  "axes:\n  mla.array: [16x4, 8x4]\n"
			  "layers:\n"
			  "  - match: '.*'\n    split: whole\n    level: PL2\n    strategy: fusion\n"
			  "  - match: '^CONV_1$'\n    split: {height: ['32*1', '16*2']}\n    level: all\n"
			  "  - match: '^CONV_3$'\n    split: {out_channels: [8*4, 4*8]}\n"
			  "    strategy: [fusion, fusion_reuse]\n"
			  "  - match: '^FC_'\n    split: {in_channels: {max_parts: 2, choose: even}}\n"
			  "objectives: [latency_ms, energy_mj, mac_units]\n";
static const char layered[] = "name: layered\nmachine: dvfs_chip\nnetwork: tiny\nnetwork_result: any\n" LAYERS(
    "all") "objectives: [latency_ms, energy_mj, dram_byte]\n";
static const char limited[] = "name: limited\nmachine: dvfs_chip\nnetwork: tiny\nnetwork_result: any\n"
			      "axes:\n  mla.array: [16x4, 8x4]\n  pe.sram_byte: [65536, 131072]\n" LAYERS(
				  "[PL1, PL2]") "constraints: ['latency_ms <= 0.16', 'dram_byte <= 141200']\n"
						"objectives: [latency_ms, energy_mj, mac_units]\n";

/* Changes of operating point take about a tenth of a layer's time: all whole designs; combinations. */
#define CHANGES "axes: {dvfs.switch_ns: 2000}\nlevel_changes: true\nobjectives: [latency_ms, energy_mj]\n"
static const char few_changes[] = "name: few_changes\nmachine: dvfs_chip\nnetwork: tiny\nnetwork_result: any\n"
				  "layers:\n"
				  "  - match: '.*'\n    split: whole\n    level: [PL1, PL2]\n    strategy: fusion\n"
				  "  - match: '^CONV_'\n    strategy: [fusion, fusion_reuse]\n"
				  "  - match: '^FC_'\n    split: {in_channels: {max_parts: 2, choose: even}}\n" CHANGES;
static const char layered_changes[] =
    "name: layered_changes\nmachine: dvfs_chip\nnetwork: tiny\nnetwork_result: any\n" LAYERS("all") CHANGES;

struct fixture {
	struct space space;
	struct explore explore;
	struct explore_options search;
	struct audit audit;
	char path[TEMPORARY_SIZE];
};

static void open_fixture(const char *text, const struct engine_kind *engine, struct fixture *fixture)
{
	struct err err = {0};
	*fixture = (struct fixture){.search = {.engine = engine, .n_thread = 2, .seed = 1}};
	temporary_write(fixture->path, text);
	if (space_read(fixture->path, &fixture->space, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	fixture->search.max_evaluation = engine->is_random ? 2000 : 0;
	if (explore_run(&fixture->space, &fixture->search, &fixture->explore, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_true(fixture->explore.front.n > 1);
}

static void close_fixture(struct fixture *fixture)
{
	audit_free(&fixture->audit);
	explore_free(&fixture->explore);
	space_free(&fixture->space);
	(void)remove(fixture->path);
}

/* The number of faults. */
static uint64_t audit(struct fixture *fixture, unsigned n_thread, uint64_t n_sample)
{
	const struct audit_options options = {.n_thread = n_thread, .seed = 7, .n_sample = n_sample};
	struct err err = {0};
	audit_free(&fixture->audit);
	if (audit_run(&fixture->explore, &fixture->search, &options, &fixture->audit, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_false(fixture->audit.interrupted);
	assert_int_equal(fixture->audit.n_point, fixture->explore.front.n);
	return fixture->audit.n_fault;
}

static bool has_fault(const struct audit *audit, enum audit_kind kind)
{
	for (size_t i = 0; i < audit->n_listed; i++)
		if (audit->fault[i].kind == kind)
			return true;
	return false;
}

/* Take a point out of the front; objective and genome keep it. */
static void take_out(struct pareto *front, size_t i, double *objective, uint32_t *genome)
{
	size_t width = front->n_objective, n_gene = front->n_gene, n_after = front->n - i - 1;
	memcpy(objective, front->objective + i * width, width * sizeof(*objective));
	memcpy(genome, front->genome + i * n_gene, n_gene * sizeof(*genome));
	memmove(front->objective + i * width, front->objective + (i + 1) * width, n_after * width * sizeof(*objective));
	memmove(front->genome + i * n_gene, front->genome + (i + 1) * n_gene, n_after * n_gene * sizeof(*genome));
	front->n--;
}

static void put_back(struct pareto *front, const double *objective, const uint32_t *genome)
{
	assert_true(pareto_append(front, objective, genome, 0));
	pareto_sort(front);
}

/* Each point in turn is missing, or of a sample three. */
static void check_missing(struct fixture *fixture, uint64_t n_sample)
{
	struct pareto *front = &fixture->explore.front;
	double objective[SPACE_MAX_OBJECTIVE];
	uint32_t *genome = calloc(front->n_gene, sizeof(*genome));
	assert_non_null(genome);
	const size_t step = draws_all() ? 1 : (front->n + 2) / 3;
	for (size_t i = 0; i < front->n; i += step) {
		take_out(front, i, objective, genome);
		assert_true(audit(fixture, 2, n_sample) > 0);
		assert_true(has_fault(&fixture->audit, AUDIT_LACK));
		/* what is lacking is a design that no point is as good as: mostly the one that was taken out */
		assert_true(fixture->audit.lacking.n > 0);
		for (size_t k = 0; k < fixture->audit.lacking.n; k++)
			for (size_t p = 0; p < front->n; p++)
				assert_false(pareto_dominates(front->objective + p * front->n_objective,
				                              fixture->audit.lacking.objective + k * front->n_objective,
				                              front->n_objective));
		put_back(front, objective, genome);
		/* often enough for the samples, which cost most of this test's time */
		i += front->n > 20 ? 4 : 0;
	}
	assert_int_equal(audit(fixture, 2, n_sample), 0);
	free(genome);
}

static void test_audit_enumerates_whole_designs(void **state)
{
	(void)state;
	struct fixture fixture;
	open_fixture(few, &engine_exact, &fixture);
	assert_int_equal(audit(&fixture, 2, 0), 0);
	const struct audit *found = &fixture.audit;
	assert_true(found->claims && found->n_machine == 2 && found->n_machine_whole == 2);
	assert_true(found->n_whole > 0 && found->n_sample == 0 && found->n_layer == 0);
	assert_true(found->n_feasible > fixture.explore.front.n && found->n_feasible <= found->n_whole);
	check_missing(&fixture, 0);
	close_fixture(&fixture);
}

static void test_audit_enumerates_layers_and_combinations(void **state)
{
	(void)state;
	struct fixture fixture;
	open_fixture(layered, &engine_exact, &fixture);
	assert_int_equal(audit(&fixture, 2, 100), 0);
	assert_int_equal(fixture.audit.n_whole, 0);
	assert_true(fixture.audit.n_layer > 0 && fixture.audit.n_layer_large == 0);
	/* layer designs in places that nothing leads to are neither searched nor enumerated */
	assert_true(fixture.audit.n_layer_design + fixture.explore.counts.n_unreached ==
	            fixture.explore.counts.n_candidate);
	assert_true(fixture.audit.n_combined >= fixture.explore.front.n);
	assert_int_equal(fixture.audit.n_sample, 100);
	check_missing(&fixture, 2);
	close_fixture(&fixture);
}

/* Layers that are searched level by level, and designs whose changes of level are part of what they are worth. */
static void test_audit_counts_changes_of_level(void **state)
{
	(void)state;
	struct fixture fixture;
	open_fixture(few_changes, &engine_exact, &fixture);
	assert_int_equal(audit(&fixture, 2, 0), 0);
	assert_true(fixture.audit.n_machine_whole == 1 && fixture.audit.n_whole == 512);
	check_missing(&fixture, 0);
	/* a search that counts changes, judged without their cost, and the other way round */
	for (int counts = 0; counts < 2; counts++) {
		fixture.space.level_changes = counts;
		explore_free(&fixture.explore);
		struct err err = {0};
		assert_int_equal(explore_run(&fixture.space, &fixture.search, &fixture.explore, &err), ERR_OK);
		fixture.space.level_changes = !counts;
		assert_true(audit(&fixture, 1, 0) > 0);
		assert_true(has_fault(&fixture.audit, AUDIT_VALUE));
	}
	close_fixture(&fixture);
	open_fixture(layered_changes, &engine_exact, &fixture);
	assert_int_equal(audit(&fixture, 2, 2000), 0);
	assert_true(fixture.audit.n_layer > 0 && fixture.audit.n_layer_large == 0);
	assert_true(fixture.audit.n_layer_design + fixture.explore.counts.n_unreached ==
	            fixture.explore.counts.n_candidate);
	assert_int_equal(fixture.audit.n_sample, 2000);
	check_missing(&fixture, 2000);
	fixture.search.flat = true;
	assert_int_equal(audit(&fixture, 2, 20000), 0);
	assert_true(fixture.audit.n_sample == 20000 && fixture.audit.n_feasible > 1000);
	close_fixture(&fixture);
}

/* Of a flat search no layers are known; more than a million designs a machine are sampled. */
static void test_audit_samples_find_missing_points(void **state)
{
	(void)state;
	struct fixture fixture;
	open_fixture(limited, &engine_exact, &fixture);
	fixture.search.flat = true;
	assert_int_equal(audit(&fixture, 2, 20000), 0);
	assert_true(fixture.audit.n_machine == 4 && fixture.audit.n_machine_whole == 0);
	assert_true(fixture.audit.n_sample == 20000 && fixture.audit.n_layer == 0 && fixture.audit.n_combined == 0);
	assert_true(fixture.audit.n_feasible > 1000);
	check_missing(&fixture, 20000);
	close_fixture(&fixture);
}

/* Objectives that are not the design's, in either direction, and by less than anybody would see. */
static void test_audit_finds_wrong_objectives(void **state)
{
	(void)state;
	static const double factor[] = {1.0 + 1e-6, 1.0 - 1e-6, 0.5, 2.0};
	struct fixture fixture;
	open_fixture(few, &engine_exact, &fixture);
	for (size_t i = 0; i < sizeof(factor) / sizeof(factor[0]); i++) {
		double *value = &fixture.explore.front.objective[i % 2], right = *value;
		*value = right * factor[i];
		assert_true(audit(&fixture, 1, 0) > 0);
		assert_true(has_fault(&fixture.audit, AUDIT_VALUE));
		*value = right;
	}
	/* a gene that the layer does not have, and a place that its neighbours contradict */
	uint32_t *gene = fixture.explore.front.genome + 1;
	uint32_t right = gene[GENE_LEVEL];
	gene[GENE_LEVEL] = 99;
	assert_true(audit(&fixture, 1, 0) > 0);
	gene[GENE_LEVEL] = right;
	assert_int_equal(audit(&fixture, 1, 0), 0);
	close_fixture(&fixture);
}

/* Of all designs of the point's machine the first one that the point beats; worse receives its objectives and genome.
 */
static void find_worse(const struct fixture *fixture, size_t point, double *worse, uint32_t *genome)
{
	const struct pareto *front = &fixture->explore.front;
	struct err err = {0};
	char why[EXPLORE_TEXT_SIZE];
	struct layer_set *set;
	struct whole_scratch scratch;
	struct audit_stop stop = {.machine_index = front->genome[point * front->n_gene], .source = SOURCE_WHOLE};
	struct audit_job job = {.explore = &fixture->explore};
	bool found = false;
	assert_int_equal(whole_init(&fixture->space, &fixture->explore.map, &job.whole, &err), ERR_OK);
	assert_int_equal(
	    layer_set_build(&fixture->space, &fixture->explore.map, stop.machine_index, &set, why, sizeof(why), &err),
	    ERR_OK);
	assert_int_equal(candidate_init(&fixture->space, set, &stop.candidate, &err), ERR_OK);
	assert_true(whole_scratch_alloc(&scratch, &fixture->explore.map));
	for (uint64_t i = 0; i < audit_n_whole(&stop) && !found; i++) {
		struct evaluation result;
		double metric[N_METRIC];
		audit_make(&job, &stop, i, scratch.canonical);
		whole_evaluate(&job.whole, set, &scratch, metric, &result);
		found = !(result.violation > 0.0) && pareto_dominates(front->objective + point * front->n_objective,
		                                                      result.objective, front->n_objective);
		memcpy(worse, result.objective, front->n_objective * sizeof(*worse));
		memcpy(genome, scratch.canonical, front->n_gene * sizeof(*genome));
	}
	assert_true(found);
	whole_scratch_free(&scratch);
	candidate_free(&stop.candidate);
	whole_free(&job.whole);
}

/* A design that runs and is what it says it is, only not the best: in place of the point that beats it, and beside it.
 */
static void test_audit_finds_a_worse_point(void **state)
{
	(void)state;
	struct fixture fixture;
	struct pareto *front = &fixture.explore.front;
	open_fixture(few, &engine_exact, &fixture);
	double objective[SPACE_MAX_OBJECTIVE], worse[SPACE_MAX_OBJECTIVE];
	uint32_t *genome = calloc(2 * front->n_gene, sizeof(*genome)), *other = genome + front->n_gene;
	assert_non_null(genome);
	for (size_t i = 0; i < front->n; i++) {
		find_worse(&fixture, i, worse, other);
		take_out(front, i, objective, genome);
		put_back(front, worse, other);
		assert_true(audit(&fixture, 1, 0) > 0);
		assert_true(has_fault(&fixture.audit, AUDIT_LACK));
		assert_false(has_fault(&fixture.audit, AUDIT_VALUE));
		put_back(front, objective, genome);
		assert_true(audit(&fixture, 1, 0) > 0);
		assert_true(has_fault(&fixture.audit, AUDIT_ORDER));
		assert_false(has_fault(&fixture.audit, AUDIT_LACK));
		for (size_t k = 0; k < front->n; k++)
			if (memcmp(front->genome + k * front->n_gene, other, front->n_gene * sizeof(*other)) == 0)
				take_out(front, k, worse, other);
		assert_int_equal(audit(&fixture, 1, 0), 0);
	}
	/* the same point twice */
	memcpy(genome, front->genome, front->n_gene * sizeof(*genome));
	memcpy(objective, front->objective, front->n_objective * sizeof(*objective));
	assert_true(pareto_append(front, objective, genome, 0));
	assert_int_equal(audit(&fixture, 1, 0), 1);
	assert_true(has_fault(&fixture.audit, AUDIT_ORDER));
	free(genome);
	close_fixture(&fixture);
}

/* A stated epsilon of so much lets the audit overlook what is worse by less; limits then keep their distance. */
static void test_audit_grants_the_stated_epsilon(void **state)
{
	(void)state;
	struct fixture fixture;
	double objective[SPACE_MAX_OBJECTIVE];
	open_fixture(limited, &engine_exact, &fixture);
	uint32_t *genome = calloc(fixture.explore.front.n_gene, sizeof(*genome));
	assert_non_null(genome);
	take_out(&fixture.explore.front, 1, objective, genome);
	assert_true(audit(&fixture, 2, 20000) > 0);
	fixture.explore.counts.epsilon = 100.0;
	assert_int_equal(audit(&fixture, 2, 20000), 0);
	free(genome);
	close_fixture(&fixture);
}

/* A genetic search claims nothing: what it has not seen is counted and no fault. Its points must be right all the same.
 */
static void test_audit_of_a_genetic_search(void **state)
{
	(void)state;
	struct fixture fixture;
	open_fixture(limited, &engine_nsga2, &fixture);
	assert_int_equal(audit(&fixture, 2, 20000), 0);
	assert_false(fixture.audit.claims);
	assert_true(fixture.audit.n_better > 0);
	fixture.explore.front.objective[0] *= 0.9;
	assert_true(audit(&fixture, 2, 20000) > 0);
	close_fixture(&fixture);
}

static void test_audit_does_not_depend_on_threads(void **state)
{
	(void)state;
	struct fixture fixture;
	double objective[SPACE_MAX_OBJECTIVE];
	open_fixture(limited, &engine_exact, &fixture);
	uint32_t *genome = calloc(fixture.explore.front.n_gene, sizeof(*genome));
	assert_non_null(genome);
	take_out(&fixture.explore.front, 0, objective, genome);
	assert_true(audit(&fixture, 1, 5000) > 0);
	struct audit one = fixture.audit;
	fixture.audit = (struct audit){0};
	assert_true(audit(&fixture, 4, 5000) > 0);
	const struct audit *four = &fixture.audit;
	assert_int_equal(one.n_feasible, four->n_feasible);
	assert_int_equal(one.n_better, four->n_better);
	assert_int_equal(one.n_fault, four->n_fault);
	assert_int_equal(one.n_layer_design, four->n_layer_design);
	for (size_t i = 0; i < one.n_listed; i++)
		assert_string_equal(one.fault[i].what, four->fault[i].what);
	assert_int_equal(one.lacking.n, four->lacking.n);
	assert_memory_equal(one.lacking.genome, four->lacking.genome,
	                    one.lacking.n * one.lacking.n_gene * sizeof(*one.lacking.genome));
	audit_free(&one);
	free(genome);
	close_fixture(&fixture);
}

/* A search that never sees the second operating point. */
static void test_audit_finds_a_wrong_layer_search(void **state)
{
	(void)state;
	struct fixture fixture;
	struct err err = {0};
	char why[EXPLORE_TEXT_SIZE];
	struct layer_set *set;
	open_fixture(layered, &engine_exact, &fixture);
	assert_int_equal(layer_set_build(&fixture.space, &fixture.explore.map, 0, &set, why, sizeof(why), &err),
	                 ERR_OK);
	struct audit_stop stop = {0};
	struct audit_job job = {.explore = &fixture.explore, .search = &fixture.search};
	assert_int_equal(candidate_init(&fixture.space, set, &stop.candidate, &err), ERR_OK);
	stop.candidate.is_exact = true;
	stop.layer = calloc(stop.candidate.n_task, sizeof(*stop.layer));
	assert_non_null(stop.layer);
	for (int planted = 0; planted < 2; planted++) {
		struct candidate_task *task = &stop.candidate.task[0];
		struct audit_layer *layer = &stop.layer[0];
		layer->is_listed = true;
		pareto_free(&layer->front);
		pareto_free(&task->front);
		pareto_init(&layer->front, task->layer.problem.n_objective, N_LAYER_GENE);
		pareto_init(&task->front, task->layer.problem.n_objective, N_LAYER_GENE);
		if (planted)
			task->layer.n_value[GENE_LEVEL] = 1;
		audit_check_layer(&job, &stop, 0);
		assert_int_equal(layer->code, ERR_OK);
		assert_int_equal(layer->differs, planted);
	}
	assert_non_null(strstr(stop.layer[0].what, "layer CONV_1: its search finds "));
	pareto_free(&stop.layer[0].front);
	free(stop.layer);
	candidate_free(&stop.candidate);
	close_fixture(&fixture);
}

/* Faults end the program with an internal error that says how to see each design. */
static void test_audit_judges_by_faults(void **state)
{
	(void)state;
	struct fixture fixture;
	struct err err = {0};
	double objective[SPACE_MAX_OBJECTIVE];
	char text[256];
	open_fixture(few, &engine_exact, &fixture);
	uint32_t *genome = calloc(fixture.explore.front.n_gene, sizeof(*genome));
	assert_non_null(genome);
	assert_int_equal(audit(&fixture, 1, 0), 0);
	assert_int_equal(audit_judge(&fixture.audit, "DIR", "COMMAND", &err), ERR_OK);
	audit_print_verdict(&fixture.audit, text, sizeof(text));
	assert_non_null(strstr(text, "audited by brute force over all"));
	take_out(&fixture.explore.front, 0, objective, genome);
	fixture.explore.front.objective[0] *= 1.01;
	assert_true(audit(&fixture, 1, 0) >= 2);
	assert_int_equal(audit_judge(&fixture.audit, "DIR", "COMMAND", &err), ERR_INTERNAL);
	assert_non_null(strstr(err_text(&err), "dse simulate --point DIR/audit.json:0"));
	assert_non_null(strstr(err_text(&err), "dse simulate --point DIR/front.json:0"));
	assert_non_null(strstr(err_text(&err), "to find them again: COMMAND"));
	audit_print_verdict(&fixture.audit, text, sizeof(text));
	assert_non_null(strstr(text, "FAILED"));
	err_clear(&err);
	free(genome);
	close_fixture(&fixture);
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_audit_enumerates_whole_designs),
	    cmocka_unit_test(test_audit_enumerates_layers_and_combinations),
	    cmocka_unit_test(test_audit_counts_changes_of_level),
	    cmocka_unit_test(test_audit_samples_find_missing_points),
	    cmocka_unit_test(test_audit_finds_wrong_objectives),
	    cmocka_unit_test(test_audit_finds_a_worse_point),
	    cmocka_unit_test(test_audit_grants_the_stated_epsilon),
	    cmocka_unit_test(test_audit_of_a_genetic_search),
	    cmocka_unit_test(test_audit_does_not_depend_on_threads),
	    cmocka_unit_test(test_audit_finds_a_wrong_layer_search),
	    cmocka_unit_test(test_audit_judges_by_faults),
	};
	return cmocka_run_group_tests(test, NULL, NULL);
}
