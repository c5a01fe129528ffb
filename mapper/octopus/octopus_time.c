/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/octopus/octopus_time.h"
#include "mapper/distribute/distribute.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"
#include "sim/machine/latency.h"
#include "sim/machine/mesh.h"
#include "sim/machine/noc_way.h"

const char *const octopus_part_name[N_OCTOPUS_PART] = {
    [OCTOPUS_SCHEDULING] = "scheduling",
    [OCTOPUS_CONFIGURATION] = "configuration",
    [OCTOPUS_WEIGHTS] = "weights",
    [OCTOPUS_INPUT] = "input",
    [OCTOPUS_MLA] = "mla",
    [OCTOPUS_ARM] = "arm",
    [OCTOPUS_OUTPUT] = "output",
};

#define OPERAND_BIT 8
#define BIAS_BYTE 4
#define WORD_BYTE 4

static double setup_us(const struct octopus_context *context, enum setup setup, double clk)
{
	return latency_setup_clk(context->machine, context->level, setup, clk) / context->clk_mhz;
}

/* Places in a row of n that two PEs are apart in the mean, each anywhere in it. */
static double mean_apart(uint32_t n)
{
	return ((double)n * n - 1) / (3.0 * n);
}

/* Workers and sources may be any PEs, of the mesh's full rows. */
static void count_routers(const struct machine *machine, struct octopus_context *context)
{
	struct noc_ways ways;
	struct mesh mesh;
	noc_ways_derive(machine, &ways);
	mesh_derive(machine, &mesh);
	context->n_dram_router = ways.all.dram;
	context->n_copy_router = 1 + mean_apart(mesh.w) + mean_apart(mesh.h);
}

void octopus_prepare(const struct machine *machine, uint32_t level, const struct block *block,
                     struct octopus_context *context)
{
	uint32_t in_c = block->in_c, out_c = block->out_c;
	assert(machine->target != MACHINE_SYSTOLIC && level < machine->n_level);
	context->machine = machine;
	context->block = block;
	context->level = level;
	context->resident = context->to_dram = false;
	context->n_source = 0;
	count_routers(machine, context);
	context->wide = *machine;
	context->wide.mla_postprocess = false;
	context->group = *block;
	if (block_n_group(block) > 1) {
		in_c = block_group_in_c(block);
		out_c = block_group_out_c(block);
	}
	context->group.groups = 1;
	context->group.in_c = in_c;
	context->group.out_c = out_c;
	mapper_prepare(&context->group, &context->wide, OPERAND_BIT, &context->layer);
	context->clk_mhz = machine->level[level].clk_mhz;
	context->load_us = setup_us(context, SETUP_LOAD, machine->dram_load_setup_clk);
	context->write_us = setup_us(context, SETUP_WRITE_DRAM, machine->write_setup_clk);
	context->copy_us = setup_us(context, SETUP_COPY, machine->copy_setup_clk);
	context->dram_b_us =
	    machine->dram_n * (double)machine->dram_access_byte * machine->dram_clk_mhz / machine->dram_access_clk;
}

/* Groups that the filters of a part are of: whole ones, or a part of one. */
static uint32_t n_group_of(const struct octopus_context *context, const struct split *split)
{
	return (uint32_t)ceil_div(split->c.size_a, context->group.out_c);
}

/* The split of one group that a part of the block has. */
static struct split group_split(const struct octopus_context *context, const struct split *split)
{
	struct split one = *split;
	if (block_n_group(context->block) > 1) {
		uint32_t n = split->c.size_a < context->group.out_c ? split->c.size_a : context->group.out_c;
		one.c = (struct dim_split){n, 1, 0, 0};
	}
	return one;
}

/* Parts of the filters that read the same channels: of a group of a convolution, of pooling one, else all. */
static uint32_t n_share_of(const struct block *block, const struct split *split)
{
	if (block->kind == BLOCK_MATMUL)
		return dim_n_part(&split->w);
	if (block->kind == BLOCK_POOL)
		return 1;
	if (block_n_group(block) == 1)
		return dim_n_part(&split->c);
	return block_group_out_c(block) > split->c.size_a
	           ? (uint32_t)ceil_div(block_group_out_c(block), split->c.size_a)
	           : 1;
}

