/* SPDX-License-Identifier: Apache-2.0 */
/* Proof of one block: follow its schedule, compute results from the parts that tasks found, compare. */
#include "mapper/prove/prove.h"
#include "mapper/prove/prove_parts.h"
#include "sim/base/hash.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNWRITTEN 0xA5 /* of results that nobody stores */

/* ---- what a walk leaves ---- */

/* What struct prove_task and struct prove_store count. */
static const char *unit_of(const struct prove_run *run)
{
	return !run->schedule ? "tile" : run->schedule->n_job > 0 ? "job" : "operation";
}

uint32_t prove_add_task(struct prove_run *run, struct prove_task task)
{
	if (run->n_task == run->task_alloc) {
		uint32_t n = run->task_alloc ? 2 * run->task_alloc : 64;
		struct prove_task *more = n > run->task_alloc ? realloc(run->task, n * sizeof(*more)) : NULL;
		if (!more) {
			run->no_memory = true;
			return PROVE_NONE;
		}
		run->task = more;
		run->task_alloc = n;
	}
	run->task[run->n_task] = task;
	return run->n_task++;
}

/* Of a convolution on the array; packed ones have their pixels in a row. */
static bool fits_conv(const struct prove_core *core, const struct mla_shape *shape, const struct prove_region *region)
{
	const struct block *block = core->block;
	const struct mla_conv_task *conv = &shape->conv;
	uint32_t in_w = prove_part_in_w(core, region->w.size), in_h = prove_part_in_h(core, region->h.size);
	if (core->is_packed) {
		in_w = region->w.size * region->h.size;
		in_h = 1;
	}
	return shape->kernel_w == block->kernel_w && shape->kernel_h == block->kernel_h &&
	       shape->dilation == block->dilation && conv->in_w >= in_w && conv->in_h >= in_h &&
	       (uint64_t)conv->n_filter * conv->n_group >= region->c.size;
}

void prove_check_shape(struct prove_run *run, uint32_t index, uint32_t shape_index, uint32_t number)
{
	const struct prove_core *core = &run->core;
	const struct mla_shape *shape = &run->schedule->shape[shape_index];
	const struct prove_region region = prove_region_of(core, prove_result_of(core, number));
	uint32_t depth = prove_span_of(&core->split.d, prove_depth_of(core, number), core->in_c).size;
	uint64_t n_pixel = (uint64_t)region.w.size * region.h.size;
	bool fits;
	if (shape->kind == MLA_CONV)
		fits = shape->conv.in_c >= depth && fits_conv(core, shape, &region);
	else if (core->block->kind == BLOCK_MATMUL)
		fits = shape->matmul.a_w >= depth && shape->matmul.a_h >= n_pixel && shape->matmul.b_w >= region.c.size;
	else
		fits = shape->matmul.a_w >= depth && shape->matmul.a_h >= region.c.size && shape->matmul.b_w >= n_pixel;
	if (!fits)
		prove_fault(run, "%s %u computes less than %s", unit_of(run), index,
		            prove_label_result(core, prove_result_of(core, number)).text);
}

/* Input channels' parts that the sums are of: each once. */
static void check_depth(struct prove_run *run, uint32_t result, const struct prove_store *store)
{
	uint32_t n = 0, n_own = 0;
	for (uint32_t i = store->first; i != PROVE_NONE && n <= run->core.n_d; i = run->task[i].next, n++)
		n_own += run->task[i].map != PROVE_NONE && prove_map_part_of(&run->core, run->task[i].map).depth == n;
	if (n != run->core.n_d || n_own != n)
		prove_fault(run, "%s %u on PE %u: %s is stored with %u partial sums, %u of them in their places, of %u",
		            unit_of(run), store->index, store->pe, prove_label_result(&run->core, result).text, n,
		            n_own, run->core.n_d);
}

void prove_add_store(struct prove_run *run, uint32_t result, struct prove_store store)
{
	struct prove_store *at = &run->store[result];
	if (store.first == PROVE_NONE)
		return;
	if (at->first != PROVE_NONE) {
		prove_fault(run, "%s %u on PE %u: %s is stored again, first by %u on PE %u", unit_of(run), store.index,
		            store.pe, prove_label_result(&run->core, result).text, at->index, at->pe);
		return;
	}
	*at = store;
	if (run->core.block->kind != BLOCK_POOL)
		check_depth(run, result, at);
}

uint64_t prove_sum_byte(const struct prove_run *run, uint32_t result)
{
	const struct prove_region region = prove_region_of(&run->core, result);
	bool is_narrow = run->context->machine->mla_postprocess && run->core.n_d == 1;
	return (uint64_t)region.w.size * region.h.size * region.c.size *
	       (is_narrow ? run->context->operand_bit / 8 : sizeof(uint32_t));
}

/* ---- arithmetic ---- */

struct execution {
	const struct prove_run *run;
	const struct prove_data *data;
	struct prove_map out;
	bool *failed; /* [n_result] no memory */
};

static void execute(void *context, size_t i)
{
	struct execution *execution = context;
	if (execution->run->store[i].first != PROVE_NONE)
		execution->failed[i] = !prove_tile(execution->run, execution->data, (uint32_t)i, &execution->out);
}

