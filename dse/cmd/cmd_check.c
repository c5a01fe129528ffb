/* SPDX-License-Identifier: Apache-2.0 */
/* dse check: validate the YAML files we read; say how large a space is before anybody starts to search it. */
#include "dse/out/renamed.h"
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/space/machine_read.h"
#include "dse/search/candidate.h"
#include "dse/options/cli.h"
#include "dse/layer/design_text.h"
#include "dse/search/estimate.h"
#include "dse/out/json.h"
#include "dse/space/left_out.h"
#include "dse/base/parallel.h"
#include "dse/out/paths.h"
#include "dse/keep/output_file.h"
#include "dse/out/table.h"
#include "dse/out/words.h"
#include "mapper/network/file_kind.h"
#include "sim/base/doc.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* Where the results go: one of the two. */
struct output {
	FILE *file;
	struct json *json; /* NULL: text */
	const struct cli_options *cli;
	enum detail detail; /* the tier whose search is estimated */
	struct machine_set set;
};

/* How long designs are timed in the event tier; one may take longer than that. */
#define EVENT_MEASURE_S 2.0

/* By the file's ending, or by the keys that only this kind has. */
static enum err_code detect_kind(const char *path, enum file_kind *kind, struct err *err)
{
	struct arena arena = {0};
	struct doc_node *root = NULL;
	struct err found = {0};
	*kind = file_kind_of_path(path);
	if (*kind != N_FILE_KIND)
		return ERR_OK;
	enum err_code code = doc_read_file(path, &arena, &root, &found);
	*kind = file_kind_of_keys(root);
	/* Of a kind that is known, the reader repeats the mistakes of the document together with all others. */
	if (*kind != N_FILE_KIND)
		code = ERR_OK;
	else if (code != ERR_OK)
		code = err_add_all(err, (struct err_place){0}, &found);
	else
		code = err_add_at(
		    err, ERR_INPUT, doc_place(root),
		    "neither a space (objectives, machines, networks), nor a machine (target, levels), nor a "
		    "network (input, layers)");
	err_clear(&found);
	arena_free(&arena);
	return code;
}

/* What a machine amounts to, derived from its parameters: a first check by eye. */
static enum err_code check_machine(const struct output *output, const char *path, struct err *err)
{
	struct machine machine;
	assert(output->file && path);
	enum err_code code = machine_read(path, &machine, err);
	if (code == ERR_OK)
		code = machine_set_apply("dse check: --set", &output->set, &machine, NULL, err);
	if (code != ERR_OK)
		return code;
	if (output->json) {
		json_put_fields(output->json,
		                "name %s, pes %u, mac_units %" PRIu64 ", sram_byte %" PRIu64 ", levels %u",
		                machine.name, machine_n_pe(&machine), machine_n_mac(&machine),
		                machine_sram_byte(&machine), machine.n_level);
	} else if (machine.target == MACHINE_SYSTOLIC) {
		(void)fprintf(output->file,
		              "%s: machine %s: ok; systolic array of %" PRIu32 "x%" PRIu32 " (rows x columns), %" PRIu64
		              " byte buffers, %.6g GB/s, %" PRIu32 " operating points\n",
		              path, machine.name, machine.systolic.rows, machine.systolic.cols,
		              machine_sram_byte(&machine), machine.systolic.memory_gb_s, machine.n_level);
	} else {
		char array[DESIGN_ARRAY_SIZE];
		design_print_array(&machine, array);
		(void)fprintf(output->file,
		              "%s: machine %s: ok; %" PRIu32 " PEs, %s, %" PRIu64 " MAC units, %" PRIu64
		              " byte SRAM, %" PRIu32 " DRAM interfaces, %" PRIu32 " operating points\n",
		              path, machine.name, machine_n_pe(&machine), array, machine_n_mac(&machine),
		              machine_sram_byte(&machine), machine.dram_n, machine.n_level);
	}
	return ERR_OK;
}

/* Multiply-accumulates are what networks are compared by, and a mistake in a shape shows there first. */
static enum err_code check_network(const struct output *output, const char *path, struct err *err)
{
	struct network network;
	enum err_code code = network_read(path, &network, err);
	if (code != ERR_OK)
		return code;
	uint64_t n_mac = 0, n_weight = 0;
	size_t n_distinct = 0;
	for (size_t i = 0; i < network.n_block; i++) {
		n_mac += block_n_mac(&network.block[i]);
		/* what is multiplied with another result is no weight of the network */
		n_weight += network.block[i].filters.n > 0 ? 0 : block_n_weight(&network.block[i]);
		assert(network.block[i].same_as <= i);
		n_distinct += network.block[i].same_as == i;
	}
	if (output->json) {
		json_put_fields(output->json,
		                "name %s, layers %zu, distinct_layers %zu, mac %" PRIu64 ", weights %" PRIu64,
		                network.name, network.n_block, n_distinct, n_mac, n_weight);
	} else {
		(void)fprintf(output->file,
		              "%s: network %s: ok; %zu blocks, %zu of them distinct, %" PRIu64
		              " multiply-accumulates, %" PRIu64 " weights\n",
		              path, network.name, network.n_block, n_distinct, n_mac, n_weight);
	}
	network_free(&network);
	return ERR_OK;
}

