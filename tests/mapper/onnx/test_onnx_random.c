/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random graphs of random operators, attributes and shapes. Whatever becomes of one: an answer with a message, or a
 * network that does as many multiply-accumulates as the graph and that the written file gives back.
 */
#include "tests/support/unit_test.h"

#include "tests/support/onnx_builder.h"
#include "tests/support/onnx_file.h"

static struct onnx_builder builder;
static uint64_t state_of_chance;

/* Below n, from a multiplicative generator: the test's only need is that it repeats. */
static int64_t chance(int64_t n)
{
	state_of_chance = state_of_chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int64_t)((state_of_chance >> 33) % (uint64_t)n);
}

#define N_NAME 64
static const char *name[N_NAME]; /* values so far */
static size_t n_name;

static const char *random_value(void)
{
	return name[chance(3) > 0 ? n_name - 1 : (size_t)chance((int64_t)n_name)];
}

static int64_t random_dim(void)
{
	static const int64_t dim[] = {1, 1, 2, 3, 4, 4, 6, 8, 8, 12, 16};
	return dim[chance(sizeof(dim) / sizeof(dim[0]))];
}

static const char *random_weights(void)
{
	int64_t dim[5];
	size_t n = (size_t)chance(5);
	for (size_t i = 0; i < n; i++)
		dim[i] = random_dim();
	return builder_weights(&builder, n, dim);
}

static const char *random_list(void)
{
	static const int64_t value[] = {-1, 0, 1, 1, 2, 3, 4, 8, 16, -2, 12, INT64_MAX, INT64_MIN, 1 << 30};
	int64_t list[8];
	size_t n = (size_t)chance(6);
	for (size_t i = 0; i < n; i++)
		list[i] = value[chance(chance(4) > 0 ? 9 : sizeof(value) / sizeof(value[0]))];
	return builder_list(&builder, n, list);
}

static void random_integers(Onnx__NodeProto *node, const char *key, size_t n, int64_t least, int64_t most)
{
	int64_t list[8];
	for (size_t i = 0; i < n; i++)
		list[i] = chance(40) > 0 ? least + chance(most - least + 1) : (int64_t)1 << chance(63);
	builder_integers(&builder, node, key, n, list);
}

/* Attributes that some operator knows; others do not mind them. */
static void random_attributes(Onnx__NodeProto *node)
{
	static const char *const pad[] = {"SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"};
	static const char *const key[] = {"axis",        "group",        "keepdims",  "transA",
	                                  "transB",      "blocksize",    "ceil_mode", "broadcast",
	                                  "q_num_heads", "kv_num_heads", "num_heads"};
	static const char *const equation[] = {
	    "ij,jk->ik", "bij,bjk->bik", "bid,bjd->bij", "...ij,...jk", "bhid,bhjd->bhij", "bcij,bcij->bc",  "ii,ij->j",
	    "ijk->kij",  "i,j->ij",      "ij,kj",        "bchw,ck",     "ij->i",           "bhij,bhjd->bihd"};
	size_t n = 1 + (size_t)chance(3);
	if (chance(2))
		random_integers(node, "strides", 2, 1, 3);
	if (chance(2))
		random_integers(node, "pads", chance(3) ? 4 : 8, 0, 2);
	else if (chance(2))
		builder_word(&builder, node, "auto_pad", pad[chance(4)]);
	if (chance(4) == 0)
		random_integers(node, "dilations", 2, 1, 2);
	if (chance(8) > 0)
		random_integers(node, "kernel_shape", 2, 1, 3);
	if (chance(2))
		random_integers(node, "axes", n, -2, 3);
	if (chance(2))
		random_integers(node, "perm", 4, 0, 3);
	if (chance(3) == 0)
		random_integers(node, "split", n, 1, 4);
	if (chance(3) == 0)
		builder_word(&builder, node, "mode", "linear");
	if (strcmp(node->op_type, "Einsum") == 0)
		builder_word(&builder, node, "equation", equation[chance(sizeof(equation) / sizeof(equation[0]))]);
	if (strstr(node->op_type, "Attention") && chance(2))
		node->domain = builder_text(&builder, "com.microsoft");
	for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++)
		if (chance(4) == 0)
			builder_integer(&builder, node, key[i], chance(6) - 2);
}

/* A convolution that fits maps of c channels. */
static void add_conv(const char *out, int64_t c)
{
	int64_t group = chance(3) ? 1 : c, k = 1 + 2 * chance(2), filters = group * (1 + chance(4));
	Onnx__NodeProto *node = builder_node(&builder, chance(6) ? "Conv" : "ConvTranspose", out, random_value(),
	                                     BUILDER_WEIGHTS(&builder, filters, c / group, k, k), NULL);
	builder_integer(&builder, node, "group", group);
	if (chance(2))
		random_integers(node, "strides", 2, 1, 2);
	if (chance(2))
		random_integers(node, "pads", 4, 0, 2);
}

