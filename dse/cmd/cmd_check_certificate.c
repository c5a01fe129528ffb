/* SPDX-License-Identifier: Apache-2.0 */
/* dse check-certificate: whether a front is what its certificate says. */
#include "dse/certify/certify.h"
#include "dse/cmd/command_table.h"
#include "dse/keep/output_file.h"
#include "dse/out/json.h"
#include "sim/base/model_version.h"
#include <assert.h>
#include <inttypes.h>
#include <string.h>

static void print_json(FILE *file, const struct certify_report *report)
{
	struct json json;
	json_start_object(&json, file, 1);
	json_put_text(&json, "space", report->space);
	json_put_fields(&json, "model %s, checked_by_model %s", report->model, model_version);
	json_put_u64(&json, "n_front", report->n_front);
	json_put_real(&json, "epsilon", report->epsilon);
	json_put_u64(&json, "n_machine", report->n_machine);
	json_put_u64(&json, "n_searched", report->n_searched);
	json_put_u64(&json, "n_behind", report->n_behind);
	json_put_u64(&json, "n_refused", report->n_refused);
	json_put_u64(&json, "n_layer", report->n_layer);
	json_put_u64(&json, "n_point", report->n_point);
	json_put_u64(&json, "n_box", report->n_box);
	json_put_u64(&json, "n_cut", report->n_cut);
	json_put_u64(&json, "n_infeasible", report->n_infeasible);
	json_put_u64(&json, "n_priced", report->n_priced);
	json_put_u64(&json, "n_sum", report->n_sum);
	json_finish(&json);
}

static void print_text(FILE *file, const struct certify_report *report)
{
	(void)fprintf(file, "Accepted: the %zu points of %s are designs, and for every legal design one of them is ",
	              report->n_front, report->space);
	if (report->epsilon > 0)
		(void)fprintf(file, "worse by no more than %.3g %% in any objective\n", 100 * report->epsilon);
	else
		(void)fprintf(file, "no worse in any objective\n");
	(void)fprintf(file,
	              "  machines: %" PRIu64 ", %" PRIu64 " of them with their layers' fronts, %" PRIu64
	              " by bounds alone, %" PRIu64 " refused by rules or limits\n",
	              report->n_machine, report->n_searched, report->n_behind, report->n_refused);
	(void)fprintf(file,
	              "  layers: %" PRIu64 ", of each machine and in each place; %" PRIu64 " points on their fronts\n",
	              report->n_layer, report->n_point);
	(void)fprintf(file,
	              "  boxes of splits: %" PRIu64 ", of which a point dominates %" PRIu64 ", nothing runs in %" PRIu64
	              ", %" PRIu64 " are one design, priced again, and the others are divided\n",
	              report->n_box, report->n_cut, report->n_infeasible, report->n_priced);
	(void)fprintf(file, "  sums over the layers of networks: %" PRIu64 "\n", report->n_sum);
	if (strcmp(report->model, model_version) == 0)
		(void)fprintf(file, "  model %s\n", report->model);
	else
		(void)fprintf(file, "  made by model %s, and all of it is true of this program's, %s\n", report->model,
		              model_version);
}

enum err_code cmd_check_certificate(const struct cli_options *options, struct err *err)
{
	struct certify_report report;
	assert(options->n_file >= 1);
	enum err_code code =
	    certify_check(options->file[0], options->n_file > 1 ? options->file[1] : NULL, &report, err);
	struct output_file file = {0};
	if (code == ERR_OK)
		code = output_file_open(&file, options->out, err);
	if (code != ERR_OK)
		return code;
	if (options->json)
		print_json(file.file, &report);
	else if (!options->quiet)
		print_text(file.file, &report);
	return output_file_commit(&file, err);
}
