/* SPDX-License-Identifier: Apache-2.0 */
/* What buffers keep of a layer's tiles, and the words that follow from it: sums over tiles are products of sums over
 * dimensions. */
#include "sim/systolic/systolic_work.h"
#include "sim/machine/sim.h"
#include "sim/systolic/systolic_model.h"
#include "sim/systolic/systolic_parts.h"
#include <assert.h>

#define SRAM_ENERGY_BYTE 4 /* of an access that sram_read32_pj is for */

bool systolic_can(const struct machine *machine, enum systolic_dataflow dataflow)
{
	assert(machine->target == MACHINE_SYSTOLIC && dataflow < SYSTOLIC_ANY);
	if (machine->systolic.memory != SYSTOLIC_PHYSICAL && dataflow != SYSTOLIC_OS)
		return false; /* SCALE-Sim's rules are known for outputs that stay */
	return machine->systolic.dataflow == SYSTOLIC_ANY || machine->systolic.dataflow == dataflow;
}

/* ---- sums over tiles ---- */

/* Sums of the factors of a tile's clocks, over all tiles of one group. */
struct factor_sums {
	uint64_t pixel, filter, tap;
};

/* Pixel tiles are of up to four sizes. Saturates. */
static uint64_t sum_pixel_factors(const struct machine *machine, const struct systolic_work *work)
{
	const struct systolic_dim *w = &work->w, *h = &work->h;
	const uint64_t size_w[] = {w->size_a, w->size_b}, n_w[] = {w->n_a, w->n_b};
	const uint64_t size_h[] = {h->size_a, h->size_b}, n_h[] = {h->n_a, h->n_b};
	uint64_t sum = 0;
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++)
			if (n_w[i] > 0 && n_h[k] > 0)
				sum = add_sat(sum, mul_sat(mul_sat(n_w[i], n_h[k]),
				                           systolic_pixel_factor(machine, work->dataflow,
				                                                 size_w[i] * size_h[k])));
	return sum;
}

static struct factor_sums sum_factors(const struct machine *machine, const struct systolic_work *work)
{
	const struct systolic_dim *c = &work->c, *d = &work->d;
	uint64_t kernel = (uint64_t)work->kernel_w * work->kernel_h;
	enum systolic_dataflow flow = work->dataflow;
	struct factor_sums sums = {
	    .pixel = sum_pixel_factors(machine, work),
	    .filter = mul_sat(c->n_a, systolic_filter_factor(machine, flow, c->size_a)),
	    .tap = mul_sat(d->n_a, systolic_tap_factor(machine, flow, kernel * d->size_a)),
	};
	if (c->n_b > 0)
		sums.filter = add_sat(sums.filter, mul_sat(c->n_b, systolic_filter_factor(machine, flow, c->size_b)));
	if (d->n_b > 0)
		sums.tap = add_sat(sums.tap, mul_sat(d->n_b, systolic_tap_factor(machine, flow, kernel * d->size_b)));
	return sums;
}

uint64_t systolic_compute_clk(const struct machine *machine, const struct systolic_work *work)
{
	const struct factor_sums sums = sum_factors(machine, work);
	return mul_sat(mul_sat(sums.pixel, sums.filter), mul_sat(sums.tap, work->n_group));
}

/* Lines of ifmap that the tiles along a dimension load, each for itself. */
static uint64_t sum_lines(const struct systolic_dim *dim, uint32_t kernel, uint32_t stride, uint32_t in)
{
	uint64_t lines = dim->n_a * systolic_lines(dim->size_a, kernel, stride);
	if (dim->n_b > 0)
		lines += dim->n_b * systolic_lines(dim->size_b, kernel, stride);
	return lines - systolic_lines_past(systolic_dim_extent(dim), kernel, stride, in);
}

/* And those that there are. */
static uint64_t unique_lines(const struct systolic_dim *dim, uint32_t kernel, uint32_t stride, uint32_t in)
{
	uint64_t n = systolic_dim_extent(dim);
	return systolic_lines(n, kernel, stride) - systolic_lines_past(n, kernel, stride, in);
}

/* ---- checks ---- */

static bool is_dim(const struct systolic_dim *dim)
{
	return dim->size_a > 0 && dim->n_a > 0 && (dim->n_b == 0 || (dim->size_b > 0 && dim->size_b < dim->size_a)) &&
	       add_sat(mul_sat(dim->size_a, dim->n_a), mul_sat(dim->size_b, dim->n_b)) <= UINT32_MAX;
}

