/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the modes of layers. Setting 0 is the nominal clock or bandwidth and settings count down from it; clocks
 * above the nominal one have the last numbers. Of modes with the same settings those that another one dominates in
 * everything are left out (a part of the array that only takes longer).
 */
#include "dse/arada/arada_knobs.h"
#include "dse/base/memory.h"
#include "dse/space/arada_options.h"
#include <assert.h>
#include <math.h>

#define NS_PER_US 1e3
#define ROUNDING 1e-9

const char *const arada_energy_name[N_ARADA_ENERGY] = {"normalised", "paper", "machine"};

static uint32_t n_nominal_clk(const struct arada_platform *platform)
{
	double n = ceil(platform->max_clk_mhz / platform->clk_step_mhz - ROUNDING);
	assert(n >= 1);
	return n > ARADA_MAX_SETTING ? ARADA_MAX_SETTING + 1 : (uint32_t)n;
}

double arada_knobs_clk_mhz(const struct arada_knobs *knobs, uint32_t setting)
{
	const struct arada_platform *platform = knobs->platform;
	uint32_t n = n_nominal_clk(platform);
	assert(setting < n + knobs->n_turbo);
	if (setting == 0)
		return platform->max_clk_mhz;
	if (setting >= n)
		return platform->max_clk_mhz + (setting - n + 1) * platform->clk_step_mhz;
	return (n - setting) * platform->clk_step_mhz;
}

double arada_knobs_gb_s(const struct arada_knobs *knobs, uint32_t setting)
{
	const struct arada_platform *platform = knobs->platform;
	assert(setting < platform->n_bandwidth);
	return platform->max_bandwidth_gb_s * (platform->n_bandwidth - setting) / platform->n_bandwidth;
}

uint32_t arada_knobs_n_clk(const struct arada_knobs *knobs)
{
	return n_nominal_clk(knobs->platform) + knobs->n_turbo;
}

uint32_t arada_knobs_n_bandwidth(const struct arada_knobs *knobs)
{
	return knobs->chooses_bandwidth ? knobs->platform->n_bandwidth : 1;
}

/* The memory's own time at full bandwidth: all of a layer that stalls, unless its times are known. */
static double memory_ns(const struct arada_platform *platform, const struct arada_work *work)
{
	const struct arada_layer *layer = &work->layer;
	bool is_all = layer->stall_clk > 0 && !work->times;
	double clk = is_all ? (double)layer->total_clk : (double)layer->n_word / platform->max_word_per_clk;
	return fmin(clk, (double)layer->total_clk) * NS_PER_US / platform->max_clk_mhz;
}

/* Energy and power of a mode whose settings and times are known. */
static void price(const struct arada_knobs *knobs, const struct arada_work *work, double clk_frac,
                  double bandwidth_frac, struct exact_mode *mode)
{
	const uint32_t part = mode->choice;
	const double volt_2 = clk_frac * clk_frac, part_frac = knobs->part_frac[part];
	assert(part < knobs->n_part && clk_frac > 0 && bandwidth_frac > 0);
	bool is_machine = knobs->energy == ARADA_MACHINE;
	double array_pj = (is_machine ? work->array_pj : work->compute_clk[part] * part_frac) * volt_2;
	mode->energy_pj = array_pj;
	mode->static_mw = 0;
	if (knobs->energy == ARADA_PAPER && mode->setting[EXACT_ARRAY] > 0)
		mode->energy_pj *= fmax(1, mode->time_ns / mode->busy_ns[EXACT_ARRAY]);
	if (is_machine) {
		mode->energy_pj += work->word_pj[part];
		mode->static_mw =
		    knobs->array_mw * part_frac * clk_frac + knobs->rest_mw + knobs->memory_mw * bandwidth_frac;
	}
	mode->peak_mw = mode->static_mw + array_pj / mode->busy_ns[EXACT_ARRAY];
}

static struct exact_mode make_mode(const struct arada_knobs *knobs, const struct arada_work *work, uint32_t array,
                                   uint32_t memory, uint32_t part)
{
	const struct arada_platform *platform = knobs->platform;
	double clk_mhz = arada_knobs_clk_mhz(knobs, array), gb_s = arada_knobs_gb_s(knobs, memory);
	double bandwidth_frac = gb_s / platform->max_bandwidth_gb_s;
	struct exact_mode mode = {.setting = {array, memory}, .choice = part};
	assert(work->compute_clk[part] > 0);
	mode.busy_ns[EXACT_ARRAY] = work->compute_clk[part] * NS_PER_US / clk_mhz;
	mode.busy_ns[EXACT_MEMORY] = memory_ns(platform, work) / bandwidth_frac;
	mode.time_ns = fmax(mode.busy_ns[EXACT_ARRAY], mode.busy_ns[EXACT_MEMORY]);
	if (work->times) {
		const struct arada_times *times = work->times;
		assert(array < times->n_array && memory < times->n_memory);
		mode.time_ns =
		    fmax(mode.time_ns, times->ns[((size_t)part * times->n_memory + memory) * times->n_array + array]);
	}
	price(knobs, work, clk_mhz / platform->max_clk_mhz, bandwidth_frac, &mode);
	return mode;
}

/* Of two modes with the same settings: no worse in anything, whatever changes a layer hosts. */
static bool beats(const struct exact_mode *one, const struct exact_mode *other)
{
	return one->busy_ns[EXACT_ARRAY] <= other->busy_ns[EXACT_ARRAY] && one->time_ns <= other->time_ns &&
	       one->energy_pj <= other->energy_pj && one->static_mw <= other->static_mw &&
	       one->peak_mw <= other->peak_mw;
}

