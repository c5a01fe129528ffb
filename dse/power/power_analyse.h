/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_POWER_ANALYSE_H
#define DSE_POWER_ANALYSE_H
/*
 * Power management: what an architect asks about operating points (--analyse).
 *
 *   pairs        which two of the machine's levels serve the scenario best
 *   clock        the clock of least energy at each level's voltage, leakage counted
 *   switch       how long a change of level may take until it does not pay
 *   sensitivity  how the saving depends on each energy coefficient
 */
#include "dse/power/power_designs.h"
#include "dse/power/power_report.h"

#define POWER_MAX_COLUMN 12
#define POWER_MAX_NOTE 4

enum power_question { POWER_PAIRS, POWER_CLOCK, POWER_SWITCH, POWER_SENSITIVITY, N_POWER_QUESTION };
extern const char *const power_question_name[N_POWER_QUESTION];

/* A table of numbers with a text before each row; NaN: there is none. */
struct power_analysis {
	enum power_question question;
	size_t n_column;
	const char *label; /* of the rows' texts */
	const char *column[POWER_MAX_COLUMN];
	size_t n_row, n_alloc;
	struct power_finding {
		char label[64];
		double value[POWER_MAX_COLUMN];
	} * row; /* the arena's */
	size_t n_note;
	char note[POWER_MAX_NOTE][320];
};

/* All that an answer needs: whose work, how it was built, what was asked and found. */
struct power_case {
	const struct power_designs *designs;
	const struct power_work_options *options;
	const struct power_run *run;
};

/* Answer one question; analysis lives in the arena. Errors as power_work_build and power_solve. */
enum err_code power_analyse(enum power_question question, const struct power_case *of, struct arena *arena,
                            struct power_analysis *analysis, struct err *err);

void power_analysis_print(FILE *file, const struct power_analysis *analysis);
void power_analysis_write_csv(FILE *file, const struct power_analysis *analysis);
void power_analysis_put_json(struct json *json, const struct power_analysis *analysis);

/* Inside: each question's own file. */
enum err_code power_analyse_clock(const struct power_case *of, struct arena *arena, struct power_analysis *analysis,
                                  struct err *err);
enum err_code power_analyse_sensitivity(const struct power_case *of, struct arena *arena,
                                        struct power_analysis *analysis, struct err *err);

/* Add a row of NaN; NULL: no memory (a message is added). */
struct power_finding *power_analysis_add(struct power_analysis *analysis, struct arena *arena, struct err *err);

/* The case's work on another machine with the same levels and timing tables: only coefficients and clocks differ. */
enum err_code power_rebuild(const struct power_case *of, const struct machine *machine,
                            const struct power_work_options *options, struct arena *arena, struct power_work *work,
                            struct err *err);

#endif