static bool is_multiple(const struct systolic_dim *dim, uint32_t step)
{
	return dim->size_a % step == 0 && (dim->n_b == 0 || dim->size_b % step == 0);
}

/* The last output begins inside of what its stride reaches: past the ifmap by less than a stride. */
static bool is_inside(const struct systolic_dim *dim, uint32_t kernel, uint32_t stride, uint32_t in)
{
	return kernel > 0 && kernel <= in && (systolic_dim_extent(dim) - 1) * stride < (uint64_t)in - kernel + stride;
}

bool systolic_is_valid(const struct machine *machine, const struct systolic_work *work)
{
	assert(machine->target == MACHINE_SYSTOLIC);
	if (work->dataflow >= SYSTOLIC_ANY || work->stride == 0 || work->n_group == 0)
		return false;
	if (!is_dim(&work->w) || !is_dim(&work->h) || !is_dim(&work->c) || !is_dim(&work->d))
		return false;
	if (work->pool > 1 && (!is_multiple(&work->w, work->pool) || !is_multiple(&work->h, work->pool)))
		return false;
	if (!is_inside(&work->w, systolic_reach_w(work), work->stride, work->in_w) ||
	    !is_inside(&work->h, systolic_reach_h(work), work->stride, work->in_h))
		return false;
	uint64_t kernel = (uint64_t)work->kernel_w * work->kernel_h;
	uint64_t pixel = systolic_dim_extent(&work->w) * systolic_dim_extent(&work->h);
	uint64_t tap = mul_sat(kernel, systolic_dim_extent(&work->d));
	uint64_t mac = mul_sat(mul_sat(pixel, tap), mul_sat(systolic_dim_extent(&work->c), work->n_group));
	if (mac > SIM_MAX_COUNT) /* words are no more than this */
		return false;
	return systolic_compute_clk(machine, work) <= SIM_MAX_COUNT;
}

/* ---- buffers ---- */

/* Words of the largest tiles and of what can stay for longer. */
struct demand {
	uint64_t ifmap_tile, ifmap_deep, ifmap_group; /* deep: with all input channels */
	uint64_t filter_tile, filter_deep, filter_group;
	uint64_t ofmap_tile;
};

static struct demand demand_of(const struct systolic_work *work)
{
	uint64_t kernel = (uint64_t)work->kernel_w * work->kernel_h, channels = systolic_dim_extent(&work->d);
	uint64_t tile = systolic_first_lines(&work->w, systolic_reach_w(work), work->stride, work->in_w) *
	                systolic_first_lines(&work->h, systolic_reach_h(work), work->stride, work->in_h);
	uint64_t all = unique_lines(&work->w, systolic_reach_w(work), work->stride, work->in_w) *
	               unique_lines(&work->h, systolic_reach_h(work), work->stride, work->in_h);
	return (struct demand){
	    .ifmap_tile = tile * work->d.size_a,
	    .ifmap_deep = tile * channels,
	    .ifmap_group = all * channels,
	    .filter_tile = kernel * work->c.size_a * work->d.size_a,
	    .filter_deep = kernel * work->c.size_a * channels,
	    .filter_group = kernel * systolic_dim_extent(&work->c) * channels,
	    .ofmap_tile = (uint64_t)work->w.size_a * work->h.size_a * work->c.size_a,
	};
}

/* A buffer in words: a half, and what one thing may have that nothing follows. */
struct room {
	uint64_t half, all;
};

static struct room room_of(const struct machine *machine, uint32_t byte)
{
	uint64_t half = byte / 2 / machine->systolic.word_byte, all = byte / machine->systolic.word_byte;
	return (struct room){half, all};
}

static bool fits(uint64_t word, const struct room *room, bool is_only)
{
	return word <= (is_only ? room->all : room->half);
}

static bool refuse(const struct machine *machine, enum systolic_operand operand, uint64_t word, const struct room *room,
                   bool is_only, struct systolic_misfit *misfit)
{
	*misfit = (struct systolic_misfit){operand, word * machine->systolic.word_byte,
	                                   (is_only ? room->all : room->half) * machine->systolic.word_byte};
	return false;
}

