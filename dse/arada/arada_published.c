/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/arada/arada_published.h"
#include "dse/base/memory.h"
#include "dse/out/csv_write.h"
#include "dse/out/table.h"
#include "dse/out/words.h"
#include "sim/base/csv.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PCT 100.0

const char *const arada_quantity_name[N_ARADA_QUANTITY] = {
    [ARADA_ENERGY_SAVING] = "energy_saving", [ARADA_BANDWIDTH_SAVING] = "bandwidth_saving",
    [ARADA_TOPS_CUT] = "tops_cut",           [ARADA_BANDWIDTH_CUT] = "bandwidth_cut",
    [ARADA_IMBALANCE] = "imbalance",         [ARADA_STALLED] = "stalled",
};

const char *const arada_reading_name[N_ARADA_READING] = {
    [ARADA_AS_WORDS] = "words", [ARADA_AS_BYTES] = "bytes", [ARADA_AS_FLOATS] = "4-byte words"};

static const struct {
	enum arada_bandwidth bandwidth;
	double word_byte;
} reading_table[N_ARADA_READING] = {[ARADA_AS_WORDS] = {ARADA_WORD_PER_CLK, 0},
                                    [ARADA_AS_BYTES] = {ARADA_GB_S, 1},
                                    [ARADA_AS_FLOATS] = {ARADA_GB_S, 4}};

/* ---- the table of figures ---- */

struct row_reader {
	struct arada_published *published;
	const struct csv_table *table;
	size_t row;
	struct err *err;
};

static const struct csv_cell *cell_of(const struct row_reader *reader, const char *column)
{
	return csv_get_cell(reader->table, reader->row, csv_find_column(reader->table, column));
}

/* Index of a cell's text among n names; empty is n where that is allowed. */
static size_t find_name(const struct row_reader *reader, const char *column, const char *const *name, size_t n,
                        bool may_be_empty)
{
	const struct csv_cell *cell = cell_of(reader, column);
	for (size_t i = 0; i < n; i++)
		if (strcmp(cell->text, name[i]) == 0)
			return i;
	if (!(may_be_empty && cell->text[0] == '\0'))
		(void)err_add_at(reader->err, ERR_INPUT, csv_place(reader->table, cell),
		                 "%s: found '%.40s', allowed is one that the space has%s", column, cell->text,
		                 may_be_empty ? ", or nothing" : "");
	return n;
}

/* The next number of a list like "5", "10-24", "13;15;17"; *from and *end are the range. false: no list is left. */
static bool next_range(const char **text, size_t *from, size_t *end)
{
	char *rest;
	if (**text < '0' || **text > '9')
		return false;
	*from = strtoul(*text, &rest, 10);
	*end = *from + 1;
	if (*rest == '-' && rest[1] >= '0' && rest[1] <= '9')
		*end = strtoul(rest + 1, &rest, 10) + 1;
	*text = *rest == ';' ? rest + 1 : rest;
	return *end > *from;
}

static size_t n_layer_of(const struct network *network)
{
	size_t n = 0;
	for (size_t i = 0; i < network->n_block; i++)
		n += arada_is_layer(&network->block[i]);
	return n;
}

static void check_layers(const struct row_reader *reader, const struct arada_published_row *row)
{
	const struct space *space = reader->published->space;
	const char *text = row->layers;
	bool is_good =
	    (row->quantity >= ARADA_TOPS_CUT) == (*text != '\0') && (*text == '\0' || row->network < space->n_network);
	for (size_t from, end; is_good && next_range(&text, &from, &end);)
		is_good = end <= n_layer_of(&space->network[row->network].network);
	if (!is_good || *text)
		(void)err_add_at(reader->err, ERR_INPUT, csv_place(reader->table, cell_of(reader, "layers")),
		                 "layers: found '%.40s', allowed are layers of a network, from 0, e.g. 5, 10-24 or "
		                 "13;15;17, for cuts, imbalance and stalled; nothing for savings",
		                 row->layers);
}

static void read_row(const struct row_reader *reader, struct arada_published_row *row)
{
	const struct space *space = reader->published->space;
	struct arena *arena = &reader->published->arena;
	size_t n = space->n_machine + space->n_network + space->arada.n_memory;
	const char **name = memory_must(arena_array(arena, n + 1, sizeof(*name)));
	for (size_t i = 0; i < space->n_machine; i++)
		name[i] = space->machine[i].name;
	row->machine = find_name(reader, "machine", name, space->n_machine, false);
	for (size_t i = 0; i < space->arada.n_memory; i++)
		name[i] = space->arada.memory[i].machine == row->machine ? space->arada.memory[i].name : "";
	row->memory = find_name(reader, "memory", name, space->arada.n_memory, false);
	for (size_t i = 0; i < space->n_network; i++)
		name[i] = space->network[i].network.name;
	row->network = find_name(reader, "network", name, space->n_network, true);
	row->quantity =
	    (enum arada_quantity)find_name(reader, "quantity", arada_quantity_name, N_ARADA_QUANTITY, false);
	(void)csv_get_real(reader->table, cell_of(reader, "published_pct"), "published_pct", 0, 100,
	                   &row->published_pct, reader->err);
	row->source = memory_must(arena_text(arena, cell_of(reader, "source")->text));
	row->layers = memory_must(arena_text(arena, cell_of(reader, "layers")->text));
	if (reader->err->n_message == 0)
		check_layers(reader, row);
}

