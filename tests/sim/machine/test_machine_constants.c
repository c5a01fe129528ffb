/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every constant of every shipped machine, and every default, matters: changed
 * by a tenth or by one legal step, whichever is larger, it changes a figure that
 * tests/golden/ has recorded, by more than rounding.
 * `test_machine_constants --record` records them anew; review the difference.
 */
#include "tests/support/unit_test.h"
#include "dse/space/space.h"
#include "dse/space/machine_read.h"
#include "tests/support/machine_figures.h"
#include "sim/machine/machine_check.h"
#include <math.h>
#include <stdlib.h>

#define CLOSE_FRAC 1e-7 /* figures are recorded with nine digits */
#define MAX_ROW 512
#define MAX_LINE 1024

/* ---- machines ---- */

static const char *const machine_path[] = {
    "spaces/machines/thesis_chip.yaml", "spaces/machines/thesis_qpe_dram.yaml",
    "spaces/machines/hdl_qpe.yaml",     "spaces/machines/dvfs_chip.yaml",
    "spaces/machines/final_chip.yaml",  "spaces/machines/hdl_qpe_calibrated.yaml",
    "spaces/machines/dvfs_table.yaml",
};
#define N_PATH (sizeof(machine_path) / sizeof(machine_path[0]))
#define N_MACHINE (N_PATH + 2) /* and the defaults of both targets */

static double *level_value(struct operating_point *level, const struct level_param *param)
{
	return (double *)(void *)((char *)level + param->offset);
}

/* The shipped machines, then nothing but defaults, levels' included. */
static struct machine get_machine(size_t i)
{
	struct machine machine;
	struct err err = {0};
	assert_true(i < N_MACHINE);
	if (i < N_PATH) {
		if (machine_read(machine_path[i], &machine, &err) != ERR_OK)
			fail_msg("%s", err_text(&err));
		return machine;
	}
	machine_init(&machine, i == N_PATH ? MACHINE_CHIP : MACHINE_QPE);
	snprintf(machine.name, sizeof(machine.name), "default_%s", i == N_PATH ? "chip" : "qpe");
	machine.n_level = 1;
	snprintf(machine.level[0].name, sizeof(machine.level[0].name), "default");
	for (size_t k = 0; k < machine_n_level_param; k++)
		*level_value(&machine.level[0], &level_param[k]) = level_param[k].initial;
	assert_int_equal(machine_check(&machine, NULL), ERR_OK);
	return machine;
}

/* ---- golden rows ---- */

struct golden {
	size_t n;
	struct figure_row row[MAX_ROW];
};

/* A line "machine,level,case,value,value..."; blanks belong to the names. */
static void read_row(char *line, enum figure_table table, struct figure_row *row)
{
	*row = (struct figure_row){.table = table};
	char *at = line;
	for (int i = 0; i < 3; i++) {
		at = strchr(at, ',');
		assert_non_null(at);
		at++;
	}
	at[-1] = '\0';
	assert_true(strlen(line) < sizeof(row->label));
	memcpy(row->label, line, strlen(line) + 1);
	for (size_t i = 0; figure_info[table].column[i]; i++) {
		char *end;
		row->value[i] = strtod(at, &end);
		assert_true(end > at && (*end == ',' || *end == '\n'));
		at = end + 1;
	}
}

static struct golden *read_golden(void)
{
	struct golden *golden = calloc(1, sizeof(*golden));
	char line[MAX_LINE];
	assert_non_null(golden);
	for (int table = 0; table < N_FIGURE_TABLE; table++) {
		FILE *file = fopen(figure_info[table].path, "r");
		if (!file)
			fail_msg("%s cannot be read; run with --record", figure_info[table].path);
		assert_non_null(fgets(line, sizeof(line), file));
		while (fgets(line, sizeof(line), file)) {
			assert_true(golden->n < MAX_ROW);
			read_row(line, (enum figure_table)table, &golden->row[golden->n++]);
		}
		assert_int_equal(fclose(file), 0);
	}
	return golden;
}

