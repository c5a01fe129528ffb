/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_POWER_ANALYSIS_H
#define DSE_POWER_ANALYSIS_H
/*
 * Power management: the answer to one question of --analyse (dse/power/power_question.h) as a table of numbers, and
 * that table as text, CSV and JSON, so that all three say the same.
 */
#include "dse/out/json.h"
#include "sim/base/arena.h"
#include <stddef.h>
#include <stdio.h>

#define POWER_MAX_COLUMN 12
#define POWER_MAX_NOTE 4

enum power_question { POWER_PAIRS, POWER_CLOCK, POWER_SWITCH, POWER_SENSITIVITY, POWER_DOMAINS, N_POWER_QUESTION };
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

/* What the rows' texts are called, and the columns; name[n] must outlive the table. */
void power_analysis_set_columns(struct power_analysis *analysis, const char *label, const char *const *name, size_t n);

/* Add a row of NaN; its memory is the arena's. */
struct power_finding *power_analysis_add(struct power_analysis *analysis, struct arena *arena);

/* Add a sentence below the table. */
void power_analysis_note(struct power_analysis *analysis, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void power_analysis_print(FILE *file, const struct power_analysis *analysis);
void power_analysis_write_csv(FILE *file, const struct power_analysis *analysis);
void power_analysis_put_json(struct json *json, const struct power_analysis *analysis);

#endif