static enum err_code read_rows(struct arada_published *published, const char *csv, struct err *err)
{
	static const char *const column[] = {"source", "machine",  "memory",       "network",
	                                     "layers", "quantity", "published_pct"};
	struct csv_table table;
	enum err_code code = csv_read_file(csv, &table, err);
	if (code != ERR_OK)
		return code;
	for (size_t i = 0; i < sizeof(column) / sizeof(column[0]); i++)
		if (csv_find_column(&table, column[i]) == CSV_NO_COLUMN)
			code = err_add_at(err, ERR_INPUT, (struct err_place){csv, 1, 1}, "no column '%s'", column[i]);
	published->row = memory_must(arena_array(&published->arena, table.n_row + 1, sizeof(*published->row)));
	for (size_t i = 0; i < table.n_row && code == ERR_OK; i++)
		read_row(&(struct row_reader){published, &table, i, err}, &published->row[published->n++]);
	csv_free(&table);
	return err->n_message > 0 ? err->code : code;
}

/* ---- ours ---- */

static double layer_value(const struct arada_run *run, size_t i, enum arada_quantity quantity)
{
	const struct arada_mode *mode = &run->mode[ARADA_IDEAL][i];
	double tops = 1 - mode->clk_mhz / run->platform.max_clk_mhz;
	double bandwidth = 1 - mode->bandwidth_gb_s / run->platform.max_bandwidth_gb_s;
	if (quantity == ARADA_STALLED)
		return run->layer[i].stall_clk > 0 ? 1 : 0;
	return quantity == ARADA_TOPS_CUT ? tops : quantity == ARADA_BANDWIDTH_CUT ? bandwidth : fmax(tops, bandwidth);
}

static double own_value(const struct arada_study *study, size_t machine, const struct arada_published_row *row)
{
	bool is_mean = row->network == study->space->n_network;
	const struct arada_run *run = &study->run[machine * study->space->n_network + (is_mean ? 0 : row->network)];
	struct arada_sum sum = is_mean ? arada_study_mean(study, machine, ARADA_VF_OH_Q) : run->sum[ARADA_VF_OH_Q];
	double value = 0, n = 0;
	const char *text = row->layers;
	if (row->quantity < ARADA_TOPS_CUT)
		return row->quantity == ARADA_ENERGY_SAVING ? sum.saving_frac : sum.layer_bandwidth_frac;
	for (size_t from, end; next_range(&text, &from, &end);)
		for (size_t i = from; i < end; i++, n++)
			value += layer_value(run, i, row->quantity);
	return value / n;
}

/* The space with the memories that rows name, by a reading; memory [n_memory] is where each was. */
static struct space space_of(const struct arada_published *published, enum arada_reading reading, struct arena *arena,
                             size_t *was)
{
	struct space space = *published->space;
	const struct arada_options *from = &published->space->arada;
	struct arada_options *options = &space.arada;
	options->memory = memory_must(arena_array(arena, from->n_memory + 1, sizeof(*options->memory)));
	options->n_memory = options->n_published = options->n_detail = 0;
	for (size_t i = 0; i < from->n_memory; i++) {
		bool is_named = false;
		for (size_t k = 0; k < published->n; k++)
			is_named |= published->row[k].memory == i;
		if (!is_named)
			continue;
		was[options->n_memory] = i;
		options->memory[options->n_memory++] = from->memory[i];
	}
	options->bandwidth = reading_table[reading].bandwidth;
	options->bandwidth_word_byte = reading_table[reading].word_byte;
	return space;
}

static enum err_code run_reading(struct arada_published *published, const char *path, enum arada_reading reading,
                                 const struct arada_how *how, struct err *err)
{
	struct arena arena = {0};
	struct arada_study study;
	size_t *was = memory_must(arena_array(&arena, published->space->arada.n_memory + 1, sizeof(*was)));
	const struct space space = space_of(published, reading, &arena, was);
	enum err_code code = arada_study_run(&space, path, how, &study, err);
	if (code == ERR_OK) {
		for (size_t i = 0; i < study.n_machine; i++)
			for (size_t k = 0; k < published->n; k++)
				if (study.coupled[i].memory != SIZE_MAX &&
				    was[study.coupled[i].memory] == published->row[k].memory)
					published->row[k].own_pct[reading] =
					    PCT * own_value(&study, i, &published->row[k]);
		arada_study_free(&study);
	}
	arena_free(&arena);
	return code;
}