void octopus_size(const struct octopus_context *context, const struct split *split, struct octopus_work *work)
{
	const struct block *block = context->block;
	const struct split one = group_split(context, split);
	uint32_t n_group = n_group_of(context, split);
	struct tiling tiling;
	tiling_size(&context->layer, &one, &tiling);
	uint32_t n_w = dim_n_part(&split->w), n_h = dim_n_part(&split->h);
	bool is_linear = block->kind == BLOCK_MATMUL;
	uint64_t n_pixel_part = (uint64_t)n_w * n_h; /* a search passes over UINT32_MAX tiles and more */
	uint32_t n_map = n_pixel_part < UINT32_MAX ? (uint32_t)n_pixel_part : UINT32_MAX;
	*work = (struct octopus_work){.n_map = is_linear ? n_h : n_map,
	                              .n_filter = is_linear ? n_w : dim_n_part(&split->c),
	                              .n_d = dim_n_part(&split->d),
	                              .n_share = n_share_of(block, split),
	                              .is_linear = is_linear};
	uint64_t n_out = (uint64_t)split->w.size_a * split->h.size_a * split->c.size_a;
	uint64_t n_filter = block->kind == BLOCK_MATMUL ? split->w.size_a : split->c.size_a;
	uint64_t part_in_byte = tiling.map_byte * n_group;
	work->out_byte = n_out / ((uint64_t)block->pool * block->pool);
	if (block->has_mat_ele || block->operand == OPERAND_MAP)
		work->added_byte = n_out;
	else if (block->operand == OPERAND_CHANNEL)
		work->added_byte = split->c.size_a;
	if (block->kind == BLOCK_MATMUL) {
		work->in_byte = (uint64_t)block->in_w * split->h.size_a;
	} else {
		uint64_t w = tiling.in_w < block->in_w ? tiling.in_w : block->in_w;
		uint64_t h = tiling.in_h < block->in_h ? tiling.in_h : block->in_h;
		work->in_byte = w * h * (block->kind == BLOCK_POOL ? split->c.size_a : context->group.in_c * n_group);
	}
	if (block->kind != BLOCK_POOL) {
		uint64_t n_tap = block->kind == BLOCK_MATMUL
		                     ? block->in_w
		                     : (uint64_t)block->kernel_w * block->kernel_h * context->group.in_c;
		work->weight_byte = n_tap * n_filter + BIAS_BYTE * n_filter;
	}
	part_in_byte =
	    part_in_byte > tiling.map_aligned_byte * n_group ? part_in_byte : tiling.map_aligned_byte * n_group;
	work->kept_in_byte = part_in_byte;
	work->kept_weight_byte =
	    block->kind == BLOCK_POOL ? 0 : tiling.filter_byte * n_group + align_up(BIAS_BYTE * n_filter, 16);
	/* results of a later d part beside the sums so far; one group after another leaves its results beside the
	 * others' */
	work->sram_byte = work->kept_in_byte + work->kept_weight_byte +
	                  (block->kind == BLOCK_POOL ? 0 : align_up(work->added_byte, 16)) + /* else in the ifmap's */
	                  tiling.result_byte * n_group * (work->n_d > 1 ? 2 : 1);
}

/* n tasks of a part of the depth, each of so many groups. */
static void add_mla(const struct octopus_context *context, const struct split *one, uint32_t d, uint32_t n_group,
                    double n, struct octopus_work *work)
{
	struct mla_cost cost;
	if (context->block->kind == BLOCK_MATMUL) {
		const struct mla_matmul_task task = {d, one->h.size_a, one->w.size_a};
		mla_matmul_cost(&context->wide, &task, TILING_A_SHIFT, OPERAND_BIT, &cost);
	} else {
		const struct mla_conv_task task = {split_part_in_w(&context->group, one->w.size_a),
		                                   split_part_in_h(&context->group, one->h.size_a), d, one->c.size_a,
		                                   n_group};
		mla_conv_cost(&context->wide, &context->layer.round, &task, OPERAND_BIT, &cost);
	}
	work->mla_us += n * cost.clk / context->clk_mhz;
	work->mac_clk += n * (double)cost.mac_clk;
	work->read_word += n * (double)(cost.a_word + cost.b_word);
	work->write_word += n * (double)cost.out_word;
}