bool systolic_place(const struct machine *machine, struct systolic_work *work, struct systolic_misfit *misfit)
{
	const struct demand demand = demand_of(work);
	const struct room ifmap = room_of(machine, machine->systolic.ifmap_byte);
	const struct room filter = room_of(machine, machine->systolic.filter_byte);
	const struct room ofmap = room_of(machine, machine->systolic.ofmap_byte);
	const bool one_group = work->n_group == 1, one_c = one_group && systolic_dim_n(&work->c) == 1;
	const bool one_s = one_group && systolic_dim_n(&work->w) == 1 && systolic_dim_n(&work->h) == 1;
	const bool one_d = systolic_dim_n(&work->d) == 1;
	assert(demand.ifmap_tile > 0 && demand.filter_tile > 0);

	work->ifmap_unique = fits(demand.ifmap_group, &ifmap, one_group);
	work->ifmap_once = work->ifmap_unique || (!work->filter_outside && fits(demand.ifmap_deep, &ifmap, one_s));
	if (!work->ifmap_once && !fits(demand.ifmap_tile, &ifmap, one_s && one_d))
		return refuse(machine, SYSTOLIC_IFMAP, demand.ifmap_tile, &ifmap, one_s && one_d, misfit);
	work->filter_once = fits(demand.filter_group, &filter, one_group) ||
	                    (work->filter_outside && fits(demand.filter_deep, &filter, one_c));
	if (!work->filter_once && !fits(demand.filter_tile, &filter, one_c && one_d))
		return refuse(machine, SYSTOLIC_FILTER, demand.filter_tile, &filter, one_c && one_d, misfit);
	if (!fits(demand.ofmap_tile, &ofmap, one_s && one_c))
		return refuse(machine, SYSTOLIC_OFMAP, demand.ofmap_tile, &ofmap, one_s && one_c, misfit);
	return true;
}

uint64_t systolic_sram_byte(const struct machine *machine, const struct systolic_work *work)
{
	const struct demand demand = demand_of(work);
	const bool one_group = work->n_group == 1, one_c = one_group && systolic_dim_n(&work->c) == 1;
	const bool one_s = one_group && systolic_dim_n(&work->w) == 1 && systolic_dim_n(&work->h) == 1;
	const bool one_d = systolic_dim_n(&work->d) == 1;
	if (machine->systolic.memory != SYSTOLIC_PHYSICAL)
		return machine_sram_byte(machine);
	uint64_t ifmap = demand.ifmap_tile * (one_s && one_d ? 1 : 2),
		 filter = demand.filter_tile * (one_c && one_d ? 1 : 2);
	if (work->ifmap_unique)
		ifmap = demand.ifmap_group * (one_group ? 1 : 2);
	else if (work->ifmap_once)
		ifmap = demand.ifmap_deep * (one_s ? 1 : 2);
	if (work->filter_once) {
		/* what stays is all of a group, or of the filters outside only those at hand and the next ones */
		uint64_t group = demand.filter_group * (one_group ? 1 : 2), deep = demand.filter_deep * (one_c ? 1 : 2);
		filter = work->filter_outside && deep < group ? deep : group;
	}
	return (ifmap + filter + demand.ofmap_tile * (one_s && one_c ? 1 : 2)) * machine->systolic.word_byte;
}

/* ---- words ---- */

/* Reads and writes of the array; partial sums of folds and tiles that are not the first are read again. */
static void array_words(const struct systolic_work *work, const struct factor_sums *sums,
                        struct systolic_result *result)
{
	uint64_t pixel = systolic_dim_extent(&work->w) * systolic_dim_extent(&work->h);
	uint64_t n_pixel_tile = (uint64_t)systolic_dim_n(&work->w) * systolic_dim_n(&work->h);
	uint64_t filter = systolic_dim_extent(&work->c), n_filter_tile = systolic_dim_n(&work->c);
	uint64_t tap = (uint64_t)work->kernel_w * work->kernel_h * systolic_dim_extent(&work->d);
	/* how often outputs are written: once a tile of channels, or once a fold of taps */
	uint64_t n_part = work->dataflow == SYSTOLIC_OS ? systolic_dim_n(&work->d) : sums->tap;
	/* stationary operands enter the array once a tile of the other one */
	uint64_t ifmap_round = work->dataflow == SYSTOLIC_IS ? n_filter_tile : sums->filter;
	uint64_t filter_round = work->dataflow == SYSTOLIC_WS ? n_pixel_tile : sums->pixel;
	result->sram_ifmap_read_word = ifmap_round * pixel * tap * work->n_group;
	result->sram_filter_read_word = filter_round * filter * tap * work->n_group;
	result->sram_ofmap_write_word = n_part * pixel * filter * work->n_group;
	result->sram_ofmap_read_word = (n_part - 1) * pixel * filter * work->n_group;
}

