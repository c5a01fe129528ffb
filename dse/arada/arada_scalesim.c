/* SPDX-License-Identifier: Apache-2.0 */
/* Two replays of SCALE-Sim's rules: clocks and stalls with the layer's bandwidth, words without a limit. */
#include "dse/arada/arada_scalesim.h"
#include "sim/systolic/scalesim.h"
#include <assert.h>

enum err_code arada_scalesim(const struct systolic_array *array, const struct systolic_layer *layer,
                             struct arada_layer *cost, struct err *err)
{
	struct systolic_result user = {0}, calc = {0};
	struct systolic_array estimated = *array;
	assert(array->bandwidth_word > 0);
	estimated.bandwidth_word = 0;
	enum err_code code = scalesim_run(array, layer, NULL, &user, err);
	if (code == ERR_OK)
		code = scalesim_run(&estimated, layer, NULL, &calc, err);
	if (code != ERR_OK)
		return code;
	*cost = (struct arada_layer){
	    .total_clk = user.total_clk,
	    .stall_clk = user.stall_clk,
	    .n_word = calc.dram_ifmap_read_word + calc.dram_filter_read_word + calc.dram_ofmap_write_word,
	};
	return ERR_OK;
}