/* ARM clocks of a pixel of the result before pooling. */
static double pixel_clk(const struct octopus_context *context, const struct octopus_work *work)
{
	const struct machine *machine = context->machine;
	const struct block *block = context->block;
	double clk = 0;
	if (block->kind == BLOCK_POOL)
		return distribute_arm_pixel_clk(machine, block);
	clk += (work->n_d - 1) * machine->arm_add_pixel_clk;
	if (block->has_mat_ele)
		clk += machine->arm_add_pixel_clk;
	/* the array rectifies what it leaves, if its sums are whole */
	if (block->has_acti && !(machine->mla_postprocess && work->n_d == 1 && !block->has_mat_ele))
		clk += machine->arm_relu32_pixel_clk;
	if (block->has_quan)
		clk += machine->arm_quan_pixel_clk;
	if (block->pool > 1)
		clk += block->pool_average ? machine->arm_average_pixel_clk : machine->arm_pool8_pixel_clk;
	return clk;
}

void octopus_compute(const struct octopus_context *context, const struct split *split, struct octopus_work *work)
{
	const struct machine *machine = context->machine;
	const struct block *block = context->block;
	const struct split one = group_split(context, split);
	double n_out = (double)split->w.size_a * split->h.size_a * split->c.size_a;
	double in_clk = 0;
	if (block->kind != BLOCK_POOL) {
		uint32_t n_group = n_group_of(context, split);
		add_mla(context, &one, split->d.size_a, n_group, split->d.n_a, work);
		if (split->d.n_b > 0)
			add_mla(context, &one, split->d.size_b, n_group, split->d.n_b, work);
	}
	work->arm_us = n_out * pixel_clk(context, work) / context->clk_mhz;
	if (block->kind == BLOCK_MATMUL)
		in_clk = machine->octopus.operand_word_clk *
		         (double)(ceil_div(split->h.size_a, machine->mla_rows) * block->in_w) *
		         (machine->mla_rows / (double)WORD_BYTE);
	else if (block->has_padd)
		in_clk = machine->arm_padd_word_clk * (double)work->kept_in_byte * work->n_d / WORD_BYTE;
	work->arm_in_us = in_clk / context->clk_mhz;
}

/* Runs of `inner` equal numbers that n consecutive tiles reach into, wherever a worker's first tile lies. */
static uint32_t n_run(uint32_t n, uint32_t inner)
{
	/* first tiles lie at multiples of n: at most so many before the end of a run */
	uint64_t most = (inner - common_divisor(n, inner) + n - 1) / inner + 1;
	return most < n ? (uint32_t)most : n;
}

struct octopus_fetches octopus_count_fetches(const struct octopus_work *work, const struct octopus_plan *plan)
{
	uint32_t n = plan->tiles_per_worker;
	bool ifmap_first = plan->ifmap_first || work->is_linear;
	uint32_t n_inner = ifmap_first ? work->n_filter : work->n_map;
	/* the outer operand stays while the inner one goes by, and the inner one if it is always the same */
	uint32_t n_outer_fetch = n_run(n, n_inner), n_inner_fetch = n_inner == 1 ? 1 : n;
	/* the ifmap stays only while filters that share its channels go by */
	bool is_shared = work->n_share == work->n_filter;
	uint32_t n_in_fetch = ifmap_first || work->n_map == 1 ? n_run(n, work->n_share) : n;
	assert(n > 0 && n_inner > 0 && work->n_share > 0 && work->n_share <= work->n_filter);
	if (work->n_d > 1)
		return (struct octopus_fetches){n, n};
	return ifmap_first ? (struct octopus_fetches){n_inner_fetch, is_shared ? n_outer_fetch : n_in_fetch}
	                   : (struct octopus_fetches){n_outer_fetch, is_shared ? n_inner_fetch : n_in_fetch};
}

/* Bytes a us that a worker gets while n of them fetch. */
static double worker_b_us(const struct octopus_context *context, uint32_t n_worker)
{
	return real_min(context->machine->octopus.worker_gb_s * 1e3, context->dram_b_us / n_worker);
}

