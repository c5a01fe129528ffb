/* SPDX-License-Identifier: Apache-2.0 */
/* Which parameters a sensitivity asks, at which values, and what it leaves out. */
#include "dse/base/memory.h"
#include "dse/why/next_value.h"
#include "dse/why/sensitivity_parts.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- what is left out ---- */

static const struct {
	const char *begins, *reason;
} tautology[] = {
    {"energy.", "a coefficient: by construction energy grows with it by the part that it prices"},
    {"area.", "a unit price, which neither latency nor energy has"},
    {"dvfs.", "operating points: the mapping chooses them; 'dse power' asks what they cost"},
    {"octopus.", "the run-time system's overhead, which is not in latency_ms"},
    {"mla.round_waits", "the fast tier does not read it"},
    {"mla.turn_clk", "the fast tier does not read it"},
    {"mla.a_buffer_packet", "the fast tier does not read it"},
    {"mla.matmul_stream", "the fast tier does not read it"},
    {"mla.trim_b", "the fast tier does not read it"},
    {"mla.accumulator_bit", "the fast tier does not read it; with a technology it prices a MAC unit"},
    {"noc.sync_clk", "the fast tier does not read it"},
    {"pe.program_byte", "no operand lies there"},
    {"systolic.memory_model", "a choice of model, not of machine"},
};
#define LEVELS_REASON \
	"clock and voltage scale everything at a level by construction; energies of a level are coefficients"

static const char *const software[] = {"arm.", "transfer.", "mla.init_clk", "dram.interface_clk",
                                       "chip.host_latency_clk"};

/*
 * DRAM bandwidth is clock times bytes an access over clocks an access (sim/README.md): the other names of a quantity
 * differ in rounding alone. The first one has the bars where the space declares none.
 */
static const struct {
	const char *key, *same_as, *others;
} named_again[] = {
    {"dram.clk_mhz", NULL, "dram.access_byte or dram.access_clk"},
    {"dram.access_byte", "dram.clk_mhz", NULL},
    {"dram.access_clk", "dram.clk_mhz", NULL},
};
#define SAME_REASON "the same bandwidth as dram.clk_mhz"

static const char *why_left_out(const struct machine_param *param)
{
	for (size_t i = 0; i < sizeof(tautology) / sizeof(tautology[0]); i++)
		if (strncmp(param->key, tautology[i].begins, strlen(tautology[i].begins)) == 0)
			return tautology[i].reason;
	return NULL;
}

bool sensitivity_is_software(const struct machine_param *param)
{
	for (size_t i = 0; i < sizeof(software) / sizeof(software[0]); i++)
		if (strncmp(param->key, software[i], strlen(software[i])) == 0)
			return true;
	return false;
}

static bool is_named_again(const struct machine_param *param)
{
	for (size_t i = 0; i < sizeof(named_again) / sizeof(named_again[0]); i++)
		if (strcmp(param->key, named_again[i].key) == 0)
			return named_again[i].same_as != NULL;
	return false;
}

const char *sensitivity_other_names(const struct machine_param *param)
{
	for (size_t i = 0; i < sizeof(named_again) / sizeof(named_again[0]); i++)
		if (strcmp(param->key, named_again[i].key) == 0)
			return named_again[i].others;
	return NULL;
}

void sensitivity_leave_out(struct sensitivity *sensitivity, const char *key, const char *reason)
{
	assert(sensitivity->n_left <= machine_n_param); /* each parameter once, and levels */
	sensitivity->left[sensitivity->n_left++] = (struct sensitivity_left){key, reason};
}

/* ---- values ---- */

/* Who takes the next values of a parameter. */
struct lister {
	const struct space *space;
	const struct machine *machine;
	struct sensitivity *sensitivity;
	const struct machine_param *param;
	bool is_declared;
	size_t n_alloc;
};

static const struct space_axis *find_axis(const struct space *space, const struct machine_param *param)
{
	for (size_t i = 0; i < space->n_axis; i++)
		if (space->axis[i].param == param)
			return &space->axis[i];
	return NULL;
}

static const struct machine_param *find_param(const char *key)
{
	for (size_t i = 0; i < machine_n_param; i++)
		if (strcmp(machine_param[i].key, key) == 0)
			return &machine_param[i];
	return NULL;
}

/* A wider or narrower mesh has so many QPEs more or less; those beside it stay. */
static void change_along(const struct lister *lister, struct sensitivity_bar *bar)
{
	const struct machine *machine = lister->machine;
	struct machine other = *machine;
	const struct machine_param *n_qpe = find_param("chip.n_qpe");
	if (lister->is_declared || strncmp(bar->param->key, "chip.mesh_", 10) != 0 || !n_qpe ||
	    find_axis(lister->space, n_qpe) || machine_set_param(&other, bar->param, bar->to, NULL) != ERR_OK)
		return;
	uint64_t own = (uint64_t)machine->chip.mesh_w * machine->chip.mesh_h, next = (uint64_t)other.chip.mesh_w * other.chip.mesh_h;
	(void)snprintf(bar->with_to, sizeof(bar->with_to), "%" PRIu64, machine->chip.n_qpe + next - own);
	bar->with = n_qpe;
}

