/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a report: the run's own numbers, parts that sum to the whole, marks under their roofs, whole figures. */
#include "tests/support/unit_test.h"

#include "dse/cmd/command_table.h"
#include "dse/options/cli.h"
#include "dse/out/energy_json.h"
#include "dse/report/report_figure.h"
#include "dse/report/report_json.h"
#include "dse/report/report_make.h"
#include "dse/report/report_roof.h"
#include "dse/roofline/roofline.h"
#include "sim/base/csv.h"
#include "tests/support/temporary.h"
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A limit, levels that change between layers, several networks that are weighed, a deadline. */
static const char own_space[] =
    "name: own\nmachine: dvfs_chip\naxes: {dvfs.switch_ns: [100, 5000]}\n"
    "networks: [{network: tiny, weight: 3}, {network: tiny2.yaml, weight: 1}]\n"
    "aggregate: weighted\nlevel_changes: true\n"
    "layers: [{match: '.*', split: thesis, strategy: [no_fusion, fusion], level: all}]\n"
    "constraints: [latency_ms <= 2.5]\nobjectives: [latency_ms, energy_mj, peak_power_mw]\n";

struct fixture {
	char folder[64], run[160];
	struct report_data data;
};

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	(void)fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* `dse explore --detail fast --verify` without a word on stdout. */
static void explore(const char *space, const char *folder)
{
	char program[] = "dse", command[] = "explore", quiet[] = "-q", out[] = "-o", store[] = "--store",
	     none[] = "none";
	char path[256], to[64], verify[] = "--verify", detail[] = "--detail=fast";
	char *argv[] = {program, command, path, quiet, out, to, store, none, detail, verify, NULL};
	struct cli_options options;
	struct err err = {0};
	(void)snprintf(path, sizeof(path), "%s", space);
	(void)snprintf(to, sizeof(to), "%s", folder);
	(void)fflush(stdout);
	int nowhere = open("/dev/null", O_WRONLY), kept = dup(STDOUT_FILENO);
	assert_true(nowhere >= 0 && kept >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0);
	enum err_code code = cli_parse(&command_program, (int)(sizeof(argv) / sizeof(*argv)) - 1, argv, &options, &err);
	if (code == ERR_OK)
		code = cmd_explore(&options, &err);
	(void)fflush(stdout);
	assert_true(dup2(kept, STDOUT_FILENO) >= 0);
	(void)close(nowhere);
	(void)close(kept);
	assert_string_equal(err_text(&err), "");
	assert_int_equal(code, ERR_OK);
}

/* The only folder in a folder. */
static void find_run(struct fixture *fixture)
{
	DIR *dir = opendir(fixture->folder);
	assert_non_null(dir);
	for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
		if (entry->d_name[0] != '.' && !strchr(entry->d_name, '.'))
			(void)snprintf(fixture->run, sizeof(fixture->run), "%s/%.80s", fixture->folder, entry->d_name);
	assert_int_equal(closedir(dir), 0);
}

static void begin(struct fixture *fixture, const char *space, size_t chosen)
{
	struct report_source source = {.request = {"report", "none"}};
	struct err err = {0};
	*fixture = (struct fixture){0};
	assert_non_null(temporary_folder(fixture->folder, "dse_report"));
	if (!space) {
		write_file(fixture->folder, "own.yaml", own_space);
		write_file(fixture->folder, "tiny2.yaml",
		           "name: tiny2\ninput: [16, 16, 8]\nlayers:\n  - conv: {kernel: 3, out_channels: 8}\n  - fc: "
		           "{out: 10}\n");
	}
	char path[96];
	(void)snprintf(path, sizeof(path), "%s/own.yaml", fixture->folder);
	explore(space ? space : path, fixture->folder);
	find_run(fixture);
	assert_int_equal(report_run_open(&source, fixture->run, &fixture->data.run, &err), ERR_OK);
	assert_int_equal(report_make(&source, &fixture->data, chosen, 2, &err), ERR_OK);
	assert_null(fixture->data.without);
}

static void end(struct fixture *fixture)
{
	char command[128];
	report_free(&fixture->data);
	(void)snprintf(command, sizeof(command), "rm -rf %s", fixture->folder);
	assert_int_equal(system(command), 0);
}

/* ---- what every report keeps ---- */

