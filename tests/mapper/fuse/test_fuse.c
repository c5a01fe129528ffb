/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fused groups: what a tile needs is what its pixels need, one by one; no tensor is moved less than once; the best tile
 * and the best plan of a network are those of brute force.
 */
#include "mapper/fuse/fuse_search.h"
#include "sim/machine/hierarchy.h"
#include "tests/support/draws.h"
#include "tests/support/random_chain.h"
#include "tests/support/shipped_machine.h"
#include <stdlib.h>

#define SEED 2301
#define MAX_PIXEL 64 /* of a side */

/* ---- what a tile needs ---- */

/* Along one side: which pixels of each tensor a tile's results need, by windows. */
static void mark(const struct fuse_group *group, bool is_h, uint32_t first, uint32_t end,
                 bool needed[FUSE_MAX_TENSOR][MAX_PIXEL])
{
	uint32_t last = group->n_border + group->n - 1;
	memset(needed, 0, FUSE_MAX_TENSOR * sizeof(*needed));
	for (uint32_t x = first; x < end; x++)
		needed[last][x] = true;
	for (uint32_t m = group->n; m-- > 0;) {
		const struct fuse_member *member = &group->member[m];
		const struct block *block = member->block;
		const struct fuse_tensor *in = &group->tensor[member->reads],
					 *out = &group->tensor[group->n_border + m];
		for (uint32_t core = 0; core < (is_h ? out->h : out->w) * block->pool; core++) {
			if (!needed[group->n_border + m][core / block->pool])
				continue;
			for (uint32_t tap = 0; tap < (is_h ? block->kernel_h : block->kernel_w); tap++) {
				int64_t at = (int64_t)core * block->stride + tap * block_dilation(block) -
				             (is_h ? block->pad_top : block->pad_left);
				if (at >= 0 && at < (is_h ? in->h : in->w))
					needed[member->reads][at] = true;
			}
			if (member->adds != FUSE_NONE)
				needed[member->adds][core] = true;
		}
	}
}

/* Strides leave out pixels between windows, dilation between taps: then what is needed is no interval. */
static bool leaves_gaps(const struct fuse_group *group)
{
	for (uint32_t m = 0; m < group->n; m++)
		if (group->member[m].block->kernel_w < group->member[m].block->stride ||
		    block_dilation(group->member[m].block) > 1)
			return true;
	return false;
}

static void check_side(const struct fuse_group *group, bool is_h, uint32_t first, uint32_t end)
{
	static bool needed[FUSE_MAX_TENSOR][MAX_PIXEL];
	struct fuse_span span[FUSE_MAX_TENSOR];
	fuse_spans(group, is_h, first, end, span);
	mark(group, is_h, first, end, needed);
	for (uint32_t t = 0; t < group->n_border + group->n; t++) {
		uint32_t extent = is_h ? group->tensor[t].h : group->tensor[t].w, from = extent, to = 0;
		assert_true(extent <= MAX_PIXEL && span[t].end <= extent);
		for (uint32_t x = 0; x < extent; x++)
			if (needed[t][x]) {
				from = x < from ? x : from;
				to = x + 1;
			}
		assert_true(from < to);
		assert_true(span[t].first <= from && to <= span[t].end);
		if (!leaves_gaps(group)) {
			assert_int_equal(span[t].first, from);
			assert_int_equal(span[t].end, to);
		}
		assert_true(span[t].room >= span[t].end - span[t].first);
	}
}

static void test_spans_are_what_pixels_need(void **state)
{
	uint32_t n_checked = 0, n_gap = 0;
	(void)state;
	for (uint32_t i = 0; i < draws(3000, 300); i++) {
		struct rng rng = rng_stream(SEED, 0, i);
		struct network network;
		struct fuse_group group;
		random_chain(&rng, 2 + rng_below(&rng, 3), 52, &network);
		if (fuse_group_make(&network, 0, (uint32_t)network.n_block, &group) == FUSE_OK) {
			for (unsigned side = 0; side < 2; side++) {
				const struct fuse_tensor *last = &group.tensor[group.n_border + group.n - 1];
				uint32_t extent = side ? last->h : last->w, first = rng_below(&rng, extent);
				check_side(&group, side, first, first + 1 + rng_below(&rng, extent - first));
			}
			n_checked++;
			n_gap += leaves_gaps(&group);
		}
		network_free(&network);
	}
	assert_true(n_checked * 10 > draws(3000, 300) * 9 && n_gap > 0 && n_gap < n_checked * 3 / 4);
}

