/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transformers in the words that exporters use from opset 13 to 21 and that ONNX Runtime's optimiser leaves: attention
 * as MatMul, Einsum or one operator, with a cache; normalisation and softmax whole or in parts.
 */
#include "tests/support/unit_test.h"

#include "tests/support/onnx_imported.h"

static const char *node_of(const char *op, const char *a, const char *b)
{
	return builder_node(&builder, op, NULL, a, b, NULL)->output[0];
}

/* ---- rows in parts ---- */

/* A reduction of the last dimension that keeps it: axes are an input from opset 18 on (sums from 13 on). */
static const char *reduce(const char *op, const char *x)
{
	bool is_input = builder.opset.version >= 18 || strcmp(op, "ReduceSum") == 0;
	Onnx__NodeProto *node = is_input ? builder_node(&builder, op, NULL, x, BUILDER_LIST(&builder, -1), NULL)
	                                 : builder_node(&builder, op, NULL, x, NULL);
	if (!is_input)
		BUILDER_INTEGERS(&builder, node, "axes", -1);
	return node->output[0];
}

enum spelling {
	WHOLE,
	POWER,      /* PyTorch: (x - mean) / sqrt(mean((x - mean)^2) + e), scaled and shifted */
	SQUARE,     /* the same with a product, a reciprocal, and the difference computed twice */
	FOLDED,     /* TensorFlow: x * (r * g) + (b - mean * (r * g)) */
	ROOT_SQUARE /* x / sqrt(mean(x^2) + e), scaled: no mean */
};

static const char *norm(const char *x, int64_t width, enum spelling spelling)
{
	const char *g = BUILDER_WEIGHTS(&builder, width), *b = BUILDER_WEIGHTS(&builder, width);
	const char *one = BUILDER_WEIGHTS(&builder, 1);
	if (spelling == WHOLE)
		return builder_node(&builder, "LayerNormalization", NULL, x, g, b, NULL)->output[0];
	if (spelling == ROOT_SQUARE) {
		const char *mean = reduce("ReduceMean", node_of("Pow", x, one));
		const char *root = node_of("Sqrt", node_of("Add", mean, one), NULL);
		return node_of("Mul", g, node_of("Mul", x, node_of("Reciprocal", root, NULL)));
	}
	const char *mean = reduce("ReduceMean", x), *d = node_of("Sub", x, mean), *again = d;
	if (spelling == SQUARE)
		again = node_of("Sub", x, mean);
	const char *square = spelling == POWER ? node_of("Pow", d, one) : node_of("Mul", again, again);
	const char *root = node_of("Sqrt", node_of("Add", reduce("ReduceMean", square), one), NULL);
	if (spelling == POWER)
		return node_of("Add", node_of("Mul", node_of("Div", d, root), g), b);
	root = node_of("Reciprocal", root, NULL);
	if (spelling == SQUARE)
		return node_of("Add", node_of("Mul", node_of("Mul", d, root), g), b);
	const char *scale = node_of("Mul", root, g);
	return node_of("Add", node_of("Mul", x, scale), node_of("Sub", b, node_of("Mul", mean, scale)));
}

static const char *softmax(const char *x, bool in_parts)
{
	if (!in_parts)
		return model_axis(&builder, builder_node(&builder, "Softmax", NULL, x, NULL), -1);
	const char *e = node_of("Exp", node_of("Sub", x, reduce("ReduceMax", x)), NULL);
	return node_of("Div", e, reduce("ReduceSum", e));
}

/* GELU by its approximation, as GPT-2 has it. */
static const char *gelu_tanh(const char *x)
{
	const char *one = BUILDER_WEIGHTS(&builder, 1);
	const char *y = node_of("Add", x, node_of("Mul", node_of("Pow", x, one), one));
	y = node_of("Add", node_of("Tanh", node_of("Mul", y, one), NULL), one);
	return node_of("Mul", node_of("Mul", x, one), y);
}

static size_t n_arm(const struct network *network, enum arm_kind kind)
{
	size_t n = 0;
	for (size_t b = 0; b < network->n_block; b++)
		n += network->block[b].kind == BLOCK_POOL && network->block[b].arm == kind;
	return n;
}

