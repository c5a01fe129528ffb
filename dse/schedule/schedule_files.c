/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/schedule/schedule_files_parts.h"
#include "dse/schedule/sram_map.h"
#include "dse/out/json.h"
#include "dse/keep/store.h"
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

static enum err_code out_of_memory(struct err *err)
{
	return err_add(err, ERR_INTERNAL, "out of memory for the files of a schedule");
}

/* Notes of layers and names of tensors, empty. */
static bool make_notes(struct schedule_files *files)
{
	files->layer = arena_array(&files->arena, files->dram.n_layer, sizeof(*files->layer));
	files->tensor_name = arena_array(&files->arena, files->dram.n_tensor, sizeof(*files->tensor_name));
	return files->layer && files->tensor_name;
}

enum err_code schedule_files_plan(const struct octopus_graph *graph, const struct machine *machine,
                                  uint64_t capacity_byte, struct schedule_files *files, struct octopus_memory *memory,
                                  struct err *err)
{
	*files = (struct schedule_files){0};
	enum err_code code = octopus_dram_plan(graph, machine, capacity_byte, &files->dram, memory, err);
	if (code == ERR_OK && !make_notes(files))
		code = out_of_memory(err);
	if (code != ERR_OK) {
		schedule_files_free(files);
		return code;
	}
	(void)snprintf(files->network, sizeof(files->network), "%s", graph->network->name);
	(void)snprintf(files->machine, sizeof(files->machine), "%s", machine->name);
	for (uint32_t l = 0; l < graph->n_layer; l++)
		memcpy(files->layer[l].name, graph->layer[l].name, BLOCK_NAME_SIZE);
	for (uint32_t t = 0; t < graph->n_tensor; t++)
		memcpy(files->tensor_name[t], graph->tensor[t].name, BLOCK_NAME_SIZE);
	return ERR_OK;
}

/* ---- writing ---- */

static bool put_file(unsigned which, const struct schedule_files *files, FILE *file)
{
	struct pack pack = {0};
	if (which == FILE_MAP)
		schedule_map_write(files, file);
	if (which == FILE_YAML)
		schedule_yaml_write(files, file);
	if (which == FILE_SRAM)
		sram_map_write(files, file);
	if (which != FILE_IMAGE)
		return true;
	bool good = dram_image_write(&files->dram, &pack);
	if (good)
		(void)fwrite(pack.data, 1, pack.n, file);
	pack_free(&pack);
	return good;
}

enum err_code schedule_files_write(const char *folder, const struct schedule_files *files, struct err *err)
{
	struct store_file file[N_FILE] = {0};
	unsigned n_file = sram_map_is_due(files) ? N_FILE : FILE_SRAM;
	enum err_code code = store_make_dir(folder, err);
	for (unsigned i = 0; i < n_file && code == ERR_OK; i++) {
		char *path = store_join(folder, file_name[i]);
		code = path ? store_open(&file[i], path, err) : out_of_memory(err);
		free(path);
		if (code == ERR_OK && !put_file(i, files, file[i].file))
			code = out_of_memory(err);
	}
	for (unsigned i = 0; i < n_file; i++) {
		if (code == ERR_OK)
			code = store_commit(&file[i], err);
		else
			store_abandon(&file[i]);
	}
	return code;
}

/* ---- reading ---- */

enum err_code schedule_text_read(const char *folder, const char *name, size_t most, struct schedule_text *text,
                                 struct err *err)
{
	text->path = store_join(folder, name);
	if (!text->path)
		return out_of_memory(err);
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
	FILE *file = open_memstream(&expected, &n);
	bool good = file && put_file(which, files, file) && !ferror(file);
	if (file)
		good = fclose(file) == 0 && good;
	enum err_code code = good ? schedule_text_compare(bytes, expected, n, err) : out_of_memory(err);
	free(expected);
	return code;
}

