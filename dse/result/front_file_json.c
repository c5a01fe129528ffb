/* SPDX-License-Identifier: Apache-2.0 */
/* front.json and run.json. */
#include "dse/base/memory.h"
#include "dse/space/space_goals.h"
#include "dse/design/front_read.h"
#include "dse/design/uncertain.h"
#include "dse/keep/text_blocks.h"
#include "dse/layer/design_field.h"
#include "dse/layer/design_text.h"
#include "dse/out/build.h"
#include "dse/out/energy_json.h"
#include "dse/pareto/quality.h"
#include "dse/result/certificate.h"
#include "dse/result/front_file.h"
#include "dse/search/history_print.h"
#include "dse/space/left_out.h"
#include "dse/space/machine_set.h"
#include "dse/space/provenance.h"
#include "sim/base/model_version.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Machine metrics are the same for each network, so networks leave them out. */
static void put_metrics(struct json *json, const struct machine *machine, const double *metric, bool with_machine)
{
	for (unsigned k = 0; k < N_METRIC; k++)
		if (with_machine || metric_table[k].scope != METRIC_OF_MACHINE)
			json_put_real(json, metric_table[k].name, metric_value(machine, metric, (enum metric)k));
}

/* Enough of a layer's design to run it again, and what came out, to compare. */
static void put_design(struct json *json, const struct front_run *run, size_t number)
{
	const struct unrolled_design *unrolled = &run->unroller->design[number];
	const struct layer_design *design = &unrolled->design;
	const struct layer_map *map = &run->explore->map;
	json_begin_object(json, NULL);
	json_put_u64(json, "design", number);
	json_put_text(json, "operation", map->block[map->first[unrolled->distinct]]->name);
	design_put_fields(json, unroller_machine(run->unroller, unrolled->machine_index),
	                  map->block[map->first[unrolled->distinct]], design);
	json_put_u64(json, "total_clk", unrolled->total_clk);
	for (unsigned k = 0; k < N_METRIC; k++)
		if (metric_table[k].scope == METRIC_OF_LAYER)
			json_put_real(json, metric_table[k].name,
			              metric_value(unroller_machine(run->unroller, unrolled->machine_index),
			                           unrolled->metric, (enum metric)k));
	energy_put_parts(json, &unrolled->energy);
	json_end(json);
}

/* The point in the event tier: its objectives, how far off they were, and whether it keeps its place. */
static void put_verified(struct json *json, const struct space *space, const struct machine *machine,
                         const struct verify_point *point)
{
	json_begin_object(json, "verified");
	for (size_t i = 0; i < space->n_objective; i++)
		json_put_real(json, metric_table[space->objective[i]].name,
		              metric_value(machine, point->metric, space->objective[i]));
	json_put_fields(json, "error_pct %g, margin_pct %g, front %s", 100.0 * point->error_frac,
	                100.0 * point->margin_frac, front_file_verdict(point));
	json_end(json);
}

/* Machine and metrics of a point; the object stays open. */
static void begin_point(struct json *json, const struct front_run *run, size_t id, const struct unrolled *point)
{
	const struct space *space = run->space;
	json_begin_object(json, NULL);
	json_put_u64(json, "id", id);
	json_put_text(json, "machine", point->machine->name);
	json_begin_object(json, "axes");
	for (size_t i = 0; i < space->n_axis; i++) {
		char text[64];
		(void)machine_print_param(point->machine, space->axis[i].param, text, sizeof(text));
		json_put_text(json, space->axis[i].param->key, text);
	}
	json_end(json);
	json_begin_object(json, "metrics");
	put_metrics(json, point->machine, point->metric, true);
	json_end(json);
	uncertain_put_json(json, &point->uncertain);
	json_put_real(json, "tops_w", unroll_tops_w(space, point));
	json_put_real(json, "tops_mm2", unroll_tops_mm2(space, point));
	double interval[2];
	if (unroll_area_interval(space, point, interval)) {
		json_begin_list(json, "area_interval_mm2");
		json_put_real(json, NULL, interval[0]);
		json_put_real(json, NULL, interval[1]);
		json_end(json);
	}
	struct energy_trust trust;
	unroll_trust(run->unroller, point, &trust);
	energy_trust_put_json(json, &trust);
	if (run->price && run->price->is_priced)
		json_put_fields(json, "like_it %u, place %s", (unsigned)run->price->n_like[id],
		                front_file_place(run->price, id));
	if (run->verify)
		put_verified(json, run->space, point->machine, &run->verify->point[id]);
}

