/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Problems of Timeloop: one convolution or matrix product as a loop nest,
 *
 *     problem:
 *       shape:
 *         name: CNN
 *         dimensions: [C, M, R, S, N, P, Q]
 *         coefficients: [{name: Wstride, default: 1}, ...]
 *         data-spaces: [{name: Inputs, projection: [[[N]], [[C]], [[R, Wdilation], [P, Wstride]], ...]}, ...]
 *       instance: {C: 64, M: 128, ...}
 *
 * The shape may be the built-in one, cnn-layer. Keys with '-' and '_' are alike. Architectures, mappings and densities
 * beside it are others' and passed over.
 */
#include "mapper/network/loop_nest.h"
#include "mapper/network/network_read.h"
#include "sim/base/doc.h"
#include "sim/base/text.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_SIZE (UINT64_C(1) << 32)

struct timeloop_reader {
	const struct doc_node *shape, *instance;
	struct loop_nest nest;
	struct err *err;
};

/* The built-in shape's dimensions; indices of its operands. */
static const char *const cnn_dim[] = {"R", "S", "P", "Q", "C", "M", "N"};
enum { CNN_R, CNN_S, CNN_P, CNN_Q, CNN_C, CNN_M, CNN_N };

bool network_is_timeloop(const struct doc_node *root)
{
	return root->kind == DOC_MAP && doc_find(root, "problem");
}

/* A key in either of its spellings. */
static const struct doc_node *find_either(const struct doc_node *map, const char *key, const char *other)
{
	const struct doc_node *node = doc_find(map, key);
	return node ? node : doc_find(map, other);
}

static bool add_dim(struct timeloop_reader *reader, const char *name, const struct doc_node *at)
{
	struct loop_nest *nest = &reader->nest;
	const struct doc_node *size = doc_find(reader->instance, name);
	if (nest->n_dim == LOOP_MAX_DIM)
		return doc_refuse(reader->err, at, "dimensions: found more than %u, allowed at most %u", LOOP_MAX_DIM,
		                  LOOP_MAX_DIM);
	struct loop_dim *dim = &nest->dim[nest->n_dim++];
	*dim = (struct loop_dim){.name = name, .size = 1, .place = doc_place(size ? size : at)};
	if (size)
		return doc_get_u64(size, name, 1, MAX_SIZE, &dim->size, reader->err);
	return doc_refuse(reader->err, at, "dimension %s has no size in 'instance'", doc_quote(name).text);
}

/* A coefficient's value: a number, or a name whose value the instance or its default has. */
static bool read_coefficient(struct timeloop_reader *reader, const struct doc_node *node, uint64_t *value)
{
	const struct doc_node *list = doc_find(reader->shape, "coefficients");
	const char *name;
	if (node->kind == DOC_SCALAR && node->text[0] >= '0' && node->text[0] <= '9')
		return doc_get_u64(node, "a coefficient", 1, NETWORK_MAX_EXTENT, value, reader->err);
	if (!doc_get_text(node, "a coefficient", &name, reader->err))
		return false;
	const struct doc_node *given = doc_find(reader->instance, name);
	for (size_t i = 0; !given && list && list->kind == DOC_LIST && i < list->n; i++) {
		const struct doc_node *own = doc_find(list->value[i], "name");
		if (own && own->kind == DOC_SCALAR && strcmp(own->text, name) == 0)
			given = doc_find(list->value[i], "default");
	}
	if (!given)
		return doc_refuse(reader->err, node, "coefficient %s has neither a value in 'instance' nor a default",
		                  doc_quote(name).text);
	return doc_get_u64(given, name, 1, NETWORK_MAX_EXTENT, value, reader->err);
}

