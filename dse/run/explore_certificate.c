/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/certify/certify.h"
#include "dse/keep/ranks.h"
#include "dse/run/explore_job_parts.h"

/* What cannot be certified, or where the search is not one process': the reason, and what to do; NULL: nothing. */
static const char *why_not(const struct explore_job *job)
{
	const struct explore_request *request = job->request;
	const struct explore_options *options = &job->options;
	if (options->engine != &engine_exact || options->flat)
		return "is of the exact engine's searches, layer by layer: with --engine exact, without --flat";
	if (options->prices || job->space.detail != DETAIL_FAST)
		return "is of a front in the fast tier: with --detail fast";
	if (options->epsilon > 0)
		return "needs the layers' whole fronts: without --epsilon or --effort quick";
	if (options->max_evaluation > 0)
		return "is of whole searches: without --max-evaluations";
	if (options->keeps_layers)
		return "is of the files' coefficients: without --coefficient-samples";
	if (job->space.least_tops_mm2 > 0)
		return "is of limits on one result each: without tops_mm2 among the constraints";
	if (request->n_set > 0)
		return "is of files: write what --set says into them";
	if (request->resume)
		return "is written while a search runs: without --resume (what the store knows serves)";
	if (request->shard || ranks_n() > 1)
		return "is written by one process: without --shard and mpirun";
	return NULL;
}

enum err_code explore_job_begin_certificate(struct explore_job *job, struct err *err)
{
	const char *path = job->request->certificate, *why = path ? why_not(job) : NULL;
	if (!path)
		return ERR_OK;
	if (why)
		return err_add(err, ERR_USAGE, "dse explore: --certificate %s", why);
	enum err_code code = certify_allows(&job->space, err);
	if (code == ERR_OK)
		code = output_file_open(&job->certificate, path, err);
	if (code == ERR_OK)
		code = certificate_log_begin(&job->certificate_log, &job->space, job->certificate.file, err);
	job->options.log = (struct explore_log){certificate_log_machine, &job->certificate_log};
	return code;
}

enum err_code explore_job_finish_certificate(struct explore_job *job, struct err *err)
{
	const struct explore *explore = &job->explore;
	if (!job->certificate.file)
		return ERR_OK;
	bool is_cut = explore->interrupted || explore->truncated || explore->n_failure > 0;
	bool is_vague = explore->counts.is_limited && explore->counts.epsilon > 0;
	if (is_cut || is_vague) {
		if (!job->request->quiet)
			(void)fprintf(
			    stderr, "no certificate: %s\n",
			    is_cut ? "the search was cut short"
				   : "of designs close to the limits nothing is proven; give a larger max_front");
		output_file_abandon(&job->certificate);
		return ERR_OK;
	}
	enum err_code code = certificate_log_end(&job->certificate_log, explore, job->options.n_thread, err);
	if (code != ERR_OK)
		return code;
	return output_file_commit(&job->certificate, err);
}