/* Each spelling is one layer of rows between two products, whatever the opset; all its nodes are the ARM cores'. */
static void test_onnx_norms_in_parts_are_one_layer(void **state)
{
	(void)state;
	for (int64_t opset = 13; opset <= 21; opset++)
		for (enum spelling spelling = WHOLE; spelling <= ROOT_SQUARE; spelling++) {
			struct onnx_import import;
			builder_start(&builder, "norm");
			builder.opset.version = opset;
			builder_input(&builder, "x", 3, (const int64_t[]){1, 8, 32});
			const char *x = model_dense(&builder, "x", 32, 32);
			x = model_dense(&builder, norm(x, 32, spelling), 32, 16);
			builder_output(&builder, softmax(x, spelling == POWER));
			expect_counts(&import, 8 * 32 * 32 + 8 * 32 * 16, 0);
			struct network network = build(&import);
			assert_int_equal(network.n_block, 4);
			assert_int_equal(network.block[1].arm, ARM_NORM);
			assert_int_equal(network.block[1].whole, WHOLE_C);
			assert_int_equal(network.block[1].in_c, 32);
			assert_int_equal(network.block[3].arm, ARM_SOFTMAX);
			assert_int_equal(network.block[3].whole, WHOLE_C);
			expect_all(&import, "ReduceMean", ONNX_ARM);
			expect_all(&import, "Sqrt", ONNX_ARM);
			for (size_t n = 0; n < import.graph.n_node; n++)
				if (strncmp(import.graph.node[n].op, "Reduce", 6) == 0)
					assert_true(import.plan.verdict[n].layer == 2 ||
					            import.plan.verdict[n].layer == 4);
			network_free(&network);
			onnx_import_free(&import);
		}
}

/* What somebody else reads of the parts has to be there: a mean that is a result, a difference that is added. */
static void test_onnx_parts_that_are_read_stay_layers(void **state)
{
	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		struct onnx_import import;
		builder_start(&builder, "read");
		builder_input(&builder, "x", 3, (const int64_t[]){1, 8, 32});
		const char *x = model_dense(&builder, "x", 32, 32), *one = BUILDER_WEIGHTS(&builder, 1);
		const char *mean = reduce("ReduceMean", x), *d = node_of("Sub", x, mean);
		const char *root = node_of("Sqrt", reduce("ReduceMean", node_of("Pow", d, one)), NULL);
		builder_output(&builder, model_dense(&builder, node_of("Div", d, root), 32, 32));
		if (kind > 0)
			builder_output(&builder, kind == 1 ? mean : model_dense(&builder, d, 32, 32));
		expect_counts(&import, (kind == 2 ? 3 : 2) * 8 * 32 * 32, 0);
		struct network network = build(&import);
		/* of the difference rows are taken in two: the mean's, which is read, and the deviation's */
		assert_int_equal(n_arm(&network, ARM_NORM), kind == 0 ? 1 : kind == 1 ? 1 : 2);
		assert_int_equal(n_arm(&network, ARM_ADD), kind == 1 ? 2 : 0);
		network_free(&network);
		onnx_import_free(&import);
	}
}

/* ---- Einsum ---- */

static Onnx__NodeProto *einsum(const char *equation, const char *a, const char *b)
{
	Onnx__NodeProto *node = builder_node(&builder, "Einsum", NULL, a, b, NULL);
	builder_word(&builder, node, "equation", equation);
	return node;
}

