/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every parameter of machine and operating point is in the key unless a row
 * below says on which layers it is read. tests/dse/layer/test_front_key.c checks the
 * rows: it changes each parameter that is not in a key, and the front stays the same;
 * and for each parameter that any key leaves out it finds another front that changes,
 * so that a row that wrongly says NEVER fails.
 *
 * Why SRAM is a room and not in the hash: more of it lets more designs run and
 * changes none. With less room the designs that still run are some of those with
 * more; if the front's are among these, each other one is dominated by the same
 * point as before, so the front is the same, and so is of equal designs the first.
 */
#include "dse/layer/front_key.h"
#include "dse/layer/layer_problem_parts.h"
#include "dse/bound/deadline.h"
#include "dse/space/space_goals.h"
#include "dse/base/pack.h"
#include "sim/machine/energy.h"
#include "sim/program/mixed.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* A change of what models compute makes other fronts of the same key: count on where fronts outlive the program. */
#define FRONT_KEY_VERSION 3U

/* What evaluations of a layer's designs have to do with. */
enum fact {
	FACT_ENERGY = 1,     /* energy or power are objectives or limited */
	FACT_MLA = 2,        /* convolution or matrix multiplication */
	FACT_REUSE = 4,      /* a strategy that reuses operands */
	FACT_CHIP_REUSE = 8, /* on a chip */
	FACT_QUEUE = 16,     /* one that does not, or pooling: PEs take jobs in turn */
	FACT_STORAGE = 32,   /* anything in storage QPEs */
	FACT_PAD = 64,
	FACT_ADD = 128, /* of shortcuts, or partial sums */
	FACT_ACTI = 256,
	FACT_QUAN = 512,
	FACT_POOL = 1024,   /* fused or not */
	FACT_STREAM = 2048, /* ARM cores alone: pooling by itself */
	FACT_MIXED = 4096,  /* rounds divided between two operating points */
	FACT_UNIT = 8192,   /* lists of splits that depend on the array */
	FACT_DETAIL = 16384 /* another tier than the fast one: it may read what that leaves alone */
};
#define NEVER 0U

/* Parameters that are read where one of these facts holds alone. Of another tier than the fast one all but NEVER. */
struct key_reading {
	const char *key;
	unsigned facts;
};

static const struct key_reading machine_reading[] = {
    {"mla.array", FACT_MLA | FACT_UNIT},
    {"mla.postprocess", FACT_MLA},
    {"mla.init_clk", FACT_MLA},
    {"mla.round_waits", FACT_DETAIL},
    {"mla.turn_clk", FACT_DETAIL},
    {"mla.a_buffer_packet", FACT_DETAIL},
    {"mla.matmul_stream", FACT_DETAIL},
    {"mla.trim_b", FACT_DETAIL},
    {"mla.accumulator_bit", NEVER}, /* likewise */
    {"pe.sram_port_byte", FACT_MLA},
    {"pe.program_byte", NEVER}, /* what it costs is in the coefficients */
    {"pe.sram_access_clk", FACT_MLA},
    {"noc.router_packet", FACT_MLA | FACT_REUSE | FACT_STORAGE},
    {"noc.sync_clk", FACT_DETAIL},
    {"chip.n_qpe", FACT_ENERGY | FACT_QUEUE},
    {"chip.mesh_w", FACT_QUEUE | FACT_CHIP_REUSE | FACT_STORAGE},
    {"chip.mesh_h", FACT_QUEUE | FACT_CHIP_REUSE | FACT_STORAGE},
    {"chip.n_storage_qpe", FACT_QUEUE | FACT_CHIP_REUSE | FACT_STORAGE},
    {"chip.storage_pe_byte", FACT_STORAGE},
    {"transfer.dram_load_setup_clk", FACT_REUSE | FACT_STREAM | FACT_STORAGE},
    {"transfer.copy_setup_clk", FACT_REUSE},
    {"transfer.write_setup_clk", FACT_REUSE},
    {"transfer.migrate_setup_clk", FACT_CHIP_REUSE},
    {"transfer.ring_setup_clk", FACT_CHIP_REUSE},
    {"arm.padd_word_clk", FACT_PAD},
    {"arm.quan_pixel_clk", FACT_QUAN},
    {"arm.relu32_pixel_clk", FACT_ACTI},
    {"arm.relu8_pixel_clk", FACT_ACTI},
    {"arm.pool8_pixel_clk", FACT_POOL},
    {"arm.add_pixel_clk", FACT_ADD},
    {"energy.dram_byte_pj", FACT_ENERGY},
    {"energy.chip_off_mw", FACT_ENERGY},
    {"energy.sram_static_mw", FACT_ENERGY},
    {"energy.noc_static_mw", FACT_ENERGY},
    {"energy.dram_static_mw", FACT_ENERGY},
    {"dvfs.switch_ns", FACT_MIXED},
    {"dvfs.switch_nj", FACT_MIXED},
    {"dvfs.n_lane", NEVER},
    {"dvfs.lanes", NEVER}, /* which levels a layer may have is hashed, and what sleep takes */
    {"dvfs.n_divider", NEVER},
    {"dvfs.domain", FACT_MIXED},
    {"area.mac_um2", NEVER},
    {"area.sram_byte_um2", NEVER},
    {"area.pe_um2", NEVER},
    {"area.chip_um2", NEVER},
};

