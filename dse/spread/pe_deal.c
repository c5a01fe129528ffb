/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which PEs have how many of a layer's tasks between two barriers: counted in the schedule that the event tier runs
 * (mapper/unfold), not taken from how many there are in all. Reuse may put two tasks each on 112 of 128 PEs. A task is
 * as long as the mean one of the PE that has most to do; where parts have two sizes, a PE counts as many as its own
 * take, rounded up: one large one of its own is no less than two small ones of another.
 */
#include "dse/spread/pe_deal.h"
#include "dse/base/memory.h"
#include "mapper/unfold/unfold.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t round_up(uint64_t n, uint32_t unit)
{
	return (uint32_t)(ceil_div(n, unit) * unit);
}

/* ---- classes of units ---- */

static int compare_parts(const void *a, const void *b)
{
	const struct pe_plan_part *one = a, *other = b;
	return (one->n_task < other->n_task) - (one->n_task > other->n_task);
}

/* A unit by its PEs' tasks; false: they differ too much. */
static bool class_of(const uint32_t *n_task, uint32_t n_unit_pe, struct pe_plan_class *class)
{
	*class = (struct pe_plan_class){.n_unit = 1};
	for (uint32_t i = 0; i < n_unit_pe; i++) {
		uint32_t k = 0;
		while (k < class->n_part && class->part[k].n_task != n_task[i])
			k++;
		if (k == PE_PLAN_MAX_PART)
			return false;
		class->n_part += k == class->n_part;
		class->part[k].n_task = n_task[i];
		class->part[k].n_pe++;
	}
	qsort(class->part, class->n_part, sizeof(*class->part), compare_parts);
	return true;
}

static bool is_alike(const struct pe_plan_class *one, const struct pe_plan_class *other)
{
	return one->n_part == other->n_part && memcmp(one->part, other->part, one->n_part * sizeof(*one->part)) == 0;
}

/* n 0: more classes than a plan has room for. */
static void find_classes(const uint32_t *n_task, uint32_t n_pe, uint32_t n_unit_pe, struct pe_classes *classes)
{
	uint32_t n_group = 0;
	classes->n = 0;
	for (uint32_t i = 0; i < n_pe; i += n_unit_pe) {
		struct pe_plan_class class;
		uint32_t k = 0;
		bool is_known = class_of(&n_task[i], n_unit_pe, &class);
		if (is_known && class.part[0].n_task == 0)
			continue;
		while (k < classes->n && !is_alike(&classes->class[k], &class))
			k++;
		if (is_known && k < classes->n) {
			classes->class[k].n_unit++;
			continue;
		}
		n_group += 2 * class.n_part; /* a plan has units that are slow first, and others */
		if (!is_known || k == PE_PLAN_MAX_CLASS || n_group > PE_PLAN_MAX_GROUP) {
			classes->n = 0;
			return;
		}
		classes->class[classes->n++] = class;
	}
}

static bool are_alike(const struct pe_classes *one, const struct pe_classes *other)
{
	if (one->n != other->n)
		return false;
	for (uint32_t c = 0; c < one->n; c++)
		if (one->class[c].n_unit != other->class[c].n_unit || !is_alike(&one->class[c], &other -> class[c]))
			return false;
	return true;
}

/* ---- stretches ---- */

struct deal_builder {
	struct arena *arena;
	struct pe_deal *deal;
	uint32_t n_unit_pe, n_room; /* PEs of a QPE */
	const double *shape_clk;    /* [schedule->n_shape] of a task */
	/* [n_room] of each PE since the last barrier; PEs of queues side by side, in whole units */
	uint32_t *n_task;
	double *clk; /* of these tasks */
};

/* Tasks as long as the mean one of the busiest PE; sums of doubles that differ in their last bits are equal. */
static void weigh_tasks(struct deal_builder *builder)
{
	uint32_t busiest = 0;
	for (uint32_t i = 1; i < builder->n_room; i++)
		if (builder->clk[i] > builder->clk[busiest])
			busiest = i;
	double task_clk = builder->clk[busiest] / builder->n_task[busiest];
	for (uint32_t i = 0; i < builder->n_room && builder->n_task[busiest] > 0; i++)
		builder->n_task[i] = (uint32_t)ceil(builder->clk[i] / task_clk * (1 - 1e-9));
}

/* What the PEs have now is a stretch; one like the last is a repeat of that. */
static void end_stretch(struct deal_builder *builder)
{
	struct pe_deal *deal = builder->deal;
	struct pe_stretch stretch = {.n_repeat = 1};
	weigh_tasks(builder);
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
	find_classes(builder->n_task, builder->n_room, 1, &stretch.by_pe);
	find_classes(builder->n_task, builder->n_room, builder->n_unit_pe, &stretch.by_qpe);
	memset(builder->n_task, 0, builder->n_room * sizeof(*builder->n_task));
	memset(builder->clk, 0, builder->n_room * sizeof(*builder->clk));
	deal->n_task += stretch.n_task;
	deal->n_loop += stretch.n_loop;
	struct pe_stretch *last = deal->n_stretch > 0 ? &deal->stretch[deal->n_stretch - 1] : NULL;
	bool is_repeat = last && last->n_loop == stretch.n_loop &&
	                 memcmp(last->n_busy, n_busy, stretch.n_loop * sizeof(*n_busy)) == 0 &&
	                 are_alike(&last->by_pe, &stretch.by_pe) && are_alike(&last->by_qpe, &stretch.by_qpe);
	if (is_repeat)
		last->n_repeat++;
	else
		deal->stretch[deal->n_stretch++] = stretch;
}