static void test_onnx_einsum_is_a_product(void **state)
{
	static const struct {
		const char *equation;
		size_t rank[2];
		int64_t a[4], b[4];
		uint64_t mac, n_group; /* 0: a fully connected layer */
	} good[] = {
	    {"bid,dh->bih", {3, 2}, {1, 8, 16}, {16, 12}, 8 * 16 * 12, 1},
	    {"b i d , d h -> b h i", {3, 2}, {1, 8, 16}, {16, 12}, 8 * 16 * 12, 1},
	    {"bid,dne->bnie", {3, 3}, {1, 8, 16}, {16, 3, 4}, 8 * 16 * 12, 1},
	    {"...d,dh->...h", {4, 2}, {1, 2, 8, 16}, {16, 12}, 2 * 8 * 16 * 12, 1},
	    {"ij,jk", {2, 2}, {8, 16}, {16, 12}, 8 * 16 * 12, 1},
	    {"i,ij->j", {1, 2}, {16}, {16, 12}, 16 * 12, 1},
	    {"bnid,nde->bnie", {4, 3}, {1, 4, 8, 16}, {4, 16, 12}, 4 * 8 * 16 * 12, 4},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct onnx_import import;
		builder_start(&builder, "einsum");
		builder_input(&builder, "x", good[i].rank[0], good[i].a);
		const char *weights = builder_weights(&builder, good[i].rank[1], good[i].b);
		builder_output(&builder, einsum(good[i].equation, "x", weights)->output[0]);
		expect_counts(&import, good[i].mac,
		              (uint64_t)onnx_n_element(&(struct onnx_shape){
				  .n = good[i].rank[1],
				  .dim = {good[i].b[0], good[i].b[1], good[i].b[2]},
			      }));
		struct network network = build(&import);
		assert_int_equal(network.n_block, 1);
		assert_int_equal(block_n_group(&network.block[0]), good[i].n_group);
		network_free(&network);
		onnx_import_free(&import);
	}
}

/* What is no product is said to be none, with what to write instead; what does not fit is a mistake. */
static void test_onnx_einsum_that_is_no_product(void **state)
{
	static const struct {
		const char *equation, *said;
		bool is_pair;
	} bad[] = {
	    {"ij,ij->ij", "nothing is summed", true},
	    {"ij,ij->i", NULL, true},
	    {"ij,jk->k", "sums one of its tensors alone", true},
	    {"ii,ij->j", "a diagonal", true},
	    {"ij->i", "sums or a diagonal", false},
	    {"ii->i", "sums or a diagonal", false},
	    {"ij->ji", NULL, false},
	    {"ij,jk,kl->il", "has not 2 terms", true},
	    {"ijk,jk->i", "is not one letter for each dimension", true},
	    {"ij,jk->iz", "'z' of its result is in no term", true},
	    {"ij,j.->i", "is not one letter for each dimension", true},
	    {"ij,jk->i?", "is not a letter for each dimension", true},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct onnx_import import;
		struct err err = {0};
		size_t n_byte;
		builder_start(&builder, "einsum");
		builder_input(&builder, "x", 2, (const int64_t[]){8, 8});
		builder_input(&builder, "y", 2, (const int64_t[]){8, 8});
		const char *x = einsum(bad[i].equation, "x", bad[i].is_pair ? "y" : NULL)->output[0];
		builder_output(&builder, node_of("Relu", x, NULL));
		uint8_t *data = builder_pack(&builder, &n_byte);
		enum err_code code = onnx_import_bytes("m.onnx", data, n_byte, NULL, 0, &import, &err);
		if (code == ERR_OK) {
			code = onnx_complain_unsupported(&import, &err);
			onnx_import_free(&import);
		}
		assert_int_equal(code == ERR_OK, !bad[i].said);
		if (bad[i].said && !strstr(err_text(&err), bad[i].said))
			fail_msg("%s: %s", bad[i].equation, err_text(&err));
		err_clear(&err);
		free(data);
		builder_free(&builder);
	}
}

/* ---- attention ---- */

enum attention_spelling { MATMUL, EINSUM, OPERATOR, OPERATOR_OF_HEADS, RUNTIME, RUNTIME_GROUPS, N_SPELLING };

struct shape {
	int64_t rows, past, n_head, n_kv, head;
};

static const char *reshape(const char *x, int64_t rows, int64_t n_head, int64_t head)
{
	return node_of("Reshape", x, BUILDER_LIST(&builder, 1, rows, n_head, head));
}

static const char *turn(const char *x, int64_t a, int64_t b, int64_t c, int64_t d)
{
	Onnx__NodeProto *node = builder_node(&builder, "Transpose", NULL, x, NULL);
	BUILDER_INTEGERS(&builder, node, "perm", a, b, c, d);
	return node->output[0];
}

/* Heads first: [1, heads, rows, numbers]; behind those of the past, where there is one. */
static const char *heads(const char *x, const char *past, int64_t rows, int64_t n_head, int64_t head)
{
	x = turn(reshape(x, rows, n_head, head), 0, 2, 1, 3);
	return past ? model_axis(&builder, builder_node(&builder, "Concat", NULL, past, x, NULL), 2) : x;
}

