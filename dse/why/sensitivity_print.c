/* SPDX-License-Identifier: Apache-2.0 */
/* What to change next, as a sentence and a table with bars, as JSON, and as a picture. */
#include "dse/out/json.h"
#include "dse/out/svg.h"
#include "dse/out/svg_axis.h"
#include "dse/out/table.h"
#include "dse/out/words.h"
#include "dse/why/sensitivity.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum {
	WIDTH = 100,    /* where no terminal says how wide it is */
	HALF_BAR = 8,   /* characters on either side of 0 */
	MAX_DRAWN = 24, /* bars of a picture */
	LEFT = 330,
	PICTURE = 900,
	TOP = 84,
	STEP = 30,
	BOTTOM = 60
};

#define CHANGES_SIZE 5e-3 /* less is no whole percent */

static const struct metric_info *info_of(size_t k)
{
	return &metric_table[sensitivity_metric[k]];
}

static void say(FILE *file, const char *text)
{
	words_put(file, text, 0, 2, words_width(file, WIDTH));
}

/* "mla.array 16x4 -> 32x4" */
static void print_change(const struct sensitivity_bar *bar, const char *arrow, char *text, size_t n_byte)
{
	(void)snprintf(text, n_byte, "%s %s %s %s%s%s%s%s", bar->param->key, bar->from, arrow, bar->to,
	               bar->with ? " with " : "", bar->with ? bar->with->key : "", bar->with ? " " : "", bar->with_to);
}

/* " (MAC units +100 %, SRAM +100 %)", what changes of the machine's size, or nothing. */
static void print_sizes(const struct sensitivity_bar *bar, char text[64])
{
	bool has_mac = fabs(bar->mac_frac) > CHANGES_SIZE, has_sram = fabs(bar->sram_frac) > CHANGES_SIZE;
	char mac[24] = "", sram[24] = "";
	if (has_mac)
		(void)snprintf(mac, sizeof(mac), "MAC units %+.0f %%", 100.0 * bar->mac_frac);
	if (has_sram)
		(void)snprintf(sram, sizeof(sram), "SRAM %+.0f %%", 100.0 * bar->sram_frac);
	text[0] = '\0';
	if (has_mac || has_sram)
		(void)snprintf(text, 64, " (%s%s%s)", mac, has_mac && has_sram ? ", " : "", sram);
}

static void say_bar(const struct sensitivity_bar *bar, char *text, size_t n_byte)
{
	const char *others = sensitivity_other_names(bar->param);
	char with[96] = "", same[96] = "", sizes[64];
	if (bar->with)
		(void)snprintf(with, sizeof(with), ", with %s %s", bar->with->key, bar->with_to);
	if (others)
		(void)snprintf(same, sizeof(same), " (or as much by %s)", others);
	print_sizes(bar, sizes);
	(void)snprintf(text, n_byte, "%s %s instead of %s%s%s: least latency %+.2f %%, least energy %+.2f %%%s.",
	               bar->param->key, bar->to, bar->from, with, same, 100.0 * bar->change_frac[0],
	               100.0 * bar->change_frac[1], sizes);
}

/* Of one that nothing was searched for. */
static void say_left(const struct sensitivity_bar *bar, char *text, size_t n_byte)
{
	char with[96] = "";
	if (bar->with)
		(void)snprintf(with, sizeof(with), ", with %s %s", bar->with->key, bar->with_to);
	(void)snprintf(text, n_byte,
	               "%s %s instead of %s%s: with the mappings as they are latency %+.2f %%, energy %+.2f %%; mapped "
	               "anew it may be more ('dse sensitivity').",
	               bar->param->key, bar->to, bar->from, with, 100.0 * bar->change_frac[0],
	               100.0 * bar->change_frac[1]);
}

