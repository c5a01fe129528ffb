/* SPDX-License-Identifier: Apache-2.0 */
/* sram.map, of a schedule whose weights stay in the workers' SRAM: planned, written, read and checked. */
#include "dse/base/memory.h"
#include "dse/schedule/schedule_files.h"
#include "mapper/octopus/octopus_schedule.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_name[N_SRAM_KIND] = {"weights", "result", "work"};

bool schedule_sram_is_due(const struct schedule_files *files)
{
	return strcmp(files->strategy, octopus_strategy_table[OCTOPUS_SRAM].name) == 0;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_region(const void *a, const void *b)
{
	const struct sram_region *x = a, *y = b;
	int order = compare_u64(x->worker, y->worker);
	order = order ? order : compare_u64(x->address, y->address);
	order = order ? order : compare_u64(x->first, y->first);
	order = order ? order : compare_u64(x->kind, y->kind);
	order = order ? order : compare_u64(x->layer, y->layer);
	return order ? order : compare_u64(x->tile, y->tile);
}

/* ---- what a worker needs ---- */

struct weights_of {
	uint64_t address;
	uint32_t tile;
};

static int compare_weights(const void *a, const void *b)
{
	const struct weights_of *x = a, *y = b;
	int order = compare_u64(x->address, y->address);
	return order ? order : compare_u64(x->tile, y->tile);
}

static int compare_tile(const void *a, const void *b)
{
	return compare_u64(((const struct weights_of *)a)->tile, ((const struct weights_of *)b)->tile);
}

/* The tiles of a worker that are the first to need their part of the filters, in order; list: [n_tile]. */
static uint32_t list_parts(const struct dram_layer *layer, const struct dram_worker *worker, struct weights_of *list)
{
	uint32_t n = 0, kept = 0;
	for (uint32_t i = worker->first_tile; i < worker->first_tile + worker->n_tile; i++)
		if (layer->tile[i].weights.byte + layer->tile[i].biases.byte > 0)
			list[n++] = (struct weights_of){layer->tile[i].weights.address, i};
	qsort(list, n, sizeof(*list), compare_weights);
	for (uint32_t i = 0; i < n; i++)
		if (i == 0 || list[i].address != list[i - 1].address)
			list[kept++] = list[i];
	qsort(list, kept, sizeof(*list), compare_tile);
	return kept;
}

/* The last layer that needs a result: that of the host is written to DRAM at once. */
static uint32_t last_use(const struct octopus_dram *dram, uint32_t l)
{
	const struct dram_tensor *tensor = &dram->tensor[dram->layer[l].tile[0].result.tensor];
	return tensor->in_sram ? tensor->last : l;
}

/* All regions that a plan has to have, addresses and bytes of weights and work at their least: 0 and what DRAM has. */
static size_t list_needs(const struct octopus_dram *dram, struct weights_of *list, struct sram_region *region)
{
	size_t n = 0;
	for (uint32_t l = 0; l < dram->n_layer; l++)
		for (uint32_t p = 0; p < dram->layer[l].n_worker; p++) {
			const struct dram_layer *layer = &dram->layer[l];
			const struct dram_worker *worker = &layer->worker[p];
			uint32_t first = worker->first_tile, n_part = list_parts(layer, worker, list);
			struct sram_region need = {.worker = worker->row, .layer = l};
			for (uint32_t i = 0; i < n_part; i++) {
				const struct dram_tile *tile = &layer->tile[list[i].tile];
				need.kind = SRAM_WEIGHTS;
				need.last = dram->n_layer - 1;
				need.tile = list[i].tile;
				need.byte = tile->weights.byte + tile->biases.byte;
				region[n++] = need;
			}
			need.first = l;
			for (uint32_t i = 0; i < worker->n_tile; i++) {
				const struct dram_patch *result = &layer->tile[first + i].result;
				need.kind = SRAM_RESULT;
				need.last = last_use(dram, l);
				need.tile = first + i;
				need.byte = (uint64_t)result->w * result->h * result->c;
				region[n++] = need;
			}
			need.kind = SRAM_WORK;
			need.last = l;
			need.tile = first;
			need.byte = 1;
			if (worker->n_tile > 0)
				region[n++] = need;
		}
	return n;
}

/* The needs of a plan; the caller frees them. */
static struct sram_region *make_needs(const struct octopus_dram *dram, size_t *n)
{
	size_t n_most = 0, n_tile = 0;
	for (uint32_t l = 0; l < dram->n_layer; l++) {
		n_most += 2 * (size_t)dram->layer[l].n_tile + dram->layer[l].n_worker;
		n_tile = dram->layer[l].n_tile > n_tile ? dram->layer[l].n_tile : n_tile;
	}
	struct sram_region *region = memory_array(n_most, sizeof(*region));
	struct weights_of *list = memory_array(n_tile, sizeof(*list));
	*n = list_needs(dram, list, region);
	free(list);
	return region;
}

/* ---- planning ---- */

/* A worker's parts of the filters follow each other, so do its results. */
static void place(const struct octopus_graph *graph, const struct dram_layer *of, struct sram_region *region,
                  uint32_t *n_part)
{
	const struct octopus_layer *layer = &graph->layer[region->layer];
	uint32_t p = region->tile / layer->tiles_per_worker;
	const struct octopus_seat *seat = &layer->seat[p];
	if (region->tile == of->worker[p].first_tile && region->kind == SRAM_WEIGHTS)
		*n_part = 0;
	switch (region->kind) {
	case SRAM_WEIGHTS:
		region->address = seat->weight_at + (uint64_t)(*n_part)++ * layer->part_byte;
		assert(region->byte <= layer->part_byte);
		region->byte = layer->part_byte;
		break;
	case SRAM_RESULT:
		region->address = seat->result_at + (region->tile - of->worker[p].first_tile) * layer->result_byte;
		break;
	case SRAM_WORK:
		region->address = seat->work_at;
		region->byte = layer->work_byte;
		break;
	case N_SRAM_KIND:
		break;
	}
}

static void keep_regions(struct schedule_files *files, const struct sram_region *region, size_t n)
{
	files->sram.region = memory_must(arena_array(&files->arena, n, sizeof(*region)));
	files->sram.n = n;
	memcpy(files->sram.region, region, n * sizeof(*region));
}

void schedule_sram_plan(const struct octopus_graph *graph, uint64_t capacity_byte, struct schedule_files *files)
{
	size_t n = 0;
	uint32_t n_part = 0;
	if (!schedule_sram_is_due(files))
		return;
	struct sram_region *region = make_needs(&files->dram, &n);
	for (size_t i = 0; i < n; i++)
		place(graph, &files->dram.layer[region[i].layer], &region[i], &n_part);
	qsort(region, n, sizeof(*region), compare_region);
	files->sram.capacity_byte = capacity_byte;
	keep_regions(files, region, n);
	free(region);
}

/* ---- text ---- */

void schedule_sram_write(const struct schedule_files *files, FILE *file)
{
	(void)fprintf(
	    file,
	    "# sram.map 1: worker, address, bytes, layers of first and last use, layer, tile, what; bytes of a "
	    "worker:\n%" PRIu64 "\n",
	    files->sram.capacity_byte);
	for (size_t i = 0; i < files->sram.n; i++) {
		const struct sram_region *region = &files->sram.region[i];
		(void)fprintf(file, "%5u %8" PRIu64 " %8" PRIu64 " %5u %5u %5u %6u %s %s\n", region->worker,
		              region->address, region->byte, region->first, region->last, region->layer, region->tile,
		              kind_name[region->kind], files->layer[region->layer].name);
	}
}

/* The next number of a line; false: there is none up to `most`. */
static bool get_number(const char **at, const char *end, uint64_t most, uint64_t *value)
{
	while (*at < end && **at == ' ')
		++*at;
	const char *begin = *at;
	for (*value = 0; *at < end && **at >= '0' && **at <= '9'; ++*at) {
		*value = *value * 10 + (uint64_t)(**at - '0');
		if (*value > most)
			return false;
	}
	return *at > begin;
}

static bool get_u32(const char **at, const char *end, uint64_t n, uint32_t *value)
{
	uint64_t number;
	if (n == 0 || !get_number(at, end, n - 1, &number))
		return false;
	*value = (uint32_t)number;
	return true;
}

static bool get_region(const struct octopus_dram *dram, const char *at, const char *end, struct sram_region *region)
{
	if (!get_u32(&at, end, dram->n_worker, &region->worker) ||
	    !get_number(&at, end, UINT32_MAX, &region->address) || !get_number(&at, end, UINT32_MAX, &region->byte) ||
	    !get_u32(&at, end, dram->n_layer, &region->first) || !get_u32(&at, end, dram->n_layer, &region->last) ||
	    !get_u32(&at, end, dram->n_layer, &region->layer) ||
	    !get_u32(&at, end, dram->layer[region->layer].n_tile, &region->tile))
		return false;
	for (unsigned k = 0; k < N_SRAM_KIND; k++) {
		size_t n = strlen(kind_name[k]);
		if ((size_t)(end - at) > n && memcmp(at + 1, kind_name[k], n) == 0) {
			region->kind = (enum sram_kind)k;
			return true;
		}
	}
	return false;
}

enum err_code schedule_sram_read(const char *name, const char *text, size_t n_byte, struct schedule_files *files,
                                 struct err *err)
{
	struct sram_region *region = memory_array(n_byte / 8 + 1, sizeof(*region)); /* a line has more bytes */
	enum err_code code = ERR_OK;
	const char *end = text + n_byte;
	size_t n = 0, line = 1;
	for (const char *at = text; code == ERR_OK && at < end; line++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		const char *number = at;
		bool good = line == 1 ||
		            (line == 2 && get_number(&number, stop, UINT32_MAX, &files->sram.capacity_byte)) ||
		            (line > 2 && stop - at > 8 && get_region(&files->dram, at, stop, &region[n++]));
		if (!good)
			code = err_add(err, ERR_INPUT, "%s:%zu:1: line is no region of dram.bin's workers and layers",
			               name, line);
		at = stop < end ? stop + 1 : end;
	}
	if (code == ERR_OK && n == 0)
		code = err_add(err, ERR_INPUT, "%s:%zu:1: the file ends before a region", name, line);
	if (code == ERR_OK)
		keep_regions(files, region, n);
	free(region);
	return code;
}

/* ---- checks ---- */

static int compare_owner(const void *a, const void *b)
{
	const struct sram_region *x = a, *y = b;
	int order = compare_u64(x->layer, y->layer);
	order = order ? order : compare_u64(x->kind, y->kind);
	order = order ? order : compare_u64(x->tile, y->tile);
	return order ? order : compare_u64(x->worker, y->worker);
}

/* Regions against needs, both by owner: one each, of its worker, long enough alive and large enough. */
static enum err_code check_needs(const char *name, const struct schedule_files *files, struct sram_region *region,
                                 struct sram_region *need, size_t n_need, struct err *err)
{
	size_t n = files->sram.n;
	qsort(region, n, sizeof(*region), compare_owner);
	qsort(need, n_need, sizeof(*need), compare_owner);
	for (size_t i = 0; i < n || i < n_need; i++) {
		const struct sram_region *is = i < n ? &region[i] : NULL, *due = i < n_need ? &need[i] : NULL;
		const struct sram_region *one = !is || (due && compare_owner(due, is) <= 0) ? due : is;
		const char *wrong = !is || (due && compare_owner(due, is) < 0) ? "is missing"
		                    : !due || compare_owner(due, is) > 0       ? "is there, but not needed"
		                    : is->first != due->first || is->last != due->last
		                        ? "is not alive as long as needed"
		                    : is->kind == SRAM_RESULT && is->byte != due->byte ? "has not the bytes of its tile"
		                    : is->byte < due->byte                             ? "has too few bytes"
		                                                                       : NULL;
		if (wrong)
			return err_add(err, ERR_INPUT, "%s:1:1: %s of layer %u, tile %u, on worker %u %s", name,
			               kind_name[one->kind], one->layer, one->tile, one->worker, wrong);
	}
	return ERR_OK;
}

/* The line of a region: a head and the capacity come before. */
static enum err_code wrong_line(const char *name, size_t i, const char *what, struct err *err)
{
	return err_add(err, ERR_INPUT, "%s:%zu:1: %s", name, i + 3, what);
}

static enum err_code check_addresses(const char *name, const struct sram_map *map, struct err *err)
{
	for (size_t i = 0; i < map->n; i++) {
		const struct sram_region *region = &map->region[i];
		uint64_t end = region->address + region->byte;
		if (i > 0 && compare_region(region - 1, region) >= 0)
			return wrong_line(name, i, "regions are not sorted by worker, address and first layer", err);
		if (region->address % OCTOPUS_ALIGN_BYTE != 0)
			return wrong_line(name, i, "address is no multiple of 16", err);
		if (end > map->capacity_byte)
			return wrong_line(name, i, "region ends behind the worker's SRAM", err);
		for (size_t k = i + 1; k < map->n && map->region[k].worker == region->worker; k++) {
			const struct sram_region *other = &map->region[k];
			if (other->address >= end)
				break;
			if (other->first <= region->last && region->first <= other->last)
				return wrong_line(name, k, "region overlaps one that is alive at the same time", err);
		}
	}
	return ERR_OK;
}

enum err_code schedule_sram_check(const char *name, const struct schedule_files *files, struct err *err)
{
	const struct sram_map *map = &files->sram;
	size_t n_need = 0;
	if (!schedule_sram_is_due(files)) {
		for (uint32_t t = 0; t < files->dram.n_tensor; t++)
			if (files->dram.tensor[t].in_sram)
				return err_add(err, ERR_INPUT, "%s:1:1: strategy is %s, but tensor %s stays in SRAM",
				               name, files->strategy, files->tensor_name[t]);
		return ERR_OK;
	}
	struct sram_region *need = make_needs(&files->dram, &n_need), *region = memory_array(map->n, sizeof(*region));
	if (map->n > 0)
		memcpy(region, map->region, map->n * sizeof(*region));
	enum err_code code = check_needs(name, files, region, need, n_need, err);
	if (code == ERR_OK)
		code = check_addresses(name, map, err);
	free(region);
	free(need);
	return code;
}