void systolic_words(const struct machine *machine, const struct systolic_work *work, struct systolic_result *result)
{
	const struct factor_sums sums = sum_factors(machine, work);
	uint64_t channels = systolic_dim_extent(&work->d), kernel = (uint64_t)work->kernel_w * work->kernel_h;
	uint64_t n_pixel_tile = (uint64_t)systolic_dim_n(&work->w) * systolic_dim_n(&work->h);
	uint64_t lines = sum_lines(&work->w, systolic_reach_w(work), work->stride, work->in_w) *
	                 sum_lines(&work->h, systolic_reach_h(work), work->stride, work->in_h);
	if (work->ifmap_unique)
		lines = unique_lines(&work->w, systolic_reach_w(work), work->stride, work->in_w) *
		        unique_lines(&work->h, systolic_reach_h(work), work->stride, work->in_h);
	array_words(work, &sums, result);
	result->dram_ifmap_read_word =
	    lines * channels * (work->ifmap_once ? 1 : systolic_dim_n(&work->c)) * work->n_group;
	result->dram_filter_read_word =
	    kernel * systolic_dim_extent(&work->c) * channels * (work->filter_once ? 1 : n_pixel_tile) * work->n_group;
	result->dram_ofmap_write_word = systolic_dim_extent(&work->w) * systolic_dim_extent(&work->h) /
	                                systolic_pool_area(work) * systolic_dim_extent(&work->c) * work->n_group;
}

double systolic_n_mac(const struct systolic_work *work)
{
	return (double)systolic_dim_extent(&work->w) * (double)systolic_dim_extent(&work->h) *
	       (double)systolic_dim_extent(&work->c) * (double)systolic_dim_extent(&work->d) *
	       ((double)work->kernel_w * work->kernel_h) * work->n_group;
}

/* Two of three dimensions lie on the array; the third one's tiles all have the same share. */
double systolic_mapping_eff(const struct machine *machine, const struct systolic_work *work)
{
	const struct factor_sums sums = sum_factors(machine, work);
	double pixel = (double)systolic_dim_extent(&work->w) * (double)systolic_dim_extent(&work->h);
	double filter = (double)systolic_dim_extent(&work->c);
	double tap = (double)work->kernel_w * work->kernel_h * (double)systolic_dim_extent(&work->d);
	double in_pixel = pixel / (double)sums.pixel, in_filter = filter / (double)sums.filter;
	double in_tap = tap / (double)sums.tap, n_pe = (double)machine_n_mac(machine);
	switch (work->dataflow) {
	case SYSTOLIC_WS:
		return in_tap * in_filter / n_pe;
	case SYSTOLIC_IS:
		return in_tap * in_pixel / n_pe;
	case SYSTOLIC_OS:
	case SYSTOLIC_ANY:
	default:
		return in_pixel * in_filter / n_pe;
	}
}

void systolic_counts_of(const struct machine *machine, const struct systolic_result *words, double mac,
                        struct counts *counts)
{
	double word_byte = machine->systolic.word_byte;
	double load_word = (double)words->dram_ifmap_read_word + (double)words->dram_filter_read_word;
	double store_word = (double)words->dram_ofmap_write_word;
	double read_word = (double)words->sram_ifmap_read_word + (double)words->sram_filter_read_word +
	                   (double)words->sram_ofmap_read_word + store_word;
	*counts = (struct counts){
	    .mac = mac,
	    .mla_clk = mac / (double)machine_n_mac(machine),
	    .sram_read_word = read_word * word_byte / SRAM_ENERGY_BYTE,
	    .sram_write_word = ((double)words->sram_ofmap_write_word + load_word) * word_byte / SRAM_ENERGY_BYTE,
	    .dram_read_byte = load_word * word_byte,
	    .dram_write_byte = store_word * word_byte,
	};
}

void systolic_counts(const struct machine *machine, const struct systolic_work *work, struct counts *counts)
{
	struct systolic_result words;
	systolic_words(machine, work, &words);
	systolic_counts_of(machine, &words, systolic_n_mac(work), counts);
}
