/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which PEs have how many of a layer's tasks between two barriers: counted in the schedule that the event tier runs
 * (mapper/unfold), not taken from how many there are in all. Reuse may put two tasks each on 112 of 128 PEs.
 */
#include "dse/power/power_work.h"
#include "dse/base/memory.h"
#include "mapper/unfold/unfold.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint32_t round_up(uint64_t n, uint32_t unit)
{
	return (uint32_t)(ceil_div(n, unit) * unit);
}

/* ---- classes of units ---- */

static int compare_parts(const void *a, const void *b)
{
	const struct power_pe_part *one = a, *other = b;
	return (one->n_task < other->n_task) - (one->n_task > other->n_task);
}

/* A unit by its PEs' tasks; false: they differ too much. */
static bool class_of(const uint32_t *n_task, uint32_t n_unit_pe, struct power_pe_class *class)
{
	*class = (struct power_pe_class){.n_unit = 1};
	for (uint32_t i = 0; i < n_unit_pe; i++) {
		uint32_t k = 0;
		while (k < class->n_part && class->part[k].n_task != n_task[i])
			k++;
		if (k == POWER_PE_MAX_PART)
			return false;
		class->n_part += k == class->n_part;
		class->part[k].n_task = n_task[i];
		class->part[k].n_pe++;
	}
	qsort(class->part, class->n_part, sizeof(*class->part), compare_parts);
	return true;
}

static bool is_alike(const struct power_pe_class *one, const struct power_pe_class *other)
{
	return one->n_part == other->n_part &&
	       memcmp(one->part, other->part, one->n_part * sizeof(*one->part)) == 0;
}

/* n_class 0: more classes than a plan has room for. */
static void find_classes(const uint32_t *n_task, uint32_t n_pe, uint32_t n_unit_pe, struct power_stretch *stretch)
{
	uint32_t n_group = 0;
	stretch->n_class = 0;
	for (uint32_t i = 0; i < n_pe; i += n_unit_pe) {
		struct power_pe_class class;
		uint32_t k = 0;
		bool is_known = class_of(&n_task[i], n_unit_pe, &class);
		if (is_known && class.part[0].n_task == 0)
			continue;
		while (k < stretch->n_class && !is_alike(&stretch->class[k], &class))
			k++;
		if (is_known && k < stretch->n_class) {
			stretch->class[k].n_unit++;
			continue;
		}
		n_group += 2 * class.n_part; /* a plan has units that are slow first, and others */
		if (!is_known || k == POWER_PE_MAX_CLASS || n_group > POWER_PE_MAX_GROUP) {
			stretch->n_class = 0;
			return;
		}
		stretch->class[stretch->n_class++] = class;
	}
}

/* ---- stretches ---- */

struct deal_builder {
	struct arena *arena;
	struct power_deal *deal;
	uint32_t n_unit_pe, n_pe, n_room;
	uint32_t *n_task; /* [n_room] of each PE since the last barrier; PEs of queues side by side, in whole units */
};

/* What the PEs have now is a stretch; one like the last is a repeat of that. */
static void end_stretch(struct deal_builder *builder)
{
	struct power_deal *deal = builder->deal;
	struct power_stretch stretch = {.n_repeat = 1};
	for (uint32_t i = 0; i < builder->n_room; i++) {
		stretch.n_task += builder->n_task[i];
		stretch.n_loop = builder->n_task[i] > stretch.n_loop ? builder->n_task[i] : stretch.n_loop;
	}
	if (stretch.n_task == 0)
		return;
	uint32_t *n_busy = memory_must(arena_array(builder->arena, stretch.n_loop, sizeof(*n_busy)));
	memset(n_busy, 0, stretch.n_loop * sizeof(*n_busy));
	for (uint32_t i = 0; i < builder->n_room; i++)
		if (builder->n_task[i] > 0)
			n_busy[builder->n_task[i] - 1]++;
	for (uint32_t i = stretch.n_loop - 1; i > 0; i--)
		n_busy[i - 1] += n_busy[i];
	stretch.n_busy = n_busy;
	find_classes(builder->n_task, builder->n_room, builder->n_unit_pe, &stretch);
	memset(builder->n_task, 0, builder->n_room * sizeof(*builder->n_task));
	deal->n_task += stretch.n_task;
	deal->n_loop += stretch.n_loop;
	struct power_stretch *last = deal->n_stretch > 0 ? &deal->stretch[deal->n_stretch - 1] : NULL;
	bool is_repeat = last && last->n_loop == stretch.n_loop && last->n_class == stretch.n_class &&
	                 memcmp(last->n_busy, n_busy, stretch.n_loop * sizeof(*n_busy)) == 0;
	for (uint32_t c = 0; is_repeat && c < stretch.n_class; c++)
		is_repeat = last->class[c].n_unit == stretch.class[c].n_unit &&
		            is_alike(&last->class[c], &stretch.class[c]);
	if (is_repeat)
		last->n_repeat++;
	else
		deal->stretch[deal->n_stretch++] = stretch;
}

