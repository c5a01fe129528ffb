/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H
/*
 * The machine: every hardware parameter that a program's clocks and energy depend on, as plain data. Names, units,
 * defaults and ranges: sim/machine/machine_param.h.
 */
#include "sim/machine/operating_point.h"
#include "sim/technology/technology.h"
#include <stdbool.h>
#include <stdint.h>

#define MACHINE_NAME_SIZE 64
#define SRAM_WORD_BYTE 4     /* what accesses of a PE's SRAM and packets are counted in */
#define MACHINE_FILE_LEVEL 8 /* operating points of a machine file ... */
#define MACHINE_MAX_LEVEL 16 /* ... and with mixtures of two of them (sim/program/mixed.h) */

/* What the processing elements form: one QPE at one DRAM, a mesh of QPEs, or one systolic array. */
enum machine_target { MACHINE_QPE, MACHINE_CHIP, MACHINE_SYSTOLIC, N_MACHINE_TARGET };
extern const char *const machine_target_name[N_MACHINE_TARGET]; /* "qpe", ... */

/* A chip: QPEs in a mesh, and the host. */
struct mesh_chip {
	uint32_t n_qpe;           /* all of them, storage QPEs included */
	uint32_t mesh_w, mesh_h;  /* the QPEs that take part in reuse */
	uint32_t n_storage_qpe;   /* in reuse: QPEs that hold results instead of computing */
	uint32_t storage_pe_byte; /* SRAM of a storage QPE's PE that can hold results */
	uint32_t host_latency_clk;
};

/*
 * Multi-layer schedules on a chip (mapper/octopus/octopus_time.h), us: before the first layer and after the last, of
 * all and of each worker; of the scheduler for a layer and for each of its workers; of a worker for a layer. A
 * worker's DRAM bandwidth; ARM clocks of laying out a word of operand A; the link between chips.
 */
struct octopus_cost {
	double setup_us, setup_worker_us, cleanup_us, cleanup_worker_us;
	double layer_us, layer_worker_us, worker_us;
	double worker_gb_s, operand_word_clk, link_gb_s, link_us;
};

/* What stays in the PEs; SYSTOLIC_ANY: of a machine that can do all of them. Order as in systolic.dataflow. */
enum systolic_dataflow { SYSTOLIC_OS, SYSTOLIC_WS, SYSTOLIC_IS, SYSTOLIC_ANY };

/* Memory models, in the order of systolic.memory_model; SCALE-Sim's two differ in whether it is given a bandwidth. */
enum systolic_memory { SYSTOLIC_PHYSICAL, SYSTOLIC_SCALESIM, SYSTOLIC_SCALESIM_CALC };

/*
 * A systolic array: rows x columns of PEs with a MAC unit each, three buffers (both halves), and an interface to
 * memory that they share; every operand has words of one size. What runs on it: sim/systolic/systolic_work.h.
 */
struct systolic_machine {
	uint32_t rows, cols;
	uint32_t ifmap_byte, filter_byte, ofmap_byte, word_byte;
	uint32_t dataflow, memory; /* enum systolic_dataflow, enum systolic_memory */
	double memory_gb_s;
};

/*
 * What sizes cost, and the machine that it is anchored at: there the coefficients are those of the file, elsewhere they
 * change as the technology says (sim/machine/machine_technology.h).
 */
struct machine_technology {
	struct technology of; /* node_nm 0: coefficients do not depend on sizes */
	bool is_area_alone;   /* energy and static power stay the file's at all sizes */
	uint32_t area_given;  /* bit for each row of area.*: the user's own value stays */
	double sram_byte, word_byte, n_mac, accumulator_bit; /* of a PE of the anchor */
	struct sram_figures sram;                            /* of the anchor */
	struct {
		double mla_clk_pj, sram_read32_pj, sram_write32_pj, pe_static_mw;
		uint32_t given; /* bits of enum technology_field that the file gives */
	} level[MACHINE_FILE_LEVEL];
};

/* PEs that have one operating point at a time, in the order of dvfs.domain. */
enum dvfs_domain { DVFS_CHIP, DVFS_QPE, DVFS_PE, N_DVFS_DOMAIN };
extern const char *const dvfs_domain_name[N_DVFS_DOMAIN]; /* "chip", "qpe", "pe" */

struct machine {
	char name[MACHINE_NAME_SIZE];
	enum machine_target target;

	/* MAC array, e.g. 16x4: columns take ofmap pixels (operand B), rows take filters (operand A). */
	uint32_t mla_cols, mla_rows;
	bool mla_postprocess;  /* ReLU and quantisation in the MLA's output stage: 8-bit results, no ARM work */
	uint32_t mla_init_clk; /* added to a task: start, interrupt */
	uint32_t mla_accumulator_bit;