/* Step by step all that a tile needs is fresh once, and what a step holds has what its fresh rows read. */
static void check_roll(const struct fuse_group *group, uint32_t first, uint32_t end, uint32_t step)
{
	struct fuse_span whole[FUSE_MAX_TENSOR], held[FUSE_MAX_TENSOR], fresh[FUSE_MAX_TENSOR];
	struct fuse_reached reached = {.has_begun = false};
	uint32_t at[FUSE_MAX_TENSOR];
	fuse_spans(group, true, first, end, whole);
	for (uint32_t t = 0; t < group->n_border + group->n; t++)
		at[t] = whole[t].first;
	for (uint32_t y = first; y < end; y += step) {
		uint32_t from[FUSE_MAX_TENSOR];
		memcpy(from, at, sizeof(from));
		fuse_roll(group, true, y, y + step < end ? y + step : end, &reached, held, fresh);
		for (uint32_t t = 0; t < group->n_border + group->n; t++) {
			assert_int_equal(fresh[t].first, from[t]);
			assert_true(held[t].first <= fresh[t].first && fresh[t].end == held[t].end);
			at[t] = fresh[t].end;
		}
	}
	for (uint32_t t = 0; t < group->n_border + group->n; t++)
		assert_int_equal(at[t], whole[t].end);
}

static void test_steps_have_each_row_once(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < draws(3000, 300); i++) {
		struct rng rng = rng_stream(SEED, 3, i);
		struct network network;
		struct fuse_group group;
		random_chain(&rng, 2 + rng_below(&rng, 3), 52, &network);
		if (fuse_group_make(&network, 0, (uint32_t)network.n_block, &group) == FUSE_OK) {
			uint32_t extent = group.tensor[group.n_border + group.n - 1].h, first = rng_below(&rng, extent);
			uint32_t n = 1 + rng_below(&rng, extent - first);
			check_roll(&group, first, first + n, 1 + rng_below(&rng, n));
		}
		network_free(&network);
	}
}

/* ---- what it costs ---- */

/* A machine whose PEs have little SRAM, some of it storage QPEs. */
static struct machine draw_machine(struct rng *rng)
{
	static const char *const path[] = {"spaces/machines/thesis_chip.yaml", "spaces/machines/thesis_qpe_dram.yaml"};
	struct machine machine = shipped_machine(path[rng_below(rng, 2)]);
	machine.pe_sram_byte = 16 * (32 + rng_below(rng, 800));
	return machine;
}

static struct fuse_question draw_question(struct rng *rng, const struct machine *machine, struct stop_watch *watch)
{
	return (struct fuse_question){.machine = machine,
	                              .n_pe = 1 + rng_below(rng, 8),
	                              .operand_bit = rng_below(rng, 4) ? 8 : 16,
	                              .in_storage = rng_below(rng, 2),
	                              .more_mac_frac = rng_below(rng, 3) * 0.3,
	                              .least_busy_frac = rng_below(rng, 3) * 0.4,
	                              .watch = watch};
}

/* DRAM bytes and multiply-accumulates, tile by tile and pixel by pixel. */
static void count_tiles(const struct fuse_group *group, const struct fuse_question *question, struct fuse_cost *cost)
{
	const struct fuse_tensor *last = &group->tensor[group->n_border + group->n - 1];
	uint64_t byte = question->operand_bit / 8, n_tile = 0;
	struct fuse_span w[FUSE_MAX_TENSOR], h[FUSE_MAX_TENSOR];
	struct fuse_cost count = {.tile_w = cost->tile_w, .tile_h = cost->tile_h, .resident = cost->resident};
	for (uint32_t image = 0; image < group->batch; image++)
		for (uint32_t y = 0; y < last->h; y += cost->tile_h)
			for (uint32_t x = 0; x < last->w; x += cost->tile_w, n_tile++) {
				uint32_t right = x + cost->tile_w, low = y + cost->tile_h;
				fuse_spans(group, false, x, right < last->w ? right : last->w, w);
				fuse_spans(group, true, y, low < last->h ? low : last->h, h);
				for (uint32_t t = 0; t < group->n_border + group->n; t++) {
					uint64_t n = (uint64_t)(w[t].end - w[t].first) * (h[t].end - h[t].first);
					if (t < group->n_border)
						count.in_byte +=
						    question->in_storage >> t & 1 ? 0 : n * group->tensor[t].c * byte;
					else if (t == group->n_border + group->n - 1)
						count.out_byte += n * last->c * byte;
					if (t < group->n_border)
						continue;
					struct block part = *group->member[t - group->n_border].block;
					part.batch = part.out_h = 1;
					part.out_w = (uint32_t)n * part.pool * part.pool;
					count.n_mac += block_n_mac(&part);
				}
			}
	uint64_t n_step = (cost->tile_h + cost->step_h - 1) / cost->step_h;
	for (uint32_t m = 0; m < group->n; m++)
		count.weight_byte +=
		    block_n_weight(group->member[m].block) * byte *
		    (cost->resident >> m & 1 ? 1 : (n_tile + question->n_pe - 1) / question->n_pe * n_step);
	assert_int_equal(cost->n_tile, n_tile);
	assert_int_equal(cost->in_byte, count.in_byte);
	assert_int_equal(cost->out_byte, count.out_byte);
	assert_int_equal(cost->weight_byte, count.weight_byte);
	assert_int_equal(cost->dram_byte, count.in_byte + count.out_byte + count.weight_byte);
	assert_int_equal(cost->n_mac, count.n_mac);
}

