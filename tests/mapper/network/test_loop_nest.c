/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Problems of Timeloop and workloads of ZigZag as networks: what is drawn at random and written in their words is, block
 * by block, what it is in ours; every mistake has its place.
 */
#include "tests/support/unit_test.h"

#include "sim/base/rng.h"
#include "tests/support/network_text.h"
#include <stdio.h>
#include <string.h>

#define RNG_SEED 24
#define N_DRAWN 300

/* A convolution, or with kernels of 0 a product of rows x in_c and in_c x out_c. */
struct drawn {
	uint32_t batch, groups, in_c, out_c; /* of one group */
	uint32_t out_w, out_h, kernel_w, kernel_h, stride, dilation, pad[2][2];
};

static uint32_t reach(uint32_t out, uint32_t kernel, const struct drawn *of)
{
	return (out - 1) * of->stride + (kernel - 1) * of->dilation + 1;
}

static struct drawn draw(struct rng *rng)
{
	struct drawn of = {.batch = 1 + rng_below(rng, 3),
	                   .groups = 1 + (rng_below(rng, 3) == 0) * rng_below(rng, 4),
	                   .in_c = 1 + rng_below(rng, 20),
	                   .out_c = 1 + rng_below(rng, 20),
	                   .out_w = 2 + rng_below(rng, 20),
	                   .out_h = 2 + rng_below(rng, 20),
	                   .kernel_w = 2 + rng_below(rng, 4),
	                   .kernel_h = 1 + rng_below(rng, 5),
	                   .stride = 1 + rng_below(rng, 3),
	                   .dilation = 1 + rng_below(rng, 2)};
	for (unsigned i = 0; i < 4 && rng_below(rng, 2); i++)
		of.pad[i / 2][i % 2] = rng_below(rng, 2);
	return of;
}

static void ours(const struct drawn *of, bool is_padded, char *text, size_t n_byte)
{
	uint32_t w = reach(of->out_w, of->kernel_w, of), h = reach(of->out_h, of->kernel_h, of);
	(void)snprintf(text, n_byte,
	               "name: own\nbatch: %u\nlayers:\n  - conv: {kernel: [%u, %u], out_channels: %u, groups: %u, stride: %u, "
	               "dilation: %u, padding: [%u, %u, %u, %u], activation: none, input: [%u, %u, %u]}\n",
	               of->batch, of->kernel_w, of->kernel_h, of->out_c * of->groups, of->groups, of->stride, of->dilation,
	               is_padded ? of->pad[0][0] : 0, is_padded ? of->pad[0][1] : 0, is_padded ? of->pad[1][0] : 0,
	               is_padded ? of->pad[1][1] : 0, w - (is_padded ? of->pad[0][0] + of->pad[0][1] : 0),
	               h - (is_padded ? of->pad[1][0] + of->pad[1][1] : 0), of->in_c * of->groups);
}

static void timeloop(const struct drawn *of, char *text, size_t n_byte)
{
	(void)snprintf(
	    text, n_byte,
	    "problem:\n  version: 0.4\n  shape:\n    name: drawn\n    dimensions: [C, M, R, S, N, P, Q, G]\n"
	    "    coefficients: [{name: Wstride, default: %u}, {name: Hstride, default: 1}, {name: Dilation, default: 1}]\n"
	    "    data_spaces:\n"
	    "      - {name: Weights, projection: [[[G]], [[C]], [[M]], [[R]], [[S]]]}\n"
	    "      - {name: Inputs, projection: [[[N]], [[G]], [[C]], [[R, Dilation], [P, Wstride]], [[S, Dilation], [Q, Hstride]]]}\n"
	    "      - {name: Outputs, projection: [[[N]], [[G]], [[M]], [[Q]], [[P]]], read_write: true}\n"
	    "  instance: {C: %u, M: %u, R: %u, S: %u, N: %u, P: %u, Q: %u, G: %u, Hstride: %u, Dilation: %u}\n"
	    "architecture: {version: 0.4}\n",
	    of->stride, of->in_c, of->out_c, of->kernel_w, of->kernel_h, of->batch, of->out_w, of->out_h, of->groups, of->stride,
	    of->dilation);
}

