/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* realpath of POSIX */
/*
 * dse size: a sizing question without a file. The command line becomes the text of a space, which is written and then
 * explored as any other: all that can be wrong with a space is told by its reader, at its place in that file.
 */
#include "dse/base/memory.h"
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/cmd/explore_command.h"
#include "dse/keep/output_file.h"
#include "dse/out/command_word.h"
#include "dse/out/paths.h"
#include "dse/out/words.h"
#include "dse/out/yaml_write.h"
#include "sim/base/hash.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_OUT "results"
#define STEM_SIZE 48 /* of a space's name */

/* A file's name as a part of a space's: its base without ending, of letters that those may have. */
static void add_stem(char stem[STEM_SIZE], const char *file)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	const char *slash = strrchr(file, '/');
	size_t n = strlen(stem);
	if (n + 2 >= STEM_SIZE)
		return;
	stem[n++] = '_';
	for (const char *at = slash ? slash + 1 : file; *at && *at != '.' && n + 1 < STEM_SIZE; at++)
		stem[n++] = strchr(allowed, *at) ? *at : '_';
	stem[n] = '\0';
}

/*
 * How the space names a file that the command line names: a shipped one by name, any other by its whole path, since
 * paths of a space are relative to its file. ERR_IO where there is none.
 */
static enum err_code name_file(const char *given, const char *kind, const char *space_path, struct arena *arena,
                               const char **name, struct err *err)
{
	const char *found = NULL, *again = NULL;
	struct err ignored = {0};
	enum err_code code = path_find(given, kind, arena, &found, err);
	if (code != ERR_OK)
		return code;
	char *whole = realpath(found, NULL), *other = NULL;
	if (path_find_beside(space_path, given, kind, arena, &again, &ignored) == ERR_OK)
		other = realpath(again, NULL);
	err_clear(&ignored);
	/* a path is relative to where the command runs, which the space does not know */
	bool is_path = strchr(given, '/') || path_ends_in(given, ".yaml") || path_ends_in(given, ".onnx");
	bool is_same = !is_path && whole && other && strcmp(whole, other) == 0;
	*name = memory_must(arena_text(arena, is_same || !whole ? given : whole));
	free(whole);
	free(other);
	return ERR_OK;
}

/* KEY of KEY=VALUES, and where VALUES begin. ERR_USAGE. */
static enum err_code split_vary(const char *text, char key[64], const char **values, struct err *err)
{
	const char *equals = strchr(text, '=');
	if (!equals || equals == text || !equals[1] || (size_t)(equals - text) >= 64)
		return err_add(err, ERR_USAGE,
		               "dse size: --vary is '%.60s', allowed is KEY=VALUES, e.g. mla.array=16x4,32x4 or "
		               "pe.sram_byte=64KiB..256KiB:x2",
		               text);
	(void)snprintf(key, 64, "%.*s", (int)(equals - text), text);
	*values = equals + 1;
	return ERR_OK;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Objectives where none is given: what is better whatever varies, and what is larger where it does. */
static void put_objectives(FILE *file, const struct cli_options *options)
{
	static const char *const macs[] = {"mla.array", "systolic.array", "qpe.n_pe", "chip.n_qpe", "chip.mesh_"};
	static const char *const srams[] = {"pe.sram_byte", "systolic.ifmap_byte", "systolic.filter_byte",
	                                    "systolic.ofmap_byte"};
	bool has_mac = false, has_sram = false;
	for (size_t i = 0; i < options->vary.n; i++) {
		for (size_t k = 0; k < sizeof(macs) / sizeof(macs[0]); k++)
			has_mac = has_mac || begins(options->vary.text[i], macs[k]);
		for (size_t k = 0; k < sizeof(srams) / sizeof(srams[0]); k++)
			has_sram = has_sram || begins(options->vary.text[i], srams[k]);
	}
	(void)fputs("objectives: [", file);
	for (size_t i = 0; i < options->objective.n; i++) {
		(void)fputs(i ? ", " : "", file);
		yaml_write_quoted(file, options->objective.text[i]);
	}
	if (options->objective.n == 0)
		(void)fprintf(file, "latency_ms, energy_mj%s%s", has_mac ? ", mac_units" : "",
		              has_sram ? ", sram_byte" : "");
	(void)fputs("]\n", file);
}

/* A list of values as YAML has it; a range is one text. Values are not looked at: the space's reader does. */
static void put_axis(FILE *file, const char *key, const char *values)
{
	bool is_list = strchr(values, ',') != NULL;
	(void)fputs("  ", file);
	yaml_write_text(file, key);
	(void)fputs(is_list ? ": [" : ": ", file);
	for (const char *at = values; at;) {
		char word[128];
		size_t n = strcspn(at, ",");
		(void)snprintf(word, sizeof(word), "%.*s", (int)n, at);
		yaml_write_text(file, word);
		at = at[n] ? at + n + 1 : NULL;
		(void)fputs(at ? ", " : "", file);
	}
	(void)fputs(is_list ? "]\n" : "\n", file);
}

static void put_command(FILE *file, const struct cli_options *options)
{
	static const struct {
		const char *name;
		size_t offset;
	} list[] = {{"vary", offsetof(struct cli_options, vary)},
	            {"limit", offsetof(struct cli_options, limit)},
	            {"objective", offsetof(struct cli_options, objective)}};
	(void)fputs("# Made by: dse size", file);
	for (size_t i = 0; i < options->n_file; i++) {
		(void)fputc(' ', file);
		command_word_print(file, options->file[i]);
	}
	for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
		const struct cli_list *of = (const void *)((const char *)options + list[k].offset);
		for (size_t i = 0; i < of->n; i++) {
			(void)fprintf(file, " --%s ", list[k].name);
			command_word_print(file, of->text[i]);
		}
	}
	(void)fputs("\n# Edit it, and go on with 'dse explore' and this file.\n", file);
}

