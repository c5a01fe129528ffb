/* SPDX-License-Identifier: Apache-2.0 */
/* dse explore: read a space, search it, write the front, print it. */
#include "dse/base/memory.h"
#include "dse/keep/ranks.h"
#include "dse/run/explore_job.h"
#include "dse/search/effort.h"
#include <stdlib.h>

enum err_code cmd_explore(const struct cli_options *options, struct err *err)
{
	struct run_keep *keep = memory_array(1, sizeof(*keep));
	*keep = (struct run_keep)RUN_KEEP_CLOSED;
	struct cli_options own = *options;
	enum err_code code = effort_apply(&own, err);
	options = &own;
	if (code == ERR_OK)
		code = run_keep_start(keep, &options, err);
	code = ranks_agree(code, err);
	bool judges = own.audit || own.audit_samples > 0 || own.verify || own.prove || own.compare.n > 0;
	if (code == ERR_OK && keep->is_complete && judges) {
		code = err_add(err, ERR_USAGE,
		               "dse explore: the run in %s is complete; --audit, --verify, --prove and --compare come "
		               "with a search: "
		               "give them without --resume",
		               own.resume);
		run_keep_close(keep, true);
	} else if (code == ERR_OK && keep->is_complete) {
		if (!options->quiet && ranks_index() == 0)
			(void)fprintf(stderr, "%s: complete, there is nothing left to do\n", options->resume);
		run_keep_close(keep, true);
	} else if (code == ERR_OK) {
		code = explore_job_run(options, keep, NULL, err);
	} else {
		run_keep_close(keep, true);
	}
	free(keep);
	return code;
}
