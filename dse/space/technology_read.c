/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `technology: {node_nm: 22, sram_cell: itrs-lstp, sram_vdd_v: 0.8, dram: lpddr4, table: parts.csv}`; a table has the
 * columns that users of Accelergy know: the part, its attributes, an action and what it takes, leakage and area.
 */
#include "dse/space/technology_read.h"
#include "dse/out/paths.h"
#include "sim/base/csv.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *find_on_disk(void *context, const char *beside, const char *name, struct arena *arena,
                                struct err *err)
{
	const char *path = NULL;
	(void)context;
	return path_find_beside(beside, name, "technology", arena, &path, err) == ERR_OK ? path : NULL;
}

const struct table_finder table_finder_disk = {find_on_disk, NULL};

/* ---- a user's table ---- */

enum column { PART, NODE, VDD, SIZE, WORD, ACTION, ENERGY, LEAKAGE, AREA, N_COLUMN };
static const char *const column_name[N_COLUMN] = {"component", "technology_nm", "vdd_v",      "size_byte", "word_byte",
                                                  "action",    "energy_pj",     "leakage_mw", "area_um2"};

struct parts_reader {
	const struct csv_table *table;
	size_t column[N_COLUMN];
	struct technology *technology;
	unsigned is_seen[TECHNOLOGY_MAX_SIZE][TECHNOLOGY_MAX_WORD]; /* bit 0: read, bit 1: write */
	struct err *err;
};

static const struct csv_cell *cell_of(const struct parts_reader *reader, size_t row, enum column column)
{
	return csv_get_cell(reader->table, row, reader->column[column]);
}

static bool is_word(const struct parts_reader *reader, size_t row, enum column column, const char *word)
{
	return strcmp(cell_of(reader, row, column)->text, word) == 0;
}

static bool get(const struct parts_reader *reader, size_t row, enum column column, double min, double *value)
{
	return csv_get_real(reader->table, cell_of(reader, row, column), column_name[column], min, 1e12, value,
	                    reader->err) == ERR_OK;
}

static bool refuse(const struct parts_reader *reader, size_t row, enum column column, const char *allowed)
{
	const struct csv_cell *cell = cell_of(reader, row, column);
	err_add_at(reader->err, ERR_INPUT, csv_place(reader->table, cell), "%s: found '%s', %s", column_name[column],
	           cell->text, allowed);
	return false;
}

/* Place of a value in an ascending list, into which it goes; false: the list is full. */
static bool place(uint32_t *value, uint32_t *n, uint32_t max, double x)
{
	uint32_t i = 0, own = (uint32_t)x;
	while (i < *n && value[i] < own)
		i++;
	if (i < *n && value[i] == own)
		return true;
	if (*n == max)
		return false;
	memmove(value + i + 1, value + i, (*n - i) * sizeof(*value));
	value[i] = own;
	(*n)++;
	return true;
}

static uint32_t index_of(const uint32_t *value, uint32_t n, double x)
{
	uint32_t i = 0;
	while (i < n && value[i] != (uint32_t)x)
		i++;
	assert(i < n);
	return i;
}

/* Sizes and words first: a grid's places are not known before. */
static void place_sram(struct parts_reader *reader, size_t row)
{
	struct sram_grid *grid = &reader->technology->sram;
	double size, word;
	if (!get(reader, row, SIZE, 1, &size) || !get(reader, row, WORD, 1, &word))
		return;
	if (size > UINT32_MAX || !place(grid->size_byte, &grid->n_size, TECHNOLOGY_MAX_SIZE, size))
		(void)refuse(reader, row, SIZE, "at most 24 different sizes below 4 GiB are allowed");
	if (word > UINT32_MAX || !place(grid->word_byte, &grid->n_word, TECHNOLOGY_MAX_WORD, word))
		(void)refuse(reader, row, WORD, "at most 4 different words are allowed");
}

