/* SPDX-License-Identifier: Apache-2.0 */
/* dse why: a choice that a run did not take, searched anew beside its front. */
#include "dse/base/parallel.h"
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/keep/output_file.h"
#include "dse/why/why.h"
#include <assert.h>

enum err_code cmd_why(const struct cli_options *options, struct err *err)
{
	struct kept_run run = {0};
	struct why_choice choice = {.text = ""};
	struct why why;
	struct output_file file = {0};
	assert(options->n_file >= 2);
	enum err_code code = choice_open_run(options, &run, err);
	if (code == ERR_OK)
		code = why_parse(&run.space, (const char *const *)options->file + 1, options->n_file - 1, &choice, err);
	if (code == ERR_OK)
		code = why_make(&run.space, &choice, parallel_n_thread((size_t)options->jobs), NULL, &why, err);
	if (code == ERR_OK)
		code = output_file_open(&file, options->out, err);
	if (code == ERR_OK) {
		if (options->json)
			why_put_json(file.file, &why);
		else
			why_print(file.file, &why);
		code = output_file_commit(&file, err);
	}
	why_choice_free(&choice);
	kept_run_free(&run);
	return code;
}
