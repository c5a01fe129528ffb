/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/schedule/schedule_files_parts.h"
#include "dse/base/memory.h"
#include "dse/keep/output_file.h"
#include "dse/out/json.h"
#include "dse/out/table.h"
#include "sim/base/file.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SHOWN 120 /* bytes of a line in a message */

enum { FILE_IMAGE, FILE_MAP, FILE_YAML, FILE_SRAM, N_FILE }; /* the last one only where something stays */
static const char *const file_name[N_FILE] = {"dram.bin", "dram.map", "schedule.yaml", "sram.map"};

void schedule_files_free(struct schedule_files *files)
{
	octopus_dram_free(&files->dram);
	arena_free(&files->arena);
	memset(files, 0, sizeof(*files));
}

/* Notes of layers and names of tensors, empty. */
static void make_notes(struct schedule_files *files)
{
	files->layer = memory_must(arena_array(&files->arena, files->dram.n_layer, sizeof(*files->layer)));
	files->tensor_name = memory_must(arena_array(&files->arena, files->dram.n_tensor, sizeof(*files->tensor_name)));
}

enum err_code schedule_files_plan(const struct octopus_graph *graph, const struct machine *machine,
                                  uint64_t capacity_byte, struct schedule_files *files, struct octopus_memory *memory,
                                  struct err *err)
{
	*files = (struct schedule_files){0};
	enum err_code code = octopus_dram_plan(graph, machine, capacity_byte, &files->dram, memory, err);
	if (code != ERR_OK) {
		schedule_files_free(files);
		return code;
	}
	make_notes(files);
	(void)snprintf(files->network, sizeof(files->network), "%s", graph->network->name);
	(void)snprintf(files->machine, sizeof(files->machine), "%s", machine->name);
	for (uint32_t l = 0; l < graph->n_layer; l++)
		memcpy(files->layer[l].name, graph->layer[l].name, BLOCK_NAME_SIZE);
	for (uint32_t t = 0; t < graph->n_tensor; t++)
		memcpy(files->tensor_name[t], graph->tensor[t].name, BLOCK_NAME_SIZE);
	return ERR_OK;
}

/* ---- writing ---- */

static void put_image(const struct schedule_files *files, FILE *file)
{
	struct pack pack = {0};
	dram_image_write(&files->dram, &pack);
	(void)fwrite(pack.data, 1, pack.n, file);
	pack_free(&pack);
}

static void (*const put_file[N_FILE])(const struct schedule_files *files, FILE *file) = {
    put_image, schedule_map_write, schedule_yaml_write, schedule_sram_write};

enum err_code schedule_files_write(const char *folder, const struct schedule_files *files, struct err *err)
{
	struct output_file file[N_FILE] = {0};
	unsigned n_file = schedule_sram_is_due(files) ? N_FILE : FILE_SRAM;
	enum err_code code = output_file_make_dir(folder, err);
	for (unsigned i = 0; i < n_file && code == ERR_OK; i++) {
		code = output_file_open_in(&file[i], folder, file_name[i], err);
		if (code == ERR_OK)
			put_file[i](files, file[i].file);
	}
	for (unsigned i = 0; i < n_file; i++) {
		if (code == ERR_OK)
			code = output_file_commit(&file[i], err);
		else
			output_file_abandon(&file[i]);
	}
	return code;
}

/* ---- reading ---- */

enum err_code schedule_text_read(const char *folder, const char *name, size_t most, struct schedule_text *text,
                                 struct err *err)
{
	text->path = memory_must(output_file_join(folder, name));
	enum err_code code = file_read(text->path, most, &text->data, &text->n, err);
	if (code == ERR_OK && text->n > most)
		code = err_add(err, ERR_INPUT, "%s:1: longer than %zu bytes", text->path, most);
	return code;
}

void schedule_text_free(struct schedule_text *text)
{
	free(text->data);
	free(text->path);
	*text = (struct schedule_text){0};
}