static enum err_code read_all(struct schedule_text bytes[N_FILE], struct schedule_files *files, struct err *err)
{
	const struct schedule_text *image = &bytes[FILE_IMAGE], *yaml = &bytes[FILE_YAML];
	enum err_code code = dram_image_read(image->path, (const uint8_t *)image->data, image->n, &files->dram, err);
	if (code == ERR_OK)
		code = dram_check(image->path, &files->dram, err);
	if (code == ERR_OK && !make_notes(files))
		code = out_of_memory(err);
	if (code == ERR_OK)
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
		code = sram_map_read(text->path, text->data, text->n, files, err);
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
	if (code == ERR_OK && sram_map_is_due(files))
		code = read_sram(folder, &bytes[FILE_SRAM], files, err);
	if (code == ERR_OK)
		code =
		    sram_map_check(bytes[FILE_SRAM].path ? bytes[FILE_SRAM].path : bytes[FILE_YAML].path, files, err);
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

static bool summarise(const struct octopus_dram *dram, struct summary *summary)
{
	struct octopus_buffer *buffer = malloc(dram->n_tensor * sizeof(*buffer));
	if (!buffer)
		return false;
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
	bool good = octopus_memory_bound(buffer, dram->n_tensor, &summary->bound_byte);
	free(buffer);
	return good;
}

static void print_text(const struct schedule_files *files, const struct summary *summary, FILE *file)
{
	const struct octopus_dram *dram = &files->dram;
	const struct dram_area *area[] = {&dram->global, &dram->times, &dram->layers, &dram->constants, &dram->data};
	static const char *const name[] = {"global", "times", "layers", "constants", "data"};
	struct table table = {0};
	(void)fprintf(file, "%s on %s: %u layers, %" PRIu64 " tiles on up to %u workers, %.3f us\n\n", files->network,
	              files->machine, dram->n_layer, summary->n_tile, dram->n_worker, files->total_us);
	table_add_column(&table, "area", false);
	table_add_column(&table, "address", true);
	table_add_column(&table, "byte", true);
	for (size_t i = 0; i < sizeof(area) / sizeof(area[0]); i++) {
		table_add(&table, "%s", name[i]);
		table_add(&table, "%" PRIu64, area[i]->address);
		table_add(&table, "%" PRIu64, area[i]->byte);
	}
	table_print(&table, file, 2);
	table_free(&table);
	(void)fprintf(file,
	              "\nactivations: %u tensors, %" PRIu64 " bytes together, %" PRIu64
	              " alive at once at most, %" PRIu64 " used\nreads: %" PRIu64 " patches, %" PRIu64
	              " of them whole tensors of views\n",
	              dram->n_tensor, summary->apart_byte, summary->bound_byte, dram->data.byte, summary->n_patch,
	              summary->n_whole);
}

static void put_json(const struct schedule_files *files, const struct summary *summary, struct json *json)
{
	const struct octopus_dram *dram = &files->dram;
	json_begin_object(json, NULL);
	json_put_text(json, "network", files->network);
	json_put_text(json, "machine", files->machine);
	json_put_text(json, "strategy", files->strategy);
	json_put_real(json, "total_us", files->total_us);
	json_put_u64(json, "layers", dram->n_layer);
	json_put_u64(json, "workers", dram->n_worker);
	json_put_u64(json, "tiles", summary->n_tile);
	json_put_u64(json, "tensors", dram->n_tensor);
	json_put_u64(json, "image_byte", dram->constants.address);
	json_put_u64(json, "constants_byte", dram->constants.byte);
	json_put_u64(json, "data_byte", dram->data.byte);
	json_put_u64(json, "alive_byte", summary->bound_byte);
	json_put_u64(json, "apart_byte", summary->apart_byte);
	json_put_u64(json, "capacity_byte", dram->capacity_byte);
	json_put_u64(json, "patches", summary->n_patch);
	json_put_u64(json, "whole_patches", summary->n_whole);
	json_end(json);
}

enum err_code schedule_files_put_json(const struct schedule_files *files, struct json *json, struct err *err)
{
	struct summary summary;
	assert(files->layer);
	if (!summarise(&files->dram, &summary))
		return out_of_memory(err);
	put_json(files, &summary, json);
	return ERR_OK;
}

enum err_code schedule_files_print(const struct schedule_files *files, FILE *file, struct err *err)
{
	struct summary summary;
	assert(files->layer);
	if (!summarise(&files->dram, &summary))
		return out_of_memory(err);
	print_text(files, &summary, file);
	return ERR_OK;
}
