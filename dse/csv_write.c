/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/csv_write.h"
#include "dse/number.h"
#include <assert.h>
#include <string.h>

void csv_put_text(FILE *file, bool first, const char *text)
{
	assert(file && text);
	if (!first)
		(void)fputc(',', file);
	if (!strpbrk(text, ",\"\r\n")) {
		(void)fputs(text, file);
		return;
	}
	(void)fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			(void)fputc('"', file);
		(void)fputc(*text, file);
	}
	(void)fputc('"', file);
}

void csv_put_real(FILE *file, bool first, double value)
{
	char text[NUMBER_SIZE];
	assert(file);
	number_print(value, text);
	if (!first)
		(void)fputc(',', file);
	(void)fputs(text, file);
}

void csv_put_machine(FILE *file, bool first, const struct space *space, const struct machine *machine)
{
	assert(space && machine);
	csv_put_text(file, first, machine->name);
	for (size_t i = 0; i < space->n_axis; i++) {
		char text[64];
		(void)machine_print_param(machine, space->axis[i].param, text, sizeof(text));
		csv_put_text(file, false, text);
	}
}