static const struct key_reading level_reading[] = {
    {"vdd_v", NEVER}, /* energies of an operating point are parameters of their own */
    {"mla_clk_pj", FACT_ENERGY},
    {"sram_read32_pj", FACT_ENERGY},
    {"sram_write32_pj", FACT_ENERGY},
    {"noc_read128_pj", FACT_ENERGY},
    {"arm_clk_pj", FACT_ENERGY},
    {"pe_static_mw", FACT_ENERGY},
    {"pe_awake_mw", FACT_ENERGY},
    {"conv_init_clk", FACT_DETAIL},
    {"conv_wb_clk", FACT_DETAIL},
    {"conv_a", FACT_DETAIL},
    {"conv_b", FACT_DETAIL},
    {"matmul_init_clk", FACT_DETAIL},
    {"matmul_wb_clk", FACT_DETAIL},
    {"matmul_a", FACT_DETAIL},
    {"matmul_b", FACT_DETAIL},
};
/* Bytes where pointers have 8. */
#define SIZE_BLOCK 224
#define SIZE_CHOICE 152
#define SIZE_AHEAD 24
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static bool is_read(const struct key_reading *reading, size_t n, const char *key, unsigned facts)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(reading[i].key, key) == 0)
			return reading[i].facts != NEVER && (facts & (reading[i].facts | FACT_DETAIL)) != 0;
	return true;
}

static unsigned facts_of_metrics(const struct layer_problem *layer)
{
	bool has_energy = isfinite(layer->layer_limit[METRIC_PEAK_POWER]);
	for (unsigned i = 0; i < layer->n_metric; i++)
		has_energy |= layer->metric[i] == METRIC_ENERGY || layer->metric[i] == METRIC_PEAK_POWER;
	return has_energy ? FACT_ENERGY : 0;
}

static unsigned facts_of_strategies(const struct layer_problem *layer)
{
	const struct layer_context *context = layer_any_context(layer);
	bool is_chip = context->machine->target == MACHINE_CHIP;
	unsigned facts = 0;
	/* a strategy that does not serve a kind of block is refused before anything is read */
	for (uint32_t i = 0; i < layer->n_value[GENE_STRATEGY]; i++) {
		bool reuses = strategy_table[layer->strategy[i]].reuses && context->block->kind == BLOCK_CONV;
		facts |= !reuses ? FACT_QUEUE : is_chip ? FACT_REUSE | FACT_CHIP_REUSE : FACT_REUSE;
	}
	return facts;
}

static unsigned facts_of_block(const struct layer_problem *layer)
{
	const struct block *block = layer_any_context(layer)->block;
	bool has_parts = layer->d.n > 0 && dim_n_part(&layer->d.choice[layer->d.n - 1]) > 1;
	/* ARM cores alone: whatever their operations are */
	if (block->kind == BLOCK_POOL)
		return FACT_STREAM | FACT_PAD | FACT_ADD | FACT_ACTI | FACT_QUAN | FACT_POOL;
	return FACT_MLA | (block->has_padd ? FACT_PAD : 0U) | (block->has_mat_ele || has_parts ? FACT_ADD : 0U) |
	       (block->has_acti ? FACT_ACTI : 0U) | (block->has_quan ? FACT_QUAN : 0U) |
	       (block->pool > 1 ? FACT_POOL : 0U);
}

/* Random engines reduce lists by themselves (dse/layer/layer_problem.c). */
static bool is_reduced(const struct layer_problem *layer)
{
	const struct layer_choice *choice = layer->choice;
	bool reduces = space_samples_splits(layer->space);
	for (size_t i = 0; i < N_SPLIT_DIM; i++)
		reduces |= choice->dim[i].choice == SPLIT_REDUCED;
	return reduces;
}

