/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workloads of ZigZag: a list of layers, each a loop nest,
 *
 *     - id: 0
 *       name: conv1
 *       operator_type: Conv
 *       equation: O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]
 *       dimension_relations: [ix=1*ox+1*fx, iy=1*oy+1*fy]
 *       loop_dims: [B, K, C, OY, OX, FY, FX]
 *       loop_sizes: [1, 64, 3, 112, 112, 7, 7]
 *       pr_loop_dims: [IX, IY]
 *       padding: [[3, 3], [3, 3]]
 *
 * Operand W has the weights. Precisions, sources of operands, and keys of mappings are passed over: layers are independent.
 */
#include "mapper/network/loop_nest.h"
#include "mapper/network/network_read.h"
#include "sim/base/arena.h"
#include "sim/base/doc.h"
#include "sim/base/text.h"
#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

#define MAX_RELATION 4u
#define MAX_SIZE (UINT64_C(1) << 32)

/* ix = 2*ox + 1*fx */
struct relation {
	const char *name;
	size_t n_byte;
	struct loop_index index;
};

struct zigzag_reader {
	struct loop_nest nest;
	unsigned n_relation;
	struct relation relation[MAX_RELATION];
	struct err *err;
};

bool network_is_zigzag(const struct doc_node *root)
{
	return root->kind == DOC_LIST && root->n > 0 && doc_find(root->value[0], "equation");
}

static const struct doc_node *need(const struct doc_node *map, const char *key, enum doc_kind kind, struct err *err)
{
	const struct doc_node *node = doc_find(map, key);
	if (!node)
		(void)doc_refuse(err, map, "a layer without '%s'", key);
	else if (node->kind != kind)
		(void)doc_refuse(err, node, "%s: found something else, allowed is %s", key, kind == DOC_LIST ? "a list" : "text");
	return node && node->kind == kind ? node : NULL;
}

static bool read_dims(struct zigzag_reader *reader, const struct doc_node *map)
{
	const struct doc_node *names = need(map, "loop_dims", DOC_LIST, reader->err);
	const struct doc_node *sizes = need(map, "loop_sizes", DOC_LIST, reader->err);
	struct loop_nest *nest = &reader->nest;
	if (!names || !sizes)
		return false;
	if (names->n != sizes->n || names->n > LOOP_MAX_DIM)
		return doc_refuse(reader->err, sizes, "loop_sizes: found %zu for %zu loop_dims, allowed as many, at most %u",
		                  sizes->n, names->n, LOOP_MAX_DIM);
	bool good = true;
	for (size_t i = 0; i < names->n; i++) {
		struct loop_dim *dim = &nest->dim[nest->n_dim++];
		*dim = (struct loop_dim){.name = "", .size = 1, .place = doc_place(sizes->value[i])};
		good = doc_get_text(names->value[i], "loop_dims", &dim->name, reader->err) && good;
		good = doc_get_u64(sizes->value[i], "loop_sizes", 1, MAX_SIZE, &dim->size, reader->err) && good;
	}
	return good;
}

static const char *skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/* Letters and digits of a name; its length. */
static size_t name_length(const char *at)
{
	size_t n = 0;
	while (isalnum((unsigned char)at[n]) || at[n] == '_')
		n++;
	return n;
}

/* "2*ox", "ox" or "ox*2"; *at moves behind it. */
static bool read_term(const struct loop_nest *nest, const char **at, struct loop_index *index)
{
	uint64_t coefficient = 1;
	unsigned dim = nest->n_dim;
	for (unsigned k = 0; k < 2; k++) {
		const char *word = skip_blanks(*at);
		size_t n = name_length(word);
		if (n == 0)
			return false;
		if (isdigit((unsigned char)*word)) {
			coefficient = 0;
			for (size_t i = 0; i < n && coefficient <= NETWORK_MAX_EXTENT; i++) {
				if (!isdigit((unsigned char)word[i]))
					return false;
				coefficient = 10 * coefficient + (uint64_t)(word[i] - '0');
			}
		} else {
			dim = loop_nest_find(nest, word, n);
		}
		*at = skip_blanks(word + n);
		if (**at != '*')
			break;
		(*at)++;
	}
	if (dim == nest->n_dim || coefficient < 1 || coefficient > NETWORK_MAX_EXTENT || index->n == 2)
		return false;
	index->dim[index->n] = dim;
	index->coefficient[index->n++] = coefficient;
	return true;
}