enum err_code arada_published_run(const struct space *space, const char *path, const char *csv,
                                  const struct arada_how *how, struct arada_published *published, struct err *err)
{
	*published = (struct arada_published){.space = space};
	enum err_code code = read_rows(published, csv, err);
	for (int i = 0; i < N_ARADA_READING && code == ERR_OK; i++)
		code = run_reading(published, path, (enum arada_reading)i, how, err);
	return code;
}

void arada_published_free(struct arada_published *published)
{
	arena_free(&published->arena);
	*published = (struct arada_published){0};
}

/* ---- what is met ---- */

bool arada_published_is_met(const struct arada_published_row *row, enum arada_reading reading)
{
	double allowed = fmax(ARADA_MET_FRAC * row->published_pct, ARADA_MET_POINT);
	return fabs(row->own_pct[reading] - row->published_pct) <= allowed;
}

size_t arada_published_n_met(const struct arada_published *published, enum arada_reading reading)
{
	size_t n = 0;
	for (size_t i = 0; i < published->n; i++)
		n += arada_published_is_met(&published->row[i], reading);
	return n;
}

enum arada_reading arada_published_best(const struct arada_published *published)
{
	int best = 0;
	for (int i = 1; i < N_ARADA_READING; i++)
		if (arada_published_n_met(published, (enum arada_reading)i) >
		    arada_published_n_met(published, (enum arada_reading)best))
			best = i;
	return (enum arada_reading)best;
}

/* ---- output ---- */

static const char *network_of(const struct arada_published *published, const struct arada_published_row *row)
{
	const struct space *space = published->space;
	return row->network == space->n_network ? "mean" : space->network[row->network].network.name;
}

static void print_rows(FILE *file, const struct arada_published *published)
{
	const struct space *space = published->space;
	struct table table = {0};
	table_add_columns(&table, "machine|memory|network|layers|quantity|>published");
	for (int i = 0; i < N_ARADA_READING; i++)
		table_add_column(&table, arada_reading_name[i], true);
	table_add_column(&table, "source", false);
	for (size_t i = 0; i < published->n; i++) {
		const struct arada_published_row *row = &published->row[i];
		table_add_row(&table, "%s|%s|%s|%s|%s|%g", space->machine[row->machine].name,
		              space->arada.memory[row->memory].name, network_of(published, row),
		              *row->layers ? row->layers : "-", arada_quantity_name[row->quantity], row->published_pct);
		for (int k = 0; k < N_ARADA_READING; k++)
			table_add(&table, "%.1f%s", row->own_pct[k],
			          arada_published_is_met(row, (enum arada_reading)k) ? "*" : " ");
		table_add(&table, "%s", row->source);
	}
	table_finish(&table, file, 0);
}

void arada_published_print(FILE *file, const struct arada_published *published)
{
	enum arada_reading best = arada_published_best(published);
	struct words_fold fold;
	print_rows(file, published);
	file = words_fold_begin(&fold, file);
	(void)fprintf(file, "\npercent; * met: within a tenth of the figure or %g points\n", ARADA_MET_POINT);
	(void)fputs("GB/s taken for", file);
	for (int i = 0; i < N_ARADA_READING; i++)
		(void)fprintf(file, "%s %s: %zu of %zu met", i > 0 ? ";" : "", arada_reading_name[i],
		              arada_published_n_met(published, (enum arada_reading)i), published->n);
	(void)fprintf(file, "\nmost by %s%s\n", arada_reading_name[best],
	              arada_published_n_met(published, best) < published->n ? "; no reading meets all: the paper's "
	                                                                      "figures contradict each other under "
	                                                                      "each of them"
	                                                                    : "");
	words_fold_end(&fold);
}

void arada_published_write(FILE *file, const struct arada_published *published)
{
	const struct space *space = published->space;
	(void)fputs("source,machine,memory,network,layers,quantity,published_pct", file);
	for (int i = 0; i < N_ARADA_READING; i++)
		(void)fprintf(file, ",%s_pct,%s_met", arada_reading_name[i], arada_reading_name[i]);
	(void)fputc('\n', file);
	for (size_t i = 0; i < published->n; i++) {
		const struct arada_published_row *row = &published->row[i];
		csv_put_row(file, "%s,%s,%s,%s,%s,%s,%g", row->source, space->machine[row->machine].name,
		            space->arada.memory[row->memory].name, network_of(published, row), row->layers,
		            arada_quantity_name[row->quantity], row->published_pct);
		for (int k = 0; k < N_ARADA_READING; k++)
			csv_put_row(file, ",%g,%s", row->own_pct[k],
			            arada_published_is_met(row, (enum arada_reading)k) ? "yes" : "no");
		(void)fputc('\n', file);
	}
}
