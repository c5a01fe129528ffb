/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/split/strategy.h"
#include "sim/systolic/systolic_place.h"
#include "sim/systolic/systolic_model.h"
#include <assert.h>

const struct strategy_info strategy_table[N_STRATEGY] = {
    [STRATEGY_NO_FUSION] = {"no_fusion", "every operation reads from and writes to DRAM (thesis 4.3.1 i)", false, false,
                            true, false, SYSTOLIC_OS},
    [STRATEGY_FUSION] = {"fusion", "ARM operations stay in the PE, no reuse between PEs (thesis 4.3.1 ii)", true, false,
                         true, false, SYSTOLIC_OS},
    [STRATEGY_FUSION_REUSE] = {"fusion_reuse", "fusion, one operand kept and the other passed on; runs every task",
                               true, true, true, false, SYSTOLIC_OS},
    [STRATEGY_THESIS_REUSE] = {"thesis_reuse",
                               "fusion with reuse as the thesis simulator ran it, omissions included (validation only)",
                               true, true, false, false, SYSTOLIC_OS},
    [STRATEGY_OUTPUT_STATIONARY] = {"output_stationary", "systolic array whose PEs keep outputs", true, false, true,
                                    true, SYSTOLIC_OS},
    [STRATEGY_WEIGHT_STATIONARY] = {"weight_stationary", "systolic array whose PEs keep weights", true, false, true,
                                    true, SYSTOLIC_WS},
    [STRATEGY_INPUT_STATIONARY] = {"input_stationary", "systolic array whose PEs keep inputs", true, false, true, true,
                                   SYSTOLIC_IS},
};

bool strategy_serves(enum strategy strategy, const struct machine *machine)
{
	assert(strategy < N_STRATEGY);
	const struct strategy_info *info = &strategy_table[strategy];
	if (machine->target != MACHINE_SYSTOLIC)
		return !info->is_systolic;
	return info->is_systolic && systolic_can(machine, info->dataflow);
}

const char *const reuse_operand_name[N_REUSE_OPERAND] = {"auto", "ifmap", "filter"};
