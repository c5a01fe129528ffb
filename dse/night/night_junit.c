/* SPDX-License-Identifier: Apache-2.0 */
/* A night in lines: junit.xml for CI, and one a space for people. */
#include "dse/base/memory.h"
#include "dse/night/night.h"
#include "dse/out/colour.h"
#include "dse/out/xml.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_points(FILE *file, const char *word, const struct night_space *space, const struct night_point *point,
                         size_t n)
{
	for (size_t i = 0; i < n && i < NIGHT_MAX_NAMED; i++) {
		(void)fprintf(file, "%s: point %" PRIu64 " of run %" PRIu64 " (%s)", word, point[i].id, point[i].run,
		              point[i].machine);
		for (size_t k = 0; k < space->row->n_objective; k++)
			(void)fprintf(file, ", %s %.6g", space->row->objective[k], point[i].objective[k]);
		if (isfinite(point[i].short_pct))
			(void)fprintf(file, "; the nearest is %.3g %% worse\n", point[i].short_pct);
		else
			(void)fputs("; there is no other\n", file);
	}
	if (n > NIGHT_MAX_NAMED)
		(void)fprintf(file, "and %zu more\n", n - NIGHT_MAX_NAMED);
}

static void print_details(FILE *file, const struct night_space *space)
{
	(void)fputs(space->log, file);
	for (size_t i = 0; i < space->n_cause && i < NIGHT_MAX_NAMED; i++) {
		const struct night_cause *cause = &space->cause[i];
		(void)fprintf(file, "changed: %s%s%s: %s -> %s%s%s\n", cause->file, cause->key[0] ? ": " : "",
		              cause->key, cause->before, cause->now, cause->effect[0] ? "; " : "", cause->effect);
	}
	print_points(file, "lost", space, space->lost, space->n_lost);
	print_points(file, "gained", space, space->gained, space->n_gained);
}

static void put_case(FILE *file, const struct night_space *space)
{
	enum night_verdict verdict = night_verdict_of(space);
	double seconds = 0.0;
	char *details = NULL;
	size_t n_byte;
	FILE *text = memory_must(open_memstream(&details, &n_byte));
	for (size_t i = 0; space->row && i < space->row->n_run; i++)
		seconds += space->row->run[i].seconds;
	print_details(text, space);
	memory_check(fclose(text) == 0);
	(void)fputs("  <testcase classname=\"dse.nightly\" name=\"", file);
	xml_put_text(file, space->row ? space->row->space : space->file);
	(void)fprintf(file, "\" time=\"%.3f\">\n", seconds);
	if (!night_verdict_table[verdict].passes) {
		const char *element = verdict == NIGHT_STOPPED ? "skipped" : "failure";
		(void)fprintf(file, "    <%s", element);
		if (verdict != NIGHT_STOPPED)
			(void)fprintf(file, " type=\"%s\"", night_verdict_table[verdict].name);
		(void)fputs(" message=\"", file);
		xml_put_text(file, space->code != ERR_OK ? "no result" : space->why);
		(void)fputs("\">", file);
		xml_put_text(file, details);
		(void)fprintf(file, "</%s>\n", element);
	} else {
		(void)fputs("    <system-out>", file);
		xml_put_text(file, space->why);
		(void)fputs("</system-out>\n", file);
	}
	(void)fputs("  </testcase>\n", file);
	free(details);
}

void night_write_junit(FILE *file, const struct night *night)
{
	size_t n_failure = 0, n_skipped = 0;
	for (size_t i = 0; i < night->n_space; i++) {
		enum night_verdict verdict = night_verdict_of(&night->space[i]);
		n_skipped += verdict == NIGHT_STOPPED;
		n_failure += verdict != NIGHT_STOPPED && !night_verdict_table[verdict].passes;
	}
	(void)fprintf(file,
	              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	              "<testsuite name=\"dse nightly\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" "
	              "timestamp=\"%.19s\">\n",
	              night->n_space, n_failure, n_skipped, night->made);
	for (size_t i = 0; i < night->n_space; i++)
		put_case(file, &night->space[i]);
	(void)fputs("</testsuite>\n", file);
}

void night_print_line(FILE *file, const struct night_space *space)
{
	enum night_verdict verdict = night_verdict_of(space);
	const char *name = space->row ? space->row->space : space->file;
	enum colour colour = night_verdict_table[verdict].passes ? COLOUR_BEST : COLOUR_BAD;
	(void)fprintf(file, "%-16s ", name);
	colour_print(file, verdict == NIGHT_STOPPED ? COLOUR_WARNING : colour, "%-8s ",
	             night_verdict_table[verdict].name);
	if (space->code != ERR_OK)
		(void)fprintf(file, "%.*s", (int)strcspn(space->log, "\n"), space->log);
	else
		(void)fputs(space->why, file);
	for (size_t i = 0; i < space->n_cause && i < 3; i++)
		(void)fprintf(file, "%s %s%s%s: %s -> %s", i == 0 ? "; changed:" : ",", space->cause[i].file,
		              space->cause[i].key[0] ? " " : "", space->cause[i].key, space->cause[i].before,
		              space->cause[i].now);
	for (size_t i = 0; i < space->n_lost && i < 3; i++)
		(void)fprintf(file, "%s %" PRIu64, i == 0 ? "; points lost:" : ",", space->lost[i].id);
	(void)fprintf(file, "%s\n", space->n_lost > 3 ? ", ..." : "");
}
