/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machines and networks at the ends of all that files may say, through the commands: every run ends with a result, a
 * mistake in a file or a verdict, and its totals are the sums of what it lists. Each run is a process of its own, so
 * that an abort is told from a refusal; one that takes longer than a second of processor time is stopped and says
 * nothing. EXTREMES=FIRST:N:SECONDS runs N trials from the first one on, each for so long at most, and names all that
 * fail.
 */
#include "tests/support/unit_test.h"

#include "sim/fast/fast.h"
#include "tests/support/command_child.h"
#include "tests/support/random_extreme.h"
#include "tests/support/space_folder.h"
#include <jansson.h>

enum { MAX_SECOND = 1, N_TRIAL = 40 };

/* MACHINE, NETWORK, SPACE and OUT are files and a folder of the trial's. */
static const char *const command[] = {
    "simulate MACHINE NETWORK --json -o OUT",
    "simulate MACHINE NETWORK --json -o OUT --detail greybox",
    "simulate MACHINE NETWORK --json -o OUT --strategy no_fusion",
    "simulate MACHINE NETWORK --json -o OUT --detail event",
    "simulate MACHINE NETWORK",
    "roofline MACHINE NETWORK",
    "map MACHINE NETWORK --split even",
    "map MACHINE NETWORK --split reduced --goal energy --json",
    "power MACHINE NETWORK --budget-ms 100",
    "power MACHINE NETWORK --budget-frac 1.5 --per-loop",
    "check MACHINE NETWORK SPACE",
    "explain SPACE",
    "explore SPACE -q --max-evaluations 300 -o RUNS",
    "explore SPACE -q --engine nsga2 --max-evaluations 300 -o RUNS",
    "explore SPACE -q --engine exhaustive --max-evaluations 300 --json -o RUNS",
    "explore SPACE -q --engine pls --flat --max-evaluations 300 -o RUNS",
    "schedule NETWORK --machine MACHINE",
    "schedule NETWORK --machine MACHINE --strategy hide --chips 3",
    "schedule NETWORK --machine MACHINE --strategy sram",
    "prove MACHINE NETWORK",
};
enum { N_COMMAND = sizeof(command) / sizeof(command[0]) };

static void write_space(struct rng *rng, FILE *file)
{
	static const char *const objective[] = {"latency_ms", "energy_mj", "dram_byte", "peak_power_mw"};
	static const char *const split[] = {"even", "even", "whole", "all"};
	(void)fputs("name: extreme\nmachine: ./machine.yaml\nnetworks: [./network.yaml]\nobjectives: [", file);
	uint32_t first = rng_below(rng, 4), second = rng_below(rng, 4);
	(void)fprintf(file, "%s", objective[first]);
	if (second != first)
		(void)fprintf(file, ", %s", objective[second]);
	(void)fprintf(file, "]\nlayers:\n  - {match: '.*', split: %s}\n", split[rng_below(rng, 4)]);
}

static unsigned max_second = MAX_SECOND;
static char path[6][FOLDER_PATH];

/* Most of those that the reader refuses are drawn again. */
static void write_network(struct rng *rng)
{
	enum err_code code = ERR_INPUT;
	while (code != ERR_OK && rng_below(rng, 30) > 0) {
		struct network network;
		FILE *file = folder_open("network.yaml");
		extreme_write_network(rng, file);
		assert_int_equal(fclose(file), 0);
		code = network_read(path[1], &network, NULL);
		if (code == ERR_OK)
			network_free(&network);
	}
}

static void write_inputs(struct rng *rng)
{
	const struct machine machine = extreme_machine(rng);
	FILE *file = folder_open("machine.yaml");
	extreme_write_machine(file, &machine);
	assert_int_equal(fclose(file), 0);
	write_network(rng);
	file = folder_open("space.yaml");
	write_space(rng, file);
	assert_int_equal(fclose(file), 0);
}

/* ---- what a simulation says ---- */

static uint64_t get_count(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	assert_true(json_is_integer(value) && json_integer_value(value) >= 0);
	return (uint64_t)json_integer_value(value);
}

