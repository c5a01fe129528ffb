/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/emulate/emulate_time.h"
#include "dse/base/memory.h"
#include "dse/emulate/emulate_parts.h"
#include "sim/base/real.h"
#include <assert.h>
#include <string.h>

/* While the times of a layer are made. */
struct timing {
	const struct emulator *emulator;
	const struct machine *machine;
	const struct dram_layer *layer;
	const struct emulate_tile *tile; /* [n_tile] */
	struct octopus_context context;
	struct emulate_tile last; /* whose work it is */
	struct octopus_work work;
	double us_byte;
};

/* The layer as the run-time model knows layers. */
static struct block block_of(const struct dram_layer *layer)
{
	static const enum arm_kind arm[N_OCTOPUS_TYPE] = {[OCTOPUS_SOFTMAX] = ARM_SOFTMAX};
	const struct dram_shape *shape = &layer->shape;
	bool is_arm = layer->type == OCTOPUS_POOL || layer->type == OCTOPUS_SOFTMAX;
	struct block block = {.kind = is_arm                          ? BLOCK_POOL
	                              : layer->type == OCTOPUS_LINEAR ? BLOCK_MATMUL
	                                                              : BLOCK_CONV,
	                      .in_w = shape->in_w,
	                      .in_h = shape->in_h,
	                      .in_c = shape->in_c,
	                      .out_w = shape->out_w,
	                      .out_h = shape->out_h,
	                      .out_c = shape->out_c,
	                      .kernel_w = shape->kernel_w,
	                      .kernel_h = shape->kernel_h,
	                      .stride = shape->stride,
	                      .dilation = shape->dilation,
	                      .groups = is_arm ? 1 : shape->groups,
	                      .row_groups = is_arm ? shape->groups : 0,
	                      .pool = shape->pool,
	                      .next_pool_stride = 1,
	                      .pool_average = shape->pool_average,
	                      .arm = arm[layer->type],
	                      .whole = shape->whole,
	                      .has_mat_ele = shape->has_added && !is_arm,
	                      .has_acti = shape->has_acti,
	                      .has_quan = shape->has_quan};
	for (uint32_t t = 0; t < layer->n_tile; t++) {
		const struct dram_tile *tile = &layer->tile[t];
		block.pad_left = tile->pad_left > block.pad_left ? tile->pad_left : block.pad_left;
		block.pad_right = tile->pad_right > block.pad_right ? tile->pad_right : block.pad_right;
		block.pad_top = tile->pad_top > block.pad_top ? tile->pad_top : block.pad_top;
		block.pad_bottom = tile->pad_bottom > block.pad_bottom ? tile->pad_bottom : block.pad_bottom;
	}
	block.has_padd =
	    block.kind == BLOCK_CONV && (block.pad_left || block.pad_right || block.pad_top || block.pad_bottom);
	return block;
}

/* MLA and ARM core on a tile; tiles of a shape are priced once. */
static void compute_tile(struct timing *timing, const struct emulate_tile *tile)
{
	bool is_linear = timing->layer->type == OCTOPUS_LINEAR;
	struct split split = {.w = dim_whole(tile->w),
	                      .h = dim_whole(tile->h),
	                      .c = dim_whole(is_linear ? 1 : tile->n_filter),
	                      .d = timing->layer->shape.split.d};
	if (tile->w == timing->last.w && tile->h == timing->last.h && tile->n_filter == timing->last.n_filter)
		return;
	timing->last = *tile;
	octopus_size(&timing->context, &split, &timing->work);
	octopus_compute(&timing->context, &split, &timing->work);
}

