/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ONNX_FILE_H
#define TESTS_ONNX_FILE_H
/* The file that dse import writes of a model, read again. */
#include "tests/support/unit_test.h"
#include "mapper/onnx/onnx.h"
#include "mapper/network/network_read.h"
#include "tests/support/temporary.h"
#include <stdio.h>
#include <stdlib.h>

/* Layers that are written as a file are read as the same blocks. */
static inline void expect_file_keeps(const struct onnx_import *import, const struct network *network)
{
	char path[TEMPORARY_SIZE];
	struct err err = {0};
	struct network again;
	FILE *file = temporary_open(path);
	onnx_write_yaml(import, file);
	assert_int_equal(fclose(file), 0);
	if (network_read_yaml(path, &again, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	(void)remove(path);
	assert_int_equal(again.n_block, network->n_block);
	assert_string_equal(again.name, network->name);
	for (size_t i = 0; i < again.n_block; i++) {
		assert_true(block_same(&again.block[i], &network->block[i]));
		assert_string_equal(again.block[i].name, network->block[i].name);
		assert_string_equal(again.block[i].origin.node, network->block[i].origin.node);
		assert_string_equal(again.block[i].origin.op, network->block[i].origin.op);
		assert_int_equal(again.block[i].input, network->block[i].input);
		assert_int_equal(again.block[i].result_to_dram, network->block[i].result_to_dram);
	}
	network_free(&again);
}

#endif
