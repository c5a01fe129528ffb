/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of MobileNet as table 1 of the paper lists them, and one set of assumptions applied to them. */
#include "dse/arada/arada_table1.h"
#include "dse/arada/arada_cost.h"
#include <assert.h>

#define BUFFER_BYTE (UINT64_C(4) << 20)
#define ARRAY 64
#define MAX_CLK_MHZ 500
#define CLK_STEP_MHZ 50
#define BANDWIDTH_GB_S 20
#define N_BANDWIDTH 10
#define SWITCH_US 10
/* The paper gives voltages as shares of the largest. */
#define MAX_VDD_V 1
/* Rows from 0. */
#define FIRST_EXCHANGED 13
#define END_EXCHANGED 23

/* Pairs of a depthwise and a pointwise layer (MobileNet's publication, table 1; so is the stride of the last one). */
static const struct {
	uint32_t ifmap, in_c, out_c, stride, ofmap;
} pair_table[] = {
    {112, 32, 64, 1, 112}, {112, 64, 128, 2, 56}, {56, 128, 128, 1, 56}, {56, 128, 256, 2, 28}, {28, 256, 256, 1, 28},
    {28, 256, 512, 2, 14}, {14, 512, 512, 1, 14}, {14, 512, 512, 1, 14}, {14, 512, 512, 1, 14}, {14, 512, 512, 1, 14},
    {14, 512, 512, 1, 14}, {14, 512, 1024, 2, 7}, {7, 1024, 1024, 2, 7},
};

struct arada_table1 arada_table1_found(void)
{
	return (struct arada_table1){BANDWIDTH_GB_S, 1, 2, 1, SWITCH_US, true};
}

struct systolic_layer arada_table1_layer(const struct arada_table1 *set, size_t row)
{
	assert(row < ARADA_TABLE1_N_ROW);
	if (row == 0)
		return (struct systolic_layer){224, 224, 3, 3, 3, 32, 2};
	/* Row 13 is the pointwise layer of its pair in the file's order. */
	if (set->is_exchanged && row >= FIRST_EXCHANGED && row < END_EXCHANGED)
		row = row % 2 == 1 ? row + 1 : row - 1;
	size_t pair = (row - 1) / 2;
	assert(pair < sizeof(pair_table) / sizeof(pair_table[0]));
	if (row % 2 == 1)
		return (struct systolic_layer){
		    pair_table[pair].ifmap, pair_table[pair].ifmap, 3, 3, pair_table[pair].in_c, 1,
		    pair_table[pair].stride};
	return (struct systolic_layer){pair_table[pair].ofmap, pair_table[pair].ofmap, 1, 1,
	                               pair_table[pair].in_c,  pair_table[pair].out_c, 1};
}

enum err_code arada_table1_run(const struct arada_table1 *set, size_t row, struct arada_mode *mode, struct err *err)
{
	uint64_t parts = (uint64_t)set->ifmap_part + set->filter_part + set->ofmap_part;
	const struct systolic_array array = {
	    .rows = ARRAY,
	    .cols = ARRAY,
	    .ifmap_byte = BUFFER_BYTE * set->ifmap_part / parts,
	    .filter_byte = BUFFER_BYTE * set->filter_part / parts,
	    .ofmap_byte = BUFFER_BYTE * set->ofmap_part / parts,
	    .bandwidth_word = set->word_per_clk,
	};
	const struct arada_platform platform = {
	    .max_clk_mhz = MAX_CLK_MHZ,
	    .max_vdd_v = MAX_VDD_V,
	    .max_bandwidth_gb_s = BANDWIDTH_GB_S,
	    .max_word_per_clk = set->word_per_clk,
	    .switch_us = set->switch_us,
	    .clk_step_mhz = CLK_STEP_MHZ,
	    .n_bandwidth = N_BANDWIDTH,
	};
	struct systolic_layer layer = arada_table1_layer(set, row);
	struct arada_layer cost;
	enum err_code code = arada_scalesim(&array, &layer, &cost, err);
	if (code == ERR_OK)
		*mode = arada_allocate(ARADA_VF_OH_Q, &platform, &cost);
	return code;
}
