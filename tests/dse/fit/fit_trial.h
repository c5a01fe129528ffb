/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FIT_TRIAL_H
#define TESTS_FIT_TRIAL_H
/* What the tests of fitting share: a table written, read and fitted, and questions to the result. cmocka comes first.
 */
#include "dse/fit/fit_parts.h"
#include "dse/space/machine_read.h"
#include "dse/space/space.h"
#include "sim/base/rng.h"
#include "tests/support/temporary.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHAPE_HEADER "task,kind,in_w,in_h,in_c,k_w,k_h,out_c"
#define CLK_HEADER "kind,in_w,in_h,in_c,k_w,k_h,out_c,clk"

/* A table as a file, its reading and its fit. */
struct trial {
	char path[TEMPORARY_SIZE];
	struct machine machine;
	struct fit_data data;
	struct fit_result result;
	struct err err;
	enum err_code code;
};

static inline struct machine read_machine(void)
{
	struct machine machine;
	struct err err = {0};
	if (machine_read("spaces/machines/dvfs_chip.yaml", &machine, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	return machine;
}

static inline void start(struct trial *trial, FILE **file)
{
	memset(trial, 0, sizeof(*trial));
	trial->machine = read_machine();
	*file = temporary_open(trial->path);
}

static inline void finish(struct trial *trial, FILE *file, const struct fit_options *options)
{
	assert_int_equal(fclose(file), 0);
	trial->code = fit_read(trial->path, &trial->machine, options, &trial->data, &trial->err);
	if (trial->code == ERR_OK)
		trial->code = fit_run(&trial->data, options, &trial->result, &trial->err);
	(void)unlink(trial->path);
}

static inline void end(struct trial *trial)
{
	fit_free(&trial->data);
	err_clear(&trial->err);
}

static inline void run_text(struct trial *trial, const char *text, const struct fit_options *options)
{
	FILE *file;
	start(trial, &file);
	(void)fputs(text, file);
	finish(trial, file, options);
}

static const struct fit_options no_options;

static inline double normal(struct rng *rng)
{
	return sqrt(-2 * log(1 - rng_unit(rng))) * cos(2 * acos(-1) * rng_unit(rng));
}

static inline const struct fit_param *find(const struct trial *trial, const char *name)
{
	for (size_t i = 0; i < trial->result.n_group; i++)
		for (size_t k = 0; k < trial->result.group[i].n_param; k++)
			if (strcmp(fit_param_name(&trial->data, &trial->result.group[i].param[k]).text, name) == 0)
				return &trial->result.group[i].param[k];
	fail_msg("no parameter %s", name);
	return NULL;
}

static inline double off_pct(const struct trial *trial, const char *name, double truth)
{
	return 100 * fabs(find(trial, name)->value / truth - 1);
}

static inline bool has_warning(const struct trial *trial, const char *text)
{
	for (size_t i = 0; i < trial->result.n_group; i++)
		for (size_t k = 0; k < trial->result.group[i].n_warning; k++)
			if (strstr(trial->result.group[i].warning[k], text))
				return true;
	return false;
}

#endif
