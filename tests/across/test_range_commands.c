/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ends of all ranges, one and two at a time (support/range_ends.h), through every command that takes a machine: by
 * --set, as dse why's choice, in a space. Each ends with a result or a reason; what it prints is checked by the tests
 * of the commands, figures by test_ranges. One end alone goes through all commands, two through one each. A command
 * that takes longer than a quarter of a second of processor time is stopped and says nothing. RANGES=CASE: one case,
 * all commands.
 */
#include "tests/support/unit_test.h"

#include "tests/support/command_child.h"
#include "tests/support/draws.h"
#include "tests/support/range_ends.h"
#include "tests/support/space_folder.h"
#include <glob.h>
#include <inttypes.h>

enum { MAX_MS = SLOW_BUILD ? 2000 : 250, N_SHOWN = 20 };

/* SET is --set with each end; CHOICE the ends as they are. */
static const char *const command[] = {
    "simulate MACHINE NETWORK SET",
    "simulate MACHINE NETWORK --json --detail greybox SET",
    "simulate MACHINE NETWORK --detail event SET",
    "roofline MACHINE NETWORK SET",
    "map MACHINE NETWORK --split even SET",
    "map MACHINE NETWORK --split reduced --goal energy --json SET",
    "power MACHINE NETWORK --budget-frac 1.5 SET",
    "power MACHINE NETWORK --budget-ms 100 --per-loop SET",
    "schedule NETWORK --machine MACHINE SET",
    "schedule NETWORK --machine MACHINE --strategy hide --chips 2 SET",
    "prove MACHINE NETWORK SET",
    "check SPACE SET",
    "explain MACHINE SET",
    "explore SPACE --detail fast -q --max-evaluations 200 -o RUNS SET",
    "explore SPACE -q --max-evaluations 100 -o RUNS SET",
    "explore SPACE --detail fast -q --engine nsga2 --max-evaluations 200 -o RUNS SET",
    "size MACHINE NETWORK --vary chip.n_dram=1,2 --detail fast --max-evaluations 100 -q -o RUNS SET",
    "sensitivity MACHINE NETWORK SET",
    "why RUN CHOICE --store none",
    "validate tests/reference/pe_tasks.csv --machine MACHINE SET",
    "validate tests/reference/octopus_mlp.csv --machine MACHINE SET",
    "fit spaces/measurements/example.csv --machine MACHINE SET",
    "arada spaces/arada.yaml SET",
};
enum { N_COMMAND = sizeof(command) / sizeof(command[0]) };

static const char *const network_text[] = {
    "input: [16, 16, 8]\nlayers:\n  - conv: {kernel: 3, out_channels: 16}\n  - conv: {kernel: 3, groups: depthwise, "
    "stride: 2}\n"
    "  - fc: {out: 10}\n",
    "input: [1, 1, 1]\nlayers:\n  - conv: {kernel: 1, out_channels: 1}\n",
    "input: [65536, 65536, 64]\nlayers:\n  - conv: {kernel: 1, out_channels: 64}\n",
    "input: [14, 14, 64]\nbatch: 5\nlayers:\n  - conv: {kernel: 3, out_channels: 64, groups: 4}\n  - arm: {op: "
    "softmax}\n",
    "input: 16777216\nlayers:\n  - fc: {out: 16}\n",
    "input: [64, 1, 96]\nlayers:\n  - conv: {kernel: 1, out_channels: 96, operator: MatMul}\n  - pool: {window: 2, "
    "stride: 2}\n",
};
enum { N_NETWORK = sizeof(network_text) / sizeof(network_text[0]) };

enum { PATH_NETWORK, PATH_SPACE, PATH_RUNS, PATH_SAID, PATH_RUN, N_PATH };
static char path[N_PATH][FOLDER_PATH];
static uint64_t n_run, n_result, n_late, n_broken;

static void write_inputs(const struct range_case *which, uint64_t number)
{
	char here[FOLDER_PATH];
	folder_write("network.yaml", "name: range\n", network_text[number % N_NETWORK]);
	assert_non_null(getcwd(here, sizeof(here)));
	FILE *space = folder_open("space.yaml");
	(void)fprintf(space,
	              "name: range\nmachine: %s/%s\nnetwork: ./network.yaml\nobjectives: [latency_ms, energy_mj]\n"
	              "layers:\n  - {match: '.*', split: even}\n",
	              here, which->file);
	assert_int_equal(fclose(space), 0);
}

