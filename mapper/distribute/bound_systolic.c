/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lower bounds on a range of tilings of a systolic array. Words and clocks are
 * products of sums, one a dimension (sim/systolic/systolic_model.c). A sum is least
 * with the fewest tiles, or given where the range has a single split. Small tiles
 * leave room in the buffers, so that operands can stay for several passes:
 *
 *   words      least sums of lines x least passes, if the least tile that a pass less needs does not fit
 *   clocks     of the array, with the first tile's load and the last one's store before and after, or
 *              of the interface for all words, whichever takes longer (fast_bound)
 */
#include "mapper/distribute/bound_parts.h"
#include "mapper/distribute/distribute.h"
#include "sim/base/checked.h"
#include "sim/systolic/systolic_model.h"
#include "sim/systolic/systolic_tile.h"
#include "sim/systolic/systolic_place.h"

/* A dimension of tiles: of one split, or of any into n or more tiles whose largest is of size or more. */
struct span {
	uint64_t n, size, extent;
	uint64_t last;                     /* size of the last tile, at least */
	const struct dim_split *split;     /* NULL: any */
	uint64_t lines;                    /* pixels: of ifmap that all tiles need, together */
	uint64_t unique_lines, tile_lines; /* that there are; that the largest tile needs */
};

struct spans {
	const struct machine *machine;
	enum systolic_dataflow dataflow;
	uint64_t n_group, kernel, pool_area;
	struct span w, h, c, d;
};

/* ---- dimensions ---- */

static struct span span_of(const struct dim_range *range)
{
	struct span span = {.n = range->n_least, .size = range->size, .extent = range->extent, .split = range->split};
	span.last = range->n_most > 1 ? range->step : range->extent;
	if (range->split) {
		span.n = dim_n_part(range->split);
		span.size = range->split->size_a;
		span.extent = dim_extent(range->split);
		span.last = range->split->n_b > 0 ? range->split->size_b : range->split->size_a;
	}
	span.lines = span.unique_lines = span.extent;
	span.tile_lines = span.size;
	return span;
}

/* Of pixels: tiles overlap by what the kernel exceeds its stride. */
static struct span span_of_pixels(const struct dim_range *range, uint32_t kernel, uint32_t stride, uint32_t in)
{
	struct span span = span_of(range);
	const struct dim_split *split = span.split;
	uint64_t past = systolic_lines_past(span.extent, kernel, stride, in);
	span.unique_lines = systolic_lines(span.extent, kernel, stride) - past;
	span.tile_lines = systolic_lines(span.size, kernel, stride) - (span.size < span.extent ? 0 : past);
	if (split)
		span.lines = split->n_a * systolic_lines(split->size_a, kernel, stride) +
		             (split->n_b > 0 ? split->n_b * systolic_lines(split->size_b, kernel, stride) : 0);
	else if (stride >= kernel)
		span.lines = span.extent * kernel;
	else
		span.lines = span.extent * stride + span.n * (kernel - stride);
	span.lines -= past;
	return span;
}

static struct spans spans_of(const struct layer_context *context, const struct layer_design *design,
                             const struct split_range *range)
{
	const struct block *block = context->block;
	static const struct dim_range one = {.extent = 1, .step = 1, .n_least = 1, .n_most = 1, .size = 1};
	bool is_matmul = block->kind == BLOCK_MATMUL;
	struct spans spans = {.machine = context->machine,
	                      .dataflow = strategy_table[design->strategy].dataflow,
	                      .n_group = block_n_group(block),
	                      .kernel = (uint64_t)block->kernel_w * block->kernel_h,
	                      .pool_area = is_matmul ? 1 : (uint64_t)block->pool * block->pool,
	                      .c = span_of(is_matmul ? &range->w : &range->c),
	                      .d = span_of(&range->d)};
	spans.w = span_of(&one);
	spans.h = span_of(&range->h);
	if (!is_matmul) {
		spans.w = span_of_pixels(&range->w, block_reach_w(block), block->stride, block_padded_w(block));
		spans.h = span_of_pixels(&range->h, block_reach_h(block), block->stride, block_padded_h(block));
	}
	return spans;
}