/* Each column that front.csv has, too, is its column, number for number and text for text. */
static void expect_csv(const struct fixture *fixture)
{
	const struct report_data *data = &fixture->data;
	struct csv_table csv = {0};
	struct err err = {0};
	char path[256];
	size_t n_same = 0;
	(void)snprintf(path, sizeof(path), "%s/front.csv", fixture->run);
	assert_int_equal(csv_read_file(path, &csv, &err), ERR_OK);
	assert_int_equal(csv.n_row, data->run.front.n_point);
	for (size_t k = 0; k < data->n_column; k++) {
		const struct report_column *column = &data->column[k];
		size_t at = csv_find_column(&csv, column->key);
		for (size_t i = 0; at != CSV_NO_COLUMN && i < csv.n_row; i++) {
			const char *text = csv_get_cell(&csv, i, at)->text;
			if (column->n_text > 0)
				assert_string_equal(column->text[(size_t)column->of[i]], text);
			else
				assert_true(*text ? strtod(text, NULL) == column->of[i] : isnan(column->of[i]));
		}
		n_same += at != CSV_NO_COLUMN;
	}
	/* all but the number, the format and what no point has */
	for (size_t k = 0, n = 0; k < csv.n_column; k++) {
		bool is_repeated = data->run.front.n_network == 1 && strncmp(csv.header[k].text, "tiny.", 5) == 0;
		n += is_repeated || *csv_get_cell(&csv, 0, k)->text == '\0' || strcmp(csv.header[k].text, "id") == 0 ||
		     strcmp(csv.header[k].text, "front_csv_format") == 0;
		if (k + 1 == csv.n_column)
			assert_int_equal(n_same, csv.n_column - n);
	}
	csv_free(&csv);
}

/* Phases sum to the clocks, parts to the energy; nothing is above a roof. */
static void expect_designs(const struct report_data *data)
{
	for (size_t i = 0; i < data->run.front.n_design; i++) {
		const struct report_design *design = &data->design[i];
		const struct sim_result *result = &design->result;
		const struct machine *machine = data->machine[design->machine].machine;
		double n_op = 2.0 * (double)block_n_mac(data->map.block[design->layer]), sum_mj = 0;
		uint64_t sum_clk = 0;
		assert_true(design->ran);
		for (unsigned k = 0; k < N_PHASE; k++)
			sum_clk += result->phase_clk[k];
		for (size_t k = 0; energy_part_key(k); k++)
			sum_mj += energy_part_mj(&result->energy, k);
		assert_int_equal(sum_clk, data->run.front.design[i].total_clk);
		assert_true(fabs(sum_mj - design->metric[METRIC_ENERGY]) <= 1e-12 * design->metric[METRIC_ENERGY]);
		assert_true(n_op <= roofline_compute_gops(machine, design->design.level) * result->latency_ns);
		for (unsigned k = 0; k < N_REPORT_MEMORY; k++)
			assert_true(report_memory_byte(machine, result, (enum report_memory)k) <=
			            report_memory_gb_s(machine, design->design.level, (enum report_memory)k) *
			                result->latency_ns);
	}
}

/* Layers sum to the point's metrics, where nothing comes between or on top. */
static void expect_sums(const struct report_data *data)
{
	const struct kept_front *front = &data->run.front;
	for (size_t i = 0; i < front->n_point; i++) {
		double sum_ms = 0;
		for (size_t k = 0; k < front->n_layer; k++)
			sum_ms += data->design[front->point[i].design[k]].metric[METRIC_LATENCY];
		assert_true(fabs(sum_ms - front->point[i].metric[METRIC_LATENCY]) <= 1e-12 * sum_ms);
	}
}

/* A key of the object that ends the list of names, or of its first item. */
static const struct doc_node *need(const struct doc_node *root, const char *key)
{
	const struct doc_node *node = doc_find(root, key);
	if (!node)
		fail_msg("no %s", key);
	return node;
}

