/* SPDX-License-Identifier: Apache-2.0 */
/* Nights: how likely a search is worse by its seeds alone, and what the store remembers of nights. */
#include "tests/support/unit_test.h"

#include "dse/night/night.h"
#include "sim/base/rng.h"
#include "tests/support/temporary.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- noise ---- */

static void expect_near(double value, double expected, double distance)
{
	if (!(fabs(value - expected) <= distance))
		fail_msg("%.17g instead of %.17g", value, expected);
}

static void test_night_noise_of_separate_samples_is_one_in_all_choices(void **state)
{
	(void)state;
	const double good[] = {5, 6, 7, 8, 9}, worse[] = {0, 1, 2, 3, 4}, equal[] = {7, 7, 7}, same[] = {7, 7};
	expect_near(night_noise_chance(good, 5, worse, 5), 1.0 / 252.0, 1e-15);
	expect_near(night_noise_chance(worse, 5, good, 5), 1.0, 1e-15);
	expect_near(night_noise_chance(good, 5, worse, 2), 1.0 / 21.0, 1e-15);
	expect_near(night_noise_chance(good, 2, worse, 5), 1.0 / 21.0, 1e-15);
	/* nothing but ties, and nothing at all, says nothing */
	expect_near(night_noise_chance(equal, 3, same, 2), 1.0, 1e-15);
	expect_near(night_noise_chance(equal, 3, same, 0), 1.0, 0.0);
	/* of 40 remembered seeds and 40 more: 1 / binomial(80, 40) */
	double many[40], few[40];
	for (int i = 0; i < 40; i++) {
		many[i] = 100 + i;
		few[i] = i;
	}
	double chance = night_noise_chance(many, 40, few, 40);
	expect_near(log(chance), 2 * lgamma(41) - lgamma(81), 1e-9);
}

/* The share of all choices of n_now of the values whose ranks sum up to no more, by going through all of them. */
static double chance_by_force(const double *value, unsigned n, unsigned chosen)
{
	unsigned n_as_low = 0, n_all = 0, size = (unsigned)__builtin_popcount(chosen);
	int sum[1 << 8] = {0};
	for (unsigned set = 0; set < 1u << n; set++)
		for (unsigned i = 0; i < n; i++)
			for (unsigned k = 0; k < n && (set >> i & 1); k++)
				sum[set] += 2 * (value[k] < value[i]) + (value[k] == value[i]);
	for (unsigned set = 0; set < 1u << n; set++)
		if ((unsigned)__builtin_popcount(set) == size) {
			n_all++;
			n_as_low += sum[set] <= sum[chosen];
		}
	return (double)n_as_low / n_all;
}

static void test_night_noise_counts_all_choices(void **state)
{
	(void)state;
	for (uint32_t trial = 0; trial < 200; trial++) {
		struct rng rng = rng_stream(7, trial, 0);
		double value[8], sample[2][8];
		unsigned n = 2 + rng_below(&rng, 7), chosen = 1 + rng_below(&rng, (1u << n) - 2);
		size_t n_of[2] = {0, 0};
		for (unsigned i = 0; i < n; i++) {
			value[i] = rng_below(&rng, 5); /* with ties */
			sample[chosen >> i & 1][n_of[chosen >> i & 1]++] = value[i];
		}
		double chance = night_noise_chance(sample[0], n_of[0], sample[1], n_of[1]);
		expect_near(chance, chance_by_force(value, n, chosen), 1e-12);
	}
}

/* Sum of 6 uniform numbers: near enough to a normal distribution, with a standard deviation of 0.7. */
static double draw(struct rng *rng)
{
	double sum = 0;
	for (int i = 0; i < 6; i++)
		sum += rng_unit(rng);
	return sum;
}

/* One night of one measure beside n_good remembered seeds, as night_judge looks at it: is there an alarm? */
static bool alarms(uint32_t trial, size_t n_good, double loss, bool *is_suspicious)
{
	struct rng rng = rng_stream(11, trial, (uint32_t)n_good);
	double good[NIGHT_MAX_POOL], now[200];
	size_t n = 5;
	for (size_t i = 0; i < n_good; i++)
		good[i] = draw(&rng);
	for (size_t i = 0; i < 200; i++)
		now[i] = draw(&rng) - loss;
	*is_suspicious = night_noise_chance(good, n_good, now, n) <= NIGHT_SUSPICION;
	if (!*is_suspicious)
		return false;
	n = night_noise_n(n_good, 5, 4);
	return night_noise_chance(good, n_good, now, n) <= NIGHT_ALPHA / 4;
}

