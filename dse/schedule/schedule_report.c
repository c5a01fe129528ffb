/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/schedule/schedule_report.h"
#include "dse/design/story.h"
#include "dse/space/space.h"
#include "dse/layer/design_text.h"
#include "dse/out/json.h"
#include "dse/out/renamed.h"
#include "dse/out/legend.h"
#include "dse/out/table.h"
#include "dse/out/words.h"
#include "sim/machine/machine_param.h"
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

const char *const octopus_goal_name[N_OCTOPUS_GOAL] = {
    [OCTOPUS_FASTEST] = "latency", [OCTOPUS_LEAST_ENERGY] = "energy"};

/* Workers of the paper's rule; 0: it says nothing of such a layer. */
static uint32_t paper_workers(const struct schedule_report *report, uint32_t l)
{
	struct octopus_layer layer = report->graph->layer[l];
	return octopus_paper_cut(&layer, &report->graph->network->block[layer.block], 0) ? layer.n_worker : 0;
}

/* ---- text --------------------------------------------------------------------------------------------------- */

/* The operation's word as networks and other tables have it, of "FC_3" "fc": OctopuScheduler's type of it is "linear".
 */
static const char *kind_word(const struct octopus_layer *layer, char word[BLOCK_NAME_SIZE])
{
	size_t n = 0;
	for (; layer->name[n] && layer->name[n] != '_'; n++)
		word[n] = (char)tolower((unsigned char)layer->name[n]);
	word[n] = '\0';
	return word;
}

static const struct block *block_of(const struct schedule_report *report, const struct octopus_layer *layer)
{
	return &report->graph->network->block[layer->block];
}

static void print_layers(const struct schedule_report *report, FILE *file)
{
	struct table table = {0};
	bool has_nodes = network_has_nodes(report->graph->network);
	table_add_columns(&table, has_nodes ? "layer|node" : "layer");
	table_add_columns(&table, "kind|>workers|>paper|>tiles|>tile|>sram_byte");
	for (int p = 0; p < N_OCTOPUS_PART; p++)
		table_add_column(&table, octopus_part_name[p], true);
	table_add_columns(&table, ">total_us|>hidden_us");
	for (uint32_t l = 0; l < report->graph->n_layer; l++) {
		const struct octopus_layer *layer = &report->graph->layer[l];
		const struct octopus_layer_cost *cost = &report->schedule->layer[l];
		uint32_t n_paper = paper_workers(report, l);
		char word[BLOCK_NAME_SIZE];
		table_add(&table, "%s", layer->name);
		if (has_nodes)
			design_add_node(&table, block_of(report, layer));
		table_add_row(&table, "%s|%" PRIu32, kind_word(layer, word), layer->n_worker);
		table_add(&table, n_paper > 0 ? "%" PRIu32 : " ", n_paper);
		table_add_row(&table, "%" PRIu32 "|%" PRIu32 "x%" PRIu32 "x%" PRIu32 "/%" PRIu32 "|%" PRIu64,
		              layer->n_tile, layer->split.w.size_a, layer->split.h.size_a, layer->split.c.size_a,
		              layer->split.d.size_a, cost->sram_byte);
		for (int p = 0; p < N_OCTOPUS_PART; p++)
			table_add(&table, "%.1f", cost->time.part_us[p]);
		table_add(&table, "%.1f", cost->time.total_us);
		table_add(&table, cost->hidden_us > 0 ? "%.1f" : " ", cost->hidden_us);
	}
	table_leave_empty(&table);
	table_print(&table, file, 2);
	legend_print(file, 2, &table);
	table_free(&table);
}

static void print_chips(const struct schedule_report *report, FILE *file)
{
	const struct octopus_schedule *schedule = report->schedule;
	for (uint32_t c = 0; c < schedule->n_chip; c++) {
		const struct octopus_chip_cost *chip = &schedule->chip[c];
		fprintf(file, "chip %" PRIu32 ": %s", c + 1, report->graph->layer[chip->first].name);
		if (chip->n_layer > 1)
			fprintf(file, " to %s", report->graph->layer[chip->first + chip->n_layer - 1].name);
		fprintf(file, ", %" PRIu32 " workers enabled: setup %.1f us, layers %.1f us, cleanup %.1f us",
		        chip->n_worker, chip->setup_us, chip->layers_us, chip->cleanup_us);
		if (c > 0)
			fprintf(file, ", link before %.1f us", chip->link_us);
		if (chip->sram_byte > 0)
			fprintf(file, ", fullest PE %" PRIu64 " bytes", chip->sram_byte);
		fputc('\n', file);
	}
}