static void add_any(const char *out)
{
	static const char *const op[] = {"Add",
	                                 "Add",
	                                 "Sum",
	                                 "Mul",
	                                 "Sub",
	                                 "Relu",
	                                 "Sigmoid",
	                                 "Softmax",
	                                 "Concat",
	                                 "Concat",
	                                 "Split",
	                                 "Slice",
	                                 "Transpose",
	                                 "Reshape",
	                                 "Reshape",
	                                 "Flatten",
	                                 "Squeeze",
	                                 "Unsqueeze",
	                                 "MaxPool",
	                                 "AveragePool",
	                                 "GlobalAveragePool",
	                                 "MatMul",
	                                 "MatMul",
	                                 "Gemm",
	                                 "Pad",
	                                 "Resize",
	                                 "Upsample",
	                                 "ReduceMean",
	                                 "Gather",
	                                 "Expand",
	                                 "Tile",
	                                 "Shape",
	                                 "LayerNormalization",
	                                 "LRN",
	                                 "Dropout",
	                                 "Identity",
	                                 "QuantizeLinear",
	                                 "Where",
	                                 "Clip",
	                                 "DepthToSpace",
	                                 "SpaceToDepth",
	                                 "Range",
	                                 "ConstantOfShape",
	                                 "Cast",
	                                 "BatchNormalization",
	                                 "Max",
	                                 "Div",
	                                 "ArgMax",
	                                 "Conv",
	                                 "Size",
	                                 "ReduceProd",
	                                 "DynamicQuantizeLinear",
	                                 "GlobalMaxPool",
	                                 "ConvTranspose",
	                                 "Einsum",
	                                 "Einsum",
	                                 "Einsum",
	                                 "Attention",
	                                 "Attention",
	                                 "MultiHeadAttention",
	                                 "GroupQueryAttention",
	                                 "SkipLayerNormalization",
	                                 "ReduceMax",
	                                 "Exp",
	                                 "Sqrt"};
	const char *in[4];
	size_t n = 1 + (size_t)chance(4);
	for (size_t i = 0; i < 4; i++)
		in[i] = i >= n                ? NULL
		        : i == 0 || chance(2) ? random_value()
		        : chance(2)           ? random_list()
		                              : random_weights();
	Onnx__NodeProto *node =
	    builder_node(&builder, op[chance(sizeof(op) / sizeof(op[0]))], out, in[0], in[1], in[2], in[3], NULL);
	random_attributes(node);
	for (int64_t more = chance(6) ? 0 : chance(3); more > 0; more--)
		name[n_name++] = builder_more_output(&builder, node);
}

static int64_t start_graph(void)
{
	int64_t c = 4 * (1 + chance(3));
	builder_start(&builder, "random");
	n_name = 0;
	switch (chance(4)) {
	case 0:
		builder_input(&builder, "x", 3, (const int64_t[]){1, 8, c});
		break;
	case 1:
		builder_input(&builder, "x", 2, (const int64_t[]){1 + chance(2), 16});
		break;
	default:
		builder_input(&builder, "x", 4, (const int64_t[]){1 + (chance(8) == 0), c, 8, chance(2) ? 8 : 12});
	}
	name[n_name++] = "x";
	return c;
}

/* The network of a planned graph, and the file that is written of it. Returns whether there is one. */
static bool check_network(const struct onnx_import *import)
{
	struct network network;
	struct err err = {0};
	uint64_t n_mac = 0;
	if (onnx_build(import, &network, &err) != ERR_OK) {
		assert_true(err.n_message > 0);
		err_clear(&err);
		return false;
	}
	for (size_t i = 0; i < network.n_block; i++)
		n_mac += block_n_mac(&network.block[i]);
	assert_int_equal(n_mac, import->plan.mac);
	expect_file_keeps(import, &network);
	network_free(&network);
	return true;
}

struct tally {
	size_t n_error, n_unsupported, n_network;
};

/* Import the graph so far. Returns whether its shapes fit. */
static bool try_graph(struct tally *tally)
{
	struct onnx_import import;
	struct err err = {0};
	size_t n_byte;
	builder.graph.n_output = 0;
	builder_output(&builder, name[n_name - 1]);
	uint8_t *data = builder_pack(&builder, &n_byte);
	enum err_code code = onnx_import_bytes("random.onnx", data, n_byte, NULL, 0, &import, &err);
	free(data);
	assert_true(code == ERR_OK || code == ERR_INPUT);
	assert_int_equal(code != ERR_OK, err.n_message > 0);
	tally->n_error += code != ERR_OK;
	if (code == ERR_OK) {
		tally->n_unsupported += import.plan.n_unsupported > 0;
		if (onnx_complain_unsupported(&import, &err) == ERR_OK)
			tally->n_network += check_network(&import);
		onnx_import_free(&import);
	}
	err_clear(&err);
	return code == ERR_OK;
}

/* A graph grows by nodes that fit; those that do not are left out again. */
static void test_onnx_random_graphs(void **state)
{
	static const char *const out[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
	struct tally tally = {0};
	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		state_of_chance = i * UINT64_C(0x9e3779b97f4a7c15);
		int64_t c = start_graph();
		for (size_t n = 0, tries = 0; n < sizeof(out) / sizeof(out[0]) && tries < 40; tries++) {
			size_t n_before = n_name;
			if (chance(3) == 0)
				add_conv(out[n], c);
			else
				add_any(out[n]);
			name[n_name++] = out[n];
			if (try_graph(&tally)) {
				n++;
				continue;
			}
			n_name = n_before;
			builder.graph.n_node--;
		}
		builder_free(&builder);
	}
	assert_true(tally.n_error > 5000 && tally.n_unsupported > 1000 && tally.n_network > 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_onnx_random_graphs)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