/* Each tensor is read or written once at least. */
static void check_least(const struct fuse_group *group, const struct fuse_question *question,
                        const struct fuse_cost *cost)
{
	const struct fuse_tensor *last = &group->tensor[group->n_border + group->n - 1];
	struct fuse_side w, h;
	fuse_side_make(group, false, last->w, last->w, &w);
	fuse_side_make(group, true, last->h, last->h, &h);
	const struct fuse_cost least = fuse_cost_of(group, question, &w, &h, UINT32_MAX);
	assert_int_equal(least.n_tile, group->batch);
	assert_true(cost->in_byte >= least.in_byte && cost->weight_byte >= least.weight_byte);
	assert_int_equal(cost->out_byte, least.out_byte);
	assert_true(cost->n_mac >= least.n_mac);
}

static uint64_t weights_once(const struct fuse_group *group, const struct fuse_question *question)
{
	uint64_t n = 0;
	for (uint32_t m = 0; m < group->n; m++)
		n += block_n_weight(group->member[m].block);
	return n * question->operand_bit / 8;
}

/* All tiles of any size, in steps of 1, 2, 4, ... rows, that is the least for its number, and all sets of residents. */
static bool try_side(const struct fuse_group *group, const struct fuse_question *question, const struct fuse_side *w,
                     const struct fuse_side *h, bool has_best, struct fuse_cost *best)
{
	uint64_t n_mac = 0;
	for (uint32_t m = 0; m < group->n; m++)
		n_mac += block_n_mac(group->member[m].block);
	for (uint32_t resident = 0; resident < 1u << group->n; resident++) {
		struct fuse_cost cost = fuse_cost_of(group, question, w, h, resident);
		uint64_t n_turn = (cost.n_tile + question->n_pe - 1) / question->n_pe;
		if (cost.sram_byte > question->machine->pe_sram_byte ||
		    (double)cost.n_tile < question->least_busy_frac * (double)(n_turn * question->n_pe) ||
		    (double)cost.n_mac > (double)n_mac * (1 + question->more_mac_frac) ||
		    (has_best && !fuse_is_better(&cost, best)))
			continue;
		*best = cost;
		has_best = true;
	}
	return has_best;
}

static bool try_all(const struct fuse_group *group, const struct fuse_question *question, struct fuse_cost *best)
{
	const struct fuse_tensor *last = &group->tensor[group->n_border + group->n - 1];
	bool has_best = false;
	for (uint32_t i = 1; i <= last->w; i++)
		for (uint32_t j = 1; j <= last->h; j++) {
			struct fuse_side w, h;
			uint32_t size_w = (last->w + i - 1) / i, size_h = (last->h + j - 1) / j;
			fuse_side_make(group, false, size_w, size_w, &w);
			for (uint32_t step = 1; step <= size_h; step++)
				if ((step & (step - 1)) == 0 || step == size_h) {
					fuse_side_make(group, true, size_h, step, &h);
					has_best = try_side(group, question, &w, &h, has_best, best);
				}
		}
	return has_best;
}

