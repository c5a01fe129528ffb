/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/network/loop_nest.h"
#include "sim/base/checked.h"
#include "sim/base/text.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* What a dimension is. */
enum role { ROLE_NONE, ROLE_IMAGE, ROLE_FILTER, ROLE_CHANNEL, ROLE_GROUP, ROLE_PIXEL, ROLE_TAP, N_ROLE };

/* A layer under way: products of the dimensions that are the same, and both sides of windows. */
struct nest_sizes {
	uint64_t of[N_ROLE];
	unsigned n_side;
	uint64_t pixels[2], taps[2], stride[2], dilation[2];
};

unsigned loop_nest_find(const struct loop_nest *nest, const char *name, size_t n_byte)
{
	unsigned i = 0;
	while (i < nest->n_dim &&
	       (strlen(nest->dim[i].name) != n_byte || strncasecmp(nest->dim[i].name, name, n_byte) != 0))
		i++;
	return i;
}

void loop_nest_name(const char *path, char name[NETWORK_NAME_SIZE])
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
	(void)snprintf(name, NETWORK_NAME_SIZE, "%.*s", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base);
	text_make_name(name, NETWORK_NAME_SIZE);
}

static bool has_dim(const struct loop_operand *operand, unsigned dim, bool *in_sum)
{
	bool has = false;
	for (unsigned i = 0; i < operand->n; i++)
		for (unsigned k = 0; k < operand->index[i].n; k++)
			if (operand->index[i].dim[k] == dim) {
				has = true;
				*in_sum |= operand->index[i].n > 1;
			}
	return has;
}

static enum role role_of(const struct loop_nest *nest, unsigned dim)
{
	bool in_sum = false, ignored = false;
	bool in_input = has_dim(&nest->input, dim, &in_sum);
	bool in_weights = has_dim(&nest->weights, dim, &ignored), in_output = has_dim(&nest->output, dim, &ignored);
	if (in_input && in_weights && in_output)
		return in_sum ? ROLE_NONE : ROLE_GROUP;
	if (in_input && in_output)
		return in_sum ? ROLE_PIXEL : ROLE_IMAGE;
	if (in_input && in_weights)
		return in_sum ? ROLE_TAP : ROLE_CHANNEL;
	return in_weights && in_output ? ROLE_FILTER : ROLE_NONE;
}

/* A sum of the input's: a side of the window. */
static bool add_side(const struct loop_nest *nest, const struct loop_index *index, struct nest_sizes *sizes,
                     struct err *err)
{
	unsigned pixel = role_of(nest, index->dim[0]) == ROLE_PIXEL ? 0 : 1;
	if (role_of(nest, index->dim[pixel]) != ROLE_PIXEL || role_of(nest, index->dim[!pixel]) != ROLE_TAP) {
		(void)err_add_at(err, ERR_INPUT, nest->place,
		                 "the input's index %s + %s: allowed is a pixel of the output plus a tap of the filter",
		                 nest->dim[index->dim[0]].name, nest->dim[index->dim[1]].name);
		return false;
	}
	if (sizes->n_side == 2) {
		(void)err_add_at(err, ERR_INPUT, nest->place,
		                 "found a convolution of more than two sides, allowed are width and height");
		return false;
	}
	unsigned side = sizes->n_side++;
	sizes->pixels[side] = nest->dim[index->dim[pixel]].size;
	sizes->taps[side] = nest->dim[index->dim[!pixel]].size;
	sizes->stride[side] = index->coefficient[pixel];
	sizes->dilation[side] = index->coefficient[!pixel];
	return true;
}

/* Sides of one pixel are moved by any stride, of one tap spread by any dilation: the other side's serve. */
static bool one_value(const struct loop_nest *nest, const char *what, const uint64_t value[2], const uint64_t counts[2],
                      uint32_t *out, struct err *err)
{
	uint64_t one = counts[0] > 1 ? value[0] : counts[1] > 1 ? value[1] : 1;
	if (counts[0] > 1 && counts[1] > 1 && value[0] != value[1]) {
		(void)err_add_at(err, ERR_INPUT, nest->place,
		                 "found %ss of %" PRIu64 " and %" PRIu64 ", allowed is the same in both directions", what,
		                 value[0], value[1]);
		return false;
	}
	if (one > NETWORK_MAX_EXTENT) {
		(void)err_add_at(err, ERR_INPUT, nest->place, "found a %s of %" PRIu64 ", allowed at most %u", what, one,
		                 NETWORK_MAX_EXTENT);
		return false;
	}
	*out = (uint32_t)one;
	return true;
}

static bool in_range(const struct loop_nest *nest, const char *what, uint64_t value, uint64_t max, struct err *err)
{
	if (value <= max)
		return true;
	(void)err_add_at(err, ERR_INPUT, nest->place, "found %" PRIu64 " %s, allowed at most %" PRIu64, value, what, max);
	return false;
}

