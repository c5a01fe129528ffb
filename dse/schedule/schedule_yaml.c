/* SPDX-License-Identifier: Apache-2.0 */
/* schedule.yaml, written from a plan; names and times, which the plan does not have, read from it. */
#include "dse/schedule/schedule_files_parts.h"
#include "dse/out/yaml_write.h"
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define MAX_REAL 1e15 /* us and nJ; three digits behind the point come back exactly */

/* ---- writing ---- */

void schedule_put_name(FILE *file, const char *key, const char *text)
{
	(void)fprintf(file, "%s: ", key);
	yaml_write_quoted(file, text);
}

static void put_area(FILE *file, const char *key, struct dram_area area)
{
	(void)fprintf(file, "%s: {address: %" PRIu64 ", byte: %" PRIu64 "}\n", key, area.address, area.byte);
}

static void put_pe(FILE *file, const struct dram_pe *pe)
{
	(void)fprintf(file, "{x: %u, y: %u, pe: %u}\n", pe->x, pe->y, pe->pe);
}

static void put_head(FILE *file, const struct schedule_files *files)
{
	const struct octopus_dram *dram = &files->dram;
	(void)fputs("# A schedule of dse; made again and compared when it is read, so edit the network or the machine "
	            "instead.\n",
	            file);
	(void)fputs("schedule: 1\n", file);
	schedule_put_name(file, "network", files->network);
	schedule_put_name(file, "\nmachine", files->machine);
	schedule_put_name(file, "\nlevel", files->level);
	schedule_put_name(file, "\nstrategy", files->strategy);
	(void)fprintf(file, "\ntotal_us: %.3f\nsetup_us: %.3f\ncleanup_us: %.3f\nenergy_nj: %.3f\n", files->total_us,
	              files->setup_us, files->cleanup_us, files->energy_nj);
	(void)fprintf(file, "capacity_byte: %" PRIu64 "\nareas:\n", dram->capacity_byte);
	put_area(file, "  global", dram->global);
	put_area(file, "  times", dram->times);
	put_area(file, "  layers", dram->layers);
	put_area(file, "  constants", dram->constants);
	put_area(file, "  data", dram->data);
	(void)fprintf(file, "mesh: {columns: %u, rows: %u, qpes: %u, pes: %u}\nscheduler: ", dram->mesh_w, dram->mesh_h,
	              dram->n_qpe, dram->n_pe);
	put_pe(file, &dram->scheduler);
	(void)fputs("workers:\n", file);
	for (uint32_t i = 0; i < dram->n_worker; i++) {
		(void)fputs("  - ", file);
		put_pe(file, &dram->worker[i]);
	}
}

static void put_tensors(FILE *file, const struct schedule_files *files)
{
	(void)fputs(
	    "tensors: # width, height, channels; alive from the first to the last of these layers, counted from 0\n",
	    file);
	for (uint32_t t = 0; t < files->dram.n_tensor; t++) {
		const struct dram_tensor *tensor = &files->dram.tensor[t];
		schedule_put_name(file, "  - {name", files->tensor_name[t]);
		(void)fprintf(
		    file,
		    ", size: [%u, %u, %u], address: %" PRIu64 ", byte: %" PRIu64 ", layers: [%u, %u], host: %s%s}\n",
		    tensor->w, tensor->h, tensor->c, tensor->address, tensor->byte, tensor->first, tensor->last,
		    tensor->is_input && !tensor->from_chip  ? "writes"
		    : tensor->is_output && !tensor->to_chip ? "reads"
							    : "none",
		    tensor->from_chip ? tensor->to_chip ? ", link: passes" : ", link: receives"
		    : tensor->to_chip ? tensor->in_sram ? ", link: sends, stays: sram" : ", link: sends"
		    : tensor->in_sram ? ", stays: sram"
				      : "");
	}
}