static bool read_relation(struct zigzag_reader *reader, const struct doc_node *node)
{
	struct relation *relation = &reader->relation[reader->n_relation];
	const char *text;
	if (reader->n_relation == MAX_RELATION)
		return doc_refuse(reader->err, node, "dimension_relations: found more than %u, allowed at most %u", MAX_RELATION,
		                  MAX_RELATION);
	if (!doc_get_text(node, "dimension_relations", &text, reader->err))
		return false;
	const char *at = skip_blanks(text);
	*relation = (struct relation){.name = at, .n_byte = name_length(at)};
	at = skip_blanks(at + relation->n_byte);
	bool good = relation->n_byte > 0 && *at == '=';
	for (at += good; good;) {
		good = read_term(&reader->nest, &at, &relation->index);
		if (!good || *at != '+')
			break;
		at++;
	}
	if (!good || *at)
		return doc_refuse(reader->err, node,
		                  "dimension_relations: found '%s', allowed is a sum of two loop_dims, e.g. ix=2*ox+1*fx",
		                  doc_quote(text).text);
	reader->n_relation++;
	return true;
}

/* An index of the equation: a loop's, or a relation's. */
static bool read_index(const struct zigzag_reader *reader, const char *name, size_t n, struct loop_index *index)
{
	for (unsigned i = 0; i < reader->n_relation; i++)
		if (reader->relation[i].n_byte == n && strncasecmp(reader->relation[i].name, name, n) == 0) {
			*index = reader->relation[i].index;
			return true;
		}
	unsigned dim = loop_nest_find(&reader->nest, name, n);
	*index = (struct loop_index){.n = 1, .dim = {dim}, .coefficient = {1}};
	return dim < reader->nest.n_dim;
}

/* "O[b][k]"; *at moves behind it. */
static bool read_operand(const struct zigzag_reader *reader, const char **at, const char **name, struct loop_operand *operand)
{
	*operand = (struct loop_operand){.n = 0};
	*name = skip_blanks(*at);
	size_t n = name_length(*name);
	*at = skip_blanks(*name + n);
	while (n > 0 && **at == '[') {
		const char *index = skip_blanks(*at + 1);
		size_t n_index = name_length(index);
		*at = skip_blanks(index + n_index);
		if (**at != ']' || operand->n == LOOP_MAX_INDEX ||
		    !read_index(reader, index, n_index, &operand->index[operand->n]))
			return false;
		operand->n++;
		*at = skip_blanks(*at + 1);
	}
	return n > 0 && operand->n > 0;
}

static bool take(const char **at, const char *sign)
{
	size_t n = strlen(sign);
	bool is_there = strncmp(*at, sign, n) == 0;
	*at = skip_blanks(*at + (is_there ? n : 0));
	return is_there;
}

static bool read_equation(struct zigzag_reader *reader, const struct doc_node *node)
{
	struct loop_nest *nest = &reader->nest;
	struct loop_operand left, right;
	const char *text, *at, *output, *first, *second;
	if (!doc_get_text(node, "equation", &text, reader->err))
		return false;
	at = text;
	if (!read_operand(reader, &at, &output, &nest->output) || !take(&at, "+=") ||
	    !read_operand(reader, &at, &first, &left) || !take(&at, "*") || !read_operand(reader, &at, &second, &right) || *at)
		return doc_refuse(reader->err, node,
		                  "equation: found '%s', allowed are a convolution and a matrix product over loop_dims and "
		                  "dimension_relations, e.g. O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]",
		                  doc_quote(text).text);
	bool first_is_weights = first[0] == 'W' || first[0] == 'w';
	nest->weights = first_is_weights ? left : right;
	nest->input = first_is_weights ? right : left;
	return true;
}

/* The relations of the input's sums, in their order; of them [0] is the height where its name ends in y. */
static unsigned find_sides(struct zigzag_reader *reader, const struct relation *side[2])
{
	const struct loop_operand *input = &reader->nest.input;
	unsigned n = 0;
	for (unsigned i = 0; i < input->n && n < 2; i++)
		for (unsigned r = 0; input->index[i].n == 2 && r < reader->n_relation; r++)
			if (reader->relation[r].index.dim[0] == input->index[i].dim[0] &&
			    reader->relation[r].index.dim[1] == input->index[i].dim[1]) {
				side[n++] = &reader->relation[r];
				break;
			}
	if (n > 0)
		reader->nest.height_first = tolower((unsigned char)side[0]->name[side[0]->n_byte - 1]) == 'y';
	return n;
}