/* "55", "55 (8)" where rules allow 8 of them, "55 [20]" where 20 of those allowed can matter. */
static void add_splits(struct table *table, const struct split_count *count)
{
	char allowed[32] = "", listed[32] = "";
	if (count->allowed < count->legal)
		(void)snprintf(allowed, sizeof(allowed), " (%" PRIu64 ")", count->allowed);
	if (count->listed < count->allowed)
		(void)snprintf(listed, sizeof(listed), " [%" PRIu64 "]", count->listed);
	table_add(table, "%" PRIu64 "%s%s", count->legal, allowed, listed);
}

/*
 * How many splits each dimension of each distinct layer has. On a machine whose
 * MAC array differs other splits may matter, so the table names its machine.
 */
static void print_layers(FILE *file, const struct layer_set *set, const struct space *space)
{
	const struct layer_map *map = set->map;
	assert(set->n_problem == map->n_distinct);
	struct table table = {0};
	table_add_columns(&table, "network|layer|>width|>height|>out_channels|>in_channels|>strategies|>levels|>places"
	                          "|>legal_designs|>candidates");
	for (size_t i = 0; i < map->n_distinct; i++) {
		const struct layer_problem *layer = &set->problem[i];
		struct split_count count[4];
		layer_problem_count_splits(layer, count);
		table_add_row(&table, "%s|%s", space->network[layer_map_network(map, map->first[i])].network.name,
		              map->block[map->first[i]]->name);
		for (size_t k = 0; k < 4; k++)
			add_splits(&table, &count[k]);
		char legal[TABLE_COUNT_SIZE], candidates[TABLE_COUNT_SIZE];
		table_print_count(layer->n_legal, legal);
		table_print_count(problem_size(&layer->problem), candidates);
		table_add_row(&table, "%" PRIu32 "|%" PRIu32 "|%" PRIu32 "|%s|%s", layer->n_value[GENE_STRATEGY],
		              layer->n_value[GENE_LEVEL], layer->n_value[GENE_PLACE], legal, candidates);
	}
	FILE *wide = file;
	struct words_fold fold;
	file = words_fold_begin(&fold, wide);
	(void)fprintf(file,
	              "  distinct layers on %s: legal splits of each dimension, in parentheses those that the rules "
	              "allow, in brackets those of these that can matter to the engine\n\n",
	              set->machine.name);
	words_fold_end(&fold);
	file = wide;
	table_print(&table, file, 2);
	(void)fputc('\n', file);
	table_free(&table);
}

static void put_layers(struct json *json, const struct layer_set *set, const struct space *space)
{
	char key[32];
	const struct layer_map *map = set->map;
	json_begin_list(json, "layers");
	for (size_t i = 0; i < map->n_distinct; i++) {
		const struct layer_problem *layer = &set->problem[i];
		struct split_count count[4];
		layer_problem_count_splits(layer, count);
		json_begin_object(json, NULL);
		json_put_fields(json, "network %s, layer %s",
		                space->network[layer_map_network(map, map->first[i])].network.name,
		                map->block[map->first[i]]->name);
		for (size_t k = 0; k < 4; k++) {
			const char *const name[] = {split_dim_name[k],
			                            renamed_before(RENAMED_DIMENSION, split_dim_name[k])};
			for (size_t n = 0; n < 2 && name[n]; n++) {
				(void)snprintf(key, sizeof(key), "legal_splits_%s", name[n]);
				json_put_u64(json, key, count[k].legal);
				(void)snprintf(key, sizeof(key), "allowed_splits_%s", name[n]);
				json_put_u64(json, key, count[k].allowed);
				(void)snprintf(key, sizeof(key), "listed_splits_%s", name[n]);
				json_put_u64(json, key, count[k].listed);
			}
		}
		json_put_fields(json, "legal_designs %" PRIu64 ", candidates %" PRIu64, layer->n_legal,
		                problem_size(&layer->problem));
		json_end(json);
	}
	json_end(json);
}