/* ---- verdict ---- */

/* The result that holds a value of the block's result. */
static uint32_t result_at(const struct prove_run *run, uint32_t x, uint32_t y, uint32_t c)
{
	uint32_t n = (uint32_t)prove_n_result(&run->core), side = run->core.block->pool;
	for (uint32_t i = 0; i < n; i++) {
		const struct prove_region region = prove_region_of(&run->core, i);
		uint32_t first_c = region.group * run->core.out_c + region.c.first;
		uint32_t first_y = region.image * run->core.out_h + region.h.first;
		if (x * side - region.w.first < region.w.size && y * side - first_y < region.h.size &&
		    c - first_c < region.c.size)
			return i;
	}
	assert(false);
	return 0;
}

static void tell_difference(struct prove_run *run, const struct prove_map *out, const struct prove_map *expected,
                            size_t at)
{
	uint32_t c = (uint32_t)(at % out->c), x = (uint32_t)(at / out->c % out->w);
	uint32_t y = (uint32_t)(at / out->c / out->w), result = result_at(run, x, y, c);
	const struct prove_store *store = &run->store[result];
	int n = snprintf(run->result->difference, PROVE_FAULT_SIZE, "x %u, y %u, channel %u is %d, reference %d: %s, ",
	                 x, y, c, out->value[at], expected->value[at], prove_label_result(&run->core, result).text);
	assert(n > 0 && n < PROVE_FAULT_SIZE);
	char *rest = run->result->difference + n;
	if (store->first == PROVE_NONE) {
		(void)snprintf(rest, PROVE_FAULT_SIZE - (size_t)n, "never stored");
		return;
	}
	bool is_pool = run->core.block->kind == BLOCK_POOL;
	(void)snprintf(rest, PROVE_FAULT_SIZE - (size_t)n, "%s %u on PE %u", unit_of(run),
	               is_pool ? store->index : run->task[store->first].index, store->pe);
}

static void compare(struct prove_run *run, const struct prove_map *out, const struct prove_map *expected)
{
	struct prove_result *result = run->result;
	size_t n = (size_t)out->w * out->h * out->c, n_saturated = 0, n_zero = 0, first = n;
	assert(out->w == expected->w && out->h == expected->h && out->c == expected->c);
	for (size_t i = 0; i < n; i++) {
		n_saturated += out->value[i] == INT8_MIN || out->value[i] == INT8_MAX;
		n_zero += out->value[i] == 0;
		if (out->value[i] == expected->value[i])
			continue;
		first = result->n_different == 0 ? i : first;
		result->n_different++;
	}
	if (result->n_different > 0)
		tell_difference(run, out, expected, first);
	result->saturated_frac = (double)n_saturated / (double)n;
	result->zero_frac = (double)n_zero / (double)n;
	result->hash = hash_bytes(out->value, n, 0);
}

static void check_stores(struct prove_run *run)
{
	uint32_t n = (uint32_t)prove_n_result(&run->core);
	for (uint32_t i = 0; i < n; i++)
		if (run->store[i].first == PROVE_NONE)
			prove_fault(run, "%s is never stored", prove_label_result(&run->core, i).text);
}

/* ---- the whole ---- */

static void walk(struct prove_run *run)
{
	if (run->schedule)
		prove_walk(run);
	else
		prove_walk_systolic(run);
	if (!run->no_memory)
		check_stores(run);
}

enum err_code prove_schedule(const struct layer_context *context, const struct layer_design *design,
                             const struct schedule *schedule, const struct prove_data *data,
                             const struct prove_map *expected, enum prove_mistake mistake,
                             const struct prove_pool *pool, struct prove_result *result)
{
	struct prove_run run = {.context = context,
	                        .design = design,
	                        .core = prove_core_of(context->block, &design->split),
	                        .schedule = schedule,
	                        .mistake = mistake,
	                        .result = result};
	run.core.is_packed = context->is_packed;
	run.core.is_tight = context->is_tight;
	size_t n_result = (size_t)prove_n_result(&run.core), n_value = (size_t)expected->w * expected->h * expected->c;
	struct execution execution = {&run, data, *expected, calloc(n_result, sizeof(bool))};
	*result = (struct prove_result){.ran = true, .shift = data->shift};
	execution.out.value = malloc(n_value);
	run.store = malloc(n_result * sizeof(*run.store));
	run.no_memory = !run.store || !execution.out.value || !execution.failed;
	if (!run.no_memory) {
		memset(execution.out.value, UNWRITTEN, n_value);
		for (size_t i = 0; i < n_result; i++)
			run.store[i] = (struct prove_store){PROVE_NONE, 0, 0};
		walk(&run);
	}
	if (!run.no_memory)
		pool->run(pool, n_result, execute, &execution);
	for (size_t i = 0; i < n_result && !run.no_memory; i++)
		run.no_memory = execution.failed[i];
	if (!run.no_memory) {
		compare(&run, &execution.out, expected);
		result->n_task = run.n_task;
		result->is_proved = result->n_fault == 0 && result->n_different == 0;
	}
	free(run.task);
	free(run.store);
	free(execution.out.value);
	free(execution.failed);
	return run.no_memory ? ERR_INFEASIBLE : ERR_OK;
}