/* Whether a node is a relation's name. */
static bool names(const struct doc_node *node, const struct relation *relation)
{
	return node->kind == DOC_SCALAR && strlen(node->text) == relation->n_byte &&
	       strncasecmp(node->text, relation->name, relation->n_byte) == 0;
}

/* [[before, behind], ...], by pr_loop_dims, else in the order of the input's sums. */
static bool read_padding(struct zigzag_reader *reader, const struct doc_node *map)
{
	const struct doc_node *list = doc_find(map, "padding"), *dims = doc_find(map, "pr_loop_dims");
	const struct relation *side[2] = {NULL, NULL};
	unsigned n_side = find_sides(reader, side);
	bool good = true;
	if (!list)
		return true;
	if (list->kind != DOC_LIST || list->n > 2)
		return doc_refuse(reader->err, list, "padding: allowed is a list of [before, behind], one for each of pr_loop_dims");
	for (size_t i = 0; i < list->n; i++) {
		const struct doc_node *pair = list->value[i];
		size_t at = i;
		for (unsigned k = 0; dims && dims->kind == DOC_LIST && i < dims->n && k < n_side; k++)
			at = names(dims->value[i], side[k]) ? k : at;
		if (pair->kind != DOC_LIST || pair->n != 2) {
			good = doc_refuse(reader->err, pair, "padding: found something else, allowed is [before, behind]");
			continue;
		}
		for (unsigned k = 0; k < 2; k++) {
			uint64_t n_pixel = 0;
			good = doc_get_u64(pair->value[k], "padding", 0, NETWORK_MAX_EXTENT, &n_pixel, reader->err) && good;
			reader->nest.padding[at][k] = (uint32_t)n_pixel;
		}
	}
	return good;
}

static void read_origin(const struct doc_node *map, struct layer_origin *origin)
{
	const struct doc_node *name = doc_find(map, "name"), *op = doc_find(map, "operator_type");
	if (name && name->kind == DOC_SCALAR && !text_name_fault(name->text, LAYER_ORIGIN_SIZE - 1))
		origin->node = name->text;
	if (op && op->kind == DOC_SCALAR && !text_name_fault(op->text, LAYER_ORIGIN_SIZE - 1))
		origin->op = op->text;
}

static bool read_layer(const struct doc_node *map, struct layer *layer, uint32_t *batch, struct err *err)
{
	struct zigzag_reader reader = {.err = err, .nest = {.place = doc_place(map)}};
	const struct doc_node *equation = need(map, "equation", DOC_SCALAR, err);
	const struct doc_node *relations = doc_find(map, "dimension_relations");
	*layer = (struct layer){.place = doc_place(map), .groups = 1};
	bool good = read_dims(&reader, map) && equation;
	for (size_t i = 0; good && relations && relations->kind == DOC_LIST && i < relations->n; i++)
		good = read_relation(&reader, relations->value[i]);
	good = good && read_equation(&reader, equation) && read_padding(&reader, map) &&
	       loop_nest_layer(&reader.nest, layer, batch, err);
	read_origin(map, &layer->origin);
	layer->broken = !good;
	return good;
}

enum err_code network_read_zigzag(const char *path, const struct doc_node *root, struct network *network, struct err *err)
{
	struct arena arena = {0};
	char name[NETWORK_NAME_SIZE];
	struct layer_list list = {.name = name, .place = doc_place(root), .lacks_input = true, .batch = 1, .n = root->n};
	bool good = true;
	assert(path && network && root->kind == DOC_LIST);
	loop_nest_name(path, name);
	if (root->n > NETWORK_MAX_LAYER)
		return err_add_at(err, ERR_INPUT, doc_place(root), "found %zu layers, allowed at most %u", root->n,
		                  NETWORK_MAX_LAYER);
	list.layer = arena_array(&arena, root->n, sizeof(*list.layer));
	if (!list.layer)
		return err_add(err, ERR_INTERNAL, "out of memory for the layers of %s", path);
	for (size_t i = 0; i < root->n; i++) {
		uint32_t batch = 1;
		bool read = read_layer(root->value[i], &list.layer[i], &batch, err);
		if (read && i > 0 && batch != list.batch)
			read = doc_refuse(err, root->value[i],
			                  "found a batch (or rows of a matrix) of %u after one of %u, allowed is one for all layers; "
			                  "give layers of another one a file of their own",
			                  batch, list.batch);
		list.batch = i == 0 ? batch : list.batch;
		good = good && read;
	}
	enum err_code code = good ? parser_build(&list, network, err) : ERR_INPUT;
	arena_free(&arena);
	return code;
}
