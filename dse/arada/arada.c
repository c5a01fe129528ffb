/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schemes' arithmetic. Clocks are doubles: a quotient that is a legal clock but for rounding counts as that clock.
 */
#include "dse/arada/arada.h"
#include <assert.h>
#include <math.h>
#include <stdbool.h>

/* Of a step: far above rounding, far below what a clock of a layer changes. */
#define ROUNDING 1e-9

const char *const arada_scheme_name[N_ARADA_SCHEME] = {"RTI", "IDEAL", "VF-OH", "VF-OH-Q"};

static double round_up(double value, double step)
{
	assert(step > 0);
	return ceil(value / step - ROUNDING) * step;
}

double arada_legal_clk_mhz(const struct arada_platform *platform, double clk_mhz)
{
	assert(clk_mhz > 0 && clk_mhz <= platform->max_clk_mhz * (1 + ROUNDING));
	return fmin(round_up(clk_mhz, platform->clk_step_mhz), platform->max_clk_mhz);
}

double arada_legal_bandwidth_gb_s(const struct arada_platform *platform, double bandwidth_gb_s)
{
	assert(bandwidth_gb_s > 0 && platform->n_bandwidth > 0);
	double n = round_up(bandwidth_gb_s / platform->max_bandwidth_gb_s * platform->n_bandwidth, 1);
	/* The largest is what it is, not a tenth of it ten times. */
	return platform->max_bandwidth_gb_s * fmin(n / platform->n_bandwidth, 1);
}

/* Stall clocks that may be computed in. */
static double usable_stall(enum arada_scheme scheme, const struct arada_platform *platform,
                           const struct arada_layer *layer)
{
	double stall = (double)layer->stall_clk;
	if (scheme == ARADA_RTI)
		return 0;
	return scheme == ARADA_IDEAL ? stall : fmax(stall - platform->switch_us * platform->max_clk_mhz, 0);
}

/* Bandwidth of a layer without stalls: GB/s that it needs, not more than there are. */
static double needed_gb_s(const struct arada_platform *platform, const struct arada_layer *layer)
{
	assert(platform->max_word_per_clk > 0);
	double word_per_clk = (double)layer->n_word / (double)layer->total_clk;
	return platform->max_bandwidth_gb_s * fmin(word_per_clk / platform->max_word_per_clk, 1);
}

static void choose_bandwidth(enum arada_scheme scheme, const struct arada_platform *platform,
                             const struct arada_layer *layer, struct arada_mode *mode)
{
	mode->bandwidth_gb_s = mode->printed_gb_s = platform->max_bandwidth_gb_s;
	if (scheme == ARADA_RTI || layer->stall_clk > 0 || layer->n_word == 0)
		return;
	double needed = needed_gb_s(platform, layer);
	mode->printed_gb_s = platform->max_bandwidth_gb_s - needed;
	mode->bandwidth_gb_s = scheme == ARADA_VF_OH_Q ? arada_legal_bandwidth_gb_s(platform, needed) : needed;
	assert(mode->bandwidth_gb_s > 0 && mode->bandwidth_gb_s <= platform->max_bandwidth_gb_s);
}

struct arada_mode arada_allocate(enum arada_scheme scheme, const struct arada_platform *platform,
                                 const struct arada_layer *layer)
{
	assert(layer->total_clk > layer->stall_clk && platform->max_clk_mhz > 0);
	double total = (double)layer->total_clk, work = (double)(layer->total_clk - layer->stall_clk);
	double slack = usable_stall(scheme, platform, layer);
	bool is_slower = slack > 0;
	struct arada_mode mode = {
	    .clk_mhz = platform->max_clk_mhz * (total - slack) / total,
	    .time_us = total / platform->max_clk_mhz,
	    .energy_frac = 1,
	    .gated_frac = 1,
	};
	if (is_slower && scheme == ARADA_VF_OH_Q) {
		mode.clk_mhz = arada_legal_clk_mhz(platform, mode.clk_mhz);
		is_slower = mode.clk_mhz < platform->max_clk_mhz;
	}
	double frac = mode.clk_mhz / platform->max_clk_mhz;
	mode.vdd_v = platform->max_vdd_v * frac;
	mode.busy_us = work / mode.clk_mhz + (is_slower && scheme != ARADA_IDEAL ? platform->switch_us : 0);
	if (is_slower) {
		mode.gated_frac = frac * frac;
		mode.energy_frac = mode.gated_frac * frac * total / work;
	}
	choose_bandwidth(scheme, platform, layer, &mode);
	assert(mode.busy_us <= mode.time_us * (1 + ROUNDING) && mode.gated_frac <= 1);
	return mode;
}
