/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of a systolic array's tiles in closed form.
 *
 * A block is a tile of pixels with a tile of filters; its steps go over the input
 * channels. While step k computes, for C_k clocks, the interface loads what step
 * k + 1 needs (L clocks, of the next block's first step after the last), and in
 * the time left it stores the results of the block before (S clocks). A step
 * begins when the one before is done and its operands are there, a block when
 * also the half of the ofmap buffer that it fills is stored. So a block takes
 *
 *     max(sum of max(C_k, L_k+1), sum of L_k+1 + S)
 *
 * and only depends on itself and its two neighbours. Tiles are therefore counted
 * by their class and the classes of their neighbours, a dimension at a time.
 */
#include "sim/systolic/systolic_model.h"
#include "sim/systolic/systolic_tile.h"
#include "sim/base/real.h"
#include <assert.h>
#include <math.h>

/* ---- sequences of tiles ---- */

#define MAX_RUN 4 /* the first tile, others of size_a, those of size_b, one that reaches past the ifmap */
#define MAX_PIXEL_CLASS (MAX_RUN * MAX_RUN)
#define MAX_CLASS (MAX_PIXEL_CLASS * MAX_RUN)
#define MAX_PLACE 64
#define NONE UINT8_MAX

/* n tiles of a class between neighbours of two classes. */
struct tile_place {
	double n;
	uint8_t own, before, after;
};

/* Tiles: the first, then others in any order, then the last. */
struct sequence {
	uint32_t n_class, n_place;
	uint8_t first, last;          /* classes */
	double n_of[MAX_PIXEL_CLASS]; /* tiles of each class */
	struct tile_place place[MAX_PLACE];
};

/* Tiles of one dimension: classes are runs of equal tiles. */
struct runs {
	uint32_t n;
	uint32_t size[MAX_RUN], n_tile[MAX_RUN];
	bool is_first[MAX_RUN], is_cut[MAX_RUN]; /* cut: reaches past the ifmap */
};

static void add_run(struct runs *runs, uint32_t size, uint32_t n_tile, bool is_first, bool is_cut)
{
	if (n_tile == 0)
		return;
	assert(runs->n < MAX_RUN);
	runs->size[runs->n] = size;
	runs->n_tile[runs->n] = n_tile;
	runs->is_first[runs->n] = is_first;
	runs->is_cut[runs->n] = is_cut;
	runs->n++;
}

/* first_apart: the first tile is a class of its own; cut_last: so is the last one. */
static void make_runs(const struct systolic_dim *dim, bool first_apart, bool cut_last, struct runs *runs)
{
	uint32_t n_a = dim->n_a, n_b = dim->n_b;
	bool is_one = n_a + n_b == 1;
	runs->n = 0;
	if (first_apart || is_one) {
		add_run(runs, dim->size_a, 1, true, is_one && cut_last);
		n_a--;
	}
	bool cut_a = cut_last && n_b == 0 && n_a > 0, cut_b = cut_last && n_b > 0;
	add_run(runs, dim->size_a, n_a - cut_a, false, false);
	add_run(runs, dim->size_a, cut_a, false, true);
	add_run(runs, dim->size_b, n_b - cut_b, false, false);
	add_run(runs, dim->size_b, cut_b, false, true);
}

static void add_place(struct sequence *sequence, double n, uint8_t own, uint8_t before, uint8_t after)
{
	assert(sequence->n_place < MAX_PLACE && n > 0);
	sequence->place[sequence->n_place++] = (struct tile_place){n, own, before, after};
}

static void make_sequence(const struct runs *runs, struct sequence *sequence)
{
	sequence->n_class = runs->n;
	sequence->n_place = 0;
	sequence->first = 0;
	sequence->last = (uint8_t)(runs->n - 1);
	for (uint32_t i = 0; i < runs->n; i++) {
		uint8_t own = (uint8_t)i, before = i > 0 ? (uint8_t)(i - 1) : NONE;
		uint8_t after = i + 1 < runs->n ? (uint8_t)(i + 1) : NONE;
		uint32_t n = runs->n_tile[i];
		sequence->n_of[i] = n;
		if (n == 1) {
			add_place(sequence, 1, own, before, after);
			continue;
		}
		add_place(sequence, 1, own, before, own);
		if (n > 2)
			add_place(sequence, n - 2, own, own, own);
		add_place(sequence, 1, own, own, after);
	}
}

/* An outer tile's place or class with one of its inner tiles; classes are outer * n_class of the inner + inner. */
static struct tile_place join(const struct sequence *inner, const struct tile_place *out, const struct tile_place *in)
{
	uint32_t n_inner = inner->n_class, base = out->own * n_inner;
	struct tile_place both = {out->n * in->n, (uint8_t)(base + in->own), NONE, NONE};
	if (in->before != NONE)
		both.before = (uint8_t)(base + in->before);
	else if (out->before != NONE)
		both.before = (uint8_t)(out->before * n_inner + inner->last);
	if (in->after != NONE)
		both.after = (uint8_t)(base + in->after);
	else if (out->after != NONE)
		both.after = (uint8_t)(out->after * n_inner + inner->first);
	return both;
}

/* The inner tiles once for each outer one. */
static void nest(const struct sequence *outer, const struct sequence *inner, struct sequence *both)
{
	uint32_t n_inner = inner->n_class;
	assert(outer->n_class * n_inner <= MAX_PIXEL_CLASS);
	both->n_class = outer->n_class * n_inner;
	both->n_place = 0;
	both->first = (uint8_t)(outer->first * n_inner + inner->first);
	both->last = (uint8_t)(outer->last * n_inner + inner->last);
	for (uint32_t i = 0; i < outer->n_class; i++)
		for (uint32_t k = 0; k < n_inner; k++)
			both->n_of[i * n_inner + k] = outer->n_of[i] * inner->n_of[k];
	for (uint32_t k = 0; k < inner->n_place; k++) {
		const struct tile_place *in = &inner->place[k];
		bool is_end = in->before == NONE || in->after == NONE;
		for (uint32_t i = 0; i < (is_end ? outer->n_place : outer->n_class); i++) {
			const struct tile_place any = {outer->n_of[i % MAX_PIXEL_CLASS], (uint8_t)i, NONE, NONE};
			assert(both->n_place < MAX_PLACE);
			both->place[both->n_place++] = join(inner, is_end ? &outer->place[i] : &any, in);
		}
	}
}

/* ---- blocks ---- */

/* Of a class of blocks, in clocks. Inner steps: all but the last, with the loads for the steps after them. */
struct tile_block {
	double first_load, store; /* of its first step's operands, of its results */
	double inner_busy, inner_load;
	double last_clk; /* the last step computes */
	double clk;      /* all steps compute */
};

/* Of a class of pixel tiles. */
struct pixels {
	double ifmap_word; /* an input channel */
	double n;
	double clk_factor; /* of a tile's clocks, the pixels' share */
	bool is_first;
};

/* A block's steps: tiles of input channels, of two sizes. */
struct block_steps {
	double n[2], size[2];
	double clk_factor[2];
	double word_clk; /* of a word on the interface */
};

static uint64_t lines_of(const struct runs *runs, uint32_t i, uint32_t kernel, uint32_t stride, uint64_t past,
                         bool unique)
{
	uint64_t lines = unique && !runs->is_first[i] ? systolic_new_lines(runs->size[i], kernel, stride)
	                                              : systolic_lines(runs->size[i], kernel, stride);
	return lines - (runs->is_cut[i] ? past : 0);
}

/* Classes of pixel tiles, h outside w. */
static void make_pixels(const struct machine *machine, const struct systolic_work *work, struct sequence *sequence,
                        struct pixels *pixels)
{
	struct sequence along_w, along_h;
	struct runs w, h;
	uint64_t past_w =
	    systolic_lines_past(systolic_dim_extent(&work->w), systolic_reach_w(work), work->stride, work->in_w);
	uint64_t past_h =
	    systolic_lines_past(systolic_dim_extent(&work->h), systolic_reach_h(work), work->stride, work->in_h);
	bool first_apart = work->ifmap_unique || work->filter_once;
	make_runs(&work->w, first_apart, past_w > 0, &w);
	make_runs(&work->h, first_apart, past_h > 0, &h);
	make_sequence(&w, &along_w);
	make_sequence(&h, &along_h);
	nest(&along_h, &along_w, sequence);
	for (uint32_t i = 0; i < h.n; i++) {
		uint64_t lines = lines_of(&h, i, systolic_reach_h(work), work->stride, past_h, work->ifmap_unique);
		for (uint32_t k = 0; k < w.n; k++) {
			uint64_t n = (uint64_t)w.size[k] * h.size[i];
			pixels[i * w.n + k] = (struct pixels){
			    .ifmap_word = (double)(lines * lines_of(&w, k, systolic_reach_w(work), work->stride, past_w,
			                                            work->ifmap_unique)),
			    .n = (double)n,
			    .clk_factor = (double)systolic_pixel_factor(machine, work->dataflow, n),
			    .is_first = w.is_first[k] && h.is_first[i],
			};
		}
	}
}

/* load_word: an input channel. */
static struct tile_block make_block(double load_word, double store_word, double clk_factor,
                                    const struct block_steps *steps)
{
	double channel_clk = load_word * steps->word_clk;
	double clk_a = clk_factor * steps->clk_factor[0], load_a = channel_clk * steps->size[0];
	struct tile_block block = {
	    .first_load = load_a,
	    .store = store_word * steps->word_clk,
	    .inner_busy = (steps->n[0] - 1) * real_max(clk_a, load_a),
	    .inner_load = (steps->n[0] - 1) * load_a,
	    .last_clk = clk_a,
	    .clk = steps->n[0] * clk_a,
	};
	if (steps->n[1] > 0) {
		double clk_b = clk_factor * steps->clk_factor[1], load_b = channel_clk * steps->size[1];
		block.inner_busy += real_max(clk_a, load_b) + (steps->n[1] - 1) * real_max(clk_b, load_b);
		block.inner_load += steps->n[1] * load_b;
		block.last_clk = clk_b;
		block.clk += steps->n[1] * clk_b;
	}
	return block;
}

/* Classes: pixel tiles * filter tiles, in the order of the loops. */
static void make_blocks(const struct machine *machine, const struct systolic_work *work, uint32_t n_pixel,
                        const struct pixels *pixels, const struct runs *c, const struct block_steps *steps,
                        struct tile_block *block)
{
	double kernel = (double)work->kernel_w * work->kernel_h;
	for (uint32_t i = 0; i < c->n; i++) {
		double factor = (double)systolic_filter_factor(machine, work->dataflow, c->size[i]);
		double filter_word = kernel * c->size[i];
		bool has_ifmap = !work->ifmap_once || c->is_first[i];
		for (uint32_t k = 0; k < n_pixel; k++) {
			bool has_filter = !work->filter_once || pixels[k].is_first;
			double load_word = (has_ifmap ? pixels[k].ifmap_word : 0) + (has_filter ? filter_word : 0);
			double store_word = pixels[k].n * c->size[i] / (double)systolic_pool_area(work);
			block[work->filter_outside ? i * n_pixel + k : k * c->n + i] =
			    make_block(load_word, store_word, pixels[k].clk_factor * factor, steps);
		}
	}
}

static double block_clk(const struct tile_block *own, double store_before, double load_after)
{
	return real_max(own->inner_busy + real_max(own->last_clk, load_after),
	                own->inner_load + load_after + store_before);
}

static double place_clk(const struct tile_block *block, const struct tile_place *place)
{
	return place->n * block_clk(&block[place->own], block[place->before].store, block[place->after].first_load);
}

/*
 * The first and the last block of n_group groups, one behind the other: before the first nothing is stored, after the
 * last nothing loaded; other groups' ends are neighbours. Of one block a group both are the same.
 */
static double ends_clk(const struct tile_block *begin, const struct tile_block *second,
                       const struct tile_block *last_but_one, const struct tile_block *end, double n_group)
{
	double clk = begin->first_load + end->store;
	return clk + block_clk(begin, 0, second->first_load) +
	       (n_group - 1) * block_clk(begin, end->store, second->first_load) +
	       block_clk(end, last_but_one->store, 0) +
	       (n_group - 1) * block_clk(end, last_but_one->store, begin->first_load);
}

static double one_block_clk(const struct tile_block *block, double n_group)
{
	double clk = block->first_load + block->store;
	if (n_group < 2)
		return clk + block_clk(block, 0, 0);
	return clk + block_clk(block, 0, block->first_load) + block_clk(block, block->store, 0) +
	       (n_group - 2) * block_clk(block, block->store, block->first_load);
}

/* One tile inside each outer one. */
static double sequence_clk(const struct sequence *sequence, const struct tile_block *block, double n_group)
{
	const struct tile_place *place = sequence->place, *last = &place[sequence->n_place - 1];
	double clk = 0;
	if (sequence->n_place == 1)
		return one_block_clk(block, n_group);
	for (uint32_t i = 1; i + 1 < sequence->n_place; i++)
		clk += place_clk(block, &place[i]);
	return n_group * clk +
	       ends_clk(&block[place->own], &block[place->after], &block[last->before], &block[last->own], n_group);
}

/* All tiles of outer, each with all of inner; block: [outer->n_class][inner->n_class]. */
static double loops_clk(const struct sequence *outer, const struct sequence *inner, const struct tile_block *block,
                        double n_group)
{
	const struct tile_place *begin = &inner->place[0], *end = &inner->place[inner->n_place - 1];
	uint32_t n_inner = inner->n_class;
	double clk = 0;
	if (inner->n_place == 1)
		return sequence_clk(outer, block, n_group);
	for (uint32_t i = 0; i < outer->n_class; i++)
		for (uint32_t k = 1; k + 1 < inner->n_place; k++)
			clk += outer->n_of[i] * place_clk(&block[i * n_inner], &inner->place[k]);
	for (uint32_t i = 0; i < outer->n_place; i++) {
		const struct tile_place *out = &outer->place[i];
		const struct tile_block *own = &block[out->own * n_inner];
		if (i > 0)
			clk += out->n * block_clk(&own[begin->own], block[out->before * n_inner + inner->last].store,
			                          own[begin->after].first_load);
		if (i + 1 < outer->n_place)
			clk += out->n * block_clk(&own[end->own], own[end->before].store,
			                          block[out->after * n_inner + inner->first].first_load);
	}
	const struct tile_block *first = &block[outer->first * n_inner], *last = &block[outer->last * n_inner];
	return n_group * clk +
	       ends_clk(&first[begin->own], &first[begin->after], &last[end->before], &last[end->own], n_group);
}

/* The sum over all blocks. */
static double blocks_clk(const struct machine *machine, const struct systolic_work *work,
                         const struct block_steps *steps)
{
	struct sequence along_c, along_s;
	struct pixels pixels[MAX_PIXEL_CLASS];
	struct tile_block block[MAX_CLASS];
	struct runs c;
	make_pixels(machine, work, &along_s, pixels);
	make_runs(&work->c, work->ifmap_once, false, &c);
	make_sequence(&c, &along_c);
	make_blocks(machine, work, along_s.n_class, pixels, &c, steps, block);
	if (work->filter_outside)
		return loops_clk(&along_c, &along_s, block, work->n_group);
	return loops_clk(&along_s, &along_c, block, work->n_group);
}

static uint32_t last_size(const struct systolic_dim *dim)
{
	return dim->n_b > 0 ? dim->size_b : dim->size_a;
}

/*
 * Most arrays with a fair memory wait for nothing but the first load and the last store. So it is where even the
 * smallest block would hide the loads and stores of the largest; *clk is those two then.
 */
static bool hides_all(const struct machine *machine, const struct systolic_work *work, const struct block_steps *steps,
                      double *clk)
{
	uint64_t lines = systolic_first_lines(&work->w, systolic_reach_w(work), work->stride, work->in_w) *
	                 systolic_first_lines(&work->h, systolic_reach_h(work), work->stride, work->in_h);
	double load_word = (double)lines + (double)work->kernel_w * work->kernel_h * work->c.size_a;
	double area = (double)systolic_pool_area(work);
	double store_word = (double)work->w.size_a * work->h.size_a * work->c.size_a / area;
	uint32_t w = last_size(&work->w), h = last_size(&work->h), c = last_size(&work->c);
	double factor = (double)(systolic_pixel_factor(machine, work->dataflow, (uint64_t)w * h) *
	                         systolic_filter_factor(machine, work->dataflow, c));
	struct tile_block block = make_block(load_word, store_word, factor, steps);
	*clk = block.first_load + (double)w * h * c / area * steps->word_clk;
	return block_clk(&block, block.store, block.first_load) <= block.clk;
}

double systolic_ends_clk(const struct systolic_work *work, double bandwidth_word)
{
	uint64_t lines = systolic_first_lines(&work->w, systolic_reach_w(work), work->stride, work->in_w) *
	                 systolic_first_lines(&work->h, systolic_reach_h(work), work->stride, work->in_h);
	double load_word = ((double)lines + (double)work->kernel_w * work->kernel_h * work->c.size_a) * work->d.size_a;
	double pixel = (double)last_size(&work->w) * last_size(&work->h);
	assert(bandwidth_word > 0);
	return (load_word + pixel * last_size(&work->c) / (double)systolic_pool_area(work)) / bandwidth_word;
}

struct systolic_time systolic_run_time(const struct machine *machine, const struct systolic_work *work,
                                       double bandwidth_word)
{
	const struct systolic_dim *d = &work->d;
	const uint64_t kernel = (uint64_t)work->kernel_w * work->kernel_h;
	struct systolic_time time = {.compute_clk = systolic_compute_clk(machine, work)};
	double compute_clk = (double)time.compute_clk, ends_only_clk;
	assert(bandwidth_word > 0);
	struct block_steps steps = {
	    .n = {d->n_a, d->n_b},
	    .size = {d->size_a, d->size_b},
	    .clk_factor = {(double)systolic_tap_factor(machine, work->dataflow, kernel * d->size_a),
	                   d->n_b > 0 ? (double)systolic_tap_factor(machine, work->dataflow, kernel * d->size_b) : 0},
	    .word_clk = 1 / bandwidth_word,
	};
	if (hides_all(machine, work, &steps, &ends_only_clk))
		time.clk = compute_clk + ends_only_clk;
	else /* sums of many products may end up a little below */
		time.clk = real_max(compute_clk, blocks_clk(machine, work, &steps));
	return time;
}

/* ---- results ---- */

double systolic_bandwidth_word(const struct machine *machine, uint32_t level)
{
	assert(machine->target == MACHINE_SYSTOLIC && level < machine->n_level);
	return machine_dram_byte(machine, level) / machine->systolic.word_byte;
}

uint64_t systolic_stall_clk(const struct systolic_time *time)
{
	/* sums of many products end up beside whole numbers; the fast tier rounds all steps so */
	uint64_t clk = counts_whole_clk(time->clk - 1e-6);
	assert(clk >= time->compute_clk);
	return clk - time->compute_clk;
}

void systolic_finish(const struct machine *machine, const struct systolic_work *work, const struct systolic_time *time,
                     struct systolic_result *result)
{
	double n_pe = (double)machine_n_mac(machine), mac = systolic_n_mac(work);
	result->stall_clk = systolic_stall_clk(time);
	result->total_clk = time->compute_clk + result->stall_clk;
	result->mapping_eff = systolic_mapping_eff(machine, work);
	result->compute_util = mac / ((double)time->compute_clk * n_pe);
	result->overall_util = mac / ((double)result->total_clk * n_pe);
	assert(result->mapping_eff <= 1 && result->compute_util <= result->mapping_eff * (1 + 1e-12));
}