/* Layers are numbers of designs, in the order of the network's operations. */
static void put_point(struct json *json, const struct front_run *run, size_t id, const struct unrolled *point)
{
	const struct layer_map *map = &run->explore->map;
	begin_point(json, run, id, point);
	json_begin_list(json, "networks");
	for (size_t i = 0; i < point->n_network; i++) {
		json_begin_object(json, NULL);
		json_put_text(json, "network", run->space->network[i].network.name);
		json_begin_object(json, "metrics");
		put_metrics(json, point->machine, point->network[i], false);
		json_end(json);
		json_begin_list(json, "layers");
		for (size_t k = map->begin[i]; k < map->begin[i + 1]; k++)
			json_put_u64(json, NULL, (uint64_t)(point->layer[k] - run->unroller->design));
		json_end(json);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}

static const char *aggregate_name(enum space_aggregate aggregate)
{
	return aggregate == AGGREGATE_WORST ? "worst" : aggregate == AGGREGATE_WEIGHTED ? "weighted" : "sum";
}

/* How a space treats operating points; what it leaves as it is by default is left out. */
static void put_levels(struct json *json, const struct space *space)
{
	if (space->level_changes)
		json_put_bool(json, "level_changes", true);
	if (space->level_shares > 0)
		json_put_u64(json, "level_shares", space->level_shares);
	if (space->deadline_ms > 0)
		json_put_real(json, "deadline_ms", space->deadline_ms);
}

/* Fields of operating points that --set gave, by the names of these inputs: no axis has them. */
static void put_set_levels(struct json *json, const struct space *space)
{
	size_t n = 0;
	for (size_t i = 0; i < space->n_file; i++) {
		const char *text = machine_set_in_name(space->file[i].path);
		char key[MACHINE_LEVEL_KEY_SIZE];
		if (!text || !machine_set_is_level(text))
			continue;
		(void)snprintf(key, sizeof(key), "%.*s", (int)strcspn(text, "="), text);
		if (n++ == 0)
			json_begin_object(json, "set_levels");
		json_put_text(json, key, text + strcspn(text, "=") + 1);
	}
	if (n > 0)
		json_end(json);
}

/* Where a replay finds machines and networks, and the hashes that tell whether they have changed since. */
static void put_inputs(struct json *json, const struct space *space)
{
	json_put_text(json, "aggregate", aggregate_name(space->aggregate));
	put_levels(json, space);
	json_begin_list(json, "machines");
	for (size_t i = 0; i < space->n_machine; i++) {
		json_put_object(json, NULL, "machine %s, file %s, hash %s", space->machine[i].name,
		                space->machine_path[i], front_file_hash(space, space->machine_path[i]));
	}
	json_end(json);
	put_set_levels(json, space);
	json_begin_list(json, "networks");
	for (size_t i = 0; i < space->n_network; i++) {
		json_begin_object(json, NULL);
		json_put_fields(json, "network %s, file %s, hash %s, weight %g", space->network[i].network.name,
		                space->network[i].path, front_file_hash(space, space->network[i].path),
		                space_network_weight(space, i));
		json_begin_list(json, "operations");
		for (size_t k = 0; k < space->network[i].network.n_block; k++)
			json_put_text(json, NULL, space->network[i].network.block[k].name);
		json_end(json);
		json_end(json);
	}
	json_end(json);
}

/* By name: their order is the order of the front. */
static void put_objectives(struct json *json, const struct space *space)
{
	json_begin_list(json, "objectives");
	for (size_t i = 0; i < space->n_objective; i++)
		json_put_text(json, NULL, metric_table[space->objective[i]].name);
	json_end(json);
}

/* A list that is open, whose items several threads write. */
struct list {
	const struct front_run *run;
	const struct json *json;
};

static enum err_code put_designs(void *context, FILE *file, size_t first, size_t end, struct err *err)
{
	const struct list *list = context;
	struct json json;
	(void)err;
	json_go_on(&json, list->json, file, first > 0);
	for (size_t i = first; i < end; i++)
		put_design(&json, list->run, i);
	return ERR_OK;
}

static enum err_code put_points(void *context, FILE *file, size_t first, size_t end, struct err *err)
{
	const struct list *list = context;
	struct json json;
	struct unrolled point;
	memory_check(unrolled_init(&list->run->explore->map, &point, err) == ERR_OK);
	json_go_on(&json, list->json, file, first > 0);
	for (size_t i = first; i < end; i++) {
		unroll_point(list->run->unroller, i, &point);
		put_point(&json, list->run, i, &point);
	}
	unrolled_free(&point);
	return ERR_OK;
}

/* Items into the list that was begun last. */
static void put_list(struct json *json, const struct front_run *run, size_t n,
                     enum err_code (*put)(void *context, FILE *file, size_t first, size_t end, struct err *err))
{
	struct list list = {run, json};
	const struct text_blocks blocks = {n, front_file_n_thread(run), put, &list, text_blocks_to_file, json->file};
	memory_check(text_blocks_run(&blocks, NULL) == ERR_OK);
	json_skip(json, n > 0);
}

/* The file's begin, up to the signature. */
static void begin_front(struct json *json, FILE *file, const struct front_run *run)
{
	json_start_object(json, file, 2);
	json_put_fields(json, "format %s, space %s, signature %s", FRONT_FORMAT, run->space->name, run->signature);
}

enum err_code front_file_sign_json(FILE *file, const struct front_run *run, struct err *err)
{
	struct json json;
	assert(file && run && strlen(run->signature) == FRONT_SIGNATURE_SIZE - 1);
	if (fseek(file, 0, SEEK_SET) != 0)
		return err_add(err, ERR_IO, "front.json: cannot be signed: %s", strerror(errno));
	begin_front(&json, file, run);
	return ERR_OK;
}

void front_file_write_json(FILE *file, const struct front_run *run)
{
	struct json json;
	assert(file && run && run->unroller);
	begin_front(&json, file, run);
	json_put_text(&json, "detail", detail_name[run->space->detail]);
	put_objectives(&json, run->space);
	put_inputs(&json, run->space);
	json_begin_list(&json, "designs");
	put_list(&json, run, run->unroller->n_design, put_designs);
	json_end(&json);
	json_begin_list(&json, "points");
	put_list(&json, run, run->explore->front.n, put_points);
	json_finish(&json);
}

/* ---- run.json ---- */

/* The same counts as front_table_print_counts prints; names are part of the format and do not change. */
static void put_counts(struct json *json, const struct explore *explore)
{
	const struct explore_counts *counts = &explore->counts;
	assert(counts->engine.n_told == counts->engine.n_feasible + counts->engine.n_infeasible);
	json_begin_object(json, "counts");
	json_put_u64(json, "machines", counts->n_machine);
	json_put_u64(json, "machines_refused", counts->n_machine_rejected);
	json_put_u64(json, "machines_without_design", counts->n_machine_dead);
	json_put_u64(json, "machines_cut", counts->n_machine_cut);
	json_put_u64(json, "layers", counts->n_layer);
	json_put_u64(json, "distinct_layers", counts->n_distinct);
	json_put_u64(json, "legal_layer_designs", counts->n_legal);
	json_put_u64(json, "candidates", counts->n_candidate);
	json_put_real(json, "log10_network_designs", counts->log10_design);
	uint64_t n_bounded = counts->by_reason[LAYER_REASON_BOUND];
	assert(n_bounded <= counts->engine.n_infeasible);
	json_put_u64(json, "evaluations", counts->engine.n_told - n_bounded);
	json_put_u64(json, "bounded", n_bounded);
	json_put_u64(json, "skipped", counts->engine.n_skipped);
	json_put_u64(json, "feasible", counts->engine.n_feasible);
	json_put_u64(json, "infeasible", counts->engine.n_infeasible - n_bounded);
	json_put_u64(json, "duplicates", counts->engine.n_duplicate);
	json_put_u64(json, "composed_points", counts->n_composed);
	json_put_u64(json, "boxes", counts->n_box);
	json_put_u64(json, "cut_by_bounds", counts->cut_by_reason[LAYER_REASON_BOUND]);
	json_put_u64(json, "cut_as_infeasible", explore_count_cut_infeasible(counts));
	json_put_u64(json, "cut_with_machines", counts->n_cut_with_machine);
	json_put_u64(json, "unreached", counts->n_unreached);
	json_put_u64(json, "shared", counts->n_shared);
	json_put_u64(json, "shared_searches", counts->n_search_shared);
	json_put_u64(json, "front_points", explore->front.n);
	json_end(json);
	json_begin_object(json, "infeasible_by_reason");
	for (uint32_t i = 0; i < LAYER_N_REASON; i++)
		if (add_sat(counts->by_reason[i], counts->cut_by_reason[i]) > 0 && i != LAYER_REASON_BOUND)
			json_put_u64(json, design_reason_name(i),
			             add_sat(counts->by_reason[i], counts->cut_by_reason[i]));
	json_end(json);
	json_begin_object(json, "over_limit");
	for (uint32_t i = 0; i < N_METRIC; i++)
		if (counts->by_limit[i] > 0)
			json_put_u64(json, metric_table[i].name, counts->by_limit[i]);
	json_end(json);
	json_begin_object(json, "machines_refused_by_reason");
	for (size_t i = 0; i < counts->n_rejection; i++)
		json_put_u64(json, counts->rejection[i].why, counts->rejection[i].n);
	json_end(json);
}

/* What could not be searched to its end, and why. */
static void put_failures(struct json *json, const struct explore *explore)
{
	assert(explore->n_failure > 0);
	json_put_u64(json, "failures", explore->n_failure);
	json_begin_list(json, "failed");
	for (size_t i = 0; i < explore->n_failure && i < EXPLORE_MAX_FAILURE; i++) {
		json_put_object(json, NULL, "machine %s, why %s", explore->failure[i].machine, explore->failure[i].why);
	}
	json_end(json);
}

/* Options that decide the outcome, and the threads, which decide only the seconds. */
static void put_options(struct json *json, const struct front_run *run)
{
	json_begin_object(json, "options");
	json_put_fields(json, "engine %s, detail %s, priced %d, flat %d, seed %" PRIu64 ", max_evaluations %" PRIu64,
	                run->options->engine->name, detail_name[run->space->detail], run->options->prices,
	                run->options->flat, run->options->seed, run->options->max_evaluation);
	if (run->options->engine->is_random)
		json_put_u64(json, "islands", run->space->islands);
	if (run->options->epsilon > 0)
		json_put_real(json, "epsilon_pct", 100.0 * run->options->epsilon);
	/* null: by a budget */
	json_put_number(json, "max_front", run->space->max_front > 0 ? (double)run->space->max_front : NAN);
	put_levels(json, run->space);
	json_put_u64(json, "threads", run->options->n_thread);
	json_end(json);
}

/* What the energies rest on, of each machine file, at every operating point that some layer may have. */
static void put_coefficients(struct json *json, const struct space *space)
{
	const char *varied[128];
	uint32_t levels = 0;
	assert(space->n_axis <= sizeof(varied) / sizeof(varied[0])); /* no parameter twice */
	for (size_t i = 0; i < space->n_axis; i++)
		varied[i] = space->axis[i].param->key;
	for (size_t i = 0; i < space->n_network; i++)
		for (size_t k = 0; k < space->network[i].network.n_block; k++)
			levels |= space->network[i].choice[k].level_mask;
	json_begin_list(json, "coefficients");
	for (size_t i = 0; i < space->n_machine; i++) {
		json_begin_object(json, NULL);
		json_put_text(json, "machine", space->machine[i].name);
		json_begin_list(json, "of");
		coefficient_put_json(json, &space->machine[i], &space->machine_sources[i], levels, space->detail,
		                     varied, space->n_axis);
		json_end(json);
		json_end(json);
	}
	json_end(json);
}

/* Those that were written: without a front run.json is alone. */
static void put_files(struct json *json, const char *dir, bool with_front, bool with_points)
{
	const struct {
		const char *name;
		bool is_written;
	} file[] = {{"front.csv", with_front},
	            {"front.json", with_front},
	            {"front.svg", with_front},
	            {"run.json", true},
	            {"points.csv", with_points}};
	char path[4200];
	json_begin_list(json, "files");
	for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++) {
		if (!file[i].is_written)
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", dir, file[i].name);
		json_put_text(json, NULL, path);
	}
	json_end(json);
}

