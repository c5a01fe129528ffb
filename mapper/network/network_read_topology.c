/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SCALE-Sim's topology files: a header line, then a layer a line, as a convolution
 *
 *     Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,
 *
 * or as a product of an M x K and a K x N matrix: Layer, M, N, K. Columns go by their place, because files in use name
 * them in many ways; a comma at the end of a line is optional. Layers are independent of each other; each reads from
 * and writes to DRAM. The ifmap's size contains its padding.
 */
#include "mapper/network/network_read.h"
#include "mapper/network/parser.h"
#include "sim/base/checked.h"
#include "sim/base/file.h"
#include "sim/base/text.h"
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTE (16u << 20)
#define MAX_MESSAGE 20u
#define MAX_CELL 16u
#define SHOWN_CELL 40

enum conv_column {
	CONV_NAME,
	CONV_IFMAP_H,
	CONV_IFMAP_W,
	CONV_FILTER_H,
	CONV_FILTER_W,
	CONV_CHANNELS,
	CONV_N_FILTER,
	CONV_STRIDE,
	N_CONV_COLUMN,
	CONV_STRIDE_W = N_CONV_COLUMN, /* in files that give the stride in both directions */
	MAX_CONV_COLUMN
};
static const char *const conv_name[MAX_CONV_COLUMN] = {"layer name",    "IFMAP height", "IFMAP width",
                                                       "filter height", "filter width", "channels",
                                                       "num filter",    "stride",       "stride width"};
enum gemm_column { GEMM_NAME, GEMM_M, GEMM_N, GEMM_K, N_GEMM_COLUMN };
static const char *const gemm_name[N_GEMM_COLUMN] = {"layer", "M", "N", "K"};
static const char conv_form[] =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
    "Strides";
static const char gemm_form[] = "Layer, M, N, K";

/* A cell of the line in hand, blanks around it left out; not terminated. */
struct cell {
	const char *text;
	size_t n_byte;
	unsigned column; /* from 1 */
};

struct topology_reader {
	const char *path;
	struct err *err;
	unsigned n_mistake, line;
	struct cell cell[MAX_CELL];
	size_t n_cell; /* may exceed MAX_CELL: the others are counted only */
	bool has_header, is_gemm;
	size_t n_column;
	size_t gemm_place[N_GEMM_COLUMN]; /* where M, N and K stand */
	struct network *network;
};

static struct err_place place_of(const struct topology_reader *reader, size_t i)
{
	size_t at = i < MAX_CELL ? i : MAX_CELL - 1;
	return (struct err_place){reader->path, reader->line, reader->n_cell > at ? reader->cell[at].column : 1};
}