/* ---- clocks ---- */

/* Folds of all tiles, each of scale times its size. */
static uint64_t sum_folds(const struct span *span, uint64_t scale, uint64_t side)
{
	const struct dim_split *split = span->split;
	if (split)
		return split->n_a * ceil_div(split->size_a * scale, side) +
		       split->n_b * ceil_div(split->size_b * scale, side);
	uint64_t n_fold = ceil_div(span->extent * scale, side);
	return n_fold > span->n ? n_fold : span->n;
}

static uint64_t sum_pixel_folds(const struct spans *spans, uint64_t side)
{
	const struct dim_split *w = spans->w.split, *h = spans->h.split;
	uint64_t n_tile = spans->w.n * spans->h.n;
	if (h && spans->w.size == spans->w.extent)
		return sum_folds(&spans->h, spans->w.extent, side);
	if (w && h)
		return w->n_a * sum_folds(&spans->h, w->size_a, side) + w->n_b * sum_folds(&spans->h, w->size_b, side);
	uint64_t n_fold = ceil_div(spans->w.extent * spans->h.extent, side);
	return n_fold > n_tile ? n_fold : n_tile;
}

/* The factors of sim/systolic/systolic_tile.h, summed up over all tiles. */
struct factors {
	uint64_t pixel, filter, tap;
};

static struct factors least_factors(const struct spans *spans)
{
	uint64_t rows = spans->machine->systolic.rows, cols = spans->machine->systolic.cols;
	uint64_t n_pixel = spans->w.extent * spans->h.extent, n_pixel_tile = spans->w.n * spans->h.n;
	uint64_t drain = rows + cols - 2, fill = 2 * rows + cols - 2;
	switch (spans->dataflow) {
	case SYSTOLIC_WS:
		return (struct factors){n_pixel + n_pixel_tile * fill, sum_folds(&spans->c, 1, cols),
		                        sum_folds(&spans->d, spans->kernel, rows)};
	case SYSTOLIC_IS:
		return (struct factors){sum_pixel_folds(spans, cols), spans->c.extent + spans->c.n * fill,
		                        sum_folds(&spans->d, spans->kernel, rows)};
	case SYSTOLIC_OS:
	case SYSTOLIC_ANY:
	default:
		return (struct factors){sum_pixel_folds(spans, rows), sum_folds(&spans->c, 1, cols),
		                        spans->kernel * spans->d.extent + spans->d.n * drain};
	}
}

/* ---- words ---- */

static bool fits(const struct spans *spans, uint64_t word, uint32_t buffer_byte, bool is_only)
{
	return word <= buffer_byte / (is_only ? 1u : 2u) / spans->machine->systolic.word_byte;
}

/* Of all tilings, in one order: words that are loaded at least, and whether any fits. */
struct loads {
	double ifmap, filter;
	bool is_possible;
	struct systolic_misfit misfit;
};

static void check(const struct spans *spans, enum systolic_operand operand, uint64_t word, uint32_t buffer_byte,
                  bool is_only, struct loads *loads)
{
	uint64_t word_byte = spans->machine->systolic.word_byte;
	if (!loads->is_possible || fits(spans, word, buffer_byte, is_only))
		return;
	loads->is_possible = false;
	loads->misfit = (struct systolic_misfit){operand, word * word_byte,
	                                         buffer_byte / (is_only ? 1u : 2u) / word_byte * word_byte};
}

