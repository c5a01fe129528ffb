/* SPDX-License-Identifier: Apache-2.0 */
/* dse explore: read a space, search it, write the front, print it. */
#include "dse/base/child.h"
#include "dse/base/memory.h"
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/cmd/explore_command.h"
#include "dse/keep/ranks.h"
#include "dse/out/words.h"
#include "dse/run/explore_job.h"
#include "dse/run/effort.h"
#include <stdlib.h>

enum err_code explore_command_run(const struct cli_options *options, struct explore_request own, struct err *err)
{
	struct run_keep *keep = memory_array(1, sizeof(*keep));
	*keep = (struct run_keep)RUN_KEEP_CLOSED;
	const struct explore_request *request = &own;
	keep->takes_up = own.at_work && own.at_work->is_again && !own.resume;
	enum err_code code = effort_apply(options->effort, &own, err);
	if (code == ERR_OK)
		code = run_keep_start(keep, &request, err);
	code = ranks_agree(code, err);
	bool judges = own.audit || own.audit_samples > 0 || own.verify || own.prove || own.n_compare > 0;
	if (code == ERR_OK && keep->is_complete && judges) {
		code = err_add(err, ERR_USAGE,
		               "dse explore: the run in %s is complete; --audit, --verify, --prove and --compare come "
		               "with a search: "
		               "give them without --resume",
		               own.resume);
		run_keep_close(keep, true);
	} else if (code == ERR_OK && keep->is_complete) {
		if (!request->quiet && ranks_index() == 0)
			words_note("%s: complete, there is nothing left to do\n", request->resume);
		run_keep_close(keep, true);
	} else if (code == ERR_OK) {
		code = explore_job_run(request, keep, NULL, err);
	} else {
		run_keep_close(keep, true);
	}
	free(keep);
	return code;
}

enum err_code cmd_explore(const struct cli_options *options, struct err *err)
{
	struct explore_request request = choice_explore(options);
	if (!options->isolate && options->step_seconds == 0 && options->max_mb == 0)
		return explore_command_run(options, request, err);
	if (!options->isolate)
		return err_add(err, ERR_USAGE, "dse explore: --max-mb and --step-seconds go with --isolate");
	if (!child_begin())
		return explore_apart(options, err);
	request.at_work = at_work_join();
	enum err_code code = explore_command_run(options, request, err);
	if (code != ERR_INTERNAL) /* else it has done so where it wrote its results, or another one tries again */
		at_work_finish(request.at_work);
	return code;
}
