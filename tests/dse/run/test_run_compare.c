/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs compared: nothing where nothing changed, mirrored when swapped, and planted changes named with their parts.
 */
#include "tests/support/unit_test.h"

#include "dse/cmd/command_table.h"
#include "dse/options/cli.h"
#include "dse/night/night.h"
#include "dse/run/run_compare.h"
#include "sim/base/rng.h"
#include "tests/support/space_folder.h"
#include <fcntl.h>
#include <math.h>

/* What a run is made of: machine_constants stands in the machine's file, the others in the space's. */
struct question {
	const char *machine, *axes, *rules, *objectives, *network;
};

/* Until the next one. */
static const struct tolerance *tolerated(const char *text)
{
	static struct tolerance tolerance;
	assert_int_equal(tolerance_parse("test", text, &tolerance, NULL), ERR_OK);
	return &tolerance;
}

static const struct question plain = {"dram: {access_clk: 2, clk_mhz: 400}\nnoc: {hop_clk: 4}\n",
                                      "mla.array: [16x4, 8x4]", "", "objectives: [latency_ms, energy_mj, mac_units]",
                                      "kernel: 3"};

static void write_question(const struct question *question)
{
	char text[1024];
	(void)snprintf(text, sizeof(text),
	               "name: machine\ntarget: chip\n%slevels:\n"
	               "- {name: slow, vdd_v: 0.5, clk_mhz: 200, mla_clk_pj: 8, pe_static_mw: 1}\n"
	               "- {name: fast, vdd_v: 0.6, clk_mhz: 400, mla_clk_pj: 12, pe_static_mw: 1.5}\n",
	               question->machine);
	folder_write("machine.yaml", text, "");
	(void)snprintf(text, sizeof(text),
	               "name: small\ninput: [8, 8, 4]\nlayers:\n  - conv: {%s, out_channels: 16}\n  - fc: {out: 8}\n",
	               question->network);
	folder_write("small.yaml", text, "");
	(void)snprintf(text, sizeof(text),
	               "name: question\nmachine: machine.yaml\nnetwork: small.yaml\naxes: {%s}\n"
	               "layers: [{match: '.*', split: even, strategy: [fusion, fusion_reuse]}]\n%s\n%s\n",
	               question->axes, question->rules, question->objectives);
	folder_write("space.yaml", text, "");
}

