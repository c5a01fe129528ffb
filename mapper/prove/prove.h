/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_PROVE_H
#define MAPPER_PROVE_H
/*
 * Proof of a mapping: blocks are run on seeded random int8 data as their
 * designs say, operation by operation, and compared with a direct computation
 * of the whole layer, bit for bit.
 *
 *   layer ----> reference (prove_reference.c) --------------------> result --+
 *     |                                                                       = ?
 *     +--> design --> schedule (unfold.h) --> who has what (prove_walk.c)     |
 *                       --> tiles (prove_tile.c) ----------------> result --+
 *
 * What is computed: 32-bit sums modulo 2^32 of products of int8; added to them
 * what a shortcut brings, at half its value (<< shift - 1); ReLU; quantisation,
 * which is >> shift (arithmetic) and limits to -128..127; pooling of the int8,
 * averages rounded half up. Padding is zeros, in pooling, too. Designs of 16-bit
 * operands get the same data: their tiles and bytes differ, not the arithmetic.
 */
#include "mapper/split/design.h"
#include "sim/program/schedule.h"

/*
 * An int8 tensor [h][w][c]; a vector is 1 x 1 x c, the rows of a matrix multiplication h x 1 x c. Images of a batch
 * stand one below the other, so that h is that of all.
 */
struct prove_map {
	uint32_t w, h, c;
	int8_t *value;
};

/* What one block is run on. */
struct prove_data {
	struct prove_map ifmap;
	struct prove_map added; /* of a shortcut, or a second operand; see prove_adds; else value NULL */
	const int8_t *weight;   /* [filter][kernel_h][kernel_w][input channel of its group]; of a matrix multiplication
	                           [column of B][row of B]; NULL: pooling */
	uint32_t shift;         /* at least 1 */
};

/* Planted mistakes, for tests of the proof itself; those of the schedule are made by editing it. */
enum prove_mistake {
	PROVE_NO_MISTAKE,
	PROVE_HALO,           /* ifmap parts lack their last column */
	PROVE_PADDING_SIDE,   /* a pixel of padding on the wrong side: ifmap parts begin a column late */
	PROVE_LOST_SUM,       /* the last partial sum of a result is not added */
	PROVE_POOL_BORDER,    /* pooling windows begin a column before the tile */
	PROVE_RELU_FIRST,     /* ReLU before partial sums are added */
	PROVE_SHIFT,          /* quantised by one bit too many */
	PROVE_RESIDUAL_TWICE, /* what a shortcut brings is added twice */
	N_PROVE_MISTAKE
};

#define PROVE_MAX_FAULT 4
#define PROVE_FAULT_SIZE 200

/* What came out of one block under one design. */
struct prove_result {
	bool ran; /* false: verdict says why not */
	struct verdict verdict;
	bool is_proved;       /* ran without a fault, every value equal */
	uint64_t n_task;      /* run */
	uint64_t n_different; /* values that differ from the reference */
	uint64_t hash;        /* of the result's bytes */
	uint32_t shift;
	double saturated_frac, zero_frac; /* of the result's values: at -128 or 127; 0 */
	bool from_storage, to_storage;    /* ifmap parts came from, results went to storage QPEs */

	/* What is wrong with the schedule; the first PROVE_MAX_FAULT are told. */
	unsigned n_fault;
	char fault[PROVE_MAX_FAULT][PROVE_FAULT_SIZE];
	char difference[PROVE_FAULT_SIZE]; /* the first value that differs, by row, column and channel; "": none */
};

/* Runs work(context, i), i = 0..n-1, each once, in any order, on any number of threads. */
struct prove_pool {
	void (*run)(const struct prove_pool *pool, size_t n, void (*work)(void *context, size_t i), void *context);
	unsigned n_thread;
};

/*
 * Run one block's schedule on data and compare with expected [of the block's result, pooled]. context and design
 * are those it was unfolded from; of a systolic array schedule is NULL. ERR_INFEASIBLE: no memory.
 */
enum err_code prove_schedule(const struct layer_context *context, const struct layer_design *design,
                             const struct schedule *schedule, const struct prove_data *data,
                             const struct prove_map *expected, enum prove_mistake mistake,
                             const struct prove_pool *pool, struct prove_result *result);

/*
 * The block's result computed directly, into a map of its own (value is the caller's, to be freed with free). data's
 * shift is chosen first where it is 0: the least that leaves a mean magnitude of the first image's sums below 32, or
 * one bit less, as seed says. ERR_INFEASIBLE: no memory, or more than PROVE_MAX_VALUE.
 */
enum err_code prove_reference(const struct block *block, uint64_t seed, struct prove_data *data,
                              const struct prove_pool *pool, struct prove_map *result);

/* Whether a block reads a second tensor that is no weights, and the shape in which it does (value NULL). */
bool prove_adds(const struct block *block);
struct prove_map prove_added_shape(const struct block *block);

/* Numbers that a map may have. */
#define PROVE_MAX_VALUE (UINT64_C(1) << 30)

/* A map of seeded random numbers: all of -128..127 alike. stream: one for each tensor. ERR_INFEASIBLE: no
 * memory, or more than PROVE_MAX_VALUE. */
enum err_code prove_random(uint64_t seed, uint32_t stream, const struct prove_pool *pool, struct prove_map *map);

/* A design of a network's block on a machine, and what came out. */
struct prove_candidate {
	size_t block; /* index of network->block */
	const struct machine *machine;
	struct layer_design design;
	struct ahead ahead; /* around it, if it fetches ahead */
	struct prove_result result;
};

struct prove_options {
	uint64_t seed;
	const struct prove_pool *pool;
	bool is_mapping; /* one candidate a block at most: what it reads must lie where its producer left it */
	/* Told after each candidate; returns false to stop (ERR_INTERRUPTED). NULL: nobody is. */
	bool (*done)(void *context, size_t n_done, const struct prove_candidate *candidate);
	void *context;
};

/*
 * Prove candidates [n], sorted by block: blocks with candidates and all those before that they need are computed in
 * order, each on the results of those it reads; where a design fails, later blocks read the reference. Views, which no
 * machine computes, are channels one after another where that gives their shape, else their numbers in their order,
 * again from the first where there are too few.
 */
enum err_code prove_network(const struct network *network, struct prove_candidate *candidate, size_t n,
                            const struct prove_options *options, struct err *err);

#endif
