/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/arada/arada_measured.h"
#include "dse/arada/arada_cost.h"
#include "dse/base/memory.h"
#include "sim/base/csv.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_US 1e9
#define MAX_BYTE 1e15

static int compare(const void *left, const void *right)
{
	const struct arada_measured_layer *a = left, *b = right;
	const size_t x[] = {a->machine, a->memory, a->network, a->layer},
		     y[] = {b->machine, b->memory, b->network, b->layer};
	for (size_t i = 0; i < sizeof(x) / sizeof(x[0]); i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static void refuse(const struct csv_table *table, const struct csv_cell *cell, const char *what, struct err *err)
{
	(void)err_add_at(err, ERR_INPUT, csv_place(table, cell), "found '%.40s', allowed is %s", cell->text, what);
}

static size_t n_layer_of(const struct network *network)
{
	size_t n = 0;
	for (size_t i = 0; i < network->n_block; i++)
		n += arada_is_layer(&network->block[i]);
	return n;
}

/* Names of the space into numbers. */
static void read_names(const struct space *space, const struct csv_table *table, const struct csv_cell *const cell[4],
                       struct arada_measured_layer *layer, struct err *err)
{
	layer->machine = layer->network = 0;
	layer->memory = 0;
	while (layer->machine < space->n_machine && strcmp(space->machine[layer->machine].name, cell[0]->text) != 0)
		layer->machine++;
	const struct arada_memory *memory = space->arada.memory;
	while (layer->memory < space->arada.n_memory && (memory[layer->memory].machine != layer->machine ||
	                                                 strcmp(memory[layer->memory].name, cell[1]->text) != 0))
		layer->memory++;
	while (layer->network < space->n_network &&
	       strcmp(space->network[layer->network].network.name, cell[2]->text) != 0)
		layer->network++;
	if (layer->machine == space->n_machine)
		refuse(table, cell[0], "a machine of the space", err);
	else if (layer->memory == space->arada.n_memory)
		refuse(table, cell[1], "a memory that the space gives this machine", err);
	if (layer->network == space->n_network)
		refuse(table, cell[2], "a network of the space", err);
}

static void read_row(const struct space *space, const struct csv_table *table, size_t row, const size_t column[7],
                     struct arada_measured_layer *layer, struct err *err)
{
	const struct csv_cell *cell[7];
	double number = 0;
	for (size_t i = 0; i < 7; i++)
		cell[i] = csv_get_cell(table, row, column[i]);
	read_names(space, table, cell, layer, err);
	(void)csv_get_real(table, cell[3], "layer", 0, 1e6, &number, err);
	layer->layer = (size_t)number;
	size_t n = layer->network < space->n_network ? n_layer_of(&space->network[layer->network].network) : 1;
	if (layer->network < space->n_network && (layer->layer >= n || number > floor(number)))
		refuse(table, cell[3], "the number of a layer of the network, from 0", err);
	(void)csv_get_real(table, cell[4], "total_us", 1e-6, MAX_US, &layer->total_us, err);
	(void)csv_get_real(table, cell[5], "stall_us", 0, MAX_US, &layer->stall_us, err);
	(void)csv_get_real(table, cell[6], "dram_byte", 0, MAX_BYTE, &layer->dram_byte, err);
	if (!(layer->stall_us < layer->total_us))
		refuse(table, cell[5], "less than total_us", err);
}

static enum err_code read_table(const struct space *space, const struct csv_table *table,
                                struct arada_measured *measured, struct err *err)
{
	static const char *const name[7] = {"machine",  "memory",   "network",  "layer",
	                                    "total_us", "stall_us", "dram_byte"};
	size_t column[7];
	for (size_t i = 0; i < 7; i++) {
		column[i] = csv_find_column(table, name[i]);
		if (column[i] == CSV_NO_COLUMN)
			(void)err_add_at(err, ERR_INPUT, (struct err_place){table->file, 1, 1}, "no column '%s'",
			                 name[i]);
	}
	if (err->n_message > 0)
		return err->code;
	measured->layer = memory_must(arena_array(&measured->arena, table->n_row + 1, sizeof(*measured->layer)));
	for (size_t i = 0; i < table->n_row; i++)
		read_row(space, table, i, column, &measured->layer[measured->n++], err);
	qsort(measured->layer, measured->n, sizeof(*measured->layer), compare);
	for (size_t i = 1; i < measured->n && err->n_message == 0; i++)
		if (compare(&measured->layer[i - 1], &measured->layer[i]) == 0)
			(void)err_add_at(err, ERR_INPUT, (struct err_place){table->file, 1, 1},
			                 "layer %zu of network %s on machine %s with memory %s stands here twice",
			                 measured->layer[i].layer,
			                 space->network[measured->layer[i].network].network.name,
			                 space->machine[measured->layer[i].machine].name,
			                 space->arada.memory[measured->layer[i].memory].name);
	return err->n_message > 0 ? err->code : ERR_OK;
}

enum err_code arada_measured_read(const struct space *space, const char *csv, struct arada_measured *measured,
                                  struct err *err)
{
	struct csv_table table;
	*measured = (struct arada_measured){0};
	enum err_code code = csv_read_file(csv, &table, err);
	if (code != ERR_OK)
		return code;
	code = read_table(space, &table, measured, err);
	csv_free(&table);
	return code;
}

void arada_measured_free(struct arada_measured *measured)
{
	arena_free(&measured->arena);
	*measured = (struct arada_measured){0};
}

bool arada_measured_find(const struct arada_measured *measured, const struct arada_measured_layer *key,
                         const struct machine *machine, struct arada_layer *layer)
{
	const struct arada_measured_layer *found = NULL;
	if (measured && measured->n > 0)
		found = bsearch(key, measured->layer, measured->n, sizeof(*key), compare);
	if (!found)
		return false;
	double clk_mhz = machine->level[0].clk_mhz;
	uint64_t busy_clk = (uint64_t)fmax(round((found->total_us - found->stall_us) * clk_mhz), 1);
	layer->stall_clk = (uint64_t)round(found->stall_us * clk_mhz);
	layer->total_clk = busy_clk + layer->stall_clk;
	layer->n_word = (uint64_t)ceil(found->dram_byte / machine->systolic.word_byte);
	return true;
}
