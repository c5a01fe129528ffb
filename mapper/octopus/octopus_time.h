/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_OCTOPUS_TIME_H
#define MAPPER_OCTOPUS_TIME_H
/*
 * Run time of a layer of a multi-layer schedule. The scheduler PE starts the
 * layer's workers; each fetches its configuration, then for every tile operands
 * from DRAM, computes on MLA and ARM core, and writes the result to DRAM:
 *
 *     scheduling | configuration | weights, input, MLA, ARM, output of each tile in turn
 *
 * Nothing overlaps, unless weights are fetched ahead (octopus_hide_weights). The
 * slowest worker counts: all of its tiles as large as the
 * largest, all workers of the layer at the DRAM at once. Constants are the
 * machine's (octopus.*, arm.*, dram.*, transfer.*), MLA clocks those of sim/mla/mla.h.
 */
#include "mapper/octopus/octopus.h"
#include "mapper/distribute/tiling.h"

enum octopus_part {
	OCTOPUS_SCHEDULING,    /* the scheduler's share: octopus.layer_us and layer_worker_us */
	OCTOPUS_CONFIGURATION, /* the worker's: octopus.worker_us */
	OCTOPUS_WEIGHTS,       /* weights and biases, fetched from DRAM */
	OCTOPUS_INPUT,         /* ifmap and what is added, fetched */
	OCTOPUS_MLA,
	OCTOPUS_ARM,
	OCTOPUS_OUTPUT, /* results, written */
	N_OCTOPUS_PART
};
extern const char *const octopus_part_name[N_OCTOPUS_PART]; /* "scheduling", ... */

struct octopus_time {
	double part_us[N_OCTOPUS_PART], total_us; /* their sum, in this order */
};

/* So much of the weights' fetch, up to rounding all of it at most, is hidden: it and the total become less. */
void octopus_hide_weights(struct octopus_time *time, double hidden_us);

/* A layer on a machine, prepared once; it points into itself: do not move or copy it. */
struct octopus_context {
	const struct machine *machine;
	const struct block *block;
	uint32_t level;
	struct machine wide;        /* the machine, with results of 32 bit: biases are added, then they are quantised */
	struct block group;         /* one group of the block; the block where it has none */
	struct layer_context layer; /* of the group on `wide` */
	double load_us, write_us, copy_us; /* set-ups of a load from DRAM, a write to it, a copy between PEs */
	double clk_mhz, dram_b_us;         /* bytes a us of all DRAM interfaces together */
	/* Routers that a packet passes in the mean: between a PE and its DRAM interface, and between two PEs. */
	double n_dram_router, n_copy_router;
	/*
	 * SRAM-only execution: weights stay where they are used, results where they are computed; n_source PEs hold the
	 * ifmap, 0: it lies in DRAM. to_dram: the result goes to DRAM all the same.
	 */
	bool resident, to_dram;
	uint32_t n_source;
};

/* machine (a QPE or chip), level < machine->n_level and block must outlive the context. */
void octopus_prepare(const struct machine *machine, uint32_t level, const struct block *block,
                     struct octopus_context *context);

/* The largest tile of a split and what a worker does with it. */
struct octopus_work {
	uint32_t n_map, n_filter,
	    n_d;          /* parts of the ifmap (linear: of its rows), of the filters (columns), of the depth */
	uint32_t n_share; /* parts of the filters in a row that read one ifmap: all, but of groups and pooling */
	bool is_linear;   /* its tiles are numbered by columns first, whatever ifmap_first says */
	uint64_t in_byte, added_byte, out_byte;  /* ifmap as it lies in DRAM, without padding; all d parts */
	uint64_t weight_byte;                    /* with biases; all d parts */
	uint64_t sram_byte;                      /* operands of one d part, results of 32 bit */
	uint64_t kept_weight_byte, kept_in_byte; /* of sram_byte: weights and biases, ifmap */
	double mla_us, arm_us;                   /* of each tile */
	double arm_in_us;                        /* of each ifmap that is fetched: padded, or laid out as operand A */
	double mac_clk, read_word, write_word;   /* of each tile: the MLA's clocks and SRAM words */
};
void octopus_size(const struct octopus_context *context, const struct split *split, struct octopus_work *work);
void octopus_compute(const struct octopus_context *context, const struct split *split, struct octopus_work *work);

/* How a worker goes through its tiles. */
struct octopus_plan {
	bool ifmap_first;
	uint32_t n_worker, tiles_per_worker;
};

/* How often the worker with the most changes fetches: what consecutive tiles share it keeps (not between d parts). */
struct octopus_fetches {
	uint32_t n_weight, n_in;
};
struct octopus_fetches octopus_count_fetches(const struct octopus_work *work, const struct octopus_plan *plan);

/* Bytes of the fullest worker: a tile's, and where weights and results stay those of the other tiles. */
uint64_t octopus_sram_byte(const struct octopus_context *context, const struct octopus_work *work,
                           const struct octopus_plan *plan);

/* Where weights stay: bytes of the fullest worker that they take as long as the model is loaded. */
uint64_t octopus_resident_byte(const struct octopus_work *work, const struct octopus_plan *plan);

void octopus_price(const struct octopus_context *context, const struct octopus_work *work,
                   const struct octopus_plan *plan, struct octopus_time *time);

/* The same of a layer as it is cut; *sram_byte: of the fullest worker (NULL: not wanted). */
void octopus_price_layer(const struct octopus_context *context, const struct octopus_layer *layer,
                         struct octopus_time *time, uint64_t *sram_byte);

/* Energy of the layer that took so long, all workers busy as the busiest, with the static energy of the machine; pJ. */
double octopus_energy_pj(const struct octopus_context *context, const struct octopus_work *work,
                         const struct octopus_plan *plan, double total_us);

/* Before the first layer and after the last, with n_worker workers enabled; us. */
double octopus_setup_us(const struct machine *machine, uint32_t n_worker);
double octopus_cleanup_us(const struct machine *machine, uint32_t n_worker);

/* Scheduling and configuration of a layer of n_worker workers: what its run takes beside its work; us. */
double octopus_layer_us(const struct machine *machine, uint32_t n_worker);

/* Workers of a machine at most: one PE is the scheduler. */
uint32_t octopus_max_worker(const struct machine *machine);

/* The paper's cut of a layer, as far as it tells: 64 columns a worker, softmax on one; false where it tells nothing. */
bool octopus_paper_cut(struct octopus_layer *layer, const struct block *block, uint32_t n_worker);

#endif
