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
#include "sim/machine/queue_place.h"
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

/* Whether PEs do tasks then, each in its own time. */
static inline bool phase_is_loop(enum phase phase)
{
	return phase == PHASE_COMPUTATION || phase == PHASE_TASKS;
}

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
	double dram_byte;    /* through the busiest DRAM interface; 0: none */
	double item_packet;  /* packets of an item that is passed on: the largest, or with paths their mean where most
	                        wait */
	double chain_packet; /* with paths: of the largest, which takes the longest chain of copies; 0: all are alike */
	uint32_t n_stage;
	uint32_t n_side; /* of the stages the first ones, which run beside loads and the other stages */
	struct stage stage[TRANSFER_MAX_STAGE];
	enum setup stage_setup;   /* of what kind the hops are */
	uint32_t stage_setup_clk; /* PE clocks as measured, each hop */
	uint32_t setup_clk;       /* of a phase of loads, PE clocks as measured, once a repeat; 0: they follow others */
	double n_repeat;
	/* Of loads and copies on a chip, instead of stages: the paths that their time is the longest of, an item a DRAM
	 * load and a copy each; owned by mapper/placement. NULL: by stages. */
	const struct flow_paths *paths;
	/* The same with each item's own size beside that of the largest, which has sized_packet packets: one case for
	 * each point. The time is at least that. NULL: all are alike, or not known. */
	const struct flow_paths *sized_paths;
	double sized_packet;
};

/* Tasks that are alike: what is loaded for one and written of it, by DRAM, and its clocks. */
struct job_kind {
	double load_byte, write_byte;
	double task_clk, task_shared_clk; /* PE clocks: SRAM free, SRAM shared all the time */
	struct mla_fetch fetch;           /* of operand A */
	double copy_packet;               /* from PE to PE after the task, before the next one; 0: nothing is copied */
	double storage_packet;            /* of operand A, from a PE of a storage QPE beside the load */
};

/* Parts of a dimension come in two sizes, the larger ones first: a kind is by size (0, 1) in each of four. */
#define JOB_MAX_KIND 16
#define JOB_KIND(h, w, c, d) ((((h)*2u + (w)) * 2u + (c)) * 2u + (d))
#define ROUND_MAX_PE 8
#define ROUND_MAX_GROUP 16

/*
 * Groups of parts that are alike, one part a PE: the JOB_KIND of each, of which the other operand's dimensions are 0,
 * four bits a part, the first part lowest.
 */
struct round_group {
	double n;
	uint32_t n_part;
	uint32_t kinds;
};

static inline uint32_t round_group_kind(const struct round_group *group, uint32_t part)
{
	return group->kinds >> 4 * part & 15;
}

/*
 * Rounds of a QPE, a barrier after each: every group of ifmap parts meets every group of filter parts, in as many
 * rounds as it has parts. In round k PE z runs its ifmap part with the filters of PE z + k, if that has any; a PE
 * without an ifmap part of its own has a copy of part z modulo the parts, or of part k if they do not divide the PEs.
 */
struct rounds {
	uint32_t n_map, n_filter; /* groups; 0: the rounds are not known */
	uint32_t kinds;           /* bit k: kind[k] is filled */
	struct round_group map[ROUND_MAX_GROUP], filter[ROUND_MAX_GROUP];
	struct job_kind kind[JOB_MAX_KIND];
};

/*
 * Tasks of several kinds and their results, in no particular order: of the PEs whose results pass the busiest DRAM
 * interface, or the busiest way to the storage QPEs, how many do such a task, its PE clocks with the SRAM shared, and
 * packets of its result.
 */
#define WRITER_MAX_KIND 8
struct writer_kind {
	double n_frac, task_clk, packet;
};
struct writers {
	double n_pe;
	uint32_t n_kind; /* 0: all tasks are alike, or not told apart; the rest is undefined */
	struct writer_kind kind[WRITER_MAX_KIND];
};

