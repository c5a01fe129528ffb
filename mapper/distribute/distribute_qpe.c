/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/distribute/distribute_parts.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"

/*
 * Reuse on one QPE (thesis appendix C): a group of as many kept parts as there
 * are PEs is loaded, then group after group of the other operand; after each,
 * the PEs run as many rounds as there are ifmap parts in the group, fetching
 * operand A from the next PE each time, with a barrier after every round's
 * write-out to DRAM. A group of fewer ifmap parts is copied to the idle PEs.
 */

struct groups {
	uint64_t n_map, n_filter; /* groups */
	uint64_t n_round;         /* of MLA tasks, all groups */
	uint64_t n_pass;          /* groups of the convolution whose parts these are, one after the other; else 1 */
};

static struct groups group_parts(const struct tiling *tiling, uint64_t n_pe)
{
	struct groups groups = {ceil_div(tiling->n_map, n_pe), ceil_div(tiling->n_meet, n_pe), 0,
	                        tiling->n_channel_part};
	groups.n_round = tiling->n_map * groups.n_filter * groups.n_pass;
	return groups;
}

/* Groups that are looked at one by one; of more, as many are taken to be like each of these. */
#define MAX_SEEN_GROUP 128

/* Count a group among those that are alike; when there are too many, among the first, which has the largest parts. */
static void add_group(double n_group, uint32_t n_part, uint32_t kinds, uint32_t *n, struct round_group *list)
{
	uint32_t i = 0;
	while (i < *n && (list[i].n_part != n_part || list[i].kinds != kinds))
		i++;
	if (i == *n && *n < ROUND_MAX_GROUP)
		list[(*n)++] = (struct round_group){n_group, n_part, kinds};
	else
		list[i < *n ? i : 0].n += n_group;
}

/* Parts in order, the larger ones of each pass first, as many as PEs together: full groups of one size, or others. */
struct run {
	uint64_t n_large, n_part; /* of a pass */
	uint32_t small_kind;
};

static void add_run_groups(const struct run *run, uint32_t n_pe, double n_pass, uint32_t *n, struct round_group *list)
{
	uint32_t all_small = 0;
	for (uint32_t i = 0; i < n_pe; i++)
		all_small |= run->small_kind << 4 * i;
	for (uint64_t first = 0; first < run->n_part;) {
		uint64_t n_left = run->n_part - first, n_large = first < run->n_large ? run->n_large - first : 0;
		uint64_t n_full = (n_large > 0 ? n_large : n_left) / n_pe;
		if (n_full > 0) {
			add_group(n_pass * (double)n_full, n_pe, n_large > 0 ? 0 : all_small, n, list);
			first += n_full * n_pe;
			continue;
		}
		uint32_t n_part = n_left < n_pe ? (uint32_t)n_left : n_pe, kinds = 0;
		for (uint32_t i = (uint32_t)n_large; i < n_part; i++)
			kinds |= run->small_kind << 4 * i;
		add_group(n_pass, n_part, kinds, n, list);
		first += n_part;
	}
}

/* n ifmap parts from one on, row by row of each image: by kind, but in order where some of a group's are copied. */
static uint32_t map_kinds(const struct tiling *tiling, const struct split *split, uint64_t first, uint32_t n,
                          bool is_full)
{
	uint32_t n_high = dim_n_part(&split->h), w = (uint32_t)(first % tiling->n_w), kinds = 0;
	uint32_t h = (uint32_t)(first / tiling->n_w % n_high), n_kind[JOB_MAX_KIND / 4] = {0};
	for (uint32_t i = 0; i < n; i++) {
		uint32_t kind = JOB_KIND(h >= split->h.n_a, w >= split->w.n_a, 0, 0);
		kinds |= kind << 4 * i;
		n_kind[kind / 4]++;
		if (++w < tiling->n_w)
			continue;
		w = 0;
		h = h + 1 < n_high ? h + 1 : 0;
	}
	if (!is_full)
		return kinds;
	kinds = 0;
	for (uint32_t k = 0, i = 0; k < JOB_MAX_KIND / 4; k++)
		for (; n_kind[k] > 0; n_kind[k]--, i++)
			kinds |= 4 * k << 4 * i;
	return kinds;
}

/*
 * While rows are equally high, groups of parts of two widths come again when as many parts as PEs fill whole rows,
 * those of one width at once. Of very many, those not looked at are taken to be like the others.
 */
