/* SPDX-License-Identifier: Apache-2.0 */
/* dram.map: every region of the DRAM of a schedule, by address, then by first use. */
#include "dse/base/memory.h"
#include "dse/schedule/schedule_files.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

static void put_region(FILE *file, uint64_t address, uint64_t byte, const char *area, const char *name,
                       const char *what)
{
	(void)fprintf(file, "0x%010" PRIx64 " %12" PRIu64 " %-9s     -     - %s%s%s\n", address, byte, area, name,
	              *name ? " " : "", what);
}

static void put_times(const struct schedule_files *files, FILE *file)
{
	const struct octopus_dram *dram = &files->dram;
	uint64_t row = (uint64_t)DRAM_TIME_BYTE * (1 + dram->n_worker);
	for (uint32_t l = 0; l < dram->n_layer; l++)
		put_region(file, dram->layer[l].time_address, row, "times", files->layer[l].name, "times");
	put_region(file, dram->times.address + row * dram->n_layer, row, "times", "", "setup and cleanup times");
}

static void put_configurations(const struct schedule_files *files, FILE *file)
{
	const struct octopus_dram *dram = &files->dram;
	for (uint32_t l = 0; l < dram->n_layer; l++) {
		const struct dram_layer *layer = &dram->layer[l];
		const char *name = files->layer[l].name;
		put_region(file, layer->address, DRAM_HEADER_BYTE, "layers", name, "header");
		put_region(file, layer->shape_address, DRAM_SHAPE_BYTE, "layers", name, "shape");
		put_region(file, layer->scheduler_address, DRAM_SCHEDULER_BYTE, "layers", name, "scheduler");
		put_region(file, layer->worker_address, layer->tile_address - layer->worker_address, "layers", name,
		           "workers");
		put_region(file, layer->tile_address, layer->next - layer->tile_address, "layers", name, "tiles");
	}
	put_region(file, dram->finish_address, DRAM_HEADER_BYTE, "layers", "", "finish header");
}

/* Tensors as they are listed: by address, those of one address by first layer. */
struct region {
	uint64_t address;
	uint32_t first, tensor;
};

static int compare_region(const void *a, const void *b)
{
	const struct region *x = a, *y = b;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return (x->tensor > y->tensor) - (x->tensor < y->tensor);
}

static const char *use_of(const struct dram_tensor *tensor)
{
	if (tensor->from_chip)
		return tensor->to_chip ? "passed" : "received";
	if (tensor->to_chip)
		return tensor->is_input ? "input, sent" : "sent";
	return tensor->is_input ? "input" : tensor->is_output ? "output" : "result";
}

static void put_tensors(const struct schedule_files *files, FILE *file)
{
	const struct octopus_dram *dram = &files->dram;
	struct region *region = memory_array(dram->n_tensor, sizeof(*region));
	for (uint32_t t = 0; t < dram->n_tensor; t++)
		region[t] = (struct region){dram->tensor[t].address, dram->tensor[t].first, t};
	qsort(region, dram->n_tensor, sizeof(*region), compare_region);
	for (uint32_t i = 0; i < dram->n_tensor; i++) {
		uint32_t t = region[i].tensor;
		const struct dram_tensor *tensor = &dram->tensor[t];
		if (tensor->in_sram)
			continue;
		(void)fprintf(file, "0x%010" PRIx64 " %12" PRIu64 " %-9s %5u %5u %s %s\n", tensor->address,
		              tensor->byte, "data", tensor->first, tensor->last, files->tensor_name[t], use_of(tensor));
	}
	free(region);
}

void schedule_map_write(const struct schedule_files *files, FILE *file)
{
	const struct octopus_dram *dram = &files->dram;
	assert(dram->n_layer > 0);
	(void)fputs("# dram.map 1: address, bytes, area, layers of first and last use (-: always there), what\n", file);
	put_region(file, 0, DRAM_HEAD_BYTE, "global", "", "head");
	put_region(file, dram->pe_address, (uint64_t)DRAM_PE_BYTE * dram->n_worker, "global", "", "PEs of the workers");
	put_region(file, dram->tensor_address, (uint64_t)DRAM_TENSOR_BYTE * dram->n_tensor, "global", "", "tensors");
	put_times(files, file);
	put_configurations(files, file);
	for (uint32_t l = 0; l < dram->n_layer; l++)
		if (dram->layer[l].constants.byte > 0)
			put_region(file, dram->layer[l].constants.address, dram->layer[l].constants.byte, "constants",
			           files->layer[l].name, "weights and biases");
	put_tensors(files, file);
}
