/* SPDX-License-Identifier: Apache-2.0 */
/* What misfit_find found, for people and for programs. */
#include "dse/check/misfit.h"
#include "dse/base/number.h"
#include "dse/out/table.h"
#include "dse/out/words.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define NUMBER_TEXT_SIZE 40

/* By enum misfit_kind: its name, and which machines are counted. */
static const char *const kind_name[] = {"limit", "constraint", "sram"};
static const char *const machines_word[] = {"fit without it", "break it", "then fit"};
static const char *const machines_key[] = {"machines_with_design_without_it", "machines_that_break_it",
                                           "machines_then_with_design"};

/* "would have to be at least 23.4" */
static void print_change(const struct misfit_change *change, char *text, size_t n_byte)
{
	char needed[NUMBER_SIZE];
	if (!change->helps) {
		(void)snprintf(text, n_byte,
		               change->proven ? "nothing fits, whatever it is" : "nothing was found, whatever it is");
		return;
	}
	if (isnan(change->needed)) {
		(void)snprintf(text, n_byte, "would have to go");
		return;
	}
	number_print_up(change->needed, 6, needed);
	switch (change->kind) {
	case MISFIT_LIMIT:
		(void)snprintf(text, n_byte, "would have to be at least %s", needed);
		return;
	case MISFIT_CONSTRAINT:
		(void)snprintf(text, n_byte, "would have to let %.10g through against %.10g", change->needed,
		               change->now);
		return;
	case MISFIT_SRAM:
		(void)snprintf(text, n_byte, "%.0f -> %s", change->now, needed);
		return;
	}
	assert(false);
}

static void print_percent(const struct misfit_change *change, char text[NUMBER_TEXT_SIZE])
{
	char number[NUMBER_SIZE];
	number_print_plain(100.0 * change->frac, 3, number);
	if (change->helps && isfinite(change->frac))
		(void)snprintf(text, NUMBER_TEXT_SIZE, "%s %%", number);
	else
		(void)strcpy(text, "-");
}

void misfit_say_best(const struct misfit *misfit, struct words_text *text)
{
	char what[256], percent[NUMBER_TEXT_SIZE];
	assert(misfit && text && misfit->n > 0);
	words_clear(text);
	if (misfit->best == misfit->n) {
		words_add(text, "No change of one limit alone lets anything through.");
		return;
	}
	const struct misfit_change *change = &misfit->change[misfit->best];
	print_change(change, what, sizeof(what));
	print_percent(change, percent);
	words_add(text, "Smallest change of one limit that lets something through%s: %s %s (by %s), on %s; set in %s.",
	          change->proven ? "" : " (that was found)", change->what, what, percent, change->machine,
	          change->where);
}

void misfit_print(FILE *file, const struct misfit *misfit)
{
	struct table table = {0};
	char text[256];
	assert(file && misfit);
	if (misfit->found && misfit->exists)
		(void)fprintf(
		    file, "\nA design that keeps all limits does exist; this search has not come to it. Take --engine "
			  "exact, without --flat, --max-evaluations and --max-seconds.\n");
	if (!misfit->found || misfit->exists || misfit->n == 0)
		return;
	table_add_columns(&table, "limit|lets something through|>change|>machines|how sure");
	for (size_t i = 0; i < misfit->n; i++) {
		const struct misfit_change *change = &misfit->change[i];
		table_add(&table, "%s", change->what);
		print_change(change, text, sizeof(text));
		table_add(&table, "%s", text);
		print_percent(change, text);
		table_add_row(&table, "%s|%" PRIu64 " %s|%s", text, change->n_machine, machines_word[change->kind],
		              change->proven ? "proven" : "not proven");
	}
	(void)fputs("\nOne limit changed, all others as they are:\n", file);
	table_finish(&table, file, 2);
}

void misfit_put_json(struct json *json, const struct misfit *misfit)
{
	assert(json && misfit);
	if (!misfit->found)
		return;
	json_put_bool(json, "a_design_exists", misfit->exists);
	json_begin_list(json, "changes_of_one_limit");
	for (size_t i = 0; i < misfit->n; i++) {
		const struct misfit_change *change = &misfit->change[i];
		json_begin_object(json, NULL);
		json_put_fields(json, "limit %s, kind %s, set_in %s, lets_through %d, proven %d, smallest %d, now %g",
		                change->what, kind_name[change->kind], change->where, change->helps, change->proven,
		                i == misfit->best, change->now);
		json_put_fields(json, "needed %g, change_frac %g", change->needed, change->frac);
		json_put_u64(json, machines_key[change->kind], change->n_machine);
		json_put_text(json, "machine", change->machine);
		json_end(json);
	}
	json_end(json);
}