/* Heads of queries, keys and values of one width, as MatMul or Einsum: as many heads of keys as of queries. */
static const char *attend(const char *q, const char *k, const char *v, const struct shape *s, bool is_einsum,
                          bool in_parts)
{
	const char *one = BUILDER_WEIGHTS(&builder, 1);
	const char *y =
	    is_einsum ? einsum("bhid,bhjd->bhij", q, k)->output[0] : node_of("MatMul", q, turn(k, 0, 1, 3, 2));
	y = softmax(node_of("Mul", y, one), in_parts);
	y = is_einsum ? einsum("bhij,bhjd->bihd", y, v)->output[0] : turn(node_of("MatMul", y, v), 0, 2, 1, 3);
	return node_of("Reshape", y, BUILDER_LIST(&builder, 1, s->rows, s->n_head * s->head));
}

static const char *attend_operator(const char *q, const char *k, const char *v, const char *past[2],
                                   const struct shape *s, enum attention_spelling spelling)
{
	bool is_runtime = spelling >= RUNTIME, of_heads = spelling == OPERATOR_OF_HEADS;
	const char *op = spelling == RUNTIME          ? "MultiHeadAttention"
	                 : spelling == RUNTIME_GROUPS ? "GroupQueryAttention"
	                                              : "Attention";
	if (of_heads) {
		q = heads(q, NULL, s->rows, s->n_head, s->head);
		k = heads(k, NULL, s->rows, s->n_kv, s->head);
		v = heads(v, NULL, s->rows, s->n_kv, s->head);
	}
	Onnx__NodeProto *node = builder_node(&builder, op, NULL, q, k, v, NULL);
	int n_between = spelling == RUNTIME ? 3 : spelling == RUNTIME_GROUPS ? 0 : 1;
	for (int i = 0; past[0] && i < n_between + 2; i++)
		node->input[node->n_input++] = builder_text(&builder, i < n_between ? "" : past[i - n_between]);
	if (is_runtime)
		node->domain = builder_text(&builder, "com.microsoft");
	if (!of_heads) {
		builder_integer(&builder, node, is_runtime ? "num_heads" : "q_num_heads", s->n_head);
		if (spelling != RUNTIME)
			builder_integer(&builder, node, is_runtime ? "kv_num_heads" : "kv_num_heads", s->n_kv);
	}
	if (past[0]) {
		builder_output(&builder, builder_more_output(&builder, node));
		(void)builder_more_output(&builder, node);
	}
	const char *y = node->output[0];
	return of_heads
	           ? node_of("Reshape", turn(y, 0, 2, 1, 3), BUILDER_LIST(&builder, 1, s->rows, s->n_head * s->head))
	           : y;
}

struct layer_spelling {
	enum attention_spelling attention;
	enum spelling norm;
	bool softmax_in_parts, is_tanh;
};

/* A layer that normalises first, with its cache as two inputs of the model. */
static const char *decoder_layer(const char *x, int number, const struct shape *s, const struct layer_spelling *how)
{
	static const char *const cache_name[] = {"past_k", "past_v"};
	int64_t width = s->n_head * s->head;
	const char *past[2] = {NULL, NULL};
	for (int i = 0; i < 2 && s->past > 0; i++) {
		char name[32];
		(void)snprintf(name, sizeof(name), "%s_%d", cache_name[i], number);
		past[i] = builder_text(&builder, name);
		builder_input(&builder, past[i], 4, (const int64_t[]){1, s->n_kv, s->past, s->head});
	}
	const char *y = norm(x, width, how->norm);
	const char *q = model_dense(&builder, y, width, width), *k = model_dense(&builder, y, width, s->n_kv * s->head),
		   *v = model_dense(&builder, y, width, s->n_kv * s->head);
	if (how->attention <= EINSUM)
		y = attend(heads(q, NULL, s->rows, s->n_head, s->head), heads(k, past[0], s->rows, s->n_kv, s->head),
		           heads(v, past[1], s->rows, s->n_kv, s->head), s, how->attention == EINSUM,
		           how->softmax_in_parts);
	else
		y = attend_operator(q, k, v, past, s, how->attention);
	x = node_of("Add", model_dense(&builder, y, width, width), x);
	y = model_dense(&builder, norm(x, width, how->norm), width, 4 * width);
	y = model_dense(&builder, how->is_tanh ? gelu_tanh(y) : model_gelu(&builder, y), 4 * width, width);
	return node_of("Add", x, y);
}