static unsigned facts_of(const struct layer_problem *layer)
{
	const struct layer_choice *choice = layer->choice;
	const struct machine *machine = layer_any_context(layer)->machine;
	unsigned facts = facts_of_metrics(layer) | facts_of_strategies(layer) | facts_of_block(layer);
	/* all machine parameters decide the thesis' splits */
	if (layer->detail != DETAIL_FAST || choice->thesis_split)
		facts |= FACT_DETAIL;
	if (is_reduced(layer))
		facts |= FACT_UNIT;
	for (uint32_t i = 0; i < layer->n_value[GENE_LEVEL]; i++)
		facts |= mixed_is(&machine->level[layer->level[i]]) ? FACT_MIXED : 0U;
	/* the peak of any time, not of a step's mean, also of one level */
	facts |= mixed_is_by_pe(machine) && layer_weighs_peak(layer) ? FACT_MIXED : 0U;
	return facts | (layer->place[0] != 0 ? FACT_STORAGE : 0U);
}

/* ---- what is hashed ---- */

static void put(struct pack *pack, uint64_t value)
{
	pack_u64(pack, &value);
}

static void put_real(struct pack *pack, double value)
{
	pack_real(pack, &value);
}

/* Sizes of what is hashed field by field: who adds a field decides here whether it belongs to the key. */
#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(struct block) == SIZE_BLOCK, "put_block: is the new field of struct block read by evaluations?");
_Static_assert(sizeof(struct layer_choice) == SIZE_CHOICE, "put_choice: does the new field decide what is searched?");
_Static_assert(sizeof(struct ahead) == SIZE_AHEAD, "put_ahead: is the new field of struct ahead read by evaluations?");
#endif

/* Names, residency and dataflow are left out: the layer's place says of them what an evaluation knows. */
static void put_block(struct pack *pack, const struct block *block)
{
	const uint64_t field[] = {
	    block->kind,         block->in_w,
	    block->in_h,         block->in_c,
	    block->pad_left,     block->pad_right,
	    block->pad_top,      block->pad_bottom,
	    block->kernel_w,     block->kernel_h,
	    block->stride,       block_n_group(block),
	    block_batch(block),  block_dilation(block),
	    block->out_w,        block->out_h,
	    block->out_c,        block->pool,
	    block->pool_average, block->next_pool_stride,
	    block->is_shortcut,  block->has_padd,
	    block->has_mat_ele,  block->has_acti,
	    block->has_quan,     block->arm,
	    block->operand,      block->whole,
	    block_row_c(block),
	};
	for (size_t i = 0; i < LENGTH(field); i++)
		put(pack, field[i]);
}

static void put_ahead(struct pack *pack, const struct ahead *ahead)
{
	put(pack, ahead->own_bit);
	put(pack, ahead->held_pixel);
	put(pack, ahead->next ? ahead->next_bit : 0);
	if (ahead->next)
		put_block(pack, ahead->next);
}

static void put_dim(struct pack *pack, const struct dim_choice *dim)
{
	put(pack, dim->choice);
	put(pack, dim->max_part);
	put(pack, dim->n_fixed);
	for (size_t i = 0; i < dim->n_fixed; i++) {
		put(pack, dim->fixed[i].size_a);
		put(pack, dim->fixed[i].n_a);
		put(pack, dim->fixed[i].size_b);
		put(pack, dim->fixed[i].n_b);
	}
}

/* The rules that lists of splits come from are much shorter than the lists. */
static void put_splits(struct pack *pack, const struct layer_problem *layer)
{
	const struct layer_choice *choice = layer->choice;
	const struct dim_axis *const axis[] = {&layer->w, &layer->h, &layer->c, &layer->d};
	for (size_t i = 0; i < N_SPLIT_DIM; i++)
		put_dim(pack, &choice->dim[i]);
	put(pack, choice->thesis_split);
	put(pack, is_reduced(layer));
	for (size_t i = 0; i < LENGTH(axis); i++)
		put(pack, axis[i]->n);
}

static void put_genes(struct pack *pack, const struct layer_problem *layer)
{
	put(pack, layer->place[0]);
	for (uint32_t i = 0; i < layer->n_value[GENE_STRATEGY]; i++)
		put(pack, layer->strategy[i]);
	for (uint32_t i = 0; i < layer->n_value[GENE_REUSE]; i++)
		put(pack, layer->reuse[i]);
	for (uint32_t i = 0; i < layer->n_value[GENE_OPERAND]; i++)
		put(pack, layer->operand_bit[i] + 256U * layer->form[i]);
	for (size_t i = 0; i < N_LAYER_GENE; i++)
		put(pack, layer->n_value[i]);
}

static void put_metrics(struct pack *pack, const struct layer_problem *layer)
{
	put(pack, layer->detail);
	put_real(pack, layer->epsilon);
	put(pack, layer->n_metric);
	for (unsigned i = 0; i < layer->n_metric; i++)
		put(pack, layer->metric[i]);
	for (unsigned i = 0; i < N_METRIC; i++)
		put_real(pack, layer->layer_limit[i]);
}

