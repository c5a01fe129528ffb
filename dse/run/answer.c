/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/run/answer.h"
#include "dse/base/key_table.h"
#include "dse/base/parallel.h"
#include "dse/engine/engine.h"
#include "dse/out/build.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool answer_key(const struct space *space, const struct explore_options *options, char key[HASH_HEX_SIZE])
{
	char text[320];
	uint64_t hash = 0;
	assert(space->n_file > 0 && options->engine);
	if (!build_sources[0])
		return false;
	for (size_t i = 0; i < space->n_file; i++)
		hash = hash_bytes(space->file[i].hash, strlen(space->file[i].hash), hash);
	/* where nothing is random the seed decides nothing */
	int n = snprintf(text, sizeof(text), "%s %016" PRIx64 " %zu %s %d %" PRIu64 " %" PRIu64 " %d %d %.17g",
	                 build_sources, hash, space->n_file, options->engine->name, (int)options->flat,
	                 options->engine->is_random ? options->seed : 0, options->max_evaluation, (int)space->detail,
	                 (int)options->all_machines, options->epsilon);
	assert(n > 0 && (size_t)n < sizeof(text));
	hash_hex(text, (size_t)n, key);
	return true;
}

bool answer_is_whole(const struct explore *explore)
{
	return !explore->interrupted && !explore->truncated && explore->n_failure == 0 && explore->front.n > 0 &&
	       !explore->history.failed;
}

/* ---- a column of genomes: one layer's genes of all points, which take few values ---- */

struct column {
	uint32_t *gene; /* of the first point */
	size_t n_point, n_gene, stride;
	uint32_t *index; /* [n_point] of the point's value */
	struct pack pack;
};

/* Columns have nothing in common, so several threads write one each. */
static void write_column(void *context, size_t i)
{
	struct column *column = (struct column *)context + i;
	struct key_table values = {.n_word = column->n_gene}; /* in the order of their first use */
	bool is_new;
	column->index = malloc(column->n_point * sizeof(*column->index));
	column->pack.failed = !column->index;
	for (size_t point = 0; point < column->n_point && !column->pack.failed; point++)
		column->pack.failed =
		    !key_table_add(&values, column->gene + point * column->stride, &column->index[point], &is_new);
	if (!column->pack.failed) {
		pack_count(&column->pack, &values.n, column->n_gene * sizeof(uint32_t));
		pack_append(&column->pack, values.key, values.n * column->n_gene * sizeof(uint32_t));
		pack_u32s(&column->pack, column->index, column->n_point);
	}
	free(column->index);
	key_table_free(&values);
}

/* Values and indices are checked against each other; what a gene may be is checked by the caller. */
static void read_column(struct column *column, struct pack *pack)
{
	size_t n_value = 0;
	pack_count(pack, &n_value, column->n_gene * sizeof(uint32_t));
	if (pack_refuse(pack, n_value == 0 || n_value > column->n_point))
		return;
	uint32_t *value = calloc(n_value * column->n_gene, sizeof(*value));
	if (pack_refuse(pack, !value))
		return;
	pack_bytes(pack, value, n_value * column->n_gene * sizeof(*value));
	pack_u32s(pack, column->index, column->n_point);
	for (size_t i = 0; i < column->n_point && !pack->failed; i++) {
		if (pack_refuse(pack, column->index[i] >= n_value))
			break;
		memcpy(column->gene + i * column->stride, value + column->index[i] * column->n_gene,
		       column->n_gene * sizeof(*value));
	}
	free(value);
}

/* The machine's index, then each layer's genes. */
static struct column column_of(struct pareto *front, size_t i)
{
	assert(i == 0 || i * N_LAYER_GENE < front->n_gene);
	return (struct column){.gene = front->genome + (i == 0 ? 0 : 1 + (i - 1) * N_LAYER_GENE),
	                       .n_point = front->n,
	                       .n_gene = i == 0 ? 1 : N_LAYER_GENE,
	                       .stride = front->n_gene};
}