/* "1.2 million", "480 thousand", "7.5": more digits than such a measurement has are noise. */
static void print_speed(double per_s, char text[32])
{
	const char *unit = per_s >= 995e3 ? " million" : per_s >= 995.0 ? " thousand" : "";
	double value = per_s / (per_s >= 995e3 ? 1e6 : per_s >= 995.0 ? 1e3 : 1.0);
	(void)snprintf(text, 32, value >= 9.95 ? "%.0f%s" : "%.2g%s", value, unit);
}

/* How many, or between which numbers; and why there are so few. */
static void print_evaluations(FILE *file, const struct estimate *estimate)
{
	char n[64];
	double frac = estimate->n_evaluation / fmax(estimate->n_candidate, 1.0);
	estimate_print(estimate->least_evaluation, estimate->most_evaluation, n);
	(void)fprintf(file, "  evaluations: about %s", n);
	if (estimate->least_evaluation < estimate->most_evaluation)
		(void)fputs(", estimated: the search takes longer than check does\n", file);
	else if (frac < 1.0)
		(void)fprintf(file, " (%.3g %% of the candidates; bounds and cuts save the others)\n", 100.0 * frac);
	else
		(void)fputs(" (all candidates)\n", file);
}

static void print_seconds(FILE *file, const struct estimate *estimate, bool is_random)
{
	char speed[32], seconds[64];
	print_speed(estimate->evaluation_per_s, speed);
	estimate_print(estimate->is_least ? estimate->seconds : estimate->least_seconds,
	               estimate->is_least ? estimate->seconds : estimate->most_seconds, seconds);
	(void)fprintf(file, "  time: about %s s on %u threads", seconds, estimate->n_thread);
	if (estimate->is_least)
		(void)fputs(" or more: of a layer not one design was done in the time for measuring\n", file);
	else
		(void)fprintf(file, " (%s evaluations a second and core, measured now)%s\n", speed,
		              estimate->is_measured ? ", by the search itself"
		              : is_random           ? ", if searched exhaustively"
		                                    : "");
}

/* Rounded: these are expectations, and more digits would claim more. */
static void print_estimate(const struct output *output, const struct space *space, const struct estimate *estimate)
{
	struct words_fold fold;
	FILE *file = words_fold_begin(&fold, output->file);
	const struct engine_kind *engine = engine_find(space->engine);
	assert(engine);
	(void)fprintf(file, "  machines: %" PRIu64 " candidate%s%s\n", estimate->n_machine,
	              estimate->n_machine == 1 ? "" : "s",
	              estimate->n_refused > 0 ? ", of which some are refused" : "");
	if (estimate->n_refused > 0)
		(void)fprintf(file, "  refused: %" PRIu64 " of the %" PRIu64 " looked at, e.g. %s\n",
		              estimate->n_refused, estimate->n_sampled, estimate->why);
	char count[TABLE_COUNT_SIZE];
	table_print_about(estimate->n_legal, count);
	(void)fprintf(file, "  designs: %s legal for all distinct layers", count);
	table_print_about(estimate->n_candidate, count);
	if (estimate->n_candidate < estimate->n_legal)
		(void)fprintf(file, ", %s listed by rules and engine", count);
	(void)fputs("\n", file);
	(void)fprintf(file, "  whole networks: 10^%.1f designs a machine\n", estimate->log10_design);
	print_evaluations(file, estimate);
	print_seconds(file, estimate, engine->is_random);
	(void)fputs(
	    output->detail == DETAIL_EVENT
		? "  that is with explore --detail event; a search in the fast tier and --verify take far less\n"
		: "  that is the search in the fast tier, without prices; with --detail event a search takes thousands "
		  "of times longer "
		  "(dse check --detail event measures)\n",
	    file);
	(void)fprintf(file, "  memory: about %.0f MB\n", estimate->memory_mb);
	words_fold_end(&fold);
}

static void put_estimate(struct json *json, const struct estimate *estimate, enum detail detail)
{
	json_put_fields(json,
	                "detail %s, machines %" PRIu64 ", legal_designs %g, candidates %g, log10_network_designs %g, "
	                "expected_evaluations %g, expected_seconds %g",
	                detail_name[detail], estimate->n_machine, estimate->n_legal, estimate->n_candidate,
	                estimate->log10_design, estimate->n_evaluation, estimate->seconds);
	json_put_fields(json,
	                "expected_evaluations_least %g, expected_evaluations_most %g, expected_seconds_least %g, "
	                "expected_seconds_most %g, is_measured %d",
	                estimate->least_evaluation, estimate->most_evaluation, estimate->least_seconds,
	                estimate->most_seconds, estimate->is_measured);
	json_put_fields(json, "expected_seconds_is_least %d, expected_memory_mb %g", estimate->is_least,
	                estimate->memory_mb);
}

