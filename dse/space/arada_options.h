/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ARADA_OPTIONS_H
#define DSE_ARADA_OPTIONS_H
/* What a space says under `arada:`: memories, how layers are simulated, what a scheme may choose from. */
#include "sim/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARADA_MAX_SETTING 64 /* settings of a domain at most: the array's clocks, the memory's bandwidths */

/* How much a bandwidth in GB/s is in words a clock. */
enum arada_bandwidth {
	ARADA_WORD_PER_CLK, /* as many words a clock, whatever the clock: the paper's reading, see
	                       dse/arada/arada_table1.h */
	ARADA_GB_S,         /* what they are at the array's fastest clock */
	N_ARADA_BANDWIDTH
};
extern const char *const arada_bandwidth_name[N_ARADA_BANDWIDTH];

/* What prices a layer. */
enum arada_model {
	ARADA_SCALESIM, /* SCALE-Sim's rules */
	ARADA_PHYSICAL, /* tiles, double buffers, one shared interface */
	N_ARADA_MODEL
};
extern const char *const arada_model_name[N_ARADA_MODEL];

/* What a layer of a network is to SCALE-Sim. */
enum arada_shape {
	ARADA_TOOL,    /* as its own files have it: no padding, a grouped convolution is one over all channels */
	ARADA_NETWORK, /* padded; a group is a group */
	N_ARADA_SHAPE
};
extern const char *const arada_shape_name[N_ARADA_SHAPE];

/* A memory to couple a machine with. */
struct arada_memory {
	size_t machine; /* of the space */
	const char *name;
	double gb_s;
};

/* Buffers that a machine gets. */
struct arada_buffers {
	size_t machine;                            /* of the space */
	uint32_t ifmap_kib, filter_kib, ofmap_kib; /* both halves */
};

/* A machine of the space with one of its memories. */
struct arada_coupled {
	size_t machine, memory; /* memory: of the options; SIZE_MAX: the machine's own */
	double saving_pct;      /* of published ones */
};

struct arada_options {
	bool is_given;
	enum arada_model model;
	enum arada_bandwidth bandwidth;
	double bandwidth_word_byte; /* of ARADA_GB_S: bytes of a word that is moved; 0: the machine's */
	enum arada_shape shape;
	double switch_us, clk_step_mhz;
	uint32_t n_bandwidth;
	size_t n_buffers;
	struct arada_buffers *buffers; /* [n_buffers]; machines without them have their own */
	size_t n_memory;
	struct arada_memory *memory; /* [n_memory]; machines without one have their own */
	size_t n_published;
	struct arada_coupled *published; /* [n_published] savings to stand beside ours */
	size_t n_detail;
	struct arada_coupled *detail; /* [n_detail] whose layers are drawn one by one ... */
	size_t detail_network;        /* ... of this network of the space */
	/* Values of keys; file NULL: it is not there. The last three stand outside of `arada:`, and are refused. */
	struct err_place clk_step_at, level_changes_at, level_shares_at, deadline_at;
};

#endif
