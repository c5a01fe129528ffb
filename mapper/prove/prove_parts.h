/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_PROVE_PARTS_H
#define MAPPER_PROVE_PARTS_H
/*
 * Inside the proof: parts of tensors by number, and what the walk over a
 * schedule leaves for the tiles' arithmetic (mapper/prove/prove_arithmetic.h).
 */
#include "mapper/prove/prove.h"
#include "mapper/distribute/tiling.h"

#define PROVE_NONE UINT32_MAX

/*
 * A block's core operation as a convolution: a matrix multiplication is a 1x1
 * one, a row of A a pixel in a column of them, its depth the input channels,
 * columns of B the filters. Input channels are those of a group; so are filters
 * where the split is of one group and stands for all (a systolic array), which
 * then come one after the other; else filters are of all groups, and a task has
 * whole groups or a part of one.
 */
struct prove_core {
	const struct block *block;
	uint32_t in_c, out_c, n_group;
	uint32_t out_w, out_h;
	uint32_t padded_w, padded_h;
	struct split split; /* in the terms above; d of pooling uncut */
	uint32_t n_w, n_c, n_d;
	uint32_t n_channel_part, n_meet; /* as struct tiling has them: ifmap parts of groups, filter parts of each */
	uint32_t n_h;                    /* of an image */
	uint64_t n_map;                  /* of all images, one's after the other's */
	bool is_packed;                  /* of a design of a 1x1 convolution: rows that a stride skips are not loaded */
	bool is_tight;                   /* of a design of FORM_TIGHT: nothing behind the last output's window is */
};

/* Pixels of a part of so many outputs as it is loaded, of a convolution or pooling; packed parts have other rows. */
static inline uint32_t prove_part_in_w(const struct prove_core *core, uint32_t out_part)
{
	return core->is_tight ? split_tight_in_w(core->block, out_part) : split_part_in_w(core->block, out_part);
}
static inline uint32_t prove_part_in_h(const struct prove_core *core, uint32_t out_part)
{
	return core->is_tight ? split_tight_in_h(core->block, out_part) : split_part_in_h(core->block, out_part);
}

struct prove_core prove_core_of(const struct block *block, const struct split *split);

/* Of a dimension's parts: first index and size, cut at the extent (a matrix multiplication's last parts may exceed). */
struct prove_span {
	uint32_t first, size;
};
struct prove_span prove_span_of(const struct dim_split *dim, uint32_t part, uint32_t extent);

/* A result, by number: pixels and filters, as the core operation leaves them, and the group. */
struct prove_region {
	struct prove_span w, h, c;
	uint32_t group, image; /* h: of the image */
};

/*
 * Parts by number (struct op, unfold_number). A task's ifmap part is its number with, instead of the filter part, the
 * groups that the filters are of; that of pooling is the number. A filter part has its input channels in front.
 */
uint32_t prove_map_of(const struct prove_core *core, uint32_t number);
struct prove_map_part {
	uint32_t map, depth, channel_part; /* map: by h and w */
};
struct prove_map_part prove_map_part_of(const struct prove_core *core, uint32_t map);
uint32_t prove_filter_of(const struct prove_core *core, uint32_t number);
/* Results are counted without input channels: ifmap part * filter parts + filter part. */
uint64_t prove_n_result(const struct prove_core *core);
uint32_t prove_result_of(const struct prove_core *core, uint32_t number);
uint32_t prove_depth_of(const struct prove_core *core, uint32_t number);
struct prove_region prove_region_of(const struct prove_core *core, uint32_t result);

/* Numbers of an ifmap part as it is loaded, of a filter part without what fills the array's rows, and of a result as it
 * leaves the PE (pooled). */
uint64_t prove_map_size(const struct prove_core *core, uint32_t map);
uint64_t prove_filter_size(const struct prove_core *core, uint32_t filter);
uint64_t prove_result_size(const struct prove_core *core, uint32_t result);

/* Parts named for people: "ifmap part 3", "no filter part"; "result 3 (x 0-13, y 14-27, channels 0-3)". */
struct prove_label {
	char text[96];
};
struct prove_label prove_label_map(uint32_t map);
struct prove_label prove_label_filter(uint32_t filter);
struct prove_label prove_label_result(const struct prove_core *core, uint32_t result);

/* ---- what was done ---- */

/* A task that has run, and the parts that lay there; PROVE_NONE: none did. */
struct prove_task {
	uint32_t map, filter;
	uint32_t index; /* operation or job of the schedule; of a systolic array counted */
	uint32_t next;  /* task whose sums were added; PROVE_NONE */
};

/* A result that was stored. */
struct prove_store {
	uint32_t first; /* of tasks whose sums it has; of pooling the ifmap part; PROVE_NONE: not stored */
	uint32_t pe, index;
};

/* Where a schedule leads, operation by operation. */
struct prove_run {
	const struct layer_context *context;
	const struct layer_design *design;
	struct prove_core core;
	const struct schedule *schedule; /* NULL: a systolic array */
	enum prove_mistake mistake;
	uint32_t n_task, task_alloc;
	struct prove_task *task;
	struct prove_store *store; /* [prove_n_result] */
	bool no_memory;
	struct prove_result *result; /* faults go there */
};

/* Tell a fault: "CONV_5: ..." */
void prove_fault(struct prove_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Add a task; its index. PROVE_NONE: no memory. */
uint32_t prove_add_task(struct prove_run *run, struct prove_task task);

/* The array computes at least the task's part: faults where the shape is smaller. index: of the operation or job. */
void prove_check_shape(struct prove_run *run, uint32_t index, uint32_t shape_index, uint32_t number);

/* A result leaves a PE with the sums of tasks from first; faults where it has left before or lacks some. */
void prove_add_store(struct prove_run *run, uint32_t result, struct prove_store store);

/* Bytes of a result's sums as the array leaves them. */
uint64_t prove_sum_byte(const struct prove_run *run, uint32_t result);

/* Steps of operations; jobs of idle PEs; tiles of a systolic array. Each fills run->task and run->store. */
void prove_walk(struct prove_run *run);
void prove_walk_jobs(struct prove_run *run, const struct schedule_step *step);
void prove_walk_systolic(struct prove_run *run);

/* Compute one stored result from the parts that its tasks had, and write it to its place in out. false: no memory. */
bool prove_tile(const struct prove_run *run, const struct prove_data *data, uint32_t result, struct prove_map *out);

#endif