static void test_night_noise_raises_no_alarm_and_finds_losses(void **state)
{
	(void)state;
	enum { N_NIGHT = 2000, N_LOSS = 100 };
	const size_t pool[] = {5, 40};
	const double loss[] = {4 * sqrt(0.5), 2 * sqrt(0.5)};
	for (size_t k = 0; k < 2; k++) {
		size_t n_suspicious = 0, n_alarm = 0, n_found = 0;
		bool is_suspicious;
		for (uint32_t i = 0; i < N_NIGHT; i++) {
			n_alarm += alarms(i, pool[k], 0.0, &is_suspicious);
			n_suspicious += is_suspicious;
		}
		for (uint32_t i = 0; i < N_LOSS; i++)
			n_found += alarms(i, pool[k], loss[k], &is_suspicious);
		printf(
		    "%zu seeds remembered: second looks %zu, alarms %zu of %d nights; a loss of %.0f deviations found "
		    "%zu of %d times\n",
		    pool[k], n_suspicious, n_alarm, N_NIGHT, loss[k] / sqrt(0.5), n_found, N_LOSS);
		/* exact tests: at most 2 %, here 1.6 % and 1.9 %; five deviations more would be a fault */
		assert_in_range(n_suspicious, 1, (size_t)(0.02 * N_NIGHT + 5 * sqrt(0.02 * N_NIGHT)));
		/* 0.05 expected at most; two would happen once in 800 runs of this test, were its seeds not fixed */
		assert_in_range(n_alarm, 0, 1);
		assert_in_range(n_found, N_LOSS * 9 / 10, N_LOSS);
	}
}

static void test_night_noise_second_look_can_tell(void **state)
{
	(void)state;
	for (size_t n_good = 3; n_good <= NIGHT_MAX_POOL; n_good++)
		for (size_t n_measure = 2; n_measure <= 5; n_measure++) {
			size_t n = night_noise_n(n_good, 5, n_measure);
			double log_least =
			    lgamma((double)n + 1) + lgamma((double)n_good + 1) - lgamma((double)(n + n_good) + 1);
			assert_true(n % 5 == 0 && n >= 20 && n <= 200);
			assert_true(log_least <= log(NIGHT_ALPHA / (10.0 * (double)n_measure)));
		}
	assert_int_equal(night_noise_n(5, 5, 4), 35);
}

static void test_night_median(void **state)
{
	(void)state;
	double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};
	assert_true(night_noise_median(odd, 3) == 2.0 && night_noise_median(even, 4) == 2.5);
	assert_true(isnan(night_noise_median(odd, 0)));
}

/* ---- the store ---- */

struct fixture {
	char path[64];
	struct database *store;
	struct arena arena;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct err err = {0};
	if (!temporary_folder(fixture->path, "test_night"))
		return -1;
	strcat(fixture->path, "/dse.sqlite");
	*state = fixture;
	return run_store_open(fixture->path, true, &fixture->store, &err) == ERR_OK ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	database_close(fixture->store);
	arena_free(&fixture->arena);
	int status = remove(fixture->path);
	*strrchr(fixture->path, '/') = '\0';
	status = status == 0 ? remove(fixture->path) : status;
	free(fixture);
	return status;
}

/* A run of the space without files. */
static uint64_t put_run(struct fixture *fixture, const char *space)
{
	struct err err = {0};
	uint64_t id = 0;
	const struct run_record run = {.date = "2026-01-01T00:00:00Z",
	                               .version = "1",
	                               .build = "b",
	                               .model = "m",
	                               .command = "c",
	                               .folder = "f",
	                               .space = space,
	                               .engine = "nsga2",
	                               .detail = "fast",
	                               .state = "complete",
	                               .exactness = "unproven",
	                               .certificate = "none",
	                               .n_point = 1,
	                               .signature = "0123"};
	assert_int_equal(run_store_put(fixture->store, &run, &id, &err), ERR_OK);
	return id;
}