static uint64_t layer_mac(const struct shape *s)
{
	int64_t width = s->n_head * s->head, kv = s->n_kv * s->head;
	return (uint64_t)(s->rows * (2 * width * width + 2 * width * kv + 8 * width * width) +
	                  2 * s->rows * width * (s->past + s->rows));
}

/* Layers, work of the rows, and where the cache lies, of a model of n layers. */
static void expect_decoder(const struct shape *s, int n_layer, const struct layer_spelling *how)
{
	struct onnx_import import;
	int64_t width = s->n_head * s->head;
	const char *x = "x";
	builder_input(&builder, "x", 3, (const int64_t[]){1, s->rows, width});
	for (int i = 0; i < n_layer; i++)
		x = decoder_layer(x, i, s, &how[i]);
	builder_output(&builder, x);
	expect_counts(&import, (uint64_t)n_layer * layer_mac(s), 0);
	struct network network = build(&import);
	size_t n_product = 0, n_data = 0;
	for (size_t b = 0; b < network.n_block; b++) {
		const struct block *block = &network.block[b];
		n_product += block->filters.n > 0;
		if (block->filters.n == 0)
			continue;
		assert_int_equal(block_n_group(block), s->n_kv);
		assert_int_equal(block_n_weight(block), (s->past + s->rows) * s->n_kv * s->head);
		for (uint32_t i = 0; i < block->filters.n; i++)
			n_data += block->filters.producer[i] == 0 || block->filters.producer[i] >= NETWORK_DATA;
	}
	for (size_t b = 0; b < network.n_block; b++)
		if (network.block[b].arm == ARM_SOFTMAX)
			assert_int_equal(block_row_c(&network.block[b]), s->past + s->rows);
	assert_int_equal(n_product, 2 * n_layer);
	assert_int_equal(n_data, s->past > 0 ? 2 * n_layer : 0);
	assert_int_equal(n_arm(&network, ARM_NORM), 2 * n_layer);
	assert_int_equal(n_arm(&network, ARM_SOFTMAX), n_layer);
	assert_int_equal(n_arm(&network, ARM_FUNCTION), 0);
	assert_int_equal(n_arm(&network, ARM_MULTIPLY), 0);
	network_free(&network);
	onnx_import_free(&import);
}

static uint64_t state_of_chance;

static int64_t chance(int64_t n)
{
	state_of_chance = state_of_chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int64_t)((state_of_chance >> 33) % (uint64_t)n);
}

/* Random shapes, each layer spelled by chance; multiply-accumulates are those of the formula. */
static void test_onnx_random_transformers(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 300; i++) {
		struct layer_spelling how[3];
		state_of_chance = i * UINT64_C(0x9e3779b97f4a7c15);
		struct shape s = {.rows = 2 + chance(30), .n_kv = 1 + chance(4), .head = 4 * (1 + chance(6))};
		bool is_grouped = chance(3) == 0;
		s.n_head = is_grouped ? s.n_kv * (1 + chance(3)) : s.n_kv;
		s.past = chance(2) ? 0 : 1 + chance(40);
		int n_layer = 1 + (int)chance(3);
		for (int k = 0; k < n_layer; k++) {
			how[k] = (struct layer_spelling){(enum attention_spelling)chance(N_SPELLING),
			                                 (enum spelling)chance(ROOT_SQUARE + 1), chance(2) == 0,
			                                 chance(2) == 0};
			/* MatMul, Einsum and MultiHeadAttention have as many heads of keys as of queries */
			if (is_grouped && (how[k].attention <= EINSUM || how[k].attention == RUNTIME))
				how[k].attention = OPERATOR + (chance(2) ? 0 : 3);
		}
		builder_start(&builder, "random");
		builder.opset.version = 13 + chance(9);
		expect_decoder(&s, n_layer, how);
	}
}