static const struct figure_row *find_row(const struct golden *golden, const struct figure_row *row)
{
	for (size_t i = 0; i < golden->n; i++) {
		if (golden->row[i].table == row->table && strcmp(golden->row[i].label, row->label) == 0)
			return &golden->row[i];
	}
	return NULL;
}

/* The first column in which a row differs from the recorded one, or -1. */
static int find_difference(const struct figure_row *row, const struct figure_row *want)
{
	for (int i = 0; figure_info[row->table].column[i]; i++) {
		if (!(fabs(row->value[i] - want->value[i]) <= CLOSE_FRAC * fabs(want->value[i])))
			return i;
	}
	return -1;
}

/* ---- recording ---- */

static bool record_row(void *user, const struct figure_row *row)
{
	FILE *const *file = user;
	fputs(row->label, file[row->table]);
	for (int i = 0; figure_info[row->table].column[i]; i++)
		fprintf(file[row->table], ",%.9g", row->value[i]);
	fputc('\n', file[row->table]);
	return true;
}

static void test_machine_constants_record(void **state)
{
	FILE *file[N_FIGURE_TABLE];
	(void)state;
	for (int table = 0; table < N_FIGURE_TABLE; table++) {
		file[table] = fopen(figure_info[table].path, "w");
		assert_non_null(file[table]);
		fputs("machine,level,case", file[table]);
		for (int i = 0; figure_info[table].column[i]; i++)
			fprintf(file[table], ",%s", figure_info[table].column[i]);
		fputc('\n', file[table]);
	}
	for (size_t i = 0; i < N_MACHINE; i++) {
		struct machine machine = get_machine(i);
		figures_of(&machine, record_row, file);
	}
	for (int table = 0; table < N_FIGURE_TABLE; table++)
		assert_int_equal(fclose(file[table]), 0);
}

/* ---- as recorded ---- */

struct check {
	const struct golden *golden;
	size_t n_row, n_different;
};

static bool check_row(void *user, const struct figure_row *row)
{
	struct check *check = user;
	const struct figure_row *want = find_row(check->golden, row);
	int i = want ? find_difference(row, want) : 0;
	check->n_row++;
	if (want && i < 0)
		return true;
	if (check->n_different++ < 20)
		print_error("%s: %s is %.9g, recorded %.9g\n", row->label, figure_info[row->table].column[i],
		            row->value[i], want ? want->value[i] : NAN);
	return true;
}

static void test_machine_constants_figures_are_as_recorded(void **state)
{
	struct check check = {.golden = *state};
	for (size_t i = 0; i < N_MACHINE; i++) {
		struct machine machine = get_machine(i);
		figures_of(&machine, check_row, &check);
	}
	assert_int_equal(check.n_different, 0);
	assert_int_equal(check.n_row, check.golden->n);
}

/* ---- changed constants ---- */

struct search {
	const struct golden *golden;
	bool tier[N_FIGURE_TABLE]; /* tables that are looked at */
	bool found;
};

static bool search_row(void *user, const struct figure_row *row)
{
	struct search *search = user;
	if (!search->tier[row->table])
		return true;
	const struct figure_row *want = find_row(search->golden, row);
	assert_non_null(want);
	search->found = find_difference(row, want) >= 0;
	return !search->found;
}

/* Whether a machine's figures differ from the recorded ones. */
static bool differs(const struct golden *golden, const struct machine *machine)
{
	struct search search = {.golden = golden, .tier = {true, true, true}};
	figures_of(machine, search_row, &search);
	return search.found;
}

/* Ways to change a value: more or less; of an array also by which side. */
enum { MORE, LESS, MORE_ROWS, LESS_ROWS, N_WAY };
#define MAX_EXTRA_STEP 64 /* legal values are sought so far */