static void write_genomes(struct pareto *front, size_t n_column, unsigned n_thread, struct pack *pack)
{
	struct column *column = calloc(n_column, sizeof(*column));
	if (!column) {
		pack->failed = true;
		return;
	}
	for (size_t i = 0; i < n_column; i++)
		column[i] = column_of(front, i);
	parallel_for(n_column, n_thread, write_column, column);
	for (size_t i = 0; i < n_column; i++) {
		pack_append(pack, column[i].pack.data, column[i].pack.n);
		pack->failed |= column[i].pack.failed;
		pack_free(&column[i].pack);
	}
	free(column);
}

static void read_genomes(struct pareto *front, size_t n_column, struct pack *pack)
{
	uint32_t *index = malloc(front->n * sizeof(*index));
	pack->failed |= !index;
	for (size_t i = 0; i < n_column && !pack->failed; i++) {
		struct column column = column_of(front, i);
		column.index = index;
		read_column(&column, pack);
	}
	free(index);
}

/* ---- the whole ---- */

/* Counts are numbers of 8 bytes and texts, and only the program that wrote them reads them: its sources are in the key.
 */
static void pack_all(struct explore *explore, unsigned n_thread, struct pack *pack)
{
	struct pareto *front = &explore->front;
	uint64_t n_count = sizeof(explore->counts);
	size_t n = front->n;
	pack_u64(pack, &n_count);
	if (pack_refuse(pack, n_count != sizeof(explore->counts)))
		return;
	pack_bytes(pack, &explore->counts, sizeof(explore->counts));
	history_pack(&explore->history, pack);
	pack_count(pack, &n, 8 * (size_t)front->n_objective);
	if (pack_refuse(pack, n == 0) ||
	    (pack->is_reading && pack_refuse(pack, pack->failed || !pareto_extend(front, n))))
		return;
	pack_reals(pack, front->objective, n * front->n_objective);
	pack_u64s(pack, front->tag, n);
	size_t n_column = 1 + explore->map.n_block;
	assert(front->n_gene == 1 + explore->map.n_block * N_LAYER_GENE);
	if (pack->is_reading)
		read_genomes(front, n_column, pack);
	else
		write_genomes(front, n_column, n_thread, pack);
}

/* Plain numbers without pointers; like counts, the program's own. */
static void pack_designs(struct unrolled_design **design, size_t *n, struct pack *pack)
{
	pack_count(pack, n, sizeof(**design));
	if (pack->is_reading && !pack->failed)
		*design = calloc(*n + 1, sizeof(**design));
	if (!pack_refuse(pack, !*design))
		pack_bytes(pack, *design, *n * sizeof(**design));
}

/* Where machines stand: only where somebody noted it. */
static void pack_standings(struct explore *explore, struct pack *pack)
{
	bool has = explore->standings != NULL;
	pack_bool(pack, &has);
	if (pack->is_reading && has && !pack->failed)
		explore->standings = standings_new(explore->space, explore->counts.n_machine);
	if (has && !pack_refuse(pack, !explore->standings))
		standings_pack(explore->standings, pack);
}

void answer_write(struct explore *explore, struct unrolled_design *design, size_t n_design, unsigned n_thread,
                  struct pack *pack)
{
	assert(answer_is_whole(explore) && !pack->is_reading && design);
	pack_standings(explore, pack);
	pack_all(explore, n_thread, pack);
	pack_designs(&design, &n_design, pack);
}

void answer_read(struct explore *explore, struct pack *pack)
{
	uint64_t n_machine = explore->counts.n_machine;
	assert(pack->is_reading && explore->front.n == 0 && explore->map.n_block > 0);
	pack_standings(explore, pack);
	pack_all(explore, 1, pack);
	(void)pack_refuse(pack, explore->counts.n_machine != n_machine);
	if (!pack->failed)
		pack_designs(&explore->known_design, &explore->n_known_design, pack);
	for (size_t i = 0; i < explore->front.n && !pack->failed; i++)
		(void)pack_refuse(pack, explore->front.genome[i * explore->front.n_gene] >= n_machine);
}