/* ONNX Runtime's operator that projects its input: three products of it, without weights of its products. */
static void test_onnx_runtime_attention_projects(void **state)
{
	(void)state;
	for (int has_past = 0; has_past < 2; has_past++) {
		struct onnx_import import;
		int64_t n_key = 8 + (has_past ? 5 : 0);
		builder_start(&builder, "runtime");
		builder_input(&builder, "x", 3, (const int64_t[]){1, 8, 32});
		Onnx__NodeProto *node =
		    builder_node(&builder, "Attention", NULL, "x", BUILDER_WEIGHTS(&builder, 32, 96),
		                 BUILDER_WEIGHTS(&builder, 96), NULL);
		node->domain = builder_text(&builder, "com.microsoft");
		builder_integer(&builder, node, "num_heads", 4);
		if (has_past) {
			builder_input(&builder, "past", 5, (const int64_t[]){2, 1, 4, 5, 8});
			node->input[node->n_input++] = builder_text(&builder, "");
			node->input[node->n_input++] = builder_text(&builder, "past");
			builder_output(&builder, builder_more_output(&builder, node));
		}
		node = builder_node(&builder, "SkipLayerNormalization", NULL, node->output[0], "x",
		                    BUILDER_WEIGHTS(&builder, 32), BUILDER_WEIGHTS(&builder, 32), NULL);
		node->domain = builder_text(&builder, "com.microsoft");
		builder_output(&builder, node->output[0]);
		expect_counts(&import, (uint64_t)(8 * 32 * 96 + 2 * 8 * 32 * n_key), 32 * 96 + 96);
		struct network network = build(&import);
		assert_int_equal(n_arm(&network, ARM_NORM), 1);
		assert_int_equal(n_arm(&network, ARM_SOFTMAX), 1);
		assert_int_equal(n_arm(&network, ARM_ADD), 0); /* the last product takes the addition */
		assert_int_equal(network.n_block, 3 + 3 + 1);
		network_free(&network);
		onnx_import_free(&import);
	}
}

/*
 * GPT-2 small's token behind 127 others, as an export with a cache has it, is the hand-written network: work, places,
 * and what multiplies results with the cache.
 */
static void test_onnx_decoder_is_the_shipped_one(void **state)
{
	struct onnx_import import;
	struct network written;
	(void)state;
	builder_start(&builder, "gpt2");
	builder.opset.version = 17;
	const struct shape s = {.rows = 1, .past = 127, .n_head = 12, .n_kv = 12, .head = 64};
	const struct layer_spelling how = {MATMUL, POWER, false, true};
	const char *x = "x";
	builder_input(&builder, "x", 3, (const int64_t[]){1, 1, 768});
	for (int i = 0; i < 12; i++)
		x = decoder_layer(x, i, &s, &how);
	x = norm(x, 768, POWER);
	builder_output(&builder, node_of("MatMul", x, BUILDER_WEIGHTS(&builder, 768, 50257)));
	expect_counts(&import, 12 * layer_mac(&s) + 768 * 50257, 0);
	struct network network = build(&import);
	assert_int_equal(network_read("spaces/networks/gpt2_decode_128.yaml", &written, NULL), ERR_OK);
	assert_int_equal(network.n_block, written.n_block);
	for (size_t b = 0; b < written.n_block; b++) {
		const struct block *a = &network.block[b], *w = &written.block[b];
		if (!block_same(a, w) || a->input != w->input || a->result_to_dram != w->result_to_dram ||
		    a->filters.n != w->filters.n)
			fail_msg("block %zu, %s, is not %s of the file", b, a->name, w->name);
	}
	network_free(&written);
	network_free(&network);
	onnx_import_free(&import);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_onnx_norms_in_parts_are_one_layer),
	    cmocka_unit_test(test_onnx_parts_that_are_read_stay_layers),
	    cmocka_unit_test(test_onnx_einsum_is_a_product),
	    cmocka_unit_test(test_onnx_einsum_that_is_no_product),
	    cmocka_unit_test(test_onnx_random_transformers),
	    cmocka_unit_test(test_onnx_runtime_attention_projects),
	    cmocka_unit_test(test_onnx_decoder_is_the_shipped_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