static void group_maps(const struct tiling *tiling, const struct split *split, uint32_t n_pe, struct rounds *rounds)
{
	uint64_t n_all = ceil_div(tiling->n_map, n_pe), n_row = dim_n_part(&split->h), first = 0, n_done = 0;
	uint64_t period = split->w.n_b > 0 ? tiling->n_w / common_divisor(tiling->n_w, n_pe) : 1;
	for (uint32_t n_seen = 0; first < tiling->n_map && n_seen < MAX_SEEN_GROUP;) {
		uint64_t row = first / tiling->n_w % n_row, run_row = row < split->h.n_a ? split->h.n_a : n_row;
		uint64_t n_left = (run_row - row) * tiling->n_w - first % tiling->n_w, n_full = n_left / n_pe;
		for (uint64_t i = 0; i < n_full && i < period; i++, n_seen++) {
			uint32_t kinds = map_kinds(tiling, split, first + i * n_pe, n_pe, true);
			add_group((double)ceil_div(n_full - i, period), n_pe, kinds, &rounds->n_map, rounds->map);
		}
		first += n_full * n_pe;
		n_done += n_full;
		if (first == tiling->n_map || n_full * n_pe == n_left)
			continue;
		uint32_t n_part = (uint32_t)min_u64(n_pe, tiling->n_map - first);
		uint32_t kinds = map_kinds(tiling, split, first, n_part, n_part == n_pe);
		add_group(1, n_part, kinds, &rounds->n_map, rounds->map);
		first += n_part;
		n_done++;
		n_seen++;
	}
	for (uint32_t i = 0; i < rounds->n_map && n_done < n_all; i++)
		rounds->map[i].n *= (double)n_all / (double)n_done;
}

/* Filter parts; of a grouped convolution those of a pass after the other's, sizes in the order of all. */
static void group_filters(const struct tiling *tiling, const struct split *split, uint32_t n_pe, struct rounds *rounds)
{
	uint64_t n_pass = tiling->n_channel_part, n_part = tiling->n_meet, n_large_pass = split->c.n_a / n_part;
	const uint32_t small_kind = JOB_KIND(0, 0, 1, 0);
	const struct run large = {n_part, n_part, small_kind}, small = {0, n_part, small_kind},
			 mixed = {split->c.n_a % n_part, n_part, small_kind};
	uint64_t n_mixed = mixed.n_large > 0 ? 1 : 0;
	if (n_large_pass > 0)
		add_run_groups(&large, n_pe, (double)n_large_pass, &rounds->n_filter, rounds->filter);
	if (n_mixed > 0)
		add_run_groups(&mixed, n_pe, 1, &rounds->n_filter, rounds->filter);
	if (n_pass > n_large_pass + n_mixed)
		add_run_groups(&small, n_pe, (double)(n_pass - n_large_pass - n_mixed), &rounds->n_filter,
		               rounds->filter);
}

static void fill_rounds(const struct layer_context *context, const struct layer_design *design,
                        const struct tiling *tiling, struct rounds *rounds)
{
	const struct split *split = &design->split;
	uint32_t n_pe = context->machine->qpe_n_pe;
	rounds->n_map = rounds->n_filter = rounds->kinds = 0;
	if (n_pe > ROUND_MAX_PE)
		return;
	group_maps(tiling, split, n_pe, rounds);
	group_filters(tiling, split, n_pe, rounds);
	for (uint32_t k = 0; k < JOB_MAX_KIND; k += 2) {
		const struct tiling_kind kind = {k >> 3, k >> 2 & 1, k >> 1 & 1, 0};
		if ((kind.h && split->h.n_b == 0) || (kind.w && split->w.n_b == 0) || (kind.c && split->c.n_b == 0))
			continue;
		distribute_job_kind(context, design, tiling, &kind, &rounds->kind[k]);
		rounds->kinds |= 1u << k;
	}
}

/*
 * Inside a QPE a load takes 45 clocks of set-up and a copy 33 (thesis simulator, re-run); the machine's parameters are
 * of phases on a chip, 60 and 47.
 */
#define QPE_LOAD_LESS_CLK 15
#define QPE_COPY_LESS_CLK 14

static uint32_t less_clk(uint32_t clk, uint32_t less)
{
	return clk > less ? clk - less : 0;
}

/* Messages of the host for a load or copy, and for a task with its result, which a PE sends without being told. */
#define OP_MESSAGE 2
#define TASK_MESSAGE 3

/* n loads of so many bytes each; setup: false: they follow a load that is under way. */
static struct step *add_load(const struct layer_context *context, enum phase phase, double byte, double n, bool setup,
                             struct program *program)
{
	struct step *step = distribute_add_step(program, STEP_TRANSFER, phase);
	step->u.transfer = (struct transfer){
	    .dram_byte = byte,
	    .setup_clk = setup ? less_clk(context->machine->dram_load_setup_clk, QPE_LOAD_LESS_CLK) : 0,
	    .n_repeat = n,
	};
	step->counts.dram_read_byte = byte * n;
	step->counts.sram_write_word = byte * n / 4;
	step->counts.noc_packet = byte * n / context->machine->noc_packet_byte;
	return step;
}