/* The front without its layers, for --json. */
static void put_front(struct json *json, const struct front_run *run)
{
	struct unrolled point;
	memory_check(unrolled_init(&run->explore->map, &point, NULL) == ERR_OK);
	json_begin_list(json, "front");
	for (size_t i = 0; i < run->explore->front.n; i++) {
		unroll_point(run->unroller, i, &point);
		begin_point(json, run, i, &point);
		json_end(json);
	}
	json_end(json);
	unrolled_free(&point);
}

/* How far the tiers are apart, and how many points that leaves where they are. */
static void put_verify(struct json *json, const struct front_run *run)
{
	const struct verify *verify = run->verify;
	const struct layer_map *map = &run->explore->map;
	const struct unrolled_design *worst = &verify->design[verify->clk.worst];
	json_begin_object(json, "verify");
	json_put_fields(
	    json,
	    "designs %zu, mean_clk_gap_pct %g, largest_clk_gap_pct %g, largest_at_design %zu, largest_at_layer %s",
	    verify->n_design, 100.0 * verify->clk.mean_frac, 100.0 * verify->clk.max_frac, verify->clk.worst,
	    map->block[map->first[worst->distinct]]->name);
	json_begin_list(json, "objectives");
	for (size_t i = 0; i < run->space->n_objective; i++) {
		json_put_object(json, NULL, "objective %s, mean_gap_pct %g, largest_gap_pct %g, largest_at_point %zu",
		                metric_table[run->space->objective[i]].name, 100.0 * verify->objective[i].mean_frac,
		                100.0 * verify->objective[i].max_frac, verify->objective[i].worst);
	}
	json_end(json);
	json_put_fields(json, "certain %zu, depends %zu, audited %d, seconds %g", verify->n_certain,
	                verify->n_point - verify->n_certain, verify->audited, verify->seconds);
	json_end(json);
}

