/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H
/*
 * The simulator's input language: a program is a short list of steps, each a
 * regular pattern of tasks or transfers over the PEs, as plain data. The mapper
 * writes it; the fast tier prices it in closed form. Steps run one after the
 * other with a barrier between them; inside a step PEs overlap as its kind says.
 */
#include "sim/machine/counts.h"
#include "sim/machine/flow.h"
#include "sim/machine/latency.h"
#include "sim/mla/mla.h"
#include "sim/systolic/systolic_work.h"
#include <stdbool.h>
#include <stdint.h>

#define PROGRAM_MAX_STEP 12
#define TRANSFER_MAX_STAGE 6

/* What a step's time is reported under. */
enum phase {
	PHASE_WEIGHT,      /* filters from DRAM to the PEs, copies included */
	PHASE_INPUT,       /* ifmap parts from DRAM or storage QPEs to the PEs */
	PHASE_MIGRATION,   /* filters passed on between PEs */
	PHASE_COMPUTATION, /* MLA tasks and the write-out of their results */
	PHASE_TASKS,       /* loads, MLA tasks and write-outs overlapped (no reuse) */
	PHASE_STALL,       /* a systolic array waits for its memory: first load and last store included */
	PHASE_FETCH,       /* of the next program's weights, what other phases did not hide */
	PHASE_PADD,        /* the rest: ARM operations */
	PHASE_MAT_ELE,
	PHASE_ACTI,
	PHASE_QUAN,
	PHASE_POOL,
	PHASE_FCE,
	PHASE_MUL,
	PHASE_FUNC,
	PHASE_SOFTMAX,
	PHASE_NORM,
	N_PHASE
};
extern const char *const phase_name[N_PHASE]; /* "weight", ... */

enum step_kind {
	STEP_TRANSFER, /* operands to the PEs before anybody computes */
	STEP_COMPUTE,  /* every PE runs its tasks and writes each result out */
	STEP_JOBS,     /* PEs take jobs (load, compute, write) from their queue whenever idle */
	STEP_ARM,      /* ARM cores work alone */
	STEP_SYSTOLIC  /* a systolic array runs a layer; its phases are PHASE_COMPUTATION and PHASE_STALL */
};

/* n hops of a chain of copies that are alike: packets of one item, relative to the item's size. */
struct stage {
	float port;   /* through the busiest PE port, one packet a PE clock */
	float router; /* through the busiest router */
	float link;   /* over the busiest link between routers, one packet a NoC clock */
	uint32_t n;
};

/*
 * Loads from DRAM, then copies over the NoC hop by hop, each of which starts when
 * the one before has arrived. The whole is repeated in sequence n_repeat times.
 */
struct transfer {
	double dram_byte;   /* through the busiest DRAM interface; 0: none */
	double item_packet; /* packets of the largest item that is passed on */
	uint32_t n_stage;
	uint32_t n_side; /* of the stages the first ones, which run beside loads and the other stages */
	struct stage stage[TRANSFER_MAX_STAGE];
	enum setup stage_setup;   /* of what kind the hops are */
	uint32_t stage_setup_clk; /* PE clocks as measured, each hop */
	uint32_t setup_clk;       /* of a phase of loads, PE clocks as measured, once a repeat */
	double n_repeat;
	/* Of loads and copies on a chip, instead of stages: the paths that their time is the longest of, an item a DRAM
	 * load and a copy each; owned by mapper/placement. NULL: by stages. */
	const struct flow_paths *paths;
};

/* Tasks in lock step: every PE runs n_task one after the other, each followed by its write-out. */
struct compute {
	double task_clk;        /* PE clocks of all n_task tasks of the busiest PE, SRAM shared with its neighbours */
	double mac_clk;         /* of that, clocks in which the array multiplies */
	struct mla_fetch fetch; /* of operand A during those tasks, which a QPE's PEs run at the same time */
	uint64_t n_task;
	double write_packet;    /* of one task's result, largest */
	double write_router;    /* packets through the busiest router for each packet that every PE writes ... */
	double write_link;      /* ... and over the busiest link */
	double write_dram_byte; /* all results of the busiest DRAM interface; 0: to the storage QPEs */
	double n_start;         /* PEs that the host starts behind a barrier, a message a clock */
	double n_barrier;       /* 1..n_task: times that all PEs wait for each other's tasks and writes */
};

/* A queue of jobs at a DRAM interface and the PEs that serve it; the busiest queue. */
struct jobs {
	uint64_t n_job;
	uint32_t n_pe;
	double load_byte, write_byte;     /* DRAM traffic of all its jobs */
	double task_clk, task_shared_clk; /* MLA time of all its jobs: SRAM free, SRAM shared all the time */
	double mac_clk;                   /* of that, clocks in which the array multiplies */
	struct mla_fetch fetch;           /* of operand A, all jobs */
};

/* Work of the ARM cores; with DRAM traffic where operands are not kept in the PE (no fusion). */
struct arm_work {
	double clk;       /* of the busiest PE */
	double dram_byte; /* through the busiest interface */
};

struct step {
	enum step_kind kind;
	enum phase phase;
	struct counts counts; /* of this step */
	union {
		struct transfer transfer;
		struct compute compute;
		struct jobs jobs;
		struct arm_work arm;
		struct systolic_work systolic;
	} u;
};

/*
 * Loads into the storage QPEs for the next program, in the background of this one: while PEs compute (STEP_COMPUTE,
 * STEP_ARM) in what time the DRAM interfaces have left, and at the end what that was not enough for.
 */
struct fetch {
	double dram_byte;     /* through the busiest interface; 0: nothing is fetched, the rest is undefined */
	uint32_t setup_clk;   /* of a phase of loads, PE clocks as measured */
	struct counts counts; /* of all of it */
};

struct program {
	uint32_t n_step;
	struct step step[PROGRAM_MAX_STEP];
	struct fetch fetch;
	uint64_t sram_byte; /* demanded of the fullest PE, of a systolic array's buffers */
};

#endif