static struct loads least_loads(const struct spans *spans, bool filter_outside)
{
	const struct machine *machine = spans->machine;
	const struct span *w = &spans->w, *h = &spans->h, *c = &spans->c, *d = &spans->d;
	bool one_group = spans->n_group == 1, one_c = one_group && c->n == 1,
	     one_s = one_group && w->n == 1 && h->n == 1;
	bool one_d = d->n == 1;
	uint64_t tile = w->tile_lines * h->tile_lines, unique = w->unique_lines * h->unique_lines;
	uint64_t filter = spans->kernel * c->size;
	uint32_t ifmap_byte = machine->systolic.ifmap_byte, filter_byte = machine->systolic.filter_byte;
	bool keeps_group = fits(spans, unique * d->extent, ifmap_byte, one_group);
	bool ifmap_once = keeps_group || (!filter_outside && fits(spans, tile * d->extent, ifmap_byte, one_s));
	bool filter_once = fits(spans, spans->kernel * c->extent * d->extent, filter_byte, one_group) ||
	                   (filter_outside && fits(spans, filter * d->extent, filter_byte, one_c));
	double n_group = (double)spans->n_group, lines = (double)(keeps_group ? unique : w->lines * h->lines);
	double filters = (double)(spans->kernel * c->extent) * (double)d->extent;
	struct loads loads = {
	    .ifmap = lines * (double)d->extent * (ifmap_once ? 1 : (double)c->n) * n_group,
	    .filter = filters * (filter_once ? 1 : (double)(w->n * h->n)) * n_group,
	    .is_possible = true,
	};
	if (!ifmap_once)
		check(spans, SYSTOLIC_IFMAP, tile * d->size, ifmap_byte, one_s && one_d, &loads);
	if (!filter_once)
		check(spans, SYSTOLIC_FILTER, filter * d->size, filter_byte, one_c && one_d, &loads);
	check(spans, SYSTOLIC_OFMAP, w->size * h->size * c->size, machine->systolic.ofmap_byte, one_s && one_c, &loads);
	return loads;
}

/* Of the orders that the design leaves open the least; they move nothing else than other numbers of words. */
static struct loads either_order(const struct spans *spans, enum reuse_operand reuse)
{
	struct loads loads = least_loads(spans, reuse == REUSE_FILTER);
	if (reuse != REUSE_AUTO)
		return loads;
	struct loads other = least_loads(spans, true);
	bool is_less = other.ifmap + other.filter < loads.ifmap + loads.filter;
	return other.is_possible && (is_less || !loads.is_possible) ? other : loads;
}

/* The largest tiles, in both halves where there are several groups. */
static uint64_t least_sram_byte(const struct spans *spans)
{
	uint64_t ifmap = spans->w.tile_lines * spans->h.tile_lines * spans->d.size;
	uint64_t filter = spans->kernel * spans->c.size * spans->d.size,
		 ofmap = spans->w.size * spans->h.size * spans->c.size;
	return (ifmap + filter + ofmap) * (spans->n_group > 1 ? 2 : 1) * spans->machine->systolic.word_byte;
}

/* What the array reads and writes, as systolic_words counts it. */
static void add_array_words(const struct spans *spans, const struct factors *sums, double word_frac,
                            struct counts *counts)
{
	double pixel = (double)(spans->w.extent * spans->h.extent), filter = (double)spans->c.extent;
	double tap = (double)spans->kernel * (double)spans->d.extent, n_group = (double)spans->n_group;
	double n_part = spans->dataflow == SYSTOLIC_OS ? (double)spans->d.n : (double)sums->tap;
	double ifmap_round = spans->dataflow == SYSTOLIC_IS ? (double)spans->c.n : (double)sums->filter;
	double filter_round = spans->dataflow == SYSTOLIC_WS ? (double)(spans->w.n * spans->h.n) : (double)sums->pixel;
	double read = ifmap_round * pixel * tap + filter_round * filter * tap + (n_part - 1) * pixel * filter;
	counts->sram_read_word += read * n_group * word_frac;
	counts->sram_write_word += n_part * pixel * filter * n_group * word_frac;
}