/* The tensors that a layer's tiles read, each once. */
static void put_reads(FILE *file, const struct schedule_files *files, const struct dram_layer *layer)
{
	const char *between = "";
	(void)fputs("    reads: [", file);
	for (uint32_t t = 0; t < files->dram.n_tensor; t++) {
		bool is_read = false;
		for (uint32_t i = 0; i < layer->n_tile && !is_read; i++)
			for (uint32_t r = 0; r < layer->tile[i].n_read; r++)
				is_read = is_read || layer->tile[i].read[r].tensor == t;
		if (!is_read)
			continue;
		(void)fputs(between, file);
		yaml_write_quoted(file, files->tensor_name[t]);
		between = ", ";
	}
	schedule_put_name(file, "]\n    writes", files->tensor_name[layer->tile[0].result.tensor]);
	(void)fputc('\n', file);
}

static void put_dim(FILE *file, const char *key, const struct dim_split *dim)
{
	(void)fprintf(file, "%s%u*%u", key, dim->size_a, dim->n_a);
	if (dim->n_b > 0)
		(void)fprintf(file, "+%u*%u", dim->size_b, dim->n_b);
}

static void put_shape(FILE *file, const struct dram_shape *shape)
{
	(void)fprintf(file, "    input: [%u, %u, %u]\n    output: [%u, %u, %u]\n", shape->in_w, shape->in_h,
	              shape->in_c, shape->out_w, shape->out_h, shape->out_c);
	(void)fprintf(file, "    kernel: [%u, %u]\n    stride: %u\n    dilation: %u\n    groups: %u\n    pool: %u\n",
	              shape->kernel_w, shape->kernel_h, shape->stride, shape->dilation, shape->groups, shape->pool);
	put_dim(file, "    split: {width: ", &shape->split.w);
	put_dim(file, ", height: ", &shape->split.h);
	put_dim(file, ", out_channels: ", &shape->split.c);
	put_dim(file, ", in_channels: ", &shape->split.d);
	(void)fprintf(file, ", ifmap_first: %s}\n", shape->ifmap_first ? "true" : "false");
}

static void put_layer(FILE *file, const struct schedule_files *files, uint32_t l)
{
	const struct dram_layer *layer = &files->dram.layer[l];
	const struct schedule_note *note = &files->layer[l];
	schedule_put_name(file, "  - name", note->name);
	(void)fprintf(file, "\n    type: %s\n", octopus_type_name[layer->type]);
	put_shape(file, &layer->shape);
	put_reads(file, files, layer);
	(void)fprintf(file, "    header: %" PRIu64 "\n", layer->address);
	put_area(file, "    constants", layer->constants);
	(void)fprintf(file, "    sram_byte: %" PRIu64 "\n    time_us: {total: %.3f", note->sram_byte, note->total_us);
	for (unsigned p = 0; p < N_OCTOPUS_PART; p++)
		(void)fprintf(file, ", %s: %.3f", octopus_part_name[p], note->part_us[p]);
	(void)fprintf(
	    file,
	    ", hidden: %.3f}\n    energy_nj: %.3f\n    tiles: %u\n    workers: # tiles from, how many, address, who\n",
	    note->hidden_us, note->energy_nj, layer->n_tile);
	for (uint32_t p = 0; p < layer->n_worker; p++)
		(void)fprintf(file, "      - [%u, %u, %" PRIu64 ", %u]\n", layer->worker[p].first_tile,
		              layer->worker[p].n_tile, layer->worker[p].tiles.address, layer->worker[p].row);
}

void schedule_yaml_write(const struct schedule_files *files, FILE *file)
{
	put_head(file, files);
	put_tensors(file, files);
	(void)fputs("layers:\n", file);
	for (uint32_t l = 0; l < files->dram.n_layer; l++)
		put_layer(file, files, l);
}

/* ---- reading ---- */

/* The value under a key; a message when it is missing. */
const struct doc_node *schedule_need(const struct doc_node *map, const char *key, struct err *err)
{
	const struct doc_node *value = doc_find(map, key);
	if (!value)
		err_add_at(err, ERR_INPUT, doc_place(map), "%s is missing", key);
	return value;
}