/* [N], or [P, Wstride]; a name alone as well. */
static bool read_term(struct timeloop_reader *reader, const struct doc_node *term, struct loop_index *index)
{
	const struct doc_node *name = term->kind == DOC_LIST && term->n > 0 ? term->value[0] : term;
	if (name->kind != DOC_SCALAR || (term->kind == DOC_LIST && term->n > 2))
		return doc_refuse(reader->err, term,
		                  "projection: found something else, allowed [DIMENSION] or [DIMENSION, COEFFICIENT]");
	unsigned dim = loop_nest_find(&reader->nest, name->text, strlen(name->text));
	if (dim == reader->nest.n_dim)
		return doc_refuse(reader->err, name, "projection: found '%s', allowed is one of the dimensions",
		                  doc_quote(name->text).text);
	if (index->n == 2)
		return doc_refuse(reader->err, term, "projection: found a sum of more than two, allowed are two");
	index->dim[index->n] = dim;
	index->coefficient[index->n] = 1;
	bool good = term->kind != DOC_LIST || term->n < 2 ||
	            read_coefficient(reader, term->value[1], &index->coefficient[index->n]);
	index->n++;
	return good;
}

static bool read_projection(struct timeloop_reader *reader, const struct doc_node *list, struct loop_operand *operand)
{
	if (list->kind != DOC_LIST || list->n > LOOP_MAX_INDEX)
		return doc_refuse(reader->err, list,
		                  "projection: found something else, allowed a list of at most %u indices such as "
		                  "[[N], [C], [[R, Wdilation], [P, Wstride]]]",
		                  LOOP_MAX_INDEX);
	bool good = true;
	for (size_t i = 0; i < list->n; i++) {
		const struct doc_node *item = list->value[i];
		struct loop_index *index = &operand->index[operand->n++];
		if (item->kind != DOC_LIST)
			good = read_term(reader, item, index) && good;
		for (size_t k = 0; item->kind == DOC_LIST && k < item->n; k++)
			good = read_term(reader, item->value[k], index) && good;
	}
	return good;
}

static bool has_sum(const struct loop_operand *operand)
{
	for (unsigned i = 0; i < operand->n; i++)
		if (operand->index[i].n > 1)
			return true;
	return false;
}

/* Timeloop's users write true as Python does. */
static bool read_flag(const struct doc_node *node, bool *flag, struct err *err)
{
	*flag = node->kind == DOC_SCALAR && strcasecmp(node->text, "true") == 0;
	return *flag || (node->kind == DOC_SCALAR && strcasecmp(node->text, "false") == 0) ||
	       doc_refuse(err, node, "read-write: found something else, allowed are true and false");
}

/* The output is what is written; of the others the input has the sums, or comes first. */
static bool read_spaces(struct timeloop_reader *reader)
{
	const struct doc_node *list = find_either(reader->shape, "data-spaces", "data_spaces");
	struct loop_operand read[2] = {{.n = 0}};
	unsigned n_read = 0, n_written = 0;
	bool good = true;
	if (!list || list->kind != DOC_LIST || list->n != 3)
		return doc_refuse(reader->err, list ? list : reader->shape,
		                  "data-spaces: allowed is a list of three, two that are read and one with 'read-write: true'");
	for (size_t i = 0; i < 3; i++) {
		const struct doc_node *item = list->value[i], *projection = doc_find(item, "projection");
		const struct doc_node *write = find_either(item, "read-write", "read_write");
		struct loop_operand operand = {.n = 0};
		bool is_written = false;
		good = (!write || read_flag(write, &is_written, reader->err)) && good;
		if (projection)
			good = read_projection(reader, projection, &operand) && good;
		else
			good = doc_refuse(reader->err, item, "a data space without 'projection'");
		if (is_written) {
			reader->nest.output = operand;
			n_written++;
		} else if (n_read < 2) {
			read[n_read++] = operand;
		}
	}
	if (good && n_written != 1)
		return doc_refuse(reader->err, list, "data-spaces: found %u with 'read-write: true', allowed is one",
		                  n_written);
	bool is_swapped = has_sum(&read[1]) && !has_sum(&read[0]);
	reader->nest.input = read[is_swapped];
	reader->nest.weights = read[!is_swapped];
	return good;
}

static struct loop_index index_of(unsigned dim)
{
	return (struct loop_index){.n = 1, .dim = {dim}, .coefficient = {1}};
}

/* A coefficient of the built-in shape: 1 where it is not given. */
static bool read_built_in(struct timeloop_reader *reader, const char *name, uint64_t *value)
{
	const struct doc_node *node = doc_find(reader->instance, name);
	*value = 1;
	return !node || doc_get_u64(node, name, 1, NETWORK_MAX_EXTENT, value, reader->err);
}

