/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_ONNX_NAMES_H
#define MAPPER_ONNX_NAMES_H
/* Names of an ONNX graph's values: a hash table, as graphs name up to a million. */
#include "sim/base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct onnx_names {
	size_t n_slot; /* a power of two */
	size_t n;
	struct onnx_name_slot {
		const char *name; /* NULL: free */
		uint32_t value;
	} * slot;
};

/* Room for n_max names, in arena. False when memory is out. */
bool onnx_names_start(struct onnx_names *names, size_t n_max, struct arena *arena);

/* A name that is not there yet; the text is the caller's and stays. value > 0. */
void onnx_names_add(struct onnx_names *names, const char *name, uint32_t value);

/* The value of a name; 0 when there is none. */
uint32_t onnx_names_find(const struct onnx_names *names, const char *name);

#endif
