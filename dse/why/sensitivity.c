/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/why/sensitivity.h"
#include "dse/base/interrupt.h"
#include "dse/base/memory.h"
#include "dse/design/front_read.h"
#include "dse/engine/engine.h"
#include "dse/pareto/indicator.h"
#include "dse/search/explore.h"
#include "dse/search/least.h"
#include "dse/space/space_machine.h"
#include "dse/space/space_variant.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const enum metric sensitivity_metric[SENSITIVITY_N_METRIC] = {METRIC_LATENCY, METRIC_ENERGY};

/* ---- what is left out ---- */

/* Not tautologies, but many: they have bars where a space makes them an axis. */
#define SETUP_REASON "clocks of software and set-up, not a size of the machine; as an axis of a run it has bars"

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
    {"arm.", SETUP_REASON},
    {"transfer.", SETUP_REASON},
    {"mla.init_clk", SETUP_REASON},
    {"dram.interface_clk", SETUP_REASON},
    {"chip.host_latency_clk", SETUP_REASON},
    {"pe.program_byte", "no operand lies there"},
    {"systolic.memory_model", "a choice of model, not of machine"},
};
#define LEVELS_REASON \
	"clock and voltage scale everything at a level by construction; energies of a level are coefficients"

static const char *why_left_out(const struct machine_param *param)
{
	for (size_t i = 0; i < sizeof(tautology) / sizeof(tautology[0]); i++)
		if (strncmp(param->key, tautology[i].begins, strlen(tautology[i].begins)) == 0)
			return tautology[i].reason;
	return NULL;
}

/* ---- the machine ---- */

struct study {
	const struct sensitivity_request *request;
	struct sensitivity *sensitivity;
	struct machine machine; /* as it is */
	size_t n_alloc, n_left_alloc;
	struct least_memory *memory;
	struct err *err;
};

static const struct space_axis *find_axis(const struct space *space, const struct machine_param *param)
{
	for (size_t i = 0; i < space->n_axis; i++)
		if (space->axis[i].param == param)
			return &space->axis[i];
	return NULL;
}

/* The machine alone, with one more parameter at a value (NULL: as it is). */
static void make_variant(const struct study *study, const struct machine_param *param, const char *text,
                         struct arena *arena, struct space *variant)
{
	const struct sensitivity_request *request = study->request;
	const char **path = memory_must(arena_array(arena, 1, sizeof(*path)));
	memory_check(space_variant(request->space, arena, variant));
	*space_variant_machine(variant, 0) = request->space->machine[request->machine];
	path[0] = request->space->machine_path[request->machine];
	variant->machine_path = path;
	variant->n_machine = 1;
	variant->detail = DETAIL_FAST;
	for (size_t i = 0; request->value && i < request->space->n_axis; i++)
		space_variant_fix_axis(variant, arena, request->space->axis[i].param, request->value[i]);
	if (param)
		space_variant_fix_axis(variant, arena, param, text);
}

/* Metrics of layers are added up by bounds where no limit couples them; else a front of one objective has it. */
static enum err_code find_least(struct study *study, struct space *variant, enum metric metric, double *value)
{
	struct least least;
	const struct least_options options = {
	    .space = variant, .n_thread = study->request->n_thread, .enough = INFINITY, .memory = study->memory};
	space_variant_minimise(variant, metric);
	*value = INFINITY;
	if (least_serves(variant, metric)) {
		enum err_code code = least_find(&options, &least, study->err);
		*value = least.value;
		return code == ERR_OK && least.interrupted
		           ? err_add(study->err, ERR_INTERRUPTED, "interrupted; nothing was written")
		           : code;
	}
	struct explore *explore = memory_array(1, sizeof(*explore));
	const struct explore_options how = {.engine = &engine_exact, .n_thread = study->request->n_thread, .seed = 1};
	enum err_code code = explore_run(variant, &how, explore, study->err);
	if (code == ERR_OK && (explore->interrupted || interrupt_requested()))
		code = err_add(study->err, ERR_INTERRUPTED, "interrupted; nothing was written");
	for (size_t i = 0; i < explore->front.n && code == ERR_OK; i++)
		*value = fmin(*value, explore->front.objective[i]);
	study->sensitivity->epsilon = fmax(study->sensitivity->epsilon, explore->counts.epsilon);
	explore_free(explore);
	free(explore);
	return code;
}