/* The JSON holds what its readers look for, as often as there are points, layers and designs. */
static void expect_json(const struct report_data *data)
{
	static const char *const keys[] = {
	    "space",       "command",     "engine",    "detail",       "seed",        "signature",
	    "exactness",   "seconds",     "inputs",    "counts",       "certificate", "complete",
	    "stopped_by",  "hypervolume", "reference", "progress",     "knee",        "best",
	    "point",       "replay",      "machines",  "energy_parts", "phases",      "infeasible_by_reason",
	    "sensitivity", "without"};
	static const char *const of_design[] = {"layer",          "machine",         "fields",        "total_clk",
	                                        "core_clk",       "latency_ms",      "energy_mj",     "energy_parts_mj",
	                                        "power_mw",       "peak_power_mw",   "mac_util_frac", "sram_used_frac",
	                                        "dram_read_byte", "dram_write_byte", "bound",         "op",
	                                        "phases"};
	const struct kept_front *front = &data->run.front;
	struct arena arena = {0};
	struct doc_node *root = NULL;
	struct err err = {0};
	char *text = NULL;
	size_t n_byte = 0;
	FILE *file = open_memstream(&text, &n_byte);
	assert_non_null(file);
	report_put_json(file, data, 1, NULL);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(doc_read_text("report", text, n_byte, &arena, &root, &err), ERR_OK);
	assert_string_equal(need(root, "format")->text, "dse report 1");
	const struct doc_node *run = need(root, "runs")->value[0];
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		(void)need(run, keys[i]);
	for (size_t i = 0; i < sizeof(of_design) / sizeof(of_design[0]); i++)
		(void)need(need(run, "designs")->value[0], of_design[i]);
	assert_int_equal(need(run, "designs")->n, front->n_design);
	assert_int_equal(need(run, "layers")->n, front->n_layer);
	assert_int_equal(need(run, "points")->n, front->n_point);
	assert_int_equal(need(run, "point_designs")->n, front->n_point);
	assert_int_equal(need(run, "columns")->n, data->n_column);
	for (size_t i = 0; i < front->n_point; i++) {
		assert_int_equal(need(run, "points")->value[i]->n, data->n_column);
		assert_true(strtod(need(run, "points")->value[i]->value[0]->text, NULL) == data->column[0].of[i]);
	}
	arena_free(&arena);
	free(text);
}

/* Every figure that serves is drawn to its end, of numbers. */
static void expect_figures(const struct report_data *data)
{
	size_t n = 0;
	for (size_t i = 0; i < report_n_figure; i++) {
		char *text = NULL;
		size_t n_byte = 0;
		FILE *file = open_memstream(&text, &n_byte);
		assert_non_null(file);
		if (report_figure[i].serves(data)) {
			report_figure[i].draw(file, data);
			n++;
		}
		assert_int_equal(fclose(file), 0);
		if (n_byte > 0)
			assert_true(strncmp(text, "<svg", 4) == 0 && strstr(text, "</svg>\n") == text + n_byte - 7);
		assert_null(strstr(text, "nan"));
		assert_null(strstr(text, "inf\""));
		free(text);
	}
	assert_int_equal(n, report_n_figure);
}

static void expect_all(struct fixture *fixture)
{
	expect_csv(fixture);
	expect_designs(&fixture->data);
	expect_json(&fixture->data);
	expect_figures(&fixture->data);
}

/* ---- spaces ---- */

/* The sensitivity is of the knee's machine, and each bar that is there is what the whole one has. */
static void test_report_data_of_a_chip(void **state)
{
	struct fixture fixture;
	(void)state;
	begin(&fixture, "spaces/smoke.yaml", SIZE_MAX);
	const struct report_data *data = &fixture.data;
	expect_all(&fixture);
	expect_sums(data);
	assert_int_equal(data->knee, 2);
	assert_int_equal(data->chosen, 2);
	assert_string_equal(data->sensitivity.machine, "dvfs_chip");
	assert_true(data->sensitivity.n_design > 0 && data->sensitivity.n_left > 0);
	bool has_array = false;
	for (size_t i = 0; i < data->sensitivity.n_bar; i++)
		has_array |= strcmp(data->sensitivity.bar[i].param->key, "mla.array") == 0;
	assert_true(has_array); /* declared axes come first */
	/* the knee is no better than the least of its machine */
	assert_true(data->column[0].of[2] >= data->sensitivity.least[0] * (1 - 1e-9));
	end(&fixture);
}

static void test_report_data_of_a_systolic_array(void **state)
{
	struct fixture fixture;
	(void)state;
	begin(&fixture, "spaces/tpu_small.yaml", 7);
	expect_all(&fixture);
	expect_sums(&fixture.data);
	assert_int_equal(fixture.data.chosen, 7);
	end(&fixture);
}

/* Where networks are weighed, changes count and a limit holds: what cannot be says so, what can keeps the limit. */
static void test_report_data_of_several_networks(void **state)
{
	struct fixture fixture;
	(void)state;
	begin(&fixture, NULL, SIZE_MAX);
	const struct report_data *data = &fixture.data;
	expect_all(&fixture);
	assert_true(data->column[0].limit == 2.5);
	assert_true(data->sensitivity.has_limits);
	assert_true(data->sensitivity.least[0] <= 2.5);
	for (size_t i = 0; i < data->sensitivity.n_design; i++)
		assert_true(data->sensitivity.bar[i].least[0] <= 2.5 * (1 + 1e-12));
	end(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_report_data_of_a_chip),
	    cmocka_unit_test(test_report_data_of_a_systolic_array),
	    cmocka_unit_test(test_report_data_of_several_networks),
	};
	return cmocka_run_group_tests_name("report_data", tests, NULL, NULL);
}
