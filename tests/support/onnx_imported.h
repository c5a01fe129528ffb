/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ONNX_IMPORTED_H
#define TESTS_ONNX_IMPORTED_H
/*
 * What tests of whole models share: the builder's model imported, and what is said of
 * its layers.
 */
#include "tests/support/shipped_network.h"
#include "tests/support/unit_test.h"
#include "dse/design/simulate.h"
#include "dse/space/machine_read.h"
#include "dse/space/space.h"
#include "tests/support/onnx_file.h"
#include "tests/support/onnx_models.h"

static struct onnx_builder builder; /* one model at a time */

/* Import what the builder has, without a complaint. */
static inline void import_model(struct onnx_import *import)
{
	struct err err = {0};
	size_t n_byte;
	uint8_t *data = builder_pack(&builder, &n_byte);
	if (onnx_import_bytes("model.onnx", data, n_byte, NULL, 0, import, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	free(data);
	builder_free(&builder);
	builder.is_light = false;
}

static inline struct network build(const struct onnx_import *import)
{
	struct network network = {0};
	struct err err = {0};
	if (onnx_complain_unsupported(import, &err) != ERR_OK || onnx_build(import, &network, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	return network;
}

static inline uint64_t network_mac(const struct network *network)
{
	uint64_t n_mac = 0;
	for (size_t i = 0; i < network->n_block; i++)
		n_mac += block_n_mac(&network->block[i]);
	return n_mac;
}

/* The status of the first node of an operator; N_ONNX_STATUS where there is none. */
static inline enum onnx_status status_of(const struct onnx_import *import, const char *op)
{
	for (size_t i = 0; i < import->graph.n_node; i++)
		if (strcmp(import->graph.node[i].op, op) == 0)
			return import->plan.verdict[i].status;
	return N_ONNX_STATUS;
}

static inline void expect_all(const struct onnx_import *import, const char *op, enum onnx_status status)
{
	for (size_t i = 0; i < import->graph.n_node; i++)
		if (strcmp(import->graph.node[i].op, op) == 0 && import->plan.verdict[i].status != status)
			fail_msg("%s is %s", import->graph.node[i].name,
			         onnx_status_name[import->plan.verdict[i].status]);
}

/* Clocks of a whole network on the thesis' chip with its strategy. */
static inline uint64_t clocks_of(const struct network *network)
{
	struct machine machine;
	struct err err = {0};
	struct simulate_options options = {.strategy = STRATEGY_FUSION_REUSE};
	uint64_t clk = 0;
	assert_int_equal(machine_read("spaces/machines/thesis_chip.yaml", &machine, &err), ERR_OK);
	struct simulated *block = calloc(network->n_block, sizeof(*block));
	assert_non_null(block);
	assert_int_equal(simulate_network(&machine, network, &options, block, &err), ERR_OK);
	for (size_t i = 0; i < network->n_block; i++) {
		assert_true(block[i].ran);
		clk += block[i].result.total_clk;
	}
	free(block);
	return clk;
}

/* Import gives the blocks of a hand-written network, where their results lie, and so their clocks. */
static inline void expect_network(const char *name)
{
	struct onnx_import import;
	import_model(&import);
	struct network network = build(&import);
	struct network written = shipped_network(name);
	assert_int_equal(network.n_block, written.n_block);
	for (size_t i = 0; i < written.n_block; i++) {
		const struct block *a = &network.block[i], *b = &written.block[i];
		if (!block_same(a, b) || strcmp(a->name, b->name) != 0 || a->input != b->input ||
		    a->added != b->added || a->hold != b->hold || a->release_held != b->release_held ||
		    a->result_to_dram != b->result_to_dram)
			fail_msg("%s: block %zu, %s, is not %s of the file", name, i, a->name, b->name);
	}
	assert_int_equal(clocks_of(&network), clocks_of(&written));
	expect_file_keeps(&import, &network);
	network_free(&written);
	network_free(&network);
	onnx_import_free(&import);
}

static inline void expect_counts(struct onnx_import *import, uint64_t mac, uint64_t n_parameter)
{
	import_model(import);
	struct network network = build(import);
	assert_int_equal(import->plan.mac, mac);
	assert_int_equal(network_mac(&network), mac);
	if (n_parameter > 0)
		assert_int_equal(import->plan.n_parameter, n_parameter);
	expect_file_keeps(import, &network);
	network_free(&network);
}

#endif