/* ---- */

#define SRAM_ENERGY_BYTE 4.0 /* of an access that sram_read32_pj is for */

static void bound_tiles(const struct layer_context *context, const struct spans *spans, const struct loads *loads,
                        struct least_work *work)
{
	const struct factors sums = least_factors(spans);
	double word_byte = spans->machine->systolic.word_byte, word_frac = word_byte / SRAM_ENERGY_BYTE;
	double store = (double)(spans->w.extent * spans->h.extent) * (double)spans->c.extent * (double)spans->n_group /
	               (double)spans->pool_area;
	double first = (double)(spans->w.tile_lines * spans->h.tile_lines * spans->d.size) +
	               (double)(spans->kernel * spans->c.size * spans->d.size);
	double last = (double)(spans->w.last * spans->h.last * spans->c.last) / (double)spans->pool_area;
	struct counts *counts = &work->counts;
	counts->mac = (double)block_n_mac(context->block);
	counts->mla_clk = counts->mac / (double)machine_n_mac(spans->machine);
	counts->dram_read_byte = (loads->ifmap + loads->filter) * word_byte;
	counts->dram_write_byte = store * word_byte;
	counts->sram_read_word = store * word_frac;
	counts->sram_write_word = (loads->ifmap + loads->filter) * word_frac;
	add_array_words(spans, &sums, word_frac, counts);
	work->systolic.compute_clk =
	    (double)sums.pixel * (double)sums.filter * (double)sums.tap * (double)spans->n_group;
	work->systolic.bare_byte = (first + last) * word_byte;
}

/* SCALE-Sim runs the whole layer, a clock less than its folds take, and may prefetch less than a layer needs. */
static bool bound_scalesim(const struct block *block, const struct spans *spans, struct least_work *work,
                           struct verdict *verdict)
{
	bool is_whole =
	    spans->w.n == 1 && spans->h.n == 1 && spans->c.n == 1 && spans->d.n == 1 && block_dilation(block) == 1;
	double clk = work->systolic.compute_clk - (double)spans->n_group;
	work->counts.dram_read_byte = work->counts.dram_write_byte = work->counts.sram_write_word = 0;
	work->systolic.compute_clk = clk > 0 ? clk : 0;
	work->systolic.bare_byte = 0;
	*verdict = (struct verdict){is_whole ? VERDICT_OK : VERDICT_SCALESIM, 0, 0};
	return is_whole;
}

bool bound_systolic_range(const struct layer_context *context, const struct layer_design *design,
                          const struct split_range *range, struct least_work *work, uint64_t *sram_byte,
                          struct verdict *verdict)
{
	struct program streams = {.n_step = 0};
	bool is_possible = true;
	*work = (struct least_work){.n_pe = machine_n_pe(context->machine)};
	*verdict = (struct verdict){VERDICT_OK, 0, 0};
	*sram_byte = 0;
	if (context->block->kind != BLOCK_POOL) {
		const struct spans spans = spans_of(context, design, range);
		const struct loads loads = either_order(&spans, design->reuse);
		bound_tiles(context, &spans, &loads, work);
		*sram_byte = least_sram_byte(&spans);
		is_possible = loads.is_possible;
		if (context->machine->systolic.memory != SYSTOLIC_PHYSICAL) {
			is_possible = bound_scalesim(context->block, &spans, work, verdict);
			*sram_byte = 0;
		} else if (!is_possible)
			*verdict = distribute_systolic_misfit(&loads.misfit);
	}
	distribute_systolic_streams(context, &streams);
	for (uint32_t i = 0; i < streams.n_step; i++) {
		work->counts.dram_read_byte += streams.step[i].counts.dram_read_byte;
		work->counts.dram_write_byte += streams.step[i].counts.dram_write_byte;
		work->systolic.stream_byte += streams.step[i].u.arm.dram_byte;
	}
	return is_possible;
}