/* Both leasts of a variant; *reason: why there is none. */
static enum err_code find_both(struct study *study, struct space *variant, double *least, const char **reason)
{
	char why[256] = "";
	struct machine machine;
	bool is_machine = false;
	enum err_code code = ERR_OK;
	*reason = NULL;
	for (uint64_t i = 0; i < space_n_machine(variant) && !is_machine; i++)
		is_machine = space_machine(variant, i, &machine, why, sizeof(why));
	for (size_t k = 0; k < SENSITIVITY_N_METRIC && code == ERR_OK && is_machine; k++) {
		code = find_least(study, variant, sensitivity_metric[k], &least[k]);
		if (code == ERR_OK && isinf(least[k]))
			(void)snprintf(why, sizeof(why), "no mapping runs there%s",
			               study->sensitivity->has_limits ? " and keeps the limits" : "");
		is_machine = code != ERR_OK || isfinite(least[k]);
	}
	if (code == ERR_OK && !is_machine)
		*reason = memory_must(arena_text(&study->sensitivity->arena, why));
	return code;
}

/* ---- next values ---- */

static double number_of(const struct study *study, const struct machine_param *param, const char *text)
{
	struct machine machine = study->machine;
	return machine_set_param(&machine, param, text, NULL) == ERR_OK ? machine_get_param(&machine, param)
	                                                                : (double)NAN;
}

static void leave_out(struct study *study, const char *key, const char *reason)
{
	struct sensitivity *sensitivity = study->sensitivity;
	assert(sensitivity->n_left < study->n_left_alloc);
	sensitivity->left[sensitivity->n_left++] = (struct sensitivity_left){key, reason};
}

/* A value that is the machine's own, or is there already, or is none, makes no bar. */
static bool add_value(struct study *study, const struct machine_param *param, const char *text, bool is_declared)
{
	struct sensitivity *sensitivity = study->sensitivity;
	struct machine machine = study->machine;
	struct sensitivity_bar bar = {.param = param, .is_declared = is_declared};
	(void)machine_print_param(&machine, param, bar.from, sizeof(bar.from));
	if (machine_set_param(&machine, param, text, NULL) != ERR_OK)
		return false;
	(void)machine_print_param(&machine, param, bar.to, sizeof(bar.to));
	bool is_there = strcmp(bar.from, bar.to) == 0;
	for (size_t i = 0; i < sensitivity->n_bar; i++)
		is_there |= sensitivity->bar[i].param == param && strcmp(sensitivity->bar[i].to, bar.to) == 0;
	if (is_there || sensitivity->n_bar == study->n_alloc)
		return false;
	sensitivity->bar[sensitivity->n_bar++] = bar;
	return true;
}

/* Of a declared axis the values next to the machine's: below or above, and of arrays those of as many MAC units. */
static unsigned add_declared(struct study *study, const struct space_axis *axis, double own, bool above)
{
	double next = above ? INFINITY : -INFINITY;
	unsigned n = 0;
	for (size_t i = 0; i < axis->n; i++) {
		double value = number_of(study, axis->param, axis->value[i]);
		next = above && value > own ? fmin(next, value) : !above && value < own ? fmax(next, value) : next;
	}
	for (size_t i = 0; i < axis->n; i++) {
		double value = number_of(study, axis->param, axis->value[i]);
		bool is_next = !(value < next) && !(value > next), is_same = !(value < own) && !(value > own);
		n += (is_next || (is_same && above)) && add_value(study, axis->param, axis->value[i], true) && is_next;
	}
	return n;
}

/* Half or twice of a number; of an array in either direction. */
static void add_factor(struct study *study, const struct machine_param *param, bool above)
{
	const struct machine *machine = &study->machine;
	char text[SENSITIVITY_TEXT_SIZE];
	if (param->type == PARAM_ARRAY) {
		const uint32_t *pair = (const uint32_t *)(const void *)((const char *)machine + param->offset);
		for (unsigned i = 0; i < 2; i++) {
			uint64_t size[2] = {pair[0], pair[1]};
			size[i] = above ? 2 * size[i] : size[i] / 2;
			(void)snprintf(text, sizeof(text), "%" PRIu64 "x%" PRIu64, size[0], size[1]);
			(void)add_value(study, param, text, false);
		}
		return;
	}
	double own = machine_get_param(machine, param), value = above ? 2.0 * own : own / 2.0;
	(void)snprintf(text, sizeof(text), "%.12g", param->type == PARAM_U32 ? floor(value) : value);
	(void)add_value(study, param, text, false);
}

/* All others of a few: true and false, names. */
static void add_names(struct study *study, const struct machine_param *param, const struct space_axis *axis)
{
	for (size_t i = 0; axis && i < axis->n; i++)
		(void)add_value(study, param, axis->value[i], true);
	if (axis && axis->n > 1)
		return;
	if (param->type == PARAM_BOOL) {
		(void)add_value(study, param, machine_get_param(&study->machine, param) > 0.0 ? "false" : "true",
		                false);
		return;
	}
	for (const char *name = param->unit; name && *name;) {
		char text[SENSITIVITY_TEXT_SIZE];
		size_t n = strcspn(name, "/");
		(void)snprintf(text, sizeof(text), "%.*s", (int)n, name);
		(void)add_value(study, param, text, false);
		name = name[n] ? name + n + 1 : NULL;
	}
}

