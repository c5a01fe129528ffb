/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/run/point_name.h"
#include "dse/base/memory.h"
#include "dse/out/paths.h"
#include "dse/run/run_note.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRONT_NAME "front.json"

/* The folder of the run that the store has under this name, if its front is still there. */
static enum err_code find_folder(const struct store_request *request, const char *run_name, struct arena *arena,
                                 const char **folder, struct err *err)
{
	struct database *store = NULL;
	struct run_record run;
	char path[4096];
	enum err_code code = run_note_open(request, &store, err);
	if (code == ERR_OK)
		code = run_store_find(store, run_name, arena, &run, err);
	database_close(store);
	if (code != ERR_OK)
		return code;
	*folder = run.folder;
	int n = snprintf(path, sizeof(path), "%s/" FRONT_NAME, run.folder);
	if (n > 0 && (size_t)n < sizeof(path) && access(path, R_OK) == 0)
		return ERR_OK;
	return err_add(err, ERR_IO,
	               "run %" PRIu64 " has no %s any more; 'dse export %" PRIu64 " --json -o " FRONT_NAME
	               "' writes one",
	               run.id, path, run.id);
}

enum err_code point_name_resolve(const struct store_request *request, const char **name, struct arena *arena,
                                 struct err *err)
{
	struct stat status;
	assert(request && name && *name);
	const char *colon = strrchr(*name, ':');
	char *folder = memory_must(arena_text(arena, *name));
	if (!colon)
		return ERR_OK;
	folder[colon - *name] = '\0';
	bool is_there = stat(folder, &status) == 0;
	/* a path is no run of the store, and whoever reads it says what is wrong with it */
	if (!folder[0] || (is_there && !S_ISDIR(status.st_mode)) ||
	    (!is_there && (strchr(folder, '/') || path_ends_in(folder, ".json"))))
		return ERR_OK;
	const char *found = folder;
	enum err_code code = is_there ? ERR_OK : find_folder(request, folder, arena, &found, err);
	if (code != ERR_OK)
		return code;
	size_t n_byte = strlen(found) + strlen("/" FRONT_NAME) + strlen(colon) + 1;
	char *own = memory_must(arena_alloc(arena, n_byte));
	(void)snprintf(own, n_byte, "%s/" FRONT_NAME "%s", found, colon);
	*name = own;
	return ERR_OK;
}
