/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SCHEDULE_H
#define SIM_SCHEDULE_H
/*
 * A schedule: a program unfolded into what each PE and each DRAM interface does,
 * one operation after the other, as plain data. The mapper writes both from the
 * same design; the fast tier prices the program, the event tier runs the
 * schedule. Steps run one after the other with a barrier between them; within a
 * step an operation starts when those it names have completed:
 *
 *   step   weight          input              computation
 *   ops    load -> copy    load -> copy ...   task -> store -> task -> store
 *
 * PEs are numbered QPE by QPE (pe / qpe_n_pe is the QPE), QPEs as in sim/machine/mesh.h.
 */
#include "sim/base/err.h"
#include "sim/mla/mla.h"
#include "sim/program/program.h"

#define SCHEDULE_NONE UINT32_MAX   /* no operation */
#define SCHEDULE_MAX_OP (1u << 24) /* operations and jobs of a schedule: half a gigabyte of each */

enum op_kind {
	OP_LOAD,  /* from a DRAM interface into a PE's SRAM */
	OP_COPY,  /* from SRAM to SRAM */
	OP_STORE, /* from a PE's SRAM to a DRAM interface */
	OP_TASK,  /* on a PE's MLA */
	OP_SYNC   /* the host tells a PE something and is answered: each PE's part of a barrier */
};

/* What a transfer moves; for people, tests and proofs of the schedule (mapper/prove/prove.h): nothing is timed by it.
 */
enum op_content {
	OP_OF_IFMAP,  /* an ifmap part */
	OP_OF_FILTER, /* a filter part */
	OP_OF_SUM,    /* 32-bit sums of one task, to be added to those of the others of its result */
	OP_OF_RESULT, /* a result */
	OP_OF_NEXT    /* weights of the next block */
};

struct op {
	enum op_kind kind;
	uint32_t pe;   /* that receives (load), sends (copy, store), computes (task), answers (sync) */
	uint32_t peer; /* DRAM interface (load, store); PE that receives (copy); PE whose SRAM has operand A (task);
	                  the PE itself (sync) */
	uint32_t byte; /* moved; of a task and a sync 0 */
	union {
		uint32_t shape;          /* of a task: index of schedule->shape */
		enum op_content content; /* of a transfer */
	};
	uint32_t part; /* ifmap part or filter part that is moved, of a result, sum or task: ifmap part * filter parts +
	                  filter part; for people, tests and proofs, too */
	uint32_t
	    before[2]; /* operations of the same step, earlier in the list, that have to be complete; SCHEDULE_NONE */
};

/* What an idle PE takes from its queue: loads from the queue's DRAM interface, a task, a store. */
struct job {
	uint32_t queue;
	uint32_t map_byte;    /* into the PE itself: operand B; 0: none */
	uint32_t filter_byte; /* into the next PE of the QPE, whence operand A is fetched; 0: A is in the PE itself */
	uint32_t store_byte;  /* 0: nothing is stored */
	uint32_t shape;
	uint32_t part; /* as of a task */
	bool same_pe;  /* the PE that had the job before this one takes it, right after that */
};

struct schedule_step {
	enum phase phase;
	uint32_t first_op, n_op;   /* [STEP_TRANSFER, STEP_COMPUTE] */
	uint32_t first_job, n_job; /* [STEP_JOBS] */
	struct arm_work arm;       /* all ARM cores, priced as in the fast tier; 0: none */
	struct counts counts;      /* of ARM work alone */
};

struct schedule {
	uint32_t n_step, n_op, n_job, n_shape;
	struct schedule_step *step;
	struct op *op;
	struct job *job;
	struct mla_shape *shape; /* tasks that differ; pe_shift is not used */
	double mac;              /* multiply-accumulates wanted, for utilisation */
	bool failed;             /* no memory, or more than SCHEDULE_MAX_OP: is_full */
	bool is_full;
	uint32_t step_alloc, op_alloc, job_alloc, shape_alloc;
};

/* {0} is an empty schedule. What cannot be added sets failed, and what is added afterwards is ignored. */
void schedule_free(struct schedule *schedule);

/* Start a step like this one; what is added next belongs to it. Its first and n fields are filled in. */
void schedule_add_step(struct schedule *schedule, struct schedule_step step);

/* Add an operation to the last step; returns its index, by which later ones of the step name it. */
uint32_t schedule_add_op(struct schedule *schedule, struct op op);
void schedule_add_job(struct schedule *schedule, struct job job);

/* The index of a shape, added if it is new. */
uint32_t schedule_add_shape(struct schedule *schedule, const struct mla_shape *shape);

/*
 * What must hold before it is run on a machine: PEs, interfaces and shapes that
 * exist, operand A from the same QPE, operations that wait only for earlier
 * ones of their step. ERR_INTERNAL when it failed or not; names the operation.
 */
enum err_code schedule_check(const struct schedule *schedule, const struct machine *machine, struct err *err);

#endif
