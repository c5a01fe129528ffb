/* SPDX-License-Identifier: Apache-2.0 */
/* The study as tables for people. */
#include "dse/arada/arada_report.h"
#include "dse/out/legend.h"
#include "dse/out/table.h"
#include <assert.h>
#include <math.h>

#define PCT 100.0

static void print_options(FILE *file, const struct arada_study *study)
{
	const struct arada_options *options = &study->space->arada;
	(void)fprintf(
	    file,
	    "%s: memory model %s, bandwidth in %s, layers as %s; a switch takes %.6g us; clocks in steps of %.6g MHz, "
	    "%u bandwidths; %zu layers, %zu of them different\n\n",
	    study->space->name, arada_model_name[options->model], arada_bandwidth_name[options->bandwidth],
	    arada_shape_name[options->shape], options->switch_us, options->clk_step_mhz, options->n_bandwidth,
	    study->n_all, study->n_distinct);
	if (study->n_measured > 0)
		(void)fprintf(file, "%zu of them measured, not simulated\n\n", study->n_measured);
}

static void add_pct(struct table *table, double frac)
{
	if (isnan(frac))
		table_add(table, "-");
	else
		table_add(table, "%.1f", PCT * frac);
}

/* What every table has: savings by scheme, equation 6 as printed, bandwidth left over. */
static void add_sum_columns(struct table *table)
{
	table_add_columns(table, ">IDEAL_pct|>VF-OH_pct|>VF-OH-Q_pct|>eq6_pct|>bandwidth_pct|>of_layers_pct");
}

static void add_sums(struct table *table, const struct arada_sum sum[N_ARADA_SCHEME])
{
	for (int scheme = ARADA_IDEAL; scheme < N_ARADA_SCHEME; scheme++)
		add_pct(table, sum[scheme].saving_frac);
	add_pct(table, sum[ARADA_VF_OH_Q].printed_saving_frac);
	add_pct(table, sum[ARADA_VF_OH_Q].bandwidth_frac);
	add_pct(table, sum[ARADA_VF_OH_Q].layer_bandwidth_frac);
}

static void print_means(FILE *file, const struct arada_study *study)
{
	struct table table = {0};
	table_add_columns(&table, "machine|>GB/s|>words/clk");
	add_sum_columns(&table);
	for (size_t i = 0; i < study->n_machine; i++) {
		struct arada_sum mean[N_ARADA_SCHEME];
		for (int scheme = 0; scheme < N_ARADA_SCHEME; scheme++)
			mean[scheme] = arada_study_mean(study, i, (enum arada_scheme)scheme);
		table_add_row(&table, "%s|%g|%g", study->label[i], study->machine[i].systolic.memory_gb_s,
		              study->run[i * study->space->n_network].platform.max_word_per_clk);
		add_sums(&table, mean);
	}
	(void)fputs("dynamic energy saved against race to idle, mean over the networks\n", file);
	table_print(&table, file, 2);
	legend_print(file, 2, &table);
	table_free(&table);
}

static void print_networks(FILE *file, const struct arada_study *study)
{
	struct table table = {0};
	table_add_columns(&table, "machine|network|>layers|>slower|>narrower|>time_ms");
	add_sum_columns(&table);
	for (size_t i = 0; i < study->n_run; i++) {
		const struct arada_run *of = &study->run[i];
		table_add_row(&table, "%s|%s|%zu|%zu|%zu|%g", study->label[of->machine],
		              study->space->network[of->network].network.name, of->n_layer,
		              of->sum[ARADA_VF_OH_Q].n_slower, of->sum[ARADA_VF_OH_Q].n_narrower, of->time_us / 1000);
		add_sums(&table, of->sum);
	}
	(void)fputs("\nby network\n", file);
	table_finish(&table, file, 2);
}

static void print_published(FILE *file, const struct arada_report *report)
{
	struct table table = {0};
	table_add_columns(&table, "machine|>published_pct|>VF-OH-Q_pct|>GB/s|>matching_GB/s|>there_pct");
	for (size_t i = 0; i < report->n_match; i++) {
		const struct arada_match *match = &report->match[i];
		table_add(&table, "%s", report->study->label[match->machine]);
		add_pct(&table, match->published_frac);
		add_pct(&table, match->own_frac);
		table_add_row(&table, "%g|%g", report->study->machine[match->machine].systolic.memory_gb_s,
		              match->gb_s);
		add_pct(&table, match->reached_frac);
	}
	(void)fputs("\nmean savings beside published ones, and the least bandwidth at which ours is no more\n", file);
	table_finish(&table, file, 2);
}

void arada_print(FILE *file, const struct arada_report *report, bool brief)
{
	assert(report->study->n_run > 0);
	print_options(file, report->study);
	print_means(file, report->study);
	if (report->n_match > 0)
		print_published(file, report);
	if (!brief)
		print_networks(file, report->study);
	(void)fputc('\n', file);
	arada_exact_print(file, report->exact, brief);
}
