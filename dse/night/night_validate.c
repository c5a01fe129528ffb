/* SPDX-License-Identifier: Apache-2.0 */
/* The models' errors of a night: what dse validate says of reference tables, noted for their trend. */
#include "dse/base/interrupt.h"
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "dse/keep/output_file.h"
#include "dse/night/night.h"
#include "dse/validate/validate.h"
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEFAULT_TABLES "tests/reference"

static bool is_folder(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* One table in the fast tier. In a folder there may be other tables, which are passed over. */
static enum err_code note_table(struct night *night, struct source *source, const char *path, bool must_be_one,
                                struct err *err)
{
	struct validation validation = {0};
	struct err messages = {0};
	enum err_code code = validate_file(path, source, &validation, &messages);
	if (interrupt_requested()) { /* errors of some rows are not the table's */
		code = ERR_INTERRUPTED;
	} else if (code == ERR_OK && validation.sum.n_counted > 0) {
		const char *slash = strrchr(path, '/');
		const struct night_error error = {.date = night->date,
		                                  .name = slash ? slash + 1 : path,
		                                  .n = validation.sum.n_counted,
		                                  .mean_pct = validation.sum.mean_abs_error_pct,
		                                  .max_pct = validation.sum.max_abs_error_pct};
		code = night_store_put_error(night->store, &error, err);
	} else if (code == ERR_INTERNAL || must_be_one) {
		(void)err_add_all(err, (struct err_place){0}, &messages);
	} else {
		code = ERR_OK;
	}
	err_clear(&messages);
	validate_free(&validation);
	return code;
}

/* A table, or all tables of a folder in the order of their names. */
static enum err_code note_path(struct night *night, struct source *source, const char *path, struct err *err)
{
	if (!is_folder(path))
		return note_table(night, source, path, true, err);
	glob_t found;
	char *pattern = memory_must(output_file_join(path, "*.csv"));
	enum err_code code = ERR_OK;
	if (glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc && code == ERR_OK && !interrupt_requested(); i++)
			code = note_table(night, source, found.gl_pathv[i], false, err);
		globfree(&found);
	}
	free(pattern);
	return code;
}

enum err_code night_validate(struct night *night, struct err *err)
{
	const struct night_request *request = &night->request;
	struct source *source = NULL;
	bool is_none = request->n_table == 1 && strcmp(request->table[0], "none") == 0;
	if (is_none || (request->n_table == 0 && !is_folder(DEFAULT_TABLES)))
		return ERR_OK;
	enum err_code code = source_open(NULL, NULL, &source, err);
	const struct detail_options detail = {.detail = DETAIL_FAST,
	                                      .n_thread = parallel_n_thread((size_t)request->jobs)};
	if (code == ERR_OK)
		source_set_detail(source, &detail);
	if (code == ERR_OK && request->n_table == 0)
		code = note_path(night, source, DEFAULT_TABLES, err);
	for (size_t i = 0; i < request->n_table && code == ERR_OK; i++)
		code = note_path(night, source, request->table[i], err);
	source_close(source);
	return code;
}