void sensitivity_sentence(const struct sensitivity *sensitivity, char text[SENSITIVITY_SENTENCE_SIZE])
{
	int n = snprintf(text, SENSITIVITY_SENTENCE_SIZE,
	                 "What to change next on %.60s for %.120s: ", sensitivity->machine, sensitivity->networks);
	size_t n_left = SENSITIVITY_SENTENCE_SIZE - (size_t)n;
	assert(n > 0 && n < SENSITIVITY_SENTENCE_SIZE);
	if (sensitivity->is_unsearched)
		(void)snprintf(text + n, n_left,
		               "left to 'dse sensitivity', whose searches take longer than is worth waiting for here.");
	else if (sensitivity->best_left &&
	         !(sensitivity->n_design > 0 && sensitivity->bar[0].gain > sensitivity->best_left->gain))
		say_left(sensitivity->best_left, text + n, n_left);
	else if (sensitivity->n_design > 0 && sensitivity->bar[0].gain > 1e-7)
		say_bar(&sensitivity->bar[0], text + n, n_left);
	else
		(void)snprintf(text + n, n_left, "no %s lowers latency times energy.",
		               sensitivity->is_partial ? "next value that was searched here"
		                                       : "single parameter at its next value");
}

/* ---- text ---- */

/* "   ###|       " of a change; most: what fills one side. */
static void print_bar(double change, double most, char text[2 * HALF_BAR + 2])
{
	double share = most > 0.0 ? fabs(change) / most : 0.0;
	int n = (int)ceil(share * HALF_BAR - 1e-9);
	memset(text, ' ', 2 * HALF_BAR + 1);
	text[2 * HALF_BAR + 1] = '\0';
	text[HALF_BAR] = '|';
	n = n > HALF_BAR ? HALF_BAR : n;
	memset(text + (change < 0.0 ? HALF_BAR - n : HALF_BAR + 1), '#', (size_t)n);
	text[HALF_BAR + 1 + (change < 0.0 ? 0 : n)] = '\0';
}

/* A side of all bars is the largest fall; what rises by more fills the other. */
static double largest_change(const struct sensitivity *sensitivity)
{
	double most = 0.0;
	for (size_t i = 0; i < sensitivity->n_design; i++)
		for (size_t k = 0; k < SENSITIVITY_N_METRIC; k++)
			most = fmax(most, fabs(sensitivity->bar[i].change_frac[k]));
	return most;
}

static void add_elasticity(struct table *table, double value)
{
	if (isfinite(value))
		table_add(table, "%.3f", fabs(value) < 5e-4 ? 0.0 : value);
	else
		table_add(table, "-");
}

/* What stays as it is has no cell. */
static void add_size(struct table *table, double frac)
{
	table_add(table, fabs(frac) > CHANGES_SIZE ? "%+.0f" : " ", 100.0 * frac);
}

static void print_bars(FILE *file, const struct sensitivity *sensitivity)
{
	struct table table = {0};
	double most = largest_change(sensitivity);
	table_add_columns(&table, "parameter|>now|>next|>latency, %|>energy, %|less latency more|less energy more|"
	                          ">elasticity of latency|>of energy|>MAC units, %|>SRAM, %");
	for (size_t i = 0; i < sensitivity->n_design; i++) {
		const struct sensitivity_bar *bar = &sensitivity->bar[i];
		char drawn[2 * HALF_BAR + 2];
		if (!sensitivity_matters(bar))
			continue;
		table_add(&table, "%s", bar->param->key);
		table_add(&table, "%s", bar->from);
		if (bar->with)
			table_add(&table, "%s (%s %s)", bar->to, bar->with->key, bar->with_to);
		else
			table_add(&table, "%s", bar->to);
		for (size_t k = 0; k < SENSITIVITY_N_METRIC; k++)
			table_add(&table, "%+.2f", 100.0 * bar->change_frac[k]);
		for (size_t k = 0; k < SENSITIVITY_N_METRIC; k++) {
			print_bar(bar->change_frac[k], most, drawn);
			table_add(&table, "%s", drawn);
		}
		for (size_t k = 0; k < SENSITIVITY_N_METRIC; k++)
			add_elasticity(&table, bar->elasticity[k]);
		add_size(&table, bar->mac_frac);
		add_size(&table, bar->sram_frac);
	}
	table_leave_empty(&table);
	(void)fputc('\n', file);
	table_print(&table, file, 0);
	table_free(&table);
}