/* Ask a question as a user does, with its files there and then gone; the run is the store's newest. */
static void ask(const struct question *question, struct database *store, struct kept_run *run)
{
	char program[] = "dse", command[] = "explore", quiet[] = "-q", detail[] = "--detail=fast", jobs[] = "-j1",
	     keep[] = "--store", out[] = "-o", path[FOLDER_PATH], store_path[FOLDER_PATH], results[FOLDER_PATH];
	char *argv[] = {program, command, path, quiet, detail, jobs, keep, store_path, out, results, NULL};
	struct cli_options options;
	struct err err = {0};
	(void)folder_path("space.yaml", path);
	(void)folder_path("runs.sqlite", store_path);
	(void)folder_path("results", results);
	write_question(question);
	int nowhere = open("/dev/null", O_WRONLY), kept = dup(STDOUT_FILENO);
	assert_true(nowhere >= 0 && fflush(stdout) == 0 && dup2(nowhere, STDOUT_FILENO) >= 0);
	enum err_code code = cli_parse(&command_program, 10, argv, &options, &err);
	code = code == ERR_OK ? cmd_explore(&options, &err) : code;
	assert_true(fflush(stdout) == 0 && dup2(kept, STDOUT_FILENO) >= 0);
	(void)close(nowhere);
	(void)close(kept);
	assert_true(code == ERR_OK || code == ERR_INFEASIBLE);
	err_clear(&err);
	folder_write("machine.yaml", "no machine", "");
	(void)remove(path);
	if (kept_run_open(store, "last", run, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	if (!run->has_space)
		fail_msg("%s", run->why_no_space);
}

struct pair {
	struct kept_run before, after;
	struct run_compare compare;
};

static void compare_pair(struct pair *pair)
{
	const struct run_compare_options options = {.n_thread = 2};
	struct err err = {0};
	if (run_compare_match(&pair->before, &pair->after, &pair->compare, &err) != ERR_OK ||
	    run_compare_explain(&pair->compare, &options, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
}

static void begin(struct database *store, const struct question *before, const struct question *after,
                  struct pair *pair)
{
	ask(before, store, &pair->before);
	ask(after, store, &pair->after);
	compare_pair(pair);
}

static void end(struct pair *pair)
{
	run_compare_free(&pair->compare);
	kept_run_free(&pair->before);
	kept_run_free(&pair->after);
}

static void expect_change(const struct run_compare *compare, size_t i, const char *key, const char *before,
                          const char *after)
{
	const struct input_change *change = &compare->changes.change[i];
	assert_true(i < compare->changes.n);
	assert_string_equal(change->key, key);
	assert_string_equal(change->before, before);
	assert_string_equal(change->after, after);
}

/* All parts of what moved an objective together are all of it. */
static void expect_whole(const struct run_compare *compare)
{
	for (size_t k = 0; k < compare->n_objective; k++) {
		double sum = compare->together_frac[k] + compare->program_frac[k];
		for (size_t i = 0; i < compare->changes.n; i++)
			sum += compare->effect[i].share_frac[k];
		assert_true(isnan(sum) || fabs(sum - 1.0) < 1e-9);
	}
}

static void test_run_compare_finds_nothing_between_a_run_and_itself(void **state)
{
	struct pair pair;
	struct err err = {0};
	begin(*state, &plain, &plain, &pair);
	const struct run_compare *compare = &pair.compare;
	assert_true(pair.before.front.n_point > 3);
	assert_int_equal(compare->n_same, pair.before.front.n_point);
	assert_int_equal(compare->n_moved + compare->n_lost + compare->n_gained, 0);
	assert_int_equal(compare->changes.n, 0);
	assert_true(!(compare->lost_volume > 0.0) && !(compare->gained_volume > 0.0));
	assert_true(!(compare->epsilon[0] > 0.0) && !(compare->epsilon[1] > 0.0));
	assert_int_equal(run_compare_judge(compare, tolerated("0"), &err), ERR_OK);
	end(&pair);
}

static void test_run_compare_names_a_planted_constant_that_explains_all(void **state)
{
	struct question other = plain;
	struct pair pair;
	struct err err = {0};
	other.machine = "dram: {access_clk: 3, clk_mhz: 400}\nnoc: {hop_clk: 4}\n";
	begin(*state, &plain, &other, &pair);
	const struct run_compare *compare = &pair.compare;
	assert_int_equal(compare->changes.n, 1);
	expect_change(compare, 0, "dram.access_clk", "2", "3");
	assert_non_null(strstr(compare->changes.change[0].where, "machine.yaml"));
	assert_string_equal(compare->changes.change[0].unit, "DRAM clocks");
	assert_true(compare->n_moved > 0 && compare->mean_frac[0] > 0.01);
	assert_true(fabs(compare->effect[0].share_frac[0] - 1.0) < 1e-9);
	assert_true(fabs(compare->effect[0].mean_frac[0] - compare->mean_frac[0]) < 1e-9);
	assert_true(isnan(compare->effect[0].share_frac[2])); /* MAC units stay */
	expect_whole(compare);
	assert_true(compare->volume_frac < -0.01);
	assert_true(fabs(compare->effect[0].volume_frac - compare->volume_frac) < 1e-12);
	/* every point that came or went did so by it */
	assert_int_equal(compare->effect[0].n_lost, compare->n_lost);
	assert_int_equal(compare->effect[0].n_gained, compare->n_gained);
	assert_int_equal(run_compare_judge(compare, tolerated("0"), &err), ERR_GATE);
	assert_non_null(strstr(err_text(&err), "the least latency_ms"));
	err_clear(&err);
	assert_int_equal(run_compare_judge(compare, tolerated("100"), &err), ERR_OK);
	/* what the searches do not prove is no regression */
	pair.compare.slack_frac = 1.0;
	assert_int_equal(run_compare_judge(compare, tolerated("0"), &err), ERR_OK);
	end(&pair);
}

static void test_run_compare_mirrors_when_runs_are_swapped(void **state)
{
	struct question other = plain;
	struct pair pair, mirror = {.compare = {.before = NULL}};
	other.machine = "dram: {access_clk: 3, clk_mhz: 400}\nnoc: {hop_clk: 4}\n";
	other.axes = "mla.array: [16x4, 16x2]";
	begin(*state, &plain, &other, &pair);
	struct kept_run before = pair.before;
	mirror.before = pair.after;
	mirror.after = before;
	compare_pair(&mirror);
	const struct run_compare *compare = &pair.compare, *back = &mirror.compare;
	assert_true(compare->n_lost > 0 && compare->n_gained > 0);
	assert_int_equal(back->n_lost, compare->n_gained);
	assert_int_equal(back->n_gained, compare->n_lost);
	assert_int_equal(back->n_moved, compare->n_moved);
	for (unsigned side = 0; side < 2; side++) {
		assert_true(fabs(back->hypervolume[side] - compare->hypervolume[1 - side]) < 1e-9);
		assert_true(fabs(back->epsilon[side] - compare->epsilon[1 - side]) < 1e-12);
	}
	assert_true(fabs(back->lost_volume - compare->gained_volume) < 1e-9);
	assert_int_equal(back->changes.n, compare->changes.n);
	for (size_t i = 0; i < compare->changes.n; i++) {
		const struct input_change *change = &compare->changes.change[i];
		expect_change(back, i, change->key, change->after, change->before);
		assert_string_equal(back->changes.change[i].added, change->removed);
	}
	run_compare_free(&mirror.compare);
	end(&pair);
}

/* Random constants, of machine and operating points: all that were planted are named, and no other. */
static void test_run_compare_parts_of_several_constants_add_up(void **state)
{
	struct rng rng = rng_stream(7, 0, 0);
	for (unsigned trial = 0; trial < 3; trial++) {
		struct question other = plain;
		struct pair pair;
		char text[256];
		unsigned access = 3 + rng_below(&rng, 3), hop = 5 + rng_below(&rng, 9);
		(void)snprintf(text, sizeof(text), "dram: {access_clk: %u, clk_mhz: 400}\nnoc: {hop_clk: %u}\n", access,
		               hop);
		other.machine = text;
		begin(*state, &plain, &other, &pair);
		const struct run_compare *compare = &pair.compare;
		assert_int_equal(compare->changes.n, 2);
		assert_string_equal(compare->changes.change[0].key, "noc.hop_clk");
		assert_string_equal(compare->changes.change[1].key, "dram.access_clk");
		assert_true(compare->effect[0].share_frac[0] > 0.0 && compare->effect[1].share_frac[0] > 0.5);
		assert_true(fabs(compare->program_frac[0]) < 1e-12);
		expect_whole(compare);
		end(&pair);
	}
}

static void test_run_compare_says_which_points_a_knobs_list_makes(void **state)
{
	struct question other = plain;
	struct pair pair;
	other.axes = "mla.array: [16x4, 16x2]";
	begin(*state, &plain, &other, &pair);
	const struct run_compare *compare = &pair.compare;
	assert_int_equal(compare->changes.n, 1);
	assert_string_equal(compare->changes.change[0].key, "axes.mla.array");
	assert_string_equal(compare->changes.change[0].added, "16x2");
	assert_string_equal(compare->changes.change[0].removed, "8x4");
	assert_true(compare->n_lost > 0 && compare->n_gained > 0);
	for (size_t i = 0; i < pair.after.front.n_point; i++) {
		const struct compared_point *point = &compare->point[1][i];
		bool is_new = strcmp(pair.after.front.point[i].value[0], "16x2") == 0;
		assert_true(!is_new || (point->status == POINT_GAINED && point->absence == ABSENCE_OUTSIDE &&
		                        point->changes == 1));
	}
	for (size_t i = 0; i < pair.before.front.n_point; i++)
		if (compare->point[0][i].absence == ABSENCE_OUTSIDE)
			assert_string_equal(compare->point[0][i].why, "mla.array is not 8x4 there");
	end(&pair);
}

static void test_run_compare_sees_limits_layers_and_empty_fronts(void **state)
{
	struct question other = plain;
	struct pair pair;
	struct err err = {0};
	other.rules = "constraints: [latency_ms <= 1e-9]";
	begin(*state, &plain, &other, &pair);
	assert_int_equal(pair.compare.n_lost, pair.before.front.n_point);
	for (size_t i = 0; i < pair.before.front.n_point; i++) {
		assert_int_equal(pair.compare.point[0][i].absence, ABSENCE_OVER_LIMIT);
		assert_int_equal(pair.compare.point[0][i].changes, 1);
	}
	assert_string_equal(pair.compare.changes.change[0].added, "latency_ms <= 1e-9");
	assert_int_equal(run_compare_judge(&pair.compare, tolerated("1e9"), &err), ERR_GATE);
	err_clear(&err);
	end(&pair);

	other = plain;
	other.network = "kernel: 1";
	other.rules = "aggregate: worst"; /* of one network: a change that does nothing */
	begin(*state, &plain, &other, &pair);
	assert_int_equal(pair.compare.changes.n, 2);
	expect_change(&pair.compare, 1, "aggregate", "-", "worst");
	assert_true(!(fabs(pair.compare.effect[1].share_frac[0]) > 0.0));
	expect_change(&pair.compare, 0, "layers.1.conv.kernel", "3", "1");
	assert_true(pair.compare.mean_frac[0] < 0.0);
	assert_true(fabs(pair.compare.effect[0].share_frac[0] - 1.0) < 1e-9);
	end(&pair);

	other.objectives = "objectives: [latency_ms, dram_byte]";
	ask(&plain, *state, &pair.before);
	ask(&other, *state, &pair.after);
	assert_int_equal(run_compare_match(&pair.before, &pair.after, &pair.compare, &err), ERR_INPUT);
	assert_non_null(strstr(err_text(&err), "latency_ms, dram_byte"));
	err_clear(&err);
	end(&pair);
}

/* As if another program had found the run, and this in its front.json: each `from` reads `to`. */
static void plant_program(struct database *store, const struct kept_run *run, const char *from, const char *to)
{
	struct err err = {0};
	char *data, *text = NULL, hex[HASH_HEX_SIZE];
	static char statement[1 << 14];
	size_t n_byte, n_text;
	const char *hash = run_record_file(&run->record, "front.json")->hash;
	assert_int_equal(run_store_content(store, hash, &data, &n_byte, &err), ERR_OK);
	FILE *file = open_memstream(&text, &n_text);
	const char *at = data;
	for (const char *found; (found = strstr(at, from)); at = found + strlen(from))
		(void)fprintf(file, "%.*s%s", (int)(found - at), at, to);
	assert_true(at > data);
	(void)fputs(at, file);
	assert_int_equal(fclose(file), 0);
	hash_hex(text, n_text, hex);
	int n = snprintf(
	    statement, sizeof(statement),
	    "BEGIN; PRAGMA defer_foreign_keys = ON; UPDATE content SET hash = '%s', n_byte = %zu, data = replace("
	    "data, '%s', '%s') WHERE hash = '%s'; UPDATE run_file SET hash = '%s' WHERE hash = '%s';"
	    "UPDATE run SET build = 'another' WHERE id = %d; COMMIT",
	    hex, n_text, from, to, hash, hex, hash, (int)run->record.id);
	assert_in_range(n, 1, sizeof(statement) - 1);
	if (database_run(store, statement, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	free(text);
	free(data);
}

/* A program that prices designs otherwise is why an exact front has others; no search looked away. */
static void test_run_compare_tells_program_and_search_apart(void **state)
{
	struct question own = plain;
	struct kept_run run;
	struct pair pair;
	struct err err = {0};
	char *front, point[8192];
	size_t n_byte;
	char id[24];
	own.machine = "dram: {access_clk: 3, clk_mhz: 400}\nnoc: {hop_clk: 4}\n";
	ask(&own, *state, &run);
	/* without its last point, and the comma before that */
	assert_int_equal(
	    run_store_content(*state, run_record_file(&run.record, "front.json")->hash, &front, &n_byte, &err), ERR_OK);
	char *last = strrchr(front, '\n'), *list_end = last;
	for (char *at = front; (at = strstr(at, ",\n\t\t{\"id\": ")); at++)
		last = at;
	list_end = strstr(last, "\n\t]");
	assert_non_null(list_end);
	assert_in_range(list_end - last, 100, sizeof(point) - 1);
	(void)snprintf(point, sizeof(point), "%.*s", (int)(list_end - last), last);
	plant_program(*state, &run, point, "");
	free(front);
	(void)snprintf(id, sizeof(id), "%d", (int)run.record.id);
	kept_run_free(&run);
	ask(&own, *state, &pair.after);
	if (kept_run_open(*state, id, &pair.before, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	compare_pair(&pair);
	assert_int_equal(pair.compare.n_gained, 1);
	for (size_t i = 0; i < pair.after.front.n_point; i++) {
		const struct compared_point *gained = &pair.compare.point[1][i];
		assert_true(gained->status == POINT_GAINED ? gained->absence == ABSENCE_PROGRAM && gained->by_program
		                                           : !gained->by_program);
		assert_false(gained->by_search);
	}
	double larger = run_compare_change(pair.compare.hypervolume[0], pair.compare.hypervolume[1]);
	assert_true(larger > 0.0 && fabs(pair.compare.volume_frac - larger) < 1e-12);
	end(&pair);
}

/* What another program does to the good night's front stands beside the program, not beside a constant of the machine.
 */
static void test_night_tells_program_and_constant_apart(void **state)
{
	struct question other = plain;
	struct kept_run good, now;
	struct err err = {0};
	other.machine = "dram: {access_clk: 3, clk_mhz: 400}\nnoc: {hop_clk: 4}\n";
	ask(&plain, *state, &good);
	/* its designs cost 10 mJ and more */
	plant_program(*state, &good, "\"energy_mj\": ", "\"energy_mj\": 1");
	ask(&other, *state, &now);
	struct night_run run[] = {{.run = good.record.id}, {.run = now.record.id}};
	struct night_row row[] = {{.n_run = 1, .run = &run[0]}, {.n_run = 1, .run = &run[1]}};
	struct night_space space = {.good = &row[0], .row = &row[1]};
	struct night night = {.request.jobs = 1, .store = *state, .n_space = 1, .space = &space};
	if (night_find_causes(&night, &space, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_int_equal(space.n_cause, 2);
	assert_string_equal(space.cause[0].key, "dram.access_clk");
	assert_non_null(strstr(space.cause[0].effect, "energy +"));
	assert_string_equal(space.cause[1].key, "sources");
	assert_non_null(strstr(space.cause[1].effect, "energy -99"));
	arena_free(&night.arena);
	kept_run_free(&good);
	kept_run_free(&now);
}

/* Inputs that are damaged in the store stand in the way of explanations, a damaged front in that of everything. */
static void test_run_compare_lives_with_damaged_inputs(void **state)
{
	struct database *store = *state;
	struct kept_run run;
	struct pair pair;
	struct err err = {0};
	struct question own = plain;
	own.machine = "dram: {access_clk: 5, clk_mhz: 400}\n";
	begin(store, &plain, &own, &pair);
	assert_int_equal(database_run(store,
	                              "UPDATE content SET data = replace(data, 'access_clk', 'excess_clk')"
	                              " WHERE data LIKE '%access_clk: 5%'",
	                              &err),
	                 ERR_OK);
	assert_int_equal(kept_run_open(store, "last", &run, &err), ERR_OK);
	assert_false(run.has_space);
	assert_non_null(strstr(run.why_no_space, "machine.yaml"));
	run_compare_free(&pair.compare);
	kept_run_free(&pair.after);
	pair.after = run;
	compare_pair(&pair);
	assert_false(pair.compare.has_changes);
	assert_true(pair.compare.n_moved > 0);
	end(&pair);
	assert_int_equal(database_run(store,
	                              "UPDATE content SET data = substr(data, 1, 400) WHERE hash IN"
	                              " (SELECT hash FROM run_file WHERE name = 'front.json')",
	                              &err),
	                 ERR_OK);
	assert_int_equal(kept_run_open(store, "question", &run, &err), ERR_INPUT);
	assert_non_null(strstr(err_text(&err), "is damaged"));
	err_clear(&err);
	kept_run_free(&run);
}

static int set_up(void **state)
{
	char path[FOLDER_PATH];
	struct err err = {0};
	struct database *store;
	if (folder_make(state) != 0 || run_store_open(folder_path("runs.sqlite", path), true, &store, &err) != ERR_OK)
		return -1;
	*state = store;
	return 0;
}

static int tear_down(void **state)
{
	char command[128];
	database_close(*state);
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_run_compare_finds_nothing_between_a_run_and_itself),
	    cmocka_unit_test(test_run_compare_names_a_planted_constant_that_explains_all),
	    cmocka_unit_test(test_run_compare_mirrors_when_runs_are_swapped),
	    cmocka_unit_test(test_run_compare_parts_of_several_constants_add_up),
	    cmocka_unit_test(test_run_compare_says_which_points_a_knobs_list_makes),
	    cmocka_unit_test(test_run_compare_sees_limits_layers_and_empty_fronts),
	    cmocka_unit_test(test_run_compare_tells_program_and_search_apart),
	    cmocka_unit_test(test_night_tells_program_and_constant_apart),
	    cmocka_unit_test(test_run_compare_lives_with_damaged_inputs),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
