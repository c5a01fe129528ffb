/* SPDX-License-Identifier: Apache-2.0 */
/* The study as CSV and JSON. */
#include "dse/arada/arada_report.h"
#include "dse/space/space_machine.h"
#include "dse/out/csv_write.h"
#include "dse/out/json.h"
#include <assert.h>
#include <inttypes.h>

#define OPEN_LINES 5

static const char *network_name(const struct arada_study *study, const struct arada_run *of)
{
	return study->space->network[of->network].network.name;
}

/* "" of a machine with its own memory. */
static const char *memory_name(const struct arada_study *study, size_t machine)
{
	size_t memory = study->coupled[machine].memory;
	return memory == SIZE_MAX ? "" : study->space->arada.memory[memory].name;
}

/* ---- CSV ---- */

static void put_machine_header(FILE *file, const struct arada_study *study)
{
	(void)fputs("machine", file);
	for (size_t i = 0; i < study->space->n_axis; i++)
		csv_put_text(file, false, study->space->axis[i].param->key);
	(void)fputs(",memory,network,scheme", file);
}

static void put_run(FILE *file, const struct arada_study *study, const struct arada_run *of, int scheme)
{
	space_machine_put_csv(file, true, study->space, &study->machine[of->machine]);
	csv_put_row(file, ",%s,%s,%s", memory_name(study, of->machine), network_name(study, of),
	            arada_scheme_name[scheme]);
}

static void put_layer(FILE *file, const struct arada_run *of, int scheme, size_t i)
{
	const struct arada_layer *layer = &of->layer[i];
	const struct arada_mode *mode = &of->mode[scheme][i];
	csv_put_row(file, ",%s,%g,%g,%g,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%g,%g,%g,%g,%g\n", of->block[i]->name,
	            mode->clk_mhz, mode->vdd_v, mode->bandwidth_gb_s, layer->total_clk, layer->stall_clk, layer->n_word,
	            mode->time_us, mode->busy_us, mode->gated_frac, mode->energy_frac, mode->printed_gb_s);
}

void arada_write_schedule(FILE *file, const struct arada_study *study)
{
	put_machine_header(file, study);
	(void)fputs(
	    ",layer,clk_mhz,vdd_v,bandwidth_gb_per_s,total_clk,stall_clk,words,time_us,busy_us,energy_gated_frac,"
	    "energy_printed_frac,bandwidth_printed_gb_per_s\n",
	    file);
	for (size_t i = 0; i < study->n_run; i++)
		for (int scheme = 0; scheme < N_ARADA_SCHEME; scheme++)
			for (size_t k = 0; k < study->run[i].n_layer; k++) {
				put_run(file, study, &study->run[i], scheme);
				put_layer(file, &study->run[i], scheme, k);
			}
}

void arada_write_summary(FILE *file, const struct arada_study *study)
{
	put_machine_header(file, study);
	(void)fputs(",layers,time_us,saving_frac,saving_printed_frac,bandwidth_left_frac,bandwidth_left_layers_frac,"
	            "slower_layers,narrower_layers\n",
	            file);
	for (size_t i = 0; i < study->n_run; i++)
		for (int scheme = 0; scheme < N_ARADA_SCHEME; scheme++) {
			const struct arada_sum *sum = &study->run[i].sum[scheme];
			put_run(file, study, &study->run[i], scheme);
			csv_put_row(file, ",%zu,%g,%g,%g,%g,%g,%zu,%zu\n", study->run[i].n_layer, study->run[i].time_us,
			            sum->saving_frac, sum->printed_saving_frac, sum->bandwidth_frac,
			            sum->layer_bandwidth_frac, sum->n_slower, sum->n_narrower);
		}
}

/* ---- JSON ---- */

static void json_put_sum(struct json *json, const char *key, const struct arada_sum *sum)
{
	json_put_object(json, key,
	                "saving_frac %g, saving_printed_frac %g, bandwidth_left_frac %g, "
	                "bandwidth_left_layers_frac %g, slower_layers %zu, narrower_layers %zu",
	                sum->saving_frac, sum->printed_saving_frac, sum->bandwidth_frac, sum->layer_bandwidth_frac,
	                sum->n_slower, sum->n_narrower);
}