static void test_best_tile_is_that_of_brute_force(void **state)
{
	uint32_t n_best = 0, n_none = 0, n_streamed = 0, n_rolled = 0;
	(void)state;
	for (uint32_t i = 0; i < draws(600, 120); i++) {
		struct rng rng = rng_stream(SEED, 1, i);
		struct machine machine = draw_machine(&rng);
		struct stop_watch watch = stop_watch_for(NULL);
		struct fuse_question question = draw_question(&rng, &machine, &watch);
		struct network network;
		struct fuse_group group;
		struct fuse_cost found, wanted;
		random_chain(&rng, 2 + rng_below(&rng, 2), 24, &network);
		if (fuse_group_make(&network, 0, (uint32_t)network.n_block, &group) == FUSE_OK) {
			bool has_best = try_all(&group, &question, &wanted);
			enum fuse_reason reason = fuse_best(&group, &question, &found);
			assert_int_equal(reason == FUSE_OK, has_best);
			n_best += has_best;
			n_none += !has_best;
		}
		if (fuse_group_make(&network, 0, (uint32_t)network.n_block, &group) == FUSE_OK &&
		    fuse_best(&group, &question, &found) == FUSE_OK) {
			assert_int_equal(found.dram_byte, wanted.dram_byte);
			assert_int_equal(found.n_mac, wanted.n_mac);
			assert_int_equal(found.sram_byte, wanted.sram_byte);
			count_tiles(&group, &question, &found);
			check_least(&group, &question, &found);
			n_rolled += found.step_h < found.tile_h;
			n_streamed += found.weight_byte > weights_once(&group, &question);
		}
		network_free(&network);
	}
	if (n_best < 10 || n_none == 0 || n_streamed == 0 || n_rolled == 0)
		fail_msg("%u groups have a best tile, of these %u with streamed weights, %u have none", n_best,
		         n_streamed, n_none);
}

static void test_sizes_are_the_least_for_their_number(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 300; n++) {
		uint32_t size[64];
		size_t n_size = fuse_sizes(n, size, 64), at = 0;
		assert_true(n_size <= 64);
		for (uint32_t s = n; s > 0; s--) {
			uint32_t n_tile = (n + s - 1) / s;
			if ((n + n_tile - 1) / n_tile == s)
				assert_int_equal(size[at++], s);
		}
		assert_int_equal(at, n_size);
	}
}

/* ---- plans of networks ---- */

/* Everything there is, recursively: cuts into groups, and whether each result stays in storage QPEs. */
struct brute {
	const struct network *network;
	const struct fuse_wish *wish;
	struct hierarchy hierarchy;
	struct stop_watch watch;
	bool kept[16]; /* by producer */
	uint64_t least;
};

static bool reads(const struct block_sources *sources, size_t producer)
{
	return sources->n == 1 && sources->producer[0] == producer;
}

/* Whether a block from b on finds a result as the latest or held one, or, not near, otherwise. */
static bool is_wanted(const struct network *network, size_t b, size_t producer, bool near)
{
	for (; b < network->n_block; b++) {
		const struct block *block = &network->block[b];
		if ((reads(&block->reads, producer) && near == (block->input != INPUT_DRAM)) ||
		    (reads(&block->adds, producer) && near == (block->added != INPUT_DRAM)))
			return true;
	}
	return false;
}

static bool brute_step(struct brute *brute, size_t first, uint32_t n, uint64_t *byte)
{
	struct fuse_group group;
	struct fuse_cost cost;
	if (fuse_group_make(brute->network, first, n, &group) != FUSE_OK)
		return false;
	struct fuse_question question = {.machine = brute->wish->machine,
	                                 .n_pe = brute->hierarchy.n_pe,
	                                 .operand_bit = brute->wish->operand_bit,
	                                 .more_mac_frac = brute->wish->more_mac_frac,
	                                 .least_busy_frac = brute->wish->least_busy_frac,
	                                 .watch = &brute->watch};
	for (uint32_t k = 0; k < group.n_border; k++)
		if (group.tensor[k].producer < 16 && brute->kept[group.tensor[k].producer])
			question.in_storage |= 1u << k;
	if (n > 1 && fuse_best(&group, &question, &cost) != FUSE_OK)
		return false;
	if (n == 1) {
		const struct fuse_tensor *last = &group.tensor[group.n_border];
		struct fuse_side w, h;
		fuse_side_make(&group, false, last->w, last->w, &w);
		fuse_side_make(&group, true, last->h, last->h, &h);
		cost = fuse_cost_of(&group, &question, &w, &h, 1);
	}
	*byte = cost.dram_byte;
	return true;
}

static void brute_from(struct brute *brute, size_t b, uint64_t byte)
{
	const struct network *network = brute->network;
	if (b == network->n_block && byte < brute->least)
		brute->least = byte;
	for (uint32_t n = 1; n <= brute->wish->max_block && b + n <= network->n_block; n++) {
		uint64_t own, room = 0;
		size_t end = b + n;
		bool before[16];
		if (!brute_step(brute, b, n, &own))
			continue;
		uint64_t out = fuse_alone(network, end - 1, brute->wish->operand_bit).out_byte;
		memcpy(before, brute->kept, sizeof(before));
		for (size_t p = 1; p <= b; p++) {
			if (brute->kept[p])
				room += fuse_alone(network, p - 1, brute->wish->operand_bit).out_byte;
			brute->kept[p] = brute->kept[p] && is_wanted(network, end, p, true);
		}
		brute_from(brute, end, byte + own);
		if (is_wanted(network, end, end, true) && room + out <= brute->hierarchy.storage_byte) {
			brute->kept[end] = true;
			brute_from(brute, end, byte + own - (is_wanted(network, end, end, false) ? 0 : out));
		}
		memcpy(brute->kept, before, sizeof(before));
	}
}