static void read_sram(struct parts_reader *reader, size_t row)
{
	struct sram_grid *grid = &reader->technology->sram;
	double size, word, vdd_v, energy, leakage, area;
	bool reads = is_word(reader, row, ACTION, "read"), writes = is_word(reader, row, ACTION, "write");
	if (!reads && !writes) {
		(void)refuse(reader, row, ACTION, "of a memory 'read' and 'write' are allowed");
		return;
	}
	if (!get(reader, row, SIZE, 1, &size) || !get(reader, row, WORD, 1, &word) ||
	    !get(reader, row, VDD, 0.1, &vdd_v) || !get(reader, row, ENERGY, 1e-9, &energy) ||
	    !get(reader, row, LEAKAGE, 0, &leakage) || !get(reader, row, AREA, 0, &area))
		return;
	uint32_t i = index_of(grid->size_byte, grid->n_size, size), k = index_of(grid->word_byte, grid->n_word, word);
	if (grid->vdd_v > 0 && (grid->vdd_v < vdd_v || grid->vdd_v > vdd_v))
		(void)refuse(reader, row, VDD, "all memories of a table have one voltage");
	if (reader->is_seen[i][k] & (reads ? 1U : 2U))
		(void)refuse(reader, row, ACTION, "this memory has that action already");
	reader->is_seen[i][k] |= reads ? 1U : 2U;
	grid->vdd_v = vdd_v;
	*(reads ? &grid->at[i][k].read_pj : &grid->at[i][k].write_pj) = energy;
	grid->at[i][k].leakage_mw = leakage;
	grid->at[i][k].area_um2 = area;
}

static void read_part(struct parts_reader *reader, size_t row, struct part_figures *part, double *vdd_v)
{
	struct part_figures own;
	double at_v;
	if (get(reader, row, VDD, 0.1, &at_v) && get(reader, row, ENERGY, 1e-9, &own.action_pj) &&
	    get(reader, row, LEAKAGE, 0, &own.leakage_mw) && get(reader, row, AREA, 0, &own.area_um2)) {
		*part = own;
		*vdd_v = at_v;
	}
}

/* Rows of another node are for another machine. */
static bool is_row_of_node(const struct parts_reader *reader, size_t row)
{
	double node_nm;
	return get(reader, row, NODE, 1, &node_nm) && !(node_nm < reader->technology->node_nm) &&
	       !(node_nm > reader->technology->node_nm);
}

static void check_grid(const struct parts_reader *reader)
{
	const struct sram_grid *grid = &reader->technology->sram;
	for (uint32_t i = 0; i < grid->n_size; i++)
		for (uint32_t k = 0; k < grid->n_word; k++)
			if (reader->is_seen[i][k] != 3)
				err_add_at(reader->err, ERR_INPUT, (struct err_place){reader->table->file, 1, 1},
				           "a memory of %u bytes with words of %u without '%s': all sizes have all "
				           "words, and both actions",
				           grid->size_byte[i], grid->word_byte[k],
				           reader->is_seen[i][k] & 1 ? "write" : "read");
}

static void read_rows(struct parts_reader *reader)
{
	struct technology *technology = reader->technology;
	const struct sram_grid none = {0};
	bool has_sram = false, has_row = false;
	double unused_v;
	for (size_t row = 0; row < reader->table->n_row; row++) {
		if (!is_word(reader, row, PART, "sram") || !is_row_of_node(reader, row))
			continue;
		technology->sram = has_sram ? technology->sram : none;
		has_sram = true;
		place_sram(reader, row);
	}
	for (size_t row = 0; row < reader->table->n_row && reader->err->code == ERR_OK; row++) {
		bool is_mac = is_word(reader, row, PART, "mac"), is_core = is_word(reader, row, PART, "core");
		if (!is_mac && !is_core && !is_word(reader, row, PART, "sram")) {
			(void)refuse(reader, row, PART, "allowed sram, mac, core");
			continue;
		}
		if (!is_row_of_node(reader, row))
			continue;
		has_row = true;
		if (is_mac)
			read_part(reader, row, &technology->mac, &technology->mac_vdd_v);
		else if (is_core)
			read_part(reader, row, &technology->core, &unused_v);
		else
			read_sram(reader, row);
		technology->has_mac |= is_mac;
	}
	if (has_sram && reader->err->code == ERR_OK)
		check_grid(reader);
	if (!has_row && reader->err->code == ERR_OK)
		err_add_at(reader->err, ERR_INPUT, (struct err_place){reader->table->file, 1, 1},
		           "no row has technology_nm %.10g, the machine's node", technology->node_nm);
}