/* A mistake at cell i of the line; false. Many are not shown: a file of another kind would fill the screen. */
__attribute__((format(printf, 3, 4))) static bool complain(struct topology_reader *reader, size_t i, const char *format,
                                                           ...)
{
	char text[512];
	TEXT_FILL(text, format);
	reader->n_mistake++;
	if (reader->n_mistake <= MAX_MESSAGE)
		(void)err_add_at(reader->err, ERR_INPUT, place_of(reader, i), "%s", text);
	else if (reader->n_mistake == MAX_MESSAGE + 1)
		(void)err_add_at(reader->err, ERR_INPUT, place_of(reader, i),
		                 "more mistakes follow; is this a SCALE-Sim topology (%s; or %s)?", conv_form,
		                 gemm_form);
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Cells of a line, without those that are empty at its end. */
static void split_line(struct topology_reader *reader, const char *line, const char *end)
{
	const char *at = line;
	size_t n_used = 0;
	reader->n_cell = 0;
	for (bool more = true; more;) {
		const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end, *from = at;
		while (from < stop && is_blank(*from))
			from++;
		const char *to = stop;
		while (to > from && is_blank(to[-1]))
			to--;
		if (reader->n_cell < MAX_CELL)
			reader->cell[reader->n_cell] =
			    (struct cell){from, (size_t)(to - from), (unsigned)(from - line) + 1};
		reader->n_cell++;
		if (to > from)
			n_used = reader->n_cell;
		more = comma != NULL;
		at = comma ? comma + 1 : end;
	}
	reader->n_cell = n_used;
}

/* A cell as a whole number from 1 to max; a message where it is none. */
static bool read_number(struct topology_reader *reader, size_t i, const char *what, uint32_t max, uint32_t *out)
{
	const struct cell *cell = &reader->cell[i];
	uint64_t value = 0;
	bool good = cell->n_byte > 0;
	assert(i < reader->n_cell && i < MAX_CELL);
	for (size_t k = 0; k < cell->n_byte && good; k++) {
		good = cell->text[k] >= '0' && cell->text[k] <= '9';
		value = good ? add_sat(mul_sat(value, 10), (uint64_t)(cell->text[k] - '0')) : 0;
	}
	if (good && value >= 1 && value <= max) {
		*out = (uint32_t)value;
		return true;
	}
	return complain(reader, i, "%s: found '%.*s', allowed a whole number from 1 to %u", what,
	                (int)(cell->n_byte < SHOWN_CELL ? cell->n_byte : SHOWN_CELL), cell->text, max);
}

static bool starts_with_digit(const struct cell *cell)
{
	return cell->n_byte > 0 && cell->text[0] >= '0' && cell->text[0] <= '9';
}

/* Whether the header's cells are the letters M, N and K in some order, behind the layer's name. */
static bool is_gemm_header(struct topology_reader *reader)
{
	bool found[N_GEMM_COLUMN] = {true};
	if (reader->n_cell != N_GEMM_COLUMN)
		return false;
	for (size_t i = 1; i < N_GEMM_COLUMN; i++)
		for (size_t k = 1; k < N_GEMM_COLUMN; k++)
			if (reader->cell[i].n_byte == 1 &&
			    toupper((unsigned char)reader->cell[i].text[0]) == gemm_name[k][0]) {
				found[k] = true;
				reader->gemm_place[k] = i;
			}
	return found[GEMM_M] && found[GEMM_N] && found[GEMM_K];
}

static enum err_code read_header(struct topology_reader *reader)
{
	reader->has_header = true;
	reader->is_gemm = is_gemm_header(reader);
	reader->n_column = reader->n_cell;
	bool is_conv = reader->n_cell == N_CONV_COLUMN || reader->n_cell == MAX_CONV_COLUMN;
	bool is_data = reader->n_cell > 1 && starts_with_digit(&reader->cell[1]);
	if (!is_data && (reader->is_gemm || is_conv))
		return ERR_OK;
	return err_add_at(reader->err, ERR_INPUT, place_of(reader, is_data ? 1 : 0),
	                  "found %s, allowed is the header of a SCALE-Sim topology: %s; or %s",
	                  is_data ? "numbers in the first line" : "a first line of other columns", conv_form,
	                  gemm_form);
}

/* What layers of all forms have; block: kind and sizes. A message at the row's name where it is too much work. */
static bool finish_block(struct topology_reader *reader, struct block *block, const char *prefix)
{
	if (block_n_mac(block) > NETWORK_MAX_WORK) {
		return complain(reader, 0, "more work than can be counted, allowed up to %llu multiply-accumulates",
		                (unsigned long long)NETWORK_MAX_WORK);
	}
	block->number = (uint32_t)reader->network->n_block + 1;
	block->groups = block->pool = block->next_pool_stride = 1;
	block->has_acti = block->has_quan = true;
	block->input = block->added = INPUT_DRAM;
	block->result_to_dram = true;
	(void)snprintf(block->name, sizeof(block->name), "%s_%u", prefix, block->number);
	return true;
}

static bool read_gemm(struct topology_reader *reader, struct block *block)
{
	static const uint32_t max[] = {
	    [GEMM_M] = NETWORK_MAX_EXTENT, [GEMM_N] = NETWORK_MAX_CHANNEL, [GEMM_K] = NETWORK_MAX_VECTOR};
	uint32_t size[N_GEMM_COLUMN];
	bool good = true;
	for (size_t k = GEMM_M; k <= GEMM_K; k++)
		good = read_number(reader, reader->gemm_place[k], gemm_name[k], max[k], &size[k]) && good;
	if (!good)
		return false;
	*block = (struct block){.kind = BLOCK_MATMUL,
	                        .in_w = size[GEMM_K],
	                        .in_h = size[GEMM_M],
	                        .in_c = 1,
	                        .kernel_w = 1,
	                        .kernel_h = 1,
	                        .stride = 1,
	                        .out_w = size[GEMM_N],
	                        .out_h = size[GEMM_M],
	                        .out_c = 1};
	return finish_block(reader, block, "FC");
}

/* A filter lies within the ifmap, whose size has the padding in it. */
static bool check_filter(struct topology_reader *reader, size_t i, uint32_t ifmap, uint32_t filter)
{
	if (filter <= ifmap)
		return true;
	return complain(reader, i,
	                "%s: %u on %u pixels of the ifmap, allowed up to as many; add the padding to the ifmap's "
	                "size",
	                conv_name[i], filter, ifmap);
}

/* The tool rounds up: the last position may reach past the ifmap by less than the stride. */
static uint32_t n_position(uint32_t ifmap, uint32_t filter, uint32_t stride)
{
	assert(filter <= ifmap);
	return (uint32_t)ceil_div((uint64_t)ifmap - filter + stride, stride);
}

static bool read_conv(struct topology_reader *reader, struct block *block)
{
	uint32_t size[MAX_CONV_COLUMN];
	bool good = true;
	for (size_t i = CONV_IFMAP_H; i < reader->n_column; i++)
		good = read_number(reader, i, conv_name[i], NETWORK_MAX_EXTENT, &size[i]) && good;
	if (!good)
		return false;
	good = check_filter(reader, CONV_FILTER_H, size[CONV_IFMAP_H], size[CONV_FILTER_H]);
	good = check_filter(reader, CONV_FILTER_W, size[CONV_IFMAP_W], size[CONV_FILTER_W]) && good;
	if (reader->n_column > CONV_STRIDE_W && size[CONV_STRIDE_W] != size[CONV_STRIDE]) {
		return complain(reader, CONV_STRIDE_W,
		                "%s: found %u beside a stride of %u, allowed is one stride in both directions",
		                conv_name[CONV_STRIDE_W], size[CONV_STRIDE_W], size[CONV_STRIDE]);
	}
	if (!good)
		return false;
	*block = (struct block){.kind = BLOCK_CONV,
	                        .in_w = size[CONV_IFMAP_W],
	                        .in_h = size[CONV_IFMAP_H],
	                        .in_c = size[CONV_CHANNELS],
	                        .kernel_w = size[CONV_FILTER_W],
	                        .kernel_h = size[CONV_FILTER_H],
	                        .stride = size[CONV_STRIDE],
	                        .out_w = n_position(size[CONV_IFMAP_W], size[CONV_FILTER_W], size[CONV_STRIDE]),
	                        .out_h = n_position(size[CONV_IFMAP_H], size[CONV_FILTER_H], size[CONV_STRIDE]),
	                        .out_c = size[CONV_N_FILTER]};
	return finish_block(reader, block, "CONV");
}

/* One line of a layer. */
static void read_row(struct topology_reader *reader)
{
	struct network *network = reader->network;
	struct block block;
	if (reader->n_cell != reader->n_column) {
		(void)complain(reader, 0, "found %zu cells, allowed %zu: %s", reader->n_cell, reader->n_column,
		               reader->is_gemm ? gemm_form : conv_form);
		return;
	}
	if (network->n_block == NETWORK_MAX_LAYER) {
		(void)complain(reader, 0, "more than %u layers, allowed up to %u", NETWORK_MAX_LAYER,
		               NETWORK_MAX_LAYER);
		return;
	}
	if (reader->is_gemm ? read_gemm(reader, &block) : read_conv(reader, &block))
		network->block[network->n_block++] = block;
}

/* Lines with nothing but blanks and commas are passed over. */
static enum err_code read_lines(struct topology_reader *reader, const char *text, size_t n_byte)
{
	static const char mark[] = "\xef\xbb\xbf";
	const char *at = text, *end = text + n_byte;
	enum err_code code = ERR_OK;
	if (n_byte >= 3 && memcmp(text, mark, 3) == 0)
		at += 3;
	while (at < end && code == ERR_OK && reader->n_mistake <= MAX_MESSAGE) {
		const char *feed = memchr(at, '\n', (size_t)(end - at)), *stop = feed ? feed : end;
		reader->line++;
		split_line(reader, at, stop);
		if (reader->n_cell > 0 && !reader->has_header)
			code = read_header(reader);
		else if (reader->n_cell > 0)
			read_row(reader);
		at = feed ? feed + 1 : end;
	}
	return code;
}

/* The network is called as its file, without folder and ending; what no name may have is '_'. */
static void name_network(const char *path, struct network *network)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
	size_t n = dot && dot > name ? (size_t)(dot - name) : strlen(name);
	(void)snprintf(network->name, sizeof(network->name), "%.*s",
	               (int)(n < NETWORK_NAME_SIZE ? n : NETWORK_NAME_SIZE), name);
	text_make_name(network->name, sizeof(network->name));
}