static void add_values(struct study *study, const struct machine_param *param)
{
	const struct space_axis *axis = find_axis(study->request->space, param);
	double own = machine_get_param(&study->machine, param);
	size_t n_before = study->sensitivity->n_bar;
	if (param->type == PARAM_BOOL || param->type == PARAM_ENUM) {
		add_names(study, param, axis);
		return;
	}
	for (int above = 1; above >= 0; above--)
		if (!axis || add_declared(study, axis, own, above != 0) == 0)
			add_factor(study, param, above != 0);
	if (study->sensitivity->n_bar == n_before)
		leave_out(study, param->key, own > 0.0 ? "no other value in its range" : "0: it has no next value");
}

static void list_values(struct study *study)
{
	struct sensitivity *sensitivity = study->sensitivity;
	study->n_left_alloc = machine_n_param + 1;
	study->n_alloc = 4 * machine_n_param;
	for (size_t i = 0; i < study->request->space->n_axis; i++)
		study->n_alloc += study->request->space->axis[i].n;
	sensitivity->bar = memory_must(arena_array(&sensitivity->arena, study->n_alloc, sizeof(*sensitivity->bar)));
	sensitivity->left =
	    memory_must(arena_array(&sensitivity->arena, study->n_left_alloc, sizeof(*sensitivity->left)));
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct machine_param *param = &machine_param[i];
		const char *reason = why_left_out(param);
		if (!machine_param_serves(param, study->machine.target))
			continue;
		bool is_asked = reason && strcmp(reason, SETUP_REASON) == 0 && find_axis(study->request->space, param);
		if (reason && !is_asked)
			leave_out(study, param->key, reason);
		else
			add_values(study, param);
	}
	leave_out(study, "levels", LEVELS_REASON);
}

/* ---- bars ---- */

bool sensitivity_matters(const struct sensitivity_bar *bar)
{
	bool matters = false;
	for (size_t k = 0; k < SENSITIVITY_N_METRIC; k++)
		matters |= fabs(bar->change_frac[k]) > 1e-7;
	return matters;
}

static void take_sizes(const struct study *study, const struct space *variant, struct sensitivity_bar *bar)
{
	double own[N_METRIC] = {0}, other[N_METRIC] = {0};
	struct machine machine;
	char why[256];
	for (uint64_t i = 0; i < space_n_machine(variant); i++)
		if (space_machine(variant, i, &machine, why, sizeof(why)))
			metric_of_machine(&machine, other);
	metric_of_machine(&study->machine, own);
	bar->mac_frac = other[METRIC_MAC_UNITS] / own[METRIC_MAC_UNITS] - 1.0;
	bar->sram_frac = other[METRIC_SRAM] / own[METRIC_SRAM] - 1.0;
}

static enum err_code fill_bar(struct study *study, struct sensitivity_bar *bar)
{
	struct arena arena = {0};
	struct space variant;
	const struct sensitivity *sensitivity = study->sensitivity;
	bool is_size = bar->param->type != PARAM_BOOL && bar->param->type != PARAM_ENUM;
	double ratio = number_of(study, bar->param, bar->to) / number_of(study, bar->param, bar->from);
	make_variant(study, bar->param, bar->to, &arena, &variant);
	enum err_code code = find_both(study, &variant, bar->least, &bar->reason);
	for (size_t k = 0; k < SENSITIVITY_N_METRIC && code == ERR_OK && !bar->reason; k++) {
		double change = log(bar->least[k] / sensitivity->least[k]), step = log(ratio);
		bool has_step = is_size && isfinite(step) && fabs(step) > 0.0;
		bar->change_frac[k] = bar->least[k] / sensitivity->least[k] - 1.0;
		bar->elasticity[k] = has_step ? change / step : (double)NAN;
		bar->gain -= change;
	}
	if (code == ERR_OK && !bar->reason)
		take_sizes(study, &variant, bar);
	arena_free(&arena);
	return code;
}

/* What the best bar of a parameter gains. */
static double gain_of(const struct sensitivity *sensitivity, const struct machine_param *param)
{
	double gain = -INFINITY;
	for (size_t i = 0; i < sensitivity->n_bar; i++)
		if (sensitivity->bar[i].param == param && !sensitivity->bar[i].reason)
			gain = fmax(gain, sensitivity->bar[i].gain);
	return gain;
}

struct rank {
	bool has_reason;
	double of_param, own;
	size_t at; /* as bars were made: of equals the first */
	struct sensitivity_bar bar;
};