static void read_table(const char *path, struct technology *technology, struct err *err)
{
	struct csv_table table;
	struct err found = {0};
	struct parts_reader reader = {.table = &table, .technology = technology, .err = &found};
	if (csv_read_file(path, &table, &found) == ERR_OK) {
		for (int i = 0; i < N_COLUMN; i++) {
			reader.column[i] = csv_find_column(&table, column_name[i]);
			if (reader.column[i] == CSV_NO_COLUMN)
				err_add_at(&found, ERR_INPUT, (struct err_place){path, 1, 1},
				           "a table of parts without the column '%s'", column_name[i]);
		}
		if (found.code == ERR_OK)
			read_rows(&reader);
		csv_free(&table);
	}
	(void)err_move(err, (struct err_place){0}, &found);
}

/* ---- the section ---- */

/* pJ/byte by kind, interface and device; public estimators' figures of 8, 3.9 and 70 pJ/bit. */
static const struct {
	const char *name;
	double byte_pj;
} dram_kind[] = {{"lpddr4", 64}, {"hbm2", 31.2}, {"ddr3", 560}};
#define N_DRAM_KIND (sizeof(dram_kind) / sizeof(dram_kind[0]))

/* The kind's energy, unless the file gives one. */
static void read_dram(const struct doc_node *map, const struct doc_node *root, struct machine *machine, struct err *err)
{
	const char *name[N_DRAM_KIND];
	size_t kind;
	const struct doc_node *node = doc_find(map, "dram"), *energy = doc_find(root, "energy");
	for (size_t i = 0; i < N_DRAM_KIND; i++)
		name[i] = dram_kind[i].name;
	if (node && doc_get_choice(node, "technology.dram", name, N_DRAM_KIND, &kind, err) &&
	    !(energy && doc_find(energy, "dram_byte_pj")))
		machine->dram_byte_pj = dram_kind[kind].byte_pj;
}

static bool read_cell(const struct doc_node *map, struct technology *technology, struct err *err)
{
	const char *name[8];
	size_t n = 0, cell;
	const struct doc_node *node = doc_find(map, "sram_cell");
	while (technology_cell[n] && n < 8) {
		name[n] = technology_cell[n];
		n++;
	}
	(void)snprintf(technology->cell, sizeof(technology->cell), "%s", "itrs-lstp");
	if (!node)
		return true;
	if (!doc_get_choice(node, "technology.sram_cell", name, n, &cell, err))
		return false;
	(void)snprintf(technology->cell, sizeof(technology->cell), "%s", name[cell]);
	return true;
}

bool technology_read(const struct doc_node *map, const struct doc_node *root, const char *path,
                     const struct table_finder *finder, struct machine *machine, const char **table,
                     struct arena *arena, struct err *err)
{
	static const char *const allowed[] = {"node_nm", "sram_cell", "sram_vdd_v", "dram", "table", "energy"};
	struct technology made = {0};
	struct err found = {0};
	static const char *const energies[] = {"by_size", "as_given"};
	size_t energy = 0;
	const char *name;
	doc_check_keys(map, allowed, sizeof(allowed) / sizeof(allowed[0]), &found);
	const struct doc_node *node = doc_find(map, "node_nm"), *own = doc_find(map, "table");
	if (!node)
		(void)doc_refuse(&found, map,
		                 "technology: without 'node_nm', e.g. {node_nm: 22, sram_cell: itrs-lstp}");
	bool is_read =
	    doc_get_real(node, "technology.node_nm", TECHNOLOGY_MIN_NM, TECHNOLOGY_MAX_NM, &made.node_nm, &found);
	(void)doc_get_real(doc_find(map, "sram_vdd_v"), "technology.sram_vdd_v", 0.1, 2, &made.sram_vdd_v, &found);
	(void)doc_get_choice(doc_find(map, "energy"), "technology.energy", energies, 2, &energy, &found);
	read_dram(map, root, machine, &found);
	if (read_cell(map, &made, &found) && is_read)
		(void)technology_sram_grid(made.node_nm, made.cell, &made.sram, &found);
	if (own && is_read && doc_get_text(own, "technology.table", &name, &found)) {
		struct err part = {0};
		const char *at = finder->find(finder->context, path, name, arena, &part);
		if (at) {
			*table = at;
			read_table(at, &made, &part);
		}
		part.code = part.code == ERR_IO ? ERR_INPUT : part.code;
		(void)err_move(&found, at ? (struct err_place){0} : doc_place(own), &part);
	}
	bool is_good = found.code == ERR_OK && made.sram.n_size > 0;
	if (is_good) {
		machine->technology.of = made;
		machine->technology.is_area_alone = energy == 1;
	}
	(void)err_move(err, (struct err_place){0}, &found);
	return is_good;
}