/* A value that is the machine's own, or is there already, or is none, makes no bar. */
static void add_value(void *context, const char *text)
{
	struct lister *lister = context;
	struct sensitivity *sensitivity = lister->sensitivity;
	struct machine machine = *lister->machine;
	struct sensitivity_bar bar = {.param = lister->param, .is_declared = lister->is_declared};
	(void)machine_print_param(&machine, bar.param, bar.from, sizeof(bar.from));
	if (machine_set_param(&machine, bar.param, text, NULL) != ERR_OK)
		return;
	(void)machine_print_param(&machine, bar.param, bar.to, sizeof(bar.to));
	bool is_there = strcmp(bar.from, bar.to) == 0;
	for (size_t i = 0; i < sensitivity->n_bar; i++)
		is_there |= sensitivity->bar[i].param == bar.param && strcmp(sensitivity->bar[i].to, bar.to) == 0;
	if (is_there || sensitivity->n_bar == lister->n_alloc)
		return;
	change_along(lister, &bar);
	sensitivity->bar[sensitivity->n_bar++] = bar;
}

/* All others of a few: true and false, names. */
static void add_names(struct lister *lister, const struct space_axis *axis)
{
	const struct machine_param *param = lister->param;
	lister->is_declared = true;
	for (size_t i = 0; axis && i < axis->n; i++)
		add_value(lister, axis->value[i]);
	if (axis && axis->n > 1)
		return;
	lister->is_declared = false;
	if (param->type == PARAM_BOOL) {
		add_value(lister, machine_get_param(lister->machine, param) > 0.0 ? "false" : "true");
		return;
	}
	for (const char *name = param->unit; name && *name;) {
		char text[SENSITIVITY_TEXT_SIZE];
		size_t n = strcspn(name, "/");
		(void)snprintf(text, sizeof(text), "%.*s", (int)n, name);
		add_value(lister, text);
		name = name[n] ? name + n + 1 : NULL;
	}
}

static void add_values(struct lister *lister)
{
	const struct machine_param *param = lister->param;
	const struct machine *machine = lister->machine;
	const struct space_axis *axis = find_axis(lister->space, param);
	size_t n_before = lister->sensitivity->n_bar;
	char own[SENSITIVITY_TEXT_SIZE];
	if (param->type == PARAM_BOOL || param->type == PARAM_ENUM) {
		add_names(lister, axis);
		return;
	}
	(void)machine_print_param(machine, param, own, sizeof(own));
	for (int i = NEXT_N_SIDE; i-- > 0;) {
		enum next_side side = (enum next_side)i;
		lister->is_declared = true;
		if (axis && next_declared(machine, axis, own, side, add_value, lister) > 0)
			continue;
		lister->is_declared = false;
		next_beyond(machine, param, axis, own, side, add_value, lister);
	}
	if (lister->sensitivity->n_bar == n_before)
		sensitivity_leave_out(lister->sensitivity, param->key,
		                      machine_get_param(machine, param) > 0.0 ? "no other value in its range"
		                                                              : "0: it has no next value");
}

void sensitivity_list_values(const struct space *space, const struct machine *machine, struct sensitivity *sensitivity)
{
	struct lister lister = {
	    .space = space, .machine = machine, .sensitivity = sensitivity, .n_alloc = 4 * machine_n_param};
	for (size_t i = 0; i < space->n_axis; i++)
		lister.n_alloc += space->axis[i].n;
	sensitivity->bar = memory_must(arena_array(&sensitivity->arena, lister.n_alloc, sizeof(*sensitivity->bar)));
	sensitivity->left =
	    memory_must(arena_array(&sensitivity->arena, machine_n_param + 1, sizeof(*sensitivity->left)));
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct machine_param *param = &machine_param[i];
		const char *reason = why_left_out(param);
		if (!machine_param_serves(param, machine->target))
			continue;
		bool is_axis = find_axis(space, param) != NULL;
		if (is_axis && strncmp(param->key, "dvfs.", 5) == 0)
			reason = NULL;
		if (!reason && is_named_again(param) && !is_axis)
			reason = SAME_REASON;
		lister.param = param;
		if (reason)
			sensitivity_leave_out(sensitivity, param->key, reason);
		else
			add_values(&lister);
	}
	sensitivity_leave_out(sensitivity, "levels", LEVELS_REASON);
}
