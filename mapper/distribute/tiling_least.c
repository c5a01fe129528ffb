/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/distribute/tiling_parts.h"
#include "sim/base/real.h"

/*
 * The least tiling of a range of splits: no split of the range is below it in
 * anything that a program's cost grows with. Dimension by dimension: a single
 * split gives its own sums; an open range gives what any split into that many
 * parts has at least, in closed form. What couples the dimensions (tiles of maps,
 * filters and results are rounded up to whole lines) is left unrounded, or
 * counted as a line a tile where that is more.
 */

/* Sums that are no whole numbers have this much slack: rounding must not put them above those of a design. */
#define ROUNDING_SLACK (1 - 1e-9)

/* So many splits are looked at one by one: that takes less than the boxes that it saves. */
#define FEW_SPLITS 32

/* What a dimension has at least; sums are over its parts. */
struct dim_least {
	uint32_t n_part, size; /* of the fewest parts; the largest part of the most parts */
	uint64_t n_in;         /* stored ifmap extents */
	uint64_t in_byte;      /* the same in whole lines */
	uint64_t n_computed;   /* stride-1 outputs that the array computes */
	uint64_t n_block;      /* blocks of the array */
	uint64_t n_port;       /* SRAM ports that a row of results takes */
	uint64_t n_word;       /* extents rounded up to four */
};

/* How one dimension of a block is counted. */
struct dim_rule {
	uint32_t kernel, stride, padded; /* padded: ifmap extent that no part exceeds; 0: the part is stored as it is */
	uint32_t block, operand_byte;
	const struct mla_conv_round *round; /* of a convolution's width; or NULL */
	const struct layer_context *context;
	bool is_tight; /* a part ends with its last output, however large the stride */
	bool rounds;   /* the sums of few splits are known one by one */
};

