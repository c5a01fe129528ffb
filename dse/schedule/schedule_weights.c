/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/schedule/schedule_weights.h"
#include "dse/base/memory.h"
#include "mapper/quantise/quantise_onnx.h"
#include "sim/base/file.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_GENERATED 4                      /* inputs that scales are measured on, where none are given */
#define MAX_INPUT_BYTE ((size_t)256 << 20) /* of a file of inputs */

const char *const schedule_weights_name[N_SCHEDULE_WEIGHTS] = {"none", "random", "model"};

static float float_of(const uint8_t *byte)
{
	uint32_t bits = byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
	float value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Inputs [*n][n_input] of a file, to be freed. */
static enum err_code read_inputs(const char *path, size_t n_input, size_t *n, float **input, struct err *err)
{
	char *data = NULL;
	size_t n_byte = 0, one = n_input * sizeof(float);
	enum err_code code = file_read(path, MAX_INPUT_BYTE, &data, &n_byte, err);
	if (code != ERR_OK)
		return code;
	if (n_byte == 0 || n_byte > MAX_INPUT_BYTE || n_byte % one != 0)
		code =
		    err_add(err, ERR_INPUT, "%s: has %zu bytes, allowed are 1 to %zu inputs of %zu numbers of 4 bytes",
		            path, n_byte, MAX_INPUT_BYTE / one, n_input);
	*n = n_byte / one;
	*input = code == ERR_OK ? memory_array(*n * n_input, sizeof(float)) : NULL;
	for (size_t i = 0; code == ERR_OK && i < *n * n_input; i++) {
		(*input)[i] = float_of((const uint8_t *)data + i * sizeof(float));
		if (!isfinite((*input)[i]))
			code = err_add(err, ERR_INPUT, "%s: number %zu is not finite", path, i);
	}
	free(data);
	return code;
}

/* The weights of the file that the network was read from. */
static enum err_code import_model(const char *path, const struct network *network, struct quantise_float *model,
                                  struct err *err)
{
	struct onnx_import import;
	size_t n = strlen(path);
	if (n < 5 || strcmp(path + n - 5, ".onnx") != 0)
		return err_add(err, ERR_USAGE, "dse schedule: --weights model takes an ONNX model, %.80s is none",
		               path);
	enum err_code code = onnx_import_whole(path, &import, err);
	if (code != ERR_OK)
		return code;
	code = quantise_import(&import, network, model, err);
	onnx_import_free(&import);
	return code;
}

enum err_code schedule_weights_make(const struct schedule_weights_request *request, const struct network *network,
                                    struct quantise_network *quant, struct err *err)
{
	struct quantise_float model = {0};
	size_t n = N_GENERATED, n_input;
	float *input = NULL;
	assert(request->which != SCHEDULE_WEIGHTS_NONE);
	*quant = (struct quantise_network){0};
	enum err_code code = quantise_check(network, err);
	if (code == ERR_OK)
		code = request->which == SCHEDULE_WEIGHTS_MODEL
		           ? import_model(request->model, network, &model, err)
		           : quantise_generate(network, request->seed, &model, err);
	n_input = code == ERR_OK ? quantise_n_input(network) : 0;
	if (code == ERR_OK && request->calibrate) {
		code = read_inputs(request->calibrate, n_input, &n, &input, err);
	} else if (code == ERR_OK) {
		input = memory_array(n * n_input, sizeof(float));
		quantise_generate_inputs(network, request->seed, n, input);
	}
	if (code == ERR_OK)
		code = quantise_calibrate(&model, input, n, quant, err);
	free(input);
	quantise_float_free(&model);
	return code;
}
