/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SAMPLE_SYSTOLIC_H
#define TESTS_SAMPLE_SYSTOLIC_H
/* A layer for systolic arrays that fills more than half of each default buffer's halves. */
#include "tests/support/unit_test.h"
#include "sim/machine/machine_check.h"
#include "sim/machine/machine_param.h"
#include "sim/systolic/systolic_place.h"
#include "sim/systolic/systolic_model.h"
#include "sim/systolic/systolic_scalesim.h"
#include "sim/fast/fast.h"
#include <stdio.h>
#include <string.h>

/* 56 x 112 pixels, 444 filters, 400 input channels, 3 x 3: eight tiles. */
static inline struct systolic_work sample_systolic_work(void)
{
	return (struct systolic_work){
	    .dataflow = SYSTOLIC_OS,
	    .n_group = 1,
	    .in_w = 58,
	    .in_h = 114,
	    .kernel_w = 3,
	    .kernel_h = 3,
	    .stride = 1,
	    .w = {56, 1, 0, 0},
	    .h = {56, 2, 0, 0},
	    .c = {222, 2, 0, 0},
	    .d = {200, 2, 0, 0},
	};
}

/* Its program: false where the machine cannot run it. */
static inline bool sample_systolic_program(const struct machine *machine, const struct systolic_work *work,
                                           struct program *program)
{
	struct systolic_misfit misfit;
	struct step *step = &program->step[0];
	*program = (struct program){.n_step = 1};
	step->kind = STEP_SYSTOLIC;
	step->phase = PHASE_COMPUTATION;
	step->u.systolic = *work;
	if (!systolic_can(machine, work->dataflow) || !systolic_is_valid(machine, work))
		return false;
	if (machine->systolic.memory != SYSTOLIC_PHYSICAL ? !systolic_scalesim_serves(machine, work)
	                                                  : !systolic_place(machine, &step->u.systolic, &misfit))
		return false;
	program->sram_byte = systolic_sram_byte(machine, &step->u.systolic);
	systolic_counts(machine, &step->u.systolic, &step->counts);
	return true;
}

/* The place-th name of a PARAM_ENUM; false: it has none. */
static inline bool sample_name(const struct machine_param *param, unsigned place, char *text, size_t n_byte)
{
	const char *name = param->unit;
	for (; place > 0; place--) {
		name = strchr(name, '/');
		if (!name)
			return false;
		name++;
	}
	snprintf(text, n_byte, "%.*s", (int)strcspn(name, "/"), name);
	return true;
}

#endif