static void put_level(struct pack *pack, const struct machine *machine, uint32_t level, unsigned facts)
{
	const struct operating_point *point = &machine->level[level];
	put(pack, point->n_share);
	if (mixed_is(point)) {
		put(pack, point->n_low);
		put_level(pack, machine, point->low, facts);
		put_level(pack, machine, point->high, facts);
		return;
	}
	for (size_t i = 0; i < machine_n_level_param; i++)
		if (is_read(level_reading, LENGTH(level_reading), level_param[i].key, facts))
			put_real(pack, *(const double *)(const void *)((const char *)point + level_param[i].offset));
}

static void put_param(struct pack *pack, const struct machine *machine, const struct machine_param *param)
{
	const uint32_t *pair = (const uint32_t *)(const void *)((const char *)machine + param->offset);
	if (param->type != PARAM_ARRAY) {
		put_real(pack, machine_get_param(machine, param));
		return;
	}
	put(pack, pair[0]);
	put(pack, pair[1]);
}

/*
 * What layers know of operating points that they may not have: operand A's way at the first one's clock, and the clocks
 * at which transfers on a chip are worked out.
 */
static void put_clocks(struct pack *pack, const struct layer_context *context, unsigned facts)
{
	const struct machine *machine = context->machine;
	const struct transit_mesh *mesh = &context->mesh;
	put_real(pack, facts & FACT_MLA && machine->n_level > 0 ? machine->level[0].clk_mhz : 0);
	put(pack, facts & FACT_CHIP_REUSE ? mesh->n_point : 0U);
	for (uint32_t i = 0; i < mesh->n_point && facts & FACT_CHIP_REUSE; i++)
		put(pack, (uint32_t)mesh->noc[i]);
}

/* What sleep takes, where a deadline takes it off energies, is all that levels a layer may not have decide. */
static void put_machine(struct pack *pack, const struct layer_problem *layer, unsigned facts, bool has_room)
{
	const struct machine *machine = layer_any_context(layer)->machine;
	put(pack, machine->target);
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct machine_param *param = &machine_param[i];
		bool is_room = has_room && strcmp(param->key, "pe.sram_byte") == 0;
		if (!is_room && machine_param_serves(param, machine->target) &&
		    is_read(machine_reading, LENGTH(machine_reading), param->key, facts))
			put_param(pack, machine, param);
	}
	for (uint32_t i = 0; i < layer->n_value[GENE_LEVEL]; i++)
		put_level(pack, machine, layer->level[i], facts);
	put_clocks(pack, layer_any_context(layer), facts);
	put_real(pack, layer->space->deadline_ms > 0 ? energy_sleep_mw(machine) : 0);
}

/* Whether SRAM decides nothing but which designs run. */
static bool is_room_only(const struct layer_problem *layer)
{
	if (layer_any_context(layer)->machine->target == MACHINE_SYSTOLIC || layer->choice->thesis_split ||
	    isfinite(layer->layer_limit[METRIC_SRAM_USED]))
		return false;
	for (unsigned i = 0; i < layer->n_metric; i++)
		if (layer->metric[i] == METRIC_SRAM_USED)
			return false;
	return true;
}

uint64_t front_room_byte(const struct layer_problem *layer)
{
	return is_room_only(layer) ? layer_any_context(layer)->machine->pe_sram_byte : 0;
}

static void put_layer(struct pack *pack, const struct layer_problem *layer)
{
	assert(layer->n_value[GENE_PLACE] == 1 && layer->choice && !layer->is_bounded);
	put(pack, FRONT_KEY_VERSION);
	put_metrics(pack, layer);
	put_block(pack, layer_any_context(layer)->block);
	put_genes(pack, layer);
	put_splits(pack, layer);
	if ((layer->place[0] & (PLACE_WEIGHT | PLACE_FETCH | PLACE_HELD)) != 0)
		put_ahead(pack, &layer->choice->ahead);
}

static bool end(struct pack *pack, char hex[HASH_HEX_SIZE])
{
	bool done = !pack->failed;
	if (done)
		hash_hex(pack->data, pack->n, hex);
	pack_free(pack);
	return done;
}

bool front_key_make(const struct layer_problem *layer, struct front_key *key)
{
	struct pack pack = {0};
	*key = (struct front_key){.room_byte = front_room_byte(layer)};
	put_layer(&pack, layer);
	put_machine(&pack, layer, facts_of(layer), key->room_byte > 0);
	return end(&pack, key->hex);
}

bool front_key_make_shape(const struct layer_problem *layer, char hex[HASH_HEX_SIZE])
{
	struct pack pack = {0};
	put_layer(&pack, layer);
	return end(&pack, hex);
}

uint64_t front_need_byte(const struct layer_problem *layer, const uint32_t *genome)
{
	struct layer_design design;
	layer_problem_design(layer, genome, &design);
	return mapper_sram_byte(layer_context_of(layer, &design), &design);
}