/* A tenth more or less, or extra steps beyond; a real number's step from zero is a tenth. */
static void print_change(const struct machine *machine, const struct machine_param *param, int way, uint32_t n_extra,
                         char *text, size_t n_byte)
{
	double sign = way == LESS || way == LESS_ROWS ? -1 : 1, value = machine_get_param(machine, param);
	bool is_row = way == MORE_ROWS || way == LESS_ROWS;
	if (param->type == PARAM_ARRAY)
		value = is_row ? machine->mla_rows : machine->mla_cols;
	double step = param->type == PARAM_REAL ? 0.1 * value : fmax(1, round(0.1 * value));
	/* of an area that others add to: one that is seen beside theirs */
	if (step == 0)
		step = fmax(0.1, 1e-12 * param->max);
	value += sign * (step + (param->type == PARAM_REAL ? step : 1) * n_extra);
	if (param->type == PARAM_ARRAY && is_row)
		snprintf(text, n_byte, "%ux%.0f", machine->mla_cols, value);
	else if (param->type == PARAM_ARRAY)
		snprintf(text, n_byte, "%.0fx%u", value, machine->mla_rows);
	else if (param->type == PARAM_BOOL)
		snprintf(text, n_byte, "%s", machine_get_param(machine, param) > 0 ? "false" : "true");
	else if (param->type == PARAM_U32)
		snprintf(text, n_byte, "%.0f", value);
	else
		snprintf(text, n_byte, "%.17g", value);
}

/* The nearest legal change of a tenth or more that way; false: none. */
static bool change_param(const struct machine *base, const struct machine_param *param, int way,
                         struct machine *changed, char *text, size_t n_byte)
{
	bool one_number = param->type == PARAM_U32 || param->type == PARAM_REAL;
	if ((one_number && way > LESS) || (param->type == PARAM_BOOL && way > MORE))
		return false;
	for (uint32_t n_extra = 0; n_extra < MAX_EXTRA_STEP; n_extra++) {
		*changed = *base;
		print_change(base, param, way, n_extra, text, n_byte);
		if (machine_set_param(changed, param, text, NULL) == ERR_OK && machine_check(changed, NULL) == ERR_OK)
			return true;
	}
	return false;
}

/* What one QPE has no use for: it has no other blocks and no storage QPEs. The shipped QPEs leave it out. */
static bool is_idle(const struct machine *machine, const struct machine_param *param)
{
	static const char *const key[] = {"transfer.migrate_setup_clk", "transfer.ring_setup_clk",
	                                  "chip.storage_pe_byte"};
	/* sizes that count by a technology alone */
	bool idle = !(machine->technology.of.node_nm > 0) &&
	            (strcmp(param->key, "mla.accumulator_bit") == 0 || strcmp(param->key, "pe.program_byte") == 0);
	for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++)
		idle |= machine->target == MACHINE_QPE && strcmp(param->key, key[i]) == 0;
	return idle;
}

/* Routers that pass several packets get still more than their links, one packet a clock each, can bring. */
static bool outruns_links(const struct machine *base, const struct machine *changed)
{
	return base->noc_router_packet > 1 && changed->noc_router_packet > base->noc_router_packet;
}

/*
 * Changes of one constant that leave all recorded figures of its machine as they
 * are, or have none to leave.
 */
static size_t count_silent(const struct golden *golden, const struct machine *base, const struct machine_param *param)
{
	size_t n_legal = 0, n_silent = 0;
	for (int way = 0; way < N_WAY; way++) {
		struct machine changed;
		char text[48];
		if (!change_param(base, param, way, &changed, text, sizeof(text)))
			continue;
		n_legal++;
		if (differs(golden, &changed) != is_idle(base, param) || outruns_links(base, &changed))
			continue;
		print_error("%s: %s of %s changes %s\n", base->name, param->key, text,
		            is_idle(base, param) ? "a figure" : "nothing");
		n_silent++;
	}
	/* names have no neighbours; a machine of one QPE with any other number of them is refused */
	if (n_legal == 0)
		assert_true(param->type == PARAM_ENUM ||
		            (base->target == MACHINE_QPE && strncmp(param->key, "chip.", 5) == 0));
	return n_silent;
}

static void test_machine_constants_each_changes_a_figure(void **state)
{
	size_t n_silent = 0;
	for (size_t i = 0; i < N_MACHINE; i++) {
		struct machine base = get_machine(i);
		for (size_t k = 0; k < machine_n_param; k++)
			if (machine_param_serves(&machine_param[k], base.target))
				n_silent += count_silent(*state, &base, &machine_param[k]);
	}
	assert_int_equal(n_silent, 0);
}