	/*
	 * How the MLA shares its SRAM among the rounds of a task, in the event tier; all zero: as the thesis simulator.
	 * mla_round_waits: the next round asks for operands only when the results of the one before are in SRAM;
	 * mla_turn_clk: and its MACs begin so many clocks later; mla_a_buffer_packet: packets that the buffer of
	 * operand A holds, 0: all of a round; mla_matmul_stream: a matmul asks other PEs for A as a convolution does;
	 * mla_trim_b: a block narrower than the array reads only the pixels that it needs.
	 */
	bool mla_round_waits, mla_matmul_stream, mla_trim_b;
	uint32_t mla_turn_clk, mla_a_buffer_packet;

	uint32_t pe_sram_byte;      /* for operands and results of one PE */
	uint32_t pe_program_byte;   /* of its SRAM besides: program and stack */
	uint32_t pe_sram_port_byte; /* of one SRAM access */
	uint32_t pe_sram_access_clk;

	uint32_t qpe_n_pe;

	uint32_t noc_packet_byte;
	uint32_t noc_hop_clk; /* NoC clocks from router to router */
	double noc_clk_mhz;
	uint32_t noc_router_packet; /* packets a router passes a NoC clock, over all its ports */
	uint32_t noc_sync_clk; /* event tier: clocks of the receiving side that a FIFO between PE and router takes */

	uint32_t dram_n; /* interfaces */
	uint32_t dram_access_byte;
	uint32_t dram_access_clk; /* DRAM clocks an access */
	uint32_t dram_interface_clk;
	double dram_clk_mhz;

	struct mesh_chip chip;       /* of MACHINE_CHIP */
	struct octopus_cost octopus; /* likewise */
	bool has_octopus;            /* its run-time system is described: an octopus parameter was set */

	/*
	 * Set-up of transfers in PE clocks of 250 MHz, queueing and hand-shake included, as measured on the thesis
	 * simulator with the default noc_hop_clk, noc_clk_mhz, dram_interface_clk, dram_clk_mhz and host_latency_clk.
	 * What a machine's own make of them: latency_setup_clk.
	 */
	uint32_t dram_load_setup_clk, copy_setup_clk, write_setup_clk, migrate_setup_clk, ring_setup_clk;

	/* ARM core: clocks per item. */
	double arm_padd_word_clk, arm_quan_pixel_clk, arm_relu32_pixel_clk, arm_relu8_pixel_clk;
	double arm_pool8_pixel_clk, arm_add_pixel_clk;
	double arm_average_pixel_clk, arm_average_read_clk, arm_multiply_pixel_clk, arm_function_pixel_clk;
	double arm_softmax_pixel_clk, arm_exp_pixel_clk, arm_norm_pixel_clk, arm_gather_pixel_clk;

	struct systolic_machine systolic; /* of MACHINE_SYSTOLIC */

	/* Energy outside the PEs. */
	double dram_byte_pj;
	double chip_off_mw; /* chip with all PEs off, whatever rails that is drawn from */
	double sram_static_mw, noc_static_mw, dram_static_mw; /* of those supplies, besides chip_off_mw, all the time */

	/*
	 * Change of operating point (DVFS paper section II): time that a PE stands still, energy of one PE's change,
	 * voltages that the chip has at once (power lanes), of which each PE takes one, and frequencies that it chooses
	 * from (clock dividers of a QPE).
	 */
	double dvfs_switch_ns, dvfs_switch_nj;
	uint32_t dvfs_n_lane, dvfs_n_divider;
	uint32_t dvfs_lanes;  /* bit i: the lanes supply level i; 0: all */
	uint32_t dvfs_domain; /* enum dvfs_domain: what has one level at a time */

	/* Area coefficients; all zero: the machine has no area model. */
	double area_mac_um2, area_sram_byte_um2, area_pe_um2, area_chip_um2;

	struct machine_technology technology;

	uint32_t n_level;
	struct operating_point level[MACHINE_MAX_LEVEL]; /* as in the file; [0] is the default */
};

/* Of the whole machine: PEs (of a systolic array its MAC units), MAC units, bytes of SRAM, area (0: no model). */
uint32_t machine_n_pe(const struct machine *machine);
uint64_t machine_n_mac(const struct machine *machine);
uint64_t machine_sram_byte(const struct machine *machine);
double machine_area_um2(const struct machine *machine);

/* SRAM of a PE in all: what operands may use, and the program's. */
static inline double machine_pe_sram_byte(const struct machine *machine)
{
	return (double)machine->pe_sram_byte + machine->pe_program_byte;
}

/* Bytes that a DRAM interface moves in a PE clock. */
static inline double machine_dram_byte(const struct machine *machine, uint32_t level)
{
	if (machine->target == MACHINE_SYSTOLIC)
		return machine->systolic.memory_gb_s * 1e3 / machine->level[level].clk_mhz;
	return machine->dram_access_byte * machine->dram_clk_mhz /
	       (machine->dram_access_clk * machine->level[level].clk_mhz);
}

#endif