/* As much of a line as a message shows. */
static int line_length(const char *text, size_t n)
{
	size_t most = n < MAX_SHOWN ? n : MAX_SHOWN;
	const char *end = most > 0 ? memchr(text, '\n', most) : NULL;
	return end ? (int)(end - text) : (int)most;
}

/* The first line in which a text differs from what it is expected to be; both may end before the other. */
enum err_code schedule_text_compare(const struct schedule_text *bytes, const char *expected, size_t n_expected,
                                    struct err *err)
{
	size_t begin = 0;
	unsigned line = 1;
	if (bytes->n == n_expected && memcmp(bytes->data, expected, n_expected) == 0)
		return ERR_OK;
	for (size_t i = 0; i < bytes->n && i < n_expected && bytes->data[i] == expected[i]; i++) {
		if (expected[i] != '\n')
			continue;
		line++;
		begin = i + 1;
	}
	return err_add(err, ERR_INPUT, "%s:%u:1: line is '%.*s', expected '%.*s' as follows from dram.bin and names",
	               bytes->path, line, line_length(bytes->data + begin, bytes->n - begin), bytes->data + begin,
	               line_length(expected + begin, n_expected - begin), expected + begin);
}

/* A text against the one that would be written now. */
static enum err_code check_text(unsigned which, const struct schedule_text *bytes, const struct schedule_files *files,
                                struct err *err)
{
	char *expected = NULL;
	size_t n = 0;
	FILE *file = memory_must(open_memstream(&expected, &n));
	put_file[which](files, file);
	memory_check(fclose(file) == 0);
	enum err_code code = schedule_text_compare(bytes, expected, n, err);
	free(expected);
	return code;
}

static enum err_code read_all(struct schedule_text bytes[N_FILE], struct schedule_files *files, struct err *err)
{
	const struct schedule_text *image = &bytes[FILE_IMAGE], *yaml = &bytes[FILE_YAML];
	enum err_code code = dram_image_read(image->path, (const uint8_t *)image->data, image->n, &files->dram, err);
	if (code == ERR_OK)
		code = dram_check(image->path, &files->dram, err);
	if (code != ERR_OK)
		return code;
	make_notes(files);
	code = schedule_yaml_read(yaml->path, yaml->data, yaml->n, files, err);
	if (code == ERR_OK)
		code = check_text(FILE_YAML, yaml, files, err);
	if (code == ERR_OK)
		code = check_text(FILE_MAP, &bytes[FILE_MAP], files, err);
	return code;
}

static enum err_code read_sram(const char *folder, struct schedule_text *text, struct schedule_files *files,
                               struct err *err)
{
	enum err_code code = schedule_text_read(folder, file_name[FILE_SRAM], SCHEDULE_MAX_TEXT_BYTE, text, err);
	if (code == ERR_OK)
		code = schedule_sram_read(text->path, text->data, text->n, files, err);
	if (code == ERR_OK)
		code = check_text(FILE_SRAM, text, files, err);
	return code;
}

enum err_code schedule_files_read(const char *folder, struct schedule_files *files, struct err *err)
{
	struct schedule_text bytes[N_FILE] = {0};
	enum err_code code = ERR_OK;
	*files = (struct schedule_files){0};
	for (unsigned i = 0; i < FILE_SRAM && code == ERR_OK; i++)
		code =
		    schedule_text_read(folder, file_name[i],
		                       i == FILE_IMAGE ? DRAM_IMAGE_MAX_BYTE : SCHEDULE_MAX_TEXT_BYTE, &bytes[i], err);
	if (code == ERR_OK)
		code = read_all(bytes, files, err);
	if (code == ERR_OK && schedule_sram_is_due(files))
		code = read_sram(folder, &bytes[FILE_SRAM], files, err);
	if (code == ERR_OK)
		code = schedule_sram_check(bytes[bytes[FILE_SRAM].path ? FILE_SRAM : FILE_YAML].path, files, err);
	for (unsigned i = 0; i < N_FILE; i++)
		schedule_text_free(&bytes[i]);
	if (code != ERR_OK)
		schedule_files_free(files);
	return code;
}