/* Different filter parts that a worker needs, and results that it leaves. */
static uint32_t n_filter_part(const struct octopus_work *work, const struct octopus_plan *plan)
{
	struct octopus_work uncut = *work;
	uncut.n_d = 1;
	uint32_t n = octopus_count_fetches(&uncut, plan).n_weight;
	return n < work->n_filter ? n : work->n_filter;
}

uint64_t octopus_resident_byte(const struct octopus_work *work, const struct octopus_plan *plan)
{
	return work->kept_weight_byte * work->n_d * n_filter_part(work, plan);
}

uint64_t octopus_sram_byte(const struct octopus_context *context, const struct octopus_work *work,
                           const struct octopus_plan *plan)
{
	if (!context->resident)
		return work->sram_byte;
	return work->sram_byte - work->kept_weight_byte + octopus_resident_byte(work, plan) +
	       plan->tiles_per_worker * align_up(work->out_byte, 16);
}

/* An ifmap of other PEs: each takes a packet a clock, each sends two (sim/mla/mla.h's router), to all workers in turn.
 */
static double copy_us(const struct octopus_context *context, double n_copy, double byte, uint32_t n_worker)
{
	double b_us = context->machine->noc_packet_byte * context->clk_mhz;
	double sent_us = n_worker * n_copy * byte / (context->n_source * 2 * b_us);
	return n_copy * context->copy_us + real_max(n_copy * byte / b_us, sent_us);
}

static double input_us(const struct octopus_context *context, const struct octopus_work *work,
                       const struct octopus_plan *plan, double us_byte)
{
	double n_in = octopus_count_fetches(work, plan).n_in, n = plan->tiles_per_worker;
	double n_added = work->added_byte > 0 ? n : 0;
	if (context->resident && context->n_source > 0)
		return copy_us(context, n_in * work->n_d, (double)work->in_byte / work->n_d, plan->n_worker) +
		       copy_us(context, n_added, (double)work->added_byte, plan->n_worker);
	return n_in * (work->n_d * context->load_us + (double)work->in_byte * us_byte) +
	       n_added * (context->load_us + (double)work->added_byte * us_byte);
}

/* Parts in their order. */
static void sum_time(struct octopus_time *time)
{
	time->total_us = 0;
	for (int i = 0; i < N_OCTOPUS_PART; i++)
		time->total_us += time->part_us[i];
}

static double scheduling_us(const struct machine *machine, uint32_t n_worker)
{
	return machine->octopus.layer_us + n_worker * machine->octopus.layer_worker_us;
}

double octopus_layer_us(const struct machine *machine, uint32_t n_worker)
{
	return scheduling_us(machine, n_worker) + machine->octopus.worker_us;
}

void octopus_price(const struct octopus_context *context, const struct octopus_work *work,
                   const struct octopus_plan *plan, struct octopus_time *time)
{
	const struct machine *machine = context->machine;
	const struct octopus_fetches fetch = octopus_count_fetches(work, plan);
	double us_byte = 1 / worker_b_us(context, plan->n_worker), n = plan->tiles_per_worker;
	bool has_weights = work->weight_byte > 0 && !context->resident;
	double *part_us = time->part_us;
	part_us[OCTOPUS_SCHEDULING] = scheduling_us(machine, plan->n_worker);
	part_us[OCTOPUS_CONFIGURATION] = machine->octopus.worker_us;
	part_us[OCTOPUS_WEIGHTS] =
	    has_weights ? fetch.n_weight * (work->n_d * context->load_us + (double)work->weight_byte * us_byte) : 0;
	part_us[OCTOPUS_INPUT] = input_us(context, work, plan, us_byte);
	part_us[OCTOPUS_MLA] = n * work->mla_us;
	part_us[OCTOPUS_ARM] = n * work->arm_us + fetch.n_in * work->arm_in_us;
	part_us[OCTOPUS_OUTPUT] =
	    context->resident && !context->to_dram ? 0 : n * (context->write_us + (double)work->out_byte * us_byte);
	sum_time(time);
}