/*
 * Jobs of a step: in a queue each PE that is idle takes the next result, so that none has two fewer than another. Jobs
 * that follow each other in one PE are one result's. false: results have unequal numbers of them.
 */
static bool deal_jobs(struct deal_builder *builder, const struct schedule *schedule, const struct schedule_step *step,
                      uint32_t n_queue, uint32_t n_queue_pe)
{
	const struct job *job = &schedule->job[step->first_job];
	uint32_t n_room = round_up(n_queue_pe, builder->n_unit_pe), n_chain = 0, n_length = 0;
	for (uint32_t i = 0; i < step->n_job; i++) {
		n_length = i > 0 && job[i].same_pe ? n_length + 1 : 1;
		bool ends = i + 1 == step->n_job || !job[i + 1].same_pe;
		if (!ends)
			continue;
		if (n_chain > 0 && n_length != n_chain)
			return false;
		n_chain = n_length;
	}
	for (uint32_t queue = 0; queue < n_queue; queue++) {
		uint64_t n = 0;
		for (uint32_t i = 0; i < step->n_job; i++)
			n += job[i].queue == queue && !job[i].same_pe;
		for (uint32_t i = 0; i < n_queue_pe; i++) {
			uint64_t n_result = n / n_queue_pe + (i < n % n_queue_pe);
			builder->n_task[(uint64_t)queue * n_room + i] = (uint32_t)(n_result * n_chain);
		}
	}
	return true;
}

static bool deal_steps(struct deal_builder *builder, const struct schedule *schedule, uint32_t n_queue,
                       uint32_t n_queue_pe)
{
	for (uint32_t s = 0; s < schedule->n_step; s++) {
		const struct schedule_step *step = &schedule->step[s];
		for (uint32_t i = 0; i < step->n_op; i++) {
			const struct op *op = &schedule->op[step->first_op + i];
			assert(op->kind != OP_TASK || op->pe < builder->n_room);
			builder->n_task[op->pe] += op->kind == OP_TASK;
		}
		if (step->n_job > 0 && !deal_jobs(builder, schedule, step, n_queue, n_queue_pe))
			return false;
		end_stretch(builder);
	}
	return true;
}

bool power_deal_of(const struct layer_context *context, const struct layer_design *design, uint32_t n_unit_pe,
                   struct arena *arena, struct power_deal *deal)
{
	const struct hierarchy *hierarchy = &context->hierarchy;
	struct schedule schedule = {0};
	struct deal_builder builder = {
	    .arena = arena, .deal = deal, .n_unit_pe = n_unit_pe, .n_pe = machine_n_pe(context->machine)};
	*deal = (struct power_deal){.n_pe = builder.n_pe};
	if (mapper_unfold(context, design, &schedule, NULL) != ERR_OK) {
		schedule_free(&schedule);
		return false;
	}
	uint32_t queue_room = hierarchy->n_queue * round_up(hierarchy->pe_per_queue, n_unit_pe);
	builder.n_room = round_up(builder.n_pe > queue_room ? builder.n_pe : queue_room, n_unit_pe);
	builder.n_task = memory_array(builder.n_room, sizeof(*builder.n_task));
	memset(builder.n_task, 0, builder.n_room * sizeof(*builder.n_task));
	deal->stretch = memory_must(arena_array(arena, schedule.n_step + 1, sizeof(*deal->stretch)));
	bool is_known = deal_steps(&builder, &schedule, hierarchy->n_queue, hierarchy->pe_per_queue);
	free(builder.n_task);
	schedule_free(&schedule);
	return is_known && deal->n_task > 0;
}

void power_deal_evenly(uint64_t n_task, uint32_t n_pe, struct arena *arena, struct power_deal *deal)
{
	uint64_t n_loop = ceil_div(n_task, n_pe);
	assert(n_task > 0 && n_pe > 0 && n_loop < UINT32_MAX);
	struct power_stretch *stretch = memory_must(arena_alloc(arena, sizeof(*stretch)));
	uint32_t *n_busy = memory_must(arena_array(arena, n_loop, sizeof(*n_busy)));
	for (uint64_t i = 0; i < n_loop; i++)
		n_busy[i] = i + 1 < n_loop ? n_pe : (uint32_t)(n_task - (n_loop - 1) * n_pe);
	*stretch = (struct power_stretch){
	    .n_task = n_task, .n_loop = (uint32_t)n_loop, .n_repeat = 1, .n_busy = n_busy};
	*deal = (struct power_deal){
	    .n_stretch = 1, .stretch = stretch, .n_task = n_task, .n_loop = n_loop, .n_pe = n_pe, .is_free = true};
}
