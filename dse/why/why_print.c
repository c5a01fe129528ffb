/* SPDX-License-Identifier: Apache-2.0 */
/* An answer's facts as sentences and tables, and as JSON. */
#include "dse/out/table.h"
#include "dse/out/words.h"
#include "dse/space/metric.h"
#include "dse/why/why.h"
#include <assert.h>
#include <math.h>

#define WIDTH 100 /* where no terminal says how wide it is */

static void say(FILE *file, const struct words_text *text)
{
	words_put(file, text->text, 0, 2, words_width(file, WIDTH));
}

static double pct(double frac)
{
	/* rounded down: what is said to be at least so much is */
	double value = 100.0 * frac;
	return value > 1e-9 ? value * (1.0 - 1e-12) : 0.0;
}

static void print_answer(FILE *file, const struct why *why)
{
	struct words_text text;
	words_clear(&text);
	if (why->n_own == 0)
		words_add(&text, "%s: no design runs and keeps the limits%s%s.", why->choice->text,
		          why->reason[0] ? "; " : "", why->reason);
	else if (why->is_on_front) {
		words_add(&text, "%s: on the front: ", why->choice->text);
		if (why->n_on_front == why->n_own)
			words_add(&text, "the space's front beats none of its %zu Pareto-optimal design%s", why->n_own,
			          why->n_own == 1 ? "" : "s");
		else
			words_add(&text, "the space's front does not beat %zu of its %zu Pareto-optimal designs",
			          why->n_on_front, why->n_own);
		if (why->n_front_beaten > 0)
			words_add(&text, "; they beat %zu of that front's %zu, as the space does not offer the choice",
			          why->n_front_beaten, why->n_front);
		words_add(&text, ".");
	} else if (why->margin >= 1.001e-4) /* what is printed is not 0 */
		words_add(
		    &text,
		    "%s: beaten. For each of its designs there is one on the front that is better by %.2f %% or more "
		    "in all objectives at once that are not the machine's size.",
		    why->choice->text, floor(100.0 * pct(why->margin)) / 100.0);
	else
		words_add(
		    &text,
		    "%s: beaten. For each of its designs there is one on the front that is no worse in any objective.",
		    why->choice->text);
	say(file, &text);
	words_clear(&text);
	if (why->choice->mapping)
		words_add(&text,
		          "Fast tier, an exact search: %zu designs on the space's front; the mapping is Pareto-optimal "
		          "on %zu of the space's machines",
		          why->n_front, why->n_own);
	else
		words_add(&text, "Fast tier, exact searches: %zu designs on the space's front, %zu on the choice's own",
		          why->n_front, why->n_own);
	if (why->epsilon > 0.0)
		words_add(&text, ", thinned: all of this within %.2g %%", 100.0 * why->epsilon);
	words_add(&text, "; mapping and operating points are each design's own, latencies without run-time overhead.");
	say(file, &text);
}

static void print_objectives(FILE *file, const struct why *why)
{
	struct table table = {0};
	table_add_columns(&table, "objective|>its least|>the front's least|>more by, %|>beaten by at least, %");
	for (size_t k = 0; k < why->space->n_objective; k++) {
		table_add(&table, "%s", metric_table[why->space->objective[k]].name);
		table_add_real(&table, why->least[k]);
		table_add_real(&table, why->front_least[k]);
		table_add(&table, "%.2f", 100.0 * (why->least[k] / why->front_least[k] - 1.0));
		if (why->is_on_front)
			table_add(&table, "-");
		else
			table_add(&table, "%.2f", floor(100.0 * pct(why->own_margin[k])) / 100.0);
	}
	(void)fputc('\n', file);
	table_print(&table, file, 0);
	table_free(&table);
}

static void print_losses(FILE *file, const struct why *why)
{
	struct table table = {0};
	if (why->n_loss == 0)
		return;
	(void)fprintf(file,
	              "\nLayers that lose most, fastest design beside the front's fastest (%+.4g ms in all layers)\n",
	              why->lost_ms);
	table_add_columns(&table, "layer|network|>own_ms|>front_ms|>more_ms|bound by");
	for (size_t i = 0; i < why->n_loss; i++) {
		const struct why_loss *loss = &why->loss[i];
		table_add(&table, "%s", loss->layer);
		table_add(&table, "%s", loss->network);
		table_add_real(&table, loss->own_ms);
		table_add_real(&table, loss->front_ms);
		table_add_real(&table, loss->own_ms - loss->front_ms);
		table_add(&table, "%s", bound_name[loss->bound]);
	}
	table_print(&table, file, 0);
	table_free(&table);
}