/* But for the voltage, which the next test is about: a level's energies are given for it, not scaled by it. */
static void test_machine_constants_each_of_a_level_changes_a_figure(void **state)
{
	for (size_t i = 0; i < N_MACHINE; i++) {
		struct machine base = get_machine(i);
		for (size_t k = 0; k < base.n_level * machine_n_level_param; k++) {
			const struct level_param *param = &level_param[k % machine_n_level_param];
			for (int way = MORE; way <= LESS; way++) {
				struct machine changed = base;
				double *value = level_value(&changed.level[k / machine_n_level_param], param);
				double step = *value > 0 ? 0.1 * *value : 0.1;
				*value += way == MORE ? step : -step;
				if (machine_check(&changed, NULL) != ERR_OK || strcmp(param->key, "vdd_v") == 0)
					continue;
				if (!differs(*state, &changed))
					fail_msg("%s: %s of %g changes nothing", base.name, param->key, *value);
			}
		}
	}
}

/* Dynamic energy grows with the square of the voltage (DVFS paper equation 1): 8.5 pJ at 0.5 V, two digits given. */
static void test_machine_constants_energy_fits_the_voltage(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_MACHINE; i++) {
		struct machine machine = get_machine(i);
		for (uint32_t level = 0; level < machine.n_level; level++) {
			const struct operating_point *point = &machine.level[level];
			double want_pj = 8.5 * (point->vdd_v / 0.5) * (point->vdd_v / 0.5);
			if (fabs(point->mla_clk_pj - want_pj) > 0.01 * want_pj)
				fail_msg("%s: %g pJ at %g V, expected %g", machine.name, point->mla_clk_pj,
				         point->vdd_v, want_pj);
		}
	}
}

/* The event tier has clocks of its own; what times a task in the one tier does so in the other. */
static void test_machine_constants_time_the_event_tier(void **state)
{
	static const char *const key[] = {
	    "mla.array", "mla.postprocess", "mla.init_clk", "pe.sram_port_byte", "pe.sram_access_clk",
	    "qpe.n_pe",  "noc.packet_byte", "noc.hop_clk",  "noc.clk_mhz",       "noc.router_packet"};
	for (size_t i = 0; i < N_MACHINE * (sizeof(key) / sizeof(key[0])); i++) {
		struct machine base = get_machine(i % N_MACHINE), changed;
		const struct machine_param *param = machine_find_param(key[i / N_MACHINE]);
		struct search search = {.golden = *state, .tier = {[FIGURE_TASK] = true}};
		char text[48];
		for (int way = 0; way < N_WAY && !search.found; way++) {
			if (change_param(&base, param, way, &changed, text, sizeof(text)))
				figures_of(&changed, search_row, &search);
		}
		if (!search.found)
			fail_msg("%s: %s changes no task", base.name, param->key);
	}
}

/* The tests above can fail: a machine as it is, or with what has no bearing on figures, changes nothing. */
static void test_machine_constants_nothing_changes_by_itself(void **state)
{
	for (size_t i = 0; i < N_MACHINE; i++) {
		struct machine machine = get_machine(i);
		assert_false(differs(*state, &machine));
		machine.level[0].vdd_v *= 1.1;
		machine.dram_byte_pj *= 1 + 1e-9;
		assert_false(differs(*state, &machine));
	}
}

static int set_up(void **state)
{
	*state = read_golden();
	return 0;
}

static int tear_down(void **state)
{
	free(*state);
	return 0;
}

int main(int n_argument, char **argument)
{
	const struct CMUnitTest record[] = {cmocka_unit_test(test_machine_constants_record)};
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_machine_constants_figures_are_as_recorded),
	    cmocka_unit_test(test_machine_constants_each_changes_a_figure),
	    cmocka_unit_test(test_machine_constants_each_of_a_level_changes_a_figure),
	    cmocka_unit_test(test_machine_constants_energy_fits_the_voltage),
	    cmocka_unit_test(test_machine_constants_time_the_event_tier),
	    cmocka_unit_test(test_machine_constants_nothing_changes_by_itself),
	};
	if (n_argument == 2 && strcmp(argument[1], "--record") == 0)
		return cmocka_run_group_tests(record, NULL, NULL);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