/* Tasks in lock step: every PE runs n_task one after the other, each followed by its write-out. */
struct compute {
	double task_clk;        /* PE clocks of all n_task tasks of the busiest PE, SRAM shared with its neighbours */
	double mac_clk;         /* of that, clocks in which the array multiplies */
	struct mla_fetch fetch; /* of operand A during those tasks, which a QPE's PEs run at the same time */
	double mean_frac;       /* of that of the mean PE, which may have smaller parts */
	uint64_t n_task;
	double write_packet;    /* of one task's result, largest */
	double write_router;    /* packets through the busiest router for each packet that every PE writes ... */
	double write_link;      /* ... over the busiest link ... */
	double write_sender;    /* ... through the busiest router of a QPE that computes ... */
	double write_port;      /* ... and into the storage QPEs' PE that gets most; 0: as from the writing PE, 1 */
	double write_dram_byte; /* all results of the busiest DRAM interface; 0: to the storage QPEs */
	double n_write_router;  /* routers of computing QPEs that a result passes, the most */
	double n_start;         /* PEs that the host starts behind a barrier, a message a clock */
	double n_barrier;       /* 1..n_task: times that all PEs wait for each other's tasks and writes */
	double first_clk;       /* PE clocks behind all barriers until results are written, at least; 0: a task each */
	double n_message;       /* of the host, one a PE clock, for all tasks of all PEs; 0: not known */
	struct writers writers;
	struct rounds rounds; /* on one QPE: what the time is that of, the rest being sums; the last, as it is large */
};

/* PEs of a queue whose jobs are served one by one. */
#define JOB_MAX_PE 256

/*
 * The order in which a queue's jobs are taken: row by row of results, in a row from left to right. A row is one part of
 * h and one of w, those of w inside; each image of a batch begins with its first part of h. A result takes a job for
 * each part of d. is_chain: these follow each other in one PE, and the last one's write is the result's; else all of a
 * row's jobs with a part of d come before those with the next one, and each writes.
 */
struct job_order {
	uint32_t n_h[2], n_w[2], n_d[2]; /* parts by size */
	uint32_t n_c[2];                 /* columns of this queue by size */
	uint64_t n_skip, n_result;       /* results before the queue's first one, row by row, and the queue's */
	uint32_t n_pe;                   /* 1..JOB_MAX_PE */
	uint64_t n_before;               /* commands of the host before those for the queue's first jobs ... */
	uint64_t n_command;              /* ... and for the first jobs of all queues */
	uint32_t n_load;                 /* commands of a job; 0: the host passes any number at once */
	double host_share;               /* messages of all queues for each of this one */
	bool is_chain;
};

/*
 * Queues of jobs at the DRAM interfaces and the PEs that serve them. Sums are those of the busiest queue, which may
 * have fewer jobs than others, but larger ones. Of a range of splits whose sizes are open, they are as if all jobs were
 * alike.
 */
struct jobs {
	uint64_t n_job; /* of the queue with most */
	uint32_t n_pe;
	struct {
		uint64_t n_job, n_write; /* n_write: those that write a result */
		uint32_t n_pe;
	} busiest;                        /* all 0: as the queue with most, each job writes */
	double load_byte, write_byte;     /* DRAM traffic of all its jobs */
	double task_clk, task_shared_clk; /* MLA time of all its jobs: SRAM free, SRAM shared all the time */
	double mac_clk;                   /* of that, clocks in which the array multiplies */
	struct mla_fetch fetch;           /* of operand A, all jobs */
	/* Of operand A, that a PE of a storage QPE sends to the PEs of a block, and such PEs of a queue. */
	double storage_packet;
	uint32_t n_storage;
	double host_clk; /* of the host, for the jobs of all queues */
	/* What holds in any order of the jobs: whether they are alike, else how much of the sums some queue has at
	 * least. */
	bool is_uneven;
	double least_frac;
	/* Of a range: whatever its jobs, a queue of as many of the mean one does not take longer than they do. */
	bool is_mean;
	double dram_byte; /* what some interface moves at least; 0: not known beyond the sums */
	/* The smallest result and the last job, as fractions of the mean ones: loads and tasks. 0: not known. */
	double tail_frac, tail_job_frac;
	double tail_write_frac;  /* and what is written of it, of the largest result's */
	double first_frac;       /* of a result's loads, its first job's; 0: not known */
	double mean_job;         /* jobs of a queue, on average */
	struct job_kind largest; /* what a PE does for the largest result, in so many jobs; 0: not known */
	uint32_t n_largest;
	uint64_t n_largest_result; /* of these, in a queue */
	/* The jobs one by one, of queues one of which is the busiest; n_order 0: they are not told apart. */
	const struct queue_place *place; /* of a queue's PEs; owned by the layer's context */
	uint32_t n_order;
	uint32_t kinds; /* bit k: kind[k] is filled */
	uint64_t
	    n_served; /* most jobs of an order to serve; of a longer one an excerpt is, and the rest follows its pace */
	struct job_order order[3];
	struct job_kind kind[JOB_MAX_KIND];
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
	/* Tasks in all, and the PEs that they are dealt to; n_task 0: they are not alike, or not known. */
	uint64_t n_task;
	uint32_t n_pe;
};

#endif