static void print_steps(FILE *file, const struct why *why)
{
	struct table table = {0};
	struct words_text text;
	if (why->is_on_front)
		return;
	words_clear(&text);
	if (why->n_step == 0)
		words_add(&text, "No axis of the space has a further value to try.");
	else if (why->best == why->n_step)
		words_add(&text, "No single step of an axis puts it on the front.");
	else
		words_add(&text, "The smallest step of an axis that puts it on the front: %s %s instead of %s%s.",
		          why->step[why->best].param->key, why->step[why->best].to, why->step[why->best].from,
		          why->step[why->best].is_declared ? "" : ", which the space does not offer");
	(void)fputc('\n', file);
	say(file, &text);
	if (why->n_step == 0)
		return;
	table_add_columns(&table, "axis|from|to|in the space|then");
	for (size_t i = 0; i < why->n_step; i++) {
		const struct why_step *step = &why->step[i];
		table_add(&table, "%s", step->param->key);
		table_add(&table, "%s", step->from);
		table_add(&table, "%s", step->to);
		table_add(&table, "%s", step->is_declared ? "yes" : "no");
		if (!step->has_design)
			table_add(&table, "no design");
		else if (step->is_on_front)
			table_add(&table, "on the front");
		else
			table_add(&table, "beaten by %.2f %%", floor(100.0 * pct(step->margin)) / 100.0);
	}
	table_print(&table, file, 0);
	table_free(&table);
}

void why_print(FILE *file, const struct why *why)
{
	assert(file && why);
	print_answer(file, why);
	if (why->n_own > 0) {
		print_objectives(file, why);
		print_losses(file, why);
	}
	print_steps(file, why);
}

static void put_steps(struct json *json, const struct why *why)
{
	json_begin_list(json, "steps");
	for (size_t i = 0; i < why->n_step; i++) {
		const struct why_step *step = &why->step[i];
		json_put_object(json, NULL,
		                "axis %s, from %s, to %s, in_space %d, has_design %d, on_front %d, margin_pct %g",
		                step->param->key, step->from, step->to, step->is_declared, step->has_design,
		                step->is_on_front, step->has_design ? 100.0 * step->margin : (double)NAN);
	}
	json_end(json);
	if (!why->is_on_front && why->best < why->n_step)
		json_put_u64(json, "smallest_step", why->best);
}

void why_put_json(FILE *file, const struct why *why)
{
	struct json json;
	bool is_beaten = why->n_own > 0 && !why->is_on_front;
	json_start_object(&json, file, 3);
	json_put_fields(&json,
	                "choice %s, space %s, has_design %d, on_front %d, n_on_front %zu, n_front_beaten %zu, n_own "
	                "%zu, n_front %zu",
	                why->choice->text, why->space->name, why->n_own > 0, why->is_on_front, why->n_on_front,
	                why->n_front_beaten, why->n_own, why->n_front);
	if (why->choice->mapping)
		json_put_fields(&json, "mapping %s, reason %s", why->choice->mapping,
		                why->reason[0] && why->n_own == 0 ? why->reason : NULL);
	json_put_fields(&json, "epsilon %g, margin_pct %g", why->epsilon,
	                is_beaten ? 100.0 * why->margin : (double)NAN);
	json_begin_list(&json, "objectives");
	for (size_t k = 0; k < why->space->n_objective; k++)
		json_put_object(&json, NULL, "objective %s, least %g, front_least %g, margin_pct %g",
		                metric_table[why->space->objective[k]].name, why->least[k], why->front_least[k],
		                is_beaten ? 100.0 * why->own_margin[k] : (double)NAN);
	json_end(&json);
	json_begin_list(&json, "layers");
	for (size_t i = 0; i < why->n_loss; i++)
		json_put_object(&json, NULL, "network %s, layer %s, own_ms %g, front_ms %g, bound %s",
		                why->loss[i].network, why->loss[i].layer, why->loss[i].own_ms, why->loss[i].front_ms,
		                bound_name[why->loss[i].bound]);
	json_end(&json);
	put_steps(&json, why);
	json_end(&json);
	json_finish(&json);
}