/* The text of the space, for a file at path. */
static enum err_code write_space(FILE *file, const struct cli_options *options, const char *path, const char *name,
                                 struct arena *arena, struct err *err)
{
	enum err_code code = ERR_OK;
	put_command(file, options);
	(void)fprintf(file, "name: %s\n", name);
	for (size_t i = 0; i < options->n_file; i++) {
		const char *own = NULL;
		code = choice_worse(code,
		                    name_file(options->file[i], i ? "networks" : "machines", path, arena, &own, err));
		(void)fputs(i == 0 ? "machine: " : i == 1 ? "networks:\n  - " : "  - ", file);
		yaml_write_text(file, own ? own : "?");
		(void)fputc('\n', file);
	}
	if (options->vary.n > 0)
		(void)fputs("axes:\n", file);
	for (size_t i = 0; i < options->vary.n; i++) {
		char key[64];
		const char *values = NULL;
		enum err_code one = split_vary(options->vary.text[i], key, &values, err);
		if (one == ERR_OK)
			put_axis(file, key, values);
		code = choice_worse(code, one);
	}
	(void)fputs(
	    "layers:\n  - match: '.*'                        # all layers: every legal split, strategy and level\n"
	    "    conv_1x1: [conv, packed, matmul]   # and form of 1x1 convolutions\n",
	    file);
	(void)fputs(options->limit.n > 0 ? "constraints:\n" : "", file);
	for (size_t i = 0; i < options->limit.n; i++) {
		(void)fputs("  - ", file);
		yaml_write_quoted(file, options->limit.text[i]);
		(void)fputc('\n', file);
	}
	put_objectives(file, options);
	return code;
}

/* Write it to a file that is named after what it asks. *path: of the caller, to be freed. */
static enum err_code make_space(const struct cli_options *options, char **path, struct err *err)
{
	const char *out = options->out ? options->out : DEFAULT_OUT;
	char stem[STEM_SIZE] = "size", hex[HASH_HEX_SIZE], *text = NULL;
	size_t n_byte = 0;
	struct arena arena = {0};
	struct output_file file = {0};
	for (size_t i = 0; i < options->n_file; i++)
		add_stem(stem, options->file[i]);
	char *beside = memory_must(output_file_join(out, "size.yaml"));
	enum err_code code = output_file_make_dir(out, err);
	FILE *stream = memory_must(open_memstream(&text, &n_byte));
	if (code == ERR_OK)
		code = write_space(stream, options, beside, stem, &arena, err);
	memory_check(fclose(stream) == 0);
	hash_hex(text, n_byte, hex);
	size_t n_path = strlen(stem) + 16;
	char *base = memory_array(n_path, 1);
	(void)snprintf(base, n_path, "%s.%.6s.yaml", stem, hex);
	*path = memory_must(output_file_join(out, base));
	if (code == ERR_OK)
		code = output_file_open(&file, *path, err);
	if (code == ERR_OK) {
		(void)fwrite(text, 1, n_byte, file.file);
		code = output_file_commit(&file, err);
	}
	free(base);
	free(beside);
	free(text);
	arena_free(&arena);
	return code;
}

enum err_code cmd_size(const struct cli_options *options, struct err *err)
{
	char *path = NULL;
	struct explore_request request = choice_explore(options);
	assert(options->n_file >= 2);
	if (options->vary.n == 0)
		return err_add(err, ERR_USAGE,
		               "dse size: --vary is missing: which parameters of the machine vary, e.g. --vary "
		               "mla.array=16x4,32x4; 'dse map' finds the best mapping on one machine");
	enum err_code code = make_space(options, &path, err);
	if (code == ERR_OK) {
		if (!options->quiet)
			words_note("The space: %s\n", path);
		request.space = path;
		code = explore_command_run(options, request, err);
	}
	free(path);
	return code;
}