static void zigzag(const struct drawn *of, char *text, size_t n_byte)
{
	(void)snprintf(text, n_byte,
	               "- id: 0\n  name: conv_a\n  operator_type: Conv\n"
	               "  equation: O[b][g][k][oy][ox]+=W[g][k][c][fy][fx]*I[b][g][c][iy][ix]\n"
	               "  dimension_relations: [ix=%u*ox+%u*fx, iy = %u*oy + %u*fy]\n"
	               "  loop_dims: [B, G, K, C, OY, OX, FY, FX]\n  loop_sizes: [%u, %u, %u, %u, %u, %u, %u, %u]\n"
	               "  operand_precision: {W: 8, I: 8, O: 16}\n  operand_source: {I: 0, W: 0}\n"
	               "  pr_loop_dims: [IX, IY]\n  padding: [[%u, %u], [%u, %u]]\n",
	               of->stride, of->dilation, of->stride, of->dilation, of->batch, of->groups, of->out_c, of->in_c, of->out_h,
	               of->out_w, of->kernel_h, of->kernel_w, of->pad[0][0], of->pad[0][1], of->pad[1][0], of->pad[1][1]);
}

/* The same but for what the model calls it. */
static void assert_same_block(const char *found_text, const char *own_text)
{
	struct network found, own;
	struct err err = {0};
	if (network_read_text(found_text, &found, &err) != ERR_OK || network_read_text(own_text, &own, &err) != ERR_OK)
		fail_msg("%s\n%s\n%s", err_text(&err), found_text, own_text);
	const struct block *a = &found.block[0], *b = &own.block[0];
	assert_int_equal(found.n_block, own.n_block);
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->in_w, b->in_w);
	assert_int_equal(a->in_h, b->in_h);
	assert_int_equal(a->out_w, b->out_w);
	assert_int_equal(a->out_h, b->out_h);
	assert_int_equal(a->kernel_w, b->kernel_w);
	assert_int_equal(a->pad_left, b->pad_left);
	assert_int_equal(a->pad_right, b->pad_right);
	assert_int_equal(a->pad_top, b->pad_top);
	assert_true(a->in_c == b->in_c && a->out_c == b->out_c && a->stride == b->stride);
	assert_true(block_dilation(a) == block_dilation(b) && block_n_group(a) == block_n_group(b));
	assert_true(block_batch(a) == block_batch(b) && block_n_mac(a) == block_n_mac(b));
	assert_true(a->input == b->input && a->result_to_dram == b->result_to_dram && a->has_acti == b->has_acti);
	network_free(&found);
	network_free(&own);
}

static void test_loop_nests_are_the_same_convolutions(void **state)
{
	struct rng rng = rng_stream(RNG_SEED, 0, 0);
	char own[1024], other[2048];
	(void)state;
	for (unsigned i = 0; i < N_DRAWN; i++) {
		const struct drawn of = draw(&rng);
		ours(&of, false, own, sizeof(own));
		timeloop(&of, other, sizeof(other));
		assert_same_block(other, own);
		ours(&of, true, own, sizeof(own));
		zigzag(&of, other, sizeof(other));
		assert_same_block(other, own);
	}
}

static void test_loop_nests_are_products(void **state)
{
	static const char own[] = "name: own\nbatch: 31\nlayers:\n  - fc: {out: 84, input: 700, activation: none}\n";
	(void)state;
	assert_same_block("problem:\n  shape:\n    name: gemm\n    dimensions: [M, N, K]\n    data-spaces:\n"
	                  "      - {name: A, projection: [[[M]], [[K]]]}\n      - {name: B, projection: [K, N]}\n"
	                  "      - {name: Z, projection: [[M], [N]], read-write: True}\n"
	                  "  instance: {M: 31, N: 84, K: 700}\n",
	                  own);
	assert_same_block("- id: 3\n  operator_type: Gemm\n  equation: O[b][k] += I[b][c] * W[c][k]\n"
	                  "  loop_dims: [B, C, K]\n  loop_sizes: [31, 700, 84]\n",
	                  own);
}

/* The built-in shape, with sizes where older files have them. */
static void test_loop_nests_of_the_built_in_shape(void **state)
{
	struct network network;
	struct err err = {0};
	(void)state;
	assert_int_equal(network_read_text("problem:\n  shape: cnn-layer\n  R: 3\n  S: 3\n  P: 112\n  Q: 56\n  C: 64\n  M: 128\n"
	                                   "  N: 1\n  Wstride: 2\n  Hstride: 2\n",
	                                   &network, &err),
	                 ERR_OK);
	const struct block *block = network.block;
	assert_true(block->in_w == 225 && block->in_h == 113 && block->out_w == 112 && block->out_h == 56);
	assert_true(block->in_c == 64 && block->out_c == 128 && block->stride == 2);
	network_free(&network);
}

