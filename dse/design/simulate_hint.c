/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design/simulate_hint.h"
#include "sim/machine/machine_param.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define MAX_KEY 4

/* Work of one kind on the ARM cores, and the parameter that says what a number of it takes, or who does it. */
static const struct {
	enum phase phase[2];
	const char *what, *key, *advice;
} phase_rule[] = {
    {{PHASE_ACTI, PHASE_QUAN},
     "post-processing (ReLU and quantisation) on the ARM core",
     "mla.postprocess",
     "mla.postprocess: true has it done in the MLA's output stage"},
    {{PHASE_PADD, PHASE_PADD}, "padding on the ARM core", "arm.padd_word_clk", NULL},
    {{PHASE_MAT_ELE, PHASE_FCE}, "additions on the ARM core", "arm.add_pixel_clk", NULL},
    {{PHASE_POOL, PHASE_POOL}, "pooling on the ARM core", "arm.pool8_pixel_clk", NULL},
    {{PHASE_MUL, PHASE_MUL}, "multiplications on the ARM core", "arm.multiply_pixel_clk", NULL},
    {{PHASE_FUNC, PHASE_FUNC}, "functions on the ARM core", "arm.function_pixel_clk", NULL},
    {{PHASE_SOFTMAX, PHASE_SOFTMAX}, "softmax on the ARM core", "arm.softmax_pixel_clk", NULL},
    {{PHASE_NORM, PHASE_NORM}, "normalisation on the ARM core", "arm.norm_pixel_clk", NULL},
};

/* A unit, and the parameters that its rate follows from. */
static const struct {
	enum bound bound;
	const char *key[MAX_KEY + 1];
} bound_rule[] = {
    {BOUND_DRAM, {"chip.n_dram", "dram.clk_mhz", "dram.access_byte", "dram.access_clk"}},
    {BOUND_DRAM, {"systolic.memory_gb_s"}},
    {BOUND_NOC, {"noc.clk_mhz", "noc.router_packet", "noc.packet_byte"}},
    {BOUND_SRAM, {"pe.sram_port_byte", "pe.sram_access_clk"}},
};

struct clocks {
	double phase[N_PHASE], bound[N_BOUND], total;
};

static struct clocks sum_clocks(const struct simulated *block, size_t n, const bool *shown)
{
	struct clocks clocks = {{0}, {0}, 0};
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < N_PHASE && block[i].ran && (!shown || shown[i]); k++) {
			double clk = (double)block[i].result.phase_clk[k];
			clocks.phase[k] += clk;
			clocks.bound[block[i].result.phase_bound[k]] += clk;
			clocks.total += clk;
		}
	return clocks;
}

/* "chip.n_dram 4 interfaces" where nobody has said so; "": it was said, or is not the machine's. */
static void print_default(const struct machine *machine, const struct machine_sources *sources, const char *key,
                          char text[96])
{
	const struct machine_param *param = machine_find_param(key);
	char value[48];
	assert(param);
	text[0] = '\0';
	if (!machine_param_serves(param, machine->target) || sources->given[param - machine_param] ||
	    machine_get_param(machine, param) != param->initial)
		return;
	(void)machine_print_param(machine, param, value, sizeof(value));
	bool has_unit = param->type == PARAM_U32 || param->type == PARAM_REAL;
	(void)snprintf(text, 96, "%s %s%s%s", key, value, has_unit ? " " : "", has_unit ? param->unit : "");
}

static size_t add_phases(const struct machine *machine, const struct machine_sources *sources,
                         const struct clocks *clocks, struct simulate_hint *hint)
{
	size_t n = 0;
	for (size_t i = 0; i < sizeof(phase_rule) / sizeof(phase_rule[0]); i++) {
		const enum phase *phase = phase_rule[i].phase;
		char left[96];
		double clk = clocks->phase[phase[0]] + (phase[1] != phase[0] ? clocks->phase[phase[1]] : 0.0);
		print_default(machine, sources, phase_rule[i].key, left);
		if (!left[0] || !(clk >= HINT_PHASE_FRAC * clocks->total))
			continue;
		hint[n].frac = clk / clocks->total;
		(void)snprintf(hint[n].text, HINT_SIZE, "%.0f %% of the clocks are %s, by the default %s; %s",
		               100.0 * hint[n].frac, phase_rule[i].what, left,
		               phase_rule[i].advice ? phase_rule[i].advice : "the machine's file does not give it");
		n++;
	}
	return n;
}

static size_t add_bounds(const struct machine *machine, const struct machine_sources *sources,
                         const struct clocks *clocks, struct simulate_hint *hint)
{
	size_t n = 0;
	for (size_t i = 0; i < sizeof(bound_rule) / sizeof(bound_rule[0]); i++) {
		char list[HINT_SIZE / 2] = "", left[96];
		double clk = clocks->bound[bound_rule[i].bound];
		for (size_t k = 0, n_byte = 0; bound_rule[i].key[k]; k++) {
			print_default(machine, sources, bound_rule[i].key[k], left);
			if (left[0])
				n_byte += (size_t)snprintf(list + n_byte, sizeof(list) - n_byte, "%s%s",
				                           n_byte ? ", " : "", left);
			assert(n_byte < sizeof(list));
		}
		if (!list[0] || !(clk >= HINT_BOUND_FRAC * clocks->total))
			continue;
		hint[n].frac = clk / clocks->total;
		(void)snprintf(
		    hint[n].text, HINT_SIZE,
		    "%.0f %% of the clocks wait for the %s, by defaults that the machine's file does not give: %s",
		    100.0 * hint[n].frac, bound_name[bound_rule[i].bound], list);
		n++;
	}
	return n;
}

size_t simulate_find_hints(const struct machine *machine, const struct machine_sources *sources,
                           const struct simulated *block, size_t n, const bool *shown,
                           struct simulate_hint hint[HINT_MAX])
{
	_Static_assert(sizeof(phase_rule) / sizeof(phase_rule[0]) + sizeof(bound_rule) / sizeof(bound_rule[0]) <=
	                   HINT_MAX,
	               "a rule gives one hint");
	assert(machine && sources && sources->given && (block || n == 0) && hint);
	struct clocks clocks = sum_clocks(block, n, shown);
	if (!(clocks.total > 0))
		return 0;
	size_t n_hint = add_phases(machine, sources, &clocks, hint);
	n_hint += add_bounds(machine, sources, &clocks, hint + n_hint);
	for (size_t i = 1; i < n_hint; i++)
		for (size_t k = i; k > 0 && hint[k].frac > hint[k - 1].frac; k--) {
			struct simulate_hint other = hint[k];
			hint[k] = hint[k - 1];
			hint[k - 1] = other;
		}
	return n_hint;
}