/* "pe.sram_byte 98304 -> 196608, ..." of those that change nothing. */
static void print_unmoved(FILE *file, const struct sensitivity *sensitivity)
{
	struct words_text text;
	size_t n = 0;
	words_clear(&text);
	words_add(&text, "Changes nothing: ");
	for (size_t i = 0; i < sensitivity->n_design; i++) {
		char one[192];
		if (sensitivity_matters(&sensitivity->bar[i]))
			continue;
		print_change(&sensitivity->bar[i], "to", one, sizeof(one));
		words_add(&text, "%s%s", n++ ? ", " : "", one);
	}
	words_add(&text, ".");
	if (n > 0) {
		(void)fputc('\n', file);
		say(file, text.text);
	}
}

static void print_impossible(FILE *file, const struct sensitivity *sensitivity)
{
	for (size_t i = sensitivity->n_design; i < sensitivity->n_bar; i++) {
		struct words_text text;
		char one[192];
		print_change(&sensitivity->bar[i], "to", one, sizeof(one));
		words_clear(&text);
		words_add(&text, "Not possible: %s: %s", one, sensitivity->bar[i].reason);
		say(file, text.text);
	}
}

/* One line a reason. */
static void print_left(FILE *file, const struct sensitivity *sensitivity)
{
	for (size_t i = 0; i < sensitivity->n_left; i++) {
		const char *reason = sensitivity->left[i].reason;
		struct words_text text;
		bool is_told = false;
		for (size_t k = 0; k < i; k++)
			is_told |= strcmp(sensitivity->left[k].reason, reason) == 0;
		if (is_told)
			continue;
		words_clear(&text);
		words_add(&text, "Left out: ");
		for (size_t k = i, n = 0; k < sensitivity->n_left; k++)
			if (strcmp(sensitivity->left[k].reason, reason) == 0)
				words_add(&text, "%s%s", n++ ? ", " : "", sensitivity->left[k].key);
		words_add(&text, " (%s).", reason);
		say(file, text.text);
	}
}

void sensitivity_print(FILE *file, const struct sensitivity *sensitivity)
{
	char text[SENSITIVITY_SENTENCE_SIZE];
	struct words_text note;
	assert(file && sensitivity);
	sensitivity_sentence(sensitivity, text);
	say(file, text);
	words_clear(&note);
	words_add(&note,
	          "Now: least latency %.6g ms, least energy %.6g mJ, each of its own mapping and operating points, "
	          "without run-time overhead. Fast tier; at each value the best of all mappings is searched anew%s",
	          sensitivity->least[0], sensitivity->least[1],
	          sensitivity->has_limits ? ", within the space's limits" : "");
	if (sensitivity->epsilon > 0.0)
		words_add(&note, ", to within %.2g %%", 100.0 * sensitivity->epsilon);
	words_add(&note, ". First what lowers latency times energy most.");
	say(file, note.text);
	print_bars(file, sensitivity);
	print_unmoved(file, sensitivity);
	print_impossible(file, sensitivity);
	print_left(file, sensitivity);
}

/* ---- JSON ---- */

static void put_bar(struct json *json, const struct sensitivity_bar *bar)
{
	json_begin_object(json, NULL);
	json_put_fields(json, "parameter %s, unit %s, from %s, to %s, in_space %d", bar->param->key, bar->param->unit,
	                bar->from, bar->to, bar->is_declared);
	if (bar->with)
		json_put_fields(json, "with %s, with_to %s", bar->with->key, bar->with_to);
	if (bar->reason) {
		json_put_text(json, "reason", bar->reason);
		json_end(json);
		return;
	}
	json_put_fields(json,
	                "latency_ms %g, energy_mj %g, latency_pct %g, energy_pct %g, latency_elasticity %g, "
	                "energy_elasticity %g, mac_units_pct %g, sram_pct %g, gain_log %g",
	                bar->least[0], bar->least[1], 100.0 * bar->change_frac[0], 100.0 * bar->change_frac[1],
	                bar->elasticity[0], bar->elasticity[1], 100.0 * bar->mac_frac, 100.0 * bar->sram_frac,
	                bar->gain);
	json_end(json);
}