static void json_put_run(struct json *json, const struct arada_study *study, const struct arada_run *of)
{
	json_begin_object(json, NULL);
	json_put_fields(json, "network %s, time_us %g", network_name(study, of), of->time_us);
	json_begin_object(json, "schemes");
	for (int scheme = 0; scheme < N_ARADA_SCHEME; scheme++)
		json_put_sum(json, arada_scheme_name[scheme], &of->sum[scheme]);
	json_end(json);
	json_begin_list(json, "schedule");
	for (size_t i = 0; i < of->n_layer; i++) {
		const struct arada_mode *mode = &of->mode[ARADA_VF_OH_Q][i];
		json_put_object(json, NULL,
		                "layer %s, clk_mhz %g, vdd_v %g, bandwidth_gb_per_s %g, total_clk %" PRIu64
		                ", stall_clk %" PRIu64,
		                of->block[i]->name, mode->clk_mhz, mode->vdd_v, mode->bandwidth_gb_s,
		                of->layer[i].total_clk, of->layer[i].stall_clk);
	}
	json_end(json);
	json_end(json);
}

static void json_put_machine(struct json *json, const struct arada_study *study, size_t machine)
{
	const struct machine *of = &study->machine[machine];
	size_t n_network = study->space->n_network;
	char value[64];
	json_begin_object(json, NULL);
	json_put_fields(json, "machine %s, memory %s", of->name, memory_name(study, machine));
	for (size_t i = 0; i < study->space->n_axis; i++) {
		(void)machine_print_param(of, study->space->axis[i].param, value, sizeof(value));
		json_put_text(json, study->space->axis[i].param->key, value);
	}
	json_put_fields(json, "array %zu, clk_mhz %g, bandwidth_gb_per_s %g, word_per_clk %g", study->group[machine],
	                of->level[0].clk_mhz, of->systolic.memory_gb_s,
	                study->run[machine * n_network].platform.max_word_per_clk);
	json_begin_object(json, "means");
	for (int scheme = 0; scheme < N_ARADA_SCHEME; scheme++) {
		struct arada_sum mean = arada_study_mean(study, machine, (enum arada_scheme)scheme);
		json_put_sum(json, arada_scheme_name[scheme], &mean);
	}
	json_end(json);
	json_begin_list(json, "networks");
	for (size_t i = 0; i < n_network; i++)
		json_put_run(json, study, &study->run[machine * n_network + i]);
	json_end(json);
	json_end(json);
}

static void json_put_options(struct json *json, const struct arada_options *options)
{
	json_put_fields(
	    json, "memory_model %s, bandwidth %s, layers_as %s, switch_us %g, clk_step_mhz %g, bandwidth_steps %u",
	    arada_model_name[options->model], arada_bandwidth_name[options->bandwidth],
	    arada_shape_name[options->shape], options->switch_us, options->clk_step_mhz, options->n_bandwidth);
}

void arada_write_json(FILE *file, const struct arada_report *report)
{
	const struct arada_study *study = report->study;
	struct json json;
	assert(study->n_machine > 0);
	json_start_object(&json, file, OPEN_LINES);
	json_put_text(&json, "space", study->space->name);
	json_put_options(&json, &study->space->arada);
	json_put_fields(&json, "layers %zu, simulated_layers %zu", study->n_all, study->n_distinct);
	json_begin_list(&json, "published");
	for (size_t i = 0; i < report->n_match; i++) {
		const struct arada_match *match = &report->match[i];
		json_put_object(&json, NULL,
		                "machine %s, memory %s, published_frac %g, saving_frac %g, matching_gb_per_s %g, "
		                "matching_saving_frac %g",
		                study->machine[match->machine].name, memory_name(study, match->machine),
		                match->published_frac, match->own_frac, match->gb_s, match->reached_frac);
	}
	json_end(&json);
	json_begin_list(&json, "machines");
	for (size_t i = 0; i < study->n_machine; i++)
		json_put_machine(&json, study, i);
	json_end(&json);
	arada_exact_put_json(&json, "exact", report->exact);
	json_finish(&json);
}