/* A space is checked by building what a search would build first. */
static enum err_code check_space(const struct output *output, const char *path, struct err *err)
{
	struct space space;
	struct layer_map map = {0};
	struct estimate estimate = {0};
	struct left_out left;
	enum err_code code = space_read_given(path, &(struct space_given){.set = &output->set}, &space, err);
	if (code != ERR_OK)
		return code;
	code = layer_map_build(&space, &map, err);
	if (code == ERR_OK)
		code = estimate_space(&space, &map, parallel_n_thread((size_t)output->cli->jobs), &estimate, err);
	if (code == ERR_OK && output->detail == DETAIL_EVENT && estimate.has_candidate)
		code = estimate_event(&estimate, EVENT_MEASURE_S, err);
	if (code == ERR_OK && output->json) {
		json_put_text(output->json, "name", space.name);
		if (estimate.has_candidate)
			put_layers(output->json, estimate.candidate.set, &space);
		put_estimate(output->json, &estimate, output->detail);
		left_out_find(&space, &left);
		json_put_text(output->json, "network_result", network_result_name[space.network_result]);
		left_out_put_json(output->json, &left);
	} else if (code == ERR_OK) {
		(void)fprintf(output->file, "%s: space %s: ok; %zu network%s, %zu layers, %zu of them distinct\n", path,
		              space.name, space.n_network, space.n_network == 1 ? "" : "s", map.n_block,
		              map.n_distinct);
		if (estimate.has_candidate && !output->cli->quiet)
			print_layers(output->file, estimate.candidate.set, &space);
		print_estimate(output, &space, &estimate);
		left_out_tell(output->file, &space);
	}
	if (estimate.has_candidate)
		candidate_free(&estimate.candidate);
	layer_map_free(&map);
	space_free(&space);
	return code;
}

/* One file's object is closed whatever happened, so that the JSON of several stays whole. */
static enum err_code check_file(const struct output *output, const char *path, struct err *err)
{
	/* One row a kind; a new kind of file is a new row here and in detect_kind. */
	static enum err_code (*const check[N_FILE_KIND])(const struct output *, const char *, struct err *) = {
	    [FILE_SPACE] = check_space, [FILE_MACHINE] = check_machine, [FILE_NETWORK] = check_network};
	enum file_kind kind = FILE_SPACE;
	struct arena arena = {0};
	assert(output && path);
	struct err found = {0};
	enum err_code code = path_find_any(path, &arena, &path, &found);
	if (code == ERR_OK)
		code = detect_kind(path, &kind, &found);
	if (output->json) {
		json_begin_object(output->json, NULL);
		json_put_text(output->json, "file", path);
		if (code == ERR_OK)
			json_put_text(output->json, "kind", file_kind_name[kind]);
	}
	if (code == ERR_OK)
		code = check[kind](output, path, &found);
	if (output->json) {
		json_put_bool(output->json, "ok", code == ERR_OK);
		if (found.n_message > 0)
			json_put_lines(output->json, "errors", err_text(&found));
		json_end(output->json);
	}
	(void)err_add_all(err, (struct err_place){0}, &found);
	err_clear(&found);
	arena_free(&arena);
	return code;
}

/* All files are looked at; the exit code is that of the first mistake. */
enum err_code cmd_check(const struct cli_options *options, struct err *err)
{
	struct output_file file = {0};
	struct json json;
	struct output output = {.cli = options};
	size_t index = DETAIL_FAST;
	enum err_code first = ERR_OK,
		      code = cli_choose(options, "detail", options->detail, detail_name, N_DETAIL, &index, err);
	output.detail = (enum detail)index;
	code = choice_worse(code, choice_set(options, &output.set, err));
	if (code == ERR_OK)
		code = output_file_open(&file, options->out, err);
	if (code != ERR_OK)
		return code;
	output.file = file.file;
	if (options->json) {
		output.json = &json;
		json_start_object(&json, file.file, 3);
		json_begin_list(&json, "files");
	}
	for (size_t i = 0; i < options->n_file && first != ERR_INTERRUPTED; i++) {
		code = check_file(&output, options->file[i], err);
		first = first == ERR_OK ? code : first;
	}
	if (options->json) {
		json_end(&json);
		json_end(&json);
		json_finish(&json);
	}
	if (first == ERR_INTERRUPTED) {
		output_file_abandon(&file);
		return first;
	}
	code = output_file_commit(&file, err);
	return first == ERR_OK ? code : first;
}
