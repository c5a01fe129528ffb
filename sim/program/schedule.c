/* SPDX-License-Identifier: Apache-2.0 */
/* Building schedules, and what must hold of one before it is run. */
#include "sim/program/schedule.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ALLOC 64

void schedule_free(struct schedule *schedule)
{
	free(schedule->step);
	free(schedule->op);
	free(schedule->job);
	free(schedule->shape);
	*schedule = (struct schedule){0};
}

/* Room for one more item in an array of n; false when there is none. */
static bool grow_array(struct schedule *schedule, void **array, uint32_t n, uint32_t *n_alloc, size_t size)
{
	if (schedule->failed)
		return false;
	if (n < *n_alloc)
		return true;
	uint32_t n_new = *n_alloc ? 2 * *n_alloc : FIRST_ALLOC;
	schedule->is_full = n_new > SCHEDULE_MAX_OP;
	void *more = !schedule->is_full ? realloc(*array, (size_t)n_new * size) : NULL;
	if (!more) {
		schedule->failed = true;
		return false;
	}
	*array = more;
	*n_alloc = n_new;
	return true;
}

void schedule_add_step(struct schedule *schedule, struct schedule_step step)
{
	void *array = schedule->step;
	bool fits = grow_array(schedule, &array, schedule->n_step, &schedule->step_alloc, sizeof(*schedule->step));
	schedule->step = array;
	assert(step.phase < N_PHASE);
	if (!fits)
		return;
	step.first_op = schedule->n_op;
	step.first_job = schedule->n_job;
	step.n_op = step.n_job = 0;
	schedule->step[schedule->n_step++] = step;
}

uint32_t schedule_add_op(struct schedule *schedule, struct op op)
{
	void *array = schedule->op;
	bool fits = grow_array(schedule, &array, schedule->n_op, &schedule->op_alloc, sizeof(*schedule->op));
	schedule->op = array;
	if (!fits)
		return SCHEDULE_NONE;
	assert(schedule->n_step > 0);
	schedule->step[schedule->n_step - 1].n_op++;
	schedule->op[schedule->n_op] = op;
	return schedule->n_op++;
}

void schedule_add_job(struct schedule *schedule, struct job job)
{
	void *array = schedule->job;
	bool fits = grow_array(schedule, &array, schedule->n_job, &schedule->job_alloc, sizeof(*schedule->job));
	schedule->job = array;
	if (!fits)
		return;
	assert(schedule->n_step > 0);
	schedule->step[schedule->n_step - 1].n_job++;
	schedule->job[schedule->n_job++] = job;
}

static bool same_shape(const struct mla_shape *a, const struct mla_shape *b)
{
	if (a->kind != b->kind || a->operand_bit != b->operand_bit || a->is_partial != b->is_partial)
		return false;
	if (a->kind == MLA_MATMUL)
		return a->matmul.a_w == b->matmul.a_w && a->matmul.a_h == b->matmul.a_h &&
		       a->matmul.b_w == b->matmul.b_w;
	return a->kernel_w == b->kernel_w && a->kernel_h == b->kernel_h && a->dilation == b->dilation &&
	       a->conv.in_w == b->conv.in_w && a->conv.in_h == b->conv.in_h && a->conv.in_c == b->conv.in_c &&
	       a->conv.n_filter == b->conv.n_filter && a->conv.n_group == b->conv.n_group;
}

uint32_t schedule_add_shape(struct schedule *schedule, const struct mla_shape *shape)
{
	/* Parts come in at most two sizes a dimension, so there are few. */
	for (uint32_t i = 0; i < schedule->n_shape; i++)
		if (same_shape(&schedule->shape[i], shape))
			return i;
	void *array = schedule->shape;
	bool fits = grow_array(schedule, &array, schedule->n_shape, &schedule->shape_alloc, sizeof(*schedule->shape));
	schedule->shape = array;
	if (!fits)
		return 0;
	schedule->shape[schedule->n_shape] = *shape;
	return schedule->n_shape++;
}

/* ---- check ---- */

/* NULL: nothing is wrong. */
static const char *check_op(const struct schedule *schedule, const struct machine *machine,
                            const struct schedule_step *step, uint32_t index)
{
	const struct op *op = &schedule->op[index];
	uint32_t n_pe = machine_n_pe(machine);
	bool to_pe = op->kind == OP_COPY || op->kind == OP_TASK || op->kind == OP_SYNC;
	bool moves = op->kind != OP_TASK && op->kind != OP_SYNC;
	if (op->pe >= n_pe || op->peer >= (to_pe ? n_pe : machine->dram_n))
		return "there is no such PE or DRAM interface";
	if (op->kind == OP_TASK && op->shape >= schedule->n_shape)
		return "there is no such task";
	if (op->kind == OP_TASK && op->pe / machine->qpe_n_pe != op->peer / machine->qpe_n_pe)
		return "operand A lies in another QPE";
	if (op->kind == OP_COPY && op->pe == op->peer)
		return "a copy to the PE itself";
	if (moves != (op->byte > 0))
		return "a transfer of no bytes, or bytes of what is none";
	for (int i = 0; i < 2; i++)
		if (op->before[i] != SCHEDULE_NONE && (op->before[i] >= index || op->before[i] < step->first_op))
			return "it waits for one that is not before it in its step";
	return NULL;
}

static const char *check_job(const struct schedule *schedule, const struct machine *machine, const struct job *job)
{
	if (job->queue >= machine->dram_n)
		return "there is no such queue";
	if (job->shape >= schedule->n_shape)
		return "there is no such task";
	return NULL;
}

enum err_code schedule_check(const struct schedule *schedule, const struct machine *machine, struct err *err)
{
	if (schedule->is_full)
		return err_add(err, ERR_INFEASIBLE,
		               "more than %u operations, which is what can be simulated or proved one by one; take "
		               "larger parts or closed forms (--detail fast)",
		               SCHEDULE_MAX_OP);
	if (schedule->failed)
		return err_add(err, ERR_INTERNAL, "no memory for the schedule");
	for (uint32_t i = 0; i < schedule->n_step; i++) {
		const struct schedule_step *step = &schedule->step[i];
		assert(step->first_op + step->n_op <= schedule->n_op &&
		       step->first_job + step->n_job <= schedule->n_job);
		for (uint32_t k = step->first_op; k < step->first_op + step->n_op; k++) {
			const char *what = check_op(schedule, machine, step, k);
			if (what)
				return err_add(err, ERR_INTERNAL, "schedule: operation %u of step %u: %s", k, i, what);
		}
		for (uint32_t k = step->first_job; k < step->first_job + step->n_job; k++) {
			const char *what = check_job(schedule, machine, &schedule->job[k]);
			if (what)
				return err_add(err, ERR_INTERNAL, "schedule: job %u of step %u: %s", k, i, what);
		}
	}
	return ERR_OK;
}