/* Sums in 128 bits; all of it is within what can be counted. */
static void check_totals(const char *file)
{
	__extension__ typedef unsigned __int128 wide;
	json_t *root = json_load_file(file, 0, NULL), *layer, *phase;
	const json_t *totals = json_object_get(root, "totals");
	wide total = 0, core = 0;
	size_t i;
	const char *name;
	assert_non_null(root);
	json_array_foreach(json_object_get(root, "layers"), i, layer)
	{
		wide sum = 0;
		bool runs =
		    strcmp(json_string_value(json_object_get(layer, "verdict")), verdict_table[VERDICT_OK].name) == 0;
		assert_true(runs == (json_object_get(layer, "total_clk") != NULL));
		if (!runs)
			continue;
		json_object_foreach(json_object_get(layer, "phases"), name, phase) sum += get_count(phase, "clk");
		assert_true(sum == get_count(layer, "total_clk") && sum <= COUNTS_MAX);
		assert_true(get_count(layer, "dram_read_byte") + get_count(layer, "dram_write_byte") <= COUNTS_MAX);
		total += sum;
		core += get_count(layer, "core_clk");
	}
	assert_true(total == get_count(totals, "total_clk") && core == get_count(totals, "core_clk"));
	assert_true(total <= COUNTS_MAX);
	json_decref(root);
}

/* ---- a trial ---- */

/* false: it ended otherwise than it may. The codes are those of README.md. */
static bool run_trial(uint32_t trial, size_t *n_result)
{
	struct rng rng = rng_stream(16, trial, 0);
	const char *line = command[rng_below(&rng, N_COMMAND)];
	const struct command_name name[] = {
	    {"MACHINE", path[0]}, {"NETWORK", path[1]}, {"SPACE", path[2]}, {"OUT", path[3]}, {"RUNS", path[4]}};
	write_inputs(&rng);
	(void)remove(path[3]);
	struct command_end end = command_in_child(line, name, 5, path[5], max_second * 1000);
	int code = end.code;
	if (end.is_late)
		return true;
	bool is_reason = code == ERR_INPUT || code == ERR_INFEASIBLE || code == ERR_USAGE;
	if ((code == ERR_OK || is_reason) && !command_said(path[5], "runtime error")) {
		*n_result += code == ERR_OK;
		if (code == ERR_OK && strstr(line, "simulate") == line && strstr(line, "OUT"))
			check_totals(path[3]);
		return true;
	}
	print_error("trial %u: dse %s: %s %d\n", trial, line, code < 0 ? "signal" : "code",
	            code < 0 ? end.signal : code);
	for (int i = 0; i < 3 && !getenv("EXTREMES_SHORT"); i++)
		command_show(path[i]);
	command_show(path[5]);
	return false;
}

static void test_extremes_end_with_a_result_or_a_reason(void **state)
{
	unsigned first = 0, n = N_TRIAL;
	size_t n_failed = 0, n_result = 0;
	const char *wanted = getenv("EXTREMES");
	(void)state;
	if (wanted)
		assert_true(sscanf(wanted, "%u:%u:%u", &first, &n, &max_second) >= 2);
	for (unsigned i = 0; i < n; i++)
		n_failed += !run_trial(first + i, &n_result);
	print_message("%zu of %u trials have a result\n", n_result, n);
	assert_int_equal(n_failed, 0);
	assert_true(wanted || n_result > n / 10);
}

static int set_up(void **state)
{
	static const char *const name[] = {"machine.yaml", "network.yaml", "space.yaml", "out.json", "runs", "said"};
	if (setenv("DSE_STORE", "none", 1) != 0 || folder_make(state) != 0)
		return -1;
	for (int i = 0; i < 6; i++)
		(void)folder_path(name[i], path[i]);
	return 0;
}

static int tear_down(void **state)
{
	char line[FOLDER_PATH + 16];
	(void)snprintf(line, sizeof(line), "rm -rf '%s'", path[4]);
	return system(line) == 0 ? folder_remove(state) : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_extremes_end_with_a_result_or_a_reason),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