/* cnn-layer. */
static bool make_cnn(struct timeloop_reader *reader)
{
	struct loop_nest *nest = &reader->nest;
	struct loop_index w = {.n = 2, .dim = {CNN_R, CNN_P}}, h = {.n = 2, .dim = {CNN_S, CNN_Q}};
	bool good = true;
	for (unsigned i = 0; i < N_OF(cnn_dim); i++)
		good = add_dim(reader, cnn_dim[i], reader->instance) && good;
	good = read_built_in(reader, "Wdilation", &w.coefficient[0]) && good;
	good = read_built_in(reader, "Hdilation", &h.coefficient[0]) && good;
	good = read_built_in(reader, "Wstride", &w.coefficient[1]) && good;
	good = read_built_in(reader, "Hstride", &h.coefficient[1]) && good;
	nest->input = (struct loop_operand){.n = 4, .index = {index_of(CNN_N), index_of(CNN_C), w, h}};
	nest->weights =
	    (struct loop_operand){.n = 4, .index = {index_of(CNN_C), index_of(CNN_M), index_of(CNN_R), index_of(CNN_S)}};
	nest->output =
	    (struct loop_operand){.n = 4, .index = {index_of(CNN_N), index_of(CNN_M), index_of(CNN_P), index_of(CNN_Q)}};
	return good;
}

static bool read_shape(struct timeloop_reader *reader)
{
	const struct doc_node *list = doc_find(reader->shape, "dimensions");
	const struct doc_node *shape = reader->shape;
	if (shape->kind == DOC_SCALAR && strcasecmp(shape->text, "cnn-layer") != 0 && strcasecmp(shape->text, "cnn_layer") != 0)
		return doc_refuse(reader->err, shape, "shape: found '%s', allowed are cnn-layer and a map with dimensions and "
		                  "data-spaces", doc_quote(shape->text).text);
	if (shape->kind == DOC_SCALAR)
		return make_cnn(reader);
	if (!list || list->kind != DOC_LIST || list->n == 0)
		return doc_refuse(reader->err, list ? list : shape, "dimensions: allowed is a list of names");
	bool good = true;
	for (size_t i = 0; i < list->n && good; i++) {
		const char *name;
		good = doc_get_text(list->value[i], "dimensions", &name, reader->err) &&
		       add_dim(reader, name, list->value[i]);
	}
	return good && read_spaces(reader);
}

/* What reports call it: the shape's name, else the file's. */
static void name_problem(const struct timeloop_reader *reader, const char *path, char name[NETWORK_NAME_SIZE])
{
	const struct doc_node *own = doc_find(reader->shape, "name");
	if (own && own->kind == DOC_SCALAR && !text_name_fault(own->text, NETWORK_NAME_SIZE - 1))
		(void)snprintf(name, NETWORK_NAME_SIZE, "%s", own->text);
	else
		loop_nest_name(path, name);
}

enum err_code network_read_timeloop(const char *path, const struct doc_node *root, struct network *network,
                                    struct err *err)
{
	const struct doc_node *problem = doc_find(root, "problem");
	struct timeloop_reader reader = {.err = err};
	struct layer layer = {.groups = 1};
	char name[NETWORK_NAME_SIZE];
	struct layer_list list = {.name = name, .place = doc_place(problem), .lacks_input = true, .batch = 1, .n = 1, .layer = &layer};
	assert(path && network);
	if (problem->kind != DOC_MAP) {
		(void)doc_refuse(err, problem, "problem: found something else, allowed a map with shape and instance");
		return ERR_INPUT;
	}
	reader.shape = doc_find(problem, "shape");
	reader.instance = doc_find(problem, "instance");
	reader.nest.place = doc_place(problem);
	if (!reader.shape) {
		(void)doc_refuse(err, problem, "a problem without 'shape', which is cnn-layer or a map");
		return ERR_INPUT;
	}
	if (!reader.instance) /* of older files: beside the shape */
		reader.instance = problem;
	if (!read_shape(&reader) || !loop_nest_layer(&reader.nest, &layer, &list.batch, err))
		return ERR_INPUT;
	name_problem(&reader, path, name);
	return parser_build(&list, network, err);
}