/* Bytes of an ifmap part. */
static double map_part_byte(const struct layer_context *context, const struct split *split, const struct tiling *tiling,
                            uint64_t part)
{
	uint32_t h = (uint32_t)(part / tiling->n_w % dim_n_part(&split->h)), w = (uint32_t)(part % tiling->n_w);
	double byte = (double)tiling->map_byte;
	if (context->is_packed)
		return byte;
	if (h >= split->h.n_a)
		byte *= (double)tiling->small_in_h / tiling->in_h;
	return w >= split->w.n_a ? byte * tiling->small_in_w / tiling->in_w : byte;
}

/* n_time times n_copy copies of an ifmap part one after the other, each of them n_beside times at the same time. */
static void add_copies(const struct layer_context *context, double byte, double n_time, uint64_t n_copy,
                       double n_beside, struct step *step)
{
	struct transfer *transfer = &step->u.transfer;
	transfer->item_packet = byte / context->machine->noc_packet_byte;
	transfer->stage_setup_clk = less_clk(context->machine->copy_setup_clk, QPE_COPY_LESS_CLK);
	distribute_add_hops(transfer, 1, 2, 0, n_copy);
	double n_item = n_time * (double)n_copy * n_beside;
	step->counts.noc_packet += (transfer->item_packet + OP_MESSAGE) * n_item;
	step->counts.sram_read_word += n_item * byte / 4;
	step->counts.sram_write_word += n_item * byte / 4;
}

/*
 * Copies that fill idle PEs (appendix C). In groups of one or two maps they are made once, after the load: 2^k PEs by
 * doublings. Three parts are passed on in turn, one before each round of every filter group. What comes before a
 * group's first round is beside its filters' load, if there is one. Returns the bytes of the loads that have been
 * added.
 */
static double add_all_copies(const struct layer_context *context, const struct split *split,
                             const struct tiling *tiling, const struct groups *groups, bool keep_map,
                             struct program *program)
{
	uint64_t n_pe = context->machine->qpe_n_pe, n_last = tiling->n_map % n_pe;
	if (n_last == 0)
		return 0;
	bool doubles = n_pe % n_last == 0, is_beside = keep_map || groups->n_map == 1;
	double n_pair = (double)(groups->n_filter * groups->n_pass),
	       n_bare = doubles ? 0 : (double)(n_last - 1) * n_pair;
	double n_time = doubles && keep_map ? (double)groups->n_pass : n_pair, loaded_byte = 0;
	uint64_t n_copy = doubles ? distribute_doublings(n_last, n_pe) : 1;
	double n_item = doubles ? (double)n_last : (double)(n_pe - n_last), later_byte = 0;
	double map_byte = map_part_byte(context, split, tiling, tiling->n_map - n_last);
	for (uint64_t i = 1; i < n_last; i++)
		later_byte += map_part_byte(context, split, tiling, tiling->n_map - n_last + i) / (double)(n_last - 1);
	if (is_beside) {
		double byte = (double)tiling->all_filter_byte / n_pair;
		struct step *step = add_load(context, PHASE_INPUT, byte, n_time, false, program);
		add_copies(context, map_byte, n_time, n_copy, n_item, step);
		step->u.transfer.n_side = step->u.transfer.n_stage;
		loaded_byte = byte * n_time;
	} else if (doubles) {
		struct step *step = distribute_add_step(program, STEP_TRANSFER, PHASE_INPUT);
		step->u.transfer.n_repeat = n_time;
		add_copies(context, map_byte, n_time, n_copy, n_item, step);
	} else {
		later_byte = (later_byte * n_bare + map_byte * n_time) / (n_bare + n_time);
		n_bare += n_time;
	}
	if (n_bare == 0)
		return loaded_byte;
	struct step *step = distribute_add_step(program, STEP_TRANSFER, PHASE_INPUT);
	step->u.transfer.n_repeat = n_bare;
	add_copies(context, later_byte, n_bare, 1, n_item, step);
	return loaded_byte;
}

/*
 * Each group of ifmap parts meets each group of filters after one load: of the one that is not kept, and at its first
 * group of the one that is. The phase is that of the ifmap parts if there are any to load.
 */