void schedule_get_real(const struct doc_node *map, const char *key, double *value, struct err *err)
{
	const struct doc_node *node = schedule_need(map, key, err);
	if (node)
		(void)doc_get_real(node, key, 0, MAX_REAL, value, err);
}

void schedule_get_name(const struct doc_node *map, const char *key, char *name, size_t size, struct err *err)
{
	const struct doc_node *node = schedule_need(map, key, err);
	const char *text;
	if (node && doc_get_name(node, key, size - 1, &text, err))
		memcpy(name, text, strlen(text) + 1);
}

/* A list with so many items; NULL and a message otherwise. */
static const struct doc_node *get_list(const struct doc_node *map, const char *key, uint32_t n, struct err *err)
{
	const struct doc_node *node = schedule_need(map, key, err);
	if (!node)
		return NULL;
	if (node->kind == DOC_LIST && node->n == n)
		return node;
	err_add_at(err, ERR_INPUT, doc_place(node), "%s is %s of %zu, expected a list of %u as dram.bin has", key,
	           node->kind == DOC_LIST ? "a list" : "something else", node->n, n);
	return NULL;
}

static void get_layer(const struct doc_node *node, struct schedule_note *note, struct err *err)
{
	const struct doc_node *time = schedule_need(node, "time_us", err),
			      *sram = schedule_need(node, "sram_byte", err);
	schedule_get_name(node, "name", note->name, sizeof(note->name), err);
	schedule_get_real(node, "energy_nj", &note->energy_nj, err);
	if (sram)
		(void)doc_get_u64(sram, "sram_byte", 0, OCTOPUS_MAX_DRAM_BYTE, &note->sram_byte, err);
	if (!time)
		return;
	schedule_get_real(time, "total", &note->total_us, err);
	schedule_get_real(time, "hidden", &note->hidden_us, err);
	for (unsigned p = 0; p < N_OCTOPUS_PART; p++)
		schedule_get_real(time, octopus_part_name[p], &note->part_us[p], err);
}

static void get_all(const struct doc_node *root, struct schedule_files *files, struct err *err)
{
	schedule_get_name(root, "network", files->network, sizeof(files->network), err);
	schedule_get_name(root, "machine", files->machine, sizeof(files->machine), err);
	schedule_get_name(root, "level", files->level, sizeof(files->level), err);
	schedule_get_name(root, "strategy", files->strategy, sizeof(files->strategy), err);
	schedule_get_real(root, "total_us", &files->total_us, err);
	schedule_get_real(root, "setup_us", &files->setup_us, err);
	schedule_get_real(root, "cleanup_us", &files->cleanup_us, err);
	schedule_get_real(root, "energy_nj", &files->energy_nj, err);
	const struct doc_node *tensors = get_list(root, "tensors", files->dram.n_tensor, err);
	const struct doc_node *layers = get_list(root, "layers", files->dram.n_layer, err);
	for (uint32_t t = 0; tensors && t < files->dram.n_tensor; t++)
		schedule_get_name(tensors->value[t], "name", files->tensor_name[t], BLOCK_NAME_SIZE, err);
	for (uint32_t l = 0; layers && l < files->dram.n_layer; l++)
		get_layer(layers->value[l], &files->layer[l], err);
}

enum err_code schedule_yaml_read(const char *name, const char *text, size_t n_byte, struct schedule_files *files,
                                 struct err *err)
{
	struct arena arena = {0};
	struct doc_node *root;
	assert(files->layer && files->tensor_name);
	unsigned n_before = err->n_message;
	enum err_code code = doc_read_text(name, text, n_byte, &arena, &root, err);
	if (code == ERR_OK) {
		get_all(root, files, err);
		code = err->n_message > n_before ? ERR_INPUT : ERR_OK;
	}
	arena_free(&arena);
	return code;
}