/* ---- summary ---- */

struct summary {
	uint64_t bound_byte, apart_byte; /* of the activations: alive at once; without sharing */
	uint64_t n_tile, n_patch, n_whole;
};

static void summarise(const struct octopus_dram *dram, struct summary *summary)
{
	struct octopus_buffer *buffer = memory_array(dram->n_tensor, sizeof(*buffer));
	*summary = (struct summary){0};
	for (uint32_t t = 0; t < dram->n_tensor; t++) {
		const struct dram_tensor *tensor = &dram->tensor[t];
		buffer[t] = (struct octopus_buffer){tensor->byte, tensor->first, tensor->last, tensor->address};
		summary->apart_byte += tensor->byte;
	}
	for (uint32_t l = 0; l < dram->n_layer; l++) {
		summary->n_tile += dram->layer[l].n_tile;
		for (uint32_t i = 0; i < dram->layer[l].n_tile; i++) {
			const struct dram_tile *tile = &dram->layer[l].tile[i];
			summary->n_patch += tile->n_read;
			for (uint32_t r = 0; r < tile->n_read; r++)
				summary->n_whole += tile->read[r].is_whole;
		}
	}
	memory_check(octopus_memory_bound(buffer, dram->n_tensor, &summary->bound_byte));
	free(buffer);
}

void schedule_files_print(const struct schedule_files *files, FILE *file)
{
	const struct octopus_dram *dram = &files->dram;
	struct summary summary;
	const struct dram_area *area[] = {&dram->global, &dram->times, &dram->layers, &dram->constants, &dram->data};
	static const char *const name[] = {"global", "times", "layers", "constants", "data"};
	struct table table = {0};
	assert(files->layer);
	summarise(dram, &summary);
	(void)fprintf(file, "%s on %s: %u layers, %" PRIu64 " tiles on up to %u workers, %.3f us\n\n", files->network,
	              files->machine, dram->n_layer, summary.n_tile, dram->n_worker, files->total_us);
	table_add_columns(&table, "area|>address|>byte");
	for (size_t i = 0; i < sizeof(area) / sizeof(area[0]); i++)
		table_add_row(&table, "%s|%" PRIu64 "|%" PRIu64, name[i], area[i]->address, area[i]->byte);
	table_finish(&table, file, 2);
	(void)fprintf(
	    file,
	    "\nactivations: %u tensors, %" PRIu64 " bytes together, %" PRIu64 " alive at once at most, %" PRIu64
	    " used\nreads: %" PRIu64 " patches, %" PRIu64 " of them whole tensors of views\n",
	    dram->n_tensor, summary.apart_byte, summary.bound_byte, dram->data.byte, summary.n_patch, summary.n_whole);
}

void schedule_files_put_json(const struct schedule_files *files, struct json *json)
{
	const struct octopus_dram *dram = &files->dram;
	struct summary summary;
	assert(files->layer);
	summarise(dram, &summary);
	json_begin_object(json, NULL);
	json_put_fields(json, "network %s, machine %s, strategy %s, total_us %g, layers %u, workers %u, tiles %" PRIu64,
	                files->network, files->machine, files->strategy, files->total_us, dram->n_layer, dram->n_worker,
	                summary.n_tile);
	json_put_u64(json, "tensors", dram->n_tensor);
	json_put_u64(json, "image_byte", dram->constants.address);
	json_put_u64(json, "constants_byte", dram->constants.byte);
	json_put_u64(json, "data_byte", dram->data.byte);
	json_put_u64(json, "alive_byte", summary.bound_byte);
	json_put_u64(json, "apart_byte", summary.apart_byte);
	json_put_u64(json, "capacity_byte", dram->capacity_byte);
	json_put_u64(json, "patches", summary.n_patch);
	json_put_u64(json, "whole_patches", summary.n_whole);
	json_end(json);
}
