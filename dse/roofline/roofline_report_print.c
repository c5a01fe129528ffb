/* SPDX-License-Identifier: Apache-2.0 */
/* Rooflines as tables, CSV and JSON. */
#include "dse/out/csv_write.h"
#include "dse/design/story.h"
#include "dse/layer/design_text.h"
#include "dse/out/json.h"
#include "dse/out/legend.h"
#include "dse/roofline/roofline_report.h"
#include "dse/out/table.h"
#include "dse/out/words.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>

static const char *bound_of(const struct roofline_layer *layer)
{
	return layer->is_memory_bound ? "memory" : "compute";
}

/* "fastest", or the name of the one. */
static const char *strategy_of(const struct roofline *roofline)
{
	return roofline->strategy == N_STRATEGY ? "fastest" : strategy_table[roofline->strategy].name;
}

static const char *array_of(const struct roofline *roofline, char text[32])
{
	const struct machine *machine = &roofline->machine;
	bool is_systolic = machine->target == MACHINE_SYSTOLIC;
	(void)snprintf(text, 32, "%" PRIu32 "x%" PRIu32, is_systolic ? machine->systolic.rows : machine->mla_cols,
	               is_systolic ? machine->systolic.cols : machine->mla_rows);
	return text;
}

/* What the points are of: not the figures of a mapping that was searched. */
static void print_story(FILE *file, const struct roofline *roofline)
{
	char mapping[128];
	(void)snprintf(mapping, sizeof(mapping), "by rules (the splitter's splits, each layer alone; strategy %s)",
	               strategy_of(roofline));
	const struct story story = {.machine = &roofline->machine,
	                            .detail = DETAIL_FAST,
	                            .levels = UINT32_C(1) << roofline->level,
	                            .mapping = mapping};
	story_print(file, 2, &story);
	(void)fprintf(file, "  bytes of an operation: %s\n",
	              roofline->intensity == ROOFLINE_THESIS
	                  ? "padded ifmap, weights, ofmap before pooling (--intensity thesis)"
	                  : "what windows read of the ifmap, weights, ofmap as written (--intensity traffic)");
}

/* NAN where the simulator does not run the layer. */
static double reached_of(const struct roofline_layer *layer)
{
	return layer->is_reached ? layer->reached_gops : NAN;
}

struct roofline_sum roofline_sum(const struct roofline *roofline)
{
	struct roofline_sum sum = {0};
	double ns = 0;
	assert(roofline);
	for (size_t i = 0; i < roofline->n; i++) {
		const struct roofline_layer *layer = &roofline->layer[i];
		sum.n_op += layer->n_op;
		sum.byte += layer->ifmap_byte + layer->weight_byte + layer->ofmap_byte;
		sum.n_memory_bound += layer->is_memory_bound;
		sum.n_reached += layer->is_reached;
		ns += layer->is_reached ? layer->n_op / layer->reached_gops : NAN;
	}
	sum.intensity = sum.byte > 0 ? sum.n_op / sum.byte : NAN;
	sum.reached_gops = ns > 0 ? sum.n_op / ns : NAN;
	return sum;
}

static void print_layers(FILE *file, const struct roofline *roofline)
{
	struct table table = {0};
	bool has_nodes = network_has_nodes(roofline->network);
	table_add_columns(&table, has_nodes ? "layer|node" : "layer");
	table_add_columns(&table, "kind|>mac|>ifmap_byte|>weight_byte|>ofmap_byte|>op_per_byte|>attainable_gops"
	                          "|>reached_gops|>reached_pct|lower_roof");
	for (size_t i = 0; i < roofline->n; i++) {
		const struct roofline_layer *layer = &roofline->layer[i];
		table_add(&table, "%s", layer->block->name);
		if (has_nodes)
			design_add_node(&table, layer->block);
		table_add_row(&table, "%s|%.0f|%.0f|%.0f|%.0f|%g|%g|%g", roofline_kind_name[layer->kind],
		              layer->n_op / 2, layer->ifmap_byte, layer->weight_byte, layer->ofmap_byte,
		              layer->intensity, layer->attainable_gops, reached_of(layer));
		if (layer->is_reached)
			table_add(&table, "%.1f", 100 * layer->reached_gops / layer->attainable_gops);
		else
			table_add(&table, "-");
		table_add(&table, "%s", bound_of(layer));
	}
	table_print(&table, file, 0);
	legend_print(file, 0, &table);
	table_free(&table);
}

/* Why layers are not reached, each reason once. */
static void print_verdicts(FILE *file, const struct roofline *roofline)
{
	size_t n[N_VERDICT] = {0};
	for (size_t i = 0; i < roofline->n; i++)
		if (!roofline->layer[i].is_reached)
			n[roofline->layer[i].verdict.reason]++;
	for (int i = 0; i < N_VERDICT; i++)
		if (n[i] > 0)
			(void)fprintf(file, "  %zu layers do not run: %s\n", n[i], verdict_table[i].help);
}