/* A night with two runs and its verdict; returns its number. */
static uint64_t put_night(struct fixture *fixture, const char *date, enum night_verdict verdict, uint64_t era)
{
	struct err err = {0};
	struct night_run run[2] = {{.seconds = 0.5, .n_point = 7, .signature = "0123"},
	                           {.seed = 9, .signature = "4567"}};
	struct night_row row = {.date = date,
	                        .space = "x",
	                        .path = "x.yaml",
	                        .question = "q",
	                        .build = "b",
	                        .model = "m",
	                        .n_objective = 2,
	                        .objective = {"latency_ms", "energy_mj"},
	                        .note = "why",
	                        .n_run = 2,
	                        .run = run};
	assert_int_equal(night_store_begin(fixture->store, &row, &err), ERR_OK);
	for (size_t i = 0; i < 2; i++) {
		run[i].run = put_run(fixture, "x");
		run[i].hypervolume = NAN;
		assert_int_equal(night_store_add_run(fixture->store, row.id, i, &run[i], &err), ERR_OK);
		run[i].hypervolume = 0.25;
		run[i].best[0] = 1.5;
		run[i].best[1] = i == 0 ? 2.5 : NAN;
	}
	row.verdict = verdict;
	row.is_good = night_verdict_table[verdict].is_good;
	row.era = era ? era : row.id;
	row.reference[0] = 3.0;
	row.reference[1] = 4.0;
	if (verdict != NIGHT_STOPPED)
		assert_int_equal(night_store_put_verdict(fixture->store, &row, &err), ERR_OK);
	return row.id;
}

static void test_night_store_gives_back_what_was_put(void **state)
{
	struct fixture *fixture = *state;
	struct night_row *row;
	struct err err = {0};
	assert_int_equal(night_store_find(fixture->store, "x", "2026-01-01", &fixture->arena, &row, &err), ERR_OK);
	assert_null(row);
	uint64_t id = put_night(fixture, "2026-01-01", NIGHT_FIRST, 0);
	assert_int_equal(night_store_find(fixture->store, "x", "2026-01-01", &fixture->arena, &row, &err), ERR_OK);
	assert_true(row->id == id && row->era == id && row->is_good && row->verdict == NIGHT_FIRST);
	assert_string_equal(row->note, "why");
	assert_string_equal(row->model, "m");
	assert_true(row->n_objective == 2 && row->reference[0] == 3.0 && row->reference[1] == 4.0);
	assert_string_equal(row->objective[1], "energy_mj");
	assert_true(row->n_run == 2 && row->run[0].n_point == 7 && row->run[1].seed == 9 && row->run[0].seconds == 0.5);
	assert_true(row->run[0].hypervolume == 0.25 && row->run[0].best[1] == 2.5 && isnan(row->run[1].best[1]));
	assert_string_equal(row->run[1].signature, "4567");
	/* one that was stopped has runs and no figures */
	put_night(fixture, "2026-01-02", NIGHT_STOPPED, 0);
	assert_int_equal(night_store_find(fixture->store, "x", "2026-01-02", &fixture->arena, &row, &err), ERR_OK);
	assert_true(row->verdict == NIGHT_STOPPED && !row->is_good && row->n_run == 2 &&
	            isnan(row->run[1].hypervolume));
}

static void test_night_store_finds_good_nights_and_trends(void **state)
{
	struct fixture *fixture = *state;
	struct night_row *row;
	struct err err = {0};
	size_t n;
	uint64_t first = put_night(fixture, "2026-01-01", NIGHT_FIRST, 0),
		 second = put_night(fixture, "2026-01-02", NIGHT_ALIKE, first);
	uint64_t bad = put_night(fixture, "2026-01-03", NIGHT_WORSE, first),
		 again = put_night(fixture, "2026-01-03", NIGHT_SAME, first);
	assert_int_equal(night_store_good(fixture->store, "x", bad, &fixture->arena, &row, &err), ERR_OK);
	assert_int_equal(row->id, second);
	assert_int_equal(night_store_good(fixture->store, "x", again, &fixture->arena, &row, &err), ERR_OK);
	assert_int_equal(row->id, second);
	assert_int_equal(night_store_good(fixture->store, "x", first, &fixture->arena, &row, &err), ERR_OK);
	assert_null(row);
	assert_int_equal(night_store_era(fixture->store, "x", first, again, &fixture->arena, &row, &n, &err), ERR_OK);
	assert_true(n == 2 && row[0].id == first && row[1].id == second);
	assert_int_equal(night_store_trend(fixture->store, "x", again, 2, &fixture->arena, &row, &n, &err), ERR_OK);
	assert_true(n == 2 && row[0].id == second && row[1].id == again);
	assert_int_equal(night_store_trend(fixture->store, "x", bad, 9, &fixture->arena, &row, &n, &err), ERR_OK);
	assert_true(n == 3 && row[2].id == bad && row[2].run[0].hypervolume == 0.25);
}

