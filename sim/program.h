/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H
/*
 * The simulator's input language: a program is a short list of steps, each a
 * regular pattern of tasks or transfers over the PEs, as plain data. The mapper
 * writes it; the fast tier prices it in closed form.
 */
#include "sim/machine.h"
#include "sim/mla.h"
#include <stdbool.h>
#include <stdint.h>

#define PROGRAM_MAX_STEP 16

/* What a step's time is reported under. */
enum phase {
	PHASE_WEIGHT,      /* filters from DRAM to the PEs, copies included */
	PHASE_INPUT,       /* ifmap parts from DRAM or storage QPEs to the PEs */
	PHASE_MIGRATION,   /* filters passed on between PEs */
	PHASE_COMPUTATION, /* MLA tasks and the write-out of their results */
	PHASE_TASKS,       /* loads, MLA tasks and write-outs overlapped (no reuse) */
	PHASE_PADD,        /* the rest: ARM operations */
	PHASE_MAT_ELE,
	PHASE_ACTI,
	PHASE_QUAN,
	PHASE_POOL,
	PHASE_FCE,
	N_PHASE
};
extern const char *const phase_name[N_PHASE]; /* "weight", ... */

/* The PEs as the strategies see them, derived from the machine. */
struct hierarchy {
	uint32_t n_block;      /* double QPE blocks (thesis figure 4.16); 1 on a QPE */
	uint32_t n_pe;         /* PEs that compute in reuse, all blocks */
	uint32_t pe_per_block;
	uint32_t dram_per_block_n, dram_per_block_d; /* a block's share of the DRAM interfaces, as a fraction */
	uint32_t n_storage_pe; /* PEs of the storage QPEs, all blocks */
	uint64_t storage_byte; /* SRAM of them */
	double write_router_load; /* packets through the busiest router when every computing PE writes one to its storage QPE */
	uint32_t n_queue;      /* no reuse: DRAM queues, each with its own PEs */
	uint32_t pe_per_queue; /* of the largest queue */
};

/* Derive it. machine has passed machine_check. */
void hierarchy_derive(const struct machine *machine, struct hierarchy *hierarchy);

enum step_kind {
	STEP_TRANSFER, /* operands to the PEs before anybody computes; barrier after */
	STEP_COMPUTE,  /* every PE runs its tasks and writes each result out */
	STEP_JOBS,     /* PEs take jobs (load, compute, write) from their queue whenever idle */
	STEP_ARM       /* the busiest PE's ARM core */
};

/*
 * Loads from DRAM and copies over the NoC. Per source the DRAM delivers dram_byte
 * in turn; afterwards (or without DRAM) items are passed on in stages.
 */
struct transfer {
	double dram_byte;    /* per DRAM interface, busiest one; 0: none */
	double stage_packet; /* packets through the busiest port or router, summed over the stages, in NoC packets per PE clock 1 */
	uint32_t n_stage;
	uint32_t setup_clk;  /* PE clocks of each stage */
	uint32_t repeat;     /* the whole transfer, in sequence */
};

struct compute {
	struct mla_cost task;   /* the largest task */
	uint64_t n_task;        /* of the busiest PE, in sequence */
	uint64_t n_barrier;     /* groups of tasks that start together */
	double write_byte;      /* of the largest task */
	uint32_t n_writer;      /* PEs that share a destination */
	bool write_dram;        /* else to the storage QPEs */
	double arm_task_clk;    /* ARM work that keeps the PE between tasks (partial sums) */
};

struct jobs {
	uint64_t n_job;       /* of the busiest queue */
	uint32_t n_pe;        /* PEs serving it */
	double load_byte;     /* of all jobs of the busiest queue */
	double write_byte;
	double task_clk;      /* of all jobs of the busiest queue, SRAM free */
	double task_shared_clk; /* the same, neighbours busy */
	double last_task_clk; /* of one largest job */
	double first_load_byte; /* of one largest job */
	double last_write_byte;
	double arm_task_clk;  /* ARM work of all jobs */
	bool wait_for_write;  /* a PE waits for its write before it asks for the next load (no fusion) */
};

struct step {
	enum step_kind kind;
	enum phase phase;
	union {
		struct transfer transfer;
		struct compute compute;
		struct jobs jobs;
		double arm_clk; /* STEP_ARM: ARM clocks of the busiest PE */
	} u;
};

/* Actions of the whole program; energies are counts times energy per action. */
struct counts {
	uint64_t mac;           /* multiply-accumulates wanted */
	uint64_t mla_clk;       /* clocks in which an array multiplies, all PEs */
	uint64_t sram_read_word, sram_write_word; /* 32 bit */
	uint64_t noc_packet;    /* packet hops: one packet through one router */
	uint64_t dram_read_byte, dram_write_byte;
	uint64_t arm_clk;       /* all PEs */
};

struct program {
	uint32_t n_step;
	struct step step[PROGRAM_MAX_STEP];
	struct counts counts;
	uint64_t sram_byte;  /* the fullest PE's SRAM */
	uint32_t n_pe;       /* PEs taking part */
};

#endif