/*
 * Jobs of a step: in a queue each PE that is idle takes the next result, so that none has two fewer than another; where
 * they are not alike, as many as the one with most. Jobs that follow each other in one PE are one result's. false:
 * results have unequal numbers of them.
 */
static bool deal_jobs(struct deal_builder *builder, const struct schedule *schedule, const struct schedule_step *step,
                      uint32_t n_queue, uint32_t n_queue_pe)
{
	const struct job *job = &schedule->job[step->first_job];
	uint32_t n_room = round_up(n_queue_pe, builder->n_unit_pe), n_chain = 0, n_length = 0;
	bool are_alike = true;
	for (uint32_t i = 0; i < step->n_job; i++) {
		are_alike = are_alike && job[i].shape == job[0].shape;
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
			bool has_more = i < n % n_queue_pe || (!are_alike && n > n_queue_pe && n % n_queue_pe > 0);
			uint64_t n_result = n / n_queue_pe + has_more, pe = (uint64_t)queue * n_room + i;
			builder->n_task[pe] = (uint32_t)(n_result * n_chain);
			builder->clk[pe] = (double)builder->n_task[pe];
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
			if (op->kind != OP_TASK)
				continue;
			builder->n_task[op->pe]++;
			builder->clk[op->pe] += builder->shape_clk[op->shape];
		}
		if (step->n_job > 0 && !deal_jobs(builder, schedule, step, n_queue, n_queue_pe))
			return false;
		end_stretch(builder);
	}
	return true;
}

/* Clocks of a task of each shape, all PEs of a QPE busy alike. */
static double *find_shape_clk(const struct layer_context *context, const struct schedule *schedule)
{
	double *clk = memory_array(schedule->n_shape + 1, sizeof(*clk));
	for (uint32_t i = 0; i < schedule->n_shape; i++) {
		const struct mla_shape *shape = &schedule->shape[i];
		struct mla_cost cost;
		if (shape->kind == MLA_CONV)
			mla_conv_cost(context->machine, &context->round, &shape->conv, shape->operand_bit, &cost);
		else
			mla_prepared_cost(&context->matmul, &shape->matmul, &cost);
		clk[i] = cost.shared_clk;
	}
	return clk;
}

bool pe_deal_of(const struct layer_context *context, const struct layer_design *design, struct arena *arena,
                struct pe_deal *deal)
{
	const struct hierarchy *hierarchy = &context->hierarchy;
	struct schedule schedule = {0};
	uint32_t n_unit_pe = context->machine->qpe_n_pe, n_pe = machine_n_pe(context->machine);
	struct deal_builder builder = {.arena = arena, .deal = deal, .n_unit_pe = n_unit_pe};
	*deal = (struct pe_deal){.n_pe = n_pe};
	/* an array runs its tiles one by one, and has no schedule */
	if (context->machine->target == MACHINE_SYSTOLIC)
		return false;
	if (mapper_unfold(context, design, &schedule, NULL) != ERR_OK) {
		schedule_free(&schedule);
		return false;
	}
	uint32_t queue_room = hierarchy->n_queue * round_up(hierarchy->pe_per_queue, n_unit_pe);
	builder.n_room = round_up(n_pe > queue_room ? n_pe : queue_room, n_unit_pe);
	double *shape_clk = find_shape_clk(context, &schedule);
	builder.shape_clk = shape_clk;
	builder.n_task = memory_array(builder.n_room, sizeof(*builder.n_task));
	builder.clk = memory_array(builder.n_room, sizeof(*builder.clk));
	memset(builder.n_task, 0, builder.n_room * sizeof(*builder.n_task));
	memset(builder.clk, 0, builder.n_room * sizeof(*builder.clk));
	deal->stretch = memory_must(arena_array(arena, schedule.n_step + 1, sizeof(*deal->stretch)));
	bool is_known = deal_steps(&builder, &schedule, hierarchy->n_queue, hierarchy->pe_per_queue);
	free(shape_clk);
	free(builder.n_task);
	free(builder.clk);
	schedule_free(&schedule);
	return is_known && deal->n_task > 0;
}

void pe_deal_evenly(uint64_t n_task, uint32_t n_pe, struct arena *arena, struct pe_deal *deal)
{
	uint64_t n_loop = ceil_div(n_task, n_pe);
	assert(n_task > 0 && n_pe > 0 && n_loop < UINT32_MAX);
	struct pe_stretch *stretch = memory_must(arena_alloc(arena, sizeof(*stretch)));
	uint32_t *n_busy = memory_must(arena_array(arena, n_loop, sizeof(*n_busy)));
	for (uint64_t i = 0; i < n_loop; i++)
		n_busy[i] = i + 1 < n_loop ? n_pe : (uint32_t)(n_task - (n_loop - 1) * n_pe);
	*stretch = (struct pe_stretch){.n_task = n_task, .n_loop = (uint32_t)n_loop, .n_repeat = 1, .n_busy = n_busy};
	*deal = (struct pe_deal){
	    .n_stretch = 1, .stretch = stretch, .n_task = n_task, .n_loop = n_loop, .n_pe = n_pe, .is_free = true};
}
