/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of coefficients for people and as JSON. */
#include "dse/base/memory.h"
#include "dse/out/table.h"
#include "dse/out/words.h"
#include "dse/pareto/shortlist.h"
#include "dse/price/sample.h"
#include "dse/space/space_machine.h"
#include <assert.h>
#include <stdlib.h>

/* Machines that a terminal shows, those on the front most often first. */
#define MOST_SHOWN 20

static void machine_text(const struct explore *explore, uint32_t index, char text[EXPLORE_TEXT_SIZE])
{
	struct machine machine;
	char why[EXPLORE_TEXT_SIZE];
	if (space_machine(explore->space, index, &machine, why, sizeof(why)))
		explore_machine_text(explore->space, index, &machine, text, EXPLORE_TEXT_SIZE);
	else
		(void)snprintf(text, EXPLORE_TEXT_SIZE, "%s", why);
}

/* What was priced, and so of what the shares are. */
static void set_text(const struct sampled *sampled, char text[512])
{
	int n = snprintf(text, 512, "%s, %zu designs of layers in the fast tier",
	                 sampled->has_all_layers ? "every design of every layer"
	                                         : "designs on the layers' fronts at the files' coefficients",
	                 sampled->n_layer_design);
	if (sampled->is_all_composed)
		(void)snprintf(text + n, 512 - (size_t)n, ", composed anew in every sample%s",
		               sampled->has_all_layers ? ": exact" : "");
	else
		(void)snprintf(text + n, 512 - (size_t)n,
		               ", composed at the files' coefficients and in %u samples (to within %.2g %%); the %zu "
		               "designs found so are priced in every sample",
		               (unsigned)sampled->n_composed, 100 * sampled->epsilon, sampled->n_whole);
}

struct shown {
	double share;
	size_t i;
};

static int compare_shown(const void *left, const void *right)
{
	const struct shown *a = left, *b = right;
	if (a->share < b->share || a->share > b->share)
		return a->share > b->share ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

static void print_machines(FILE *file, const struct explore *explore, const struct sampled *sampled)
{
	struct table table = {0};
	size_t n = sampled->n_machine, n_shown = 0, n_less;
	struct shown *shown = memory_array(n + 1, sizeof(*shown));
	for (size_t i = 0; i < n; i++)
		shown[i] = (struct shown){sample_machine_share(sampled, i), i};
	qsort(shown, n, sizeof(*shown), compare_shown);
	table_add_columns(&table, "machine|>on_front_pct");
	while (n_shown < n && n_shown < MOST_SHOWN && (n_shown == 0 || shown[n_shown].share > 0)) {
		char text[EXPLORE_TEXT_SIZE];
		machine_text(explore, sampled->machine_index[shown[n_shown].i], text);
		table_add(&table, "%s", text);
		table_add(&table, "%.1f", 100 * shown[n_shown++].share);
	}
	n_less = n - n_shown;
	free(shown);
	table_print(&table, file, 2);
	table_free(&table);
	if (n_less > 0)
		(void)fprintf(file, "  and %zu less often, or never (run.json)\n", n_less);
}

/* What of a machine does not follow from coefficients is the same in all samples. */
static bool is_sampled(enum metric metric)
{
	return metric_table[metric].scope != METRIC_OF_MACHINE || metric == METRIC_AREA || metric == METRIC_LEAKAGE;
}

static void print_points(FILE *file, const struct explore *explore, const struct sampled *sampled)
{
	const struct space *space = explore->space;
	size_t chosen[SHORTLIST_MAX], knee, n_always = 0;
	struct table table = {0};
	size_t n = shortlist_choose(&explore->front, SHORTLIST_MAX, chosen, &knee);
	table_add_columns(&table, ">id|>stays_pct");
	for (size_t k = 0; k < space->n_objective; k++)
		if (is_sampled(space->objective[k]))
			table_add_column(&table, metric_table[space->objective[k]].name, true);
	for (size_t i = 0; i < sampled->n_point; i++)
		n_always += !(sampled->point[i].share < 1);
	for (size_t i = 0; i < n; i++) {
		const struct sample_point *point = &sampled->point[chosen[i]];
		table_add(&table, "%zu", chosen[i]);
		table_add(&table, "%.1f", 100 * point->share);
		for (size_t k = 0; k < space->n_objective; k++) {
			if (!is_sampled(space->objective[k]))
				continue;
			if (point->high[k] > point->low[k])
				table_add(&table, "%.5g..%.5g", point->low[k], point->high[k]);
			else
				table_add(&table, "%.5g", point->low[k]);
		}
	}
	(void)fprintf(
	    file, "  of %zu points %zu stay in every sample, against each other; 90 %% of the samples are within:\n",
	    sampled->n_point, n_always);
	table_print(&table, file, 2);
	table_free(&table);
}

void sample_print(FILE *file, const struct explore *explore, const struct sampled *sampled)
{
	char text[512];
	struct words_fold fold;
	assert(file && explore && sampled);
	FILE *to = words_fold_begin(&fold, file);
	set_text(sampled, text);
	(void)fprintf(to,
	              "Coefficients of energy: %u samples, each uniform in its interval, seed %llu, %.1f s; priced are "
	              "%s\n",
	              (unsigned)sampled->options.n_sample, (unsigned long long)sampled->options.seed, sampled->seconds,
	              text);
	words_fold_end(&fold);
	print_machines(file, explore, sampled);
	if (sampled->point)
		print_points(file, explore, sampled);
}

void sample_put_json(struct json *json, const struct explore *explore, const struct sampled *sampled)
{
	const struct space *space = explore->space;
	char text[512];
	set_text(sampled, text);
	json_begin_object(json, "coefficient_samples");
	json_put_u64(json, "samples", sampled->options.n_sample);
	json_put_u64(json, "seed", sampled->options.seed);
	json_put_text(json, "priced", text);
	json_put_bool(json, "exact", sampled->has_all_layers && sampled->is_all_composed);
	json_put_real(json, "epsilon", sampled->epsilon);
	json_begin_list(json, "machines");
	for (size_t i = 0; i < sampled->n_machine; i++) {
		char machine[EXPLORE_TEXT_SIZE];
		machine_text(explore, sampled->machine_index[i], machine);
		json_put_object(json, NULL, "machine %s, on_front_frac %g", machine, sample_machine_share(sampled, i));
	}
	json_end(json);
	json_begin_list(json, "points");
	for (size_t i = 0; i < sampled->n_point; i++) {
		json_begin_object(json, NULL);
		json_put_u64(json, "id", i);
		json_put_real(json, "stays_frac", sampled->point[i].share);
		for (size_t k = 0; k < space->n_objective; k++) {
			json_begin_list(json, metric_table[space->objective[k]].name);
			json_put_real(json, NULL, sampled->point[i].low[k]);
			json_put_real(json, NULL, sampled->point[i].high[k]);
			json_end(json);
		}
		json_end(json);
	}
	json_end(json);
	json_end(json);
}