/* Each dimension's part. */
static bool read_sizes(const struct loop_nest *nest, struct nest_sizes *sizes, struct err *err)
{
	*sizes = (struct nest_sizes){.pixels = {1, 1}, .taps = {1, 1}, .stride = {1, 1}, .dilation = {1, 1}};
	for (unsigned i = 0; i < N_ROLE; i++)
		sizes->of[i] = 1;
	bool good = true;
	for (unsigned i = 0; i < nest->n_dim; i++) {
		enum role role = role_of(nest, i);
		if (role == ROLE_NONE && nest->dim[i].size > 1) {
			(void)err_add_at(err, ERR_INPUT, nest->dim[i].place,
			                 "dimension %s is of no convolution and no matrix product: allowed are dimensions of "
			                 "two of output, input and weights, or of all three",
			                 nest->dim[i].name);
			good = false;
		}
		sizes->of[role] = mul_sat(sizes->of[role], nest->dim[i].size);
	}
	for (unsigned i = 0; i < nest->input.n; i++)
		if (nest->input.index[i].n == 2)
			good = add_side(nest, &nest->input.index[i], sizes, err) && good;
	return good;
}

/* A matrix product: rows are images. */
static bool make_product(const struct loop_nest *nest, const struct nest_sizes *sizes, struct layer *layer, struct err *err)
{
	layer->kind = LAYER_FC;
	layer->own_w = (uint32_t)sizes->of[ROLE_CHANNEL];
	layer->own_h = 1;
	layer->own_c = 1;
	layer->out_c = (uint32_t)sizes->of[ROLE_FILTER];
	return in_range(nest, "columns of the input", sizes->of[ROLE_CHANNEL], NETWORK_MAX_VECTOR, err) &&
	       in_range(nest, "columns of the output", sizes->of[ROLE_FILTER], NETWORK_MAX_CHANNEL, err);
}

/* A convolution: its input is as large as its windows reach, less the padding. */
static bool make_conv(const struct loop_nest *nest, const struct nest_sizes *sizes, struct layer *layer, struct err *err)
{
	struct window *window = &layer->window;
	uint64_t groups = sizes->of[ROLE_GROUP], side[2];
	uint64_t in_c = mul_sat(groups, sizes->of[ROLE_CHANNEL]), out_c = mul_sat(groups, sizes->of[ROLE_FILTER]);
	bool good = one_value(nest, "stride", sizes->stride, sizes->pixels, &window->stride, err);
	good = one_value(nest, "dilation", sizes->dilation, sizes->taps, &window->dilation, err) && good;
	good = in_range(nest, "channels", in_c, NETWORK_MAX_CHANNEL, err) && good;
	good = in_range(nest, "filters", out_c, NETWORK_MAX_CHANNEL, err) && good;
	for (unsigned i = 0; i < 2 && good; i++) {
		uint64_t reach = add_sat(mul_sat(sizes->taps[i] - 1, window->dilation), 1);
		uint64_t all = add_sat(mul_sat(sizes->pixels[i] - 1, window->stride), reach);
		uint64_t padding = (uint64_t)nest->padding[i][0] + nest->padding[i][1];
		good = in_range(nest, "pixels of a side with padding", all, NETWORK_MAX_EXTENT, err) && good;
		if (good && padding >= all) {
			(void)err_add_at(err, ERR_INPUT, nest->place,
			                 "padding: found %" PRIu64 " pixels of a side of %" PRIu64 " with padding, which leaves none",
			                 padding, all);
			good = false;
		}
		side[i] = all - padding;
	}
	if (!good)
		return false;
	bool is_padded = nest->padding[0][0] || nest->padding[0][1] || nest->padding[1][0] || nest->padding[1][1];
	unsigned w = nest->height_first, h = !w;
	window->w = (uint32_t)sizes->taps[w];
	window->h = (uint32_t)sizes->taps[h];
	window->padding = (struct padding){.kind = is_padded ? PADDING_GIVEN : PADDING_VALID,
	                                   .left = nest->padding[w][0],
	                                   .right = nest->padding[w][1],
	                                   .top = nest->padding[h][0],
	                                   .bottom = nest->padding[h][1]};
	layer->kind = LAYER_CONV;
	layer->groups = (uint32_t)groups;
	layer->out_c = (uint32_t)out_c;
	layer->own_w = (uint32_t)side[w];
	layer->own_h = (uint32_t)side[h];
	layer->own_c = (uint32_t)in_c;
	return true;
}

bool loop_nest_layer(const struct loop_nest *nest, struct layer *layer, uint32_t *batch, struct err *err)
{
	struct nest_sizes sizes;
	assert(nest && layer && batch && nest->n_dim <= LOOP_MAX_DIM);
	if (!read_sizes(nest, &sizes, err) || !in_range(nest, "images", sizes.of[ROLE_IMAGE], NETWORK_MAX_EXTENT, err))
		return false;
	layer->place = nest->place;
	*batch = (uint32_t)sizes.of[ROLE_IMAGE];
	bool is_product = sizes.n_side == 0 && sizes.of[ROLE_GROUP] == 1;
	return is_product ? make_product(nest, &sizes, layer, err) : make_conv(nest, &sizes, layer, err);
}