static void test_loop_nests_name_their_layers(void **state)
{
	struct rng rng = rng_stream(RNG_SEED, 1, 0);
	const struct drawn of = draw(&rng);
	struct network network;
	struct err err = {0};
	char text[2048];
	(void)state;
	timeloop(&of, text, sizeof(text));
	assert_int_equal(network_read_text(text, &network, &err), ERR_OK);
	assert_string_equal(network.name, "drawn");
	network_free(&network);
	zigzag(&of, text, sizeof(text));
	assert_int_equal(network_read_text(text, &network, &err), ERR_OK);
	assert_string_equal(network.block[0].origin.node, "conv_a");
	assert_string_equal(network.block[0].origin.op, "Conv");
	network_free(&network);
}

/* One file a mistake. */
static void test_loop_nests_report_mistakes(void **state)
{
	static const struct {
		const char *file, *said;
	} wrong[] = {
	    {"timeloop_no_map", ":2:10: problem: found something else, allowed a map with shape and instance"},
	    {"timeloop_no_shape", ":3:3: a problem without 'shape'"},
	    {"timeloop_shape", ":3:10: shape: found 'lstm-layer', allowed are cnn-layer and a map"},
	    {"timeloop_no_dimensions", "dimensions: allowed is a list of names"},
	    {"timeloop_size", ":10:23: M: found '0'"},
	    {"timeloop_no_size", ":5:21: dimension N has no size in 'instance'"},
	    {"timeloop_spaces", ":6:18: data-spaces: allowed is a list of three"},
	    {"timeloop_read_write", "data-spaces: found 0 with 'read-write: true', allowed is one"},
	    {"timeloop_projection", ":7:34: projection: found 'L', allowed is one of the dimensions"},
	    {"timeloop_coefficient", "coefficient Wstride has neither a value in 'instance' nor a default"},
	    {"timeloop_sum", "a sum of more than two, allowed are two"},
	    {"timeloop_dimension", ":10:35: dimension T is of no convolution and no matrix product"},
	    {"timeloop_strides", "found strides of 2 and 3, allowed is the same in both directions"},
	    {"timeloop_large", "found 100000 columns of the output, allowed at most 65536"},
	    {"zigzag_no_dims", ":2:3: a layer without 'loop_dims'"},
	    {"zigzag_sizes", "loop_sizes: found 2 for 3 loop_dims, allowed as many"},
	    {"zigzag_equation", "equation: found 'O[b][k]+=I[b][c]', allowed are a convolution and a matrix product"},
	    {"zigzag_index", "equation: found 'O[b][k]+=I[b][z]*W[c][k]', allowed"},
	    {"zigzag_relation", ":5:25: dimension_relations: found 'ix=ox-fx', allowed is a sum of two loop_dims"},
	    {"zigzag_padding", "padding: found something else, allowed is [before, behind]"},
	    {"zigzag_all_padding", "which leaves none"},
	    {"zigzag_batch", ":7:3: found a batch (or rows of a matrix) of 2 after one of 4"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct network network;
		struct err err = {0};
		char path[128];
		(void)snprintf(path, sizeof(path), "tests/malformed/%s.yaml", wrong[i].file);
		assert_int_equal(network_read(path, &network, &err), ERR_INPUT);
		assert_int_equal(network.n_block, 0);
		if (err.n_message != 1 || !strstr(err_text(&err), wrong[i].said))
			fail_msg("%s: found %u messages:\n%swanted one: %s", path, err.n_message, err_text(&err),
			         wrong[i].said);
		err_clear(&err);
		/* without a record the code is the same */
		assert_int_equal(network_read(path, &network, NULL), ERR_INPUT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_loop_nests_are_the_same_convolutions), cmocka_unit_test(test_loop_nests_are_products),
	    cmocka_unit_test(test_loop_nests_of_the_built_in_shape),     cmocka_unit_test(test_loop_nests_name_their_layers),
	    cmocka_unit_test(test_loop_nests_report_mistakes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