static int compare_ranks(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;
	if (a->has_reason != b->has_reason)
		return a->has_reason ? 1 : -1;
	if (a->of_param < b->of_param || a->of_param > b->of_param)
		return a->of_param > b->of_param ? -1 : 1;
	if (a->bar.param != b->bar.param)
		return a->bar.param < b->bar.param ? -1 : 1;
	if (a->own < b->own || a->own > b->own)
		return a->own > b->own ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void sort_bars(struct sensitivity *sensitivity)
{
	struct rank *rank = memory_array(sensitivity->n_bar, sizeof(*rank));
	for (size_t i = 0; i < sensitivity->n_bar; i++) {
		const struct sensitivity_bar *bar = &sensitivity->bar[i];
		rank[i] = (struct rank){bar->reason != NULL, gain_of(sensitivity, bar->param), bar->gain, i, *bar};
		sensitivity->n_design += bar->reason == NULL;
	}
	qsort(rank, sensitivity->n_bar, sizeof(*rank), compare_ranks);
	for (size_t i = 0; i < sensitivity->n_bar; i++)
		sensitivity->bar[i] = rank[i].bar;
	free(rank);
}

static void take_names(struct study *study)
{
	const struct space *space = study->request->space;
	struct sensitivity *sensitivity = study->sensitivity;
	char text[512] = "";
	size_t n = 0;
	for (size_t i = 0; i < space->n_network && n < sizeof(text); i++)
		n +=
		    (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", i ? ", " : "", space->network[i].network.name);
	sensitivity->networks = memory_must(arena_text(&sensitivity->arena, text));
	sensitivity->machine = memory_must(arena_text(&sensitivity->arena, study->machine.name));
	sensitivity->has_limits = space->n_limit > 0 || space->deadline_ms > 0;
}

/* The machine as it is. */
static enum err_code begin(struct study *study)
{
	struct arena arena = {0};
	struct space variant;
	char why[256] = "";
	const char *reason = NULL;
	make_variant(study, NULL, NULL, &arena, &variant);
	bool is_machine = false;
	for (uint64_t i = 0; i < space_n_machine(&variant) && !is_machine; i++)
		is_machine = space_machine(&variant, i, &study->machine, why, sizeof(why));
	if (!is_machine)
		reason = why;
	else
		take_names(study);
	enum err_code code = is_machine ? find_both(study, &variant, study->sensitivity->least, &reason) : ERR_OK;
	if (code == ERR_OK && reason)
		code = err_add(study->err, ERR_INFEASIBLE, "dse sensitivity: machine %s: %s", variant.machine[0].name,
		               reason);
	arena_free(&arena);
	return code;
}

enum err_code sensitivity_make(const struct sensitivity_request *request, struct sensitivity *sensitivity,
                               struct err *err)
{
	assert(request && request->space && request->machine < request->space->n_machine && sensitivity && err);
	*sensitivity = (struct sensitivity){0};
	struct study *study = memory_array(1, sizeof(*study)); /* a small stack has no room for it */
	*study =
	    (struct study){.request = request, .sensitivity = sensitivity, .memory = least_memory_new(), .err = err};
	enum err_code code = begin(study);
	if (code == ERR_OK)
		list_values(study);
	for (size_t i = 0; i < sensitivity->n_bar && code == ERR_OK; i++)
		code = fill_bar(study, &sensitivity->bar[i]);
	if (code == ERR_OK)
		sort_bars(sensitivity);
	least_memory_free(study->memory);
	free(study);
	return code;
}

void sensitivity_free(struct sensitivity *sensitivity)
{
	arena_free(&sensitivity->arena);
	*sensitivity = (struct sensitivity){0};
}

enum err_code sensitivity_of_point(const struct kept_front *front, size_t point, const struct space *space,
                                   unsigned n_thread, struct sensitivity *sensitivity, struct err *err)
{
	const struct kept_point *kept = &front->point[point];
	const char *name = front->machine[kept->machine].name;
	struct sensitivity_request request = {.space = space, .n_thread = n_thread};
	assert(point < front->n_point);
	*sensitivity = (struct sensitivity){0};
	while (request.machine < space->n_machine && strcmp(space->machine[request.machine].name, name) != 0)
		request.machine++;
	if (request.machine == space->n_machine)
		return err_add(err, ERR_INPUT, "the space has no machine %s", name);
	const char **value = memory_array(space->n_axis, sizeof(*value));
	for (size_t i = 0; i < space->n_axis; i++) {
		value[i] = space->axis[i].value[0];
		for (size_t k = 0; k < front->n_axis; k++)
			if (strcmp(front->axis[k], space->axis[i].param->key) == 0)
				value[i] = kept->value[k];
	}
	request.value = value;
	enum err_code code = sensitivity_make(&request, sensitivity, err);
	free(value);
	return code;
}

size_t sensitivity_knee(const struct kept_front *front)
{
	double *objective = kept_front_objectives(front);
	assert(front->n_point > 0);
	size_t knee = indicator_knee(objective, front->n_point, (unsigned)front->n_objective);
	free(objective);
	return knee;
}