/* Parts of the total: links between chips are in neither. */
struct split_total {
	double network_us, layers_us, work_us; /* setup and cleanup; scheduling and configuration; the rest of layers */
};

static struct split_total split_total(const struct schedule_report *report)
{
	struct split_total total = {0};
	for (uint32_t c = 0; c < report->schedule->n_chip; c++)
		total.network_us += report->schedule->chip[c].setup_us + report->schedule->chip[c].cleanup_us;
	for (uint32_t l = 0; l < report->graph->n_layer; l++) {
		const double *part_us = report->schedule->layer[l].time.part_us;
		for (int p = 0; p < N_OCTOPUS_PART; p++)
			*(p <= OCTOPUS_CONFIGURATION ? &total.layers_us : &total.work_us) += part_us[p];
	}
	return total;
}

static struct story story_of(const struct schedule_report *report, char mapping[128])
{
	(void)snprintf(mapping, 128, "%s (tiles and workers, strategy %s)",
	               report->options->as_paper ? "by the paper's rule" : "searched",
	               octopus_strategy_table[report->options->strategy].name);
	return (struct story){.machine = report->machine,
	                      .detail = DETAIL_FAST,
	                      .levels = UINT32_C(1) << report->options->level,
	                      .mapping = mapping,
	                      .has_overhead = true};
}

/* What the total is of, and how it compares with what other commands say of the network. */
static void print_story(const struct schedule_report *report, FILE *file)
{
	const struct split_total total = split_total(report);
	char mapping[128];
	const struct story story = story_of(report, mapping);
	struct words_fold fold;
	story_print(file, 0, &story);
	FILE *prose = words_fold_begin(&fold, file);
	fprintf(prose,
	        "run time = work %.1f us + setup and cleanup %.1f us + scheduling and configuration of %" PRIu32
	        " layers %.1f us\n",
	        total.work_us, total.network_us, report->graph->n_layer, total.layers_us);
	fprintf(prose,
	        "dse simulate and dse map time another way of working: there transfers overlap, all of the DRAM's "
	        "bandwidth serves a layer, and results may stay in PEs; dse map --runtime adds the same overhead\n");
	words_fold_end(&fold);
}

void schedule_print(const struct schedule_report *report, FILE *file)
{
	const struct octopus_schedule *schedule = report->schedule;
	const struct operating_point *level = &report->machine->level[report->options->level];
	struct words_fold fold;
	FILE *out = file, *prose = words_fold_begin(&fold, file);
	fprintf(prose, "%s on %s (%s, %g MHz), strategy %s, least %s; us by part\n\n", report->graph->network->name,
	        report->machine->name, level->name, level->clk_mhz,
	        octopus_strategy_table[report->options->strategy].name, octopus_goal_name[report->options->goal]);
	words_fold_end(&fold);
	print_layers(report, file);
	fputc('\n', file);
	file = words_fold_begin(&fold, file);
	print_chips(report, file);
	fprintf(file, "total %.1f us from setup to cleanup, %.4g mJ", schedule->total_us, schedule->energy_pj * 1e-9);
	if (schedule->n_chip > 1)
		fprintf(file, "; an input every %.1f us", schedule->interval_us);
	fputc('\n', file);
	words_fold_end(&fold);
	print_story(report, out);
}

/* ---- JSON --------------------------------------------------------------------------------------------------- */

static void put_split(struct json *json, const struct split *split)
{
	const struct dim_split *const dim[] = {&split->w, &split->h, &split->c, &split->d};
	json_begin_object(json, "split");
	for (size_t i = 0; i < sizeof(dim) / sizeof(dim[0]); i++) {
		char text[64];
		(void)dim_print(dim[i], text, sizeof(text));
		json_put_text(json, split_dim_name[i], text);
	}
	json_end(json);
}

static void put_time(struct json *json, const struct octopus_time *time)
{
	json_begin_object(json, "us");
	for (int p = 0; p < N_OCTOPUS_PART; p++)
		json_put_real(json, octopus_part_name[p], time->part_us[p]);
	json_end(json);
	json_put_real(json, "total_us", time->total_us);
}

