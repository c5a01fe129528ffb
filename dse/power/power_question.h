/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_POWER_QUESTION_H
#define DSE_POWER_QUESTION_H
/*
 * Power management: what an architect asks about operating points (--analyse).
 *
 *   pairs        which two of the machine's levels serve the scenario best
 *   clock        the clock of least energy at each level's voltage, leakage counted
 *   switch       how long a change of level may take until it does not pay
 *   sensitivity  how the saving depends on each energy coefficient
 *   domains      the DVFS paper's scenarios with one level at a time of the chip, of a QPE, of a PE
 */
#include "dse/power/power_analysis.h"
#include "dse/power/power_designs.h"
#include "dse/power/power_report.h"

/* All that an answer needs: whose work, how it was built, what was asked and found. */
struct power_case {
	const struct power_designs *designs;
	const struct power_work_options *options;
	const struct power_run *run;
};

/* Answer one question; analysis lives in the arena. Errors as power_work_build and power_solve. */
enum err_code power_question_answer(enum power_question question, const struct power_case *of, struct arena *arena,
                                    struct power_analysis *analysis, struct err *err);

/* Inside: each question's own file. */
enum err_code power_question_clock(const struct power_case *of, struct arena *arena, struct power_analysis *analysis,
                                   struct err *err);
/* What power_question_clock found as a picture: operations a second and watt over the clock, a curve a voltage. */
void power_draw_efficiency(FILE *file, const struct power_analysis *analysis);

enum err_code power_question_sensitivity(const struct power_case *of, struct arena *arena,
                                         struct power_analysis *analysis, struct err *err);

enum err_code power_question_domains(const struct power_case *of, struct arena *arena, struct power_analysis *analysis,
                                     struct err *err);

/* The case's work on another machine with the same levels and timing tables: only coefficients and clocks differ. */
enum err_code power_question_rebuild(const struct power_case *of, const struct machine *machine,
                                     const struct power_work_options *options, struct arena *arena,
                                     struct power_work *work, struct err *err);

#endif