void octopus_hide_weights(struct octopus_time *time, double hidden_us)
{
	time->part_us[OCTOPUS_WEIGHTS] = real_max(0, time->part_us[OCTOPUS_WEIGHTS] - hidden_us);
	sum_time(time);
}

void octopus_price_layer(const struct octopus_context *context, const struct octopus_layer *layer,
                         struct octopus_time *time, uint64_t *sram_byte)
{
	const struct octopus_plan plan = {layer->ifmap_first, layer->n_worker, layer->tiles_per_worker};
	struct octopus_work work;
	octopus_size(context, &layer->split, &work);
	octopus_compute(context, &layer->split, &work);
	octopus_price(context, &work, &plan, time);
	if (sram_byte)
		*sram_byte = octopus_sram_byte(context, &work, &plan);
}

double octopus_energy_pj(const struct octopus_context *context, const struct octopus_work *work,
                         const struct octopus_plan *plan, double total_us)
{
	const struct machine *machine = context->machine;
	const struct octopus_fetches fetch = octopus_count_fetches(work, plan);
	double n_tile = (double)plan->n_worker * plan->tiles_per_worker;
	double weight_byte =
	    context->resident ? 0 : plan->n_worker * (double)fetch.n_weight * (double)work->weight_byte;
	double in_byte =
	    plan->n_worker * (double)fetch.n_in * (double)work->in_byte + n_tile * (double)work->added_byte;
	double out_byte = n_tile * (double)work->out_byte;
	bool from_dram = !context->resident || context->n_source == 0, to_dram = !context->resident || context->to_dram;
	double dram_byte = weight_byte + (from_dram ? in_byte : 0) + (to_dram ? out_byte : 0);
	double router_byte = dram_byte * context->n_dram_router + (from_dram ? 0 : in_byte) * context->n_copy_router;
	double arm_us = n_tile * work->arm_us + plan->n_worker * (double)fetch.n_in * work->arm_in_us;
	const struct counts counts = {
	    .mla_clk = n_tile * work->mac_clk,
	    .arm_clk = arm_us * context->clk_mhz,
	    .awake_clk = (arm_us + n_tile * work->mla_us) * context->clk_mhz,
	    .sram_read_word = n_tile * work->read_word + (out_byte + (from_dram ? 0 : in_byte)) / WORD_BYTE,
	    .sram_write_word = n_tile * work->write_word + (weight_byte + in_byte) / WORD_BYTE,
	    .dram_read_byte = weight_byte + (from_dram ? in_byte : 0),
	    .dram_write_byte = to_dram ? out_byte : 0,
	    .noc_packet = router_byte / machine->noc_packet_byte,
	};
	/* mW times us are nJ */
	return energy_of_counts(machine, context->level, &counts).total_pj +
	       energy_static_mw(machine, context->level) * total_us * 1e3;
}

double octopus_setup_us(const struct machine *machine, uint32_t n_worker)
{
	return machine->octopus.setup_us + n_worker * machine->octopus.setup_worker_us;
}

double octopus_cleanup_us(const struct machine *machine, uint32_t n_worker)
{
	return machine->octopus.cleanup_us + n_worker * machine->octopus.cleanup_worker_us;
}

uint32_t octopus_max_worker(const struct machine *machine)
{
	uint32_t n_pe = machine_n_pe(machine);
	return n_pe > 1 ? n_pe - 1 : 1;
}

/* Columns of a worker in the paper's table II: 512 on 8, 256 on 4, 16 on 1. */
#define PAPER_COLUMNS 64

bool octopus_paper_cut(struct octopus_layer *layer, const struct block *block, uint32_t n_worker)
{
	struct split split = split_whole(block);
	if (layer->type != OCTOPUS_LINEAR && layer->type != OCTOPUS_SOFTMAX)
		return false;
	if (layer->type == OCTOPUS_LINEAR)
		split.w = dim_even(block->out_w,
		                   n_worker > 0 ? n_worker : (uint32_t)ceil_div(block->out_w, PAPER_COLUMNS), 1);
	octopus_cut(layer, &split, false, n_worker > 0 ? n_worker : dim_n_part(&split.w));
	return true;
}
