/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/emulate/emulate.h"
#include "dse/base/memory.h"
#include "dse/emulate/emulate_parts.h"
#include "dse/keep/output_file.h"
#include "dse/schedule/dram_image.h"
#include "sim/base/checked.h"
#include "sim/base/file.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_DATA_BYTE (UINT64_C(1) << 30) /* of the data memory, which is the emulator's own memory */

enum err_code emulate_open(const char *name, const uint8_t *image, size_t n_byte, struct emulator *emulator,
                           struct err *err)
{
	*emulator = (struct emulator){0};
	struct octopus_dram *dram = &emulator->dram;
	enum err_code code = dram_image_read(name, image, n_byte, dram, err);
	if (code == ERR_OK)
		code = dram_check(name, dram, err);
	if (code == ERR_OK && dram->data.byte > MAX_DATA_BYTE)
		code = err_add(err, ERR_INPUT, "%s:112: head, data bytes is %" PRIu64 ", the emulator has %" PRIu64,
		               name, dram->data.byte, MAX_DATA_BYTE);
	if (code == ERR_OK)
		code = emulate_check(name, emulator, err);
	if (code != ERR_OK) {
		emulate_close(emulator);
		return code;
	}
	emulator->data = memory_must(arena_array(&emulator->arena, (size_t)dram->data.byte + 1, 1));
	emulator->traffic = memory_must(arena_array(&emulator->arena, dram->n_layer, sizeof(*emulator->traffic)));
	emulator->sram = memory_must(arena_array(&emulator->arena, dram->n_tensor, sizeof(*emulator->sram)));
	for (uint32_t t = 0; t < dram->n_tensor; t++) {
		if (!dram->tensor[t].in_sram)
			continue;
		emulator->is_resident = true;
		emulator->sram[t] = memory_must(arena_array(&emulator->arena, (size_t)dram->tensor[t].byte + 1, 1));
	}
	emulator->part = memory_must(arena_array(&emulator->arena, dram->n_layer, sizeof(struct octopus_traffic *)));
	for (uint32_t l = 0; l < dram->n_layer; l++)
		emulator->part[l] =
		    memory_must(arena_array(&emulator->arena, dram->layer[l].n_worker, sizeof(struct octopus_traffic)));
	return ERR_OK;
}

enum err_code emulate_open_path(const char *path, struct emulator *emulator, struct err *err)
{
	struct stat status;
	bool is_folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
	char *file = memory_must(is_folder ? output_file_join(path, "dram.bin") : memory_text(path)), *data = NULL;
	size_t n_byte = 0;
	*emulator = (struct emulator){0};
	enum err_code code = file_read(file, DRAM_IMAGE_MAX_BYTE, &data, &n_byte, err);
	if (code == ERR_OK)
		code = emulate_open(file, (const uint8_t *)data, n_byte, emulator, err);
	free(data);
	free(file);
	return code;
}

void emulate_close(struct emulator *emulator)
{
	octopus_dram_free(&emulator->dram);
	arena_free(&emulator->arena);
	memset(emulator, 0, sizeof(*emulator));
}

/* ---- the host ---- */

static uint8_t *tensor_at(const struct emulator *emulator, uint32_t t)
{
	return emulator->sram[t] ? emulator->sram[t]
	                         : emulator->data + (emulator->dram.tensor[t].address - emulator->dram.data.address);
}

static size_t n_of_host(const struct emulator *emulator, bool is_input)
{
	size_t n = 0;
	for (uint32_t t = 0; t < emulator->dram.n_tensor; t++) {
		const struct dram_tensor *tensor = &emulator->dram.tensor[t];
		n += (is_input ? tensor->is_input : tensor->is_output) ? (size_t)tensor->byte : 0;
	}
	return n;
}

size_t emulate_n_input(const struct emulator *emulator)
{
	return n_of_host(emulator, true);
}

size_t emulate_n_output(const struct emulator *emulator)
{
	return n_of_host(emulator, false);
}

void emulate_write_input(struct emulator *emulator, const int8_t *input)
{
	for (uint32_t t = 0; t < emulator->dram.n_tensor; t++) {
		const struct dram_tensor *tensor = &emulator->dram.tensor[t];
		if (!tensor->is_input)
			continue;
		memcpy(tensor_at(emulator, t), input, (size_t)tensor->byte);
		input += tensor->byte;
	}
}

void emulate_read_output(const struct emulator *emulator, int8_t *output)
{
	for (uint32_t t = 0; t < emulator->dram.n_tensor; t++) {
		const struct dram_tensor *tensor = &emulator->dram.tensor[t];
		if (!tensor->is_output)
			continue;
		memcpy(output, tensor_at(emulator, t), (size_t)tensor->byte);
		output += tensor->byte;
	}
}

/* ---- the scheduler ---- */

uint64_t emulate_n_mac(const struct emulator *emulator)
{
	uint64_t sum = 0;
	for (uint32_t l = 0; l < emulator->dram.n_layer; l++) {
		const struct dram_layer *layer = &emulator->dram.layer[l];
		uint64_t kernel = (uint64_t)layer->shape.kernel_w * layer->shape.kernel_h;
		for (uint32_t t = 0; t < layer->n_tile; t++) {
			const struct emulate_tile *tile = &emulator->tile[l][t];
			uint64_t n_core =
			    mul_sat((uint64_t)tile->w * tile->h, layer->type == OCTOPUS_LINEAR ? 1 : tile->n_filter);
			sum = add_sat(sum, mul_sat(n_core, mul_sat(kernel, emulate_depth(layer))));
		}
	}
	return sum;
}

bool emulate_run(struct emulator *emulator)
{
	const struct octopus_dram *dram = &emulator->dram;
	uint64_t at = dram->layers.address;
	struct stop_watch watch = stop_watch_for(NULL);
	for (uint32_t l = 0; l < dram->n_layer; l++) {
		assert(dram->layer[l].address == at); /* the list of headers, from one to the next */
		for (uint32_t p = 0; p < dram->layer[l].n_worker; p++) {
			emulator->part[l][p] = (struct octopus_traffic){0};
			if (!emulate_worker(emulator, l, p, &watch))
				return false;
			octopus_add_traffic(&emulator->part[l][p], &emulator->traffic[l]);
		}
		at = dram->layer[l].next;
	}
	assert(at == dram->finish_address);
	emulator->n_run++;
	return true;
}