void sensitivity_put(struct json *json, const struct sensitivity *sensitivity)
{
	char text[SENSITIVITY_SENTENCE_SIZE];
	sensitivity_sentence(sensitivity, text);
	json_put_fields(json,
	                "text %s, machine %s, networks %s, latency_ms %g, energy_mj %g, within_limits %d, epsilon %g, "
	                "in_part %d",
	                text, sensitivity->machine, sensitivity->networks, sensitivity->least[0], sensitivity->least[1],
	                sensitivity->has_limits, sensitivity->epsilon,
	                sensitivity->is_unsearched || sensitivity->is_partial);
	json_begin_list(json, "bars");
	for (size_t i = 0; i < sensitivity->n_bar; i++)
		put_bar(json, &sensitivity->bar[i]);
	json_end(json);
	json_begin_list(json, "left_out");
	for (size_t i = 0; i < sensitivity->n_left; i++)
		json_put_object(json, NULL, "parameter %s, reason %s", sensitivity->left[i].key,
		                sensitivity->left[i].reason);
	json_end(json);
}

void sensitivity_put_json(FILE *file, const struct sensitivity *sensitivity)
{
	struct json json;
	assert(file && sensitivity);
	json_start_object(&json, file, 2);
	sensitivity_put(&json, sensitivity);
	json_end(&json);
	json_finish(&json);
}

/* ---- the picture ---- */

void sensitivity_draw(FILE *file, const struct sensitivity *sensitivity)
{
	const struct sensitivity_bar *drawn[MAX_DRAWN];
	struct svg_axis x = {.begin = LEFT, .end = PICTURE - 40};
	double min = 0.0, max = 0.0;
	size_t n = 0;
	char text[256];
	assert(file && sensitivity);
	for (size_t i = 0; i < sensitivity->n_design && n < MAX_DRAWN; i++)
		if (sensitivity_matters(&sensitivity->bar[i]))
			drawn[n++] = &sensitivity->bar[i];
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < SENSITIVITY_N_METRIC; k++) {
			min = fmin(min, 100.0 * drawn[i]->change_frac[k]);
			max = fmax(max, 100.0 * drawn[i]->change_frac[k]);
		}
	double bottom = TOP + STEP * (double)n, height = (STEP - 8) / (double)SENSITIVITY_N_METRIC;
	svg_axis_fit(&x, min, max > min ? max : min + 1.0);
	svg_begin(file, PICTURE, (int)bottom + BOTTOM);
	(void)snprintf(text, sizeof(text), "%.60s, %.120s: one parameter at its next value, mapped anew",
	               sensitivity->machine, sensitivity->networks);
	svg_text(file, 20, 24, "text-anchor=\"start\" font-weight=\"bold\" font-size=\"14\"", text);
	for (size_t k = 0; k < SENSITIVITY_N_METRIC; k++) {
		(void)snprintf(text, sizeof(text), "least %s", info_of(k)->label);
		double at = LEFT + 160.0 * (double)k;
		(void)fprintf(file, "<rect x=\"%.1f\" y=\"46\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", at,
		              svg_colour[k]);
		svg_text(file, at + 18, 56, "text-anchor=\"start\"", text);
	}
	svg_axis_ticks(file, &x,
	               &(struct svg_ticks){.is_x = true,
	                                   .from = TOP - 4,
	                                   .to = bottom,
	                                   .stroke = "stroke=\"#dddddd\"",
	                                   .base = bottom,
	                                   .scale = 1.0});
	svg_text(file, (LEFT + PICTURE - 40) / 2.0, bottom + 44, "text-anchor=\"middle\"",
	         "change / %, less is better");
	double zero = svg_axis_place(&x, 0.0);
	svg_line(file, zero, TOP - 4, zero, bottom, "stroke=\"#444444\"");
	for (size_t i = 0; i < n; i++) {
		double y = TOP + STEP * (double)i;
		print_change(drawn[i], "\xe2\x86\x92", text, sizeof(text));
		svg_text(file, LEFT - 10, y + STEP / 2.0, "text-anchor=\"end\"", text);
		for (size_t k = 0; k < SENSITIVITY_N_METRIC; k++) {
			double at = svg_axis_place(&x, 100.0 * drawn[i]->change_frac[k]);
			(void)fprintf(file,
			              "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
			              fmin(at, zero), y + height * (double)k, fabs(at - zero), height, svg_colour[k]);
		}
	}
	if (n == 0)
		svg_text(file, LEFT, TOP, "text-anchor=\"start\"", "no parameter at its next value changes anything");
	svg_end(file);
}