static void put_layer(struct json *json, const struct schedule_report *report, uint32_t l)
{
	const struct octopus_layer *layer = &report->graph->layer[l];
	const struct octopus_layer_cost *cost = &report->schedule->layer[l];
	uint32_t n_paper = paper_workers(report, l);
	char word[BLOCK_NAME_SIZE];
	json_begin_object(json, NULL);
	json_put_fields(json, "layer %s, kind %s, chip %u, workers %u", layer->name, kind_word(layer, word), cost->chip,
	                layer->n_worker);
	const char *name = renamed_before(RENAMED_KEY, "layer"), *type = renamed_before(RENAMED_KEY, "kind");
	if (name && type)
		json_put_fields(json, "name %s, type %s", layer->name, octopus_type_name[layer->type]);
	design_put_origin(json, block_of(report, layer));
	if (n_paper > 0)
		json_put_u64(json, "paper_workers", n_paper);
	json_put_fields(json, "tiles %u, tiles_per_worker %u", layer->n_tile, layer->tiles_per_worker);
	put_split(json, &layer->split);
	json_put_fields(json, "ifmap_first %d, sram_byte %" PRIu64 ", weight_byte %" PRIu64 ", bias_byte %" PRIu64,
	                layer->ifmap_first, cost->sram_byte, layer->weight_byte, layer->bias_byte);
	json_begin_list(json, "inputs");
	for (uint32_t i = 0; i < layer->n_input; i++)
		json_put_text(json, NULL, report->graph->tensor[layer->input[i].tensor].name);
	json_end(json);
	json_put_text(json, "output", report->graph->tensor[layer->output].name);
	put_time(json, &cost->time);
	json_put_fields(json, "hidden_us %g, energy_pj %g", cost->hidden_us, cost->energy_pj);
	json_end(json);
}

static void put_chip(struct json *json, const struct octopus_chip_cost *chip)
{
	json_begin_object(json, NULL);
	json_put_fields(json,
	                "first_layer %u, layers %u, workers %u, link_us %g, setup_us %g, layers_us %g, cleanup_us %g",
	                chip->first, chip->n_layer, chip->n_worker, chip->link_us, chip->setup_us, chip->layers_us,
	                chip->cleanup_us);
	if (chip->sram_byte > 0)
		json_put_u64(json, "fullest_pe_byte", chip->sram_byte);
	json_end(json);
}

/* The constants that the times are made of, with where they are from. */
static void put_constants(struct json *json, const struct machine *machine)
{
	static const char group[] = "octopus.";
	json_begin_list(json, "constants");
	for (size_t i = 0; i < machine_n_param; i++) {
		if (strncmp(machine_param[i].key, group, sizeof(group) - 1) != 0)
			continue;
		json_put_object(json, NULL, "key %s, value %g, unit %s, default_from %s", machine_param[i].key,
		                machine_get_param(machine, &machine_param[i]), machine_param[i].unit,
		                machine_param[i].source);
	}
	json_end(json);
}

void schedule_put_json(const struct schedule_report *report, FILE *file)
{
	const struct octopus_schedule *schedule = report->schedule;
	struct json json;
	json_start_object(&json, file, 2);
	json_put_fields(
	    &json, "network %s, machine %s, level %s, strategy %s, goal %s, setup_us %g, cleanup_us %g",
	    report->graph->network->name, report->machine->name, report->machine->level[report->options->level].name,
	    octopus_strategy_table[report->options->strategy].name, octopus_goal_name[report->options->goal],
	    schedule->chip[0].setup_us, schedule->chip[0].cleanup_us);
	json_put_fields(&json, "total_us %g, interval_us %g, energy_pj %g", schedule->total_us, schedule->interval_us,
	                schedule->energy_pj);
	const struct split_total total = split_total(report);
	char mapping[128];
	const struct story story = story_of(report, mapping);
	story_put_json(&json, &story);
	json_put_fields(&json, "work_us %g, network_overhead_us %g, layers_overhead_us %g", total.work_us,
	                total.network_us, total.layers_us);
	json_begin_list(&json, "chips");
	for (uint32_t c = 0; c < schedule->n_chip; c++)
		put_chip(&json, &schedule->chip[c]);
	json_end(&json);
	json_begin_list(&json, "layers");
	for (uint32_t l = 0; l < report->graph->n_layer; l++)
		put_layer(&json, report, l);
	json_end(&json);
	put_constants(&json, report->machine);
	json_finish(&json);
}