void roofline_print(FILE *file, const struct roofline *roofline, size_t n, bool brief)
{
	assert(file && roofline);
	for (size_t i = 0; i < n; i++) {
		const struct roofline *one = &roofline[i];
		const struct operating_point *level = &one->machine.level[one->level];
		const struct roofline_sum sum = roofline_sum(one);
		char array[32];
		struct words_fold fold;
		FILE *prose = words_fold_begin(&fold, file);
		(void)fprintf(prose, "%s%s on %s at %s (%.6g MHz), array %s: roofs %.6g GOPS and %.6g GB/s",
		              i > 0 && !brief ? "\n" : "", one->network->name, one->machine.name, level->name,
		              level->clk_mhz, array_of(one, array), one->compute_gops, one->memory_gb_s);
		if (one->noc_gb_s > 0)
			(void)fprintf(prose, ", NoC %.6g GB/s", one->noc_gb_s);
		(void)fprintf(prose, ", ridge at %.4g op/byte\n", one->compute_gops / one->memory_gb_s);
		(void)fprintf(prose, "  %zu layers, %zu of them under the memory's roof; %.4g op/byte in all", one->n,
		              sum.n_memory_bound, sum.intensity);
		if (isfinite(sum.reached_gops))
			(void)fprintf(prose, ", %.6g GOPS reached", sum.reached_gops);
		(void)fputc('\n', prose);
		print_verdicts(prose, one);
		words_fold_end(&fold);
		print_story(file, one);
		if (!brief) {
			(void)fputc('\n', file);
			print_layers(file, one);
		}
	}
}

void roofline_write_csv(FILE *file, const struct roofline *roofline, size_t n)
{
	(void)fputs(
	    "network,machine,level,clk_mhz,compute_gops,memory_gb_s,layer,kind,mac,ifmap_byte,weight_byte,"
	    "ofmap_byte,op_per_byte,attainable_gops,reached_gops,bound,verdict,array,strategy,intensity,noc_gb_s,"
	    "node,operator\n",
	    file);
	for (size_t i = 0; i < n; i++) {
		const struct roofline *one = &roofline[i];
		const struct operating_point *level = &one->machine.level[one->level];
		char array[32];
		for (size_t k = 0; k < one->n; k++) {
			const struct roofline_layer *layer = &one->layer[k];
			csv_put_row(file, "%s,%s,%s,%g,%g,%g,%s,%s,%g,%g,%g,%g,%g,%g", one->network->name,
			            one->machine.name, level->name, level->clk_mhz, one->compute_gops, one->memory_gb_s,
			            layer->block->name, roofline_kind_name[layer->kind], layer->n_op / 2,
			            layer->ifmap_byte, layer->weight_byte, layer->ofmap_byte, layer->intensity,
			            layer->attainable_gops);
			if (layer->is_reached)
				csv_put_real(file, false, layer->reached_gops);
			else
				csv_put_text(file, false, "");
			const struct layer_origin *origin = &layer->block->origin;
			csv_put_row(file, ",%s,%s,%s,%s,%s,%g,%s,%s\n", bound_of(layer),
			            verdict_table[layer->is_reached ? VERDICT_OK : layer->verdict.reason].name,
			            array_of(one, array), strategy_of(one), roofline_intensity_name[one->intensity],
			            one->noc_gb_s, origin->node ? origin->node : "", origin->op ? origin->op : "");
		}
	}
}

static void put_layer(struct json *json, const struct roofline_layer *layer)
{
	json_begin_object(json, NULL);
	json_put_fields(json, "layer %s, kind %s, mac %g, ifmap_byte %g, weight_byte %g, ofmap_byte %g, op_per_byte %g",
	                layer->block->name, roofline_kind_name[layer->kind], layer->n_op / 2, layer->ifmap_byte,
	                layer->weight_byte, layer->ofmap_byte, layer->intensity);
	design_put_origin(json, layer->block);
	json_put_fields(json, "attainable_gops %g, reached_gops %g, bound %s, verdict %s", layer->attainable_gops,
	                reached_of(layer), bound_of(layer),
	                verdict_table[layer->is_reached ? VERDICT_OK : layer->verdict.reason].name);
	json_end(json);
}

void roofline_write_json(FILE *file, const struct roofline *roofline, size_t n)
{
	struct json json;
	json_start_object(&json, file, 4);
	json_begin_list(&json, "rooflines");
	for (size_t i = 0; i < n; i++) {
		const struct roofline *one = &roofline[i];
		const struct roofline_sum sum = roofline_sum(one);
		json_begin_object(&json, NULL);
		json_put_fields(&json,
		                "network %s, machine %s, level %s, clk_mhz %g, compute_gops %g, memory_gb_s %g, "
		                "ridge_op_per_byte %g",
		                one->network->name, one->machine.name, one->machine.level[one->level].name,
		                one->machine.level[one->level].clk_mhz, one->compute_gops, one->memory_gb_s,
		                one->compute_gops / one->memory_gb_s);
		char array[32];
		json_put_fields(&json, "array %s, strategy %s, intensity %s, noc_gb_s %g", array_of(one, array),
		                strategy_of(one), roofline_intensity_name[one->intensity], one->noc_gb_s);
		json_put_fields(&json, "op_per_byte %g, reached_gops %g, memory_bound_layers %zu", sum.intensity,
		                sum.reached_gops, sum.n_memory_bound);
		json_begin_list(&json, "layers");
		for (size_t k = 0; k < one->n; k++)
			put_layer(&json, &one->layer[k]);
		json_end(&json);
		json_end(&json);
	}
	json_finish(&json);
}