/* How good the front is in itself: the reference point is 1.1 times its nadir. */
static void put_quality(struct json *json, const struct front_run *run)
{
	const struct quality *quality = &run->quality;
	if (!run->has_quality)
		return; /* no memory: the front is worth more than its figures */
	json_begin_object(json, "quality");
	json_put_fields(json, "hypervolume %g, hypervolume_frac %g", quality->hypervolume, quality->hypervolume_frac);
	json_begin_object(json, "reference");
	for (size_t i = 0; i < run->space->n_objective; i++)
		json_put_real(json, metric_table[run->space->objective[i]].name, quality->reference[i]);
	json_end(json);
	json_put_u64(json, "knee", quality->knee);
	json_end(json);
}

void front_file_write_run(FILE *file, const struct front_run *run, const char *dir, bool with_front)
{
	struct json json;
	char certificate[CERTIFICATE_TEXT_SIZE];
	struct left_out left;
	const struct explore *explore = run->explore;
	assert(file && explore && run->command);
	json_start_object(&json, file, 2);
	json_put_fields(&json, "format %s, version %s, model %s, command %s, space %s", RUN_FORMAT, build_version,
	                model_version, run->command, run->space->name);
	if (run->verdict)
		run_verdict_put_json(&json, run->space, run->verdict);
	put_options(&json, run);
	json_begin_list(&json, "inputs");
	for (size_t i = 0; i < run->space->n_file; i++) {
		json_put_object(&json, NULL, "file %s, hash %s", run->space->file[i].path, run->space->file[i].hash);
	}
	json_end(&json);
	put_objectives(&json, run->space);
	put_coefficients(&json, run->space);
	put_counts(&json, explore);
	json_put_fields(&json, "epsilon %g, epsilon_needs_margin %d", explore->counts.epsilon,
	                explore->counts.is_limited);
	if (explore->open_gap_frac < INFINITY)
		json_put_fields(&json, "open_gap %g", explore->open_gap_frac);
	certificate_text(run, certificate, sizeof(certificate));
	json_put_text(&json, "certificate", certificate);
	left_out_find(run->space, &left);
	json_put_text(&json, "network_result", network_result_name[run->space->network_result]);
	left_out_put_json(&json, &left);
	json_put_fields(&json, "complete %d, interrupted %d",
	                !explore->interrupted && !explore->truncated && explore->n_failure == 0 &&
	                    !(run->price && run->price->is_interrupted),
	                explore->interrupted);
	history_put_json(&json, explore, run->has_quality ? &run->quality : NULL, run->volume);
	json_put_real(&json, "seconds", explore->seconds);
	if (run->known) {
		json_put_object(&json, "known_from", "run %" PRIu64 ", date %s, seconds %g", run->known->run,
		                run->known->date, run->known->seconds);
	}
	if (run->n_known_search > 0)
		json_put_u64(&json, "known_searches", run->n_known_search);
	json_put_text(&json, "signature", run->signature);
	if (explore->n_failure > 0)
		put_failures(&json, explore);
	if (explore->miss.stage != STAGE_NONE && explore->front.n == 0) {
		json_put_object(&json, "nearest_miss", "machine %s, what %s, violation %g", explore->miss.machine,
		                explore->miss.text, explore->miss.violation);
	}
	if (run->compare)
		mapping_compare_put_json(&json, run->compare, run->unroller);
	if (run->misfit)
		misfit_put_json(&json, run->misfit);
	if (explore->front.n > 0)
		put_quality(&json, run);
	if (run->sampled)
		sample_put_json(&json, explore, run->sampled);
	if (run->price)
		price_put_json(&json, run->price);
	if (run->verify)
		put_verify(&json, run);
	if (run->proof)
		prove_front_put_json(&json, run->proof);
	if (run->audit)
		audit_put_json(&json, run->audit);
	if (dir)
		put_files(&json, dir, explore->front.n > 0, run->options->points != NULL);
	if (with_front)
		put_front(&json, run);
	json_finish(&json);
}
