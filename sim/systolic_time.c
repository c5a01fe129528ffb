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
#include "sim/systolic_model.h"
#include "sim/result.h"
#include "sim/systolic_parts.h"
#include "sim/base/real.h"
#include <assert.h>
#include <math.h>

/* ---- sequences of tiles ---- */

#define MAX_RUN 4 /* the first tile, others of size_a, those of size_b, one that reaches past the ifmap */
#define MAX_PIXEL_CLASS (MAX_RUN * MAX_RUN)
#define MAX_CLASS (MAX_PIXEL_CLASS * MAX_RUN)
#define MAX_PLACE 256
#define NONE UINT8_MAX

/* n tiles of a class between neighbours of two classes. */
struct place {
	double n;
	uint8_t own, before, after;
};

/* Tiles in order; ends come once each, others in any order. */
struct sequence {
	uint32_t n_class, n_place;
	uint8_t first, last;    /* classes */
	double n_of[MAX_CLASS]; /* tiles of each class */
	struct place place[MAX_PLACE];
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
	sequence->place[sequence->n_place++] = (struct place){n, own, before, after};
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

/* The inner tiles once for each outer one; classes are outer * inner.n_class + inner. */
static void nest(const struct sequence *outer, const struct sequence *inner, struct sequence *both)
{
	uint32_t n_inner = inner->n_class;
	assert(outer->n_class * n_inner <= MAX_CLASS);
	both->n_class = outer->n_class * n_inner;
	both->n_place = 0;
	both->first = (uint8_t)(outer->first * n_inner + inner->first);
	both->last = (uint8_t)(outer->last * n_inner + inner->last);
	for (uint32_t i = 0; i < outer->n_class; i++)
		for (uint32_t k = 0; k < n_inner; k++)
			both->n_of[i * n_inner + k] = outer->n_of[i] * inner->n_of[k];
	for (uint32_t k = 0; k < inner->n_place; k++) {
		const struct place *in = &inner->place[k];
		bool begins = in->before == NONE, ends = in->after == NONE;
		for (uint32_t i = 0; i < outer->n_class && !begins && !ends; i++) {
			uint32_t base = i * n_inner;
			add_place(both, outer->n_of[i] * in->n, (uint8_t)(base + in->own), (uint8_t)(base + in->before),
			          (uint8_t)(base + in->after));
		}
		for (uint32_t i = 0; i < outer->n_place && (begins || ends); i++) {
			const struct place *out = &outer->place[i];
			uint8_t before = NONE, after = NONE;
			if (!begins)
				before = (uint8_t)(out->own * n_inner + in->before);
			else if (out->before != NONE)
				before = (uint8_t)(out->before * n_inner + inner->last);
			if (!ends)
				after = (uint8_t)(out->own * n_inner + in->after);
			else if (out->after != NONE)
				after = (uint8_t)(out->after * n_inner + inner->first);
			add_place(both, out->n * in->n, (uint8_t)(out->own * n_inner + in->own), before, after);
		}
	}
}

/* ---- blocks ---- */

/* Of a class of blocks. */
struct block {
	double load_word;  /* an input channel */
	double store_word; /* results */
	double clk_factor; /* clocks of a step less what its taps contribute */
};

/* Of a class of pixel tiles. */
struct pixels {
	double ifmap_word; /* an input channel */
	double n;
	double clk_factor;
	bool is_first;
};

struct steps {
	double n[2];    /* of each of two sizes */
	double size[2]; /* input channels */
	double tap_factor[2];
	double word_clk; /* clocks of a word on the interface */
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
	uint64_t past_w = systolic_lines_past(systolic_dim_extent(&work->w), work->kernel_w, work->stride, work->in_w);
	uint64_t past_h = systolic_lines_past(systolic_dim_extent(&work->h), work->kernel_h, work->stride, work->in_h);
	bool first_apart = work->ifmap_unique || work->filter_once;
	make_runs(&work->w, first_apart, past_w > 0, &w);
	make_runs(&work->h, first_apart, past_h > 0, &h);
	make_sequence(&w, &along_w);
	make_sequence(&h, &along_h);
	nest(&along_h, &along_w, sequence);
	for (uint32_t i = 0; i < h.n; i++) {
		uint64_t lines = lines_of(&h, i, work->kernel_h, work->stride, past_h, work->ifmap_unique);
		for (uint32_t k = 0; k < w.n; k++) {
			uint64_t n = (uint64_t)w.size[k] * h.size[i];
			pixels[i * w.n + k] = (struct pixels){
			    .ifmap_word = (double)(lines * lines_of(&w, k, work->kernel_w, work->stride, past_w,
			                                            work->ifmap_unique)),
			    .n = (double)n,
			    .clk_factor = (double)systolic_pixel_factor(machine, work->dataflow, n),
			    .is_first = w.is_first[k] && h.is_first[i],
			};
		}
	}
}

/* Classes of blocks in the order of the loops, groups included. */
static void make_blocks(const struct machine *machine, const struct systolic_work *work, struct sequence *sequence,
                        struct block *block)
{
	struct sequence along_c, along_s;
	struct pixels pixels[MAX_PIXEL_CLASS];
	struct runs c;
	double kernel = (double)work->kernel_w * work->kernel_h;
	make_pixels(machine, work, &along_s, pixels);
	make_runs(&work->c, work->ifmap_once, false, &c);
	make_sequence(&c, &along_c);
	if (work->filter_outside)
		nest(&along_c, &along_s, sequence);
	else
		nest(&along_s, &along_c, sequence);
	for (uint32_t i = 0; i < c.n; i++) {
		double factor = (double)systolic_filter_factor(machine, work->dataflow, c.size[i]);
		double filter_word = kernel * c.size[i];
		for (uint32_t k = 0; k < along_s.n_class; k++) {
			bool has_ifmap = !work->ifmap_once || c.is_first[i];
			bool has_filter = !work->filter_once || pixels[k].is_first;
			uint32_t place = work->filter_outside ? i * along_s.n_class + k : k * c.n + i;
			block[place] = (struct block){
			    .load_word = (has_ifmap ? pixels[k].ifmap_word : 0) + (has_filter ? filter_word : 0),
			    .store_word = pixels[k].n * c.size[i],
			    .clk_factor = pixels[k].clk_factor * factor,
			};
		}
	}
}

static double block_clk(const struct block *own, double stored_word, double next_word, const struct steps *steps)
{
	double clk_a = own->clk_factor * steps->tap_factor[0],
	       load_a = own->load_word * steps->size[0] * steps->word_clk;
	double load_next = next_word * steps->size[0] * steps->word_clk;
	double busy_clk = (steps->n[0] - 1) * real_max(clk_a, load_a),
	       load_clk = (steps->n[0] - 1) * load_a + load_next;
	double clk_last = clk_a;
	if (steps->n[1] > 0) {
		double load_b = own->load_word * steps->size[1] * steps->word_clk;
		clk_last = own->clk_factor * steps->tap_factor[1];
		busy_clk += real_max(clk_a, load_b) + (steps->n[1] - 1) * real_max(clk_last, load_b);
		load_clk += steps->n[1] * load_b;
	}
	busy_clk += real_max(clk_last, load_next);
	return real_max(busy_clk, load_clk + stored_word * steps->word_clk);
}

static double sequence_clk(const struct sequence *sequence, const struct block *block, const struct steps *steps)
{
	const struct block *first = &block[sequence->first], *last = &block[sequence->last];
	double clk = first->load_word * steps->size[0] * steps->word_clk + last->store_word * steps->word_clk;
	for (uint32_t i = 0; i < sequence->n_place; i++) {
		const struct place *place = &sequence->place[i];
		double stored_word = place->before == NONE ? 0 : block[place->before].store_word;
		double next_word = place->after == NONE ? 0 : block[place->after].load_word;
		clk += place->n * block_clk(&block[place->own], stored_word, next_word, steps);
	}
	return clk;
}

struct systolic_time systolic_run_time(const struct machine *machine, const struct systolic_work *work,
                                       double bandwidth_word)
{
	const struct systolic_dim *d = &work->d;
	const uint64_t kernel = (uint64_t)work->kernel_w * work->kernel_h;
	struct sequence sequence;
	struct block block[MAX_CLASS];
	assert(bandwidth_word > 0);
	make_blocks(machine, work, &sequence, block);
	struct steps steps = {
	    .n = {d->n_a, d->n_b},
	    .size = {d->size_a, d->size_b},
	    .tap_factor = {(double)systolic_tap_factor(machine, work->dataflow, kernel * d->size_a),
	                   d->n_b > 0 ? (double)systolic_tap_factor(machine, work->dataflow, kernel * d->size_b) : 0},
	    .word_clk = 1 / bandwidth_word,
	};
	double factor = 0;
	for (uint32_t i = 0; i < sequence.n_class; i++)
		factor += sequence.n_of[i] * block[i].clk_factor;
	double compute_clk =
	    factor * (steps.n[0] * steps.tap_factor[0] + steps.n[1] * steps.tap_factor[1]) * work->n_group;
	struct systolic_time time = {.compute_clk = (uint64_t)compute_clk};
	if (work->n_group == 1) {
		time.clk = real_max(compute_clk, sequence_clk(&sequence, block, &steps));
		return time;
	}
	const struct systolic_dim groups = {1, work->n_group, 0, 0};
	struct sequence along_group, all;
	struct runs runs;
	make_runs(&groups, false, false, &runs);
	make_sequence(&runs, &along_group);
	nest(&along_group, &sequence, &all);
	time.clk = real_max(compute_clk, sequence_clk(&all, block, &steps));
	return time;
}

/* ---- results ---- */

double systolic_bandwidth_word(const struct machine *machine, uint32_t level)
{
	assert(machine->target == MACHINE_SYSTOLIC && level < machine->n_level);
	return result_dram_byte(machine, level) / machine->systolic_word_byte;
}

uint64_t systolic_stall_clk(const struct systolic_time *time)
{
	/* sums of many products end up beside whole numbers; the fast tier rounds all steps so */
	double clk = ceil(time->clk - 1e-6);
	assert(clk >= (double)time->compute_clk);
	return (uint64_t)clk - time->compute_clk;
}

void systolic_run(const struct machine *machine, const struct systolic_work *work, uint32_t level,
                  struct systolic_result *result)
{
	struct systolic_time time = systolic_run_time(machine, work, systolic_bandwidth_word(machine, level));
	*result = (struct systolic_result){.stall_clk = systolic_stall_clk(&time)};
	result->total_clk = time.compute_clk + result->stall_clk;
	systolic_words(machine, work, result);
	double n_pe = (double)machine_n_mac(machine), mac = systolic_n_mac(work);
	result->mapping_eff = systolic_mapping_eff(machine, work);
	result->compute_util = mac / ((double)time.compute_clk * n_pe);
	result->overall_util = mac / ((double)result->total_clk * n_pe);
	assert(result->mapping_eff <= 1 && result->compute_util <= result->mapping_eff * (1 + 1e-12));
}