/* The command with its ends in place of SET and CHOICE; false: it cannot be asked that. */
static bool make_line(const char *pattern, const struct range_case *which, char line[COMMAND_LINE])
{
	char first[RANGE_END_TEXT], second[RANGE_END_TEXT];
	const char *set = strstr(pattern, "SET"), *choice = strstr(pattern, "CHOICE"), *at = set ? set : choice;
	size_t n_rest = set ? 3 : 6;
	assert_non_null(at);
	if (choice && (!which->first->param || !which->second->param))
		return false;
	range_end_print(which->first, which->base->level[0].name, first);
	range_end_print(which->second, which->base->level[0].name, second);
	int n = snprintf(line, COMMAND_LINE, "%.*s%s%s", (int)(at - pattern), pattern, set ? "--set " : "", first);
	if (which->second != which->first)
		n += snprintf(line + n, COMMAND_LINE - (size_t)n, " %s%s", set ? "--set " : "", second);
	n += snprintf(line + n, COMMAND_LINE - (size_t)n, "%s", at + n_rest);
	return n < COMMAND_LINE;
}

static void run_one(const struct range_case *which, const char *pattern)
{
	char line[COMMAND_LINE], machine[FOLDER_PATH];
	(void)snprintf(machine, sizeof(machine), "%s", which->file);
	const struct command_name name[] = {{"MACHINE", machine},
	                                    {"NETWORK", path[PATH_NETWORK]},
	                                    {"SPACE", path[PATH_SPACE]},
	                                    {"RUNS", path[PATH_RUNS]},
	                                    {"RUN", path[PATH_RUN]}};
	if (!make_line(pattern, which, line))
		return;
	struct command_end end = command_in_child(line, name, sizeof(name) / sizeof(name[0]), path[PATH_SAID], MAX_MS);
	n_run++;
	n_late += end.is_late;
	n_result += end.code == ERR_OK;
	bool is_reason = end.code == ERR_INPUT || end.code == ERR_INFEASIBLE || end.code == ERR_USAGE;
	if (end.is_late || ((end.code == ERR_OK || is_reason) && !command_said(path[PATH_SAID], "runtime error")))
		return;
	if (n_broken++ >= N_SHOWN)
		return;
	print_error("case %" PRIu64 ", network %" PRIu64 ": dse %s: code %d, signal %d\n", which->number,
	            which->number % N_NETWORK, line, end.code, end.signal);
	command_show(path[PATH_SAID]);
}

static void test_commands_end_with_a_result_or_a_reason(void **state)
{
	struct range_cases cases = range_cases_all();
	struct range_case which;
	uint64_t n_case = range_cases_count(), n_drawn = draws((uint32_t)n_case, 40);
	uint64_t share = n_drawn < n_case ? n_case / n_drawn : 1, seed = 0;
	const char *one = getenv("RANGES");
	(void)state;
	while (range_cases_next(&cases, &which)) {
		bool is_single = which.first == which.second, is_whole = (is_single && draws_all()) || one;
		if (one ? which.number != strtoull(one, NULL, 10) : !is_whole && which.number % share != 0)
			continue;
		write_inputs(&which, which.number);
		seed++;
		for (unsigned i = 0; i < N_COMMAND; i++)
			if (is_whole || i == seed % N_COMMAND)
				run_one(&which, command[i]);
	}
	print_message("%" PRIu64 " commands: %" PRIu64 " with a result, %" PRIu64 " not within %d ms, %" PRIu64
	              " broken\n",
	              n_run, n_result, n_late, MAX_MS, n_broken);
	assert_int_equal(n_broken, 0);
	assert_true(one || n_result > n_run / 10);
}

static int set_up(void **state)
{
	static const char *const name[] = {"network.yaml", "space.yaml", "runs", "said", "run"};
	char pattern[FOLDER_PATH + 16];
	glob_t found;
	if (setenv("DSE_STORE", "none", 1) != 0 || folder_make(state) != 0)
		return -1;
	for (int i = 0; i < N_PATH; i++)
		(void)folder_path(name[i], path[i]);
	/* a run for dse why to ask */
	const struct command_name names[] = {{"RUNS", path[PATH_RUN]}};
	struct command_end end =
	    command_in_child("explore spaces/smoke.yaml --detail fast -q -o RUNS", names, 1, path[PATH_SAID], 60000);
	(void)snprintf(pattern, sizeof(pattern), "%s/smoke-*", path[PATH_RUN]);
	if (end.code != 0 || glob(pattern, 0, NULL, &found) != 0)
		return -1;
	(void)snprintf(path[PATH_RUN], FOLDER_PATH, "%s", found.gl_pathv[0]);
	globfree(&found);
	return 0;
}

static int tear_down(void **state)
{
	char line[2 * FOLDER_PATH + 20];
	(void)snprintf(line, sizeof(line), "rm -rf '%s/runs' '%s/run'", folder, folder);
	return system(line) == 0 ? folder_remove(state) : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_commands_end_with_a_result_or_a_reason),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