static void time_worker(struct timing *timing, uint32_t l, uint32_t p, struct emulate_worker_time *time)
{
	const struct octopus_traffic *traffic = &timing->emulator->part[l][p];
	const struct dram_worker *mine = &timing->layer->worker[p];
	const struct octopus_context *context = &timing->context;
	double *part = time->part_us - 1; /* by enum octopus_part; the scheduler's is none of it */
	bool has_filters = timing->layer->type == OCTOPUS_CONV || timing->layer->type == OCTOPUS_LINEAR;
	bool is_kept = !has_filters || dim_n_part(&timing->layer->shape.split.d) == 1;
	part[OCTOPUS_CONFIGURATION] = timing->machine->octopus.worker_us;
	part[OCTOPUS_WEIGHTS] =
	    (double)traffic->n_weight_load * context->load_us + (double)traffic->weight_byte * timing->us_byte;
	part[OCTOPUS_INPUT] =
	    (double)traffic->n_input_load * context->load_us + (double)traffic->input_byte * timing->us_byte;
	part[OCTOPUS_OUTPUT] =
	    (double)traffic->n_write * context->write_us + (double)traffic->output_byte * timing->us_byte;
	for (uint32_t i = mine->first_tile; i < mine->first_tile + mine->n_tile; i++) {
		const struct dram_tile *record = &timing->layer->tile[i];
		bool has_ifmap = is_kept && i > mine->first_tile && emulate_same_ifmap(record, record - 1);
		compute_tile(timing, &timing->tile[i]);
		part[OCTOPUS_MLA] += timing->work.mla_us;
		part[OCTOPUS_ARM] += timing->work.arm_us + (has_ifmap ? 0 : timing->work.arm_in_us);
	}
	for (int i = 0; i < EMULATE_N_PART; i++)
		time->end_us += time->part_us[i];
}

static void time_layer(const struct emulator *emulator, const struct machine *machine, uint32_t level, uint32_t l,
                       struct emulate_times *times)
{
	const struct dram_layer *layer = &emulator->dram.layer[l];
	const struct block block = block_of(layer);
	struct emulate_layer_time *time = &times->layer[l];
	struct timing timing = {.emulator = emulator, .machine = machine, .layer = layer, .tile = emulator->tile[l]};
	octopus_prepare(machine, level, &block, &timing.context);
	timing.us_byte = 1 / real_min(machine->octopus.worker_gb_s * 1e3, timing.context.dram_b_us / layer->n_worker);
	double start_us =
	    times->total_us + machine->octopus.layer_us + layer->n_worker * machine->octopus.layer_worker_us;
	time->begin_us = times->total_us;
	time->end_us = start_us;
	for (uint32_t p = 0; p < layer->n_worker; p++) {
		struct emulate_worker_time *worker = &time->worker[p];
		*worker = (struct emulate_worker_time){.begin_us = start_us, .end_us = start_us};
		time_worker(&timing, l, p, worker);
		time->end_us = real_max(time->end_us, worker->end_us);
	}
	times->total_us = time->end_us;
}

void emulate_time_make_room(const struct octopus_dram *dram, struct emulate_times *times)
{
	*times = (struct emulate_times){0};
	times->layer = memory_must(arena_array(&times->arena, dram->n_layer, sizeof(*times->layer)));
	for (uint32_t l = 0; l < dram->n_layer; l++)
		times->layer[l].worker = memory_must(
		    arena_array(&times->arena, dram->layer[l].n_worker, sizeof(struct emulate_worker_time)));
}

void emulate_time_make(const struct emulator *emulator, const struct machine *machine, uint32_t level,
                       struct emulate_times *times)
{
	const struct octopus_dram *dram = &emulator->dram;
	assert(emulator->n_run > 0 && machine->target != MACHINE_SYSTOLIC && level < machine->n_level);
	emulate_time_make_room(dram, times);
	times->setup_us = times->total_us = octopus_setup_us(machine, dram->n_worker);
	for (uint32_t l = 0; l < dram->n_layer; l++)
		time_layer(emulator, machine, level, l, times);
	times->cleanup_us = octopus_cleanup_us(machine, dram->n_worker);
	times->total_us += times->cleanup_us;
}

void emulate_time_free(struct emulate_times *times)
{
	arena_free(&times->arena);
	memset(times, 0, sizeof(*times));
}

double emulate_time_of_workers(const struct octopus_dram *dram, const struct emulate_times *times, uint32_t l)
{
	double most = 0;
	for (uint32_t p = 0; p < dram->layer[l].n_worker; p++) {
		const struct emulate_worker_time *worker = &times->layer[l].worker[p];
		most = real_max(most, worker->end_us - worker->begin_us);
	}
	return most;
}

double emulate_time_of_scheduler(const struct octopus_dram *dram, const struct emulate_times *times, uint32_t l)
{
	return times->layer[l].end_us - times->layer[l].begin_us - emulate_time_of_workers(dram, times, l);
}
