/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_VALIDATE_PRINT_H
#define DSE_VALIDATE_PRINT_H
/* What came of a reference table, for people and as JSON: every value, then the errors of each column and of all. */
#include "dse/out/json.h"
#include "dse/validate/validate.h"
#include <stdio.h>

#define VALIDATE_SUBJECT_SIZE 240 /* of the key cells of a row, joined */

/* What a value is about: the key cells that name its row, its machine parameters and its column, blanks between. */
void validate_print_subject(const struct validation *validation, const struct validate_value *value,
                            char text[VALIDATE_SUBJECT_SIZE]);

/* The line of the file that a value stands in. */
unsigned validate_value_line(const struct validation *validation, const struct validate_value *value);

/* One table predicted in n tiers, one validation each (n is 1 or 2): the same rows in each. */
void validate_print_table(FILE *file, const struct validation *validation, size_t n);

/* The same as an object of the list that is open. */
void validate_put_json(struct json *json, const struct validation *validation, size_t n);

#endif
