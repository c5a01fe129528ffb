/* SPDX-License-Identifier: Apache-2.0 */
/* Words that a systolic array and its memory move, by operand: sums over tiles are products of sums over dimensions. */
#include "sim/systolic/systolic_model.h"
#include "sim/systolic/systolic_tile.h"

#define SRAM_ENERGY_BYTE 4 /* of an access that sram_read32_pj is for */

/* Reads and writes of the array; partial sums of folds and tiles that are not the first are read again. */
static void array_words(const struct systolic_work *work, const struct systolic_factor_sums *sums,
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
	const struct systolic_factor_sums sums = systolic_sum_factors(machine, work);
	uint64_t channels = systolic_dim_extent(&work->d), kernel = (uint64_t)work->kernel_w * work->kernel_h;
	uint64_t n_pixel_tile = (uint64_t)systolic_dim_n(&work->w) * systolic_dim_n(&work->h);
	uint64_t lines = systolic_sum_lines(&work->w, systolic_reach_w(work), work->stride, work->in_w) *
	                 systolic_sum_lines(&work->h, systolic_reach_h(work), work->stride, work->in_h);
	if (work->ifmap_unique)
		lines = systolic_unique_lines(&work->w, systolic_reach_w(work), work->stride, work->in_w) *
		        systolic_unique_lines(&work->h, systolic_reach_h(work), work->stride, work->in_h);
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
	const struct systolic_factor_sums sums = systolic_sum_factors(machine, work);
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