static void add_loads(const struct layer_context *context, const struct split *split, const struct tiling *tiling,
                      const struct groups *groups, bool keep_map, struct program *program)
{
	uint64_t n_pe = context->machine->qpe_n_pe;
	double n_map = (double)groups->n_map, n_filter = (double)groups->n_filter, n_pass = (double)groups->n_pass;
	double map_byte = (double)tiling->all_map_byte * (keep_map ? 1 : n_filter);
	double filter_byte = (double)tiling->all_filter_byte * (keep_map ? n_map : 1);
	double n_first = (keep_map ? n_map : n_filter) * n_pass, n_alone = n_map * n_filter * n_pass - n_first;
	/* of what is not kept, the groups that are loaded alone */
	double alone_byte = keep_map ? filter_byte * (1 - 1 / n_filter) : map_byte * (1 - 1 / n_map);
	double beside_byte = add_all_copies(context, split, tiling, groups, keep_map, program);
	if (keep_map && beside_byte > 0) {
		/* the loads that are beside copies are in turn of the first filter group and of the others */
		double first_byte = n_pe % (tiling->n_map % n_pe) != 0 ? beside_byte / n_filter : beside_byte;
		/* all of them, but for rounding */
		alone_byte = real_max(0, alone_byte - (beside_byte - first_byte));
	}
	double first_byte = map_byte + filter_byte - beside_byte - alone_byte;
	double n_load =
	    ((double)tiling->n_map * (keep_map ? 1 : n_filter) + (double)tiling->n_meet * (keep_map ? n_map : 1)) *
	    n_pass;
	struct step *step = add_load(context, PHASE_INPUT, first_byte / n_first, n_first, true, program);
	step->counts.noc_packet += OP_MESSAGE * n_load;
	if (n_alone > 0)
		(void)add_load(context, keep_map ? PHASE_WEIGHT : PHASE_INPUT, alone_byte / n_alone, n_alone, true,
		               program);
}

static void add_rounds(const struct layer_context *context, const struct layer_design *design,
                       const struct tiling *tiling, const struct groups *groups, struct program *program)
{
	const struct machine *machine = context->machine;
	uint64_t n_pe = machine->qpe_n_pe;
	struct step *step = distribute_add_step(program, STEP_COMPUTE, PHASE_COMPUTATION);
	struct compute *compute = &step->u.compute;
	compute->n_task = groups->n_round;
	compute->mac_clk = tiling->all_mac_clk / (double)n_pe;
	/* where the rounds are not told apart, all take as long as those of the largest parts */
	compute->task_clk = tiling->task.shared_clk * (double)groups->n_round;
	compute->fetch = tiling_fetch(context, tiling, tiling->all_a_word / (double)n_pe, compute->mac_clk);
	fill_rounds(context, design, tiling, &compute->rounds);
	compute->write_packet = (double)tiling->out_byte / machine->noc_packet_byte;
	compute->write_router = (double)n_pe;
	compute->write_dram_byte = (double)tiling->all_out_byte;
	compute->n_barrier = (double)groups->n_round;
	tiling_mla_counts(context, tiling, &step->counts);
	step->counts.dram_write_byte = (double)tiling->all_out_byte;
	step->counts.sram_read_word += (double)tiling->all_out_byte / 4;
	step->counts.noc_packet +=
	    (double)tiling->all_out_byte / machine->noc_packet_byte + TASK_MESSAGE * (double)tiling->n_task;
}

void distribute_qpe_reuse(const struct layer_context *context, const struct layer_design *design,
                          const struct tiling *tiling, struct program *program)
{
	uint64_t n_pe = context->machine->qpe_n_pe;
	struct groups groups = group_parts(tiling, n_pe);
	bool keep_map = distribute_reuse_operand(design, tiling) == REUSE_IFMAP;
	add_loads(context, &design->split, tiling, &groups, keep_map, program);
	add_rounds(context, design, tiling, &groups, program);

	struct arm_share share = {
	    .n_result = (double)groups.n_round,
	    .n_map = (double)(groups.n_map * groups.n_pass),
	    .n_pad = 1,
	    .in_pe = true,
	    .source = design->strategy == STRATEGY_THESIS_REUSE,
	};
	distribute_arm(context, design, tiling, &share, program);
}

/*
 * In a round a PE writes its own result after its task: of n PEs' results 1/n is not hidden. A PE's DRAM_BARE_FRAC of
 * so much (sim/fast/fast.c) is less.
 */
#define OWN_WRITE_FRAC 2.0

void distribute_qpe_busiest(const struct layer_context *context, const struct tiling *tiling,
                            struct busiest_work *busiest)
{
	double n_pe = context->machine->qpe_n_pe;
	assert(tiling->is_least);
	*busiest = (struct busiest_work){0};
	if (tiling->n_channel_part > 1)
		return;
	struct groups groups = group_parts(tiling, context->machine->qpe_n_pe);
	struct mla_fetch fetch = tiling_fetch(context, tiling, tiling->all_a_word / n_pe, 0);
	*busiest = (struct busiest_work){
	    .task_clk = tiling->least_task_clk / n_pe,
	    .n_task = (double)groups.n_round,
	    .fetch = {0, fetch.n_packet, fetch.ask_clk},
	    .write_byte = (double)tiling->all_out_byte * real_min(1, OWN_WRITE_FRAC / n_pe),
	    .n_load = (double)(groups.n_map * groups.n_filter),
	    .load_setup_clk = less_clk(context->machine->dram_load_setup_clk, QPE_LOAD_LESS_CLK),
	};
}