static void test_plans_are_those_of_brute_force(void **state)
{
	uint32_t n_fused = 0, n_kept = 0, n_chain = draws(1000, 300);
	(void)state;
	for (uint32_t i = 0; i < n_chain; i++) {
		struct rng rng = rng_stream(SEED, 2, i);
		struct machine machine = draw_machine(&rng);
		struct fuse_wish wish = {.machine = &machine,
		                         .operand_bit = 8,
		                         .max_block = 1 + rng_below(&rng, 4),
		                         .more_mac_frac = rng_below(&rng, 3) * 0.3,
		                         .least_busy_frac = rng_below(&rng, 3) * 0.4};
		struct network network;
		struct arena arena = {0};
		struct fuse_plan plan;
		random_chain(&rng, 2 + rng_below(&rng, 3), 52, &network);
		struct brute brute = {.network = &network, .wish = &wish, .least = UINT64_MAX};
		brute.watch = stop_watch_for(NULL);
		hierarchy_derive(&machine, &brute.hierarchy);
		brute_from(&brute, 0, 0);
		assert_int_equal(fuse_search(&network, &wish, &arena, &plan, NULL), ERR_OK);
		assert_int_equal(plan.dram_byte, brute.least);
		uint64_t sum = 0;
		size_t b = 0;
		for (size_t k = 0; k < plan.n_step; k++) {
			assert_int_equal(plan.step[k].first, b);
			b += plan.step[k].n;
			sum += plan.step[k].cost.dram_byte;
			n_fused += plan.step[k].n > 1;
			n_kept += plan.step[k].out_storage;
		}
		assert_int_equal(b, network.n_block);
		assert_int_equal(sum, plan.dram_byte);
		arena_free(&arena);
		network_free(&network);
	}
	assert_true(n_fused > n_chain / 5 && n_kept > n_chain / 5);
}

/* ---- what is no group ---- */

static enum fuse_reason reason_of(const char *layers, uint32_t n)
{
	char text[512];
	struct network network;
	struct fuse_group group;
	struct err err = {0};
	(void)snprintf(text, sizeof(text), "name: t\ninput: [8, 8, 4]\nlayers:\n%s", layers);
	if (network_read_text(text, &network, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	enum fuse_reason reason = fuse_group_make(&network, 0, n, &group);
	network_free(&network);
	return reason;
}

static void test_why_layers_are_no_group(void **state)
{
	(void)state;
	assert_int_equal(reason_of("  - conv: {kernel: 3, out_channels: 4}\n  - fc: {out: 3}\n", 2), FUSE_WORK);
	assert_int_equal(reason_of("  - conv: {kernel: 3, out_channels: 4}\n"
	                           "  - conv: {kernel: 3, out_channels: 4}\n"
	                           "  - conv: {kernel: 1, out_channels: 4, add: {from: -2}}\n",
	                           2),
	                 FUSE_READ);
	assert_int_equal(reason_of("  - conv: {kernel: 3, out_channels: 4}\n"
	                           "  - conv: {kernel: 3, out_channels: 4}\n"
	                           "  - conv: {kernel: 1, out_channels: 4, add: {from: -2}}\n",
	                           3),
	                 FUSE_OK);
	assert_int_equal(reason_of("  - conv: {kernel: 3, out_channels: 4}\n"
	                           "  - conv: {kernel: 3, out_channels: 4, input: [8, 8, 4]}\n",
	                           2),
	                 FUSE_APART);
	assert_int_equal(reason_of("  - conv: {kernel: 3, out_channels: 4}\n"
	                           "  - conv: {kernel: 3, out_channels: 4, from: 0}\n"
	                           "  - concat: {from: [1, 2]}\n"
	                           "  - conv: {kernel: 3, out_channels: 4}\n",
	                           3),
	                 FUSE_VIEW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_spans_are_what_pixels_need),
	    cmocka_unit_test(test_steps_have_each_row_once),
	    cmocka_unit_test(test_sizes_are_the_least_for_their_number),
	    cmocka_unit_test(test_best_tile_is_that_of_brute_force),
	    cmocka_unit_test(test_plans_are_those_of_brute_force),
	    cmocka_unit_test(test_why_layers_are_no_group),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