enum err_code network_read_topology(const char *path, struct network *network, struct err *err)
{
	struct topology_reader reader = {.path = path, .network = network, .err = err};
	char *text = NULL;
	size_t n_byte = 0;
	assert(path && network);
	memset(network, 0, sizeof(*network));
	enum err_code code = file_read(path, MAX_BYTE, &text, &n_byte, err);
	if (code != ERR_OK)
		goto cleanup;
	network->block = arena_array(&network->arena, NETWORK_MAX_LAYER, sizeof(*network->block));
	if (!network->block)
		code = err_add(err, ERR_INTERNAL, "out of memory for the layers of %s", path);
	else if (n_byte > MAX_BYTE)
		code = err_add(err, ERR_INPUT, "%s: found over %u byte, allowed %u byte", path, MAX_BYTE, MAX_BYTE);
	else
		code = read_lines(&reader, text, n_byte);
	if (code == ERR_OK && reader.n_mistake == 0 && network->n_block == 0)
		code = err_add_at(err, ERR_INPUT, (struct err_place){path, reader.line > 0 ? reader.line : 1, 1},
		                  "no layers, allowed is a header, %s; or %s; and at least one layer", conv_form,
		                  gemm_form);
	if (code == ERR_OK && reader.n_mistake > 0)
		code = ERR_INPUT;
	name_network(path, network);
	network_find_equal(network);
cleanup:
	free(text);
	if (code != ERR_OK)
		network_free(network);
	return code;
}
