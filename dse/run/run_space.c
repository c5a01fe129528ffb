/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/run/run_space.h"
#include "dse/base/memory.h"
#include "dse/keep/output_file.h"
#include "dse/space/machine_set.h"
#include "sim/base/file.h"
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- bytes ---- */

/* From the store; false where it does not keep them. */
static bool load_kept(struct database *store, const char *hash, char **data, size_t *n_byte, struct err *err)
{
	struct err missing = {0};
	if (!store)
		return false;
	enum err_code code = run_store_content(store, hash, data, n_byte, &missing);
	if (code != ERR_OK && code != ERR_INPUT)
		(void)err_add_all(err, (struct err_place){0}, &missing);
	err_clear(&missing);
	return code == ERR_OK;
}

/* From the disk; false where the file is not there, or another one by now. */
static bool load_same(const struct run_file *input, char **data, size_t *n_byte)
{
	char hex[HASH_HEX_SIZE] = "";
	struct err missing = {0};
	if (file_read(input->name, SIZE_MAX / 2, data, n_byte, &missing) == ERR_OK)
		hash_hex(*data, *n_byte, hex);
	err_clear(&missing);
	if (strcmp(hex, input->hash) == 0)
		return true;
	free(*data);
	*data = NULL;
	return false;
}

static enum err_code load_input(struct database *store, struct run_file *input, struct arena *arena, struct err *err)
{
	char *data = NULL;
	size_t n_byte = 0;
	unsigned n_before = err->n_message;
	if (machine_set_in_name(input->name)) {
		input->data = input->name; /* it says all */
		input->n_byte = strlen(input->name);
		return ERR_OK;
	}
	if (!load_kept(store, input->hash, &data, &n_byte, err) && err->n_message > n_before)
		return err->code;
	if (!data && !load_same(input, &data, &n_byte))
		return err_add(err, ERR_INPUT, "%s: as it was then it is not kept, and not on the disk any more",
		               input->name);
	char *own = memory_must(arena_alloc(arena, n_byte + 1));
	if (n_byte > 0)
		memcpy(own, data, n_byte);
	free(data);
	input->data = own;
	input->n_byte = n_byte;
	return ERR_OK;
}

enum err_code run_inputs_load(struct database *store, struct run_record *run, struct arena *arena, struct err *err)
{
	enum err_code code = ERR_OK;
	assert(run && arena && err);
	for (size_t i = 0; i < run->n_input; i++) {
		enum err_code own = load_input(store, &run->input[i], arena, err);
		code = code == ERR_OK ? own : code;
	}
	return code;
}

/* ---- files ---- */

/* A folder with one folder a file, so that files of one name keep it: networks are named after theirs. */
struct unpacked {
	char folder[256];
	size_t n;
	const char **name;  /* [n] */
	char **dir, **path; /* [n] */
};

static enum err_code write_input(const char *path, const struct run_file *input, struct err *err)
{
	FILE *file = fopen(path, "wb");
	if (file && input->n_byte > 0)
		(void)fwrite(input->data, 1, input->n_byte, file); /* fclose tells what failed */
	bool failed = !file || ferror(file);
	if (file && fclose(file) != 0)
		failed = true;
	return failed ? err_add(err, ERR_IO, "%s: cannot write: %s", path, strerror(errno)) : ERR_OK;
}

static enum err_code unpack_input(struct unpacked *unpacked, const struct run_file *input, struct err *err)
{
	char number[32];
	const char *slash = strrchr(input->name, '/');
	size_t at = unpacked->n;
	(void)snprintf(number, sizeof(number), "%zu", at);
	unpacked->name[at] = input->name;
	unpacked->dir[at] = memory_must(output_file_join(unpacked->folder, number));
	unpacked->path[at] = memory_must(output_file_join(unpacked->dir[at], slash ? slash + 1 : input->name));
	unpacked->n++;
	if (mkdir(unpacked->dir[at], 0700) != 0)
		return err_add(err, ERR_IO, "%s: cannot make: %s", unpacked->dir[at], strerror(errno));
	return write_input(unpacked->path[at], input, err);
}

static enum err_code unpack(const struct run_file *input, size_t n, struct unpacked *unpacked, struct err *err)
{
	const char *parent = getenv("TMPDIR");
	int n_char = snprintf(unpacked->folder, sizeof(unpacked->folder), "%s/dse-inputs-XXXXXX",
	                      parent && *parent ? parent : "/tmp");
	if (n_char < 0 || (size_t)n_char >= sizeof(unpacked->folder) || !mkdtemp(unpacked->folder)) {
		(void)err_add(err, ERR_IO, "%s: cannot make a folder for a run's inputs: %s", unpacked->folder,
		              strerror(errno));
		unpacked->folder[0] = '\0';
		return ERR_IO;
	}
	unpacked->name = memory_array(n, sizeof(*unpacked->name));
	unpacked->path = memory_array(n, sizeof(*unpacked->path));
	unpacked->dir = memory_array(n, sizeof(*unpacked->dir));
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < n && code == ERR_OK; i++)
		code = unpack_input(unpacked, &input[i], err);
	return code;
}

static void remove_unpacked(struct unpacked *unpacked)
{
	for (size_t i = 0; i < unpacked->n; i++) {
		(void)unlink(unpacked->path[i]);
		(void)rmdir(unpacked->dir[i]);
		free(unpacked->path[i]);
		free(unpacked->dir[i]);
	}
	if (unpacked->folder[0])
		(void)rmdir(unpacked->folder);
	free(unpacked->name);
	free(unpacked->path);
	free(unpacked->dir);
}

/* Hand messages on, with the names that the run knew instead of the paths the files have for the moment. */
static void pass_on(const struct unpacked *unpacked, enum err_code code, const struct err *found, struct err *err)
{
	for (const char *line = err_text(found); *line;) {
		int n = (int)strcspn(line, "\n");
		const char *name = "", *rest = line;
		for (size_t i = 0; i < unpacked->n; i++) {
			size_t n_path = strlen(unpacked->path[i]);
			if (strncmp(line, unpacked->path[i], n_path) == 0) {
				name = unpacked->name[i];
				rest = line + n_path;
			}
		}
		(void)err_add(err, code, "%s%.*s", name, n - (int)(rest - line), rest);
		line += n + (line[n] == '\n');
	}
}

enum err_code run_space_read(const struct run_file *input, size_t n, const struct space_given *given,
                             struct space *space, struct err *err)
{
	struct unpacked unpacked = {.folder = ""};
	struct err found = {0};
	assert(input && n > 0 && space && err);
	*space = (struct space){0};
	enum err_code code = unpack(input, n, &unpacked, &found);
	if (code == ERR_OK) {
		const struct space_among among = {n, unpacked.name, (const char *const *)unpacked.path};
		code = space_read_among(&among, given, space, &found);
	}
	pass_on(&unpacked, code, &found, err);
	err_clear(&found);
	remove_unpacked(&unpacked);
	return code;
}