static uint64_t at_least(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Stored ifmap of a part of one output. */
static uint64_t in_of_one(const struct dim_rule *rule)
{
	return rule->is_tight ? rule->kernel : at_least(rule->kernel, rule->stride);
}

static uint64_t in_extent(const struct dim_rule *rule, uint64_t out)
{
	if (rule->padded == 0)
		return out;
	return at_most((out - 1) * rule->stride + in_of_one(rule), rule->padded);
}

static void add_parts(const struct dim_rule *rule, uint64_t size, uint64_t n, struct dim_least *least)
{
	uint64_t in = in_extent(rule, size), computed = rule->padded ? in - rule->kernel + 1 : size;
	least->n_in += n * in;
	least->in_byte += n * align_up(in * rule->operand_byte, LINE_BYTE);
	least->n_computed += n * computed;
	least->n_block += n * ceil_div(computed, rule->block);
	least->n_port += rule->round ? n * tiling_row_port(rule->context, rule->round, computed) : 0;
	least->n_word += n * align_up(size, WORD_ALIGN);
}

static struct dim_least least_of_split(const struct dim_rule *rule, const struct dim_split *dim)
{
	struct dim_least least = {.n_part = dim_n_part(dim), .size = dim->size_a};
	add_parts(rule, dim->size_a, dim->n_a, &least);
	if (dim->n_b > 0)
		add_parts(rule, dim->size_b, dim->n_b, &least);
	return least;
}

/*
 * n parts of a kernel that takes at least its stride store (kernel - stride) more
 * each, tight ones of a kernel below it so much less; only one part can be so
 * large that the padded extent cuts it. Sums of what is rounded up are at least
 * the rounded sum and at least one unit a part.
 */
static struct dim_least least_of_range(const struct dim_rule *rule, const struct dim_range *range)
{
	uint64_t extent = range->extent, few = range->n_least, many = range->n_most;
	struct dim_least least = {
	    .n_part = range->n_least,
	    .size = range->size,
	    .n_in = extent,
	    .n_computed = extent,
	};
	assert(few > 0 && few <= many && many <= extent / range->step);
	if (rule->padded > 0) {
		uint64_t one = in_of_one(rule);
		uint64_t cut = (extent - 1) * rule->stride + one - in_extent(rule, extent);
		uint64_t few_in = (extent - few) * rule->stride + few * one;
		uint64_t many_in = (extent - many) * rule->stride + many * one;
		least.n_in = at_most(few_in, many_in) - cut;
		least.n_computed =
		    at_most(few_in - few * (rule->kernel - 1), many_in - many * (rule->kernel - 1)) - cut;
	}
	least.in_byte = at_least(align_up(least.n_in * rule->operand_byte, LINE_BYTE), few * LINE_BYTE);
	least.n_block = at_least(ceil_div(least.n_computed, rule->block), few);
	if (rule->round) {
		uint64_t byte = least.n_computed * rule->round->result_byte;
		least.n_port = at_least(ceil_div(byte, rule->context->machine->pe_sram_port_byte), few);
	}
	least.n_word = at_least(align_up(extent, WORD_ALIGN), few * WORD_ALIGN);
	return least;
}

/* Each sum the least of any split of the range, which knows what rounding costs. */
static struct dim_least least_of_few(const struct dim_rule *rule, const struct dim_range *range)
{
	struct dim_least least = least_of_split(rule, &range->choice[0]);
	for (uint32_t i = 1; i < range->n_choice; i++) {
		struct dim_least own = least_of_split(rule, &range->choice[i]);
		least.n_in = at_most(least.n_in, own.n_in);
		least.in_byte = at_most(least.in_byte, own.in_byte);
		least.n_computed = at_most(least.n_computed, own.n_computed);
		least.n_block = at_most(least.n_block, own.n_block);
		least.n_port = at_most(least.n_port, own.n_port);
		least.n_word = at_most(least.n_word, own.n_word);
	}
	least.n_part = range->n_least;
	least.size = range->size;
	return least;
}

/* Whether all numbers of parts are known: then what rounding costs is most of what bounds do not know. */
static bool knows_numbers(const struct split_range *range)
{
	const struct dim_range *const dim[] = {&range->w, &range->h, &range->c, &range->d};
	for (int i = 0; i < 4; i++)
		if (dim[i]->n_least != dim[i]->n_most)
			return false;
	return true;
}

static struct dim_least least_of(const struct dim_rule *rule, const struct dim_range *range)
{
	if (range->split)
		return least_of_split(rule, range->split);
	bool is_few = rule->rounds && range->n_choice > 0 && range->n_choice <= FEW_SPLITS;
	return is_few ? least_of_few(rule, range) : least_of_range(rule, range);
}

/* Rows of all images: each has its own parts. */
static struct dim_least least_of_rows(const struct dim_rule *rule, const struct dim_range *range, uint32_t n_image)
{
	struct dim_least least = least_of(rule, range);
	least.n_part *= n_image;
	least.n_in *= n_image;
	least.in_byte *= n_image;
	least.n_computed *= n_image;
	least.n_block *= n_image;
	return least;
}

/* so many blocks of columns of B that the ports they are stored in, of up to 1024 bytes, are full, whatever the array
 */
#define N_FULL_BLOCK 1024

/* Bytes of n tiles that hold so much together, each in whole lines. */
static uint64_t line_byte(uint64_t byte, uint64_t n_tile)
{
	return at_least(align_up(byte, LINE_BYTE), n_tile * LINE_BYTE);
}

/* Of the stored ifmap, for parts of the ofmap. */
static struct part_pair in_parts(const struct dim_rule *rule, struct part_pair parts)
{
	for (uint32_t i = 0; i < parts.n_size; i++)
		parts.size[i] = in_extent(rule, parts.size[i]);
	return parts;
}

/* Words of a round with so many input channels. */
static void conv_round_words(const struct layer_context *context, const struct mla_conv_round *round,
                             uint64_t n_channel, double n_round, struct tiling *tiling)
{
	uint64_t packet_byte = context->machine->noc_packet_byte;
	double n_a = (double)ceil_div(n_channel * round->channel_a_byte, packet_byte);
	tiling->all_mac_clk += n_round * (double)(n_channel * round->channel_mac_clk);
	tiling->all_a_word += n_round * n_a * (double)ceil_div(packet_byte, 4);
	tiling->all_b_word += n_round * (double)(n_channel * round->channel_b_word);
}

/* Blocks of the array's columns, and SRAM ports of a filter's results, that all parts of the map take. */
struct map_least {
	uint64_t n_block, n_port;
};

static struct map_least map_of_rows(const struct dim_least *w, const struct dim_least *h)
{
	return (struct map_least){w->n_block * h->n_computed, w->n_port * h->n_computed};
}

/* The same of parts whose pixels are one row each: exact where both splits are given. */
static struct map_least map_of_packed(const struct block *block, const struct dim_rule *rule,
                                      const struct split_range *range, uint64_t n_map)
{
	uint64_t n_pixel = (uint64_t)range->w.extent * range->h.extent * block_batch(block),
		 port_byte = rule->context->machine->pe_sram_port_byte;
	struct map_least least = {at_least(ceil_div(n_pixel, rule->block), n_map),
	                          at_least(ceil_div(n_pixel * rule->round->result_byte, port_byte), n_map)};
	if (!range->w.split || !range->h.split)
		return least;
	const struct part_pair w = tiling_parts_of(range->w.split), h = tiling_row_parts(block, range->h.split);
	least = (struct map_least){0, 0};
	for (int i = 0; i < 4; i++) {
		uint64_t n = w.n[i / 2] * h.n[i % 2], size = w.size[i / 2] * h.size[i % 2];
		least.n_block += n * ceil_div(size, rule->block);
		least.n_port += n * tiling_row_port(rule->context, rule->round, size);
	}
	return least;
}

/* As least_conv_words, of filters times pixels: a convolution's words but for the results, which fill the array. */
static void least_packed_matmul(const struct layer_context *context, double n_round, struct tiling *tiling)
{
	const struct machine *machine = tiling_machine_of(context, tiling);
	const struct mla_matmul_task one = {1, machine->mla_rows, N_FULL_BLOCK * machine->mla_cols},
				     task = {tiling->in_c, tiling->out_c, tiling->in_w};
	struct mla_cost cost;
	const struct mla_matmul *matmul = tiling_matmul_of(context, tiling);
	mla_prepared_cost(matmul, &one, &cost);
	tiling->all_out_word = (double)cost.out_word / N_FULL_BLOCK * n_round * tiling->n_d;
	mla_prepared_cost(matmul, &task, &tiling->task);
	tiling->least_task_clk = tiling->all_mac_clk + (double)machine->mla_init_clk * (double)tiling->n_task;
}

static void least_conv_words(const struct layer_context *context, const struct split_range *range,
                             const struct map_least *map, const struct dim_least *c, struct tiling *tiling)
{
	const struct machine *machine = tiling_machine_of(context, tiling);
	const struct mla_conv_round *round = tiling_round_of(context, tiling);
	const struct dim_split *d = range->d.split;
	double n_round = (double)(map->n_block * c->n_block);
	/* in any number of parts the channels take at least the packets that they take in one */
	if (d) {
		conv_round_words(context, round, d->size_a, n_round * d->n_a, tiling);
		if (d->n_b > 0)
			conv_round_words(context, round, d->size_b, n_round * d->n_b, tiling);
	} else {
		conv_round_words(context, round, range->d.extent, n_round, tiling);
	}
	if (context->form == FORM_MATMUL) {
		least_packed_matmul(context, n_round, tiling);
		return;
	}
	double n_out = (double)(map->n_port * range->c.extent) * tiling->n_d;
	tiling->all_out_word = n_out * (machine->pe_sram_port_byte / 4);
	const struct mla_conv_task task = tiling_largest_task(tiling);
	mla_conv_words(machine, round, &task, &tiling->task);
	/* every task has its start, and the array multiplies as long as it multiplies */
	tiling->least_task_clk = tiling->all_mac_clk + (double)machine->mla_init_clk * (double)tiling->n_task;
}

/* Groups of array rows that the filters take; those of a grouped convolution do not share them. */
static uint64_t least_rows(const struct layer_context *context, const struct dim_range *c)
{
	uint32_t n_group = block_n_group(context->block);
	if (!c->split)
		return at_least(n_group *
		                    split_part_row(context->block, c->extent / n_group, context->machine->mla_rows),
		                c->n_least);
	const struct part_pair parts = tiling_parts_of(c->split);
	return tiling_sum_rows(context, &parts);
}

/* Convolutions and pooling. */
static void least_map(const struct layer_context *context, const struct split_range *range, struct tiling *tiling)
{
	const struct block *block = context->block;
	bool is_conv = block->kind == BLOCK_CONV, rounds = knows_numbers(range);
	uint32_t operand_byte = context->operand_bit / 8;
	const struct mla_conv_round *round = tiling_round_of(context, tiling);
	const struct dim_rule w_rule = {block_reach_w(block),
	                                block->stride,
	                                block_padded_w(block),
	                                context->machine->mla_cols,
	                                operand_byte,
	                                is_conv ? round : NULL,
	                                context,
	                                context->is_tight,
	                                rounds};
	/* of packed parts rows that a stride skips are not loaded */
	const struct dim_rule h_rule = {block_reach_h(block),
	                                block->stride,
	                                context->is_packed ? 0 : block_padded_h(block),
	                                1,
	                                operand_byte,
	                                NULL,
	                                NULL,
	                                context->is_tight,
	                                rounds};
	const struct dim_rule c_rule = {1, 1, 0, context->machine->mla_rows, operand_byte, NULL, NULL, false, rounds};
	struct dim_least w = least_of(&w_rule, &range->w), h = least_of_rows(&h_rule, &range->h, block_batch(block)),
			 c = least_of(&c_rule, &range->c);
	bool is_grouped = block_n_group(block) > 1;
	c.n_block = is_grouped ? least_rows(context, &range->c) : c.n_block;
	uint64_t n_channel = is_conv ? (uint64_t)range->d.extent * block_n_group(block) : range->c.extent,
		 n_channel_part = is_conv ? (uint64_t)tiling->n_d * tiling->n_channel_part : tiling->n_c;
	uint64_t n_pixel = tiling->n_out_pixel, area = (uint64_t)block->pool * block->pool;
	tiling->row_word = w.n_word;
	tiling->all_out_byte = line_byte(n_pixel / area * operand_byte, tiling->n_map * tiling->n_c);
	bool is_single = range->w.split && range->h.split;
	if (is_single && range->c.split) {
		const struct part_pair w_out = tiling_parts_of(range->w.split),
				       h_out = tiling_row_parts(block, range->h.split),
				       c_out = tiling_parts_of(range->c.split);
		tiling->all_out_byte = tiling_sum_line_byte(&w_out, &h_out, &c_out, area, operand_byte);
	}
	tiling->all_raw_out_byte = w.n_word * range->h.extent * block_batch(block) * range->c.extent * RESULT_BYTE;
	tiling->all_map_byte = line_byte(w.n_in * h.n_in * n_channel * operand_byte, tiling->n_map * n_channel_part);
	const struct dim_split *channels = is_conv ? range->d.split : range->c.split;
	if (is_single && channels && !(is_grouped && !range->c.split)) {
		const struct part_pair w_in = in_parts(&w_rule, tiling_parts_of(range->w.split)),
				       h_in = in_parts(&h_rule, tiling_row_parts(block, range->h.split)),
				       channel = tiling_parts_of(channels);
		tiling->all_map_byte =
		    is_grouped ? tiling_sum_group_map(context, &w_in, &h_in, range->c.split, range->d.split, tiling)
			       : tiling_sum_line_byte(&w_in, &h_in, &channel, 1, operand_byte);
	}
	tiling->all_map_aligned_byte = w.in_byte * h.n_in * n_channel;
	tiling_add_operand(block, tiling->n_map * c.in_byte, &tiling->all_map_byte, &tiling->all_map_aligned_byte);
	if (!is_conv)
		return;
	uint64_t tap_byte = (uint64_t)block->kernel_w * block->kernel_h * range->d.extent * operand_byte;
	tiling->all_filter_byte =
	    line_byte(tap_byte * c.n_block * context->machine->mla_rows, (uint64_t)tiling->n_c * tiling->n_d);
	const struct map_least map =
	    context->is_packed ? map_of_packed(block, &w_rule, range, tiling->n_map) : map_of_rows(&w, &h);
	if (context->is_packed)
		tiling->all_map_aligned_byte = tiling->all_map_byte;
	least_conv_words(context, range, &map, &c, tiling);
}

static double matmul_round_cost(const struct mla_matmul *matmul, uint32_t n_row, struct mla_cost *cost)
{
	struct mla_matmul_task task = {n_row, matmul->mla_rows, N_FULL_BLOCK * matmul->mla_cols};
	mla_prepared_cost(matmul, &task, cost);
	return (cost->clk - matmul->fixed_clk) / N_FULL_BLOCK;
}

/* n_round: of parts with so many of B's rows, all parts of the other dimensions. */
static void matmul_round_words(const struct mla_matmul *matmul, uint32_t n_row, double n_round, struct tiling *tiling)
{
	struct mla_cost cost;
	double round_clk = matmul_round_cost(matmul, n_row, &cost), frac = n_round / N_FULL_BLOCK;
	tiling->all_mac_clk += (double)cost.mac_clk * frac;
	tiling->all_a_word += (double)cost.a_word * frac;
	tiling->all_b_word += (double)cost.b_word * frac;
	tiling->all_out_word += (double)cost.out_word * frac;
	tiling->least_task_clk += round_clk * n_round;
}

/*
 * Clocks of a round in each of any parts of B's rows, together. A round takes its start and one pace a packet of
 * operand A; an incomplete last packet takes no less for its share, so whole packets are the least:
 *
 *   clocks ^          .-*     n_row of a packet: start + pace
 *          |      .-*-'  `- whole packets lie on the line, all others above
 *          |  .-*'
 *          +----+---+---+-> rows
 *
 * Where a packet holds many rows, the next one is asked for before its last MACs, and then a part that ends with its
 * packet saves more than its start takes: many parts take less than one. The array multiplies all the same.
 */
static double matmul_parts_clk(const struct mla_matmul *matmul, const struct dim_range *d)
{
	struct mla_cost cost;
	uint32_t row_byte = matmul->row_a_byte, packet_byte = matmul->packet_byte;
	double whole_clk = matmul_round_cost(matmul, d->extent, &cost);
	bool is_even = packet_byte % row_byte == 0 || row_byte % packet_byte == 0;
	double mac_clk = (double)cost.mac_clk / N_FULL_BLOCK;
	uint32_t n_row = packet_byte > row_byte ? packet_byte / row_byte : 1;
	n_row = is_even ? n_row : packet_byte; /* rows of so many bytes fill whole packets, whatever a row's */
	double one_clk = matmul_round_cost(matmul, n_row, &cost);
	double pace_clk = matmul_round_cost(matmul, 2 * n_row, &cost) - one_clk, start_clk = one_clk - pace_clk;
	if (!is_even)
		return start_clk < 0 ? mac_clk : whole_clk;
	double n_part = start_clk > 0 ? d->n_least : d->n_most;
	double clk = n_part * start_clk + (double)d->extent / n_row * pace_clk;
	return real_max(clk, start_clk < 0 ? mac_clk : whole_clk);
}

/* Rounds of the largest parts of w and h with all of d, at least. */
static double matmul_chain_clk(const struct layer_context *context, const struct dim_range *d,
                               const struct tiling *tiling)
{
	const struct mla_matmul *matmul = tiling_matmul_of(context, tiling);
	uint64_t columns = align_up(tiling->out_w, matmul->column_step);
	double n_round = (double)(ceil_div(columns, matmul->mla_cols) * ceil_div(tiling->in_h, matmul->mla_rows));
	double round_clk;
	struct mla_cost cost;
	if (d->split) {
		round_clk = d->split->n_a * matmul_round_cost(matmul, d->split->size_a, &cost);
		if (d->split->n_b > 0)
			round_clk += d->split->n_b * matmul_round_cost(matmul, d->split->size_b, &cost);
	} else {
		round_clk = matmul_parts_clk(matmul, d);
	}
	return (double)tiling->n_d * matmul->fixed_clk + n_round * round_clk;
}

double tiling_least_task_clk(const struct layer_context *context, const struct split *split,
                             const struct tiling *tiling, bool is_chain)
{
	const struct machine *machine = tiling_machine_of(context, tiling);
	const struct dim_range own = {.split = &split->d}, *d = tiling->range ? &tiling->range->d : &own;
	if (context->block->kind == BLOCK_MATMUL && is_chain)
		return matmul_chain_clk(context, d, tiling);
	double n_part = is_chain ? (double)(tiling->range ? d->extent : dim_extent(&split->d)) / tiling->group_c : 1;
	/* a larger part may take less where its rows fill packets, but no less than it multiplies */
	if (tiling->open != 0)
		return (double)tiling->task.mac_clk * n_part +
		       (double)machine->mla_init_clk * (double)(is_chain ? tiling->n_d : 1);
	return tiling->task.clk * n_part;
}

/* Narrow parts fill their ports all the same: rounds that a part of so many columns takes beyond its blocks. */
static double port_frac(const struct layer_context *context, const struct dim_range *w)
{
	uint64_t port = context->machine->pe_sram_port_byte / (context->operand_bit / 8);
	if (!w->split || port == 0)
		return 1;
	uint64_t size = w->split->size_a, cols = context->machine->mla_cols;
	return (double)ceil_div(align_up(size, port), cols) / (double)ceil_div(size, cols);
}

static void least_matmul(const struct layer_context *context, const struct split_range *range, struct tiling *tiling)
{
	const struct machine *machine = tiling_machine_of(context, tiling);
	const struct mla_matmul *matmul = tiling_matmul_of(context, tiling);
	uint32_t operand_byte = context->operand_bit / 8;
	bool rounds = knows_numbers(range);
	const struct dim_rule w_rule = {1, 1, 0, machine->mla_cols, operand_byte, NULL, NULL, false, rounds};
	const struct dim_rule h_rule = {1, 1, 0, machine->mla_rows, operand_byte, NULL, NULL, false, rounds};
	const struct dim_rule d_rule = {1, 1, 0, 1, operand_byte, NULL, NULL, false, rounds};
	struct dim_least w = least_of(&w_rule, &range->w), h = least_of(&h_rule, &range->h),
			 d = least_of(&d_rule, &range->d);
	uint64_t n_pixel = tiling->n_out_pixel;
	tiling->row_word = w.n_word;
	tiling->all_out_byte = line_byte(n_pixel * operand_byte, tiling->n_map);
	if (range->w.split && range->h.split) {
		const struct part_pair w_out = tiling_parts_of(range->w.split), h_out = tiling_parts_of(range->h.split),
				       one = {1, {1, 0}, {1, 0}};
		tiling->all_out_byte = tiling_sum_line_byte(&w_out, &h_out, &one, 1, operand_byte);
	}
	tiling->all_raw_out_byte = w.n_word * range->h.extent * RESULT_BYTE;
	tiling->all_map_byte = (uint64_t)range->d.extent * range->h.extent * operand_byte;
	tiling->all_map_aligned_byte = d.n_word * h.n_block * machine->mla_rows * operand_byte;
	tiling->all_filter_byte = w.n_block * machine->mla_cols * d.n_word * operand_byte;

	double n_round = (double)(w.n_block * h.n_block), frac = port_frac(context, &range->w);
	n_round *= frac > 1 ? frac * ROUNDING_SLACK : 1;
	const struct dim_split *split = range->d.split;
	if (split) {
		matmul_round_words(matmul, split->size_a, n_round * split->n_a, tiling);
		if (split->n_b > 0)
			matmul_round_words(matmul, split->size_b, n_round * split->n_b, tiling);
	} else {
		matmul_round_words(matmul, range->d.extent, n_round, tiling);
		tiling->all_out_word *= tiling->n_d;
		tiling->least_task_clk = matmul_parts_clk(matmul, &range->d) * n_round;
	}
	/* a task ends with its drain, and smaller ones with their share of the largest one's (tiling_all_task_clk) */
	double n_drain = tiling->n_d;
	if (range->w.split && range->h.split)
		n_drain *= (double)(w.n_block * h.n_block) / (double)(ceil_div(tiling->out_w, machine->mla_cols) *
		                                                      ceil_div(tiling->in_h, machine->mla_rows));
	tiling->least_task_clk += DRAIN_CLK * n_drain;
	struct mla_matmul_task task = {tiling->in_w, tiling->in_h, tiling->out_w};
	mla_prepared_cost(matmul, &task, &tiling->task);
	tiling->least_task_clk += (double)machine->mla_init_clk * (double)tiling->n_task;
}

/* A split whose largest parts and numbers of parts are the range's least. */
static struct dim_split pseudo_split(const struct dim_range *range)
{
	return (struct dim_split){.size_a = range->size, .n_a = range->n_least};
}

void tiling_least(const struct layer_context *context, const struct split_range *range, struct tiling *tiling)
{
	const struct split pseudo = {pseudo_split(&range->w), pseudo_split(&range->h), pseudo_split(&range->c),
	                             pseudo_split(&range->d)};
	tiling_size(context, &pseudo, tiling);
	tiling->is_summed = tiling->is_least = true;
	tiling->open = (uint8_t)((range->w.split ? 0 : BOUND_OPEN_W) | (range->h.split ? 0 : BOUND_OPEN_H) |
	                         (range->c.split ? 0 : BOUND_OPEN_C) | (range->d.split ? 0 : BOUND_OPEN_D));
	tiling->range = range;
	tiling->n_out_pixel =
	    (uint64_t)range->w.extent * range->h.extent * range->c.extent * block_batch(context->block);
	tiling->all_filter_byte = 0;
	tiling->least_task_clk = 0;
	tiling->all_mac_clk = tiling->all_a_word = tiling->all_b_word = tiling->all_out_word = 0;
	tiling->task = (struct mla_cost){0};
	assert((tiling->n_d > 1) == (range->d.n_most > 1));
	if (context->block->kind == BLOCK_MATMUL)
		least_matmul(context, range, tiling);
	else
		least_map(context, range, tiling);
}