/* Runs of the last good night and of the last night stay; figures of the others outlive their runs. */
static void test_night_store_keeps_good_runs_from_pruning(void **state)
{
	struct fixture *fixture = *state;
	struct run_record *old;
	struct night_row *row;
	struct err err = {0};
	size_t n;
	uint64_t first = put_night(fixture, "2026-01-01", NIGHT_FIRST, 0);
	put_night(fixture, "2026-01-02", NIGHT_SAME, first);
	put_night(fixture, "2026-01-03", NIGHT_WORSE, first);
	put_night(fixture, "2026-01-04", NIGHT_WORSE, first);
	put_run(fixture, "x");
	const struct run_retention nothing = {.has_keep = true};
	assert_int_equal(run_store_old(fixture->store, &nothing, &fixture->arena, &old, &n, &err), ERR_OK);
	assert_int_equal(n, 5); /* 2 of the first night, 2 of the third, and the one of no night: the newest */
	assert_true(old[0].id == 9 && old[1].id == 6 && old[2].id == 5 && old[3].id == 2 && old[4].id == 1);
	assert_int_equal(run_store_remove(fixture->store, old, n, "b", &err), ERR_OK);
	assert_int_equal(night_store_trend(fixture->store, "x", 9, 9, &fixture->arena, &row, &n, &err), ERR_OK);
	assert_true(n == 4 && row[0].n_run == 2 && row[0].run[0].run == 0 && row[0].run[0].hypervolume == 0.25);
	assert_true(row[1].run[0].run == 3);
	assert_string_equal(err_text(&err), "");
}

static void test_night_store_keeps_errors_by_date(void **state)
{
	struct fixture *fixture = *state;
	struct night_error *found,
	    error = {.date = "2026-01-02", .name = "b.csv", .n = 3, .mean_pct = 1.5, .max_pct = 4};
	struct err err = {0};
	size_t n;
	assert_int_equal(night_store_put_error(fixture->store, &error, &err), ERR_OK);
	error.date = "2026-01-01";
	error.mean_pct = NAN;
	assert_int_equal(night_store_put_error(fixture->store, &error, &err), ERR_OK);
	error.mean_pct = 2.5;
	error.date = "2026-01-02";
	assert_int_equal(night_store_put_error(fixture->store, &error, &err), ERR_OK);
	assert_int_equal(night_store_errors(fixture->store, &fixture->arena, &found, &n, &err), ERR_OK);
	assert_true(n == 2 && isnan(found[0].mean_pct) && found[1].mean_pct == 2.5 && found[1].n == 3);
}

/* ---- JUnit ---- */

static void test_night_junit_is_escaped(void **state)
{
	(void)state;
	struct night_space space = {
	    .file = "a\"<b>&\x01\xff.yaml", .code = ERR_INPUT, .log = "x <y>\nsecond & line\n", .why = ""};
	const struct night night = {.made = "2026-01-01T00:00:00Z", .n_space = 1, .space = &space};
	char *text;
	size_t n_byte;
	FILE *file = open_memstream(&text, &n_byte);
	night_write_junit(file, &night);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(
	    text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		  "<testsuite name=\"dse nightly\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\" "
		  "timestamp=\"2026-01-01T00:00:00\">\n"
		  "  <testcase classname=\"dse.nightly\" name=\"a&#34;&#60;b&#62;&#38;?\?.yaml\" time=\"0.000\">\n"
		  "    <failure type=\"failed\" message=\"no result\">x &#60;y&#62;\nsecond &#38; line\n</failure>\n"
		  "  </testcase>\n"
		  "</testsuite>\n");
	free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_night_noise_of_separate_samples_is_one_in_all_choices),
	    cmocka_unit_test(test_night_noise_counts_all_choices),
	    cmocka_unit_test(test_night_noise_raises_no_alarm_and_finds_losses),
	    cmocka_unit_test(test_night_noise_second_look_can_tell),
	    cmocka_unit_test(test_night_median),
	    TEST(test_night_store_gives_back_what_was_put),
	    TEST(test_night_store_finds_good_nights_and_trends),
	    TEST(test_night_store_keeps_good_runs_from_pruning),
	    TEST(test_night_store_keeps_errors_by_date),
	    cmocka_unit_test(test_night_junit_is_escaped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