/* The whole array, which rules by layer have, and every part of it that no other one beats, at these settings. */
static size_t add_parts(const struct arada_knobs *knobs, const struct arada_work *work, uint32_t array, uint32_t memory,
                        struct exact_mode *mode)
{
	size_t n = 1;
	mode[0] = make_mode(knobs, work, array, memory, 0);
	for (uint32_t part = 1; part < knobs->n_part; part++) {
		mode[n] = make_mode(knobs, work, array, memory, part);
		bool is_beaten = false;
		for (size_t i = 0; i < n && !is_beaten; i++)
			is_beaten = beats(&mode[i], &mode[n]);
		n += !is_beaten;
	}
	return n;
}

enum err_code arada_knobs_build(const struct arada_knobs *knobs, size_t n, const struct arada_work *work,
                                struct arena *arena, struct exact_problem *problem, struct err *err)
{
	const struct arada_platform *platform = knobs->platform;
	uint32_t n_array = arada_knobs_n_clk(knobs), n_memory = arada_knobs_n_bandwidth(knobs);
	assert(n > 0 && knobs->n_part >= 1 && knobs->n_part <= ARADA_MAX_PART && platform->n_bandwidth > 0);
	if (n_array > ARADA_MAX_SETTING || n_memory > ARADA_MAX_SETTING)
		return err_add(err, ERR_INPUT,
		               "exact allocation: at most %d clocks and %d bandwidths can be chosen from; make the "
		               "steps larger",
		               ARADA_MAX_SETTING, ARADA_MAX_SETTING);
	size_t n_mode = (size_t)n_array * n_memory * knobs->n_part;
	struct exact_layer *layer = memory_must(arena_array(arena, n, sizeof(*layer)));
	*problem = (struct exact_problem){.n_layer = n, .layer = layer, .n_setting = {n_array, n_memory}};
	for (int d = 0; d < N_EXACT_DOMAIN; d++)
		problem->change_ns[d] = platform->switch_us * NS_PER_US;
	for (size_t i = 0; i < n; i++) {
		struct exact_mode *mode = memory_must(arena_array(arena, n_mode, sizeof(*mode)));
		layer[i].mode = mode;
		for (uint32_t a = 0; a < n_array; a++)
			for (uint32_t m = 0; m < n_memory; m++)
				layer[i].n_mode += add_parts(knobs, &work[i], a, m, mode + layer[i].n_mode);
	}
	return ERR_OK;
}

static uint32_t find_mode(const struct exact_layer *layer, uint32_t array, uint32_t memory)
{
	for (size_t i = 0; i < layer->n_mode; i++)
		if (layer->mode[i].setting[EXACT_ARRAY] == array && layer->mode[i].setting[EXACT_MEMORY] == memory &&
		    layer->mode[i].choice == 0)
			return (uint32_t)i;
	assert(false);
	return 0;
}

/* ARADA's own choice, in settings. */
static void choose_published(const struct arada_knobs *knobs, const struct arada_layer *layer, uint32_t *array,
                             uint32_t *memory)
{
	const struct arada_platform *platform = knobs->platform;
	struct arada_mode mode = arada_allocate(ARADA_VF_OH_Q, platform, layer);
	uint32_t n = n_nominal_clk(platform);
	*array = *memory = 0;
	while (*array + 1 < n && arada_knobs_clk_mhz(knobs, *array) > mode.clk_mhz * (1 + ROUNDING))
		(*array)++;
	while (*memory + 1 < platform->n_bandwidth &&
	       arada_knobs_gb_s(knobs, *memory) > mode.bandwidth_gb_s * (1 + ROUNDING))
		(*memory)++;
}

/* Whether a layer in a mode is done by the time of its nominal mode, a domain's changes there and back included. */
static bool fits(const struct exact_problem *problem, const struct exact_mode *mode, const struct exact_mode *nominal,
                 enum exact_domain domain)
{
	return mode->time_ns <= nominal->time_ns &&
	       mode->busy_ns[domain] + 2 * problem->change_ns[domain] <= nominal->time_ns;
}

/* The lowest clock that fits, then the lowest bandwidth that does with it. */
static void choose_charged(const struct exact_problem *problem, const struct exact_layer *layer, uint32_t n_clk,
                           uint32_t *array, uint32_t *memory)
{
	const struct exact_mode *nominal = &layer->mode[0];
	assert(nominal->setting[EXACT_ARRAY] == 0 && nominal->setting[EXACT_MEMORY] == 0 && nominal->choice == 0);
	*array = *memory = 0;
	for (uint32_t a = 1; a < n_clk; a++)
		if (fits(problem, &layer->mode[find_mode(layer, a, 0)], nominal, EXACT_ARRAY))
			*array = a;
	for (uint32_t m = 1; m < problem->n_setting[EXACT_MEMORY]; m++)
		if (fits(problem, &layer->mode[find_mode(layer, *array, m)], nominal, EXACT_MEMORY))
			*memory = m;
}

void arada_knobs_local_modes(const struct arada_knobs *knobs, size_t n, const struct arada_work *work,
                             unsigned n_change, const struct exact_problem *problem, uint32_t *mode)
{
	assert(n == problem->n_layer && (n_change == 1 || n_change == 2));
	for (size_t i = 0; i < n; i++) {
		uint32_t array, memory;
		if (n_change == 1)
			choose_published(knobs, &work[i].layer, &array, &memory);
		else
			choose_charged(problem, &problem->layer[i], n_nominal_clk(knobs->platform), &array, &memory);
		mode[i] = find_mode(&problem->layer[i], array, knobs->chooses_bandwidth ? memory : 0);
	}
}
